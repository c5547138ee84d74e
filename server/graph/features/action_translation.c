// An action that writes a translation function for an overload that the dynamo exporter refuses, or for the part of it
// that has none.

#include "describe/translation_stub.h"
#include "graph/features/support_job.h"

static const TorchOverload *schema_of(const OperatorContext *job, Str full)
{
  size_t dot = str_find_char(full, '.', str_find(full, STR("::"), 0));
  Str overload = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(full, dot + 1, full.len);
  const TorchOperator *op = operator_context_torch(job, str_slice(full, 0, dot));
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    if (str_equal(op->overloads[i].overload, overload) && op->overloads[i].torch_versions >> job->torch & 1)
      return &op->overloads[i];
  }
  return NULL;
}

/// "aten::sum.dim_IntList" of "aten.sum.dim_IntList", as the exporter says it; without ".default".
static Str full_name(Str part, Arena *arena)
{
  size_t dot = str_find_char(part, '.', 0);
  if (dot == STR_NOT_FOUND)
    return (Str){ 0 };
  Str rest = str_slice(part, dot + 1, part.len);
  if (str_ends_with(rest, STR(".default")))
    rest = str_slice(rest, 0, rest.len - STR(".default").len);
  return arena_printf(arena, "%.*s::%.*s", (int)dot, part.data, STR_ARG(rest));
}

void support_add_translation(SupportJob *job, const Diagnostic *diagnostic)
{
  Arena *arena = job->base.arena;
  Str full = full_name(diagnostic->support.part, arena);
  Str function = translation_stub_name(full, arena);
  Str name;
  FileChange change = { .is_new = true };
  if (function.len == 0 || !support_new_file(job, "translation", function, &name, &change.path))
    return;
  Str title = arena_printf(arena, "Create a translation function for `%.*s` in %.*s", STR_ARG(full), STR_ARG(name));
  support_write_file(job, diagnostic, title, change, 0, translation_stub(full, schema_of(&job->base, full), arena));
}
