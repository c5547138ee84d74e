// The element types of example inputs.

#include "base/limits.h"
#include "python/rules/export/example_inputs.h"
#include "python/rules/forward/forward_elements.h"

/// "float64" of `torch.float64` and `torch.double`, `numpy.float64` and `float`; empty for types that are no floats.
static Str float_type(const PyModel *model, PyRef node, Arena *arena)
{
  static const struct {
    const char *name, *type;
  } types[] = {
    { "torch.float64", "float64" },   { "torch.double", "float64" },  { "torch.float32", "float32" },
    { "torch.float", "float32" },     { "torch.float16", "float16" }, { "torch.half", "float16" },
    { "torch.bfloat16", "bfloat16" }, { "numpy.float64", "float64" }, { "numpy.double", "float64" },
    { "numpy.float32", "float32" },   { "numpy.single", "float32" },  { "numpy.float16", "float16" },
    { "numpy.half", "float16" },
  };
  Str name = py_model_qualified(model, node, arena);
  for (size_t i = 0; i < COUNT(types); i++) {
    if (str_equal(name, str_from(types[i].name)))
      return str_from(types[i].type);
  }
  return (Str){ 0 };
}

/// What `x.double()` makes; empty if the method keeps the type, as far as `ret_keeps` says so.
static Str type_of_method(const PyModel *model, const PyCall *call, Str method, Arena *arena, bool *ret_keeps)
{
  static const char *const keeping[] = { "unsqueeze", "squeeze",    "permute", "transpose",      "reshape", "view",
                                         "clone",     "contiguous", "detach",  "requires_grad_", "cpu",     "cuda",
                                         "expand",    "repeat",     "flatten", "numpy" };
  const PyArgument *first = py_model_argument(model, call, 0, "dtype");
  *ret_keeps = str_is_one_of(method, keeping, COUNT(keeping));
  if (str_equal(method, STR("double")))
    return STR("float64");
  if (str_equal(method, STR("half")))
    return STR("float16");
  if (str_equal(method, STR("bfloat16")) || str_equal(method, STR("float")))
    return str_equal(method, STR("float")) ? STR("float32") : STR("bfloat16");
  bool is_conversion =
      str_equal(method, STR("to")) || str_equal(method, STR("astype")) || str_equal(method, STR("type"));
  return is_conversion && first && call->argument_count == 1 ? float_type(model, first->value, arena) : (Str){ 0 };
}

/// What torch makes floats of: "float64" after `torch.set_default_dtype(torch.float64)`, if that is a statement of the
/// file and the only one. Empty if it is not known.
static Str default_type(const PyModel *model, Arena *arena)
{
  static const char *const words[] = { "default_dtype", "default_tensor_type", "autocast" };
  Str found = { 0 };
  if (!py_model_mentions_one_of(model, words, COUNT(words)))
    return STR("float32");
  if (py_model_mentions(model, "default_tensor_type") || py_model_mentions(model, "autocast"))
    return found;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (!str_equal(call->qualified, STR("torch.set_default_dtype")))
      continue;
    const PyArgument *type = py_model_argument(model, call, 0, "d");
    PyRef statement = model->tree.nodes[call->node].parent;
    bool is_first = found.len == 0 && type && statement && model->tree.nodes[statement].parent == 0;
    found = is_first ? float_type(model, type->value, arena) : (Str){ 0 };
    if (found.len == 0)
      break;
  }
  return found;
}

/// Of functions that fill an array or a tensor with floats: `numpy.random.rand(3)`, `torch.zeros(3)`.
static Str type_of_maker(const PyModel *model, const PyCall *call, Arena *arena)
{
  static const char *const tensors[] = { "torch.randn", "torch.rand", "torch.zeros", "torch.ones", "torch.empty" };
  static const char *const arrays[] = { "numpy.zeros",          "numpy.ones",          "numpy.empty",
                                        "numpy.random.rand",    "numpy.random.randn",  "numpy.random.random",
                                        "numpy.random.uniform", "numpy.random.normal", "numpy.random.random_sample" };
  bool is_array = str_is_one_of(call->qualified, arrays, COUNT(arrays));
  if ((!is_array && !str_is_one_of(call->qualified, tensors, COUNT(tensors))) || call->has_dictionary_splat)
    return (Str){ 0 };
  bool has_dtype_second = is_array && !str_starts_with(call->qualified, STR("numpy.random."));
  const PyArgument *type = py_model_argument(model, call, has_dtype_second ? 1 : PY_ABSENT, "dtype");
  if (type)
    return float_type(model, type->value, arena);
  return is_array ? STR("float64") : default_type(model, arena);
}

