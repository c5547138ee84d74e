// A whole file: its module first, then its functions, each after those that it calls; and the questions about it.

#include <stdlib.h>

#include "base/limits.h"
#include "base/search.h"
#include "python/model/interpret.h"
#include "python/model/python_file_private.h"
#include "python/model/python_model_private.h"

// --- The order of functions ---

typedef struct Turn {
  uint32_t function;
  uint32_t call;  ///< The next of its calls to look at.
} Turn;

typedef struct Order {
  Vec(Turn) turns;
  bool *is_seen;
  uint32_t *outermost;  ///< By function: the one around that is in no other.
  Vec(uint32_t) done;
} Order;

static void add_turn(Order *order, const PyModel *model, uint32_t inner)
{
  uint32_t function = inner == PY_ABSENT ? PY_ABSENT : order->outermost[inner];
  if (function == PY_ABSENT || order->is_seen[function])
    return;
  order->is_seen[function] = true;
  PyRef node = model->functions.items[function].node;
  size_t call;
  SEARCH_FIRST(call, 0, model->calls.count, model->calls.items[call].node < node);
  vec_push(&order->turns, ((Turn){ function, (uint32_t)call }));
}

// --- What functions are called with ---

static uint32_t first_call_of(const PyFunction *function)
{
  return function->class_node ? function->first_method_call : function->first_call;
}

/// Whether a symbolic function calls the method.
static bool is_called_by_symbolic(const PyModel *model, const PyFunction *function)
{
  const uint32_t symbolic = PY_ROLE_REGISTERED | PY_ROLE_HELPER;
  int count = 0;
  for (uint32_t at = function->first_method_call; at != PY_ABSENT && count < PY_CALLER_LIMIT;
       at = model->calls.items[at].next, count++) {
    uint32_t scope = model->calls.items[at].scope;
    if (scope != PY_ABSENT && (model->functions.items[scope].roles & symbolic))
      return true;
  }
  return false;
}

/// The bit of a name in Interpreter.other_members.
static uint32_t bit_of_name(Str name)
{
  return (uint32_t)(str_hash(name) % (64 * COUNT(((Interpreter *)0)->other_members)));
}

static bool is_other_member(const Interpreter *in, Str name)
{
  uint32_t bit = bit_of_name(name);
  return in->other_members[bit / 64] >> bit % 64 & 1;
}

/// Notes the names of members that something is done with but calls of methods of the file.
static void note_other_members(Interpreter *in)
{
  const PyModel *model = in->model;
  const PyTree *tree = in->tree;
  in->has_other_members = true;
  for (PyRef node = 1; node < tree->count; node++) {
    PyRef name = py_tree_member(tree, node);
    const PyCall *call =
        name && tree->nodes[node].field == PY_F_FUNCTION ? py_model_call(model, tree->nodes[node].parent) : NULL;
    uint32_t bit = name ? bit_of_name(py_text(tree, name)) : 0;
    if (name && (!call || call->method == PY_ABSENT))
      in->other_members[bit / 64] |= UINT64_C(1) << bit % 64;
  }
}

/// Does the class call the function by itself, or may somebody else? apply() calls forward() and backward(). A method
/// of objects counts only where a symbolic function calls it, and nothing else in the file names it.
static bool is_called_by_class(Interpreter *in, const PyFunction *function)
{
  const PyModel *model = in->model;
  const PyClass *class = py_model_class_at(model, function->class_node);
  if (!class)
    return false;
  if (class->is_autograd || !class->is_plain)
    return true;
  if (function->is_static)
    return false;
  if (function->is_class_method || str_starts_with(function->name, STR("__")) ||
      !is_called_by_symbolic(model, function))
    return true;
  if (!in->has_other_members)
    note_other_members(in);
  return is_other_member(in, function->name);
}

/// What the calls of the file pass for a parameter; unknown if one doesn't tell.
static PyValue passed_value(const Interpreter *in, const PyFunction *function, uint32_t position)
{
  const PyModel *model = in->model;
  const PyParam *param = &py_model_params(model, function)[position];
  PyValue joined = unknown;
  if (param->kind != PY_PARAM_PLAIN)
    return unknown;
  int count = 0;
  for (uint32_t at = first_call_of(function); at != PY_ABSENT; at = model->calls.items[at].next, count++) {
    const PyCall *call = &model->calls.items[at];
    if (call->is_bound && position == 0)
      return unknown;  // The object.
    const PyArgument *argument = py_model_argument_of(model, call, position - call->is_bound, param->name);
    PyRef value = argument ? argument->value : param->default_value;
    if (count == PY_CALLER_LIMIT || call->has_splat || call->has_dictionary_splat || !value)
      return unknown;
    joined = count == 0 ? interpret_known(in, value) : interpret_join(joined, interpret_known(in, value));
  }
  return joined;
}

