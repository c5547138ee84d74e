#include "cli/check_flags.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/file_names.h"
#include "cli/load.h"
#include "cli/options.h"
#include "facts/runtime.h"
#include "host/say.h"
#include "text/path.h"

enum {
  MOST_THREADS = 256,
  MOST_DIAGNOSTICS = 1000 * 1000 * 1000,
  MOST_WORK = 1000 * 1000,
};

typedef enum CheckFlag {
  FLAG_BASELINE,
  FLAG_COLOR,
  FLAG_DIFF,
  FLAG_DRY_RUN,
  FLAG_EXIT_ZERO,
  FLAG_EXPORTER,
  FLAG_FILES_FROM,
  FLAG_FIX,
  FLAG_FORMAT,
  FLAG_GROUP,
  FLAG_HELP,
  FLAG_IGNORE,
  FLAG_JOBS,
  FLAG_MAX_DIAGNOSTICS,
  FLAG_NO_CACHE,
  FLAG_ONE_LINE,
  FLAG_OPSET,
  FLAG_RUNTIME,
  FLAG_SELECT,
  FLAG_SEVERITY,
  FLAG_SHARD,
  FLAG_SHOW_SOURCE,
  FLAG_STDIN_FILENAME,
  FLAG_TIMEOUT_WORK,
  FLAG_TORCH,
  FLAG_UPDATE_BASELINE,
  FLAG_COUNT,
} CheckFlag;

static const Option options[FLAG_COUNT] = {
  [FLAG_BASELINE] = { "baseline", 0, "FILE", "leave out the findings that FILE lists, and say which no longer occur" },
  [FLAG_COLOR] = { "color", 0, "WHEN", "auto (for a terminal), always or never" },
  [FLAG_DIFF] = { "diff", 0, NULL, "the same as --fix --dry-run" },
  [FLAG_DRY_RUN] = { "dry-run", 0, NULL, "with --fix: print the changes, and change nothing" },
  [FLAG_EXIT_ZERO] = { "exit-zero", 0, NULL, "end with 0 whatever is found" },
  [FLAG_EXPORTER] = { "exporter", 0, "NAME", "torchscript or dynamo" },
  [FLAG_FILES_FROM] = { "files-from", 0, "FILE", "check the files that FILE names, one a line; - is standard input" },
  [FLAG_FIX] = { "fix", 0, NULL, "apply the safe fixes, then report what is left" },
  [FLAG_FORMAT] = { "format", 0, "FORMAT", "text, json, jsonl, sarif, github, gitlab or junit" },
  [FLAG_GROUP] = { "group", 0, NULL, "one problem for all nodes of which the same is said, with their places" },
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
  [FLAG_IGNORE] = { "ignore", 0, "RULES", "leave these rules out: names with commas between them" },
  [FLAG_JOBS] = { "jobs", 'j', "N", "threads; as many as there are processors if not given" },
  [FLAG_MAX_DIAGNOSTICS] = { "max-diagnostics", 0, "N", "report at most N for each file; 0 is no limit" },
  [FLAG_NO_CACHE] = { "no-cache", 0, NULL, "check all files again, and keep nothing for the next run" },
  [FLAG_ONE_LINE] = { "one-line", 0, NULL, "text: without the source line, as anywhere but at a terminal" },
  [FLAG_OPSET] = { "opset", 0, "N", "the ONNX opset to export to" },
  [FLAG_RUNTIME] = { "runtime", 0, "NAME", "the runtime that is to run the model, such as onnxruntime==1.21" },
  [FLAG_SELECT] = { "select", 0, "RULES", "ask only these rules; onnxls rules lists them" },
  [FLAG_SEVERITY] = { "severity", 0, "LEVEL",
                      "show error, warning, info or hint and what is worse;\n"
                      "text, github and junit show info and worse if not given, the others all" },
  [FLAG_SHARD] = { "shard", 0, "I/N", "check the I-th of N parts of the files; together they are all" },
  [FLAG_SHOW_SOURCE] = { "show-source", 0, NULL, "text: show the line, as at a terminal" },
  [FLAG_STDIN_FILENAME] = { "stdin-filename", 0, "FILE", "what to call the document that `-` reads" },
  [FLAG_TIMEOUT_WORK] = { "timeout-work", 0, "N",
                          "give up files that take more work than N megabytes of a dump do,\n"
                          "whatever the time; a megabyte of Python or of a model's text counts for eight" },
  [FLAG_UPDATE_BASELINE] = { "update-baseline", 0, NULL, "write what is found to the file of --baseline" },
  [FLAG_TORCH] = { "torch", 0, "VERSION", "the torch version that exports, such as 2.6; or auto" },
};

