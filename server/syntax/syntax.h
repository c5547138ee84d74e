/// Parsing of a chunk of a dump into a flat list of syntax nodes.
///
/// The grammar is line-local (grammar/torch-ir): the parse of a line never depends on another line. This layer
/// makes that hold for broken lines too: whatever tree-sitter's error recovery did, each line that belongs to an
/// erroneous node is parsed again on its own, so a mistake never spreads beyond its line.
///
/// Ownership: a parser owns its scratch memory and the nodes it returned last; the caller owns the parser.
/// Units:     offsets are bytes from the start of the text given.
/// Errors:    none; what can't be parsed is in the list as NODE_ERROR and NODE_MISSING, and what takes too much work
///            among the unread, too.
/// Threads:   one parser belongs to one thread at a time.
/// Sources:   tree-sitter's C API; nothing outside this folder includes it.
#pragma once

#include "base/memory.h"
#include "syntax/unread.h"

typedef enum NodeKind {
  NODE_OTHER,  ///< An anonymous or unknown node; only inside NODE_ERROR.
  NODE_ERROR,
  NODE_MISSING,
#define NODE(id, name) NODE_##id,
#include "syntax/torch_ir_nodes.def"
#undef NODE
  NODE_KIND_COUNT,
} NodeKind;

typedef struct SyntaxNode {
  uint8_t kind;    ///< A NodeKind.
  bool has_error;  ///< Something below it is an error.
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

typedef struct SyntaxParser SyntaxParser;

SyntaxParser *syntax_parser_new(void);
void syntax_parser_free(SyntaxParser *parser);

/// Parses whole lines. `text` may hold any bytes.
SyntaxList syntax_parse(SyntaxParser *parser, Str text);

/// Index behind the subtree of node `i`.
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

/// The name that the grammar has for a kind.
const char *node_kind_name(NodeKind kind);
