/// What is built into the executable: the facts, and the Python programs that export more of them.
///
/// Ownership: the executable's read-only data, with a NUL after it that is not counted.
/// Units:     bytes.
/// Threads:   any.
/// Sources:   symbolics-db/records, symbolics-db/tools.
#pragma once

#include <stddef.h>

/// A packed Facts message (symbolics.proto).
const char *symbolics_facts_bytes(size_t *ret_size);
/// Programs for the user's interpreter: `python - OUTPUT.json`, with the program on stdin. Both write an overlay.
const char *symbolics_export_onnx(size_t *ret_size);
const char *symbolics_export_torch(size_t *ret_size);
