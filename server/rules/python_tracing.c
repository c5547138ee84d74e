#include "rules/rules_private.h"

void check_python_tracing(DiagSink *sink)
{
  (void)sink;
}
