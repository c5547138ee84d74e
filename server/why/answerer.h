/// An answer while it is being put together; shared by the files of why/ only.
///
/// Ownership: findings and notes are the answerer's until the answer takes them.
/// Units:     clean offsets, but for findings.
/// Threads:   one thread at a time.
#pragma once

#include "why/pick.h"

typedef struct Answerer {
  Why why;
  Vec(WhyFinding) findings;
  Vec(Str) notes;
  size_t offset;  ///< Of what is read within the text.
} Answerer;

/// A finding for each match of that level that adds something.
void why_add_level(Answerer *answerer, MessageLevel level);
void why_add_finding(Answerer *answerer, const Hit *hit);
/// Exceptions of which no message is known, the deepest of each chain; those that only pass others on are left out.
void why_add_unknown(Answerer *answerer);
/// What was being done when it failed, if nothing else is known.
void why_add_wrappers(Answerer *answerer);
/// Where all findings are warnings: what is said of the step that failed comes first.
void why_put_failed_step_first(Answerer *answerer);

void why_set_place(WhyFinding *finding, const WhyFrame *frame, Arena *arena);
/// The offset in the text that was given.
size_t why_original(const Answerer *answerer, size_t clean);
