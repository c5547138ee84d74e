/// workspace/textDocumentContent: a binary model as a document, for editors that open `onnxls-model:` URIs.
///
/// Ownership: rows are constants; texts live in the request's arena.
/// Errors:    what can't be read is told in the text, as a comment.
/// Threads:   as lsp/feature_method.h says; the file is read on the pool.
/// Sources:   LSP 3.18, "Text Document Content Request".
#pragma once

#include "session/request.h"

extern const FeatureMethod model_content_methods[];
