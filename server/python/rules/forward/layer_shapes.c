// What a layer of torch.nn gives of the sizes that it gets.

#include "python/rules/forward/layer_moves.h"
#include "python/rules/forward/tensor_makers.h"

bool layer_keeps_shape(Str name)
{
  static const char *const layers[] = {
    "AlphaDropout", "CELU",           "Dropout",        "Dropout1d",      "Dropout2d", "Dropout3d",
    "ELU",          "GELU",           "Hardshrink",     "Hardsigmoid",    "Hardswish", "Hardtanh",
    "Identity",     "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LeakyReLU", "LocalResponseNorm",
    "LogSigmoid",   "LogSoftmax",     "Mish",           "PReLU",          "RReLU",     "ReLU",
    "ReLU6",        "SELU",           "SiLU",           "Sigmoid",        "Softmax",   "Softmax2d",
    "Softmin",      "Softplus",       "Softshrink",     "Softsign",       "Tanh",      "Tanhshrink",
    "Threshold",
  };
  return str_is_one_of(name, layers, COUNT(layers)) || tensor_maker_keeps_sizes(name);
}

Str layer_name(const PyCall *call)
{
  Str prefix = STR("torch.nn.");
  return str_starts_with(call->qualified, prefix) ? str_slice(call->qualified, prefix.len, call->qualified.len)
                                                  : (Str){ 0 };
}

/// 2 of "Conv2d"; 0 of other names.
static int dimensions_of(Str name)
{
  char last = name.len > 2 && name.data[name.len - 1] == 'd' ? name.data[name.len - 2] : '0';
  return last >= '1' && last <= '3' ? last - '0' : 0;
}

static Str refusal(const PyCall *call, const Shape *given, const char *what, int64_t wanted, Arena *arena)
{
  return arena_printf(arena, "gives %.*s, which takes %lld %s, a tensor of shape %.*s", STR_ARG(call->qualified),
                      (long long)wanted, what, STR_ARG(shape_text(given, arena)));
}

static Str window_refusal(const PyCall *call, const Shape *given, Arena *arena)
{
  return arena_printf(arena, "gives %.*s a tensor of shape %.*s, which is smaller than its window",
                      STR_ARG(call->qualified), STR_ARG(shape_text(given, arena)));
}

/// Where the channels are; -1 for a tensor of another rank, which a convolution refuses.
static int channel_axis(const Shape *given, int dimensions)
{
  return given->rank == dimensions + 2 ? 1 : given->rank == dimensions + 1 ? 0 : -1;
}

static Shape convolution(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  Str name = layer_name(call);
  int dimensions = dimensions_of(name);
  bool is_back = str_starts_with(name, STR("ConvTranspose"));
  int axis = channel_axis(given, dimensions);
  int64_t wanted = module_maker_size(maker, call, 0, "in_channels", -1);
  if (axis < 0 || (wanted > 0 && given->sizes[axis] >= 0 && given->sizes[axis] != wanted)) {
    *ret_why = axis < 0 ? refusal(call, given, "axes", dimensions + 2, arena)
                        : refusal(call, given, "channels", wanted, arena);
    return shape_unknown();
  }
  Shape made = *given;
  made.sizes[axis] = module_maker_size(maker, call, 1, "out_channels", -1);
  for (int i = 0; i < dimensions; i++) {
    ShapeWindow window = { module_maker_size_at(maker, call, 2, "kernel_size", i, -1),
                           module_maker_size_at(maker, call, 3, "stride", i, 1),
                           module_maker_size_at(maker, call, 4, "padding", i, 0),
                           module_maker_size_at(maker, call, is_back ? 8 : 5, "dilation", i, 1) };
    int64_t *size = &made.sizes[axis + 1 + i];
    int64_t added = is_back ? module_maker_size_at(maker, call, 5, "output_padding", i, 0) : 0;
    if (added > 0 && window.stride > 0 && window.dilation > 0 && added >= window.stride && added >= window.dilation)
      *ret_why = arena_printf(arena, "gives %.*s an output_padding of %lld, which has to be smaller than its stride",
                              STR_ARG(call->qualified), (long long)added);
    if (!is_back && shape_window_is_too_large(*size, &window))
      *ret_why = window_refusal(call, given, arena);
    *size = is_back ? shape_window_back(*size, &window, added) : shape_window(*size, &window);
  }
  return made;
}

