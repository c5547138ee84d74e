#include "graph/fx/fx_scan.h"

#include "base/ascii.h"

enum { BEGINS_NAME = 1, IN_NAME = 2 };

__extension__ static const uint8_t classes[256] = {
  ['A' ... 'Z'] = BEGINS_NAME | IN_NAME,
  ['a' ... 'z'] = BEGINS_NAME | IN_NAME,
  ['_'] = BEGINS_NAME | IN_NAME,
  [0x80 ... 0xFF] = BEGINS_NAME | IN_NAME,
  ['0' ... '9'] = IN_NAME,
};

static bool skip_colour(FxScan *scan)
{
  size_t length = ascii_colour_length(fx_rest(scan));
  scan->at += (uint32_t)length;
  return length > 0;
}

void fx_skip_blanks(FxScan *scan)
{
  while (fx_peek(scan) == ' ' || fx_peek(scan) == '\t' || skip_colour(scan))
    scan->at += fx_peek(scan) == ' ' || fx_peek(scan) == '\t';
}

bool fx_take(FxScan *scan, Str expected)
{
  if (scan->end - scan->at < expected.len || memcmp(scan->text.data + scan->at, expected.data, expected.len) != 0)
    return false;
  scan->at += (uint32_t)expected.len;
  return true;
}

bool fx_take_name(FxScan *scan, Str *ret_name)
{
  uint32_t start = scan->at;
  uint32_t at = start;
  if (at >= scan->end || !(classes[(unsigned char)scan->text.data[at]] & BEGINS_NAME))
    return false;
  while (at < scan->end && classes[(unsigned char)scan->text.data[at]])
    at++;
  scan->at = at;
  *ret_name = str_make(scan->text.data + start, at - start);
  return true;
}

bool fx_take_string(FxScan *scan)
{
  char quote = fx_peek(scan);
  for (scan->at++; scan->at < scan->end && scan->text.data[scan->at] != quote; scan->at++) {
    if (scan->text.data[scan->at] == '\\' && scan->at + 1 < scan->end)
      scan->at++;
  }
  if (scan->at >= scan->end)
    return false;
  scan->at++;
  return true;
}

Str fx_rest(const FxScan *scan)
{
  return str_slice(scan->text, scan->at, scan->end);
}

uint32_t fx_offset(const FxScan *scan, const char *data)
{
  return (uint32_t)(data - scan->text.data);
}

size_t fx_open_line(FxScan *scan, NodeKind kind)
{
  size_t line = fx_open(scan, kind, 1, scan->first);
  if (scan->prefix_end > scan->first) {
    size_t prefix = fx_open(scan, NODE_LOG_PREFIX, 2, scan->first);
    scan->nodes->items[prefix].end = scan->prefix_end;
  }
  return line;
}

size_t fx_open(FxScan *scan, NodeKind kind, uint16_t depth, uint32_t start)
{
  vec_push(scan->nodes, (SyntaxNode){ .kind = (uint8_t)kind, .depth = depth, .start = start, .end = start });
  return scan->nodes->count - 1;
}

void fx_close(FxScan *scan, size_t node)
{
  scan->nodes->items[node].end = scan->at;
}

void fx_add(FxScan *scan, NodeKind kind, uint16_t depth, uint32_t start)
{
  fx_close(scan, fx_open(scan, kind, depth, start));
}

void fx_add_error(FxScan *scan, size_t line)
{
  // Between colours a line may stop anywhere.
  if (str_find_char(str_slice(scan->text, scan->first, scan->end), '\x1b', 0) != STR_NOT_FOUND)
    return;
  fx_skip_blanks(scan);
  uint32_t start = scan->at;
  scan->at = scan->end;
  fx_add(scan, start < scan->end ? NODE_ERROR : NODE_MISSING, 2, start);
  scan->nodes->items[line].state = SYNTAX_BROKEN;
}

/// The end of a type without quotes, which no blank interrupts outside of brackets.
static void skip_plain_type(FxScan *scan)
{
  uint32_t depth = 0;
  for (; scan->at < scan->end; scan->at++) {
    char c = fx_peek(scan);
    if (depth == 0 && (c == ' ' || c == ',' || c == '=' || c == ')' || c == ':' || c == ';'))
      return;
    if (c == '(' || c == '[')
      depth++;
    else if ((c == ')' || c == ']') && depth > 0)
      depth--;
  }
}

/// `f32[`, `bf16[`, `f8e4m3fn[`, `Sym(`
static bool is_fx_type(Str type)
{
  type = str_slice(type, ascii_colour_length(type), type.len);
  size_t letters = 0;
  while (letters < type.len && type.data[letters] >= 'a' && type.data[letters] <= 'z')
    letters++;
  size_t bracket = str_find_char(type, '[', 0);
  bool has_bits = letters > 0 && letters <= 2 && letters < type.len && type.data[letters] >= '0' &&
                  type.data[letters] <= '9' && bracket != STR_NOT_FOUND && bracket < 16;
  return has_bits || str_starts_with(type, STR("Sym("));
}

bool fx_take_type(FxScan *scan, uint16_t depth, bool *ret_is_certain)
{
  *ret_is_certain = false;
  uint32_t before = scan->at;
  fx_skip_blanks(scan);
  if (!fx_take(scan, STR(":"))) {
    scan->at = before;
    return false;
  }
  fx_skip_blanks(scan);
  uint32_t start = scan->at;
  if (fx_peek(scan) != '"' && fx_peek(scan) != '\'') {
    skip_plain_type(scan);
    if (scan->at > start)
      fx_add(scan, NODE_TYPE, depth, start);
    return scan->at > start;
  }
  bool ends = fx_take_string(scan);
  fx_add(scan, NODE_TYPE, depth, start + 1);
  vec_last(scan->nodes)->end -= ends;
  *ret_is_certain = is_fx_type(str_slice(scan->text, start + 1, scan->at));
  scan->is_broken |= !ends;
  return true;
}
