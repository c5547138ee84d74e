// Conditions that are decided before the export: by constants, or by shapes and attributes that the text does not show.

#include "base/limits.h"
#include "graph/model/passes_private.h"

typedef enum Tristate {
  UNKNOWN,
  FALSE,
  TRUE,
} Tristate;

/// A value known before the export: what prim::Constant prints, or what comparisons of those give.
typedef struct Constant {
  enum { NOT_CONSTANT, NONE, BOOLEAN, NUMBER, TEXT } kind;
  double number;  ///< BOOLEAN (0 or 1) and NUMBER.
  Str text;
} Constant;

static Constant constant_of_use(Passes *passes, Place use, int depth);

static Constant boolean(bool value)
{
  return (Constant){ .kind = BOOLEAN, .number = value };
}

static Constant parse_constant(Str type, Str attributes)
{
  if (attributes.len == 0)
    return (Constant){ .kind = NONE };
  if (!str_starts_with(attributes, STR("value=")))
    return (Constant){ 0 };
  Str value = str_slice(attributes, 6, attributes.len);
  if (str_equal(type, STR("bool")))
    return boolean(str_equal(value, STR("1")));
  if (str_equal(type, STR("str")))
    return (Constant){ .kind = TEXT, .text = value };
  if ((!str_equal(type, STR("int")) && !str_equal(type, STR("float"))) || value.len == 0 || value.len > 40)
    return (Constant){ 0 };
  char text[48];
  memcpy(text, value.data, value.len);
  text[value.len] = '\0';
  char *end;
  double number = strtod(text, &end);
  return *end == '\0' ? (Constant){ .kind = NUMBER, .number = number } : (Constant){ 0 };
}

/// A type of which no value can be None.
static bool excludes_none(Str type)
{
  if (type.len == 0 || type.data[type.len - 1] == '?' || str_equal(type, STR("NoneType")) ||
      str_equal(type, STR("Any")))
    return false;
  bool is_variable = type.data[0] == 't' && type.len <= 4;
  return !is_variable && !str_starts_with(type, STR("Union"));
}

/// `__is__` and `__isnot__` with None.
static Constant compare_with_none(Passes *passes, Place node, bool is_not, int depth)
{
  if (walk_use_count(&passes->walk, node) != 2)
    return (Constant){ 0 };
  Constant sides[2];
  for (uint32_t i = 0; i < 2; i++)
    sides[i] = constant_of_use(passes, walk_use(&passes->walk, node, i), depth);
  if (sides[0].kind == NONE && sides[1].kind == NONE)
    return boolean(!is_not);
  for (uint32_t i = 0; i < 2; i++) {
    Place definition;
    if (sides[1 - i].kind == NONE &&
        walk_find_definition(&passes->walk, walk_use(&passes->walk, node, i), &definition) &&
        excludes_none(walk_type(&passes->walk, definition)))
      return boolean(is_not);
  }
  return (Constant){ 0 };
}

static Constant compare(Str name, Constant a, Constant b)
{
  if (a.kind == TEXT && b.kind == TEXT) {
    if (str_equal(name, STR("eq")))
      return boolean(str_equal(a.text, b.text));
    return str_equal(name, STR("ne")) ? boolean(!str_equal(a.text, b.text)) : (Constant){ 0 };
  }
  if (a.kind < BOOLEAN || b.kind < BOOLEAN || a.kind == TEXT || b.kind == TEXT)
    return (Constant){ 0 };
  if (str_equal(name, STR("eq")))
    return boolean(a.number == b.number);
  if (str_equal(name, STR("ne")))
    return boolean(a.number != b.number);
  if (str_equal(name, STR("lt")))
    return boolean(a.number < b.number);
  if (str_equal(name, STR("le")))
    return boolean(a.number <= b.number);
  if (str_equal(name, STR("gt")))
    return boolean(a.number > b.number);
  if (str_equal(name, STR("ge")))
    return boolean(a.number >= b.number);
  return (Constant){ 0 };
}

