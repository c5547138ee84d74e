// The stage of an export that a message belongs to, and how the export ended.

#include "why/pick.h"

static Str step_stage(StepKind kind)
{
  static const Str stages[STEP_COUNT] = {
    [STEP_CAPTURE] = STR_INIT("pt_export"),    [STEP_DECOMPOSE] = STR_INIT("decomposition"),
    [STEP_TRANSLATE] = STR_INIT("conversion"), [STEP_OPTIMIZE] = STR_INIT("optimization"),
    [STEP_CHECK] = STR_INIT("checker"),        [STEP_RUN] = STR_INIT("runtime"),
    [STEP_COMPARE] = STR_INIT("accuracy"),
  };
  return stages[kind];
}

/// The step that failed, else the one that was begun and did not end; empty if there is none.
Str why_step_with(const WhyCut *cut, StepResult result)
{
  for (int i = 0; i < STEP_COUNT; i++) {
    if (cut->has_step[i] && cut->steps[i] == result)
      return step_stage((StepKind)i);
  }
  return (Str){ 0 };
}

/// Whether an exception went through the call itself: the axes of the model are named, and it is written, after the
/// last step. A report holds what the ways of capturing raised, which the exporter caught.
static bool is_raised_by_call(const WhyCut *cut)
{
  for (size_t i = 0; i < cut->failure_count && !cut->is_report; i++) {
    const WhyFailure *failure = &cut->failures[i];
    for (uint32_t k = 0; k < failure->frame_count && !failure->is_warning; k++) {
      const WhyFrame *frame = &cut->frames[failure->first_frame + k];
      if (str_equal(frame->function, STR("export")) && why_path_holds(frame->path, STR("torch/onnx/__init__.py")))
        return true;
    }
  }
  return false;
}

WhyOutcome why_outcome(const WhyCut *cut)
{
  if (!cut->has_steps)
    return WHY_UNKNOWN;
  if (why_step_with(cut, STEP_FAILED).len > 0)
    return WHY_FAILED;
  bool is_done = cut->has_step[STEP_TRANSLATE] && cut->steps[STEP_TRANSLATE] == STEP_OK;
  if (is_done && is_raised_by_call(cut))
    return WHY_FAILED;
  return is_done && why_step_with(cut, STEP_BEGUN).len == 0 ? WHY_SUCCEEDED : WHY_UNKNOWN;
}

/// A frame of torch's code that exports or captures, not of what runs, checks, saves or loads the result.
static bool is_exporting(const WhyFrame *frame)
{
  static const Str exporters[] = { STR_INIT("torch/onnx/"), STR_INIT("torch/export/"), STR_INIT("torch/_export/") };
  static const Str others[] = { STR_INIT("/_unlift.py"), STR_INIT("/unflatten.py"), STR_INIT("verification"),
                                STR_INIT("/serde/"), STR_INIT("/pt2_archive/") };
  bool is_exporter = false;
  for (size_t i = 0; i < COUNT(exporters); i++)
    is_exporter |= why_path_holds(frame->path, exporters[i]);
  for (size_t i = 0; i < COUNT(others); i++)
    is_exporter &= !why_path_holds(frame->path, others[i]);
  return is_exporter && !str_equal(frame->function, STR("load")) && !str_equal(frame->function, STR("save"));
}

bool why_is_of_export(const WhyCut *cut, uint32_t chain)
{
  for (size_t i = 0; i < cut->failure_count; i++) {
    const WhyFailure *failure = &cut->failures[i];
    for (uint32_t k = 0; k < failure->frame_count && failure->chain == chain && !failure->is_warning; k++) {
      if (is_exporting(&cut->frames[failure->first_frame + k]))
        return true;
    }
  }
  return false;
}

/// What the exceptions around the hit say of the stage: "This is step 3/3".
static Str chain_stage(const Why *why, const Hit *hit)
{
  Str found = { 0 };
  for (size_t i = 0; i < why->hit_count; i++) {
    const Hit *other = &why->hits[i];
    bool is_wrapper = other->match->message->level == MESSAGE_CONTEXT && other->match->message->exporter >= 0;
    if (is_wrapper && other->chain == hit->chain && other->failure)
      found = other->match->message->stage;
  }
  return found;
}

/// Stages that a message knows better than the step in which it was met.
static bool is_sure_stage(Str stage)
{
  static const Str stages[] = { STR_INIT("environment"), STR_INIT("version_conversion"),
                                STR_INIT("save"),        STR_INIT("runtime"),
                                STR_INIT("checker"),     STR_INIT("shape_inference"),
                                STR_INIT("accuracy") };
  for (size_t i = 0; i < COUNT(stages); i++) {
    if (str_equal(stages[i], stage))
      return true;
  }
  return false;
}

