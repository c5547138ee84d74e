// Graphs as lists: a node a line as `print(graph)` gives them, or a row as `print_tabular()` does.

#include "graph/fx/fx_scan.h"

#include "base/ascii.h"

// --- `%add : [num_users=1] = call_function[target=…](args = (…), kwargs = {…})` ---

static bool ends_name(char c)
{
  return !(ascii_is_word(c) || (unsigned char)c >= 0x80);
}

/// `%x` among the arguments. Strings are there without quotes, so a sign within a word is none, and neither is one
/// before a digit, with which no name begins.
static void add_uses(FxScan *scan, uint32_t start, uint32_t end, uint16_t depth)
{
  for (uint32_t at = start; at < end; at++) {
    char before = at > start ? scan->text.data[at - 1] : ' ';
    if (scan->text.data[at] != '%' || (before != ' ' && before != '(' && before != '[' && before != '{'))
      continue;
    uint32_t name = at + 1;
    uint32_t stop = name;
    while (stop < end && !ends_name(scan->text.data[stop]))
      stop++;
    char after = stop < end ? scan->text.data[stop] : ',';
    bool is_number = stop > name && ascii_is_digit(scan->text.data[name]);
    if (stop == name || is_number || !memchr(",)]}: ", after, 6))
      continue;
    scan->at = stop;
    fx_add(scan, NODE_VALUE_REF, depth, name);
    at = stop - 1;
  }
}

/// An argument, from `start` to the next comma outside of brackets. Returns the offset of the comma, or `end`.
static uint32_t argument_end(const FxScan *scan, uint32_t start, uint32_t end)
{
  uint32_t depth = 0;
  for (; start < end; start++) {
    char c = scan->text.data[start];
    if (c == '(' || c == '[' || c == '{')
      depth++;
    else if ((c == ')' || c == ']' || c == '}') && depth > 0)
      depth--;
    else if (c == ',' && depth == 0)
      break;
  }
  return start;
}

/// With the sign of a value, which is not part of its name.
static void add_argument(FxScan *scan, uint32_t start, uint32_t end)
{
  size_t argument = fx_open(scan, NODE_ARGUMENT, 3, start);
  add_uses(scan, start, end, 4);
  scan->nodes->items[argument].end = end;
}

/// `dim: -1`
static void add_keyword(FxScan *scan, uint32_t start, uint32_t end)
{
  uint32_t colon = start;
  while (colon < end && scan->text.data[colon] != ':')
    colon++;
  uint32_t value = colon + 1 < end ? colon + 2 : end;
  size_t attribute = fx_open(scan, NODE_ATTRIBUTE, 3, start);
  scan->at = colon;
  fx_add(scan, NODE_ATTRIBUTE_NAME, 4, start);
  size_t node = fx_open(scan, NODE_ATTRIBUTE_VALUE, 4, value);
  add_uses(scan, value, end, 5);
  scan->at = end;
  fx_close(scan, node);
  fx_close(scan, attribute);
}

static void add_arguments(FxScan *scan, uint32_t start, uint32_t end, void (*add)(FxScan *, uint32_t, uint32_t))
{
  while (start < end) {
    uint32_t stop = argument_end(scan, start, end);
    if (stop > start)
      add(scan, start, stop);
    start = stop + 1;
    while (start < end && scan->text.data[start] == ' ')
      start++;
  }
}

