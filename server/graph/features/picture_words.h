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

CardWriter card_writer(const FeatureContext *context, const PictureTree *tree);

Card card_of_leaf(CardWriter *writer, uint32_t leaf);
Card card_of_scope(CardWriter *writer, uint32_t scope);
/// A value that comes into a picture, or leaves it; `line` is where its other end is.
Card card_of_port(CardWriter *writer, CardKind kind, Place definition, uint32_t line);
/// What a scope is called: its title and what is said about it.
void card_scope_words(CardWriter *writer, uint32_t scope, Str *ret_title, Str *ret_detail);
/// How large a card has to be for its words.
LayoutNode card_size(const Card *card);
