// Random edits of real dumps: whatever the edits and wherever chunks are cut, the snapshot made from the one before it
// equals a fresh one. Both are cut into tiny chunks of different sizes.
//
//   test_dump_random               2,000 edits of each kind, or a share of them (random_numbers.h), and some edits with
//                                  chunks of the usual size
//   test_dump_random EDITS [KIND]  so many edits of each kind, or of one (a folder of tests/corpus/edits)

#include <dirent.h>

#include "dump_flat.h"
#include "graph/graph_language.h"
#include "random_numbers.h"
#include "text/document_internal.h"

enum {
  SAMPLE_LIMIT = 32,
  TEXT_LIMIT = 6000,   ///< A longer text is mostly cut down.
  EDITS_A_ROUND = 40,  ///< Then a fresh sample is taken.
  MAX_CHANGES = 4,
  UNDO_COUNT = 4,
  LARGE_TEXT = 300 * 1024,
};

static bool one_in(uint32_t n)
{
  return random_below(n) == 0;
}

#define PICK(list) ((list)[random_below(COUNT(list))])

// --- Samples ---

typedef struct Samples {
  Str texts[SAMPLE_LIMIT];  ///< Owned.
  uint32_t count;
} Samples;

static Str read_whole_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  FLAT_CHECK(file);
  Buffer buffer = { 0 };
  char block[4096];
  for (size_t got; (got = fread(block, 1, sizeof(block), file)) > 0;)
    buffer_append(&buffer, str_make(block, got));
  fclose(file);
  return buffer_str(&buffer);
}

static int compare_texts(const void *a, const void *b)
{
  return str_compare(*(const Str *)a, *(const Str *)b);
}

static void read_samples(const char *kind, Samples *samples)
{
  char folder[1024];
  snprintf(folder, sizeof(folder), "%s/corpus/edits/%s", ONNXLS_TESTS_DIR, kind);
  DIR *entries = opendir(folder);
  FLAT_CHECK(entries);
  samples->count = 0;
  for (struct dirent *entry = readdir(entries); entry && samples->count < SAMPLE_LIMIT; entry = readdir(entries)) {
    char path[2048];
    if (entry->d_name[0] == '.')
      continue;
    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
    samples->texts[samples->count++] = read_whole_file(path);
  }
  closedir(entries);
  FLAT_CHECK(samples->count > 0);
  // A folder's order differs from machine to machine.
  qsort(samples->texts, samples->count, sizeof(Str), compare_texts);
}

static void free_samples(Samples *samples)
{
  for (uint32_t i = 0; i < samples->count; i++)
    free((char *)samples->texts[i].data);
}

// --- The run ---

typedef struct Run {
  const Samples *samples;
  Document *document;
  Snapshot *snapshot;
  Target *target;
  Str text;              ///< The document's whole text; owned.
  Str undo[UNDO_COUNT];  ///< Earlier texts; owned.
  unsigned long edit;
  uint32_t text_limit;
  bool names_are_words;  ///< They have no sign.
} Run;

static Str whole_text(const Document *document)
{
  Buffer buffer = { 0 };
  for (uint32_t c = 0; c < document->chunk_count; c++)
    buffer_append(&buffer, str_make(document->chunks[c]->text, document->chunks[c]->len));
  return buffer_str(&buffer);
}

static Target *random_target(void)
{
  static const char *const versions[] = { "1.13", "2.6", "2.14" };
  Target target = {
    .torch = str_from(PICK(versions)),
    .exporter = one_in(8) ? EXPORTER_DYNAMO : EXPORTER_TORCHSCRIPT,
    .opset = (int)(9 + random_below(9)),
    .max_diagnostics = one_in(3) ? 1 + random_below(20) : 0,
  };
  memset(target.severities, SEVERITY_DEFAULT, sizeof(target.severities));
  return target_new(&target);
}

static Snapshot *make_snapshot(Document *document, const Target *target, const Snapshot *previous)
{
  SnapshotInput input = { .uri = STR("file:///random.txt"), .version = 1, .document = document, .target = target };
  return snapshot_new(&input, previous);
}

// --- Places in the text ---

static size_t random_offset(const Run *run)
{
  return random_below((uint32_t)run->text.len + 1);
}

static size_t line_start_at(Str text, size_t offset)
{
  while (offset > 0 && text.data[offset - 1] != '\n' && text.data[offset - 1] != '\r')
    offset--;
  return offset;
}

static size_t line_end_at(Str text, size_t offset)
{
  while (offset < text.len && text.data[offset] != '\n' && text.data[offset] != '\r')
    offset++;
  return offset;
}

