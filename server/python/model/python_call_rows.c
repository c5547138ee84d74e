// Functions that register what they are called with: a row for each call, each use as a decorator, or their defaults.

#include "base/limits.h"
#include "base/search.h"
#include "python/model/python_rows_private.h"

/// Whether the expression may be a string that is put together: `"aten::" + name`, f"aten::{name}".
static bool may_be_joined(const PyTree *tree, PyRef node)
{
  PyNodeKind kind = py_kind(tree, node);
  Str text = py_text(tree, node);
  bool is_format = kind == PYK_STRING && text.data[0] != '"' && text.data[0] != '\'';
  return is_format || kind == PYK_BINARY_OPERATOR || kind == PYK_CALL || kind == PYK_CONCATENATED_STRING;
}

void python_row_within(PyModel *model, const PyRow *inner, PyRow *row)
{
  for (size_t i = 0; i < row->count && inner->count > 0; i++) {
    PyRef value = py_tree_strip(&model->tree, row->values[i]);
    row->numbers[i] = python_row_number(model, inner, value);
    row->texts[i] = python_row_text(model, inner, value);
    if (may_be_joined(&model->tree, value) && !python_row_string(model, inner, value, &model->arena, &row->texts[i]))
      row->texts[i] = (Str){ 0 };
    row->values[i] = row->numbers[i].len > 0 ? 0 : python_row_value(model, inner, value);
  }
}

/// A row of a call, in which a loop around that call gives values to names.
static void make_call_row(PyModel *model, const PyRow *inner, void *context)
{
  WaitingRow *call = context;
  PyRow row = call->row;
  python_row_within(model, inner, &row);
  call->rows->make(model, &row, call->rows->context);
}

static void add_arguments(const PyModel *model, uint32_t function, const PyCall *call, PyRow *row)
{
  const PyFunction *at = &model->functions.items[function];
  for (uint32_t i = call->is_bound; i < at->param_count && row->count < COUNT(row->names); i++) {
    const PyParam *param = &py_model_params(model, at)[i];
    const PyArgument *argument = py_model_argument_of(model, call, i - call->is_bound, param->name);
    PyRef value = argument ? argument->value : param->default_value;
    if (!value || param->kind == PY_PARAM_ARGS || param->kind == PY_PARAM_KWARGS)
      continue;
    row->names[row->count] = param->name;
    row->values[row->count++] = value;
  }
}

void python_rows_around(Rows *rows, WaitingRow *call)
{
  Rows inner = *rows;
  inner.make = make_call_row;
  inner.context = call;
  inner.depth = rows->depth + 1;
  python_rows_of_loops(&inner, call->row.node, call->row.values, call->row.count);
  rows->left = inner.left;
}

static bool is_decorator(const PyTree *tree, PyRef call)
{
  return py_kind(tree, tree->nodes[call].parent) == PYK_DECORATOR;
}

static void each_call(Rows *rows, uint32_t function, uint32_t first)
{
  const PyModel *model = rows->model;
  for (uint32_t at = first; at != PY_ABSENT && python_rows_take(rows); at = model->calls.items[at].next) {
    const PyCall *call = &model->calls.items[at];
    WaitingRow row = { .rows = rows, .row = { .node = call->node } };
    if (call->has_splat || call->has_dictionary_splat || is_decorator(&model->tree, call->node))
      continue;
    add_arguments(model, function, call, &row.row);
    python_rows_around(rows, &row);  // The loops around the call give rows of their own.
  }
}

/// What the object that a call makes keeps of its arguments: `self.name = name` in __init__().
static void add_kept(PyModel *model, PyRef class_node, const PyCall *call, PyRow *row)
{
  uint32_t init = py_model_method(model, class_node, STR("__init__"));
  size_t at;
  SEARCH_FIRST(at, 0, model->members.count, model->members.items[at].class_node < class_node);
  for (; init != PY_ABSENT && at < model->members.count && model->members.items[at].class_node == class_node; at++) {
    const PyMember *member = &model->members.items[at];
    const PyBinding *param = py_model_binding_at(model, member->value);
    if (!param || param->kind != PY_BIND_PARAM || param->scope != init || row->count == COUNT(row->names))
      continue;
    uint32_t position = param->index - model->functions.items[init].first_param;
    const PyArgument *argument = position > 0 ? py_model_argument_of(model, call, position - 1, param->name) : NULL;
    PyRef value = argument ? argument->value : model->params.items[param->index].default_value;
    if (!value)
      continue;
    row->names[row->count] = arena_printf(&model->arena, "self.%.*s", STR_ARG(member->name));
    row->values[row->count++] = value;
  }
}

