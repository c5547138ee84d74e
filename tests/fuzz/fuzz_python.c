// Edits of a Python file taken from the input: after each one the snapshot made from the one before it says what a
// fresh one says, every diagnostic lies in the text, and every fix can be applied.
//
// Input: one byte for the target, text up to the first 0xFE byte (repeated.h), then edits: start (2 bytes, of the
// text's length), deleted bytes (1), kind (1), and for a kind above 127 one of the pieces below, else so many bytes of
// text.

#include <stdio.h>

#include "base/buffer.h"
#include "core/diagnostics.h"
#include "fuzz_check.h"
#include "python/model/python_model.h"
#include "repeated.h"
#include "text/document_internal.h"

enum { EDITED_LIMIT = 8192, EDIT_LIMIT = 12, HEAD = 4 };

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

/// What makes a file ours, changes its structure, or makes a rule speak.
static Str piece(unsigned char kind)
{
  static const Str pieces[] = {
    STR_INIT("\nfrom torch.onnx import register_custom_op_symbolic, symbolic_helper\n"),
    STR_INIT("\nfrom torch.onnx.symbolic_helper import parse_args as pa\n"),
    STR_INIT("\nimport torch\n"),
    STR_INIT("\n@symbolic_helper.parse_args(\"v\", \"f\", \"is\", \"q\")\n"),
    STR_INIT("\ndef elu(g, self, alpha, *rest, scale=1.0, **more):\n"),
    STR_INIT("\n    return g.op(\"Elu\", self, alpha_f=alpha)\n"),
    STR_INIT("g.op(\"Squeeze\", x, axes_i=[], outputs=2)"),
    STR_INIT("g.op(\"custom::Op\", 1, None, [x], *xs, alpha=2, **kw)"),
    STR_INIT("\nregister_custom_op_symbolic(\"aten::elu\", elu, 9)\n"),
    STR_INIT("\ntorch.onnx.export(m, [x], \"f\", opset_version=\"9\", dynamic_axes={\"x\": {-1: \"b\"}})\n"),
    STR_INIT("\nclass F(torch.autograd.Function):\n    def symbolic(ctx, g, x):\n"),
    STR_INIT("\n    @staticmethod\n    def forward(ctx, x, y): return x, y\n"),
    STR_INIT("\n    if g.opset >= 13 and x is None:\n"),
    STR_INIT("\n    else:\n        raise ValueError\n"),
    STR_INIT("  # onnxls: ignore[attribute-type]\n"),
    STR_INIT("\n# onnxls: ignore-file\n"),
    STR_INIT("lambda g, x: "),
    STR_INIT("x = y = x\n"),
    STR_INIT("\"\"\""),
    STR_INIT("f\"{"),
    STR_INIT("\\\n"),
    STR_INIT("("),
    STR_INIT(")"),
    STR_INIT("["),
    STR_INIT("]"),
    STR_INIT("    "),
    STR_INIT("\t"),
    STR_INIT("\r"),
    STR_INIT("\r\n"),
    STR_INIT("\xc3\xa9"),
    STR_INIT("\xff"),
  };
  return pieces[kind % COUNT(pieces)];
}

static TextChange take_edit(Str *input, const Document *document)
{
  Str head = take(input, HEAD);
  unsigned char bytes[HEAD] = { 0 };
  if (head.len > 0)
    memcpy(bytes, head.data, head.len);
  size_t start = (bytes[0] * 256u + bytes[1]) % (document_length(document) + 1);
  return (TextChange){
    .start = document_position(document, start, POS_UTF8),
    .end = document_position(document, start + bytes[2], POS_UTF8),
    .text = bytes[3] > 127 ? piece(bytes[3]) : take(input, bytes[3]),
  };
}

static Snapshot *make_snapshot(Document *document, const Target *target, const Snapshot *previous)
{
  SnapshotInput input = {
    .uri = STR("file:///symbolic_opset9.py"),
    .version = 1,
    .language_id = STR("python"),
    .document = document,
    .target = target,
  };
  return snapshot_new(&input, previous);
}

static void flat_fix(Buffer *out, const Fix *fix, size_t len)
{
  buffer_printf(out, "  fix %d %.*s\n", fix->is_safe, STR_ARG(fix->title));
  size_t end = 0;
  for (size_t i = 0; i < fix->edit_count; i++) {
    const TextEdit *edit = &fix->edits[i];
    FUZZ_CHECK(edit->range.start >= end && edit->range.end >= edit->range.start && edit->range.end <= len);
    end = edit->range.end;
    buffer_printf(out, "    %zu-%zu ", (size_t)edit->range.start, (size_t)edit->range.end);
    buffer_append(out, edit->text);
    buffer_append_char(out, '\n');
  }
}

