// Answers that are edits of a document, and the rows of their methods.

#include "lsp/actions_json.h"
#include "lsp/feature_method.h"

static void write_rename_place(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  const RenamePlace *place = result->rename_place;
  if (!place) {
    writer_null(writer);
    return;
  }
  PositionCursor cursor = answer_cursor(context);
  writer_open(writer, '{');
  position_write_range_member(writer, "range", &cursor, place->range);
  writer_member_str(writer, "placeholder", place->name);
  writer_close(writer, '}');
}

static void write_rename(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  if (result->rename.count == 0)
    writer_null(writer);
  else
    actions_write_edit(writer, context, result->rename.edits, result->rename.count);
}

/// How much of two texts is the same, in whole lines, from the beginning.
static size_t same_lines(Str a, Str b)
{
  size_t same = 0;
  for (size_t i = 0; i < a.len && i < b.len && a.data[i] == b.data[i]; i++) {
    if (a.data[i] == '\n')
      same = i + 1;
  }
  return same;
}

/// The same from the end, of what comes after the first `from` bytes.
static size_t same_lines_at_end(Str a, Str b, size_t from)
{
  size_t same = 0;
  for (size_t i = 0; i < a.len - from && i < b.len - from && a.data[a.len - 1 - i] == b.data[b.len - 1 - i]; i++) {
    if (a.data[a.len - 1 - i] == '\n')
      same = i;
  }
  return same;
}

/// One edit of the lines between those that stay.
static void write_layout(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  const Document *document = snapshot_document(context->snapshot);
  Str before = document_slice(document, (Range){ 0, document_length(document) }, context->arena);
  Str after = result->layout.text;
  writer_open(writer, '[');
  if (result->layout.is_known && !str_equal(before, after)) {
    size_t start = same_lines(before, after);
    size_t end = same_lines_at_end(before, after, start);
    PositionCursor cursor = answer_cursor(context);
    writer_open(writer, '{');
    position_write_range_member(writer, "range", &cursor, (Range){ start, before.len - end });
    writer_member_str(writer, "newText", str_slice(after, start, after.len - end));
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static Str refuse_rename(const FeatureResult *result)
{
  return result->rename.refusal;
}

// --- Asking for them ---

COMPUTE(layout, layout, feature_format(context))
COMPUTE(rename, rename, feature_rename(context, params->offset, params->new_name))

static void compute_rename_place(const FeatureContext *context, const FeatureParams *params, FeatureResult *ret_result)
{
  RenamePlace *place = ARENA_NEW(context->arena, RenamePlace);
  ret_result->rename_place = feature_rename_place(context, params->offset, place) ? place : NULL;
}

const FeatureMethod edits_methods[] = {
  // Registered for the languages that have a layout, where the client takes that (capabilities.h).
  { .name = "textDocument/formatting",
    .cost = COST_TEXT,
    .empty = "[]",
    .read = params_read_document,
    .compute = compute_layout,
    .write = write_layout },
  { .name = "textDocument/prepareRename",
    .cost = COST_PLACE,
    .empty = "null",
    .read = params_read_position,
    .compute = compute_rename_place,
    .write = write_rename_place },
  { .name = "textDocument/rename",
    .provider = "renameProvider",
    .provision = "{\"prepareProvider\":true}",
    .cost = COST_TEXT,
    .empty = "null",
    .read = params_read_rename,
    .compute = compute_rename,
    .write = write_rename,
    .refusal = refuse_rename },
  { 0 },
};