/// After the line's ending.
static size_t next_line_at(Str text, size_t offset)
{
  size_t end = line_end_at(text, offset);
  if (end < text.len && text.data[end] == '\r')
    end++;
  if (end < text.len && text.data[end] == '\n')
    end++;
  return end;
}

static size_t random_line_start(const Run *run)
{
  return line_start_at(run->text, random_offset(run));
}

/// The bytes of some lines of a text.
static Str random_lines(Str text, uint32_t max_lines)
{
  size_t start = line_start_at(text, random_below((uint32_t)text.len + 1));
  size_t end = start;
  for (uint32_t i = 1 + random_below(max_lines); i > 0; i--)
    end = next_line_at(text, end);
  return str_slice(text, start, end);
}

/// A word in the text; empty if a search from a random offset finds none.
static Str random_word(Str text)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  size_t start = text.len == 0 ? 0 : random_below((uint32_t)text.len);
  while (start < text.len && !memchr(letters, text.data[start], sizeof(letters) - 1))
    start++;
  while (start > 0 && start < text.len && memchr(letters, text.data[start - 1], sizeof(letters) - 1))
    start--;
  size_t end = start;
  while (end < text.len && memchr(letters, text.data[end], sizeof(letters) - 1))
    end++;
  return str_slice(text, start, end);
}

/// A value's name in the text; empty if a search from a random offset finds none.
static Str random_name(const Run *run)
{
  Str text = run->text;
  if (run->names_are_words)
    return random_word(text);
  size_t start = text.len == 0 ? STR_NOT_FOUND : str_find_char(text, '%', random_below((uint32_t)text.len));
  if (start == STR_NOT_FOUND)
    return (Str){ 0 };
  size_t end = start + 1;
  while (end < text.len && !strchr(" ,:=()\r\n", text.data[end]))
    end++;
  return str_slice(text, start, end);
}

// --- Edits ---

typedef struct RandomEdit {
  bool is_full;
  size_t start;
  size_t end;
  Str text;
} RandomEdit;

static RandomEdit edit_bytes(Run *run, Arena *arena)
{
  static const Str pieces[] = {
    STR_INIT(""),
    STR_INIT("x"),
    STR_INIT("7"),
    STR_INIT("%"),
    STR_INIT("("),
    STR_INIT(")"),
    STR_INIT("["),
    STR_INIT("]"),
    STR_INIT(","),
    STR_INIT(" : "),
    STR_INIT(" = "),
    STR_INIT("::"),
    STR_INIT("\""),
    STR_INIT("#"),
    STR_INIT("{"),
    STR_INIT("}"),
    STR_INIT("\n"),
    STR_INIT("\r\n"),
    STR_INIT("\r"),
    STR_INIT("\t"),
    STR_INIT(" "),
    STR_INIT("\0"),
    STR_INIT("\xF0\x9F\x98\x80"),
    STR_INIT("\xC3\xA9"),
    STR_INIT("\xFF\xFE"),
    STR_INIT("\xE2\x82"),
    STR_INIT("\xED\xA0\x80"),
    STR_INIT("\xE2\x80\xA6"),
    STR_INIT("..."),
    STR_INIT("->"),
  };
  (void)arena;
  size_t start = random_offset(run);
  return (RandomEdit){ .start = start, .end = start + random_below(4), .text = PICK(pieces) };
}

static RandomEdit edit_name(Run *run, Arena *arena)
{
  Str old = random_name(run);
  Str other = random_name(run);
  if (old.len == 0)
    return edit_bytes(run, arena);
  if (one_in(4))
    other = arena_printf(arena, "%.*s%zu", STR_ARG(other), random_below(10));
  size_t start = (size_t)(old.data - run->text.data);
  return (RandomEdit){ .start = start, .end = start + old.len, .text = other };
}

static RandomEdit edit_copy_lines(Run *run, Arena *arena)
{
  size_t to = random_line_start(run);
  return (RandomEdit){ .start = to, .end = to, .text = arena_copy(arena, random_lines(run->text, 4)) };
}

static RandomEdit edit_delete_lines(Run *run, Arena *arena)
{
  (void)arena;
  Str lines = random_lines(run->text, one_in(10) ? 100 : 4);
  size_t start = (size_t)(lines.data - run->text.data);
  return (RandomEdit){ .start = start, .end = start + lines.len };
}

