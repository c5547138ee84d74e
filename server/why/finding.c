// One finding: the words of the catalogue, what the facts add, and the place.

#include "base/ascii.h"
#include "why/answerer.h"

enum {
  FINDINGS_SHOWN = 24,
  ALIKE_SHOWN = 3,  ///< Of one message about different things.
  SHOWN = 300,
};

void why_set_place(WhyFinding *finding, const WhyFrame *frame, Arena *arena)
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
  for (size_t i = 0; i < COUNT(names) && found.len == 0; i++)
    found = why_bare(match_hole(hit->match, names[i]));
  return arena_copy(why->arena, str_slice(found, 0, SHOWN));
}

/// What the facts add, and the templates' own words.
static void set_words(const Why *why, const Hit *hit, WhyFinding *finding)
{
  const Message *message = hit->match->message;
  Additions add = { 0 };
  // A message that names the opset knows the case; facts know only from which opset on there is a function.
  bool names_opset = match_hole(hit->match, STR("since")).len > 0;
  if (message->about & ABOUT_TORCH_OPERATOR)
    why_about_torch_operator(why, finding->operator_, names_opset ? (Str){ 0 } : why_hole(why, hit, STR("opset")),
                             &add);
  if (message->about & ABOUT_DYNAMO_OPERATOR)
    why_about_dynamo_operator(why, finding->operator_, &add);
  why_about_onnx(why, hit, message->about, &add);
  why_about_runtime(why, hit, message->about, &add);
  why_about_python(why, hit, message->about, &add);
  Str cause = why_words(why, hit, message->cause);
  Str fix = why_words(why, hit, message->fix);
  finding->cause = arena_printf(why->arena, "%.*s%.*s", STR_ARG(cause), STR_ARG(buffer_str(&add.cause)));
  Str added = str_trim(buffer_str(&add.fix));
  bool comes_first = message->about & (ABOUT_TORCH_OPERATOR | ABOUT_DYNAMO_OPERATOR);
  Str otherwise = STR("Otherwise ");
  if (added.len == 0 && str_starts_with(fix, otherwise) && fix.len > otherwise.len)
    fix = arena_printf(why->arena, "%c%.*s", ascii_to_upper(fix.data[otherwise.len]),
                       STR_ARG(str_slice(fix, otherwise.len + 1, fix.len)));
  Str first = comes_first ? added : fix;
  Str second = comes_first ? fix : added;
  finding->fix = arena_printf(why->arena, "%.*s%s%.*s", STR_ARG(first), first.len > 0 && second.len > 0 ? " " : "",
                              STR_ARG(second));
  buffer_done(&add.cause);
  buffer_done(&add.fix);
}

/// The same about the same thing.
static bool is_same(const WhyFinding *a, const WhyFinding *b)
{
  return str_equal(a->id, b->id) && str_equal(a->operator_, b->operator_) && str_equal(a->cause, b->cause);
}

size_t why_original(const Answerer *answerer, size_t clean)
{
  return answerer->offset + clean_origin(&answerer->why.clean, clean);
}

/// The one that says the same; NULL if none does.
static WhyFinding *find_same(const Answerer *answerer, const WhyFinding *finding)
{
  for (size_t i = 0; i < answerer->findings.count; i++) {
    if (is_same(&answerer->findings.items[i], finding))
      return &answerer->findings.items[i];
  }
  return NULL;
}

/// Whether there is room for another finding of that message.
static bool has_room(const Answerer *answerer, const WhyFinding *finding)
{
  size_t alike = 0;
  for (size_t i = 0; i < answerer->findings.count; i++)
    alike += str_equal(answerer->findings.items[i].id, finding->id) ? 1 : 0;
  return alike < ALIKE_SHOWN;
}

static void find_place(const Why *why, const Hit *hit, WhyFinding *finding)
{
  const WhyFrame *frame = why_place(why, hit);
  WhyFrame source;
  bool is_own = frame && !why_is_installed(frame->path);
  Str node = finding->exporter == EXPORTER_DYNAMO ? why_hole(why, hit, STR("node")) : (Str){ 0 };
  // Before torch 2.9 a report has the program as it was before operators were taken apart.
  bool names_node = !is_own && node.len > 0 &&
                    (why_place_of_node(why, node, &source) || why_place_of_part(why, finding->operator_, &source));
  // The TorchScript exporter converts after the model has run, so no frame leads into it.
  bool is_found = finding->exporter == EXPORTER_TORCHSCRIPT && (hit->match->message->about & ABOUT_TORCH_OPERATOR) &&
                  why_place_of_operator(why, finding->operator_, &source);
  why_set_place(finding, is_found || names_node ? &source : frame, why->arena);
}

/// A log may say it without the frames that an exception further down has.
static void find_better_place(const Why *why, const Hit *hit, WhyFinding *finding)
{
  WhyFinding again = { .exporter = finding->exporter };
  if (finding->file.len > 0 && !why_is_installed(finding->file))
    return;
  find_place(why, hit, &again);
  if (again.file.len == 0 || why_is_installed(again.file))
    return;
  finding->file = again.file;
  finding->line = again.line;
  finding->function = again.function;
  finding->stage = why_stage(why, hit);
}

void why_add_finding(Answerer *answerer, const Hit *hit)
{
  const Why *why = &answerer->why;
  const Message *message = hit->match->message;
  WhyFinding finding = { .id = message->id,
                         .stage = why_stage(why, hit),
                         .exporter = message->exporter >= 0 ? message->exporter : why->exporter,
                         .operator_ = arena_copy(why->arena, why_operator(why, hit)),
                         .argument = argument_of(why, hit),
                         .url = message->url,
                         .said_by = message->place,
                         .start = why_original(answerer, hit->match->start),
                         .end = why_original(answerer, hit->match->end),
                         .is_warning = message->level >= MESSAGE_WARNING,
                         .is_of_export = why_is_of_export(&why->cut, hit->chain) };
  set_words(why, hit, &finding);
  WhyFinding *same = find_same(answerer, &finding);
  if (same)
    find_better_place(why, hit, same);
  if (same || !has_room(answerer, &finding))
    return;
  find_place(why, hit, &finding);
  vec_push(&answerer->findings, finding);
}

/// Whether there is a surer word about the chain that the hit is in.
static bool has_cause_in_chain(const Why *why, const Hit *hit)
{
  for (size_t i = 0; i < why->hit_count; i++) {
    const Hit *other = &why->hits[i];
    if (!other->is_dropped && other->chain == hit->chain && other->match->message->level == MESSAGE_CAUSE)
      return true;
  }
  return false;
}

void why_add_level(Answerer *answerer, MessageLevel level)
{
  const Why *why = &answerer->why;
  for (size_t i = 0; i < why->hit_count && answerer->findings.count < FINDINGS_SHOWN; i++) {
    const Hit *hit = &why->hits[i];
    if (hit->is_dropped || hit->match->message->level != level)
      continue;
    if (level == MESSAGE_OUTER && has_cause_in_chain(why, hit))
      continue;
    why_add_finding(answerer, hit);
  }
}
