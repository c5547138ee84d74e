#include "graph/features/picture_tree.h"

#include "base/ascii.h"
#include "base/groups.h"
#include "base/limits.h"

/// Of the header of a model's graph.
typedef enum HeaderSection {
  SECTION_INPUTS,
  SECTION_OUTPUTS,
  SECTION_MORE,  ///< Initializers, and types of other values.
} HeaderSection;

typedef struct TreeBuilder {
  const FeatureContext *context;
  GraphWalk walk;
  Outline outline;
  size_t next_part;  ///< Of the outline.
  Vec(Leaf) leaves;
  Vec(LeafUse) uses;
  Vec(TreeScope) scopes;
  Vec(uint32_t) open;  ///< Scopes around the line that is read, outermost first.
  bool is_model;
  HeaderSection section;
  uint32_t section_line;  ///< The next line to look at for that.
  uint32_t *item_bases;   ///< By chunk: the number of items before it.
  uint32_t *leaf_of;      ///< By item: its first leaf.
  Arena arena;            ///< Scratch.
} TreeBuilder;

// --- Scopes ---

static void close_scope(TreeBuilder *builder)
{
  builder->scopes.items[*vec_last(&builder->open)].end_leaf = (uint32_t)builder->leaves.count;
  builder->open.count--;
}

static void open_scope(TreeBuilder *builder, const OutlinePart *part)
{
  TreeScope scope = { .parent = NO_SCOPE, .first_leaf = (uint32_t)builder->leaves.count };
  if (part) {
    scope.parent = *vec_last(&builder->open);
    scope.has_part = true;
    scope.part = *part;
  }
  vec_push(&builder->open, (uint32_t)builder->scopes.count);
  vec_push(&builder->scopes, scope);
}

static bool begins_after(const OutlinePart *part, Place place)
{
  return part->place.chunk != place.chunk ? part->place.chunk > place.chunk : part->place.item > place.item;
}

/// Leaves scopes that ended before the line, and enters those that begin up to the item at `place`.
static void move_to(TreeBuilder *builder, Place place, uint32_t line)
{
  while (builder->open.count > 1 && builder->scopes.items[*vec_last(&builder->open)].part.last_line < line)
    close_scope(builder);
  for (; builder->next_part < builder->outline.parts.count; builder->next_part++) {
    const OutlinePart *part = &builder->outline.parts.items[builder->next_part];
    if (begins_after(part, place))
      break;
    while (builder->open.count > part->depth + 1)
      close_scope(builder);
    open_scope(builder, part);
  }
}

// --- Leaves ---

/// Statements whose values are known before anything is computed.
static bool is_constant(Str op)
{
  static const char *const names[] = { "prim::Constant", "prim::GetAttr", "onnx::Constant", "Constant",
                                       "get_attr",       "prim::Param",   "getattr",        "prim::CreateObject" };
  return str_is_one_of(op, names, COUNT(names));
}

static void add_leaf(TreeBuilder *builder, Place place, uint32_t line, CardKind kind)
{
  uint32_t *leaf_of = &builder->leaf_of[builder->item_bases[place.chunk] + place.item];
  if (*leaf_of == NO_SCOPE)
    *leaf_of = (uint32_t)builder->leaves.count;
  vec_push(&builder->leaves,
           (Leaf){ .place = place, .line = line, .scope = *vec_last(&builder->open), .kind = (uint8_t)kind });
}

/// Values that a line of a header names. In a model it may say what a graph gives, or tell a value's type again.
static void add_header(TreeBuilder *builder, Place place, uint32_t line)
{
  const Item *item = walk_item(&builder->walk, place);
  bool has_uses = walk_use_count(&builder->walk, place) > 0;
  bool gives =
      builder->section == SECTION_OUTPUTS && item->kind != ITEM_GRAPH_HEADER && item->kind != ITEM_BLOCK_HEADER;
  for (uint32_t i = 0; i < item->def_count; i++) {
    add_leaf(builder, walk_definition(&builder->walk, place, i), line, gives ? CARD_OUTPUT : CARD_INPUT);
    vec_last(&builder->leaves)->is_parameter = builder->section == SECTION_MORE;
  }
  if (has_uses && (gives || item->kind == ITEM_GRAPH_HEADER || item->kind == ITEM_BLOCK_HEADER))
    add_leaf(builder, place, line, CARD_OUTPUT);
}

