// Registrations that are not there when their file exports: they come after the last export, are in a function that
// nothing calls, or are taken back before.

#include "base/limits.h"
#include "python/rules/registration/registration.h"

/// The last export of a file that makes all of its exports in one place, a function or the module's level; PY_ABSENT.
static uint32_t last_export(const PyModel *model)
{
  uint32_t last = PY_ABSENT;
  for (size_t i = 0; i < model->exports.count; i++) {
    if (last != PY_ABSENT && model->calls.items[last].scope != model->calls.items[model->exports.items[i]].scope)
      return PY_ABSENT;
    last = model->exports.items[i];
  }
  return last;
}

static bool is_in_loop(const PyTree *tree, PyRef node)
{
  int depth = 0;
  for (PyRef at = node; at && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_FOR_STATEMENT || kind == PYK_WHILE_STATEMENT)
      return true;
  }
  return false;
}

/// Whether the file runs the function just once, when it is run itself: `main()`.
static bool is_run_once(const PyModel *model, uint32_t index)
{
  const PyFunction *function = &model->functions.items[index];
  const PyCall *call = function->first_call == PY_ABSENT ? NULL : &model->calls.items[function->first_call];
  return call && call->next == PY_ABSENT && call->scope == PY_ABSENT && !function->class_node &&
         function->outer == function->node && !is_in_loop(&model->tree, call->node);
}

/// Whether the only thing that is said of the function is its definition, so that nothing in the file runs it, or its
/// name, `register`, where it should be called: `ret_named`.
static bool is_never_run(const PyModel *model, uint32_t index, PyRef *ret_named)
{
  const PyTree *tree = &model->tree;
  const PyFunction *function = &model->functions.items[index];
  if (function->class_node || function->parent != PY_ABSENT || function->outer != function->node ||
      !function->name_node || function->first_call != PY_ABSENT)
    return false;
  for (PyRef node = 1; node < tree->count; node++) {
    PyNodeKind kind = py_kind(tree, node);
    Str text = kind == PYK_IDENTIFIER || kind == PYK_STRING ? py_text(tree, node) : (Str){ 0 };
    bool is_name = node != function->name_node &&
                   (kind == PYK_STRING ? str_contains(text, function->name) : str_equal(text, function->name));
    if (is_name && (kind != PYK_IDENTIFIER || py_kind(tree, tree->nodes[node].parent) != PYK_EXPRESSION_STATEMENT))
      return false;
    if (is_name)
      *ret_named = node;
  }
  return true;
}

static void say(DiagSink *sink, const PyRegistration *registration, const PyCall *export, Str message)
{
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(sink, export->function_node), STR("The export is here.") };
  PyRef node = registration->name_node ? registration->name_node : registration->node;
  py_report(sink, RULE_IGNORED_REGISTRATION, OWN, node,
            (Diagnostic){ .message = message, .related = related, .related_count = 1 });
}

// --- Rows ---

/// The loop around a node that takes rows apart: `for name, function, opset in ...`; 0.
static PyRef loop_of_rows(const PyTree *tree, PyRef node)
{
  int depth = 0;
  for (PyRef at = node; at && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    if (py_kind(tree, at) == PYK_FUNCTION_DEFINITION)
      return 0;
    PyRef left = py_kind(tree, at) == PYK_FOR_STATEMENT ? py_child(tree, at, PY_F_LEFT) : 0;
    if (py_kind(tree, left) == PYK_PATTERN_LIST || py_kind(tree, left) == PYK_TUPLE_PATTERN)
      return at;
  }
  return 0;
}

/// How many things are written there; -1 if a `*` is among them.
static int count_written(const PyTree *tree, PyRef list)
{
  int count = 0;
  for (PY_EACH_CHILD(tree, item, list)) {
    PyNodeKind kind = py_kind(tree, item);
    if (kind == PYK_LIST_SPLAT || kind == PYK_LIST_SPLAT_PATTERN)
      return -1;
    count += kind != PYK_OTHER;
  }
  return count;
}

