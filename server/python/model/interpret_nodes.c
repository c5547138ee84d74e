// What a node of an expression stands for, when what is in it is known.

#include "base/limits.h"
#include "python/model/interpret.h"

static PyValue child_value(const Interpreter *in, PyRef node, PyField field)
{
  return interpret_child(in, node, field).value;
}

// --- Names and literals ---

/// Whether the identifier is a name whose value is taken, and no member, keyword or target.
static bool is_used(const Interpreter *in, PyRef node)
{
  const PyNode *at = &in->tree->nodes[node];
  PyNodeKind parent = py_kind(in->tree, at->parent);
  if (sparse_has(&in->bound_nodes, node))
    return parent == PYK_AUGMENTED_ASSIGNMENT;
  return !(parent == PYK_ATTRIBUTE && at->field == PY_F_ATTRIBUTE) &&
         !(parent == PYK_KEYWORD_ARGUMENT && at->field == PY_F_NAME);
}

static bool is_lambda_parameter(const Interpreter *in, PyRef node)
{
  uint32_t function = in->model->bindings.items[interpret_bound(in, node)].scope;
  return py_kind(in->tree, in->model->functions.items[function].node) == PYK_LAMBDA;
}

/// Whether another file sets it as the version of torch is.
static Meaning of_foreign_flag(const Interpreter *in, PyRef node)
{
  uint32_t flag = py_model_foreign_flag(in->model, node);
  Meaning meaning = meaning_unknown;
  if (flag != PY_ABSENT)
    meaning.hints = (uint16_t)(in->slots[flag].meaning.hints & ASKS_VERSION);
  return meaning;
}

/// What another file assigns, if that is known.
static Meaning of_imported(const Interpreter *in, PyRef node, uint32_t slot)
{
  uint32_t scope = py_model_scope_of(in->model, node);
  uint32_t foreign = py_model_foreign_name(in->model, scope, slot, py_text(in->tree, node));
  if (foreign != PY_ABSENT)
    return in->slots[foreign].meaning;
  Meaning meaning = of_foreign_flag(in, node);
  meaning.value = interpret_qualified(in->model, node);
  return meaning;
}

/// `"export" in dir(torch)` asks what there is, as hasattr() does.
static bool lists_names(Str builtin)
{
  return str_equal(builtin, STR("dir")) || str_equal(builtin, STR("vars"));
}

static Meaning of_identifier(Interpreter *in, PyRef node)
{
  uint32_t hints = interpret_hints(py_text(in->tree, node));
  uint32_t bound = interpret_bound(in, node);
  Meaning meaning = meaning_unknown;
  if (bound != PY_ABSENT && in->model->bindings.items[bound].kind == PY_BIND_PARAM && is_lambda_parameter(in, node))
    interpret_assign(in, bound, meaning_of(interpret_parameter(in, &in->model->bindings.items[bound])));
  if (is_used(in, node)) {
    uint32_t slot = interpret_slot(in, node);
    if (slot != PY_ABSENT && in->tree->nodes[node].field != PY_F_FUNCTION)
      in->slots[slot].is_taken = true;
    in->has_changed |= slot != PY_ABSENT && in->model->bindings.items[slot].is_changed;
    if (slot == PY_ABSENT && lists_names(py_text(in->tree, node)))
      hints |= ASKS_VERSION;
    bool is_foreign =
        slot == PY_ABSENT ? in->model->star_imports.count > 0 : in->model->bindings.items[slot].kind == PY_BIND_IMPORT;
    meaning = is_foreign ? of_imported(in, node, slot) : interpret_name(in, node, slot);
    if (in->tree->nodes[node].field != PY_F_OBJECT && py_model_class_bound(in->model, slot))
      meaning = meaning_of(interpret_value(PY_OBJECT));
  }
  meaning.hints |= hints;
  return meaning;
}

static Meaning of_integer(const Interpreter *in, PyRef node)
{
  Meaning meaning = meaning_of(interpret_value(PY_INT));
  if (py_model_int(in->model, node, &meaning.number))
    meaning.hints |= HAS_NUMBER;
  return meaning;
}