static Shape pooling(const ModuleMaker *maker, const PyCall *call, Str name, const Shape *given, bool is_function,
                     bool *ret_is_too_large)
{
  int dimensions = dimensions_of(name);
  uint32_t first = is_function ? 1 : 0;
  int axis = channel_axis(given, dimensions);
  if (axis < 0 || py_model_argument(maker->model, call, PY_ABSENT, "return_indices"))
    return shape_unknown();
  bool is_adaptive = str_starts_with(name, STR("Adaptive")) || str_starts_with(name, STR("adaptive"));
  bool is_average = str_starts_with(name, STR("Avg")) || str_starts_with(name, STR("avg"));
  bool rounds_up = py_model_argument(maker->model, call, first + (is_average ? 3 : 4), "ceil_mode");
  Shape made = *given;
  for (int i = 0; i < dimensions; i++) {
    int64_t kernel = module_maker_size_at(maker, call, first, is_adaptive ? "output_size" : "kernel_size", i, -1);
    ShapeWindow window = { kernel, module_maker_size_at(maker, call, first + 1, "stride", i, kernel),
                           module_maker_size_at(maker, call, first + 2, "padding", i, 0),
                           is_average ? 1 : module_maker_size_at(maker, call, first + 3, "dilation", i, 1) };
    int64_t *size = &made.sizes[axis + 1 + i];
    *ret_is_too_large |= !is_adaptive && !rounds_up && shape_window_is_too_large(*size, &window);
    *size = is_adaptive ? kernel : rounds_up ? -1 : shape_window(*size, &window);
  }
  return made;
}

Shape layer_pool_shape(const ModuleMaker *maker, const PyCall *call, Str name, const Shape *given, Arena *arena,
                       Str *ret_why)
{
  bool is_too_large = false;
  Shape made = pooling(maker, call, name, given, true, &is_too_large);
  if (is_too_large)
    *ret_why = window_refusal(call, given, arena);
  return made;
}

static Shape pool(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  Str name = layer_name(call);
  bool is_too_large = false;
  Shape made = str_starts_with(name, STR("LP")) || str_starts_with(name, STR("Fractional"))
                   ? shape_unknown()
                   : pooling(maker, call, name, given, false, &is_too_large);
  if (is_too_large)
    *ret_why = window_refusal(call, given, arena);
  return made;
}

static Shape linear(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  int64_t wanted = module_maker_size(maker, call, 0, "in_features", -1);
  int last = given->rank - 1;
  if (last < 0)
    return shape_unknown();
  if (wanted > 0 && given->sizes[last] >= 0 && given->sizes[last] != wanted) {
    *ret_why = refusal(call, given, "features on the last axis", wanted, arena);
    return shape_unknown();
  }
  Shape made = *given;
  made.sizes[last] = module_maker_size(maker, call, 1, "out_features", -1);
  return made;
}

/// `LayerNorm([4, 8, 8])`, whose sizes are those of the last axes; false for others.
static bool norm_of_list(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  const PyTree *tree = &maker->model->tree;
  const PyArgument *sizes = py_model_argument(maker->model, call, 0, "normalized_shape");
  PyRef list = sizes ? py_tree_strip(tree, sizes->value) : 0;
  if (!list || (py_kind(tree, list) != PYK_LIST && py_kind(tree, list) != PYK_TUPLE))
    return false;
  int count = 0;
  for (PY_EACH_ELEMENT(tree, item, list))
    count++;
  int axis = given->rank - count;
  for (PyRef item = py_tree_first_element(tree, list); item && axis >= 0; item = py_tree_next_element(tree, item)) {
    int64_t wanted;
    if (module_maker_int(maker, item, &wanted) && given->sizes[axis] >= 0 && given->sizes[axis] != wanted &&
        ret_why->len == 0)
      *ret_why = refusal(call, given, arena_printf(arena, "elements on axis %d", axis).data, wanted, arena);
    axis++;
  }
  return true;
}

/// Layers that give what they get, and know the size of one axis.
static Shape norm(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  Str name = layer_name(call);
  bool is_last = str_equal(name, STR("LayerNorm")), is_group = str_equal(name, STR("GroupNorm"));
  if (is_last && norm_of_list(maker, call, given, arena, ret_why))
    return *given;
  int axis = is_last ? given->rank - 1 : 1;
  int dimensions = dimensions_of(name);
  bool is_rank = dimensions == 0 || given->rank == dimensions + 2 || (dimensions == 1 && given->rank == 2);
  if (!is_rank)
    *ret_why = refusal(call, given, "axes", dimensions + 2, arena);
  int64_t wanted = is_last    ? module_maker_size(maker, call, 0, "normalized_shape", -1)
                   : is_group ? module_maker_size(maker, call, 1, "num_channels", -1)
                              : module_maker_size(maker, call, 0, "num_features", -1);
  if (axis >= 0 && axis < given->rank && wanted > 0 && given->sizes[axis] >= 0 && given->sizes[axis] != wanted)
    *ret_why = refusal(call, given, is_last ? "features on the last axis" : "channels", wanted, arena);
  return *given;
}

