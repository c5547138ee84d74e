// What the line of a definition in the same chunk tells of a value, without following it anywhere.

#include "graph/model/dump_view.h"

/// `type` begins with it and goes on.
static void read_dtype(Str type, Glance *glance)
{
  size_t end = 0;
  while (end < type.len && type.data[end] != '(' && type.data[end] != ' ' && type.data[end] != ',' &&
         type.data[end] != '\n')
    end++;
  Str head = str_slice(type, 0, end);
  if (head.len == 0 || head.data[0] < 'A' || head.data[0] > 'Z')
    return;
  int number = scalar_type_number(head);
  glance->is_typed = number >= 0 || str_equal(head, STR("Tensor"));
  glance->dtypes = number >= 0 ? (uint16_t)(1u << number) : 0;
}

/// Where ` = ` ends on the line that the text begins with; 0 if it has none, or if another name comes before it.
static size_t find_node(Str text)
{
  for (size_t i = 1; i + 1 < text.len; i++) {
    char c = text.data[i];
    if (c == '=' && text.data[i - 1] == ' ' && text.data[i + 1] == ' ')
      return i + 2;
    if (c == '\n' || c == '%')
      break;
  }
  return 0;
}

/// `rest` is the text after the name that it defines.
static Glance read_definition(Str rest)
{
  Glance glance = { .maker = MAKER_OTHER };
  if (!str_starts_with(rest, STR(" : ")))
    return (Glance){ .maker = MAKER_UNSURE };
  read_dtype(str_slice(rest, 3, rest.len), &glance);
  size_t start = find_node(rest);
  if (start == 0)
    return glance;
  Str node = str_slice(rest, start, rest.len);
  if (!str_starts_with(node, STR("prim::")))
    return glance;
  if (str_starts_with(node, STR("prim::Constant[")))
    glance.maker = MAKER_CONSTANT;
  else if (str_starts_with(node, STR("prim::Constant(")))
    glance.maker = MAKER_NONE;
  else if (str_starts_with(node, STR("prim::ListConstruct(")))
    glance.maker = MAKER_LIST;
  else if (str_starts_with(node, STR("prim::NumToTensor(")))
    glance.is_typed = false;  // Its type is that of the number.
  return glance;
}

/// Of a name that another chunk defines, or this one more than once.
static Glance read_facts(DumpView *view, Place use)
{
  const ArgumentFacts *facts = dump_view_value(view, use);
  Glance glance = { .maker = MAKER_UNSURE };
  if (facts->is_const == TRUTH_YES && facts->is_none == TRUTH_NO)
    glance.maker = MAKER_CONSTANT;
  else if (facts->is_none == TRUTH_YES)
    glance.maker = MAKER_NONE;
  return glance;
}

static Glance glance_at(DumpView *view, Place use)
{
  const ChunkState *state = view->walk.dump->chunks[use.chunk];
  const DumpIndex *index = state->index;
  const Occurrence *occurrence = &index->occurrences[use.occurrence];
  const DumpSymbol *symbol = &index->symbols[occurrence->symbol];
  Glance unsure = { .maker = MAKER_UNSURE };
  if ((symbol->flags & SYMBOL_DEFINED_TWICE) || ((symbol->flags & SYMBOL_DEFINED) && symbol->start > occurrence->start))
    return unsure;
  if (!view->glances)
    view->glances = ARENA_ARRAY(view->arena, Glance, index->symbol_count + 1);
  Glance *known = &view->glances[occurrence->symbol];
  if (known->maker != MAKER_UNASKED)
    return *known;
  if (symbol->flags & SYMBOL_DEFINED) {
    *known = read_definition(str_slice(chunk_text(state), symbol->start + symbol->len, state->text->len));
  } else {
    *known = read_facts(view, use);
  }
  return *known;
}

bool dump_view_rules_out(DumpView *view, Place node, const ConditionPart *part)
{
  uint32_t count = walk_use_count(&view->walk, node);
  if (part->kind == PART_COUNT)
    return part->count != count;
  if (part->kind == PART_OTHER)
    return false;
  if (part->argument >= count)
    return true;  // Nothing is known of what is not there.
  view->node.chunk = node.chunk;
  Glance glance = glance_at(view, walk_use(&view->walk, node, part->argument));
  switch (part->kind) {
  case PART_VARIABLE:
    return glance.maker == MAKER_CONSTANT;
  case PART_NOT_NONE:
    return glance.maker == MAKER_NONE;
  case PART_NONE:
    return glance.maker == MAKER_CONSTANT || glance.maker == MAKER_LIST;
  case PART_NO_LIST:
    return glance.maker == MAKER_LIST;
  default:
    return glance.is_typed && (glance.dtypes & part->dtypes) == 0;
  }
}
