// Which element type a tensor, or a value of the graph, has, as far as what makes it tells.

#include "python/model/interpret.h"
#include "python/model/python_elements.h"

/// `torch.int64`, and names for it.
static uint32_t of_dtype(const Interpreter *in, PyRef node)
{
  Arena arena = { 0 };
  Str name = py_model_qualified(in->model, py_model_resolve(in->model, node), &arena);
  uint32_t elements = str_starts_with(name, STR("torch.")) ? elements_of_dtype(name) : 0;
  arena_done(&arena);
  return elements;
}

/// What torch.tensor() makes of numbers.
static uint32_t of_numbers(PyValue value)
{
  uint32_t kinds = py_file_is_only(value, PY_LIST) ? value.elements : value.kinds;
  if (py_file_is_only(value, PY_LIST) && value.length == 0)
    return ELEMENTS_FLOAT;
  return kinds == PY_INT ? ELEMENTS_INT64 : kinds == PY_FLOAT ? ELEMENTS_FLOAT : kinds == PY_BOOL ? ELEMENTS_BOOL : 0;
}

/// `[[0, 1.5]]`: one float makes all of them floats.
static uint32_t of_list(const Interpreter *in, PyRef list)
{
  uint32_t met = 0;
  bool is_sure = true;
  int count = 0;
  for (PY_EACH_ELEMENT(in->tree, item, list)) {
    uint32_t elements = of_numbers(interpret_meaning(in, item).value);
    is_sure &= elements != 0 && ++count <= PY_ELEMENT_LIMIT;
    met |= elements;
  }
  if (met & ELEMENTS_FLOAT)
    return ELEMENTS_FLOAT;
  return !is_sure ? 0 : met & ELEMENTS_INT64 ? ELEMENTS_INT64 : met;
}

/// What is given to torch.tensor().
static uint32_t of_data(const Interpreter *in, const PyArgument *data)
{
  if (!data || !data->value)
    return 0;
  PyNodeKind kind = py_kind(in->tree, data->value);
  PyValue value = interpret_meaning(in, data->value).value;
  bool is_list = (kind == PYK_LIST || kind == PYK_TUPLE) && value.length != 0;
  return is_list ? of_list(in, data->value) : of_numbers(value);
}

/// `torch.LongTensor(...)`
static uint32_t of_class(Str name)
{
  static const struct {
    const char *name;
    const char *dtype;
  } classes[] = {
    { "torch.BoolTensor", "bool" }, { "torch.DoubleTensor", "double" }, { "torch.FloatTensor", "float" },
    { "torch.HalfTensor", "half" }, { "torch.IntTensor", "int" },       { "torch.LongTensor", "long" },
    { "torch.Tensor", "float" },
  };
  for (size_t i = 0; i < COUNT(classes); i++) {
    if (str_equal(name, str_from(classes[i].name)))
      return elements_of_dtype(str_from(classes[i].dtype));
  }
  return 0;
}

/// `torch.arange(0, 5)`: of floats if one of them is.
static uint32_t of_range(const Interpreter *in, const PyCall *call)
{
  bool is_whole = call->argument_count > 0;
  for (PY_EACH_ARGUMENT(in->model, argument, call)) {
    PyValue value = argument->value ? interpret_meaning(in, argument->value).value : unknown;
    if (argument->keyword.len == 0 && py_file_is_only(value, PY_FLOAT))
      return ELEMENTS_FLOAT;
    is_whole &= argument->keyword.len == 0 && py_file_is_only(value, PY_INT);
  }
  return is_whole ? ELEMENTS_INT64 : 0;
}

/// `torch.from_numpy(np.array([1.0]))`: floats are double there.
static uint32_t of_array(const Interpreter *in, const PyArgument *argument)
{
  static const char *const makers[] = { "numpy.array", "numpy.asarray", "numpy.zeros", "numpy.ones" };
  PyRef made = argument && argument->value ? py_model_resolve(in->model, argument->value) : 0;
  const PyCall *call = py_model_call(in->model, made);
  if (!call || !str_is_one_of(call->qualified, makers, COUNT(makers)) || call->has_splat || call->has_dictionary_splat)
    return 0;
  const PyArgument *dtype = py_model_argument(in->model, call, 1, "dtype");
  if (dtype) {
    Arena arena = { 0 };
    Str name = py_model_qualified(in->model, py_model_resolve(in->model, dtype->value), &arena);
    Str package = STR("numpy.");
    bool is_numpy = str_starts_with(name, package);
    uint32_t elements = is_numpy ? elements_of_dtype(str_slice(name, package.len, name.len)) : 0;
    arena_done(&arena);
    return elements;
  }
  bool is_filled = str_equal(call->qualified, STR("numpy.zeros")) || str_equal(call->qualified, STR("numpy.ones"));
  uint32_t elements = is_filled ? ELEMENTS_FLOAT : of_data(in, py_model_argument(in->model, call, 0, "object"));
  return elements == ELEMENTS_FLOAT ? (uint32_t)1 << ELEM_DOUBLE : elements;
}

