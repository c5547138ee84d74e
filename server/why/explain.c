// The matches of a text, weighed against each other, and made into findings.

#include "base/buffer.h"
#include "text/lines.h"
#include "why/pick.h"

enum {
  FINDING_LIMIT = 24,
  UNKNOWN_LIMIT = 3,  ///< Exceptions of which nothing is known.
  SHOWN = 300,
};

typedef struct Answerer {
  Why why;
  Vec(WhyFinding) findings;
  Vec(Str) notes;
  size_t offset;  ///< Of what is read within the text.
} Answerer;

// --- Hits ---

/// Is every part of "a & b" in the text?
static bool holds_all(Str text, Str parts)
{
  Str sign = STR(" & ");
  for (size_t start = 0; start <= parts.len;) {
    size_t end = str_find(parts, sign, start);
    if (str_find(text, str_slice(parts, start, end), 0) == STR_NOT_FOUND)
      return false;
    if (end == STR_NOT_FOUND)
      return true;
    start = end + sign.len;
  }
  return true;
}

/// Does `a` say what `b` says, and surer?
static bool is_surer(const Hit *a, const Hit *b)
{
  MessageLevel first = a->match->message->level;
  MessageLevel second = b->match->message->level;
  if (first == MESSAGE_CONTEXT || second == MESSAGE_CONTEXT)
    return false;
  bool is_cause = first == MESSAGE_CAUSE;
  bool was_cause = second == MESSAGE_CAUSE;
  if (is_cause != was_cause && (first == MESSAGE_OUTER || second == MESSAGE_OUTER))
    return is_cause;
  return a->match->weight > b->match->weight || (a->match->weight == b->match->weight && a < b);
}

static bool overlaps(const Hit *a, const Hit *b)
{
  return a->match->start < b->match->end && b->match->start < a->match->end;
}

/// Of matches that overlap, the surest stays.
static void drop_overlapped(Why *why)
{
  for (size_t i = 0; i < why->hit_count; i++) {
    for (size_t k = i + 1; k < why->hit_count && why->hits[k].match->start < why->hits[i].match->end; k++) {
      Hit *a = &why->hits[i];
      Hit *b = &why->hits[k];
      if (a->is_dropped || b->is_dropped || !overlaps(a, b))
        continue;
      a->is_dropped = is_surer(b, a);
      b->is_dropped = !a->is_dropped && is_surer(a, b);
    }
  }
}

static void make_hits(Why *why)
{
  why->hits = ARENA_ARRAY(why->arena, Hit, why->matches.count);
  for (size_t i = 0; i < why->matches.count; i++) {
    const Match *match = &why->matches.items[i];
    const WhyFailure *failure = why_failure_at(&why->cut, match->start);
    Str within = match->message->within;
    if (why_is_code(&why->cut, &why->clean, match->start) || (within.len > 0 && !holds_all(why->clean.text, within)))
      continue;
    why->hits[why->hit_count++] = (Hit){ match, failure, failure ? failure->chain : NO_CHAIN, false };
  }
  drop_overlapped(why);
}

// --- Stages ---

static Str step_stage(StepKind kind)
{
  static const Str stages[STEP_COUNT] = {
    [STEP_CAPTURE] = STR_INIT("pt_export"),     [STEP_DECOMPOSE] = STR_INIT("decomposition"),
    [STEP_TRANSLATE] = STR_INIT("conversion"),  [STEP_OPTIMIZE] = STR_INIT("optimization"),
    [STEP_CHECK] = STR_INIT("checker"),         [STEP_RUN] = STR_INIT("runtime"),
    [STEP_COMPARE] = STR_INIT("accuracy"),
  };
  return stages[kind];
}

/// The step that failed, else the one that was begun and did not end; empty if there is none.
static Str failed_stage(const WhyCut *cut, StepResult result)
{
  for (int i = 0; i < STEP_COUNT; i++) {
    if (cut->has_step[i] && cut->steps[i] == result)
      return step_stage((StepKind)i);
  }
  return (Str){ 0 };
}

