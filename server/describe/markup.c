#include "describe/markup.h"

#include "base/ascii.h"
#include "text/uri.h"
#include "text/utf.h"

static void append_both(Markup *markup, Str s)
{
  buffer_append(&markup->markdown, s);
  buffer_append(&markup->plain, s);
}

static bool is_word_at(Str s, size_t i)
{
  char c = i < s.len ? s.data[i] : ' ';
  return ascii_is_digit(c) || ascii_is_letter(c) || (c & 0x80);
}

/// Whether Markdown would read the byte as more than itself. Escapes that are not needed make the source hard to read.
static bool needs_escape(Str s, size_t i)
{
  char next = i + 1 < s.len ? s.data[i + 1] : ' ';
  switch (s.data[i]) {
  case '\\':
  case '`':
  case '*':
    return true;
  case '_':
    return i == 0 || !is_word_at(s, i - 1) || !is_word_at(s, i + 1);
  case '<':
    return is_word_at(s, i + 1) || next == '/' || next == '!' || next == '?';
  case ']':
    return next == '(' || next == '[' || next == ':';
  case '&':
    return is_word_at(s, i + 1) || next == '#';
  default:
    return false;
  }
}

void markup_text(Markup *markup, const char *format, ...)
{
  Arena scratch = { 0 };
  va_list args;
  va_start(args, format);
  Str text = arena_vprintf(&scratch, format, args);
  va_end(args);
  for (size_t i = 0; i < text.len; i++) {
    if (needs_escape(text, i))
      buffer_append_char(&markup->markdown, '\\');
    buffer_append_char(&markup->markdown, text.data[i]);
  }
  buffer_append(&markup->plain, text);
  arena_done(&scratch);
}

/// The longest run of backticks.
static size_t longest_ticks(Str s)
{
  size_t longest = 0;
  size_t run = 0;
  for (size_t i = 0; i < s.len; i++) {
    run = s.data[i] == '`' ? run + 1 : 0;
    if (run > longest)
      longest = run;
  }
  return longest;
}

static void append_ticks(Markup *markup, size_t count)
{
  while (count-- > 0)
    buffer_append_char(&markup->markdown, '`');
}

void markup_code(Markup *markup, Str code)
{
  if (code.len == 0)
    return;
  size_t ticks = longest_ticks(code) + 1;
  bool pads = code.data[0] == '`' || code.data[code.len - 1] == '`';
  append_ticks(markup, ticks);
  if (pads)
    buffer_append_char(&markup->markdown, ' ');
  append_both(markup, code);
  if (pads)
    buffer_append_char(&markup->markdown, ' ');
  append_ticks(markup, ticks);
}

void markup_prose(Markup *markup, Str words)
{
  bool is_code = false;
  for (size_t start = 0; start <= words.len; is_code = !is_code) {
    size_t tick = str_find_char(words, '`', start);
    size_t end = tick == STR_NOT_FOUND ? words.len : tick;
    Str piece = str_slice(words, start, end);
    bool has_ticks = is_code && tick != STR_NOT_FOUND;
    // In a sentence at a terminal nothing else tells a name from a word.
    Str mark = has_ticks && markup->for_terminal ? STR("`") : STR("");
    buffer_append(&markup->plain, mark);
    if (has_ticks)
      markup_code(markup, piece);
    else
      markup_text(markup, "%.*s", STR_ARG(piece));
    buffer_append(&markup->plain, mark);
    start = end + 1;
  }
}

void markup_page(Markup *markup, const char *label, Str url)
{
  if (url.len == 0)
    return;
  buffer_printf(&markup->markdown, "[%s](%.*s)", label, STR_ARG(url));
  buffer_printf(&markup->plain, "%s: %.*s", label, STR_ARG(url));
}

void markup_link(Markup *markup, Str label, Str path, uint32_t line, Arena *arena)
{
  Str uri = path.len > 0 ? uri_from_path(path, arena) : (Str){ 0 };
  if (uri.len == 0) {
    markup_code(markup, label);
    return;
  }
  buffer_append_char(&markup->markdown, '[');
  markup_code(markup, label);
  buffer_printf(&markup->markdown, "](%.*s#L%u)", STR_ARG(uri), line);
}

/// Ends what was there; Markdown needs an empty line unless an item follows an item.
static void begin_line(Markup *markup, bool is_item)
{
  if (markup->plain.len > 0) {
    buffer_append(&markup->markdown, is_item && markup->is_in_list ? STR("\n") : STR("\n\n"));
    buffer_append(&markup->plain, markup->for_terminal && !is_item ? STR("\n\n") : STR("\n"));
  }
  markup->is_in_list = is_item;
}

void markup_paragraph(Markup *markup)
{
  begin_line(markup, false);
}

void markup_item(Markup *markup)
{
  begin_line(markup, true);
  buffer_append(&markup->markdown, STR("- "));
  if (markup->for_terminal)
    buffer_append(&markup->plain, STR("  "));
}

void markup_heading(Markup *markup, const char *heading)
{
  begin_line(markup, false);
  buffer_printf(&markup->markdown, "**%s**", heading);
  buffer_append(&markup->plain, str_from(heading));
}

void markup_column(Markup *markup, const char *separator)
{
  buffer_append(&markup->markdown, str_from(separator));
  if (markup->for_terminal)
    buffer_append_char(&markup->plain, '\t');
  else
    buffer_append(&markup->plain, str_from(separator));
}

/// A terminal shows code by its indentation.
static void append_plain_block(Markup *markup, Str code)
{
  for (size_t i = 0; i < code.len; i++) {
    if (markup->for_terminal && (i == 0 || code.data[i - 1] == '\n'))
      buffer_append(&markup->plain, STR("    "));
    buffer_append_char(&markup->plain, code.data[i]);
  }
}

void markup_block(Markup *markup, const char *language, Str code)
{
  markup_paragraph(markup);
  size_t ticks = longest_ticks(code);
  ticks = ticks < 3 ? 3 : ticks + 1;
  append_ticks(markup, ticks);
  buffer_printf(&markup->markdown, "%s\n", language);
  buffer_append(&markup->markdown, code);
  append_plain_block(markup, code);
  buffer_append_char(&markup->markdown, '\n');
  append_ticks(markup, ticks);
}

bool markup_finish(Markup *markup, Arena *arena, Range range, Hover *ret_hover)
{
  bool any = markup->plain.len > 0;
  if (any) {
    ret_hover->range = range;
    ret_hover->markdown = arena_copy(arena, buffer_str(&markup->markdown));
    ret_hover->plain = arena_copy(arena, buffer_str(&markup->plain));
  }
  buffer_done(&markup->markdown);
  buffer_done(&markup->plain);
  return any;
}

Str markup_shorten(Str s, size_t limit, Arena *arena)
{
  if (s.len <= limit)
    return s;
  Str head = str_slice(s, 0, utf_floor(s, limit));
  return arena_printf(arena, "%.*s\xe2\x80\xa6", STR_ARG(head));
}

Str markup_group_digits(uint64_t number, Arena *arena)
{
  char digits[32];
  size_t at = sizeof(digits);
  int count = 0;
  do {
    if (count > 0 && count % 3 == 0)
      digits[--at] = ',';
    digits[--at] = (char)('0' + number % 10);
    number /= 10;
    count++;
  } while (number > 0);
  return arena_copy(arena, str_make(digits + at, sizeof(digits) - at));
}
