#include "graph/features/graph_features.h"

#include "graph/graph_language.h"

const LanguageFeatures graph_features = {
  .actions = graph_actions,
  .count_operators = graph_count_operators,
  .definition = graph_definition,
  .folding = graph_folding,
  .highlight = graph_highlight,
  .hover = graph_hover,
  .implementation = graph_implementation,
  .inlay_hints = graph_inlay_hints,
  .links = graph_links,
  .references = graph_references,
  .report = graph_report,
  .selection = graph_selection,
  .symbols = graph_symbols,
  .tokens = graph_tokens,
};
