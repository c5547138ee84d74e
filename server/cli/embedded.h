/// Text files of the project that are compiled in, so that the program needs nothing beside itself.
///
/// Ownership: constants.
/// Units:     bytes.
/// Threads:   constants.
/// Sources:   docs/rules/, symbolics-db/tools/, editors/page/; server/CMakeLists.txt has the lists.
#pragma once

#include "base/str.h"

typedef struct EmbeddedText {
  Str name;  ///< The file's name without its ending.
  Str text;
} EmbeddedText;

/// Empty if the list has none of that name.
static inline Str embedded_text_named(const EmbeddedText *list, size_t count, const char *name)
{
  for (size_t i = 0; i < count; i++) {
    if (str_equal(list[i].name, str_from(name)))
      return list[i].text;
  }
  return (Str){ 0 };
}

/// Pages of the rules, sorted by name.
extern const EmbeddedText rule_pages[];
extern const size_t rule_pages_count;
/// The Python scripts that `db import` runs: export_onnx and export_torch.
extern const EmbeddedText db_tools[];
extern const size_t db_tools_count;
/// The page that shows a picture: body and style.
extern const EmbeddedText picture_page[];
extern const size_t picture_page_count;
/// Its scripts, in the order in which they run.
extern const EmbeddedText picture_scripts[];
extern const size_t picture_scripts_count;
