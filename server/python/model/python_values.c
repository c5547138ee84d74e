// What kind of value an expression has, as far as the file tells. Everything that is not sure is unknown.
// Names are in python_value_names.c, calls in python_value_calls.c.

#include "base/limits.h"
#include "python/model/python_value.h"

// --- Values ---

PyValue value_join(PyValue a, PyValue b)
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

PyValue value_element(PyValue list)
{
  return py_file_is_only(list, PY_LIST) && list.elements != 0 && (list.elements & PY_LIST) == 0
             ? value_make(list.elements)
             : unknown;
}

PyValue value_of_letter(Str letter)
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

bool value_is_torch_name(Str name, const char *const *names, size_t count)
{
  return str_starts_with(name, STR("torch.")) && str_is_one_of(str_slice(name, 6, name.len), names, count);
}

// --- Literals and operators ---

static PyValue of_sequence(Evaluation *e, PyRef node, int depth)
{
  uint32_t elements = 0;
  int length = 0;
  bool is_sure = true;
  for (PyRef item = py_tree_first_element(e->tree, node); item; item = py_tree_next_element(e->tree, item)) {
    if (++length > PY_ELEMENT_LIMIT)
      return value_list(0, -1);
    if (value_is_splat(e->tree, item))
      return value_list(0, -1);
    PyValue value = value_evaluate(e, item, depth);
    is_sure &= value.kinds != 0;
    elements |= value.kinds;
  }
  return value_list(is_sure ? elements : 0, length);
}

static bool is_numeric(PyValue value)
{
  return py_file_is_only(value, PY_INT | PY_FLOAT | PY_BOOL);
}

static PyValue of_binary(Evaluation *e, PyRef node, int depth)
{
  PyRef sign = py_child(e->tree, node, PY_F_OPERATOR);
  PyValue left = value_evaluate(e, py_child(e->tree, node, PY_F_LEFT), depth);
  PyValue right = value_evaluate(e, py_child(e->tree, node, PY_F_RIGHT), depth);
  Str op = sign ? py_text(e->tree, sign) : (Str){ 0 };
  if (py_file_is_only(left, PY_STRING) && (str_equal(op, STR("%")) || str_equal(op, STR("+"))))
    return value_make(PY_STRING);
  if (py_file_is_only(left, PY_LIST) && str_equal(op, STR("+")) && py_file_is_only(right, PY_LIST)) {
    PyValue joined = value_join(left, right);
    joined.length = left.length >= 0 && right.length >= 0 ? left.length + right.length : -1;
    if (left.length == 0)
      joined.elements = right.elements;
    if (right.length == 0)
      joined.elements = left.elements;
    return joined;
  }
  if (py_file_is_only(left, PY_LIST) && str_equal(op, STR("*")))
    return value_list(left.elements, -1);
  if (!is_numeric(left) || !is_numeric(right))
    return unknown;
  if (str_equal(op, STR("/")))
    return value_make(PY_FLOAT);
  if (str_equal(op, STR("**")))
    return value_make(PY_INT | PY_FLOAT);
  uint32_t kinds = (left.kinds | right.kinds) & (PY_INT | PY_FLOAT);
  return value_make(kinds != 0 ? kinds : PY_INT);
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
  return value_make(PY_BOOL);
}

// --- Expressions ---

static PyValue of_subscript(Evaluation *e, PyRef node, int depth)
{
  PyRef object = py_child(e->tree, node, PY_F_VALUE);
  PyRef index = py_child(e->tree, node, PY_F_SUBSCRIPT);
  if (!object || !index)
    return unknown;
  PyValue value = value_evaluate(e, object, depth);
  if (!py_file_is_only(value, PY_LIST))
    return unknown;
  if (py_kind(e->tree, index) == PYK_SLICE)
    return value_list(value.elements, -1);
  return value_element(value);
}

static PyValue of_conditional(Evaluation *e, PyRef node, int depth)
{
  PyRef yes = py_first_child(e->tree, node);
  PyRef condition = yes ? py_next_sibling(e->tree, yes) : 0;
  PyRef no = condition ? py_next_sibling(e->tree, condition) : 0;
  return no ? value_join(value_evaluate(e, yes, depth), value_evaluate(e, no, depth)) : unknown;
}

static PyValue of_unary(Evaluation *e, PyRef node, int depth)
{
  PyValue value = value_evaluate(e, py_child(e->tree, node, PY_F_ARGUMENT), depth);
  return is_numeric(value) ? value : unknown;
}

PyValue value_evaluate(Evaluation *e, PyRef node, int depth)
{
  if (!node || depth >= PY_EXPRESSION_DEPTH || ++e->steps > PY_VALUE_WORK)
    return unknown;
  depth++;
  node = py_tree_strip(e->tree, node);
  switch (py_kind(e->tree, node)) {
  case PYK_INTEGER:
    return value_make(PY_INT);
  case PYK_FLOAT:
    return value_make(PY_FLOAT);
  case PYK_TRUE:
  case PYK_FALSE:
    return value_make(PY_BOOL);
  case PYK_NONE:
    return value_make(PY_NONE);
  case PYK_STRING:
  case PYK_CONCATENATED_STRING:
    return value_make(PY_STRING);
  case PYK_DICTIONARY:
  case PYK_DICTIONARY_COMPREHENSION:
    return value_make(PY_DICT);
  case PYK_LIST:
  case PYK_TUPLE:
  case PYK_EXPRESSION_LIST:
    return of_sequence(e, node, depth);
  case PYK_LIST_COMPREHENSION: {
    PyValue body = value_evaluate(e, py_child(e->tree, node, PY_F_BODY), depth);
    return value_list(body.kinds, -1);
  }
  case PYK_UNARY_OPERATOR:
    return of_unary(e, node, depth);
  case PYK_BINARY_OPERATOR:
    return of_binary(e, node, depth);
  case PYK_BOOLEAN_OPERATOR:
    return value_join(value_evaluate(e, py_child(e->tree, node, PY_F_LEFT), depth),
                      value_evaluate(e, py_child(e->tree, node, PY_F_RIGHT), depth));
  case PYK_NOT_OPERATOR:
    return value_make(PY_BOOL);
  case PYK_COMPARISON_OPERATOR:
    return of_comparison(e, node, depth);
  case PYK_CONDITIONAL_EXPRESSION:
    return of_conditional(e, node, depth);
  case PYK_NAMED_EXPRESSION:
    return value_evaluate(e, py_child(e->tree, node, PY_F_VALUE), depth);
  case PYK_CALL:
    return value_of_call(e, node, depth);
  case PYK_SUBSCRIPT:
    return of_subscript(e, node, depth);
  case PYK_ATTRIBUTE:
    return value_of_qualified(e, node);
  case PYK_IDENTIFIER:
    return value_of_name(e, node, depth);
  case PYK_LAMBDA:
    return value_make(PY_FUNCTION);
  default:
    return unknown;
  }
}

PyValue py_file_value(const PyFile *file, PyRef node)
{
  Evaluation e = { .file = file, .model = file->model, .tree = &file->model->tree };
  return value_evaluate(&e, node, 0);
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
  default:
    return STR("something else");
  }
}

Str py_file_value_text(PyValue value, Arena *arena)
{
  Str text = { 0 };
  for (uint32_t kind = 1; kind != 0; kind <<= 1) {
    if ((value.kinds & kind) == 0)
      continue;
    text = text.len == 0 ? word_of(kind) : arena_printf(arena, "%.*s or %.*s", STR_ARG(text), STR_ARG(word_of(kind)));
  }
  return text.len > 0 ? text : STR("unknown");
}
