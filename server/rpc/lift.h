/// A pass over the bytes of a JSON text before a JSON library sees them.
///
/// Document text is most of what a client sends. Every string that is the value of a member "text" is decoded where it
/// is and replaced, in a small copy of the rest, by a placeholder; so a library need not copy 24 MB three times,
/// and NUL characters and unpaired surrogates, which libraries refuse, are fine in it. The pass also holds the limits
/// on nesting and on the number of values, and repairs unpaired surrogates in all other strings.
///
/// Ownership: `json` is owned; the texts point into the body that was scanned.
/// Units:     bytes.
/// Errors:    LIFT_BAD_STRING for a text that is not a valid JSON string; other mistakes are the library's to find.
/// Threads:   one thread at a time.
/// Sources:   RFC 8259, 7; LSP 3.17 "Text Documents".
#pragma once

#include "base/buffer.h"
#include "base/vec.h"

typedef enum LiftResult {
  LIFT_OK,
  LIFT_TOO_DEEP,
  LIFT_TOO_MANY,
  LIFT_BAD_STRING,
} LiftResult;

typedef struct Lifted {
  Buffer json;     ///< The body with placeholders; empty if nothing was lifted.
  Vec(Str) texts;  ///< Decoded UTF-8, by the placeholder's number.
} Lifted;

/// Changes `body` in place. `lifted` must be zeroed, and is to be given to lifted_done() whatever comes out.
LiftResult lift_texts(char *body, size_t len, Lifted *lifted);
void lifted_done(Lifted *lifted);
/// The text after a placeholder; false if `string` is none.
bool lifted_find(const Lifted *lifted, Str string, Str *ret_text);
