// Loops and comprehensions over tables that are written out, one row after the other.

#include "base/limits.h"
#include "python/model/python_rows_private.h"

/// What the row gives that name; 0.
static PyRef value_in_row(const PyModel *model, const PyRow *row, PyRef name)
{
  for (size_t i = 0; name && py_kind(&model->tree, name) == PYK_IDENTIFIER && i < row->count; i++) {
    if (str_equal(row->names[i], py_text(&model->tree, name)))
      return row->values[i];
  }
  return 0;
}

/// `TABLE[name]` and `row["name"]`, of which the row gives the name or the table: what is there, else the node itself.
static PyRef element_of_row(const PyModel *model, const PyRow *row, PyRef node)
{
  PyRef table = py_child(&model->tree, node, PY_F_VALUE);
  PyRef index = py_child(&model->tree, node, PY_F_SUBSCRIPT);
  PyRef in_row = value_in_row(model, row, table);
  PyRef key = value_in_row(model, row, index);
  if (!index || (!in_row && !key))
    return node;
  table = py_model_resolve(model, in_row ? in_row : table);
  key = py_model_resolve(model, key ? key : index);
  PyRef element = py_model_element(model, table, key);
  return element ? py_tree_strip(&model->tree, element) : node;
}

/// `row.name`, of which the row gives the object.
static PyRef member_of_row(const PyModel *model, const PyRow *row, PyRef node)
{
  PyRef object = value_in_row(model, row, py_tree_object(&model->tree, node));
  PyRef member = py_tree_member(&model->tree, node);
  PyRef value = object && member ? python_member_of(model, object, py_text(&model->tree, member)) : 0;
  return value ? py_tree_strip(&model->tree, value) : node;
}

PyRef python_row_value(const PyModel *model, const PyRow *row, PyRef node)
{
  if (!node)
    return 0;
  node = py_tree_strip(&model->tree, node);
  PyNodeKind kind = py_kind(&model->tree, node);
  for (size_t i = 0; (kind == PYK_IDENTIFIER || kind == PYK_ATTRIBUTE) && i < row->count; i++) {
    if (str_equal(row->names[i], py_text(&model->tree, node)))
      return row->values[i] ? py_tree_strip(&model->tree, row->values[i]) : node;
  }
  if (row->count == 0)
    return node;
  return kind == PYK_SUBSCRIPT   ? element_of_row(model, row, node)
         : kind == PYK_ATTRIBUTE ? member_of_row(model, row, node)
                                 : node;
}

Str python_row_text(const PyModel *model, const PyRow *row, PyRef node)
{
  for (size_t i = 0; node && py_kind(&model->tree, node) == PYK_IDENTIFIER && i < row->count; i++) {
    if (str_equal(row->names[i], py_text(&model->tree, node)))
      return row->texts[i];
  }
  return (Str){ 0 };
}

Str python_row_number(const PyModel *model, const PyRow *row, PyRef node)
{
  for (size_t i = 0; node && py_kind(&model->tree, node) == PYK_IDENTIFIER && i < row->count; i++) {
    if (str_equal(row->names[i], py_text(&model->tree, node)))
      return row->numbers[i];
  }
  return (Str){ 0 };
}

PyRef python_loop_over(const PyModel *model, PyRef node, Str name, PyRef *ret_target)
{
  const PyTree *tree = &model->tree;
  int depth = 0;
  for (PyRef at = node; at != 0 && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyNodeKind kind = py_kind(tree, at);
    bool is_comprehension =
        kind == PYK_LIST_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION || kind == PYK_DICTIONARY_COMPREHENSION;
    for (PyRef clause = kind == PYK_FOR_STATEMENT ? at
                        : is_comprehension        ? py_first_child(tree, at)
                                                  : 0;
         clause; clause = clause == at ? 0 : py_next_sibling(tree, clause)) {
      if (clause != at && py_kind(tree, clause) != PYK_FOR_IN_CLAUSE)
        continue;
      PyRef left = py_child(tree, clause, PY_F_LEFT);
      for (PY_EACH_NODE(tree, part, left)) {
        if (py_kind(tree, part) == PYK_IDENTIFIER && str_equal(py_text(tree, part), name)) {
          *ret_target = left;
          return py_child(tree, clause, PY_F_RIGHT);
        }
      }
    }
  }
  return 0;
}

