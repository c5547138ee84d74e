// What an expression that is called runs: functions by name, methods, partial(), objects that can be called, functions
// that other functions make, and decorators.

#include "base/limits.h"
#include "python/model/python_model_private.h"

/// While an expression is looked through.
typedef struct Search {
  const PyModel *model;
  const PyRow *row;
  PyCallable found;
} Search;

static bool is_called(const PyModel *model, uint32_t call, Str qualified)
{
  return str_equal(model->calls.items[call].qualified, qualified);
}

static bool take_function(Search *search, uint32_t function)
{
  search->found.function = function;
  return false;
}

/// Whether a binding comes after the place of a name: in `name = wrap(name)` the second one is still what was before.
static bool comes_after(const PyModel *model, const PyBinding *binding, PyRef name)
{
  return binding->node > name || (binding->kind == PY_BIND_ASSIGN && binding->value && binding->value <= name &&
                                  name < model->tree.nodes[binding->value].next);
}

/// What several bindings of a name give it where it is used, if that is one of the module that takes the name away from
/// what had it before; NULL.
static const PyBinding *last_binding(const PyModel *model, PyRef name, const PyBinding *first)
{
  uint32_t scope = py_model_scope_of(model, name);
  const PyBinding *last = first;
  for (int seen = 0; last->next != PY_ABSENT && seen < PY_ALIAS_LIMIT; seen++) {
    const PyBinding *next = &model->bindings.items[last->next];
    if (scope == PY_ABSENT && comes_after(model, next, name))
      break;
    last = next;
  }
  bool is_last =
      last->next == PY_ABSENT || (scope == PY_ABSENT && comes_after(model, &model->bindings.items[last->next], name));
  return is_last && last->scope == PY_ABSENT ? last : NULL;
}

/// The function of this file that a name is bound to where it is used; PY_ABSENT.
static uint32_t function_named(const PyModel *model, PyRef name)
{
  const PyBinding *binding = py_model_binding_at(model, name);
  if (!binding || binding->next == PY_ABSENT)
    return binding && binding->kind == PY_BIND_FUNCTION ? binding->index : PY_ABSENT;
  const PyBinding *last = last_binding(model, name, binding);
  PyRef outer = last && last->kind == PY_BIND_FUNCTION ? model->functions.items[last->index].outer : 0;
  return outer && py_kind(&model->tree, model->tree.nodes[outer].parent) == PYK_MODULE ? last->index : PY_ABSENT;
}

/// The value of `name = wrap(name)`, a statement of the module that is the last to bind the name; 0.
static PyRef value_named(const PyModel *model, PyRef name)
{
  const PyTree *tree = &model->tree;
  const PyBinding *binding = py_model_binding_at(model, name);
  const PyBinding *last = binding && binding->next != PY_ABSENT ? last_binding(model, name, binding) : NULL;
  PyRef assignment = last && last->kind == PY_BIND_ASSIGN ? tree->nodes[last->node].parent : 0;
  PyRef statement = assignment ? tree->nodes[assignment].parent : 0;
  return statement && py_kind(tree, tree->nodes[statement].parent) == PYK_MODULE ? last->value : 0;
}

/// A method of the class that `object` is, or is an object of.
static bool take_method(Search *search, PyRef object, Str name)
{
  const PyModel *model = search->model;
  object = py_model_resolve(model, python_row_value(model, search->row, object));
  PyRef class_node = py_model_class_named(model, object);
  search->found.is_bound = class_node == 0;
  if (!class_node)
    class_node = py_model_class_of_object(model, object);
  bool is_any = str_equal(py_text(&model->tree, object), STR("self")) &&
                py_model_is_overridden(model, class_node, name);  // An object of which class is not known.
  return take_function(search, is_any ? PY_ABSENT : py_model_method(model, class_node, name));
}

/// The function inside of `maker`, or of the module, that a call of it gives back; PY_ABSENT.
static uint32_t made_function(const PyModel *model, uint32_t maker)
{
  PyRef returned = py_tree_strip(&model->tree, model->functions.items[maker].returned);
  PyNodeKind kind = returned ? py_kind(&model->tree, returned) : PYK_OTHER;
  if (kind == PYK_LAMBDA)
    return py_model_function_at(model, returned);
  uint32_t made = kind == PYK_IDENTIFIER ? function_named(model, returned) : PY_ABSENT;
  uint32_t parent = made == PY_ABSENT ? PY_ABSENT : model->functions.items[made].parent;
  return made != maker && (parent == maker || parent == PY_ABSENT) ? made : PY_ABSENT;
}

