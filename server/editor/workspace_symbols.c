// workspace/symbol: the symbolic functions that files of the workspace register, and graphs and modules of its dumps.

#include "base/limits.h"
#include "base/vec.h"
#include "core/symbolic_places.h"
#include "text/uri.h"

/// LSP SymbolKind.
enum { KIND_MODULE = 2, KIND_CLASS = 5, KIND_FUNCTION = 12 };

/// How well a symbol fits what was typed; the better ones have lower numbers.
typedef enum Fit {
  FIT_WHOLE,
  FIT_START,
  FIT_INSIDE,
  FIT_COUNT,
  FIT_NOT = FIT_COUNT,
} Fit;

typedef struct Candidate {
  const WorkspaceSymbolic *symbolic;
  OpsetSet opsets;  ///< Of all registrations of this name for the same function.
  Fit fit;
} Candidate;

typedef struct Search {
  const Workspace *workspace;
  Str query;
  Vec(Candidate) found;
} Search;

static Fit fit_of(Str text, Str query)
{
  for (size_t at = 0; at < text.len; at++) {
    if (str_equal_ignore_case(str_slice(text, at, at + query.len), query))
      return at > 0 ? FIT_INSIDE : text.len == query.len ? FIT_WHOLE : FIT_START;
  }
  return FIT_NOT;
}

static Str function_name(const WorkspaceSymbolic *symbolic)
{
  size_t dot = str_rfind_char(symbolic->elsewhere, '.');
  if (symbolic->function.len > 0)
    return symbolic->function;
  return dot == STR_NOT_FOUND ? STR("lambda") : str_slice(symbolic->elsewhere, dot + 1, symbolic->elsewhere.len);
}

static Fit fit_symbolic(const WorkspaceSymbolic *symbolic, Str query)
{
  size_t colons = str_find(symbolic->name, STR("::"), 0);
  Fit fit = fit_of(symbolic->name, query);
  bool has_name = symbolic->function.len > 0 || symbolic->elsewhere.len > 0;
  Fit others[] = {
    fit_of(str_slice(symbolic->name, colons == STR_NOT_FOUND ? 0 : colons + 2, symbolic->name.len), query),
    has_name ? fit_of(function_name(symbolic), query) : FIT_NOT,
  };
  for (size_t i = 0; i < COUNT(others); i++)
    fit = others[i] < fit ? others[i] : fit;
  return fit;
}

static bool same_function(const WorkspaceSymbolic *a, const WorkspaceSymbolic *b)
{
  return str_equal(a->name, b->name) && str_equal(a->uri, b->uri) && a->place.line == b->place.line &&
         a->place.start[POS_UTF8] == b->place.start[POS_UTF8];
}

static bool visit_symbolic(const WorkspaceSymbolic *symbolic, void *context)
{
  Search *search = context;
  Candidate *last = search->found.count > 0 ? vec_last(&search->found) : NULL;
  Fit fit = fit_symbolic(symbolic, search->query);
  // torch's own functions are only for those who look for them.
  if (fit == FIT_NOT || (symbolic->is_builtin && search->query.len == 0))
    return true;
  if (last && same_function(last->symbolic, symbolic))
    last->opsets |= symbolic->opsets;
  else
    vec_push(&search->found, (Candidate){ symbolic, symbolic->opsets, fit });
  return true;
}

static WorkspaceSymbol symbol_of(const Search *search, const Candidate *candidate, Arena *arena)
{
  const WorkspaceSymbolic *symbolic = candidate->symbolic;
  const WorkspaceSymbolic *definition = workspace_definition(search->workspace, symbolic);
  Str path = uri_to_path(definition->uri, arena);
  Str file = path.len > 0 ? path : definition->uri;
  return (WorkspaceSymbol){
    .name = arena_printf(arena, "%.*s (%.*s, %.*s)", STR_ARG(function_name(symbolic)), STR_ARG(symbolic->name),
                         STR_ARG(opset_set_phrase(candidate->opsets, arena))),
    .container = str_after_last(file, '/'),
    .kind = KIND_FUNCTION,
    .uri = definition->uri,
    .place = &definition->place,
  };
}

// --- Dumps ---

/// Those of all files whose fit is this one, as far as there is room. A graph is found by the name of its file, too:
/// most are called `graph`.
static void add_landmarks(const Search *search, Fit wanted, WorkspaceSymbol *items, size_t room,
                          WorkspaceSymbolList *list)
{
  WorkspaceFile *const *files = NULL;
  size_t count = search->workspace ? workspace_files(search->workspace, &files) : 0;
  for (size_t f = 0; f < count; f++) {
    Str uri = files[f]->uri;
    Str file = str_after_last(uri, '/');
    for (uint32_t i = 0; i < files[f]->landmark_count && list->count < room; i++) {
      const WorkspaceLandmark *landmark = &files[f]->landmarks[i];
      Fit fit = fit_of(landmark->name, search->query);
      Fit by_file = landmark->is_module ? FIT_NOT : fit_of(file, search->query);
      if ((by_file < fit ? by_file : fit) != wanted)
        continue;
      items[list->count++] = (WorkspaceSymbol){ landmark->name, file, landmark->is_module ? KIND_CLASS : KIND_MODULE,
                                                uri, &landmark->place };
    }
  }
}

WorkspaceSymbolList feature_workspace_symbols(const Workspace *workspace, Str query, Arena *arena)
{
  Search search = { .workspace = workspace, .query = str_trim(query) };
  if (search.query.len <= WORKSPACE_QUERY_LIMIT)
    workspace_each(workspace, visit_symbolic, &search);
  size_t count = WORKSPACE_SYMBOL_LIMIT;
  WorkspaceSymbol *items = ARENA_ARRAY(arena, WorkspaceSymbol, count);
  WorkspaceSymbolList list = { .items = items };
  // The workspace's own before torch's, and of both what fits best first.
  for (unsigned pass = 0; pass < 2 * FIT_COUNT; pass++) {
    for (size_t i = 0; i < search.found.count && list.count < count; i++) {
      const Candidate *candidate = &search.found.items[i];
      if (candidate->symbolic->is_builtin == (pass >= FIT_COUNT) && candidate->fit == (Fit)(pass % FIT_COUNT))
        items[list.count++] = symbol_of(&search, candidate, arena);
    }
  }
  vec_free(&search.found);
  for (Fit fit = FIT_WHOLE; fit < FIT_COUNT && search.query.len > 0 && search.query.len <= WORKSPACE_QUERY_LIMIT; fit++)
    add_landmarks(&search, fit, items, count, &list);
  return list;
}
