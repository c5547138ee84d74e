// Patterns of quantized nodes: a session puts one operator in the place of some with the DequantizeLinear before and
// the QuantizeLinear after them, whatever the type, and then has none for some types. Tried with onnxruntime 1.21
// and 1.23.

#include "facts/onnx_elements.h"
#include "graph/onnx/onnx_rules.h"

/// What the model's graph says of a value.
typedef struct Wire {
  uint32_t element;       ///< 0 if unknown.
  bool is_constant;       ///< An initializer, or what a Constant gives.
  bool is_output;         ///< Of the graph.
  uint32_t uses;          ///< By nodes, those in graphs of nodes, too.
  uint32_t quantizers;    ///< Of them, those that quantize it.
  const OnnxNode *maker;  ///< NULL for inputs and initializers.
  OnnxNode *user;         ///< The last one.
} Wire;

typedef enum Pattern {
  PATTERN_NONE,
  PATTERN_ALL,      ///< All inputs are quantized values, of one type.
  PATTERN_CHOSEN,   ///< All but the condition.
  PATTERN_PRODUCT,  ///< The first two are, and the type of the first counts.
  PATTERN_PASSED,   ///< The first is, and what quantizes around it is taken out.
} Pattern;

static Pattern pattern_of(const OnnxNode *node)
{
  static const struct {
    const char *op;
    Pattern pattern;
  } rows[] = {
    { "Add", PATTERN_ALL },          { "AveragePool", PATTERN_ALL },
    { "Concat", PATTERN_ALL },       { "Conv", PATTERN_PRODUCT },
    { "Flatten", PATTERN_PASSED },   { "Gather", PATTERN_PASSED },
    { "Gemm", PATTERN_PRODUCT },     { "GlobalAveragePool", PATTERN_ALL },
    { "LeakyRelu", PATTERN_ALL },    { "MatMul", PATTERN_PRODUCT },
    { "Mul", PATTERN_ALL },          { "Reshape", PATTERN_PASSED },
    { "Resize", PATTERN_PASSED },    { "Sigmoid", PATTERN_ALL },
    { "Slice", PATTERN_PASSED },     { "Softmax", PATTERN_ALL },
    { "Split", PATTERN_PASSED },     { "Squeeze", PATTERN_PASSED },
    { "Transpose", PATTERN_PASSED }, { "Unsqueeze", PATTERN_PASSED },
    { "Where", PATTERN_CHOSEN },
  };
  for (size_t i = 0; node->domain.len == 0 && i < COUNT(rows); i++) {
    if (str_equal(node->op, str_from(rows[i].op)))
      return rows[i].pattern;
  }
  return PATTERN_NONE;
}

static bool is_op(const OnnxNode *node, const char *op)
{
  return node && node->domain.len == 0 && str_equal(node->op, str_from(op));
}

static bool is_float8(uint32_t element)
{
  return element >= ELEM_FLOAT8E4M3FN && element <= ELEM_FLOAT8E5M2FNUZ;
}

// --- The graph ---

static void read_values(Wire *wires, const OnnxValue *value, bool is_output)
{
  for (; value; value = value->next) {
    if (value->name.symbol == ONNX_NO_SYMBOL)
      continue;
    Wire *wire = &wires[value->name.symbol];
    wire->is_output |= is_output;
    wire->is_constant |= value->data != NULL;
    if (value->type && value->type->kind == ONNX_TYPE_TENSOR)
      wire->element = value->type->element;
  }
}

static void read_node(Wire *wires, OnnxNode *node)
{
  for (uint32_t i = 0; i < node->inputs.count; i++) {
    if (node->inputs.items[i].symbol == ONNX_NO_SYMBOL)
      continue;
    Wire *wire = &wires[node->inputs.items[i].symbol];
    wire->uses++;
    wire->quantizers += i == 0 && is_op(node, "QuantizeLinear");
    wire->user = node;
  }
}

static void read_outputs(Wire *wires, const OnnxNode *node)
{
  bool is_constant = is_op(node, "Constant") && node->attrs && node->attrs->value_type;
  for (uint32_t i = 0; i < node->outputs.count; i++) {
    if (node->outputs.items[i].symbol == ONNX_NO_SYMBOL)
      continue;
    Wire *wire = &wires[node->outputs.items[i].symbol];
    wire->maker = node;
    wire->is_constant = is_constant;
    if (is_constant)
      wire->element = node->attrs->value_type->element;
  }
}

static const Wire *wire_of(const Wire *wires, const OnnxNames *names, uint32_t i)
{
  bool is_given = i < names->count && names->items[i].symbol != ONNX_NO_SYMBOL;
  return is_given ? &wires[names->items[i].symbol] : NULL;
}

// --- Patterns ---

/// The type to which a QuantizeLinear quantizes, as its zero point says it.
static uint32_t element_after(const Wire *wires, const OnnxNode *quantizer)
{
  const Wire *zero = wire_of(wires, &quantizer->inputs, 2);
  return zero ? zero->element : 0;
}

