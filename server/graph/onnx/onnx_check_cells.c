// Recurrent cells that onnx passes and for which ONNX Runtime makes no session. Each was tried with 1.21 and 1.23.

#include "graph/onnx/onnx_rules.h"

/// Recurrent cells, and how many functions each has for one direction.
static uint64_t functions_of_cell(Str op)
{
  static const char *const cells[] = { "RNN", "GRU", "LSTM" };
  for (size_t i = 0; i < COUNT(cells); i++) {
    if (str_equal(op, str_from(cells[i])))
      return i + 1;
  }
  return 0;
}

/// Of two functions of an RNN that goes one way, the second is dropped.
static void check_activations(OnnxCheck *check, const OnnxNode *node, uint64_t of_cell)
{
  const OnnxAttr *functions = onnx_node_attr(node, STR("activations"));
  const OnnxAttr *direction = onnx_node_attr(node, STR("direction"));
  bool goes_both_ways = direction && str_equal(direction->text, STR("bidirectional"));
  uint64_t wanted = of_cell * (goes_both_ways ? 2 : 1);
  bool is_known = functions && functions->type == ONNX_STRINGS && !functions->is_reference &&
                  (!direction || !direction->is_reference) && functions->count > 0;
  if (is_known && functions->count != wanted && !(of_cell == 1 && functions->count == 2))
    onnx_report(
        check, functions->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
        "`activations` of `%.*s` has to name %llu function%s here; onnx passes this, and ONNX Runtime refuses it.",
        STR_ARG(node->op), (unsigned long long)wanted, wanted == 1 ? "" : "s");
}

bool onnx_next_string(Str *list, Str *ret_string)
{
  size_t start = str_find_char(*list, '"', 0);
  size_t end = start == STR_NOT_FOUND ? STR_NOT_FOUND : str_find_char(*list, '"', start + 1);
  if (end == STR_NOT_FOUND)
    return false;
  *ret_string = str_slice(*list, start + 1, end);
  *list = str_slice(*list, end + 1, list->len);
  return true;
}

static bool is_function(Str word, bool minds_case)
{
  static const char *const functions[] = { "Relu",       "Tanh",        "Sigmoid",
                                           "Affine",     "LeakyRelu",   "ThresholdedRelu",
                                           "ScaledTanh", "HardSigmoid", "Elu",
                                           "Softsign",   "Softplus" };
  for (size_t i = 0; i < COUNT(functions); i++) {
    Str function = str_from(functions[i]);
    if (minds_case ? str_equal(word, function) : str_equal_ignore_case(word, function))
      return true;
  }
  return false;
}

/// An RNN of ONNX Runtime minds the case, the others don't.
static void check_functions(OnnxCheck *check, const OnnxNode *node, uint64_t of_cell)
{
  const OnnxAttr *functions = onnx_node_attr(node, STR("activations"));
  if (!functions || functions->type != ONNX_STRINGS || functions->is_reference)
    return;
  Str list = str_slice(check->model->text, functions->value_at.start, functions->value_at.end);
  bool has_escapes = str_find_char(list, '\\', 0) != STR_NOT_FOUND;
  for (Str word; !has_escapes && onnx_next_string(&list, &word);) {
    if (is_function(word, of_cell == 1))
      continue;
    onnx_report(check, functions->value_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
                "`%.*s` is no function that `activations` of `%.*s` may name; onnx passes this, and ONNX Runtime "
                "refuses it.",
                STR_ARG(word), STR_ARG(node->op));
    return;
  }
}

void onnx_check_cell(OnnxCheck *check, const OnnxNode *node)
{
  uint64_t of_cell = functions_of_cell(node->op);
  check_activations(check, node, of_cell);
  check_functions(check, node, of_cell);
  if (!node->lacks_attrs && !onnx_node_attr(node, STR("hidden_size")))
    onnx_report(check, node->op_at, RULE_ATTRIBUTE_VALUE, onnx_refused_severity(check),
                "`%.*s` has no `hidden_size`; onnx passes this, and ONNX Runtime refuses it.", STR_ARG(node->op));
}
