#include "graph/model/call_view.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/limits.h"

// --- Types ---

/// "Float" of `f32`
static Str dtype_name(Str word)
{
  static const struct {
    Str word, name;
  } dtypes[] = {
    // Keep alphabetized.
    { STR_INIT("b8"), STR_INIT("Bool") },
    { STR_INIT("bf16"), STR_INIT("BFloat16") },
    { STR_INIT("c128"), STR_INIT("ComplexDouble") },
    { STR_INIT("c32"), STR_INIT("ComplexHalf") },
    { STR_INIT("c64"), STR_INIT("ComplexFloat") },
    { STR_INIT("f16"), STR_INIT("Half") },
    { STR_INIT("f32"), STR_INIT("Float") },
    { STR_INIT("f64"), STR_INIT("Double") },
    { STR_INIT("i16"), STR_INIT("Short") },
    { STR_INIT("i32"), STR_INIT("Int") },
    { STR_INIT("i64"), STR_INIT("Long") },
    { STR_INIT("i8"), STR_INIT("Char") },
    { STR_INIT("u8"), STR_INIT("Byte") },
  };
  for (size_t i = 0; i < COUNT(dtypes); i++) {
    if (str_equal(dtypes[i].word, word))
      return dtypes[i].name;
  }
  return (Str){ 0 };
}

/// The end of what begins at `from`: a comma or a closing bracket outside of all brackets and strings.
static size_t item_end(Str text, size_t from)
{
  size_t depth = 0;
  while (from < text.len) {
    char c = text.data[from];
    if (c == '"' || c == '\'') {
      from = ascii_literal_end(text, from);
      continue;
    }
    bool is_close = c == ')' || c == ']' || c == '}';
    if (depth == 0 && (c == ',' || is_close))
      break;
    depth += c == '(' || c == '[' || c == '{';
    depth -= is_close;
    from++;
  }
  return from < text.len ? from : text.len;
}

/// `f32[2, s0]`
static void read_type(Str type, Arena *arena, ArgumentFacts *facts)
{
  type = dialect_plain_type(type, arena);
  if (str_starts_with(type, STR("Sym("))) {  // A number that is computed.
    facts->is_const = facts->is_tensor = facts->is_none = facts->is_list = facts->is_tensor_list = TRUTH_NO;
    return;
  }
  size_t open = str_find_char(type, '[', 0);
  facts->dtype = dtype_name(str_slice(type, 0, open));
  if (facts->dtype.len == 0 || open == STR_NOT_FOUND)
    return;
  facts->is_tensor = TRUTH_YES;
  facts->is_none = facts->is_list = facts->is_tensor_list = TRUTH_NO;
  Value sizes[CALL_LIST_LIMIT];
  uint32_t count = 0;
  Str rest = str_slice(type, open + 1, str_find_char(type, ']', open));
  while (rest.len > 0 && count < CALL_LIST_LIMIT) {
    size_t end = item_end(rest, 0);  // `Max(1, s0)` is one size.
    uint64_t size;
    bool is_number = str_to_uint(str_trim(str_slice(rest, 0, end)), UINT32_MAX, &size);
    sizes[count++] =
        is_number ? (Value){ .kind = VALUE_NUMBER, .number = (double)size } : (Value){ .kind = VALUE_DYNAMIC };
    rest = end < rest.len ? str_slice(rest, end + 1, rest.len) : (Str){ 0 };
  }
  Value *kept = ARENA_ARRAY(arena, Value, count + 1);
  memcpy(kept, sizes, count * sizeof(*kept));
  facts->rank = (int32_t)count;
  facts->sizes = (Value){ .kind = VALUE_LIST, .items = kept, .count = count };
}

Str call_view_printed_type(const GraphWalk *walk, const GraphDialect *dialect, Place definition)
{
  const ChunkState *chunk = walk->dump->chunks[definition.chunk];
  const Item *item = walk_item(walk, definition);
  size_t start = chunk->index->occurrences[definition.occurrence].start + walk_name(walk, definition).len;
  Str line = text_chunk_line(chunk->text, item->line);
  return dialect->type_after(str_slice(line, start - chunk->text->starts[item->line], line.len));
}

// --- Literals ---

