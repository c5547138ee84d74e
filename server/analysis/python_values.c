// What kind of value an expression has, as far as the file tells. Everything that is not sure is unknown.

#include "analysis/python.h"

enum {
  DEPTH_LIMIT = 12,     ///< Expressions inside expressions, functions that call functions.
  STEP_LIMIT = 2000,    ///< Evaluations for one question.
  BINDING_LIMIT = 64,   ///< Bindings of one name that are looked at.
  ELEMENT_LIMIT = 256,  ///< Elements of one literal.
  LEVEL_LIMIT = 200,    ///< Levels around a node.
};

typedef struct Evaluation {
  const PyFile *file;
  const PyModel *model;
  const PyTree *tree;
  int steps;
} Evaluation;

static const PyValue unknown = { 0, 0, -1 };

static PyValue make(uint32_t kinds)
{
  return (PyValue){ .kinds = kinds, .length = -1 };
}

static PyValue make_list(uint32_t elements, int length)
{
  return (PyValue){ .kinds = PY_LIST, .elements = elements, .length = length };
}

/// What it is if it may be either.
static PyValue join(PyValue a, PyValue b)
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
  }
  return joined;
}

static PyValue evaluate(Evaluation *e, PyRef node, int depth);

static bool is_splat(const PyTree *tree, PyRef node)
{
  return py_kind(tree, node) == PYK_LIST_SPLAT || py_kind(tree, node) == PYK_DICTIONARY_SPLAT;
}

// --- Literals and operators ---

static PyValue of_sequence(Evaluation *e, PyRef node, int depth)
{
  uint32_t elements = 0;
  int length = 0;
  bool is_sure = true;
  for (PyRef item = py_first_element(e->tree, node); item; item = py_next_element(e->tree, item)) {
    if (++length > ELEMENT_LIMIT)
      return make_list(0, -1);
    if (is_splat(e->tree, item))
      return make_list(0, -1);
    PyValue value = evaluate(e, item, depth);
    is_sure &= value.kinds != 0;
    elements |= value.kinds;
  }
  return make_list(is_sure ? elements : 0, length);
}

static bool is_numeric(PyValue value)
{
  return py_is_only(value, PY_INT | PY_FLOAT | PY_BOOL);
}

static PyValue of_binary(Evaluation *e, PyRef node, int depth)
{
  PyRef sign = py_child(e->tree, node, PY_F_OPERATOR);
  PyValue left = evaluate(e, py_child(e->tree, node, PY_F_LEFT), depth);
  PyValue right = evaluate(e, py_child(e->tree, node, PY_F_RIGHT), depth);
  Str op = sign ? py_text(e->tree, sign) : (Str){ 0 };
  if (py_is_only(left, PY_STRING) && (str_equal(op, STR("%")) || str_equal(op, STR("+"))))
    return make(PY_STRING);
  if (py_is_only(left, PY_LIST) && str_equal(op, STR("+")) && py_is_only(right, PY_LIST)) {
    PyValue joined = join(left, right);
    joined.length = left.length >= 0 && right.length >= 0 ? left.length + right.length : -1;
    if (left.length == 0)
      joined.elements = right.elements;
    if (right.length == 0)
      joined.elements = left.elements;
    return joined;
  }
  if (py_is_only(left, PY_LIST) && str_equal(op, STR("*")))
    return make_list(left.elements, -1);
  if (!is_numeric(left) || !is_numeric(right))
    return unknown;
  if (str_equal(op, STR("/")))
    return make(PY_FLOAT);
  if (str_equal(op, STR("**")))
    return make(PY_INT | PY_FLOAT);
  uint32_t kinds = (left.kinds | right.kinds) & (PY_INT | PY_FLOAT);
  return make(kinds != 0 ? kinds : PY_INT);
}

/// `a < b`, `x is None`: a bool; of graph values it would raise.
static PyValue of_comparison(Evaluation *e, PyRef node, int depth)
{
  for (PY_EACH_CHILD(e->tree, child, node)) {
    if (py_kind(e->tree, child) == PYK_OPERATOR) {
      Str op = py_text(e->tree, child);
      if (!str_starts_with(op, STR("is")))
        return unknown;
    }
  }
  return make(PY_BOOL);
}

// --- Calls ---

