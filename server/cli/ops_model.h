/// What `ops` says of a model beside its operators: what changes at newer opsets, and which runtimes load it.
///
/// Ownership: appends to the caller's buffer.
/// Units:     opsets and lines are numbers; lines count from 1.
/// Threads:   one thread at a time.
/// Sources:   docs/ops.md.
#pragma once

#include "cli/ops_report.h"
#include "core/snapshot.h"
#include "rpc/writer.h"

void ops_model_text(Buffer *out, const OpsContext *context, const Snapshot *snapshot, const OperatorCount *counted);
/// "changes" and "no_kernel" of an operator's object, which is open.
void ops_model_json(Writer *writer, const OpsContext *context, const OperatorCount *counted, const CountedOp *op);
