// Operators of which few models have one: their outputs have a known rank, or the shape of an equation.

#include "graph/onnx/onnx_flow.h"

/// A list of unknown length.
static void out_list(OnnxInfer *infer, uint32_t output, uint32_t element)
{
  OnnxDim dim = { 0 };
  if (onnx_has_output(infer, output))
    onnx_out(infer, output, element, &dim, 1);
}

/// The input with one dimension unknown, or a list if no axis is given. Unknown if the axis or the rank is.
static void out_along_axis(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t axis;
  uint32_t at;
  if (!onnx_attr(infer, "axis")) {
    out_list(infer, 0, onnx_element(infer, 0));
    return;
  }
  if (!type || !onnx_attr_int(infer, "axis", 0, &axis) || !onnx_axis(infer, axis, type->rank, "axis", &at))
    return;
  OnnxDim *dims = onnx_dims_of(infer, type);
  dims[at] = (OnnxDim){ 0 };
  onnx_out(infer, 0, type->element, dims, type->rank);
}

void onnx_infer_unique(OnnxInfer *infer)
{
  out_along_axis(infer);
  for (uint32_t i = 1; i < 4; i++)
    out_list(infer, i, ELEM_INT64);
}

void onnx_infer_compress(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  if (infer->schema->since < 11)  // Nobody looks at the first version.
    return;
  if (type && type->rank == 0)
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "Of a single number nothing can be chosen.");
  else
    out_along_axis(infer);
}

void onnx_infer_string_normalizer(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  OnnxDim dims[] = { onnx_size(1), { 0 } };
  if (type && type->rank == 1)
    onnx_out(infer, 0, ELEM_STRING, &dims[1], 1);
  else if (type && type->rank == 2 && onnx_is_size(type->dims[0]) && type->dims[0].value == 1)
    onnx_out(infer, 0, ELEM_STRING, dims, 2);
  else if (type)
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "A list is wanted, or one row of a matrix.");
}

void onnx_infer_det(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  if (!type)
    return;
  OnnxDim rows = type->rank >= 2 ? type->dims[type->rank - 2] : (OnnxDim){ 0 };
  OnnxDim columns = type->rank >= 2 ? type->dims[type->rank - 1] : (OnnxDim){ 0 };
  if (type->rank < 2 || (onnx_is_size(rows) && onnx_is_size(columns) && rows.value != columns.value))
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "`Det` is of square matrices.");
  else
    onnx_out(infer, 0, type->element, type->dims, type->rank - 2);
}

/// As many numbers as n-grams have places.
void onnx_infer_tf_idf(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  const int64_t *places;
  uint32_t count;
  if (!type || !onnx_attr_ints(infer, "ngram_indexes", &places, &count))
    return;
  int64_t last = -1;
  bool is_good = count > 0 && type->rank >= 1 && type->rank <= 2;
  for (uint32_t i = 0; i < count && is_good; i++) {
    is_good = places[i] >= 0 && places[i] < INT64_MAX;
    last = places[i] > last ? places[i] : last;
  }
  if (!is_good) {
    onnx_infer_fail(infer, onnx_infer_at(infer, 0),
                    "`TfIdfVectorizer` wants a list or a matrix, and places of n-grams that are not negative.");
    return;
  }
  OnnxDim dims[] = { type->dims[0], onnx_size(last + 1) };
  onnx_out(infer, 0, ELEM_FLOAT, type->rank == 2 ? dims : &dims[1], type->rank);
}

// --- Einsum ---

enum { LABELS = 52 };

/// The dimensions that letters stand for, and those of an ellipsis.
typedef struct Labels {
  OnnxDim dims[LABELS];
  uint32_t uses[LABELS];
  OnnxDim first;  ///< Of the letter that came first.
  uint32_t count;
  OnnxDim rest[LABELS];
  uint32_t rest_count;
  uint32_t rest_uses;
} Labels;

/// 0 to 51; LABELS for what is no letter.
static uint32_t label_of(char c)
{
  if (c >= 'a' && c <= 'z')
    return (uint32_t)(c - 'a') + 26;
  return c >= 'A' && c <= 'Z' ? (uint32_t)(c - 'A') : LABELS;
}

static const Str ellipsis = STR_INIT("...");

static bool is_ellipsis(Str term, size_t at)
{
  return str_equal(str_slice(term, at, at + ellipsis.len), ellipsis);
}

/// The dimensions from `first` on that no letter stands for; the first operand counts, but where it has 1. Of those of
/// several operands only as many each are known.
static bool bind_ellipsis(Labels *labels, const OnnxType *type, uint32_t first, uint32_t count)
{
  if (count > LABELS || (labels->rest_uses > 0 && labels->rest_count != count))
    return false;
  for (uint32_t i = 0; i < count; i++) {
    OnnxDim dim = type->dims[first + i];
    bool is_one = onnx_is_size(labels->rest[i]) && labels->rest[i].value == 1;
    if (labels->rest_uses == 0 || (is_one && onnx_is_size(dim)))
      labels->rest[i] = dim;
  }
  labels->rest_count = count;
  labels->rest_uses++;
  return true;
}

static uint32_t count_letters(Str term)
{
  uint32_t letters = 0;
  for (size_t i = 0; i < term.len; i++)
    letters += label_of(term.data[i]) != LABELS;
  return letters;
}

