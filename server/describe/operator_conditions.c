#include "describe/operator_conditions.h"

#include "describe/condition_words.h"
#include "outcome/condition_parts.h"

RuleId outcome_rule(OutcomeKind kind)
{
  if (kind == OUTCOME_WRONG)
    return RULE_WRONG_EXPORT;
  return kind == OUTCOME_NO_KERNEL ? RULE_NO_RUNTIME_KERNEL : RULE_REFUSED_CALL;
}

const char *operator_condition_verb(RuleId rule)
{
  if (rule == RULE_WRONG_EXPORT)
    return "comes out right";
  return rule == RULE_NO_RUNTIME_KERNEL ? "runs in ONNX Runtime" : "exports";
}

/// "onnxruntime-1.21,1.23" as a setting names them.
static Str runtime_words(Str runtimes, Arena *arena)
{
  Buffer words = { 0 };
  for (size_t i = 0; i < runtimes.len; i++) {
    char c = runtimes.data[i];
    buffer_append(&words, c == ',' ? STR(", ") : c == '-' ? STR(" ") : str_slice(runtimes, i, i + 1));
  }
  Str kept = arena_copy(arena, buffer_str(&words));
  buffer_done(&words);
  return kept;
}

static OperatorCondition make_condition(const OperatorFacts *facts, const TorchOutcome *outcome,
                                        uint32_t torch_versions, Arena *arena)
{
  ArgumentNames names = { facts->torch_operator, torch_versions };
  return (OperatorCondition){
    .outcome = outcome,
    .rule = outcome_rule(outcome->kind),
    .torch_versions = torch_versions,
    .when = condition_words(&outcome->condition, names, arena),
    .reason = condition_reason(outcome, names, arena),
    .runtime = runtime_words(outcome->runtime, arena),
  };
}

/// The outcomes of the operator, and in which torch versions it is converted at all.
static const TorchOutcome *ask_outcomes(const OperatorFacts *facts, uint32_t *ret_versions, uint32_t *ret_count)
{
  Str kind = facts->kind == OPERATOR_PYTHON ? STR("prim::PythonOp") : facts->name;
  const TorchOutcome *all = NULL;
  *ret_versions = *ret_count = 0;
  for (uint32_t torch = 0; torch < facts->version_count && facts->kind != OPERATOR_ONNX; torch++) {
    uint32_t count;
    const TorchOutcome *found = symbolics_outcomes(facts->target.db, torch, kind, &count);
    if (count == 0)
      continue;
    all = found;
    *ret_count = count;
    *ret_versions |= 1u << torch;
  }
  return all;
}

const OperatorCondition *operator_conditions(const OperatorFacts *facts, Arena *arena, uint32_t *ret_count)
{
  uint32_t versions, count;
  const TorchOutcome *outcomes = ask_outcomes(facts, &versions, &count);
  OperatorCondition *conditions = ARENA_ARRAY(arena, OperatorCondition, count);
  *ret_count = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (outcomes[i].torch_versions & versions)
      conditions[(*ret_count)++] = make_condition(facts, &outcomes[i], outcomes[i].torch_versions & versions, arena);
  }
  return conditions;
}

static bool counts_at_target(const OperatorFacts *facts, const OperatorCondition *condition)
{
  return (condition->torch_versions >> facts->target.torch & 1) &&
         opset_set_has(condition->outcome->opsets, facts->target.opset);
}

static void sort_by_length(OperatorCondition *conditions, uint32_t count)
{
  for (uint32_t i = 1; i < count; i++) {
    OperatorCondition condition = conditions[i];
    uint32_t at = i;
    for (; at > 0 && conditions[at - 1].outcome->condition.count > condition.outcome->condition.count; at--)
      conditions[at] = conditions[at - 1];
    conditions[at] = condition;
  }
}

const OperatorCondition *operator_target_conditions(const OperatorFacts *facts, Arena *arena, uint32_t *ret_count)
{
  const OperatorTarget *target = &facts->target;
  *ret_count = 0;
  if (facts->verdict != VERDICT_CONVERTED || target->exporter != EXPORTER_TORCHSCRIPT ||
      workspace_replaces(target->workspace, target->db, target->torch, facts->name, target->opset))
    return NULL;
  uint32_t versions, count;
  const TorchOutcome *outcomes = ask_outcomes(facts, &versions, &count);
  OperatorCondition *conditions = ARENA_ARRAY(arena, OperatorCondition, count);
  for (uint32_t i = 0; i < count; i++) {
    OperatorCondition bare = { .outcome = &outcomes[i], .torch_versions = outcomes[i].torch_versions & versions };
    if (counts_at_target(facts, &bare))
      conditions[(*ret_count)++] = make_condition(facts, &outcomes[i], 1u << target->torch, arena);
  }
  sort_by_length(conditions, *ret_count);
  return conditions;
}

// --- A section ---

/// That a value is computed in the graph says all.
static bool speaks_for_itself(const OperatorCondition *condition, Arena *arena)
{
  uint32_t count;
  const ConditionPart *parts = condition_parts(&condition->outcome->condition, arena, &count);
  bool is_variable = false;
  for (uint32_t i = 0; i < count; i++)
    is_variable |= parts[i].kind == PART_VARIABLE;
  return is_variable && (count == 1 || str_ends_with(condition->reason, STR("has to be a constant")));
}

static void write_condition(Markup *markup, const OperatorCondition *condition, Arena *arena)
{
  markup_item(markup);
  markup_prose(markup, condition->when);
  if (condition->runtime.len > 0)
    markup_text(markup, " (%.*s)", STR_ARG(condition->runtime));
  if (!speaks_for_itself(condition, arena)) {
    markup_text(markup, ": ");
    markup_prose(markup, condition->reason);
  }
  markup_text(markup, ".");
  if (condition->outcome->way_out.len == 0 || !markup->for_terminal)
    return;
  markup_text(markup, " ");
  markup_prose(markup, condition->outcome->way_out);
}

static void write_heading(Markup *markup, const OperatorFacts *facts, RuleId rule)
{
  const char *verb = operator_condition_verb(rule);
  char first = (char)(verb[0] - 'a' + 'A');
  markup_paragraph(markup);
  markup_text(markup, "%c%s when none of this is so (torch %.*s, opset %d):", first, verb + 1, STR_ARG(facts->torch),
              facts->target.opset);
}

static void write_section(Markup *markup, const OperatorFacts *facts, RuleId rule, uint32_t limit, Arena *arena)
{
  uint32_t count, found = 0;
  const OperatorCondition *conditions = operator_target_conditions(facts, arena, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (conditions[i].rule != rule || found++ >= limit)
      continue;
    if (found == 1)
      write_heading(markup, facts, rule);
    write_condition(markup, &conditions[i], arena);
  }
  if (found <= limit)
    return;
  markup_item(markup);
  markup_text(markup, "and in %u more cases", found - limit);
}

void operator_conditions_write(Markup *markup, const OperatorFacts *facts, uint32_t limit, Arena *arena)
{
  static const RuleId rules[] = { RULE_REFUSED_CALL, RULE_WRONG_EXPORT, RULE_NO_RUNTIME_KERNEL };
  for (size_t i = 0; i < COUNT(rules); i++)
    write_section(markup, facts, rules[i], limit, arena);
}
