#include "facts/exporter.h"

const char *const exporter_names[EXPORTER_COUNT] = {
  [EXPORTER_TORCHSCRIPT] = "torchscript",
  [EXPORTER_DYNAMO] = "dynamo",
};

const char *exporter_name(Exporter exporter)
{
  return exporter_names[exporter];
}

const char *exporter_title(Exporter exporter)
{
  return exporter == EXPORTER_DYNAMO ? "dynamo" : "TorchScript";
}
