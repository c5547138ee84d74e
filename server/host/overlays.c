#include "host/overlays.h"

#include <errno.h>
#include <stdlib.h>

#include "base/limits.h"
#include "host/file_stamp.h"
#include "host/read_file.h"
#include "overlay_json.h"
#include "records.h"

/// Mistakes begin with the path already; the first one is said, and how many more there are.
static void say_mistakes(Buffer *problems, Str path, Str messages)
{
  size_t end = str_find_char(messages, '\n', 0);
  size_t more = 0;
  for (size_t i = end; i + 1 < messages.len; i++)
    more += messages.data[i + 1] == '\n';
  if (messages.len == 0)
    buffer_printf(problems, "%.*s holds no facts that can be used", STR_ARG(path));
  else
    buffer_append(problems, str_slice(messages, 0, end));
  if (more > 0)
    buffer_printf(problems, " (and %zu more mistake%s)", more, more == 1 ? "" : "s");
  buffer_append(problems, STR("; these facts are left out\n"));
}

Status overlays_open_text(Str path, Str text, const SymbolicsDb *base, SymbolicsDb **ret_db, Buffer *problems)
{
  Records *records = records_new();
  if (str_starts_with(str_trim(text), STR("{")) || str_ends_with(path, STR(".json")))
    overlay_read_json(records, path, text);
  else
    records_read(records, path, text);
  Status status = symbolics_open_records(path, records, base, ret_db);
  if (status == ERR_LIMIT) {
    buffer_printf(problems, "%.*s is one file of facts or torch version too many; it is left out\n", STR_ARG(path));
  } else if (status != OK) {
    say_mistakes(problems, path, records_messages(records));
  }
  records_free(records);
  return status;
}

Status overlays_open(Str path, const SymbolicsDb *base, SymbolicsDb **ret_db, Buffer *problems)
{
  Buffer text = { 0 };
  char *name = xstrdup_str(path);
  Status status = read_whole_file(name, FACTS_BYTE_LIMIT, &text);
  if (status == ERR_IO || status == ERR_NOT_FOUND)
    buffer_printf(problems, "%s can't be read: %s\n", name, strerror(errno));
  else if (status == ERR_LIMIT)
    buffer_printf(problems, "%s is over %d MB, which is too large for facts\n", name, FACTS_BYTE_LIMIT / 1024 / 1024);
  else
    status = overlays_open_text(path, buffer_str(&text), base, ret_db, problems);
  free(name);
  buffer_done(&text);
  return status;
}

static Facts *load(const Str *paths, size_t count, Buffer *problems)
{
  SymbolicsDb *layers[FACTS_OVERLAY_LIMIT];
  size_t layer_count = 0;
  const SymbolicsDb *base = symbolics_embedded();
  for (size_t i = 0; i < count; i++) {
    if (layer_count == FACTS_OVERLAY_LIMIT) {
      buffer_printf(problems, "\"db\" names more than %d files; the others are left out\n", FACTS_OVERLAY_LIMIT);
      break;
    }
    if (overlays_open(paths[i], base, &layers[layer_count], problems) == OK)
      base = layers[layer_count++];
  }
  return layer_count > 0 ? facts_new(layers, layer_count) : NULL;
}

// --- Keeping what was loaded ---

/// Folders of a workspace often name the same files, and settings are read again whenever one of them changes.
static struct Kept {
  char *key;
  Facts *facts;
  char *problems;
} kept[16];

enum { KEPT_LIMIT = COUNT(kept) };

/// The files and what would change if they were written again.
static char *make_key(const Str *paths, size_t count)
{
  Buffer key = { 0 };
  for (size_t i = 0; i < count; i++) {
    char *path = xstrdup_str(paths[i]);
    FileStamp stamp = file_stamp(path);
    buffer_printf(&key, "%s %lld %lld.%lld %llu\n", path, (long long)stamp.size, (long long)stamp.seconds,
                  (long long)stamp.nanoseconds, (unsigned long long)stamp.inode);
    free(path);
  }
  char *text = xstrdup_str(buffer_str(&key));
  buffer_done(&key);
  return text;
}

static void forget(struct Kept *one)
{
  free(one->key);
  free(one->problems);
  facts_release(one->facts);
  *one = (struct Kept){ 0 };
}

/// NULL if nothing is kept under that key.
static const struct Kept *find_kept(const char *key)
{
  for (size_t i = 0; i < KEPT_LIMIT; i++) {
    if (kept[i].key && strcmp(kept[i].key, key) == 0)
      return &kept[i];
  }
  return NULL;
}

static void keep(const char *key, Facts *facts, Str problems)
{
  forget(&kept[KEPT_LIMIT - 1]);
  memmove(&kept[1], &kept[0], sizeof(kept) - sizeof(kept[0]));
  kept[0] = (struct Kept){ xstrdup_str(str_from(key)), facts_retain(facts), xstrdup_str(problems) };
}

static bool is_current(const char *key, const Str *paths, size_t count)
{
  char *now = make_key(paths, count);
  bool is_same = strcmp(now, key) == 0;
  free(now);
  return is_same;
}

bool overlays_are_kept(const Str *paths, size_t count)
{
  char *key = make_key(paths, count);
  bool is_kept = find_kept(key) != NULL;
  free(key);
  return is_kept;
}

Facts *overlays_load(const Str *paths, size_t count, Buffer *problems)
{
  if (count == 0)
    return NULL;
  char *key = make_key(paths, count);
  const struct Kept *known = find_kept(key);
  if (known) {
    free(key);
    buffer_append(problems, str_from(known->problems));
    return facts_retain(known->facts);
  }
  Buffer sentences = { 0 };
  Facts *facts = load(paths, count, &sentences);
  // What was written while it was read is not what the key stands for.
  if (is_current(key, paths, count))
    keep(key, facts, buffer_str(&sentences));
  free(key);
  buffer_append(problems, buffer_str(&sentences));
  buffer_done(&sentences);
  return facts;
}
