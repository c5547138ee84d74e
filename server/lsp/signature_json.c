// The answer to textDocument/signatureHelp. Places of parameters are UTF-16 code units, whatever the encoding.

#include "lsp/feature_method.h"
#include "text/utf.h"

static void write_documentation(Writer *writer, const ClientCapabilities *client, Str markdown, Str plain)
{
  bool is_markdown = client->signatures_markdown;
  Str text = is_markdown ? markdown : plain;
  if (text.len == 0)
    return;
  writer_key(writer, "documentation");
  writer_open(writer, '{');
  writer_member_str(writer, "kind", is_markdown ? STR("markdown") : STR("plaintext"));
  writer_member_str(writer, "value", text);
  writer_close(writer, '}');
}

static void write_place(Writer *writer, Str label, size_t start, size_t end)
{
  writer_open(writer, '[');
  writer_int(writer, (int64_t)utf_units(str_slice(label, 0, start), POS_UTF16));
  writer_int(writer, (int64_t)utf_units(str_slice(label, 0, end), POS_UTF16));
  writer_close(writer, ']');
}

static void write_parameter(Writer *writer, const ClientCapabilities *client, Str label,
                            const SignatureParameter *parameter)
{
  writer_open(writer, '{');
  writer_key(writer, "label");
  if (client->takes_label_offsets)
    write_place(writer, label, parameter->start, parameter->end);
  else
    writer_str(writer, str_slice(label, parameter->start, parameter->end));
  write_documentation(writer, client, parameter->documentation, parameter->documentation_plain);
  writer_close(writer, '}');
}

static void write_signature(Writer *writer, const ClientCapabilities *client, const Signature *signature)
{
  writer_open(writer, '{');
  writer_member_str(writer, "label", signature->label);
  write_documentation(writer, client, signature->documentation, signature->documentation_plain);
  writer_key(writer, "parameters");
  writer_open(writer, '[');
  for (size_t i = 0; i < signature->parameter_count; i++)
    write_parameter(writer, client, signature->label, &signature->parameters[i]);
  writer_close(writer, ']');
  if (client->takes_active_parameter)
    writer_member_int(writer, "activeParameter", (int64_t)signature->active);
  writer_close(writer, '}');
}

static void write_signatures(Writer *writer, const AnswerContext *context, const FeatureResult *result)
{
  SignatureList list = result->signatures;
  if (list.count == 0) {
    writer_null(writer);
    return;
  }
  writer_open(writer, '{');
  writer_key(writer, "signatures");
  writer_open(writer, '[');
  for (size_t i = 0; i < list.count; i++)
    write_signature(writer, context->client, &list.items[i]);
  writer_close(writer, ']');
  writer_member_int(writer, "activeSignature", (int64_t)list.active);
  writer_member_int(writer, "activeParameter", (int64_t)list.items[list.active].active);
  writer_close(writer, '}');
}

COMPUTE(signatures, signatures, feature_signature(context, params->offset))

const FeatureMethod signature_methods[] = {
  { .name = "textDocument/signatureHelp",
    .provider = "signatureHelpProvider",
    .provision = "{\"triggerCharacters\":[\"(\",\",\"],\"retriggerCharacters\":[\"=\",\")\"]}",
    .cost = COST_PLACE,
    .empty = "null",
    .read = params_read_position,
    .compute = compute_signatures,
    .write = write_signatures },
  { 0 },
};
