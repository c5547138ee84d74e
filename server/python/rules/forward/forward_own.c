// Parameters and buffers of modules, and tensors that forward() makes, while shapes are followed.

#include "base/limits.h"
#include "python/rules/forward/forward_elements.h"
#include "python/rules/forward/forward_values.h"

/// `torch.empty(size=(rows, columns))`; `otherwise` where not all of them are known.
static Followed made_of_sizes(const ModuleMaker *maker, PyRef sizes, const Followed *otherwise)
{
  const PyTree *tree = &maker->model->tree;
  Shape shape = { .rank = 0 };
  for (PY_EACH_ELEMENT(tree, item, sizes)) {
    if (shape.rank == PY_SHAPE_RANK_LIMIT || py_tree_is_splat(tree, item) ||
        !module_maker_int(maker, item, &shape.sizes[shape.rank]) || shape.sizes[shape.rank] < 0 ||
        shape.sizes[shape.rank] > PY_DIM_NUMBER_LIMIT)
      return *otherwise;
    shape.rank++;
  }
  return forward_of_element(forward_tensor(shape), otherwise->element);
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
  const PyArgument *sizes = py_model_argument(model, call, call->argument_count == 1 ? 0 : PY_ABSENT, "size");
  PyNodeKind of_sizes = sizes ? py_kind(tree, sizes->value) : PYK_OTHER;
  if (of_sizes == PYK_TUPLE || of_sizes == PYK_LIST)
    return made_of_sizes(maker, sizes->value, &value);
  for (uint32_t i = 0; i < call->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
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
/// What __init__() of the module makes: its statements are run, with what it was made with.
static Followed made_by_init(ShapeWalk *walk, const ModuleMaker *maker, PyRef made)
{
  const PyModel *model = walk->export->model;
  uint32_t init = export_method_named(model, maker->class_node, STR("__init__"));
  const PyCall *call = py_model_call(model, made);
  PyNodeKind kind = py_kind(&model->tree, made);
  if (call ? str_starts_with(call->qualified, STR("torch.nn.")) : kind != PYK_IDENTIFIER && kind != PYK_TUPLE)
    return (Followed){ 0 };
  if (init == PY_ABSENT || py_model_scope_of(model, made) != init || walk->depth == PY_SHAPE_CALL_DEPTH)
    return (Followed){ 0 };
  const PyFunction *function = &model->functions.items[init];
  ShapeFrame *frame = ARENA_NEW(walk->export->sink->arena, ShapeFrame);
  frame->maker = maker;
  frame->function = init;
  for (uint32_t i = 1; i < function->param_count; i++) {
    const PyParam *param = &model->params.items[function->first_param + i];
    const PyArgument *given =
        maker->call && !maker->call->has_splat ? py_model_argument_of(model, maker->call, i - 1, param->name) : NULL;
    PyRef made_of = given ? given->value : maker->call ? param->default_value : 0;
    int64_t number;
    bool is_number = made_of && module_maker_int(given && maker->outer ? maker->outer : maker, made_of, &number);
    forward_set_name(frame, param->name, is_number ? forward_number_value(number) : (Followed){ 0 });
  }
  // What fails there is said elsewhere, and no size that is tried comes there.
  ShapeWalk inner = *walk;
  inner.trial = NULL;
  inner.is_of_trace = inner.is_open = false;
  inner.depth++;
  forward_shapes_run(&inner, frame);
  Followed value = inner.why.len == 0 ? forward_value(&inner, frame, made, PY_EXPRESSION_DEPTH) : (Followed){ 0 };
  walk->steps = inner.steps - PY_SHAPE_NAME_LIMIT;
  return inner.why.len == 0 ? value : (Followed){ 0 };
}

static bool may_be_converted(ShapeWalk *walk)
{
  if (!walk->knows_conversions)
    walk->may_be_converted = example_may_be_converted(walk->export);
  walk->knows_conversions = true;
  return walk->may_be_converted;
}

Followed forward_own_tensor(ShapeWalk *walk, const ShapeFrame *frame, PyRef node)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  Str name = py_tree_own_name(tree, node);
  if (name.len == 0)
    return (Followed){ 0 };
  PyRef part = module_parts_unchanged(frame->maker->parts, model, frame->maker->class_node, name);
  const PyCall *call = py_model_call(model, part);
  const PyArgument *data =
      call && str_equal(call->qualified, STR("torch.nn.Parameter")) ? py_model_argument(model, call, 0, "data") : NULL;
  Followed value = part ? tensor_made(walk, frame->maker, data ? data->value : part) : (Followed){ 0 };
  bool is_unknown = value.element.len == 0;
  for (int i = 0; value.kind == FOLLOWED_TENSOR && i < value.shape.rank; i++)
    is_unknown |= value.shape.sizes[i] < 0;
  Followed run = part && is_unknown ? made_by_init(walk, frame->maker, data ? data->value : part) : value;
  value = run.kind == FOLLOWED_UNKNOWN ? value : run;
  bool is_state =
      value.element.len > 0 && module_parts_is_state(frame->maker->parts, model, frame->maker->class_node, name);
  return is_state && may_be_converted(walk) ? forward_of_element(value, (Str){ 0 }) : value;
}

Followed forward_of_array(const ShapeWalk *walk, const ShapeFrame *frame, PyRef node)
{
  const PyModel *model = walk->export->model;
  Str name = py_tree_own_name(&model->tree, node);
  PyRef array =
      name.len > 0 ? module_parts_unchanged(frame->maker->parts, model, frame->maker->class_node, name) : node;
  Str element = array ? example_array_type(model, array, walk->export->sink->arena) : (Str){ 0 };
  if (element.len == 0)
    return (Followed){ 0 };
  ExampleShape example = example_array_shape(model, array);
  Shape shape = { .rank = example.rank > PY_SHAPE_RANK_LIMIT ? -1 : example.rank };
  for (int i = 0; i < shape.rank; i++)
    shape.sizes[i] = example.sizes[i] > PY_DIM_NUMBER_LIMIT ? -1 : example.sizes[i];
  return forward_of_element(forward_tensor(shape), element);
}

/// `*size` of a tuple that is known.
static bool add_sizes(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth, Shape *shape)
{
  Followed sizes = forward_value(walk, frame, node, depth);
  bool is_known = sizes.kind == FOLLOWED_TUPLE && shape->rank + sizes.number <= PY_SHAPE_RANK_LIMIT;
  for (int64_t i = 0; is_known && i < sizes.number; i++) {
    is_known = sizes.items[i].kind == FOLLOWED_INT;
    shape->sizes[shape->rank++] = sizes.items[i].number;
  }
  return is_known;
}

/// `torch.zeros(x.shape[0], 4)`
Followed forward_created(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  Shape shape = { 0 };
  for (uint32_t i = 0; i < call->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (argument->is_splat) {
      if (!add_sizes(walk, frame, py_first_child(&model->tree, argument->node), depth, &shape))
        return (Followed){ 0 };
      continue;
    }
    PyNodeKind kind = py_kind(&model->tree, py_tree_strip(&model->tree, argument->value));
    if (argument->keyword.len > 0 && !str_equal(argument->keyword, STR("size")))
      continue;
    bool is_list = kind == PYK_TUPLE || kind == PYK_LIST;
    if (is_list && shape.rank == 0 && add_sizes(walk, frame, argument->value, depth, &shape))
      break;
    if (argument->keyword.len > 0 || is_list || shape.rank == PY_SHAPE_RANK_LIMIT)
      return forward_example(walk, call->node);
    // One number may be a size, and what is not known a list of them.
    if (!forward_int(walk, frame, argument->value, depth, &shape.sizes[shape.rank++]))
      return (Followed){ 0 };
  }
  return shape.rank == 0
             ? (Followed){ 0 }
             : forward_of_element(forward_tensor(shape), element_made(model, call->node, walk->export->sink->arena));
}

/// `torch.eye(3)` and `torch.eye(n, m)`.
Followed forward_identity(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  const PyArgument *rows = py_model_argument(model, call, 0, "n"), *columns = py_model_argument(model, call, 1, "m");
  Shape shape = { .rank = 2 };
  if (!rows || call->has_splat || !forward_int(walk, frame, rows->value, depth, &shape.sizes[0]) ||
      !forward_int(walk, frame, columns ? columns->value : rows->value, depth, &shape.sizes[1]))
    return (Followed){ 0 };
  Str element = py_model_argument(model, call, PY_ABSENT, "dtype")
                    ? element_made(model, call->node, walk->export->sink->arena)
                    : STR("float32");
  return forward_of_element(forward_tensor(shape), element);
}

/// `torch.arange(x.shape[0])`, `torch.arange(1, n)` and `torch.arange(start=0, end=n)`.
Followed forward_counted(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  uint32_t count = py_model_positional_count(model, call);
  const PyArgument *start = py_model_argument(model, call, count > 1 ? 0 : PY_ABSENT, "start");
  const PyArgument *end = py_model_argument(model, call, count > 1 ? 1 : 0, "end");
  int64_t from = 0, to;
  if (count > 2 || call->has_splat || !end || py_model_argument(model, call, PY_ABSENT, "step") ||
      (start && !forward_int(walk, frame, start->value, depth, &from)) ||
      !forward_int(walk, frame, end->value, depth, &to) || to < from || to - from > PY_DIM_NUMBER_LIMIT)
    return (Followed){ 0 };
  Str element = py_model_argument(model, call, PY_ABSENT, "dtype")
                    ? element_made(model, call->node, walk->export->sink->arena)
                    : STR("int64");
  return forward_of_element(forward_tensor((Shape){ .rank = 1, .sizes = { to - from } }), element);
}

Followed forward_weight_of(const ShapeWalk *walk, const ShapeFrame *frame, PyRef node)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  PyRef layer = py_tree_object(tree, node);
  Str name = layer ? py_tree_own_name(tree, layer) : (Str){ 0 };
  PyRef part = name.len > 0 && str_equal(py_tree_member_name(tree, node), STR("weight"))
                   ? module_parts_unchanged(frame->maker->parts, model, frame->maker->class_node, name)
                   : 0;
  const PyCall *made = py_model_call(model, part);
  bool is_linear = made && str_equal(made->qualified, STR("torch.nn.Linear"));
  if (!is_linear && !(made && str_equal(made->qualified, STR("torch.nn.Embedding"))))
    return (Followed){ 0 };
  int64_t first = module_maker_size(frame->maker, made, 0, is_linear ? "in_features" : "num_embeddings", -1);
  int64_t second = module_maker_size(frame->maker, made, 1, is_linear ? "out_features" : "embedding_dim", -1);
  return forward_tensor((Shape){ .rank = 2, .sizes = { is_linear ? second : first, is_linear ? first : second } });
}

