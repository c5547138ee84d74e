/// Diagnostics: pulled by clients that can, and that can be told to pull again; pushed to all others. Never both.
///
/// Threads:   the loop thread; rules run on the pool where they have much to look at.
/// Sources:   LSP 3.17 "PublishDiagnostics Notification", "Pull Diagnostics".
#pragma once

#include "session/documents.h"

extern const FeatureMethod publish_methods[];

/// Pushes what the rules say of the document's snapshot, now or when the pool has found out. What was being found out
/// about an earlier one is given up.
void publish_diagnostics(OpenDocument *document);
/// Gives up what is being found out.
void publish_abandon(OpenDocument *document);
void publish_empty(Session *session, Str uri);
