// What an expression makes of arrays of numpy: their sizes and types, on their way through names, sums and functions.

#include "python/rules/tools/numpy_arrays.h"

#include "base/limits.h"
#include "python/rules/export/example_sizes.h"
#include "python/rules/forward/forward_elements.h"
#include "python/rules/forward/forward_tensors.h"

/// A function of the file that is gone through, and where it is called.
typedef struct ArrayFrame {
  const PyCall *call;
  uint32_t function;
  const struct ArrayFrame *outer;  ///< Whose names the arguments use; NULL outside of functions that are gone through.
  const PyModel *model;            ///< In which the parameters have what the call gives them.
} ArrayFrame;

typedef struct Arrays {
  const PyModel *model;
  Arena *arena;   ///< NULL: nobody asks for types.
  Arena scratch;  ///< Of frames.
  int steps;
} Arrays;

/// The model in which sizes are read that stand in the function that is gone through.
static const PyModel *model_of_sizes(const Arrays *arrays, const ArrayFrame *frame)
{
  return frame && frame->model ? frame->model : arrays->model;
}

static MadeArray array_of(Arrays *arrays, const ArrayFrame *frame, PyRef node, int depth);

// --- What makes arrays ---

static bool is_drawn(Str name)
{
  return str_starts_with(name, STR("numpy.random."));
}

/// Where a function that fills an array has the sizes; PY_ABSENT for those that have them as their arguments.
static bool find_sizes(Str name, uint32_t *ret_position)
{
  static const struct {
    const char *name;
    uint32_t position;
  } makers[] = {
    { "numpy.zeros", 0 },
    { "numpy.ones", 0 },
    { "numpy.empty", 0 },
    { "numpy.full", 0 },
    { "numpy.random.random", 0 },
    { "numpy.random.random_sample", 0 },
    { "numpy.random.randint", 2 },
    { "numpy.random.uniform", 2 },
    { "numpy.random.normal", 2 },
    { "numpy.random.rand", PY_ABSENT },
    { "numpy.random.randn", PY_ABSENT },
  };
  for (size_t i = 0; i < COUNT(makers); i++) {
    *ret_position = makers[i].position;
    if (str_equal(name, str_from(makers[i].name)))
      return true;
  }
  return false;
}

static ExampleShape sizes_made(const PyModel *model, const PyCall *call, uint32_t position)
{
  if (position == PY_ABSENT)
    return example_sizes_of_arguments(model, call);
  const PyArgument *size = py_model_argument(model, call, position, is_drawn(call->qualified) ? "size" : "shape");
  PyRef list = size ? example_size_resolved(model, size->value) : 0;
  int64_t number;
  if (list && example_is_sequence(model, list))
    return example_sizes_of_list(model, list);
  return list && py_model_int(model, list, &number) && number >= 0 ? (ExampleShape){ .rank = 1, .sizes = { number } }
                                                                   : example_no_shape();
}

static Str type_made(Arrays *arrays, const PyCall *call)
{
  const PyModel *model = arrays->model;
  bool is_filled = !is_drawn(call->qualified) && !str_equal(call->qualified, STR("numpy.full"));
  bool is_integer = str_equal(call->qualified, STR("numpy.random.randint"));
  const PyArgument *type = py_model_argument(model, call, is_filled ? 1 : is_integer ? 3 : PY_ABSENT, "dtype");
  const PyArgument *value =
      str_equal(call->qualified, STR("numpy.full")) ? py_model_argument(model, call, 1, "fill_value") : NULL;
  if (!arrays->arena || call->has_dictionary_splat)
    return (Str){ 0 };
  if (type)
    return numpy_type_named(model, type->value, arrays->arena);
  if (value)
    return numpy_type_written(&model->tree, py_model_resolve(model, value->value));
  return is_integer ? STR("int64") : str_equal(call->qualified, STR("numpy.full")) ? (Str){ 0 } : STR("float64");
}

static MadeArray of_type(Arrays *arrays, MadeArray array, PyRef type)
{
  array.type = arrays->arena ? numpy_type_named(arrays->model, type, arrays->arena) : (Str){ 0 };
  return array;
}

