// Lists that are filled before a graph is made of them, and names that stand for something else after each statement.

#include "base/limits.h"
#include "python/rules/tools/made_model.h"
#include "python/rules/turns.h"

enum { COPY_WORK = 64 };  ///< What a call or a turn that is followed counts for, in expressions.

static const PyTree *tree_of(MadeItem item)
{
  return &item.model->tree;
}

/// The binding of a name that counts where it is used: the last one before it in a block around it. NULL.
static const PyBinding *binding_before(MadeItem item)
{
  const PyModel *model = item.model;
  const PyBinding *binding = py_model_binding_at(model, item.node), *found = NULL;
  uint32_t at = binding ? (uint32_t)(binding - model->bindings.items) : PY_ABSENT;
  for (int i = 0; at != PY_ABSENT && i < PY_REBOUND_LIMIT; i++, at = model->bindings.items[at].next) {
    if (model->bindings.items[at].node < item.node)
      found = &model->bindings.items[at];
  }
  PyRef block = 0;
  if (at != PY_ABSENT || !found || found->kind != PY_BIND_ASSIGN || !found->value || found->scope != binding->scope)
    return NULL;
  py_tree_statement(&model->tree, found->node, &block);
  return item.node < model->tree.nodes[block].next ? found : NULL;
}

MadeItem made_resolve(MadeItem item)
{
  for (int i = 0; i < PY_ALIAS_LIMIT && item.node; i++) {
    PyRef known = py_model_resolve(item.model, item.node);
    const PyBinding *binding =
        py_kind(tree_of(item), known) == PYK_IDENTIFIER ? binding_before((MadeItem){ item.model, known, 0 }) : NULL;
    if (!binding || binding->value == item.node)
      return (MadeItem){ item.model, known, 0 };
    item.node = binding->value;
  }
  return item;
}

/// `row` of `f(*row)`, which has nothing else, and a list or tuple that is written out; 0.
static PyRef only_row(const PyModel *model, const PyCall *call)
{
  const PyArgument *only = call->argument_count == 1 ? py_model_arguments(model, call) : NULL;
  PyRef row = only && only->is_splat ? py_model_resolve(model, only->value) : 0;
  PyNodeKind kind = row ? py_kind(&model->tree, row) : PYK_OTHER;
  for (PyRef item = kind == PYK_TUPLE || kind == PYK_LIST ? py_tree_first_element(&model->tree, row) : 0; item;
       item = py_tree_next_element(&model->tree, item)) {
    if (py_tree_is_splat(&model->tree, item))
      return 0;
  }
  return kind == PYK_TUPLE || kind == PYK_LIST ? row : 0;
}

const PyCall *made_call(MadeItem item, const char *function)
{
  const PyCall *call = item.node ? py_model_call(item.model, item.node) : NULL;
  bool is_it = call && str_equal(call->qualified, str_from(function));
  return is_it && (!call->has_splat || only_row(item.model, call)) ? call : NULL;
}

MadeItem made_argument(MadeItem call, uint32_t position, const char *keyword)
{
  const PyCall *made = py_model_call(call.model, call.node);
  PyRef row = made->has_splat ? only_row(call.model, made) : 0;
  PyRef item = row && position != PY_ABSENT ? py_tree_first_element(&call.model->tree, row) : 0;
  for (uint32_t i = 0; item && i < position; i++)
    item = py_tree_next_element(&call.model->tree, item);
  const PyArgument *argument = row ? NULL : py_model_argument(call.model, made, position, keyword);
  return (MadeItem){ call.model, argument ? argument->value : item, 0 };
}

// --- What is done with a list between where it is made and where it is used ---

typedef struct Filling {
  MadeWork *work;
  MadeItem use;  ///< The name, where it is used.
  Str name;
  MadeItems *items;
  int depth;
} Filling;

static bool add_list(MadeWork *work, MadeItem list, int depth, MadeItems *items);

static bool is_name(const Filling *filling, PyRef node)
{
  const PyTree *tree = tree_of(filling->use);
  return node && py_kind(tree, node) == PYK_IDENTIFIER && str_equal(py_text(tree, node), filling->name);
}

/// How often the statement names the list.
static uint32_t count_uses(const Filling *filling, PyRef statement)
{
  uint32_t count = 0;
  for (PY_EACH_NODE(tree_of(filling->use), node, statement)) {
    filling->work->nodes++;
    count += is_name(filling, node);
  }
  return count;
}

