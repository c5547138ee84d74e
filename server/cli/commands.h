/// The command line: the table of subcommands and the way to them.
///
/// Adding a subcommand is one file cli/NAME.c, its function here, and one line in the table of commands.c.
///
/// Ownership: argv belongs to the caller and outlives the call.
/// Errors:    exit codes below; every message goes to stderr.
/// Threads:   the main thread.
/// Sources:   docs/check.md, "Exit codes".
#pragma once

#include <stddef.h>

enum {
  EXIT_CLEAN = 0,
  EXIT_FINDINGS = 1,
  EXIT_USAGE = 2,       ///< Also what the system refused, and broken settings.
  EXIT_INTERNAL = 101,  ///< A bug of ours.
};

typedef struct Command {
  const char *name;
  const char *summary;                ///< One line.
  int (*run)(int argc, char **argv);  ///< argv[0] is the command's name; returns an exit code.
} Command;

int cli_main(int argc, char **argv);

/// The table, in alphabetical order.
const Command *command_table(size_t *ret_count);
/// NULL if there is none of that name.
const Command *command_find(const char *name);
/// Says on stderr that there is no such command, and what may be meant; returns the exit code for that.
int command_complain(const char *word);

int cli_check(int argc, char **argv);
int cli_db(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_explain(int argc, char **argv);
int cli_fmt(int argc, char **argv);
int cli_graph(int argc, char **argv);
int cli_help(int argc, char **argv);
int cli_init(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_ops(int argc, char **argv);
int cli_rules(int argc, char **argv);
int cli_show(int argc, char **argv);
int cli_version(int argc, char **argv);
int cli_why(int argc, char **argv);
