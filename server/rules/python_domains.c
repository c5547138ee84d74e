#include "rules/rules_private.h"

void check_python_domains(DiagSink *sink)
{
  (void)sink;
}
