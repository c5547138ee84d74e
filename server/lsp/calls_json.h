/// Answers about code that people write, as JSON: lenses, calls and what the workspace has.
///
/// Ownership: borrows everything.
/// Units:     ranges come in as bytes and go out in the client's encoding.
/// Threads:   pure.
/// Sources:   LSP 3.17 "Code Lens Request", "Prepare Call Hierarchy Request", "Workspace Symbols Request".
#pragma once

#include "lsp/navigation_json.h"

/// CodeLens[]
void code_write_lenses(Writer *writer, const AnswerContext *context, LensList list);
/// SymbolInformation[]
void code_write_workspace_symbols(Writer *writer, const ClientCapabilities *client, WorkspaceSymbolList list);
/// CallHierarchyItem[], or null if there is none.
void code_write_call_items(Writer *writer, const AnswerContext *context, CallItemList list);
/// CallHierarchyIncomingCall[] or CallHierarchyOutgoingCall[]
void code_write_call_edges(Writer *writer, const AnswerContext *context, CallEdgeList list, bool is_incoming);
/// codeLensProvider, callHierarchyProvider and workspaceSymbolProvider of the server's capabilities.
void code_write_providers(Writer *writer);