static RandomEdit edit_snippet(Run *run, Arena *arena)
{
  static const char *const snippets[] = {
    "block0():",
    "block1(%i.7 : int, %x : Tensor):",
    "-> ()",
    "-> (%x, %4)",
    "return (%x)",
    "return ()",
    "graph(%self : __torch__.M,",
    "graph(%x : Tensor):",
    "graph():",
    "with prim::Fusion_0 = graph(%x : Float(3)):",
    "graph main_graph (",
    "graph sub_graph1 {",
    "%input[FLOAT, 1x3]",
    ") {",
    "}",
    ") initializers (",
    "%x : Tensor = prim::If(%4)",
    "%y : Tensor, %z.1 : int = prim::Loop(%x, %4, %y)",
    "%x : Tensor = aten::lgamma(%4) # model.py:3:4",
    "%q : Tensor = custom::thing(%x)",
    "%m: Tensor = aten::add(%x,\n  %4,\n# comment\n\n    %4\n)",
    "%n:int = prim::Constant[\n  value=1\n  ]()",
    "%x, %4)",
    ")",
    "%d : Tensor = ^Fn(1, (2, 'a'))(%x, %y)",
    " = prim::Print(%x, %4)",
    "%x : int = prim::Constant[value=1]()",
    "%c : bool = prim::Constant[value=0]()",
    "%l : int[] = prim::ListConstruct(%x, %4)",
    "%a : Tensor = aten::add_(%x, %4, %4)",
    "%o : Float(3) = onnx::Relu[onnx_name=\"Relu_0\"](%x)",
    "%broken : Tensor = aten::",
    "%4 : int =",
    "2026-01-02 03:04:05,678 INFO exporting ...",
    "W1231 23:59:59.999 12345 export.py:12] %x : Tensor = aten::relu(%y)",
    "Traceback (most recent call last):",
    "... 120 lines omitted ...",
    "",
    "plain words",
    "class GraphModule(torch.nn.Module):",
    "def forward(self, x: \"f32[2]\", y):",
    "def forward(",
    "x: \"f32[2]\",",
    "):",
    "ExportedProgram:",
    "x: \"f32[2]\" = torch.ops.aten.relu.default(y);  y = None",
    "x, y, = fx_pytree.tree_flatten_spec(([x], {}), self._in_spec)",
    "add += x;  iadd = add",
    "# File: model.py:3 in forward, code: x[..., 0]",
    "return (x, y)",
    "return x",
    "    %x : [num_users=1] = placeholder[target=x]",
    "    %y : [num_users=0] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, %z), kwargs = {alpha: %x})",
    "    return (y,)",
    "opcode         name  target  args  kwargs",
    "call_function  x     add     (y, 1)  {}",
    "output         output  output  ((x,),)  {}",
    "# onnxls: ignore[unused-value, undefined-value]",
    "# onnxls: ignore-file[duplicate-value]",
    "%q : Tensor = aten::lgamma(%x) # onnxls: ignore # model.py:3:4",
    "%s : str = prim::Constant[value=\"# onnxls: ignore[syntax\"]() # model.py:3:4 # onnxls: ignore[nonsense, syntax]",
    "# another comment",
    "%w = Conv[kernel_shape = [3, 3]](%x, %y)",
  };
  size_t at = random_line_start(run);
  int indent = (int)(2 * random_below(5)) + (one_in(6) ? 1 : 0);
  static const char *const endings[] = { "\n", "\n", "\n", "\r\n", "\r", "" };
  return (RandomEdit){ .start = at,
                       .end = at,
                       .text = arena_printf(arena, "%*s%s%s", indent, "", PICK(snippets), PICK(endings)) };
}

static RandomEdit edit_indent(Run *run, Arena *arena)
{
  size_t at = random_line_start(run);
  if (one_in(2))
    return (RandomEdit){ .start = at, .end = at, .text = arena_printf(arena, "%*s", 1 + (int)random_below(6), "") };
  size_t end = at;
  for (uint32_t i = random_below(6) + 1; i > 0 && end < run->text.len && run->text.data[end] == ' '; i--)
    end++;
  return (RandomEdit){ .start = at, .end = end };
}

static RandomEdit edit_ending(Run *run, Arena *arena)
{
  (void)arena;
  static const Str endings[] = { STR_INIT("\n"), STR_INIT("\r\n"), STR_INIT("\r"), STR_INIT(""), STR_INIT("\n\n") };
  size_t end = line_end_at(run->text, random_offset(run));
  return (RandomEdit){ .start = end, .end = next_line_at(run->text, end), .text = PICK(endings) };
}

static RandomEdit edit_paste(Run *run, Arena *arena)
{
  (void)arena;
  size_t at = one_in(4) ? random_offset(run) : random_line_start(run);
  Str sample = run->samples->texts[random_below(run->samples->count)];
  return (RandomEdit){ .start = at, .end = at, .text = random_lines(sample, one_in(3) ? 300 : 20) };
}

