#include "python/rules/forward/forward_result.h"

#include "base/limits.h"
#include "base/map.h"
#include "base/search.h"
#include "base/sort.h"
#include "python/rules/forward/forward_conditions.h"

/// What is known of a name of the function.
typedef struct ForwardName {
  Str name;
  ForwardReturn returned;
  PyRef last_return;      ///< That reads it, of those that were looked at so far.
  uint32_t return_count;  ///< How many read it.
} ForwardName;

/// What was found once for all places of a function.
struct ForwardResults {
  uint32_t function;
  PyRef first_return;        ///< From here on what follows may not be run; past the function if there is none.
  const ForwardName *names;  ///< Sorted; those that hold something which may be returned.
  size_t count;
};

// --- What runs ---

/// `if self.training:` without an else, which no export runs.
static bool is_for_training(const PyTree *tree, PyRef node)
{
  PyRef condition = py_kind(tree, node) == PYK_IF_STATEMENT ? py_child(tree, node, PY_F_CONDITION) : 0;
  return condition && str_equal(py_text(tree, condition), STR("self.training")) &&
         !py_child(tree, node, PY_F_ALTERNATIVE);
}

/// The next return statement of the function, and of none in it, from a node on; the node after it if there is none.
static PyRef next_return(const Forward *forward, PyRef function, PyRef from)
{
  const PyTree *tree = &forward->model->tree;
  PyRef end = tree->nodes[function].next;
  PyRef at = from;
  while (at < end && py_kind(tree, at) != PYK_RETURN_STATEMENT) {
    bool is_passed = is_for_training(tree, at) || (at != function && py_runs_elsewhere(py_kind(tree, at))) ||
                     (at != function && forward_flag_runs(forward, tree->nodes[at].parent, at) == 0);
    at = is_passed ? tree->nodes[at].next : at + 1;
  }
  return at;
}

static uint32_t count_returns(const Forward *forward, PyRef function)
{
  const PyTree *tree = &forward->model->tree;
  uint32_t count = 0;
  for (PyRef at = function; (at = next_return(forward, function, at)) < tree->nodes[function].next; at++)
    count++;
  return count;
}

/// Whether the part of an expression or a statement is run whenever the whole is.
static bool is_part_run(const Forward *forward, PyRef whole, PyRef part)
{
  const PyTree *tree = &forward->model->tree;
  int runs = forward_flag_runs(forward, whole, part);
  if (runs >= 0)
    return runs;
  switch (py_kind(tree, whole)) {
  case PYK_IF_STATEMENT:
  case PYK_WHILE_STATEMENT:
    return tree->nodes[part].field == PY_F_CONDITION;
  case PYK_BOOLEAN_OPERATOR:
    return tree->nodes[part].field == PY_F_LEFT;
  case PYK_CONDITIONAL_EXPRESSION:
    return part == py_tree_choice(tree, whole).condition;
  case PYK_ELSE_CLAUSE:
    return forward_flag_runs(forward, tree->nodes[whole].parent, whole) == 1;
  case PYK_ELIF_CLAUSE:
  case PYK_TRY_STATEMENT:
  case PYK_EXCEPT_CLAUSE:
  case PYK_CASE_CLAUSE:
  case PYK_LAMBDA:
  case PYK_FUNCTION_DEFINITION:
  case PYK_CLASS_DEFINITION:
    return false;
  case PYK_LIST_COMPREHENSION:
  case PYK_GENERATOR_EXPRESSION:
    for (PY_EACH_CHILD(tree, clause, py_first_child(tree, whole))) {
      if (py_kind(tree, clause) == PYK_IF_CLAUSE)
        return false;
    }
    return true;
  default:
    return true;
  }
}

/// The same of a place in a function or a statement, whatever returns before it.
static bool is_always_reached(const Forward *forward, PyRef outer, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  for (PyRef at = node; at != 0; at = tree->nodes[at].parent) {
    PyRef whole = tree->nodes[at].parent;
    if (whole == outer)
      return true;
    if (!is_part_run(forward, whole, at))
      return false;
  }
  return false;
}

static bool is_after_return(const PyTree *tree, PyRef first_return, PyRef node)
{
  return first_return < node && tree->nodes[first_return].next <= node;
}

// --- What a result depends on ---

/// Where something computed from an expression goes.
typedef struct Goal {
  PyRef end;      ///< The statement that returns it; 0.
  PyRef targets;  ///< What holds it now: a name, or the left side of an assignment; 0.
} Goal;

