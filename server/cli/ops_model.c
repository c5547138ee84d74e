#include "cli/ops_model.h"

#include "describe/kernel_words.h"

enum { SHOWN_CHANGES = 40, SHOWN_KERNELS = 20 };

// --- Changes at newer opsets ---

typedef struct Change {
  const CountedOp *op;
  const OnnxSchema *schema;
  OnnxChanges what;
} Change;

typedef Vec(Change) Changes;

static int compare_changes(const void *left, const void *right)
{
  const Change *a = left;
  const Change *b = right;
  if (a->schema->since != b->schema->since)
    return a->schema->since > b->schema->since ? 1 : -1;
  return str_compare(a->op->name, b->op->name);
}

static void write_change(Buffer *out, const Change *change, const char *when)
{
  buffer_printf(out, "  %s %2u  %.*s: ", when, change->schema->since, STR_ARG(change->op->name));
  const char *separator = "";
  if (change->schema == change->op->onnx->versions)
    buffer_append(out, STR("there is no such operator"));
  for (uint32_t i = 0; i < change->what.count && i < 64; i++) {
    if (!(change->what.breaks >> i & 1))
      continue;
    buffer_printf(out, "%s%.*s", separator, STR_ARG(change->what.lines[i]));
    separator = "; ";
  }
  buffer_append_char(out, '\n');
}

static uint32_t nodes_with(const ModelNeeds *needs, Str op, Str attribute)
{
  size_t i = 0;
  while (i < needs->used_count && !(str_equal(needs->used[i].op, op) && str_equal(needs->used[i].attribute, attribute)))
    i++;
  return i < needs->used_count ? needs->used[i].nodes : 0;
}

/// Leaves what breaks a node of the model: a lost attribute only one that has it.
static void leave_met(OnnxChanges *what, const ModelNeeds *needs, const CountedOp *op)
{
  for (uint32_t i = 0; i < what->count && i < 64; i++) {
    const OnnxConcern *concern = &what->concerns[i];
    if (!(what->breaks >> i & 1) || concern->attribute.len == 0)
      continue;
    uint32_t with = nodes_with(needs, op->onnx->name, concern->attribute);
    uint32_t without = nodes_with(needs, op->onnx->name, (Str){ 0 }) - with;
    if ((concern->is_without ? without : with) == 0)
      what->breaks &= ~((uint64_t)1 << i);
  }
}

/// On the way up, what breaks in newer versions up to `last`.
static void list_newer(Changes *changes, const CountedOp *op, const ModelNeeds *needs, int64_t last, Arena *arena)
{
  const OnnxSchema *end = op->onnx->versions + op->onnx->version_count;
  for (const OnnxSchema *schema = op->schema + 1; schema < end && schema->since <= last; schema++) {
    Change change = { op, schema, onnx_schema_changes(schema, arena) };
    leave_met(&change.what, needs, op);
    if (change.what.breaks != 0)
      vec_push(changes, change);
  }
}

/// On the way down, what only holds since a version that is above `asked`: a model of today is none of then.
static void list_older(Changes *changes, const CountedOp *op, int64_t asked, Arena *arena)
{
  const OnnxSchema *first = op->onnx->versions;
  for (const OnnxSchema *schema = first; schema <= op->schema; schema++) {
    Change change = { op, schema, onnx_schema_changes(schema, arena) };
    if (schema->since > asked && (schema == first || (change.what.breaks != 0 && first->since <= asked)))
      vec_push(changes, change);
  }
}

static void write_heading(Buffer *out, int64_t own, int64_t asked, bool is_any)
{
  if (asked <= 0 && is_any)
    buffer_printf(out, "\nWhat breaks at opsets above %lld:\n", (long long)own);
  else if (asked > 0 && is_any)
    buffer_printf(out, "\nWhat breaks at opset %lld:\n", (long long)asked);
  else if (asked > 0 && asked != own)
    buffer_printf(out, "\nNothing breaks at opset %lld.\n", (long long)asked);
}

static void write_changes(Buffer *out, const OpsContext *context, const OperatorCount *counted)
{
  Arena arena = { 0 };
  Changes changes = { 0 };
  int64_t own = counted->needs.opset;
  int64_t asked = context->asked_opset;
  for (size_t i = 0; i < counted->op_count; i++) {
    const CountedOp *op = counted->ops[i];
    if (!op->onnx || !op->schema || op->onnx->domain.len > 0)
      continue;
    if (asked > 0 && asked < own)
      list_older(&changes, op, asked, &arena);
    else
      list_newer(&changes, op, &counted->needs, asked > 0 ? asked : INT64_MAX, &arena);
  }
  if (changes.count > 0)
    vec_sort(&changes, compare_changes);
  write_heading(out, own, asked, changes.count > 0);
  for (size_t i = 0; i < changes.count && i < SHOWN_CHANGES; i++)
    write_change(out, &changes.items[i], asked > 0 && asked < own ? "before" : "at");
  if (changes.count > SHOWN_CHANGES)
    buffer_printf(out, "  and %zu more: see onnxls explain\n", changes.count - SHOWN_CHANGES);
  vec_free(&changes);
  arena_done(&arena);
}

// --- Runtimes ---

