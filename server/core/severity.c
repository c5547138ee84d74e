#include "core/severity.h"

const char *const severity_names[SEVERITY_COUNT] = {
  [SEVERITY_OFF] = "off",   [SEVERITY_ERROR] = "error", [SEVERITY_WARNING] = "warning",
  [SEVERITY_INFO] = "info", [SEVERITY_HINT] = "hint",
};

const char *severity_name(Severity severity)
{
  return severity_names[severity];
}
