// shapes[x] = {0: batch} of a torch.export.ShapesCollection: it knows tensors by what they are, not by their names. Run
// with torch 2.14.

#include "base/limits.h"
#include "base/map.h"
#include "python/rules/dynamo/dimension.h"
#include "python/rules/public_objects.h"

typedef struct Collections {
  DiagSink *sink;
  Vec(ExportCall) exports;  ///< That are given a collection by its name.
  bool knows_exports;
  uint32_t inputs_left;  ///< That may still be compared with keys.
  Map *set;              ///< "block name[key]" -> what was set last, as a PyRef.
} Collections;

static void say(const Collections *all, PyRef node, Str message)
{
  py_say(all->sink, RULE_DYNAMIC_SHAPES_STRUCTURE, SEVERITY_ERROR, node, message, NULL);
}

// --- Tensors that are not given ---

typedef enum Given {
  IS_GIVEN,
  IS_OTHER,
  MAY_BE_GIVEN,
} Given;

/// Whether an example input is the tensor that the call of torch.randn() and the like at `made` made.
static Given is_tensor(const PyModel *model, PyRef input, const PyCall *made)
{
  const PyCall *call = py_model_call(model, py_model_resolve(model, input));
  PyRef callee = call ? call->function_node : 0;
  if (call == made)
    return IS_GIVEN;
  if (callee && str_equal(py_tree_member_name(&model->tree, callee), STR("clone")))
    return IS_OTHER;
  return call && call == export_tensor_call(model, input) ? IS_OTHER : MAY_BE_GIVEN;
}

/// The same of a list, a tuple or a dict of inputs, and of those that are in it.
static Given is_among(Collections *all, PyRef inputs, const PyCall *made, int depth)
{
  const PyModel *model = sink_python(all->sink)->model;
  const PyTree *tree = &model->tree;
  PyRef list = py_model_resolve(model, inputs);
  PyNodeKind kind = py_kind(tree, list);
  if (depth == PY_CHAIN_LIMIT || all->inputs_left == 0)
    return MAY_BE_GIVEN;
  all->inputs_left--;
  if (kind != PYK_TUPLE && kind != PYK_LIST && kind != PYK_DICTIONARY)
    return is_tensor(model, inputs, made);
  for (PY_EACH_ELEMENT(tree, item, list)) {
    PyRef value = kind == PYK_DICTIONARY && py_kind(tree, item) == PYK_PAIR ? py_child(tree, item, PY_F_VALUE) : item;
    Given given = py_tree_is_splat(tree, item) ? MAY_BE_GIVEN : is_among(all, value, made, depth + 1);
    if (given != IS_OTHER)
      return given;
  }
  return IS_OTHER;
}

static bool is_name_of(const PyModel *model, PyRef node, const PyBinding *binding)
{
  return py_model_binding_at(model, node) == binding;
}

static void add_export(Collections *all, const ExportCall *export)
{
  const PyArgument *shapes = export_argument(export, "dynamic_shapes");
  bool is_named = shapes && py_kind(&export->model->tree, shapes->value) == PYK_IDENTIFIER;
  if (is_named && export_argument(export, "args") && all->exports.count < PY_EXPORT_LIMIT)
    vec_push(&all->exports, *export);
}

static void find_exports(Collections *all)
{
  const PyModel *model = sink_python(all->sink)->model;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    ExportCall export = export_call(all->sink, i);
    if (export.kind == EXPORT_DYNAMO)
      add_export(all, &export);
  }
  for (size_t i = 0; i < model->calls.count; i++) {
    ExportCall export;
    if (export_capture(all->sink, &model->calls.items[i], &export))
      add_export(all, &export);
  }
  all->knows_exports = true;
}

/// An export with this collection that is given other tensors alone.
static bool lacks_tensor(Collections *all, const ExportCall *export, const PyBinding *shapes, const PyCall *made)
{
  const PyArgument *kwargs = export_argument(export, "kwargs");
  return is_name_of(export->model, export_argument(export, "dynamic_shapes")->value, shapes) &&
         is_among(all, export_argument(export, "args")->value, made, 0) == IS_OTHER &&
         (!kwargs || is_among(all, kwargs->value, made, 0) == IS_OTHER);
}

/// The tensor of `key` is in none of the exports that use the collection.
static void check_given(Collections *all, PyRef key, const PyBinding *shapes)
{
  const PyModel *model = sink_python(all->sink)->model;
  const PyCall *made = py_model_call(model, py_model_resolve(model, key));
  if (!made || export_tensor_call(model, key) != made)
    return;
  if (!all->knows_exports)
    find_exports(all);
  bool is_lacking = false;
  for (size_t i = 0; i < all->exports.count && !is_lacking; i++)
    is_lacking = lacks_tensor(all, &all->exports.items[i], shapes, made);
  if (is_lacking)
    say(all, key,
        arena_printf(all->sink->arena,
                     "'%.*s' is not among the example inputs: a ShapesCollection wants the very tensors that are "
                     "given, and no copies.",
                     STR_ARG(py_text(&model->tree, key))));
}

