// pipes.exe PROGRAM [ARGUMENT ...]: runs a program for Windows with pipes of Windows, as an editor would. Under Wine a
// program that Linux starts has files of Linux as its streams, which libuv can't wait for.
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

typedef struct Pump {
  HANDLE from;
  HANDLE to;
} Pump;

static DWORD WINAPI run_pump(void *argument)
{
  static const DWORD size = 64 * 1024;
  Pump *pump = argument;
  char *piece = malloc(size);
  DWORD got;
  DWORD written;
  while (piece && ReadFile(pump->from, piece, size, &got, NULL) && got > 0) {
    for (DWORD at = 0; at < got; at += written) {
      if (!WriteFile(pump->to, piece + at, got - at, &written, NULL))
        got = 0;
    }
  }
  free(piece);
  CloseHandle(pump->to);  // The end is passed on, too.
  return 0;
}

/// The arguments after our own name, as they are.
static wchar_t *rest_of_line(void)
{
  wchar_t *at = GetCommandLineW();
  wchar_t end = *at == L'"' ? L'"' : L' ';
  for (at += end == L'"'; *at && *at != end; at++)
    continue;
  at += *at == L'"';
  while (*at == L' ')
    at++;
  return at;
}

int main(void)
{
  SECURITY_ATTRIBUTES inherited = { .nLength = sizeof(inherited), .bInheritHandle = TRUE };
  STARTUPINFOW startup = { .cb = sizeof(startup), .dwFlags = STARTF_USESTDHANDLES };
  PROCESS_INFORMATION process;
  Pump in = { .from = GetStdHandle(STD_INPUT_HANDLE) };
  Pump out = { .to = GetStdHandle(STD_OUTPUT_HANDLE) };
  DWORD code = 125;
  startup.hStdError = GetStdHandle(STD_ERROR_HANDLE);
  if (!CreatePipe(&startup.hStdInput, &in.to, &inherited, 0) ||
      !CreatePipe(&out.from, &startup.hStdOutput, &inherited, 0))
    return 125;
  SetHandleInformation(in.to, HANDLE_FLAG_INHERIT, 0);
  SetHandleInformation(out.from, HANDLE_FLAG_INHERIT, 0);
  if (!CreateProcessW(NULL, rest_of_line(), NULL, NULL, TRUE, 0, NULL, NULL, &startup, &process)) {
    fprintf(stderr, "pipes: can't start: error %lu\n", GetLastError());
    return 125;
  }
  CloseHandle(startup.hStdInput);
  CloseHandle(startup.hStdOutput);
  CreateThread(NULL, 0, run_pump, &in, 0, NULL);
  run_pump(&out);
  WaitForSingleObject(process.hProcess, INFINITE);
  GetExitCodeProcess(process.hProcess, &code);
  ExitProcess(code);
}
