// What a sanitized program asks of its sanitizers, before main().
#include <unistd.h>

// LeakSanitizer dies where there is no /proc, as in a bare chroot, and reads its options from there, too; so the program
// finds out for itself whether leaks can be looked for.
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
  return access("/proc/self/task", R_OK) != 0;
}

// UndefinedBehaviorSanitizer ends a program of gcc with SIGILL (options.cmake): say where. Freed memory is remembered up to
// 16 MB: with the usual 256, getting fresh pages takes a third of what the larger tests take.
__attribute__((visibility("default"))) const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
  return "handle_sigill=1:quarantine_size_mb=16";
}
