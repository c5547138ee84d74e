/// The parts of `onnxls db`, one file each.
///
/// Ownership: as in cli_facts.h.
/// Errors:    exit codes; messages on stderr.
/// Threads:   the main thread.
/// Sources:   docs/facts.md.
#pragma once

#include "cli/cli_facts.h"

typedef struct DbFlags {
  FactsFlags facts;  ///< Of .onnxls.json only: `db` has no flag of its own.
  bool as_json;
  bool wants_help;
  const char *python;  ///< For import.
  const char *output;
  int timeout;
  const char *modules[16];
  size_t module_count;
  const char *operands[3];
  size_t operand_count;
} DbFlags;

int db_list(const DbFlags *flags);
int db_diff(const DbFlags *flags);
int db_import(const DbFlags *flags);
