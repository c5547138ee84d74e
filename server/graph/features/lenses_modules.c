// Lenses above the modules of a dump: what a graph's lens says, of the nodes in each. A module that is left and entered
// again has one wherever it goes on. Inputs are those of the graph, and attributes of modules; each counts once.

#include "base/limits.h"
#include "base/search.h"
#include "graph/features/graph_features.h"
#include "graph/features/lens_counts.h"
#include "graph/features/picture_tree.h"
#include "graph/model/refusals.h"
#include "graph/model/snapshot_dump.h"

typedef struct ModuleCounter {
  const FeatureContext *context;
  const PictureTree *tree;
  GraphWalk walk;
  uint32_t *nodes_before;    ///< By leaf.
  uint32_t *refused_before;  ///< By leaf.
  uint32_t *used_before;     ///< By use: the leaf that took the same value last, and one more; 0 for none.
} ModuleCounter;

static void count_refused(ModuleCounter *counter)
{
  const PictureTree *tree = counter->tree;
  const Refusals *refusals = snapshot_refusals(counter->context->snapshot);
  for (uint32_t c = 0; c < counter->walk.dump->chunk_count; c++) {
    const RefusalList *list = refusals->chunks[c];
    for (uint32_t i = 0; list && i < list->count; i++) {
      Place place = { .chunk = c, .item = list->items[i].item };
      uint32_t leaf;
      SEARCH_FIRST(leaf, 0, tree->leaf_count, place_is_before(tree->leaves[leaf].place, place));
      counter->refused_before[leaf + 1] += list->items[i].fate == FATE_CONVERTED && leaf < tree->leaf_count;
    }
  }
}

/// Sums of what is before each leaf, so that a module costs two look-ups.
static void sum_leaves(ModuleCounter *counter)
{
  const PictureTree *tree = counter->tree;
  count_refused(counter);
  for (uint32_t i = 0; i < tree->leaf_count; i++) {
    bool is_node = walk_item(&counter->walk, tree->leaves[i].place)->kind == ITEM_STATEMENT &&
                   walk_op(&counter->walk, tree->leaves[i].place).len > 0;
    counter->nodes_before[i + 1] = counter->nodes_before[i] + is_node;
    counter->refused_before[i + 1] += counter->refused_before[i];
  }
}

static void find_earlier_uses(ModuleCounter *counter)
{
  const PictureTree *tree = counter->tree;
  uint32_t *last = ARENA_ARRAY(counter->context->arena, uint32_t, tree->leaf_count);
  for (uint32_t i = 0; i < tree->leaf_count; i++) {
    for (uint32_t u = tree->leaves[i].first_use; u < tree->leaves[i + 1].first_use; u++) {
      counter->used_before[u] = last[tree->uses[u].leaf];
      last[tree->uses[u].leaf] = i + 1;
    }
  }
}

/// A value that comes into the graph: from its header, or as an attribute of a module.
static bool is_input(const ModuleCounter *counter, const Leaf *leaf)
{
  const Item *item = walk_item(&counter->walk, leaf->place);
  if (leaf->kind == CARD_INPUT)
    return item->kind != ITEM_BLOCK_HEADER;
  return item->kind == ITEM_STATEMENT && str_equal(walk_op(&counter->walk, leaf->place), STR("prim::GetAttr"));
}

static uint64_t nodes_in(const ModuleCounter *counter, const TreeScope *scope)
{
  return counter->nodes_before[scope->end_leaf] - counter->nodes_before[scope->first_leaf];
}

static LensCounts count_scope(const ModuleCounter *counter, const TreeScope *scope)
{
  const PictureTree *tree = counter->tree;
  LensCounts counts = {
    .nodes = nodes_in(counter, scope),
    .refused = counter->refused_before[scope->end_leaf] - counter->refused_before[scope->first_leaf],
  };
  uint32_t end = tree->leaves[scope->end_leaf].first_use;
  for (uint32_t u = tree->leaves[scope->first_leaf].first_use; u < end; u++) {
    const LeafUse *use = &tree->uses[u];
    bool is_first = counter->used_before[u] <= scope->first_leaf;
    if (is_first && is_input(counter, &tree->leaves[use->leaf]))
      lens_counts_add(counter->context, &counter->walk, use->definition, &counts);
  }
  return counts;
}

/// What holds all that is in the graph or module around it says nothing new.
static bool is_worth_a_lens(const ModuleCounter *counter, const TreeScope *scope, const LensCounts *counts)
{
  const TreeScope *parent = scope->parent == NO_SCOPE ? NULL : &counter->tree->scopes[scope->parent];
  if (parent && parent->has_part && nodes_in(counter, parent) == counts->nodes)
    return false;
  return counts->nodes >= LENS_MODULE_NODES || counts->refused > 0;
}

static void add_module(const ModuleCounter *counter, const TreeScope *scope, LensVec *lenses)
{
  Arena *arena = counter->context->arena;
  LensCounts counts = count_scope(counter, scope);
  if (!is_worth_a_lens(counter, scope, &counts))
    return;
  const ScopePart *module = &scope->part.module;
  Str title = lens_counts_title(&counts, arena);
  Str name = module->path.len > 0 ? module->path : module->type;
  Range line = dump_line_content(snapshot_document(counter->context->snapshot), scope->part.first_line);
  vec_push(lenses, (Lens){ .range = line, .title = arena_printf(arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(title)) });
}

void lens_add_modules(const FeatureContext *context, LensVec *lenses)
{
  if (document_line_count(snapshot_document(context->snapshot)) > LENS_MODULE_LINES)
    return;
  const PictureTree *tree = picture_tree_of(context);
  if (!tree)
    return;
  ModuleCounter counter = { .context = context, .tree = tree, .walk = { .dump = snapshot_dump(context->snapshot) } };
  counter.nodes_before = ARENA_ARRAY(context->arena, uint32_t, (size_t)tree->leaf_count + 2);
  counter.refused_before = ARENA_ARRAY(context->arena, uint32_t, (size_t)tree->leaf_count + 2);
  counter.used_before = ARENA_ARRAY(context->arena, uint32_t, (size_t)tree->use_count + 1);
  sum_leaves(&counter);
  find_earlier_uses(&counter);
  for (uint32_t i = 0; i < tree->scope_count && lenses->count < LENS_LIMIT && !feature_is_cancelled(context); i++) {
    const TreeScope *scope = &tree->scopes[i];
    if (scope->has_part && scope->part.kind == PART_MODULE)
      add_module(&counter, scope, lenses);
  }
}
