// What names get: targets of assignments, loops and comprehensions, and lists that are changed in place.

#include "base/limits.h"
#include "python/model/interpret.h"
#include "python/model/python_model_private.h"

// --- Elements ---

/// The element at a position of a literal; 0 if it may be another one.
static PyRef element_at(const PyTree *tree, PyRef literal, uint32_t position)
{
  literal = py_tree_strip(tree, literal);
  PyNodeKind kind = py_kind(tree, literal);
  if (kind != PYK_TUPLE && kind != PYK_LIST && kind != PYK_EXPRESSION_LIST)
    return 0;
  PyRef item = py_tree_first_element(tree, literal);
  while (item && position > 0 && !py_tree_is_splat(tree, item)) {
    item = py_tree_next_element(tree, item);
    position--;
  }
  return item && !py_tree_is_splat(tree, item) ? item : 0;
}

/// `net.named_parameters()` and `net.state_dict().items()`, which give names and tensors.
static bool gives_weights(const Interpreter *in, const PyCall *call)
{
  static const char *const methods[] = { "named_parameters", "named_buffers" };
  Str method = py_tree_member_name(in->tree, call->function_node);
  const PyCall *object =
      str_equal(method, STR("items")) ? py_model_call(in->model, py_tree_object(in->tree, call->function_node)) : NULL;
  return str_is_one_of(method, methods, COUNT(methods)) ||
         (object && str_equal(py_tree_member_name(in->tree, object->function_node), STR("state_dict")));
}

/// What `enumerate(xs)` and `zip(xs, ys)` give at a position.
static PyValue of_paired(const Interpreter *in, const PyCall *call, uint32_t position)
{
  if (gives_weights(in, call))
    return position == 0 ? interpret_value(PY_STRING) : position == 1 ? interpret_value(PY_TENSOR) : unknown;
  bool is_enumerate = str_equal(call->qualified, STR("enumerate"));
  if (!is_enumerate && !str_equal(call->qualified, STR("zip")))
    return unknown;
  if (is_enumerate && position == 0)
    return interpret_value(PY_INT);
  const PyArgument *argument = py_model_argument(in->model, call, is_enumerate ? 0 : position, NULL);
  return argument ? interpret_element(interpret_known(in, argument->value)) : unknown;
}

/// What the names of a loop get: one name each element, else each one its position of any element.
static PyValue of_looped(const Interpreter *in, PyRef iterable, uint32_t position)
{
  PyRef node = py_tree_strip(in->tree, iterable);
  if (position == PY_ABSENT)
    return interpret_element(interpret_known(in, node));
  const PyCall *call = py_model_call(in->model, node);
  if (call)
    return of_paired(in, call, position);
  PyValue joined = unknown;
  PyRef rows = py_model_resolve(in->model, node);
  uint32_t count = 0;
  for (PyRef row = element_at(in->tree, rows, 0); row; row = py_tree_next_element(in->tree, row), count++) {
    PyRef item = count < PY_ROW_LIMIT ? element_at(in->tree, row, position) : 0;
    if (!item)
      return unknown;
    joined = count == 0 ? interpret_known(in, item) : interpret_join(joined, interpret_known(in, item));
  }
  return joined;
}

// --- Targets ---

/// Whether a name of `a, *b, c` follows a star.
static bool is_after_star(const PyTree *tree, PyRef name)
{
  for (PY_EACH_CHILD(tree, child, tree->nodes[name].parent)) {
    if (child == name)
      return false;
    if (py_kind(tree, child) != PYK_IDENTIFIER && str_starts_with(py_text(tree, child), STR("*")))
      return true;
  }
  return false;
}

/// `a, b = value`
static Meaning of_unpacked(const Interpreter *in, const PyBinding *binding)
{
  Meaning meaning = meaning_unknown;
  PyRef value = py_tree_strip(in->tree, binding->value);
  PyRef item = element_at(in->tree, value, binding->unpack);
  if (is_after_star(in->tree, binding->node))
    return meaning;
  if (item)
    return interpret_meaning(in, item);
  meaning.hints =
      interpret_meaning(in, value).hints & ASKS_VERSION;  // `major, minor = torch.__version__.split(".")[:2]`
  if (!element_at(in->tree, value, 0))
    meaning.value = interpret_element(interpret_known(in, value));
  return meaning;
}

/// The loop whose target a name is, alone or in a pattern: a `for` or a clause of a comprehension; 0.
static PyRef loop_of_target(const PyTree *tree, const PyBinding *binding)
{
  PyRef parent = tree->nodes[binding->node].parent;
  PyRef loop = binding->unpack == PY_ABSENT ? parent : tree->nodes[parent].parent;
  PyNodeKind kind = py_kind(tree, loop);
  return kind == PYK_FOR_STATEMENT || kind == PYK_FOR_IN_CLAUSE ? loop : 0;
}

/// `name = value`
static Meaning of_assigned(const Interpreter *in, PyRef value)
{
  Meaning meaning = interpret_meaning(in, value);
  PyRef made = py_tree_strip(in->tree, value);
  if (py_kind(in->tree, made) != PYK_IDENTIFIER)
    meaning.made = made;
  return meaning;
}

