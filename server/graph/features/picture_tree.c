#include "graph/features/picture_tree_private.h"

#include "base/ascii.h"
#include "base/groups.h"
#include "base/limits.h"
#include "base/search.h"

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

/// What is known before anything is computed, or given with the weights, and taken by nobody: it would be a card alone.
static bool is_idle(const TreeBuilder *builder, const Groups *users, uint32_t number)
{
  CardKind kind = builder->leaves.items[number].kind;
  return (kind == CARD_CONSTANT || kind == CARD_INPUT) && groups_size(users, number) == 0 && can_fold(builder, number);
}

/// Finds for each leaf the one whose card stands for it: from the end, so that those that take it are known. What is
/// idle is shown with what comes next.
static void find_shown(TreeBuilder *builder, const Groups *users)
{
  uint32_t next = NO_SCOPE;
  for (uint32_t number = (uint32_t)builder->leaves.count; number-- > 0;) {
    Leaf *leaf = &builder->leaves.items[number];
    leaf->shown = number;
    if (next != NO_SCOPE && is_idle(builder, users, number)) {
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
  Groups by_scope;  ///< Into...
  TreeChild *items;
} Children;

/// Goes through scopes and the leaves that are shown, in the order of the text.
typedef struct ChildWalk {
  const TreeBuilder *builder;
  const TreeChild *scopes;  ///< Those that are not dissolved and not empty, by their first leaf.
  uint32_t scope_count;
  uint32_t next_scope;
  uint32_t next_leaf;
} ChildWalk;

static int compare_first_leaves(const void *left, const void *right)
{
  uint32_t a = ((const TreeChild *)left)->first_leaf;
  uint32_t b = ((const TreeChild *)right)->first_leaf;
  return (a > b) - (a < b);
}

static ChildWalk begin_children(const TreeBuilder *builder, Arena *arena)
{
  uint32_t scope_count = (uint32_t)builder->scopes.count;
  TreeChild *scopes = ARENA_ARRAY(arena, TreeChild, scope_count);
  ChildWalk walk = { .builder = builder, .scopes = scopes };
  for (uint32_t i = 1; i < scope_count; i++) {
    const TreeScope *scope = &builder->scopes.items[i];
    if (!scope->is_dissolved && scope->first_leaf < scope->end_leaf)
      scopes[walk.scope_count++] = (TreeChild){ i, scope->first_leaf };
  }
  sort_stable(scopes, walk.scope_count, sizeof(*scopes), compare_first_leaves);
  return walk;
}

static bool next_child(ChildWalk *walk, TreeChild *ret_child, uint32_t *ret_parent)
{
  const TreeBuilder *builder = walk->builder;
  while (walk->next_leaf < builder->leaves.count && builder->leaves.items[walk->next_leaf].is_folded)
    walk->next_leaf++;
  if (walk->next_scope < walk->scope_count && walk->scopes[walk->next_scope].first_leaf <= walk->next_leaf) {
    *ret_child = walk->scopes[walk->next_scope++];
    *ret_parent = builder->scopes.items[ret_child->scope].parent;
    return true;
  }
  if (walk->next_leaf == builder->leaves.count)
    return false;
  *ret_parent = builder->leaves.items[walk->next_leaf].scope;
  *ret_child = (TreeChild){ NO_SCOPE, walk->next_leaf++ };
  return true;
}

static Children group_children(const TreeBuilder *builder, Arena *arena)
{
  uint32_t scope_count = (uint32_t)builder->scopes.count;
  TreeChild child;
  uint32_t parent;
  Children children = { .by_scope = groups_begin(scope_count, arena) };
  const ChildWalk first = begin_children(builder, arena);
  for (ChildWalk walk = first; next_child(&walk, &child, &parent);)
    groups_expect(&children.by_scope, parent);
  children.items = ARENA_ARRAY(arena, TreeChild, groups_expected(&children.by_scope, scope_count));
  for (ChildWalk walk = first; next_child(&walk, &child, &parent);)
    children.items[groups_place(&children.by_scope, parent)] = child;
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
  picture_tree_read(&builder);
  Groups users = picture_tree_users(&builder, &arena);
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
  uint32_t leaf;
  SEARCH_FIRST(leaf, 0, tree->leaf_count, tree->leaves[leaf].line < line);
  return leaf < tree->leaf_count ? leaf : tree->leaf_count - 1;
}
