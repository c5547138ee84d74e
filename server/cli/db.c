// `onnxls db`: the facts in use. Flags are read here; what is done is in db_*.c.
#include <stdio.h>

#include "cli/commands.h"
#include "cli/db_private.h"
#include "host/say.h"

enum { TIMEOUT_SECONDS = 300, LONGEST_TIMEOUT = 24 * 3600 };

typedef enum DbFlag {
  FLAG_FORMAT,
  FLAG_HELP,
  FLAG_IMPORT,
  FLAG_OUTPUT,
  FLAG_PYTHON,
  FLAG_TIMEOUT,
  FLAG_COUNT,
} DbFlag;

static const Option options[FLAG_COUNT] = {
  [FLAG_FORMAT] = { "format", 0, "FORMAT", "list, diff: text or json" },
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
  [FLAG_IMPORT] = { "import", 0, "MODULE", "import: a module of yours that registers operators; may be repeated" },
  [FLAG_OUTPUT] = { "output", 'o', "FILE", "import: where the facts go; onnxls-facts.json if not given" },
  [FLAG_PYTHON] = { "python", 0, "PATH", "import: the interpreter to run" },
  [FLAG_TIMEOUT] = { "timeout", 0, "SECONDS", "import: how long it may take; 300 if not given" },
};

static const char *const format_names[] = { "text", "json" };

static const struct {
  const char *name;
  size_t operands;
  int (*run)(const DbFlags *flags);
} parts[] = { { "diff", 2, db_diff }, { "import", 0, db_import }, { "list", 0, db_list } };

enum { PART_COUNT = COUNT(parts) };

static void print_help(void)
{
  printf(
      "usage: onnxls db list [--format json]\n"
      "       onnxls db diff A B [--format json]\n"
      "       onnxls db import --python PATH [--output FILE] [--import MODULE]\n\n"
      "The facts that onnxls answers from. list shows what is loaded and where it comes from. diff tells what\n"
      "differs between torch-2.6 and torch-2.14, opset-13 and opset-18, onnx-1.14 and onnx-1.17; one side may be a\n"
      "file of facts. import runs the interpreter that you name, asks its torch and onnx, and writes a file of facts\n"
      "that .onnxls.json can name: \"db\": [\"onnxls-facts.json\"].\n\n");
  option_print_help(options, FLAG_COUNT);
  printf("\nExit codes: 0 done (diff: no difference), 1 diff: differences, 2 something failed or makes no sense.\n");
}

MUST_USE static Status take_flag(DbFlags *flags, const OptionReader *reader)
{
  uint64_t number = 0;
  size_t choice = 0;
  Status status = OK;
  switch ((DbFlag)reader->option) {
  case FLAG_FORMAT:
    status = option_choice(reader, format_names, 2, &choice);
    flags->as_json = choice == 1;
    break;
  case FLAG_HELP:
    flags->wants_help = true;
    break;
  case FLAG_IMPORT:
    if (flags->module_count == COUNT(flags->modules)) {
      say("%s: too many modules; let one of them import the others", reader->command);
      return ERR_USAGE;
    }
    flags->modules[flags->module_count++] = reader->value;
    break;
  case FLAG_OUTPUT:
    flags->output = reader->value;
    break;
  case FLAG_PYTHON:
    flags->python = reader->value;
    break;
  case FLAG_TIMEOUT:
    status = option_number(reader, 1, LONGEST_TIMEOUT, &number);
    flags->timeout = (int)number;
    break;
  case FLAG_COUNT:
    break;
  }
  return status;
}

MUST_USE static Status read_words(DbFlags *flags, OptionReader *reader)
{
  for (;;) {
    switch (option_next(reader)) {
    case OPTION_BAD:
      return ERR_USAGE;
    case OPTION_FLAG:
      if (take_flag(flags, reader) != OK)
        return ERR_USAGE;
      break;
    case OPTION_OPERAND:
      if (flags->operand_count == COUNT(flags->operands)) {
        say("%s: '%s' is a word too many", reader->command, reader->value);
        return ERR_USAGE;
      }
      flags->operands[flags->operand_count++] = reader->value;
      break;
    case OPTION_END:
      return OK;
    }
  }
}

static int run_part(const DbFlags *flags)
{
  const char *name = flags->operand_count > 0 ? flags->operands[0] : "";
  for (size_t i = 0; i < PART_COUNT; i++) {
    if (strcmp(parts[i].name, name) != 0)
      continue;
    if (flags->operand_count == parts[i].operands + 1)
      return parts[i].run(flags);
    say("onnxls db: %s takes %s; onnxls db --help", name,
        parts[i].operands == 2 ? "two sides, such as torch-2.6 torch-2.14" : "no further words");
    return EXIT_USAGE;
  }
  if (*name)
    say("onnxls db: '%s' is none of list, diff and import", name);
  else
    say("onnxls db: say list, diff or import");
  return EXIT_USAGE;
}

int cli_db(int argc, char **argv)
{
  DbFlags flags = { .timeout = TIMEOUT_SECONDS };
  OptionReader reader = option_reader("onnxls db", options, FLAG_COUNT, argc, argv);
  if (read_words(&flags, &reader) != OK)
    return EXIT_USAGE;
  if (flags.wants_help) {
    print_help();
    return EXIT_CLEAN;
  }
  return run_part(&flags);
}
