#include "cli/baseline.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/vec.h"
#include "core/diagnostics.h"
#include "host/read_file.h"
#include "host/replace_file.h"
#include "host/say.h"
#include "rpc/value.h"
#include "rpc/writer.h"
#include "text/path.h"

enum { SHOWN_EXPIRED = 10 };

typedef struct Entry {
  BaselineFinding finding;
  atomic_bool occurs;
} Entry;

struct Baseline {
  Arena arena;
  const char *path;
  char *folder;
  bool updates;
  Entry *entries;  ///< By fingerprint.
  size_t count;
  Map *seen_files;
  pthread_mutex_t lock;  ///< For what follows.
  Arena new_arena;
  Vec(BaselineFinding) findings;  ///< What this run found, if it updates.
};

// --- Reading ---

static int compare_fingerprints(const void *a, const void *b)
{
  uint64_t x = ((const Entry *)a)->finding.fingerprint;
  uint64_t y = ((const Entry *)b)->finding.fingerprint;
  return (x > y) - (x < y);
}

static bool read_hex(Str text, uint64_t *ret_number)
{
  uint64_t number = 0;
  for (size_t i = 0; i < text.len; i++) {
    char c = text.data[i];
    bool is_digit = ascii_is_digit(c);
    if (!is_digit && (c < 'a' || c > 'f'))
      return false;
    number = number << 4 | (uint64_t)(is_digit ? c - '0' : c - 'a' + 10);
  }
  *ret_number = number;
  return text.len == 16;
}

static bool read_entry(Baseline *baseline, const Value *value, Entry *entry)
{
  Str file;
  Str rule;
  Str fingerprint;
  Str message = { 0 };
  if (!value_to_str(value_get(value, "file"), &file) || !value_to_str(value_get(value, "rule"), &rule) ||
      !value_to_str(value_get(value, "fingerprint"), &fingerprint) ||
      !read_hex(fingerprint, &entry->finding.fingerprint))
    return false;
  value_to_str(value_get(value, "message"), &message);
  entry->finding.file = arena_copy(&baseline->arena, file);
  entry->finding.rule = arena_copy(&baseline->arena, rule);
  entry->finding.message = arena_copy(&baseline->arena, message);
  return true;
}

MUST_USE static Status read_entries(Baseline *baseline, const Value *root)
{
  const Value *findings = value_get(root, "findings");
  int64_t version = 0;
  bool is_good = value_to_int(value_get(root, "version"), &version) && version == 1;
  is_good &= value_kind(findings) == VALUE_ARRAY;
  baseline->count = value_count(findings);
  baseline->entries = ARENA_ARRAY(&baseline->arena, Entry, baseline->count);
  memset(baseline->entries, 0, baseline->count * sizeof(Entry));
  for (size_t i = 0; i < baseline->count && is_good; i++)
    is_good = read_entry(baseline, value_at(findings, i), &baseline->entries[i]);
  if (!is_good) {
    say("onnxls: %s is no baseline; --update-baseline writes one", baseline->path);
    return ERR_USAGE;
  }
  sort_stable(baseline->entries, baseline->count, sizeof(Entry), compare_fingerprints);
  return OK;
}

MUST_USE static Status parse(Baseline *baseline, Str text)
{
  Value *root = NULL;
  ValueError error;
  if (value_parse(text, &root, &error) != OK) {
    say("onnxls: %s is not JSON: %s (line %d, column %d)", baseline->path, error.text, error.line, error.column);
    return ERR_USAGE;
  }
  Status status = read_entries(baseline, root);
  value_release(root);
  return status;
}

MUST_USE static Status read_file(Baseline *baseline)
{
  Buffer text = { 0 };
  Status status = read_whole_file(baseline->path, BASELINE_BYTE_LIMIT, &text);
  if (status == ERR_NOT_FOUND && baseline->updates)
    status = OK;
  else if (status == ERR_NOT_FOUND)
    say("onnxls: there is no baseline %s; --update-baseline writes it", baseline->path);
  else if (status == ERR_LIMIT)
    say("onnxls: %s is too large for a baseline", baseline->path);
  else if (status != OK)
    say("onnxls: %s can't be read: %s", baseline->path, strerror(errno));
  else
    status = parse(baseline, buffer_str(&text));
  buffer_done(&text);
  return status;
}

/// The folder of the file, absolute and without links, so that files below it are recognised.
static char *folder_of(const char *path)
{
  Arena arena = { 0 };
  size_t slash = str_rfind_char(str_from(path), '/');
  Str folder = slash == STR_NOT_FOUND ? STR(".") : slash == 0 ? STR("/") : str_slice(str_from(path), 0, slash);
  char *working = memory_taken(getcwd(NULL, 0));
  Str absolute = path_normalize(path_join(str_from(working ? working : "/"), folder, &arena), &arena);
  char *copy = xstrdup_str(absolute);
  free(working);
  arena_done(&arena);
  return copy;
}

Status baseline_open(const char *path, bool updates, Baseline **ret_baseline)
{
  Baseline *baseline = xcalloc(1, sizeof(*baseline));
  baseline->path = path;
  baseline->updates = updates;
  baseline->folder = folder_of(path);
  baseline->seen_files = map_new();
  pthread_mutex_init(&baseline->lock, NULL);
  Status status = read_file(baseline);
  if (status == OK)
    *ret_baseline = baseline;
  else
    baseline_close(baseline);
  return status;
}

