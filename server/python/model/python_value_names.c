// What a name stands for where it is used: parameters, and the assignment that reaches the place.

#include "base/limits.h"
#include "python/model/python_file_private.h"
#include "python/model/python_value.h"

// --- Names of other modules ---

static bool is_dtype(Str name)
{
  static const char *const names[] = {
    "float32", "float64", "float16", "bfloat16", "float",  "double",    "half",
    "int8",    "int16",   "int32",   "int64",    "uint8",  "int",       "long",
    "short",   "bool",    "cfloat",  "qint8",    "quint8", "complex64", "complex128",
  };
  return value_is_torch_name(name, names, COUNT(names));
}

PyValue value_of_qualified(Evaluation *e, PyRef node)
{
  Arena arena = { 0 };
  Str name = py_model_qualified(e->model, node, &arena);
  PyValue value = unknown;
  if (is_dtype(name))
    value = value_make(PY_DTYPE);
  else if (str_find(name, STR("TensorProtoDataType."), 0) != STR_NOT_FOUND ||
           str_starts_with(name, STR("onnx.TensorProto.")))
    value = value_make(PY_INT);
  else if (str_equal(name, STR("math.inf")) || str_equal(name, STR("math.pi")) || str_equal(name, STR("math.e")))
    value = value_make(PY_FLOAT);
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
static PyValue of_parsed_param(const Evaluation *e, const PyBinding *binding, uint32_t first)
{
  PyRef descriptor = py_file_descriptor_of(e->file, binding->scope, binding->index);
  PyValue value = unknown;
  Arena arena = { 0 };
  Str letter;
  if (descriptor && py_model_string(e->model, descriptor, &arena, &letter)) {
    value = value_of_letter(letter);
    if (value.kinds != 0 && !letter_fits(e->file, binding->scope, binding->index - first, letter))
      value = unknown;
  }
  arena_done(&arena);
  return value;
}

/// symbolic() gets tensors as values of the graph, and everything else as it is: what a number is the default of is
/// one.
static PyValue of_autograd_param(Evaluation *e, const PyBinding *binding, int depth)
{
  const PyParam *param = &e->model->params.items[binding->index];
  if (param->kind != PY_PARAM_PLAIN)
    return unknown;
  uint32_t kinds = e->file->argument_kinds[binding->index];
  if (!param->default_value)
    return kinds == PY_LIST ? value_list(0, -1) : value_make(kinds);
  PyValue value = value_evaluate(e, param->default_value, depth);
  return py_file_is_only(value, PY_INT | PY_FLOAT | PY_BOOL | PY_STRING) && (kinds & PY_VALUE) == 0 ? value : unknown;
}

static PyValue of_param(Evaluation *e, const PyBinding *binding, int depth)
{
  const PyModel *model = e->model;
  const PyParam *param = &model->params.items[binding->index];
  const PyFunction *function = &model->functions.items[binding->scope];
  uint32_t count;
  uint32_t first = py_file_input_params(e->file, binding->scope, &count);
  if (binding->index < first && function->roles & (PY_ROLE_REGISTERED | PY_ROLE_HELPER | PY_ROLE_AUTOGRAD))
    return binding->index + 1 == first ? value_make(PY_GRAPH) : unknown;
  if (function->roles & PY_ROLE_AUTOGRAD)
    return of_autograd_param(e, binding, depth);
  bool is_symbolic = (function->roles & PY_ROLE_REGISTERED) != 0 || e->file->shaped_functions[binding->scope];
  if (!is_symbolic || function->has_unknown_decorator || has_strange_registration(e->file, binding->scope))
    return unknown;
  if (param->kind == PY_PARAM_ARGS)
    return value_list(function->parse_args == PY_ABSENT ? PY_VALUE : 0, -1);
  if (param->kind != PY_PARAM_PLAIN || binding->index < first)
    return unknown;
  PyValue value = function->parse_args == PY_ABSENT ? value_make(PY_VALUE) : of_parsed_param(e, binding, first);
  if (value.kinds == 0)
    return unknown;
  if (param->default_value && !is_always_passed(e->file, binding->scope, binding->index - first))
    value = value_join(value, value_evaluate(e, param->default_value, depth));
  return value;
}

/// `a, b = value`: what the binding's name gets of it.
static PyValue of_unpacked(Evaluation *e, const PyBinding *binding, int depth)
{
  PyRef value = py_tree_strip(e->tree, binding->value);
  PyNodeKind kind = py_kind(e->tree, value);
  if (kind != PYK_TUPLE && kind != PYK_LIST && kind != PYK_EXPRESSION_LIST)
    return value_element(value_evaluate(e, value, depth));
  uint32_t position = 0;
  for (PyRef item = py_tree_first_element(e->tree, value); item; item = py_tree_next_element(e->tree, item)) {
    if (value_is_splat(e->tree, item))
      return unknown;
    if (position++ == binding->unpack)
      return value_evaluate(e, item, depth);
  }
  return unknown;
}

static PyValue of_binding(Evaluation *e, const PyBinding *binding, int depth)
{
  const struct PyKnownValue *known = e->file->values ? &e->file->values[binding - e->model->bindings.items] : NULL;
  switch (binding->kind) {
  case PY_BIND_ASSIGN:
    return known && known->is_known ? known->value : value_evaluate(e, binding->value, depth);
  case PY_BIND_PARAM:
    return of_param(e, binding, depth);
  case PY_BIND_FUNCTION:
    return value_make(PY_FUNCTION);
  case PY_BIND_OTHER:
    return binding->unpack != PY_ABSENT && binding->value ? of_unpacked(e, binding, depth) : unknown;
  default:
    return unknown;
  }
}

// --- Which binding reaches a use ---

static PyRef block_of(const PyTree *tree, PyRef node)
{
  int level = 0;
  PyRef at = tree->nodes[node].parent;
  while (at != 0 && py_kind(tree, at) != PYK_BLOCK && level++ < PY_NESTING_LIMIT)
    at = tree->nodes[at].parent;
  return at;
}

static bool is_inside(const PyTree *tree, PyRef node, PyRef outer)
{
  return outer == 0 || (node >= outer && node < tree->nodes[outer].next);
}

/// Whether there is a loop around both.
static bool share_loop(const PyTree *tree, PyRef a, PyRef b)
{
  int level = 0;
  for (PyRef at = a; at != 0 && level < PY_NESTING_LIMIT; at = tree->nodes[at].parent, level++) {
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_FUNCTION_DEFINITION || kind == PYK_LAMBDA)
      return false;
    if ((kind == PYK_FOR_STATEMENT || kind == PYK_WHILE_STATEMENT) && is_inside(tree, b, at))
      return true;
  }
  return false;
}

