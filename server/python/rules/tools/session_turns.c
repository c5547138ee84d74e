// Feeds that a comprehension makes: of names, and of the inputs that the session itself tells.

#include "base/limits.h"
#include "python/rules/tools/session_run.h"

// --- By names ---

/// What `{name: x.numpy() for name, x in inputs.items()}` has for keys, also of `zip(names, tensors)` and of the names
/// alone; 0 for others.
static PyRef keys_of_turns(const PyModel *model, PyRef comprehension, PyRef *ret_condition)
{
  const PyTree *tree = &model->tree;
  PyRef pair = py_first_child(tree, comprehension), clause = pair ? py_next_sibling(tree, pair) : 0;
  PyRef last = clause ? py_next_sibling(tree, clause) : 0;
  bool is_filtered = last && py_kind(tree, last) == PYK_IF_CLAUSE && !py_next_sibling(tree, last);
  if (!clause || py_kind(tree, clause) != PYK_FOR_IN_CLAUSE || (last && !is_filtered))
    return 0;
  *ret_condition = last ? py_first_child(tree, last) : 0;
  PyRef target = py_child(tree, clause, PY_F_LEFT), over = py_child(tree, clause, PY_F_RIGHT);
  bool is_pair = py_kind(tree, target) == PYK_PATTERN_LIST;
  PyRef name = is_pair ? py_first_child(tree, target) : target, key = py_tree_key(tree, pair);
  const PyCall *zip = py_model_call(model, over);
  if (!key || py_kind(tree, key) != PYK_IDENTIFIER || !str_equal(py_text(tree, key), py_text(tree, name)))
    return 0;
  if (!is_pair)
    return over;
  bool is_zip = zip && str_equal(zip->qualified, STR("zip")) && zip->argument_count == 2 && !zip->has_splat;
  return is_zip ? py_model_arguments(model, zip)->value : written_dictionary_of(model, over, "items");
}

/// Leaves the keys for which `key != "mask"`, or `key in ("ids", "mask")`, is so; false for other conditions.
static bool filter_keys(const Run *run, PyRef condition, WrittenItems *keys)
{
  const PyTree *tree = &run->model->tree;
  PyRef left = py_kind(tree, condition) == PYK_COMPARISON_OPERATOR ? py_first_child(tree, condition) : 0;
  PyRef sign = left ? py_child(tree, condition, PY_F_OPERATORS) : 0;
  PyRef right = sign ? py_next_sibling(tree, sign) : 0;
  Str text = sign ? py_text(tree, sign) : (Str){ 0 };
  bool is_one = str_equal(text, STR("!=")) || str_equal(text, STR("=="));
  bool is_left = str_equal(text, STR("!=")) || str_equal(text, STR("not in"));
  WrittenItems *wanted = ARENA_NEW(run->sink->arena, WrittenItems);
  if (!right || py_next_sibling(tree, right) || py_kind(tree, left) != PYK_IDENTIFIER ||
      !(is_one || is_left || str_equal(text, STR("in"))))
    return false;
  *wanted = (WrittenItems){ .items = { right }, .count = 1 };
  if (!is_one && !written_items(run->model, right, wanted))
    return false;
  size_t kept = 0;
  for (size_t i = 0; i < keys->count; i++) {
    bool is_there = false;
    Str key, other;
    for (size_t k = 0; k < wanted->count; k++) {
      if (!session_is_string(run, keys->items[i], &key) || !session_is_string(run, wanted->items[k], &other))
        return false;
      is_there |= str_equal(key, other);
    }
    if (is_there != is_left)
      keys->items[kept++] = keys->items[i];
  }
  keys->count = kept;
  return true;
}