static bool is_tensor_maker(Str name)
{
  static const char *const names[] = {
    "tensor", "as_tensor", "ones",  "zeros",       "full",        "empty",        "arange",      "rand",       "randn",
    "eye",    "linspace",  "cat",   "LongTensor",  "FloatTensor", "IntTensor",    "BoolTensor",  "DoubleTensor", "Tensor",
    "stack",  "from_numpy", "ones_like", "zeros_like", "full_like", "scalar_tensor", "randint",   "HalfTensor",
  };
  if (!str_starts_with(name, STR("torch.")))
    return false;
  Str last = str_slice(name, 6, name.len);
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (str_equal(last, str_from(names[i])))
      return true;
  }
  return false;
}

/// What a letter of @parse_args makes of a constant.
static uint32_t kinds_of_letter(Str letter, uint32_t *ret_elements)
{
  *ret_elements = 0;
  if (str_equal(letter, STR("v")) || str_equal(letter, STR("none")))
    return PY_VALUE;
  if (str_equal(letter, STR("i")))
    return PY_INT;
  if (str_equal(letter, STR("f")))
    return PY_FLOAT;
  if (str_equal(letter, STR("b")))
    return PY_BOOL;
  if (str_equal(letter, STR("s")))
    return PY_STRING;
  if (str_equal(letter, STR("t")))
    return PY_TENSOR;
  *ret_elements = str_equal(letter, STR("is")) ? PY_INT : str_equal(letter, STR("fs")) ? PY_FLOAT : 0;
  return *ret_elements != 0 ? PY_LIST : 0;
}

static PyValue of_helper(Evaluation *e, const PyCall *call, Str name)
{
  const PyHelper *helper = symbolics_helper(e->file->db, name);
  if (!helper || helper->result == 0)
    return unknown;
  uint32_t result = helper->result;
  PyValue value = make(result & ~(uint32_t)(PY_VALUES | PY_INTS | PY_FLOATS | PY_DESCRIPTOR | PY_OTHER | PY_RAISES));
  if (result & PY_RAISES && value.kinds == 0)
    return unknown;
  if (result & PY_OTHER)
    return unknown;
  if (result & PY_DESCRIPTOR) {
    const PyArgument *argument = py_argument(e->model, call, 1, "desc");
    Arena arena = { 0 };
    Str letter;
    uint32_t elements = 0;
    uint32_t kinds = 0;
    if (argument && py_string(e->model, argument->value, &arena, &letter))
      kinds = kinds_of_letter(letter, &elements);
    arena_done(&arena);
    if (kinds == 0)
      return unknown;
    value.kinds |= kinds;
    value.elements |= elements;
  }
  if (result & (PY_VALUES | PY_INTS | PY_FLOATS)) {
    value.kinds |= PY_LIST;
    value.elements |= (result & PY_VALUES ? PY_VALUE : 0) | (result & PY_INTS ? PY_INT : 0) |
                      (result & PY_FLOATS ? PY_FLOAT : 0);
  }
  return value;
}

static PyValue of_op(const PyOp *op)
{
  if (op->kind == PY_OP_ONNXSCRIPT)
    return unknown;  // How many depends on the schema.
  if (op->outputs == 1)
    return make(PY_VALUE);
  return op->outputs > 1 ? make_list(PY_VALUE, op->outputs) : unknown;
}

/// What a function of this file gives back, if every return is known and it can't fall off its end.
static PyValue of_own_function(Evaluation *e, uint32_t index, int depth)
{
  const PyFunction *function = &e->model->functions.items[index];
  if (function->has_unknown_decorator || !function->body)
    return unknown;
  if (py_kind(e->tree, function->node) == PYK_LAMBDA)
    return evaluate(e, function->body, depth);
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
    PyValue returned = result ? evaluate(e, result, depth) : make(PY_NONE);
    value = is_first ? returned : join(value, returned);
    is_first = false;
    if (value.kinds == 0)
      return unknown;
  }
  return value;
}

