// Registrations of symbolic functions, in every form that people write them, and the decorators of functions.

#include "base/limits.h"
#include "python/model/python_model_private.h"

static bool ends_with(Str name, const char *suffix)
{
  return str_ends_with(name, str_from(suffix));
}

static bool is_custom(Str qualified)
{
  return str_equal(qualified, STR("torch.onnx.register_custom_op_symbolic"));
}

static bool is_unregister(Str qualified)
{
  return str_equal(qualified, STR("torch.onnx.unregister_custom_op_symbolic"));
}

static bool is_builtin_register(Str qualified)
{
  return str_equal(qualified, STR("torch.onnx._internal.registration.onnx_symbolic")) ||
         str_equal(qualified, STR("torch.onnx._internal.registration.custom_onnx_symbolic"));
}

static void read_name(PyModel *model, const PyRow *row, PyRegistration *registration, PyRef node)
{
  registration->name_node = python_row_value(model, row, node);
  registration->name_known = python_row_string(model, row, node, &model->arena, &registration->name);
}

/// The opset is the number of a loop, if it is not empty: that one, not all of them.
static void read_number(PyModel *model, PyRegistration *registration, Str number)
{
  uint64_t opset;
  if (!str_to_uint(number, OPSET_LIMIT, &opset))
    return;
  registration->opset_known = true;
  registration->first_opset = (uint32_t)model->opsets.count;
  registration->opset_count = 0;
  python_registration_add_opset(model, registration, (int64_t)opset);
}

// --- register_custom_op_symbolic(), unregister_custom_op_symbolic() ---

static PyRef argument_value(const PyModel *model, uint32_t call, uint32_t position, const char *keyword)
{
  const PyArgument *argument = py_model_argument(model, &model->calls.items[call], position, keyword);
  return argument ? argument->value : 0;
}

typedef struct CallContext {
  uint32_t call;
  PyRef name;
  PyRef function;
  PyRef opset;
  PyRef spread;  ///< Of `register(*row)` and `register(**row)`, what gives them; 0.
  PyRegistrationKind kind;
  bool is_from_partial;
} CallContext;

static void add_from_call(PyModel *model, const PyRow *row, void *context)
{
  CallContext given = *(const CallContext *)context;
  const CallContext *from = &given;
  PyRef node = model->calls.items[from->call].node;
  if (given.spread) {
    PyRef spread = py_model_resolve(model, python_row_value(model, row, given.spread));
    given.name = given.name ? given.name : python_registration_part(model, spread, 0, "symbolic_name");
    given.function = given.function ? given.function : python_registration_part(model, spread, 1, "symbolic_fn");
    given.opset = given.opset ? given.opset : python_registration_part(model, spread, 2, "opset_version");
    given.spread = spread;
  }
  PyRegistration registration = {
    .kind = from->kind, .call = from->call, .node = node, .function = PY_ABSENT, .partial = PY_ABSENT
  };
  registration.spread = given.spread;
  read_name(model, row, &registration, from->name);
  python_registration_read_function(model, &registration, row, from->function);
  python_registration_read_opsets(model, &registration, python_row_value(model, row, from->opset));
  read_number(model, &registration, python_row_number(model, row, from->opset));
  if (row->node)
    registration.node = row->node;
  registration.is_row = row->node != 0 || row->count > 0;
  registration.is_from_partial = from->is_from_partial;
  vec_push(&model->registrations, registration);
}

static bool partial_is_of(const PyModel *model, uint32_t partial, bool (*is_wanted)(Str qualified))
{
  if (!str_equal(model->calls.items[partial].qualified, STR("functools.partial")))
    return false;
  const PyArgument *function = py_model_argument(model, &model->calls.items[partial], 0, NULL);
  Arena arena = { 0 };
  bool yes = function && is_wanted(py_model_qualified(model, function->value, &arena));
  arena_done(&arena);
  return yes;
}

/// The call of functools.partial() that made what this one calls; PY_ABSENT.
static uint32_t partial_of(const PyModel *model, uint32_t call, bool (*is_wanted)(Str qualified))
{
  uint32_t partial = py_model_call_at(model, py_model_resolve(model, model->calls.items[call].function_node));
  return partial != PY_ABSENT && partial_is_of(model, partial, is_wanted) ? partial : PY_ABSENT;
}

