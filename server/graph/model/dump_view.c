#include "graph/model/dump_view.h"

#include <stdlib.h>

#include "base/limits.h"
#include "graph/model/dynamic_axes.h"
#include "graph/model/glance_names.h"
#include "graph/model/part_writes.h"
#include "graph/model/returned_scalars.h"

// --- Types ---

/// "Float" of `Float(2, 3)`; empty if it is not an element type.
static Str element_type(Str type)
{
  return outcome_scalar_type_name(outcome_scalar_type_number(str_slice(type, 0, str_find_char(type, '(', 0))));
}

/// The sizes after the bracket: `2, *, strides=[...]`; a size may have its stride after a colon.
static void read_sizes(Str text, Arena *arena, ArgumentFacts *facts)
{
  Value sizes[DIM_LIMIT];
  uint32_t count = 0;
  for (size_t start = 0; start < text.len;) {
    size_t end = str_find_char(text, ',', start);
    Str part = str_trim(str_slice(text, start, end));
    part = str_slice(part, 0, str_find_char(part, ':', 0));
    uint64_t size;
    bool is_size = str_to_uint(part, UINT32_MAX, &size);
    if ((!is_size && !str_equal(part, STR("*"))) || count == DIM_LIMIT)
      break;
    sizes[count++] = is_size ? (Value){ .kind = VALUE_NUMBER, .number = (double)size } : (Value){ 0 };
    start = end == STR_NOT_FOUND ? text.len : end + 1;
  }
  Value *kept = ARENA_ARRAY(arena, Value, count + 1);
  memcpy(kept, sizes, count * sizeof(*kept));
  facts->rank = (int32_t)count;
  facts->sizes = (Value){ .kind = VALUE_LIST, .items = kept, .count = count };
}

void dump_view_type(Str type, Arena *arena, ArgumentFacts *facts)
{
  bool is_list = str_ends_with(type, STR("[]"));
  Str element = is_list ? str_slice(type, 0, type.len - 2) : type;
  Str dtype = element_type(element);
  bool is_tensor = dtype.len > 0 || str_starts_with(element, STR("Tensor"));
  facts->is_list = type.len == 0 ? TRUTH_UNKNOWN : is_list;
  facts->is_tensor = type.len == 0 ? TRUTH_UNKNOWN : !is_list && is_tensor;
  facts->is_tensor_list = type.len == 0 ? TRUTH_UNKNOWN : is_list && is_tensor;
  if (is_list || dtype.len == 0)
    return;
  facts->dtype = dtype;
  size_t open = str_find_char(element, '(', 0);
  if (open != STR_NOT_FOUND)
    read_sizes(str_slice(element, open + 1, element.len - 1), arena, facts);
}

/// Is it an input of the graph?
static bool is_graph_input(const GraphWalk *walk, Place definition)
{
  ItemKind kind = walk_item(walk, definition)->kind;
  return kind == ITEM_GRAPH_HEADER || kind == ITEM_PARAMETERS;
}

/// The type of the value that is defined there. What an input of the graph leaves open is a dynamic axis of the export;
/// of other values the exporter may know more than the print.
static void read_type(const DumpView *view, Place definition, ArgumentFacts *facts)
{
  dump_view_type(walk_type(&view->walk, definition), view->arena, facts);
  if (facts->sizes.kind != VALUE_LIST || !is_graph_input(&view->walk, definition))
    return;
  Value *sizes = ARENA_ARRAY(view->arena, Value, facts->sizes.count + 1);
  for (uint32_t i = 0; i < facts->sizes.count; i++) {
    sizes[i] = facts->sizes.items[i];
    if (sizes[i].kind == VALUE_UNKNOWN)
      sizes[i].kind = VALUE_DYNAMIC;
  }
  facts->sizes.items = sizes;
}

// --- Constants ---

static bool read_number(Str text, Value *ret_value)
{
  char digits[64];
  if (text.len == 0 || text.len >= sizeof(digits))
    return false;
  memcpy(digits, text.data, text.len);
  digits[text.len] = '\0';
  char *end;
  double number = strtod(digits, &end);
  if (end != digits + text.len || number != number)
    return false;
  *ret_value = (Value){ .kind = VALUE_NUMBER, .number = number, .is_float = outcome_is_float(text) };
  return true;
}

