/// A Python file as it is checked: its model, the facts, and what follows from both: the opset in force at a place, the
/// schemas of a registered operator, the kind of value that an expression has.
///
/// Two things may be unknown, the torch version and the opset. A rule that depends on the torch version speaks only if
/// it holds for every version of PyFile.torches; one that depends on the opset follows PyOpsets.
///
/// Ownership: everything lives as long as the PyFile, which takes over the model and retains the target.
/// Units:     a set of opsets has bit n for opset n; a set of torch versions as in facts/symbolics.h.
/// Errors:    0, NULL and empty mean that nothing is known.
/// Threads:   immutable.
/// Sources:   docs/architecture.md, "Python files"; torch.onnx._internal.registration for which function is chosen.
#pragma once

#include <stdatomic.h>

#include "core/snapshot.h"
#include "core/target.h"
#include "facts/export_api.h"
#include "python/model/python_library.h"
#include "python/model/python_model.h"

typedef struct PyFile {
  atomic_uint *holders;  ///< So many files have all of this but the target in common: see python_file_renew().
  const PyModel *model;
  const Target *target;
  const SymbolicsDb *db;
  uint32_t torch;            ///< Index of the version that messages speak of.
  TorchRelease torch_meant;  ///< The one that was asked for, if the facts don't know it.
  uint32_t torches;  ///< Those that a finding must hold for: one if the setting `torch` names it, two if it names one
                     ///< between them, else all.
  OpsetRange range;  ///< Of the TorchScript exporter: of `torch`, or the widest of `torches`.
  int export_opset;  ///< What the file or the settings export to; 0 if unknown or if the file's exports differ.
  struct PyCustomName *customs;  ///< For py_file_custom_opsets(): by name, each once.
  size_t custom_count;
  bool registers_unknown;           ///< Something is registered by a name that is not known.
  struct PyRegistered *registered;  ///< By PyModel.functions: what its registrations say.
  PyLibrary library;                ///< Operators that the file defines,
  OperatorTable own;                ///< and their schemas.
  bool torch_is_before;             ///< The file is for a torch that is older than all that the facts know.
  bool keeps_torch_operators;       ///< An export leaves operators of torch as they are.
  bool keeps_operators;             ///< It says so of all that ONNX lacks, or asks that the checker not look.
  struct PyFlow *flow;              ///< How each place is reached, and what is known there.
  bool *shaped_functions;    ///< By PyModel.functions: symbolic by its looks, though nothing in sight registers it.
  uint32_t *argument_kinds;  ///< By PyModel.params: of symbolic() of an autograd function, PY_VALUE if it surely gets a
                             ///< value of the graph, the kind of Python value that apply() is called with, or 0.
                             ///< PY_TRACED, too, if a call surely gives it what is no constant of the graph.
} PyFile;

enum { PY_TRACED = 1 << 29 };  ///< See PyFile.argument_kinds.

/// Takes over `model`.
PyFile *python_file_new(PyModel *model, const Target *target);
/// The same with nothing but the model, where only what the file's names stand for is wanted.
PyFile *python_file_new_unread(PyModel *model, const Target *target);
/// The same file with another target, without going through it again, if it was made without a workspace and that of
/// the target says nothing about it; else NULL.
PyFile *python_file_renew(const PyFile *file, Str path, const Target *target);
/// NULL is fine.
void python_file_free(PyFile *file);

/// NULL unless the document is Python and has to do with torch.onnx.
const PyFile *py_file_of_snapshot(const Snapshot *snapshot);

/// The release that a torch version of the file stands for, where a fact says since which one something is so.
TorchRelease py_file_release(const PyFile *file, uint32_t torch);

/// for (PY_EACH_TORCH(file, torch)) ...: the torch versions that a finding must hold for.
#define PY_EACH_TORCH(file, torch)                                                                                     \
  uint32_t torch = py_file_next_torch((file), 0);                                                                      \
  torch < SYMBOLICS_TORCH_LIMIT;                                                                                       \
  torch = py_file_next_torch((file), torch + 1)

