// Parameters of symbolic functions: the graph, their number, order and names.

#include "base/limits.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/function_check.h"
#include "python/rules/symbolic/used_overloads.h"

// --- missing-graph-parameter ---

static void report_missing_graph(const FunctionCheck *check)
{
  DiagSink *sink = check->sink;
  if (!sink_wants(sink, RULE_MISSING_GRAPH_PARAMETER, OWN))
    return;
  const PyFunction *function = check->function;
  Diagnostic diagnostic = {
    .message = STR("The first parameter of a symbolic function has to be the graph, g; the exporter passes it first."),
  };
  if (function->param_count > 0) {
    Range at = py_range(sink, py_model_params(check->model, function)->node);
    diagnostic.fixes = py_fix(sink, true, STR("Add the parameter g"), (Range){ at.start, at.start }, STR("g, "));
    diagnostic.fix_count = 1;
  }
  py_report(sink, RULE_MISSING_GRAPH_PARAMETER, OWN, function_place(check), diagnostic);
}

// --- parameter-count ---

static Str accepted_text(const FunctionCheck *check)
{
  Arena *arena = check->sink->arena;
  if (check->has_args)
    return arena_printf(arena, "at least %u", check->required);
  if (check->required == check->param_count)
    return arena_printf(arena, "%u", check->param_count);
  return arena_printf(arena, "%u to %u", check->required, check->param_count);
}

static bool check_count(const FunctionCheck *check)
{
  if (check->overload_count == 0 || check->any_fits)
    return true;
  DiagSink *sink = check->sink;
  const TorchOverload *best = function_best_overload(check);
  // @parse_args cuts off what the function has no parameter for, and nobody hears of it.
  bool is_cut = check->function->parse_args != PY_ABSENT;
  for (uint32_t i = 0; i < check->overload_count; i++)
    is_cut &= check->overloads[i]->argument_count > check->param_count;
  Severity severity = is_cut ? SEVERITY_WARNING : OWN;
  // With too few letters nothing is cut off: that fails, and parse-args-too-few tells it.
  bool is_told = is_cut && check->function->descriptor_count < best->argument_count;
  if (is_told || !sink_wants(sink, RULE_PARAMETER_COUNT, severity))
    return false;
  Str message =
      is_cut
          ? arena_printf(sink->arena, "%.*s has %u arguments, and @parse_args silently drops all after the first %u.",
                         STR_ARG(function_signature(check, best)), best->argument_count, check->param_count)
          : arena_printf(sink->arena, "The exporter passes %u argument%s after g, %.*s; this function takes %.*s.",
                         best->argument_count, best->argument_count == 1 ? "" : "s",
                         STR_ARG(function_signature(check, best)), STR_ARG(accepted_text(check)));
  py_say(sink, RULE_PARAMETER_COUNT, severity, function_place(check), message, function_fix_parameters(check));
  return false;
}

/// aten::upsample_bilinear2d and its like: torch.nn.functional.interpolate() always becomes the overload `vec`, which
/// has the sizes and factors as two arguments. Run with torch 1.13, 2.6 and 2.14. Says whether the function takes that.
static bool check_resize(const FunctionCheck *check)
{
  DiagSink *sink = check->sink;
  const TorchOverload *vec = NULL;
  uint32_t count = str_starts_with(check->name, STR("aten::upsample_")) ? check->overload_count : 0;
  for (uint32_t i = 0; i < count; i++) {
    if (str_equal(check->overloads[i]->overload, STR("vec")))
      vec = check->overloads[i];
  }
  if (!vec || function_takes(check, vec) || check->file->torch_is_before || check->model->is_builtin)
    return true;
  if (sink_wants(sink, RULE_PARAMETER_COUNT, SEVERITY_WARNING))
    py_say(sink, RULE_PARAMETER_COUNT, SEVERITY_WARNING, function_place(check),
           arena_printf(sink->arena,
                        "interpolate() and nn.Upsample become %.*s, and the exporter passes %u arguments after g; this "
                        "function takes %.*s.",
                        STR_ARG(function_signature(check, vec)), vec->argument_count, STR_ARG(accepted_text(check))),
           NULL);
  return false;
}

/// `*rest` after @parse_args gets one argument at most.
static void check_rest(const FunctionCheck *check)
{
  DiagSink *sink = check->sink;
  if (!check->has_args || check->function->parse_args == PY_ABSENT || check->overload_count == 0)
    return;
  for (uint32_t i = 0; i < check->overload_count; i++) {
    if (check->overloads[i]->argument_count < check->param_count + 2)
      return;
  }
  if (sink_wants(sink, RULE_PARAMETER_COUNT, SEVERITY_WARNING))
    py_report(sink, RULE_PARAMETER_COUNT, SEVERITY_WARNING, function_place(check),
              (Diagnostic){ .message = STR("Under @parse_args the starred parameter gets one argument at most; the "
                                           "others are dropped silently.") });
}

