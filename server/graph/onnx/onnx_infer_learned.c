// Operators of ai.onnx.ml, and those that train.

#include "graph/onnx/onnx_flow.h"

static bool check_rank(OnnxInfer *infer, uint32_t rank)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  return !type || type->rank == rank ||
         onnx_infer_fail(infer, onnx_infer_at(infer, 0), "A tensor of rank %u is wanted; this is of rank %u.", rank,
                         type->rank);
}

static uint64_t count_of(const OnnxInfer *infer, const char *name)
{
  const OnnxAttr *attr = onnx_attr(infer, name);
  return attr ? attr->count : 0;
}

/// The elements of a list or of a tensor with one dimension, and how many there are.
typedef struct Column {
  uint32_t element;  ///< 0 if nothing says it.
  int64_t count;
} Column;

static uint32_t element_of_list(OnnxAttributeType type)
{
  return type == ONNX_INTS ? ELEM_INT64 : type == ONNX_FLOATS ? ELEM_FLOAT : ELEM_STRING;
}

static bool read_column(OnnxInfer *infer, const OnnxAttr *attr, Column *ret_column)
{
  const OnnxType *type = attr->type == ONNX_TENSOR ? attr->value_type : NULL;
  *ret_column = (Column){ .count = (int64_t)attr->count };
  if (type && type->rank != 1)
    return onnx_infer_fail(infer, attr->value_at, "`%.*s` has to be a list; this is of rank %u.",
                           STR_ARG(attr->name.text), type->rank);
  if (type)
    *ret_column = (Column){ type->element, type->dims[0].value };
  else if (attr->count > 0)
    ret_column->element = element_of_list(attr->type);
  return true;
}

static bool has_reference(const OnnxInfer *infer)
{
  const OnnxAttr *attr = infer->node->attrs;
  while (attr && !attr->is_reference)
    attr = attr->next;
  return attr != NULL;
}

// --- Labels ---

/// The one attribute of several that says what `what` are; false after a report.
static bool read_one_of(OnnxInfer *infer, const char *const *names, size_t count, const char *what, Column *ret_column)
{
  *ret_column = (Column){ 0 };
  for (size_t i = 0; i < count; i++) {
    const OnnxAttr *attr = onnx_attr(infer, names[i]);
    if (attr && ret_column->element != 0)
      return onnx_infer_fail(infer, attr->name.at, "Another attribute says what the %s are.", what);
    if (attr && !read_column(infer, attr, ret_column))
      return false;
    if (attr && infer->schema->since < 4)  // An empty list says it, too.
      ret_column->element = element_of_list(attr->type);
  }
  return ret_column->element != 0 ||
         onnx_infer_fail(infer, infer->node->op_at, "No attribute says what the %s are.", what);
}

static bool check_default(OnnxInfer *infer, uint32_t element)
{
  const OnnxAttr *attr = onnx_attr(infer, "default_tensor");
  const OnnxType *type = attr ? attr->value_type : NULL;
  if (!type || type->element == 0)
    return true;
  bool is_one = type->rank == 1 && type->dims[0].value == 1;
  return (is_one && type->element == element) ||
         onnx_infer_fail(infer, attr->value_at,
                         "The default has to be one value of the type of the others, in a list.");
}

/// From version 4 on, tensors may say it, too, and there are as many values as keys.
static bool read_labels(OnnxInfer *infer, Column *ret_keys, Column *ret_values)
{
  static const char *const keys[] = { "keys_strings", "keys_int64s", "keys_floats", "keys_tensor" };
  static const char *const values[] = { "values_strings", "values_int64s", "values_floats", "values_tensor" };
  size_t count = infer->schema->since >= 4 ? COUNT(keys) : COUNT(keys) - 1;
  if (!read_one_of(infer, keys, count, "keys", ret_keys) || !read_one_of(infer, values, count, "values", ret_values))
    return false;
  if (infer->schema->since >= 4 && ret_keys->count != ret_values->count)
    return onnx_infer_fail(infer, infer->node->op_at, "There are %lld keys and %lld values.",
                           (long long)ret_keys->count, (long long)ret_values->count);
  return infer->schema->since < 4 || check_default(infer, ret_values->element);
}

static uint32_t swap_words(uint32_t element)
{
  return element == ELEM_STRING ? ELEM_INT64 : element == ELEM_INT64 ? ELEM_STRING : 0;
}

