// `onnxls doctor`: what is installed, which facts and settings are in force, and what an editor would get.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/platform.h"
#include "cli/check_target.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/settings_here.h"
#include "host/files.h"
#include "host/sandbox.h"
#include "host/say.h"
#include "text/path.h"

enum { FLAG_HELP, FLAG_COUNT };

static const Option options[FLAG_COUNT] = {
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
};

/// The path of this program; NULL where no /proc says it. To free().
static char *own_path(void)
{
  return memory_taken(realpath("/proc/self/exe", NULL));
}

static void say_program(void)
{
  char *path = own_path();
  struct utsname machine;
  bool is_known = uname(&machine) == 0;
  say_out("program    onnxls %s, %s (%s %s)\n", ONNXLS_VERSION, path ? path : "of which /proc does not say the path",
          is_known ? machine.sysname : "unknown system", is_known ? machine.machine : "");
  free(path);
}

/// The first program of that name in the folders of PATH; NULL if there is none. To free().
static char *find_program(const char *name, Arena *arena)
{
  Str rest = str_from(getenv("PATH"));
  while (rest.len > 0) {
    size_t end = str_find_char(rest, PATH_LIST_SEPARATOR[0], 0);
    Str folder = str_slice(rest, 0, end);
    char *found = memory_taken(realpath(path_join(folder, str_from(name), arena).data, NULL));
    if (found && access(found, X_OK) == 0)
      return found;
    free(found);
    rest = end == STR_NOT_FOUND ? (Str){ 0 } : str_slice(rest, end + 1, rest.len);
  }
  return NULL;
}

/// Editors start what PATH says, which may be another one than this.
static void say_editors(Arena *arena)
{
  char *found = find_program("onnxls" PROGRAM_ENDING, arena);
  char *own = own_path();
  if (!found)
    say_out("editors    find no onnxls in PATH, so they need its path in their settings\n");
  else if (!own || strcmp(found, own) != 0)
    say_out("editors    start %s%s\n", own ? "another one: " : "", found);
  else
    say_out("editors    start this one\n");
  free(found);
  free(own);
}

static void say_facts(const Target *target)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(target_db(target), &versions);
  Buffer names = { 0 };
  for (size_t i = 0; i < count; i++)
    buffer_printf(&names, "%s%.*s", i > 0 ? ", " : "", STR_ARG(versions[i]));
  uint32_t layers = symbolics_layer_count(target_db(target)) - 1;
  say_out("facts      of torch %.*s; overlays of your own: %u\n", STR_ARG(buffer_str(&names)), layers);
  buffer_done(&names);
}

static void say_target(const Target *target)
{
  say_out("torch      %.*s (%.*s)\n", STR_ARG(target->torch), STR_ARG(target->torch_origin));
  if (target->onnxscript_needed.len > 0)
    say_out("onnxscript %.*s (%.*s): too old for the torch that is asked for, which needs %.*s or newer\n",
            STR_ARG(target->onnxscript), STR_ARG(target->onnxscript_origin), STR_ARG(target->onnxscript_needed));
  else if (target->onnxscript.len > 0)
    say_out("onnxscript %.*s (%.*s)\n", STR_ARG(target->onnxscript), STR_ARG(target->onnxscript_origin));
  say_out("exporter   %s (%.*s)\n", exporter_name(target->exporter), STR_ARG(target->exporter_origin));
  say_out("opset      %d (%.*s)\n", target->opset, STR_ARG(target->opset_origin));
  if (target->runtime.len > 0)
    say_out("runtime    %.*s (%.*s)\n", STR_ARG(target->runtime), STR_ARG(target->runtime_origin));
  else
    say_out("runtime    any: only what holds for all that were measured is reported\n");
}

/// The same files as the server and `check` look at.
static void say_workspace(const char *root)
{
  FileList list = { .languages = IN_CODE | IN_GRAPHS, .is_quiet = true };
  files_find(&list, root);
  size_t code = 0;
  for (size_t i = 0; i < list.files.count; i++)
    code += language_searching(str_from(list.files.items[i].path), IN_CODE) != NULL;
  say_out("workspace  %s: Python files about exporting: %zu; graphs and models: %zu\n", root, code,
          list.files.count - code);
  if (list.problems > 0)
    say_out("           %zu files or folders can't be read\n", list.problems);
  files_done(&list);
}

static void say_sandbox(void)
{
  say_out("sandbox    the server gives up %s\n", sandbox_say(sandbox_available()));
}

static void say_limits(void)
{
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
    say_out("system     %llu descriptors", (unsigned long long)limit.rlim_cur);
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    say_out(", %llu MB of memory", (unsigned long long)(limit.rlim_cur >> 20));
  say_out(", %ld processors\n", sysconf(_SC_NPROCESSORS_ONLN));
}

static int examine(void)
{
  Arena arena = { 0 };
  CheckFlags flags = { .folder = memory_taken(getcwd(NULL, 0)) };
  FolderTargets *targets = NULL;
  char *settings_folder = settings_here_root(false);
  const char *root = settings_folder ? settings_folder : flags.folder;
  say_program();
  say_editors(&arena);
  say_out(settings_folder ? "settings   %s/" SETTINGS_FILE_NAME "\n"
                          : "settings   none in %s or above; onnxls init writes " SETTINGS_FILE_NAME "\n",
          root ? root : "this folder");
  fflush(stdout);  // What is wrong there follows on standard error.
  Status status = check_targets(&flags, &targets);
  if (status == OK) {
    say_facts(check_target_here(&flags, targets));
    say_target(check_target_here(&flags, targets));
  }
  if (root)
    say_workspace(root);
  say_sandbox();
  say_limits();
  folder_targets_free(targets);
  free(settings_folder);
  check_flags_done(&flags);
  arena_done(&arena);
  return status == OK && fflush(stdout) == 0 ? EXIT_CLEAN : EXIT_USAGE;
}

int cli_doctor(int argc, char **argv)
{
  OptionReader reader = option_reader("onnxls doctor", options, FLAG_COUNT, argc, argv);
  switch (option_next(&reader)) {
  case OPTION_END:
    return examine();
  case OPTION_FLAG:
    printf("usage: onnxls doctor\n\n"
           "Tells which program, facts and settings are in force here, and what an editor would get.\n\n");
    option_print_help(options, FLAG_COUNT);
    return EXIT_CLEAN;
  case OPTION_OPERAND:
    say("onnxls doctor: it takes no operand, but '%s' was given", reader.value);
    return EXIT_USAGE;
  default:
    return EXIT_USAGE;
  }
}
