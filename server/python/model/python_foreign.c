// Names of other files of the workspace: what these say of their constants (core/workspace_constants.h) is hung after
// the nodes of the file, each as the body of a function without a name, where nothing that goes through the file comes
// to it. So what an imported name stands for is found like any other.

#include <stdlib.h>

#include "base/limits.h"
#include "core/workspace.h"
#include "core/workspace_names.h"
#include "python/model/python_model_private.h"
#include "python/syntax/python_parts.h"

typedef struct Grafting {
  PyModel *model;
  const Workspace *workspace;
  const WorkspaceFile *files[PY_FOREIGN_LIMIT];
  Str uri;  ///< Of the file itself.
  Vec(PyNode) nodes;
  Vec(char) text;
} Grafting;

// --- Imports ---

typedef struct ImportList {
  Arena *arena;
  uint32_t file;  ///< As PyImport.file.
  Vec(PyImport) items;
} ImportList;

static void add_import(Str module, void *context)
{
  ImportList *list = context;
  bool is_star = str_ends_with(module, STR("*"));
  if (is_star)  // "pkg.*", ".*"
    module = str_slice(module, 0, module.len - (str_ends_with(module, STR("..*")) || module.len == 2 ? 1 : 2));
  if (list->items.count < PY_IMPORT_LIMIT)
    vec_push(&list->items, ((PyImport){ arena_copy(list->arena, module), list->file, PY_ABSENT, is_star }));
}

void python_add_imports(const PyModel *model, WorkspaceFile *file)
{
  ImportList list = { .arena = &file->arena };
  python_each_import(model->tree.text, add_import, &list);
  Str *imports = ARENA_ARRAY(&file->arena, Str, list.items.count);
  for (size_t i = 0; i < list.items.count; i++)
    imports[i] = list.items.items[i].module;
  file->imports = imports;
  file->import_count = (uint32_t)list.items.count;
  vec_free(&list.items);
}

// --- Grafting ---

/// The number of a file among those that are hung below this one; PY_ABSENT if there are too many.
static uint32_t number_of(Grafting *grafting, const WorkspaceFile *file)
{
  PyModel *model = grafting->model;
  for (uint32_t i = 0; i < model->foreign.count; i++) {
    if (grafting->files[i] == file)
      return i;
  }
  if (model->foreign.count == PY_FOREIGN_LIMIT)
    return PY_ABSENT;
  grafting->files[model->foreign.count] = file;
  vec_push(&model->foreign, ((PyForeign){ .function = PY_ABSENT }));
  return (uint32_t)model->foreign.count - 1;
}

/// Finds the files of all imports, and those of theirs.
static void find_files(Grafting *grafting)
{
  PyModel *model = grafting->model;
  ImportList list = { .arena = &model->arena, .file = PY_ABSENT };
  python_each_import(model->tree.text, add_import, &list);
  uint32_t read = 0;
  for (size_t i = 0; i < list.items.count; i++) {
    PyImport *import = &list.items.items[i];
    Str uri = import->file == PY_ABSENT ? grafting->uri : grafting->files[import->file]->uri;
    const WorkspaceFile *file = workspace_find_constants(grafting->workspace, uri, import->module);
    if (file && !str_equal(file->uri, grafting->uri))
      import->foreign = number_of(grafting, file);
    for (; read < model->foreign.count; read++) {
      list.file = read;
      python_each_import(grafting->files[read]->constants.text, add_import, &list);
    }
  }
  // Names are looked up again and again: what leads nowhere is left out, unless it may have them all.
  for (size_t i = 0; i < list.items.count; i++) {
    const PyImport *import = &list.items.items[i];
    if (import->foreign != PY_ABSENT || import->is_star)
      vec_push(&model->imports, *import);
  }
  vec_free(&list.items);
}

static void add_file(Grafting *grafting, PyForeign *foreign, const WorkspaceConstants *constants)
{
  const PyNode *nodes = constants->nodes;
  PyRef base = (PyRef)grafting->nodes.count;
  uint32_t shift = (uint32_t)grafting->text.count;
  foreign->node = base;
  for (uint32_t i = 0; i < constants->node_count; i++) {
    PyNode node = nodes[i];
    node.parent = i == 0 ? 0 : node.parent + base;
    node.next += base;
    node.start += shift;
    node.end += shift;
    vec_push(&grafting->nodes, node);
  }
  vec_append(&grafting->text, constants->text.data, constants->text.len);
}

void python_graft(PyModel *model, const Workspace *workspace)
{
  Grafting grafting = { .model = model, .workspace = workspace };
  model->node_count = model->tree.count;
  if (!workspace || model->path.len == 0)
    return;
  grafting.uri = workspace_uri(model->path, &model->arena);
  find_files(&grafting);
  if (model->foreign.count == 0)
    return;
  vec_append(&grafting.nodes, model->tree.nodes, model->tree.count);
  vec_append(&grafting.text, model->tree.text.data, model->tree.text.len);
  vec_push(&grafting.text, '\0');
  for (uint32_t i = 0; i < model->foreign.count; i++)
    add_file(&grafting, &model->foreign.items[i], &grafting.files[i]->constants);
  vec_push(&grafting.text, '\0');
  model->node_count = (uint32_t)grafting.nodes.count;
  model->grafted_text = vec_take(&grafting.text);
  model->grafted_nodes = vec_take(&grafting.nodes);
  model->tree.text.data = model->grafted_text;  // As long as before, and more after it.
  model->tree.nodes = model->grafted_nodes;
}

