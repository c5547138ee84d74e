/// A chunk of a graph's text as a flat list of syntax nodes, in the kinds that all graph languages share.
///
/// Each dialect's parser makes them (graph/model/dialect.h). The nodes of a line never depend on another line.
///
/// Ownership: lists belong to the parser that returned them.
/// Units:     offsets are bytes from the start of the text given.
/// Errors:    what can't be parsed is in the list as NODE_ERROR and NODE_MISSING, and what takes too much work among
/// the
///            unread, too.
/// Threads:   plain values.
#pragma once

#include "base/memory.h"
#include "syntax/unread.h"

typedef enum NodeKind {
  NODE_OTHER,  ///< An anonymous or unknown node; only inside NODE_ERROR.
  NODE_ERROR,
  NODE_MISSING,
#define NODE(id, name) NODE_##id,
#include "graph/model/syntax_nodes.def"
#undef NODE
  NODE_KIND_COUNT,
} NodeKind;

typedef enum SyntaxState {
  SYNTAX_READ,
  SYNTAX_BROKEN,  ///< Something below the node is an error.
  SYNTAX_PLAIN,   ///< A statement that holds none of the faults that a grammar lets pass; it is its whole line.
} SyntaxState;

typedef struct SyntaxNode {
  uint8_t kind;    ///< A NodeKind.
  uint8_t state;   ///< A SyntaxState.
  uint16_t depth;  ///< 1 for the kinds of lines; a child follows its parent with depth + 1.
  uint32_t start;
  uint32_t end;
} SyntaxNode;

typedef struct SyntaxList {
  const SyntaxNode *nodes;  ///< In pre-order, by position; the root is left out. Valid until the next parse.
  size_t count;
  const Unread *unread;  ///< Lines, in order; valid as long.
  size_t unread_count;
} SyntaxList;

/// The scratch memory of one parse; each dialect has a struct of its own.
typedef struct SyntaxParser SyntaxParser;

/// Index after the subtree of node `i`.
static inline size_t syntax_subtree_end(SyntaxList list, size_t i)
{
  size_t end = i + 1;
  while (end < list.count && list.nodes[end].depth > list.nodes[i].depth)
    end++;
  return end;
}

static inline Str syntax_text(const SyntaxNode *node, Str text)
{
  return str_slice(text, node->start, node->end);
}

/// "value_name": what a grammar calls the kind.
const char *syntax_kind_name(NodeKind kind);
