#include "graph/model/node_outcomes.h"

#include "base/limits.h"

void outcome_finder_init(OutcomeFinder *finder, const Dump *dump, const SymbolicsDb *db, uint32_t torch,
                         const Target *target, Trace *trace)
{
  finder->view.walk = (GraphWalk){ dump, trace };
  finder->view.db = db;
  finder->view.arena = &finder->scratch;
  finder->torch = torch;
  finder->opset = target->opset;
  finder->runtime = target->measured_runtime;
}

void outcome_finder_done(OutcomeFinder *finder)
{
  vec_free(&finder->found);
  dump_view_done(&finder->view);
  arena_done(&finder->kept);
  arena_done(&finder->scratch);
}

/// The part that wants element types of the first argument; NULL if none does.
static const ConditionPart *type_part(const OutcomeGuard *guard)
{
  for (uint32_t i = 0; i < guard->part_count; i++) {
    if (guard->parts[i].kind == PART_DTYPE && guard->parts[i].argument == 0)
      return &guard->parts[i];
  }
  return NULL;
}

/// The element types that one of them wants of the first argument.
static uint32_t wanted_types(const OutcomeGuard *guards, uint32_t count)
{
  uint32_t dtypes = 0;
  for (uint32_t i = 0; i < count; i++) {
    const ConditionPart *part = type_part(&guards[i]);
    dtypes |= part ? part->dtypes : 0;
  }
  return dtypes;
}

static uint32_t add_guards(OutcomeGuard *to, const OutcomeGuard *from, uint32_t count, bool is_typed,
                           GlanceTestVec *tests)
{
  uint32_t added = 0;
  for (uint32_t i = 0; i < count; i++) {
    if ((type_part(&from[i]) != NULL) != is_typed)
      continue;
    if (is_typed && added == 0)
      glance_add_types(tests, wanted_types(from, count));
    to[added] = from[i];
    to[added++].first_test = (uint32_t)tests->count;
    glance_add_condition(tests, from[i].parts, from[i].part_count);
  }
  return added;
}

/// Whether it is about writes into what others see, which only operators do that work in place.
static bool is_of_writes(const OutcomeGuard *guard)
{
  for (uint32_t i = 0; i < guard->part_count; i++) {
    if (guard->parts[i].kind == PART_WRITE)
      return true;
  }
  return false;
}

OutcomeSet outcome_finder_ask(OutcomeFinder *finder, Str op)
{
  uint32_t count, found = 0;
  const TorchOutcome *all = symbolics_outcomes(finder->view.db, finder->torch, op, &count);
  OutcomeGuard *guards = ARENA_ARRAY(&finder->kept, OutcomeGuard, count);
  OutcomeGuard *items = ARENA_ARRAY(&finder->kept, OutcomeGuard, count);
  for (uint32_t i = 0; i < count; i++) {
    if (!outcome_applies(&all[i], finder->torch, finder->opset, finder->runtime))
      continue;
    OutcomeGuard *guard = &guards[found++];
    guard->outcome = &all[i];
    guard->parts = condition_parts(&all[i].condition, &finder->kept, &guard->part_count);
  }
  GlanceTestVec tests = { 0 };
  uint32_t untyped = add_guards(items, guards, found, false, &tests);
  add_guards(items + untyped, guards, found, true, &tests);
  OutcomeSet set = { items, found, glance_tests(&tests, &finder->kept) };
  vec_free(&tests);
  return set;
}

void outcome_finder_judge_few(OutcomeFinder *finder, bool is_few)
{
  finder->view.is_sparse = is_few;
}

bool outcome_finder_may_judge(OutcomeFinder *finder, const OutcomeSet *set, Place node)
{
  return glance_may_hold(&finder->view, node, set->tests);
}

static bool holds(OutcomeFinder *finder, const OutcomeGuard *guard)
{
  for (uint32_t i = 0; i < guard->part_count; i++) {
    if (outcome_condition_holds(&guard->parts[i].condition, &finder->view.view) != TRUTH_YES)
      return false;
  }
  return true;
}

typedef struct FoldSearch {
  const GraphWalk *walk;
  uint32_t budget;  ///< Nodes that may still be looked at.
  bool has_parameter;
} FoldSearch;

