#include "why/clean.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/vec.h"
#include "text/lines.h"

enum {
  ESCAPE = 0x1B,
  BELL = 0x07,
};

typedef struct Cleaner {
  Buffer out;
  Vec(CleanLine) lines;
  Vec(CleanPiece) pieces;
} Cleaner;

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool has_digits(Str s, size_t at, size_t count)
{
  for (size_t i = at; i < at + count; i++) {
    if (i >= s.len || !is_digit(s.data[i]))
      return false;
  }
  return true;
}

static char at_or_nul(Str s, size_t i)
{
  return i < s.len ? s.data[i] : '\0';
}

/// "[96m": what is left of a colour where the escape itself got lost, and the control sequence after a real one.
static size_t colour_end(Str s, size_t open)
{
  size_t i = open + 1;
  while (i < s.len && i - open < 12 && (is_digit(s.data[i]) || s.data[i] == ';'))
    i++;
  return i > open + 1 && at_or_nul(s, i) == 'm' ? i + 1 : open;
}

/// The end of the control sequence that starts at `at`; `at` if there is none.
static size_t escape_end(Str s, size_t at)
{
  char c = s.data[at];
  if (c == '[')
    return colour_end(s, at);
  if (c == '^' && at_or_nul(s, at + 1) == '[' && at_or_nul(s, at + 2) == '[')
    return colour_end(s, at + 2) > at + 2 ? colour_end(s, at + 2) : at;
  if (c != ESCAPE)
    return at;
  size_t i = at + 2;
  if (at_or_nul(s, at + 1) == ']') {  // Runs up to a bell or ESC \.
    while (i < s.len && s.data[i] != BELL && s.data[i] != ESCAPE)
      i++;
    return at_or_nul(s, i) == ESCAPE && at_or_nul(s, i + 1) == '\\' ? i + 2 : i < s.len ? i + 1 : s.len;
  }
  if (at_or_nul(s, at + 1) != '[')
    return i < s.len ? i : s.len;
  while (i < s.len && s.data[i] >= 0x20 && s.data[i] < 0x40)
    i++;
  return i < s.len ? i + 1 : s.len;
}

/// "2026-01-01T00:00:00.0000000Z "
static size_t timestamp_prefix(Str s)
{
  bool is_date = has_digits(s, 0, 4) && at_or_nul(s, 4) == '-' && has_digits(s, 5, 2) && at_or_nul(s, 7) == '-' &&
                 has_digits(s, 8, 2) && at_or_nul(s, 10) == 'T' && has_digits(s, 11, 2) && at_or_nul(s, 13) == ':';
  size_t end = is_date ? str_find(str_slice(s, 0, 40), STR("Z "), 13) : STR_NOT_FOUND;
  return end == STR_NOT_FOUND ? 0 : end + 2;
}

/// "W1121 08:49:37.618000 18783 torch/x.py:9273] "
static size_t glog_prefix(Str s, uint32_t *flags)
{
  char level = at_or_nul(s, 0);
  if ((level != 'W' && level != 'E' && level != 'I' && level != 'F') || !has_digits(s, 1, 4))
    return 0;
  size_t blank = str_find_char(s, ' ', 1);
  bool has_time = blank != STR_NOT_FOUND && blank < 10 && has_digits(s, blank + 1, 2) && at_or_nul(s, blank + 3) == ':';
  size_t end = has_time ? str_find(str_slice(s, 0, 512), STR("] "), blank) : STR_NOT_FOUND;
  if (end == STR_NOT_FOUND)
    return 0;
  *flags |= level == 'W' || level == 'I' ? CLEAN_WARNING : 0;
  return end + 2;
}

/// "[rank0]: "
static size_t rank_prefix(Str s)
{
  if (!str_starts_with(s, STR("[rank")))
    return 0;
  size_t end = str_find(str_slice(s, 0, 16), STR("]:"), 5);
  return end == STR_NOT_FOUND ? 0 : end + 2 + (at_or_nul(s, end + 2) == ' ' ? 1 : 0);
}

/// "export-1  | "
static size_t container_prefix(Str s)
{
  size_t i = 0;
  while (i < s.len && i < WHY_CONTAINER_LIMIT && s.data[i] != ' ' && s.data[i] != '|' && s.data[i] != '"')
    i++;
  bool is_name = i > 1 && is_digit(s.data[i - 1]) && at_or_nul(s, i - 2) == '-';
  size_t bar = i;
  while (at_or_nul(s, bar) == ' ')
    bar++;
  bool is_apart = bar >= i + 2 || (is_name && bar > i);
  return i > 0 && is_apart && at_or_nul(s, bar) == '|' && at_or_nul(s, bar + 1) == ' ' ? bar + 2 : 0;
}

/// A comment's or heading's "# "; `>>> ` of Python stays.
static size_t mark_prefix(Str s, uint32_t *flags)
{
  size_t blank = 0;
  while (blank < 3 && at_or_nul(s, blank) == ' ')
    blank++;
  if (at_or_nul(s, blank) == '>' && !str_starts_with(str_slice(s, blank, s.len), STR(">>>")))
    return blank + 1 + (at_or_nul(s, blank + 1) == ' ' ? 1 : 0);
  size_t i = 0;
  while (at_or_nul(s, i) == '#')
    i++;
  if (i == 0 || i > 4 || at_or_nul(s, i) != ' ')
    return 0;
  *flags |= CLEAN_HEADING;
  return i + 1;
}

/// What test runners put before a line: "E   " of pytest, "│ " of rich.
static size_t runner_prefix(Str s)
{
  Str bar = STR("\xE2\x94\x82 ");
  if (str_starts_with(s, bar))
    return bar.len;
  return str_starts_with(s, STR("E   ")) ? 4 : 0;
}

static size_t prefix_length(Str line, uint32_t *flags)
{
  size_t at = 0;
  for (int i = 0; i < WHY_PREFIX_LIMIT; i++) {
    Str rest = str_slice(line, at, line.len);
    size_t len = timestamp_prefix(rest);
    len = len > 0 ? len : glog_prefix(rest, flags);
    len = len > 0 ? len : rank_prefix(rest);
    len = len > 0 ? len : mark_prefix(rest, flags);
    len = len > 0 ? len : runner_prefix(rest);
    len = len > 0 ? len : container_prefix(rest);
    if (len == 0)
      break;
    at += len;
  }
  return at;
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

/// Copies what is not a control sequence; a piece begins wherever something was left out. A NUL becomes a blank,
/// because words that are put into sentences end at one.
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
    starts_piece = false;
    char c = line.data[i++];
    buffer_append_char(&cleaner->out, c == '\0' ? ' ' : c);
  }
}

static void add_line(Cleaner *cleaner, Str line, size_t original)
{
  CleanLine added = { .start = (uint32_t)cleaner->out.len };
  size_t leading = 0;
  while (leading < line.len && escape_end(line, leading) > leading)
    leading = escape_end(line, leading);  // A colour may come before the prefix.
  Str rest = str_slice(line, leading, line.len);
  size_t prefix = leading + prefix_length(rest, &added.flags);
  add_plain(cleaner, without_tail(str_slice(line, prefix, line.len)), original + prefix);
  added.end = (uint32_t)cleaner->out.len;
  add_piece(cleaner, original + line.len);
  buffer_append_char(&cleaner->out, '\n');
  vec_push(&cleaner->lines, added);
}

void clean_text(Str text, Arena *arena, CleanText *ret_clean)
{
  Cleaner cleaner = { 0 };
  size_t mark = str_starts_with(text, STR("\xEF\xBB\xBF")) ? 3 : 0;  // A byte order mark.
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