/// The type from which a DequantizeLinear comes.
static uint32_t element_of(const Wire *wires, const OnnxNode *node)
{
  const Wire *data = wire_of(wires, &node->inputs, 0);
  uint32_t element = element_after(wires, node);
  if (element != 0 || !data || data->element != 0)
    return element != 0 || !data ? element : data->element;
  return is_op(data->maker, "QuantizeLinear") ? element_after(wires, data->maker) : 0;
}

/// Of what the inputs that count come; 0 if that is not known, or not one type where it has to be.
static uint32_t element_before(const Wire *wires, const OnnxNode *node, Pattern pattern)
{
  uint32_t element = 0;
  uint32_t begin = pattern == PATTERN_CHOSEN;
  uint32_t end = pattern == PATTERN_PRODUCT ? 2 : pattern == PATTERN_PASSED ? 1 : node->inputs.count;
  for (uint32_t i = begin; i < end; i++) {
    const Wire *wire = wire_of(wires, &node->inputs, i);
    uint32_t own = wire && is_op(wire->maker, "DequantizeLinear") ? element_of(wires, wire->maker) : 0;
    const Wire *data = own != 0 ? wire_of(wires, &wire->maker->inputs, 0) : NULL;
    bool is_alone = end - begin == 1 && pattern != PATTERN_PASSED;  // Of a constant it is computed.
    if (!data || (is_alone && data->is_constant) || (element != 0 && own != element && pattern != PATTERN_PRODUCT))
      return 0;
    element = element != 0 ? element : own;
  }
  return element;
}

/// Whether what comes out is quantized, to the same type, and nothing else happens to it.
static bool is_quantized_as(const Wire *wires, const Wire *out, uint32_t element)
{
  return out->uses == 1 && out->quantizers == 1 && !out->is_output && element_after(wires, out->user) == element;
}

/// Of products there are such that give a float.
static bool gives_float(const OnnxNode *node, const Wire *out, uint32_t element)
{
  return node->inputs.count == 2 && out->quantizers == 0 && (is_float8(element) || element == ELEM_INT32) &&
         (is_op(node, "MatMul") || is_op(node, "Gemm"));
}

/// Where a session has such an operator, what quantizes its output is gone.
static void join(const Wire *wires, const OnnxNode *node, Pattern pattern, uint32_t element)
{
  bool has_operator =
      element == ELEM_UINT8 || (element == ELEM_INT8 && (pattern != PATTERN_PRODUCT || is_op(node, "Gemm")));
  for (uint32_t i = 0; has_operator && i < node->outputs.count; i++) {
    const Wire *out = wire_of(wires, &node->outputs, i);
    if (out && is_quantized_as(wires, out, element))
      out->user->is_joined = true;
  }
}

static void check_pattern(OnnxCheck *check, const Wire *wires, const OnnxNode *node)
{
  Pattern pattern = pattern_of(node);
  const Wire *out = pattern == PATTERN_NONE ? NULL : wire_of(wires, &node->outputs, 0);
  uint32_t element = out ? element_before(wires, node, pattern) : 0;
  if (element == 0)
    return;
  join(wires, node, pattern, element);
  bool is_joined = is_float8(element) && pattern != PATTERN_PASSED && is_quantized_as(wires, out, element);
  if (!is_joined && !gives_float(node, out, element))
    return;
  onnx_report(
      check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
      "%.*s puts one operator in the place of `%.*s` and of the nodes around it that quantize, and has none for "
      "%.*s.",
      STR_ARG(onnx_runtime_words(check)), STR_ARG(node->op), STR_ARG(onnx_element_word(element)));
}

static bool has_quantized(const OnnxModel *model)
{
  for (size_t i = 0; i < model->events.count; i++) {
    const OnnxEvent *event = &model->events.items[i];
    if (event->kind == ONNX_AT_NODE && is_op(event->node, "DequantizeLinear"))
      return true;
  }
  return false;
}

void onnx_check_quantized(OnnxCheck *check)
{
  const OnnxModel *model = check->model;
  if (!check->runtime.limits || model->is_damaged || !has_quantized(model))
    return;
  Wire *wires = xcalloc(check->symbols.texts.count + 1, sizeof(*wires));
  read_values(wires, model->graph->inputs, false);
  read_values(wires, model->graph->infos, false);
  read_values(wires, model->graph->outputs, true);
  for (size_t i = 0; i < model->events.count; i++) {
    const OnnxEvent *event = &model->events.items[i];
    if (event->kind != ONNX_AT_NODE || event->function)
      continue;
    read_node(wires, event->node);
    if (event->node->graph == model->graph)
      read_outputs(wires, event->node);
  }
  for (size_t i = 0; i < model->events.count; i++) {
    const OnnxEvent *event = &model->events.items[i];
    if (event->kind == ONNX_AT_NODE && !event->function && event->node->graph == model->graph && !event->is_wrong)
      check_pattern(check, wires, event->node);
  }
  free(wires);
}