/// `2j`
static bool is_imaginary(const Interpreter *in, PyRef node)
{
  Str text = py_text(in->tree, node);
  return text.len > 0 && (text.data[text.len - 1] == 'j' || text.data[text.len - 1] == 'J') &&
         !str_starts_with(text, STR("0x"));
}

static PyValue of_string(const Interpreter *in, PyRef node)
{
  PyValue value = interpret_value(PY_STRING);
  PyFormatField field;
  size_t at = 0;
  for (uint32_t i = 0; i < 32 && py_format_field_next(py_text(in->tree, node), &at, &field); i++) {
    uint32_t slot = py_model_lookup(in->model, py_model_scope_of(in->model, node), field.name);
    if (field.name.len > 0 && py_file_is_only(interpret_name(in, node, slot).value, PY_VALUE))
      value.elements |= (uint32_t)1 << i;
  }
  return value;
}

Meaning interpret_leaf(Interpreter *in, PyRef node)
{
  switch (py_kind(in->tree, node)) {
  case PYK_IDENTIFIER:
    return of_identifier(in, node);
  case PYK_INTEGER:
    return is_imaginary(in, node) ? meaning_of(interpret_value(PY_OBJECT)) : of_integer(in, node);
  case PYK_FLOAT:
    return meaning_of(interpret_value(is_imaginary(in, node) ? PY_OBJECT : PY_FLOAT));
  case PYK_TRUE:
  case PYK_FALSE: {
    Meaning meaning = meaning_of(interpret_value(PY_BOOL));
    if (py_kind(in->tree, node) == PYK_TRUE)
      meaning.no = 0;
    else
      meaning.yes = 0;
    return meaning;
  }
  case PYK_NONE:
    return meaning_of(interpret_value(PY_NONE));
  case PYK_STRING: {  // `config["opset_version"]`
    Meaning meaning = meaning_of(of_string(in, node));
    meaning.hints = interpret_hints(py_text(in->tree, node));
    return meaning;
  }
  default:
    return meaning_unknown;
  }
}

// --- Conditions ---

bool interpret_is_and(const PyTree *tree, PyRef operator)
{
  PyRef sign = py_child(tree, operator, PY_F_OPERATOR);
  return sign && str_equal(py_text(tree, sign), STR("and"));
}

/// `hasattr(g, "opset") and g.opset >= 13` is false at 13 in no torch that the facts know, but in others.
static bool mixes_questions(Meaning a, Meaning b)
{
  return ((a.hints & ASKS_VERSION) && (b.hints & ASKS_OPSET)) || ((b.hints & ASKS_VERSION) && (a.hints & ASKS_OPSET));
}

/// It may be true and false at all opsets.
static bool says_nothing(Meaning meaning)
{
  return meaning.yes == OPSET_SET_ALL && meaning.no == OPSET_SET_ALL;
}

static Meaning of_boolean(const Interpreter *in, PyRef node)
{
  Meaning left = interpret_child(in, node, PY_F_LEFT);
  Meaning right = interpret_child(in, node, PY_F_RIGHT);
  Meaning meaning = meaning_of(interpret_join(left.value, right.value));
  if (mixes_questions(left, right))
    return meaning;
  bool both = interpret_is_and(in->tree, node);
  meaning.yes = both ? left.yes & right.yes : left.yes | right.yes;
  meaning.no = both ? left.no | right.no : left.no & right.no;
  meaning.true_at = both ? left.true_at & right.true_at : left.true_at | right.true_at;
  meaning.false_at = both ? left.false_at | right.false_at : left.false_at & right.false_at;
  return meaning;
}

static Meaning of_not(const Interpreter *in, PyRef node)
{
  Meaning inner = interpret_child(in, node, PY_F_ARGUMENT);
  Meaning meaning = meaning_of(interpret_value(PY_BOOL));
  meaning.yes = inner.no;
  meaning.no = inner.yes;
  meaning.true_at = inner.false_at;
  meaning.false_at = inner.true_at;
  return meaning;
}

