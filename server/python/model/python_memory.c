// The lists of a model: room for them before it is filled, and their end.

#include "python/model/python_model_private.h"

/// Those that are large in a large file.
#define EACH_LARGE_LIST(DO)                                                                                            \
  DO(functions) DO(params) DO(calls) DO(arguments) DO(registrations) DO(ops) DO(attributes) DO(bindings)

/// As much room as the list of an older version has, or a little more: what that version gives up at last is then just
/// what the next one wants, and the heap gets no holes.
static size_t room_like(size_t count, size_t capacity)
{
  size_t least = count + 8;
  return capacity >= least && capacity <= least + least / 16 ? capacity : least + least / 32;
}

static void make_room_like(PyModel *model, const PyModel *before)
{
#define MAKE_ROOM(list) vec_reserve(&model->list, room_like(before->list.count, before->list.capacity));
  EACH_LARGE_LIST(MAKE_ROOM)
#undef MAKE_ROOM
}

/// Room for as many calls, arguments and functions as there are.
static void make_room(PyModel *model)
{
  const PyTree *tree = &model->tree;
  size_t calls = 0, arguments = 0, functions = 0;
  for (PyRef node = 1; node < model->node_count; node++) {
    PyNodeKind kind = py_kind(tree, node);
    calls += kind == PYK_CALL;
    arguments += py_kind(tree, tree->nodes[node].parent) == PYK_ARGUMENT_LIST;
    functions += kind == PYK_FUNCTION_DEFINITION || kind == PYK_LAMBDA;
  }
  vec_reserve(&model->calls, calls);
  vec_reserve(&model->arguments, arguments);
  vec_reserve(&model->functions, functions);
}

size_t python_node_room(const PyModel *model)
{
  enum { NODES_MORE = 1024 };  // With a few nodes more it is the same.
  return (model->node_count / NODES_MORE + 1) * NODES_MORE;
}

void python_make_room(PyModel *model, const PyModel *before)
{
  if (before)
    make_room_like(model, before);
  else
    make_room(model);
}

void python_trim(PyModel *model)
{
#define TRIM(list) vec_trim(&model->list);
  EACH_LARGE_LIST(TRIM)
#undef TRIM
}

void python_free(PyModel *model)
{
  if (!model)
    return;
  vec_free(&model->scope_starts);
  vec_free(&model->scopes);
  free(model->grafted_nodes);
  free(model->grafted_text);
  vec_free(&model->foreign);
  vec_free(&model->imports);
  vec_free(&model->functions);
  vec_free(&model->params);
  vec_free(&model->descriptors);
  vec_free(&model->calls);
  vec_free(&model->call_starts);
  vec_free(&model->arguments);
  vec_free(&model->registrations);
  vec_free(&model->entries);
  vec_free(&model->opsets);
  vec_free(&model->ops);
  vec_free(&model->attributes);
  vec_free(&model->exports);
  vec_free(&model->export_rows);
  vec_free(&model->bindings);
  vec_free(&model->classes);
  vec_free(&model->members);
  vec_free(&model->autograds);
  vec_free(&model->decorations);
  vec_free(&model->star_imports);
  vec_free(&model->shared);
  vec_free(&model->names);
  vec_free(&model->name_starts);
  free(model->named);
  free(model->mentions);
  py_syntax_release(model->syntax);
  arena_done(&model->arena);
  free(model);
}
