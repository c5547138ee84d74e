/// Diagnostics as JSON, the same for push and pull.
///
/// Ownership: borrows everything; `arena` is scratch.
/// Threads:   pure.
/// Sources:   LSP 3.17 "Diagnostic".
#pragma once

#include "core/diagnostics.h"
#include "lsp/capabilities.h"

/// An array of Diagnostic.
void diagnostics_write(Writer *writer, const Snapshot *snapshot, const DiagnosticList *list,
                       const ClientCapabilities *client, Arena *arena);
