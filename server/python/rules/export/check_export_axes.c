// dynamic_axes of torch.onnx.export().

#include "base/limits.h"
#include "base/nearest.h"
#include "python/model/keys_set.h"
#include "python/rules/export/axes_entries.h"
#include "python/rules/turns.h"

/// One entry of dynamic_axes.
typedef struct AxesEntry {
  Str key;
  bool is_output_only;  ///< Surely the name of an output.
  int rank;             ///< Of the example; -1 if unknown.
} AxesEntry;

/// Whether dynamic_axes has the name, too: then it is not what another key means.
static bool is_key(const ExportCall *export, Str name)
{
  const PyModel *model = export->model;
  PyRef axes = export_value(export, "dynamic_axes");
  PyRef pair = axes && py_kind(&model->tree, axes) == PYK_DICTIONARY ? py_first_child(&model->tree, axes) : 0;
  for (; pair; pair = py_next_sibling(&model->tree, pair)) {
    PyRef key = py_tree_key(&model->tree, pair);
    Str text;
    if (key && py_model_string(model, key, export->sink->arena, &text) && str_equal(text, name))
      return true;
  }
  return false;
}

/// "input" for "inp" and for "inptu"; NULL.
static const char *name_meant(const ExportCall *export, Str key, const ExportNames *inputs, const ExportNames *outputs)
{
  Arena *arena = export->sink->arena;
  const char *names[2 * PY_EXPORT_NAME_LIMIT];
  size_t count = 0;
  for (size_t i = 0; i < inputs->count; i++)
    names[count++] = arena_copy(arena, inputs->items[i]).data;
  for (size_t i = 0; i < outputs->count; i++)
    names[count++] = arena_copy(arena, outputs->items[i]).data;
  const char *near = nearest_word(arena_copy(arena, key).data, names, count);
  for (size_t i = 0; i < count && !near && key.len >= 3; i++)
    near = str_starts_with(str_from(names[i]), key) || str_starts_with(key, str_from(names[i])) ? names[i] : NULL;
  return near && !is_key(export, str_from(near)) ? near : NULL;
}

/// Is the name that of a parameter of forward()? Without input_names an input is called so.
static bool is_forward_param(const ExportModel *made, Str key)
{
  for (size_t i = 0; i < made->param_count; i++) {
    if (made->params[i].kind != PY_PARAM_PLAIN || str_equal(made->params[i].name, key))
      return true;  // What `*args` makes has names that are not known.
  }
  return false;
}

/// May a key be a name that nobody wrote down? The dynamo exporter takes the names of forward()'s parameters; the
/// TorchScript exporter sometimes does, but calls the input of a convolution "onnx::Conv_0"; a ScriptModule has its
/// own.
static bool may_be_unwritten(const ExportCall *export, const ExportModel *made, const ExportNames *inputs,
                             const ExportNames *outputs, Str key)
{
  const ExportModuleFact *fact = export_module_fact(made);
  bool is_traced = export->kind == EXPORT_TRACES;
  if (inputs->node || (is_traced && outputs->node))
    return false;
  if (made->has_params)
    return is_forward_param(made, key);
  if (fact)
    return str_equal(key, STR("input")) && !(is_traced && fact->weights > 0);
  // Nobody calls a parameter so, and an output without output_names has a name that can't be foreseen.
  return outputs->node || !str_starts_with(key, STR("output"));
}

/// What the key is not.
static const char *where_it_is_not(const ExportCall *export, const ExportModel *made, const ExportNames *inputs,
                                   const ExportNames *outputs)
{
  if (inputs->node || outputs->node)
    return "in neither input_names nor output_names";
  if (export->kind == EXPORT_TRACES)
    return "not the name of an input or output, as there are no input_names and output_names";
  return !made->has_params && !export_module_fact(made)
             ? "in neither input_names nor output_names"
             : "not a parameter of forward(), and there are no input_names or output_names";
}

