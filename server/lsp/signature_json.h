/// Answers to textDocument/signatureHelp.
///
/// Ownership: borrows everything.
/// Units:     places of parameters come in as bytes and go out in UTF-16 code units, as LSP wants them.
/// Threads:   pure.
/// Sources:   LSP 3.17 "Signature Help Request".
#pragma once

#include "lsp/navigation_json.h"

/// SignatureHelp, or null if there is none.
void signature_write(Writer *writer, const AnswerContext *context, SignatureList list);
/// signatureHelpProvider of the server's capabilities.
void signature_write_provider(Writer *writer);
