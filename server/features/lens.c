// textDocument/codeLens: above a symbolic function, what it converts and at which opsets.

#include "base/vec.h"
#include "features/dump_at.h"
#include "features/python_features.h"
#include "features/python_help.h"

enum { LENS_LIMIT = 5000, NAME_LIMIT = 4 };

typedef Vec(Lens) Lenses;

static Str title_of(const PyFile *file, uint32_t function, Str name, Arena *arena)
{
  uint64_t served = py_served_opsets(file, function, name);
  if (served == 0)
    return arena_printf(arena, "%.*s: an export to any opset takes another function", STR_ARG(name));
  return arena_printf(arena, "converts %.*s, opset%s %.*s", STR_ARG(name), served & (served - 1) ? "s" : "",
                      STR_ARG(py_opsets_text(served, arena)));
}

static void add_function(const FeatureContext *context, const PyFile *file, uint32_t function, Lenses *lenses)
{
  PyNames names = py_registered_names(file, function, context->arena);
  Range range = py_function_selection(file, function);
  for (size_t i = 0; i < names.count && i < NAME_LIMIT; i++)
    vec_push(lenses, (Lens){ range, title_of(file, function, names.items[i], context->arena) });
  if (names.count > NAME_LIMIT)
    vec_push(lenses, (Lens){ range, arena_printf(context->arena, "and %zu more operators", names.count - NAME_LIMIT) });
}

LensList feature_lenses(const FeatureContext *context)
{
  const PyFile *file = snapshot_python(context->snapshot);
  Lenses lenses = { 0 };
  for (uint32_t i = 0; file && i < file->model->functions.count && lenses.count < LENS_LIMIT; i++) {
    if (feature_is_cancelled(context))
      break;
    if (file->model->functions.items[i].roles & PY_ROLE_REGISTERED)
      add_function(context, file, i, &lenses);
  }
  Lens *items = ARENA_ARRAY(context->arena, Lens, lenses.count);
  if (lenses.count > 0)
    memcpy(items, lenses.items, lenses.count * sizeof(*items));
  LensList list = { items, lenses.count };
  vec_free(&lenses);
  return list;
}
