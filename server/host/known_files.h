/// What looking into files found out, kept from one run of `check` to the next by their stamps: a file whose size,
/// times and inode are what they were is not read again. There is one list for each folder and operands of a run.
///
/// A file that was changed a moment before it was looked at is never known (file_stamp_is_settled()), nor is one where
/// any of that is different. A list takes its place as a whole, and what is not whole is as good as not there, so any
/// number of processes may use it at once.
///
/// Ownership: known_files_close() frees all; entries live as long.
/// Errors:    without a cache nothing is known.
/// Threads:   one thread at a time, but different entries may be used on different ones.
/// Sources:   docs/check.md, "What is kept between runs".
#pragma once

#include "host/cache.h"
#include "host/file_stamp.h"

typedef struct KnownFiles KnownFiles;

/// Of a file as it is now.
typedef struct KnownFile {
  FileStamp stamp;
  unsigned asked[2];  ///< LanguageSets of walks that came to it, 0 for none,
  bool is_wanted[2];  ///< and whether they take it.
  bool has_sum;
  uint8_t sum[SHA256_BYTES];  ///< Of its text.
  bool is_scanned;            ///< The rest is known, too (host/file_scan.h):
  bool is_silent, is_passive;
  bool has_imports;
  Str imports;  ///< If so: the modules, '\0' after each.
} KnownFile;

/// The list of that key. NULL if nothing can be kept.
KnownFiles *known_files_open(const CacheKey *key);
/// Whether nothing is known; true of NULL.
bool known_files_is_empty(const KnownFiles *files);
/// Keeps what was asked for in this run, if any of it is new. NULL is fine, here and below.
void known_files_close(KnownFiles *files);
/// The entry of a file, in which nothing is filled in if it is new or has changed; NULL if it must not be known.
KnownFile *known_files_at(KnownFiles *files, const char *path, const FileStamp *stamp);
/// To be called when something was filled in; from any thread.
void known_files_note(KnownFiles *files);
/// `imports` is copied.
void known_files_add_imports(KnownFiles *files, KnownFile *file, Str imports);
