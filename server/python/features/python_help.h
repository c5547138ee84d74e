/// The call around a place in a Python file that is being typed, and what is known of it.
///
/// The tree of an unfinished line may have lost the function around it. Then a small text is put together that is
/// whole: the top-level statements of the file other than functions, and the one with the cursor, where open strings
/// and brackets are closed and the rest of the statement is left out. Of that a model is made, which says what names
/// mean.
///
/// Ownership: a PyHelp borrows the context and owns what it makes; answers live as long as it, or in the arena.
/// Units:     offsets are those of the document, but `file` may be of another text: py_help_node() translates.
/// Errors:    what can't be found out is empty, PY_ABSENT, or NULL.
/// Threads:   one thread at a time.
/// Sources:   torch.onnx: Graph.op, symbolic_helper.parse_args, register_custom_op_symbolic.
#pragma once

#include "core/features.h"
#include "python/features/python_scan.h"
#include "python/model/python_file.h"

typedef enum PyHelpKind {
  PY_HELP_NOTHING,     ///< A call that a general Python server knows better.
  PY_HELP_OP,          ///< g.op(...)
  PY_HELP_ATEN,        ///< g.at(...)
  PY_HELP_ONNXSCRIPT,  ///< op.Elu(...)
  PY_HELP_PARSE_ARGS,
  PY_HELP_REGISTER,  ///< register_custom_op_symbolic(...)
  PY_HELP_UNREGISTER,
  PY_HELP_BUILTIN,  ///< @onnx_symbolic(...)
  PY_HELP_HELPER,   ///< symbolic_helper._get_const(...)
  PY_HELP_EXPORT,   ///< torch.onnx.export(...)
  PY_HELP_CAPTURE,  ///< torch.export.export(...)
} PyHelpKind;

typedef struct PyHelp {
  const FeatureContext *context;
  Arena *arena;
  const PyFile *whole;  ///< The document's.
  const PyFile *file;   ///< The same, or one made of a part.
  PyScan scan;
  bool has_call;
  PyScannedCall call;
  PyHelpKind kind;
  uint32_t model_call;     ///< The call in `file`; PY_ABSENT.
  uint32_t op;             ///< The operator in `file`; PY_ABSENT.
  uint32_t function;       ///< PARSE_ARGS: the function that is decorated; PY_ABSENT.
  const PyHelper *helper;  ///< HELPER
  Str op_name;             ///< OP, ATEN, ONNXSCRIPT: "Elu", "custom::Foo"; empty if it is not known yet.
  PyFile *repaired;        ///< Owned; NULL if the tree was whole.
  size_t shift;            ///< What to add to an offset for one in `file` (modulo 2^64).
} PyHelp;

/// False, and nothing to be done, if the document has nothing to do with torch.onnx.
bool py_help_begin(PyHelp *help, const FeatureContext *context, size_t offset);
/// Zeroed memory is fine.
void py_help_done(PyHelp *help);

/// The node in `file` at an offset of the document that lies in the statement of the cursor, or ends there.
PyRef py_help_node(const PyHelp *help, size_t offset);
/// The opsets at which the call, or the code at the cursor, runs.
PyOpsets py_help_opsets(const PyHelp *help);

/// What is shown where one opset has to be chosen.
typedef struct PyShownOpset {
  int opset;
  bool is_one_of_several;
  OpsetSet set;
} PyShownOpset;

/// The opsets at which the code at `node` runs; of code that the target's opset does not reach, those that the branches
/// around it are for.
PyOpsets py_help_written_for(const PyFile *file, PyRef node);
/// The target's if it is possible, else the lowest.
PyShownOpset py_help_shown_opset(const PyFile *file, PyOpsets opsets);
/// The schema of an operator ("Elu", "custom::Foo") at that opset: of other domains than ONNX's own the newest. NULL if
/// there is none, with the operator if that is known.
const OnnxSchema *py_help_onnx_schema(const PyFile *file, Str op_name, int opset, const OnnxOperator **ret_op);
/// Whether it is the parameter of a helper that takes a letter of parse_args.
bool py_help_takes_letter(const PyParameter *parameter);
/// Whether a traced graph can hold it. It can't if it writes into an argument, or is for tensors with named dimensions.
bool py_help_overload_is_usual(const TorchOverload *overload);
/// Opsets at which this file registers a function for a name, in either spelling: `aten::elu`, `::elu`.
OpsetSet py_help_own_opsets(const PyFile *file, Str name);
/// With those at which torch has one built in.
OpsetSet py_help_all_opsets(const PyFile *file, Str name);
/// Whether a function that is registered under this name could ever be found. Not under names that can't be registered,
/// and not under that of an in-place operator, whose underscore is taken off first.
bool py_help_is_looked_up(Str name);
/// Whether the opset of one of the function's registrations for this name is not known.
bool py_help_has_unknown_opset(const PyFile *file, uint32_t function, Str name);
/// Opsets of the file's range at which an export takes this function for one of its names.
OpsetSet py_help_served_opsets(const PyFile *file, uint32_t function, Str name);
