/// What the files that put a dump together share.
///
/// Ownership: as in dump.h.
/// Units:     as in dump.h.
/// Errors:    none.
/// Threads:   one thread builds a dump.
/// Sources:   none.
#pragma once

#include "analysis/dump.h"

/// Finds the graphs and fills first_graph and graphs.
void dump_compose(Dump *dump);
/// Links every name of every graph. `links[c]` has a zeroed entry for each symbol of chunk c.
void dump_link_all(const Dump *dump, SymbolLink **links);
/// Links one name of one graph anew: stores its link in each chunk of the graph that has it.
void dump_link_name(const Dump *dump, uint32_t graph, Str name, uint32_t hash,
                    void (*store)(uint32_t chunk, uint32_t symbol, SymbolLink link, void *context), void *context);
/// Finds what is wrong with the names of a chunk, given its links.
void dump_find_faults(const Dump *dump, uint32_t chunk, const SymbolLink *links, Fault **ret_faults,
                      uint32_t *ret_count);
