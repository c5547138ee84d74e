// What names, attributes of `self` and calls in forward() stand for.

#include "base/limits.h"
#include "python/rules/forward/forward_tensors.h"
#include "python/rules/forward/forward_tuples.h"

// --- Loops ---

static bool is_pattern(PyNodeKind kind)
{
  return kind == PYK_PATTERN_LIST || kind == PYK_TUPLE_PATTERN || kind == PYK_LIST_PATTERN;
}

static uint32_t position_in(const PyTree *tree, PyRef list, PyRef node)
{
  uint32_t position = 0;
  for (PyRef item = py_first_child(tree, list); item && item != node; item = py_next_sibling(tree, item))
    position++;
  return position;
}

/// One level of `for i, (a, b) in enumerate(zip(x, y))`: what the part at that position goes over; 0.
static PyRef looped_part(const PyModel *model, PyRef over, uint32_t position)
{
  const PyCall *call = py_model_call(model, py_tree_strip(&model->tree, over));
  if (!call || call->has_splat)
    return 0;
  bool is_zip = str_equal(call->qualified, STR("zip"));
  if (!is_zip && (!str_equal(call->qualified, STR("enumerate")) || position != 1))
    return 0;
  const PyArgument *argument = py_model_argument(model, call, is_zip ? position : 0, NULL);
  return argument ? argument->value : 0;
}

PyRef forward_looped_over(const Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  uint32_t positions[PY_CHAIN_LIMIT];
  size_t depth = 0;
  PyRef parent = tree->nodes[node].parent;
  for (; is_pattern(py_kind(tree, parent)) && depth < PY_CHAIN_LIMIT; parent = tree->nodes[node].parent) {
    positions[depth++] = position_in(tree, parent, node);
    node = parent;
  }
  PyNodeKind kind = py_kind(tree, parent);
  if ((kind != PYK_FOR_STATEMENT && kind != PYK_FOR_IN_CLAUSE) || py_child(tree, parent, PY_F_LEFT) != node)
    return 0;
  PyRef over = py_child(tree, parent, PY_F_RIGHT);
  while (over && depth > 0)
    over = looped_part(forward->model, over, positions[--depth]);
  return over;
}

// --- Attributes of the model, and what calls run ---

Str forward_own_name(const Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  const PyFunction *function = &forward->model->functions.items[forward->function];
  PyRef object = py_tree_object(tree, node);
  PyRef name = py_tree_member(tree, node);
  bool is_method = function->class_node && !function->is_static && function->param_count > 0;
  bool is_self = name && is_method && py_kind(tree, object) == PYK_IDENTIFIER &&
                 str_equal(py_text(tree, object), py_model_params(forward->model, function)->name);
  return is_self ? py_text(tree, name) : (Str){ 0 };
}

PyRef forward_own_part(const Forward *forward, PyRef node)
{
  Str name = forward_own_name(forward, node);
  const PyModel *model = forward->model;
  PyRef part = name.len > 0 && forward->parts
                   ? module_parts_value(forward->parts, model->functions.items[forward->function].class_node, name)
                   : 0;
  const PyCall *call = py_model_call(model, part);
  // `self.net = build(64)`
  return call && call->function != PY_ABSENT ? export_resolve(model, part) : part;
}

/// What `torch.nn.ModuleList([Block() for _ in range(3)])` holds: the call that makes the first one; 0.
static PyRef element_of_list(const PyModel *model, PyRef made)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, made);
  if (!call || !str_equal(call->qualified, STR("torch.nn.ModuleList")) || call->argument_count != 1)
    return 0;
  PyRef list = py_tree_strip(tree, py_model_arguments(model, call)->value);
  if (py_kind(tree, list) == PYK_LIST_COMPREHENSION)
    return py_first_child(tree, list);
  return py_kind(tree, list) == PYK_LIST ? py_tree_first_element(tree, list) : 0;
}

/// `block` of `for block in self.blocks`: what makes it; 0.
static PyRef maker_of_looped(const Forward *forward, PyRef name)
{
  PyRef over = forward_only_loop(forward, name);
  return over ? element_of_list(forward->model, forward_own_part(forward, py_tree_strip(&forward->model->tree, over)))
              : 0;
}

/// What `self.layers` is filled with; false for other expressions.
static bool items_of_own(const Forward *forward, PyRef list, ModuleItems *ret_items)
{
  list = py_tree_strip(&forward->model->tree, list);
  Str own = forward_own_name(forward, list);
  PyRef made = own.len > 0 ? forward_own_part(forward, list) : 0;
  if (made)
    module_items(forward->model, made, forward->model->functions.items[forward->function].class_node, own, ret_items);
  return made != 0;
}

