#include "lsp/feature_method.h"

static const FeatureMethod *const families[] = {
  actions_methods, calls_methods,     completion_methods, edits_methods,  navigation_methods,
  picture_methods, signature_methods, status_methods,     tokens_methods,
};

const FeatureMethod *feature_method_in(const FeatureMethod *methods, Str name)
{
  for (const FeatureMethod *method = methods; method->name; method++) {
    if (str_equal(name, str_from(method->name)))
      return method;
  }
  return NULL;
}

const FeatureMethod *feature_method_find(Str name)
{
  const FeatureMethod *method = NULL;
  for (size_t i = 0; i < COUNT(families) && !method; i++)
    method = feature_method_in(families[i], name);
  return method;
}

void feature_methods_write_providers(Writer *writer)
{
  for (size_t i = 0; i < COUNT(families); i++) {
    for (const FeatureMethod *method = families[i]; method->name; method++) {
      if (!method->provider)
        continue;
      writer_key(writer, method->provider);
      writer_raw(writer, str_from(method->provision ? method->provision : "true"));
    }
  }
}
