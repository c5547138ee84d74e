// Calls of torch.onnx.export(): the model, its example inputs, their names, and how arguments fit each other.

#include "base/limits.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "python/rules/export/axes_entries.h"
#include "python/rules/forward/forward_tensors.h"
#include "python/rules/trace/traced_arguments.h"
#include "python/rules/written_items.h"

// --- Names of inputs and outputs ---

static void say_duplicate(const ExportCall *export, const ExportNames *list, size_t i, Severity severity,
                          const char *words)
{
  DiagSink *sink = export->sink;
  if (!sink_wants(sink, RULE_DUPLICATE_EXPORT_NAMES, severity))
    return;
  const char *then = export->kind == EXPORT_TRACES ? "one of them is renamed"
                     : export->kind == EXPORT_DYNAMO
                         ? "names have to differ"
                         : "one of them is renamed, or, since torch 2.9, the export may fail";
  Str message = arena_printf(sink->arena, "'%.*s' is the name of %s: %s.", STR_ARG(list->items[i]), words, then);
  // A list of another file may be used for several exports: which of them is meant is known of the sum around it.
  PyRef place = list->nodes[i] < export->model->tree.count ? list->nodes[i] : list->node;
  py_say(sink, RULE_DUPLICATE_EXPORT_NAMES, severity, place, message, NULL);
}

static void check_duplicates(const ExportCall *export, const ExportNames *inputs, const ExportNames *outputs)
{
  // The dynamo exporter refuses a name that one list has twice.
  Severity severity = export->kind == EXPORT_DYNAMO ? SEVERITY_ERROR : OWN;
  for (size_t i = 0; i < inputs->count; i++) {
    if (export_has_name(inputs, i, inputs->items[i]))
      say_duplicate(export, inputs, i, severity, "two inputs");
  }
  for (size_t i = 0; i < outputs->count; i++) {
    if (export_has_name(outputs, i, outputs->items[i]))
      say_duplicate(export, outputs, i, severity, "two outputs");
    else if (export_has_name(inputs, inputs->count, outputs->items[i]))
      say_duplicate(export, outputs, i, OWN, "an input and an output");
  }
}

// --- args ---

static bool is_parameter(const ExportModel *made, Str name)
{
  bool found = false;
  for (size_t i = 0; i < made->param_count && !found; i++)
    found = made->params[i].kind == PY_PARAM_KWARGS || str_equal(made->params[i].name, name);
  return found;
}

/// The first key of the dict that is no parameter of the model; 0 if all are, and the dict is meant as keyword
/// arguments.
static PyRef strange_key(const ExportCall *export, const ExportModel *made, PyRef dictionary)
{
  const PyModel *model = export->model;
  for (PY_EACH_CHILD(&model->tree, pair, dictionary)) {
    PyRef key = py_child(&model->tree, pair, PY_F_KEY);
    Str name;
    if (!py_model_string(model, key, export->sink->arena, &name))
      return 0;
    if (!is_parameter(made, name))
      return key;
  }
  return 0;
}

static bool has_key(const ExportCall *export, PyRef dictionary, Str wanted)
{
  const PyModel *model = export->model;
  for (PY_EACH_CHILD(&model->tree, pair, dictionary)) {
    PyRef key = py_child(&model->tree, pair, PY_F_KEY);
    Str name;
    if (key && py_model_string(model, key, export->sink->arena, &name) && str_equal(name, wanted))
      return true;
  }
  return false;
}

/// The parameter of forward() that a key was meant for, of those that neither the arguments before the dict nor other
/// keys fill: one with a name that is near, or the only one that has to be given; empty if there is none.
static Str parameter_meant(const ExportCall *export, const ExportModel *made, uint32_t filled, PyRef key)
{
  const char *names[PY_EXAMPLE_LIMIT];
  size_t count = 0, required = 0, named = 0;
  Str lacking = { 0 };
  PyRef dictionary = export->model->tree.nodes[export->model->tree.nodes[key].parent].parent;
  Str name;
  if (!py_model_string(export->model, key, export->sink->arena, &name))
    return (Str){ 0 };
  for (size_t i = filled; i < made->param_count && count < COUNT(names); i++) {
    bool is_named = has_key(export, dictionary, made->params[i].name);
    named += is_named;
    if (is_named)
      continue;
    names[count++] = arena_copy(export->sink->arena, made->params[i].name).data;
    required += !made->params[i].has_default;
    lacking = made->params[i].has_default ? lacking : made->params[i].name;
  }
  const char *near = nearest_word(arena_copy(export->sink->arena, name).data, names, count);
  return near ? str_from(near) : named > 0 && required == 1 ? lacking : (Str){ 0 };
}

