// Constants, losses, windows, and operators that most models don't have.

#include "graph/onnx/onnx_flow.h"

// --- Constants ---

static void constant_of(OnnxInfer *infer, const OnnxAttr *attr)
{
  OnnxDim count = onnx_size((int64_t)attr->count);
  switch (attr->type) {
  case ONNX_TENSOR:
  case ONNX_SPARSE_TENSOR:
    infer->out[0] = attr->value_type;
    if (!attr->data && infer->flow->calls.count == 0)
      onnx_infer_fail(infer, attr->value_at, "Nothing outside of a function can be referred to.");
    break;
  case ONNX_INT:
    onnx_out(infer, 0, attr->is_contradictory ? ELEM_FLOAT : ELEM_INT64, NULL, 0);
    break;
  case ONNX_FLOAT:
    onnx_out(infer, 0, ELEM_FLOAT, NULL, 0);
    break;
  case ONNX_STRING:
    onnx_out(infer, 0, ELEM_STRING, NULL, 0);
    break;
  case ONNX_INTS:
    onnx_out(infer, 0, ELEM_INT64, &count, 1);
    break;
  case ONNX_FLOATS:
    onnx_out(infer, 0, ELEM_FLOAT, &count, 1);
    break;
  case ONNX_STRINGS:
    onnx_out(infer, 0, ELEM_STRING, &count, 1);
    break;
  default:
    break;
  }
}

/// What a call gives may be of another kind, of which onnx asks for single values only.
static bool is_of_its_kind(OnnxInfer *infer, const OnnxAttr *attr)
{
  static const struct {
    const char *name, *what;
    OnnxAttributeType type;
  } rows[] = {
    { "value_float", "a float", ONNX_FLOAT },
    { "value_int", "an int", ONNX_INT },
    { "value_string", "a string", ONNX_STRING },
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    bool is_named = str_equal(attr->name.text, str_from(rows[i].name));
    if (is_named && attr->type != rows[i].type && !attr->is_contradictory && infer->flow->calls.count > 0)
      return onnx_infer_fail(infer, attr->value_at, "`%s` is %s, and a call of this function gives something else.",
                             rows[i].name, rows[i].what);
  }
  return true;
}

void onnx_infer_constant(OnnxInfer *infer)
{
  const OnnxAttr *only = NULL;
  uint32_t count = 0;
  for (const OnnxAttr *attr = infer->node->attrs; attr; attr = attr->next) {
    if (!onnx_schema_attribute(infer->schema, attr->name.text))
      continue;
    only = attr;
    count++;
  }
  if (infer->node->lacks_attrs)
    return;
  if (count != 1 && infer->schema->since >= 11)
    onnx_infer_fail(infer, infer->node->op_at, "A `Constant` has one of its `value` attributes; this one has %u.",
                    count);
  else if (only && !only->is_reference && onnx_has_output(infer, 0) && is_of_its_kind(infer, only))
    constant_of(infer, only);
}

// --- Others ---

static void out_like(OnnxInfer *infer, uint32_t output, uint32_t input, uint32_t element)
{
  const OnnxType *type = onnx_shaped(infer, input);
  onnx_out(infer, output, element, type ? type->dims : NULL, type ? type->rank : ONNX_NO_RANK);
}

/// The scores have one dimension more than the labels, after the first.
static bool check_labels(OnnxInfer *infer, const OnnxType *scores, const OnnxType *labels)
{
  for (uint32_t i = 0; i < labels->rank; i++) {
    OnnxDim a = scores->dims[i == 0 ? 0 : i + 1];
    OnnxDim b = labels->dims[i];
    if (onnx_is_size(a) && onnx_is_size(b) && a.value != b.value)
      return onnx_infer_fail(infer, onnx_infer_at(infer, 1),
                             "Dimension %u of the labels is %lld, and of the scores %lld.", i, (long long)b.value,
                             (long long)a.value);
  }
  return true;
}

/// A session puts the function's body in the place of SoftmaxCrossEntropyLoss: it reshapes the scores to [0, 0, -1] and
/// adds a dimension 1 to the labels. Source: the body in onnx/defs/math/defs.cc; tried with onnxruntime 1.21 and 1.23.
static void refuse_ranks(const OnnxInfer *infer, const OnnxType *scores, const OnnxType *labels)
{
  OnnxCheck *check = infer->flow->check;
  uint32_t which = scores && scores->rank < 2 ? 0 : 1;
  if (!check->runtime.limits || (which == 1 && !(labels && labels->rank == 0)))
    return;
  onnx_report(check, onnx_infer_at(infer, which), RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
              "%.*s takes %s; this is of rank %u.", STR_ARG(onnx_runtime_words(check)),
              which == 0 ? "scores of rank 2 or more" : "labels of rank 1 or more",
              (which == 0 ? scores : labels)->rank);
}

/// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss: a number, or one for each label.
void onnx_infer_loss(OnnxInfer *infer)
{
  bool has_log = str_equal(infer->node->op, STR("SoftmaxCrossEntropyLoss"));
  const OnnxType *scores = onnx_shaped(infer, 0);
  const OnnxType *labels = onnx_shaped(infer, 1);
  const OnnxType *weights = onnx_shaped(infer, 2);
  Str reduction;
  if (!onnx_attr_text(infer, "reduction", "mean", &reduction))
    return;
  if (has_log)
    refuse_ranks(infer, scores, labels);
  if (!has_log && scores && labels && (scores->rank < 2 || scores->rank != labels->rank + 1)) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 1),
                    "The labels are of rank %u, and the scores of rank %u; that has to be one more.", labels->rank,
                    scores->rank);
    return;
  }
  if (!has_log && scores && labels && !check_labels(infer, scores, labels))
    return;
  if (!has_log && scores && labels && weights && weights->rank != 1) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 2), "The weights are of rank %u, and a list is wanted.", weights->rank);
    return;
  }
  bool is_whole = str_equal(reduction, STR("none"));
  bool is_known = has_log || (scores && labels);
  if (!is_known)
    onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  else if (is_whole)
    out_like(infer, 0, 1, onnx_element(infer, 0));
  else
    onnx_out(infer, 0, onnx_element(infer, 0), NULL, 0);
  if (has_log && onnx_has_output(infer, 1))
    out_like(infer, 1, 0, onnx_element(infer, 0));
}

/// HannWindow and its like.
void onnx_infer_window(OnnxInfer *infer)
{
  const OnnxNumbers *size = onnx_constant(infer, 0);
  int64_t element;
  if (!onnx_attr_element(infer, "output_datatype", ELEM_FLOAT, &element))
    return;
  const OnnxType *type = onnx_shaped(infer, 0);
  bool is_list = onnx_is_constant(infer, 0) && type && type->rank > 0;
  if (is_list || (size && type && (size->rank != 0 || size->items[0] <= 0))) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "The size has to be one number above 0.");
    return;
  }
  OnnxDim dim = size && size->count == 1 ? onnx_size(size->items[0]) : (OnnxDim){ 0 };
  onnx_out(infer, 0, (uint32_t)element, &dim, onnx_is_size(dim) ? 1 : ONNX_NO_RANK);
}

void onnx_infer_random_like(OnnxInfer *infer)
{
  int64_t element;
  if (onnx_attr_element(infer, "dtype", 0, &element))
    out_like(infer, 0, 0, element > 0 ? (uint32_t)element : onnx_element(infer, 0));
}

void onnx_infer_eye_like(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  if (type && type->rank != 2) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "`EyeLike` wants a matrix; this is of rank %u.", type->rank);
    return;
  }
  onnx_infer_random_like(infer);
}

void onnx_infer_boxes(OnnxInfer *infer)
{
  OnnxDim dims[] = { { 0 }, onnx_size(3) };
  onnx_out(infer, 0, ELEM_INT64, dims, infer->schema->since < 11 ? ONNX_NO_RANK : 2);
}

void onnx_infer_dynamic_quantize(OnnxInfer *infer)
{
  out_like(infer, 0, 0, ELEM_UINT8);
  onnx_out(infer, 1, ELEM_FLOAT, NULL, 0);
  onnx_out(infer, 2, ELEM_UINT8, NULL, 0);
}

void onnx_infer_grid_sample(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const OnnxType *grid = onnx_shaped(infer, 1);
  onnx_out(infer, 0, onnx_element(infer, 0), NULL, ONNX_NO_RANK);
  if (!type || !grid)
    return;
  if (type->rank != grid->rank || type->rank < 3) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 1),
                    "The grid is of rank %u, and the input of rank %u: both are of one, and of at least 3.", grid->rank,
                    type->rank);
    return;
  }
  OnnxDim last = grid->dims[grid->rank - 1];
  if (onnx_is_size(last) && last.value != grid->rank - 2) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 1), "A place in the input is %u numbers, and the grid has %lld.",
                    grid->rank - 2, (long long)last.value);
    return;
  }
  OnnxDim *dims = onnx_dims(infer, type->rank);
  for (uint32_t i = 0; i < type->rank; i++)
    dims[i] = i < 2 ? type->dims[i] : grid->dims[i - 1];
  dims[0] = onnx_is_size(type->dims[0]) ? type->dims[0] : onnx_is_size(grid->dims[0]) ? grid->dims[0] : (OnnxDim){ 0 };
  if (onnx_is_size(grid->dims[0]) && grid->dims[0].value != dims[0].value) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 1), "The grid is for %lld images, and there are %lld.",
                    (long long)grid->dims[0].value, (long long)dims[0].value);
    return;
  }
  onnx_out(infer, 0, type->element, dims, type->rank);
}
