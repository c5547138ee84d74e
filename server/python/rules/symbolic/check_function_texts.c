// Shapes and types that flow from one g.op() to the next: an axis that a constant does not have, a Reshape of six
// elements into four, ScatterND of floats with integers.
//
// The operators that the file's functions make are written down as ONNX text, and what the flow of ONNX text says of
// shapes and types is told where it comes from. Inputs of the functions are of a type and a shape that nobody knows,
// unless what is made of them tells. Run with torch 1.13, 2.6 and 2.14: full_check of onnx refuses such a model, if the
// exporter, which folds constants, gets that far.

#include "base/limits.h"
#include "python/rules/symbolic/function_text.h"
#include "python/rules/symbolic/op.h"

/// What was said at one opset.
typedef struct Said {
  PyRef node;
  const PyOp *op;
  RuleId rule;
  Str message;
  int times;
  bool is_told;
} Said;

typedef Vec(Said) SaidList;

typedef struct TextCheck {
  DiagSink *sink;
  const PyFile *file;
  MadeWork work;
  FunctionPlan plan;
  SaidList said;
  const uint32_t *casts;  ///< By PyModel.functions, 1 more than the first operator whose inputs the exporter casts; 0.
} TextCheck;

/// The operator that the node is a part of; NULL.
static const PyOp *op_around(const PyModel *model, PyRef node)
{
  const PyOp *op = NULL;
  for (int i = 0; node && !op && i < PY_NESTING_LIMIT; i++, node = model->tree.nodes[node].parent)
    op = py_model_op_at(model, node);
  return op;
}

/// Whether the exporter folds the operator, as all that goes into it is made of constants, and PyTorch takes any types
/// for that; of Squeeze also axes that are no 1. Run with torch 1.13, 2.6 and 2.14.
/// Source: torch/csrc/jit/passes/onnx/constant_fold.cpp, runTorchBackendForOnnx().
static bool is_folded(TextCheck *check, const PyOp *op)
{
  static const char *const folded[] = { "Add",   "Cast",  "Concat",   "Div",       "Equal",      "Greater",
                                        "Less",  "Mod",   "Mul",      "Neg",       "Not",        "Range",
                                        "Shape", "Sqrt",  "ReduceL1", "ReduceL2",  "ReduceProd", "ReduceSum",
                                        "Sub",   "Where", "Squeeze",  "Transpose", "Unsqueeze" };
  const PyModel *model = check->file->model;
  if (!str_is_one_of(op->name, folded, COUNT(folded)))
    return false;
  for (uint32_t i = 0; i < op->input_count; i++) {
    const PyArgument *input = &model->arguments.items[op->first_input + i];
    if (!input->value || !function_text_is_constant(&check->work, check->file, input->value))
      return false;
  }
  return op->input_count > 0;
}

/// Whether a rule about the operator alone said something of it before.
static bool is_reported(const DiagSink *sink, Range range)
{
  for (size_t i = sink->serious_before; i < sink->serious.count; i++) {
    Range other = sink->serious.items[i].range;
    if (range.start <= other.start && other.start < range.end)
      return true;
  }
  return false;
}

static bool is_after_cast(const TextCheck *check, const PyOp *op)
{
  uint32_t cast = check->casts[op->scope];
  return cast != 0 && (uint32_t)(op - check->file->model->ops.items) + 1 >= cast;
}

static void note(TextCheck *check, const MadePlace *place, const Diagnostic *diagnostic)
{
  const PyOp *op = op_around(check->file->model, place->node);
  bool is_type = diagnostic->rule == RULE_TYPE_MISMATCH;
  if (!op || is_after_cast(check, op) || ((is_type || str_equal(op->name, STR("Squeeze"))) && is_folded(check, op)))
    return;
  for (size_t i = 0; i < check->said.count; i++) {
    Said *said = &check->said.items[i];
    if (said->node == place->node && said->rule == diagnostic->rule) {
      said->times++;
      return;
    }
  }
  vec_push(&check->said, (Said){ place->node, op, diagnostic->rule, diagnostic->message, 1, false });
}

