// Overlays in JSON: any bytes are refused with messages, or compile to facts that can be opened.

#include <stdint.h>
#include <stdlib.h>

#include "facts/symbolics.h"
#include "overlay_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Records *records = records_new();
  overlay_read_json(records, STR("o.json"), str_make((const char *)data, size));
  SymbolicsDb *db = NULL;
  Status status = symbolics_open_records(STR("o.json"), records, NULL, &db);
  if ((status == OK) != (records_messages(records).len == 0))
    abort();
  symbolics_free(db);
  records_free(records);
  return 0;
}
