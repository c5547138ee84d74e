#include "describe/operator_words.h"

#include "base/buffer.h"
#include "describe/dynamo_words.h"
#include "describe/operator_ways.h"

/// "TorchScript exporter of torch 2.6"
static Str exporter_words(const OperatorFacts *facts, Arena *arena)
{
  return arena_printf(arena, "%s exporter of torch %.*s", exporter_title(facts->target.exporter),
                      STR_ARG(facts->torch));
}

/// Opsets at which an export converts it, be it by a function of the workspace.
static OpsetSet all_converted(const OperatorFacts *facts)
{
  OpsetSet own = facts->version ? facts->version->exporters[facts->target.exporter].converted : 0;
  return facts->target.exporter == EXPORTER_TORCHSCRIPT ? own | facts->served : own;
}

// --- The verdict ---

static const char *why_blocked(const OperatorFacts *facts)
{
  return facts->verdict == VERDICT_BLOCKED ? ", where its symbolic function only raises an error" : "";
}

/// Of an operator that is not converted at the opset: at which others it is. Empty if at none.
static Str other_opsets(const OperatorFacts *facts, Arena *arena)
{
  OpsetSet others = all_converted(facts);
  if (facts->since > facts->target.opset)
    return arena_printf(arena, "from opset %d on", facts->since);
  if (others == 0)
    return (Str){ 0 };
  return arena_printf(arena, "only at %.*s", STR_ARG(opset_set_phrase(others, arena)));
}

static Str refused_words(const OperatorFacts *facts, Arena *arena)
{
  Str who = exporter_words(facts, arena);
  Str others = other_opsets(facts, arena);
  if (facts->target.exporter == EXPORTER_DYNAMO && others.len == 0)
    return arena_printf(arena, "The %.*s has no function for it; it is converted only if torch.export takes it apart.",
                        STR_ARG(who));
  if (others.len == 0)
    return arena_printf(arena, "The %.*s can't convert it at any opset.", STR_ARG(who));
  return arena_printf(arena, "The %.*s can't convert it at opset %d%s; %s can %.*s.", STR_ARG(who), facts->target.opset,
                      why_blocked(facts), facts->since_workspace ? "a symbolic function of the workspace" : "it",
                      STR_ARG(others));
}

static Str taken_apart_words(const OperatorFacts *facts, Arena *arena)
{
  const ExporterFacts *exporter = &facts->version->exporters[facts->target.exporter];
  Str text = dynamo_parts_words(&exporter->fate, exporter_words(facts, arena), arena);
  if (facts->since <= facts->target.opset)
    return text;
  return arena_printf(arena, "%.*s From opset %d on there is a function for it.", STR_ARG(text), facts->since);
}

static Str unknown_words(const OperatorFacts *facts, Arena *arena)
{
  Exporter exporter = facts->target.exporter;
  if (!facts->version)
    return STR("Nothing is known of this torch version.");
  if (!facts->version->exporters[exporter].exists)
    return arena_printf(arena, "torch %.*s has no %s exporter.", STR_ARG(facts->torch), exporter_title(exporter));
  return arena_printf(arena, "Whether the %.*s converts it is not known.", STR_ARG(exporter_words(facts, arena)));
}

static bool is_by_workspace(const OperatorFacts *facts)
{
  return facts->target.exporter == EXPORTER_TORCHSCRIPT && opset_set_has(facts->served, facts->target.opset);
}

Str operator_verdict_words(const OperatorFacts *facts, Arena *arena)
{
  Str who = exporter_words(facts, arena);
  switch (facts->verdict) {
  case VERDICT_CONVERTED:
    return arena_printf(arena, "The %.*s converts it at opset %d%s.", STR_ARG(who), facts->target.opset,
                        is_by_workspace(facts) ? " with a symbolic function of the workspace" : "");
  case VERDICT_NOT_YET:
  case VERDICT_BLOCKED:
  case VERDICT_NEVER:
    return refused_words(facts, arena);
  case VERDICT_CUSTOM:
    return STR("A custom operator: its export fails unless a symbolic function is registered for it.");
  case VERDICT_TAKEN_APART:
    return taken_apart_words(facts, arena);
  case VERDICT_REMOVED:
    return arena_printf(arena, "The %.*s never has to convert it: %.*s.", STR_ARG(who),
                        STR_ARG(facts->version->pass->reason));
  case VERDICT_UNKNOWN:
    return unknown_words(facts, arena);
  case VERDICT_ONNX:
    break;
  }
  return (Str){ 0 };
}

