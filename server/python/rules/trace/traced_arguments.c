#include "python/rules/trace/traced_arguments.h"
#include "python/rules/dynamo/capture_calls.h"
#include "python/rules/export/example_inputs.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/forward/forward_sizes.h"
#include "python/rules/trace/traced_applied.h"
#include "python/rules/trace/traced_support.h"
#include "python/rules/trace/untyped_weights.h"

static void say(Forward *forward, PyRef node, Str words)
{
  if (forward_runs_always(forward, node) && sink_wants(forward->sink, RULE_REFUSED_CALL, OWN))
    py_say(forward->sink, RULE_REFUSED_CALL, OWN, node, words, NULL);
}

/// `x` of `x.view(...)`; 0 where that is no tensor for sure.
static PyRef tensor_of(Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  PyRef object = py_tree_object(tree, call->function_node);
  return object && forward_is_tensor(forward, object, PY_EXPRESSION_DEPTH) ? object : 0;
}

static bool is_method(const Forward *forward, const PyCall *call, Str name)
{
  const PyTree *tree = &forward->model->tree;
  return str_equal(py_tree_member_name(tree, call->function_node), name);
}

PyRef traced_arguments_viewed_type(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  bool is_view = call->argument_count == 1 && is_method(forward, call, STR("view"));
  const PyArgument *type = is_view ? py_model_arguments(model, call) : NULL;
  bool is_type = type && py_model_is_dtype(py_model_qualified(model, type->value, forward->sink->arena));
  return is_type && tensor_of(forward, call) ? type->node : 0;
}

/// Torch's IR has no operator aten::view with these arguments.
static void check_view(Forward *forward, const PyCall *call)
{
  PyRef type = traced_arguments_viewed_type(forward, call);
  if (type)
    say(forward, type,
        STR("view() as another element type can't be exported: compute with numbers, or convert them with to()."));
}

/// A function of the file itself, which has nothing but what it is given.
static bool is_plain_function(const PyModel *model, const PyArgument *argument)
{
  uint32_t index = argument ? py_model_callable(model, argument->value).function : PY_ABSENT;
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  return function && function->parent == PY_ABSENT && !function->class_node;
}

/// Checkpointing by an autograd.Function, which the trace loses the modules in.
static void check_checkpoint(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyArgument *reentrant = py_model_argument(model, call, PY_ABSENT, "use_reentrant");
  PyNodeKind kind = reentrant ? py_kind(&model->tree, py_model_resolve(model, reentrant->value)) : PYK_TRUE;
  if ((str_equal(call->qualified, STR("torch.utils.checkpoint.checkpoint")) ||
       str_equal(call->qualified, STR("torch.utils.checkpoint.checkpoint_sequential"))) &&
      (kind == PYK_TRUE || kind == PYK_NONE) && !call->has_dictionary_splat &&
      !is_plain_function(model, py_model_argument(model, call, 0, NULL)))
    say(forward, call->function_node,
        STR("The TorchScript exporter fails on gradient checkpointing: switch it off for the export, or give "
            "use_reentrant=False."));
}

/// A packed sequence that nothing pads again: the exporter moves the packing behind recurrent layers and takes it away
/// with the padding. Where only the states are used torch 1.13 lets it go; later ones fail. Run with torch 1.13, 2.6
/// and 2.14.
static void check_packing(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  PyRef body = model->functions.items[forward->function].body;
  if (!str_equal(call->qualified, STR("torch.nn.utils.rnn.pack_padded_sequence")) || forward->support->has_padding ||
      !(export_torch_is_from(sink_python(forward->sink), 2, 6) ||
        str_contains(py_text(&model->tree, body), STR(".data"))))
    return;
  say(forward, call->function_node,
      STR("The TorchScript exporter can't convert a packed sequence that is not padded again: end with "
          "pad_packed_sequence(), or give the layer the padded one."));
}

/// `F.dropout(x, 0.5)`: `training` is True by default, also in a model that is not trained. Run with torch 1.13
/// and 2.6.
static void check_dropout(Forward *forward, const PyCall *call)
{
  static const char *const of_channels[] = { "torch.nn.functional.dropout1d", "torch.nn.functional.dropout2d",
                                             "torch.nn.functional.dropout3d" };
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  bool is_plain = str_equal(call->qualified, STR("torch.nn.functional.dropout"));
  const PyArgument *training = py_model_argument(model, call, 2, "training");
  const PyArgument *part = py_model_argument(model, call, 1, "p");
  Str none = part ? py_text(tree, py_tree_strip(tree, part->value)) : (Str){ 0 };
  bool is_off = (training && py_kind(tree, py_model_resolve(model, training->value)) != PYK_TRUE) ||
                str_equal(none, STR("0")) || str_equal(none, STR("0.0"));
  if (!forward->is_evaluated || is_off || call->has_dictionary_splat ||
      (!is_plain && !str_is_one_of(call->qualified, of_channels, COUNT(of_channels))) ||
      !forward_has_tensor_argument(forward, call))
    return;
  if (!is_plain)
    say(forward, call->function_node,
        STR("`training` is True by default, and the TorchScript exporter can't convert dropout of channels that trains: "
            "give training=self.training."));
  else if (forward_runs_always(forward, call->node) && sink_wants(forward->sink, RULE_WRONG_EXPORT, OWN))
    py_say(forward->sink, RULE_WRONG_EXPORT, OWN, call->function_node,
           STR("The exported model drops elements at random here, as `training` is True by default: give "
               "training=self.training."),
           NULL);
}

