// A picture of a scope, or of the surroundings of a line: cards for its nodes and closed scopes, lines between them,
// and ports for values that cross its border. Then it is laid out.

#include "core/picture.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/sort.h"
#include "graph/features/graph_features.h"
#include "graph/features/picture_words.h"

enum { LABEL_SHOWN = 3, NEIGHBOURS = 8 };

/// A value that goes from one card to another.
typedef struct Flow {
  uint32_t from;
  uint32_t to;
  uint32_t value;  ///< The leaf that gives it.
  Place definition;
  bool has_value;
} Flow;

/// A use of a value of outside, or outside.
typedef struct Crossing {
  uint32_t leaf;  ///< That gives it.
  Place definition;
  uint32_t card;
  uint32_t other_line;
} Crossing;

typedef struct PictureMaker {
  const PictureTree *tree;
  CardWriter writer;
  Arena *arena;
  uint32_t first_leaf;  ///< Of a scope: `card_of` is by leaf, from here...
  uint32_t end_leaf;
  uint32_t *card_of;       ///< ...NO_SCOPE for none.
  const uint32_t *around;  ///< Of surroundings: the leaves, in order; card i is that of leaf i.
  Vec(Card) cards;
  Vec(Flow) flows;
  Vec(Crossing) in;
  Vec(Crossing) out;
} PictureMaker;

static int compare_numbers(const void *left, const void *right)
{
  const uint32_t *a = left;
  const uint32_t *b = right;
  return (*a > *b) - (*a < *b);
}

/// The card that stands for a leaf here; NO_SCOPE if it is outside.
static uint32_t card_for(const PictureMaker *maker, uint32_t leaf)
{
  if (maker->around) {
    const uint32_t *found = bsearch(&leaf, maker->around, maker->end_leaf, sizeof(leaf), compare_numbers);
    return found ? (uint32_t)(found - maker->around) : NO_SCOPE;
  }
  return leaf >= maker->first_leaf && leaf < maker->end_leaf ? maker->card_of[leaf - maker->first_leaf] : NO_SCOPE;
}

// --- What flows ---

static void add_use(PictureMaker *maker, uint32_t to, const LeafUse *use)
{
  const Leaf *giver = &maker->tree->leaves[use->leaf];
  if (giver->is_folded)
    return;
  uint32_t from = card_for(maker, use->leaf);
  if (from == NO_SCOPE)
    vec_push(&maker->in, (Crossing){ use->leaf, use->definition, to, giver->line });
  else if (from != to)
    vec_push(&maker->flows, (Flow){ from, to, use->leaf, use->definition, true });
}

static void add_flows(PictureMaker *maker, uint32_t leaf)
{
  const PictureTree *tree = maker->tree;
  uint32_t card = card_for(maker, leaf);
  if (card == NO_SCOPE || tree->leaves[leaf].is_folded)
    return;
  for (uint32_t i = tree->leaves[leaf].first_use; i < tree->leaves[leaf + 1].first_use; i++)
    add_use(maker, card, &tree->uses[i]);
  for (uint32_t i = tree->users.starts[leaf]; i < tree->users.starts[leaf + 1]; i++) {
    const Leaf *user = &tree->leaves[tree->users.items[i]];
    if (user->is_folded || card_for(maker, tree->users.items[i]) != NO_SCOPE)
      continue;
    vec_push(&maker->out, (Crossing){ leaf, tree->leaves[leaf].place, card, user->line });
    break;
  }
}

// --- Ports ---

static int compare_crossings(const void *left, const void *right)
{
  const Crossing *a = left;
  const Crossing *b = right;
  if (a->leaf != b->leaf)
    return (a->leaf > b->leaf) - (a->leaf < b->leaf);
  if (a->definition.occurrence != b->definition.occurrence)
    return (a->definition.occurrence > b->definition.occurrence) -
           (a->definition.occurrence < b->definition.occurrence);
  return (a->card > b->card) - (a->card < b->card);
}

static bool same_value(const Crossing *a, const Crossing *b)
{
  return a->leaf == b->leaf && a->definition.occurrence == b->definition.occurrence;
}

