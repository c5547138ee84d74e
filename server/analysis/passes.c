// The fate of a node before conversion. Everything is asked on demand, from the node outwards, so that a large dump
// costs nothing where the registry takes every operator, and an edit does not walk the whole graph. Every walk has a
// budget; behind it the node counts as live, which is nearly always right.

#include "analysis/passes.h"

#include "base/map.h"
#include "base/vec.h"

enum {
  CONSTANT_DEPTH = 24,   ///< Of an expression that decides an If or is folded.
  LIVE_BUDGET = 1000,    ///< Values followed from a node towards the graph's outputs.
  DATA_BUDGET = 1000,    ///< Values followed from a condition back to the graph's inputs.
  FOLD_BUDGET = 1000,
};

typedef enum Tristate {
  UNKNOWN,
  FALSE,
  TRUE,
} Tristate;

/// A value known before the export: what prim::Constant prints, or what comparisons of those give.
typedef struct Constant {
  enum { NOT_CONSTANT, NONE, BOOLEAN, NUMBER, TEXT } kind;
  double number;  ///< BOOLEAN (0 or 1) and NUMBER.
  Str text;
} Constant;

struct Passes {
  GraphWalk walk;
  Map *live;      ///< Values that are known to be live.
  uint32_t budget;
};

Passes *passes_new(const Dump *dump)
{
  Passes *passes = xcalloc(1, sizeof(*passes));
  graph_walk_init(&passes->walk, dump);
  passes->live = map_new();
  return passes;
}

void passes_free(Passes *passes)
{
  if (!passes)
    return;
  graph_walk_done(&passes->walk);
  map_free(passes->live);
  free(passes);
}

static bool has_tag(Str op, TorchTag tag)
{
  return symbolics_torch_tags(symbolics_embedded(), op) & tag;
}

/// `__and__`, `__is__` and their kin are pure; of the dunder names only those like `__iand__` work in place.
static bool is_pure_dunder(Str name)
{
  if (name.len < 5 || !str_starts_with(name, STR("__")) || !str_ends_with(name, STR("__")))
    return false;
  return name.data[2] != 'i' || str_equal(name, STR("__is__")) || str_equal(name, STR("__isnot__"));
}

/// Changes its first input, so that dead code elimination keeps it: `aten::add_`, `aten::append`, prim::SetAttr.
static bool works_in_place(Str op)
{
  if (str_equal(op, STR("prim::SetAttr")))
    return true;
  if (!str_starts_with(op, STR("aten::")))
    return false;
  bool has_underscore = str_ends_with(op, STR("_")) && !is_pure_dunder(str_slice(op, 6, op.len));
  return has_underscore || has_tag(op, TAG_LIST_MUTATION);
}

// --- Constants ---

static Constant constant_of_use(Passes *passes, Place use, int depth);

static Constant boolean(bool value)
{
  return (Constant){ .kind = BOOLEAN, .number = value };
}

static Constant parse_constant(Str type, Str attributes)
{
  if (attributes.len == 0)
    return (Constant){ .kind = NONE };
  if (!str_starts_with(attributes, STR("value=")))
    return (Constant){ 0 };
  Str value = str_slice(attributes, 6, attributes.len);
  if (str_equal(type, STR("bool")))
    return boolean(str_equal(value, STR("1")));
  if (str_equal(type, STR("str")))
    return (Constant){ .kind = TEXT, .text = value };
  if ((!str_equal(type, STR("int")) && !str_equal(type, STR("float"))) || value.len == 0 || value.len > 40)
    return (Constant){ 0 };
  char text[48];
  memcpy(text, value.data, value.len);
  text[value.len] = '\0';
  char *end;
  double number = strtod(text, &end);
  return *end == '\0' ? (Constant){ .kind = NUMBER, .number = number } : (Constant){ 0 };
}

/// A type of which no value can be None.
static bool excludes_none(Str type)
{
  if (type.len == 0 || type.data[type.len - 1] == '?' || str_equal(type, STR("NoneType")) || str_equal(type, STR("Any")))
    return false;
  bool is_variable = type.data[0] == 't' && type.len <= 4;
  return !is_variable && !str_starts_with(type, STR("Union"));
}

