// Operators that are given a schema: whether it says the same as `mutates_args` and as the function. And names of
// devices and keys that torch would have to know. Run with torch 2.14.

#include "base/limits.h"
#include "python/model/python_schema.h"
#include "python/rules/python_edit.h"

static void say(DiagSink *sink, PyRef node, Str message)
{
  py_say(sink, RULE_CUSTOM_OP, SEVERITY_ERROR, node, message, NULL);
}

// --- mutates_args ---

static bool schema_mutates(const TorchOverload *schema, Str name)
{
  for (uint32_t i = 0; i < schema->argument_count; i++) {
    if (str_equal(schema->arguments[i].name, name) && str_ends_with(schema->arguments[i].alias, STR("!")))
      return true;
  }
  return false;
}

/// The names that are given, each a node; a string is taken letter by letter. False if they can't be read.
static bool read_names(const PyModel *model, PyRef value, Arena *arena, Str *names, PyRef *nodes, uint32_t *ret_count)
{
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, value);
  Str text;
  *ret_count = 0;
  if (py_model_string(model, value, arena, &text)) {
    for (size_t i = 0; i < text.len && *ret_count < PY_EXAMPLE_LIMIT; i++, (*ret_count)++) {
      names[*ret_count] = str_slice(text, i, i + 1);
      nodes[*ret_count] = value;
    }
    return true;
  }
  if (kind != PYK_TUPLE && kind != PYK_LIST && kind != PYK_SET)
    return false;
  for (PyRef item = py_tree_first_element(tree, value); item; item = py_tree_next_element(tree, item), (*ret_count)++) {
    nodes[*ret_count] = item;
    if (*ret_count == PY_EXAMPLE_LIMIT || !py_model_string(model, item, arena, &names[*ret_count]))
      return false;
  }
  return true;
}

static bool has_name(const Str *names, uint32_t count, Str name)
{
  for (uint32_t i = 0; i < count; i++) {
    if (str_equal(names[i], name))
      return true;
  }
  return false;
}

static void check_mutates(DiagSink *sink, const TorchOverload *schema, PyRef value)
{
  const PyModel *model = sink_python(sink)->model;
  Str names[PY_EXAMPLE_LIMIT];
  PyRef nodes[PY_EXAMPLE_LIMIT];
  uint32_t count;
  if (!read_names(model, py_model_resolve(model, value), sink->arena, names, nodes, &count))
    return;
  for (uint32_t i = 0; i < count; i++) {
    if (schema_mutates(schema, names[i]))
      continue;
    say(sink, nodes[i],
        arena_printf(sink->arena, "The schema doesn't say that '%.*s' is changed, which is written Tensor(a!).",
                     STR_ARG(names[i])));
    return;
  }
  for (uint32_t i = 0; i < schema->argument_count; i++) {
    const TorchArgument *argument = &schema->arguments[i];
    if (str_ends_with(argument->alias, STR("!")) && !has_name(names, count, argument->name)) {
      say(sink, value,
          arena_printf(sink->arena, "The schema says that '%.*s' is changed, and mutates_args does not.",
                       STR_ARG(argument->name)));
      return;
    }
  }
}

// --- The function ---

/// "takes 1 argument by position, and the schema has 2"; empty if every call fits in some way.
static Str misfit(const PyModel *model, const PyFunction *function, const TorchOverload *schema, Arena *arena)
{
  PyPositional given = py_schema_positional(schema);
  uint32_t required = 0, taken = 0;
  bool takes_names = false;
  for (PY_EACH_PARAM(model, param, function)) {
    if (param->kind == PY_PARAM_ARGS)
      return (Str){ 0 };
    takes_names |= param->kind == PY_PARAM_KWARGS;
    taken += param->kind == PY_PARAM_PLAIN;
    required += param->kind == PY_PARAM_PLAIN && !param->default_value;
  }
  if (taken < given.least || (required > given.most && given.most == schema->argument_count && !takes_names))
    return arena_printf(arena, "takes %u argument%s by position, and its schema has %u", taken, taken == 1 ? "" : "s",
                        given.most);
  for (uint32_t i = 0; i < schema->argument_count && !takes_names; i++) {
    const TorchArgument *argument = &schema->arguments[i];
    bool is_wanted = argument->is_kwarg_only && !argument->has_default;
    if (is_wanted && !py_model_param(model, function, argument->name))
      return arena_printf(arena, "has no parameter '%.*s', which its schema gives by name", STR_ARG(argument->name));
  }
  return (Str){ 0 };
}

