/// What one look at a text needs; shared by the files of why/ only.
///
/// Ownership: everything lives in the arena of the caller.
/// Units:     clean offsets.
/// Threads:   one thread at a time.
#pragma once

#include "base/buffer.h"
#include "base/vec.h"
#include "why/cut.h"
#include "why/match.h"
#include "why/why.h"

#define NO_CHAIN UINT32_MAX

/// A match and the exception that it is in.
typedef struct Hit {
  const Match *match;
  const WhyFailure *failure;  ///< NULL in loose text.
  uint32_t chain;             ///< NO_CHAIN in loose text.
  bool is_dropped;
} Hit;

typedef struct Why {
  const SymbolicsDb *db;
  Arena *arena;
  CleanText clean;
  WhyCut cut;
  MatchList matches;
  int exporter;  ///< That the text mentions; -1 if it does not.
  Hit *hits;     ///< One a match.
  size_t hit_count;
} Why;

/// Fills `why->hits`: no matches in quoted code, and of those that overlap only the surest.
void why_make_hits(Why *why);
/// The stage at which it failed, as the text or else the catalogue says.
Str why_stage(const Why *why, const Hit *hit);
/// The first step of the export with that result; empty if there is none.
Str why_step_with(const WhyCut *cut, StepResult result);
/// What was being done, by the files and functions that its traceback goes through; empty if it names none.
Str why_stage_of_frames(const WhyCut *cut, const WhyFailure *failure);
WhyOutcome why_outcome(const WhyCut *cut);
/// Whether an exception of that chain was raised, or passed on, by functions that export or capture.
bool why_is_of_export(const WhyCut *cut, uint32_t chain);
/// What `why->exporter` is to be.
int why_find_exporter(const Why *why);

/// A hole of the hit itself, or of others about the same failure.
Str why_hole(const Why *why, const Hit *hit, Str name);
/// The operator that the hit is about, as its exporter writes it; empty if none is named.
Str why_operator(const Why *why, const Hit *hit);
/// `name` ("aten.gru.input", "aten::gru", "torch.ops.aten.gru.input") as "aten::gru" and its overload; false if it is
/// no operator of torch.
bool why_torch_name(Str name, Arena *arena, Str *ret_name, Str *ret_overload);
/// Fills the holes of a cause or fix.
Str why_words(const Why *why, const Hit *hit, Str template);
/// Quotes, brackets and full stops around a hole's text.
Str why_bare(Str text);

/// The frame to look at; NULL if the text names none that is of use.
const WhyFrame *why_place(const Why *why, const Hit *hit);
/// Where a graph in the text says that its node comes from; false if it holds no such graph.
bool why_place_of_node(const Why *why, Str node, WhyFrame *ret_frame);
/// Where a graph in the text says that the first call comes from of an operator that is taken apart into this one.
bool why_place_of_part(const Why *why, Str operator_, WhyFrame *ret_frame);
/// Where a TorchScript graph in the text says that the first call of the operator in somebody's own code comes from.
bool why_place_of_operator(const Why *why, Str operator_, WhyFrame *ret_frame);
const WhyFrame *why_place_of_failure(const Why *why, const WhyFailure *failure);

// What the facts add to a cause and to a fix: sentences, each with a blank before it.
typedef struct Additions {
  Buffer cause, fix;
} Additions;

void why_about_torch_operator(const Why *why, Str operator_, Str opset, Additions *to);
void why_about_dynamo_operator(const Why *why, Str operator_, Additions *to);
void why_about_onnx(const Why *why, const Hit *hit, uint32_t about, Additions *to);
void why_about_runtime(const Why *why, const Hit *hit, uint32_t about, Additions *to);
void why_about_python(const Why *why, const Hit *hit, uint32_t about, Additions *to);
