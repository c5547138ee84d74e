#include "requirements/requirements_language.h"

#include <stdlib.h>

#include "core/diagnostic_sink.h"
#include "core/features.h"
#include "core/whole_text.h"
#include "facts/messages.h"
#include "requirements/requirement.h"

/// What the file says of one package, if it says it once or always the same.
typedef struct Wish {
  Requirement requirement;
  bool is_clear;
} Wish;

typedef struct RequirementsModel {
  Wish torch, onnxscript;
  Arena arena;  ///< Has the text.
} RequirementsModel;

// --- The model ---

static bool same_limits(const Requirement *a, const Requirement *b)
{
  return release_compare(a->low, b->low) == 0 && release_compare(a->high, b->high) == 0 &&
         a->below_high == b->below_high;
}

static Wish read_wish(Str text, Str package)
{
  Wish wish = { 0 };
  Requirement next;
  RequirementCursor cursor = { .text = text, .package = package };
  while (requirement_next(&cursor, &next)) {
    if (next.low.count + next.high.count == 0)
      continue;  // A name in a heading, or any release at all.
    if (wish.is_clear && !same_limits(&wish.requirement, &next))
      return (Wish){ 0 };
    wish = wish.is_clear ? wish : (Wish){ next, true };
  }
  return wish;
}

static void *finish_plan(void *plan)
{
  const Document *document = snapshot_document(plan);
  RequirementsModel *model = xcalloc(1, sizeof(*model));
  Str text = document_slice(document, (Range){ 0, document_length(document) }, &model->arena);
  model->torch = read_wish(text, STR("torch"));
  model->onnxscript = read_wish(text, STR("onnxscript"));
  return model;
}

static void free_model(void *made)
{
  RequirementsModel *model = made;
  Arena arena = model->arena;
  arena_done(&arena);
  free(model);
}

static const LanguageModel requirements_model = {
  .plan = whole_text_plan,
  .plan_count = whole_text_count,
  .plan_bytes = whole_text_bytes,
  .plan_run = whole_text_run,
  .plan_finish = finish_plan,
  .plan_free = whole_text_free_plan,
  .free = free_model,
};

// --- The rule ---

/// "torch 2.11", as far as it is written.
static Str torch_words(Release release, Arena *arena)
{
  return arena_printf(arena, "torch %u.%u", release.numbers[0], release.numbers[1]);
}

/// Nobody writes into a lock file by hand.
static void add_fix(const Requirement *wish, Str needed, Arena *arena, Diagnostic *diagnostic)
{
  Fix *fix = ARENA_NEW(arena, Fix);
  TextEdit *edit = ARENA_NEW(arena, TextEdit);
  if (wish->is_locked)
    return;
  *edit = (TextEdit){ wish->versions, arena_printf(arena, ">=%.*s", STR_ARG(needed)) };
  *fix = (Fix){ arena_printf(arena, "Require onnxscript%.*s", STR_ARG(edit->text)), edit, 1, false };
  diagnostic->fixes = fix;
  diagnostic->fix_count = 1;
}

static void check_pair(DiagSink *sink)
{
  const RequirementsModel *model = snapshot_model(sink->snapshot);
  const Requirement *torch = &model->torch.requirement;
  const Requirement *wish = &model->onnxscript.requirement;
  size_t end;
  if (!model->torch.is_clear || !model->onnxscript.is_clear)
    return;
  Str needed = symbolics_onnxscript_for(target_db(sink->target), torch->low);
  if (!requirement_is_before(wish, release_read(needed, &end)) ||
      !sink_wants(sink, RULE_RELEASE_PAIR, (Severity)SEVERITY_DEFAULT))
    return;
  Str name = torch_words(torch->low, sink->arena);
  Diagnostic diagnostic = { .rule = RULE_RELEASE_PAIR };
  diagnostic.message =
      arena_printf(sink->arena,
                   "The dynamo exporter of %.*s needs onnxscript %.*s or newer: with an older one its exports end in a "
                   "ModuleNotFoundError.",
                   STR_ARG(name), STR_ARG(needed));
  add_fix(wish, needed, sink->arena, &diagnostic);
  size_t start = wish->is_locked ? wish->versions.start : wish->name.start;
  sink_add_at(sink, (Range){ start, wish->versions.end }, (Severity)SEVERITY_DEFAULT, diagnostic);
}

static RuleFamily *const families[] = { check_pair };

static void check(DiagSink *sink)
{
  uint32_t lines = document_line_count(snapshot_document(sink->snapshot));
  sink_check_lines(sink, 0, lines, families, COUNT(families));
}

// --- The row ---

static bool is_relevant(Str text)
{
  return str_contains(text, STR("onnxscript")) && str_contains(text, STR("torch"));
}

static void each_comment(const Snapshot *snapshot, CommentVisitor *visit, void *context)
{
  const Document *document = snapshot_document(snapshot);
  for (uint32_t i = 0; i < document_line_count(document); i++) {
    Str line = document_line(document, i);
    size_t hash = str_find_char(line, '#', 0);
    bool is_alone = hash != STR_NOT_FOUND && str_trim(str_slice(line, 0, hash)).len == 0;
    if (hash != STR_NOT_FOUND)
      visit(&(CommentPlace){ .line = i, .hash = hash, .is_alone = is_alone }, context);
  }
}

static void summarize(const Snapshot *snapshot, WorkspaceFile *file)
{
  (void)snapshot;
  (void)file;
}

static const LanguageFeatures no_features;

const Language requirements_language = {
  .name = "requirements",
  .title = "a list of packages",
  .sets = IN_REQUIREMENTS,
  .endings = (const LanguageEnding[]){ { STR_INIT("requirements.txt"), false },
                                       { STR_INIT("constraints.txt"), false },
                                       { STR_INIT("pyproject.toml"), false },
                                       { STR_INIT("environment.yml"), false },
                                       { STR_INIT("environment.yaml"), false },
                                       { STR_INIT("uv.lock"), false },
                                       { STR_INIT("poetry.lock"), false },
                                       { STR_INIT("Dockerfile"), false },
                                       { { 0 }, false } },
  .goes_by_name = true,
  .first_code = "all requirements",
  .is_relevant = is_relevant,
  .model = &requirements_model,
  .check = check,
  .each_comment = each_comment,
  .each_unread = whole_text_each_unread,
  .summarize = summarize,
  .features = &no_features,
};
