// All rules of Python files.

#include "python/python_language.h"
#include "python/rules/python_report.h"

static RuleFamily *const families[] = {
  check_python_ops,
  check_python_functions,
  check_python_values,
  check_python_returns,
  check_python_wrappers,
  check_python_symbolic_meaning,
  check_python_function_texts,
  check_python_registrations,
  check_python_domains,
  check_python_autograd,
  check_python_autograd_apply,
  check_python_api,
  check_python_exports,
  check_python_tracing,
  check_python_ignored,
  check_python_damage,
  check_python_capture,
  check_python_dims,
  check_python_symbolic_calls,
  check_python_library,
  check_python_library_calls,
  check_python_library_names,
  check_python_library_schemas,
  check_python_library_parts,
  check_python_types,
  check_python_script,
  check_python_script_names,
  check_python_jit_script,
  check_python_uncalled,
  check_python_public_calls,
  check_python_none_results,
  check_python_onnx_tools,
  check_python_onnx_calls,
  check_python_messages,
  check_python_made_nodes,
  check_python_library_autograd,
  check_python_library_fakes,
  check_python_shapes_collections,
  check_python_control_flow,
  check_python_sessions,
  check_python_model_names,
  check_python_copied_graphs,
  check_python_program_calls,
  check_python_captured,
  check_python_modules,
  check_python_loaded_weights,
  check_python_vision_models,
  check_python_numpy_results,
  check_python_whole_numbers,
  check_python_calibration,
};

/// PyTorch's own functions before 1.2, which got Python values and made nodes of opset 6: nothing is known of these.
static bool is_first_exporter(const PyFile *file)
{
  return file && str_ends_with(file->model->path, STR("torch/onnx/symbolic.py"));
}

void python_check(DiagSink *sink)
{
  const PyFile *file = py_file_of_snapshot(sink->snapshot);
  if (is_first_exporter(file))
    return;
  sink->language = (void *)file;
  sink_check_lines(sink, 0, document_line_count(snapshot_document(sink->snapshot)), families, COUNT(families));
}
