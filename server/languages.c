// The table of languages, and the rows of those that are told apart but not read yet.

#include "core/language.h"
#include "graph/fx/fx.h"
#include "graph/onnx/onnx_text.h"
#include "graph/torchscript/torchscript.h"
#include "notebook/notebook.h"
#include "python/python_language.h"
#include "report/onnx_report.h"

static bool is_onnx_ir_line(Str line)
{
  return str_starts_with(line, STR("ir_version=")) || str_contains(line, STR("\xe2\xac\x85"));
}

static const Language onnx_ir_language = {
  .name = "onnx-ir",
  .title = "a print of onnx_ir",
  .sets = IN_GRAPHS,
  .endings = (const LanguageEnding[]){ { ".onnxir", false }, { 0 } },
  .sniff_line = is_onnx_ir_line,
};

const Language *const languages[] = {
  &onnx_report_language, &fx_graph_language, &onnx_ir_language,  &onnx_text_language,
  &torchscript_language, &python_language,   &notebook_language, NULL,
};
