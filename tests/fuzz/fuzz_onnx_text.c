// Any bytes as ONNX text: as a graph language, and as a whole model (model_fuzz.h).

#include "graph/onnx/onnx_line.h"
#include "model_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const FuzzedDialect dialect = { "onnx-text", "file:///fuzz.onnxtxt", line_parser_new, line_parser_free,
                                         onnx_line_parse };
  fuzz_model(&dialect, onnx_tree_read, data, size);
  return 0;
}