// --- parameter-order, parameter-names ---

static uint32_t find_argument(const TorchOverload *overload, Str name)
{
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    if (str_equal(overload->arguments[i].name, name))
      return i;
  }
  return UINT32_MAX;
}

/// Two parameters have each other's names: the position of the first in `ret_position`.
static bool is_swapped(const FunctionCheck *check, const TorchOverload *overload, uint32_t *ret_position)
{
  uint32_t count = check->param_count < overload->argument_count ? check->param_count : overload->argument_count;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t other = find_argument(overload, check->params[i].name);
    if (other == UINT32_MAX || other == i || other >= count)
      continue;
    if (str_equal(check->params[other].name, overload->arguments[i].name)) {
      *ret_position = i;
      return true;
    }
  }
  return false;
}

/// Says whether the order is right as far as names tell.
static bool check_order(const FunctionCheck *check)
{
  DiagSink *sink = check->sink;
  uint32_t position = 0;
  bool any = false;
  for (uint32_t i = 0; i < check->overload_count; i++) {
    if (!function_counts(check, check->overloads[i]))
      continue;
    if (!is_swapped(check, check->overloads[i], &position))
      return true;
    any = true;
  }
  if (!any)
    return true;
  const TorchOverload *best = function_best_overload(check);
  Str name = check->params[position].name;
  if (sink_wants(sink, RULE_PARAMETER_ORDER, OWN))
    py_report(sink, RULE_PARAMETER_ORDER, OWN, check->params[position].name_node,
              (Diagnostic){ .message = arena_printf(sink->arena,
                                                    "Arguments are passed by position, as in %.*s; '%.*s' is number %u "
                                                    "there, not %u.",
                                                    STR_ARG(function_signature(check, best)), STR_ARG(name),
                                                    find_argument(best, name) + 1, position + 1) });
  return false;
}

static bool has_same_names(const FunctionCheck *check, const TorchOverload *overload)
{
  // What the first tensor is called is nobody's mistake.
  for (uint32_t i = 1; i < check->param_count && i < overload->argument_count; i++) {
    Str name = check->params[i].name;
    bool is_same = str_equal(name, overload->arguments[i].name) || str_starts_with(name, STR("_"));
    if (!is_same)
      return false;
  }
  return true;
}

static void check_names(const FunctionCheck *check)
{
  DiagSink *sink = check->sink;
  if (check->model->is_builtin || check->overload_count == 0 || check->param_count == 0)
    return;
  for (uint32_t i = 0; i < check->overload_count; i++) {
    if (has_same_names(check, check->overloads[i]))
      return;
  }
  if (!sink_wants(sink, RULE_PARAMETER_NAMES, OWN))
    return;
  py_report(sink, RULE_PARAMETER_NAMES, OWN, function_place(check),
            (Diagnostic){ .message = arena_printf(sink->arena,
                                                  "Parameters have other names than in %.*s; arguments are passed by "
                                                  "position.",
                                                  STR_ARG(function_signature(check, function_best_overload(check)))) });
}

// --- prim::PythonOp ---

static bool takes_keyword(const FunctionCheck *check, Str name)
{
  for (uint32_t i = 0; i < check->function->param_count; i++) {
    const PyParam *param = &py_model_params(check->model, check->function)[i];
    if (param->kind == PY_PARAM_KWARGS || str_equal(param->name, name))
      return true;
  }
  return false;
}

/// `def symbolic(g, x)`: the exporter gives it keywords, too, of which @parse_args lets no more than one pass.
static void check_python_op_keywords(const FunctionCheck *check)
{
  static const Str keywords[] = { STR_INIT("name"), STR_INIT("module"), STR_INIT("inplace") };
  DiagSink *sink = check->sink;
  if (!str_equal(check->name, STR("prim::PythonOp")) || check->file->torch_is_before ||
      !sink_wants(sink, RULE_PARAMETER_COUNT, OWN))
    return;
  const char *words = check->function->parse_args != PY_ABSENT
                          ? ", and @parse_args refuses more than one: read the arguments without it."
                          : NULL;
  for (size_t i = 0; i < COUNT(keywords) && !words; i++)
    words = takes_keyword(check, keywords[i]) ? NULL : ": add **kwargs.";
  if (words)
    py_say(
        sink, RULE_PARAMETER_COUNT, OWN, function_place(check),
        arena_printf(sink->arena, "For prim::PythonOp the exporter passes name=, module= and inplace=, too%s", words),
        NULL);
}

static void say_node_parameter(const FunctionCheck *check)
{
  if (sink_wants(check->sink, RULE_PARAMETER_COUNT, OWN))
    py_say(check->sink, RULE_PARAMETER_COUNT, OWN, check->params[0].node,
           arena_printf(check->sink->arena,
                        "Since torch 1.13 '%.*s' is the first input: the node is %.*s.original_node.",
                        STR_ARG(check->params[0].name), STR_ARG(check->params[-1].name)),
           NULL);
}