static Meaning of_bound(const Interpreter *in, const PyBinding *binding)
{
  Meaning meaning = meaning_unknown;
  PyRef parent = in->tree->nodes[binding->node].parent;
  if (binding->kind == PY_BIND_ASSIGN && binding->value)
    return of_assigned(in, binding->value);
  if (binding->kind == PY_BIND_FUNCTION)
    meaning.value = interpret_value(PY_FUNCTION);
  else if (binding->kind == PY_BIND_OTHER && py_kind(in->tree, parent) == PYK_AUGMENTED_ASSIGNMENT)
    meaning.value = interpret_binary(in, parent);
  else if (binding->kind == PY_BIND_OTHER && binding->value && loop_of_target(in->tree, binding))
    meaning.value = of_looped(in, binding->value, binding->unpack);
  else if (binding->kind == PY_BIND_OTHER && binding->value && binding->unpack != PY_ABSENT)
    return of_unpacked(in, binding);
  return meaning;
}

void interpret_bind_comprehension(Interpreter *in, PyRef comprehension)
{
  for (PY_EACH_CHILD(in->tree, clause, comprehension)) {
    PyRef left = py_kind(in->tree, clause) == PYK_FOR_IN_CLAUSE ? py_child(in->tree, clause, PY_F_LEFT) : 0;
    for (PY_EACH_NODE(in->tree, at, left)) {
      uint32_t index = interpret_bound(in, at);
      if (index != PY_ABSENT)
        interpret_assign(in, interpret_bound_slot(in, at), of_bound(in, &in->model->bindings.items[index]));
    }
  }
}

static bool is_in_comprehension(const PyTree *tree, const PyBinding *binding)
{
  PyRef loop = binding->kind == PY_BIND_OTHER ? loop_of_target(tree, binding) : 0;
  return loop && py_kind(tree, loop) == PYK_FOR_IN_CLAUSE;
}

// --- Changes in place ---

/// What a change adds to the list, as another list; unknown if that is not known.
static PyValue added_by(const Interpreter *in, PyRef node)
{
  const PyTree *tree = in->tree;
  PyRef parent = tree->nodes[node].parent;
  if (py_kind(tree, node) == PYK_SUBSCRIPT) {
    bool is_assigned = py_kind(tree, parent) == PYK_ASSIGNMENT;
    PyRef index = py_child(tree, node, PY_F_SUBSCRIPT);
    bool is_plain = is_assigned && index && py_kind(tree, index) != PYK_SLICE;
    return is_plain ? interpret_list(interpret_known(in, py_child(tree, parent, PY_F_RIGHT)).kinds, 1) : unknown;
  }
  Str method = py_tree_member_name(tree, node);
  const PyCall *call = py_model_call(in->model, parent);
  bool inserts = str_equal(method, STR("insert"));
  bool adds = inserts || str_equal(method, STR("append"));
  const PyArgument *argument = call ? py_model_argument(in->model, call, inserts ? 1 : 0, NULL) : NULL;
  PyValue value = argument ? interpret_known(in, argument->value) : unknown;
  if (adds)
    return interpret_list(value.kinds, 1);
  return str_equal(method, STR("extend")) ? value : unknown;
}

/// The slot of a list that the node changes in place; PY_ABSENT.
static uint32_t changed_list(const Interpreter *in, PyRef node)
{
  PyRef name = python_changed_name(in->tree, node);
  uint32_t slot = name ? interpret_slot(in, name) : PY_ABSENT;
  return slot != PY_ABSENT && py_file_is_only(in->slots[slot].meaning.value, PY_LIST) ? slot : PY_ABSENT;
}

void interpret_lengthen(Interpreter *in, PyRef node)
{
  uint32_t slot = changed_list(in, node);
  if (slot == PY_ABSENT || in->slots[slot].meaning.value.length <= 0)
    return;
  Meaning meaning = in->slots[slot].meaning;
  meaning.value.length = -1;
  interpret_assign(in, slot, meaning);
}

static void change_list(Interpreter *in, PyRef node)
{
  uint32_t slot = changed_list(in, node);
  if (slot == PY_ABSENT)
    return;
  Meaning meaning = in->slots[slot].meaning;
  PyValue added = added_by(in, node);
  bool is_known = added.elements != 0 && (meaning.value.length == 0 || meaning.value.elements != 0);
  meaning.value = interpret_list(is_known ? meaning.value.elements | added.elements : 0, -1);
  interpret_assign(in, slot, meaning);
}

void interpret_bind(Interpreter *in, PyRef node)
{
  for (PyRef at = node; (in->has_bound || in->has_changed) && at < in->tree->nodes[node].next; at++) {
    uint32_t index = interpret_bound(in, at);
    const PyBinding *binding = index == PY_ABSENT ? NULL : &in->model->bindings.items[index];
    if (in->has_changed)
      change_list(in, at);
    if (binding && binding->kind != PY_BIND_PARAM)
      interpret_assign(in, interpret_bound_slot(in, at),
                       is_in_comprehension(in->tree, binding) ? meaning_unknown : of_bound(in, binding));
  }
}
