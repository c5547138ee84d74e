// Calls of built-in symbolic functions, symbolic_opset14.hardswish(g, x), at opsets that lack the operator they make,
// or have it in another form.

#include "python/rules/python_edit.h"
#include "python/rules/symbolic/value_check.h"

/// Functions that make this operator of ONNX whatever they are given. Source: symbolic_opset*.py of torch 2.6 and 2.14;
/// in 1.13 those that it has are the same.
static const struct {
  const char *function, *op;
} functions[] = {
  { "symbolic_opset10.fmod", "Mod" },
  { "symbolic_opset10.isinf", "IsInf" },
  { "symbolic_opset10.fake_quantize_per_tensor_affine", "QuantizeLinear" },
  { "symbolic_opset11.append", "SequenceInsert" },
  { "symbolic_opset11.cumsum", "CumSum" },
  { "symbolic_opset11.embedding_renorm", "Unique" },
  { "symbolic_opset11.hstack", "SequenceAt" },
  { "symbolic_opset11.insert", "SequenceInsert" },
  { "symbolic_opset11.linalg_det", "Det" },
  { "symbolic_opset11.masked_scatter", "ScatterND" },
  { "symbolic_opset11.masked_select", "GatherND" },
  { "symbolic_opset11.pop", "SequenceErase" },
  { "symbolic_opset11.unique_dim", "Unique" },
  { "symbolic_opset11.vstack", "ConcatFromSequence" },
  { "symbolic_opset12.ge", "GreaterOrEqual" },
  { "symbolic_opset12.le", "LessOrEqual" },
  { "symbolic_opset14.hardswish", "HardSwish" },
  { "symbolic_opset14.tril", "Trilu" },
  { "symbolic_opset14.triu", "Trilu" },
  { "symbolic_opset16.scatter_reduce", "ScatterElements" },
  { "symbolic_opset17.layer_norm", "LayerNormalization" },
  { "symbolic_opset17.stft", "STFT" },
};

/// Functions that make an operator as it was before `end`: with an attribute that became an input, or deprecated since.
/// Each was exported at opsets 9 to 17 with torch 1.13 and at 9 to 20 with 2.6.
static const struct {
  const char *function, *op;
  int end;
  bool is_of_constants;  ///< Only where its arguments are constants.
} old_functions[] = {
  { "symbolic_opset11.split", "Split", 13, false },
  { "symbolic_opset11.split_with_sizes", "Split", 13, false },
  { "symbolic_opset11.unbind", "Split", 13, false },
  { "symbolic_opset9.amax", "ReduceMax", 18, false },
  { "symbolic_opset9.amin", "ReduceMin", 18, false },
  { "symbolic_opset9.clamp", "Clip", 11, true },
  { "symbolic_opset9.clamp_max", "Clip", 11, true },
  { "symbolic_opset9.clamp_min", "Clip", 11, true },
  { "symbolic_opset9.constant_pad_nd", "Pad", 11, false },
  { "symbolic_opset9.glu", "Split", 18, false },
  { "symbolic_opset9.hardtanh", "Clip", 11, false },
  { "symbolic_opset9.logsumexp", "ReduceLogSumExp", 18, false },
  { "symbolic_opset9.reflection_pad", "Pad", 11, false },
  { "symbolic_opset9.relu6", "Clip", 11, false },
  { "symbolic_opset9.replication_pad", "Pad", 11, false },
  { "symbolic_opset9.scatter", "Scatter", 11, false },
  { "symbolic_opset9.sort", "TopK", 10, false },
  { "symbolic_opset9.split", "Split", 13, false },
  { "symbolic_opset9.split_with_sizes", "Split", 13, false },
  { "symbolic_opset9.topk", "TopK", 10, false },
  { "symbolic_opset9.unbind", "Split", 13, false },
};

static void check_old(DiagSink *sink, const PyCall *call, Str function)
{
  const PyFile *file = sink_python(sink);
  size_t i = 0;
  while (i < COUNT(old_functions) && !str_equal(function, str_from(old_functions[i].function)))
    i++;
  if (i == COUNT(old_functions) || py_is_torch_itself(file->model))
    return;
  Severity severity = old_functions[i].is_of_constants ? SEVERITY_WARNING : OWN;
  PyOpsets opsets = py_file_opsets_of(file, call->node);
  OpsetSet wrong = opsets.set & opset_set_range(old_functions[i].end, OPSET_LIMIT);
  if (!wrong || !py_file_opsets_wrong(opsets, wrong) || !sink_wants(sink, RULE_ONNX_OP_NOT_IN_OPSET, severity))
    return;
  py_say(
      sink, RULE_ONNX_OP_NOT_IN_OPSET, severity, call->function_node,
      arena_printf(sink->arena,
                   "%.*s() makes '%s' as it was before opset %d, and this is used at opset%s %.*s: take the function "
                   "of a newer module.",
                   STR_ARG(function), old_functions[i].op, old_functions[i].end, opset_set_has_many(wrong) ? "s" : "",
                   STR_ARG(opset_set_text(wrong, sink->arena))),
      NULL);
}

// --- Numbers ---