static PyValue of_builtin(Evaluation *e, const PyCall *call, Str name, int depth)
{
  if (str_equal(name, STR("int")) || str_equal(name, STR("len")))
    return make(PY_INT);
  if (str_equal(name, STR("float")))
    return make(PY_FLOAT);
  if (str_equal(name, STR("bool")) || str_equal(name, STR("isinstance")))
    return make(PY_BOOL);
  if (str_equal(name, STR("str")))
    return make(PY_STRING);
  if (str_equal(name, STR("dict")))
    return make(PY_DICT);
  if (str_equal(name, STR("range")))
    return make_list(PY_INT, -1);
  if (str_equal(name, STR("list")) || str_equal(name, STR("tuple"))) {
    const PyArgument *argument = py_argument(e->model, call, 0, NULL);
    PyValue inner = argument ? evaluate(e, argument->value, depth) : make_list(0, 0);
    return py_is_only(inner, PY_LIST) ? inner : make_list(0, -1);
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
  PyValue self = evaluate(e, object, depth);
  if (py_is_only(self, PY_VALUE) && (str_equal(name, STR("setType")) || str_equal(name, STR("setTypeAs"))))
    return make(PY_VALUE);
  if (py_is_only(self, PY_TENSOR) && !str_equal(name, STR("item")) && !str_equal(name, STR("tolist")) &&
      !str_equal(name, STR("numpy")) && !str_equal(name, STR("dim")) && !str_equal(name, STR("numel")) &&
      !str_equal(name, STR("size")))
    return str_equal(name, STR("to")) || str_equal(name, STR("type")) || str_equal(name, STR("long")) ||
                   str_equal(name, STR("float")) || str_equal(name, STR("reshape")) || str_equal(name, STR("view"))
               ? make(PY_TENSOR)
               : unknown;
  if (py_is_only(self, PY_STRING) && (str_equal(name, STR("format")) || str_equal(name, STR("lower")) ||
                                      str_equal(name, STR("upper")) || str_equal(name, STR("join"))))
    return make(PY_STRING);
  return unknown;
}

static PyValue of_call(Evaluation *e, PyRef node, int depth)
{
  uint32_t index = py_call_at(e->model, node);
  if (index == PY_ABSENT)
    return unknown;
  const PyCall *call = &e->model->calls.items[index];
  uint32_t op = py_op_of_call(e->model, index);
  if (op != PY_ABSENT)
    return of_op(&e->model->ops.items[op]);
  if (call->function != PY_ABSENT)
    return of_own_function(e, call->function, depth);
  Str helper = STR("torch.onnx.symbolic_helper.");
  if (str_starts_with(call->qualified, helper))
    return of_helper(e, call, str_slice(call->qualified, helper.len, call->qualified.len));
  if (is_tensor_maker(call->qualified))
    return make(PY_TENSOR);
  if (call->qualified.len > 0 && str_find_char(call->qualified, '.', 0) == STR_NOT_FOUND)
    return of_builtin(e, call, call->qualified, depth);
  if (py_kind(e->tree, call->function_node) == PYK_ATTRIBUTE)
    return of_method(e, call, depth);
  return unknown;
}

// --- Names ---

static bool is_dtype(Str name)
{
  static const char *const names[] = {
    "float32", "float64", "float16", "bfloat16",  "float",      "double", "half",   "int8",   "int16", "int32",
    "int64",   "uint8",   "int",     "long",      "short",      "bool",   "cfloat", "qint8",  "quint8", "complex64",
    "complex128",
  };
  if (!str_starts_with(name, STR("torch.")))
    return false;
  Str last = str_slice(name, 6, name.len);
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    if (str_equal(last, str_from(names[i])))
      return true;
  }
  return false;
}

static PyValue of_qualified(Evaluation *e, PyRef node)
{
  Arena arena = { 0 };
  Str name = py_qualified(e->model, node, &arena);
  PyValue value = unknown;
  if (is_dtype(name))
    value = make(PY_DTYPE);
  else if (str_find(name, STR("TensorProtoDataType."), 0) != STR_NOT_FOUND ||
           str_starts_with(name, STR("onnx.TensorProto.")))
    value = make(PY_INT);
  else if (str_equal(name, STR("math.inf")) || str_equal(name, STR("math.pi")) || str_equal(name, STR("math.e")))
    value = make(PY_FLOAT);
  arena_done(&arena);
  return value;
}

/// The fewest arguments that an overload of a registered name passes; UINT32_MAX if the operator is unknown.
static uint32_t fewest_arguments(const PyFile *file, const PyRegistration *registration)
{
  const TorchOperator *op = registration->name_known ? py_torch_operator(file, registration->name) : NULL;
  uint32_t fewest = UINT32_MAX;
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    if (py_overload_applies(file, &op->overloads[i]) && op->overloads[i].argument_count < fewest)
      fewest = op->overloads[i].argument_count;
  }
  return fewest;
}

