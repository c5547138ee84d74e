// What dynamic_shapes has for `*args` of forward(): one tuple. Run with torch 2.6 and 2.14.

#include "python/rules/dynamo/shapes_of_rest.h"

static bool say(const ExportCall *export, PyRef node, Str message)
{
  py_say(export->sink, RULE_DYNAMIC_SHAPES_STRUCTURE, OWN, node, message, NULL);
  return true;
}

static int count_of(const ExampleInputs *inputs, bool is_rest)
{
  int count = 0;
  for (size_t i = 0; i < inputs->count; i++)
    count += inputs->items[i].value && inputs->items[i].is_rest == is_rest;
  return count;
}

/// The entry of all that `*name` takes.
static bool check_entry(const ExportCall *export, PyRef entry, Str name)
{
  const PyTree *tree = &export->model->tree;
  PyRef tuple = py_model_resolve(export->model, entry);
  PyNodeKind kind = py_kind(tree, tuple);
  int wanted = count_of(export->inputs, true), given = 0;
  if (kind == PYK_DICTIONARY || kind == PYK_LIST || kind == PYK_NONE)
    return say(export, entry,
               arena_printf(export->sink->arena,
                            "All that `*%.*s` takes is a tuple, and so has to be its entry: one of "
                            "each input, in a tuple.",
                            STR_ARG(name)));
  if (kind != PYK_TUPLE)
    return false;
  for (PY_EACH_ELEMENT(tree, item, tuple)) {
    if (py_tree_is_splat(tree, item))
      return false;
    given++;
  }
  return given != wanted &&
         say(export, entry,
             arena_printf(export->sink->arena, "`*%.*s` takes %d of the example inputs, and its entry has %d.",
                          STR_ARG(name), wanted, given));
}

static bool check_sequence(const ExportCall *export, PyRef shapes, Str name)
{
  const PyTree *tree = &export->model->tree;
  int wanted = count_of(export->inputs, false) + 1, given = 0;
  PyRef last = 0;
  for (PY_EACH_ELEMENT(tree, item, shapes)) {
    if (py_tree_is_splat(tree, item))
      return false;
    last = item;
    given++;
  }
  if (given != wanted)
    return say(export, shapes,
               arena_printf(export->sink->arena,
                            "dynamic_shapes has %d entr%s, and %d %s wanted: all that `*%.*s` takes has one, a tuple.",
                            given, given == 1 ? "y" : "ies", wanted, wanted == 1 ? "is" : "are", STR_ARG(name)));
  return check_entry(export, last, name);
}

bool shapes_of_rest_check(const ExportCall *export, PyRef shapes)
{
  const PyTree *tree = &export->model->tree;
  const ExampleInputs *inputs = export->inputs;
  if (inputs->count == 0 || !inputs->items[inputs->count - 1].is_rest || !inputs->is_known || inputs->takes_any_name)
    return false;
  Str name = inputs->items[inputs->count - 1].name;
  if (py_kind(tree, shapes) == PYK_TUPLE || py_kind(tree, shapes) == PYK_LIST)
    return check_sequence(export, shapes, name);
  for (PyRef pair = py_kind(tree, shapes) == PYK_DICTIONARY ? py_first_child(tree, shapes) : 0; pair;
       pair = py_next_sibling(tree, pair)) {
    PyRef key = py_tree_key(tree, pair);
    Str text;
    if (key && py_model_string(export->model, key, export->sink->arena, &text) && str_equal(text, name))
      return check_entry(export, py_child(tree, pair, PY_F_VALUE), name);
  }
  return false;
}
