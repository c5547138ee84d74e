// Any bytes as a print of onnx_ir: as a graph language (dialect_fuzz.h), and as a whole model. Events open and close
// graphs in pairs, and all mistakes and diagnostics lie in the text.

#include "graph/onnx_ir/ir_line.h"
#include "graph/onnx_ir/ir_read.h"
#include "model_fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const FuzzedDialect dialect = { "onnx-ir", "file:///fuzz.onnxir", line_parser_new, line_parser_free,
                                         ir_line_parse };
  fuzz_model(&dialect, onnx_ir_read, data, size);
  return 0;
}
