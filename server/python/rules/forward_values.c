// What expressions in forward() give while shapes are followed.

#include "python/rules/forward_values.h"

#include "base/limits.h"
#include "python/rules/forward_cond.h"
#include "python/rules/forward_elements.h"
#include "python/rules/forward_index.h"
#include "python/rules/forward_loop.h"
#include "python/rules/forward_ops.h"

static const Followed unknown_value;

Followed forward_tensor(Shape shape)
{
  return shape.rank < 0 ? unknown_value : (Followed){ .kind = FOLLOWED_TENSOR, .shape = shape };
}

static Followed number(int64_t value)
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

NamedValue *forward_named(ShapeFrame *frame, Str name)
{
  for (size_t i = 0; i < frame->count; i++) {
    if (str_equal(frame->names[i].name, name))
      return &frame->names[i];
  }
  return NULL;
}

void forward_refuse(ShapeWalk *walk, PyRef node, Str why)
{
  if (walk->why.len == 0 && !walk->is_open) {
    walk->where = node;
    walk->why = why;
  }
}

void forward_refuse_for_exporter(ShapeWalk *walk, PyRef node, Str why)
{
  if (walk->why.len > 0 || why.len == 0 || walk->export->kind != EXPORT_TRACES)
    return;
  walk->is_of_exporter = true;
  walk->where = node;
  walk->why = why;
}

void forward_refuse_call(ShapeWalk *walk, PyRef node, Str why)
{
  walk->is_of_exporter = walk->is_of_call = true;
  walk->where = node;
  walk->why = why;
}

RuleId forward_rule_of_exporter(const ShapeWalk *walk)
{
  return walk->is_of_call ? RULE_REFUSED_CALL : RULE_UNSUPPORTED_OP;
}

Str forward_words_of_exporter(const ShapeWalk *walk, const char *with, Arena *arena)
{
  return arena_printf(arena, "With these %s, %s%.*s", with, walk->is_of_call ? "" : "forward() ",
                      STR_ARG(walk->is_of_call ? walk->why : arena_printf(arena, "%.*s.", STR_ARG(walk->why))));
}