/// `attention` of `for attention, feed in self.layers`, where the items are lists of modules themselves.
static bool items_of_parts(const Forward *forward, PyRef name, ModuleItems *ret_items)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef pattern = tree->nodes[name].parent;
  PyRef loop = is_pattern(py_kind(tree, pattern)) ? tree->nodes[pattern].parent : 0;
  PyRef over = loop && py_kind(tree, loop) == PYK_FOR_STATEMENT ? py_child(tree, loop, PY_F_RIGHT) : 0;
  ModuleItems rows;
  if (!over || !items_of_own(forward, over, &rows))
    return false;
  uint32_t position = position_in(tree, pattern, name);
  *ret_items = (ModuleItems){ .has_others = rows.has_others };
  for (size_t i = 0; i < rows.count; i++) {
    ModuleItems parts;
    module_items(model, rows.items[i].node, 0, (Str){ 0 }, &parts);
    if (position < parts.count && !parts.has_others)
      ret_items->items[ret_items->count++] =
          (ModuleItem){ parts.items[position].node, rows.items[i].is_perhaps || parts.items[position].is_perhaps };
  }
  return true;
}

bool forward_looped_items(const Forward *forward, PyRef name, ModuleItems *ret_items)
{
  const PyBinding *binding =
      py_kind(&forward->model->tree, name) == PYK_IDENTIFIER ? forward_only_binding(forward, name) : NULL;
  if (!binding || binding->kind != PY_BIND_OTHER)
    return false;
  PyRef over = forward_looped_over(forward, binding->node);
  return over ? items_of_own(forward, over, ret_items) : items_of_parts(forward, binding->node, ret_items);
}

/// `super().forward` and `Model.scale`, which is static.
static uint32_t method_of_class(const Forward *forward, PyRef function)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef object = py_tree_object(tree, function);
  if (!object)
    return PY_ABSENT;
  Str name = py_tree_member_name(tree, function);
  if (str_equal(py_text(tree, object), STR("super()")))
    return export_method_of(model, export_base_of(model, model->functions.items[forward->function].class_node), name);
  PyRef class_node = py_kind(tree, object) == PYK_IDENTIFIER ? export_class_named(model, forward->function, object) : 0;
  uint32_t method = class_node ? export_method_of(model, class_node, name) : PY_ABSENT;
  return method != PY_ABSENT && model->functions.items[method].is_static ? method : PY_ABSENT;
}

/// `Clip.apply(x)` of a torch.autograd.Function of the file, whose forward() a capture runs; before the arguments it
/// gets the context, unless that is set up apart.
static uint32_t function_applied(const Forward *forward, const PyCall *call, uint32_t *ret_skip)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef object = py_tree_object(tree, call->function_node);
  if (!object || py_kind(tree, object) != PYK_IDENTIFIER ||
      !str_equal(py_tree_member_name(tree, call->function_node), STR("apply")))
    return PY_ABSENT;
  PyRef class_node = py_model_class_named(model, object);
  const PyClass *class = py_model_class_at(model, class_node);
  uint32_t found = class && class->is_autograd ? export_method_named(model, class_node, STR("forward")) : PY_ABSENT;
  *ret_skip = found != PY_ABSENT && export_method_named(model, class_node, STR("setup_context")) == PY_ABSENT;
  return found;
}

uint32_t forward_property(const Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  PyRef class_node = model->functions.items[forward->function].class_node;
  Str name = forward_own_name(forward, node);
  uint32_t found = PY_ABSENT;
  for (uint32_t i = 0; name.len > 0 && class_node && i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->class_node != class_node || !str_equal(function->name, name))
      continue;
    Str decorator =
        str_slice(model->tree.text, model->tree.nodes[function->outer].start, model->tree.nodes[function->node].start);
    bool is_one = found == PY_ABSENT && str_equal(str_trim(decorator), STR("@property")) &&
                  function->return_count == 1 && function->returned;
    found = is_one ? i : PY_ABSENT;
    if (!is_one)
      return PY_ABSENT;
  }
  return found;
}

/// A function that torch.jit.script() compiles, by which a trace calls what it made, and a capture what is written.
static bool is_captured_as_written(const Forward *forward, uint32_t index)
{
  const PyModel *model = forward->model;
  PyRef at = 0;
  bool is_alone = py_model_next_decorator(model, model->functions.items[index].outer, &at) != 0 &&
                  !py_model_next_decorator(model, model->functions.items[index].outer, &at);
  return !forward->is_traced && is_alone && export_is_scripted(model, index, forward->sink->arena);
}

