#include "python/rules/export/axes_entries.h"

#include "base/limits.h"

/// The entries: those of dynamic_axes but for outputs, and after them the input_names that have none there.
typedef struct Entries {
  Str names[PY_EXPORT_NAME_LIMIT];
  PyRef values[PY_EXPORT_NAME_LIMIT];  ///< 0 for what input_names alone has.
  size_t count;
  bool is_known;
} Entries;

static bool has_entry(const Entries *entries, Str name)
{
  for (size_t i = 0; i < entries->count; i++) {
    if (str_equal(entries->names[i], name))
      return true;
  }
  return false;
}

static void add_entry(Entries *entries, Str name, PyRef value)
{
  entries->is_known &= entries->count < PY_EXPORT_NAME_LIMIT;
  if (!entries->is_known || has_entry(entries, name))
    return;
  entries->values[entries->count] = value;
  entries->names[entries->count++] = name;
}

/// Of longer ones nothing is known, which is told at once: it is asked for each key.
static bool is_short(const PyTree *tree, PyRef dictionary)
{
  size_t count = 0;
  for (PyRef pair = py_first_child(tree, dictionary); pair && count <= PY_EXPORT_NAME_LIMIT; count++)
    pair = py_next_sibling(tree, pair);
  return count <= PY_EXPORT_NAME_LIMIT;
}

static Entries *find_entries(const ExportCall *export, const ExportNames *names)
{
  const PyTree *tree = &export->model->tree;
  Arena *arena = export->sink->arena;
  Entries *entries = ARENA_NEW(arena, Entries);
  ExportNames *outputs = ARENA_NEW(arena, ExportNames);
  PyRef axes = export->kind == EXPORT_DYNAMO && names->is_known ? export_value(export, "dynamic_axes") : 0;
  if (!axes || py_kind(tree, axes) != PYK_DICTIONARY || !is_short(tree, axes))
    return entries;
  export_read_names(export, "output_names", outputs);
  entries->is_known = outputs->is_known && export_torch_is_from(export->file, 2, 9);
  for (PyRef pair = entries->is_known ? py_first_child(tree, axes) : 0; pair; pair = py_next_sibling(tree, pair)) {
    PyRef key = py_tree_key(tree, pair);
    Str name;
    entries->is_known &= key && py_model_string(export->model, key, arena, &name);
    if (!entries->is_known)
      break;
    if (!export_has_name(outputs, outputs->count, name))
      add_entry(entries, name, py_child(tree, pair, PY_F_VALUE));
  }
  for (size_t i = 0; i < names->count && entries->is_known; i++)
    add_entry(entries, names->items[i], 0);
  return entries;
}

/// The inputs that get entries, in the order of the parameters: of `*args` the first one alone. Returns how many; -1 if
/// one of them may be more than a tensor.
static int find_given(const ExportCall *export, const ExampleInputs *inputs, const ExampleInput **given)
{
  int count = 0;
  for (size_t i = 0; i < inputs->count; i++) {
    const ExampleInput *input = &inputs->items[i];
    bool is_more_of_rest = input->is_rest && i > 0 && inputs->items[i - 1].is_rest;
    if (!input->value || is_more_of_rest)
      continue;
    if (!export_is_tensor(export->model, input->value))
      return -1;
    given[count++] = input;
  }
  return inputs->is_known && !inputs->takes_any_name ? count : -1;
}

const ExampleInput *axes_entry_input(const ExportCall *export, const ExampleInputs *inputs, const ExportNames *names,
                                     Str key)
{
  const ExampleInput *given[PY_EXAMPLE_LIMIT];
  const Entries *entries = find_entries(export, names);
  if (!entries->is_known)
    return example_input_of_axes(inputs, names, key);
  int count = find_given(export, inputs, given);
  for (int i = 0; i < count && (size_t)i < entries->count; i++) {
    if (str_equal(entries->names[i], key))
      return given[i];
  }
  return count < 0 ? example_input_of_axes(inputs, names, key) : NULL;
}

bool axes_entries_fit(const ExportCall *export, const ExportNames *names)
{
  const ExampleInput *given[PY_EXAMPLE_LIMIT];
  const Entries *entries = find_entries(export, names);
  return entries->is_known && find_given(export, export->inputs, given) == (int)entries->count;
}

