// Element types of tensors as they go through operators.

#include "python/rules/forward/forward_elements.h"

#include "base/limits.h"
#include "python/rules/export/example_inputs.h"
#include "python/rules/forward/tensor_makers.h"

static bool is_float(Str element)
{
  static const char *const floats[] = { "float16", "float32", "float64", "bfloat16" };
  return str_is_one_of(element, floats, COUNT(floats));
}

bool forward_is_int_element(Str element)
{
  static const char *const ints[] = { "int8", "int16", "int32", "int64", "uint8" };
  return str_is_one_of(element, ints, COUNT(ints));
}

/// "float32" of `torch.float` and torch.float32; empty for what is no type, or another one.
static Str element_named(const PyModel *model, PyRef node, Arena *arena)
{
  static const struct {
    const char *name, *element;
  } others[] = { { "float", "float32" }, { "double", "float64" }, { "half", "float16" },
                 { "long", "int64" },    { "int", "int32" },      { "short", "int16" } };
  Str package = STR("torch.");
  Str type = py_model_qualified(model, py_model_resolve(model, node), arena);
  if (!str_starts_with(type, package))
    return (Str){ 0 };
  type = str_slice(type, package.len, type.len);
  for (size_t i = 0; i < COUNT(others); i++) {
    if (str_equal(type, str_from(others[i].name)))
      return str_from(others[i].element);
  }
  return is_float(type) || forward_is_int_element(type) || str_equal(type, STR("bool")) ? type : (Str){ 0 };
}

static bool has_other_default(const PyModel *model)
{
  static const char *const words[] = { "set_default_dtype", "set_default_tensor_type", "autocast" };
  return py_model_mentions_one_of(model, words, COUNT(words));
}

/// Of `[[0, 1.5], [2, 3]]`: floats, if one of them is.
static Str element_of_list(const PyTree *tree, PyRef list)
{
  PyRef end = tree->nodes[list].next;
  bool has_float = false, has_int = false, has_bool = false;
  for (PyRef node = list; node < end; node++) {
    PyNodeKind kind = py_kind(tree, node);
    has_float |= kind == PYK_FLOAT;
    has_int |= kind == PYK_INTEGER;
    has_bool |= kind == PYK_TRUE || kind == PYK_FALSE;
    bool is_number = kind == PYK_LIST || kind == PYK_TUPLE || kind == PYK_INTEGER || kind == PYK_FLOAT ||
                     kind == PYK_UNARY_OPERATOR || kind == PYK_OPERATOR || kind == PYK_TRUE || kind == PYK_FALSE;
    if (!is_number || end - list > PY_ELEMENT_LIMIT)
      return (Str){ 0 };
  }
  bool is_mixed = has_bool && (has_float || has_int);
  return is_mixed    ? (Str){ 0 }
         : has_float ? STR("float32")
         : has_int   ? STR("int64")
         : has_bool  ? STR("bool")
                     : (Str){ 0 };
}

/// Of a number that is written out, or a list of them.
static Str element_of_number(const PyTree *tree, PyRef node)
{
  node = py_tree_strip(tree, node);
  if (py_kind(tree, node) == PYK_UNARY_OPERATOR)
    node = py_child(tree, node, PY_F_ARGUMENT);
  if (node && py_kind(tree, node) == PYK_LIST)
    return element_of_list(tree, node);
  switch (node ? py_kind(tree, node) : PYK_OTHER) {
  case PYK_INTEGER:
    return STR("int64");
  case PYK_FLOAT:
    return STR("float32");
  case PYK_TRUE:
  case PYK_FALSE:
    return STR("bool");
  default:
    return (Str){ 0 };
  }
}

/// `torch.arange(4)` and `torch.tensor(0)`: by what they are made of.
static Str element_of_arguments(const PyModel *model, const PyCall *call)
{
  Str found = { 0 };
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    Str element = argument->keyword.len > 0 ? found : element_of_number(&model->tree, argument->value);
    if (argument->keyword.len == 0 && (element.len == 0 || (found.len > 0 && !str_equal(found, element))))
      return (Str){ 0 };
    found = element;
  }
  return found;
}

/// `torch.from_numpy(numpy.array([0.5]))`: what the array holds; empty for other calls.
static Str element_of_array(const PyModel *model, const PyCall *call, Arena *arena)
{
  static const char *const takers[] = { "torch.from_numpy", "torch.tensor", "torch.as_tensor" };
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  return first && str_is_one_of(call->qualified, takers, COUNT(takers)) ? example_array_type(model, first->value, arena)
                                                                        : (Str){ 0 };
}

/// "int64" of torch.LongTensor(...); empty for others.
static Str element_of_class(Str qualified)
{
  static const struct {
    const char *name, *element;
  } classes[] = { { "torch.FloatTensor", "float32" }, { "torch.DoubleTensor", "float64" },
                  { "torch.HalfTensor", "float16" },  { "torch.LongTensor", "int64" },
                  { "torch.IntTensor", "int32" },     { "torch.ShortTensor", "int16" },
                  { "torch.BoolTensor", "bool" },     { "torch.ByteTensor", "uint8" } };
  for (size_t i = 0; i < COUNT(classes); i++) {
    if (str_equal(qualified, str_from(classes[i].name)))
      return str_from(classes[i].element);
  }
  return (Str){ 0 };
}

