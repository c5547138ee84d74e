// Lines that could not be read: what they surely define and use, so that one mistake stays one mistake.

#include "graph/model/damaged_text.h"
#include "graph/model/lowering.h"

/// Whether another item of the line, read from its sound beginning, defines the name at `start`.
static bool defines_at(const Lowering *lowering, uint32_t line, uint32_t start)
{
  for (size_t i = lowering->items.count; i-- > 0 && lowering->items.items[i].line == line;) {
    const Item *item = &lowering->items.items[i];
    for (uint32_t o = item->first_occurrence; o < item->first_occurrence + item->def_count; o++) {
      if (lowering->occurrences.items[o].start == start)
        return true;
    }
  }
  return false;
}

static NameSpan first_name(const Lowering *lowering, Str line)
{
  size_t len = 1;
  while (len < line.len && line.data[len] != ' ' && line.data[len] != ',' && line.data[len] != ':' &&
         line.data[len] != '=')
    len++;
  uint32_t start = (uint32_t)(line.data - lowering->text.data);
  return (NameSpan){ start, start + (uint32_t)len };
}

/// Takes the names before the `=`: they are surely defined, whatever became of their types.
static uint32_t add_damaged_definitions(Lowering *lowering, Str rest)
{
  NameSpan first = first_name(lowering, rest);
  if (!defines_at(lowering, lowering->line, first.start))
    lowering_add_definition(lowering, first);
  size_t assignment = text_find_assignment(rest);
  if (assignment == rest.len)
    return first.end;
  NameSpan name = first;
  for (size_t at = name.end - first.start; at < assignment; at++) {
    if (rest.data[at] != lowering->dialect->name_sign || rest.data[at - 1] != ' ' || rest.data[at - 2] != ',')
      continue;
    name = first_name(lowering, str_slice(rest, at, assignment));
    if (!defines_at(lowering, lowering->line, name.start))
      lowering_add_definition(lowering, name);
  }
  return name.end;
}

void lowering_add_damaged_names(Lowering *lowering, Str rest, const SyntaxNode *nodes, size_t count)
{
  uint32_t line = lowering->line;
  Item item = { .line = line, .op = NO_OP, .kind = ITEM_STATEMENT };
  item.indent = (uint16_t)lowering_indent(lowering->text, lowering->starts[line]);
  if (lowering->is_closed)
    lowering_next_segment(lowering, 0);
  lowering_close_blocks(lowering, (int16_t)item.indent);
  lowering_begin_item(lowering, &item);
  uint32_t names_end = add_damaged_definitions(lowering, rest);
  for (size_t i = 0; i < count; i++) {
    if (nodes[i].kind == NODE_VALUE_REF && nodes[i].start >= names_end)
      lowering_add_use(lowering, lowering_name_of(lowering, &nodes[i]));
  }
  lowering_end_item(lowering, &item);
}

void lowering_add_damaged_line(Lowering *lowering, const SyntaxNode *nodes, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (nodes[i].kind == NODE_ERROR || nodes[i].kind == NODE_MISSING)
      lowering_add_problem(lowering, &nodes[i]);
  }
  Str rest = lowering_line_text(lowering);
  if (rest.len >= 2 && rest.data[0] == lowering->dialect->name_sign)
    lowering_add_damaged_names(lowering, rest, nodes, count);
}