/// `y.append(x)` changes y; 0.
static PyRef changed_by(const PyTree *tree, PyRef statement)
{
  PyRef call = py_first_child(tree, statement);
  PyRef function = py_tree_callee(tree, call);
  PyRef object = py_tree_object(tree, function);
  bool is_name = object && py_kind(tree, object) == PYK_IDENTIFIER && !str_equal(py_text(tree, object), STR("self"));
  return is_name ? object : 0;
}

bool forward_asks_about_form(const PyTree *tree, PyRef attribute)
{
  static const char *const names[] = { "shape", "size", "dtype",  "device", "ndim",   "dim",
                                       "numel", "type", "stride", "layout", "is_cuda" };
  return str_is_one_of(py_tree_member_name(tree, attribute), names, COUNT(names));
}

/// Follows an expression to its statement. `(y := x)` holds it, and the expression goes on.
static Goal goal_of(const PyTree *tree, PyRef node)
{
  for (PyRef at = node; at != 0; at = tree->nodes[at].parent) {
    PyRef whole = tree->nodes[at].parent;
    switch (py_kind(tree, whole)) {
    case PYK_RETURN_STATEMENT:
    case PYK_YIELD:
      return (Goal){ .end = whole };
    case PYK_ASSIGNMENT:
    case PYK_AUGMENTED_ASSIGNMENT:
    case PYK_FOR_STATEMENT:
      return (Goal){ .targets = py_child(tree, whole, PY_F_LEFT) };
    case PYK_NAMED_EXPRESSION:
      return (Goal){ .targets = py_child(tree, whole, PY_F_NAME) };
    case PYK_EXPRESSION_STATEMENT:
      return (Goal){ .targets = changed_by(tree, whole) };
    case PYK_ATTRIBUTE:
      if (forward_asks_about_form(tree, whole))
        return (Goal){ 0 };
      break;
    case PYK_BLOCK:
    case PYK_FUNCTION_DEFINITION:
      return (Goal){ 0 };
    default:
      break;
    }
    if (tree->nodes[at].field == PY_F_CONDITION)
      return (Goal){ 0 };
  }
  return (Goal){ 0 };
}

/// The next name that holds what is assigned to `y`, `(y, z)` and `y[0]`, from `*at` on; who reads `self.y` is not
/// looked for. 0 at the end.
static PyRef next_target(const PyTree *tree, PyRef targets, PyRef *at)
{
  PyRef end = targets ? tree->nodes[targets].next : 0;
  while (*at < end) {
    PyRef node = *at;
    PyNodeKind kind = py_kind(tree, node);
    bool is_whole = kind == PYK_ATTRIBUTE || kind == PYK_SUBSCRIPT;
    *at = is_whole ? tree->nodes[node].next : node + 1;
    if (kind == PYK_SUBSCRIPT)
      node = py_child(tree, node, PY_F_VALUE);
    if (kind != PYK_ATTRIBUTE && py_kind(tree, node) == PYK_IDENTIFIER)
      return node;
  }
  return 0;
}

static bool is_read(const PyTree *tree, PyRef identifier)
{
  PyField field = (PyField)tree->nodes[identifier].field;
  PyNodeKind whole = py_kind(tree, tree->nodes[identifier].parent);
  bool is_target = field == PY_F_LEFT && whole != PYK_BINARY_OPERATOR && whole != PYK_BOOLEAN_OPERATOR;
  return !is_target && field != PY_F_ATTRIBUTE && (field != PY_F_NAME || whole != PYK_KEYWORD_ARGUMENT);
}

// --- All names of a function ---

/// What `from` holds goes to `to`, or is returned.
typedef struct Edge {
  ForwardName *from;
  ForwardName *to;  ///< NULL for a result.
  bool is_sure;
} Edge;

typedef struct Collector {
  const Forward *forward;
  const PyTree *tree;
  PyRef function;
  PyRef first_return;
  uint32_t return_count;
  Arena *arena;
  Map *names;
  Vec(Edge) edges;
} Collector;

static ForwardName *name_at(Collector *collector, PyRef identifier)
{
  Str text = py_text(collector->tree, identifier);
  ForwardName *name = map_get(collector->names, text);
  if (!name) {
    name = ARENA_NEW(collector->arena, ForwardName);
    *name = (ForwardName){ .name = text };
    map_put(collector->names, text, name);
  }
  return name;
}

