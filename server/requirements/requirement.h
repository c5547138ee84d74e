/// What a text says about the releases of a package: lines of requirements.txt, pyproject.toml, environment.yml, lock
/// files, Dockerfiles.
///
/// Ownership: results borrow the text.
/// Units:     offsets are bytes of the text.
/// Errors:    what can't be read says nothing.
/// Threads:   pure.
/// Sources:   PEP 440, 508 and 751, the lock files of uv, Poetry, PDM, Pipenv and pixi, conda's environment.yml.
#pragma once

#include "base/release.h"
#include "text/position.h"

typedef struct Requirement {
  Range name;
  Range versions;   ///< ">=0.5,<0.6", with the quotes of `= "0.5"` left out; empty if nothing is said.
  Str exact;        ///< "2.6.0" of `==2.6.0+cpu`, and of what else means one release; empty if nothing does.
  Release low;      ///< The lowest that is allowed; none if there is no such limit.
  Release high;     ///< The highest that is allowed, or the first that isn't; none if there is no such limit.
  bool below_high;  ///< `high` itself is not allowed.
  bool is_locked;   ///< Of a lock file, which nobody writes by hand.
} Requirement;

/// Goes through the mentions of a package in order. Other names of it count, too: `pytorch` of conda and of images,
/// `onnxruntime-gpu`; upper case, and names of archives: `/torch-2.6.0-cp311-linux_x86_64.whl`.
typedef struct RequirementCursor {
  Str text;
  Str package;      ///< "torch"
  size_t at;        ///< Where the search goes on.
  size_t looked;    ///< How far comments are known...
  bool in_comment;  ///< ...and whether there is one there.
} RequirementCursor;

/// False if there is no further one.
bool requirement_next(RequirementCursor *cursor, Requirement *ret_requirement);

/// True when no release that the requirement allows is `wanted` or newer.
bool requirement_is_before(const Requirement *requirement, Release wanted);
