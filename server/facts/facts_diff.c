#include "facts/facts_diff.h"

#include "base/vec.h"
#include "facts/symbolics_internal.h"

typedef Vec(Str) NameVec;

typedef struct Diff {
  FactsSide before, after;
  DiffVisitor visit;
  void *context;
  Arena arena;  ///< Reset for each name.
} Diff;

static bool add_name(Str name, void *context)
{
  NameVec *names = context;
  vec_push(names, name);
  return true;
}

static void sort_unique(NameVec *names)
{
  if (names->count == 0)
    return;
  vec_sort(names, str_compare_items);
  size_t kept = 1;
  for (size_t i = 1; i < names->count; i++) {
    if (!str_equal(names->items[i], names->items[kept - 1]))
      names->items[kept++] = names->items[i];
  }
  names->count = kept;
}

static bool emit(Diff *diff, DiffWhat what, Str name, Str before, Str after)
{
  FactDiff found = { .what = what, .name = name, .before = before, .after = after };
  return str_equal(before, after) || diff->visit(&found, diff->context);
}

/// The schema of one overload in that side's version; empty if there is none.
static Str find_schema(const TorchOperator *op, uint32_t torch, Str overload)
{
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    if (str_equal(op->overloads[i].overload, overload) && (op->overloads[i].torch_versions >> torch & 1))
      return op->overloads[i].schema;
  }
  return (Str){ 0 };
}

static void collect_overloads(const TorchOperator *op, uint32_t torch, NameVec *overloads)
{
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    if (op->overloads[i].torch_versions >> torch & 1)
      vec_push(overloads, op->overloads[i].overload);
  }
}

static bool diff_schemas(Diff *diff, Str name)
{
  const TorchOperator *before = symbolics_torch_operator(diff->before.db, name);
  const TorchOperator *after = symbolics_torch_operator(diff->after.db, name);
  NameVec overloads = { 0 };
  collect_overloads(before, diff->before.torch, &overloads);
  collect_overloads(after, diff->after.torch, &overloads);
  sort_unique(&overloads);
  bool go_on = true;
  for (size_t i = 0; go_on && i < overloads.count; i++) {
    Str overload = overloads.items[i];
    Str full = overload.len > 0 ? arena_printf(&diff->arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(overload)) : name;
    go_on = emit(diff, DIFF_TORCH_SCHEMA, full, find_schema(before, diff->before.torch, overload),
                 find_schema(after, diff->after.torch, overload));
  }
  vec_free(&overloads);
  return go_on;
}

static Str marks_text(Diff *diff, const FactsSide *side, Exporter exporter, Str name)
{
  SupportMarks marks = symbolics_support_marks(side->db, side->torch, exporter, name);
  Str supported = opset_set_text(marks.supported, &diff->arena);
  Str blocked = opset_set_text(marks.blocked, &diff->arena);
  if (blocked.len == 0)
    return supported;
  return arena_printf(&diff->arena, "%.*s%sblocked %.*s", STR_ARG(supported), supported.len > 0 ? ", " : "",
                      STR_ARG(blocked));
}

static bool diff_support(Diff *diff, Exporter exporter, Str name)
{
  DiffWhat what = exporter == EXPORTER_TORCHSCRIPT ? DIFF_TORCHSCRIPT : DIFF_DYNAMO;
  return emit(diff, what, name, marks_text(diff, &diff->before, exporter, name),
              marks_text(diff, &diff->after, exporter, name));
}

void facts_diff_torch(FactsSide before, FactsSide after, DiffVisitor visit, void *context)
{
  Diff diff = { .before = before, .after = after, .visit = visit, .context = context };
  NameVec names = { 0 };
  symbolics_each_torch_name(before.db, (Str){ 0 }, add_name, &names);
  if (after.db != before.db)
    symbolics_each_torch_name(after.db, (Str){ 0 }, add_name, &names);
  sort_unique(&names);
  bool go_on = true;
  for (size_t i = 0; go_on && i < names.count; i++) {
    Str name = names.items[i];
    go_on = diff_schemas(&diff, name);
    // A name with an underscore at its end has the support of the one without, where it is reported.
    if (go_on && !str_ends_with(name, STR("_")))
      go_on = diff_support(&diff, EXPORTER_TORCHSCRIPT, name);
    if (go_on)
      go_on = diff_support(&diff, EXPORTER_DYNAMO, name);
    arena_done(&diff.arena);
  }
  vec_free(&names);
}

static const OnnxSchema *schema_at(const FactsSide *side, Str domain, Str name)
{
  const OnnxOperator *op = symbolics_onnx_operator(side->db, domain, name);
  return op ? onnx_operator_at(op, side->opset) : NULL;
}

static Str version_text(Diff *diff, const OnnxSchema *schema)
{
  return schema ? arena_printf(&diff->arena, "%u", schema->since) : (Str){ 0 };
}

static bool diff_operator(Diff *diff, Str domain, Str name)
{
  const OnnxSchema *before = schema_at(&diff->before, domain, name);
  const OnnxSchema *after = schema_at(&diff->after, domain, name);
  FactDiff found = { .what = DIFF_ONNX,
                     .name = domain.len > 0 ? arena_printf(&diff->arena, "%.*s::%.*s", STR_ARG(domain), STR_ARG(name))
                                            : name,
                     .before = version_text(diff, before),
                     .after = version_text(diff, after) };
  bool is_same_version = before && after && before->since == after->since;
  if (!before && !after)
    return true;
  if (before && after) {
    OnnxSchema compared = *after;
    compared.before = before;
    compared.note_count = 0;
    OnnxChanges changes = onnx_schema_changes(&compared, &diff->arena);
    found.lines = changes.lines;
    found.line_count = changes.count;
    if (is_same_version && changes.step == ONNX_STEP_WORDS)
      return true;
  }
  return diff->visit(&found, diff->context);
}

void facts_diff_onnx(FactsSide before, FactsSide after, Str domain, DiffVisitor visit, void *context)
{
  Diff diff = { .before = before, .after = after, .visit = visit, .context = context };
  NameVec names = { 0 };
  if (str_equal(domain, STR("ai.onnx")))
    domain = (Str){ 0 };
  symbolics_each_onnx_name(before.db, domain, (Str){ 0 }, add_name, &names);
  if (after.db != before.db)
    symbolics_each_onnx_name(after.db, domain, (Str){ 0 }, add_name, &names);
  sort_unique(&names);
  bool go_on = true;
  for (size_t i = 0; go_on && i < names.count; i++) {
    go_on = diff_operator(&diff, domain, names.items[i]);
    arena_done(&diff.arena);
  }
  vec_free(&names);
}
