// One pass over the nodes of a file: functions, parameters, names, calls. What they mean comes in the files next to it.

#include "python/model/python_model_private.h"

#include "base/ascii.h"

/// The walk's state: what holds the node that it is at.
typedef struct Walk {
  PyModel *model;
  const PyTree *tree;
  Vec(uint32_t) open;  ///< Functions around the node.
  Vec(PyRef) blocks;   ///< Blocks around it, it among them.
} Walk;

static uint32_t scope_of_walk(const Walk *walk)
{
  return walk->open.count > 0 ? *vec_last(&walk->open) : PY_ABSENT;
}

// --- Bindings ---

static PyBinding *bind(Walk *walk, PyBindingKind kind, PyRef identifier, uint32_t scope)
{
  PyBinding binding = {
    .kind = kind,
    .name = py_text(walk->tree, identifier),
    .scope = scope,
    .node = identifier,
    .index = PY_ABSENT,
    .unpack = PY_ABSENT,
    .next = PY_ABSENT,
  };
  vec_push(&walk->model->bindings, binding);
  return vec_last(&walk->model->bindings);
}

/// Whether the node that the walk is at is directly in the body of a class, where names are attributes.
static bool is_in_class_body(const Walk *walk)
{
  PyRef block = walk->blocks.count > 0 ? *vec_last(&walk->blocks) : 0;
  return block != 0 && py_kind(walk->tree, walk->tree->nodes[block].parent) == PYK_CLASS_DEFINITION;
}

static PyRef class_of_body(const Walk *walk)
{
  return walk->tree->nodes[*vec_last(&walk->blocks)].parent;
}

/// `return value`: a second one makes it unknown what the function gives back.
static void note_returned(Walk *walk, PyRef statement)
{
  uint32_t scope = scope_of_walk(walk);
  if (scope == PY_ABSENT)
    return;
  PyFunction *function = &walk->model->functions.items[scope];
  function->returned = function->return_count++ == 0 ? py_first_child(walk->tree, statement) : 0;
}

/// Binds the names of a target that is not followed: `a, (b, *c)`.
static void bind_pattern(Walk *walk, PyRef pattern, PyRef value)
{
  const PyTree *tree = walk->tree;
  PyNodeKind kind = py_kind(tree, pattern);
  uint32_t scope = scope_of_walk(walk);
  if (kind == PYK_IDENTIFIER) {
    bind(walk, PY_BIND_OTHER, pattern, scope)->value = value;
    return;
  }
  if (kind == PYK_ATTRIBUTE || kind == PYK_SUBSCRIPT)
    return;
  uint32_t position = 0;
  for (PY_EACH_CHILD(tree, child, pattern)) {
    if (py_kind(tree, child) == PYK_IDENTIFIER) {
      PyBinding *binding = bind(walk, PY_BIND_OTHER, child, scope);
      binding->value = value;
      binding->unpack = position;
    }
    position++;
  }
  // Names deeper inside are bound without a position.
  for (PyRef node = pattern + 1; node < tree->nodes[pattern].next; node++) {
    if (py_kind(tree, node) == PYK_ATTRIBUTE || py_kind(tree, node) == PYK_SUBSCRIPT)
      node = tree->nodes[node].next - 1;
    else if (py_kind(tree, node) == PYK_IDENTIFIER && tree->nodes[node].parent != pattern)
      bind(walk, PY_BIND_OTHER, node, scope)->value = value;
  }
}

/// What `a = b = value` gives `a`. A list or a dict would have two names under which it may be changed.
static PyRef value_given(const PyTree *tree, PyRef assignment)
{
  PyRef value = py_child(tree, assignment, PY_F_RIGHT), last = value;
  while (last && py_kind(tree, last) == PYK_ASSIGNMENT)
    last = py_child(tree, last, PY_F_RIGHT);
  PyNodeKind kind = last ? py_kind(tree, last) : PYK_OTHER;
  return kind == PYK_LIST || kind == PYK_DICTIONARY || !last ? value : last;
}

