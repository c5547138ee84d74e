/// One @script function of onnxscript, as the rules about it see it. Private to rules/.
///
/// Ownership: lives while the function is checked; lists in the sink's arena.
/// Units:     nodes of the sink's Python file.
/// Threads:   as DiagSink.
/// Sources:   onnxscript/_internal/converter.py of 0.7.
#pragma once

#include "python/rules/python_edit.h"

typedef struct ScriptCheck {
  DiagSink *sink;
  const PyModel *model;
  const PyTree *tree;
  uint32_t function;
  PyRef body;
  bool *is_value;            ///< By node from `body` on: the converter makes a value of the graph of it.
  PyRef decided_end;         ///< Up to here one of two branches is left alone.
  PyRef needs_opset;         ///< An expression that becomes an operator of the default opset; 0 for none.
  struct ScriptName *names;  ///< script_names_new()
} ScriptCheck;

static inline PyNodeKind script_kind(const ScriptCheck *check, PyRef node)
{
  return node ? py_kind(check->tree, node) : PYK_OTHER;
}

/// "onnxscript can't translate this: WHAT."
void script_say(const ScriptCheck *check, PyRef node, const char *what);
/// What a name stands for in the function, first of all; NULL.
const PyBinding *script_binding(const ScriptCheck *check, PyRef name);
/// Is it bound in the function itself: by an assignment, a loop or as a parameter?
bool script_is_local(const ScriptCheck *check, const PyBinding *binding);
/// `if name:` of a name from outside: onnxscript decides at once, and leaves the other branch alone.
bool script_is_decided_outside(const ScriptCheck *check, PyRef node);
/// Element types that operators don't take together, where the function becomes a model.
void script_check_types(const ScriptCheck *check);
/// What script_check_names() needs for one file, in the arena.
struct ScriptName *script_names_new(const PyModel *model, Arena *arena);
/// Names that have no value where they are read, and branches of which nothing is used.
void script_check_names(const ScriptCheck *check);
