// What expressions in forward() give while shapes are followed.

#include "python/rules/forward/forward_values.h"

#include "base/limits.h"
#include "python/rules/forward/forward_cond.h"
#include "python/rules/forward/forward_elements.h"
#include "python/rules/forward/forward_index.h"
#include "python/rules/forward/forward_loop.h"
#include "python/rules/forward/forward_ops.h"
#include "python/rules/forward/forward_turns.h"

static const Followed unknown_value;

Followed forward_tensor(Shape shape)
{
  return shape.rank < 0 ? unknown_value : (Followed){ .kind = FOLLOWED_TENSOR, .shape = shape };
}

Followed forward_number_value(int64_t value)
{
  return value < 0 || value > PY_DIM_NUMBER_LIMIT ? unknown_value : (Followed){ .kind = FOLLOWED_INT, .number = value };
}

Followed forward_example(const ShapeWalk *walk, PyRef node)
{
  ExampleShape example = example_shape(walk->export->model, node);
  Shape shape = { .rank = example.rank > PY_SHAPE_RANK_LIMIT ? -1 : example.rank };
  for (int i = 0; i < shape.rank; i++)
    shape.sizes[i] = example.sizes[i] > PY_DIM_NUMBER_LIMIT ? -1 : example.sizes[i];
  Followed value = forward_contiguous(forward_tensor(shape));
  value.element = element_made(walk->export->model, node, walk->export->sink->arena);
  return value;
}

void forward_set_name(ShapeFrame *frame, Str name, Followed value)
{
  NamedValue *named = forward_named(frame, name);
  if (!named && frame->count < PY_SHAPE_NAME_LIMIT)
    named = &frame->names[frame->count++];
  if (named)
    *named = (NamedValue){ name, value };
}

NamedValue *forward_named(ShapeFrame *frame, Str name)
{
  for (size_t i = 0; i < frame->count; i++) {
    if (str_equal(frame->names[i].name, name))
      return &frame->names[i];
  }
  return NULL;
}

static Arena *arena_of(const ShapeWalk *walk)
{
  return walk->export->sink->arena;
}

void forward_note_division(ShapeWalk *walk, const Shape *given, const Shape *made)
{
  for (int i = 0; given->rank == made->rank && i < given->rank; i++)
    walk->is_divided |=
        given->sizes[i] >= DIM_FACTOR && made->sizes[i] >= 0 && made->sizes[i] <= given->sizes[i] * 2 / 3;
}

// --- Two operands ---

static bool is_number(const Followed *value)
{
  return value->kind == FOLLOWED_INT || value->kind == FOLLOWED_FLOAT;
}

/// A float, of which an open size makes an open one.
static Followed any_float(const Followed *a, const Followed *b)
{
  const Followed *open = a->number >= DIM_FACTOR ? a : b;
  return (Followed){ .kind = FOLLOWED_FLOAT,
                     .number = open->number >= DIM_FACTOR ? open->number : 0,
                     .is_of_input = open->is_of_input };
}

static Followed number_of_two(Str sign, const Followed *a, const Followed *b)
{
  sign = str_ends_with(sign, STR("=")) ? str_slice(sign, 0, sign.len - 1) : sign;
  if (a->kind == FOLLOWED_FLOAT || b->kind == FOLLOWED_FLOAT || str_equal(sign, STR("/")))
    return any_float(a, b);
  Followed made = str_equal(sign, STR("+"))                      ? forward_number_value(a->number + b->number)
                  : str_equal(sign, STR("-"))                    ? forward_number_value(a->number - b->number)
                  : str_equal(sign, STR("*"))                    ? forward_number_value(a->number * b->number)
                  : str_equal(sign, STR("//")) && b->number > 0  ? forward_number_value(a->number / b->number)
                  : str_equal(sign, STR("%")) && b->number > 0   ? forward_number_value(a->number % b->number)
                  : str_equal(sign, STR("**")) && b->number == 2 ? forward_number_value(a->number * a->number)
                                                                 : unknown_value;
  made.is_of_input = a->is_of_input || b->is_of_input;
  return made;
}