/// A card for each value that crosses the border; returns how many found no room.
static uint32_t add_ports(PictureMaker *maker, Crossing *crossings, size_t count, CardKind kind)
{
  sort_stable(crossings, count, sizeof(*crossings), compare_crossings);
  uint32_t ports = 0;
  for (size_t i = 0; i < count; i++) {
    const Crossing *crossing = &crossings[i];
    if (i == 0 || !same_value(&crossings[i - 1], crossing)) {
      if (ports++ < PICTURE_PORT_LIMIT)
        vec_push(&maker->cards, picture_port_card(&maker->writer, kind, crossing->definition, crossing->other_line));
    }
    if (ports > PICTURE_PORT_LIMIT)
      continue;
    uint32_t port = (uint32_t)maker->cards.count - 1;
    Flow flow = { port, crossing->card, crossing->leaf, crossing->definition, true };
    if (kind == CARD_TO)
      flow = (Flow){ crossing->card, port, crossing->leaf, crossing->definition, true };
    vec_push(&maker->flows, flow);
  }
  return ports > PICTURE_PORT_LIMIT ? ports - PICTURE_PORT_LIMIT : 0;
}

/// What leaves a leaf leaves it under the name of its first value.
static void name_outgoing(PictureMaker *maker)
{
  for (size_t i = 0; i < maker->out.count; i++) {
    Crossing *crossing = &maker->out.items[i];
    if (maker->tree->leaves[crossing->leaf].kind != CARD_INPUT)
      crossing->definition = walk_definition(&maker->writer.walk, crossing->definition, 0);
  }
}

// --- Lines ---

static int compare_flows(const void *left, const void *right)
{
  const Flow *a = left;
  const Flow *b = right;
  if (a->from != b->from)
    return (a->from > b->from) - (a->from < b->from);
  if (a->to != b->to)
    return (a->to > b->to) - (a->to < b->to);
  if (a->value != b->value)
    return (a->value > b->value) - (a->value < b->value);
  return (a->definition.occurrence > b->definition.occurrence) - (a->definition.occurrence < b->definition.occurrence);
}

/// The names of the values from `first` on that go the same way; `ret_end` is after them.
static Str label_of(PictureMaker *maker, size_t first, size_t *ret_end)
{
  const Flow *flows = maker->flows.items;
  Str label = { 0 };
  uint32_t shown = 0;
  size_t i = first;
  for (; i < maker->flows.count && flows[i].from == flows[first].from && flows[i].to == flows[first].to; i++) {
    if (!flows[i].has_value || (i > first && compare_flows(&flows[i - 1], &flows[i]) == 0))
      continue;
    if (shown++ < LABEL_SHOWN) {
      Str name = walk_name(&maker->writer.walk, flows[i].definition);
      label = label.len == 0 ? name : arena_printf(maker->arena, "%.*s, %.*s", STR_ARG(label), STR_ARG(name));
    }
  }
  *ret_end = i;
  return shown > LABEL_SHOWN ? arena_printf(maker->arena, "%.*s and %u more", STR_ARG(label), shown - LABEL_SHOWN)
                             : label;
}

/// Tells the values of a card from each other, by numbers that are the same in layers that are alike.
static uint32_t value_number(const PictureMaker *maker, const Flow *flow)
{
  uint32_t scope = maker->cards.items[flow->from].scope;
  if (!flow->has_value)
    return UINT32_MAX;
  return scope == NO_SCOPE ? 0 : flow->value - maker->tree->scopes[scope].first_leaf;
}

static void draw(PictureMaker *maker, LayoutMemo *layouts, Picture *picture)
{
  size_t count = maker->flows.count;
  vec_sort(&maker->flows, compare_flows);
  LayoutEdge *edges = ARENA_ARRAY(maker->arena, LayoutEdge, count);
  PictureLine *lines = ARENA_ARRAY(maker->arena, PictureLine, count);
  for (size_t i = 0, end = 0; i < count; i = end, picture->line_count++) {
    const Flow *flow = &maker->flows.items[i];
    lines[picture->line_count] = (PictureLine){ label_of(maker, i, &end), &edges[picture->line_count] };
    edges[picture->line_count] = (LayoutEdge){ flow->from, flow->to, .value = value_number(maker, flow) };
  }
  LayoutNode *nodes = ARENA_ARRAY(maker->arena, LayoutNode, maker->cards.count);
  for (size_t i = 0; i < maker->cards.count; i++) {
    nodes[i] = picture_card_size(&maker->cards.items[i]);
    maker->cards.items[i].place = &nodes[i];
  }
  picture->size = layout_graph_like(layouts, nodes, (uint32_t)maker->cards.count, edges, (uint32_t)picture->line_count,
                                    maker->arena);
  picture->cards = vec_copy(&maker->cards, maker->arena);
  picture->card_count = maker->cards.count;
  picture->lines = lines;
}

