// Names: each is defined once, before it is used, and sub-graphs see the names around them.

#include "base/limits.h"
#include "graph/onnx/onnx_rules.h"

static const OnnxBinding *binding_of(const OnnxCheck *check, uint32_t symbol)
{
  uint32_t binding = symbol == ONNX_NO_SYMBOL ? ONNX_NO_BINDING : check->visible[symbol];
  return binding == ONNX_NO_BINDING ? NULL : &check->bindings.items[binding];
}

static void bind(OnnxCheck *check, const OnnxGraph *graph, const OnnxNode *node, const OnnxName *name)
{
  if (name->symbol == ONNX_NO_SYMBOL)
    return;
  vec_push(&check->bindings, (OnnxBinding){ name->symbol, check->visible[name->symbol], graph, node, name->at });
  check->visible[name->symbol] = (uint32_t)check->bindings.count - 1;
}

static void report_again(OnnxCheck *check, const OnnxName *name, const OnnxBinding *before, const char *where)
{
  onnx_report_related(check, name->at, RULE_DUPLICATE_VALUE, SEVERITY_ERROR, before->at, "Defined here.",
                      "`%.*s` is defined already%s; a model names each value once.", STR_ARG(name->text), where);
}

static void bind_inputs(OnnxCheck *check, const OnnxGraph *graph)
{
  for (const OnnxValue *input = graph->inputs; input; input = input->next) {
    const OnnxBinding *before = binding_of(check, input->name.symbol);
    if (before && before->graph == graph)
      report_again(check, &input->name, before, " as an input");
    bind(check, graph, NULL, &input->name);
  }
}

/// An initializer may have the name of an input, but not of another initializer.
static void bind_initializer(OnnxCheck *check, const OnnxGraph *graph, const OnnxValue *value, size_t first)
{
  if (value->name.text.len == 0) {
    onnx_report(check, value->name.at, RULE_TENSOR_DATA, (Severity)SEVERITY_DEFAULT, "This initializer has no name.");
    return;
  }
  const OnnxBinding *before = binding_of(check, value->name.symbol);
  bool is_here = before && before->graph == graph;
  bool is_input = is_here && (size_t)(before - check->bindings.items) < first;
  if (is_here && !is_input)
    report_again(check, &value->name, before, " as an initializer");
  bool needs_input = check->model->has_ir_version && check->model->ir_version <= 3 && !check->function;
  if (needs_input && !is_here)
    onnx_report(check, value->name.at, RULE_MODEL_HEADER, (Severity)SEVERITY_DEFAULT,
                "Up to IR version 3, an initializer has to be an input of the graph, too, and `%.*s` is none.",
                STR_ARG(value->name.text));
  bind(check, graph, NULL, &value->name);
}

void onnx_enter_graph(OnnxCheck *check, const OnnxGraph *graph)
{
  bind_inputs(check, graph);
  size_t first = check->bindings.count;
  for (const OnnxValue *input = graph->inputs; input; input = input->next) {
    if (input->data)
      bind_initializer(check, graph, input, first);
  }
  for (const OnnxValue *info = graph->infos; info; info = info->next) {
    if (info->data)
      bind_initializer(check, graph, info, first);
  }
}

/// Bodies of loops and of functions may hand on what they get. In the text, only inputs come before outputs.
static void check_handed_on(OnnxCheck *check, const OnnxGraph *graph, const OnnxValue *output, OnnxSpan made_at)
{
  if (graph->owner || graph->is_function || made_at.start >= graph->outputs->name.at.start)
    return;
  onnx_report_related(check, output->name.at, RULE_UNPRODUCED_OUTPUT, SEVERITY_INFO, made_at, "The input.",
                      "The output `%.*s` is an input of the model, and no node makes it; onnx and ONNX Runtime take "
                      "that, other tools may not. An Identity between gives it a name of its own.",
                      STR_ARG(output->name.text));
}

static void check_outputs(OnnxCheck *check, const OnnxGraph *graph)
{
  if (graph->is_function && check->runtime.limits)
    return;
  for (const OnnxValue *output = graph->outputs; output; output = output->next) {
    const OnnxBinding *found = binding_of(check, output->name.symbol);
    if (found && found->graph == graph)
      check_handed_on(check, graph, output, found->at);
    if ((found && found->graph == graph) || output->name.text.len == 0 || check->model->is_damaged)
      continue;
    // The checker passes a function; what a session says of it comes later (onnx_check_bodies()).
    Severity severity = graph->is_function ? SEVERITY_WARNING : SEVERITY_ERROR;
    const char *rest = found ? "; a value of the graph around needs an Identity" : "";
    onnx_report(check, output->name.at, RULE_UNPRODUCED_OUTPUT, severity,
                "No node of `%.*s` makes its output `%.*s`%s.", STR_ARG(graph->name.text), STR_ARG(output->name.text),
                rest);
  }
}

void onnx_leave_graph(OnnxCheck *check, const OnnxGraph *graph)
{
  check_outputs(check, graph);
  while (check->bindings.count > 0 && vec_last(&check->bindings)->graph == graph) {
    check->visible[vec_last(&check->bindings)->symbol] = vec_last(&check->bindings)->hidden;
    check->bindings.count--;
  }
}