static WhyOutcome outcome_of(const WhyCut *cut)
{
  if (!cut->has_steps)
    return WHY_UNKNOWN;
  if (failed_stage(cut, STEP_FAILED).len > 0)
    return WHY_FAILED;
  bool is_done = cut->has_step[STEP_TRANSLATE] && cut->steps[STEP_TRANSLATE] == STEP_OK;
  return is_done && failed_stage(cut, STEP_BEGUN).len == 0 ? WHY_SUCCEEDED : WHY_UNKNOWN;
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
  static const Str stages[] = { STR_INIT("environment"), STR_INIT("version_conversion"), STR_INIT("save"),
                                STR_INIT("runtime"),     STR_INIT("checker"),            STR_INIT("shape_inference"),
                                STR_INIT("accuracy") };
  for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
    if (str_equal(stages[i], stage))
      return true;
  }
  return false;
}

static Str stage_of(const Why *why, const Hit *hit)
{
  Str own = hit->match->message->stage;
  if (is_sure_stage(own) || hit->match->message->level >= MESSAGE_WARNING)
    return own;
  Str around = chain_stage(why, hit);
  if (around.len == 0 && hit->failure)
    around = failed_stage(&why->cut, STEP_FAILED);
  return around.len > 0 ? around : own;
}

static int exporter_of_text(const Why *why)
{
  Str text = why->clean.text;
  if (why->cut.has_steps || str_find(text, STR("torch.onnx._internal.exporter."), 0) != STR_NOT_FOUND)
    return SYMBOLICS_DYNAMO;
  if (str_find(text, STR("torch/onnx/_internal/exporter/"), 0) != STR_NOT_FOUND)
    return SYMBOLICS_DYNAMO;
  bool is_old = str_find(text, STR("torch.onnx.errors."), 0) != STR_NOT_FOUND ||
                str_find(text, STR("torch/onnx/utils.py"), 0) != STR_NOT_FOUND;
  return is_old ? SYMBOLICS_TORCHSCRIPT : -1;
}

// --- Findings ---

static void set_place(WhyFinding *finding, const WhyFrame *frame, Arena *arena)
{
  if (!frame)
    return;
  finding->file = arena_copy(arena, frame->path);
  finding->line = frame->line;
  finding->function = arena_copy(arena, frame->function);
}

static Str argument_of(const Why *why, const Hit *hit)
{
  static const Str names[] = { STR_INIT("argument"), STR_INIT("attribute"), STR_INIT("dim"), STR_INIT("value"),
                               STR_INIT("name") };
  Str found = { 0 };
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && found.len == 0; i++)
    found = why_bare(match_hole(hit->match, names[i]));
  return arena_copy(why->arena, str_slice(found, 0, SHOWN));
}

/// What the facts add, and the templates' own words.
static void set_words(const Why *why, const Hit *hit, WhyFinding *finding)
{
  const Message *message = hit->match->message;
  Additions add = { 0 };
  if (message->about & ABOUT_TORCH_OPERATOR)
    about_torch_operator(why, finding->operator_, why_hole(why, hit, STR("opset")), &add);
  if (message->about & ABOUT_DYNAMO_OPERATOR)
    about_dynamo_operator(why, finding->operator_, &add);
  about_onnx(why, hit, message->about, &add);
  about_runtime(why, hit, message->about, &add);
  about_python(why, hit, message->about, &add);
  Str cause = why_words(why, hit, message->cause);
  Str fix = why_words(why, hit, message->fix);
  finding->cause = arena_printf(why->arena, "%.*s%.*s", STR_ARG(cause), STR_ARG(buffer_str(&add.cause)));
  finding->fix = arena_printf(why->arena, "%.*s%.*s", STR_ARG(fix), STR_ARG(buffer_str(&add.fix)));
  buffer_done(&add.cause);
  buffer_done(&add.fix);
}

static bool is_same(const WhyFinding *a, const WhyFinding *b)
{
  return str_equal(a->id, b->id) && str_equal(a->operator_, b->operator_) && str_equal(a->cause, b->cause);
}

static size_t original(const Answerer *answerer, size_t clean)
{
  return answerer->offset + clean_origin(&answerer->why.clean, clean);
}