/// Gives the inputs and outputs the names that dynamic_axes has for them, where the call gives no names at all. What
/// begins like "output" is an output.
static const Fix *fix_names(const ExportCall *export, const ExportNames *inputs, const ExportNames *outputs)
{
  const PyTree *tree = &export->model->tree;
  Arena *arena = export->sink->arena;
  PyRef axes = export_value(export, "dynamic_axes");
  if (inputs->node || outputs->node || !axes)
    return NULL;
  Str names[2] = { { 0 } };
  int count[2] = { 0 };
  for (PyRef pair = py_first_child(tree, axes); pair; pair = py_next_sibling(tree, pair)) {
    Str key;
    PyRef key_node = py_tree_key(tree, pair);
    if (!key_node || !py_model_string(export->model, key_node, arena, &key) || count[0] > 1 || count[1] > 1)
      return NULL;
    int which = str_starts_with(key, STR("out")) || str_equal(key, STR("y"));
    names[which] =
        arena_printf(arena, "%.*s%s\"%.*s\"", STR_ARG(names[which]), count[which] > 0 ? ", " : "", STR_ARG(key));
    count[which]++;
  }
  // Names are given in order: it is known only of one.
  if (count[0] != 1 || count[1] > 1)
    return NULL;
  Str text = arena_printf(arena, "input_names=[%.*s]", STR_ARG(names[0]));
  if (count[1] > 0)
    text = arena_printf(arena, "%.*s, output_names=[%.*s]", STR_ARG(text), STR_ARG(names[1]));
  PyRef list = export->call->list_node;
  return list ? py_edit_append(export->sink, false, arena_printf(arena, "Add %.*s", STR_ARG(text)), list, text) : NULL;
}

/// Returns whether it said something.
static bool check_key(const ExportCall *export, const ExportModel *made, PyRef node, Str key, const ExportNames *inputs,
                      const ExportNames *outputs)
{
  DiagSink *sink = export->sink;
  if (!inputs->is_known || !outputs->is_known || export_has_name(inputs, inputs->count, key) ||
      export_has_name(outputs, outputs->count, key) || may_be_unwritten(export, made, inputs, outputs, key) ||
      axes_entries_fit(export, inputs))
    return false;
  if (!sink_wants(sink, RULE_DYNAMIC_AXES_NAME, OWN))
    return false;
  const char *near = (*export->guesses)++ < PY_GUESS_LIMIT ? name_meant(export, key, inputs, outputs) : NULL;
  const char *where = where_it_is_not(export, made, inputs, outputs);
  const char *then = export->kind == EXPORT_DYNAMO ? ", so the export fails." : ", so its axes stay fixed.";
  Str guess = near ? arena_printf(sink->arena, ": did you mean '%s'?", near) : str_from(then);
  Str message = arena_printf(sink->arena, "'%.*s' is %s%.*s", STR_ARG(key), where, STR_ARG(guess));
  Str literal;
  bool is_one = py_model_string(export->model, node, sink->arena, &literal);  // And not another one in each turn.
  py_say(sink, RULE_DYNAMIC_AXES_NAME, OWN, node, message,
         near && is_one ? py_edit_string(sink, false, node, str_from(near))
         : near         ? NULL
                        : fix_names(export, inputs, outputs));
  return true;
}

static void check_rank(const ExportCall *export, PyRef node, const AxesEntry *entry, int64_t axis)
{
  if (entry->rank < 0 || axis < entry->rank || !sink_wants(export->sink, RULE_DYNAMIC_AXES_RANGE, OWN))
    return;
  py_say(export->sink, RULE_DYNAMIC_AXES_RANGE, OWN, node,
         arena_printf(export->sink->arena, "The example of '%.*s' has %d axes, so the last one is %d.",
                      STR_ARG(entry->key), entry->rank, entry->rank - 1),
         NULL);
}

