// `onnxls fmt`: ONNX text in one layout.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli_facts.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/options.h"
#include "cli/settings_here.h"
#include "core/features.h"
#include "host/replace_file.h"
#include "host/say.h"

typedef enum FmtFlag {
  FLAG_CHECK,
  FLAG_HELP,
  FLAG_WRITE,
  FLAG_COUNT,
} FmtFlag;

static const Option options[FLAG_COUNT] = {
  [FLAG_CHECK] = { "check", 0, NULL, "print nothing; say which files have another layout" },
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
  [FLAG_WRITE] = { "write", 'w', NULL, "write the files instead of printing them" },
};

typedef struct Fmt {
  FileList files;
  bool checks;
  bool writes;
  bool wants_help;
} Fmt;

static void print_help(void)
{
  printf(
      "usage: onnxls fmt FILE|- ... [flags]\n\n"
      "Prints ONNX text in one layout: a node a line, graphs indented. Only white space changes. What the parser of\n"
      "onnx does not read is left alone.\n\n");
  option_print_help(options, FLAG_COUNT);
  printf("\nExit codes: 0 done, 1 with --check: a file has another layout, 2 a file could not be read.\n");
}

static void take_flag(Fmt *fmt, const OptionReader *reader)
{
  fmt->checks |= reader->option == FLAG_CHECK;
  fmt->wants_help |= reader->option == FLAG_HELP;
  fmt->writes |= reader->option == FLAG_WRITE;
}

MUST_USE static Status read_words(Fmt *fmt, OptionReader *reader)
{
  for (;;) {
    switch (option_next(reader)) {
    case OPTION_BAD:
      return ERR_USAGE;
    case OPTION_FLAG:
      take_flag(fmt, reader);
      break;
    case OPTION_OPERAND:
      files_find(&fmt->files, reader->value);
      break;
    case OPTION_END:
      if (fmt->files.files.count > 0 || fmt->files.problems > 0 || fmt->wants_help)
        return OK;
      say("%s: name a file, or - for standard input", reader->command);
      return ERR_USAGE;
    }
  }
}

MUST_USE static int write_layout(const FoundFile *file, const char *shown, Str before, Str after)
{
  if (str_equal(before, after))
    return EXIT_CLEAN;
  if (replace_file(file->path, &before, after) == OK)
    return EXIT_CLEAN;
  say("onnxls: %s: %s", shown, strerror(errno));
  return EXIT_USAGE;
}

static int put_layout(const Fmt *fmt, const FoundFile *file, const char *shown, Str before, Str after)
{
  if (fmt->checks) {
    if (!str_equal(before, after))
      say("onnxls: %s: has another layout", shown);
    return str_equal(before, after) ? EXIT_CLEAN : EXIT_FINDINGS;
  }
  if (fmt->writes && !file->is_stdin)
    return write_layout(file, shown, before, after);
  fwrite(after.data, 1, after.len, stdout);
  return EXIT_CLEAN;
}

static int format_snapshot(const Fmt *fmt, const FoundFile *file, const char *shown, const Snapshot *snapshot,
                           Arena *arena)
{
  FeatureContext context = { .snapshot = snapshot, .arena = arena };
  const Document *document = snapshot_document(snapshot);
  TextLayout layout = feature_format(&context);
  if (!layout.is_known && layout.text.len == 0 && !file->is_named)
    return EXIT_CLEAN;  // Of a folder only what has a layout is meant.
  if (!layout.is_known) {
    say("onnxls: %s: %.*s", shown,
        STR_ARG(layout.text.len > 0 ? layout.text : STR("fmt lays out ONNX text, and this is none")));
    return EXIT_USAGE;
  }
  Str before = document_slice(document, (Range){ 0, document_length(document) }, arena);
  return put_layout(fmt, file, shown, before, layout.text);
}

static int format_file(const Fmt *fmt, const FoundFile *file, const Target *target)
{
  const char *shown = file->is_stdin ? "<stdin>" : file->path;
  Arena arena = { 0 };
  Buffer notes = { 0 };
  Coverage coverage;
  int code = EXIT_USAGE;
  Snapshot *snapshot = load_snapshot(file, shown, target, 1, &notes, &arena, &coverage);
  say_lines(stderr, buffer_str(&notes));
  if (snapshot && coverage.is_converted)
    say("onnxls: %s: a binary model has no layout; onnxls show prints its text", shown);
  else if (snapshot && !load_has_failed(file, &coverage))
    code = format_snapshot(fmt, file, shown, snapshot, &arena);
  snapshot_release(snapshot);
  buffer_done(&notes);
  arena_done(&arena);
  return code;
}

static int run(const Fmt *fmt)
{
  CliFacts facts;
  FactsFlags flags = { 0 };
  Buffer problems = { 0 };
  if (cli_facts_open(&facts, &flags) != OK)
    return EXIT_USAGE;
  int code = fmt->files.problems > 0 ? EXIT_USAGE : EXIT_CLEAN;
  Target *target = settings_target(&facts.settings, &problems);
  if (settings_here_report(&problems) != OK)
    code = EXIT_USAGE;
  for (size_t i = 0; i < fmt->files.files.count; i++) {
    int one = format_file(fmt, &fmt->files.files.items[i], target);
    code = one > code ? one : code;
  }
  if (fflush(stdout) != 0) {
    say("onnxls: standard output: %s", strerror(errno));
    code = EXIT_USAGE;
  }
  target_release(target);
  cli_facts_close(&facts);
  buffer_done(&problems);
  return code;
}

int cli_fmt(int argc, char **argv)
{
  Fmt fmt = { .files = { .languages = IN_GRAPHS } };
  OptionReader reader = option_reader("onnxls fmt", options, FLAG_COUNT, argc, argv);
  int code = EXIT_USAGE;
  if (read_words(&fmt, &reader) == OK) {
    code = EXIT_CLEAN;
    if (fmt.wants_help)
      print_help();
    else
      code = run(&fmt);
  }
  files_done(&fmt.files);
  return code;
}
