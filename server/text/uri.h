/// `file:` URIs and the paths they name.
///
/// Ownership: results live in the arena, followed by a NUL.
/// Errors:    an empty Str where there is no path or no URI.
/// Threads:   pure functions.
/// Sources:   RFC 8089 (file URIs), RFC 3986 sections 2.1 and 2.3 (percent-encoding).
#pragma once

#include "base/memory.h"

/// The absolute path; empty for other schemes (`untitled:`), relative ones, other hosts and paths with a NUL.
/// `file:///c%3A/x` is `c:/x`.
Str uri_to_path(Str uri, Arena *arena);
/// The URI of an absolute path, with everything but unreserved characters and "/" encoded; empty for a relative path.
Str uri_from_path(Str path, Arena *arena);