/// Appending {} makes the dict an argument of its own, if the model takes so many.
static const Fix *fix_dict(const ExportCall *export, const ExportModel *made, PyRef last, uint32_t count)
{
  uint32_t required;
  uint32_t most;
  if (!made->has_params || count == PY_ABSENT)
    return NULL;
  export_arity(made, &required, &most);
  return count >= required && count <= most ? py_edit_after(export->sink, false, STR("Append {}"), last, STR(", {}"))
                                            : NULL;
}

static void say_args_dict(const ExportCall *export, const ExportModel *made, PyRef last, uint32_t count, PyRef key)
{
  DiagSink *sink = export->sink;
  uint32_t filled = count == PY_ABSENT ? 0 : count - 1;
  Str meant = key ? parameter_meant(export, made, filled, key) : (Str){ 0 };
  if (meant.len > 0)
    py_say(
        sink, RULE_EXPORT_ARGS_DICT, OWN, key,
        arena_printf(sink->arena,
                     "A dict at the end of args is taken as keyword arguments, and forward() has no parameter of this "
                     "name: did you mean '%.*s'?",
                     STR_ARG(meant)),
        py_edit_string(sink, false, key, meant));
  else
    py_say(sink, RULE_EXPORT_ARGS_DICT, OWN, last,
           STR("A dict at the end of args is taken as keyword arguments; append {} to pass it as the last argument."),
           fix_dict(export, made, last, count));
}

static void check_args_dict(const ExportCall *export, const ExportModel *made)
{
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  bool is_alone = args && py_kind(tree, args) == PYK_DICTIONARY;  // Which is as good as a tuple of it.
  if (!args || (py_kind(tree, args) != PYK_TUPLE && !is_alone) || export_value(export, "kwargs"))
    return;
  PyRef last = is_alone ? args : 0;
  uint32_t count = is_alone ? PY_ABSENT : 0;
  for (PyRef item = is_alone ? 0 : py_tree_first_element(tree, args); item;
       item = py_tree_next_element(tree, item), count++)
    last = item;
  PyRef dictionary = last ? py_model_resolve(export->model, last) : 0;
  if (!dictionary || py_kind(tree, dictionary) != PYK_DICTIONARY || !py_first_child(tree, dictionary))
    return;
  PyRef key = made->has_params ? strange_key(export, made, dictionary) : 0;
  bool is_known = key || (export_module_fact(made) && !has_key(export, dictionary, STR("input")));
  if (is_known && sink_wants(export->sink, RULE_EXPORT_ARGS_DICT, OWN))
    say_args_dict(export, made, last, count, key);
}

// --- Numbers of names ---

/// -1 if it can't be told.
static int parameter_count(const ExportCall *export, const ExportModuleFact *fact, const ExportModel *made)
{
  if (fact->bias_position == 0)
    return fact->weights;
  if (made->made->has_splat || made->made->has_dictionary_splat)
    return -1;
  const PyArgument *bias = py_model_argument(export->model, made->made, (uint32_t)fact->bias_position, "bias");
  PyNodeKind kind = bias ? py_kind(&export->model->tree, py_model_resolve(export->model, bias->value)) : PYK_TRUE;
  return kind == PYK_TRUE ? fact->weights + 1 : kind == PYK_FALSE ? fact->weights : -1;
}