Str example_float_type(const PyModel *model, PyRef node, Arena *arena)
{
  const PyTree *tree = &model->tree;
  for (int i = 0; node && i < PY_CHAIN_LIMIT; i++) {
    node = export_resolve(model, node);
    const PyCall *call = py_model_call(model, node);
    if (!call || call->has_splat)
      return (Str){ 0 };
    if (str_equal(call->qualified, STR("torch.from_numpy"))) {
      const PyArgument *array = py_model_argument(model, call, 0, NULL);
      node = array ? array->value : 0;
      continue;
    }
    Str type = type_of_maker(model, call, arena);
    PyRef object = py_tree_object(tree, call->function_node);
    if (type.len > 0 || !object)
      return type;
    bool keeps;
    type = type_of_method(model, call, py_tree_member_name(tree, call->function_node), arena, &keeps);
    if (type.len > 0 || !keeps)
      return type;
    node = object;
  }
  return (Str){ 0 };
}

// --- Bools ---

/// Whether all that a list holds, in lists, too, is True or False.
static bool holds_bools(const PyTree *tree, PyRef data)
{
  bool has_bools = false;
  for (PyRef node = data; node < tree->nodes[data].next; node++) {
    PyNodeKind kind = py_kind(tree, node);
    has_bools |= kind == PYK_TRUE || kind == PYK_FALSE;
    if (kind != PYK_TRUE && kind != PYK_FALSE && kind != PYK_LIST && kind != PYK_TUPLE)
      return false;
  }
  return has_bools;
}

static bool makes_bools(const PyModel *model, const PyCall *call, Arena *arena)
{
  static const char *const makers[] = { "torch.ones", "torch.zeros",  "torch.empty",   "torch.full",
                                        "torch.rand", "torch.tensor", "torch.randint", "torch.as_tensor" };
  const PyArgument *type = py_model_argument(model, call, PY_ABSENT, "dtype");
  if (!str_is_one_of(call->qualified, makers, COUNT(makers)) || call->has_dictionary_splat)
    return false;
  if (type)
    return str_equal(py_model_qualified(model, type->value, arena), STR("torch.bool"));
  const PyArgument *data =
      str_ends_with(call->qualified, STR("tensor")) ? py_model_argument(model, call, 0, "data") : NULL;
  return data && holds_bools(&model->tree, py_model_resolve(model, data->value));
}

bool example_is_mask(const PyModel *model, PyRef node, Arena *arena)
{
  const PyTree *tree = &model->tree;
  for (int i = 0; node && i < PY_CHAIN_LIMIT; i++) {
    node = export_resolve(model, node);
    const PyCall *call = py_model_call(model, node);
    if (!call)
      return py_kind(tree, node) == PYK_COMPARISON_OPERATOR;
    PyRef object = py_tree_object(tree, call->function_node);
    if (makes_bools(model, call, arena) || !object)
      return makes_bools(model, call, arena);
    Str method = py_tree_member_name(tree, call->function_node);
    const PyArgument *first = py_model_argument(model, call, 0, "dtype");
    bool keeps;
    if (str_equal(method, STR("bool")) && call->argument_count == 0)
      return true;
    if (str_equal(method, STR("to")) && first && call->argument_count == 1 &&
        str_equal(py_model_qualified(model, first->value, arena), STR("torch.bool")))
      return true;
    if (type_of_method(model, call, method, arena, &keeps).len > 0 || !keeps)
      return false;
    node = object;
  }
  return false;
}

// --- Weights ---

/// `.to(device)`, whose argument says that it is one.
static bool is_to_device(const PyModel *model, const PyCall *call)
{
  const PyArgument *first = call->argument_count == 1 ? py_model_arguments(model, call) : NULL;
  Str text = first ? py_text(&model->tree, first->value) : (Str){ 0 };
  return str_contains(text, STR("device")) || str_contains(text, STR("cuda")) || str_contains(text, STR("cpu"));
}

