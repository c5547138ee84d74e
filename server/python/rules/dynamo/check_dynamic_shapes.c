// dynamic_shapes against the parameters of forward() and the example inputs. torch.export wants the same structure, and
// sizes that lie in the ranges; torch 2.14 says of most of these mistakes "IndexError: list index out of range".

#include "base/limits.h"
#include "base/nearest.h"
#include "python/rules/dynamo/dimension.h"
#include "python/rules/dynamo/shapes_of_rest.h"
#include "python/rules/export/axes_entries.h"

/// A dimension that has a name, as it was used first.
typedef struct SeenDim {
  Dimension dimension;
  int64_t size;  ///< Of the example; -1 if unknown.
  PyRef node;
} SeenDim;

typedef struct ShapesCheck {
  const ExportCall *export;
  const ExampleInputs *inputs;
  const ExportModel *made;
  SeenDim seen[PY_EXAMPLE_LIMIT];
  size_t seen_count;
  bool *has_said;
} ShapesCheck;

static void say(const ShapesCheck *check, RuleId rule, PyRef node, Str message, const Fix *fix)
{
  DiagSink *sink = check->export->sink;
  if (check->has_said)
    *check->has_said = true;
  py_say(sink, rule, OWN, node, message, fix);
}

static PyNodeKind kind_of(const ShapesCheck *check, PyRef node)
{
  return node ? py_kind(&check->export->model->tree, node) : PYK_OTHER;
}

static bool is_sequence(PyNodeKind kind)
{
  return kind == PYK_TUPLE || kind == PYK_LIST;
}

/// -1 if a `*x` is among them.
static int count_elements(const PyTree *tree, PyRef list)
{
  int count = 0;
  for (PyRef item = py_tree_first_element(tree, list); item; item = py_tree_next_element(tree, item), count++) {
    if (py_kind(tree, item) == PYK_LIST_SPLAT)
      return -1;
  }
  return count;
}

// --- One dimension ---

/// The same name means the same dimension everywhere.
static void check_same_name(ShapesCheck *check, PyRef node, const Dimension *dimension, int64_t size)
{
  Arena *arena = check->export->sink->arena;
  for (size_t i = 0; i < check->seen_count; i++) {
    const SeenDim *seen = &check->seen[i];
    if (!str_equal(seen->dimension.name, dimension->name))
      continue;
    if (seen->dimension.has_bounds && dimension->has_bounds &&
        (seen->dimension.min != dimension->min || seen->dimension.max != dimension->max))
      say(check, RULE_DYNAMIC_SHAPES_DIM, node,
          arena_printf(arena, "The dimension '%.*s' has another range here than before: %.*s.",
                       STR_ARG(dimension->name), STR_ARG(dimension_bounds_text(&seen->dimension, arena))),
          NULL);
    else if (seen->size >= 0 && size >= 0 && seen->size != size)
      say(check, RULE_DYNAMIC_SHAPES_DIM, node,
          arena_printf(arena,
                       "The dimension '%.*s' is %lld in this example input and %lld in another: one name is one size.",
                       STR_ARG(dimension->name), (long long)size, (long long)seen->size),
          NULL);
    return;
  }
  if (check->seen_count < PY_EXAMPLE_LIMIT)
    check->seen[check->seen_count++] = (SeenDim){ *dimension, size, node };
}

static bool only_before_2_9(const PyFile *file)
{
  return !export_torch_is_from(file, 2, 9) && (file->torches & (file->torches - 1)) == 0;
}

/// Up to torch 2.8 a size of 1 becomes a constant, whatever dynamic_shapes says. Without dynamo=True these export by
/// TorchScript, which has no such rule.
static void check_size_one(ShapesCheck *check, PyRef node, int64_t size)
{
  const PyFile *file = check->export->file;
  if (size != 1 || !check->export->says_dynamo || export_torch_is_from(file, 2, 9))
    return;
  Severity severity = only_before_2_9(file) ? SEVERITY_WARNING : SEVERITY_INFO;
  py_say(check->export->sink, RULE_DYNAMIC_SHAPES_DIM, severity, node,
         STR("The example has size 1 on this dynamic axis, which torch before 2.9 specializes to a constant: make the "
             "example with a size of 2 or more, a batch of 2 for instance."),
         NULL);
}

