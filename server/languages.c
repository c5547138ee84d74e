// The table of languages.

#include "core/language.h"
#include "cpp/cpp_language.h"
#include "graph/fx/fx.h"
#include "graph/onnx/onnx_text.h"
#include "graph/onnx_ir/onnx_ir.h"
#include "graph/torchscript/torchscript.h"
#include "notebook/notebook.h"
#include "python/python_language.h"
#include "report/onnx_report.h"
#include "report/pasted_error.h"
#include "requirements/requirements_language.h"

const Language *const languages[] = {
  &requirements_language,
  &onnx_report_language,
  &fx_graph_language,
  &onnx_ir_language,
  &onnx_text_language,
  &torchscript_language,
  &python_language,
  &notebook_language,
  &cpp_language,
  &pasted_error_language,
  NULL,
};
