// What is known without going through code: parameters when their function is called, names of other modules, kinds
// of values and their words.

#include "base/limits.h"
#include "facts/torch_inputs.h"
#include "python/model/interpret.h"

// --- Values ---

PyValue interpret_join(PyValue a, PyValue b)
{
  if (a.kinds == 0 || b.kinds == 0)
    return unknown;
  PyValue joined = { .kinds = a.kinds | b.kinds, .length = -1 };
  bool a_list = (a.kinds & PY_LIST) != 0;
  bool b_list = (b.kinds & PY_LIST) != 0;
  if (a_list && b_list) {
    bool any_unknown = (a.elements == 0 && a.length != 0) || (b.elements == 0 && b.length != 0);
    joined.elements = any_unknown ? 0 : a.elements | b.elements;
    joined.length = a.length == b.length ? a.length : -1;
  } else if (a_list || b_list) {
    joined.elements = a_list ? a.elements : b.elements;
    joined.length = a_list ? a.length : b.length;
  } else if (py_file_elements(a) != 0 && py_file_elements(b) != 0) {
    joined.elements = a.elements | b.elements;
  }
  return joined;
}

PyValue interpret_element(PyValue list)
{
  return py_file_is_only(list, PY_LIST) && list.elements != 0 && (list.elements & PY_LIST) == 0
             ? interpret_value(list.elements)
             : unknown;
}

PyValue interpret_letter(Str letter)
{
  static const struct {
    const char *letter;
    uint32_t kind, elements;
  } letters[] = {
    { "v", PY_VALUE, 0 },  { "none", PY_VALUE, 0 },   { "i", PY_INT, 0 },
    { "f", PY_FLOAT, 0 },  { "b", PY_BOOL, 0 },       { "s", PY_STRING, 0 },
    { "t", PY_TENSOR, 0 }, { "is", PY_LIST, PY_INT }, { "fs", PY_LIST, PY_FLOAT },
  };
  for (size_t i = 0; i < COUNT(letters); i++) {
    if (str_equal(letter, str_from(letters[i].letter)))
      return (PyValue){ .kinds = letters[i].kind, .elements = letters[i].elements, .length = -1 };
  }
  return unknown;
}

bool interpret_is_torch_name(Str name, const char *const *names, size_t count)
{
  return str_starts_with(name, STR("torch.")) && str_is_one_of(str_slice(name, 6, name.len), names, count);
}

// --- Names of other modules ---

bool py_model_is_dtype(Str qualified)
{
  static const char *const names[] = {
    "float32", "float64", "float16", "bfloat16", "float",  "double",    "half",
    "int8",    "int16",   "int32",   "int64",    "uint8",  "int",       "long",
    "short",   "bool",    "cfloat",  "qint8",    "quint8", "complex64", "complex128",
  };
  return interpret_is_torch_name(qualified, names, COUNT(names));
}

/// `numpy.float32` as it is, and not called.
static bool is_numpy_type(Str name)
{
  static const char *const names[] = { "float16", "float32", "float64", "int8",  "int16", "int32",
                                       "int64",   "uint8",   "uint16",  "bool_", "double" };
  Str package = STR("numpy.");
  return str_starts_with(name, package) && str_is_one_of(str_slice(name, package.len, name.len), names, COUNT(names));
}

PyValue interpret_qualified(const PyModel *model, PyRef node)
{
  Arena arena = { 0 };
  Str name = py_model_qualified(model, node, &arena);
  PyValue value = unknown;
  if (py_model_is_dtype(name))
    value = interpret_value(PY_DTYPE);
  else if (str_find(name, STR("TensorProtoDataType."), 0) != STR_NOT_FOUND ||
           str_starts_with(name, STR("onnx.TensorProto.")))
    value = interpret_value(PY_INT);
  else if (is_numpy_type(name))
    value = interpret_value(PY_OBJECT);
  else if (str_equal(name, STR("sys.argv")))
    value = interpret_list(PY_STRING, -1);
  else if (str_equal(name, STR("math.inf")) || str_equal(name, STR("math.pi")) || str_equal(name, STR("math.e")))
    value = interpret_value(PY_FLOAT);
  arena_done(&arena);
  return value;
}