/// The measured releases that take the opset and the IR version.
static uint32_t taking(const SymbolicsDb *db, int64_t opset, int64_t ir_version)
{
  const MessageTable *table = symbolics_messages(db, 0);
  uint32_t found = 0;
  for (size_t i = 0; i < table->runtime_count; i++) {
    const RuntimeFacts *runtime = &table->runtimes[i];
    if (runtime->opset >= opset && runtime->ir >= ir_version)
      found |= runtime->bit;
  }
  return found;
}

/// Nodes of one operator that lack a kernel for the same types, in one line.
static void write_missing(Buffer *out, const OpsContext *context, const Snapshot *snapshot, const ModelNeeds *needs,
                          uint32_t within, Arena *arena)
{
  size_t shown = 0;
  for (size_t i = 0; i < needs->missing_count && shown < SHOWN_KERNELS; i++) {
    const MissingKernel *missing = &needs->missing[i];
    size_t first = 0;
    while (!str_equal(needs->missing[first].op, missing->op) || !str_equal(needs->missing[first].types, missing->types))
      first++;
    if (first < i || !(missing->runtimes & within))
      continue;
    shown++;
    Str runtimes = kernel_runtimes_words(context->db, missing->runtimes & within, arena);
    buffer_printf(out, "  no kernel in %.*s: %.*s%s%.*s, line %u\n", STR_ARG(runtimes), STR_ARG(missing->op),
                  missing->types.len > 0 ? " with " : "", STR_ARG(missing->types),
                  document_line_of(snapshot_document(snapshot), missing->offset) + 1);
  }
}

/// Who takes the opset that was asked for.
static void write_asked(Buffer *out, const OpsContext *context)
{
  Arena arena = { 0 };
  Str taken = kernel_runtimes_words(context->db, taking(context->db, context->asked_opset, 0), &arena);
  buffer_printf(out, "\nONNX Runtime: opset %d is taken by %s%.*s\n", context->asked_opset,
                taken.len > 0 ? "" : "no release that was tried", STR_ARG(taken));
  arena_done(&arena);
}

static void write_runtimes(Buffer *out, const OpsContext *context, const Snapshot *snapshot, const ModelNeeds *needs)
{
  Arena arena = { 0 };
  uint32_t within = taking(context->db, needs->opset, needs->ir_version);
  uint32_t loading = within;
  for (size_t i = 0; i < needs->missing_count; i++)
    loading &= ~needs->missing[i].runtimes;
  Str taken = kernel_runtimes_words(context->db, within, &arena);
  Str loaded = kernel_runtimes_words(context->db, loading, &arena);
  buffer_printf(out, "\nONNX Runtime (CPU): opset %lld", (long long)needs->opset);
  if (needs->ir_version > 0)
    buffer_printf(out, " and IR version %lld are", (long long)needs->ir_version);
  else
    buffer_append(out, STR(" is"));
  buffer_printf(out, " taken by %s%.*s", taken.len > 0 ? "" : "no release that was tried", STR_ARG(taken));
  if (loading != within)
    buffer_printf(out, "; kernels for all nodes: %s%.*s", loaded.len > 0 ? "" : "in none", STR_ARG(loaded));
  buffer_append(out, STR("\n"));
  write_missing(out, context, snapshot, needs, within, &arena);
  arena_done(&arena);
}

void ops_model_text(Buffer *out, const OpsContext *context, const Snapshot *snapshot, const OperatorCount *counted)
{
  if (counted->needs.opset <= 0)
    return;
  write_changes(out, context, counted);
  if (context->asked_opset > 0 && context->asked_opset != counted->needs.opset)
    write_asked(out, context);
  write_runtimes(out, context, snapshot, &counted->needs);
}

// --- JSON ---

static void write_json_changes(Writer *writer, const ModelNeeds *needs, const CountedOp *op)
{
  Arena arena = { 0 };
  Changes changes = { 0 };
  if (op->onnx && op->schema && op->onnx->domain.len == 0)
    list_newer(&changes, op, needs, INT64_MAX, &arena);
  writer_key(writer, "breaks");
  writer_open(writer, '[');
  for (size_t k = 0; k < changes.count; k++) {
    const OnnxChanges *what = &changes.items[k].what;
    writer_open(writer, '{');
    writer_member_int(writer, "opset", changes.items[k].schema->since);
    writer_key(writer, "changes");
    writer_open(writer, '[');
    for (uint32_t i = 0; i < what->count && i < 64; i++) {
      if (what->breaks >> i & 1)
        writer_str(writer, what->lines[i]);
    }
    writer_close(writer, ']');
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
  vec_free(&changes);
  arena_done(&arena);
}

void ops_model_json(Writer *writer, const OpsContext *context, const OperatorCount *counted, const CountedOp *op)
{
  const MessageTable *table = symbolics_messages(context->db, 0);
  uint32_t missing = 0;
  for (size_t i = 0; i < counted->needs.missing_count; i++) {
    if (op->onnx && str_equal(counted->needs.missing[i].op, op->onnx->name))
      missing |= counted->needs.missing[i].runtimes;
  }
  write_json_changes(writer, &counted->needs, op);
  writer_key(writer, "no_kernel");
  writer_open(writer, '[');
  for (size_t i = 0; i < table->runtime_count; i++) {
    if (table->runtimes[i].bit & missing)
      writer_str(writer, table->runtimes[i].version);
  }
  writer_close(writer, ']');
}
