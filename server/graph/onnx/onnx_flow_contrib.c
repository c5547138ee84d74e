// What a session knows of operators of com.microsoft: which types they take and give, and a few shapes. The checker
// keeps silent about all that, so only the walk that goes as a session does comes here.

#include "graph/onnx/onnx_flow.h"

// --- The schema, as words ---

/// "A:T B:T? > Y:T= ; T=float,float16 ; T float16", as facts/contributed.def has it.
typedef struct Words {
  Arena *arena;
  bool is_newer;  ///< Of the release with opset 23, or after.
  Str rest;
} Words;

/// Up to the next blank; empty at the end.
static Str next_word(Words *words)
{
  size_t end = str_find_char(words->rest, ' ', 0);
  Str word = str_slice(words->rest, 0, end);
  words->rest = end == STR_NOT_FOUND ? (Str){ 0 } : str_slice(words->rest, end + 1, words->rest.len);
  return word;
}

static bool take_mark(Str *word, char mark)
{
  bool is_there = word->len > 0 && word->data[word->len - 1] == mark;
  word->len -= is_there;
  return is_there;
}

static OnnxParam read_param(Str word, bool *ret_hands_on_shape)
{
  size_t colon = str_find_char(word, ':', 0);
  OnnxParam param = { .name = str_slice(word, 0, colon) };
  Str type = str_slice(word, colon + 1, word.len);
  *ret_hands_on_shape = take_mark(&type, '=');
  param.heterogeneous = take_mark(&type, '!');
  param.option = take_mark(&type, '?') ? ONNX_OPTIONAL : take_mark(&type, '*') ? ONNX_VARIADIC : ONNX_SINGLE;
  param.type = type;
  return param;
}

/// Parameters up to `>` or `;`; the last one says whether the first output is of the shape of the first input.
static const OnnxParam *read_params(Words *words, uint32_t *ret_count, bool *ret_hands_on_shape)
{
  OnnxParam *params = ARENA_ARRAY(words->arena, OnnxParam, words->rest.len / 4 + 1);
  bool is_marked = false;
  *ret_count = 0;
  for (Str word = next_word(words); word.len > 1; word = next_word(words)) {
    params[(*ret_count)++] = read_param(word, &is_marked);
    *ret_hands_on_shape |= is_marked;
  }
  return params;
}

/// "float,float16+": `+` is there in newer releases alone, `-` in older ones.
static OnnxConstraint read_constraint(const Words *words, Str word)
{
  size_t equal = str_find_char(word, '=', 0);
  OnnxConstraint constraint = { .name = str_slice(word, 0, equal) };
  Str *types = ARENA_ARRAY(words->arena, Str, word.len / 4 + 1);
  for (size_t start = equal + 1, end = 0; end != STR_NOT_FOUND; start = end + 1) {
    end = str_find_char(word, ',', start);
    Str type = str_slice(word, start, end);
    bool is_new = take_mark(&type, '+');
    bool is_old = take_mark(&type, '-');
    bool is_tensor = str_find_char(type, '(', 0) == STR_NOT_FOUND;
    if ((is_new && !words->is_newer) || (is_old && words->is_newer))
      continue;
    types[constraint.type_count] = is_tensor ? arena_printf(words->arena, "tensor(%.*s)", STR_ARG(type)) : type;
    constraint.elements |= onnx_tensor_bit(types[constraint.type_count++]);
  }
  constraint.types = types;
  return constraint;
}

static OnnxSchema read_schema(Words *words, bool *ret_hands_on_shape)
{
  OnnxSchema schema = { .since = 1 };
  schema.inputs = read_params(words, &schema.input_count, ret_hands_on_shape);
  schema.outputs = read_params(words, &schema.output_count, ret_hands_on_shape);
  OnnxConstraint *constraints = ARENA_ARRAY(words->arena, OnnxConstraint, words->rest.len / 4 + 1);
  for (Str word = next_word(words); word.len > 1; word = next_word(words))
    constraints[schema.constraint_count++] = read_constraint(words, word);
  schema.constraints = constraints;
  return schema;
}

// --- Kernels ---

/// Conditions are what is left of the words: "T double bfloat16, -T float" where `-` is about older releases.
static void check_gaps(OnnxInfer *infer, Words *words)
{
  for (size_t start = 0, end = 0; words->rest.len > 0 && end != STR_NOT_FOUND; start = end + 2) {
    end = str_find(words->rest, STR(", "), start);
    Str condition = str_slice(words->rest, start, end);
    bool is_old = str_starts_with(condition, STR("-"));
    Str types;
    if ((is_old && words->is_newer) ||
        !onnx_meets_condition(infer, str_slice(condition, is_old, condition.len), &types))
      continue;
    onnx_infer_fail(infer, infer->node->op_at, "There is no kernel for `%.*s` with %.*s.", STR_ARG(infer->node->op),
                    STR_ARG(types));
    return;
  }
}