void forward_refuse_shape(ShapeWalk *walk, PyRef node, Str why, const Shape *shape)
{
  if (walk->why.len == 0)
    walk->refused = *shape;
  forward_refuse(walk, node, why);
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

bool forward_int(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth, int64_t *ret_value)
{
  if (py_model_int(walk->export->model, node, ret_value) || module_maker_int(frame->maker, node, ret_value))
    return true;
  Followed value = forward_value(walk, frame, node, depth);
  *ret_value = value.number;
  return value.kind == FOLLOWED_INT;
}

// --- Two operands ---

static bool is_number(const Followed *value)
{
  return value->kind == FOLLOWED_INT || value->kind == FOLLOWED_FLOAT;
}

Followed forward_binary(ShapeWalk *walk, PyRef node, Str sign, const Followed *a, const Followed *b)
{
  static const char *const elementwise[] = { "+", "-", "*", "/", "//", "%", "**", "+=", "-=", "*=", "/=" };
  bool is_elementwise = str_is_one_of(sign, elementwise, COUNT(elementwise));
  bool is_product = str_equal(sign, STR("@"));
  Shape shape = shape_unknown();
  if (a->kind == FOLLOWED_TENSOR && b->kind == FOLLOWED_TENSOR && (is_elementwise || is_product)) {
    bool fits = is_product ? shape_matmul(&a->shape, &b->shape, &shape) : shape_broadcast(&a->shape, &b->shape, &shape);
    if (!fits)
      forward_refuse_shape(walk, node,
                           arena_printf(arena_of(walk),
                                        "takes `%.*s` of tensors of shapes %.*s and %.*s, which don't fit",
                                        STR_ARG(sign), STR_ARG(shape_text(&a->shape, arena_of(walk))),
                                        STR_ARG(shape_text(&b->shape, arena_of(walk)))),
                           &a->shape);
    Followed made = forward_of_element(forward_tensor(shape), element_of_two(walk->export->model, sign, a, b));
    bool is_batched = is_product && a->shape.rank > 2 && b->shape.rank > 2;
    return is_batched || (forward_is_contiguous(a) && forward_is_contiguous(b)) ? forward_contiguous(made) : made;
  }
  if (is_elementwise &&
      ((a->kind == FOLLOWED_TENSOR && is_number(b)) || (b->kind == FOLLOWED_TENSOR && is_number(a)))) {
    return forward_of_element(a->kind == FOLLOWED_TENSOR ? *a : *b, element_of_two(walk->export->model, sign, a, b));
  }
  if (a->kind != FOLLOWED_INT || b->kind != FOLLOWED_INT)
    return unknown_value;
  return str_equal(sign, STR("+"))                     ? number(a->number + b->number)
         : str_equal(sign, STR("-"))                   ? number(a->number - b->number)
         : str_equal(sign, STR("*"))                   ? number(a->number * b->number)
         : str_equal(sign, STR("//")) && b->number > 0 ? number(a->number / b->number)
                                                       : unknown_value;
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
  PyRef items = list ? py_tree_strip(tree, list->value) : 0;
  bool is_written = items && (py_kind(tree, items) == PYK_LIST || py_kind(tree, items) == PYK_TUPLE);
  if (!dim)
    dim = py_model_argument(model, call, PY_ABSENT, "axis");
  if (!is_written || (dim && !forward_int(walk, frame, dim->value, depth, &axis)) ||
      (dim && py_kind(tree, py_tree_strip(tree, dim->value)) == PYK_FLOAT))
    return unknown_value;
  bool is_first = true;
  Shape sum = shape_unknown();
  for (PY_EACH_ELEMENT(tree, item, items)) {
    Followed part = py_tree_is_splat(tree, item) ? unknown_value : forward_value(walk, frame, item, depth);
    if (part.kind != FOLLOWED_TENSOR)
      return unknown_value;
    Shape before = sum;
    if (is_first)
      sum = part.shape;
    else if (!shape_join(&sum, &part.shape, axis)) {
      forward_refuse(walk, call->node,
                     arena_printf(arena_of(walk), "joins tensors of shapes %.*s and %.*s along axis %lld",
                                  STR_ARG(shape_text(&before, arena_of(walk))),
                                  STR_ARG(shape_text(&part.shape, arena_of(walk))), (long long)axis));
      return unknown_value;
    }
    is_first = false;
  }
  return forward_tensor(sum);
}

/// `x.view(x.size(0), -1)`: the sizes from the `first` argument on.
static Followed reshaped(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, const Shape *given, uint32_t first,
                         int depth)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  Shape wanted = { 0 }, made;
  bool unknown[PY_SHAPE_RANK_LIMIT] = { false };
  PyRef item = first < call->argument_count ? py_model_arguments(model, call)[first].value : 0;
  bool is_list = item && first + 1 == call->argument_count &&
                 (py_kind(tree, item) == PYK_TUPLE || py_kind(tree, item) == PYK_LIST);
  uint32_t next = first + 1;
  if (is_list)
    item = py_tree_first_element(tree, item);
  else if (item && first + 1 == call->argument_count && !py_model_int(model, item, &wanted.sizes[0]))
    return unknown_value;  // A shape, or a dtype.
  while (item && wanted.rank < PY_SHAPE_RANK_LIMIT && !py_tree_is_splat(tree, item)) {
    int64_t *size = &wanted.sizes[wanted.rank];
    unknown[wanted.rank] = !forward_int(walk, frame, item, depth, size) || *size < -1;
    wanted.rank++;
    item = is_list                       ? py_tree_next_element(tree, item)
           : next < call->argument_count ? model->arguments.items[call->first_argument + next++].value
                                         : 0;
  }
  if (item || wanted.rank == 0)
    return unknown_value;
  bool is_whole = true;
  for (int i = 0; i < wanted.rank; i++)
    is_whole &= wanted.sizes[i] >= 0;
  int exact = walk->trial ? shape_kept_axis(given, &wanted, unknown, DIM_FACTOR) : 0;
  if (!exact && shape_reshape(given, &wanted, unknown, &made))
    return forward_tensor(made);
  walk->is_reshape = true;
  walk->exact = exact;
  walk->is_whole = is_whole;
  forward_refuse(walk, call->node,
                 arena_printf(arena_of(walk), "reads a tensor of shape %.*s as %.*s, which has other elements",
                              STR_ARG(shape_text(given, arena_of(walk))), STR_ARG(py_text(tree, call->list_node))));
  return unknown_value;
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
  return !item && made.rank == given->rank ? forward_tensor(made) : unknown_value;
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

static bool keeps_axis(const PyModel *model, const PyCall *call)
{
  const PyArgument *keep = py_model_argument(model, call, PY_ABSENT, "keepdim");
  return keep && py_kind(&model->tree, keep->value) == PYK_TRUE;
}

/// `avg_pool2d(x, x.shape[2:])` of open sizes.
static void refuse_open_window(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyArgument *window = py_model_argument(walk->export->model, call, 1, "kernel_size");
  Followed sizes = window ? forward_value(walk, frame, window->value, depth) : unknown_value;
  for (int64_t i = 0; sizes.kind == FOLLOWED_TUPLE && i < sizes.number; i++) {
    if (sizes.items[i].kind == FOLLOWED_INT && sizes.items[i].number >= DIM_FACTOR)
      forward_refuse_for_exporter(walk, call->node,
                                  STR("takes a window as large as an axis that dynamic_axes leaves open, and the "
                                      "TorchScript exporter takes only numbers for that"));
  }
}

/// What a function of torch or a method makes of its tensor, `given`; its other arguments begin at `first`.
static Followed computed(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Shape *given,
                         uint32_t first, int depth)
{
  static const char *const reducing[] = { "mean", "sum", "amax", "amin", "argmax", "argmin", "prod", "std", "var" };
  const PyModel *model = walk->export->model;
  int64_t at[2] = { 0 };
  if (layer_keeps_shape(name))
    return forward_tensor(*given);
  if (str_equal(name, STR("view")) || str_equal(name, STR("reshape")))
    return reshaped(walk, frame, call, given, first, depth);
  if (str_ends_with(name, STR("_pool1d")) || str_ends_with(name, STR("_pool2d")) ||
      str_ends_with(name, STR("_pool3d"))) {
    Shape made = layer_pool_shape(frame->maker, call, name, given);
    forward_note_division(walk, given, &made);
    if (walk->is_open) {
      forward_refuse_for_exporter(walk, call->node, layer_open_refusal(name, given, &made, DIM_FACTOR, arena_of(walk)));
      refuse_open_window(walk, frame, call, depth);
    } else if (!walk->trial) {
      forward_refuse_for_exporter(walk, call->node, layer_traced_refusal(name, given, &made, arena_of(walk)));
    }
    return forward_tensor(made);
  }
  Followed made;
  if (forward_operator(walk, frame, call, name, given, first, depth, &made))
    return made;
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
    return forward_taken_apart(walk, call->node, given, at[0]);
  if (str_equal(name, STR("unsqueeze")) && count == 1)
    return forward_tensor(shape_unsqueeze(given, at[0]));
  if (str_equal(name, STR("size")) && count == 1 && shape_axis(given, at[0]) >= 0)
    return number(given->sizes[shape_axis(given, at[0])]);
  if (str_is_one_of(name, reducing, COUNT(reducing)) && call->argument_count == first)
    return forward_tensor((Shape){ 0 });
  if (str_is_one_of(name, reducing, COUNT(reducing)) && count == 1)
    return forward_tensor(shape_reduce(given, at[0], keeps_axis(model, call)));
  return unknown_value;
}

static Followed computed_of(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Followed *given,
                            uint32_t first, int depth)
{
  forward_check_outcomes(walk, frame, call, name, &given->shape, first, depth);
  Followed value = computed(walk, frame, call, name, &given->shape, first, depth);
  value = forward_ordered(walk, frame, call, name, given, first, value, depth);
  forward_check_view(walk, call, name, given, &value);
  Str element = element_computed(walk->export->model, call, name, given->element, first, arena_of(walk));
  return value.kind == FOLLOWED_TENSOR ? forward_of_element(value, element) : value;
}

/// `torch.matmul(a, b)`, `torch.add(a, b)`; false for other functions.
static bool is_of_two(Str name, Str *ret_sign)
{
  bool is_product = str_equal(name, STR("matmul")) || str_equal(name, STR("bmm")) || str_equal(name, STR("mm"));
  *ret_sign = is_product                    ? STR("@")
              : str_equal(name, STR("add")) ? STR("+")
              : str_equal(name, STR("mul")) ? STR("*")
              : str_equal(name, STR("sub")) ? STR("-")
                                            : (Str){ 0 };
  return ret_sign->len > 0;
}

/// `torch.zeros(x.shape[0], 4)`
static Followed created(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  Shape shape = { 0 };
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    PyNodeKind kind = py_kind(&model->tree, py_tree_strip(&model->tree, argument->value));
    if (argument->keyword.len > 0 && !str_equal(argument->keyword, STR("size")))
      continue;
    if (argument->keyword.len > 0 || kind == PYK_TUPLE || kind == PYK_LIST || shape.rank == PY_SHAPE_RANK_LIMIT)
      return forward_example(walk, call->node);
    // One number may be a size, and what is not known a list of them.
    if (!forward_int(walk, frame, argument->value, depth, &shape.sizes[shape.rank++]))
      return unknown_value;
  }
  return shape.rank == 0 ? unknown_value
                         : forward_of_element(forward_tensor(shape), element_made(model, call->node, arena_of(walk)));
}

