// textDocument/codeLens: above a symbolic function, what it converts, at which opsets, and how often dumps of the
// workspace need it.

#include "base/limits.h"
#include "base/vec.h"
#include "core/symbolic_places.h"
#include "describe/operator_words.h"
#include "python/features/python_features.h"
#include "python/features/python_help.h"

enum { NAMES_SHOWN = 4 };

typedef Vec(Lens) Lenses;

/// "; 14 uses in 3 dumps"; empty if no dump uses it.
static Str uses_text(const FeatureContext *context, Str name)
{
  uint32_t dumps;
  uint32_t uses =
      workspace_use_count(symbolic_places_workspace(context), workspace_lookup_name(name, context->arena), &dumps);
  if (uses == 0)
    return (Str){ 0 };
  return arena_printf(context->arena, "; %u use%s in %u dump%s", uses, uses == 1 ? "" : "s", dumps,
                      dumps == 1 ? "" : "s");
}

static Str title_of(const PyFile *file, uint32_t function, Str name, Arena *arena)
{
  if (py_help_has_unknown_opset(file, function, name))
    return arena_printf(arena, "converts %.*s", STR_ARG(name));
  OpsetSet served = py_help_served_opsets(file, function, name);
  if (served == 0)
    return arena_printf(arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(operator_shadowed_words()));
  return arena_printf(arena, "converts %.*s, %.*s", STR_ARG(name), STR_ARG(opset_set_phrase(served, arena)));
}

/// Where the dynamo exporter is taken, which calls no symbolic function.
static Str only_text(const PyFile *file, Arena *arena)
{
  Str words = operator_ignored_words(py_file_registration_use(file).kind == EXPORT_DYNAMO && !file->model->is_builtin,
                                     file->model->exports.count > 0);
  return words.len > 0 ? arena_printf(arena, "; %.*s", STR_ARG(words)) : words;
}

static void add_function(const FeatureContext *context, const PyFile *file, uint32_t function, Lenses *lenses)
{
  PyNames names = py_file_registered_names(file, function, context->arena);
  Range range = python_function_selection(file, function);
  size_t count = 0;
  for (size_t i = 0; i < names.count; i++) {
    if (!py_help_is_looked_up(names.items[i]) || count++ >= NAMES_SHOWN)
      continue;
    Str title = title_of(file, function, names.items[i], context->arena);
    Str only = only_text(file, context->arena);
    Str uses = uses_text(context, names.items[i]);
    vec_push(lenses, (Lens){ range, arena_join(context->arena, (Str[]){ title, only, uses }, 3), uses.len > 0 });
  }
  if (count > NAMES_SHOWN)
    vec_push(lenses,
             (Lens){ range, arena_printf(context->arena, "and %zu more operators", count - NAMES_SHOWN), false });
}

LensList python_lenses(const FeatureContext *context)
{
  const PyFile *file = py_file_of_snapshot(context->snapshot);
  Lenses lenses = { 0 };
  for (uint32_t i = 0; file && i < file->model->functions.count && lenses.count < LENS_LIMIT; i++) {
    if (feature_is_cancelled(context))
      break;
    if (file->model->functions.items[i].roles & PY_ROLE_REGISTERED)
      add_function(context, file, i, &lenses);
  }
  Lens *items = vec_copy(&lenses, context->arena);
  LensList list = { items, lenses.count };
  vec_free(&lenses);
  return list;
}
