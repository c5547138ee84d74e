// Types of inputs, outputs and weights of which a session has no values, though onnx passes them.

#include "graph/onnx/onnx_flow.h"

/// Elements that a session has no values of.
static bool is_strange_element(uint32_t element)
{
  return element == ELEM_COMPLEX64 || element == ELEM_COMPLEX128 || element >= ELEM_FLOAT4E2M1;
}

static bool is_tensor(const OnnxType *type)
{
  return type && type->kind == ONNX_TYPE_TENSOR && !is_strange_element(type->element);
}

/// From whole numbers or strings to numbers of few types.
static bool is_known_map(const OnnxType *type, bool floats_only)
{
  uint32_t value = is_tensor(type->inner) ? type->inner->element : ELEM_COMPLEX64;
  bool is_value = value == 0 || value == ELEM_FLOAT ||
                  (!floats_only && (value == ELEM_DOUBLE || value == ELEM_INT64 || value == ELEM_STRING));
  return is_value && (type->element == ELEM_INT64 || type->element == ELEM_STRING);
}

/// Whether a session has values of this type for who runs it. Tried with onnxruntime 1.21 and 1.23.
static bool is_known_outside(const OnnxType *type)
{
  const OnnxType *inner = type->inner;
  switch (type->kind) {
  case ONNX_TYPE_SEQUENCE:
    return is_tensor(inner) || (inner && inner->kind == ONNX_TYPE_MAP && is_known_map(inner, true));
  case ONNX_TYPE_OPTIONAL:
    return is_tensor(inner) || (inner && inner->kind == ONNX_TYPE_SEQUENCE && is_tensor(inner->inner));
  case ONNX_TYPE_MAP:
    return is_known_map(type, false);
  case ONNX_TYPE_OPAQUE:
    return false;
  case ONNX_TYPE_NONE:
  case ONNX_TYPE_TENSOR:
  case ONNX_TYPE_SPARSE:
    break;
  }
  return !is_strange_element(type->element);
}

void onnx_check_outer_type(OnnxCheck *check, const OnnxValue *value)
{
  const OnnxType *type = value->type;
  while (type && type->inner)
    type = type->inner;
  if (!check->runtime.limits || !type)
    return;
  if (type->kind == ONNX_TYPE_NONE)
    onnx_report(check, value->type_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s can't read this type: it has no kind inside.", STR_ARG(onnx_runtime_words(check)));
  else if (!is_known_outside(value->type))
    onnx_report(check, value->type_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s has no values of type `%.*s`, as `%.*s` is.", STR_ARG(onnx_runtime_words(check)),
                STR_ARG(onnx_type_word(value->type, check->arena)), STR_ARG(value->name.text));
}

void onnx_check_stored_type(OnnxCheck *check, const OnnxName *name, uint32_t element)
{
  enum { OPSET_OF_FIRST_WITH_MORE = 23 };
  if (element < ELEM_FLOAT4E2M1 || !onnx_session_sees(check) ||
      check->runtime.limits->opset >= OPSET_OF_FIRST_WITH_MORE)
    return;
  onnx_report(check, name->at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT, "%.*s knows no type `%.*s`.",
              STR_ARG(onnx_runtime_words(check)), STR_ARG(onnx_element_word(element)));
}
