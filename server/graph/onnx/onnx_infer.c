// What the functions of operators share: inputs, attributes, dimensions, broadcasting.

#include "graph/onnx/onnx_flow.h"

// --- Reports ---

bool onnx_infer_fail(OnnxInfer *infer, OnnxSpan at, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  Str message = arena_vprintf(infer->flow->check->arena, format, args);
  va_end(args);
  infer->has_failed = true;
  onnx_flow_tell(infer->flow, at, RULE_SHAPE_MISMATCH, true, message);
  return false;
}

OnnxSpan onnx_infer_at(const OnnxInfer *infer, uint32_t input)
{
  if (input >= infer->node->inputs.count || infer->node->inputs.items[input].text.len == 0)
    return infer->node->op_at;
  return infer->node->inputs.items[input].at;
}

OnnxSpan onnx_infer_at_attr(const OnnxInfer *infer, const char *name)
{
  const OnnxAttr *attr = onnx_node_attr(infer->node, str_from(name));
  return attr ? attr->value_at : infer->node->op_at;
}

// --- Inputs ---

bool onnx_has_input(const OnnxInfer *infer, uint32_t i)
{
  return i < infer->node->inputs.count && infer->node->inputs.items[i].text.len > 0;
}

bool onnx_has_output(const OnnxInfer *infer, uint32_t i)
{
  return i < infer->node->outputs.count;
}

static const OnnxKnown *known_of(const OnnxInfer *infer, uint32_t i)
{
  if (!onnx_has_input(infer, i))
    return NULL;
  return &infer->flow->known[infer->node->inputs.items[i].symbol];
}

/// The same of values. In a graph inside of a node onnx knows none of those around it.
static const OnnxKnown *values_of(const OnnxInfer *infer, uint32_t i)
{
  OnnxFlow *flow = infer->flow;
  const OnnxKnown *known = known_of(infer, i);
  if (!known || flow->follows != ONNX_FOLLOWS_NO_SIZES || known->depth == flow->open.count)
    return known;
  flow->check->computes_constants |= known->is_constant;  // A session does.
  return NULL;
}

const OnnxType *onnx_input(const OnnxInfer *infer, uint32_t i)
{
  const OnnxKnown *known = known_of(infer, i);
  return known ? known->type : NULL;
}

const OnnxType *onnx_tensor(const OnnxInfer *infer, uint32_t i)
{
  const OnnxType *type = onnx_input(infer, i);
  return type && type->kind == ONNX_TYPE_TENSOR ? type : NULL;
}

uint32_t onnx_element(const OnnxInfer *infer, uint32_t i)
{
  const OnnxType *type = onnx_tensor(infer, i);
  return type ? type->element : 0;
}

const OnnxType *onnx_shaped(const OnnxInfer *infer, uint32_t i)
{
  const OnnxType *type = onnx_tensor(infer, i);
  return type && type->has_shape ? type : NULL;
}

bool onnx_is_constant(const OnnxInfer *infer, uint32_t i)
{
  const OnnxKnown *known = values_of(infer, i);
  bool is_computed = known && known->is_folded && infer->flow->follows == ONNX_FOLLOWS_CONSTANT_SIZES;
  return is_computed || (known && known->is_constant);
}

bool onnx_is_external(const OnnxInfer *infer, uint32_t i)
{
  const OnnxKnown *known = values_of(infer, i);
  return known && known->is_external;
}

bool onnx_is_counted(const OnnxInfer *infer, uint32_t i)
{
  const OnnxKnown *known = values_of(infer, i);
  return known && (known->numbers || known->is_external);
}

/// True after a report, or if somebody else has reported: onnx reads no files when it follows shapes, and a session
/// does not by then, so both refuse the model (onnx 1.20, onnxruntime 1.21 and 1.23).
static bool is_out_of_reach(OnnxInfer *infer, uint32_t i, const OnnxKnown *known)
{
  if (!known || !known->is_external)
    return false;
  if (!infer->has_failed)
    onnx_infer_fail(infer, onnx_infer_at(infer, i),
                    "`%.*s` needs the values of this for the shape of its output, and they are in another file, which "
                    "neither the checker nor ONNX Runtime reads for that: keep them in the model.",
                    STR_ARG(infer->node->op));
  return true;
}