static const char *const color_names[] = { "auto", "always", "never" };

void check_flags_help(void)
{
  printf(
      "usage: onnxls check FILE|DIR|- ... [flags]\n\n"
      "Reports what is wrong in dumps of graphs, models and Python files that export: what can't be read, what the\n"
      "exporter can't convert, and what is wrong in symbolic functions.\n"
      "A folder is searched for dumps, models, logs and Python files that may be about ONNX; - reads standard input.\n\n");
  option_print_help(options, FLAG_COUNT);
  printf("\nFlags win over .onnxls.json: the nearest one to the files, else to this folder.\n"
         "Exit codes: 0 nothing found but infos and hints, 1 errors or warnings found,\n"
         "2 something could not be read or makes no sense, 101 a bug of onnxls.\n");
}

MUST_USE static Status check_torch(const OptionReader *reader)
{
  TorchChoice choice;
  if (symbolics_resolve_torch(symbolics_embedded(), str_from(reader->value), &choice))
    return OK;
  say("%s: --torch can't be '%s'; it is a version such as 2.6, or auto", reader->command, reader->value);
  return ERR_USAGE;
}

MUST_USE static Status check_runtime(const OptionReader *reader)
{
  RuntimeChoice choice;
  if (symbolics_resolve_runtime(symbolics_embedded(), str_from(reader->value), &choice))
    return OK;
  say("%s: --runtime can't be '%s'; it is a runtime such as 'onnxruntime 1.21'", reader->command, reader->value);
  return ERR_USAGE;
}

static bool terminal_has_color(void)
{
  const char *term = getenv("TERM");
  const char *no_color = getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) && !(no_color && no_color[0]) && term && strcmp(term, "dumb") != 0;
}

MUST_USE static Status read_format(const OptionReader *reader, ReportFormat *ret_format)
{
  const char *names[REPORT_FORMAT_COUNT];
  for (int i = 0; i < REPORT_FORMAT_COUNT; i++)
    names[i] = report_format_name((ReportFormat)i);
  size_t choice = 0;
  Status status = option_choice(reader, names, REPORT_FORMAT_COUNT, &choice);
  if (status == OK)
    *ret_format = (ReportFormat)choice;
  return status;
}

/// What a flag without a value turns on; NULL for others.
static bool *switch_of(CheckFlags *flags, CheckFlag flag)
{
  switch (flag) {
  case FLAG_DRY_RUN:
    return &flags->is_dry_run;
  case FLAG_EXIT_ZERO:
    return &flags->exit_zero;
  case FLAG_FIX:
    return &flags->wants_fix;
  case FLAG_GROUP:
    return &flags->groups;
  case FLAG_HELP:
    return &flags->wants_help;
  case FLAG_NO_CACHE:
    return &flags->skips_cache;
  case FLAG_SHOW_SOURCE:
    return &flags->style.show_source;
  case FLAG_UPDATE_BASELINE:
    return &flags->updates_baseline;
  default:
    return NULL;
  }
}

MUST_USE static Status read_color(const OptionReader *reader, bool *ret_color)
{
  size_t choice = 0;
  Status status = option_choice(reader, color_names, COUNT(color_names), &choice);
  if (status == OK)
    *ret_color = choice == 0 ? terminal_has_color() : choice == 1;
  return status;
}

MUST_USE static Status read_exporter(const OptionReader *reader, CheckFlags *flags)
{
  size_t choice = 0;
  Status status = option_choice(reader, exporter_names, EXPORTER_COUNT, &choice);
  flags->has_exporter = true;
  flags->exporter = (Exporter)choice;
  return status;
}

