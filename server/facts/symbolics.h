/// The facts: what PyTorch's exporters support, ATen schemas, ONNX schemas with their history.
///
/// A database is one or more layers of facts. The first is built into the executable (symbolics-db/records); overlays
/// lie over it, and where two layers are about the same thing the later one is believed.
///
/// Ownership: everything returned belongs to the database and lives as long as it. The embedded one lives forever.
/// Units:     opsets are versions of ai.onnx, or of the domain that is asked for; a set of opsets has bit n for
///            opset n. A torch version is an index into symbolics_torch_versions(); a set has bit i for index i.
/// Errors:    look-ups cannot fail, they answer that nothing is known; opening what are not facts is ERR_FORMAT.
/// Threads:   any number of threads may read one database at once.
/// Sources:   each record file names its own; symbolics_each_source() lists them.
#pragma once

#include "base/memory.h"
#include "base/release.h"
#include "condition.h"
#include "facts/exporter.h"
#include "facts/opset_set.h"

typedef struct SymbolicsDb SymbolicsDb;

enum {
  SYMBOLICS_TORCH_LIMIT = 32,  ///< Torch versions in one database.
};

/// The facts built into the executable; opened on first use.
const SymbolicsDb *symbolics_embedded(void);

/// `bytes` is the compiled form; it is borrowed and must outlive the database. `base` may be NULL, else it lies below
/// and must outlive the database too. `name` says in symbolics_layer() what this is. ERR_FORMAT if these are not facts,
/// ERR_LIMIT if there are too many layers or torch versions.
MUST_USE Status symbolics_open(Str name, Str bytes, const SymbolicsDb *base, SymbolicsDb **ret_db);

typedef struct Records Records;

/// The same from records that were read (symbolics-db/compiler/records.h); ERR_FORMAT if there were mistakes, which
/// records_messages() lists.
MUST_USE Status symbolics_open_records(Str name, Records *records, const SymbolicsDb *base, SymbolicsDb **ret_db);
/// NULL is fine. Not for the embedded one.
void symbolics_free(SymbolicsDb *db);

// --- Torch versions and exporters ---

/// Oldest first: "1.13", "2.6", "2.14".
size_t symbolics_torch_versions(const SymbolicsDb *db, const Str **ret_versions);

typedef struct TorchChoice {
  uint32_t torch;  ///< Index of the version.
  uint32_t other;  ///< If the one that is meant lies between two that are known, the other of these; else the same.
  bool is_exact;   ///< False: of its neighbours the one whose torch.onnx.export() takes the same exporter by itself, of
                   ///< two such the older.
} TorchChoice;

/// What a setting means: "auto" and "" are the newest; "2.14.1" and "2.14.0+cpu" are 2.14. False if it is not a
/// version.
bool symbolics_resolve_torch(const SymbolicsDb *db, Str setting, TorchChoice *ret_choice);

typedef struct OpsetRange {
  int min, max;
  int standard;  ///< What the exporter takes if nobody says.
} OpsetRange;

/// False if this torch version has no such exporter.
bool symbolics_opset_range(const SymbolicsDb *db, uint32_t torch, Exporter exporter, OpsetRange *ret_range);
/// Whether `suffix` ("i", "ty") is one that g.op() knows in this torch version.
bool symbolics_is_suffix(const SymbolicsDb *db, uint32_t torch, Str suffix);

// --- Support ---

typedef enum SupportStatus {
  SUPPORT_YES,
  SUPPORT_NEWER,              ///< Not at this opset; `since` says from when on.
  SUPPORT_BLOCKED,            ///< A function is there, and it only raises; `since` says whether a later opset can.
  SUPPORT_NEVER,              ///< At no opset.
  SUPPORT_UNKNOWN_NAMESPACE,  ///< At no opset, and the namespace is nobody's that torch.onnx knows: a custom operator.
  SUPPORT_DECOMPOSED,         ///< Dynamo: taken apart before functions are looked up, so the parts decide.
  SUPPORT_ONNX,               ///< `onnx::...`: already an ONNX node.
  SUPPORT_NO_FACTS,           ///< Nothing is known of this exporter in this torch version.
} SupportStatus;

