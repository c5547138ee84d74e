// The example inputs of torch.onnx.export() against the parameters of forward(): both exporters run the model with
// them.

#include "base/limits.h"
#include "python/rules/export/axes_entries.h"
#include "python/rules/forward/first_layer.h"
#include "python/rules/forward/forward_shapes.h"
#include "python/rules/forward/tensor_makers.h"

static void say(const ExportCall *export, PyRef node, Str message)
{
  py_say(export->sink, RULE_EXPORT_ARGS_COUNT, OWN, node, message, NULL);
}

/// The TorchScript exporter appends the defaults of all parameters after those that are given, so one that lacks gets
/// that of a later one, and forward() runs. Run with torch 1.13 and 2.6. False if there are not enough of them.
static bool gets_defaults(const ExportCall *export, PyRef args)
{
  const ExampleInputs *inputs = export->inputs;
  const ExampleInput *lacking = NULL, *moved = NULL;
  uint32_t given = inputs->positional_given, count = given;
  for (size_t i = given; i < inputs->count; i++) {
    const ExampleInput *input = &inputs->items[i];
    lacking = lacking || input->is_default ? lacking : input;
    moved = moved || !input->is_default ? moved : input;
    count += input->is_default;
  }
  if (export->kind != EXPORT_TRACES || !lacking || !moved || count < inputs->positional_least)
    return false;
  if (sink_wants(export->sink, RULE_EXPORT_ARGS_COUNT, SEVERITY_WARNING))
    py_say(export->sink, RULE_EXPORT_ARGS_COUNT, SEVERITY_WARNING, args,
           arena_printf(export->sink->arena,
                        "The example inputs lack '%.*s', and the TorchScript exporter gives it the default of '%.*s'.",
                        STR_ARG(lacking->name), STR_ARG(moved->name)),
           NULL);
  return true;
}

static void check_positional(const ExportCall *export, PyRef args)
{
  const ExampleInputs *inputs = export->inputs;
  Arena *arena = export->sink->arena;
  uint32_t given = inputs->positional_given;
  if (given >= inputs->positional_least && given <= inputs->positional_most)
    return;
  bool is_less = given < inputs->positional_least;
  if (is_less && gets_defaults(export, args))
    return;
  uint32_t wanted = is_less ? inputs->positional_least : inputs->positional_most;
  const char *bound = inputs->positional_least == inputs->positional_most ? "" : is_less ? "at least " : "at most ";
  say(export, args,
      arena_printf(arena, "The model takes %s%u input%s, and %s given.", bound, wanted, wanted == 1 ? "" : "s",
                   given == 1 ? "1 is" : arena_printf(arena, "%u are", given).data));
}

static const ExampleInput *first_missing(const ExampleInputs *inputs)
{
  for (size_t i = 0; i < inputs->count; i++) {
    if (!inputs->items[i].value && !inputs->items[i].is_default)
      return &inputs->items[i];
  }
  return NULL;
}

static void check_keywords(const ExportCall *export, PyRef keywords)
{
  Arena *arena = export->sink->arena;
  const ExampleInput *missing = first_missing(export->inputs);
  Str names = example_input_names(export->inputs, arena);
  // The TorchScript exporter gives forward() what it has parameters for. Run with torch 2.6 and 2.14.
  Severity severity = export->kind == EXPORT_TRACES && !missing ? SEVERITY_WARNING : OWN;
  if (export->inputs->unknown_name)
    py_say(export->sink, RULE_EXPORT_ARGS_COUNT, severity, export->inputs->unknown_name,
           arena_printf(arena, "forward() has no parameter of this name; it takes %.*s.", STR_ARG(names)), NULL);
  else if (export->inputs->given_twice)
    say(export, export->inputs->given_twice, STR("forward() gets this parameter twice: args gives it by position."));
  else if (missing)
    say(export, keywords,
        arena_printf(arena, "The example inputs lack '%.*s', which forward() requires.", STR_ARG(missing->name)));
}

