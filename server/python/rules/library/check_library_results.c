// What the function of an operator of custom_op() does with its inputs: it may give back none of them, and change only
// those that mutates_args names. Run with torch 2.6 and 2.14.

#include "python/rules/library/check_library_results.h"
#include "base/limits.h"
#include "python/model/python_schema.h"

static void say(DiagSink *sink, PyRef node, Severity severity, Str message)
{
  py_say(sink, RULE_CUSTOM_OP, severity, node, message, NULL);
}

/// Whether the name is that of a parameter which is a tensor and nothing else in the function, but for `x += 1`.
static bool is_input(const PyModel *model, uint32_t function, PyRef name, Arena *arena)
{
  const PyBinding *binding =
      name && py_kind(&model->tree, name) == PYK_IDENTIFIER ? py_model_binding_of(model, function, name) : NULL;
  if (!binding || binding->kind != PY_BIND_PARAM || binding->scope != function)
    return false;
  const PyBinding *again = binding->next == PY_ABSENT ? NULL : &model->bindings.items[binding->next];
  PyRef statement = again ? model->tree.nodes[again->node].parent : 0;
  if (again && (again->next != PY_ABSENT || py_kind(&model->tree, statement) != PYK_AUGMENTED_ASSIGNMENT))
    return false;
  PyRef annotation = model->params.items[binding->index].annotation;
  Str type = annotation ? py_schema_bare(py_text(&model->tree, annotation)) : (Str){ 0 };
  return str_equal(py_schema_qualified(model, type, arena), STR("torch.Tensor"));
}

// --- Results ---

/// What a name is bound to once in the function; the expression itself for others.
static PyRef value_of(const PyModel *model, uint32_t function, PyRef node)
{
  node = py_tree_strip(&model->tree, node);
  const PyBinding *binding =
      py_kind(&model->tree, node) == PYK_IDENTIFIER ? py_model_binding_of(model, function, node) : NULL;
  bool is_once = py_binding_is_only(binding, PY_BIND_ASSIGN) && binding->scope == function && binding->value &&
                 binding->unpack == PY_ABSENT;
  return is_once ? py_tree_strip(&model->tree, binding->value) : node;
}

/// What a view is taken of: `x` of `x.view(-1)`, `x[0]`, `x.T`; 0 for what may have memory of its own.
static PyRef viewed(const PyTree *tree, PyRef node)
{
  static const char *const methods[] = { "view",      "squeeze", "unsqueeze", "transpose", "permute",  "t",
                                         "expand",    "detach",  "narrow",    "select",    "movedim",  "view_as",
                                         "expand_as", "mT",      "diagonal",  "swapaxes",  "unflatten" };
  PyNodeKind kind = py_kind(tree, node);
  if (kind == PYK_SUBSCRIPT) {
    PyRef index = py_child(tree, node, PY_F_SUBSCRIPT);
    PyNodeKind of = index ? py_kind(tree, index) : PYK_OTHER;
    return of == PYK_SLICE || of == PYK_INTEGER ? py_child(tree, node, PY_F_VALUE) : 0;
  }
  if (kind == PYK_ATTRIBUTE) {
    Str name = py_tree_member_name(tree, node);
    return str_equal(name, STR("T")) || str_equal(name, STR("mT")) || str_equal(name, STR("data"))
               ? py_tree_object(tree, node)
               : 0;
  }
  PyRef function = kind == PYK_CALL ? py_child(tree, node, PY_F_FUNCTION) : 0;
  bool is_view = function && str_is_one_of(py_tree_member_name(tree, function), methods, COUNT(methods));
  return is_view ? py_tree_object(tree, function) : 0;
}

/// Whether it was said to be an input, or a view of one.
static bool check_alias(DiagSink *sink, uint32_t function, PyRef result)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef node = value_of(model, function, result);
  bool is_view = false;
  for (int i = 0; i < PY_CHAIN_LIMIT; i++) {
    PyRef of = viewed(&model->tree, node);
    if (!of)
      break;
    is_view = true;
    node = value_of(model, function, of);
  }
  if (!is_input(model, function, node, sink->arena))
    return false;
  Str text = py_text(&model->tree, py_tree_strip(&model->tree, result));
  say(sink, result, OWN,
      is_view
          ? arena_printf(sink->arena, "No result may be a view of an input, which torch refuses: return %.*s.clone().",
                         STR_ARG(text))
          : arena_printf(sink->arena, "No result may be an input itself, which torch refuses: return %.*s.clone().",
                         STR_ARG(text)));
  return true;
}