/// An argument of a call to what `partial` made (PY_ABSENT: of a plain call).
static PyRef partial_argument(const PyModel *model, uint32_t partial, uint32_t call, uint32_t position,
                              const char *keyword)
{
  if (partial == PY_ABSENT)
    return argument_value(model, call, position, keyword);
  uint32_t given = py_model_positional_count(model, &model->calls.items[partial]) - 1;
  PyRef value = position < given ? argument_value(model, partial, position + 1, NULL)
                                 : argument_value(model, call, position - given, keyword);
  return value ? value : argument_value(model, partial, PY_ABSENT, keyword);
}

/// What is given with stars has no place among the others.
static void leave_to_spread(CallContext *context)
{
  PyRef *parts[] = { &context->name, &context->function, &context->opset };
  for (size_t i = 0; i < COUNT(parts); i++)
    *parts[i] = *parts[i] == context->spread ? 0 : *parts[i];
}

static void find_calls(PyModel *model)
{
  bool has_partials = false;
  for (uint32_t i = 0; i < model->calls.count && !has_partials; i++)
    has_partials = partial_is_of(model, i, is_custom);
  for (uint32_t i = 0; i < model->calls.count; i++) {
    Str name = model->calls.items[i].qualified;
    uint32_t partial = has_partials ? partial_of(model, i, is_custom) : PY_ABSENT;
    CallContext context = { .call = i };
    if (is_custom(name) || partial != PY_ABSENT) {
      context.kind = PY_REG_CUSTOM;
      context.is_from_partial = partial != PY_ABSENT;
      context.function = partial_argument(model, partial, i, 1, "symbolic_fn");
      context.opset = partial_argument(model, partial, i, 2, "opset_version");
    } else if (is_unregister(name)) {
      context.kind = PY_REG_UNREGISTER;
      context.opset = argument_value(model, i, 1, "opset_version");
    } else {
      continue;
    }
    context.name = partial_argument(model, partial, i, 0, "symbolic_name");
    context.spread = context.kind == PY_REG_CUSTOM ? python_registration_spread(model, &model->calls.items[i]) : 0;
    if (context.spread)
      leave_to_spread(&context);
    PyRef used[] = { context.name, context.function, context.opset, context.spread };
    if (!py_tree_never_runs(&model->tree, model->calls.items[i].node))
      python_each_row(model, model->calls.items[i].node, used, COUNT(used), add_from_call, &context);
  }
}

// --- Tables: ("aten::elu", elu, 9) ---

static bool is_operator_name(Str name)
{
  size_t colons = str_find(name, STR("::"), 0);
  return colons != STR_NOT_FOUND && colons > 0 && str_find_char(name, ' ', 0) == STR_NOT_FOUND;
}

static void add_from_table(PyModel *model, const PyRow *row, void *context)
{
  const PyRef *parts = context;
  PyRegistration registration = { .kind = PY_REG_TABLE, .call = PY_ABSENT, .node = parts[3], .function = PY_ABSENT };
  read_name(model, row, &registration, parts[0]);
  python_registration_read_function(model, &registration, row, parts[1]);
  if (!registration.name_known || !is_operator_name(registration.name) || registration.function == PY_ABSENT)
    return;
  python_registration_read_opsets(model, &registration, python_row_value(model, row, parts[2]));
  if (registration.opset_known && registration.opset_count == 1)
    vec_push(&model->registrations, registration);
}

/// `Dispatcher({"aten::elu": elu})`: for something that this file does not show, such as the exporter of another
/// library.
static bool is_given_away(const PyModel *model, PyRef pair)
{
  const PyTree *tree = &model->tree;
  PyRef at = tree->nodes[tree->nodes[pair].parent].parent;
  if (py_kind(tree, at) == PYK_KEYWORD_ARGUMENT)
    at = tree->nodes[at].parent;
  const PyCall *call = py_model_call_of_list(model, at);
  return call && call->function == PY_ABSENT && call->method == PY_ABSENT;
}

