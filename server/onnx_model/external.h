/// Files beside a model that hold values of its tensors.
///
/// Ownership: the answer is a constant.
/// Errors:    what is wrong with the file is the answer; NULL if it may be read.
/// Threads:   any; nothing is kept.
/// Sources:   onnx/checker.cc of onnx 1.20: the file lies in the model's folder or below, and is a regular one.
#pragma once

#include "base/memory.h"

/// "is not there", for a `location` as it stands in the model at `model_path`; nothing is opened. `ret_size` is set to
/// the bytes of a file that may be read, else to UINT64_MAX.
const char *external_problem(const char *model_path, const char *location, uint64_t *ret_size);
/// Where that file is.
Str external_path(const char *model_path, const char *location, Arena *arena);
