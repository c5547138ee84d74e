/// What a chunk tells at once of the names in it, without following them anywhere; for view_glance.c.
///
/// Ownership: the tables are the view's.
/// Units:     names are symbols of the chunk.
/// Errors:    what the text doesn't tell is open.
/// Threads:   one view belongs to one thread.
#pragma once

#include "graph/model/dump_view.h"
#include "graph/model/shown_type.h"

/// Who made a value.
typedef enum Maker {
  MAKER_UNASKED,
  MAKER_UNSURE,  ///< It is not certain which definition the name means.
  MAKER_OTHER,
  MAKER_CONSTANT,  ///< Constant, and not None.
  MAKER_NONE,
  MAKER_LIST,       ///< prim::ListConstruct
  MAKER_CONSTANTS,  ///< The same of constants alone.
  MAKER_NUMBER,     ///< prim::NumToTensor, whose type is that of the number.
  MAKER_VIEW,       ///< Gives what shares memory with another value (part_writes.h).
} Maker;

enum { RANK_UNASKED = -2 };

/// What is known of a name. The type is asked for less often than the maker, and the rank less often than that.
struct Glance {
  uint32_t item;  ///< The line of the chunk that defines it; NO_ITEM if another chunk does.
  uint8_t maker;  ///< Maker
  uint8_t type;   ///< ShownType
  int8_t rank;    ///< Or RANK_UNKNOWN.
};

/// The view's tables for the chunk of its node, begun if they are not yet: with the makers of all names that the chunk
/// defines, and MAKER_UNASKED for others. For all, if the view is sparse.
const NameTables *glance_names_tables(DumpView *view);
/// Says that a symbol has an entry now.
void glance_names_note(DumpView *view, uint32_t symbol);
/// Empties the tables.
void glance_names_end(DumpView *view);
/// What a name means that is MAKER_UNASKED: of another chunk, or if the table was left empty, of this one.
Glance glance_names_ask(const DumpView *view, Place use);
/// Reads a type that is not known yet.
void glance_names_read_type(const ChunkState *state, uint32_t symbol, Glance *glance);
/// The same of a rank.
void glance_names_read_rank(const ChunkState *state, uint32_t symbol, Glance *glance);