static Value read_element(Str text)
{
  Value value = { 0 };
  if (str_equal(text, STR("True")) || str_equal(text, STR("False")))
    value = (Value){ .kind = VALUE_NUMBER, .number = text.data[0] == 'T' };
  else
    read_number(text, &value);
  return value;
}

/// `[1, 1]`
static Value read_list(Str text, Arena *arena)
{
  Str inner = str_trim(str_slice(text, 1, text.len - 1));
  uint32_t count = 0;
  Value *items = ARENA_ARRAY(arena, Value, VIEW_ELEMENT_LIMIT);
  for (size_t start = 0; start < inner.len;) {
    size_t end = str_find_char(inner, ',', start);
    if (count == VIEW_ELEMENT_LIMIT)
      return (Value){ 0 };
    items[count++] = read_element(str_trim(str_slice(inner, start, end)));
    start = end == STR_NOT_FOUND ? inner.len : end + 1;
  }
  return (Value){ .kind = VALUE_LIST, .items = items, .count = count };
}

/// The value after `value=`; unknown where the print doesn't show all of it.
static Value read_constant(Str text, Arena *arena)
{
  Value value = { 0 };
  if (text.len >= 2 && text.data[0] == '"')
    return (Value){ .kind = VALUE_TEXT, .text = str_slice(text, 1, text.len - 1) };
  if (str_starts_with(text, STR("annotate(")) && str_ends_with(text, STR(", [])")))
    return (Value){ .kind = VALUE_LIST };
  if (text.len >= 2 && text.data[0] == '[')
    return read_list(text, arena);
  if (text.len >= 2 && text.data[0] == '{')
    text = str_slice(text, 1, text.len - 1);
  read_number(text, &value);
  return value;
}

Value dump_view_constant(const DumpView *view, Place definition)
{
  Str attributes = walk_attributes(&view->walk, definition);
  if (!str_starts_with(attributes, STR("value=")))
    return (Value){ 0 };
  return read_constant(str_slice(attributes, 6, attributes.len), view->arena);
}

static void read_constant_node(const DumpView *view, Place definition, ArgumentFacts *facts)
{
  bool has_value = walk_item(&view->walk, definition)->has_attributes;
  facts->is_none = !has_value;
  facts->is_const = has_value;
  facts->is_packed = TRUTH_NO;
  facts->value = has_value ? dump_view_constant(view, definition) : (Value){ .kind = VALUE_NONE };
  facts->has_length = facts->value.kind == VALUE_LIST;
  facts->length = facts->value.count;
  Str type = walk_type(&view->walk, definition);
  bool is_int = str_equal(type, STR("int")), is_bool = str_equal(type, STR("bool"));
  if (is_int || is_bool || str_equal(type, STR("float")))
    facts->rank = 0;
  if (is_int || is_bool)
    facts->dtype = is_int ? STR("Long") : STR("Bool");
  if (str_equal(type, STR("int[]")) || str_equal(type, STR("float[]")))
    facts->rank = 1;
}

// --- Other definitions ---

static bool is_copy(Str op)
{
  static const Str copies[] = {
    // Keep alphabetized.
    STR_INIT("aten::Bool"),        STR_INIT("aten::Float"),       STR_INIT("aten::FloatImplicit"),
    STR_INIT("aten::Int"),         STR_INIT("aten::IntImplicit"), STR_INIT("aten::ScalarImplicit"),
    STR_INIT("prim::NumToTensor"),
  };
  for (size_t i = 0; i < COUNT(copies); i++) {
    if (str_equal(copies[i], op))
      return true;
  }
  return false;
}

/// The definition after casts of one number.
static bool find_origin(const DumpView *view, Place use, Place *ret_definition)
{
  if (!walk_find_definition(&view->walk, use, ret_definition))
    return false;
  for (int i = 0; i < VIEW_COPY_DEPTH; i++) {
    if (walk_item(&view->walk, *ret_definition)->kind != ITEM_STATEMENT ||
        !is_copy(walk_op(&view->walk, *ret_definition)) || walk_use_count(&view->walk, *ret_definition) == 0)
      return true;
    Place next;
    if (!walk_find_definition(&view->walk, walk_use(&view->walk, *ret_definition, 0), &next))
      return true;
    *ret_definition = next;
  }
  return true;
}

