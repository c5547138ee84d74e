// What is surely a tensor in forward(), and what an export surely runs of it.

#include "python/rules/forward/forward_tensors.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "python/rules/export/example_inputs.h"
#include "python/rules/forward/called_names.h"
#include "python/rules/forward/forward_conditions.h"
#include "python/rules/forward/forward_tuples.h"
#include "python/rules/forward/tensor_makers.h"

// --- Tensors ---

static bool is_tensor_annotation(const PyModel *model, PyRef annotation)
{
  PyRef type = annotation ? py_first_child(&model->tree, annotation) : 0;
  if (!type)
    return false;
  Arena arena = { 0 };
  Str name = py_model_qualified(model, type, &arena);
  bool found = str_equal(name, STR("torch.Tensor"));
  arena_done(&arena);
  return found;
}

bool forward_gets_tensor(const Forward *forward, uint32_t param)
{
  PyParamKind kind = forward->model->params.items[param].kind;
  return forward->tensor_params && forward->tensor_params[param] && kind != PY_PARAM_ARGS && kind != PY_PARAM_KWARGS;
}

/// Annotated as one, or given one.
static bool is_tensor_parameter(const Forward *forward, uint32_t index)
{
  const PyParam *param = &forward->model->params.items[index];
  bool is_one_value = param->kind != PY_PARAM_ARGS && param->kind != PY_PARAM_KWARGS;
  return forward_gets_tensor(forward, index) ||
         (is_one_value && is_tensor_annotation(forward->model, param->annotation));
}

/// `args[0]` of `*args: torch.Tensor`.
static bool is_one_of_arguments(const Forward *forward, PyRef subscript)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef args = py_child(tree, subscript, PY_F_VALUE);
  PyRef index = py_child(tree, subscript, PY_F_SUBSCRIPT);
  if (!args || !index || py_kind(tree, args) != PYK_IDENTIFIER || py_kind(tree, index) == PYK_SLICE)
    return false;
  const PyBinding *binding = forward_only_binding(forward, args);
  return binding && binding->kind == PY_BIND_PARAM && model->params.items[binding->index].kind == PY_PARAM_ARGS &&
         is_tensor_annotation(model, model->params.items[binding->index].annotation);
}

/// `t` of `for t in x` is a tensor, and that of `for t in (x, y)`.
static bool are_all_tensors(Forward *forward, PyRef over, int depth)
{
  const PyTree *tree = &forward->model->tree;
  over = py_tree_strip(tree, over);
  PyRef named = py_kind(tree, over) == PYK_IDENTIFIER ? forward_value_of_name(forward, over) : 0;
  PyNodeKind of_name = named ? py_kind(tree, py_tree_strip(tree, named)) : PYK_OTHER;
  if (of_name == PYK_LIST_COMPREHENSION || of_name == PYK_TUPLE || of_name == PYK_LIST)
    over = py_tree_strip(tree, named);
  PyNodeKind kind = py_kind(tree, over);
  if (kind == PYK_LIST_COMPREHENSION)
    return forward_is_tensor(forward, py_first_child(tree, over), depth);
  if (kind != PYK_TUPLE && kind != PYK_LIST)
    return forward_is_tensor(forward, over, depth);
  PyRef item = py_tree_first_element(tree, over);
  bool yes = item != 0;
  for (; item && yes; item = py_tree_next_element(tree, item))
    yes = forward_is_tensor(forward, item, depth);
  return yes;
}

/// A loop variable, a part of what is unpacked, or `x += y`, which changes no tensor into anything else.
static bool is_other_tensor(Forward *forward, const PyBinding *binding, int depth)
{
  const PyTree *tree = &forward->model->tree;
  PyRef over = forward_looped_over(forward, binding->node);
  if (over)
    return are_all_tensors(forward, over, depth);
  if (binding->unpack != PY_ABSENT && binding->value)
    return forward_is_tensor_part(forward, binding->value, binding->unpack, depth);
  return py_kind(tree, tree->nodes[binding->node].parent) == PYK_AUGMENTED_ASSIGNMENT;
}