/// Without `kwargs`: a parameter after `*` gets nothing then.
static void check_alone(const ExportCall *export, PyRef args)
{
  const ExampleInputs *inputs = export->inputs;
  const ExampleInput *missing = first_missing(inputs);
  if (inputs->is_by_name)
    return;
  if (inputs->positional_given >= inputs->positional_least && missing)
    say(export, args,
        arena_printf(export->sink->arena,
                     "The example inputs lack '%.*s', which forward() takes by name alone: give it "
                     "in kwargs.",
                     STR_ARG(missing->name)));
  else
    check_positional(export, args);
}

static PyParamKind kind_of_parameter(const ExportModel *made, Str name)
{
  for (size_t i = 0; i < made->param_count; i++) {
    if (str_equal(made->params[i].name, name))
      return made->params[i].kind;
  }
  return PY_PARAM_KWARGS;
}

/// Whether forward() of this file asks what `**kwargs` holds.
static bool reads_keywords(const ExportCall *export, const ExportModel *made)
{
  const PyFunction *forward = made->forward == PY_ABSENT ? NULL : &export->model->functions.items[made->forward];
  for (size_t i = 0; forward && i < made->param_count; i++) {
    if (made->params[i].kind == PY_PARAM_KWARGS)
      return str_contains(py_text(&export->model->tree, forward->body), made->params[i].name);
  }
  return false;
}

/// The TorchScript exporter gives forward() what it gets by name in the order of the parameters: those after `*` refuse
/// that, and `**kwargs` gets nothing. Run with torch 1.13, 2.6 and 2.14.
static void check_by_name(const ExportCall *export, const ExportModel *made)
{
  for (size_t i = 0; i < export->inputs->count && export->kind == EXPORT_TRACES && made->has_params; i++) {
    const ExampleInput *input = &export->inputs->items[i];
    PyParamKind kind = input->value && !input->is_rest ? kind_of_parameter(made, input->name) : PY_PARAM_PLAIN;
    if (kind == PY_PARAM_KEYWORD_ONLY)
      say(export, input->node,
          arena_printf(
              export->sink->arena,
              "The TorchScript exporter gives all inputs by position, and forward() takes '%.*s' by name alone: "
              "leave out the `*` before it.",
              STR_ARG(input->name)));
    else if (kind == PY_PARAM_KWARGS && reads_keywords(export, made) &&
             sink_wants(export->sink, RULE_EXPORT_ARGS_COUNT, SEVERITY_WARNING))
      py_say(
          export->sink, RULE_EXPORT_ARGS_COUNT, SEVERITY_WARNING, input->node,
          arena_printf(export->sink->arena,
                       "The TorchScript exporter gives `**kwargs` of forward() nothing, so '%.*s' is lost: make it a "
                       "parameter of its own.",
                       STR_ARG(input->name)),
          NULL);
  }
}

/// Whether the class is registered by register_pytree_node() without flatten_with_keys_fn, which torch.export asks for.
static bool lacks_keys(const ExportCall *export, PyRef value)
{
  const PyModel *model = export->model;
  const PyCall *made = py_model_call(model, value);
  PyRef name = made ? made->function_node : 0;
  PyRef class_node = name && py_kind(&model->tree, name) == PYK_IDENTIFIER ? py_model_class_named(model, name) : 0;
  if (!class_node || py_model_mentions(model, "flatten_with_keys_fn") || !export_torch_is_from(export->file, 2, 9))
    return false;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    const PyArgument *first =
        str_equal(call->qualified, STR("torch.utils._pytree.register_pytree_node")) && !call->has_dictionary_splat
            ? py_model_argument(model, call, 0, "cls")
            : NULL;
    if (first && py_kind(&model->tree, first->value) == PYK_IDENTIFIER &&
        py_model_class_named(model, first->value) == class_node)
      return true;
  }
  return false;
}

/// An object of a class of the file: the value itself, or what a list, tuple or dict holds; 0.
static PyRef unknown_object_in(const ExportCall *export, PyRef node, PyRef value, int depth)
{
  const PyTree *tree = &export->model->tree;
  PyNodeKind kind = py_kind(tree, value);
  if (export_is_unknown_object(export->model, value, export->sink->arena) ||
      (export->kind == EXPORT_DYNAMO && export_is_uncaptured_object(export->model, value)))
    return node;
  if (depth == 0 || (kind != PYK_LIST && kind != PYK_TUPLE && kind != PYK_DICTIONARY))
    return 0;
  PyRef found = 0;
  for (PyRef child = py_first_child(tree, value); child && !found; child = py_next_sibling(tree, child)) {
    PyRef item = py_kind(tree, child) == PYK_PAIR ? py_child(tree, child, PY_F_VALUE) : child;
    found = item ? unknown_object_in(export, item, export_resolve(export->model, item), depth - 1) : 0;
  }
  return found;
}

