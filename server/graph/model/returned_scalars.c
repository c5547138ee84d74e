#include "graph/model/returned_scalars.h"

#include "base/ascii.h"
#include "base/limits.h"

typedef struct Search {
  const GraphWalk *walk;
  Place stack[VIEW_SOURCE_BUDGET];
  uint32_t depth;
  uint32_t budget;
} Search;

static bool is_conversion(Str op)
{
  return str_equal(op, STR("aten::to")) || str_equal(op, STR("aten::type_as"));
}

/// "Double(2, 3, ...)", not "Double(requires_grad=0, ...)".
static bool has_dimensions(Str type)
{
  size_t open = str_find_char(type, '(', 0);
  if (open == STR_NOT_FOUND || open + 1 >= type.len)
    return false;
  char first = type.data[open + 1];
  return first == '*' || ascii_is_digit(first);
}

static bool meets_dimensions(const GraphWalk *walk, Place node)
{
  uint32_t count = walk_use_count(walk, node);
  for (uint32_t i = 0; i < count; i++) {
    Place definition;
    if (walk_find_definition(walk, walk_use(walk, node, i), &definition) && has_dimensions(walk_type(walk, definition)))
      return true;
  }
  return false;
}

/// Looks at the uses of a value; true when one of them returns it.
static bool follow(Search *search, Place definition)
{
  UseCursor cursor = dump_uses_after(search->walk->dump, definition);
  Place use;
  while (search->budget > 0 && walk_next_use(search->walk, definition, &cursor, &use)) {
    search->budget--;
    if (walk_item(search->walk, use)->kind == ITEM_RETURN)
      return true;
    if (walk_item(search->walk, use)->kind == ITEM_STATEMENT && !is_conversion(walk_op(search->walk, use)) &&
        !meets_dimensions(search->walk, use) && search->depth < VIEW_SOURCE_BUDGET)
      search->stack[search->depth++] = use;
  }
  return false;
}

Truth returned_scalars_keep_type(const GraphWalk *walk, Place node)
{
  Search search = { .walk = walk, .stack = { node }, .depth = 1, .budget = VIEW_SOURCE_BUDGET };
  while (search.depth > 0) {
    Place place = search.stack[--search.depth];
    const Item *item = walk_item(walk, place);
    for (uint32_t i = 0; i < item->def_count; i++) {
      if (follow(&search, walk_definition(walk, place, i)))
        return TRUTH_YES;
    }
  }
  return search.budget > 0 ? TRUTH_NO : TRUTH_UNKNOWN;
}
