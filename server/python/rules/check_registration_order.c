// Registrations that come too late for the exports of their file: after the last one, or in a function that nothing
// calls.

#include "base/limits.h"
#include "python/rules/registration.h"

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

/// Whether the only thing that is said of the function is its definition, so that nothing in the file runs it.
static bool is_never_named(const PyModel *model, uint32_t index)
{
  const PyFunction *function = &model->functions.items[index];
  if (function->class_node || function->parent != PY_ABSENT || function->outer != function->node ||
      !function->name_node || function->first_call != PY_ABSENT)
    return false;
  for (PyRef node = 1; node < model->tree.count; node++) {
    PyNodeKind kind = py_kind(&model->tree, node);
    if ((kind == PYK_IDENTIFIER || kind == PYK_STRING) && node != function->name_node &&
        str_contains(py_text(&model->tree, node), function->name))
      return false;
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

/// Rows of a written table that have another length than what they are taken apart into.
static void check_rows(DiagSink *sink, PyRef loop)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  int wanted = count_written(tree, py_child(tree, loop, PY_F_LEFT));
  PyRef table = py_model_resolve(model, py_child(tree, loop, PY_F_RIGHT));
  if (wanted < 0 || (py_kind(tree, table) != PYK_LIST && py_kind(tree, table) != PYK_TUPLE))
    return;
  for (PyRef row = py_tree_first_element(tree, table); row; row = py_tree_next_element(tree, row)) {
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

/// Registrations after the last export of a function that is run once.
static void check_function_order(DiagSink *sink, const PyCall *export)
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

void registration_check_order(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  uint32_t last = last_export(model);
  if (last == PY_ABSENT || !sink_wants(sink, RULE_IGNORED_REGISTRATION, OWN))
    return;
  const PyCall *export = &model->calls.items[last];
  if (export->scope != PY_ABSENT) {
    if (is_run_once(model, export->scope))
      check_function_order(sink, export);
    return;
  }
  uint32_t asked = PY_ABSENT;  // The answer for a function, of which several may register, is kept.
  bool is_idle = false;
  int functions = 0;
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    if (registration->kind != PY_REG_CUSTOM || registration->call == PY_ABSENT)
      continue;
    const PyCall *call = &model->calls.items[registration->call];
    if (call->scope != PY_ABSENT && call->scope != asked && functions++ < PY_IDLE_LIMIT) {
      asked = call->scope;
      is_idle = is_never_named(model, asked);
    }
    if (call->scope == PY_ABSENT && call->node > export->node && !is_in_loop(&model->tree, call->node))
      say(sink, registration, export,
          STR("The registration is ignored: it comes after the file's last export. Register before."));
    else if (call->scope != PY_ABSENT && call->scope == asked && is_idle)
      say(sink, registration, export,
          arena_printf(sink->arena, "The registration is ignored: nothing calls '%.*s', which makes it.",
                       STR_ARG(model->functions.items[asked].name)));
  }
}
