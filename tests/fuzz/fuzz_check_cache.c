// Records of the cache, and lists of short ones: any bytes are one or none, and what was packed comes back.
#include <stdio.h>
#include <stdlib.h>

#include "cli/check_result.h"
#include "host/short_records.h"

static void expect(bool condition)
{
  if (!condition)
    abort();
}

static void unpack(Str bytes)
{
  FileResult result = { 0 };
  FileResult again = { 0 };
  Buffer packed = { 0 };
  if (file_result_unpack(bytes, &result)) {
    file_result_pack(&result, &packed);
    expect(packed.len == bytes.len && file_result_unpack(buffer_str(&packed), &again));
    expect(str_equal(buffer_str(&again.out), buffer_str(&result.out)));
    expect(str_equal(buffer_str(&again.entry), buffer_str(&result.entry)));
  }
  file_result_done(&result);
  file_result_done(&again);
  buffer_done(&packed);
}

static char folder[] = P_tmpdir "/onnxls-fuzz-XXXXXX";

static void remove_folder(void)
{
  char command[64];
  snprintf(command, sizeof(command), "rm -rf '%s'", folder);
  expect(system(command) == 0);
}

/// The bytes as the list of an earlier run.
static void read_list(Str bytes)
{
  static bool has_folder;
  if (!has_folder) {
    expect(mkdtemp(folder) && setenv("XDG_CACHE_HOME", folder, 1) == 0 && atexit(remove_folder) == 0);
    has_folder = true;
  }
  const CacheKey list = { { 2 } };
  CacheKey key = { { 3 } };
  Str record = str_slice(bytes, 0, 20);
  Buffer found = { 0 };
  if (bytes.len >= sizeof(key))
    memcpy(&key, bytes.data, sizeof(key));
  Cache *cache = cache_open();
  expect(cache != NULL);
  cache_put(cache, CACHE_SHORT, &list, bytes);
  ShortRecords *records = short_records_open(cache, &list, true);
  short_records_get(records, &key, &found);
  found.len = 0;
  expect(short_records_put(records, &key, record));
  expect(short_records_get(records, &key, &found) && str_equal(buffer_str(&found), record));
  short_records_close(records);
  cache_close(cache);
  buffer_done(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  CacheKey key = { { 1 } };
  Str bytes = str_make((const char *)data, size);
  Str record;
  Buffer wrapped = { 0 };
  unpack(bytes);
  read_list(bytes);
  if (cache_unwrap(&key, bytes, &record))
    unpack(record);
  char head[CACHE_HEAD];
  cache_head(&key, bytes, head);
  buffer_append(&wrapped, str_make(head, sizeof(head)));
  buffer_append(&wrapped, bytes);
  expect(cache_unwrap(&key, buffer_str(&wrapped), &record) && str_equal(record, bytes));
  if (size > 0) {
    wrapped.data[wrapped.len - 1 - data[0] % wrapped.len] ^= 1;
    expect(!cache_unwrap(&key, buffer_str(&wrapped), &record));
  }
  buffer_done(&wrapped);
  return 0;
}