/// torch.export does not look into objects, and torch.jit.trace takes none.
static void check_objects(const ExportCall *export)
{
  enum { DEPTH = 4 };
  DiagSink *sink = export->sink;
  bool is_traced = export->kind == EXPORT_TRACES;
  for (size_t i = 0; i < export->inputs->count && export->kind != EXPORT_EITHER; i++) {
    const ExampleInput *input = &export->inputs->items[i];
    PyRef found = input->value ? unknown_object_in(export, input->node, input->value, DEPTH) : 0;
    if (export->is_capture && input->node && py_file_is_only(py_file_value(export->file, input->node), PY_ARRAY))
      py_say(sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR, input->node,
             STR("torch.export takes no numpy array as an input: write torch.from_numpy()."), NULL);
    if (found && sink_wants(sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR))
      py_say(sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR, found,
             is_traced ? STR("A trace takes no object of this class as an input: give the model tensors, and lists and "
                             "dicts of them.")
                       : STR("torch.export does not know what is in an object of this class: give the model tensors, "
                             "numbers, and lists and dicts of them."),
             NULL);
    else if (!is_traced && input->value && lacks_keys(export, input->value) &&
             sink_wants(sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR))
      py_say(sink, RULE_EXPORT_STRUCTURE, SEVERITY_ERROR, input->node,
             STR("torch.export names what is in an object: register_pytree_node() of its class needs "
                 "flatten_with_keys_fn, too."),
             NULL);
  }
}

// --- Kinds of tensors and tuples that a trace has no input for ---

static bool is_complex(const ExportCall *export, const PyCall *call)
{
  static const char *const types[] = { "torch.complex32", "torch.complex64", "torch.complex128",
                                       "torch.chalf",     "torch.cfloat",    "torch.cdouble" };
  static const char *const makers[] = { "torch.complex", "torch.polar", "torch.view_as_complex" };
  const PyArgument *type = py_model_argument(export->model, call, PY_ABSENT, "dtype");
  return str_is_one_of(call->qualified, makers, COUNT(makers)) ||
         (type && export_tensor_call(export->model, call->node) == call &&
          str_is_one_of(py_model_qualified(export->model, type->value, export->sink->arena), types, COUNT(types)));
}

/// `Batch(x, y)` with `Batch = namedtuple(...)`, or a class of the file that derives from typing.NamedTuple.
static bool is_named_tuple(const ExportCall *export, const PyCall *call)
{
  const PyModel *model = export->model;
  const PyBinding *binding = py_model_binding_of(model, call->scope, call->function_node);
  if (!binding || binding->next != PY_ABSENT)
    return false;
  if (binding->kind == PY_BIND_ASSIGN) {
    const PyCall *made = py_model_call(model, py_tree_strip(&model->tree, binding->value));
    return made && str_equal(made->qualified, STR("collections.namedtuple"));
  }
  PyRef class_node = binding->kind == PY_BIND_CLASS ? model->tree.nodes[binding->node].parent : 0;
  PyRef bases = class_node ? py_child(&model->tree, class_node, PY_F_SUPERCLASSES) : 0;
  PyRef base = bases ? py_first_child(&model->tree, bases) : 0;
  return base && str_equal(py_model_qualified(model, base, export->sink->arena), STR("typing.NamedTuple"));
}

/// Whether forward() asks the parameter for a member: `batch.x`.
static bool asks_by_name(const ExportCall *export, const ExportModel *made, Str param)
{
  const PyTree *tree = &export->model->tree;
  PyRef body = made->forward == PY_ABSENT ? 0 : export->model->functions.items[made->forward].body;
  for (PyRef node = body; node && node < tree->nodes[body].next; node++) {
    PyRef object = py_tree_object(tree, node);
    if (object && py_kind(tree, object) == PYK_IDENTIFIER && str_equal(py_text(tree, object), param))
      return true;
  }
  return false;
}

