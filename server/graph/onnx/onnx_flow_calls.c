// Calls of the model's functions: types go into the body and come out of it, as if it stood in the place of the call.

#include "base/limits.h"
#include "graph/onnx/onnx_flow.h"

// --- Attributes that refer to those of the call ---

/// What the call says of an attribute, or the function if the call does not; NULL if neither does.
static const OnnxAttr *given_attr(const OnnxCall *call, Str name)
{
  const OnnxAttr *attr = call->function->attrs;
  while (attr && !str_equal(attr->name.text, name))
    attr = attr->next;
  const OnnxAttr *given = onnx_node_attr(call->bound, name);
  if (!attr || given)
    return attr ? given : NULL;  // What a function does not ask for it is not given.
  while (attr && !(str_equal(attr->name.text, name) && attr->value_at.end > attr->value_at.start))
    attr = attr->next;
  return attr;
}

/// Outside of functions nothing is referred to, and onnx reads nothing as 0.
static const OnnxAttr *referred_attr(const OnnxFlow *flow, const OnnxAttr *attr)
{
  static const OnnxAttr nothing = { .type = ONNX_UNDEFINED };
  return flow->calls.count > 0 ? given_attr(vec_last(&flow->calls), attr->reference) : &nothing;
}

static void bind_attr(const OnnxFlow *flow, OnnxNode *node, const OnnxAttr *attr)
{
  const OnnxAttr *value = attr->is_reference ? referred_attr(flow, attr) : attr;
  if (!value)
    return;
  OnnxAttr *copy = ARENA_NEW(flow->arena, OnnxAttr);
  *copy = *value;
  copy->name = attr->name;
  copy->at = attr->at;
  copy->value_at = attr->value_at;
  copy->type = value->type == ONNX_UNDEFINED ? attr->type : value->type;
  copy->next = NULL;
  *(node->last_attr ? &node->last_attr->next : &node->attrs) = copy;
  node->last_attr = copy;
}

const OnnxNode *onnx_flow_bind(OnnxFlow *flow, const OnnxNode *node)
{
  const OnnxAttr *attr = node->attrs;
  while (attr && !attr->is_reference)
    attr = attr->next;
  if (!attr)
    return node;
  OnnxNode *bound = ARENA_NEW(flow->arena, OnnxNode);
  *bound = *node;
  bound->attrs = bound->last_attr = NULL;
  for (attr = node->attrs; attr; attr = attr->next)
    bind_attr(flow, bound, attr);
  return bound;
}

// --- Into the body ---

/// A body sees nothing of what is around its call. That nothing defines a name the checker says, but of models that are
/// older than functions.
static void hide_names(OnnxFlow *flow, const OnnxNames *names)
{
  bool may_lack = onnx_functions_are_passed(flow->check);
  for (uint32_t i = 0; i < names->count; i++) {
    uint32_t symbol = names->items[i].symbol;
    if (symbol != ONNX_NO_SYMBOL && (may_lack || flow->known[symbol].type))
      onnx_flow_set(flow, symbol, (OnnxKnown){ .is_missing = may_lack, .missing_at = names->items[i].at });
  }
}

static void hide_body(OnnxFlow *flow, const OnnxFunction *function)
{
  for (uint32_t i = function->first_event; i < function->end_event; i++) {
    const OnnxEvent *event = &flow->check->model->events.items[i];
    if (event->kind == ONNX_AT_NODE) {
      hide_names(flow, &event->node->inputs);
      hide_names(flow, &event->node->outputs);
    }
  }
}

static OnnxKnown given_input(const OnnxFlow *flow, const OnnxNode *call, uint32_t i)
{
  const OnnxName *name = i < call->inputs.count ? &call->inputs.items[i] : NULL;
  if (!name || name->symbol == ONNX_NO_SYMBOL)
    return (OnnxKnown){ .is_absent = true, .is_missing = true, .missing_at = call->op_at };
  return flow->known[name->symbol];
}

static void keep_input(OnnxFlow *flow, OnnxValue *input, const OnnxType *type, bool is_first)
{
  input->found = is_first ? type : onnx_type_common(flow->arena, input->found, type);
}

static void enter_inputs(OnnxFlow *flow, const OnnxNode *call, const OnnxFunction *function)
{
  uint32_t count = 0;
  for (const OnnxValue *input = function->graph.inputs; input; input = input->next)
    count++;
  OnnxKnown *given = ARENA_ARRAY(flow->arena, OnnxKnown, count);
  for (uint32_t i = 0; i < count; i++)
    given[i] = given_input(flow, call, i);
  hide_body(flow, function);
  for (const OnnxValue *output = function->graph.outputs; output; output = output->next) {
    if (output->name.symbol != ONNX_NO_SYMBOL)  // Until something in the body gives it one.
      onnx_flow_set(flow, output->name.symbol, (OnnxKnown){ .is_missing = true, .missing_at = output->name.at });
  }
  OnnxFunction *own = flow->check->model->events.items[function->first_event].function;
  uint32_t i = 0;
  for (OnnxValue *input = function->graph.inputs; input; input = input->next, i++) {
    keep_input(flow, input, given[i].type, !own->is_followed);
    if (input->name.symbol != ONNX_NO_SYMBOL)
      onnx_flow_set(flow, input->name.symbol, given[i]);
  }
  own->is_followed = true;
}

static bool is_open(const OnnxFlow *flow, const OnnxFunction *function)
{
  for (size_t i = 0; i < flow->calls.count; i++) {
    if (flow->calls.items[i].function == function)
      return true;
  }
  return false;
}