static bool name_value(const PyTree *tree, PyRef name, PyRef value, PyRow *row)
{
  if (row->count == COUNT(row->names) || py_kind(tree, name) != PYK_IDENTIFIER)
    return false;
  row->names[row->count] = py_text(tree, name);
  row->numbers[row->count] = (Str){ 0 };
  row->texts[row->count] = (Str){ 0 };
  row->is_turn[row->count] = false;
  row->values[row->count++] = value;
  return true;
}

static void name_number(PyModel *model, PyRef name, int64_t number, PyRow *row)
{
  if (!name_value(&model->tree, name, 0, row))
    return;
  row->numbers[row->count - 1] = arena_printf(&model->arena, "%lld", (long long)number);
}

/// `a, b` gets the values of a tuple.
static bool name_values(const PyTree *tree, PyRef target, PyRef element, PyRow *row)
{
  if (py_kind(tree, target) == PYK_IDENTIFIER)
    return name_value(tree, target, element, row);
  element = py_tree_strip(tree, element);
  if (py_kind(tree, element) != PYK_TUPLE && py_kind(tree, element) != PYK_LIST)
    return false;
  PyRef value = py_tree_first_element(tree, element);
  for (PY_EACH_CHILD(tree, name, target)) {
    if (!value || !name_value(tree, name, value, row))
      return false;
    value = py_tree_next_element(tree, value);
  }
  return value == 0;
}

bool python_row_takes(const PyTree *tree, PyRef target, PyRef value, PyRow *row)
{
  return name_values(tree, target, value, row);
}

/// Gives the names of a loop's target the values of one element; false if they don't match. Of a dictionary's items the
/// first of two names gets the key, and what is second the value; one name gets the key.
static bool fill_row(const PyModel *model, PyRef target, PyRef element, PyRow *row)
{
  const PyTree *tree = &model->tree;
  row->node = element;
  row->count = 0;
  if (py_kind(tree, element) != PYK_PAIR)
    return name_values(tree, target, element, row);
  if (py_kind(tree, target) == PYK_IDENTIFIER)
    return name_value(tree, target, py_child(tree, element, PY_F_KEY), row);
  PyRef first = py_first_child(tree, target);
  PyRef second = first ? py_next_sibling(tree, first) : 0;
  return second && !py_next_sibling(tree, second) && name_value(tree, first, py_child(tree, element, PY_F_KEY), row) &&
         name_values(tree, second, py_child(tree, element, PY_F_VALUE), row);
}

/// `sorted(xs)`, `list(xs)`: has the elements of its one argument; anything else stands for itself.
static PyRef copied(const PyModel *model, PyRef iterable)
{
  static const char *const copying[] = { "sorted", "list", "tuple", "set", "frozenset", "reversed" };
  iterable = py_model_resolve(model, iterable);
  const PyCall *call = py_model_call(model, iterable);
  if (!call || call->argument_count == 0 || !str_is_one_of(call->qualified, copying, COUNT(copying)))
    return iterable;
  const PyArgument *argument = py_model_argument(model, call, 0, NULL);
  return argument ? py_model_resolve(model, argument->value) : iterable;
}

/// What is written out of what a loop runs over: a list, a tuple, a set, a dictionary; 0 if nothing is.
static PyRef written_rows(const PyModel *model, PyRef iterable)
{
  const PyTree *tree = &model->tree;
  iterable = copied(model, iterable);
  PyNodeKind kind = py_kind(tree, iterable);
  if (kind == PYK_LIST || kind == PYK_TUPLE || kind == PYK_EXPRESSION_LIST || kind == PYK_SET || kind == PYK_DICTIONARY)
    return iterable;
  static const char *const views[] = { "items", "keys" };
  PyRef method = kind == PYK_CALL ? py_child(tree, iterable, PY_F_FUNCTION) : 0;
  if (!method || !str_is_one_of(py_tree_member_name(tree, method), views, COUNT(views)))
    return 0;
  PyRef object = py_model_resolve(model, py_tree_object(tree, method));
  return py_kind(tree, object) == PYK_DICTIONARY ? object : 0;
}

