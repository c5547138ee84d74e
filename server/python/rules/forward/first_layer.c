// Example inputs that a layer of torch.nn can't take, as far as forward() gives them to it unchanged.

#include "python/rules/forward/first_layer.h"

#include "base/limits.h"
#include "python/rules/dynamo/dimension.h"
#include "python/rules/forward/layer_shapes.h"

typedef enum LayerAxis {
  AXIS_LAST,
  AXIS_CHANNELS,  ///< The second one, or the first one of an input without a batch.
  AXIS_SECOND,
  AXIS_NONE,  ///< It takes indices.
} LayerAxis;

typedef struct LayerFact {
  const char *name;
  const char *keyword;  ///< Of the size in the constructor, at `position`.
  uint32_t position;
  LayerAxis axis;
  int dimensions;  ///< Beside batch and channels; 0 for any.
} LayerFact;

static const LayerFact layers[] = {
  { "Linear", "in_features", 0, AXIS_LAST, 0 },
  { "Conv1d", "in_channels", 0, AXIS_CHANNELS, 1 },
  { "Conv2d", "in_channels", 0, AXIS_CHANNELS, 2 },
  { "Conv3d", "in_channels", 0, AXIS_CHANNELS, 3 },
  { "ConvTranspose1d", "in_channels", 0, AXIS_CHANNELS, 1 },
  { "ConvTranspose2d", "in_channels", 0, AXIS_CHANNELS, 2 },
  { "ConvTranspose3d", "in_channels", 0, AXIS_CHANNELS, 3 },
  { "BatchNorm2d", "num_features", 0, AXIS_SECOND, 2 },
  { "BatchNorm3d", "num_features", 0, AXIS_SECOND, 3 },
  { "GroupNorm", "num_channels", 1, AXIS_SECOND, 0 },
  { "LayerNorm", "normalized_shape", 0, AXIS_LAST, 0 },
  { "RNN", "input_size", 0, AXIS_LAST, 0 },
  { "GRU", "input_size", 0, AXIS_LAST, 0 },
  { "LSTM", "input_size", 0, AXIS_LAST, 0 },
  { "Embedding", "num_embeddings", 0, AXIS_NONE, 0 },
};

typedef struct LayerCheck {
  const ExportCall *export;
  const ExportModel *made;
  int *said;        ///< How many mistakes were reported.
  bool *has_fixed;  ///< An axis that is to be dynamic was among them.
} LayerCheck;

/// The size that a layer was made for; -1 if that is not known.
static int64_t size_of_layer(const LayerCheck *check, const PyCall *maker, const LayerFact *fact)
{
  ModuleMaker outer = { .model = check->export->model, .parts = check->export->parts };
  ModuleMaker own = { .model = outer.model,
                      .parts = outer.parts,
                      .call = check->made->made,
                      .class_node = check->made->class_node,
                      .outer = &outer };
  return module_maker_size(&own, maker, fact->position, fact->keyword, -1);
}

static void say(const LayerCheck *check, const ExampleInput *input, Str message)
{
  DiagSink *sink = check->export->sink;
  py_say(sink, RULE_EXPORT_ARGS_COUNT, OWN, input->node, message, NULL);
  (*check->said)++;
}

static int axis_of(const LayerFact *fact, int rank)
{
  if (fact->axis == AXIS_LAST)
    return rank - 1;
  return fact->axis == AXIS_CHANNELS && rank == fact->dimensions + 1 ? 0 : 1;
}

/// An axis that the layer takes one size of, and dynamic_shapes makes dynamic: torch.export refuses that, but for a
/// Dim(), which torch.onnx.export() drops. Run with torch 2.14.
static void check_fixed_axis(const LayerCheck *check, const ExampleInput *input, const LayerFact *fact, int axis,
                             const ExampleShape *shape)
{
  const PyModel *model = check->export->model;
  Arena *arena = check->export->sink->arena;
  PyRef entry =
      export_torch_is_from(check->export->file, 2, 9) ? example_dimension(check->export, input, axis, shape->rank) : 0;
  if (!entry)
    return;
  Dimension dimension = dimension_read(model, entry, arena);
  bool is_dropped = dimension.kind == DIM_NAMED && !check->export->is_capture;
  bool is_refused = dimension.kind == DIM_NAMED || dimension.kind == DIM_STRING ||
                    (dimension.kind == DIM_HINT && str_equal(dimension.name, STR("DYNAMIC")));
  *check->has_fixed |= is_refused;
  Severity severity = is_dropped ? SEVERITY_WARNING : OWN;
  if (is_refused && sink_wants(check->export->sink, RULE_DYNAMIC_SHAPES_DIM, severity))
    py_say(check->export->sink, RULE_DYNAMIC_SHAPES_DIM, severity, entry,
           arena_printf(arena, "torch.nn.%s takes %lld elements on this axis and nothing else, so it %s: leave it out.",
                        fact->name, (long long)shape->sizes[axis],
                        is_dropped ? "stays fixed in the model" : "can't be dynamic"),
           NULL);
}

