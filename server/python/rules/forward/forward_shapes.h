/// The sizes of the example inputs on their way through forward(): where an operator or a layer refuses them, every
/// export fails, because each runs the model with them. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     elements along an axis.
/// Errors:    what is not known fits. Only statements that are surely run are followed, one after the other.
/// Threads:   as DiagSink.
/// Sources:   torch 2.6 and 2.14, run.
#pragma once

#include "python/rules/export/example_inputs.h"

/// Reports the first place where they don't fit. True where nothing more can be told of the sizes.
bool forward_shapes_check(const ExportCall *export, const ExportModel *made);
/// Reports the first axis that dynamic_shapes makes dynamic, and of which forward() takes one size only.
void forward_dims_check(const ExportCall *export, const ExportModel *made);
/// Reports the first pool that the TorchScript exporter does not convert as dynamic_axes leaves sizes open. Run with
/// torch 1.13 and 2.6. True if one was reported.
bool forward_open_axes_check(const ExportCall *export, const ExportModel *made);
/// Reports what makes a constant of a size that dynamic_axes leaves open, or lets the model take that of the example
/// only: the TorchScript exporter writes a model down that works with no other. Run with torch 1.13, 2.6 and 2.14.
void forward_fixed_axes_check(const ExportCall *export, const ExportModel *made);