/// `{"aten::elu": elu}`, which another file registers: for which opset is not known.
static void add_from_dictionary(PyModel *model, PyRef pair, const bool *is_registered)
{
  static const PyRow no_row = { 0 };
  PyRef value = py_child(&model->tree, pair, PY_F_VALUE);
  PyRegistration registration = { .kind = PY_REG_TABLE, .call = PY_ABSENT, .node = pair, .function = PY_ABSENT };
  read_name(model, &no_row, &registration, py_child(&model->tree, pair, PY_F_KEY));
  if (!registration.name_known || !is_operator_name(registration.name) || is_given_away(model, pair))
    return;
  python_registration_read_function(model, &registration, &no_row, value);
  if (registration.function == PY_ABSENT || is_registered[registration.function])
    return;
  const PyFunction *function = &model->functions.items[registration.function];
  if (function->param_count > 0 && str_equal(py_model_params(model, function)->name, STR("g")))
    vec_push(&model->registrations, registration);
}

static void find_dictionaries(PyModel *model)
{
  bool *is_registered = xcalloc(model->functions.count + 1, sizeof(*is_registered));
  for (size_t i = 0; i < model->registrations.count; i++) {
    if (model->registrations.items[i].function != PY_ABSENT)
      is_registered[model->registrations.items[i].function] = true;
  }
  for (PyRef node = 1; node < model->tree.count; node++) {
    if (py_kind(&model->tree, node) == PYK_PAIR)
      add_from_dictionary(model, node, is_registered);
  }
  free(is_registered);
}

static void find_tables(PyModel *model)
{
  const PyTree *tree = &model->tree;
  for (PyRef node = 1; node < tree->count; node++) {
    if (py_kind(tree, node) != PYK_TUPLE)
      continue;
    PyRef name = py_tree_first_element(tree, node);
    PyRef function = name ? py_tree_next_element(tree, name) : 0;
    PyRef opset = function ? py_tree_next_element(tree, function) : 0;
    PyNodeKind kind = function ? py_kind(tree, function) : PYK_OTHER;
    if (!opset || py_kind(tree, name) != PYK_STRING || (kind != PYK_IDENTIFIER && kind != PYK_LAMBDA))
      continue;
    PyRef parts[] = { name, function, opset, node };
    python_each_row(model, node, parts, 3, add_from_table, parts);
  }
}

// --- Decorators ---

/// decorate=[_apply_params(...), ...]
static void read_decorate(PyModel *model, PyRegistration *registration, PyRef node)
{
  if (!node)
    return;
  const PyTree *tree = &model->tree;
  node = py_model_resolve(model, node);
  registration->is_opaque = py_kind(tree, node) != PYK_LIST;
  for (PyRef item = py_tree_first_element(tree, node); item && !registration->is_opaque;
       item = py_tree_next_element(tree, item)) {
    const PyCall *call = py_model_call(model, py_tree_strip(tree, item));
    Str name = call ? call->qualified : (Str){ 0 };
    PyRef function = call ? call->function_node : 0;
    Str text = function ? py_text(tree, function) : (Str){ 0 };
    if (ends_with(name, "_apply_params") || ends_with(text, "_apply_params") ||
        ends_with(name, "symbolic_helper._overload_by_arg_count"))
      registration->has_applied_params = true;
    else if (!ends_with(name, "symbolic_helper.quantized_args"))
      registration->has_applied_params = true;  // Some decorator of their own.
  }
}

/// Is this call `registration.onnx_symbolic(...)`, or an alias made by functools.partial? Then its keywords are there,
/// too.
static bool is_registering(const PyModel *model, uint32_t call, uint32_t *ret_partial)
{
  *ret_partial = PY_ABSENT;
  if (is_builtin_register(model->calls.items[call].qualified))
    return true;
  *ret_partial = partial_of(model, call, is_builtin_register);
  return *ret_partial != PY_ABSENT;
}

static void add_decorator_registration(PyModel *model, uint32_t function, uint32_t call, uint32_t partial)
{
  PyRegistration registration = {
    .kind = PY_REG_BUILTIN,
    .call = call,
    .node = model->calls.items[call].node,
    .function = function,
    .partial = PY_ABSENT,
  };
  read_name(model, &(PyRow){ 0 }, &registration, partial_argument(model, partial, call, 0, "name"));
  python_registration_read_opsets(model, &registration, partial_argument(model, partial, call, 1, "opset"));
  read_decorate(model, &registration, argument_value(model, call, PY_ABSENT, "decorate"));
  vec_push(&model->registrations, registration);
  model->functions.items[function].roles |= PY_ROLE_REGISTERED;
}

