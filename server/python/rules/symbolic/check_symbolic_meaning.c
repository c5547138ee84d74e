// What a symbolic function makes of an operator, where that is surely something else than what PyTorch computes:
// nothing complains, and only the numbers differ.

#include "base/search.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/function_check.h"

/// The position, after the graph, of the parameter that a name stands for, if nothing else gives it a value; -1.
static int param_at(const FunctionCheck *check, PyRef node)
{
  const PyModel *model = check->model;
  node = py_model_resolve(model, node);
  if (py_kind(&model->tree, node) != PYK_IDENTIFIER)
    return -1;
  const PyBinding *binding = py_model_binding_at(model, node);
  if (!py_binding_is_only(binding, PY_BIND_PARAM) || binding->scope != check->index)
    return -1;
  const PyParam *param = &model->params.items[binding->index];
  return param >= check->params && param < check->params + check->param_count ? (int)(param - check->params) : -1;
}

/// The operator of ONNX that an expression makes; NULL for none.
static const PyOp *onnx_op_at(const FunctionCheck *check, PyRef node)
{
  const PyOp *op = py_model_op_at(check->model, py_model_resolve(check->model, node));
  return op && op->kind == PY_OP_GRAPH && op->name_known && op->domain.len == 0 ? op : NULL;
}

// --- Inputs in another order ---

/// Operators that are the same in both, with the inputs in the order of the schema, or in the other one.
/// Source: the schemas of both, and torch's own symbolic functions.
static const struct SameOperator {
  Str torch, onnx;
  int inputs;
  bool is_reversed;
} same_operators[] = {
  // Keep alphabetized.
  { STR_INIT("aten::bitwise_left_shift"), STR_INIT("BitShift"), 2, false },
  { STR_INIT("aten::bitwise_right_shift"), STR_INIT("BitShift"), 2, false },
  { STR_INIT("aten::bmm"), STR_INIT("MatMul"), 2, false },
  { STR_INIT("aten::div"), STR_INIT("Div"), 2, false },
  { STR_INIT("aten::fmod"), STR_INIT("Mod"), 2, false },
  { STR_INIT("aten::ge"), STR_INIT("GreaterOrEqual"), 2, false },
  { STR_INIT("aten::ge"), STR_INIT("LessOrEqual"), 2, true },
  { STR_INIT("aten::gt"), STR_INIT("Greater"), 2, false },
  { STR_INIT("aten::gt"), STR_INIT("Less"), 2, true },
  { STR_INIT("aten::le"), STR_INIT("GreaterOrEqual"), 2, true },
  { STR_INIT("aten::le"), STR_INIT("LessOrEqual"), 2, false },
  { STR_INIT("aten::lt"), STR_INIT("Greater"), 2, true },
  { STR_INIT("aten::lt"), STR_INIT("Less"), 2, false },
  { STR_INIT("aten::matmul"), STR_INIT("MatMul"), 2, false },
  { STR_INIT("aten::mm"), STR_INIT("Gemm"), 2, false },
  { STR_INIT("aten::mm"), STR_INIT("MatMul"), 2, false },
  { STR_INIT("aten::mv"), STR_INIT("MatMul"), 2, false },
  { STR_INIT("aten::pow"), STR_INIT("Pow"), 2, false },
  { STR_INIT("aten::prelu"), STR_INIT("PRelu"), 2, false },
  { STR_INIT("aten::remainder"), STR_INIT("Mod"), 2, false },
  { STR_INIT("aten::rsub"), STR_INIT("Sub"), 2, true },
  { STR_INIT("aten::sub"), STR_INIT("Sub"), 2, false },
  { STR_INIT("aten::true_divide"), STR_INIT("Div"), 2, false },
  { STR_INIT("aten::where"), STR_INIT("Where"), 3, false },
};

static const struct SameOperator *same_operator(Str torch, Str onnx)
{
  for (size_t i = 0; i < COUNT(same_operators); i++) {
    if (str_equal(torch, same_operators[i].torch) && str_equal(onnx, same_operators[i].onnx))
      return &same_operators[i];
  }
  return NULL;
}

/// Are the first inputs the first parameters, but not in the order that they have to be in?
static bool are_swapped(const FunctionCheck *check, const PyOp *op, const struct SameOperator *same)
{
  unsigned seen = 0;
  bool is_moved = false;
  if ((int)op->input_count < same->inputs || op->has_splat_input)
    return false;
  for (int i = 0; i < same->inputs; i++) {
    int at = param_at(check, check->model->arguments.items[op->first_input + (uint32_t)i].value);
    if (at < 0 || at >= same->inputs)
      return false;
    seen |= 1U << at;
    is_moved |= at != i;
  }
  return is_moved != same->is_reversed && seen == (1U << same->inputs) - 1;
}

