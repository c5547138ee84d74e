/// What the rows of languages have in common whose texts are read in one go, and that judge nothing: of a LanguageModel
/// all but how it is finished and freed, and the answers of a language without rules.
///
/// Ownership: the plan is the snapshot itself, so nothing is made before it is finished.
/// Units:     bytes.
/// Threads:   as LanguageModel says.
/// Sources:   core/language.h.
#pragma once

#include "core/snapshot.h"

void *whole_text_plan(const Snapshot *snapshot, const void *previous);
uint32_t whole_text_count(const void *plan);
size_t whole_text_bytes(const void *plan);
void whole_text_run(void *plan, uint32_t piece);
void whole_text_free_plan(void *plan);

/// The members of a LanguageModel that come of these, but for `plan`.
#define WHOLE_TEXT_STEPS                                                                                               \
  .plan_count = whole_text_count, .plan_bytes = whole_text_bytes, .plan_run = whole_text_run,                          \
  .plan_free = whole_text_free_plan

void whole_text_check_nothing(DiagSink *sink);
void whole_text_each_unread(const Snapshot *snapshot, UnreadVisitor *visit, void *context);
