#include "cli/check_target.h"

#include <stdio.h>
#include <unistd.h>

#include "db/symbolics.h"
#include "session/settings.h"
#include "text/path.h"

static const char settings_name[] = ".onnxls.json";

static void apply_file(Settings *settings, Str folder, const Value *values, Buffer *problems)
{
  SettingsSource source = { .name = settings_name, .folder = folder, .is_strict = true };
  settings_apply(settings, values, &source, problems);
}

/// The nearest settings file at or above the current folder.
static void apply_nearest_file(Settings *settings, Buffer *problems)
{
  char *folder = getcwd(NULL, 0);
  for (Str at = str_from(folder); at.len > 0; at = str_slice(at, 0, str_rfind_char(at, '/'))) {
    Value *values = NULL;
    Str path = path_join(at, str_from(settings_name), &settings->arena);
    Status status = settings_read_file(path.data, &values, problems);
    if (status == OK)
      apply_file(settings, at, values, problems);
    value_release(values);
    if (status != ERR_NOT_FOUND)
      break;
  }
  free(folder);
}

static void apply_flags(Settings *settings, const CheckFlags *flags)
{
  if (flags->torch)
    settings->torch = str_from(flags->torch);
  if (flags->has_exporter)
    settings->exporter = flags->exporter;
  if (flags->opset > 0)
    settings->opset = flags->opset;
  if (flags->has_max_diagnostics)
    settings->max_diagnostics = flags->max_diagnostics;
}

/// A torch version that the facts don't know is checked as the one before it, and that is said.
static void note_torch(const Settings *settings, const Target *target)
{
  TorchChoice choice;
  if (symbolics_resolve_torch(symbolics_embedded(), settings->torch, &choice) && !choice.is_exact)
    fprintf(stderr, "onnxls: nothing is known of torch %.*s yet; checking as torch %.*s\n", STR_ARG(settings->torch),
            STR_ARG(target->torch));
}

static void print_problems(const Buffer *problems)
{
  Str rest = buffer_str(problems);
  while (rest.len > 0) {
    size_t end = str_find_char(rest, '\n', 0);
    fprintf(stderr, "onnxls: %.*s\n", STR_ARG(str_slice(rest, 0, end)));
    rest = str_slice(rest, end == STR_NOT_FOUND ? rest.len : end + 1, rest.len);
  }
}

Status check_target(const CheckFlags *flags, Target **ret_target)
{
  Settings settings;
  Buffer problems = { 0 };
  settings_init(&settings);
  apply_nearest_file(&settings, &problems);
  apply_flags(&settings, flags);
  Target *target = settings_target(&settings, &problems);
  print_problems(&problems);
  Status status = problems.len > 0 ? ERR_USAGE : OK;
  if (status == OK) {
    note_torch(&settings, target);
    *ret_target = target_retain(target);
  }
  target_release(target);
  settings_done(&settings);
  buffer_done(&problems);
  return status;
}
