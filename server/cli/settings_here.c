#include "cli/settings_here.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/say.h"
#include "text/path.h"

static void apply_file(Settings *settings, Str folder, const Value *values, Buffer *problems)
{
  SettingsSource source = { .name = SETTINGS_FILE_NAME, .folder = folder, .is_strict = true };
  settings_apply(settings, values, &source, problems);
}

char *settings_folder_above(Str folder)
{
  Arena arena = { 0 };
  char *found = NULL;
  for (Str at = folder; at.len > 0 && !found; at = path_parent(at)) {
    if (access(path_join(at, STR(SETTINGS_FILE_NAME), &arena).data, F_OK) == 0)
      found = xstrdup_str(at);
  }
  arena_done(&arena);
  return found;
}

static char *folder_above_here(void)
{
  char *here = memory_taken(getcwd(NULL, 0));
  char *folder = settings_folder_above(str_from(here));
  free(here);
  return folder;
}

void settings_here(Settings *settings, const char *folder, Buffer *problems)
{
  settings_init(settings);
  char *above = folder ? NULL : folder_above_here();
  Str from = str_from(folder ? folder : above);
  if (from.len > 0) {
    Value *values = NULL;
    Str path = path_join(from, STR(SETTINGS_FILE_NAME), &settings->arena);
    if (settings_read_file(path.data, &values, problems) == OK)
      apply_file(settings, from, values, problems);
    value_release(values);
  }
  free(above);
}

char *settings_here_root(bool for_index)
{
  Settings settings;
  Buffer problems = { 0 };
  settings_here(&settings, NULL, &problems);
  bool is_off = for_index && settings.skips_index;
  settings_done(&settings);
  buffer_done(&problems);
  return is_off ? NULL : folder_above_here();
}

void settings_here_torch(Settings *settings)
{
  char *folder = memory_taken(getcwd(NULL, 0));
  char *root = settings_here_root(false);
  settings_find_versions(settings, str_from(root ? root : folder), str_from(folder));
  free(root);
  free(folder);
}

Status settings_here_report(const Buffer *problems)
{
  Str rest = buffer_str(problems);
  while (rest.len > 0) {
    size_t end = str_find_char(rest, '\n', 0);
    say("onnxls: %.*s", STR_ARG(str_slice(rest, 0, end)));
    rest = str_slice(rest, end == STR_NOT_FOUND ? rest.len : end + 1, rest.len);
  }
  return problems->len > 0 ? ERR_USAGE : OK;
}