static void bind_assignment(Walk *walk, PyRef assignment)
{
  const PyTree *tree = walk->tree;
  PyRef left = py_child(tree, assignment, PY_F_LEFT);
  PyRef right = value_given(tree, assignment);
  if (left && is_in_class_body(walk) && py_kind(tree, left) == PYK_IDENTIFIER && right)
    python_note_assigned_member(walk->model, class_of_body(walk), py_text(tree, left), right);
  if (!left || is_in_class_body(walk))
    return;
  if (py_kind(tree, left) == PYK_IDENTIFIER && right)
    bind(walk, PY_BIND_ASSIGN, left, scope_of_walk(walk))->value = right;
  else if (right)
    bind_pattern(walk, left, right);
}

// `import a.b` binds `a`; `import a.b as c` binds `c` to "a.b"; `from m import x as y` binds `y` to "m.x".
static void bind_import(Walk *walk, PyRef statement)
{
  const PyTree *tree = walk->tree;
  PyRef module_node = py_child(tree, statement, PY_F_MODULE_NAME);
  Str module = module_node ? py_text(tree, module_node) : (Str){ 0 };
  Arena *arena = &walk->model->arena;
  uint32_t scope = scope_of_walk(walk);
  for (PY_EACH_CHILD(tree, child, statement)) {
    if (child == module_node)
      continue;
    if (py_kind(tree, child) == PYK_WILDCARD_IMPORT) {
      if (statement < tree->count)  // And not in another file.
        vec_push(&walk->model->star_imports, module);
      continue;
    }
    PyRef name = py_kind(tree, child) == PYK_ALIASED_IMPORT ? py_child(tree, child, PY_F_NAME) : child;
    PyRef alias = py_kind(tree, child) == PYK_ALIASED_IMPORT ? py_child(tree, child, PY_F_ALIAS) : 0;
    PyRef first = name && py_kind(tree, name) == PYK_DOTTED_NAME ? py_first_child(tree, name) : 0;
    if (!first)
      continue;
    Str qualified = py_text(tree, module_node || alias ? name : first);
    // `from . import x` is `.x`, and `from .m import x` is `.m.x`.
    Str dot = str_ends_with(module, STR(".")) ? STR("") : STR(".");
    if (module_node)
      qualified = arena_join(arena, (Str[]){ module, dot, qualified }, 3);
    bind(walk, PY_BIND_IMPORT, alias ? alias : first, scope)->qualified = qualified;
  }
}

static void bind_with_item(Walk *walk, PyRef as_pattern)
{
  PyRef alias = py_child(walk->tree, as_pattern, PY_F_ALIAS);
  for (PY_EACH_NODE(walk->tree, node, alias)) {
    if (py_kind(walk->tree, node) == PYK_IDENTIFIER)
      bind(walk, PY_BIND_OTHER, node, scope_of_walk(walk));
  }
}

// `global x` makes x the module's, `nonlocal x` that of one of the functions around, and whatever is assigned to it
// here changes it there: unknown in all of them.
static void bind_global(Walk *walk, PyRef statement)
{
  bool is_global = py_kind(walk->tree, statement) == PYK_GLOBAL_STATEMENT;
  for (PY_EACH_CHILD(walk->tree, child, statement)) {
    uint32_t scope = scope_of_walk(walk);
    bool goes_on = py_kind(walk->tree, child) == PYK_IDENTIFIER;
    for (int i = 0; goes_on && i < PY_EXPRESSION_DEPTH; i++) {
      bind(walk, PY_BIND_OTHER, child, scope);
      goes_on = scope != PY_ABSENT;
      scope = is_global || !goes_on ? PY_ABSENT : walk->model->functions.items[scope].parent;
    }
  }
}

// --- Functions ---

