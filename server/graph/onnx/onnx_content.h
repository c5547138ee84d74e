/// The values of a tensor as a word that is the same for the same values, however they are written.
///
/// Ownership: the word lives in the structure's arena.
/// Units:     as in onnx_tree.h.
/// Errors:    false where the text leaves the values out and has no hash of them.
/// Threads:   pure.
/// Sources:   docs/show.md, "sha256": the hash is that of the bytes that raw_data would have, or of the digits of
///            rounded floats.
#pragma once

#include "core/structure.h"
#include "graph/onnx/onnx_tree.h"

/// `float[2]{1,2}`, or with a SHA-256 in the place of more values than `show` prints.
bool onnx_content_word(GraphStructure *structure, const OnnxModel *model, const OnnxType *type, const OnnxData *data,
                       Str *ret_word);
