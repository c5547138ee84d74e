// What symbolic functions return: something on every path, graph values, as many as the operator has outputs.

#include "base/limits.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/function_check.h"

// --- Paths ---

/// Operators that carry no value, such as prim::Print: nothing to return is right.
static bool is_valueless(PyNames names)
{
  for (size_t i = 0; i < names.count; i++) {
    if (str_starts_with(names.items[i], STR("prim::")) || str_starts_with(names.items[i], STR("onnx::")))
      return true;
  }
  return false;
}

static void check_paths(const FunctionCheck *check, PyNames names)
{
  DiagSink *sink = check->sink;
  PyEnding ending = py_file_ending(check->file, check->index);
  if (ending == PY_ENDS_AS_GENERATOR && py_file_torch_is_before(check->file, BEFORE_ITERABLES) &&
      sink_wants(sink, RULE_RETURN_PYTHON_VALUE, OWN))
    py_say(sink, RULE_RETURN_PYTHON_VALUE, OWN, function_place(check),
           STR("With `yield` in it this gives back a generator; a symbolic function has to return a graph value."),
           NULL);
  if (str_starts_with(py_text(&check->model->tree, check->function->node), STR("async ")))
    py_say(sink, RULE_RETURN_PYTHON_VALUE, OWN, function_place(check),
           STR("An `async` function gives back a coroutine; a symbolic function has to return a graph value."), NULL);
  Severity severity = ending == PY_MAY_FALL_THROUGH ? SEVERITY_WARNING : OWN;
  if ((ending != PY_MAY_FALL_THROUGH && ending != PY_FALLS_THROUGH) || is_valueless(names) ||
      !sink_wants(sink, RULE_MISSING_RETURN, severity))
    return;
  const char *message = ending == PY_MAY_FALL_THROUGH
                            ? "Not every path returns a value; where none is returned, the export fails."
                            : "No value is returned, so the exporter can't convert the operator.";
  py_report(sink, RULE_MISSING_RETURN, severity, function_place(check), (Diagnostic){ .message = str_from(message) });
}

/// The last statement of a function, if that raises: `raise ...`, `return _unimplemented(...)`, or the call alone. Else
/// 0.
static PyRef raising_end(const FunctionCheck *check)
{
  const PyTree *tree = &check->model->tree;
  PyRef last = 0;
  for (PY_EACH_CHILD(tree, statement, check->function->body))
    last = statement;
  PyNodeKind kind = py_kind(tree, last);
  bool is_call = (kind == PYK_RETURN_STATEMENT || kind == PYK_EXPRESSION_STATEMENT) &&
                 py_model_call(check->model, py_first_child(tree, last));
  return kind == PYK_RAISE_STATEMENT || is_call ? last : 0;
}

/// symbolic() of an autograd function that no class of the file replaces.
static bool is_applied(const FunctionCheck *check)
{
  return (check->function->roles & PY_ROLE_AUTOGRAD) &&
         !py_model_is_overridden(check->model, check->function->class_node, check->function->name);
}

/// A function that raises whatever it gets: with it no model can be exported that has the operator.
static void check_raising(const FunctionCheck *check, PyNames names)
{
  DiagSink *sink = check->sink;
  PyRef end = py_file_ending(check->file, check->index) == PY_ENDS_WITH_RAISE ? raising_end(check) : 0;
  bool is_registered = names.count > 0 && !is_valueless(names);
  if (!end || !(is_registered || is_applied(check)) || check->model->is_builtin || check->file->keeps_operators ||
      !sink_wants(sink, RULE_MISSING_RETURN, is_registered ? SEVERITY_WARNING : SEVERITY_INFO))
    return;
  Str what = is_registered ? names.items[0] : STR("this function");
  // What is not registered may be there to say just that.
  py_say(sink, RULE_MISSING_RETURN, is_registered ? SEVERITY_WARNING : SEVERITY_INFO, end,
         arena_printf(sink->arena, "This is always reached and raises, so no model that uses %.*s can be exported.",
                      STR_ARG(what)),
         NULL);
}

// --- Values ---

static bool is_python_value(PyValue value)
{
  const uint32_t python = PY_INT | PY_FLOAT | PY_BOOL | PY_STRING | PY_DTYPE | PY_DICT | PY_FUNCTION | PY_GRAPH |
                          PY_TENSOR | PY_OBJECT | PY_ARRAY | PY_TYPE;
  if (py_file_is_only(value, python))
    return true;
  return py_file_is_only(value, PY_LIST) && value.elements != 0 && (value.elements & ~(python | PY_LIST)) == 0;
}

