/// The scopes of a document and the values between its nodes: what every picture of it is made from.
///
/// A *leaf* is a statement, a value that a header defines, or the line that returns values; leaves are in the order of
/// the text, and a scope holds a row of them. So scopes that are closed can't make a cycle that the graph has not.
///
/// Ownership: a tree owns its arrays and borrows texts from the snapshot.
/// Units:     lines of the document, from 0.
/// Threads:   immutable.
/// Sources:   graph/features/outline.h for scopes.
#pragma once

#include "base/groups.h"
#include "core/picture.h"
#include "graph/features/outline.h"
#include "graph/model/graph_walk.h"

typedef struct Leaf {
  Place place;  ///< With the definition's occurrence if it is CARD_INPUT.
  uint32_t line;
  uint32_t scope;
  uint32_t first_use;  ///< Into the uses; up to that of the next leaf.
  uint32_t shown;      ///< The leaf whose card stands for it: itself, or where it is folded one that takes it.
  uint8_t kind;        ///< CARD_NODE, CARD_INPUT, CARD_OUTPUT or CARD_CONSTANT.
  bool is_parameter;   ///< An initializer of a model.
  bool is_folded;      ///< It is drawn within the cards that take it.
} Leaf;

/// A value that a leaf takes.
typedef struct LeafUse {
  uint32_t leaf;  ///< That gives it.
  Place definition;
} LeafUse;

typedef struct TreeScope {
  uint32_t parent;  ///< NO_SCOPE for the root.
  uint32_t first_leaf;
  uint32_t end_leaf;
  bool is_dissolved;  ///< There is one card in it or none, which is in its parent.
  bool has_part;      ///< Of the outline; else it is the root, or a run of nodes.
  OutlinePart part;
} TreeScope;

/// A scope, or a leaf that is directly in a scope.
typedef struct TreeChild {
  uint32_t scope;  ///< NO_SCOPE for a leaf.
  uint32_t first_leaf;
} TreeChild;

typedef struct PictureTree {
  Leaf *leaves;  ///< One more than there are: it ends the uses.
  uint32_t leaf_count;
  LeafUse *uses;
  uint32_t use_count;
  Groups users;       ///< By leaf: the leaves that take a value of it, in order.
  TreeScope *scopes;  ///< The root is the first one.
  uint32_t scope_count;
  uint32_t *child_starts;  ///< By scope: into...
  TreeChild *children;     ///< ...what is directly in it, in order. Leaves that are folded are left out.
  FoundTypes types;        ///< Those that are not printed and follow from what is.
  Arena arena;
} PictureTree;

/// The tree of the snapshot, made when it is asked for first and kept with the model; NULL if that was cancelled.
const PictureTree *picture_tree_of(const FeatureContext *context);
void picture_tree_free(PictureTree *tree);

/// The type of the value whose name ends at an offset where it is defined, if the text has none; empty if unknown.
Str picture_tree_type(const PictureTree *tree, size_t name_end);
/// The leaf of a line, else the first one after it, else the last one. The tree must have leaves.
uint32_t picture_tree_leaf_at(const PictureTree *tree, uint32_t line);
