// Parameters of symbolic functions: the graph, their number, order and names, and what @parse_args makes of them.

#include "rules/python_function.h"

#define OWN ((Severity)SEVERITY_DEFAULT)

enum { NAME_LIMIT = 16 };  // Operators that one function is checked against.

// --- What is known of a function ---

bool function_check_begin(FunctionCheck *check, DiagSink *sink, uint32_t index)
{
  const PyModel *model = sink->python->model;
  const PyFunction *function = &model->functions.items[index];
  *check = (FunctionCheck){ .sink = sink, .file = sink->python, .model = model, .index = index, .function = function };
  if ((function->roles & PY_ROLE_REGISTERED) == 0 || function->has_unknown_decorator)
    return false;
  for (PY_EACH_REGISTRATION(model, registration, index)) {
    // What torch doesn't have is never converted, so nothing is passed to the function.
    bool is_dead = str_starts_with(registration->name, STR("aten::")) && !py_torch_operator(check->file, registration->name);
    is_dead |= !check->model->is_builtin && !py_is_ever_chosen(check->file, registration);
    if (registration->has_applied_params || registration->is_opaque || is_dead)
      return false;
  }
  check->params = model->params.items + py_input_params(check->file, index, &check->param_count);
  while (check->required < check->param_count && !check->params[check->required].default_value)
    check->required++;
  for (uint32_t i = 0; i < function->param_count; i++)
    check->has_args |= model->params.items[function->first_param + i].kind == PY_PARAM_ARGS;
  return true;
}

bool function_takes(const FunctionCheck *check, const TorchOverload *overload)
{
  return overload->argument_count >= check->required &&
         (check->has_args || overload->argument_count <= check->param_count);
}

/// `out=`: nobody writes a symbolic function for it.
static bool is_out_variant(const TorchOverload *overload)
{
  const TorchArgument *last = overload->argument_count > 0 ? &overload->arguments[overload->argument_count - 1] : NULL;
  return last && last->is_kwarg_only && str_ends_with(last->alias, STR("!"));
}

static bool is_packed(const TorchOverload *overload)
{
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    if (str_find(overload->arguments[i].type, STR("__torch__"), 0) != STR_NOT_FOUND)
      return true;
  }
  return false;
}

void function_check_name(FunctionCheck *check, Str name)
{
  const TorchOperator *op = py_torch_operator(check->file, name);
  const TorchOverload **overloads = ARENA_ARRAY(check->sink->arena, const TorchOverload *, op ? op->overload_count : 0);
  check->name = name;
  check->overloads = overloads;
  check->overload_count = 0;
  check->any_fits = false;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (!py_overload_applies(check->file, overload) || overload->has_varargs || is_out_variant(overload))
      continue;
    if (is_packed(overload)) {
      check->overload_count = 0;  // A pass unpacks the weights: the function gets other arguments.
      check->any_fits = true;
      return;
    }
    overloads[check->overload_count++] = overload;
    check->any_fits |= function_takes(check, overload);
  }
}

PyRef function_place(const FunctionCheck *check)
{
  return check->function->name_node ? check->function->name_node : check->function->node;
}

/// Overloads that tell something: those that fit the number of parameters, or all if none does.
static bool counts(const FunctionCheck *check, const TorchOverload *overload)
{
  return !check->any_fits || function_takes(check, overload);
}

/// "elu(self, alpha, scale, input_scale)"
static Str signature_text(const FunctionCheck *check, const TorchOverload *overload)
{
  Arena *arena = check->sink->arena;
  Str text = arena_printf(arena, "%.*s(", STR_ARG(check->name));
  for (uint32_t i = 0; i < overload->argument_count; i++)
    text = arena_printf(arena, "%.*s%s%.*s", STR_ARG(text), i > 0 ? ", " : "", STR_ARG(overload->arguments[i].name));
  return arena_printf(arena, "%.*s)", STR_ARG(text));
}

/// The overload that the function is most likely written for.
static const TorchOverload *best_overload(const FunctionCheck *check)
{
  const TorchOverload *best = NULL;
  uint32_t best_score = 0;
  for (uint32_t i = 0; i < check->overload_count; i++) {
    const TorchOverload *overload = check->overloads[i];
    uint32_t score = function_takes(check, overload) ? 100 : 0;
    score += overload->argument_count == check->param_count ? 50 : 0;
    for (uint32_t k = 0; k < overload->argument_count && k < check->param_count; k++)
      score += str_equal(overload->arguments[k].name, check->params[k].name);
    if (!best || score > best_score) {
      best = overload;
      best_score = score;
    }
  }
  return best;
}