/// Reads the letters of one operand; false if it has others, or not as many as the input has dimensions.
static bool bind_labels(Labels *labels, Str term, const OnnxType *type)
{
  uint32_t rank = 0;
  uint32_t letters = count_letters(term);
  uint32_t rest = letters <= type->rank ? type->rank - letters : UINT32_MAX;
  for (size_t i = 0; i < term.len; i++) {
    uint32_t label = label_of(term.data[i]);
    if (term.data[i] == ' ')
      continue;
    // A second ellipsis finds too few dimensions left.
    if (is_ellipsis(term, i) && rest <= type->rank - rank && bind_ellipsis(labels, type, rank, rest)) {
      rank += rest;
      i += ellipsis.len - 1;
      continue;
    }
    if (label == LABELS || rank == type->rank)
      return false;
    if (labels->count++ == 0)
      labels->first = type->dims[rank];
    if (labels->uses[label]++ == 0)  // As onnx, which asks nobody else.
      labels->dims[label] = type->dims[rank];
    rank++;
  }
  return rank == type->rank;
}

static void put_rest(const Labels *labels, OnnxDim *dims, uint32_t *rank)
{
  memcpy(dims + *rank, labels->rest, labels->rest_count * sizeof(*dims));
  *rank += labels->rest_count;
}

/// The letters of the result: those after the arrow, else all that occur once, sorted, after the ellipsis.
static bool collect_result(const Labels *labels, Str result, bool is_given, OnnxDim *dims, uint32_t *ret_rank)
{
  uint32_t rank = 0;
  if (!is_given)
    put_rest(labels, dims, &rank);
  for (uint32_t label = 0; !is_given && label < LABELS; label++) {
    if (labels->uses[label] == 1)
      dims[rank++] = labels->dims[label];
  }
  for (size_t i = 0; is_given && i < result.len; i++) {
    uint32_t label = label_of(result.data[i]);
    if (result.data[i] == ' ')
      continue;
    if (is_ellipsis(result, i) && labels->rest_uses > 0 && rank <= LABELS) {
      put_rest(labels, dims, &rank);
      i += ellipsis.len - 1;
      continue;
    }
    if (result.data[i] == '.' || rank >= LABELS)
      return false;
    if (label == LABELS)
      continue;                                                                    // As onnx does.
    dims[rank++] = labels->uses[label] > 0 ? labels->dims[label] : labels->first;  // As onnx takes an unknown one.
  }
  *ret_rank = rank;
  return true;
}

/// A letter for each dimension of the operand, unless an ellipsis stands for some.
static bool check_term(OnnxInfer *infer, Str term, const OnnxType *type, uint32_t input)
{
  uint32_t letters = count_letters(term);
  bool has_rest = letters < type->rank && str_contains(term, STR("."));
  return letters == type->rank || has_rest ||
         onnx_infer_fail(infer, onnx_infer_at(infer, input), "`%.*s` has %u letters, and this is of rank %u.",
                         STR_ARG(term), letters, type->rank);
}

/// An ellipsis stands for as many dimensions in each operand.
static bool check_rest(OnnxInfer *infer, const Labels *labels, Str term, const OnnxType *type, uint32_t input)
{
  uint32_t rest = type->rank - count_letters(term);
  return labels->rest_uses == 0 || labels->rest_count == rest || !str_contains(term, ellipsis) ||
         onnx_infer_fail(infer, onnx_infer_at(infer, input), "The ellipsis is %u dimensions here, and %u before.", rest,
                         labels->rest_count);
}

static bool check_operands(OnnxInfer *infer, Str operands)
{
  uint32_t count = 1;
  for (size_t i = 0; i < operands.len; i++)
    count += operands.data[i] == ',';
  return count == infer->node->inputs.count ||
         onnx_infer_fail(infer, onnx_infer_at_attr(infer, "equation"),
                         "The equation is of %u tensors, and there are %u.", count, infer->node->inputs.count);
}

static bool is_all_shaped(const OnnxInfer *infer)
{
  uint32_t i = 0;
  while (i < infer->node->inputs.count && onnx_shaped(infer, i))
    i++;
  return i == infer->node->inputs.count;
}

void onnx_infer_einsum(OnnxInfer *infer)
{
  Str equation;
  if (!onnx_attr_text(infer, "equation", "", &equation) || equation.len == 0 || !is_all_shaped(infer))
    return;
  size_t arrow = str_find(equation, STR("->"), 0);
  Str operands = str_slice(equation, 0, arrow);
  if (!check_operands(infer, operands))
    return;
  Labels labels = { 0 };
  uint32_t input = 0;
  for (size_t start = 0, end = 0; end != STR_NOT_FOUND; start = end + 1, input++) {
    end = str_find_char(operands, ',', start);
    const OnnxType *type = onnx_shaped(infer, input);
    Str term = str_slice(operands, start, end);
    if (!check_term(infer, term, type, input) || !check_rest(infer, &labels, term, type, input) ||
        !bind_labels(&labels, term, type))
      return;
  }
  OnnxDim dims[2 * LABELS];
  uint32_t rank;
  bool is_given = arrow != STR_NOT_FOUND;
  Str result = is_given ? str_slice(equation, arrow + 2, equation.len) : (Str){ 0 };
  if (collect_result(&labels, result, is_given, dims, &rank))
    onnx_out(infer, 0, onnx_element(infer, 0), dims, rank);
}