/// torch.export alone still takes a size of 1 for a constant, which is no dimension then. Checked with torch 2.14.
static void check_captured_one(ShapesCheck *check, PyRef node, int64_t size)
{
  if (size == 1)
    say(check, RULE_DYNAMIC_SHAPES_DIM, node,
        STR("The example has size 1 on this dynamic axis, which torch.export specializes to a constant and then refuses: "
            "make the example with a size of 2 or more."),
        NULL);
}

/// A Dim, or an expression of one such as `2 * half`; the rules about names and ranges are about the Dim itself.
static void check_named(ShapesCheck *check, PyRef node, const Dimension *dimension, int64_t size)
{
  Arena *arena = check->export->sink->arena;
  int64_t root = dimension_root_size(dimension, size);
  bool is_plain = dimension->scale == 1 && dimension->offset == 0;
  bool is_outside = dimension->has_bounds && root >= 0 && (root < dimension->min || root > dimension->max);
  if (size >= 0 && root < 0)
    say(check, RULE_DYNAMIC_SHAPES_DIM, node,
        arena_printf(arena, "The example has size %lld here, which this expression gives for no '%.*s'.",
                     (long long)size, STR_ARG(dimension->name)),
        NULL);
  else if (is_outside && dimension->min <= dimension->max && is_plain)
    say(check, RULE_DYNAMIC_SHAPES_DIM, node,
        arena_printf(arena, "The example has size %lld here, outside of the dimension's range: %.*s.", (long long)size,
                     STR_ARG(dimension_bounds_text(dimension, arena))),
        NULL);
  else if (is_outside && dimension->min <= dimension->max)
    say(check, RULE_DYNAMIC_SHAPES_DIM, node,
        arena_printf(arena, "The example has size %lld here, so '%.*s' is %lld, outside of its range: %.*s.",
                     (long long)size, STR_ARG(dimension->name), (long long)root,
                     STR_ARG(dimension_bounds_text(dimension, arena))),
        NULL);
  else if (dimension->name.len > 0)
    check_same_name(check, node, dimension, root);
  if (is_plain)
    check->export->is_capture ? check_captured_one(check, node, size) : check_size_one(check, node, size);
}

/// `size` is that of the example; -1 if unknown.
static void check_dimension(ShapesCheck *check, PyRef node, int64_t size)
{
  Arena *arena = check->export->sink->arena;
  Dimension dimension = dimension_read(check->export->model, node, arena);
  switch (dimension.kind) {
  case DIM_NAMED:
    check_named(check, node, &dimension, size);
    break;
  case DIM_INT:
    if (size >= 0 && dimension.min != size)
      say(check, RULE_DYNAMIC_SHAPES_DIM, node,
          arena_printf(arena, "This axis is fixed to %lld, but has size %lld in the example input.",
                       (long long)dimension.min, (long long)size),
          NULL);
    break;
  case DIM_STRING:
    if (check->export->is_capture) {
      say(check, RULE_DYNAMIC_SHAPES_DIM, node,
          arena_printf(arena,
                       "torch.export.export() takes no name alone, as torch.onnx.export() does: write Dim(\"%.*s\").",
                       STR_ARG(dimension.name)),
          NULL);
      break;
    }  // FALLTHROUGH
  case DIM_HINT:
    if (!check->export->is_capture)
      check_size_one(check, node, size);
    break;
  default:
    break;
  }
}

// --- The axes of one tensor ---

/// Dim.DYNAMIC and the like, and None, of which torch does not look whether the axis is there (2.6, 2.14).
static bool is_hint(const ShapesCheck *check, PyRef value)
{
  DimKind kind = dimension_read(check->export->model, value, check->export->sink->arena).kind;
  return kind == DIM_HINT || kind == DIM_NONE;
}

static void check_axis(ShapesCheck *check, PyRef key, PyRef value, const ExampleShape *shape)
{
  Arena *arena = check->export->sink->arena;
  const PyModel *model = check->export->model;
  int64_t axis;
  Str text;
  if (py_model_string(model, key, arena, &text)) {
    say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, key, STR("An axis is an int: under a string nothing becomes dynamic."),
        NULL);
    return;
  }
  if (!py_model_int(model, key, &axis) || shape->rank < 0) {
    check_dimension(check, value, -1);
  } else if (axis >= shape->rank || axis < -shape->rank) {
    if (!is_hint(check, value))
      say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, key,
          arena_printf(arena, "The example input has %d ax%s, so there is no axis %lld.", shape->rank,
                       shape->rank == 1 ? "is" : "es", (long long)axis),
          NULL);
  } else {
    check_dimension(check, value, shape->sizes[axis < 0 ? axis + shape->rank : axis]);
  }
}

