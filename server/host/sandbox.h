/// Giving up what a language server never needs, so that not even a bug in it lets a document or a workspace run
/// programs, reach the network or change files.
///
/// Landlock takes writing and making files outside of some folders, and TCP; seccomp takes starting programs, sockets
/// of any kind, tracing of other processes, and system calls that only administrators need. Reading stays: folders may
/// be added later, and dumps name sources anywhere. What is open stays usable: the log, the connection to the client.
///
/// Ownership: paths are borrowed for the call.
/// Errors:    what the kernel can't do is left out, and the result says so.
/// Threads:   seccomp is for all threads of the process; Landlock for the caller and those that it starts later.
/// Sources:   landlock(7), seccomp(2), the kernel's Documentation/userspace-api/landlock.rst.
#pragma once

#include "base/str.h"

typedef struct Sandbox {
  bool confines_files;  ///< By Landlock.
  bool confines_calls;  ///< By seccomp.
} Sandbox;

/// What this kernel can do.
Sandbox sandbox_available(void);
/// Confines the process for good; files can be made and written below `folders` only.
Sandbox sandbox_enter(const Str *folders, size_t count);
/// "starting programs, sockets, and writing outside of the workspace": what was given up, or can be.
const char *sandbox_say(Sandbox sandbox);
