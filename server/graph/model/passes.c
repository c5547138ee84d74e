// The fate of a node before conversion. Everything is asked on demand, from the node outwards, so that a large dump
// costs nothing where the registry takes every operator, and an edit does not walk the whole graph. Every walk has a
// budget; after it the node counts as live, which is nearly always right.

#include "base/limits.h"
#include "graph/model/part_writes.h"
#include "graph/model/passes_private.h"

Passes *passes_new(const Dump *dump, const SymbolicsDb *db)
{
  Passes *passes = xcalloc(1, sizeof(*passes));
  passes->walk.dump = dump;
  passes->db = db;
  return passes;
}

void passes_keep_trace(Passes *passes, Trace *trace)
{
  passes->walk.trace = trace;
}

void passes_forget(Passes *passes)
{
  marks_clear(&passes->ops);
  marks_clear(&passes->folds);
  marks_clear(&passes->values);
  marks_clear(&passes->dead_blocks);
  marks_clear(&passes->static_blocks);
}

void passes_free(Passes *passes)
{
  if (!passes)
    return;
  vec_free(&passes->steps);
  vec_free(&passes->met);
  vec_free(&passes->headers);
  marks_done(&passes->ops);
  marks_done(&passes->folds);
  marks_done(&passes->values);
  marks_done(&passes->dead_blocks);
  marks_done(&passes->static_blocks);
  free(passes);
}

/// `__and__`, `__is__` and their kin are pure; of the dunder names only those like `__iand__` work in place.
static bool is_pure_dunder(Str name)
{
  if (name.len < 5 || !str_starts_with(name, STR("__")) || !str_ends_with(name, STR("__")))
    return false;
  return name.data[2] != 'i' || str_equal(name, STR("__is__")) || str_equal(name, STR("__isnot__"));
}

static bool is_in_place_op(Str op, uint32_t tags)
{
  if (str_equal(op, STR("prim::SetAttr")))
    return true;
  if (!str_starts_with(op, STR("aten::")))
    return false;
  bool has_underscore = str_ends_with(op, STR("_")) && !is_pure_dunder(str_slice(op, 6, op.len));
  return has_underscore || (tags & TAG_LIST_MUTATION);
}

enum { TAGS_IN_PLACE = 1 << 16, TAGS_KNOWN = 1 << 17 };  ///< Beside those of TorchTag.

/// What is known of the operator of a line, which is looked up once for each chunk.
static uint32_t tags_of(Passes *passes, Place node)
{
  uint32_t number = walk_item(&passes->walk, node)->op;
  if (number == NO_OP)
    return 0;
  uint32_t tags = marks_get(&passes->ops, node.chunk, number);
  if (tags == 0) {
    Str op = walk_op(&passes->walk, node);
    tags = symbolics_torch_tags(passes->db, op) | TAGS_KNOWN;
    if (is_in_place_op(op, tags))
      tags |= TAGS_IN_PLACE;
    marks_set(&passes->ops, node.chunk, number, tags);
  }
  return tags;
}

bool passes_has_tag(Passes *passes, Place node, TorchTag tag)
{
  return tags_of(passes, node) & tag;
}

bool passes_works_in_place(Passes *passes, Place node)
{
  return tags_of(passes, node) & TAGS_IN_PLACE;
}

bool passes_is_if(Passes *passes, Place node)
{
  return str_equal(walk_op(&passes->walk, node), STR("prim::If"));
}

bool passes_has_blocks(Passes *passes, Place node)
{
  Place next;
  return walk_next(&passes->walk, node, &next) && walk_item(&passes->walk, next)->kind == ITEM_BLOCK_HEADER;
}

/// A question about every use of a value.
typedef struct UseScan {
  Passes *passes;
  Place node;
  Place definition;
  uint32_t count;  ///< Uses so far.
} UseScan;

static bool is_same_line(Place a, Place b)
{
  return a.chunk == b.chunk && a.item == b.item;
}

/// Whether it holds for all of them.
static bool scan_uses(UseScan *scan, bool (*holds)(const UseScan *scan, Place use))
{
  UseCursor cursor = dump_uses_after(scan->passes->walk.dump, scan->definition);
  for (Place use; walk_next_use(&scan->passes->walk, scan->definition, &cursor, &use); scan->count++) {
    if (scan->count == PASS_USE_BUDGET || !holds(scan, use))
      return false;
  }
  return true;
}

static bool is_unchanged_list_use(const UseScan *scan, Place use)
{
  return !passes_has_tag(scan->passes, use, TAG_LIST_MUTATION);
}

typedef enum FoldMark {
  FOLD_UNKNOWN,  ///< Also the answer where the expression is too large.
  FOLD_NO,
  FOLD_YES,
} FoldMark;

static FoldMark fold_value(Passes *passes, Place use, int depth);

/// Whether all of the values used on the line from the `first`-th on are foldable.
static FoldMark fold_inputs(Passes *passes, Place node, uint32_t first, int depth)
{
  FoldMark mark = FOLD_YES;
  uint32_t count = walk_use_count(&passes->walk, node);
  for (uint32_t i = first; i < count && mark == FOLD_YES; i++)
    mark = fold_value(passes, walk_use(&passes->walk, node, i), depth);
  return mark;
}

