#include "graph/model/dynamic_axes.h"

#include "base/limits.h"
#include "graph/model/dump_view.h"

typedef enum Follows {
  FOLLOWS_NOTHING,
  FOLLOWS_FIRST,    ///< The result has the dimensions of the first argument.
  FOLLOWS_SPATIAL,  ///< The same but for the channels, and a dimension that is dynamic there is dynamic here.
  FOLLOWS_BOTH,     ///< Two arguments are broadcast.
} Follows;

typedef struct Follower {
  Str op;
  Follows follows;
} Follower;

static const Follower followers[] = {
  // Keep alphabetized.
  { STR_INIT("aten::_convolution"), FOLLOWS_SPATIAL },
  { STR_INIT("aten::abs"), FOLLOWS_FIRST },
  { STR_INIT("aten::add"), FOLLOWS_BOTH },
  { STR_INIT("aten::avg_pool1d"), FOLLOWS_SPATIAL },
  { STR_INIT("aten::avg_pool2d"), FOLLOWS_SPATIAL },
  { STR_INIT("aten::avg_pool3d"), FOLLOWS_SPATIAL },
  { STR_INIT("aten::batch_norm"), FOLLOWS_FIRST },
  { STR_INIT("aten::clamp"), FOLLOWS_FIRST },
  { STR_INIT("aten::clone"), FOLLOWS_FIRST },
  { STR_INIT("aten::contiguous"), FOLLOWS_FIRST },
  { STR_INIT("aten::conv1d"), FOLLOWS_SPATIAL },
  { STR_INIT("aten::conv2d"), FOLLOWS_SPATIAL },
  { STR_INIT("aten::conv3d"), FOLLOWS_SPATIAL },
  { STR_INIT("aten::detach"), FOLLOWS_FIRST },
  { STR_INIT("aten::div"), FOLLOWS_BOTH },
  { STR_INIT("aten::dropout"), FOLLOWS_FIRST },
  { STR_INIT("aten::elu"), FOLLOWS_FIRST },
  { STR_INIT("aten::exp"), FOLLOWS_FIRST },
  { STR_INIT("aten::flip"), FOLLOWS_FIRST },
  { STR_INIT("aten::gelu"), FOLLOWS_FIRST },
  { STR_INIT("aten::group_norm"), FOLLOWS_FIRST },
  { STR_INIT("aten::hardswish"), FOLLOWS_FIRST },
  { STR_INIT("aten::hardtanh"), FOLLOWS_FIRST },
  { STR_INIT("aten::instance_norm"), FOLLOWS_FIRST },
  { STR_INIT("aten::leaky_relu"), FOLLOWS_FIRST },
  { STR_INIT("aten::log"), FOLLOWS_FIRST },
  { STR_INIT("aten::max_pool1d"), FOLLOWS_SPATIAL },
  { STR_INIT("aten::max_pool2d"), FOLLOWS_SPATIAL },
  { STR_INIT("aten::max_pool3d"), FOLLOWS_SPATIAL },
  { STR_INIT("aten::mul"), FOLLOWS_BOTH },
  { STR_INIT("aten::neg"), FOLLOWS_FIRST },
  { STR_INIT("aten::pad"), FOLLOWS_FIRST },
  { STR_INIT("aten::pow"), FOLLOWS_BOTH },
  { STR_INIT("aten::prelu"), FOLLOWS_FIRST },
  { STR_INIT("aten::relu"), FOLLOWS_FIRST },
  { STR_INIT("aten::relu6"), FOLLOWS_FIRST },
  { STR_INIT("aten::sigmoid"), FOLLOWS_FIRST },
  { STR_INIT("aten::silu"), FOLLOWS_FIRST },
  { STR_INIT("aten::softmax"), FOLLOWS_FIRST },
  { STR_INIT("aten::sqrt"), FOLLOWS_FIRST },
  { STR_INIT("aten::sub"), FOLLOWS_BOTH },
  { STR_INIT("aten::tanh"), FOLLOWS_FIRST },
  { STR_INIT("aten::to"), FOLLOWS_FIRST },
};

/// What must be dynamic for the value to be.
typedef struct Need {
  Place definition;
  uint32_t axes;
} Need;

typedef struct Search {
  const GraphWalk *walk;
  Arena *arena;
  Need needs[VIEW_AXES_BUDGET];
  uint32_t count;
  uint32_t axes;  ///< What all that was looked at allows.
} Search;

static Follows follows_of(Str op)
{
  if (str_ends_with(op, STR("_")) && !str_ends_with(op, STR("__")))
    op.len--;  // In place.
  for (size_t i = 0; i < COUNT(followers); i++) {
    if (str_equal(followers[i].op, op))
      return followers[i].follows;
  }
  return FOLLOWS_NOTHING;
}

static ArgumentFacts type_of(const Search *search, Place definition)
{
  ArgumentFacts facts = argument_unknown;
  dump_view_type(walk_type(search->walk, definition), search->arena, &facts);
  return facts;
}

