/// Lists, dicts and sets of Python in forward() that want values of tensors: keys, places, order. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     nodes of the sink's Python file.
/// Threads:   as DiagSink.
/// Sources:   run with torch 2.14.
#pragma once

#include "python/rules/forward/forward_data.h"

/// A list or dict of which a value of a tensor chooses, or is the key.
void capture_check_choice(Forward *forward, PyRef node);
/// sorted() and the like of what comes out of tensors, or by what does.
bool capture_sorts_data(Forward *forward, const PyCall *call);
/// `map(bool, x)`
bool capture_asks_rows(Forward *forward, const PyCall *call);
/// `table.get(n.item())`
bool capture_looks_up_data(Forward *forward, const PyCall *call);
/// `set(x.tolist())`
bool capture_makes_set_of_data(Forward *forward, const PyCall *call);
