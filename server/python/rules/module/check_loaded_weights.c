// Weights that load_state_dict() is given, where the file shows what saved them. Run with torch 1.13, 2.6 and 2.14.

#include "base/limits.h"
#include "python/rules/module/module_maker.h"
#include "python/rules/module/saved_weights.h"
#include "python/rules/trace/traced_weights.h"

typedef struct Loading {
  DiagSink *sink;
  const PyModel *model;
  const ModuleParts *parts;
  PyRef place;  ///< The weights, at the call.
  bool is_strict;
  int steps;
} Loading;

static void say(const Loading *loading, Str message)
{
  py_say(loading->sink, RULE_LOADED_WEIGHTS, OWN, loading->place, message, NULL);
}

// --- What the layers of a class are made with ---

/// Arguments of layers of torch.nn that say how large their weights are, by position.
static const char *const *sizes_of_layer(Str name)
{
  static const struct {
    const char *layer, *sizes[4];
  } layers[] = {
    { "Linear", { "in_features", "out_features" } },
    { "Conv1d", { "in_channels", "out_channels", "kernel_size" } },
    { "Conv2d", { "in_channels", "out_channels", "kernel_size" } },
    { "Conv3d", { "in_channels", "out_channels", "kernel_size" } },
    { "ConvTranspose1d", { "in_channels", "out_channels", "kernel_size" } },
    { "ConvTranspose2d", { "in_channels", "out_channels", "kernel_size" } },
    { "ConvTranspose3d", { "in_channels", "out_channels", "kernel_size" } },
    { "Embedding", { "num_embeddings", "embedding_dim" } },
    { "BatchNorm1d", { "num_features" } },
    { "BatchNorm2d", { "num_features" } },
    { "BatchNorm3d", { "num_features" } },
    { "LayerNorm", { "normalized_shape" } },
    { "LSTM", { "input_size", "hidden_size", "num_layers" } },
    { "GRU", { "input_size", "hidden_size", "num_layers" } },
    { "RNN", { "input_size", "hidden_size", "num_layers" } },
  };
  Str package = STR("torch.nn.");
  for (size_t i = 0; str_starts_with(name, package) && i < COUNT(layers); i++) {
    if (str_equal(str_slice(name, package.len, name.len), str_from(layers[i].layer)))
      return layers[i].sizes;
  }
  return NULL;
}

/// Two objects of one class, or two calls of one layer, each with the numbers that it is made with.
typedef struct Pair {
  const ModuleMaker *here, *saved;
} Pair;

static bool differ_in_layer(const Loading *loading, Pair makers, const PyCall *layer, Str name)
{
  const char *const *sizes = sizes_of_layer(layer->qualified);
  for (uint32_t i = 0; sizes && sizes[i]; i++) {
    int64_t here = module_maker_size(makers.here, layer, i, sizes[i], -1);
    int64_t saved = module_maker_size(makers.saved, layer, i, sizes[i], -1);
    if (here < 0 || saved < 0 || here == saved)
      continue;
    say(loading, arena_printf(loading->sink->arena,
                              "'%.*s' has other sizes than what was saved: its %s is %lld in this model, and was %lld.",
                              STR_ARG(name), sizes[i], (long long)here, (long long)saved));
    return true;
  }
  return false;
}

static bool differ(Loading *loading, Pair makers, PyRef value, Str name, int depth);

/// Whether the constructor of the class runs the statement with that node whatever it is given.
static bool is_always_made(const PyModel *model, PyRef class_node, PyRef node)
{
  uint32_t init = export_method_named(model, class_node, STR("__init__"));
  PyRef block = 0;
  PyRef statement = py_tree_statement(&model->tree, node, &block);
  return init != PY_ABSENT && statement && block == model->functions.items[init].body;
}

/// Two objects of one class of the file.
static bool differ_in_class(Loading *loading, Pair makers, PyRef class_node, Str prefix, int depth)
{
  const ModuleParts *parts = loading->parts;
  for (size_t i = 0; i < parts->count && loading->steps-- > 0; i++) {
    const ModulePart *part = &parts->items[i];
    if (part->class_node != class_node || !part->value || !is_always_made(loading->model, class_node, part->value))
      continue;
    Str name = prefix.len == 0 ? part->name
                               : arena_printf(loading->sink->arena, "%.*s.%.*s", STR_ARG(prefix), STR_ARG(part->name));
    if (differ(loading, makers, part->value, name, depth))
      return true;
  }
  return false;
}