/// F.linear() is differentiated by its input with the weights alone.
static void check_gradient(Forward *forward, const PyCall *call)
{
  if (!forward->support->has_linear && capture_keeps_gradient(forward, call))
    say(forward, call->node,
        STR("The TorchScript exporter fails on this gradient: a linear layer, a normalization, relu(), exp() and the "
            "like keep a tensor of their own for it, which the trace has not. Write the derivative out."));
}

/// `torch.nn.LSTM(8, 16, proj_size=4)`, which symbolic_opset9.lstm refuses.
static void check_projection(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyCall *layer = py_model_call(model, forward_own_part(forward, call->function_node));
  const PyArgument *size = layer && str_equal(layer->qualified, STR("torch.nn.LSTM"))
                               ? py_model_argument(model, layer, 7, "proj_size")
                               : NULL;
  int64_t number;
  if (size && py_model_int(model, size->value, &number) && number > 0)
    say(forward, call->function_node,
        STR("The TorchScript exporter can't convert an LSTM with projections: leave `proj_size` out, and put a linear "
            "layer after it."));
}

bool traced_arguments_draws_weights(const PyCall *call)
{
  static const char *const drawn[] = {
    "Linear",
    "Bilinear",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "Embedding",
    "GRU",
    "LSTM",
    "RNN",
    "GRUCell",
    "LSTMCell",
    "RNNCell",
    "MultiheadAttention",
    "TransformerEncoderLayer",
  };
  Str space = STR("torch.nn.");
  return str_starts_with(call->qualified, space) &&
         str_is_one_of(str_slice(call->qualified, space.len, call->qualified.len), drawn, COUNT(drawn));
}

/// A trace has that the weights are drawn, and no symbolic function is for it.
static void check_created(Forward *forward, const PyCall *call)
{
  if (traced_arguments_draws_weights(call))
    say(forward, call->function_node,
        STR("The TorchScript exporter fails on a layer that forward() makes, as its weights are drawn there: make it in "
            "__init__()."));
}

/// The call that makes the function that is called: `CenterCrop(8)(x)`, `self.crop(x)`; NULL.
static const PyCall *maker_called(const Forward *forward, const PyCall *call)
{
  PyRef made = forward_own_part(forward, call->function_node);
  return py_model_call(forward->model, made ? made : py_model_resolve(forward->model, call->function_node));
}

/// `self.act = torch.compile(act)` and `@torch.compile` of a function of the file.
static bool runs_compiled(const Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyCall *maker = maker_called(forward, call);
  if (maker && str_equal(maker->qualified, STR("torch.compile")))
    return maker->argument_count > 0 && !maker->has_dictionary_splat &&
           !py_model_argument(model, maker, PY_ABSENT, "disable");
  uint32_t function = py_model_callable(model, call->function_node).function;
  PyRef outer = function == PY_ABSENT ? 0 : model->functions.items[function].outer;
  for (PY_EACH_DECORATOR(model, decorator, outer)) {
    const PyCall *made = py_model_call(model, decorator);
    Str name = made ? made->qualified : py_model_qualified(model, decorator, forward->sink->arena);
    if (str_equal(name, STR("torch.compile")))
      return true;
  }
  return false;
}

static void check_compiled(Forward *forward, const PyCall *call)
{
  if (forward->support->has_compiled && runs_compiled(forward, call))
    say(forward, call->function_node,
        STR("The TorchScript exporter can't trace what torch.compile() makes: call what it was made of."));
}

/// Transforms of torchvision that round sizes, which are tensors in a trace.
static void check_transform(Forward *forward, const PyCall *call)
{
  static const char *const rounding[] = { "torchvision.transforms.CenterCrop", "torchvision.transforms.FiveCrop",
                                          "torchvision.transforms.functional.center_crop",
                                          "torchvision.transforms.functional.five_crop" };
  const PyArgument *image = py_model_argument(forward->model, call, 0, "img");
  if (!image || !forward->support->has_crops || !export_torch_is_from(sink_python(forward->sink), 2, 6) ||
      !(forward_is_tensor(forward, image->value, PY_EXPRESSION_DEPTH) ||
        forward_is_tensor_at_first(forward, image->value)))
    return;
  const PyCall *maker = maker_called(forward, call);
  if (str_is_one_of(maker ? maker->qualified : call->qualified, rounding, COUNT(rounding)))
    say(forward, call->function_node,
        STR("This transform of torchvision rounds sizes, which are tensors in a trace, and fails: cut the image with a "
            "slice."));
}

