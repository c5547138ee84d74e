/// What `check` found in files whose text, target and neighbours are as they were in an earlier run.
///
/// A key holds all that a result depends on: this build with its facts, what is checked against, how it is printed, the
/// folder of the run, the text of every Python file whose functions count as support, and the file's name and bytes.
/// What depends on more is not kept: fixes, a baseline, facts of one's own, models with external data, files that
/// could not be read, or only in part.
///
/// Ownership: check_cache_close() frees what check_cache_open() made.
/// Errors:    NULL, or a file without a key, is checked as ever.
/// Threads:   keys, look-ups and stores from any thread.
/// Sources:   docs/check.md, "What is kept between runs".
#pragma once

#include "cli/check_flags.h"
#include "cli/check_result.h"
#include "cli/check_workspace.h"

typedef struct CheckCache CheckCache;

/// False where nothing can be kept; then there is no need for the neighbours' sum.
bool check_cache_may_open(const CheckFlags *flags, const ReportStyle *style);
/// What earlier runs with the same operands in the same folder found out about files; NULL.
KnownFiles *check_cache_known_files(const CheckFlags *flags);
CheckCache *check_cache_open(const CheckFlags *flags, const ReportStyle *style, const Neighbours *neighbours);
/// NULL is fine, here and below.
void check_cache_close(CheckCache *cache);
/// What the keys of files with that target have in common. From one thread at a time, before check_cache_find().
const Sha256 *check_cache_context(CheckCache *cache, const Target *target);
/// Gives the result a key, if there can be one, and what is known of it; true if that is all. `shown` names it.
bool check_cache_find(const CheckCache *cache, const char *shown, FileResult *result);
/// Keeps the result, if the file is still as it was when it got its key.
void check_cache_keep(const CheckCache *cache, const char *shown, const FileResult *result);
