/// How Python files name what other files of a workspace have: "pkg.mod.function", ".mod.Class".
///
/// Ownership: results are slices of what is given.
/// Errors:    what no file can be is false, or empty.
/// Threads:   pure.
/// Sources:   Python's language reference, "The import system".
#pragma once

#include "base/str.h"

typedef struct ForeignName {
  Str module;  ///< "pkg.mod", ".mod", "."; empty if there is none.
  Str function;
} ForeignName;

ForeignName workspace_foreign_name(Str qualified);
/// Whether the file at `uri` holds `module` as the file at `from` imports it. ".ops" lies beside that, "..ops" one
/// above.
bool workspace_is_module_file(Str uri, Str module, Str from);
/// Whether a file lies in the folder of the package: `from pkg import Net`, where pkg/__init__.py has it from
/// pkg/net.py.
bool workspace_is_in_package(Str uri, Str package, Str from);
/// How far two files' places agree: of several modules of one name the nearest is meant, and of those that are equally
/// near the one in the fewest folders.
size_t workspace_nearness(Str a, Str b);
size_t workspace_depth_of(Str uri);
