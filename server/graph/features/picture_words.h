/// The words on a card, and what is said of it beside the picture.
///
/// Ownership: texts live in the arena of the job, or in the snapshot.
/// Units:     as in core/picture.h.
/// Threads:   one writer belongs to one thread.
/// Sources:   the hovers of the same places.
#pragma once

#include "graph/features/hover_private.h"
#include "graph/features/picture_tree.h"

typedef struct CardWriter {
  OperatorContext job;
  const PictureTree *tree;
  GraphWalk walk;
  LineView view;  ///< The line that was read last.
  bool has_view;
} CardWriter;

CardWriter picture_words_writer(const FeatureContext *context, const PictureTree *tree);

Card picture_leaf_card(CardWriter *writer, uint32_t leaf);
Card picture_scope_card(CardWriter *writer, uint32_t scope);
/// A value that comes into a picture, or leaves it; `line` is where its other end is.
Card picture_port_card(CardWriter *writer, CardKind kind, Place definition, uint32_t line);
/// What a scope is called: its title and what is said about it.
void picture_scope_words(CardWriter *writer, uint32_t scope, Str *ret_title, Str *ret_detail);
/// How large a card has to be for its words.
LayoutNode picture_card_size(const Card *card);