/// Is the parameter passed in every call that the exporter makes? `position` counts from the first input.
static bool is_always_passed(const PyFile *file, uint32_t function, uint32_t position)
{
  const PyModel *model = file->model;
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
    if (str_starts_with(registration->name, STR("aten::")) && !py_torch_operator(file, registration->name))
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
    const TorchOperator *op = registration->name_known ? py_torch_operator(file, registration->name) : NULL;
    bool any = !op;
    for (uint32_t k = 0; op && k < op->overload_count && !any; k++) {
      const TorchOverload *overload = &op->overloads[k];
      any = py_overload_applies(file, overload) &&
            (position >= overload->argument_count || descriptor_fits(letter, overload->arguments[position].type));
    }
    if (!any)
      return false;
  }
  return true;
}

static PyValue of_param(Evaluation *e, const PyBinding *binding, int depth)
{
  const PyModel *model = e->model;
  const PyParam *param = &model->params.items[binding->index];
  const PyFunction *function = &model->functions.items[binding->scope];
  uint32_t count;
  uint32_t first = py_input_params(e->file, binding->scope, &count);
  if (binding->index < first && function->roles & (PY_ROLE_REGISTERED | PY_ROLE_HELPER | PY_ROLE_AUTOGRAD))
    return binding->index + 1 == first ? make(PY_GRAPH) : unknown;
  if ((function->roles & PY_ROLE_REGISTERED) == 0 || function->has_unknown_decorator ||
      has_strange_registration(e->file, binding->scope))
    return unknown;
  if (param->kind == PY_PARAM_ARGS)
    return make_list(function->parse_args == PY_ABSENT ? PY_VALUE : 0, -1);
  if (param->kind != PY_PARAM_PLAIN || binding->index < first)
    return unknown;
  PyValue value = make(PY_VALUE);
  if (function->parse_args != PY_ABSENT) {
    PyRef descriptor = py_descriptor_of(e->file, binding->scope, binding->index);
    Arena arena = { 0 };
    Str letter;
    uint32_t elements = 0;
    uint32_t kinds = 0;
    if (descriptor && py_string(model, descriptor, &arena, &letter))
      kinds = kinds_of_letter(letter, &elements);
    if (kinds != 0 && !letter_fits(e->file, binding->scope, binding->index - first, letter))
      kinds = 0;
    arena_done(&arena);
    if (kinds == 0)
      return unknown;
    value = make(kinds);
    value.elements = elements;
  }
  if (param->default_value && !is_always_passed(e->file, binding->scope, binding->index - first))
    value = join(value, evaluate(e, param->default_value, depth));
  return value;
}

static PyValue element_of(PyValue list)
{
  return py_is_only(list, PY_LIST) && list.elements != 0 && (list.elements & PY_LIST) == 0 ? make(list.elements)
                                                                                            : unknown;
}

static PyValue of_binding(Evaluation *e, const PyBinding *binding, int depth)
{
  switch (binding->kind) {
  case PY_BIND_ASSIGN:
    return evaluate(e, binding->value, depth);
  case PY_BIND_PARAM:
    return of_param(e, binding, depth);
  case PY_BIND_FUNCTION:
    return make(PY_FUNCTION);
  case PY_BIND_OTHER:
    if (binding->unpack == PY_ABSENT || !binding->value)
      return unknown;
    PyRef value = py_strip(e->tree, binding->value);
    PyNodeKind kind = py_kind(e->tree, value);
    if (kind == PYK_TUPLE || kind == PYK_LIST || kind == PYK_EXPRESSION_LIST) {
      uint32_t position = 0;
      for (PyRef item = py_first_element(e->tree, value); item; item = py_next_element(e->tree, item)) {
        if (is_splat(e->tree, item))
          return unknown;
        if (position++ == binding->unpack)
          return evaluate(e, item, depth);
      }
      return unknown;
    }
    return element_of(evaluate(e, value, depth));
  default:
    return unknown;
  }
}

// --- Which binding reaches a use ---

static PyRef block_of(const PyTree *tree, PyRef node)
{
  int level = 0;
  PyRef at = tree->nodes[node].parent;
  while (at != 0 && py_kind(tree, at) != PYK_BLOCK && level++ < LEVEL_LIMIT)
    at = tree->nodes[at].parent;
  return at;
}

