/// What a document is, found by its content first, then the language id, then the file name.
///
/// Ownership: none.
/// Units:     none.
/// Errors:    DOC_UNKNOWN when nothing fits; such a document gets empty answers.
/// Threads:   pure functions.
/// Sources:   docs/architecture.md, "Kinds of documents".
#pragma once

#include "text/document.h"

typedef enum DocumentKind {
  DOC_UNKNOWN,
  DOC_TORCH_IR,  ///< TorchScript IR, ONNX-lowered graphs, printable graphs, whole or inside a log.
  DOC_FX_GRAPH,
  DOC_ONNX_TEXT,
  DOC_ONNX_IR,
  DOC_PYTHON,
} DocumentKind;

/// Looks at the first 256 KiB of the text at most. `language_id` and `path` may be empty.
DocumentKind document_kind(const Document *document, Str language_id, Str path);
/// How many chunks of the document, from its beginning, the kind may depend on.
uint32_t document_kind_chunks(const Document *document);
/// "torch-ir", "fx-graph"...; "unknown" for DOC_UNKNOWN.
const char *document_kind_name(DocumentKind kind);
