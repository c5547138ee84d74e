// A graph language of one file and one row: what the Language contract asks of it, and what it gets for that.
//
//     toy add_two x y:
//       s = add x y
//       give s
#include "graph/graph_language.h"

#include "base/buffer.h"
#include "feature_text.h"

// --- The language ---

struct SyntaxParser {
  Vec(SyntaxNode) nodes;
};

static SyntaxParser *toy_parser_new(void)
{
  return xcalloc(1, sizeof(SyntaxParser));
}

static void toy_parser_free(SyntaxParser *parser)
{
  vec_free(&parser->nodes);
  free(parser);
}

static void push(SyntaxParser *parser, NodeKind kind, uint16_t depth, size_t start, size_t end)
{
  vec_push(&parser->nodes, (SyntaxNode){ (uint8_t)kind, SYNTAX_READ, depth, (uint32_t)start, (uint32_t)end });
}

/// The next word of a line; false after the last one.
static bool next_word(Str text, size_t *at, size_t end, size_t *ret_start)
{
  while (*at < end && (text.data[*at] == ' ' || text.data[*at] == ':'))
    (*at)++;
  *ret_start = *at;
  while (*at < end && text.data[*at] != ' ' && text.data[*at] != ':')
    (*at)++;
  return *at > *ret_start;
}

static void push_words(SyntaxParser *parser, Str text, size_t at, size_t end, NodeKind kind)
{
  for (size_t start; next_word(text, &at, end, &start);)
    push(parser, kind, 2, start, at);
}

static void parse_line(SyntaxParser *parser, Str text, size_t start, size_t end)
{
  size_t at = start;
  size_t word;
  if (!next_word(text, &at, end, &word))
    return;
  Str first = str_slice(text, word, at);
  size_t equals = str_find(str_slice(text, 0, end), STR(" = "), at);
  if (str_equal(first, STR("toy"))) {
    push(parser, NODE_GRAPH_HEADER, 1, word, end);
    next_word(text, &at, end, &word);
    push(parser, NODE_GRAPH_NAME, 2, word, at);
    push_words(parser, text, at, end, NODE_VALUE_NAME);
    push(parser, NODE_HEADER_END, 2, end - 1, end);
  } else if (str_equal(first, STR("give"))) {
    push(parser, NODE_RETURN_STATEMENT, 1, word, end);
    push_words(parser, text, at, end, NODE_VALUE_REF);
  } else if (equals == at) {
    push(parser, NODE_STATEMENT, 1, word, end);
    push(parser, NODE_VALUE_NAME, 2, word, at);
    at += 3;
    next_word(text, &at, end, &word);
    push(parser, NODE_OP_KIND, 2, word, at);
    push_words(parser, text, at, end, NODE_VALUE_REF);
  } else {
    push(parser, word == start ? NODE_TEXT_LINE : NODE_ERROR, 1, word, end);
  }
}

static SyntaxList toy_parse(SyntaxParser *parser, Str text)
{
  vec_clear(&parser->nodes);
  for (size_t line = 0; line < text.len;) {
    size_t end = str_find(text, STR("\n"), line);
    end = end == STR_NOT_FOUND ? text.len : end;
    parse_line(parser, text, line, end);
    line = end + 1;
  }
  return (SyntaxList){ .nodes = parser->nodes.items, .count = parser->nodes.count };
}

static bool is_toy_line(Str line)
{
  return str_starts_with(line, STR("toy ")) && str_ends_with(line, STR(":"));
}

static const GraphDialect toy_dialect = {
  .parser_new = toy_parser_new,
  .parser_free = toy_parser_free,
  .parse = toy_parse,
};

static const Language toy_language = {
  .name = "toy",
  .sets = IN_GRAPHS,
  .endings = (const LanguageEnding[]){ { STR_INIT(".toy"), false }, { { 0 }, false } },
  .sniff_line = is_toy_line,
  .dialect = &toy_dialect,
  GRAPH_LANGUAGE,
};

const Language *const languages[] = { &toy_language, NULL };

// --- What it gets ---

static const char toy_text[] = "some log\n"
                               "toy add_two x y:\n"
                               "  s = add x y\n"
                               "  t = double q\n"
                               "  unread\n"
                               "  give s\n";

static size_t offset_of(const char *words)
{
  return (size_t)(strstr(toy_text, words) - toy_text);
}

static void open_toy(FeatureText *text)
{
  open_feature_text(text, str_from(toy_text), 32, NULL);
  assert_ptr_equal(snapshot_language(text->snapshot), &toy_language);
}

static void test_diagnostics(void **state)
{
  (void)state;
  FeatureText text;
  open_toy(&text);
  DiagnosticList list = diagnostics_of(text.snapshot, &text.arena);
  Buffer found = { 0 };
  for (size_t i = 0; i < list.count; i++)
    buffer_printf(&found, "%s %zu\n", rule_info(list.items[i].rule)->name, list.items[i].range.start);
  Str wanted = arena_printf(&text.arena, "unused-value %zu\nundefined-value %zu\nsyntax %zu\n", offset_of("t = "),
                            offset_of("q\n"), offset_of("unread"));
  assert_string_equal(arena_printf(&text.arena, "%.*s", STR_ARG(buffer_str(&found))).data, wanted.data);
  buffer_done(&found);
  close_feature_text(&text);
}

static void test_hover(void **state)
{
  (void)state;
  FeatureText text;
  Hover hover;
  open_toy(&text);
  assert_true(feature_hover(&text.context, offset_of("x y\n") + 2, &hover));
  assert_int_equal(hover.range.start, offset_of("x y\n") + 2);
  assert_true(str_contains(hover.plain, STR("Input of the graph, line 2, used once")));
  assert_false(feature_hover(&text.context, offset_of("log"), &hover));
  close_feature_text(&text);
}

static void test_symbols_and_folding(void **state)
{
  (void)state;
  FeatureText text;
  open_toy(&text);
  SymbolList symbols = feature_symbols(&text.context);
  assert_true(symbols.count >= 1);
  assert_int_equal(symbols.items[0].range.start, offset_of("toy "));
  FoldList folds = feature_folding(&text.context);
  assert_int_equal(folds.count, 1);
  assert_int_equal(folds.items[0].start_line, 1);
  assert_int_equal(folds.items[0].end_line, 5);
  close_feature_text(&text);
}

static void test_definition_and_edit(void **state)
{
  (void)state;
  FeatureText text;
  open_toy(&text);
  LocationList list = feature_definition(&text.context, offset_of("give s") + 5);
  assert_int_equal(list.count, 1);
  assert_int_equal(list.items[0].selection.start, offset_of("s = add"));
  close_feature_text(&text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_diagnostics),
    cmocka_unit_test(test_hover),
    cmocka_unit_test(test_symbols_and_folding),
    cmocka_unit_test(test_definition_and_edit),
  };
  int failed = cmocka_run_group_tests_name("toy language", tests, NULL, NULL);
  graph_free_scratch();
  return failed;
}