static bool differ(Loading *loading, Pair makers, PyRef value, Str name, int depth)
{
  const PyModel *model = loading->model;
  const PyCall *call = py_model_call(model, value);
  if (!call || depth == 0 || loading->steps-- <= 0 || call->has_splat || call->has_dictionary_splat)
    return false;
  if (sizes_of_layer(call->qualified))
    return differ_in_layer(loading, makers, call, name);
  if (str_equal(call->qualified, STR("torch.nn.Sequential"))) {
    int at = 0;
    for (PY_EACH_ARGUMENT(model, argument, call)) {
      Str inner = arena_printf(loading->sink->arena, "%.*s.%d", STR_ARG(name), at++);
      if (differ(loading, makers, argument->value, inner, depth - 1))
        return true;
    }
    return false;
  }
  PyRef class_node = export_class_made(model, call);
  ModuleMaker here = { .model = model, .parts = loading->parts, .call = call, .class_node = class_node };
  ModuleMaker saved = here;
  here.outer = makers.here;
  saved.outer = makers.saved;
  return class_node && differ_in_class(loading, (Pair){ &here, &saved }, class_node, name, depth - 1);
}

// --- Two modules ---

/// A class that derives from torch.nn.Module alone, and makes its members one by one.
static bool is_plain_class(const Loading *loading, PyRef class_node)
{
  static const char *const ways[] = { "add_module(", "register_module(", "setattr(", "load_state_dict(" };
  const PyModel *model = loading->model;
  PyRef bases = py_child(&model->tree, class_node, PY_F_SUPERCLASSES);
  PyRef base = bases ? py_first_child(&model->tree, bases) : 0;
  return base && !py_next_sibling(&model->tree, base) &&
         str_equal(py_model_qualified(model, base, loading->sink->arena), STR("torch.nn.Module")) &&
         !str_contains_one_of(py_text(&model->tree, class_node), ways, COUNT(ways));
}

/// A layer with weights that the class of the model always has, and that of the saved weights never.
static void check_missing(Loading *loading, PyRef here, PyRef saved)
{
  const PyModel *model = loading->model;
  if (!loading->is_strict || !is_plain_class(loading, here) || !is_plain_class(loading, saved))
    return;
  for (size_t i = 0; i < loading->parts->count; i++) {
    const ModulePart *part = &loading->parts->items[i];
    const PyCall *call = part->class_node == here ? py_model_call(model, part->value) : NULL;
    if (!call || !traced_weights_is_layer(call) || !is_always_made(model, here, part->value) ||
        py_model_names_member(model, saved, part->name))
      continue;
    say(loading,
        arena_printf(loading->sink->arena, "There are no weights of '%.*s' of this model: %.*s has none.",
                     STR_ARG(part->name), STR_ARG(py_text(&model->tree, py_child(&model->tree, saved, PY_F_NAME)))));
    return;
  }
}

/// torch.nn.DataParallel(net), which puts `module.` before all names.
static bool is_wrapper(const PyCall *made)
{
  return made && (str_equal(made->qualified, STR("torch.nn.DataParallel")) ||
                  str_equal(made->qualified, STR("torch.nn.parallel.DistributedDataParallel")));
}

/// `net` of `torch.nn.DataParallel(net)`.
static const PyCall *unwrapped(const PyModel *model, const PyCall *made)
{
  const PyArgument *inner = is_wrapper(made) ? py_model_argument(model, made, 0, "module") : NULL;
  return inner ? py_model_call(model, export_model_made(model, inner->value)) : made;
}

static void check_modules(Loading *loading, PyRef object, PyRef owner)
{
  const PyModel *model = loading->model;
  const PyCall *here = py_model_call(model, export_model_made(model, object));
  const PyCall *saved = py_model_call(model, export_model_made(model, owner));
  bool is_known = here && saved && (export_class_made(model, here) || is_wrapper(here)) &&
                  (export_class_made(model, saved) || is_wrapper(saved));
  if (!is_known)
    return;
  if (is_wrapper(here) != is_wrapper(saved)) {
    say(loading, is_wrapper(saved)
                     ? STR("These are the weights of a torch.nn.DataParallel, whose names begin with 'module.': save "
                           "those of its `module`.")
                     : STR("A torch.nn.DataParallel has names that begin with 'module.', and these don't: load them "
                           "into its `module`."));
    return;
  }
  here = unwrapped(model, here);
  saved = unwrapped(model, saved);
  PyRef class_here = export_class_made(model, here), class_saved = export_class_made(model, saved);
  ModuleMaker nowhere = { .model = model, .parts = loading->parts };
  ModuleMaker maker = {
    .model = model, .parts = loading->parts, .call = here, .class_node = class_here, .outer = &nowhere
  };
  ModuleMaker of_saved = maker;
  of_saved.call = saved;
  if (class_here && class_here == class_saved)
    differ_in_class(loading, (Pair){ &maker, &of_saved }, class_here, (Str){ 0 }, PY_SHAPE_CALL_DEPTH);
  else if (class_here && class_saved)
    check_missing(loading, class_here, class_saved);
}

