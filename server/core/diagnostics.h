/// Diagnostics of one snapshot: what editors show and `check` prints.
///
/// Ownership: everything lives in the arena given, or in the snapshot.
/// Units:     byte offsets.
/// Threads:   pure; any thread may ask any snapshot.
#pragma once

#include <stdatomic.h>

#include "core/rule.h"
#include "core/snapshot.h"

typedef struct RelatedLocation {
  Range range;  ///< In the same document.
  Str message;
} RelatedLocation;

typedef struct SupportData {
  Str op;  ///< "aten::x"; empty if the rule is not about support.
  int opset;
  Str exporter;
  Str torch;
  int since;  ///< First opset that can; 0 for none.
  Str part;   ///< What the dynamo exporter has no function for, as it says it: "prims.bessel_i0e.default"; else empty.
} SupportData;

typedef struct TextEdit {
  Range range;  ///< Empty for an insertion.
  Str text;
} TextEdit;

/// A change of the same document that makes the diagnostic go away.
typedef struct Fix {
  Str title;              ///< "Write `alpha_f`".
  const TextEdit *edits;  ///< In order of position; they don't overlap.
  size_t edit_count;
  bool is_safe;  ///< `check --fix` applies it: it can't change what correct code means.
} Fix;

/// Where in a notebook something is, counted from 1; columns in code points.
typedef struct CellPlace {
  uint32_t number;  ///< Of the cell among all; 0 if the document is no notebook.
  uint32_t line;
  uint32_t column;
  bool is_output;  ///< In what the cell printed, not in its code.
} CellPlace;

typedef struct Diagnostic {
  Range range;
  RuleId rule;
  Severity severity;
  bool is_unnecessary;  ///< LSP DiagnosticTag.Unnecessary.
  Str message;
  Str common;         ///< What of the message is said of other nodes as well; empty if that is nothing.
  size_t node_count;  ///< How many nodes it is about; 0 if it is not one for several.
  Str scope;          ///< The module that the node is in: "layers.0.norm"; may be empty.
  const RelatedLocation *related;
  size_t related_count;
  SupportData support;
  CellPlace cell;
  const Fix *fixes;  ///< The best first.
  size_t fix_count;
} Diagnostic;

typedef struct DiagnosticList {
  const Diagnostic *items;  ///< In order of position.
  size_t count;
  size_t hidden;  ///< How many more there are after the target's max_diagnostics.
  /// What comments switch off, in no particular order: the first ones, and how many there are in all.
  const Diagnostic *suppressed;
  size_t suppressed_count;
  size_t suppressed_total;
} DiagnosticList;

DiagnosticList diagnostics_of(const Snapshot *snapshot, Arena *arena);
/// The same, but once the flag (may be NULL) is set it makes haste: what it gives then is of no use.
DiagnosticList diagnostics_unless(const atomic_bool *cancelled, const Snapshot *snapshot, Arena *arena);
/// One diagnostic for all that are of one rule and have the same `common`: at the first place, the others are related.
DiagnosticList diagnostics_group(const DiagnosticList *list, Arena *arena);
/// What the target wants to be shown of a list: all of it, or that.
DiagnosticList diagnostics_shown(const Snapshot *snapshot, const DiagnosticList *list, Arena *arena);