/// The fewest arguments that an overload of a registered name passes; UINT32_MAX if the operator is unknown.
static uint32_t fewest_arguments(const PyFile *file, const PyRegistration *registration)
{
  const TorchOperator *op = registration->name_known ? py_file_torch_operator(file, registration->name) : NULL;
  uint32_t fewest = UINT32_MAX;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    if (py_file_overload_applies(file, &op->overloads[i]) && op->overloads[i].argument_count < fewest)
      fewest = op->overloads[i].argument_count;
  }
  return fewest;
}

/// Is the parameter passed in every call that the exporter makes? `position` counts from the first input.
static bool is_always_passed(const PyFile *file, uint32_t function, uint32_t position)
{
  const PyModel *model = file->model;
  if (model->functions.items[function].first_registration == PY_ABSENT)
    return false;
  for (PY_EACH_REGISTRATION(model, registration, function)) {
    if (registration->has_applied_params || registration->is_opaque)
      return false;
    uint32_t fewest = fewest_arguments(file, registration);
    if (fewest == UINT32_MAX || position >= fewest)
      return false;
  }
  return true;
}

/// Is the parameter one that no call of the exporter passes, as each overload of all names is known and has fewer?
static bool is_never_passed(const PyFile *file, uint32_t function, uint32_t position)
{
  const PyModel *model = file->model;
  bool any = false;
  for (PY_EACH_REGISTRATION(model, registration, function)) {
    const TorchOperator *op = registration->name_known ? py_file_torch_operator(file, registration->name) : NULL;
    if (!op)
      return false;
    for (uint32_t i = 0; i < op->overload_count; i++) {
      bool is_out = str_ends_with(op->overloads[i].overload, STR("out"));  // Nobody exports these.
      if (op->overloads[i].has_varargs || (!is_out && position < op->overloads[i].argument_count))
        return false;
    }
    any = true;
  }
  return any;
}

/// Is the function called in another way than with the graph's values? The attributes of a prim node come as keywords,
/// and an operator that torch doesn't have is never converted.
static bool has_strange_registration(const PyFile *file, uint32_t function)
{
  const PyModel *model = file->model;
  for (PY_EACH_REGISTRATION(model, registration, function)) {
    if (registration->has_applied_params || registration->is_opaque || !registration->name_known ||
        str_starts_with(registration->name, STR("prim::")))
      return true;
    if (str_starts_with(registration->name, STR("aten::")) && !py_file_torch_operator(file, registration->name))
      return true;
  }
  return false;
}

/// Can the letter read what the registered operators pass at this position? If not, a rule says that, and what the
/// parameter would be says nothing.
static bool letter_fits(const PyFile *file, uint32_t function, uint32_t position, Str letter)
{
  const PyModel *model = file->model;
  for (PY_EACH_REGISTRATION(model, registration, function)) {
    const TorchOperator *op = registration->name_known ? py_file_torch_operator(file, registration->name) : NULL;
    bool any = !op;
    for (uint32_t k = 0; op && k < op->overload_count && !any; k++) {
      const TorchOverload *overload = &op->overloads[k];
      any = py_file_overload_applies(file, overload) &&
            (position >= overload->argument_count ||
             export_api_descriptor_fits(letter, overload->arguments[position].type));
    }
    if (!any)
      return false;
  }
  return true;
}

/// What @parse_args makes of a parameter; `first` is the function's first input.
static PyValue of_parsed_param(const Interpreter *in, const PyBinding *binding, uint32_t first)
{
  PyRef descriptor = py_file_descriptor_of(in->file, binding->scope, binding->index);
  PyValue value = unknown;
  Arena arena = { 0 };
  Str letter;
  if (descriptor && py_model_string(in->model, descriptor, &arena, &letter)) {
    value = interpret_letter(letter);
    if (value.kinds != 0 && !letter_fits(in->file, binding->scope, binding->index - first, letter))
      value = unknown;
  }
  arena_done(&arena);
  return value;
}