// --- missing-graph-parameter ---

/// Is `param` used as the graph: `param.op(...)`?
static bool is_used_as_graph(const FunctionCheck *check, Str name)
{
  const PyModel *model = check->model;
  for (size_t i = 0; i < model->ops.count; i++) {
    const PyOp *op = &model->ops.items[i];
    const PyCall *call = &model->calls.items[op->call];
    PyRef object = py_child(&model->tree, call->function_node, PY_F_OBJECT);
    if (op->kind != PY_OP_ONNXSCRIPT && op->scope == check->index && object &&
        str_equal(py_text(&model->tree, object), name))
      return true;
  }
  return false;
}

static bool looks_like_graph(Str name)
{
  return str_equal(name, STR("g")) || str_equal(name, STR("_g")) || str_equal(name, STR("_")) ||
         str_find(name, STR("graph"), 0) != STR_NOT_FOUND || str_find(name, STR("context"), 0) != STR_NOT_FOUND ||
         str_equal(name, STR("ctx"));
}

bool function_lacks_graph(const FunctionCheck *check)
{
  const PyFunction *function = check->function;
  if (function->param_count == 0)
    return true;
  const PyParam *first = &check->model->params.items[function->first_param];
  if (first->kind != PY_PARAM_PLAIN || looks_like_graph(first->name) || first->annotation || function->class_node)
    return false;
  if (is_used_as_graph(check, first->name))
    return false;
  // Only if the names say that the graph was forgotten: the first is what an operator calls its input.
  return str_equal(first->name, STR("self")) || str_equal(first->name, STR("input")) ||
         str_equal(first->name, STR("x")) || str_equal(first->name, STR("tensor"));
}

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
    Range at = py_range(sink, check->model->params.items[function->first_param].node);
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
  const TorchOverload *best = best_overload(check);
  // @parse_args cuts off what the function has no parameter for, and nobody hears of it.
  bool is_cut = check->function->parse_args != PY_ABSENT;
  for (uint32_t i = 0; i < check->overload_count; i++)
    is_cut &= check->overloads[i]->argument_count > check->param_count;
  Severity severity = is_cut ? SEVERITY_WARNING : OWN;
  if (!sink_wants(sink, RULE_PARAMETER_COUNT, severity))
    return false;
  Str message =
      is_cut ? arena_printf(sink->arena, "%.*s has %u arguments, and @parse_args silently drops all behind the first %u.",
                            STR_ARG(signature_text(check, best)), best->argument_count, check->param_count)
             : arena_printf(sink->arena, "The exporter passes %u arguments behind g, %.*s; this function takes %.*s.",
                            best->argument_count, STR_ARG(signature_text(check, best)), STR_ARG(accepted_text(check)));
  py_report(sink, RULE_PARAMETER_COUNT, severity, function_place(check), (Diagnostic){ .message = message });
  return false;
}

/// `*rest` behind @parse_args gets one argument at most.
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
    if (!counts(check, check->overloads[i]))
      continue;
    if (!is_swapped(check, check->overloads[i], &position))
      return true;
    any = true;
  }
  if (!any)
    return true;
  const TorchOverload *best = best_overload(check);
  Str name = check->params[position].name;
  if (sink_wants(sink, RULE_PARAMETER_ORDER, OWN))
    py_report(sink, RULE_PARAMETER_ORDER, OWN, check->params[position].name_node,
              (Diagnostic){ .message = arena_printf(sink->arena,
                                                    "Arguments are passed by position, as in %.*s; '%.*s' is number %u "
                                                    "there, not %u.",
                                                    STR_ARG(signature_text(check, best)), STR_ARG(name),
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
                                                  STR_ARG(signature_text(check, best_overload(check)))) });
}

// --- @parse_args ---

static PyRef parse_args_node(const FunctionCheck *check)
{
  return check->model->calls.items[check->function->parse_args].node;
}

static Str letter_at(const FunctionCheck *check, uint32_t position, PyRef *ret_node)
{
  Str letter = { 0 };
  *ret_node = check->model->descriptors.items[check->function->first_descriptor + position];
  py_string(check->model, *ret_node, check->sink->arena, &letter);
  return letter;
}

