#include "host/sandbox.h"

#ifdef __linux__

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sanitizer.h"

// --- Landlock ---

// What headers older than the kernel lack; numbers from the kernel's landlock.h.
enum {
  RIGHT_REFER = 1 << 13,      // Since version 2: moving files between folders.
  RIGHT_TRUNCATE = 1 << 14,   // Since version 3.
  NET_TCP = 1 << 0 | 1 << 1,  // Since version 4: bind and connect.
  SCOPE_SOCKETS = 1 << 0,     // Since version 6: abstract Unix sockets.
};

/// As version 6 has it; an older kernel takes the part that it knows.
typedef struct Ruleset {
  uint64_t handled_files;
  uint64_t handled_net;
  uint64_t scoped;
} Ruleset;

static int landlock_version(void)
{
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return version > 0 ? (int)version : 0;
}

/// Everything that changes the file system or runs a file.
static uint64_t writing_rights(int version)
{
  uint64_t rights = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                    LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                    LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  return rights | (version >= 2 ? RIGHT_REFER : 0) | (version >= 3 ? RIGHT_TRUNCATE : 0);
}

static void allow_folder(int ruleset, Str folder)
{
  Arena arena = { 0 };
  int opened = open(arena_copy(&arena, folder).data, O_PATH | O_DIRECTORY | O_CLOEXEC);
  struct landlock_path_beneath_attr rule = {
    .allowed_access = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG,
    .parent_fd = opened,
  };
  if (opened >= 0) {
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(opened);
  }
  arena_done(&arena);
}

static bool confine_files(const Str *folders, size_t count)
{
  int version = landlock_version();
  Ruleset rules = { writing_rights(version), version >= 4 ? NET_TCP : 0, version >= 6 ? SCOPE_SOCKETS : 0 };
  size_t size = version >= 6   ? sizeof(rules)
                : version >= 4 ? offsetof(Ruleset, scoped)
                               : offsetof(Ruleset, handled_net);
  int ruleset = version > 0 ? (int)syscall(SYS_landlock_create_ruleset, &rules, size, 0) : -1;
  if (ruleset < 0)
    return false;
  for (size_t i = 0; i < count; i++)
    allow_folder(ruleset, folders[i]);
  bool is_confined = syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  close(ruleset);
  return is_confined;
}

// --- seccomp ---

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#if defined(OWN_ARCHITECTURE) && defined(SYS_seccomp)

/// System calls that no thread of ours makes after the connection to the client stands.
static const int refused_calls[] = {
  SYS_execve,
  SYS_execveat,
  SYS_socket,
  SYS_socketpair,
  SYS_connect,
  SYS_bind,
  SYS_listen,
  SYS_accept,
  SYS_accept4,
  SYS_process_vm_readv,
  SYS_process_vm_writev,
  SYS_mount,
  SYS_umount2,
  SYS_pivot_root,
  SYS_chroot,
  SYS_setns,
  SYS_unshare,
  SYS_init_module,
  SYS_finit_module,
  SYS_kexec_load,
  SYS_bpf,
  SYS_perf_event_open,
  SYS_userfaultfd,
  SYS_keyctl,
  SYS_add_key,
#ifdef SYS_io_uring_setup
  SYS_io_uring_setup,  // Its requests go past this filter.
#endif
#ifndef HAS_SANITIZER
  SYS_ptrace,  // LeakSanitizer stops the other threads with it.
#endif
};

enum {
  CALL_COUNT = sizeof(refused_calls) / sizeof(refused_calls[0]),
  X32_BIT = 0x40000000,  // Numbers of a second set of calls on x86-64.
  PROGRAM_SIZE = 4 + CALL_COUNT + 2,
};

/// Compares the call with each of the list: refused ones fail with EPERM, and calls of another architecture, too.
static void write_program(struct sock_filter *program)
{
  size_t at = 0;
  size_t refuse = PROGRAM_SIZE - 1;
  program[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
  program[at] =
      (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 0, (uint8_t)(refuse - at - 1));
  at++;
  program[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  program[at] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, (uint8_t)(refuse - at - 1), 0);
  at++;
  for (size_t i = 0; i < CALL_COUNT; i++, at++) {
    program[at] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)refused_calls[i],
                                               (uint8_t)(refuse - at - 1), 0);
  }
  program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  program[at] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
}

static bool can_confine_calls(void)
{
  uint32_t action = SECCOMP_RET_ERRNO;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static bool confine_calls(void)
{
  struct sock_filter filter[PROGRAM_SIZE];
  write_program(filter);
  struct sock_fprog program = { PROGRAM_SIZE, filter };
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#else

static bool can_confine_calls(void)
{
  return false;
}

static bool confine_calls(void)
{
  return false;
}

#endif

Sandbox sandbox_available(void)
{
  return (Sandbox){ .confines_files = landlock_version() > 0, .confines_calls = can_confine_calls() };
}

Sandbox sandbox_enter(const Str *folders, size_t count)
{
  Sandbox sandbox = { 0 };
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return sandbox;
  sandbox.confines_files = confine_files(folders, count);
  sandbox.confines_calls = confine_calls();
  return sandbox;
}

#else

Sandbox sandbox_available(void)
{
  return (Sandbox){ 0 };
}

Sandbox sandbox_enter(const Str *folders, size_t count)
{
  return (Sandbox){ 0 };
}

#endif

const char *sandbox_say(Sandbox sandbox)
{
  if (sandbox.confines_files && sandbox.confines_calls)
    return "starting programs, sockets, and writing outside of the workspace";
  if (sandbox.confines_calls)
    return "starting programs and sockets (this kernel has no Landlock)";
  return sandbox.confines_files
             ? "running files, TCP, and writing outside of the workspace (this kernel has no seccomp)"
             : "nothing: this system has neither Landlock nor seccomp";
}