/// PReLU has one slope for all, or one for each channel.
static Shape rectifier(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  int64_t wanted = module_maker_size(maker, call, 0, "num_parameters", 1);
  int64_t channels = given->rank > 1 ? given->sizes[1] : 1;
  if (wanted > 1 && channels >= 0 && channels != wanted)
    *ret_why = refusal(call, given, "channels", wanted, arena);
  return *given;
}

static Shape flatten_layer(const ModuleMaker *maker, const PyCall *call, const Shape *given)
{
  int64_t start = 1, end = -1;
  const PyArgument *first = py_model_argument(maker->model, call, 0, "start_dim");
  const PyArgument *last = py_model_argument(maker->model, call, 1, "end_dim");
  if ((first && !module_maker_int(maker, first->value, &start)) ||
      (last && !module_maker_int(maker, last->value, &end)))
    return shape_unknown();
  return shape_flatten(given, start, end);
}

static Shape embedding(const ModuleMaker *maker, const PyCall *call, const Shape *given)
{
  Shape made = *given;
  if (made.rank < 0 || made.rank == PY_SHAPE_RANK_LIMIT)
    return shape_unknown();
  made.sizes[made.rank++] = module_maker_size(maker, call, 1, "embedding_dim", -1);
  return made;
}

/// GRUCell, LSTMCell and RNNCell: one step.
static Shape cell(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  int64_t wanted = module_maker_size(maker, call, 0, "input_size", -1);
  int last = given->rank - 1;
  Shape made = *given;
  if (last < 0)
    return shape_unknown();
  if (wanted > 0 && given->sizes[last] >= 0 && given->sizes[last] != wanted)
    *ret_why = refusal(call, given, "features on the last axis", wanted, arena);
  made.sizes[last] = module_maker_size(maker, call, 1, "hidden_size", -1);
  return made;
}

/// Layers of attention give what they get, and know how many features that has.
static Shape attending(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  bool is_layer = !str_equal(layer_name(call), STR("MultiheadAttention"));
  int64_t wanted = module_maker_size(maker, call, 0, is_layer ? "d_model" : "embed_dim", -1);
  int last = given->rank - 1;
  if (last >= 0 && wanted > 0 && given->sizes[last] >= 0 && given->sizes[last] != wanted)
    *ret_why = refusal(call, given, "features on the last axis", wanted, arena);
  if (given->rank < 2 || given->rank > 3)
    *ret_why = refusal(call, given, "axes", 3, arena);
  return *given;
}

bool layer_is_strict(Str name)
{
  static const char *const names[] = { "Linear", "RNN", "GRU", "LSTM", "RNNCell", "GRUCell", "LSTMCell" };
  return str_is_one_of(name, names, COUNT(names)) || (str_starts_with(name, STR("Conv")) && dimensions_of(name) > 0);
}

bool layer_is_strict_when_captured(Str name)
{
  static const char *const mixing[] = { "Linear", "RNNCell", "GRUCell", "LSTMCell" };
  return layer_is_strict(name) && !str_is_one_of(name, mixing, COUNT(mixing)) &&
         !str_starts_with(name, STR("ConvTranspose"));
}

bool layer_is_recurrent(Str name)
{
  static const char *const names[] = { "RNN", "GRU", "LSTM" };
  return str_is_one_of(name, names, COUNT(names));
}

bool layer_takes_others(Str name)
{
  return layer_is_recurrent(name) || str_equal(name, STR("MultiheadAttention"));
}

/// 1 or 2; 0 if it is not known.
static int directions(const ModuleMaker *maker, const PyCall *call)
{
  enum { MOST_BY_POSITION = 3 };  // What comes after them differs.
  const PyModel *model = maker->model;
  const PyArgument *both = py_model_argument(model, call, PY_ABSENT, "bidirectional");
  PyNodeKind kind = both ? py_kind(&model->tree, py_model_resolve(model, both->value)) : PYK_FALSE;
  bool is_known = !call->has_dictionary_splat && !py_model_argument(model, call, MOST_BY_POSITION, NULL) &&
                  !py_model_argument(model, call, PY_ABSENT, "proj_size");
  return !is_known ? 0 : kind == PYK_TRUE ? 2 : kind == PYK_FALSE ? 1 : 0;
}

