/// The facts about the Python side: functions of torch.onnx.symbolic_helper, letters of @parse_args, suffixes of
/// g.op(), what became of names in torch.onnx, and the arguments of torch.onnx.export().
///
/// Ownership: everything returned belongs to the database and lives as long as it.
/// Units:     a torch version is an index into symbolics_torch_versions(), a set of them has bit i for index i. A
///            TorchRelease is any release, also one between those that the facts know.
/// Errors:    look-ups cannot fail, they answer that nothing is known.
/// Threads:   any number of threads may read one database at once.
/// Sources:   symbolics-db/records/torch/python, each file names its own.
#pragma once

#include "facts/symbolics.h"

// --- Releases ---

typedef struct TorchRelease {
  uint16_t major, minor;  ///< Both 0: none.
} TorchRelease;

/// "2.9", "2.9.1+cpu"; false if it does not begin with two numbers.
bool export_api_parse_release(Str text, TorchRelease *ret_release);
/// The release of a torch version that the facts know.
TorchRelease export_api_torch_release(const SymbolicsDb *db, uint32_t torch);

static inline bool torch_release_is_set(TorchRelease release)
{
  return release.major != 0 || release.minor != 0;
}

/// Whether `release` is the same as `since` or later. False if there is no `since`.
static inline bool torch_release_reached(TorchRelease release, TorchRelease since)
{
  if (!torch_release_is_set(since))
    return false;
  return release.major != since.major ? release.major > since.major : release.minor >= since.minor;
}

// --- Public functions and classes of torch, and those of symbolic_helper and symbolic_opsetN ---

/// What a function may give; a set.
typedef enum PyKind {
  PY_VALUE = 1,        ///< A value of the graph (torch._C.Value).
  PY_VALUES = 1 << 1,  ///< A list or tuple of them.
  PY_NONE = 1 << 2,    ///< None.
  PY_BOOL = 1 << 3,
  PY_INT = 1 << 4,
  PY_FLOAT = 1 << 5,
  PY_STRING = 1 << 6,
  PY_TENSOR = 1 << 7,  ///< A torch.Tensor, as a constant holds it.
  PY_INTS = 1 << 8,    ///< A list or tuple of int.
  PY_FLOATS = 1 << 9,
  PY_OTHER = 1 << 10,       ///< Something else of Python: a scalar type, a table.
  PY_FUNCTION = 1 << 11,    ///< A function: the result of a decorator.
  PY_DESCRIPTOR = 1 << 12,  ///< What its `desc` argument asks for: a letter of @parse_args.
  PY_RAISES = 1 << 13,      ///< It raises; if this is alone, it never gives anything back.
} PyKind;

typedef struct PyParameter {
  Str name;
  Str default_text;  ///< As written; empty if there is none.
  bool has_default;
  bool is_keyword_only;
  bool is_positional_only;
  uint8_t stars;  ///< 1 for `*args`, 2 for `**kwargs`.
} PyParameter;

/// The parameters that a function has in some torch versions.
typedef struct PySignature {
  uint32_t torch_versions;
  Str text;  ///< "(g, input, axes_i)"
  const PyParameter *parameters;
  uint32_t parameter_count;
  bool takes_graph;  ///< The first parameter is `g`.
} PySignature;

typedef struct PyHelper {
  Str name;                       ///< "_get_const"
  uint32_t torch_versions;        ///< In which it exists.
  const PySignature *signatures;  ///< Oldest first; at least one.
  uint32_t signature_count;
  uint32_t result;          ///< A set of PyKind; 0 if nobody said.
  Str replacement;          ///< What to use instead; empty if it is not deprecated.
  TorchRelease deprecated;  ///< Since when.
  Str summary;              ///< What it does and its traps, in our words; empty if nobody wrote one.
} PyHelper;

/// `name` without its module if that is symbolic_helper, else such as "symbolic_opset9.relu", "torch.export.export" and
/// "torch.onnx.ONNXProgram.save". NULL if no torch version has a function of that name.
const PyHelper *export_api_helper(const SymbolicsDb *db, Str name);
/// The parameters in one torch version; NULL if the function does not exist there.
const PySignature *export_api_helper_signature(const PyHelper *helper, uint32_t torch);
/// Calls `visit` with every function of symbolic_helper, or of `module` ("symbolic_opset9"), sorted by name, until
/// `visit` returns false.
void export_api_each_helper(const SymbolicsDb *db, Str module, bool (*visit)(const PyHelper *helper, void *context),
                            void *context);

// --- Letters of @parse_args ---

typedef struct PyDescriptor {
  Str letter;  ///< "v", "i", "is", "none"...
  PyKind gives;
  Str types;  ///< The schema types that it is for, for people: "int, bool, ScalarType"; "any" for all.
  Str words;  ///< What the function gets, in our words.
} PyDescriptor;

/// NULL if @parse_args knows no such letter.
const PyDescriptor *export_api_descriptor(const SymbolicsDb *db, Str letter);
/// Calls `visit` with every letter until `visit` returns false.
void export_api_each_descriptor(const SymbolicsDb *db, bool (*visit)(const PyDescriptor *descriptor, void *context),
                                void *context);
/// Whether `letter` can read an argument of `schema_type` ("int[2]?", as in TorchArgument.type). True where that is not
/// known. An unknown letter fits nothing. Ask it of every overload: one symbolic function serves them all, so a letter
/// is wrong only if it fits none.
bool export_api_descriptor_fits(Str letter, Str schema_type);
/// The letter for an argument of `schema_type`: "v" for tensors and whatever has no better one.
Str export_api_descriptor_for(Str schema_type);