/// Floats of another type than the weights: such layers don't mix types, and what torch.export lets through on the way
/// to ONNX, onnx refuses. Run with torch 1.13, 2.6 and 2.14.
static bool check_float_type(const LayerCheck *check, const ExampleInput *input, const LayerFact *fact)
{
  const PyModel *model = check->export->model;
  Arena *arena = check->export->sink->arena;
  Str name = str_from(fact->name);
  bool is_strict = check->export->is_capture ? layer_is_strict_when_captured(name) : layer_is_strict(name);
  Str type = is_strict ? example_float_type(model, input->node, arena) : (Str){ 0 };
  Str weights = type.len > 0 ? example_weights_type(check->export, check->made, input->value) : (Str){ 0 };
  if (weights.len == 0 || str_equal(type, weights))
    return false;
  const char *way = str_equal(weights, STR("float32"))   ? ".float()"
                    : str_equal(weights, STR("float16")) ? ".half()"
                    : str_equal(weights, STR("float64")) ? ".double()"
                                                         : ".bfloat16()";
  say(check, input,
      arena_printf(arena,
                   "The example holds %.*s, and forward() gives it to torch.nn.%s, whose weights are %.*s: add %s.",
                   STR_ARG(type), fact->name, STR_ARG(weights), way));
  return true;
}

static void check_sizes(const LayerCheck *check, const ExampleInput *input, const PyCall *maker, const LayerFact *fact)
{
  Arena *arena = check->export->sink->arena;
  ExampleShape shape = example_shape(check->export->model, input->node);
  int64_t wanted = size_of_layer(check, maker, fact);
  if (shape.rank <= 0)
    return;
  bool is_unbatched = fact->axis == AXIS_CHANNELS && shape.rank == fact->dimensions + 1;
  if (fact->dimensions > 0 && shape.rank != fact->dimensions + 2 && !is_unbatched) {
    say(check, input,
        arena_printf(arena, "The example has %d ax%s, and forward() gives it to torch.nn.%s, which takes %d.",
                     shape.rank, shape.rank == 1 ? "is" : "es", fact->name, fact->dimensions + 2));
    return;
  }
  int axis = axis_of(fact, shape.rank);
  int64_t given = axis < shape.rank ? shape.sizes[axis] : -1;
  if (wanted > 0 && given >= 0 && given != wanted)
    say(check, input,
        arena_printf(arena,
                     "The example has size %lld on axis %d, and forward() gives it to torch.nn.%s, which takes %lld.",
                     (long long)given, axis, fact->name, (long long)wanted));
  else if (wanted > 0 && given == wanted && check->export->kind == EXPORT_DYNAMO)
    check_fixed_axis(check, input, fact, axis, &shape);
}

/// Made by one of `makers`, as it is written there, so that nothing makes other numbers of it: with one of the element
/// types `types`, or, if these are NULL, with none.
static bool is_made_by(const PyModel *model, PyRef node, const char *const *makers, size_t count,
                       const char *const *types, size_t type_count)
{
  const PyCall *call = py_model_call(model, py_model_resolve(model, node));
  const PyArgument *type = call ? py_model_argument(model, call, PY_ABSENT, "dtype") : NULL;
  if (!call || !str_is_one_of(call->qualified, makers, count) || call->has_dictionary_splat ||
      (type != NULL) != (types != NULL))
    return false;
  Arena arena = { 0 };
  bool is_so = !type || str_is_one_of(py_model_qualified(model, type->value, &arena), types, type_count);
  arena_done(&arena);
  return is_so;
}

static const char *const filled[] = { "torch.randn", "torch.rand", "torch.zeros", "torch.ones", "torch.empty" };

/// `torch.randn(2, 7)`
static bool is_of_floats(const PyModel *model, PyRef node)
{
  return is_made_by(model, node, filled, COUNT(filled), NULL, 0);
}

