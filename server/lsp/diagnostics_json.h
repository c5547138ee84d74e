/// Diagnostics as JSON, the same for push and pull.
///
/// Ownership: borrows everything; `arena` is scratch.
/// Units:     none.
/// Errors:    none.
/// Threads:   pure.
/// Sources:   LSP 3.17 "Diagnostic".
#pragma once

#include "lsp/capabilities.h"
#include "core/diagnostics.h"

/// An array of Diagnostic.
void diagnostics_write(Writer *writer, const Snapshot *snapshot, const DiagnosticList *list,
                       const ClientCapabilities *client, Arena *arena);
