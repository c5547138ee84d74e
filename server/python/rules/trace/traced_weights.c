#include "python/rules/trace/traced_weights.h"

#include "base/limits.h"
#include "base/search.h"
#include "base/sort.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/trace/computed_weights.h"
#include "python/rules/trace/traced_foreign.h"
#include "python/rules/trace/traced_support.h"

typedef enum Holder {
  NO_HOLDER,
  HOLDER_LIST,
  HOLDER_DICT,
} Holder;

// --- What has weights ---

// Layers that have weights unless an argument says otherwise: up to so many arguments say nothing about that.
bool traced_weights_is_layer(const PyCall *call)
{
  static const struct {
    const char *name;
    uint32_t plain;
  } layers[] = {
    { "BatchNorm1d", 3 },
    { "BatchNorm2d", 3 },
    { "BatchNorm3d", 3 },
    { "Bilinear", 9 },
    { "Conv1d", 99 },
    { "Conv2d", 99 },
    { "Conv3d", 99 },
    { "ConvTranspose1d", 99 },
    { "ConvTranspose2d", 99 },
    { "ConvTranspose3d", 99 },
    { "Embedding", 99 },
    { "EmbeddingBag", 99 },
    { "GRU", 99 },
    { "GRUCell", 99 },
    { "GroupNorm", 3 },
    { "LSTM", 99 },
    { "LSTMCell", 99 },
    { "LayerNorm", 2 },
    { "Linear", 99 },
    { "MultiheadAttention", 99 },
    { "PReLU", 99 },
    { "RNN", 99 },
    { "RNNCell", 99 },
    { "TransformerDecoderLayer", 99 },
    { "TransformerEncoderLayer", 99 },
  };
  Str space = STR("torch.nn.");
  Str name =
      str_starts_with(call->qualified, space) ? str_slice(call->qualified, space.len, call->qualified.len) : (Str){ 0 };
  for (size_t i = 0; i < COUNT(layers); i++) {
    if (str_equal(name, str_from(layers[i].name)))
      return call->argument_count <= layers[i].plain;
  }
  return false;
}

static bool has_weights(const Forward *forward, PyRef node, int depth);

static bool has_weighted_part(const Forward *forward, PyRef class_node, int depth)
{
  const ModuleParts *parts = forward->parts;
  const PyClass *class = py_model_class_at(forward->model, class_node);
  if (!class)
    return false;
  int8_t *known = &forward->weights->has_weights[class - forward->model->classes.items];
  if (*known != 0)
    return *known > 0;
  *known = -1;  // Also of a class that makes itself.
  size_t at;
  SEARCH_FIRST(at, 0, parts->count, parts->items[at].class_node < class_node);
  for (; at < parts->count && parts->items[at].class_node == class_node && *known < 0; at++) {
    if (parts->items[at].value && has_weights(forward, parts->items[at].value, depth))
      *known = 1;
  }
  return *known > 0;
}

static bool has_weighted_argument(const Forward *forward, const PyCall *call, int depth)
{
  for (PY_EACH_ARGUMENT(forward->model, argument, call)) {
    if (!argument->is_splat && has_weights(forward, argument->value, depth))
      return true;
  }
  return false;
}

/// Whether the expression surely makes a module whose weights need a gradient.
static bool has_weights(const Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  PyRef made = depth > 0 ? export_module_made(model, node) : 0;
  bool is_made_here = made >= node && made < model->tree.nodes[node].next;  // Not `self.first`, which is known.
  const PyCall *call = made && is_made_here ? py_model_call(model, made) : NULL;
  if (!call || str_contains(py_text(&model->tree, node), STR("requires_grad")))
    return false;
  if (str_equal(call->qualified, STR("torch.nn.Sequential")))
    return has_weighted_argument(forward, call, depth - 1);
  PyRef class_node = export_class_made(model, call);
  return class_node ? has_weighted_part(forward, class_node, depth - 1)
                    : traced_weights_is_layer(call) || str_equal(call->qualified, STR("torch.nn.Parameter"));
}

bool traced_weights_are_in(const Forward *forward, PyRef made)
{
  enum { DEPTH = 4 };
  return has_weights(forward, made, DEPTH);
}

// --- Whether the module may know them after all ---

static Str name_of(const PyTree *tree, PyRef attribute)
{
  return py_tree_member_name(tree, attribute);
}

typedef struct Mention {
  Str name;
  PyRef node;
} Mention;

static int compare_mentions(const void *a, const void *b)
{
  return str_compare(((const Mention *)a)->name, ((const Mention *)b)->name);
}

