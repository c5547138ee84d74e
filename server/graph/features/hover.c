// textDocument/hover: finds out what is under the cursor and lets the other hover files write about it.

#include "graph/features/hover_private.h"
#include "editor/suppression_words.h"

HoverJob hover_begin_job(const FeatureContext *context)
{
  HoverJob job = {
    .context = context,
    .arena = context->arena,
    .snapshot = context->snapshot,
    .document = snapshot_document(context->snapshot),
    .dump = snapshot_dump(context->snapshot),
    .target = snapshot_target(context->snapshot),
    .db = target_db(snapshot_target(context->snapshot)),
  };
  job.opset = job.target->opset;
  TorchChoice choice = { 0 };
  if (symbolics_resolve_torch(job.db, job.target->torch, &choice))
    job.torch = choice.torch;
  return job;
}

/// Writes about a part of a line that is no value.
static void hover_node(HoverJob *job, const LineView *view, size_t node, Place place)
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

bool feature_hover(const FeatureContext *context, size_t offset, Hover *ret_hover)
{
  if (hover_suppression(context, offset, ret_hover))
    return true;
  if (!snapshot_dump(context->snapshot))
    return hover_python(context, offset, ret_hover);
  HoverJob job = hover_begin_job(context);
  Range range = { offset, offset };
  NameAt name;
  Place place;
  if (name_at(job.snapshot, offset, &name)) {
    range = name.range;
    hover_value(&job, &name);
  } else if (!hover_tail(&job, offset, &range) && item_at(job.snapshot, offset, &place)) {
    LineView view = line_view(job.document, document_line_of(job.document, offset), job.arena);
    size_t node = line_view_at(&view, offset);
    if (node != NO_NODE) {
      range = line_view_range(&view, node);
      hover_node(&job, &view, node, place);
    }
  }
  return markup_finish(&job.markup, job.arena, range, ret_hover);
}

// --- What the hover files share ---

LineView hover_line_view(const HoverJob *job, Place place)
{
  return line_view(job->document, place_line(job->snapshot, place), job->arena);
}

Str place_operator(const HoverJob *job, Place place)
{
  const ChunkState *chunk = job->dump->chunks[place.chunk];
  const Item *item = place_item(job->dump, place);
  return item->op == NO_OP ? (Str){ 0 } : dump_op_name(chunk->index, chunk_text(chunk), item->op);
}

Str definition_type(const HoverJob *job, Place definition)
{
  LineView view = hover_line_view(job, definition);
  return line_view_type_of(&view, place_range(job->snapshot, definition).start);
}

bool operator_is_onnx(const HoverJob *job, Str op, Place place, Str *ret_domain, Str *ret_name)
{
  size_t colons = str_find(op, STR("::"), 0);
  if (colons == STR_NOT_FOUND) {
    *ret_domain = (Str){ 0 };
    *ret_name = op;
    return op.len > 0 && (job->dump->graphs[place_graph(job->dump, place)].flags & SEGMENT_PRINTABLE);
  }
  Str domain = str_slice(op, 0, colons);
  *ret_name = str_slice(op, colons + 2, op.len);
  *ret_domain = str_equal(domain, STR("onnx")) ? (Str){ 0 } : domain;
  return ret_domain->len == 0 || symbolics_onnx_has_domain(job->db, domain);
}
