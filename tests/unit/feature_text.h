// A text with its snapshot, for tests of features; and the dumps of tests/corpus/torch-ir.
#pragma once

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/vec.h"
#include "core/features.h"
#include "random_numbers.h"
#include "text/document_internal.h"

typedef struct FeatureText {
  Document *document;
  Target *target;
  Snapshot *snapshot;
  Arena arena;  ///< Of the answers.
  FeatureContext context;
} FeatureText;

/// What the tests that look for files pretend to have on disk: a path a line, with an empty line first.
static const char *pretended_files = "\n";

static inline bool pretended_exists(Str path, void *context)
{
  (void)context;
  Arena arena = { 0 };
  Str line = arena_printf(&arena, "\n%.*s\n", STR_ARG(path));
  bool exists = strstr(pretended_files, line.data) != NULL;
  arena_done(&arena);
  return exists;
}

/// Opens a text in chunks of about `chunk_target` bytes; `values` may be NULL.
static inline void open_feature_text(FeatureText *text, Str bytes, uint32_t chunk_target, const Target *values)
{
  Target target = { .torch = STR("2.14"), .opset = 17 };
  memset(target.severities, SEVERITY_DEFAULT, sizeof(target.severities));
  if (values)
    target = *values;
  *text = (FeatureText){ 0 };
  text->target = target_new(&target);
  assert_int_equal(document_new_with_target(bytes, chunk_target, &text->document), OK);
  SnapshotInput input = { .uri = STR("file:///test.torchir"),
                          .version = 1,
                          .language_id = STR("torch-ir"),
                          .document = text->document,
                          .target = text->target };
  text->snapshot = snapshot_new(&input, NULL);
  text->context =
      (FeatureContext){ .snapshot = text->snapshot, .arena = &text->arena, .file_exists = pretended_exists };
}

static inline void close_feature_text(FeatureText *text)
{
  arena_done(&text->arena);
  snapshot_release(text->snapshot);
  document_release(text->document);
  target_release(text->target);
}

/// Offset of the first byte of the nth `needle`, counted from 0.
static inline size_t find_nth(Str bytes, const char *needle, int n)
{
  size_t at = str_find(bytes, str_from(needle), 0);
  while (n-- > 0 && at != STR_NOT_FOUND)
    at = str_find(bytes, str_from(needle), at + 1);
  assert_true(at != STR_NOT_FOUND);
  return at;
}

static inline Str range_text(FeatureText *text, Range range)
{
  assert_true(range.start <= range.end && range.end <= document_length(text->document));
  return document_slice(text->document, range, &text->arena);
}

// --- The corpus ---

typedef Vec(char *) PathList;

/// Appends the files below a folder, without README.md.
static inline void list_files(const char *folder, PathList *paths)
{
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir));) {
    struct stat info;
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, "README.md") == 0)
      continue;
    size_t size = strlen(folder) + strlen(entry->d_name) + 2;
    char *path = xmalloc(size);
    snprintf(path, size, "%s/%s", folder, entry->d_name);
    assert_int_equal(stat(path, &info), 0);
    if (S_ISDIR(info.st_mode)) {
      list_files(path, paths);
      free(path);
    } else {
      vec_push(paths, path);
    }
  }
  closedir(dir);
}

static inline int compare_paths(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static inline Str read_whole_file(const char *path, Arena *arena)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  struct stat info;
  assert_int_equal(fstat(fileno(file), &info), 0);
  char *bytes = arena_alloc(arena, (size_t)info.st_size + 1);
  size_t len = fread(bytes, 1, (size_t)info.st_size, file);
  fclose(file);
  return str_make(bytes, len);
}

/// Calls `visit` with every dump of the corpus that is sampled, in order.
static inline void each_corpus_dump(void (*visit)(const char *path, Str bytes))
{
  PathList paths = { 0 };
  list_files(ONNXLS_TESTS_DIR "/corpus/torch-ir", &paths);
  qsort(paths.items, paths.count, sizeof(char *), compare_paths);
  assert_true(paths.count > 200);
  for (size_t i = 0; i < paths.count; i++) {
    if (random_is_sampled()) {
      Arena arena = { 0 };
      visit(paths.items[i], read_whole_file(paths.items[i], &arena));
      arena_done(&arena);
    }
    free(paths.items[i]);
  }
  vec_free(&paths);
}
