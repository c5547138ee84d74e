/// The word `onnxls:`, with which a comment speaks to this program.
///
/// Ownership: borrows the text.
/// Units:     byte offsets.
/// Errors:    STR_NOT_FOUND.
/// Threads:   pure.
/// Sources:   docs/suppression.md.
#pragma once

#include "base/str.h"

#define MARKER "onnxls:"

/// Offset of the first marker at or after `from`: it is cheap where there is none.
size_t marker_find(Str text, size_t from);
/// Offset of the `#` that makes a comment of the marker at `marker`: with blanks between them at most, and before it a
/// blank or the line's start.
size_t marker_hash(Str text, size_t marker);