/// A class of torch.nn.Module alone whose body is a forward() and nothing else has no parameters.
static bool is_bare_class(const ExportCall *export, const ExportModel *made)
{
  const PyTree *tree = &export->model->tree;
  PyRef body = made->class_node ? py_child(tree, made->class_node, PY_F_BODY) : 0;
  PyRef bases = body ? py_child(tree, made->class_node, PY_F_SUPERCLASSES) : 0;
  PyRef base = bases ? py_first_child(tree, bases) : 0;
  if (!base || made->forward == PY_ABSENT ||
      !str_ends_with(py_model_qualified(export->model, base, export->sink->arena), STR(".Module")))
    return false;
  for (PY_EACH_CHILD(tree, child, body)) {
    bool is_doc = py_kind(tree, child) == PYK_EXPRESSION_STATEMENT && py_kind(tree, child + 1) == PYK_STRING;
    if (child != export->model->functions.items[made->forward].node && !is_doc)
      return false;
  }
  return true;
}

static void say_too_many(const ExportCall *export, const ExportNames *names, Severity severity, Str message)
{
  py_say(export->sink, RULE_TOO_MANY_EXPORT_NAMES, severity, names->node, message, NULL);
}

/// Whether the names after those of the inputs are the ones that the parameters have anyway. Then somebody knows.
static bool names_parameters(const ExportNames *names, int inputs)
{
  for (size_t i = (size_t)inputs; i < names->count; i++) {
    if (!str_ends_with(names->items[i], STR("weight")) && !str_ends_with(names->items[i], STR("bias")))
      return false;
  }
  return true;
}

/// The TorchScript exporter gives names to inputs first, then to parameters, and refuses more; the dynamo exporter
/// leaves out what is too much.
static void check_input_count(const ExportCall *export, const ExportNames *names, int inputs, int parameters)
{
  Arena *arena = export->sink->arena;
  int count = (int)names->count;
  if (count <= inputs || inputs < 0 || parameters < 0)
    return;
  if (count > inputs + parameters && export->kind != EXPORT_DYNAMO) {
    Str after =
        parameters > 0 ? arena_printf(arena, " and %d parameter%s", parameters, parameters == 1 ? "" : "s") : STR("");
    say_too_many(export, names, OWN,
                 arena_printf(arena, "input_names has %d names, but the model has %d input%s%.*s.", count, inputs,
                              inputs == 1 ? "" : "s", STR_ARG(after)));
  } else if (export->kind != EXPORT_TRACES && !names_parameters(names, inputs)) {
    const char *others = parameters > 0 && export->kind == EXPORT_EITHER
                             ? "the others go to its parameters, or, since torch 2.9, nowhere"
                             : "the dynamo exporter leaves out the others";
    say_too_many(export, names, SEVERITY_WARNING,
                 arena_printf(arena, "input_names has %d names, but the model has %d input%s: %s.", count, inputs,
                              inputs == 1 ? "" : "s", others));
  }
}

/// What one value that forward() returns adds to the outputs: 1 for a tensor, 0 for what a trace leaves out, -1 if that
/// is not sure.
static int outputs_of(Forward *forward, PyRef value)
{
  PyNodeKind kind = py_kind(&forward->model->tree, py_model_resolve(forward->model, value));
  if (kind == PYK_NONE || kind == PYK_STRING)
    return forward->is_traced ? 0 : -1;
  return forward_is_tensor(forward, value, PY_EXPRESSION_DEPTH) ? 1 : -1;
}

/// The same of all that a tuple, a list or a dict holds.
static int outputs_in(Forward *forward, PyRef container)
{
  const PyTree *tree = &forward->model->tree;
  int count = 0;
  for (PY_EACH_ELEMENT(tree, item, container)) {
    bool is_pair = py_kind(tree, item) == PYK_PAIR;
    int more = outputs_of(forward, is_pair ? py_child(tree, item, PY_F_VALUE) : item);
    if (more < 0)
      return -1;
    count += more;
  }
  return count;
}

static bool holds_outputs(PyNodeKind kind)
{
  return kind == PYK_TUPLE || kind == PYK_LIST || kind == PYK_EXPRESSION_LIST || kind == PYK_DICTIONARY;
}

/// Whether it gives None alone: it has no `return` with a value, and is no generator.
static bool returns_nothing(const PyModel *model, const PyFunction *function)
{
  for (PY_EACH_NODE(&model->tree, node, function->body)) {
    PyNodeKind kind = py_kind(&model->tree, node);
    if (kind == PYK_YIELD || kind == PYK_RAISE_STATEMENT ||
        (kind == PYK_RETURN_STATEMENT && py_first_child(&model->tree, node)))
      return false;
  }
  return true;
}

