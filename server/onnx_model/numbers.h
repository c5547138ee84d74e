/// Numbers as ONNX text: the shortest that reads back as the same bits.
///
/// Ownership: writes to the caller's memory.
/// Units:     `bits` is the number as it lies in the file, little-endian, in the low bytes.
/// Errors:    of a NaN only the sign is kept: the text has no more.
/// Threads:   pure functions.
/// Sources:   onnx/defs/parser.cc of 1.20: std::stof() and std::stod(), which refuse a subnormal number unless it is
///            written exactly (strtof() reports ERANGE only where something is lost).
#pragma once

#include "base/str.h"

enum { NUMBER_TEXT = 1200 };  ///< The longest: a subnormal double with all its digits has 767 of them.

/// Writes at most NUMBER_TEXT bytes. With `wants_point` a whole number gets ".0", so that it can't be taken for an int.
Str number_float(uint32_t bits, bool wants_point, char *memory);
Str number_double(uint64_t bits, bool wants_point, char *memory);
Str number_signed(uint64_t bits, unsigned width, char *memory);
Str number_unsigned(uint64_t bits, unsigned width, char *memory);

/// What the bits of a small float type mean; for element types float16, bfloat16, float8* and float4e2m1.
double number_small_float(uint64_t element_type, uint32_t bits);
