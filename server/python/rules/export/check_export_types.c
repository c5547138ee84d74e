// Arguments of torch.onnx.export() that have a value of a kind that it can't take, are missing, or are in each
// other's place. What is said happens in torch 1.13, 2.6 and 2.14.

#include "base/ascii.h"
#include "base/limits.h"
#include "python/model/keys_set.h"
#include "python/rules/export/example_inputs.h"
#include "python/rules/symbolic/value_check.h"

static bool is_wanted(const ExportCall *export)
{
  return sink_wants(export->sink, RULE_EXPORT_ARGUMENT_TYPE, OWN);
}

static void say(const ExportCall *export, PyRef node, Str message, const Fix *fix)
{
  py_say(export->sink, RULE_EXPORT_ARGUMENT_TYPE, OWN, node, message, fix);
}

static PyNodeKind kind_of(const ExportCall *export, PyRef node)
{
  return node ? py_kind(&export->model->tree, node) : PYK_OTHER;
}

static bool is_string(PyNodeKind kind)
{
  return kind == PYK_STRING || kind == PYK_CONCATENATED_STRING;
}

/// Whether the argument is surely of one of these kinds of values, though it is not written out.
static bool has_value(const ExportCall *export, const char *name, uint32_t kinds)
{
  const PyArgument *argument = export_argument(export, name);
  return argument && py_file_is_only(py_file_value(export->file, argument->value), kinds);
}

/// A kind that is surely no list, dict, object of a class...
static bool is_scalar(PyNodeKind kind)
{
  return kind == PYK_INTEGER || kind == PYK_FLOAT || kind == PYK_TRUE || kind == PYK_FALSE;
}

// --- Names ---

/// A name that is one letter long is taken letter by letter, too, and is right.
static bool is_one_letter(const ExportCall *export, PyRef value)
{
  Str text;
  return py_model_string(export->model, value, export->sink->arena, &text) && text.len == 1;
}

static const Fix *fix_to_list(const ExportCall *export, PyRef value)
{
  Str text = py_text(&export->model->tree, value);
  return py_edit_replace(export->sink, true, value, arena_printf(export->sink->arena, "[%.*s]", STR_ARG(text)));
}

static void check_name_element(const ExportCall *export, PyRef list, const char *name)
{
  const PyTree *tree = &export->model->tree;
  int seen = 0;
  for (PyRef item = py_tree_first_element(tree, list); item && seen < PY_EXPORT_NAME_LIMIT;
       item = py_tree_next_element(tree, item), seen++) {
    PyNodeKind kind = kind_of(export, py_model_resolve(export->model, item));
    if (!is_scalar(kind) && kind != PYK_NONE && kind != PYK_LIST && kind != PYK_TUPLE)
      continue;
    if (is_wanted(export))
      say(export, item,
          arena_printf(export->sink->arena, "%s has to hold strings, and this is %.*s.", name,
                       STR_ARG(str_slice(py_text(tree, item), 0, 40))),
          NULL);
    return;
  }
}

static void check_names(const ExportCall *export, const char *name)
{
  PyRef value = export_value(export, name);
  PyNodeKind kind = kind_of(export, value);
  if (kind == PYK_LIST || kind == PYK_TUPLE) {
    check_name_element(export, value, name);
    return;
  }
  // The TorchScript exporter refuses a string of inputs of any length.
  bool takes_letter = name[0] == 'o' || export->kind == EXPORT_DYNAMO;
  // Of outputs the TorchScript exporter takes the keys.
  bool is_dictionary = kind == PYK_DICTIONARY && !(name[0] == 'o' && export->kind == EXPORT_TRACES);
  bool is_wrong =
      is_scalar(kind) || is_dictionary || (is_string(kind) && !(takes_letter && is_one_letter(export, value)));
  bool is_text = is_string(kind) || (!takes_letter && has_value(export, name, PY_STRING));
  is_wrong |= is_text && !is_string(kind);
  if (!is_wrong || !is_wanted(export))
    return;
  Str message = is_text ? arena_printf(export->sink->arena,
                                       "%s has to be a list of names: of a string each letter would be one.", name)
                        : arena_printf(export->sink->arena, "%s has to be a list of names.", name);
  say(export, export_argument(export, name)->value, message, is_string(kind) ? fix_to_list(export, value) : NULL);
}

