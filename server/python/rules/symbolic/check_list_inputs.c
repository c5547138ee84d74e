// Lists of tensors that go into an operator as one input: the exporter makes a sequence of the list, which only
// operators such as ConcatFromSequence take. Run with torch 1.13 and 2.6: the full check of onnx and ONNX Runtime
// refuse the model.

#include "python/model/python_elements.h"
#include "python/rules/symbolic/op.h"
#include "python/rules/symbolic/value_check.h"

static bool has_sequence(Str type)
{
  return str_starts_with(type, STR("seq(")) || str_starts_with(type, STR("optional("));
}

static bool takes_no_list(const OnnxSchema *schema, const void *context)
{
  const OnnxParam *param = elements_param_at(schema, *(const uint32_t *)context);
  const OnnxConstraint *constraint = param ? onnx_schema_constraint(schema, param->type) : NULL;
  bool takes = !param || has_sequence(param->type);
  for (uint32_t i = 0; constraint && i < constraint->type_count; i++)
    takes |= has_sequence(constraint->types[i]);
  return !takes;
}

/// Whether it is a parameter that gets a list of tensors, as the operator's schema says.
static bool is_list_parameter(const OpCheck *check, PyRef value)
{
  const PyBinding *binding = py_model_binding_at(check->model, value);
  return py_kind(&check->model->tree, value) == PYK_IDENTIFIER && py_binding_is_only(binding, PY_BIND_PARAM) &&
         binding->scope != PY_ABSENT && value_is_of_graph(check->sink, value) &&
         py_file_param_type_is(check->file, binding->scope, binding->name, STR("Tensor[]"));
}

void op_check_list_inputs(OpCheck *check)
{
  const PyOp *op = check->op;
  for (uint32_t i = 0; op->kind == PY_OP_GRAPH && !op->has_splat_input && i < op->input_count; i++) {
    PyRef value = check->model->arguments.items[op->first_input + i].value;
    OpsetSet wrong = value && is_list_parameter(check, value) ? op_check_wrong(check, takes_no_list, &i) : 0;
    if (!wrong || !py_file_opsets_wrong(check->opsets, wrong))
      continue;
    Str name = py_text(&check->model->tree, value);
    py_say(check->sink, RULE_TYPE_MISMATCH, SEVERITY_ERROR, value,
           arena_printf(check->sink->arena,
                        "'%.*s' is a list of tensors, and '%.*s' takes tensors: symbolic_helper._unpack_list(%.*s) "
                        "gives them one by one.",
                        STR_ARG(name), STR_ARG(op->name), STR_ARG(name)),
           NULL);
  }
}
