// What `ops` lists: the operators of a graph, and who can convert each of them.

#include "core/operator_count.h"

#include "base/map.h"
#include "core/diagnostics.h"
#include "core/workspace.h"
#include "graph/features/graph_features.h"
#include "graph/model/snapshot_dump.h"

/// What counting one dump needs.
typedef struct Counter {
  OperatorCount *counted;
  const Snapshot *snapshot;
  const SymbolicsDb *db;
  uint32_t torch;
  const Target *target;
  const GraphDialect *dialect;
  Map *by_name;  ///< By what the dump prints.
} Counter;

// --- What the facts say of an operator ---

/// Domain and name of an ONNX node: `onnx::Conv`, or a bare `Conv` in a printable graph.
static bool is_onnx_name(const Counter *counter, Str op, bool is_printable, Str *ret_domain, Str *ret_name)
{
  size_t colons = str_find(op, STR("::"), 0);
  *ret_domain = str_slice(op, 0, colons == STR_NOT_FOUND ? 0 : colons);
  *ret_name = colons == STR_NOT_FOUND ? op : str_slice(op, colons + 2, op.len);
  if (colons == STR_NOT_FOUND)
    return is_printable;
  if (str_equal(*ret_domain, STR("onnx")))
    *ret_domain = (Str){ 0 };
  return ret_domain->len == 0 || symbolics_onnx_has_domain(counter->db, *ret_domain);
}

static OpsetRange torchscript_range(const Counter *counter)
{
  OpsetRange range = { 0 };
  symbolics_opset_range(counter->db, counter->torch, SYMBOLICS_TORCHSCRIPT, &range);
  return range;
}

static uint64_t all_opsets(OpsetRange range)
{
  uint64_t set = 0;
  for (int opset = range.min; opset <= range.max && range.max > 0; opset++)
    set |= 1ull << opset;
  return set;
}

/// An ONNX node can be in a model of every opset at which ONNX has the operator. A dump does not tell the versions of
/// other domains, so the newest counts there.
static void mark_onnx(const Counter *counter, CountedOp *op, Str domain, Str name)
{
  OpsetRange range = torchscript_range(counter);
  op->is_onnx = true;
  op->onnx = symbolics_onnx_operator(counter->db, domain, name);
  if (!op->onnx)
    return;
  bool is_other = domain.len > 0 && !str_equal(domain, STR("ai.onnx"));
  op->schema = onnx_operator_at(op->onnx, is_other ? INT64_MAX : counter->target->opset);
  for (int opset = range.min; opset <= range.max && range.max > 0; opset++) {
    const OnnxSchema *schema = onnx_operator_at(op->onnx, is_other ? INT64_MAX : opset);
    if (schema && !schema->deprecated)
      op->supported |= 1ull << opset;
  }
  op->dynamo = DYNAMO_YES;
}

/// Of what is not torch's own, or a function of Python's, the facts tell nothing of the graphs that dynamo takes.
static bool is_known_to_dynamo(const Counter *counter, Str name)
{
  return counter->dialect->exporter != EXPORTER_DYNAMO || symbolics_torch_operator(counter->db, name);
}

static DynamoMark dynamo_mark(const Counter *counter, Str name)
{
  OpsetRange range;
  if (!is_known_to_dynamo(counter, name) ||
      !symbolics_opset_range(counter->db, counter->torch, SYMBOLICS_DYNAMO, &range))
    return DYNAMO_UNKNOWN;
  switch (symbolics_support(counter->db, counter->torch, SYMBOLICS_DYNAMO, name, range.max).status) {
  case SUPPORT_YES:
    return DYNAMO_YES;
  case SUPPORT_DECOMPOSED:
    return DYNAMO_PARTS;
  case SUPPORT_NO_FACTS:
    return DYNAMO_UNKNOWN;
  default:
    return DYNAMO_NO;
  }
}

/// Opsets at which an export takes a function of the workspace rather than one of torch's.
static uint64_t workspace_marks(const Counter *counter, Str name, SupportMarks marks)
{
  uint64_t custom = workspace_opsets(counter->target->workspace, name);
  OpsetRange range = torchscript_range(counter);
  uint64_t set = 0;
  for (int opset = range.min; custom != 0 && opset <= range.max && range.max > 0; opset++) {
    int chosen = opset_set_dispatch(custom | marks.registered, opset);
    if (chosen > 0 && (custom >> chosen & 1) != 0)
      set |= 1ull << opset;
  }
  return set;
}