/// `__is__` and `__isnot__` with None.
static Constant compare_with_none(Passes *passes, Place node, bool is_not, int depth)
{
  if (walk_use_count(&passes->walk, node) != 2)
    return (Constant){ 0 };
  Constant sides[2];
  for (uint32_t i = 0; i < 2; i++)
    sides[i] = constant_of_use(passes, walk_use(&passes->walk, node, i), depth);
  if (sides[0].kind == NONE && sides[1].kind == NONE)
    return boolean(!is_not);
  for (uint32_t i = 0; i < 2; i++) {
    Place definition;
    if (sides[1 - i].kind == NONE && walk_find_definition(&passes->walk, walk_use(&passes->walk, node, i), &definition) &&
        excludes_none(walk_type(&passes->walk, definition)))
      return boolean(is_not);
  }
  return (Constant){ 0 };
}

static Constant compare(Str name, Constant a, Constant b)
{
  if (a.kind == TEXT && b.kind == TEXT) {
    if (str_equal(name, STR("eq")))
      return boolean(str_equal(a.text, b.text));
    return str_equal(name, STR("ne")) ? boolean(!str_equal(a.text, b.text)) : (Constant){ 0 };
  }
  if (a.kind < BOOLEAN || b.kind < BOOLEAN || a.kind == TEXT || b.kind == TEXT)
    return (Constant){ 0 };
  if (str_equal(name, STR("eq")))
    return boolean(a.number == b.number);
  if (str_equal(name, STR("ne")))
    return boolean(a.number != b.number);
  if (str_equal(name, STR("lt")))
    return boolean(a.number < b.number);
  if (str_equal(name, STR("le")))
    return boolean(a.number <= b.number);
  if (str_equal(name, STR("gt")))
    return boolean(a.number > b.number);
  if (str_equal(name, STR("ge")))
    return boolean(a.number >= b.number);
  return (Constant){ 0 };
}

static Constant constant_of_logic(Passes *passes, Place node, Str name, int depth)
{
  uint32_t count = walk_use_count(&passes->walk, node);
  Constant a = count > 0 ? constant_of_use(passes, walk_use(&passes->walk, node, 0), depth) : (Constant){ 0 };
  Constant b = count > 1 ? constant_of_use(passes, walk_use(&passes->walk, node, 1), depth) : (Constant){ 0 };
  if (str_equal(name, STR("__not__")))
    return a.kind == BOOLEAN ? boolean(!a.number) : (Constant){ 0 };
  bool is_and = str_equal(name, STR("__and__"));
  if (is_and || str_equal(name, STR("__or__"))) {
    double decides = is_and ? 0 : 1;
    if ((a.kind == BOOLEAN && a.number == decides) || (b.kind == BOOLEAN && b.number == decides))
      return boolean(!is_and);
    return a.kind == BOOLEAN && b.kind == BOOLEAN ? boolean(is_and) : (Constant){ 0 };
  }
  return compare(name, a, b);
}

static Constant constant_of_if(Passes *passes, Place node, uint32_t output, int depth)
{
  Constant condition = constant_of_use(passes, walk_use(&passes->walk, node, 0), depth);
  Place taken;
  if (condition.kind != BOOLEAN || !walk_block_return(&passes->walk, node, condition.number ? 0 : 1, &taken) ||
      output >= walk_use_count(&passes->walk, taken))
    return (Constant){ 0 };
  return constant_of_use(passes, walk_use(&passes->walk, taken, output), depth);
}

