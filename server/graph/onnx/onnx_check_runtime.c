// What the runtime that is to run the model refuses to load, though onnx passes it.

#include "facts/onnx_elements.h"
#include "graph/onnx/onnx_rules.h"

enum { NEWEST_ML = 5 };  ///< Of ai.onnx.ml in every release so far.

/// Domains of ONNX Runtime that never had another version than 1. Tried with onnxruntime 1.21 and 1.23.
static bool has_one_version(Str domain)
{
  static const char *const domains[] = { "ai.onnx.preview.training",   "ai.onnx.training",    "com.microsoft",
                                         "com.microsoft.experimental", "com.microsoft.nchwc", "org.pytorch.aten" };
  return str_is_one_of(domain, domains, COUNT(domains));
}

Str onnx_runtime_words(OnnxCheck *check)
{
  const RuntimeChoice *choice = &check->runtime;
  Str tried = choice->limits->version;
  if (str_equal(tried, choice->version))
    return arena_printf(check->arena, "%.*s %.*s", STR_ARG(choice->name), STR_ARG(tried));
  return arena_printf(check->arena, "%.*s %.*s was not tried, and %.*s, the nearest that was,", STR_ARG(choice->name),
                      STR_ARG(choice->version), STR_ARG(tried));
}

static void refuse(OnnxCheck *check, OnnxSpan at, const char *what, int64_t number, int newest)
{
  onnx_report(check, at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
              "%.*s takes no model of %s %lld; %d is the newest that it knows.", STR_ARG(onnx_runtime_words(check)),
              what, (long long)number, newest);
}

static bool is_plain(const OnnxNode *node, Str op)
{
  return node->domain.len == 0 && str_equal(node->op, op);
}

/// A Dropout that hands on what it takes. Tried with onnxruntime 1.21 and 1.23.
static bool hands_on(const OnnxCheck *check, const OnnxNode *node)
{
  enum { FIRST = 6, FIRST_WITHOUT_KERNEL = 22 };
  const OnnxImport *import = onnx_import_of(&check->model->imports, (Str){ 0 });
  return is_plain(node, STR("Dropout")) && node->inputs.count == 1 && import && import->version >= FIRST &&
         import->version < FIRST_WITHOUT_KERNEL;
}

static bool is_any(const bool *marks, const OnnxNames *names)
{
  for (uint32_t i = 0; i < names->count; i++) {
    if (names->items[i].symbol == ONNX_NO_SYMBOL || marks[names->items[i].symbol])
      return true;
  }
  return false;
}

/// A session knows the sizes of a constant without its values, and takes what an Identity gives for what it takes.
/// `met` are names that some node takes, whatever for.
static bool needs_values(const OnnxCheck *check, const OnnxNode *node, const bool *met)
{
  if (is_plain(node, STR("Shape")))
    return false;
  if (is_plain(node, STR("Identity")))
    return node->outputs.count != 1 || is_any(check->used, &node->outputs);
  return !hands_on(check, node) || is_any(met, &node->outputs);
}

static void use(bool *used, const OnnxName *name)
{
  if (name->symbol != ONNX_NO_SYMBOL)
    used[name->symbol] = true;
}

static void use_inputs(OnnxCheck *check, const OnnxNode *node, bool *met)
{
  bool needs = needs_values(check, node, met);
  bool is_left_out = is_plain(node, STR("Identity")) && !is_any(met, &node->outputs);
  for (uint32_t k = 0; k < node->inputs.count; k++) {
    if (!is_left_out)
      use(met, &node->inputs.items[k]);
    if (needs)
      use(check->used, &node->inputs.items[k]);
  }
}

/// Backwards, so that it is known of an output who takes it when its node comes.
static void find_used(OnnxCheck *check)
{
  Arena arena = { 0 };
  bool *met = ARENA_ARRAY(&arena, bool, check->symbols.texts.count + 1);
  check->used = ARENA_ARRAY(check->arena, bool, check->symbols.texts.count + 1);
  check->inner = ARENA_ARRAY(check->arena, const OnnxNode *, check->symbols.texts.count + 1);
  bool has_defaults = onnx_has_defaults(check->model);
  for (const OnnxValue *input = check->model->graph->inputs; input && has_defaults; input = input->next)
    use(check->used, &input->name);  // Its default has to be there, whoever takes it.
  for (size_t i = check->model->events.count; i-- > 0;) {
    const OnnxEvent *event = &check->model->events.items[i];
    for (const OnnxValue *output = event->graph->outputs; output; output = output->next) {
      use(check->used, &output->name);
      use(met, &output->name);
    }
    if (event->node)
      use_inputs(check, event->node, met);
  }
  arena_done(&arena);
}

