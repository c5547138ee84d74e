/// Records of a few bytes, kept in one list: files of their own would cost more to write than what is in them to find
/// out again.
///
/// A list is one record of the cache. A run that adds to it leaves out what it had no use for, unless others take their
/// part from the same list.
///
/// Ownership: short_records_close() frees all; the cache is borrowed until then.
/// Units:     bytes.
/// Errors:    a list that is not whole has nothing in it.
/// Threads:   short_records_get() and short_records_put() from any thread.
/// Sources:   docs/check.md, "What is kept between runs".
#pragma once

#include "host/cache.h"

typedef struct ShortRecords ShortRecords;

ShortRecords *short_records_open(Cache *cache, const CacheKey *list, bool is_shared);
/// Keeps the list, if anything in it is new.
void short_records_close(ShortRecords *records);
/// Appends the record; false if there is none.
bool short_records_get(ShortRecords *records, const CacheKey *key, Buffer *ret_record);
/// False for what is too long, or more than a list holds: it needs a file of its own.
bool short_records_put(ShortRecords *records, const CacheKey *key, Str record);