static Constant constant_of_use(Passes *passes, Place use, int depth)
{
  Place definition;
  if (depth > CONSTANT_DEPTH || passes->budget == 0 || !walk_find_definition(&passes->walk, use, &definition))
    return (Constant){ 0 };
  passes->budget--;
  Str op = walk_op(&passes->walk, definition);
  Str attributes = walk_attributes(&passes->walk, definition);
  uint32_t uses = walk_use_count(&passes->walk, definition);
  if (str_equal(op, STR("prim::Constant")))
    return parse_constant(walk_type(&passes->walk, definition), attributes);
  // An export puts the model into evaluation mode unless it is told otherwise.
  if (str_equal(op, STR("prim::GetAttr")) && str_equal(attributes, STR("name=\"training\"")))
    return boolean(false);
  if (str_equal(op, STR("prim::unchecked_cast")) && uses > 0)
    return constant_of_use(passes, walk_use(&passes->walk, definition, 0), depth + 1);
  if (str_equal(op, STR("prim::If")) && uses > 0)
    return constant_of_if(passes, definition,
                          definition.occurrence - walk_item(&passes->walk, definition)->first_occurrence, depth + 1);
  if (str_equal(op, STR("aten::__is__")) || str_equal(op, STR("aten::__isnot__")))
    return compare_with_none(passes, definition, op.len == 15, depth + 1);
  if (str_starts_with(op, STR("aten::")))
    return constant_of_logic(passes, definition, str_slice(op, 6, op.len), depth + 1);
  return (Constant){ 0 };
}

/// What an If's condition is, if it is known before the export.
static Tristate condition_of(Passes *passes, Place owner)
{
  if (walk_use_count(&passes->walk, owner) == 0)
    return UNKNOWN;
  passes->budget = FOLD_BUDGET;
  Constant condition = constant_of_use(passes, walk_use(&passes->walk, owner, 0), 0);
  if (condition.kind != BOOLEAN)
    return UNKNOWN;
  return condition.number ? TRUE : FALSE;
}

// --- Branches ---

static bool is_if(Passes *passes, Place node)
{
  return str_equal(walk_op(&passes->walk, node), STR("prim::If"));
}

static bool is_dead_block(Passes *passes, Place header)
{
  Place owner;
  if (!walk_owner(&passes->walk, header, &owner) || !is_if(passes, owner))
    return false;
  Tristate condition = condition_of(passes, owner);
  return condition == (walk_block_number(&passes->walk, header) == 0 ? FALSE : TRUE);
}

/// Does the line stand in a branch that a constant switches off?
static bool is_in_dead_block(Passes *passes, Place place)
{
  Place header;
  for (Place at = place; walk_enclosing_header(&passes->walk, at, &header); at = header) {
    if (is_dead_block(passes, header))
      return true;
  }
  return false;
}

typedef Vec(Place) PlaceStack;

/// Pushes the values that the value at `definition` is computed from; true if it is tensor data itself.
static bool push_origins(Passes *passes, Place definition, PlaceStack *stack)
{
  const GraphWalk *walk = &passes->walk;
  const Item *item = walk_item(walk, definition);
  Str op = walk_op(walk, definition);
  if (item->kind != ITEM_STATEMENT || item->is_python_op || str_equal(op, STR("prim::Loop")) ||
      str_starts_with(op, STR("prim::Call")))
    return true;  // Inputs of graphs and blocks, and what only running the model tells.
  if (has_tag(op, TAG_METADATA))
    return false;
  for (uint32_t i = 0; i < walk_use_count(walk, definition); i++)
    vec_push(stack, walk_use(walk, definition, i));
  Place result;
  uint32_t output = definition.occurrence - item->first_occurrence;
  for (uint32_t block = 0; block < 2 && is_if(passes, definition); block++) {
    if (walk_block_return(walk, definition, block, &result) && output < walk_use_count(walk, result))
      vec_push(stack, walk_use(walk, result, output));
  }
  return false;
}

/// Does the value used at `use` depend on a tensor's data? If not, shapes and attributes decide it during the export.
static bool depends_on_data(Passes *passes, Place use)
{
  PlaceStack stack = { 0 };
  bool depends = false;
  vec_push(&stack, use);
  for (uint32_t budget = DATA_BUDGET; stack.count > 0 && !depends; budget--) {
    Place definition;
    Place next = stack.items[--stack.count];
    if (walk_find_definition(&passes->walk, next, &definition))
      depends = push_origins(passes, definition, &stack);
    if (budget == 0)
      depends = true;
  }
  vec_free(&stack);
  return depends;
}