/// `getattr(object, "name")`
static bool take_member(Search *search, const PyCall *call)
{
  const PyArgument *object = py_model_argument(search->model, call, 0, NULL);
  const PyArgument *name = py_model_argument(search->model, call, 1, NULL);
  Arena arena = { 0 };
  Str text;
  if (object && name && python_row_string(search->model, search->row, name->value, &arena, &text))
    take_method(search, object->value, text);
  arena_done(&arena);
  return false;
}

static bool takes_any(const PyModel *model, uint32_t function)
{
  for (uint32_t i = 0; i < model->functions.items[function].param_count; i++) {
    if (model->params.items[model->functions.items[function].first_param + i].kind == PY_PARAM_ARGS)
      return true;
  }
  return false;
}

/// `wrapped(function)`: what passes on whatever it gets counts for what it is put around. True if that is to be looked
/// at next.
static bool look_into_wrapper(Search *search, const PyCall *call, PyRef *ret_node)
{
  const PyModel *model = search->model;
  uint32_t made = made_function(model, call->function);
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  if (made == PY_ABSENT || !first || !takes_any(model, made) || call->argument_count != 1)
    return take_function(search, made);
  *ret_node = first->value;
  return true;
}

/// What a call gives back; true if `ret_node` is to be looked at next.
static bool look_at_call(Search *search, uint32_t index, PyRef *ret_node)
{
  const PyModel *model = search->model;
  const PyCall *call = &model->calls.items[index];
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  if (is_called(model, index, STR("functools.partial")) && first) {
    bool is_first = search->found.partial == PY_ABSENT;
    search->found.partial = index;
    *ret_node = first->value;
    return is_first;  // Of a partial() of a partial() nothing is known.
  }
  if (is_called(model, index, STR("getattr")))
    return take_member(search, call);
  uint32_t inner = py_model_call_at(model, call->function_node);
  if (inner != PY_ABSENT && str_ends_with(model->calls.items[inner].qualified, STR("symbolic_helper.parse_args")) &&
      first) {
    search->found.parse_args = inner;
    *ret_node = first->value;
    return true;
  }
  if (call->function != PY_ABSENT)
    return look_into_wrapper(search, call, ret_node);
  PyRef class_node = py_model_class_named(model, call->function_node);
  search->found.is_bound = class_node != 0;
  return take_function(search, py_model_method(model, class_node, STR("__call__")));
}

static bool look_at(Search *search, PyRef *node)
{
  const PyModel *model = search->model;
  const PyTree *tree = &model->tree;
  uint32_t index;
  search->found.named = *node;
  switch (py_kind(tree, *node)) {
  case PYK_LAMBDA:
    return take_function(search, py_model_function_at(model, *node));
  case PYK_IDENTIFIER: {
    PyRef value = value_named(model, *node);
    search->found.class_node = py_model_class_named(model, *node);
    take_function(search, value ? PY_ABSENT : function_named(model, *node));
    *node = value ? value : *node;
    return value != 0;
  }
  case PYK_ATTRIBUTE:
    return take_method(search, py_child(tree, *node, PY_F_OBJECT),
                       py_text(tree, py_child(tree, *node, PY_F_ATTRIBUTE)));
  case PYK_CALL:
    index = py_model_call_at(model, *node);
    return index != PY_ABSENT && look_at_call(search, index, node);
  default:
    return false;
  }
}

/// A decorator of this file that gives back a function of its own with parameters of its own: these are what counts.
static uint32_t wrapper_of(const PyModel *model, uint32_t function)
{
  uint32_t wrapper = model->functions.items[function].wrapper;
  return wrapper == PY_ABSENT || takes_any(model, wrapper) ? function : wrapper;
}

PyCallable python_callable(const PyModel *model, const PyRow *row, PyRef node)
{
  static const PyRow no_row = { 0 };
  Search search = {
    .model = model,
    .row = row ? row : &no_row,
    .found = { .function = PY_ABSENT, .partial = PY_ABSENT, .parse_args = PY_ABSENT, .named = node },
  };
  uint32_t definition =
      py_model_function_at(model, model->tree.nodes[python_row_value(model, search.row, node)].parent);
  bool is_definition = definition != PY_ABSENT &&
                       model->functions.items[definition].name_node == python_row_value(model, search.row, node);
  if (is_definition)  // A row of a decorator gives the name of what it decorates.
    search.found.function = definition;
  bool is_going_on = !is_definition;
  for (int i = 0; i < PY_ALIAS_LIMIT && is_going_on; i++) {
    node = py_model_resolve(model, python_row_value(model, search.row, node));
    is_going_on = look_at(&search, &node);
  }
  if (search.found.function != PY_ABSENT && !is_definition)
    search.found.function = wrapper_of(model, search.found.function);
  return search.found;
}

PyCallable py_model_callable(const PyModel *model, PyRef node)
{
  return python_callable(model, NULL, node);
}

// --- Decorators ---