static bool is_inside(const PyTree *tree, PyRef node, PyRef outer)
{
  return outer == 0 || (node >= outer && node < tree->nodes[outer].next);
}

/// Is there a loop around both?
static bool share_loop(const PyTree *tree, PyRef a, PyRef b)
{
  int level = 0;
  for (PyRef at = a; at != 0 && level < LEVEL_LIMIT; at = tree->nodes[at].parent, level++) {
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_FUNCTION_DEFINITION || kind == PYK_LAMBDA)
      return false;
    if ((kind == PYK_FOR_STATEMENT || kind == PYK_WHILE_STATEMENT) && is_inside(tree, b, at))
      return true;
  }
  return false;
}

/// Where a binding begins to hold: behind its statement.
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
    if (++seen > BINDING_LIMIT)
      return unknown;
    if (end_of_binding(e, binding) >= use && binding->kind != PY_BIND_PARAM) {
      if (share_loop(tree, binding->node, use))
        return unknown;
      continue;
    }
    PyValue found = of_binding(e, binding, depth);
    bool dominates = binding->kind == PY_BIND_PARAM || is_inside(tree, use, block_of(tree, binding->node));
    value = dominates ? found : has_value ? join(value, found) : unknown;
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

static bool is_condition_of(const PyTree *tree, PyRef parent, PyRef node)
{
  (void)parent;
  return tree->nodes[node].field == PY_F_CONDITION;
}

/// Was the name asked about on the way to its use? Then what it is there is unknown.
static bool is_narrowed(const Evaluation *e, PyRef use, Str name)
{
  const PyTree *tree = e->tree;
  int level = 0;
  for (PyRef at = use; at != 0 && level < LEVEL_LIMIT; at = tree->nodes[at].parent, level++) {
    PyRef parent = tree->nodes[at].parent;
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_FUNCTION_DEFINITION || kind == PYK_LAMBDA)
      return false;
    switch (py_kind(tree, parent)) {
    case PYK_IF_STATEMENT:
    case PYK_ELIF_CLAUSE:
    case PYK_WHILE_STATEMENT: {
      PyRef condition = py_child(tree, parent, PY_F_CONDITION);
      if (condition && !is_condition_of(tree, parent, at) && asks_about(tree, condition, name))
        return true;
      break;
    }
    case PYK_CONDITIONAL_EXPRESSION:
      for (PY_EACH_CHILD(tree, child, parent)) {
        if (child != at && asks_about(tree, child, name) && child == py_next_sibling(tree, py_first_child(tree, parent)))
          return true;
      }
      break;
    case PYK_BOOLEAN_OPERATOR: {
      PyRef left = py_child(tree, parent, PY_F_LEFT);
      if (left && at != left && asks_about(tree, left, name))
        return true;
      break;
    }
    case PYK_BLOCK:
    case PYK_MODULE: {
      int seen = 0;
      for (PyRef child = py_first_child(tree, parent); child && child < at && seen < ELEMENT_LIMIT;
           child = py_next_sibling(tree, child), seen++) {
        if (py_kind(tree, child) != PYK_IF_STATEMENT && py_kind(tree, child) != PYK_ASSERT_STATEMENT)
          continue;
        for (PyRef inner = child; inner < tree->nodes[child].next; inner++) {
          bool is_condition = tree->nodes[inner].field == PY_F_CONDITION ||
                              (py_kind(tree, child) == PYK_ASSERT_STATEMENT && tree->nodes[inner].parent == child);
          if (is_condition && asks_about(tree, inner, name))
            return true;
        }
      }
      break;
    }
    default:
      break;
    }
  }
  return false;
}

static PyValue of_name(Evaluation *e, PyRef node, int depth)
{
  Str name = py_text(e->tree, node);
  uint32_t scope = py_scope_of(e->model, node);
  uint32_t first = py_lookup(e->model, scope, name);
  if (first == PY_ABSENT)
    return of_qualified(e, node);
  const PyBinding *binding = &e->model->bindings.items[first];
  if (binding->kind == PY_BIND_IMPORT)
    return of_qualified(e, node);
  if (is_narrowed(e, node, name))
    return unknown;
  if (binding->scope == scope && scope != PY_ABSENT)
    return of_flow(e, node, first, depth);
  return binding->next == PY_ABSENT ? of_binding(e, binding, depth) : unknown;
}

