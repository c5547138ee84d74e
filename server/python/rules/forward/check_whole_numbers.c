// Floats where torch takes whole numbers: `nn.Linear(width / 2, 4)`, `x.view(n / 2, -1)`. Each row was run with torch
// 1.13, 2.6 and 2.14, with a float that is written out and with one that is made of a size.

#include "base/limits.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/python_edit.h"

/// What is known of an expression.
typedef enum Numeric {
  NUMERIC_UNKNOWN,   ///< It may be made of sizes, which are tensors in a trace.
  NUMERIC_PLAIN,     ///< A number of Python, of some kind.
  NUMERIC_FLOAT,     ///< A float, and no size is in it.
  NUMERIC_OF_SIZES,  ///< A float, in a trace perhaps a tensor of one.
} Numeric;

typedef enum Callee {
  LAYER,     ///< A class of torch.nn.
  FUNCTION,  ///< Of torch or torch.nn.functional.
  METHOD,    ///< Of tensors.
  EITHER,    ///< A method, and a function of torch that has the tensor before.
} Callee;

typedef struct WholeRow {
  Str name;  ///< `#` at its end stands for "1d", "2d" and "3d".
  Callee callee;
  uint32_t position;
  const char *keyword;  ///< NULL: all arguments from that position on.
  bool converts;        ///< In a trace what is made of sizes is a tensor, and becomes a whole number.
} WholeRow;

