/// One comment to this program, as it is on its line: `# onnxls: ignore[rule, other] why`.
///
/// Ownership: borrows the line.
/// Units:     byte offsets from the start of the line.
/// Errors:    what is not complete yet is described as far as it goes.
/// Threads:   pure.
/// Sources:   docs/suppression.md.
#pragma once

#include "text/position.h"

typedef enum DirectiveKind {
  DIRECTIVE_UNKNOWN,  ///< Another word, or none.
  DIRECTIVE_IGNORE,
  DIRECTIVE_IGNORE_FILE,
} DirectiveKind;

typedef struct Directive {
  DirectiveKind kind;
  size_t hash;    ///< The `#`.
  Range keyword;  ///< `ignore`; empty where it should be if there is none.
  bool has_list;
  bool is_closed;  ///< With has_list: the bracket has its partner.
  Range list;      ///< Between the brackets.
  size_t end;      ///< After everything that belongs to it: at the next comment of the line, or at the line's end.
} Directive;

/// Reads what begins with the `#` at `hash`, which has the marker after it.
Directive directive_parse(Str line, size_t hash);
/// The next name of the list from `*at` on, which begins as `list.start`; false after the last one. Empty places
/// between commas are passed over.
bool directive_next_name(const Directive *directive, Str line, size_t *at, Range *ret_name);
/// The word for a kind: "ignore".
Str directive_keyword(DirectiveKind kind);
