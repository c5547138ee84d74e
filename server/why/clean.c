#include "why/clean.h"

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "base/vec.h"
#include "text/lines.h"
#include "text/traceback.h"
#include "why/prefix.h"

enum {
  ESCAPE = 0x1B,
  BELL = 0x07,
};

typedef struct Cleaner {
  Buffer out;
  Vec(CleanLine) lines;
  Vec(CleanPiece) pieces;
  Prefixes prefixes;
  size_t indent;  ///< Of a traceback that is indented as a whole, up to its end.
} Cleaner;

/// "[96m": what is left of a colour where the escape itself got lost, and the control sequence after a real one.
static size_t colour_end(Str s, size_t open)
{
  size_t i = open + 1;
  while (i < s.len && i - open < 12 && (ascii_is_digit(s.data[i]) || s.data[i] == ';'))
    i++;
  return i > open + 1 && str_at(s, i) == 'm' ? i + 1 : open;
}

/// The end of the control sequence that starts at `at`; `at` if there is none.
static size_t escape_end(Str s, size_t at)
{
  char c = s.data[at];
  if (c == '[')
    return colour_end(s, at);
  if (c == '^' && str_at(s, at + 1) == '[' && str_at(s, at + 2) == '[')
    return colour_end(s, at + 2) > at + 2 ? colour_end(s, at + 2) : at;
  if (c != ESCAPE)
    return at;
  size_t i = at + 2;
  if (str_at(s, at + 1) == ']') {  // Runs up to a bell or ESC \.
    while (i < s.len && s.data[i] != BELL && s.data[i] != ESCAPE)
      i++;
    return str_at(s, i) == ESCAPE && str_at(s, i + 1) == '\\' ? i + 2 : i < s.len ? i + 1 : s.len;
  }
  if (str_at(s, at + 1) != '[')
    return i < s.len ? i : s.len;
  while (i < s.len && s.data[i] >= 0x20 && s.data[i] < 0x40)
    i++;
  return i < s.len ? i + 1 : s.len;
}

static void add_piece(Cleaner *cleaner, size_t original)
{
  CleanPiece piece = { (uint32_t)cleaner->out.len, (uint32_t)original };
  vec_push(&cleaner->pieces, piece);
}

static Str without_blanks(Str line)
{
  size_t len = line.len;
  while (len > 0 && (line.data[len - 1] == ' ' || line.data[len - 1] == '\t' || line.data[len - 1] == '\0'))
    len--;
  return str_slice(line, 0, len);
}

/// Without blanks at the end and the right border of rich's box.
static Str without_tail(Str line)
{
  Str bar = STR("\xE2\x94\x82");
  Str trimmed = without_blanks(line);
  return str_ends_with(trimmed, bar) ? without_blanks(str_slice(trimmed, 0, trimmed.len - bar.len)) : trimmed;
}

/// What web pages write for characters that HTML needs itself, for quotes, and for blanks that must not be broken.
static const struct {
  Str written;
  char stands_for;
} html_characters[] = {
  { STR_INIT("&quot;"), '"' },       { STR_INIT("&#34;"), '"' },         { STR_INIT("&#39;"), '\'' },
  { STR_INIT("&#x27;"), '\'' },      { STR_INIT("&apos;"), '\'' },       { STR_INIT("&lt;"), '<' },
  { STR_INIT("&gt;"), '>' },         { STR_INIT("&amp;"), '&' },         { STR_INIT("&nbsp;"), ' ' },
  { STR_INIT("\xC2\xA0"), ' ' },     { STR_INIT("\xE2\x80\x98"), '\'' }, { STR_INIT("\xE2\x80\x99"), '\'' },
  { STR_INIT("\xE2\x80\x9C"), '"' }, { STR_INIT("\xE2\x80\x9D"), '"' },
};

