/// What commands about the facts answer from: the facts, and the torch version, exporter and opset that are meant.
///
/// Ownership: cli_facts_close() frees all of it; `db` and names live until then.
/// Units:     opsets of ai.onnx; 0 if nobody said.
/// Errors:    ERR_USAGE after messages on stderr.
/// Threads:   opened and closed by the main thread; `db` may be asked by any.
/// Sources:   docs/settings.md.
#pragma once

#include "cli/options.h"
#include "facts/symbolics.h"
#include "host/settings.h"

/// Flags win over `.onnxls.json`. Zeroed memory: no flag was given.
typedef struct FactsFlags {
  const char *torch;
  bool has_exporter;
  Exporter exporter;
  int opset;
} FactsFlags;

typedef struct CliFacts {
  Settings settings;
  Facts *facts;  ///< Owned; NULL if there are only those built in.
  const SymbolicsDb *db;
  uint32_t torch;
  Str torch_name;
  Exporter exporter;
  bool exporter_is_default;  ///< Nobody said which.
  int opset;
} CliFacts;

/// Takes the flag that the reader is at, if its name is "opset", "torch" or "exporter".
MUST_USE Status cli_facts_take_flag(FactsFlags *flags, const OptionReader *reader);
MUST_USE Status cli_facts_open(CliFacts *facts, const FactsFlags *flags);
void cli_facts_close(CliFacts *facts);