static const WholeRow rows[] = {
  { STR_INIT("AdaptiveAvgPool#"), LAYER, 0, "output_size", false },
  { STR_INIT("AdaptiveMaxPool#"), LAYER, 0, "output_size", false },
  { STR_INIT("AvgPool#"), LAYER, 0, "kernel_size", false },
  { STR_INIT("AvgPool#"), LAYER, 1, "stride", false },
  { STR_INIT("AvgPool#"), LAYER, 2, "padding", false },
  { STR_INIT("BatchNorm#"), LAYER, 0, "num_features", false },
  { STR_INIT("ConstantPad#"), LAYER, 0, "padding", false },
  { STR_INIT("Conv#"), LAYER, 0, "in_channels", false },
  { STR_INIT("Conv#"), LAYER, 1, "out_channels", false },
  { STR_INIT("Conv#"), LAYER, 2, "kernel_size", false },
  { STR_INIT("Conv#"), LAYER, 3, "stride", false },
  { STR_INIT("Conv#"), LAYER, 4, "padding", false },
  { STR_INIT("Conv#"), LAYER, 5, "dilation", false },
  { STR_INIT("Conv#"), LAYER, 6, "groups", false },
  { STR_INIT("ConvTranspose#"), LAYER, 0, "in_channels", false },
  { STR_INIT("ConvTranspose#"), LAYER, 1, "out_channels", false },
  { STR_INIT("ConvTranspose#"), LAYER, 2, "kernel_size", false },
  { STR_INIT("ConvTranspose#"), LAYER, 3, "stride", false },
  { STR_INIT("ConvTranspose#"), LAYER, 4, "padding", false },
  { STR_INIT("ConvTranspose#"), LAYER, 5, "output_padding", false },
  { STR_INIT("Embedding"), LAYER, 0, "num_embeddings", false },
  { STR_INIT("Embedding"), LAYER, 1, "embedding_dim", false },
  { STR_INIT("EmbeddingBag"), LAYER, 1, "embedding_dim", false },
  { STR_INIT("GRU"), LAYER, 0, "input_size", false },
  { STR_INIT("GRU"), LAYER, 1, "hidden_size", false },
  { STR_INIT("GRU"), LAYER, 2, "num_layers", false },
  { STR_INIT("GRUCell"), LAYER, 0, "input_size", false },
  { STR_INIT("GRUCell"), LAYER, 1, "hidden_size", false },
  { STR_INIT("GroupNorm"), LAYER, 0, "num_groups", false },
  { STR_INIT("GroupNorm"), LAYER, 1, "num_channels", false },
  { STR_INIT("LSTM"), LAYER, 0, "input_size", false },
  { STR_INIT("LSTM"), LAYER, 1, "hidden_size", false },
  { STR_INIT("LSTM"), LAYER, 2, "num_layers", false },
  { STR_INIT("LSTMCell"), LAYER, 0, "input_size", false },
  { STR_INIT("LSTMCell"), LAYER, 1, "hidden_size", false },
  { STR_INIT("LayerNorm"), LAYER, 0, "normalized_shape", false },
  { STR_INIT("Linear"), LAYER, 0, "in_features", false },
  { STR_INIT("Linear"), LAYER, 1, "out_features", false },
  { STR_INIT("MaxPool#"), LAYER, 0, "kernel_size", false },
  { STR_INIT("MaxPool#"), LAYER, 1, "stride", false },
  { STR_INIT("MaxPool#"), LAYER, 2, "padding", false },
  { STR_INIT("PReLU"), LAYER, 0, "num_parameters", false },
  { STR_INIT("PixelShuffle"), LAYER, 0, "upscale_factor", false },
  { STR_INIT("RNN"), LAYER, 0, "input_size", false },
  { STR_INIT("RNN"), LAYER, 1, "hidden_size", false },
  { STR_INIT("RNN"), LAYER, 2, "num_layers", false },
  { STR_INIT("ReflectionPad#"), LAYER, 0, "padding", false },
  { STR_INIT("TransformerEncoderLayer"), LAYER, 0, "d_model", false },
  { STR_INIT("TransformerEncoderLayer"), LAYER, 1, "nhead", false },
  { STR_INIT("TransformerEncoderLayer"), LAYER, 2, "dim_feedforward", false },
  { STR_INIT("Unfold"), LAYER, 0, "kernel_size", false },
  { STR_INIT("Upsample"), LAYER, 0, "size", false },
  { STR_INIT("ZeroPad#"), LAYER, 0, "padding", false },
  { STR_INIT("adaptive_avg_pool#"), FUNCTION, 1, "output_size", false },
  { STR_INIT("adaptive_max_pool#"), FUNCTION, 1, "output_size", false },
  { STR_INIT("avg_pool#"), FUNCTION, 1, "kernel_size", false },
  { STR_INIT("chunk"), EITHER, 0, "chunks", false },
  { STR_INIT("empty"), FUNCTION, 0, NULL, true },
  { STR_INIT("expand"), METHOD, 0, NULL, false },
  { STR_INIT("eye"), FUNCTION, 0, "n", false },
  { STR_INIT("full"), FUNCTION, 0, "size", true },
  { STR_INIT("interpolate"), FUNCTION, 1, "size", true },
  { STR_INIT("linspace"), FUNCTION, 2, "steps", false },
  { STR_INIT("max_pool#"), FUNCTION, 1, "kernel_size", false },
  { STR_INIT("narrow"), EITHER, 2, "length", false },
  { STR_INIT("new_ones"), METHOD, 0, NULL, true },
  { STR_INIT("new_zeros"), METHOD, 0, NULL, true },
  { STR_INIT("one_hot"), FUNCTION, 1, "num_classes", false },
  { STR_INIT("ones"), FUNCTION, 0, NULL, true },
  { STR_INIT("pad"), FUNCTION, 1, "pad", true },
  { STR_INIT("permute"), METHOD, 0, NULL, false },
  { STR_INIT("rand"), FUNCTION, 0, NULL, true },
  { STR_INIT("randn"), FUNCTION, 0, NULL, true },
  { STR_INIT("range"), FUNCTION, 0, NULL, false },
  { STR_INIT("repeat"), METHOD, 0, NULL, false },
  { STR_INIT("reshape"), METHOD, 0, NULL, false },
  { STR_INIT("reshape"), FUNCTION, 1, "shape", false },
  { STR_INIT("roll"), EITHER, 0, "shifts", false },
  { STR_INIT("select"), EITHER, 1, "index", false },
  { STR_INIT("split"), EITHER, 0, "split_size", true },
  { STR_INIT("topk"), EITHER, 0, "k", false },
  { STR_INIT("unflatten"), METHOD, 1, "sizes", false },
  { STR_INIT("unfold"), METHOD, 1, "size", false },
  { STR_INIT("view"), METHOD, 0, NULL, false },
  { STR_INIT("zeros"), FUNCTION, 0, NULL, true },
};

