/// How much something looks at, which decides whether it may run on the loop: while that is busy, nobody is answered.
///
/// Units:     bytes of text, or what weighs as much.
/// Threads:   the loop thread.
/// Sources:   base/limits.h says how much is too much.
#pragma once

#include "session/documents.h"

/// What rules look at in the document's snapshot.
size_t work_of_check(const OpenDocument *document);
/// What a feature looks at that is about a place.
size_t work_of_place(const OpenDocument *document);
/// The same of one that asks for nothing but the meaning of the name there.
size_t work_of_name(const OpenDocument *document);
/// Reading this text anew looks at so much, if `fresh` bytes of it are new.
size_t work_of_reading(const Document *text, const Language *language, size_t fresh);
/// This much was done on the loop at once; the most so far goes to the log.
void work_note(Session *session, size_t bytes);