/// `err = torch.tensor(1.0)` before a loop: an export knows that value, and not those that come after it.
static bool is_first_value(const Forward *forward, const PyBinding *binding)
{
  const PyModel *model = forward->model;
  const PyCall *call = binding->kind == PY_BIND_ASSIGN && binding->value && binding->next != PY_ABSENT
                           ? py_model_call(model, py_tree_strip(&model->tree, binding->value))
                           : NULL;
  return forward->has_own_tensors && call && str_equal(call->qualified, STR("torch.tensor"));
}

/// `use` is the name there; `at` its first binding.
static bool are_tensors(Forward *forward, uint32_t at, PyRef use, int depth)
{
  const PyModel *model = forward->model;
  if (is_first_value(forward, &model->bindings.items[at])) {
    at = model->bindings.items[at].next;
    if (!forward_is_repeated(forward, use, model->bindings.items[at].node))
      return false;
  }
  for (; at != PY_ABSENT; at = model->bindings.items[at].next) {
    const PyBinding *binding = &model->bindings.items[at];
    bool is_one = false;
    if (binding->kind == PY_BIND_PARAM)
      is_one = is_tensor_parameter(forward, binding->index);
    else if (binding->kind == PY_BIND_ASSIGN && binding->value)
      is_one = forward_is_tensor(forward, binding->value, depth);
    else if (binding->kind == PY_BIND_OTHER)
      is_one = is_other_tensor(forward, binding, depth);
    if (!is_one)
      return false;
  }
  return true;
}

/// A name that is only ever bound to tensors.
static bool is_tensor_name(Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  uint32_t first = py_model_lookup(model, forward->function, py_text(&model->tree, node));
  if (first == PY_ABSENT || model->bindings.items[first].scope != forward->function)
    return false;
  for (int i = 0; i < forward->name_count; i++) {
    if (forward->names[i] == first)
      return true;
  }
  if (forward->name_count == PY_EXPRESSION_DEPTH)
    return false;
  forward->names[forward->name_count++] = first;
  bool yes = are_tensors(forward, first, node, depth - 1);
  forward->name_count--;
  return yes;
}

/// Whether a call of torch takes its axis. Then torch.max() gives a pair.
static bool has_one_argument(const PyCall *call)
{
  return call->argument_count == 1 && !call->has_splat && !call->has_dictionary_splat;
}

/// A parameter that an export surely gives: what has a default may not be given.
static bool is_given_param(const Forward *forward, PyRef name)
{
  const PyModel *model = forward->model;
  const PyBinding *binding = py_model_binding_of(model, forward->function, name);
  return binding && binding->scope == forward->function && binding->kind == PY_BIND_PARAM &&
         binding->index != model->functions.items[forward->function].first_param &&
         !model->params.items[binding->index].default_value;
}

bool forward_comes_from_input(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  for (int depth = 0; depth < PY_EXPRESSION_DEPTH && forward->steps-- > 0; depth++) {
    node = node ? py_tree_strip(tree, node) : 0;
    switch (py_kind(tree, node)) {
    case PYK_IDENTIFIER:
      return is_given_param(forward, node);
    case PYK_SUBSCRIPT:
      node = py_child(tree, node, PY_F_VALUE);
      break;
    case PYK_CALL: {
      PyRef function = py_child(tree, node, PY_F_FUNCTION);
      const PyCall *call = forward_own_part(forward, function) ? py_model_call(model, node) : NULL;
      const PyArgument *first =  // `self.net(x)`
          call ? py_model_argument(model, call, 0, NULL) : NULL;
      PyRef object = py_tree_object(tree, function);
      node = first ? first->value : object;
      break;
    }
    case PYK_BINARY_OPERATOR:
      node = py_child(tree, node, PY_F_LEFT);
      break;
    case PYK_COMPARISON_OPERATOR:
    case PYK_LIST:
    case PYK_TUPLE:
      node = py_tree_first_element(tree, node);
      break;
    default:
      return false;
    }
  }
  return false;
}

