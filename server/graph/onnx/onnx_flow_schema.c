// Types by the schema: which element types an operator takes, and which of its outputs are of the type of an input.

#include "base/buffer.h"
#include "base/limits.h"
#include "graph/onnx/onnx_flow.h"

Str onnx_type_word(const OnnxType *type, Arena *arena)
{
  Buffer out = { 0 };
  size_t open = 0;
  if (type && type->kind == ONNX_TYPE_TENSOR)  // As most are.
    return onnx_tensor_word(type->element);
  for (; type; type = type->inner) {
    static const char *const words[] = { [ONNX_TYPE_SEQUENCE] = "seq(", [ONNX_TYPE_OPTIONAL] = "optional(" };
    if (type->kind == ONNX_TYPE_SEQUENCE || type->kind == ONNX_TYPE_OPTIONAL)
      buffer_append(&out, str_from(words[type->kind]));
    else if (type->kind == ONNX_TYPE_MAP)
      buffer_printf(&out, "map(%.*s,", STR_ARG(onnx_element_word(type->element)));
    else if (type->kind == ONNX_TYPE_OPAQUE)
      buffer_append(&out, STR("opaque("));
    else
      buffer_printf(&out, "%s(%.*s", type->kind == ONNX_TYPE_SPARSE ? "sparse_tensor" : "tensor",
                    STR_ARG(onnx_element_word(type->element)));
    open++;
  }
  while (open-- > 0)
    buffer_append(&out, STR(")"));
  Str word = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return word;
}

Str onnx_type_text(const OnnxType *type, Arena *arena)
{
  Buffer out = { 0 };
  if (!type || type->kind != ONNX_TYPE_TENSOR || type->element == 0)
    return type && type->kind == ONNX_TYPE_SEQUENCE ? onnx_type_word(type, arena) : (Str){ 0 };
  buffer_append(&out, onnx_element_word(type->element));
  for (uint32_t i = 0; i < type->rank; i++) {
    buffer_append(&out, i == 0 ? STR("[") : STR(","));
    if (type->dims[i].kind == ONNX_DIM_VALUE)
      buffer_printf(&out, "%lld", (long long)type->dims[i].value);
    else
      buffer_append(&out, type->dims[i].kind == ONNX_DIM_PARAM ? type->dims[i].param : STR("?"));
  }
  buffer_append(&out, !type->has_shape ? STR("[]") : type->rank > 0 ? STR("]") : STR(""));
  Str text = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return text;
}

/// Whether it is all known, down to the element type.
static bool is_whole(const OnnxType *type)
{
  for (; type; type = type->inner) {
    if (type->kind == ONNX_TYPE_OPAQUE)
      return true;
    if (type->kind == ONNX_TYPE_NONE)
      return false;
    if (type->kind == ONNX_TYPE_TENSOR || type->kind == ONNX_TYPE_SPARSE)
      return type->element != 0;
  }
  return false;
}

const OnnxParam *onnx_param_at(const OnnxParam *params, uint32_t count, uint32_t i)
{
  if (count == 0)
    return NULL;
  return &params[i < count ? i : count - 1];
}

/// Passes over what says nothing: blanks, brackets that close, and the "tensor(" that facts leave out in maps.
static size_t skip_noise(Str word, size_t at)
{
  static const Str tensor = STR_INIT("tensor(");
  for (;;) {
    if (at < word.len && (word.data[at] == ' ' || word.data[at] == ')'))
      at++;
    else if (str_starts_with(str_slice(word, at, word.len), tensor))
      at += tensor.len;
    else
      return at;
  }
}

static bool same_word(Str a, Str b)
{
  size_t i = 0;
  size_t k = 0;
  if (str_equal(a, b))
    return true;
  for (;;) {
    i = skip_noise(a, i);
    k = skip_noise(b, k);
    if (i == a.len || k == b.len)
      return i == a.len && k == b.len;
    if (a.data[i++] != b.data[k++])
      return false;
  }
}

static bool same_type(const OnnxType *a, const OnnxType *b, Arena *arena)
{
  bool are_tensors = a->kind == ONNX_TYPE_TENSOR && b->kind == ONNX_TYPE_TENSOR;  // As nearly all are.
  return are_tensors ? a->element == b->element : same_word(onnx_type_word(a, arena), onnx_type_word(b, arena));
}

static bool is_allowed(const OnnxSchema *schema, const OnnxParam *param, const OnnxType *type, Arena *arena)
{
  const OnnxConstraint *constraint = onnx_schema_constraint(schema, param->type);
  if (constraint && constraint->type_count == 0)
    return true;
  if (constraint && type->kind == ONNX_TYPE_TENSOR)
    return constraint->elements >> type->element & 1;
  Str word = onnx_type_word(type, arena);
  if (!constraint)
    return same_word(param->type, word);
  for (uint32_t i = 0; i < constraint->type_count; i++) {
    if (same_word(constraint->types[i], word))
      return true;
  }
  return false;
}