/// The character that stands at `at`, and where it ends. A NUL becomes a blank, because words that are put into
/// sentences end at one.
static char plain_character(Str line, size_t at, size_t *ret_end)
{
  char c = line.data[at];
  Str rest = c == '&' || c == '\xC2' || c == '\xE2' ? str_slice(line, at, line.len) : STR("");
  for (size_t i = 0; rest.len > 0 && i < COUNT(html_characters); i++) {
    if (str_starts_with(rest, html_characters[i].written)) {
      *ret_end = at + html_characters[i].written.len;
      return html_characters[i].stands_for;
    }
  }
  *ret_end = at + 1;
  return c == '\0' ? ' ' : c;
}

/// Copies what is not a control sequence; a piece begins wherever something was left out or stands for something else.
static void add_plain(Cleaner *cleaner, Str line, size_t original)
{
  bool starts_piece = true;
  for (size_t i = 0; i < line.len;) {
    size_t end = escape_end(line, i);
    if (end > i) {
      i = end;
      starts_piece = true;
      continue;
    }
    if (starts_piece)
      add_piece(cleaner, original + i);
    buffer_append_char(&cleaner->out, plain_character(line, i, &end));
    starts_piece = end > i + 1;
    i = end;
  }
}

static void end_line(Cleaner *cleaner, CleanLine *line, size_t original)
{
  line->end = (uint32_t)cleaner->out.len;
  add_piece(cleaner, original);
  buffer_append_char(&cleaner->out, '\n');
  vec_push(&cleaner->lines, *line);
  line->start = (uint32_t)cleaner->out.len;
}

// --- Lines within a string of JSON or Python ---

/// Appends what `count` hexadecimal digits stand for; a control character and half a pair are left out.
static size_t add_code_point(Buffer *out, Str s, size_t at, size_t count)
{
  uint32_t code = 0;
  for (size_t i = 0; i < count; i++) {
    int digit = ascii_hex_value(str_at(s, at + i));
    if (digit < 0)
      return at + i;
    code = code * 16 + (uint32_t)digit;
  }
  if (code >= 0x20 && code < 0x80)
    buffer_append_char(out, (char)code);
  else if (code >= 0x80 && code < 0x800)
    buffer_printf(out, "%c%c", (int)(0xC0 | code >> 6), (int)(0x80 | (code & 0x3F)));
  else if (code >= 0x800 && (code < 0xD800 || code > 0xDFFF))
    buffer_printf(out, "%c%c%c", (int)(0xE0 | code >> 12), (int)(0x80 | (code >> 6 & 0x3F)),
                  (int)(0x80 | (code & 0x3F)));
  return at + count;
}

/// The end of the escape at `at`, a backslash. One for a line end is left to the caller.
static size_t add_escape(Cleaner *cleaner, Str s, size_t at)
{
  char c = str_at(s, at + 1);
  if (c == 'u')
    return add_code_point(&cleaner->out, s, at + 2, 4);
  if (c == 'x')
    return add_code_point(&cleaner->out, s, at + 2, 2);
  if (c == 't')
    buffer_append_char(&cleaner->out, '\t');
  else if (c != 'r' && c != '\0')
    buffer_append_char(&cleaner->out, c);
  return at + 2 < s.len ? at + 2 : s.len;
}

/// "Traceback ...\n  File \"model.py\"...": as many lines as it has line ends, up to the quote that ends it.
static void add_escaped(Cleaner *cleaner, Str s, char quote, CleanLine *line, size_t original)
{
  add_piece(cleaner, original);
  size_t i = 0;
  while (i < s.len && s.data[i] != quote) {
    size_t end = escape_end(s, i);
    bool is_escape = s.data[i] == '\\';
    if (end == i && is_escape && str_at(s, i + 1) == 'n') {
      end = i + 2;
      if (str_at(s, end) != quote)
        end_line(cleaner, line, original + end);
    } else if (end == i && is_escape) {
      add_piece(cleaner, original + i + 1);
      end = add_escape(cleaner, s, i);
    } else if (end == i) {
      buffer_append_char(&cleaner->out, s.data[i] == '\0' ? ' ' : s.data[i]);
      i++;
      continue;
    }
    i = end;
    add_piece(cleaner, original + i);
  }
  end_line(cleaner, line, original + i);
}

