/// What differs between two graphs, whatever their values are called and in which order independent nodes stand.
///
/// Ownership: diff_done() frees; texts borrow from the two structures and from the diff's arena.
/// Units:     lines from 0; parts are numbers in their structure.
/// Threads:   pure.
/// Sources:   docs/diff.md.
#pragma once

#include "core/structure.h"

typedef enum DifferenceKind {
  DIFFERENCE_ADDED,
  DIFFERENCE_REMOVED,
  DIFFERENCE_CHANGED,
} DifferenceKind;

typedef enum ChangeKind {
  CHANGE_OPERATOR,
  CHANGE_KIND,  ///< A constant that is a node here and an initializer there.
  CHANGE_ATTRIBUTE,
  CHANGE_VALUES,   ///< Of a constant.
  CHANGE_TYPE,     ///< Of a value, with its shape.
  CHANGE_INPUT,    ///< Another value is used.
  CHANGE_OUTPUTS,  ///< How many values the node makes.
  CHANGE_ORDER,    ///< Of a graph's inputs or outputs.
  CHANGE_VALUE,    ///< Of a fact beside the graphs.
} ChangeKind;

/// One thing that is otherwise; an empty side means that it is not there.
typedef struct Change {
  ChangeKind kind;
  Str name;  ///< Of the attribute or value; "0" for the first input; empty where there is only one.
  Str a;
  Str b;
} Change;

/// Something that is on one side only, or otherwise on the two. Parts are NO_PART on a side where it is not, and on
/// both for a fact.
typedef struct Difference {
  DifferenceKind kind;
  uint32_t a;
  uint32_t b;
  uint32_t line_a;
  uint32_t line_b;
  Str fact;  ///< Its name; empty for a part.
  size_t first_change;
  size_t change_count;
} Difference;

typedef struct Renaming {
  Str a;
  Str b;
} Renaming;

typedef struct GraphDiff {
  Arena arena;
  const GraphStructure *a;
  const GraphStructure *b;
  uint32_t *to_b;  ///< By part of `a`: the one that it is in `b`, or NO_PART.
  uint32_t *to_a;
  bool is_mixed;       ///< Of two languages, which write types and arguments in their own ways: these are not compared.
  bool lacks_domains;  ///< Of these one writes operators without their domains.
  bool has_inner_types[2];  ///< Some value that a node makes has a type.
  Vec(Difference) items;    ///< By scope and line.
  Vec(Change) changes;
  Vec(Renaming) renamed;  ///< Inputs and outputs of the graph that are called otherwise.
  size_t renamed_values;  ///< All values that are.
  size_t unknown;         ///< Constants that could not be compared, as a text leaves their values out.
  size_t minor;           ///< With `is_mixed`: constants and lists on one side only, which are not told.
  size_t functions;       ///< With `is_mixed`: those of a side where the other has none at all; they are not told.
} GraphDiff;

/// With `is_mixed` it marks parameters in the structures.
void diff_graphs(GraphStructure *a, GraphStructure *b, bool is_mixed, GraphDiff *ret_diff);
void diff_done(GraphDiff *diff);
