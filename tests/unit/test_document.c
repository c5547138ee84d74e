// What random edits (test_document_random.c) rarely hit: chunk borders at their real size, huge lines, limits.

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "naive_text.h"
#include "text/utf.h"

static Document *make(Str text, uint32_t target)
{
  Document *document = NULL;
  assert_int_equal(document_new_with_target(text, target, &document), OK);
  return document;
}

static TextChange ranged(uint32_t line, uint32_t character, uint32_t end_line, uint32_t end_character, Str text)
{
  return (TextChange){ .start = { line, character }, .end = { end_line, end_character }, .text = text };
}

static TextChange full(Str text)
{
  return (TextChange){ .is_full = true, .text = text };
}

static void assert_str(Str actual, Str expected)
{
  assert_int_equal(actual.len, expected.len);
  if (expected.len > 0)
    assert_memory_equal(actual.data, expected.data, expected.len);
}

static void assert_text(const Document *document, Str expected)
{
  Arena arena = { 0 };
  assert_str(document_slice(document, (Range){ 0, SIZE_MAX }, &arena), expected);
  arena_done(&arena);
  NaiveText naive = naive_new(expected);
  naive_check_text(&naive, document);
  naive_check_lines(&naive, document);
  naive_done(&naive);
}

/// Replaces `document` by what the changes make of it, and compares with the text expected.
static void assert_edited(Document **document, const TextChange *changes, size_t count, Str expected)
{
  Document *edited = NULL;
  assert_int_equal(document_apply(*document, changes, count, POS_UTF16, &edited), OK);
  document_release(*document);
  *document = edited;
  assert_text(edited, expected);
}

static void assert_position(Position actual, uint32_t line, uint32_t character)
{
  assert_int_equal(actual.line, line);
  assert_int_equal(actual.character, character);
}

/// `count` lines of `line`, to free().
static Str repeated(Str line, size_t count)
{
  char *text = xmalloc(line.len * count + 1);
  for (size_t i = 0; i < count; i++)
    memcpy(text + i * line.len, line.data, line.len);
  return str_make(text, line.len * count);
}

// ---- making ----

static void empty_document(void **state)
{
  (void)state;
  Document *document = make((Str){ 0 }, CHUNK_TARGET);
  assert_text(document, STR(""));
  assert_int_equal(document->chunk_count, 1);
  assert_int_equal(document_line_count(document), 1);
  assert_int_equal(document_line(document, 0).len, 0);
  assert_int_equal(document_line(document, 1).len, 0);
  assert_position(document_position(document, 5, POS_UTF16), 0, 0);
  TextChange insert = ranged(7, 7, 9, 9, STR("x\n"));
  assert_edited(&document, &insert, 1, STR("x\n"));
  TextChange remove = ranged(0, 0, 9, 9, STR(""));
  assert_edited(&document, &remove, 1, STR(""));
  document_release(document);
}

static void line_endings(void **state)
{
  (void)state;
  Document *document = make(STR("a\nbb\r\nccc\rdddd\r\r\n\n\r"), CHUNK_TARGET);
  static const char *const lines[] = { "a", "bb", "ccc", "dddd", "", "", "", "" };
  static const size_t starts[] = { 0, 2, 6, 10, 15, 17, 18, 19 };
  assert_int_equal(document_line_count(document), 8);
  for (uint32_t i = 0; i < 8; i++) {
    assert_str(document_line(document, i), str_from(lines[i]));
    // A lone "\r" before "\r\n" is an ending of its own.
    assert_int_equal(document_line_start(document, i), starts[i]);
  }
  document_release(document);
}

static void chunks_are_cut_after_the_target(void **state)
{
  (void)state;
  Str text = repeated(STR("0123456789abcde\n"), 20000);
  Document *document = make(text, CHUNK_TARGET);
  assert_text(document, text);
  assert_int_equal(document->chunk_count, 5);
  for (uint32_t i = 0; i < 4; i++) {
    assert_int_equal(document->chunks[i]->len, CHUNK_TARGET);
    assert_int_equal(document->chunks[i]->line_count, CHUNK_TARGET / 16);
  }
  // The empty line after the last ending belongs to the last chunk.
  assert_int_equal(document->chunks[4]->line_count, document->chunks[4]->len / 16 + 1);
  document_release(document);
  free((char *)text.data);
}

