/// What a model keeps from one run to the next, of which the trace has what it is at the export. Private to rules/.
///
/// Units:     nodes of the sink's Python file.
/// Threads:   as DiagSink.
/// Sources:   models run twice: exported with torch 2.6.
#pragma once

#include "python/rules/forward/forward_tensors.h"

/// The `self.state` that is read in `self.state = 0.5 * self.state + x` and `out, self.state = self.rnn(x,
/// self.state)`, where something is computed of tensors; 0 for other assignments.
PyRef traced_state_kept(Forward *forward, PyRef assignment);