MUST_USE static Status read_severity(const OptionReader *reader, CheckFlags *flags)
{
  size_t choice = 0;
  Status status = option_choice(reader, severity_names + SEVERITY_ERROR, SEVERITY_COUNT - SEVERITY_ERROR, &choice);
  flags->has_severity = true;
  flags->style.least = (Severity)(SEVERITY_ERROR + choice);
  return status;
}

MUST_USE static Status take_number(CheckFlags *flags, const OptionReader *reader)
{
  uint64_t number = 0;
  Status status = OK;
  if (reader->option == FLAG_JOBS) {
    status = option_number(reader, 1, MOST_THREADS, &number);
    flags->threads = (size_t)number;
  } else if (reader->option == FLAG_OPSET) {
    status = option_number(reader, 1, OPSET_LIMIT, &number);
    flags->opset = (int)number;
  } else if (reader->option == FLAG_TIMEOUT_WORK) {
    status = option_number(reader, 1, MOST_WORK, &number);
    flags->timeout_work = (size_t)number;
  } else {
    status = option_number(reader, 0, MOST_DIAGNOSTICS, &number);
    flags->has_max_diagnostics = true;
    flags->max_diagnostics = (uint32_t)number;
  }
  return status;
}

MUST_USE static Status take_value(CheckFlags *flags, const OptionReader *reader)
{
  switch ((CheckFlag)reader->option) {
  case FLAG_BASELINE:
    flags->baseline = reader->value;
    return OK;
  case FLAG_COLOR:
    return read_color(reader, &flags->style.color);
  case FLAG_EXPORTER:
    return read_exporter(reader, flags);
  case FLAG_FILES_FROM:
    flags->reads_list_from_stdin |= strcmp(reader->value, "-") == 0;
    vec_push(&flags->operands, ((CheckOperand){ reader->value, .is_list = true }));
    return OK;
  case FLAG_FORMAT:
    return read_format(reader, &flags->style.format);
  case FLAG_IGNORE:
    return rule_choice_ignore(&flags->rules, reader);
  case FLAG_RUNTIME:
    flags->runtime = reader->value;
    return check_runtime(reader);
  case FLAG_SELECT:
    return rule_choice_select(&flags->rules, reader);
  case FLAG_SEVERITY:
    return read_severity(reader, flags);
  case FLAG_SHARD:
    return file_names_read_shard(reader, &flags->shard, &flags->shard_count);
  case FLAG_STDIN_FILENAME:
    flags->stdin_filename = reader->value;
    return OK;
  case FLAG_TORCH:
    flags->torch = reader->value;
    return check_torch(reader);
  default:
    return take_number(flags, reader);
  }
}

MUST_USE static Status take_flag(CheckFlags *flags, const OptionReader *reader)
{
  bool *is_on = switch_of(flags, (CheckFlag)reader->option);
  if (is_on)
    *is_on = true;
  else if (reader->option == FLAG_DIFF)
    flags->wants_fix = flags->is_dry_run = true;
  else if (reader->option == FLAG_ONE_LINE)
    flags->style.show_source = false;
  else
    return take_value(flags, reader);
  return OK;
}

static size_t count_stdin(const FileList *list)
{
  size_t count = 0;
  for (size_t i = 0; i < list->files.count; i++)
    count += list->files.items[i].is_stdin;
  return count;
}

/// What flags and files mean together.
MUST_USE static Status settle(CheckFlags *flags)
{
  const char *problem = NULL;
  size_t stdin_count = count_stdin(&flags->files);
  if (stdin_count > 1)
    problem = "- can be given only once";
  else if (stdin_count > 0 && flags->reads_list_from_stdin)
    problem = "standard input is either a document or the list of files";
  else if (flags->updates_baseline && !flags->baseline)
    problem = "--update-baseline needs --baseline, which says where";
  else if (flags->updates_baseline && (flags->fix == FIX_SHOW || flags->shard > 0))
    problem = "--update-baseline wants a report of all files, not a part or a diff";
  else if (flags->is_dry_run && !flags->wants_fix)
    problem = "--dry-run says what --fix would do, so it needs --fix";
  else if (stdin_count > 0 && flags->fix == FIX_FILES)
    problem = "--fix can't change standard input; --diff prints what it would change";
  if (!problem)
    return OK;
  say("onnxls check: %s", problem);
  return ERR_USAGE;
}

