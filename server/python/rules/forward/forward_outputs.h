/// What forward() returns that no exporter can take apart. Private to rules/.
///
/// Ownership: as Forward.
/// Units:     nodes of the sink's Python file.
/// Errors:    what is not surely of such a kind is passed.
/// Threads:   as DiagSink.
/// Sources:   run with torch 1.13, 2.6 and 2.14, in both exporters.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// Says so of a result, or of an element of one: an object of a @dataclass of the file, a set, a generator.
void forward_check_output(Forward *forward, PyRef value);
/// Says so of a forward() that holds a `yield`.
void forward_check_generator(Forward *forward);