void onnx_infer_label_encoder(OnnxInfer *infer)
{
  Column keys;
  Column values;
  uint32_t element = onnx_element(infer, 0);
  if (infer->schema->since == 1 && element != 0)
    onnx_out(infer, 0, swap_words(element), NULL, ONNX_NO_RANK);
  if (infer->schema->since == 1 || has_reference(infer) || !read_labels(infer, &keys, &values))
    return;
  if (element != 0 && keys.element != element)
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "The keys are of %.*s, and this is of %.*s.",
                    STR_ARG(onnx_element_word(keys.element)), STR_ARG(onnx_element_word(element)));
  else
    onnx_out_like_first(infer, 0, values.element);
}

void onnx_infer_category_mapper(OnnxInfer *infer)
{
  if (has_reference(infer))
    return;
  if (!onnx_attr(infer, "cats_int64s") || !onnx_attr(infer, "cats_strings") ||
      count_of(infer, "cats_int64s") != count_of(infer, "cats_strings"))
    onnx_infer_fail(infer, infer->node->op_at, "`cats_int64s` and `cats_strings` have to be there, and of one length.");
  else if (swap_words(onnx_element(infer, 0)) != 0)
    onnx_out_like_first(infer, 0, swap_words(onnx_element(infer, 0)));
}

void onnx_infer_one_hot_encoder(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  bool has_numbers = onnx_attr(infer, "cats_int64s") != NULL;
  bool has_words = onnx_attr(infer, "cats_strings") != NULL;
  if (has_reference(infer))
    return;
  if (has_numbers == has_words) {
    onnx_infer_fail(infer, infer->node->op_at, "One of `cats_int64s` and `cats_strings` says what there is.");
  } else if (type) {
    OnnxDim *dims = onnx_dims_of(infer, type);
    dims[type->rank] = onnx_size((int64_t)count_of(infer, has_words ? "cats_strings" : "cats_int64s"));
    onnx_out(infer, 0, ELEM_FLOAT, dims, type->rank + 1);
  }
}

/// Labels are words if any are given, else numbers.
static bool has_word_labels(const OnnxInfer *infer)
{
  return count_of(infer, "classlabels_strings") > 0;
}

void onnx_infer_label(OnnxInfer *infer)
{
  if (!has_reference(infer))
    onnx_out(infer, 0, has_word_labels(infer) ? ELEM_STRING : ELEM_INT64, NULL, ONNX_NO_RANK);
}

/// A label for each row, and a number for each class, of which one intercept may stand for two.
void onnx_infer_linear_classifier(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  bool has_words = has_word_labels(infer);
  uint64_t labels = count_of(infer, has_words ? "classlabels_strings" : "classlabels_ints");
  uint64_t classes = count_of(infer, "intercepts");
  if (type && type->rank != 1 && type->rank != 2) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "A vector or a matrix is wanted; this is of rank %u.", type->rank);
    return;
  }
  OnnxDim batch = !type ? (OnnxDim){ 0 } : type->rank == 1 ? onnx_size(1) : type->dims[0];
  OnnxDim dims[] = { batch, onnx_size((int64_t)(classes == 1 && labels == 2 ? 2 : classes)) };
  onnx_out(infer, 0, has_words ? ELEM_STRING : ELEM_INT64, dims, 1);
  onnx_out(infer, 1, ELEM_FLOAT, dims, 2);
}

// --- Trees ---

/// Numbers that may be given as a list or as a tensor, and not as both.
static bool check_either(OnnxInfer *infer, const char *name, const char *tensor)
{
  const OnnxAttr *attr = onnx_attr(infer, tensor);
  return !attr || !onnx_attr(infer, name) ||
         onnx_infer_fail(infer, attr->name.at, "`%s` says the same; only one of them may be given.", name);
}

static bool check_tree(OnnxInfer *infer, const char *weights, const char *weights_tensor)
{
  return check_either(infer, "nodes_values", "nodes_values_as_tensor") &&
         check_either(infer, "nodes_hitrates", "nodes_hitrates_as_tensor") &&
         check_either(infer, weights, weights_tensor) && check_either(infer, "base_values", "base_values_as_tensor") &&
         check_rank(infer, 2);
}

static OnnxDim rows_of(const OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  return type ? type->dims[0] : (OnnxDim){ 0 };
}

