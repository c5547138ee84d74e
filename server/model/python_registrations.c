// Registrations of symbolic functions, in every form that people write them, and the decorators of functions.

#include "model/python_private.h"

/// Names that a loop or a comprehension over a literal gives values to, for one row of it.
typedef struct Row {
  Str names[8];
  PyRef values[8];
  size_t count;
  PyRef node;  ///< The row; 0 if there is no loop.
} Row;

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

// --- Values, as far as a row of a table gives them ---

static PyRef value_of(const PyModel *model, const Row *row, PyRef node)
{
  if (!node)
    return 0;
  node = py_strip(&model->tree, node);
  for (size_t i = 0; py_kind(&model->tree, node) == PYK_IDENTIFIER && i < row->count; i++) {
    if (str_equal(row->names[i], py_text(&model->tree, node)))
      return py_strip(&model->tree, row->values[i]);
  }
  return node;
}

static void add_opset(PyModel *model, PyRegistration *registration, int64_t opset)
{
  vec_push(&model->opsets, opset < -1 ? -1 : opset > 1000 ? 1000 : (int)opset);
  registration->opset_count++;
}

static PyRef loop_over(const PyModel *model, PyRef node, Str name, PyRef *ret_target);

/// What a loop's variable runs over, as in `for opset in range(9, 14)`; else the node itself.
static PyRef values_of_loop(const PyModel *model, PyRef node)
{
  if (py_kind(&model->tree, node) != PYK_IDENTIFIER)
    return node;
  PyRef target = 0;
  PyRef iterable = loop_over(model, node, py_text(&model->tree, node), &target);
  return iterable && py_kind(&model->tree, target) == PYK_IDENTIFIER ? py_resolve(model, iterable) : node;
}

/// range(9, 14), if it is short.
static bool read_range(PyModel *model, PyRegistration *registration, PyRef node)
{
  uint32_t index = py_call_at(model, node);
  if (index == PY_ABSENT || !str_equal(model->calls.items[index].qualified, STR("range")))
    return false;
  const PyCall *call = &model->calls.items[index];
  const PyArgument *from = py_argument(model, call, 0, NULL);
  const PyArgument *to = py_argument(model, call, 1, NULL);
  int64_t first;
  int64_t end;
  if (!from || !to || call->argument_count != 2 || !py_int(model, from->value, &first) ||
      !py_int(model, to->value, &end) || first < 0 || end > 1000 || end - first >= 64)
    return false;
  for (; first < end; first++)
    add_opset(model, registration, first);
  return true;
}

static void read_opsets(PyModel *model, PyRegistration *registration, PyRef node)
{
  registration->opset_node = node;
  registration->first_opset = (uint32_t)model->opsets.count;
  if (!node)
    return;
  node = py_resolve(model, node);
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, node);
  int64_t opset;
  registration->opset_known = true;
  if (py_int(model, node, &opset)) {
    add_opset(model, registration, opset);
    return;
  }
  registration->opset_is_wrong_type = kind == PYK_FLOAT || kind == PYK_STRING || kind == PYK_NONE;
  node = values_of_loop(model, node);
  kind = py_kind(tree, node);
  if (kind == PYK_LIST || kind == PYK_TUPLE) {
    for (PyRef item = py_first_element(tree, node); item; item = py_next_element(tree, item)) {
      registration->opset_known &= py_int(model, item, &opset);
      if (registration->opset_known)
        add_opset(model, registration, opset);
    }
    return;
  }
  registration->opset_known = read_range(model, registration, node);
}

/// What is registered: a function of this file, a lambda, or the name of something elsewhere.
static void read_function(PyModel *model, PyRegistration *registration, PyRef node)
{
  const PyTree *tree = &model->tree;
  registration->function_node = node;
  registration->function = PY_ABSENT;
  if (!node)
    return;
  PyRef value = py_resolve(model, node);
  uint32_t call = py_call_at(model, value);
  if (call != PY_ABSENT && str_equal(model->calls.items[call].qualified, STR("functools.partial"))) {
    const PyArgument *inner = py_argument(model, &model->calls.items[call], 0, NULL);
    registration->is_opaque = true;
    if (!inner)
      return;
    value = py_resolve(model, inner->value);
  }
  if (py_kind(tree, value) == PYK_LAMBDA)
    registration->function = py_function_at(model, value);
  if (py_kind(tree, value) != PYK_IDENTIFIER && py_kind(tree, value) != PYK_ATTRIBUTE)
    return;
  uint32_t binding = py_lookup(model, py_scope_of(model, value), py_text(tree, value));
  if (py_kind(tree, value) == PYK_IDENTIFIER && binding != PY_ABSENT &&
      model->bindings.items[binding].kind == PY_BIND_FUNCTION && model->bindings.items[binding].next == PY_ABSENT)
    registration->function = model->bindings.items[binding].index;
  else
    registration->function_name = py_qualified(model, value, &model->arena);
}

