#include "python/syntax/plain_python.h"

#include <string.h>

#include "python/syntax/plain_private.h"

/// A node whose children are still to be placed, from the last one to the first.
static void open_node(PlainPython *room, uint32_t first, uint32_t at, uint32_t end)
{
  vec_push(&room->open, ((PlainNode){ .first = first, .start = at, .end = end }));
}

/// Nodes lie after those below them; read backwards, they come before them. So each gets its place from the end of the
/// one above it on.
static void place_nodes(PlainPython *room, PyNodes *nodes)
{
  uint32_t count = (uint32_t)room->nodes.count;
  uint32_t base = (uint32_t)nodes->count;
  vec_reserve(nodes, nodes->count + count);
  nodes->count += count;
  room->open.count = 0;
  open_node(room, 0, 0, base + count);
  for (uint32_t i = count; i-- > 0;) {
    const PlainNode *node = &room->nodes.items[i];
    while (room->open.count > 1 && i < vec_last(&room->open)->first)
      room->open.count--;
    PlainNode *above = vec_last(&room->open);
    uint32_t end = above->end;
    uint32_t at = end - (i - node->first + 1);
    nodes->items[at] = (PyNode){ .kind = node->kind,
                                 .field = node->field,
                                 .parent = above->start,
                                 .next = end,
                                 .start = node->start,
                                 .end = node->end };
    above->end = at;
    if (node->first < i)
      open_node(room, node->first, at, end);
  }
}

bool plain_python_read(PlainPython *room, Str text, PyNodes *nodes)
{
  Plain plain = { .text = text, .room = room };
  room->nodes.count = 0;
  if (text.len > 0 && memchr(text.data, '\0', text.len))
    return false;
  plain_begin(&plain);
  while (!plain_is(&plain, TOKEN_END)) {
    if (!plain_statement(&plain))
      return false;
  }
  place_nodes(room, nodes);
  return true;
}

void plain_python_done(PlainPython *room)
{
  vec_free(&room->nodes);
  vec_free(&room->comments);
  vec_free(&room->open);
}
