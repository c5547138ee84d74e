#include "graph/model/line_parser.h"

#include <stdlib.h>

#include "base/memory.h"

SyntaxParser *line_parser_new(void)
{
  return xcalloc(1, sizeof(SyntaxParser));
}

void line_parser_free(SyntaxParser *parser)
{
  if (!parser)
    return;
  vec_free(&parser->nodes);
  free(parser);
}
