// `onnxls --help` (one screen) and `onnxls help COMMAND`.
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"

static int print_overview(void)
{
  size_t count;
  const Command *commands = command_table(&count);
  printf("onnxls: the language server for people who export PyTorch models to ONNX\n\n"
         "usage: onnxls [COMMAND] ...\n\n");
  for (size_t i = 0; i < count; i++)
    printf("  %-9s%s\n", commands[i].name, commands[i].summary);
  printf("\n`onnxls help COMMAND` has the flags of a command. Most used: onnxls check FILE --opset 17\n"
         "Settings come from .onnxls.json; docs/settings.md lists them.\n"
         "Exit codes: 0 clean, 1 errors or warnings found, 2 usage, files or settings, 101 a bug of onnxls.\n");
  return EXIT_CLEAN;
}

int cli_help(int argc, char **argv)
{
  if (argc < 2 || argv[1][0] == '-')
    return print_overview();
  const Command *command = command_find(argv[1]);
  if (!command)
    return command_complain(argv[1]);
  char help_flag[] = "--help";
  char *words[] = { argv[1], help_flag, NULL };
  return command->run(2, words);
}
