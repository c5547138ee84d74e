#include "graph/onnx/onnx_check.h"

#include "graph/graph_language.h"
#include "graph/model/snapshot_dump.h"
#include "graph/onnx/onnx_flow.h"
#include "graph/onnx/onnx_source.h"
#include "why/export_failure.h"

// --- Reports ---

/// What one call of a function has shown at a place, the next shows again.
static bool was_said(OnnxCheck *check, OnnxSpan at)
{
  if (!check->is_in_call)
    return false;
  for (size_t i = 0; i < check->said_in_calls.count; i++) {
    if (check->said_in_calls.items[i].start == at.start)
      return true;
  }
  if (check->said_in_calls.count == ONNX_MISTAKE_LIMIT)
    return true;
  vec_push(&check->said_in_calls, at);
  return false;
}

static void add(OnnxCheck *check, OnnxSpan at, Severity severity, Diagnostic diagnostic)
{
  sink_add_at(check->sink, (Range){ at.start, at.end }, severity, diagnostic);
}

/// What the checker passes keeps nobody from following a node.
static bool is_refused(RuleId rule, Severity severity)
{
  if (severity == (Severity)SEVERITY_DEFAULT)
    severity = rule_info(rule)->severity;
  return severity != SEVERITY_WARNING && severity != SEVERITY_INFO && severity != SEVERITY_HINT;
}

void onnx_report(OnnxCheck *check, OnnxSpan at, RuleId rule, Severity severity, const char *format, ...)
{
  check->reports += is_refused(rule, severity);
  if (!check->sink || !sink_wants(check->sink, rule, severity) || was_said(check, at))
    return;
  va_list args;
  va_start(args, format);
  Str message = arena_vprintf(check->arena, format, args);
  va_end(args);
  add(check, at, severity, (Diagnostic){ .rule = rule, .message = message });
}

void onnx_report_related(OnnxCheck *check, OnnxSpan at, RuleId rule, Severity severity, OnnxSpan related,
                         const char *words, const char *format, ...)
{
  check->reports += is_refused(rule, severity);
  if (!check->sink || !sink_wants(check->sink, rule, severity) || was_said(check, at))
    return;
  va_list args;
  va_start(args, format);
  Str message = arena_vprintf(check->arena, format, args);
  va_end(args);
  RelatedLocation *place = ARENA_NEW(check->arena, RelatedLocation);
  *place = (RelatedLocation){ { related.start, related.end }, str_from(words) };
  add(check, at, severity, (Diagnostic){ .rule = rule, .message = message, .related = place, .related_count = 1 });
}

/// Quotes around all names that lack them: one alone would not make the text readable.
static Fix *quote_names(OnnxCheck *check)
{
  const OnnxModel *model = check->model;
  size_t count = model->bare_names.count;
  TextEdit *edits = ARENA_ARRAY(check->arena, TextEdit, 2 * count);
  for (size_t i = 0; i < count; i++) {
    OnnxSpan at = model->bare_names.items[i];
    edits[2 * i] = (TextEdit){ { at.start, at.start }, STR("\"") };
    edits[2 * i + 1] = (TextEdit){ { at.end, at.end }, STR("\"") };
  }
  Fix *fix = ARENA_NEW(check->arena, Fix);
  *fix = (Fix){ .title = STR("Put names in quotes"), .edits = edits, .edit_count = 2 * count };
  return fix;
}

static void report_mistakes(OnnxCheck *check)
{
  const OnnxModel *model = check->model;
  for (size_t i = 0; i < model->mistakes.count; i++) {
    const OnnxMistake *mistake = &model->mistakes.items[i];
    if (!sink_wants(check->sink, RULE_SYNTAX, (Severity)SEVERITY_DEFAULT))
      continue;
    Diagnostic diagnostic = { .rule = RULE_SYNTAX, .message = arena_copy(check->arena, mistake->message) };
    if (mistake->wants_quotes && model->bare_names.count < ONNX_MISTAKE_LIMIT) {
      diagnostic.fixes = quote_names(check);
      diagnostic.fix_count = 1;
    }
    add(check, mistake->at, (Severity)SEVERITY_DEFAULT, diagnostic);
  }
}

