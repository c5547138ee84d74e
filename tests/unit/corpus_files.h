/// Texts of the corpus for tests that go through all of it.
///
/// Ownership: the text is the caller's buffer.
/// Errors:    a folder or file that can't be read ends the test.
/// Threads:   one.
#pragma once

#include <dirent.h>
#include <stdio.h>

#include "base/buffer.h"

/// Appends a file, and `end` after it.
static inline void corpus_read_file(const char *path, Str end, Buffer *text)
{
  char block[65536];
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  for (size_t n; (n = fread(block, 1, sizeof(block), file)) > 0;)
    buffer_append(text, str_make(block, n));
  buffer_append(text, end);
  fclose(file);
}

/// The same with each file of a folder below tests/corpus whose name ends with `ending`.
static inline void corpus_read_folder(const char *folder, Str ending, Str end, Buffer *text)
{
  char path[4096];
  int base = snprintf(path, sizeof(path), "%s/corpus/%s", ONNXLS_TESTS_DIR, folder);
  DIR *dir = opendir(path);
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir));) {
    if (!str_ends_with(str_from(entry->d_name), ending))
      continue;
    snprintf(path + base, sizeof(path) - (size_t)base, "/%s", entry->d_name);
    corpus_read_file(path, end, text);
  }
  closedir(dir);
}
