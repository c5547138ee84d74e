// 100,000 random edits of a document with tiny chunks, each compared with a flat buffer (or a share of them:
// random_numbers.h).

#include "naive_text.h"
#include "random_numbers.h"

enum { TEXT_LIMIT = 300, MAX_CHANGES = 4, MAX_PIECES = 12, OFFSETS_PER_EDIT = 3 };

/// Text of a few pieces: endings, characters of every length, a joined emoji, and bytes that are not UTF-8.
static Str random_text(Arena *arena, uint32_t max_pieces)
{
  static const Str pieces[] = {
    STR_INIT("\n"),
    STR_INIT("\n"),
    STR_INIT("\r\n"),
    STR_INIT("\r"),
    STR_INIT("a"),
    STR_INIT("%12 : Tensor"),
    STR_INIT("\xC3\xA9"),
    STR_INIT("\xE6\xBC\xA2"),
    STR_INIT("\xF0\x9F\x98\x80"),
    STR_INIT("\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB"),
    STR_INIT("\xFF"),
    STR_INIT("\x80"),
    STR_INIT("\xE2\x82"),
    STR_INIT("\xED\xA0\x80"),
    STR_INIT("\xC0\x80"),
    STR_INIT("\xF4\x90\x80\x80"),
    STR_INIT("\xF0\x9F"),
    STR_INIT("\0"),
    STR_INIT("\t"),
    STR_INIT("a long stretch of plain ASCII in one line"),
  };
  uint32_t count = random_below(max_pieces + 1);
  char *text = arena_alloc(arena, count * 48 + 1);
  size_t len = 0;
  for (uint32_t i = 0; i < count; i++) {
    Str piece = pieces[random_below(COUNT(pieces))];
    memcpy(text + len, piece.data, piece.len);
    len += piece.len;
  }
  return str_make(text, len);
}

/// Anywhere in the text, often right at or after the end of a line, now and then far outside.
static Position random_position(const Document *document)
{
  if (random_below(64) == 0)
    return (Position){ random_below(2) ? UINT32_MAX : random_below(1000), random_below(2) ? UINT32_MAX : 0 };
  uint32_t line = random_below(document_line_count(document) + 1);
  uint32_t len = (uint32_t)document_line(document, line).len;
  return (Position){ line, random_below(4) == 0 ? 0 : random_below(len + 2) };
}

static bool is_after(Position a, Position b)
{
  return a.line > b.line || (a.line == b.line && a.character > b.character);
}

static TextChange random_change(const Document *document, Arena *arena)
{
  TextChange change = { .text = random_text(arena, MAX_PIECES) };
  change.is_full = random_below(60) == 0;
  change.start = random_position(document);
  change.end = change.start;
  if (random_below(3) > 0)
    change.end = random_position(document);
  // Reversed ranges are rare, or hardly any edit would get through.
  if (is_after(change.start, change.end) && random_below(20) > 0) {
    Position start = change.end;
    change.end = change.start;
    change.start = start;
  }
  if (document_length(document) > TEXT_LIMIT)
    change.text.len = 0;
  return change;
}

static void random_step(NaiveText *naive, Document **document)
{
  Arena arena = { 0 };
  TextChange changes[MAX_CHANGES];
  size_t count = random_below(4) == 0 ? 1 + random_below(MAX_CHANGES) : 1;
  for (size_t i = 0; i < count; i++)
    changes[i] = random_change(*document, &arena);
  naive_step(naive, document, changes, count, (PosEncoding)random_below(3));
  for (int i = 0; i < OFFSETS_PER_EDIT; i++)
    naive_check_offset(naive, *document, random_below((uint32_t)naive->len + 1));
  arena_done(&arena);
}

int main(void)
{
  size_t edits = random_share(100000);

  // A few targets: with 1 every line is a chunk, with 64 most edits stay inside one.
  static const uint32_t targets[] = { 1, 4, 16, 64 };
  for (size_t i = 0; i < COUNT(targets); i++) {
    NaiveText naive = naive_new(STR(""));
    Document *document = NULL;
    NAIVE_CHECK(document_new_with_target(STR(""), targets[i], &document) == OK);
    for (size_t edit = 0; edit < edits / 4; edit++)
      random_step(&naive, &document);
    document_release(document);
    naive_done(&naive);
  }
  printf("%zu edits\n", edits);
  return 0;
}
