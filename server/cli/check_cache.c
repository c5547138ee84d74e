#include "cli/check_cache.h"

#include <stdlib.h>

#include "base/limits.h"
#include "core/language.h"
#include "host/build_id.h"
#include "host/short_records.h"

/// What all keys of files with that target begin with.
typedef struct TargetContext {
  const Target *target;
  Sha256 sha;
} TargetContext;

struct CheckCache {
  Cache *cache;
  ShortRecords *shorts;
  Sha256 context;       ///< Of all that is the same for all files.
  size_t plain_limit;   ///< Of dumps and models.
  KnownFiles *known;    ///< Borrowed.
  TargetContext *last;  ///< Of the file before.
  Arena arena;
};

static bool add_context(Sha256 *sha, const CheckFlags *flags, const ReportStyle *style, const uint8_t *neighbours)
{
  if (build_id().len == 0)
    return false;
  sha256_add(sha, build_id());
  sha256_add_text(sha, STR(ONNXLS_VERSION));
  sha256_add_number(sha, style->format);
  sha256_add_number(sha, style->least);
  sha256_add_number(sha, style->show_source);
  sha256_add_number(sha, style->color);
  sha256_add_number(sha, flags->timeout_work);
  sha256_add_text(sha, str_from(style->folder));
  sha256_add_text(sha, str_from(flags->folder));
  sha256_add(sha, str_make((const char *)neighbours, SHA256_BYTES));
  return true;
}

bool check_cache_may_open(const CheckFlags *flags, const ReportStyle *style)
{
  return !flags->skips_cache && flags->fix == FIX_NOTHING && !style->baseline && !style->target->facts;
}

/// Of a list of that name for runs with the same operands.
static CacheKey key_of_list(Sha256 sha, const char *name, const CheckFlags *flags)
{
  CacheKey key;
  sha256_add_text(&sha, str_from(name));
  for (size_t i = 0; i < flags->operands.count; i++)
    sha256_add_text(&sha, str_from(flags->operands.items[i].word));
  sha256_bytes(&sha, key.bytes);
  return key;
}

KnownFiles *check_cache_known_files(const CheckFlags *flags)
{
  Sha256 sha;
  if (build_id().len == 0)
    return NULL;
  sha256_init(&sha);
  sha256_add(&sha, build_id());
  sha256_add_text(&sha, str_from(flags->style.folder));
  CacheKey key = key_of_list(sha, "known files", flags);
  return known_files_open(&key);
}

CheckCache *check_cache_open(const CheckFlags *flags, const ReportStyle *style, const Neighbours *neighbours)
{
  CheckCache *cache = xcalloc(1, sizeof(*cache));
  cache->known = flags->files.known;
  cache->plain_limit = neighbours->bytes > CACHE_PLAIN_LIMIT ? neighbours->bytes : CACHE_PLAIN_LIMIT;
  if (cache->plain_limit > CACHE_FILE_LIMIT)
    cache->plain_limit = CACHE_FILE_LIMIT;
  sha256_init(&cache->context);
  if (check_cache_may_open(flags, style) && add_context(&cache->context, flags, style, neighbours->sum))
    cache->cache = cache_open();
  if (!cache->cache) {
    free(cache);
    return NULL;
  }
  CacheKey list = key_of_list(cache->context, "short results", flags);
  cache->shorts = short_records_open(cache->cache, &list, flags->shard > 0);
  return cache;
}

void check_cache_close(CheckCache *cache)
{
  if (!cache)
    return;
  short_records_close(cache->shorts);
  arena_done(&cache->arena);
  cache_close(cache->cache);
  free(cache);
}

const Sha256 *check_cache_context(CheckCache *cache, const Target *target)
{
  if (!cache->last || cache->last->target != target) {
    cache->last = ARENA_NEW(&cache->arena, TargetContext);
    *cache->last = (TargetContext){ target, cache->context };
    target_digest(target, &cache->last->sha);
  }
  return &cache->last->sha;
}

/// The size from which on keeping the results costs more than it saves.
static size_t size_limit(const CheckCache *cache, const FoundFile *file)
{
  return language_searching(str_from(file->path), IN_CODE) ? CACHE_FILE_LIMIT : cache->plain_limit;
}