/// `nodes.append(x)`, `nodes.extend([x])`, `nodes += [x]`; false for all else.
static bool add_statement(const Filling *filling, PyRef statement)
{
  const PyModel *model = filling->use.model;
  const PyTree *tree = &model->tree;
  PyRef inner = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
  if (!inner || count_uses(filling, inner) != 1)
    return false;
  if (py_kind(tree, inner) == PYK_AUGMENTED_ASSIGNMENT)
    return is_name(filling, py_child(tree, inner, PY_F_LEFT)) &&
           add_list(filling->work, (MadeItem){ model, py_child(tree, inner, PY_F_RIGHT), 0 }, filling->depth,
                    filling->items);
  const PyCall *call = py_model_call(model, inner);
  if (!call || !is_name(filling, py_tree_object(tree, call->function_node)) || call->argument_count != 1)
    return false;
  Str method = py_tree_member_name(tree, call->function_node);
  MadeItem given = { model, py_model_arguments(model, call)->value, 0 };
  if (str_equal(method, STR("extend")))
    return add_list(filling->work, given, filling->depth, filling->items);
  if (!str_equal(method, STR("append")))
    return false;
  vec_push(filling->items, given);
  return true;
}

/// Whether each turn runs the body to its end, and in its place.
static bool is_plain_loop(const PyTree *tree, PyRef loop)
{
  if (py_kind(tree, loop) != PYK_FOR_STATEMENT || py_child(tree, loop, PY_F_ALTERNATIVE))
    return false;
  for (PY_EACH_NODE(tree, node, loop)) {
    PyNodeKind kind = py_kind(tree, node);
    if (kind == PYK_BREAK_STATEMENT || kind == PYK_CONTINUE_STATEMENT || kind == PYK_RETURN_STATEMENT)
      return false;
  }
  return true;
}

/// What the body of a loop does with the list in one turn.
static bool add_turn(const Filling *filling, PyRef body)
{
  const PyTree *tree = tree_of(filling->use);
  for (PyRef at = py_first_child(tree, body); at; at = py_next_sibling(tree, at)) {
    if (count_uses(filling, at) > 0 && !add_statement(filling, at))
      return false;
  }
  return true;
}

/// `for i in range(3): nodes.append(f(i))`
static bool add_loop(const Filling *filling, PyRef loop)
{
  const PyTree *tree = tree_of(filling->use);
  MadeWork *work = filling->work;
  PyRef body = py_child(tree, loop, PY_F_BODY);
  TurnModels *turns = ARENA_NEW(work->arena, TurnModels);
  if (!body || !is_plain_loop(tree, loop) || !turns_of(filling->use.model, loop, work->arena, turns))
    return false;
  for (size_t i = 0; i < turns->count; i++) {
    Filling turn = *filling;
    turn.use.model = turns->items[i];
    work->nodes += COPY_WORK;
    if (work->nodes >= PY_MADE_WORK || !add_turn(&turn, body))
      return false;
  }
  return true;
}

/// Whether a statement does no more than to look at the list, as `print(len(nodes))` does.
static bool only_looks(const Filling *filling, PyRef statement)
{
  const PyModel *model = filling->use.model;
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, statement);
  if (kind != PYK_EXPRESSION_STATEMENT && kind != PYK_ASSERT_STATEMENT && kind != PYK_RETURN_STATEMENT)
    return false;
  for (PY_EACH_NODE(tree, node, statement)) {
    if (!is_name(filling, node))
      continue;
    PyRef list = tree->nodes[node].parent;
    const PyCall *call = py_model_call_of_list(model, list);
    Str callee = call ? py_text(tree, call->function_node) : (Str){ 0 };
    if (!call || !(str_equal(callee, STR("len")) || str_equal(callee, STR("print")) ||
                   str_starts_with(call->qualified, STR("onnx."))))
      return false;
  }
  return true;
}