/// Something where a dict is wanted; whether an empty list is refused, too, is another question.
static bool is_no_dict(const ExportCall *export, const char *name, bool takes_empty)
{
  PyRef value = export_value(export, name);
  PyNodeKind kind = kind_of(export, value);
  if (kind == PYK_LIST || kind == PYK_TUPLE)
    return !takes_empty || py_first_child(&export->model->tree, value) != 0;
  bool is_made = kind == PYK_LIST_COMPREHENSION || kind == PYK_SET_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION;
  return kind == PYK_SET || is_made || is_string(kind) || is_scalar(kind) ||
         has_value(export, name, PY_STRING | PY_INT | PY_FLOAT | PY_BOOL | PY_TENSOR | PY_ARRAY);
}

static void check_axes(const ExportCall *export)
{
  DiagSink *sink = export->sink;
  if (!is_no_dict(export, "dynamic_axes", true) || !sink_wants(sink, RULE_DYNAMIC_AXES_TYPE, OWN))
    return;
  py_say(sink, RULE_DYNAMIC_AXES_TYPE, OWN, export_argument(export, "dynamic_axes")->value,
         STR("dynamic_axes has to be a dict that has the axes by name, such as {\"x\": {0: \"batch\"}}."), NULL);
}

/// The dynamo exporter asks it for its length, or for its keys. Run with torch 2.14.
static void check_shapes(const ExportCall *export)
{
  PyRef value = export->kind == EXPORT_DYNAMO ? export_value(export, "dynamic_shapes") : 0;
  PyNodeKind kind = kind_of(export, value);
  bool is_wrong = is_scalar(kind) || is_string(kind) || kind == PYK_SET ||
                  has_value(export, "dynamic_shapes", PY_STRING | PY_BOOL | PY_INT | PY_FLOAT | PY_TENSOR | PY_ARRAY);
  if (!value || !is_wrong || !is_wanted(export))
    return;
  say(export, export_argument(export, "dynamic_shapes")->value,
      STR("dynamic_shapes has to be a dict or tuple that goes by the inputs, such as {\"x\": {0: \"batch\"}}."), NULL);
}

// --- Enumerations of torch ---

static Str training_mode(PyNodeKind kind)
{
  return kind == PYK_TRUE    ? STR("torch.onnx.TrainingMode.TRAINING")
         : kind == PYK_FALSE ? STR("torch.onnx.TrainingMode.EVAL")
                             : (Str){ 0 };
}

/// `operator_export_type=OperatorExportTypes`: the class, where one of its members is wanted.
static bool check_member(const ExportCall *export, const char *name, const char *type, const char *standard)
{
  Arena *arena = export->sink->arena;
  const PyArgument *argument = export_argument(export, name);
  Str whole = argument ? py_model_qualified(export->model, argument->value, arena) : (Str){ 0 };
  if (!str_equal(whole, arena_printf(arena, "torch.onnx.%s", type)))
    return false;
  if (is_wanted(export))
    say(export, argument->value,
        arena_printf(arena, "%s has to be a member of this class, such as %s.", name, standard),
        py_edit_replace(
            export->sink, false, argument->value,
            arena_printf(arena, "%.*s.%s", STR_ARG(py_text(&export->model->tree, argument->value)), standard)));
  return true;
}

static void check_training(const ExportCall *export)
{
  if (export->kind == EXPORT_DYNAMO || check_member(export, "training", "TrainingMode", "EVAL"))
    return;
  PyRef value = export_value(export, "training");
  PyNodeKind kind = kind_of(export, value);
  bool is_wrong = is_string(kind) || is_scalar(kind) || has_value(export, "training", PY_STRING | PY_BOOL);
  if (!is_wrong || export->file->torch_is_before || !is_wanted(export))
    return;
  Str right = training_mode(kind);
  Str message = arena_printf(export->sink->arena, "training has to be a torch.onnx.TrainingMode, not %.*s.",
                             STR_ARG(str_slice(py_text(&export->model->tree, value), 0, 40)));
  say(export, export_argument(export, "training")->value, message,
      right.len > 0 ? py_edit_replace(export->sink, true, value, right) : NULL);
}