/// How many outputs forward() surely has: it returns once, and each part is a tensor or left out. -1 if that is not
/// sure.
static int returned_tensors(const ExportCall *export, const ExportModel *made)
{
  const PyModel *model = export->model;
  bool *given = ARENA_ARRAY(export->sink->arena, bool, model->params.count);
  const PyFunction *function = made->forward == PY_ABSENT ? NULL : &model->functions.items[made->forward];
  PyRef value = function && function->return_count == 1 && function->returned
                    ? py_tree_strip(&model->tree, function->returned)
                    : 0;
  if (function && function->return_count == 0 && function->body && returns_nothing(model, function))
    return 0;
  if (!value)
    return -1;
  forward_note_tensors(export, made, given);
  Forward forward = { .sink = export->sink,
                      .model = model,
                      .function = made->forward,
                      .tensor_params = given,
                      .parts = export->parts,
                      .has_own_tensors = true,
                      .is_traced = export->kind != EXPORT_DYNAMO,
                      .steps = PY_TRACING_WORK };
  PyRef written = py_model_resolve(model, value);
  if (holds_outputs(py_kind(&model->tree, written)))
    return outputs_in(&forward, written);
  return forward_is_tensor(&forward, value, PY_EXPRESSION_DEPTH) ? 1 : -1;
}

/// `nn.Sequential(..., nn.Linear(4, 2))`: the last layer gives the only output.
static bool ends_with_tensor(const ExportCall *export, const ExportModel *made)
{
  const PyCall *call = made->made;
  if (!call || call->argument_count == 0 || call->has_splat || !str_equal(made->torch_class, STR("Sequential")))
    return false;
  PyRef last = export->model->arguments.items[call->first_argument + call->argument_count - 1].value;
  return module_part_gives_tensor(export->model, py_model_resolve(export->model, last));
}

int export_output_count(const ExportCall *export, const ExportModel *made)
{
  bool is_one = export_module_fact(made) || ends_with_tensor(export, made);
  return is_one ? 1 : returned_tensors(export, made);
}

void export_check_output_count(const ExportCall *export, const ExportModel *made, const ExportNames *outputs, int count)
{
  Severity severity = export->kind == EXPORT_DYNAMO ? SEVERITY_WARNING : OWN;
  if (count == 0 && outputs->count > 0)
    py_say(export->sink, RULE_EXPORT_STRUCTURE, export->kind == EXPORT_DYNAMO ? SEVERITY_WARNING : SEVERITY_ERROR,
           export->model->functions.items[made->forward].name_node,
           STR("forward() returns nothing, so the model has no outputs to be named."), NULL);
  else if (count > 0 && outputs->count > (size_t)count)
    say_too_many(export, outputs, severity,
                 arena_printf(export->sink->arena, "output_names has %d names, but the model has %d output%s.",
                              (int)outputs->count, count, count == 1 ? "" : "s"));
}

/// `(ids, None, (key, value))`: one of the arguments is several inputs, and has as many names.
static bool has_group(const ExportCall *export, const WrittenItems *items)
{
  for (size_t i = 0; i < items->count; i++) {
    PyNodeKind kind = py_kind(&export->model->tree, py_model_resolve(export->model, items->items[i]));
    if (holds_outputs(kind) || kind == PYK_LIST_COMPREHENSION ||
        py_file_is_only(py_file_value(export->file, items->items[i]), PY_LIST | PY_DICT | PY_OBJECT))
      return true;
  }
  return false;
}

/// `(ids, None, mask)` with a name for each of them: None is no input, and the names move on. Run with torch 1.13, 2.6
/// and 2.14.
static void check_names_of_none(const ExportCall *export, const ExportNames *names)
{
  const PyTree *tree = &export->model->tree;
  WrittenItems *items = ARENA_NEW(export->sink->arena, WrittenItems);
  PyRef args = export->kind == EXPORT_TRACES ? export_value(export, "args") : 0;
  if (!args || py_kind(tree, args) == PYK_LIST || !written_items(export->model, args, items) ||
      names->count != items->count || has_group(export, items))
    return;
  for (size_t i = 0; i < items->count; i++) {
    if (py_kind(tree, py_model_resolve(export->model, items->items[i])) != PYK_NONE)
      continue;
    if (sink_wants(export->sink, RULE_TOO_MANY_EXPORT_NAMES, SEVERITY_WARNING))
      say_too_many(export, names, SEVERITY_WARNING,
                   arena_printf(export->sink->arena,
                                "The exported model has no input for None, so '%.*s' becomes the name of another one: "
                                "leave it out.",
                                STR_ARG(names->items[i])));
    return;
  }
}

