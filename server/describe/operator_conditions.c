#include "describe/operator_conditions.h"

#include "describe/condition_words.h"
#include "outcome/condition_parts.h"

RuleId operator_condition_rule(OutcomeKind kind)
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

/// The outcomes of one exporter.
typedef struct OutcomeList {
  const TorchOutcome *items;
  uint32_t count;
  Exporter exporter;
  uint32_t torch_versions;  ///< In which the exporter converts the operator at all.
} OutcomeList;

static OperatorCondition make_condition(const OperatorFacts *facts, const OutcomeList *list, uint32_t i,
                                        uint32_t torch_versions, Arena *arena)
{
  const TorchOutcome *outcome = &list->items[i];
  ArgumentNames names = { facts->torch_operator, torch_versions };
  return (OperatorCondition){
    .outcome = outcome,
    .exporter = list->exporter,
    .rule = operator_condition_rule(outcome->kind),
    .torch_versions = torch_versions,
    .when = condition_words(&outcome->condition, names, arena),
    .reason = condition_reason(outcome, names, arena),
    .runtime = runtime_words(outcome->runtime, arena),
  };
}

static OutcomeList torchscript_outcomes(const OperatorFacts *facts)
{
  Str kind = facts->kind == OPERATOR_PYTHON ? STR("prim::PythonOp") : facts->name;
  OutcomeList list = { .exporter = EXPORTER_TORCHSCRIPT };
  for (uint32_t torch = 0; torch < facts->version_count; torch++) {
    uint32_t count;
    const TorchOutcome *found = symbolics_outcomes(facts->target.db, torch, kind, &count);
    if (count == 0)
      continue;
    list.items = found;
    list.count = count;
    list.torch_versions |= 1u << torch;
  }
  return list;
}

static OutcomeList dynamo_outcomes(const OperatorFacts *facts)
{
  OutcomeList list = { .exporter = EXPORTER_DYNAMO };
  list.items = symbolics_dynamo_outcomes(facts->target.db, facts->name, &list.count);
  for (uint32_t torch = 0; torch < facts->version_count; torch++)
    list.torch_versions |= (uint32_t)facts->versions[torch].exporters[EXPORTER_DYNAMO].is_known << torch;
  return list;
}

static OutcomeList outcomes_of(const OperatorFacts *facts, Exporter exporter)
{
  if (facts->kind == OPERATOR_ONNX)
    return (OutcomeList){ .exporter = exporter };
  return exporter == EXPORTER_DYNAMO ? dynamo_outcomes(facts) : torchscript_outcomes(facts);
}

const OperatorCondition *operator_conditions(const OperatorFacts *facts, Arena *arena, uint32_t *ret_count)
{
  const OutcomeList lists[] = { outcomes_of(facts, EXPORTER_TORCHSCRIPT), outcomes_of(facts, EXPORTER_DYNAMO) };
  OperatorCondition *conditions = ARENA_ARRAY(arena, OperatorCondition, lists[0].count + lists[1].count);
  *ret_count = 0;
  for (size_t k = 0; k < COUNT(lists); k++) {
    for (uint32_t i = 0; i < lists[k].count; i++) {
      uint32_t torch_versions = lists[k].items[i].torch_versions & lists[k].torch_versions;
      if (torch_versions)
        conditions[(*ret_count)++] = make_condition(facts, &lists[k], i, torch_versions, arena);
    }
  }
  return conditions;
}

/// A model below the lowest opset of the exporter is made at that one.
static int opset_of_functions(const OperatorTarget *target)
{
  OpsetRange range = { 0 };
  symbolics_opset_range(target->db, target->torch, target->exporter, &range);
  return target->exporter == EXPORTER_DYNAMO && target->opset < range.min ? range.min : target->opset;
}

static bool counts_at_target(const OperatorFacts *facts, const OutcomeList *list, uint32_t i)
{
  const TorchOutcome *outcome = &list->items[i];
  uint32_t versions = outcome->torch_versions & list->torch_versions;
  bool is_other =
      facts->overload.len > 0 && outcome->overload.len > 0 && !str_equal(facts->overload, outcome->overload);
  return !is_other && (versions >> facts->target.torch & 1) &&
         opset_set_has(outcome->opsets, opset_of_functions(&facts->target));
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

/// Whether anything of torch converts it at the target.
static bool is_converted(const OperatorFacts *facts)
{
  const OperatorTarget *target = &facts->target;
  if (facts->verdict == VERDICT_TAKEN_APART)
    return exporter_facts_has_parts(&facts->version->exporters[EXPORTER_DYNAMO]);
  return facts->verdict == VERDICT_CONVERTED &&
         (target->exporter == EXPORTER_DYNAMO ||
          !workspace_replaces(target->workspace, target->db, target->torch, facts->name, target->opset));
}

const OperatorCondition *operator_target_conditions(const OperatorFacts *facts, Arena *arena, uint32_t *ret_count)
{
  *ret_count = 0;
  if (!is_converted(facts))
    return NULL;
  OutcomeList list = outcomes_of(facts, facts->target.exporter);
  OperatorCondition *conditions = ARENA_ARRAY(arena, OperatorCondition, list.count);
  for (uint32_t i = 0; i < list.count; i++) {
    if (counts_at_target(facts, &list, i))
      conditions[(*ret_count)++] = make_condition(facts, &list, i, 1u << facts->target.torch, arena);
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
  if (condition->outcome->overload.len > 0)
    markup_text(markup, "overload %.*s: ", STR_ARG(condition->outcome->overload));
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
  markup_text(markup, "%c%s when none of this is so (%s exporter of torch %.*s, opset %d):", first, verb + 1,
              exporter_title(facts->target.exporter), STR_ARG(facts->torch), opset_of_functions(&facts->target));
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