static PyRef param_name(const PyTree *tree, PyRef param)
{
  switch (py_kind(tree, param)) {
  case PYK_IDENTIFIER:
    return param;
  case PYK_DEFAULT_PARAMETER:
  case PYK_TYPED_DEFAULT_PARAMETER:
    return py_child(tree, param, PY_F_NAME);
  case PYK_TYPED_PARAMETER:
  case PYK_LIST_SPLAT_PATTERN:
  case PYK_DICTIONARY_SPLAT_PATTERN:
    return py_first_child(tree, param);
  default:
    return 0;
  }
}

static void add_params(Walk *walk, uint32_t function, PyRef list)
{
  const PyTree *tree = walk->tree;
  PyModel *model = walk->model;
  model->functions.items[function].first_param = (uint32_t)model->params.count;
  bool is_keyword_only = false;
  for (PY_EACH_CHILD(tree, child, list)) {
    if (py_kind(tree, child) == PYK_KEYWORD_SEPARATOR)
      is_keyword_only = true;
    PyRef name = param_name(tree, child);
    PyParamKind kind = is_keyword_only ? PY_PARAM_KEYWORD_ONLY : PY_PARAM_PLAIN;
    PyNodeKind shape = py_kind(tree, name ? name : child);
    if (py_kind(tree, child) == PYK_LIST_SPLAT_PATTERN || shape == PYK_LIST_SPLAT_PATTERN)
      kind = PY_PARAM_ARGS;
    if (py_kind(tree, child) == PYK_DICTIONARY_SPLAT_PATTERN || shape == PYK_DICTIONARY_SPLAT_PATTERN)
      kind = PY_PARAM_KWARGS;
    if (name && (shape == PYK_LIST_SPLAT_PATTERN || shape == PYK_DICTIONARY_SPLAT_PATTERN))
      name = py_first_child(tree, name);  // `*args: int`
    if (!name || py_kind(tree, name) != PYK_IDENTIFIER)
      continue;
    if (kind == PY_PARAM_ARGS)
      is_keyword_only = true;
    PyParam param = {
      .node = child,
      .name_node = name,
      .name = py_text(tree, name),
      .annotation = py_child(tree, child, PY_F_TYPE),
      .default_value = py_child(tree, child, PY_F_VALUE),
      .kind = kind,
    };
    bind(walk, PY_BIND_PARAM, name, function)->index = (uint32_t)model->params.count;
    vec_push(&model->params, param);
    PyFunction *at = &model->functions.items[function];
    at->plain_count += kind == PY_PARAM_PLAIN && at->plain_count == at->param_count;
    at->param_count++;
  }
}

static PyRef class_around(const PyTree *tree, PyRef outer)
{
  PyRef block = tree->nodes[outer].parent;
  PyRef parent = block ? tree->nodes[block].parent : 0;
  return py_kind(tree, block) == PYK_BLOCK && py_kind(tree, parent) == PYK_CLASS_DEFINITION ? parent : 0;
}

static void add_function(Walk *walk, PyRef node)
{
  const PyTree *tree = walk->tree;
  PyModel *model = walk->model;
  PyRef parent = tree->nodes[node].parent;
  PyFunction function = {
    .node = node,
    .outer = py_kind(tree, parent) == PYK_DECORATED_DEFINITION ? parent : node,
    .name_node = py_child(tree, node, PY_F_NAME),
    .body = py_child(tree, node, PY_F_BODY),
    .parent = scope_of_walk(walk),
    .parse_args = PY_ABSENT,
    .first_call = PY_ABSENT,
    .first_method_call = PY_ABSENT,
    .first_registration = PY_ABSENT,
    .first_decoration = PY_ABSENT,
    .wrapper = PY_ABSENT,
  };
  if (function.name_node)
    function.name = py_text(tree, function.name_node);
  function.class_node = class_around(tree, function.outer);
  uint32_t index = (uint32_t)model->functions.count;
  vec_push(&model->functions, function);
  if (function.name_node && !function.class_node)
    bind(walk, PY_BIND_FUNCTION, function.name_node, function.parent)->index = index;
  PyRef params = py_child(tree, node, PY_F_PARAMETERS);
  if (params)
    add_params(walk, index, params);
  vec_push(&walk->open, index);
}