/// `(args = (%x, 1), kwargs = {dim: 0})`, up to the line's end.
static bool take_call(FxScan *scan)
{
  size_t list = fx_open(scan, NODE_ARGUMENT_LIST, 2, scan->at);
  if (!fx_take(scan, STR("(args = (")))
    return false;
  Str rest = fx_rest(scan);
  size_t kwargs = STR_NOT_FOUND;
  for (size_t at = str_find(rest, STR("), kwargs = {"), 0); at != STR_NOT_FOUND;
       at = str_find(rest, STR("), kwargs = {"), at + 1))
    kwargs = at;
  size_t end = str_rfind_char(rest, '}');
  if (kwargs == STR_NOT_FOUND || end == STR_NOT_FOUND || end < kwargs || end + 1 >= rest.len ||
      rest.data[end + 1] != ')') {
    add_uses(scan, scan->at, scan->end, 3);
    scan->at = scan->end;
    fx_close(scan, list);
    return false;
  }
  uint32_t first = scan->at;
  add_arguments(scan, first, first + (uint32_t)kwargs, add_argument);
  add_arguments(scan, first + (uint32_t)kwargs + 13, first + (uint32_t)end, add_keyword);
  scan->at = first + (uint32_t)end + 2;
  fx_close(scan, list);
  return true;
}

/// `[target=torch.ops.aten.add.Tensor]`
static bool take_target(FxScan *scan, bool is_operator)
{
  if (!fx_take(scan, STR("[target=")))
    return false;
  uint32_t start = scan->at;
  Str rest = fx_rest(scan);
  size_t end = str_find(rest, STR("](args = ("), 0);
  end = end == STR_NOT_FOUND ? str_find_char(rest, ']', 0) : end;
  if (end == STR_NOT_FOUND)
    return false;
  scan->at += (uint32_t)end;
  fx_add(scan, is_operator ? NODE_OP_KIND : NODE_SCOPE, 2, start);
  scan->at++;
  return true;
}

/// `(default=None)` after a placeholder.
static bool take_default(FxScan *scan)
{
  if (!fx_take(scan, STR("(default=")))
    return true;
  size_t end = str_rfind_char(fx_rest(scan), ')');
  if (end == STR_NOT_FOUND)
    return false;
  scan->at += (uint32_t)end + 1;
  return true;
}

/// Inputs are listed as nodes, too.
static bool is_input(Str opcode)
{
  return str_equal_ignore_case(opcode, STR("placeholder"));
}

/// `call_function[target=torch.relu](args = (%x,), kwargs = {})`
static bool take_node(FxScan *scan, size_t line)
{
  Str opcode;
  if (!fx_take_name(scan, &opcode))
    return false;
  if (is_input(opcode))
    scan->nodes->items[line].kind = NODE_PARAMETER_LINE;
  bool is_operator = str_equal(opcode, STR("call_function")) || str_equal(opcode, STR("call_method"));
  bool is_call = is_operator || str_equal(opcode, STR("call_module"));
  if (!take_target(scan, is_operator))
    return false;
  return is_call ? take_call(scan) : take_default(scan);
}

/// ` : torch.Tensor "f32[2]"[num_users=2] = `: what is between a node's name and what it does.
static bool take_users(FxScan *scan)
{
  if (!fx_take(scan, STR(" :")) && !fx_take(scan, STR(":")))
    return false;
  fx_skip_blanks(scan);
  uint32_t start = scan->at;
  Str rest = fx_rest(scan);
  size_t equals = str_find(rest, STR(" = "), 0);
  if (equals == STR_NOT_FOUND)
    return false;
  Str head = str_slice(rest, 0, equals);
  size_t users = str_find(head, STR("[num_users="), 0);
  if (users == STR_NOT_FOUND)
    users = str_find(head, STR("[#users="), 0);
  Str type = str_trim(str_slice(head, 0, users));
  size_t quote = str_find_char(type, '"', 0);
  if (quote != STR_NOT_FOUND && str_ends_with(type, STR("\"")) && quote + 1 < type.len)
    type = str_slice(type, quote + 1, type.len - 1);
  if (type.len > 0) {
    scan->at = fx_offset(scan, type.data) + (uint32_t)type.len;
    fx_add(scan, NODE_TYPE, 3, fx_offset(scan, type.data));
  }
  scan->at = start + (uint32_t)equals;
  return true;
}