/// Where a later node of the same graph makes the value, or of one around it; NULL if none does, or enough were looked
/// at in this model.
static const OnnxName *made_later(OnnxCheck *check, const OnnxNode *node, uint32_t symbol)
{
  for (const OnnxNode *from = node; from; from = from->graph ? from->graph->owner : NULL) {
    for (const OnnxNode *other = from; other && check->nodes_tried < ONNX_LATER_BUDGET; other = other->next) {
      check->nodes_tried++;
      for (uint32_t i = 0; i < other->outputs.count; i++) {
        if (other->outputs.items[i].symbol == symbol)
          return &other->outputs.items[i];
      }
    }
  }
  return NULL;
}

/// Whether the printer of a binary model wrote an initializer of that name as a comment, as the syntax has no sparse
/// ones.
static bool is_sparse_initializer(const OnnxModel *model, Str name)
{
  static const Str head = STR_INIT("# sparse_initializer {"), values = STR_INIT("#   values {");
  static const Str label = STR_INIT("#     name: "), end = STR_INIT("#   }");
  size_t at = model->is_printed ? str_find(model->text, head, 0) : STR_NOT_FOUND;
  for (; at != STR_NOT_FOUND; at = str_find(model->text, head, at + 1)) {
    size_t start = str_find(model->text, values, at);
    size_t found = start == STR_NOT_FOUND ? start : str_find(model->text, label, start);
    if (found == STR_NOT_FOUND || found > str_find(model->text, end, start))
      continue;
    Str rest = str_slice(model->text, found + label.len, model->text.len);
    if (str_equal(str_slice(rest, 0, str_find_char(rest, '\n', 0)), name))
      return true;
  }
  return false;
}

/// Of the operators with a schema none takes a sparse tensor.
static void report_sparse(OnnxCheck *check, const OnnxNode *node, const OnnxName *name)
{
  if (onnx_schema_of(check, node, NULL))
    onnx_report(check, name->at, RULE_TYPE_MISMATCH, SEVERITY_ERROR,
                "`%.*s` takes no sparse tensor, as the initializer `%.*s` is.", STR_ARG(node->op), STR_ARG(name->text));
}

static void report_unknown(OnnxCheck *check, const OnnxNode *node, const OnnxName *name)
{
  const OnnxName *later = made_later(check, node, name->symbol);
  if (later)
    onnx_report_related(check, name->at, RULE_UNDEFINED_VALUE, (Severity)SEVERITY_DEFAULT, later->at, "Defined here.",
                        "`%.*s` is used before it is defined; nodes have to stand in the order in which they run.",
                        STR_ARG(name->text));
  else if (check->unknown_names++ < ONNX_SPARSE_LOOKS && is_sparse_initializer(check->model, name->text))
    report_sparse(check, node, name);
  else
    onnx_report(check, name->at, RULE_UNDEFINED_VALUE, (Severity)SEVERITY_DEFAULT,
                "`%.*s` is no input, no initializer and no output of a node before.", STR_ARG(name->text));
}

void onnx_check_inputs_known(OnnxCheck *check, const OnnxNode *node)
{
  for (uint32_t i = 0; i < node->inputs.count; i++) {
    const OnnxName *name = &node->inputs.items[i];
    if (name->text.len > 0 && !binding_of(check, name->symbol) && !check->model->is_damaged)
      report_unknown(check, node, name);
  }
}

static bool is_constant(const OnnxNode *node)
{
  return node->domain.len == 0 && str_equal(node->op, STR("Constant"));
}

/// Whether it takes what another node of its graph makes; constants are there before all nodes.
static bool follows_others(const OnnxCheck *check, const OnnxNode *node)
{
  for (uint32_t i = 0; i < node->inputs.count; i++) {
    const OnnxBinding *made = binding_of(check, node->inputs.items[i].symbol);
    if (made && made->graph == node->graph && made->node && !is_constant(made->node))
      return true;
  }
  return false;
}

/// The node of the graph inside of which, however deep, the other one is; NULL if there is none.
static const OnnxNode *owner_in(const OnnxGraph *graph, const OnnxNode *inner)
{
  const OnnxNode *owner = inner;
  while (owner && owner->graph != graph)
    owner = owner->graph ? owner->graph->owner : NULL;
  return owner == inner ? NULL : owner;
}

/// A session looks first at nodes that take no other node's values, in whatever order they are written, so what was
/// made in a graph inside of a node before may be made around it by then. Tried with onnxruntime 1.21 and 1.23.
static void check_inner(OnnxCheck *check, const OnnxNode *node, const OnnxName *name)
{
  if (!check->inner || check->function || name->symbol == ONNX_NO_SYMBOL)
    return;
  const OnnxNode *inner = check->inner[name->symbol];
  const OnnxNode *owner = inner ? owner_in(node->graph, inner) : NULL;
  if (node->graph->owner)
    check->inner[name->symbol] = node;
  if (owner && (is_constant(node) || (!follows_others(check, node) && follows_others(check, owner))))
    onnx_report_related(check, name->at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT, owner->op_at, "Here.",
                        "`%.*s` is made inside of this `%.*s`, too, and %.*s, which puts this node first, "
                        "refuses a name that is made around it.",
                        STR_ARG(name->text), STR_ARG(owner->op), STR_ARG(onnx_runtime_words(check)));
}

void onnx_bind_outputs(OnnxCheck *check, const OnnxNode *node)
{
  for (uint32_t i = 0; i < node->outputs.count; i++) {
    const OnnxName *name = &node->outputs.items[i];
    const OnnxBinding *before = binding_of(check, name->symbol);
    if (before)
      report_again(check, name, before,
                   before->graph == node->graph ? "" : " in the graph around, which this one sees");
    check_inner(check, node, name);
    bind(check, node->graph, node, name);
  }
}