static void small_rest_stays_in_the_last_chunk(void **state)
{
  (void)state;
  Str text = repeated(STR("0123456789abcde\n"), CHUNK_TARGET / 16 + CHUNK_SMALL / 16 - 1);
  Document *document = make(text, CHUNK_TARGET);
  assert_int_equal(document->chunk_count, 1);
  assert_text(document, text);
  document_release(document);
  free((char *)text.data);
}

static void no_cut_inside_a_pair(void **state)
{
  (void)state;
  // The fourth byte is the "\r" of a pair, then of a lone one, then the "\n".
  static const Str texts[] = { STR_INIT("abc\r\ndef"), STR_INIT("abc\rdef"), STR_INIT("ab\r\ndef") };
  static const uint32_t cuts[] = { 5, 4, 4 };
  for (size_t i = 0; i < 3; i++) {
    Document *document = make(texts[i], 4);
    assert_int_equal(document->chunk_count, 2);
    assert_int_equal(document->chunks[0]->len, cuts[i]);
    assert_text(document, texts[i]);
    document_release(document);
  }
}

static void taking_frees_while_it_copies(void **state)
{
  (void)state;
  Str text = repeated(STR("%1 : Tensor = aten::relu(%0)\n"), 200000);
  char *given = xstrdup_str(text);
  Document *document = NULL;
  assert_int_equal(document_new_taking(given, text.len, &document), OK);
  assert_text(document, text);
  document_release(document);
  assert_int_equal(document_new_taking(xstrdup_str(STR("")), 0, &document), OK);
  assert_text(document, STR(""));
  document_release(document);
  free((char *)text.data);
}

static void serials_grow(void **state)
{
  (void)state;
  Document *document = make(STR("a\nb\nc\n"), 1);
  assert_int_equal(document->chunk_count, 3);
  uint64_t youngest = 0;
  for (uint32_t i = 0; i < 3; i++) {
    uint64_t serial = document->chunks[i]->serial;
    for (uint32_t k = 0; k < i; k++)
      assert_true(document->chunks[k]->serial != serial);
    youngest = serial > youngest ? serial : youngest;
  }
  TextChange change = ranged(1, 0, 1, 1, STR("B"));
  assert_edited(&document, &change, 1, STR("a\nB\nc\n"));
  assert_true(document->chunks[1]->serial > youngest);
  document_release(document);
}

static void too_large_is_refused(void **state)
{
  (void)state;
  // Nothing may read these bytes: there are none.
  Str huge = str_make("x", DOCUMENT_LIMIT + 1);
  Document *document = NULL;
  assert_int_equal(document_new(huge, &document), ERR_LIMIT);
  assert_int_equal(document_new_taking(xstrdup_str(STR("x")), DOCUMENT_LIMIT + 1, &document), ERR_LIMIT);
  assert_null(document);

  Document *small = make(STR("one\n"), CHUNK_TARGET);
  TextChange changes[] = { full(huge), ranged(0, 0, 0, 0, huge), ranged(0, 0, 0, 0, str_make("x", DOCUMENT_LIMIT - 3)),
                           ranged(0, 0, 0, 0, str_make("x", SIZE_MAX)) };
  for (size_t i = 0; i < 4; i++)
    assert_int_equal(document_apply(small, &changes[i], 1, POS_UTF16, &document), ERR_LIMIT);
  assert_null(document);
  assert_text(small, STR("one\n"));
  document_release(small);
}

static void null_is_released(void **state)
{
  (void)state;
  document_release(NULL);
  text_chunk_release(NULL);
}

static void chunks_outlive_documents(void **state)
{
  (void)state;
  Document *document = make(STR("kept\n"), CHUNK_TARGET);
  Document *same = document_retain(document);
  TextChunk *chunk = text_chunk_retain(document->chunks[0]);
  document_release(document);
  assert_text(same, STR("kept\n"));
  document_release(same);
  assert_str(text_chunk_line(chunk, 0), STR("kept"));
  assert_int_equal(text_chunk_line_of(chunk, 4), 0);
  assert_int_equal(text_chunk_line_of(chunk, 99), 1);
  text_chunk_release(chunk);
}

