#include "why/prefix.h"

#include "base/ascii.h"
#include "text/lines.h"
#include "text/traceback.h"
#include "why/clean.h"

enum { ANCHOR_COLUMN = 512 };

static bool has_digits(Str s, size_t at, size_t count)
{
  for (size_t i = at; i < at + count; i++) {
    if (i >= s.len || !ascii_is_digit(s.data[i]))
      return false;
  }
  return true;
}

/// "2026-01-01T00:00:00.0000000Z "
static size_t timestamp_prefix(Str s)
{
  bool is_date = has_digits(s, 0, 4) && str_at(s, 4) == '-' && has_digits(s, 5, 2) && str_at(s, 7) == '-' &&
                 has_digits(s, 8, 2) && str_at(s, 10) == 'T' && has_digits(s, 11, 2) && str_at(s, 13) == ':';
  size_t end = is_date ? str_find(str_slice(s, 0, 40), STR("Z "), 13) : STR_NOT_FOUND;
  return end == STR_NOT_FOUND ? 0 : end + 2;
}

/// "W1121 08:49:37.618000 18783 torch/x.py:9273] "
static size_t glog_prefix(Str s, uint32_t *flags)
{
  char level = str_at(s, 0);
  if ((level != 'W' && level != 'E' && level != 'I' && level != 'F') || !has_digits(s, 1, 4))
    return 0;
  size_t blank = str_find_char(s, ' ', 1);
  bool has_time = blank != STR_NOT_FOUND && blank < 10 && has_digits(s, blank + 1, 2) && str_at(s, blank + 3) == ':';
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
  return end == STR_NOT_FOUND ? 0 : end + 2 + (str_at(s, end + 2) == ' ' ? 1 : 0);
}

/// "export-1  | "
static size_t container_prefix(Str s)
{
  size_t i = 0;
  while (i < s.len && i < WHY_CONTAINER_LIMIT && s.data[i] != ' ' && s.data[i] != '|' && s.data[i] != '"')
    i++;
  bool is_name = i > 1 && ascii_is_digit(s.data[i - 1]) && str_at(s, i - 2) == '-';
  size_t bar = i;
  while (str_at(s, bar) == ' ')
    bar++;
  bool is_apart = bar >= i + 2 || (is_name && bar > i);
  return i > 0 && is_apart && str_at(s, bar) == '|' && str_at(s, bar + 1) == ' ' ? bar + 2 : 0;
}

/// A comment's or heading's "# "; `>>> ` of Python stays.
static size_t mark_prefix(Str s, uint32_t *flags)
{
  size_t blank = 0;
  while (blank < 3 && str_at(s, blank) == ' ')
    blank++;
  if (str_at(s, blank) == '>' && !str_starts_with(str_slice(s, blank, s.len), STR(">>>")))
    return blank + 1 + (str_at(s, blank + 1) == ' ' ? 1 : 0);
  size_t i = 0;
  while (str_at(s, i) == '#')
    i++;
  if (i == 0 || i > 4 || str_at(s, i) != ' ')
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

/// Of those that are known.
static size_t known_length(Str line, uint32_t *flags)
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

// --- Learned from the text ---

/// How far `line` goes along with a prefix: numbers differ, and are aligned with blanks. 0 if it does not.
static size_t match_prefix(Str prefix, Str line)
{
  size_t at = 0;
  for (size_t i = 0; i < prefix.len;) {
    size_t blanks = 0;
    while (str_at(prefix, i + blanks) == ' ')
      blanks++;
    if (ascii_is_digit(str_at(prefix, i + blanks))) {
      while (str_at(line, at) == ' ')
        at++;
      if (!ascii_is_digit(str_at(line, at)))
        return 0;
      for (i += blanks; ascii_is_digit(str_at(prefix, i));)
        i++;
      while (ascii_is_digit(str_at(line, at)))
        at++;
    } else if (at < line.len && line.data[at] == prefix.data[i]) {
      i++;
      at++;
    } else {
      return at == line.len && i + blanks == prefix.len ? at : 0;  // Blanks at the end of a line may be gone.
    }
  }
  return at;
}

/// Where the path in "/home/export.py:12: UserWarning: ..." begins; STR_NOT_FOUND if the line is no warning.
static size_t warning_path(Str line)
{
  size_t at = str_find(line, STR("Warning: "), 0);
  size_t file = at == STR_NOT_FOUND ? at : str_find(str_slice(line, 0, at), STR(".py:"), 0);
  while (file != STR_NOT_FOUND && file > 0 && line.data[file - 1] != ' ' && line.data[file - 1] != '\t')
    file--;
  return file;
}

/// Where a line says something that stands at the start of lines otherwise; STR_NOT_FOUND if it does not.
static size_t anchor_in(Str line)
{
  static const Str anchors[] = { STR_INIT(TRACEBACK_HEAD_WORDS), STR_INIT("  File \""), STR_INIT("[torch.onnx] ") };
  line = str_slice(line, 0, ANCHOR_COLUMN);
  for (size_t i = 0; i < COUNT(anchors); i++) {
    size_t at = str_find(line, anchors[i], 0);
    if (at != STR_NOT_FOUND)
      return at;
  }
  return warning_path(line);
}

static bool is_blank(Str s)
{
  return str_trim(s).len == 0;
}

static size_t learned_length(const Prefixes *prefixes, Str line)
{
  size_t longest = 0;
  for (size_t i = 0; i < prefixes->count; i++) {
    size_t len = match_prefix(prefixes->items[i], line);
    longest = len > longest ? len : longest;
  }
  return longest;
}

/// What a logger puts before a traceback it puts before the lines of it; a message that ends there it does not.
static bool goes_on(Str prefix, Str text, size_t next)
{
  Str line = str_slice(text, next, lines_find_break(text, next));
  uint32_t flags = 0;
  return is_blank(line) || match_prefix(prefix, str_slice(line, known_length(line, &flags), line.len)) > 0;
}

void prefixes_learn(Str text, Prefixes *ret_prefixes)
{
  *ret_prefixes = (Prefixes){ 0 };
  for (size_t start = 0; start < text.len && ret_prefixes->count < WHY_LEARNED_LIMIT; start = lines_next(text, start)) {
    Str line = str_slice(text, start, lines_find_break(text, start));
    size_t anchor = anchor_in(line);
    if (anchor == STR_NOT_FOUND || anchor == 0)
      continue;
    uint32_t flags = 0;
    size_t known = known_length(line, &flags);
    if (known >= anchor || is_blank(str_slice(line, known, anchor)))
      continue;
    bool is_head = str_starts_with(str_slice(line, anchor, line.len), STR("Traceback"));
    if (is_head && !goes_on(str_slice(line, known, anchor), text, lines_next(text, start)))
      continue;
    if (learned_length(ret_prefixes, str_slice(line, known, line.len)) != anchor - known)
      ret_prefixes->items[ret_prefixes->count++] = str_slice(line, known, anchor);
  }
}

size_t prefix_length(const Prefixes *prefixes, Str line, uint32_t *flags)
{
  size_t known = known_length(line, flags);
  size_t learned = learned_length(prefixes, str_slice(line, known, line.len));
  size_t again = learned > 0 ? known_length(str_slice(line, known + learned, line.len), flags) : 0;
  return known + learned + again;
}