Str element_made(const PyModel *model, PyRef node, Arena *arena)
{
  static const char *const floats[] = { "torch.rand", "torch.randn", "torch.zeros", "torch.ones", "torch.empty" };
  static const char *const by_numbers[] = { "torch.tensor", "torch.arange" };
  const PyCall *call = export_tensor_call(model, node);
  if (!call || call->has_dictionary_splat || call->has_splat || has_other_default(model) ||
      py_model_call(model, export_resolve(model, node)) != call)
    return (Str){ 0 };
  const PyArgument *type = py_model_argument(model, call, PY_ABSENT, "dtype");
  if (type)
    return element_named(model, type->value, arena);
  if (str_equal(call->qualified, STR("torch.randint")))
    return STR("int64");
  Str of_array = element_of_array(model, call, arena);
  if (of_array.len > 0)
    return of_array;
  if (str_is_one_of(call->qualified, floats, COUNT(floats)))
    return STR("float32");
  Str of_class = element_of_class(call->qualified);
  if (of_class.len > 0)
    return of_class;
  return str_is_one_of(call->qualified, by_numbers, COUNT(by_numbers)) ? element_of_arguments(model, call) : (Str){ 0 };
}

/// `x.to(torch.int64)`, `x.to(dtype=torch.int64)` and `x.type(torch.int64)`.
static Str element_converted(const PyModel *model, const PyCall *call, Arena *arena)
{
  const PyArgument *type = call->argument_count == 1 ? py_model_arguments(model, call) : NULL;
  bool is_type = type && !type->is_splat && (type->keyword.len == 0 || str_equal(type->keyword, STR("dtype")));
  return is_type ? element_named(model, type->value, arena) : (Str){ 0 };
}

Str element_computed(const PyModel *model, const PyCall *call, Str name, Str given, uint32_t first, Arena *arena)
{
  static const struct {
    const char *method, *element;
  } methods[] = { { "long", "int64" }, { "int", "int32" },      { "float", "float32" },
                  { "bool", "bool" },  { "double", "float64" }, { "half", "float16" } };
  if (py_model_argument(model, call, PY_ABSENT, "dtype") && first == 1)
    return (Str){ 0 };
  for (size_t i = 0; i < COUNT(methods) && call->argument_count == 0; i++) {
    if (str_equal(name, str_from(methods[i].method)))
      return str_from(methods[i].element);
  }
  if (first == 0 && (str_equal(name, STR("to")) || str_equal(name, STR("type"))))
    return element_converted(model, call, arena);
  if (str_equal(name, STR("argmax")) || str_equal(name, STR("argmin")) || str_equal(name, STR("one_hot")))
    return STR("int64");
  if (py_model_argument(model, call, PY_ABSENT, "dtype"))
    return (Str){ 0 };
  bool is_counted = forward_is_int_element(given) || str_equal(given, STR("bool"));
  if (str_equal(name, STR("sum")) && is_counted)
    return STR("int64");
  bool is_pool = str_ends_with(name, STR("_pool1d")) || str_ends_with(name, STR("_pool2d"));
  if (is_pool || tensor_maker_keeps_floats(name) || str_equal(name, STR("sum")))
    return is_float(given) ? given : (Str){ 0 };
  return tensor_maker_keeps_type(name) ? given : (Str){ 0 };
}

Str element_of_two(const PyModel *model, Str sign, const Followed *a, const Followed *b)
{
  bool is_quotient = str_equal(sign, STR("/")) || str_equal(sign, STR("/="));
  if (a->kind == FOLLOWED_TENSOR && b->kind == FOLLOWED_TENSOR) {
    bool is_same = a->element.len > 0 && str_equal(a->element, b->element);
    if (is_same)
      return is_float(a->element) || (forward_is_int_element(a->element) && !is_quotient) ? a->element : (Str){ 0 };
    // A tensor without axes makes others no wider.
    bool is_wider = is_float(a->element) && is_float(b->element) && a->shape.rank > 0 && b->shape.rank > 0;
    return !is_wider                               ? (Str){ 0 }
           : str_equal(a->element, STR("float64")) ? a->element
           : str_equal(b->element, STR("float64")) ? b->element
                                                   : STR("float32");
  }
  const Followed *tensor = a->kind == FOLLOWED_TENSOR ? a : b;
  const Followed *number = a->kind == FOLLOWED_TENSOR ? b : a;
  if (is_float(tensor->element))
    return tensor->element;
  if (!forward_is_int_element(tensor->element) || str_ends_with(sign, STR("=")))
    return (Str){ 0 };
  bool becomes_float = is_quotient || number->kind == FOLLOWED_FLOAT;
  return !becomes_float ? tensor->element : has_other_default(model) ? (Str){ 0 } : STR("float32");
}

Followed forward_of_element(Followed value, Str element)
{
  value.element = element;
  return value;
}
