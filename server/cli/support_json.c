#include "cli/support_json.h"

#include "describe/dynamo_words.h"

void support_json_opsets(Writer *writer, OpsetSet set)
{
  writer_open(writer, '[');
  for (int opset = 0; opset <= OPSET_LIMIT; opset++) {
    if (opset_set_has(set, opset))
      writer_int(writer, opset);
  }
  writer_close(writer, ']');
}

void support_json_torch_list(Writer *writer, const SymbolicsDb *db, uint32_t set)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(db, &versions);
  writer_open(writer, '[');
  for (size_t i = 0; i < count; i++) {
    if (set >> i & 1)
      writer_str(writer, versions[i]);
  }
  writer_close(writer, ']');
}

/// "dynamo": whether it can convert the operator, perhaps in parts, at least with some arguments; null if that is not
/// known.
static void write_dynamo(Writer *writer, const ExporterFacts *dynamo, Arena *arena)
{
  bool is_refused = dynamo->is_taken_apart && dynamo->fate.verdict == DYNAMO_REFUSED;
  writer_key(writer, exporter_name(EXPORTER_DYNAMO));
  if (!dynamo->is_known)
    writer_null(writer);
  else
    writer_bool(writer, dynamo->converted != 0 || (dynamo->is_taken_apart && !is_refused));
  if (dynamo->converted != 0)
    writer_member_int(writer, "dynamo_since", opset_set_first(dynamo->converted));
  if (dynamo->is_taken_apart)
    writer_member_bool(writer, "dynamo_decomposes", true);
  if (is_refused)
    writer_member_str(writer, "dynamo_part", dynamo_overload_words(dynamo->fate.part, arena));
}

void support_json_version(Writer *writer, const OperatorVersion *version, Arena *arena)
{
  const ExporterFacts *torchscript = &version->exporters[EXPORTER_TORCHSCRIPT];
  writer_open(writer, '{');
  writer_key(writer, exporter_name(EXPORTER_TORCHSCRIPT));
  support_json_opsets(writer, torchscript->converted);
  writer_key(writer, "blocked");
  support_json_opsets(writer, torchscript->blocked);
  write_dynamo(writer, &version->exporters[EXPORTER_DYNAMO], arena);
  if (version->pass)
    writer_member_str(writer, "pass", version->pass->reason);
  writer_close(writer, '}');
}

void support_json_condition(Writer *writer, const OperatorCondition *condition)
{
  writer_member_str(writer, "kind", str_from(rule_info(condition->rule)->name));
  writer_member_str(writer, "when", condition->when);
  writer_member_str(writer, "reason", condition->reason);
  writer_member_known_str(writer, "instead", condition->outcome->way_out);
  writer_member_known_str(writer, "runtime", condition->runtime);
}