static void read_name(PyModel *model, PyRegistration *registration, PyRef node)
{
  registration->name_node = node;
  registration->name_known = py_string(model, node, &model->arena, &registration->name);
}

// --- Loops over tables ---

/// The expression that the innermost loop around `node` which binds `name` runs over; its target in `ret_target`.
static PyRef loop_over(const PyModel *model, PyRef node, Str name, PyRef *ret_target)
{
  const PyTree *tree = &model->tree;
  int depth = 0;
  for (PyRef at = node; at != 0 && depth < NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyNodeKind kind = py_kind(tree, at);
    bool is_comprehension = kind == PYK_LIST_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION;
    for (PyRef clause = kind == PYK_FOR_STATEMENT ? at
                        : is_comprehension        ? py_first_child(tree, at)
                                                  : 0;
         clause; clause = clause == at ? 0 : py_next_sibling(tree, clause)) {
      if (clause != at && py_kind(tree, clause) != PYK_FOR_IN_CLAUSE)
        continue;
      PyRef left = py_child(tree, clause, PY_F_LEFT);
      for (PyRef part = left; left && part < tree->nodes[left].next; part++) {
        if (py_kind(tree, part) == PYK_IDENTIFIER && str_equal(py_text(tree, part), name)) {
          *ret_target = left;
          return py_child(tree, clause, PY_F_RIGHT);
        }
      }
    }
  }
  return 0;
}

/// Gives the names of a loop's target the values of one element; false if they don't match.
static bool fill_row(const PyModel *model, PyRef target, PyRef element, Row *row)
{
  const PyTree *tree = &model->tree;
  row->node = element;
  row->count = 0;
  if (py_kind(tree, target) == PYK_IDENTIFIER) {
    row->names[0] = py_text(tree, target);
    row->values[0] = element;
    row->count = 1;
    return true;
  }
  element = py_strip(tree, element);
  if (py_kind(tree, element) != PYK_TUPLE && py_kind(tree, element) != PYK_LIST)
    return false;
  PyRef value = py_first_element(tree, element);
  for (PY_EACH_CHILD(tree, name, target)) {
    if (!value || row->count == 8 || py_kind(tree, name) != PYK_IDENTIFIER)
      return false;
    row->names[row->count] = py_text(tree, name);
    row->values[row->count++] = value;
    value = py_next_element(tree, value);
  }
  return value == 0;
}

/// Calls `make` for each row that the loop around `node` makes of these names; once without a row if no loop binds
/// them, or one over something that is not written out.
static void each_row(PyModel *model, PyRef node, const PyRef *used, size_t used_count,
                     void (*make)(PyModel *model, const Row *row, void *context), void *context)
{
  const PyTree *tree = &model->tree;
  PyRef iterable = 0;
  PyRef target = 0;
  for (size_t i = 0; i < used_count && !iterable; i++) {
    PyRef name = used[i] ? py_strip(tree, used[i]) : 0;
    if (name && py_kind(tree, name) == PYK_IDENTIFIER)
      iterable = loop_over(model, node, py_text(tree, name), &target);
  }
  Row row = { 0 };
  if (!iterable) {
    make(model, &row, context);
    return;
  }
  iterable = py_resolve(model, iterable);
  PyNodeKind kind = py_kind(tree, iterable);
  if (kind != PYK_LIST && kind != PYK_TUPLE && kind != PYK_EXPRESSION_LIST && kind != PYK_SET) {
    make(model, &row, context);  // What the loop gives is unknown, the rest is not.
    return;
  }
  int rows = 0;
  for (PyRef element = py_first_element(tree, iterable); element && rows < ROW_LIMIT;
       element = py_next_element(tree, element), rows++) {
    if (fill_row(model, target, element, &row))
      make(model, &row, context);
  }
}

// --- register_custom_op_symbolic(), unregister_custom_op_symbolic() ---

typedef struct CallContext {
  uint32_t call;
  PyRef name;
  PyRef function;
  PyRef opset;
  PyRegistrationKind kind;
} CallContext;

static void add_from_call(PyModel *model, const Row *row, void *context)
{
  const CallContext *from = context;
  PyRef node = model->calls.items[from->call].node;
  PyRegistration registration = { .kind = from->kind, .call = from->call, .node = node, .function = PY_ABSENT };
  read_name(model, &registration, value_of(model, row, from->name));
  read_function(model, &registration, value_of(model, row, from->function));
  read_opsets(model, &registration, value_of(model, row, from->opset));
  if (row->node)
    registration.node = row->node;
  vec_push(&model->registrations, registration);
}

