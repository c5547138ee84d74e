// Operators with graphs in their attributes, sequences and optionals.

#include "graph/onnx/onnx_flow.h"

static uint32_t count_values(const OnnxValue *value)
{
  uint32_t count = 0;
  for (; value; value = value->next)
    count++;
  return count;
}

static const OnnxGraph *graph_of(const OnnxInfer *infer, const char *name)
{
  const OnnxAttr *attr = onnx_attr(infer, name);
  return attr ? attr->graph : NULL;
}

static OnnxSpan at_graph(const OnnxGraph *graph)
{
  return graph->name.at;
}

// --- If ---

/// What is the same in both branches.
static const OnnxType *common(Arena *arena, const OnnxType *a, const OnnxType *b)
{
  if (!a || !b || a->kind != ONNX_TYPE_TENSOR || b->kind != ONNX_TYPE_TENSOR || a->element != b->element)
    return NULL;
  if (!a->has_shape || !b->has_shape || a->rank != b->rank)
    return onnx_make(arena, a->element, NULL, ONNX_NO_RANK);
  OnnxDim *dims = ARENA_ARRAY(arena, OnnxDim, a->rank + 1);
  for (uint32_t i = 0; i < a->rank; i++)
    dims[i] = onnx_same_dim(a->dims[i], b->dims[i]) ? a->dims[i] : (OnnxDim){ 0 };
  return onnx_make(arena, a->element, dims, a->rank);
}

static bool check_branch(OnnxInfer *infer, const OnnxGraph *graph)
{
  uint32_t inputs = count_values(graph->inputs);
  if (inputs > 0)
    return onnx_infer_fail(infer, graph->inputs->name.at,
                           "A branch of `If` takes no inputs; it sees the values around it.");
  return true;
}

static bool check_pair(OnnxInfer *infer, const OnnxValue *then, const OnnxValue *other)
{
  if (!then->found || !other->found || then->found->kind == ONNX_TYPE_NONE || other->found->kind == ONNX_TYPE_NONE)
    return true;
  bool is_same = then->found->kind == other->found->kind &&
                 (then->found->kind != ONNX_TYPE_TENSOR || then->found->element == other->found->element ||
                  then->found->element == 0 || other->found->element == 0);
  if (is_same)
    return true;
  return onnx_infer_fail(infer, other->name.at, "The other branch gives %.*s here, and this one %.*s.",
                         STR_ARG(onnx_type_word(then->found, infer->flow->check->arena)),
                         STR_ARG(onnx_type_word(other->found, infer->flow->check->arena)));
}

void onnx_infer_if(OnnxInfer *infer)
{
  const OnnxGraph *then = graph_of(infer, "then_branch");
  const OnnxGraph *other = graph_of(infer, "else_branch");
  if (!then || !other || !check_branch(infer, then) || !check_branch(infer, other))
    return;
  uint32_t outputs = infer->node->outputs.count;
  const OnnxGraph *graphs[] = { then, other };
  for (size_t k = 0; k < COUNT(graphs); k++) {
    uint32_t count = count_values(graphs[k]->outputs);
    if (count != outputs) {
      onnx_infer_fail(infer, at_graph(graphs[k]), "This branch gives %u values, and the `If` has %u outputs.", count,
                      outputs);
      return;
    }
  }
  const OnnxValue *b = other->outputs;
  uint32_t i = 0;
  for (const OnnxValue *a = then->outputs; a && b; a = a->next, b = b->next, i++) {
    if (!check_pair(infer, a, b))
      return;
    bool is_tensor = a->found && a->found->kind == ONNX_TYPE_TENSOR;
    infer->out[i] = is_tensor ? common(infer->arena, a->found, b->found) : b->found ? a->found : NULL;
  }
}

// --- Loop ---

/// The inputs of a loop's body: the turn, whether to go on, and what is carried.
void onnx_flow_loop_inputs(OnnxFlow *flow, const OnnxGraph *graph)
{
  const OnnxNode *node = graph->owner;
  uint32_t i = 0;
  for (const OnnxValue *input = graph->inputs; input; input = input->next, i++) {
    const OnnxKnown *known = input->name.symbol == ONNX_NO_SYMBOL ? NULL : &flow->known[input->name.symbol];
    if (!known || known->type)
      continue;
    const OnnxType *given = NULL;
    if (i >= 2 && i < node->inputs.count && node->inputs.items[i].symbol != ONNX_NO_SYMBOL)
      given = flow->known[node->inputs.items[i].symbol].type;
    const OnnxType *type = i == 0   ? onnx_make(flow->arena, ELEM_INT64, NULL, 0)
                           : i == 1 ? onnx_make(flow->arena, ELEM_BOOL, NULL, ONNX_NO_RANK)
                           : given && given->kind == ONNX_TYPE_TENSOR
                               ? onnx_make(flow->arena, given->element, NULL, ONNX_NO_RANK)
                               : NULL;
    if (type)
      onnx_flow_set(flow, input->name.symbol, (OnnxKnown){ .type = type });
  }
}

