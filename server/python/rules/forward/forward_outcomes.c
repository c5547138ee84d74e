// What the functions of operators say of the sizes that calls have while shapes are followed.

#include "python/rules/forward/call_outcomes.h"
#include "python/rules/forward/forward_elements.h"
#include "python/rules/forward/layer_options.h"

typedef struct OutcomeAsk {
  ShapeWalk *walk;
  ShapeFrame *frame;
  int depth;
} OutcomeAsk;

static bool shape_of(void *context, PyRef node, Shape *ret_shape)
{
  const OutcomeAsk *ask = context;
  Followed value = forward_value(ask->walk, ask->frame, node, ask->depth);
  *ret_shape = value.shape;
  return value.kind == FOLLOWED_TENSOR;
}

/// A size is a tensor in a trace, so none of these.
static bool constant(void *context, PyRef node, int64_t *ret_number)
{
  const OutcomeAsk *ask = context;
  return module_maker_int(ask->frame->maker, node, ret_number);
}

static bool no_shape(void *context, PyRef node, Shape *ret_shape)
{
  bool is_tensor = shape_of(context, node, ret_shape);
  *ret_shape = shape_unknown();
  return is_tensor;
}

static int numbers_in(void *context, PyRef node)
{
  const OutcomeAsk *ask = context;
  Followed value = forward_value(ask->walk, ask->frame, node, ask->depth);
  return value.kind == FOLLOWED_TUPLE ? (int)value.number : -1;
}

void forward_check_options(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Shape *given,
                           int depth)
{
  OutcomeAsk ask = { walk, frame, depth };
  Str why = walk->trial || !str_starts_with(call->qualified, STR("torch.nn.functional."))
                ? (Str){ 0 }
                : layer_option_refusal(walk->export->model, call, name, given->rank, numbers_in, &ask,
                                       walk->export->sink->arena);
  if (why.len > 0)
    forward_refuse(walk, call->node, why);
}

/// The newest opset that the export may be for.
static int newest_opset(const ExportCall *export)
{
  int opset = export_opset(export->file, export->call);
  return opset > 0 ? opset : py_file_standard_opset(export->file);
}

void forward_check_outcomes(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, const Shape *given,
                            uint32_t first, int depth)
{
  enum { VOLUMES_SINCE = 20 };
  const ExportCall *export = walk->export;
  const PyModel *model = export->model;
  bool is_traced = export->kind == EXPORT_TRACES;
  // With sizes that are tried, only what the TorchScript exporter does not know of open ones counts.
  if (walk->why.len > 0 || (walk->trial && !walk->is_open) || export->kind == EXPORT_EITHER || export->is_capture)
    return;
  Arena *arena = export->sink->arena;
  if (is_traced && given->rank == 5 && str_equal(call->qualified, STR("torch.nn.functional.grid_sample")) &&
      export_torch_is_from(export->file, 2, 6) && newest_opset(export) < VOLUMES_SINCE) {
    forward_refuse_call(walk, call->node,
                        STR("this becomes 'aten::grid_sampler', which can't be exported: of an input of 5 dimensions "
                            "ONNX has it from opset 20 on."));
    return;
  }
  OutcomeAsk ask = { walk, frame, depth };
  CallQuestion question = { .file = export->file,
                            .call = call,
                            .function = first > 0 ? call->qualified : arena_printf(arena, "Tensor.%.*s", STR_ARG(name)),
                            .object = first > 0 ? 0 : py_tree_object(&model->tree, call->function_node),
                            .exporter = is_traced ? EXPORTER_TORCHSCRIPT : EXPORTER_DYNAMO,
                            .opset = export_opset(export->file, export->call),
                            .open = walk->is_open ? DIM_FACTOR : 0,
                            .tensor = shape_of,
                            .number = constant,
                            .context = &ask };
  Str why = call_refusal(&question, arena);
  question.tensor = no_shape;
  if (why.len > 0 && call_refusal(&question, arena).len == 0)
    forward_refuse_call(walk, call->node, why);
}

void forward_check_bits(ShapeWalk *walk, PyRef node, Str sign, const Followed *a, const Followed *b)
{
  enum { AND_SINCE = 18 };
  static const char *const signs[] = { "&", "|", "^", "~" };
  Arena *arena = walk->export->sink->arena;
  bool is_and = str_equal(sign, STR("&"));
  bool is_int =
      str_is_one_of(sign, signs, COUNT(signs)) && ((a->kind == FOLLOWED_TENSOR && forward_is_int_element(a->element)) ||
                                                   (b->kind == FOLLOWED_TENSOR && forward_is_int_element(b->element)));
  if (!is_int || walk->trial || (is_and && newest_opset(walk->export) >= AND_SINCE))
    return;
  forward_refuse_for_exporter(
      walk, node,
      is_and ? arena_printf(arena, "takes `&` of integers, which the TorchScript exporter converts from opset %d on",
                            AND_SINCE)
             : arena_printf(arena, "takes `%.*s` of integers, which the TorchScript exporter converts of bools only",
                            STR_ARG(sign)));
}
