/// What `ops` prints of one file.
///
/// Ownership: appends to the caller's buffer.
/// Units:     as in core/operator_count.h.
/// Threads:   pure.
/// Sources:   docs/ops.md, docs/ops.schema.json.
#pragma once

#include "base/buffer.h"
#include "core/operator_count.h"

typedef struct OpsContext {
  const SymbolicsDb *db;
  uint32_t torch;
  const Target *target;
  int asked_opset;  ///< That a flag names; 0 for none.
} OpsContext;

void ops_report_text(Buffer *out, const OpsContext *context, const char *file, const OperatorCount *counted);
/// The legend below all tables.
void ops_report_legend(Buffer *out);
/// Objects, one a line, with commas between them; `is_first` says whether nothing was written before.
void ops_report_json(Buffer *out, const OpsContext *context, const char *file, const OperatorCount *counted,
                     bool is_first);