/// A truth value that torch takes as one of Python only.
static bool is_flag_keyword(const PyCall *call, Str keyword)
{
  static const char *const keywords[] = { "keepdim",   "align_corners", "largest",           "sorted",  "descending",
                                          "ceil_mode", "is_causal",     "count_include_pad", "unbiased" };
  return str_is_one_of(keyword, keywords, COUNT(keywords)) ||
         (str_equal(keyword, STR("training")) && str_equal(call->qualified, STR("torch.nn.functional.dropout")));
}

static bool is_flag(const Forward *forward, PyRef node)
{
  const PyBinding *binding = forward_only_binding(forward, py_tree_strip(&forward->model->tree, node));
  return binding && binding->kind == PY_BIND_PARAM && forward->flag_params && forward->flag_params[binding->index];
}

static void check_flags(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    Str name = py_text(&model->tree, argument->value);
    if (is_flag_keyword(call, argument->keyword) && is_flag(forward, argument->value) &&
        (str_starts_with(call->qualified, STR("torch.")) || tensor_of(forward, call)))
      say(forward, argument->node,
          arena_printf(forward->sink->arena,
                       "What the export gives '%.*s', be it the default, is a tensor in the trace, and %.*s takes only "
                       "True or False of Python: keep it in the module.",
                       STR_ARG(name), STR_ARG(argument->keyword)));
  }
}

/// `round(x.shape[2] / 2)`: a size is a tensor in a trace, and tensors can't be rounded so. Run with torch 1.13, 2.6
/// and 2.14.
static void check_rounding(Forward *forward, const PyCall *call)
{
  static const char *const functions[] = { "round", "divmod" };
  const PyArgument *first = py_model_argument(forward->model, call, 0, NULL);
  if (first && str_is_one_of(call->qualified, functions, COUNT(functions)) &&
      (forward_is_traced_size(forward, first->value) || forward_is_tensor(forward, first->value, PY_EXPRESSION_DEPTH)))
    say(forward, call->node,
        arena_printf(
            forward->sink->arena,
            "A size of a tensor is a tensor in the trace, and %.*s() takes none: use `//` and `%%`, or int() of "
            "what may stay a constant.",
            STR_ARG(call->qualified)));
}

void traced_arguments_check(Forward *forward, const PyCall *call)
{
  check_dropout(forward, call);
  if (!forward->support->is_judged)
    return;
  check_view(forward, call);
  check_checkpoint(forward, call);
  check_packing(forward, call);
  traced_applied_check(forward, call);
  untyped_weights_check(forward, call);
  check_projection(forward, call);
  check_transform(forward, call);
  check_compiled(forward, call);
  check_created(forward, call);
  check_gradient(forward, call);
  check_flags(forward, call);
  check_rounding(forward, call);
}

void traced_arguments_check_attribute(Forward *forward, PyRef attribute)
{
  static const char *const makers[] = { "torch.sparse_coo_tensor", "torch.sparse_csr_tensor" };
  const PyModel *model = forward->model;
  PyRef made = forward->support->is_judged ? forward_own_part(forward, attribute) : 0;
  const PyCall *call = py_model_call(model, made);
  if (call && str_is_one_of(call->qualified, makers, COUNT(makers)))
    say(forward, attribute, STR("A sparse tensor can't be part of an export: keep it dense, with to_dense()."));
}

void traced_arguments_note_flags(const ExportCall *export, const ExportModel *made, bool *flag_params)
{
  const PyModel *model = export->model;
  const ExampleInputs *inputs = example_inputs(export, made);
  const PyFunction *forward = &model->functions.items[made->forward];
  for (uint32_t i = 1; i < forward->param_count && inputs->is_known; i++) {
    uint32_t param = forward->first_param + i;
    const ExampleInput *input = example_input_named(inputs, model->params.items[param].name);
    PyRef value = !input || input->is_rest ? 0
                  : input->is_default      ? model->params.items[param].default_value
                                           : input->value;
    PyNodeKind kind = value ? py_kind(&model->tree, value) : PYK_OTHER;
    flag_params[param] |= kind == PYK_TRUE || kind == PYK_FALSE;
  }
}

void traced_arguments_check_model(const ExportCall *export, const ExportModel *made)
{
  static const char *const layers[] = { "Transformer", "TransformerDecoder", "TransformerDecoderLayer",
                                        "TransformerEncoderLayer" };
  DiagSink *sink = export->sink;
  const PyArgument *model = export_argument(export, "model");
  if (!model || export->kind != EXPORT_TRACES || !export_torch_is_from(export->file, 2, 6) ||
      !str_is_one_of(made->torch_class, layers, COUNT(layers)) || !sink_wants(sink, RULE_REFUSED_CALL, OWN))
    return;
  py_say(
      sink, RULE_REFUSED_CALL, OWN, model->value,
      arena_printf(sink->arena,
                   "The TorchScript exporter gives torch.nn.%.*s its default is_causal as a tensor, and fails on it: "
                   "export a module whose forward() calls it.",
                   STR_ARG(made->torch_class)),
      NULL);
}