/// `for name, function in TABLE:` of a dictionary, which gives its keys alone.
static void check_keys(DiagSink *sink, PyRef loop, PyRef table, int wanted)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef over = py_child(&model->tree, loop, PY_F_RIGHT);
  for (PY_EACH_ELEMENT(&model->tree, pair, table)) {
    PyRef key = py_tree_key(&model->tree, pair);
    Str text;
    if (!key || !py_model_string(model, key, sink->arena, &text) || (int)text.len == wanted)
      return;
  }
  if (wanted < 2 || py_kind(&model->tree, over) == PYK_CALL || !sink_wants(sink, RULE_REGISTRATION_CALL, OWN))
    return;
  Str right = arena_printf(sink->arena, "%.*s.items()", STR_ARG(py_text(&model->tree, over)));
  bool is_name = py_kind(&model->tree, over) == PYK_IDENTIFIER;
  py_say(sink, RULE_REGISTRATION_CALL, OWN, over,
         arena_printf(sink->arena,
                      "The loop takes %d names apart, and a dictionary gives its keys alone: write .items().", wanted),
         is_name ? py_edit_replace(sink, false, over, right) : NULL);
}

/// Rows of a written table that have another length than what they are taken apart into.
static void check_rows(DiagSink *sink, PyRef loop)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  int wanted = count_written(tree, py_child(tree, loop, PY_F_LEFT));
  PyRef table = py_model_resolve(model, py_child(tree, loop, PY_F_RIGHT));
  if (py_kind(tree, table) == PYK_DICTIONARY && py_tree_first_element(tree, table))
    check_keys(sink, loop, table, wanted);
  if (wanted < 0 || (py_kind(tree, table) != PYK_LIST && py_kind(tree, table) != PYK_TUPLE))
    return;
  for (PY_EACH_ELEMENT(tree, row, table)) {
    PyNodeKind kind = py_kind(tree, row);
    int count = kind == PYK_LIST || kind == PYK_TUPLE ? count_written(tree, row) : -1;
    if (count >= 0 && count != wanted && sink_wants(sink, RULE_REGISTRATION_CALL, OWN))
      py_say(sink, RULE_REGISTRATION_CALL, OWN, row,
             arena_printf(sink->arena, "The loop takes rows of %d apart, and this one has %d.", wanted, count), NULL);
  }
}

void registration_check_rows(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef last = 0;
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    PyRef loop = registration->kind == PY_REG_CUSTOM && registration->call != PY_ABSENT
                     ? loop_of_rows(&model->tree, model->calls.items[registration->call].node)
                     : 0;
    if (loop && loop != last)
      check_rows(sink, loop);
    last = loop ? loop : last;
  }
}

// --- Order ---

/// Registrations after the last export of the module, or of a function that is run once.
static void check_order(DiagSink *sink, const PyCall *export)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    const PyCall *call = registration->kind == PY_REG_CUSTOM && registration->call != PY_ABSENT
                             ? &model->calls.items[registration->call]
                             : NULL;
    if (call && call->scope == export->scope && call->node > export->node && !is_in_loop(&model->tree, call->node))
      say(sink, registration, export,
          STR("The registration is ignored: it comes after the last export. Register before."));
  }
}

/// Those of functions that nothing runs.
static void check_idle(DiagSink *sink, const PyCall *export)
{
  const PyModel *model = sink_python(sink)->model;
  uint32_t asked = PY_ABSENT;  // The answer for a function, of which several may register, is kept.
  bool is_idle = false;
  PyRef named = 0;
  int functions = 0;
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    uint32_t scope = registration->kind == PY_REG_CUSTOM && registration->call != PY_ABSENT
                         ? model->calls.items[registration->call].scope
                         : PY_ABSENT;
    if (scope != PY_ABSENT && scope != asked && functions++ < PY_IDLE_LIMIT) {
      asked = scope;
      named = 0;
      is_idle = is_never_run(model, asked, &named);
      if (is_idle && named)
        py_say(sink, RULE_IGNORED_REGISTRATION, OWN, named,
               arena_printf(sink->arena, "This names '%.*s', and does not call it: what it registers is not there.",
                            STR_ARG(model->functions.items[asked].name)),
               py_fix(sink, true, STR("Call it"), (Range){ py_range(sink, named).end, py_range(sink, named).end },
                      STR("()")));
    }
    if (scope != PY_ABSENT && scope == asked && is_idle && !named)
      say(sink, registration, export,
          arena_printf(sink->arena, "The registration is ignored: nothing calls '%.*s', which makes it.",
                       STR_ARG(model->functions.items[asked].name)));
  }
}

