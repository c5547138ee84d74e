// The tokens that the scanner gives out, in the order of `externals` in grammar.js.

#ifndef TORCH_IR_TOKENS_H
#define TORCH_IR_TOKENS_H

#include "tree_sitter/parser.h"

enum Token {
  END,
  TEXT_LINE,
  LOG_PREFIX,
  LINE_NAME,
  LINE_ASSIGN,
  LINE_HEADER_END,
  GRAPH,
  WITH,
  PRINTABLE_GRAPH,
  PRINTABLE_SECTION,
  BLOCK_NAME,
  ARROW,
  RETURN,
  CLOSING_BRACE,
  STAGE_SEPARATOR,
  PYTHON_TAIL,
  DEFINITION_NAME,
  PARAMETER_NAME,
  TYPE,
  HEADER_END,
  COMMA,
  OP_KIND,
  PYTHON_OP,
  PYTHON_ARGUMENTS,
  ATTRIBUTE_VALUE,
  CUT_VALUE,
  BARE_REF,
  USES,
  SCOPE,
  SOURCE_LOCATION,
  COMMENT_TEXT,
  WITH_NAME,
  GRAPH_NAME,
  BRACE,
  JUNK,
  ERROR_SENTINEL,
};

static inline bool emit(TSLexer *lexer, enum Token token)
{
  lexer->result_symbol = (TSSymbol)token;
  return true;
}

#endif