static void add_finding(Answerer *answerer, const Hit *hit)
{
  const Why *why = &answerer->why;
  const Message *message = hit->match->message;
  WhyFinding finding = { .id = message->id,
                         .stage = stage_of(why, hit),
                         .exporter = message->exporter >= 0 ? message->exporter : exporter_of_text(why),
                         .operator_ = arena_copy(why->arena, why_operator(why, hit)),
                         .argument = argument_of(why, hit),
                         .url = message->url,
                         .said_by = message->place,
                         .start = original(answerer, hit->match->start),
                         .end = original(answerer, hit->match->end),
                         .is_warning = message->level >= MESSAGE_WARNING };
  set_words(why, hit, &finding);
  set_place(&finding, why_place(why, hit), why->arena);
  for (size_t i = 0; i < answerer->findings.count; i++) {
    if (is_same(&answerer->findings.items[i], &finding))
      return;
  }
  vec_push(&answerer->findings, finding);
}

/// Is there a surer word about the chain that the hit is in?
static bool has_cause_in_chain(const Why *why, const Hit *hit)
{
  for (size_t i = 0; i < why->hit_count; i++) {
    const Hit *other = &why->hits[i];
    if (!other->is_dropped && other->chain == hit->chain && other->match->message->level == MESSAGE_CAUSE)
      return true;
  }
  return false;
}

static void add_level(Answerer *answerer, MessageLevel level)
{
  const Why *why = &answerer->why;
  for (size_t i = 0; i < why->hit_count && answerer->findings.count < FINDING_LIMIT; i++) {
    const Hit *hit = &why->hits[i];
    if (hit->is_dropped || hit->match->message->level != level)
      continue;
    if (level == MESSAGE_OUTER && has_cause_in_chain(why, hit))
      continue;
    add_finding(answerer, hit);
  }
}

// --- What is in no catalogue ---

