/// Where models stand in a text: alone, as in a file with the name of ONNX text, or in a log, one after the other.
///
/// Ownership: a source borrows the text.
/// Units:     offsets in bytes from the start of the text.
/// Threads:   pure.
/// Sources:   onnx/defs/printer.cc of onnx 1.20 and onnx_ir/_core.py of onnx_ir 0.1 to 1.1, which begin
///            models with `ir_version`.
#pragma once

#include "core/snapshot.h"
#include "graph/onnx/onnx_tree.h"

/// `main_graph (float[N,3] x) => (…`: where in a line a graph begins that is printed, with its model or without;
/// STR_NOT_FOUND for other lines, and for graphs in attributes.
size_t onnx_source_graph_in(Str line);

/// The first model of a text. Only a file whose name says so holds a model and nothing else.
OnnxSource onnx_source_first(const Snapshot *snapshot, Str text);
/// The one after it; false if there is none.
bool onnx_source_next(OnnxSource *source, Str text);
/// The one that holds an offset, or comes before it.
OnnxSource onnx_source_at(const Snapshot *snapshot, Str text, size_t offset);
