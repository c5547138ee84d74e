// Items of a chunk: the names of a line, which blocks are open, and what can be seen from where.

#include "base/ascii.h"
#include "base/limits.h"
#include "graph/model/lowering.h"

// --- Blocks ---

/// Definitions beyond the first `mark` can't be seen any more.
static void hide_definitions(Lowering *lowering, uint32_t mark)
{
  while (lowering->visible_defs.count > mark) {
    uint32_t symbol = lowering->visible_defs.items[--lowering->visible_defs.count];
    lowering->is_visible.items[symbol] = false;
    lowering->symbols.items[symbol].open = INDENT_GRAPH;
  }
}

void lowering_close_blocks(Lowering *lowering, int16_t indent)
{
  Segment *s = lowering_segment(lowering);
  if (s->flags & SEGMENT_HEADER_OPEN)  // Lines of the header are missing, or could not be read.
    s->flags = (uint16_t)((s->flags & ~SEGMENT_HEADER_OPEN) | SEGMENT_GAP);
  lowering->is_body = true;
  if (lowering->blocks.count > 0) {
    OpenBlock *innermost = vec_last(&lowering->blocks);
    if (innermost->is_empty && indent <= innermost->header.indent)
      s->flags |= SEGMENT_UNINDENTED;
    innermost->is_empty = false;
  }
  while (lowering->blocks.count > 0 && vec_last(&lowering->blocks)->header.indent >= indent) {
    hide_definitions(lowering, vec_last(&lowering->blocks)->def_mark);
    lowering->blocks.count--;
  }
  if (s->first_indent == INDENT_LIMIT)
    s->first_indent = indent;
  if (indent >= s->min_indent)
    return;
  s->min_indent = indent;
  // This may have ended a block that was open before the chunk; only the first segment can be inside of one.
  if (lowering->segments.count == 1)
    hide_definitions(lowering, 0);
}

// --- Lines ---

uint32_t lowering_line_end(const Lowering *lowering, uint32_t line)
{
  return line + 1 < lowering->line_count ? lowering->starts[line + 1] : (uint32_t)lowering->text.len;
}

Str lowering_line_text(const Lowering *lowering)
{
  uint32_t line_end = lowering_line_end(lowering, lowering->line);
  return str_trim(str_slice(lowering->text, lowering->starts[lowering->line], line_end));
}

int16_t lowering_indent(Str text, uint32_t offset)
{
  int16_t indent = 0;
  while (offset < text.len && indent < INDENT_LIMIT - 1 && ascii_is_blank(text.data[offset])) {
    offset++;
    indent++;
  }
  return offset < text.len && text.data[offset] == '=' && indent > 0 ? (int16_t)(indent - 1) : indent;
}

void lowering_begin_item(Lowering *lowering, Item *item)
{
  lowering_settle_text(lowering);
  item->first_occurrence = (uint32_t)lowering->occurrences.count;
  vec_clear(&lowering->line_defs);
  vec_clear(&lowering->line_uses);
  lowering->first_type = SHOWN_UNASKED;
}

// --- Names ---

NameSpan lowering_name_of(const Lowering *lowering, const SyntaxNode *node)
{
  char sign = lowering->dialect->name_sign;
  NameSpan name = { node->start, node->end };
  while (sign && name.start < name.end && lowering->text.data[name.start] != sign)
    name.start++;
  return name;
}

/// A bare `%` is a missing input of a printable graph.
static bool names_value(const Lowering *lowering, NameSpan name)
{
  return name.end - name.start > (lowering->dialect->name_sign ? 1 : 0);
}

void lowering_add_use(Lowering *lowering, NameSpan name)
{
  if (!names_value(lowering, name))
    return;
  uint32_t id = lowering_add_symbol(lowering, name.start, name.end - name.start);
  lowering->symbols.items[id].flags |= SYMBOL_USED;
  lowering->symbols.items[id].use_count++;
  if (!lowering->is_visible.items[id])
    lowering->symbols.items[id].flags |= SYMBOL_IMPORTED;
  vec_push(&lowering->line_uses, (Occurrence){ id, name.start });
}

/// `%x : ComplexFloat(2)`, `%y: complex`
static bool has_complex_type(Str text, uint32_t name_end)
{
  bool is_typed = name_end + 4 <= text.len && memcmp(text.data + name_end, " : ", 3) == 0;
  if (is_typed && ascii_is_letter(text.data[name_end + 3]) && (text.data[name_end + 3] | 0x20) != 'c')
    return false;  // As nearly always.
  size_t at = name_end;
  while (at < text.len && (text.data[at] == ':' || ascii_is_space(text.data[at])))
    at++;
  return at < text.len && (text.data[at] == 'C' || text.data[at] == 'c') &&
         str_starts_with(str_slice(text, at + 1, text.len), STR("omplex"));
}

void lowering_add_definition(Lowering *lowering, NameSpan name)
{
  lowering->is_complex = lowering->is_complex || has_complex_type(lowering->text, name.end);
  if (!names_value(lowering, name))
    return;
  if (lowering->line_defs.count == 0)
    lowering->first_type = shown_type_after(str_slice(lowering->text, name.end, lowering->text.len));
  vec_push(&lowering->line_defs,
           (Occurrence){ lowering_add_symbol(lowering, name.start, name.end - name.start), name.start });
}

static void define(Lowering *lowering, Occurrence definition)
{
  DumpSymbol *symbol = &lowering->symbols.items[definition.symbol];
  if (symbol->flags & SYMBOL_DEFINED)
    symbol->flags |= SYMBOL_DEFINED_TWICE;
  else
    symbol->start = definition.start;
  symbol->flags |= SYMBOL_DEFINED;
  if (lowering->blocks.count == 0)
    symbol->outer = lowering_segment(lowering)->min_indent;
  if (lowering->is_visible.items[definition.symbol])
    return;
  lowering->is_visible.items[definition.symbol] = true;
  symbol->open = lowering->blocks.count > 0 ? vec_last(&lowering->blocks)->header.indent : INDENT_GRAPH;
  vec_push(&lowering->visible_defs, definition.symbol);
}

void lowering_end_item(Lowering *lowering, Item *item)
{
  for (size_t i = 0; i < lowering->line_defs.count; i++)
    define(lowering, lowering->line_defs.items[i]);
  item->def_count = (uint32_t)lowering->line_defs.count;
  item->shown_type = lowering->first_type;
  vec_append(&lowering->occurrences, lowering->line_defs.items, lowering->line_defs.count);
  vec_append(&lowering->occurrences, lowering->line_uses.items, lowering->line_uses.count);
  vec_push(&lowering->items, *item);
}

// --- Problems ---

void lowering_add_problem(Lowering *lowering, const SyntaxNode *node)
{
  // One problem a line says enough.
  if (lowering->problems.count > 0 && vec_last(&lowering->problems)->start >= lowering->starts[lowering->line])
    return;
  vec_push(&lowering->problems, (SyntaxProblem){ node->start, node->end, node->kind == NODE_MISSING });
}
