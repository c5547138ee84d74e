/// The facts that are built into the executable: a packed Facts message (symbolics.proto).
///
/// Ownership: the executable's read-only data.
/// Units:     bytes.
/// Errors:    none.
/// Threads:   any.
/// Sources:   symbolics-db/records.
#pragma once

#include <stddef.h>

const char *symbolics_facts_bytes(size_t *ret_size);