/// When a pass before the conversion removes or rewrites an operator. Source: symbolics-db/records/torch/passes.txt.
typedef enum PassCondition {
  PASS_ALWAYS,         ///< It never reaches a symbolic function.
  PASS_CONSTANT_KEYS,  ///< If every user is an aten::__getitem__ with a constant key.
  PASS_LOCAL_LIST,     ///< If the list is made by a prim::ListConstruct of the same block and only mutated before.
  PASS_TARGET_FRESH,   ///< If the target is made in the same block by a node that is not a view, and not read before.
  PASS_TARGET_NOT_FRESH,  ///< If it is not so.
  PASS_UNPACKED_AT_ONCE,  ///< If the only use is a prim::ListUnpack and all inputs but the first are constants.
} PassCondition;

/// Why an operator may never reach a symbolic function.
typedef struct PassNote {
  PassCondition condition;
  Str reason;  ///< A phrase for people.
} PassNote;

typedef struct SupportAnswer {
  SupportStatus status;
  int since;             ///< The lowest opset of the exporter's range that can; 0 if none can.
  const PassNote *pass;  ///< NULL if no pass touches it. TorchScript only.
} SupportAnswer;

/// `kind` is as a graph prints it: one trailing underscore is dropped before functions are looked up ("aten::add_"),
/// and so is the number of a prim kind with a subgraph ("prim::DifferentiableGraph_0").
///
/// Source: torch.onnx.utils._run_symbolic_function, registration._dispatch_opset_version.
SupportAnswer symbolics_support(const SymbolicsDb *db, uint32_t torch, Exporter exporter, Str kind, int opset);

/// Whether the functions of the exporter are known in that torch version, so that one without a function is refused.
bool symbolics_knows(const SymbolicsDb *db, uint32_t torch, Exporter exporter);

typedef struct SupportMarks {
  OpsetSet supported;  ///< Opsets of the exporter's range.
  OpsetSet blocked;
  OpsetSet registered;  ///< Where a built-in symbolic function is registered, blocked ones too. TorchScript only.
} SupportMarks;

/// SupportMarks.registered alone.
OpsetSet symbolics_registered_opsets(const SymbolicsDb *db, uint32_t torch, Str kind);
SupportMarks symbolics_support_marks(const SymbolicsDb *db, uint32_t torch, Exporter exporter, Str kind);

/// The pass that removes or rewrites `kind` as printed (with its underscore); NULL if there is none.
const PassNote *symbolics_pass(const SymbolicsDb *db, uint32_t torch, Str kind);
typedef enum TorchTag {
  TAG_RANDOM = 1,         ///< Never folded, even with constant inputs.
  TAG_VIEW = 2,           ///< The result may share memory with the first input.
  TAG_METADATA = 4,       ///< Answers from type, shape or attributes, not from a tensor's data.
  TAG_LIST_MUTATION = 8,  ///< Changes a list in place, without an underscore in its name.
} TorchTag;

/// The tags that any overload of `name` (exact, no underscore is dropped) has in any torch version.
uint32_t symbolics_torch_tags(const SymbolicsDb *db, Str name);

typedef struct DynamoAnswer {
  SupportStatus status;  ///< SUPPORT_YES, SUPPORT_NEWER, SUPPORT_DECOMPOSED, SUPPORT_NEVER or SUPPORT_NO_FACTS.
  int since;             ///< 0 if there is no function.
  bool complex_only;     ///< The only function takes complex inputs.
} DynamoAnswer;

/// One overload, as an FX graph names it: `name` "aten::add", `overload` "Tensor" ("" and "default" are the same).
DynamoAnswer symbolics_dynamo(const SymbolicsDb *db, uint32_t torch, Str name, Str overload, int opset);

/// What an overload becomes before the dynamo exporter looks for functions.
typedef struct DynamoParts {
  bool is_complex;      ///< With complex inputs.
  Condition condition;  ///< Of the node's arguments; without tokens if there is none.
  const Str *parts;     ///< In order, "aten::mul.Tensor"; with a star if a part gets complex inputs.
  uint32_t part_count;  ///< 0: nothing is left of it.
} DynamoParts;

