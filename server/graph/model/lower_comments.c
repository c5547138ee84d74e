// Comments that are meant for us: `# onnxls:`, on a line of its own or at the end of one. The same characters may be
// in a string of the graph or in what a program logged, so the syntax of the line has the last word.

#include "base/limits.h"
#include "graph/model/lowering.h"
#include "text/marker.h"

/// Whole lines of other text are comments only if they begin so.
static bool is_comment_line(const Lowering *lowering, const SyntaxNode *node)
{
  return node->start < node->end && lowering->text.data[node->start] == '#';
}

/// On a line that can't be read: outside of strings, as far as quotes tell.
static bool is_outside_strings(Str before)
{
  bool in_string = false;
  for (size_t i = 0; i < before.len; i++) {
    if (in_string && before.data[i] == '\\')
      i++;
    else if (before.data[i] == '"')
      in_string = !in_string;
  }
  return !in_string;
}

/// Whether a node says anything of what is on the line: not one of a line before it, which may be in another chunk.
static bool speaks_of_line(const Lowering *lowering, const SyntaxNode *node, uint32_t hash)
{
  return node->end > hash ? node->start <= hash : node->start >= lowering->starts[lowering->line];
}

static bool is_comment(const Lowering *lowering, SyntaxList list, size_t innermost, uint32_t hash)
{
  Str before = str_slice(lowering->text, lowering->starts[lowering->line], hash);
  if (list.count == 0 || !speaks_of_line(lowering, &list.nodes[innermost], hash))
    return is_outside_strings(before);
  const SyntaxNode *node = &list.nodes[innermost];
  if (node->kind == NODE_COMMENT)
    return true;
  if (node->kind == NODE_TEXT_LINE)
    return is_comment_line(lowering, node);
  size_t line = innermost;
  while (line > 0 && list.nodes[line].depth > 1)
    line--;
  // Between the nodes of a line, or after them all, there is no string.
  bool is_sound = list.nodes[line].state != SYNTAX_BROKEN && node->kind != NODE_ERROR && node->kind != NODE_MISSING;
  if (is_sound && node->end > hash && node->depth > 1)
    return false;
  return is_outside_strings(before);
}

/// The innermost node that holds the offset; if none does, the last one before it, and the first if there is none.
/// `from` only moves forward.
static size_t node_at(SyntaxList list, size_t from, uint32_t offset)
{
  while (from + 1 < list.count && list.nodes[from + 1].start <= offset)
    from++;
  size_t node = from;
  while (node > 0 && list.nodes[node].end <= offset && list.nodes[node].depth > 1)
    node--;
  return node;
}

/// Moves to the line that holds the offset; true if it is another one.
static bool go_to_line(Lowering *lowering, uint32_t offset)
{
  uint32_t before = lowering->line;
  while (lowering->line + 1 < lowering->line_count && lowering->starts[lowering->line + 1] <= offset)
    lowering->line++;
  return lowering->line != before;
}

void lowering_find_comments(Lowering *lowering, SyntaxList list)
{
  Str text = lowering->text;
  size_t node = 0;
  uint32_t refused = 0;        // On this line.
  bool is_in_comment = false;  // A comment goes on to the end of its line.
  for (size_t at = marker_find(text, 0); at != STR_NOT_FOUND; at = marker_find(text, at + 1)) {
    size_t hash = marker_hash(text, at);
    if (hash == STR_NOT_FOUND)
      continue;
    if (go_to_line(lowering, (uint32_t)hash)) {
      refused = 0;
      is_in_comment = false;
    }
    if (!is_in_comment && refused < REFUSED_COMMENT_LIMIT) {
      node = node_at(list, node, (uint32_t)hash);
      is_in_comment = is_comment(lowering, list, node, (uint32_t)hash);
      refused += !is_in_comment;
    }
    if (is_in_comment)
      vec_push(&lowering->comments, (uint32_t)hash);
  }
  lowering->line = 0;
}