/// `torch.arange(x.shape[0])` and `torch.arange(1, n)`.
static Followed counted(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  int64_t ends[2] = { 0 };
  uint32_t count = 0;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->keyword.len > 0 && !str_equal(argument->keyword, STR("step")) &&
        !str_equal(argument->keyword, STR("start")) && !str_equal(argument->keyword, STR("end")))
      continue;
    if (argument->keyword.len > 0 || count == 2 || !forward_int(walk, frame, argument->value, depth, &ends[count++]))
      return unknown_value;
  }
  int64_t size = count == 2 ? ends[1] - ends[0] : count == 1 ? ends[0] : -1;
  if (size < 0 || size > PY_DIM_NUMBER_LIMIT)
    return unknown_value;
  Str element = py_model_argument(model, call, PY_ABSENT, "dtype") ? element_made(model, call->node, arena_of(walk))
                                                                   : STR("int64");
  return forward_of_element(forward_tensor((Shape){ .rank = 1, .sizes = { size } }), element);
}

static Followed value_of_torch(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, int depth)
{
  static const char *const creating[] = { "zeros", "ones", "rand", "randn", "empty" };
  const PyModel *model = walk->export->model;
  Str sign;
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  if (str_equal(name, STR("cat")) || str_equal(name, STR("concat")))
    return joined(walk, frame, call, depth);
  if (str_equal(name, STR("stack")))
    return forward_stacked(walk, frame, call, depth);
  if (str_is_one_of(name, creating, COUNT(creating)))
    return created(walk, frame, call, depth);
  if (str_equal(name, STR("tensor")) || str_equal(name, STR("full")))
    return forward_example(walk, call->node);
  if (str_equal(name, STR("arange")))
    return counted(walk, frame, call, depth);
  if (str_equal(name, STR("cond")))
    return forward_cond(walk, frame, call, depth);
  if (str_starts_with(name, STR("_higher_order_ops.")))
    return forward_loop(walk, frame, call, name, depth);
  if (!first || first->is_splat)
    return unknown_value;
  const PyArgument *second = is_of_two(name, &sign) ? py_model_argument(model, call, 1, NULL) : NULL;
  Followed a = forward_value(walk, frame, first->value, depth);
  if (second && call->argument_count == 2) {
    Followed b = forward_value(walk, frame, second->value, depth);
    return a.kind == FOLLOWED_TENSOR && b.kind == FOLLOWED_TENSOR ? forward_binary(walk, call->node, sign, &a, &b)
                                                                  : unknown_value;
  }
  return a.kind == FOLLOWED_TENSOR ? computed_of(walk, frame, call, name, &a, 1, depth) : unknown_value;
}

