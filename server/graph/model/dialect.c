#include "graph/model/dialect.h"

#include "base/ascii.h"
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

Str dialect_plain_type(Str type, Arena *arena)
{
  if (str_find_char(type, '\x1b', 0) == STR_NOT_FOUND)
    return type;
  char *plain = ARENA_ARRAY(arena, char, type.len + 1);
  size_t len = 0;
  for (size_t at = 0; at < type.len;) {
    size_t colour = ascii_colour_length(str_slice(type, at, type.len));
    if (colour == 0)
      plain[len++] = type.data[at];
    at += colour > 0 ? colour : 1;
  }
  return (Str){ .data = plain, .len = len };
}
