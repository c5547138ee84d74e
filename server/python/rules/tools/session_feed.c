// What a session is given: names, types and shapes against the example inputs of the export.

#include "base/limits.h"
#include "python/model/keys_set.h"
#include "python/rules/forward/forward_elements.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/tools/session_axes.h"
#include "python/rules/tools/session_run.h"
#include "python/rules/trace/traced_weights.h"
#include "python/rules/written_items.h"

void session_say(const Run *run, PyRef node, Str message, const Fix *fix)
{
  py_say(run->sink, RULE_SESSION_RUN, OWN, node, message, fix);
}

bool session_is_string(const Run *run, PyRef node, Str *ret_text)
{
  return node && py_model_string(run->model, node, run->sink->arena, ret_text);
}

void session_find_names(Run *run)
{
  export_read_names(&run->export, "input_names", &run->inputs);
  export_read_names(&run->export, "output_names", &run->outputs);
  run->made = export_model(&run->export);
  run->export.inputs = example_inputs(&run->export, &run->made);
  run->input_count = export_input_count(&run->export);
  ExampleInputs *leaves =
      run->inputs.node && run->input_count < 0 ? session_leaves(&run->export, run->export.inputs) : NULL;
  if (leaves) {
    run->export.inputs = leaves;
    run->input_count = 0;
    for (size_t i = 0; i < leaves->count; i++)
      run->input_count += leaves->items[i].value != 0;
  }
  if (run->inputs.node || run->export.kind != EXPORT_DYNAMO || !run->export.inputs->is_known ||
      run->export.inputs->takes_any_name)
    return;
  // The dynamo exporter names inputs as forward() does.
  for (size_t i = 0; i < run->export.inputs->count && i < PY_EXPORT_NAME_LIMIT; i++) {
    if (!run->export.inputs->items[i].is_default)
      run->inputs.items[run->inputs.count++] = run->export.inputs->items[i].name;
  }
  run->inputs.is_known = true;
  run->input_count = (int)run->inputs.count;
}

bool session_has_input_names(const Run *run)
{
  return run->has_export && run->inputs.is_known && run->input_count > 0 &&
         run->inputs.count >= (size_t)run->input_count;
}

/// "get_inputs" of `session.get_inputs()[0]`; empty for other expressions.
static Str method_of_node(const Run *run, PyRef key)
{
  const PyTree *tree = &run->model->tree;
  PyRef node = py_model_resolve(run->model, key);
  PyRef list = py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_VALUE) : 0;
  const PyCall *call = list ? py_model_call(run->model, py_model_resolve(run->model, list)) : NULL;
  return call ? py_tree_member_name(tree, call->function_node) : (Str){ 0 };
}

bool session_is_node(const Run *run, PyRef key)
{
  Str method = method_of_node(run, key);
  return str_equal(method, STR("get_inputs")) || str_equal(method, STR("get_outputs"));
}

/// Whether forward() surely returns something that is computed of the input, so that every exporter keeps it.
static bool is_kept(const Run *run, const ExampleInput *input)
{
  const PyModel *model = run->model;
  uint32_t function = run->made.forward;
  PyRef body = input && function != PY_ABSENT ? model->functions.items[function].body : 0;
  // Of a tuple nobody knows which of its tensors are used.
  if (!body || input->is_part || model->tree.nodes[body].next - body > PY_METHOD_NODE_LIMIT)
    return false;
  ModuleParts parts = module_parts(model, run->sink->arena);
  Forward forward = { .sink = run->sink,
                      .model = model,
                      .function = function,
                      .parts = &parts,
                      .is_traced = true,
                      .steps = PY_TRACING_WORK };
  for (PY_EACH_NODE(&model->tree, node, body)) {
    bool is_use = py_kind(&model->tree, node) == PYK_IDENTIFIER && str_equal(py_text(&model->tree, node), input->name);
    PyRef up = model->tree.nodes[node].parent;
    if (is_use && py_kind(&model->tree, up) != PYK_ATTRIBUTE && forward_returned(&forward, node) == RETURNED_ALWAYS)
      return true;
  }
  return false;
}

/// Whether forward() never names the input. Then the TorchScript exporter leaves it out. Run with torch 2.6.
static bool is_unused(const Run *run, const ExampleInput *input)
{
  const PyTree *tree = &run->model->tree;
  PyRef body = input && run->made.forward != PY_ABSENT ? run->model->functions.items[run->made.forward].body : 0;
  if (!body || run->export.kind != EXPORT_TRACES)
    return false;
  for (PY_EACH_NODE(tree, node, body)) {
    Str text = py_kind(tree, node) == PYK_IDENTIFIER ? py_text(tree, node) : (Str){ 0 };
    // locals() names all of them.
    if (str_equal(text, input->name) || str_equal(text, STR("locals")))
      return false;
  }
  return true;
}

