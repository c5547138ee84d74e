// What a call returns, as far as the facts or the file's own functions tell.

#include "python/model/python_value.h"

static bool is_tensor_maker(Str name)
{
  static const char *const names[] = {
    "tensor",     "as_tensor",  "ones",          "zeros",    "full",       "empty",      "arange",
    "rand",       "randn",      "eye",           "linspace", "cat",        "LongTensor", "FloatTensor",
    "IntTensor",  "BoolTensor", "DoubleTensor",  "Tensor",   "stack",      "from_numpy", "ones_like",
    "zeros_like", "full_like",  "scalar_tensor", "randint",  "HalfTensor",
  };
  return value_is_torch_name(name, names, COUNT(names));
}

static bool is_array_maker(Str name)
{
  static const char *const names[] = { "numpy.array", "numpy.zeros",   "numpy.ones",
                                       "numpy.full",  "numpy.asarray", "numpy.arange" };
  return str_is_one_of(name, names, COUNT(names));
}

static PyValue of_helper(Evaluation *e, const PyCall *call, Str name)
{
  const PyHelper *helper = export_api_helper(e->file->db, name);
  if (!helper || helper->result == 0)
    return unknown;
  uint32_t result = helper->result;
  PyValue value =
      value_make(result & ~(uint32_t)(PY_VALUES | PY_INTS | PY_FLOATS | PY_DESCRIPTOR | PY_OTHER | PY_RAISES));
  if (result & PY_RAISES && value.kinds == 0)
    return unknown;
  if (result & PY_OTHER)
    return unknown;
  if (result & PY_DESCRIPTOR) {
    const PyArgument *argument = py_model_argument(e->model, call, 1, "desc");
    Arena arena = { 0 };
    Str letter;
    PyValue read =
        argument && py_model_string(e->model, argument->value, &arena, &letter) ? value_of_letter(letter) : unknown;
    arena_done(&arena);
    if (read.kinds == 0)
      return unknown;
    value.kinds |= read.kinds;
    value.elements |= read.elements;
  }
  if (result & (PY_VALUES | PY_INTS | PY_FLOATS)) {
    value.kinds |= PY_LIST;
    value.elements |=
        (result & PY_VALUES ? PY_VALUE : 0) | (result & PY_INTS ? PY_INT : 0) | (result & PY_FLOATS ? PY_FLOAT : 0);
  }
  return value;
}

static PyValue of_op(const PyOp *op)
{
  if (op->kind == PY_OP_ONNXSCRIPT)
    return unknown;  // How many depends on the schema.
  if (op->outputs == 1)
    return value_make(PY_VALUE);
  return op->outputs > 1 ? value_list(PY_VALUE, op->outputs) : unknown;
}

/// What a function of this file gives back, if every return is known and it can't fall off its end.
static PyValue of_own_function(Evaluation *e, uint32_t index, int depth)
{
  const PyFunction *function = &e->model->functions.items[index];
  if (function->has_unknown_decorator || !function->body)
    return unknown;
  if (py_kind(e->tree, function->node) == PYK_LAMBDA)
    return value_evaluate(e, function->body, depth);
  PyValue value = unknown;
  bool is_first = true;
  for (PyRef node = function->body; node < e->tree->nodes[function->body].next; node++) {
    PyNodeKind kind = py_kind(e->tree, node);
    if (kind == PYK_FUNCTION_DEFINITION || kind == PYK_LAMBDA || kind == PYK_CLASS_DEFINITION)
      node = e->tree->nodes[node].next - 1;
    if (kind == PYK_YIELD)
      return unknown;
    if (kind != PYK_RETURN_STATEMENT)
      continue;
    PyRef result = py_first_child(e->tree, node);
    PyValue returned = result ? value_evaluate(e, result, depth) : value_make(PY_NONE);
    value = is_first ? returned : value_join(value, returned);
    is_first = false;
    if (value.kinds == 0)
      return unknown;
  }
  return value;
}

