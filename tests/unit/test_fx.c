// FX texts: the corpus is read without a mistake, whole, line by line and cut anywhere.

#include "graph/fx/fx.h"

#include "core/diagnostics.h"
#include "feature_text.h"
#include "graph/fx/fx_parser.h"
#include "graph/graph_language.h"

#define CORPUS ONNXLS_TESTS_DIR "/corpus/fx"

enum { CUTS = 60, CHUNK_BYTES = 700 };

static void each_text(void (*visit)(const char *path, Str bytes))
{
  PathList paths = { 0 };
  list_files(CORPUS, &paths);
  qsort(paths.items, paths.count, sizeof(char *), compare_paths);
  assert_true(paths.count >= 20);
  for (size_t i = 0; i < paths.count; i++) {
    Arena arena = { 0 };
    visit(paths.items[i], read_whole_file(paths.items[i], &arena));
    arena_done(&arena);
    free(paths.items[i]);
  }
  vec_free(&paths);
}

static Snapshot *open_fx(Str bytes, Document **ret_document)
{
  Target values = { .torch = STR("2.14"), .opset = 18 };
  memset(values.severities, SEVERITY_DEFAULT, sizeof(values.severities));
  Target *target = target_new(&values);
  assert_int_equal(document_new_with_target(bytes, CHUNK_BYTES, ret_document), OK);
  SnapshotInput input = { .uri = STR("file:///test.txt"),
                          .version = 1,
                          .language_id = STR("fx-graph"),
                          .document = *ret_document,
                          .target = target };
  Snapshot *snapshot = snapshot_new(&input, NULL);
  target_release(target);
  return snapshot;
}

// --- Whole ---

/// Every text is known for what it is by its content, whatever its name.
static void recognise_text(const char *path, Str bytes)
{
  Document *document;
  assert_int_equal(document_new_with_target(bytes, CHUNK_BYTES, &document), OK);
  if (language_of(document, STR("torch-ir"), STR("x.txt")) != &fx_graph_language)
    fail_msg("%s is not recognised", path);
  document_release(document);
}

/// No ERROR node, and between a graph's header and its end no line that is nothing.
static void read_text(const char *path, Str bytes)
{
  SyntaxParser *parser = fx_parser_new();
  SyntaxList list = fx_parse(parser, bytes);
  bool is_inside = false;
  bool has_colours = str_find_char(bytes, '\x1b', 0) != STR_NOT_FOUND;
  size_t statements = 0;
  for (size_t i = 0; i < list.count; i++) {
    const SyntaxNode *node = &list.nodes[i];
    Str text = syntax_text(node, bytes);
    if (node->kind == NODE_ERROR || node->kind == NODE_MISSING || node->state == SYNTAX_BROKEN)
      fail_msg("%s: can't be read: '%.*s'", path, STR_ARG(text));
    if (node->depth != 1)
      continue;
    statements += node->kind == NODE_STATEMENT;
    if (node->kind == NODE_GRAPH_HEADER)
      is_inside = true;
    else if (node->kind == NODE_RETURN_STATEMENT)
      is_inside = false;
    bool is_rule = str_starts_with(text, STR("-----")) || str_ends_with(text, STR("[__graph_code]"));
    if (is_inside && node->kind == NODE_TEXT_LINE && !is_rule && !has_colours)
      fail_msg("%s: is nothing: '%.*s'", path, STR_ARG(text));
  }
  if (statements == 0 && !str_starts_with(bytes, STR("# Graph fragment")))
    fail_msg("%s: no statement", path);
  fx_parser_free(parser);
}

static void diagnose_text(const char *path, Str bytes)
{
  Document *document;
  Snapshot *snapshot = open_fx(bytes, &document);
  Arena arena = { 0 };
  DiagnosticList list = diagnostics_of(snapshot, &arena);
  for (size_t i = 0; i < list.count; i++) {
    if (list.items[i].severity != SEVERITY_HINT)
      fail_msg("%s: %.*s", path, STR_ARG(list.items[i].message));
  }
  arena_done(&arena);
  snapshot_release(snapshot);
  document_release(document);
}

// --- Line by line ---

static size_t after_line(Str bytes, size_t at)
{
  size_t end = str_find_char(bytes, '\n', at);
  return end == STR_NOT_FOUND ? bytes.len : end + 1;
}

