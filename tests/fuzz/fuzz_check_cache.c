// Records of the cache: any bytes are one or none, and what was packed comes back.
#include <stdlib.h>

#include "cli/check_result.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  CacheKey key = { { 1 } };
  Str bytes = str_make((const char *)data, size);
  Str record;
  Buffer wrapped = { 0 };
  unpack(bytes);
  if (cache_unwrap(&key, bytes, &record))
    unpack(record);
  cache_wrap(&key, bytes, &wrapped);
  expect(cache_unwrap(&key, buffer_str(&wrapped), &record) && str_equal(record, bytes));
  if (size > 0) {
    wrapped.data[wrapped.len - 1 - data[0] % wrapped.len] ^= 1;
    expect(!cache_unwrap(&key, buffer_str(&wrapped), &record));
  }
  buffer_done(&wrapped);
  return 0;
}