static void flat_list(Buffer *out, const Diagnostic *items, size_t count, size_t len)
{
  for (size_t i = 0; i < count; i++) {
    const Diagnostic *diagnostic = &items[i];
    FUZZ_CHECK(diagnostic->rule < RULE_COUNT && diagnostic->severity != SEVERITY_OFF);
    FUZZ_CHECK(diagnostic->range.start <= diagnostic->range.end && diagnostic->range.end <= len);
    buffer_printf(out, "%zu-%zu %s %d ", (size_t)diagnostic->range.start, (size_t)diagnostic->range.end,
                  rule_info(diagnostic->rule)->name, diagnostic->severity);
    buffer_append(out, diagnostic->message);
    buffer_append_char(out, '\n');
    for (size_t r = 0; r < diagnostic->related_count; r++)
      FUZZ_CHECK(diagnostic->related[r].range.end <= len);
    for (size_t f = 0; f < diagnostic->fix_count; f++)
      flat_fix(out, &diagnostic->fixes[f], len);
  }
}

static void flat_diagnostics(Buffer *out, const Snapshot *snapshot)
{
  Arena arena = { 0 };
  DiagnosticList list = diagnostics_of(snapshot, &arena);
  size_t len = document_length(snapshot_document(snapshot));
  flat_list(out, list.items, list.count, len);
  buffer_printf(out, "hidden %zu, suppressed %zu\n", list.hidden, list.suppressed_total);
  arena_done(&arena);
}

static void check_against_fresh(const Snapshot *snapshot)
{
  Arena arena = { 0 };
  Document *document = NULL;
  Range all = { 0, document_length(snapshot_document(snapshot)) };
  Str text = document_slice(snapshot_document(snapshot), all, &arena);
  FUZZ_CHECK(document_new(text, &document) == OK);
  Snapshot *fresh = make_snapshot(document, snapshot_target(snapshot), NULL);
  Buffer got = { 0 };
  Buffer expected = { 0 };
  flat_diagnostics(&got, snapshot);
  flat_diagnostics(&expected, fresh);
  if (!str_equal(buffer_str(&got), buffer_str(&expected))) {
    fprintf(stderr, "--- after edits ---\n%.*s--- fresh ---\n%.*s--- text ---\n%.*s\n", STR_ARG(buffer_str(&got)),
            STR_ARG(buffer_str(&expected)), STR_ARG(text));
    abort();
  }
  buffer_done(&got);
  buffer_done(&expected);
  snapshot_release(fresh);
  document_release(document);
  arena_done(&arena);
}

static void check_name(Str name, void *context)
{
  const Str *text = context;
  FUZZ_CHECK(name.len > 0 && name.data >= text->data && name.data + name.len <= text->data + text->len);
}

/// What decides whether a text is parsed at all.
static void check_relevance(Str text)
{
  python_is_relevant(text);
  python_is_passive(text);
  python_each_definition(text, check_name, &text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1)
    return 0;
  static const Str versions[] = { STR_INIT("1.13"), STR_INIT("2.6"), STR_INIT("2.14") };
  Str input = str_make((const char *)data + 1, size - 1);
  Target values = { .torch = versions[data[0] % 3], .opset = data[0] / 3 % 24, .max_diagnostics = data[0] / 128 * 3 };
  values.exporter = data[0] / 72 % 4 == 3 ? EXPORTER_DYNAMO : EXPORTER_TORCHSCRIPT;
  memset(values.severities, SEVERITY_DEFAULT, sizeof(values.severities));
  Target *target = target_new(&values);
  Document *document = NULL;
  Buffer first = repeated_text(take_first_text(&input));
  FUZZ_CHECK(document_new(buffer_str(&first), &document) == OK);
  check_relevance(buffer_str(&first));
  buffer_done(&first);
  Snapshot *snapshot = make_snapshot(document, target, NULL);
  check_against_fresh(snapshot);
  for (int i = 0; i < EDIT_LIMIT && input.len > 0 && document_length(document) < EDITED_LIMIT; i++) {
    TextChange change = take_edit(&input, document);
    Document *edited = NULL;
    FUZZ_CHECK(document_apply(document, &change, 1, POS_UTF8, &edited) == OK);
    Snapshot *next = make_snapshot(edited, target, snapshot);
    document_release(document);
    snapshot_release(snapshot);
    document = edited;
    snapshot = next;
    check_against_fresh(snapshot);
  }
  snapshot_release(snapshot);
  document_release(document);
  target_release(target);
  return 0;
}
