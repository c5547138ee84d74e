// The compiler of the records: any text is refused with messages or compiles to facts that can be opened.

#include <stdint.h>
#include <stdlib.h>

#include "facts/symbolics.h"
#include "records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Records *records = records_new();
  Buffer facts = { 0 };
  records_read(records, STR("versions.txt"), STR("kind torch-versions\ntorch 1.13\ntorch 2.6\n"));
  records_read(records, STR("f.txt"), str_make((const char *)data, size));
  Status status = records_pack(records, &facts);
  if ((status == OK) != (records_messages(records).len == 0))
    abort();
  SymbolicsDb *db = NULL;
  if (status == OK && symbolics_open(STR("test"), buffer_str(&facts), NULL, &db) != OK)
    abort();
  symbolics_free(db);
  buffer_done(&facts);
  records_free(records);
  return 0;
}