typedef Vec(const OnnxFunction *) Functions;

static void call(OnnxCheck *check, const OnnxFunction *function, Functions *pending)
{
  if (!function || check->called[function->number])
    return;
  check->called[function->number] = true;
  vec_push(pending, function);
}

/// Marks what the graph calls, if `from` is NULL, or that function.
static void call_from(OnnxCheck *check, const OnnxFunction *from, Functions *pending)
{
  size_t first = from ? from->first_event : 0;
  size_t end = from ? from->end_event : check->model->events.count;
  for (size_t i = first; i < end; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    if (event->kind != ONNX_AT_NODE || event->function != from)
      continue;
    call(check, onnx_any_overload(check, event->node), pending);
  }
}

static void find_called(OnnxCheck *check)
{
  Functions pending = { 0 };
  size_t count = 0;
  for (const OnnxFunction *function = check->model->functions; function; function = function->next)
    count++;
  check->called = ARENA_ARRAY(check->arena, bool, count + 1);
  if (count > 0)
    call_from(check, NULL, &pending);
  while (pending.count > 0)
    call_from(check, pending.items[--pending.count], &pending);
  vec_free(&pending);
}

bool onnx_session_sees(const OnnxCheck *check)
{
  return check->runtime.limits && (!check->function || check->called[check->function->number]);
}

void onnx_choose_runtime(OnnxCheck *check)
{
  if (!check->sink || !symbolics_resolve_runtime(check->db, check->sink->target->runtime, &check->runtime))
    check->runtime = (RuntimeChoice){ 0 };
  if (!check->runtime.limits)
    return;
  find_used(check);
  find_called(check);
}

Severity onnx_unreadable_severity(const OnnxCheck *check, uint32_t symbol)
{
  return check->used && symbol != ONNX_NO_SYMBOL && check->used[symbol] ? SEVERITY_ERROR : SEVERITY_WARNING;
}

/// A session turns these into initializers before it looks at types and at the names of nodes.
static bool is_constant_node(const OnnxNode *node)
{
  return is_plain(node, STR("Constant"));
}

/// No element type, which onnx gets along without.
static bool is_undefined(const OnnxType *type)
{
  for (; type && type->inner; type = type->inner)
    continue;
  return type && (type->kind == ONNX_TYPE_TENSOR || type->kind == ONNX_TYPE_SPARSE) && type->element == 0;
}

/// A sequence or the like of nothing; of inputs and outputs onnx_check_outer_type() says it.
static bool is_hollow(const OnnxType *type)
{
  const OnnxType *inner = type;
  while (inner && inner->inner)
    inner = inner->inner;
  return inner != type && inner->kind == ONNX_TYPE_NONE;
}

static void refuse_undefined(OnnxCheck *check, const OnnxValue *value)
{
  if (is_undefined(value->type))
    onnx_report(check, value->type_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s can't read the type of `%.*s`: it has no element type.", STR_ARG(onnx_runtime_words(check)),
                STR_ARG(value->name.text));
}

static void mark_names(bool *marks, const OnnxNames *names, bool mark)
{
  for (uint32_t i = 0; i < names->count; i++) {
    if (names->items[i].symbol != ONNX_NO_SYMBOL)
      marks[names->items[i].symbol] = mark;
  }
}

static void mark_values(bool *marks, const OnnxValue *value, bool are_constant, bool mark)
{
  for (; value; value = value->next) {
    if (value->name.symbol != ONNX_NO_SYMBOL && (value->data || !are_constant))
      marks[value->name.symbol] = mark;
  }
}

/// What a Constant gives is an initializer by then.
static void mark_constants(bool *marks, const OnnxGraph *graph, bool mark)
{
  for (const OnnxNode *node = graph->nodes; node; node = node->next) {
    if (is_constant_node(node))
      mark_names(marks, &node->outputs, mark);
  }
  mark_values(marks, graph->infos, true, mark);
}

