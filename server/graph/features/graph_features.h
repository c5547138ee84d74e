/// The features that all graph languages share; core/features.h says what each of them answers.
///
/// Ownership: results live in the context's arena, or in the snapshot.
/// Units:     as in core/features.h.
/// Errors:    empty where there is nothing.
/// Threads:   pure.
#pragma once

#include "core/features.h"

void graph_actions(ActionJob *job, const Diagnostic *diagnostic);
CallItemList graph_call_items(const FeatureContext *context, size_t offset);
void graph_complete(CompletionJob *job);
void graph_count_operators(const Snapshot *snapshot, const SymbolicsDb *db, uint32_t torch, OperatorCount *count);
LocationList graph_definition(const FeatureContext *context, size_t offset);
FoldList graph_folding(const FeatureContext *context);
TextLayout graph_format(const FeatureContext *context);
HighlightList graph_highlight(const FeatureContext *context, size_t offset);
bool graph_hover(const FeatureContext *context, size_t offset, Hover *ret_hover);
LocationList graph_implementation(const FeatureContext *context, size_t offset);
CallEdgeList graph_incoming_calls(const FeatureContext *context, size_t offset);
InlayHintList graph_inlay_hints(const FeatureContext *context, Range range);
LensList graph_lenses(const FeatureContext *context);
LinkList graph_links(const FeatureContext *context);
CallEdgeList graph_outgoing_calls(const FeatureContext *context, size_t offset);
LocationList graph_references(const FeatureContext *context, size_t offset, bool include_declaration);
Rename graph_rename(const FeatureContext *context, size_t offset, Str new_name);
bool graph_rename_place(const FeatureContext *context, size_t offset, RenamePlace *ret_place);
Str graph_report(const FeatureContext *context, Str name);
SelectionList graph_selection(const FeatureContext *context, size_t offset);
void graph_structure(const Snapshot *snapshot, GraphStructure *structure);
SymbolList graph_symbols(const FeatureContext *context);
SemanticTokenList graph_tokens(const FeatureContext *context, Range range);
LocationList graph_type_definition(const FeatureContext *context, size_t offset);
bool graph_picture(const FeatureContext *context, const PictureQuery *query, Picture *ret_picture);
uint32_t graph_picture_scopes(const FeatureContext *context);
FoundCardList graph_picture_search(const FeatureContext *context, Str text);
Str graph_picture_words(const FeatureContext *context, uint32_t line);

/// The table: a line for each of them.
#define GRAPH_FEATURES                                                                                                 \
  {                                                                                                                    \
    .actions = graph_actions, .call_items = graph_call_items, .complete = graph_complete,                              \
    .incoming_calls = graph_incoming_calls, .outgoing_calls = graph_outgoing_calls,                                    \
    .count_operators = graph_count_operators, .definition = graph_definition, .folding = graph_folding,                \
    .format = graph_format, .highlight = graph_highlight, .hover = graph_hover,                                        \
    .implementation = graph_implementation, .inlay_hints = graph_inlay_hints, .lenses = graph_lenses,                  \
    .links = graph_links, .references = graph_references, .rename = graph_rename, .rename_place = graph_rename_place,  \
    .report = graph_report, .selection = graph_selection, .structure = graph_structure, .symbols = graph_symbols,      \
    .tokens = graph_tokens, .type_definition = graph_type_definition, .picture = graph_picture,                        \
    .picture_scopes = graph_picture_scopes, .picture_search = graph_picture_search,                                    \
    .picture_words = graph_picture_words,                                                                              \
  }
