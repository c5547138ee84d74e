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

void settings_here(Settings *settings, Buffer *problems)
{
  settings_init(settings);
  char *folder = memory_taken(getcwd(NULL, 0));
  for (Str at = str_from(folder); at.len > 0; at = path_parent(at)) {
    Value *values = NULL;
    Str path = path_join(at, STR(SETTINGS_FILE_NAME), &settings->arena);
    Status status = settings_read_file(path.data, &values, problems);
    if (status == OK)
      apply_file(settings, at, values, problems);
    value_release(values);
    if (status != ERR_NOT_FOUND)
      break;
  }
  free(folder);
}

char *settings_here_root(bool for_index)
{
  Settings settings;
  Buffer problems = { 0 };
  settings_here(&settings, &problems);
  bool is_off = for_index && settings.skips_index;
  settings_done(&settings);
  buffer_done(&problems);
  Arena arena = { 0 };
  char *root = NULL;
  char *folder = memory_taken(getcwd(NULL, 0));
  for (Str at = str_from(folder); at.len > 0 && !root && !is_off; at = path_parent(at)) {
    if (access(path_join(at, STR(SETTINGS_FILE_NAME), &arena).data, F_OK) == 0)
      root = xstrdup_str(at);
  }
  free(folder);
  arena_done(&arena);
  return root;
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
