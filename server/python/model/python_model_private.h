/// What the files of the Python lowering share. Private to model/.
///
/// Ownership: as in python/model/python_model.h.
/// Units:     as in python/model/python_model.h.
/// Threads:   one model is made by one thread.
#pragma once

#include "core/workspace.h"
#include "python/model/python_model.h"

// python_foreign.c
/// Hangs what other files say of their constants after the nodes of the file, before anything else is done.
void python_graft(PyModel *model, const Workspace *workspace);
/// Fills in the functions that stand for other files, when functions are there.
void python_find_foreign(PyModel *model);
/// False if no name of other files that would be hung there is one of the words of the text, so that they can make no
/// difference.
bool python_may_name_others(const PyModel *model, const Workspace *workspace);
/// What a function of another file gives back that takes nothing, and does nothing but return it; 0.
PyRef python_foreign_result(const PyModel *model, PyRef call);

// python_names.c
/// First binding of the name in exactly this scope; PY_ABSENT.
uint32_t python_find_in_scope(const PyModel *model, uint32_t scope, Str name);
/// The value of a binding of another file, which is the only one; 0.
PyRef python_foreign_value(const PyModel *model, uint32_t found);
/// Sorts the bindings for py_model_lookup(); call when all are there.
void python_index_names(PyModel *model);

// python_memory.c
/// `before` is the model of an older version of the text; NULL.
void python_make_room(PyModel *model, const PyModel *before);
/// How many entries a table has that has one for each node.
size_t python_node_room(const PyModel *model);
/// Gives back what lists have too much.
void python_trim(PyModel *model);

// python_mentions.c
/// Once the text is there. `before` is the model of an older version of it; NULL.
void python_start_mentions(PyModel *model, const PyModel *before);

// python_classes.c
/// Fills in what follows from the classes that a class derives from, if those before it are done.
void python_read_bases(PyModel *model, PyClass *class);

// python_members.c
/// The name whose object the node changes in place: `x.append(...)`, `x[0] = ...`, `x[0] += ...`, `del x[0]`; 0 for
/// none.
PyRef python_changed_name(const PyTree *tree, PyRef node);
/// Adds to PyModel.changed what the node changes.
void python_note_changed(PyModel *model, PyRef node);
/// Fills in PyBinding.is_changed, of what is in PyModel.changed.
void python_note_changes(PyModel *model);
/// Notes a member while the nodes are walked through: `function` is the one around, PY_ABSENT in the body of a class.
void python_note_assigned_member(PyModel *model, PyRef class_node, Str name, PyRef value);
/// Notes what an attribute stores: `self.name = value` is a member of the method's class, anything else may be one of
/// any class. `scope` is the node's.
void python_note_stored_member(PyModel *model, PyRef node, uint32_t scope);
/// Sorts the members and fills in PyClass. Names have to be indexed.
void python_index_members(PyModel *model);
/// One step of py_model_resolve() for `Class.name`, `self.name` and `table["key"]`: what it stands for; 0. `steps`
/// counts down.
PyRef python_resolve_member(const PyModel *model, PyRef node, int *steps);
PyRef python_resolve(const PyModel *model, PyRef node, int *steps);
/// What a call of a function of the file gives back, which does nothing but return it; else the node.
PyRef python_written_result(const PyModel *model, PyRef node);
/// A member of an object that is made there, `Spec(name="aten::elu")`; 0.
PyRef python_member_of(const PyModel *model, PyRef object, Str member);
/// What `object.member` stands for at `place`, where there are no nodes of the two, in an f-string; 0.
PyRef python_member_by_names(const PyModel *model, PyRef place, Str object, Str member);

// python_op_attributes.c
/// `alpha_f=1.0`, or the number of outputs.
void python_op_add_keyword(PyModel *model, PyOp *op, const PyArgument *argument);
/// `**name`, which stands for `made`; `caller` calls the function that it is in, NULL if that is not known.
void python_op_add_spread(PyModel *model, PyOp *op, PyRef name, PyRef made, const PyCall *caller, const PyRow *row);

// python_argparse.c
/// Notes the arguments of argparse parsers that are text whatever is given. Names have to be there, and members not
/// yet.
void python_note_parsed_arguments(PyModel *model);
/// The parser whose `parse_args()` an object is: as the class of members, the call that makes it; 0.
PyRef python_parser_of(const PyModel *model, PyRef object);