/// What `{name: numpy.array(x, dtype=numpy.int32) for name, x in inputs.items()}` gives each input. `names` is the
/// dict, or a list of names whose values are not looked at.
static void check_values(const Run *run, PyRef comprehension, PyRef names, const WrittenItems *keys)
{
  const PyTree *tree = &run->model->tree;
  PyRef pair = py_first_child(tree, comprehension), value = py_child(tree, pair, PY_F_VALUE);
  PyRef target = py_child(tree, py_next_sibling(tree, pair), PY_F_LEFT);
  PyRef item = py_kind(tree, target) == PYK_PATTERN_LIST ? py_next_sibling(tree, py_first_child(tree, target)) : 0;
  for (size_t i = 0; value && i < keys->count; i++) {
    PyRef given =
        item && py_kind(tree, names) == PYK_DICTIONARY ? py_model_element(run->model, names, keys->items[i]) : 0;
    Run turn = *run;
    if (given)
      turn.model = py_model_with_name(run->model, item, given, run->sink->arena);
    Str name = { 0 };
    const ExampleInput *example = turn.model ? session_example_of(run, keys->items[i], &name) : NULL;
    if (example && session_check_value(&turn, example, name, value))
      return;
  }
}

static void check_computed_feed(const Run *run, const PyArgument *argument, PyRef comprehension)
{
  PyRef condition = 0, names = keys_of_turns(run->model, comprehension, &condition);
  WrittenItems *keys = ARENA_NEW(run->sink->arena, WrittenItems);
  if (!names || !session_has_input_names(run) || !written_items(run->model, names, keys) ||
      (condition && !filter_keys(run, condition, keys)))
    return;
  for (size_t i = 0; i < keys->count; i++) {
    Str name;
    const char *wrong = session_is_string(run, keys->items[i], &name) ? session_wrong_name(run, name) : NULL;
    if (wrong) {
      session_say(run, argument->value, str_from(wrong), NULL);
      return;
    }
  }
  check_values(run, comprehension, names, keys);
  session_check_missing(run, argument->value, keys);
}

// --- By the inputs of the session ---

/// `for input, x in zip(session.get_inputs(), [a, b])`, and the same with enumerate() and range().
typedef struct Turns {
  PyRef key, value;
  PyRef input;  ///< The name that is an input in each turn; 0 if only its number has one.
  PyRef index;  ///< The name of that number; 0.
  PyRef item;   ///< The name of what a list has for that turn; 0.
  PyRef list;
} Turns;

/// `zip(names, [a, b])` of a dict() of it; NULL.
static const PyCall *zipped(const Run *run, PyRef node)
{
  const PyCall *call = written_copy(run->model, node, "dict");
  const PyCall *zip = call ? py_model_call(run->model, py_model_arguments(run->model, call)->value) : NULL;
  bool is_pair = zip && str_equal(zip->qualified, STR("zip")) && zip->argument_count == 2 && !zip->has_splat;
  return is_pair ? zip : NULL;
}

bool session_is_dict_of_turns(const Run *run, PyRef node)
{
  const PyCall *call = written_copy(run->model, node, "dict");
  PyRef pairs = call ? py_model_arguments(run->model, call)->value : 0;
  PyNodeKind kind = pairs ? py_kind(&run->model->tree, pairs) : PYK_OTHER;
  return kind == PYK_LIST_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION || zipped(run, node);
}

/// `session.get_inputs()` of the session that is run.
static bool is_inputs(const Run *run, PyRef node)
{
  const PyTree *tree = &run->model->tree;
  const PyCall *call = py_model_call(run->model, node);
  PyRef session = call ? py_tree_object(tree, call->function_node) : 0;
  return session && str_equal(py_tree_member_name(tree, call->function_node), STR("get_inputs")) &&
         str_equal(py_text(tree, session), py_text(tree, py_tree_object(tree, run->call->function_node)));
}

static bool is_same_name(const PyTree *tree, PyRef a, PyRef b)
{
  return a && b && py_kind(tree, a) == PYK_IDENTIFIER && py_kind(tree, b) == PYK_IDENTIFIER &&
         str_equal(py_text(tree, a), py_text(tree, b));
}

