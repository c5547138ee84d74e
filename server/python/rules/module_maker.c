// The numbers that a module of the file was made with.

#include "python/rules/module_maker.h"

#include "base/limits.h"

bool module_maker_runs(const ModuleMaker *maker, const PyFunction *function)
{
  return maker->builder ? maker->builder == function
                        : maker->class_node && function->class_node == maker->class_node &&
                              str_equal(function->name, STR("__init__"));
}

PyRef module_maker_built(const ModuleMaker *maker, const PyCall *call, ModuleMaker *ret_maker)
{
  const PyModel *model = maker->model;
  const PyFunction *function = call->function == PY_ABSENT ? NULL : &model->functions.items[call->function];
  if (!function || function->outer != function->node || function->return_count != 1 || !function->returned)
    return 0;
  *ret_maker = (ModuleMaker){ .model = model, .parts = maker->parts, .call = call, .outer = maker, .builder = function };
  return function->returned;
}

PyRef module_maker_value(const ModuleMaker *maker, PyRef name, const ModuleMaker **ret_maker)
{
  const PyModel *model = maker->model;
  uint32_t scope = py_model_scope_of(model, name);
  uint32_t at = scope == PY_ABSENT ? PY_ABSENT : py_model_lookup(model, scope, py_text(&model->tree, name));
  const PyBinding *binding = at == PY_ABSENT ? NULL : &model->bindings.items[at];
  const PyFunction *function = scope == PY_ABSENT ? NULL : &model->functions.items[scope];
  if (!binding || binding->scope != scope || binding->kind != PY_BIND_PARAM || binding->next != PY_ABSENT ||
      !maker->call || maker->call->has_splat || maker->call->has_dictionary_splat || !module_maker_runs(maker, function))
    return 0;
  const PyParam *param = &model->params.items[binding->index];
  uint32_t self = maker->builder ? 0 : 1;
  const PyArgument *given =
      py_model_argument_of(model, maker->call, binding->index - function->first_param - self, param->name);
  *ret_maker = given ? maker->outer : maker;
  return given ? given->value : param->default_value;
}

/// The value of the `x` of `self.x`; 0.
static PyRef own_value(const ModuleMaker *maker, PyRef node)
{
  const PyTree *tree = &maker->model->tree;
  PyRef object = py_kind(tree, node) == PYK_ATTRIBUTE ? py_child(tree, node, PY_F_OBJECT) : 0;
  Str name = object && str_equal(py_text(tree, object), STR("self"))
                 ? py_text(tree, py_child(tree, node, PY_F_ATTRIBUTE))
                 : (Str){ 0 };
  return name.len > 0 ? module_parts_unchanged(maker->parts, maker->model, maker->class_node, name) : 0;
}

/// What `config["hidden"]` is, where `config` is what the module was made with; 0.
static PyRef element_given(const ModuleMaker *maker, PyRef node, const ModuleMaker **ret_maker)
{
  const PyModel *model = maker->model;
  PyRef object = py_child(&model->tree, node, PY_F_VALUE);
  PyRef key = py_child(&model->tree, node, PY_F_SUBSCRIPT);
  const PyBinding *binding = object ? py_model_binding_of(model, py_model_scope_of(model, object), object) : NULL;
  PyRef given = key && binding && !binding->is_changed ? module_maker_value(maker, object, ret_maker) : 0;
  return given ? py_model_element(model, py_model_resolve(model, given), py_model_resolve(model, key)) : 0;
}

bool module_maker_apply(Str sign, int64_t a, int64_t b, int64_t *ret_value)
{
  if (a < 0 || a > PY_DIM_NUMBER_LIMIT || b < 0 || b > PY_DIM_NUMBER_LIMIT)
    return false;
  if (str_equal(sign, STR("+")))
    *ret_value = a + b;
  else if (str_equal(sign, STR("-")))
    *ret_value = a - b;
  else if (str_equal(sign, STR("*")))
    *ret_value = a * b;
  else if (str_equal(sign, STR("//")) && b > 0)
    *ret_value = a / b;
  else
    return false;
  return true;
}

static bool find_int(const ModuleMaker *maker, PyRef node, int depth, int64_t *ret_value);

/// What a name stands for in the loop that makes the module; NULL for other expressions.
static const MadeName *name_made(const ModuleMaker *maker, PyRef node)
{
  const PyTree *tree = &maker->model->tree;
  for (size_t i = 0; py_kind(tree, node) == PYK_IDENTIFIER && i < maker->name_count; i++) {
    if (str_equal(maker->names[i].name, py_text(tree, node)))
      return &maker->names[i];
  }
  return NULL;
}

/// `dims[i]` of a list that is written out, where i is a number there; 0.
static PyRef element_at(const ModuleMaker *maker, PyRef node, int depth)
{
  const PyTree *tree = &maker->model->tree;
  PyRef object = py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_VALUE) : 0;
  PyRef list = object && depth > 0 ? module_maker_written(maker, object) : 0;
  PyNodeKind kind = list ? py_kind(tree, list) : PYK_OTHER;
  int64_t number, count = 0;
  if ((kind != PYK_LIST && kind != PYK_TUPLE) ||
      !find_int(maker, py_child(tree, node, PY_F_SUBSCRIPT), depth - 1, &number))
    return 0;
  for (PyRef item = py_tree_first_element(tree, list); item; item = py_tree_next_element(tree, item), count++) {
    if (py_tree_is_splat(tree, item))
      return 0;
  }
  number += number < 0 ? count : 0;
  PyRef item = number >= 0 && number < count ? py_tree_first_element(tree, list) : 0;
  for (; item && number > 0; number--)
    item = py_tree_next_element(tree, item);
  return item;
}

