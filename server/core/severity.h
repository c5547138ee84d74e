/// How bad a finding is, and the words for it.
///
/// Ownership: names are literals.
/// Threads:   pure.
/// Sources:   LSP 3.17, DiagnosticSeverity, for the numbers.
#pragma once

typedef enum Severity {
  SEVERITY_OFF = 0,
  SEVERITY_ERROR = 1,
  SEVERITY_WARNING = 2,
  SEVERITY_INFO = 3,
  SEVERITY_HINT = 4,
} Severity;

enum { SEVERITY_COUNT = SEVERITY_HINT + 1 };

/// Indexed by Severity: "off", "error", "warning", "info", "hint".
extern const char *const severity_names[SEVERITY_COUNT];

const char *severity_name(Severity severity);
