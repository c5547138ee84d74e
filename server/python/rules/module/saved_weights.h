/// What a file saves with torch.save() and loads again. Private to rules/.
///
/// Units:     nodes of the model.
/// Errors:    0 for what the file does not show.
/// Threads:   pure.
/// Sources:   torch.load() and load_state_dict() of torch 1.13, 2.6 and 2.14.
#pragma once

#include "python/rules/export/export_call.h"

/// What the file saves where the call, of torch.load(), reads it.
PyRef saved_and_loaded(const PyModel *model, const PyCall *load, Arena *arena);
/// The key in `torch.load("c.pt")["model"]` that what the file saves there, a dict that is written out, has not; 0.
PyRef saved_key_missing(const PyModel *model, PyRef node, Arena *arena);
/// What `torch.load("c.pt")`, a member of it, `torch.load("c.pt")["model"]`, `net.state_dict()` or a name for one of
/// them stands for; the node itself for others, 0 for a name that something else is done with.
PyRef saved_weights(const PyModel *model, PyRef node, Arena *arena);
