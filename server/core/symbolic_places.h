/// Places of symbolic functions in the workspace, for definitions and references.
///
/// Ownership: results live in the context's arena.
/// Units:     as in features.h.
/// Errors:    an empty list if no function is known.
/// Threads:   as in features.h.
#pragma once

#include "base/vec.h"
#include "core/features.h"
#include "core/workspace.h"

/// What other files tell. NULL for nothing.
const Workspace *symbolic_places_workspace(const FeatureContext *context);

/// The functions that convert `op` (as a graph prints it): those of the workspace, and torch's own that the target's
/// opset chooses, if its source is at hand. `origin` is what was asked about.
LocationList symbolic_places(const FeatureContext *context, Str op, Range origin);
/// Where the workspace defines the operator of that name ("mylib::foo"); with `kernels` its implementations.
LocationList operator_places(const FeatureContext *context, Str name, bool kernels, Range origin);
/// The definition of a function of another module, as this document's imports name it: "pkg.mod.function".
LocationList symbolic_places_definition(const FeatureContext *context, Str qualified, Range origin);

/// Places in other files than the document, added to a list. Not more than a few thousand.
typedef struct PlaceList {
  const FeatureContext *context;
  Range origin;
  bool include_declaration;  ///< Functions, too.
  Vec(Location) found;
  Str here;  ///< Private: the document, as workspace_uri() spells it.
} PlaceList;

/// Where other files register functions for `name`, and those functions.
void symbolic_places_add_registrations(PlaceList *list, Str name);
/// Where other files register this function of the document; calls `visit` with the names that they register it for.
void symbolic_places_add_foreign(PlaceList *list, Str function, void (*visit)(Str name, void *context), void *context);
/// Where dumps use the operator that `name` stands for: the first places of each dump.
void symbolic_places_add_uses(PlaceList *list, Str name);