// --- Expressions ---

static PyValue of_subscript(Evaluation *e, PyRef node, int depth)
{
  PyRef object = py_child(e->tree, node, PY_F_VALUE);
  PyRef index = py_child(e->tree, node, PY_F_SUBSCRIPT);
  if (!object || !index)
    return unknown;
  PyValue value = evaluate(e, object, depth);
  if (!py_is_only(value, PY_LIST))
    return unknown;
  if (py_kind(e->tree, index) == PYK_SLICE)
    return make_list(value.elements, -1);
  return element_of(value);
}

static PyValue of_conditional(Evaluation *e, PyRef node, int depth)
{
  PyRef yes = py_first_child(e->tree, node);
  PyRef condition = yes ? py_next_sibling(e->tree, yes) : 0;
  PyRef no = condition ? py_next_sibling(e->tree, condition) : 0;
  return no ? join(evaluate(e, yes, depth), evaluate(e, no, depth)) : unknown;
}

static PyValue of_unary(Evaluation *e, PyRef node, int depth)
{
  PyValue value = evaluate(e, py_child(e->tree, node, PY_F_ARGUMENT), depth);
  return is_numeric(value) ? value : unknown;
}

static PyValue evaluate(Evaluation *e, PyRef node, int depth)
{
  if (!node || depth >= DEPTH_LIMIT || ++e->steps > STEP_LIMIT)
    return unknown;
  depth++;
  node = py_strip(e->tree, node);
  switch (py_kind(e->tree, node)) {
  case PYK_INTEGER:
    return make(PY_INT);
  case PYK_FLOAT:
    return make(PY_FLOAT);
  case PYK_TRUE:
  case PYK_FALSE:
    return make(PY_BOOL);
  case PYK_NONE:
    return make(PY_NONE);
  case PYK_STRING:
  case PYK_CONCATENATED_STRING:
    return make(PY_STRING);
  case PYK_DICTIONARY:
  case PYK_DICTIONARY_COMPREHENSION:
    return make(PY_DICT);
  case PYK_LIST:
  case PYK_TUPLE:
  case PYK_EXPRESSION_LIST:
    return of_sequence(e, node, depth);
  case PYK_LIST_COMPREHENSION: {
    PyValue body = evaluate(e, py_child(e->tree, node, PY_F_BODY), depth);
    return make_list(body.kinds, -1);
  }
  case PYK_UNARY_OPERATOR:
    return of_unary(e, node, depth);
  case PYK_BINARY_OPERATOR:
    return of_binary(e, node, depth);
  case PYK_BOOLEAN_OPERATOR:
    return join(evaluate(e, py_child(e->tree, node, PY_F_LEFT), depth),
                evaluate(e, py_child(e->tree, node, PY_F_RIGHT), depth));
  case PYK_NOT_OPERATOR:
    return make(PY_BOOL);
  case PYK_COMPARISON_OPERATOR:
    return of_comparison(e, node, depth);
  case PYK_CONDITIONAL_EXPRESSION:
    return of_conditional(e, node, depth);
  case PYK_NAMED_EXPRESSION:
    return evaluate(e, py_child(e->tree, node, PY_F_VALUE), depth);
  case PYK_CALL:
    return of_call(e, node, depth);
  case PYK_SUBSCRIPT:
    return of_subscript(e, node, depth);
  case PYK_ATTRIBUTE:
    return of_qualified(e, node);
  case PYK_IDENTIFIER:
    return of_name(e, node, depth);
  case PYK_LAMBDA:
    return make(PY_FUNCTION);
  default:
    return unknown;
  }
}

PyValue py_value(const PyFile *file, PyRef node)
{
  Evaluation e = { .file = file, .model = file->model, .tree = &file->model->tree };
  return evaluate(&e, node, 0);
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
  case PY_DICT:
    return STR("a dict");
  default:
    return STR("something else");
  }
}

Str py_value_text(PyValue value, Arena *arena)
{
  Str text = { 0 };
  for (uint32_t kind = 1; kind != 0; kind <<= 1) {
    if ((value.kinds & kind) == 0)
      continue;
    text = text.len == 0 ? word_of(kind) : arena_printf(arena, "%.*s or %.*s", STR_ARG(text), STR_ARG(word_of(kind)));
  }
  return text.len > 0 ? text : STR("unknown");
}
