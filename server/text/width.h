/// How many columns of a terminal a character takes.
///
/// Units:     columns.
/// Errors:    control characters count as 1, as something visible has to be shown in their place.
/// Threads:   pure.
/// Sources:   Unicode 14.0: general categories Mn, Me and Cf, and East Asian Width (UAX #11).
#pragma once

#include <stdint.h>

/// 0, 1 or 2.
int width_of_char(uint32_t code_point);