/// All nodes of a kind, by what stands in them.
static PyRef *sorted_nodes(const PyTree *tree, PyNodeKind kind, Arena *arena, size_t *ret_count)
{
  Vec(Mention) found = { 0 };
  for (PyRef node = 1; node < tree->count; node++) {
    if (py_kind(tree, node) == kind)
      vec_push(&found, ((Mention){ kind == PYK_ATTRIBUTE ? name_of(tree, node) : py_text(tree, node), node }));
  }
  sort_stable(found.items, found.count, sizeof(Mention), compare_mentions);
  PyRef *nodes = ARENA_ARRAY(arena, PyRef, found.count);
  *ret_count = found.count;
  for (size_t i = 0; i < found.count; i++)
    nodes[i] = found.items[i].node;
  vec_free(&found);
  return nodes;
}

void traced_weights_begin(const Forward *forward)
{
  const PyTree *tree = &forward->model->tree;
  TracedWeights *weights = forward->weights;
  Arena *arena = forward->sink->arena;
  if (weights->mentions)
    return;
  weights->mentions = sorted_nodes(tree, PYK_ATTRIBUTE, arena, &weights->mention_count);
  weights->makers = module_makers(forward->model, arena);
  weights->names = sorted_nodes(tree, PYK_IDENTIFIER, arena, &weights->name_count);
  weights->is_alone = ARENA_ARRAY(arena, int8_t, forward->model->bindings.count);
  weights->is_said = ARENA_ARRAY(arena, bool, tree->count);
  weights->has_weights = ARENA_ARRAY(arena, int8_t, forward->model->classes.count);
  weights->is_odd = ARENA_ARRAY(arena, int8_t, forward->model->functions.count);
}

bool traced_weights_is_odd(const Forward *forward, uint32_t function)
{
  static const char *const words[] = { "add_module",     "register_", "setattr",       "requires_grad_(",
                                       ".requires_grad", "no_grad",   "inference_mode" };
  int8_t *known = &forward->weights->is_odd[function];
  if (*known == 0) {
    PyRef body = forward->model->functions.items[function].body;
    bool has_words = body && str_contains_one_of(py_text(&forward->model->tree, body), words, COUNT(words));
    *known = has_words ? 1 : -1;
  }
  return *known > 0;
}

const PyCall *traced_weights_maker(const Forward *forward, PyRef class_node)
{
  const PyClass *class = py_model_class_at(forward->model, class_node);
  return class ? forward->weights->makers[class - forward->model->classes.items] : NULL;
}

/// `enumerate(self.layers)` and `self.layers.values()` of `self.layers`; what the node is else.
static PyRef around(const PyTree *tree, PyRef node)
{
  static const char *const functions[] = { "enumerate", "zip", "reversed", "len", "list" };
  static const char *const methods[] = { "values", "items", "keys" };
  PyRef parent = tree->nodes[node].parent;
  PyRef call = tree->nodes[parent].parent;
  if (py_kind(tree, call) != PYK_CALL)
    return node;
  PyRef function = py_child(tree, call, PY_F_FUNCTION);
  bool is_method = py_kind(tree, parent) == PYK_ATTRIBUTE && function == parent &&
                   str_is_one_of(name_of(tree, parent), methods, COUNT(methods));
  bool is_argument =
      py_kind(tree, parent) == PYK_ARGUMENT_LIST && str_is_one_of(py_text(tree, function), functions, COUNT(functions));
  return is_method || is_argument ? around(tree, call) : node;
}

/// The call in `self.layers[0](x)`; 0.
static PyRef call_of_element(const PyTree *tree, PyRef node)
{
  PyRef subscript = tree->nodes[node].parent;
  PyRef call = tree->nodes[subscript].parent;
  bool is_called = py_kind(tree, subscript) == PYK_SUBSCRIPT && py_child(tree, subscript, PY_F_VALUE) == node &&
                   py_kind(tree, call) == PYK_CALL && py_child(tree, call, PY_F_FUNCTION) == subscript;
  return is_called ? call : 0;
}

/// The statement or the comprehension in `for layer in self.layers`; 0.
static PyRef loop_over(const PyTree *tree, PyRef node)
{
  PyRef parent = tree->nodes[node].parent;
  PyNodeKind kind = py_kind(tree, parent);
  bool is_loop = (kind == PYK_FOR_STATEMENT || kind == PYK_FOR_IN_CLAUSE) && py_child(tree, parent, PY_F_RIGHT) == node;
  return !is_loop ? 0 : kind == PYK_FOR_STATEMENT ? parent : tree->nodes[parent].parent;
}