static void check_operator(DiagSink *sink, const PyLibraryOperator *op)
{
  const PyModel *model = sink_python(sink)->model;
  const PyCall *call = &model->calls.items[op->call];
  const PyArgument *mutates = py_model_argument(model, call, PY_ABSENT, "mutates_args");
  if (!py_model_argument(model, call, PY_ABSENT, "schema") || op->schema.schema.len == 0)
    return;
  if (mutates)
    check_mutates(sink, &op->schema, mutates->value);
  if (op->body == PY_ABSENT)
    return;
  const PyFunction *function = &model->functions.items[op->body];
  Str why = misfit(model, function, &op->schema, sink->arena);
  if (why.len > 0)
    say(sink, function->name_node,
        arena_printf(sink->arena, "%.*s() %.*s: every call of the operator fails.", STR_ARG(function->name),
                     STR_ARG(why)));
}

// --- Devices and keys ---

/// The types of torch.device(), and names that plugins give to their device.
static bool is_device(Str name)
{
  static const char *const names[] = { "cpu",           "cuda",   "ipu",    "xpu",    "mkldnn", "opengl",
                                       "opencl",        "ideep",  "hip",    "ve",     "fpga",   "maia",
                                       "xla",           "lazy",   "vulkan", "mps",    "meta",   "hpu",
                                       "mtia",          "npu",    "mlu",    "musa",   "gcu",    "sdaa",
                                       "openreg",       "spyre",  "rbln",   "ascend", "vacc",   "cambricon",
                                       "privateuseone", "neuron", "tt",     "qaic" };
  return str_is_one_of(name, names, COUNT(names));
}

static bool is_key(Str name);

static void check_device(DiagSink *sink, PyRef node, bool takes_keys)
{
  const PyModel *model = sink_python(sink)->model;
  Str name;
  // A plugin may have called its device anything.
  if (py_model_string(model, node, sink->arena, &name) && !is_device(name) &&
      !(takes_keys && (is_key(name) || str_equal(name, STR("default")))) && !py_model_mentions(model, "privateuse1"))
    say(sink, node,
        arena_printf(sink->arena, "'%.*s' is no type of device: \"cpu\", \"cuda\" and \"xpu\" are such.",
                     STR_ARG(str_slice(name, 0, 40))));
}

static void check_devices(DiagSink *sink, const PyArgument *argument, bool takes_keys)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyRef value = argument ? py_model_resolve(sink_python(sink)->model, argument->value) : 0;
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
  if (kind != PYK_LIST && kind != PYK_TUPLE && kind != PYK_SET) {
    if (value)
      check_device(sink, value, takes_keys);
    return;
  }
  for (PY_EACH_ELEMENT(tree, item, value))
    check_device(sink, item, takes_keys);
}

/// "CPU" of "AutogradCPU"; the name itself.
static Str without_functionality(Str name)
{
  static const char *const before[] = { "Autograd", "Autocast", "SparseCsr", "Sparse", "Quantized", "NestedTensor" };
  for (size_t i = 0; i < COUNT(before); i++) {
    if (str_starts_with(name, str_from(before[i])))
      return str_slice(name, strlen(before[i]), name.len);
  }
  return name;
}

/// Source: c10/core/DispatchKey.cpp, parseDispatchKey().
static bool is_key(Str name)
{
  static const char *const backends[] = {
    "",      "CPU",           "CUDA",         "HIP",    "XLA",  "MPS",  "IPU",         "XPU",         "HPU",
    "VE",    "Lazy",          "MTIA",         "MAIA",   "Meta", "FPGA", "PrivateUse1", "PrivateUse2", "PrivateUse3",
    "Other", "Functionality", "NestedTensor", "Vulkan", "ORT"
  };
  static const char *const others[] = { "Composite", "FuncTorch",    "Python",       "Batched",
                                        "Vmap",      "TESTING_ONLY", "Mkldnn",       "Pre",
                                        "Backend",   "ADInplace",    "Functionalize" };
  static const char *const alone[] = { "Undefined", "Dense",      "Fake",   "Named",          "Conjugate",
                                       "Negative",  "ZeroTensor", "Tracer", "CustomRNGKeyId", "Metal" };
  for (size_t i = 0; i < COUNT(others); i++) {
    if (str_starts_with(name, str_from(others[i])))
      return true;
  }
  return str_is_one_of(without_functionality(name), backends, COUNT(backends)) ||
         str_is_one_of(name, alone, COUNT(alone));
}