static void add_class(Walk *walk, PyRef node)
{
  PyRef name = py_child(walk->tree, node, PY_F_NAME);
  if (!name)
    return;
  vec_push(&walk->model->classes, ((PyClass){ .node = node, .name = py_text(walk->tree, name) }));
  bind(walk, PY_BIND_CLASS, name, scope_of_walk(walk));
}

// --- Calls ---

/// False for what is no argument.
static bool read_argument(const PyTree *tree, PyRef node, PyArgument *ret_argument)
{
  PyNodeKind kind = py_kind(tree, node);
  PyArgument argument = { .node = node, .value = node };
  if (kind == PYK_KEYWORD_ARGUMENT) {
    PyRef name = py_child(tree, node, PY_F_NAME);
    argument.value = py_tree_keyword_value(tree, node);
    if (name)
      argument.keyword = py_text(tree, name);
  } else if (kind == PYK_LIST_SPLAT || kind == PYK_DICTIONARY_SPLAT) {
    argument.value = py_first_child(tree, node);
    argument.is_splat = kind == PYK_LIST_SPLAT;
    argument.is_dictionary_splat = kind == PYK_DICTIONARY_SPLAT;
  } else if (kind == PYK_ERROR || kind == PYK_MISSING || kind == PYK_OTHER) {
    return false;
  }
  *ret_argument = argument;
  return true;
}

static void add_call(Walk *walk, PyRef node)
{
  const PyTree *tree = walk->tree;
  PyModel *model = walk->model;
  PyCall call = {
    .node = node,
    .function_node = py_child(tree, node, PY_F_FUNCTION),
    .list_node = py_child(tree, node, PY_F_ARGUMENTS),
    .function = PY_ABSENT,
    .method = PY_ABSENT,
    .next = PY_ABSENT,
    .op = PY_ABSENT,
    .scope = scope_of_walk(walk),
    .first_argument = (uint32_t)model->arguments.count,
  };
  if (!call.function_node)
    return;
  if (call.list_node && py_kind(tree, call.list_node) != PYK_ARGUMENT_LIST) {
    vec_push(&model->arguments, ((PyArgument){ .node = call.list_node, .value = call.list_node }));
    call.list_node = 0;  // f(x for x in y)
  }
  for (PyRef child = call.list_node ? py_first_child(tree, call.list_node) : 0; child;
       child = py_next_sibling(tree, child)) {
    PyArgument argument;
    if (!read_argument(tree, child, &argument))
      continue;
    call.has_splat |= argument.is_splat;
    call.has_dictionary_splat |= argument.is_dictionary_splat;
    vec_push(&model->arguments, argument);
  }
  call.argument_count = (uint32_t)model->arguments.count - call.first_argument;
  while (model->call_starts.count <= call.node / PY_NODES_A_START)
    vec_push(&model->call_starts, (uint32_t)model->calls.count);
  vec_push(&model->calls, call);
}

// --- The walk ---

/// The names on the left side, with what a loop takes them from; 0 if there is no loop.
static void bind_left(Walk *walk, PyRef node, PyRef iterable)
{
  PyRef left = py_child(walk->tree, node, PY_F_LEFT);
  if (left)
    bind_pattern(walk, left, iterable);
}

static void bind_named_expression(Walk *walk, PyRef node)
{
  PyRef name = py_child(walk->tree, node, PY_F_NAME);
  if (name && py_kind(walk->tree, name) == PYK_IDENTIFIER)
    bind(walk, PY_BIND_ASSIGN, name, scope_of_walk(walk))->value = py_child(walk->tree, node, PY_F_VALUE);
}

static void bind_deleted(Walk *walk, PyRef node)
{
  for (PY_EACH_CHILD(walk->tree, child, node)) {
    if (py_kind(walk->tree, child) == PYK_IDENTIFIER)
      bind(walk, PY_BIND_OTHER, child, scope_of_walk(walk));
  }
}

