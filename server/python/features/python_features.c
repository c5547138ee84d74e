#include "python/features/python_features.h"

#include "python/python_language.h"

const LanguageFeatures python_features = {
  .call_items = python_call_items,
  .complete = python_complete,
  .definition = python_definition,
  .hover = python_hover,
  .implementation = python_definition,
  .incoming_calls = python_incoming_calls,
  .inlay_hints = python_inlay_hints,
  .lenses = python_lenses,
  .outgoing_calls = python_outgoing_calls,
  .references = python_references,
  .signature = python_signature,
  .symbols = python_symbols,
};