static void refuse_misfit(OnnxInfer *infer, uint32_t i)
{
  if (!infer->has_failed)
    onnx_infer_fail(infer, onnx_infer_at(infer, i),
                    "`%.*s` reads the values of this, and there are not as many as its shape says.",
                    STR_ARG(infer->node->op));
}

bool onnx_floats_fit(OnnxInfer *infer, uint32_t i)
{
  const OnnxKnown *known = values_of(infer, i);
  if (!known || !known->misfits)
    return true;
  refuse_misfit(infer, i);
  return false;
}

bool onnx_constant_floats(OnnxInfer *infer, uint32_t i, float *ret_floats, size_t limit, size_t *ret_count)
{
  const OnnxKnown *known = values_of(infer, i);
  const OnnxModel *model = infer->flow->check->model;
  // All that is there counts, whatever the shape says, and not all is written.
  bool is_whole = known && known->floats && !onnx_is_noted(model, known->floats, STR(ONNX_MORE_NOTE)) &&
                  !onnx_is_noted(model, known->floats, STR(ONNX_RAW_NOTE));
  return !is_out_of_reach(infer, i, known) && is_whole && !known->misfits &&
         onnx_data_floats(infer->flow->check->model, known->floats, ret_floats, limit, ret_count);
}

bool onnx_raw_floats(const OnnxInfer *infer, uint32_t i, uint64_t *ret_count)
{
  const OnnxKnown *known = values_of(infer, i);
  uint64_t bytes = 0;
  bool is_odd = known && known->floats && !known->is_external &&
                onnx_noted_number(infer->flow->check->model, known->floats, STR(ONNX_RAW_NOTE), &bytes);
  *ret_count = bytes / sizeof(float);
  return is_odd;
}

const OnnxSizes *onnx_computed(const OnnxInfer *infer, uint32_t i)
{
  const OnnxKnown *known = values_of(infer, i);
  return known ? known->sizes : NULL;
}

const OnnxNumbers *onnx_constant(OnnxInfer *infer, uint32_t i)
{
  const OnnxKnown *known = values_of(infer, i);
  const OnnxNumbers *numbers = known ? known->numbers : NULL;
  if (is_out_of_reach(infer, i, known))
    return NULL;
  if (!numbers || !numbers->misfits)
    return numbers;
  refuse_misfit(infer, i);
  return NULL;
}

// --- Attributes ---

const OnnxAttr *onnx_attr(const OnnxInfer *infer, const char *name)
{
  return onnx_node_attr(infer->node, str_from(name));
}

/// Of an attribute without a value onnx sometimes takes the default, and else 0. Tried with onnx 1.20.
static bool is_default(const OnnxInfer *infer, const OnnxAttr *attr)
{
  static const char *const names[] = {
    "direction",     "end",          "group",           "hidden_size", "k",
    "output_height", "output_width", "output_datatype", "reduction",   "sample_size"
  };
  static const char *const with_axis[] = { "Flatten", "Hardmax", "LogSoftmax", "Softmax", "TopK" };
  if (!attr->lacks_value)
    return false;
  if (str_equal(attr->name.text, STR("axis")))
    return str_is_one_of(infer->node->op, with_axis, COUNT(with_axis));
  return str_is_one_of(attr->name.text, names, COUNT(names));
}

bool onnx_attr_int(const OnnxInfer *infer, const char *name, int64_t otherwise, int64_t *ret_value)
{
  const OnnxAttr *attr = onnx_attr(infer, name);
  *ret_value = attr && !is_default(infer, attr) ? attr->number : otherwise;
  return !attr || (attr->type == ONNX_INT && !attr->is_reference);
}