/// Notes what a function that only its own file calls, as far as that shows, is called with; true if that is known of
/// one of its parameters.
static bool note_passed(Interpreter *in, uint32_t index)
{
  const PyFunction *function = &in->model->functions.items[index];
  const uint32_t others = PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD | PY_ROLE_ONNXSCRIPT | PY_ROLE_TORCHLIB;
  bool any = false;
  if (first_call_of(function) == PY_ABSENT || (function->roles & others) || in->file->shaped_functions[index] ||
      function->has_unknown_decorator || is_called_by_class(in, function) || function->param_count > PY_HEAD_FIX_PARAMS)
    return false;
  for (uint32_t i = 0; i < function->param_count; i++) {
    in->passed[function->first_param + i] = passed_value(in, function, i);
    any |= in->passed[function->first_param + i].kinds != 0;
  }
  return any;
}

/// Goes through a function, which is in no other, and those before `end` in it again.
static void run_again(Interpreter *in, uint32_t index, PyRef end)
{
  const PyModel *model = in->model;
  for (uint32_t i = index; i < model->functions.count && model->functions.items[i].node < end; i++)
    in->results[i] = (Result){ .meaning = meaning_unknown };
  if (py_kind(in->tree, model->functions.items[index].node) == PYK_LAMBDA)
    interpret_expression(in, model->functions.items[index].node);
  else
    interpret_function(in, index);
}

/// So if it is known what it is called with; and then once more if that is known of those in it.
static void run_called(Interpreter *in, uint32_t index)
{
  const PyModel *model = in->model;
  PyRef end = model->tree.nodes[model->functions.items[index].node].next;
  bool any = false;
  if (note_passed(in, index)) {
    if (model->functions.items[index].first_call != PY_ABSENT)
      interpret_note_rows(in, index);
    run_again(in, index, end);
  }
  for (uint32_t i = index + 1; i < model->functions.count && model->functions.items[i].node < end; i++)
    any |= note_passed(in, i);
  if (any)
    run_again(in, index, end);
  in->rows.function = PY_ABSENT;
}

/// Those that a function calls come before it, unless they call each other. Then, in the other order, what they are
/// called with is known.
static void run_functions(Interpreter *in)
{
  const PyModel *model = in->model;
  size_t count = model->functions.count;
  Order order = { .is_seen = xcalloc(count + 1, sizeof(bool)), .outermost = xcalloc(count + 1, sizeof(uint32_t)) };
  for (uint32_t i = 0; i < count; i++) {
    uint32_t parent = model->functions.items[i].parent;
    order.outermost[i] = parent == PY_ABSENT ? i : order.outermost[parent];
  }
  for (size_t i = 0; i < model->foreign.count; i++)
    order.is_seen[model->foreign.items[i].function] = true;
  for (uint32_t i = 0; i < 2 * count; i++) {
    // What objects are made of comes first.
    if (i < count && !str_equal(model->functions.items[i].name, STR("__init__")))
      continue;
    add_turn(&order, model, i % (uint32_t)count);
    while (order.turns.count > 0) {
      Turn *turn = vec_last(&order.turns);
      PyRef end = model->tree.nodes[model->functions.items[turn->function].node].next;
      if (turn->call < model->calls.count && model->calls.items[turn->call].node < end) {
        add_turn(&order, model, model->calls.items[turn->call++].function);
        continue;
      }
      interpret_function(in, turn->function);
      vec_push(&order.done, turn->function);
      order.turns.count--;
    }
  }
  for (size_t i = 0; i < count; i++)
    in->flow->results[i] =
        in->results[i].is_done && !(in->results[i].hints & IS_FOREIGN) ? in->results[i].meaning.value : unknown;
  for (size_t i = order.done.count; i-- > 0 && !model->is_builtin;)
    run_called(in, order.done.items[i]);
  vec_free(&order.done);
  vec_free(&order.turns);
  free(order.is_seen);
  free(order.outermost);
}

// --- The whole ---

static void prepare(Interpreter *in)
{
  const PyModel *model = in->model;
  size_t count = model->bindings.count;
  in->bound = xmalloc((count + 1) * sizeof(*in->bound));
  in->slots = xcalloc(count + 1, sizeof(*in->slots));
  in->results = xcalloc(model->functions.count + 1, sizeof(*in->results));
  in->passed = xcalloc(model->params.count + 1, sizeof(*in->passed));
  sparse_start(&in->bound_nodes, model->node_count);
  for (uint32_t i = 0; i < count; i++)
    sparse_set(&in->bound_nodes, model->bindings.items[i].node);
  sparse_count(&in->bound_nodes);
  for (uint32_t i = 0; i < count; i++) {
    in->bound[sparse_upto(&in->bound_nodes, model->bindings.items[i].node) - 1] = i;
    in->slots[i].meaning = meaning_unknown;
    const PyBinding *binding = &model->bindings.items[i];
    if (binding->kind == PY_BIND_OTHER && binding->scope != py_model_scope_of(model, binding->node))
      in->slots[py_model_lookup(model, binding->scope, binding->name)].is_global = true;
  }
  for (size_t i = 0; i < model->functions.count; i++)
    in->results[i].meaning = meaning_unknown;
  interpret_move_to(in, (Passage){ .opsets = OPSET_SET_ALL });
}

