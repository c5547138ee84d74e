// What shows when the sizes that a model computes are followed, too. The checker does not do that and passes it; a run
// fails, and a session that computes what is constant when it loads the model refuses it.

#include "graph/onnx/onnx_flow.h"

void onnx_flow_tell(OnnxFlow *flow, OnnxSpan at, RuleId rule, bool is_failure, Str message)
{
  OnnxCheck *check = flow->check;
  flow->failures++;
  if (!flow->later) {
    onnx_report(check, at, rule, flow->unsure > 0 ? SEVERITY_WARNING : SEVERITY_ERROR, "%.*s", STR_ARG(message));
    return;
  }
  bool is_session = flow->follows == ONNX_FOLLOWS_CONSTANT_SIZES;
  if (is_session && (!is_failure || flow->unsure > 0))  // It only warns of shapes that are written otherwise.
    return;
  check->sink = flow->later;
  if (is_session)
    onnx_report(check, at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s %.*s finds that when it loads the model, and refuses it.", STR_ARG(message),
                STR_ARG(onnx_runtime_words(check)));
  else
    onnx_report(check, at, rule, SEVERITY_WARNING,
                "%.*s The checker passes that, as it does not follow sizes that are computed.", STR_ARG(message));
  check->sink = NULL;
  flow->told++;
}

static bool computes_sizes(const OnnxModel *model)
{
  for (size_t i = 0; i < model->events.count; i++) {
    const OnnxNode *node = model->events.items[i].kind == ONNX_AT_NODE ? model->events.items[i].node : NULL;
    if (node && node->domain.len == 0 && (str_equal(node->op, STR("Shape")) || str_equal(node->op, STR("Size"))))
      return true;
  }
  return false;
}

/// How much it told.
static uint32_t follow_again(OnnxCheck *check, Arena *tree, OnnxFollowed what)
{
  OnnxFlow flow;
  onnx_flow_begin(&flow, check, tree);
  flow.follows = what;
  flow.later = check->sink;
  check->sink = NULL;
  for (size_t i = 0; i < check->model->events.count; i++) {
    check->function = check->model->events.items[i].function;
    onnx_flow_event(&flow, &check->model->events.items[i]);
  }
  check->sink = flow.later;
  onnx_flow_done(&flow);
  return flow.told;
}

void onnx_check_computed(OnnxCheck *check, Arena *tree)
{
  if (check->reports > 0 ||
      !(check->computes_constants || check->has_contributed || check->calls_others || computes_sizes(check->model)))
    return;
  if (!check->runtime.limits || follow_again(check, tree, ONNX_FOLLOWS_CONSTANT_SIZES) == 0)
    follow_again(check, tree, ONNX_FOLLOWS_SIZES);
}

/// Tried with onnxruntime 1.21 and 1.23, which stop where they number the values that there are.
void onnx_check_hollow(OnnxCheck *check)
{
  const OnnxGraph *graph = check->model->graph;
  if (check->runtime.limits && !graph->inputs && !graph->outputs && graph->nodes && !check->keeps_nodes)
    onnx_report(check, graph->nodes->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s computes all nodes when it loads the model, and refuses it, as nothing is left and nothing comes "
                "out.",
                STR_ARG(onnx_runtime_words(check)));
}
