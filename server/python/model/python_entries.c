// What functions put into tables: a decorator `@translate(op)` that says `TABLE[op] = function`, a method of a
// registry.

#include "base/limits.h"
#include "python/model/python_model_private.h"

/// The key and the value as the function has them.
static void add_entry(PyModel *model, const PyRow *row, void *context)
{
  const PyEntry *written = context;
  PyEntry entry = { written->table, python_row_value(model, row, written->key),
                    python_row_value(model, row, written->value) };
  if (row->count > 0 && model->entries.count < PY_TABLE_ROW_LIMIT)
    vec_push(&model->entries, entry);
}

/// Whether an export is given a table by a name.
static bool has_table(const PyModel *model)
{
  for (size_t i = 0; i < model->exports.count; i++) {
    const PyCall *call = &model->calls.items[model->exports.items[i]];
    const PyArgument *table = py_model_argument(model, call, PY_ABSENT, "custom_translation_table");
    PyNodeKind kind = table ? py_kind(&model->tree, table->value) : PYK_OTHER;
    if (kind == PYK_IDENTIFIER || kind == PYK_ATTRIBUTE)
      return true;
  }
  return false;
}

void python_find_entries(PyModel *model)
{
  const PyTree *tree = &model->tree;
  if (!has_table(model))
    return;
  for (PyRef node = 1; node < tree->count; node++) {
    PyRef left = py_kind(tree, node) == PYK_ASSIGNMENT ? py_child(tree, node, PY_F_LEFT) : 0;
    if (!left || py_kind(tree, left) != PYK_SUBSCRIPT || py_model_scope_of(model, node) == PY_ABSENT)
      continue;
    PyEntry written = { py_child(tree, left, PY_F_VALUE), py_child(tree, left, PY_F_SUBSCRIPT),
                        py_child(tree, node, PY_F_RIGHT) };
    PyRef used[] = { written.key, written.value };
    if (written.table && written.key && written.value)
      python_each_row(model, node, used, COUNT(used), add_entry, &written);
  }
}