static RandomEdit edit_delete_range(Run *run, Arena *arena)
{
  (void)arena;
  size_t a = random_offset(run);
  size_t b = random_offset(run);
  return (RandomEdit){ .start = a < b ? a : b, .end = a < b ? b : a };
}

static RandomEdit edit_cut(Run *run, Arena *arena)
{
  (void)arena;
  size_t at = random_offset(run);
  if (one_in(2))
    return (RandomEdit){ .start = at, .end = run->text.len };
  return (RandomEdit){ .start = 0, .end = at };
}

static RandomEdit edit_undo(Run *run, Arena *arena)
{
  (void)arena;
  return (RandomEdit){ .is_full = true, .text = run->undo[random_below(UNDO_COUNT)] };
}

static RandomEdit edit_operator(Run *run, Arena *arena)
{
  static const Str operators[] = {
    STR_INIT("aten::relu"),    STR_INIT("aten::lgamma"),        STR_INIT("aten::append"), STR_INIT("prim::If"),
    STR_INIT("aten::add_"),    STR_INIT("prim::ListConstruct"), STR_INIT("aten::copy_"),  STR_INIT("aten::chunk"),
    STR_INIT("custom::thing"), STR_INIT("prim::Constant"),      STR_INIT("onnx::Add"),    STR_INIT("aten::erfinv"),
  };
  size_t colons = run->text.len == 0 ? STR_NOT_FOUND : str_find(run->text, STR("::"), random_offset(run));
  if (colons == STR_NOT_FOUND)
    return edit_bytes(run, arena);
  size_t start = colons;
  size_t end = colons + 2;
  while (start > 0 && !strchr(" =\n\r(", run->text.data[start - 1]))
    start--;
  while (end < run->text.len && !strchr(" ([\n\r", run->text.data[end]))
    end++;
  return (RandomEdit){ .start = start, .end = end, .text = PICK(operators) };
}

static RandomEdit random_edit(Run *run, Arena *arena)
{
  static RandomEdit (*const edits[])(Run *, Arena *) = {
    edit_bytes,   edit_bytes,   edit_bytes,  edit_name,   edit_name,   edit_name,  edit_copy_lines, edit_delete_lines,
    edit_snippet, edit_snippet, edit_indent, edit_indent, edit_ending, edit_paste, edit_operator,   edit_operator,
  };
  static RandomEdit (*const rare_edits[])(Run *, Arena *) = { edit_delete_range, edit_cut, edit_undo };
  if (run->text.len > run->text_limit)
    return one_in(2) ? edit_delete_lines(run, arena) : edit_delete_range(run, arena);
  return one_in(30) ? PICK(rare_edits)(run, arena) : PICK(edits)(run, arena);
}

static TextChange to_change(const Run *run, RandomEdit edit)
{
  if (edit.end > run->text.len)
    edit.end = run->text.len;
  return (TextChange){
    .is_full = edit.is_full,
    .start = document_position(run->document, edit.start, POS_UTF8),
    .end = document_position(run->document, edit.end, POS_UTF8),
    .text = edit.text,
  };
}

// --- Steps ---

static void keep_for_undo(Run *run, Str text)
{
  Str *slot = &run->undo[random_below(UNDO_COUNT)];
  free((char *)slot->data);
  *slot = text;
}

/// One notification with one change or a few; false if it is impossible.
static bool change_document(Run *run)
{
  Arena arena = { 0 };
  TextChange changes[MAX_CHANGES];
  size_t count = one_in(8) ? 1 + random_below(MAX_CHANGES) : 1;
  for (size_t i = 0; i < count; i++)
    changes[i] = to_change(run, random_edit(run, &arena));
  Document *edited = NULL;
  Status status = document_apply(run->document, changes, count, POS_UTF8, &edited);
  if (status == OK) {
    document_release(run->document);
    run->document = edited;
    keep_for_undo(run, run->text);
    run->text = whole_text(edited);
  }
  arena_done(&arena);
  return status == OK;
}

static void write_failure(const char *name, Str text)
{
  FILE *file = fopen(name, "wb");
  if (!file)
    return;
  fwrite(text.data, 1, text.len, file);
  fclose(file);
}