Followed forward_binary(ShapeWalk *walk, PyRef node, Str sign, const Followed *a, const Followed *b)
{
  static const char *const elementwise[] = { "+", "-", "*", "/", "//", "%", "**", "+=", "-=", "*=", "/=" };
  bool is_elementwise = str_is_one_of(sign, elementwise, COUNT(elementwise));
  bool is_product = str_equal(sign, STR("@"));
  Shape shape = shape_unknown();
  forward_check_difference(walk, node, sign, a, b);
  if (is_elementwise || is_product)
    forward_refuse_none(walk, node, arena_printf(arena_of(walk), "takes `%.*s` of", STR_ARG(sign)), a, b);
  if (is_elementwise || is_product)
    forward_refuse_tuple(walk, node, arena_printf(arena_of(walk), "takes `%.*s` of a tensor and", STR_ARG(sign)),
                         a->kind == FOLLOWED_TENSOR   ? b
                         : b->kind == FOLLOWED_TENSOR ? a
                                                      : &unknown_value);
  if (a->kind == FOLLOWED_TENSOR && b->kind == FOLLOWED_TENSOR && (is_elementwise || is_product)) {
    bool fits = is_product ? shape_matmul(&a->shape, &b->shape, &shape) : shape_broadcast(&a->shape, &b->shape, &shape);
    if (!fits)
      forward_refuse_shape(walk, node,
                           arena_printf(arena_of(walk),
                                        "takes `%.*s` of tensors of shapes %.*s and %.*s, which don't fit",
                                        STR_ARG(sign), STR_ARG(shape_text(&a->shape, arena_of(walk))),
                                        STR_ARG(shape_text(&b->shape, arena_of(walk)))),
                           &a->shape);
    if (is_product && a->element.len > 0 && b->element.len > 0 && !str_equal(a->element, b->element))
      forward_refuse(walk, node,
                     arena_printf(arena_of(walk), "multiplies matrices of %.*s and %.*s, which have to be of one type",
                                  STR_ARG(a->element), STR_ARG(b->element)));
    Followed made = forward_of_element(forward_tensor(shape), element_of_two(walk->export->model, sign, a, b));
    bool is_batched = is_product && a->shape.rank > 2 && b->shape.rank > 2;
    return is_batched || (forward_is_contiguous(a) && forward_is_contiguous(b)) ? forward_contiguous(made) : made;
  }
  if (is_elementwise &&
      ((a->kind == FOLLOWED_TENSOR && is_number(b)) || (b->kind == FOLLOWED_TENSOR && is_number(a)))) {
    return forward_of_element(a->kind == FOLLOWED_TENSOR ? *a : *b, element_of_two(walk->export->model, sign, a, b));
  }
  if (a->kind == FOLLOWED_TUPLE && (str_equal(sign, STR("+")) || str_equal(sign, STR("+="))))
    return forward_lists_joined(walk, a, b);
  return is_number(a) && is_number(b) ? number_of_two(sign, a, b) : unknown_value;
}

static Followed value_of_binary(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT),
        sign = py_child(tree, node, PY_F_OPERATOR);
  if (!left || !right || !sign)
    return unknown_value;
  Followed a = forward_value(walk, frame, left, depth), b = forward_value(walk, frame, right, depth);
  forward_check_bits(walk, node, py_text(tree, sign), &a, &b);
  return forward_binary(walk, node, py_text(tree, sign), &a, &b);
}

// --- Functions of torch, and methods of tensors ---

