/// The facts that something is checked against: those built in, and the user's overlays over them.
///
/// Ownership: reference-counted.
/// Threads:   immutable; retain and release from any thread.
#pragma once

#include "facts/symbolics.h"

typedef struct Facts Facts;

/// Takes over `layers`: databases of which each lies over the one before. At least one.
Facts *facts_new(SymbolicsDb *const *layers, size_t count);
/// NULL is fine for both.
Facts *facts_retain(const Facts *facts);
void facts_release(const Facts *facts);
/// Those built in if `facts` is NULL.
const SymbolicsDb *facts_db(const Facts *facts);
