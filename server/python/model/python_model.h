/// What a Python file says about symbolic functions: functions, registrations, operators, exports, names.
///
/// The model knows the text of one file only. What a name means is found by following imports and aliases; what can't
/// be found stays unknown (an empty Str, PY_ABSENT) and rules leave it in peace. What an operator is, which opset is in
/// force and what kind of value an expression has are the business of python/model/python_file.h.
///
/// Ownership: a model retains its syntax; everything in it lives as long as the model.
/// Units:     nodes are PyRef; functions, calls, registrations... are indexes into their lists, PY_ABSENT for none.
/// Threads:   immutable once made, but for what it notes of names that were looked up.
/// Sources:   torch.onnx: register_custom_op_symbolic, symbolic_helper.parse_args,
///            _internal.registration.onnx_symbolic, _internal.jit_utils.GraphContext;
///            docs/architecture.md, "Python files".
#pragma once

#include <stdatomic.h>

#include "base/vec.h"
#include "core/language.h"
#include "facts/opset_set.h"
#include "python/syntax/python_tree.h"

typedef struct Workspace Workspace;  // core/workspace.h

#define PY_ABSENT UINT32_MAX

typedef enum PyParamKind {
  PY_PARAM_PLAIN,         ///< Takes a positional argument.
  PY_PARAM_KEYWORD_ONLY,  ///< After `*` or `*args`.
  PY_PARAM_ARGS,          ///< `*args`
  PY_PARAM_KWARGS,        ///< `**kwargs`
} PyParamKind;

typedef struct PyParam {
  PyRef node;       ///< The whole parameter.
  PyRef name_node;  ///< The identifier.
  Str name;
  PyRef annotation;
  PyRef default_value;
  PyRef bound_value;  ///< What each call of its function gives it, as far as the file shows; 0 if that is not known.
  PyParamKind kind;
} PyParam;

typedef enum PyRole {
  PY_ROLE_REGISTERED = 1,  ///< A registration of this file names it.
  PY_ROLE_AUTOGRAD = 2,    ///< `symbolic` of a torch.autograd.Function.
  PY_ROLE_HELPER = 4,      ///< Takes the graph first and makes nodes, but nothing here registers it.
  PY_ROLE_ONNXSCRIPT = 8,  ///< @onnxscript.script
  PY_ROLE_TORCHLIB = 16,   ///< @torch_op, @onnx_impl
  PY_ROLE_CALLED = 32,     ///< Something in this file calls it directly.
} PyRole;

typedef struct PyFunction {
  PyRef node;        ///< function_definition or lambda.
  PyRef outer;       ///< The decorated_definition around it, else `node`.
  PyRef name_node;   ///< 0 for a lambda.
  Str name;          ///< Empty for a lambda.
  PyRef body;        ///< block, or the expression of a lambda.
  PyRef class_node;  ///< The class_definition that it is a method of; 0 for none.
  uint32_t parent;   ///< The function that it is defined in.
  uint32_t roles;    ///< PyRole bits.
  uint32_t first_param;
  uint32_t param_count;
  uint32_t plain_count;  ///< Of them, before the first that a position can't give.
  bool is_static;
  bool is_class_method;
  bool has_unknown_decorator;   ///< One that may change how it is called.
  uint32_t first_call;          ///< Of it in this file, by its name; PY_ABSENT for none.
  uint32_t first_method_call;   ///< Of it by PyCall.method.
  uint32_t first_registration;  ///< Of this function; PY_ABSENT for none.
  uint32_t parse_args;          ///< Index of the call @parse_args(...); PY_ABSENT.
  bool descriptors_known;       ///< All arguments of parse_args are string literals.
  uint32_t first_descriptor;    ///< Into PyModel.descriptors.
  uint32_t descriptor_count;
  bool quantized_args;
  PyRef returned;  ///< The only expression that a `return` of it gives back; 0 for none, or several.
  uint32_t return_count;
  uint32_t wrapper;           ///< What a decorator of this file puts in its place; PY_ABSENT.
  uint32_t first_decoration;  ///< Of another function by this one; PY_ABSENT.
  uint32_t bound_count;       ///< Arguments before the graph that functools.partial() gives it.
  int least_opset;            ///< Of the modules symbolic_opset<N> in which it is put in the place of torch's own; 0.
} PyFunction;

