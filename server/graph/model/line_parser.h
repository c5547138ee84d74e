/// The parser of a dialect that reads each line by itself: all it keeps is the nodes of the last text.
///
/// Ownership: line_parser_free() frees the parser and its nodes.
/// Threads:   one thread at a time.
#pragma once

#include "base/vec.h"
#include "graph/model/dialect.h"

struct SyntaxParser {
  Vec(SyntaxNode) nodes;
};

SyntaxParser *line_parser_new(void);
/// NULL is fine.
void line_parser_free(SyntaxParser *parser);