/// Edits its own versions of a shared document, and looks at the shared one in between.
static void *edit_on_a_thread(void *context)
{
  Document *document = document_retain(context);
  for (uint32_t i = 0; i < 500; i++) {
    Document *edited = NULL;
    TextChange change = ranged(i % 64, 0, i % 64, 1, STR("z"));
    if (document_apply(document, &change, 1, POS_UTF16, &edited) != OK)
      break;
    document_release(document);
    document = i % 10 == 0 ? document_retain(context) : document_retain(edited);
    document_release(edited);
  }
  size_t *len = xmalloc(sizeof(*len));
  *len = document_length(document);
  document_release(document);
  return len;
}

static void threads_share_chunks(void **state)
{
  (void)state;
  Str text = repeated(STR("0123456\n"), 64);
  Document *document = make(text, 16);
  pthread_t threads[4];
  for (int i = 0; i < 4; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, edit_on_a_thread, document), 0);
  for (int i = 0; i < 4; i++) {
    void *len;
    assert_int_equal(pthread_join(threads[i], &len), 0);
    assert_int_equal(*(size_t *)len, text.len);
    free(len);
  }
  assert_text(document, text);
  for (uint32_t i = 0; i < document->chunk_count; i++)
    assert_int_equal(atomic_load(&document->chunks[i]->references), 1);
  document_release(document);
  free((char *)text.data);
}

// ---- edits ----

static void pair_is_made_and_broken_at_a_border(void **state)
{
  (void)state;
  Document *document = make(STR("aaaa\rbbbb\rcccc"), 5);
  assert_int_equal(document->chunk_count, 3);

  TextChange make_pair = ranged(1, 0, 1, 0, STR("\n"));  // "\r" | "\nbbbb"
  assert_edited(&document, &make_pair, 1, STR("aaaa\r\nbbbb\rcccc"));
  assert_int_equal(document_line_count(document), 3);

  TextChange break_pair = ranged(0, 4, 1, 0, STR("\r"));  // The "\n" is gone: a lone "\r" again.
  assert_edited(&document, &break_pair, 1, STR("aaaa\rbbbb\rcccc"));
  document_release(document);

  // A deletion brings "\r" and "\n" together: the chunk between them goes away.
  document = make(STR("aaaa\rbbbb\n\ncccc\n"), 5);
  TextChange join = ranged(1, 0, 1, 4, STR(""));
  assert_edited(&document, &join, 1, STR("aaaa\r\n\ncccc\n"));
  assert_int_equal(document_line_count(document), 4);
  document_release(document);

  // "\r" is put before a chunk that starts with "\n": only very many empty lines are cut.
  Str empty = repeated(STR("\n"), CHUNK_TARGET + 64);
  document = make(empty, 5);
  assert_int_equal(document->chunks[1]->text[0], '\n');
  uint32_t line = document->chunk_lines[1];
  TextChange before = ranged(line - 1, 0, line, 0, STR("\r"));
  ((char *)empty.data)[document->chunk_offsets[1] - 1] = '\r';
  assert_edited(&document, &before, 1, empty);
  assert_int_equal(document_line_count(document), empty.len);  // One break fewer, and the line after the last one.
  document_release(document);
  free((char *)empty.data);
}

static void inside_a_pair_is_the_line_end(void **state)
{
  (void)state;
  Document *document = make(STR("ab\r\ncd"), CHUNK_TARGET);
  for (PosEncoding encoding = POS_UTF8; encoding <= POS_UTF32; encoding++) {
    for (size_t offset = 2; offset <= 3; offset++)
      assert_position(document_position(document, offset, encoding), 0, 2);
    for (uint32_t character = 2; character < 6; character++)
      assert_int_equal(document_offset(document, (Position){ 0, character }, encoding), 2);
  }
  TextChange change = ranged(0, 99, 1, 0, STR("+"));
  assert_edited(&document, &change, 1, STR("ab+cd"));
  document_release(document);
}