static void check_export_type(const ExportCall *export)
{
  if (export->kind == EXPORT_DYNAMO || check_member(export, "operator_export_type", "OperatorExportTypes", "ONNX"))
    return;
  PyRef value = export_value(export, "operator_export_type");
  Str name;
  if (!is_string(kind_of(export, value)) || !is_wanted(export))
    return;
  bool is_known =
      py_model_string(export->model, value, export->sink->arena, &name) && str_starts_with(name, STR("ONNX"));
  Str right =
      is_known ? arena_printf(export->sink->arena, "torch.onnx.OperatorExportTypes.%.*s", STR_ARG(name)) : (Str){ 0 };
  say(export, export_argument(export, "operator_export_type")->value,
      STR("operator_export_type has to be a torch.onnx.OperatorExportTypes, not a string."),
      is_known ? py_edit_replace(export->sink, true, value, right) : NULL);
}

// --- custom_opsets ---

static void check_custom_opset(const ExportCall *export, PyRef value)
{
  const PyTree *tree = &export->model->tree;
  PyRef known = py_model_resolve(export->model, value);
  PyNodeKind kind = kind_of(export, known);
  if ((!is_string(kind) && kind != PYK_FLOAT && kind != PYK_NONE) || !is_wanted(export))
    return;
  Str meant = export_int_meant(export, known);
  say(export, value,
      arena_printf(export->sink->arena, "The version of a domain has to be an int, not %.*s.",
                   STR_ARG(py_text(tree, known))),
      meant.len > 0 ? py_edit_replace(export->sink, true, known, meant) : NULL);
}

static void check_custom_opsets(const ExportCall *export)
{
  const PyTree *tree = &export->model->tree;
  PyRef value = export->kind == EXPORT_DYNAMO ? 0 : export_value(export, "custom_opsets");
  PyNodeKind kind = kind_of(export, value);
  if (kind == PYK_DICTIONARY) {
    int seen = 0;
    for (PyRef pair = py_first_child(tree, value); pair && seen < PY_DOMAIN_LIMIT;
         pair = py_next_sibling(tree, pair), seen++) {
      PyRef version = py_kind(tree, pair) == PYK_PAIR ? py_child(tree, pair, PY_F_VALUE) : 0;
      PyRef domain = version ? py_child(tree, pair, PY_F_KEY) : 0;
      if (version)
        check_custom_opset(export, version);
      if (domain && (is_scalar(kind_of(export, domain)) || kind_of(export, domain) == PYK_NONE) && is_wanted(export))
        say(export, domain, STR("A domain has to be a string."), NULL);
    }
  } else if (value && is_no_dict(export, "custom_opsets", false) && is_wanted(export)) {
    say(export, export_argument(export, "custom_opsets")->value,
        STR("custom_opsets has to be a dict that has the version by domain, such as {\"my.domain\": 1}."), NULL);
  }
}

/// `report="False"`: every string is true. Of one argument the TorchScript exporter asks for the type.
static void check_flags(const ExportCall *export)
{
  const PyModel *model = export->model;
  const SymbolicsDb *db = export->file->db;
  TorchRelease release = export_api_torch_release(db, export->file->torch);
  for (PY_EACH_ARGUMENT(model, argument, export->call)) {
    const PyExportArgument *fact = argument->keyword.len > 0 ? export_api_argument(db, argument->keyword) : NULL;
    Str standard = fact ? export_api_default(db, fact, release) : (Str){ 0 };
    bool is_flag = str_equal(standard, STR("True")) || str_equal(standard, STR("False"));
    bool is_refused = export->kind != EXPORT_DYNAMO && str_equal(argument->keyword, STR("keep_initializers_as_inputs"));
    PyRef value = is_flag || is_refused ? export_resolve(model, argument->value) : 0;
    Severity severity = is_refused ? OWN : SEVERITY_WARNING;
    Str text;
    bool says_no = py_model_string(model, value, export->sink->arena, &text) &&
                   (str_equal_ignore_case(text, STR("False")) || str_equal(text, STR("0")));
    if (!is_string(kind_of(export, value)) || (!says_no && !is_refused) ||
        !sink_wants(export->sink, RULE_EXPORT_ARGUMENT_TYPE, severity))
      continue;
    py_say(export->sink, RULE_EXPORT_ARGUMENT_TYPE, severity, argument->value,
           arena_printf(export->sink->arena, "%.*s has to be a bool%s.", STR_ARG(argument->keyword),
                        is_refused ? ", not a string" : ", and this is true as every string is"),
           NULL);
  }
}

