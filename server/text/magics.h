/// What IPython understands in a code cell and Python doesn't: `%magic`, `!command`, `help?`, `pip install`.
///
/// Threads:   pure.
/// Sources:   IPython, IPython/core/inputtransformer2.py and "Built-in magic commands" (with %automagic, which is on).
#pragma once

#include "base/str.h"

/// Makes such lines of a cell Python that says nothing, with as many bytes in as many lines. What a magic runs as
/// Python (`%time f()`, the rest of a cell under `%%time`) stays; a cell in another language becomes comments.
void magics_neutralise(char *cell, size_t len);
