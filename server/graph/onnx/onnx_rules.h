/// The check of one model: what its files share.
///
/// Ownership: everything lives in the sink's arena or in the check.
/// Units:     offsets are bytes from the start of the text.
/// Errors:    what is unknown is left in peace.
/// Threads:   one check belongs to one thread.
/// Sources:   onnx/checker.cc of onnx 1.20.
#pragma once

#include "core/diagnostic_sink.h"
#include "core/operator_count.h"
#include "facts/runtime.h"
#include "graph/onnx/onnx_symbols.h"
#include "graph/onnx/onnx_tree.h"

/// A name that is visible, and where it was made.
typedef struct OnnxBinding {
  uint32_t symbol;
  uint32_t hidden;  ///< The binding of the same name that was visible before, or ONNX_NO_BINDING.
  const OnnxGraph *graph;
  const OnnxNode *node;  ///< That makes it; NULL for inputs and initializers.
  OnnxSpan at;
} OnnxBinding;

#define ONNX_NO_BINDING UINT32_MAX

/// Domains whose import was told of, of one list of imports.
typedef struct OnnxToldDomains {
  const OnnxImports *imports;
  Str domains[4];  ///< Few models lack more; what is beyond is told of each time.
  uint32_t count;
} OnnxToldDomains;

typedef Vec(MissingKernel) MissingKernels;

typedef struct OnnxCheck {
  DiagSink *sink;
  Arena *arena;
  const SymbolicsDb *db;
  OnnxModel *model;
  OnnxSymbols symbols;
  uint32_t *visible;  ///< By symbol: its binding, or ONNX_NO_BINDING.
  Vec(OnnxBinding) bindings;
  const OnnxFunction *function;  ///< Whose body is being checked; NULL in the model's graph.
  uint32_t nodes_tried;          ///< While looking for values that are made too late.
  uint32_t unknown_names;        ///< That were looked for among the sparse initializers.
  size_t reports;                ///< How many there were so far.
  bool computes_constants;       ///< A session computes whole numbers when it loads the model.
  bool keeps_nodes;              ///< A session does not compute all nodes when it loads the model.
  bool has_contributed;          ///< A session knows what a node gives, and onnx does not.
  bool calls_others;             ///< A session takes another function for a call than onnx does.
  bool meets_undefined;          ///< A node makes a value that says it has no element type.
  bool is_in_call;               ///< In a body that other calls come through, too: the same is said once.
  Vec(OnnxSpan) said_in_calls;
  OnnxToldDomains told_domains;
  RuntimeChoice runtime;           ///< That is to run the model; without `limits` if none is named.
  bool *called;                    ///< By number, of a named runtime alone: functions that the graph leads to.
  bool *used;                      ///< By symbol, of a named runtime alone: whether a node or an output takes it.
  const OnnxNode **inner;          ///< By symbol, of a named runtime alone: who makes it in a graph inside of a node.
  OnnxSymbols labels;              ///< Names of nodes, of a named runtime alone.
  Vec(const OnnxNode *) labelled;  ///< By symbol of `labels`: the last node of that name.
  MissingKernels *missing;         ///< Where nodes go that some runtime has no kernel for; NULL if nobody asks.
  OnnxSymbols function_names;
  Vec(const OnnxFunction *) functions;  ///< By symbol of `function_names`.
} OnnxCheck;

/// Reports at a place of the text. `severity` may be SEVERITY_DEFAULT.
void onnx_report(OnnxCheck *check, OnnxSpan at, RuleId rule, Severity severity, const char *format, ...)
    PRINTF_LIKE(5, 6);
/// The same with a second place.
void onnx_report_related(OnnxCheck *check, OnnxSpan at, RuleId rule, Severity severity, OnnxSpan related,
                         const char *words, const char *format, ...) PRINTF_LIKE(7, 8);

