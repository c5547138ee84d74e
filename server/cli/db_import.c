// `onnxls db import`: asks the torch and the onnx of an interpreter of the user's, and writes what they say as facts.
//
// Nothing else in onnxls runs a program. The scripts are compiled in, and run in an empty folder, so that no file of
// the workspace is imported by accident; only with --import does the current folder count.
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/platform.h"
#include "cli/commands.h"
#include "cli/db_private.h"
#include "cli/embedded.h"
#include "cli/settings_here.h"
#include "host/overlays.h"
#include "host/read_file.h"
#include "host/replace_file.h"
#include "host/run_program.h"
#include "host/say.h"
#include "rpc/writer.h"
#include "text/path.h"

static const char default_output[] = "onnxls-facts.json";

typedef enum Outcome {
  OUTCOME_GOOD,
  OUTCOME_MISSING,  ///< The package is not there, which is not a failure.
  OUTCOME_BAD,
} Outcome;

/// One package that is asked.
typedef struct Source {
  const char *package;
  const char *script;  ///< In db_tools.
  Outcome outcome;
  Value *facts;
} Source;

typedef struct Import {
  const DbFlags *flags;
  Arena arena;
  Str here;
  const char *python;
  Str folder;  ///< Temporary.
  bool interrupted;
  Source sources[2];
} Import;

/// The last line that is not empty.
static Str last_line(Str text)
{
  text = str_trim(text);
  size_t start = str_rfind_char(text, '\n');
  return str_trim(str_slice(text, start == STR_NOT_FOUND ? 0 : start + 1, text.len));
}

/// A line of a program's output, which may be long.
static void print_line(const char *lead, Str line)
{
  enum { SHOWN_BYTES = 400 };
  say("%s%.*s", lead, STR_ARG(str_slice(line, 0, SHOWN_BYTES)));
}

// --- Running the interpreter ---

MUST_USE static Status run(const Import *import, char *const *argv, const char *variable, RunResult *ret_result)
{
  RunPlan plan = { .argv = argv, .folder = import->folder.data, .variable = variable };
  plan.timeout = import->flags->timeout;
  plan.file_limit = FACTS_BYTE_LIMIT;
  if (run_program(&plan, ret_result) == OK)
    return OK;
  say("onnxls: %s can't be run: %s", import->python, strerror(errno));
  return ERR_IO;
}

/// Says what it did other than end well.
static bool has_ended_well(const Import *import, const RunResult *result, const char *what)
{
  if (result->interrupted)
    say("onnxls: interrupted; nothing was written");
  else if (result->timed_out)
    say("onnxls: %s took longer than %d s and was ended; --timeout allows more", what, import->flags->timeout);
  else if (result->signal != 0)
    say("onnxls: %s was ended by signal %d", what, result->signal);
  else if (result->exit_code != 0)
    say("onnxls: %s failed:", what);
  else
    return true;
  if (result->err.len > 0 && !result->interrupted)
    print_line("  ", last_line(buffer_str(&result->err)));
  return false;
}

/// Whether it is Python at all, and new enough for the scripts.
MUST_USE static Status probe(Import *import)
{
  static char code[] = "import sys; print('onnxls-python', sys.version_info[0] * 1000 + sys.version_info[1])";
  char flag[] = "-c";
  char *argv[] = { (char *)import->python, flag, code, NULL };
  RunResult result;
  uint64_t version = 0;
  if (run(import, argv, NULL, &result) != OK)
    return ERR_IO;
  Str line = last_line(buffer_str(&result.out));
  bool is_python =
      str_starts_with(line, STR("onnxls-python ")) && str_to_uint(str_slice(line, 14, line.len), 99999, &version);
  Status status = ERR_USAGE;
  if (!has_ended_well(import, &result, import->python))
    status = ERR_USAGE;
  else if (!is_python)
    say("onnxls: %s is not a Python interpreter", import->python);
  else if (version < 3007)
    say("onnxls: %s is Python %u.%u; 3.7 or newer is needed", import->python, (unsigned)(version / 1000),
        (unsigned)(version % 1000));
  else
    status = OK;
  run_program_result_done(&result);
  return status;
}

MUST_USE static Status write_file(const char *path, Str text)
{
  FILE *file = fopen(path, "we");
  if (!file)
    return ERR_IO;
  bool is_good = fwrite(text.data, 1, text.len, file) == text.len;
  is_good = fclose(file) == 0 && is_good;
  return is_good ? OK : ERR_IO;
}

/// Scripts tell what they had to leave out in lines that begin with their name.
static void pass_notes_on(const Source *source, Str text)
{
  while (text.len > 0) {
    Str line = str_take(&text, '\n');
    if (str_starts_with(line, str_from(source->script)))
      print_line("onnxls: ", line);
  }
}

