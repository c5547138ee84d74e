#include "rules/rules_private.h"

void check_python_autograd(DiagSink *sink)
{
  (void)sink;
}
