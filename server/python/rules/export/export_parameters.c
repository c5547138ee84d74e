// How many parameters a model has at most: the TorchScript exporter gives them names of input_names, too. Run with
// torch 1.13, 2.6 and 2.14.

#include "base/limits.h"
#include "python/rules/export/export_call.h"

/// Layers whose weights and buffers are not counted by ExportModuleFact, with how many they have at most.
static const struct {
  const char *name;
  int most;
} others[] = {
  { "BatchNorm1d", 5 }, { "BatchNorm2d", 5 },       { "BatchNorm3d", 5 }, { "LayerNorm", 2 },
  { "GroupNorm", 2 },   { "InstanceNorm2d", 5 },    { "Embedding", 1 },   { "PReLU", 1 },
  { "MaxPool1d", 0 },   { "MaxPool2d", 0 },         { "AvgPool2d", 0 },   { "AdaptiveAvgPool2d", 0 },
  { "Dropout2d", 0 },   { "AdaptiveMaxPool2d", 0 }, { "Upsample", 0 },    { "ZeroPad2d", 0 },
};

/// Of a call of that class of torch.nn; -1 if it is not known.
static int most_of_layer(const PyCall *call)
{
  Str prefix = STR("torch.nn.");
  if (!call || !str_starts_with(call->qualified, prefix))
    return -1;
  ExportModel made = { .made = call, .torch_class = str_slice(call->qualified, prefix.len, call->qualified.len) };
  const ExportModuleFact *fact = export_module_fact(&made);
  if (fact)
    return fact->bias_position == 0 ? fact->weights : fact->weights + 1;
  for (size_t i = 0; i < COUNT(others); i++) {
    if (str_equal(made.torch_class, str_from(others[i].name)))
      return others[i].most;
  }
  return -1;
}

static bool is_sequence(const PyCall *call)
{
  return call && str_equal(call->qualified, STR("torch.nn.Sequential"));
}

/// Of a layer, or a sequence of layers that has no other in it.
static int most_of_part(const PyModel *model, const PyCall *call)
{
  int most = 0;
  if (!is_sequence(call))
    return most_of_layer(call);
  if (call->has_splat || call->has_dictionary_splat)
    return -1;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    int more = most_of_layer(py_model_call(model, py_model_resolve(model, argument->value)));
    if (more < 0)
      return -1;
    most += more;
  }
  return most;
}

static bool is_plain(PyNodeKind kind)
{
  return kind == PYK_INTEGER || kind == PYK_FLOAT || kind == PYK_STRING || kind == PYK_TRUE || kind == PYK_FALSE ||
         kind == PYK_NONE;
}

/// What a statement of __init__() adds: `self.layer = torch.nn.Linear(3, 4)`; -1 if that is not sure.
static int most_of_statement(const PyModel *model, PyRef class_node, PyRef statement)
{
  const PyTree *tree = &model->tree;
  PyRef inner = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
  bool is_assignment = inner && py_kind(tree, inner) == PYK_ASSIGNMENT;
  PyRef value = is_assignment ? py_child(tree, inner, PY_F_RIGHT) : 0;
  PyRef target = is_assignment ? py_child(tree, inner, PY_F_LEFT) : 0;
  if (inner && !is_assignment)
    return str_starts_with(py_text(tree, inner), STR("super(")) || py_kind(tree, inner) == PYK_STRING ? 0 : -1;
  Str name = value ? py_tree_own_name(tree, target) : (Str){ 0 };
  if (name.len == 0 || py_model_member_is_set_elsewhere(model, class_node, name))
    return -1;
  return is_plain(py_kind(tree, value)) ? 0 : most_of_part(model, py_model_call(model, value));
}

/// Of a class of torch.nn.Module alone whose __init__() makes layers and nothing else.
static int most_of_class(const ExportCall *export, PyRef class_node)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  PyRef bases = py_child(tree, class_node, PY_F_SUPERCLASSES), base = bases ? py_first_child(tree, bases) : 0;
  uint32_t init = export_method_named(model, class_node, STR("__init__"));
  int most = 0;
  if (!base || py_next_sibling(tree, base) || init == PY_ABSENT ||
      !str_ends_with(py_model_qualified(model, base, export->sink->arena), STR(".Module")) ||
      py_kind(tree, model->functions.items[init].body) != PYK_BLOCK)
    return -1;
  for (PY_EACH_CHILD(tree, child, py_child(tree, class_node, PY_F_BODY))) {
    if (py_kind(tree, child) != PYK_FUNCTION_DEFINITION)
      return -1;
  }
  for (PY_EACH_CHILD(tree, statement, model->functions.items[init].body)) {
    int more = most_of_statement(model, class_node, statement);
    if (more < 0)
      return -1;
    most += more;
  }
  return most;
}

int export_most_parameters(const ExportCall *export, const ExportModel *made)
{
  // What is set or registered elsewhere might add some.
  static const char *const words[] = { "register_parameter", "register_buffer", "Parameter(",
                                       "add_module",         "setattr",         "register_module",
                                       ".append(",           ".insert(",        "nn.utils",
                                       "weight_norm",        "parametri",       "spectral_norm" };
  if (py_model_mentions_one_of(export->model, words, COUNT(words)))
    return -1;
  if (is_sequence(made->made))
    return most_of_part(export->model, made->made);
  return made->class_node != 0 ? most_of_class(export, made->class_node) : -1;
}