// --- What is a float ---

/// `math.sqrt`, `numpy.ceil`: always a float, whatever it is given.
static bool gives_float(Str function)
{
  static const char *const names[] = { "math.sqrt",   "math.log",   "math.log2",   "math.log10", "math.exp",
                                       "math.pow",    "float",      "numpy.sqrt",  "numpy.log",  "numpy.log2",
                                       "numpy.log10", "numpy.ceil", "numpy.floor", "numpy.exp" };
  return str_is_one_of(function, names, COUNT(names));
}

static Numeric numeric_of(DiagSink *sink, PyRef node, int depth);

static Numeric numeric_of_two(DiagSink *sink, PyRef node, int depth)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  Str sign = py_text(tree, py_child(tree, node, PY_F_OPERATOR));
  Numeric left = numeric_of(sink, py_child(tree, node, PY_F_LEFT), depth - 1);
  Numeric right = numeric_of(sink, py_child(tree, node, PY_F_RIGHT), depth - 1);
  static const char *const others[] = { "+", "-", "*", "//", "**" };
  bool is_float = str_equal(sign, STR("/")) ||
                  (str_is_one_of(sign, others, COUNT(others)) && (left >= NUMERIC_FLOAT || right >= NUMERIC_FLOAT));
  bool is_plain =
      (left == NUMERIC_PLAIN || left == NUMERIC_FLOAT) && (right == NUMERIC_PLAIN || right == NUMERIC_FLOAT);
  return is_float ? (is_plain ? NUMERIC_FLOAT : NUMERIC_OF_SIZES) : is_plain ? NUMERIC_PLAIN : NUMERIC_UNKNOWN;
}

/// A name that a constructor is given is no size of an input.
static Numeric numeric_of_name(const PyFile *file, PyRef node)
{
  const PyModel *model = file->model;
  const PyBinding *binding = py_model_binding_at(model, node);
  bool is_param = py_binding_is_only(binding, PY_BIND_PARAM) && binding->scope != PY_ABSENT;
  if (py_file_is_only(py_file_value(file, node), PY_FLOAT))
    return is_param ? NUMERIC_FLOAT : NUMERIC_OF_SIZES;
  return is_param && str_equal(model->functions.items[binding->scope].name, STR("__init__")) ? NUMERIC_PLAIN
                                                                                             : NUMERIC_UNKNOWN;
}

static Numeric numeric_of(DiagSink *sink, PyRef node, int depth)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  node = node ? py_model_resolve(file->model, node) : 0;
  PyNodeKind kind = node && depth > 0 ? py_kind(tree, node) : PYK_OTHER;
  const PyCall *call = kind == PYK_CALL ? py_model_call(file->model, node) : NULL;
  switch (kind) {
  case PYK_INTEGER:
    return NUMERIC_PLAIN;
  case PYK_FLOAT:
    return NUMERIC_FLOAT;
  case PYK_IDENTIFIER:
    return numeric_of_name(file, node);
  case PYK_UNARY_OPERATOR:
    return numeric_of(sink, py_child(tree, node, PY_F_ARGUMENT), depth - 1);
  case PYK_BINARY_OPERATOR:
    return numeric_of_two(sink, node, depth);
  case PYK_CALL:
    if (!call || call->argument_count == 0 || !gives_float(call->qualified))
      return NUMERIC_UNKNOWN;
    return numeric_of(sink, py_model_arguments(file->model, call)->value, depth - 1) >= NUMERIC_PLAIN
               ? NUMERIC_FLOAT
               : NUMERIC_OF_SIZES;
  default:
    return NUMERIC_UNKNOWN;
  }
}