static void check_input_order(const FunctionCheck *check, const TorchOverload *overload)
{
  DiagSink *sink = check->sink;
  const PyOp *op = onnx_op_at(check, check->function->returned);
  const struct SameOperator *same = op ? same_operator(check->name, op->name) : NULL;
  if (!same || !are_swapped(check, op, same) || !sink_wants(sink, RULE_WRONG_EXPORT, OWN))
    return;
  PyRef first = check->model->arguments.items[op->first_input].node;
  py_say(sink, RULE_WRONG_EXPORT, OWN, first,
         arena_printf(sink->arena, "'%.*s' takes its inputs in the %s of %.*s; these are in another one.",
                      STR_ARG(op->name), same->is_reversed ? "reverse order" : "order",
                      STR_ARG(function_signature(check, overload))),
         NULL);
}

// --- Outputs in another order ---

/// Which output of TopK a name stands for: 0 the values, 1 the indices; -1. `ret_node` is where it is made.
static int topk_output(const FunctionCheck *check, PyRef node, PyRef *ret_node)
{
  const PyModel *model = check->model;
  node = py_tree_strip(&model->tree, node);
  if (py_kind(&model->tree, node) != PYK_IDENTIFIER)
    return -1;
  const PyBinding *binding = py_model_binding_at(model, node);
  if (!py_binding_is_only(binding, PY_BIND_OTHER) || binding->unpack > 1 || !binding->value)
    return -1;
  const PyOp *op = onnx_op_at(check, binding->value);
  *ret_node = binding->value;
  return op && str_equal(op->name, STR("TopK")) ? (int)binding->unpack : -1;
}

/// `return indices, values`
static void check_output_order(const FunctionCheck *check, const TorchOverload *overload)
{
  const PyTree *tree = &check->model->tree;
  PyRef returned = py_tree_strip(tree, check->function->returned);
  PyNodeKind kind = py_kind(tree, returned);
  bool is_pair = overload->return_count == 2 && str_equal(overload->returns[1].name, STR("indices"));
  if (!is_pair || (kind != PYK_EXPRESSION_LIST && kind != PYK_TUPLE && kind != PYK_LIST))
    return;
  PyRef first = py_tree_first_element(tree, returned);
  PyRef second = first ? py_tree_next_element(tree, first) : 0;
  PyRef nodes[2] = { 0 };
  if (second && topk_output(check, first, &nodes[0]) == 1 && topk_output(check, second, &nodes[1]) == 0 &&
      nodes[0] == nodes[1])
    py_say(check->sink, RULE_WRONG_EXPORT, OWN, returned,
           arena_printf(check->sink->arena,
                        "%.*s gives the values first and then the indices; these are the other way round.",
                        STR_ARG(check->name)),
           NULL);
}

// --- Nothing is made ---

/// Operators without which a model computes the same, or that are left out on purpose.
static bool may_be_left_out(Str name)
{
  static const char *const parts[] = { "alias",   "cast", "clone", "contiguous", "copy", "detach",
                                       "dropout", "lift", "quant", "resolve",    "to",   "type_as" };
  Str rest = str_slice(name, STR("aten::").len, name.len);
  for (size_t i = 0; i < COUNT(parts); i++) {
    if (str_find(rest, str_from(parts[i]), 0) != STR_NOT_FOUND)
      return true;
  }
  return false;
}

/// `return x`, or an Identity of it: of the parameter at position 0.
static bool gives_input(const FunctionCheck *check, PyRef returned)
{
  const PyOp *op = onnx_op_at(check, returned);
  if (op && str_equal(op->name, STR("Identity")) && op->input_count == 1)
    returned = check->model->arguments.items[op->first_input].value;
  return returned && param_at(check, returned) == 0;
}

static void check_left_out(const FunctionCheck *check, const TorchOverload *overload)
{
  DiagSink *sink = check->sink;
  bool is_view = overload->return_count != 1 || overload->returns[0].alias.len > 0 || overload->argument_count == 0 ||
                 !str_equal(overload->returns[0].type, STR("Tensor"));
  if (is_view || !str_starts_with(check->name, STR("aten::")) || may_be_left_out(check->name) ||
      !gives_input(check, check->function->returned) || !sink_wants(sink, RULE_WRONG_EXPORT, SEVERITY_INFO))
    return;
  py_say(sink, RULE_WRONG_EXPORT, SEVERITY_INFO, check->function->returned,
         arena_printf(sink->arena, "This gives back the input, so the model is exported without %.*s.",
                      STR_ARG(check->name)),
         NULL);
}

