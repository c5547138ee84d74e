// JSON lines: diagnostics, then a record for each file, then a summary. A file's lines stay together, and come out in
// the order of names.
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "cli/commands.h"
#include "cli/merge_private.h"
#include "host/say.h"
#include "rpc/value.h"
#include "rpc/writer.h"

/// What one part says of a file.
typedef struct FileLines {
  Str file;
  Str lines;  ///< Diagnostics, and the record as the last one; with line ends.
} FileLines;

static const char *const counted[] = { "files", "failed", "partly", "skipped",    "errors", "warnings",
                                       "infos", "hints",  "hidden", "suppressed", "known" };

typedef struct Merge {
  Arena arena;
  Vec(FileLines) files;
  Map *by_name;  ///< From a file to its lines, as they came first.
  int64_t sums[COUNT(counted)];
  char *target;  ///< JSON: what the first part was checked against; NULL before it.
  bool is_bad;   ///< What comes out is not what one run would have said.
} Merge;

/// One part while it is read.
typedef struct Part {
  const MergePart *part;
  size_t start;  ///< Where the lines of its next file begin.
  size_t new_files;
  size_t seen_files;  ///< That a part before it has, too.
  Value *last;        ///< Its last line.
} Part;

/// A part that was run twice is taken once.
static void add_file(Merge *merge, Part *part, Str file, Str lines)
{
  const Str *first = map_get(merge->by_name, file);
  if (first) {
    part->seen_files++;
  } else {
    part->new_files++;
    Str *kept = ARENA_NEW(&merge->arena, Str);
    *kept = lines;
    map_put(merge->by_name, file, kept);
    vec_push(&merge->files, (FileLines){ arena_copy(&merge->arena, file), lines });
  }
  if (first && !str_equal(*first, lines)) {
    say("onnxls merge: %s says something else of %.*s than a part before it", part->part->path, STR_ARG(file));
    merge->is_bad = true;
  }
}

static void compare_targets(Merge *merge, const Part *part, const Value *target)
{
  char *text = value_dump(target);
  if (!merge->target) {
    merge->target = text;
    return;
  }
  if (text && strcmp(merge->target, text) != 0) {
    say("onnxls merge: %s was checked against something else than the part before it", part->part->path);
    merge->is_bad = true;
  }
  free(text);
}

static void add_summary(Merge *merge, const Part *part)
{
  const Value *summary = value_get(part->last, "summary");
  compare_targets(merge, part, value_get(part->last, "target"));
  if (part->seen_files > 0 && part->new_files > 0) {
    say("onnxls merge: %s has %zu files in common with a part before it, so what is counted is too much",
        part->part->path, part->seen_files);
    merge->is_bad = true;
  }
  for (size_t i = 0; i < COUNT(counted) && (part->new_files > 0 || part->seen_files == 0); i++) {
    int64_t count = 0;
    if (value_to_int(value_get(summary, counted[i]), &count) && count > 0 && count < INT32_MAX)
      merge->sums[i] += count;
  }
}

/// One line, up to `end`; a record ends the lines of its file. True for the summary, which is kept.
static bool take_line(Merge *merge, Part *part, Str line, size_t end)
{
  Value *value = NULL;
  ValueError error;
  Str file;
  if (value_parse(line, &value, &error) != OK)
    return false;
  if (value_kind(value_get(value, "summary")) == VALUE_OBJECT) {
    part->last = value;
    return true;
  }
  if (value_kind(value_get(value, "status")) == VALUE_STRING && value_to_str(value_get(value, "file"), &file)) {
    add_file(merge, part, file, str_slice(part->part->text, part->start, end));
    part->start = end;
  }
  value_release(value);
  return false;
}

/// A run that was killed has no summary, and perhaps half a line; the files before that are complete.
static void take_part(Merge *merge, const MergePart *read)
{
  Part part = { .part = read };
  bool is_complete = false;
  for (size_t at = 0; at < read->text.len && !is_complete;) {
    size_t end = str_find_char(read->text, '\n', at);
    if (end == STR_NOT_FOUND)
      break;
    is_complete = take_line(merge, &part, str_slice(read->text, at, end), end + 1);
    at = end + 1;
  }
  if (is_complete) {
    add_summary(merge, &part);
  } else {
    say("onnxls merge: %s is not complete: it has no summary, so the run that wrote it did not end; run it again",
        read->path);
    merge->is_bad = true;
  }
  value_release(part.last);
}

static int compare_files(const void *a, const void *b)
{
  return str_compare(((const FileLines *)a)->file, ((const FileLines *)b)->file);
}

static void write_all(Merge *merge, Buffer *out)
{
  vec_sort(&merge->files, compare_files);
  for (size_t i = 0; i < merge->files.count; i++)
    buffer_append(out, merge->files.items[i].lines);
  Writer writer = { .out = out };
  writer_open(&writer, '{');
  writer_member_int(&writer, "version", 1);
  writer_key(&writer, "summary");
  writer_open(&writer, '{');
  for (size_t i = 0; i < COUNT(counted); i++)
    writer_member_int(&writer, counted[i], merge->sums[i]);
  writer_close(&writer, '}');
  if (merge->target) {
    writer_key(&writer, "target");
    writer_raw(&writer, str_from(merge->target));
  }
  writer_close(&writer, '}');
  buffer_append_char(out, '\n');
}

static int64_t sum_of(const Merge *merge, const char *name)
{
  for (size_t i = 0; i < COUNT(counted); i++) {
    if (strcmp(counted[i], name) == 0)
      return merge->sums[i];
  }
  return 0;
}

int merge_lines(const PartList *parts, Buffer *out)
{
  Merge merge = { .by_name = map_new() };
  for (size_t i = 0; i < parts->count; i++)
    take_part(&merge, &parts->items[i]);
  write_all(&merge, out);
  bool has_findings = sum_of(&merge, "errors") + sum_of(&merge, "warnings") > 0;
  int code = has_findings ? EXIT_FINDINGS : EXIT_CLEAN;
  if (merge.is_bad || sum_of(&merge, "failed") > 0)
    code = EXIT_USAGE;
  free(merge.target);
  map_free(merge.by_name);
  vec_free(&merge.files);
  arena_done(&merge.arena);
  return code;
}