/// Where in the header of a model's graph the text is, read off the lines up to `line`.
static void read_section(TreeBuilder *builder, const Item *item, uint32_t line)
{
  if (!builder->is_model || (item->kind != ITEM_PARAMETERS && item->kind != ITEM_SECTION)) {
    builder->section = SECTION_INPUTS;
    builder->section_line = line;
  }
  for (; builder->is_model && builder->section_line <= line; builder->section_line++) {
    Str text = str_trim(document_line(snapshot_document(builder->context->snapshot), builder->section_line));
    bool is_header = builder->section_line == line && item->kind != ITEM_PARAMETERS && item->kind != ITEM_SECTION;
    if (str_ends_with(text, STR("=> (")))
      builder->section = SECTION_OUTPUTS;
    else if (!is_header && (str_starts_with(text, STR(")")) || str_starts_with(text, STR("<"))))
      builder->section = SECTION_MORE;
  }
}

static void read_item(TreeBuilder *builder, Place place)
{
  const Item *item = walk_item(&builder->walk, place);
  uint32_t line = place_line(builder->context->snapshot, place);
  move_to(builder, place, line);
  read_section(builder, item, line);
  switch ((ItemKind)item->kind) {
  case ITEM_STATEMENT:
    add_leaf(builder, place, line, is_constant(walk_op(&builder->walk, place)) ? CARD_CONSTANT : CARD_NODE);
    break;
  case ITEM_GRAPH_HEADER:
  case ITEM_PRINTABLE_HEADER:
  case ITEM_PARAMETERS:
  case ITEM_SECTION:
  case ITEM_BLOCK_HEADER:
    add_header(builder, place, line);
    break;
  case ITEM_RETURN:
  case ITEM_BLOCK_RETURN:
    if (walk_use_count(&builder->walk, place) > 0)
      add_leaf(builder, place, line, CARD_OUTPUT);
    break;
  case ITEM_CONTINUATION:
    if (builder->leaves.count > 0)
      builder->leaf_of[builder->item_bases[place.chunk] + place.item] = (uint32_t)builder->leaves.count - 1;
    break;
  case ITEM_GAP:
    break;
  }
}

static void read_items(TreeBuilder *builder)
{
  const Dump *dump = builder->walk.dump;
  open_scope(builder, NULL);
  for (uint32_t chunk = 0; chunk < dump->chunk_count && !feature_is_cancelled(builder->context); chunk++) {
    for (uint32_t item = 0; item < dump->chunks[chunk]->index->item_count; item++)
      read_item(builder, (Place){ .chunk = chunk, .item = item });
  }
  while (builder->open.count > 0)
    close_scope(builder);
}

// --- Values ---

static uint32_t leaf_of_definition(const TreeBuilder *builder, Place definition)
{
  uint32_t leaf = builder->leaf_of[builder->item_bases[definition.chunk] + definition.item];
  if (leaf == NO_SCOPE || builder->leaves.items[leaf].kind != CARD_INPUT)
    return leaf;
  return leaf + definition.occurrence - walk_item(&builder->walk, definition)->first_occurrence;
}

static void add_uses(TreeBuilder *builder, Place place)
{
  for (uint32_t i = 0; i < walk_use_count(&builder->walk, place); i++) {
    LeafUse use;
    if (!walk_find_definition(&builder->walk, walk_use(&builder->walk, place, i), &use.definition))
      continue;
    use.leaf = leaf_of_definition(builder, use.definition);
    if (use.leaf != NO_SCOPE)
      vec_push(&builder->uses, use);
  }
}

