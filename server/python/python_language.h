/// Python files with symbolic functions, registrations and export calls.
///
/// Ownership: constants.
/// Threads:   as core/language.h says.
/// Sources:   docs/architecture.md, "Python files".
#pragma once

#include "core/features.h"

extern const Language python_language;
extern const LanguageFeatures python_features;

/// What can't be read as Python; empty if all of it can.
Str python_blind_spot(const Snapshot *snapshot, Arena *arena);
void python_check(DiagSink *sink);
void python_each_comment(const Snapshot *snapshot, CommentVisitor *visit, void *context);
void python_summarize(const Snapshot *snapshot, WorkspaceFile *file);
/// The same of a file that was only read for what its names stand for: functions that no value of a graph may be given.
void python_summarize_unread(const Snapshot *snapshot, WorkspaceFile *file);
