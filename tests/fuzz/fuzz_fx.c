// Any bytes as an FX text (dialect_fuzz.h).

#include "dialect_fuzz.h"
#include "graph/fx/fx_parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const FuzzedDialect dialect = { "fx-graph", "file:///fuzz.fx", fx_parser_new, fx_parser_free, fx_parse };
  fuzz_dialect(&dialect, data, size);
  return 0;
}