/// What a model gives is named in its header, and defined below.
static void add_given(TreeBuilder *builder, Place place)
{
  LeafUse use;
  if (!dump_find_definition(builder->walk.dump, walk_graph(&builder->walk, place), walk_name(&builder->walk, place),
                            place, &use.definition))
    return;
  use.leaf = leaf_of_definition(builder, use.definition);
  if (use.leaf != NO_SCOPE)
    vec_push(&builder->uses, use);
}

static void find_uses(TreeBuilder *builder)
{
  for (size_t i = 0; i < builder->leaves.count; i++) {
    Leaf *leaf = &builder->leaves.items[i];
    leaf->first_use = (uint32_t)builder->uses.count;
    if (leaf->kind == CARD_INPUT)
      continue;
    Place place = leaf->place;
    if (leaf->kind == CARD_OUTPUT && place.occurrence != 0) {
      add_given(builder, place);
      continue;
    }
    do {
      add_uses(builder, place);
    } while (place_next(builder->walk.dump, &place) && walk_item(&builder->walk, place)->kind == ITEM_CONTINUATION);
  }
  vec_push(&builder->leaves, (Leaf){ .first_use = (uint32_t)builder->uses.count });
  builder->leaves.count--;
}

static Groups group_users(TreeBuilder *builder, Arena *arena)
{
  uint32_t count = (uint32_t)builder->uses.count;
  uint32_t *givers = ARENA_ARRAY(arena, uint32_t, count);
  uint32_t *takers = ARENA_ARRAY(arena, uint32_t, count);
  for (uint32_t leaf = 0; leaf < builder->leaves.count; leaf++) {
    for (uint32_t i = builder->leaves.items[leaf].first_use; i < builder->leaves.items[leaf + 1].first_use; i++) {
      givers[i] = builder->uses.items[i].leaf;
      takers[i] = leaf;
    }
  }
  Groups users = groups_make(givers, count, (uint32_t)builder->leaves.count, arena);
  for (uint32_t i = 0; i < users.starts[builder->leaves.count]; i++)
    users.items[i] = takers[users.items[i]];
  return users;
}

// --- Folding ---

/// What exporters call parameters: `conv.weight`, `onnx::Conv_193`, `p_conv_weight`.
static bool is_parameter(Str name)
{
  if (name.len > 0 && name.data[0] == '%')
    name = str_slice(name, 1, name.len);
  size_t dot = str_rfind_char(name, '.');
  bool has_word = dot != STR_NOT_FOUND && dot + 1 < name.len && ascii_is_letter(name.data[dot + 1]);
  return has_word || str_starts_with(name, STR("onnx::")) || str_starts_with(name, STR("p_")) ||
         str_starts_with(name, STR("b_")) || str_starts_with(name, STR("c_"));
}

static bool inputs_are_folded(const TreeBuilder *builder, uint32_t leaf)
{
  for (uint32_t i = builder->leaves.items[leaf].first_use; i < builder->leaves.items[leaf + 1].first_use; i++) {
    if (!builder->leaves.items[builder->uses.items[i].leaf].is_folded)
      return false;
  }
  return true;
}

static bool can_fold(const TreeBuilder *builder, uint32_t number)
{
  static const char *const lists[] = { "prim::ListConstruct", "prim::TupleConstruct" };
  const Leaf *leaf = &builder->leaves.items[number];
  if (leaf->kind == CARD_CONSTANT)
    return true;
  if (leaf->kind == CARD_INPUT)
    return leaf->is_parameter || is_parameter(walk_name(&builder->walk, leaf->place));
  return leaf->kind == CARD_NODE && str_is_one_of(walk_op(&builder->walk, leaf->place), lists, COUNT(lists)) &&
         inputs_are_folded(builder, number);
}