Str operator_refusal_words(const OperatorFacts *facts, bool is_unsure, Arena *arena)
{
  Str op = facts->name;
  if (facts->verdict == VERDICT_CUSTOM)
    return arena_printf(
        arena, "'%.*s' is a custom operator: its export fails unless a symbolic function is registered for it.",
        STR_ARG(op));
  const char *verb = is_unsure ? "may not be exportable" : "can't be exported";
  const char *unless = is_unsure ? ", but a pass may remove it first" : "";
  Str who = facts->since_workspace ? STR("a symbolic function of the workspace")
                                   : arena_printf(arena, "the %.*s", STR_ARG(exporter_words(facts, arena)));
  Str others = other_opsets(facts, arena);
  if (others.len == 0)
    return arena_printf(arena, "'%.*s' %s: %.*s can't convert it at any opset%s.", STR_ARG(op), verb, STR_ARG(who),
                        unless);
  return arena_printf(arena, "'%.*s' %s to opset %d%s; %.*s can convert it %.*s%s.", STR_ARG(op), verb,
                      facts->target.opset, why_blocked(facts), STR_ARG(who), STR_ARG(others), unless);
}

Str operator_refusal_phrase(const OperatorFacts *facts, Arena *arena)
{
  Str others = other_opsets(facts, arena);
  if (facts->verdict == VERDICT_CUSTOM)
    return STR("a custom operator");
  if (others.len == 0)
    return STR("can't be converted at any opset");
  return arena_printf(arena, "can be converted %.*s", STR_ARG(others));
}

Str operator_dynamo_words(const OperatorFacts *facts, Arena *arena)
{
  const ExporterFacts *dynamo = facts->version ? &facts->version->exporters[EXPORTER_DYNAMO] : NULL;
  if (!dynamo)
    return (Str){ 0 };
  return operator_exporter_words(EXPORTER_DYNAMO, exporter_facts_opsets(dynamo), dynamo->range.min, arena);
}

// --- Support by version ---

static Str opset_list(OpsetSet set, Arena *arena)
{
  return arena_printf(arena, "opset%s %.*s", opset_set_has_many(set) ? "s" : "", STR_ARG(opset_set_text(set, arena)));
}

Str operator_support_words(const ExporterFacts *facts, Exporter exporter, Arena *arena)
{
  if (!facts->exists)
    return STR("no such exporter");
  if (!facts->is_known)
    return STR("not known");
  if (facts->converted == 0 && facts->is_taken_apart)
    return dynamo_parts_phrase(&facts->fate, arena);
  if (facts->converted == 0)
    return exporter == EXPORTER_DYNAMO ? STR("no function of its own") : STR("no opset");
  return arena_printf(arena, "%.*s%s", STR_ARG(opset_list(facts->converted, arena)),
                      facts->is_taken_apart ? ", taken apart below" : "");
}

Str operator_blocked_words(const ExporterFacts *facts, Arena *arena)
{
  if (facts->blocked == 0)
    return (Str){ 0 };
  return arena_printf(arena, " (at %.*s its symbolic function only raises an error)",
                      STR_ARG(opset_set_text(facts->blocked, arena)));
}

// --- Single words ---

const char *operator_pass_condition(PassCondition condition)
{
  static const char *const words[] = {
    [PASS_ALWAYS] = "always",
    [PASS_CONSTANT_KEYS] = "if only constant keys are read",
    [PASS_LOCAL_LIST] = "if the list is made in the same block and only changed before",
    [PASS_TARGET_FRESH] = "if the target is made in the same block, is not a view and was not read before",
    [PASS_TARGET_NOT_FRESH] = "if the target is a view, comes from outside of the block or was read before",
    [PASS_UNPACKED_AT_ONCE] = "if the result is unpacked at once and the other inputs are constants",
  };
  return words[condition];
}

Str operator_unknown_words(void)
{
  return STR("no torch version that is known here has an operator of this name");
}

Str operator_shadowed_words(void)
{
  return STR("an export to any opset takes another function");
}

Str operator_ignored_words(bool is_dynamo, bool has_export)
{
  if (!is_dynamo)
    return (Str){ 0 };
  return has_export ? STR("ignored by this file's exports, as the dynamo exporter calls none")
                    : STR("called only with dynamo=False");
}

Str operator_shadowing_words(const OperatorFacts *facts, Arena *arena)
{
  return arena_printf(arena, "An export to opset %d takes torch's own function, that of opset %d.", facts->target.opset,
                      facts->shadowing);
}

Str operator_count_words(uint32_t min, uint32_t max, const char *noun, Arena *arena)
{
  if (max == ONNX_NO_LIMIT)
    return arena_printf(arena, "at least %u %s%s", min, noun, min == 1 ? "" : "s");
  if (min == max)
    return arena_printf(arena, "%u %s%s", min, noun, min == 1 ? "" : "s");
  return arena_printf(arena, "%u to %u %ss", min, max, noun);
}

Str operator_torch_list(const SymbolicsDb *db, uint32_t set, Arena *arena)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(db, &versions);
  Buffer list = { 0 };
  for (size_t i = 0; i < count; i++) {
    bool is_last = set >> i >> 1 == 0;
    if (set >> i & 1)
      buffer_printf(&list, "%s%.*s", list.len == 0 ? "" : is_last ? " and " : ", ", STR_ARG(versions[i]));
  }
  Str text = arena_copy(arena, buffer_str(&list));
  buffer_done(&list);
  return text;
}
