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
  const OnnxData *data;   ///< Of a constant; NULL if there is none.
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

/// What a session does with an operator that is passed.
enum {
  MOVES = 1,        ///< It quantizes what comes out, too, if nobody does.
  NO_16_BITS = 2,   ///< Of these types it leaves all as it is.
  NO_4_BITS = 4,    ///< It has no kernel for these.
  FLOAT8_AT_21 = 8  ///< It has one for these, from that opset on.
};

typedef struct Row {
  const char *op;
  Pattern pattern;
  int flags;
} Row;

static const Row *row_of(const OnnxNode *node)
{
  static const Row rows[] = {
    { "Add", PATTERN_ALL, 0 },
    { "AveragePool", PATTERN_ALL, 0 },
    { "Concat", PATTERN_ALL, 0 },
    { "Conv", PATTERN_PRODUCT, 0 },
    { "DepthToSpace", PATTERN_PASSED, NO_16_BITS },
    { "Expand", PATTERN_PASSED, 0 },
    { "Flatten", PATTERN_PASSED, 0 },
    { "Gather", PATTERN_PASSED, 0 },
    { "GatherElements", PATTERN_PASSED, 0 },
    { "Gemm", PATTERN_PRODUCT, 0 },
    { "GlobalAveragePool", PATTERN_ALL, 0 },
    { "LeakyRelu", PATTERN_ALL, 0 },
    { "MatMul", PATTERN_PRODUCT, 0 },
    { "MaxPool", PATTERN_PASSED, MOVES | NO_16_BITS | NO_4_BITS },
    { "Mul", PATTERN_ALL, 0 },
    { "ReduceMax", PATTERN_PASSED, NO_16_BITS | NO_4_BITS },
    { "ReduceMin", PATTERN_PASSED, NO_16_BITS | NO_4_BITS },
    { "Reshape", PATTERN_PASSED, MOVES | FLOAT8_AT_21 },
    { "Resize", PATTERN_PASSED, NO_16_BITS },
    { "Sigmoid", PATTERN_ALL, 0 },
    { "Slice", PATTERN_PASSED, MOVES },
    { "Softmax", PATTERN_ALL, 0 },
    { "Split", PATTERN_PASSED, 0 },
    { "Squeeze", PATTERN_PASSED, MOVES },
    { "Tile", PATTERN_PASSED, 0 },
    { "Transpose", PATTERN_PASSED, MOVES | FLOAT8_AT_21 },
    { "Unsqueeze", PATTERN_PASSED, MOVES },
    { "Where", PATTERN_CHOSEN, 0 },
  };
  for (size_t i = 0; node->domain.len == 0 && i < COUNT(rows); i++) {
    if (str_equal(node->op, str_from(rows[i].op)))
      return &rows[i];
  }
  return NULL;
}

static bool is_op(const OnnxNode *node, const char *op)
{
  return node && node->domain.len == 0 && str_equal(node->op, str_from(op));
}

static bool is_four_bits(uint32_t element)
{
  return element == ELEM_INT4 || element == ELEM_UINT4;
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
    wire->data = value->data ? value->data : wire->data;
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
    if (is_constant) {
      wire->element = node->attrs->value_type->element;
      wire->data = node->attrs->data;
    }
  }
}

static const Wire *wire_of(const Wire *wires, const OnnxNames *names, uint32_t i)
{
  bool is_given = i < names->count && names->items[i].symbol != ONNX_NO_SYMBOL;
  return is_given ? &wires[names->items[i].symbol] : NULL;
}

// --- Patterns ---

static uint32_t zero_element(const Wire *wires, const OnnxNode *node)
{
  const Wire *zero = wire_of(wires, &node->inputs, 2);
  return zero ? zero->element : 0;
}

/// The type to which a QuantizeLinear quantizes.
static uint32_t element_after(const Wire *wires, const OnnxNode *quantizer)
{
  bool is_said = wire_of(wires, &quantizer->inputs, 2) || onnx_node_attr(quantizer, STR("output_dtype"));
  return is_said ? zero_element(wires, quantizer) : ELEM_UINT8;
}