/// `torch.cat([a, b], dim=1)`
static Followed joined(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  const PyArgument *list = py_model_argument(model, call, 0, "tensors");
  const PyArgument *dim = py_model_argument(model, call, 1, "dim");
  int64_t axis = 0;
  Followed parts = list ? forward_value(walk, frame, list->value, depth) : unknown_value;
  if (!dim)
    dim = py_model_argument(model, call, PY_ABSENT, "axis");
  if (parts.kind != FOLLOWED_TUPLE || (dim && !forward_int(walk, frame, dim->value, depth, &axis)) ||
      (dim && py_kind(tree, py_tree_strip(tree, dim->value)) == PYK_FLOAT))
    return unknown_value;
  Shape sum = shape_unknown();
  Str element = { 0 };
  for (int64_t i = 0; i < parts.number; i++) {
    const Followed *part = &parts.items[i];
    forward_refuse_none(walk, call->node, STR("joins tensors and"), part, part);
    if (part->kind != FOLLOWED_TENSOR)
      return unknown_value;
    Shape before = sum;
    element = i == 0 || str_equal(element, part->element) ? part->element : (Str){ 0 };
    if (i == 0)
      sum = part->shape;
    else if (!shape_join(&sum, &part->shape, axis)) {
      forward_refuse(walk, call->node,
                     arena_printf(arena_of(walk), "joins tensors of shapes %.*s and %.*s along axis %lld",
                                  STR_ARG(shape_text(&before, arena_of(walk))),
                                  STR_ARG(shape_text(&part->shape, arena_of(walk))), (long long)axis));
      return unknown_value;
    }
  }
  return forward_of_element(forward_tensor(sum), element);
}

/// `x.permute(0, 2, 1)` and `x.permute((0, 2, 1))`.
static Followed permuted(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, const Shape *given, uint32_t first,
                         int depth)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  Shape made = { .rank = 0 };
  PyRef item = first < call->argument_count ? py_model_arguments(model, call)[first].value : 0;
  bool is_list = item && (py_kind(tree, item) == PYK_TUPLE || py_kind(tree, item) == PYK_LIST);
  uint32_t next = first + 1;
  item = is_list ? py_tree_first_element(tree, item) : item;
  while (item && made.rank < given->rank) {
    int64_t axis;
    int from = forward_int(walk, frame, item, depth, &axis) ? shape_axis(given, axis) : -1;
    if (from < 0)
      return unknown_value;
    made.sizes[made.rank++] = given->sizes[from];
    item = is_list                       ? py_tree_next_element(tree, item)
           : next < call->argument_count ? model->arguments.items[call->first_argument + next++].value
                                         : 0;
  }
  if (item || made.rank != given->rank) {
    if (!walk->trial && made.rank > 0)
      forward_refuse_shape(walk, call->node,
                           arena_printf(arena_of(walk), "gives permute() %s axes than the %d of a tensor of shape %.*s",
                                        item ? "more" : "fewer", given->rank,
                                        STR_ARG(shape_text(given, arena_of(walk)))),
                           given);
    return unknown_value;
  }
  return forward_tensor(made);
}

/// Up to two numbers from the `first` argument on; how many there are, -1 if one is something else.
static int read_numbers(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, uint32_t first, int64_t *numbers,
                        int depth)
{
  const PyModel *model = walk->export->model;
  int count = 0;
  for (uint32_t i = first; i < call->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    bool is_axis = argument->keyword.len == 0 || str_equal(argument->keyword, STR("dim")) ||
                   str_equal(argument->keyword, STR("start_dim")) || str_equal(argument->keyword, STR("axis"));
    if (str_equal(argument->keyword, STR("keepdim")))
      continue;
    if (!is_axis || count == 2 || !forward_int(walk, frame, argument->value, depth, &numbers[count]))
      return -1;
    count++;
  }
  return count;
}

/// `avg_pool2d(x, x.shape[2:])` of open sizes.
static void refuse_open_window(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  const PyArgument *window = py_model_argument(walk->export->model, call, 1, "kernel_size");
  Followed sizes = window ? forward_value(walk, frame, window->value, depth) : unknown_value;
  bool is_named = window && (py_kind(tree, window->value) == PYK_IDENTIFIER ||
                             py_kind(tree, window->value) == PYK_TUPLE || py_kind(tree, window->value) == PYK_LIST);
  for (int64_t i = 0; sizes.kind == FOLLOWED_TUPLE && i < sizes.number; i++) {
    // Of `x.shape[2:]` of an input check_tracing.c speaks.
    bool is_said = sizes.items[i].is_of_input && !is_named;
    if (sizes.items[i].kind == FOLLOWED_INT && sizes.items[i].number >= DIM_FACTOR && !is_said)
      forward_refuse_for_exporter(walk, call->node,
                                  STR("takes a window as large as an axis that dynamic_axes leaves open, and the "
                                      "TorchScript exporter takes only numbers for that"));
  }
}