/// Of a value between, a session reads the type if a node of the graph takes or makes it, and if nothing before says
/// its type: an input, an output, an initializer or a constant.
static void refuse_undefined_infos(OnnxCheck *check, const OnnxGraph *graph, bool *is_read)
{
  for (const OnnxNode *node = graph->nodes; node; node = node->next) {
    mark_names(is_read, &node->inputs, true);
    mark_names(is_read, &node->outputs, true);
  }
  mark_constants(is_read, graph, false);
  mark_values(is_read, graph->inputs, false, false);
  mark_values(is_read, graph->outputs, false, false);
  for (const OnnxValue *info = graph->infos; info; info = info->next) {
    if (info->name.symbol == ONNX_NO_SYMBOL || !is_read[info->name.symbol])
      continue;
    refuse_undefined(check, info);
    if (is_hollow(info->type))
      onnx_report(check, info->type_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                  "%.*s can't read this type: it has no kind inside.", STR_ARG(onnx_runtime_words(check)));
  }
}

/// Of an output nobody reads the type that a constant has already.
static void refuse_undefined_outputs(OnnxCheck *check, const OnnxGraph *graph, bool *is_constant)
{
  mark_constants(is_constant, graph, true);
  for (const OnnxValue *output = graph->outputs; output; output = output->next) {
    if (output->name.symbol == ONNX_NO_SYMBOL || !is_constant[output->name.symbol])
      refuse_undefined(check, output);
  }
}

typedef void RefuseUndefined(OnnxCheck *check, const OnnxGraph *graph, bool *marks);

static void refuse_with_marks(OnnxCheck *check, const OnnxGraph *graph, RefuseUndefined *look)
{
  Arena arena = { 0 };
  look(check, graph, ARENA_ARRAY(&arena, bool, check->symbols.texts.count + 1));
  arena_done(&arena);
}

void onnx_check_undefined(OnnxCheck *check, const OnnxGraph *graph)
{
  bool has_outputs = false;
  bool has_infos = false;
  if (!check->runtime.limits || !check->model->is_printed || graph->is_function)
    return;
  for (const OnnxValue *value = graph->inputs; value; value = value->next)
    refuse_undefined(check, value);
  for (const OnnxValue *value = graph->outputs; value; value = value->next)
    has_outputs |= is_undefined(value->type);
  for (const OnnxValue *info = graph->infos; info; info = info->next)
    has_infos |= !info->data && (is_undefined(info->type) || is_hollow(info->type));
  if (has_outputs)
    refuse_with_marks(check, graph, refuse_undefined_outputs);
  if (has_infos)
    refuse_with_marks(check, graph, refuse_undefined_infos);
}

/// The import of `ai.onnx` that a session takes for one of the domain without a name, as it counts the last of both;
/// NULL if it says nothing else.
static const OnnxImport *alias_of(const OnnxImports *imports)
{
  const OnnxImport *last = NULL;
  const OnnxImport *plain = onnx_import_of(imports, (Str){ 0 });
  for (uint32_t i = 0; i < imports->count; i++) {
    bool is_same = imports->items[i].domain.len == 0 || str_equal(imports->items[i].domain, STR("ai.onnx"));
    last = is_same ? &imports->items[i] : last;
  }
  bool is_other = last && plain && last->domain.len > 0 && last->version != plain->version;
  return is_other ? last : NULL;
}

/// Whether a node is of the domain without a name, in the place of which the alias is taken.
static bool has_plain_node(const OnnxCheck *check)
{
  for (size_t i = 0; i < check->model->events.count; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    if (event->kind == ONNX_AT_NODE && event->node->domain.len == 0)
      return true;
  }
  return false;
}

static void check_alias(OnnxCheck *check, const OnnxImports *imports)
{
  const OnnxImport *alias = alias_of(imports);
  if (!alias || !has_plain_node(check))
    return;
  bool is_refused = alias->version < 1 || alias->version > check->runtime.limits->opset;
  onnx_report(check, alias->at, RULE_RUNTIME_REFUSES_MODEL, is_refused ? (Severity)SEVERITY_DEFAULT : SEVERITY_WARNING,
              "%.*s takes `ai.onnx` for the domain without a name, so it reads the model as one of opset %lld.",
              STR_ARG(onnx_runtime_words(check)), (long long)alias->version);
}

