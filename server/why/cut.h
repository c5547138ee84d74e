/// A clean text cut into exceptions with their frames, and the steps that an exporter reports.
///
/// Ownership: arrays live in the arena; every Str borrows the clean text.
/// Units:     clean offsets (why/clean.h), lines from 1 where they come out of the text itself.
/// Errors:    what is cut off at either end keeps what is left of it.
/// Threads:   plain values.
/// Sources:   Python's traceback module; IPython, rich and pytest; torch/onnx/_internal/exporter/_reporting.py and
/// _core.py.
#pragma once

#include "why/clean.h"

typedef struct WhyFrame {
  Str path;
  Str function;         ///< Empty if it is not said.
  uint32_t line;        ///< 0 if it is not said.
  uint32_t at;          ///< Where it is said.
  bool is_inner_first;  ///< In a list that begins with the deepest one, as TorchScript's graphs remember calls.
} WhyFrame;

/// An exception or a warning: its header, its message, and the frames that led to it.
typedef struct WhyFailure {
  Str type;  ///< As written: "torch.onnx.errors.UnsupportedOperatorError".
  uint32_t start, end;
  uint32_t message;  ///< Where its message begins.
  uint32_t first_frame, frame_count;
  uint32_t first_said, said_count;  ///< Frames in the message itself: "The following call raised this error".
  uint32_t chain;                   ///< Failures that cause each other have the same.
  bool is_warning;
  bool is_of_strategy;  ///< Below "Errors from strategy": one way to capture the model failed, and others were tried.
  bool is_summary;      ///< One line of an "Exception summary", which says again what was raised before.
} WhyFailure;

typedef enum StepResult {
  STEP_BEGUN,    ///< "...", and no end of it.
  STEP_OK,       ///< A tick.
  STEP_FAILED,   ///< A cross.
  STEP_SKIPPED,  ///< A white circle: never reached.
} StepResult;

/// The order is that of an export.
typedef enum StepKind {
  STEP_CAPTURE,
  STEP_DECOMPOSE,
  STEP_TRANSLATE,
  STEP_OPTIMIZE,
  STEP_CHECK,
  STEP_RUN,
  STEP_COMPARE,
  STEP_COUNT,
} StepKind;

typedef struct WhyCut {
  const WhyFrame *frames;
  size_t frame_count;
  const WhyFailure *failures;  ///< In the order of the text; they don't overlap.
  size_t failure_count;
  bool has_steps;
  bool is_report;  ///< A report of the exporter (Markdown).
  bool has_step[STEP_COUNT];
  StepResult steps[STEP_COUNT];  ///< What is known last; a capture that succeeded with any strategy succeeded.
  const uint32_t *code;          ///< Starts of the lines that quote code, sorted: nothing is said there.
  size_t code_count;
} WhyCut;

void why_cut(const CleanText *clean, Arena *arena, WhyCut *ret_cut);
/// False if the line says no frame. `line` lies in the clean text.
bool why_read_frame(Str line, WhyFrame *ret_frame);
/// The place in "# File: model.py:12 in forward, code: ...", which printed graphs have above their nodes.
bool why_read_source(Str line, WhyFrame *ret_frame);
/// `words` are written with slashes, and stand for those of Windows, too.
bool why_path_holds(Str path, Str words);
/// Whether this file is a part of Python or of a package that is installed.
bool why_is_installed(Str path);
/// Whether it is of torch, ONNX or their like, so that nobody looks for a mistake of his own there.
bool why_is_exporter(Str path);
/// The failure that holds the clean offset; NULL if none does.
const WhyFailure *why_failure_at(const WhyCut *cut, size_t offset);
bool why_is_code(const WhyCut *cut, const CleanText *clean, size_t offset);
