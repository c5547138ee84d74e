// Fingerprints of diagnostics, by which services tell old findings from new ones. They hang on the file, the rule, the
// text of the line and of the place in it, but not on the line's number; in a dump not on numbers at all, because one
// more node gives new numbers to all values after it. What is alike then is counted.

#include "base/ascii.h"
#include "base/sort.h"
#include "cli/report_private.h"

enum { LINE_PART = 256 };  ///< How much of a long line, before and after the place, counts.

typedef struct Hash {
  uint64_t value;
  bool skips_numbers;
  bool in_number;
} Hash;

/// Source: FNV-1a, 64 bits.
static void add_byte(Hash *hash, unsigned char byte)
{
  hash->value = (hash->value ^ byte) * 0x100000001b3;
}

static void add_text(Hash *hash, Str text)
{
  for (size_t i = 0; i < text.len; i++) {
    bool is_digit = ascii_is_digit(text.data[i]);
    if (!hash->skips_numbers || !is_digit)
      add_byte(hash, (unsigned char)text.data[i]);
    else if (!hash->in_number)
      add_byte(hash, '0');
    hash->in_number = is_digit;
  }
  add_byte(hash, 0);
  hash->in_number = false;
}

static uint64_t hash_of(const ReportedDocument *reported, Str path, const Diagnostic *diagnostic)
{
  const Document *document = reported->document;
  uint32_t number = document_line_of(document, diagnostic->range.start);
  Str line = document_line(document, number);
  size_t start = diagnostic->range.start - document_line_start(document, number);
  size_t end = start + (diagnostic->range.end - diagnostic->range.start);
  if (end > line.len)
    end = line.len;
  Hash hash = { .value = 0xcbf29ce484222325 };
  add_text(&hash, path);
  add_text(&hash, str_from(rule_info(diagnostic->rule)->name));
  const Language *language = snapshot_language(reported->snapshot);
  hash.skips_numbers = language && language->numbers_are_names;
  add_text(&hash, str_trim(str_slice(line, start > LINE_PART ? start - LINE_PART : 0, start)));
  add_text(&hash, str_slice(line, start, end - start > LINE_PART ? start + LINE_PART : end));
  add_text(&hash, str_trim(str_slice(line, end, end + LINE_PART)));
  return hash.value;
}

typedef struct Entry {
  uint64_t hash;
  size_t index;
} Entry;

static int compare_entries(const void *a, const void *b)
{
  const Entry *x = a;
  const Entry *y = b;
  if (x->hash != y->hash)
    return x->hash < y->hash ? -1 : 1;
  return (x->index > y->index) - (x->index < y->index);
}

void report_fingerprints(const ReportedDocument *reported, uint64_t *ret_fingerprints)
{
  size_t count = reported->shown_count;
  Str path = report_relative_path(reported->style, reported->path, reported->arena);
  Entry *entries = ARENA_ARRAY(reported->arena, Entry, count);
  for (size_t i = 0; i < count; i++)
    entries[i] = (Entry){ hash_of(reported, path, reported->shown[i]), i };
  sort_stable(entries, count, sizeof(*entries), compare_entries);
  uint64_t alike = 0;
  for (size_t i = 0; i < count; i++) {
    alike = i > 0 && entries[i].hash == entries[i - 1].hash ? alike + 1 : 0;
    // An odd factor keeps different numbers of alike ones different.
    ret_fingerprints[entries[i].index] = entries[i].hash + alike * 0x9e3779b97f4a7c15;
  }
}
