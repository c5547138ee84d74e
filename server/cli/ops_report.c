#include "cli/ops_report.h"

#include "cli/ops_model.h"
#include "cli/support_json.h"
#include "describe/markup.h"
#include "describe/operator_conditions.h"
#include "text/utf.h"

enum {
  USUAL_FIRST_OPSET = 9,  ///< Older ones are shown only if they are asked for.
  NAME_SHOWN = 44,
  SHOWN_LINES = 3,
  SHOWN_CONDITIONS = 20,
  CONDITION_WIDTH = 120,
};

// --- Text ---

typedef struct Table {
  Buffer *out;
  const OpsContext *context;
  const OperatorCount *counted;
  OpsetRange range;
  int first;  ///< Opset of the first column.
  size_t name_width;
  bool has_onnx;
} Table;

static size_t text_width(Str s)
{
  return utf_units(s, POS_UTF32);
}

static void measure(Table *table)
{
  table->name_width = sizeof("operator") - 1;
  for (size_t i = 0; i < table->counted->op_count; i++) {
    const CountedOp *op = table->counted->ops[i];
    size_t width = text_width(op->name);
    if (width > table->name_width && width <= NAME_SHOWN)
      table->name_width = width;
    table->has_onnx |= op->is_onnx;
  }
}

/// The opset that matters: the model's own, or that of the target.
static int marked_opset(const Table *table)
{
  int64_t own = table->counted->is_model ? table->counted->needs.opset : 0;
  return own > 0 && own <= OPSET_LIMIT ? (int)own : table->context->target->opset;
}

static void write_head(const Table *table)
{
  int opset = marked_opset(table);
  buffer_append(table->out, STR("\n  operator"));
  buffer_append_spaces(table->out, table->name_width - (sizeof("operator") - 1));
  buffer_append(table->out, STR("   nodes "));
  for (int i = table->first; i <= table->range.max; i++)
    buffer_printf(table->out, " %2d", i);
  buffer_printf(table->out, "  dynamo%s  lines\n  ", table->has_onnx ? "  version" : "");
  buffer_append_spaces(table->out,
                       table->name_width + sizeof("   nodes ") - 1 + 3 * (size_t)(opset - table->first) + 1);
  buffer_append(table->out, STR("^^\n"));
}

static const char *mark(const CountedOp *op, int opset)
{
  if (op->is_dynamo_only)
    return " ";
  if (op->is_removed)
    return "~";
  if (opset_set_has(op->workspace, opset))
    return "*";
  return opset_set_has(op->supported, opset) ? "+" : "-";
}

static void write_version(const Table *table, const CountedOp *op)
{
  if (op->schema)
    buffer_printf(table->out, "  %7u", op->schema->since);
  else
    buffer_printf(table->out, "  %7s", op->is_onnx ? "-" : "");
}

static void write_lines(const Table *table, const CountedOp *op)
{
  for (size_t i = 0; i < op->lines.count && i < SHOWN_LINES; i++)
    buffer_printf(table->out, "%s%u", i == 0 ? "  " : ", ", op->lines.items[i]);
  buffer_append(table->out, op->lines.count > SHOWN_LINES ? STR(", ...\n") : STR("\n"));
}

static void write_row(const Table *table, const CountedOp *op)
{
  static const char *const dynamo_marks[] = { "?", "-", "parts", "+" };
  size_t width = text_width(op->name);
  buffer_printf(table->out, "%c %.*s", op->reported > 0 ? '!' : ' ', STR_ARG(op->name));
  buffer_append_spaces(table->out, width < table->name_width ? table->name_width - width : 0);
  buffer_printf(table->out, "%8u ", op->count);
  for (int opset = table->first; opset <= table->range.max; opset++)
    buffer_printf(table->out, "  %s", mark(op, opset));
  buffer_printf(table->out, "  %-6s", dynamo_marks[op->dynamo]);
  if (table->has_onnx)
    write_version(table, op);
  write_lines(table, op);
}

static const char *plural(uint64_t count)
{
  return count == 1 ? "" : "s";
}

