#include "core/symbolic_places.h"

#include "base/limits.h"
#include "core/workspace_operators.h"
#include "text/uri.h"

const Workspace *symbolic_places_workspace(const FeatureContext *context)
{
  return context->workspace ? context->workspace : snapshot_target(context->snapshot)->workspace;
}

// --- Lists ---

static bool same_place(const Location *location, Str path, const WorkspacePlace *place)
{
  return location->line == place->line && location->column == place->start[POS_UTF8] && str_equal(location->path, path);
}

static void add_place(PlaceList *list, Str uri, const WorkspacePlace *place)
{
  Str path = uri_to_path(uri, list->context->arena);
  if (path.len == 0 || list->found.count >= PLACE_LIMIT)
    return;
  // One function may be registered for many names, but those are together.
  for (size_t i = list->found.count; i-- > 0 && list->found.count - i <= DEFINITION_LIMIT;) {
    if (same_place(&list->found.items[i], path, place))
      return;
  }
  Location location = {
    .origin = list->origin,
    .is_file = true,
    .path = path,
    .line = place->line,
    .column = place->start[POS_UTF8],
    .place = place,
  };
  vec_push(&list->found, location);
}

static LocationList take_places(PlaceList *list)
{
  Location *items = vec_copy(&list->found, list->context->arena);
  LocationList taken = { items, list->found.count };
  vec_free(&list->found);
  return taken;
}

static bool is_here(PlaceList *list, Str uri)
{
  if (list->here.len == 0)
    list->here = workspace_uri(snapshot_uri(list->context->snapshot), list->context->arena);
  return str_equal(uri, list->here);
}

// --- Definitions ---

typedef struct Search {
  PlaceList list;
  OpsetSet custom;
  OpsetSet builtin;
  int chosen;
} Search;

static void add_definition(PlaceList *list, const WorkspaceSymbolic *symbolic)
{
  const WorkspaceSymbolic *definition = workspace_definition(symbolic_places_workspace(list->context), symbolic);
  if (list->found.count < DEFINITION_LIMIT)
    add_place(list, definition->uri, &definition->place);
}

static bool visit_custom(const WorkspaceSymbolic *symbolic, void *context)
{
  Search *search = context;
  *(symbolic->is_builtin ? &search->builtin : &search->custom) |= symbolic->opsets;
  if (!symbolic->is_builtin)
    add_definition(&search->list, symbolic);
  return true;
}

static bool visit_builtin(const WorkspaceSymbolic *symbolic, void *context)
{
  Search *search = context;
  if (symbolic->is_builtin && opset_set_has(symbolic->opsets, search->chosen))
    add_definition(&search->list, symbolic);
  return true;
}

LocationList symbolic_places(const FeatureContext *context, Str op, Range origin)
{
  const Workspace *workspace = symbolic_places_workspace(context);
  Search search = { .list = { .context = context, .origin = origin } };
  workspace_each_symbolic(workspace, op, visit_custom, &search);
  search.chosen = opset_set_dispatch(search.custom | search.builtin, snapshot_target(context->snapshot)->opset);
  if (search.chosen > 0 && !opset_set_has(search.custom, search.chosen))
    workspace_each_symbolic(workspace, op, visit_builtin, &search);
  return take_places(&search.list);
}

typedef struct OperatorSearch {
  PlaceList list;
  Str name;
  bool kernels;
} OperatorSearch;

static bool visit_operator(const WorkspaceOperator *op, void *context)
{
  OperatorSearch *search = context;
  if (op->defined.name.len > search->name.len)
    return false;  // Only the beginning of its name is the same.
  if (op->defined.is_kernel == search->kernels && search->list.found.count < DEFINITION_LIMIT)
    add_place(&search->list, op->uri, &op->place);
  return true;
}

LocationList operator_places(const FeatureContext *context, Str name, bool kernels, Range origin)
{
  OperatorSearch search = { .list = { .context = context, .origin = origin }, .name = name, .kernels = kernels };
  workspace_each_operator(symbolic_places_workspace(context), name, visit_operator, &search);
  return take_places(&search.list);
}

LocationList symbolic_places_definition(const FeatureContext *context, Str qualified, Range origin)
{
  PlaceList list = { .context = context, .origin = origin };
  WorkspaceSymbolic symbolic = { .elsewhere = qualified };
  symbolic.uri = workspace_uri(snapshot_uri(context->snapshot), context->arena);
  if (workspace_definition(symbolic_places_workspace(context), &symbolic) != &symbolic)
    add_definition(&list, &symbolic);
  return take_places(&list);
}

// --- References ---

static void add_registration(PlaceList *list, const WorkspaceSymbolic *symbolic)
{
  if (!is_here(list, symbolic->uri))
    add_place(list, symbolic->uri, &symbolic->registration);
}

static bool visit_registration(const WorkspaceSymbolic *symbolic, void *context)
{
  PlaceList *list = context;
  if (symbolic->is_builtin)
    return true;
  add_registration(list, symbolic);
  const WorkspaceSymbolic *definition = workspace_definition(symbolic_places_workspace(list->context), symbolic);
  bool is_defined = definition->function.len > 0 && !is_here(list, definition->uri);
  if (list->include_declaration && is_defined)
    add_place(list, definition->uri, &definition->place);
  return !list->context->cancelled || !atomic_load(list->context->cancelled);
}

void symbolic_places_add_registrations(PlaceList *list, Str name)
{
  workspace_each_symbolic(symbolic_places_workspace(list->context), name, visit_registration, list);
}

typedef struct Foreign {
  PlaceList *list;
  void (*visit)(Str name, void *context);
  void *context;
} Foreign;

static bool visit_foreign(const WorkspaceSymbolic *symbolic, void *context)
{
  Foreign *foreign = context;
  add_registration(foreign->list, symbolic);
  foreign->visit(symbolic->name, foreign->context);
  return true;
}

void symbolic_places_add_foreign(PlaceList *list, Str function, void (*visit)(Str name, void *context), void *context)
{
  Foreign foreign = { list, visit, context };
  Str uri = snapshot_uri(list->context->snapshot);
  workspace_each_foreign(symbolic_places_workspace(list->context), uri, function, visit_foreign, &foreign);
}

static bool visit_use(const WorkspaceFile *file, const WorkspaceUse *use, void *context)
{
  PlaceList *list = context;
  for (uint32_t i = 0; i < use->place_count && !is_here(list, file->uri); i++)
    add_place(list, file->uri, &use->places[i]);
  return list->found.count < PLACE_LIMIT;
}

void symbolic_places_add_uses(PlaceList *list, Str name)
{
  workspace_each_use(symbolic_places_workspace(list->context), name, visit_use, list);
}