static bool read_number(Str text, double *ret_number)
{
  char copy[CALL_NUMBER_LIMIT];
  bool is_number = text.len > 0 && text.len < sizeof(copy) && strchr("-.0123456789", text.data[0]);
  if (!is_number)
    return false;
  memcpy(copy, text.data, text.len);
  copy[text.len] = '\0';
  char *end;
  *ret_number = strtod(copy, &end);
  return *end == '\0';
}

/// Everything but a list.
static Value single_value(Str text)
{
  double number;
  if (str_equal(text, STR("None")))
    return (Value){ .kind = VALUE_NONE };
  if (str_equal(text, STR("True")) || str_equal(text, STR("False")))
    return (Value){ .kind = VALUE_NUMBER, .number = text.data[0] == 'T' };
  if (read_number(text, &number))
    return (Value){ .kind = VALUE_NUMBER, .number = number, .is_float = outcome_is_float(text) };
  bool is_quoted = text.len > 1 && (text.data[0] == '"' || text.data[0] == '\'');
  if (is_quoted)
    return (Value){ .kind = VALUE_TEXT, .text = str_slice(text, 1, text.len - 1) };
  bool is_word = str_starts_with(text, STR("torch."));
  return (Value){ .kind = is_word ? VALUE_TEXT : VALUE_UNKNOWN, .text = text };
}

/// `[2, 3]`; what is in it and no literal is unknown, and has its text.
static Value literal(Str text, Arena *arena)
{
  text = str_trim(text);
  if (text.len < 2 || (text.data[0] != '[' && text.data[0] != '('))
    return single_value(text);
  Value items[CALL_LIST_LIMIT];
  uint32_t count = 0;
  for (size_t start = 1; start + 1 < text.len; count++) {
    size_t end = item_end(text, start);
    Str item = str_trim(str_slice(text, start, end));
    if (item.len == 0)
      break;
    if (count == CALL_LIST_LIMIT)
      return (Value){ 0 };
    items[count] = single_value(item);
    start = end + 1;
  }
  Value *kept = ARENA_ARRAY(arena, Value, count + 1);
  memcpy(kept, items, count * sizeof(*kept));
  return (Value){ .kind = VALUE_LIST, .items = kept, .count = count };
}

// --- Arguments ---

/// What the value is whose name is all of the text; false if it is none.
static bool read_name(const CallLine *line, Str text, ArgumentFacts *facts)
{
  const DumpIndex *index = line->walk->dump->chunks[line->node.chunk]->index;
  size_t offset = (size_t)(text.data - line->text.data) + line->start + (text.len > 0 && text.data[0] == '%');
  uint32_t count = walk_use_count(line->walk, line->node);
  for (uint32_t i = 0; i < count; i++) {
    Place use = walk_use(line->walk, line->node, i);
    Place definition;
    if (index->occurrences[use.occurrence].start != offset)
      continue;
    if (walk_find_definition(line->walk, use, &definition))
      read_type(call_view_printed_type(line->walk, line->dialect, definition), line->arena, facts);
    return true;
  }
  return false;
}

static void read_argument(const CallLine *line, Str text, ArgumentFacts *facts)
{
  *facts = argument_unknown;
  if (read_name(line, text, facts))
    return;
  facts->value = literal(text, line->arena);
  if (line->is_listed && facts->value.kind == VALUE_UNKNOWN && text.len > 0 && ascii_is_word(text.data[0]))
    facts->value = (Value){ .kind = VALUE_TEXT, .text = text };
  facts->is_const = TRUTH_YES;
  facts->is_tensor = facts->value.kind == VALUE_UNKNOWN ? TRUTH_UNKNOWN : TRUTH_NO;
  facts->is_none = facts->value.kind == VALUE_UNKNOWN ? TRUTH_UNKNOWN : facts->value.kind == VALUE_NONE;
  facts->is_list = facts->value.kind == VALUE_LIST;
  facts->has_length = facts->value.kind == VALUE_LIST;
  facts->length = facts->value.count;
}

/// The position of a keyword; the count of arguments if it is none.
static uint32_t position_of(const TorchOverload *overload, Str name)
{
  uint32_t i = 0;
  while (i < overload->argument_count && !str_equal(overload->arguments[i].name, name))
    i++;
  return i;
}

