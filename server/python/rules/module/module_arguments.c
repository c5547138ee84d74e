// What a layer or a part of a model is made with: arguments of calls, also those that `**kwargs` passes on, and sizes.

#include "base/limits.h"
#include "python/rules/export/export_call.h"
#include "python/rules/module/module_maker_private.h"

/// The value of a key of `{"dim": 8}` and `dict(dim=8)`; 0 if it has none, or, where `ret_is_known` is false, nobody
/// knows.
static PyRef value_of_key(const PyModel *model, PyRef dict, Str key, bool *ret_is_known)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, dict);
  bool is_call = call && str_equal(call->qualified, STR("dict")) && !call->has_splat && !call->has_dictionary_splat &&
                 py_model_positional_count(model, call) == 0;
  *ret_is_known = is_call || py_kind(tree, dict) == PYK_DICTIONARY;
  const PyArgument *argument = is_call ? py_model_argument_of(model, call, PY_ABSENT, key) : NULL;
  PyRef value = argument ? argument->value : 0;
  for (PyRef pair = *ret_is_known && !is_call ? py_tree_first_element(tree, dict) : 0; pair;
       pair = py_tree_next_element(tree, pair)) {
    PyRef name = py_tree_key(tree, pair);
    Str text = name && py_kind(tree, name) == PYK_STRING ? py_text(tree, name) : (Str){ 0 };
    *ret_is_known &= text.len >= 2;
    if (text.len >= 2 && str_equal(str_slice(text, 1, text.len - 1), key))
      value = py_child(tree, pair, PY_F_VALUE);
  }
  return value;
}

/// The call that gives a function of the file its `**kwargs`, which the name is: the one that `maker` runs it for, or
/// its only one. `maker` becomes the one whose names that call uses. NULL for other names.
static const PyCall *call_with_rest(const ModuleMaker **maker, PyRef name)
{
  const PyModel *model = (*maker)->model;
  const PyBinding *binding = py_kind(&model->tree, name) == PYK_IDENTIFIER ? py_model_binding_at(model, name) : NULL;
  if (!py_binding_is_only(binding, PY_BIND_PARAM) || binding->is_changed || binding->scope == PY_ABSENT ||
      model->params.items[binding->index].kind != PY_PARAM_KWARGS)
    return NULL;
  if (!module_maker_runs(*maker, &model->functions.items[binding->scope]))
    return module_maker_only_call(model, binding->scope);
  const PyCall *call = (*maker)->outer ? (*maker)->call : NULL;
  *maker = call ? (*maker)->outer : *maker;
  return call;
}

static PyRef argument_within(const ModuleMaker **maker, const PyCall *call, uint32_t position, Str keyword, int depth,
                             bool *ret_is_known);

/// What `**rest` has for a keyword.
static PyRef value_in_rest(const ModuleMaker **maker, PyRef rest, Str keyword, int depth, bool *ret_is_known)
{
  const PyCall *call = call_with_rest(maker, rest);
  if (call)
    return argument_within(maker, call, PY_ABSENT, keyword, depth, ret_is_known);
  PyRef dict = export_resolve((*maker)->model, module_object_given(*maker, rest, maker));
  return value_of_key((*maker)->model, dict, keyword, ret_is_known);
}

static PyRef argument_within(const ModuleMaker **maker, const PyCall *call, uint32_t position, Str keyword, int depth,
                             bool *ret_is_known)
{
  const PyModel *model = (*maker)->model;
  *ret_is_known = false;
  if (call->has_splat || depth <= 0)
    return 0;
  const PyArgument *direct = py_model_argument_of(model, call, position, keyword);
  *ret_is_known = direct || !call->has_dictionary_splat || keyword.len > 0;
  if (direct || !call->has_dictionary_splat || keyword.len == 0)
    return direct ? direct->value : 0;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    const ModuleMaker *of = *maker;
    bool is_known = true;
    PyRef value =
        argument->is_dictionary_splat ? value_in_rest(&of, argument->value, keyword, depth - 1, &is_known) : 0;
    *ret_is_known &= is_known;
    if (value) {
      *maker = of;
      return value;
    }
  }
  return 0;
}

PyRef module_maker_argument(const ModuleMaker **maker, const PyCall *call, uint32_t position, Str keyword,
                            bool *ret_is_known)
{
  return argument_within(maker, call, position, keyword, PY_ALIAS_LIMIT, ret_is_known);
}

static int64_t size_of(const ModuleMaker *maker, PyRef node)
{
  int64_t size;
  return module_maker_int(maker, node, &size) && size >= 0 && size <= PY_DIM_NUMBER_LIMIT ? size : -1;
}

int64_t module_maker_size(const ModuleMaker *maker, const PyCall *call, uint32_t position, const char *keyword,
                          int64_t absent)
{
  bool is_known;
  PyRef value = module_maker_argument(&maker, call, position, str_from(keyword), &is_known);
  return value ? size_of(maker, value) : is_known ? absent : -1;
}

int64_t module_maker_size_at(const ModuleMaker *maker, const PyCall *call, uint32_t position, const char *keyword,
                             int axis, int64_t absent)
{
  const PyTree *tree = &maker->model->tree;
  bool is_known;
  PyRef value = module_maker_argument(&maker, call, position, str_from(keyword), &is_known);
  if (!value)
    return is_known ? absent : -1;
  value = py_model_resolve(maker->model, value);
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