/// The maker, which knows the numbers that names have in the function, too.
static ModuleMaker maker_with_names(const ShapeWalk *walk, const ShapeFrame *frame)
{
  ModuleMaker maker = *frame->maker;
  MadeName *names = ARENA_ARRAY(walk->export->sink->arena, MadeName, PY_SHAPE_NAME_LIMIT);
  maker.names = names;
  maker.name_count = 0;
  for (size_t i = 0; i < frame->count; i++) {
    if (frame->names[i].value.kind == FOLLOWED_INT)
      names[maker.name_count++] =
          (MadeName){ .name = frame->names[i].name, .number = frame->names[i].value.number, .is_number = true };
  }
  return maker;
}

/// What a pool of torch.nn.functional makes.
static Followed pooled(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Shape *given, int depth)
{
  ModuleMaker with_names = maker_with_names(walk, frame);
  Str why = { 0 };
  Shape made = layer_pool_shape(&with_names, call, name, given, arena_of(walk), &why);
  if (why.len > 0)
    forward_refuse_shape(walk, call->node, why, given);
  forward_note_division(walk, given, &made);
  if (walk->is_open) {
    forward_refuse_for_exporter(walk, call->node, layer_open_refusal(name, given, &made, DIM_FACTOR, arena_of(walk)));
    refuse_open_window(walk, frame, call, depth);
  } else if (!walk->trial) {
    forward_refuse_for_exporter(walk, call->node, layer_traced_refusal(name, given, &made, arena_of(walk)));
  }
  return forward_tensor(made);
}

/// What a function of torch or a method makes of its tensor, `of`; its other arguments begin at `first`.
static Followed computed(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Followed *of,
                         uint32_t first, int depth)
{
  const Shape *given = &of->shape;
  int64_t at[2] = { 0 };
  Followed made;
  if (forward_operator(walk, frame, call, name, of, first, depth, &made))
    return made;
  if (layer_keeps_shape(name))
    return forward_tensor(*given);
  if (str_equal(name, STR("view")) || str_equal(name, STR("reshape")))
    return forward_reshaped(walk, frame, call, given, first, depth);
  if (str_ends_with(name, STR("_pool1d")) || str_ends_with(name, STR("_pool2d")) || str_ends_with(name, STR("_pool3d")))
    return pooled(walk, frame, call, name, given, depth);
  if (str_equal(name, STR("permute")))
    return permuted(walk, frame, call, given, first, depth);
  int count = read_numbers(walk, frame, call, first, at, depth);
  if (str_equal(name, STR("flatten")) && count >= 0)
    return forward_tensor(shape_flatten(given, count > 0 ? at[0] : 0, count > 1 ? at[1] : -1));
  if (str_equal(name, STR("transpose")) && count == 2)
    return forward_tensor(shape_transpose(given, at[0], at[1]));
  if (str_equal(name, STR("t")) && (count == 0 || given->rank == 2))
    return forward_tensor(shape_transpose(given, 0, 1));
  if (str_equal(name, STR("unbind")) && count >= 0)
    return forward_taken_apart(walk, call->node, of, at[0]);
  if (str_equal(name, STR("unsqueeze")) && count == 1)
    return forward_tensor(shape_unsqueeze(given, at[0]));
  if (str_equal(name, STR("size")) && call->argument_count == 0)
    return forward_sizes_of(walk, of);
  if (str_equal(name, STR("size")) && count == 1 && shape_axis(given, at[0]) >= 0)
    return forward_sizes_of(walk, of).items[shape_axis(given, at[0])];
  return unknown_value;
}

