/// What the files that make actions share.
///
/// Ownership: an ActionJob borrows the context and the world; what it makes lives in the arena.
/// Units:     as in core/features.h.
/// Errors:    an action that is not possible is not made.
/// Threads:   one job belongs to one thread.
#pragma once

#include "base/vec.h"
#include "core/features.h"

struct ActionJob {
  const FeatureContext *context;
  const ActionWorld *world;
  Vec(Action) actions;
};

/// A setting and its value as JSON.
typedef struct SettingChange {
  const char *name;
  Str value;
} SettingChange;

/// The change of `.onnxls.json`; false if there is no place for that file, or if it can't be read as JSON.
bool action_settings_change(const ActionJob *job, const SettingChange *settings, size_t count, FileChange *ret_change);
/// The edit that gives the settings new values in a JSON text; false if the text is not a JSON object.
bool action_settings_edit_json(Str text, const SettingChange *settings, size_t count, Arena *arena,
                               const TextEdit **ret_edits, size_t *ret_count);
