/// What several Python rules share: edits that they offer as fixes, and a question about the file.
///
/// Ownership: fixes live in the sink's arena.
/// Units:     nodes of the sink's Python file.
/// Errors:    NULL where there is no such edit.
/// Threads:   as DiagSink.
#pragma once

#include "python/rules/python_report.h"

/// Writes `text` between the quotes of a string literal; NULL if the node is none, or has escapes.
const Fix *py_edit_string(DiagSink *sink, bool is_safe, PyRef node, Str text);
/// Writes `text` instead of a node.
const Fix *py_edit_replace(DiagSink *sink, bool is_safe, PyRef node, Str text);
/// Inserts `text` after a node.
const Fix *py_edit_after(DiagSink *sink, bool is_safe, Str title, PyRef node, Str text);
/// Takes an element of a list of arguments, a list, a tuple or a dict away, with its comma.
const Fix *py_edit_remove(DiagSink *sink, bool is_safe, Str title, PyRef element);
/// Adds an element at the end of such a list, which ends with one closing bracket.
const Fix *py_edit_append(DiagSink *sink, bool is_safe, Str title, PyRef list, Str text);

/// Words of the facts, with quotes as messages have them.
Str py_edit_plain_words(Str words, Arena *arena);

/// Reports at a node with a message and a fix, if it is wanted; the fix may be NULL. Who makes these at some cost asks
/// sink_wants() before.
static inline void py_say(DiagSink *sink, RuleId rule, Severity severity, PyRef node, Str message, const Fix *fix)
{
  if (sink_wants(sink, rule, severity))
    py_report(sink, rule, severity, node, (Diagnostic){ .message = message, .fixes = fix, .fix_count = fix ? 1 : 0 });
}

/// PyTorch's own files may use what is theirs. Its sources are in pytorch/torch, or pytorch-2.6.0/torch.
static inline bool py_is_torch_itself(const PyModel *model)
{
  size_t package = str_find(model->path, STR("/torch/"), 0);
  Str before = package == STR_NOT_FOUND ? (Str){ 0 } : str_slice(model->path, 0, package);
  Str folder = str_slice(before, str_rfind_char(before, '/') + 1, before.len);
  return model->is_builtin || str_starts_with(folder, STR("pytorch")) || str_ends_with(folder, STR("-packages")) ||
         str_find(model->path, STR("/torch/onnx/"), 0) != STR_NOT_FOUND;
}