/// The dynamo exporter makes a path of it, whether it writes there or not. Run with torch 2.14.
static void check_artifacts(const ExportCall *export)
{
  PyRef value = export->kind == EXPORT_DYNAMO ? export_value(export, "artifacts_dir") : 0;
  PyNodeKind kind = kind_of(export, value);
  bool is_wrong =
      value && (is_scalar(kind) || kind == PYK_NONE || kind == PYK_LIST || kind == PYK_TUPLE || kind == PYK_DICTIONARY);
  if (is_wrong && is_wanted(export))
    say(export, export_argument(export, "artifacts_dir")->value, STR("artifacts_dir has to be the path of a folder."),
        NULL);
}

// --- The model, its inputs, the file ---

static const Fix *fix_swap(const ExportCall *export, const PyArgument *a, const PyArgument *b)
{
  DiagSink *sink = export->sink;
  TextEdit *edits = ARENA_ARRAY(sink->arena, TextEdit, 2);
  edits[0] = (TextEdit){ py_range(sink, a->value), py_text(&export->model->tree, b->value) };
  edits[1] = (TextEdit){ py_range(sink, b->value), py_text(&export->model->tree, a->value) };
  if (edits[0].range.start > edits[1].range.start) {
    TextEdit first = edits[1];
    edits[1] = edits[0];
    edits[0] = first;
  }
  Fix *fix = ARENA_NEW(sink->arena, Fix);
  *fix = (Fix){ .title = STR("Swap the arguments"), .edits = edits, .edit_count = 2, .is_safe = true };
  return fix;
}

/// Is it surely no path: a tensor, or a tuple or list of something?
static bool is_example(const ExportCall *export, PyRef value)
{
  PyNodeKind kind = kind_of(export, value);
  return value &&
         (kind == PYK_TUPLE || kind == PYK_LIST || kind == PYK_DICTIONARY || export_is_tensor(export->model, value));
}

bool export_is_shape(const ExportCall *export, PyRef value)
{
  const PyTree *tree = &export->model->tree;
  PyNodeKind kind = kind_of(export, value);
  int count = 0;
  if (kind != PYK_TUPLE && kind != PYK_LIST)
    return false;
  for (PyRef item = py_tree_first_element(tree, value); item && count < PY_ELEMENT_LIMIT;
       item = py_tree_next_element(tree, item), count++) {
    if (py_kind(tree, item) != PYK_INTEGER)
      return false;
  }
  return count >= 3;
}

/// Among the example inputs, or in kwargs. Whether something was found.
static bool check_arrays(const ExportCall *export)
{
  bool is_found = false;
  for (size_t i = 0; i < export->inputs->count; i++) {
    PyRef node = export->inputs->items[i].node;
    bool is_array = node && py_file_is_only(py_file_value(export->file, node), PY_ARRAY);
    is_found |= is_array;
    if (is_array && is_wanted(export))
      say(export, node, STR("The exporter takes no numpy array among the example inputs: write torch.from_numpy()."),
          py_edit_replace(export->sink, false, node,
                          arena_printf(export->sink->arena, "torch.from_numpy(%.*s)",
                                       STR_ARG(py_text(&export->model->tree, node)))));
  }
  return is_found;
}

/// `tuple(inputs)` and `list(inputs)` of a dict that is written out: its keys.
static void check_keys(const ExportCall *export, const PyArgument *args, PyRef value)
{
  static const char *const makers[] = { "tuple", "list" };
  const PyModel *model = export->model;
  const PyCall *call = py_model_call(model, value);
  const PyArgument *first =
      call && str_is_one_of(call->qualified, makers, COUNT(makers)) ? py_model_argument(model, call, 0, NULL) : NULL;
  PyRef of = first ? export_resolve(model, first->value) : 0;
  if (!of || kind_of(export, of) != PYK_DICTIONARY || !is_wanted(export))
    return;
  Str name = py_text(&model->tree, first->value);
  say(export, args->value,
      arena_printf(export->sink->arena,
                   "%.*s() of a dict has its keys, which are no inputs: write tuple(%.*s.values()).",
                   STR_ARG(call->qualified), STR_ARG(name)),
      py_edit_replace(export->sink, false, value,
                      arena_printf(export->sink->arena, "tuple(%.*s.values())", STR_ARG(name))));
}