/// Whether the place is surely run before the export: no branch and no loop is around it that is not around that, too.
static bool is_run_before(const ExportCall *export, PyRef node)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  PyRef use = export->call->node;
  for (PyRef at = node, up = tree->nodes[node].parent; up; at = up, up = tree->nodes[up].parent) {
    PyNodeKind kind = py_kind(tree, up);
    if (kind == PYK_ARGUMENT_LIST && tree->nodes[up].parent == use)
      return true;
    if (use >= up && use < tree->nodes[up].next && kind != PYK_IF_STATEMENT)
      return node < use || kind == PYK_ARGUMENT_LIST;
    PyRef condition = kind == PYK_IF_STATEMENT ? py_child(tree, up, PY_F_CONDITION) : 0;
    bool is_taken = condition && py_child(tree, up, PY_F_CONSEQUENCE) == at &&
                    py_kind(tree, py_model_resolve(model, condition)) == PYK_TRUE;
    bool is_plain = kind == PYK_EXPRESSION_STATEMENT || kind == PYK_ASSIGNMENT || kind == PYK_CALL ||
                    kind == PYK_ATTRIBUTE || kind == PYK_BLOCK || kind == PYK_KEYWORD_ARGUMENT ||
                    kind == PYK_ARGUMENT_LIST;
    if (!is_plain && !is_taken)
      return false;
  }
  return node < use;  // It is a statement of the file.
}

/// The type that a call of a method gives the weights of the exported model, whenever the export runs; empty if it does
/// something else, or that is not sure.
static Str type_given(const ExportCall *export, const ExportModel *made, const PyCall *call, Arena *arena)
{
  const PyTree *tree = &export->model->tree;
  PyRef object = py_tree_object(tree, call->function_node);
  bool keeps;
  if (!object || !made->node || !is_run_before(export, call->node))
    return (Str){ 0 };
  PyRef of = export_model_made(export->model, object);
  PyRef whole = export_argument(export, "model")->value;  // Which may be what torch.jit.script() made of the module.
  if (of != made->node && of != export_model_made(export->model, whole))
    return (Str){ 0 };
  return type_of_method(export->model, call, py_tree_member_name(tree, call->function_node), arena, &keeps);
}

/// `h.to(torch.float16)` in forward(), which is about what is computed there.
static bool is_in_forward(const PyModel *model, const PyCall *call)
{
  const PyTree *tree = &model->tree;
  PyRef object = py_tree_object(tree, call->function_node);
  const PyFunction *function = call->scope == PY_ABSENT ? NULL : &model->functions.items[call->scope];
  bool is_forward = function && function->class_node && str_equal(function->name, STR("forward"));
  return is_forward && object &&
         (py_kind(tree, object) != PYK_ATTRIBUTE || !str_starts_with(py_text(tree, object), STR("self")));
}

Str example_weights_type(const ExportCall *export, const ExportModel *made, PyRef example)
{
  static const char *const methods[] = { "half", "double", "bfloat16", "to", "type", "to_empty" };
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  Str found = default_type(model, export->sink->arena);
  bool is_given = false;
  for (size_t i = 0; found.len > 0 && i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    Str name = py_tree_member_name(tree, call->function_node);
    bool is_of_example = example && call->node >= example && call->node < tree->nodes[example].next;
    // A layer may be told another type.
    if (str_starts_with(call->qualified, STR("torch.nn.")) && py_model_argument(model, call, PY_ABSENT, "dtype"))
      return (Str){ 0 };
    bool is_back = str_equal(name, STR("float")) && made->node &&
                   export_model_made(model, py_tree_object(tree, call->function_node)) == made->node;
    if (is_of_example || is_in_forward(model, call) || (!is_back && !str_is_one_of(name, methods, COUNT(methods))) ||
        is_to_device(model, call) || export_is_tensor(model, call->node))
      continue;
    found = is_given ? (Str){ 0 } : type_given(export, made, call, export->sink->arena);
    is_given = true;
    if (found.len == 0)
      return found;
  }
  return found;
}

bool example_may_be_converted(const ExportCall *export)
{
  static const char *const methods[] = { "half", "float", "double", "bfloat16", "to", "type", "to_empty" };
  const PyModel *model = export->model;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (str_is_one_of(py_tree_member_name(&model->tree, call->function_node), methods, COUNT(methods)) &&
        !is_in_forward(model, call) && !is_to_device(model, call) && !export_is_tensor(model, call->node))
      return true;
  }
  return false;
}
