#include "cli/commands.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/nearest.h"
#include "cli/serve.h"
#include "host/large_pages.h"
#include "host/say.h"
#include "rpc/value.h"

static const Command commands[] = {
  // Keep alphabetized.
  { "check", "report what is wrong in dumps; `onnxls check --help` has the flags", cli_check },
  { "db", "the facts in use; import those of your own Python environment", cli_db },
  { "diff", "what differs between two graphs, apart from names and order", cli_diff },
  { "doctor", "which program, facts and settings are in force here", cli_doctor },
  { "explain", "what is known of an operator, an attribute or a rule", cli_explain },
  { "fmt", "ONNX text in one layout", cli_fmt },
  { "graph", "a picture of a graph: one HTML page or an SVG", cli_graph },
  { "help", "this page, or the flags of one command", cli_help },
  { "init", "write .onnxls.json from what the exports of a folder agree on", cli_init },
  { "merge", "the results of several runs of check --shard as one", cli_merge },
  { "ops", "every operator of dumps, and which exporter converts it at which opset", cli_ops },
  { "rules", "the rules of check, by name, severity or language", cli_rules },
  { "serve", "answer an editor over LSP (without any command, too)", cli_serve },
  { "show", "a binary model (.onnx) as ONNX text, weights left out", cli_show },
  { "version", "versions of the program and of its facts", cli_version },
  { "why", "a pasted exception, log, report or runtime message: cause, fix and place", cli_why },
};

const Command *command_table(size_t *ret_count)
{
  *ret_count = COUNT(commands);
  return commands;
}

const Command *command_find(const char *name)
{
  for (size_t i = 0; i < COUNT(commands); i++) {
    if (strcmp(commands[i].name, name) == 0)
      return &commands[i];
  }
  return NULL;
}

/// Somebody who names a file wants to know what is wrong in it.
static int complain_of_file(const char *word)
{
  const char *command = str_ends_with(str_from(word), STR(".onnx")) ? "show" : "check";
  say("onnxls: '%s' is a file and no command; did you mean: onnxls %s %s", word, command, word);
  return EXIT_USAGE;
}

int command_complain(const char *word)
{
  if (access(word, F_OK) == 0)
    return complain_of_file(word);
  const char *names[COUNT(commands)];
  for (size_t i = 0; i < COUNT(commands); i++)
    names[i] = commands[i].name;
  const char *near = nearest_word(word, names, COUNT(names));
  if (near)
    say("onnxls: there is no command '%s'; did you mean '%s'?", word, near);
  else
    say("onnxls: there is no command '%s'; see onnxls --help", word);
  return EXIT_USAGE;
}

int cli_main(int argc, char **argv)
{
  value_use_memory();
  if (argc < 2) {
    if (isatty(STDIN_FILENO))
      say("onnxls: waiting for an editor on standard input; onnxls --help says what else there is");
    return cli_serve(argc, argv);
  }
  const char *word = argv[1];
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
    return cli_help(argc - 1, argv + 1);
  if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0 || strcmp(word, "-v") == 0)
    return cli_version(argc - 1, argv + 1);
  if (word[0] == '-')
    return cli_serve(argc, argv);  // Editors start `onnxls --stdio`.

  const Command *command = command_find(word);
  if (!command)
    return command_complain(word);
  if (command->run != cli_serve)
    large_pages_take();
  return command->run(argc - 1, argv + 1);
}
