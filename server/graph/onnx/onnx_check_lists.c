// Attributes that the schema lets away, and lists that don't fit each other, for which ONNX Runtime makes no session:
// mostly of ai.onnx.ml. Each was tried with 1.21, missing, empty, shorter and longer.

#include "base/search.h"
#include "graph/onnx/onnx_rules.h"

/// `attribute`, or the `other` one where there is one, has to be there; `elements` if it has to have some.
typedef struct Need {
  const char *op;
  const char *attribute;
  const char *other;
  bool elements;
  uint32_t until;  ///< The last version of the operator that needs it; 0 if all do.
  bool is_part;    ///< Of a whole that may be left out: needed where all the rest is there.
} Need;

static const Need needs[] = {
  // Keep alphabetized.
  { "DictVectorizer", "string_vocabulary", "int64_vocabulary", false, 0, false },
  { "FeatureVectorizer", "inputdimensions", NULL, true, 0, false },
  { "Imputer", "imputed_value_floats", "imputed_value_int64s", true, 0, false },
  { "LabelEncoder", "classes_strings", NULL, false, 1, false },
  { "LinearRegressor", "coefficients", NULL, false, 0, false },
  { "RegexFullMatch", "pattern", NULL, false, 0, false },
  { "Reshape", "shape", NULL, false, 1, false },
  { "SVMClassifier", "classlabels_ints", "classlabels_strings", true, 0, false },
  { "SVMClassifier", "coefficients", NULL, true, 0, false },
  { "SVMClassifier", "kernel_params", NULL, false, 0, false },
  { "SVMClassifier", "rho", NULL, false, 0, false },
  { "SVMRegressor", "coefficients", NULL, true, 0, false },
  { "SVMRegressor", "kernel_params", NULL, false, 0, false },
  { "SVMRegressor", "rho", NULL, false, 0, false },
  { "Scaler", "scale", NULL, true, 0, false },
  { "TfIdfVectorizer", "ngram_counts", NULL, true, 0, false },
  { "TfIdfVectorizer", "pool_int64s", "pool_strings", true, 0, false },
  { "TreeEnsembleClassifier", "class_ids", NULL, true, 0, true },
  { "TreeEnsembleClassifier", "class_treeids", NULL, true, 0, true },
  { "TreeEnsembleClassifier", "class_weights", "class_weights_as_tensor", true, 0, true },
  { "TreeEnsembleClassifier", "nodes_falsenodeids", NULL, true, 0, true },
  { "TreeEnsembleClassifier", "nodes_featureids", NULL, true, 0, true },
  { "TreeEnsembleClassifier", "nodes_modes", NULL, true, 0, true },
  { "TreeEnsembleClassifier", "nodes_nodeids", NULL, true, 0, true },
  { "TreeEnsembleClassifier", "nodes_treeids", NULL, true, 0, true },
  { "TreeEnsembleClassifier", "nodes_truenodeids", NULL, true, 0, true },
  { "TreeEnsembleClassifier", "nodes_values", "nodes_values_as_tensor", true, 0, true },
  { "TreeEnsembleRegressor", "n_targets", NULL, false, 0, false },
  { "TreeEnsembleRegressor", "nodes_values", "nodes_values_as_tensor", true, 0, false },
  { "TreeEnsembleRegressor", "target_weights", "target_weights_as_tensor", true, 0, false },
};

/// Two lists that have to be of one length; one that is missing has none.
typedef struct Pair {
  const char *op;
  const char *a;
  const char *b;
  bool b_may_lack;
} Pair;

static const Pair pairs[] = {
  // Keep alphabetized.
  { "SVMClassifier", "prob_a", "prob_b", false },
  { "Scaler", "scale", "offset", false },
  { "TfIdfVectorizer", "ngram_indexes", "weights", true },
  { "TreeEnsembleRegressor", "nodes_treeids", "nodes_falsenodeids", false },
  { "TreeEnsembleRegressor", "nodes_treeids", "nodes_featureids", false },
  { "TreeEnsembleRegressor", "nodes_treeids", "nodes_modes", false },
  { "TreeEnsembleRegressor", "nodes_treeids", "nodes_nodeids", false },
  { "TreeEnsembleRegressor", "nodes_treeids", "nodes_truenodeids", false },
  { "TreeEnsembleRegressor", "nodes_treeids", "nodes_values", true },
  { "TreeEnsembleRegressor", "target_ids", "target_nodeids", false },
  { "TreeEnsembleRegressor", "target_ids", "target_treeids", false },
  { "TreeEnsembleRegressor", "target_ids", "target_weights", true },
};

/// Attributes that are references to those of a call may be anything.
static bool is_readable(const OnnxAttr *attr)
{
  return !attr || !attr->is_reference;
}

static bool is_there(const OnnxAttr *attr, bool elements)
{
  bool is_list = attr && (attr->type == ONNX_INTS || attr->type == ONNX_FLOATS || attr->type == ONNX_STRINGS);
  return attr && (!elements || !is_list || attr->count > 0);
}

static bool is_met(const OnnxNode *node, const Need *need)
{
  const OnnxAttr *attr = onnx_node_attr(node, str_from(need->attribute));
  const OnnxAttr *other = need->other ? onnx_node_attr(node, str_from(need->other)) : NULL;
  return !is_readable(attr) || !is_readable(other) || is_there(attr, need->elements) || is_there(other, need->elements);
}