// --- Whether it makes a difference ---

/// A set of words: open addressing, at most half full.
typedef struct WordSet {
  Vec(Str) words;
  uint32_t *slots;  ///< Numbers from 1; 0 is free.
  uint32_t mask;
} WordSet;

/// Whether an identifier among constants is what a statement binds: not an attribute, a value or an imported name.
static bool is_bound(const PyNode *nodes, PyRef node)
{
  const PyNode *around = &nodes[nodes[node].parent];
  PyNodeKind kind = (PyNodeKind)around->kind;
  if (kind == PYK_PATTERN_LIST || kind == PYK_TUPLE_PATTERN)
    return true;
  return nodes[node].field == PY_F_LEFT || nodes[node].field == PY_F_ALIAS ||
         (nodes[node].field == PY_F_NAME && kind == PYK_CLASS_DEFINITION);
}

/// The names that a file's constants bind, wherever in them.
static void add_bound(WordSet *set, const WorkspaceConstants *constants)
{
  const PyNode *nodes = constants->nodes;
  for (uint32_t i = 0; i < constants->node_count; i++) {
    if (nodes[i].kind == PYK_IDENTIFIER && is_bound(nodes, i))
      vec_push(&set->words, py_name_at(constants->text, nodes[i].start));
  }
}

static uint32_t slot_of(const WordSet *set, Str word)
{
  uint32_t at = str_hash(word) & set->mask;
  while (set->slots[at] != 0 && !str_equal(set->words.items[set->slots[at] - 1], word))
    at = (at + 1) & set->mask;
  return at;
}

static void index_words(WordSet *set)
{
  set->mask = 1;
  while (set->mask < 2 * set->words.count)
    set->mask = set->mask * 2 + 1;
  set->slots = xcalloc(set->mask + 1, sizeof(*set->slots));
  for (size_t i = 0; i < set->words.count; i++)
    set->slots[slot_of(set, set->words.items[i])] = (uint32_t)i + 1;
}

/// A name at the start of a line that the file itself gives a value there.
static bool is_given(Str text, size_t start, size_t end)
{
  return (start == 0 || text.data[start - 1] == '\n') && str_starts_with(str_slice(text, end, text.len), STR(" = "));
}

static bool has_word_of(Str text, const WordSet *set)
{
  for (size_t at = 0; at < text.len;) {
    Str word = py_name_at(text, at);
    if (word.len > 0 && set->slots[slot_of(set, word)] != 0 && !is_given(text, at, at + word.len))
      return true;
    at += word.len + 1;
  }
  return false;
}

bool python_may_name_others(const PyModel *model, const Workspace *workspace)
{
  PyModel other = { .tree.text = model->tree.text };  // Only to hold what is found.
  Grafting grafting = { .model = &other, .workspace = workspace };
  WordSet set = { 0 };
  if (!workspace || model->path.len == 0)
    return false;
  grafting.uri = workspace_uri(model->path, &other.arena);
  find_files(&grafting);
  for (size_t i = 0; i < other.foreign.count; i++)
    add_bound(&set, &grafting.files[i]->constants);
  bool is_named = false;
  if (set.words.count > 0) {
    index_words(&set);
    is_named = has_word_of(model->tree.text, &set);
  }
  free(set.slots);
  vec_free(&set.words);
  vec_free(&other.foreign);
  vec_free(&other.imports);
  arena_done(&other.arena);
  return is_named;
}

// --- What names stand for ---

/// The number of the other file that a scope is of; PY_ABSENT for this one.
static uint32_t file_of_scope(const PyModel *model, uint32_t scope)
{
  if (scope == PY_ABSENT || scope < model->foreign.items[0].function)
    return PY_ABSENT;
  uint32_t i = (uint32_t)model->foreign.count - 1;
  while (scope < model->foreign.items[i].function)
    i--;
  return i;
}

/// What a module binds a name to, as that file imports the module; PY_ABSENT.
static uint32_t find_in_module(const PyModel *model, uint32_t file, Str module, Str name)
{
  for (size_t i = 0; i < model->imports.count; i++) {
    const PyImport *import = &model->imports.items[i];
    if (import->file == file && import->foreign != PY_ABSENT && str_equal(import->module, module))
      return python_find_in_scope(model, model->foreign.items[import->foreign].function, name);
  }
  return PY_ABSENT;
}

/// A name that a file binds nowhere, from the last of its `import *`, as a name of others may be one that its module
/// does not tell; PY_ABSENT.
static uint32_t find_starred(const PyModel *model, uint32_t file, Str name)
{
  uint32_t last = PY_ABSENT;
  for (size_t i = 0; i < model->imports.count; i++) {
    const PyImport *import = &model->imports.items[i];
    if (import->file != file || !import->is_star)
      continue;
    if (import->foreign == PY_ABSENT)
      return PY_ABSENT;  // It may have the name.
    last = python_find_in_scope(model, model->foreign.items[import->foreign].function, name);
  }
  return last;
}

