/// What tests need to see of syntax/: the grammar alone.
///
/// Ownership: as in syntax.h.
/// Units:     as in syntax.h.
/// Errors:    as in syntax.h.
/// Threads:   as in syntax.h.
/// Sources:   none.
#pragma once

#include "graph/model/syntax.h"

/// As syntax_parse(), without the short way for plain lines.
SyntaxList syntax_parse_by_grammar(SyntaxParser *parser, Str text);