/// `@decorator` or `@decorator(...)`, where the decorator is a function of this file.
typedef struct PyDecoration {
  PyRef name_node;  ///< Of the function or class that is decorated.
  uint32_t call;    ///< Of the decorator; PY_ABSENT without one.
  uint32_t next;    ///< By the same decorator; PY_ABSENT.
} PyDecoration;

/// One argument of a call.
typedef struct PyArgument {
  PyRef node;   ///< The whole argument.
  PyRef value;  ///< The expression; inside a `*x` or `**x` what stands after the stars.
  Str keyword;  ///< Empty for a positional one.
  bool is_splat;
  bool is_dictionary_splat;
} PyArgument;

/// Any call in the file.
typedef struct PyCall {
  PyRef node;
  PyRef function_node;  ///< The expression that is called.
  PyRef list_node;      ///< argument_list; 0 for `f(x for x in y)`.
  Str qualified;        ///< "torch.onnx.export": canonical, see py_model_qualified(); empty if unknown.
  uint32_t function;    ///< The function of this file that is called by its name,
  uint32_t method;      ///< or by an object or a class of this file that has it.
  uint32_t scope;       ///< The function that it stands in.
  uint32_t next;        ///< The next call of the same function, or method; PY_ABSENT.
  uint32_t op;          ///< The operator that it makes, the first one if there are several; PY_ABSENT.
  uint32_t first_argument;
  uint32_t argument_count;
  bool is_bound;              ///< The object is the first argument of `method`.
  bool has_splat;             ///< `*x` among the arguments.
  bool has_dictionary_splat;  ///< `**x`
} PyCall;

typedef enum PyRegistrationKind {
  PY_REG_CUSTOM,      ///< register_custom_op_symbolic()
  PY_REG_BUILTIN,     ///< @onnx_symbolic, custom_onnx_symbolic
  PY_REG_TABLE,       ///< ("aten::x", function, 9) in a list or tuple, registered by some loop.
  PY_REG_FILE,        ///< A function of symbolic_opset<N>.py without decorator, as before torch 1.13.
  PY_REG_ELSEWHERE,   ///< By another file of the workspace; see python_register().
  PY_REG_UNREGISTER,  ///< unregister_custom_op_symbolic()
} PyRegistrationKind;

/// `table[key] = value` in a function, once for each of its calls: with what that gives.
typedef struct PyEntry {
  PyRef table;
  PyRef key;
  PyRef value;
} PyEntry;

typedef struct PyRegistration {
  PyRegistrationKind kind;
  uint32_t call;    ///< The call; PY_ABSENT for tables and files.
  PyRef node;       ///< What to point at: the call, the decorator's call, the row of the table.
  PyRef name_node;  ///< The string; 0 for a file.
  Str name;         ///< Decoded: "aten::elu"; empty if unknown.
  bool name_known;
  PyRef function_node;  ///< The expression; 0 for a decorator, a file, an unregistration.
  uint32_t function;    ///< PY_ABSENT if it is not in this file.
  uint32_t method;      ///< CUSTOM: one of this file that is not static; PY_ABSENT.
  bool has_object;      ///< It is that of an object, and not of its class.
  PyRef class_node;     ///< CUSTOM: a class of this file, which calling makes an object of; 0.
  uint32_t partial;     ///< The call of functools.partial() that gives the function arguments; PY_ABSENT.
  PyRef spread;         ///< What `**` or `*` gives the call arguments from; 0.
  Str function_name;    ///< Qualified name of a function of another file; empty.
  PyRef opset_node;     ///< 0 if not given.
  bool opset_known;
  bool opset_is_wrong_type;  ///< A literal that is neither int nor a list of ints.
  uint32_t first_opset;      ///< Into PyModel.opsets.
  uint32_t opset_count;
  uint32_t next_of_function;  ///< The next registration of the same function; PY_ABSENT.
  bool is_row;                ///< One of several that a loop over a table makes.
  bool is_from_partial;       ///< Through an alias that functools.partial() made.
  bool has_applied_params;    ///< decorate=[_apply_params(...)]: the function gets other arguments.
  bool is_opaque;             ///< decorate=... or something else that could not be understood.
} PyRegistration;