/// Functions that raise on a number of Python in this place, where they take a value of the graph: of all modules that
/// have them, or of one. Each was run with a float and an int in torch 1.13, 2.6 and 2.14.
static const struct {
  const char *function;
  uint32_t position;
  const char *module;
} operands[] = {
  // Keep alphabetized.
  { "add", 2, NULL },
  { "atan2", 2, NULL },
  { "bmm", 2, NULL },
  { "clamp", 2, "symbolic_opset11." },
  { "clamp", 3, "symbolic_opset11." },
  { "clamp_max", 2, "symbolic_opset11." },
  { "clamp_min", 2, "symbolic_opset11." },
  { "div", 2, NULL },
  { "dot", 2, NULL },
  { "eq", 2, NULL },
  { "floor_divide", 2, NULL },
  { "fmod", 2, NULL },
  { "ge", 2, NULL },
  { "gt", 2, NULL },
  { "le", 2, NULL },
  { "lerp", 3, NULL },
  { "logical_and", 2, NULL },
  { "logical_or", 2, NULL },
  { "logical_xor", 2, NULL },
  { "lt", 2, NULL },
  { "masked_fill", 3, NULL },
  { "matmul", 2, NULL },
  { "max", 2, NULL },
  { "maximum", 2, NULL },
  { "min", 2, NULL },
  { "minimum", 2, NULL },
  { "mm", 2, NULL },
  { "mul", 2, NULL },
  { "mv", 2, NULL },
  { "ne", 2, NULL },
  { "one_hot", 2, NULL },
  { "pow", 2, NULL },
  { "prelu", 2, NULL },
  { "remainder", 2, NULL },
  { "rsub", 2, NULL },
  { "scatter", 4, NULL },
  { "select", 3, NULL },
  { "size", 2, NULL },
  { "sub", 2, NULL },
  { "tril", 2, NULL },
  { "triu", 2, NULL },
  { "true_divide", 2, NULL },
  { "where", 3, NULL },
};

/// The same of a list of Python, where they take one of the graph: what prim::ListConstruct makes, or a tensor.
static const struct {
  const char *function;
  uint32_t position;
} list_operands[] = {
  { "cat", 1 }, { "einsum", 2 }, { "repeat", 2 }, { "stack", 1 }, { "zeros", 1 },
};

static void check_list(DiagSink *sink, const PyCall *call, Str function)
{
  const PyFile *file = sink_python(sink);
  Str name = str_after_last(function, '.');
  for (size_t i = 0; i < COUNT(list_operands) && !call->has_splat; i++) {
    const PyArgument *list = str_is(name, list_operands[i].function)
                                 ? py_model_argument(file->model, call, list_operands[i].position, "")
                                 : NULL;
    if (!list || !list->value || !py_file_is_only(py_file_value(file, list->value), PY_LIST) ||
        !sink_wants(sink, RULE_HELPER_CALL, OWN))
      continue;
    py_say(sink, RULE_HELPER_CALL, OWN, list->value,
           arena_printf(sink->arena,
                        "%.*s() takes a list of the graph here, and this is one of Python: make the operator with "
                        "g.op().",
                        STR_ARG(name)),
           NULL);
  }
}

static void check_operand(DiagSink *sink, const PyCall *call, Str function)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  Str name = str_after_last(function, '.');
  for (size_t i = 0; i < COUNT(operands); i++) {
    bool is_there = !operands[i].module || str_starts_with(function, str_from(operands[i].module));
    if (!str_equal(name, str_from(operands[i].function)) || !is_there || call->has_splat)
      continue;
    const PyArgument *operand = py_model_argument(file->model, call, operands[i].position, "");
    const PyArgument *graph = py_model_argument(file->model, call, 0, "g");
    if (!operand || !operand->value || !graph ||
        !py_file_is_only(py_file_value(file, operand->value), PY_INT | PY_FLOAT | PY_BOOL) ||
        !sink_wants(sink, RULE_HELPER_CALL, OWN))
      continue;
    Str right = arena_printf(sink->arena, "%.*s.op(\"Constant\", value_t=torch.tensor(%.*s))",
                             STR_ARG(py_text(tree, graph->value)), STR_ARG(py_text(tree, operand->value)));
    py_say(sink, RULE_HELPER_CALL, OWN, operand->value,
           arena_printf(sink->arena, "%.*s() takes a value of the graph here, and this is %.*s; write %.*s.",
                        STR_ARG(name), STR_ARG(py_file_value_text(py_file_value(file, operand->value), sink->arena)),
                        STR_ARG(str_slice(right, 0, 80))),
           py_fix(sink, false, STR("Make a constant of it"), py_range(sink, operand->value), right));
  }
}

void value_check_builtin_opset(DiagSink *sink, const PyCall *call, Str function)
{
  const PyFile *file = sink_python(sink);
  check_old(sink, call, function);
  check_operand(sink, call, function);
  check_list(sink, call, function);
  size_t i = 0;
  while (i < COUNT(functions) && !str_equal(function, str_from(functions[i].function)))
    i++;
  const OnnxOperator *onnx =
      i < COUNT(functions) ? symbolics_onnx_operator(file->db, STR(""), str_from(functions[i].op)) : NULL;
  if (!onnx || onnx->version_count == 0)
    return;
  int since = (int)onnx->versions[0].since;
  PyOpsets opsets = py_file_opsets_of(file, call->node);
  OpsetSet wrong = opsets.set & opset_set_range(1, since - 1);
  if (!wrong || !py_file_opsets_wrong(opsets, wrong) || !sink_wants(sink, RULE_ONNX_OP_NOT_IN_OPSET, OWN))
    return;
  py_say(sink, RULE_ONNX_OP_NOT_IN_OPSET, OWN, call->function_node,
         arena_printf(sink->arena, "%.*s() makes '%s', which exists since opset %d, and this is used at opset%s %.*s.",
                      STR_ARG(function), functions[i].op, since, opset_set_has_many(wrong) ? "s" : "",
                      STR_ARG(opset_set_text(wrong, sink->arena))),
         NULL);
}
