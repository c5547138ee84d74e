// Files by name, opened so that others can rename and delete them meanwhile.
#include <ftw.h>
#include <windows.h>

#include "wide.h"

static const DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

static DWORD disposition_of(int flags)
{
  if (flags & O_CREAT)
    return flags & O_EXCL ? CREATE_NEW : flags & O_TRUNC ? CREATE_ALWAYS : OPEN_ALWAYS;
  return flags & O_TRUNC ? TRUNCATE_EXISTING : OPEN_EXISTING;
}

int posix_open(const char *path, int flags, ...)
{
  int kind = flags & (O_RDONLY | O_WRONLY | O_RDWR);
  DWORD access = kind == O_RDWR ? GENERIC_READ | GENERIC_WRITE : kind == O_WRONLY ? GENERIC_WRITE : GENERIC_READ;
  wchar_t *wide = wide_from_path(path);
  // With backup semantics a folder can be opened, too; reading it fails, as elsewhere.
  HANDLE file = CreateFileW(wide, access, shared, NULL, disposition_of(flags),
                            FILE_ATTRIBUTE_NORMAL | FILE_FLAG_BACKUP_SEMANTICS, NULL);
  int result = file == INVALID_HANDLE_VALUE ? wide_fail() : 0;
  free(wide);
  if (result < 0)
    return -1;
  int descriptor = _open_osfhandle((intptr_t)file, (flags & (O_APPEND | O_RDONLY)) | _O_BINARY | _O_NOINHERIT);
  if (descriptor < 0)
    CloseHandle(file);
  return descriptor;
}

FILE *posix_fopen(const char *path, const char *mode)
{
  int flags = mode[0] == 'r' ? O_RDONLY : mode[0] == 'w' ? O_WRONLY | O_CREAT | O_TRUNC : O_WRONLY | O_CREAT | O_APPEND;
  if (strchr(mode, '+'))
    flags = (flags & ~O_WRONLY) | O_RDWR;
  if (strchr(mode, 'x'))
    flags = (flags & ~O_TRUNC) | O_EXCL;
  int descriptor = posix_open(path, flags);
  if (descriptor < 0)
    return NULL;
  FILE *stream = _fdopen(descriptor, mode[0] == 'r' ? "rb" : mode[0] == 'w' ? "wb" : "ab");
  if (!stream)
    _close(descriptor);
  return stream;
}

// --- What a file is ---