/// Whether the node at a place works on nothing but parameters, constants and sizes.
static bool is_of_parameters(FoldSearch *search, Place node)
{
  uint32_t count = walk_use_count(search->walk, node);
  for (uint32_t i = 0; i < count; i++) {
    Place definition;
    if (search->budget-- == 0 || !walk_find_definition(search->walk, walk_use(search->walk, node, i), &definition) ||
        walk_item(search->walk, definition)->kind != ITEM_STATEMENT) {
      search->budget = 0;
      return false;
    }
    Str op = walk_op(search->walk, definition);
    search->has_parameter |= str_equal(op, STR("prim::GetAttr"));
    bool is_known = str_equal(op, STR("prim::GetAttr")) || str_equal(op, STR("aten::size"));
    if (!is_known && !is_of_parameters(search, definition))
      return false;
  }
  return count > 0 || str_equal(walk_op(search->walk, node), STR("prim::Constant"));
}

/// Whether the exporter may compute the node before it writes the model, as it does with what works on parameters:
/// then no runtime ever sees it.
static bool may_be_folded(const OutcomeFinder *finder, Place node)
{
  FoldSearch search = { &finder->view.walk, FOLD_SEARCH_BUDGET, false };
  return is_of_parameters(&search, node) && search.has_parameter;
}

/// One of each group says enough of a node.
void outcome_finder_judge(OutcomeFinder *finder, Passes *passes, const OutcomeSet *set, Place node)
{
  uint32_t groups = 0;
  dump_view_begin(&finder->view, node);
  for (uint32_t i = 0; i < set->count; i++) {
    const OutcomeGuard *guard = &set->items[i];
    const TorchOutcome *outcome = guard->outcome;
    if ((groups >> outcome_group(outcome) & 1) ||
        glance_rules_out(&finder->view, node, set->tests, guard->first_test) || !holds(finder, guard))
      continue;
    if (outcome->kind == OUTCOME_NO_KERNEL && may_be_folded(finder, node))
      continue;
    NodeFate fate = passes_fate(passes, node, NULL);
    if (fate == FATE_REMOVED && outcome->kind == OUTCOME_WRONG && is_of_writes(guard))
      fate = FATE_CONVERTED;  // That the write is removed is what is wrong with it.
    if (fate == FATE_REMOVED)
      return;
    groups |= 1u << outcome_group(outcome);
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
  UseCursor cursor = dump_uses_after(finder->view.walk.dump, list);
  return walk_next_use(&finder->view.walk, list, &cursor, use);
}

/// Whether any of the nodes that use the value is converted, or the graph returns it, if that counts.
static bool is_needed(OutcomeFinder *finder, Passes *passes, Place definition, bool counts_return)
{
  UseCursor cursor = dump_uses_after(finder->view.walk.dump, definition);
  Place use;
  for (int i = 0; i < INPUT_USE_LIMIT && walk_next_use(&finder->view.walk, definition, &cursor, &use); i++) {
    if (walk_item(&finder->view.walk, use)->kind == ITEM_STATEMENT && !through_list(finder, &use))
      continue;
    ItemKind kind = walk_item(&finder->view.walk, use)->kind;
    if ((kind == ITEM_RETURN && counts_return) ||
        (kind == ITEM_STATEMENT && passes_fate(passes, use, NULL) == FATE_CONVERTED))
      return true;
  }
  return false;
}

static NodeOutcome complex_value(Place node, Place definition)
{
  return (NodeOutcome){ .item = node.item, .occurrence = definition.occurrence, .fate = FATE_CONVERTED };
}

void outcome_finder_judge_inputs(OutcomeFinder *finder, Passes *passes, Place header)
{
  const Item *item = walk_item(&finder->view.walk, header);
  if (item->kind == ITEM_BLOCK_HEADER)
    return;
  for (uint32_t i = 0; i < item->def_count; i++) {
    Place definition = walk_definition(&finder->view.walk, header, i);
    if (str_starts_with(walk_type(&finder->view.walk, definition), STR("Complex")) &&
        is_needed(finder, passes, definition, false))
      vec_push(&finder->found, complex_value(header, definition));
  }
}

void outcome_finder_judge_constant(OutcomeFinder *finder, Passes *passes, Place node)
{
  Place definition = walk_definition(&finder->view.walk, node, 0);
  const ChunkState *chunk = finder->view.walk.dump->chunks[node.chunk];
  const Occurrence *occurrence = &chunk->index->occurrences[definition.occurrence];
  size_t end = occurrence->start + chunk->index->symbols[occurrence->symbol].len;
  Str after = str_slice(chunk_text(chunk), end, end + STR(" : Complex").len);
  bool is_complex = str_equal(after, STR(" : Complex")) || str_starts_with(after, STR(" : complex"));
  if (!is_complex)
    return;
  bool is_constant = str_equal(walk_op(&finder->view.walk, node), STR("prim::Constant"));
  if ((is_constant || passes_fate(passes, node, NULL) == FATE_REMOVED) && is_needed(finder, passes, definition, true))
    vec_push(&finder->found, complex_value(node, definition));
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