/// ONNX Runtime runs onnx's checks, too, when it loads a model.
static bool is_said_by_runtime(const Why *why, const Hit *hit)
{
  size_t start = hit->match->start;
  Str text = why->clean.text;
  while (start > 0 && text.data[start - 1] != '\n')
    start--;
  Str before =
      hit->failure ? str_slice(text, hit->failure->start, hit->match->end) : str_slice(text, start, hit->match->end);
  return str_find(before, STR("[ONNXRuntimeError]"), 0) != STR_NOT_FOUND ||
         str_find(before, STR("onnxruntime"), 0) != STR_NOT_FOUND;
}

Str why_stage(const Why *why, const Hit *hit)
{
  Str own = hit->match->message->stage;
  if ((str_equal(own, STR("checker")) || str_equal(own, STR("shape_inference"))) && is_said_by_runtime(why, hit))
    return STR("runtime");
  if (is_sure_stage(own) || hit->match->message->level >= MESSAGE_WARNING)
    return own;
  Str around = chain_stage(why, hit);
  if (around.len == 0 && hit->failure)
    around = why_step_with(&why->cut, STEP_FAILED);
  if (around.len == 0 && hit->failure && hit->match->message->exporter < 0)
    around = why_stage_of_frames(&why->cut, hit->failure);
  return around.len > 0 ? around : own;
}

/// What is done in a file or function of the software, the narrower first.
typedef struct FrameStage {
  Str path, function;  ///< Empty: any.
  Str stage;
} FrameStage;

static const FrameStage frame_stages[] = {
  { STR_INIT("torch/export/"), STR_INIT("run_decompositions"), STR_INIT("decomposition") },
  { STR_INIT("torch/jit/"), STR_INIT(""), STR_INIT("trace") },
  { STR_INIT("torch/onnx/"), STR_INIT("_trace_and_get_graph_from_model"), STR_INIT("trace") },
  { STR_INIT("torch/_dynamo/"), STR_INIT(""), STR_INIT("pt_export") },
  { STR_INIT("torch/_export/"), STR_INIT(""), STR_INIT("pt_export") },
  { STR_INIT("torch/export/"), STR_INIT(""), STR_INIT("pt_export") },
  { STR_INIT("exporter/_capture_strategies.py"), STR_INIT(""), STR_INIT("pt_export") },
  { STR_INIT("torch/onnx/"), STR_INIT("_run_symbolic_function"), STR_INIT("conversion") },
  { STR_INIT("torch/onnx/"), STR_INIT("_run_symbolic_method"), STR_INIT("conversion") },
  { STR_INIT("torch/onnx/"), STR_INIT("_translate_fx_graph"), STR_INIT("conversion") },
  { STR_INIT("onnxscript/function_libs/"), STR_INIT(""), STR_INIT("conversion") },
  { STR_INIT("onnxscript/version_converter/"), STR_INIT(""), STR_INIT("version_conversion") },
  { STR_INIT("onnx/version_converter.py"), STR_INIT(""), STR_INIT("version_conversion") },
  { STR_INIT("onnxscript/optimizer/"), STR_INIT(""), STR_INIT("optimization") },
  { STR_INIT("onnxscript/rewriter/"), STR_INIT(""), STR_INIT("optimization") },
  { STR_INIT("onnx/checker.py"), STR_INIT(""), STR_INIT("checker") },
  { STR_INIT("onnx/shape_inference.py"), STR_INIT(""), STR_INIT("shape_inference") },
  { STR_INIT("onnxruntime/capi/"), STR_INIT(""), STR_INIT("runtime") },
};

/// Whether a traceback goes through it.
static bool passes(const WhyCut *cut, const WhyFailure *failure, const FrameStage *stage)
{
  for (uint32_t i = 0; i < failure->frame_count; i++) {
    const WhyFrame *frame = &cut->frames[failure->first_frame + i];
    bool is_function = stage->function.len == 0 || str_equal(frame->function, stage->function);
    if (is_function && why_path_holds(frame->path, stage->path))
      return true;
  }
  return false;
}

Str why_stage_of_frames(const WhyCut *cut, const WhyFailure *failure)
{
  for (size_t i = 0; i < COUNT(frame_stages); i++) {
    if (passes(cut, failure, &frame_stages[i]))
      return frame_stages[i].stage;
  }
  return (Str){ 0 };
}

int why_find_exporter(const Why *why)
{
  Str text = why->clean.text;
  if (why->cut.has_steps || str_find(text, STR("torch.onnx._internal.exporter."), 0) != STR_NOT_FOUND)
    return EXPORTER_DYNAMO;
  if (str_find(text, STR("torch/onnx/_internal/exporter"), 0) != STR_NOT_FOUND ||
      str_find(text, STR("torch/onnx/_internal/fx/"), 0) != STR_NOT_FOUND)
    return EXPORTER_DYNAMO;
  bool is_old = str_find(text, STR("torch.onnx.errors."), 0) != STR_NOT_FOUND ||
                str_find(text, STR("torch/onnx/utils.py"), 0) != STR_NOT_FOUND;
  return is_old ? EXPORTER_TORCHSCRIPT : -1;
}