static void say(const ExportCall *export, Severity severity, Str message)
{
  if (sink_wants(export->sink, RULE_EXPORT_SHAPES_ARGUMENT, severity))
    py_say(export->sink, RULE_EXPORT_SHAPES_ARGUMENT, severity, export_argument(export, "dynamic_axes")->node, message,
           NULL);
}

/// Whether both say the same, so that it is all one which of them an input gets.
static bool is_same_entry(const PyTree *tree, PyRef a, PyRef b)
{
  return (a == 0 && b == 0) || (a && b && str_equal(py_text(tree, a), py_text(tree, b)));
}

/// What the entry that is named as the input says; 0 if none is.
static PyRef entry_meant(const ExportCall *export, const ExportNames *names, const Entries *entries,
                         const ExampleInput *input)
{
  for (size_t i = 0; i < entries->count; i++) {
    if (example_input_of_axes(export->inputs, names, entries->names[i]) == input)
      return entries->values[i];
  }
  return 0;
}

/// An entry that is named as one input, and goes to another one.
static void check_order(const ExportCall *export, const ExportNames *names, const Entries *entries,
                        const ExampleInput *const *given)
{
  for (size_t i = 0; i < entries->count; i++) {
    const ExampleInput *meant = example_input_of_axes(export->inputs, names, entries->names[i]);
    if (!meant || meant == given[i])
      continue;
    if (is_same_entry(&export->model->tree, entries->values[i], entry_meant(export, names, entries, given[i])))
      continue;
    say(export, SEVERITY_WARNING,
        arena_printf(
            export->sink->arena,
            "The dynamo exporter goes by the order of the entries and not by their names, so that of '%.*s' goes "
            "to '%.*s': put them into the order of the inputs, or write dynamic_shapes.",
            STR_ARG(entries->names[i]), STR_ARG(given[i]->name)));
    return;
  }
}

/// What is said of any such argument.
static void say_translated(const ExportCall *export)
{
  const char *when = export->says_dynamo ? "With dynamo=True" : "Since torch 2.9 dynamo=True is the default, where";
  say(export, export->says_dynamo ? SEVERITY_WARNING : SEVERITY_INFO,
      arena_printf(export->sink->arena,
                   "%s dynamic_axes is only translated into dynamic_shapes, with a warning, and the translation "
                   "may fail: write dynamic_shapes, or dynamo=False.",
                   when));
}

void export_check_axes_entries(const ExportCall *export, const ExportNames *names)
{
  PyRef axes = export_value(export, "dynamic_axes");
  PyNodeKind kind = axes ? py_kind(&export->model->tree, axes) : PYK_OTHER;
  bool is_written = kind == PYK_DICTIONARY || kind == PYK_LIST || kind == PYK_TUPLE;
  bool is_filled = is_written && py_first_child(&export->model->tree, axes) != 0;
  if (export->kind != EXPORT_DYNAMO || !is_filled || export_argument(export, "dynamic_shapes"))
    return;
  // Where `dynamo` does not exist, that is the mistake.
  ExportAcceptance acceptance = export_acceptance(export->file, export_api_argument(export->file->db, STR("dynamo")));
  if (!acceptance.is_taken || (!export->says_dynamo && py_file_asks_version(export->file, export->call->node)))
    return;
  const ExampleInput *given[PY_EXAMPLE_LIMIT];
  const Entries *entries = find_entries(export, names);
  int count = entries->is_known ? find_given(export, export->inputs, given) : -1;
  if (count < 0 || count == (int)entries->count) {
    say_translated(export);
    if (count > 0)
      check_order(export, names, entries, given);
    return;
  }
  say(export, SEVERITY_ERROR,
      arena_printf(export->sink->arena,
                   "The dynamo exporter fails on this: each input takes one entry of dynamic_axes and input_names, and "
                   "there %s %d for %d input%s. Name all inputs in input_names, or write dynamic_shapes.",
                   entries->count == 1 ? "is" : "are", (int)entries->count, count, count == 1 ? "" : "s"));
}
