/// POSIX as this program uses it, on Windows. Each file gets it first of all, by the build.
///
/// Names of files are UTF-8 with slashes both ways, a drive has a small letter ("c:/x"), files are bytes. Files can be
/// renamed and deleted while they are open, as everywhere else.
///
/// Ownership: what realpath() and getcwd() return is the caller's, to free().
/// Errors:    -1 or NULL with errno set, as POSIX has it.
/// Threads:   as POSIX has it.
/// Sources:   POSIX.1-2017; learn.microsoft.com, "File Management Functions".
#pragma once

#define tell posix_unused_tell  // A name of ours, too.
#include <direct.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#undef tell

#define PRINTF_LIKE(format_at, first_at) __attribute__((format(gnu_printf, format_at, first_at)))

// --- Files ---

#define O_CLOEXEC   _O_NOINHERIT
#define O_NOCTTY    0
#define O_NOFOLLOW  0
#define O_NONBLOCK  0
#define O_DIRECTORY 0

#define S_IFLNK       0xA000
#define S_ISLNK(mode) (((mode)&S_IFMT) == S_IFLNK)

struct posix_stat {
  uint64_t st_dev;
  uint64_t st_ino;
  uint32_t st_mode;
  uint32_t st_nlink;
  uint32_t st_uid;  ///< Always 0, as geteuid() is: who may do what is in access lists there.
  int64_t st_size;
  struct timespec st_mtim;
  struct timespec st_ctim;  ///< The same.
};

#define st_mtime st_mtim.tv_sec

struct posix_dirent {
  char d_name[4 * 260];
};

typedef struct PosixDir PosixDir;

int posix_open(const char *path, int flags, ...);
FILE *posix_fopen(const char *path, const char *mode);
int posix_stat(const char *path, struct posix_stat *ret_info);
int posix_lstat(const char *path, struct posix_stat *ret_info);
int posix_fstat(int descriptor, struct posix_stat *ret_info);
int posix_access(const char *path, int mode);
int posix_unlink(const char *path);
int posix_rmdir(const char *path);
int posix_mkdir(const char *path, unsigned mode);
int posix_rename(const char *from, const char *to);
ssize_t posix_readlink(const char *path, char *text, size_t size);
char *posix_realpath(const char *path, char *nothing);
char *posix_getcwd(char *nothing, size_t none);
PosixDir *posix_opendir(const char *path);
struct posix_dirent *posix_readdir(PosixDir *dir);
int posix_closedir(PosixDir *dir);
ssize_t pread(int descriptor, void *bytes, size_t size, off_t offset);
int posix_isatty(int descriptor);

char *mkdtemp(char *pattern);

enum { F_DUPFD_CLOEXEC = 1030 };
int fcntl(int descriptor, int command, int lowest);

static inline unsigned geteuid(void)
{
  return 0;
}

enum { AT_FDCWD = -100 };

/// Only the cache of `check` asks, and without a build id there is none.
static inline int utimensat(int folder, const char *path, const struct timespec *times, int flags)
{
  errno = ENOSYS;
  return -1;
}

static inline int fsync(int descriptor)
{
  return _commit(descriptor);
}

// --- The process ---

typedef struct {
  void *ss_sp;
  size_t ss_size;
} stack_t;

struct sigaction {
  void (*sa_handler)(int number);
  int sa_flags;
};

enum { SIGHUP_NUMBER = 1, SIGBUS = 7, SIGPIPE = 13, SA_ONSTACK = 1, SA_RESETHAND = 2 };

/// Signals of crashes alone.
int sigaction(int number, const struct sigaction *action, struct sigaction *ret_before);
const char *strsignal(int number);
int setenv(const char *name, const char *value, int replaces);
/// In UTF-8; it stays as it was when it was first asked for.
char *posix_getenv(const char *name);
/// A number of processors; the only one that anybody asks for.
long sysconf(int what);

enum { _SC_NPROCESSORS_ONLN = 84 };

typedef struct {
  int count;
} cpu_set_t;

#define CPU_COUNT(set) ((set)->count)
int sched_getaffinity(int process, size_t size, cpu_set_t *ret_set);

static inline int sigaltstack(const stack_t *stack, stack_t *before)
{
  return 0;  // Windows keeps some room for the filter of exceptions.
}

static inline void (*posix_signal(int number, void (*handler)(int)))(int)
{
  return number == SIGPIPE ? SIG_DFL : signal(number, handler);
}

// --- Text, time and lists ---

void *memmem(const void *text, size_t text_len, const void *part, size_t part_len);

static inline struct tm *localtime_r(const time_t *time, struct tm *ret_parts)
{
  return localtime_s(ret_parts, time) == 0 ? ret_parts : NULL;
}

/// What compares equal keeps its order.
void posix_qsort(void *items, size_t count, size_t size, int (*compare)(const void *a, const void *b));

/// The program's own; the one that Windows starts makes its arguments UTF-8 first.
int posix_main(int argc, char **argv);

#ifndef ONNXLS_POSIX_ITSELF
#undef stat  // Of theirs with 64-bit sizes.
#undef fstat
#define open     posix_open
#define fopen    posix_fopen
#define stat     posix_stat
#define lstat    posix_lstat
#define fstat    posix_fstat
#define access   posix_access
#define unlink   posix_unlink
#define rmdir    posix_rmdir
#define mkdir    posix_mkdir
#define rename   posix_rename
#define readlink posix_readlink
#define realpath posix_realpath
#define getcwd   posix_getcwd
#define DIR      PosixDir
#define dirent   posix_dirent
#define opendir  posix_opendir
#define readdir  posix_readdir
#define closedir posix_closedir
#define isatty   posix_isatty
#define getenv   posix_getenv
#define signal   posix_signal
#define qsort    posix_qsort
#define main     posix_main
#endif
