#include "graph/model/dialect.h"

#include "base/idle_pool.h"

static IdlePool parsers = IDLE_POOL_INIT;

SyntaxParser *dialect_take_parser(const GraphDialect *dialect)
{
  SyntaxParser *parser = idle_pool_take(&parsers, dialect);
  return parser ? parser : dialect->parser_new();
}

void dialect_give_parser(const GraphDialect *dialect, SyntaxParser *parser)
{
  if (!idle_pool_give(&parsers, dialect, parser))
    dialect->parser_free(parser);
}

void dialect_free_parsers(const GraphDialect *dialect)
{
  for (SyntaxParser *parser; (parser = idle_pool_take(&parsers, dialect));)
    dialect->parser_free(parser);
}