void onnx_infer_tree_classifier(OnnxInfer *infer)
{
  if (infer->schema->since < 3 || has_reference(infer)) {
    onnx_infer_label(infer);
    return;
  }
  if (!check_tree(infer, "class_weights", "class_weights_as_tensor"))
    return;
  bool has_words = has_word_labels(infer);
  uint64_t classes = count_of(infer, has_words ? "classlabels_strings" : "classlabels_int64s");
  if (classes == 0) {
    onnx_infer_fail(infer, infer->node->op_at, "No labels are given for the classes.");
    return;
  }
  OnnxDim dims[] = { rows_of(infer), onnx_size((int64_t)classes) };
  onnx_out(infer, 0, has_words ? ELEM_STRING : ELEM_INT64, dims, 1);
  onnx_out(infer, 1, ELEM_FLOAT, dims, 2);
}

static void out_targets(OnnxInfer *infer, uint32_t element)
{
  int64_t targets;
  bool is_known = onnx_attr_int(infer, "n_targets", 0, &targets) && onnx_attr(infer, "n_targets");
  OnnxDim dims[] = { rows_of(infer), is_known ? onnx_size(targets) : (OnnxDim){ 0 } };
  onnx_out(infer, 0, element, dims, 2);
}

void onnx_infer_tree_regressor(OnnxInfer *infer)
{
  if (infer->schema->since >= 3 && check_tree(infer, "target_weights", "target_weights_as_tensor"))
    out_targets(infer, ELEM_FLOAT);
}

/// A column of the tree's table; `element` is that of the input, and 0 for what may be any.
static bool check_column(OnnxInfer *infer, const char *name, bool is_needed, uint32_t element, int64_t count)
{
  const OnnxAttr *attr = onnx_attr(infer, name);
  Column column;
  if (!attr)
    return !is_needed || onnx_infer_fail(infer, infer->node->op_at, "The attribute `%s` is missing.", name);
  if (!read_column(infer, attr, &column))
    return false;
  return (column.element == element && column.count == count) ||
         onnx_infer_fail(infer, attr->value_at, "`%s` has to be %lld values of %.*s.", name, (long long)count,
                         STR_ARG(onnx_element_word(element)));
}

static bool check_leaves(OnnxInfer *infer, uint32_t element)
{
  const OnnxAttr *targets = onnx_attr(infer, "leaf_targetids");
  const OnnxAttr *weights = onnx_attr(infer, "leaf_weights");
  if (!targets || !weights)
    return onnx_infer_fail(infer, infer->node->op_at, "`leaf_targetids` and `leaf_weights` both have to be there.");
  return check_column(infer, "leaf_weights", true, element, (int64_t)targets->count);
}

static bool check_members(OnnxInfer *infer, uint32_t element)
{
  const OnnxAttr *attr = onnx_attr(infer, "membership_values");
  return !attr || !attr->value_type || attr->value_type->element == element ||
         onnx_infer_fail(infer, attr->value_at, "These have to be of %.*s, as the input is.",
                         STR_ARG(onnx_element_word(element)));
}

void onnx_infer_tree_ensemble(OnnxInfer *infer)
{
  static const struct {
    const char *name;
    uint32_t element;  ///< 0 for that of the input.
    bool is_needed;
  } columns[] = {
    { "nodes_splits", 0, true },
    { "nodes_featureids", ELEM_INT64, true },
    { "nodes_hitrates", ELEM_FLOAT, false },
    { "nodes_modes", ELEM_UINT8, true },
    { "nodes_truenodeids", ELEM_INT64, true },
    { "nodes_falsenodeids", ELEM_INT64, true },
    { "nodes_trueleafs", ELEM_INT64, true },
    { "nodes_falseleafs", ELEM_INT64, true },
    { "nodes_missing_value_tracks_true", ELEM_INT64, false },
  };
  uint32_t element = onnx_element(infer, 0);
  const OnnxAttr *splits = onnx_attr(infer, "nodes_splits");
  const OnnxType *type = splits ? splits->value_type : NULL;
  if (element == 0 || has_reference(infer) || !check_rank(infer, 2))
    return;
  int64_t count = type && type->rank == 1 ? type->dims[0].value : 0;
  for (size_t i = 0; i < COUNT(columns); i++) {
    uint32_t wanted = columns[i].element ? columns[i].element : element;
    if (!check_column(infer, columns[i].name, columns[i].is_needed, wanted, count))
      return;
  }
  if (check_members(infer, element) && check_leaves(infer, element))
    out_targets(infer, element);
}

// --- Maps ---

