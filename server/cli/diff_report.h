/// What `onnxls diff` prints.
///
/// Ownership: appends to the caller's buffer.
/// Units:     lines from 1, of the text that `show` prints where the file is a model.
/// Threads:   one thread at a time.
/// Sources:   docs/diff.md.
#pragma once

#include "base/buffer.h"
#include "diff/graph_diff.h"

typedef struct DiffSide {
  const char *shown;  ///< The file's name.
  const Snapshot *snapshot;
} DiffSide;

typedef struct DiffReport {
  const GraphDiff *diff;
  DiffSide sides[2];
} DiffReport;

void diff_report_text(Buffer *out, const DiffReport *report);
void diff_report_json(Buffer *out, const DiffReport *report);