/// The function of the file that a decorator runs: `@name`, `@name(...)`, `@registry.name(...)`, or `__call__` of the
/// object that `@Class(...)` makes, then `ret_object` is true. PY_ABSENT for others.
static uint32_t decorator_of(const PyModel *model, PyRef expression, bool *ret_object)
{
  const PyCall *call = py_model_call(model, expression);
  PyRef name = call ? call->function_node : expression;
  PyNodeKind kind = py_kind(&model->tree, name);
  uint32_t function = kind == PYK_IDENTIFIER ? function_named(model, name) : PY_ABSENT;
  *ret_object = false;
  if (function != PY_ABSENT || !call || model->classes.count == 0)
    return function;
  if (kind == PYK_ATTRIBUTE) {
    PyCallable callable = py_model_callable(model, name);
    return callable.partial == PY_ABSENT && callable.parse_args == PY_ABSENT ? callable.function : PY_ABSENT;
  }
  PyRef class_node = py_model_class_named(model, name);
  *ret_object = class_node != 0;
  return class_node ? py_model_method(model, class_node, STR("__call__")) : PY_ABSENT;
}

/// Returns the function that the decorator puts in the place of what it decorates; PY_ABSENT.
static uint32_t note_decoration(PyModel *model, PyRef name_node, PyRef expression)
{
  bool is_object;
  uint32_t call = py_model_call_at(model, expression);
  uint32_t decorator = decorator_of(model, expression, &is_object);
  if (decorator == PY_ABSENT)
    return PY_ABSENT;
  PyDecoration decoration = { name_node, call, model->functions.items[decorator].first_decoration };
  model->functions.items[decorator].first_decoration = (uint32_t)model->decorations.count;
  vec_push(&model->decorations, decoration);
  uint32_t wrapper = made_function(model, decorator);
  if (call != PY_ABSENT && wrapper != PY_ABSENT && !is_object)
    wrapper = made_function(model, wrapper);
  return wrapper;
}

/// Whether a function gives back the first thing that it gets, after `skip` others: as a decorator it changes nothing.
static bool returns_first(const PyModel *model, uint32_t function, uint32_t skip)
{
  const PyFunction *at = &model->functions.items[function];
  PyRef returned = py_tree_strip(&model->tree, at->returned);
  return returned && at->param_count > skip && py_kind(&model->tree, returned) == PYK_IDENTIFIER &&
         str_equal(py_text(&model->tree, returned), py_model_params(model, at)[skip].name);
}

/// Whether a decorator puts a function in the place of another one that calls it with what it gets, and gives back what
/// that gives: `def inner(g, *args): return function(g, *args)`.
static bool passes_on(const PyModel *model, uint32_t decorator)
{
  const PyTree *tree = &model->tree;
  uint32_t inner = made_function(model, decorator);
  const PyFunction *outer = &model->functions.items[decorator];
  const PyCall *call =
      inner == PY_ABSENT ? NULL : py_model_call(model, py_tree_strip(tree, model->functions.items[inner].returned));
  if (!call || outer->param_count == 0)
    return false;
  const PyFunction *at = &model->functions.items[inner];
  bool is_same = call->argument_count == at->param_count && takes_any(model, inner) &&
                 str_equal(py_text(tree, call->function_node), py_model_params(model, outer)->name);
  for (uint32_t i = 0; is_same && i < at->param_count; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    const PyParam *param = &py_model_params(model, at)[i];
    is_same = argument->keyword.len == 0 && argument->is_splat == (param->kind == PY_PARAM_ARGS) &&
              argument->is_dictionary_splat == (param->kind == PY_PARAM_KWARGS) &&
              str_equal(py_text(tree, argument->value), param->name);
  }
  return is_same;
}

bool python_decorator_keeps(const PyModel *model, PyRef expression)
{
  bool is_object;
  const PyCall *call = py_model_call(model, expression);
  uint32_t decorator = decorator_of(model, expression, &is_object);
  if (is_object)
    return decorator != PY_ABSENT && returns_first(model, decorator, 1);
  if (decorator != PY_ABSENT && call)
    decorator = made_function(model, decorator);
  return decorator != PY_ABSENT && (returns_first(model, decorator, 0) || passes_on(model, decorator));
}

void python_find_decorations(PyModel *model)
{
  for (uint32_t i = 0; i < model->functions.count; i++) {
    for (PY_EACH_DECORATOR(model, expression, model->functions.items[i].outer))
      model->functions.items[i].wrapper = note_decoration(model, model->functions.items[i].name_node, expression);
  }
  for (size_t i = 0; i < model->classes.count; i++) {
    PyRef node = model->classes.items[i].node;
    for (PY_EACH_DECORATOR(model, expression, model->tree.nodes[node].parent))
      note_decoration(model, py_child(&model->tree, node, PY_F_NAME), expression);
  }
}
