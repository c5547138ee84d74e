/// libuv, and what the headers of Windows that it brings define under names of ours.
///
/// Threads:   as libuv has it.
#pragma once

#include_next <uv.h>

#undef SEVERITY_ERROR