// python_lower.c
/// Fills in PyCall.method, backwards, so that each chain is in order of position. Decorators have to be known.
void python_link_methods(PyModel *model);

// python_bound.c
/// Fills in PyParam.bound_value of each __init__() that one call runs. Names and members have to be there.
void python_bind_objects(PyModel *model);
/// The same of functions and methods that are called once. Registrations have to be there.
void python_bind_calls(PyModel *model);

// python_callable.c
/// py_model_callable(), with the names of a row; NULL for none.
PyCallable python_callable(const PyModel *model, const PyRow *row, PyRef node);
/// Whether a decorator is of this file and gives back what it decorates, as it is.
bool python_decorator_keeps(const PyModel *model, PyRef expression);
/// Notes which functions of this file decorate others.
void python_find_decorations(PyModel *model);

// python_rows.c

/// Names that a loop or a comprehension over a literal gives values to, for one row of it.
struct PyRow {
  Str names[8];
  PyRef values[8];
  Str numbers[8];   ///< "2" of range(3), which has no node: the value is 0 then.
  Str texts[8];     ///< The string that the value is with what a loop gives its names; empty if the value says all.
  bool is_turn[8];  ///< A loop binds the name, so it has this value wherever it stands in the loop.
  size_t count;
  PyRef node;  ///< The row; 0 if there is no loop.
};

/// What the row gives the name that `node` is; else `node`, without parentheses. 0 stays 0.
PyRef python_row_value(const PyModel *model, const PyRow *row, PyRef node);
/// The number that the row gives the name that `node` is; empty if it gives none.
Str python_row_number(const PyModel *model, const PyRow *row, PyRef node);
/// The string that the row gives that name, see PyRow.texts; empty if the node is none, or its value says all.
Str python_row_text(const PyModel *model, const PyRow *row, PyRef node);
/// py_model_string(), with the names of the row.
bool python_row_string(const PyModel *model, const PyRow *row, PyRef node, Arena *arena, Str *ret_value);
/// The expression that the innermost loop around `node` which binds `name` runs over; its target in `ret_target`.
PyRef python_loop_over(const PyModel *model, PyRef node, Str name, PyRef *ret_target);
typedef void PyRowMaker(PyModel *model, const PyRow *row, void *context);
/// Calls `make` for each row that the loop around `node` makes of these names, or (where they are parameters of the
/// function around it) each call of that function or use as a decorator; once without a row if nothing binds them, or
/// it is not written out.
void python_each_row(PyModel *model, PyRef node, const PyRef *used, size_t used_count, PyRowMaker *make, void *context);

// python_registrations.c
/// Fills in registrations, and what they say of functions. Calls, functions and names have to be there.
void python_find_registrations(PyModel *model);
/// Notes in functions of which opsets they take the place of torch's own: `torch.onnx.symbolic_opset11.clamp = clamp`.
void python_find_patched(PyModel *model);
/// Notes that @parse_args is put around a function: the call has the descriptors.
void python_read_descriptors(PyModel *model, uint32_t index, uint32_t call);

// python_entries.c
/// Fills in what functions put into tables.
void python_find_entries(PyModel *model);

// registration_parts.c
/// `row` of a call `register(*row)` or `register(**row)`; 0 for others.
PyRef python_registration_spread(const PyModel *model, const PyCall *call);
/// What such a row that is written out gives by position, or by name; 0 for nothing.
PyRef python_registration_part(const PyModel *model, PyRef row, int position, const char *keyword);
void python_registration_add_opset(PyModel *model, PyRegistration *registration, int64_t opset);
/// `node` may be 0: it says nothing.
void python_registration_read_opsets(PyModel *model, PyRegistration *registration, PyRef node);
/// What is registered: a function or static method of this file, a lambda, or the name of something elsewhere.
void python_registration_read_function(PyModel *model, PyRegistration *registration, const PyRow *row, PyRef node);

// python_spread.c
/// Gives calls of torch.onnx.export() the arguments that a dict or functools.partial() has for them. Calls have to know
/// what they call.
void python_spread_exports(PyModel *model);

// python_ops.c
/// Fills in operators and exports.
void python_find_ops(PyModel *model);
