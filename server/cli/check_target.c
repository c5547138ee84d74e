#include "cli/check_target.h"

#include <stdio.h>

#include "cli/settings_here.h"
#include "facts/symbolics.h"
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
  if (flags->has_max_diagnostics)
    settings->max_diagnostics = flags->max_diagnostics;
}

/// A torch version that the facts don't know is checked as the one before it, and that is said.
static void note_torch(const Settings *settings, const Target *target)
{
  TorchChoice choice;
  if (symbolics_resolve_torch(target_db(target), settings->torch, &choice) && !choice.is_exact)
    say("onnxls: nothing is known of torch %.*s yet; checking as torch %.*s", STR_ARG(settings->torch),
        STR_ARG(target->torch));
}

Status check_target(const CheckFlags *flags, Target **ret_target)
{
  Settings settings;
  Buffer problems = { 0 };
  settings_here(&settings, &problems);
  apply_flags(&settings, flags);
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