static PyRef argument_value(const PyModel *model, uint32_t call, uint32_t position, const char *keyword)
{
  const PyArgument *argument = py_argument(model, &model->calls.items[call], position, keyword);
  return argument ? argument->value : 0;
}

static void find_calls(PyModel *model)
{
  for (uint32_t i = 0; i < model->calls.count; i++) {
    Str name = model->calls.items[i].qualified;
    CallContext context = { .call = i, .name = argument_value(model, i, 0, "symbolic_name") };
    if (is_custom(name)) {
      context.kind = PY_REG_CUSTOM;
      context.function = argument_value(model, i, 1, "symbolic_fn");
      context.opset = argument_value(model, i, 2, "opset_version");
    } else if (is_unregister(name)) {
      context.kind = PY_REG_UNREGISTER;
      context.opset = argument_value(model, i, 1, "opset_version");
    } else {
      continue;
    }
    PyRef used[] = { context.name, context.function, context.opset };
    each_row(model, model->calls.items[i].node, used, 3, add_from_call, &context);
  }
}

// --- Tables: ("aten::elu", elu, 9) ---

static bool is_operator_name(Str name)
{
  size_t colons = str_find(name, STR("::"), 0);
  return colons != STR_NOT_FOUND && colons > 0 && str_find_char(name, ' ', 0) == STR_NOT_FOUND;
}

static void add_from_table(PyModel *model, const Row *row, void *context)
{
  const PyRef *parts = context;
  PyRegistration registration = { .kind = PY_REG_TABLE, .call = PY_ABSENT, .node = parts[3], .function = PY_ABSENT };
  read_name(model, &registration, value_of(model, row, parts[0]));
  read_function(model, &registration, value_of(model, row, parts[1]));
  if (!registration.name_known || !is_operator_name(registration.name) || registration.function == PY_ABSENT)
    return;
  read_opsets(model, &registration, value_of(model, row, parts[2]));
  if (registration.opset_known && registration.opset_count == 1)
    vec_push(&model->registrations, registration);
}

static void find_tables(PyModel *model)
{
  const PyTree *tree = &model->tree;
  for (PyRef node = 1; node < tree->count; node++) {
    if (py_kind(tree, node) != PYK_TUPLE)
      continue;
    PyRef name = py_first_element(tree, node);
    PyRef function = name ? py_next_element(tree, name) : 0;
    PyRef opset = function ? py_next_element(tree, function) : 0;
    PyNodeKind kind = function ? py_kind(tree, function) : PYK_OTHER;
    if (!opset || py_kind(tree, name) != PYK_STRING || (kind != PYK_IDENTIFIER && kind != PYK_LAMBDA))
      continue;
    PyRef parts[] = { name, function, opset, node };
    each_row(model, node, parts, 3, add_from_table, parts);
  }
}

// --- Decorators ---

static void read_descriptors(PyModel *model, PyFunction *function, uint32_t call)
{
  function->parse_args = call;
  function->descriptors_known = true;
  function->first_descriptor = (uint32_t)model->descriptors.count;
  function->descriptor_count = 0;  // Of a second @parse_args, too.
  const PyCall *parse_args = &model->calls.items[call];
  for (uint32_t i = 0; i < parse_args->argument_count; i++) {
    const PyArgument *argument = &model->arguments.items[parse_args->first_argument + i];
    bool is_literal = argument->keyword.len == 0 && py_kind(&model->tree, argument->node) == PYK_STRING;
    function->descriptors_known &= is_literal;
    if (is_literal) {
      vec_push(&model->descriptors, argument->node);
      function->descriptor_count++;
    }
  }
}