static Meaning of_choice(const Interpreter *in, PyRef node)
{
  PyChoice choice = py_tree_choice(in->tree, node);
  if (!choice.no)
    return meaning_unknown;
  Meaning condition = interpret_meaning(in, choice.condition);
  Meaning yes = interpret_meaning(in, choice.yes);
  Meaning no = interpret_meaning(in, choice.no);
  if (interpret_pass(in->at, condition, true).opsets == 0 || interpret_pass(in->at, condition, false).opsets == 0)
    return interpret_pass(in->at, condition, true).opsets == 0 ? no : yes;
  Meaning meaning = meaning_join(yes, no);
  bool is_unclear =
      mixes_questions(condition, yes) || mixes_questions(condition, no) || says_nothing(yes) || says_nothing(no);
  meaning.yes = is_unclear ? OPSET_SET_ALL : (condition.yes & yes.yes) | (condition.no & no.yes);
  meaning.no = is_unclear ? OPSET_SET_ALL : (condition.yes & yes.no) | (condition.no & no.no);
  return meaning;
}

// --- Operators ---

static PyValue of_sequence(const Interpreter *in, PyRef node)
{
  uint32_t elements = 0;
  int length = 0;
  bool is_sure = true;
  for (PY_EACH_ELEMENT(in->tree, item, node)) {
    if (++length > PY_ELEMENT_LIMIT || py_tree_is_splat(in->tree, item))
      return interpret_list(0, -1);
    PyValue value = interpret_meaning(in, item).value;
    is_sure &= value.kinds != 0;
    elements |= value.kinds;
  }
  return interpret_list(is_sure ? elements : 0, length);
}

static bool is_numeric(PyValue value)
{
  return py_file_is_only(value, PY_INT | PY_FLOAT | PY_BOOL);
}

static bool is_tensors(PyValue left, PyValue right)
{
  const uint32_t others = PY_INT | PY_FLOAT | PY_BOOL | PY_TENSOR;
  return (py_file_is_only(left, PY_TENSOR) && py_file_is_only(right, others)) ||
         (py_file_is_only(right, PY_TENSOR) && py_file_is_only(left, others));
}

static bool is_arrays(PyValue left, PyValue right)
{
  const uint32_t others = PY_INT | PY_FLOAT | PY_BOOL | PY_ARRAY;
  return (py_file_is_only(left, PY_ARRAY) && py_file_is_only(right, others)) ||
         (py_file_is_only(right, PY_ARRAY) && py_file_is_only(left, others));
}

static PyValue of_lists(PyValue left, PyValue right)
{
  PyValue joined = interpret_join(left, right);
  joined.length = left.length >= 0 && right.length >= 0 ? left.length + right.length : -1;
  if (left.length == 0)
    joined.elements = right.elements;
  if (right.length == 0)
    joined.elements = left.elements;
  return joined;
}

/// The length of `[2] * 3`; -1 if it is not known.
static int times(int length, Meaning count)
{
  bool is_known = length >= 0 && (count.hints & HAS_NUMBER) && count.number >= 0 && count.number <= PY_ELEMENT_LIMIT;
  int64_t product = is_known ? length * count.number : -1;
  return product <= PY_ELEMENT_LIMIT ? (int)product : -1;
}

