#include "session/target_choices.h"

#include <stdlib.h>

#include "base/limits.h"
#include "core/coverage.h"
#include "core/diagnostics.h"
#include "facts/runtime.h"
#include "lsp/target_json.h"
#include "rpc/writer.h"
#include "session/state.h"
#include "text/uri.h"

/// One setting with another value.
typedef struct Choice {
  const char *setting;  ///< As .onnxls.json names it.
  Str text;             ///< The value; empty if it is a number.
  int number;
  Target *target;  ///< Retained.
} Choice;

struct TargetChoices {
  Vec(Choice) items;
  Arena arena;
};

typedef struct Counts {
  size_t errors;
  size_t warnings;
  Coverage coverage;  ///< Its text is in the arena that count() was given.
} Counts;

void target_choices_free(TargetChoices *choices)
{
  if (!choices)
    return;
  for (size_t i = 0; i < choices->items.count; i++)
    target_release(choices->items.items[i].target);
  vec_free(&choices->items);
  arena_done(&choices->arena);
  free(choices);
}

// --- What there is to choose, on the loop ---

/// The changed settings are done then.
static void add_choice(TargetChoices *choices, Choice choice, Settings *changed, const Target *target)
{
  Buffer problems = { 0 };  // Of a choice that does not exist, which nobody made.
  changed->max_diagnostics = 0;
  choice.target = target_with_workspace(settings_target_over(changed, target->facts, &problems), target->workspace);
  vec_push(&choices->items, choice);
  settings_done(changed);
  buffer_done(&problems);
}

static void add_torches(TargetChoices *choices, const Settings *settings, const Target *target)
{
  const Str *versions;
  for (size_t i = symbolics_torch_versions(target_db(target), &versions); i-- > 0;) {
    Settings changed = settings_share(settings);
    settings_set_torch(&changed, versions[i], "a choice");
    add_choice(choices, (Choice){ .setting = "torch", .text = versions[i] }, &changed, target);
  }
}

static void add_exporters(TargetChoices *choices, const Settings *settings, const Target *target)
{
  static const Exporter exporters[] = { EXPORTER_TORCHSCRIPT, EXPORTER_DYNAMO };
  for (size_t i = 0; i < COUNT(exporters); i++) {
    Settings changed = settings_share(settings);
    changed.exporter = exporters[i];
    changed.exporter_origin = STR("a choice");
    add_choice(choices, (Choice){ .setting = "exporter", .text = str_from(exporter_name(exporters[i])) }, &changed,
               target);
  }
}

static void add_opsets(TargetChoices *choices, const Settings *settings, const Target *target, const Language *language)
{
  TorchChoice torch;
  OpsetRange range;
  if (!symbolics_resolve_torch(target_db(target), target->torch, &torch) ||
      !symbolics_opset_range(target_db(target), torch.torch, language_exporter(language, target), &range))
    return;
  for (int opset = range.max; opset >= range.min; opset--) {
    Settings changed = settings_share(settings);
    settings_set_opset(&changed, opset, "a choice");
    add_choice(choices, (Choice){ .setting = "opset", .number = opset }, &changed, target);
  }
}

static void add_runtimes(TargetChoices *choices, const Settings *settings, const Target *target)
{
  const SymbolicsDb *db = target_db(target);
  for (uint32_t layer = 0; layer < symbolics_layer_count(db); layer++) {
    const MessageTable *table = symbolics_messages(db, layer);
    for (size_t i = table->runtime_count; i-- > 0;) {
      Settings changed = settings_share(settings);
      Str text = arena_printf(&choices->arena, "onnxruntime %.*s", STR_ARG(table->runtimes[i].version));
      settings_set_runtime(&changed, text, "a choice");
      add_choice(choices, (Choice){ .setting = "runtime", .text = text }, &changed, target);
    }
  }
}

void target_choices_gather(Request *request)
{
  const Target *target = snapshot_target(request->snapshot);
  TargetChoices *choices = xcalloc(1, sizeof(*choices));
  Arena arena = { 0 };
  Str path = uri_to_path(snapshot_uri(request->snapshot), &arena);
  const Settings *settings = folder_targets_settings(workspace_folder(request->session, path)->targets, path);
  add_torches(choices, settings, target);
  add_exporters(choices, settings, target);
  add_opsets(choices, settings, target, snapshot_language(request->snapshot));
  add_runtimes(choices, settings, target);
  arena_done(&arena);
  request->choices = choices;
  request->params.choices = choices;
}

// --- What each would mean, on any thread ---