static void check_axes_list(ShapesCheck *check, PyRef spec, const ExampleShape *shape)
{
  const PyTree *tree = &check->export->model->tree;
  int count = count_elements(tree, spec);
  int axis = 0;
  if (count < 0)
    return;
  if (shape->rank >= 0 && count != shape->rank) {
    say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, spec,
        arena_printf(check->export->sink->arena,
                     "The example input has %d ax%s and this lists %d: list all of them, or write a dict, {axis: "
                     "Dim(...)}.",
                     shape->rank, shape->rank == 1 ? "is" : "es", count),
        NULL);
    return;
  }
  for (PyRef item = py_tree_first_element(tree, spec); item && axis < PY_EXAMPLE_LIMIT;
       item = py_tree_next_element(tree, item), axis++)
    check_dimension(check, item, shape->rank >= 0 ? shape->sizes[axis] : -1);
}

static void check_tensor(ShapesCheck *check, PyRef node, PyRef spec, const ExampleInput *input)
{
  const PyTree *tree = &check->export->model->tree;
  ExampleShape shape = example_shape(check->export->model, input->node);
  PyNodeKind kind = kind_of(check, spec);
  if (kind == PYK_DICTIONARY) {
    for (PY_EACH_CHILD(tree, pair, spec)) {
      PyRef key = py_tree_key(tree, pair);
      PyRef value = key ? py_child(tree, pair, PY_F_VALUE) : 0;
      if (value)
        check_axis(check, key, value, &shape);
    }
  } else if (is_sequence(kind)) {
    check_axes_list(check, spec, &shape);
  } else {
    DimKind dim = dimension_read(check->export->model, spec, check->export->sink->arena).kind;
    if (kind == PYK_SET || dim == DIM_NAMED || dim == DIM_STRING || dim == DIM_INT || dim == DIM_HINT)
      say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, node,
          STR("A tensor has one dimension for each axis: write {axis: Dim(...)}, or a tuple of all."), NULL);
  }
}

// --- One input ---

/// A list of tuples has a list of tuples of shapes: `[(key, value) for _ in range(2)]`.
static void check_entries(ShapesCheck *check, PyRef spec, const ExampleInput *input)
{
  const PyModel *model = check->export->model;
  const PyTree *tree = &model->tree;
  bool is_made = py_kind(tree, input->value) == PYK_LIST_COMPREHENSION;
  PyRef part = is_made ? py_first_child(tree, input->value) : py_tree_first_element(tree, input->value);
  int seen = 0;
  for (PyRef entry = is_sequence(kind_of(check, spec)) ? py_tree_first_element(tree, spec) : 0;
       entry && part && seen < PY_EXAMPLE_LIMIT; entry = py_tree_next_element(tree, entry), seen++) {
    PyRef shapes = py_model_resolve(model, entry);
    PyNodeKind kind = py_kind(tree, py_model_resolve(model, py_tree_strip(tree, part)));
    PyNodeKind given = py_kind(tree, shapes);
    bool is_other = (given == PYK_DICTIONARY && py_first_child(tree, shapes)) || (is_sequence(given) && given != kind);
    if (is_sequence(kind) && is_other) {
      say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, entry,
          arena_printf(check->export->sink->arena,
                       "This entry of '%.*s' is a %s: its dynamic shapes have to be one, too, with an entry for each.",
                       STR_ARG(input->name), kind == PYK_LIST ? "list" : "tuple"),
          NULL);
      return;
    }
    part = is_made ? part : py_tree_next_element(tree, part);
  }
}

/// A list of tensors has a list of shapes.
static void check_nested(ShapesCheck *check, PyRef spec, const ExampleInput *input)
{
  const PyTree *tree = &check->export->model->tree;
  int wanted = is_sequence(kind_of(check, input->value)) ? count_elements(tree, input->value) : -1;
  PyNodeKind kind = kind_of(check, spec);
  int given = is_sequence(kind) ? count_elements(tree, spec) : -1;
  bool is_dictionary = kind == PYK_DICTIONARY && py_first_child(tree, spec);
  if (wanted >= 0 && (is_dictionary || (given >= 0 && given != wanted)))
    say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, spec,
        arena_printf(check->export->sink->arena,
                     "'%.*s' is a list or tuple of %d: its dynamic shapes have to be one, too, with an entry for each.",
                     STR_ARG(input->name), wanted),
        NULL);
  else
    check_entries(check, spec, input);
}