/// An axis: its type, sign and size. True if its number is known.
static bool check_axis(const ExportCall *export, PyRef node, const AxesEntry *entry, int64_t *ret_axis)
{
  DiagSink *sink = export->sink;
  PyNodeKind kind = py_kind(&export->model->tree, py_tree_strip(&export->model->tree, node));
  if (kind == PYK_STRING || kind == PYK_FLOAT || kind == PYK_NONE || kind == PYK_LIST || kind == PYK_TUPLE) {
    if (!sink_wants(sink, RULE_DYNAMIC_AXES_TYPE, OWN))
      return false;
    Str text = py_text(&export->model->tree, node);
    Str meant = export_int_meant(export, node);
    py_say(sink, RULE_DYNAMIC_AXES_TYPE, OWN, node,
           arena_printf(sink->arena, "An axis has to be an int, not %.*s.", STR_ARG(text)),
           meant.len > 0 ? py_edit_replace(sink, true, node, meant) : NULL);
    return false;
  }
  if (!py_model_int(export->model, node, ret_axis))
    return false;
  if (export->kind == EXPORT_DYNAMO)
    return true;
  if (*ret_axis >= 0) {
    check_rank(export, node, entry, *ret_axis);
    return true;
  }
  Severity severity = entry->is_output_only ? SEVERITY_WARNING : OWN;
  py_say(sink, RULE_DYNAMIC_AXES_RANGE, severity, node,
         entry->is_output_only ? STR("A negative axis of an output is ignored: count from the front.")
                               : STR("A negative axis of an input makes the TorchScript exporter crash: count from the "
                                     "front."),
         NULL);
  return true;
}

static void say_duplicate_axis(const ExportCall *export, PyRef node, PyRef element, int64_t axis, const char *words)
{
  DiagSink *sink = export->sink;
  if (!sink_wants(sink, RULE_DYNAMIC_AXES_DUPLICATE, OWN))
    return;
  Str message = arena_printf(sink->arena, "Axis %d is listed twice%s.", (int)axis, words);
  py_say(sink, RULE_DYNAMIC_AXES_DUPLICATE, OWN, node, message,
         words[0] ? NULL : py_edit_remove(sink, true, STR("Remove it"), element));
}

/// `Dim("batch")` and `Dim.AUTO`, which go into dynamic_shapes.
static bool is_dimension(const ExportCall *export, PyRef node)
{
  const PyModel *model = export->model;
  PyRef made = py_model_resolve(model, node);
  const PyCall *call = py_model_call(model, made);
  Str name = call ? call->qualified : py_model_qualified(model, made, export->sink->arena);
  return str_equal(name, STR("torch.export.Dim")) || str_starts_with(name, STR("torch.export.Dim."));
}

/// `{0: 1}`: what comes after an axis is its name.
static void check_axis_name(const ExportCall *export, PyRef name)
{
  DiagSink *sink = export->sink;
  PyNodeKind kind = py_kind(&export->model->tree, py_tree_strip(&export->model->tree, name));
  bool is_traced = export->kind == EXPORT_TRACES;
  bool is_dim = is_traced && is_dimension(export, name);
  int64_t number;
  bool is_bad =
      py_model_int(export->model, name, &number) || kind == PYK_FLOAT || (kind == PYK_NONE && is_traced) || is_dim;
  if (!is_bad || export->kind == EXPORT_DYNAMO || !sink_wants(sink, RULE_DYNAMIC_AXES_TYPE, OWN))
    return;
  Str text = py_text(&export->model->tree, name);
  const char *more = is_dim ? ": a Dim is for dynamic_shapes" : "";
  py_say(sink, RULE_DYNAMIC_AXES_TYPE, OWN, name,
         arena_printf(sink->arena, "The name of an axis has to be a string, not %.*s%s.", STR_ARG(text), more), NULL);
}

/// The axes of one input: `{0: "batch"}` or `[0, 1]`.
static void check_axes(const ExportCall *export, PyRef axes, const AxesEntry *entry)
{
  const PyTree *tree = &export->model->tree;
  bool is_dictionary = py_kind(tree, axes) == PYK_DICTIONARY;
  int64_t seen[PY_EXPORT_NAME_LIMIT];
  size_t count = 0;
  int looked = 0;
  for (PyRef item = py_tree_first_element(tree, axes); item && looked < PY_EXPORT_NAME_LIMIT;
       item = py_tree_next_element(tree, item), looked++) {
    PyRef node = item;
    if (is_dictionary)
      node = py_tree_key(tree, item);
    PyRef name = is_dictionary && node ? py_child(tree, item, PY_F_VALUE) : 0;
    if (name)
      check_axis_name(export, name);
    int64_t axis;
    if (!node || !check_axis(export, node, entry, &axis))
      continue;
    for (size_t i = 0; i < count; i++) {
      if (seen[i] == axis) {
        say_duplicate_axis(export, node, item, axis, is_dictionary ? "; the last name counts" : "");
        break;
      }
    }
    seen[count++] = axis;
  }
}