/// Does the node stand in an If that is folded, or not, by what the text does not show?
static bool is_in_static_if(Passes *passes, Place node)
{
  Place header;
  Place owner;
  for (Place at = node; walk_enclosing_header(&passes->walk, at, &header); at = header) {
    if (walk_owner(&passes->walk, header, &owner) && is_if(passes, owner) && condition_of(passes, owner) == UNKNOWN &&
        walk_use_count(&passes->walk, owner) > 0 && !depends_on_data(passes, walk_use(&passes->walk, owner, 0)))
      return true;
  }
  return false;
}

// --- Dead code ---

typedef struct LiveSearch {
  Passes *passes;
  PlaceStack stack;    ///< Definitions whose uses are still to be looked at.
  Map *seen;
  bool is_live;
} LiveSearch;

static Str key_of(const Place *definition)
{
  return str_make((const char *)definition, sizeof(*definition));
}

static void push_definition(LiveSearch *search, Place definition)
{
  if (map_get(search->passes->live, key_of(&definition)))
    search->is_live = true;
  else if (!map_put(search->seen, key_of(&definition), search))
    vec_push(&search->stack, definition);
}

static void push_outputs(LiveSearch *search, Place node)
{
  const GraphWalk *walk = &search->passes->walk;
  for (uint32_t i = walk_item(walk, node)->def_count; i-- > 0;)
    push_definition(search, walk_definition(walk, node, i));
}

/// Does a node's body hold something that dead code elimination keeps?
static bool body_is_kept(Passes *passes, Place owner)
{
  uint16_t indent = walk_item(&passes->walk, owner)->indent;
  Place at = owner;
  for (uint32_t budget = LIVE_BUDGET; budget > 0 && walk_next(&passes->walk, at, &at); budget--) {
    const Item *item = walk_item(&passes->walk, at);
    if (item->indent <= indent || item->kind == ITEM_RETURN)
      return false;
    if (item->kind == ITEM_STATEMENT && works_in_place(walk_op(&passes->walk, at)) && !is_in_dead_block(passes, at))
      return true;
  }
  return false;
}

static bool has_blocks(Passes *passes, Place node)
{
  Place next;
  return walk_next(&passes->walk, node, &next) && walk_item(&passes->walk, next)->kind == ITEM_BLOCK_HEADER;
}

/// A value that a block returns lives on as an output of the node around it: of an If the same one, else any.
static void follow_block_return(LiveSearch *search, Place use)
{
  const GraphWalk *walk = &search->passes->walk;
  Place header;
  Place owner;
  if (!walk_enclosing_header(walk, use, &header) || !walk_owner(walk, header, &owner)) {
    search->is_live = true;
    return;
  }
  uint32_t i = use.occurrence - walk_item(walk, use)->first_occurrence;
  if (!is_if(search->passes, owner)) {
    push_outputs(search, owner);
    search->is_live |= body_is_kept(search->passes, owner);
  } else if (i < walk_item(walk, owner)->def_count) {
    push_definition(search, walk_definition(walk, owner, i));
  }
}

static bool follow_use(Place use, bool is_definition, void *context)
{
  LiveSearch *search = context;
  Passes *passes = search->passes;
  if (is_definition || is_in_dead_block(passes, use))
    return true;
  switch ((ItemKind)walk_item(&passes->walk, use)->kind) {
  case ITEM_STATEMENT:
    search->is_live |= works_in_place(walk_op(&passes->walk, use));
    push_outputs(search, use);
    if (has_blocks(passes, use))
      search->is_live |= body_is_kept(passes, use);
    break;
  case ITEM_BLOCK_RETURN:
    follow_block_return(search, use);
    break;
  default:
    search->is_live = true;
    break;
  }
  return !search->is_live;
}