/// `self.weights[0]` in `x @ self.weights[0]`.
static bool is_operand(const PyTree *tree, PyRef subscript)
{
  return py_kind(tree, subscript) == PYK_SUBSCRIPT &&
         py_kind(tree, tree->nodes[subscript].parent) == PYK_BINARY_OPERATOR;
}

/// `self.layers = ...`, `self.layers += ...` and `self.layers.append(...)`.
static bool is_filling(const PyTree *tree, PyRef node)
{
  PyRef parent = tree->nodes[node].parent;
  PyNodeKind kind = py_kind(tree, parent);
  if (kind == PYK_ASSIGNMENT || kind == PYK_AUGMENTED_ASSIGNMENT)
    return py_child(tree, parent, PY_F_LEFT) == node;
  return kind == PYK_ATTRIBUTE &&
         (str_equal(name_of(tree, parent), STR("append")) || str_equal(name_of(tree, parent), STR("extend")));
}

/// Whether the mention gives what it stands for to nobody who may register it.
static bool is_plain(const Forward *forward, PyRef mention, PyRef class_node)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  uint32_t scope = py_model_scope_of(model, mention);
  bool is_own = scope != PY_ABSENT && model->functions.items[scope].class_node == class_node &&
                str_equal(py_text(tree, py_tree_object(tree, mention)), STR("self"));
  if (!is_own || traced_weights_is_odd(forward, scope))
    return false;
  PyRef outer = around(tree, mention);
  return is_filling(tree, mention) || loop_over(tree, outer) || call_of_element(tree, mention) || outer != mention ||
         is_operand(tree, tree->nodes[mention].parent);
}

static bool is_hidden(const Forward *forward, PyRef class_node, Str name)
{
  const PyTree *tree = &forward->model->tree;
  const TracedWeights *weights = forward->weights;
  size_t at;
  SEARCH_FIRST(at, 0, weights->mention_count, str_compare(name_of(tree, weights->mentions[at]), name) < 0);
  for (; at < weights->mention_count && str_equal(name_of(tree, weights->mentions[at]), name); at++) {
    if (!is_plain(forward, weights->mentions[at], class_node))
      return false;
  }
  return true;
}

// --- Findings ---

bool traced_weights_is_parameter(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, py_tree_strip(&model->tree, node));
  return call && str_equal(call->qualified, STR("torch.nn.Parameter")) &&
         !py_model_argument(model, call, 1, "requires_grad");
}

void traced_weights_say(Forward *forward, PyRef use, PyRef made, Str words, const Fix *fix)
{
  if (forward->weights->is_said[made] || !sink_wants(forward->sink, RULE_UNREGISTERED_WEIGHTS, OWN))
    return;
  forward->weights->is_said[made] = true;
  RelatedLocation *related = ARENA_NEW(forward->sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(forward->sink, use), STR("forward() uses them here.") };
  py_report(
      forward->sink, RULE_UNREGISTERED_WEIGHTS, OWN, made,
      (Diagnostic){ .message = words, .fixes = fix, .fix_count = fix != NULL, .related = related, .related_count = 1 });
}

/// "torch.nn." as the file writes it before the layer's name; empty if it imports that.
static Str space_of(const Forward *forward, PyRef layer)
{
  const PyModel *model = forward->model;
  const PyCall *call = py_model_call(model, export_module_made(model, layer));
  Str text = call && str_starts_with(call->qualified, STR("torch.nn.")) ? py_text(&model->tree, call->function_node)
                                                                        : (Str){ 0 };
  size_t dot = str_rfind_char(text, '.');
  return dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(text, 0, dot + 1);
}

static void say_holder(Forward *forward, PyRef use, PyRef made, Holder holder, PyRef layer)
{
  static const char *const kinds[2][2] = { { "ModuleList", "ModuleDict" }, { "ParameterList", "ParameterDict" } };
  Arena *arena = forward->sink->arena;
  bool holds_parameters = traced_weights_is_parameter(forward->model, layer);
  const char *kind = kinds[holds_parameters][holder == HOLDER_DICT];
  Str space = space_of(forward, layer);
  const Fix *fix = NULL;
  if (space.len > 0)
    fix = py_fix(
        forward->sink, false, arena_printf(arena, "Make it a %.*s%s", STR_ARG(space), kind),
        py_range(forward->sink, made),
        arena_printf(arena, "%.*s%s(%.*s)", STR_ARG(space), kind, STR_ARG(py_text(&forward->model->tree, made))));
  traced_weights_say(
      forward, use, made,
      arena_printf(
          arena,
          "A %s of Python hides these layers from the module, and the TorchScript exporter fails on weights that "
          "are none of its parameters: make it a torch.nn.%s.",
          holder == HOLDER_DICT ? "dict" : "list", kind),
      fix);
}