/// Goes through the statements after the one that makes the list, up to where it is used.
static bool follow(const Filling *filling, PyRef statement)
{
  const PyTree *tree = tree_of(filling->use);
  PyRef use = filling->use.node;
  PyRef at = py_next_sibling(tree, statement);
  for (int levels = 0; at && levels < PY_NESTING_LIMIT && filling->work->nodes < PY_MADE_WORK;) {
    bool holds_use = at <= use && use < tree->nodes[at].next;
    PyRef block = 0;
    if (!holds_use) {
      if (at > use || (count_uses(filling, at) > 0 && !add_statement(filling, at) && !add_loop(filling, at) &&
                       !only_looks(filling, at)))
        return false;
      at = py_next_sibling(tree, at);
      continue;
    }
    PyRef last = py_tree_statement(tree, use, &block);
    PyNodeKind kind = py_kind(tree, at);
    if (last == at)
      return true;
    // Only what is surely run once leads on.
    if (kind != PYK_IF_STATEMENT && kind != PYK_WITH_STATEMENT && kind != PYK_BLOCK)
      return false;
    for (at = py_first_child(tree, at); at && (use < at || use >= tree->nodes[at].next); at = py_next_sibling(tree, at))
      continue;
    if (at && py_kind(tree, at) == PYK_BLOCK)
      at = py_first_child(tree, at);
    levels++;
  }
  return false;
}

static bool add_named(MadeWork *work, MadeItem use, int depth, MadeItems *items)
{
  const PyModel *model = use.model;
  const PyTree *tree = &model->tree;
  const PyBinding *binding = py_model_binding_at(model, use.node);
  if (!binding)
    return false;
  // `nodes += [x]` binds the name again.
  bool is_first = binding->kind == PY_BIND_ASSIGN && binding->value;
  for (uint32_t next = is_first ? binding->next : PY_ABSENT; next != PY_ABSENT && is_first;
       next = model->bindings.items[next].next)
    is_first = py_kind(tree, tree->nodes[model->bindings.items[next].node].parent) == PYK_AUGMENTED_ASSIGNMENT;
  PyRef block = 0;
  PyRef statement = is_first ? py_tree_statement(tree, binding->node, &block) : 0;
  Filling filling = { work, use, py_text(tree, use.node), items, depth };
  return statement && binding->scope == py_model_scope_of(model, use.node) &&
         add_list(work, (MadeItem){ model, binding->value, 0 }, depth, items) && follow(&filling, statement);
}

/// What a function of the file gives back, as this call sees it; `node` is 0 if it is not known.
static MadeItem returned_by(MadeWork *work, MadeItem item)
{
  const PyCall *call = py_model_call(item.model, item.node);
  uint32_t function = call ? (call->function != PY_ABSENT ? call->function : call->method) : PY_ABSENT;
  const PyFunction *made = function == PY_ABSENT ? NULL : &item.model->functions.items[function];
  PyRef returned = !made ? 0 : made->name_node ? made->returned : made->body;  // That of a lambda.
  work->nodes += returned ? COPY_WORK : 0;
  const PyModel *model =
      returned && work->nodes < PY_MADE_WORK ? py_model_in_call(item.model, call, work->arena) : NULL;
  return model ? (MadeItem){ model, returned, 0 } : (MadeItem){ item.model, 0, 0 };
}

static bool add_elements(MadeWork *work, MadeItem list, int depth, MadeItems *items)
{
  const PyTree *tree = tree_of(list);
  for (PY_EACH_ELEMENT(tree, element, list.node)) {
    work->nodes++;
    if (!py_tree_is_splat(tree, element))
      vec_push(items, (MadeItem){ list.model, element, 0 });
    else if (!add_list(work, (MadeItem){ list.model, py_first_child(tree, element), 0 }, depth, items))
      return false;
  }
  return true;
}