// --- Shapes ---

/// Whether the attribute is 1, or anything else that is not 0; so also if that is not known.
static bool is_set(const OnnxInfer *infer, const char *name)
{
  int64_t flag;
  return !onnx_attr_int(infer, name, 0, &flag) || flag != 0;
}

/// A matrix, or a stack of them, as it is multiplied.
static const OnnxType *turned(OnnxInfer *infer, uint32_t i, const char *attribute)
{
  const OnnxType *type = onnx_shaped(infer, i);
  if (!type || type->rank < 2 || !is_set(infer, attribute))
    return type;
  OnnxDim *dims = onnx_dims_of(infer, type);
  dims[type->rank - 2] = type->dims[type->rank - 1];
  dims[type->rank - 1] = type->dims[type->rank - 2];
  return onnx_make(infer->arena, type->element, dims, type->rank);
}

static void infer_matmul(OnnxInfer *infer)
{
  if (is_set(infer, "transBatchA") || is_set(infer, "transBatchB"))
    return;
  uint32_t element = infer->out[0] ? infer->out[0]->element : onnx_element(infer, 0);
  onnx_infer_product(infer, turned(infer, 0, "transA"), turned(infer, 1, "transB"), 1, element);
}

static void infer_matmul_integer(OnnxInfer *infer)
{
  onnx_out(infer, 0, ELEM_INT32, NULL, ONNX_NO_RANK);
}

static void infer_hash(OnnxInfer *infer)
{
  int64_t is_positive;
  if (onnx_attr_int(infer, "positive", 1, &is_positive))
    onnx_out_like_first(infer, 0, is_positive == 1 ? ELEM_UINT32 : ELEM_INT32);
}

/// A zero point for the output says that it is quantized.
static void infer_quantized_gemm(OnnxInfer *infer)
{
  enum { ZERO_POINT = 8 };
  if (!onnx_has_input(infer, ZERO_POINT))
    onnx_out(infer, 0, ELEM_FLOAT, NULL, ONNX_NO_RANK);
  else if (onnx_element(infer, ZERO_POINT) != 0)
    onnx_out(infer, 0, onnx_element(infer, ZERO_POINT), NULL, ONNX_NO_RANK);
}

/// `K` is the size of the last dimension, `N` what becomes of it.
static void infer_matmul_nbits(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  int64_t inner, outer;
  if (!type || !onnx_attr_int(infer, "K", 0, &inner) || !onnx_attr_int(infer, "N", 0, &outer))
    return;
  OnnxDim *dims = onnx_dims_of(infer, type);
  OnnxDim *last = &dims[type->rank - 1];
  if (onnx_is_size(*last) && last->value != inner) {
    onnx_infer_fail(infer, onnx_infer_at_attr(infer, "K"), "`K` is %lld, and the last dimension of `%.*s` %lld.",
                    (long long)inner, STR_ARG(infer->node->inputs.items[0].text), (long long)last->value);
    return;
  }
  *last = onnx_size(outer);
  onnx_out(infer, 0, type->element, dims, type->rank);
}

/// Each is followed by its scale and its zero point.
static void infer_quantized_pair(OnnxInfer *infer)
{
  const OnnxType *types[] = { onnx_shaped(infer, 0), onnx_shaped(infer, 3) };
  OnnxDim *dims;
  uint32_t rank;
  if (types[0] && types[1] && onnx_broadcast(infer, types, COUNT(types), &dims, &rank))
    onnx_out(infer, 0, types[0]->element, dims, rank);
}

static void infer_inverse(OnnxInfer *infer)
{
  const OnnxType *type = onnx_shaped(infer, 0);
  if (!type)
    return;
  OnnxDim rows = type->dims[type->rank - 2];
  OnnxDim columns = type->dims[type->rank - 1];
  if (onnx_is_size(rows) && onnx_is_size(columns) && rows.value != columns.value)
    onnx_infer_fail(infer, onnx_infer_at(infer, 0), "`Inverse` wants square matrices.");
}

/// Without a zero point the numbers are of 8 bits without a sign.
static void infer_quantize(OnnxInfer *infer)
{
  if (!onnx_has_input(infer, 2))
    onnx_out_like_first(infer, 0, ELEM_UINT8);
}

typedef struct Rank {
  const char *op;
  uint32_t input;
  uint32_t least, most;
  uint32_t other;     ///< One that is taken, too.
  uint32_t if_known;  ///< An input whose shape has to be known, so that somebody asks.
} Rank;