static void check_axes_shape(const ExportCall *export, PyRef value, const AxesEntry *entry)
{
  DiagSink *sink = export->sink;
  PyRef axes = py_model_resolve(export->model, value);
  switch (py_kind(&export->model->tree, axes)) {
  case PYK_DICTIONARY:
  case PYK_LIST:
    check_axes(export, axes, entry);
    return;
  case PYK_TUPLE:
  case PYK_SET:
  case PYK_STRING:
  case PYK_INTEGER:
    py_say(sink, RULE_DYNAMIC_AXES_TYPE, OWN, value,
           STR("The axes of an input have to be a dict such as {0: 'batch'}, or a list of ints."), NULL);
    return;
  default:
    return;
  }
}

/// `{name: axes for name in names}`, `dict.fromkeys(names, axes)`: what all names get; 0 for other expressions.
static PyRef axes_of_all(const ExportCall *export, PyRef node)
{
  const PyTree *tree = &export->model->tree;
  if (py_kind(tree, node) == PYK_DICTIONARY_COMPREHENSION) {
    PyRef pair = py_child(tree, node, PY_F_BODY);
    return pair ? py_child(tree, pair, PY_F_VALUE) : 0;
  }
  const PyCall *call = py_model_call(export->model, node);
  bool is_shared = call && str_equal(py_text(tree, call->function_node), STR("dict.fromkeys"));
  const PyArgument *argument = is_shared ? py_model_argument(export->model, call, 1, NULL) : NULL;
  return argument ? argument->value : 0;
}

/// `axes["y"] = 0` on the dict that is given.
static void check_later_axes(const ExportCall *export)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  const PyArgument *argument = export_argument(export, "dynamic_axes");
  if (!argument || py_kind(tree, argument->value) != PYK_IDENTIFIER)
    return;
  Str name = py_text(tree, argument->value);
  uint32_t bound = py_model_lookup(model, export->call->scope, name);
  uint32_t steps = 0;
  for (PyRef node = 1; bound != PY_ABSENT && node < export->call->node && steps < PY_TRACING_WORK; node++, steps++) {
    PyRef target = py_kind(tree, node) == PYK_ASSIGNMENT ? py_child(tree, node, PY_F_LEFT) : 0;
    PyRef dictionary = target && py_kind(tree, target) == PYK_SUBSCRIPT ? py_child(tree, target, PY_F_VALUE) : 0;
    PyRef value = dictionary ? py_child(tree, node, PY_F_RIGHT) : 0;
    if (value && str_equal(py_text(tree, dictionary), name) &&
        py_model_lookup(model, py_model_scope_of(model, dictionary), name) == bound)
      check_axes_shape(export, value, &(AxesEntry){ .rank = -1 });
  }
}

// --- Entries ---

typedef struct AxesCheck {
  const ExportCall *export;
  const ExportModel *made;
  const ExportNames *inputs, *outputs;
} AxesCheck;

