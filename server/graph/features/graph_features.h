/// The features that all graph languages share; core/features.h says what each of them answers.
///
/// Ownership: results live in the context's arena, or in the snapshot.
/// Units:     as in core/features.h.
/// Errors:    empty where there is nothing.
/// Threads:   pure.
#pragma once

#include "core/features.h"

#define GRAPH_FEATURE(result, name, ...) result graph_##name(__VA_ARGS__);
LANGUAGE_FEATURES(GRAPH_FEATURE, GRAPH_FEATURE, LANGUAGE_FEATURE_LEFT_OUT)
#undef GRAPH_FEATURE
