// The features that every language has, and how the document's language is asked for the others (core/features.h).

#include "core/features.h"

#include "editor/suppression_words.h"

const LanguageFeatures *features_of(const FeatureContext *context)
{
  static const LanguageFeatures none;
  const Language *language = snapshot_language(context->snapshot);
  bool has_some = snapshot_model(context->snapshot) && language->features;
  return has_some ? language->features : &none;
}

bool feature_hover(const FeatureContext *context, size_t offset, Hover *ret_hover)
{
  return suppression_hover(context, offset, ret_hover) || ASK_LANGUAGE(bool, hover, context, offset, ret_hover);
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