/// More names than the model can have inputs and parameters, of which only the most is known.
static void check_most_inputs(const ExportCall *export, const ExportModel *made, const ExportNames *names, int inputs)
{
  int most = inputs > 0 && export->kind == EXPORT_TRACES && (int)names->count > inputs
                 ? export_most_parameters(export, made)
                 : -1;
  if (most >= 0 && (int)names->count > inputs + most)
    say_too_many(export, names, OWN,
                 arena_printf(export->sink->arena,
                              "input_names has %d names, but the model has %d input%s and at most %d parameter%s.",
                              (int)names->count, inputs, inputs == 1 ? "" : "s", most, most == 1 ? "" : "s"));
}

static void check_name_counts(const ExportCall *export, const ExportModel *made, const ExportNames *inputs,
                              const ExportNames *outputs)
{
  const ExportModuleFact *fact = export_module_fact(made);
  int parameters = fact ? parameter_count(export, fact, made) : is_bare_class(export, made) ? 0 : -1;
  if (inputs->node && inputs->is_known)
    check_input_count(export, inputs, export_input_count(export), parameters);
  if (inputs->node && inputs->is_known && parameters < 0)
    check_most_inputs(export, made, inputs, export_input_count(export));
  if (inputs->node && inputs->is_known)
    check_names_of_none(export, inputs);
  if (outputs->node && outputs->is_known && outputs->count > 0)
    export_check_output_count(export, made, outputs, export_output_count(export, made));
}

// --- How arguments fit each other ---

/// Whether it is a dict, tuple or list with something in it, or something else that is not known to be empty.
static bool is_filled(const ExportCall *export, PyRef value)
{
  PyNodeKind kind = value ? py_kind(&export->model->tree, value) : PYK_OTHER;
  bool is_written = kind == PYK_DICTIONARY || kind == PYK_LIST || kind == PYK_TUPLE;
  return is_written && py_first_child(&export->model->tree, value);
}

static void check_dynamic_shapes_exporter(const ExportCall *export)
{
  DiagSink *sink = export->sink;
  ExportAcceptance acceptance =
      export_acceptance(export->file, export_api_argument(export->file->db, STR("dynamic_shapes")));
  if (export->kind != EXPORT_TRACES || !acceptance.is_taken ||
      !is_filled(export, export_value(export, "dynamic_shapes")) || !sink_wants(sink, RULE_EXPORT_SHAPES_ARGUMENT, OWN))
    return;
  py_say(sink, RULE_EXPORT_SHAPES_ARGUMENT, OWN, export_argument(export, "dynamic_shapes")->node,
         STR("dynamic_shapes needs dynamo=True; the TorchScript exporter takes dynamic_axes."), NULL);
}

static void check_modules_as_functions(const ExportCall *export)
{
  DiagSink *sink = export->sink;
  PyRef value = export_value(export, "export_modules_as_functions");
  PyNodeKind kind = value ? py_kind(&export->model->tree, value) : PYK_OTHER;
  bool is_on = kind == PYK_TRUE || (kind == PYK_SET && py_first_child(&export->model->tree, value));
  int64_t opset;
  if (!is_on || export->kind == EXPORT_DYNAMO ||
      !py_model_int(export->model, export_value(export, "opset_version"), &opset) || opset >= 15 ||
      !sink_wants(sink, RULE_EXPORT_MODULES_OPSET, OWN))
    return;
  py_say(sink, RULE_EXPORT_MODULES_OPSET, OWN, export_argument(export, "export_modules_as_functions")->node,
         arena_printf(sink->arena, "export_modules_as_functions needs opset 15 or newer; the export is to opset %d.",
                      (int)opset),
         NULL);
}