static void read_decorator(PyModel *model, uint32_t index, PyRef expression)
{
  PyFunction *function = &model->functions.items[index];
  uint32_t call = py_model_call_at(model, expression);
  Str name =
      call != PY_ABSENT ? model->calls.items[call].qualified : py_model_qualified(model, expression, &model->arena);
  Str text = py_text(&model->tree, call != PY_ABSENT ? model->calls.items[call].function_node : expression);
  uint32_t partial;
  if (call != PY_ABSENT && is_registering(model, call, &partial))
    add_decorator_registration(model, index, call, partial);
  else if (call != PY_ABSENT && ends_with(name, "symbolic_helper.parse_args"))
    python_read_descriptors(model, index, call);
  else if (ends_with(name, "symbolic_helper.quantized_args"))
    function->quantized_args = true;
  else if (str_equal(text, STR("staticmethod")))
    function->is_static = true;
  else if (str_equal(text, STR("classmethod")))
    function->is_class_method = true;
  else if (ends_with(name, "onnxscript.script") || str_equal(name, STR("onnxscript.main.script")))
    function->roles |= PY_ROLE_ONNXSCRIPT;
  else if (ends_with(name, ".torch_op") || ends_with(name, ".onnx_impl") || str_equal(text, STR("torch_op")) ||
           str_equal(text, STR("onnx_impl")))
    function->roles |= PY_ROLE_TORCHLIB;
  else if (!ends_with(text, "beartype") && !ends_with(name, "functools.wraps") &&
           !python_decorator_keeps(model, expression))
    function->has_unknown_decorator = true;
}

static void find_decorators(PyModel *model)
{
  for (uint32_t i = 0; i < model->functions.count; i++) {
    for (PY_EACH_DECORATOR(model, expression, model->functions.items[i].outer))
      read_decorator(model, i, expression);
  }
}

// --- Methods, and files of the old style ---

static void add_autograd(PyModel *model, PyRef class_node, uint32_t symbolic)
{
  uint32_t forward = py_model_class_function(model, class_node, STR("forward"));
  model->functions.items[symbolic].roles |= PY_ROLE_AUTOGRAD;
  vec_push(&model->autograds, ((PyAutograd){ class_node, symbolic, forward }));
}

static void find_autograd(PyModel *model)
{
  for (size_t c = 0; c < model->classes.count; c++) {
    const PyClass *class = &model->classes.items[c];
    uint32_t symbolic = class->is_autograd ? py_model_class_function(model, class->node, STR("symbolic")) : PY_ABSENT;
    if (symbolic != PY_ABSENT)
      add_autograd(model, class->node, symbolic);
  }
}

static void add_file_function(PyModel *model, uint32_t function, Str name)
{
  PyRegistration registration = {
    .kind = PY_REG_FILE,
    .call = PY_ABSENT,
    .node = model->functions.items[function].name_node,
    .name = arena_printf(&model->arena, "aten::%.*s", STR_ARG(name)),
    .name_known = true,
    .function = function,
    .partial = PY_ABSENT,
    .opset_known = true,
    .first_opset = (uint32_t)model->opsets.count,
  };
  python_registration_add_opset(model, &registration, model->file_opset);
  vec_push(&model->registrations, registration);
}

/// `reflection_pad1d = reflection_pad` registers the function for that name, too.
static void add_file_aliases(PyModel *model)
{
  size_t count = model->is_builtin ? model->bindings.count : 0;
  for (size_t i = 0; i < count; i++) {
    const PyBinding *binding = &model->bindings.items[i];
    if (binding->kind != PY_BIND_ASSIGN || binding->scope != PY_ABSENT || !binding->value ||
        py_kind(&model->tree, binding->value) != PYK_IDENTIFIER)
      continue;
    const PyBinding *found = py_model_binding_of(model, PY_ABSENT, binding->value);
    if (found && found->kind == PY_BIND_FUNCTION)
      add_file_function(model, found->index, binding->name);
  }
}