static void ends_of_the_document(void **state)
{
  (void)state;
  Document *document = make(STR("a\nb\nc\n"), 2);
  TextChange append = ranged(3, 0, 3, 0, STR("d"));
  assert_edited(&document, &append, 1, STR("a\nb\nc\nd"));
  TextChange cut_tail = ranged(2, 0, 99, 0, STR(""));  // The chunk before becomes the last: it gets the empty line.
  assert_edited(&document, &cut_tail, 1, STR("a\nb\n"));
  TextChange cut_ending = ranged(1, 1, 2, 0, STR(""));
  assert_edited(&document, &cut_ending, 1, STR("a\nb"));
  TextChange prepend = ranged(0, 0, 0, 0, STR("\n"));
  assert_edited(&document, &prepend, 1, STR("\na\nb"));
  TextChange nothing = ranged(1, 1, 1, 1, STR(""));
  assert_edited(&document, &nothing, 1, STR("\na\nb"));
  assert_edited(&document, NULL, 0, STR("\na\nb"));
  document_release(document);
}

static void reversed_range_changes_nothing(void **state)
{
  (void)state;
  Document *document = make(STR("one\ntwo\n"), CHUNK_TARGET);
  Document *edited = NULL;
  TextChange changes[] = { ranged(0, 0, 0, 0, STR("zero\n")), ranged(1, 2, 1, 1, STR("x")) };
  assert_int_equal(document_apply(document, changes, 2, POS_UTF16, &edited), ERR_FORMAT);
  changes[1] = ranged(1, 0, 0, 9, STR("x"));
  assert_int_equal(document_apply(document, changes, 2, POS_UTF16, &edited), ERR_FORMAT);
  assert_null(edited);
  assert_text(document, STR("one\ntwo\n"));
  // Reversed as written, but equal after clamping.
  TextChange clamped = ranged(0, 99, 0, 98, STR("!"));
  assert_edited(&document, &clamped, 1, STR("one!\ntwo\n"));
  document_release(document);
}

static void changes_see_those_before_them(void **state)
{
  (void)state;
  Document *document = make(STR("a\nb\nc\n"), 2);
  TextChange changes[] = {
    ranged(0, 0, 0, 0, STR("new\n")), ranged(0, 3, 1, 0, STR("")), full(STR("x\ny\n")),
    ranged(1, 0, 1, 1, STR("z\nw")),  full(STR("x\nz\nw\nend")),   ranged(3, 0, 3, 3, STR("END")),
  };
  assert_edited(&document, changes, 2, STR("newa\nb\nc\n"));
  assert_edited(&document, changes + 2, 4, STR("x\nz\nw\nEND"));
  document_release(document);
}

static void full_change_keeps_equal_chunks(void **state)
{
  (void)state;
  Str text = repeated(STR("0123456789abcde\n"), 40000);
  Document *document = make(text, CHUNK_TARGET);
  ((char *)text.data)[text.len / 2] = '#';
  TextChange change = full(text);
  Document *edited = NULL;
  assert_int_equal(document_apply(document, &change, 1, POS_UTF16, &edited), OK);
  assert_text(edited, text);
  assert_int_equal(edited->chunk_count, document->chunk_count);
  uint32_t touched = document_locate(document, text.len / 2).chunk;
  for (uint32_t i = 0; i < edited->chunk_count; i++)
    assert_true((edited->chunks[i] == document->chunks[i]) == (i != touched));
  document_release(document);
  assert_edited(&edited, &change, 1, text);
  document_release(edited);
  free((char *)text.data);
}

