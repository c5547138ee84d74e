/// The exporters of torch.onnx, and what they are called.
///
/// Ownership: names are literals.
/// Threads:   pure.
/// Sources:   torch.onnx.export(dynamo=False) and torch.onnx.export(dynamo=True).
#pragma once

typedef enum Exporter {
  EXPORTER_TORCHSCRIPT,
  EXPORTER_DYNAMO,
} Exporter;

enum { EXPORTER_COUNT = EXPORTER_DYNAMO + 1 };

/// Indexed by Exporter; as settings, flags and JSON have them: "torchscript", "dynamo".
extern const char *const exporter_names[EXPORTER_COUNT];

const char *exporter_name(Exporter exporter);
/// As sentences have it: "TorchScript", "dynamo".
const char *exporter_title(Exporter exporter);