PyValue interpret_binary(const Interpreter *in, PyRef node)
{
  PyRef sign = py_child(in->tree, node, PY_F_OPERATOR);
  PyValue left = child_value(in, node, PY_F_LEFT);
  PyValue right = child_value(in, node, PY_F_RIGHT);
  Str op = sign ? py_text(in->tree, sign) : (Str){ 0 };
  if (py_kind(in->tree, node) == PYK_AUGMENTED_ASSIGNMENT && op.len > 0)
    op.len--;
  bool is_plus = str_equal(op, STR("+"));
  if (py_file_is_only(left, PY_STRING) && (is_plus || str_equal(op, STR("%"))))
    return interpret_value(PY_STRING);
  if (is_plus && py_file_is_only(left, PY_LIST) && py_file_is_only(right, PY_LIST))
    return of_lists(left, right);
  if (py_file_is_only(left, PY_LIST) && str_equal(op, STR("*")))
    return interpret_list(left.elements, times(left.length, interpret_child(in, node, PY_F_RIGHT)));
  if (is_tensors(left, right))
    return interpret_value(PY_TENSOR);
  if (is_arrays(left, right))
    return interpret_value(PY_ARRAY);
  if (!is_numeric(left) || !is_numeric(right))
    return unknown;
  if (str_equal(op, STR("/")))
    return interpret_value(PY_FLOAT);
  if (str_equal(op, STR("**")))
    return interpret_value(PY_INT | PY_FLOAT);
  if (py_file_is_only(left, PY_FLOAT) || py_file_is_only(right, PY_FLOAT))
    return interpret_value(PY_FLOAT);  // Whatever the other is.
  uint32_t kinds = (left.kinds | right.kinds) & (PY_INT | PY_FLOAT);
  return interpret_value(kinds != 0 ? kinds : PY_INT);
}

static Meaning of_unary(const Interpreter *in, PyRef node)
{
  PyRef sign = py_child(in->tree, node, PY_F_OPERATOR);
  Meaning inner = interpret_child(in, node, PY_F_ARGUMENT);
  Meaning meaning =
      meaning_of(is_numeric(inner.value) || py_file_is_only(inner.value, PY_TENSOR) ? inner.value : unknown);
  if ((inner.hints & HAS_NUMBER) && sign && str_equal(py_text(in->tree, sign), STR("-"))) {
    meaning.hints = HAS_NUMBER;
    meaning.number = -inner.number;
  }
  return meaning;
}

/// `os.environ`, whose elements are text.
static bool is_environment(const Interpreter *in, PyRef node)
{
  if (!node || !str_ends_with(py_text(in->tree, node), STR("environ")))
    return false;
  Arena arena = { 0 };
  bool is_so = str_equal(py_model_qualified(in->model, node, &arena), STR("os.environ"));
  arena_done(&arena);
  return is_so;
}

/// `image[None]`, `image[:, :2]`: of an array that is one, whatever its rank.
static bool takes_slice(const PyTree *tree, PyRef subscript)
{
  for (PY_EACH_CHILD(tree, child, subscript)) {
    PyNodeKind kind = py_kind(tree, child);
    if (tree->nodes[child].field == PY_F_SUBSCRIPT && (kind == PYK_SLICE || kind == PYK_NONE))
      return true;
  }
  return false;
}

static PyValue of_subscript(const Interpreter *in, PyRef node)
{
  PyRef index = py_child(in->tree, node, PY_F_SUBSCRIPT);
  PyValue value = child_value(in, node, PY_F_VALUE);
  value.kinds &= ~(uint32_t)PY_NONE;  // That raises.
  if (py_file_is_only(value, PY_TENSOR) || (py_file_is_only(value, PY_ARRAY) && takes_slice(in->tree, node)))
    return value;
  if (is_environment(in, py_child(in->tree, node, PY_F_VALUE)))
    return interpret_value(PY_STRING);
  if (!index || !py_file_is_only(value, PY_LIST))
    return unknown;
  return py_kind(in->tree, index) == PYK_SLICE ? interpret_list(value.elements, -1) : interpret_element(value);
}

/// What the file writes out for an element of a table or a member of a class.
static Meaning of_written(const Interpreter *in, PyRef node)
{
  PyRef known = py_model_resolve(in->model, node);
  Meaning meaning = known != node ? meaning_of(interpret_known(in, known)) : meaning_unknown;
  if (known != node)
    meaning.hints = interpret_hints(py_text(in->tree, known)) & ASKS_VERSION;
  if (known != node && py_model_int(in->model, known, &meaning.number))
    meaning.hints |= HAS_NUMBER;
  return known == node && py_kind(in->tree, node) == PYK_ATTRIBUTE ? of_foreign_flag(in, node) : meaning;
}

