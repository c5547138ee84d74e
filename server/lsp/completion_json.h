/// Answers to textDocument/completion, cut to what the client can do.
///
/// Ownership: borrows everything.
/// Units:     ranges come in as bytes and go out in the client's encoding.
/// Threads:   pure.
/// Sources:   LSP 3.17 "Completion Request".
#pragma once

#include "lsp/navigation_json.h"

/// CompletionList
void completion_write(Writer *writer, const AnswerContext *context, CompletionList list, size_t offset);
/// completionProvider of the server's capabilities.
void completion_write_provider(Writer *writer);
/// The text of a snippet for a client that takes none: places to fill in keep what stands in them.
Str completion_plain_text(Str snippet, Arena *arena);
