#include "wide.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

static void *allocate(size_t size)
{
  void *memory = malloc(size);
  if (!memory)
    abort();
  return memory;
}

wchar_t *wide_from_utf8(const char *text)
{
  int count = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
  wchar_t *wide = allocate((size_t)(count > 0 ? count : 1) * sizeof(*wide));
  wide[0] = L'\0';
  MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, count);
  return wide;
}

char *wide_to_utf8(const wchar_t *text)
{
  int count = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
  char *utf8 = allocate((size_t)(count > 0 ? count : 1));
  utf8[0] = '\0';
  WideCharToMultiByte(CP_UTF8, 0, text, -1, utf8, count, NULL, NULL);
  return utf8;
}

char *wide_to_path(const wchar_t *path)
{
  static const wchar_t verbatim[] = L"\\\\?\\";
  static const wchar_t share[] = L"\\\\?\\UNC\\";
  bool is_share = wcsncmp(path, share, wcslen(share)) == 0;
  if (is_share)
    path += wcslen(share) - 2;
  else if (wcsncmp(path, verbatim, wcslen(verbatim)) == 0)
    path += wcslen(verbatim);
  char *utf8 = wide_to_utf8(path);
  if (is_share)
    utf8[0] = '\\';
  for (char *at = utf8; *at; at++)
    *at = *at == '\\' ? '/' : *at;
  if (utf8[0] && utf8[1] == ':')
    utf8[0] = (char)(utf8[0] | 0x20);
  return utf8;
}

wchar_t *wide_from_path(const char *path)
{
  return wide_from_utf8(strcmp(path, "/dev/null") == 0 ? "NUL" : path);
}

int wide_fail(void)
{
  static const struct {
    DWORD theirs;
    int ours;
  } known[] = {
    { ERROR_FILE_NOT_FOUND, ENOENT },
    { ERROR_PATH_NOT_FOUND, ENOENT },
    { ERROR_INVALID_NAME, ENOENT },
    { ERROR_BAD_NETPATH, ENOENT },
    { ERROR_INVALID_DRIVE, ENOENT },
    { ERROR_DIRECTORY, ENOTDIR },
    { ERROR_FILE_EXISTS, EEXIST },
    { ERROR_ALREADY_EXISTS, EEXIST },
    { ERROR_DIR_NOT_EMPTY, ENOTEMPTY },
    { ERROR_TOO_MANY_OPEN_FILES, EMFILE },
    { ERROR_DISK_FULL, ENOSPC },
    { ERROR_HANDLE_DISK_FULL, ENOSPC },
    { ERROR_NOT_ENOUGH_MEMORY, ENOMEM },
    { ERROR_INVALID_HANDLE, EBADF },
    { ERROR_CANT_RESOLVE_FILENAME, ELOOP },
    { ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG },
    { ERROR_INVALID_PARAMETER, EINVAL },
    { ERROR_ACCESS_DENIED, EACCES },
    { ERROR_SHARING_VIOLATION, EACCES },
    { ERROR_WRITE_PROTECT, EROFS },
  };
  DWORD error = GetLastError();
  errno = EIO;
  for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
    if (known[i].theirs == error)
      errno = known[i].ours;
  }
  return -1;
}
