// Classes: what they derive from, and which class a name or an object is of.

#include "base/search.h"
#include "python/model/python_model_private.h"

static bool is_enum(Str name)
{
  return str_equal(name, STR("enum.Enum")) || str_equal(name, STR("enum.Flag"));
}

/// torch.nn.Module, and the layers of torch.nn that people derive their own from, of which all else is in the class.
static bool is_module(Str name)
{
  static const char *const names[] = {
    "Module",          "Conv1d",    "Conv2d",    "Conv3d",      "ConvTranspose1d", "ConvTranspose2d",
    "ConvTranspose3d", "Linear",    "Embedding", "BatchNorm1d", "BatchNorm2d",     "BatchNorm3d",
    "LayerNorm",       "GroupNorm", "ReLU",      "Sequential"
  };
  Str prefix = STR("torch.nn.");
  return str_equal(name, STR("torch.nn.modules.module.Module")) ||
         (str_starts_with(name, prefix) && str_is_one_of(str_slice(name, prefix.len, name.len), names, COUNT(names)));
}

static bool is_autograd_function(Str name)
{
  static const char *const names[] = { "torch.autograd.Function", "torch.autograd.function.Function",
                                       "torch.autograd.function.InplaceFunction" };
  return str_is_one_of(name, names, COUNT(names));
}

static uint32_t class_index(const PyModel *model, PyRef class_node)
{
  size_t at;
  SEARCH_FIRST(at, 0, model->classes.count, model->classes.items[at].node < class_node);
  return class_node && at < model->classes.count && model->classes.items[at].node == class_node ? (uint32_t)at
                                                                                                : PY_ABSENT;
}

/// A class comes after those that it derives from, so that what is known of them is known.
void python_read_bases(PyModel *model, PyClass *class)
{
  PyRef bases = py_child(&model->tree, class->node, PY_F_SUPERCLASSES);
  class->base = PY_ABSENT;
  class->is_plain = true;
  for (PyRef base = bases ? py_first_child(&model->tree, bases) : 0; base; base = py_next_sibling(&model->tree, base)) {
    Str name = py_model_qualified(model, base, &model->arena);
    uint32_t own = class_index(model, py_model_class_named(model, base));
    class->is_autograd |= is_autograd_function(name);
    class->is_module |= is_module(name);
    class->is_enum |= is_enum(name);
    class->is_plain &= own != PY_ABSENT ? model->classes.items[own].is_plain : str_equal(name, STR("object"));
    if (class->base == PY_ABSENT && own != PY_ABSENT && model->classes.items[own].node < class->node)
      class->base = own;
  }
  if (class->base != PY_ABSENT) {
    class->is_enum |= model->classes.items[class->base].is_enum;
    class->is_module |= model->classes.items[class->base].is_module;
    class->is_autograd |= model->classes.items[class->base].is_autograd;
  }
}

PyRef py_model_class_named(const PyModel *model, PyRef name)
{
  bool is_member = py_kind(&model->tree, name) == PYK_ATTRIBUTE;
  if (model->classes.count == 0 || !(is_member || py_kind(&model->tree, name) == PYK_IDENTIFIER))
    return 0;
  if (is_member)
    return py_model_class_bound(model, py_model_foreign_member(model, name));
  uint32_t scope = py_model_scope_of(model, name);
  uint32_t found = py_model_lookup(model, scope, py_text(&model->tree, name));
  uint32_t foreign = py_model_foreign_name(model, scope, found, py_text(&model->tree, name));
  return py_model_class_bound(model, foreign == PY_ABSENT ? found : foreign);
}

PyRef py_model_class_bound(const PyModel *model, uint32_t found)
{
  const PyBinding *class = found == PY_ABSENT ? NULL : &model->bindings.items[found];
  return py_binding_is_only(class, PY_BIND_CLASS) ? model->tree.nodes[class->node].parent : 0;
}

PyRef py_model_class_of_object(const PyModel *model, PyRef object)
{
  uint32_t scope = py_model_scope_of(model, object);
  const PyBinding *binding = py_model_binding_of(model, scope, object);
  bool is_made = py_binding_is_only(binding, PY_BIND_ASSIGN);
  const PyCall *call = py_model_call(model, is_made ? binding->value : object);  // Even if it is changed in place.
  if (call)
    return py_model_class_named(model, call->function_node);
  bool is_self =
      py_kind(&model->tree, object) == PYK_IDENTIFIER && scope != PY_ABSENT &&
      (str_equal(py_text(&model->tree, object), STR("self")) ||
       (model->functions.items[scope].is_class_method && str_equal(py_text(&model->tree, object), STR("cls"))));
  return is_self ? model->functions.items[scope].class_node : 0;
}

const PyClass *py_model_class_at(const PyModel *model, PyRef class_node)
{
  uint32_t index = class_index(model, class_node);
  return index == PY_ABSENT ? NULL : &model->classes.items[index];
}
