#include "cli/check_cache.h"

#include <stdlib.h>

#include "base/limits.h"
#include "core/language.h"
#include "host/build_id.h"

struct CheckCache {
  Cache *cache;
  Sha256 context;      ///< Of all that is the same for all files.
  size_t plain_limit;  ///< Of dumps and models.
};

static bool add_context(Sha256 *sha, const CheckFlags *flags, const ReportStyle *style, const uint8_t *neighbours)
{
  if (build_id().len == 0)
    return false;
  sha256_add(sha, build_id());
  sha256_add_text(sha, STR(ONNXLS_VERSION));
  target_digest(style->target, sha);
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

CheckCache *check_cache_open(const CheckFlags *flags, const ReportStyle *style, const Neighbours *neighbours)
{
  CheckCache *cache = xcalloc(1, sizeof(*cache));
  cache->plain_limit = neighbours->bytes > CACHE_PLAIN_LIMIT ? neighbours->bytes : CACHE_PLAIN_LIMIT;
  if (cache->plain_limit > CACHE_FILE_LIMIT)
    cache->plain_limit = CACHE_FILE_LIMIT;
  sha256_init(&cache->context);
  if (check_cache_may_open(flags, style) && add_context(&cache->context, flags, style, neighbours->sum))
    cache->cache = cache_open();
  if (cache->cache)
    return cache;
  free(cache);
  return NULL;
}

void check_cache_close(CheckCache *cache)
{
  if (!cache)
    return;
  cache_close(cache->cache);
  free(cache);
}

/// The size from which on keeping the results costs more than it saves.
static size_t size_limit(const CheckCache *cache, const FoundFile *file)
{
  return language_searching(str_from(file->path), IN_CODE) ? CACHE_FILE_LIMIT : cache->plain_limit;
}

/// False if the file can't be read, or is too large for its bytes to be looked at twice.
static bool key_of(const CheckCache *cache, const char *shown, const FoundFile *file, CacheKey *ret_key,
                   bool *ret_has_external)
{
  char *text;
  size_t len;
  size_t limit = size_limit(cache, file);
  if (file->is_stdin || file->size > limit || files_read(file, limit, &text, &len) != OK)
    return false;
  Sha256 sha = cache->context;
  sha256_add_text(&sha, str_from(shown));
  sha256_add_number(&sha, file->is_named);
  sha256_add_text(&sha, str_make(text, len));
  sha256_bytes(&sha, ret_key->bytes);
  // The key under which a tensor of a model names the file that its values are in.
  *ret_has_external = str_find_by(str_make(text, len), STR("location"), 2, 0) != STR_NOT_FOUND;
  free(text);
  return true;
}

bool check_cache_find(const CheckCache *cache, const char *shown, FileResult *result)
{
  bool has_external;
  Buffer record = { 0 };
  result->has_key = cache && key_of(cache, shown, result->file, &result->key, &has_external);
  bool is_found = result->has_key && cache_get(cache->cache, &result->key, &record) &&
                  file_result_unpack(buffer_str(&record), result);
  buffer_done(&record);
  return is_found;
}

void check_cache_keep(const CheckCache *cache, const char *shown, const FileResult *result)
{
  CacheKey now;
  bool has_external;
  Buffer record = { 0 };
  if (!cache || !result->has_key || result->gave_up || !key_of(cache, shown, result->file, &now, &has_external) ||
      memcmp(now.bytes, result->key.bytes, sizeof(now.bytes)) != 0 || (result->is_converted && has_external))
    return;
  file_result_pack(result, &record);
  cache_put(cache->cache, &result->key, buffer_str(&record));
  buffer_done(&record);
}
