// The answer to onnxls/status, a request of our own: what an editor's status line says of a document.
#include "core/coverage.h"
#include "lsp/feature_method.h"
#include "lsp/target_json.h"

static void write_status(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  writer_open(writer, '{');
  writer_member_str(writer, "status", str_from(coverage_name(result->coverage.status)));
  writer_member_known_str(writer, "why", result->coverage.why);
  target_json_members(writer, snapshot_target(context->snapshot), snapshot_language(context->snapshot));
  writer_close(writer, '}');
}

COMPUTE(status, coverage, coverage_of(context->snapshot, context->arena))

const FeatureMethod status_methods[] = {
  { .name = "onnxls/status",
    .cost = COST_CHECK,
    .empty = "null",
    .read = params_read_document,
    .compute = compute_status,
    .write = write_status },
  { 0 },
};
