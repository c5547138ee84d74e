// The lists of a model: room for them before it is filled, and their end.

#include "python/model/python_model_private.h"

/// Room for a little more than there was before an edit, which has few new ones.
#define RESERVE_LIKE(before, list) vec_reserve(&model->list, (before)->list.count + (before)->list.count / 32 + 8)

static void make_room_like(PyModel *model, const PyModel *before)
{
  RESERVE_LIKE(before, calls);
  RESERVE_LIKE(before, arguments);
  RESERVE_LIKE(before, functions);
  RESERVE_LIKE(before, params);
  RESERVE_LIKE(before, bindings);
  RESERVE_LIKE(before, ops);
  RESERVE_LIKE(before, attributes);
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

void python_make_room(PyModel *model, const PyModel *before)
{
  if (before)
    make_room_like(model, before);
  else
    make_room(model);
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