/// What is written out as a tuple or a list; unknown if a part is `*more`, or if there are too many.
static Followed tuple_of(ShapeWalk *walk, ShapeFrame *frame, PyRef list, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  Followed tuple = { .kind = FOLLOWED_TUPLE };
  Followed items[PY_SHAPE_RANK_LIMIT];
  for (PY_EACH_ELEMENT(tree, item, list)) {
    if (py_tree_is_splat(tree, item) || tuple.number == PY_SHAPE_RANK_LIMIT)
      return unknown_value;
    items[tuple.number++] = forward_value(walk, frame, item, depth);
  }
  Followed *kept = ARENA_ARRAY(arena_of(walk), Followed, (size_t)tuple.number);
  for (int64_t i = 0; i < tuple.number; i++)
    kept[i] = items[i];
  tuple.items = kept;
  return tuple;
}

static Followed value_of_call(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, node);
  Str functional = STR("torch.nn.functional."), torch = STR("torch.");
  if (!call || call->has_splat)
    return unknown_value;
  Str name = call->qualified;
  if (str_starts_with(name, STR("math.")))
    return (Followed){ .kind = FOLLOWED_FLOAT };
  if (str_starts_with(name, functional))
    return value_of_torch(walk, frame, call, str_slice(name, functional.len, name.len), depth);
  if (str_starts_with(name, torch))
    return value_of_torch(walk, frame, call, str_slice(name, torch.len, name.len), depth);
  Followed listed;
  if (forward_of_listed(walk, frame, call, depth, &listed))
    return listed;
  if (call->function != PY_ABSENT)
    return forward_of_function(walk, frame, call, depth);
  PyRef object = py_tree_object(tree, call->function_node);
  if (!object)
    return unknown_value;
  name = py_tree_member_name(tree, call->function_node);
  if (py_kind(tree, object) == PYK_IDENTIFIER && str_equal(py_text(tree, object), STR("self")))
    return forward_of_own(walk, frame, call, name, depth);
  Followed given = forward_value(walk, frame, object, depth);
  return given.kind == FOLLOWED_TENSOR ? computed_of(walk, frame, call, name, &given, 0, depth) : unknown_value;
}