// --- Names of types, bound by inputs ---

typedef struct Bound {
  Str name;
  const OnnxType *type;
} Bound;

typedef struct Bounds {
  Bound items[ONNX_BOUND_LIMIT];
  uint32_t count;
} Bounds;

static Bound *find_bound(Bounds *bounds, Str name)
{
  for (uint32_t i = 0; i < bounds->count; i++) {
    if (str_equal(bounds->items[i].name, name))
      return &bounds->items[i];
  }
  return NULL;
}

static void bind(Bounds *bounds, const OnnxParam *param, const OnnxType *type)
{
  if (!param->heterogeneous && bounds->count < ONNX_BOUND_LIMIT && !find_bound(bounds, param->type))
    bounds->items[bounds->count++] = (Bound){ param->type, type };
}

static void bind_inputs(OnnxInfer *infer, Bounds *bounds)
{
  const OnnxSchema *schema = infer->schema;
  for (uint32_t i = 0; i < infer->node->inputs.count; i++) {
    const OnnxParam *param = onnx_param_at(schema->inputs, schema->input_count, i);
    const OnnxType *type = onnx_input(infer, i);
    if (param && type && is_whole(type))
      bind(bounds, param, type);
  }
}

/// The type that the schema alone gives an output; 0 if it leaves a choice.
static uint32_t only_element(const OnnxSchema *schema, const OnnxParam *param)
{
  const OnnxConstraint *constraint = onnx_schema_constraint(schema, param->type);
  if (!constraint)
    return onnx_tensor_element(param->type);
  return constraint->type_count == 1 ? onnx_tensor_element(constraint->types[0]) : 0;
}

/// The element type, through sequences and the like; the shape is for the operator's own function.
static const OnnxType *without_shape(Arena *arena, const OnnxType *type)
{
  return type->kind == ONNX_TYPE_TENSOR ? onnx_make(arena, type->element, NULL, ONNX_NO_RANK) : NULL;
}

void onnx_flow_schema_types(OnnxInfer *infer)
{
  const OnnxSchema *schema = infer->schema;
  Bounds bounds = { 0 };
  bind_inputs(infer, &bounds);
  for (uint32_t i = 0; i < infer->node->outputs.count; i++) {
    const OnnxParam *param = onnx_param_at(schema->outputs, schema->output_count, i);
    if (!param)
      continue;
    const Bound *bound = param->heterogeneous ? NULL : find_bound(&bounds, param->type);
    uint32_t element = only_element(schema, param);
    if (bound)
      infer->out[i] = without_shape(infer->arena, bound->type);
    else if (element)
      infer->out[i] = onnx_make(infer->arena, element, NULL, ONNX_NO_RANK);
  }
}

// --- Checks ---

static void fail(OnnxInfer *infer)
{
  infer->has_failed = true;
  infer->flow->failures++;
}

/// Types that onnx passes: in a body where it keeps silent about the graph around it, and of a node that it has refused
/// in silence before it came to them, as it has where its own function meets what is no tensor.
static Severity severity_here(const OnnxInfer *infer, const OnnxType *type)
{
  OnnxFlow *flow = infer->flow;
  bool has_failed = infer->has_failed || type->kind != ONNX_TYPE_TENSOR;
  bool is_silenced = flow->unsure > vec_last(&flow->open)->is_unsure;
  return is_silenced || (has_failed && flow->unsure > 0) ? SEVERITY_WARNING : SEVERITY_ERROR;
}

/// A walk that goes as a session does tells what it refuses.
static void misfit(OnnxInfer *infer, const OnnxType *type, OnnxSpan at, Str message)
{
  OnnxFlow *flow = infer->flow;
  if (flow->follows == ONNX_FOLLOWS_CONSTANT_SIZES)
    onnx_flow_tell(flow, at, RULE_TYPE_MISMATCH, true, message);
  else
    onnx_report(flow->check, at, RULE_TYPE_MISMATCH, severity_here(infer, type), "%.*s", STR_ARG(message));
  fail(infer);
}

static void check_one(OnnxInfer *infer, Bounds *bounds, const OnnxParam *param, const OnnxType *type, OnnxSpan at,
                      const char *what)
{
  Arena *arena = infer->flow->check->arena;
  if (!is_allowed(infer->schema, param, type, arena)) {
    misfit(infer, type, at,
           arena_printf(arena, "`%.*s` %s no %.*s as `%.*s`.", STR_ARG(infer->node->op), what,
                        STR_ARG(onnx_type_word(type, arena)), STR_ARG(param->name)));
    return;
  }
  const Bound *bound = param->heterogeneous ? NULL : find_bound(bounds, param->type);
  if (bound && !same_type(bound->type, type, arena)) {
    misfit(infer, type, at,
           arena_printf(arena, "`%.*s` wants one type for all of `%.*s`: this is %.*s, and what stands before is %.*s.",
                        STR_ARG(infer->node->op), STR_ARG(param->type), STR_ARG(onnx_type_word(type, arena)),
                        STR_ARG(onnx_type_word(bound->type, arena))));
  } else {
    bind(bounds, param, type);
  }
}

