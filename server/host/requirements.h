/// Which torch, or other package, a workspace uses, as far as its own files pin it: an environment beside it, a lock
/// file, requirements, pyproject.toml, environment.yml, a Dockerfile. A range says something if all that it allows
/// begin with the same two numbers (">=2.6,<2.7").
///
/// Ownership: results live in the caller's arena.
/// Units:     a version is "2.6", without what follows the second number; of onnxscript "0.5.7".
/// Errors:    what can't be read, or names two versions, says nothing.
/// Threads:   any thread; requirements_find() reads a few small files, each up to REQUIREMENTS_BYTE_LIMIT.
/// Sources:   PEP 440, 508 and 751, the lock files of uv, Poetry, PDM, Pipenv and pixi, conda's environment.yml.
#pragma once

#include "base/buffer.h"

/// The one version of `package` ("torch", "onnxruntime") that a text pins; false if there is none, or more than one.
bool requirements_pinned(Str text, Str package, Arena *arena, Str *ret_version);
/// The same of the name of a folder of metadata: "torch-2.6.0+cpu.dist-info".
bool requirements_metadata(Str name, Str package, Arena *arena, Str *ret_version);
/// False when a file or folder of that name has nothing that requirements_find() looks for in the folder around it.
bool requirements_may_be_in(Str name);
/// False when the names in a folder show that requirements_find() has nothing to find there.
bool requirements_may_pin(Str folder);
/// The first of a folder's files that pins one; `ret_origin` is its name: "requirements.txt".
bool requirements_find(Str folder, Str package, Arena *arena, Str *ret_version, Str *ret_origin);
/// True when such a file may be at this path or URI.
bool requirements_is_list(Str path);
/// Globs of all such files, by index: "requirements*.txt", "docker/Dockerfile*"; empty after the last one.
Str requirements_glob(size_t index, Arena *arena);
