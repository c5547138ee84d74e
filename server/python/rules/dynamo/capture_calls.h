/// Calls and choices in forward() that torch.export can't capture. Private to rules/.
///
/// Ownership: as DiagSink.
/// Units:     nodes of the sink's Python file.
/// Threads:   as DiagSink.
/// Sources:   run with torch 2.14.
#pragma once

#include "python/rules/forward/forward_data.h"

/// Reports that `what` needs values: "This decision depends on the values of a tensor".
void capture_say(Forward *forward, PyRef node, const char *what);
void capture_check_call(Forward *forward, PyRef node);
/// A function of torch that has no function of ONNX, in all versions and overloads.
void capture_check_support(Forward *forward, PyRef node, const PyCall *call);
/// A layer that is made there, whose weights have to be drawn with an operator that has no function of ONNX.
void capture_check_layer(Forward *forward, PyRef node, const PyCall *call);
/// `x.data`
void capture_check_data(Forward *forward, PyRef node);
/// Whether the call asks for a gradient that no graph can hold.
bool capture_keeps_gradient(Forward *forward, const PyCall *call);
/// Reports one that torch.export can't capture. True if it is reported.
bool capture_check_gradient(Forward *forward, const PyCall *call);
/// Texts with a format: f-strings and `"%d" % x`.
void capture_check_format(Forward *forward, PyRef node);
/// `[x] * n.item()`
void capture_check_repetition(Forward *forward, PyRef node);
void capture_check_format_call(Forward *forward, const PyCall *call);
/// `assert (x > 0).all()`
void capture_check_assert(Forward *forward, PyRef node);
/// Whether forward() is run as it is with tensors that have no values, and nothing else is tried: torch.export.export()
/// from torch 2.9 on, unless it is strict. There an assert is asked, and int() wants a number.
bool capture_is_by_running(const Forward *forward);