// --- Suffixes of attributes in g.op() ---

typedef struct PySuffix {
  Str suffix;                ///< "f", "ty"
  OnnxAttributeType single;  ///< What one value makes.
  OnnxAttributeType list;    ///< What a list or tuple makes.
  Str takes;                 ///< The Python values: "float, int".
  Str words;
} PySuffix;

/// NULL if g.op() knows no such suffix in that torch version.
const PySuffix *export_api_suffix(const SymbolicsDb *db, uint32_t torch, Str suffix);

// --- What became of names ---

typedef enum PyApiStatus {
  PY_API_FINE,
  PY_API_NOT_YET,     ///< It comes with a later release.
  PY_API_PRIVATE,     ///< It is there, and no promise is made about it.
  PY_API_DEPRECATED,  ///< It still works.
  PY_API_REMOVED,
  PY_API_MOVED,  ///< No longer here; `replacement` is where it is now.
} PyApiStatus;

typedef struct PyApi {
  Str name;                                 ///< "torch.onnx._internal.jit_utils"
  TorchRelease added, deprecated, removed;  ///< Unset: always there, not deprecated, still there.
  bool is_private;
  bool is_moved;    ///< With `removed`: it went to `replacement`.
  Str replacement;  ///< A qualified name, or empty.
  Str words;        ///< Why, and what to do, in our words.
} PyApi;

/// The entry of `qualified_name`, else of the module or class it lies in ("torch.onnx._internal.x" is covered by
/// "torch.onnx._internal"). NULL if nothing is known against it.
const PyApi *export_api_name(const SymbolicsDb *db, Str qualified_name);
PyApiStatus export_api_status(const PyApi *api, TorchRelease release);
/// What to write instead of `qualified_name`, of which `api` is the entry; empty if there is nothing. Where a module
/// moved, the rest of the name goes along.
Str export_api_replacement(const PyApi *api, Str qualified_name, Arena *arena);
/// Calls `visit` with every entry, sorted by name, until `visit` returns false.
void export_api_each_name(const SymbolicsDb *db, bool (*visit)(const PyApi *api, void *context), void *context);

// --- What is in modules and classes ---

typedef struct PyApiMember {
  Str name;                 ///< "torch.onnx.export"
  uint32_t torch_versions;  ///< In which it is there.
} PyApiMember;

/// NULL if no torch version that the facts know has it.
const PyApiMember *export_api_member(const SymbolicsDb *db, Str qualified_name);
/// Calls `visit` with everything in `module` ("torch.onnx", "torch.onnx.TrainingMode"), sorted by name, until `visit`
/// returns false; at once if it is NULL. False if nothing is there: the facts don't list what that has.
bool export_api_each_member(const SymbolicsDb *db, Str module, bool (*visit)(const PyApiMember *member, void *context),
                            void *context);
/// The names of the same, without the module's; they and the array live in the arena.
const char **export_api_member_names(const SymbolicsDb *db, Str module, Arena *arena, size_t *ret_count);

// torch.onnx.export().

enum {
  PY_KEYWORD_ONLY = -1,
  PY_REST = -2,  ///< `**name`: it swallows every argument that the signature doesn't have.
};

/// How an argument is passed in some torch versions.
typedef struct PyExportForm {
  uint32_t torch_versions;
  int position;  ///< From 0, or PY_KEYWORD_ONLY, or PY_REST.
  bool has_default;
  Str default_text;  ///< As written in the signature: "None", "False".
} PyExportForm;

/// A default that differs from release to release.
typedef struct PyExportDefault {
  TorchRelease since;
  Str text;
} PyExportDefault;

typedef struct PyExportArgument {
  Str name;
  TorchRelease added, deprecated, removed;  ///< Unset: since ever, not deprecated, still there.
  bool for_torchscript, for_dynamo;         ///< Which exporters look at it.
  Str replacement;                          ///< What to write instead; empty if there is nothing.
  Str words;
  const PyExportForm *forms;  ///< Empty for one that was removed before the oldest torch version that the facts know.
  uint32_t form_count;
  const PyExportDefault *defaults;  ///< Oldest first; empty if the forms say it all.
  uint32_t default_count;
} PyExportArgument;

/// NULL if torch.onnx.export() never had such an argument, as far as the facts know.
const PyExportArgument *export_api_argument(const SymbolicsDb *db, Str name);
/// NULL if the argument does not exist in that torch version.
const PyExportForm *export_api_form(const PyExportArgument *argument, uint32_t torch);
/// Calls `visit` with every argument, sorted by name, until `visit` returns false.
void export_api_each_argument(const SymbolicsDb *db, bool (*visit)(const PyExportArgument *argument, void *context),
                              void *context);
/// The default in that release, also one between those that the facts know; empty if there is none.
Str export_api_default(const SymbolicsDb *db, const PyExportArgument *argument, TorchRelease release);
/// Whether export() in that torch version swallows arguments that it doesn't have, instead of raising a TypeError.
bool export_api_ignores_unknown(const SymbolicsDb *db, uint32_t torch);
/// Whether export() takes the dynamo exporter in that release if nobody says `dynamo=`.
bool export_api_is_dynamo(const SymbolicsDb *db, TorchRelease release);
