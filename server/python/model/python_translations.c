// Overloads for which a file has functions of the dynamo exporter: keys of custom_translation_table, in a dictionary or
// by `table[torch.ops.mylib.foo.default] = foo`.

#include "base/limits.h"
#include "base/vec.h"
#include "python/model/python_file_private.h"

typedef struct Tables {
  const PyFile *python;
  WorkspaceFile *file;
  Vec(WorkspaceTranslation) found;
} Tables;

static void add_key(Tables *tables, PyRef key)
{
  Arena *arena = &tables->file->arena;
  WorkspaceTranslation translation;
  if (tables->found.count < LIBRARY_OPERATOR_LIMIT &&
      py_library_overload_name(tables->python->model, key, arena, &translation.name, &translation.overload) &&
      translation.overload.len > 0) {
    translation.name = arena_copy(arena, translation.name);
    translation.overload = arena_copy(arena, translation.overload);
    vec_push(&tables->found, translation);
  }
}

/// A name that people give to such a table; another file may export with it.
static bool is_table_name(Str name)
{
  return str_contains(name, STR("translation")) || str_contains(name, STR("TRANSLATION"));
}

/// Whether a dictionary is the value of custom_translation_table, or of a name that is given for it.
static bool is_table(const Tables *tables, PyRef dictionary)
{
  const PyTree *tree = &tables->python->model->tree;
  PyRef parent = tree->nodes[dictionary].parent;
  PyRef name = 0;
  if (py_kind(tree, parent) == PYK_KEYWORD_ARGUMENT)
    name = py_child(tree, parent, PY_F_NAME);
  else if (py_kind(tree, parent) == PYK_ASSIGNMENT)
    name = py_child(tree, parent, PY_F_LEFT);
  return name && is_table_name(py_text(tree, name));
}

static void add_dictionary(Tables *tables, PyRef dictionary)
{
  const PyTree *tree = &tables->python->model->tree;
  for (PY_EACH_CHILD(tree, pair, dictionary)) {
    if (py_kind(tree, pair) == PYK_PAIR)
      add_key(tables, py_child(tree, pair, PY_F_KEY));
  }
}

/// What an export is given by a name.
static void add_given(Tables *tables)
{
  const PyModel *model = tables->python->model;
  for (size_t i = 0; i < model->exports.count; i++) {
    const PyCall *call = &model->calls.items[model->exports.items[i]];
    const PyArgument *argument = py_model_argument(model, call, PY_ABSENT, "custom_translation_table");
    PyRef table = argument ? py_model_resolve(model, argument->value) : 0;
    if (table && py_kind(&model->tree, table) == PYK_DICTIONARY)
      add_dictionary(tables, table);
  }
}

void python_add_translations(const PyFile *python, WorkspaceFile *file)
{
  Tables tables = { .python = python, .file = file };
  const PyTree *tree = &python->model->tree;
  bool has_any = py_model_mentions(python->model, "torch.ops") || py_model_mentions(python->model, "import ops");
  if (has_any)
    add_given(&tables);
  for (PyRef node = 1; has_any && node < tree->count; node++) {
    if (py_kind(tree, node) == PYK_DICTIONARY && is_table(&tables, node))
      add_dictionary(&tables, node);
    PyRef target = py_kind(tree, node) == PYK_ASSIGNMENT ? py_child(tree, node, PY_F_LEFT) : 0;
    PyRef table = target && py_kind(tree, target) == PYK_SUBSCRIPT ? py_child(tree, target, PY_F_VALUE) : 0;
    if (table && (is_table_name(py_text(tree, table)) || str_ends_with(py_text(tree, table), STR("table"))))
      add_key(&tables, py_child(tree, target, PY_F_SUBSCRIPT));
  }
  file->translations = vec_copy(&tables.found, &file->arena);
  file->translation_count = (uint32_t)tables.found.count;
  vec_free(&tables.found);
}
