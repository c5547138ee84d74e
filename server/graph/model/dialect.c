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

int dialect_opset(const GraphDialect *dialect, const Document *document, const Target *target)
{
  int own = dialect->opset ? dialect->opset(document) : 0;
  return own > 0 ? own : target->opset;
}

OperatorName dialect_operator_name(const GraphDialect *dialect, Str text, Arena *arena)
{
  return dialect->operator_name ? dialect->operator_name(text, arena) : (OperatorName){ .name = text };
}

Str dialect_operator_word(const GraphDialect *dialect, Str text, Arena *arena)
{
  OperatorName name = dialect_operator_name(dialect, text, arena);
  if (name.overload.len == 0)
    return name.name;
  const Str parts[] = { name.name, STR("."), name.overload };
  return arena_join(arena, parts, COUNT(parts));
}