/// Whether the file is too large for its bytes to be looked at twice.
static bool is_too_large(const CheckCache *cache, const FoundFile *file)
{
  return file->is_stdin || file->size > size_limit(cache, file);
}

/// Of the text as it is now. False if it can't be read.
static bool sum_of(const CheckCache *cache, const FoundFile *file, uint8_t *ret_sum)
{
  char *text;
  size_t len;
  if (is_too_large(cache, file) || files_read(file, size_limit(cache, file), &text, &len) != OK)
    return false;
  sha256_of(str_make(text, len), ret_sum);
  free(text);
  return true;
}

/// `content` is a sum of the bytes, or the stamp that stands for them.
static CacheKey key_of(const char *shown, const FileResult *result, Str content)
{
  CacheKey key;
  Sha256 sha = *result->context;
  sha256_add_text(&sha, str_from(shown));
  sha256_add_number(&sha, result->file->is_named);
  sha256_add_text(&sha, content);
  sha256_bytes(&sha, key.bytes);
  return key;
}

/// Where the stamp stands for the bytes.
static bool is_stamped(const FoundFile *file)
{
  return file->known && file->size <= SMALL_MODEL_LIMIT && files_is_model(file->path);
}

static Str sum_str(const uint8_t *sum)
{
  return str_make((const char *)sum, SHA256_BYTES);
}

/// The sum that somebody found out a moment ago, or an earlier run; else that of the text now.
static bool known_sum_of(const CheckCache *cache, FileResult *result, uint8_t *ret_sum)
{
  const FoundFile *file = result->file;
  KnownFile *known = file->known;
  if (is_too_large(cache, file))
    return false;
  if (file->has_sum || (known && known->has_sum)) {
    memcpy(ret_sum, file->has_sum ? file->sum : known->sum, SHA256_BYTES);
    return true;
  }
  if (!sum_of(cache, file, ret_sum))
    return false;
  result->was_summed = true;
  if (known) {
    memcpy(known->sum, ret_sum, SHA256_BYTES);
    known->has_sum = true;
    known_files_note(cache->known);
  }
  return true;
}

bool check_cache_find(const CheckCache *cache, const char *shown, FileResult *result)
{
  Buffer record = { 0 };
  uint8_t sum[SHA256_BYTES];
  bool has_stamp = is_stamped(result->file);
  result->has_key = cache && (has_stamp || known_sum_of(cache, result, sum));
  if (result->has_key) {
    const FileStamp *stamp = has_stamp ? &result->file->known->stamp : NULL;
    result->key = key_of(shown, result, stamp ? str_make((const char *)stamp, sizeof(*stamp)) : sum_str(sum));
  }
  bool is_found = result->has_key &&
                  (short_records_get(cache->shorts, &result->key, &record) ||
                   cache_get(cache->cache, CACHE_RECORD, &result->key, &record)) &&
                  file_result_unpack(buffer_str(&record), result);
  buffer_done(&record);
  return is_found;
}

/// Whether the file is what the key was made of: if its stamp tells, it need not be read again.
static bool is_as_it_was(const CheckCache *cache, const char *shown, const FileResult *result)
{
  uint8_t sum[SHA256_BYTES];
  const FoundFile *file = result->file;
  if (is_stamped(file) && file->early && file->early->has_bytes)
    return true;  // It was stamped, then read: who wrote in between gave it another stamp.
  if (is_stamped(file) || (file->known && result->was_summed)) {
    FileStamp now = file_stamp(file->path);
    return file_stamp_equal(&file->known->stamp, &now);
  }
  if (!sum_of(cache, file, sum))
    return false;
  CacheKey now = key_of(shown, result, sum_str(sum));
  return memcmp(now.bytes, result->key.bytes, sizeof(now.bytes)) == 0;
}

void check_cache_keep(const CheckCache *cache, const char *shown, const FileResult *result)
{
  Buffer record = { 0 };
  if (!cache || !result->has_key || result->gave_up || result->names_others || !is_as_it_was(cache, shown, result))
    return;
  file_result_pack(result, &record);
  if (!short_records_put(cache->shorts, &result->key, buffer_str(&record)))
    cache_put(cache->cache, CACHE_RECORD, &result->key, buffer_str(&record));
  buffer_done(&record);
}
