/// Running a program of the user's, with limits on its time and on what is kept of its output.
///
/// Ownership: the result's buffers are the caller's; run_program_result_done() frees them.
/// Units:     seconds, bytes.
/// Errors:    ERR_IO with errno set if it could not be started. How it ended is in the result.
/// Threads:   the main thread, while there is no other: it forks, and takes over SIGINT and SIGTERM meanwhile.
/// Sources:   POSIX.1-2017 fork(), setpgid(), poll().
#pragma once

#include "base/buffer.h"

typedef struct RunPlan {
  char *const *argv;     ///< argv[0] is looked for in PATH if it has no slash.
  const char *folder;    ///< Where it runs.
  const char *variable;  ///< "NAME=value" for its environment, or NULL.
  int timeout;
  size_t file_limit;  ///< It can't make a larger file.
} RunPlan;

typedef struct RunResult {
  bool timed_out;
  bool interrupted;  ///< By the user, who wants this process to end, too.
  int signal;        ///< 0 if it ended by itself.
  int exit_code;
  Buffer out;
  Buffer err;
} RunResult;

MUST_USE Status run_program(const RunPlan *plan, RunResult *ret_result);
void run_program_result_done(RunResult *result);
