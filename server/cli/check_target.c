#include "cli/check_target.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/settings_here.h"
#include "facts/runtime.h"
#include "host/say.h"
#include "text/path.h"

enum { SHOWN_OTHERS = 3 };

static void apply_flags(Settings *settings, const CheckFlags *flags)
{
  if (flags->torch)
    settings_set_torch(settings, str_from(flags->torch), "--torch");
  if (flags->has_exporter) {
    settings->exporter = flags->exporter;
    settings->exporter_origin = STR("--exporter");
  }
  if (flags->opset > 0)
    settings_set_opset(settings, flags->opset, "--opset");
  if (flags->runtime)
    settings_set_runtime(settings, str_from(flags->runtime), "--runtime");
  if (flags->has_max_diagnostics)
    settings->max_diagnostics = flags->max_diagnostics;
  settings->groups |= flags->groups;
  if (flags->baseline)
    settings->max_diagnostics = 0;  // What is known would take the place of what is new.
  rule_choice_apply(&flags->rules, settings->severities);
}

/// A torch version that the facts don't know is checked as the one before it, and that is said.
static void note_torch(const Settings *settings, const Target *target)
{
  TorchChoice choice;
  if (symbolics_resolve_torch(target_db(target), settings->torch, &choice) && !choice.is_exact)
    say("onnxls: nothing is known of torch %.*s yet; checking as torch %.*s", STR_ARG(settings->torch),
        STR_ARG(target->torch));
}

/// Where the settings are: this folder, if it is below them.
const Target *check_target_here(const CheckFlags *flags, FolderTargets *targets)
{
  bool is_elsewhere =
      flags->settings_folder && !path_is_within(str_from(flags->folder), str_from(flags->settings_folder));
  return folder_targets_at(targets, str_from(is_elsewhere ? flags->settings_folder : flags->folder));
}

/// Nearest to what is checked, as other tools look for theirs; else to where the program runs.
static char *find_settings(const CheckFlags *flags)
{
  Arena arena = { 0 };
  char *folder = settings_folder_above(check_flags_common_folder(flags, &arena));
  arena_done(&arena);
  return folder ? folder : settings_folder_above(str_from(flags->folder));
}

/// Folders that pin only a runtime have the torch of the one around them.
static bool is_same_torch(const Target *a, const Target *b)
{
  return str_equal(a->torch, b->torch) && str_equal(a->torch_origin, b->torch_origin);
}

void check_target_append_others(Buffer *out, const FolderTargets *targets, const Target *here)
{
  const Target *shown[SHOWN_OTHERS + 1] = { here };
  size_t count = 1;
  size_t more = 0;
  size_t at = 0;
  const Target *target;
  while ((target = folder_targets_next(targets, &at)) != NULL) {
    size_t known = 0;
    while (known < count && !is_same_torch(target, shown[known]))
      known++;
    more += known == COUNT(shown);
    if (known < count || count == COUNT(shown))
      continue;
    buffer_printf(out, "%s torch %.*s (%.*s)", count == 1 ? "; below folders that pin their own:" : ",",
                  STR_ARG(target->torch), STR_ARG(target->torch_origin));
    shown[count++] = target;
  }
  if (more > 0)
    buffer_printf(out, " and %zu more", more);
}

Status check_targets(CheckFlags *flags, FolderTargets **ret_targets)
{
  Settings settings;
  Buffer problems = { 0 };
  flags->settings_folder = find_settings(flags);
  settings_here(&settings, flags->settings_folder, &problems);
  apply_flags(&settings, flags);
  flags->skips_cache |= settings.skips_cache;
  flags->skips_index = settings.skips_index;
  const char *root = flags->settings_folder ? flags->settings_folder : flags->folder;
  FolderTargets *targets = folder_targets_new(&settings, str_from(root), &problems);
  Status status = settings_here_report(&problems);
  if (status == OK) {
    note_torch(folder_targets_settings(targets, (Str){ 0 }), folder_targets_at(targets, (Str){ 0 }));
    *ret_targets = targets;
  } else {
    folder_targets_free(targets);
  }
  buffer_done(&problems);
  return status;
}

void check_target_note_runtime(const Target *target)
{
  RuntimeChoice choice;
  if (target->runtime.len == 0 || !symbolics_resolve_runtime(target_db(target), target->runtime, &choice) ||
      choice.is_exact)
    return;
  say("onnxls: models were not run in %.*s %.*s; dumps are checked as %.*s %.*s, the %s that they were run in",
      STR_ARG(choice.name), STR_ARG(choice.version), STR_ARG(choice.name), STR_ARG(choice.measured),
      choice.is_before ? "oldest" : "nearest older");
}
