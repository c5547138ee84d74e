/// Command line flags from a table: `--name`, `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`, `--` and operands.
///
/// Ownership: borrows argv and the table.
/// Errors:    a word that is not in the table gets its message on stderr (with the nearest one) and OPTION_BAD.
/// Threads:   the main thread.
/// Sources:   POSIX.1-2017, 12.2 Utility Syntax Guidelines; flags and operands may be mixed.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

typedef struct Option {
  const char *name;     ///< Without the dashes.
  char letter;          ///< 0 if it has none.
  const char *value;    ///< What the help calls its value; NULL for a switch.
  const char *summary;  ///< For the help; may hold line breaks.
} Option;

typedef enum OptionKind {
  OPTION_END,
  OPTION_FLAG,     ///< `option` and, if it takes one, `value`.
  OPTION_OPERAND,  ///< `value`.
  OPTION_BAD,      ///< Said already.
} OptionKind;

typedef struct OptionReader {
  const char *command;
  const Option *options;
  size_t option_count;
  int argc;
  char **argv;
  int next;
  bool only_operands;  ///< After "--".
  size_t option;       ///< Index into `options`.
  const char *value;
} OptionReader;

/// From the word after the command on; `command` is for messages: "onnxls check".
static inline OptionReader option_reader(const char *command, const Option *options, size_t count, int argc,
                                         char **argv)
{
  return (OptionReader){
    .command = command, .options = options, .option_count = count, .argc = argc, .argv = argv, .next = 1
  };
}

OptionKind option_next(OptionReader *reader);
void option_print_help(const Option *options, size_t count);
/// The flag's value as a number; ERR_USAGE after a message.
MUST_USE Status option_number(const OptionReader *reader, uint64_t least, uint64_t most, uint64_t *ret_number);
/// The flag's value as one of `choices`; ERR_USAGE after a message.
MUST_USE Status option_choice(const OptionReader *reader, const char *const *choices, size_t count, size_t *ret_choice);
