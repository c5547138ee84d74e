// What a confined process can't do any more, tried for real in a process of its own.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sanitizer.h"
#include "host/sandbox.h"

static char folder[64];
static char inside[96];
static char outside[96];

/// 0 if it worked, else errno.
typedef int Attempt(void);

static int start_program(void)
{
  char *words[] = { (char *)"true", NULL };
  execv("/bin/true", words);
  return errno;
}

static int open_socket(void)
{
  return socket(AF_INET, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int open_local_socket(void)
{
  int pair[2];
  return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 ? errno : 0;
}

#ifndef HAS_SANITIZER
static int trace_parent(void)
{
  return ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) < 0 ? errno : 0;
}
#endif

static int write_at(const char *path)
{
  int file = open(path, O_WRONLY | O_CREAT, 0600);
  return file < 0 ? errno : write(file, "x", 1) == 1 ? 0 : EIO;
}

static int write_outside(void)
{
  return write_at(outside);
}

static int write_inside(void)
{
  return write_at(inside);
}

static int remove_inside(void)
{
  return write_at(inside) != 0 || unlink(inside) != 0 ? errno : 0;
}

static int make_folder(void)
{
  char path[128];
  snprintf(path, sizeof(path), "%s/new", folder);
  return mkdir(path, 0700) != 0 ? errno : 0;
}

static int read_outside(void)
{
  char byte;
  int file = open("/etc/passwd", O_RDONLY);
  return file >= 0 && read(file, &byte, 1) == 1 ? 0 : errno;
}

static void *run_attempt(void *attempt)
{
  return (void *)(intptr_t)((Attempt *)(uintptr_t)attempt)();
}

static int in_thread(Attempt *attempt)
{
  pthread_t thread;
  void *result = NULL;
  if (pthread_create(&thread, NULL, run_attempt, (void *)(uintptr_t)attempt) != 0)
    return -1;
  pthread_join(thread, &result);
  return (int)(intptr_t)result;
}

/// What an attempt comes to in a confined process; a program that was started ends with 0.
static int confined(Attempt *attempt, bool is_in_thread)
{
  pid_t child = fork();
  if (child == 0) {
    Str folders[] = { str_from(folder) };
    sandbox_enter(folders, COUNT(folders));
    _exit(is_in_thread ? in_thread(attempt) : attempt());
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

static int setup(void **state)
{
  strcpy(folder, P_tmpdir "/onnxls-sandbox-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(inside, sizeof(inside), "%s/a.py", folder);
  snprintf(outside, sizeof(outside), "%s.outside", folder);
  return 0;
}

static int teardown(void **state)
{
  unlink(inside);
  unlink(outside);
  rmdir(folder);
  return 0;
}

static void test_calls(void **state)
{
  if (!sandbox_available().confines_calls)
    skip();
  Attempt *const refused[] = {
    start_program,
    open_socket,
    open_local_socket,
#ifndef HAS_SANITIZER
    trace_parent,
#endif
  };
  for (size_t i = 0; i < COUNT(refused); i++) {
    assert_int_equal(confined(refused[i], false), EPERM);
    assert_int_equal(confined(refused[i], true), EPERM);
  }
}

static void test_files(void **state)
{
  if (!sandbox_available().confines_files)
    skip();
  for (int is_in_thread = 0; is_in_thread < 2; is_in_thread++) {
    assert_int_equal(confined(write_outside, is_in_thread), EACCES);
    assert_int_equal(access(outside, F_OK), -1);
    assert_int_equal(confined(make_folder, is_in_thread), EACCES);
    assert_int_equal(confined(remove_inside, is_in_thread), EACCES);
    assert_int_equal(confined(write_inside, is_in_thread), 0);
    assert_int_equal(confined(read_outside, is_in_thread), 0);
  }
}

/// Else the tests above would prove nothing.
static void test_unconfined(void **state)
{
  assert_int_equal(write_outside(), 0);
  assert_int_equal(open_socket(), 0);
  assert_int_equal(make_folder(), 0);
  char path[128];
  snprintf(path, sizeof(path), "%s/new", folder);
  rmdir(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(test_calls, setup, teardown),
    cmocka_unit_test_setup_teardown(test_files, setup, teardown),
    cmocka_unit_test_setup_teardown(test_unconfined, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