/// `numpy.array([[1, 2]])`, `numpy.asarray(x, dtype=numpy.float32)`.
static MadeArray array_copied(Arrays *arrays, const ArrayFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = arrays->model;
  const PyArgument *data = py_model_argument(model, call, 0, "object");
  const PyArgument *type = py_model_argument(model, call, 1, "dtype");
  PyRef written = data ? py_model_resolve(model, data->value) : 0;
  MadeArray made = numpy_unknown();
  if (written && example_is_sequence(model, written)) {
    made.shape = example_sizes_of_data(model, written);
    made.type = numpy_type_written(&model->tree, written);
  } else if (data) {
    made = array_of(arrays, frame, data->value, depth);
  }
  return type ? of_type(arrays, made, type->value) : made;
}

/// Whether `cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)` gives three channels for three; others give one, or four.
static bool keeps_channels(const PyModel *model, const PyCall *call)
{
  static const char *const codes[] = { "COLOR_BGR2RGB", "COLOR_RGB2BGR", "COLOR_BGR2HSV", "COLOR_RGB2HSV",
                                       "COLOR_BGR2LAB", "COLOR_RGB2LAB", "COLOR_BGR2YUV", "COLOR_RGB2YUV" };
  const PyArgument *code = py_model_argument(model, call, 1, "code");
  return code && str_is_one_of(py_tree_member_name(&model->tree, code->value), codes, COUNT(codes));
}

/// What cv2 reads and makes of pictures, which are of bytes, by height, width and channels.
static bool picture_made(Arrays *arrays, const ArrayFrame *frame, const PyCall *call, int depth, MadeArray *ret_array)
{
  const PyModel *model = arrays->model;
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  *ret_array = numpy_unknown();
  if (str_equal(call->qualified, STR("cv2.imread")) && call->argument_count == 1) {
    *ret_array = (MadeArray){ .shape = { .rank = 3, .sizes = { -1, -1, 3 } }, .type = STR("uint8") };
    return true;
  }
  if (str_equal(call->qualified, STR("cv2.dnn.blobFromImage"))) {
    if (!py_model_argument(model, call, PY_ABSENT, "ddepth"))
      *ret_array = (MadeArray){ .shape = { .rank = 4, .sizes = { 1, -1, -1, -1 } }, .type = STR("float32") };
    return true;
  }
  bool is_resized = str_equal(call->qualified, STR("cv2.resize"));
  if (!first || (!is_resized && !str_equal(call->qualified, STR("cv2.cvtColor"))))
    return false;
  *ret_array = array_of(arrays, frame, first->value, depth);
  const PyArgument *size = is_resized ? py_model_argument(model, call, 1, "dsize") : NULL;
  PyRef list = size ? example_size_resolved(model, size->value) : 0;
  ExampleShape wanted =
      list && example_is_sequence(model, list) ? example_sizes_of_list(model, list) : example_no_shape();
  bool is_picture = ret_array->shape.rank == 3 && ret_array->shape.sizes[2] == 3;
  if (!is_picture || (is_resized ? wanted.rank != 2 : !keeps_channels(model, call))) {
    ret_array->shape = example_no_shape();
  } else if (is_resized) {
    ret_array->shape.sizes[0] = wanted.sizes[1];
    ret_array->shape.sizes[1] = wanted.sizes[0];
  }
  return true;
}

// --- What is made of arrays ---

/// The sizes that both have; -1 where they differ.
static void add_sizes(ExampleShape *made, const ExampleShape *part)
{
  if (part->rank != made->rank)
    *made = example_no_shape();
  for (int i = 0; i < made->rank; i++)
    made->sizes[i] = made->sizes[i] == part->sizes[i] ? part->sizes[i] : -1;
}

/// `numpy.stack([a, b])` and `numpy.concatenate([a, b], 1)` of arrays of one type.
static MadeArray joined(Arrays *arrays, const ArrayFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = arrays->model;
  const PyArgument *list = py_model_argument(model, call, 0, "arrays");
  const PyArgument *axis = py_model_argument(model, call, 1, "axis");
  PyRef items = list ? py_model_resolve(model, list->value) : 0;
  MadeArray made = numpy_unknown();
  int64_t count = 0, number = 0, total = 0;
  if (!items || !example_is_sequence(model, items) || (axis && !py_model_int(model, axis->value, &number)))
    return made;
  for (PY_EACH_ELEMENT(&model->tree, item, items)) {
    MadeArray part = py_tree_is_splat(&model->tree, item) ? numpy_unknown() : array_of(arrays, frame, item, depth);
    int64_t at = number < 0 ? number + part.shape.rank : number;
    int64_t size = at >= 0 && at < part.shape.rank ? part.shape.sizes[at] : -1;
    total = total >= 0 && size >= 0 ? total + size : -1;
    if (count++ == 0)
      made = part;
    made.type = str_equal(part.type, made.type) ? made.type : (Str){ 0 };
    add_sizes(&made.shape, &part.shape);
  }
  bool is_stack = str_equal(call->qualified, STR("numpy.stack"));
  if (is_stack)
    made.shape = example_with_axis(made.shape, number);
  number += number < 0 ? made.shape.rank : 0;
  if (made.shape.rank >= 0 && number >= 0 && number < made.shape.rank)
    made.shape.sizes[number] = is_stack ? count : total;
  return made;
}