typedef struct DynamoFacts {
  bool is_known;      ///< Something is known of this exporter in this torch version.
  int since;          ///< The first opset with a function for real inputs; 0 if there is none.
  int complex_since;  ///< The same for complex ones.
  bool is_decomposed;
  const DynamoParts *parts;  ///< In the arena; empty if nobody knows what it becomes.
  uint32_t part_count;
  Str onnxscript;  ///< The release that has a function where the one that was asked about has none yet; else empty.
} DynamoFacts;

/// Everything that is known of one overload; names as for symbolics_dynamo(). `onnxscript` is the release whose
/// functions count, "0.7.1"; empty for those that the facts were read with.
DynamoFacts symbolics_dynamo_facts(const SymbolicsDb *db, uint32_t torch, Str onnxscript, Str name, Str overload,
                                   Arena *arena);

// --- Schemas of torch operators ---

typedef struct TorchArgument {
  Str name;          ///< May be empty for a return.
  Str type;          ///< "Tensor", "int[2]", "Tensor?[]": without the alias annotation.
  Str alias;         ///< "a!" of `Tensor(a!)`; empty if there is none.
  Str default_text;  ///< As written; empty if there is none.
  bool has_default;
  bool is_kwarg_only;
} TorchArgument;

typedef struct TorchOverload {
  Str overload;             ///< "" for the default overload.
  Str schema;               ///< "aten::relu(Tensor self) -> Tensor"
  uint32_t torch_versions;  ///< In which the schema holds.
  const TorchArgument *arguments;
  uint32_t argument_count;
  const TorchArgument *returns;
  uint32_t return_count;
  bool has_varargs;  ///< `...` among the arguments.
  bool has_varreturns;
} TorchOverload;

/// Whether that torch version has it.
static inline bool torch_overload_is_in(const TorchOverload *overload, uint32_t torch)
{
  return overload->torch_versions >> torch & 1;
}

typedef enum OutcomeKind {
  OUTCOME_REFUSED,    ///< The export fails.
  OUTCOME_WRONG,      ///< The exported model computes something else than eager mode.
  OUTCOME_NO_KERNEL,  ///< A runtime can't load the exported model, or fails when it runs it.
} OutcomeKind;

/// What becomes of a node although its operator has a function. Source: symbolics-db/records/torch/outcomes.
typedef struct TorchOutcome {
  OutcomeKind kind;
  uint32_t torch_versions;
  uint64_t opsets;
  Condition condition;  ///< Of the node's arguments.
  Str text;             ///< The condition as it is written.
  Str reason;           ///< A clause for people, with `{1}` where the value of `$1` is to be.
  Str way_out;          ///< A sentence; empty if there is none.
  Str place;            ///< In torch's source: "symbolic_opset9.py index_add".
  Str runtime;          ///< "" for all that were measured; "onnxruntime-1.21", "onnxruntime-1.21,1.23".
  Str overload;         ///< Dynamo: only of this one; "" for all.
} TorchOutcome;

typedef struct TorchOperator {
  Str name;                        ///< "aten::relu"
  const TorchOverload *overloads;  ///< Sorted by overload, then by torch version.
  uint32_t overload_count;
  Str summary;      ///< A sentence; empty if nobody wrote one.
  Str python_name;  ///< "torch.nn.functional.relu"; empty, too.
} TorchOperator;

/// Splits `overload->schema` into arguments and returns, which lie in the arena.
void torch_overload_parse(TorchOverload *overload, Arena *arena);
/// True when it writes its result into an argument, as `relu.out` does: exported graphs don't call it.
bool torch_overload_has_out(const TorchOverload *overload);
/// NULL if no torch version has an operator of that exact name.
const TorchOperator *symbolics_torch_operator(const SymbolicsDb *db, Str name);
/// What may become of nodes of an operator that the TorchScript exporter of this torch version has a function for;
/// `kind` as for symbolics_support(); what is about writes counts only if it works in place. All opsets and runtimes;
/// those of other torch versions are among them, too.
const TorchOutcome *symbolics_outcomes(const SymbolicsDb *db, uint32_t torch, Str kind, uint32_t *ret_count);
/// The same of calls that the dynamo exporter translates or takes apart, of all torch versions and overloads.
const TorchOutcome *symbolics_dynamo_outcomes(const SymbolicsDb *db, Str name, uint32_t *ret_count);
/// Calls `visit` with the name of every torch operator that starts with `prefix`, sorted within a layer, each once,
/// until `visit` returns false.
void symbolics_each_torch_name(const SymbolicsDb *db, Str prefix, bool (*visit)(Str name, void *context),
                               void *context);

