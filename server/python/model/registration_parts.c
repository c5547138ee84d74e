// What a registration names: opsets, and a function.

#include "python/model/python_model_private.h"

// --- Opsets ---

void python_registration_add_opset(PyModel *model, PyRegistration *registration, int64_t opset)
{
  vec_push(&model->opsets, opset < -1 ? -1 : opset > 1000 ? 1000 : (int)opset);
  registration->opset_count++;
}

/// What a loop's variable runs over, as in `for opset in range(9, 14)`; else the node itself.
static PyRef values_of_loop(const PyModel *model, PyRef node)
{
  if (py_kind(&model->tree, node) != PYK_IDENTIFIER)
    return node;
  PyRef target = 0;
  PyRef iterable = python_loop_over(model, node, py_text(&model->tree, node), &target);
  return iterable && py_kind(&model->tree, target) == PYK_IDENTIFIER ? py_model_resolve(model, iterable) : node;
}

/// range(9, 14), if it is short.
static bool read_range(PyModel *model, PyRegistration *registration, PyRef node)
{
  uint32_t index = py_model_call_at(model, node);
  if (index == PY_ABSENT || !str_equal(model->calls.items[index].qualified, STR("range")))
    return false;
  const PyCall *call = &model->calls.items[index];
  const PyArgument *from = py_model_argument(model, call, 0, NULL);
  const PyArgument *to = py_model_argument(model, call, 1, NULL);
  int64_t first;
  int64_t end;
  if (!from || !to || call->argument_count != 2 || !py_model_int(model, from->value, &first) ||
      !py_model_int(model, to->value, &end) || first < 0 || end > 1000 || end - first >= 64)
    return false;
  for (; first < end; first++)
    python_registration_add_opset(model, registration, first);
  return true;
}

/// What `list(x)` or `tuple(x)` makes a list of; else the node itself.
static PyRef listed(const PyModel *model, PyRef node)
{
  uint32_t call = py_model_call_at(model, node);
  Str name = call == PY_ABSENT ? (Str){ 0 } : model->calls.items[call].qualified;
  const PyArgument *argument = str_equal(name, STR("list")) || str_equal(name, STR("tuple"))
                                   ? py_model_argument(model, &model->calls.items[call], 0, NULL)
                                   : NULL;
  return argument ? py_model_resolve(model, argument->value) : node;
}

void python_registration_read_opsets(PyModel *model, PyRegistration *registration, PyRef node)
{
  registration->opset_node = node;
  registration->first_opset = (uint32_t)model->opsets.count;
  if (!node)
    return;
  node = py_model_resolve(model, node);
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, node);
  int64_t opset;
  registration->opset_known = true;
  if (py_model_int(model, node, &opset)) {
    python_registration_add_opset(model, registration, opset);
    return;
  }
  registration->opset_is_wrong_type = kind == PYK_FLOAT || kind == PYK_STRING || kind == PYK_NONE;
  node = listed(model, values_of_loop(model, node));
  kind = py_kind(tree, node);
  if (kind == PYK_LIST || kind == PYK_TUPLE) {
    for (PyRef item = py_tree_first_element(tree, node); item; item = py_tree_next_element(tree, item)) {
      registration->opset_known &= py_model_int(model, item, &opset);
      if (registration->opset_known)
        python_registration_add_opset(model, registration, opset);
    }
    return;
  }
  registration->opset_known = read_range(model, registration, node);
}

// --- Functions ---

/// The class of this file that a name stands for; 0.
static PyRef class_named(const PyModel *model, PyRef name)
{
  if (py_kind(&model->tree, name) != PYK_IDENTIFIER)
    return 0;
  uint32_t found = py_model_lookup(model, py_model_scope_of(model, name), py_text(&model->tree, name));
  const PyBinding *class = found == PY_ABSENT ? NULL : &model->bindings.items[found];
  return class && class->kind == PY_BIND_CLASS && class->next == PY_ABSENT ? model->tree.nodes[class->node].parent : 0;
}

/// The class of the object that `self` or `Class()` is; 0.
static PyRef class_of_object(const PyModel *model, PyRef object)
{
  uint32_t call = py_model_call_at(model, object);
  if (call != PY_ABSENT)
    return class_named(model, model->calls.items[call].function_node);
  uint32_t scope = py_model_scope_of(model, object);
  bool is_self = py_kind(&model->tree, object) == PYK_IDENTIFIER && scope != PY_ABSENT &&
                 str_equal(py_text(&model->tree, object), STR("self"));
  return is_self ? model->functions.items[scope].class_node : 0;
}

/// The only method of the class with that name; PY_ABSENT.
static uint32_t method_named(const PyModel *model, PyRef class_node, Str name)
{
  uint32_t only = PY_ABSENT;
  for (uint32_t i = 0; class_node && i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->class_node != class_node || !str_equal(function->name, name))
      continue;
    if (only != PY_ABSENT || function->has_unknown_decorator)
      return PY_ABSENT;
    only = i;
  }
  return only;
}

/// `Class.method`, `self.method`
static void read_method(PyModel *model, PyRegistration *registration, PyRef node)
{
  if (py_kind(&model->tree, node) != PYK_ATTRIBUTE)
    return;
  PyRef object = py_model_resolve(model, py_child(&model->tree, node, PY_F_OBJECT));
  PyRef class_node = class_named(model, object);
  registration->has_object = class_node == 0;
  if (registration->has_object)
    class_node = class_of_object(model, object);
  Str name = py_text(&model->tree, py_child(&model->tree, node, PY_F_ATTRIBUTE));
  uint32_t method = method_named(model, class_node, name);
  if (method == PY_ABSENT || model->functions.items[method].is_class_method)
    return;
  if (model->functions.items[method].is_static)
    registration->function = method;
  else
    registration->method = method;
}

void python_registration_read_function(PyModel *model, PyRegistration *registration, PyRef node)
{
  const PyTree *tree = &model->tree;
  registration->function_node = node;
  registration->function = registration->method = PY_ABSENT;
  if (!node)
    return;
  PyRef value = py_model_resolve(model, node);
  uint32_t call = py_model_call_at(model, value);
  if (call != PY_ABSENT && str_equal(model->calls.items[call].qualified, STR("functools.partial"))) {
    const PyArgument *inner = py_model_argument(model, &model->calls.items[call], 0, NULL);
    registration->is_opaque = true;
    if (!inner)
      return;
    value = py_model_resolve(model, inner->value);
  }
  if (py_kind(tree, value) == PYK_LAMBDA)
    registration->function = py_model_function_at(model, value);
  if (py_kind(tree, value) != PYK_IDENTIFIER && py_kind(tree, value) != PYK_ATTRIBUTE)
    return;
  uint32_t binding = py_model_lookup(model, py_model_scope_of(model, value), py_text(tree, value));
  if (py_kind(tree, value) == PYK_IDENTIFIER && binding != PY_ABSENT &&
      model->bindings.items[binding].kind == PY_BIND_FUNCTION && model->bindings.items[binding].next == PY_ABSENT)
    registration->function = model->bindings.items[binding].index;
  else
    read_method(model, registration, value);
  if (registration->function == PY_ABSENT)
    registration->function_name = py_model_qualified(model, value, &model->arena);
}
