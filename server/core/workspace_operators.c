#include "core/workspace_operators.h"

#include <stdlib.h>

#include "base/search.h"
#include "base/vec.h"

struct WorkspaceOperators {
  const WorkspaceOperator **by_name;
  size_t count;
  const WorkspaceTranslation **translations;  ///< Sorted by name and overload.
  size_t translation_count;
  OperatorTable table;
  Arena arena;  ///< Holds all of it.
};

// --- The index ---

static int compare_operators(const void *a, const void *b)
{
  const WorkspaceOperator *x = *(const WorkspaceOperator *const *)a;
  const WorkspaceOperator *y = *(const WorkspaceOperator *const *)b;
  int order = str_compare(x->defined.name, y->defined.name);
  if (order == 0)
    order = x->defined.is_kernel - y->defined.is_kernel;
  if (order == 0)
    order = str_compare(x->uri, y->uri);
  return order != 0 ? order : (x->place.line > y->place.line) - (x->place.line < y->place.line);
}

static int compare_translations(const void *a, const void *b)
{
  const WorkspaceTranslation *x = *(const WorkspaceTranslation *const *)a;
  const WorkspaceTranslation *y = *(const WorkspaceTranslation *const *)b;
  int order = str_compare(x->name, y->name);
  return order != 0 ? order : str_compare(x->overload, y->overload);
}

static void make_table(WorkspaceOperators *operators)
{
  const DefinedOperator **defined = ARENA_ARRAY(&operators->arena, const DefinedOperator *, operators->count);
  size_t count = 0;
  for (size_t i = 0; i < operators->count; i++) {
    if (!operators->by_name[i]->defined.is_kernel)
      defined[count++] = &operators->by_name[i]->defined;
  }
  operators->table = operator_table_make(defined, count, &operators->arena);
}

WorkspaceOperators *workspace_operators_new(WorkspaceFile *const *files, size_t count)
{
  WorkspaceOperators *operators = xcalloc(1, sizeof(*operators));
  Vec(const WorkspaceOperator *) found = { 0 };
  Vec(const WorkspaceTranslation *) translations = { 0 };
  for (size_t i = 0; i < count; i++) {
    for (uint32_t k = 0; k < files[i]->operator_count; k++)
      vec_push(&found, &files[i]->operators[k]);
    for (uint32_t k = 0; k < files[i]->translation_count; k++)
      vec_push(&translations, &files[i]->translations[k]);
  }
  vec_sort(&found, compare_operators);
  vec_sort(&translations, compare_translations);
  operators->by_name = vec_copy(&found, &operators->arena);
  operators->count = found.count;
  operators->translations = vec_copy(&translations, &operators->arena);
  operators->translation_count = translations.count;
  make_table(operators);
  vec_free(&found);
  vec_free(&translations);
  return operators;
}

void workspace_operators_free(WorkspaceOperators *operators)
{
  if (!operators)
    return;
  arena_done(&operators->arena);
  free(operators);
}

// --- Asking ---

const TorchOperator *workspace_torch_operator(const Workspace *workspace, const SymbolicsDb *db, Str name)
{
  const TorchOperator *known = symbolics_torch_operator(db, name);
  const WorkspaceOperators *operators = workspace_operators(workspace);
  return known || !operators ? known : operator_table_find(&operators->table, name);
}

bool workspace_translates(const Workspace *workspace, Str name, Str overload)
{
  const WorkspaceOperators *operators = workspace_operators(workspace);
  const WorkspaceTranslation wanted = { name, overload };
  const WorkspaceTranslation *key = &wanted;
  return operators && operators->translation_count > 0 &&
         bsearch(&key, operators->translations, operators->translation_count, sizeof(key), compare_translations);
}

void workspace_each_operator(const Workspace *workspace, Str prefix, WorkspaceOperatorVisitor *visit, void *context)
{
  const WorkspaceOperators *operators = workspace_operators(workspace);
  size_t at;
  SEARCH_FIRST(at, 0, operators ? operators->count : 0, str_compare(operators->by_name[at]->defined.name, prefix) < 0);
  for (; operators && at < operators->count; at++) {
    const WorkspaceOperator *op = operators->by_name[at];
    if (!str_starts_with(op->defined.name, prefix) || !visit(op, context))
      return;
  }
}

typedef struct DefinitionCount {
  Str name;
  size_t count;
} DefinitionCount;

static bool count_definition(const WorkspaceOperator *op, void *context)
{
  DefinitionCount *counted = context;
  counted->count += !op->defined.is_kernel && str_equal(op->defined.name, counted->name);
  return op->defined.name.len == counted->name.len;  // Longer names come after it.
}

size_t workspace_count_definitions(const Workspace *workspace, Str name)
{
  DefinitionCount counted = { .name = name };
  workspace_each_operator(workspace, name, count_definition, &counted);
  return counted.count;
}