static Followed computed_of(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Followed *given,
                            uint32_t first, int depth)
{
  forward_check_axes(walk, frame, call, name, &given->shape, first, depth);
  forward_check_outcomes(walk, frame, call, name, &given->shape, first, depth);
  forward_check_kernel(walk, call->node, call, name, given);
  forward_check_options(walk, frame, call, name, &given->shape, depth);
  Followed value = computed(walk, frame, call, name, given, first, depth);
  value = forward_ordered(walk, frame, call, name, given, first, value, depth);
  forward_check_view(walk, call, name, given, &value);
  Str element = element_computed(walk->export->model, call, name, given->element, first, arena_of(walk));
  return value.kind == FOLLOWED_TENSOR ? forward_of_element(value, element) : value;
}

static Followed value_of_torch(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, int depth)
{
  static const char *const creating[] = { "zeros", "ones", "rand", "randn", "empty" };
  const PyModel *model = walk->export->model;
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  if (str_equal(name, STR("cat")) || str_equal(name, STR("concat")))
    return joined(walk, frame, call, depth);
  if (str_equal(name, STR("stack")))
    return forward_stacked(walk, frame, call, depth);
  bool is_full = str_equal(name, STR("full")) && first &&
                 py_kind(&model->tree, py_tree_strip(&model->tree, first->value)) == PYK_TUPLE;
  if (is_full || str_is_one_of(name, creating, COUNT(creating)))
    return forward_created(walk, frame, call, depth);
  if (str_equal(name, STR("tensor")) || str_equal(name, STR("full")))
    return forward_example(walk, call->node);
  if (str_equal(name, STR("eye")))
    return forward_identity(walk, frame, call, depth);
  if (str_equal(name, STR("arange")))
    return forward_counted(walk, frame, call, depth);
  if (str_equal(name, STR("meshgrid")))
    return forward_meshgrid(walk, frame, call, depth);
  if (str_equal(name, STR("einsum")))
    return forward_einsum(walk, frame, call, depth);
  if (str_equal(name, STR("cond")))
    return forward_cond(walk, frame, call, depth);
  if (str_starts_with(name, STR("_higher_order_ops.")))
    return forward_loop(walk, frame, call, name, depth);
  if (!first || first->is_splat)
    return unknown_value;
  if (str_equal(name, STR("from_numpy")))
    return forward_of_array(walk, frame, first->value);
  Followed a = forward_value(walk, frame, first->value, depth);
  if (layer_keeps_shape(name)) {
    forward_refuse_none(walk, call->node, arena_printf(arena_of(walk), "gives %.*s()", STR_ARG(name)), &a, &a);
    forward_refuse_tuple(walk, call->node, arena_printf(arena_of(walk), "gives %.*s()", STR_ARG(name)), &a);
  }
  return a.kind == FOLLOWED_TENSOR ? computed_of(walk, frame, call, name, &a, 1, depth) : unknown_value;
}

/// Whether the function takes sizes, of which `*sizes` are some: `x.view(*x.shape[:2], 4)`, `torch.zeros(1, *size)`.
static bool takes_splats(const PyTree *tree, const PyCall *call)
{
  static const char *const methods[] = { "view", "reshape" };
  static const char *const functions[] = { "torch.zeros", "torch.ones", "torch.rand", "torch.randn", "torch.empty" };
  return str_is_one_of(call->qualified, functions, COUNT(functions)) ||
         (!str_starts_with(call->qualified, STR("torch.")) &&
          str_is_one_of(py_tree_member_name(tree, call->function_node), methods, COUNT(methods)));
}

/// Whether tensors have a method of that name, and tuples, lists and dicts have none.
static bool is_of_tensors_only(Str name)
{
  static const char *const methods[] = { "view",    "reshape", "permute", "transpose", "flatten", "unsqueeze",
                                         "squeeze", "size",    "dim",     "mean",      "sum",     "argmax" };
  return layer_keeps_shape(name) || str_is_one_of(name, methods, COUNT(methods));
}