static void report_python_value(DiagSink *sink, PyRef node, PyValue value)
{
  if (!sink_wants(sink, RULE_RETURN_PYTHON_VALUE, OWN))
    return;
  Str what = py_file_value_text(value, sink->arena);
  Str message = arena_printf(
      sink->arena, "This is %.*s; a symbolic function has to return a graph value%s.", STR_ARG(what),
      py_file_is_only(value, PY_LIST)                                   ? " for each output"
      : py_file_is_only(value, PY_INT | PY_FLOAT | PY_BOOL | PY_TENSOR) ? ", such as g.op(\"Constant\", value_t=...)"
                                                                        : "");
  py_report(sink, RULE_RETURN_PYTHON_VALUE, OWN, node, (Diagnostic){ .message = message });
}

/// How many outputs a value stands for; -1 if that is not known.
static int output_count(PyValue value)
{
  if (py_file_is_only(value, PY_VALUE))
    return 1;
  return py_file_is_only(value, PY_LIST) ? value.length : -1;
}

static bool returns_list(const TorchOverload *overload)
{
  for (uint32_t i = 0; i < overload->return_count; i++) {
    if (str_ends_with(overload->returns[i].type, STR("[]")))
      return true;
  }
  return overload->has_varreturns || overload->return_count == 0;
}

static void check_return_count(const FunctionCheck *check, PyRef node, int count)
{
  DiagSink *sink = check->sink;
  uint32_t outputs = 0;
  for (uint32_t i = 0; i < check->overload_count; i++) {
    const TorchOverload *overload = check->overloads[i];
    if (!function_counts(check, overload))
      continue;
    if (returns_list(overload) || overload->return_count == (uint32_t)count)
      return;
    outputs = overload->return_count;
  }
  if (outputs == 0 || !sink_wants(sink, RULE_RETURN_COUNT, OWN))
    return;
  py_report(sink, RULE_RETURN_COUNT, OWN, node,
            (Diagnostic){ .message = arena_printf(sink->arena, "%d value%s returned, and %.*s has %u output%s.", count,
                                                  count == 1 ? " is" : "s are", STR_ARG(check->name), outputs,
                                                  outputs == 1 ? "" : "s") });
}

/// The name that an output has in Python, where it is a part of a named tuple: "indices". Others are for PyTorch's own
/// use.
static Str output_name(const FunctionCheck *check, uint32_t position)
{
  for (uint32_t i = 0; i < check->overload_count; i++) {
    const TorchOverload *overload = check->overloads[i];
    if (function_counts(check, overload) && position < overload->return_count)
      return overload->returns[position].name;
  }
  return (Str){ 0 };
}

static void report_none_output(const FunctionCheck *check, PyRef item, uint32_t position)
{
  DiagSink *sink = check->sink;
  Str name = output_name(check, position);
  Severity severity = name.len > 0 ? SEVERITY_WARNING : OWN;
  if (!sink_wants(sink, RULE_RETURN_NONE_OUTPUT, severity))
    return;
  Str called = name.len > 0 ? arena_printf(sink->arena, ", '%.*s',", STR_ARG(name)) : STR("");
  py_report(sink, RULE_RETURN_NONE_OUTPUT, severity, item,
            (Diagnostic){ .message =
                              arena_printf(sink->arena, "Output %u%.*s is None: the export fails if the model uses it.",
                                           position + 1, STR_ARG(called)) });
}

/// `return y, None`: fails if the model uses that output.
static void check_none_outputs(const FunctionCheck *check, PyRef node)
{
  const PyTree *tree = &check->model->tree;
  PyNodeKind kind = py_kind(tree, node);
  if (kind != PYK_EXPRESSION_LIST && kind != PYK_TUPLE && kind != PYK_LIST)
    return;
  uint32_t position = 0;
  for (PyRef item = py_tree_first_element(tree, node); item; item = py_tree_next_element(tree, item), position++) {
    if (py_kind(tree, item) == PYK_NONE)
      report_none_output(check, item, position);
  }
}

/// `return helper(g, x)`, where helper() reaches its end without a value on some path.
static void check_helper_ending(const FunctionCheck *check, PyNames names, PyRef node)
{
  const PyModel *model = check->model;
  const PyCall *call = py_model_call(model, py_tree_strip(&model->tree, node));
  uint32_t own = call ? call->function : PY_ABSENT;
  if (own == PY_ABSENT || is_valueless(names))
    return;
  const PyFunction *helper = &model->functions.items[own];
  PyEnding ending = py_file_ending(check->file, own);
  if ((ending != PY_MAY_FALL_THROUGH && ending != PY_FALLS_THROUGH) || helper->has_unknown_decorator ||
      (helper->roles & PY_ROLE_HELPER) == 0 || !sink_wants(check->sink, RULE_MISSING_RETURN, SEVERITY_WARNING))
    return;
  py_say(check->sink, RULE_MISSING_RETURN, SEVERITY_WARNING, node,
         arena_printf(check->sink->arena,
                      "'%.*s' returns no value on some path; where that one is taken, the export fails.",
                      STR_ARG(helper->name)),
         NULL);
}

