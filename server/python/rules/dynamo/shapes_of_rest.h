/// What dynamic_shapes has for `*args` of forward(). Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Errors:    what is not written out is not spoken of.
/// Threads:   as DiagSink.
/// Sources:   torch.export of torch 2.6 and 2.14.
#pragma once

#include "python/rules/export/example_inputs.h"

/// Whether something was reported.
bool shapes_of_rest_check(const ExportCall *export, PyRef shapes);