static void mark_torch(const Counter *counter, CountedOp *op, Str text)
{
  op->is_dynamo_only = counter->dialect->exporter == EXPORTER_DYNAMO;
  if (op->is_dynamo_only) {
    op->dynamo = dynamo_mark(counter, dialect_operator_name(counter->dialect, text, &counter->counted->arena).name);
    return;
  }
  bool is_python = op->name.data[0] == '^';
  Str kind = is_python ? STR("prim::PythonOp") : op->name;
  const PassNote *pass = symbolics_pass(counter->db, counter->torch, kind);
  op->is_removed = pass && pass->condition == PASS_ALWAYS;
  if (op->is_removed) {
    op->supported = all_opsets(torchscript_range(counter));
    return;
  }
  SupportMarks marks = symbolics_support_marks(counter->db, counter->torch, SYMBOLICS_TORCHSCRIPT, kind);
  op->workspace = workspace_marks(counter, kind, marks);
  op->supported = marks.supported | op->workspace;
  op->dynamo = dynamo_mark(counter, kind);
}

// --- Counting ---

static CountedOp *counted_op(Counter *counter, Str name, bool is_printable)
{
  CountedOp *op = map_get(counter->by_name, name);
  if (op)
    return op;
  Str domain;
  Str short_name;
  op = ARENA_NEW(&counter->counted->arena, CountedOp);
  op->name =
      arena_copy(&counter->counted->arena, dialect_operator_word(counter->dialect, name, &counter->counted->arena));
  map_put(counter->by_name, name, op);
  if (is_onnx_name(counter, op->name, is_printable, &domain, &short_name))
    mark_onnx(counter, op, domain, short_name);
  else
    mark_torch(counter, op, name);
  return op;
}

static bool is_printable(const Counter *counter, const Dump *dump, uint32_t chunk, uint32_t item)
{
  uint32_t segment = dump_index_segment_of(dump->chunks[chunk]->index, item);
  return dump->graphs[dump_graph_of(dump, chunk, segment)].flags & SEGMENT_PRINTABLE;
}

static void count_chunk(Counter *counter, const Dump *dump, uint32_t number)
{
  const ChunkState *chunk = dump->chunks[number];
  const DumpIndex *index = chunk->index;
  uint32_t first_line = snapshot_document(counter->snapshot)->chunk_lines[number] + 1;
  CountedOp **ops = xcalloc(index->op_count, sizeof(*ops));
  for (uint32_t i = 0; i < index->item_count; i++) {
    const Item *item = &index->items[i];
    if (item->op == NO_OP)
      continue;
    CountedOp *op = ops[item->op];
    if (!op) {
      Str name = dump_op_name(index, chunk_text(chunk), item->op);
      op = ops[item->op] = counted_op(counter, name, is_printable(counter, dump, number, i));
    }
    op->count++;
    vec_push(&op->lines, first_line + item->line);
    counter->counted->node_count++;
  }
  free(ops);
}

/// The rules know which nodes a pass removes first, so they are asked rather than the registry alone.
static void count_reported(Counter *counter)
{
  DiagnosticList list = diagnostics_of(counter->snapshot, &counter->counted->arena);
  for (size_t i = 0; i < list.count; i++) {
    const Diagnostic *diagnostic = &list.items[i];
    CountedOp *op = diagnostic->support.op.len > 0 ? map_get(counter->by_name, diagnostic->support.op) : NULL;
    if (!op)
      continue;
    counter->counted->reported_ops += op->reported == 0;
    counter->counted->reported_nodes++;
    op->reported++;
  }
}

static int compare_need(const void *left, const void *right)
{
  const CountedOp *a = *(CountedOp *const *)left;
  const CountedOp *b = *(CountedOp *const *)right;
  if ((a->reported > 0) != (b->reported > 0))
    return a->reported > 0 ? -1 : 1;
  if (a->count != b->count)
    return a->count > b->count ? -1 : 1;
  return str_compare(a->name, b->name);
}

static void collect(Str key, void *value, void *context)
{
  OperatorCount *counted = context;
  counted->ops[counted->op_count++] = value;
}

void graph_count_operators(const Snapshot *snapshot, const SymbolicsDb *db, uint32_t torch, OperatorCount *counted)
{
  Counter counter = {
    .counted = counted,
    .snapshot = snapshot,
    .db = db,
    .torch = torch,
    .target = snapshot_target(snapshot),
    .dialect = snapshot_dialect(snapshot),
    .by_name = map_new(),
  };
  const Dump *dump = snapshot_dump(snapshot);
  for (uint32_t i = 0; i < dump->chunk_count; i++)
    count_chunk(&counter, dump, i);
  count_reported(&counter);
  counted->ops = ARENA_ARRAY(&counted->arena, CountedOp *, map_count(counter.by_name));
  map_each(counter.by_name, collect, counted);
  if (counted->op_count > 0)
    qsort(counted->ops, counted->op_count, sizeof(*counted->ops), compare_need);
  map_free(counter.by_name);
}
