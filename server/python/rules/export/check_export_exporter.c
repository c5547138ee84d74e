// Arguments of torch.onnx.export() that the exporter that is taken does not look at, and models that it does not take.

#include "base/limits.h"
#include "python/rules/forward/forward_tensors.h"

// --- Arguments without effect ---

static void say_ignored(const ExportCall *export, const PyArgument *argument, Str message)
{
  DiagSink *sink = export->sink;
  if (!sink_wants(sink, RULE_IGNORED_EXPORT_ARGUMENT, OWN))
    return;
  Str title = arena_printf(sink->arena, "Remove '%.*s'", STR_ARG(argument->keyword));
  py_say(sink, RULE_IGNORED_EXPORT_ARGUMENT, OWN, argument->node, message,
         py_edit_remove(sink, false, title, argument->node));
}

/// A value that asks for something.
static bool asks(const ExportCall *export, const PyArgument *argument)
{
  const PyTree *tree = &export->model->tree;
  PyRef value = py_model_resolve(export->model, argument->value);
  PyNodeKind kind = py_kind(tree, value);
  bool is_empty = (kind == PYK_DICTIONARY || kind == PYK_LIST || kind == PYK_TUPLE) && !py_first_child(tree, value);
  return kind != PYK_NONE && kind != PYK_FALSE && !is_empty;
}

/// Of the arguments that both exporters have, the dynamo exporter says itself what it leaves out.
static void check_for_dynamo_only(const ExportCall *export)
{
  for (uint32_t i = 0; i < export->call->argument_count && i < PY_KEYWORD_LIMIT; i++) {
    const PyArgument *argument = &py_model_arguments(export->model, export->call)[i];
    const PyExportArgument *fact =
        argument->keyword.len > 0 ? export_api_argument(export->file->db, argument->keyword) : NULL;
    // dynamic_shapes is refused, and external_data and optimize are on without a word of anybody.
    if (!fact || fact->for_torchscript || !fact->for_dynamo || str_equal(fact->name, STR("dynamic_shapes")) ||
        !export_acceptance(export->file, fact).is_taken || !asks(export, argument))
      continue;
    say_ignored(export, argument,
                arena_printf(export->sink->arena,
                             "'%.*s' is for the dynamo exporter: with dynamo=False it does nothing.",
                             STR_ARG(argument->keyword)));
  }
}

/// Whether the program is surely made without dynamic shapes. With them, dynamic_shapes still gives names.
static bool is_fixed_program(const ExportCall *export, const ExportModel *made)
{
  return made->made && str_equal(made->made->qualified, STR("torch.export.export")) &&
         !made->made->has_dictionary_splat &&
         !py_model_argument(export->model, made->made, PY_ABSENT, "dynamic_shapes");
}

static void check_exported_program(const ExportCall *export, const ExportModel *made)
{
  const PyArgument *shapes = export_argument(export, "dynamic_shapes");
  const PyArgument *axes = export_argument(export, "dynamic_axes");
  const PyArgument *dynamo = export_argument(export, "dynamo");
  if (shapes && asks(export, shapes) && is_fixed_program(export, made))
    say_ignored(export, shapes,
                STR("This program was captured with fixed shapes: give dynamic_shapes to torch.export.export()."));
  if (axes && asks(export, axes))
    say_ignored(export, axes, STR("An ExportedProgram has its dynamic shapes: dynamic_axes is not looked at."));
  if (dynamo && py_kind(&export->model->tree, py_model_resolve(export->model, dynamo->value)) == PYK_FALSE)
    say_ignored(export, dynamo, STR("An ExportedProgram takes the dynamo exporter, whatever 'dynamo' says."));
}

static void check_both_shapes(const ExportCall *export)
{
  const PyArgument *shapes = export_argument(export, "dynamic_shapes");
  const PyArgument *axes = export_argument(export, "dynamic_axes");
  if (shapes && axes && asks(export, shapes) && asks(export, axes))
    say_ignored(export, axes,
                STR("dynamic_shapes is given, too, so the dynamo exporter does not look at dynamic_axes."));
}

// --- Models ---

/// What makes the model a ScriptModule or ScriptFunction, "torch.jit.script", also where its name is bound again by
/// that; empty.
static Str script_maker(const ExportCall *export, const ExportModel *made)
{
  static const char *const makers[] = {
    "torch.jit.script", "torch.jit.trace",        "torch.jit.load",
    "torch.jit.freeze", "torch.jit.trace_module", "torch.jit.optimize_for_inference"
  };
  const PyModel *model = export->model;
  const PyArgument *argument = export_argument(export, "model");
  bool is_name = argument && py_kind(&model->tree, argument->value) == PYK_IDENTIFIER;
  PyRef value = is_name && !made->made ? forward_value_in_force(model, argument->value) : 0;
  const PyCall *call = py_model_call(model, value);
  const PyCall *maker = call ? call : made->made;
  if (maker)
    return str_is_one_of(maker->qualified, makers, COUNT(makers)) ? maker->qualified : (Str){ 0 };
  uint32_t function = is_name ? py_model_callable(model, argument->value).function : PY_ABSENT;
  bool is_scripted = function != PY_ABSENT && export_is_scripted(model, function, export->sink->arena);
  return is_scripted ? STR("torch.jit.script") : (Str){ 0 };
}