bool fx_read_listed(FxScan *scan)
{
  if (fx_peek(scan) != '%')
    return false;
  size_t line = fx_open_line(scan, NODE_STATEMENT);
  scan->at++;
  uint32_t start = scan->at;
  Str name;
  if (!fx_take_name(scan, &name))
    return false;
  size_t definition = fx_open(scan, NODE_DEFINITION, 2, start);
  fx_add(scan, NODE_VALUE_NAME, 3, start);
  char after = fx_peek(scan);
  if (scan->at < scan->end && after != ' ' && after != ':')
    return false;
  bool is_sound = take_users(scan);
  fx_close(scan, definition);
  is_sound = is_sound && fx_take(scan, STR(" = ")) && take_node(scan, line);
  fx_skip_blanks(scan);
  if (is_sound && fx_peek(scan) == '#') {
    uint32_t comment = scan->at;
    scan->at = scan->end;
    fx_add(scan, NODE_COMMENT, 2, comment);
  }
  if (!is_sound || scan->at < scan->end)
    fx_add_error(scan, line);
  scan->at = scan->end;
  fx_close(scan, line);
  return true;
}

// --- Headers ---

/// `graph():`, or what names its columns in a table.
bool fx_read_listing_header(FxScan *scan)
{
  Str line = str_trim(fx_rest(scan));
  bool is_table = str_starts_with(line, STR("opcode ")) && str_contains(line, STR(" target ")) &&
                  str_ends_with(line, STR(" kwargs"));
  bool is_graph = str_equal(line, STR("graph():")) || str_ends_with(line, STR(" graph():"));
  if (!is_table && !is_graph)
    return false;
  size_t node = fx_open_line(scan, NODE_GRAPH_HEADER);
  uint32_t start = scan->end - 1;
  scan->at = scan->end;
  fx_add(scan, NODE_HEADER_END, 2, start);
  fx_close(scan, node);
  return true;
}

// --- Tables ---

/// The next column: it ends before two blanks.
static Str take_column(FxScan *scan)
{
  fx_skip_blanks(scan);
  uint32_t start = scan->at;
  size_t end = str_find(fx_rest(scan), STR("  "), 0);
  scan->at = end == STR_NOT_FOUND ? scan->end : start + (uint32_t)end;
  return str_slice(scan->text, start, scan->at);
}

static bool is_opcode(Str word)
{
  static const Str words[] = { STR_INIT("placeholder"), STR_INIT("get_attr"),    STR_INIT("call_function"),
                               STR_INIT("call_method"), STR_INIT("call_module"), STR_INIT("output") };
  for (size_t i = 0; i < COUNT(words); i++) {
    if (str_equal(word, words[i]))
      return true;
  }
  return false;
}

/// Arguments by position and by name, which are printed as Python prints tuples and dictionaries.
static void take_row_arguments(FxScan *scan)
{
  size_t list = fx_open(scan, NODE_ARGUMENT_LIST, 2, scan->at);
  while (!scan->is_broken && (fx_skip_blanks(scan), scan->at < scan->end))
    fx_scan_expression(scan, 3);
  fx_close(scan, list);
}

bool fx_read_row(FxScan *scan)
{
  Str opcode = take_column(scan);
  if (!is_opcode(opcode) || scan->at == scan->end)
    return false;
  bool is_output = str_equal(opcode, STR("output"));
  bool is_whole = is_output && !scan->ends_text;
  size_t line = fx_open_line(scan, is_whole           ? NODE_RETURN_STATEMENT
                                   : is_input(opcode) ? NODE_PARAMETER_LINE
                                                      : NODE_STATEMENT);
  Str name = take_column(scan);
  if (name.len == 0 || scan->at == scan->end)
    return false;
  uint32_t start = fx_offset(scan, name.data);
  if (!is_output)
    fx_add(scan, NODE_VALUE_NAME, 2, start);
  Str target = take_column(scan);
  bool is_operator = str_equal(opcode, STR("call_function")) || str_equal(opcode, STR("call_method"));
  if (!is_output)
    fx_add(scan, is_operator ? NODE_OP_KIND : NODE_SCOPE, 2, fx_offset(scan, target.data));
  take_row_arguments(scan);
  scan->at = scan->end;
  fx_close(scan, line);
  return true;
}