// --- One call ---

/// The key under which a dict that is written out has what state_dict() gives; empty.
static Str key_of_weights(const Loading *loading, PyRef dictionary)
{
  const PyModel *model = loading->model;
  Str found = { 0 };
  for (PY_EACH_ELEMENT(&model->tree, pair, dictionary)) {
    PyRef key = py_tree_key(&model->tree, pair);
    PyRef value = key ? py_child(&model->tree, pair, PY_F_VALUE) : 0;
    const PyCall *call = value ? py_model_call(model, py_model_resolve(model, value)) : NULL;
    Str name;
    if (found.len == 0 && call &&
        str_equal(py_tree_member_name(&model->tree, call->function_node), STR("state_dict")) &&
        py_model_string(model, key, loading->sink->arena, &name))
      found = name;
  }
  return found;
}

/// torch.optim.SGD(...), but no scheduler and no average of a model, which torch.optim has in modules.
static bool is_optimizer(const PyCall *made)
{
  Str package = STR("torch.optim.");
  return made && str_starts_with(made->qualified, package) &&
         str_find_char(made->qualified, '.', package.len) == STR_NOT_FOUND;
}

static void check_call(Loading *loading, const PyCall *call)
{
  const PyModel *model = loading->model;
  const PyTree *tree = &model->tree;
  const PyArgument *weights = py_model_argument(model, call, 0, "state_dict");
  const PyArgument *strict = py_model_argument(model, call, 1, "strict");
  PyRef object = py_tree_object(tree, call->function_node);
  PyRef saved = weights && object ? saved_weights(model, weights->value, loading->sink->arena) : 0;
  PyRef lacking = weights && object && !saved && !py_tree_try_around(tree, call->node)
                      ? saved_key_missing(model, weights->value, loading->sink->arena)
                      : 0;
  if (lacking)
    py_say(loading->sink, RULE_LOADED_WEIGHTS, OWN, lacking, STR("What was saved in this file has no such key."), NULL);
  const PyCall *here = saved ? py_model_call(model, export_model_made(model, object)) : NULL;
  if (!here || call->has_splat || call->has_dictionary_splat || py_tree_try_around(tree, call->node) ||
      (!export_class_made(model, here) && !str_starts_with(here->qualified, STR("torch.nn."))))
    return;
  loading->place = weights->value;
  loading->is_strict = !strict || py_kind(tree, py_model_resolve(model, strict->value)) == PYK_TRUE;
  Str key = py_kind(tree, saved) == PYK_DICTIONARY ? key_of_weights(loading, saved) : (Str){ 0 };
  if (key.len > 0)
    say(loading, arena_printf(loading->sink->arena, "This holds more than the weights, which are under '%.*s' in it.",
                              STR_ARG(key)));
  const PyCall *made = py_model_call(model, saved);
  PyRef owner = made ? py_tree_object(tree, made->function_node) : 0;
  if (!owner || !str_equal(py_tree_member_name(tree, made->function_node), STR("state_dict")))
    return;
  if (loading->is_strict && is_optimizer(py_model_call(model, py_model_resolve(model, owner))))
    say(loading, STR("This is the state of an optimizer, and not the weights."));
  else
    check_modules(loading, object, owner);
}

void check_python_loaded_weights(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  if (!py_model_mentions(model, ".load_state_dict(") || !sink_wants(sink, RULE_LOADED_WEIGHTS, OWN))
    return;
  ModuleParts parts = module_parts(model, sink->arena);
  Loading loading = { .sink = sink, .model = model, .parts = &parts, .steps = PY_TRACING_WORK };
  int left = PY_EXPORT_LIMIT;
  for (size_t i = 0; i < model->calls.count && left > 0; i++) {
    const PyCall *call = &model->calls.items[i];
    if (!str_equal(py_tree_member_name(&model->tree, call->function_node), STR("load_state_dict")))
      continue;
    left--;
    check_call(&loading, call);
  }
}