// --- Arguments that nothing looks at ---

/// What attributes of ONNX are called in PyTorch.
static const struct {
  Str argument, attribute;
} counterparts[] = {
  // Keep alphabetized.
  { STR_INIT("alpha"), STR_INIT("alpha") },
  { STR_INIT("approximate"), STR_INIT("approximate") },
  { STR_INIT("ceil_mode"), STR_INIT("ceil_mode") },
  { STR_INIT("dilation"), STR_INIT("dilations") },
  { STR_INIT("dim"), STR_INIT("axes") },
  { STR_INIT("dim"), STR_INIT("axis") },
  { STR_INIT("dims"), STR_INIT("axes") },
  { STR_INIT("eps"), STR_INIT("epsilon") },
  { STR_INIT("groups"), STR_INIT("group") },
  { STR_INIT("keepdim"), STR_INIT("keepdims") },
  { STR_INIT("lambd"), STR_INIT("lambd") },
  { STR_INIT("largest"), STR_INIT("largest") },
  { STR_INIT("negative_slope"), STR_INIT("alpha") },
  { STR_INIT("p"), STR_INIT("p") },
  { STR_INIT("padding"), STR_INIT("pads") },
  { STR_INIT("stride"), STR_INIT("strides") },
};

/// The attribute that the operator takes for an argument, has a default for, and is not given; NULL for none.
static const OnnxAttribute *omitted_attribute(const FunctionCheck *check, const PyOp *op, const OnnxSchema *schema,
                                              Str argument)
{
  for (size_t i = 0; i < COUNT(counterparts); i++) {
    if (!str_equal(counterparts[i].argument, argument))
      continue;
    const OnnxAttribute *attribute = onnx_schema_attribute(schema, counterparts[i].attribute);
    bool is_given = !attribute || attribute->required;
    for (uint32_t k = 0; k < op->attribute_count && !is_given; k++)
      is_given = str_equal(check->model->attributes.items[op->first_attribute + k].name, attribute->name);
    if (!is_given)
      return attribute;
  }
  return NULL;
}

/// By position: does anything in the function name the parameter? NULL if all are named.
static const bool *named_params(const FunctionCheck *check)
{
  const PyTree *tree = &check->model->tree;
  bool *named = ARENA_ARRAY(check->sink->arena, bool, check->param_count);
  uint32_t count = 0;
  for (PyRef node = check->function->body; node < tree->nodes[check->function->body].next; node++) {
    if (py_kind(tree, node) != PYK_IDENTIFIER)
      continue;
    const PyBinding *binding = py_model_binding_at(check->model, node);
    const PyParam *param =
        binding && binding->kind == PY_BIND_PARAM ? &check->model->params.items[binding->index] : NULL;
    if (!param || param < check->params || param >= check->params + check->param_count)
      continue;
    count += !named[param - check->params];
    named[param - check->params] = true;
  }
  return count < check->param_count ? named : NULL;
}

static const OnnxSchema *schema_of(const FunctionCheck *check, const PyOp *op)
{
  const OnnxOperator *onnx = symbolics_onnx_operator(check->file->db, op->domain, op->name);
  PyOpsets opsets = py_file_opsets_of(check->file, check->model->calls.items[op->call].node);
  return onnx && opsets.set != 0 ? onnx_operator_at(onnx, opset_set_first(opsets.set)) : NULL;
}

/// Whether something in the function is wrong by itself: what it computes counts once that is mended.
static bool has_mistakes(const FunctionCheck *check)
{
  const DiagnosticVec *found = &check->sink->serious;
  Range range = py_range(check->sink, check->function->node);
  for (size_t i = check->sink->serious_before; i < found->count; i++) {
    if (found->items[i].range.start >= range.start && found->items[i].range.end <= range.end)
      return true;
  }
  return false;
}

static void report_ignored(const FunctionCheck *check, const PyOp *op, const OnnxAttribute *attribute, Str argument)
{
  DiagSink *sink = check->sink;
  py_say(sink, RULE_WRONG_EXPORT, SEVERITY_INFO, op->name_node,
         arena_printf(sink->arena,
                      "'%.*s' of %.*s is not used, so '%.*s' has %.*s for '%.*s' whatever the model says; write "
                      "%.*s_%s=...",
                      STR_ARG(argument), STR_ARG(check->name), STR_ARG(op->name),
                      STR_ARG(attribute->has_default ? attribute->default_text : STR("its default")),
                      STR_ARG(attribute->name), STR_ARG(attribute->name), onnx_attribute_suffix(attribute->type)),
         NULL);
}