/// A function of numpy; unknown for others.
static MadeArray of_function(Arrays *arrays, const ArrayFrame *frame, const PyCall *call, int depth)
{
  static const char *const copying[] = { "array", "asarray", "ascontiguousarray" };
  const PyModel *model = arrays->model;
  Str name = str_slice(call->qualified, STR("numpy.").len, call->qualified.len);
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  uint32_t position;
  if (find_sizes(call->qualified, &position))
    return (MadeArray){ .shape = sizes_made(model_of_sizes(arrays, frame), call, position),
                        .type = type_made(arrays, call) };
  if (str_is_one_of(name, copying, COUNT(copying)))
    return array_copied(arrays, frame, call, depth);
  if (str_equal(name, STR("stack")) || str_equal(name, STR("concatenate")))
    return joined(arrays, frame, call, depth);
  if (!first || call->has_splat)
    return numpy_unknown();
  MadeArray made = array_of(arrays, frame, first->value, depth);
  Str type = arrays->arena ? numpy_type_named(model, call->function_node, arrays->arena) : (Str){ 0 };
  if (type.len > 0)  // `numpy.float32(x)` of an array
    return made.shape.rank > 0 || made.type.len > 0 ? (MadeArray){ made.shape, type } : numpy_unknown();
  return numpy_moved(model, call, name, 1, &made) ? made : numpy_unknown();
}

/// How many elements it has; -1 if that is not known.
static int64_t element_count(const ExampleShape *shape)
{
  int64_t count = shape->rank >= 0 ? 1 : -1;
  for (int i = 0; i < shape->rank && count >= 0; i++)
    count = shape->sizes[i] >= 0 && shape->sizes[i] < INT32_MAX && count < INT32_MAX ? count * shape->sizes[i] : -1;
  return count;
}

/// `x.reshape(1, -1)`: the sizes that are written out are those of the array, whatever it was; -1 is what is left.
static MadeArray reshaped(const PyModel *model, const PyCall *call, MadeArray array)
{
  ExampleShape sizes = example_sizes_of_arguments(model, call);
  int64_t left = element_count(&array.shape);
  int open = -1;
  for (int i = 0; i < sizes.rank; i++) {
    bool is_open = sizes.sizes[i] < 0;
    left = left < 0 || (is_open ? open >= 0 : sizes.sizes[i] == 0) ? -1 : is_open ? left : left / sizes.sizes[i];
    open = is_open ? i : open;
  }
  if (open >= 0 && left > 0)
    sizes.sizes[open] = left;
  return (MadeArray){ sizes, array.type };
}

static PyRef resolved(const Arrays *arrays, const ArrayFrame **frame, PyRef node);

/// The tensor of `x.detach().cpu()` where `x` is what the function that is gone through is given; the node itself.
static PyRef tensor_of(const Arrays *arrays, const ArrayFrame *frame, PyRef node)
{
  static const char *const keeping[] = { "detach", "cpu", "clone", "contiguous" };
  const PyModel *model = arrays->model;
  PyRef inner = node;
  for (int i = 0; i < PY_CHAIN_LIMIT && frame; i++) {
    const PyCall *call = py_model_call(model, inner);
    PyRef object = call && call->argument_count == 0 ? py_tree_object(&model->tree, call->function_node) : 0;
    if (!object || !str_is_one_of(py_tree_member_name(&model->tree, call->function_node), keeping, COUNT(keeping)))
      break;
    inner = object;
  }
  return frame && py_kind(&model->tree, inner) == PYK_IDENTIFIER ? resolved(arrays, &frame, inner) : node;
}