/// The name that a module has of `import *`, or itself.
static uint32_t find_member(const PyModel *model, uint32_t file, Str qualified)
{
  ForeignName name = workspace_foreign_name(qualified);
  uint32_t found = name.module.len > 0 ? find_in_module(model, file, name.module, name.function) : PY_ABSENT;
  if (found != PY_ABSENT || name.module.len == 0)
    return found;
  for (size_t i = 0; i < model->imports.count; i++) {
    const PyImport *import = &model->imports.items[i];
    if (import->file == file && import->foreign != PY_ABSENT && str_equal(import->module, name.module))
      return find_starred(model, import->foreign, name.function);
  }
  return PY_ABSENT;
}

/// The binding that one of an import stands for in another file; others stay. PY_ABSENT if it is not known.
static uint32_t follow_import(const PyModel *model, uint32_t found, bool may_be_flag)
{
  for (int steps = 0; found != PY_ABSENT && steps < PY_ALIAS_LIMIT; steps++) {
    const PyBinding *binding = &model->bindings.items[found];
    if ((binding->next != PY_ABSENT && !may_be_flag) || binding->is_changed)
      return PY_ABSENT;
    if (binding->kind != PY_BIND_IMPORT)
      return found;
    found = find_member(model, file_of_scope(model, binding->scope), binding->qualified);
  }
  return PY_ABSENT;
}

uint32_t py_model_foreign_name(const PyModel *model, uint32_t scope, uint32_t found, Str name)
{
  if (model->foreign.count == 0)
    return PY_ABSENT;
  if (found == PY_ABSENT)
    return follow_import(model, find_starred(model, file_of_scope(model, scope), name), false);
  return model->bindings.items[found].kind == PY_BIND_IMPORT ? follow_import(model, found, false) : PY_ABSENT;
}

/// What a qualified name is bound to in another file, with `suffix` after it; PY_ABSENT.
static uint32_t find_qualified(const PyModel *model, PyRef node, Str suffix, bool may_be_flag)
{
  if (model->foreign.count == 0)
    return PY_ABSENT;
  Arena arena = { 0 };
  Str qualified = py_model_qualified_raw(model, node, &arena);
  uint32_t found = PY_ABSENT;
  if (qualified.len > 0)
    found = follow_import(model,
                          find_member(model, file_of_scope(model, py_model_scope_of(model, node)),
                                      arena_join(&arena, (Str[]){ qualified, suffix }, 2)),
                          may_be_flag);
  arena_done(&arena);
  return found;
}

uint32_t py_model_foreign_member(const PyModel *model, PyRef attribute)
{
  return find_qualified(model, attribute, STR(""), false);
}

uint32_t py_model_foreign_flag(const PyModel *model, PyRef node)
{
  return find_qualified(model, node, STR(""), true);
}

PyRef python_foreign_result(const PyModel *model, PyRef call)
{
  PyRef function = py_child(&model->tree, call, PY_F_FUNCTION);
  PyRef arguments = py_child(&model->tree, call, PY_F_ARGUMENTS);
  bool is_plain = function && arguments && !py_first_child(&model->tree, arguments);
  return is_plain ? python_foreign_value(model, find_qualified(model, function, STR("()"), false)) : 0;
}

// --- Where they are used ---

void python_find_foreign(PyModel *model)
{
  for (size_t i = 0; i < model->foreign.count; i++)
    model->foreign.items[i].function = py_model_function_at(model, model->foreign.items[i].node);
}

PyRef py_model_own_place(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  if (node < tree->count)
    return node;
  PyRef statement = node;
  for (PyRef up = tree->nodes[node].parent; up && tree->nodes[up].parent; up = tree->nodes[up].parent) {
    if (tree->nodes[tree->nodes[up].parent].parent == 0)
      break;  // The block of the file.
    statement = up;
  }
  for (PyRef own = 1; own < tree->count; own++) {
    PyNodeKind kind = py_kind(tree, own);
    uint32_t found = PY_ABSENT;
    PyNodeKind around = py_kind(tree, tree->nodes[own].parent);
    if (kind == PYK_IDENTIFIER && around != PYK_DOTTED_NAME && around != PYK_ALIASED_IMPORT) {
      uint32_t scope = py_model_scope_of(model, own);
      found =
          py_model_foreign_name(model, scope, py_model_lookup(model, scope, py_text(tree, own)), py_text(tree, own));
    } else if (kind == PYK_ATTRIBUTE) {
      found = py_model_foreign_member(model, own);
    }
    if (found == PY_ABSENT && kind == PYK_CALL)
      found = find_qualified(model, py_child(tree, own, PY_F_FUNCTION), STR("()"), false);
    PyRef bound = found == PY_ABSENT ? 0 : model->bindings.items[found].node;
    if (bound >= statement && bound < tree->nodes[statement].next)
      return own;
  }
  return 0;
}
