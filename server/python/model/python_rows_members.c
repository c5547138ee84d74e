// What classes hold as rows: `for name, function in vars(Class).items()`, and the classes that __init_subclass__()
// gets; and what texts are split into.

#include "base/ascii.h"
#include "base/limits.h"
#include "base/search.h"
#include "python/model/python_rows_private.h"

/// The class of which `vars(Class).items()`, `Class.__dict__.items()` or `inspect.getmembers(Class)` gives the members;
/// 0.
static PyRef class_gone_through(const PyModel *model, PyRef iterable)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, py_model_resolve(model, iterable));
  const PyArgument *first = call ? py_model_argument(model, call, 0, NULL) : NULL;
  if (call && str_equal(call->qualified, STR("inspect.getmembers")))
    return first ? py_model_class_named(model, py_tree_strip(tree, first->value)) : 0;
  if (!call || !str_equal(py_tree_member_name(tree, call->function_node), STR("items")))
    return 0;
  PyRef object = py_tree_strip(tree, py_tree_object(tree, call->function_node));
  if (str_equal(py_tree_member_name(tree, object), STR("__dict__")))
    return py_model_class_named(model, py_tree_object(tree, object));
  const PyCall *inner = py_model_call(model, object);
  first = inner ? py_model_argument(model, inner, 0, NULL) : NULL;
  bool is_vars = first && str_equal(py_text(tree, inner->function_node), STR("vars"));
  return is_vars ? py_model_class_named(model, py_tree_strip(tree, first->value)) : 0;
}

bool python_rows_of_members(Rows *rows, PyRef target, PyRef iterable)
{
  PyModel *model = rows->model;
  const PyTree *tree = &model->tree;
  PyRef class_node = class_gone_through(model, iterable);
  PyRef name = class_node ? py_first_child(tree, target) : 0;
  PyRef value = name ? py_next_sibling(tree, name) : 0;
  if (!value || py_next_sibling(tree, value))
    return false;
  size_t at;
  SEARCH_FIRST(at, 0, model->members.count, model->members.items[at].class_node < class_node);
  for (; at < model->members.count && model->members.items[at].class_node == class_node; at++) {
    const PyMember *member = &model->members.items[at];
    if (member->function == PY_ABSENT || str_starts_with(member->name, STR("_")) || !python_rows_take(rows))
      continue;
    PyRow row = { .node = model->functions.items[member->function].name_node, .count = 2 };
    row.names[0] = py_text(tree, name);
    row.texts[0] = member->name;
    row.names[1] = py_text(tree, value);
    row.values[1] = row.node;
    rows->make(model, &row, rows->context);
  }
  return true;
}

// --- Texts ---

/// The separator of `split(",")`, NULL data for white space; false if it is not known.
static bool read_separator(PyModel *model, const PyCall *call, Str *ret_separator)
{
  const PyArgument *argument = call->argument_count == 1 ? py_model_argument(model, call, 0, "sep") : NULL;
  *ret_separator = (Str){ 0 };
  return call->argument_count == 0 ||
         (argument && py_model_string(model, argument->value, &model->arena, ret_separator) && ret_separator->len > 0);
}

/// Where the next part of a text begins and ends, which is split at the separator or at white space; false at the end.
static bool next_part(Str text, Str separator, size_t *at, Str *ret_part)
{
  while (separator.len == 0 && *at < text.len && ascii_is_space(text.data[*at]))
    (*at)++;
  if (*at > text.len || (separator.len == 0 && *at == text.len))
    return false;
  size_t end = separator.len > 0 ? str_find(text, separator, *at) : *at;
  while (separator.len == 0 && end < text.len && !ascii_is_space(text.data[end]))
    end++;
  end = end == STR_NOT_FOUND ? text.len : end;
  *ret_part = str_slice(text, *at, end);
  *at = end + (separator.len > 0 ? separator.len : 1);
  return true;
}

bool python_rows_of_split(Rows *rows, PyRef target, PyRef iterable)
{
  PyModel *model = rows->model;
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, py_model_resolve(model, iterable));
  Str text, separator, part;
  if (!call || !str_equal(py_tree_member_name(tree, call->function_node), STR("split")) ||
      py_kind(tree, target) != PYK_IDENTIFIER ||
      !py_model_string(model, py_tree_object(tree, call->function_node), &model->arena, &text) ||
      !read_separator(model, call, &separator))
    return false;
  for (size_t at = 0; next_part(text, separator, &at, &part) && python_rows_take(rows);) {
    PyRow row = { .node = call->node, .count = 1 };
    row.names[0] = py_text(tree, target);
    row.texts[0] = part;
    rows->make(model, &row, rows->context);
  }
  return true;
}

// --- __init_subclass__() ---

/// What `class Elu(Symbolic, name="elu")` gives the parameters.
static void add_keywords(const PyModel *model, const PyFunction *function, PyRef class_node, PyRow *row)
{
  const PyTree *tree = &model->tree;
  PyRef bases = py_child(tree, class_node, PY_F_SUPERCLASSES);
  for (uint32_t i = 1; i < function->param_count && row->count < COUNT(row->names); i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    PyRef value = param->default_value;
    for (PyRef base = bases ? py_first_child(tree, bases) : 0; base; base = py_next_sibling(tree, base)) {
      PyRef keyword = py_kind(tree, base) == PYK_KEYWORD_ARGUMENT ? py_child(tree, base, PY_F_NAME) : 0;
      if (keyword && str_equal(py_text(tree, keyword), param->name))
        value = py_child(tree, base, PY_F_VALUE);
    }
    if (!value)
      continue;
    row->names[row->count] = param->name;
    row->values[row->count++] = value;
  }
}

static bool derives_from(const PyModel *model, const PyClass *class, PyRef base)
{
  for (int i = 0; i < PY_ALIAS_LIMIT && class->base != PY_ABSENT; i++) {
    class = &model->classes.items[class->base];
    if (class->node == base)
      return true;
  }
  return false;
}

void python_rows_of_subclasses(Rows *rows, uint32_t function)
{
  PyModel *model = rows->model;
  const PyFunction *at = &model->functions.items[function];
  if (!at->class_node || at->param_count == 0 || !str_equal(at->name, STR("__init_subclass__")))
    return;
  for (size_t i = 0; i < model->classes.count; i++) {
    const PyClass *class = &model->classes.items[i];
    if (!derives_from(model, class, at->class_node) || !python_rows_take(rows))
      continue;
    PyRow row = { .node = py_child(&model->tree, class->node, PY_F_NAME), .count = 1 };
    row.names[0] = py_model_params(model, at)->name;
    row.values[0] = row.node;
    add_keywords(model, at, class->node, &row);
    rows->make(model, &row, rows->context);
  }
}
