#include "graph/features/graph_features.h"

#include "graph/graph_language.h"

#define GRAPH_FEATURE(result, name, ...) .name = graph_##name,

const LanguageFeatures graph_features = { LANGUAGE_FEATURES(GRAPH_FEATURE, GRAPH_FEATURE, LANGUAGE_FEATURE_LEFT_OUT) };
