// SARIF: one log with one run that has the results of all. The tool is the same in all parts; results that two parts
// have are taken once.
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "cli/commands.h"
#include "cli/merge_private.h"
#include "host/say.h"
#include "rpc/value.h"
#include "rpc/writer.h"

typedef struct Merge {
  Value **logs;
  size_t count;
  Map *seen;  ///< Results as JSON.
  bool has_findings;
  bool is_bad;
} Merge;

static const Value *run_of(const Value *log)
{
  return value_at(value_get(log, "runs"), 0);
}

MUST_USE static Status read_log(const MergePart *part, Value **ret_log)
{
  ValueError error;
  if (value_parse(part->text, ret_log, &error) != OK) {
    say("onnxls merge: %s is not complete: %s (line %d, column %d); run it again", part->path, error.text, error.line,
        error.column);
    return ERR_USAGE;
  }
  if (value_count(value_get(*ret_log, "runs")) == 1 && value_get(run_of(*ret_log), "results"))
    return OK;
  say("onnxls merge: %s has no run of onnxls in it", part->path);
  return ERR_USAGE;
}

/// Only results of one version have the same numbers of rules.
static bool is_same_tool(const Value *a, const Value *b)
{
  char *x = value_dump(value_get(run_of(a), "tool"));
  char *y = value_dump(value_get(run_of(b), "tool"));
  bool is_same = x && y && strcmp(x, y) == 0;
  free(x);
  free(y);
  return is_same;
}

/// What was only ignored by a comment is no finding.
static bool is_finding(const Value *result)
{
  Str level = { 0 };
  value_to_str(value_get(result, "level"), &level);
  return value_count(value_get(result, "suppressions")) == 0 &&
         (str_equal(level, STR("error")) || str_equal(level, STR("warning")));
}

static void write_results(Merge *merge, Writer *writer)
{
  for (size_t i = 0; i < merge->count; i++) {
    const Value *results = value_get(run_of(merge->logs[i]), "results");
    for (size_t k = 0; k < value_count(results); k++) {
      char *text = value_dump(value_at(results, k));
      if (text && !map_put(merge->seen, str_from(text), merge)) {
        writer_raw(writer, str_from(text));
        merge->has_findings |= is_finding(value_at(results, k));
      }
      free(text);
    }
  }
}

static bool all_succeeded(const Merge *merge)
{
  for (size_t i = 0; i < merge->count; i++) {
    const Value *invocation = value_at(value_get(run_of(merge->logs[i]), "invocations"), 0);
    if (!value_is_true(value_get(invocation, "executionSuccessful")))
      return false;
  }
  return !merge->is_bad;
}

/// What is written of an object of the first log: all members as they are, but for those of the run that sum up.
typedef struct Copy {
  Merge *merge;
  Writer *writer;
} Copy;

static void copy_member(Str key, const Value *value, void *context)
{
  Copy *copy = context;
  writer_key_str(copy->writer, key);
  if (str_equal(key, STR("results"))) {
    writer_open(copy->writer, '[');
    write_results(copy->merge, copy->writer);
    writer_close(copy->writer, ']');
  } else if (str_equal(key, STR("executionSuccessful"))) {
    writer_bool(copy->writer, all_succeeded(copy->merge));
  } else {
    char *text = value_dump(value);
    writer_raw(copy->writer, text ? str_from(text) : STR("null"));
    free(text);
  }
}

static void copy_object(Copy *copy, const Value *object, const char *name, void (*visit)(Str, const Value *, void *))
{
  writer_key(copy->writer, name);
  writer_open(copy->writer, '[');
  writer_open(copy->writer, '{');
  value_each(object, visit, copy);
  writer_close(copy->writer, '}');
  writer_close(copy->writer, ']');
}

static void copy_of_run(Str key, const Value *value, void *context)
{
  if (str_equal(key, STR("invocations")))
    copy_object(context, value_at(value, 0), "invocations", copy_member);
  else
    copy_member(key, value, context);
}

static void copy_of_log(Str key, const Value *value, void *context)
{
  if (str_equal(key, STR("runs")))
    copy_object(context, value_at(value, 0), "runs", copy_of_run);
  else
    copy_member(key, value, context);
}

static void write_log(Merge *merge, Buffer *out)
{
  Writer writer = { .out = out };
  Copy copy = { merge, &writer };
  writer_open(&writer, '{');
  value_each(merge->logs[0], copy_of_log, &copy);
  writer_close(&writer, '}');
  buffer_append_char(out, '\n');
}

int merge_sarif(const PartList *parts, Buffer *out)
{
  Merge merge = { .seen = map_new(), .logs = xcalloc(parts->count, sizeof(Value *)) };
  for (size_t i = 0; i < parts->count; i++) {
    Value *log = NULL;
    bool is_good = read_log(&parts->items[i], &log) == OK;
    if (is_good && merge.count > 0 && !is_same_tool(merge.logs[0], log)) {
      say("onnxls merge: %s was written by another version of onnxls", parts->items[i].path);
      is_good = false;
    }
    merge.is_bad |= !is_good;
    if (is_good)
      merge.logs[merge.count++] = log;
    else
      value_release(log);
  }
  if (merge.count > 0)
    write_log(&merge, out);
  int code = merge.has_findings ? EXIT_FINDINGS : EXIT_CLEAN;
  if (merge.count == 0 || !all_succeeded(&merge))
    code = EXIT_USAGE;
  for (size_t i = 0; i < merge.count; i++)
    value_release(merge.logs[i]);
  free(merge.logs);
  map_free(merge.seen);
  return code;
}