static Holder holder_of(PyNodeKind kind)
{
  switch (kind) {
  case PYK_LIST:
  case PYK_TUPLE:
  case PYK_EXPRESSION_LIST:
  case PYK_LIST_COMPREHENSION:
    return HOLDER_LIST;
  case PYK_DICTIONARY:
    return HOLDER_DICT;
  default:
    return NO_HOLDER;
  }
}

/// The first layer with weights that it surely holds; 0.
static PyRef weighted_in(const Forward *forward, PyRef made, Holder holder, PyRef class_node, Str name)
{
  const PyTree *tree = &forward->model->tree;
  if (holder == HOLDER_DICT) {
    for (PY_EACH_ELEMENT(tree, pair, made)) {
      PyRef value = py_kind(tree, pair) == PYK_PAIR ? py_child(tree, pair, PY_F_VALUE) : 0;
      if (value && traced_weights_are_in(forward, value))
        return value;
    }
    return 0;
  }
  ModuleItems items;
  module_items(forward->model, made, class_node, name, &items);
  for (size_t i = 0; i < items.count; i++) {
    if (!items.items[i].is_perhaps && traced_weights_are_in(forward, items.items[i].node))
      return items.items[i].node;
  }
  return 0;
}

/// Whether something in the loop is called by a name, as a layer is.
static bool calls_names(const Forward *forward, PyRef loop)
{
  const PyTree *tree = &forward->model->tree;
  PyRef left = py_kind(tree, loop) == PYK_FOR_STATEMENT ? py_child(tree, loop, PY_F_LEFT) : 0;
  for (PyRef node = loop; node < tree->nodes[loop].next && node < loop + PY_METHOD_NODE_LIMIT; node++) {
    PyRef function = py_tree_callee(tree, node);
    if (!function || py_kind(tree, function) != PYK_IDENTIFIER)
      continue;
    if (!left || py_kind(tree, left) != PYK_IDENTIFIER || str_equal(py_text(tree, left), py_text(tree, function)))
      return true;
  }
  return false;
}

static void check_holder(Forward *forward, PyRef use, PyRef made, Holder holder)
{
  const PyTree *tree = &forward->model->tree;
  PyRef class_node = forward->model->functions.items[forward->function].class_node;
  Str name = name_of(tree, use);
  PyRef loop = loop_over(tree, around(tree, use));
  PyRef layer = loop || py_kind(tree, tree->nodes[use].parent) == PYK_SUBSCRIPT
                    ? weighted_in(forward, made, holder, class_node, name)
                    : 0;
  bool is_used = layer && (traced_weights_is_parameter(forward->model, layer) || call_of_element(tree, use) ||
                           (loop && calls_names(forward, loop)));
  if (is_used && is_hidden(forward, class_node, name))
    say_holder(forward, use, made, holder, layer);
}

// --- Objects that are no modules ---

/// The class of the file that a call makes an object of, if it has no base; 0.
static PyRef plain_class_made(const PyModel *model, PyRef made)
{
  const PyCall *call = py_model_call(model, made);
  bool is_name = call && py_kind(&model->tree, call->function_node) == PYK_IDENTIFIER;
  PyRef class_node = is_name ? py_model_class_named(model, call->function_node) : 0;
  PyRef bases = class_node ? py_child(&model->tree, class_node, PY_F_SUPERCLASSES) : 0;
  PyRef base = bases ? py_first_child(&model->tree, bases) : 0;
  bool is_plain = class_node && py_kind(&model->tree, model->tree.nodes[class_node].parent) != PYK_DECORATED_DEFINITION;
  return is_plain && (!base || str_equal(py_text(&model->tree, base), STR("object"))) ? class_node : 0;
}

/// `self.net(x)`, `self.net.forward(x)`
static bool is_called(const PyTree *tree, PyRef mention)
{
  PyRef parent = tree->nodes[mention].parent;
  PyRef function = py_kind(tree, parent) == PYK_ATTRIBUTE ? parent : mention;
  return py_tree_callee(tree, tree->nodes[function].parent) == function;
}

/// Whether forward() calls the object, and nothing else is done with it that might register what it has.
static bool is_only_called(const Forward *forward, PyRef class_node, Str name)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  const TracedWeights *weights = forward->weights;
  size_t at;
  SEARCH_FIRST(at, 0, weights->mention_count, str_compare(name_of(tree, weights->mentions[at]), name) < 0);
  for (; at < weights->mention_count && str_equal(name_of(tree, weights->mentions[at]), name); at++) {
    PyRef mention = weights->mentions[at];
    uint32_t scope = py_model_scope_of(model, mention);
    if (scope == PY_ABSENT || model->functions.items[scope].class_node != class_node ||
        traced_weights_is_odd(forward, scope) || !(is_filling(tree, mention) || is_called(tree, mention)))
      return false;
  }
  return true;
}

