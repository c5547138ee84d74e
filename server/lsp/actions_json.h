/// Commands, which code actions give to clients; the actions themselves are rows (lsp/feature_method.h).
///
/// Ownership: borrows everything; `arena` is scratch.
/// Units:     ranges come in as bytes and go out in the client's encoding.
/// Errors:    an action that the client has no way to carry out is left out.
/// Threads:   pure.
/// Sources:   LSP 3.17 "Code Action Request", "WorkspaceEdit", "Execute a command".
#pragma once

#include "lsp/feature_method.h"

/// What workspace/executeCommand takes. Each has the URI of its document as first argument.
typedef enum ServerCommand {
  COMMAND_APPLY_EDIT,  ///< [uri, WorkspaceEdit]: asks the client to apply it; for clients without code action literals.
  COMMAND_CREATE_FILE,  ///< [uri, path, text]: makes a file; for clients that can't.
  COMMAND_REPORT,       ///< [uri]: the unsupported operators as text, which is shown too.
  COMMAND_SHOW,         ///< [uri, uri of a file]: opens it.
  COMMAND_COUNT,
} ServerCommand;

const char *actions_command_name(ServerCommand command);
/// COMMAND_COUNT if there is none of that name.
ServerCommand actions_command_find(Str name);

/// A WorkspaceEdit that makes a file, or replaces it; the client must be able to make files.
void actions_write_new_file(Writer *writer, Str uri, Str text);
/// A WorkspaceEdit of the document that was asked about; one edit at least.
void actions_write_edit(Writer *writer, const AnswerContext *context, const TextEdit *list, size_t count);