/// Source: what sessions of onnxruntime 1.21 and 1.23 said of each rank.
static const Rank ranks[] = {
  { "Attention", 0, 3, 3, 3, 2 },
  { "CropAndResize", 0, 4, 4, 4, 0 },
  { "DecoderMaskedMultiHeadAttention", 0, 3, 3, 5, 0 },
  { "DynamicQuantizeLSTM", 0, 3, 3, 3, 0 },
  { "DynamicQuantizeMatMul", 0, 1, UINT32_MAX, 1, 1 },
  { "DynamicQuantizeMatMul", 1, 1, UINT32_MAX, 1, 0 },
  { "FusedConv", 0, 2, UINT32_MAX, 2, 1 },
  { "FusedMatMul", 0, 1, UINT32_MAX, 1, 1 },
  { "FusedMatMul", 1, 1, UINT32_MAX, 1, 0 },
  { "GroupQueryAttention", 0, 3, 3, 3, 0 },
  { "Inverse", 0, 2, UINT32_MAX, 2, 0 },
  { "MatMulIntegerToFloat", 0, 1, UINT32_MAX, 1, 1 },
  { "MatMulIntegerToFloat", 1, 1, UINT32_MAX, 1, 0 },
  { "MatMulNBits", 0, 1, UINT32_MAX, 1, 0 },
  { "MultiHeadAttention", 0, 3, 3, 5, 0 },
  { "QAttention", 0, 3, 3, 3, 2 },
  { "QGemm", 0, 2, 2, 2, 3 },
  { "QGemm", 3, 2, 2, 2, 0 },
  { "QLinearAdd", 1, 0, 0, 0, 1 },
  { "QLinearAdd", 4, 0, 0, 0, 4 },
  { "QLinearMul", 1, 0, 0, 0, 1 },
  { "QLinearMul", 4, 0, 0, 0, 4 },
  { "SparseAttention", 0, 3, 3, 3, 0 },
};

static bool are_ranks_right(OnnxInfer *infer)
{
  for (size_t i = 0; i < COUNT(ranks); i++) {
    const Rank *row = &ranks[i];
    const OnnxType *type = onnx_shaped(infer, row->input);
    if (!type || !str_equal(infer->node->op, str_from(row->op)) || !onnx_shaped(infer, row->if_known) ||
        (type->rank >= row->least && type->rank <= row->most) || type->rank == row->other)
      continue;
    return onnx_infer_fail(infer, onnx_infer_at(infer, row->input), "`%.*s` wants rank %u; this is of rank %u.",
                           STR_ARG(infer->node->op), row->least, type->rank);
  }
  return true;
}

static void infer_shape(OnnxInfer *infer, bool hands_on_shape)
{
  static const struct {
    const char *op;
    OnnxInferFunction *function;
  } functions[] = {
    { "DynamicQuantizeMatMul", infer_matmul },
    { "FusedMatMul", infer_matmul },
    { "Inverse", infer_inverse },
    { "MatMulInteger16", infer_matmul_integer },
    { "MatMulIntegerToFloat", infer_matmul },
    { "MatMulNBits", infer_matmul_nbits },
    { "MurmurHash3", infer_hash },
    { "QGemm", infer_quantized_gemm },
    { "QLinearAdd", infer_quantized_pair },
    { "QLinearMul", infer_quantized_pair },
    { "QuantizeLinear", infer_quantize },
    { "TransposeMatMul", infer_matmul },
  };
  if (hands_on_shape && onnx_has_output(infer, 0) && infer->out[0])
    onnx_out_like_first(infer, 0, infer->out[0]->element);
  for (size_t i = 0; i < COUNT(functions); i++) {
    if (str_equal(infer->node->op, str_from(functions[i].op)) && !infer->has_failed)
      functions[i].function(infer);
  }
}

// --- Attributes that no kernel is made of ---

typedef struct Wanted {
  const char *op;
  const char *attribute;
  const char *words;  ///< Of a text: one of these, each with how many `activation_params` it takes, or `*`.
  int64_t least;      ///< Of a number.
  int64_t most;
} Wanted;

