/// The text of a model that an editor opens.
///
/// Ownership: the text lives in the arena given.
/// Errors:    what can't be read is told in the text, as a comment; so is that it goes on after MODEL_EDITOR_TEXT.
/// Threads:   any.
/// Sources:   docs/show.md describes the text.
#pragma once

#include "base/memory.h"

Str model_editor_text(Str path, Arena *arena);