/// symbolic() gets tensors as values of the graph, and everything else as it is: what a number is the default of is
/// one.
static PyValue of_autograd_param(const Interpreter *in, const PyBinding *binding)
{
  const PyParam *param = &in->model->params.items[binding->index];
  if (param->kind == PY_PARAM_ARGS)
    return interpret_list(0, -1);
  if (param->kind != PY_PARAM_PLAIN)
    return unknown;
  uint32_t kinds = in->file->argument_kinds[binding->index] & ~(uint32_t)PY_TRACED;
  if (!param->default_value && kinds & (PY_LIST | PY_INTS | PY_FLOATS))
    return kinds == PY_INTS     ? interpret_list(PY_INT, -1)
           : kinds == PY_FLOATS ? interpret_list(PY_FLOAT, -1)
           : kinds == PY_LIST   ? interpret_list(0, -1)
                                : unknown;
  if (!param->default_value || kinds == PY_NONE)
    return interpret_value(kinds);
  PyValue value = interpret_known(in, param->default_value);
  const uint32_t plain = PY_INT | PY_FLOAT | PY_BOOL | PY_STRING | PY_DTYPE | PY_DEVICE;
  return py_file_is_only(value, plain) && (kinds & PY_VALUE) == 0 ? value : unknown;
}

/// @parse_args reads values of the graph, and lets others through.
static PyValue read_by_descriptor(const Interpreter *in, const PyBinding *binding, PyValue value)
{
  if (in->model->functions.items[binding->scope].parse_args == PY_ABSENT || (value.kinds & PY_VALUE) == 0)
    return value;
  PyRef descriptor = py_file_descriptor_of(in->file, binding->scope, binding->index);
  Arena arena = { 0 };
  Str letter;
  bool is_read =
      py_file_is_only(value, PY_VALUE) && descriptor && py_model_string(in->model, descriptor, &arena, &letter);
  value = is_read ? interpret_letter(letter) : unknown;
  arena_done(&arena);
  return value;
}

/// Whether the first parameter surely gets the graph: of a helper, or of what partial() changes, only its name tells.
static bool gets_graph(const PyFile *file, const PyFunction *function, const PyBinding *binding)
{
  bool is_called_so = (function->roles & PY_ROLE_AUTOGRAD) ||
                      ((function->roles & PY_ROLE_REGISTERED) && !has_strange_registration(file, binding->scope));
  return is_called_so || str_equal(binding->name, STR("g")) || str_contains(binding->name, STR("graph"));
}

/// The call that applies a function to all elements of its second argument, and is given `lambda` itself; NULL.
static const PyCall *applying_call(const PyModel *model, PyRef lambda)
{
  static const char *const names[] = { "map", "filter", "functools.reduce" };
  const PyCall *call = py_model_call_of_list(model, model->tree.nodes[lambda].parent);
  bool is_known = call && py_kind(&model->tree, lambda) == PYK_LAMBDA && call->argument_count >= 2 &&
                  !call->has_splat && py_model_arguments(model, call)->value == lambda &&
                  str_is_one_of(call->qualified, names, COUNT(names));
  return is_known ? call : NULL;
}

bool interpret_is_applied(const Interpreter *in, PyRef lambda)
{
  return applying_call(in->model, lambda) != NULL;
}

/// What `map(lambda a, b: ..., first, second)` and the like give a lambda; reduce() gives the first element, too.
static PyValue of_applied(const Interpreter *in, const PyBinding *binding)
{
  const PyFunction *function = &in->model->functions.items[binding->scope];
  const PyCall *call = applying_call(in->model, function->node);
  if (!call)
    return unknown;
  bool is_reduced = str_ends_with(call->qualified, STR("reduce"));
  uint32_t position = is_reduced ? 1 : 1 + binding->index - function->first_param;
  bool is_started = is_reduced && call->argument_count > 2;
  return position < call->argument_count && !is_started
             ? interpret_element(interpret_known(in, py_model_arguments(in->model, call)[position].value))
             : unknown;
}

/// What the operators that a function is registered for take as their first argument, which is all that it gets there;
/// 0 if one of them takes anything.
static uint32_t first_elements(const Interpreter *in, uint32_t function)
{
  uint32_t elements = 0;
  for (PY_EACH_REGISTRATION(in->model, registration, function)) {
    uint32_t taken = torch_input_elements(registration->name);
    if (taken == 0)
      return 0;
    elements |= taken;
  }
  return elements;
}