/// A loop that gives a value to a name.
typedef struct FoundLoop {
  Str name;
  PyRef iterable;  ///< 0 if there is none.
  PyRef target;
} FoundLoop;

static bool has_name(const PyRow *row, Str name)
{
  for (size_t i = 0; i < row->count; i++) {
    if (str_equal(row->names[i], name))
      return true;
  }
  return false;
}

static FoundLoop loop_of_name(const PyModel *model, PyRef node, Str name, const PyRow *known)
{
  FoundLoop found = { .name = name };
  if (!has_name(known, name))
    found.iterable = python_loop_over(model, node, name, &found.target);
  return found;
}

/// The loop that gives a value to a name in the braces of an f-string, whose insides have no nodes.
static FoundLoop loop_of_format(const PyModel *model, PyRef node, PyRef string, const PyRow *known)
{
  static const char own[] = ".__name__";
  Str text = py_text(&model->tree, string);
  FoundLoop found = { 0 };
  for (size_t open = str_find_char(text, '{', 0); open != STR_NOT_FOUND && !found.iterable;
       open = str_find_char(text, '{', open + 1)) {
    size_t close = str_find_char(text, '}', open);
    if (close == STR_NOT_FOUND)
      return found;
    Str name = str_trim(str_slice(text, open + 1, close));
    name = str_ends_with(name, str_from(own)) ? str_slice(name, 0, name.len - strlen(own)) : name;
    found = loop_of_name(model, node, name, known);
  }
  return found;
}

/// The loop that gives a value to a name in an expression, but not one around names that the row has.
static FoundLoop loop_of_expression(const PyModel *model, PyRef node, PyRef used, const PyRow *known)
{
  const PyTree *tree = &model->tree;
  FoundLoop found = { 0 };
  int seen = 0;
  for (PyRef at = used; at && at < tree->nodes[used].next && seen < PY_STRING_PART_LIMIT && !found.iterable;
       at++, seen++) {
    if (py_kind(tree, at) == PYK_IDENTIFIER)
      found = loop_of_name(model, node, py_text(tree, at), known);
    else if (py_kind(tree, at) == PYK_STRING)
      found = loop_of_format(model, node, at, known);
  }
  return found;
}

// --- Rows of a loop ---

bool python_rows_take(Rows *rows)
{
  bool is_taken = rows->left > 0 && rows->model->call_rows < PY_CALL_ROW_LIMIT;
  rows->left -= is_taken;
  rows->model->call_rows += is_taken;
  return is_taken;
}

/// `counter` is the name that gets the number of the element; 0 for none.
static void each_element(Rows *rows, PyRef target, PyRef counter, PyRef iterable)
{
  PyRow row = { 0 };
  const PyTree *tree = &rows->model->tree;
  int64_t number = 0;
  for (PyRef element = py_tree_first_element(tree, iterable); element && rows->left > 0;
       element = py_tree_next_element(tree, element), rows->left--, number++) {
    if (!fill_row(rows->model, target, element, &row))
      continue;
    if (counter)
      name_number(rows->model, counter, number, &row);
    rows->make(rows->model, &row, rows->context);
  }
}

/// `for i in range(3)`; false if the numbers are not written out, or are many.
static bool each_number(Rows *rows, PyRef target, PyRef iterable)
{
  PyModel *model = rows->model;
  const PyCall *call = py_model_call(model, py_model_resolve(model, iterable));
  int64_t bounds[2] = { 0, 0 };
  if (!call || !str_equal(call->qualified, STR("range")) || call->argument_count == 0 || call->argument_count > 2 ||
      py_kind(&model->tree, target) != PYK_IDENTIFIER)
    return false;
  for (uint32_t i = 0; i < call->argument_count; i++) {
    if (!py_model_int(model, py_model_arguments(model, call)[i].value, &bounds[i]))
      return false;
  }
  int64_t first = call->argument_count == 1 ? 0 : bounds[0];
  int64_t end = call->argument_count == 1 ? bounds[0] : bounds[1];
  if (first < -PY_ROW_LIMIT || end > PY_ROW_LIMIT || end - first > OPSET_LIMIT)
    return false;
  for (int64_t number = first; number < end && python_rows_take(rows); number++) {
    PyRow row = { .node = call->node };
    name_number(model, target, number, &row);
    rows->make(model, &row, rows->context);
  }
  return true;
}

