/// Answers of the language features as JSON.
///
/// Ownership: borrows everything; `arena` is scratch.
/// Units:     ranges come in as bytes and go out in the client's encoding.
/// Threads:   pure.
/// Sources:   LSP 3.17 "Language Features".
#pragma once

#include "core/features.h"
#include "lsp/capabilities.h"

/// What every answer needs to know.
typedef struct AnswerContext {
  const Snapshot *snapshot;
  const ClientCapabilities *client;
  Arena *arena;
} AnswerContext;

/// Range, of a place in a file that is not at hand.
void language_write_place(Writer *writer, const ClientCapabilities *client, const struct WorkspacePlace *place);
/// Hover
void language_write_hover(Writer *writer, const AnswerContext *context, const Hover *hover);
/// LocationLink[] or Location[]
void language_write_locations(Writer *writer, const AnswerContext *context, LocationList list);
/// Location[]
void language_write_references(Writer *writer, const AnswerContext *context, LocationList list);
/// DocumentHighlight[]
void language_write_highlights(Writer *writer, const AnswerContext *context, HighlightList list);
/// DocumentSymbol[] or SymbolInformation[]
void language_write_symbols(Writer *writer, const AnswerContext *context, SymbolList list);
/// FoldingRange[]
void language_write_folds(Writer *writer, const AnswerContext *context, FoldList list);
/// One SelectionRange
void language_write_selection(Writer *writer, const AnswerContext *context, SelectionList list);
/// InlayHint[]
void language_write_inlay_hints(Writer *writer, const AnswerContext *context, InlayHintList list);
/// DocumentLink[]
void language_write_links(Writer *writer, const AnswerContext *context, LinkList list);