/// The type from which a DequantizeLinear comes.
static uint32_t element_of(const Wire *wires, const OnnxNode *node)
{
  const Wire *data = wire_of(wires, &node->inputs, 0);
  uint32_t element = zero_element(wires, node);
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

/// The same behind nodes that a session takes out first: an Identity, and a Relu in front of what quantizes to float8.
static const Wire *behind_removed(const Wire *wires, const Wire *out)
{
  const Wire *end = out;
  bool has_relu = false;
  while (end->uses == 1 && !end->is_output && (is_op(end->user, "Identity") || is_op(end->user, "Relu"))) {
    const Wire *next = wire_of(wires, &end->user->outputs, 0);
    has_relu |= is_op(end->user, "Relu");
    if (!next || next == end)
      return out;
    end = next;
  }
  bool is_good = !has_relu || (end->quantizers == 1 && is_float8(element_after(wires, end->user)));
  return is_good ? end : out;
}

static bool is_same_value(const OnnxModel *model, const Wire *a, const Wire *b)
{
  if (a == b || !a || !b)
    return a == b;
  return a->data && b->data &&
         str_equal(str_slice(model->text, a->data->at.start, a->data->at.end),
                   str_slice(model->text, b->data->at.start, b->data->at.end));
}

/// Whether it is quantized as it was before.
static bool is_quantized_back(const OnnxModel *model, const Wire *wires, const OnnxNode *node, const Wire *out,
                              uint32_t element)
{
  const OnnxNode *before = wire_of(wires, &node->inputs, 0)->maker;
  return is_quantized_as(wires, out, element) && wire_of(wires, &before->inputs, 2) &&
         is_same_value(model, wire_of(wires, &before->inputs, 1), wire_of(wires, &out->user->inputs, 1)) &&
         is_same_value(model, wire_of(wires, &before->inputs, 2), wire_of(wires, &out->user->inputs, 2));
}

/// Whether a session has quantized values come out of the node, though the model has not.
static bool is_moved(const OnnxNode *node, const Row *row, const Wire *out, int64_t opset)
{
  enum { LAST_OPSET_OF_MOST = 21 };
  return (row->flags & MOVES) && (opset <= LAST_OPSET_OF_MOST || is_op(node, "Slice")) && out->quantizers == 0;
}

static bool runs_on(const Row *row, uint32_t element, int64_t opset)
{
  if (is_float8(element))
    return (row->flags & FLOAT8_AT_21) && opset >= 21;
  if (is_four_bits(element))
    return !(row->flags & NO_4_BITS);
  return true;
}

/// Where a session has such an operator, what quantizes its output is gone.
static void join(const Wire *wires, const OnnxNode *node, Pattern pattern, uint32_t element)
{
  bool has_operator =
      element == ELEM_UINT8 || (element == ELEM_INT8 && (pattern != PATTERN_PRODUCT || is_op(node, "Gemm")));
  for (uint32_t i = 0; has_operator && i < node->outputs.count; i++) {
    const Wire *direct = wire_of(wires, &node->outputs, i);
    const Wire *out = direct ? behind_removed(wires, direct) : NULL;
    if (out && is_quantized_as(wires, out, element))
      out->user->is_joined = true;
  }
}

/// Whether a session leaves what quantizes around such a node as it is.
static bool is_left(const OnnxNode *node, const Row *row, uint32_t element, int64_t opset)
{
  enum { FIRST_OPSET_OF_OTHER_MAXPOOL = 22 };
  bool is_wide = element == ELEM_INT16 || element == ELEM_UINT16;
  return (is_wide && (row->flags & NO_16_BITS)) || (is_op(node, "MaxPool") && opset >= FIRST_OPSET_OF_OTHER_MAXPOOL) ||
         (element == ELEM_INT8 && is_op(node, "DepthToSpace"));
}

/// A session takes what quantizes around it out, if it is the same, and it runs on quantized values then.
static void check_passed(OnnxCheck *check, const Wire *wires, const OnnxNode *node, const Row *row, uint32_t element)
{
  const OnnxImport *import = onnx_import_of(&check->model->imports, (Str){ 0 });
  int64_t opset = import ? import->version : 0;
  uint32_t back = 0;
  bool moves = false;
  for (uint32_t i = 0; i < node->outputs.count; i++) {
    const Wire *direct = wire_of(wires, &node->outputs, i);
    const Wire *out = direct ? behind_removed(wires, direct) : NULL;
    back += out && is_quantized_back(check->model, wires, node, out, element);
    moves |= out && is_moved(node, row, out, opset);
  }
  bool is_back = back == node->outputs.count;
  if (is_left(node, row, element, opset))
    return;
  bool runs = runs_on(row, element, opset);
  for (uint32_t i = 0; i < node->outputs.count && is_back && runs && !is_four_bits(element); i++)
    behind_removed(wires, wire_of(wires, &node->outputs, i))->user->is_joined = true;
  if (!runs && (is_back || moves))
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s takes out what quantizes around `%.*s`, and has no kernel of it for %.*s.",
                STR_ARG(onnx_runtime_words(check)), STR_ARG(node->op), STR_ARG(onnx_element_word(element)));
}

/// A Clip becomes a part of what quantizes behind it, and an ArgMax takes quantized values, of few types.
static void check_taken(OnnxCheck *check, const Wire *wires, const OnnxNode *node)
{
  const Wire *in = wire_of(wires, &node->inputs, 0);
  const Wire *direct = wire_of(wires, &node->outputs, 0);
  const Wire *out = direct ? behind_removed(wires, direct) : NULL;
  uint32_t element = 0;
  if (is_op(node, "ArgMax") && in && is_op(in->maker, "DequantizeLinear"))
    element = element_of(wires, in->maker);
  bool is_clip = is_op(node, "Clip") && out && out->uses == 1 && out->quantizers == 1 && !out->is_output;
  for (uint32_t i = 1; i < node->inputs.count && is_clip; i++) {
    const Wire *bound = wire_of(wires, &node->inputs, i);
    is_clip = !bound || bound->is_constant;
  }
  element = is_clip ? element_after(wires, out->user) : element;
  if (is_float8(element) || (is_clip && is_four_bits(element)))
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s makes one of `%.*s` and the node beside it that quantizes, and has none for %.*s.",
                STR_ARG(onnx_runtime_words(check)), STR_ARG(node->op), STR_ARG(onnx_element_word(element)));
}

static void check_pattern(OnnxCheck *check, const Wire *wires, const OnnxNode *node)
{
  const Row *row = row_of(node);
  const Wire *direct = row ? wire_of(wires, &node->outputs, 0) : NULL;
  uint32_t element = direct ? element_before(wires, node, row->pattern) : 0;
  if (!row)
    check_taken(check, wires, node);
  if (element == 0)
    return;
  if (row->pattern == PATTERN_PASSED) {
    check_passed(check, wires, node, row, element);
    return;
  }
  const Wire *out = behind_removed(wires, direct);
  join(wires, node, row->pattern, element);
  bool is_joined = is_float8(element) && is_quantized_as(wires, out, element);
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
