#include "session/model_content.h"

#include "onnx_model/editor_text.h"
#include "text/uri.h"

static void compute_content(const FeatureContext *context, const FeatureParams *params, FeatureResult *ret_result)
{
  Str path = uri_to_path(params->uri, context->arena);
  ret_result->text = path.len > 0 ? model_editor_text(path, context->arena) : STR("# this is the URI of no file\n");
}

static void write_content(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  (void)context;
  writer_open(writer, '{');
  writer_member_str(writer, "text", result->text);
  writer_close(writer, '}');
}

const FeatureMethod model_content_methods[] = {
  { .name = "workspace/textDocumentContent",
    .cost = COST_TEXT,
    .is_workspace = true,
    .empty = "{\"text\":\"\"}",
    .read = params_read_uri,
    .compute = compute_content,
    .write = write_content },
  { 0 },
};