/// `x.astype(numpy.float32)`, `x.numpy()`, `x.transpose(2, 0, 1)`.
static MadeArray of_method(Arrays *arrays, const ArrayFrame *frame, const PyCall *call, PyRef object, int depth)
{
  const PyModel *model = arrays->model;
  Str name = py_tree_member_name(&model->tree, call->function_node);
  const PyArgument *type = py_model_argument(model, call, 0, "dtype");
  if (str_equal(name, STR("numpy"))) {
    PyRef tensor = export_resolve(model, tensor_of(arrays, frame, object));
    Str element = arrays->arena ? element_made(model, tensor, arrays->arena) : (Str){ 0 };
    if (arrays->arena && element.len == 0)
      element = example_float_type(model, tensor, arrays->arena);
    return (MadeArray){ .shape = example_shape(model, tensor), .type = element };
  }
  bool is_cast = str_equal(name, STR("astype"));
  if (str_equal(name, STR("reshape")) && !call->has_splat)
    return reshaped(model_of_sizes(arrays, frame), call, array_of(arrays, frame, object, depth));
  if (call->has_splat)
    return numpy_unknown();
  MadeArray made = array_of(arrays, frame, object, depth);
  if (is_cast)
    return type ? of_type(arrays, made, type->value) : numpy_unknown();
  return numpy_moved(model, call, name, 0, &made) ? made : numpy_unknown();
}

/// What a function or method of the file returns at its only `return`, with what it is given there.
static MadeArray of_own_function(Arrays *arrays, const ArrayFrame *frame, const PyCall *call, int depth)
{
  uint32_t index = call->function != PY_ABSENT ? call->function : call->method;
  const PyFunction *function = &arrays->model->functions.items[index];
  ArrayFrame inner = { .call = call, .function = index, .outer = frame };
  bool is_method = call->function == PY_ABSENT && (call->is_bound || function->is_static);
  bool is_plain = (!function->class_node || is_method) && (function->outer == function->node || function->is_static) &&
                  function->return_count == 1 && function->returned && !call->has_splat && !call->has_dictionary_splat;
  if (!is_plain)
    return numpy_unknown();
  inner.model = py_model_in_call(model_of_sizes(arrays, frame), call, &arrays->scratch);
  return array_of(arrays, &inner, function->returned, depth);
}

static MadeArray of_call(Arrays *arrays, const ArrayFrame *frame, const PyCall *call, int depth)
{
  MadeArray made;
  if (str_starts_with(call->qualified, STR("numpy.")))
    return of_function(arrays, frame, call, depth);
  if (str_starts_with(call->qualified, STR("cv2.")))
    return picture_made(arrays, frame, call, depth, &made) ? made : numpy_unknown();
  if (call->function != PY_ABSENT || call->method != PY_ABSENT)
    return of_own_function(arrays, frame, call, depth);
  PyRef object = py_tree_object(&arrays->model->tree, call->function_node);
  return object ? of_method(arrays, frame, call, object, depth) : numpy_unknown();
}

// --- Names ---

/// What a name stands for at that place: what it was assigned last, or what the function that is gone through is given.
/// `frame` becomes that whose names it uses. The node itself if that is not known.
static PyRef resolved(const Arrays *arrays, const ArrayFrame **frame, PyRef node)
{
  const PyModel *model = arrays->model;
  for (int i = 0; i < PY_ALIAS_LIMIT; i++) {
    node = py_model_resolve(model, node);
    if (py_kind(&model->tree, node) != PYK_IDENTIFIER)
      return node;
    PyRef value = forward_value_in_force(model, node);
    const PyBinding *binding = value ? NULL : forward_param_in_force(model, node);
    bool is_given = binding && *frame && binding->scope == (*frame)->function;
    if (is_given) {
      const PyFunction *function = &model->functions.items[(*frame)->function];
      const PyParam *param = &model->params.items[binding->index];
      uint32_t position = binding->index - function->first_param, first = (*frame)->call->is_bound;
      const PyArgument *given =
          position >= first ? py_model_argument_of(model, (*frame)->call, position - first, param->name) : NULL;
      value = given ? given->value : 0;
      *frame = given ? (*frame)->outer : *frame;
    }
    if (!value)
      return node;
    node = value;
  }
  return node;
}

/// PY_INT or PY_FLOAT of a number that is written out; 0.
static uint32_t number_kind(const PyModel *model, PyRef node)
{
  int64_t number;
  if (py_model_int(model, node, &number))
    return PY_INT;
  PyNodeKind kind = py_kind(&model->tree, node);
  PyRef of = kind == PYK_UNARY_OPERATOR ? py_child(&model->tree, node, PY_F_ARGUMENT) : node;
  return of && py_kind(&model->tree, of) == PYK_FLOAT ? PY_FLOAT : 0;
}

