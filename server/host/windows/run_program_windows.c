// host/run_program.h for Windows: the program and all that it starts are one job, which ends with it.
#include <process.h>
#include <windows.h>

#include "base/limits.h"
#include "host/run_program.h"
#include "wide.h"

enum { TICK_MS = 50 };

typedef struct Run {
  HANDLE out[2];  ///< To read from, to write to; NULL when closed.
  HANDLE err[2];
  HANDLE input;
  HANDLE job;
  PROCESS_INFORMATION process;
} Run;

static volatile LONG was_interrupted;

static BOOL WINAPI on_interrupt(DWORD event)
{
  InterlockedExchange(&was_interrupted, 1);
  return TRUE;
}

static void close_one(HANDLE *handle)
{
  if (*handle)
    CloseHandle(*handle);
  *handle = NULL;
}

static void close_all(Run *run)
{
  for (int i = 0; i < 2; i++) {
    close_one(&run->out[i]);
    close_one(&run->err[i]);
  }
  close_one(&run->input);
  close_one(&run->process.hThread);
  close_one(&run->process.hProcess);
  close_one(&run->job);  // Ends what is left of it.
}

/// An argument as CommandLineToArgvW() reads it.
static void append_argument(Buffer *line, const char *argument)
{
  buffer_append(line, line->len > 0 ? STR(" \"") : STR("\""));
  size_t backslashes = 0;
  for (const char *at = argument; *at; at++) {
    // Before a quotation mark a backslash counts for itself only when it is doubled.
    for (size_t i = 0; *at == '"' && i <= backslashes; i++)
      buffer_append_char(line, '\\');
    backslashes = *at == '\\' ? backslashes + 1 : 0;
    buffer_append_char(line, *at);
  }
  for (size_t i = 0; i < backslashes; i++)
    buffer_append_char(line, '\\');
  buffer_append_char(line, '"');
}

static wchar_t *command_line(char *const *argv)
{
  Buffer line = { 0 };
  for (size_t i = 0; argv[i]; i++)
    append_argument(&line, argv[i]);
  buffer_append_char(&line, '\0');
  wchar_t *wide = wide_from_utf8(line.data);
  buffer_done(&line);
  return wide;
}

static bool make_handles(Run *run)
{
  SECURITY_ATTRIBUTES inherited = { .nLength = sizeof(inherited), .bInheritHandle = TRUE };
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { 0 };
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  run->job = CreateJobObjectW(NULL, NULL);
  HANDLE input =
      CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inherited, OPEN_EXISTING, 0, NULL);
  run->input = input == INVALID_HANDLE_VALUE ? NULL : input;
  return run->job && run->input &&
         SetInformationJobObject(run->job, JobObjectExtendedLimitInformation, &limits, sizeof(limits)) &&
         CreatePipe(&run->out[0], &run->out[1], &inherited, 0) &&
         CreatePipe(&run->err[0], &run->err[1], &inherited, 0) &&
         SetHandleInformation(run->out[0], HANDLE_FLAG_INHERIT, 0) &&
         SetHandleInformation(run->err[0], HANDLE_FLAG_INHERIT, 0);
}

/// Suspended until it belongs to the job, so that nothing it starts escapes.
static bool start(Run *run, const RunPlan *plan)
{
  STARTUPINFOW startup = { .cb = sizeof(startup), .dwFlags = STARTF_USESTDHANDLES };
  if (!make_handles(run))
    return false;
  startup.hStdInput = run->input;
  startup.hStdOutput = run->out[1];
  startup.hStdError = run->err[1];
  wchar_t *line = command_line(plan->argv);
  wchar_t *folder = wide_from_path(plan->folder);
  wchar_t *variable = plan->variable ? wide_from_utf8(plan->variable) : NULL;
  if (variable)
    _wputenv(variable);  // This process is a command that has nothing else to do with it.
  bool is_started =
      CreateProcessW(NULL, line, NULL, NULL, TRUE, CREATE_SUSPENDED, NULL, folder, &startup, &run->process) &&
      AssignProcessToJobObject(run->job, run->process.hProcess) && ResumeThread(run->process.hThread) != (DWORD)-1;
  DWORD error = GetLastError();
  free(line);
  free(folder);
  free(variable);
  close_one(&run->out[1]);
  close_one(&run->err[1]);
  SetLastError(error);
  return is_started;
}

/// What is in the pipe now; keeps the end of all that came.
static void read_waiting(HANDLE pipe, Buffer *kept)
{
  char piece[4096];
  DWORD waiting = 0;
  DWORD got = 0;
  while (PeekNamedPipe(pipe, NULL, 0, NULL, &waiting, NULL) && waiting > 0 &&
         ReadFile(pipe, piece, sizeof(piece), &got, NULL) && got > 0) {
    buffer_append(kept, str_make(piece, got));
    if (kept->len > RUN_OUTPUT_LIMIT) {
      memmove(kept->data, kept->data + kept->len - RUN_OUTPUT_LIMIT, RUN_OUTPUT_LIMIT);
      kept->len = RUN_OUTPUT_LIMIT;
    }
  }
}

static void look_after(Run *run, const RunPlan *plan, RunResult *result)
{
  ULONGLONG deadline = GetTickCount64() + (ULONGLONG)plan->timeout * 1000;
  DWORD code = 0;
  while (WaitForSingleObject(run->process.hProcess, TICK_MS) == WAIT_TIMEOUT) {
    read_waiting(run->out[0], &result->out);
    read_waiting(run->err[0], &result->err);
    result->interrupted = was_interrupted != 0;
    result->timed_out = GetTickCount64() >= deadline;
    if (result->interrupted || result->timed_out)
      TerminateJobObject(run->job, 1);
  }
  read_waiting(run->out[0], &result->out);
  read_waiting(run->err[0], &result->err);
  GetExitCodeProcess(run->process.hProcess, &code);
  result->exit_code = (int)code;
}

Status run_program(const RunPlan *plan, RunResult *ret_result)
{
  Run run = { 0 };
  RunResult result = { .signal = 0 };
  InterlockedExchange(&was_interrupted, 0);
  SetConsoleCtrlHandler(on_interrupt, TRUE);
  bool is_started = start(&run, plan);
  if (is_started) {
    look_after(&run, plan, &result);
    *ret_result = result;
  } else {
    wide_fail();
  }
  int error = errno;
  SetConsoleCtrlHandler(on_interrupt, FALSE);
  close_all(&run);
  errno = error;
  return is_started ? OK : ERR_IO;
}

void run_program_result_done(RunResult *result)
{
  buffer_done(&result->out);
  buffer_done(&result->err);
}
