// What `explain --format json` prints of the Python side of torch.onnx.
#include "cli/explain_private.h"
#include "cli/support_json.h"
#include "rpc/writer.h"

static void write_release(Writer *writer, const char *key, TorchRelease release, Arena *arena)
{
  writer_key(writer, key);
  if (torch_release_is_set(release))
    writer_str(writer, arena_printf(arena, "%u.%u", release.major, release.minor));
  else
    writer_null(writer);
}

static void write_life(Writer *writer, TorchRelease added, TorchRelease deprecated, TorchRelease removed, Arena *arena)
{
  write_release(writer, "added", added, arena);
  write_release(writer, "deprecated", deprecated, arena);
  write_release(writer, "removed", removed, arena);
}

static void write_gives(Writer *writer, uint32_t kinds)
{
  static const char *const names[] = { "value",  "values", "none",   "bool",  "int",      "float",      "string",
                                       "tensor", "ints",   "floats", "other", "function", "descriptor", "raises" };
  writer_key(writer, "gives");
  writer_open(writer, '[');
  for (size_t i = 0; i < COUNT(names); i++) {
    if (kinds >> i & 1)
      writer_str(writer, str_from(names[i]));
  }
  writer_close(writer, ']');
}

static void write_helper(Writer *writer, const Page *page, const PyHelper *helper)
{
  writer_member_str(writer, "kind", STR("function"));
  writer_key(writer, "signatures");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < helper->signature_count; i++) {
    writer_open(writer, '{');
    writer_member_str(writer, "signature", helper->signatures[i].text);
    writer_key(writer, "torch");
    support_json_torch_list(writer, page->db, helper->signatures[i].torch_versions);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
  write_gives(writer, helper->result);
  write_life(writer, (TorchRelease){ 0 }, helper->deprecated, (TorchRelease){ 0 }, page->arena);
  writer_member_str(writer, "replacement", helper->replacement);
  writer_member_str(writer, "summary", helper->summary);
}

static void write_argument(Writer *writer, const Page *page, const PyExportArgument *argument)
{
  writer_member_str(writer, "kind", STR("argument"));
  writer_key(writer, "forms");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < argument->form_count; i++) {
    const PyExportForm *form = &argument->forms[i];
    writer_open(writer, '{');
    writer_key(writer, "position");
    if (form->position >= 0)
      writer_int(writer, form->position);
    else
      writer_null(writer);
    writer_key(writer, "default");
    if (form->has_default)
      writer_str(writer, form->default_text);
    else
      writer_null(writer);
    writer_key(writer, "torch");
    support_json_torch_list(writer, page->db, form->torch_versions);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
  writer_member_bool(writer, "torchscript", argument->for_torchscript);
  writer_member_bool(writer, "dynamo", argument->for_dynamo);
  write_life(writer, argument->added, argument->deprecated, argument->removed, page->arena);
  writer_member_str(writer, "replacement", argument->replacement);
  writer_member_str(writer, "summary", argument->words);
}

void explain_json_python(Buffer *out, const Page *page, const FoundPython *found)
{
  Writer whole = { .out = out };
  Writer *writer = &whole;
  writer_open(writer, '{');
  writer_member_str(writer, "python", found->name);
  if (found->helper) {
    write_helper(writer, page, found->helper);
  } else if (found->argument) {
    write_argument(writer, page, found->argument);
  } else if (found->descriptor) {
    writer_member_str(writer, "kind", STR("letter"));
    write_gives(writer, found->descriptor->gives);
    writer_member_str(writer, "types", found->descriptor->types);
    writer_member_str(writer, "summary", found->descriptor->words);
  } else if (found->suffix) {
    writer_member_str(writer, "kind", STR("suffix"));
    writer_member_str(writer, "takes", found->suffix->takes);
    writer_member_str(writer, "single", str_from(onnx_attribute_type_name(found->suffix->single)));
    writer_member_str(writer, "list", str_from(onnx_attribute_type_name(found->suffix->list)));
    writer_member_str(writer, "summary", found->suffix->words);
  } else {
    writer_member_str(writer, "kind", STR("name"));
    writer_member_bool(writer, "private", found->api->is_private);
    write_life(writer, found->api->added, found->api->deprecated, found->api->removed, page->arena);
    writer_member_str(writer, "replacement", export_api_replacement(found->api, found->name, page->arena));
    writer_member_str(writer, "summary", found->api->words);
  }
  writer_close(writer, '}');
}
