/// What a dump shows of the arguments of a node, for server/outcome.
///
/// Ownership: borrows the dump and the arena, in which facts are kept until the view is begun again.
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

/// Who made a value, as far as a glance at its definition tells.
typedef enum Maker {
  MAKER_UNASKED,
  MAKER_UNSURE,
  MAKER_CONSTANT,  ///< Constant, and not None.
  MAKER_NONE,
  MAKER_LIST,       ///< prim::ListConstruct
  MAKER_CONSTANTS,  ///< The same of constants alone.
  MAKER_NUMBER,     ///< prim::NumToTensor, whose type is that of the number.
  MAKER_OTHER,
} Maker;

/// What is known of a name of a chunk at once. Its maker is asked for less often than its type.
typedef struct Glance {
  uint8_t maker;       ///< Maker
  bool is_type_known;  ///< The type was looked at.
  bool is_typed;       ///< `dtypes` is all that is possible; nothing if the type names none.
  int8_t rank;         ///< Or RANK_UNKNOWN.
  uint16_t dtypes;     ///< Bits as in ConditionPart.
} Glance;

typedef struct DumpView {
  NodeView view;  ///< First, so that the one is the other.
  GraphWalk walk;
  const SymbolicsDb *db;
  KnownTags known_tags[KNOWN_TAGS];  ///< By a hash; a newer one takes the place of an older.
  Arena *arena;
  Place node;
  Glance *glances;                  ///< By symbol of the chunk of the node; in the arena.
  const ArgumentFacts **by_symbol;  ///< Of the chunk of the node; in the arena. NULL for one that nobody asked about.
  const ArgumentFacts *arguments[VIEW_ARGUMENT_LIMIT];  ///< NULL for one that nobody asked about.
  const ArgumentFacts *elements[VIEW_ARGUMENT_LIMIT][VIEW_ELEMENT_LIMIT];
  bool is_asked_for_axes;                   ///< Of the graph of this chunk.
  bool has_dynamic_axes;                    ///< An input of that graph has one.
  const Value *sizes[VIEW_ARGUMENT_LIMIT];  ///< As the exporter knows them; NULL for one that nobody asked about.
} DumpView;

/// Whether the part is certainly not true of the node. Costs next to nothing; the view need not be turned to the node.
bool dump_view_rules_out(DumpView *view, Place node, const ConditionPart *part);
/// What is known of a value that a line uses: found out once for each name of the chunk.
const ArgumentFacts *dump_view_value(DumpView *view, Place use);
/// Call before the arena is emptied, and before turning to a node of another chunk.
void dump_view_forget(DumpView *view);
/// Turns to a node.
void dump_view_begin(DumpView *view, Place node);
/// What the dump shows of a value at its definition.
void dump_view_type(Str type, Arena *arena, ArgumentFacts *facts);
