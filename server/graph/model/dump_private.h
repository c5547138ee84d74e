/// What the files that put a dump together share.
///
/// Ownership: as in dump.h.
/// Units:     as in dump.h.
/// Threads:   one thread builds a dump.
#pragma once

#include "base/vec.h"
#include "graph/model/dump.h"

typedef Vec(NameLink) NameLinkList;

/// Where a chunk has a name.
typedef struct NameSpot {
  uint32_t chunk;
  uint32_t symbol;
} NameSpot;

/// Finds the graphs and the blocks around chunks.
void dump_compose(Dump *dump);

/// Links every name of every graph; `links` has a list for each chunk, empty at first.
void dump_link_all(const Dump *dump, NameLinkList *links);
/// Links one name of one graph. `spots` are all it has there, by chunk; `ret_links` has room for as many.
void dump_link_name(const Dump *dump, const Graph *graph, const NameSpot *spots, size_t count, NameLink *ret_links);

/// Finds what is wrong with the names of a chunk whose links are known.
void dump_find_faults(const Dump *dump, uint32_t chunk, Fault **ret_faults, uint32_t *ret_count);

/// The part of a chunk that belongs to a graph.
static inline const Segment *graph_part(const Dump *dump, const Graph *graph, uint32_t chunk)
{
  return &dump->chunks[chunk]->index->segments[graph_segment(graph, chunk)];
}