/// Is the node needed for an output of the graph, or for an operator that works in place?
static bool is_live(Passes *passes, Place node)
{
  const Graph *graph = &passes->walk.dump->graphs[walk_graph(&passes->walk, node)];
  if (!(graph->flags & SEGMENT_RETURN) || works_in_place(walk_op(&passes->walk, node)))
    return true;  // A dump that was cut off does not show what its end needs.
  LiveSearch search = { .passes = passes, .seen = map_new() };
  push_outputs(&search, node);
  uint32_t budget = LIVE_BUDGET;
  while (search.stack.count > 0 && !search.is_live) {
    Place definition = search.stack.items[--search.stack.count];
    dump_each_occurrence(passes->walk.dump, walk_graph(&passes->walk, definition),
                         walk_name(&passes->walk, definition), follow_use, &search);
    search.is_live |= budget-- == 0;
  }
  for (uint32_t i = 0; search.is_live && i < walk_item(&passes->walk, node)->def_count; i++) {
    Place definition = walk_definition(&passes->walk, node, i);
    map_put(passes->live, key_of(&definition), passes);
  }
  map_free(search.seen);
  vec_free(&search.stack);
  return search.is_live;
}

// --- Folding and rewriting ---

typedef struct UseScan {
  const Passes *passes;
  Place node;
  Place definition;
  bool holds;
  uint32_t count;
} UseScan;

static bool is_earlier(Place a, Place b)
{
  return a.chunk != b.chunk ? a.chunk < b.chunk : a.item < b.item;
}

static bool is_same_line(Place a, Place b)
{
  return a.chunk == b.chunk && a.item == b.item;
}

static bool is_unchanged_list_use(Place use, bool is_definition, void *context)
{
  UseScan *scan = context;
  if (!is_definition && has_tag(walk_op(&scan->passes->walk, use), TAG_LIST_MUTATION))
    scan->holds = false;
  return scan->holds;
}

static bool scan_uses(UseScan *scan, bool (*visit)(Place, bool, void *))
{
  const GraphWalk *walk = &scan->passes->walk;
  scan->holds = true;
  dump_each_occurrence(walk->dump, walk_graph(walk, scan->definition), walk_name(walk, scan->definition), visit, scan);
  return scan->holds;
}

/// Is the value made of constants alone, by deterministic operators? Then constant propagation computes it.
static bool is_foldable_value(Passes *passes, Place use, int depth)
{
  const GraphWalk *walk = &passes->walk;
  Place definition;
  if (depth > CONSTANT_DEPTH || passes->budget == 0 || !walk_find_definition(walk, use, &definition))
    return false;
  passes->budget--;
  Str op = walk_op(walk, definition);
  const Item *item = walk_item(walk, definition);
  if (str_equal(op, STR("prim::Constant")))
    return true;
  if (item->kind != ITEM_STATEMENT || item->is_python_op || works_in_place(op) || str_equal(op, STR("prim::GetAttr")) ||
      has_tag(op, TAG_RANDOM) || has_blocks(passes, definition))
    return false;
  bool is_list = str_equal(op, STR("prim::ListConstruct")) || str_equal(op, STR("prim::TupleConstruct"));
  UseScan scan = { .passes = passes, .definition = definition };
  if (is_list && !scan_uses(&scan, is_unchanged_list_use))
    return false;
  uint32_t count = walk_use_count(walk, definition);
  for (uint32_t i = 0; i < count; i++) {
    if (!is_foldable_value(passes, walk_use(walk, definition, i), depth + 1))
      return false;
  }
  return count > 0 || is_list;
}

static bool are_foldable(Passes *passes, Place node, uint32_t first)
{
  passes->budget = FOLD_BUDGET;
  for (uint32_t i = first; i < walk_use_count(&passes->walk, node); i++) {
    if (!is_foldable_value(passes, walk_use(&passes->walk, node, i), 0))
      return false;
  }
  return true;
}

static bool is_folded(Passes *passes, Place node)
{
  Str op = walk_op(&passes->walk, node);
  return walk_use_count(&passes->walk, node) > 0 && walk_item(&passes->walk, node)->def_count > 0 &&
         !has_blocks(passes, node) && !works_in_place(op) && !has_tag(op, TAG_RANDOM) &&
         are_foldable(passes, node, 0);
}

static bool is_same_block(Passes *passes, Place a, Place b)
{
  Place x;
  Place y;
  bool has_x = walk_enclosing_header(&passes->walk, a, &x);
  bool has_y = walk_enclosing_header(&passes->walk, b, &y);
  return has_x == has_y && (!has_x || is_same_line(x, y));
}