/// `dim = 1` of code and `dim: 1` of a list; false if it is no keyword.
static bool read_keyword(CallView *view, Str text)
{
  const TorchOverload *overload = view->line.overload;
  size_t end = 0;
  while (end < text.len && ascii_is_word(text.data[end]))
    end++;
  Str rest = str_trim(str_slice(text, end, text.len));
  bool is_keyword = end > 0 && rest.len > 1 && (rest.data[0] == '=' || rest.data[0] == ':') && rest.data[1] != '=';
  if (!is_keyword)
    return false;
  uint32_t at = overload ? position_of(overload, str_slice(text, 0, end)) : VIEW_ARGUMENT_LIMIT;
  if (at < VIEW_ARGUMENT_LIMIT && overload && at < overload->argument_count)
    read_argument(&view->line, str_trim(str_slice(rest, 1, rest.len)), &view->arguments[at]);
  return true;
}

/// From `from`, up to the bracket that closes the list. Returns where that stands.
static size_t read_list(CallView *view, size_t from)
{
  Str line = view->line.text;
  for (uint32_t at = 0;; at++) {
    size_t end = item_end(line, from);
    Str text = str_trim(str_slice(line, from, end));
    if (text.len > 0 && !read_keyword(view, text) && at < VIEW_ARGUMENT_LIMIT)
      read_argument(&view->line, text, &view->arguments[at]);
    if (end >= line.len || line.data[end] != ',')
      return end;
    from = end + 1;
  }
}

static void read_call(CallView *view, Str op)
{
  static const Str args = STR_INIT("](args = ("), kwargs = STR_INIT("), kwargs = {");
  Str line = view->line.text;
  size_t at = str_find(line, op, 0);
  if (at == STR_NOT_FOUND)
    return;
  Str after = str_slice(line, at + op.len, line.len);
  if (str_starts_with(after, args)) {
    view->line.is_listed = true;
    size_t end = read_list(view, at + op.len + args.len);
    if (str_starts_with(str_slice(line, end, line.len), kwargs))
      read_list(view, end + kwargs.len);
  } else if (str_starts_with(after, STR("("))) {
    read_list(view, at + op.len + 1);
  }
}

static void read_defaults(const TorchOverload *overload, CallView *view, Arena *arena)
{
  for (uint32_t i = 0; i < overload->argument_count && i < VIEW_ARGUMENT_LIMIT; i++) {
    const TorchArgument *argument = &overload->arguments[i];
    if (!argument->has_default)
      continue;
    view->arguments[i].value = literal(argument->default_text, arena);
    view->arguments[i].is_none = view->arguments[i].value.kind == VALUE_NONE;
  }
}

// --- The view ---

static const ArgumentFacts *argument_facts(NodeView *base, uint32_t number, uint32_t element)
{
  CallView *view = (CallView *)base;
  if (number >= VIEW_ARGUMENT_LIMIT)
    return &argument_unknown;
  const ArgumentFacts *argument = &view->arguments[number];
  if (element == WHOLE_ARGUMENT)
    return argument;
  view->element = argument_unknown;
  if (argument->value.kind != VALUE_LIST || element >= argument->value.count)
    return &view->element;
  const Value *item = &argument->value.items[element];
  view->element.value = *item;
  if (item->kind == VALUE_UNKNOWN && item->text.len > 0)
    read_name(&view->line, item->text, &view->element);
  return &view->element;
}

/// N of `name[N]`, and in a list of `getitem](args = (%name, N)`, where `name` is the use; false if it is another one.
static bool read_place(const CallLine *line, Place use, uint64_t *ret_place)
{
  const ChunkState *chunk = line->walk->dump->chunks[use.chunk];
  uint32_t number = walk_item(line->walk, use)->line;
  size_t end = chunk->index->occurrences[use.occurrence].start + walk_name(line->walk, use).len;
  Str text = text_chunk_line(chunk->text, number);
  Str after = str_slice(text, end - chunk->text->starts[number], text.len);
  bool is_place = str_starts_with(after, STR("[")) ||
                  (str_starts_with(after, STR(", ")) && str_find(text, STR("getitem]"), 0) != STR_NOT_FOUND);
  return is_place && str_to_uint(str_trim(str_slice(after, 1, item_end(after, 1))), UINT32_MAX, ret_place);
}

