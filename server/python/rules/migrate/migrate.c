// What migrations of symbolic functions share.

#include "python/rules/migrate/migrate.h"

#include "base/ascii.h"

Migration migration_begin(DiagSink *sink, uint32_t function)
{
  const PyFile *file = sink_python(sink);
  return (Migration){
    .sink = sink, .file = file, .model = file->model, .function = function, .is_possible = function != PY_ABSENT
  };
}

void migration_edit(Migration *migration, size_t start, size_t end, Str text)
{
  vec_push(&migration->edits, (TextEdit){ { start, end }, text });
}

void migration_need(Migration *migration, bool holds, PyRef node, const char *why)
{
  if (!holds && migration->is_possible)
    migration->stop = (MigrationStop){ node, why };
  migration->is_possible &= holds;
}

void migration_remove_line(Migration *migration, PyRef node)
{
  Str text = migration->model->tree.text;
  size_t start = ascii_blanks_start(text, migration->model->tree.nodes[node].start);
  size_t end = ascii_blanks_end(text, migration->model->tree.nodes[node].end);
  bool is_whole = (start == 0 || text.data[start - 1] == '\n') && end < text.len && text.data[end] == '\n';
  migration_need(migration, is_whole, node, "shares its line with something else");
  if (is_whole)
    migration_edit(migration, start, end + 1, STR(""));
}

const OnnxSchema *migration_schema_named(const Migration *migration, Str name)
{
  const OnnxOperator *known = symbolics_onnx_operator(migration->file->db, (Str){ 0 }, name);
  const OnnxSchema *schema = known ? onnx_operator_at(known, MIGRATION_OPSET) : NULL;
  return schema && !schema->deprecated ? schema : NULL;
}

const OnnxSchema *migration_schema(const Migration *migration, const PyOp *op)
{
  return op->name_known && op->domain.len == 0 ? migration_schema_named(migration, op->name) : NULL;
}

bool migration_is_wanted(const PyFile *file)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(file->db, &versions);
  return count > 0 && (file->torches >> (count - 1) & 1);
}

static int compare_edits(const void *a, const void *b)
{
  const TextEdit *x = a;
  const TextEdit *y = b;
  if (x->range.start != y->range.start)
    return x->range.start < y->range.start ? -1 : 1;
  return (x->range.end > y->range.end) - (x->range.end < y->range.end);
}

const Fix *migration_finish(Migration *migration, Str title)
{
  Fix *fix = NULL;
  vec_sort(&migration->edits, compare_edits);
  for (size_t i = 1; i < migration->edits.count; i++)
    migration->is_possible &= migration->edits.items[i - 1].range.end <= migration->edits.items[i].range.start;
  if (migration->is_possible && migration->edits.count > 0) {
    fix = ARENA_NEW(migration->sink->arena, Fix);
    *fix = (Fix){ .title = title,
                  .edits = vec_copy(&migration->edits, migration->sink->arena),
                  .edit_count = migration->edits.count };
  }
  vec_free(&migration->edits);
  return fix;
}