/// `inputs.values()` of a dict that is written out.
static bool is_view_of_dict(const ExportCall *export, PyRef value)
{
  static const char *const methods[] = { "values", "items", "keys" };
  const PyTree *tree = &export->model->tree;
  const PyCall *call = py_model_call(export->model, value);
  PyRef object = call && call->argument_count == 0 ? py_tree_object(tree, call->function_node) : 0;
  return object && str_is_one_of(py_tree_member_name(tree, call->function_node), methods, COUNT(methods)) &&
         py_kind(tree, export_resolve(export->model, object)) == PYK_DICTIONARY;
}

/// `sample.shape`, `sample.size()`: of what is surely a tensor.
static bool is_size_of_tensor(const ExportCall *export, PyRef value)
{
  const PyTree *tree = &export->model->tree;
  PyRef member = py_kind(tree, value) == PYK_CALL ? py_child(tree, value, PY_F_FUNCTION) : value;
  PyValue known = py_file_value(export->file, value);
  Str name = py_tree_member_name(tree, member);
  return (str_equal(name, STR("shape")) || str_equal(name, STR("size"))) && py_file_is_only(known, PY_LIST) &&
         known.elements == PY_INT;
}

/// A string, a dict or a shape in the place of the example inputs.
static void check_example(const ExportCall *export, const PyArgument *args, PyRef value)
{
  const PyTree *tree = &export->model->tree;
  const PyArgument *file = export_argument(export, "f");
  if (is_string(kind_of(export, value)) && file && is_wanted(export)) {
    bool is_swapped = is_example(export, export_value(export, "f"));
    say(export, args->value,
        is_swapped ? STR("The example inputs come before the file: this string is taken as the input.")
                   : STR("args are the example inputs of the model, and this is a string."),
        is_swapped ? fix_swap(export, args, file) : NULL);
  } else if (kind_of(export, value) == PYK_DICTIONARY && export->kind == EXPORT_DYNAMO && is_wanted(export)) {
    // The TorchScript exporter takes it: it puts what is no tuple into one, and a dict at the end is by name.
    say(export, args->value, STR("args has to be a tuple: what the model takes by name goes to kwargs."), NULL);
  } else if (kind_of(export, value) == PYK_LAMBDA && is_wanted(export)) {
    say(export, args->value, STR("args are the example inputs of the model, and this is a function: call it."), NULL);
  } else if (is_view_of_dict(export, value) && is_wanted(export)) {
    say(export, args->value, STR("args has to be a tuple, and this is what a method of a dict gives: write tuple()."),
        py_edit_replace(export->sink, false, args->value,
                        arena_printf(export->sink->arena, "tuple(%.*s)", STR_ARG(py_text(tree, args->value)))));
  } else if (is_size_of_tensor(export, value) && is_wanted(export)) {
    PyRef callee = py_tree_callee(tree, value);
    Str tensor = py_text(tree, py_tree_object(tree, callee ? callee : value));
    say(export, args->value, STR("args are the example inputs themselves, and this is the shape of one."),
        py_edit_replace(export->sink, false, args->value,
                        arena_printf(export->sink->arena, "(%.*s,)", STR_ARG(tensor))));
  } else if (export_is_shape(export, value) && is_wanted(export)) {
    Str text = py_text(tree, value);
    Str inner = str_trim(str_slice(text, 1, text.len - 1));
    say(export, args->value,
        STR("args are the example inputs themselves, and these are ints: make a tensor of that shape, such as "
            "torch.randn(...)."),
        py_edit_replace(export->sink, false, args->value,
                        arena_printf(export->sink->arena, "(torch.randn(%.*s),)", STR_ARG(inner))));
  }
}

