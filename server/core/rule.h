/// What can be wrong: the list of rules.
///
/// Ownership: the table is static.
/// Threads:   constants; any thread.
/// Sources:   rules.def is the list; docs/rules/ has a page each.
#pragma once

#include "core/language.h"
#include "core/severity.h"

typedef enum RuleId {
#define RULE(id, name, severity, languages, summary) RULE_##id,
#include "core/rules.def"
#undef RULE
  RULE_COUNT,
} RuleId;

typedef struct RuleInfo {
  const char *name;       ///< "unsupported-op".
  Severity severity;      ///< Unless a setting says otherwise.
  LanguageSet languages;  ///< In which there can be diagnostics of it.
  const char *summary;    ///< One line.
} RuleInfo;

const RuleInfo *rule_info(RuleId rule);
/// RULE_COUNT if there is none of that name.
RuleId rule_find(Str name);
/// The rule that somebody most likely meant; RULE_COUNT if none is near.
RuleId rule_nearest(Str name);
/// True when there can be diagnostics of this rule in such a document.
bool rule_is_about(RuleId rule, const Language *language);
/// "https://…/docs/rules/NAME.md".
Str rule_url(RuleId rule, Arena *arena);
/// Where the project is at home.
Str rule_project_url(void);
