/// ONNX text in one layout: a node a line, graphs indented. Only white space changes.
///
/// Ownership: the layout lives in the arena given.
/// Units:     as in onnx_tree.h.
/// Errors:    false for a text with mistakes, as nobody can tell where its nodes begin; `ret_text` is the first one.
/// Threads:   pure.
/// Sources:   docs/show.md: what `show` prints of a model is laid out already.
#pragma once

#include "base/memory.h"

bool onnx_format(Str text, Arena *arena, Str *ret_text);