static uint32_t elements_made(const Interpreter *in, const PyCall *call)
{
  static const char *const floats[] = { "torch.zeros", "torch.ones", "torch.empty",   "torch.rand",
                                        "torch.randn", "torch.eye",  "torch.linspace" };
  Str name = call->qualified;
  if (call->has_splat || call->has_dictionary_splat)
    return 0;
  const PyArgument *dtype = py_model_argument(in->model, call, PY_ABSENT, "dtype");
  if (dtype)
    return dtype->value ? of_dtype(in, dtype->value) : 0;
  if (str_equal(name, STR("torch.tensor")) || str_equal(name, STR("torch.as_tensor")))
    return of_data(in, py_model_argument(in->model, call, 0, "data"));
  if (str_equal(name, STR("torch.from_numpy")))
    return of_array(in, py_model_argument(in->model, call, 0, "ndarray"));
  if (str_equal(name, STR("torch.full")))
    return of_data(in, py_model_argument(in->model, call, 1, "fill_value"));
  if (str_equal(name, STR("torch.scalar_tensor")) || str_is_one_of(name, floats, COUNT(floats)))
    return ELEMENTS_FLOAT;
  if (str_equal(name, STR("torch.arange")))
    return of_range(in, call);
  return str_equal(name, STR("torch.randint")) ? (uint32_t)ELEMENTS_INT64 : of_class(name);
}

uint32_t interpret_tensor_elements(const Interpreter *in, const PyCall *call)
{
  uint32_t elements = elements_made(in, call);
  bool is_said = py_model_argument(in->model, call, PY_ABSENT, "dtype") != NULL ||
                 (str_ends_with(call->qualified, STR("Tensor")) && !str_equal(call->qualified, STR("torch.Tensor")));
  return elements == ELEMENTS_FLOAT && in->has_other_float && !is_said ? 0 : elements;
}

uint32_t interpret_converted_elements(const Interpreter *in, const PyCall *call, Str method, uint32_t before)
{
  static const char *const types[] = { "long", "float", "int", "double", "half", "bool" };
  static const char *const keep[] = { "reshape", "view", "flatten", "clone",     "detach",
                                      "cpu",     "neg",  "squeeze", "unsqueeze", "contiguous" };
  if (str_is_one_of(method, types, COUNT(types)))
    return call->argument_count == 0 ? elements_of_dtype(method) : 0;
  if (str_equal(method, STR("to")) || str_equal(method, STR("type"))) {
    const PyArgument *dtype = py_model_argument(in->model, call, 0, "dtype");
    return dtype && dtype->value && call->argument_count == 1 ? of_dtype(in, dtype->value) : 0;
  }
  return str_is_one_of(method, keep, COUNT(keep)) ? before : 0;
}

// --- Operators ---

static const PyAttribute *attribute_of(const Interpreter *in, const PyOp *op, const char *keyword)
{
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const PyAttribute *attribute = &in->model->attributes.items[op->first_attribute + i];
    if (str_equal(attribute->keyword, str_from(keyword)))
      return attribute->value ? attribute : NULL;
  }
  return NULL;
}

/// `TensorProtoDataType.INT64` and `TensorProto.INT64`; 0.
static uint32_t of_proto_name(Str name)
{
  static const char *const upper[] = { "",       "FLOAT",  "UINT8",     "INT8",       "UINT16",  "INT16",
                                       "INT32",  "INT64",  "STRING",    "BOOL",       "FLOAT16", "DOUBLE",
                                       "UINT32", "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16" };
  Str last = str_after_last(name, '.');
  bool is_proto = str_find(name, STR("TensorProto"), 0) != STR_NOT_FOUND;
  for (uint32_t i = 1; is_proto && i < COUNT(upper); i++) {
    if (str_equal(last, str_from(upper[i])))
      return (uint32_t)1 << i;
  }
  return 0;
}

