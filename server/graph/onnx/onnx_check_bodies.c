// What a session asks of functions before it knows who calls them, in models whose IR version has none, too. Tried with
// onnxruntime 1.21 and 1.23.

#include "graph/onnx/onnx_rules.h"

/// What is known of a name, in functions that are counted from 1.
typedef struct Mark {
  uint32_t maker;          ///< The last function with a node that makes it, or one in a graph of a node.
  uint32_t user;           ///< The last function that has it as an output.
  uint32_t owner;          ///< The last function that has it as an input.
  const OnnxValue *input;  ///< Of that one.
} Mark;

/// In a model that has functions by its IR version, the checker asks that as well.
static void check_import(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxImport *import = onnx_import_of(onnx_imports(check), node->domain);
  if (!import || import->version == -1)
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s takes no function that imports no opset of the domain `%.*s`.",
                STR_ARG(onnx_runtime_words(check)), STR_ARG(onnx_domain_word(node->domain)));
}

/// A session reads nodes by the model's opset, once they stand in the place of a call, and counts the last import of
/// either name of that domain. NULL if there is none.
static const OnnxImport *model_import(const OnnxCheck *check)
{
  const OnnxImports *imports = &check->model->imports;
  const OnnxImport *last = NULL;
  for (uint32_t i = 0; i < imports->count; i++) {
    bool is_same = imports->items[i].domain.len == 0 || str_equal(imports->items[i].domain, STR("ai.onnx"));
    last = is_same ? &imports->items[i] : last;
  }
  return last;
}

static bool is_called(const OnnxCheck *check)
{
  return check->called && check->called[check->function->number];
}

/// The same of an operator that is not there: of a model whose IR version has functions the checker says so.
static void check_operator(OnnxCheck *check, const OnnxNode *node)
{
  if (!is_called(check) || onnx_any_overload(check, node))
    return;
  const OnnxImport *import = model_import(check);
  const OnnxOperator *op = symbolics_onnx_operator(check->db, node->domain, node->op);
  bool is_default = node->domain.len == 0;
  if (!op && !is_default && !str_equal(node->domain, STR("ai.onnx.ml")))
    onnx_check_foreign(check, node);
  else if (!op || (is_default && import && import->version > 0 && !onnx_operator_at(op, (int32_t)import->version)))
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s reads this by the opset of the model, which has no `%.*s`.", STR_ARG(onnx_runtime_words(check)),
                STR_ARG(node->op));
}

static void check_version(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxImport *last = model_import(check);
  if (node->domain.len > 0 || !is_called(check))
    return;
  const OnnxOperator *op = last ? symbolics_onnx_operator(check->db, node->domain, node->op) : NULL;
  const OnnxSchema *schema = op ? onnx_operator_at(op, (int32_t)last->version) : NULL;
  bool has_no_kernel = schema && last->domain.len > 0 && onnx_lacks_kernel(check, node, schema->since, last->version);
  if (has_no_kernel ||
      (last && (last->version < 1 || (last->domain.len > 0 && last->version > check->runtime.limits->opset))))
    onnx_report_related(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT, last->at,
                        "Imported here.",
                        "%.*s reads this by the opset of the model, %lld, of which it doesn't have the operator.",
                        STR_ARG(onnx_runtime_words(check)), (long long)last->version);
}

/// Of fewer it doesn't speak.
static void check_counts(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxSchema *schema = onnx_schema_of(check, node, NULL);
  if (schema && (node->inputs.count > schema->max_input || node->outputs.count > schema->max_output))
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s takes no function with a `%.*s` that has more %s than the operator.",
                STR_ARG(onnx_runtime_words(check)), STR_ARG(node->op),
                node->inputs.count > schema->max_input ? "inputs" : "outputs");
}

static void check_node(OnnxCheck *check, const OnnxNode *node, bool is_kept, Mark *marks)
{
  if (is_kept && onnx_functions_are_passed(check)) {
    check_import(check, node);
    check_counts(check, node);
    check_operator(check, node);
  }
  if (is_kept)
    check_version(check, node);
  for (uint32_t i = 0; i < node->outputs.count; i++) {
    if (node->outputs.items[i].symbol != ONNX_NO_SYMBOL)
      marks[node->outputs.items[i].symbol].maker = check->function->number + 1;
  }
}

static void check_unmade(OnnxCheck *check, const OnnxValue *output, const Mark *mark, bool is_kept)
{
  bool is_input = mark->owner == check->function->number + 1;
  if (is_input && is_kept)
    onnx_report_related(check, output->name.at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                        mark->input->name.at, "The input.",
                        "%.*s takes no function that hands on its input `%.*s`; an Identity between helps.",
                        STR_ARG(onnx_runtime_words(check)), STR_ARG(output->name.text));
  else if (!is_input)
    onnx_report(check, output->name.at, RULE_UNPRODUCED_OUTPUT, is_kept ? SEVERITY_ERROR : SEVERITY_WARNING,
                "No node of `%.*s` makes its output `%.*s`.", STR_ARG(check->function->graph.name.text),
                STR_ARG(output->name.text));
}

static void check_output(OnnxCheck *check, const OnnxValue *output, Mark *mark, bool is_kept)
{
  uint32_t number = check->function->number + 1;
  if (mark->maker != number)
    check_unmade(check, output, mark, is_kept);
  else if (mark->user == number && is_kept && onnx_functions_are_passed(check))
    onnx_report(check, output->name.at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s takes no function with the output `%.*s` twice.", STR_ARG(onnx_runtime_words(check)),
                STR_ARG(output->name.text));
  mark->user = number;
}

static void check_body(OnnxCheck *check, const OnnxFunction *function, Mark *marks)
{
  // Of functions of one name a session has the last one, and reads no other.
  bool is_kept = onnx_last_function(check, function->domain, function->graph.name.text) == function;
  check->function = function;
  for (const OnnxValue *input = function->graph.inputs; input; input = input->next) {
    if (input->name.symbol == ONNX_NO_SYMBOL)
      continue;
    marks[input->name.symbol].owner = function->number + 1;
    marks[input->name.symbol].input = input;
  }
  for (uint32_t i = function->first_event; i < function->end_event; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    if (event->kind == ONNX_AT_NODE)
      check_node(check, event->node, is_kept, marks);
  }
  for (const OnnxValue *output = function->graph.outputs; output; output = output->next) {
    if (output->name.symbol != ONNX_NO_SYMBOL)
      check_output(check, output, &marks[output->name.symbol], is_kept);
  }
}

void onnx_check_bodies(OnnxCheck *check)
{
  if (!check->runtime.limits || check->model->is_damaged)
    return;
  Mark *marks = xcalloc(check->symbols.texts.count + 1, sizeof(*marks));
  for (const OnnxFunction *function = check->model->functions; function; function = function->next)
    check_body(check, function, marks);
  check->function = NULL;
  free(marks);
}