int64_t layer_state_count(const ModuleMaker *maker, const PyCall *call)
{
  int64_t layers = module_maker_size(maker, call, 2, "num_layers", 1);
  int count = directions(maker, call);
  return layers > 0 && count > 0 ? layers * count : -1;
}

int layer_batch_axis(const ModuleMaker *maker, const PyCall *call)
{
  const PyArgument *first = py_model_argument(maker->model, call, PY_ABSENT, "batch_first");
  PyNodeKind kind = first ? py_kind(&maker->model->tree, py_model_resolve(maker->model, first->value)) : PYK_FALSE;
  return directions(maker, call) == 0 ? -1 : kind == PYK_TRUE ? 0 : kind == PYK_FALSE ? 1 : -1;
}

/// The first of what a recurrent layer gives.
static Shape recurrent(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  int64_t wanted = module_maker_size(maker, call, 0, "input_size", -1);
  int64_t hidden = module_maker_size(maker, call, 1, "hidden_size", -1);
  int count = directions(maker, call);
  int last = given->rank - 1;
  if (last < 1)
    return shape_unknown();
  if (wanted > 0 && given->sizes[last] >= 0 && given->sizes[last] != wanted)
    *ret_why = refusal(call, given, "features on the last axis", wanted, arena);
  Shape made = *given;
  made.sizes[last] = hidden > 0 && count > 0 ? hidden * count : -1;
  return made;
}

/// `nn.Conv2d(3, 8, 3, stride=2, padding="same")`
static bool is_strided_same(const ModuleMaker *maker, const PyCall *call, Arena *arena)
{
  const PyArgument *padding = py_model_argument(maker->model, call, 4, "padding");
  PyRef written = padding ? module_maker_written(maker, padding->value) : 0;
  Str text;
  bool is_same = written && py_model_string(maker->model, written, arena, &text) && str_equal(text, STR("same"));
  for (int i = 0; is_same && i < dimensions_of(layer_name(call)); i++) {
    if (module_maker_size_at(maker, call, 3, "stride", i, 1) > 1)
      return true;
  }
  return false;
}

Str layer_made_refusal(const ModuleMaker *maker, const PyCall *call, Arena *arena)
{
  enum { GROUPS_AT = 6 };
  Str name = layer_name(call);
  bool is_group = str_equal(name, STR("GroupNorm")), is_attention = str_equal(name, STR("MultiheadAttention"));
  bool is_convolution = str_starts_with(name, STR("Conv")) && dimensions_of(name) > 0;
  bool is_block = str_starts_with(name, STR("Transformer")) && str_ends_with(name, STR("Layer"));
  bool has_heads = is_attention || is_block;
  if (is_convolution && is_strided_same(maker, call, arena))
    return arena_printf(arena, "runs torch.nn.%.*s with padding=\"same\" and a stride, which torch refuses",
                        STR_ARG(name));
  int64_t parts = is_group         ? module_maker_size(maker, call, 0, "num_groups", -1)
                  : is_attention   ? module_maker_size(maker, call, 1, "num_heads", -1)
                  : is_block       ? module_maker_size(maker, call, 1, "nhead", -1)
                  : is_convolution ? module_maker_size(maker, call, GROUPS_AT, "groups", 1)
                                   : -1;
  int64_t all = is_group       ? module_maker_size(maker, call, 1, "num_channels", -1)
                : is_attention ? module_maker_size(maker, call, 0, "embed_dim", -1)
                : is_block     ? module_maker_size(maker, call, 0, "d_model", -1)
                               : module_maker_size(maker, call, 0, "in_channels", -1);
  int64_t out = is_convolution ? module_maker_size(maker, call, 1, "out_channels", -1) : -1;
  int64_t wrong = all > 0 && parts > 1 && all % parts != 0 ? all : out > 0 && parts > 1 && out % parts != 0 ? out : -1;
  return wrong < 0 ? (Str){ 0 }
                   : arena_printf(arena, "runs torch.nn.%.*s of %lld %s, which do not divide into %lld %s",
                                  STR_ARG(name), (long long)wrong, has_heads ? "features" : "channels",
                                  (long long)parts, has_heads ? "heads" : "groups");
}