static Outcome read_facts(Source *source, const char *path)
{
  Buffer text = { 0 };
  ValueError error;
  Outcome outcome = OUTCOME_BAD;
  Status status = read_whole_file(path, FACTS_BYTE_LIMIT, &text);
  if (status != OK)
    say("onnxls: %s.py wrote nothing that can be read", source->script);
  else if (value_parse(buffer_str(&text), &source->facts, &error) != OK)
    say("onnxls: %s.py wrote no JSON: %s (line %d)", source->script, error.text, error.line);
  else
    outcome = OUTCOME_GOOD;
  buffer_done(&text);
  return outcome;
}

static Outcome judge(const Import *import, Source *source, const RunResult *result, const char *output)
{
  Str last = last_line(buffer_str(&result->err));
  Str missing = STR("ModuleNotFoundError: No module named '");
  bool is_missing = result->exit_code == 1 && str_starts_with(last, missing) &&
                    str_starts_with(str_slice(last, missing.len, last.len), str_from(source->package)) &&
                    str_equal(str_slice(last, missing.len + strlen(source->package), last.len), STR("'"));
  if (is_missing) {
    say("onnxls: there is no %s in %s", source->package, import->python);
    return OUTCOME_MISSING;
  }
  if (!has_ended_well(import, result, source->package))
    return OUTCOME_BAD;
  pass_notes_on(source, buffer_str(&result->err));
  return read_facts(source, output);
}

/// Only --import makes modules of the current folder count, as they do for `python -m`.
static Str python_path(Import *import)
{
  const char *before = getenv("PYTHONPATH");
  return arena_printf(&import->arena, "PYTHONPATH=%.*s%s%s", STR_ARG(import->here),
                      before && *before ? PATH_LIST_SEPARATOR : "", before ? before : "");
}

static void ask(Import *import, Source *source)
{
  enum { ARGUMENT_SLOTS = 48 };
  Str script = arena_printf(&import->arena, "%.*s/%s.py", STR_ARG(import->folder), source->script);
  Str output = arena_printf(&import->arena, "%.*s/%s.json", STR_ARG(import->folder), source->package);
  bool takes_modules = strcmp(source->package, "torch") == 0 && import->flags->module_count > 0;
  char import_flag[] = "--import";
  char *argv[ARGUMENT_SLOTS] = { (char *)import->python, (char *)script.data };
  size_t count = 2;
  for (size_t i = 0; takes_modules && i < import->flags->module_count; i++) {
    argv[count++] = import_flag;
    argv[count++] = (char *)import->flags->modules[i];
  }
  argv[count++] = (char *)output.data;
  RunResult result;
  source->outcome = OUTCOME_BAD;
  if (write_file(script.data, embedded_text_named(db_tools, db_tools_count, source->script)) != OK) {
    say("onnxls: %s: %s", script.data, strerror(errno));
  } else if (run(import, argv, takes_modules ? python_path(import).data : NULL, &result) == OK) {
    import->interrupted = result.interrupted;
    source->outcome = judge(import, source, &result, output.data);
    run_program_result_done(&result);
  }
}

// --- Writing the facts ---

static void write_member(Buffer *out, const char *key, const Value *value)
{
  if (value_kind(value) == VALUE_MISSING)
    return;
  char *lines = value_dump_lines(value);
  buffer_printf(out, ",\n\"%s\": %s", key, lines);
  free(lines);
}

/// Both packages' facts as one file.
static Str merge(Import *import)
{
  Buffer out = { 0 };
  buffer_append(&out, STR("{\"version\": 1"));
  const Value *onnx = import->sources[0].facts;
  const Value *torch = import->sources[1].facts;
  Buffer sources = { 0 };
  Writer writer = { .out = &sources };
  writer_open(&writer, '[');
  for (size_t i = 0; i < 2; i++) {
    const Value *list = value_get(import->sources[i].facts, "sources");
    Str source;
    for (size_t k = 0; k < value_count(list); k++) {
      if (value_to_str(value_at(list, k), &source))
        writer_str(&writer, source);
    }
  }
  writer_close(&writer, ']');
  buffer_printf(&out, ",\n\"sources\": %.*s", STR_ARG(buffer_str(&sources)));
  write_member(&out, "torch", value_get(torch, "torch"));
  write_member(&out, "onnx", value_get(onnx, "onnx"));
  buffer_append(&out, STR("\n}\n"));
  Str text = arena_copy(&import->arena, buffer_str(&out));
  buffer_done(&sources);
  buffer_done(&out);
  return text;
}

/// Whoever reads the file meanwhile sees the old one or the new one.
MUST_USE static Status write_facts(const char *path, Str text)
{
  Status status = replace_file(path, NULL, text);
  if (status != OK)
    say("onnxls: %s: %s", path, strerror(errno));
  return status;
}