Followed forward_meshgrid(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  const PyArgument *indexing = py_model_argument(model, call, PY_ABSENT, "indexing");
  Followed axes[2];
  Str word = { 0 };
  uint32_t count = 0;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->keyword.len == 0 && count < 2)
      axes[count] = forward_value(walk, frame, argument->value, depth);
    count += argument->keyword.len == 0;
  }
  if (count != 2 || axes[0].kind != FOLLOWED_TENSOR || axes[1].kind != FOLLOWED_TENSOR || axes[0].shape.rank != 1 ||
      axes[1].shape.rank != 1 ||
      (indexing && !py_model_string(model, indexing->value, walk->export->sink->arena, &word)))
    return (Followed){ 0 };
  bool is_turned = str_equal(word, STR("xy"));
  Shape shape = { .rank = 2, .sizes = { axes[is_turned].shape.sizes[0], axes[!is_turned].shape.sizes[0] } };
  Followed *items = ARENA_ARRAY(walk->export->sink->arena, Followed, 2);
  for (int i = 0; i < 2; i++)
    items[i] = forward_of_element(forward_tensor(shape), axes[i].element);
  return (Followed){ .kind = FOLLOWED_TUPLE, .number = 2, .items = items };
}

Followed forward_given_to_unknown(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  for (PY_EACH_ARGUMENT(walk->export->model, argument, call))
    forward_value(walk, frame, argument->value, depth);
  return (Followed){ .kind = FOLLOWED_UNKNOWN };
}