/// `@decorator` (`maker` is PY_ABSENT), or `@maker(...)` that gives back `decorator`; `@Class(...)` of `__call__`.
static void each_decoration(Rows *rows, uint32_t decorator, uint32_t maker)
{
  const PyModel *model = rows->model;
  const PyFunction *at = &model->functions.items[decorator];
  bool is_object = maker == PY_ABSENT && at->class_node && str_equal(at->name, STR("__call__"));
  uint32_t first = model->functions.items[maker == PY_ABSENT ? decorator : maker].first_decoration;
  for (uint32_t i = first; i != PY_ABSENT && at->param_count > is_object && python_rows_take(rows);
       i = model->decorations.items[i].next) {
    const PyDecoration *decoration = &model->decorations.items[i];
    if ((decoration->call == PY_ABSENT) != (maker == PY_ABSENT && !is_object))
      continue;
    PyRow row = { .node = decoration->name_node, .count = 1 };
    row.names[0] = py_model_params(model, at)[is_object].name;
    row.values[0] = decoration->name_node;
    if (is_object)
      add_kept(rows->model, at->class_node, &model->calls.items[decoration->call], &row);
    if (maker != PY_ABSENT) {
      row.node = model->calls.items[decoration->call].node;
      add_arguments(model, maker, &model->calls.items[decoration->call], &row);
    }
    rows->make(rows->model, &row, rows->context);
  }
}

/// What a function that only others call gives its parameters if they give nothing.
static void each_default(Rows *rows, uint32_t function)
{
  const PyFunction *at = &rows->model->functions.items[function];
  PyRow row = { 0 };  // Of no place of its own: what is told of it is told where it is used.
  for (uint32_t i = 0; i < at->param_count && row.count < COUNT(row.names); i++) {
    const PyParam *param = &py_model_params(rows->model, at)[i];
    if (!param->default_value)
      return;
    row.names[row.count] = param->name;
    row.values[row.count++] = param->default_value;
  }
  rows->left--;
  rows->make(rows->model, &row, rows->context);
}

/// Whether one of the expressions names a parameter of the function.
static bool uses_parameter(const PyModel *model, uint32_t function, const PyRef *used, size_t used_count)
{
  const PyTree *tree = &model->tree;
  for (size_t i = 0; function != PY_ABSENT && i < used_count; i++) {
    int seen = 0;
    for (PyRef at = used[i]; at && at < tree->nodes[used[i]].next && seen < PY_STRING_PART_LIMIT; at++, seen++) {
      const PyBinding *binding = py_model_binding_at(model, at);
      if (binding && binding->kind == PY_BIND_PARAM && binding->scope == function)
        return true;
    }
  }
  return false;
}

/// True if there was such a row.
bool python_rows_of_calls(Rows *rows, PyRef node, const PyRef *used, size_t used_count)
{
  const PyModel *model = rows->model;
  uint32_t function = py_model_scope_of(model, node);
  uint32_t maker = function == PY_ABSENT ? PY_ABSENT : model->functions.items[function].parent;
  int before = rows->left;
  if (rows->depth == PY_ROW_DEPTH || function == PY_ABSENT)
    return false;
  bool is_own = uses_parameter(model, function, used, used_count);
  if (is_own) {
    each_call(rows, function, model->functions.items[function].first_call);
    each_call(rows, function, model->functions.items[function].first_method_call);
  }
  if (is_own)
    python_rows_of_subclasses(rows, function);
  if (is_own)
    each_decoration(rows, function, PY_ABSENT);
  if (maker != PY_ABSENT && (is_own || uses_parameter(model, maker, used, used_count)))
    each_decoration(rows, function, maker);
  if (is_own && rows->left == before && maker == PY_ABSENT)
    each_default(rows, function);
  return rows->left < before;
}
