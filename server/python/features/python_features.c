#include "python/features/python_features.h"

#include "python/python_language.h"

const LanguageFeatures python_features = PYTHON_FEATURES;
