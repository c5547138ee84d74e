/// Files that say which packages a project wants: whether torch and onnxscript go together.
///
/// Threads:   immutable.
/// Sources:   requirements/requirement.h, symbolics_onnxscript_for().
#pragma once

#include "core/language.h"

extern const Language requirements_language;