/// What the clause binds; false if it goes through something else.
static bool read_clause(const Run *run, PyRef clause, Turns *turns)
{
  const PyModel *model = run->model;
  const PyTree *tree = &model->tree;
  PyRef target = py_child(tree, clause, PY_F_LEFT), first = py_first_child(tree, target);
  const PyCall *over = py_model_call(model, py_child(tree, clause, PY_F_RIGHT));
  const PyArgument *given =
      over && !over->has_splat && over->argument_count > 0 ? py_model_arguments(model, over) : NULL;
  bool is_pair = py_kind(tree, target) == PYK_PATTERN_LIST && first && py_next_sibling(tree, first);
  if (!given)
    return false;
  if (is_pair && str_equal(over->qualified, STR("zip")) && over->argument_count == 2 && is_inputs(run, given->value)) {
    turns->input = first;
    turns->item = py_next_sibling(tree, first);
    turns->list = given[1].value;
  } else if (is_pair && str_equal(over->qualified, STR("enumerate")) && is_inputs(run, given->value)) {
    turns->index = first;
    turns->input = py_next_sibling(tree, first);
  } else if (str_equal(over->qualified, STR("range")) && over->argument_count == 1) {
    turns->index = target;
  }
  return turns->index || turns->item;
}

/// The list whose elements the turns take.
static bool find_list(const PyTree *tree, Turns *turns)
{
  bool is_element = !turns->list && py_kind(tree, turns->value) == PYK_SUBSCRIPT &&
                    is_same_name(tree, py_child(tree, turns->value, PY_F_SUBSCRIPT), turns->index);
  turns->list = is_element ? py_child(tree, turns->value, PY_F_VALUE) : turns->list;
  return turns->list != 0;
}

/// `input.name`, or `session.get_inputs()[i].name`.
static bool names_the_input(const Run *run, const Turns *turns)
{
  const PyTree *tree = &run->model->tree;
  PyRef object = str_equal(py_tree_member_name(tree, turns->key), STR("name")) ? py_tree_object(tree, turns->key) : 0;
  if (!object || turns->input)
    return object && is_same_name(tree, object, turns->input);
  return py_kind(tree, object) == PYK_SUBSCRIPT && is_inputs(run, py_child(tree, object, PY_F_VALUE)) &&
         is_same_name(tree, py_child(tree, object, PY_F_SUBSCRIPT), turns->index);
}

static bool read_turns(const Run *run, PyRef node, Turns *turns)
{
  const PyModel *model = run->model;
  const PyTree *tree = &model->tree;
  bool is_dict = session_is_dict_of_turns(run, node);
  PyRef list = is_dict ? py_model_arguments(model, py_model_call(model, node))->value : node;
  PyRef pair = py_first_child(tree, list), clause = pair ? py_next_sibling(tree, pair) : 0;
  if (!clause || py_kind(tree, clause) != PYK_FOR_IN_CLAUSE || py_next_sibling(tree, clause))
    return false;
  bool is_tuple = is_dict && py_kind(tree, pair) == PYK_TUPLE;
  turns->key = is_tuple ? py_tree_first_element(tree, pair) : is_dict ? 0 : py_tree_key(tree, pair);
  turns->value = is_tuple ? py_tree_next_element(tree, turns->key) : turns->key ? py_child(tree, pair, PY_F_VALUE) : 0;
  if (!turns->value || !read_clause(run, clause, turns) || !names_the_input(run, turns))
    return false;
  return find_list(tree, turns);
}

static void check_turns(const Run *run, const PyArgument *argument, const Turns *turns)
{
  WrittenItems *items = ARENA_NEW(run->sink->arena, WrittenItems);
  if (!written_items(run->model, turns->list, items))
    return;
  for (size_t i = 0; i < items->count; i++) {
    Str name = { 0 };
    const ExampleInput *example = session_example_at(run, (int)i, &name);
    Run turn = *run;
    if (turns->item)
      turn.model = py_model_with_name(run->model, turns->item, items->items[i], run->sink->arena);
    if (example && turn.model)
      session_check_value(&turn, example, name, turns->item ? turns->value : items->items[i]);
  }
  int count = session_inputs_left(run);
  if (turns->item && count > 0 && run->export.kind == EXPORT_DYNAMO && items->count < (size_t)count)
    session_say(run, argument->value,
                arena_printf(run->sink->arena, "The model has %d inputs, and this gives it %zu.", count, items->count),
                NULL);
}

