// Searching the cards of a document: an operator, a value or a module whose name holds a text.

#include "base/ascii.h"
#include "base/limits.h"
#include "graph/features/graph_features.h"
#include "graph/features/picture_words.h"

typedef struct CardSearch {
  CardWriter writer;
  Str text;
  Vec(FoundCard) found;
  bool is_cut;
} CardSearch;

static bool holds_ignoring_case(Str text, Str part)
{
  for (size_t i = 0; i + part.len <= text.len; i++) {
    if (str_equal_ignore_case(str_slice(text, i, i + part.len), part))
      return true;
  }
  return false;
}

static void add(CardSearch *search, FoundCard card)
{
  if (search->found.count < PICTURE_FOUND_LIMIT)
    vec_push(&search->found, card);
  else
    search->is_cut = true;
}

static void search_leaf(CardSearch *search, uint32_t number)
{
  const GraphWalk *walk = &search->writer.walk;
  const Leaf *leaf = &search->writer.tree->leaves[number];
  const Item *item = walk_item(walk, leaf->place);
  Str op = leaf->kind == CARD_INPUT ? (Str){ 0 } : walk_op(walk, leaf->place);
  Str name = leaf->kind == CARD_INPUT ? walk_name(walk, leaf->place) : (Str){ 0 };
  bool is_found = holds_ignoring_case(op, search->text) || holds_ignoring_case(name, search->text);
  for (uint32_t i = 0; leaf->kind != CARD_INPUT && i < item->def_count && !is_found; i++) {
    name = walk_name(walk, walk_definition(walk, leaf->place, i));
    is_found = holds_ignoring_case(name, search->text);
  }
  if (!is_found)
    return;
  if (name.len == 0 && item->def_count > 0)
    name = walk_name(walk, walk_definition(walk, leaf->place, 0));
  add(search, (FoundCard){ leaf->scope, NO_SCOPE, leaf->line, op.len > 0 ? op : name, name });
}

static void search_scope(CardSearch *search, uint32_t number)
{
  const TreeScope *scope = &search->writer.tree->scopes[number];
  Str title;
  Str detail;
  if (!scope->has_part || scope->part.kind != PART_MODULE || scope->is_dissolved)
    return;
  picture_scope_words(&search->writer, number, &title, &detail);
  if (holds_ignoring_case(title, search->text) || holds_ignoring_case(detail, search->text))
    add(search,
        (FoundCard){ scope->parent, number, search->writer.tree->leaves[scope->first_leaf].line, title, detail });
}

FoundCardList graph_picture_search(const FeatureContext *context, Str text)
{
  const PictureTree *tree = picture_tree_of(context);
  if (!tree || text.len == 0)
    return (FoundCardList){ 0 };
  CardSearch search = { .writer = picture_words_writer(context, tree), .text = text };
  for (uint32_t i = 0; i < tree->scope_count && !search.is_cut; i++)
    search_scope(&search, i);
  for (uint32_t i = 0; i < tree->leaf_count && !search.is_cut && !feature_is_cancelled(context); i++)
    search_leaf(&search, i);
  FoundCardList list = { vec_copy(&search.found, context->arena), search.found.count, search.is_cut };
  vec_free(&search.found);
  return list;
}