static void write_title(const Table *table, const char *file)
{
  const OperatorCount *counted = table->counted;
  const Target *target = table->context->target;
  buffer_printf(table->out, "%s: %llu node%s of %zu operator%s, ", file, (unsigned long long)counted->node_count,
                plural(counted->node_count), counted->op_count, plural(counted->op_count));
  if (counted->is_model && counted->needs.opset > 0)
    buffer_printf(table->out, "a model of opset %lld\n", (long long)counted->needs.opset);
  else
    buffer_printf(table->out, "for the %s exporter of torch %.*s at opset %d\n", exporter_title(target->exporter),
                  STR_ARG(target->torch), target->opset);
  if (counted->reported_nodes > 0)
    buffer_printf(table->out, "%zu operator%s with %llu node%s can't be converted, or may not: see onnxls check\n",
                  counted->reported_ops, plural(counted->reported_ops), (unsigned long long)counted->reported_nodes,
                  plural(counted->reported_nodes));
}

// --- Conditions ---

/// What an operator that is converted at the target's opset asks of its nodes.
static const OperatorCondition *conditions_of(const OpsContext *context, const CountedOp *op, Arena *arena,
                                              uint32_t *ret_count)
{
  const Target *target = context->target;
  *ret_count = 0;
  if (op->is_onnx || op->is_dynamo_only || op->is_removed)
    return NULL;
  OperatorTarget asked = { .db = context->db,
                           .torch = context->torch,
                           .exporter = target->exporter,
                           .opset = target->opset,
                           .workspace = target->workspace };
  OperatorFacts facts = operator_facts(&asked, op->name, false, arena);
  return operator_target_conditions(&facts, arena, ret_count);
}

/// The simplest condition of each rule, and how many more there are.
static void append_conditions(Buffer *lines, const CountedOp *op, const OperatorCondition *conditions, uint32_t count,
                              Arena *arena)
{
  static const RuleId rules[] = { RULE_REFUSED_CALL, RULE_WRONG_EXPORT, RULE_NO_RUNTIME_KERNEL };
  for (size_t r = 0; r < COUNT(rules); r++) {
    const OperatorCondition *first = NULL;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
      if (conditions[i].rule != rules[r])
        continue;
      first = first ? first : &conditions[i];
      found++;
    }
    if (!first)
      continue;
    buffer_printf(lines, "  %.*s %s when this is not so: %.*s", STR_ARG(op->name), operator_condition_verb(rules[r]),
                  STR_ARG(markup_shorten(first->when, CONDITION_WIDTH, arena)));
    if (first->runtime.len > 0)
      buffer_printf(lines, " (%.*s)", STR_ARG(first->runtime));
    if (found > 1)
      buffer_printf(lines, "; and %u more case%s", found - 1, plural(found - 1));
    buffer_append_char(lines, '\n');
  }
}

static void write_conditions(const Table *table)
{
  Arena arena = { 0 };
  uint32_t shown = 0, more = 0;
  Buffer lines = { 0 };
  for (size_t i = 0; i < table->counted->op_count; i++) {
    const CountedOp *op = table->counted->ops[i];
    uint32_t count;
    const OperatorCondition *conditions = conditions_of(table->context, op, &arena, &count);
    if (count > 0 && shown < SHOWN_CONDITIONS)
      append_conditions(&lines, op, conditions, count, &arena);
    shown += count > 0 && shown < SHOWN_CONDITIONS;
    more += count > 0;
  }
  if (lines.len > 0)
    buffer_printf(table->out, "\n%.*s", STR_ARG(buffer_str(&lines)));
  if (more > shown)
    buffer_printf(table->out, "  and %u more operators under conditions: see onnxls explain\n", more - shown);
  buffer_done(&lines);
  arena_done(&arena);
}

