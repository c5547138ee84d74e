/// Results that are kept from one run to the next: small records by their keys, below the user's cache folder.
///
/// A key is a SHA-256 of everything that the record depends on, so nothing is ever out of date, only unused. Each
/// record is a file that takes its place as a whole; any number of processes may read and write. What is not whole, or
/// not readable, is as good as not there.
///
/// Ownership: cache_close() frees what cache_open() made.
/// Units:     bytes.
/// Errors:    a cache that can't be read or written has nothing in it.
/// Threads:   cache_get() and cache_put() from any thread.
/// Sources:   XDG Base Directory Specification 0.8: XDG_CACHE_HOME.
#pragma once

#include "base/buffer.h"
#include "base/sha256.h"

typedef struct Cache Cache;

typedef struct CacheKey {
  uint8_t bytes[SHA256_BYTES];
} CacheKey;

enum { CACHE_HEAD = 24 };  ///< Bytes before the record in its file.

typedef enum CacheKind {
  CACHE_RECORD,
  CACHE_LIST,   ///< Larger, and few: what is known of files,
  CACHE_SHORT,  ///< and short records (host/short_records.h).
} CacheKind;

/// The folder of the user, which nobody else may write to; NULL if there is none. It is made when something is put in.
Cache *cache_open(void);
/// Makes room where something was put in, the longest unused first. NULL is fine.
void cache_close(Cache *cache);
/// Appends the record; false if there is none.
bool cache_get(Cache *cache, CacheKind kind, const CacheKey *key, Buffer *ret_record);
void cache_put(Cache *cache, CacheKind kind, const CacheKey *key, Str record);

/// The folder, made if need be; empty if there is none that only the user may write to.
Str cache_make_folder(Arena *arena);

/// The text that a file of the cache holds; false if it is not whole, or of another key.
bool cache_unwrap(const CacheKey *key, Str bytes, Str *ret_record);
/// What such a file has before the record.
void cache_head(const CacheKey *key, Str record, char ret_head[CACHE_HEAD]);
