/// Which rules a run asks: `--select` and `--ignore` of check.
///
/// Ownership: plain values.
/// Errors:    ERR_USAGE after a message on stderr that names the rule most likely meant.
/// Threads:   the main thread.
/// Sources:   docs/check.md, "Flags".
#pragma once

#include "cli/options.h"
#include "core/diagnostics.h"

typedef struct RuleChoice {
  bool has_selected;
  bool selected[RULE_COUNT];
  bool ignored[RULE_COUNT];
} RuleChoice;

/// Take the flag's value: names of rules with commas between them.
MUST_USE Status rule_choice_select(RuleChoice *choice, const OptionReader *reader);
MUST_USE Status rule_choice_ignore(RuleChoice *choice, const OptionReader *reader);
/// Lays the choice over the settings: a rule that is selected is on, with its own severity if a setting had switched it
/// off; where rules are selected, the others are off; and what is ignored is off.
void rule_choice_apply(const RuleChoice *choice, uint8_t *severities);