static void check_traced_kind(const ExportCall *export, const ExportModel *made, PyRef node, size_t position)
{
  const PyCall *call = py_model_call(export->model, py_model_resolve(export->model, node));
  Str param = position < made->param_count ? made->params[position].name : (Str){ 0 };
  if (call && is_complex(export, call))
    say(export, node,
        STR("ONNX has no complex numbers, and the TorchScript exporter takes no such input: give it real ones, as "
            "torch.view_as_real() makes them."));
  else if (call && is_named_tuple(export, call) && asks_by_name(export, made, param))
    say(export, node,
        arena_printf(export->sink->arena,
                     "The TorchScript exporter makes a plain tuple of this, and forward() asks '%.*s' for members by "
                     "name: give the tensors one by one.",
                     STR_ARG(param)));
}

/// `torch.randn(1, 3, "model.onnx")`: the bracket is closed too late.
static void check_words_as_sizes(const ExportCall *export, PyRef node)
{
  const PyModel *model = export->model;
  const PyCall *call = py_model_call(model, py_model_resolve(model, node));
  Str prefix = STR("torch.");
  if (!call || !str_starts_with(call->qualified, prefix) ||
      !tensor_maker_takes_sizes(str_slice(call->qualified, prefix.len, call->qualified.len)))
    return;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->keyword.len == 0 && py_kind(&model->tree, argument->value) == PYK_STRING)
      py_say(export->sink, RULE_EXPORT_ARGUMENT_TYPE, OWN, argument->value,
             arena_printf(export->sink->arena, "%.*s() takes sizes, and this is a string: close its bracket before.",
                          STR_ARG(call->qualified)),
             NULL);
  }
}

static void check_kind(const ExportCall *export, const ExportModel *made, PyRef node, size_t position)
{
  check_words_as_sizes(export, node);
  if (export->kind == EXPORT_TRACES)
    check_traced_kind(export, made, node, position);
}

static void check_kinds(const ExportCall *export, const ExportModel *made)
{
  const PyTree *tree = &export->model->tree;
  const PyArgument *args = export_argument(export, "args");
  PyRef tuple = args ? py_model_resolve(export->model, args->value) : 0;
  size_t position = 0;
  if (args && py_kind(tree, tuple) != PYK_TUPLE)
    check_kind(export, made, args->value, 0);
  for (PyRef item = tuple && py_kind(tree, tuple) == PYK_TUPLE ? py_tree_first_element(tree, tuple) : 0; item;
       item = py_tree_next_element(tree, item)) {
    if (py_tree_is_splat(tree, item))
      return;
    check_kind(export, made, item, position++);
  }
}

void export_check_inputs(const ExportCall *export, const ExportModel *made, const ExportNames *names)
{
  PyRef args = export_value(export, "args");
  PyRef keywords = export_value(export, "kwargs");
  if (export->is_exported_program)
    return;
  if (keywords && export->inputs->is_known)
    check_keywords(export, keywords);
  else if (args && export->inputs->is_known && !export_is_shape(export, args))
    check_alone(export, export_argument(export, "args")->value);
  if (export->inputs->is_known)
    check_by_name(export, made);
  check_objects(export);
  check_kinds(export, made);
  bool has_fixed;
  ExportModel run = export_model_run(export, made);
  ExportCall of_run = *export;
  if (run.node != made->node)
    of_run.inputs = example_inputs(export, &run);
  bool is_wrong = first_layer_check(&of_run, &run, &has_fixed) || forward_shapes_check(&of_run, &run);
  if (!example_inputs_check_shapes(export, made) && !is_wrong && !has_fixed)
    forward_dims_check(export, made);
  if (!is_wrong && !forward_open_axes_check(export, made))
    forward_fixed_axes_check(export, made);
  example_inputs_check_sizes(export, names);
}

int export_rank_of_input(const ExportCall *export, const ExportNames *names, Str name)
{
  const ExampleInput *input = names->is_known ? axes_entry_input(export, export->inputs, names, name) : NULL;
  return input && input->value ? example_shape(export->model, input->node).rank : -1;
}