/// `if torch.onnx.is_in_onnx_export(): register_custom_op_symbolic(...)` of the module: no export runs while it is
/// read.
static void check_guarded(DiagSink *sink, const PyRegistration *registration)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef node = model->calls.items[registration->call].node;
  int depth = 0;
  if (model->calls.items[registration->call].scope != PY_ABSENT)
    return;
  for (PyRef at = node; at && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyRef parent = tree->nodes[at].parent;
    bool is_first = py_kind(tree, parent) == PYK_IF_STATEMENT && tree->nodes[at].field == PY_F_CONSEQUENCE;
    PyRef condition = is_first ? py_child(tree, parent, PY_F_CONDITION) : 0;
    const PyCall *call = condition ? py_model_call(model, py_tree_strip(tree, condition)) : NULL;
    if (!call || !str_equal(call->qualified, STR("torch.onnx.is_in_onnx_export")) ||
        !sink_wants(sink, RULE_IGNORED_REGISTRATION, OWN))
      continue;
    py_say(
        sink, RULE_IGNORED_REGISTRATION, OWN, condition,
        STR("This is true only while a model is traced, and not when the module is read: nothing is registered here."),
        NULL);
    return;
  }
}

// --- Taken back ---

/// Whether what runs the export surely runs the call before: it is a statement of a block around the export.
static bool is_run_before(const PyTree *tree, const PyCall *call, const PyCall *export)
{
  PyRef statement = tree->nodes[call->node].parent;
  PyRef block = tree->nodes[statement].parent;
  return call->scope == export->scope && call->node < export->node &&
         py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT && export->node < tree->nodes[block].next;
}

/// unregister_custom_op_symbolic() of what the file has registered, and doesn't again, before its only export.
static void check_taken_back(DiagSink *sink, const PyCall *export)
{
  const PyModel *model = sink_python(sink)->model;
  const PyRegistration *last = NULL;  // Before the export, of that name.
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *removal = &model->registrations.items[i];
    if (removal->kind != PY_REG_UNREGISTER || removal->call == PY_ABSENT || !removal->name_known || removal->is_row ||
        !is_run_before(&model->tree, &model->calls.items[removal->call], export) ||
        is_in_loop(&model->tree, model->calls.items[removal->call].node))
      continue;
    last = NULL;
    for (size_t k = 0; k < model->registrations.count && k < PY_REGISTRATION_LIMIT; k++) {
      const PyRegistration *other = &model->registrations.items[k];
      bool is_same = other != removal && other->kind != PY_REG_UNREGISTER &&
                     (!other->name_known || str_equal(other->name, removal->name));
      if (is_same)
        last = other->name_known && other->node < removal->node && !last ? other : removal;
    }
    if (last && last != removal)
      say(sink, removal, export, STR("The registration is gone before the export: unregister after it."));
  }
}

void registration_check_order(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->registrations.count; i++) {
    if (model->registrations.items[i].kind == PY_REG_CUSTOM && model->registrations.items[i].call != PY_ABSENT)
      check_guarded(sink, &model->registrations.items[i]);
  }
  uint32_t last = last_export(model);
  if (last == PY_ABSENT || !sink_wants(sink, RULE_IGNORED_REGISTRATION, OWN))
    return;
  const PyCall *export = &model->calls.items[last];
  if (export->scope == PY_ABSENT || is_run_once(model, export->scope)) {
    check_order(sink, export);
    check_idle(sink, export);
  }
  if (model->exports.count == 1)
    check_taken_back(sink, export);
}