// --- What others ask ---

const OnnxImports *onnx_imports(const OnnxCheck *check)
{
  return check->function ? &check->function->imports : &check->model->imports;
}

const OnnxImport *onnx_import_of(const OnnxImports *imports, Str domain)
{
  for (uint32_t i = imports->count; i-- > 0;) {
    if (str_equal(imports->items[i].domain, domain))
      return &imports->items[i];
  }
  return NULL;
}

const OnnxSchema *onnx_schema_of(const OnnxCheck *check, const OnnxNode *node, const OnnxOperator **ret_op)
{
  const OnnxImport *import = onnx_import_of(onnx_imports(check), node->domain);
  if (ret_op)
    *ret_op = node->known;
  return node->known && import ? onnx_operator_at(node->known, (int32_t)import->version) : NULL;  // As onnx cuts them.
}

static Str function_key(OnnxCheck *check, Str domain, Str name, Str overload)
{
  const Str parts[] = { domain, STR("\n"), name, STR("\n"), overload };
  return arena_join(check->arena, parts, COUNT(parts));
}

/// In the place of an overload: whatever it is.
static const Str any_overload = STR_INIT("\n");

static void list_function(OnnxCheck *check, const OnnxFunction *f, Str overload, bool counts_last)
{
  uint32_t symbol =
      onnx_symbol_of(&check->function_names, function_key(check, f->domain, f->graph.name.text, overload));
  if (symbol == check->functions.count)
    vec_push(&check->functions, f);
  else if (counts_last)
    check->functions.items[symbol] = f;
}

void onnx_list_functions(OnnxCheck *check)
{
  for (const OnnxFunction *f = check->model->functions; f; f = f->next) {
    list_function(check, f, f->overload, false);
    list_function(check, f, any_overload, true);
  }
}

static const OnnxFunction *find_function(OnnxCheck *check, Str domain, Str name, Str overload)
{
  if (check->functions.count == 0)
    return NULL;
  uint32_t symbol = onnx_symbol_of(&check->function_names, function_key(check, domain, name, overload));
  while (check->functions.count <= symbol)
    vec_push(&check->functions, NULL);
  return check->functions.items[symbol];
}

const OnnxFunction *onnx_last_function(OnnxCheck *check, Str domain, Str name)
{
  return find_function(check, domain, name, any_overload);
}

/// onnx and its runtimes ask whether there is an operator first.
static const OnnxFunction *function_of(OnnxCheck *check, const OnnxNode *node, Str overload)
{
  const OnnxFunction *function = find_function(check, node->domain, node->op, overload);
  const OnnxSchema *schema = function ? onnx_schema_of(check, node, NULL) : NULL;
  return schema && !schema->deprecated ? NULL : function;
}

const OnnxFunction *onnx_called_function(OnnxCheck *check, const OnnxNode *node)
{
  return function_of(check, node, node->overload);
}

const OnnxFunction *onnx_any_overload(OnnxCheck *check, const OnnxNode *node)
{
  return function_of(check, node, any_overload);
}

bool onnx_is_removed_experiment(const OnnxNode *node)
{
  bool is_onnx = node->domain.len == 0 || str_equal(node->domain, STR("ai.onnx"));
  return is_onnx && onnx_operator_was_experiment(node->op);
}

// --- The walk ---

static void number_names(OnnxCheck *check, OnnxNames *names)
{
  for (uint32_t i = 0; i < names->count; i++) {
    if (names->items[i].text.len > 0)
      names->items[i].symbol = onnx_symbol_of(&check->symbols, names->items[i].text);
  }
}