/// Whether it is a function of torch that gives a tensor, made of something that an input gives.
static bool is_torch_result(Forward *forward, const PyCall *call, int depth)
{
  Str name = call->qualified;
  Str functional = STR("torch.nn.functional.");
  bool is_functional = str_starts_with(name, functional);
  if (!is_functional && !str_starts_with(name, STR("torch.")))
    return false;
  name = str_slice(name, is_functional ? functional.len : STR("torch.").len, name.len);
  if (forward->has_own_tensors && !is_functional && tensor_maker_takes_sizes(name))
    return true;
  const PyArgument *first = py_model_argument(forward->model, call, 0, NULL);
  bool is_extreme = has_one_argument(call) && (str_equal(name, STR("max")) || str_equal(name, STR("min")));
  // With as_tuple or return_counts, it is a tuple.
  bool is_several = (str_equal(name, STR("nonzero")) || str_equal(name, STR("unique"))) && !has_one_argument(call);
  if (!first || is_several)
    return false;
  if (is_extreme || tensor_maker_wants_one(name))
    return forward_comes_from_input(forward, first->value) || forward_is_tensor(forward, first->value, depth - 1);
  if (tensor_maker_takes_one(name) || str_equal(name, STR("unique")))
    return forward_is_tensor(forward, first->value, depth - 1);
  // `torch.baddbmm(torch.zeros(1, 1, 1), q, k)`
  for (uint32_t i = 0; i < call->argument_count && called_gives_tensor(forward, call->qualified); i++) {
    const PyArgument *argument = &py_model_arguments(forward->model, call)[i];
    if (argument->keyword.len == 0 && forward_is_tensor(forward, argument->value, depth - 1))
      return true;
  }
  return false;
}

/// Methods that only tensors have, as far as what a model is called with goes: what they give is one.
static bool is_tensor_method(Str name)
{
  static const char *const names[] = { "abs",  "all",     "any",       "argmax",  "argmin",    "cumsum", "exp",
                                       "mean", "permute", "reshape",   "sigmoid", "softmax",   "sqrt",   "squeeze",
                                       "sum",  "tanh",    "transpose", "view",    "unsqueeze", "clamp" };
  return str_is_one_of(name, names, COUNT(names));
}

/// Methods that nothing but a tensor has, of what a function computes.
static bool is_only_of_tensors(Str name)
{
  static const char *const names[] = { "softmax", "log_softmax", "sigmoid" };
  return str_is_one_of(name, names, COUNT(names));
}

/// A name that a statement of the function binds.
static bool is_local(const Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyBinding *binding = py_model_binding_of(model, forward->function, node);
  return binding && binding->scope == forward->function &&
         (binding->kind == PY_BIND_ASSIGN || binding->kind == PY_BIND_OTHER);
}

/// Whether calls of what makes a module give a tensor.
static bool is_tensor_of_item(const Forward *forward, PyRef made)
{
  uint32_t own = made ? export_forward_made(forward->model, made) : PY_ABSENT;
  return made && (module_part_gives_tensor(forward->model, made) ||
                  (own != PY_ABSENT && forward->tensor_results && forward->tensor_results[own]));
}

/// `layer` of `for layer in self.layers` and of `for layer in (self.first, self.second)`, each of which gives a tensor.
static bool is_tensor_of_items(const Forward *forward, PyRef name)
{
  const PyTree *tree = &forward->model->tree;
  PyRef over = forward_only_loop(forward, name);
  PyNodeKind kind = over ? py_kind(tree, py_tree_strip(tree, over)) : PYK_OTHER;
  ModuleItems items;
  if (kind == PYK_TUPLE || kind == PYK_LIST) {
    for (PY_EACH_ELEMENT(tree, item, py_tree_strip(tree, over))) {
      if (!is_tensor_of_item(forward, forward_own_part(forward, item)))
        return false;
    }
    return true;
  }
  if (!forward_looped_items(forward, name, &items) || items.has_others)
    return false;
  for (size_t i = 0; i < items.count; i++) {
    if (!is_tensor_of_item(forward, items.items[i].node))
      return false;
  }
  return items.count > 0;
}