/// `[f(name) for name in ("a", "b")]`
static bool add_comprehension(MadeWork *work, MadeItem list, int depth, MadeItems *items)
{
  const PyTree *tree = tree_of(list);
  PyRef body = py_first_child(tree, list.node), clause = body ? py_next_sibling(tree, body) : 0;
  PyRef target = clause ? py_child(tree, clause, PY_F_LEFT) : 0;
  TurnModels *counted = ARENA_NEW(work->arena, TurnModels);
  bool is_counted = target && py_kind(tree, clause) == PYK_FOR_IN_CLAUSE && !py_next_sibling(tree, clause) &&
                    turns_of(list.model, clause, work->arena, counted);
  for (size_t i = 0; i < counted->count && is_counted; i++)
    vec_push(items, (MadeItem){ counted->items[i], body, 0 });
  work->nodes += COPY_WORK * (uint32_t)counted->count;
  if (is_counted)
    return work->nodes < PY_MADE_WORK;
  MadeItems turns = { 0 };
  bool is_known = target && py_kind(tree, clause) == PYK_FOR_IN_CLAUSE && !py_next_sibling(tree, clause) &&
                  py_kind(tree, target) == PYK_IDENTIFIER &&
                  add_list(work, (MadeItem){ list.model, py_child(tree, clause, PY_F_RIGHT), 0 }, depth, &turns);
  for (size_t i = 0; i < turns.count && is_known; i++) {
    const PyModel *model = py_model_with_name(turns.items[i].model, target, turns.items[i].node, work->arena);
    work->nodes += COPY_WORK;
    is_known = model && work->nodes < PY_MADE_WORK;
    vec_push(items, (MadeItem){ model, body, 0 });
  }
  vec_free(&turns);
  return is_known;
}

/// `fill(nodes)` of a function of the file, before the list is used: it may put more into it.
static bool is_given_away(MadeWork *work, MadeItem use)
{
  const PyModel *model = use.model;
  const PyBinding *binding = py_model_binding_at(model, use.node);
  Str name = py_text(&model->tree, use.node);
  for (size_t i = 0; binding && i < model->calls.count && model->calls.items[i].node < use.node; i++) {
    const PyCall *call = &model->calls.items[i];
    work->nodes++;
    if (call->node < binding->node || (call->function == PY_ABSENT && call->method == PY_ABSENT) ||
        (call->node <= use.node && use.node < model->tree.nodes[call->node].next))
      continue;
    for (PY_EACH_ARGUMENT(model, argument, call)) {
      if (py_kind(&model->tree, argument->value) == PYK_IDENTIFIER &&
          str_equal(py_text(&model->tree, argument->value), name))
        return true;
    }
  }
  return false;
}

static bool add_list(MadeWork *work, MadeItem list, int depth, MadeItems *items)
{
  if (depth <= 0 || !list.node || work->nodes++ > PY_MADE_WORK || items->count > PY_MADE_NODE_LIMIT)
    return false;
  list.node = py_tree_strip(tree_of(list), list.node);
  PyRef left, right;
  switch (py_kind(tree_of(list), list.node)) {
  case PYK_LIST:
  case PYK_TUPLE:
    return add_elements(work, list, depth - 1, items);
  case PYK_BINARY_OPERATOR:
    left = py_child(tree_of(list), list.node, PY_F_LEFT);
    right = py_child(tree_of(list), list.node, PY_F_RIGHT);
    return add_list(work, (MadeItem){ list.model, left, 0 }, depth - 1, items) &&
           add_list(work, (MadeItem){ list.model, right, 0 }, depth - 1, items);
  case PYK_LIST_COMPREHENSION:
    return add_comprehension(work, list, depth - 1, items);
  case PYK_CALL:
    return add_list(work, returned_by(work, list), depth - 1, items);
  case PYK_IDENTIFIER:
    break;
  default:
    return false;
  }
  PyRef given = py_model_resolve(list.model, list.node);
  if (py_kind(tree_of(list), given) == PYK_LIST && is_given_away(work, list))
    return false;
  return given != list.node ? add_list(work, (MadeItem){ list.model, given, 0 }, depth - 1, items)
                            : add_named(work, list, depth - 1, items);
}

MadeItem made_followed(MadeWork *work, MadeItem item)
{
  for (int i = 0; i < PY_ALIAS_LIMIT; i++) {
    item = made_resolve(item);
    const PyCall *call = item.node ? py_model_call(item.model, item.node) : NULL;
    MadeItem inner = call && call->qualified.len == 0 ? returned_by(work, item) : (MadeItem){ 0 };
    if (!inner.node)
      break;
    item = inner;
  }
  return item;
}

bool made_list(MadeWork *work, MadeItem list, MadeItems *items)
{
  size_t before = items->count;
  if (!add_list(work, list, PY_EXPRESSION_DEPTH, items))
    return false;
  for (size_t i = before; i < items->count; i++) {
    PyRef written = items->items[i].node;
    items->items[i] = made_followed(work, items->items[i]);
    items->items[i].written = written;
  }
  return true;
}