static void check_pairs(const AxesCheck *check, PyRef axes)
{
  const ExportCall *export = check->export;
  const PyTree *tree = &export->model->tree;
  const ExportNames *inputs = check->inputs, *outputs = check->outputs;
  int looked = 0;
  for (PyRef pair = py_first_child(tree, axes); pair && looked < PY_EXPORT_NAME_LIMIT;
       pair = py_next_sibling(tree, pair), looked++) {
    PyRef key_node = py_child(tree, pair, PY_F_KEY);
    PyRef value = py_child(tree, pair, PY_F_VALUE);
    if (py_kind(tree, pair) != PYK_PAIR || !key_node || !value)
      continue;
    AxesEntry entry = { .rank = -1 };
    if (py_model_string(export->model, key_node, export->sink->arena, &entry.key)) {
      check_key(export, check->made, key_node, entry.key, inputs, outputs);
      entry.is_output_only = inputs->node && inputs->is_known && !export_has_name(inputs, inputs->count, entry.key) &&
                             export_has_name(outputs, outputs->count, entry.key);
      entry.rank = export_rank_of_input(export, inputs, entry.key);
    }
    check_axes_shape(export, value, &entry);
  }
}

/// A key that each turn of a loop makes: `f"past.{i}"`.
static void check_turns(const AxesCheck *check, PyRef clause, PyRef key)
{
  const ExportCall *export = check->export;
  TurnModels *turns = ARENA_NEW(export->sink->arena, TurnModels);
  bool is_known = key && turns_of(export->model, clause, export->sink->arena, turns);
  for (size_t i = 0; i < turns->count && is_known; i++) {
    Str text;
    if (!py_model_string(turns->items[i], key, export->sink->arena, &text) ||
        check_key(export, check->made, key, text, check->inputs, check->outputs))
      return;
  }
}

static void check_set_key(const KeySet *set, void *context)
{
  const AxesCheck *check = context;
  Str text;
  if (set->loop)
    check_turns(check, set->loop, set->key);
  else if (set->key && py_model_string(check->export->model, set->key, check->export->sink->arena, &text))
    check_key(check->export, check->made, set->key, text, check->inputs, check->outputs);
}

/// `{f"past.{i}": {1: "length"} for i in range(4)}`
static void check_comprehension(const AxesCheck *check, PyRef axes)
{
  const PyTree *tree = &check->export->model->tree;
  PyRef pair = py_first_child(tree, axes), clause = pair ? py_next_sibling(tree, pair) : 0;
  if (clause && py_kind(tree, clause) == PYK_FOR_IN_CLAUSE && !py_next_sibling(tree, clause))
    check_turns(check, clause, py_tree_key(tree, pair));
}

/// A dict that gets more keys after it is made.
static void check_filled(AxesCheck *check, PyRef name)
{
  const PyModel *model = check->export->model;
  const PyBinding *binding = py_kind(&model->tree, name) == PYK_IDENTIFIER ? py_model_binding_at(model, name) : NULL;
  PyRef made =
      py_binding_is_only(binding, PY_BIND_ASSIGN) && binding->value ? py_tree_strip(&model->tree, binding->value) : 0;
  bool is_dictionary = made && (py_kind(&model->tree, made) == PYK_DICTIONARY ||
                                py_kind(&model->tree, made) == PYK_DICTIONARY_COMPREHENSION);
  if (!is_dictionary || !keys_set_each(model, name, name, check_set_key, check))
    return;
  if (py_kind(&model->tree, made) == PYK_DICTIONARY)
    check_pairs(check, made);
  else
    check_comprehension(check, made);
}

void export_check_axes(const ExportCall *export, const ExportModel *made, const ExportNames *inputs,
                       const ExportNames *outputs)
{
  const PyTree *tree = &export->model->tree;
  PyRef axes = export_value(export, "dynamic_axes");
  PyRef shared = axes ? axes_of_all(export, axes) : 0;
  AxesCheck check = { export, made, inputs, outputs };
  const PyArgument *argument = export_argument(export, "dynamic_axes");
  if (shared)
    check_axes_shape(export, shared, &(AxesEntry){ .rank = -1 });
  check_later_axes(export);
  if (axes && py_kind(tree, axes) == PYK_DICTIONARY)
    check_pairs(&check, axes);
  else if (axes && py_kind(tree, axes) == PYK_DICTIONARY_COMPREHENSION)
    check_comprehension(&check, axes);
  if (argument && py_kind(tree, argument->value) == PYK_IDENTIFIER && (!axes || py_kind(tree, axes) == PYK_IDENTIFIER))
    check_filled(&check, argument->value);
}