/// The first of them from `torch` on; SYMBOLICS_TORCH_LIMIT if there is none.
static inline uint32_t py_file_next_torch(const PyFile *file, uint32_t torch)
{
  while (torch < SYMBOLICS_TORCH_LIMIT && (file->torches >> torch & 1) == 0)
    torch++;
  return torch;
}

/// The same of an exporter: of the dynamo exporter, which came with torch 2, those whose functions are known.
#define PY_EACH_TORCH_OF(file, exporter, torch)                                                                        \
  uint32_t torch = py_file_next_torch_of((file), (exporter), 0);                                                       \
  torch < SYMBOLICS_TORCH_LIMIT;                                                                                       \
  torch = py_file_next_torch_of((file), (exporter), torch + 1)

static inline uint32_t py_file_next_torch_of(const PyFile *file, Exporter exporter, uint32_t torch)
{
  torch = py_file_next_torch(file, torch);
  while (torch < SYMBOLICS_TORCH_LIMIT && exporter == EXPORTER_DYNAMO && !symbolics_knows(file->db, torch, exporter))
    torch = py_file_next_torch(file, torch + 1);
  return torch;
}

// --- Symbolic functions ---

/// The function of another file of the workspace that is called; NULL if it is none.
const struct WorkspaceSymbolic *py_file_foreign_function(const PyFile *file, const PyCall *call);
/// Whether it is a function that makes nodes of a graph.
bool py_file_is_symbolic(const PyFunction *function);
/// The operator that one of `shaped_functions` is for, as far as its name and parameters tell; NULL for none.
const TorchOperator *py_file_operator_by_shape(const PyFile *file, uint32_t function);
/// By function: is it one, or does it pass its graph on to one, of this file or another?
const bool *py_file_graph_functions(const PyModel *model, Arena *arena);
/// The one of these functions whose body holds `scope`: lambdas and functions inside that are none themselves are a
/// part of it. PY_ABSENT for none.
uint32_t py_file_function_around(const PyModel *model, const bool *functions, uint32_t scope);
/// The operator that a function is for, as its name tells, where the file registers functions in a way that can't be
/// read: "aten::elu"; empty for others.
Str py_file_supposed_operator(const PyFile *file, uint32_t function, Arena *arena);
/// What to call it: "elu", "MyRelu.symbolic", "lambda".
Str py_file_function_title(const PyModel *model, uint32_t function, Arena *arena);

// --- Opsets ---

typedef struct PyOpsets {
  OpsetSet set;   ///< Empty: the place can't be reached.
  bool is_known;  ///< Each of them is really used: something that is wrong at any of them is wrong. Else speak only of
                  ///< what is wrong at all of them,
  OpsetSet starts;  ///< or from one of these up to the next: each is where another registration begins;
  OpsetSet named;   ///< or at one of these, which registrations are for.
} PyOpsets;

/// Bit n: the node can be reached at opset n, as far as conditions around and before it in its function tell. All ones
/// if nothing is known. `ret_unsure` becomes true if one asks for the opset in a way that can't be read.
OpsetSet py_file_opset_guard(const PyFile *file, PyRef node, bool *ret_unsure);
/// Does the code around the node, or before it, ask which torch it runs with, so that it may not run with each:
/// `if torch.__version__ ...`, `hasattr(...)`, `try: ... except ImportError:`?
bool py_file_asks_version(const PyFile *file, PyRef node);
/// The opsets at which the code at `node` runs. Of a registered function: the opset of the export, if that is known and
/// chooses this function, else all that choose it; of anything else the opset of the export, or any. `if g.opset >= N`
/// narrows it.
PyOpsets py_file_opsets_of(const PyFile *file, PyRef node);
/// Is `wrong` (a set of opsets at which something is wrong) a finding?
bool py_file_opsets_wrong(PyOpsets opsets, OpsetSet wrong);