/// A list of maps, from labels to numbers.
void onnx_infer_zip_map(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  bool has_words = count_of(infer, "classlabels_int64s") == 0;  // Numbers count where both are given.
  if (type && type->rank != 1 && type->rank != 2) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "A vector or a matrix is wanted; this is of rank %u.", type->rank);
    return;
  }
  if (has_reference(infer))
    return;
  if (count_of(infer, "classlabels_strings") + count_of(infer, "classlabels_int64s") == 0) {
    onnx_infer_fail(infer, infer->node->op_at, "No labels are given for the classes.");
    return;
  }
  OnnxType *map = ARENA_NEW(infer->arena, OnnxType);
  *map = (OnnxType){ .kind = ONNX_TYPE_MAP, .element = has_words ? ELEM_STRING : ELEM_INT64 };
  map->inner = onnx_make(infer->arena, ELEM_FLOAT, NULL, 0);
  OnnxType *list = ARENA_NEW(infer->arena, OnnxType);
  *list = (OnnxType){ .kind = ONNX_TYPE_SEQUENCE, .inner = map };
  infer->out[0] = list;
}

void onnx_infer_cast_map(OnnxInfer *infer)
{
  Str to;
  if (!onnx_attr_text(infer, "cast_to", "TO_FLOAT", &to))
    return;
  uint32_t element = str_equal(to, STR("TO_FLOAT"))    ? ELEM_FLOAT
                     : str_equal(to, STR("TO_INT64"))  ? ELEM_INT64
                     : str_equal(to, STR("TO_STRING")) ? ELEM_STRING
                                                       : 0;
  if (element != 0)
    onnx_out(infer, 0, element, NULL, ONNX_NO_RANK);
}

void onnx_infer_dict_vectorizer(OnnxInfer *infer)
{
  const OnnxType *map = onnx_input(infer, 0);
  const OnnxType *value = map && map->kind == ONNX_TYPE_MAP ? map->inner : NULL;
  if (value && value->kind == ONNX_TYPE_TENSOR && value->element != 0)
    onnx_out(infer, 0, value->element, NULL, ONNX_NO_RANK);
}

/// What stands at some places of the last dimension.
void onnx_infer_feature_extractor(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const OnnxType *places = onnx_shaped(infer, 1);
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (!type || type->rank == 1)
    return;
  uint32_t rank = type->rank > 0 ? type->rank : 1;
  OnnxDim *dims = onnx_dims(infer, rank);
  for (uint32_t i = 0; i + 1 < rank; i++)
    dims[i] = type->dims[i];
  dims[rank - 1] = places && places->rank > 0 ? onnx_product(places, 0, places->rank) : (OnnxDim){ 0 };
  onnx_out(infer, 0, type->element, dims, rank);
}

// --- Training ---

/// After the rate and the count, inputs come in `kinds` groups of one length: tensors, their gradients, and what is
/// kept of them. All but gradients come out again, renewed.
static void renew(OnnxInfer *infer, uint32_t kinds)
{
  uint32_t rest = infer->node->inputs.count < 2 ? 0 : infer->node->inputs.count - 2;
  uint32_t each = rest / kinds;
  bool may_be_uneven = str_equal(infer->node->op, STR("Adagrad"));
  if (rest % kinds != 0 && !may_be_uneven) {
    onnx_infer_fail(infer, infer->node->op_at,
                    "`%.*s` takes %u inputs for each tensor; here are %u after the first two.",
                    STR_ARG(infer->node->op), kinds, rest);
    return;
  }
  if (each * (kinds - 1) > infer->node->outputs.count) {
    onnx_infer_fail(infer, infer->node->op_at, "`%.*s` gives %u values for these inputs; here are %u outputs.",
                    STR_ARG(infer->node->op), each * (kinds - 1), infer->node->outputs.count);
    return;
  }
  for (uint32_t i = 0; i < each * (kinds - 1); i++) {
    uint32_t input = 2 + (i < each ? i : i + each);
    const OnnxType *type = onnx_tensor(infer, input);
    if (!onnx_has_input(infer, input)) {
      onnx_infer_fail(infer, infer->node->op_at, "Input %u of `%.*s` is left out, and an output is of its type.", input,
                      STR_ARG(infer->node->op));
      return;
    }
    if (type)
      onnx_out(infer, i, type->element, type->dims, type->has_shape ? type->rank : ONNX_NO_RANK);
  }
}

void onnx_infer_momentum(OnnxInfer *infer)
{
  renew(infer, 3);
}

void onnx_infer_adam(OnnxInfer *infer)
{
  renew(infer, 4);
}
