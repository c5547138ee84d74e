/// Says what is where something else was expected on a line that can't be read, and which change would do.
///
/// Ownership: texts live in the arena.
/// Units:     offsets are bytes from the start of the line.
/// Errors:    false if the line can be read, or is not a line of a graph as far as can be told.
/// Threads:   pure.
/// Sources:   graph/torchscript/written_line.h reads the line as torch's parser does.
#pragma once

#include "graph/model/dialect.h"

bool torchscript_diagnose_line(Str line, Arena *arena, LineDiagnosis *ret_diagnosis);
