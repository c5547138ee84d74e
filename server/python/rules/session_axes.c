// Which axes of an exported model's inputs take other sizes than those of the example.

#include "python/rules/session_axes.h"

/// Whether `{0: "batch"}` or `[0]` has the axis; -1 if something else is written there.
static int has_axis(const PyModel *model, PyRef axes, int axis, int rank)
{
  const PyTree *tree = &model->tree;
  axes = py_model_resolve(model, axes);
  bool is_dictionary = py_kind(tree, axes) == PYK_DICTIONARY;
  if (!is_dictionary && py_kind(tree, axes) != PYK_LIST && py_kind(tree, axes) != PYK_TUPLE)
    return -1;
  for (PY_EACH_ELEMENT(tree, item, axes)) {
    PyRef key = is_dictionary ? py_tree_key(tree, item) : item;
    int64_t number;
    if (!key || !py_model_int(model, key, &number))
      return -1;
    if (number == axis || number == axis - rank)
      return 1;
  }
  return 0;
}

static int by_axes(const ExportCall *export, PyRef axes, Str key, int axis, int rank)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  if (py_kind(tree, axes) != PYK_DICTIONARY || export->kind != EXPORT_TRACES)
    return -1;
  for (PY_EACH_ELEMENT(tree, pair, axes)) {
    PyRef name = py_tree_key(tree, pair);
    Str text;
    if (!name || !py_model_string(model, name, export->sink->arena, &text))
      return -1;
    if (str_equal(text, key))
      return has_axis(model, py_child(tree, pair, PY_F_VALUE), axis, rank);
  }
  return 0;
}

/// `None`, a number and `Dim.STATIC` keep an axis as it is.
static int by_dimension(const ExportCall *export, const ExampleInput *input, int axis, int rank)
{
  const PyModel *model = export->model;
  PyRef shapes = example_shapes_of(export, input);
  PyNodeKind kind = shapes ? py_kind(&model->tree, py_model_resolve(model, shapes)) : PYK_OTHER;
  PyRef entry = example_dimension(export, input, axis, rank);
  entry = entry ? py_model_resolve(model, entry) : 0;
  int64_t number;
  if (!entry)
    return kind == PYK_NONE ? 0 : kind == PYK_DICTIONARY ? has_axis(model, shapes, axis, rank) : -1;
  bool is_kept = py_kind(&model->tree, entry) == PYK_NONE || py_model_int(model, entry, &number) ||
                 str_equal(py_tree_member_name(&model->tree, entry), STR("STATIC"));
  return is_kept ? 0 : 1;
}

int session_axis_is_open(const ExportCall *export, const ExampleInput *input, Str key, int axis, int rank)
{
  bool has_axes = export_argument(export, "dynamic_axes"), has_shapes = export_argument(export, "dynamic_shapes");
  PyRef axes = has_axes ? export_value(export, "dynamic_axes") : 0;
  if (has_axes && has_shapes)
    return -1;
  if (axes)
    return by_axes(export, axes, key, axis, rank);
  return has_shapes && export_value(export, "dynamic_shapes") ? by_dimension(export, input, axis, rank) : 0;
}
