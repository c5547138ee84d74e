#include "rules/rules_private.h"

void check_python_api(DiagSink *sink)
{
  (void)sink;
}