typedef enum PyOpKind {
  PY_OP_GRAPH,       ///< g.op("Name", ...)
  PY_OP_ATEN,        ///< g.at("name", ...), g.aten_op
  PY_OP_ONNXSCRIPT,  ///< op.Name(...)
} PyOpKind;

/// An attribute of g.op() (with its suffix taken off), or of op.X().
typedef struct PyAttribute {
  PyRef node;       ///< keyword_argument, or the pair of a dictionary.
  PyRef name_node;  ///< The identifier `alpha_f`, or the string.
  Str keyword;      ///< "alpha_f"
  Str name;         ///< "alpha"; the whole keyword if there is no underscore.
  Str suffix;       ///< "f": what stands after the last underscore; empty if there is none.
  PyRef value;
} PyAttribute;

typedef struct PyOp {
  PyOpKind kind;
  uint32_t call;
  uint32_t scope;   ///< The function it stands in; PY_ABSENT at module level.
  PyRef name_node;  ///< The string, or the identifier after `op.`; 0 if there is no first argument.
  Str full_name;    ///< "custom::Foo" as written.
  Str domain;       ///< "" for ai.onnx: what stands before the first `::`.
  Str name;         ///< "Foo"
  bool name_known;
  bool has_splat_input;         ///< `*xs`: their number is unknown.
  bool has_splat_attribute;     ///< `**kw`
  bool has_unknown_attributes;  ///< One of them is not written out.
  int opset;                    ///< ONNXSCRIPT: of `opset15.X`; 0 if unknown.
  uint32_t first_input;         ///< Into PyModel.arguments: positional arguments after the name.
  uint32_t input_count;
  uint32_t first_attribute;
  uint32_t attribute_count;
  PyRef outputs_node;  ///< Value of `outputs=`; 0 if not given.
  int outputs;         ///< 1 if not given; -1 if unknown.
} PyOp;

/// A name that stands for something: an import, an assignment, a def, a class, a parameter, a loop variable.
typedef enum PyBindingKind {
  PY_BIND_IMPORT,
  PY_BIND_ASSIGN,  ///< `x = value`
  PY_BIND_OTHER,   ///< Unpacking, for, with, except, augmented assignment, del, global...: not followed.
  PY_BIND_FUNCTION,
  PY_BIND_CLASS,
  PY_BIND_PARAM,
} PyBindingKind;

typedef struct PyBinding {
  Str name;
  Str qualified;    ///< IMPORT: as written, not canonical.
  uint8_t kind;     ///< A PyBindingKind.
  bool is_changed;  ///< What it holds is changed in place: `x.append(...)`, `x[0] = ...`.
  uint32_t scope;   ///< The function; PY_ABSENT for the module.
  PyRef node;       ///< The identifier that is bound.
  PyRef value;      ///< ASSIGN: the expression. OTHER: the expression that is unpacked or looped over, or 0.
  uint32_t index;   ///< FUNCTION: which; PARAM: which.
  uint32_t unpack;  ///< OTHER of an unpacking `a, b = value`: the position; PY_ABSENT if it is none.
  uint32_t first;   ///< The first binding of the same name in the same scope, in order of position,
  uint32_t next;    ///< and the next one; PY_ABSENT.
} PyBinding;

/// What a loop around an export, or a call of the function around it, gives its names; see python_export_rows().
typedef struct PyRow PyRow;

typedef struct PyExportRow {
  uint32_t export;  ///< Into PyModel.exports.
  const PyRow *row;
} PyExportRow;

