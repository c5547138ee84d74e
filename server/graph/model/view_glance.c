// What the line of a definition in the same chunk tells of a value, without following it anywhere.

#include "graph/model/dump_view.h"

/// `type` begins with it and goes on to the end of the line.
static void read_dtype(Str type, Glance *glance)
{
  size_t end = 0;
  while (end < type.len && type.data[end] != '(' && type.data[end] != ' ' && type.data[end] != ',')
    end++;
  Str head = str_slice(type, 0, end);
  if (head.len == 0 || head.data[0] < 'A' || head.data[0] > 'Z')
    return;
  int number = scalar_type_number(head);
  glance->is_typed = number >= 0 || str_equal(head, STR("Tensor"));
  glance->dtypes = number >= 0 ? (uint16_t)(1u << number) : 0;
}

/// Before the first ` = `.
static size_t find_equals(Str line)
{
  size_t at = str_find_char(line, '=', 1);
  while (at != STR_NOT_FOUND && !(line.data[at - 1] == ' ' && at + 1 < line.len && line.data[at + 1] == ' '))
    at = str_find_char(line, '=', at + 1);
  return at;
}

/// `rest` is the line behind the name that it defines.
static Glance read_definition(Str rest)
{
  Glance glance = { .maker = MAKER_OTHER };
  if (!str_starts_with(rest, STR(" : ")))
    return (Glance){ .maker = MAKER_UNSURE };
  read_dtype(str_slice(rest, 3, rest.len), &glance);
  size_t at = find_equals(rest);
  if (at == STR_NOT_FOUND)
    return glance;
  Str node = str_slice(rest, at + 2, rest.len);
  bool is_only_one = str_find_char(str_slice(rest, 0, at), '%', 0) == STR_NOT_FOUND;
  if (str_starts_with(node, STR("prim::Constant[")))
    glance.maker = is_only_one ? MAKER_CONSTANT : MAKER_UNSURE;
  else if (str_starts_with(node, STR("prim::Constant(")))
    glance.maker = is_only_one ? MAKER_NONE : MAKER_UNSURE;
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
    Str rest = str_slice(chunk_text(state), symbol->start + symbol->len, state->text->len);
    *known = read_definition(str_slice(rest, 0, str_find_char(rest, '\n', 0)));
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
