// Actions on an operator that the exporter refuses: a symbolic function, a newer opset, the other exporter.

#include "base/map.h"
#include "core/workspace.h"
#include "graph/features/graph_features.h"
#include "graph/features/support_job.h"

typedef struct OperatorSet {
  const OperatorContext *job;
  Map *seen;
  uint64_t common;  ///< Opsets at which all that were added are supported.
} OperatorSet;

static Str item_operator(const ChunkState *chunk, uint32_t item)
{
  return dump_op_name(chunk->index, chunk_text(chunk), chunk->index->items[item].op);
}

static void add_operator(OperatorSet *set, Str op)
{
  static char mark;
  if (map_put(set->seen, op, &mark))
    return;
  const OperatorContext *job = set->job;
  OpsetRange range = { 0 };
  uint64_t supported = 0;
  symbolics_opset_range(job->db, job->torch, SYMBOLICS_TORCHSCRIPT, &range);
  for (int opset = job->target->opset + 1; opset <= range.max; opset++) {
    if (workspace_support(job->target->workspace, job->db, job->torch, op, opset).status == SUPPORT_YES)
      supported |= (uint64_t)1 << opset;
  }
  set->common &= supported;
}

/// Opsets at which everything is supported that is refused for certain now.
static uint64_t common_opsets(const OperatorContext *job)
{
  const Refusals *refusals = snapshot_refusals(job->snapshot);
  OperatorSet set = { .job = job, .seen = map_new(), .common = ~(uint64_t)0 };
  for (uint32_t c = 0; c < refusals->chunk_count && set.common; c++) {
    const RefusalList *list = refusals->chunks[c];
    for (uint32_t i = 0; list && i < list->count; i++) {
      if (list->items[i].fate == FATE_CONVERTED)
        add_operator(&set, item_operator(snapshot_dump(job->snapshot)->chunks[c], list->items[i].item));
    }
  }
  map_free(set.seen);
  return set.common;
}

static bool has_certain(const Refusals *refusals)
{
  for (uint32_t c = 0; c < refusals->chunk_count; c++) {
    const RefusalList *list = refusals->chunks[c];
    for (uint32_t i = 0; list && i < list->count; i++) {
      if (list->items[i].fate == FATE_CONVERTED)
        return true;
    }
  }
  return false;
}

/// A newer opset may refuse what this one takes, so the document is asked again.
static bool takes_all(const OperatorContext *job, int opset)
{
  Target values = *job->target;
  values.opset = opset;
  Target *target = target_new(&values);
  Refusals *refusals =
      refusals_new(snapshot_dump(job->snapshot), snapshot_dialect(job->snapshot)->exporter, target, NULL, NULL);
  bool takes = !has_certain(refusals);
  refusals_free(refusals);
  target_release(target);
  return takes;
}

/// The lowest opset above the target's at which nothing in the document is refused for certain; 0 if there is none.
static int opset_for_all(const OperatorContext *job)
{
  uint64_t common = common_opsets(job);
  for (int opset = job->target->opset + 1; opset <= SYMBOLICS_OPSET_LIMIT; opset++) {
    if (common >> opset & 1 && takes_all(job, opset))
      return opset;
  }
  return 0;
}

static Str number_text(int number, Arena *arena)
{
  return arena_printf(arena, "%d", number);
}

static void add_settings_action(SupportJob *job, const Diagnostic *diagnostic, Str title, const SettingChange *settings,
                                size_t count)
{
  Action action = { .title = title, .diagnostic = diagnostic };
  if (settings_change(job->actions, settings, count, &action.file))
    vec_push(&job->actions->actions, action);
}

static void raise_opset(SupportJob *job, const Diagnostic *diagnostic)
{
  Arena *arena = job->base.arena;
  int since = diagnostic->support.since;
  if (since <= job->base.target->opset || job->world->opset_is_set)
    return;
  int all = opset_for_all(&job->base);
  int opset = all > 0 ? all : since;
  Str title = all > 0 ? arena_printf(arena,
                                     "Raise the opset to %d, the first that can convert everything here "
                                     "(in .onnxls.json)",
                                     opset)
                      : arena_printf(arena, "Raise the opset to %d, which can convert `%.*s` (in .onnxls.json)", opset,
                                     STR_ARG(diagnostic->support.op));
  SettingChange change = { "opset", number_text(opset, arena) };
  add_settings_action(job, diagnostic, title, &change, 1);
}

static void use_dynamo(SupportJob *job, const Diagnostic *diagnostic)
{
  const OperatorContext *base = &job->base;
  OpsetRange range;
  if (job->world->exporter_is_set || base->target->exporter != EXPORTER_TORCHSCRIPT ||
      !symbolics_opset_range(base->db, base->torch, SYMBOLICS_DYNAMO, &range))
    return;
  int opset = base->target->opset;
  bool fits = opset >= range.min && opset <= range.max;
  bool is_kept = fits || base->target->opset_is_default;
  if (!is_kept && job->world->opset_is_set)
    return;
  // Operators that are taken apart first are left out: only a run tells whether their parts can be converted.
  SupportAnswer answer =
      symbolics_support(base->db, base->torch, SYMBOLICS_DYNAMO, diagnostic->support.op, fits ? opset : range.standard);
  if (answer.status != SUPPORT_YES)
    return;
  SettingChange changes[] = { { "exporter", STR("\"dynamo\"") },
                              { "opset", number_text(range.standard, job->base.arena) } };
  Str op = diagnostic->support.op;
  Str title = is_kept ? arena_printf(base->arena, "Use the dynamo exporter, which can convert `%.*s` (in .onnxls.json)",
                                     STR_ARG(op))
                      : arena_printf(base->arena,
                                     "Use the dynamo exporter and opset %d, which can convert `%.*s` (in .onnxls.json)",
                                     range.standard, STR_ARG(op));
  add_settings_action(job, diagnostic, title, changes, is_kept ? 1 : 2);
}

void graph_actions(ActionJob *actions, const Diagnostic *diagnostic)
{
  SupportJob job = { .base = operator_context(actions->context), .world = actions->world, .actions = actions };
  Place place;
  if (!item_at(job.base.snapshot, diagnostic->range.start, &place))
    return;
  raise_opset(&job, diagnostic);
  support_add_stub(&job, diagnostic, place);
  use_dynamo(&job, diagnostic);
}
