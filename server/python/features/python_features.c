#include "python/features/python_features.h"

#include "python/python_language.h"

#define PYTHON_FEATURE(result, name, ...) .name = python_##name,

const LanguageFeatures python_features = { LANGUAGE_FEATURES(PYTHON_FEATURE, LANGUAGE_FEATURE_LEFT_OUT,
                                                             PYTHON_FEATURE) };