/// `enumerate(xs)`: the second name of the target gets the elements, the first one, the counter, their numbers.
static PyRef enumerated(const PyModel *model, PyRef iterable, PyRef *target, PyRef *ret_counter)
{
  const PyCall *call = py_model_call(model, py_model_resolve(model, iterable));
  PyRef first = py_first_child(&model->tree, *target);
  if (!call || !str_equal(call->qualified, STR("enumerate")) || py_kind(&model->tree, *target) == PYK_IDENTIFIER ||
      !first || !py_next_sibling(&model->tree, first))
    return iterable;
  const PyArgument *argument = py_model_argument(model, call, 0, "iterable");
  *ret_counter = call->argument_count == 1 ? first : 0;
  *target = py_next_sibling(&model->tree, first);
  return argument ? argument->value : iterable;
}

static const PyCall *call_of(const PyModel *model, PyRef node)
{
  return py_model_call(model, py_model_resolve(model, node));
}

/// The zip() that a loop goes through: `zip(xs, ys)`, `dict(zip(xs, ys)).items()`; NULL.
static const PyCall *zip_of(const PyModel *model, PyRef iterable)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = call_of(model, iterable);
  PyRef method = call ? py_tree_member(tree, call->function_node) : 0;
  bool is_items = method && call->argument_count == 0 && str_equal(py_text(tree, method), STR("items"));
  if (is_items) {
    call = call_of(model, py_tree_object(tree, call->function_node));
    bool is_dict = call && str_equal(call->qualified, STR("dict")) && call->argument_count == 1;
    const PyArgument *pairs = is_dict ? py_model_argument(model, call, 0, NULL) : NULL;
    call = pairs ? call_of(model, pairs->value) : NULL;
  }
  bool is_zip = call && str_equal(call->qualified, STR("zip")) && !call->has_splat;
  return is_zip && (!is_items || call->argument_count == 2) ? call : NULL;
}

/// `for a, b in zip(xs, ys)`; false if it is another call, or one of them is not written out.
static bool each_zipped(Rows *rows, PyRef target, PyRef iterable)
{
  const PyModel *model = rows->model;
  const PyTree *tree = &model->tree;
  const PyCall *call = zip_of(model, iterable);
  PyRef elements[COUNT(((PyRow *)0)->names)];
  uint32_t count = call ? call->argument_count : 0;
  if (count == 0 || count > COUNT(elements) || py_kind(tree, target) == PYK_IDENTIFIER)
    return false;
  for (uint32_t i = 0; i < count; i++) {
    PyRef list = written_rows(model, py_model_arguments(model, call)[i].value);
    if (!list || py_kind(tree, list) == PYK_SET || py_kind(tree, list) == PYK_DICTIONARY)
      return false;
    elements[i] = py_tree_first_element(tree, list);
  }
  bool is_cut = false;  // By `*others`: what comes then is unknown.
  for (bool goes_on = true; goes_on && rows->left > 0; rows->left--) {
    PyRow row = { .node = elements[0] };
    PyRef name = py_first_child(tree, target);
    for (uint32_t i = 0; i < count; i++) {
      is_cut |= goes_on && elements[i] && py_tree_is_splat(tree, elements[i]);
      goes_on = goes_on && !is_cut && elements[i] && name && name_values(tree, name, elements[i], &row);
      elements[i] = goes_on ? py_tree_next_element(tree, elements[i]) : 0;
      name = goes_on ? py_next_sibling(tree, name) : 0;
    }
    if (goes_on || is_cut)
      rows->make(rows->model, is_cut ? &(PyRow){ 0 } : &row, rows->context);
  }
  return true;
}

// --- Loops over comprehensions ---

static void each_row_of_loop(Rows *rows, const FoundLoop *loop, bool is_name);