static Meaning of_element(const Interpreter *in, PyRef node)
{
  Meaning meaning = of_written(in, node);
  return meaning.value.kinds ? meaning : meaning_of(of_subscript(in, node));
}

/// `Kind.FLOAT`, where Kind is an enumeration of the file.
static bool is_enum_member(const Interpreter *in, PyRef object)
{
  PyRef class_node = object ? py_model_class_named(in->model, object) : 0;
  const PyClass *class = py_model_class_at(in->model, class_node);
  return class && class->is_enum;
}

static PyValue of_tensor_member(Str name)
{
  return str_equal(name, STR("shape"))                               ? interpret_list(PY_INT, -1)
         : str_equal(name, STR("dtype"))                             ? interpret_value(PY_DTYPE)
         : str_equal(name, STR("ndim"))                              ? interpret_value(PY_INT)
         : str_equal(name, STR("data")) || str_equal(name, STR("T")) ? interpret_value(PY_TENSOR)
                                                                     : unknown;
}

static Meaning of_opset(const Interpreter *in, PyRef object)
{
  bool is_of_graph = object && py_file_is_only(interpret_meaning(in, object).value, PY_GRAPH);
  Meaning meaning = meaning_of(is_of_graph ? interpret_value(PY_INT) : unknown);
  meaning.hints = IS_OPSET;
  return meaning;
}

bool py_file_is_value_method(Str name)
{
  static const char *const names[] = {
    "copyMetadata",       "debugName", "inferTypeFrom", "isCompleteTensor", "node", "offset",
    "requiresGrad",       "setType",   "setTypeAs",     "toIValue",         "type", "replaceAllUsesAfterNodeWith",
    "replaceAllUsesWith", "unique",    "requires_grad", "setDebugName",     "uses",
  };
  return str_is_one_of(name, names, COUNT(names)) || str_starts_with(name, STR("_"));
}

/// A chain `a.b.c` is asked about once, at its end.
static Meaning of_attribute(const Interpreter *in, PyRef node)
{
  static const char *const opsets[] = { "opset", "export_onnx_opset_version", "_export_onnx_opset_version" };
  const PyNode *at = &in->tree->nodes[node];
  PyRef name = py_tree_member(in->tree, node);
  bool is_called = at->field == PY_F_FUNCTION;
  Meaning meaning = meaning_unknown;
  if (name && str_is_one_of(py_text(in->tree, name), opsets, COUNT(opsets)))
    meaning = of_opset(in, py_tree_object(in->tree, node));
  else if (name && !is_called && py_file_is_only(child_value(in, node, PY_F_OBJECT), PY_VALUE) &&
           py_file_is_value_method(py_text(in->tree, name)) && !str_starts_with(py_text(in->tree, name), STR("_")))
    meaning.value = interpret_value(PY_FUNCTION);
  else if (name && !is_called && py_file_is_only(child_value(in, node, PY_F_OBJECT), PY_GRAPH) &&
           str_equal(py_text(in->tree, name), STR("op")))
    meaning.value = interpret_value(PY_FUNCTION);
  else if (name && !is_called && py_file_is_only(child_value(in, node, PY_F_OBJECT), PY_TENSOR))
    meaning.value = of_tensor_member(py_text(in->tree, name));
  else if (is_enum_member(in, py_tree_object(in->tree, node)))
    meaning.value = interpret_value(PY_OBJECT);
  else if (at->field != PY_F_OBJECT && !is_called)
    meaning.value = interpret_qualified(in->model, node);
  return meaning.value.kinds == 0 && meaning.hints == 0 && !is_called ? of_written(in, node) : meaning;
}

static Meaning of_call(const Interpreter *in, PyRef node)
{
  const PyCall *call = py_model_call(in->model, node);
  if (!call)
    return meaning_unknown;
  uint32_t hints = interpret_names_release(in, call) ? ASKS_VERSION : 0;
  Meaning meaning = meaning_of(interpret_call(in, call, &hints));
  meaning.hints = (uint16_t)hints;
  // No torch package has been built with Caffe2 since 1.13.
  if (str_ends_with(call->qualified, STR("is_caffe2_aten_fallback")))
    meaning.yes = 0;
  return meaning;
}