/// `self.head.score(x)` with `self.head = Head()`, and `block.score(x)` of a loop over such modules: a method of
/// theirs.
static uint32_t method_of_part(const Forward *forward, PyRef function)
{
  const PyModel *model = forward->model;
  PyRef object = py_tree_object(&model->tree, function);
  PyRef made = !object                                           ? 0
               : forward_own_name(forward, object).len > 0       ? forward_own_part(forward, object)
               : py_kind(&model->tree, object) == PYK_IDENTIFIER ? maker_of_looped(forward, object)
                                                                 : 0;
  const PyCall *maker = made ? py_model_call(model, made) : NULL;
  PyRef class_node = maker ? export_class_made(model, maker) : 0;
  return class_node ? export_method_of(model, class_node, py_tree_member_name(&model->tree, function)) : PY_ABSENT;
}

uint32_t forward_called(const Forward *forward, const PyCall *call, uint32_t *ret_skip)
{
  const PyModel *model = forward->model;
  PyRef class_node = model->functions.items[forward->function].class_node;
  Str name = forward_own_name(forward, call->function_node);
  uint32_t found = function_applied(forward, call, ret_skip);
  if (found != PY_ABSENT)
    return found;
  if (name.len > 0) {
    found = export_method_of(model, class_node, name);
    if (found == PY_ABSENT)
      found = export_forward_made(model, module_parts_value(forward->parts, class_node, name));
  } else if (call->function != PY_ABSENT) {
    const PyFunction *function = &model->functions.items[call->function];
    bool is_plain = !function->class_node && py_kind(&model->tree, function->node) == PYK_FUNCTION_DEFINITION &&
                    (function->outer == function->node || is_captured_as_written(forward, call->function));
    *ret_skip = 0;
    if (is_plain)
      return call->function;
  }
  if (found == PY_ABSENT && name.len == 0)
    found = method_of_class(forward, call->function_node);
  if (found == PY_ABSENT && name.len == 0)
    found = export_forward_made(model, maker_of_looped(forward, call->function_node));
  if (found == PY_ABSENT && name.len == 0)
    found = method_of_part(forward, call->function_node);
  *ret_skip = found != PY_ABSENT && !model->functions.items[found].is_static;
  return found;
}

// --- Values ---

/// The expression at that position of `a, b`; 0 for what is not written out.
static PyRef written_part(const PyTree *tree, PyRef value, uint32_t position)
{
  PyNodeKind kind = py_kind(tree, value);
  PyRef item = kind == PYK_TUPLE || kind == PYK_EXPRESSION_LIST ? py_tree_first_element(tree, value) : 0;
  for (; item && !py_tree_is_splat(tree, item); item = py_tree_next_element(tree, item)) {
    if (position-- == 0)
      return item;
  }
  return 0;
}

static bool is_inside(const PyTree *tree, PyRef node, PyRef outer)
{
  return node >= outer && node < tree->nodes[outer].next;
}

/// Whether a loop goes through both, and not through `bound`, which comes before it.
static bool share_loop(const PyTree *tree, PyRef use, PyRef other, PyRef bound)
{
  int depth = 0;
  for (PyRef at = use; at && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    PyNodeKind kind = py_kind(tree, at);
    bool is_loop = kind == PYK_FOR_STATEMENT || kind == PYK_WHILE_STATEMENT;
    if (is_loop && is_inside(tree, other, at) && !is_inside(tree, bound, at))
      return true;
  }
  return false;
}

bool forward_is_repeated(const Forward *forward, PyRef use, PyRef binding)
{
  PyRef body = forward->model->functions.items[forward->function].body;
  return share_loop(&forward->model->tree, use, binding, body);
}

/// Of several bindings of a name the one that is in force at a use: the last one before it, if no branch goes around
/// that. NULL if it is not sure. `is_at_first`: when it is reached for the first time, whatever loops do later.
static const PyBinding *binding_in_force(const PyModel *model, uint32_t first, PyRef use, bool is_at_first)
{
  const PyTree *tree = &model->tree;
  const PyBinding *last = NULL;
  uint32_t count = 0;
  for (uint32_t at = first; at != PY_ABSENT; at = model->bindings.items[at].next) {
    if (count++ == PY_REBOUND_LIMIT)
      return NULL;
    const PyBinding *binding = &model->bindings.items[at];
    PyRef block = 0;
    PyRef statement = py_tree_statement(tree, binding->node, &block);
    // An assignment binds after what it is given was computed.
    bool is_around = binding->kind == PY_BIND_OTHER && binding->node < use && statement &&
                     is_inside(tree, use, statement) && py_kind(tree, statement) != PYK_EXPRESSION_STATEMENT;
    if (binding->is_changed || is_around)  // `with file as f:` around it.
      return NULL;
    if (binding->kind == PY_BIND_PARAM || (statement && tree->nodes[statement].next <= use))
      last = binding;
  }
  PyRef block = 0;
  bool is_param = last && last->kind == PY_BIND_PARAM;
  PyRef statement = last && !is_param ? py_tree_statement(tree, last->node, &block) : 0;
  if (!is_param && (!statement || !is_inside(tree, use, block)))
    return NULL;
  for (uint32_t at = is_at_first ? PY_ABSENT : first; at != PY_ABSENT; at = model->bindings.items[at].next) {
    if (share_loop(tree, use, model->bindings.items[at].node, last->node))
      return NULL;
  }
  return last;
}

