/// What the lines in the header of a model's graph list: inputs, outputs, or initializers and types of other values.
///
/// Threads:   pure.
/// Sources:   onnx/defs/printer.cc, docs/show.md, onnx_ir's _core.py.
#pragma once

#include "base/str.h"

typedef enum ModelSection {
  SECTION_INPUTS,
  SECTION_OUTPUTS,
  SECTION_MORE,  ///< Initializers, and types of other values.
} ModelSection;

/// The section of a line, which may begin it; `section` is that of the line before, SECTION_INPUTS for the first one,
/// `is_first`, where the header begins.
ModelSection model_section(ModelSection section, Str line, bool is_first);
