// What `ops` lists: the operators of a graph, and who can convert each of them.

#include "core/operator_count.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/sort.h"
#include "core/diagnostics.h"
#include "describe/operator_facts.h"
#include "graph/features/graph_features.h"
#include "graph/features/line_tail.h"
#include "graph/model/snapshot_dump.h"

/// What counting one dump needs.
typedef struct Counter {
  OperatorCount *counted;
  const Snapshot *snapshot;
  const SymbolicsDb *db;
  uint32_t torch;
  const Target *target;
  const GraphDialect *dialect;
  Map *by_name;  ///< By how lists show it.
  Map *modules;  ///< By operator and module: its number among those of the operator, from 1.
  Buffer key;    ///< Room for one of these.
} Counter;

// --- What the facts say of an operator ---

/// An ONNX node can be in a model of every opset at which ONNX has the operator.
static void mark_onnx(CountedOp *op, const OperatorFacts *facts, OpsetRange range)
{
  op->is_onnx = true;
  op->onnx = facts->onnx;
  op->schema = facts->schema;
  if (!op->onnx)
    return;
  for (int opset = range.min; opset <= range.max && range.max > 0; opset++) {
    const OnnxSchema *schema = onnx_operator_in_graph(op->onnx, opset);
    if (schema && !schema->deprecated)
      op->supported |= opset_set_of(opset);
  }
  op->dynamo = DYNAMO_YES;
}

static DynamoMark fate_mark(DynamoVerdict verdict)
{
  static const DynamoMark marks[] = { [DYNAMO_TRANSLATED] = DYNAMO_YES,
                                      [DYNAMO_DECOMPOSED] = DYNAMO_PARTS,
                                      [DYNAMO_DEPENDS] = DYNAMO_PARTS,
                                      [DYNAMO_NOT_KNOWN] = DYNAMO_PARTS,
                                      [DYNAMO_REFUSED] = DYNAMO_NO };
  return marks[verdict];
}

static DynamoMark dynamo_mark(const ExporterFacts *dynamo)
{
  if (!dynamo->is_known)
    return DYNAMO_UNKNOWN;
  return dynamo->converted != 0 ? DYNAMO_YES : dynamo->is_taken_apart ? fate_mark(dynamo->fate.verdict) : DYNAMO_NO;
}

static void mark_torch(CountedOp *op, const OperatorFacts *facts)
{
  const OperatorVersion *version = facts->version;
  const ExporterFacts *torchscript = &version->exporters[EXPORTER_TORCHSCRIPT];
  op->is_removed = version->pass && version->pass->condition == PASS_ALWAYS;
  if (op->is_removed) {
    op->supported = opset_set_range(torchscript->range.min, torchscript->range.max);
    return;
  }
  op->workspace = facts->served;
  op->supported = torchscript->converted | facts->served;
  op->dynamo = dynamo_mark(&version->exporters[EXPORTER_DYNAMO]);
}

/// A node of a graph that only the dynamo exporter takes. Of what is not torch's own the facts tell nothing.
static void mark_dynamo_only(const Counter *counter, CountedOp *op, const OperatorFacts *facts, Str overload)
{
  DynamoQuestion question = { .db = counter->db,
                              .torch = counter->torch,
                              .onnxscript = counter->target->onnxscript,
                              .opset = counter->target->dynamo_opset,
                              .name = facts->name,
                              .overload = overload,
                              .is_complex = TRUTH_UNKNOWN };
  bool is_known =
      symbolics_torch_operator(counter->db, facts->name) != NULL && facts->version->exporters[EXPORTER_DYNAMO].is_known;
  op->is_dynamo_only = true;
  op->dynamo = is_known ? fate_mark(dynamo_fate(&question, &counter->counted->arena).verdict) : DYNAMO_UNKNOWN;
}

static void mark(Counter *counter, CountedOp *op, Str text, bool is_printable)
{
  const Target *target = counter->target;
  Arena *arena = &counter->counted->arena;
  int own_opset = dialect_opset(counter->dialect, snapshot_document(counter->snapshot), target);
  int opset = counter->dialect->is_model ? own_opset : target->opset;
  OperatorTarget asked = { .db = counter->db,
                           .torch = counter->torch,
                           .exporter = target->exporter,
                           .opset = opset,
                           .workspace = target->workspace };
  bool is_dynamo_only = counter->dialect->exporter == EXPORTER_DYNAMO;
  OperatorName called = dialect_operator_name(counter->dialect, text, arena);
  Str name = is_dynamo_only ? called.name : op->name;
  OperatorFacts facts = operator_facts(&asked, name, is_printable, arena);
  if (!facts.version)
    return;
  if (is_dynamo_only)
    mark_dynamo_only(counter, op, &facts, called.overload);
  else if (facts.kind == OPERATOR_ONNX)
    mark_onnx(op, &facts, facts.version->exporters[EXPORTER_TORCHSCRIPT].range);
  else
    mark_torch(op, &facts);
}

// --- Counting ---

static CountedOp *counted_op(Counter *counter, Str name, bool is_printable)
{
  Str word = dialect_operator_word(counter->dialect, name, &counter->counted->arena);
  CountedOp *op = map_get(counter->by_name, word);
  if (op)
    return op;
  op = ARENA_NEW(&counter->counted->arena, CountedOp);
  op->name = arena_copy(&counter->counted->arena, word);
  map_put(counter->by_name, op->name, op);
  mark(counter, op, name, is_printable);
  return op;
}

/// The innermost module that a line's scope names; empty if there is none.
static Str module_of(Str line)
{
  ScopePart parts[SCOPE_PART_LIMIT];
  size_t count = line_tail_scope_parts(line_tail(line).scope, parts);
  return count == 0 ? (Str){ 0 } : parts[count - 1].path.len > 0 ? parts[count - 1].path : parts[count - 1].type;
}

static void count_module(Counter *counter, CountedOp *op, Str module)
{
  if (module.len == 0)
    return;
  if (op->modules.count > 0 && str_equal(vec_last(&op->modules)->name, module)) {
    vec_last(&op->modules)->count++;
    return;
  }
  counter->key.len = 0;
  buffer_printf(&counter->key, "%.*s %.*s", STR_ARG(op->name), STR_ARG(module));
  uintptr_t number = (uintptr_t)map_get(counter->modules, buffer_str(&counter->key));
  if (number > 0) {
    op->modules.items[number - 1].count++;
    return;
  }
  vec_push(&op->modules, (ModuleCount){ arena_copy(&counter->counted->arena, module), 1 });
  map_put(counter->modules, buffer_str(&counter->key), (void *)(uintptr_t)op->modules.count);
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
    count_module(counter, op,
                 module_of(document_line(snapshot_document(counter->snapshot), *vec_last(&op->lines) - 1)));
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
    .modules = map_new(),
  };
  const Dump *dump = snapshot_dump(snapshot);
  for (uint32_t i = 0; i < dump->chunk_count; i++)
    count_chunk(&counter, dump, i);
  count_reported(&counter);
  counted->is_model = counter.dialect->is_model;
  if (counter.dialect->needs)
    counted->needs = counter.dialect->needs(snapshot, &counted->arena);
  counted->ops = ARENA_ARRAY(&counted->arena, CountedOp *, map_count(counter.by_name));
  map_each(counter.by_name, collect, counted);
  sort_stable(counted->ops, counted->op_count, sizeof(*counted->ops), compare_need);
  map_free(counter.by_name);
  map_free(counter.modules);
  buffer_done(&counter.key);
}