// --- Keys that are set twice ---

/// Whether two dicts of axes surely say different things.
static bool differ(DiagSink *sink, PyRef one, PyRef other)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  if (py_kind(tree, one) != PYK_DICTIONARY || py_kind(tree, other) != PYK_DICTIONARY)
    return false;
  PyRef second = py_first_child(tree, other);
  for (PyRef first = py_first_child(tree, one); first && second;
       first = py_next_sibling(tree, first), second = py_next_sibling(tree, second)) {
    int64_t axis, other_axis;
    if (py_kind(tree, first) != PYK_PAIR || py_kind(tree, second) != PYK_PAIR ||
        !py_model_int(model, py_child(tree, first, PY_F_KEY), &axis) ||
        !py_model_int(model, py_child(tree, second, PY_F_KEY), &other_axis) || axis != other_axis)
      return false;
    Dimension dim = dimension_read(model, py_child(tree, first, PY_F_VALUE), sink->arena);
    Dimension other_dim = dimension_read(model, py_child(tree, second, PY_F_VALUE), sink->arena);
    if (dim.kind == DIM_UNKNOWN || other_dim.kind == DIM_UNKNOWN)
      return false;
    if (dim.kind != other_dim.kind ||
        (dim.name.len > 0 && other_dim.name.len > 0 && !str_equal(dim.name, other_dim.name)))
      return true;
  }
  return false;
}

/// Compares with what a statement before in the same block sets for the same key.
static void check_twice(Collections *all, PyRef subscript, PyRef key, const PyBinding *shapes)
{
  DiagSink *sink = all->sink;
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef assignment = tree->nodes[subscript].parent;
  PyRef block = tree->nodes[tree->nodes[assignment].parent].parent;
  PyRef now = py_child(tree, assignment, PY_F_RIGHT);
  if (py_kind(tree, assignment) != PYK_ASSIGNMENT || !now)
    return;
  Str place = arena_printf(sink->arena, "%u %zu[%.*s]", block, (size_t)(shapes - model->bindings.items),
                           STR_ARG(py_text(tree, key)));
  PyRef before = (PyRef)(uintptr_t)map_put(all->set, place, (void *)(uintptr_t)now);
  if (before && differ(sink, py_model_resolve(model, before), py_model_resolve(model, now)))
    say(all, key,
        arena_printf(sink->arena,
                     "'%.*s' has other shapes already: a ShapesCollection takes no second ones for the same tensor.",
                     STR_ARG(py_text(tree, key))));
}

// --- All of them ---

static void check_key(Collections *all, PyRef subscript)
{
  const PyFile *file = sink_python(all->sink);
  const PyModel *model = file->model;
  const PyTree *tree = &model->tree;
  PyRef key = py_child(tree, subscript, PY_F_SUBSCRIPT);
  PyRef object = py_child(tree, subscript, PY_F_VALUE);
  uint32_t wrong = PY_STRING | PY_INT | PY_BOOL | PY_FLOAT | PY_LIST | PY_DICT | PY_NONE;
  if (!key || tree->nodes[subscript].field != PY_F_LEFT ||
      !str_equal(public_class_of(all->sink, object), STR("torch.export.ShapesCollection")))
    return;
  const PyBinding *shapes = py_model_binding_at(model, object);
  if (py_file_is_only(py_file_value(file, key), wrong)) {
    say(all, key,
        arena_printf(all->sink->arena,
                     "The keys of a ShapesCollection are the tensors that are given, and this is %.*s.",
                     STR_ARG(py_file_value_text(py_file_value(file, key), all->sink->arena))));
  } else if (shapes && shapes->next == PY_ABSENT && py_kind(tree, key) == PYK_IDENTIFIER) {
    check_given(all, key, shapes);
    check_twice(all, subscript, key, shapes);
  }
}

void check_python_shapes_collections(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  if (py_is_torch_itself(file->model) || !public_objects_are_made(file))
    return;
  Collections all = { .sink = sink, .inputs_left = PY_EXPORT_LIMIT * PY_EXAMPLE_LIMIT, .set = map_new() };
  for (PyRef node = 1; node < tree->count; node++) {
    if (py_kind(tree, node) == PYK_SUBSCRIPT)
      check_key(&all, node);
  }
  vec_free(&all.exports);
  map_free(all.set);
}
