// What can be said where no message is known: the exception itself, what was being done, and operators that it names.

#include "why/answerer.h"

#include "base/ascii.h"

enum { UNKNOWN_SHOWN = 3, SHOWN = 300 };

static bool is_name_byte(char c)
{
  return ascii_is_word(c) || c == '.' || c == ':';
}

/// The first operator that PyTorch knows among the words of `text`.
static Str find_operator(const Why *why, Str text)
{
  for (size_t i = 0; i < text.len;) {
    size_t end = i;
    while (end < text.len && is_name_byte(text.data[end]))
      end++;
    Str word = why_bare(str_slice(text, i, end));
    Str name, overload;
    if (word.len > 4 && why_torch_name(word, why->arena, &name, &overload) && symbolics_torch_operator(why->db, name))
      return word;
    i = end + 1;
  }
  return (Str){ 0 };
}

/// The hit that says of `chain` what was being done; NULL if none does.
static const Hit *context_of(const Why *why, uint32_t chain)
{
  for (size_t i = 0; i < why->hit_count; i++) {
    const Hit *hit = &why->hits[i];
    if (!hit->is_dropped && hit->chain == chain && hit->match->message->level == MESSAGE_CONTEXT)
      return hit;
  }
  return NULL;
}

/// Whether the exception says what was being done, and nothing else. torch.fx puts "While executing %node" below the
/// words of whatever was raised.
static bool has_context_in(const Why *why, const WhyFailure *failure)
{
  Str own = str_slice(why->clean.text, failure->message, failure->end);
  size_t first_line = str_find_char(own, '\n', 0);
  for (size_t i = 0; i < why->hit_count; i++) {
    const Hit *hit = &why->hits[i];
    bool is_below = first_line != STR_NOT_FOUND && hit->match->start > failure->message + first_line &&
                    hit->match->message->level == MESSAGE_CONTEXT;
    if (!hit->is_dropped && hit->failure == failure && !is_below)
      return true;
  }
  return false;
}

static Str failure_words(const Why *why, const WhyFailure *failure)
{
  Str message = str_trim(str_slice(why->clean.text, failure->message, failure->end));
  Str line = str_slice(message, 0, str_find_char(message, '\n', 0));
  return arena_printf(why->arena, "%.*s: %.*s", STR_ARG(failure->type), STR_ARG(str_slice(line, 0, SHOWN)));
}

static void set_known(const Why *why, Str text, WhyFinding *finding)
{
  Additions add = { 0 };
  if (finding->operator_.len == 0)
    finding->operator_ = find_operator(why, text);
  if (finding->operator_.len > 0 && finding->exporter == EXPORTER_DYNAMO)
    why_about_dynamo_operator(why, finding->operator_, &add);
  else if (finding->operator_.len > 0)
    why_about_torch_operator(why, finding->operator_, (Str){ 0 }, &add);
  finding->what = arena_printf(why->arena, "%.*s%.*s", STR_ARG(finding->what), STR_ARG(buffer_str(&add.cause)));
  buffer_done(&add.cause);
  buffer_done(&add.fix);
}

/// What helps to find out more, whatever failed at that stage.
typedef struct NextStep {
  Str stage;
  int exporter;  ///< -1: either.
  Str words;
} NextStep;

static const NextStep next_steps[] = {
  { STR_INIT("trace"), -1,
    STR_INIT("Run the model with the very same inputs and without the export, model(*args): what fails there is no"
             " matter of ONNX.") },
  { STR_INIT("pt_export"), -1,
    STR_INIT("torch.export.draft_export(model, args) lists all that stops the capture; a newer torch captures more;"
             " dynamo=False takes the TorchScript exporter, which only traces.") },
  { STR_INIT("decomposition"), -1,
    STR_INIT("Upgrade torch and onnxscript; dynamo=False takes the TorchScript exporter.") },
  { STR_INIT("conversion"), EXPORTER_DYNAMO,
    STR_INIT("Upgrade torch and onnxscript together; report=True writes down the node that failed; a function of your"
             " own in custom_translation_table replaces the one that failed; dynamo=False takes the other exporter.") },
  { STR_INIT("conversion"), EXPORTER_TORCHSCRIPT,
    STR_INIT("verbose=True prints the graph with the node that failed; upgrade torch, or export with dynamo=True.") },
  { STR_INIT("optimization"), -1, STR_INIT("Export with optimize=False, and upgrade onnxscript and onnx_ir.") },
  { STR_INIT("version_conversion"), -1,
    STR_INIT("Ask for an opset_version that needs no conversion (18 and newer), and upgrade onnxscript.") },
};

