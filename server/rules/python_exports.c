#include "rules/rules_private.h"

void check_python_exports(DiagSink *sink)
{
  (void)sink;
}
