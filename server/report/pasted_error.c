// A text in which somebody pasted an exception of an export.

#include "report/pasted_error.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "base/vec.h"
#include "core/snapshot.h"
#include "core/whole_text.h"
#include "why/why.h"

typedef struct PastedModel {
  WhyAnswer answer;  ///< In the arena.
  Arena arena;
} PastedModel;

/// Words of exceptions that nothing but an export, a check or a session of a model raises.
static bool is_error_line(Str line)
{
  static const char *const signs[] = { "torch.onnx.",           "torch/onnx/",
                                       "ONNX export failed",    "Exporting the operator '",
                                       "[ONNXRuntimeError]",    "onnxruntime.capi.",
                                       "onnx_cpp2py_export.",   "GuardOnDataDependentSymNode",
                                       "Constraints violated (" };
  return str_contains_one_of(line, signs, COUNT(signs));
}

// --- The model ---

static void *finish_plan(void *plan)
{
  const Snapshot *snapshot = plan;
  const Document *document = snapshot_document(snapshot);
  PastedModel *model = xcalloc(1, sizeof(*model));
  Str text = document_slice(document, (Range){ 0, document_length(document) }, &model->arena);
  why_explain(text, target_db(snapshot_target(snapshot)), &model->arena, &model->answer);
  return model;
}

static void free_model(void *made)
{
  PastedModel *model = made;
  arena_done(&model->arena);
  free(model);
}

static const LanguageModel pasted_model = {
  .plan = whole_text_plan,
  .plan_finish = finish_plan,
  WHOLE_TEXT_STEPS,
  .free = free_model,
};

// --- Features ---

static const PastedModel *pasted_of(const Snapshot *snapshot)
{
  return snapshot_model(snapshot);
}

static bool is_explained(const WhyFinding *finding)
{
  return finding->cause.len > 0 && finding->end > finding->start;
}

/// Cause, what helps, and where: a paragraph each.
static Str words_of(const WhyFinding *finding, Arena *arena)
{
  Buffer out = { 0 };
  buffer_append(&out, finding->cause);
  if (finding->fix.len > 0)
    buffer_printf(&out, "\n\n%.*s", STR_ARG(finding->fix));
  if (finding->file.len > 0)
    buffer_printf(&out, "\n\nPlace: %.*s:%u", STR_ARG(finding->file), finding->line);
  if (finding->file.len > 0 && finding->function.len > 0)
    buffer_printf(&out, " in %.*s", STR_ARG(finding->function));
  if (finding->stage.len > 0)
    buffer_printf(&out, "\n\nStage: %.*s", STR_ARG(finding->stage));
  if (finding->operator_.len > 0)
    buffer_printf(&out, ", operator %.*s", STR_ARG(finding->operator_));
  Str words = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return words;
}

static bool hover(const FeatureContext *context, size_t offset, Hover *ret_hover)
{
  const WhyAnswer *answer = &pasted_of(context->snapshot)->answer;
  for (size_t i = 0; i < answer->count; i++) {
    const WhyFinding *finding = &answer->findings[i];
    if (!is_explained(finding) || offset < finding->start || offset > finding->end)
      continue;
    Str words = words_of(finding, context->arena);
    *ret_hover = (Hover){ .range = { finding->start, finding->end }, .markdown = words, .plain = words };
    return true;
  }
  return false;
}

static int compare_lenses(const void *a, const void *b)
{
  const Lens *left = a;
  const Lens *right = b;
  return (left->range.start > right->range.start) - (left->range.start < right->range.start);
}

/// The first sentence, which a line has room for.
static Str first_sentence(Str text)
{
  size_t end = str_find(text, STR(". "), 0);
  return end == STR_NOT_FOUND ? text : str_slice(text, 0, end + 1);
}

static LensList lenses(const FeatureContext *context)
{
  const WhyAnswer *answer = &pasted_of(context->snapshot)->answer;
  const Document *document = snapshot_document(context->snapshot);
  Vec(Lens) found = { 0 };
  for (size_t i = 0; i < answer->count && found.count < LENS_LIMIT; i++) {
    const WhyFinding *finding = &answer->findings[i];
    if (!is_explained(finding))
      continue;
    uint32_t line = document_line_of(document, finding->start);
    size_t end = document_line_start(document, line) + document_line(document, line).len;
    Lens lens = { .range = { finding->start, finding->end < end ? finding->end : end } };
    lens.title = arena_printf(context->arena, "why: %.*s", STR_ARG(first_sentence(finding->cause)));
    vec_push(&found, lens);
  }
  vec_sort(&found, compare_lenses);
  LensList list = { vec_copy(&found, context->arena), found.count };
  vec_free(&found);
  return list;
}

static const LanguageFeatures pasted_features = {
  .hover = hover,
  .lenses = lenses,
};

static void tell_nothing(const Snapshot *snapshot, WorkspaceFile *file)
{
  (void)snapshot;
  (void)file;
}

/// There is nothing to judge.
static bool has_no_content(const Snapshot *snapshot)
{
  (void)snapshot;
  return false;
}

static Str blind_spot(const Snapshot *snapshot, Arena *arena)
{
  (void)arena;
  const WhyAnswer *answer = &pasted_of(snapshot)->answer;
  for (size_t i = 0; i < answer->count; i++) {
    if (is_explained(&answer->findings[i]))
      return STR("an exception and no graph; `onnxls why` explains it");
  }
  return (Str){ 0 };
}

const Language pasted_error_language = {
  .name = "pasted-error",
  .title = "a text with an exception of an export",
  .endings = (const LanguageEnding[]){ { { 0 }, false } },
  .first_code = "the text",
  .unread_advice = "paste the exception alone",
  .is_last = true,
  .sniff_line = is_error_line,
  .model = &pasted_model,
  .check = whole_text_check_nothing,
  .each_unread = whole_text_each_unread,
  .has_content = has_no_content,
  .blind_spot = blind_spot,
  .summarize = tell_nothing,
  .features = &pasted_features,
};