enum { PY_NODES_A_START = 32 };  ///< See PyModel.call_starts and scope_starts.

/// From this node on the scope is that function; see py_model_scope_of().
typedef struct PyScope {
  PyRef node;
  uint32_t function;  ///< PY_ABSENT at module level.
} PyScope;

/// The index of names: sorted by hash, scope, name and position. Private to model/.
typedef struct PyNameEntry {
  uint32_t scope;
  uint32_t hash;  ///< Of name and scope: most comparisons are of numbers.
  uint32_t binding;
} PyNameEntry;

typedef struct PyClass {
  PyRef node;
  Str name;
  uint32_t base;     ///< The first one that is a class of this file; PY_ABSENT.
  bool is_autograd;  ///< Derives from torch.autograd.Function.
  bool is_module;    ///< Derives from torch.nn.Module.
  bool is_enum;      ///< Derives from enum.Enum: its members are objects, which have a `value`.
  bool is_plain;     ///< Derives from nothing but classes of this file that are plain.
} PyClass;

/// What a class says of a name: a method, or what its body or a method assigns to it (`self.name = ...`).
typedef struct PyMember {
  PyRef class_node;  ///< 0: it is assigned or changed in some other way, maybe of any class.
  Str name;
  PyRef value;         ///< 0 for a method, or if it is not known.
  uint32_t function;   ///< PY_ABSENT unless it is a method.
  bool is_overridden;  ///< A class of the file that derives from this one has its own.
  bool is_default;     ///< What `--opset 13` may give another value; a call of add_argument() if that is text.
} PyMember;

/// A torch.autograd.Function of the file. Both functions may be those of a class that it derives from, and symbolic()
/// one that is assigned: `symbolic = staticmethod(lambda g, x: ...)`, `Class.symbolic = function`.
typedef struct PyAutograd {
  PyRef class_node;
  uint32_t symbolic;
  uint32_t forward;  ///< PY_ABSENT if it is not known.
} PyAutograd;

/// A module that this file imports, or one whose names it has of others.
typedef struct PyImport {
  Str module;        ///< "pkg.config", ".config"
  uint32_t file;     ///< Into PyModel.foreign: which file imports it; PY_ABSENT for this one.
  uint32_t foreign;  ///< Into PyModel.foreign: what is known of it; PY_ABSENT.
  bool is_star;      ///< `import *`
} PyImport;

/// Constants of another file, as the body of a function without a name.
typedef struct PyForeign {
  PyRef node;
  uint32_t function;
} PyForeign;