static void collect_edges(Collector *collector, PyRef identifier)
{
  const PyTree *tree = collector->tree;
  Goal goal = goal_of(tree, identifier);
  Edge edge = { .is_sure = is_always_reached(collector->forward, collector->function, identifier) &&
                           !is_after_return(tree, collector->first_return, identifier) };
  PyRef at = goal.targets;
  PyRef target = next_target(tree, goal.targets, &at);
  if (!goal.end && !target)
    return;
  edge.from = name_at(collector, identifier);
  if (goal.end)
    vec_push(&collector->edges, edge);
  if (goal.end && edge.from->last_return != goal.end && is_always_reached(collector->forward, goal.end, identifier)) {
    edge.from->last_return = goal.end;
    edge.from->return_count++;
  }
  // Whichever way the function ends, it gives that.
  if (edge.from->return_count == collector->return_count && collector->return_count > 0)
    edge.from->returned = RETURNED_ALWAYS;
  for (; target; target = next_target(tree, goal.targets, &at)) {
    edge.to = name_at(collector, target);
    vec_push(&collector->edges, edge);
  }
}

/// From the end to the beginning, as values go the other way; loops want it again.
static void spread(Collector *collector)
{
  bool has_changed = true;
  for (int pass = 0; has_changed && pass < FORWARD_PASS_LIMIT; pass++) {
    has_changed = false;
    for (size_t i = collector->edges.count; i-- > 0;) {
      const Edge *edge = &collector->edges.items[i];
      ForwardReturn returned = edge->to ? edge->to->returned : RETURNED_ALWAYS;
      if (returned == RETURNED_ALWAYS && !edge->is_sure)
        returned = RETURNED_MAYBE;
      if (returned > edge->from->returned) {
        edge->from->returned = returned;
        has_changed = true;
      }
    }
  }
}

typedef struct NameList {
  ForwardName *items;
  size_t count;
} NameList;

static void list_name(Str key, void *value, void *context)
{
  NameList *list = context;
  const ForwardName *name = value;
  if (name->returned != RETURNED_NEVER)
    list->items[list->count++] = *name;
}

static int compare_names(const void *a, const void *b)
{
  return str_compare(((const ForwardName *)a)->name, ((const ForwardName *)b)->name);
}

static ForwardResults *collect(const Forward *forward)
{
  const PyTree *tree = &forward->model->tree;
  PyRef function = forward->model->functions.items[forward->function].node;
  Collector collector = {
    .forward = forward, .tree = tree, .function = function, .arena = forward->sink->arena, .names = map_new()
  };
  collector.first_return = next_return(forward, function, function);
  collector.return_count = count_returns(forward, function);
  for (PY_EACH_NODE(tree, at, function)) {
    if (py_kind(tree, at) == PYK_IDENTIFIER && is_read(tree, at))
      collect_edges(&collector, at);
  }
  spread(&collector);
  NameList list = { ARENA_ARRAY(collector.arena, ForwardName, map_count(collector.names)), 0 };
  map_each(collector.names, list_name, &list);
  vec_sort(&list, compare_names);
  ForwardResults *results = ARENA_NEW(collector.arena, ForwardResults);
  *results = (ForwardResults){ forward->function, collector.first_return, list.items, list.count };
  map_free(collector.names);
  vec_free(&collector.edges);
  return results;
}

static const ForwardResults *results_of(Forward *forward)
{
  if (!forward->results || forward->results->function != forward->function)
    forward->results = collect(forward);
  return forward->results;
}

bool forward_is_in_no_branch(const Forward *forward, PyRef node)
{
  return is_always_reached(forward, forward->model->functions.items[forward->function].node, node);
}

bool forward_runs_always(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  return forward_is_in_no_branch(forward, node) && !is_after_return(tree, results_of(forward)->first_return, node);
}

ForwardReturn forward_returned(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  const ForwardResults *results = results_of(forward);
  Goal goal = goal_of(tree, node);
  ForwardReturn found = goal.end ? RETURNED_ALWAYS : RETURNED_NEVER;
  PyRef at = goal.targets;
  for (PyRef target; (target = next_target(tree, goal.targets, &at)) != 0;) {
    Str name = py_text(tree, target);
    size_t index;
    SEARCH_FIRST(index, 0, results->count, str_compare(results->names[index].name, name) < 0);
    bool is_there = index < results->count && str_equal(results->names[index].name, name);
    if (is_there && results->names[index].returned > found)
      found = results->names[index].returned;
  }
  return found == RETURNED_ALWAYS && !forward_runs_always(forward, node) ? RETURNED_MAYBE : found;
}