// --- A scope ---

static void add_children(PictureMaker *maker, uint32_t scope)
{
  const PictureTree *tree = maker->tree;
  for (uint32_t i = tree->child_starts[scope]; i < tree->child_starts[scope + 1]; i++) {
    const TreeChild *child = &tree->children[i];
    uint32_t card = (uint32_t)maker->cards.count;
    bool is_leaf = child->scope == NO_SCOPE;
    vec_push(&maker->cards, is_leaf ? picture_leaf_card(&maker->writer, child->first_leaf)
                                    : picture_scope_card(&maker->writer, child->scope));
    uint32_t end = is_leaf ? child->first_leaf + 1 : tree->scopes[child->scope].end_leaf;
    for (uint32_t leaf = child->first_leaf; leaf < end; leaf++)
      maker->card_of[leaf - maker->first_leaf] = card;
  }
}

/// A node owns its blocks, even if no value goes into them.
static void add_owned(PictureMaker *maker, uint32_t scope)
{
  const PictureTree *tree = maker->tree;
  const GraphWalk *walk = &maker->writer.walk;
  for (uint32_t i = tree->child_starts[scope]; i < tree->child_starts[scope + 1]; i++) {
    uint32_t child = tree->children[i].scope;
    Place owner;
    if (child == NO_SCOPE || !tree->scopes[child].has_part || tree->scopes[child].part.kind != PART_BLOCK ||
        !walk_owner(walk, tree->scopes[child].part.place, &owner))
      continue;
    uint32_t line = dump_place_line(maker->writer.job.snapshot, owner);
    uint32_t from = card_for(maker, picture_tree_leaf_at(tree, line));
    uint32_t to = card_for(maker, tree->scopes[child].first_leaf);
    if (from != NO_SCOPE && from != to)
      vec_push(&maker->flows, (Flow){ .from = from, .to = to });
  }
}

static void list_folded(PictureMaker *maker, uint32_t scope, Picture *picture)
{
  const PictureTree *tree = maker->tree;
  Vec(FoldedLine) folded = { 0 };
  for (uint32_t leaf = maker->first_leaf; leaf < maker->end_leaf; leaf++) {
    const Leaf *l = &tree->leaves[leaf];
    if (l->is_folded && l->scope == scope)
      vec_push(&folded, (FoldedLine){ l->line, tree->leaves[l->shown].line });
  }
  picture->folded = vec_copy(&folded, maker->arena);
  picture->folded_count = folded.count;
  vec_free(&folded);
}

/// The root is of no interest if there is one graph alone.
static uint32_t first_scope(const PictureTree *tree)
{
  bool has_one =
      tree->child_starts[1] - tree->child_starts[0] == 1 && tree->children[tree->child_starts[0]].scope != NO_SCOPE;
  return has_one ? tree->children[tree->child_starts[0]].scope : 0;
}

static void draw_scope(PictureMaker *maker, uint32_t scope, Picture *picture)
{
  const TreeScope *s = &maker->tree->scopes[scope];
  maker->first_leaf = s->first_leaf;
  maker->end_leaf = s->end_leaf;
  maker->card_of = ARENA_ARRAY(maker->arena, uint32_t, s->end_leaf - s->first_leaf);
  memset(maker->card_of, 0xff, (s->end_leaf - s->first_leaf) * sizeof(uint32_t));
  picture->scope = scope;
  picture->parent = scope == first_scope(maker->tree) ? NO_SCOPE : s->parent;
  picture->first_line = maker->tree->leaves[s->first_leaf].line;
  picture->last_line = maker->tree->leaves[s->end_leaf > s->first_leaf ? s->end_leaf - 1 : s->first_leaf].line;
  picture_scope_words(&maker->writer, scope, &picture->title, &picture->detail);
  add_children(maker, scope);
  for (uint32_t leaf = s->first_leaf; leaf < s->end_leaf; leaf++)
    add_flows(maker, leaf);
  add_owned(maker, scope);
  list_folded(maker, scope, picture);
}