static void need(Search *search, Place definition, uint32_t axes)
{
  for (uint32_t i = 0; i < search->count; i++) {
    Need *known = &search->needs[i];
    bool is_same = known->definition.chunk == definition.chunk && known->definition.occurrence == definition.occurrence;
    if (is_same && (known->axes & axes) == axes)
      return;
  }
  if (search->count == VIEW_AXES_BUDGET || axes == 0)
    search->axes &= ~axes;
  else
    search->needs[search->count++] = (Need){ definition, axes };
}

/// The argument's own dynamic axes, if it is an input of the graph.
static void look_at_input(Search *search, Need wanted)
{
  ItemKind kind = walk_item(search->walk, wanted.definition)->kind;
  ArgumentFacts facts = type_of(search, wanted.definition);
  uint32_t dynamic = 0;
  bool is_input = kind == ITEM_GRAPH_HEADER || kind == ITEM_PARAMETERS;
  for (uint32_t i = 0; is_input && i < facts.sizes.count; i++)
    dynamic |= facts.sizes.items[i].kind == VALUE_UNKNOWN ? 1u << i : 0;
  search->axes &= ~(wanted.axes & ~dynamic);
}

/// What one of two broadcast arguments must have: nothing where it is stretched, or has no dimension.
static uint32_t stretched(const ArgumentFacts *facts, int32_t rank)
{
  uint32_t axes = 0;
  for (int32_t i = 0; i < rank; i++) {
    int32_t own = i - (rank - facts->rank);
    bool is_one = own < 0 || (facts->sizes.items[own].kind == VALUE_NUMBER && facts->sizes.items[own].number == 1);
    axes |= is_one ? 1u << i : 0;
  }
  return axes;
}

/// Any of them is dynamic only if no other one has a size of its own there.
static void look_at_both(Search *search, Need wanted, int32_t rank)
{
  uint32_t covered = 0;
  for (uint32_t i = 0; i < 2; i++) {
    Place argument;
    ArgumentFacts facts = argument_unknown;
    if (walk_find_definition(search->walk, walk_use(search->walk, wanted.definition, i), &argument))
      facts = type_of(search, argument);
    bool is_number = facts.is_tensor == TRUTH_NO || facts.rank == 0;
    uint32_t axes = is_number ? 0 : wanted.axes;
    if (!is_number && facts.sizes.kind == VALUE_LIST && facts.rank <= rank)
      axes &= ~stretched(&facts, rank);
    if (!is_number && facts.rank != rank)
      search->axes &= ~axes;
    else if (axes != 0)
      need(search, argument, axes);
    covered |= axes;
  }
  search->axes &= ~(wanted.axes & ~covered);
}

static void look_at(Search *search, Need wanted)
{
  const GraphWalk *walk = search->walk;
  wanted.axes &= search->axes;
  if (walk_item(walk, wanted.definition)->kind != ITEM_STATEMENT) {
    look_at_input(search, wanted);
    return;
  }
  Follows follows = follows_of(walk_op(walk, wanted.definition));
  int32_t rank = type_of(search, wanted.definition).rank;
  if (follows == FOLLOWS_BOTH && walk_use_count(walk, wanted.definition) >= 2) {
    look_at_both(search, wanted, rank);
    return;
  }
  Place source;
  bool is_followed =
      follows != FOLLOWS_NOTHING && follows != FOLLOWS_BOTH && walk_use_count(walk, wanted.definition) > 0 &&
      walk_find_definition(walk, walk_use(walk, wanted.definition, 0), &source) && type_of(search, source).rank == rank;
  uint32_t lost = !is_followed ? ~0u : follows == FOLLOWS_SPATIAL ? 2u : 0;
  search->axes &= ~(wanted.axes & lost);
  if (is_followed && (wanted.axes & ~lost) != 0)
    need(search, source, wanted.axes & ~lost);
}

uint32_t dynamic_axes_of(const GraphWalk *walk, Place definition, Arena *arena)
{
  Search search = { .walk = walk, .arena = arena };
  int32_t rank = type_of(&search, definition).rank;
  if (rank <= 0 || rank > DIM_LIMIT)
    return 0;
  search.axes = (1u << rank) - 1;
  need(&search, definition, search.axes);
  for (uint32_t i = 0; i < search.count && search.axes != 0; i++)
    look_at(&search, search.needs[i]);
  return search.axes;
}

bool dynamic_axes_are_in_graph(const GraphWalk *walk, Place node)
{
  const Graph *graph = &walk->dump->graphs[walk_graph(walk, node)];
  if (!(graph->flags & SEGMENT_HEADER))
    return false;
  const DumpIndex *index = walk->dump->chunks[graph->first_chunk]->index;
  Place place = { graph->first_chunk, index->segments[graph->first_segment].first_item, 0 };
  bool is_found = false, is_header = true;
  while (is_header) {
    if (walk->trace)
      trace_add_items(walk->trace, place.chunk, place.item, place.item);
    for (uint32_t i = 0; i < walk_item(walk, place)->def_count && !is_found; i++)
      is_found = str_find_char(walk_type(walk, walk_definition(walk, place, i)), '*', 0) != STR_NOT_FOUND;
    is_header = !is_found && walk_next(walk, place, &place) && walk_item(walk, place)->kind == ITEM_PARAMETERS;
  }
  return is_found;
}