/// Where a binding begins to hold: after its statement.
static PyRef end_of_binding(const Evaluation *e, const PyBinding *binding)
{
  if (binding->kind == PY_BIND_PARAM || binding->kind == PY_BIND_FUNCTION)
    return binding->node;
  PyRef at = e->tree->nodes[binding->node].parent;
  return at ? e->tree->nodes[at].next - 1 : binding->node;
}

static PyValue of_flow(Evaluation *e, PyRef use, uint32_t first, int depth)
{
  const PyTree *tree = e->tree;
  PyValue value = unknown;
  bool has_value = false;
  int seen = 0;
  for (uint32_t at = first; at != PY_ABSENT; at = e->model->bindings.items[at].next) {
    const PyBinding *binding = &e->model->bindings.items[at];
    if (++seen > PY_BINDING_LIMIT)
      return unknown;
    if (end_of_binding(e, binding) >= use && binding->kind != PY_BIND_PARAM) {
      if (share_loop(tree, binding->node, use))
        return unknown;
      continue;
    }
    PyValue found = of_binding(e, binding, depth);
    bool dominates = binding->kind == PY_BIND_PARAM || is_inside(tree, use, block_of(tree, binding->node));
    value = dominates ? found : has_value ? value_join(value, found) : unknown;
    has_value |= dominates;
  }
  return has_value ? value : unknown;
}

// --- Conditions that tell more about a name ---

/// Does the condition ask what the name is: `x is None`, `_is_value(x)`, plain `x`?
static bool asks_about(const PyTree *tree, PyRef condition, Str name)
{
  for (PyRef node = condition; node < tree->nodes[condition].next; node++) {
    if (py_kind(tree, node) != PYK_IDENTIFIER || !str_equal(py_text(tree, node), name))
      continue;
    PyRef parent = tree->nodes[node].parent;
    if (node == condition || py_kind(tree, parent) != PYK_COMPARISON_OPERATOR)
      return true;
    for (PY_EACH_CHILD(tree, child, parent)) {
      PyNodeKind kind = py_kind(tree, child);
      Str text = py_text(tree, child);
      if ((kind == PYK_OPERATOR && (str_starts_with(text, STR("is")) || str_ends_with(text, STR("in")))) ||
          kind == PYK_NONE)
        return true;
    }
  }
  return false;
}