// --- Surroundings ---

/// Leaves around one, by how many values are between.
typedef struct Search {
  const PictureTree *tree;
  Vec(uint32_t) found;
} Search;

static void find(Search *search, uint32_t leaf)
{
  if (search->found.count >= PICTURE_AROUND_LIMIT || search->tree->leaves[leaf].is_folded)
    return;
  for (size_t i = 0; i < search->found.count; i++) {
    if (search->found.items[i] == leaf)
      return;
  }
  vec_push(&search->found, leaf);
}

static void find_neighbours(Search *search, uint32_t leaf)
{
  const PictureTree *tree = search->tree;
  const Leaf *l = &tree->leaves[leaf];
  for (uint32_t i = l->first_use; i < l[1].first_use && i < l->first_use + NEIGHBOURS; i++)
    find(search, tree->uses[i].leaf);
  uint32_t first = tree->users.starts[leaf];
  for (uint32_t i = first; i < tree->users.starts[leaf + 1] && i < first + NEIGHBOURS; i++)
    find(search, tree->leaves[tree->users.items[i]].shown);
}

/// Where few values lead on, the lines before and after are around, too.
static void find_beside(Search *search, uint32_t leaf)
{
  for (uint32_t step = 1; step < PICTURE_AROUND_LIMIT && search->found.count < PICTURE_AROUND_LIMIT * 2 / 3; step++) {
    if (leaf >= step)
      find(search, leaf - step);
    if (leaf + step < search->tree->leaf_count)
      find(search, leaf + step);
  }
}

static void draw_around(PictureMaker *maker, uint32_t line, Picture *picture)
{
  Search search = { .tree = maker->tree };
  uint32_t leaf = maker->tree->leaves[picture_tree_leaf_at(maker->tree, line)].shown;
  find(&search, leaf);
  for (size_t i = 0; i < search.found.count; i++)
    find_neighbours(&search, search.found.items[i]);
  find_beside(&search, leaf);
  vec_sort(&search.found, compare_numbers);
  maker->around = vec_copy(&search.found, maker->arena);
  maker->end_leaf = (uint32_t)search.found.count;
  vec_free(&search.found);
  *picture = (Picture){ .scope = NO_SCOPE,
                        .parent = NO_SCOPE,
                        .title = arena_printf(maker->arena, "around line %u", line + 1) };
  picture->first_line = maker->tree->leaves[maker->around[0]].line;
  picture->last_line = maker->tree->leaves[maker->around[maker->end_leaf - 1]].line;
  for (uint32_t i = 0; i < maker->end_leaf; i++)
    vec_push(&maker->cards, picture_leaf_card(&maker->writer, maker->around[i]));
  for (uint32_t i = 0; i < maker->end_leaf; i++)
    add_flows(maker, maker->around[i]);
}

// --- What others ask ---

bool graph_picture(const FeatureContext *context, const PictureQuery *query, Picture *ret_picture)
{
  const PictureTree *tree = picture_tree_of(context);
  uint32_t scope = tree && query->scope == 0 ? first_scope(tree) : query->scope;
  if (!tree || tree->leaf_count == 0 ||
      (!query->is_around && (scope >= tree->scope_count || tree->scopes[scope].is_dissolved)))
    return false;
  PictureMaker maker = { .tree = tree, .writer = picture_words_writer(context, tree), .arena = context->arena };
  Picture picture = { 0 };
  if (query->is_around)
    draw_around(&maker, query->line, &picture);
  else
    draw_scope(&maker, scope, &picture);
  name_outgoing(&maker);
  picture.left_out = add_ports(&maker, maker.in.items, maker.in.count, CARD_FROM);
  picture.left_out += add_ports(&maker, maker.out.items, maker.out.count, CARD_TO);
  draw(&maker, query->layouts, &picture);
  vec_free(&maker.cards);
  vec_free(&maker.flows);
  vec_free(&maker.in);
  vec_free(&maker.out);
  *ret_picture = picture;
  return true;
}

uint32_t graph_picture_scopes(const FeatureContext *context)
{
  const PictureTree *tree = picture_tree_of(context);
  return tree ? tree->scope_count : 0;
}