/// Source: what sessions of onnxruntime 1.21 and 1.23 said of each value.
static const Wanted wanted[] = {
  { "Attention", "num_heads", NULL, 1, INT64_MAX },
  { "CDist", "metric", "euclidean:* sqeuclidean:*", 0, 0 },
  { "FusedConv", "activation", "Relu:* Tanh:* Sigmoid:* LeakyRelu:1 Clip:2 HardSigmoid:2", 0, 0 },
  { "FusedGemm", "activation",
    "Relu:* Tanh:* Sigmoid:* Softplus:* Softsign:* LeakyRelu:* HardSigmoid:* Elu:* Selu:* ThresholdedRelu:* Celu:* "
    "ParametricSoftplus:*",
    0, 0 },
  { "GroupQueryAttention", "kv_num_heads", NULL, 1, INT64_MAX },
  { "GroupQueryAttention", "num_heads", NULL, 1, INT64_MAX },
  { "MatMulBnb4", "quant_type", NULL, 0, 1 },
  { "MatMulNBits", "N", NULL, 0, INT64_MAX },
  { "MatMulNBits", "bits", NULL, 4, 8 },
  { "MatMulNBits", "block_size", NULL, 0, INT64_MAX },
  { "MultiHeadAttention", "num_heads", NULL, 1, INT64_MAX },
  { "QAttention", "num_heads", NULL, 1, INT64_MAX },
  { "Tokenizer", "mincharnum", NULL, 1, INT64_MAX },
};

static bool takes_word(const OnnxInfer *infer, const char *words, Str text)
{
  const OnnxAttr *params = onnx_attr(infer, "activation_params");
  Words rest = { .rest = str_from(words) };
  for (Str word = next_word(&rest); word.len > 0; word = next_word(&rest)) {
    char count = word.data[word.len - 1];
    if (str_equal(str_slice(word, 0, word.len - 2), text))
      return count == '*' || (params ? params->count : 0) == (uint64_t)(count - '0');
  }
  return false;
}

/// Between 4 and 8 bits there is nothing, and 8 only in newer releases.
static bool takes_number(const Wanted *row, int64_t number, bool is_newer)
{
  bool is_bits = str_equal(str_from(row->attribute), STR("bits"));
  return number >= row->least && number <= row->most && (!is_bits || number == 4 || (is_newer && number == 8));
}

static void check_attributes(OnnxInfer *infer, bool is_newer)
{
  for (size_t i = 0; i < COUNT(wanted) && !infer->has_failed; i++) {
    const Wanted *row = &wanted[i];
    const OnnxAttr *attr = str_equal(infer->node->op, str_from(row->op)) ? onnx_attr(infer, row->attribute) : NULL;
    if (!attr || attr->is_reference)
      continue;
    if (row->words ? takes_word(infer, row->words, attr->text) : takes_number(row, attr->number, is_newer))
      continue;
    onnx_infer_fail(infer, attr->value_at, "There is no kernel for `%.*s` with this `%s`.", STR_ARG(infer->node->op),
                    row->attribute);
  }
}

static bool has_number(const OnnxInfer *infer, const char *name)
{
  int64_t number;
  return onnx_attr_int(infer, name, 0, &number) && number > 0;
}

/// What attributes say together.
static void check_together(OnnxInfer *infer)
{
  Str op = infer->node->op;
  const char *lacks = NULL;
  if (str_equal(op, STR("RotaryEmbedding")) && has_number(infer, "rotary_embedding_dim") &&
      !has_number(infer, "num_heads"))
    lacks = "num_heads";
  else if (str_equal(op, STR("Tokenizer")) && !onnx_attr(infer, "separators") && !onnx_attr(infer, "tokenexp"))
    lacks = "separators";
  else if (str_equal(op, STR("FusedGemm")) && !onnx_attr(infer, "activation"))
    lacks = "activation";
  if (lacks && !infer->has_failed)
    onnx_infer_fail(infer, infer->node->op_at, "There is no kernel for `%.*s` without `%s`.", STR_ARG(op), lacks);
}

void onnx_follow_contributed(OnnxFlow *flow, const OnnxNode *node, const char *types)
{
  enum { OPSET_OF_NEWER = 23 };
  bool hands_on_shape = false;
  arena_done(&flow->scratch);
  Words words = { .arena = &flow->scratch,
                  .is_newer = flow->check->runtime.limits->opset >= OPSET_OF_NEWER,
                  .rest = str_from(types) };
  OnnxSchema schema = read_schema(&words, &hands_on_shape);
  OnnxInfer infer = { .flow = flow, .arena = flow->arena, .node = node, .schema = &schema };
  infer.out = ARENA_ARRAY(&flow->scratch, const OnnxType *, node->outputs.count);
  onnx_flow_schema_types(&infer);
  onnx_flow_check_types(&infer);
  if (!infer.has_failed && are_ranks_right(&infer))
    infer_shape(&infer, hands_on_shape);
  for (uint32_t i = 0; i < node->outputs.count; i++)
    onnx_flow_take_output(flow, &node->outputs.items[i], (OnnxKnown){ .type = infer.has_failed ? NULL : infer.out[i] });
  if (infer.has_failed)
    return;
  check_gaps(&infer, &words);
  check_attributes(&infer, words.is_newer);
  check_together(&infer);
}