static void begin_call(OnnxFlow *flow, OnnxNode *node, const OnnxNode *bound, const OnnxFunction *function)
{
  uint32_t size = function->end_event - function->first_event;
  if (size == 0 || is_open(flow, function) || flow->calls.count == ONNX_CALL_DEPTH || size > flow->nodes_left)
    return;
  flow->nodes_left -= size;
  OnnxCheck *check = flow->check;
  OnnxCall call = { .function = function, .outer = check->function, .node = node, .bound = bound };
  call.next_event = function->first_event;
  call.mark = flow->undo.count;
  call.failures = flow->failures;
  flow->is_entering = true;
  enter_inputs(flow, node, function);
  flow->is_entering = false;
  flow->failures = 0;
  vec_push(&flow->open, (OnnxOpen){ .mark = flow->undo.count });
  vec_push(&flow->calls, call);
  check->function = function;
  check->is_in_call = true;
}

// --- Out of it ---

static void take_outputs(OnnxFlow *flow, const OnnxNode *node, const OnnxKnown *found)
{
  for (uint32_t i = 0; i < node->outputs.count; i++)
    onnx_flow_take_output(flow, &node->outputs.items[i], found[i]);
}

/// What a body gives, by output of the call.
static OnnxKnown *given_outputs(OnnxFlow *flow, const OnnxCall *call)
{
  OnnxKnown *found = ARENA_ARRAY(flow->arena, OnnxKnown, call->node->outputs.count);
  for (uint32_t k = 0; k < call->node->outputs.count; k++)  // More than the function has stay so.
    found[k] = (OnnxKnown){ .is_missing = true, .missing_at = call->node->outputs.items[k].at };
  uint32_t i = 0;
  for (const OnnxValue *output = call->function->graph.outputs; output; output = output->next, i++) {
    if (i == call->node->outputs.count)
      break;
    const OnnxKnown *known = output->name.symbol == ONNX_NO_SYMBOL ? NULL : &flow->known[output->name.symbol];
    if (known)
      found[i] = (OnnxKnown){ .type = known->type,
                              .is_missing = known->is_missing,
                              .missing_at = known->missing_at,
                              .is_folded = known->is_folded };
  }
  return found;
}

/// The first output of the body that has a type and for which the call has no name; NULL if there is none.
static const OnnxValue *find_dropped(const OnnxFlow *flow, const OnnxCall *call)
{
  uint32_t i = 0;
  for (const OnnxValue *output = call->function->graph.outputs; output; output = output->next, i++) {
    bool has_type = output->name.symbol != ONNX_NO_SYMBOL && flow->known[output->name.symbol].type;
    if (i >= call->node->outputs.count && has_type)
      return output;
  }
  return NULL;
}

/// Onnx hands on the types of all outputs, and wants a place for each, even where it keeps silent about all else.
static void refuse_dropped(OnnxFlow *flow, const OnnxCall *call, const OnnxValue *dropped)
{
  flow->failures++;
  onnx_report(flow->check, call->node->op_at, RULE_FUNCTION_CALL, SEVERITY_ERROR,
              "The function `%.*s` gives `%.*s`, too, and this call has no place for it: name it, or write \"\" there.",
              STR_ARG(call->node->op), STR_ARG(dropped->name.text));
}

static void end_call(OnnxFlow *flow)
{
  OnnxCall call = flow->calls.items[--flow->calls.count];
  OnnxKnown *found = given_outputs(flow, &call);
  const OnnxValue *dropped = find_dropped(flow, &call);
  OnnxOpen open = flow->open.items[--flow->open.count];
  bool has_failed = flow->failures > 0 && !open.is_unsure;
  flow->unsure -= open.is_unsure;
  flow->failures = call.failures + has_failed;
  onnx_flow_undo(flow, call.mark);
  flow->check->function = call.outer;
  flow->check->is_in_call = flow->calls.count > 0;
  if (dropped && !has_failed)
    refuse_dropped(flow, &call, dropped);
  for (uint32_t i = 0; i < call.node->outputs.count && has_failed; i++)
    found[i] = (OnnxKnown){ 0 };
  take_outputs(flow, call.node, found);
  if (flow->calls.count > 0)
    onnx_flow_keep(flow, call.node);
}

/// Of a node that was reported nobody knows what it gives; that something is missing there was told.
static void forget_outputs(OnnxFlow *flow, const OnnxNode *node)
{
  for (uint32_t i = 0; i < node->outputs.count; i++) {
    uint32_t symbol = node->outputs.items[i].symbol;
    if (symbol != ONNX_NO_SYMBOL && flow->known[symbol].is_missing)
      onnx_flow_set(flow, symbol, (OnnxKnown){ 0 });
  }
}

static void follow_event(OnnxFlow *flow, OnnxCall *call)
{
  const OnnxEvent *event = &flow->check->model->events.items[call->next_event++];
  if (event->kind == ONNX_AT_NODE && event->is_wrong)
    forget_outputs(flow, event->node);
  else if (event->kind == ONNX_AT_NODE)
    onnx_flow_node(flow, event->node);
  else if (event->kind == ONNX_ENTER_GRAPH && !event->graph->is_function)
    onnx_flow_enter(flow, event->graph);
  else if (event->kind == ONNX_LEAVE_GRAPH && !event->graph->is_function)
    onnx_flow_leave(flow, event->graph);
}

/// A call in a body only goes onto the stack; the outermost one comes back when its body is done.
void onnx_flow_call(OnnxFlow *flow, OnnxNode *node, const OnnxNode *bound, const OnnxFunction *function)
{
  size_t depth = flow->calls.count;
  begin_call(flow, node, bound, function);
  while (depth == 0 && flow->calls.count > 0) {
    OnnxCall *call = vec_last(&flow->calls);
    if (call->next_event == call->function->end_event)
      end_call(flow);
    else
      follow_event(flow, call);
  }
}