/// The opsets that a registration names.
OpsetSet py_file_registration_opsets(const PyModel *model, const PyRegistration *registration);
/// Opsets at which torch version `torch` has a built-in symbolic function of that name ("aten::elu").
OpsetSet py_file_builtin_opsets(const PyFile *file, uint32_t torch, Str name);
/// Is a function registered so ever chosen? False if nearer ones, built in or of this file, are there at every opset.
bool py_file_is_ever_chosen(const PyFile *file, const PyRegistration *registration);
/// Does this file register a function for that operator, as "aten::elu" or "::elu"?
bool py_file_registers(const PyFile *file, Str name);
/// Opsets at which this file registers a custom symbolic function of that name.
OpsetSet py_file_custom_opsets(const PyFile *file, Str name);
/// Both: those of this file, and of the torch that messages speak of.
OpsetSet py_file_all_opsets(const PyFile *file, Str name);
/// May the file register the name, as some registration doesn't tell, for other opsets, too?
bool py_file_has_open_opsets(const PyFile *file, Str name);

// --- Exports ---

typedef enum ExportKind {
  EXPORT_EITHER,  ///< That depends on the torch version, or on a value that is not known.
  EXPORT_TRACES,  ///< The TorchScript exporter, surely.
  EXPORT_DYNAMO,
} ExportKind;

typedef struct PyExporterChoice {
  ExportKind kind;
  bool is_said;              ///< `dynamo=True` or `dynamo=False` is written there.
  bool is_exported_program;  ///< The model is one, and so `dynamo=` does not matter.
} PyExporterChoice;

/// The exporter that torch takes if nobody says `dynamo=`.
ExportKind py_file_default_exporter(const PyFile *file);
/// Which exporter a call of torch.onnx.export() takes.
PyExporterChoice py_file_exporter(const PyFile *file, const PyCall *call);
/// Are all of the file's torch versions older than that?
bool py_file_torch_is_before(const PyFile *file, TorchRelease release);
/// From this release on (with pybind11 3) anything that can be gone through is taken for a list of the graph.
#define BEFORE_ITERABLES ((TorchRelease){ 2, 9 })
#define BEFORE_TWO       ((TorchRelease){ 2, 0 })
/// The newest opset that the TorchScript exporter takes if nobody says one, in the file's torch versions; 0.
int py_file_standard_opset(const PyFile *file);
/// The opset that a call of torch.onnx.export() names; 0 if it names none, or none that is known.
int py_file_opset_named(const PyFile *file, const PyCall *call);

/// Which exporter the file's exports take, of which only the TorchScript exporter calls symbolic functions.
typedef struct PyRegistrationUse {
  ExportKind kind;        ///< TRACES if one of them surely does; without any, what torch takes by default.
  uint32_t export_index;  ///< Into PyModel.exports: the one that decides; PY_ABSENT if there is none.
} PyRegistrationUse;

PyRegistrationUse py_file_registration_use(const PyFile *file);

// --- Schemas ---

/// The operator that a registration's name stands for ("aten::elu", "aten::__and_"): torch's, or one that this file or
/// its workspace defines. NULL if there is none.
const TorchOperator *py_file_torch_operator(const PyFile *file, Str name);
/// Does the overload exist in one of the file's torch versions? (py_overload_always: in all of them?)
bool py_file_overload_applies(const PyFile *file, const TorchOverload *overload);

/// The names that a function is registered for; each once. Empty for none.
typedef struct PyNames {
  const Str *items;
  size_t count;
} PyNames;
PyNames py_file_registered_names(const PyFile *file, uint32_t function, Arena *arena);

/// Index (into PyModel.params) of the function's first parameter after the graph; `count` of those that take a
/// positional argument. A method's `self` or `cls` is skipped, too.
uint32_t py_file_input_params(const PyFile *file, uint32_t function, uint32_t *ret_count);
/// The descriptor for an input parameter: its string node; 0 if there is no @parse_args or none for it.
PyRef py_file_descriptor_of(const PyFile *file, uint32_t function, uint32_t param);
/// How many of the letters are for what comes before the arguments: the object is the first parameter that @parse_args
/// skips, so the graph has one.
uint32_t py_file_descriptor_shift(const PyFile *file, uint32_t function);

