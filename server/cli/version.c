// `onnxls --version`: what the program is and which facts are in it.
#include <stdio.h>

#include "cli/commands.h"
#include "facts/symbolics.h"

static bool keep_newest(Str name, void *context)
{
  uint32_t *newest = context;
  const OnnxOperator *op = symbolics_onnx_operator(symbolics_embedded(), STR(""), name);
  uint32_t since = op->versions[op->version_count - 1].since;
  if (since > *newest)
    *newest = since;
  return true;
}

int cli_version(int argc, char **argv)
{
  const SymbolicsDb *db = symbolics_embedded();
  printf("onnxls %s\n", ONNXLS_VERSION);

  const Str *versions;
  size_t count = symbolics_torch_versions(db, &versions);
  printf("facts: torch ");
  for (size_t i = 0; i < count; i++)
    printf("%s%.*s", i > 0 ? ", " : "", STR_ARG(versions[i]));

  uint32_t newest = 0;
  symbolics_each_onnx_name(db, STR(""), STR(""), keep_newest, &newest);
  printf("; ONNX up to opset %u\n", newest);
  return EXIT_CLEAN;
}