static void number_values(OnnxCheck *check, OnnxValue *value)
{
  for (; value; value = value->next)
    value->name.symbol = onnx_symbol_of(&check->symbols, value->name.text);
}

static void find_operator(OnnxCheck *check, OnnxNode *node)
{
  bool is_alias = str_equal(node->domain, STR("ai.onnx"));  // No schema is registered under this name.
  node->known = is_alias ? NULL : symbolics_onnx_operator(check->db, node->domain, node->op);
}

static void number_event(OnnxEvent *event, uint32_t number)
{
  OnnxFunction *function = event->function;
  if (!function)
    return;
  if (function->end_event == 0)
    function->first_event = number;
  function->end_event = number + 1;
}

void onnx_number_symbols(OnnxCheck *check)
{
  for (uint32_t i = 0; i < check->model->events.count; i++) {
    OnnxEvent *event = &check->model->events.items[i];
    number_event(event, i);
    if (event->kind == ONNX_AT_NODE) {
      find_operator(check, event->node);
      number_names(check, &event->node->inputs);
      number_names(check, &event->node->outputs);
    } else if (event->kind == ONNX_ENTER_GRAPH) {
      number_values(check, event->graph->inputs);
      number_values(check, event->graph->outputs);
      number_values(check, event->graph->infos);
    }
  }
  size_t count = check->symbols.texts.count;
  check->visible = xmalloc((count + 1) * sizeof(*check->visible));
  memset(check->visible, 0xFF, (count + 1) * sizeof(*check->visible));
}

static void check_event(OnnxCheck *check, const OnnxEvent *event)
{
  check->function = event->function;
  if (event->function && onnx_functions_are_passed(check))
    return;
  switch (event->kind) {
  case ONNX_ENTER_GRAPH:
    onnx_check_values(check, event->graph);
    onnx_check_undefined(check, event->graph);
    onnx_enter_graph(check, event->graph);
    onnx_check_labels(check, event->graph);
    break;
  case ONNX_LEAVE_GRAPH:
    onnx_leave_graph(check, event->graph);
    break;
  case ONNX_AT_NODE:
    onnx_check_inputs_known(check, event->node);
    onnx_check_node(check, event->node);
    onnx_bind_outputs(check, event->node);
    break;
  }
}

static void follow_model(OnnxCheck *check, Arena *tree)
{
  OnnxFlow flow;
  onnx_flow_begin(&flow, check, tree);
  for (size_t i = 0; i < check->model->events.count; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    check->function = event->function;
    if (!event->is_wrong)
      onnx_flow_event(&flow, event);
    if (event->kind == ONNX_AT_NODE && !event->function)
      onnx_check_frozen(&flow, event->node);
  }
  onnx_flow_done(&flow);
}

static void check_model(OnnxCheck *check, Arena *tree)
{
  report_mistakes(check);
  onnx_report_refusals(check, ONNX_REFUSED_ALWAYS);
  if (!check->model->graph)
    return;
  onnx_number_symbols(check);
  onnx_list_functions(check);
  onnx_report_refusals(check, ONNX_REFUSED_IF_MET);
  onnx_check_header(check);
  onnx_choose_runtime(check);
  onnx_check_runtime(check);
  for (size_t i = 0; i < check->model->events.count; i++) {
    OnnxEvent *event = &check->model->events.items[i];
    size_t reports = check->reports;
    check_event(check, event);
    event->is_wrong = event->kind == ONNX_AT_NODE && check->reports > reports;
  }
  onnx_check_quantized(check);
  follow_model(check, tree);
  onnx_check_hollow(check);
  if (check->meets_undefined)
    onnx_report_refusals(check, ONNX_REFUSED_ENDS);
  onnx_check_nested_undefined(check);
  onnx_check_output_names(check);
  onnx_check_unused(check);
  onnx_check_functions(check);
  onnx_check_bodies(check);
  onnx_check_computed(check, tree);
}

