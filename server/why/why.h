/// From a pasted exception, console log, export report or runtime message to what went wrong and what helps.
///
/// Ownership: an answer lives in the arena given; it borrows neither the text nor anything but the database.
/// Units:     byte offsets into the text that was given.
/// Errors:    what is not known stays empty, and what was not read is said.
/// Threads:   pure; the database may be shared.
/// Sources:   symbolics-db/records/messages; docs/why.md.
#pragma once

#include "base/limits.h"
#include "facts/messages.h"

typedef struct WhyFinding {
  Str id;          ///< Of the message in the catalogue; empty if it is in none.
  Str stage;       ///< "pt_export", "conversion"...; empty if unknown.
  int exporter;    ///< EXPORTER_TORCHSCRIPT, EXPORTER_DYNAMO, or -1.
  Str operator_;   ///< As the exporter names it: "aten::tile", "aten.gru.input", "Conv".
  Str argument;    ///< Of a call, an operator, or the dimension in question.
  Str what;        ///< What failed, in the software's own words where no cause is known.
  Str cause, fix;  ///< Empty if not known.
  Str url;
  Str file;       ///< The place in somebody's own code; empty if there is none.
  uint32_t line;  ///< From 1; 0 if unknown.
  Str function;
  Str said_by;        ///< Where in the software this message comes from.
  size_t start, end;  ///< The message in the text.
  bool is_warning;
  bool is_of_export;  ///< Its exception, or one of its chain, passed through an export or a capture.
} WhyFinding;

typedef enum WhyOutcome {
  WHY_UNKNOWN,  ///< The text does not say how the export ended.
  WHY_SUCCEEDED,
  WHY_FAILED,
} WhyOutcome;

typedef struct WhyAnswer {
  WhyFinding *findings;  ///< The likeliest first.
  size_t count;
  bool has_cause;      ///< Has any of them a cause?
  WhyOutcome outcome;  ///< As the steps of the export say.
  Str stage;           ///< The step that failed, or the last one begun; empty if the text has no steps.
  Str *notes;          ///< Sentences about the text as a whole.
  size_t note_count;
} WhyAnswer;

/// "The export failed (stage ...) because of ...: ...": the cause, what helps, and the place.
Str why_failure_words(const WhyAnswer *answer, const WhyFinding *finding, Arena *arena);

void why_explain(Str text, const SymbolicsDb *db, Arena *arena, WhyAnswer *ret_answer);
