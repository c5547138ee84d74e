/// A baseline: findings that were there before, so that a run tells only of new ones. An entry goes by its fingerprint
/// (report_private.h), for which files are seen from the baseline's own folder.
///
/// Ownership: baseline_close() frees all of it.
/// Errors:    ERR_USAGE or ERR_IO after messages on stderr.
/// Threads:   baseline_takes() from any thread, the rest from one.
/// Sources:   docs/check.md, "Baseline"; docs/baseline.schema.json.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/status.h"
#include "core/target.h"

typedef struct Baseline Baseline;

typedef struct BaselineFinding {
  Str file;  ///< As it is seen from the baseline's folder.
  Str rule;
  Str message;
  uint64_t fingerprint;
} BaselineFinding;

/// With `updates` the file need not be there, and every finding becomes an entry.
MUST_USE Status baseline_open(const char *path, bool updates, Baseline **ret_baseline);
void baseline_close(Baseline *baseline);
/// The absolute folder that it lies in.
const char *baseline_folder(const Baseline *baseline);
/// True when the finding is an entry, or becomes one.
bool baseline_takes(Baseline *baseline, const BaselineFinding *finding);
/// A file was looked at as a whole, so what is not found in it any more is over.
void baseline_saw_file(Baseline *baseline, Str file);
/// In the end: says which entries no longer occur, or writes those that do. Of rules that the target switches off
/// nothing is known.
MUST_USE Status baseline_settle(Baseline *baseline, const Target *target);