// --- Where it is given ---

static bool check_number(DiagSink *sink, PyRef node, Str callee, bool converts)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  Numeric numeric = numeric_of(sink, node, PY_EXPRESSION_DEPTH);
  if (numeric != NUMERIC_FLOAT && (numeric != NUMERIC_OF_SIZES || converts))
    return false;
  PyRef shown = py_tree_strip(tree, node);
  PyRef sign = py_kind(tree, shown) == PYK_BINARY_OPERATOR ? py_child(tree, shown, PY_F_OPERATOR) : 0;
  bool is_quotient = sign && str_equal(py_text(tree, sign), STR("/"));
  py_say(sink, RULE_BROKEN_MODULE, OWN, node,
         arena_printf(sink->arena, "%.*s takes whole numbers, and this is a float: %s", STR_ARG(callee),
                      is_quotient ? "`//` divides without a rest." : "int() makes one of it."),
         is_quotient ? py_edit_replace(sink, false, sign, STR("//")) : NULL);
  return true;
}

/// A number, or a list of them.
static bool check_value(DiagSink *sink, PyRef node, Str callee, bool converts)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyNodeKind kind = py_kind(tree, node);
  if (kind != PYK_TUPLE && kind != PYK_LIST)
    return check_number(sink, node, callee, converts);
  for (PY_EACH_ELEMENT(tree, item, node)) {
    if (!py_tree_is_splat(tree, item) && check_number(sink, item, callee, converts))
      return true;
  }
  return false;
}

static bool is_named(const WholeRow *row, Str name)
{
  Str wanted = row->name;
  bool has_axes = wanted.data[wanted.len - 1] == '#';
  if (!has_axes)
    return str_equal(name, wanted);
  Str stem = str_slice(wanted, 0, wanted.len - 1);
  return name.len == stem.len + 2 && str_starts_with(name, stem) && name.data[name.len - 1] == 'd' &&
         name.data[stem.len] >= '1' && name.data[stem.len] <= '3';
}

/// What a call calls: the last part of its name, and what that is. False for functions of others.
static bool read_callee(DiagSink *sink, const PyCall *call, Str *ret_name, Callee *ret_callee)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  Str layer = STR("torch.nn."), functional = STR("torch.nn.functional."), torch = STR("torch.");
  Str name = call->qualified;
  Str space = str_starts_with(name, functional) ? functional : str_starts_with(name, layer) ? layer : torch;
  *ret_name = str_starts_with(name, space) ? str_slice(name, space.len, name.len) : name;
  *ret_callee = space.data == layer.data ? LAYER : FUNCTION;
  if (str_starts_with(name, torch) || str_equal(name, STR("range")))
    return !str_contains(*ret_name, STR("."));
  PyRef object = name.len == 0 ? py_tree_object(tree, call->function_node) : 0;
  *ret_name = object ? py_tree_member_name(tree, call->function_node) : (Str){ 0 };
  *ret_callee = METHOD;
  return ret_name->len > 0;
}

/// Whether a method is one of a tensor: nothing else has one of that name that takes a float, or it stands in a module.
static bool is_tensors(DiagSink *sink, const PyCall *call, Str method)
{
  static const char *const own[] = { "expand",  "narrow", "new_ones",  "new_zeros", "permute",
                                     "reshape", "topk",   "unflatten", "unfold",    "view" };
  const PyModel *model = sink_python(sink)->model;
  PyRef class_node = call->scope == PY_ABSENT ? 0 : model->functions.items[call->scope].class_node;
  return str_is_one_of(method, own, COUNT(own)) ||
         (class_node && export_method_named(model, class_node, STR("forward")) != PY_ABSENT) ||
         export_is_tensor(model, py_tree_object(&model->tree, call->function_node));
}

