// What a layer is made with, as sizes.

#include "base/limits.h"
#include "python/rules/module_maker_private.h"

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