/// `self.layer(x)` of a layer of torch.nn, and `layer(x)` of a loop over such layers.
static bool is_layer_result(Forward *forward, const PyCall *call, int depth)
{
  const PyModel *model = forward->model;
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  PyRef made = first ? forward_own_part(forward, call->function_node) : 0;
  const PyCall *maker = py_model_call(model, made);
  bool gives_tensor =
      maker ? module_part_gives_tensor(model, made) || (str_starts_with(maker->qualified, STR("torch.nn.")) &&
                                                        called_gives_tensor(forward, maker->qualified))
            : first && is_tensor_of_items(forward, call->function_node);
  return gives_tensor &&
         (forward_comes_from_input(forward, first->value) || forward_is_tensor(forward, first->value, depth));
}

static bool is_tensor_call(Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, node);
  if (!call)
    return false;
  if (str_starts_with(call->qualified, STR("torch.")))
    return is_torch_result(forward, call, depth);
  uint32_t skip;
  uint32_t callee = forward->tensor_results ? forward_called(forward, call, &skip) : PY_ABSENT;
  if (callee != PY_ABSENT)
    return forward->tensor_results[callee];
  if (py_kind(tree, call->function_node) == PYK_IDENTIFIER)
    return is_layer_result(forward, call, depth - 1);
  if (py_kind(tree, call->function_node) != PYK_ATTRIBUTE)
    return false;
  PyRef object = py_tree_object(tree, call->function_node);
  PyRef method = py_tree_member(tree, call->function_node);
  if (!object || !method)
    return false;
  if (is_layer_result(forward, call, depth - 1))
    return true;
  if (is_only_of_tensors(py_text(tree, method)) && is_local(forward, object))
    return true;
  // With an axis or a flag, these give a pair.
  static const char *const alone[] = { "max", "min", "nonzero", "unique" };
  Str text = py_text(tree, method);
  bool reduces = call->argument_count == 0 && str_is_one_of(text, alone, COUNT(alone));
  if ((reduces || is_tensor_method(text)) && forward_comes_from_input(forward, object))
    return true;
  Str method_name = arena_printf(forward->sink->arena, "Tensor.%.*s", STR_ARG(text));
  return (reduces || tensor_maker_takes_one(text) || called_gives_tensor(forward, method_name)) &&
         forward_is_tensor(forward, object, depth - 1);
}

/// `x.shape[0]`, a number whatever has the shape.
static bool is_size(const PyTree *tree, PyRef node)
{
  PyRef shape = node && py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_VALUE) : 0;
  PyRef index = shape ? py_child(tree, node, PY_F_SUBSCRIPT) : 0;
  return index && py_kind(tree, index) != PYK_SLICE && str_equal(py_tree_member_name(tree, shape), STR("shape"));
}

/// A number, or a parameter or buffer of the model: with a tensor it gives a tensor.
static bool is_other_operand(const Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef own = forward_own_part(forward, node);
  PyNodeKind kind = py_kind(tree, own ? own : node);
  return kind == PYK_INTEGER || kind == PYK_FLOAT || is_size(tree, node) ||
         (own && module_part_is_tensor(forward->model, own));
}

/// `x * 2`, `1 - x`, `self.weight + x`, and any `w @ x`
static bool is_tensor_of_two(Forward *forward, PyRef node, int depth)
{
  const PyTree *tree = &forward->model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT), sign = py_child(tree, node, PY_F_OPERATOR);
  bool is_product = sign && str_equal(py_text(tree, sign), STR("@"));
  return left && (forward_is_tensor(forward, left, depth) ||
                  ((is_product || is_other_operand(forward, left)) &&
                   forward_is_tensor(forward, py_child(tree, node, PY_F_RIGHT), depth)));
}

/// `self.is_warm`, where what the property returns is a tensor.
static bool is_tensor_property(Forward *forward, PyRef node, int depth)
{
  uint32_t property = forward_property(forward, node), before = forward->function;
  if (property == PY_ABSENT)
    return false;
  forward->function = property;
  bool is_tensor = forward_is_tensor(forward, forward->model->functions.items[property].returned, depth);
  forward->function = before;
  return is_tensor;
}

