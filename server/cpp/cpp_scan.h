/// The tokens of C++ as far as string literals and names need them: comments, strings of all kinds and lines of the
/// preprocessor are told apart, nothing is parsed.
///
/// Ownership: a scan borrows its text.
/// Units:     offsets in bytes.
/// Errors:    what is not closed ends with its line, a comment or a raw string with the text.
/// Threads:   one scan belongs to one thread.
/// Sources:   ISO C++ [lex]: phases of translation, raw string literals, digit separators.
#pragma once

#include "base/memory.h"
#include "text/position.h"

typedef enum CppTokenKind {
  CPP_END,
  CPP_WORD,    ///< A name, a keyword or a number.
  CPP_STRING,  ///< Of any kind; `content` is between the quotation marks.
  CPP_SIGN,    ///< One character.
} CppTokenKind;

typedef struct CppToken {
  CppTokenKind kind;
  Str text;       ///< All of it.
  Range content;  ///< Of a string.
  bool is_raw;    ///< R"(...)": no escapes.
} CppToken;

typedef struct CppScan {
  Str text;
  size_t at;
  bool is_in_line;  ///< Something precedes on the line, so that `#` begins no directive.
} CppScan;

CppToken cpp_scan_next(CppScan *scan);
/// What the string says, with its escapes decoded; other bytes than ASCII are taken as they are.
Str cpp_scan_string(const CppScan *scan, const CppToken *token, Arena *arena);

static inline bool cpp_token_is_sign(const CppToken *token, char c)
{
  return token->kind == CPP_SIGN && token->text.data[0] == c;
}
