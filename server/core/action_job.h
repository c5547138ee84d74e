/// What the files that make actions share.
///
/// Ownership: an ActionJob borrows the context and the world; what it makes lives in the arena.
/// Units:     as in features.h.
/// Errors:    an action that is not possible is not made.
/// Threads:   one job belongs to one thread.
/// Sources:   none.
#pragma once

#include "base/vec.h"
#include "graph/features/hover_private.h"

typedef struct ActionJob {
  HoverJob base;  ///< What other features know of the document, too.
  const ActionWorld *world;
  Vec(Action) actions;
} ActionJob;

/// Those about an operator that the exporter refuses.
void actions_for_support(ActionJob *job, const Diagnostic *diagnostic);
/// A symbolic function for the operator: in a new file, and in those that have some.
void actions_for_stub(ActionJob *job, const Diagnostic *diagnostic, Place place);
/// Comments that switch the rule off for the diagnostic's line, and for the file.
void action_ignore_line(ActionJob *job, const Diagnostic *diagnostic);
void action_ignore_file(ActionJob *job, const Diagnostic *diagnostic);

/// A setting and its value as JSON.
typedef struct SettingChange {
  const char *name;
  Str value;
} SettingChange;

/// The change of `.onnxls.json`; false if there is no place for that file, or if it can't be read as JSON.
bool settings_change(const ActionJob *job, const SettingChange *settings, size_t count, FileChange *ret_change);
/// The edit that gives the settings new values in a JSON text; false if the text is no JSON object.
bool settings_edit_json(Str text, const SettingChange *settings, size_t count, Arena *arena, const TextEdit **ret_edits,
                        size_t *ret_count);

/// The lowest opset above the target's at which nothing in the document is refused for certain; 0 if there is none.
int opset_for_all(const HoverJob *job);