static void visit(Walk *walk, PyRef node)
{
  switch (py_kind(walk->tree, node)) {
  case PYK_FUNCTION_DEFINITION:
  case PYK_LAMBDA:
    add_function(walk, node);
    break;
  case PYK_CLASS_DEFINITION:
    add_class(walk, node);
    break;
  case PYK_CALL:
    add_call(walk, node);
    break;
  case PYK_ATTRIBUTE:
    python_note_stored_member(walk->model, node, scope_of_walk(walk));
    break;
  case PYK_RETURN_STATEMENT:
    note_returned(walk, node);
    break;
  case PYK_ASSIGNMENT:
    bind_assignment(walk, node);
    break;
  case PYK_AUGMENTED_ASSIGNMENT:
    bind_left(walk, node, 0);
    break;
  case PYK_FOR_STATEMENT:
  case PYK_FOR_IN_CLAUSE:
    bind_left(walk, node, py_child(walk->tree, node, PY_F_RIGHT));
    break;
  case PYK_NAMED_EXPRESSION:
    bind_named_expression(walk, node);
    break;
  case PYK_IMPORT_STATEMENT:
  case PYK_IMPORT_FROM_STATEMENT:
    bind_import(walk, node);
    break;
  case PYK_AS_PATTERN:
    bind_with_item(walk, node);
    break;
  case PYK_GLOBAL_STATEMENT:
  case PYK_NONLOCAL_STATEMENT:
    bind_global(walk, node);
    break;
  case PYK_DELETE_STATEMENT:
    bind_deleted(walk, node);
    break;
  default:
    break;
  }
}

static void note_scope(PyModel *model, PyRef node, uint32_t scope)
{
  if (node == 0 || vec_last(&model->scopes)->function != scope)
    vec_push(&model->scopes, ((PyScope){ node, scope }));
  if (node % PY_NODES_A_START == 0)
    vec_push(&model->scope_starts, (uint32_t)model->scopes.count - 1);
}

static void walk_nodes(PyModel *model)
{
  Walk walk = { .model = model, .tree = &model->tree };
  note_scope(model, 0, PY_ABSENT);
  for (PyRef node = 1; node < model->node_count; node++) {
    while (walk.open.count > 0 && node >= model->tree.nodes[model->functions.items[*vec_last(&walk.open)].node].next)
      walk.open.count--;
    while (walk.blocks.count > 0 && node >= model->tree.nodes[*vec_last(&walk.blocks)].next)
      walk.blocks.count--;
    PyNodeKind kind = py_kind(&model->tree, node);
    if (kind == PYK_BLOCK)
      vec_push(&walk.blocks, node);
    note_scope(model, node, scope_of_walk(&walk));
    visit(&walk, node);
    if (kind == PYK_ATTRIBUTE || kind == PYK_SUBSCRIPT)
      python_note_changed(model, node);
  }
  vec_push(&model->scopes, ((PyScope){ UINT32_MAX, PY_ABSENT }));
  vec_trim(&model->scopes);
  vec_trim(&model->scope_starts);
  vec_free(&walk.open);
  vec_free(&walk.blocks);
}

// --- What calls and classes refer to ---

/// The function that a name stands for: `def name`, or `name = lambda` and nothing else.
static uint32_t function_bound(const PyModel *model, const PyBinding *binding)
{
  bool is_lambda = binding->kind == PY_BIND_ASSIGN && binding->next == PY_ABSENT && binding->value &&
                   py_kind(&model->tree, binding->value) == PYK_LAMBDA;
  return is_lambda                           ? py_model_function_at(model, binding->value)
         : binding->kind == PY_BIND_FUNCTION ? binding->index
                                             : PY_ABSENT;
}