PyValue interpret_parameter(const Interpreter *in, const PyBinding *binding)
{
  const PyModel *model = in->model;
  const PyParam *param = &model->params.items[binding->index];
  const PyFunction *function = &model->functions.items[binding->scope];
  uint32_t count;
  uint32_t first = py_file_input_params(in->file, binding->scope, &count);
  if (param->bound_value && (function->roles & PY_ROLE_REGISTERED))
    return interpret_known(in, param->bound_value);
  if (binding->index < first && function->roles & (PY_ROLE_REGISTERED | PY_ROLE_HELPER | PY_ROLE_AUTOGRAD))
    return binding->index + 1 == first && gets_graph(in->file, function, binding) ? interpret_value(PY_GRAPH) : unknown;
  if (function->roles & PY_ROLE_AUTOGRAD)
    return read_by_descriptor(in, binding, of_autograd_param(in, binding));
  if (!function->name_node && function->first_call == PY_ABSENT && !(function->roles & PY_ROLE_REGISTERED))
    return of_applied(in, binding);
  bool is_symbolic = (function->roles & PY_ROLE_REGISTERED) != 0 || in->file->shaped_functions[binding->scope];
  if (!is_symbolic && !function->has_unknown_decorator)
    return read_by_descriptor(in, binding, in->passed[binding->index]);
  if (!is_symbolic || function->has_unknown_decorator || has_strange_registration(in->file, binding->scope))
    return unknown;
  if (param->kind == PY_PARAM_ARGS)
    return interpret_list(function->parse_args == PY_ABSENT ? PY_VALUE : 0, -1);
  bool is_count = str_equal(param->name, STR("_outputs"));  // How many outputs the node has: not from the graph.
  if (param->kind != PY_PARAM_PLAIN || binding->index < first || is_count)
    return unknown;
  PyValue value = function->parse_args == PY_ABSENT ? interpret_value(PY_VALUE) : of_parsed_param(in, binding, first);
  if (value.kinds == 0)
    return unknown;
  if (param->default_value && !(function->roles & PY_ROLE_CALLED) &&
      is_never_passed(in->file, binding->scope, binding->index - first))
    return interpret_known(in, param->default_value);
  if (param->default_value && !is_always_passed(in->file, binding->scope, binding->index - first))
    value = interpret_join(value, interpret_known(in, param->default_value));
  if (py_file_is_only(value, PY_VALUE) && binding->index == first)
    value.elements = first_elements(in, binding->scope);
  return value;
}

// --- Words ---

static Str word_of(uint32_t kind)
{
  switch (kind) {
  case PY_VALUE:
    return STR("a graph value");
  case PY_NONE:
    return STR("None");
  case PY_BOOL:
    return STR("a Python bool");
  case PY_INT:
    return STR("a Python int");
  case PY_FLOAT:
    return STR("a Python float");
  case PY_STRING:
    return STR("a Python str");
  case PY_TENSOR:
    return STR("a torch.Tensor");
  case PY_FUNCTION:
    return STR("a function");
  case PY_LIST:
    return STR("a Python list");
  case PY_DTYPE:
    return STR("a torch.dtype");
  case PY_GRAPH:
    return STR("the graph");
  case PY_ARRAY:
    return STR("a numpy array");
  case PY_DICT:
    return STR("a dict");
  case PY_DEVICE:
    return STR("a torch.device");
  case PY_OBJECT:
    return STR("a Python object");
  case PY_ITERABLE:
    return STR("an iterable that is no list");
  case PY_TYPE:
    return STR("a type of the graph");
  default:
    return STR("something else");
  }
}

Str py_file_value_text(PyValue value, Arena *arena)
{
  Str text = { 0 };
  if (value.kinds == (PY_INT | PY_FLOAT | PY_BOOL))
    return STR("a Python number");
  for (uint32_t kind = 1; kind != 0; kind <<= 1) {
    if ((value.kinds & kind) == 0)
      continue;
    text = text.len == 0 ? word_of(kind) : arena_printf(arena, "%.*s or %.*s", STR_ARG(text), STR_ARG(word_of(kind)));
  }
  return text.len > 0 ? text : STR("unknown");
}
