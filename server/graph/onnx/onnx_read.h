/// Reading ONNX text into a tree: what the files of the reader share.
///
/// Ownership: as in onnx_tree.h.
/// Errors:    readers answer false after a mistake that they have reported.
/// Threads:   one thread at a time.
/// Sources:   onnx/defs/parser.cc of onnx 1.20.
#pragma once

#include "graph/onnx/onnx_scan.h"

/// Reports that something else was expected here, and answers false.
bool onnx_expected(OnnxScan *scan, const char *what);
/// The same, unless it stands here.
bool onnx_need(OnnxScan *scan, char c, const char *what);

/// True if a type begins here.
bool onnx_at_type(OnnxScan *scan);
bool onnx_read_type(OnnxScan *scan, OnnxType **ret_type);
/// `{1, 2}` or `["location": "weights"]` of a tensor.
bool onnx_read_data(OnnxScan *scan, const OnnxType *type, OnnxData **ret_data);
/// Whether a printer left values out here: `...`
bool onnx_at_left_out(const OnnxScan *scan);
/// What follows the `<` of a header, of a model if `function` is NULL. Goes on after its `>` if it can't be read.
void onnx_read_header(OnnxScan *scan, OnnxFunction *function);
/// `[ "a": "b", … ]`
bool onnx_read_pairs(OnnxScan *scan, const OnnxPair **ret_pairs, uint32_t *ret_count);

typedef enum OnnxAttrResult {
  ONNX_ATTR_BAD,
  ONNX_ATTR_WHOLE,
  ONNX_ATTR_GRAPH,  ///< The header of a graph begins here; the caller reads it.
} OnnxAttrResult;

/// `name: type = value` up to a graph. `needs_value` is false where a function says which attributes it takes.
OnnxAttrResult onnx_read_attr(OnnxScan *scan, bool needs_value, OnnxAttr **ret_attr);
