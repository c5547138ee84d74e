/// Short ways for the Python rules to report.
///
/// Ownership: messages live in the sink's arena.
/// Units:     nodes of the sink's Python file.
/// Errors:    none.
/// Threads:   as DiagSink.
/// Sources:   none.
#pragma once

#include "core/diagnostic_sink.h"

static inline Range py_range(const DiagSink *sink, PyRef node)
{
  const PyNode *at = &sink->python->model->tree.nodes[node];
  return (Range){ at->start, at->end };
}

/// Reports at a node; the message is made by arena_printf() behind sink_wants().
static inline void py_report(DiagSink *sink, RuleId rule, Severity severity, PyRef node, Diagnostic diagnostic)
{
  Range range = py_range(sink, node);
  diagnostic.rule = rule;
  sink_add(sink, (uint32_t)range.start, (uint32_t)range.end, severity, diagnostic);
}

/// A fix with one edit.
static inline const Fix *py_fix(DiagSink *sink, bool is_safe, Str title, Range range, Str text)
{
  Fix *fix = ARENA_ARRAY(sink->arena, Fix, 1);
  TextEdit *edit = ARENA_ARRAY(sink->arena, TextEdit, 1);
  *edit = (TextEdit){ range, text };
  *fix = (Fix){ .title = title, .edits = edit, .edit_count = 1, .is_safe = is_safe };
  return fix;
}