static bool has_attributes_of(const OnnxNode *node, const OnnxSchema *schema)
{
  for (const OnnxAttr *attr = node->attrs; attr; attr = attr->next) {
    const OnnxAttribute *known = onnx_schema_attribute(schema, attr->name.text);
    if (!known || (attr->type != ONNX_UNDEFINED && attr->type != known->type))
      return false;
  }
  for (uint32_t i = 0; i < schema->attribute_count; i++) {
    if (schema->attributes[i].required && !onnx_node_attr(node, schema->attributes[i].name))
      return false;
  }
  return true;
}

bool onnx_lacks_kernel(const OnnxCheck *check, const OnnxNode *node, uint32_t since, int64_t opset)
{
  const KernelGaps *gaps = symbolics_kernel_gaps(check->db, node->op);
  for (size_t i = 0; gaps && i < gaps->count; i++) {
    const KernelGap *gap = &gaps->items[i];
    if (gap->condition.len == 0 && (gap->runtimes & check->runtime.limits->bit) && kernel_gap_is_at(gap, since, opset))
      return true;
  }
  return false;
}

void onnx_check_aliased(OnnxCheck *check, const OnnxNode *node, const OnnxOperator *op)
{
  const OnnxImport *alias = onnx_session_sees(check) && node->domain.len == 0 ? alias_of(onnx_imports(check)) : NULL;
  if (!alias)
    return;
  const OnnxSchema *schema = onnx_operator_at(op, (int32_t)alias->version);
  bool fits = schema && !schema->deprecated && node->inputs.count >= schema->min_input &&
              node->inputs.count <= schema->max_input && node->outputs.count <= schema->max_output &&
              has_attributes_of(node, schema) && !onnx_lacks_kernel(check, node, schema->since, alias->version);
  if (!fits)
    onnx_report_related(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT, alias->at,
                        "Imported here.", "%.*s reads this as `%.*s` of opset %lld, which it does not fit.",
                        STR_ARG(onnx_runtime_words(check)), STR_ARG(node->op), (long long)alias->version);
}

static void check_imports(OnnxCheck *check, const OnnxImports *imports)
{
  const RuntimeFacts *limits = check->runtime.limits;
  for (uint32_t i = 0; i < imports->count; i++) {
    const OnnxImport *import = &imports->items[i];
    if (import->domain.len == 0 && import->version > limits->opset)
      refuse(check, import->at, "opset", import->version, limits->opset);
    else if (str_equal(import->domain, STR("ai.onnx.ml")) && import->version > NEWEST_ML)
      refuse(check, import->at, "ai.onnx.ml", import->version, NEWEST_ML);
    else if (import->version > 1 && has_one_version(import->domain))
      refuse(check, import->at, arena_copy(check->arena, import->domain).data, import->version, 1);
  }
  check_alias(check, imports);
}

void onnx_check_runtime(OnnxCheck *check)
{
  const RuntimeFacts *limits = check->runtime.limits;
  const OnnxModel *model = check->model;
  if (!limits)
    return;
  if (model->has_ir_version && model->ir_version > limits->ir)
    refuse(check, model->ir_at, "IR version", model->ir_version, limits->ir);
  check_imports(check, &model->imports);
  for (const OnnxFunction *function = model->functions; function; function = function->next)
    check_imports(check, &function->imports);  // Those of functions that nobody calls, too.
}

void onnx_check_labels(OnnxCheck *check, const OnnxGraph *graph)
{
  if (!check->runtime.limits)
    return;
  for (const OnnxNode *node = graph->nodes; node; node = node->next) {
    if (node->label.text.len == 0 || is_constant_node(node))
      continue;
    uint32_t label = onnx_symbol_of(&check->labels, node->label.text);
    if (label == check->labelled.count)
      vec_push(&check->labelled, NULL);
    const OnnxNode *before = check->labelled.items[label];
    check->labelled.items[label] = node;
    if (before && before->graph == graph)
      onnx_report_related(check, node->label.at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                          before->label.at, "Named here.", "%.*s takes no two nodes named `%.*s` in one graph.",
                          STR_ARG(onnx_runtime_words(check)), STR_ARG(node->label.text));
  }
}

