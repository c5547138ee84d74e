// What a session is given whose model the file puts together with onnx.helper: names, types and shapes against the
// inputs of its graph. Run with ONNX Runtime 1.21 and 1.23.

#include "base/limits.h"
#include "python/rules/tools/made_model.h"
#include "python/rules/tools/session_axes.h"
#include "python/rules/tools/session_run.h"

typedef struct MadeInput {
  Str name;
  Str type;        ///< As numpy names it; empty if it is not known.
  MadeItem shape;  ///< Its list.
} MadeInput;

typedef struct MadeInputs {
  MadeInput items[PY_EXPORT_NAME_LIMIT];
  size_t count;
  bool has_tensors;  ///< Of which some may be what an input is without a value.
} MadeInputs;

/// What onnx.save() writes to the path that the session reads, or whose bytes it is given; 0.
static PyRef model_of_session(const Run *run, const PyCall *session)
{
  const PyModel *model = run->model;
  const PyArgument *given = py_model_argument(model, session, 0, "path_or_bytes");
  const PyCall *bytes = given ? py_model_call(model, py_model_resolve(model, given->value)) : NULL;
  Str path, other;
  PyRef found = 0;
  if (bytes && str_equal(py_tree_member_name(&model->tree, bytes->function_node), STR("SerializeToString")))
    return py_tree_object(&model->tree, bytes->function_node);
  if (!given || !session_is_string(run, given->value, &path))
    return 0;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    const PyArgument *file =
        str_equal(call->qualified, STR("onnx.save")) ? py_model_argument(model, call, 1, "f") : NULL;
    if (!file)
      continue;
    if (found || !session_is_string(run, file->value, &other) || !str_equal(path, other) ||
        call->scope != session->scope)
      return 0;
    found = py_model_arguments(model, call)->value;
  }
  return found;
}

static bool add_input(MadeWork *work, MadeItem item, MadeInputs *inputs)
{
  Maker maker = { .work = work };
  MadeInput *input = &inputs->items[inputs->count];
  const PyCall *call = made_call(item, "onnx.helper.make_tensor_value_info");
  MadeItem name = call ? made_resolve(made_argument(item, 0, "name")) : (MadeItem){ 0 };
  Str word;
  if (inputs->count == COUNT(inputs->items) || !name.node || call->has_dictionary_splat ||
      !py_model_string(name.model, name.node, work->arena, &input->name) ||
      !made_element(&maker, made_argument(item, 1, "elem_type"), &word))
    return false;
  input->type = str_equal(word, STR("float")) ? STR("float32") : str_equal(word, STR("double")) ? STR("float64") : word;
  input->shape = made_argument(item, 2, "shape");
  inputs->count++;
  return true;
}

/// The inputs of the graph; false if one is not known, or may have a value of its own.
static bool read_inputs(const Run *run, MadeWork *work, PyRef made, MadeInputs *ret_inputs)
{
  MadeItem model = made_followed(work, (MadeItem){ run->model, made, 0 });
  MadeItem graph = made_call(model, "onnx.helper.make_model") ? made_followed(work, made_argument(model, 0, "graph"))
                                                              : (MadeItem){ 0 };
  MadeItems items = { 0 };
  bool is_known =
      made_call(graph, "onnx.helper.make_graph") && made_list(work, made_argument(graph, 2, "inputs"), &items);
  for (size_t i = 0; i < items.count && is_known; i++)
    is_known = add_input(work, items.items[i], ret_inputs);
  vec_free(&items);
  ret_inputs->has_tensors = is_known && made_argument(graph, 4, "initializer").node;
  return is_known;
}

static ExampleShape shape_of(MadeWork *work, const MadeInput *input)
{
  ExampleShape shape = { .rank = -1 };
  MadeItems sizes = { 0 };
  if (input->shape.node && made_list(work, input->shape, &sizes) && sizes.count <= PY_SHAPE_RANK_LIMIT)
    shape.rank = (int)sizes.count;
  for (int i = 0; i < shape.rank; i++) {
    if (!py_model_int(sizes.items[i].model, sizes.items[i].node, &shape.sizes[i]))
      shape.sizes[i] = -1;
  }
  vec_free(&sizes);
  return shape;
}

static void check_value(const Run *run, MadeWork *work, const MadeInput *input, PyRef value)
{
  Arena *arena = run->sink->arena;
  ExampleShape wanted = shape_of(work, input), given = example_array_shape(run->model, value);
  bool differs = wanted.rank >= 0 && given.rank >= 0 && wanted.rank != given.rank;
  for (int i = 0; i < wanted.rank && wanted.rank == given.rank; i++)
    differs |= wanted.sizes[i] >= 0 && given.sizes[i] >= 0 && wanted.sizes[i] != given.sizes[i];
  Str wrong =
      differs ? arena_printf(arena, "The model takes a tensor of shape %.*s for this input, and this one has %.*s.",
                             STR_ARG(session_shape_words(&wanted, arena)), STR_ARG(session_shape_words(&given, arena)))
              : session_wrong_type(input->type, example_array_type(run->model, value, arena), arena);
  if (wrong.len > 0)
    session_say(run, value, wrong, NULL);
}

static void check_pair(const Run *run, MadeWork *work, const MadeInputs *inputs, PyRef pair, bool *given)
{
  PyRef key = py_tree_key(&run->model->tree, pair);
  Str name;
  if (!key || !session_is_string(run, key, &name)) {
    memset(given, true, inputs->count);
    return;
  }
  for (size_t i = 0; i < inputs->count; i++) {
    if (!str_equal(inputs->items[i].name, name))
      continue;
    given[i] = true;
    check_value(run, work, &inputs->items[i], py_child(&run->model->tree, pair, PY_F_VALUE));
    return;
  }
  memset(given, true, inputs->count);  // It stands for the one that is missing.
  session_say(
      run, key,
      arena_printf(run->sink->arena, "The model has no input '%.*s': see the inputs of its graph.", STR_ARG(name)),
      NULL);
}

void session_check_made(const Run *run, const PyCall *session, const PyArgument *feed)
{
  MadeWork work = { .arena = run->sink->arena };
  PyRef dictionary = feed ? py_model_resolve(run->model, feed->value) : 0;
  PyRef made = py_kind(&run->model->tree, dictionary) == PYK_DICTIONARY &&
                       py_model_mentions(run->model, "make_model") && !made_models_are_changed(run->model)
                   ? model_of_session(run, session)
                   : 0;
  MadeInputs *inputs = made ? ARENA_NEW(run->sink->arena, MadeInputs) : NULL;
  bool given[PY_EXPORT_NAME_LIMIT] = { 0 };
  if (!inputs || !read_inputs(run, &work, made, inputs))
    return;
  for (PY_EACH_ELEMENT(&run->model->tree, pair, dictionary))
    check_pair(run, &work, inputs, pair, given);
  for (size_t i = 0; i < inputs->count && !inputs->has_tensors; i++) {
    if (given[i])
      continue;
    session_say(run, feed->value,
                arena_printf(run->sink->arena, "The model takes '%.*s', too.", STR_ARG(inputs->items[i].name)), NULL);
    return;
  }
}