/// `cast_pytorch_to_onnx["Long"]`
static uint32_t of_cast_table(const Interpreter *in, PyRef node)
{
  static const struct {
    const char *key;
    const char *dtype;
  } keys[] = { { "Byte", "uint8" },  { "Char", "int8" },     { "Short", "int16" },
               { "Int", "int32" },   { "Long", "int64" },    { "Half", "half" },
               { "Float", "float" }, { "Double", "double" }, { "Bool", "bool" } };
  PyRef table = py_child(in->tree, node, PY_F_VALUE);
  PyRef index = py_child(in->tree, node, PY_F_SUBSCRIPT);
  Arena arena = { 0 };
  uint32_t elements = 0;
  Str key;
  if (table && index && str_ends_with(py_text(in->tree, table), STR("cast_pytorch_to_onnx")) &&
      py_model_string(in->model, index, &arena, &key)) {
    for (size_t i = 0; i < COUNT(keys); i++)
      elements |= str_equal(key, str_from(keys[i].key)) ? elements_of_dtype(str_from(keys[i].dtype)) : 0;
  }
  arena_done(&arena);
  return elements;
}

/// The type that a number of ONNX is; 0 if that is not known.
static uint32_t of_number(const Interpreter *in, PyRef node)
{
  Meaning meaning = interpret_meaning(in, node);
  if (meaning.hints & HAS_NUMBER)
    return meaning.number > 0 && meaning.number <= 16 ? (uint32_t)1 << meaning.number : 0;
  PyRef known = py_model_resolve(in->model, node);
  if (py_kind(in->tree, known) == PYK_SUBSCRIPT)
    return of_cast_table(in, known);
  Arena arena = { 0 };
  uint32_t elements = of_proto_name(py_model_qualified(in->model, known, &arena));
  arena_done(&arena);
  return elements;
}

static uint32_t of_input(const Interpreter *in, const PyOp *op, uint32_t position)
{
  const PyArgument *input = &in->model->arguments.items[op->first_input + position];
  return input->value ? py_file_elements(interpret_meaning(in, input->value).value) : 0;
}

/// What those inputs have that are of the type of the result; of operators whose inputs are cast, only if all agree.
static uint32_t of_inputs(const Interpreter *in, const PyOp *op, const OnnxSchema *schema, Str type)
{
  bool must_agree = elements_are_repaired(op->name, py_file_torch_is_before(in->file, BEFORE_TWO)) ||
                    str_equal(op->name, STR("Where"));
  uint32_t elements = 0;
  for (uint32_t i = 0; i < op->input_count; i++) {
    const OnnxParam *param = elements_param_at(schema, i);
    if (!param || !str_equal(param->type, type))
      continue;
    uint32_t input = of_input(in, op, i);
    if (!must_agree)
      return input;
    if (input == 0 || (elements != 0 && elements != input))
      return 0;
    elements = input;
  }
  return elements;
}

/// What the schema says of the only output.
static uint32_t of_schema(const Interpreter *in, const PyOp *op)
{
  const OnnxOperator *onnx = symbolics_onnx_operator(in->file->db, STR(""), op->name);
  const OnnxSchema *schema = onnx && onnx->version_count > 0 ? &onnx->versions[onnx->version_count - 1] : NULL;
  if (!schema || schema->output_count == 0 || op->has_splat_input)
    return 0;
  uint32_t allowed = elements_of_param(schema, &schema->outputs[0]);
  if (elements_number(allowed) != 0)
    return allowed;
  uint32_t elements = of_inputs(in, op, schema, schema->outputs[0].type) & allowed;
  // Of whatever else it is, the result of Exp is of floats.
  return elements != 0 || (allowed & ELEMENTS_FLOAT && allowed & ELEMENTS_INT64) ? elements : allowed;
}

uint32_t interpret_op_elements(const Interpreter *in, const PyOp *op)
{
  const PyOp *last = vec_last(&in->model->ops);
  bool is_one_of_several = op != last && op[1].call == op->call;
  if (op->kind != PY_OP_GRAPH || !op->name_known || op->domain.len > 0 || op->outputs != 1 || is_one_of_several)
    return 0;
  bool is_filled = str_equal(op->name, STR("ConstantOfShape"));
  if (str_equal(op->name, STR("Constant")) || is_filled) {
    const PyAttribute *tensor = attribute_of(in, op, "value_t");
    if (tensor)
      return py_file_elements(interpret_meaning(in, tensor->value).value);
    return is_filled && op->attribute_count == 0 && !op->has_unknown_attributes ? ELEMENTS_FLOAT : 0;
  }
  if (!str_equal(op->name, STR("Cast")))
    return of_schema(in, op);
  const PyAttribute *to = attribute_of(in, op, "to_i");
  return to ? of_number(in, to->value) : 0;
}