/// `def symbolic(g, n, *args)`: before torch 1.13 the second argument was the node, and since then it is an input.
static void check_python_op(const FunctionCheck *check)
{
  static const char *const members[] = { "pyname", "pyobj", "scalar_args", "outputs",
                                         "inputs", "kind",  "output",      "input" };
  const PyTree *tree = &check->model->tree;
  PyRef body = check->function->body;
  if (!str_equal(check->name, STR("prim::PythonOp")) || check->param_count == 0 || !body ||
      check->file->torch_is_before)
    return;
  bool is_called_node = str_is(check->params[0].name, "n") || str_is(check->params[0].name, "node");
  if (is_called_node && check->has_args && !py_file_asks_version(check->file, body)) {
    say_node_parameter(check);
    return;
  }
  for (PY_EACH_NODE(tree, node, body)) {
    PyRef object = py_tree_object(tree, node);
    if (!object || py_kind(tree, object) != PYK_IDENTIFIER ||
        !str_equal(py_text(tree, object), check->params[0].name) ||
        !str_is_one_of(py_tree_member_name(tree, node), members, COUNT(members)) ||
        py_file_asks_version(check->file, node))
      continue;
    say_node_parameter(check);
    return;
  }
}

// --- All functions ---

// --- unregistered-symbolic ---

/// A function that is symbolic by its looks alone: what is said of it is true if it is registered for that operator.
static void check_unregistered(const FunctionCheck *check)
{
  DiagSink *sink = check->sink;
  const TorchOperator *op =
      check->file->shaped_functions[check->index] ? py_file_operator_by_shape(check->file, check->index) : NULL;
  if (!op || py_is_torch_itself(check->model) || !sink_wants(sink, RULE_UNREGISTERED_SYMBOLIC, OWN))
    return;
  py_report(sink, RULE_UNREGISTERED_SYMBOLIC, OWN, check->function->name_node,
            (Diagnostic){ .message = arena_printf(sink->arena,
                                                  "Nothing in sight registers this function: it is judged as one for "
                                                  "aten::%.*s. Register it to be sure.",
                                                  STR_ARG(check->function->name)) });
}

/// A function of the name of an operator, in a file that registers what can't be read off it: `for name, function in
/// globals().items()`. Whether it is registered is not sure.
static void check_supposed(const FunctionCheck *check)
{
  DiagSink *sink = check->sink;
  if (check->overload_count == 0 || check->any_fits || check->function->parse_args != PY_ABSENT ||
      !sink_wants(sink, RULE_PARAMETER_COUNT, SEVERITY_WARNING))
    return;
  const TorchOverload *best = function_best_overload(check);
  py_say(
      sink, RULE_PARAMETER_COUNT, SEVERITY_WARNING, function_place(check),
      arena_printf(sink->arena,
                   "If the file registers this for %.*s, as its name says, the exporter passes %u argument%s after g, "
                   "%.*s; this function takes %.*s.",
                   STR_ARG(check->name), best->argument_count, best->argument_count == 1 ? "" : "s",
                   STR_ARG(function_signature(check, best)), STR_ARG(accepted_text(check))),
      NULL);
}

static void check_function(DiagSink *sink, uint32_t index, OperatorUses *uses)
{
  FunctionCheck check;
  if (!function_check_begin(&check, sink, index))
    return;
  check_unregistered(&check);
  if (function_lacks_graph(&check)) {
    report_missing_graph(&check);
    return;
  }
  PyNames names = py_file_registered_names(check.file, index, sink->arena);
  for (size_t i = 0; i < names.count && i < PY_FUNCTION_NAME_LIMIT; i++) {
    function_check_name(&check, names.items[i]);
    check_python_op(&check);
    check_python_op_keywords(&check);
    bool fits = check_count(&check) && check_resize(&check) && check_used_overloads(&check, uses);
    bool is_ordered = check_order(&check);
    check_rest(&check);
    if (fits)
      check_used_constants(&check, uses);
    if (is_ordered)
      check_names(&check);
    size_t said = sink->serious.count;
    if (fits || check.function->parse_args != PY_ABSENT)
      function_check_parse_args(&check, is_ordered);
    if (!fits || sink->serious.count > said)
      return;  // Other names would say the same again.
  }
  if (names.count == 0) {
    Str supposed = py_file_supposed_operator(check.file, index, sink->arena);
    function_check_name(&check, supposed);
    if (supposed.len > 0)
      check_supposed(&check);
    function_check_parse_args(&check, supposed.len > 0 && check.any_fits);
  }
}

void check_python_functions(DiagSink *sink)
{
  OperatorUses uses = { 0 };
  for (uint32_t i = 0; i < sink_python(sink)->model->functions.count; i++)
    check_function(sink, i, &uses);
}