/// The letter that the schema asks for at a position; empty if it has no such argument.
static Str right_letter(const FunctionCheck *check, uint32_t position)
{
  const TorchOverload *best = best_overload(check);
  return best && position < best->argument_count ? descriptor_for(best->arguments[position].type) : (Str){ 0 };
}

/// Puts another letter into the quotes.
static const Fix *letter_fix(const FunctionCheck *check, PyRef node, Str letter)
{
  if (letter.len == 0)
    return NULL;
  DiagSink *sink = check->sink;
  return py_fix(sink, true, arena_printf(sink->arena, "Write \"%.*s\"", STR_ARG(letter)), py_range(sink, node),
                arena_printf(sink->arena, "\"%.*s\"", STR_ARG(letter)));
}

/// Appends the letters that are missing.
static const Fix *more_letters(const FunctionCheck *check, uint32_t want)
{
  DiagSink *sink = check->sink;
  Str text = { 0 };
  uint32_t have = check->function->descriptor_count;
  for (uint32_t i = have; i < want; i++) {
    Str letter = right_letter(check, i);
    if (letter.len == 0)
      return NULL;
    text = arena_printf(sink->arena, "%.*s%s\"%.*s\"", STR_ARG(text), i > 0 ? ", " : "", STR_ARG(letter));
  }
  PyRef list = check->model->calls.items[check->function->parse_args].list_node;
  size_t at = have > 0 ? check->model->tree.nodes[check->model->descriptors.items[check->function->first_descriptor + have - 1]].end
                       : (size_t)check->model->tree.nodes[list].start + 1;
  return py_fix(sink, true, STR("Add the missing descriptors"), (Range){ at, at }, text);
}

static void check_letter_count(const FunctionCheck *check)
{
  DiagSink *sink = check->sink;
  uint32_t letters = check->function->descriptor_count;
  const TorchOverload *best = best_overload(check);
  uint32_t fewest = check->required;
  uint32_t most = check->param_count;
  for (uint32_t i = 0; i < check->overload_count; i++) {
    if (check->overloads[i]->argument_count > most)
      most = check->overloads[i]->argument_count;
    if (i == 0 || check->overloads[i]->argument_count < fewest)
      fewest = check->overloads[i]->argument_count;
  }
  if (fewest < check->required)
    fewest = check->required;
  if (letters < fewest) {
    if (!sink_wants(sink, RULE_PARSE_ARGS_TOO_FEW, OWN))
      return;
    uint32_t want = best ? best->argument_count : check->param_count;
    const Fix *fix = best ? more_letters(check, want) : NULL;
    Str whose = best ? check->name : STR("this function");
    py_report(sink, RULE_PARSE_ARGS_TOO_FEW, OWN, parse_args_node(check),
              (Diagnostic){
                  .message = arena_printf(sink->arena,
                                          "%u descriptor%s for the %u arguments of %.*s; each needs one.", letters,
                                          letters == 1 ? "" : "s", want, STR_ARG(whose)),
                  .fixes = fix,
                  .fix_count = fix ? 1 : 0,
              });
  } else if (letters > most && !check->has_args &&
             sink_wants(sink, RULE_PARSE_ARGS_TOO_MANY, OWN)) {
    PyRef first_node;
    PyRef last_node;
    letter_at(check, check->param_count, &first_node);
    letter_at(check, letters - 1, &last_node);
    Range cut = { py_range(sink, first_node).start, py_range(sink, last_node).end };
    if (check->param_count > 0) {
      PyRef before;
      letter_at(check, check->param_count - 1, &before);
      cut.start = py_range(sink, before).end;
    }
    py_report(sink, RULE_PARSE_ARGS_TOO_MANY, OWN, first_node,
              (Diagnostic){
                  .message = arena_printf(sink->arena, "%u descriptors for %u parameters; the last %s ignored.", letters,
                                          check->param_count, letters - check->param_count == 1 ? "is" : "ones are"),
                  .is_unnecessary = true,
                  .fixes = py_fix(sink, true, STR("Remove the descriptors that are too many"), cut, STR("")),
                  .fix_count = 1,
              });
  }
}

/// The letter fits none of the overloads' types at that position.
static bool is_unfit(const FunctionCheck *check, Str letter, uint32_t position)
{
  bool any = false;
  for (uint32_t i = 0; i < check->overload_count; i++) {
    const TorchOverload *overload = check->overloads[i];
    if (!counts(check, overload) || position >= overload->argument_count)
      continue;
    if (descriptor_fits(letter, overload->arguments[position].type))
      return false;
    any = true;
  }
  return any;
}

