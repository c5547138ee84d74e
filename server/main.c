// The program: last words for a crash, and the command line after it.
#include "cli/commands.h"
#include "host/lastwords.h"

int main(int argc, char **argv)
{
  lastwords_install();
  return cli_main(argc, argv);
}
