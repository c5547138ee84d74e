#include "graph/model/part_writes.h"

#include "base/limits.h"

static bool is_among(Str op, const Str *ops, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (str_equal(ops[i], op))
      return true;
  }
  return false;
}

static bool is_part(Str op)
{
  return str_equal(op, STR("aten::select")) || str_equal(op, STR("aten::slice"));
}

static bool is_view(Str op)
{
  static const Str views[] = {
    // Keep alphabetized.
    STR_INIT("aten::T"),        STR_INIT("aten::alias"),     STR_INIT("aten::as_strided"), STR_INIT("aten::detach"),
    STR_INIT("aten::diagonal"), STR_INIT("aten::expand"),    STR_INIT("aten::expand_as"),  STR_INIT("aten::mT"),
    STR_INIT("aten::movedim"),  STR_INIT("aten::narrow"),    STR_INIT("aten::permute"),    STR_INIT("aten::squeeze"),
    STR_INIT("aten::swapaxes"), STR_INIT("aten::t"),         STR_INIT("aten::transpose"),  STR_INIT("aten::unflatten"),
    STR_INIT("aten::unfold"),   STR_INIT("aten::unsqueeze"), STR_INIT("aten::view"),       STR_INIT("aten::view_as"),
  };
  return is_among(op, views, COUNT(views));
}

static bool makes_list_of_views(Str op)
{
  static const Str lists[] = { STR_INIT("aten::chunk"), STR_INIT("aten::split"), STR_INIT("aten::split_with_sizes"),
                               STR_INIT("aten::tensor_split"), STR_INIT("aten::unbind") };
  return is_among(op, lists, COUNT(lists));
}

bool part_writes_op_shares(Str op)
{
  return is_part(op) || is_view(op) || str_equal(op, STR("prim::ListUnpack"));
}

/// Whether the value that is used at `use` is used after the node, too, for more than its sizes.
static bool is_used_after(const GraphWalk *walk, Place use, Place node)
{
  Place definition, later;
  if (!walk_find_definition(walk, use, &definition))
    return false;
  UseCursor cursor = dump_uses_after(walk->dump, use);
  for (int i = 0; i < VIEW_SOURCE_BUDGET && walk_next_use(walk, definition, &cursor, &later); i++) {
    bool is_after = later.chunk != node.chunk ? later.chunk > node.chunk : later.item > node.item;
    if (is_after && !str_equal(walk_op(walk, later), STR("aten::size")))
      return true;
  }
  return false;
}

/// The `m.py:12:0` at the end of a line; empty if there is none.
static Str location_of(const GraphWalk *walk, Place place)
{
  const ChunkState *chunk = walk->dump->chunks[place.chunk];
  Str line = text_chunk_line(chunk->text, walk_item(walk, place)->line);
  for (size_t i = line.len; i-- > 1;) {
    if (line.data[i] == '#' && line.data[i - 1] == ' ')
      return str_trim(str_slice(line, i + 1, line.len));
  }
  return STR("");
}

/// Whether the exporter takes both for one statement: traced nodes, whose columns are not known, if they come from the
/// same line; scripted ones always.
static Truth is_one_statement(const GraphWalk *walk, Place a, Place b)
{
  Str x = location_of(walk, a);
  Str y = location_of(walk, b);
  if (x.len == 0 || y.len == 0)
    return TRUTH_UNKNOWN;
  bool is_traced = str_ends_with(x, STR(":0")) && str_ends_with(y, STR(":0"));
  return !is_traced || str_equal(x, y);
}

/// What a value is a part or a view of.
typedef struct Source {
  Place use;
  Truth is_part;  ///< Of what the exporter writes back to.
} Source;

/// From a value to its source, which becomes `ret_source`; false at the end.
static bool go_to_source(const GraphWalk *walk, Place node, Place use, Source *ret_source)
{
  Place definition;
  if (!walk_find_definition(walk, use, &definition) || walk_item(walk, definition)->kind != ITEM_STATEMENT ||
      walk_use_count(walk, definition) == 0)
    return false;
  Str op = walk_op(walk, definition);
  ret_source->is_part = is_part(op) ? is_one_statement(walk, definition, node) : TRUTH_NO;
  ret_source->use = walk_use(walk, definition, 0);
  if (!str_equal(op, STR("prim::ListUnpack")))
    return is_part(op) || is_view(op);
  if (!walk_find_definition(walk, ret_source->use, &definition) || !makes_list_of_views(walk_op(walk, definition)))
    return false;
  ret_source->use = walk_use(walk, definition, 0);
  return true;
}

static bool is_write(const GraphWalk *walk, Place node)
{
  return str_ends_with(walk_op(walk, node), STR("_")) && walk_use_count(walk, node) > 0;
}

bool part_writes_to_own_value(const GraphWalk *walk, Place node)
{
  Source source;
  return is_write(walk, node) && go_to_source(walk, node, walk_use(walk, node, 0), &source) &&
         source.is_part == TRUTH_NO;
}

Truth part_writes_back(const GraphWalk *walk, Place node)
{
  if (!is_write(walk, node))
    return TRUTH_NO;
  Source source = { .use = walk_use(walk, node, 0) };
  Source next = source;
  int count = 0;
  while (count < VIEW_COPY_DEPTH && go_to_source(walk, node, source.use, &next) && next.is_part == TRUTH_YES) {
    source = next;
    count++;
  }
  if (count == 0)
    return next.is_part == TRUTH_UNKNOWN ? TRUTH_UNKNOWN : TRUTH_NO;
  return is_used_after(walk, source.use, node);
}

Truth part_writes_are_lost(const GraphWalk *walk, Place node)
{
  if (!is_write(walk, node))
    return TRUTH_NO;
  Source source = { .use = walk_use(walk, node, 0) };
  bool is_lost = false;
  for (int i = 0; i < VIEW_COPY_DEPTH && go_to_source(walk, node, source.use, &source); i++) {
    if (!is_lost && source.is_part == TRUTH_UNKNOWN)
      return TRUTH_UNKNOWN;
    is_lost |= source.is_part == TRUTH_NO;
    if (is_lost && is_used_after(walk, source.use, node))
      return TRUTH_YES;
  }
  return TRUTH_NO;
}