static bool is_left_out(const Run *run, Str name)
{
  const ExampleInput *input = NULL;
  for (size_t i = 0; i < run->inputs.count && !input; i++)
    input = str_equal(run->inputs.items[i], name) ? session_input_at(run->export.inputs, i) : NULL;
  return is_unused(run, input);
}

PyRef session_number_picked(const Run *run)
{
  const PyTree *tree = &run->model->tree;
  PyRef up = tree->nodes[run->call->node].parent;
  return py_kind(tree, up) == PYK_SUBSCRIPT ? py_child(tree, up, PY_F_SUBSCRIPT) : 0;
}

/// The comprehension around a name that surely comes to it in each turn; 0.
static PyRef turns_around(const PyTree *tree, PyRef name)
{
  PyRef at = tree->nodes[name].parent;
  for (int i = 0; at && i < PY_NESTING_LIMIT && !py_kind_is_comprehension(py_kind(tree, at)); i++) {
    PyNodeKind kind = py_kind(tree, at);
    at = kind == PYK_CONDITIONAL_EXPRESSION || kind == PYK_BOOLEAN_OPERATOR ? 0 : tree->nodes[at].parent;
  }
  return py_kind_is_comprehension(py_kind(tree, at)) ? at : 0;
}

/// What `for i in range(3)` of the comprehension around the name counts up to; -1.
static int64_t last_of_range(const PyModel *model, PyRef name)
{
  const PyTree *tree = &model->tree;
  PyRef loop = turns_around(tree, name), body = loop ? py_first_child(tree, loop) : 0,
        clause = body ? py_next_sibling(tree, body) : 0;
  PyRef target = clause && py_kind(tree, clause) == PYK_FOR_IN_CLAUSE ? py_child(tree, clause, PY_F_LEFT) : 0;
  const PyCall *range =
      target && !py_next_sibling(tree, clause) && str_equal(py_text(tree, target), py_text(tree, name))
          ? written_copy(model, py_child(tree, clause, PY_F_RIGHT), "range")
          : NULL;
  int64_t count;
  return range && py_model_int(model, py_model_arguments(model, range)->value, &count) ? count - 1 : -1;
}

int64_t session_largest(const Run *run, PyRef number)
{
  int64_t place;
  if (py_model_int(run->model, number, &place))
    return place;
  return py_kind(&run->model->tree, number) == PYK_IDENTIFIER ? last_of_range(run->model, number) : -1;
}

int session_inputs_left(const Run *run)
{
  int count = run->input_count;
  for (int i = 0; i < run->input_count; i++)
    count -= is_unused(run, session_input_at(run->export.inputs, (size_t)i));
  return count;
}

void session_check_numbered(const Run *run)
{
  PyRef number = session_number_picked(run);
  int count = session_inputs_left(run);
  int64_t place = number && run->input_count > 0 ? session_largest(run, number) : -1;
  if (place < 0)
    return;
  bool is_left = count < run->input_count;
  if (place >= count)
    session_say(run, number,
                arena_printf(run->sink->arena, "The model has %d input%s%s.", count, count == 1 ? "" : "s",
                             is_left ? ": the TorchScript exporter leaves out what forward() never uses" : ""),
                NULL);
}

const char *session_wrong_name(const Run *run, Str name)
{
  Arena *arena = run->sink->arena;
  Str only = run->inputs.items[0];
  if (!export_has_name(&run->inputs, (size_t)run->input_count, name))
    return run->input_count == 1
               ? arena_printf(arena, "The model has no input '%.*s': it has '%.*s' alone.", STR_ARG(name),
                              STR_ARG(only))
                     .data
               : arena_printf(arena, "The model has no input '%.*s': see input_names of its export.", STR_ARG(name))
                     .data;
  return is_left_out(run, name)
             ? arena_printf(
                   arena,
                   "forward() never uses '%.*s', so the TorchScript exporter leaves that input out, and the session "
                   "refuses it.",
                   STR_ARG(name))
                   .data
             : NULL;
}

static void check_key(const Run *run, PyRef key)
{
  Str name;
  if (session_is_node(run, key)) {
    session_say(run, key, STR("The inputs go by name, and this is one that has a name: add `.name`."),
                py_edit_after(run->sink, false, STR("Add .name"), key, STR(".name")));
    return;
  }
  const char *wrong =
      session_has_input_names(run) && session_is_string(run, key, &name) ? session_wrong_name(run, name) : NULL;
  bool is_renamed = wrong && run->input_count == 1 && py_kind(&run->model->tree, key) == PYK_STRING &&
                    !export_has_name(&run->inputs, 1, name);
  if (wrong)
    session_say(run, key, str_from(wrong),
                is_renamed ? py_edit_string(run->sink, false, key, run->inputs.items[0]) : NULL);
}

