/// How much of a document an answer is about: "nothing found" means something only where all of it was looked at.
///
/// Ownership: texts live in the arena given.
/// Errors:    what can't be judged is what this is about.
/// Threads:   pure.
/// Sources:   docs/check.md, "What a result is worth".
#pragma once

#include "core/snapshot.h"

typedef enum CoverageStatus {
  COVERAGE_CHECKED,  ///< Everything that the document says about exporting was understood and judged.
  COVERAGE_PARTLY,   ///< Something in it can't be judged from here.
  COVERAGE_SKIPPED,  ///< It was not understood, or given up.
} CoverageStatus;

typedef struct Coverage {
  CoverageStatus status;
  Str why;            ///< What was not judged, and what to do; empty for COVERAGE_CHECKED.
  bool is_converted;  ///< The text was made out of a file of another kind, so it can't be written back.
  bool names_others;  ///< Another file may hold a part of it.
  bool is_damaged;    ///< A model whose file is not whole: nothing of it was read, which a diagnostic says.
  bool gave_up;       ///< A limit was reached: part of it was not looked at.
} Coverage;

Coverage coverage_of(const Snapshot *snapshot, Arena *arena);
/// "checked", "partly", "skipped"
const char *coverage_name(CoverageStatus status);
/// What of a document is not judged, as a sentence: with a capital letter, and a full stop.
Str coverage_sentence(Str why, Arena *arena);