/// `torch.randint(0, 10, (2, 7))`, `torch.zeros(2, 7, dtype=torch.uint8)`
static bool is_of_ints(const PyModel *model, PyRef node)
{
  static const char *const makers[] = { "torch.randint" };
  static const char *const types[] = { "torch.uint8", "torch.int8",  "torch.int16", "torch.short", "torch.int32",
                                       "torch.int",   "torch.int64", "torch.long",  "torch.bool" };
  return is_made_by(model, node, makers, COUNT(makers), NULL, 0) ||
         is_made_by(model, node, makers, COUNT(makers), types, COUNT(types)) ||
         is_made_by(model, node, filled, COUNT(filled), types, COUNT(types));
}

/// The number that `torch.full((1, 8), 7)` holds, and the least of `torch.randint(5, 10, (1, 8))`, whose largest one
/// nobody knows; -1.
static int64_t filled_index(const PyModel *model, const PyCall *call)
{
  const PyArgument *fill =
      call && str_equal(call->qualified, STR("torch.full")) ? py_model_argument(model, call, 1, "fill_value") : NULL;
  if (call && str_equal(call->qualified, STR("torch.randint")) && py_model_positional_count(model, call) == 3)
    fill = py_model_argument(model, call, 0, "low");
  int64_t value;
  return fill && !call->has_splat && py_model_int(model, fill->value, &value) ? value : -1;
}

/// The largest number in `torch.tensor([[1, 7]])`; -1 for what is not written out.
static int64_t largest_index(const PyModel *model, PyRef node)
{
  static const char *const makers[] = { "torch.tensor", "torch.LongTensor" };
  const PyCall *call = py_model_call(model, export_resolve(model, node));
  if (filled_index(model, call) >= 0)
    return filled_index(model, call);
  const PyArgument *data =
      call && str_is_one_of(call->qualified, makers, COUNT(makers)) ? py_model_argument(model, call, 0, "data") : NULL;
  int64_t largest = -1, value;
  for (PyRef at = data ? data->value : 0; at && at < model->tree.nodes[data->value].next; at++) {
    PyNodeKind kind = py_kind(&model->tree, at);
    if (kind != PYK_INTEGER && kind != PYK_LIST && kind != PYK_TUPLE)
      return -1;
    if (kind == PYK_INTEGER && py_model_int(model, at, &value) && value > largest)
      largest = value;
  }
  return largest;
}

/// The TorchScript exporter looks up the rows; torch.export does not.
static void check_indices(const LayerCheck *check, const ExampleInput *input, int64_t largest, int64_t rows)
{
  if (largest >= rows && check->export->kind == EXPORT_TRACES)
    say(check, input,
        arena_printf(check->export->sink->arena,
                     "The example holds %lld, and forward() gives it to torch.nn.Embedding, whose last index is %lld.",
                     (long long)largest, (long long)rows - 1));
}

/// `layer` makes it: one of torch.nn, or torch.nn.Sequential() of several, of which the first takes the input.
static void check_layer(const LayerCheck *check, const ExampleInput *input, PyRef layer)
{
  static const char *const passing[] = { "ReLU", "GELU", "SiLU", "Sigmoid", "Tanh", "Dropout", "Identity" };
  const PyModel *model = check->export->model;
  const PyCall *maker = py_model_call(model, layer);
  if (maker && str_equal(maker->qualified, STR("torch.nn.Sequential")) && !maker->has_splat) {
    uint32_t i = 0;
    const PyCall *part = NULL;
    for (; i < maker->argument_count; i++) {
      part = py_model_call(model, py_model_resolve(model, py_model_arguments(model, maker)[i].value));
      if (!part || !str_is_one_of(layer_name(part), passing, COUNT(passing)))
        break;
    }
    maker = i < maker->argument_count ? part : NULL;
  }
  for (size_t i = 0; maker && i < COUNT(layers); i++) {
    if (!str_equal(layer_name(maker), str_from(layers[i].name)))
      continue;
    if (layers[i].axis != AXIS_NONE && is_of_ints(model, input->node))
      say(check, input,
          arena_printf(check->export->sink->arena,
                       "The example holds ints, and forward() gives it to torch.nn.%s, which takes floats.",
                       layers[i].name));
    else if (layers[i].axis != AXIS_NONE && !check_float_type(check, input, &layers[i]))
      check_sizes(check, input, maker, &layers[i]);
    else if (layers[i].axis == AXIS_NONE && largest_index(model, input->node) >= 0 &&
             size_of_layer(check, maker, &layers[i]) > 0)
      check_indices(check, input, largest_index(model, input->node), size_of_layer(check, maker, &layers[i]));
    else if (layers[i].axis == AXIS_NONE && is_of_floats(model, input->node))
      say(check, input,
          STR("The example holds floats, and forward() gives it to torch.nn.Embedding, which takes indices: make it with "
              "torch.randint(), or give it dtype=torch.long."));
  }
}

