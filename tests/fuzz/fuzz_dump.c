// Edits of a dump taken from the input, with tiny chunks: after each one the snapshot made from the one before it
// equals a fresh one.
//
// Input: one byte for the chunk targets, text up to the first 0xFE byte (repeated.h), then edits: start (2 bytes, of
// the text's length), deleted bytes (1), kind (1), and for a kind above 127 one of the lines below, else so many bytes
// of text.

#include "../unit/dump_flat.h"
#include "repeated.h"
#include "text/document_internal.h"

enum { EDITED_LIMIT = 4096, EDIT_LIMIT = 16, HEAD = 4 };

static Str take(Str *input, size_t len)
{
  Str taken = str_slice(*input, 0, len);
  *input = str_slice(*input, taken.len, SIZE_MAX);
  return taken;
}

static Str take_first_text(Str *input)
{
  size_t end = str_find_char(*input, (char)0xFE, 0);
  Str text = take(input, end);
  take(input, 1);
  return text;
}

/// Lines that change how a dump is divided and nested.
static Str structure_line(unsigned char kind)
{
  static const Str lines[] = {
    STR_INIT("\ngraph(%x : Tensor):\n"),
    STR_INIT("\n  return (%x)\n"),
    STR_INIT("\n    block0():\n"),
    STR_INIT("\n    block1(%i : int):\n"),
    STR_INIT("\n      -> (%x)\n"),
    STR_INIT("\n  %x : Tensor = prim::If(%c)\n"),
    STR_INIT("\n  %x : Tensor = aten::lgamma(%y)\n"),
    STR_INIT("\n      %x : Tensor = aten::add_(%y, %z)\n"),
    STR_INIT("\n  %y : Tensor, %z : int = prim::Loop(%x, %c)\n"),
    STR_INIT("\n  %c : bool = prim::Constant[value=1]()\n"),
    STR_INIT("\nwith prim::Fusion_0 = graph(%x : Float(3),\n"),
    STR_INIT("\n      %y : Float(3)):\n"),
    STR_INIT("\ngraph main (\n"),
    STR_INIT("\n) {\n"),
    STR_INIT("\n}\n"),
    STR_INIT("\n...\n"),
    STR_INIT("\r"),
    STR_INIT("\r\n"),
    STR_INIT("  "),
  };
  return lines[kind % COUNT(lines)];
}

static TextChange take_edit(Str *input, const Document *document)
{
  Str head = take(input, HEAD);
  unsigned char bytes[HEAD] = { 0 };
  if (head.len > 0)
    memcpy(bytes, head.data, head.len);
  size_t start = (bytes[0] * 256u + bytes[1]) % (document_length(document) + 1);
  size_t end = start + bytes[2];
  return (TextChange){
    .start = document_position(document, start, POS_UTF8),
    .end = document_position(document, end, POS_UTF8),
    .text = bytes[3] > 127 ? structure_line(bytes[3]) : take(input, bytes[3]),
  };
}

static Snapshot *make_snapshot(Document *document, const Target *target, const Snapshot *previous)
{
  SnapshotInput input = {
    .uri = STR("file:///fuzz.torchir"),
    .version = 1,
    .language_id = STR("torch-ir"),
    .document = document,
    .target = target,
  };
  return snapshot_new(&input, previous);
}

static Str whole_text(const Document *document, Arena *arena)
{
  Range all = { 0, document_length(document) };
  return document_slice(document, all, arena);
}

static void check_against_fresh(const Snapshot *snapshot, uint32_t chunk_target)
{
  Arena arena = { 0 };
  Document *document = NULL;
  Str text = whole_text(snapshot_document(snapshot), &arena);
  FLAT_CHECK(document_new_with_target(text, chunk_target, &document) == OK);
  Snapshot *fresh = make_snapshot(document, snapshot_target(snapshot), NULL);
  flat_check_snapshot(snapshot);
  flat_check_snapshot(fresh);
  Buffer got = { 0 };
  Buffer expected = { 0 };
  flat_snapshot(&got, snapshot);
  flat_snapshot(&expected, fresh);
  if (!flat_same(buffer_str(&got), buffer_str(&expected)))
    abort();
  buffer_done(&got);
  buffer_done(&expected);
  snapshot_release(fresh);
  document_release(document);
  arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1)
    return 0;
  static const uint32_t chunk_targets[] = { 1, 20, 80, 250, 600, CHUNK_TARGET };
  Str input = str_make((const char *)data + 1, size - 1);
  uint32_t chunk_target = chunk_targets[data[0] % 6];
  uint32_t fresh_target = chunk_targets[data[0] / 6 % 6];
  Target values = { .torch = STR("2.14"), .opset = 9 + data[0] / 36, .max_diagnostics = data[0] / 128 * 3 };
  memset(values.severities, SEVERITY_DEFAULT, sizeof(values.severities));
  Target *target = target_new(&values);
  Document *document = NULL;
  Buffer first = repeated_text(take_first_text(&input));
  // Larger texts are about depth; in tiny chunks they would take too long.
  if (first.len > EDITED_LIMIT)
    chunk_target = fresh_target = CHUNK_TARGET;
  FLAT_CHECK(document_new_with_target(buffer_str(&first), chunk_target, &document) == OK);
  buffer_done(&first);
  Snapshot *snapshot = make_snapshot(document, target, NULL);
  check_against_fresh(snapshot, fresh_target);
  for (int i = 0; i < EDIT_LIMIT && input.len > 0 && document_length(document) < EDITED_LIMIT; i++) {
    TextChange change = take_edit(&input, document);
    Document *edited = NULL;
    FLAT_CHECK(document_apply(document, &change, 1, POS_UTF8, &edited) == OK);
    Snapshot *next = make_snapshot(edited, target, snapshot);
    document_release(document);
    snapshot_release(snapshot);
    document = edited;
    snapshot = next;
    check_against_fresh(snapshot, fresh_target);
  }
  snapshot_release(snapshot);
  document_release(document);
  target_release(target);
  return 0;
}