static Constant constant_of_logic(Passes *passes, Place node, Str name, int depth)
{
  uint32_t count = walk_use_count(&passes->walk, node);
  Constant a = count > 0 ? constant_of_use(passes, walk_use(&passes->walk, node, 0), depth) : (Constant){ 0 };
  Constant b = count > 1 ? constant_of_use(passes, walk_use(&passes->walk, node, 1), depth) : (Constant){ 0 };
  if (str_equal(name, STR("__not__")))
    return a.kind == BOOLEAN ? boolean(!a.number) : (Constant){ 0 };
  bool is_and = str_equal(name, STR("__and__"));
  if (is_and || str_equal(name, STR("__or__"))) {
    double decides = is_and ? 0 : 1;
    if ((a.kind == BOOLEAN && a.number == decides) || (b.kind == BOOLEAN && b.number == decides))
      return boolean(!is_and);
    return a.kind == BOOLEAN && b.kind == BOOLEAN ? boolean(is_and) : (Constant){ 0 };
  }
  return compare(name, a, b);
}

static Constant constant_of_if(Passes *passes, Place node, uint32_t output, int depth)
{
  Constant condition = constant_of_use(passes, walk_use(&passes->walk, node, 0), depth);
  Place taken;
  if (condition.kind != BOOLEAN || !walk_block_return(&passes->walk, node, condition.number ? 0 : 1, &taken) ||
      output >= walk_use_count(&passes->walk, taken))
    return (Constant){ 0 };
  return constant_of_use(passes, walk_use(&passes->walk, taken, output), depth);
}

static Constant constant_of_use(Passes *passes, Place use, int depth)
{
  Place definition;
  if (depth > PASS_CONSTANT_DEPTH || passes->budget == 0 || !walk_find_definition(&passes->walk, use, &definition))
    return (Constant){ 0 };
  passes->budget--;
  Str op = walk_op(&passes->walk, definition);
  Str attributes = walk_attributes(&passes->walk, definition);
  uint32_t uses = walk_use_count(&passes->walk, definition);
  if (str_equal(op, STR("prim::Constant")))
    return parse_constant(walk_type(&passes->walk, definition), attributes);
  // An export puts the model into evaluation mode unless it is told otherwise.
  if (str_equal(op, STR("prim::GetAttr")) && str_equal(attributes, STR("name=\"training\"")))
    return boolean(false);
  if (str_equal(op, STR("prim::unchecked_cast")) && uses > 0)
    return constant_of_use(passes, walk_use(&passes->walk, definition, 0), depth + 1);
  if (str_equal(op, STR("prim::If")) && uses > 0)
    return constant_of_if(passes, definition,
                          definition.occurrence - walk_item(&passes->walk, definition)->first_occurrence, depth + 1);
  if (str_equal(op, STR("aten::__is__")) || str_equal(op, STR("aten::__isnot__")))
    return compare_with_none(passes, definition, op.len == 15, depth + 1);
  if (str_starts_with(op, STR("aten::")))
    return constant_of_logic(passes, definition, str_slice(op, 6, op.len), depth + 1);
  return (Constant){ 0 };
}

/// What an If's condition is, if it is known before the export.
static Tristate condition_of(Passes *passes, Place owner)
{
  if (walk_use_count(&passes->walk, owner) == 0)
    return UNKNOWN;
  passes->budget = PASS_FOLD_BUDGET;
  Constant condition = constant_of_use(passes, walk_use(&passes->walk, owner, 0), 0);
  if (condition.kind != BOOLEAN)
    return UNKNOWN;
  return condition.number ? TRUE : FALSE;
}

bool passes_is_known_value(Passes *passes, Place use)
{
  passes->budget = PASS_FOLD_BUDGET;
  return constant_of_use(passes, use, 0).kind != NOT_CONSTANT;
}

