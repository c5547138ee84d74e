/// C++ as a language: nothing is checked in it, but the operators that it defines for PyTorch are told to other files.
///
/// Threads:   immutable.
/// Sources:   cpp/cpp_library.h.
#pragma once

#include "core/language.h"

extern const Language cpp_language;
