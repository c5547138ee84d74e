#include "host/run_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { TICK_MS = 50 };  ///< How often the child is looked after while it says nothing.

static volatile sig_atomic_t was_interrupted;

static void on_interrupt(int number)
{
  was_interrupted = number;
}

/// One end of each pipe; -1 when closed.
typedef struct Pipes {
  int out[2];
  int err[2];
  int failure[2];  ///< The child writes errno here if it can't become the program; closed by a successful exec.
} Pipes;

static void close_end(int *descriptor)
{
  if (*descriptor >= 0)
    close(*descriptor);
  *descriptor = -1;
}

static void close_pipes(Pipes *pipes)
{
  for (int i = 0; i < 2; i++) {
    close_end(&pipes->out[i]);
    close_end(&pipes->err[i]);
    close_end(&pipes->failure[i]);
  }
}

MUST_USE static Status open_pipes(Pipes *pipes)
{
  *pipes = (Pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 } };
  if (pipe2(pipes->out, O_CLOEXEC) == 0 && pipe2(pipes->err, O_CLOEXEC) == 0 && pipe2(pipes->failure, O_CLOEXEC) == 0)
    return OK;
  int error = errno;
  close_pipes(pipes);
  errno = error;
  return ERR_IO;
}

/// The child, up to where it becomes the program. Only calls that are safe after fork().
static void become(const RunPlan *plan, const Pipes *pipes)
{
  struct rlimit files = { plan->file_limit, plan->file_limit };
  int input = open("/dev/null", O_RDONLY);
  setpgid(0, 0);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  bool is_ready = input >= 0 && dup2(input, STDIN_FILENO) >= 0 && dup2(pipes->out[1], STDOUT_FILENO) >= 0 &&
                  dup2(pipes->err[1], STDERR_FILENO) >= 0 && chdir(plan->folder) == 0 &&
                  setrlimit(RLIMIT_FSIZE, &files) == 0;
  if (is_ready)
    execvp(plan->argv[0], plan->argv);
  int error = errno;
  if (write(pipes->failure[1], &error, sizeof(error)) < 0)
    _exit(126);
  _exit(127);
}

/// Keeps the end of what comes.
static bool read_some(int descriptor, Buffer *kept)
{
  char piece[4096];
  ssize_t count = read(descriptor, piece, sizeof(piece));
  if (count < 0)
    return errno == EINTR || errno == EAGAIN;
  buffer_append(kept, str_make(piece, (size_t)count));
  if (kept->len > RUN_OUTPUT_LIMIT) {
    memmove(kept->data, kept->data + kept->len - RUN_OUTPUT_LIMIT, RUN_OUTPUT_LIMIT);
    kept->len = RUN_OUTPUT_LIMIT;
  }
  return count > 0;
}

static void read_pipes(Pipes *pipes, RunResult *result, int wait_ms)
{
  struct pollfd polls[2] = { { .fd = pipes->out[0], .events = POLLIN }, { .fd = pipes->err[0], .events = POLLIN } };
  if (poll(polls, 2, wait_ms) <= 0)
    return;
  if (polls[0].revents && !read_some(pipes->out[0], &result->out))
    close_end(&pipes->out[0]);
  if (polls[1].revents && !read_some(pipes->err[0], &result->err))
    close_end(&pipes->err[0]);
}

static int64_t now_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Waits for the child, not for what it may have started itself.
static void look_after(pid_t child, const RunPlan *plan, Pipes *pipes, RunResult *result)
{
  int64_t deadline = now_ms() + (int64_t)plan->timeout * 1000;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    result->interrupted = was_interrupted != 0;
    result->timed_out = now_ms() >= deadline;
    if (result->interrupted || result->timed_out) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    read_pipes(pipes, result, TICK_MS);
  }
  kill(-child, SIGKILL);  // Whatever it left after.
  // What is still in the pipes; a pipe holds 64 KB.
  for (int i = 0; i < 32 && (pipes->out[0] >= 0 || pipes->err[0] >= 0); i++)
    read_pipes(pipes, result, 0);
  result->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// ERR_IO with errno set if the child could not become the program.
MUST_USE static Status await_start(Pipes *pipes)
{
  int error = 0;
  ssize_t count;
  close_end(&pipes->failure[1]);
  do {
    count = read(pipes->failure[0], &error, sizeof(error));
  } while (count < 0 && errno == EINTR);
  close_end(&pipes->failure[0]);
  if (count != sizeof(error))
    return OK;
  errno = error;
  return ERR_IO;
}

MUST_USE static Status start(const RunPlan *plan, Pipes *pipes, pid_t *ret_child)
{
  pid_t child = fork();
  if (child == 0) {
    if (plan->variable)
      putenv((char *)plan->variable);
    become(plan, pipes);
  }
  if (child < 0)
    return ERR_IO;
  close_end(&pipes->out[1]);
  close_end(&pipes->err[1]);
  if (await_start(pipes) != OK) {
    int error = errno;
    waitpid(child, NULL, 0);
    errno = error;
    return ERR_IO;
  }
  *ret_child = child;
  return OK;
}

Status run_program(const RunPlan *plan, RunResult *ret_result)
{
  Pipes pipes;
  pid_t child = 0;
  struct sigaction before[2];
  struct sigaction action = { .sa_handler = on_interrupt };
  RunResult result = { .signal = 0 };
  if (open_pipes(&pipes) != OK)
    return ERR_IO;
  was_interrupted = 0;
  sigaction(SIGINT, &action, &before[0]);
  sigaction(SIGTERM, &action, &before[1]);
  Status status = start(plan, &pipes, &child);
  int error = errno;
  if (status == OK) {
    look_after(child, plan, &pipes, &result);
    *ret_result = result;
  }
  sigaction(SIGINT, &before[0], NULL);
  sigaction(SIGTERM, &before[1], NULL);
  close_pipes(&pipes);
  errno = error;
  return status;
}

void run_program_result_done(RunResult *result)
{
  buffer_done(&result->out);
  buffer_done(&result->err);
}