bool forward_is_tensor(Forward *forward, PyRef node, int depth)
{
  const PyTree *tree = &forward->model->tree;
  if (depth <= 0 || forward->steps-- <= 0)
    return false;
  node = py_tree_strip(tree, node);
  switch (py_kind(tree, node)) {
  case PYK_IDENTIFIER:
    return is_tensor_name(forward, node, depth);
  case PYK_CALL:
    return is_tensor_call(forward, node, depth);
  case PYK_BINARY_OPERATOR:
    return is_tensor_of_two(forward, node, depth - 1);
  case PYK_UNARY_OPERATOR:
    return forward_is_tensor(forward, py_child(tree, node, PY_F_ARGUMENT), depth - 1);
  case PYK_CONDITIONAL_EXPRESSION: {
    PyChoice choice = py_tree_choice(tree, node);
    return choice.no && forward_is_tensor(forward, choice.yes, depth - 1) &&
           forward_is_tensor(forward, choice.no, depth - 1);
  }
  case PYK_NAMED_EXPRESSION:
    return forward_is_tensor(forward, py_child(tree, node, PY_F_VALUE), depth - 1);
  case PYK_ATTRIBUTE:
    if (tensor_maker_is_member(py_tree_member_name(tree, node)))
      return forward_is_tensor(forward, py_tree_object(tree, node), depth - 1);
    if (forward_is_named_part(forward, node, depth - 1))
      return true;
    return forward->has_own_tensors && (module_part_is_tensor(forward->model, forward_own_part(forward, node)) ||
                                        is_tensor_property(forward, node, depth - 1));
  case PYK_COMPARISON_OPERATOR:
    return py_tree_compares(tree, node) && forward_is_tensor(forward, py_first_child(tree, node), depth - 1);
  case PYK_SUBSCRIPT:
    return is_one_of_arguments(forward, node) || forward_is_indexed_part(forward, node, depth - 1) ||
           forward_is_tensor(forward, py_child(tree, node, PY_F_VALUE), depth - 1);
  default:
    return false;
  }
}

bool forward_is_own_tensor(const Forward *forward, PyRef node)
{
  Forward own = *forward;
  own.has_own_tensors = true;
  return forward_is_tensor(&own, node, PY_EXPRESSION_DEPTH);
}

// --- What runs ---

bool forward_asks_about_export(Str condition)
{
  static const char *const words[] = { "is_in_onnx_export", "is_tracing", "is_scripting", "is_exporting",
                                       "is_compiling",      "training",   "onnx",         "export" };
  condition = str_slice(condition, 0, PY_CONDITION_LIMIT);
  return str_contains_one_of(condition, words, COUNT(words));
}

/// Only printed or checked: nothing of the graph depends on it.
static bool is_only_told(const PyTree *tree, PyRef node)
{
  PyNodeKind kind = py_kind(tree, node);
  PyRef function = kind == PYK_CALL ? py_child(tree, node, PY_F_FUNCTION) : 0;
  enum { LOOKED_AT = 100 };  // A chain of calls may have as many bytes as the file.
  Str name = function ? str_slice(py_text(tree, function), 0, LOOKED_AT) : (Str){ 0 };
  static const char *const telling[] = { "log.", "logger.", "logging.", "LOG.", "LOGGER." };
  for (size_t i = 0; i < COUNT(telling); i++) {
    if (str_starts_with(name, str_from(telling[i])))
      return true;
  }
  return kind == PYK_ASSERT_STATEMENT || kind == PYK_RAISE_STATEMENT || str_equal(name, STR("print")) ||
         str_find(name, STR("warn"), 0) != STR_NOT_FOUND;
}

/// forward_asks_about_export(), but for the names of tensors: `if export_mask.any()`.
static bool asks_about_export(Forward *forward, PyRef condition)
{
  const PyModel *model = forward->model;
  if (!forward_asks_about_export(py_text(&model->tree, condition)))
    return false;
  for (PY_EACH_NODE(&model->tree, node, condition)) {
    if (py_kind(&model->tree, node) != PYK_IDENTIFIER || !forward_asks_about_export(py_text(&model->tree, node)))
      continue;
    const PyBinding *binding =
        model->tree.nodes[node].field == PY_F_ATTRIBUTE ? NULL : forward_only_binding(forward, node);
    bool is_tensor = binding && binding->kind == PY_BIND_PARAM && is_tensor_parameter(forward, binding->index);
    if (!is_tensor)
      return true;
  }
  return false;
}

