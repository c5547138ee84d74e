/// What a rule is, in the words of a hover.
///
/// Ownership: the texts live in the arena.
/// Threads:   pure.
/// Sources:   server/core/rules.def.
#pragma once

#include "core/features.h"

/// Writes the texts of `ret_words`: what the rule finds, how severe that is, and where its page is.
void suppression_rule_words(RuleId rule, const Target *target, Arena *arena, Hover *ret_words);
/// textDocument/hover in a comment that switches rules off; false elsewhere.
bool suppression_hover(const FeatureContext *context, size_t offset, Hover *ret_hover);
/// textDocument/completion in such a comment: adds what fits; false elsewhere.
bool suppression_complete(CompletionJob *job);