void ops_report_text(Buffer *out, const OpsContext *context, const char *file, const OperatorCount *counted)
{
  Table table = { .out = out, .context = context, .counted = counted };
  symbolics_opset_range(context->db, context->torch, EXPORTER_TORCHSCRIPT, &table.range);
  table.first = table.range.min > USUAL_FIRST_OPSET ? table.range.min : USUAL_FIRST_OPSET;
  if (marked_opset(&table) < table.first)
    table.first = marked_opset(&table);
  write_title(&table, file);
  if (counted->op_count == 0)
    return;
  measure(&table);
  write_head(&table);
  for (size_t i = 0; i < counted->op_count; i++)
    write_row(&table, counted->ops[i]);
  write_conditions(&table);
}

void ops_report_legend(Buffer *out)
{
  buffer_append(out, STR("\n+ can be converted at this opset   * by a function of the workspace   - can't\n"
                         "~ removed or rewritten before\n"
                         "! check reports it   dynamo: + has a function, parts: taken apart by torch.export, "
                         "- has none, ? not known\n"));
}

// --- JSON ---

static void write_json_onnx(Writer *writer, const CountedOp *op)
{
  writer_key(writer, "since");
  if (op->schema)
    writer_int(writer, op->schema->since);
  else
    writer_null(writer);
  writer_member_bool(writer, "deprecated", op->schema && op->schema->deprecated);
}

static void write_json_dynamo(Writer *writer, const CountedOp *op)
{
  writer_key(writer, exporter_name(EXPORTER_DYNAMO));
  if (op->dynamo == DYNAMO_UNKNOWN)
    writer_null(writer);
  else
    writer_bool(writer, op->dynamo != DYNAMO_NO);
}

static void write_json_conditions(Writer *writer, const OpsContext *context, const CountedOp *op)
{
  Arena arena = { 0 };
  uint32_t count;
  const OperatorCondition *conditions = conditions_of(context, op, &arena, &count);
  writer_key(writer, "conditions");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < count; i++) {
    writer_open(writer, '{');
    support_json_condition(writer, &conditions[i]);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
  arena_done(&arena);
}

static void write_json_modules(Writer *writer, const CountedOp *op)
{
  writer_key(writer, "modules");
  writer_open(writer, '[');
  for (size_t i = 0; i < op->modules.count; i++) {
    writer_open(writer, '{');
    writer_member_str(writer, "module", op->modules.items[i].name);
    writer_member_int(writer, "count", op->modules.items[i].count);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void write_json_op(Buffer *out, const OpsContext *context, const char *file, const OperatorCount *counted,
                          const CountedOp *op)
{
  Writer writer = { .out = out };
  writer_open(&writer, '{');
  writer_member_str(&writer, "file", str_from(file));
  writer_member_str(&writer, "op", op->name);
  writer_member_int(&writer, "count", op->count);
  writer_member_int(&writer, "reported", op->reported);
  writer_key(&writer, "lines");
  writer_open(&writer, '[');
  for (size_t i = 0; i < op->lines.count; i++)
    writer_int(&writer, op->lines.items[i]);
  writer_close(&writer, ']');
  writer_key(&writer, exporter_name(EXPORTER_TORCHSCRIPT));
  if (op->is_dynamo_only)
    writer_null(&writer);
  else
    support_json_opsets(&writer, op->supported);
  writer_key(&writer, "workspace");
  support_json_opsets(&writer, op->workspace);
  writer_member_bool(&writer, "removed", op->is_removed);
  write_json_dynamo(&writer, op);
  write_json_conditions(&writer, context, op);
  if (op->modules.count > 0)
    write_json_modules(&writer, op);
  if (op->is_onnx)
    write_json_onnx(&writer, op);
  if (counted->is_model)
    ops_model_json(&writer, context, counted, op);
  writer_close(&writer, '}');
}

void ops_report_json(Buffer *out, const OpsContext *context, const char *file, const OperatorCount *counted,
                     bool is_first)
{
  for (size_t i = 0; i < counted->op_count; i++) {
    buffer_append(out, is_first && i == 0 ? STR("\n") : STR(",\n"));
    write_json_op(out, context, file, counted, counted->ops[i]);
  }
}