/// What the facts say of an operator, asked once.
static uint32_t tags_of(DumpView *view, Str op)
{
  KnownTags *known = &view->known_tags[str_hash(op) % KNOWN_TAGS];
  if (!str_equal(known->op, op))
    *known = (KnownTags){ op, symbolics_torch_tags(view->db, op) };
  return known->tags;
}

/// Answers from types and shapes, which the exporter may know.
static bool is_metadata(DumpView *view, Str op)
{
  static const Str others[] = { STR_INIT("aten::_shape_as_tensor"), STR_INIT("aten::len"), STR_INIT("prim::shape") };
  for (size_t i = 0; i < COUNT(others); i++) {
    if (str_equal(others[i], op))
      return true;
  }
  return str_equal(op, STR("prim::GetAttr")) || (tags_of(view, op) & TAG_METADATA);
}

static bool has_dynamic_axes(DumpView *view)
{
  if (!view->is_asked_for_axes)
    view->has_dynamic_axes = dynamic_axes_are_in_graph(&view->walk, view->node);
  view->is_asked_for_axes = true;
  return view->has_dynamic_axes;
}

/// Whether a size of it is not known before the model runs.
static bool has_dynamic_size(DumpView *view, Place definition, const ArgumentFacts *of)
{
  for (uint32_t i = 0; i < of->sizes.count; i++) {
    if (of->sizes.items[i].kind == VALUE_DYNAMIC)
      return true;
  }
  return walk_item(&view->walk, definition)->kind == ITEM_STATEMENT && has_dynamic_axes(view) &&
         dynamic_axes_of(&view->walk, definition, view->arena) != 0;
}

/// The value of `aten::size(x, 1)` where the print shows the size; false for another node. The exporter folds only the
/// shape as a whole, so no size of a value with a dynamic axis is a constant for it.
static bool read_size_node(DumpView *view, Place node, ArgumentFacts *facts)
{
  const GraphWalk *walk = &view->walk;
  bool is_size = walk_item(walk, node)->kind == ITEM_STATEMENT && str_equal(walk_op(walk, node), STR("aten::size")) &&
                 walk_use_count(walk, node) == 2;
  if (!is_size)
    return false;
  Place input, dimension;
  ArgumentFacts of = argument_unknown, at = argument_unknown;
  if (!find_origin(view, walk_use(walk, node, 0), &input) || !find_origin(view, walk_use(walk, node, 1), &dimension) ||
      walk_item(walk, dimension)->kind != ITEM_STATEMENT || !str_equal(walk_op(walk, dimension), STR("prim::Constant")))
    return true;
  read_type(view, input, &of);
  read_constant_node(view, dimension, &at);
  if (of.sizes.kind != VALUE_LIST || at.value.kind != VALUE_NUMBER)
    return true;
  double number = at.value.number < 0 ? at.value.number + of.sizes.count : at.value.number;
  if (number < 0 || number >= of.sizes.count)
    return true;
  facts->value = of.sizes.items[(uint32_t)number];
  if (has_dynamic_size(view, input, &of))
    facts->is_const = facts->is_none = TRUTH_NO;
  if (facts->value.kind == VALUE_DYNAMIC)
    facts->value = (Value){ 0 };
  return true;
}

/// Is it a size that the exporter doesn't know?
static bool is_dynamic_size(DumpView *view, Place node)
{
  ArgumentFacts facts = argument_unknown;
  return read_size_node(view, node, &facts) && facts.is_const == TRUTH_NO;
}