static Followed result_of_call(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  Str functional = STR("torch.nn.functional."), torch = STR("torch.");
  Str name = call->qualified;
  if (call->has_splat && !takes_splats(tree, call))
    return unknown_value;
  Followed value;
  if (forward_of_python(walk, frame, call, depth, &value))
    return value;
  if (str_starts_with(name, functional))
    return value_of_torch(walk, frame, call, str_slice(name, functional.len, name.len), depth);
  if (str_starts_with(name, torch))
    return value_of_torch(walk, frame, call, str_slice(name, torch.len, name.len), depth);
  Followed listed;
  if (forward_of_listed(walk, frame, call, depth, &listed))
    return listed;
  const PyCall *layer = py_model_call(model, call->function_node);
  const PyArgument *only = layer && call->argument_count == 1 && str_starts_with(layer->qualified, STR("torch.nn."))
                               ? py_model_arguments(model, call)
                               : NULL;
  if (only) {  // `nn.Flatten(1)(x)`
    ModuleMaker with_names = maker_with_names(walk, frame);
    return forward_through_part(walk, &with_names, layer->node, call->node,
                                forward_value(walk, frame, only->value, depth), depth);
  }
  if (call->function != PY_ABSENT)
    return forward_of_function(walk, frame, call, depth);
  PyRef object = py_tree_object(tree, call->function_node);
  if (!object)
    return forward_given_to_unknown(walk, frame, call, depth);
  if (forward_of_super(walk, frame, call, depth, &value))
    return value;
  name = py_tree_member_name(tree, call->function_node);
  if (py_kind(tree, object) == PYK_IDENTIFIER && str_equal(py_text(tree, object), STR("self")))
    return forward_of_own(walk, frame, call, name, depth);
  Followed given = forward_value(walk, frame, object, depth);
  forward_refuse_none(walk, call->node, arena_printf(arena_of(walk), "calls %.*s() of", STR_ARG(name)), &given, &given);
  if (is_of_tensors_only(name))
    forward_refuse_tuple(walk, call->node, arena_printf(arena_of(walk), "calls %.*s() of", STR_ARG(name)), &given);
  return given.kind == FOLLOWED_TENSOR ? computed_of(walk, frame, call, name, &given, 0, depth)
                                       : forward_of_part_method(walk, frame, call, object, depth);
}

static Followed value_of_call(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  const PyModel *model = walk->export->model;
  const PyCall *call = py_model_call(model, node);
  static const char *const readers[] = {
    "len", "zip", "enumerate", "tuple", "list", "reversed", "range", "print", "sum"
  };
  Followed value = call ? result_of_call(walk, frame, call, depth) : unknown_value;
  // Whoever else gets a list may change it.
  bool is_read = call && (str_starts_with(call->qualified, STR("torch.")) ||
                          str_is_one_of(call->qualified, readers, COUNT(readers)));
  for (uint32_t i = 0; call && !is_read && i < call->argument_count; i++)
    forward_forget_list(walk, frame, py_model_arguments(model, call)[i].value);
  return value;
}

/// `x > 0`
static Followed value_of_comparison(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  PyComparison at = py_tree_comparison(tree, node);
  if (!at.right || !py_tree_compares(tree, node))
    return unknown_value;
  Followed a = forward_value(walk, frame, at.left, depth), b = forward_value(walk, frame, at.right, depth);
  if (a.kind != FOLLOWED_TENSOR || (b.kind != FOLLOWED_TENSOR && !is_number(&b)))
    return unknown_value;
  return forward_of_element(b.kind == FOLLOWED_TENSOR ? forward_binary(walk, node, STR("+"), &a, &b) : a, STR("bool"));
}