/// What comes of operators whose inputs the exporter casts is of other types than those that were followed.
static const uint32_t *find_casts(const TextCheck *check, const MadeModel *made, const DiagnosticList *list)
{
  const PyModel *model = check->file->model;
  uint32_t *casts = ARENA_ARRAY(check->sink->arena, uint32_t, model->functions.count);
  for (size_t i = 0; i < list->count; i++) {
    bool is_type = list->items[i].rule == RULE_TYPE_MISMATCH;
    const MadePlace *place = is_type ? made_place_at(made, list->items[i].range) : NULL;
    const PyOp *op = place && place->node ? op_around(model, place->node) : NULL;
    if (op && function_text_is_repaired(op) && casts[op->scope] == 0)
      casts[op->scope] = (uint32_t)(op - model->ops.items) + 1;
  }
  return casts;
}

static void check_opset(TextCheck *check, int opset)
{
  MadeModel made;
  function_text_write(&check->work, check->file, &check->plan, opset, &made);
  DiagnosticList list = made_diagnose(check->sink, buffer_str(&made.text), STR("made.onnx"));
  check->casts = find_casts(check, &made, &list);
  for (size_t i = 0, asked = 0; i < list.count && asked < PY_ELEMENT_LIMIT; i++) {
    bool is_ours = list.items[i].rule == RULE_TYPE_MISMATCH || list.items[i].rule == RULE_SHAPE_MISMATCH;
    const MadePlace *place = is_ours ? made_place_at(&made, list.items[i].range) : NULL;
    asked += is_ours;
    if (place && place->node)
      note(check, place, &list.items[i]);
  }
  made_model_done(&made);
}

/// The same of what an input was made of, a Constant of a name too.
static bool is_maker_reported(const TextCheck *check, PyRef node)
{
  const PyModel *model = check->file->model;
  PyRef made = py_file_made(check->file, node);
  if (!made || made >= model->tree.count)
    return false;
  const PyOp *op = py_model_op_at(model, made);
  PyRef value = op && op->attribute_count > 0 ? model->attributes.items[op->first_attribute].value : 0;
  PyRef data = value ? py_file_made(check->file, value) : 0;
  return is_reported(check->sink, py_range(check->sink, made)) ||
         (data && data < model->tree.count && is_reported(check->sink, py_range(check->sink, data)));
}

static void tell(TextCheck *check, const Said *said)
{
  const PyModel *model = check->file->model;
  const OpSpan *span = &check->plan.spans[said->op - model->ops.items];
  PyRef call = model->calls.items[said->op->call].node;
  bool is_sure = span->is_known || span->lowest == span->highest || said->times > 1;
  if (!is_sure || is_reported(check->sink, py_range(check->sink, call)) || is_maker_reported(check, said->node) ||
      !sink_wants(check->sink, said->rule, SEVERITY_WARNING))
    return;
  py_report(check->sink, said->rule, SEVERITY_WARNING, said->node, (Diagnostic){ .message = said->message });
}

/// Each opset at which something is to be written.
static void check_written(TextCheck *check)
{
  OpsetSet opsets = 0;
  for (size_t i = 0; i < check->file->model->ops.count; i++)
    opsets |= check->plan.spans[i].written > 0 ? opset_set_of(check->plan.spans[i].written) : 0;
  for (OPSET_SET_EACH(opset, opsets))
    check_opset(check, opset);
}

/// What was said at the highest opset, and may not be used there, again at the lowest.
static void check_lowest(TextCheck *check)
{
  const PyModel *model = check->file->model;
  bool *is_doubtful = ARENA_ARRAY(check->sink->arena, bool, model->functions.count);
  for (size_t i = 0; i < check->said.count; i++) {
    const OpSpan *span = &check->plan.spans[check->said.items[i].op - model->ops.items];
    is_doubtful[check->said.items[i].op->scope] |= !span->is_known && span->lowest != span->highest;
  }
  for (size_t i = 0; i < model->ops.count; i++) {
    uint32_t scope = model->ops.items[i].scope;
    bool is_asked = scope != PY_ABSENT && is_doubtful[scope] && check->plan.spans[i].written > 0;
    check->plan.spans[i].written = is_asked ? check->plan.spans[i].lowest : 0;
  }
  check_written(check);
}

void check_python_function_texts(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  TextCheck check = { .sink = sink, .file = file, .work = { .arena = sink->arena } };
  if (model->ops.count == 0 || model->is_builtin || !py_model_mentions(model, "\"Constant\""))
    return;
  check.plan = function_text_plan(&check.work, file);
  check_written(&check);
  check_lowest(&check);
  for (size_t i = 0; i < check.said.count; i++)
    tell(&check, &check.said.items[i]);
  vec_free(&check.said);
}