/// Is the parameter of that name, of a registered function, of that type in all schemas that it is registered for?
bool py_file_param_type_is(const PyFile *file, uint32_t function, Str param, Str type);

// --- Values ---

/// Kinds beside those of facts/export_api.h's PyKind.
enum {
  PY_LIST = 1 << 20,   ///< A list, tuple or other sequence; `elements` are the kinds in it.
  PY_DTYPE = 1 << 21,  ///< torch.float32
  PY_GRAPH = 1 << 22,  ///< The graph context `g`.
  PY_DICT = 1 << 23,
  PY_DEVICE = 1 << 24,    ///< torch.device("cpu")
  PY_ARRAY = 1 << 25,     ///< numpy.array(...)
  PY_OBJECT = 1 << 26,    ///< A class, an object of a class of the file, a member of an enumeration.
  PY_TYPE = 1 << 27,      ///< A type of the graph: `x.type()`.
  PY_ITERABLE = 1 << 28,  ///< What gives elements without being a sequence: a set, map(), a view of a dict.
};

typedef struct PyValue {
  uint32_t kinds;     ///< A set: what it may be. 0: unknown, it may be anything. PY_VALUES, PY_INTS and PY_FLOATS don't
                      ///< occur, they are PY_LIST.
  uint32_t elements;  ///< Of PY_LIST: a set; 0 is unknown (or no elements, if `length` is 0). Of an f-string: bit i if
                      ///< the name in its field i is a value of the graph, see py_format_field_next(). Of PY_VALUE and
                      ///< PY_TENSOR: element types, see python/model/python_elements.h.
  int length;         ///< Of PY_LIST; -1 if unknown.
} PyValue;

/// Whether graph values have that method: dir(torch._C.Value), the same in all torch versions.
bool py_file_is_value_method(Str name);

/// How the code of a function comes to its end.
typedef enum PyEnding {
  PY_ENDING_UNKNOWN,
  PY_ENDS_WITH_RETURN,   ///< On all paths that don't raise.
  PY_ENDS_WITH_RAISE,    ///< On all paths.
  PY_MAY_FALL_THROUGH,   ///< On some paths nothing is returned, on others a value.
  PY_FALLS_THROUGH,      ///< Nothing is returned.
  PY_ENDS_AS_GENERATOR,  ///< It holds a `yield`: whatever it returns, a call gives a generator.
} PyEnding;

PyEnding py_file_ending(const PyFile *file, uint32_t function);
/// What a function gives back, whoever calls it, as far as its file alone tells.
PyValue py_file_result(const PyFile *file, uint32_t function);
/// What an expression is at the place where it stands.
PyValue py_file_value(const PyFile *file, PyRef node);
/// What an expression stands for as it is written, as py_model_resolve() tells; of a name that is bound more than once
/// what it was assigned last.
PyRef py_file_made(const PyFile *file, PyRef node);
/// Whether there are more different values, or ways in which places are reached, than are kept: of some nothing is
/// known.
bool py_file_is_too_varied(const PyFile *file);
/// Is it surely one of `kinds` (a set)?
static inline bool py_file_is_only(PyValue value, uint32_t kinds)
{
  return value.kinds != 0 && (value.kinds & ~kinds) == 0;
}
/// The element types of a tensor or a value of the graph; 0 if they are not known, or it may be something else.
static inline uint32_t py_file_elements(PyValue value)
{
  return py_file_is_only(value, PY_VALUE | PY_TENSOR) ? value.elements : 0;
}
/// "a Python float", "a graph value", "a list of Python ints": for messages.
Str py_file_value_text(PyValue value, Arena *arena);