// --- Lines ---

/// A log record that is one line has its text in a string.
static bool is_in_string(Str line, size_t prefix)
{
  char last = prefix > 0 ? line.data[prefix - 1] : '\0';
  return (last == '"' || last == '\'') && str_find(line, STR("\\n"), prefix) != STR_NOT_FOUND;
}

static size_t blanks_of(Str s)
{
  size_t count = 0;
  while (str_at(s, count) == ' ')
    count++;
  return count;
}

/// How many blanks are to be left out, so that a traceback that is indented as a whole begins at the margin.
static size_t dedent(Cleaner *cleaner, Str rest)
{
  size_t blanks = blanks_of(rest);
  if (str_starts_with(str_slice(rest, blanks, rest.len), TRACEBACK_HEAD))
    cleaner->indent = blanks;
  else if (blanks < cleaner->indent && blanks < rest.len)
    cleaner->indent = 0;
  return blanks < cleaner->indent ? blanks : cleaner->indent;
}

static void add_line(Cleaner *cleaner, Str line, size_t original)
{
  CleanLine added = { .start = (uint32_t)cleaner->out.len };
  size_t leading = 0;
  while (leading < line.len && escape_end(line, leading) > leading)
    leading = escape_end(line, leading);  // A colour may come before the prefix.
  Str rest = str_slice(line, leading, line.len);
  size_t prefix = leading + prefix_length(&cleaner->prefixes, rest, &added.flags);
  if (is_in_string(line, prefix)) {
    add_escaped(cleaner, str_slice(line, prefix, line.len), line.data[prefix - 1], &added, original + prefix);
    return;
  }
  prefix += dedent(cleaner, str_slice(line, prefix, line.len));
  add_plain(cleaner, without_tail(str_slice(line, prefix, line.len)), original + prefix);
  end_line(cleaner, &added, original + line.len);
}

void clean_text(Str text, Arena *arena, CleanText *ret_clean)
{
  Cleaner cleaner = { 0 };
  size_t mark = str_starts_with(text, STR("\xEF\xBB\xBF")) ? 3 : 0;  // A byte order mark.
  prefixes_learn(str_slice(text, mark, text.len), &cleaner.prefixes);
  for (size_t start = mark; start < text.len;) {
    size_t end = lines_find_break(text, start);
    add_line(&cleaner, str_slice(text, start, end), start);
    start = lines_next(text, start);
  }
  CleanLine *lines = ARENA_ARRAY(arena, CleanLine, cleaner.lines.count);
  CleanPiece *pieces = ARENA_ARRAY(arena, CleanPiece, cleaner.pieces.count);
  if (cleaner.lines.count > 0) {
    memcpy(lines, cleaner.lines.items, cleaner.lines.count * sizeof(*lines));
    memcpy(pieces, cleaner.pieces.items, cleaner.pieces.count * sizeof(*pieces));
  }
  *ret_clean = (CleanText){ .text = arena_copy(arena, buffer_str(&cleaner.out)),
                            .lines = lines,
                            .line_count = cleaner.lines.count,
                            .pieces = pieces,
                            .piece_count = cleaner.pieces.count,
                            .original_len = text.len };
  buffer_done(&cleaner.out);
  vec_free(&cleaner.lines);
  vec_free(&cleaner.pieces);
}

size_t clean_origin(const CleanText *clean, size_t offset)
{
  size_t low = 0;
  size_t high = clean->piece_count;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    if (clean->pieces[middle].clean <= offset)
      low = middle;
    else
      high = middle;
  }
  size_t origin = clean->piece_count == 0 ? 0 : clean->pieces[low].original + (offset - clean->pieces[low].clean);
  return origin < clean->original_len ? origin : clean->original_len;
}

Str clean_line(const CleanText *clean, size_t i)
{
  return str_slice(clean->text, clean->lines[i].start, clean->lines[i].end);
}