/// `input`, where no variable is called so.
static void check_builtins(const ExportCall *export, PyRef value)
{
  bool is_list = py_kind(&export->model->tree, value) == PYK_TUPLE;
  PyRef item = is_list ? py_tree_first_element(&export->model->tree, value) : value;
  for (; item; item = is_list ? py_tree_next_element(&export->model->tree, item) : 0) {
    if (value_is_builtin(export->model, item) && is_wanted(export))
      say(export, item,
          arena_printf(export->sink->arena,
                       "args are the example inputs, and this is Python's own '%.*s': nothing here is called so.",
                       STR_ARG(py_text(&export->model->tree, item))),
          NULL);
  }
}

static void check_inputs(const ExportCall *export)
{
  const PyArgument *args = export_argument(export, "args");
  PyRef value = export_value(export, "args");
  bool is_array = has_value(export, "args", PY_ARRAY);
  if (!is_array && !check_arrays(export) && args)
    is_array = example_array_type(export->model, args->value, export->sink->arena).len > 0;
  if (!value)
    return;
  check_keys(export, args, value);
  check_builtins(export, value);
  if (is_array && is_wanted(export))
    say(export, args->value, STR("args are the example inputs, and a numpy array is none: write torch.from_numpy()."),
        py_edit_replace(export->sink, false, args->value,
                        arena_printf(export->sink->arena, "torch.from_numpy(%.*s)",
                                     STR_ARG(py_text(&export->model->tree, args->value)))));
  check_example(export, args, value);
}

/// The call that opened what a name stands for, in an assignment or a `with`; NULL.
static const PyCall *opening_call(const PyModel *model, PyRef value)
{
  const PyTree *tree = &model->tree;
  PyRef at = value;
  const PyBinding *binding = py_model_binding_at(model, value);
  if (binding && binding->next == PY_ABSENT) {
    PyRef pattern = tree->nodes[binding->node].parent;
    if (py_kind(tree, pattern) != PYK_AS_PATTERN)
      pattern = tree->nodes[pattern].parent;
    if (py_kind(tree, pattern) == PYK_AS_PATTERN)
      at = py_first_child(tree, pattern);
  }
  return py_model_call(model, py_tree_strip(tree, at));
}

/// Whatever the exporter writes is bytes, and the dynamo exporter takes no file that is open.
static void check_opened(const ExportCall *export)
{
  const PyModel *model = export->model;
  PyRef value = export_value(export, "f");
  const PyCall *call = value ? opening_call(model, value) : NULL;
  Str name = call ? call->qualified : (Str){ 0 };
  if (!str_equal(name, STR("open")) && !str_equal(name, STR("io.open")))
    return;
  const PyArgument *mode = py_model_argument(model, call, 1, "mode");
  Str text = { 0 };
  bool is_text = !mode || (py_model_string(model, mode->value, export->sink->arena, &text) &&
                           str_find_char(text, 'b', 0) == STR_NOT_FOUND);
  bool is_refused = export->kind == EXPORT_DYNAMO && export_torch_is_from(export->file, 2, 9);
  if ((is_text || is_refused) && is_wanted(export))
    say(export, export_argument(export, "f")->value,
        is_refused ? STR("The dynamo exporter takes the path of the file, and none that is open.")
                   : STR("The file is open for text, and a model is bytes: give its path, or open it with \"wb\"."),
        NULL);
}

/// The dynamo exporter binds them by name. Run with torch 2.14.
static void check_kwargs(const ExportCall *export)
{
  PyRef value = export->kind == EXPORT_DYNAMO ? export_value(export, "kwargs") : 0;
  PyNodeKind kind = kind_of(export, value);
  bool is_filled = (kind == PYK_LIST || kind == PYK_TUPLE) && py_first_child(&export->model->tree, value);
  bool is_wrong = is_filled || kind == PYK_SET || is_string(kind) || is_scalar(kind);
  if ((is_wrong || (value && export_is_tensor(export->model, value))) && is_wanted(export))
    say(export, export_argument(export, "kwargs")->value,
        STR("kwargs has to be a dict that has the inputs by name, such as {\"mask\": mask}."), NULL);
}