void baseline_close(Baseline *baseline)
{
  if (!baseline)
    return;
  pthread_mutex_destroy(&baseline->lock);
  map_free(baseline->seen_files);
  vec_free(&baseline->findings);
  arena_done(&baseline->arena);
  arena_done(&baseline->new_arena);
  free(baseline->folder);
  free(baseline);
}

const char *baseline_folder(const Baseline *baseline)
{
  return baseline->folder;
}

// --- One run ---

static void keep(Baseline *baseline, const BaselineFinding *finding)
{
  pthread_mutex_lock(&baseline->lock);
  Arena *arena = &baseline->new_arena;
  BaselineFinding copy = { arena_copy(arena, finding->file), arena_copy(arena, finding->rule),
                           arena_copy(arena, finding->message), finding->fingerprint };
  vec_push(&baseline->findings, copy);
  pthread_mutex_unlock(&baseline->lock);
}

bool baseline_takes(Baseline *baseline, const BaselineFinding *finding)
{
  if (baseline->updates) {
    keep(baseline, finding);
    return true;
  }
  Entry key = { .finding = { .fingerprint = finding->fingerprint } };
  Entry *entry = baseline->count > 0
                     ? bsearch(&key, baseline->entries, baseline->count, sizeof(Entry), compare_fingerprints)
                     : NULL;
  if (!entry || !str_equal(entry->finding.file, finding->file) || !str_equal(entry->finding.rule, finding->rule))
    return false;
  atomic_store(&entry->occurs, true);
  return true;
}

void baseline_saw_file(Baseline *baseline, Str file)
{
  map_put(baseline->seen_files, file, baseline);
}

/// Nothing is known of an entry whose rule was not asked, or whose file was not looked at.
static bool is_over(const Baseline *baseline, const Entry *entry, const Target *target)
{
  RuleId rule = rule_find(entry->finding.rule);
  if (atomic_load(&entry->occurs) || (rule != RULE_COUNT && target->severities[rule] == SEVERITY_OFF))
    return false;
  if (map_get(baseline->seen_files, entry->finding.file))
    return true;
  Arena arena = { 0 };
  Str path = path_join(str_from(baseline->folder), entry->finding.file, &arena);
  bool is_gone = access(arena_copy(&arena, path).data, F_OK) != 0;
  arena_done(&arena);
  return is_gone;
}

static void say_expired(const Baseline *baseline, const Target *target)
{
  size_t count = 0;
  for (size_t i = 0; i < baseline->count; i++) {
    const BaselineFinding *finding = &baseline->entries[i].finding;
    if (!is_over(baseline, &baseline->entries[i], target))
      continue;
    if (++count <= SHOWN_EXPIRED)
      say("onnxls: %s: no longer occurs: %.*s: %.*s [%.*s]", baseline->path, STR_ARG(finding->file),
          STR_ARG(finding->message), STR_ARG(finding->rule));
  }
  if (count > 0)
    say("onnxls: %s: %zu of %zu entries no longer occur; --update-baseline takes them out", baseline->path, count,
        baseline->count);
}

// --- Writing ---

static int compare_findings(const void *a, const void *b)
{
  const BaselineFinding *x = a;
  const BaselineFinding *y = b;
  int order = str_compare(x->file, y->file);
  if (order == 0)
    order = str_compare(x->rule, y->rule);
  return order != 0 ? order : (x->fingerprint > y->fingerprint) - (x->fingerprint < y->fingerprint);
}

/// An entry a line, in an order that doesn't hang on the run, so that a change of the file can be read.
static void write_findings(Baseline *baseline, Buffer *out)
{
  buffer_append(out, STR("{\"version\":1,\"findings\":["));
  for (size_t i = 0; i < baseline->findings.count; i++) {
    const BaselineFinding *finding = &baseline->findings.items[i];
    char fingerprint[17];
    snprintf(fingerprint, sizeof(fingerprint), "%016" PRIx64, finding->fingerprint);
    Writer writer = { .out = out };
    buffer_append(out, i > 0 ? STR(",\n") : STR("\n"));
    writer_open(&writer, '{');
    writer_member_str(&writer, "file", finding->file);
    writer_member_str(&writer, "rule", finding->rule);
    writer_member_str(&writer, "fingerprint", str_from(fingerprint));
    writer_member_str(&writer, "message", finding->message);
    writer_close(&writer, '}');
  }
  buffer_append(out, STR("\n]}\n"));
}

MUST_USE static Status write_file(Baseline *baseline, const Target *target)
{
  size_t found = baseline->findings.count;
  // Files that this run was not about keep their entries.
  for (size_t i = 0; i < baseline->count; i++) {
    if (!is_over(baseline, &baseline->entries[i], target))
      vec_push(&baseline->findings, baseline->entries[i].finding);
  }
  vec_sort(&baseline->findings, compare_findings);
  Buffer text = { 0 };
  write_findings(baseline, &text);
  Status status = replace_file(baseline->path, NULL, buffer_str(&text));
  if (status == OK)
    say("onnxls: wrote %s: %zu findings of this run, %zu that it was not about", baseline->path, found,
        baseline->findings.count - found);
  else
    say("onnxls: %s can't be written: %s", baseline->path, strerror(errno));
  buffer_done(&text);
  return status;
}

Status baseline_settle(Baseline *baseline, const Target *target)
{
  if (baseline->updates)
    return write_file(baseline, target);
  say_expired(baseline, target);
  return OK;
}