/// Whether it is computed from the data or a dynamic axis of an input of the graph, or also from its type and shape, if
/// those count.
static bool depends_on(DumpView *view, Place definition, bool counts_metadata)
{
  Place stack[VIEW_SOURCE_BUDGET];
  uint32_t depth = 0;
  stack[depth++] = definition;
  for (uint32_t budget = VIEW_SOURCE_BUDGET; depth > 0 && budget > 0; budget--) {
    Place place = stack[--depth];
    if (walk_item(&view->walk, place)->kind != ITEM_STATEMENT)
      return true;
    Str op = walk_op(&view->walk, place);
    if ((is_metadata(view, op) && counts_metadata) || is_dynamic_size(view, place))
      return true;
    if (str_equal(op, STR("prim::Constant")) || is_metadata(view, op))
      continue;
    uint32_t count = walk_use_count(&view->walk, place);
    for (uint32_t i = 0; i < count && depth < VIEW_SOURCE_BUDGET; i++) {
      if (walk_find_definition(&view->walk, walk_use(&view->walk, place, i), &stack[depth]))
        depth++;
    }
  }
  return false;
}

/// A value that is never constant: made of data, or of sizes by rounding, which the exporter does not fold.
static bool is_computed(DumpView *view, Place definition)
{
  bool is_rounded = walk_item(&view->walk, definition)->kind == ITEM_STATEMENT &&
                    str_equal(walk_op(&view->walk, definition), STR("aten::floor"));
  return depends_on(view, definition, is_rounded);
}

/// How many uses the chunk has of a name that is defined there once and is in no other chunk; else UINT32_MAX.
/// Saves looking through the rest of the chunk for another one.
static uint32_t count_local_uses(const DumpView *view, Place definition)
{
  const ChunkState *chunk = view->walk.dump->chunks[definition.chunk];
  uint32_t number = chunk->index->occurrences[definition.occurrence].symbol;
  const DumpSymbol *symbol = &chunk->index->symbols[number];
  bool is_local = !(symbol->flags & SYMBOL_DEFINED_TWICE) && !dump_chunk_link(chunk, number);
  if (is_local && view->walk.trace)
    trace_add_name(view->walk.trace, symbol->hash);  // Another chunk may come to use it.
  return is_local ? symbol->use_count : UINT32_MAX;
}

/// Whether the list is changed in place after its making. Then it doesn't tell what is in it.
static bool is_changed(DumpView *view, Place definition)
{
  UseCursor cursor = dump_uses_after(view->walk.dump, definition);
  uint32_t count = count_local_uses(view, definition);
  Place use;
  for (uint32_t i = 0; i < count && walk_next_use(&view->walk, definition, &cursor, &use); i++) {
    if (i == VIEW_LIST_USE_LIMIT || (tags_of(view, walk_op(&view->walk, use)) & TAG_LIST_MUTATION) ||
        walk_item(&view->walk, use)->kind != ITEM_STATEMENT)
      return true;
  }
  return false;
}

/// All of them constant: the list is one constant. Else it stays a node, whose elements can be asked for.
static void read_list_node(DumpView *view, Place definition, ArgumentFacts *facts)
{
  uint32_t count = walk_use_count(&view->walk, definition);
  facts->is_none = TRUTH_NO;
  if (is_changed(view, definition))
    return;
  facts->has_length = true;
  facts->length = count;
  if (facts->is_tensor_list != TRUTH_NO || count > VIEW_ELEMENT_LIMIT) {
    facts->is_packed = facts->is_tensor_list == TRUTH_YES ? TRUTH_YES : TRUTH_UNKNOWN;
    facts->is_const = facts->is_tensor_list == TRUTH_YES ? TRUTH_NO : TRUTH_UNKNOWN;
    return;
  }
  Value *items = ARENA_ARRAY(view->arena, Value, count + 1);
  Truth is_const = TRUTH_YES;
  bool has_size = false;
  for (uint32_t i = 0; i < count && is_const != TRUTH_NO; i++) {
    Place origin;
    ArgumentFacts element = argument_unknown;
    if (!find_origin(view, walk_use(&view->walk, definition, i), &origin))
      is_const = TRUTH_UNKNOWN;  // Nothing defines it.
    else if (walk_item(&view->walk, origin)->kind == ITEM_STATEMENT &&
             str_equal(walk_op(&view->walk, origin), STR("prim::Constant")))
      read_constant_node(view, origin, &element);
    else if (read_size_node(view, origin, &element)) {
      is_const = element.is_const;
      has_size = true;
    } else
      is_const = is_computed(view, origin) ? TRUTH_NO : TRUTH_UNKNOWN;
    items[i] = element.value;
  }
  facts->is_const = is_const;
  facts->is_packed = has_size ? TRUTH_YES : is_const == TRUTH_UNKNOWN ? TRUTH_UNKNOWN : is_const == TRUTH_NO;
  if (is_const != TRUTH_NO)
    facts->value = (Value){ .kind = VALUE_LIST, .items = items, .count = count };
  if (is_const == TRUTH_YES)
    facts->rank = 1;
}