Shape layer_shape(const ModuleMaker *maker, const PyCall *call, const Shape *given, Arena *arena, Str *ret_why)
{
  static const char *const norms[] = { "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LayerNorm" };
  Str name = layer_name(call);
  if (given->rank < 0 || name.len == 0)
    return shape_unknown();
  if (str_starts_with(name, STR("InstanceNorm")) && given->rank != dimensions_of(name) + 1 &&
      given->rank != dimensions_of(name) + 2)
    *ret_why = refusal(call, given, "axes", dimensions_of(name) + 2, arena);
  if (layer_keeps_shape(name) && !str_equal(name, STR("PReLU")))
    return *given;
  if (str_equal(name, STR("Linear")))
    return linear(maker, call, given, arena, ret_why);
  if (layer_is_recurrent(name))
    return recurrent(maker, call, given, arena, ret_why);
  if (str_starts_with(name, STR("Conv")) && dimensions_of(name) > 0)
    return convolution(maker, call, given, arena, ret_why);
  if (str_is_one_of(name, norms, COUNT(norms)))
    return norm(maker, call, given, arena, ret_why);
  if (str_ends_with(name, STR("Pool1d")) || str_ends_with(name, STR("Pool2d")) || str_ends_with(name, STR("Pool3d")))
    return pool(maker, call, given, arena, ret_why);
  if (str_equal(name, STR("Flatten")))
    return flatten_layer(maker, call, given);
  if (str_equal(name, STR("Embedding")))
    return embedding(maker, call, given);
  if (str_equal(name, STR("EmbeddingBag")) && given->rank == 2)
    return (Shape){ .rank = 2, .sizes = { given->sizes[0], module_maker_size(maker, call, 1, "embedding_dim", -1) } };
  if (str_equal(name, STR("PReLU")))
    return rectifier(maker, call, given, arena, ret_why);
  if (str_ends_with(name, STR("Cell")))
    return cell(maker, call, given, arena, ret_why);
  if (str_equal(name, STR("TransformerEncoder")))
    return *given;
  if (str_equal(name, STR("MultiheadAttention")) || str_equal(name, STR("TransformerEncoderLayer")))
    return attending(maker, call, given, arena, ret_why);
  Shape moved;
  return layer_moved(maker, call, given, arena, &moved, ret_why) ? moved : shape_unknown();
}

Str layer_traced_refusal(Str name, const Shape *given, const Shape *made, Arena *arena)
{
  bool is_adaptive = str_starts_with(name, STR("Adaptive")) || str_starts_with(name, STR("adaptive"));
  int first = given->rank - dimensions_of(name);
  bool is_one = true;
  int refused = -1;
  if (!is_adaptive || given->rank < 0 || made->rank != given->rank || first < 0)
    return (Str){ 0 };
  for (int i = first; i < given->rank; i++) {
    if (given->sizes[i] <= 0 || made->sizes[i] <= 0)
      return (Str){ 0 };
    is_one &= made->sizes[i] == 1;
    refused = given->sizes[i] % made->sizes[i] != 0 ? i : refused;
  }
  return refused < 0 || is_one
             ? (Str){ 0 }
             : arena_printf(arena,
                            "pools %lld elements into %lld, and the TorchScript exporter takes only sizes that the "
                            "latter divides",
                            (long long)given->sizes[refused], (long long)made->sizes[refused]);
}

Str layer_open_refusal(Str name, const Shape *given, const Shape *made, int64_t open, Arena *arena)
{
  int first = given->rank - dimensions_of(name);
  int64_t wanted = 1;
  bool is_open = false;
  bool is_adaptive = str_starts_with(name, STR("Adaptive")) || str_starts_with(name, STR("adaptive"));
  if (!is_adaptive || given->rank < 0 || made->rank != given->rank || first < 0)
    return (Str){ 0 };
  for (int i = first; i < given->rank; i++) {
    if (made->sizes[i] <= 0)
      return (Str){ 0 };
    is_open |= given->sizes[i] >= open;
    wanted = made->sizes[i] != 1 ? made->sizes[i] : wanted;
  }
  return !is_open || wanted == 1
             ? (Str){ 0 }
             : arena_printf(arena,
                            "pools an axis that dynamic_axes leaves open into %lld elements, and the TorchScript "
                            "exporter has to know its size",
                            (long long)wanted);
}