/// `x.shape`, `x.T`, `x.topk(3).indices` and `self.width`.
static Followed value_of_attribute(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  static const char *const of_values[] = { "shape", "T", "mT", "values", "indices", "data" };
  const PyTree *tree = &walk->export->model->tree;
  Str name = py_tree_member_name(tree, node);
  int64_t value;
  if (str_is_one_of(name, of_values, COUNT(of_values))) {
    Followed of = forward_value(walk, frame, py_tree_object(tree, node), depth);
    if (of.kind == FOLLOWED_TUPLE && of.is_named)
      return str_equal(name, STR("values"))    ? of.items[0]
             : str_equal(name, STR("indices")) ? of.items[1]
                                               : unknown_value;
    if (of.kind == FOLLOWED_TENSOR)
      return str_equal(name, STR("shape"))  ? forward_sizes_of(walk, &of)
             : str_equal(name, STR("data")) ? forward_data(walk, node, of)
             : of.shape.rank == 2 || (str_equal(name, STR("mT")) && of.shape.rank > 1)
                 ? forward_of_element(forward_tensor(shape_transpose(&of.shape, -2, -1)), of.element)
                 : unknown_value;
  }
  Followed weight = forward_weight_of(walk, frame, node);
  if (weight.kind == FOLLOWED_TENSOR)
    return weight;
  return module_maker_int(frame->maker, node, &value) ? forward_number_value(value)
         : module_maker_is_float(frame->maker, node)  ? (Followed){ .kind = FOLLOWED_FLOAT }
                                                      : forward_own_tensor(walk, frame, node);
}

/// None, as what is not given is by default.
static Followed default_value(const ShapeWalk *walk, ShapeFrame *frame, PyRef name)
{
  PyRef value = forward_default(walk, frame, name);
  bool is_none = value && py_kind(&walk->export->model->tree, value) == PYK_NONE;
  return (Followed){ .kind = is_none ? FOLLOWED_NONE : FOLLOWED_UNKNOWN };
}

/// `a if x.shape[1] > 3 else b`: the side that is taken, if that is known.
static Followed value_of_choice(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  PyChoice choice = py_tree_choice(&walk->export->model->tree, node);
  forward_ask(walk, frame, choice.condition);
  int answer = choice.condition && !walk->trial ? forward_truth(walk, frame, choice.condition) : -1;
  return answer < 0 ? unknown_value : forward_value(walk, frame, answer ? choice.yes : choice.no, depth);
}

Followed forward_value(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  node = node ? py_tree_strip(tree, node) : 0;
  if (!node || depth <= 0 || walk->steps-- <= 0 || walk->why.len > 0)
    return unknown_value;
  const NamedValue *named;
  int64_t value;
  switch (py_kind(tree, node)) {
  case PYK_IDENTIFIER:
    named = forward_named(frame, py_text(tree, node));
    return named ? named->value : default_value(walk, frame, node);
  case PYK_INTEGER:
    return py_model_int(model, node, &value) ? forward_number_value(value) : unknown_value;
  case PYK_FLOAT:
    return (Followed){ .kind = FOLLOWED_FLOAT };
  case PYK_NONE:
    return (Followed){ .kind = FOLLOWED_NONE };
  case PYK_TUPLE:
  case PYK_LIST:
  case PYK_EXPRESSION_LIST:
    return forward_tuple_of(walk, frame, node, depth - 1);
  case PYK_DICTIONARY:
    return forward_dictionary(walk, frame, node, depth - 1);
  case PYK_ATTRIBUTE:
    return value_of_attribute(walk, frame, node, depth - 1);
  case PYK_LIST_COMPREHENSION:
  case PYK_GENERATOR_EXPRESSION:
    return forward_comprehension(walk, frame, node, depth - 1);
  case PYK_CALL:
    return value_of_call(walk, frame, node, depth - 1);
  case PYK_BINARY_OPERATOR:
    return value_of_binary(walk, frame, node, depth - 1);
  case PYK_COMPARISON_OPERATOR:
    return value_of_comparison(walk, frame, node, depth - 1);
  case PYK_CONDITIONAL_EXPRESSION:
    return value_of_choice(walk, frame, node, depth - 1);
  case PYK_SUBSCRIPT:
    return forward_subscript(walk, frame, node, depth - 1);
  case PYK_UNARY_OPERATOR: {
    Followed of = forward_value(walk, frame, py_child(tree, node, PY_F_ARGUMENT), depth - 1);
    if (py_child(tree, node, PY_F_OPERATOR))
      forward_check_inverse(walk, node, py_text(tree, py_child(tree, node, PY_F_OPERATOR)), &of);
    return of.kind == FOLLOWED_INT ? unknown_value : of;
  }
  default:
    return unknown_value;
  }
}
