/// Reads what a person wrote as torch's own parser of IR does: blanks count for nothing (`%dim:int`, `Int (2)`), and
/// attributes and arguments may be on lines of their own.
///
/// It is strict: names are identifiers, operators have a namespace. Whatever it refuses is left to the grammar, which
/// reads what printers write. The nodes are those that the grammar gives for the same text in a printer's style.
///
/// Ownership: appends to the caller's nodes, and only if the whole statement was read.
/// Units:     offsets are bytes from the start of `text`.
/// Errors:    a fault says where the text stopped making sense, and what was expected there.
/// Threads:   pure.
/// Sources:   torch/csrc/jit/ir/irparser.cpp, torch/csrc/jit/frontend/lexer.cpp.
#pragma once

#include "graph/torchscript/plain_line.h"

typedef struct WrittenFault {
  uint32_t at;
  const char *expected;  ///< In words, with the token itself first if there is only one: "':' and a type".
  char token;            ///< The one character that would do; 0 if it takes more.
} WrittenFault;

/// Reads one statement, header, `->` or `return` whose line begins at `start`. Returns the offset after its last line
/// without the ending, or 0. With `any_name` the names may hold the characters that exporters put in, too.
uint32_t written_line_parse(Str text, uint32_t start, bool any_name, SyntaxNodes *nodes, WrittenFault *ret_fault);
