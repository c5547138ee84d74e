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

enum PythonList {
  PYTHON_HELPERS,      ///< PyHelper
  PYTHON_DESCRIPTORS,  ///< PyDescriptor
  PYTHON_SUFFIXES,     ///< PySuffix
  PYTHON_API,          ///< PyApi
  PYTHON_MEMBERS,      ///< PyApiMember
  PYTHON_ARGUMENTS,    ///< PyExportArgument
  PYTHON_LIST_COUNT
};

enum { NAME_PROBES = 16 };  ///< A name that is not met in so many slots is looked for in the list.

/// Structs that begin with their name, sorted by it.
typedef struct NamedList {
  void *items;
  size_t count, size;
  uint32_t *slots;  ///< By the hash of the name, a power of two and NAME_PROBES more: the item's index and 1, or 0.
  uint32_t mask;
} NamedList;

typedef struct PythonTable {
  NamedList lists[PYTHON_LIST_COUNT];
} PythonTable;

/// The table of layer `i`; unpacks it on first use.
const PythonTable *export_api_table(const SymbolicsDb *db, uint32_t i);