/// "weights/", tempfile.mkdtemp(): a folder.
static void check_folder(const ExportCall *export)
{
  static const char *const makers[] = { "os.getcwd", "pathlib.Path.cwd", "tempfile.gettempdir", "tempfile.mkdtemp" };
  PyRef value = export_value(export, "f");
  const PyCall *call = py_model_call(export->model, value);
  Str path;
  if (call && str_is_one_of(call->qualified, makers, COUNT(makers)) && is_wanted(export))
    say(export, export_argument(export, "f")->value,
        STR("f is the file that is written, and this is a folder: os.path.join(folder, \"model.onnx\")."), NULL);
  if (value && is_string(kind_of(export, value)) && py_model_string(export->model, value, export->sink->arena, &path) &&
      str_ends_with(path, STR("/")) && is_wanted(export))
    say(export, export_argument(export, "f")->value,
        arena_printf(export->sink->arena, "f is the file that is written, and '%.*s' is a folder.", STR_ARG(path)),
        NULL);
}

/// `buffer = io.BytesIO`
static void check_buffer(const ExportCall *export)
{
  PyRef value = export->kind == EXPORT_TRACES ? export_value(export, "f") : 0;
  if (value && str_equal(py_model_qualified(export->model, value, export->sink->arena), STR("io.BytesIO")) &&
      is_wanted(export))
    say(export, export_argument(export, "f")->value,
        STR("This is the class of buffers, and f has to be one: io.BytesIO()."), NULL);
}

static void check_file(const ExportCall *export)
{
  bool is_swapped = is_string(kind_of(export, export_value(export, "args")));
  if (is_swapped || !has_value(export, "f", PY_LIST | PY_DICT | PY_INT | PY_FLOAT | PY_BOOL) || !is_wanted(export))
    return;
  PyRef node = export_argument(export, "f")->value;
  Str what = py_file_value_text(py_file_value(export->file, node), export->sink->arena);
  say(export, node,
      arena_printf(export->sink->arena,
                   "f is the file that is written, its path or one that is open, and this is %.*s.", STR_ARG(what)),
      NULL);
}

static void check_missing(const ExportCall *export, const ExportModel *made)
{
  DiagSink *sink = export->sink;
  const PyCall *call = export->call;
  if (call->has_splat || export->is_exported_program || keys_may_give(export->model, call, "args") ||
      keys_may_give(export->model, call, "kwargs") || keys_may_give(export->model, call, "f"))
    return;
  // A string that is alone is the file.
  bool is_file = is_string(kind_of(export, export_value(export, "args"))) && !export_argument(export, "f");
  // The TorchScript exporter gives the model the None, and one that is called `_` is not looked at.
  bool is_unused = export->kind == EXPORT_TRACES && made->param_count == 1 && str_equal(made->params[0].name, STR("_"));
  bool is_none = has_value(export, "args", PY_NONE) && !is_unused &&
                 (export_required_inputs(made) > 0 || export_module_fact(made));
  bool has_inputs = (export_argument(export, "args") && !is_file && !is_none) || export_argument(export, "kwargs");
  bool needs_inputs = is_file || !export_torch_is_from(export->file, 2, 0) || export_required_inputs(made) > 0 ||
                      export_module_fact(made);
  const char *what = NULL;
  if (!has_inputs && needs_inputs && export_argument(export, "model"))
    what = "The example inputs are missing: torch.onnx.export(model, args, f) runs the model with them.";
  else if (has_inputs && (!export_argument(export, "f") || has_value(export, "f", PY_NONE)) &&
           export->kind == EXPORT_TRACES)
    what = "The file is missing: the TorchScript exporter writes to f, and gives nothing back.";
  if (what && sink_wants(sink, RULE_MISSING_EXPORT_ARGUMENT, OWN))
    py_say(sink, RULE_MISSING_EXPORT_ARGUMENT, OWN, call->function_node, str_from(what), NULL);
}

void export_check_types(const ExportCall *export, const ExportModel *made)
{
  check_names(export, "input_names");
  check_names(export, "output_names");
  check_axes(export);
  check_shapes(export);
  check_training(export);
  check_export_type(export);
  check_custom_opsets(export);
  check_flags(export);
  check_artifacts(export);
  export_check_model(export);
  check_kwargs(export);
  check_file(export);
  check_buffer(export);
  check_folder(export);
  check_opened(export);
  check_inputs(export);
  check_missing(export, made);
}
