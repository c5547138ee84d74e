/// The example inputs against the layers of torch.nn that forward() gives them to as they are: their sizes and their
/// element types. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     elements along an axis.
/// Errors:    what is not written out is not judged.
/// Threads:   as DiagSink.
/// Sources:   torch.nn of torch 1.13 to 2.14; each refusal was run with 2.14.
#pragma once

#include "python/rules/export/example_inputs.h"

/// Whatever exporter is taken runs the model with the example inputs, so it fails as they do. Says
/// whether something was reported; `ret_has_fixed`: that a dynamic axis is one that the layer fixes, with which the
/// model runs.
bool first_layer_check(const ExportCall *export, const ExportModel *made, bool *ret_has_fixed);
