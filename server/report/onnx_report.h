/// Export reports and console logs of the dynamo exporter: a container. Its graph is a document of another language, at
/// the same offsets, with every feature; what failed is said by why/.
///
/// Ownership: constants.
/// Threads:   as core/language.h says.
/// Sources:   torch/onnx/_internal/exporter/_reporting.py and _core.py of torch 2.6 and 2.14.
#pragma once

#include "core/features.h"

extern const Language onnx_report_language;