typedef struct PyModel {
  PySyntax *syntax;       ///< Retained.
  PyTree tree;            ///< Of the file; after its nodes are those of other files (`foreign`).
  uint32_t node_count;    ///< With these.
  PyNode *grafted_nodes;  ///< What the tree is then made of; NULL if there are none.
  char *grafted_text;
  Vec(PyForeign) foreign;
  Vec(PyImport) imports;  ///< If there are any.
  Str path;               ///< Of the file, or its URI; may be empty.
  int file_opset;         ///< N of symbolic_opset<N>.py; 0 else.
  int least_opset;        ///< That, or N of a copy of such a file, symbolic_opset<N>-mine.py.
  bool is_ours;           ///< Imports torch.onnx or onnxscript, or registers something.
  bool has_own_op;        ///< A class of the file has a method `op`, so that `g.op()` may be something else.
  bool is_builtin;        ///< One of torch's own files, by its name and style.
  Vec(PyScope) scopes;    ///< Whose scope is not that of the node before, by position; the last is after all nodes.
  Vec(uint32_t) scope_starts;  ///< By node / PY_NODES_A_START: the scope that the first of these nodes is in.
  Vec(PyFunction) functions;   ///< By position.
  Vec(PyParam) params;
  Vec(PyRef) descriptors;     ///< String nodes.
  Vec(PyCall) calls;          ///< By position.
  Vec(uint32_t) call_starts;  ///< By node / PY_NODES_A_START: the first call there or after it.
  Vec(PyArgument) arguments;
  Vec(PyRegistration) registrations;
  Vec(PyEntry) entries;  ///< Of a file that gives an export a table of translations.
  Vec(int) opsets;
  Vec(PyOp) ops;  ///< By position.
  Vec(PyAttribute) attributes;
  Vec(uint32_t) exports;  ///< Calls of torch.onnx.export.
  Vec(PyExportRow) export_rows;
  const PyRow *row;    ///< Of a copy of the model in which names of one scope have the values of a row; NULL.
  uint32_t row_scope;  ///< Which.
  PyRef row_turn;      ///< The comprehension in which a name has the value of a turn; 0.
  Vec(PyBinding) bindings;
  Vec(PyClass) classes;
  Vec(PyMember) members;  ///< By class and name.
  Vec(PyAutograd) autograds;
  Vec(PyDecoration) decorations;
  Vec(Str) star_imports;  ///< Modules of `from m import *`.
  Vec(PyRef) shared;      ///< What gives its arguments to several exports: an edit there would change them all.
  Vec(PyRef) changed;     ///< Objects that are changed in place or get a member; empty once the model is there.
  Vec(PyNameEntry) names;
  Vec(uint32_t) name_starts;  ///< Where in `names` the buckets start, by the upper bits of the hash.
  uint32_t name_shift;
  atomic_uintptr_t *mentions;  ///< Words that were asked for: py_model_mentions().
  atomic_uint *named;    ///< By node, an identifier that was asked for: what py_model_name_at() says, and 2; else 0.
  uint32_t call_rows;    ///< Registrations that calls of functions of the file made so far.
  uint32_t collections;  ///< Loops over what functions of the file collect that were looked into.
  uint32_t partials;     ///< Functions whose functools.partial() was looked for.
  Arena arena;
} PyModel;

/// Whether the text of the file has the word. It is a constant of the program: what was found is kept by its address.
bool py_model_mentions(const PyModel *model, const char *word);
/// The same of any of these.
bool py_model_mentions_one_of(const PyModel *model, const char *const *words, size_t count);
/// What `find` says of the model, which is asked once.
bool py_model_holds(const PyModel *model, bool (*find)(const PyModel *model));

/// False if the text can have nothing to do with torch.onnx: nothing of it needs to be parsed.
bool python_is_relevant(Str text);
/// True if a text that python_is_relevant() has models and nothing else: only what runs them makes a difference.
bool python_is_passive(Str text);
/// Calls `visit` with each name after `def` or `class` at the start of a line.
void python_each_definition(Str text, NameVisitor *visit, void *context);
/// Calls `visit` with each module whose names an import may bring: for `from pkg import config` "pkg" and "pkg.config";
/// "pkg.*" for `import *`. Those of torch are left out.
void python_each_import(Str text, NameVisitor *visit, void *context);

/// `path` may be empty; it is copied. `workspace` has the files that it may import; NULL for none. `before` is the
/// model of an older version of the file; NULL.
PyModel *python_lower(const PySyntax *syntax, Str path, const Workspace *workspace, const PyModel *before);
/// Adds what the file's names stand for, and which modules it imports, to its summary.
void python_add_constants(const PyModel *model, WorkspaceFile *file);
void python_add_imports(const PyModel *model, WorkspaceFile *file);
/// Notes that another file registers this function; `name` is copied. Call python_relink() when all are noted.
void python_register(PyModel *model, uint32_t function, Str name, OpsetSet opsets);
void python_relink(PyModel *model);
/// NULL is fine.
void python_free(PyModel *model);

/// for (PY_EACH_REGISTRATION(model, registration, function)) ...: those of a function of this file, no unregistrations.
#define PY_EACH_REGISTRATION(model, registration, function_index)                                                      \
  const PyRegistration *registration =                                                                                 \
      py_model_registration((model), (model)->functions.items[function_index].first_registration);                     \
  registration;                                                                                                        \
  registration = py_model_registration((model), registration->next_of_function)

