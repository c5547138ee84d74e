/// A model as ONNX text, as the official parser reads it back.
///
/// What the syntax has no words for is in comments: metadata such as `pkg.torch.onnx.stack_trace`, documentation,
/// denotations, sparse initializers, training. Values of large tensors are left out (`{}` and a note); asked for or
/// not, memory stays near that of the text, and with `drain` near nothing.
///
/// Ownership: appends to the caller's buffer; `graph` and `context` are borrowed.
/// Units:     lines from 0; offsets are bytes of the model's file.
/// Errors:    ERR_FORMAT and ERR_IO with a message (the text until there is in the buffer), ERR_NOT_FOUND for a graph
/// that is
///            not there, and what `drain` returned.
/// Threads:   one thread at a time for a model.
/// Sources:   onnx/defs/parser.cc and printer.cc of 1.20 to 1.22; docs/show.md describes the text.
#pragma once

#include "base/buffer.h"
#include "onnx_model/model.h"

/// Where a node begins in the text.
typedef struct NodePlace {
  uint64_t offset;      ///< Of the node's message in the file.
  uint64_t line;        ///< Of the statement.
  uint64_t first_line;  ///< Of the comments above it; `line` if there are none.
  uint32_t depth;       ///< 0 in the model's graph or a function, 1 in a sub-graph and so on.
} NodePlace;

typedef struct ModelTextOptions {
  uint64_t max_values;  ///< A tensor with more is left out.
  uint64_t max_sizes;   ///< The same of int32 and int64, which shapes, axes and pads are made of, if that is more.
  bool is_full;         ///< Nothing is left out.
  bool wants_hash;      ///< Of what is left out.
  Str graph;            ///< Only graphs and functions of that name; empty for all.
  void *context;
  void (*on_node)(void *context, const NodePlace *place);  ///< NULL if nobody wants to know.
  /// NULL to keep the whole text, else called when much has come together; takes it away.
  Status (*drain)(void *context, Buffer *text);
} ModelTextOptions;

MUST_USE Status model_text(Model *model, const ModelTextOptions *options, Buffer *ret_text, Buffer *message);