/// "i" cuts 0.7 down to 0, silently, where the schema has a number of any kind.
static bool cuts_number(const FunctionCheck *check, Str letter, uint32_t position)
{
  bool any = false;
  for (uint32_t i = 0; str_equal(letter, STR("i")) && i < check->overload_count; i++) {
    const TorchOverload *overload = check->overloads[i];
    if (!counts(check, overload) || position >= overload->argument_count)
      continue;
    Str type = overload->arguments[position].type;
    if (!str_equal(type, STR("Scalar")) && !str_equal(type, STR("float")))
      return false;
    any = true;
  }
  return any;
}

static void check_letter(const FunctionCheck *check, uint32_t position, bool checks_type)
{
  DiagSink *sink = check->sink;
  PyRef node;
  Str letter = letter_at(check, position, &node);
  if (!symbolics_descriptor(check->file->db, letter)) {
    if (!sink_wants(sink, RULE_PARSE_ARGS_UNKNOWN, OWN))
      return;
    const Fix *fix = letter_fix(check, node, right_letter(check, position));
    py_report(sink, RULE_PARSE_ARGS_UNKNOWN, OWN, node,
              (Diagnostic){
                  .message = arena_printf(
                      sink->arena, "'%.*s' is no descriptor of @parse_args; there are v, i, is, f, fs, b, s, t and none.",
                      STR_ARG(letter)),
                  .fixes = fix,
                  .fix_count = fix ? 1 : 0,
              });
    return;
  }
  bool is_cut = checks_type && cuts_number(check, letter, position);
  Severity severity = is_cut ? SEVERITY_WARNING : OWN;
  if (!checks_type || (!is_cut && !is_unfit(check, letter, position)) ||
      !sink_wants(sink, RULE_PARSE_ARGS_TYPE, severity))
    return;
  const TorchOverload *best = best_overload(check);
  if (position >= best->argument_count)
    return;
  const TorchArgument *argument = &best->arguments[position];
  Str right = right_letter(check, position);
  const Fix *fix = letter_fix(check, node, right);
  const char *why = is_cut ? "silently cuts to an int" : "can't read";
  py_report(sink, RULE_PARSE_ARGS_TYPE, severity, node,
            (Diagnostic){
                .message = arena_printf(sink->arena, "'%.*s' of %.*s is of type %.*s, which \"%.*s\" %s; write \"%.*s\".",
                                        STR_ARG(argument->name), STR_ARG(check->name), STR_ARG(argument->type),
                                        STR_ARG(letter), why, STR_ARG(right)),
                .fixes = fix,
                .fix_count = fix ? 1 : 0,
            });
}

static void check_parse_args(const FunctionCheck *check, bool checks_types)
{
  if (check->function->parse_args == PY_ABSENT || !check->function->descriptors_known)
    return;
  check_letter_count(check);
  for (uint32_t i = 0; i < check->function->descriptor_count; i++)
    check_letter(check, i, checks_types);
}

// --- python-operation-on-value, none-check-on-value ---

static bool is_graph_value(DiagSink *sink, PyRef node)
{
  return node && py_is_only(py_value(sink->python, node), PY_VALUE);
}

static void report_operation(DiagSink *sink, PyRef node, PyRef value, const char *what)
{
  if (!sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  Str text = str_slice(py_text(&sink->python->model->tree, value), 0, 40);
  py_report(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, node,
            (Diagnostic){ .message = arena_printf(sink->arena, "'%.*s' is a graph value; Python can't %s. Make a node with "
                                                               "g.op(), or parse a constant with @parse_args.",
                                                  STR_ARG(text), what) });
}

static void check_binary(DiagSink *sink, PyRef node)
{
  const PyTree *tree = &sink->python->model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT);
  PyRef right = py_child(tree, node, PY_F_RIGHT);
  PyRef value = is_graph_value(sink, left) ? left : is_graph_value(sink, right) ? right : 0;
  PyRef sign = py_child(tree, node, PY_F_OPERATOR);
  if (!value || (sign && str_equal(py_text(tree, sign), STR("%")) &&
                 py_is_only(py_value(sink->python, left), PY_STRING)))
    return;
  // A list times or plus something, or a class of its own, may know what to do.
  PyRef other = value == left ? right : left;
  if (!py_is_only(py_value(sink->python, other), PY_VALUE | PY_INT | PY_FLOAT | PY_BOOL | PY_STRING | PY_NONE))
    return;
  report_operation(sink, node, value, "compute with it");
}