static bool has_later_user(const Groups *users, uint32_t leaf)
{
  for (uint32_t i = users->starts[leaf]; i < users->starts[leaf + 1]; i++) {
    if (users->items[i] > leaf)
      return true;
  }
  return false;
}

/// The module itself: nothing but attributes are taken from it.
static bool is_only_for_folded(const TreeBuilder *builder, const Groups *users, uint32_t leaf)
{
  for (uint32_t i = users->starts[leaf]; i < users->starts[leaf + 1]; i++) {
    if (!builder->leaves.items[users->items[i]].is_folded)
      return false;
  }
  return groups_size(users, leaf) > 0;
}

static void fold_leaves(TreeBuilder *builder, const Groups *users)
{
  uint32_t count = (uint32_t)builder->leaves.count;
  for (uint32_t leaf = 0; leaf < count; leaf++)
    builder->leaves.items[leaf].is_folded = can_fold(builder, leaf) && has_later_user(users, leaf);
  for (uint32_t leaf = 0; leaf < count; leaf++) {
    if (builder->leaves.items[leaf].kind == CARD_INPUT && is_only_for_folded(builder, users, leaf))
      builder->leaves.items[leaf].is_folded = has_later_user(users, leaf);
  }
}

/// Finds for each leaf the one whose card stands for it: from the end, so that those that take it are known. What is
/// constant and taken by nobody is shown with what comes next.
static void find_shown(TreeBuilder *builder, const Groups *users)
{
  uint32_t next = NO_SCOPE;
  for (uint32_t number = (uint32_t)builder->leaves.count; number-- > 0;) {
    Leaf *leaf = &builder->leaves.items[number];
    leaf->shown = number;
    if (leaf->kind == CARD_CONSTANT && groups_size(users, number) == 0 && next != NO_SCOPE) {
      leaf->is_folded = true;
      leaf->shown = next;
    }
    for (uint32_t i = users->starts[number]; leaf->is_folded && i < users->starts[number + 1]; i++) {
      if (users->items[i] <= number)
        continue;
      leaf->shown = builder->leaves.items[users->items[i]].shown;
      break;
    }
    next = leaf->is_folded ? next : number;
  }
}

/// Takes modules away in which there is one card or none: it is in the module around it then.
static void dissolve_scopes(TreeBuilder *builder)
{
  uint32_t count = (uint32_t)builder->scopes.count;
  uint32_t *cards = ARENA_ARRAY(&builder->arena, uint32_t, count);
  for (size_t i = 0; i < builder->leaves.count; i++)
    cards[builder->leaves.items[i].scope] += !builder->leaves.items[i].is_folded;
  for (uint32_t i = count; i-- > 1;) {
    TreeScope *scope = &builder->scopes.items[i];
    scope->is_dissolved = scope->part.kind == PART_MODULE && cards[i] < 2;
    cards[scope->parent] += scope->is_dissolved ? cards[i] : 1;
  }
  for (uint32_t i = 1; i < count; i++) {
    TreeScope *scope = &builder->scopes.items[i];
    if (builder->scopes.items[scope->parent].is_dissolved)
      scope->parent = builder->scopes.items[scope->parent].parent;  // Which comes first, so it is right already.
  }
  for (size_t i = 0; i < builder->leaves.count; i++) {
    Leaf *leaf = &builder->leaves.items[i];
    if (builder->scopes.items[leaf->scope].is_dissolved)
      leaf->scope = builder->scopes.items[leaf->scope].parent;
  }
}

// --- What is in a scope ---

typedef struct Children {
  Groups by_scope;
  TreeChild *items;
} Children;

static void add_child(TreeChild *items, uint32_t *parents, uint32_t *count, TreeChild child, uint32_t parent)
{
  items[*count] = child;
  parents[(*count)++] = parent;
}

