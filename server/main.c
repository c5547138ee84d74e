// The program: a crash handler, and the command line behind it.
#include "cli/commands.h"
#include "cli/crash.h"

int main(int argc, char **argv)
{
  crash_install();
  return cli_main(argc, argv);
}