/// torch.export captures Python code, of which a ScriptModule has none.
static void check_script_module(const ExportCall *export, const ExportModel *made)
{
  DiagSink *sink = export->sink;
  Str maker = script_maker(export, made);
  if (maker.len == 0 || (!export->says_dynamo && py_file_asks_version(export->file, export->call->node)))
    return;
  bool is_sure = export->kind == EXPORT_DYNAMO && (export->is_capture || export_torch_is_from(export->file, 2, 9));
  Severity severity = is_sure ? OWN : SEVERITY_INFO;
  if (!sink_wants(sink, RULE_EXPORT_SCRIPT_MODULE, severity))
    return;
  const char *when = export->is_capture ? "torch.export"
                     : is_sure          ? "The dynamo exporter"
                                        : "Since torch 2.9 the dynamo exporter is the default, and";
  Str message = arena_printf(sink->arena, "%s takes no ScriptModule, which %.*s() makes: export the module itself%s.",
                             when, STR_ARG(maker), export->is_capture ? "" : ", or with dynamo=False");
  py_say(sink, RULE_EXPORT_SCRIPT_MODULE, severity, export_argument(export, "model")->value, message, NULL);
}

/// The forward() of a module of this file that torch.jit.script() is given; PY_ABSENT.
static uint32_t scripted_forward(const PyModel *model, const PyCall *script)
{
  const PyArgument *given = py_model_argument(model, script, 0, "obj");
  PyRef module = given ? export_module_made(model, py_model_resolve(model, given->value)) : 0;
  return export_forward_made(model, module);
}

/// The first parameter of a ScriptModule that the export leaves at None, its default; empty.
static Str left_at_none(const ExportCall *export, const ExportModel *made)
{
  const PyModel *model = export->model;
  int count = export_input_count(export);
  uint32_t forward = count < 0 ? PY_ABSENT : scripted_forward(model, made->made);
  const PyFunction *function = forward == PY_ABSENT ? NULL : &model->functions.items[forward];
  for (uint32_t i = 1 + (uint32_t)count; function && i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    if (param->default_value && py_kind(&model->tree, param->default_value) == PYK_NONE)
      return param->name;
  }
  return (Str){ 0 };
}

/// A ScriptModule is not called by name, and None says nothing of a type.
static void check_script_inputs(const ExportCall *export, const ExportModel *made)
{
  const PyArgument *args = export_argument(export, "args");
  PyRef value = args ? py_model_resolve(export->model, args->value) : 0;
  const PyTree *tree = &export->model->tree;
  bool is_script = made->made && str_equal(made->made->qualified, STR("torch.jit.script"));
  PyRef none = value && py_kind(tree, value) == PYK_NONE ? args->value : 0;
  PyRef item = value && py_kind(tree, value) == PYK_TUPLE ? py_tree_first_element(tree, value) : 0;
  for (; item && !none; item = py_tree_next_element(tree, item))
    none = py_kind(tree, py_model_resolve(export->model, item)) == PYK_NONE ? item : 0;
  if (is_script && none && sink_wants(export->sink, RULE_EXPORT_ARGUMENT_TYPE, OWN))
    py_say(export->sink, RULE_EXPORT_ARGUMENT_TYPE, OWN, none,
           STR("No example input of a ScriptModule may be None: the exporter takes their types from them."), NULL);
  Str left = is_script && !none ? left_at_none(export, made) : (Str){ 0 };
  if (left.len > 0 && sink_wants(export->sink, RULE_EXPORT_ARGUMENT_TYPE, OWN))
    py_say(
        export->sink, RULE_EXPORT_ARGUMENT_TYPE, OWN, args->value,
        arena_printf(export->sink->arena,
                     "The export leaves '%.*s' of the ScriptModule at None, and the exporter takes types from example "
                     "inputs: give one, or export a module that calls it without.",
                     STR_ARG(left)),
        NULL);
}

void export_check_exporter(const ExportCall *export, const ExportModel *made)
{
  if (export->is_exported_program) {
    check_exported_program(export, made);
  } else if (export->kind == EXPORT_TRACES) {
    check_for_dynamo_only(export);
    check_script_inputs(export, made);
  } else if (export->kind == EXPORT_DYNAMO) {
    check_both_shapes(export);
  }
  if (export->kind != EXPORT_TRACES)
    check_script_module(export, made);
}