static inline const PyRegistration *py_model_registration(const PyModel *model, uint32_t index)
{
  return index == PY_ABSENT ? NULL : &model->registrations.items[index];
}

// --- Asking about nodes ---

/// The function whose body, parameters or defaults hold the node; PY_ABSENT at module level.
static inline uint32_t py_model_scope_of(const PyModel *model, PyRef node)
{
  const PyScope *scope = &model->scopes.items[model->scope_starts.items[node / PY_NODES_A_START]];
  while (scope[1].node <= node)
    scope++;
  return scope->function;
}

/// The function of that function_definition or lambda.
uint32_t py_model_function_at(const PyModel *model, PyRef node);
/// The call of that `call` node; NULL for other nodes.
const PyCall *py_model_call(const PyModel *model, PyRef node);
/// The call whose list of arguments that is; NULL for other nodes.
const PyCall *py_model_call_of_list(const PyModel *model, PyRef list);
/// py_model_call() as an index; PY_ABSENT for other nodes.
uint32_t py_model_call_at(const PyModel *model, PyRef node);
/// The `g` that `g.op(...)` is called on.
PyRef py_model_graph_of(const PyModel *model, const PyOp *op);
/// The operator that the call of that `call` node makes; NULL for other nodes.
const PyOp *py_model_op_at(const PyModel *model, PyRef node);
/// What stands after the next `@` of PyFunction.outer or what is around a class, without parentheses; 0 after the last.
/// `at`, the decorator, begins as 0.
PyRef py_model_next_decorator(const PyModel *model, PyRef definition, PyRef *at);