/// `alpha_f=scale`, where the function never looks at its alpha: the attribute that is named like the argument; NULL.
static const PyAttribute *misplaced_attribute(const FunctionCheck *check, const PyOp *op, Str argument)
{
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const PyAttribute *attribute = &check->model->attributes.items[op->first_attribute + i];
    if (str_equal(attribute->name, argument) && attribute->value && param_at(check, attribute->value) >= 0)
      return attribute;
  }
  return NULL;
}

static void report_misplaced(const FunctionCheck *check, const PyAttribute *attribute, Str argument)
{
  DiagSink *sink = check->sink;
  if (sink_wants(sink, RULE_WRONG_EXPORT, SEVERITY_WARNING))
    py_say(sink, RULE_WRONG_EXPORT, SEVERITY_WARNING, attribute->node,
           arena_printf(sink->arena, "'%.*s' gets another argument, and '%.*s' of %.*s is not used.",
                        STR_ARG(attribute->keyword), STR_ARG(argument), STR_ARG(check->name)),
           NULL);
}

/// `g.op("Elu", x)` in a function that never looks at its alpha.
static void check_ignored(const FunctionCheck *check, const TorchOverload *overload)
{
  const PyModel *model = check->model;
  const bool *named = check->function->body && check->param_count > 0 ? named_params(check) : NULL;
  size_t first;
  PyRef end = model->tree.nodes[check->function->node].next;
  SEARCH_FIRST(first, 0, model->ops.count,
               model->calls.items[model->ops.items[first].call].node < check->function->node);
  for (size_t i = first; named && i < model->ops.count && model->calls.items[model->ops.items[i].call].node < end;
       i++) {
    const PyOp *op = &model->ops.items[i];
    if (op->kind != PY_OP_GRAPH || !op->name_known || op->domain.len > 0 || op->has_unknown_attributes)
      continue;
    const OnnxSchema *schema = schema_of(check, op);
    for (uint32_t k = 0; schema && k < overload->argument_count && k < check->param_count; k++) {
      const PyAttribute *misplaced = named[k] ? NULL : misplaced_attribute(check, op, overload->arguments[k].name);
      if (misplaced && !has_mistakes(check))
        report_misplaced(check, misplaced, overload->arguments[k].name);
      const OnnxAttribute *attribute =
          named[k] ? NULL : omitted_attribute(check, op, schema, overload->arguments[k].name);
      if (attribute && !has_mistakes(check) && sink_wants(check->sink, RULE_WRONG_EXPORT, SEVERITY_INFO)) {
        report_ignored(check, op, attribute, overload->arguments[k].name);
        return;
      }
    }
  }
}

static void check_function(FunctionCheck *check)
{
  PyNames names = py_file_registered_names(check->file, check->index, check->sink->arena);
  if (names.count != 1 || function_lacks_graph(check))
    return;
  function_check_name(check, names.items[0]);
  const TorchOverload *overload = function_best_overload(check);
  if (!overload || !check->any_fits)
    return;
  check_ignored(check, overload);
  if (!check->function->returned)
    return;
  check_input_order(check, overload);
  check_output_order(check, overload);
  check_left_out(check, overload);
}

// --- Autograd functions ---

/// Does forward() compute something, `x * a`? Then symbolic() that gives back x is not the same.
static bool computes(const PyModel *model, const PyFunction *forward)
{
  PyRef result = forward->returned ? py_model_resolve(model, forward->returned) : 0;
  if (!result || py_kind(&model->tree, result) != PYK_BINARY_OPERATOR)
    return false;
  for (PY_EACH_CHILD(&model->tree, operand, result)) {
    PyNodeKind kind = py_kind(&model->tree, operand);
    if (kind == PYK_INTEGER || kind == PYK_FLOAT)
      return false;
  }
  return true;
}

/// What the operators of Python are in ONNX.
static const struct {
  Str python, onnx;
  bool commutes;
} python_operators[] = {
  { STR_INIT("+"), STR_INIT("Add"), true },   { STR_INIT("-"), STR_INIT("Sub"), false },
  { STR_INIT("*"), STR_INIT("Mul"), true },   { STR_INIT("/"), STR_INIT("Div"), false },
  { STR_INIT("**"), STR_INIT("Pow"), false }, { STR_INIT("@"), STR_INIT("MatMul"), false },
};