static void chunks_stay_near_the_target(void **state)
{
  (void)state;
  Str line = STR("0123456789abcde\n");
  Str block = repeated(line, 100);
  Document *document = make(STR(""), CHUNK_TARGET);
  TextChange type = ranged(0, 0, 0, 0, block);
  for (int i = 0; i < 200; i++) {
    Document *edited = NULL;
    assert_int_equal(document_apply(document, &type, 1, POS_UTF16, &edited), OK);
    document_release(document);
    document = edited;
  }
  assert_int_equal(document_length(document), 20000 * line.len);
  for (uint32_t i = 0; i < document->chunk_count; i++) {
    assert_true(document->chunks[i]->len >= CHUNK_SMALL);
    assert_true(document->chunks[i]->len <= 2 * CHUNK_TARGET);
  }
  // A large paste into the middle is cut; large deletions do not leave crumbs.
  Str paste = repeated(line, 30000);
  TextChange change = ranged(10000, 3, 10000, 5, paste);
  Document *pasted = NULL;
  assert_int_equal(document_apply(document, &change, 1, POS_UTF16, &pasted), OK);
  for (uint32_t i = 0; i < pasted->chunk_count; i++)
    assert_true(pasted->chunks[i]->len <= 2 * CHUNK_TARGET);
  TextChange remove = ranged(10, 0, 49990, 0, STR(""));
  Document *left = NULL;
  assert_int_equal(document_apply(pasted, &remove, 1, POS_UTF16, &left), OK);
  assert_int_equal(left->chunk_count, 1);
  document_release(left);
  document_release(pasted);
  document_release(document);
  free((char *)block.data);
  free((char *)paste.data);
}

static void small_chunk_joins_the_next(void **state)
{
  (void)state;
  Document *document = make(STR("aaaaaaa\nbbbbbbb\n0123456789abcde\n"), 16);
  assert_int_equal(document->chunk_count, 2);
  TextChange leaves_enough = ranged(0, 0, 1, 4, STR(""));  // A quarter of the target.
  assert_edited(&document, &leaves_enough, 1, STR("bbb\n0123456789abcde\n"));
  assert_int_equal(document->chunk_count, 2);
  TextChange leaves_little = ranged(0, 2, 0, 3, STR(""));
  assert_edited(&document, &leaves_little, 1, STR("bb\n0123456789abcde\n"));
  assert_int_equal(document->chunk_count, 1);
  document_release(document);
}

// ---- positions ----

static void columns_in_three_encodings(void **state)
{
  (void)state;
  // a, e acute, a Han character, an emoji, a joined emoji, an invalid byte, z.
  Str text = STR("first\na\xC3\xA9\xE6\xBC\xA2\xF0\x9F\x98\x80\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB\xFFz");
  Document *document = make(text, CHUNK_TARGET);
  static const struct {
    size_t offset;  ///< From the start of line 1.
    uint32_t columns[3];
  } rows[] = {
    { 0, { 0, 0, 0 } },   { 1, { 1, 1, 1 } },   { 3, { 3, 2, 2 } },    { 6, { 6, 3, 3 } },    { 10, { 10, 5, 4 } },
    { 14, { 14, 7, 5 } }, { 17, { 17, 8, 6 } }, { 21, { 21, 10, 7 } }, { 22, { 22, 11, 8 } }, { 23, { 23, 12, 9 } },
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    for (PosEncoding encoding = POS_UTF8; encoding <= POS_UTF32; encoding++) {
      Position position = { 1, rows[i].columns[encoding] };
      assert_position(document_position(document, 6 + rows[i].offset, encoding), 1, position.character);
      assert_int_equal(document_offset(document, position, encoding), 6 + rows[i].offset);
    }
  }
  // In the middle of the emoji: its start.
  assert_int_equal(document_offset(document, (Position){ 1, 4 }, POS_UTF16), 6 + 6);
  assert_int_equal(document_offset(document, (Position){ 1, 8 }, POS_UTF8), 6 + 6);
  for (size_t offset = 7; offset < 10; offset++)
    assert_position(document_position(document, 6 + offset, POS_UTF16), 1, 3);
  // After the line and after the last line.
  assert_int_equal(document_offset(document, (Position){ 0, 9 }, POS_UTF16), 5);
  assert_int_equal(document_offset(document, (Position){ 1, UINT32_MAX }, POS_UTF32), text.len);
  assert_int_equal(document_offset(document, (Position){ UINT32_MAX, 0 }, POS_UTF8), text.len);
  document_release(document);
}

