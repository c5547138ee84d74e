/// ONNX text for comparing: its tree as parts (core/structure.h).
///
/// Ownership: as core/structure.h says.
/// Errors:    what can't be read is left out.
/// Threads:   pure.
/// Sources:   docs/diff.md; torch/onnx/_internal/exporter of torch 2.14 for the comments that name modules.
#pragma once

#include "core/structure.h"

void onnx_structure(const Snapshot *snapshot, GraphStructure *structure);