static bool is_ordering(Str op)
{
  return op.len > 0 && (op.data[0] == '<' || op.data[0] == '>') && op.len <= 2 && !str_equal(op, STR("<>"));
}

/// The name of `symbolic_helper` in this file; empty if it is not imported.
static Str helper_module(const PyModel *model, Arena *arena)
{
  for (size_t i = 0; i < model->bindings.count; i++) {
    const PyBinding *binding = &model->bindings.items[i];
    if (binding->kind == PY_BIND_IMPORT && str_ends_with(binding->qualified, STR("onnx.symbolic_helper")))
      return binding->name;
    if (binding->kind == PY_BIND_IMPORT && str_equal(binding->qualified, STR("torch")))
      return arena_printf(arena, "%.*s.onnx.symbolic_helper", STR_ARG(binding->name));
  }
  return (Str){ 0 };
}

/// Does the function ask the right way, too: `_is_none(x)`, `x.node().mustBeNone()`?
static bool asks_rightly(const PyModel *model, uint32_t function, Str name)
{
  const PyTree *tree = &model->tree;
  PyRef node = model->functions.items[function].node;
  for (PyRef at = node; at < tree->nodes[node].next; at++) {
    if (py_kind(tree, at) != PYK_IDENTIFIER || !str_equal(py_text(tree, at), name))
      continue;
    PyRef parent = tree->nodes[at].parent;
    if (py_kind(tree, parent) == PYK_ATTRIBUTE && str_equal(py_text(tree, py_child(tree, parent, PY_F_ATTRIBUTE)), STR("node")))
      return true;
    uint32_t call = py_kind(tree, parent) == PYK_ARGUMENT_LIST ? py_call_at(model, tree->nodes[parent].parent) : PY_ABSENT;
    if (call != PY_ABSENT && str_ends_with(model->calls.items[call].qualified, STR("_is_none")))
      return true;
  }
  return false;
}

static void check_none(DiagSink *sink, PyRef node, PyRef value, Str op)
{
  const PyModel *model = sink->python->model;
  PyNodeKind kind = py_kind(&model->tree, value);
  if (kind != PYK_IDENTIFIER || !is_graph_value(sink, value))
    return;
  uint32_t scope = py_scope_of(model, value);
  // Somebody may call the function with a real None.
  if (scope == PY_ABSENT || (model->functions.items[scope].roles & PY_ROLE_CALLED) != 0 ||
      asks_rightly(model, scope, py_text(&model->tree, value)))
    return;
  if (!sink_wants(sink, RULE_NONE_CHECK_ON_VALUE, OWN))
    return;
  Str name = py_text(&model->tree, value);
  Str module = helper_module(model, sink->arena);
  bool is_not = str_equal(op, STR("is not")) || str_equal(op, STR("!="));
  const Fix *fix = NULL;
  if (module.len > 0) {
    Str text = arena_printf(sink->arena, "%s%.*s._is_none(%.*s)", is_not ? "not " : "", STR_ARG(module), STR_ARG(name));
    fix = py_fix(sink, true, STR("Use symbolic_helper._is_none()"), py_range(sink, node), text);
  }
  py_report(sink, RULE_NONE_CHECK_ON_VALUE, OWN, node,
            (Diagnostic){
                .message = arena_printf(sink->arena,
                                        "'%.*s' is a graph value, also where the model passes None; use "
                                        "symbolic_helper._is_none(%.*s).",
                                        STR_ARG(name), STR_ARG(name)),
                .fixes = fix,
                .fix_count = fix ? 1 : 0,
            });
}

static void check_comparison(DiagSink *sink, PyRef node)
{
  const PyTree *tree = &sink->python->model->tree;
  PyRef left = 0;
  Str op = { 0 };
  for (PY_EACH_CHILD(tree, child, node)) {
    if (py_kind(tree, child) == PYK_OPERATOR) {
      op = py_text(tree, child);
      continue;
    }
    bool asks_none = left && py_kind(tree, child) == PYK_NONE;
    if (asks_none && (str_starts_with(op, STR("is")) || str_equal(op, STR("==")) || str_equal(op, STR("!=")))) {
      check_none(sink, node, left, op);
    } else if (left && is_ordering(op)) {
      PyRef value = is_graph_value(sink, left) ? left : is_graph_value(sink, child) ? child : 0;
      if (value)
        report_operation(sink, node, value, "compare it");
    }
    left = child;
  }
}