/// Before torch 1.13 every function of symbolic_opset<N>.py was the one of its name.
static void find_file_functions(PyModel *model)
{
  bool has_decorators = false;
  for (size_t i = 0; i < model->registrations.count; i++)
    has_decorators |= model->registrations.items[i].kind == PY_REG_BUILTIN;
  model->is_builtin = model->file_opset > 0 && has_decorators;
  if (model->file_opset == 0 || has_decorators || model->registrations.count > 0)
    return;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    PyFunction *function = &model->functions.items[i];
    if (function->parent != PY_ABSENT || function->class_node || function->name.len == 0 ||
        function->name.data[0] == '_' || function->param_count == 0 ||
        !str_equal(py_model_params(model, function)->name, STR("g")))
      continue;
    add_file_function(model, i, function->name);
    model->is_builtin = true;
  }
  add_file_aliases(model);
}

static int compare_registrations(const void *a, const void *b)
{
  const PyRegistration *x = a;
  const PyRegistration *y = b;
  if (x->node != y->node)
    return x->node < y->node ? -1 : 1;
  return x->first_opset < y->first_opset ? -1 : x->first_opset > y->first_opset;
}

static void link_registrations(PyModel *model)
{
  for (size_t i = 0; i < model->functions.count; i++)
    model->functions.items[i].first_registration = PY_ABSENT;
  // Backwards, so that each chain is in order of position.
  for (size_t i = model->registrations.count; i-- > 0;) {
    PyRegistration *registration = &model->registrations.items[i];
    registration->next_of_function = PY_ABSENT;
    if (registration->function == PY_ABSENT || registration->kind == PY_REG_UNREGISTER)
      continue;
    PyFunction *function = &model->functions.items[registration->function];
    function->roles |= PY_ROLE_REGISTERED;
    registration->next_of_function = function->first_registration;
    function->first_registration = (uint32_t)i;
  }
}

/// What a partial() gives the function of a registration; another registration must not have other values.
static void bind_partial(PyModel *model, PyRegistration *registration)
{
  PyFunction *function = &model->functions.items[registration->function];
  const PyCall *partial = &model->calls.items[registration->partial];
  bool is_only = function->first_registration != PY_ABSENT &&
                 py_model_registration(model, function->first_registration)->next_of_function == PY_ABSENT;
  uint32_t positional = py_model_positional_count(model, partial) - 1;
  uint32_t self = function->class_node && !function->is_static ? 1 : 0;
  if (!is_only || partial->has_splat || partial->has_dictionary_splat || self > registration->has_object ||
      self + positional > function->plain_count)
    return;
  registration->is_opaque = false;
  function->bound_count = positional;
  for (uint32_t i = self; i < function->param_count; i++) {
    PyParam *param = &model->params.items[function->first_param + i];
    uint32_t at = i - self < positional ? i - self + 1 : PY_ABSENT;
    const PyArgument *argument = py_model_argument_of(model, partial, at, param->name);
    param->bound_value = argument ? argument->value : 0;
  }
}

static void bind_partials(PyModel *model)
{
  for (size_t i = 0; i < model->registrations.count; i++) {
    PyRegistration *registration = &model->registrations.items[i];
    if (registration->function != PY_ABSENT && registration->partial != PY_ABSENT)
      bind_partial(model, registration);
  }
}

void python_register(PyModel *model, uint32_t function, Str name, OpsetSet opsets)
{
  PyRegistration registration = {
    .kind = PY_REG_ELSEWHERE,
    .call = PY_ABSENT,
    .node = model->functions.items[function].name_node,
    .name = arena_copy(&model->arena, name),
    .name_known = true,
    .function = function,
    .partial = PY_ABSENT,
    .opset_known = true,
    .first_opset = (uint32_t)model->opsets.count,
  };
  for (int opset = 0; opset <= OPSET_LIMIT; opset++) {
    if (opset_set_has(opsets, opset))
      python_registration_add_opset(model, &registration, opset);
  }
  vec_push(&model->registrations, registration);
}

void python_relink(PyModel *model)
{
  link_registrations(model);
  vec_clear(&model->ops);
  vec_clear(&model->attributes);
  vec_clear(&model->exports);
  python_find_ops(model);
}

void python_find_registrations(PyModel *model)
{
  find_decorators(model);
  python_link_methods(model);
  python_bind_objects(model);
  find_calls(model);
  find_tables(model);
  find_dictionaries(model);
  find_autograd(model);
  find_file_functions(model);
  python_find_patched(model);
  vec_sort(&model->registrations, compare_registrations);
  link_registrations(model);
  bind_partials(model);
  python_bind_calls(model);
}