static void nul_bytes_are_text(void **state)
{
  (void)state;
  Document *document = make(STR("a\0b\n\0\n"), 2);
  assert_int_equal(document_line_count(document), 3);
  assert_str(document_line(document, 0), STR("a\0b"));
  TextChange change = ranged(0, 1, 0, 2, STR("\0\0"));
  assert_edited(&document, &change, 1, STR("a\0\0b\n\0\n"));
  document_release(document);
}

static void huge_line(void **state)
{
  (void)state;
  enum { COUNT = 2500000 };
  Str text = repeated(STR("\xF0\x9F\x98\x80"), COUNT);  // 10 MB without an ending.
  Document *document = make(text, CHUNK_TARGET);
  assert_int_equal(document->chunk_count, 1);
  assert_position(document_position(document, text.len, POS_UTF16), 0, 2 * COUNT);
  assert_position(document_position(document, text.len - 1, POS_UTF32), 0, COUNT - 1);
  assert_int_equal(document_offset(document, (Position){ 0, COUNT + 1 }, POS_UTF16), text.len / 2);
  TextChange change = ranged(0, COUNT, 0, COUNT, STR("\n"));
  Document *edited = NULL;
  assert_int_equal(document_apply(document, &change, 1, POS_UTF16, &edited), OK);
  assert_int_equal(document_line_count(edited), 2);
  assert_int_equal(document_line(edited, 1).len, text.len / 2);
  assert_int_equal(edited->chunk_count, 2);
  document_release(edited);
  document_release(document);
  free((char *)text.data);
}

static void slices(void **state)
{
  (void)state;
  Document *document = make(STR("aa\nbb\ncc\n"), 3);
  assert_int_equal(document->chunk_count, 3);
  Arena arena = { 0 };
  Str inside = document_slice(document, (Range){ 3, 6 }, &arena);
  assert_ptr_equal(inside.data, document->chunks[1]->text);
  assert_str(inside, STR("bb\n"));
  assert_null(arena.blocks);
  assert_str(document_slice(document, (Range){ 1, 8 }, &arena), STR("a\nbb\ncc"));
  assert_str(document_slice(document, (Range){ 7, 99 }, &arena), STR("c\n"));
  assert_int_equal(document_slice(document, (Range){ 99, 100 }, &arena).len, 0);
  assert_int_equal(document_slice(document, (Range){ 5, 2 }, &arena).len, 0);
  static const size_t offsets[] = { 3, 9, SIZE_MAX };
  static const ChunkPoint points[] = { { 1, 0 }, { 2, 3 }, { 2, 3 } };
  for (size_t i = 0; i < 3; i++) {
    ChunkPoint point = document_locate(document, offsets[i]);
    assert_int_equal(point.chunk, points[i].chunk);
    assert_int_equal(point.offset, points[i].offset);
  }
  assert_int_equal(document_line_of(document, SIZE_MAX), 3);
  arena_done(&arena);
  document_release(document);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(empty_document),
    cmocka_unit_test(line_endings),
    cmocka_unit_test(chunks_are_cut_after_the_target),
    cmocka_unit_test(small_rest_stays_in_the_last_chunk),
    cmocka_unit_test(no_cut_inside_a_pair),
    cmocka_unit_test(taking_frees_while_it_copies),
    cmocka_unit_test(serials_grow),
    cmocka_unit_test(too_large_is_refused),
    cmocka_unit_test(null_is_released),
    cmocka_unit_test(chunks_outlive_documents),
    cmocka_unit_test(threads_share_chunks),
    cmocka_unit_test(pair_is_made_and_broken_at_a_border),
    cmocka_unit_test(inside_a_pair_is_the_line_end),
    cmocka_unit_test(ends_of_the_document),
    cmocka_unit_test(reversed_range_changes_nothing),
    cmocka_unit_test(changes_see_those_before_them),
    cmocka_unit_test(full_change_keeps_equal_chunks),
    cmocka_unit_test(chunks_stay_near_the_target),
    cmocka_unit_test(small_chunk_joins_the_next),
    cmocka_unit_test(columns_in_three_encodings),
    cmocka_unit_test(nul_bytes_are_text),
    cmocka_unit_test(huge_line),
    cmocka_unit_test(slices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
