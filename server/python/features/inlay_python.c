// Inlay hints in Python: the opsets at which an export takes a symbolic function, and what positional arguments of
// g.op() are called in the operator's schema.

#include "base/limits.h"
#include "base/sort.h"
#include "base/vec.h"
#include "python/features/python_features.h"
#include "python/features/python_help.h"

typedef struct InlayJob {
  const FeatureContext *context;
  const PyFile *file;
  Range range;
  Vec(InlayHint) hints;
} InlayJob;

static void add(InlayJob *job, size_t offset, InlayKind kind, Str label, Str tooltip)
{
  if (offset >= job->range.start && offset <= job->range.end && job->hints.count < HINT_LIMIT)
    vec_push(&job->hints, (InlayHint){ .offset = offset, .kind = kind, .label = label, .tooltip = tooltip });
}

// --- Opsets ---

/// After the colon of `def f(...) -> T:`.
static size_t header_end(const InlayJob *job, const PyFunction *function)
{
  const PyTree *tree = &job->file->model->tree;
  PyRef last = py_child(tree, function->node, PY_F_RETURN_TYPE);
  if (!last)
    last = py_child(tree, function->node, PY_F_PARAMETERS);
  size_t colon = last ? str_find_char(tree->text, ':', tree->nodes[last].end) : STR_NOT_FOUND;
  return colon == STR_NOT_FOUND || (function->body && colon >= tree->nodes[function->body].start) ? STR_NOT_FOUND
                                                                                                  : colon + 1;
}

static void add_opsets(InlayJob *job, uint32_t index)
{
  const PyFunction *function = &job->file->model->functions.items[index];
  size_t offset = function->name_node ? header_end(job, function) : STR_NOT_FOUND;
  if ((function->roles & PY_ROLE_REGISTERED) == 0 || offset < job->range.start || offset > job->range.end)
    return;
  Arena *arena = job->context->arena;
  PyNames names = py_file_registered_names(job->file, index, arena);
  OpsetSet served = 0;
  bool is_known = true;
  for (size_t i = 0; i < names.count; i++) {
    if (!py_help_is_looked_up(names.items[i]))
      continue;
    served |= py_help_served_opsets(job->file, index, names.items[i]);
    is_known &= !py_help_has_unknown_opset(job->file, index, names.items[i]);
  }
  if (served != 0 && is_known)
    add(job, offset, INLAY_VALUE, arena_printf(arena, "opset %.*s", STR_ARG(opset_set_text(served, arena))),
        STR("The opsets of an export that takes this function"));
}

// --- Names of inputs ---

/// `input`, `self.input`: who reads that knows already.
static bool says_the_same(Str argument, Str name)
{
  return str_equal_ignore_case(argument, name) ||
         (argument.len > name.len && argument.data[argument.len - name.len - 1] == '.' &&
          str_equal_ignore_case(str_slice(argument, argument.len - name.len, argument.len), name));
}

static const OnnxSchema *schema_of(const InlayJob *job, const PyOp *op)
{
  const PyModel *model = job->file->model;
  PyOpsets opsets = op->opset > 0 ? (PyOpsets){ .set = opset_set_of(op->opset), .is_known = true }
                                  : py_help_written_for(job->file, model->calls.items[op->call].node);
  Str name = op->kind == PY_OP_ONNXSCRIPT && op->domain.len > 0
                 ? arena_printf(job->context->arena, "%.*s::%.*s", STR_ARG(op->domain), STR_ARG(op->name))
                 : op->full_name;
  const OnnxOperator *found;
  return py_help_onnx_schema(job->file, name, py_help_shown_opset(job->file, opsets).opset, &found);
}

/// One input needs no name, `A` and `B` of an addition are none, and that of a variadic one says nothing.
static bool has_names(const OnnxSchema *schema)
{
  return schema->input_count > 2 ||
         (schema->input_count == 2 && schema->inputs[0].name.len + schema->inputs[1].name.len > 2);
}

static void add_inputs(InlayJob *job, const PyOp *op)
{
  const PyModel *model = job->file->model;
  if (op->kind == PY_OP_ATEN || !op->name_known || op->input_count == 0)
    return;
  const OnnxSchema *schema = schema_of(job, op);
  if (!schema || !has_names(schema))
    return;
  for (uint32_t i = 0; i < op->input_count && i < schema->input_count; i++) {
    const PyArgument *argument = &model->arguments.items[op->first_input + i];
    if (argument->is_splat || schema->inputs[i].option == ONNX_VARIADIC)
      return;
    Str name = schema->inputs[i].name;
    if (!says_the_same(py_text(&model->tree, argument->node), name))
      add(job, model->tree.nodes[argument->node].start, INLAY_PARAMETER,
          arena_printf(job->context->arena, "%.*s:", STR_ARG(name)), (Str){ 0 });
  }
}

static int compare_hints(const void *a, const void *b)
{
  const InlayHint *x = a;
  const InlayHint *y = b;
  return x->offset < y->offset ? -1 : x->offset > y->offset;
}

InlayHintList python_inlay_hints(const FeatureContext *context, Range range)
{
  InlayJob job = { .context = context, .file = py_file_of_snapshot(context->snapshot), .range = range };
  if (!job.file)
    return (InlayHintList){ 0 };
  const PyModel *model = job.file->model;
  const Target *target = job.file->target;
  for (uint32_t i = 0; i < model->functions.count && !target->hides_opsets; i++)
    add_opsets(&job, i);
  for (size_t i = 0; i < model->ops.count && !target->hides_input_names && !feature_is_cancelled(context); i++) {
    const PyOp *op = &model->ops.items[i];
    bool is_again = i > 0 && op[-1].call == op->call;  // The names of the first of several stand there already.
    if (!is_again && range_touches(py_node_range(&model->tree, model->calls.items[op->call].node), range))
      add_inputs(&job, op);
  }
  InlayHint *items = vec_copy(&job.hints, context->arena);
  sort_stable(items, job.hints.count, sizeof(*items), compare_hints);
  InlayHintList list = { items, job.hints.count };
  vec_free(&job.hints);
  return list;
}