static MadeArray of_binary(Arrays *arrays, const ArrayFrame *frame, PyRef node, int depth)
{
  const PyModel *model = arrays->model;
  const PyTree *tree = &model->tree;
  const ArrayFrame *of_left = frame, *of_right = frame;
  PyRef left = resolved(arrays, &of_left, py_child(tree, node, PY_F_LEFT));
  PyRef right = resolved(arrays, &of_right, py_child(tree, node, PY_F_RIGHT));
  PyRef sign = py_child(tree, node, PY_F_OPERATOR);
  uint32_t left_number = number_kind(model, left), right_number = number_kind(model, right);
  if (!sign || (left_number != 0 && right_number != 0))
    return numpy_unknown();
  MadeArray a = left_number != 0 ? numpy_unknown() : array_of(arrays, of_left, left, depth);
  MadeArray b = right_number != 0 ? numpy_unknown() : array_of(arrays, of_right, right, depth);
  return left_number != 0 ? numpy_computed(py_text(tree, sign), &b, &a, left_number, arrays->arena)
                          : numpy_computed(py_text(tree, sign), &a, &b, right_number, arrays->arena);
}

/// `a if condition else b`, as far as both are the same.
static MadeArray of_either(Arrays *arrays, const ArrayFrame *frame, PyRef node, int depth)
{
  const PyTree *tree = &arrays->model->tree;
  PyRef first = py_first_child(tree, node), condition = first ? py_next_sibling(tree, first) : 0;
  PyRef last = condition ? py_next_sibling(tree, condition) : 0;
  if (!last)
    return numpy_unknown();
  MadeArray a = array_of(arrays, frame, first, depth), b = array_of(arrays, frame, last, depth);
  a.type = str_equal(a.type, b.type) ? a.type : (Str){ 0 };
  if (a.shape.rank != b.shape.rank)
    a.shape = example_no_shape();
  for (int i = 0; i < a.shape.rank; i++)
    a.shape.sizes[i] = a.shape.sizes[i] == b.shape.sizes[i] ? a.shape.sizes[i] : -1;
  return a;
}

/// `ids != 0` of an array is one of bools, of the same shape.
static MadeArray of_comparison(Arrays *arrays, const ArrayFrame *frame, PyRef node, int depth)
{
  const PyModel *model = arrays->model;
  PyRef left = py_first_child(&model->tree, node), sign = left ? py_next_sibling(&model->tree, left) : 0;
  PyRef right = sign ? py_next_sibling(&model->tree, sign) : 0;
  if (!right || py_next_sibling(&model->tree, right) || number_kind(model, right) == 0)
    return numpy_unknown();
  MadeArray array = array_of(arrays, frame, left, depth);
  if (array.type.len > 0)
    array.type = STR("bool");
  return array;
}

static MadeArray array_of(Arrays *arrays, const ArrayFrame *frame, PyRef node, int depth)
{
  const PyModel *model = arrays->model;
  const PyTree *tree = &model->tree;
  if (depth <= 0 || arrays->steps-- <= 0)
    return numpy_unknown();
  node = resolved(arrays, &frame, node);
  const PyCall *call = py_model_call(model, node);
  if (call)
    return of_call(arrays, frame, call, depth - 1);
  switch (py_kind(tree, node)) {
  case PYK_SUBSCRIPT:
    return numpy_indexed(model, node, array_of(arrays, frame, py_child(tree, node, PY_F_VALUE), depth - 1));
  case PYK_BINARY_OPERATOR:
    return of_binary(arrays, frame, node, depth - 1);
  case PYK_COMPARISON_OPERATOR:
    return of_comparison(arrays, frame, node, depth - 1);
  case PYK_CONDITIONAL_EXPRESSION:
    return of_either(arrays, frame, node, depth - 1);
  default:
    return numpy_unknown();
  }
}

static MadeArray made(const PyModel *model, PyRef node, Arena *arena)
{
  Arrays arrays = { .model = model, .arena = arena, .steps = PY_ELEMENT_LIMIT };
  MadeArray array = array_of(&arrays, NULL, node, 2 * PY_EXPRESSION_DEPTH);
  arena_done(&arrays.scratch);
  return array;
}

ExampleShape example_array_shape(const PyModel *model, PyRef node)
{
  return made(model, node, NULL).shape;
}

Str example_array_type(const PyModel *model, PyRef node, Arena *arena)
{
  return made(model, node, arena).type;
}