/// Is anything made of what `name[N]` is given the name of? A line that gives it none uses it.
static bool is_named_in_vain(const CallLine *line, Place use)
{
  const Item *item = walk_item(line->walk, use);
  if (item->kind != ITEM_STATEMENT || item->def_count != 1)
    return false;
  Place definition = walk_definition(line->walk, use, 0);
  UseCursor cursor = dump_uses_after(line->walk->dump, definition);
  Place other;
  return !walk_next_use(line->walk, definition, &cursor, &other);
}

/// Where the one name of what the line makes is defined, and its uses; false if it has more names, or none.
static bool find_result(const CallLine *line, Place *ret_definition, UseCursor *ret_cursor)
{
  if (walk_item(line->walk, line->node)->def_count != 1)
    return false;
  *ret_definition = walk_definition(line->walk, line->node, 0);
  *ret_cursor = dump_uses_after(line->walk->dump, *ret_definition);
  return true;
}

/// How many results there are, up to the last one that is used.
static Truth is_unpacked(NodeView *base, uint32_t *ret_count)
{
  const CallLine *line = &((const CallView *)base)->line;
  *ret_count = 0;
  Place definition, use;
  UseCursor cursor;
  if (!find_result(line, &definition, &cursor))
    return TRUTH_UNKNOWN;
  for (int i = 0; walk_next_use(line->walk, definition, &cursor, &use); i++) {
    uint64_t place = UINT32_MAX - 1;  // If it is returned as it is, all are used.
    bool is_whole = walk_item(line->walk, use)->kind == ITEM_RETURN;
    if (i == INPUT_USE_LIMIT || (!is_whole && !read_place(line, use, &place)))
      return TRUTH_UNKNOWN;
    if (!is_whole && is_named_in_vain(line, use))
      continue;
    *ret_count = place >= *ret_count ? (uint32_t)place + 1 : *ret_count;
  }
  return TRUTH_YES;
}

static Truth is_returned(NodeView *base)
{
  const CallLine *line = &((const CallView *)base)->line;
  Place definition, use;
  UseCursor cursor;
  if (!find_result(line, &definition, &cursor))
    return TRUTH_UNKNOWN;
  for (int i = 0; walk_next_use(line->walk, definition, &cursor, &use); i++) {
    if (i == INPUT_USE_LIMIT)
      return TRUTH_UNKNOWN;
    if (walk_item(line->walk, use)->kind == ITEM_RETURN)
      return TRUTH_YES;
  }
  return TRUTH_NO;
}

static Str result_type(NodeView *base)
{
  const CallLine *line = &((const CallView *)base)->line;
  if (walk_item(line->walk, line->node)->def_count != 1)
    return (Str){ 0 };
  Str type = call_view_printed_type(line->walk, line->dialect, walk_definition(line->walk, line->node, 0));
  type = dialect_plain_type(type, line->arena);
  return dtype_name(str_slice(type, 0, str_find_char(type, '[', 0)));
}

void call_view_begin(CallView *view, const GraphWalk *walk, const GraphDialect *dialect, Place node,
                     const TorchOverload *overload, Arena *arena)
{
  const ChunkState *chunk = walk->dump->chunks[node.chunk];
  uint32_t line = walk_item(walk, node)->line;
  view->line = (CallLine){ .walk = walk,
                           .dialect = dialect,
                           .node = node,
                           .overload = overload,
                           .arena = arena,
                           .text = text_chunk_line(chunk->text, line),
                           .start = chunk->text->starts[line] };
  view->view = (NodeView){ .argument_count = overload ? overload->argument_count : VIEW_ARGUMENT_LIMIT,
                           .argument = argument_facts,
                           .is_unpacked = is_unpacked,
                           .is_returned = is_returned,
                           .result_type = result_type };
  for (size_t i = 0; i < VIEW_ARGUMENT_LIMIT; i++)
    view->arguments[i] = argument_unknown;
  if (overload)
    read_defaults(overload, view, arena);
  read_call(view, walk_op(walk, node));
}
