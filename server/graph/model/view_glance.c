// What the line of a definition in the same chunk tells of a value, without following it anywhere.

#include "base/ascii.h"
#include "graph/model/dump_view.h"

/// How many sizes stand after the bracket: digits, `*`, and strides after a colon.
static int8_t read_rank(Str text)
{
  int8_t rank = 0;
  size_t i = 0;
  while (i < text.len && rank < INT8_MAX && (text.data[i] == '*' || ascii_is_digit(text.data[i]))) {
    rank++;
    while (i + 1 < text.len && text.data[i] != ',' && text.data[i] != ')' && text.data[i] != '\n')
      i++;
    if (!str_starts_with(str_slice(text, i, text.len), STR(", ")))
      break;
    i += 2;
  }
  return rank;
}

/// `type` begins with it and goes on.
static void read_type(Str type, Glance *glance)
{
  size_t end = 0;
  while (end < type.len && type.data[end] != '(' && type.data[end] != ' ' && type.data[end] != ',' &&
         type.data[end] != '\n')
    end++;
  Str head = str_slice(type, 0, end);
  if (head.len == 0 || head.data[0] < 'A' || head.data[0] > 'Z')
    return;
  int number = outcome_scalar_type_number(head);
  glance->is_typed = number >= 0 || str_equal(head, STR("Tensor"));
  glance->dtypes = number >= 0 ? (uint16_t)(1u << number) : 0;
  if (number >= 0 && end < type.len && type.data[end] == '(')
    glance->rank = read_rank(str_slice(type, end + 1, type.len));
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
static Maker read_maker(Str rest)
{
  size_t start = str_starts_with(rest, STR(" : ")) ? find_node(rest) : 0;
  if (start == 0)
    return str_starts_with(rest, STR(" : ")) ? MAKER_OTHER : MAKER_UNSURE;
  Str node = str_slice(rest, start, rest.len);
  if (!str_starts_with(node, STR("prim::")))
    return MAKER_OTHER;
  if (str_starts_with(node, STR("prim::Constant[")))
    return MAKER_CONSTANT;
  if (str_starts_with(node, STR("prim::Constant(")))
    return MAKER_NONE;
  if (str_starts_with(node, STR("prim::ListConstruct(")))
    return MAKER_LIST;
  return str_starts_with(node, STR("prim::NumToTensor(")) ? MAKER_NUMBER : MAKER_OTHER;
}

/// Of a name that another chunk defines.
static Glance read_elsewhere(const DumpView *view, Place use)
{
  Glance glance = { .maker = MAKER_UNSURE, .is_type_known = true, .rank = RANK_UNKNOWN };
  Place definition;
  if (!walk_find_definition(&view->walk, use, &definition))
    return glance;
  const ChunkState *state = view->walk.dump->chunks[definition.chunk];
  const Occurrence *occurrence = &state->index->occurrences[definition.occurrence];
  const DumpSymbol *symbol = &state->index->symbols[occurrence->symbol];
  Str rest = str_slice(chunk_text(state), occurrence->start + symbol->len, state->text->len);
  glance.maker = (uint8_t)read_maker(rest);
  if (str_starts_with(rest, STR(" : ")))
    read_type(str_slice(rest, 3, rest.len), &glance);
  return glance;
}

/// Of the name of a use; NULL if it isn't sure which definition that means.
static Glance *glance_of(DumpView *view, Place use)
{
  const DumpIndex *index = view->walk.dump->chunks[use.chunk]->index;
  const Occurrence *occurrence = &index->occurrences[use.occurrence];
  const DumpSymbol *symbol = &index->symbols[occurrence->symbol];
  if ((symbol->flags & SYMBOL_DEFINED_TWICE) || ((symbol->flags & SYMBOL_DEFINED) && symbol->start > occurrence->start))
    return NULL;
  if (!view->glances)
    view->glances = ARENA_ARRAY(view->arena, Glance, index->symbol_count + 1);
  Glance *glance = &view->glances[occurrence->symbol];
  if (glance->maker == MAKER_UNASKED && !(symbol->flags & SYMBOL_DEFINED))
    *glance = read_elsewhere(view, use);
  return glance;
}

/// The text after the name where it is defined.
static Str definition_text(const DumpView *view, Place use)
{
  const ChunkState *state = view->walk.dump->chunks[use.chunk];
  const DumpSymbol *symbol = &state->index->symbols[state->index->occurrences[use.occurrence].symbol];
  return str_slice(chunk_text(state), symbol->start + symbol->len, state->text->len);
}

static Maker maker_of(DumpView *view, Place use, Glance *glance)
{
  if (glance->maker == MAKER_UNASKED)
    glance->maker = (uint8_t)read_maker(definition_text(view, use));
  return (Maker)glance->maker;
}

static const Glance *typed(DumpView *view, Place use, Glance *glance)
{
  if (glance->is_type_known)
    return glance;
  glance->is_type_known = true;
  glance->rank = RANK_UNKNOWN;
  Str rest = definition_text(view, use);
  if (str_starts_with(rest, STR(" : ")))
    read_type(str_slice(rest, 3, rest.len), glance);
  return glance;
}

/// A list of constants is constant, or is changed later: it is certainly not variable.
static bool holds_constants(DumpView *view, Place use, Glance *glance)
{
  Place list;
  if (maker_of(view, use, glance) != MAKER_LIST)
    return glance->maker == MAKER_CONSTANTS;
  if (!walk_find_definition(&view->walk, use, &list) || list.chunk != use.chunk)
    return false;
  uint32_t count = walk_use_count(&view->walk, list);
  for (uint32_t i = 0; i < count; i++) {
    Place element = walk_use(&view->walk, list, i);
    Glance *of = glance_of(view, element);
    if (!of || maker_of(view, element, of) != MAKER_CONSTANT)
      return false;
  }
  glance->maker = MAKER_CONSTANTS;
  return true;
}

/// A number's type is not that of the tensor that stands for it, which has no dimension.
static bool is_number(DumpView *view, Place use, Glance *glance)
{
  return glance->rank <= 0 && maker_of(view, use, glance) == MAKER_NUMBER;
}

static bool is_list(Maker maker)
{
  return maker == MAKER_LIST || maker == MAKER_CONSTANTS;
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
  Place use = walk_use(&view->walk, node, part->argument);
  Glance *glance = glance_of(view, use);
  if (!glance)
    return false;
  switch (part->kind) {
  case PART_VARIABLE:
    return maker_of(view, use, glance) == MAKER_CONSTANT || holds_constants(view, use, glance);
  case PART_NOT_NONE:
    return maker_of(view, use, glance) == MAKER_NONE;
  case PART_NONE:
    return maker_of(view, use, glance) == MAKER_CONSTANT || is_list(maker_of(view, use, glance));
  case PART_NO_LIST:
    return is_list(maker_of(view, use, glance));
  case PART_RANK:
    return typed(view, use, glance)->rank != RANK_UNKNOWN && glance->rank != (int)part->count &&
           !is_number(view, use, glance);
  default:
    return typed(view, use, glance)->is_typed && (glance->dtypes & part->dtypes) == 0 && !is_number(view, use, glance);
  }
}
