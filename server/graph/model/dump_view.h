/// What a dump shows of the arguments of a node, for server/outcome.
///
/// Ownership: borrows the dump and the arena, in which facts are kept until the view is begun again; owns tables.
/// Units:     places as in dump.h.
/// Errors:    what can't be read is unknown.
/// Threads:   one view belongs to one thread.
/// Sources:   torch.onnx.utils._optimize_graph for what is constant when symbolic functions are called.
#pragma once

#include "base/limits.h"
#include "graph/model/graph_walk.h"
#include "outcome/condition_parts.h"

enum { KNOWN_TAGS = 64 };

/// The tags of an operator that was asked about before.
typedef struct KnownTags {
  Str op;  ///< Empty if free.
  uint32_t tags;
} KnownTags;

typedef struct Glance Glance;

/// The number that a constant is.
typedef struct GlanceNumber {
  uint32_t symbol_after;  ///< The symbol of its name in the chunk, and one; 0 if free.
  bool is_number;
  double number;
} GlanceNumber;

/// What was found out of the names of a chunk, by symbol. The memory is kept for the next chunk: an edit asks about a
/// few names in each of many.
typedef struct NameTables {
  Glance *glances;              ///< glance_names.h
  const ArgumentFacts **facts;  ///< NULL for what nobody asked about.
  uint32_t room;                ///< Of either.
  uint32_t count;               ///< Symbols of the chunk and one; 0 before one is begun.
  Vec(uint32_t) asked;          ///< Symbols with entries, if few nodes are asked about.
} NameTables;

typedef struct DumpView {
  NodeView view;  ///< First, so that the one is the other.
  GraphWalk walk;
  const SymbolicsDb *db;
  KnownTags known_tags[KNOWN_TAGS];  ///< By a hash; a newer one takes the place of an older.
  Arena *arena;
  Place node;
  bool is_sparse;                                       ///< Few nodes of the chunk are asked about.
  NameTables names;                                     ///< Of the chunk of the node.
  GlanceNumber numbers[16];                             ///< By symbol; a newer one takes the place of an older.
  const ArgumentFacts *arguments[VIEW_ARGUMENT_LIMIT];  ///< NULL for one that nobody asked about.
  const ArgumentFacts *elements[VIEW_ARGUMENT_LIMIT][VIEW_ELEMENT_LIMIT];
  bool is_asked_for_axes;                   ///< Of the graph of this chunk.
  bool has_dynamic_axes;                    ///< An input of that graph has one.
  const Value *sizes[VIEW_ARGUMENT_LIMIT];  ///< As the exporter knows them; NULL for one that nobody asked about.
} DumpView;

/// Call before the arena is emptied, and before turning to a node of another chunk.
void dump_view_forget(DumpView *view);
void dump_view_done(DumpView *view);
/// Turns to a node.
void dump_view_begin(DumpView *view, Place node);
/// The value of a prim::Constant; unknown where the print doesn't show all of it, and of None.
Value dump_view_constant(const DumpView *view, Place definition);
/// What the dump shows of a value at its definition.
void dump_view_type(Str type, Arena *arena, ArgumentFacts *facts);
