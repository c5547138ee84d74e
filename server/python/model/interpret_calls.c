// What a call returns, as far as the facts or the file's own functions tell.

#include "core/workspace.h"
#include "python/model/interpret.h"

static bool is_tensor_maker(Str name)
{
  static const char *const names[] = {
    "tensor",     "as_tensor",  "ones",          "zeros",    "full",       "empty",      "arange",
    "rand",       "randn",      "eye",           "linspace", "cat",        "LongTensor", "FloatTensor",
    "IntTensor",  "BoolTensor", "DoubleTensor",  "Tensor",   "stack",      "from_numpy", "ones_like",
    "zeros_like", "full_like",  "scalar_tensor", "randint",  "HalfTensor",
  };
  return interpret_is_torch_name(name, names, COUNT(names));
}

static bool is_array_maker(Str name)
{
  static const char *const names[] = { "numpy.array",
                                       "numpy.zeros",
                                       "numpy.ones",
                                       "numpy.full",
                                       "numpy.asarray",
                                       "numpy.arange",
                                       "numpy.random.randn",
                                       "numpy.random.rand",
                                       "numpy.empty",
                                       "numpy.eye",
                                       "numpy.linspace",
                                       "numpy.stack",
                                       "numpy.zeros_like",
                                       "numpy.ones_like",
                                       "numpy.concatenate",
                                       "numpy.expand_dims",
                                       "numpy.transpose",
                                       "numpy.load",
                                       "numpy.ascontiguousarray",
                                       "onnx.numpy_helper.to_array",
                                       "cv2.resize",
                                       "cv2.cvtColor",
                                       "cv2.dnn.blobFromImage" };
  return str_is_one_of(name, names, COUNT(names));
}

/// The kind that `numpy.float32` has, which is as good as a number of Python as an attribute, and no better as an
/// input; 0.
static uint32_t kind_of_numpy_number(Str name)
{
  static const char *const floats[] = { "numpy.float16", "numpy.float32", "numpy.float64", "numpy.single",
                                        "numpy.double" };
  static const char *const ints[] = { "numpy.int8",  "numpy.int16",  "numpy.int32",  "numpy.int64", "numpy.intp",
                                      "numpy.uint8", "numpy.uint16", "numpy.uint32", "numpy.uint64" };
  return str_is_one_of(name, floats, COUNT(floats)) ? PY_FLOAT : str_is_one_of(name, ints, COUNT(ints)) ? PY_INT : 0;
}

/// `numpy.float32(x)`: a number of a number, and an array of whatever has several.
static PyValue of_numpy_number(const Interpreter *in, const PyCall *call)
{
  uint32_t kind = kind_of_numpy_number(call->qualified);
  const PyArgument *argument = kind == 0 ? NULL : py_model_argument(in->model, call, 0, NULL);
  if (!argument)
    return interpret_value(kind);
  PyValue given = interpret_meaning(in, argument->value).value;
  bool is_number = py_file_is_only(given, PY_INT | PY_FLOAT | PY_BOOL | PY_STRING);
  bool is_array = py_file_is_only(given, PY_LIST | PY_ARRAY | PY_TENSOR);
  return interpret_value((is_array ? 0 : kind) | (is_number ? 0 : PY_ARRAY));
}

/// A call of a class of the file that derives from nothing that is a value of another kind.
static bool is_object_maker(const Interpreter *in, const PyCall *call)
{
  const PyClass *class = py_model_class_at(in->model, py_model_class_named(in->model, call->function_node));
  return class && (class->is_plain || class->is_enum || class->is_module);
}