bool forward_is_conditional(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef function = forward->model->functions.items[forward->function].node;
  PyRef part = node;
  int depth = 0;
  for (PyRef at = node; at != function && at != 0 && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyNodeKind kind = py_kind(tree, at);
    PyRef condition = kind == PYK_IF_STATEMENT || kind == PYK_ELIF_CLAUSE ? py_child(tree, at, PY_F_CONDITION) : 0;
    if (kind == PYK_CONDITIONAL_EXPRESSION)
      condition = at;
    bool is_asked = condition && asks_about_export(forward, condition);
    int runs = condition || kind == PYK_IF_STATEMENT ? forward_flag_runs(forward, at, part) : -1;
    if (runs == 0 || (is_asked && runs != 1) || is_only_told(tree, at))
      return true;
    part = at;
  }
  return false;
}

/// `x > 0 for x in y` of `any(x > 0 for x in y)`; 0.
static PyRef generator_of(const PyTree *tree, const PyCall *call)
{
  if (call->list_node)
    return 0;
  for (PY_EACH_CHILD(tree, child, call->node)) {
    if (py_kind(tree, child) == PYK_GENERATOR_EXPRESSION)
      return child;
  }
  return 0;
}

bool forward_asks_truth(Forward *forward, const PyCall *call)
{
  static const char *const names[] = { "any", "all", "sorted" };
  const PyTree *tree = &forward->model->tree;
  PyRef generator = generator_of(tree, call);
  if (!str_is_one_of(call->qualified, names, COUNT(names)))
    return false;
  if (generator)
    return forward_is_tensor(forward, py_first_child(tree, generator), PY_EXPRESSION_DEPTH);
  if (!has_one_argument(call))
    return false;  // With a key, sorted() asks for that.
  PyRef value = py_tree_strip(tree, py_model_arguments(forward->model, call)->value);
  if (py_kind(tree, value) == PYK_LIST || py_kind(tree, value) == PYK_TUPLE) {
    value = py_tree_first_element(tree, value);
    if (value && str_equal(call->qualified, STR("sorted")) && !py_tree_next_element(tree, value))
      return false;  // There is nothing to compare it with.
  }
  return value && forward_is_tensor(forward, value, PY_EXPRESSION_DEPTH);
}

bool forward_takes_data(Forward *forward, PyRef node)
{
  static const char *const plain[] = { "shape", "dtype", "device", "ndim", "size", "dim", "numel", "is_cuda" };
  const PyTree *tree = &forward->model->tree;
  PyRef object = py_tree_object(tree, node), parent = tree->nodes[node].parent;
  PyRef after = py_tree_member(tree, parent);
  bool is_data = object && str_equal(py_tree_member_name(tree, node), STR("data"));
  return is_data && !(after && str_is_one_of(py_text(tree, after), plain, COUNT(plain))) &&
         forward_is_tensor(forward, object, PY_EXPRESSION_DEPTH);
}

bool forward_has_tensor_argument(Forward *forward, const PyCall *call)
{
  for (uint32_t i = 0; i < call->argument_count; i++) {
    if (forward_is_tensor(forward, py_model_arguments(forward->model, call)[i].value, PY_EXPRESSION_DEPTH))
      return true;
  }
  return false;
}

bool forward_draws_numbers(const PyCall *call)
{
  return str_starts_with(call->qualified, STR("random.")) || str_starts_with(call->qualified, STR("numpy.random."));
}

void forward_note_tensors(const ExportCall *export, const ExportModel *made, bool *tensor_params)
{
  const PyModel *model = export->model;
  const ExampleInputs *inputs = example_inputs(export, made);
  const PyFunction *forward = &model->functions.items[made->forward];
  for (uint32_t i = 1; i < forward->param_count; i++) {
    const ExampleInput *input = example_input_named(inputs, py_model_params(model, forward)[i].name);
    if (input && input->value && !input->is_rest && export_is_tensor(model, input->node))
      tensor_params[forward->first_param + i] = true;
  }
}