MUST_USE static Status read_words(OptionReader *reader, CheckFlags *flags)
{
  for (;;) {
    switch (option_next(reader)) {
    case OPTION_BAD:
      return ERR_USAGE;
    case OPTION_OPERAND:
      vec_push(&flags->operands, ((CheckOperand){ reader->value, .is_list = false }));
      break;
    case OPTION_FLAG:
      if (take_flag(flags, reader) != OK)
        return ERR_USAGE;
      break;
    case OPTION_END:
      if (flags->operands.count > 0 || flags->wants_help)
        return OK;
      say("%s: name a file, a folder, or - for standard input", reader->command);
      return ERR_USAGE;
    }
  }
}

Status check_flags_read(int argc, char **argv, CheckFlags *flags)
{
  bool at_terminal = isatty(STDOUT_FILENO);
  *flags = (CheckFlags){ .style = { .show_source = at_terminal, .color = terminal_has_color() } };
  flags->files.languages = IN_GRAPHS | IN_CODE | IN_SOURCES | IN_REQUIREMENTS;
  flags->files.keeps_silent = true;
  flags->files.takes_models = true;
  flags->files.keeps_missing = true;
  flags->folder = memory_taken(getcwd(NULL, 0));
  flags->style.folder = flags->folder ? flags->folder : "/";
  OptionReader reader = option_reader("onnxls check", options, FLAG_COUNT, argc, argv);
  Status status = read_words(&reader, flags);
  if (!flags->has_severity)
    flags->style.least = report_default_severity(flags->style.format);
  flags->fix = !flags->wants_fix ? FIX_NOTHING : flags->is_dry_run ? FIX_SHOW : FIX_FILES;
  if (status != OK)
    check_flags_done(flags);
  return status;
}

/// The folder itself, or that of the file.
static Str folder_of_operand(const CheckFlags *flags, const char *word, Arena *arena)
{
  struct stat found;
  Str path = path_join(str_from(flags->folder), str_from(word), arena);
  return stat(path.data, &found) == 0 && S_ISDIR(found.st_mode) ? path : path_parent(path);
}

static Str common_folder(Str a, Str b)
{
  while (a.len > 0 && !path_is_within(b, a))
    a = path_parent(a);
  return a;
}

Str check_flags_common_folder(const CheckFlags *flags, Arena *arena)
{
  Str folder = { 0 };
  for (size_t i = 0; i < flags->operands.count; i++) {
    const CheckOperand *operand = &flags->operands.items[i];
    bool is_stdin = strcmp(operand->word, "-") == 0;
    const char *word = is_stdin ? flags->stdin_filename : operand->word;
    if (operand->is_list || !word)
      return str_from(flags->folder);
    Str own = folder_of_operand(flags, word, arena);
    folder = i == 0 ? own : common_folder(folder, own);
  }
  return folder;
}

Status check_flags_find(CheckFlags *flags)
{
  Status status = OK;
  FileList *list = &flags->files;
  for (size_t i = 0; i < flags->operands.count && status == OK; i++) {
    const CheckOperand *operand = &flags->operands.items[i];
    if (operand->is_list)
      status = file_names_read(operand->word, list);
    else
      files_find(list, operand->word);
  }
  for (size_t i = 0; i < list->files.count; i++) {
    list->files.items[i].needs_no_lines = true;
    list->files.items[i].most_work = flags->timeout_work * LOAD_WORK_UNIT;
  }
  return status == OK ? settle(flags) : status;
}

void check_flags_done(CheckFlags *flags)
{
  files_done(&flags->files);
  vec_free(&flags->operands);
  free(flags->folder);
  free(flags->settings_folder);
}
