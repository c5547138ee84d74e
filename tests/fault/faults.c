// One call that fails: preloaded, it counts the calls of a program and lets the one with the number FAULT_AT fail.
//
// FAULT_KIND says which calls are counted: `memory` (as if the system had no more), `system` (ENOSPC, EIO, EMFILE: what
// the call may fail with). How many there were goes to the descriptor FAULT_COUNT_FD at the end, so that a run without
// FAULT_AT tells how many runs it takes to try each. Standard error always works: it is where a fault is told.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static atomic_long counted;
static long fault_at;
static int count_fd = -1;
static int counts_memory;
static int counts_system;

__attribute__((constructor)) static void begin(void)
{
  const char *kind = getenv("FAULT_KIND");
  const char *at = getenv("FAULT_AT");
  const char *fd = getenv("FAULT_COUNT_FD");
  counts_memory = kind && strcmp(kind, "memory") == 0;
  counts_system = kind && strcmp(kind, "system") == 0;
  fault_at = at ? atol(at) : 0;
  count_fd = fd ? atoi(fd) : -1;
  unsetenv("LD_PRELOAD");  // What this program runs is not what is tried.
}

static void tell_count(void)
{
  char text[32];
  int len = snprintf(text, sizeof(text), "%ld\n", atomic_load(&counted));
  if (count_fd >= 0)
    syscall(SYS_write, count_fd, text, len);
}

__attribute__((destructor)) static void end(void)
{
  tell_count();
}

/// Ends the process without destructors, as the program may.
void _exit(int code)
{
  tell_count();
  for (;;)
    syscall(SYS_exit_group, code);
}

static int fails(int is_counted)
{
  return is_counted && atomic_fetch_add(&counted, 1) + 1 == fault_at;
}

// --- Memory ---

void *malloc(size_t size)
{
  return fails(counts_memory) ? (errno = ENOMEM, NULL) : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
  return fails(counts_memory) ? (errno = ENOMEM, NULL) : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
  return fails(counts_memory) ? (errno = ENOMEM, NULL) : __libc_realloc(memory, size);
}

// --- System calls ---

/// The C library's own function of that name.
#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/// Fails with `error` if it is this call's turn.
#define FAIL_WITH(error, result)                                                                                       \
  do {                                                                                                                 \
    if (fails(counts_system)) {                                                                                        \
      errno = (error);                                                                                                 \
      return (result);                                                                                                 \
    }                                                                                                                  \
  } while (0)

int open(const char *path, int flags, ...)
{
  va_list rest;
  va_start(rest, flags);
  mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  FAIL_WITH(EMFILE, -1);
  return REAL(open)(path, flags, mode);
}

/// Pipes and the like don't fail so, and libuv ends the process where one of its own does.
static int is_file(int fd)
{
  struct stat status;
  return REAL(fstat)(fd, &status) == 0 && S_ISREG(status.st_mode);
}

ssize_t read(int fd, void *bytes, size_t count)
{
  if (is_file(fd))
    FAIL_WITH(EIO, -1);
  return REAL(read)(fd, bytes, count);
}

ssize_t pread(int fd, void *bytes, size_t count, off_t offset)
{
  FAIL_WITH(EIO, -1);
  return REAL(pread)(fd, bytes, count, offset);
}

ssize_t write(int fd, const void *bytes, size_t count)
{
  if (fd == STDOUT_FILENO || is_file(fd))
    FAIL_WITH(ENOSPC, -1);
  return REAL(write)(fd, bytes, count);
}

int fsync(int fd)
{
  FAIL_WITH(EIO, -1);
  return REAL(fsync)(fd);
}

int fstat(int fd, struct stat *status)
{
  FAIL_WITH(EIO, -1);
  return REAL(fstat)(fd, status);
}

int stat(const char *path, struct stat *status)
{
  FAIL_WITH(EACCES, -1);
  return REAL(stat)(path, status);
}

int lstat(const char *path, struct stat *status)
{
  FAIL_WITH(EACCES, -1);
  return REAL(lstat)(path, status);
}

int ftruncate(int fd, off_t length)
{
  FAIL_WITH(EIO, -1);
  return REAL(ftruncate)(fd, length);
}

int rename(const char *from, const char *to)
{
  FAIL_WITH(EACCES, -1);
  return REAL(rename)(from, to);
}

int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
  FAIL_WITH(EACCES, -1);
  return REAL(renameat2)(from_folder, from, to_folder, to, flags);
}

DIR *opendir(const char *path)
{
  FAIL_WITH(EMFILE, NULL);
  return REAL(opendir)(path);
}

struct dirent *readdir(DIR *folder)
{
  FAIL_WITH(EIO, NULL);
  return REAL(readdir)(folder);
}

char *realpath(const char *path, char *resolved)
{
  FAIL_WITH(EACCES, NULL);
  return REAL(realpath)(path, resolved);
}

int fclose(FILE *file)
{
  int is_standard = file == stdout || file == stderr;
  int result = REAL(fclose)(file);
  if (!is_standard)
    FAIL_WITH(ENOSPC, EOF);
  return result;
}
