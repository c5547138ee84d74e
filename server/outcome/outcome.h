/// Judging one node by the outcomes that the facts know of its operator.
///
/// What a text shows of a node's arguments comes through a NodeView, so that any graph language can be judged. What it
/// doesn't show is unknown, and a condition that depends on it is neither true nor false.
///
/// Ownership: views and values borrow from the text and from the caller's arena.
/// Units:     arguments and elements from 0.
/// Threads:   pure, as far as the view is.
/// Sources:   symbolics-db/README.md, "Outcomes"; c10::ScalarType for the numbers of element types.
#pragma once

#include "facts/symbolics.h"
#include "outcome/truth.h"

typedef enum ValueKind {
  VALUE_UNKNOWN,
  VALUE_DYNAMIC,  ///< A size that the exporter doesn't know either, and takes for None.
  VALUE_NONE,
  VALUE_NUMBER,  ///< Also True and False.
  VALUE_TEXT,
  VALUE_LIST,
  VALUE_ARGUMENT,  ///< Only while a condition is evaluated: one that was not looked at yet.
} ValueKind;

typedef struct Value {
  ValueKind kind;
  double number;  ///< Of an argument which.
  bool is_float;  ///< Of a number that is read: it is written as a Python float.
  Str text;       ///< Without quotes.
  const struct Value *items;
  uint32_t count;  ///< Of an argument 1 + the element that is meant, or 0.
} Value;

enum {
  RANK_UNKNOWN = -1,
  SCALAR_TYPE_COUNT = 16,  ///< The types that have a number and a name here.
};

/// What is known of one argument, or of one element of a list that is made in the graph.
typedef struct ArgumentFacts {
  Truth is_const;  ///< The exporter has its value before it calls the symbolic function.
  Truth is_none;
  Truth is_packed;  ///< A list of values that are not all constant, made by a node of its own.
  Truth is_list;    ///< Has a list's type.
  Truth is_tensor;
  Truth is_tensor_list;
  Value value;      ///< VALUE_UNKNOWN also for a constant tensor that is not printed in full.
  Str dtype;        ///< "Float"; empty if unknown.
  int32_t rank;     ///< Or RANK_UNKNOWN.
  Value sizes;      ///< A list, with unknown or dynamic elements for dimensions that may change; or VALUE_UNKNOWN.
  bool has_length;  ///< Of a list.
  uint32_t length;
} ArgumentFacts;

/// Of an argument that nothing is known of.
extern const ArgumentFacts argument_unknown;

typedef struct NodeView NodeView;
struct NodeView {
  uint32_t argument_count;
  /// `element` is UINT32_MAX for the argument itself. What is not there has all facts unknown.
  const ArgumentFacts *(*argument)(NodeView *view, uint32_t number, uint32_t element);
  /// The sizes as the exporter knows them, if that may be less than the argument's type tells; or NULL.
  Value (*sizes)(NodeView *view, uint32_t number, uint32_t element);
  /// Is the list that the node makes unpacked at once, and into how many values? NULL if the language doesn't tell.
  Truth (*is_unpacked)(NodeView *view, uint32_t *ret_count);
  /// Does the graph return the node's result as it is, or, of a dump, what is made of it alone? NULL if the language
  /// doesn't tell.
  Truth (*is_returned)(NodeView *view);
  /// Does the node change, in place, a part or a view of a tensor that is used after it? NULL if the language doesn't
  /// tell.
  Truth (*writes_part)(NodeView *view);
  Truth (*loses_write)(NodeView *view);
  /// "Float" of the node's result, empty if unknown; NULL if the language doesn't tell.
  Str (*result_type)(NodeView *view);
};

#define WHOLE_ARGUMENT UINT32_MAX

/// Whether the condition holds of the node.
Truth outcome_condition_holds(const Condition *condition, NodeView *view);

/// Whether the outcome is about this exporter and runtime. `runtime` is "1.21", or "" for what holds in all of them.
bool outcome_applies(const TorchOutcome *outcome, uint32_t torch, int opset, Str runtime);

/// False when only some values of the tensors make it so, which no dump tells.
bool outcome_is_certain(const TorchOutcome *outcome);
/// One outcome of each group says enough of a node.
uint32_t outcome_group(const TorchOutcome *outcome);

/// The reason with the values of the node in it.
Str outcome_reason(const TorchOutcome *outcome, NodeView *view, Arena *arena);
/// "Float", "Long"... of a number of torch's; empty if there is none.
Str outcome_scalar_type_name(double number);
/// The number of a name; -1 if it is none of them.
int outcome_scalar_type_number(Str name);
/// Whether the text of a number is that of a Python float.
bool outcome_is_float(Str number);