static FoldMark fold_node(Passes *passes, Place node, int depth)
{
  const GraphWalk *walk = &passes->walk;
  Str op = walk_op(walk, node);
  const Item *item = walk_item(walk, node);
  if (str_equal(op, STR("prim::Constant")))
    return FOLD_YES;
  if (item->kind != ITEM_STATEMENT || item->is_python_op || passes_works_in_place(passes, node) ||
      str_equal(op, STR("prim::GetAttr")) || passes_has_tag(passes, node, TAG_RANDOM) ||
      passes_has_blocks(passes, node))
    return FOLD_NO;
  bool is_list = str_equal(op, STR("prim::ListConstruct")) || str_equal(op, STR("prim::TupleConstruct"));
  UseScan scan = { .passes = passes, .definition = node };
  if ((is_list && !scan_uses(&scan, is_unchanged_list_use)) || (!is_list && walk_use_count(walk, node) == 0))
    return FOLD_NO;
  return fold_inputs(passes, node, 0, depth + 1);
}

/// Whether the value is made of constants alone, by deterministic operators. Then constant propagation computes it.
static FoldMark fold_value(Passes *passes, Place use, int depth)
{
  Place definition;
  if (!walk_find_definition(&passes->walk, use, &definition))
    return FOLD_NO;
  FoldMark mark = (FoldMark)marks_get(&passes->folds, definition.chunk, definition.occurrence);
  if (mark != FOLD_UNKNOWN || depth > PASS_CONSTANT_DEPTH || passes->budget == 0)
    return mark;
  passes->budget--;
  mark = fold_node(passes, definition, depth);
  if (mark != FOLD_UNKNOWN)
    marks_set(&passes->folds, definition.chunk, definition.occurrence, mark);
  return mark;
}

static bool are_foldable(Passes *passes, Place node, uint32_t first)
{
  passes->budget = PASS_FOLD_BUDGET;
  return fold_inputs(passes, node, first, 0) == FOLD_YES;
}

static bool is_folded(Passes *passes, Place node)
{
  return walk_use_count(&passes->walk, node) > 0 && walk_item(&passes->walk, node)->def_count > 0 &&
         !passes_has_blocks(passes, node) && !passes_works_in_place(passes, node) &&
         !passes_has_tag(passes, node, TAG_RANDOM) && are_foldable(passes, node, 0);
}

static bool is_same_block(Passes *passes, Place a, Place b)
{
  Place x;
  Place y;
  bool has_x = walk_enclosing_header(&passes->walk, a, &x);
  bool has_y = walk_enclosing_header(&passes->walk, b, &y);
  return has_x == has_y && (!has_x || is_same_line(x, y));
}

static bool is_not_read_before(const UseScan *scan, Place use)
{
  return !place_is_before(use, scan->node);
}

/// The first input was made in this block, by no view, and nobody looked at it since: the change is merged into it.
static bool has_fresh_target(Passes *passes, Place node)
{
  const GraphWalk *walk = &passes->walk;
  UseScan scan = { .passes = passes, .node = node };
  if (walk_use_count(walk, node) == 0 || !walk_find_definition(walk, walk_use(walk, node, 0), &scan.definition))
    return false;
  Str op = walk_op(walk, scan.definition);
  if (walk_item(walk, scan.definition)->kind != ITEM_STATEMENT || op.len == 0 ||
      passes_has_tag(passes, scan.definition, TAG_VIEW) || passes_works_in_place(passes, scan.definition) ||
      str_starts_with(op, STR("prim::")) || passes_has_blocks(passes, scan.definition) ||
      !is_same_block(passes, node, scan.definition))
    return false;
  return scan_uses(&scan, is_not_read_before);
}

static bool is_no_use(const UseScan *scan, Place use)
{
  (void)scan;
  (void)use;
  return false;
}

/// Does changing the value change none that has another name?
static bool is_alone(Passes *passes, Place definition)
{
  const GraphWalk *walk = &passes->walk;
  if (walk_item(walk, definition)->kind != ITEM_STATEMENT)
    return true;
  Str op = walk_op(walk, definition);
  return str_starts_with(op, STR("aten::")) && !passes_has_tag(passes, definition, TAG_VIEW) &&
         !passes_works_in_place(passes, definition);
}

/// Whether a tensor is changed that nobody looks at any more, and the result isn't used either: dead code to the
/// exporter.
static bool is_lost_change(Passes *passes, Place node)
{
  const GraphWalk *walk = &passes->walk;
  Place header;
  Place target;
  Place later;
  if (passes_has_tag(passes, node, TAG_LIST_MUTATION) || walk_item(walk, node)->def_count != 1 ||
      walk_use_count(walk, node) == 0 || walk_enclosing_header(walk, node, &header) ||
      !walk_find_definition(walk, walk_use(walk, node, 0), &target))
    return false;
  UseScan result = { .passes = passes, .definition = walk_definition(walk, node, 0) };
  UseCursor cursor = dump_uses_after(walk->dump, walk_use(walk, node, 0));
  return (is_alone(passes, target) || part_writes_to_own_value(walk, node)) && scan_uses(&result, is_no_use) &&
         !walk_next_use(walk, target, &cursor, &later);
}