static Counts count(const FeatureContext *context, const Target *target, Arena *ret_arena)
{
  const Snapshot *snapshot = context->snapshot;
  Arena arena = { 0 };
  SnapshotInput input = {
    .uri = snapshot_uri(snapshot),
    .version = snapshot_version(snapshot),
    .document = (Document *)snapshot_document(snapshot),
    .target = target,
    .language = snapshot_language(snapshot),
    .cells = snapshot_cells(snapshot),
  };
  Snapshot *other = snapshot_new(&input, snapshot);
  DiagnosticList list = diagnostics_unless(context->cancelled, other, &arena);
  Counts counts = { .coverage = coverage_of(other, ret_arena) };
  for (size_t i = 0; i < list.count; i++) {
    counts.errors += list.items[i].severity == SEVERITY_ERROR;
    counts.warnings += list.items[i].severity == SEVERITY_WARNING;
  }
  snapshot_release(other);
  arena_done(&arena);
  return counts;
}

/// "5 errors fewer"
static void append_difference(Buffer *words, size_t now, size_t then, const char *what)
{
  size_t by = now > then ? now - then : then - now;
  if (by > 0)
    buffer_printf(words, "%s%zu %s%s %s", words->len > 0 ? ", " : "", by, what, by == 1 ? "" : "s",
                  now > then ? "fewer" : "more");
}

static bool is_current(const Choice *choice, const Target *target, const Language *language)
{
  if (choice->number > 0)
    return choice->number == language_opset(language, target);
  if (strcmp(choice->setting, "torch") == 0)
    return str_equal(choice->text, target->torch);
  if (strcmp(choice->setting, "exporter") == 0)
    return str_equal(choice->text, str_from(exporter_name(target->exporter)));
  RuntimeChoice now;
  RuntimeChoice then;
  return target->runtime.len > 0 && symbolics_resolve_runtime(target_db(target), target->runtime, &now) &&
         symbolics_resolve_runtime(target_db(target), choice->text, &then) && str_equal(now.version, then.version);
}

/// Fewer errors are none the fewer where less is judged.
static void write_counts(Writer *writer, Counts now, Counts then)
{
  Buffer words = { 0 };
  bool is_comparable = now.coverage.status == then.coverage.status;
  if (is_comparable) {
    append_difference(&words, now.errors, then.errors, "error");
    append_difference(&words, now.warnings, then.warnings, "warning");
  }
  writer_member_int(writer, "errors", (int64_t)then.errors);
  writer_member_int(writer, "warnings", (int64_t)then.warnings);
  writer_member_str(writer, "difference", buffer_str(&words));
  writer_member_known_str(writer, "why", is_comparable ? (Str){ 0 } : then.coverage.why);
  buffer_done(&words);
}

static void write_choice(Writer *writer, const FeatureContext *context, const Choice *choice, const Counts *now)
{
  const Snapshot *snapshot = context->snapshot;
  writer_open(writer, '{');
  writer_member_str(writer, "setting", str_from(choice->setting));
  if (choice->number > 0)
    writer_member_int(writer, "value", choice->number);
  else
    writer_member_str(writer, "value", choice->text);
  writer_member_bool(writer, "current", is_current(choice, snapshot_target(snapshot), snapshot_language(snapshot)));
  if (now)
    write_counts(writer, *now, count(context, choice->target, context->arena));
  writer_close(writer, '}');
}

static bool is_countable(const Snapshot *snapshot, const TargetChoices *choices)
{
  return snapshot_model(snapshot) &&
         document_length(snapshot_document(snapshot)) * choices->items.count <= TARGET_CHOICES_LIMIT;
}

static void compute_choices(const FeatureContext *context, const FeatureParams *params, FeatureResult *ret_result)
{
  const Snapshot *snapshot = context->snapshot;
  const TargetChoices *choices = params->choices;
  const Target *target = snapshot_target(snapshot);
  bool is_counted = is_countable(snapshot, choices);
  Buffer text = { 0 };
  Writer writer = { .out = &text };
  writer_open(&writer, '{');
  target_json_members(&writer, target, snapshot_language(snapshot));
  writer_member_str(&writer, "runtime", target->runtime);
  writer_member_str(&writer, "runtimeFrom", target->runtime_origin);
  writer_member_bool(&writer, "counted", is_counted);
  Target unbounded = *target;
  unbounded.max_diagnostics = 0;
  Target *same = target_new(&unbounded);
  Counts now = is_counted ? count(context, same, context->arena) : (Counts){ 0 };
  target_release(same);
  writer_key(&writer, "choices");
  writer_open(&writer, '[');
  for (size_t i = 0; i < choices->items.count && !atomic_load(context->cancelled); i++)
    write_choice(&writer, context, &choices->items.items[i], is_counted ? &now : NULL);
  writer_close(&writer, ']');
  writer_close(&writer, '}');
  ret_result->text = arena_copy(context->arena, buffer_str(&text));
  buffer_done(&text);
}

static void write_choices(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  writer_raw(writer, result->text);
}

const FeatureMethod target_choices_methods[] = {
  { .name = "onnxls/targets",
    .cost = COST_TEXT,
    .reads_files = true,  // Far too much for the loop.
    .wants_choices = true,
    .empty = "null",
    .read = params_read_document,
    .compute = compute_choices,
    .write = write_choices },
  { 0 },
};
