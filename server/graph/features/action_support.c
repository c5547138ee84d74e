// Actions on an operator that the exporter refuses: a symbolic function, a newer opset, the other exporter.

#include "base/map.h"
#include "graph/features/graph_features.h"
#include "graph/features/support_job.h"

typedef struct OperatorSet {
  const OperatorContext *job;
  Map *seen;
  OpsetSet common;  ///< Opsets at which all that were added are supported.
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
  OperatorTarget target = operator_target(set->job);
  OperatorFacts facts = operator_facts(&target, op, false, set->job->arena);
  OpsetSet supported = facts.served;
  if (facts.version)
    supported |= facts.version->exporters[EXPORTER_TORCHSCRIPT].converted;
  set->common &= supported & opset_set_range(target.opset + 1, OPSET_LIMIT);
}

/// Opsets at which everything is supported that is refused for certain now.
static OpsetSet common_opsets(const OperatorContext *job)
{
  const Refusals *refusals = snapshot_refusals(job->snapshot);
  OperatorSet set = { .job = job, .seen = map_new(), .common = OPSET_SET_ALL };
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
  Refusals *refusals = refusals_new(snapshot_dump(job->snapshot), snapshot_dialect(job->snapshot), target, NULL, NULL);
  bool takes = !has_certain(refusals);
  refusals_free(refusals);
  target_release(target);
  return takes;
}

/// The lowest opset above the target's at which nothing in the document is refused for certain; 0 if there is none.
static int opset_for_all(const OperatorContext *job)
{
  OpsetSet common = common_opsets(job);
  for (int opset = job->target->opset + 1; opset <= OPSET_LIMIT; opset++) {
    if (opset_set_has(common, opset) && takes_all(job, opset))
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
  if (action_settings_change(job->actions, settings, count, &action.file))
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

/// The opset of an export with the dynamo exporter: the target's, if it has that, else its default; a later one if only
/// that converts the operator. 0 if none does, or only one that can't be set.
static int dynamo_opset(const SupportJob *job, const ExporterFacts *dynamo)
{
  int opset = job->base.target->opset;
  OpsetRange range = dynamo->range;
  int usual = opset >= range.min && opset <= range.max ? opset : range.standard;
  if (opset_set_has(dynamo->converted, usual) || exporter_facts_has_parts(dynamo))
    return usual;
  return job->world->opset_is_set ? 0 : opset_set_first(dynamo->converted & opset_set_range(usual, OPSET_LIMIT));
}

static void use_dynamo(SupportJob *job, const Diagnostic *diagnostic)
{
  const OperatorContext *base = &job->base;
  OperatorTarget asked = operator_target(base);
  Str op = diagnostic->support.op;
  OperatorFacts facts = operator_facts(&asked, op, false, base->arena);
  if (job->world->exporter_is_set || asked.exporter != EXPORTER_TORCHSCRIPT || !facts.version)
    return;
  const ExporterFacts *dynamo = &facts.version->exporters[EXPORTER_DYNAMO];
  int opset = dynamo->exists ? dynamo_opset(job, dynamo) : 0;
  bool is_kept = opset == asked.opset || (base->target->opset_is_default && opset == dynamo->range.standard);
  if (opset == 0 || (!is_kept && job->world->opset_is_set))
    return;
  SettingChange changes[] = { { "exporter", STR("\"dynamo\"") }, { "opset", number_text(opset, base->arena) } };
  Str title = is_kept ? arena_printf(base->arena, "Use the dynamo exporter, which can convert `%.*s` (in .onnxls.json)",
                                     STR_ARG(op))
                      : arena_printf(base->arena,
                                     "Use the dynamo exporter and opset %d, which can convert `%.*s` (in .onnxls.json)",
                                     opset, STR_ARG(op));
  add_settings_action(job, diagnostic, title, changes, is_kept ? 1 : 2);
}

void graph_actions(ActionJob *actions, const Diagnostic *diagnostic)
{
  SupportJob job = { .base = operator_context(actions->context), .world = actions->world, .actions = actions };
  Place place;
  if (!dump_place_at(job.base.snapshot, diagnostic->range.start, &place))
    return;
  raise_opset(&job, diagnostic);
  if (snapshot_dialect(job.base.snapshot)->exporter == EXPORTER_DYNAMO)
    support_add_translation(&job, diagnostic);
  else
    support_add_stub(&job, diagnostic, place);
  use_dynamo(&job, diagnostic);
}