static void check_key(DiagSink *sink, const PyArgument *argument)
{
  Str name;
  if (!argument || !py_model_string(sink_python(sink)->model, argument->value, sink->arena, &name) || name.len == 0 ||
      is_key(name))
    return;
  Str upper = str_equal_ignore_case(name, STR("cpu"))    ? STR("CPU")
              : str_equal_ignore_case(name, STR("cuda")) ? STR("CUDA")
              : str_equal_ignore_case(name, STR("meta")) ? STR("Meta")
                                                         : (Str){ 0 };
  say(sink, argument->value,
      arena_printf(sink->arena, "'%.*s' is no dispatch key%s%.*s.", STR_ARG(str_slice(name, 0, 40)),
                   upper.len > 0 ? ": it is written " : "", STR_ARG(upper)));
}

/// The object of `lib.impl(...)` is a torch.library.Library().
static bool is_method_of_library(const PyModel *model, const PyCall *call, const char *name)
{
  const PyTree *tree = &model->tree;
  if (py_kind(tree, call->function_node) != PYK_ATTRIBUTE)
    return false;
  PyRef method = py_tree_member(tree, call->function_node);
  PyRef object = py_tree_object(tree, call->function_node);
  const PyCall *made = method && object && str_equal(py_text(tree, method), str_from(name))
                           ? py_model_call(model, py_model_resolve(model, object))
                           : NULL;
  return made && str_equal(made->qualified, STR("torch.library.Library"));
}

/// `foo.register_kernel(...)` of a function below @custom_op.
static bool registers_kernel(DiagSink *sink, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  return str_equal(py_tree_member_name(tree, call->function_node), STR("register_kernel")) &&
         py_library_named(file->model, &file->library, py_tree_object(tree, call->function_node), sink->arena);
}

/// `impl("mylib::foo", "cuda")`, not `impl(lib, "foo", "CUDA")`.
static bool names_operator(DiagSink *sink, const PyCall *call)
{
  const PyArgument *name = py_model_argument(sink_python(sink)->model, call, 0, "qualname");
  Str text;
  return name && py_model_string(sink_python(sink)->model, name->value, sink->arena, &text) &&
         str_contains(text, STR("::"));
}

/// `impl(lib, "foo", "CUDA")`
static bool names_library(const PyModel *model, const PyCall *call)
{
  const PyArgument *first = py_model_argument(model, call, 0, "lib");
  const PyCall *made = first ? py_model_call(model, py_model_resolve(model, first->value)) : NULL;
  return made && str_equal(made->qualified, STR("torch.library.Library"));
}

/// register_kernel() of what @custom_op made takes devices alone; of other operators it does what impl() does.
static bool takes_keys(DiagSink *sink, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  const PyArgument *name = py_model_argument(file->model, call, 0, "op");
  const PyLibraryOperator *op = name ? py_library_named(file->model, &file->library, name->value, sink->arena) : NULL;
  return !op || op->call == PY_ABSENT;
}

static void check_call(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  if (str_equal(call->qualified, STR("torch.library.custom_op")))
    check_devices(sink, py_model_argument(model, call, PY_ABSENT, "device_types"), false);
  else if (str_equal(call->qualified, STR("torch.library.register_kernel")))
    check_devices(sink, py_model_argument(model, call, 1, "device_types"), takes_keys(sink, call));
  else if (registers_kernel(sink, call))
    check_devices(sink, py_model_argument(model, call, 0, "device_types"), false);
  else if (str_equal(call->qualified, STR("torch.library.impl")) && names_operator(sink, call))
    check_devices(sink, py_model_argument(model, call, 1, "types"), true);
  else if (str_equal(call->qualified, STR("torch.library.impl")) && names_library(model, call))
    check_key(sink, py_model_argument(model, call, 2, "dispatch_key"));
  else if (str_equal(call->qualified, STR("torch.library.Library")))
    check_key(sink, py_model_argument(model, call, 2, "dispatch_key"));
  else if (is_method_of_library(model, call, "impl"))
    check_key(sink, py_model_argument(model, call, 2, "dispatch_key"));
}

void check_python_library_schemas(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  if (py_is_torch_itself(file->model))
    return;
  for (size_t i = 0; i < file->library.count; i++) {
    const PyLibraryOperator *op = &file->library.items[i];
    if (op->call != PY_ABSENT)
      check_operator(sink, op);
  }
  for (size_t i = 0; i < file->model->calls.count; i++)
    check_call(sink, &file->model->calls.items[i]);
}
