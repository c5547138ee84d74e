/// UTF-8, and the code units that LSP columns count.
///
/// A byte that is not part of a well-formed sequence counts as one code point, one UTF-16 unit and one byte, so
/// every byte string has a column for each of its places.
///
/// Ownership: borrows; utf_repair() copies into the arena only what it has to change.
/// Units:     offsets are bytes; units are code units of the encoding named.
/// Threads:   pure functions.
/// Sources:   The Unicode Standard, table 3-7 (well-formed UTF-8); LSP 3.17 "Position".
#pragma once

#include "base/memory.h"
#include "text/position.h"

enum {
  UTF_REPLACEMENT = 0xFFFD,  ///< What a byte that is not UTF-8 reads as.
  UTF_MAX_BYTES = 4,
};

/// The code point at `offset`, which must be below the length. An ill-formed byte gives UTF_REPLACEMENT and length 1.
uint32_t utf_decode(Str s, size_t offset, size_t *ret_len);
/// Writes up to UTF_MAX_BYTES bytes and returns how many. What is not a code point is written as UTF_REPLACEMENT.
size_t utf_encode(uint32_t code_point, char *ret_bytes);
/// The length of `s` in code units.
size_t utf_units(Str s, PosEncoding encoding);
/// The offset that is `units` code units into `s`: rounded down to the start of a code point, at most the length.
size_t utf_offset(Str s, size_t units, PosEncoding encoding);
/// The start of the code point that `offset` is in; `offset` itself if it is the length or more.
size_t utf_floor(Str s, size_t offset);
bool utf_is_valid(Str s);
/// Well-formed UTF-8: `s` itself, or a copy with UTF_REPLACEMENT for every ill-formed byte.
Str utf_repair(Str s, Arena *arena);