static void resolve_calls(PyModel *model)
{
  for (size_t i = 0; i < model->calls.count; i++) {
    PyCall *call = &model->calls.items[i];
    call->qualified = py_model_qualified(model, call->function_node, &model->arena);
    if (py_kind(&model->tree, call->function_node) != PYK_IDENTIFIER)
      continue;
    const PyBinding *binding = py_model_binding_of(model, call->scope, call->function_node);
    call->function = binding ? function_bound(model, binding) : PY_ABSENT;
    if (call->function != PY_ABSENT)
      model->functions.items[call->function].roles |= PY_ROLE_CALLED;
  }
}

/// Backwards, so that each chain is in order of position.
static void link_calls(PyModel *model)
{
  for (size_t i = model->calls.count; i-- > 0;) {
    PyCall *call = &model->calls.items[i];
    if (call->function == PY_ABSENT)
      continue;
    call->next = model->functions.items[call->function].first_call;
    model->functions.items[call->function].first_call = (uint32_t)i;
  }
}

/// `registry.add(...)`, where the file shows of which class `registry` is, and `registry(...)` of its `__call__()`.
static void resolve_method(PyModel *model, PyCall *call)
{
  bool is_name = py_kind(&model->tree, call->function_node) == PYK_IDENTIFIER;
  if (model->classes.count == 0 || call->qualified.len > 0 || call->function != PY_ABSENT ||
      (!is_name && py_kind(&model->tree, call->function_node) != PYK_ATTRIBUTE))
    return;
  PyCallable callable = py_model_callable(model, call->function_node);
  if (callable.partial != PY_ABSENT || callable.parse_args != PY_ABSENT ||
      (is_name && (!callable.is_bound || callable.class_node)))
    return;
  call->method = callable.function;
  call->is_bound =
      callable.is_bound && callable.function != PY_ABSENT && !model->functions.items[callable.function].is_static;
}

void python_link_methods(PyModel *model)
{
  for (size_t i = model->calls.count; i-- > 0;) {
    PyCall *call = &model->calls.items[i];
    resolve_method(model, call);
    if (call->method == PY_ABSENT)
      continue;
    call->next = model->functions.items[call->method].first_method_call;
    model->functions.items[call->method].first_method_call = (uint32_t)i;
  }
}

/// N of ".../symbolic_opset<N>.py", and of a copy of it, "symbolic_opset<N>-mine.py"; 0 else.
static int opset_of_path(Str path, bool *ret_is_copy)
{
  Str name = str_after_last(path, '/');
  Str prefix = STR("symbolic_opset");
  uint64_t opset = 0;
  if (!str_starts_with(name, prefix) || !str_ends_with(name, STR(".py")))
    return 0;
  Str rest = str_slice(name, prefix.len, name.len - 3);
  size_t digits = 0;
  while (digits < rest.len && ascii_is_digit(rest.data[digits]))
    digits++;
  *ret_is_copy = digits < rest.len;
  if (digits == rest.len || !ascii_is_word(rest.data[digits]) || rest.data[digits] == '_')
    str_to_uint(str_slice(rest, 0, digits), 63, &opset);
  return (int)opset;
}

PyModel *python_lower(const PySyntax *syntax, Str path, const Workspace *workspace, const PyModel *before)
{
  PyModel *model = xcalloc(1, sizeof(*model));
  model->syntax = py_syntax_retain(syntax);
  model->tree = py_tree(syntax);
  model->path = arena_copy(&model->arena, path);
  bool is_copy = false;
  model->least_opset = opset_of_path(path, &is_copy);
  model->file_opset = is_copy ? 0 : model->least_opset;
  python_graft(model, workspace);
  python_start_mentions(model, before);
  python_make_room(model, before);
  walk_nodes(model);
  python_find_foreign(model);
  python_index_names(model);
  python_note_changes(model);
  python_index_members(model);
  resolve_calls(model);
  link_calls(model);
  python_find_decorations(model);
  python_find_registrations(model);
  python_find_ops(model);
  python_find_entries(model);
  vec_free(&model->changed);
  if (!before)
    python_trim(model);
  return model;
}