static void check_object(Forward *forward, PyRef use, PyRef made, PyRef class_made)
{
  const PyTree *tree = &forward->model->tree;
  PyRef class_node = forward->model->functions.items[forward->function].class_node;
  const PyClass *class = py_model_class_at(forward->model, class_made);
  enum { DEPTH = 4 };
  if (!is_called(tree, use) || !has_weighted_part(forward, class_made, DEPTH) ||
      !is_only_called(forward, class_node, name_of(tree, use)) ||
      py_model_member_is_set_elsewhere(forward->model, class_node, name_of(tree, use)))
    return;
  traced_weights_say(forward, use, made,
                     arena_printf(forward->sink->arena,
                                  "'%.*s' is no torch.nn.Module, which hides its layers, and the TorchScript exporter "
                                  "fails on weights that are none of the model's: derive it from torch.nn.Module.",
                                  STR_ARG(class->name)),
                     NULL);
}

/// `torch.randn(3, requires_grad=True)`
static bool is_tensor_with_gradient(const PyModel *model, PyRef made)
{
  const PyCall *call = export_tensor_call(model, made);
  const PyArgument *wish =
      call && call->node == made ? py_model_argument(model, call, PY_ABSENT, "requires_grad") : NULL;
  return wish && py_kind(&model->tree, wish->value) == PYK_TRUE;
}

bool traced_weights_is_tensor(const PyModel *model, PyRef made)
{
  return traced_weights_is_parameter(model, made) || is_tensor_with_gradient(model, made);
}

/// Whether __init__() may run in `with torch.no_grad():`, where nothing that is computed needs a gradient.
static bool is_made_without_gradients(const Forward *forward, PyRef class_node)
{
  static const char *const always[] = { "set_grad_enabled", "inference_mode" };
  const PyModel *model = forward->model;
  const PyCall *maker = traced_weights_maker(forward, class_node);
  if (py_model_mentions_one_of(model, always, COUNT(always)))
    return true;
  if (!maker || (maker->scope != PY_ABSENT && traced_weights_is_odd(forward, maker->scope)))
    return py_model_mentions(model, "no_grad");
  PyRef around = model->tree.nodes[maker->node].parent;
  while (around && py_kind(&model->tree, around) != PYK_WITH_STATEMENT)
    around = model->tree.nodes[around].parent;
  return around != 0;
}

static void check_tensor(Forward *forward, PyRef use, PyRef made)
{
  const PyModel *model = forward->model;
  PyRef class_node = model->functions.items[forward->function].class_node;
  bool is_computed = computed_weights(forward, class_node, made) && !is_made_without_gradients(forward, class_node);
  if ((!is_computed && !is_tensor_with_gradient(model, made)) ||
      traced_weights_is_odd(forward, py_model_scope_of(model, made)) ||
      !module_parts_unchanged(forward->parts, model, class_node, name_of(&model->tree, use)))
    return;
  traced_weights_say(
      forward, use, made,
      is_computed
          ? STR("What is computed of a parameter is none itself, and the TorchScript exporter fails on it as it "
                "needs a gradient: compute first, and make a torch.nn.Parameter of the result.")
          : STR("A tensor that needs a gradient and is no parameter of the module makes the TorchScript exporter "
                "fail: make it a torch.nn.Parameter, or a buffer without a gradient."),
      NULL);
}

void traced_weights_check(Forward *forward, PyRef attribute)
{
  const PyModel *model = forward->model;
  Str name = forward->support->is_judged ? forward_own_name(forward, attribute) : (Str){ 0 };
  PyRef class_node = model->functions.items[forward->function].class_node;
  PyRef made = name.len > 0 ? module_parts_value(forward->parts, class_node, name) : 0;
  if (!made || py_model_scope_of(model, made) == PY_ABSENT || !forward_runs_always(forward, attribute))
    return;
  traced_weights_begin(forward);
  Holder holder = holder_of(py_kind(&model->tree, made));
  PyRef plain = plain_class_made(model, made);
  if (plain)
    check_object(forward, attribute, made, plain);
  else if (holder != NO_HOLDER)
    check_holder(forward, attribute, made, holder);
  else if (py_kind(&model->tree, made) == PYK_ATTRIBUTE)
    traced_foreign_check_method(forward, attribute, made);
  else
    check_tensor(forward, attribute, made);
}
