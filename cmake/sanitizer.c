// LeakSanitizer dies where there is no /proc, as in a bare chroot, and reads its options from there, too; so a sanitized
// program finds out for itself whether leaks can be looked for.
#include <unistd.h>

__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
  return access("/proc/self/task", R_OK) != 0;
}
