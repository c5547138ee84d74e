/// What is at an offset of a dump, and what its name means: by the index alone, no line is parsed.
///
/// Ownership: names borrow from the snapshot.
/// Units:     offsets and lines of the document.
/// Errors:    false where there is nothing.
/// Threads:   pure.
/// Sources:   names as graph/model/dump.h resolves them.
#pragma once

#include "core/features.h"
#include "graph/model/snapshot_dump.h"

typedef struct NameAt {
  Place place;
  bool is_definition;
  uint32_t graph;
  Str name;  ///< With its `%`.
  Range range;
} NameAt;

/// The name that holds the offset or ends there. The snapshot may be of any kind.
bool name_at(const Snapshot *snapshot, size_t offset, NameAt *ret_name);

/// The definition that the name means. A printable graph also sees the graphs printed before it.
bool name_at_definition(const Dump *dump, const NameAt *name, Place *ret_place);

/// Calls `visit` for every occurrence of the value in order, until it returns false: those of the name in the graph
/// that defines it and in the printable graphs that see it.
void name_at_each_occurrence(const Dump *dump, const NameAt *name,
                             bool (*visit)(Place place, bool is_definition, void *context), void *context);

/// How many of those are uses; much faster than visiting them.
size_t name_at_count_uses(const Dump *dump, const NameAt *name);

/// The range of the name at a place.
Range dump_place_range(const Snapshot *snapshot, Place place);
/// The item at a place, and its line.
const Item *dump_place_item(const Dump *dump, Place place);
uint32_t dump_place_line(const Snapshot *snapshot, Place place);
uint32_t dump_place_graph(const Dump *dump, Place place);

/// A line without its ending and the white space at both ends; empty at the line's start if nothing else is there.
Range dump_line_content(const Document *document, uint32_t line);

/// The item of the line that holds the offset. False for a line that is not part of a graph.
bool dump_place_at(const Snapshot *snapshot, size_t offset, Place *ret_place);
/// Steps to the item before or after in the document; `occurrence` stays 0.
bool dump_place_previous(const Dump *dump, Place *place);
bool dump_place_next(const Dump *dump, Place *place);
