/// The type that a text shows after a value's name, as far as conditions ask for it: `%4 : Float(2, 3)`.
///
/// Ownership: plain values.
/// Units:     element types have the numbers of outcome.h.
/// Errors:    what is no tensor, or damaged, is open.
/// Threads:   pure.
#pragma once

#include "base/str.h"

/// Of a tensor.
typedef enum ShownType {
  SHOWN_UNASKED,
  SHOWN_OPEN,    ///< The text names none.
  SHOWN_TENSOR,  ///< `Tensor`: the exporter doesn't know the element type either.
  SHOWN_FIRST,   ///< From here on element types by their number.
} ShownType;

enum { SHOWN_TYPE_BITS = 5 };  ///< That hold all of them.

/// `text` begins after the name.
uint8_t shown_type_after(Str text);
/// The type itself, without what comes before it; empty if there is none.
Str shown_type_text(Str text);