// --- ONNX schemas ---

typedef enum OnnxOption {
  ONNX_SINGLE,
  ONNX_OPTIONAL,
  ONNX_VARIADIC,
} OnnxOption;

/// The numbers of AttributeProto.AttributeType.
typedef enum OnnxAttributeType {
  ONNX_UNDEFINED,
  ONNX_FLOAT,
  ONNX_INT,
  ONNX_STRING,
  ONNX_TENSOR,
  ONNX_GRAPH,
  ONNX_FLOATS,
  ONNX_INTS,
  ONNX_STRINGS,
  ONNX_TENSORS,
  ONNX_GRAPHS,
  ONNX_SPARSE_TENSOR,
  ONNX_SPARSE_TENSORS,
  ONNX_TYPE_PROTO,
  ONNX_TYPE_PROTOS,
} OnnxAttributeType;

typedef struct OnnxParam {
  Str name;
  Str type;  ///< A constraint's name ("T") or a type ("tensor(int64)").
  OnnxOption option;
  bool heterogeneous;  ///< Variadic, and the values may be of different types.
  uint32_t min_arity;  ///< Of a variadic one.
  Str doc;             ///< Upstream's text, Markdown; empty unless the user's own facts brought it.
} OnnxParam;

typedef struct OnnxAttribute {
  Str name;
  OnnxAttributeType type;
  bool required;
  bool has_default;
  Str default_text;  ///< 0.01, "constant", [0, 2, 3].
  Str phrase;        ///< What it means, in a few words of ours; empty if nobody wrote one.
  Str doc;           ///< Like OnnxParam.doc.
} OnnxAttribute;

typedef struct OnnxConstraint {
  Str name;          ///< "T"
  const Str *types;  ///< "tensor(float)"
  uint32_t type_count;
  uint32_t elements;  ///< Of the tensors among them: the bit of each element type's number.
  Str doc;
} OnnxConstraint;

#define ONNX_NO_LIMIT UINT32_MAX

/// How a version of an operator differs from the one before it.
typedef enum OnnxStep {
  ONNX_STEP_FIRST,      ///< There is none before.
  ONNX_STEP_SIGNATURE,  ///< Inputs, outputs, attributes or deprecation.
  ONNX_STEP_TYPES,      ///< Only the types that it takes.
  ONNX_STEP_WORDS,      ///< Only its description.
} OnnxStep;

typedef struct OnnxSchema OnnxSchema;

struct OnnxSchema {
  uint32_t since;
  const OnnxSchema *before;  ///< The version before; NULL for the first.
  const Str *notes;          ///< What the records say of the step from `before`, in words.
  uint32_t note_count;
  bool deprecated;
  bool experimental;
  bool function;                  ///< Has a body in terms of other operators.
  uint32_t min_input, max_input;  ///< max is ONNX_NO_LIMIT for a variadic last input.
  uint32_t min_output, max_output;
  const OnnxParam *inputs;
  uint32_t input_count;
  const OnnxParam *outputs;
  uint32_t output_count;
  const OnnxAttribute *attributes;  ///< Sorted by name.
  uint32_t attribute_count;
  const OnnxConstraint *constraints;
  uint32_t constraint_count;
  Str doc;  ///< Like OnnxParam.doc.
};

/// Which nodes a changed line is about.
typedef struct OnnxConcern {
  Str attribute;    ///< Those that have it, or an input of that name; empty for all nodes.
  bool is_without;  ///< Those that don't have it instead.
} OnnxConcern;