/// Of the list mutations, popping and deleting are not rewritten.
static bool is_removable_list_mutation(Passes *passes, Place node)
{
  Str op = walk_op(&passes->walk, node);
  return passes_has_tag(passes, node, TAG_LIST_MUTATION) && !str_equal(op, STR("aten::pop")) &&
         !str_equal(op, STR("aten::Delete"));
}

static bool is_only_mutated_before(const UseScan *scan, Place use)
{
  const GraphWalk *walk = &scan->passes->walk;
  if (!place_is_before(use, scan->node))
    return true;
  bool is_target = use.occurrence == walk_item(walk, use)->first_occurrence + walk_item(walk, use)->def_count;
  return is_target && is_removable_list_mutation(scan->passes, use) && is_same_block(scan->passes, use, scan->node);
}

/// A list that is built on the spot: the mutation becomes one more element of its prim::ListConstruct.
static bool has_fresh_list(Passes *passes, Place node)
{
  const GraphWalk *walk = &passes->walk;
  UseScan scan = { .passes = passes, .node = node };
  if (walk_use_count(walk, node) == 0 || !walk_find_definition(walk, walk_use(walk, node, 0), &scan.definition) ||
      !str_equal(walk_op(walk, scan.definition), STR("prim::ListConstruct")) ||
      !is_same_block(passes, node, scan.definition))
    return false;
  if (!str_equal(walk_op(walk, node), STR("aten::append"))) {
    if (walk_use_count(walk, node) < 2 || !passes_is_known_value(passes, walk_use(walk, node, 1)))
      return false;
  }
  return scan_uses(&scan, is_only_mutated_before);
}

static bool is_list_unpack(const UseScan *scan, Place use)
{
  return str_equal(walk_op(&scan->passes->walk, use), STR("prim::ListUnpack"));
}

/// aten::chunk with its prim::ListUnpack is fused into one node with a fixed number of outputs.
static bool is_fused_chunk(Passes *passes, Place node)
{
  if (walk_item(&passes->walk, node)->def_count != 1)
    return false;
  UseScan scan = { .passes = passes, .definition = walk_definition(&passes->walk, node, 0) };
  return scan_uses(&scan, is_list_unpack) && scan.count == 1 && are_foldable(passes, node, 1);
}

static bool is_constant_item(const UseScan *scan, Place use)
{
  const GraphWalk *walk = &scan->passes->walk;
  scan->passes->budget = PASS_FOLD_BUDGET;
  return str_equal(walk_op(walk, use), STR("aten::__getitem__")) && walk_use_count(walk, use) > 1 &&
         fold_value(scan->passes, walk_use(walk, use, 1), 0) == FOLD_YES;
}

/// A dictionary that is only asked for constant keys is taken apart.
static bool is_plain_dictionary(Passes *passes, Place node)
{
  if (walk_item(&passes->walk, node)->def_count != 1)
    return false;
  UseScan scan = { .passes = passes, .definition = walk_definition(&passes->walk, node, 0) };
  return scan_uses(&scan, is_constant_item) && scan.count > 0;
}

static bool condition_holds(Passes *passes, Place node, PassCondition condition)
{
  switch (condition) {
  case PASS_ALWAYS:
    return true;
  case PASS_CONSTANT_KEYS:
    return is_plain_dictionary(passes, node);
  case PASS_LOCAL_LIST:
    return has_fresh_list(passes, node);
  case PASS_TARGET_FRESH:
    return has_fresh_target(passes, node);
  case PASS_TARGET_NOT_FRESH:
    return !has_fresh_target(passes, node);
  case PASS_UNPACKED_AT_ONCE:
    return is_fused_chunk(passes, node);
  }
  return false;
}

static bool has_converted_namespace(Str op)
{
  return str_starts_with(op, STR("aten::")) || str_starts_with(op, STR("quantized::")) ||
         str_starts_with(op, STR("torchvision::"));
}

NodeFate passes_fate(Passes *passes, Place node, const PassNote *note)
{
  Str op = walk_op(&passes->walk, node);
  if (passes_is_in_dead_block(passes, node) || !passes_is_live(passes, node))
    return FATE_REMOVED;
  if (passes_works_in_place(passes, node) && str_starts_with(op, STR("aten::")) && is_lost_change(passes, node))
    return FATE_REMOVED;
  if (note && condition_holds(passes, node, note->condition))
    return FATE_REMOVED;
  // Other prim nodes are mostly rewritten by what is around them, and a user may register any other namespace.
  if (!has_converted_namespace(op) || (note && note->condition == PASS_TARGET_NOT_FRESH))
    return FATE_UNSURE;
  if (is_folded(passes, node))
    return FATE_REMOVED;
  return passes_is_in_static_if(passes, node) ? FATE_UNSURE : FATE_CONVERTED;
}