static void read_value(DumpView *view, Place use, ArgumentFacts *facts)
{
  Place definition;
  if (!find_origin(view, use, &definition))
    return;
  read_type(view, definition, facts);
  if (walk_item(&view->walk, definition)->kind != ITEM_STATEMENT) {
    facts->is_const = facts->is_none = facts->is_packed = TRUTH_NO;
    return;
  }
  Str op = walk_op(&view->walk, definition);
  if (str_equal(op, STR("prim::Constant"))) {
    read_constant_node(view, definition, facts);
  } else if (str_equal(op, STR("prim::ListConstruct"))) {
    read_list_node(view, definition, facts);
  } else if (!read_size_node(view, definition, facts)) {
    facts->is_none = facts->is_tensor == TRUTH_YES ? TRUTH_NO : TRUTH_UNKNOWN;
    if (facts->is_tensor == TRUTH_YES && !is_metadata(view, op) && depends_on(view, definition, false))
      facts->is_const = TRUTH_NO;
  }
}

// --- The view ---

/// What is known of a value that a line uses: found out once for each name of the chunk.
static const ArgumentFacts *value_of_use(DumpView *view, Place use)
{
  const DumpIndex *index = view->walk.dump->chunks[use.chunk]->index;
  uint32_t number = index->occurrences[use.occurrence].symbol;
  const DumpSymbol *symbol = &index->symbols[number];
  // A use before the chunk's definition may mean one of an earlier chunk, one in the line of the definition, too.
  uint32_t line_start = index->occurrences[index->items[use.item].first_occurrence].start;
  bool is_before = (symbol->flags & SYMBOL_DEFINED) && symbol->start >= line_start;
  bool is_one = use.chunk == view->node.chunk && !(symbol->flags & SYMBOL_DEFINED_TWICE) && !is_before;
  if (is_one && glance_names_tables(view)->facts[number])
    return view->names.facts[number];
  ArgumentFacts *facts = ARENA_NEW(view->arena, ArgumentFacts);
  *facts = argument_unknown;
  read_value(view, use, facts);
  if (is_one) {
    view->names.facts[number] = facts;
    glance_names_note(view, number);
  }
  return facts;
}

void dump_view_forget(DumpView *view)
{
  glance_names_end(view);
  memset(view->numbers, 0, sizeof(view->numbers));
  view->is_asked_for_axes = false;
}

static const ArgumentFacts *element_facts(DumpView *view, uint32_t number, uint32_t element)
{
  Place list;
  if (element >= VIEW_ELEMENT_LIMIT)
    return &argument_unknown;
  const ArgumentFacts **slot = &view->elements[number][element];
  if (*slot)
    return *slot;
  *slot = &argument_unknown;
  if (!walk_find_definition(&view->walk, walk_use(&view->walk, view->node, number), &list) ||
      walk_item(&view->walk, list)->kind != ITEM_STATEMENT)
    return *slot;
  ArgumentFacts *facts = ARENA_NEW(view->arena, ArgumentFacts);
  *facts = argument_unknown;
  if (str_equal(walk_op(&view->walk, list), STR("prim::ListConstruct"))) {
    if (!is_changed(view, list) && element < walk_use_count(&view->walk, list))
      read_value(view, walk_use(&view->walk, list, element), facts);
  } else {
    ArgumentFacts whole = argument_unknown;
    read_value(view, walk_use(&view->walk, view->node, number), &whole);
    if (whole.value.kind == VALUE_LIST && element < whole.value.count) {
      facts->value = whole.value.items[element];
      facts->is_const = whole.is_const;
    }
  }
  *slot = facts;
  return facts;
}

