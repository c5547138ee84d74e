// Any bytes as a Python file, and every feature asked at places all over it: what comes back lies in the text.
//
// Input: one byte for the target, two for the step between the places, then the text.

#include "core/features.h"
#include "fuzz_check.h"
#include "repeated.h"
#include "text/document_internal.h"

enum {
  HEAD = 3,
  WORK_LIMIT = 512 * 1024,  ///< Bytes: each place may cost as much as the text is long.
};

static void check_range(Range range, size_t len)
{
  FUZZ_CHECK(range.start <= range.end && range.end <= len);
}

static void check_edits(const TextEdit *edits, size_t count, size_t len)
{
  size_t end = 0;
  for (size_t i = 0; i < count; i++) {
    FUZZ_CHECK(edits[i].range.start >= end);
    check_range(edits[i].range, len);
    end = edits[i].range.end;
  }
}

static void check_locations(LocationList list, size_t len)
{
  for (size_t i = 0; i < list.count; i++) {
    check_range(list.items[i].origin, len);
    if (!list.items[i].is_file) {
      check_range(list.items[i].target, len);
      check_range(list.items[i].selection, len);
    }
  }
}

static void check_calls(CallEdgeList list, size_t len)
{
  for (size_t i = 0; i < list.count; i++) {
    check_range(list.items[i].item.selection, len);
    for (size_t p = 0; p < list.items[i].place_count; p++)
      check_range(list.items[i].places[p], len);
  }
}

static void ask_help(const FeatureContext *context, size_t offset, size_t len)
{
  Hover hover;
  if (feature_hover(context, offset, &hover))
    check_range(hover.range, len);
  CompletionList completion = feature_completion(context, offset, (Str){ 0 });
  for (size_t i = 0; i < completion.count; i++) {
    Range replaced = completion.items[i].replaced;
    check_range(replaced, len);
    FUZZ_CHECK(replaced.start <= offset && offset <= replaced.end);
  }
  SignatureList signatures = feature_signature(context, offset);
  FUZZ_CHECK(signatures.count == 0 || signatures.active < signatures.count);
  for (size_t i = 0; i < signatures.count; i++) {
    const Signature *signature = &signatures.items[i];
    FUZZ_CHECK(signature->active <= signature->parameter_count);
    for (size_t p = 0; p < signature->parameter_count; p++)
      FUZZ_CHECK(signature->parameters[p].start <= signature->parameters[p].end &&
                 signature->parameters[p].end <= signature->label.len);
  }
}

static void ask_at(const FeatureContext *context, size_t offset, size_t len)
{
  ask_help(context, offset, len);
  check_locations(feature_definition(context, offset), len);
  check_locations(feature_references(context, offset, true), len);
  HighlightList highlights = feature_highlight(context, offset);
  for (size_t i = 0; i < highlights.count; i++)
    check_range(highlights.items[i].range, len);
  SelectionList selection = feature_selection(context, offset);
  for (size_t i = 0; i < selection.count; i++)
    check_range(selection.items[i], len);
  CallItemList calls = feature_call_items(context, offset);
  for (size_t i = 0; i < calls.count; i++)
    check_range(calls.items[i].selection, len);
  check_calls(feature_incoming_calls(context, offset), len);
  check_calls(feature_outgoing_calls(context, offset), len);
  ActionList actions = feature_actions(context, &(ActionWorld){ 0 }, (Range){ offset, offset }, 3);
  for (size_t i = 0; i < actions.count; i++)
    check_edits(actions.items[i].edits, actions.items[i].edit_count, len);
}

static void ask_whole(const FeatureContext *context, size_t len)
{
  Range all = { 0, len };
  SymbolList symbols = feature_symbols(context);
  for (size_t i = 0; i < symbols.count; i++) {
    const Symbol *symbol = &symbols.items[i];
    check_range(symbol->range, len);
    FUZZ_CHECK(symbol->range.start <= symbol->selection.start && symbol->selection.end <= symbol->range.end);
    FUZZ_CHECK(symbol->depth == 0 || (i > 0 && symbol->depth <= symbols.items[i - 1].depth + 1));
  }
  feature_folding(context);
  feature_links(context);
  SemanticTokenList tokens = feature_tokens(context, all);
  for (size_t i = 0; i < tokens.count; i++)
    FUZZ_CHECK(tokens.items[i].start + tokens.items[i].len <= len);
  InlayHintList hints = feature_inlay_hints(context, all);
  for (size_t i = 0; i < hints.count; i++)
    FUZZ_CHECK(hints.items[i].offset <= len && (i == 0 || hints.items[i - 1].offset <= hints.items[i].offset));
  LensList lenses = feature_lenses(context);
  for (size_t i = 0; i < lenses.count; i++)
    check_range(lenses.items[i].range, len);
  DiagnosticList diagnostics = diagnostics_of(context->snapshot, context->arena);
  EditList fixes = feature_safe_fixes(&diagnostics, context->arena);
  check_edits(fixes.items, fixes.count, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < HEAD)
    return 0;
  static const Str versions[] = { STR_INIT("1.13"), STR_INIT("2.6"), STR_INIT("2.14") };
  Target values = { .torch = versions[data[0] % 3], .opset = data[0] / 3 % 24 };
  memset(values.severities, SEVERITY_DEFAULT, sizeof(values.severities));
  Target *target = target_new(&values);
  Document *document = NULL;
  Buffer text = repeated_text(str_make((const char *)data + HEAD, size - HEAD));
  size_t len = text.len;
  FUZZ_CHECK(document_new(buffer_str(&text), &document) == OK);
  buffer_done(&text);
  SnapshotInput input = {
    .uri = STR("file:///symbolics.py"),
    .version = 1,
    .language_id = STR("python"),
    .document = document,
    .target = target,
  };
  Snapshot *snapshot = snapshot_new(&input, NULL);
  Arena arena = { 0 };
  FeatureContext context = { .snapshot = snapshot, .arena = &arena };
  ask_whole(&context, len);
  size_t places = 1 + WORK_LIMIT / (len + 1);
  size_t step = 1 + data[1] + len / places;
  for (size_t offset = data[2] % step; offset <= len; offset += step)
    ask_at(&context, offset, len);
  arena_done(&arena);
  snapshot_release(snapshot);
  document_release(document);
  target_release(target);
  return 0;
}
