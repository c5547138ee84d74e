/// Calls in forward() with arguments that a trace, or the TorchScript exporter after it, fails on, whatever the
/// operator is else. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     nodes of the sink's Python file; by PyModel.params.
/// Errors:    an argument that is not surely such a one is not spoken of.
/// Threads:   as DiagSink.
/// Sources:   run with torch 1.13, 2.6 and 2.14.
#pragma once

#include "python/rules/export/exported_code.h"

/// The type in `x.view(torch.int32)` of a tensor; 0 for other calls.
PyRef traced_arguments_viewed_type(Forward *forward, const PyCall *call);
/// A layer of torch.nn whose weights are drawn when it is made.
bool traced_arguments_draws_weights(const PyCall *call);
/// Of a call that an export surely runs; forward->support is what the file decides.
void traced_arguments_check(Forward *forward, const PyCall *call);
/// `self.weights` of a module that made a sparse tensor of it.
void traced_arguments_check_attribute(Forward *forward, PyRef attribute);
/// Notes the parameters of the exported model that get True or False, which a trace has as tensors: written at the
/// export, or a default that it leaves.
void traced_arguments_note_flags(const ExportCall *export, const ExportModel *made, bool *flag_params);
/// A layer of torch.nn as the exported model that hands such a default on.
void traced_arguments_check_model(const ExportCall *export, const ExportModel *made);
