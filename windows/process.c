// What a program asks about its process and its machine, and how it begins.
#include <process.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <windows.h>

#include "wide.h"

// --- Crashes ---

static void (*on_crash)(int number);

static LONG WINAPI filter(EXCEPTION_POINTERS *exception)
{
  DWORD code = exception->ExceptionRecord->ExceptionCode;
  bool is_arithmetic = code == EXCEPTION_INT_DIVIDE_BY_ZERO || code == EXCEPTION_FLT_DIVIDE_BY_ZERO;
  on_crash(is_arithmetic ? SIGFPE : code == EXCEPTION_ILLEGAL_INSTRUCTION ? SIGILL : SIGSEGV);
  return EXCEPTION_EXECUTE_HANDLER;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *ret_before)
{
  on_crash = action->sa_handler;
  SetUnhandledExceptionFilter(filter);
  if (number == SIGABRT)
    signal(SIGABRT, action->sa_handler);
  return 0;
}

const char *strsignal(int number)
{
  return number == SIGINT ? "Interrupt" : number == SIGTERM ? "Terminated" : "Hangup";
}

// --- Its environment ---

int setenv(const char *name, const char *value, int replaces)
{
  return replaces || !getenv(name) ? _putenv_s(name, value) : 0;
}

typedef struct Variable {
  struct Variable *next;
  char *name;
  char *value;
} Variable;

char *posix_getenv(const char *name)
{
  static Variable *known;
  for (Variable *variable = known; variable; variable = variable->next) {
    if (strcmp(variable->name, name) == 0)
      return variable->value;
  }
  // Temporary files have their folder under another name.
  wchar_t *wide = wide_from_utf8(strcmp(name, "TMPDIR") == 0 ? "TEMP" : name);
  const wchar_t *value = _wgetenv(wide);
  free(wide);
  Variable *variable = value ? malloc(sizeof(*variable)) : NULL;
  if (!variable)
    return NULL;
  *variable = (Variable){ known, _strdup(name), wide_to_utf8(value) };
  known = variable;
  return variable->value;
}

// --- Its machine ---

static int processors(void)
{
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return (int)info.dwNumberOfProcessors;
}

long sysconf(int what)
{
  return processors();
}

int sched_getaffinity(int process, size_t size, cpu_set_t *ret_set)
{
  ret_set->count = processors();
  return 0;
}

int uname(struct utsname *ret_name)
{
  *ret_name = (struct utsname){ "Windows", "x86_64" };
  return 0;
}

int getrlimit(int resource, struct rlimit *ret_limit)
{
  if (resource != RLIMIT_NOFILE)
    return -1;
  ret_limit->rlim_cur = ret_limit->rlim_max = (unsigned long long)_getmaxstdio();
  return 0;
}

int ioctl(int descriptor, int request, struct winsize *ret_size)
{
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (!GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(descriptor), &info))
    return -1;
  ret_size->ws_col = (unsigned short)(info.srWindow.Right - info.srWindow.Left + 1);
  ret_size->ws_row = (unsigned short)(info.srWindow.Bottom - info.srWindow.Top + 1);
  return 0;
}

// --- Text ---

void *memmem(const void *text, size_t text_len, const void *part, size_t part_len)
{
  const char *at = text;
  const char *end = at + text_len;
  if (part_len == 0)
    return (void *)text;
  while ((size_t)(end - at) >= part_len && (at = memchr(at, *(const char *)part, (size_t)(end - at) - part_len + 1))) {
    if (memcmp(at, part, part_len) == 0)
      return (void *)at;
    at++;
  }
  return NULL;
}

// --- How it begins ---

/// Whether the argument names something: what is there, or could be made in a folder that is there.
static bool is_name_of_file(const wchar_t *argument)
{
  if (GetFileAttributesW(argument) != INVALID_FILE_ATTRIBUTES)
    return true;
  const wchar_t *last = wcsrchr(argument, L'\\');
  wchar_t *folder = _wcsdup(argument);
  if (!last || !folder)
    return false;
  folder[last - argument] = L'\0';
  DWORD attributes = GetFileAttributesW(folder);
  free(folder);
  return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/// Names of files get slashes, also as the value of an option ("--log-file=C:\x"); any other argument stays as it is.
static char *read_argument(const wchar_t *argument)
{
  const wchar_t *equals = wcsncmp(argument, L"--", 2) == 0 ? wcschr(argument, L'=') : NULL;
  const wchar_t *value = equals ? equals + 1 : argument;
  char *utf8 = wide_to_utf8(argument);
  if (!wcschr(value, L'\\') || !is_name_of_file(value))
    return utf8;
  char *path = wide_to_path(value);
  char *head = utf8 + (equals ? strchr(utf8, '=') + 1 - utf8 : 0);
  strcpy(head, path);  // As long as what was there: each backslash is a slash now.
  free(path);
  return utf8;
}

/// Bytes go through as they are, and a console shows UTF-8.
static void open_streams(void)
{
  _setmode(0, _O_BINARY);
  _setmode(1, _O_BINARY);
  _setmode(2, _O_BINARY);
  SetConsoleOutputCP(CP_UTF8);
}

int wmain(int argc, wchar_t **argv);

int wmain(int argc, wchar_t **argv)
{
  char **arguments = calloc((size_t)argc + 1, sizeof(*arguments));
  if (!arguments)
    return 2;
  for (int i = 0; i < argc; i++)
    arguments[i] = read_argument(argv[i]);
  open_streams();
  int code = posix_main(argc, arguments);
  for (int i = 0; i < argc; i++)
    free(arguments[i]);
  free(arguments);
  return code;
}
