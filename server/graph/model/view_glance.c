// Conditions that are ruled out at a glance. Most tests end with a look at who made the argument, or at its element
// type: a few loads for each.

#include "graph/model/view_glance.h"

#include "graph/model/glance_names.h"

/// A node and what its tests need again and again.
typedef struct GlanceNode {
  DumpView *view;
  const ChunkState *state;
  const Occurrence *uses;
  Place first_use;
  uint32_t use_count;
} GlanceNode;

// --- Tests ---

enum {
  TEST_NEVER = PART_OTHER + 1,  ///< Rules nothing out.
};

/// The makers that rule a part out, as bits.
static uint16_t makers_against(ConditionPartKind kind)
{
  enum { LISTS = 1 << MAKER_LIST | 1 << MAKER_CONSTANTS, SHARED = 1 << MAKER_VIEW | 1 << MAKER_UNSURE };
  switch (kind) {
  case PART_VARIABLE:
    return 1 << MAKER_CONSTANT | 1 << MAKER_CONSTANTS;
  case PART_NOT_NONE:
    return 1 << MAKER_NONE;
  case PART_NONE:
    return 1 << MAKER_CONSTANT | LISTS;
  case PART_NO_LIST:
    return LISTS;
  case PART_WRITE:
    return (uint16_t)~SHARED;
  default:
    return 0;
  }
}

/// What a type may be that is open, or one of these.
static uint32_t wanted_types(uint32_t dtypes)
{
  return dtypes << SHOWN_FIRST | 1 << SHOWN_OPEN;
}

static GlanceTest test_of(const ConditionPart *part)
{
  return (GlanceTest){ .kind = (uint8_t)part->kind,
                       .argument = (uint8_t)part->argument,
                       .makers = makers_against(part->kind),
                       .wanted = part->kind == PART_DTYPE ? wanted_types(part->dtypes) : part->count,
                       .number = part->number };
}

void glance_add_condition(GlanceTestVec *tests, const ConditionPart *parts, uint32_t count)
{
  size_t first = tests->count;
  for (const ConditionPart *part = parts; part < parts + count; part++) {
    if (part->kind != PART_OTHER || part->wants_number)
      vec_push(tests, test_of(part));
  }
  if (tests->count == first)
    vec_push(tests, (GlanceTest){ .kind = TEST_NEVER });
  for (size_t i = first; i < tests->count; i++)
    tests->items[i].next = (uint32_t)tests->count;
  vec_last(tests)->is_last = true;
}

void glance_add_types(GlanceTestVec *tests, uint32_t dtypes)
{
  vec_push(tests, (GlanceTest){ .kind = PART_DTYPE, .wanted = wanted_types(dtypes), .next = UINT32_MAX });
}

GlanceTests glance_tests(const GlanceTestVec *tests, Arena *arena)
{
  ArgumentBits arguments = 0;
  for (size_t i = 0; i < tests->count; i++) {
    if (tests->items[i].kind != PART_COUNT)
      arguments |= argument_bit(tests->items[i].argument);
  }
  return (GlanceTests){ vec_copy(tests, arena), (uint32_t)tests->count, arguments };
}

// --- Names ---

static GlanceNode node_at(DumpView *view, Place place)
{
  const ChunkState *state = view->walk.dump->chunks[place.chunk];
  const Item *item = &state->index->items[place.item];
  view->node.chunk = place.chunk;
  glance_names_tables(view);
  uint32_t first_use = item->first_occurrence + item->def_count;
  return (GlanceNode){ view,
                       state,
                       state->index->occurrences + first_use,
                       { place.chunk, place.item, first_use },
                       item[1].first_occurrence - first_use };
}

static Place use_of(const GlanceNode *node, uint32_t i)
{
  return (Place){ node->first_use.chunk, node->first_use.item, node->first_use.occurrence + i };
}

/// Of a name that the node uses.
static Glance *glance_of(const GlanceNode *node, uint32_t i)
{
  Glance *glance = &node->view->names.glances[node->uses[i].symbol];
  if (glance->maker == MAKER_UNASKED) {
    *glance = glance_names_ask(node->view, use_of(node, i));
    glance_names_note(node->view, node->uses[i].symbol);
  }
  return glance;
}

/// Whether it is certain that the node means this definition: the only one, and an earlier line. A line that defines
/// the name anew uses what it meant before. NO_ITEM and one is 0.
static bool is_sure(const GlanceNode *node, const Glance *glance)
{
  return glance->maker != MAKER_UNSURE && glance->item + 1 <= node->first_use.item;
}

static int rank_of(const GlanceNode *node, uint32_t i, Glance *glance)
{
  if (glance->rank == RANK_UNASKED)
    glance_names_read_rank(node->state, node->uses[i].symbol, glance);
  return glance->rank;
}