/// What the TorchScript exporter makes of a number among the example inputs: "float64" of 0.5; empty for others. Run
/// with torch 2.6 and 2.14.
static Str type_of_number(const Run *run, PyRef value)
{
  PyNodeKind kind = run->export.kind == EXPORT_TRACES ? py_kind(&run->model->tree, value) : PYK_OTHER;
  return kind == PYK_FLOAT                       ? STR("float64")
         : kind == PYK_INTEGER                   ? STR("int64")
         : kind == PYK_TRUE || kind == PYK_FALSE ? STR("bool")
                                                 : (Str){ 0 };
}

/// Whether it is `[x.name for x in session.get_inputs()]`.
static bool are_names_of_inputs(const Run *run, PyRef list)
{
  const PyTree *tree = &run->model->tree;
  list = py_model_resolve(run->model, list);
  PyRef body = py_kind(tree, list) == PYK_LIST_COMPREHENSION ? py_first_child(tree, list) : 0;
  PyRef clause = body ? py_next_sibling(tree, body) : 0;
  bool is_plain =
      clause && py_kind(tree, clause) == PYK_FOR_IN_CLAUSE && !py_next_sibling(tree, clause) &&
      str_equal(py_tree_member_name(tree, body), STR("name")) &&
      str_equal(py_text(tree, py_tree_object(tree, body)), py_text(tree, py_child(tree, clause, PY_F_LEFT)));
  const PyCall *over =
      is_plain ? py_model_call(run->model, py_model_resolve(run->model, py_child(tree, clause, PY_F_RIGHT))) : NULL;
  return over && str_equal(py_tree_member_name(tree, over->function_node), STR("get_inputs"));
}

/// The place in the model of `session.get_inputs()[1].name`, and of `names[1]` of all their names; -1 for other keys.
static int place_of_key(const Run *run, PyRef key)
{
  const PyTree *tree = &run->model->tree;
  PyRef node = py_model_resolve(run->model, key);
  bool is_listed = py_kind(tree, node) == PYK_SUBSCRIPT && are_names_of_inputs(run, py_child(tree, node, PY_F_VALUE));
  PyRef object = str_equal(py_tree_member_name(tree, node), STR("name")) ? py_tree_object(tree, node) : 0;
  PyRef input = object ? py_model_resolve(run->model, object) : 0;
  PyRef number = is_listed ? py_child(tree, node, PY_F_SUBSCRIPT)
                 : input && str_equal(method_of_node(run, input), STR("get_inputs"))
                     ? py_child(tree, input, PY_F_SUBSCRIPT)
                     : 0;
  int64_t place;
  return number && py_model_int(run->model, number, &place) && place >= 0 && place < PY_EXAMPLE_LIMIT ? (int)place : -1;
}

const ExampleInput *session_example_at(const Run *run, int place, Str *ret_name)
{
  // Without names it is not known which axes are open.
  if (!run->has_export || run->input_count <= 0 ||
      (!session_has_input_names(run) && export_argument(&run->export, "dynamic_axes")))
    return NULL;
  for (int i = 0; i < run->input_count; i++) {
    const ExampleInput *input = session_input_at(run->export.inputs, (size_t)i);
    if (!input || is_unused(run, input) || place-- > 0)
      continue;
    *ret_name = session_has_input_names(run) ? run->inputs.items[i] : (Str){ 0 };
    return input;
  }
  return NULL;
}

const ExampleInput *session_example_of(const Run *run, PyRef key, Str *ret_name)
{
  int place = place_of_key(run, key);
  if (place >= 0)
    return session_example_at(run, place, ret_name);
  if (!run->has_export || !run->inputs.is_known || !session_is_string(run, key, ret_name))
    return NULL;
  const ExampleInput *input = example_input_of_axes(run->export.inputs, &run->inputs, *ret_name);
  // With a number among the inputs it is not known how many there are.
  return session_has_input_names(run) || (input && input->value && type_of_number(run, input->value).len > 0) ? input
                                                                                                              : NULL;
}

/// Returns whether it said something.
static bool check_shape(const Run *run, const ExampleInput *input, Str name, PyRef value)
{
  ExampleShape given = example_array_shape(run->model, value);
  Str wrong = session_wrong_shape(&run->export, input, name, &given);
  if (wrong.len > 0)
    session_say(run, value, wrong, NULL);
  return wrong.len > 0;
}