/// Whether a dict that is written out has that key; true if that can't be told.
static bool may_have_key(const PyModel *model, PyRef dictionary, Str wanted, Arena *arena)
{
  const PyTree *tree = &model->tree;
  for (PY_EACH_CHILD(tree, pair, dictionary)) {
    PyRef key = py_tree_key(tree, pair);
    Str text;
    if (!key || !py_model_string(model, key, arena, &text) || str_equal(text, wanted))
      return true;
  }
  return false;
}

/// The first key of one dict that the other lacks; 0 for none.
static PyRef lone_key(const PyModel *model, PyRef from, PyRef other, Arena *arena, Str *ret_name)
{
  const PyTree *tree = &model->tree;
  for (PY_EACH_CHILD(tree, pair, from)) {
    PyRef key = py_tree_key(tree, pair);
    if (key && py_model_string(model, key, arena, ret_name) && !may_have_key(model, other, *ret_name, arena))
      return key;
  }
  return 0;
}

/// A dict of tensors has a dict of shapes with the same keys.
static void check_dictionary(ShapesCheck *check, PyRef spec, const ExampleInput *input)
{
  const PyModel *model = check->export->model;
  Arena *arena = check->export->sink->arena;
  Str name;
  if (kind_of(check, spec) != PYK_DICTIONARY)
    return;
  PyRef extra = lone_key(model, spec, input->value, arena, &name);
  if (extra) {
    say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, extra,
        arena_printf(arena, "The dict that is given as '%.*s' has no key '%.*s'.", STR_ARG(input->name), STR_ARG(name)),
        NULL);
  } else if (lone_key(model, input->value, spec, arena, &name)) {
    Str entry = arena_printf(arena, "\"%.*s\": None", STR_ARG(name));
    say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, spec,
        arena_printf(arena, "The shapes of '%.*s' lack its key '%.*s': every tensor in it needs an entry.",
                     STR_ARG(input->name), STR_ARG(name)),
        py_edit_append(check->export->sink, false, arena_printf(arena, "Add %.*s", STR_ARG(entry)), spec, entry));
  }
}

/// Of what is no tensor only an int may be dynamic, by a hint. Run with torch 2.14.
static void check_constant(ShapesCheck *check, PyRef node, PyRef spec, const ExampleInput *input)
{
  PyNodeKind kind = kind_of(check, spec);
  bool is_int = kind_of(check, input->value) == PYK_INTEGER;
  DimKind dim = dimension_read(check->export->model, spec, check->export->sink->arena).kind;
  bool has_axes = kind == PYK_DICTIONARY || is_sequence(kind);
  bool is_named = dim == DIM_NAMED || dim == DIM_STRING || dim == DIM_INT;
  const char *what = is_int && !has_axes ? "is an int in the example inputs: only Dim.DYNAMIC, Dim.AUTO, Dim.STATIC or "
                                           "None may stand for it."
                                         : "is no tensor in the example inputs, and has no axes: write None.";
  if (has_axes || is_named || (dim == DIM_HINT && !is_int))
    say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, node,
        arena_printf(check->export->sink->arena, "'%.*s' %s", STR_ARG(input->name), what),
        py_edit_replace(check->export->sink, false, node, STR("None")));
}

static void check_input(ShapesCheck *check, PyRef node, const ExampleInput *input)
{
  PyRef spec = py_model_resolve(check->export->model, node);
  PyNodeKind example = kind_of(check, input->value);
  bool is_number = example == PYK_INTEGER || example == PYK_FLOAT || example == PYK_TRUE || example == PYK_FALSE;
  if (kind_of(check, spec) == PYK_NONE || !input->value)
    return;
  if (is_number || example == PYK_STRING || example == PYK_NONE)
    check_constant(check, node, spec, input);
  else if (is_sequence(example) || example == PYK_LIST_COMPREHENSION)
    check_nested(check, spec, input);
  else if (example == PYK_DICTIONARY)
    check_dictionary(check, spec, input);
  else if (export_is_tensor(check->export->model, input->node))
    check_tensor(check, node, spec, input);
}