/// `torch.zeros(1, patches + 1, width)` of numbers that the model was made with.
static Followed tensor_made(const ShapeWalk *walk, const ModuleMaker *maker, PyRef node)
{
  static const char *const makers[] = { "torch.zeros", "torch.ones", "torch.rand", "torch.randn", "torch.empty" };
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  Followed value = forward_example(walk, node);
  const PyCall *call = py_model_call(model, node);
  Shape shape = { .rank = 0 };
  if (!call || call->has_splat || !str_is_one_of(call->qualified, makers, COUNT(makers)))
    return value;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    PyNodeKind kind = py_kind(tree, argument->value);
    if (argument->keyword.len > 0)
      continue;
    if (kind == PYK_TUPLE || kind == PYK_LIST || shape.rank == PY_SHAPE_RANK_LIMIT ||
        !module_maker_int(maker, argument->value, &shape.sizes[shape.rank]) || shape.sizes[shape.rank] < 0 ||
        shape.sizes[shape.rank] > PY_DIM_NUMBER_LIMIT)
      return value;
    shape.rank++;
  }
  return shape.rank == 0 ? value : forward_of_element(forward_tensor(shape), value.element);
}

/// `self.weight` of torch.nn.Parameter(torch.randn(6, 3)), and buffers.
static Followed value_of_own_tensor(const ShapeWalk *walk, const ShapeFrame *frame, PyRef node)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  Str name = py_tree_own_name(tree, node);
  if (name.len == 0)
    return unknown_value;
  PyRef part = module_parts_unchanged(frame->maker->parts, model, frame->maker->class_node, name);
  const PyCall *call = py_model_call(model, part);
  const PyArgument *data =
      call && str_equal(call->qualified, STR("torch.nn.Parameter")) ? py_model_argument(model, call, 0, "data") : NULL;
  return part ? tensor_made(walk, frame->maker, data ? data->value : part) : unknown_value;
}

/// `x > 0`
static Followed value_of_comparison(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  PyComparison at = py_tree_comparison(tree, node);
  if (!at.right || !py_tree_compares(tree, node))
    return unknown_value;
  Followed a = forward_value(walk, frame, at.left, depth), b = forward_value(walk, frame, at.right, depth);
  if (a.kind != FOLLOWED_TENSOR || !is_number(&b))
    return unknown_value;
  a.element = STR("bool");
  return a;
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
    return named ? named->value : unknown_value;
  case PYK_INTEGER:
    return py_model_int(model, node, &value) ? number(value) : unknown_value;
  case PYK_FLOAT:
    return (Followed){ .kind = FOLLOWED_FLOAT };
  case PYK_TUPLE:
  case PYK_LIST:
  case PYK_EXPRESSION_LIST:
    return tuple_of(walk, frame, node, depth - 1);
  case PYK_ATTRIBUTE:
    return module_maker_int(frame->maker, node, &value) ? number(value)
           : module_maker_is_float(frame->maker, node)  ? (Followed){ .kind = FOLLOWED_FLOAT }
                                                        : value_of_own_tensor(walk, frame, node);
  case PYK_CALL:
    return value_of_call(walk, frame, node, depth - 1);
  case PYK_BINARY_OPERATOR:
    return value_of_binary(walk, frame, node, depth - 1);
  case PYK_COMPARISON_OPERATOR:
    return value_of_comparison(walk, frame, node, depth - 1);
  case PYK_CONDITIONAL_EXPRESSION:
    forward_ask(walk, frame, py_tree_choice(tree, node).condition);
    return unknown_value;
  case PYK_SUBSCRIPT:
    return forward_subscript(walk, frame, node, depth - 1);
  case PYK_UNARY_OPERATOR: {
    Followed of = forward_value(walk, frame, py_child(tree, node, PY_F_ARGUMENT), depth - 1);
    if (py_child(tree, node, PY_F_OPERATOR))
      forward_check_bits(walk, node, py_text(tree, py_child(tree, node, PY_F_OPERATOR)), &of, &of);
    return of.kind == FOLLOWED_INT ? unknown_value : of;
  }
  default:
    return unknown_value;
  }
}
