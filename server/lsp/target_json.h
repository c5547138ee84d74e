/// What something was checked against, for programs.
///
/// Threads:   pure; each thread needs its own writer.
/// Sources:   docs/check.schema.json, "target"; docs/protocol.md.
#pragma once

#include "core/target.h"
#include "rpc/writer.h"

/// The torch version, exporter and opset, and who wanted each of them: members of an open object.
void target_json_members(Writer *writer, const Target *target);