static Meaning of_lambda(Interpreter *in, PyRef node)
{
  uint32_t function = py_model_function_at(in->model, node);
  if (function != PY_ABSENT)
    in->results[function] = (Result){ .meaning = interpret_child(in, node, PY_F_BODY), .is_done = true };
  return meaning_of(interpret_value(PY_FUNCTION));
}

static Meaning of_yield(Interpreter *in)
{
  if (in->function != PY_ABSENT)
    in->results[in->function].is_generator = true;
  return meaning_unknown;
}

/// What is written out, whatever is in it.
static Meaning of_display(PyNodeKind kind)
{
  bool is_set = kind == PYK_SET || kind == PYK_SET_COMPREHENSION;
  return meaning_of(interpret_value(is_set ? PY_ITERABLE : kind == PYK_CONCATENATED_STRING ? PY_STRING : PY_DICT));
}

/// `[f(x) for x in xs]` has as many elements as what it goes through, unless it leaves out some.
static Meaning of_comprehension(Interpreter *in, PyRef node)
{
  PyRef body = py_child(in->tree, node, PY_F_BODY);
  PyRef clause = body ? py_next_sibling(in->tree, body) : 0;
  bool is_whole = clause && py_kind(in->tree, clause) == PYK_FOR_IN_CLAUSE && !py_next_sibling(in->tree, clause) &&
                  py_kind(in->tree, node) == PYK_LIST_COMPREHENSION;
  PyRef right = is_whole ? py_child(in->tree, clause, PY_F_RIGHT) : 0;
  PyValue iterable = right ? interpret_known(in, right) : (PyValue){ 0 };
  int length = py_file_is_only(iterable, PY_LIST) ? iterable.length : -1;
  return meaning_of(interpret_list(child_value(in, node, PY_F_BODY).kinds, length));
}

Meaning interpret_inner(Interpreter *in, PyRef node)
{
  switch (py_kind(in->tree, node)) {
  case PYK_PARENTHESIZED_EXPRESSION: {
    PyRef inner = py_first_child(in->tree, node);
    return inner ? interpret_meaning(in, inner) : meaning_unknown;
  }
  case PYK_CONCATENATED_STRING:
  case PYK_DICTIONARY:
  case PYK_DICTIONARY_COMPREHENSION:
  case PYK_SET:
  case PYK_SET_COMPREHENSION:
    return of_display(py_kind(in->tree, node));
  case PYK_LIST:
  case PYK_TUPLE:
  case PYK_EXPRESSION_LIST:
    return meaning_of(of_sequence(in, node));
  case PYK_YIELD:
    return of_yield(in);
  case PYK_LIST_COMPREHENSION:
  case PYK_GENERATOR_EXPRESSION:
    return of_comprehension(in, node);
  case PYK_UNARY_OPERATOR:
    return of_unary(in, node);
  case PYK_BINARY_OPERATOR:
    return meaning_of(interpret_binary(in, node));
  case PYK_BOOLEAN_OPERATOR:
    return of_boolean(in, node);
  case PYK_NOT_OPERATOR:
    return of_not(in, node);
  case PYK_COMPARISON_OPERATOR:
    return interpret_comparison(in, node);
  case PYK_CONDITIONAL_EXPRESSION:
    return of_choice(in, node);
  case PYK_NAMED_EXPRESSION:
    return interpret_child(in, node, PY_F_VALUE);
  case PYK_ASSIGNMENT:
    return interpret_child(in, node, PY_F_RIGHT);
  case PYK_CALL:
    return of_call(in, node);
  case PYK_SUBSCRIPT:
    return of_element(in, node);
  case PYK_ATTRIBUTE:
    return of_attribute(in, node);
  case PYK_LAMBDA:
    return of_lambda(in, node);
  default:
    return interpret_meaning(in, node);
  }
}
