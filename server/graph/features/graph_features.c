#include "graph/features/graph_features.h"

#include "graph/graph_language.h"

const LanguageFeatures graph_features = GRAPH_FEATURES;