static PyValue of_helper(const Interpreter *in, const PyCall *call, Str name)
{
  const PyHelper *helper = export_api_helper(in->file->db, name);
  if (!helper || helper->result == 0)
    return unknown;
  uint32_t result = helper->result;
  PyValue value =
      interpret_value(result & ~(uint32_t)(PY_VALUES | PY_INTS | PY_FLOATS | PY_DESCRIPTOR | PY_OTHER | PY_RAISES));
  if ((result & PY_RAISES) && (value.kinds & ~(uint32_t)PY_NONE) == 0)
    return unknown;
  if (result & PY_OTHER)
    return unknown;
  if (result & PY_DESCRIPTOR) {
    const PyArgument *argument = py_model_argument(in->model, call, 1, "desc");
    Arena arena = { 0 };
    Str letter;
    PyValue read =
        argument && py_model_string(in->model, argument->value, &arena, &letter) ? interpret_letter(letter) : unknown;
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

static PyValue of_op(const Interpreter *in, const PyOp *op)
{
  if (op->kind == PY_OP_ONNXSCRIPT)
    return unknown;  // How many depends on the schema.
  if (op->outputs == 1)
    return (PyValue){ .kinds = PY_VALUE, .elements = interpret_op_elements(in, op), .length = -1 };
  return op->outputs > 1 ? interpret_list(PY_VALUE, op->outputs) : unknown;
}

/// What a function of this file gives back, if every return is known.
static PyValue of_own_function(const Interpreter *in, uint32_t index, uint32_t *ret_hints)
{
  const Result *result = &in->results[index];
  *ret_hints |= (result->hints & (ASKS_OPSET | IS_FOREIGN)) | (result->meaning.hints & ASKS_VERSION);
  return result->is_done && !in->model->functions.items[index].has_unknown_decorator ? result->meaning.value : unknown;
}

/// What a call gives the parameter that a name stands for, if nothing in the function changes it.
static PyValue of_parameter(const Interpreter *in, const PyCall *call, PyRef name)
{
  const PyModel *model = in->model;
  const PyFunction *function = &model->functions.items[call->function];
  const PyBinding *binding = py_model_binding_of(model, call->function, name);
  if (!py_binding_is_only(binding, PY_BIND_PARAM) || binding->scope != call->function || call->has_splat ||
      call->has_dictionary_splat)
    return unknown;
  const PyParam *param = &model->params.items[binding->index];
  uint32_t position = binding->index - function->first_param;
  const PyArgument *argument =
      param->kind == PY_PARAM_ARGS || param->kind == PY_PARAM_KWARGS
          ? NULL
          : py_model_argument_of(model, call, position < function->plain_count ? position : PY_ABSENT, param->name);
  return argument && argument->value ? interpret_meaning(in, argument->value).value : unknown;
}

/// `def pair(x): return x` and `return (x, x)`: what the call gives comes back.
static PyValue of_what_is_given(const Interpreter *in, const PyCall *call)
{
  const PyFunction *function = &in->model->functions.items[call->function];
  PyRef returned = function->returned ? py_tree_strip(in->tree, function->returned) : 0;
  PyNodeKind kind = returned ? py_kind(in->tree, returned) : PYK_OTHER;
  if (function->return_count != 1 || function->has_unknown_decorator)
    return unknown;
  if (kind == PYK_IDENTIFIER)
    return of_parameter(in, call, returned);
  if (kind != PYK_TUPLE && kind != PYK_LIST)
    return unknown;
  PyValue list = interpret_list(0, 0);
  for (PY_EACH_ELEMENT(in->tree, item, returned)) {
    PyValue value = py_kind(in->tree, item) == PYK_IDENTIFIER ? of_parameter(in, call, item) : unknown;
    if (value.kinds == 0)
      return unknown;
    list.elements |= value.kinds;
    list.length++;
  }
  return list;
}

/// `Class.method(...)`, `self.method(...)`: of the class that the file shows. What gives back nothing there may be
/// meant to be written by others.
static PyValue of_own_method(const Interpreter *in, const PyCall *call, uint32_t *ret_hints)
{
  PyCallable callable = py_model_callable(in->model, call->function_node);
  if (callable.function == PY_ABSENT || callable.partial != PY_ABSENT || callable.parse_args != PY_ABSENT)
    return unknown;
  PyValue value = of_own_function(in, callable.function, ret_hints);
  return value.kinds & PY_NONE ? unknown : value;
}

static PyValue of_builtin(const Interpreter *in, const PyCall *call, Str name)
{
  if (str_equal(name, STR("int")) || str_equal(name, STR("len")))
    return interpret_value(PY_INT);
  if (str_equal(name, STR("float")))
    return interpret_value(PY_FLOAT);
  if (str_equal(name, STR("bool")) || str_equal(name, STR("isinstance")))
    return interpret_value(PY_BOOL);
  if (str_equal(name, STR("str")))
    return interpret_value(PY_STRING);
  if (str_equal(name, STR("dict")))
    return interpret_value(PY_DICT);
  if (str_equal(name, STR("range")))
    return interpret_list(PY_INT, -1);
  if (str_equal(name, STR("input")))
    return interpret_value(PY_STRING);
  if (str_equal(name, STR("print")))
    return interpret_value(PY_NONE);
  if (str_equal(name, STR("zip")) || str_equal(name, STR("enumerate")))
    return (PyValue){ .kinds = PY_ITERABLE, .elements = PY_LIST, .length = -1 };
  if (str_equal(name, STR("map")) || str_equal(name, STR("filter")) || str_equal(name, STR("iter")) ||
      str_equal(name, STR("reversed")))
    return interpret_value(PY_ITERABLE);
  if (str_equal(name, STR("list")) || str_equal(name, STR("tuple"))) {
    const PyArgument *argument = py_model_argument(in->model, call, 0, NULL);
    PyValue inner = argument ? interpret_meaning(in, argument->value).value : interpret_list(0, 0);
    bool is_iterable = py_file_is_only(inner, PY_ITERABLE);
    return py_file_is_only(inner, PY_LIST) ? inner : interpret_list(is_iterable ? inner.elements : 0, -1);
  }
  return unknown;
}

/// What functions of Python's own modules give, whatever they get.
static PyValue of_standard(Str name)
{
  static const char *const texts[] = { "json.dumps",      "os.getcwd",     "os.path.abspath", "os.path.basename",
                                       "os.path.dirname", "os.path.join",  "platform.system", "repr",
                                       "textwrap.dedent", "time.strftime", "torch.typename",  "hex" };
  static const char *const floats[] = { "math.cos",          "math.exp",  "math.log",      "math.log10",
                                        "math.log2",         "math.pow",  "math.sin",      "math.sqrt",
                                        "math.tan",          "math.tanh", "random.random", "random.uniform",
                                        "time.perf_counter", "time.time" };
  static const char *const ints[] = { "math.ceil",  "math.comb",  "math.factorial", "math.floor",       "math.gcd",
                                      "math.isqrt", "math.trunc", "random.randint", "random.randrange", "ord" };
  if (name.len == 0 || str_starts_with(name, STR("torch.onnx.")))
    return unknown;  // As most calls of symbolic functions are.
  return str_is_one_of(name, texts, COUNT(texts))     ? interpret_value(PY_STRING)
         : str_is_one_of(name, floats, COUNT(floats)) ? interpret_value(PY_FLOAT)
         : str_is_one_of(name, ints, COUNT(ints))     ? interpret_value(PY_INT)
                                                      : unknown;
}

/// A variable of the environment, which is text.
static PyValue of_environment(const Interpreter *in, const PyCall *call)
{
  if (!str_equal(call->qualified, STR("os.environ.get")) && !str_equal(call->qualified, STR("os.getenv")))
    return unknown;
  const PyArgument *standard = py_model_argument(in->model, call, 1, "default");
  PyValue otherwise = standard ? interpret_meaning(in, standard->value).value : interpret_value(PY_NONE);
  return interpret_join(interpret_value(PY_STRING), otherwise);
}

/// `config.get("export", "opset")` of a configparser: text, whatever it looks like.
static PyValue of_configuration(const Interpreter *in, const PyCall *call)
{
  static const char *const makers[] = { "configparser.ConfigParser", "configparser.RawConfigParser",
                                        "configparser.SafeConfigParser" };
  const PyTree *tree = in->tree;
  PyRef function = call->function_node;
  PyRef object = py_tree_object(tree, function);
  const PyCall *made = object ? py_model_call(in->model, py_model_resolve(in->model, object)) : NULL;
  bool is_read = made && str_is_one_of(made->qualified, makers, COUNT(makers)) &&
                 str_equal(py_tree_member_name(tree, function), STR("get")) && call->argument_count == 2;
  return is_read ? interpret_value(PY_STRING) : unknown;
}

/// A method of a tensor, which has thousands: those that parts of a constant are made with.
static PyValue of_tensor_method(const Interpreter *in, const PyCall *call, Str name, PyValue self)
{
  static const char *const same[] = { "to",      "type",      "long",       "float", "int",   "double", "half", "bool",
                                      "reshape", "view",      "flatten",    "clone", "abs",   "detach", "cpu",  "neg",
                                      "squeeze", "unsqueeze", "contiguous", "round", "floor", "ceil" };
  if (str_is_one_of(name, same, COUNT(same)))
    return (PyValue){ .kinds = PY_TENSOR,
                      .elements = interpret_converted_elements(in, call, name, self.elements),
                      .length = -1 };
  if (str_equal(name, STR("tolist")))
    return interpret_value(PY_LIST | PY_INT | PY_FLOAT | PY_BOOL);
  if (str_equal(name, STR("item")))
    return interpret_value(PY_INT | PY_FLOAT | PY_BOOL);
  if (str_equal(name, STR("numpy")))
    return interpret_value(PY_ARRAY);
  if (str_equal(name, STR("dim")) || str_equal(name, STR("numel")))
    return interpret_value(PY_INT);
  if (str_equal(name, STR("size")))
    return call->argument_count == 0 ? interpret_list(PY_INT, -1) : interpret_value(PY_INT);
  return unknown;
}

static PyValue of_value_method(Str name, PyValue self)
{
  if (str_equal(name, STR("setType")) || str_equal(name, STR("setTypeAs")))
    return self;
  if (str_equal(name, STR("type")))
    return interpret_value(PY_TYPE);
  if (str_equal(name, STR("node")))
    return interpret_value(PY_OBJECT);
  return str_equal(name, STR("debugName")) ? interpret_value(PY_STRING) : unknown;
}

/// Where the trace knows no shape, sizes() is None; then nothing is said of what it is used for.
static PyValue of_type_method(Str name)
{
  if (str_equal(name, STR("sizes")) || str_equal(name, STR("strides")))
    return interpret_list(PY_INT, -1);
  if (str_equal(name, STR("scalarType")) || str_equal(name, STR("kind")) || str_equal(name, STR("str")))
    return interpret_value(PY_STRING);
  if (str_equal(name, STR("dtype")))
    return interpret_value(PY_DTYPE);
  if (str_equal(name, STR("dim")))
    return interpret_value(PY_INT);
  return str_starts_with(name, STR("with_")) ? interpret_value(PY_TYPE) : unknown;
}

static bool is_dict_view(Str name)
{
  return str_equal(name, STR("keys")) || str_equal(name, STR("values")) || str_equal(name, STR("items"));
}

/// `value.setType(...)` and the like.
static PyValue of_method(const Interpreter *in, const PyCall *call)
{
  PyRef name_node = py_tree_member(in->tree, call->function_node);
  PyRef object = py_tree_object(in->tree, call->function_node);
  if (!name_node || !object)
    return unknown;
  Str name = py_text(in->tree, name_node);
  PyValue self = interpret_meaning(in, object).value;
  if (py_file_is_only(self, PY_VALUE))
    return of_value_method(name, self);
  if (py_file_is_only(self, PY_TYPE))
    return of_type_method(name);
  if (py_file_is_only(self, PY_TENSOR))
    return of_tensor_method(in, call, name, self);
  if (py_file_is_only(self, PY_LIST) && (str_equal(name, STR("index")) || str_equal(name, STR("count"))))
    return interpret_value(PY_INT);
  static const char *const changers[] = { "append", "extend", "insert", "sort", "reverse", "clear" };
  if (py_file_is_only(self, PY_LIST) && str_is_one_of(name, changers, COUNT(changers)))
    return interpret_value(PY_NONE);
  if (py_file_is_only(self, PY_DICT) && is_dict_view(name))
    return interpret_value(PY_ITERABLE);
  if (py_file_is_only(self, PY_STRING) &&
      (str_equal(name, STR("format")) || str_equal(name, STR("lower")) || str_equal(name, STR("upper")) ||
       str_equal(name, STR("join")) || str_equal(name, STR("strip")) || str_equal(name, STR("replace"))))
    return interpret_value(PY_STRING);
  if (py_file_is_only(self, PY_STRING) && str_equal(name, STR("split")))
    return interpret_list(PY_STRING, -1);
  if (self.kinds == 0 && call->argument_count == 0 && (str_equal(name, STR("lower")) || str_equal(name, STR("upper"))))
    return interpret_value(PY_STRING);  // Nothing but texts has these.
  if (self.kinds == 0 && str_equal(name, STR("state_dict")))
    return interpret_value(PY_DICT);
  if (self.kinds == 0 && str_equal(name, STR("load_state_dict")))
    return interpret_list(0, -1);  // A named tuple: the keys that are missing, and those that nothing expects.
  static const char *const arrays[] = {
    "astype", "reshape", "transpose", "copy", "flatten", "ravel", "squeeze", "clip"
  };
  if (py_file_is_only(self, PY_ARRAY) && str_is_one_of(name, arrays, COUNT(arrays)))
    return interpret_value(PY_ARRAY);
  return unknown;
}

/// A function of another file of the workspace.
static PyValue of_foreign(const Interpreter *in, const PyCall *call, uint32_t *ret_hints)
{
  const WorkspaceSymbolic *found = py_file_foreign_function(in->file, call);
  if (!found || found->signature.result == 0)
    return unknown;
  *ret_hints |= IS_FOREIGN;
  return (PyValue){ found->signature.result, found->signature.elements, found->signature.length };
}

PyValue interpret_call(const Interpreter *in, const PyCall *call, uint32_t *ret_hints)
{
  if (call->op != PY_ABSENT)
    return of_op(in, &in->model->ops.items[call->op]);
  if (call->function != PY_ABSENT) {
    PyValue value = of_own_function(in, call->function, ret_hints);
    return value.kinds == 0 ? of_what_is_given(in, call) : value;
  }
  Str helper = STR("torch.onnx.symbolic_helper.");
  if (str_starts_with(call->qualified, helper))
    return of_helper(in, call, str_slice(call->qualified, helper.len, call->qualified.len));
  if (is_tensor_maker(call->qualified))
    return (PyValue){ .kinds = PY_TENSOR, .elements = interpret_tensor_elements(in, call), .length = -1 };
  if (is_object_maker(in, call))
    return interpret_value(PY_OBJECT);
  if (is_array_maker(call->qualified))
    return interpret_value(PY_ARRAY);
  if (str_starts_with(call->qualified, STR("numpy.")))
    return of_numpy_number(in, call);
  if (str_ends_with(call->qualified, STR("TensorProto.DataType.Name")))
    return interpret_value(PY_STRING);
  if (str_equal(call->qualified, STR("torch.device")))
    return interpret_value(PY_DEVICE);
  if (str_equal(call->qualified, STR("getattr")))
    return interpret_qualified(in->model, call->node);
  PyValue standard = of_standard(call->qualified);
  if (standard.kinds != 0)
    return standard;
  if (call->qualified.len > 0 && str_find_char(call->qualified, '.', 0) == STR_NOT_FOUND)
    return of_builtin(in, call, call->qualified);
  PyValue value = of_foreign(in, call, ret_hints);
  if (value.kinds != 0 || py_kind(in->tree, call->function_node) != PYK_ATTRIBUTE)
    return value;
  value = of_method(in, call);
  if (value.kinds == 0)
    value = of_environment(in, call);
  if (value.kinds == 0)
    value = of_configuration(in, call);
  return value.kinds == 0 ? of_own_method(in, call, ret_hints) : value;
}
