/// A pasted refusal of the dynamo exporter ("No ONNX function found for <OpOverload(...)>") as a new file with a
/// translation function to be filled in, and the table for custom_translation_table.
///
/// Ownership: everything lives in the job's arena.
/// Errors:    a document without a folder, and a file that exists, get no action.
/// Threads:   as FeatureContext.file_exists.
/// Sources:   torch/onnx/_internal/exporter/_core.py; describe/translation_stub.h.
#pragma once

#include "core/action_job.h"

/// Where the range touches the line of such a message.
void suggested_translation_act(ActionJob *job, Range range);