static Str next_step(Str stage, int exporter)
{
  for (size_t i = 0; i < COUNT(next_steps); i++) {
    const NextStep *step = &next_steps[i];
    if (str_equal(step->stage, stage) && (step->exporter < 0 || step->exporter == exporter))
      return step->words;
  }
  return (Str){ 0 };
}

/// The frame that raises, if it is in somebody's own code and the exception is one of Python's, or of the code itself;
/// else NULL.
static const WhyFrame *raising_frame(const Why *why, const WhyFailure *failure)
{
  if (failure->frame_count == 0 || failure->is_warning || str_starts_with(failure->type, STR("torch.")))
    return NULL;
  const WhyFrame *frame = &why->cut.frames[failure->first_frame + failure->frame_count - 1];
  return why_is_installed(frame->path) ? NULL : frame;
}

/// Whether the line that is quoted below the frame raises.
static bool is_at_raise(const Why *why, const WhyFrame *frame, const WhyFailure *failure)
{
  Str after = str_slice(why->clean.text, frame->at, failure->start);
  size_t end = str_find_char(after, '\n', 0);
  Str quoted = end == STR_NOT_FOUND ? (Str){ 0 } : str_trim(str_slice(after, end, after.len));
  Str line = str_slice(quoted, 0, str_find_char(quoted, '\n', 0));
  return str_starts_with(line, STR("raise ")) || str_contains(line, STR(": raise "));
}

/// What it means that somebody's own code fails at that stage.
typedef struct OwnFailure {
  Str stage;
  bool is_model;
  Str cause;  ///< Before the exception.
  Str fix;
} OwnFailure;

static const OwnFailure own_failures[] = {
  { STR_INIT("conversion"), false,
    STR_INIT("A function of your own that the exporter calls for an operator fails with "),
    STR_INIT("Mend that line: the function gets graph values in place of tensors, and has to return such values.") },
  { STR_INIT("decomposition"), false, STR_INIT("A decomposition of your own fails with "),
    STR_INIT("Mend that line, or leave the operator out of the table that run_decompositions() is given.") },
  { STR_INIT("trace"), true,
    STR_INIT("The model's own code fails while the export runs it; nothing is converted yet: "),
    STR_INIT("Call model(*args, **kwargs) with the very inputs of the export: what fails there as well is no matter of"
             " ONNX, and that line has to be mended.") },
  { STR_INIT("pt_export"), true,
    STR_INIT("The model's own code fails while it is captured; nothing is converted yet: "),
    STR_INIT("Call model(*args, **kwargs) with the very inputs of the export: what fails there as well is no matter of"
             " ONNX, and that line has to be mended. If it works, the line does what a capture can't do with"
             " tensors that have no values.") },
};

/// Tells of a line of somebody's own that fails, if the text says when it was run.
static void set_own_failure(const Why *why, const WhyFailure *failure, WhyFinding *finding)
{
  const WhyFrame *frame = raising_frame(why, failure);
  for (size_t i = 0; frame && i < COUNT(own_failures); i++) {
    const OwnFailure *own = &own_failures[i];
    if (!str_equal(own->stage, finding->stage))
      continue;
    bool is_raise = own->is_model && is_at_raise(why, frame, failure);
    Str cause = is_raise ? STR("The model's own code raises this itself, at the place below: what the export runs it"
                               " with is not what it takes. Nothing is converted yet: ")
                         : own->cause;
    finding->cause = arena_printf(why->arena, "%.*s%.*s", STR_ARG(cause), STR_ARG(failure_words(why, failure)));
    finding->fix = is_raise ? STR("Call model(*args, **kwargs) with the very inputs of the export, and do as the"
                                  " message says.")
                            : own->fix;
  }
}

/// Whether a whole traceback goes through somebody's own code and the layers of a model, and nothing that exports.
static bool is_apart(const Why *why, const WhyFailure *failure)
{
  const WhyFrame *frames = why->cut.frames + failure->first_frame;
  bool is_whole = failure->frame_count > 0 && str_equal(frames[0].function, STR("<module>"));
  for (uint32_t i = 0; i < failure->frame_count && is_whole; i++)
    is_whole = !why_is_exporter(frames[i].path) || why_path_holds(frames[i].path, STR("torch/nn/"));
  return is_whole && !failure->is_warning && !why_is_installed(frames[0].path);
}