/// The number that a constant is. What was read last is kept, as many nodes share a constant.
static const GlanceNumber *number_of(const GlanceNode *node, uint32_t i, const Glance *glance)
{
  DumpView *view = node->view;
  uint32_t symbol = node->uses[i].symbol;
  GlanceNumber *number = &view->numbers[symbol % COUNT(view->numbers)];
  if (number->symbol_after == symbol + 1)
    return number;
  *number = (GlanceNumber){ .symbol_after = symbol + 1 };
  Place definition = { node->first_use.chunk, glance->item, 0 };
  if (glance->item == NO_ITEM && !walk_find_definition(&view->walk, use_of(node, i), &definition))
    return number;
  Value value = dump_view_constant(view, definition);
  number->is_number = value.kind == VALUE_NUMBER;
  number->number = value.number;
  return number;
}

/// What is left to find out where the maker of the argument doesn't rule a part out.
typedef bool LaterTest(const GlanceNode *node, const GlanceTest *test, Glance *glance);

static bool rules_nothing_out(const GlanceNode *node, const GlanceTest *test, Glance *glance)
{
  (void)node;
  (void)test;
  (void)glance;
  return false;
}

static bool is_other_number(const GlanceNode *node, const GlanceTest *test, Glance *glance)
{
  if (glance->maker != MAKER_CONSTANT)
    return false;
  const GlanceNumber *number = number_of(node, test->argument, glance);
  return number->is_number && number->number != test->number;
}

/// A number's type is not that of the tensor that stands for it, which has no dimension.
static bool is_number(const GlanceNode *node, uint32_t i, Glance *glance)
{
  return glance->maker == MAKER_NUMBER && rank_of(node, i, glance) <= 0;
}

static bool is_other_type(const GlanceNode *node, const GlanceTest *test, Glance *glance)
{
  if (glance->type == SHOWN_UNASKED)
    glance_names_read_type(node->state, node->uses[test->argument].symbol, glance);
  return !(test->wanted >> glance->type & 1) && !is_number(node, test->argument, glance);
}

static bool is_other_rank(const GlanceNode *node, const GlanceTest *test, Glance *glance)
{
  int rank = rank_of(node, test->argument, glance);
  return rank != RANK_UNKNOWN && rank != (int)test->wanted && !is_number(node, test->argument, glance);
}

/// A list of constants is constant, or is changed later: it is certainly not variable.
static bool holds_constants(const GlanceNode *node, const GlanceTest *test, Glance *glance)
{
  (void)test;
  if (glance->maker != MAKER_LIST || glance->item == NO_ITEM)
    return false;
  GlanceNode list = node_at(node->view, (Place){ node->first_use.chunk, glance->item, 0 });
  for (uint32_t i = 0; i < list.use_count; i++) {
    const Glance *element = glance_of(&list, i);
    if (element->maker != MAKER_CONSTANT || !is_sure(&list, element))
      return false;
  }
  glance->maker = MAKER_CONSTANTS;
  return true;
}

static LaterTest *const later_tests[] = {
  [PART_COUNT] = rules_nothing_out, [PART_VARIABLE] = holds_constants,  [PART_NOT_NONE] = rules_nothing_out,
  [PART_NONE] = rules_nothing_out,  [PART_NO_LIST] = rules_nothing_out, [PART_DTYPE] = is_other_type,
  [PART_RANK] = is_other_rank,      [PART_OTHER] = is_other_number,     [TEST_NEVER] = rules_nothing_out,
  [PART_WRITE] = rules_nothing_out,
};

static bool argument_says_no(const GlanceNode *node, const GlanceTest *test)
{
  Glance *glance = glance_of(node, test->argument);
  if (!is_sure(node, glance))
    return false;
  return (test->makers >> glance->maker & 1) || later_tests[test->kind](node, test, glance);
}

static bool says_no(const GlanceNode *node, const GlanceTest *test)
{
  if (test->kind == PART_COUNT)
    return test->wanted != node->use_count;
  // Nothing is known of what is not there.
  return test->argument >= node->use_count ? test->kind != TEST_NEVER : argument_says_no(node, test);
}

bool glance_may_hold(DumpView *view, Place node, GlanceTests tests)
{
  GlanceNode at = node_at(view, node);
  for (uint32_t i = 0; i < tests.count;) {
    const GlanceTest *test = &tests.items[i];
    if (says_no(&at, test))
      i = test->next;
    else if (test->is_last)
      return true;
    else
      i++;
  }
  return false;
}

bool glance_rules_out(DumpView *view, Place node, GlanceTests tests, uint32_t first)
{
  GlanceNode at = node_at(view, node);
  for (uint32_t i = first; i < tests.items[first].next; i++) {
    if (says_no(&at, &tests.items[i]))
      return true;
  }
  return false;
}
