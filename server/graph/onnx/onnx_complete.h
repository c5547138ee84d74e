/// Completion in ONNX text: operators, attributes, their types, values in scope, element types.
///
/// Ownership: as core/completion_job.h says.
/// Errors:    where nothing fits nothing is added.
/// Threads:   pure.
/// Sources:   the facts' schemas at the opset that the text imports.
#pragma once

#include "core/completion_job.h"

void onnx_complete(CompletionJob *job);