/// A line alone gives the nodes that it gives among others.
static void read_lines(const char *path, Str bytes)
{
  SyntaxParser *whole = fx_parser_new();
  SyntaxParser *alone = fx_parser_new();
  SyntaxList list = fx_parse(whole, bytes);
  size_t at = 0;
  for (size_t line = 0; line < bytes.len;) {
    size_t next = after_line(bytes, line);
    SyntaxList own = fx_parse(alone, str_slice(bytes, line, next));
    for (size_t i = 0; i < own.count; i++, at++) {
      const SyntaxNode *node = &list.nodes[at];
      if (at >= list.count || node->kind != own.nodes[i].kind || node->start != own.nodes[i].start + line ||
          node->end != own.nodes[i].end + line || node->depth != own.nodes[i].depth)
        fail_msg("%s: differs alone: '%.*s'", path, STR_ARG(str_slice(bytes, line, next)));
    }
    line = next;
  }
  assert_int_equal(at, list.count);
  fx_parser_free(whole);
  fx_parser_free(alone);
}

// --- Cut ---

static bool is_known(const DiagnosticList *list, const Diagnostic *found, size_t offset)
{
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].rule == found->rule && list->items[i].range.start == found->range.start + offset)
      return true;
  }
  return false;
}

static void check_cut(const char *path, Str bytes, size_t start, size_t end, const DiagnosticList *all)
{
  Document *document;
  Snapshot *snapshot = open_fx(str_slice(bytes, start, end), &document);
  Arena arena = { 0 };
  DiagnosticList list = diagnostics_of(snapshot, &arena);
  for (size_t i = 0; i < list.count; i++) {
    const Diagnostic *found = &list.items[i];
    bool says_cut = found->rule == RULE_SYNTAX && found->severity == SEVERITY_INFO;
    // What decided about an operator may be in the part that is missing.
    bool is_unsure = found->rule == RULE_UNSUPPORTED_OP && found->severity == SEVERITY_INFO;
    if (!says_cut && !is_unsure && !is_known(all, found, start))
      fail_msg("%s: bytes %zu to %zu: %.*s", path, start, end, STR_ARG(found->message));
  }
  arena_done(&arena);
  snapshot_release(snapshot);
  document_release(document);
}

static void cut_text(const char *path, Str bytes)
{
  Document *document;
  Snapshot *snapshot = open_fx(bytes, &document);
  Arena arena = { 0 };
  DiagnosticList all = diagnostics_of(snapshot, &arena);
  for (int i = 0; i < CUTS; i++) {
    size_t a = random_below(bytes.len + 1);
    size_t b = random_below(bytes.len + 1);
    check_cut(path, bytes, 0, b, &all);
    check_cut(path, bytes, a < b ? a : b, a < b ? b : a, &all);
  }
  arena_done(&arena);
  snapshot_release(snapshot);
  document_release(document);
}

/// Every place at which a text with every kind of line may end.
static void test_each_end(void **state)
{
  (void)state;
  Str text = STR("class GraphModule(torch.nn.Module):\n"
                 "    def forward(self, x: \"f32[2]\", y = None):\n"
                 "        # File: m.py:3 in forward, code: return x\n"
                 "        lin_1: \"f32[2]\" = torch.ops.aten.add.Tensor(x, [y, 2], alpha = -1e-05);  x = y = None\n"
                 "        lin_1 += lin_1;  iadd = lin_1\n"
                 "        view = lin_1.view(\"it's\", dtype = torch.float32, device = device(type='cpu'))[0] + 1\n"
                 "        mul_ = torch.ops.aten.mul_.Tensor(view, 2);  view = mul_ = None\n"
                 "        return (view, iadd)\n"
                 "graph():\n"
                 "    %x : [num_users=1] = placeholder[target=x](default=None)\n"
                 "    %xy : [num_users=1] = call_function[target=torch.relu](args = (%x, (%x,)), kwargs = {dim: -1})\n"
                 "    return xy");
  Arena arena = { 0 };
  DiagnosticList none = { 0 };
  for (size_t end = 0; end <= text.len; end++)
    check_cut("each end", text, 0, end, &none);
  for (size_t start = 0; start <= text.len; start++)
    check_cut("each start", text, start, text.len, &none);
  arena_done(&arena);
}

static void test_corpus(void **state)
{
  (void)state;
  each_text(recognise_text);
  each_text(read_text);
  each_text(diagnose_text);
}

static void test_lines(void **state)
{
  (void)state;
  each_text(read_lines);
}

static void test_cuts(void **state)
{
  (void)state;
  each_text(cut_text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_corpus),
    cmocka_unit_test(test_lines),
    cmocka_unit_test(test_each_end),
    cmocka_unit_test(test_cuts),
  };
  int failed = cmocka_run_group_tests_name("fx", tests, NULL, NULL);
  graph_free_scratch();
  return failed;
}
