#include "graph/model/node_outcomes.h"

enum { INPUT_USE_LIMIT = 16 };

void outcome_finder_init(OutcomeFinder *finder, const Dump *dump, const SymbolicsDb *db, uint32_t torch,
                         const Target *target, Trace *trace)
{
  finder->view.walk = (GraphWalk){ dump, trace };
  finder->view.db = db;
  finder->view.arena = &finder->scratch;
  finder->torch = torch;
  finder->opset = target->opset;
}

void outcome_finder_done(OutcomeFinder *finder)
{
  vec_free(&finder->found);
  arena_done(&finder->kept);
  arena_done(&finder->scratch);
}

/// Nothing but an `and` of parts, none of which holds another one.
static bool is_flat(const Condition *condition)
{
  for (uint32_t i = 0; i < condition->count; i++) {
    ConditionOp op = condition->tokens[i].op;
    if (op == CONDITION_OR || (op == CONDITION_NOT && condition->tokens[i - 1].op == CONDITION_AND))
      return false;
  }
  return true;
}

static OutcomeGuard guard_of(const TorchOutcome *outcome)
{
  OutcomeGuard guard = { outcome, -1, -1 };
  const ConditionToken *tokens = outcome->condition.tokens;
  if (!is_flat(&outcome->condition))
    return guard;
  for (uint32_t i = 0; i + 2 < outcome->condition.count; i++) {
    if (tokens[i].op == CONDITION_COUNT && tokens[i + 1].op == CONDITION_NUMBER && tokens[i + 2].op == CONDITION_EQUAL)
      guard.argument_count = (int)tokens[i + 1].number;
    if (tokens[i].op == CONDITION_ARGUMENT && tokens[i + 1].op == CONDITION_IS_CONST &&
        tokens[i + 2].op == CONDITION_NOT)
      guard.variable = (int)tokens[i].number;
  }
  return guard;
}

OutcomeSet outcome_finder_ask(OutcomeFinder *finder, Str op)
{
  uint32_t count;
  const TorchOutcome *all = symbolics_outcomes(finder->view.db, finder->torch, op, &count);
  OutcomeGuard *items = ARENA_ARRAY(&finder->kept, OutcomeGuard, count);
  OutcomeSet set = { items, 0 };
  for (uint32_t i = 0; i < count; i++) {
    if (outcome_applies(&all[i], finder->torch, finder->opset, (Str){ 0 }))
      items[set.count++] = guard_of(&all[i]);
  }
  return set;
}

/// Can the condition still be true?
static bool passes_guard(OutcomeFinder *finder, const OutcomeGuard *guard)
{
  int count = (int)finder->view.view.argument_count;
  if (guard->argument_count >= 0 && guard->argument_count != count)
    return false;
  return guard->variable < 0 ||
         (guard->variable < count && !dump_view_is_constant(&finder->view, (uint32_t)guard->variable));
}

/// One of each kind says enough of a node.
void outcome_finder_judge(OutcomeFinder *finder, Passes *passes, OutcomeSet set, Place node)
{
  uint32_t kinds = 0;
  dump_view_begin(&finder->view, node);
  for (uint32_t i = 0; i < set.count; i++) {
    const TorchOutcome *outcome = set.items[i].outcome;
    if ((kinds >> outcome->kind & 1) || !passes_guard(finder, &set.items[i]) ||
        condition_holds_of(&outcome->condition, &finder->view.view) != TRUTH_YES)
      continue;
    NodeFate fate = passes_fate(passes, node, NULL);
    if (fate == FATE_REMOVED)
      return;
    kinds |= 1u << outcome->kind;
    vec_push(&finder->found, (NodeOutcome){ .item = node.item, .fate = fate, .outcome = outcome });
  }
}

/// The first use of what a list is made for.
static bool through_list(const OutcomeFinder *finder, Place *use)
{
  Str op = walk_op(&finder->view.walk, *use);
  if (!str_equal(op, STR("prim::ListConstruct")) && !str_equal(op, STR("prim::TupleConstruct")))
    return true;
  Place list = walk_definition(&finder->view.walk, *use, 0);
  UseCursor cursor = dump_uses_behind(finder->view.walk.dump, list);
  return walk_next_use(&finder->view.walk, list, &cursor, use);
}

/// Is any of the nodes that use the value converted?
static bool is_needed(OutcomeFinder *finder, Passes *passes, Place definition)
{
  UseCursor cursor = dump_uses_behind(finder->view.walk.dump, definition);
  Place use;
  for (int i = 0; i < INPUT_USE_LIMIT && walk_next_use(&finder->view.walk, definition, &cursor, &use); i++) {
    if (walk_item(&finder->view.walk, use)->kind == ITEM_STATEMENT && through_list(finder, &use) &&
        walk_item(&finder->view.walk, use)->kind == ITEM_STATEMENT && passes_fate(passes, use, NULL) == FATE_CONVERTED)
      return true;
  }
  return false;
}

void outcome_finder_judge_inputs(OutcomeFinder *finder, Passes *passes, Place header)
{
  const Item *item = walk_item(&finder->view.walk, header);
  if (item->kind == ITEM_BLOCK_HEADER)
    return;
  for (uint32_t i = 0; i < item->def_count; i++) {
    Place definition = walk_definition(&finder->view.walk, header, i);
    if (str_starts_with(walk_type(&finder->view.walk, definition), STR("Complex")) &&
        is_needed(finder, passes, definition))
      vec_push(&finder->found, (NodeOutcome){ header.item, definition.occurrence, FATE_CONVERTED, NULL });
  }
}

const NodeOutcome *outcome_finder_take(OutcomeFinder *finder, uint32_t *ret_count)
{
  size_t count = finder->found.count;
  for (size_t i = 0; i < count / 2; i++) {
    NodeOutcome first = finder->found.items[i];
    finder->found.items[i] = finder->found.items[count - 1 - i];
    finder->found.items[count - 1 - i] = first;
  }
  *ret_count = (uint32_t)count;
  dump_view_forget(&finder->view);
  arena_done(&finder->scratch);
  const NodeOutcome *items = count > 0 ? vec_take(&finder->found) : NULL;
  if (count > 0)
    memset(&finder->found, 0, sizeof(finder->found));
  return items;
}