/// What a version of an operator changed.
typedef struct OnnxChanges {
  OnnxStep step;
  const Str *lines;             ///< "new attribute `layout` (int, default 0)"; the notes of the records come last.
  const OnnxConcern *concerns;  ///< By line.
  uint32_t count;               ///< 0 for the first version, else at least 1.
  uint64_t breaks;  ///< Bit i: a node of the version before may mean something else, or be refused, for line i.
} OnnxChanges;

typedef struct OnnxOperator {
  Str domain;  ///< "" for ai.onnx.
  Str name;
  Str summary;                 ///< Ours; empty if nobody wrote one.
  const OnnxSchema *versions;  ///< Oldest first.
  uint32_t version_count;
} OnnxOperator;

/// `domain` "" and "ai.onnx" are the same. NULL if there is no such operator at any opset.
const OnnxOperator *symbolics_onnx_operator(const SymbolicsDb *db, Str domain, Str name);
/// The schema in force at `opset` of the operator's domain: the highest since version up to it. NULL before the first.
const OnnxSchema *onnx_operator_at(const OnnxOperator *op, int64_t opset);
/// The same in a graph of that opset of ai.onnx: of other domains the newest, because no graph says their versions.
const OnnxSchema *onnx_operator_in_graph(const OnnxOperator *op, int opset);
/// Compares with the version before; the lines are in `arena`.
OnnxChanges onnx_schema_changes(const OnnxSchema *schema, Arena *arena);
/// NULL if there is none of that name.
const OnnxAttribute *onnx_schema_attribute(const OnnxSchema *schema, Str name);
/// The newest version of the operator that has the attribute; NULL if none does.
const OnnxSchema *onnx_operator_with_attribute(const OnnxOperator *op, Str name);
/// NULL if the type is not a constraint's name.
const OnnxConstraint *onnx_schema_constraint(const OnnxSchema *schema, Str name);
/// "float", "ints", "type_proto"...; "undefined" for ONNX_UNDEFINED.
const char *onnx_attribute_type_name(OnnxAttributeType type);
/// What g.op() wants after the attribute's name: "f" for float and floats, "ty" for type_proto; "" if there is none.
const char *onnx_attribute_suffix(OnnxAttributeType type);
/// Whether ai.onnx had this operator as an experiment and took it out again; its checker passes them without a schema.
bool onnx_operator_was_experiment(Str name);
/// The operator's official page; empty for a domain that has none.
Str onnx_operator_url(const OnnxOperator *op, Arena *arena);
/// Whether there is any operator of this domain.
bool symbolics_onnx_has_domain(const SymbolicsDb *db, Str domain);
/// Calls `visit` with every operator whose name starts with `prefix`, each once, until `visit` returns false.
void symbolics_each_onnx_name(const SymbolicsDb *db, Str domain, Str prefix, bool (*visit)(Str name, void *context),
                              void *context);
/// Calls `visit` with every domain that has operators, until `visit` returns false.
void symbolics_each_onnx_domain(const SymbolicsDb *db, bool (*visit)(Str domain, void *context), void *context);

// --- Where facts come from ---

typedef struct LayerInfo {
  Str name;              ///< "built in", or what symbolics_open() was given.
  uint32_t torch_names;  ///< How many torch operators it is about.
  uint32_t onnx_names;
  uint32_t torch_versions;
  size_t size;  ///< Bytes of the compiled form.
} LayerInfo;

/// Layer 0 is the lowest.
size_t symbolics_layer_count(const SymbolicsDb *db);
LayerInfo symbolics_layer(const SymbolicsDb *db, size_t i);

/// Calls `visit` with each record file and one of its sources, until `visit` returns false.
void symbolics_each_source(const SymbolicsDb *db, bool (*visit)(Str file, Str source, void *context), void *context);

/// What `name` ("aten::tile") comes from and what can be written instead; empty if nobody wrote it down.
Str symbolics_operator_way(const SymbolicsDb *db, Str name);
/// The oldest onnxscript that goes with the dynamo exporter of a torch release; empty if it needs none.
Str symbolics_onnxscript_for(const SymbolicsDb *db, Release torch);
/// The first release of onnxscript that has a function for `name` ("aten::gru.input"); empty if none has.
Str symbolics_torchlib_since(const SymbolicsDb *db, Str name);
