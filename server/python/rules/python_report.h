/// Short ways for the Python rules to report.
///
/// Ownership: messages live in the sink's arena.
/// Units:     nodes of the sink's Python file.
/// Threads:   as DiagSink.
#pragma once

#include "core/diagnostic_sink.h"
#include "python/model/python_file.h"

/// A finding of the severity that its rule has.
#define OWN ((Severity)SEVERITY_DEFAULT)

/// The file being checked.
static inline const PyFile *sink_python(const DiagSink *sink)
{
  return sink->language;
}

static inline Range py_range(const DiagSink *sink, PyRef node)
{
  const PyNode *at = &sink_python(sink)->model->tree.nodes[node];
  return (Range){ at->start, at->end };
}

/// Reports at a node, or where the file names what is in another one; the message is made by arena_printf() after
/// sink_wants().
void py_report(DiagSink *sink, RuleId rule, Severity severity, PyRef node, Diagnostic diagnostic);

/// A fix with one edit.
static inline const Fix *py_fix(DiagSink *sink, bool is_safe, Str title, Range range, Str text)
{
  Fix *fix = ARENA_ARRAY(sink->arena, Fix, 1);
  TextEdit *edit = ARENA_ARRAY(sink->arena, TextEdit, 1);
  *edit = (TextEdit){ range, text };
  *fix = (Fix){ .title = title, .edits = edit, .edit_count = 1, .is_safe = is_safe };
  return fix;
}

/// One function a family: all diagnostics of the file.
RuleFamily check_python_ops;
RuleFamily check_python_functions;
RuleFamily check_python_function_texts;
RuleFamily check_python_values;
RuleFamily check_python_returns;
RuleFamily check_python_whole_numbers;
RuleFamily check_python_wrappers;
RuleFamily check_python_registrations;
RuleFamily check_python_domains;
RuleFamily check_python_autograd;
RuleFamily check_python_autograd_apply;
RuleFamily check_python_api;
RuleFamily check_python_exports;
RuleFamily check_python_tracing;
RuleFamily check_python_ignored;
RuleFamily check_python_damage;
RuleFamily check_python_calibration;
RuleFamily check_python_capture;
RuleFamily check_python_dims;
RuleFamily check_python_symbolic_calls;
RuleFamily check_python_library;
RuleFamily check_python_library_calls;
RuleFamily check_python_library_names;
RuleFamily check_python_library_schemas;
RuleFamily check_python_library_parts;
RuleFamily check_python_library_autograd;
RuleFamily check_python_library_fakes;
RuleFamily check_python_public_calls;
RuleFamily check_python_none_results;
RuleFamily check_python_onnx_tools;
RuleFamily check_python_onnx_calls;
RuleFamily check_python_messages;
RuleFamily check_python_made_nodes;
RuleFamily check_python_shapes_collections;
RuleFamily check_python_control_flow;
RuleFamily check_python_sessions;
RuleFamily check_python_model_names;
RuleFamily check_python_copied_graphs;
RuleFamily check_python_program_calls;
RuleFamily check_python_captured;
RuleFamily check_python_types;
RuleFamily check_python_script;
RuleFamily check_python_script_names;
RuleFamily check_python_jit_script;
RuleFamily check_python_uncalled;
RuleFamily check_python_symbolic_meaning;
RuleFamily check_python_modules;
RuleFamily check_python_loaded_weights;
RuleFamily check_python_vision_models;
RuleFamily check_python_numpy_results;