/// An input of the graph whose element type is undefined in so many words.
static bool is_written_undefined(const OnnxInfer *infer, uint32_t input)
{
  const OnnxType *type = onnx_tensor(infer, input);
  const OnnxKnown *known = &infer->flow->known[infer->node->inputs.items[input].symbol];
  return type && type->element == 0 && known->is_missing && infer->flow->check->model->is_printed;
}

void onnx_flow_check_types(OnnxInfer *infer)
{
  const OnnxSchema *schema = infer->schema;
  Bounds bounds = { 0 };
  for (uint32_t i = 0; i < infer->node->inputs.count; i++) {
    const OnnxParam *param = onnx_param_at(schema->inputs, schema->input_count, i);
    const OnnxType *type = onnx_input(infer, i);
    if (param && type && is_whole(type))
      check_one(infer, &bounds, param, type, onnx_infer_at(infer, i), "takes");
    else if (param && type && !infer->has_failed && is_written_undefined(infer, i))
      onnx_infer_fail(infer, onnx_infer_at(infer, i), "`%.*s` has a type without elements.",
                      STR_ARG(infer->node->inputs.items[i].text));
  }
  for (uint32_t i = 0; i < infer->node->outputs.count && !infer->has_failed; i++) {
    const OnnxParam *param = onnx_param_at(schema->outputs, schema->output_count, i);
    if (param && infer->out[i] && is_whole(infer->out[i]))
      check_one(infer, &bounds, param, infer->out[i], infer->node->outputs.items[i].at, "gives");
  }
}

// --- Inputs without a type ---

/// The input whose type is that of output 0: onnx's functions begin by handing it on. False if there is none.
static bool find_handed_on(const OnnxSchema *schema, uint32_t *ret_input)
{
  if (schema->output_count == 0 || !onnx_schema_constraint(schema, schema->outputs[0].type))
    return false;
  for (uint32_t i = 0; i < schema->input_count; i++) {
    const OnnxParam *param = &schema->inputs[i];
    if (param->option != ONNX_OPTIONAL && str_equal(param->type, schema->outputs[0].type)) {
      *ret_input = i;
      return true;
    }
  }
  return false;
}

/// Operators that want two tensors before all else, and perhaps zero points of their types behind them.
static const struct {
  const char *op;
  uint32_t tensors[2];
  bool has_points;
} quantized[] = {
  { "ConvInteger", { 0, 1 }, false },
  { "MatMulInteger", { 0, 1 }, false },
  { "QLinearConv", { 0, 3 }, true },
  { "QLinearMatMul", { 0, 3 }, true },
};

/// Whether onnx refuses the node before it comes to the types of the others, in a graph where it says nothing.
static bool fails_in_silence(const OnnxInfer *infer)
{
  size_t row = 0;
  if (infer->flow->unsure == 0 || infer->node->domain.len > 0)
    return false;
  while (row < COUNT(quantized) && !str_equal(infer->node->op, str_from(quantized[row].op)))
    row++;
  for (size_t i = 0; row < COUNT(quantized) && i < COUNT(quantized[row].tensors); i++) {
    uint32_t input = quantized[row].tensors[i];
    uint32_t element = onnx_element(infer, input);
    if (element == 0 || (quantized[row].has_points && element != onnx_element(infer, input + 2)))
      return true;
  }
  return false;
}

void onnx_flow_check_missing(OnnxInfer *infer)
{
  OnnxFlow *flow = infer->flow;
  uint32_t i;
  infer->has_failed |= fails_in_silence(infer);
  bool is_asked = !str_equal(infer->node->op, STR("Not"));  // It gives a bool, whatever it takes.
  if (!is_asked || !find_handed_on(infer->schema, &i) || i >= infer->node->inputs.count)
    return;
  const OnnxName *name = &infer->node->inputs.items[i];
  const OnnxKnown *known = name->symbol == ONNX_NO_SYMBOL ? NULL : &flow->known[name->symbol];
  if (known && !known->is_missing)
    return;
  OnnxSpan at = known ? known->missing_at : name->at.start < name->at.end ? name->at : infer->node->op_at;
  fail(infer);
  infer->missing_at = at;
  if (flow->unsure > 0)
    return;
  onnx_report_related(flow->check, at, RULE_TYPE_MISMATCH, SEVERITY_ERROR, infer->node->op_at, "Needed here.",
                      "Nothing gives this a type, and `%.*s` goes on with it.", STR_ARG(infer->node->op));
}