// --- All of them ---

/// Whether the dict that holds `key` has that name among its keys.
static bool has_key(const ShapesCheck *check, PyRef key, const char *name)
{
  const PyTree *tree = &check->export->model->tree;
  PyRef dictionary = tree->nodes[tree->nodes[key].parent].parent;
  for (PY_EACH_CHILD(tree, pair, dictionary)) {
    PyRef other = py_tree_key(tree, pair);
    Str text;
    if (other && py_model_string(check->export->model, other, check->export->sink->arena, &text) &&
        str_equal(text, str_from(name)))
      return true;
  }
  return false;
}

static void say_unknown_key(ShapesCheck *check, PyRef key, Str name)
{
  Arena *arena = check->export->sink->arena;
  const char *names[PY_EXAMPLE_LIMIT];
  for (size_t i = 0; i < check->inputs->count; i++)
    names[i] = arena_copy(arena, check->inputs->items[i].name).data;
  const char *near = nearest_word(arena_copy(arena, name).data, names, check->inputs->count);
  if (!near && check->inputs->count == 1)
    near = names[0];
  Str takes = example_input_names(check->inputs, arena);
  say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, key,
      arena_printf(arena, "'%.*s' is no parameter of forward(), which takes %.*s%s", STR_ARG(name), STR_ARG(takes),
                   export_argument(check->export, "input_names") ? "; input_names don't count here." : "."),
      near && !has_key(check, key, near) ? py_edit_string(check->export->sink, false, key, str_from(near)) : NULL);
}

/// Marks in `named` which inputs have an entry. False if something can't be read.
static bool check_keys(ShapesCheck *check, PyRef shapes, bool *named)
{
  const PyTree *tree = &check->export->model->tree;
  bool is_known = true;
  for (PY_EACH_CHILD(tree, pair, shapes)) {
    PyRef key = py_tree_key(tree, pair);
    PyRef value = key ? py_child(tree, pair, PY_F_VALUE) : 0;
    Str name;
    int64_t axis;
    if (value && py_model_int(check->export->model, key, &axis)) {
      say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, key,
          STR("The keys are the parameters of forward(); the axes of each come below it: {\"x\": {0: Dim(...)}}."),
          NULL);
      return false;
    }
    if (!value || !py_model_string(check->export->model, key, check->export->sink->arena, &name)) {
      is_known = false;
      continue;
    }
    const ExampleInput *input = example_input_named(check->inputs, name);
    if (!input) {
      // The name of the parameter with `**` has the shapes of all that it takes.
      if (!check->inputs->takes_any_name)
        say_unknown_key(check, key, name);
      is_known = false;
    } else if (input && check->inputs->is_known && !input->value) {
      say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, key,
          arena_printf(check->export->sink->arena,
                       "'%.*s' is not among the example inputs, and only what is given has dynamic shapes.",
                       STR_ARG(name)),
          NULL);
    } else if (input && !input->is_rest) {
      named[input - check->inputs->items] = true;
      check_input(check, value, input);
    } else if (input) {
      for (size_t i = 0; i < check->inputs->count; i++)
        named[i] |= check->inputs->items[i].is_rest;
    }
  }
  return is_known;
}

static void check_by_name(ShapesCheck *check, PyRef shapes)
{
  bool named[PY_EXAMPLE_LIMIT] = { false };
  if (!check_keys(check, shapes, named) || !check->inputs->is_known)
    return;
  for (size_t i = 0; i < check->inputs->count; i++) {
    const ExampleInput *input = &check->inputs->items[i];
    if (named[i] || !input->value)
      continue;
    Arena *arena = check->export->sink->arena;
    Str entry = arena_printf(arena, "\"%.*s\": None", STR_ARG(input->name));
    say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, shapes,
        arena_printf(arena, "dynamic_shapes lacks '%.*s': every input needs an entry, None if its shape is fixed.",
                     STR_ARG(input->name)),
        py_edit_append(check->export->sink, false, arena_printf(arena, "Add %.*s", STR_ARG(entry)), shapes, entry));
    return;
  }
}

