// A file that ends the process while a workspace is indexed: the next process leaves it out, until it is written again.
//
// The crash is a real one, in a process of its own: this program with the folder to index as its only argument. What
// crashes is planted where a file's summary is made (CMakeLists.txt links workspace_file_new() by way of the one here).

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/crash_list.h"
#include "host/file_scan.h"
#include "host/lastwords.h"
#include "session/session.h"

static const char *program;
static bool crashes;
static char folder[64];

WorkspaceFile *__wrap_workspace_file_new(const Snapshot *snapshot);
WorkspaceFile *__real_workspace_file_new(const Snapshot *snapshot);

WorkspaceFile *__wrap_workspace_file_new(const Snapshot *snapshot)
{
  if (crashes && str_ends_with(snapshot_uri(snapshot), STR("/bad.py")))
    raise(SIGSEGV);
  return __real_workspace_file_new(snapshot);
}

typedef struct Seen {
  size_t summaries;
  size_t left_out;
  bool names_it;
} Seen;

static Seen scan_folder(bool leaves_out_crashed)
{
  FileScan scan = { .languages = IN_CODE, .leaves_out_crashed = leaves_out_crashed };
  file_scan_add(&scan, folder);
  Seen seen = { .left_out = scan.crashed.count };
  for (size_t i = 0; i < scan.files.count; i++)
    seen.summaries += scan.files.items[i].summary != NULL;
  seen.names_it = scan.crashed.count == 1 && str_ends_with(str_from(scan.crashed.items[0]), STR("/bad.py"));
  file_scan_done(&scan);
  return seen;
}

static void write_file(const char *name)
{
  char path[128];
  snprintf(path, sizeof(path), "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("from torch.onnx import register_custom_op_symbolic\n\ndef f(g, x):\n    return g.op(\"Relu\", x)\n\n"
        "register_custom_op_symbolic(\"aten::relu\", f, 9)\n",
        file);
  assert_int_equal(fclose(file), 0);
}

static void index_elsewhere(void)
{
  pid_t child = fork();
  if (child == 0) {
    execl(program, program, folder, (char *)NULL);
    _exit(0);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void check_left_out(void **state)
{
  write_file("good.py");
  write_file("bad.py");
  crash_list_open();
  Seen before = scan_folder(true);
  assert_int_equal(before.summaries, 2);
  assert_int_equal(before.left_out, 0);
  index_elsewhere();
  crash_list_open();
  Seen after = scan_folder(true);
  assert_int_equal(after.summaries, 1);
  assert_int_equal(after.left_out, 1);
  assert_true(after.names_it);
  assert_int_equal(scan_folder(false).summaries, 2);
}

static void hear(Buffer *body, void *context)
{
  bool *is_said = context;
  Str text = buffer_str(body);
  *is_said |= str_find(text, STR("window/showMessage"), 0) != STR_NOT_FOUND &&
              str_find(text, STR("/bad.py, and leaves that file out"), 0) != STR_NOT_FOUND;
  buffer_done(body);
}

static void feed(Session *session, const char *body)
{
  Buffer framed = { 0 };
  buffer_printf(&framed, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
  session_feed(session, buffer_str(&framed));
  buffer_done(&framed);
}

/// Whether people are told by a server that has this folder as its workspace. Runs after the other one.
static void check_said(void **state)
{
  uv_loop_t loop;
  bool is_said = false;
  char initialize[256];
  uv_loop_init(&loop);
  SessionOutput output = { .write = hear, .context = &is_said };
  Session *session = session_new(&loop, &output, 1 << 20);
  snprintf(initialize, sizeof(initialize),
           "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"rootUri\":\"file://%s\","
           "\"capabilities\":{}}}",
           folder);
  feed(session, initialize);
  feed(session, "{\"jsonrpc\":\"2.0\",\"method\":\"initialized\",\"params\":{}}");
  while (!session_is_idle(session))
    uv_run(&loop, UV_RUN_ONCE);
  assert_true(is_said);
  session_stop(session);
  while (!session_is_idle(session))
    uv_run(&loop, UV_RUN_ONCE);
  session_free(session);
  while (uv_loop_alive(&loop))
    uv_run(&loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&loop), 0);
}

/// The same.
static void check_written_since(void **state)
{
  char path[128];
  snprintf(path, sizeof(path), "%s/bad.py", folder);
  struct timespec later[2] = { { .tv_sec = time(NULL) + 100 }, { .tv_sec = time(NULL) + 100 } };
  assert_int_equal(utimensat(AT_FDCWD, path, later, 0), 0);
  assert_int_equal(scan_folder(true).summaries, 2);
}

static void check_other_lines(void **state)
{
  static const char lines[] = "\n1\n1 \nx 0123456789abcdef file:///a\n99999999999999999999 0123456789abcdef file:///a\n"
                              "9999999999 0123456789abcdef file:///other/build\n9999999999 0123456789abcdef";
  char path[128];
  snprintf(path, sizeof(path), "%s/onnxls/crashes", folder);
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  fputs(lines, file);
  assert_int_equal(fclose(file), 0);
  crash_list_open();
  assert_false(crash_list_has(STR("file:///other/build"), 0));
  assert_false(crash_list_has(STR("file:///a"), 0));
  assert_false(crash_list_has(STR(""), 0));
}

static int make_folder(void **state)
{
  strcpy(folder, P_tmpdir "/onnxls-crash-XXXXXX");
  return mkdtemp(folder) && setenv("XDG_CACHE_HOME", folder, 1) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
  static const char *const names[] = { "good.py", "bad.py", "onnxls/crashes", "onnxls", "" };
  char path[128];
  for (size_t i = 0; i < COUNT(names); i++) {
    snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
    remove(path);
  }
  return 0;
}

int main(int argc, char **argv)
{
  program = argv[0];
  if (argc == 2) {
    crashes = true;
    snprintf(folder, sizeof(folder), "%s", argv[1]);
    lastwords_install();
    crash_list_open();
    scan_folder(true);
    return 0;
  }
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(check_left_out),
    cmocka_unit_test(check_said),
    cmocka_unit_test(check_written_since),
    cmocka_unit_test(check_other_lines),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