/// A comprehension that a loop goes through.
typedef struct Comprehended {
  Rows *rows;
  PyRef target;
  PyRef body;  ///< An element, in the names of the comprehension's own loop.
} Comprehended;

static void make_comprehended_row(PyModel *model, const PyRow *inner, void *context)
{
  const Comprehended *made = context;
  PyRow row = { 0 };
  if (inner->count > 0 && !fill_row(model, made->target, made->body, &row))
    return;
  python_row_within(model, inner, &row);
  row.node = inner->node;
  made->rows->make(model, &row, made->rows->context);
}

/// `[("aten::" + n, f) for n in names]`, `{f"aten::{n}": f for n in names}.items()`; false if it is none, or if it
/// leaves out some.
static bool each_comprehended(Rows *rows, PyRef target, PyRef iterable)
{
  const PyTree *tree = &rows->model->tree;
  PyRef node = copied(rows->model, iterable);
  PyRef method = py_tree_callee(tree, node);
  if (method && str_equal(py_tree_member_name(tree, method), STR("items")))
    node = py_model_resolve(rows->model, py_tree_object(tree, method));
  PyNodeKind kind = py_kind(tree, node);
  bool is_one =
      kind == PYK_LIST_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION || kind == PYK_DICTIONARY_COMPREHENSION;
  PyRef body = is_one ? py_child(tree, node, PY_F_BODY) : 0;
  PyRef clause = body ? py_next_sibling(tree, body) : 0;
  if (!clause || py_kind(tree, clause) != PYK_FOR_IN_CLAUSE || py_next_sibling(tree, clause) ||
      rows->depth == PY_ROW_DEPTH)
    return false;
  FoundLoop loop = { .iterable = py_child(tree, clause, PY_F_RIGHT), .target = py_child(tree, clause, PY_F_LEFT) };
  Comprehended made = { rows, target, body };
  Rows inner = *rows;
  inner.make = make_comprehended_row;
  inner.context = &made;
  inner.depth++;
  if (!loop.iterable || !loop.target)
    return false;
  each_row_of_loop(&inner, &loop, true);
  rows->left = inner.left < rows->left ? inner.left : rows->left;
  return true;
}

// --- Loops in loops ---

/// Rows of a loop while another name of the same expression waits for its own.
typedef struct NestedRow {
  Rows *rows;
  PyRef node, used;
  const PyRef *all_used;  ///< Each expression of the row.
  size_t used_count;
  bool is_name;  ///< It is the name that is put together.
  int depth;     ///< So many loops are around this one. All rows of such loops count as rows of calls do.
  FoundLoop loop;
  PyRow row;  ///< What loops have given so far.
} NestedRow;

static void add_names(PyRow *row, const PyRow *more)
{
  for (size_t i = 0; i < more->count && row->count < COUNT(row->names); i++, row->count++) {
    row->names[row->count] = more->names[i];
    row->numbers[row->count] = more->numbers[i];
    row->texts[row->count] = more->texts[i];
    row->values[row->count] = more->values[i];
  }
}

/// A row of the loops in a function, with what a call of that gives its parameters.
static void make_loop_and_call_row(PyModel *model, const PyRow *call, void *context)
{
  const WaitingRow *loop = context;
  PyRow row = loop->row;
  add_names(&row, call);
  loop->rows->make(model, &row, loop->rows->context);
}

/// The loops have given all that they give: now what the function around them is called with.
static void make_loop_row(NestedRow *nested, const PyRow *row)
{
  WaitingRow loop = { .rows = nested->rows, .row = *row };
  Rows rows = *nested->rows;
  rows.make = make_loop_and_call_row;
  rows.context = &loop;
  bool has_calls = python_rows_of_calls(&rows, nested->node, nested->all_used, nested->used_count);
  nested->rows->left = rows.left;
  if (!has_calls)
    nested->rows->make(nested->rows->model, row, nested->rows->context);
}

