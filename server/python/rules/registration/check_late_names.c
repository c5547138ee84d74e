// A function that a loop registers, and that reads the loop's own names: the exporter calls it after the loop, when
// they have what the last turn gave them.

#include "base/limits.h"
#include "python/rules/registration/registration.h"

static PyRef loop_around(const PyTree *tree, PyRef node)
{
  int depth = 0;
  for (PyRef at = node; at && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_FUNCTION_DEFINITION)
      return 0;
    if (kind == PYK_FOR_STATEMENT)
      return at;
  }
  return 0;
}

static bool is_named_in(const PyTree *tree, PyRef target, Str name)
{
  for (PY_EACH_NODE(tree, part, target)) {
    if (py_kind(tree, part) == PYK_IDENTIFIER && str_equal(py_text(tree, part), name))
      return true;
  }
  return false;
}

/// Whether the identifier is a name that is read: not a member, and not the keyword of an argument.
static bool is_read(const PyTree *tree, PyRef node)
{
  return py_kind(tree, node) == PYK_IDENTIFIER && tree->nodes[node].field != PY_F_ATTRIBUTE &&
         tree->nodes[node].field != PY_F_NAME;
}

/// The first place in the function that reads a name of the loop, and not one of its own; 0 for none.
static PyRef late_name(const PyModel *model, uint32_t function, PyRef target)
{
  const PyTree *tree = &model->tree;
  PyRef body = model->functions.items[function].body;
  for (PY_EACH_NODE(tree, node, body)) {
    if (!is_read(tree, node) || !is_named_in(tree, target, py_text(tree, node)))
      continue;
    const PyBinding *binding = py_model_binding_at(model, node);
    uint32_t around = model->functions.items[function].parent;
    if (binding && (binding->scope == around || binding->scope == PY_ABSENT))
      return node;
  }
  return 0;
}

static void check_loop(DiagSink *sink, const PyRegistration *registration)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef loop = loop_around(tree, model->calls.items[registration->call].node);
  PyRef function = model->functions.items[registration->function].node;
  if (!loop || function < loop || function >= tree->nodes[loop].next)
    return;
  PyRef name = late_name(model, registration->function, py_child(tree, loop, PY_F_LEFT));
  if (!name || !sink_wants(sink, RULE_REGISTRATION_CALL, SEVERITY_WARNING))
    return;
  Str text = py_text(tree, name);
  py_say(sink, RULE_REGISTRATION_CALL, SEVERITY_WARNING, name,
         arena_printf(sink->arena,
                      "The exporter calls this function after the loop, when '%.*s' is that of its last turn for all "
                      "that were registered: keep it in a default, %.*s=%.*s.",
                      STR_ARG(text), STR_ARG(text), STR_ARG(text)),
         NULL);
}

void registration_check_late_names(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i + 1 < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    bool is_first = i == 0 || registration[-1].call != registration->call;
    if (registration->kind == PY_REG_CUSTOM && registration->call != PY_ABSENT && registration->is_row && is_first &&
        registration[1].call == registration->call && registration->function != PY_ABSENT)
      check_loop(sink, registration);
  }
}