/// The first row of an operator, in a table that is sorted by their names.
static size_t first_need(Str op)
{
  size_t first;
  SEARCH_FIRST(first, 0, COUNT(needs), str_compare_word(needs[first].op, op) < 0);
  return first;
}

static size_t first_pair(Str op)
{
  size_t first;
  SEARCH_FIRST(first, 0, COUNT(pairs), str_compare_word(pairs[first].op, op) < 0);
  return first;
}

static bool has_rest(const OnnxNode *node, const Need *but)
{
  for (size_t i = first_need(node->op); i < COUNT(needs) && str_equal(node->op, str_from(needs[i].op)); i++) {
    if (&needs[i] != but && !is_met(node, &needs[i]))
      return false;
  }
  return true;
}

/// False if it reported.
static bool check_need(OnnxCheck *check, const OnnxNode *node, const Need *need)
{
  if (is_met(node, need) || (need->is_part && !has_rest(node, need)))
    return true;
  const OnnxAttr *attr = onnx_node_attr(node, str_from(need->attribute));
  const OnnxAttr *other = need->other ? onnx_node_attr(node, str_from(need->other)) : NULL;
  const OnnxAttr *empty = attr ? attr : other;
  onnx_report(check, empty ? empty->value_at : node->op_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
              empty ? "`%s` of `%.*s` has no elements; onnx passes this, and ONNX Runtime refuses it."
                    : "No `%s` for `%.*s`; onnx passes this, and ONNX Runtime refuses it.",
              attr || !other ? need->attribute : need->other, STR_ARG(node->op));
  return false;
}

/// False if it reported.
static bool check_pair(OnnxCheck *check, const OnnxNode *node, const Pair *pair)
{
  const OnnxAttr *a = onnx_node_attr(node, str_from(pair->a));
  const OnnxAttr *b = onnx_node_attr(node, str_from(pair->b));
  if (!is_readable(a) || !is_readable(b) || (!a && !b) || (!b && pair->b_may_lack))
    return true;
  uint64_t counts[] = { a ? a->count : 0, b ? b->count : 0 };
  if (counts[0] == counts[1])
    return true;
  onnx_report(check, b ? b->value_at : a->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
              "`%s` and `%s` of `%.*s` have %llu and %llu elements, and need equally many; onnx passes this, and ONNX "
              "Runtime refuses it.",
              pair->a, pair->b, STR_ARG(node->op), (unsigned long long)counts[0], (unsigned long long)counts[1]);
  return false;
}

void onnx_check_padding(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxAttr *pads = onnx_node_attr(node, STR("pads"));
  const OnnxAttr *by_itself = onnx_node_attr(node, STR("auto_pad"));
  bool is_asked = by_itself && is_readable(by_itself) && by_itself->text.len > 0;
  if (pads && is_asked && !str_equal(by_itself->text, STR("NOTSET")))
    onnx_report(
        check, by_itself->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
        "`%.*s` has `auto_pad` and `pads`, which is one too many; onnx passes this, and ONNX Runtime refuses it.",
        STR_ARG(node->op));
}

/// All of ai.onnx.ml may, and few others.
static bool may_be_listed(const OnnxNode *node)
{
  return node->domain.len > 0 || str_equal(node->op, STR("RegexFullMatch")) || str_equal(node->op, STR("Reshape")) ||
         str_equal(node->op, STR("TfIdfVectorizer"));
}

/// What is missing is replaced by floats, or by whole numbers.
static void check_imputer(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxAttr *floats = onnx_node_attr(node, STR("imputed_value_floats"));
  const OnnxAttr *numbers = onnx_node_attr(node, STR("imputed_value_int64s"));
  if (floats && numbers && is_readable(floats) && is_readable(numbers) && floats->count > 0 && numbers->count > 0)
    onnx_report(check, numbers->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
                "`Imputer` has `imputed_value_floats` and `imputed_value_int64s`, which is one too many; onnx passes "
                "this, and ONNX Runtime refuses it.");
}

static void check_lists(OnnxCheck *check, const OnnxNode *node, uint32_t since)
{
  bool is_whole = true;
  for (size_t i = first_need(node->op); i < COUNT(needs) && str_equal(node->op, str_from(needs[i].op)); i++) {
    if (needs[i].until == 0 || since <= needs[i].until)
      is_whole &= check_need(check, node, &needs[i]);
  }
  bool are_trees =
      str_equal(node->op, STR("TreeEnsembleClassifier")) || str_equal(node->op, STR("TreeEnsembleRegressor"));
  // A list that is missing or too short is told of once.
  for (size_t i = first_pair(node->op); i < COUNT(pairs) && str_equal(node->op, str_from(pairs[i].op)) && is_whole; i++)
    is_whole = check_pair(check, node, &pairs[i]);
  if (is_whole && are_trees)
    onnx_check_trees(check, node);
}

void onnx_check_lists(OnnxCheck *check, const OnnxNode *node, uint32_t since)
{
  size_t reports = check->reports;
  if (may_be_listed(node) && !node->lacks_attrs)
    check_lists(check, node, since);
  if (str_equal(node->op, STR("Imputer")))
    check_imputer(check, node);
  static const char *const convolutions[] = { "Conv", "ConvInteger", "QLinearConv" };
  if (str_is_one_of(node->op, convolutions, COUNT(convolutions)))
    onnx_check_padding(check, node);
  check->reports = reports;  // Types go through the node all the same.
}