static void tell(const Import *import, const char *path, Str text)
{
  const Value *torch = value_at(value_get(import->sources[1].facts, "torch"), 0);
  const Value *onnx = value_get(import->sources[0].facts, "onnx");
  Str version;
  say_out("%s: %zu KB\n", path, (text.len + 1023) / 1024);
  for (size_t i = 0; i < 2; i++) {
    Str source;
    if (value_to_str(value_at(value_get(import->sources[i].facts, "sources"), 0), &source))
      say_out("  from %.*s\n", STR_ARG(source));
  }
  if (value_count(onnx) > 0)
    say_out("  onnx: %zu schemas\n", value_count(onnx));
  if (value_to_str(value_get(torch, "version"), &version))
    say_out("  torch %.*s: %zu schemas\n", STR_ARG(version), value_count(value_get(torch, "schemas")));
  say_out("Name it in .onnxls.json: \"db\": [\"%s\"]\n", path);
}

/// Half of the facts don't take the place of all of them.
static bool may_write(const Import *import, const char *path)
{
  for (size_t i = 0; i < 2; i++) {
    if (import->sources[i].outcome == OUTCOME_BAD && access(path, F_OK) == 0) {
      say("onnxls: %s stays as it is, because %s failed", path, import->sources[i].package);
      return false;
    }
  }
  return true;
}

static int finish(Import *import)
{
  const char *path = import->flags->output ? import->flags->output : default_output;
  Outcome onnx = import->sources[0].outcome;
  Outcome torch = import->sources[1].outcome;
  if (onnx != OUTCOME_GOOD && torch != OUTCOME_GOOD) {
    say("onnxls: nothing was imported; name the interpreter of the environment that exports your models");
    return EXIT_USAGE;
  }
  if (!may_write(import, path))
    return EXIT_USAGE;
  Str text = merge(import);
  SymbolicsDb *db = NULL;
  Buffer problems = { 0 };
  Status status = overlays_open_text(str_from(path), text, symbolics_embedded(), &db, &problems);
  if (status != OK && settings_here_report(&problems) == OK)
    say("onnxls: what was exported can't be used");
  buffer_done(&problems);
  symbolics_free(db);
  if (status != OK || write_facts(path, text) != OK)
    return EXIT_USAGE;
  tell(import, path, text);
  return onnx == OUTCOME_BAD || torch == OUTCOME_BAD ? EXIT_USAGE : EXIT_CLEAN;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
  return remove(path);
}

/// With whatever the interpreter left in it; links are removed, not followed.
static void remove_folder(const Import *import)
{
  enum { OPEN_FOLDERS = 16 };
  nftw(import->folder.data, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

MUST_USE static Status make_folder(Import *import)
{
  const char *base = getenv("TMPDIR");
  Str pattern = arena_printf(&import->arena, "%s/onnxls-import-XXXXXX", base && *base ? base : P_tmpdir);
  if (!mkdtemp((char *)pattern.data)) {
    say("onnxls: %s: %s", pattern.data, strerror(errno));
    return ERR_IO;
  }
  import->folder = pattern;
  return OK;
}

static int import_all(Import *import)
{
  if (probe(import) != OK)
    return EXIT_USAGE;
  for (size_t i = 0; i < 2 && !import->interrupted; i++) {
    say("onnxls: asking %s of %s", import->sources[i].package, import->python);
    ask(import, &import->sources[i]);
  }
  return import->interrupted ? EXIT_USAGE : finish(import);
}

int db_import(const DbFlags *flags)
{
  if (!flags->python) {
    say("onnxls db: import needs the interpreter: onnxls db import --python venv/bin/python");
    return EXIT_USAGE;
  }
  Import import = { .flags = flags,
                    .sources = { { "onnx", "export_onnx", OUTCOME_BAD, NULL },
                                 { "torch", "export_torch", OUTCOME_BAD, NULL } } };
  char *here = memory_taken(getcwd(NULL, 0));
  import.here = str_from(here);
  // A bare name is looked for in PATH. What has a slash is seen from here, and links are kept: they tell a virtual
  // environment's interpreter which environment it is of.
  import.python = flags->python;
  if (!path_is_absolute(str_from(flags->python)) && strchr(flags->python, '/'))
    import.python = arena_printf(&import.arena, "%s/%s", here, flags->python).data;
  int code = EXIT_USAGE;
  if (make_folder(&import) == OK) {
    code = import_all(&import);
    remove_folder(&import);
  }
  for (size_t i = 0; i < 2; i++)
    value_release(import.sources[i].facts);
  free(here);
  arena_done(&import.arena);
  return code;
}
