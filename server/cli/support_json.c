#include "cli/support_json.h"

void support_json_opsets(Writer *writer, OpsetSet set)
{
  writer_open(writer, '[');
  for (int opset = 0; opset <= OPSET_LIMIT; opset++) {
    if (opset_set_has(set, opset))
      writer_int(writer, opset);
  }
  writer_close(writer, ']');
}

void support_json_dynamo(Writer *writer, const SymbolicsDb *db, uint32_t torch, Str op)
{
  OpsetRange range;
  bool has_exporter = symbolics_opset_range(db, torch, EXPORTER_DYNAMO, &range);
  SupportAnswer answer = { .status = SUPPORT_NO_FACTS };
  if (has_exporter)
    answer = symbolics_support(db, torch, EXPORTER_DYNAMO, op, range.max);
  writer_key(writer, "dynamo");
  if (answer.status == SUPPORT_NO_FACTS)
    writer_null(writer);
  else
    writer_bool(writer, answer.status == SUPPORT_YES || answer.status == SUPPORT_DECOMPOSED);
  if (answer.status == SUPPORT_YES)
    writer_member_int(writer, "dynamo_since", answer.since);
  if (answer.status == SUPPORT_DECOMPOSED)
    writer_member_bool(writer, "dynamo_decomposes", true);
}
