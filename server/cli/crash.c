#include "cli/crash.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

#ifdef HAS_SANITIZER

void crash_install(void)
{
}

#else

static const struct {
  int number;
  const char *name;
} signals[] = {
  { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" }, { SIGFPE, "SIGFPE" }, { SIGILL, "SIGILL" }, { SIGSEGV, "SIGSEGV" },
};

static void say(const char *text)
{
  ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
  (void)ignored;
}

static void on_crash(int number)
{
  say("onnxls: internal error (");
  for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
    if (signals[i].number == number)
      say(signals[i].name);
  }
  say("); please report what it was doing\n");
  _exit(EXIT_INTERNAL);
}

void crash_install(void)
{
  // A stack of its own, so that running out of stack still gets its line.
  static char stack[16 * 1024];
  sigaltstack(&(stack_t){ .ss_sp = stack, .ss_size = sizeof(stack) }, NULL);
  struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_RESETHAND };
  for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
    sigaction(signals[i].number, &action, NULL);
}

#endif
