/// A picture of a part of a graph: cards for nodes and for what is closed, and lines between them.
///
/// A document is a tree of *scopes*: graphs, modules, nodes with blocks, blocks, and runs of nodes where there are too
/// many for one picture. A scope is drawn on its own, with closed scopes as single cards, so a picture never has more
/// than PICTURE_CARD_LIMIT cards but for its ports, whatever the size of the document.
///
/// Ownership: everything lives in the arena of the context, or borrows from the snapshot.
/// Units:     lines from 0; pixels as in layout/layout.h. Scopes are numbers that are valid for one snapshot.
/// Threads:   pure.
/// Sources:   docs/graph.md.
#pragma once

#include "base/str.h"
#include "layout/layout.h"

#define NO_SCOPE UINT32_MAX

typedef enum CardKind {
  CARD_NODE,
  CARD_SCOPE,  ///< Can be opened.
  CARD_INPUT,
  CARD_OUTPUT,
  CARD_CONSTANT,
  CARD_FROM,  ///< A value that comes from outside of the scope.
  CARD_TO,    ///< One that is used outside of it.
} CardKind;
/// "node"
const char *card_kind_name(CardKind kind);

/// What a card takes, or a value that it gives.
typedef struct CardValue {
  Str name;  ///< `%4`
  Str what;  ///< Its type, or what a constant is.
  uint32_t line;
} CardValue;
typedef struct CardValueList {
  const CardValue *items;
  size_t count;
} CardValueList;

typedef struct Card {
  CardKind kind;
  uint32_t scope;  ///< CARD_SCOPE: what to open; else NO_SCOPE.
  uint32_t line;
  uint32_t last_line;
  uint32_t node_count;  ///< CARD_SCOPE: of all nodes in it.
  Str source;           ///< The line's text, shortened.
  Str operator_name;    ///< "aten::add.Tensor"; empty if it has none.
  Str title;
  Str detail;
  CardValueList inputs;
  CardValueList outputs;
  const LayoutNode *place;
} Card;

typedef struct PictureLine {
  Str label;               ///< The values that it stands for.
  const LayoutEdge *edge;  ///< Between cards, by number.
} PictureLine;

/// A line that has no card of its own: a constant is in the card that takes it, and that is the one of another line.
typedef struct FoldedLine {
  uint32_t line;
  uint32_t shown_line;
} FoldedLine;

typedef struct Picture {
  uint32_t scope;   ///< NO_SCOPE for the surroundings of a line.
  uint32_t parent;  ///< NO_SCOPE for the root.
  Str title;
  Str detail;
  uint32_t first_line;
  uint32_t last_line;
  uint32_t left_out;  ///< Values beyond PICTURE_PORT_LIMIT that come in or leave.
  LayoutSize size;
  const Card *cards;
  size_t card_count;
  const PictureLine *lines;
  size_t line_count;
  const FoldedLine *folded;
  size_t folded_count;
} Picture;

typedef struct PictureQuery {
  uint32_t scope;
  bool is_around;  ///< The nodes around a line instead.
  uint32_t line;
  LayoutMemo *layouts;  ///< Of the pictures that were made before; NULL for none.
} PictureQuery;

/// A card somewhere in the document.
typedef struct FoundCard {
  uint32_t scope;  ///< The one whose picture has it.
  uint32_t opens;  ///< The scope that it is; NO_SCOPE for a node.
  uint32_t line;
  Str title;
  Str name;
} FoundCard;
typedef struct FoundCardList {
  const FoundCard *items;
  size_t count;
  bool is_cut;  ///< There are more.
} FoundCardList;