static Children group_children(const TreeBuilder *builder, Arena *arena)
{
  uint32_t leaf_count = (uint32_t)builder->leaves.count;
  uint32_t scope_count = (uint32_t)builder->scopes.count;
  uint32_t *firsts = ARENA_ARRAY(arena, uint32_t, scope_count);
  for (uint32_t i = 0; i < scope_count; i++) {
    const TreeScope *scope = &builder->scopes.items[i];
    bool is_listed = i > 0 && !scope->is_dissolved && scope->first_leaf < scope->end_leaf;
    firsts[i] = is_listed ? scope->first_leaf : NO_GROUP;
  }
  Groups by_first = groups_make(firsts, scope_count, leaf_count, arena);
  TreeChild *items = ARENA_ARRAY(arena, TreeChild, (size_t)leaf_count + scope_count);
  uint32_t *parents = ARENA_ARRAY(arena, uint32_t, (size_t)leaf_count + scope_count);
  uint32_t count = 0;
  for (uint32_t leaf = 0; leaf < leaf_count; leaf++) {
    for (uint32_t i = by_first.starts[leaf]; i < by_first.starts[leaf + 1]; i++) {
      uint32_t scope = by_first.items[i];
      add_child(items, parents, &count, (TreeChild){ scope, leaf }, builder->scopes.items[scope].parent);
    }
    if (!builder->leaves.items[leaf].is_folded)
      add_child(items, parents, &count, (TreeChild){ NO_SCOPE, leaf }, builder->leaves.items[leaf].scope);
  }
  Children children = { .by_scope = groups_make(parents, count, scope_count, arena) };
  children.items = ARENA_ARRAY(arena, TreeChild, count);
  for (uint32_t i = 0; i < count; i++)
    children.items[i] = items[children.by_scope.items[i]];
  return children;
}

/// Where a child ends: its own leaf, or those of its scope.
static uint32_t child_end(const TreeBuilder *builder, const TreeChild *child)
{
  return child->scope == NO_SCOPE ? child->first_leaf + 1 : builder->scopes.items[child->scope].end_leaf;
}

/// Puts so many children one after the other into a scope of their own.
static void make_run(TreeBuilder *builder, uint32_t parent, const TreeChild *children, uint32_t count)
{
  uint32_t run = (uint32_t)builder->scopes.count;
  vec_push(&builder->scopes, (TreeScope){ .parent = parent,
                                          .first_leaf = children[0].first_leaf,
                                          .end_leaf = child_end(builder, &children[count - 1]) });
  for (uint32_t i = 0; i < count; i++) {
    if (children[i].scope == NO_SCOPE)
      builder->leaves.items[children[i].first_leaf].scope = run;
    else
      builder->scopes.items[children[i].scope].parent = run;
  }
}

/// Makes runs where a scope has too many children; false if none has.
static bool make_runs(TreeBuilder *builder, const Children *children)
{
  bool has_made = false;
  uint32_t scopes = (uint32_t)builder->scopes.count;
  for (uint32_t scope = 0; scope < scopes; scope++) {
    uint32_t count = groups_size(&children->by_scope, scope);
    if (count <= PICTURE_CARD_LIMIT)
      continue;
    uint32_t run = count / PICTURE_RUN > PICTURE_RUN ? count / PICTURE_RUN : PICTURE_RUN;
    const TreeChild *first = children->items + children->by_scope.starts[scope];
    for (uint32_t i = 0; i < count; i += run)
      make_run(builder, scope, first + i, count - i < run ? count - i : run);
    has_made = true;
  }
  return has_made;
}

// --- Putting it together ---

static void begin(TreeBuilder *builder)
{
  const Dump *dump = builder->walk.dump;
  uint32_t items = 0;
  builder->item_bases = ARENA_ARRAY(&builder->arena, uint32_t, dump->chunk_count);
  for (uint32_t chunk = 0; chunk < dump->chunk_count; chunk++) {
    builder->item_bases[chunk] = items;
    items += dump->chunks[chunk]->index->item_count;
  }
  builder->leaf_of = ARENA_ARRAY(&builder->arena, uint32_t, items);
  memset(builder->leaf_of, 0xff, items * sizeof(*builder->leaf_of));
  outline_build(builder->context, NULL, &builder->outline);
}

