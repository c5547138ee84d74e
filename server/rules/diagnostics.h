/// Diagnostics of one snapshot: what editors show and `check` prints.
///
/// Ownership: everything lives in the arena given, or in the snapshot.
/// Units:     byte offsets.
/// Errors:    none.
/// Threads:   pure; any thread may ask any snapshot.
/// Sources:   rules.def is the list of rules; docs/rules/ has a page each.
#pragma once

#include "analysis/snapshot.h"

typedef enum RuleId {
#define RULE(id, name, severity, summary) RULE_##id,
#include "rules/rules.def"
#undef RULE
  RULE_COUNT,
} RuleId;

typedef struct RuleInfo {
  const char *name;     ///< "unsupported-op".
  Severity severity;    ///< Unless a setting says otherwise.
  const char *summary;  ///< One line.
} RuleInfo;

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
} SupportData;

typedef struct Diagnostic {
  Range range;
  RuleId rule;
  Severity severity;
  bool is_unnecessary;  ///< LSP DiagnosticTag.Unnecessary.
  Str message;
  const RelatedLocation *related;
  size_t related_count;
  SupportData support;
} Diagnostic;

typedef struct DiagnosticList {
  const Diagnostic *items;  ///< In order of position.
  size_t count;
  size_t hidden;  ///< How many more there are behind the target's max_diagnostics.
} DiagnosticList;

const RuleInfo *rule_info(RuleId rule);
/// RULE_COUNT if there is none of that name.
RuleId rule_find(Str name);
/// "https://…/docs/rules/NAME.md".
Str rule_url(RuleId rule, Arena *arena);

DiagnosticList diagnostics_of(const Snapshot *snapshot, Arena *arena);