static struct timespec time_of(FILETIME time)
{
  // Hundreds of nanoseconds since 1601.
  uint64_t ticks = (uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime;
  return (struct timespec){ .tv_sec = (time_t)(ticks / 10000000 - 11644473600ULL),
                            .tv_nsec = (long)(ticks % 10000000 * 100) };
}

static int describe(HANDLE file, bool is_link, struct posix_stat *ret_info)
{
  BY_HANDLE_FILE_INFORMATION known;
  *ret_info = (struct posix_stat){ .st_nlink = 1 };
  DWORD type = GetFileType(file);
  if (type != FILE_TYPE_DISK) {
    ret_info->st_mode = type == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR;
    return 0;
  }
  if (!GetFileInformationByHandle(file, &known))
    return wide_fail();
  bool is_folder = (known.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  ret_info->st_dev = known.dwVolumeSerialNumber;
  ret_info->st_ino = (uint64_t)known.nFileIndexHigh << 32 | known.nFileIndexLow;
  ret_info->st_mode = (is_link ? S_IFLNK : is_folder ? S_IFDIR : S_IFREG) | 0644;
  ret_info->st_nlink = known.nNumberOfLinks;
  ret_info->st_size = (int64_t)((uint64_t)known.nFileSizeHigh << 32 | known.nFileSizeLow);
  ret_info->st_mtim = time_of(known.ftLastWriteTime);
  ret_info->st_ctim = ret_info->st_mtim;
  return 0;
}

static HANDLE open_to_look(const wchar_t *path, DWORD flags)
{
  return CreateFileW(path, FILE_READ_ATTRIBUTES, shared, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
}

static int look_at(const char *path, bool follows, struct posix_stat *ret_info)
{
  wchar_t *wide = wide_from_path(path);
  DWORD attributes = GetFileAttributesW(wide);
  bool is_link = !follows && attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_REPARSE_POINT);
  HANDLE file = open_to_look(wide, is_link ? FILE_FLAG_OPEN_REPARSE_POINT : 0);
  int result = file == INVALID_HANDLE_VALUE ? wide_fail() : describe(file, is_link, ret_info);
  if (file != INVALID_HANDLE_VALUE)
    CloseHandle(file);
  free(wide);
  return result;
}

int posix_stat(const char *path, struct posix_stat *ret_info)
{
  return look_at(path, true, ret_info);
}

int posix_lstat(const char *path, struct posix_stat *ret_info)
{
  return look_at(path, false, ret_info);
}

int posix_fstat(int descriptor, struct posix_stat *ret_info)
{
  HANDLE file = (HANDLE)_get_osfhandle(descriptor);
  return file == INVALID_HANDLE_VALUE ? -1 : describe(file, false, ret_info);
}

/// Whether it is there; Windows keeps nobody from running what he can read.
int posix_access(const char *path, int mode)
{
  struct posix_stat info;
  return posix_stat(path, &info);
}

// --- Names ---

static int call_with(BOOL(WINAPI *call)(const wchar_t *path), const char *path)
{
  wchar_t *wide = wide_from_path(path);
  int result = call(wide) ? 0 : wide_fail();
  free(wide);
  return result;
}

int posix_unlink(const char *path)
{
  return call_with(DeleteFileW, path);
}

int posix_rmdir(const char *path)
{
  return call_with(RemoveDirectoryW, path);
}

int posix_mkdir(const char *path, unsigned mode)
{
  wchar_t *wide = wide_from_path(path);
  int result = CreateDirectoryW(wide, NULL) ? 0 : wide_fail();
  free(wide);
  return result;
}

int posix_rename(const char *from, const char *to)
{
  wchar_t *wide_from = wide_from_path(from);
  wchar_t *wide_to = wide_from_path(to);
  int result = MoveFileExW(wide_from, wide_to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) ? 0 : wide_fail();
  free(wide_from);
  free(wide_to);
  return result;
}

static bool is_own_program(const char *path)
{
  return strcmp(path, "/proc/self/exe") == 0;
}

static char *own_program(void)
{
  enum { LONGEST = 32768 };
  static wchar_t path[LONGEST];
  DWORD len = GetModuleFileNameW(NULL, path, LONGEST);
  return len > 0 && len < LONGEST ? wide_to_path(path) : NULL;
}

ssize_t posix_readlink(const char *path, char *text, size_t size)
{
  char *target = is_own_program(path) ? own_program() : NULL;
  size_t len = target ? strlen(target) : 0;
  if (target)
    memcpy(text, target, len < size ? len : size);
  else
    errno = EINVAL;
  free(target);
  return len == 0 ? -1 : (ssize_t)(len < size ? len : size);
}

char *posix_realpath(const char *path, char *nothing)
{
  if (is_own_program(path))
    return own_program();
  enum { LONGEST = 32768 };
  wchar_t *wide = wide_from_path(path);
  wchar_t *found = malloc(LONGEST * sizeof(*found));
  char *real = NULL;
  HANDLE file = open_to_look(wide, 0);
  if (file == INVALID_HANDLE_VALUE) {
    wide_fail();
  } else {
    DWORD len = found ? GetFinalPathNameByHandleW(file, found, LONGEST, 0) : 0;
    real = len > 0 && len < LONGEST ? wide_to_path(found) : NULL;
    if (!real)
      wide_fail();
    CloseHandle(file);
  }
  free(found);
  free(wide);
  return real;
}

char *posix_getcwd(char *nothing, size_t none)
{
  wchar_t *wide = _wgetcwd(NULL, 0);
  char *path = wide ? wide_to_path(wide) : NULL;
  free(wide);
  return path;
}

// --- Folders ---

struct PosixDir {
  _WDIR *wide;
  struct posix_dirent entry;
};

PosixDir *posix_opendir(const char *path)
{
  wchar_t *wide = wide_from_path(path);
  PosixDir *dir = calloc(1, sizeof(*dir));
  if (dir)
    dir->wide = _wopendir(wide);
  free(wide);
  if (dir && dir->wide)
    return dir;
  free(dir);
  return NULL;
}

struct posix_dirent *posix_readdir(PosixDir *dir)
{
  struct _wdirent *found = _wreaddir(dir->wide);
  if (!found)
    return NULL;
  char *name = wide_to_utf8(found->d_name);
  snprintf(dir->entry.d_name, sizeof(dir->entry.d_name), "%s", name);
  free(name);
  return &dir->entry;
}

int posix_closedir(PosixDir *dir)
{
  int result = _wclosedir(dir->wide);
  free(dir);
  return result;
}

static int visit_entries(const char *folder, int (*visit)(const char *, const struct posix_stat *, int, struct FTW *))
{
  PosixDir *dir = posix_opendir(folder);
  int result = dir ? 0 : -1;
  for (struct posix_dirent *entry; result == 0 && (entry = posix_readdir(dir));) {
    char path[2 * sizeof(entry->d_name)];
    struct posix_stat info;
    struct FTW place = { 0 };
    bool is_itself = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
    if (!is_itself && posix_lstat(path, &info) == 0)
      result = visit(path, &info, FTW_F, &place);
  }
  if (dir)
    posix_closedir(dir);
  return result;
}

int nftw(const char *folder, int (*visit)(const char *, const struct posix_stat *, int, struct FTW *), int open_folders,
         int flags)
{
  struct posix_stat info;
  struct FTW place = { 0 };
  int result = visit_entries(folder, visit);
  if (result == 0)
    result = posix_lstat(folder, &info) == 0 ? visit(folder, &info, FTW_DP, &place) : -1;
  return result;
}

char *mkdtemp(char *pattern)
{
  enum { TRIES = 16, SIGNS = 6 };
  char *signs = pattern + strlen(pattern) - SIGNS;
  for (int i = 0; i < TRIES; i++) {
    unsigned number;
    if (rand_s(&number) != 0)
      return NULL;
    for (int at = 0; at < SIGNS; at++, number /= 26)
      signs[at] = (char)('a' + number % 26);
    if (posix_mkdir(pattern, 0700) == 0)
      return pattern;
    if (errno != EEXIST)
      return NULL;
  }
  return NULL;
}

// --- Descriptors ---

ssize_t pread(int descriptor, void *bytes, size_t size, off_t offset)
{
  HANDLE file = (HANDLE)_get_osfhandle(descriptor);
  OVERLAPPED place = { .Offset = (DWORD)offset, .OffsetHigh = (DWORD)((uint64_t)offset >> 32) };
  DWORD got = 0;
  if (ReadFile(file, bytes, size > INT32_MAX ? INT32_MAX : (DWORD)size, &got, &place))
    return (ssize_t)got;
  return GetLastError() == ERROR_HANDLE_EOF ? 0 : wide_fail();
}

int posix_isatty(int descriptor)
{
  DWORD mode;
  return GetConsoleMode((HANDLE)_get_osfhandle(descriptor), &mode) ? 1 : 0;
}

int fcntl(int descriptor, int command, int lowest)
{
  return _dup(descriptor);
}
