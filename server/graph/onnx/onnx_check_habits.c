// What onnx's checker passes and people suffer from later: sizes that only one batch has, and parts that nobody needs.

#include "graph/onnx/onnx_flow.h"

// --- A dimension that a Reshape froze ---

static bool has_param(const OnnxType *type, Str param)
{
  for (uint32_t i = 0; type && i < type->rank; i++) {
    if (type->dims[i].kind == ONNX_DIM_PARAM && str_equal(type->dims[i].param, param))
      return true;
  }
  return false;
}

/// The input at which callers choose the size: a dimension of it has that name. NULL if there is none.
static const OnnxValue *find_chosen(const OnnxCheck *check, Str param)
{
  for (const OnnxValue *input = check->model->graph->inputs; input; input = input->next) {
    if (has_param(input->type, param))
      return input;
  }
  return NULL;
}

/// The only dimension with a name, all others being numbers; NULL if that is not so. `ret_rest` is the product of
/// those.
static const OnnxDim *only_param(const OnnxType *type, uint64_t *ret_rest)
{
  const OnnxDim *found = NULL;
  *ret_rest = 1;
  for (uint32_t i = 0; i < type->rank; i++) {
    const OnnxDim *dim = &type->dims[i];
    bool is_size = dim->kind == ONNX_DIM_VALUE && dim->value > 0;
    if (is_size && !__builtin_mul_overflow(*ret_rest, (uint64_t)dim->value, ret_rest))
      continue;
    if (is_size || dim->kind != ONNX_DIM_PARAM || found)
      return NULL;
    found = dim;
  }
  return found;
}

/// The number of elements that a target has; 0 if it leaves a dimension open.
static uint64_t target_size(const OnnxNumbers *target)
{
  uint64_t size = 1;
  for (uint32_t i = 0; i < target->count; i++) {
    if (target->items[i] <= 0 || __builtin_mul_overflow(size, (uint64_t)target->items[i], &size))
      return 0;
  }
  return size;
}

static const OnnxKnown *known_input(const OnnxFlow *flow, const OnnxNode *node, uint32_t i)
{
  uint32_t symbol = i < node->inputs.count ? node->inputs.items[i].symbol : ONNX_NO_SYMBOL;
  return symbol == ONNX_NO_SYMBOL ? NULL : &flow->known[symbol];
}

bool onnx_freezes(const OnnxFlow *flow, const OnnxNode *node, Str *ret_param, uint64_t *ret_size)
{
  bool is_reshape = node->domain.len == 0 && str_equal(node->op, STR("Reshape"));
  const OnnxKnown *data = is_reshape ? known_input(flow, node, 0) : NULL;
  const OnnxKnown *target = is_reshape ? known_input(flow, node, 1) : NULL;
  if (!data || !target || !data->type || !target->numbers || data->is_unsure)
    return false;
  uint64_t rest;
  const OnnxDim *dim =
      data->type->kind == ONNX_TYPE_TENSOR && data->type->has_shape ? only_param(data->type, &rest) : NULL;
  uint64_t size = target_size(target->numbers);
  if (!dim || size == 0 || size % rest != 0 || !find_chosen(flow->check, dim->param))
    return false;
  *ret_param = dim->param;
  *ret_size = size / rest;
  return true;
}

void onnx_check_frozen(OnnxFlow *flow, const OnnxNode *node)
{
  Str param;
  uint64_t size;
  if (!onnx_freezes(flow, node, &param, &size))
    return;
  onnx_report_related(
      flow->check, node->op_at, RULE_FROZEN_DIMENSION, (Severity)SEVERITY_DEFAULT,
      find_chosen(flow->check, param)->name.at, "Callers choose the size here.",
      "`%.*s` has to be %llu here: the target of this Reshape is a constant without -1 and 0, so any other size "
      "fails when the model runs.",
      STR_ARG(param), (unsigned long long)size);
}

// --- Outputs that are named like operators ---

/// Operators begin with a capital, and hardly an output does.
static bool may_be_operator(Str name)
{
  return name.len > 0 && name.data[0] >= 'A' && name.data[0] <= 'Z';
}

/// The names of outputs that an operator may have, as the first symbols of `names`; how many.
static uint32_t list_outputs(const OnnxGraph *graph, OnnxSymbols *names)
{
  for (const OnnxValue *output = graph->outputs; output; output = output->next) {
    if (may_be_operator(output->name.text))
      onnx_symbol_of(names, output->name.text);
  }
  return (uint32_t)names->texts.count;
}