/// Does an `if` or `assert` before the place, in the same block, ask about the name?
static bool is_asked_before(const PyTree *tree, PyRef block, PyRef place, Str name)
{
  int seen = 0;
  for (PyRef child = py_first_child(tree, block); child && child < place && seen < PY_ELEMENT_LIMIT;
       child = py_next_sibling(tree, child), seen++) {
    bool is_assert = py_kind(tree, child) == PYK_ASSERT_STATEMENT;
    if (!is_assert && py_kind(tree, child) != PYK_IF_STATEMENT)
      continue;
    for (PyRef inner = child; inner < tree->nodes[child].next; inner++) {
      bool is_condition =
          tree->nodes[inner].field == PY_F_CONDITION || (is_assert && tree->nodes[inner].parent == child);
      if (is_condition && asks_about(tree, inner, name))
        return true;
    }
  }
  return false;
}

/// Does what stands around `at` ask about the name, before it comes to `at`?
static bool is_asked_around(const PyTree *tree, PyRef at, Str name)
{
  PyRef parent = tree->nodes[at].parent;
  switch (py_kind(tree, parent)) {
  case PYK_IF_STATEMENT:
  case PYK_ELIF_CLAUSE:
  case PYK_WHILE_STATEMENT: {
    PyRef condition = py_child(tree, parent, PY_F_CONDITION);
    return condition && tree->nodes[at].field != PY_F_CONDITION && asks_about(tree, condition, name);
  }
  case PYK_CONDITIONAL_EXPRESSION: {
    PyRef condition = py_next_sibling(tree, py_first_child(tree, parent));
    return condition && condition != at && asks_about(tree, condition, name);
  }
  case PYK_BOOLEAN_OPERATOR: {
    PyRef left = py_child(tree, parent, PY_F_LEFT);
    return left && at != left && asks_about(tree, left, name);
  }
  case PYK_BLOCK:
  case PYK_MODULE:
    return is_asked_before(tree, parent, at, name);
  default:
    return false;
  }
}

/// Was the name asked about on the way to its use? Then what it is there is unknown.
static bool is_narrowed(const Evaluation *e, PyRef use, Str name)
{
  const PyTree *tree = e->tree;
  int level = 0;
  for (PyRef at = e->model->branches[use]; at != 0 && level < PY_NESTING_LIMIT; level++) {
    PyRef parent = tree->nodes[at].parent;
    if (py_kind(tree, parent) == PYK_FUNCTION_DEFINITION || py_kind(tree, parent) == PYK_LAMBDA)
      return false;
    if (is_asked_around(tree, at, name))
      return true;
    at = e->model->branches[parent];
  }
  return false;
}

PyValue value_of_name(Evaluation *e, PyRef node, int depth)
{
  Str name = py_text(e->tree, node);
  uint32_t scope = py_model_scope_of(e->model, node);
  uint32_t first = py_model_lookup(e->model, scope, name);
  if (first == PY_ABSENT)
    return value_of_qualified(e, node);
  const PyBinding *binding = &e->model->bindings.items[first];
  if (binding->kind == PY_BIND_IMPORT)
    return value_of_qualified(e, node);
  if (is_narrowed(e, node, name))
    return unknown;
  if (binding->scope == scope && scope != PY_ABSENT)
    return of_flow(e, node, first, depth);
  return binding->next == PY_ABSENT ? of_binding(e, binding, depth) : unknown;
}

/// Whether it is an assignment in a function whose values are asked for.
static bool is_asked_for(const PyModel *model, const PyBinding *binding)
{
  int depth = 0;
  uint32_t scope = binding->kind == PY_BIND_ASSIGN && binding->value ? binding->scope : PY_ABSENT;
  for (; scope != PY_ABSENT && depth < PY_BLOCK_DEPTH; scope = model->functions.items[scope].parent, depth++) {
    if (py_file_is_symbolic(&model->functions.items[scope]))
      return true;
  }
  return false;
}

void python_find_values(PyFile *file)
{
  const PyModel *model = file->model;
  file->values = xcalloc(model->bindings.count + 1, sizeof(*file->values));
  for (size_t i = 0; i < model->bindings.count; i++) {
    const PyBinding *binding = &model->bindings.items[i];
    if (is_asked_for(model, binding))
      file->values[i] = (struct PyKnownValue){ py_file_value(file, binding->value), true };
  }
}
