// Reads a graph's lines into the leaves and scopes of its picture, and which leaf takes whose values.

#include "graph/features/picture_tree_private.h"

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
    Str text = document_line(snapshot_document(builder->context->snapshot), builder->section_line);
    bool is_header = builder->section_line == line && item->kind != ITEM_PARAMETERS && item->kind != ITEM_SECTION;
    builder->section = model_section(builder->section, text, is_header);
  }
}

static void read_item(TreeBuilder *builder, Place place)
{
  const Item *item = walk_item(&builder->walk, place);
  uint32_t line = dump_place_line(builder->context->snapshot, place);
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
    } while (walk_rest(&builder->walk, leaf->place, place, &place));
  }
  vec_push(&builder->leaves, (Leaf){ .first_use = (uint32_t)builder->uses.count });
  builder->leaves.count--;
}

Groups picture_tree_users(TreeBuilder *builder, Arena *arena)
{
  uint32_t leaf_count = (uint32_t)builder->leaves.count;
  Groups users = groups_begin(leaf_count, arena);
  for (size_t i = 0; i < builder->uses.count; i++)
    groups_expect(&users, builder->uses.items[i].leaf);
  users.items = ARENA_ARRAY(arena, uint32_t, groups_expected(&users, leaf_count));
  for (uint32_t leaf = 0; leaf < leaf_count; leaf++) {
    for (uint32_t i = builder->leaves.items[leaf].first_use; i < builder->leaves.items[leaf + 1].first_use; i++)
      users.items[groups_place(&users, builder->uses.items[i].leaf)] = leaf;
  }
  return users;
}

static void begin(TreeBuilder *builder)
{
  const Dump *dump = builder->walk.dump;
  uint32_t items = 0;
  uint32_t occurrences = 0;
  builder->item_bases = ARENA_ARRAY(&builder->arena, uint32_t, dump->chunk_count);
  for (uint32_t chunk = 0; chunk < dump->chunk_count; chunk++) {
    builder->item_bases[chunk] = items;
    items += dump->chunks[chunk]->index->item_count;
    occurrences += dump->chunks[chunk]->index->occurrence_count;
  }
  builder->leaf_of = ARENA_ARRAY(&builder->arena, uint32_t, items);
  memset(builder->leaf_of, 0xff, items * sizeof(*builder->leaf_of));
  // Room that is not used costs nothing, and memory that grows is moved.
  vec_reserve(&builder->leaves, items + 1);
  vec_reserve(&builder->uses, occurrences);
  outline_build(builder->context, NULL, &builder->outline);
}

void picture_tree_read(TreeBuilder *builder)
{
  begin(builder);
  read_items(builder);
  find_uses(builder);
}