PyRef module_maker_written(const ModuleMaker *maker, PyRef node)
{
  const PyTree *tree = &maker->model->tree;
  for (int depth = 0; node && depth < PY_ALIAS_LIMIT; depth++) {
    const ModuleMaker *from = NULL;
    node = py_tree_strip(tree, node);
    const MadeName *made = name_made(maker, node);
    if (made && made->node == node)
      return 0;
    PyRef value = made ? made->node : py_kind(tree, node) == PYK_IDENTIFIER ? module_maker_value(maker, node, &from) : 0;
    if (made && !value)
      return 0;
    PyRef own = value ? 0 : own_value(maker, node);
    if (!value && !own) {
      PyRef item = element_at(maker, node, PY_ALIAS_LIMIT - depth);
      return item ? py_model_resolve(maker->model, item) : py_model_resolve(maker->model, node);
    }
    node = value ? value : own;
    maker = from ? from : maker;
  }
  return 0;
}

/// `size or 1`
static bool find_default(const ModuleMaker *maker, PyRef node, int depth, int64_t *ret_value)
{
  const PyTree *tree = &maker->model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT);
  PyRef sign = py_child(tree, node, PY_F_OPERATOR);
  const ModuleMaker *from = NULL;
  if (!left || !right || !sign || !str_equal(py_text(tree, sign), STR("or")))
    return false;
  if (find_int(maker, left, depth, ret_value) && *ret_value != 0)
    return true;
  PyRef given = py_kind(tree, left) == PYK_IDENTIFIER ? module_maker_value(maker, left, &from) : 0;
  return given && py_kind(tree, given) == PYK_NONE && find_int(maker, right, depth, ret_value);
}

static bool find_int(const ModuleMaker *maker, PyRef node, int depth, int64_t *ret_value)
{
  const PyModel *model = maker->model;
  if (!node || depth <= 0)
    return false;
  const MadeName *made = maker->name_count > 0 ? name_made(maker, py_tree_strip(&model->tree, node)) : NULL;
  if (made) {
    *ret_value = made->number;
    return made->is_number;
  }
  if (py_model_int(model, node, ret_value))
    return true;
  node = py_model_resolve(model, node);
  PyNodeKind kind = py_kind(&model->tree, node);
  if (kind == PYK_IDENTIFIER || kind == PYK_SUBSCRIPT) {
    const ModuleMaker *from = NULL;
    PyRef value = kind == PYK_IDENTIFIER ? module_maker_value(maker, node, &from) : element_given(maker, node, &from);
    ModuleMaker nowhere = { .model = model, .parts = maker->parts };
    PyRef item = value ? 0 : element_at(maker, node, depth - 1);
    if (item)
      return find_int(maker, item, depth - 1, ret_value);
    return value && find_int(from ? from : &nowhere, value, depth - 1, ret_value);
  }
  if (kind == PYK_ATTRIBUTE)
    return find_int(maker, own_value(maker, node), depth - 1, ret_value);
  if (kind == PYK_BOOLEAN_OPERATOR)
    return find_default(maker, node, depth - 1, ret_value);
  PyRef sign = kind == PYK_BINARY_OPERATOR ? py_child(&model->tree, node, PY_F_OPERATOR) : 0;
  int64_t a, b;
  return sign && find_int(maker, py_child(&model->tree, node, PY_F_LEFT), depth - 1, &a) &&
         find_int(maker, py_child(&model->tree, node, PY_F_RIGHT), depth - 1, &b) &&
         module_maker_apply(py_text(&model->tree, sign), a, b, ret_value);
}

bool module_maker_int(const ModuleMaker *maker, PyRef node, int64_t *ret_value)
{
  return find_int(maker, node, PY_ALIAS_LIMIT, ret_value);
}

static int64_t size_of(const ModuleMaker *maker, PyRef node)
{
  int64_t size;
  return module_maker_int(maker, node, &size) && size >= 0 && size <= PY_DIM_NUMBER_LIMIT ? size : -1;
}

int64_t module_maker_size(const ModuleMaker *maker, const PyCall *call, uint32_t position, const char *keyword,
                          int64_t absent)
{
  const PyArgument *argument = py_model_argument(maker->model, call, position, keyword);
  if (call->has_splat || call->has_dictionary_splat)
    return -1;
  return argument ? size_of(maker, argument->value) : absent;
}

int64_t module_maker_size_at(const ModuleMaker *maker, const PyCall *call, uint32_t position, const char *keyword,
                             int axis, int64_t absent)
{
  const PyTree *tree = &maker->model->tree;
  const PyArgument *argument = py_model_argument(maker->model, call, position, keyword);
  if (!argument || call->has_splat || call->has_dictionary_splat)
    return module_maker_size(maker, call, position, keyword, absent);
  PyRef value = py_model_resolve(maker->model, argument->value);
  PyNodeKind kind = py_kind(tree, value);
  if (kind == PYK_NONE)
    return absent;
  if (kind != PYK_TUPLE && kind != PYK_LIST)
    return size_of(maker, value);
  PyRef item = py_tree_first_element(tree, value);
  while (item && axis-- > 0)
    item = py_tree_next_element(tree, item);
  return item ? size_of(maker, item) : -1;
}