/// The same.
static bool check_type(const Run *run, const ExampleInput *input, PyRef value)
{
  Arena *arena = run->sink->arena;
  Str wanted = input->value ? element_made(run->export.model, input->value, arena) : (Str){ 0 };
  if (wanted.len == 0 && input->value)
    wanted = example_float_type(run->export.model, input->value, arena);
  if (wanted.len == 0 && input->value)
    wanted = type_of_number(run, input->value);
  Str wrong = session_wrong_type(wanted, example_array_type(run->model, value, arena), arena);
  if (wrong.len == 0)
    return false;
  bool is_call = py_kind(&run->model->tree, value) == PYK_CALL;
  Str cast = arena_printf(arena, ".astype(\"%.*s\")", STR_ARG(wanted));
  session_say(run, value, wrong, is_call ? py_edit_after(run->sink, true, STR("Convert it"), value, cast) : NULL);
  return true;
}

/// `x.numpy()` with `x = torch.randn(3, requires_grad=True)`; what a model gives check_numpy_results.c tells.
static bool is_refused_array(const PyModel *model, PyRef value)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, py_model_resolve(model, value));
  PyRef object =
      call && call->argument_count == 0 && str_equal(py_tree_member_name(tree, call->function_node), STR("numpy"))
          ? py_tree_object(tree, call->function_node)
          : 0;
  const PyCall *made = object ? py_model_call(model, py_model_resolve(model, object)) : NULL;
  const PyArgument *wish = made ? py_model_argument(model, made, PY_ABSENT, "requires_grad") : NULL;
  return wish && export_tensor_call(model, made->node) == made && py_kind(tree, wish->value) == PYK_TRUE;
}

bool session_check_value(const Run *run, const ExampleInput *example, Str name, PyRef value)
{
  const uint32_t scalars = PY_INT | PY_FLOAT | PY_BOOL;
  if (session_is_tensor(run->model, value)) {
    session_say(run, value, STR("A session takes arrays of numpy, and this is a tensor of torch: add `.numpy()`."),
                py_edit_after(run->sink, false, STR("Add .numpy()"), value, STR(".numpy()")));
    return true;
  }
  if (is_refused_array(run->model, value)) {
    session_say(run, value, STR("A tensor that needs a gradient has no numpy(): call detach() before it."), NULL);
    return true;
  }
  if (py_file_is_only(py_file_value(run->file, value), scalars)) {
    session_say(run, value, STR("A session takes arrays of numpy, and this is a number: write numpy.array()."), NULL);
    return true;
  }
  return example && (check_shape(run, example, name, value) || check_type(run, example, value));
}

void session_check_missing(const Run *run, PyRef feed, const WrittenItems *keys)
{
  for (int i = 0; i < run->input_count; i++) {
    bool is_given = false;
    for (size_t k = 0; k < keys->count && !is_given; k++) {
      Str name;
      if (!session_is_string(run, keys->items[k], &name))
        return;
      is_given =
          str_equal(name, run->inputs.items[i]) || !export_has_name(&run->inputs, (size_t)run->input_count, name);
    }
    if (!is_given &&
        (run->export.kind == EXPORT_DYNAMO || is_kept(run, session_input_at(run->export.inputs, (size_t)i)))) {
      session_say(run, feed,
                  arena_printf(run->sink->arena, "The model takes '%.*s', too.", STR_ARG(run->inputs.items[i])), NULL);
      return;
    }
  }
}

/// What the function of the file gives that is called for the feed, as this call sees it; the node itself of others.
static PyRef feed_made(Run *run, PyRef node)
{
  const PyModel *model = run->model;
  PyRef feed = py_model_resolve(model, node);
  const PyCall *call = py_model_call(model, feed);
  uint32_t index = call && call->function != PY_ABSENT ? call->function : call ? call->method : PY_ABSENT;
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  bool is_plain = function && function->return_count == 1 && function->returned && function->outer == function->node;
  const PyModel *inner = is_plain ? py_model_in_call(model, call, run->sink->arena) : NULL;
  if (!inner)
    return feed;
  run->model = inner;
  return py_model_resolve(inner, function->returned);
}

/// The inputs that a dict has, also those that are set after it is made.
typedef struct Feed {
  WrittenItems keys, values;
  bool is_whole;
  PyRef loop;  ///< The only key is set in each turn of this one; 0.
} Feed;

