/// One line of a dump, parsed: the grammar is line-local, so a line on its own parses as it does in its chunk.
///
/// Ownership: the text borrows from the document, the nodes live in the arena.
/// Units:     offsets are bytes from the start of the line.
/// Errors:    a line that can't be read has NODE_ERROR nodes. Lines over LINE_VIEW_LIMIT have no nodes.
/// Threads:   pure; idle parsers come from a pool (graph/model/dialect.h).
/// Sources:   grammar/torch-ir.
#pragma once

#include "core/features.h"
#include "graph/model/snapshot_dump.h"

typedef struct LineView {
  uint32_t line;
  size_t start;             ///< Document offset of the line.
  Str text;                 ///< Without its ending.
  const SyntaxNode *nodes;  ///< In pre-order.
  size_t count;
  Arena *arena;  ///< Where the nodes live.
} LineView;

#define NO_NODE SIZE_MAX

LineView line_view(const Snapshot *snapshot, uint32_t line, Arena *arena);

static inline Str line_view_text(const LineView *view, size_t node)
{
  return syntax_text(&view->nodes[node], view->text);
}

static inline Range line_view_range(const LineView *view, size_t node)
{
  return (Range){ view->start + view->nodes[node].start, view->start + view->nodes[node].end };
}

/// The innermost node that holds the document offset, or ends there; NO_NODE if none does.
size_t line_view_at(const LineView *view, size_t offset);
/// The node that holds node `i`, or NO_NODE.
size_t line_view_parent(const LineView *view, size_t i);
/// The first node of the kind at or after `from`, or NO_NODE.
size_t line_view_find(const LineView *view, NodeKind kind, size_t from);

/// The name that a line above gives the graph whose header is in `line`: `class true_graph_0(torch.nn.Module):`.
bool graph_title(const FeatureContext *context, uint32_t line, Str *ret_title, Range *ret_range);
/// The type of the value whose name is at the document offset; empty if none is printed.
Str line_view_type_of(const LineView *view, size_t name_offset);
/// The operator; empty if there is none.
Str line_view_operator(const LineView *view);
/// The text of an attribute's value; false if there is no such attribute.
bool line_view_attribute(const LineView *view, Str name, Str *ret_value);
/// The arguments that the node's call gives by position; at most `limit`: NODE_VALUE_REF, or NODE_ARGUMENT for one that
/// is more or less than a value. Returns how many there are in all.
size_t line_view_arguments(const LineView *view, size_t limit, size_t *ret_nodes);