/// Files that are imported come first, each after those that it imports.
static void interpret_foreign(Interpreter *in)
{
  const PyModel *model = in->model;
  for (size_t i = model->foreign.count; i-- > 0;) {
    PyRef node = model->foreign.items[i].node;
    interpret_statements(in, node + 2, model->tree.nodes[node].next);
  }
}

static int compare_made(const void *a, const void *b)
{
  PyRef first = ((const Made *)a)->name;
  PyRef second = ((const Made *)b)->name;
  return (first > second) - (first < second);
}

void python_interpret(PyFile *file)
{
  const PyModel *model = file->model;
  struct PyFlow *flow = xcalloc(1, sizeof(*flow));
  flow->reached = xcalloc(python_node_room(model), sizeof(*flow->reached));
  flow->value_at = xcalloc(python_node_room(model), sizeof(*flow->value_at));
  flow->endings = xcalloc(model->functions.count + 1, sizeof(*flow->endings));
  flow->results = xcalloc(model->functions.count + 1, sizeof(*flow->results));
  vec_push(&flow->passages, ((Passage){ .opsets = OPSET_SET_ALL }));
  vec_push(&flow->passages, ((Passage){ .opsets = OPSET_SET_ALL, .is_unsure = true, .asks_version = true }));
  vec_push(&flow->values, unknown);
  file->flow = flow;
  static const char *const defaults[] = { "set_default_dtype", "set_default_tensor_type" };
  Interpreter in = { .file = file,
                     .model = model,
                     .has_other_float = py_model_mentions_one_of(model, defaults, COUNT(defaults)),
                     .tree = &model->tree,
                     .flow = flow,
                     .function = PY_ABSENT,
                     .branch = 1,
                     .stamps = 1,
                     .rows.function = PY_ABSENT };
  prepare(&in);
  interpret_foreign(&in);
  interpret_statements(&in, 1, model->tree.count);
  run_functions(&in);
  vec_sort(&flow->made, compare_made);
  sparse_done(&in.bound_nodes);
  free(in.bound);
  free(in.slots);
  free(in.results);
  free(in.passed);
  vec_free(&in.frames);
  vec_free(&in.undo);
  vec_free(&in.joined);
  vec_free(&in.changed);
  vec_free(&in.ruled_out);
  vec_free(&in.meanings);
}

void python_flow_free(struct PyFlow *flow)
{
  if (!flow)
    return;
  free(flow->reached);
  free(flow->value_at);
  vec_free(&flow->values);
  vec_free(&flow->made);
  free(flow->endings);
  free(flow->results);
  vec_free(&flow->passages);
  free(flow);
}

// --- Questions ---

static const Passage *passage_at(const PyFile *file, PyRef node)
{
  return &file->flow->passages.items[file->flow->reached[node]];
}

OpsetSet py_file_opset_guard(const PyFile *file, PyRef node, bool *ret_unsure)
{
  const Passage *passage = passage_at(file, node);
  *ret_unsure |= passage->is_unsure;
  return passage->opsets;
}

PyEnding py_file_ending(const PyFile *file, uint32_t function)
{
  return file->flow->endings[function];
}

PyValue py_file_result(const PyFile *file, uint32_t function)
{
  return file->flow->results[function];
}

PyValue py_file_value(const PyFile *file, PyRef node)
{
  return file->flow->values.items[file->flow->value_at[node]];
}

PyRef py_file_made(const PyFile *file, PyRef node)
{
  const struct PyFlow *flow = file->flow;
  PyRef name = py_tree_strip(&file->model->tree, node);
  const Made *found = flow->made.count == 0 ? NULL
                                            : bsearch(&(Made){ .name = name }, flow->made.items, flow->made.count,
                                                      sizeof(*flow->made.items), compare_made);
  // What is gone through twice is noted twice.
  for (const Made *at = found; at && at > flow->made.items && at[-1].name == name; at--)
    found = at[-1].value == found->value ? found : NULL;
  for (const Made *at = found; at && at + 1 < flow->made.items + flow->made.count && at[1].name == name; at++)
    found = found && at[1].value == found->value ? found : NULL;
  return py_model_resolve(file->model, found ? found->value : node);
}

bool py_file_is_too_varied(const PyFile *file)
{
  return file->flow->is_full;
}

/// The innermost function around that has a name; PY_ABSENT.
static uint32_t function_around(const PyModel *model, PyRef node)
{
  uint32_t function = py_model_scope_of(model, node);
  while (function != PY_ABSENT && !model->functions.items[function].name_node)
    function = model->functions.items[function].parent;
  return function;
}

bool py_file_asks_version(const PyFile *file, PyRef node)
{
  const PyModel *model = file->model;
  if (passage_at(file, node)->asks_version)
    return true;
  uint32_t function = function_around(model, node);
  uint32_t call = function == PY_ABSENT ? PY_ABSENT : model->functions.items[function].first_call;
  bool is_called = call != PY_ABSENT;
  for (int count = 0; call != PY_ABSENT; call = model->calls.items[call].next) {
    if (count++ == PY_CALLER_LIMIT || !passage_at(file, model->calls.items[call].node)->asks_version)
      return false;
  }
  return is_called;
}