/// The operator of ONNX that a binary operator of Python is; COUNT(python_operators) for none.
static size_t operator_between(const PyTree *tree, PyRef left, PyRef right)
{
  size_t i = 0;
  Str between = str_trim(str_slice(tree->text, tree->nodes[left].end, tree->nodes[right].start));
  while (i < COUNT(python_operators) && !str_equal(between, python_operators[i].python))
    i++;
  return i;
}

static bool is_of_table(Str onnx)
{
  for (size_t i = 0; i < COUNT(python_operators); i++) {
    if (str_equal(onnx, python_operators[i].onnx))
      return true;
  }
  return false;
}

/// `return x / y` in forward(), and g.op("Div", y, x) in symbolic(), or another operator of that kind.
static void check_binary(const FunctionCheck *symbolic, const FunctionCheck *forward)
{
  const PyModel *model = symbolic->model;
  DiagSink *sink = symbolic->sink;
  PyRef result = py_model_resolve(model, forward->function->returned);
  PyRef left = py_child(&model->tree, result, PY_F_LEFT);
  PyRef right = py_child(&model->tree, result, PY_F_RIGHT);
  const PyOp *op = onnx_op_at(symbolic, symbolic->function->returned);
  if (!op || !left || !right || op->input_count != 2 || op->has_splat_input || !is_of_table(op->name))
    return;
  const PyArgument *inputs = &model->arguments.items[op->first_input];
  int wanted[2] = { param_at(forward, left), param_at(forward, right) };
  int given[2] = { param_at(symbolic, inputs[0].value), param_at(symbolic, inputs[1].value) };
  size_t at = operator_between(&model->tree, left, right);
  bool is_same = wanted[0] == given[0] && wanted[1] == given[1];
  bool is_swapped = wanted[0] == given[1] && wanted[1] == given[0] && wanted[0] != wanted[1];
  if (at == COUNT(python_operators) || wanted[0] < 0 || wanted[1] < 0 || (!is_same && !is_swapped) ||
      !sink_wants(sink, RULE_WRONG_EXPORT, OWN))
    return;
  if (!str_equal(op->name, python_operators[at].onnx))
    py_say(sink, RULE_WRONG_EXPORT, OWN, op->name_node,
           arena_printf(sink->arena, "forward() computes '%.*s', which is '%.*s'.",
                        STR_ARG(py_text(&model->tree, result)), STR_ARG(python_operators[at].onnx)),
           NULL);
  else if (is_swapped && !python_operators[at].commutes)
    py_say(sink, RULE_WRONG_EXPORT, OWN, inputs[0].node,
           arena_printf(sink->arena, "forward() computes '%.*s', and here the inputs are in another order.",
                        STR_ARG(py_text(&model->tree, result))),
           NULL);
}

/// The parameters after ctx.
static FunctionCheck forward_of(DiagSink *sink, const PyAutograd *autograd)
{
  const PyModel *model = sink_python(sink)->model;
  const PyFunction *function = &model->functions.items[autograd->forward];
  FunctionCheck check = { .sink = sink, .file = sink_python(sink), .model = model, .index = autograd->forward };
  check.function = function;
  check.params = py_model_params(model, function) + (function->param_count > 0);
  check.param_count = function->param_count > 0 ? function->param_count - 1 : 0;
  return check;
}

static void check_autograd(DiagSink *sink, const PyAutograd *autograd)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  FunctionCheck check = { .sink = sink, .file = file, .model = model, .index = autograd->symbolic };
  if (autograd->symbolic == PY_ABSENT || autograd->forward == PY_ABSENT ||
      !computes(model, &model->functions.items[autograd->forward]))
    return;
  check.function = &model->functions.items[autograd->symbolic];
  uint32_t first = py_file_input_params(file, autograd->symbolic, &check.param_count);
  if (check.param_count == 0 || !check.function->returned)
    return;
  check.params = &model->params.items[first];
  FunctionCheck forward = forward_of(sink, autograd);
  check_binary(&check, &forward);
  if (gives_input(&check, check.function->returned) && sink_wants(sink, RULE_WRONG_EXPORT, SEVERITY_INFO))
    py_say(sink, RULE_WRONG_EXPORT, SEVERITY_INFO, check.function->returned,
           STR("This gives back the input, so the model is exported without what forward() computes."), NULL);
}

void check_python_symbolic_meaning(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  if (model->is_builtin || py_is_torch_itself(model))
    return;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    FunctionCheck check;
    if (function_check_begin(&check, sink, i))
      check_function(&check);
  }
  for (size_t i = 0; i < model->autograds.count; i++)
    check_autograd(sink, &model->autograds.items[i]);
}