/// for (PY_EACH_DECORATOR(model, expression, definition)) ...
#define PY_EACH_DECORATOR(model, expression, definition)                                                               \
  PyRef expression##_at = 0, expression = py_model_next_decorator((model), (definition), &expression##_at);            \
  expression != 0;                                                                                                     \
  expression = py_model_next_decorator((model), (definition), &expression##_at)

/// The argument of that keyword, or (if `position` is not PY_ABSENT) that positional argument; NULL if it is not there.
const PyArgument *py_model_argument_of(const PyModel *model, const PyCall *call, uint32_t position, Str keyword);
/// The same; a keyword that is written out has its length when this is compiled.
static inline const PyArgument *py_model_argument(const PyModel *model, const PyCall *call, uint32_t position,
                                                  const char *keyword)
{
  return py_model_argument_of(model, call, position, keyword ? str_from(keyword) : (Str){ 0 });
}

/// The arguments of a call, and the parameters of a function; NULL for none.
static inline const PyArgument *py_model_arguments(const PyModel *model, const PyCall *call)
{
  return call->argument_count > 0 ? &model->arguments.items[call->first_argument] : NULL;
}

static inline const PyParam *py_model_params(const PyModel *model, const PyFunction *function)
{
  return function->param_count > 0 ? &model->params.items[function->first_param] : NULL;
}

/// for (PY_EACH_ARGUMENT(model, argument, call)) ...
#define PY_EACH_ARGUMENT(model, argument, call)                                                                        \
  const PyArgument *argument = py_model_arguments((model), (call)),                                                    \
                   *argument##_end = argument ? argument + (call)->argument_count : NULL;                              \
  argument < argument##_end;                                                                                           \
  argument++

/// for (PY_EACH_PARAM(model, param, function)) ...
#define PY_EACH_PARAM(model, param, function)                                                                          \
  const PyParam *param = py_model_params((model), (function)),                                                         \
                *param##_end = param ? param + (function)->param_count : NULL;                                         \
  param < param##_end;                                                                                                 \
  param++

/// How many arguments have no keyword.
uint32_t py_model_positional_count(const PyModel *model, const PyCall *call);
/// The parameter of that name; NULL for none.
const PyParam *py_model_param(const PyModel *model, const PyFunction *function, Str name);

// --- Names ---

/// First binding of a name as seen from `scope` outwards; PY_ABSENT.
uint32_t py_model_lookup(const PyModel *model, uint32_t scope, Str name);
/// The same; NULL if nothing binds it.
const PyBinding *py_model_binding_named(const PyModel *model, uint32_t scope, Str name);
/// The same of the name that a node is; NULL also if it is none.
const PyBinding *py_model_binding_of(const PyModel *model, uint32_t scope, PyRef node);
/// What py_model_lookup() says of an identifier where it stands; looked up once.
uint32_t py_model_name_at(const PyModel *model, PyRef identifier);
/// The same as seen from where the node stands.
const PyBinding *py_model_binding_at(const PyModel *model, PyRef node);
/// Whether the name is bound once in its scope, and so; false for NULL.
static inline bool py_binding_is_only(const PyBinding *binding, PyBindingKind kind)
{
  return binding && binding->kind == kind && binding->next == PY_ABSENT;
}

/// The binding in another file that a name stands for, whose binding here (or PY_ABSENT) is `found`: by an import, or
/// `import *`. PY_ABSENT if it is not known.
uint32_t py_model_foreign_name(const PyModel *model, uint32_t scope, uint32_t found, Str name);
/// The same of `module.name`.
uint32_t py_model_foreign_member(const PyModel *model, PyRef attribute);
/// The same of `HAS_IT` and `flags.HAS_IT`, also where the other file binds it in each branch of a statement.
uint32_t py_model_foreign_flag(const PyModel *model, PyRef node);
/// Is the node in `with self.assertRaises(...):` or `with pytest.raises(...):`, where a test wants what is said?
bool py_model_expects_failure(const PyModel *model, PyRef node);
/// Where the file itself names what the node is a part of, if that is in another file; 0 if nowhere.
PyRef py_model_own_place(const PyModel *model, PyRef node);
/// What a name or attribute chain stands for, following imports and aliases: "torch.onnx.symbolic_helper._scalar".
/// Canonical: what newer versions moved to torch.onnx._internal.torchscript_exporter has its old name
/// (torch.onnx.symbolic_helper, torch.onnx._internal.registration, ...), and `torch.onnx.utils.X` is `torch.onnx.X`.
/// Empty if unknown.
Str py_model_qualified(const PyModel *model, PyRef node, Arena *arena);
/// torch.float32 and its like, as py_model_qualified() gives it.
bool py_model_is_dtype(Str qualified);
/// As py_model_qualified(), but not canonical: as the file's imports spell it.
Str py_model_qualified_raw(const PyModel *model, PyRef node, Arena *arena);

/// `symbolic_opset11.clamp = clamp` and `setattr(symbolic_opset11, "clamp", clamp)`; whether the object is such a
/// module is not looked at.
typedef struct PyPatch {
  PyRef place;        ///< What to point at.
  PyRef module;       ///< The object that gets a member.
  PyRef member_node;  ///< Of setattr(); else 0.
  Str member;         ///< Else.
  PyRef value;
} PyPatch;

typedef void (*PyPatchVisit)(const PyPatch *patch, void *context);

/// Of a file that speaks of a symbolic_opset, each member that it assigns.
void py_model_each_patch(const PyModel *model, PyPatchVisit visit, void *context);

/// "onnxscript.onnx_opset.opset15" and "onnxscript.opset_ai_onnx_ml3": the domain and the version; false for others.
bool py_model_opset_module(Str qualified, Str *ret_domain, int *ret_opset);

// --- Constants: literals, and names that are assigned once ---

bool py_model_int(const PyModel *model, PyRef node, int64_t *ret_value);
/// A field of an f-string as far as it is simple: `{name:specification}`, `{name.member`, `{function(name)`.
typedef struct PyFormatField {
  Str name;  ///< Empty for other expressions; not looked up.
  Str member, function, specification;
  Str last_called, member_format;  ///< `{name.member().last_called():member_format}`, if it is nothing but that.
} PyFormatField;

/// The next field of a string literal from `*at` on, which is 0 at first, and moves past its brace; false at the end,
/// and for what is no f-string.
bool py_format_field_next(Str literal, size_t *at, PyFormatField *ret_field);

/// Decoded, and put together of known parts (f-strings, `+`, `%`); false for bytes.
bool py_model_string(const PyModel *model, PyRef node, Arena *arena, Str *ret_value);
/// What an expression stands for as it is written: a name that is assigned once, a member of a class or of an object of
/// it, an element of a literal. Else the node itself (without parentheses).
PyRef py_model_resolve(const PyModel *model, PyRef node);
/// Whether a row of PyModel.row may say what the name stands for,
bool py_model_is_given(const PyModel *model, const PyBinding *binding);
/// and what that is, or what a parameter always gets; 0.
PyRef py_model_given(const PyModel *model, PyRef name, const PyBinding *binding);
/// A copy of the model in which the parameters of the function that is called have what the call gives them; NULL if it
/// is none of this file, or takes too many.
const PyModel *py_model_in_call(const PyModel *model, const PyCall *call, Arena *arena);
/// One in which a name that a loop or a comprehension binds has that value; NULL if names of another scope have theirs.
const PyModel *py_model_with_name(const PyModel *model, PyRef name, PyRef value, Arena *arena);
/// The same of a number, which has no node: what range() counts.
const PyModel *py_model_with_number(const PyModel *model, PyRef name, int64_t number, Arena *arena);
/// The number that an argument of a command line is by default: `args.opset` of the object that parse_args() gives; 0.
PyRef py_model_default_number(const PyModel *model, PyRef object, Str name);
/// What a literal, or `dict(key=value)`, has for a key or at a position; 0 if that is not sure. Both are resolved.
PyRef py_model_element(const PyModel *model, PyRef container, PyRef key);
/// The class of this file that a name stands for; 0.
PyRef py_model_class_named(const PyModel *model, PyRef name);
/// The same of what py_model_lookup() found.
PyRef py_model_class_bound(const PyModel *model, uint32_t found);
/// The class of the object that `self` or `Class()` is; 0.
PyRef py_model_class_of_object(const PyModel *model, PyRef object);
/// What is known of that class_definition; NULL for 0.
const PyClass *py_model_class_at(const PyModel *model, PyRef class_node);
/// Whether a member of that name is assigned or changed in other places than one of its class: `model.head = ...`.
bool py_model_member_is_set_elsewhere(const PyModel *model, PyRef class_node, Str name);
/// How often that is, of any class; 2 for more.
size_t py_model_member_changes(const PyModel *model, Str name);
/// Whether anything in the file says that objects of the class, or of any class, have such a member.
bool py_model_names_member(const PyModel *model, PyRef class_node, Str name);
/// The only method of that name, of the class or of one that it derives from; PY_ABSENT.
uint32_t py_model_method(const PyModel *model, PyRef class_node, Str name);
/// The only one that the class itself has, whatever decorates it; PY_ABSENT.
uint32_t py_model_own_method(const PyModel *model, PyRef class_node, Str name);
/// Has a class that derives from this one a member of that name of its own?
bool py_model_is_overridden(const PyModel *model, PyRef class_node, Str name);
/// The function that `Class.name` is, whatever decorates it: a method, or what is assigned. PY_ABSENT.
uint32_t py_model_class_function(const PyModel *model, PyRef class_node, Str name);

/// What an expression that is called, or registered, runs.
typedef struct PyCallable {
  uint32_t function;    ///< Of this file; PY_ABSENT if it is not known.
  uint32_t partial;     ///< The call of functools.partial() that gives it arguments; PY_ABSENT.
  uint32_t parse_args;  ///< The call `parse_args(...)` whose result is called with it; PY_ABSENT.
  bool is_bound;        ///< Its first parameter gets the object.
  PyRef class_node;     ///< It is a class: calling it makes an object. 0 if not.
  PyRef named;          ///< The expression that names it, after all that was looked through.
} PyCallable;

PyCallable py_model_callable(const PyModel *model, PyRef node);
