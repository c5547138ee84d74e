#include "lsp/target_json.h"

void target_json_members(Writer *writer, const Target *target, const Language *language)
{
  Exporter exporter = language_exporter(language, target);
  int opset = language_opset(language, target);
  writer_member_str(writer, "torch", target->torch);
  writer_member_str(writer, "torchFrom", target->torch_origin);
  writer_member_str(writer, "exporter", str_from(exporter_name(exporter)));
  writer_member_str(writer, "exporterFrom", exporter == target->exporter ? target->exporter_origin : STR("the graph"));
  writer_member_int(writer, "opset", opset);
  writer_member_str(writer, "opsetFrom", opset == target->opset ? target->opset_origin : STR("default"));
  // The other half of the pair that the dynamo exporter is; most projects name none.
  if (target->onnxscript.len > 0) {
    writer_member_str(writer, "onnxscript", target->onnxscript);
    writer_member_str(writer, "onnxscriptFrom", target->onnxscript_origin);
  }
  if (target->onnxscript_needed.len > 0)
    writer_member_str(writer, "onnxscriptNeeded", target->onnxscript_needed);
}