static void check_against_fresh(Run *run, uint32_t fresh_target)
{
  Document *document = NULL;
  FLAT_CHECK(document_new_with_target(run->text, fresh_target, &document) == OK);
  Snapshot *fresh = make_snapshot(document, run->target, NULL);
  flat_check_snapshot(run->snapshot);
  flat_check_snapshot(fresh);
  Buffer got = { 0 };
  Buffer expected = { 0 };
  flat_snapshot(&got, run->snapshot);
  flat_snapshot(&expected, fresh);
  if (!flat_same(buffer_str(&got), buffer_str(&expected))) {
    fprintf(stderr, "edit %lu; the text is in dump_random.failed\n", run->edit);
    write_failure("dump_random.failed", run->text);
    abort();
  }
  buffer_done(&got);
  buffer_done(&expected);
  snapshot_release(fresh);
  document_release(document);
}

static void step(Run *run, uint32_t fresh_target)
{
  if (!change_document(run))
    return;
  if (one_in(12))
    return;  // The next snapshot sees both edits at once.
  if (one_in(20)) {
    target_release(run->target);
    run->target = random_target();
  }
  Snapshot *snapshot = make_snapshot(run->document, run->target, run->snapshot);
  snapshot_release(run->snapshot);
  run->snapshot = snapshot;
  check_against_fresh(run, fresh_target);
}

/// Takes over the target.
static void begin_round(Run *run, Str text, uint32_t chunk_target, Target *target)
{
  FLAT_CHECK(document_new_with_target(text, chunk_target, &run->document) == OK);
  run->text = whole_text(run->document);
  run->target = target;
  run->snapshot = make_snapshot(run->document, run->target, NULL);
  for (int i = 0; i < UNDO_COUNT; i++)
    run->undo[i] = whole_text(run->document);
}

static void end_round(Run *run)
{
  snapshot_release(run->snapshot);
  document_release(run->document);
  target_release(run->target);
  free((char *)run->text.data);
  for (int i = 0; i < UNDO_COUNT; i++)
    free((char *)run->undo[i].data);
}

/// Before any edit, in one chunk and in as many as there are lines.
static void check_samples(Run *run)
{
  for (uint32_t i = 0; i < run->samples->count; i++) {
    Target target = { .torch = STR("2.14"), .exporter = EXPORTER_TORCHSCRIPT, .opset = 17 };
    memset(target.severities, SEVERITY_DEFAULT, sizeof(target.severities));
    begin_round(run, run->samples->texts[i], CHUNK_TARGET, target_new(&target));
    check_against_fresh(run, 1);
    end_round(run);
  }
}

static void run_kind(const char *kind, unsigned long edits)
{
  static const uint32_t targets[] = { 1, 128, 256, 512, 1024, 2048 };
  static const uint32_t fresh_targets[] = { 1, 100, 300, 700, 1500, CHUNK_TARGET };
  Samples samples;
  read_samples(kind, &samples);
  Run run = { .samples = &samples, .text_limit = TEXT_LIMIT, .names_are_words = strcmp(kind, "fx") == 0 };
  check_samples(&run);
  while (run.edit < edits) {
    begin_round(&run, samples.texts[random_below(samples.count)], PICK(targets), random_target());
    for (int i = 0; i < EDITS_A_ROUND && run.edit < edits; i++, run.edit++)
      step(&run, PICK(fresh_targets));
    end_round(&run);
  }
  free_samples(&samples);
  printf("%s: %lu edits\n", kind, run.edit);
  fflush(stdout);
}

/// Many samples in a row, with chunks of the usual size.
static void run_large(const char *kind, unsigned long edits)
{
  Samples samples;
  read_samples(kind, &samples);
  Buffer text = { 0 };
  for (uint32_t i = 0; text.len < LARGE_TEXT; i++)
    buffer_append(&text, samples.texts[i % samples.count]);
  Run run = { .samples = &samples, .text_limit = 2 * LARGE_TEXT, .names_are_words = strcmp(kind, "fx") == 0 };
  begin_round(&run, buffer_str(&text), CHUNK_TARGET, random_target());
  for (; run.edit < edits; run.edit++)
    step(&run, one_in(2) ? CHUNK_TARGET / 3 : CHUNK_TARGET * 2);
  end_round(&run);
  buffer_done(&text);
  free_samples(&samples);
  printf("%s, large: %lu edits\n", kind, run.edit);
}

int main(int argc, char **argv)
{
  static const char *const kinds[] = { "torchscript", "lowered", "printable", "log", "fx" };
  unsigned long edits = argc > 1 ? strtoul(argv[1], NULL, 10) : random_share(2000);
  for (size_t i = 0; i < COUNT(kinds); i++) {
    if (argc > 2 && strcmp(argv[2], kinds[i]) != 0)
      continue;
    run_kind(kinds[i], edits);
    run_large(kinds[i], edits / 100);
  }
  graph_free_scratch();
  return 0;
}