static void check_data_parallel(const ExportCall *export, const ExportModel *made)
{
  DiagSink *sink = export->sink;
  if (!str_equal(made->torch_class, STR("DataParallel")) || export->kind == EXPORT_DYNAMO ||
      !sink_wants(sink, RULE_EXPORT_DATA_PARALLEL, OWN))
    return;
  PyRef node = export_argument(export, "model")->value;
  py_say(sink, RULE_EXPORT_DATA_PARALLEL, OWN, node,
         STR("A torch.nn.DataParallel can't be exported: export the module that it wraps, its attribute 'module'."),
         py_edit_after(sink, true, STR("Add .module"), node, STR(".module")));
}

static void check_call(ExportCall *export)
{
  ExportNames *names = ARENA_ARRAY(export->sink->arena, ExportNames, 2);
  export_read_names(export, "input_names", &names[0]);
  export_read_names(export, "output_names", &names[1]);
  ExportModel made = export_model(export);
  export->inputs = example_inputs(export, &made);
  export_check_arguments(export);
  export_check_types(export, &made);
  export_check_defaults(export);
  export_check_inputs(export, &made, &names[0]);
  export_check_axes(export, &made, &names[0], &names[1]);
  check_duplicates(export, &names[0], &names[1]);
  export_check_args_list(export, &made);
  check_args_dict(export, &made);
  check_name_counts(export, &made, &names[0], &names[1]);
  export_check_axes_entries(export, &names[0]);
  check_dynamic_shapes_exporter(export);
  check_modules_as_functions(export);
  check_data_parallel(export, &made);
  traced_arguments_check_model(export, &made);
  export_check_quantized(export);
  export_check_exporter(export, &made);
  export_check_program(export);
  export_check_table(export);
}

/// torch.onnx.export() puts a tensor into a tuple, torch.export.export() does not.
static void check_captured_inputs(const ExportCall *export)
{
  const PyTree *tree = &export->model->tree;
  const PyArgument *argument = py_model_argument(export->model, export->call, 1, "args");
  PyRef value = argument ? py_model_resolve(export->model, argument->value) : 0;
  bool is_list = value && py_kind(tree, value) == PYK_LIST;
  if (!value || (!is_list && !export_is_tensor(export->model, value)) ||
      !sink_wants(export->sink, RULE_EXPORT_ARGS_LIST, OWN))
    return;
  Str text = py_text(tree, argument->value);
  const Fix *fix = is_list
                       ? NULL
                       : py_fix(export->sink, true, STR("Make a tuple of it"), py_range(export->sink, argument->value),
                                arena_printf(export->sink->arena, "(%.*s,)", STR_ARG(text)));
  py_say(export->sink, RULE_EXPORT_ARGS_LIST, OWN, argument->value,
         arena_printf(export->sink->arena, "%.*s() takes the inputs as a tuple, and nothing else.",
                      STR_ARG(export->call->qualified)),
         fix);
}

/// The programs that the file captures itself, to export them afterwards.
static void check_captures(DiagSink *sink, const ModuleParts *parts)
{
  static const ExportNames no_names;
  const PyModel *model = sink_python(sink)->model;
  int checked = 0;
  for (size_t i = 0; i < model->calls.count && checked < PY_EXPORT_LIMIT; i++) {
    ExportCall export;
    if (!export_capture(sink, &model->calls.items[i], &export))
      continue;
    checked++;
    export.parts = parts;
    ExportModel made = export_model(&export);
    export.inputs = example_inputs(&export, &made);
    export_check_model(&export);
    export_check_inputs(&export, &made, &no_names);
    check_captured_inputs(&export);
    export_check_exporter(&export, &made);
  }
}

void check_python_exports(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  int guesses = 0;
  bool *translated = ARENA_ARRAY(sink->arena, bool, model->functions.count);
  ModuleParts parts = module_parts(model, sink->arena);
  for (size_t i = 0; i < export_call_count(model); i++) {
    ExportCall export = export_call(sink, i);
    export.guesses = &guesses;
    export.parts = &parts;
    export.translated = translated;
    check_call(&export);
  }
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++)
    export_check_contexts(sink, model->calls.items[model->exports.items[i]].node);
  check_captures(sink, &parts);
}
