/// How the dynamo exporter makes dynamic_shapes of dynamic_axes since torch 2.9: by their order, and not by their
/// names. Private to rules/.
///
/// Ownership: as ExportCall.
/// Units:     nodes of the sink's Python file.
/// Errors:    what is not written out is not known.
/// Threads:   as DiagSink.
/// Sources:   torch/onnx/_internal/exporter/_dynamic_shapes.py of torch 2.14; each case was run.
#pragma once

#include "python/rules/export/example_inputs.h"

/// The input that gets the entry `key` of dynamic_axes; NULL if that is not known. `names` are the input_names.
const ExampleInput *axes_entry_input(const ExportCall *export, const ExampleInputs *inputs, const ExportNames *names,
                                     Str key);
/// Whether each input surely gets an entry, whatever the entries are called.
bool axes_entries_fit(const ExportCall *export, const ExportNames *names);
/// dynamic_axes for the dynamo exporter: whether there is an entry for each input, and the right one.
void export_check_axes_entries(const ExportCall *export, const ExportNames *names);