static PictureTree *finish(TreeBuilder *builder, const Groups *users, const Children *children)
{
  PictureTree *tree = xcalloc(1, sizeof(*tree));
  uint32_t scopes = (uint32_t)builder->scopes.count;
  tree->leaf_count = (uint32_t)builder->leaves.count;
  tree->scope_count = scopes;
  tree->use_count = (uint32_t)builder->uses.count;
  tree->users = *users;
  tree->child_starts = children->by_scope.starts;
  tree->children = children->items;
  tree->leaves = builder->leaves.items;
  tree->uses = builder->uses.items;
  tree->scopes = builder->scopes.items;
  return tree;
}

/// Where types go from node to node they are found out for all values at once.
static void find_types(const TreeBuilder *builder, PictureTree *tree)
{
  const Snapshot *snapshot = builder->context->snapshot;
  const GraphDialect *dialect = snapshot_dialect(snapshot);
  Range all = { 0, document_length(snapshot_document(snapshot)) };
  if (dialect->types_in)
    tree->types = dialect->types_in(snapshot, all, &tree->arena);
}

static int compare_offsets(const void *left, const void *right)
{
  const FoundType *a = left;
  const FoundType *b = right;
  return (a->offset > b->offset) - (a->offset < b->offset);
}

Str picture_tree_type(const PictureTree *tree, size_t name_end)
{
  FoundType wanted = { .offset = name_end };
  if (tree->types.count == 0)
    return (Str){ 0 };
  const FoundType *found = bsearch(&wanted, tree->types.items, tree->types.count, sizeof(wanted), compare_offsets);
  return found ? found->type : (Str){ 0 };
}

static PictureTree *make_tree(const FeatureContext *context)
{
  TreeBuilder builder = {
    .context = context,
    .walk = { .dump = snapshot_dump(context->snapshot) },
    .is_model = snapshot_dialect(context->snapshot)->is_model,
  };
  Arena arena = { 0 };
  begin(&builder);
  read_items(&builder);
  find_uses(&builder);
  Groups users = group_users(&builder, &arena);
  fold_leaves(&builder, &users);
  find_shown(&builder, &users);
  dissolve_scopes(&builder);
  Children children = group_children(&builder, &arena);
  while (make_runs(&builder, &children))
    children = group_children(&builder, &arena);
  PictureTree *tree = finish(&builder, &users, &children);
  tree->arena = arena;
  find_types(&builder, tree);
  outline_done(&builder.outline);
  vec_free(&builder.open);
  arena_done(&builder.arena);
  return tree;
}

void picture_tree_free(PictureTree *tree)
{
  if (!tree)
    return;
  free(tree->leaves);
  free(tree->uses);
  free(tree->scopes);
  arena_done(&tree->arena);
  free(tree);
}

const PictureTree *picture_tree_of(const FeatureContext *context)
{
  PictureSlot *slot = snapshot_picture_slot(context->snapshot);
  PictureTree *tree = atomic_load(slot);
  if (tree)
    return tree;
  PictureTree *made = make_tree(context);
  if (!feature_is_cancelled(context) && atomic_compare_exchange_strong(slot, &tree, made))
    return made;
  picture_tree_free(made);  // Another thread was faster, or this one was to stop half way.
  return tree;
}

uint32_t picture_tree_leaf_at(const PictureTree *tree, uint32_t line)
{
  uint32_t low = 0;
  uint32_t high = tree->leaf_count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (tree->leaves[middle].line < line)
      low = middle + 1;
    else
      high = middle;
  }
  return low < tree->leaf_count ? low : tree->leaf_count - 1;
}