static void make_nested_row(PyModel *model, const PyRow *inner, void *context)
{
  NestedRow *outer = context;
  if (outer->rows->left <= 0)
    return;
  PyRow row = outer->row;
  row.node = inner->node ? inner->node : row.node;
  add_names(&row, inner);
  NestedRow next = *outer;
  next.row = row;
  next.loop = (FoundLoop){ .iterable = 0 };
  if (has_name(&row, outer->loop.name))  // Otherwise it is not known, and would be looked for again.
    next.loop = loop_of_expression(model, outer->node, outer->used, &row);
  if (!next.loop.iterable) {
    if (outer->depth == 0 || python_rows_take(outer->rows))
      make_loop_row(outer, &row);
    else
      outer->rows->left = 0;
    return;
  }
  next.depth++;
  Rows rows = *outer->rows;
  rows.make = make_nested_row;
  rows.context = &next;
  each_row_of_loop(&rows, &next.loop, next.is_name);
}

// --- All rows ---

/// `for row in rows` of `def install(rows)`: the rows that its calls give; false if it is none, or is not called.
static bool each_passed(Rows *rows, PyRef target, PyRef counter, PyRef iterable)
{
  const PyModel *model = rows->model;
  const PyBinding *binding = py_model_binding_at(model, iterable);
  if (!py_binding_is_only(binding, PY_BIND_PARAM))
    return false;
  const PyFunction *function = &model->functions.items[binding->scope];
  uint32_t call = function->first_call;
  for (; call != PY_ABSENT && rows->left > 0; call = model->calls.items[call].next) {
    const PyArgument *argument =
        py_model_argument_of(model, &model->calls.items[call], binding->index - function->first_param, binding->name);
    PyRef written = argument && !argument->is_splat ? written_rows(model, argument->value) : 0;
    if (written)
      each_element(rows, target, counter, written);
    else if (python_rows_take(rows))
      rows->make(rows->model, &(PyRow){ 0 }, rows->context);
  }
  return function->first_call != PY_ABSENT;
}

/// `is_name`: the loop gives a name that is put together; what only takes all numbers as opsets is one registration.
static void each_row_of_loop(Rows *rows, const FoundLoop *loop, bool is_name)
{
  PyRef target = loop->target;
  PyRef counter = 0;
  if (each_zipped(rows, target, loop->iterable) || each_comprehended(rows, target, loop->iterable) ||
      (is_name && each_number(rows, target, loop->iterable)))
    return;
  if (python_rows_of_members(rows, target, loop->iterable) || python_rows_of_split(rows, target, loop->iterable) ||
      python_rows_of_collection(rows, target, loop->iterable))
    return;
  PyRef iterable = enumerated(rows->model, loop->iterable, &target, &counter);
  PyRef written = written_rows(rows->model, iterable);
  if (written)
    each_element(rows, target, counter, written);
  else if (!each_passed(rows, target, counter, iterable))
    rows->make(rows->model, &(PyRow){ 0 }, rows->context);  // What the loop gives is unknown, the rest is not.
}

void python_rows_of_loops(Rows *rows, PyRef node, const PyRef *used, size_t used_count)
{
  const PyRow none = { 0 };
  NestedRow nested = { .rows = rows, .node = node, .all_used = used, .used_count = used_count };
  for (size_t i = 0; i < used_count && !nested.loop.iterable; i++) {
    nested.is_name = i == 0;
    nested.used = used[i];
    nested.loop = used[i] ? loop_of_expression(rows->model, node, used[i], &none) : nested.loop;
  }
  bool is_full = rows->model->registrations.count >= PY_TABLE_ROW_LIMIT;
  if (!nested.loop.iterable || is_full) {
    if (is_full || !python_rows_of_calls(rows, node, used, used_count))
      rows->make(rows->model, &none, rows->context);
    return;
  }
  Rows inner = *rows;
  inner.make = make_nested_row;
  inner.context = &nested;
  each_row_of_loop(&inner, &nested.loop, nested.is_name);
  rows->left = inner.left < rows->left ? inner.left : rows->left;
}

void python_each_row(PyModel *model, PyRef node, const PyRef *used, size_t used_count, PyRowMaker *make, void *context)
{
  Rows rows = { .model = model, .make = make, .context = context, .left = PY_ROW_LIMIT };
  python_rows_of_loops(&rows, node, used, used_count);
}