static const ArgumentFacts *argument_facts(NodeView *base, uint32_t number, uint32_t element)
{
  DumpView *view = (DumpView *)base;
  if (number >= base->argument_count || number >= VIEW_ARGUMENT_LIMIT)
    return &argument_unknown;
  if (element != WHOLE_ARGUMENT)
    return element_facts(view, number, element);
  if (!view->arguments[number]) {
    view->arguments[number] = value_of_use(view, walk_use(&view->walk, view->node, number));
  }
  return view->arguments[number];
}

/// The value's own sizes, but for dynamic axes.
static const Value *inferred_sizes(DumpView *view, uint32_t number, const Value *printed)
{
  Place definition;
  if (!walk_find_definition(&view->walk, walk_use(&view->walk, view->node, number), &definition) ||
      walk_item(&view->walk, definition)->kind != ITEM_STATEMENT)
    return printed;
  uint32_t axes = dynamic_axes_of(&view->walk, definition, view->arena);
  Value *sizes = ARENA_ARRAY(view->arena, Value, printed->count + 1);
  for (uint32_t i = 0; i < printed->count; i++)
    sizes[i] = axes >> i & 1 ? (Value){ .kind = VALUE_DYNAMIC } : printed->items[i];
  Value *list = ARENA_NEW(view->arena, Value);
  *list = (Value){ .kind = VALUE_LIST, .items = sizes, .count = printed->count };
  return list;
}

static Value argument_sizes(NodeView *base, uint32_t number, uint32_t element)
{
  DumpView *view = (DumpView *)base;
  const ArgumentFacts *facts = argument_facts(base, number, element);
  if (element != WHOLE_ARGUMENT || facts->sizes.kind != VALUE_LIST)
    return facts->sizes;
  if (!has_dynamic_axes(view))
    return facts->sizes;
  if (!view->sizes[number])
    view->sizes[number] = inferred_sizes(view, number, &facts->sizes);
  return *view->sizes[number];
}

static Truth is_unpacked(NodeView *base, uint32_t *ret_count)
{
  DumpView *view = (DumpView *)base;
  if (walk_item(&view->walk, view->node)->def_count != 1)
    return TRUTH_UNKNOWN;
  Place definition = walk_definition(&view->walk, view->node, 0);
  UseCursor cursor = dump_uses_after(view->walk.dump, definition);
  Place use, other;
  if (!walk_next_use(&view->walk, definition, &cursor, &use))
    return TRUTH_UNKNOWN;
  bool is_unpack = str_equal(walk_op(&view->walk, use), STR("prim::ListUnpack"));
  *ret_count = walk_item(&view->walk, use)->def_count;
  if (walk_next_use(&view->walk, definition, &cursor, &other))
    return TRUTH_UNKNOWN;
  return is_unpack;
}

static Truth is_returned(NodeView *base)
{
  const DumpView *view = (const DumpView *)base;
  return returned_scalars_keep_type(&view->walk, view->node);
}

static Truth writes_part(NodeView *base)
{
  DumpView *view = (DumpView *)base;
  return part_writes_back(&view->walk, view->node);
}

static Truth loses_write(NodeView *base)
{
  DumpView *view = (DumpView *)base;
  return part_writes_are_lost(&view->walk, view->node);
}

void dump_view_done(DumpView *view)
{
  free(view->names.glances);
  free(view->names.facts);
  vec_free(&view->names.asked);
}

void dump_view_begin(DumpView *view, Place node)
{
  view->node = node;
  view->view.argument = argument_facts;
  view->view.sizes = argument_sizes;
  view->view.is_unpacked = is_unpacked;
  view->view.is_returned = is_returned;
  view->view.writes_part = writes_part;
  view->view.loses_write = loses_write;
  uint32_t had = view->view.argument_count < VIEW_ARGUMENT_LIMIT ? view->view.argument_count : VIEW_ARGUMENT_LIMIT;
  memset(view->arguments, 0, had * sizeof(view->arguments[0]));
  memset(view->elements, 0, had * sizeof(view->elements[0]));
  memset(view->sizes, 0, had * sizeof(view->sizes[0]));
  view->view.argument_count = walk_use_count(&view->walk, node);
}