/// The imports in force: the function's, or the model's.
const OnnxImports *onnx_imports(const OnnxCheck *check);
/// The import of a domain; the last one counts. NULL if there is none.
const OnnxImport *onnx_import_of(const OnnxImports *imports, Str domain);
/// The schema of a node at its domain's version; NULL if there is none or it is unknown. `ret_op` may be NULL.
const OnnxSchema *onnx_schema_of(const OnnxCheck *check, const OnnxNode *node, const OnnxOperator **ret_op);
/// The model's function that a node calls, for onnx the first of that name and overload; NULL if it calls none, as a
/// node whose operator ONNX has at the opset does.
const OnnxFunction *onnx_called_function(OnnxCheck *check, const OnnxNode *node);
/// The same whatever the overload, of which a session doesn't ask: the last function of that domain and name.
const OnnxFunction *onnx_any_overload(OnnxCheck *check, const OnnxNode *node);
/// The last function of that domain and name, whatever the overload.
const OnnxFunction *onnx_last_function(OnnxCheck *check, Str domain, Str name);
/// Operators that ONNX had as an experiment and took out again; its checker passes them.
bool onnx_is_removed_experiment(const OnnxNode *node);

/// The same number for the same name, everywhere in the model, and the operators of nodes, before anything else is
/// asked.
void onnx_number_symbols(OnnxCheck *check);
void onnx_list_functions(OnnxCheck *check);
void onnx_check_done(OnnxCheck *check);

// onnx_check_model.c: the header, inputs and outputs, functions.
void onnx_check_header(OnnxCheck *check);
void onnx_check_functions(OnnxCheck *check);
/// Whether an initializer that is an input, too, is what the input is if none is given. Before IR version 4 each one is
/// an input, and its only value.
bool onnx_has_defaults(const OnnxModel *model);
/// True where functions don't count, as the model's IR version has none.
bool onnx_functions_are_passed(const OnnxCheck *check);
void onnx_check_values(OnnxCheck *check, const OnnxGraph *graph);
/// `symbol` is what the values are known by.
void onnx_check_tensor(OnnxCheck *check, const OnnxName *name, uint32_t symbol, const OnnxType *type,
                       const OnnxData *data);

// onnx_check_computed.c: of a model that has no error.
void onnx_check_computed(OnnxCheck *check, Arena *tree);

// onnx_check_refused.c: types that no text has words for, or that are refused only where inference meets them.
typedef enum OnnxRefused {
  ONNX_REFUSED_ALWAYS,
  ONNX_REFUSED_ENDS,    ///< Types of inputs and outputs, once `meets_undefined` is known.
  ONNX_REFUSED_IF_MET,  ///< What no more than some nodes look at.
} OnnxRefused;
/// Reports what the printer of a binary model noted.
void onnx_report_refusals(OnnxCheck *check, OnnxRefused which);
/// Reports inputs of the model that hold what has no element type, where a node takes them.
void onnx_check_nested_undefined(OnnxCheck *check);

/// Reports a model of which a session keeps nothing.
void onnx_check_hollow(OnnxCheck *check);

