// Calls of built-in symbolic functions, symbolic_opset14.hardswish(g, x), at opsets that lack the operator they make.

#include "python/rules/value_check.h"

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

void value_check_builtin_opset(DiagSink *sink, const PyCall *call, Str function)
{
  const PyFile *file = sink_python(sink);
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