static void check_conversion(DiagSink *sink, const PyCall *call)
{
  static const char *const names[] = { "int", "float", "len", "range", "list", "tuple" };
  const PyArgument *argument = py_argument(sink->python->model, call, 0, NULL);
  if (!argument || call->argument_count != 1)
    return;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (str_equal(call->qualified, str_from(names[i])) && is_graph_value(sink, argument->value))
      report_operation(sink, call->node, argument->value, "convert it");
  }
}

/// What people know from tensors and a graph value doesn't have.
static void check_member(DiagSink *sink, PyRef node)
{
  static const char *const names[] = { "shape", "dtype", "ndim", "item", "tolist", "numel", "device" };
  const PyTree *tree = &sink->python->model->tree;
  PyRef name = py_child(tree, node, PY_F_ATTRIBUTE);
  PyRef object = py_child(tree, node, PY_F_OBJECT);
  for (size_t i = 0; name && object && i < sizeof(names) / sizeof(names[0]); i++) {
    if (!str_equal(py_text(tree, name), str_from(names[i])) || !is_graph_value(sink, object) ||
        !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
      continue;
    Str text = str_slice(py_text(tree, object), 0, 40);
    py_report(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, name,
              (Diagnostic){ .message = arena_printf(sink->arena,
                                                    "'%.*s' is a graph value, which has no '%s'; ask its type(), or "
                                                    "symbolic_helper._get_tensor_sizes().",
                                                    STR_ARG(text), names[i]) });
  }
}

static void check_operations(DiagSink *sink)
{
  const PyModel *model = sink->python->model;
  bool any = false;
  for (size_t i = 0; i < model->functions.count && !any; i++)
    any = (model->functions.items[i].roles & (PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD | PY_ROLE_HELPER)) != 0;
  if (!any)
    return;
  for (PyRef node = 1; node < model->tree.count; node++) {
    switch (py_kind(&model->tree, node)) {
    case PYK_BINARY_OPERATOR:
      check_binary(sink, node);
      break;
    case PYK_COMPARISON_OPERATOR:
      check_comparison(sink, node);
      break;
    case PYK_ATTRIBUTE:
      check_member(sink, node);
      break;
    case PYK_UNARY_OPERATOR:
      if (is_graph_value(sink, py_child(&model->tree, node, PY_F_ARGUMENT)))
        report_operation(sink, node, py_child(&model->tree, node, PY_F_ARGUMENT), "compute with it");
      break;
    case PYK_SUBSCRIPT:
      if (is_graph_value(sink, py_child(&model->tree, node, PY_F_VALUE)))
        report_operation(sink, node, py_child(&model->tree, node, PY_F_VALUE), "take a part of it");
      break;
    default:
      break;
    }
  }
  for (size_t i = 0; i < model->calls.count; i++)
    check_conversion(sink, &model->calls.items[i]);
}

// --- All functions ---

static void check_function(DiagSink *sink, uint32_t index)
{
  FunctionCheck check;
  if (!function_check_begin(&check, sink, index))
    return;
  if (function_lacks_graph(&check)) {
    report_missing_graph(&check);
    return;
  }
  PyNames names = py_registered_names(check.file, index, sink->arena);
  for (size_t i = 0; i < names.count && i < NAME_LIMIT; i++) {
    function_check_name(&check, names.items[i]);
    bool fits = check_count(&check);
    bool is_ordered = check_order(&check);
    check_rest(&check);
    if (is_ordered)
      check_names(&check);
    size_t said = sink->serious.count;
    if (fits || check.function->parse_args != PY_ABSENT)
      check_parse_args(&check, is_ordered);
    if (!fits || sink->serious.count > said)
      return;  // Other names would say the same again.
  }
  if (names.count == 0) {
    function_check_name(&check, (Str){ 0 });
    check_parse_args(&check, false);
  }
}

void check_python_functions(DiagSink *sink)
{
  for (uint32_t i = 0; i < sink->python->model->functions.count; i++)
    check_function(sink, i);
  check_operations(sink);
}