/// The binding of a name that has several in its scope which counts at that place; NULL.
static const PyBinding *one_of_several(const PyModel *model, PyRef name)
{
  uint32_t scope = py_model_scope_of(model, name);
  uint32_t at = py_model_lookup(model, scope, py_text(&model->tree, name));
  if (at == PY_ABSENT || model->bindings.items[at].scope != scope || model->bindings.items[at].next == PY_ABSENT)
    return NULL;
  uint32_t count = 0;
  for (uint32_t other = at; other != PY_ABSENT; other = model->bindings.items[other].next) {
    if (count++ == PY_REBOUND_LIMIT)
      return NULL;
    // `global name` in a function. The name of a function is in its own scope.
    if (model->bindings.items[other].kind != PY_BIND_FUNCTION &&
        py_model_scope_of(model, model->bindings.items[other].node) != scope)
      return NULL;
  }
  return binding_in_force(model, at, name, false);
}

PyRef forward_value_in_force(const PyModel *model, PyRef name)
{
  const PyBinding *binding = one_of_several(model, name);
  return binding && binding->kind == PY_BIND_ASSIGN ? binding->value : 0;
}

const PyBinding *forward_param_in_force(const PyModel *model, PyRef name)
{
  const PyBinding *only = py_model_binding_at(model, name);
  const PyBinding *binding = only && only->next != PY_ABSENT ? one_of_several(model, name) : only;
  return binding && binding->kind == PY_BIND_PARAM ? binding : NULL;
}

const PyBinding *forward_only_binding(const Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyBinding *binding = py_model_binding_of(model, forward->function, node);
  return binding && binding->scope == forward->function && binding->next == PY_ABSENT ? binding : NULL;
}

PyRef forward_only_loop(const Forward *forward, PyRef node)
{
  const PyBinding *binding = forward_only_binding(forward, node);
  return binding && binding->kind == PY_BIND_OTHER ? forward_looped_over(forward, binding->node) : 0;
}

const PyBinding *forward_binding_in_force(const Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  uint32_t at = py_model_lookup(model, forward->function, py_text(&model->tree, node));
  const PyBinding *binding = at == PY_ABSENT ? NULL : &model->bindings.items[at];
  if (!binding || binding->scope != forward->function)
    return NULL;
  return binding->next == PY_ABSENT ? binding : binding_in_force(model, at, node, false);
}

PyRef forward_value_of_name(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  uint32_t at = py_model_lookup(model, forward->function, py_text(&model->tree, node));
  const PyBinding *binding = at == PY_ABSENT ? NULL : &model->bindings.items[at];
  if (binding && binding->next != PY_ABSENT && binding->scope == forward->function)
    binding = binding_in_force(model, at, node, false);
  else if (binding && (binding->scope != forward->function || binding->is_changed))
    binding = NULL;
  if (binding && binding->kind == PY_BIND_OTHER && binding->unpack != PY_ABSENT && binding->value)
    return written_part(&model->tree, py_tree_strip(&model->tree, binding->value), binding->unpack);
  return binding && binding->kind == PY_BIND_ASSIGN ? binding->value : 0;
}

bool forward_is_tensor_at_first(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  node = py_tree_strip(&model->tree, node);
  uint32_t at = py_kind(&model->tree, node) == PYK_IDENTIFIER
                    ? py_model_lookup(model, forward->function, py_text(&model->tree, node))
                    : PY_ABSENT;
  if (at == PY_ABSENT || model->bindings.items[at].scope != forward->function)
    return false;
  const PyBinding *binding = binding_in_force(model, at, node, true);
  if (binding && binding->kind == PY_BIND_PARAM)
    return forward_gets_tensor(forward, binding->index);
  if (binding && binding->kind == PY_BIND_OTHER && binding->unpack != PY_ABSENT && binding->value)
    return forward_is_tensor_part(forward, binding->value, binding->unpack, PY_EXPRESSION_DEPTH);
  return binding && binding->kind == PY_BIND_ASSIGN && binding->value &&
         forward_is_tensor(forward, binding->value, PY_EXPRESSION_DEPTH);
}