static bool is_name_byte(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == ':';
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

static bool has_context_in(const Why *why, const WhyFailure *failure)
{
  for (size_t i = 0; i < why->hit_count; i++) {
    if (!why->hits[i].is_dropped && why->hits[i].failure == failure)
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
  if (finding->operator_.len > 0 && finding->exporter == SYMBOLICS_DYNAMO)
    about_dynamo_operator(why, finding->operator_, &add);
  else if (finding->operator_.len > 0)
    about_torch_operator(why, finding->operator_, (Str){ 0 }, &add);
  finding->what = arena_printf(why->arena, "%.*s%.*s", STR_ARG(finding->what), STR_ARG(buffer_str(&add.cause)));
  buffer_done(&add.cause);
  buffer_done(&add.fix);
}

static void add_unknown_failure(Answerer *answerer, const WhyFailure *failure)
{
  const Why *why = &answerer->why;
  const Hit *context = context_of(why, failure->chain);
  WhyFinding finding = { .exporter = exporter_of_text(why),
                         .what = failure_words(why, failure),
                         .start = original(answerer, failure->start),
                         .end = original(answerer, failure->end) };
  finding.stage = context ? context->match->message->stage : failed_stage(&why->cut, STEP_FAILED);
  finding.operator_ = context ? arena_copy(why->arena, why_operator(why, context)) : (Str){ 0 };
  set_known(why, str_slice(why->clean.text, failure->start, failure->end), &finding);
  set_place(&finding, why_place_of_failure(why, failure), why->arena);
  vec_push(&answerer->findings, finding);
}

/// Exceptions of which no message is known, the deepest of each chain; those that only pass others on are left out.
static void add_unknown(Answerer *answerer)
{
  const Why *why = &answerer->why;
  uint32_t last_chain = NO_CHAIN;
  size_t added = 0;
  for (size_t i = 0; i < why->cut.failure_count && added < UNKNOWN_LIMIT; i++) {
    const WhyFailure *failure = &why->cut.failures[i];
    if (failure->is_warning || failure->chain == last_chain || has_context_in(why, failure))
      continue;
    last_chain = failure->chain;
    add_unknown_failure(answerer, failure);
    added++;
  }
}

/// What was being done when it failed, if nothing else is known.
static void add_wrappers(Answerer *answerer)
{
  const Why *why = &answerer->why;
  for (size_t i = 0; i < why->hit_count && answerer->findings.count == 0; i++) {
    const Hit *hit = &why->hits[i];
    if (hit->is_dropped || hit->match->message->level != MESSAGE_CONTEXT || hit->match->message->cause.len == 0)
      continue;
    add_finding(answerer, hit);
    WhyFinding *finding = vec_last(&answerer->findings);
    finding->what = finding->cause;
    finding->cause = (Str){ 0 };
  }
}

static void add_failed_step(Answerer *answerer)
{
  Str stage = failed_stage(&answerer->why.cut, STEP_FAILED);
  if (stage.len == 0)
    return;
  WhyFinding finding = { .stage = stage, .exporter = SYMBOLICS_DYNAMO };
  finding.what = STR("This step failed, and the text holds no message of it that is known.");
  vec_push(&answerer->findings, finding);
}

// --- The answer ---

static void note(Answerer *answerer, Str text)
{
  vec_push(&answerer->notes, text);
}

/// Text that other commands read.
static void note_kinds(Answerer *answerer)
{
  Str text = answerer->why.clean.text;
  bool is_python = str_find(text, STR("\nimport torch"), 0) != STR_NOT_FOUND || str_starts_with(text, STR("import torch")) ||
                   str_find(text, STR("\ndef forward(self"), 0) != STR_NOT_FOUND;
  bool is_graph = str_starts_with(text, STR("graph(")) || str_find(text, STR("\ngraph("), 0) != STR_NOT_FOUND;
  if (is_python)
    note(answerer, STR("The text holds Python code: `onnxls check` looks at what it exports."));
  if (is_graph)
    note(answerer, STR("The text holds a graph: `onnxls check` names every operator of it that can't be converted."));
}

static void note_limits(Answerer *answerer)
{
  const Why *why = &answerer->why;
  if (answerer->offset > 0)
    note(answerer, arena_printf(why->arena, "Only the last %d MB of the text were read.", WHY_TEXT_LIMIT / (1024 * 1024)));
  if (why->matches.is_partial)
    note(answerer, arena_printf(why->arena, "Only the first %zu bytes were compared with the known messages: the text is too"
                                            " much alike them.",
                                why->matches.searched));
}

static void note_notes(Answerer *answerer)
{
  const Why *why = &answerer->why;
  const Message *last = NULL;
  for (size_t i = 0; i < why->hit_count && answerer->notes.count < FINDING_LIMIT; i++) {
    const Hit *hit = &why->hits[i];
    if (hit->is_dropped || hit->match->message->level != MESSAGE_NOTE || hit->match->message == last)
      continue;
    last = hit->match->message;
    note(answerer, why_words(why, hit, last->cause));
  }
}

static void collect(Answerer *answerer)
{
  add_level(answerer, MESSAGE_CAUSE);
  add_level(answerer, MESSAGE_OUTER);
  if (answerer->findings.count == 0)
    add_level(answerer, MESSAGE_WARNING);
  bool has_failed = outcome_of(&answerer->why.cut) == WHY_FAILED;
  if (answerer->findings.count == 0 || (has_failed && answerer->findings.items[0].is_warning))
    add_unknown(answerer);
  if (answerer->findings.count == 0)
    add_wrappers(answerer);
  if (answerer->findings.count == 0 && has_failed)
    add_failed_step(answerer);
}

static void finish(Answerer *answerer, WhyAnswer *answer)
{
  Arena *arena = answerer->why.arena;
  const WhyCut *cut = &answerer->why.cut;
  *answer = (WhyAnswer){ .findings = ARENA_ARRAY(arena, WhyFinding, answerer->findings.count),
                         .count = answerer->findings.count,
                         .outcome = outcome_of(cut),
                         .notes = ARENA_ARRAY(arena, Str, answerer->notes.count),
                         .note_count = answerer->notes.count };
  answer->stage = failed_stage(cut, STEP_FAILED);
  if (answer->stage.len == 0)
    answer->stage = failed_stage(cut, STEP_BEGUN);
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
    answerer.offset = line_next(text, text.len - WHY_TEXT_LIMIT);
  Why *why = &answerer.why;
  clean_text(str_slice(text, answerer.offset, text.len), arena, &why->clean);
  why_cut(&why->clean, arena, &why->cut);
  match_find(match_index_new(db, arena), why->clean.text, arena, &why->matches);
  make_hits(why);
  collect(&answerer);
  note_notes(&answerer);
  note_kinds(&answerer);
  note_limits(&answerer);
  finish(&answerer, ret_answer);
}