static void add_input(Feed *feed, PyRef key, PyRef value)
{
  feed->is_whole &= key != 0 && feed->keys.count < COUNT(feed->keys.items);
  if (!feed->is_whole)
    return;
  feed->keys.items[feed->keys.count++] = key;
  feed->values.items[feed->values.count++] = value;
}

static void add_set_input(const KeySet *set, void *context)
{
  Feed *feed = context;
  add_input(feed, set->key, set->value);
  feed->is_whole &= (!set->is_maybe || set->loop) && !feed->loop && (!set->loop || feed->keys.count == 1);
  feed->loop = set->loop;
}

static void add_inputs(const PyModel *model, PyRef dictionary, Feed *feed);

/// What another dict has, of which this one is a copy: `{**inputs}`, `dict(inputs)`.
static void add_copied(const PyModel *model, PyRef node, Feed *feed)
{
  PyRef other = py_model_resolve(model, node);
  feed->is_whole &= py_kind(&model->tree, other) == PYK_DICTIONARY;
  for (PY_EACH_ELEMENT(&model->tree, pair, other))  // No copies of copies.
    feed->is_whole &= py_kind(&model->tree, pair) == PYK_PAIR;
  if (feed->is_whole)
    add_inputs(model, other, feed);
}

static void add_inputs(const PyModel *model, PyRef dictionary, Feed *feed)
{
  const PyTree *tree = &model->tree;
  for (PY_EACH_ELEMENT(tree, pair, dictionary)) {
    if (py_kind(tree, pair) == PYK_DICTIONARY_SPLAT)
      add_copied(model, py_first_child(tree, pair), feed);
    else
      add_input(feed, py_tree_key(tree, pair), py_child(tree, pair, PY_F_VALUE));
  }
}

/// `feed = {}` and `feed["x"] = x` before it is used; NULL for others.
static Feed *feed_filled(const Run *run, PyRef name)
{
  const PyModel *model = run->model;
  const PyBinding *binding = py_kind(&model->tree, name) == PYK_IDENTIFIER ? py_model_binding_at(model, name) : NULL;
  PyRef made =
      py_binding_is_only(binding, PY_BIND_ASSIGN) && binding->value ? py_tree_strip(&model->tree, binding->value) : 0;
  Feed *feed = ARENA_NEW(run->sink->arena, Feed);
  *feed = (Feed){ .is_whole = true };
  if (!made || py_kind(&model->tree, made) != PYK_DICTIONARY)
    return NULL;
  add_inputs(model, made, feed);
  return keys_set_each(model, name, name, add_set_input, feed) && feed->is_whole ? feed : NULL;
}

static void check_inputs(const Run *run, PyRef node, const Feed *feed)
{
  for (size_t i = 0; i < feed->keys.count; i++) {
    check_key(run, feed->keys.items[i]);
    Str name = { 0 };
    const ExampleInput *example = session_example_of(run, feed->keys.items[i], &name);
    session_check_value(run, example, name, feed->values.items[i]);
  }
  if (session_has_input_names(run) && feed->is_whole)
    session_check_missing(run, node, &feed->keys);
}

static bool is_no_dictionary(const Run *run, PyRef feed)
{
  return py_kind(&run->model->tree, feed) == PYK_SET ||
         py_file_is_only(py_file_value(run->file, feed), PY_TENSOR | PY_ARRAY | PY_LIST | PY_NONE);
}

void session_check_feed(const Run *outer, const PyArgument *argument)
{
  Run run = *outer;
  PyRef node = feed_made(&run, argument->value);
  const PyCall *copy = written_copy(run.model, node, "dict");
  PyRef copied = copy ? py_model_resolve(run.model, py_model_arguments(run.model, copy)->value) : 0;
  node = copied && py_kind(&run.model->tree, copied) == PYK_DICTIONARY ? copied : node;
  PyNodeKind kind = py_kind(&run.model->tree, node);
  Feed *feed = kind == PYK_DICTIONARY ? ARENA_NEW(run.sink->arena, Feed) : feed_filled(&run, node);
  if (kind == PYK_DICTIONARY) {
    feed->is_whole = true;
    add_inputs(run.model, node, feed);
  }
  if (kind == PYK_DICTIONARY_COMPREHENSION || session_is_dict_of_turns(&run, node))
    session_check_turns(&run, argument, node);
  else if (feed && feed->loop)
    session_check_loop(&run, argument, feed->loop, feed->keys.items[0], feed->values.items[0]);
  else if (feed)
    check_inputs(&run, kind == PYK_DICTIONARY ? node : argument->value, feed);
  else if (is_no_dictionary(&run, node) || is_no_dictionary(outer, argument->value))
    session_say(outer, argument->value, STR("A session takes the inputs as a dict that has them by name."), NULL);
}