static PyValue of_builtin(Evaluation *e, const PyCall *call, Str name, int depth)
{
  if (str_equal(name, STR("int")) || str_equal(name, STR("len")))
    return value_make(PY_INT);
  if (str_equal(name, STR("float")))
    return value_make(PY_FLOAT);
  if (str_equal(name, STR("bool")) || str_equal(name, STR("isinstance")))
    return value_make(PY_BOOL);
  if (str_equal(name, STR("str")))
    return value_make(PY_STRING);
  if (str_equal(name, STR("dict")))
    return value_make(PY_DICT);
  if (str_equal(name, STR("range")))
    return value_list(PY_INT, -1);
  if (str_equal(name, STR("list")) || str_equal(name, STR("tuple"))) {
    const PyArgument *argument = py_model_argument(e->model, call, 0, NULL);
    PyValue inner = argument ? value_evaluate(e, argument->value, depth) : value_list(0, 0);
    return py_file_is_only(inner, PY_LIST) ? inner : value_list(0, -1);
  }
  return unknown;
}

/// `value.setType(...)` and the like.
static PyValue of_method(Evaluation *e, const PyCall *call, int depth)
{
  PyRef name_node = py_child(e->tree, call->function_node, PY_F_ATTRIBUTE);
  PyRef object = py_child(e->tree, call->function_node, PY_F_OBJECT);
  if (!name_node || !object)
    return unknown;
  Str name = py_text(e->tree, name_node);
  PyValue self = value_evaluate(e, object, depth);
  if (py_file_is_only(self, PY_VALUE) && (str_equal(name, STR("setType")) || str_equal(name, STR("setTypeAs"))))
    return value_make(PY_VALUE);
  if (py_file_is_only(self, PY_TENSOR) && !str_equal(name, STR("item")) && !str_equal(name, STR("tolist")) &&
      !str_equal(name, STR("numpy")) && !str_equal(name, STR("dim")) && !str_equal(name, STR("numel")) &&
      !str_equal(name, STR("size")))
    return str_equal(name, STR("to")) || str_equal(name, STR("type")) || str_equal(name, STR("long")) ||
                   str_equal(name, STR("float")) || str_equal(name, STR("reshape")) || str_equal(name, STR("view"))
               ? value_make(PY_TENSOR)
               : unknown;
  if (py_file_is_only(self, PY_STRING) && (str_equal(name, STR("format")) || str_equal(name, STR("lower")) ||
                                           str_equal(name, STR("upper")) || str_equal(name, STR("join"))))
    return value_make(PY_STRING);
  return unknown;
}

PyValue value_of_call(Evaluation *e, PyRef node, int depth)
{
  uint32_t index = py_model_call_at(e->model, node);
  if (index == PY_ABSENT)
    return unknown;
  const PyCall *call = &e->model->calls.items[index];
  uint32_t op = py_model_op_of_call(e->model, index);
  if (op != PY_ABSENT)
    return of_op(&e->model->ops.items[op]);
  if (call->function != PY_ABSENT)
    return of_own_function(e, call->function, depth);
  Str helper = STR("torch.onnx.symbolic_helper.");
  if (str_starts_with(call->qualified, helper))
    return of_helper(e, call, str_slice(call->qualified, helper.len, call->qualified.len));
  if (is_tensor_maker(call->qualified))
    return value_make(PY_TENSOR);
  if (is_array_maker(call->qualified))
    return value_make(PY_ARRAY);
  if (str_equal(call->qualified, STR("torch.device")))
    return value_make(PY_DEVICE);
  if (call->qualified.len > 0 && str_find_char(call->qualified, '.', 0) == STR_NOT_FOUND)
    return of_builtin(e, call, call->qualified, depth);
  if (py_kind(e->tree, call->function_node) == PYK_ATTRIBUTE)
    return of_method(e, call, depth);
  return unknown;
}