// onnx_check_runtime.c and onnx_check_outer.c: what the runtime refuses that the target names.
void onnx_choose_runtime(OnnxCheck *check);
void onnx_check_runtime(OnnxCheck *check);
/// Reports nodes of one graph that share a name.
void onnx_check_labels(OnnxCheck *check, const OnnxGraph *graph);
/// False if a runtime is named that makes no session for an operator with a word that it doesn't know.
bool onnx_runtime_loads_word(const OnnxCheck *check, const OnnxNode *node, const OnnxAttr *attr);
/// Of values that the checker passes and no runtime reads: an error where a named one will want them.
Severity onnx_unreadable_severity(const OnnxCheck *check, uint32_t symbol);
/// Reports a node of com.microsoft that a session does not know, or that misfits.
void onnx_check_contributed(OnnxCheck *check, const OnnxNode *node);  // onnx_check_contrib.c
/// Whether no session has a kernel for the operator, whatever its types.
bool onnx_lacks_kernel(const OnnxCheck *check, const OnnxNode *node, uint32_t since, int64_t opset);
/// Reports a node that a session reads by another version than onnx, and that does not fit it.
void onnx_check_aliased(OnnxCheck *check, const OnnxNode *node, const OnnxOperator *op);
/// Reports a tensor of the model of a type that a session does not know, whoever takes it.
void onnx_check_stored_type(OnnxCheck *check, const OnnxName *name, uint32_t element);
/// Reports an input or output of the model whose type no session takes.
void onnx_check_outer_type(OnnxCheck *check, const OnnxValue *value);
/// Reports values of the graph without an element type that a session looks for.
void onnx_check_undefined(OnnxCheck *check, const OnnxGraph *graph);
/// Reports an operator that ONNX took out again: an error where a session doesn't know it.
void onnx_check_experiment(OnnxCheck *check, const OnnxNode *node);
/// Reports an operator of a domain that a session knows only with a library of somebody else.
void onnx_check_foreign(OnnxCheck *check, const OnnxNode *node);
/// Who refuses: the version that is meant, or the one that serves for it.
Str onnx_runtime_words(OnnxCheck *check);

// onnx_check_numbers.c: numbers that no session is made for.
void onnx_check_numbers(OnnxCheck *check, const OnnxNode *node);
/// The same of an RNN, a GRU or an LSTM.
void onnx_check_cell(OnnxCheck *check, const OnnxNode *node);  // onnx_check_cells.c
/// The next string of a list that is written, without its quotes; false at the end.
bool onnx_next_string(Str *list, Str *ret_string);
/// Reports trees that do not hang together.
void onnx_check_trees(OnnxCheck *check, const OnnxNode *node);  // onnx_check_trees.c
/// Whether a session of the runtime that was named comes by the place that is checked; of functions that nobody calls
/// it looks at no node.
bool onnx_session_sees(const OnnxCheck *check);
/// Of what onnx passes and ONNX Runtime refuses: an error only if a runtime is named.
Severity onnx_refused_severity(const OnnxCheck *check);

/// Reports nodes between quantized values in whose place a session puts what it has no operator for.
void onnx_check_quantized(OnnxCheck *check);  // onnx_check_quantized.c

// onnx_check_lists.c: lists that are missing or don't fit each other, so that no session is made; `since` is the
// schema's.
void onnx_check_lists(OnnxCheck *check, const OnnxNode *node, uint32_t since);
/// A convolution is padded by itself or as told. Of ConvTranspose onnx says so itself if it can read it.
void onnx_check_padding(OnnxCheck *check, const OnnxNode *node);

// onnx_check_habits.c: outputs that are named like operators, initializers and imports that nobody needs.
void onnx_check_output_names(OnnxCheck *check);
void onnx_check_unused(OnnxCheck *check);

// onnx_check_calls.c: functions that call each other.
void onnx_check_recursion(OnnxCheck *check);
/// Whether types go through the bodies of all calls: these are not more than ONNX_CALL_BUDGET allows.
bool onnx_calls_are_followed(OnnxCheck *check);

// onnx_check_bodies.c: what a named runtime asks of functions, whether somebody calls them or not.
void onnx_check_bodies(OnnxCheck *check);

// onnx_check_names.c: names and their order.
void onnx_enter_graph(OnnxCheck *check, const OnnxGraph *graph);
void onnx_leave_graph(OnnxCheck *check, const OnnxGraph *graph);
void onnx_check_inputs_known(OnnxCheck *check, const OnnxNode *node);
void onnx_bind_outputs(OnnxCheck *check, const OnnxNode *node);

// onnx_check_node.c: operators, attributes, numbers of inputs and outputs.
void onnx_check_node(OnnxCheck *check, const OnnxNode *node);
/// What people call a domain: that of ONNX has no name.
Str onnx_domain_word(Str domain);
