#include "graph/model/syntax.h"

static const char *const kind_names[NODE_KIND_COUNT] = {
  [NODE_OTHER] = "other",
  [NODE_ERROR] = "ERROR",
  [NODE_MISSING] = "MISSING",
#define NODE(id, name) [NODE_##id] = name,
#include "graph/model/syntax_nodes.def"
#undef NODE
};

const char *syntax_kind_name(NodeKind kind)
{
  return kind_names[kind];
}
