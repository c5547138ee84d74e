/// What torch.jit.script() compiles, and its exports. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     nodes of the sink's Python file.
/// Errors:    what is not sure is not spoken of.
/// Threads:   as DiagSink.
/// Sources:   torch.jit.script() and exports of what it gives, with torch 1.13, 2.6 and 2.14.
#pragma once

#include "python/rules/export/exported_code.h"

/// "torch.jit.script() can't compile this: WHAT."
void jit_script_say(const Forward *forward, PyRef node, const char *what);
/// The function, or the forward() of the module, that torch.jit.script() gets there; PY_ABSENT.
uint32_t jit_script_compiled(const PyModel *model, const PyCall *call);
/// Values that have no place in what is compiled: of numpy, of the file, of attributes that are no constants.
void jit_script_check_value(Forward *forward, PyRef node);
/// Returns that give a tensor here and a tuple there.
void jit_script_check_returns(Forward *forward);
/// Changes of lists that the exporter can't convert at the file's opset.
void jit_script_check_list(Forward *forward, PyRef node);
/// Exports of scripted models to ONNX, which has neither dicts nor strings among inputs and outputs.
void jit_script_check_exports(DiagSink *sink);