bool onnx_attr_ints(const OnnxInfer *infer, const char *name, const int64_t **ret_items, uint32_t *ret_count)
{
  const OnnxAttr *attr = onnx_attr(infer, name);
  *ret_items = attr ? attr->numbers : NULL;
  *ret_count = attr ? (uint32_t)attr->count : 0;
  return !attr || (attr->type == ONNX_INTS && !attr->is_reference);
}

bool onnx_attr_text(const OnnxInfer *infer, const char *name, const char *otherwise, Str *ret_text)
{
  const OnnxAttr *attr = onnx_attr(infer, name);
  *ret_text = attr && !is_default(infer, attr) ? attr->text : str_from(otherwise);
  return !attr || (attr->type == ONNX_STRING && !attr->is_reference);
}

bool onnx_attr_element(OnnxInfer *infer, const char *name, int64_t otherwise, int64_t *ret_element)
{
  if (!onnx_attr_int(infer, name, otherwise, ret_element))
    return false;
  return !onnx_attr(infer, name) || (*ret_element > 0 && *ret_element < ELEM_COUNT) ||
         onnx_infer_fail(infer, onnx_infer_at_attr(infer, name), "%lld is no element type.", (long long)*ret_element);
}

// --- Types and dimensions ---

/// A tensor of which no more is known than its elements: always the same few.
static const OnnxType *without_shape(uint32_t element)
{
  static const OnnxType types[ELEM_COUNT] = {
#define ELEMENT(number, id, word) [number] = { .kind = ONNX_TYPE_TENSOR, .element = (number) },
    ONNX_ELEMENTS(ELEMENT)
#undef ELEMENT
        [0] = { .kind = ONNX_TYPE_TENSOR },
  };
  return element < ELEM_COUNT ? &types[element] : NULL;
}

const OnnxType *onnx_make(Arena *arena, uint32_t element, const OnnxDim *dims, uint32_t rank)
{
  const OnnxType *known = rank == ONNX_NO_RANK ? without_shape(element) : NULL;
  if (known)
    return known;
  OnnxType *type = ARENA_NEW(arena, OnnxType);
  type->kind = ONNX_TYPE_TENSOR;
  type->element = element;
  type->has_shape = rank != ONNX_NO_RANK;
  type->rank = type->has_shape ? rank : 0;
  OnnxDim *copy = ARENA_ARRAY(arena, OnnxDim, type->rank);
  if (type->rank > 0)
    memcpy(copy, dims, type->rank * sizeof(*copy));
  type->dims = copy;
  return type;
}

static bool is_of_shape(const OnnxType *type, uint32_t element, const OnnxDim *dims, uint32_t rank)
{
  if (!type || type->element != element || type->rank != rank)
    return false;
  for (uint32_t i = 0; i < rank; i++) {
    if (!onnx_equal_dim(type->dims[i], dims[i]))
      return false;
  }
  return true;
}

static uint32_t slot_of(uint32_t element, const OnnxDim *dims, uint32_t rank)
{
  uint64_t hash = element * 31u + rank;
  for (uint32_t i = 0; i < rank; i++)
    hash = (hash ^ (uint64_t)dims[i].value ^ dims[i].param.len) * 0xFF51AFD7ED558CCDu;
  return (uint32_t)(hash >> 32) % ONNX_TYPES_KEPT;
}

void onnx_out(OnnxInfer *infer, uint32_t i, uint32_t element, const OnnxDim *dims, uint32_t rank)
{
  if (i >= infer->node->outputs.count)
    return;
  if (rank == ONNX_NO_RANK) {
    infer->out[i] = onnx_make(infer->arena, element, dims, rank);
    return;
  }
  const OnnxType **kept = &infer->flow->kept[slot_of(element, dims, rank)];
  if (!is_of_shape(*kept, element, dims, rank))
    *kept = onnx_make(infer->arena, element, dims, rank);
  infer->out[i] = *kept;
}

void onnx_out_like_first(OnnxInfer *infer, uint32_t i, uint32_t element)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  onnx_out(infer, i, element, type ? type->dims : NULL, type ? type->rank : ONNX_NO_RANK);
}

