// The difference between a text and the same text with some fixes, which are small and far apart: lines are walked side
// by side, and where they differ, the nearest place is looked for from which on they agree again.

#include "base/limits.h"
#include "base/vec.h"
#include "cli/fix.h"

enum {
  CONTEXT = 3,       ///< Lines around a change.
  AGREE_LINES = 2,   ///< Lines that have to agree, as brackets and empty lines are found everywhere,
  AGREE_BYTES = 12,  ///< but a single one of this length is enough.
};

typedef Vec(Str) Lines;

/// Lines [old_start, old_end) became [new_start, new_end).
typedef struct Change {
  size_t old_start, old_end;
  size_t new_start, new_end;
} Change;

typedef struct TextDiff {
  Lines before;
  Lines after;
  Vec(Change) changes;
} TextDiff;

/// With their ends; the last one may lack it.
static void split(Str text, Lines *lines)
{
  for (size_t start = 0; start < text.len;) {
    size_t end = str_find_char(text, '\n', start);
    end = end == STR_NOT_FOUND ? text.len : end + 1;
    vec_push(lines, str_slice(text, start, end));
    start = end;
  }
}

static bool agree_at(const TextDiff *diff, size_t i, size_t k)
{
  for (size_t n = 0; n < AGREE_LINES; n++) {
    bool old_ends = i + n >= diff->before.count;
    bool new_ends = k + n >= diff->after.count;
    if (old_ends || new_ends)
      return old_ends && new_ends;
    if (!str_equal(diff->before.items[i + n], diff->after.items[k + n]))
      return false;
    if (str_trim(diff->before.items[i + n]).len >= AGREE_BYTES)
      return true;
  }
  return true;
}

/// The nearest places after (i, k) that agree; the ends if there are none near.
static Change find_agreement(const TextDiff *diff, size_t i, size_t k)
{
  for (size_t distance = 1; distance <= DIFF_SEARCH_LIMIT; distance++) {
    for (size_t of_old = 0; of_old <= distance; of_old++) {
      size_t of_new = distance - of_old;
      if (i + of_old <= diff->before.count && k + of_new <= diff->after.count && agree_at(diff, i + of_old, k + of_new))
        return (Change){ i, i + of_old, k, k + of_new };
    }
  }
  return (Change){ i, diff->before.count, k, diff->after.count };
}

static void find_changes(TextDiff *diff)
{
  size_t i = 0;
  size_t k = 0;
  while (i < diff->before.count || k < diff->after.count) {
    if (i < diff->before.count && k < diff->after.count && str_equal(diff->before.items[i], diff->after.items[k])) {
      i++;
      k++;
      continue;
    }
    Change change = find_agreement(diff, i, k);
    vec_push(&diff->changes, change);
    i = change.old_end;
    k = change.new_end;
  }
}

static void write_lines(Buffer *out, char mark, const Lines *lines, size_t start, size_t end)
{
  for (size_t i = start; i < end; i++) {
    buffer_append_char(out, mark);
    buffer_append(out, lines->items[i]);
    if (!str_ends_with(lines->items[i], STR("\n")))
      buffer_append(out, STR("\n\\ No newline at end of file\n"));
  }
}

/// "3", "3,2", and "2,0" for no lines after line 2.
static void write_span(Buffer *out, char mark, size_t start, size_t end)
{
  size_t count = end - start;
  buffer_printf(out, "%c%zu", mark, count > 0 ? start + 1 : start);
  if (count != 1)
    buffer_printf(out, ",%zu", count);
}

/// Changes [first, last) with the lines around and between them.
static void write_hunk(Buffer *out, const TextDiff *diff, size_t first, size_t last)
{
  const Change *changes = diff->changes.items;
  size_t lead = changes[first].old_start < CONTEXT ? changes[first].old_start : CONTEXT;
  size_t left = diff->before.count - changes[last - 1].old_end;
  size_t tail = left < CONTEXT ? left : CONTEXT;
  buffer_append(out, STR("@@ "));
  write_span(out, '-', changes[first].old_start - lead, changes[last - 1].old_end + tail);
  buffer_append_char(out, ' ');
  write_span(out, '+', changes[first].new_start - lead, changes[last - 1].new_end + tail);
  buffer_append(out, STR(" @@\n"));
  size_t at = changes[first].old_start - lead;
  for (size_t i = first; i < last; i++) {
    write_lines(out, ' ', &diff->before, at, changes[i].old_start);
    write_lines(out, '-', &diff->before, changes[i].old_start, changes[i].old_end);
    write_lines(out, '+', &diff->after, changes[i].new_start, changes[i].new_end);
    at = changes[i].old_end;
  }
  write_lines(out, ' ', &diff->before, at, at + tail);
}

void fix_diff(Buffer *out, const char *path, Str before, Str after)
{
  TextDiff diff = { 0 };
  split(before, &diff.before);
  split(after, &diff.after);
  find_changes(&diff);
  if (diff.changes.count > 0)
    buffer_printf(out, "--- %s\n+++ %s\n", path, path);
  for (size_t first = 0; first < diff.changes.count;) {
    size_t last = first + 1;
    while (last < diff.changes.count &&
           diff.changes.items[last].old_start - diff.changes.items[last - 1].old_end <= 2 * CONTEXT)
      last++;
    write_hunk(out, &diff, first, last);
    first = last;
  }
  vec_free(&diff.before);
  vec_free(&diff.after);
  vec_free(&diff.changes);
}