static void report_named(OnnxCheck *check, const OnnxName *name)
{
  onnx_report(check, name->at, RULE_OUTPUT_NAMED_LIKE_OPERATOR, (Severity)SEVERITY_DEFAULT,
              "The output `%.*s` has the name of an operator of this model; onnx and ONNX Runtime take that, and tools "
              "that keep values and nodes in one table mix them up.",
              STR_ARG(name->text));
}

void onnx_check_output_names(OnnxCheck *check)
{
  const OnnxGraph *graph = check->model->graph;
  OnnxSymbols names = { 0 };
  uint32_t count = list_outputs(graph, &names);
  bool *is_operator = xcalloc(count + 1, sizeof(*is_operator));
  check->function = NULL;
  for (const OnnxNode *node = graph->nodes; node && count > 0; node = node->next) {
    uint32_t symbol = onnx_symbol_of(&names, node->op);
    if (symbol < count)
      is_operator[symbol] = true;
  }
  for (const OnnxNode *node = graph->nodes; node && count > 0; node = node->next) {
    for (uint32_t i = 0; i < node->outputs.count; i++) {
      const OnnxName *name = &node->outputs.items[i];
      uint32_t symbol = may_be_operator(name->text) ? onnx_symbol_of(&names, name->text) : count;
      if (symbol < count && is_operator[symbol])
        report_named(check, name);
    }
  }
  free(is_operator);
  onnx_symbols_done(&names);
}

// --- Parts that nobody needs ---

static void mark_used(const OnnxCheck *check, bool *used)
{
  for (size_t i = 0; i < check->model->events.count; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    for (uint32_t k = 0; event->kind == ONNX_AT_NODE && k < event->node->inputs.count; k++) {
      if (event->node->inputs.items[k].symbol != ONNX_NO_SYMBOL)
        used[event->node->inputs.items[k].symbol] = true;
    }
    if (event->kind != ONNX_LEAVE_GRAPH)
      continue;
    for (const OnnxValue *output = event->graph->outputs; output; output = output->next)
      used[output->name.symbol] = true;
  }
}

/// In models that say that an input need not be one.
static void check_initializers(OnnxCheck *check)
{
  const OnnxGraph *graph = check->model->graph;
  size_t count = check->symbols.texts.count;
  bool *used = xcalloc(count + 1, sizeof(*used));
  bool *is_input = xcalloc(count + 1, sizeof(*is_input));
  mark_used(check, used);
  for (const OnnxValue *input = graph->inputs; input; input = input->next)
    is_input[input->name.symbol] = true;
  for (const OnnxValue *info = graph->infos; info; info = info->next) {
    Str name = info->name.text;
    if (!info->data || name.len == 0)
      continue;
    if (!used[info->name.symbol])
      onnx_report(check, info->name.at, RULE_UNUSED_INITIALIZER, (Severity)SEVERITY_DEFAULT,
                  "No node uses the initializer `%.*s`%s.", STR_ARG(name),
                  is_input[info->name.symbol] ? ", and callers see it as an input" : "");
    else if (is_input[info->name.symbol])
      onnx_report(check, info->name.at, RULE_OVERRIDABLE_INITIALIZER, (Severity)SEVERITY_DEFAULT,
                  "`%.*s` is an input, too, so callers may give another value, and ONNX Runtime does not take it for a "
                  "constant: nodes that only need constants are not folded.",
                  STR_ARG(name));
  }
  free(used);
  free(is_input);
}

static bool is_domain_used(const OnnxCheck *check, Str domain)
{
  for (const OnnxFunction *f = check->model->functions; f; f = f->next) {
    if (str_equal(f->domain, domain))
      return true;
  }
  for (size_t i = 0; i < check->model->events.count; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    if (event->kind == ONNX_AT_NODE && str_equal(event->node->domain, domain))
      return true;
  }
  return false;
}

/// Nodes of the default domain are in nearly all models, and where they are not, its import harms nobody.
static void check_imports(OnnxCheck *check)
{
  const OnnxImports *imports = &check->model->imports;
  for (uint32_t i = 0; i < imports->count && i < ONNX_IMPORTS_LOOKED_AT; i++) {
    const OnnxImport *import = &imports->items[i];
    bool is_default = import->domain.len == 0 || str_equal(import->domain, STR("ai.onnx"));
    if (!is_default && !is_domain_used(check, import->domain))
      onnx_report(check, import->at, RULE_UNUSED_OPSET_IMPORT, (Severity)SEVERITY_DEFAULT,
                  "No node is of the domain `%.*s`; a runtime that does not know this version of it may refuse the "
                  "model all the same.",
                  STR_ARG(import->domain));
  }
}

void onnx_check_unused(OnnxCheck *check)
{
  check->function = NULL;
  if (check->model->is_damaged || !check->model->has_ir_version || !onnx_has_defaults(check->model))
    return;
  check_initializers(check);
  check_imports(check);
}