static bool is_dead_block(Passes *passes, Place header)
{
  Place owner;
  if (!walk_owner(&passes->walk, header, &owner) || !passes_is_if(passes, owner))
    return false;
  Tristate condition = condition_of(passes, owner);
  return condition == (walk_block_number(&passes->walk, header) == 0 ? FALSE : TRUE);
}

typedef enum BlockMark {
  BLOCK_UNKNOWN,
  BLOCK_NO,
  BLOCK_YES,
} BlockMark;

/// Whether something holds for one of the blocks around the line. Asks once for each of them.
static bool holds_around(Passes *passes, Place place, PlaceMarks *blocks, bool (*holds)(Passes *passes, Place header))
{
  vec_clear(&passes->headers);
  BlockMark answer = BLOCK_UNKNOWN;
  Place header;
  for (Place at = place; answer == BLOCK_UNKNOWN && walk_enclosing_header(&passes->walk, at, &header); at = header) {
    answer = (BlockMark)marks_get(blocks, header.chunk, header.item);
    if (answer == BLOCK_UNKNOWN)
      vec_push(&passes->headers, header);
  }
  for (size_t i = passes->headers.count; i-- > 0;) {
    header = passes->headers.items[i];
    if (answer != BLOCK_YES)
      answer = holds(passes, header) ? BLOCK_YES : BLOCK_NO;
    marks_set(blocks, header.chunk, header.item, answer);
  }
  return answer == BLOCK_YES;
}

bool passes_is_in_dead_block(Passes *passes, Place place)
{
  return holds_around(passes, place, &passes->dead_blocks, is_dead_block);
}

/// Pushes the values that the value at `definition` is computed from; true if it is tensor data itself.
static bool push_origins(Passes *passes, Place definition, PlaceStack *stack)
{
  const GraphWalk *walk = &passes->walk;
  const Item *item = walk_item(walk, definition);
  Str op = walk_op(walk, definition);
  if (item->kind != ITEM_STATEMENT || item->is_python_op || str_equal(op, STR("prim::Loop")) ||
      str_starts_with(op, STR("prim::Call")))
    return true;  // Inputs of graphs and blocks, and what only running the model tells.
  if (passes_has_tag(passes, definition, TAG_METADATA))
    return false;
  for (uint32_t i = 0; i < walk_use_count(walk, definition); i++)
    vec_push(stack, walk_use(walk, definition, i));
  Place result;
  uint32_t output = definition.occurrence - item->first_occurrence;
  for (uint32_t block = 0; block < 2 && passes_is_if(passes, definition); block++) {
    if (walk_block_return(walk, definition, block, &result) && output < walk_use_count(walk, result))
      vec_push(stack, walk_use(walk, result, output));
  }
  return false;
}

/// Whether the value used at `use` depends on a tensor's data. If not, shapes and attributes decide it during the
/// export.
static bool depends_on_data(Passes *passes, Place use)
{
  PlaceStack stack = { 0 };
  bool depends = false;
  vec_push(&stack, use);
  for (uint32_t budget = PASS_DATA_BUDGET; stack.count > 0 && !depends; budget--) {
    Place definition;
    Place next = stack.items[--stack.count];
    if (walk_find_definition(&passes->walk, next, &definition))
      depends = push_origins(passes, definition, &stack);
    if (budget == 0)
      depends = true;
  }
  vec_free(&stack);
  return depends;
}

static bool is_static_block(Passes *passes, Place header)
{
  Place owner;
  return walk_owner(&passes->walk, header, &owner) && passes_is_if(passes, owner) &&
         condition_of(passes, owner) == UNKNOWN && walk_use_count(&passes->walk, owner) > 0 &&
         !depends_on_data(passes, walk_use(&passes->walk, owner, 0));
}

bool passes_is_in_static_if(Passes *passes, Place node)
{
  return holds_around(passes, node, &passes->static_blocks, is_static_block);
}
