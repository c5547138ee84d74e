// The features of every language: what is common to all comes first, then the document's language is asked.

#include "core/features.h"

#include "editor/suppression_words.h"

/// The features of the document's language. What has no model is not asked.
static const LanguageFeatures *features_of(const FeatureContext *context)
{
  static const LanguageFeatures none;
  const Language *language = snapshot_language(context->snapshot);
  bool has_some = snapshot_model(context->snapshot) && language->features;
  return has_some ? language->features : &none;
}

/// Asks the language's feature; zeroed memory is the empty answer.
#define ASK(type, feature, ...)                                                                                        \
  (features_of(context)->feature ? features_of(context)->feature(__VA_ARGS__) : (type){ 0 })

CallItemList feature_call_items(const FeatureContext *context, size_t offset)
{
  return ASK(CallItemList, call_items, context, offset);
}

LocationList feature_definition(const FeatureContext *context, size_t offset)
{
  return ASK(LocationList, definition, context, offset);
}

FoldList feature_folding(const FeatureContext *context)
{
  return ASK(FoldList, folding, context);
}

HighlightList feature_highlight(const FeatureContext *context, size_t offset)
{
  return ASK(HighlightList, highlight, context, offset);
}

bool feature_hover(const FeatureContext *context, size_t offset, Hover *ret_hover)
{
  return hover_suppression(context, offset, ret_hover) || ASK(bool, hover, context, offset, ret_hover);
}

LocationList feature_implementation(const FeatureContext *context, size_t offset)
{
  return ASK(LocationList, implementation, context, offset);
}

CallEdgeList feature_incoming_calls(const FeatureContext *context, size_t offset)
{
  return ASK(CallEdgeList, incoming_calls, context, offset);
}

InlayHintList feature_inlay_hints(const FeatureContext *context, Range range)
{
  return ASK(InlayHintList, inlay_hints, context, range);
}

LensList feature_lenses(const FeatureContext *context)
{
  return ASK(LensList, lenses, context);
}

LinkList feature_links(const FeatureContext *context)
{
  return ASK(LinkList, links, context);
}

CallEdgeList feature_outgoing_calls(const FeatureContext *context, size_t offset)
{
  return ASK(CallEdgeList, outgoing_calls, context, offset);
}

LocationList feature_references(const FeatureContext *context, size_t offset, bool include_declaration)
{
  return ASK(LocationList, references, context, offset, include_declaration);
}

Str feature_report(const FeatureContext *context, Str name)
{
  return ASK(Str, report, context, name);
}

/// Without a language's own, from the place to the whole document.
SelectionList feature_selection(const FeatureContext *context, size_t offset)
{
  size_t length = document_length(snapshot_document(context->snapshot));
  if (offset > length)
    offset = length;
  if (features_of(context)->selection)
    return features_of(context)->selection(context, offset);
  Range *items = ARENA_ARRAY(context->arena, Range, 2);
  items[0] = (Range){ offset, offset };
  items[1] = (Range){ 0, length };
  return (SelectionList){ items, length > 0 ? 2 : 1 };
}

SignatureList feature_signature(const FeatureContext *context, size_t offset)
{
  return ASK(SignatureList, signature, context, offset);
}

SymbolList feature_symbols(const FeatureContext *context)
{
  return ASK(SymbolList, symbols, context);
}

SemanticTokenList feature_tokens(const FeatureContext *context, Range range)
{
  return ASK(SemanticTokenList, tokens, context, range);
}
