/// Which operators onnx.version_converter can't take back to an older opset. Private to rules/.
///
/// Units:     versions of ONNX's own opset.
/// Errors:    0 for what can be converted, and for what is not known.
/// Threads:   pure.
/// Sources:   convert_version() of onnx 1.12, 1.17 and 1.20 on a model of each operator alone: what all of them refuse.
#pragma once

#include "base/str.h"

/// The version that has no way back, of those between the opsets; 0.
int onnx_no_way_back(Str operator_name, int64_t from, int64_t to);
