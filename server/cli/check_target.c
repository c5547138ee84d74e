#include "cli/check_target.h"

#include <stdio.h>

#include "cli/settings_here.h"
#include "facts/runtime.h"
#include "host/say.h"

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

Status check_target(CheckFlags *flags, Target **ret_target)
{
  Settings settings;
  Buffer problems = { 0 };
  settings_here(&settings, &problems);
  apply_flags(&settings, flags);
  flags->skips_cache |= settings.skips_cache;
  settings_here_torch(&settings);
  Target *target = settings_target(&settings, &problems);
  Status status = settings_here_report(&problems);
  if (status == OK) {
    note_torch(&settings, target);
    *ret_target = target_retain(target);
  }
  target_release(target);
  settings_done(&settings);
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
