/// The Python table of one layer in memory; shared by export_api*.c only.
///
/// Ownership: the database's arena.
/// Units:     as in facts/export_api.h.
/// Errors:    a table that cannot be unpacked is empty.
/// Threads:   unpacked once, under the database's lock; then only read.
/// Sources:   symbolics-db/symbolics.proto, PythonTable.
#pragma once

#include "facts/export_api.h"
#include "facts/symbolics_internal.h"

/// Every list is sorted by name.
typedef struct PythonTable {
  PyHelper *helpers;
  size_t helper_count;
  PyDescriptor *descriptors;
  size_t descriptor_count;
  PySuffix *suffixes;
  size_t suffix_count;
  PyApi *api;
  size_t api_count;
  PyApiMember *members;
  size_t member_count;
  PyExportArgument *arguments;
  size_t argument_count;
} PythonTable;

/// The table of layer `i`; unpacks it on first use.
const PythonTable *export_api_table(const SymbolicsDb *db, uint32_t i);