/// `return g.op(...) if condition else None`
static void check_none_branch(const FunctionCheck *check, PyNames names, PyRef node)
{
  const PyTree *tree = &check->model->tree;
  PyRef choice = py_tree_strip(tree, node);
  if (py_kind(tree, choice) != PYK_CONDITIONAL_EXPRESSION || names.count == 0 || is_valueless(names) ||
      check->model->is_builtin)
    return;
  PyRef yes = py_first_child(tree, choice);
  PyRef condition = yes ? py_next_sibling(tree, yes) : 0;
  PyRef no = condition ? py_next_sibling(tree, condition) : 0;
  PyRef none = yes && py_kind(tree, yes) == PYK_NONE ? yes : no && py_kind(tree, no) == PYK_NONE ? no : 0;
  if (none)
    py_say(check->sink, RULE_MISSING_RETURN, SEVERITY_WARNING, none,
           STR("This is None; where it is returned, the export fails."), NULL);
}

/// A set or a generator, which torch goes through only since 2.9.
static bool is_refused_iterable(const FunctionCheck *check, PyRef node)
{
  PyNodeKind kind = py_kind(&check->model->tree, py_tree_strip(&check->model->tree, node));
  return (kind == PYK_SET || kind == PYK_GENERATOR_EXPRESSION || kind == PYK_SET_COMPREHENSION) &&
         py_file_torch_is_before(check->file, BEFORE_ITERABLES);
}

static void check_value(FunctionCheck *check, PyNames names, PyRef node)
{
  PyValue value = py_file_value(check->file, node);
  check_none_branch(check, names, node);
  check_helper_ending(check, names, node);
  if (py_file_is_only(value, PY_NONE)) {
    py_say(check->sink, RULE_MISSING_RETURN, OWN, node,
           STR("This is None, so the exporter can't convert the operator."), NULL);
    return;
  }
  if (is_python_value(value)) {
    report_python_value(check->sink, node, value);
    return;
  }
  if (is_refused_iterable(check, node)) {
    py_say(check->sink, RULE_RETURN_PYTHON_VALUE, OWN, node,
           STR("This is no list; a symbolic function has to return a graph value, or a list of them."), NULL);
    return;
  }
  int count = output_count(value);
  bool is_right = true;
  for (size_t i = 0; count >= 0 && i < names.count && i < PY_FUNCTION_NAME_LIMIT; i++) {
    size_t before = check->sink->serious.count;
    function_check_name(check, names.items[i]);
    check_return_count(check, node, count);
    is_right &= check->sink->serious.count == before;
    if (!is_right)
      break;
  }
  if (is_right && !check->model->is_builtin)
    check_none_outputs(check, py_tree_strip(&check->model->tree, node));
}

static void report_empty_return(DiagSink *sink, PyRef node)
{
  if (sink_wants(sink, RULE_MISSING_RETURN, SEVERITY_WARNING))
    py_report(sink, RULE_MISSING_RETURN, SEVERITY_WARNING, node,
              (Diagnostic){ .message = STR("No value is returned here; where this is reached, the export fails.") });
}

static void check_returns(FunctionCheck *check, PyNames names)
{
  const PyTree *tree = &check->model->tree;
  PyRef body = check->function->body;
  if (!body)
    return;
  if (py_kind(tree, check->function->node) == PYK_LAMBDA) {
    check_value(check, names, body);
    return;
  }
  for (PY_EACH_NODE(tree, node, body)) {
    PyNodeKind kind = py_kind(tree, node);
    if (py_runs_elsewhere(kind))
      node = tree->nodes[node].next - 1;
    if (kind != PYK_RETURN_STATEMENT)
      continue;
    PyRef value = py_first_child(tree, node);
    bool is_asked = (names.count > 0 || is_applied(check)) && !is_valueless(names);
    bool is_given_up = value && py_kind(tree, value) == PYK_NONE &&
                       (check->function->return_count > 1 || !is_asked || check->model->is_builtin);
    if (value && !is_given_up)
      check_value(check, names, value);
    else if (!value && is_asked)
      report_empty_return(check->sink, node);
  }
}

/// A symbolic() of torch.autograd.Function: what it has to return is in forward().
static bool begin_autograd(FunctionCheck *check, DiagSink *sink, uint32_t index)
{
  const PyModel *model = sink_python(sink)->model;
  const PyFunction *function = &model->functions.items[index];
  *check =
      (FunctionCheck){ .sink = sink, .file = sink_python(sink), .model = model, .index = index, .function = function };
  return (function->roles & PY_ROLE_AUTOGRAD) != 0;
}

void check_python_returns(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    FunctionCheck check;
    if (function_check_begin(&check, sink, i)) {
      if (function_lacks_graph(&check))
        continue;
    } else if (!begin_autograd(&check, sink, i)) {
      continue;
    }
    PyNames names = py_file_registered_names(check.file, i, sink->arena);
    check_paths(&check, names);
    check_raising(&check, names);
    check_returns(&check, names);
  }
}
