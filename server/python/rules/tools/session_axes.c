// What an exported model's inputs take: which axes have other sizes than those of the example.

#include "python/rules/tools/session_axes.h"

#include "python/rules/forward/shapes.h"
#include "python/rules/written_items.h"

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
  PyRef shapes = input->is_part ? 0 : example_shapes_of(export, input);
  PyNodeKind kind = shapes ? py_kind(&model->tree, py_model_resolve(model, shapes)) : PYK_OTHER;
  PyRef entry = shapes ? example_dimension(export, input, axis, rank) : 0;
  entry = entry ? py_model_resolve(model, entry) : 0;
  int64_t number;
  if (!entry)
    return kind == PYK_NONE ? 0 : kind == PYK_DICTIONARY ? has_axis(model, shapes, axis, rank) : -1;
  bool is_kept = py_kind(&model->tree, entry) == PYK_NONE || py_model_int(model, entry, &number) ||
                 str_equal(py_tree_member_name(&model->tree, entry), STR("STATIC"));
  return is_kept ? 0 : 1;
}

/// 1 if dynamic_axes or dynamic_shapes leave the axis open, of which the example has `rank`, 0 if the model takes that
/// of the example alone; -1. `key` is the input's name in the model.
static int axis_is_open(const ExportCall *export, const ExampleInput *input, Str key, int axis, int rank)
{
  bool has_axes = export_argument(export, "dynamic_axes"), has_shapes = export_argument(export, "dynamic_shapes");
  PyRef axes = has_axes ? export_value(export, "dynamic_axes") : 0;
  if (has_axes && has_shapes)
    return -1;
  if (axes)
    return by_axes(export, axes, key, axis, rank);
  return has_shapes && export_value(export, "dynamic_shapes") ? by_dimension(export, input, axis, rank) : 0;
}

// --- Tuples ---

static bool is_tuple(const PyModel *model, PyRef value)
{
  PyNodeKind kind = value ? py_kind(&model->tree, value) : PYK_OTHER;
  return kind == PYK_TUPLE || kind == PYK_LIST || kind == PYK_LIST_COMPREHENSION;
}

/// Adds the tensors of one input; false if they are not all known.
static bool add_leaves(const ExportCall *export, const ExampleInput *input, PyRef value, int depth,
                       ExampleInputs *leaves)
{
  WrittenItems *items = ARENA_NEW(export->sink->arena, WrittenItems);
  if (depth == 0 || !written_items(export->model, value, items))
    return false;
  for (size_t i = 0; i < items->count; i++) {
    PyRef item = export_resolve(export->model, items->items[i]);
    if (is_tuple(export->model, item)) {
      if (!add_leaves(export, input, item, depth - 1, leaves))
        return false;
      continue;
    }
    if (leaves->count == PY_EXAMPLE_LIMIT || !export_is_tensor(export->model, item))
      return false;
    ExampleInput *leaf = &leaves->items[leaves->count++];
    *leaf = *input;
    leaf->node = items->items[i];
    leaf->value = item;
    leaf->is_part = true;
  }
  return true;
}

ExampleInputs *session_leaves(const ExportCall *export, const ExampleInputs *inputs)
{
  ExampleInputs *leaves = ARENA_NEW(export->sink->arena, ExampleInputs);
  bool has_tuple = false, is_known = inputs->is_known;
  *leaves = *inputs;
  leaves->count = 0;
  for (size_t i = 0; i < inputs->count && is_known; i++) {
    const ExampleInput *input = &inputs->items[i];
    bool is_one = input->value && is_tuple(export->model, input->value);
    has_tuple |= is_one;
    if (is_one)
      is_known = add_leaves(export, input, input->value, PY_MADE_GRAPH_DEPTH, leaves);
    else if (leaves->count < PY_EXAMPLE_LIMIT)
      leaves->items[leaves->count++] = *input;
    is_known &= is_one || !input->value || export_is_tensor(export->model, input->value);
  }
  return has_tuple && is_known ? leaves : NULL;
}

const ExampleInput *session_input_at(const ExampleInputs *inputs, size_t place)
{
  for (size_t i = 0; inputs->is_known && i < inputs->count; i++) {
    bool is_given = inputs->items[i].value && !inputs->items[i].is_default;
    if (is_given && place-- == 0)
      return inputs->items[i].is_rest ? NULL : &inputs->items[i];
  }
  return NULL;
}

Str session_shape_words(const ExampleShape *shape, Arena *arena)
{
  Shape plain = { .rank = shape->rank };
  for (int i = 0; i < shape->rank && i < PY_SHAPE_RANK_LIMIT; i++)
    plain.sizes[i] = shape->sizes[i];
  return shape_text(&plain, arena);
}

Str session_wrong_shape(const ExportCall *export, const ExampleInput *input, Str key, const ExampleShape *given)
{
  Arena *arena = export->sink->arena;
  ExampleShape wanted = input->value ? example_shape(export->model, input->value) : (ExampleShape){ .rank = -1 };
  if (wanted.rank < 0 || given->rank < 0 || wanted.rank > PY_SHAPE_RANK_LIMIT || given->rank > PY_SHAPE_RANK_LIMIT)
    return (Str){ 0 };
  bool differs = wanted.rank != given->rank;
  for (int i = 0; i < wanted.rank && !differs; i++)
    differs = wanted.sizes[i] >= 0 && given->sizes[i] >= 0 && wanted.sizes[i] != given->sizes[i] &&
              axis_is_open(export, input, key, i, wanted.rank) == 0;
  if (!differs)
    return (Str){ 0 };
  const char *way = wanted.rank != given->rank      ? ""
                    : export->kind == EXPORT_DYNAMO ? ": dynamic_shapes leaves an axis open"
                                                    : ": dynamic_axes leaves an axis open";
  return arena_printf(arena,
                      "The model was exported with a tensor of shape %.*s for this input, and this one has %.*s%s.",
                      STR_ARG(session_shape_words(&wanted, arena)), STR_ARG(session_shape_words(given, arena)), way);
}

Str session_wrong_type(Str wanted, Str given, Arena *arena)
{
  if (wanted.len == 0 || given.len == 0 || str_equal(wanted, given))
    return (Str){ 0 };
  return arena_printf(arena, "The model takes %.*s for this input, and this is %.*s.", STR_ARG(wanted), STR_ARG(given));
}
