// textDocument/hover: finds out what is under the cursor and lets the other hover files write about it.

#include "graph/features/graph_features.h"
#include "graph/features/hover_private.h"

/// Writes about a part of a line that is not a value.
static void hover_node(OperatorContext *job, const LineView *view, size_t node, Place place)
{
  switch ((NodeKind)view->nodes[node].kind) {
  case NODE_OP_KIND:
  case NODE_PYTHON_OP:
    hover_operator(job, view, node, place);
    break;
  case NODE_ATTRIBUTE_NAME:
    hover_attribute(job, view, node, place);
    break;
  case NODE_TYPE:
    hover_type(job, line_view_text(view, node));
    break;
  case NODE_BLOCK_NAME:
    hover_block(job, place);
    break;
  default:
    break;
  }
}

bool graph_hover(const FeatureContext *context, size_t offset, Hover *ret_hover)
{
  OperatorContext job = operator_context(context);
  job.opset = dialect_opset(snapshot_dialect(job.snapshot), job.document, job.target);
  Range range = { offset, offset };
  NameAt name;
  Place place;
  if (name_at(job.snapshot, offset, &name)) {
    range = name.range;
    hover_value(&job, &name);
  } else if (!hover_tail(&job, offset, &range) && dump_place_at(job.snapshot, offset, &place)) {
    LineView view = line_view(job.snapshot, document_line_of(job.document, offset), job.arena);
    size_t node = line_view_at(&view, offset);
    if (node != NO_NODE) {
      range = line_view_range(&view, node);
      hover_node(&job, &view, node, place);
    }
  }
  return markup_finish(&job.markup, job.arena, range, ret_hover);
}

// --- What the hover files share ---

LineView hover_line_view(const OperatorContext *job, Place place)
{
  return line_view(job->snapshot, dump_place_line(job->snapshot, place), job->arena);
}

Str hover_operator_of(const OperatorContext *job, Place place)
{
  const ChunkState *chunk = snapshot_dump(job->snapshot)->chunks[place.chunk];
  const Item *item = dump_place_item(snapshot_dump(job->snapshot), place);
  Str text = item->op == NO_OP ? (Str){ 0 } : dump_op_name(chunk->index, chunk_text(chunk), item->op);
  return dialect_operator_name(snapshot_dialect(job->snapshot), text, job->arena).name;
}

Str hover_definition_type(const OperatorContext *job, Place definition)
{
  LineView view = hover_line_view(job, definition);
  size_t offset = dump_place_range(job->snapshot, definition).start;
  Str type = line_view_type_of(&view, offset);
  const GraphDialect *dialect = snapshot_dialect(job->snapshot);
  return type.len == 0 && dialect->type_at ? dialect->type_at(job->snapshot, offset, job->arena) : type;
}

bool hover_operator_is_onnx(const OperatorContext *job, Str op, Place place, Str *ret_domain, Str *ret_name)
{
  const Dump *dump = snapshot_dump(job->snapshot);
  bool is_printable = (dump->graphs[dump_place_graph(dump, place)].flags & SEGMENT_PRINTABLE) != 0;
  return operator_is_onnx_name(job->db, op, is_printable, ret_domain, ret_name);
}
