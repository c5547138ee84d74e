// Numbers in attributes that onnx passes and for which ONNX Runtime makes no session. Each was tried with 1.21.

#include "base/search.h"
#include "graph/onnx/onnx_rules.h"

typedef enum Wanted {
  ZERO_OR_ONE,
  ONE_OR_TWO,
  NOT_NEGATIVE,
  POSITIVE,
  POSITIVE_AND_ODD,
} Wanted;

static const char *const wanted_words[] = { "0 or 1", "1 or 2", "0 or above", "above 0", "above 0 and odd" };

static bool is_wanted(int64_t number, Wanted wanted)
{
  switch (wanted) {
  case ZERO_OR_ONE:
    return number == 0 || number == 1;
  case ONE_OR_TWO:
    return number == 1 || number == 2;
  case NOT_NEGATIVE:
    return number >= 0;
  case POSITIVE:
    return number > 0;
  case POSITIVE_AND_ODD:
    return number > 0 && number % 2 == 1;
  }
  return true;
}

static const struct {
  const char *op;
  const char *attribute;
  Wanted wanted;
} numbers[] = {
  // Keep alphabetized.
  { "AveragePool", "kernel_shape", POSITIVE },
  { "GRU", "hidden_size", POSITIVE },
  { "LRN", "size", POSITIVE_AND_ODD },
  { "LSTM", "hidden_size", POSITIVE },
  { "LpNormalization", "p", ONE_OR_TWO },
  { "LpPool", "kernel_shape", POSITIVE },
  { "MaxPool", "kernel_shape", POSITIVE },
  { "Mod", "fmod", ZERO_OR_ONE },
  { "NonMaxSuppression", "center_point_box", ZERO_OR_ONE },
  { "ReverseSequence", "batch_axis", ZERO_OR_ONE },
  { "ReverseSequence", "time_axis", ZERO_OR_ONE },
  { "TfIdfVectorizer", "max_skip_count", NOT_NEGATIVE },
  { "TfIdfVectorizer", "min_gram_length", POSITIVE },
  { "TreeEnsembleRegressor", "n_targets", POSITIVE },
};

Severity onnx_refused_severity(const OnnxCheck *check)
{
  return check->runtime.limits ? SEVERITY_ERROR : SEVERITY_WARNING;
}

static void check_number(OnnxCheck *check, const OnnxNode *node, const OnnxAttr *attr, Wanted wanted)
{
  bool is_right = attr->type != ONNX_INT || is_wanted(attr->number, wanted);
  for (uint64_t i = 0; attr->type == ONNX_INTS && i < attr->count; i++)
    is_right = is_right && is_wanted(attr->numbers[i], wanted);
  if (!is_right)
    onnx_report(check, attr->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
                "`%.*s` of `%.*s` has to be %s; onnx passes this, and ONNX Runtime refuses it.",
                STR_ARG(attr->name.text), STR_ARG(node->op), wanted_words[wanted]);
}

/// The number of an attribute, or what it is if it is not written.
static int64_t number_of(const OnnxNode *node, Str name, int64_t otherwise)
{
  const OnnxAttr *attr = onnx_node_attr(node, name);
  return attr && attr->type == ONNX_INT && !attr->is_reference ? attr->number : otherwise;
}

/// The time runs along one axis, and the sequences of the batch along the other.
static void check_axes(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxAttr *time = onnx_node_attr(node, STR("time_axis"));
  const OnnxAttr *batch = onnx_node_attr(node, STR("batch_axis"));
  const OnnxAttr *at = time ? time : batch;
  if (at && !at->is_reference && (!batch || !batch->is_reference) &&
      number_of(node, STR("time_axis"), 0) == number_of(node, STR("batch_axis"), 1))
    onnx_report(check, at->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
                "`time_axis` and `batch_axis` of `ReverseSequence` have to differ; onnx passes this, and ONNX Runtime "
                "refuses it.");
}

/// Grams of each length have a number of their own.
static void check_grams(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxAttr *most = onnx_node_attr(node, STR("max_gram_length"));
  const OnnxAttr *counts = onnx_node_attr(node, STR("ngram_counts"));
  int64_t least = number_of(node, STR("min_gram_length"), 1);
  if (!most || most->type != ONNX_INT || most->is_reference || !counts || counts->is_reference || counts->count == 0)
    return;
  if (most->number < least || most->number > (int64_t)counts->count)
    onnx_report(
        check, most->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
        "`max_gram_length` of `TfIdfVectorizer` has to be between `min_gram_length`, %lld, and the %llu lengths of "
        "`ngram_counts`; onnx passes this, and ONNX Runtime refuses it.",
        (long long)least, (unsigned long long)counts->count);
}

/// Recurrent cells, and how many functions each has for one direction.
static uint64_t functions_of_cell(Str op)
{
  static const char *const cells[] = { "RNN", "GRU", "LSTM" };
  for (size_t i = 0; i < COUNT(cells); i++) {
    if (str_equal(op, str_from(cells[i])))
      return i + 1;
  }
  return 0;
}

/// Of two functions of an RNN that goes one way, the second is dropped.
static void check_activations(OnnxCheck *check, const OnnxNode *node, uint64_t of_cell)
{
  const OnnxAttr *functions = onnx_node_attr(node, STR("activations"));
  const OnnxAttr *direction = onnx_node_attr(node, STR("direction"));
  bool goes_both_ways = direction && str_equal(direction->text, STR("bidirectional"));
  uint64_t wanted = of_cell * (goes_both_ways ? 2 : 1);
  bool is_known = functions && functions->type == ONNX_STRINGS && !functions->is_reference &&
                  (!direction || !direction->is_reference) && functions->count > 0;
  if (is_known && functions->count != wanted && !(of_cell == 1 && functions->count == 2))
    onnx_report(
        check, functions->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
        "`activations` of `%.*s` has to name %llu function%s here; onnx passes this, and ONNX Runtime refuses it.",
        STR_ARG(node->op), (unsigned long long)wanted, wanted == 1 ? "" : "s");
}

static void check_cell(OnnxCheck *check, const OnnxNode *node)
{
  uint64_t of_cell = functions_of_cell(node->op);
  if (of_cell == 0)
    return;
  check_activations(check, node, of_cell);
  if (!node->lacks_attrs && !onnx_node_attr(node, STR("hidden_size")))
    onnx_report(check, node->op_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
                "`%.*s` has no `hidden_size`; onnx passes this, and ONNX Runtime refuses it.", STR_ARG(node->op));
}

void onnx_check_numbers(OnnxCheck *check, const OnnxNode *node)
{
  size_t reports = check->reports;
  size_t i;
  SEARCH_FIRST(i, 0, COUNT(numbers), str_compare(str_from(numbers[i].op), node->op) < 0);
  for (; i < COUNT(numbers) && str_equal(node->op, str_from(numbers[i].op)); i++) {
    const OnnxAttr *attr = onnx_node_attr(node, str_from(numbers[i].attribute));
    if (attr && !attr->is_reference)
      check_number(check, node, attr, numbers[i].wanted);
  }
  if (str_equal(node->op, STR("ReverseSequence")))
    check_axes(check, node);
  if (str_equal(node->op, STR("TfIdfVectorizer")))
    check_grams(check, node);
  check_cell(check, node);
  check->reports = reports;  // Types go through the node all the same.
}
