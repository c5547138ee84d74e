/// Calls of @script functions in others: what onnxscript gives them. Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Threads:   as DiagSink.
/// Sources:   run with onnxscript 0.7.
#pragma once

#include "python/rules/script/script.h"

/// True for a type that makes an attribute of a parameter: those of Python.
bool script_is_attribute_type(const ScriptCheck *check, PyRef annotation);
/// `callee` is what is called.
void script_check_inner_call(const ScriptCheck *check, PyRef callee, PyRef call);
/// The attributes of a call of an operator.
void script_check_attributes(const ScriptCheck *check, PyRef node);