/// `return y, y`
static void check_same(DiagSink *sink, PyRef first, PyRef second)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  if (py_kind(tree, first) == PYK_IDENTIFIER && py_kind(tree, second) == PYK_IDENTIFIER &&
      str_equal(py_text(tree, first), py_text(tree, second)))
    say(sink, second, OWN,
        arena_printf(sink->arena, "No result may be another one, too, which torch refuses: return %.*s.clone().",
                     STR_ARG(py_text(tree, second))));
}

/// What one `return` gives back.
static void check_returned(DiagSink *sink, uint32_t index, PyRef returned)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyNodeKind kind = returned ? py_kind(tree, returned) : PYK_OTHER;
  PyRef before = 0;
  if (returned && kind != PYK_TUPLE && kind != PYK_EXPRESSION_LIST) {
    check_alias(sink, index, returned);
    return;
  }
  for (PyRef item = returned ? py_tree_first_element(tree, returned) : 0; item;
       item = py_tree_next_element(tree, item)) {
    if (!check_alias(sink, index, item) && before)
      check_same(sink, before, item);
    before = item;
  }
}

static void check_results(DiagSink *sink, uint32_t index)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef body = model->functions.items[index].body;
  for (PyRef node = body; body && node < tree->nodes[body].next; node++) {
    PyNodeKind kind = py_kind(tree, node);
    if (py_runs_elsewhere(kind))
      node = tree->nodes[node].next - 1;
    else if (kind == PYK_RETURN_STATEMENT && py_model_scope_of(model, node) == index)
      check_returned(sink, index, py_first_child(tree, node));
  }
}

// --- Changes ---

/// What a node changes in place: `x` of `x.add_(1)`, `x += 1`, `x[0] = 1`; 0.
static PyRef changed(const PyTree *tree, PyRef node)
{
  PyNodeKind kind = py_kind(tree, node);
  PyRef left = kind == PYK_ASSIGNMENT || kind == PYK_AUGMENTED_ASSIGNMENT ? py_child(tree, node, PY_F_LEFT) : 0;
  if (left && kind == PYK_AUGMENTED_ASSIGNMENT && py_kind(tree, left) == PYK_IDENTIFIER)
    return left;
  if (left && py_kind(tree, left) == PYK_SUBSCRIPT)
    return py_child(tree, left, PY_F_VALUE);
  PyRef function = kind == PYK_CALL ? py_child(tree, node, PY_F_FUNCTION) : 0;
  if (!function || py_kind(tree, function) != PYK_ATTRIBUTE)
    return 0;
  Str name = py_tree_member_name(tree, function);
  bool changes = str_ends_with(name, STR("_")) && !str_starts_with(name, STR("_")) && name.len > 1 &&
                 !str_ends_with(name, STR("__")) && !str_equal(name, STR("requires_grad_"));
  return changes ? py_tree_object(tree, function) : 0;
}

/// Whether mutates_args names it, or can't be read.
static bool may_change(const PyModel *model, PyRef names, Str name, Arena *arena)
{
  PyNodeKind kind = py_kind(&model->tree, names);
  Str given;
  if (kind != PYK_TUPLE && kind != PYK_LIST && kind != PYK_SET)
    return kind != PYK_DICTIONARY || py_first_child(&model->tree, names);
  for (PY_EACH_ELEMENT(&model->tree, item, names)) {
    if (!py_model_string(model, item, arena, &given) || str_equal(given, name))
      return true;
  }
  return false;
}

/// Without a word what follows is undefined: opcheck() raises.
static void check_changes(DiagSink *sink, uint32_t index, PyRef names, Severity severity)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef body = model->functions.items[index].body;
  uint32_t seen = 0;
  for (PyRef node = body; node && node < tree->nodes[body].next && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    PyNodeKind kind = py_kind(tree, node);
    if (py_runs_elsewhere(kind)) {
      node = tree->nodes[node].next - 1;
      continue;
    }
    PyRef name = changed(tree, node);
    if (!name || !is_input(model, index, name, sink->arena) ||
        may_change(model, names, py_text(tree, name), sink->arena))
      continue;
    say(sink, name, severity,
        arena_printf(sink->arena, "The operator changes '%.*s', and mutates_args does not say so.",
                     STR_ARG(py_text(tree, name))));
    return;
  }
}

void check_library_results(DiagSink *sink, uint32_t function, PyRef mutates, Severity severity, bool is_inplace)
{
  if (!is_inplace)
    check_results(sink, function);
  if (mutates)
    check_changes(sink, function, py_model_resolve(sink_python(sink)->model, mutates), severity);
}