/// Tells of a script that fails where no export runs.
static void set_apart(const Why *why, const WhyFailure *failure, WhyFinding *finding)
{
  if (finding->stage.len > 0 || finding->is_of_export || !is_apart(why, failure))
    return;
  finding->cause =
      arena_printf(why->arena, "Code outside of the export fails: %.*s", STR_ARG(failure_words(why, failure)));
  finding->fix = STR("Mend the line at the place below: no exporter is at work there.");
}

static void add_unknown_failure(Answerer *answerer, const WhyFailure *failure)
{
  const Why *why = &answerer->why;
  const Hit *context = context_of(why, failure->chain);
  WhyFinding finding = { .exporter = why->exporter,
                         .what = failure_words(why, failure),
                         .start = why_original(answerer, failure->start),
                         .end = why_original(answerer, failure->end),
                         .is_of_export = why_is_of_export(&why->cut, failure->chain) };
  bool is_wrapped = context && context->failure != failure;
  finding.stage = is_wrapped ? context->match->message->stage : why_step_with(&why->cut, STEP_FAILED);
  if (finding.stage.len == 0)
    finding.stage = why_stage_of_frames(&why->cut, failure);
  if (finding.stage.len == 0 && context)
    finding.stage = context->match->message->stage;
  finding.operator_ = context ? arena_copy(why->arena, why_operator(why, context)) : (Str){ 0 };
  finding.fix = next_step(finding.stage, finding.exporter);
  set_known(why, str_slice(why->clean.text, failure->start, failure->end), &finding);
  set_own_failure(why, failure, &finding);
  set_apart(why, failure, &finding);
  const WhyFrame *own = str_equal(finding.stage, STR("decomposition")) ? raising_frame(why, failure) : NULL;
  why_set_place(&finding, own ? own : why_place_of_failure(why, failure), why->arena);
  vec_push(&answerer->findings, finding);
}

/// Exceptions of which no message is known, the deepest of each chain; those that only pass others on are left out.
void why_add_unknown(Answerer *answerer)
{
  const Why *why = &answerer->why;
  uint32_t last_chain = NO_CHAIN;
  size_t added = 0;
  for (size_t i = 0; i < why->cut.failure_count && added < UNKNOWN_SHOWN; i++) {
    const WhyFailure *failure = &why->cut.failures[i];
    if (failure->is_warning || failure->chain == last_chain || has_context_in(why, failure))
      continue;
    last_chain = failure->chain;
    add_unknown_failure(answerer, failure);
    added++;
  }
}

/// What was being done when it failed, if nothing else is known.
void why_add_wrappers(Answerer *answerer)
{
  const Why *why = &answerer->why;
  for (size_t i = 0; i < why->hit_count && answerer->findings.count == 0; i++) {
    const Hit *hit = &why->hits[i];
    if (hit->is_dropped || hit->match->message->level != MESSAGE_CONTEXT || hit->match->message->cause.len == 0)
      continue;
    why_add_finding(answerer, hit);
    WhyFinding *finding = vec_last(&answerer->findings);
    finding->what = finding->cause;
    finding->cause = (Str){ 0 };
  }
}

static void add_failed_step(Answerer *answerer)
{
  Str stage = why_step_with(&answerer->why.cut, STEP_FAILED);
  if (stage.len == 0)
    return;
  WhyFinding finding = { .stage = stage, .exporter = EXPORTER_DYNAMO };
  finding.what = STR("This step failed, and the text holds no message of it that is known.");
  if (str_equal(stage, STR("accuracy"))) {
    finding.cause = STR("ONNX Runtime computes something else than PyTorch on the example inputs; how much is in the"
                        " console log.");
    finding.fix = STR("Compare in float32 and in eval mode first; then look for the first node that differs"
                      " (torch.onnx.verification), beginning with functions of your own in custom_translation_table.");
  }
  vec_push(&answerer->findings, finding);
}

/// What was warned of in other steps does not say why this one failed.
void why_put_failed_step_first(Answerer *answerer)
{
  Str stage = why_step_with(&answerer->why.cut, STEP_FAILED);
  size_t count = answerer->findings.count;
  size_t first = 0;
  while (first < count && !str_equal(answerer->findings.items[first].stage, stage))
    first++;
  if (first == count)
    add_failed_step(answerer);
  if (first == answerer->findings.count)
    return;
  WhyFinding found = answerer->findings.items[first];
  memmove(answerer->findings.items + 1, answerer->findings.items, first * sizeof(found));
  answerer->findings.items[0] = found;
}