void onnx_check_done(OnnxCheck *check)
{
  onnx_symbols_done(&check->symbols);
  onnx_symbols_done(&check->function_names);
  onnx_symbols_done(&check->labels);
  vec_free(&check->labelled);
  vec_free(&check->functions);
  vec_free(&check->bindings);
  vec_free(&check->said_in_calls);
  free(check->visible);
  onnx_tree_done(check->model);
}

/// Most models have no functions, and are not read for this.
static bool may_have_functions(Str text)
{
  size_t first = str_find(text, STR("opset_import"), 0);
  return first != STR_NOT_FOUND && str_find(text, STR("opset_import"), first + 1) != STR_NOT_FOUND;
}

static void visit_uncalled(const Snapshot *snapshot, OnnxSource source, UnreadVisitor *visit, void *context)
{
  Arena tree = { 0 };
  OnnxModel model;
  source.is_printed = true;
  snapshot_dialect(snapshot)->read_model(&model, &source, &tree);
  OnnxCheck check = { .arena = &tree, .db = target_db(snapshot_target(snapshot)), .model = &model };
  onnx_number_symbols(&check);
  onnx_list_functions(&check);
  if (model.functions && !onnx_calls_are_followed(&check))
    visit(model.functions->graph.at.start, source.text.len, UNREAD_TOO_MANY_CALLS, context);
  onnx_check_done(&check);
  arena_done(&tree);
}

void onnx_each_unread(const Snapshot *snapshot, UnreadVisitor *visit, void *context)
{
  const Document *document = snapshot_document(snapshot);
  Arena tree = { 0 };
  Str text = document_slice(document, (Range){ 0, document_length(document) }, &tree);
  graph_each_unread(snapshot, visit, context);
  if (may_have_functions(text)) {
    OnnxSource source = onnx_source_first(snapshot, text);
    do {
      visit_uncalled(snapshot, source, visit, context);
    } while (onnx_source_next(&source, text));
  }
  arena_done(&tree);
}

static void check_one(DiagSink *sink, const OnnxSource *source)
{
  OnnxModel model;
  Arena tree = { 0 };
  snapshot_dialect(sink->snapshot)->read_model(&model, source, &tree);
  OnnxCheck check = { .sink = sink, .arena = sink->arena, .db = target_db(sink->target), .model = &model };
  check_model(&check, &tree);
  onnx_check_done(&check);
  arena_done(&tree);
}

static void check_all(DiagSink *sink)
{
  const Document *document = snapshot_document(sink->snapshot);
  Arena whole = { 0 };
  Str text = document_slice(document, (Range){ 0, document_length(document) }, &whole);
  OnnxSource source = onnx_source_first(sink->snapshot, text);
  do {
    check_one(sink, &source);
  } while (onnx_source_next(&source, text));
  arena_done(&whole);
}

/// Whoever loads a model goes by its name, or by its first bytes.
static void check_file_name(DiagSink *sink)
{
  if (snapshot_is_misnamed(sink->snapshot) && sink_wants(sink, RULE_MODEL_HEADER, (Severity)SEVERITY_DEFAULT))
    sink_add_at(sink, (Range){ 0, 1 }, (Severity)SEVERITY_DEFAULT,
                (Diagnostic){ .rule = RULE_MODEL_HEADER,
                              .message = STR("This is ONNX text under the name of a binary model, as which nothing can "
                                             "load it: call it `.onnxtxt`, or make it binary with "
                                             "`onnx.save(onnx.parser.parse_model(text), path)`.") });
}

static void check_failure(DiagSink *sink)
{
  ExportFailure failure = { 0 };
  export_failure_check(sink, (Range){ 0, document_length(snapshot_document(sink->snapshot)) }, &failure);
}

void onnx_check(DiagSink *sink)
{
  static RuleFamily *const families[] = { check_file_name, check_all, check_failure };
  sink_check_lines(sink, 0, document_line_count(snapshot_document(sink->snapshot)), families, COUNT(families));
}
