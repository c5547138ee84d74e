/// What something was checked against, for programs.
///
/// Threads:   pure; each thread needs its own writer.
/// Sources:   docs/check.schema.json, "target"; docs/protocol.md.
#pragma once

#include "core/language.h"
#include "core/target.h"
#include "rpc/writer.h"

/// The torch version, exporter and opset, and who wanted each of them: members of an open object. A language's graphs
/// may go to one exporter only, whatever the target says; NULL: of any language.
void target_json_members(Writer *writer, const Target *target, const Language *language);
