// From a text to an answer.

#include "text/lines.h"
#include "why/answerer.h"

enum { NOTES_SHOWN = 16 };

static void note(Answerer *answerer, Str text)
{
  vec_push(&answerer->notes, text);
}

/// What an export call does whose text does not choose an exporter.
static void note_default_exporter(Answerer *answerer, Str text)
{
  bool has_call = str_find(text, STR("torch.onnx.export("), 0) != STR_NOT_FOUND;
  bool is_chosen = str_find(text, STR("dynamo="), 0) != STR_NOT_FOUND;
  if (has_call && !is_chosen)
    note(answerer,
         STR("torch.onnx.export() without dynamo= takes the dynamo exporter from torch 2.9 on, and the TorchScript"
             " exporter before. What failed since an upgrade may work with dynamo=False; dynamic_axes and an"
             " opset_version below 18 were written for that one."));
}

/// Text that other commands read.
static void note_kinds(Answerer *answerer)
{
  Str text = answerer->why.clean.text;
  bool is_python = str_find(text, STR("\nimport torch"), 0) != STR_NOT_FOUND ||
                   str_starts_with(text, STR("import torch")) ||
                   str_find(text, STR("\ndef forward(self"), 0) != STR_NOT_FOUND;
  bool is_graph = str_starts_with(text, STR("graph(")) || str_find(text, STR("\ngraph("), 0) != STR_NOT_FOUND;
  if (is_python)
    note_default_exporter(answerer, text);
  if (is_python)
    note(answerer, STR("The text holds Python code: `onnxls check` looks at what it exports."));
  if (is_graph)
    note(answerer, STR("The text holds a graph: `onnxls check` names every operator of it that can't be converted."));
}

static void note_limits(Answerer *answerer)
{
  const Why *why = &answerer->why;
  if (answerer->offset > 0)
    note(answerer,
         arena_printf(why->arena, "Only the last %d MB of the text were read.", WHY_TEXT_LIMIT / (1024 * 1024)));
  if (why->matches.is_partial)
    note(answerer, arena_printf(why->arena,
                                "Only the first %zu bytes were compared with the known messages: the text is too"
                                " much alike them.",
                                why->matches.searched));
}

static void note_notes(Answerer *answerer)
{
  const Why *why = &answerer->why;
  const Message *last = NULL;
  for (size_t i = 0; i < why->hit_count && answerer->notes.count < NOTES_SHOWN; i++) {
    const Hit *hit = &why->hits[i];
    if (hit->is_dropped || hit->match->message->level != MESSAGE_NOTE || hit->match->message == last)
      continue;
    last = hit->match->message;
    Str cause = why_words(why, hit, last->cause);
    Str fix = why_words(why, hit, last->fix);
    note(answerer, arena_printf(why->arena, "%.*s %.*s", STR_ARG(cause), STR_ARG(fix)));
  }
}

static void collect(Answerer *answerer)
{
  why_add_level(answerer, MESSAGE_CAUSE);
  why_add_level(answerer, MESSAGE_OUTER);
  bool is_unknown = answerer->findings.count == 0;
  WhyOutcome outcome = why_outcome(&answerer->why.cut);
  // What stopped it comes before what was warned of.
  if (is_unknown && outcome != WHY_SUCCEEDED)
    why_add_unknown(answerer);
  if (is_unknown)
    why_add_level(answerer, MESSAGE_WARNING);
  if (answerer->findings.count == 0)
    why_add_unknown(answerer);
  if (answerer->findings.count == 0)
    why_add_wrappers(answerer);
  if (outcome == WHY_FAILED && (answerer->findings.count == 0 || answerer->findings.items[0].is_warning))
    why_put_failed_step_first(answerer);
}

static void finish(Answerer *answerer, WhyAnswer *answer)
{
  Arena *arena = answerer->why.arena;
  const WhyCut *cut = &answerer->why.cut;
  *answer = (WhyAnswer){ .findings = ARENA_ARRAY(arena, WhyFinding, answerer->findings.count),
                         .count = answerer->findings.count,
                         .outcome = why_outcome(cut),
                         .notes = ARENA_ARRAY(arena, Str, answerer->notes.count),
                         .note_count = answerer->notes.count };
  answer->stage = why_step_with(cut, STEP_FAILED);
  if (answer->stage.len == 0)
    answer->stage = why_step_with(cut, STEP_BEGUN);
  for (size_t i = 0; i < answer->count; i++) {
    answer->findings[i] = answerer->findings.items[i];
    answer->has_cause |= answer->findings[i].cause.len > 0;
  }
  for (size_t i = 0; i < answer->note_count; i++)
    answer->notes[i] = arena_copy(arena, answerer->notes.items[i]);
  vec_free(&answerer->findings);
  vec_free(&answerer->notes);
}

void why_explain(Str text, const SymbolicsDb *db, Arena *arena, WhyAnswer *ret_answer)
{
  Answerer answerer = { .why = { .db = db, .arena = arena } };
  if (text.len > WHY_TEXT_LIMIT)
    answerer.offset = lines_next(text, text.len - WHY_TEXT_LIMIT);
  Why *why = &answerer.why;
  clean_text(str_slice(text, answerer.offset, text.len), arena, &why->clean);
  why_cut(&why->clean, arena, &why->cut);
  match_find(match_index_new(db, arena), why->clean.text, arena, &why->matches);
  why->exporter = why_find_exporter(why);
  why_make_hits(why);
  collect(&answerer);
  note_notes(&answerer);
  note_kinds(&answerer);
  note_limits(&answerer);
  finish(&answerer, ret_answer);
}
