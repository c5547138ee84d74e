// Functions of symbolic_helper, and of the modules symbolic_opsetN, that do not exist or take other arguments.

#include "base/limits.h"
#include "core/workspace.h"
#include "python/rules/signature_fit.h"
#include "python/rules/symbolic/function_check.h"
#include "python/rules/symbolic/value_check.h"

static bool starts_with_graph(Str parameter)
{
  return str_starts_with(parameter, STR("g")) || str_find(parameter, STR("graph"), 0) != STR_NOT_FOUND ||
         str_starts_with(parameter, STR("arg")) || str_starts_with(parameter, STR("*"));
}

/// `_get_tensor_sizes(g, x)`, which takes no graph.
static void check_no_graph(DiagSink *sink, const PyCall *call, const PyHelper *helper, const PySignature *signature)
{
  const PyFile *file = sink_python(sink);
  const PyArgument *first = signature && signature->parameter_count > 0 && !call->has_splat
                                ? py_model_argument(file->model, call, 0, NULL)
                                : NULL;
  if (!first || first->is_splat || starts_with_graph(signature->parameters[0].name) ||
      !py_file_is_only(py_file_value(file, first->value), PY_GRAPH) || !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  py_say(sink, RULE_HELPER_CALL, OWN, first->value,
         arena_printf(sink->arena, "%.*s takes no graph: it is %.*s%.*s.", STR_ARG(helper->name), STR_ARG(helper->name),
                      STR_ARG(signature->text)),
         NULL);
}

/// `_unsqueeze_helper(x, [0], g)`: those that take the graph take it first.
static void check_graph_first(DiagSink *sink, const PyCall *call, const PyHelper *helper)
{
  const PyFile *file = sink_python(sink);
  const PySignature *signature = export_api_helper_signature(helper, file->torch);
  bool takes_graph = signature && signature->parameter_count > 0 && str_equal(signature->parameters[0].name, STR("g"));
  const PyArgument *first = takes_graph ? py_model_argument(file->model, call, 0, "g") : NULL;
  if (!takes_graph)
    check_no_graph(sink, call, helper, signature);
  const uint32_t others = PY_VALUE | PY_LIST | PY_INT | PY_FLOAT | PY_STRING | PY_TENSOR;
  if (!first || !py_file_is_only(py_file_value(file, first->value), others) || !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  py_say(sink, RULE_HELPER_CALL, OWN, first->value,
         arena_printf(sink->arena, "%.*s takes the graph first, and this is %.*s.", STR_ARG(helper->name),
                      STR_ARG(py_file_value_text(py_file_value(file, first->value), sink->arena))),
         NULL);
}

static void check_arguments(DiagSink *sink, const PyCall *call, const PyHelper *helper)
{
  const PyFile *file = sink_python(sink);
  SignatureFit fit = { 0 };
  const PySignature *wrong = NULL;
  for (PY_EACH_TORCH(file, torch)) {
    const PySignature *signature = export_api_helper_signature(helper, torch);
    if (!signature)
      continue;
    fit = signature_fit(file->model, call, signature);
    if (fit.misfit == FITS) {
      check_graph_first(sink, call, helper);
      return;
    }
    wrong = signature;
  }
  if (!wrong || py_is_torch_itself(file->model) || file->torch_is_before || py_file_asks_version(file, call->node) ||
      !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  Str why = fit.misfit == HAS_STRANGE
                ? arena_printf(sink->arena, "gives '%.*s', which it doesn't take", STR_ARG(fit.argument->keyword))
            : fit.misfit == HAS_TWICE ? arena_printf(sink->arena, "gives '%.*s' twice", STR_ARG(fit.name))
            : fit.misfit == LACKS     ? arena_printf(sink->arena, "lacks '%.*s'", STR_ARG(fit.name))
                                      : STR("has too many arguments");
  py_say(sink, RULE_HELPER_CALL, OWN, call->function_node,
         arena_printf(sink->arena, "This call %.*s: it is %.*s%.*s.", STR_ARG(why), STR_ARG(helper->name),
                      STR_ARG(wrong->text)),
         NULL);
}

/// Whether an operator is made after the call, in the same function.
static bool makes_more(const PyModel *model, const PyCall *call)
{
  PyRef end = model->tree.nodes[model->functions.items[call->scope].node].next;
  for (size_t i = (size_t)(call - model->calls.items) + 1; i < model->calls.count; i++) {
    if (model->calls.items[i].node >= end)
      return false;
    if (model->calls.items[i].op != PY_ABSENT)
      return true;
  }
  return false;
}

/// A statement that is the call of a helper which raises.
static bool is_raising(const PyModel *model, PyRef statement)
{
  static const char *const names[] = { "_unimplemented", "_onnx_unsupported" };
  bool is_expression = py_kind(&model->tree, statement) == PYK_EXPRESSION_STATEMENT;
  const PyCall *call = is_expression ? py_model_call(model, py_first_child(&model->tree, statement)) : NULL;
  Str helper = STR("torch.onnx.symbolic_helper.");
  Str name = call ? call->qualified : (Str){ 0 };
  return str_starts_with(name, helper) && str_is_one_of(str_slice(name, helper.len, name.len), names, COUNT(names));
}

/// Whether a statement of a block is reached whatever the function gets, and the first of its kind.
static bool is_always_reached(const PyModel *model, PyRef block, PyRef statement)
{
  for (PY_EACH_CHILD(&model->tree, before, block)) {
    if (before == statement)
      return true;
    if (is_raising(model, before) || py_tree_may_leave(&model->tree, before))
      return false;
  }
  return false;
}

/// `_unimplemented("relu", "not yet")` on every way through a function that goes on after it.
static void check_leaving(DiagSink *sink, const PyCall *call, Str helper)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  const PyFunction *function = call->scope == PY_ABSENT ? NULL : &model->functions.items[call->scope];
  PyRef statement = model->tree.nodes[call->node].parent;
  if (!function || (function->roles & (PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD)) == 0 || !is_raising(model, statement) ||
      model->tree.nodes[statement].parent != function->body || file->keeps_operators || file->torch_is_before ||
      py_is_torch_itself(model) || !is_always_reached(model, function->body, statement) || !makes_more(model, call))
    return;
  py_say(sink, RULE_HELPER_CALL, SEVERITY_WARNING, call->node,
         arena_printf(sink->arena,
                      "%.*s() raises, so what comes after is never run, and nothing is converted: call it only "
                      "where that can't be.",
                      STR_ARG(helper)),
         NULL);
}

/// Whether a value is surely no list of the graph: an output of g.op(), or a parameter that gets a tensor.
static bool is_no_list(DiagSink *sink, PyRef node)
{
  const PyFile *file = sink_python(sink);
  PyRef value = py_model_resolve(file->model, node);
  if (py_kind(&file->model->tree, value) == PYK_CALL)
    return py_model_op_at(file->model, value) && value_is_of_graph(sink, node);
  uint32_t scope = py_model_scope_of(file->model, node);
  return scope != PY_ABSENT && py_kind(&file->model->tree, value) == PYK_IDENTIFIER && value_is_of_graph(sink, node) &&
         py_file_param_type_is(file, scope, py_text(&file->model->tree, value), STR("Tensor"));
}

/// `_unpack_list(x)` of a tensor
static void check_unpacked(DiagSink *sink, const PyCall *call, Str helper)
{
  const PyFile *file = sink_python(sink);
  const PyArgument *argument = py_model_argument(file->model, call, 0, "list_value");
  if (!str_equal(helper, STR("_unpack_list")) || !argument || !is_no_list(sink, argument->value) ||
      !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  py_say(sink, RULE_HELPER_CALL, OWN, argument->value,
         arena_printf(sink->arena, "_unpack_list() takes a list of the graph, and '%.*s' is a tensor.",
                      STR_ARG(str_slice(py_text(&file->model->tree, argument->value), 0, 40))),
         NULL);
}

/// Whether a value is surely no constant: an output of another operator, or the first argument of an operator, or of
/// apply(), which is a tensor. Later tensors may be constants of the model.
static bool is_no_constant(DiagSink *sink, PyRef node)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  PyRef value = py_model_resolve(model, node);
  const PyOp *op = py_model_op_at(model, value);
  if (op)
    return op->kind == PY_OP_GRAPH && op->name_known && !str_equal(op->name, STR("Constant")) &&
           value_is_of_graph(sink, node);
  const PyBinding *binding = py_model_binding_of(model, py_model_scope_of(model, node), value);
  if (!py_binding_is_only(binding, PY_BIND_PARAM) || !value_is_of_graph(sink, node))
    return false;
  uint32_t count;
  uint32_t first = py_file_input_params(file, binding->scope, &count);
  bool is_autograd = (model->functions.items[binding->scope].roles & PY_ROLE_AUTOGRAD) != 0;
  return count > 0 && str_equal(model->params.items[first].name, binding->name) &&
         (is_autograd || py_file_param_type_is(file, binding->scope, binding->name, STR("Tensor")));
}

/// `_get_const(x, "i", "x")` of what is computed by the model
static void check_constant_read(DiagSink *sink, const PyCall *call, Str helper)
{
  const PyArgument *argument = py_model_argument(sink_python(sink)->model, call, 0, "value");
  bool reads = str_equal(helper, STR("_get_const")) || str_equal(helper, STR("_parse_arg"));
  if (!reads || !argument || !argument->value || !is_no_constant(sink, argument->value) ||
      !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  py_say(sink, RULE_HELPER_CALL, OWN, argument->value,
         arena_printf(
             sink->arena, "%.*s() reads constants, and '%.*s' is a tensor that the model computes: give it to a node.",
             STR_ARG(helper), STR_ARG(str_slice(py_text(&sink_python(sink)->model->tree, argument->value), 0, 40))),
         NULL);
}

/// `symbolic_opset9(g, x)`
static void check_module(DiagSink *sink, const PyCall *call)
{
  py_say(sink, RULE_HELPER_CALL, OWN, call->function_node,
         arena_printf(sink->arena, "%.*s is a module: call a function of it.", STR_ARG(call->qualified)), NULL);
}

void value_check_helper(DiagSink *sink, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  Str package = STR("torch.onnx.");
  Str helpers = STR("symbolic_helper");
  if (!str_starts_with(call->qualified, package))
    return;
  Str rest = str_slice(call->qualified, package.len, call->qualified.len);
  Str module = value_opset_module(file, rest);
  if (module.len == 0 && !str_starts_with(rest, helpers))
    return;
  if (rest.len == (module.len > 0 ? module.len : helpers.len)) {
    check_module(sink, call);
    return;
  }
  Str name = str_slice(rest, (module.len > 0 ? module.len : helpers.len) + 1, rest.len);
  if (name.len == 0 || str_find_char(name, '.', 0) != STR_NOT_FOUND)
    return;
  const PyHelper *helper = export_api_helper(file->db, module.len > 0 ? rest : name);
  if (!helper)
    value_check_unknown_helper(sink, call->function_node, module, name, true);
  else if (!call->has_splat && !call->has_dictionary_splat)
    check_arguments(sink, call, helper);
  if (helper && module.len > 0)
    value_check_builtin_opset(sink, call, rest);
  if (helper && module.len == 0) {
    value_check_helper_arguments(sink, call, name);
    check_unpacked(sink, call, name);
    check_constant_read(sink, call, name);
    check_leaving(sink, call, name);
  }
}

/// What a call of a function of this file gives it wrongly, as Python raises it; empty if nothing is.
static Str wrong_arguments(DiagSink *sink, const PyCall *call, const PyFunction *function)
{
  const PyModel *model = sink_python(sink)->model;
  uint32_t positional = 0, given = py_model_positional_count(model, call);
  bool has_args = false, has_kwargs = false;
  Str missing = { 0 };
  for (PY_EACH_PARAM(model, param, function)) {
    bool is_plain = param->kind == PY_PARAM_PLAIN;
    has_args |= param->kind == PY_PARAM_ARGS;
    has_kwargs |= param->kind == PY_PARAM_KWARGS;
    bool is_passed = (is_plain && positional < given) || param->default_value || param->kind == PY_PARAM_ARGS ||
                     param->kind == PY_PARAM_KWARGS;
    for (uint32_t k = 0; k < call->argument_count && !is_passed; k++)
      is_passed = str_equal(py_model_arguments(model, call)[k].keyword, param->name);
    positional += is_plain;
    if (!is_passed && missing.len == 0)
      missing = param->name;
  }
  for (uint32_t k = 0; k < call->argument_count && !has_kwargs; k++) {
    Str keyword = py_model_arguments(model, call)[k].keyword;
    bool is_known = keyword.len == 0;
    for (uint32_t i = 0; i < function->param_count && !is_known; i++)
      is_known = str_equal(py_model_params(model, function)[i].name, keyword);
    if (!is_known)
      return arena_printf(sink->arena, "has no parameter '%.*s'", STR_ARG(keyword));
  }
  if (missing.len > 0)
    return arena_printf(sink->arena, "needs '%.*s', too", STR_ARG(missing));
  return given > positional && !has_args
             ? arena_printf(sink->arena, "takes %u arguments, and %u are given", positional, given)
             : (Str){ 0 };
}

/// Of a function with @parse_args, which wants a letter for each argument after the graph, and has no use for others.
static Str wrong_count(DiagSink *sink, const PyCall *call, const PyFunction *function)
{
  const PyModel *model = sink_python(sink)->model;
  uint32_t given = py_model_positional_count(model, call);
  return given > function->descriptor_count + 1
             ? arena_printf(sink->arena, "has @parse_args with %u letters, and %u arguments come after the graph",
                            function->descriptor_count, given - 1)
             : (Str){ 0 };
}

bool function_is_lost(const PyFile *file, const PyFunction *function)
{
  PyRef at = 0;
  PyRef expression = py_model_next_decorator(file->model, function->outer, &at);
  uint32_t decorator = expression ? py_model_callable(file->model, expression).function : PY_ABSENT;
  return decorator != PY_ABSENT && !file->model->functions.items[decorator].has_unknown_decorator &&
         py_file_ending(file, decorator) == PY_FALLS_THROUGH;
}

static void check_lost(DiagSink *sink, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  if (call->function == PY_ABSENT || !function_is_lost(file, &file->model->functions.items[call->function]) ||
      !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  Str name = file->model->functions.items[call->function].name;
  py_say(sink, RULE_HELPER_CALL, OWN, call->function_node,
         arena_printf(sink->arena,
                      "'%.*s' is None here, as its decorator returns nothing: let that return the function.",
                      STR_ARG(name)),
         NULL);
}

/// In symbolic functions only: what else a file does is not ours to judge.
static void check_own_arguments(DiagSink *sink, const PyCall *call, const PyFunction *function)
{
  const PyModel *model = sink_python(sink)->model;
  const uint32_t symbolic = PY_ROLE_HELPER | PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD;
  bool is_parsed = function->parse_args != PY_ABSENT && function->descriptors_known;
  bool is_known = !function->has_unknown_decorator &&
                  (function->is_static || (!function->class_node && (is_parsed || function->outer == function->node)));
  if (call->scope == PY_ABSENT || (model->functions.items[call->scope].roles & symbolic) == 0 || !is_known ||
      call->has_splat || call->has_dictionary_splat || call->argument_count > PY_KEYWORD_LIMIT ||
      function->param_count > PY_KEYWORD_LIMIT || !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  Str wrong = is_parsed ? wrong_count(sink, call, function) : wrong_arguments(sink, call, function);
  if (wrong.len > 0)
    py_say(sink, RULE_HELPER_CALL, OWN, call->node,
           arena_printf(sink->arena, "'%.*s' %.*s.", STR_ARG(function->name), STR_ARG(wrong)), NULL);
}

/// `g("Relu", x)`, `x(0)`, `g.opset()`
static void check_called(DiagSink *sink, const PyCall *call)
{
  const uint32_t others = PY_INT | PY_FLOAT | PY_BOOL | PY_STRING | PY_LIST | PY_DICT | PY_NONE | PY_DTYPE | PY_TYPE;
  const PyFile *file = sink_python(sink);
  PyValue value = py_file_value(file, call->function_node);
  bool is_graph = py_file_is_only(value, PY_GRAPH);
  bool is_other = call->scope != PY_ABSENT && py_file_is_only(value, others) &&
                  (file->model->functions.items[call->scope].roles & (PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD));
  if ((!is_graph && !is_other && !py_file_is_only(value, PY_VALUE)) || !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  Str name = str_slice(py_text(&file->model->tree, call->function_node), 0, 40);
  py_say(sink, RULE_HELPER_CALL, OWN, call->function_node,
         arena_printf(sink->arena, "'%.*s' is %.*s and can't be called%s", STR_ARG(name),
                      STR_ARG(py_file_value_text(value, sink->arena)), is_graph ? ": write g.op()." : "."),
         NULL);
}

/// `helper(x)` of a function of the file that takes the graph first; says whether that is so.
static bool check_graph_passed(DiagSink *sink, const PyCall *call, const PyFunction *function)
{
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *first = py_model_arguments(model, call);
  if (!first || first->keyword.len > 0 || first->is_splat || first->is_dictionary_splat ||
      (function->class_node && !function->is_static) || function->param_count == 0 || function->has_unknown_decorator ||
      (function->roles & (PY_ROLE_HELPER | PY_ROLE_REGISTERED)) == 0 ||
      !str_equal(py_model_params(model, function)->name, STR("g")) || !value_is_of_graph(sink, first->value))
    return false;
  py_say(sink, RULE_HELPER_CALL, OWN, first->value,
         arena_printf(sink->arena, "'%.*s' takes the graph first, and '%.*s' is a graph value: pass g on, too.",
                      STR_ARG(function->name), STR_ARG(str_slice(py_text(&model->tree, first->value), 0, 40))),
         NULL);
  return true;
}

/// What a call of a function of another file gives it wrongly; empty if nothing is.
static Str wrong_abroad(DiagSink *sink, const PyCall *call, const WorkspaceSignature *signature)
{
  const PyModel *model = sink_python(sink)->model;
  if (call->argument_count < signature->least)
    return arena_printf(sink->arena, "needs %u arguments, and %u are given", signature->least, call->argument_count);
  if (call->argument_count > signature->most)
    return arena_printf(sink->arena, "takes %u arguments, and %u are given", signature->most, call->argument_count);
  uint32_t positional = py_model_positional_count(model, call);
  if (positional > signature->positional)
    return arena_printf(sink->arena, "takes %u arguments by position, and %u are given", signature->positional,
                        positional);
  const PyArgument *first = py_model_arguments(model, call);
  if (signature->takes_graph && positional > 0 && value_is_of_graph(sink, first->value))
    return arena_printf(sink->arena, "takes the graph first, and '%.*s' is a graph value",
                        STR_ARG(str_slice(py_text(&model->tree, first->value), 0, 40)));
  for (uint32_t i = 0; i < call->argument_count && i < 32; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (argument->keyword.len == 0 && (signature->tensors >> i & 1) && value_is_of_graph(sink, argument->value))
      return arena_printf(sink->arena,
                          "asks argument %u what a tensor has, such as its shape, and '%.*s' is a graph value", i + 1,
                          STR_ARG(str_slice(py_text(&model->tree, argument->value), 0, 40)));
    if (argument->keyword.len == 0 && (signature->attributes >> i & 1) && value_is_of_graph(sink, argument->value))
      return arena_printf(sink->arena, "makes an attribute of argument %u, and '%.*s' is a graph value", i + 1,
                          STR_ARG(str_slice(py_text(&model->tree, argument->value), 0, 40)));
  }
  return (Str){ 0 };
}

/// A call, in a symbolic function, of a function of another file of the workspace.
static void check_foreign(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const uint32_t symbolic = PY_ROLE_HELPER | PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD;
  if (call->scope == PY_ABSENT || (model->functions.items[call->scope].roles & symbolic) == 0 || call->has_splat ||
      call->has_dictionary_splat || call->argument_count > PY_KEYWORD_LIMIT)
    return;
  const WorkspaceSymbolic *found = py_file_foreign_function(sink_python(sink), call);
  Str wrong = found && found->signature.is_known && !found->is_builtin ? wrong_abroad(sink, call, &found->signature)
                                                                       : (Str){ 0 };
  if (wrong.len > 0 && sink_wants(sink, RULE_HELPER_CALL, OWN))
    py_say(sink, RULE_HELPER_CALL, OWN, call->node,
           arena_printf(sink->arena, "'%.*s' %.*s.", STR_ARG(found->function), STR_ARG(wrong)), NULL);
}

void value_check_own_call(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  bool is_method = call->method != PY_ABSENT && model->functions.items[call->method].is_static;
  uint32_t own = is_method ? call->method : call->function;
  check_called(sink, call);
  check_lost(sink, call);
  if (own == PY_ABSENT)
    check_foreign(sink, call);
  if (own != PY_ABSENT && !check_graph_passed(sink, call, &model->functions.items[own]))
    check_own_arguments(sink, call, &model->functions.items[own]);
}

/// What the graph of a symbolic function has: a GraphContext, and the torch._C.Graph in it.
static const char *const graph_members[] = {
  "addInput",
  "alias_db",
  "appendNode",
  "at",
  "aten_op",
  "block",
  "constant",
  "copy",
  "create",
  "createClone",
  "createCudaFusionGroup",
  "createFusionGroup",
  "dump_alias_db",
  "env",
  "eraseInput",
  "eraseOutput",
  "findAllNodes",
  "findNode",
  "global_print_source_ranges",
  "graph",
  "inputs",
  "insert",
  "insertConstant",
  "insertGraph",
  "insertNode",
  "insertPoint",
  "insert_point_guard",
  "lint",
  "makeMultiOutputIntoTuple",
  "new_nodes",
  "nodes",
  "onnxscript_op",
  "op",
  "opset",
  "original_node",
  "outputs",
  "param_node",
  "params_dict",
  "permuteInputs",
  "prependNode",
  "registerOutput",
  "return_node",
  "setInsertPoint",
  "set_global_print_source_ranges",
  "str",
  "values_in_env",
};

static bool is_graph_member(Str name)
{
  return str_is_one_of(name, graph_members, COUNT(graph_members)) || str_starts_with(name, STR("_"));
}

/// `g.op.Elu(x)`
static void check_method_member(DiagSink *sink, PyRef node)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  PyRef method = py_tree_object(tree, node);
  PyRef graph = method && str_equal(py_tree_member_name(tree, method), STR("op")) ? py_tree_object(tree, method) : 0;
  Str name = py_tree_member_name(tree, node);
  if (!graph || !py_file_is_only(py_file_value(file, graph), PY_GRAPH) || str_starts_with(name, STR("__")) ||
      !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  py_say(sink, RULE_HELPER_CALL, OWN, node,
         arena_printf(sink->arena,
                      "'op' is a method, and takes the name of the operator: write %.*s.op(\"%.*s\", ...).",
                      STR_ARG(py_text(tree, graph)), STR_ARG(name)),
         NULL);
}

void value_check_graph_member(DiagSink *sink, PyRef node)
{
  const PyFile *file = sink_python(sink);
  uint32_t scope = py_model_scope_of(file->model, node);
  // Other libraries have graphs of their own, and functions that take them.
  const uint32_t symbolic = PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD;
  if (scope == PY_ABSENT || (file->model->functions.items[scope].roles & symbolic) == 0)
    return;
  const PyTree *tree = &file->model->tree;
  PyRef name = py_tree_member(tree, node);
  PyRef object = py_tree_object(tree, node);
  if (!file->model->has_own_op)
    check_method_member(sink, node);
  if (!name || !object || py_kind(tree, object) != PYK_IDENTIFIER ||
      !py_file_is_only(py_file_value(file, object), PY_GRAPH) || is_graph_member(py_text(tree, name)) ||
      tree->nodes[node].field == PY_F_LEFT || file->torch_is_before || file->model->has_own_op ||
      py_is_torch_itself(file->model) || py_file_asks_version(file, node) || !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  bool is_opset = str_find(py_text(tree, name), STR("opset"), 0) != STR_NOT_FOUND;
  py_say(sink, RULE_HELPER_CALL, OWN, name,
         arena_printf(sink->arena, "The graph has no '%.*s'%s", STR_ARG(py_text(tree, name)),
                      is_opset ? ": its opset is 'opset'." : "."),
         NULL);
}
