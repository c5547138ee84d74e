// Numbers in attributes that onnx passes and for which ONNX Runtime makes no session. Each was tried with 1.21.

#include "base/search.h"
#include "facts/onnx_elements.h"
#include "graph/onnx/onnx_rules.h"

typedef enum Wanted {
  ZERO,
  ZERO_OR_ONE,
  AT_MOST_ONE,  ///< An axis that may be counted from the end.
  ONE_OR_TWO,
  NOT_NEGATIVE,
  POSITIVE,
  POSITIVE_AND_ODD,
  UP_TO_THREE,
  UP_TO_FOUR,
} Wanted;

static const char *const wanted_words[] = { "0",       "0 or 1",          "0 or 1", "1 or 2", "0 or above",
                                            "above 0", "above 0 and odd", "0 to 3", "0 to 4" };

static bool is_wanted(int64_t number, Wanted wanted)
{
  switch (wanted) {
  case ZERO:
    return number == 0;
  case AT_MOST_ONE:
    return number <= 1;
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
  case UP_TO_THREE:
    return number >= 0 && number <= 3;
  case UP_TO_FOUR:
    return number >= 0 && number <= 4;
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
  { "DequantizeLinear", "block_size", NOT_NEGATIVE },
  { "GRU", "clip", POSITIVE },
  { "GRU", "hidden_size", POSITIVE },
  { "GRU", "layout", ZERO },
  { "LRN", "alpha", POSITIVE },
  { "LRN", "beta", POSITIVE },
  { "LRN", "size", POSITIVE_AND_ODD },
  { "LSTM", "clip", POSITIVE },
  { "LSTM", "hidden_size", POSITIVE },
  { "LSTM", "layout", ZERO },
  { "LpNormalization", "p", ONE_OR_TWO },
  { "LpPool", "kernel_shape", POSITIVE },
  { "MaxPool", "kernel_shape", POSITIVE },
  { "MaxUnpool", "kernel_shape", POSITIVE },
  { "Mod", "fmod", ZERO_OR_ONE },
  { "NonMaxSuppression", "center_point_box", ZERO_OR_ONE },
  { "QuantizeLinear", "block_size", NOT_NEGATIVE },
  { "RNN", "layout", ZERO },
  { "ReverseSequence", "batch_axis", AT_MOST_ONE },
  { "ReverseSequence", "time_axis", AT_MOST_ONE },
  { "TfIdfVectorizer", "max_skip_count", NOT_NEGATIVE },
  { "TfIdfVectorizer", "min_gram_length", POSITIVE },
  { "TreeEnsemble", "aggregate_function", UP_TO_THREE },
  { "TreeEnsemble", "post_transform", UP_TO_FOUR },
  { "TreeEnsembleRegressor", "n_targets", POSITIVE },
};

Severity onnx_refused_severity(const OnnxCheck *check)
{
  return onnx_session_sees(check) ? SEVERITY_ERROR : SEVERITY_WARNING;
}

static void check_number(OnnxCheck *check, const OnnxNode *node, const OnnxAttr *attr, Wanted wanted)
{
  bool is_right = attr->type == ONNX_FLOAT ? attr->real > 0 : attr->type != ONNX_INT || is_wanted(attr->number, wanted);
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

/// Where nothing but padding is in a window.
static void check_window(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxAttr *pads = onnx_node_attr(node, STR("pads"));
  const OnnxAttr *kernel = onnx_node_attr(node, STR("kernel_shape"));
  bool is_known = pads && kernel && pads->type == ONNX_INTS && kernel->type == ONNX_INTS && !pads->is_reference &&
                  !kernel->is_reference && pads->count == 2 * kernel->count;
  for (uint64_t i = 0; is_known && i < pads->count; i++) {
    if (pads->numbers[i] < kernel->numbers[i % kernel->count])
      continue;
    onnx_report(
        check, pads->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
        "`pads` of `%.*s` has to be less than `kernel_shape`, and %lld is not less than %lld; onnx passes this, "
        "and ONNX Runtime refuses it.",
        STR_ARG(node->op), (long long)pads->numbers[i], (long long)kernel->numbers[i % kernel->count]);
    return;
  }
}

/// The limits of a Clip that has them as attributes: up to opset 10.
static void check_limits(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxAttr *min = onnx_node_attr(node, STR("min"));
  const OnnxAttr *max = onnx_node_attr(node, STR("max"));
  bool are_known =
      min && max && min->type == ONNX_FLOAT && max->type == ONNX_FLOAT && !min->is_reference && !max->is_reference;
  if (are_known && min->real > max->real)
    onnx_report(check, min->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
                "`min` of `Clip` is above `max`; onnx passes this, and ONNX Runtime refuses it.");
}

static void check_resize(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxAttr *excludes = onnx_node_attr(node, STR("exclude_outside"));
  const OnnxAttr *mode = onnx_node_attr(node, STR("mode"));
  bool is_cubic = mode && (mode->is_reference || str_equal(mode->text, STR("cubic")));
  if (excludes && !excludes->is_reference && excludes->type == ONNX_INT && excludes->number != 0 && !is_cubic)
    onnx_report(check, excludes->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
                "`exclude_outside` of `Resize` wants the mode `cubic`; onnx passes this, and ONNX Runtime refuses it.");
}

static void check_directions(OnnxCheck *check, const OnnxNode *node, Str name, int64_t wanted)
{
  const OnnxAttr *attr = onnx_node_attr(node, name);
  if (!attr || attr->is_reference || attr->type != ONNX_INTS || wanted < 0)
    return;
  bool is_right = attr->count == (uint64_t)wanted;
  for (uint64_t i = 0; i < attr->count; i++)
    is_right = is_right && is_wanted(attr->numbers[i], ZERO_OR_ONE);
  if (!is_right)
    onnx_report(check, attr->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
                "`%.*s` of `Scan` has to list %lld times 0 or 1; onnx passes this, and ONNX Runtime refuses it.",
                STR_ARG(name), (long long)wanted);
}

static void check_scan(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxAttr *scanned = onnx_node_attr(node, STR("num_scan_inputs"));
  if (!scanned || scanned->is_reference || scanned->type != ONNX_INT || scanned->number < 1 ||
      scanned->number > (int64_t)node->inputs.count)
    return;
  check_directions(check, node, STR("scan_input_directions"), scanned->number);
  check_directions(check, node, STR("scan_output_directions"),
                   (int64_t)node->outputs.count - ((int64_t)node->inputs.count - scanned->number));
}

/// The value that a tensor is filled with.
static void check_filling(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxAttr *value = onnx_node_attr(node, STR("value"));
  const OnnxType *type = value && !value->is_reference ? value->value_type : NULL;
  bool is_list = type && value->type == ONNX_TENSOR && type->has_shape && type->rank == 1;  // onnx refuses others.
  if (is_list && type->dims[0].kind == ONNX_DIM_VALUE && type->dims[0].value != 1)
    onnx_report(
        check, value->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
        "`value` of `ConstantOfShape` has to be of one element; onnx passes this, and ONNX Runtime refuses it.");
  if (value && value->data && value->data->is_external)
    onnx_report(check, value->value_at, RULE_TENSOR_DATA, onnx_refused_severity(check),
                "`value` of `ConstantOfShape` lies in another file; onnx passes this, and ONNX Runtime refuses it.");
}

/// Into which type a session's function for it goes. Source: tried with onnxruntime 1.21 and 1.23.
static void check_stash(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxAttr *attr = onnx_node_attr(node, STR("stash_type"));
  if (attr && attr->type == ONNX_INT && !attr->is_reference && attr->number != ELEM_FLOAT &&
      attr->number != ELEM_FLOAT16 && attr->number != ELEM_DOUBLE)
    onnx_report(check, attr->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
                "`stash_type` is %lld, and has to be float, float16 or double (1, 10 or 11); onnx passes this, and "
                "ONNX Runtime refuses it.",
                (long long)attr->number);
}

void onnx_check_numbers(OnnxCheck *check, const OnnxNode *node)
{
  size_t reports = check->reports;
  size_t i;
  SEARCH_FIRST(i, 0, COUNT(numbers), str_compare_word(numbers[i].op, node->op) < 0);
  for (; i < COUNT(numbers) && str_compare_word(numbers[i].op, node->op) == 0; i++) {
    const OnnxAttr *attr = onnx_node_attr(node, str_from(numbers[i].attribute));
    if (attr && !attr->is_reference)
      check_number(check, node, attr, numbers[i].wanted);
  }
  static const struct {
    const char *op;
    void (*look)(OnnxCheck *check, const OnnxNode *node);
  } rows[] = {
    // Keep alphabetized.
    { "AveragePool", check_window },
    { "Clip", check_limits },
    { "ConstantOfShape", check_filling },
    { "GRU", onnx_check_cell },
    { "GroupNormalization", check_stash },
    { "LSTM", onnx_check_cell },
    { "LpPool", check_window },
    { "MaxPool", check_window },
    { "MaxUnpool", check_window },
    { "RNN", onnx_check_cell },
    { "Resize", check_resize },
    { "ReverseSequence", check_axes },
    { "Scan", check_scan },
    { "TfIdfVectorizer", check_grams },
  };
  size_t row;
  SEARCH_FIRST(row, 0, COUNT(rows), str_compare_word(rows[row].op, node->op) < 0);
  if (row < COUNT(rows) && str_compare_word(rows[row].op, node->op) == 0)
    rows[row].look(check, node);
  check->reports = reports;  // Types go through the node all the same.
}