// --- forward() ---

/// Whether the name is a parameter of forward() there, and still what the caller gave.
static bool is_still_input(const PyModel *model, uint32_t function, PyRef name, PyRef statement)
{
  uint32_t at = py_model_lookup(model, function, py_text(&model->tree, name));
  if (at == PY_ABSENT || model->bindings.items[at].scope != function || model->bindings.items[at].kind != PY_BIND_PARAM)
    return false;
  for (at = model->bindings.items[at].next; at != PY_ABSENT; at = model->bindings.items[at].next) {
    if (model->bindings.items[at].node < statement)
      return false;
  }
  return true;
}

/// Whether the statement surely runs the call: no operand that is left out, no function of its own.
static bool is_surely_run(const PyTree *tree, PyRef call, PyRef statement)
{
  int depth = 0;
  for (PyRef at = tree->nodes[call].parent; at != statement && depth < PY_NESTING_LIMIT; depth++) {
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_CONDITIONAL_EXPRESSION || kind == PYK_BOOLEAN_OPERATOR || kind == PYK_LAMBDA ||
        kind == PYK_LIST_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION || kind == PYK_DICTIONARY_COMPREHENSION ||
        kind == PYK_SET_COMPREHENSION)
      return false;
    at = tree->nodes[at].parent;
  }
  return depth < PY_NESTING_LIMIT;
}

/// `self.layer(x)` with an input as it is.
static void check_call(const LayerCheck *check, const PyCall *call, PyRef statement)
{
  const PyModel *model = check->export->model;
  const PyTree *tree = &model->tree;
  PyRef function = call->function_node;
  PyRef object = py_tree_object(tree, function);
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  const PyFunction *forward = &model->functions.items[check->made->forward];
  if (!object || !first || py_kind(tree, first->value) != PYK_IDENTIFIER || forward->param_count == 0 ||
      !str_equal(py_text(tree, object), py_model_params(model, forward)->name) ||
      !is_still_input(model, check->made->forward, first->value, statement) ||
      !is_surely_run(tree, call->node, statement))
    return;
  const ExampleInput *input = example_input_named(check->export->inputs, py_text(tree, first->value));
  if (input && input->value && !input->is_rest)
    check_layer(check, input,
                module_parts_unchanged(check->export->parts, model, check->made->class_node,
                                       py_tree_member_name(tree, function)));
}

static void check_forward(const LayerCheck *check)
{
  const PyModel *model = check->export->model;
  const PyTree *tree = &model->tree;
  PyRef body = model->functions.items[check->made->forward].body;
  for (PyRef statement = body ? py_first_child(tree, body) : 0; statement;
       statement = py_next_sibling(tree, statement)) {
    PyNodeKind kind = py_kind(tree, statement);
    bool is_simple = kind == PYK_EXPRESSION_STATEMENT || kind == PYK_RETURN_STATEMENT;
    for (PyRef node = statement; is_simple && node < tree->nodes[statement].next; node++) {
      const PyCall *call = py_model_call(model, node);
      if (call)
        check_call(check, call, statement);
    }
    if (py_tree_may_leave(tree, statement))
      return;
  }
}

bool first_layer_check(const ExportCall *export, const ExportModel *made, bool *ret_has_fixed)
{
  int said = 0;
  *ret_has_fixed = false;
  PyRef args = export_value(export, "args");
  if (!made->made || export->is_exported_program)
    return false;
  if (made->forward != PY_ABSENT && export->inputs->is_known) {
    LayerCheck check = { export, made, &said, ret_has_fixed };
    check_forward(&check);
  } else if (args && made->torch_class.len > 0) {
    const PyTree *tree = &export->model->tree;
    bool is_tuple = py_kind(tree, args) == PYK_TUPLE;
    PyRef first = is_tuple ? py_tree_first_element(tree, args) : export_argument(export, "args")->value;
    LayerCheck check = { export, made, &said, ret_has_fixed };
    ExampleInput input = { .name = STR("input"), .node = first, .value = first };
    if (first && export_is_tensor(export->model, first))
      check_layer(&check, &input, made->node);
  }
  return said > 0;
}
