/// Reading the tables of tests/facts, for the tests that compare the compiled facts with them.
///
/// Ownership: everything lives in the arena given.
/// Errors:    a failed read fails the test.
/// Threads:   one.
/// Sources:   symbolics-db/tools/make_test_truth.py writes the tables.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "facts/export_api.h"

enum { FIELD_LIMIT = 8 };

/// One line of a .tsv file.
typedef struct Row {
  Str fields[FIELD_LIMIT];
  size_t count;
} Row;

static inline Str read_facts(Arena *arena, const char *name)
{
  Str path = arena_printf(arena, "%s/facts/%s", ONNXLS_TESTS_DIR, name);
  FILE *file = fopen(path.data, "rb");
  if (!file)
    fail_msg("cannot open %s", path.data);
  Buffer text = { 0 };
  char block[65536];
  size_t n;
  while ((n = fread(block, 1, sizeof(block), file)) > 0)
    buffer_append(&text, str_make(block, n));
  fclose(file);
  Str kept = arena_copy(arena, buffer_str(&text));
  buffer_done(&text);
  return kept;
}

/// Takes the next line off `*text`.
static inline bool next_row(Str *text, Row *ret_row)
{
  if (text->len == 0)
    return false;
  size_t end = str_find_char(*text, '\n', 0);
  Str line = str_slice(*text, 0, end);
  *text = str_slice(*text, end == STR_NOT_FOUND ? text->len : end + 1, text->len);
  *ret_row = (Row){ 0 };
  for (;;) {
    size_t tab = str_find_char(line, '\t', 0);
    ret_row->fields[ret_row->count++] = str_slice(line, 0, tab);
    if (tab == STR_NOT_FOUND)
      return true;
    line = str_slice(line, tab + 1, line.len);
  }
}

static inline unsigned to_number(Str s)
{
  uint64_t value;
  assert_true(str_to_uint(s, 1000000, &value));
  return (unsigned)value;
}

static inline Str checksum(Arena *arena, Str text)
{
  uint64_t value = 0xCBF29CE484222325u;
  for (size_t i = 0; i < text.len; i++)
    value = (value ^ (unsigned char)text.data[i]) * 0x100000001B3u;
  return arena_printf(arena, "%016llx", (unsigned long long)value);
}

static inline bool count_name(Str name, void *context)
{
  ++*(size_t *)context;
  return true;
}

static inline TorchRelease release(const char *text)
{
  TorchRelease parsed;
  assert_true(export_api_parse_release(str_from(text), &parsed));
  return parsed;
}

static inline void assert_str(Str have, const char *want)
{
  if (!str_equal(have, str_from(want)))
    fail_msg("have '%.*s', want '%s'", STR_ARG(have), want);
}
