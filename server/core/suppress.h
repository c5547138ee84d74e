/// Comments that switch rules off, and what they do to the diagnostics of a document.
///
/// `# onnxls: ignore[rule, other]` at the end of a line is about that line; on a line of its own it is about the next
/// line that is more than a comment, but not across a blank line. `# onnxls: ignore-file[rule]` is about the whole
/// file; it has a line of its own before all code (a docstring is none), in a dump before the first line of a graph.
/// Without brackets every rule is meant.
///
/// Ownership: suppressor_done() frees what suppressor_init() made; the snapshot is borrowed.
/// Units:     ranges are offsets of the document, but those of a Directive are offsets of its line.
/// Errors:    a comment that is wrong switches nothing off and is reported.
/// Threads:   one suppressor belongs to one thread.
/// Sources:   docs/suppression.md.
#pragma once

#include "base/vec.h"
#include "core/diagnostics.h"
#include "core/directive.h"

typedef Vec(Diagnostic) DiagnosticVec;

#define NO_LINE UINT32_MAX

typedef struct SuppressedName {
  Range range;  ///< In the line.
  RuleId rule;  ///< RULE_COUNT if there is none of that name.
  bool is_used;
} SuppressedName;

typedef struct Suppression {
  Directive directive;
  uint32_t line;
  uint32_t target;  ///< The line that it is about; NO_LINE if there is none, or all are.
  bool is_alone;    ///< On a line of its own.
  bool is_late;     ///< Code, or a line of a graph, comes before it.
  bool is_used;     ///< Without brackets: it switched something off.
  bool is_excused;  ///< Another comment switches off what would be said of this one.
  uint32_t first_name;
  uint32_t name_count;
} Suppression;

/// What is switched off for a line or for the file: numbers of names and suppressions, counted from 1.
typedef struct SuppressedRules {
  uint32_t names[RULE_COUNT];
  uint32_t everything;
} SuppressedRules;

typedef struct Suppressor {
  const Snapshot *snapshot;
  Vec(Suppression) items;     ///< In order of position.
  Vec(SuppressedName) names;  ///< Of each item in a row.
  SuppressedRules file;
  SuppressedRules line;  ///< Of `current_line`.
  uint32_t current_line;
  bool part[RULE_COUNT];  ///< Switched off for some line of the part that is being checked.
  bool has_part;          ///< One of them is.
} Suppressor;

void suppressor_init(Suppressor *suppressor, const Snapshot *snapshot);
void suppressor_done(Suppressor *suppressor);

/// From now on diagnostics come from lines [first, end): so that most parts of a dump cost nothing.
void suppressor_enter(Suppressor *suppressor, uint32_t first, uint32_t end);
/// Whether a diagnostic of this rule might be switched off in the part that is being checked.
bool suppressor_may_take(const Suppressor *suppressor, RuleId rule);
/// Whether it is switched off for the whole file. Then that comment is in use.
bool suppressor_takes_all(Suppressor *suppressor, RuleId rule);
/// Whether a diagnostic at this place is switched off. Then its comment is in use.
bool suppressor_takes(Suppressor *suppressor, RuleId rule, Range range);
/// The same of all that is said of a line.
bool suppressor_takes_line(Suppressor *suppressor, RuleId rule, uint32_t line);

/// Appends what is wrong with the comments: those that were not in use, and mistakes in them. To be called when
/// everything else was asked. `limit` (0 is none) is how many are made at most; returns how many more there are.
size_t suppressor_report(Suppressor *suppressor, size_t limit, Arena *arena, DiagnosticVec *ret_diagnostics);

/// Whether the comment has the effect that it asks for.
bool suppressor_item_is_in_force(const Suppression *item);

/// A comment under the cursor.
typedef struct DirectiveAt {
  Directive directive;
  uint32_t line;
  uint32_t target;    ///< As in Suppression.
  size_t line_start;  ///< Its offset in the document.
  Str text;           ///< The line.
} DirectiveAt;
/// The comment that holds the offset, or ends there. Costs a look at one line where there is none.
bool suppressor_directive_at(const Snapshot *snapshot, size_t offset, DirectiveAt *ret_directive);