static bool check_body_input(OnnxInfer *infer, const OnnxValue *input, uint32_t element, const char *what)
{
  if (!input->type || input->type->kind != ONNX_TYPE_TENSOR || element == 0 || input->type->element == element)
    return true;
  return onnx_infer_fail(infer, input->name.at, "%s comes in as %.*s, and is written as %.*s.", what,
                         STR_ARG(onnx_element_word(element)), STR_ARG(onnx_element_word(input->type->element)));
}

static bool check_body_inputs(OnnxInfer *infer, const OnnxGraph *body)
{
  uint32_t i = 0;
  for (const OnnxValue *input = body->inputs; input; input = input->next, i++) {
    const OnnxType *given = onnx_tensor(infer, i);
    uint32_t element = i == 0 ? ELEM_INT64 : given ? given->element : 0;
    if (!check_body_input(infer, input, element, i == 0 ? "The number of the turn" : "This"))
      return false;
  }
  return true;
}

/// A value of each turn, put together.
static const OnnxType *scanned(Arena *arena, const OnnxType *type)
{
  if (!type || type->kind != ONNX_TYPE_TENSOR)
    return NULL;
  if (!type->has_shape)
    return onnx_make(arena, type->element, NULL, ONNX_NO_RANK);
  OnnxDim *dims = ARENA_ARRAY(arena, OnnxDim, type->rank + 1);
  if (type->rank > 0)
    memcpy(dims + 1, type->dims, type->rank * sizeof(*dims));
  return onnx_make(arena, type->element, dims, type->rank + 1);
}

void onnx_infer_loop(OnnxInfer *infer)
{
  const OnnxGraph *body = graph_of(infer, "body");
  if (!body)
    return;
  uint32_t inputs = count_values(body->inputs);
  uint32_t given = infer->node->inputs.count;
  if (inputs != given && given >= 2) {
    onnx_infer_fail(infer, at_graph(body), "The body of the `Loop` takes %u inputs, and gets %u.", inputs, given);
    return;
  }
  if (!check_body_inputs(infer, body))
    return;
  uint32_t carried = given >= 2 ? given - 2 : 0;
  uint32_t outputs = count_values(body->outputs);
  if (outputs != infer->node->outputs.count + 1) {
    onnx_infer_fail(infer, at_graph(body),
                    "The body gives %u values, and the `Loop` has %u outputs, which with the condition makes %u.",
                    outputs, infer->node->outputs.count, infer->node->outputs.count + 1);
    return;
  }
  uint32_t i = 0;
  for (const OnnxValue *value = body->outputs ? body->outputs->next : NULL; value; value = value->next, i++) {
    bool is_tensor = value->found && value->found->kind == ONNX_TYPE_TENSOR;
    infer->out[i] = i >= carried ? scanned(infer->arena, value->found)
                    : is_tensor  ? onnx_make(infer->arena, value->found->element, NULL, ONNX_NO_RANK)
                                 : value->found;
  }
}

// --- Sequences ---

static const OnnxType *sequence_of(Arena *arena, const OnnxType *type)
{
  OnnxType *sequence = ARENA_NEW(arena, OnnxType);
  *sequence = (OnnxType){ .kind = ONNX_TYPE_SEQUENCE, .inner = type };
  return sequence;
}

void onnx_infer_sequence_construct(OnnxInfer *infer)
{
  const OnnxType *first = onnx_tensor(infer, 0);
  if (first && onnx_has_output(infer, 0))
    infer->out[0] = sequence_of(infer->arena, onnx_make(infer->arena, first->element, NULL, ONNX_NO_RANK));
}

void onnx_infer_sequence_at(OnnxInfer *infer)
{
  const OnnxType *sequence = onnx_input(infer, 0);
  if (sequence && sequence->kind == ONNX_TYPE_SEQUENCE && onnx_has_output(infer, 0))
    infer->out[0] = sequence->inner;
}

void onnx_infer_scalar_int64(OnnxInfer *infer)
{
  onnx_out(infer, 0, ELEM_INT64, NULL, 0);
}

void onnx_infer_scalar_bool(OnnxInfer *infer)
{
  onnx_out(infer, 0, ELEM_BOOL, NULL, 0);
}
