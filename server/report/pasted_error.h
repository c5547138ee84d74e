/// Exceptions of an export in a text that is nothing else of ours: notes, issues, a terminal's text. What failed is
/// said by why/, above each message and as a hover; nothing is reported of such a text.
///
/// Ownership: a constant.
/// Threads:   as core/language.h says.
/// Sources:   symbolics-db/records/messages.
#pragma once

#include "core/features.h"

extern const Language pasted_error_language;