/// `[input.name for input in session.get_inputs()]`
static bool are_input_names(const Run *run, PyRef node)
{
  const PyTree *tree = &run->model->tree;
  PyRef list = py_model_resolve(run->model, node);
  PyRef body = py_kind(tree, list) == PYK_LIST_COMPREHENSION ? py_first_child(tree, list) : 0;
  PyRef clause = body ? py_next_sibling(tree, body) : 0;
  return clause && py_kind(tree, clause) == PYK_FOR_IN_CLAUSE && !py_next_sibling(tree, clause) &&
         is_inputs(run, py_child(tree, clause, PY_F_RIGHT)) &&
         str_equal(py_tree_member_name(tree, body), STR("name")) &&
         is_same_name(tree, py_tree_object(tree, body), py_child(tree, clause, PY_F_LEFT));
}

/// `dict(zip(names, [a, b]))`
static void check_zipped(const Run *run, const PyCall *zip)
{
  const PyArgument *given = py_model_arguments(run->model, zip);
  WrittenItems *names = ARENA_NEW(run->sink->arena, WrittenItems), *values = ARENA_NEW(run->sink->arena, WrittenItems);
  bool is_by_place = are_input_names(run, given[0].value);
  if (!written_items(run->model, given[1].value, values) ||
      (!is_by_place && !written_items(run->model, given[0].value, names)))
    return;
  for (size_t i = 0; i < values->count && (is_by_place || i < names->count); i++) {
    Str name = { 0 };
    const ExampleInput *example =
        is_by_place ? session_example_at(run, (int)i, &name) : session_example_of(run, names->items[i], &name);
    session_check_value(run, example, name, values->items[i]);
  }
}

/// `for input in session.get_inputs()`: each gets what is written there. False for other loops and keys.
static bool check_each(const Run *run, PyRef clause, PyRef key, PyRef value)
{
  const PyTree *tree = &run->model->tree;
  PyRef target = clause ? py_child(tree, clause, PY_F_LEFT) : 0;
  PyRef object = str_equal(py_tree_member_name(tree, key), STR("name")) ? py_tree_object(tree, key) : 0;
  bool is_each = target && value && is_inputs(run, py_child(tree, clause, PY_F_RIGHT));
  if (is_each && is_same_name(tree, key, target)) {
    session_say(run, key, STR("The inputs go by name, and this is one that has a name: add `.name`."),
                py_edit_after(run->sink, false, STR("Add .name"), key, STR(".name")));
    return true;
  }
  is_each &= is_same_name(tree, object, target);
  for (int i = 0; is_each && run->has_export && i < run->input_count; i++) {
    Str name = { 0 };
    const ExampleInput *example = session_example_at(run, i, &name);
    if (session_check_value(run, example, name, value))
      break;
  }
  return is_each;
}

void session_check_turns(const Run *run, const PyArgument *argument, PyRef node)
{
  const PyTree *tree = &run->model->tree;
  Turns turns = { 0 };
  bool is_dictionary = py_kind(tree, node) == PYK_DICTIONARY_COMPREHENSION;
  PyRef pair = is_dictionary ? py_first_child(tree, node) : 0, clause = pair ? py_next_sibling(tree, pair) : 0;
  bool is_only = clause && py_kind(tree, clause) == PYK_FOR_IN_CLAUSE && !py_next_sibling(tree, clause);
  if (is_only && check_each(run, clause, py_tree_key(tree, pair), py_child(tree, pair, PY_F_VALUE)))
    return;
  if (zipped(run, node))
    check_zipped(run, zipped(run, node));
  else if (run->has_export && read_turns(run, node, &turns))
    check_turns(run, argument, &turns);
  else if (is_dictionary)
    check_computed_feed(run, argument, node);
}

void session_check_loop(const Run *run, const PyArgument *argument, PyRef loop, PyRef key, PyRef value)
{
  const PyTree *tree = &run->model->tree;
  Turns turns = { .key = key, .value = value };
  if (!check_each(run, loop, key, value) && run->has_export && read_clause(run, loop, &turns) &&
      names_the_input(run, &turns) && find_list(tree, &turns))
    check_turns(run, argument, &turns);
}
