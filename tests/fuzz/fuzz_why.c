// Any bytes as a pasted text: every finding lies in it, a place is a path of it, and a text twice as long is no
// trouble.
//
// Input: one byte that says how often the rest is repeated (so that texts grow past 64 KB), then the text.

#include <stdlib.h>

#include "base/buffer.h"
#include "editor/suggested_dims.h"
#include "editor/suggested_export.h"
#include "why/why.h"

enum { TEXT_LIMIT = 16 * 1024, GROWN_LIMIT = 160 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
  if (!holds)
    abort();
}

static bool is_in(Str text, Str part)
{
  return part.len == 0 || str_find(text, part, 0) != STR_NOT_FOUND;
}

static void check_answer(Str text, const WhyAnswer *answer, bool is_plain)
{
  bool has_cause = false;
  for (size_t i = 0; i < answer->count; i++) {
    const WhyFinding *finding = &answer->findings[i];
    check(finding->start <= finding->end && finding->end <= text.len);
    check(finding->cause.len > 0 || finding->what.len > 0);
    check(finding->cause.len == 0 || finding->fix.len > 0);
    check(!is_plain || is_in(text, finding->file));
    has_cause |= finding->cause.len > 0;
  }
  check(answer->has_cause == has_cause);
}

/// They are in order, in the text, and put something there.
static void check_edits(const TextEdit *edits, size_t count, Str text)
{
  for (size_t i = 0, end = 0; i < count; i++) {
    check(edits[i].range.start >= end && edits[i].range.end <= text.len && edits[i].text.len > 0);
    end = edits[i].range.end;
  }
}

static void check_suggestions(Str text, Arena *arena)
{
  SuggestedDims dims = suggested_fixes_read(text, arena);
  const TextEdit *edits = NULL;
  check(dims.range.start <= dims.range.end && dims.range.end <= text.len);
  size_t count = suggested_dims_edit(&dims, text, dims.range, arena, &edits);
  check_edits(edits, count, text);
  for (int is_dynamo = 0; is_dynamo < 2; is_dynamo++) {
    ExportWish wish = { .opset = 18, .is_dynamo = is_dynamo != 0 };
    count = suggested_export_edit(&wish, text, (Range){ 0 }, arena, &edits);
    check_edits(edits, count, text);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1 || size > TEXT_LIMIT)
    return 0;
  Buffer text = { 0 };
  Arena arena = { 0 };
  WhyAnswer answer;
  Str part = str_make((const char *)data + 1, size - 1);
  for (int i = 0; i <= data[0] && text.len + part.len <= GROWN_LIMIT; i++)
    buffer_append(&text, part);
  why_explain(buffer_str(&text), symbolics_embedded(), &arena, &answer);
  // Colours within a path are taken out of it, and a NUL becomes a blank.
  bool is_plain = str_find_char(buffer_str(&text), 0x1B, 0) == STR_NOT_FOUND && !is_in(buffer_str(&text), STR("[")) &&
                  str_find_char(buffer_str(&text), '\0', 0) == STR_NOT_FOUND;
  check_answer(buffer_str(&text), &answer, is_plain);
  check_suggestions(buffer_str(&text), &arena);
  arena_done(&arena);
  buffer_done(&text);
  return 0;
}
