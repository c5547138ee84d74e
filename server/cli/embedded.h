/// Text files of the project that are compiled in, so that the program needs nothing beside itself.
///
/// Ownership: constants.
/// Units:     bytes.
/// Threads:   constants.
/// Sources:   docs/rules/, symbolics-db/tools/; server/CMakeLists.txt has the lists.
#pragma once

#include "base/str.h"

typedef struct EmbeddedText {
  Str name;  ///< The file's name without its ending.
  Str text;
} EmbeddedText;

/// Pages of the rules, sorted by name.
extern const EmbeddedText rule_pages[];
extern const size_t rule_pages_count;
/// The Python scripts that `db import` runs: export_onnx and export_torch.
extern const EmbeddedText db_tools[];
extern const size_t db_tools_count;
