/// TorchScript IR as syntax nodes: plain lines are read here, all others by the tree-sitter grammar.
///
/// The grammar is line-local (grammar/torch-ir), and each line that belongs to an erroneous node is parsed again on its
/// own, so a mistake never spreads beyond its line.
///
/// Ownership: a parser owns its scratch memory and the nodes that it returned last; the caller owns the parser.
/// Units:     offsets are bytes from the start of the text given.
/// Errors:    what can't be parsed is in the list as NODE_ERROR and NODE_MISSING.
/// Threads:   one parser belongs to one thread at a time.
/// Sources:   tree-sitter's C API.
#pragma once

#include "graph/model/syntax.h"

SyntaxParser *torchscript_parser_new(void);
void torchscript_parser_free(SyntaxParser *parser);
SyntaxList torchscript_parse(SyntaxParser *parser, Str text);
/// As torchscript_parse(), without the short way for plain lines; tests compare the two.
SyntaxList torchscript_parse_by_grammar(SyntaxParser *parser, Str text);
