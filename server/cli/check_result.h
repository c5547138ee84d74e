/// What became of one file that `check` looked at, and the same as bytes.
///
/// Ownership: the buffers are the result's; file_result_done() frees them.
/// Errors:    bytes that are no result give false, and nothing to free.
/// Threads:   each result by one thread at a time.
#pragma once

#include "cli/fix.h"
#include "cli/report.h"
#include "host/cache.h"
#include "host/files.h"

typedef struct FileResult {
  const FoundFile *file;
  const Target *target;   ///< What it is checked against; borrowed.
  const Sha256 *context;  ///< For the key of a result that may be kept: what other files have in it, too; borrowed.
  Buffer out;             ///< For stdout.
  Buffer notes;           ///< For stderr.
  Buffer entry;           ///< For the list of files.
  ReportCounts counts;
  FixCounts fixes;
  bool was_judged;    ///< All of it: what is not found in it is not there.
  bool is_dump;       ///< What became of models that were run in a runtime counts.
  bool gave_up;       ///< It could not be read, or a limit left something out.
  bool names_others;  ///< A model with values in other files.
  bool is_done;
  bool has_key;
  bool was_summed;  ///< For the key.
  CacheKey key;     ///< With `has_key`: for what it depends on.
} FileResult;

void file_result_done(FileResult *result);
/// Appends all but the fixes and the key: for this build of the program alone.
void file_result_pack(const FileResult *result, Buffer *bytes);
MUST_USE bool file_result_unpack(Str bytes, FileResult *result);
