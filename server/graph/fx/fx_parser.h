/// The parser of FX texts: a look at the beginning of each line says what it is, and a reader of that kind does the
/// rest.
///
/// Ownership: as in graph/model/dialect.h.
/// Units:     as in graph/model/syntax.h.
/// Errors:    as in graph/model/dialect.h. A line that nothing is known of is text.
/// Threads:   each parser on one at a time.
/// Sources:   torch/fx/graph.py and torch/export/exported_program.py of torch 1.13 to 2.14.
#pragma once

#include "graph/model/syntax.h"

SyntaxParser *fx_parser_new(void);
void fx_parser_free(SyntaxParser *parser);
SyntaxList fx_parse(SyntaxParser *parser, Str text);
/// How much of a line a log put before it: `V0322 13:00:00.123 139 torch/_dynamo/output_graph.py:1340] [0/0] `.
size_t fx_log_prefix(Str line);