static void check_by_position(ShapesCheck *check, PyRef shapes)
{
  const PyTree *tree = &check->export->model->tree;
  const ExampleInput *given[PY_EXAMPLE_LIMIT];
  int count = 0;
  for (size_t i = 0; i < check->inputs->count; i++) {
    if (check->inputs->items[i].value)
      given[count++] = &check->inputs->items[i];
  }
  int entries = count_elements(tree, shapes);
  if (entries < 0)
    return;
  if (entries != count) {
    say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, shapes,
        arena_printf(check->export->sink->arena, "dynamic_shapes has %d entr%s, but there %s %d example input%s.",
                     entries, entries == 1 ? "y" : "ies", count == 1 ? "is" : "are", count, count == 1 ? "" : "s"),
        NULL);
    return;
  }
  int i = 0;
  for (PyRef item = py_tree_first_element(tree, shapes); item; item = py_tree_next_element(tree, item), i++)
    check_input(check, item, given[i]);
}

/// Where the example inputs can't be counted, at least the parameters can.
static void check_entry_count(ShapesCheck *check, PyRef shapes)
{
  const ExampleInputs *inputs = check->inputs;
  int entries = count_elements(&check->export->model->tree, shapes);
  if (entries < 0 || inputs->takes_any_name || inputs->positional_most == UINT32_MAX ||
      export_argument(check->export, "kwargs") ||
      (entries >= (int)inputs->positional_least && entries <= (int)inputs->positional_most))
    return;
  bool is_less = entries < (int)inputs->positional_least;
  say(check, RULE_DYNAMIC_SHAPES_STRUCTURE, shapes,
      arena_printf(check->export->sink->arena, "dynamic_shapes has %d entr%s, but forward() takes %s%u inputs.",
                   entries, entries == 1 ? "y" : "ies",
                   inputs->positional_least == inputs->positional_most ? ""
                   : is_less                                           ? "at least "
                                                                       : "at most ",
                   is_less ? inputs->positional_least : inputs->positional_most),
      NULL);
}

/// `*args` as a whole has one entry by position, too, and its elements stand in that.
static bool has_rest(const ExampleInputs *inputs)
{
  return inputs->count > 0 && inputs->items[inputs->count - 1].is_rest;
}

void example_inputs_check_sizes(const ExportCall *export, const ExportNames *names)
{
  const PyTree *tree = &export->model->tree;
  PyRef axes = export->kind == EXPORT_TRACES ? 0 : export_value(export, "dynamic_axes");
  if (!axes || py_kind(tree, axes) != PYK_DICTIONARY || !names->is_known)
    return;
  ShapesCheck check = { .export = export, .inputs = export->inputs };
  for (PY_EACH_CHILD(tree, pair, axes)) {
    PyRef key = py_tree_key(tree, pair);
    PyRef value = key ? py_model_resolve(export->model, py_child(tree, pair, PY_F_VALUE)) : 0;
    Str name;
    if (!value || !py_model_string(export->model, key, export->sink->arena, &name))
      continue;
    const ExampleInput *input = axes_entry_input(export, check.inputs, names, name);
    ExampleShape shape = input && input->value ? example_shape(export->model, input->node) : (ExampleShape){ 0 };
    bool is_dictionary = py_kind(tree, value) == PYK_DICTIONARY;
    for (PY_EACH_ELEMENT(tree, item, value)) {
      int64_t axis;
      PyRef node = is_dictionary ? py_child(tree, item, PY_F_KEY) : item;
      if (node && py_model_int(export->model, node, &axis) && axis >= 0 && axis < shape.rank)
        check_size_one(&check, node, shape.sizes[axis]);
    }
  }
}

bool example_inputs_check_shapes(const ExportCall *export, const ExportModel *made)
{
  bool has_said = false;
  const ExampleInputs *inputs = export->inputs;
  PyRef shapes = export_value(export, "dynamic_shapes");
  if (!shapes || export->kind == EXPORT_TRACES || export->is_exported_program || !inputs->has_parameters)
    return false;
  ShapesCheck *check = ARENA_NEW(export->sink->arena, ShapesCheck);
  check->export = export;
  check->inputs = inputs;
  check->made = made;
  check->has_said = &has_said;
  PyNodeKind kind = kind_of(check, shapes);
  if (kind == PYK_DICTIONARY && py_first_child(&export->model->tree, shapes))
    check_by_name(check, shapes);
  else if (is_sequence(kind) && inputs->is_known && !has_rest(inputs))
    check_by_position(check, shapes);
  else if (is_sequence(kind) && !inputs->is_known)
    check_entry_count(check, shapes);
  return shapes_of_rest_check(export, shapes) || has_said;
}
