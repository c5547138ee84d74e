/// How a picture's tree is made.
///
/// Ownership: a builder's vectors go to the tree; its arena is scratch.
/// Units:     as in picture_tree.h.
/// Threads:   one thread at a time.
#pragma once

#include "base/vec.h"
#include "graph/features/model_section.h"
#include "graph/features/picture_tree.h"

typedef struct TreeBuilder {
  const FeatureContext *context;
  GraphWalk walk;
  Outline outline;
  size_t next_part;  ///< Of the outline.
  Vec(Leaf) leaves;
  Vec(LeafUse) uses;
  Vec(TreeScope) scopes;
  Vec(uint32_t) open;  ///< Scopes around the line that is read, outermost first.
  bool is_model;
  ModelSection section;
  uint32_t section_line;  ///< The next line to look at for that.
  uint32_t *item_bases;   ///< By chunk: the number of items before it.
  uint32_t *leaf_of;      ///< By item: its first leaf.
  Arena arena;            ///< Scratch.
} TreeBuilder;

/// Reads the document of the context: scopes, leaves, and the uses between them.
void picture_tree_read(TreeBuilder *builder);
/// By leaf: those that take a value of it.
Groups picture_tree_users(TreeBuilder *builder, Arena *arena);