OnnxDim *onnx_dims(const OnnxInfer *infer, uint32_t rank)
{
  return ARENA_ARRAY(&infer->flow->scratch, OnnxDim, rank + 1);
}

OnnxDim *onnx_dims_of(const OnnxInfer *infer, const OnnxType *type)
{
  OnnxDim *dims = onnx_dims(infer, type->rank);
  if (type->rank > 0)
    memcpy(dims, type->dims, type->rank * sizeof(*dims));
  return dims;
}

bool onnx_same_dim(OnnxDim a, OnnxDim b)
{
  if (a.kind != b.kind || a.kind == ONNX_DIM_UNKNOWN)
    return false;
  return a.kind == ONNX_DIM_VALUE ? a.value == b.value : str_equal(a.param, b.param);
}

bool onnx_equal_dim(OnnxDim a, OnnxDim b)
{
  return onnx_same_dim(a, b) || (a.kind == ONNX_DIM_UNKNOWN && b.kind == ONNX_DIM_UNKNOWN);
}

OnnxDim onnx_product(const OnnxType *type, uint32_t first, uint32_t end)
{
  int64_t product = 1;
  uint32_t names = 0;
  OnnxDim named = { 0 };
  for (uint32_t i = first; i < end; i++) {
    if (!onnx_is_size(type->dims[i])) {
      named = type->dims[i];
      names++;
    } else if (__builtin_mul_overflow(product, type->dims[i].value, &product)) {
      return (OnnxDim){ 0 };
    }
  }
  if (names == 0)
    return onnx_size(product);
  return names == 1 && product == 1 ? named : (OnnxDim){ 0 };
}

bool onnx_axis(OnnxInfer *infer, int64_t axis, uint32_t rank, const char *name, uint32_t *ret_axis)
{
  if (axis < -(int64_t)rank || axis >= (int64_t)rank)
    return onnx_infer_fail(infer, onnx_infer_at_attr(infer, name),
                           "`%s` is %lld, and `%.*s` has a tensor of rank %u to choose from.", name, (long long)axis,
                           STR_ARG(infer->node->op), rank);
  *ret_axis = (uint32_t)(axis < 0 ? axis + rank : axis);
  return true;
}

/// One dimension of several shapes, aligned at their ends.
static bool broadcast_dim(OnnxInfer *infer, const OnnxType *const *types, uint32_t count, uint32_t from_end,
                          OnnxDim *ret_dim)
{
  int64_t size = 1;
  OnnxDim named = { 0 };
  uint32_t names = 0;
  for (uint32_t k = 0; k < count; k++) {
    if (from_end > types[k]->rank)
      continue;
    OnnxDim dim = types[k]->dims[types[k]->rank - from_end];
    if (!onnx_is_size(dim)) {
      names += names == 0 || !onnx_same_dim(named, dim);
      named = names == 1 ? dim : named;
    } else if (dim.value != 1 && size != 1 && dim.value != size) {
      return onnx_infer_fail(infer, onnx_infer_at(infer, k),
                             "`%.*s` can't broadcast: dimension %u from the end is %lld here, and %lld before.",
                             STR_ARG(infer->node->op), from_end, (long long)dim.value, (long long)size);
    } else if (dim.value != 1) {
      size = dim.value;
    }
  }
  *ret_dim = size != 1 || names == 0 ? onnx_size(size) : names == 1 ? named : (OnnxDim){ 0 };
  return true;
}

bool onnx_broadcast(OnnxInfer *infer, const OnnxType *const *types, uint32_t count, OnnxDim **ret_dims,
                    uint32_t *ret_rank)
{
  uint32_t rank = 0;
  for (uint32_t k = 0; k < count; k++)
    rank = types[k]->rank > rank ? types[k]->rank : rank;
  *ret_rank = rank;
  *ret_dims = onnx_dims(infer, rank);
  for (uint32_t i = 0; i < rank; i++) {
    if (!broadcast_dim(infer, types, count, rank - i, &(*ret_dims)[i]))
      return false;
  }
  return true;
}
