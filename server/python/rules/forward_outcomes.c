// What the functions of operators say of the sizes that calls have while shapes are followed.

#include "python/rules/call_outcomes.h"
#include "python/rules/forward_values.h"

typedef struct OutcomeAsk {
  ShapeWalk *walk;
  ShapeFrame *frame;
  int depth;
} OutcomeAsk;

static bool shape_of(void *context, PyRef node, Shape *ret_shape)
{
  const OutcomeAsk *ask = context;
  Value value = forward_value(ask->walk, ask->frame, node, ask->depth);
  *ret_shape = value.shape;
  return value.kind == VALUE_TENSOR;
}

static bool no_shape(void *context, PyRef node, Shape *ret_shape)
{
  bool is_tensor = shape_of(context, node, ret_shape);
  *ret_shape = shape_unknown();
  return is_tensor;
}

void forward_check_outcomes(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, uint32_t first, int depth)
{
  const ExportCall *export = walk->export;
  const PyModel *model = export->model;
  bool is_traced = export->kind == EXPORT_TRACES;
  // With sizes that are tried, only what the TorchScript exporter does not know of open ones counts.
  if (walk->why.len > 0 || (walk->trial && !walk->is_open) || export->kind == EXPORT_EITHER || export->is_capture)
    return;
  Arena *arena = export->sink->arena;
  OutcomeAsk ask = { walk, frame, depth };
  CallQuestion question = { .file = export->file,
                            .call = call,
                            .function = first > 0 ? call->qualified : arena_printf(arena, "Tensor.%.*s", STR_ARG(name)),
                            .object = first > 0 ? 0 : py_child(&model->tree, call->function_node, PY_F_OBJECT),
                            .exporter = is_traced ? EXPORTER_TORCHSCRIPT : EXPORTER_DYNAMO,
                            .opset = export_opset(export->file, export->call),
                            .open = walk->is_open ? DIM_FACTOR : 0,
                            .tensor = shape_of,
                            .context = &ask };
  Str why = call_refusal(&question, arena);
  question.tensor = no_shape;
  if (why.len > 0 && call_refusal(&question, arena).len == 0)
    forward_refuse_call(walk, call->node, why);
}