/// Whether the layer is an attribute that nothing of the file names again: then it is made, and never run.
static bool is_never_run(const PyModel *model, const PyCall *call)
{
  static const char *const ways[] = { "children", "modules", "getattr", "__dict__" };
  const PyTree *tree = &model->tree;
  PyRef around = tree->nodes[call->node].parent;
  PyRef left = py_kind(tree, around) == PYK_ASSIGNMENT ? py_child(tree, around, PY_F_LEFT) : 0;
  // Only of quotients, so that the text is not gone through for each layer.
  Str own = left && str_contains(py_text(tree, call->node), STR("/")) ? py_tree_own_name(tree, left) : (Str){ 0 };
  uint32_t count = 0;
  for (size_t at = own.len > 0 ? str_find(tree->text, own, 0) : STR_NOT_FOUND; at != STR_NOT_FOUND && count < 2;
       at = str_find(tree->text, own, at + 1))
    count++;
  return count == 1 && !str_contains_one_of(tree->text, ways, COUNT(ways));
}

/// What torch.nn takes as it is when the layer is made, and refuses when that is run.
static bool is_for_running(const WholeRow *row, Str name)
{
  static const char *const options[] = { "stride", "padding", "dilation", "output_padding" };
  bool is_pool = str_contains(name, STR("Pool"));
  return is_pool || (row->keyword && str_is_one_of(str_from(row->keyword), options, COUNT(options)));
}

static void check_row(DiagSink *sink, const PyCall *call, const WholeRow *row, Callee callee, Str name)
{
  const PyModel *model = sink_python(sink)->model;
  if (callee == LAYER && is_for_running(row, name) && is_never_run(model, call))
    return;
  uint32_t position = row->position + (row->callee == EITHER && callee == FUNCTION);
  Str words = arena_printf(sink->arena, "%.*s()", STR_ARG(name));
  const PyArgument *only = row->keyword ? py_model_argument(model, call, position, row->keyword) : NULL;
  if (only)
    check_value(sink, only->value, words, row->converts);
  for (uint32_t i = position; !row->keyword && i < call->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (argument->keyword.len == 0 && check_value(sink, argument->value, words, row->converts))
      return;
  }
}

/// Whether an argument may be a float at all: most are names, and lists of numbers.
static bool may_be_float(const PyModel *model, const PyCall *call)
{
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    PyNodeKind kind = py_kind(&model->tree, argument->value);
    if (kind != PYK_INTEGER && kind != PYK_STRING && kind != PYK_TRUE && kind != PYK_FALSE)
      return true;
  }
  return false;
}

static void check_call(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  Callee callee;
  Str name;
  if (call->argument_count == 0 || call->has_splat || !may_be_float(model, call) ||
      !read_callee(sink, call, &name, &callee))
    return;
  for (size_t i = 0; i < COUNT(rows); i++) {
    const WholeRow *row = &rows[i];
    if (row->name.data[0] != name.data[0])
      continue;
    bool is_it = (row->callee == callee || (row->callee == EITHER && callee != LAYER)) && is_named(row, name);
    if (is_it && (callee != METHOD || is_tensors(sink, call, name)) && !py_tree_try_around(&model->tree, call->node))
      check_row(sink, call, row, callee, name);
  }
}

/// `x[:, :width / 2]`
static void check_slice(DiagSink *sink, PyRef slice)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  for (PY_EACH_CHILD(tree, part, slice)) {
    if (check_number(sink, part, STR("A slice"), false))
      return;
  }
}

void check_python_whole_numbers(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  // There `/` of whole numbers gives one.
  static const char *const python2[] = { "print '", "print \"", "xrange(", "reload(sys)", "raw_input(" };
  if (export_call_count(model) == 0 || model->is_builtin || !sink_wants(sink, RULE_BROKEN_MODULE, OWN) ||
      py_model_mentions_one_of(model, python2, COUNT(python2)))
    return;
  for (size_t i = 0; i < model->calls.count; i++)
    check_call(sink, &model->calls.items[i]);
  for (PyRef node = 1; node < model->tree.count; node++) {
    if (py_kind(&model->tree, node) == PYK_SLICE)
      check_slice(sink, node);
  }
}
