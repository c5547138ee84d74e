#include "features/symbolic_places.h"

#include "analysis/python.h"
#include "analysis/workspace.h"
#include "base/vec.h"
#include "text/uri.h"

enum { PLACE_LIMIT = 32 };

typedef struct Search {
  const FeatureContext *context;
  const Workspace *workspace;
  Range origin;
  int best;  ///< Of torch's own functions the one of this opset.
  Vec(Location) found;
} Search;

static void add_place(Search *search, const WorkspaceSymbolic *symbolic)
{
  const WorkspaceSymbolic *definition = workspace_definition(search->workspace, symbolic);
  Location location = {
    .origin = search->origin,
    .is_file = true,
    .path = uri_to_path(definition->uri, search->context->arena),
    .line = definition->place.line,
    .column = definition->place.start[POS_UTF8],
    .place = &definition->place,
  };
  if (location.path.len > 0 && search->found.count < PLACE_LIMIT)
    vec_push(&search->found, location);
}

static bool visit_custom(const WorkspaceSymbolic *symbolic, void *context)
{
  if (!symbolic->is_builtin)
    add_place(context, symbolic);
  return true;
}

static bool visit_builtin(const WorkspaceSymbolic *symbolic, void *context)
{
  Search *search = context;
  if (symbolic->is_builtin && search->best > 0 && (symbolic->opsets >> search->best & 1) != 0)
    add_place(search, symbolic);
  return true;
}

static bool collect_builtin(const WorkspaceSymbolic *symbolic, void *context)
{
  if (symbolic->is_builtin)
    *(uint64_t *)context |= symbolic->opsets;
  return true;
}

LocationList symbolic_places(const FeatureContext *context, Str op, Range origin)
{
  const Target *target = snapshot_target(context->snapshot);
  Search search = {
    .context = context,
    .workspace = context->workspace ? context->workspace : target->workspace,
    .origin = origin,
  };
  workspace_each_symbolic(search.workspace, op, visit_custom, &search);
  if (search.found.count == 0) {
    uint64_t registered = 0;
    workspace_each_symbolic(search.workspace, op, collect_builtin, &registered);
    search.best = py_dispatch(registered, target->opset);
    workspace_each_symbolic(search.workspace, op, visit_builtin, &search);
  }
  LocationList list = { 0 };
  Location *items = ARENA_ARRAY(context->arena, Location, search.found.count);
  if (search.found.count > 0)
    memcpy(items, search.found.items, search.found.count * sizeof(*items));
  list.items = items;
  list.count = search.found.count;
  vec_free(&search.found);
  return list;
}