/// decorate=[_apply_params(...), ...]
static void read_decorate(PyModel *model, PyRegistration *registration, PyRef node)
{
  if (!node)
    return;
  const PyTree *tree = &model->tree;
  node = py_resolve(model, node);
  registration->is_opaque = py_kind(tree, node) != PYK_LIST;
  for (PyRef item = py_first_element(tree, node); item && !registration->is_opaque;
       item = py_next_element(tree, item)) {
    uint32_t call = py_call_at(model, py_strip(tree, item));
    Str name = call == PY_ABSENT ? (Str){ 0 } : model->calls.items[call].qualified;
    PyRef function = call == PY_ABSENT ? 0 : model->calls.items[call].function_node;
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
  const PyCall *decorator = &model->calls.items[call];
  if (is_builtin_register(decorator->qualified))
    return true;
  uint32_t partial = py_call_at(model, py_resolve(model, decorator->function_node));
  if (partial == PY_ABSENT || !str_equal(model->calls.items[partial].qualified, STR("functools.partial")))
    return false;
  const PyArgument *function = py_argument(model, &model->calls.items[partial], 0, NULL);
  Arena arena = { 0 };
  bool yes = function && is_builtin_register(py_qualified(model, function->value, &arena));
  arena_done(&arena);
  *ret_partial = partial;
  return yes;
}

static void add_decorator_registration(PyModel *model, uint32_t function, uint32_t call, uint32_t partial)
{
  PyRegistration registration = {
    .kind = PY_REG_BUILTIN,
    .call = call,
    .node = model->calls.items[call].node,
    .function = function,
  };
  read_name(model, &registration, argument_value(model, call, 0, "name"));
  PyRef opset = argument_value(model, call, 1, "opset");
  if (!opset && partial != PY_ABSENT)
    opset = argument_value(model, partial, 2, "opset");
  read_opsets(model, &registration, opset);
  read_decorate(model, &registration, argument_value(model, call, PY_ABSENT, "decorate"));
  vec_push(&model->registrations, registration);
  model->functions.items[function].roles |= PY_ROLE_REGISTERED;
}

static void read_decorator(PyModel *model, uint32_t index, PyRef expression)
{
  PyFunction *function = &model->functions.items[index];
  uint32_t call = py_call_at(model, expression);
  Str name = call != PY_ABSENT ? model->calls.items[call].qualified : py_qualified(model, expression, &model->arena);
  Str text = py_text(&model->tree, call != PY_ABSENT ? model->calls.items[call].function_node : expression);
  uint32_t partial;
  if (call != PY_ABSENT && is_registering(model, call, &partial))
    add_decorator_registration(model, index, call, partial);
  else if (call != PY_ABSENT && ends_with(name, "symbolic_helper.parse_args"))
    read_descriptors(model, function, call);
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
  else if (!ends_with(text, "beartype") && !ends_with(name, "functools.wraps"))
    function->has_unknown_decorator = true;
}

static void find_decorators(PyModel *model)
{
  const PyTree *tree = &model->tree;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    PyRef outer = model->functions.items[i].outer;
    if (outer == model->functions.items[i].node)
      continue;
    for (PY_EACH_CHILD(tree, child, outer)) {
      PyRef expression = py_kind(tree, child) == PYK_DECORATOR ? py_first_child(tree, child) : 0;
      if (expression)
        read_decorator(model, i, py_strip(tree, expression));
    }
  }
}

// --- Methods, and files of the old style ---

static void find_autograd(PyModel *model)
{
  for (size_t i = 0; i < model->functions.count; i++) {
    PyFunction *function = &model->functions.items[i];
    if (!function->class_node || !str_equal(function->name, STR("symbolic")))
      continue;
    for (size_t c = 0; c < model->classes.count; c++) {
      if (model->classes.items[c].node == function->class_node && model->classes.items[c].is_autograd)
        function->roles |= PY_ROLE_AUTOGRAD;
    }
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
        !str_equal(model->params.items[function->first_param].name, STR("g")))
      continue;
    PyRegistration registration = {
      .kind = PY_REG_FILE,
      .call = PY_ABSENT,
      .node = function->name_node,
      .name = arena_printf(&model->arena, "aten::%.*s", STR_ARG(function->name)),
      .name_known = true,
      .function = i,
      .opset_known = true,
      .first_opset = (uint32_t)model->opsets.count,
    };
    add_opset(model, &registration, model->file_opset);
    vec_push(&model->registrations, registration);
    model->is_builtin = true;
  }
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

void python_register(PyModel *model, uint32_t function, Str name, uint64_t opsets)
{
  PyRegistration registration = {
    .kind = PY_REG_ELSEWHERE,
    .call = PY_ABSENT,
    .node = model->functions.items[function].name_node,
    .name = arena_copy(&model->arena, name),
    .name_known = true,
    .function = function,
    .opset_known = true,
    .first_opset = (uint32_t)model->opsets.count,
  };
  for (int opset = 0; opset < 64; opset++) {
    if (opsets >> opset & 1)
      add_opset(model, &registration, opset);
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
  find_calls(model);
  find_tables(model);
  find_autograd(model);
  find_file_functions(model);
  if (model->registrations.count > 1)
    qsort(model->registrations.items, model->registrations.count, sizeof(PyRegistration), compare_registrations);
  link_registrations(model);
}
