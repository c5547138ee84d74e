// The short way for plain lines against the grammar: whatever it takes, it reads as the grammar does.

#include <stdint.h>

#include "graph/torchscript/plain_line.h"
#include "graph/torchscript/torchscript_parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_line(Str s)
{
  return s.len < 4096 && str_find_char(s, '\n', 0) == STR_NOT_FOUND && str_find_char(s, '\r', 0) == STR_NOT_FOUND;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Str line = str_make((const char *)data, size);
  SyntaxNodes nodes = { 0 };
  if (is_line(line) && plain_line_parse(line, 0, &nodes)) {
    nodes.items[0].state = SYNTAX_READ;
    SyntaxParser *parser = torchscript_parser_new();
    SyntaxList expected = torchscript_parse_by_grammar(parser, line);
    if (expected.count != nodes.count || memcmp(expected.nodes, nodes.items, nodes.count * sizeof(SyntaxNode)) != 0)
      abort();
    torchscript_parser_free(parser);
  }
  vec_free(&nodes);
  return 0;
}
