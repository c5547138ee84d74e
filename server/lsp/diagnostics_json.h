/// Diagnostics as JSON, the same for push and pull.
///
/// Ownership: borrows everything; `arena` is scratch.
/// Threads:   pure.
/// Sources:   LSP 3.17 "Diagnostic".
#pragma once

#include "core/diagnostics.h"
#include "lsp/capabilities.h"

/// The member `data`, the same for an editor and for `onnxls check --format json`; null if the rule is not about
/// support.
void diagnostics_write_support(Writer *writer, const SupportData *support);
/// An array of Diagnostic: all, or those of one cell of a notebook (NULL for all).
void diagnostics_write(Writer *writer, const Snapshot *snapshot, const Cell *cell, const DiagnosticList *list,
                       const ClientCapabilities *client, Arena *arena);