/// How a Resize rounds counts where it takes the nearest value, as it does if nothing else is asked for.
static bool is_unused(const OnnxNode *node, const OnnxAttr *attr)
{
  const OnnxAttr *mode = onnx_node_attr(node, STR("mode"));
  return str_equal(attr->name.text, STR("nearest_mode")) && mode && !str_equal(mode->text, STR("nearest"));
}

/// What learned models do at their end was read otherwise before 1.23. Source: tried with 1.21 and 1.23.
static bool is_taken_for_another(const OnnxCheck *check, const OnnxNode *node)
{
  enum { OPSET_OF_FIRST_THAT_ASKS = 23 };
  return node->domain.len > 0 && check->runtime.limits->opset < OPSET_OF_FIRST_THAT_ASKS;
}

bool onnx_runtime_loads_word(const OnnxCheck *check, const OnnxNode *node, const OnnxAttr *attr)
{
  bool fails_when_run = str_equal(node->op, STR("Gelu"));
  bool asks_always = str_equal(node->op, STR("Normalizer"));
  return !onnx_session_sees(check) || fails_when_run || is_unused(node, attr) ||
         (!asks_always && is_taken_for_another(check, node));
}

/// Domains of which a session has operators by itself.
static bool is_of_runtime(Str domain)
{
  static const char *const domains[] = { "",
                                         "ai.onnx",
                                         "ai.onnx.ml",
                                         "ai.onnx.preview",
                                         "ai.onnx.preview.training",
                                         "ai.onnx.training",
                                         "com.microsoft",
                                         "com.microsoft.experimental",
                                         "com.microsoft.nchwc",
                                         "com.ms.internal.nhwc" };
  return str_is_one_of(domain, domains, COUNT(domains));
}

/// Domains of ONNX of which a session knows the operators and versions that onnx lists; the checker passes any other.
static bool is_preview(Str domain)
{
  return str_equal(domain, STR("ai.onnx.preview")) || str_equal(domain, STR("ai.onnx.preview.training"));
}

static bool is_unknown_preview(const OnnxCheck *check, const OnnxNode *node)
{
  return is_preview(node->domain) && onnx_import_of(onnx_imports(check), node->domain) &&
         !onnx_schema_of(check, node, NULL);
}

void onnx_check_experiment(OnnxCheck *check, const OnnxNode *node)
{
  enum { FIRST_OPSET_WITHOUT = 10 };
  static const char *const never[] = { "ATen", "ConstantFill", "GRUUnit", "GivenTensorFill" };
  const OnnxImport *import = onnx_import_of(onnx_imports(check), node->domain);
  bool is_known = !import || (import->version < FIRST_OPSET_WITHOUT && !str_is_one_of(node->op, never, COUNT(never)));
  if (onnx_session_sees(check) && !is_known)
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s knows no `%.*s` here, an experiment that ONNX took out again.",
                STR_ARG(onnx_runtime_words(check)), STR_ARG(node->op));
  else
    onnx_report(check, node->op_at, RULE_UNKNOWN_ONNX_OP, SEVERITY_WARNING,
                "`%.*s` was an experiment that ONNX took out again; no runtime has to know it.", STR_ARG(node->op));
}

void onnx_check_foreign(OnnxCheck *check, const OnnxNode *node)
{
  if (onnx_session_sees(check) && is_unknown_preview(check, node))
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s knows no `%.*s` in the version of `%.*s` that the model imports.",
                STR_ARG(onnx_runtime_words(check)), STR_ARG(node->op), STR_ARG(node->domain));
  onnx_check_contributed(check, node);
  // What is called Constant becomes an initializer, whatever its domain.
  if (!onnx_session_sees(check) || is_of_runtime(node->domain) || str_equal(node->op, STR("Constant")) ||
      onnx_any_overload(check, node))
    return;
  onnx_report(
      check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
      "%.*s knows no operator of the domain `%.*s`; a session takes the model only with a library that brings it.",
      STR_ARG(onnx_runtime_words(check)), STR_ARG(node->domain));
}
