// Registrations that may be for any operator of their project.

#include "core/unknown_registration.h"

typedef struct Search {
  Str folder;  ///< The document's, with the slash after it.
  OpsetSet others;
  int first, last;
  const WorkspaceSymbolic *found;
} Search;

static Str folder_of(Str uri)
{
  return str_slice(uri, 0, str_rfind_char(uri, '/') + 1);
}

static bool visit(const WorkspaceSymbolic *symbolic, void *context)
{
  Search *search = context;
  Str folder = folder_of(symbolic->uri);
  bool is_near = str_starts_with(folder, search->folder) || str_starts_with(search->folder, folder);
  if (is_near && !symbolic->is_builtin &&
      opset_set_served(symbolic->opsets, search->others, search->first, search->last) != 0)
    search->found = symbolic;
  return !search->found;
}

const WorkspaceSymbolic *unknown_registration_near(const Workspace *workspace, Str uri, OpsetSet others, int first,
                                                   int last)
{
  Search search = { folder_of(uri), others, first, last, NULL };
  workspace_each_symbolic(workspace, STR(UNKNOWN_REGISTRATION), visit, &search);
  return search.found;
}

Str unknown_registration_words(const WorkspaceSymbolic *unknown, Arena *arena)
{
  Str uri = unknown->uri;
  return arena_printf(arena, " It can if it is what '%.*s' registers a function for, by a name that is not known.",
                      STR_ARG(str_after_last(uri, '/')));
}
