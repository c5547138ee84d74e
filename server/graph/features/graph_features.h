/// The features that all graph languages share; core/features.h says what each of them answers.
///
/// Ownership: results live in the context's arena, or in the snapshot.
/// Units:     as in core/features.h.
/// Errors:    empty where there is nothing.
/// Threads:   pure.
#pragma once

#include "core/features.h"

void graph_actions(ActionJob *job, const Diagnostic *diagnostic);
void graph_count_operators(const Snapshot *snapshot, const SymbolicsDb *db, uint32_t torch, OperatorCount *count);
LocationList graph_definition(const FeatureContext *context, size_t offset);
FoldList graph_folding(const FeatureContext *context);
HighlightList graph_highlight(const FeatureContext *context, size_t offset);
bool graph_hover(const FeatureContext *context, size_t offset, Hover *ret_hover);
LocationList graph_implementation(const FeatureContext *context, size_t offset);
InlayHintList graph_inlay_hints(const FeatureContext *context, Range range);
LinkList graph_links(const FeatureContext *context);
LocationList graph_references(const FeatureContext *context, size_t offset, bool include_declaration);
Str graph_report(const FeatureContext *context, Str name);
SelectionList graph_selection(const FeatureContext *context, size_t offset);
SymbolList graph_symbols(const FeatureContext *context);
SemanticTokenList graph_tokens(const FeatureContext *context, Range range);

/// The table: a line for each of them.
#define GRAPH_FEATURES                                                                                                 \
  {                                                                                                                    \
    .actions = graph_actions, .count_operators = graph_count_operators, .definition = graph_definition,                \
    .folding = graph_folding, .highlight = graph_highlight, .hover = graph_hover,                                      \
    .implementation = graph_implementation, .inlay_hints = graph_inlay_hints, .links = graph_links,                    \
    .references = graph_references, .report = graph_report, .selection = graph_selection, .symbols = graph_symbols,    \
    .tokens = graph_tokens,                                                                                            \
  }