static bool is_not_read_before(Place use, bool is_definition, void *context)
{
  UseScan *scan = context;
  if (!is_definition && is_earlier(use, scan->node))
    scan->holds = false;
  return scan->holds;
}

/// The first input was made in this block, by no view, and nobody looked at it since: the change is merged into it.
static bool has_fresh_target(Passes *passes, Place node)
{
  const GraphWalk *walk = &passes->walk;
  UseScan scan = { .passes = passes, .node = node };
  if (walk_use_count(walk, node) == 0 || !walk_find_definition(walk, walk_use(walk, node, 0), &scan.definition))
    return false;
  Str op = walk_op(walk, scan.definition);
  if (walk_item(walk, scan.definition)->kind != ITEM_STATEMENT || op.len == 0 || has_tag(op, TAG_VIEW) || works_in_place(op) ||
      str_starts_with(op, STR("prim::")) || has_blocks(passes, scan.definition) ||
      !is_same_block(passes, node, scan.definition))
    return false;
  return scan_uses(&scan, is_not_read_before);
}

/// Of the list mutations, popping and deleting are not rewritten.
static bool is_removable_list_mutation(Str op)
{
  return has_tag(op, TAG_LIST_MUTATION) && !str_equal(op, STR("aten::pop")) && !str_equal(op, STR("aten::Delete"));
}

static bool is_only_mutated_before(Place use, bool is_definition, void *context)
{
  UseScan *scan = context;
  const GraphWalk *walk = &scan->passes->walk;
  if (is_definition || !is_earlier(use, scan->node))
    return true;
  bool is_target = use.occurrence == walk_item(walk, use)->first_occurrence + walk_item(walk, use)->def_count;
  if (!is_target || !is_removable_list_mutation(walk_op(walk, use)) ||
      !is_same_block((Passes *)scan->passes, use, scan->node))
    scan->holds = false;
  return scan->holds;
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
    passes->budget = FOLD_BUDGET;
    if (walk_use_count(walk, node) < 2 || constant_of_use(passes, walk_use(walk, node, 1), 0).kind == NOT_CONSTANT)
      return false;
  }
  return scan_uses(&scan, is_only_mutated_before);
}

static bool is_list_unpack(Place use, bool is_definition, void *context)
{
  UseScan *scan = context;
  if (is_definition)
    return true;
  scan->count++;
  scan->holds &= str_equal(walk_op(&scan->passes->walk, use), STR("prim::ListUnpack"));
  return scan->holds;
}

/// aten::chunk with its prim::ListUnpack is fused into one node with a fixed number of outputs.
static bool is_fused_chunk(Passes *passes, Place node)
{
  if (walk_item(&passes->walk, node)->def_count != 1)
    return false;
  UseScan scan = { .passes = passes, .definition = walk_definition(&passes->walk, node, 0) };
  return scan_uses(&scan, is_list_unpack) && scan.count == 1 && are_foldable(passes, node, 1);
}

static bool is_constant_item(Place use, bool is_definition, void *context)
{
  UseScan *scan = context;
  if (is_definition)
    return true;
  const GraphWalk *walk = &scan->passes->walk;
  scan->count++;
  ((Passes *)scan->passes)->budget = FOLD_BUDGET;
  scan->holds &= str_equal(walk_op(walk, use), STR("aten::__getitem__")) && walk_use_count(walk, use) > 1 &&
                 is_foldable_value((Passes *)scan->passes, walk_use(walk, use, 1), 0);
  return scan->holds;
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
  if (is_in_dead_block(passes, node) || !is_live(passes, node))
    return FATE_REMOVED;
  if (note && condition_holds(passes, node, note->condition))
    return FATE_REMOVED;
  // Other prim nodes are mostly rewritten by what is around them, and a user may register any other namespace.
  if (!has_converted_namespace(op) || (note && note->condition == PASS_TARGET_NOT_FRESH))
    return FATE_UNSURE;
  if (is_folded(passes, node))
    return FATE_REMOVED;
  return is_in_static_if(passes, node) ? FATE_UNSURE : FATE_CONVERTED;
}
