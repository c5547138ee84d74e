// The short way for plain lines gives exactly the nodes of the grammar, and what is made of them is the same: on every
// line of the corpus, and on 200,000 random mutations of them (or a share: random_numbers.h).

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "corpus_files.h"
#include "graph/model/dialect.h"
#include "graph/torchscript/plain_line.h"
#include "graph/torchscript/torchscript.h"
#include "graph/torchscript/torchscript_parser.h"
#include "graph/torchscript/written_line.h"
#include "random_numbers.h"

enum { LINE_LIMIT = 2000, CHANGES = 3 };

static Buffer corpus;
static GraphDialect slow_dialect;  ///< TorchScript, all of it read by the grammar.
static Lowering *fast_lowering;
static Lowering *slow_lowering;
static Vec(Str) lines;

static int set_up(void **state)
{
  (void)state;
  corpus_read_folder("torch-ir/torch-1.13/ts", STR(".txt"), STR("\n"), &corpus);
  corpus_read_folder("torch-ir/torch-1.13/onnx_ir", STR(".txt"), STR("\n"), &corpus);
  corpus_read_folder("torch-ir/torch-2.x/2.14/ts", STR(".txt"), STR("\n"), &corpus);
  Str rest = buffer_str(&corpus);
  for (size_t end; (end = str_find_char(rest, '\n', 0)) != STR_NOT_FOUND;) {
    vec_push(&lines, str_slice(rest, 0, end));
    rest = str_slice(rest, end + 1, rest.len);
  }
  const GraphDialect *dialect = torchscript_language.dialect;
  slow_dialect = *dialect;
  slow_dialect.parse = torchscript_parse_by_grammar;
  fast_lowering = lowering_new(dialect);
  slow_lowering = lowering_new(&slow_dialect);
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  buffer_done(&corpus);
  vec_free(&lines);
  lowering_free(fast_lowering);
  lowering_free(slow_lowering);
  return 0;
}

/// A plain line has no faults that are not in the nodes: the lowering doesn't look for any.
static void compare_lowered(Str line)
{
  uint32_t start = 0;
  DumpIndex *fast = dump_lower(fast_lowering, line, &start, 1);
  DumpIndex *slow = dump_lower(slow_lowering, line, &start, 1);
#define IS_SAME(items, count)                                                                                          \
  (fast->count == slow->count && memcmp(fast->items, slow->items, fast->count * sizeof(*fast->items)) == 0)
  if (slow->problem_count > 0 || fast->problem_count > 0 || fast->segments->flags != slow->segments->flags ||
      !IS_SAME(items, item_count) || !IS_SAME(occurrences, occurrence_count) || !IS_SAME(symbols, symbol_count) ||
      !IS_SAME(ops, op_count))
    fail_msg("not lowered as what the grammar has: %.*s", STR_ARG(line));
#undef IS_SAME
  dump_index_release(fast);
  dump_index_release(slow);
}

/// Returns whether the line is plain.
static bool compare(SyntaxParser *parser, SyntaxNodes *nodes, Str line)
{
  vec_clear(nodes);
  if (!plain_line_parse(line, 0, nodes)) {
    assert_int_equal(nodes->count, 0);
    return false;
  }
  assert_int_equal(nodes->items[0].state, SYNTAX_PLAIN);
  nodes->items[0].state = SYNTAX_READ;
  SyntaxList expected = torchscript_parse_by_grammar(parser, line);
  if (expected.count != nodes->count || memcmp(expected.nodes, nodes->items, nodes->count * sizeof(SyntaxNode)) != 0)
    fail_msg("not as the grammar has it: %.*s", STR_ARG(line));
  compare_lowered(line);
  return true;
}

static void test_every_line_of_the_corpus(void **state)
{
  (void)state;
  SyntaxParser *parser = torchscript_parser_new();
  SyntaxNodes nodes = { 0 };
  size_t plain = 0;
  for (size_t i = 0; i < lines.count; i++)
    plain += compare(parser, &nodes, lines.items[i]);
  // Most lines of a dump are: otherwise this would be of no use.
  assert_true(plain * 2 > lines.count);
  vec_free(&nodes);
  torchscript_parser_free(parser);
}

/// What printers write is the same to the reader of what people write and to the grammar.
static void test_written_lines_of_the_corpus(void **state)
{
  (void)state;
  SyntaxParser *parser = torchscript_parser_new();
  SyntaxNodes nodes = { 0 };
  size_t read = 0;
  for (size_t i = 0; i < lines.count; i++) {
    WrittenFault fault;
    vec_clear(&nodes);
    if (written_line_parse(lines.items[i], 0, false, &nodes, &fault) == 0) {
      assert_int_equal(nodes.count, 0);
      continue;
    }
    read++;
    SyntaxList expected = torchscript_parse_by_grammar(parser, lines.items[i]);
    if (expected.count != nodes.count || memcmp(expected.nodes, nodes.items, nodes.count * sizeof(SyntaxNode)) != 0)
      fail_msg("not as the grammar has it: %.*s", STR_ARG(lines.items[i]));
  }
  assert_true(read * 3 > lines.count * 2);
  vec_free(&nodes);
  torchscript_parser_free(parser);
}

static size_t mutate(char *text, size_t len)
{
  static const char characters[] = " %:,=()[]{}<>\"#/.-_aZ09\t*?+e\\";
  for (size_t changes = 1 + random_below(CHANGES); changes > 0 && len > 0; changes--) {
    char c = characters[random_below(sizeof(characters) - 1)];
    size_t at = random_below(len);
    if (random_below(3) == 0) {
      memmove(text + at, text + at + 1, len - at - 1);
      len--;
    } else if (random_below(2) == 0) {
      text[at] = c;
    } else {
      memmove(text + at + 1, text + at, len - at);
      text[at] = c;
      len++;
    }
  }
  return len;
}

static void test_mutated_lines(void **state)
{
  (void)state;
  SyntaxParser *parser = torchscript_parser_new();
  SyntaxNodes nodes = { 0 };
  char text[LINE_LIMIT + CHANGES + 1];
  size_t mutation_count = random_share(200000);
  size_t plain = 0;
  for (size_t i = 0; i < mutation_count; i++) {
    Str line = lines.items[random_below(lines.count)];
    if (line.len == 0 || line.len > LINE_LIMIT)
      continue;
    memcpy(text, line.data, line.len);
    plain += compare(parser, &nodes, str_make(text, mutate(text, line.len)));
  }
  assert_true(plain > mutation_count / 20);
  vec_free(&nodes);
  torchscript_parser_free(parser);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_line_of_the_corpus),
    cmocka_unit_test(test_written_lines_of_the_corpus),
    cmocka_unit_test(test_mutated_lines),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
