#include "python/model/keys_set.h"

#include "base/limits.h"

typedef struct KeysWalk {
  const PyModel *model;
  Str name;
  PyRef end;                        ///< The statement before which the walk ends.
  PyRef setting[PY_KEYWORD_LIMIT];  ///< Statements that set keys, after anything else that may change the dict.
  bool is_maybe[PY_KEYWORD_LIMIT];  ///< Whether they are run depends.
  int count;
  bool is_maybe_now;                      ///< Of the statement that is visited.
  PyRef loop_now;                         ///< The same.
  bool is_all;                            ///< Nothing else was met.
  void (*visit)(const KeySet *, void *);  ///< NULL while it is only asked what a statement is.
  void *context;
} KeysWalk;

static void visit_key(const KeysWalk *walk, KeySet set)
{
  set.is_maybe = walk->is_maybe_now;
  set.loop = walk->loop_now;
  if (walk->visit)
    walk->visit(&set, walk->context);
}

/// `options["opset"] = 13`; false if it is nothing like it, or reads the name, too.
static bool visit_assignment(const KeysWalk *walk, PyRef assignment)
{
  const PyTree *tree = &walk->model->tree;
  PyRef target = py_child(tree, assignment, PY_F_LEFT);
  PyRef value = py_child(tree, assignment, PY_F_RIGHT);
  PyRef object = target && py_kind(tree, target) == PYK_SUBSCRIPT ? py_child(tree, target, PY_F_VALUE) : 0;
  PyRef key = object ? py_child(tree, target, PY_F_SUBSCRIPT) : 0;
  if (!key || !value || !str_equal(py_text(tree, object), walk->name) || str_contains(py_text(tree, value), walk->name))
    return false;
  visit_key(walk, (KeySet){ .key = key, .value = value });
  return true;
}

/// `{key: value, **others}`
static void visit_pairs(const KeysWalk *walk, PyRef dictionary)
{
  const PyTree *tree = &walk->model->tree;
  int seen = 0;
  for (PyRef pair = py_first_child(tree, dictionary); pair && seen < PY_KEYWORD_LIMIT;
       pair = py_next_sibling(tree, pair), seen++) {
    bool is_merged = py_kind(tree, pair) == PYK_DICTIONARY_SPLAT;
    PyRef key = is_merged ? 0 : py_tree_key(tree, pair);
    PyRef value = is_merged ? py_first_child(tree, pair) : key ? py_child(tree, pair, PY_F_VALUE) : 0;
    if (value)
      visit_key(walk, (KeySet){ .key = key, .value = value });
  }
}

/// `table.update({key: value})`, `options.update(others, opset=13)`
static bool visit_update(const KeysWalk *walk, PyRef node)
{
  const PyModel *model = walk->model;
  const PyTree *tree = &model->tree;
  PyRef function = py_child(tree, node, PY_F_FUNCTION);
  PyRef object = py_tree_object(tree, function);
  const PyCall *call = py_model_call(model, node);
  if (!object || !call || !str_equal(py_text(tree, object), walk->name) || call->has_splat ||
      !str_equal(py_tree_member_name(tree, function), STR("update")) ||
      str_contains(py_text(tree, call->list_node), walk->name))
    return false;
  for (uint32_t i = 0; i < call->argument_count && i < PY_KEYWORD_LIMIT; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (argument->keyword.len > 0)
      visit_key(walk, (KeySet){ .key = py_child(tree, argument->node, PY_F_NAME),
                                .value = argument->value,
                                .keyword = argument->keyword });
    else if (py_kind(tree, argument->value) == PYK_DICTIONARY)
      visit_pairs(walk, argument->value);
    else
      visit_key(walk, (KeySet){ .value = argument->value });
  }
  return true;
}

/// `options.setdefault("opset", 13)`: only if the key is not there.
static bool visit_default(KeysWalk *walk, PyRef node)
{
  const PyModel *model = walk->model;
  PyRef function = py_child(&model->tree, node, PY_F_FUNCTION);
  PyRef object = py_tree_object(&model->tree, function);
  const PyCall *call = py_model_call(model, node);
  if (!object || !call || !str_equal(py_text(&model->tree, object), walk->name) || call->has_splat ||
      call->argument_count != 2 || !str_equal(py_tree_member_name(&model->tree, function), STR("setdefault")) ||
      str_contains(py_text(&model->tree, call->list_node), walk->name))
    return false;
  const PyArgument *arguments = py_model_arguments(model, call);
  bool was_maybe = walk->is_maybe_now;
  walk->is_maybe_now = true;
  visit_key(walk, (KeySet){ .key = arguments[0].value, .value = arguments[1].value });
  walk->is_maybe_now = was_maybe;
  return true;
}

/// Whether the statement sets keys and does nothing else with the name.
static bool visit_statement(KeysWalk *walk, PyRef statement)
{
  const PyTree *tree = &walk->model->tree;
  PyRef inner = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
  PyNodeKind kind = inner ? py_kind(tree, inner) : PYK_OTHER;
  return kind == PYK_ASSIGNMENT ? visit_assignment(walk, inner)
                                : kind == PYK_CALL && (visit_update(walk, inner) || visit_default(walk, inner));
}

/// What is there may change the dict: `options.pop("opset")`, `fill(options)`.
static void forget_before(KeysWalk *walk)
{
  walk->count = 0;
  walk->is_all = false;
}

static void note_setting(KeysWalk *walk, PyRef statement, bool is_maybe)
{
  if (walk->count == PY_KEYWORD_LIMIT) {
    forget_before(walk);
    return;
  }
  walk->is_maybe[walk->count] = is_maybe;
  walk->setting[walk->count++] = statement;
}

/// `if half:` and other statements around statements: what sets a key in there may be run or not.
static void pass_block(KeysWalk *walk, PyRef around)
{
  const PyTree *tree = &walk->model->tree;
  for (PyRef at = around + 1; at < tree->nodes[around].next;) {
    bool is_setting = py_kind(tree, at) == PYK_EXPRESSION_STATEMENT && visit_statement(walk, at);
    if (is_setting)
      note_setting(walk, at, true);
    else if (py_kind(tree, at) == PYK_IDENTIFIER && str_equal(py_text(tree, at), walk->name))
      forget_before(walk);
    at = is_setting ? tree->nodes[at].next : at + 1;
  }
}

static void pass_statement(KeysWalk *walk, PyRef statement)
{
  const PyTree *tree = &walk->model->tree;
  PyNodeKind kind = py_kind(tree, statement);
  if (visit_statement(walk, statement))
    note_setting(walk, statement, false);
  else if (!str_contains(py_text(tree, statement), walk->name))
    return;
  else if (kind == PYK_IF_STATEMENT || kind == PYK_FOR_STATEMENT || kind == PYK_TRY_STATEMENT)
    pass_block(walk, statement);
  else
    forget_before(walk);
}

/// The block of a statement that is run once and has the end in it: `with torch.no_grad():`, `if export:`; 0.
static PyRef block_towards_end(const KeysWalk *walk, PyRef statement)
{
  const PyTree *tree = &walk->model->tree;
  PyNodeKind kind = py_kind(tree, statement);
  if (kind != PYK_WITH_STATEMENT && kind != PYK_IF_STATEMENT && kind != PYK_TRY_STATEMENT)
    return 0;
  PyRef at = py_first_child(tree, statement);
  while (at && (tree->nodes[at].next <= walk->end || py_kind(tree, at) != PYK_BLOCK))
    at = tree->nodes[at].next <= walk->end ? py_next_sibling(tree, at) : py_first_child(tree, at);
  return at;
}

/// Goes from a statement to the end, into the blocks that it is in. False if it does not get there.
static bool walk_to_end(KeysWalk *walk, PyRef at)
{
  const PyTree *tree = &walk->model->tree;
  for (int seen = 0; at && at < walk->end && seen < PY_KEYWORD_LIMIT; seen++) {
    if (tree->nodes[at].next <= walk->end) {
      pass_statement(walk, at);
      at = py_next_sibling(tree, at);
      continue;
    }
    PyRef block = block_towards_end(walk, at);
    if (!block)
      return false;
    if (str_contains(str_slice(tree->text, tree->nodes[at].start, tree->nodes[block].start), walk->name))
      forget_before(walk);
    at = py_first_child(tree, block);
  }
  return at == walk->end;
}

/// Whether the statement does something with the name itself that may change its dict: `f(options.pop("path"),
/// **options)`.
static bool changes_at_end(const KeysWalk *walk)
{
  const PyTree *tree = &walk->model->tree;
  for (PY_EACH_NODE(tree, node, walk->end)) {
    PyRef parent = tree->nodes[node].parent;
    if (py_kind(tree, node) == PYK_IDENTIFIER && str_equal(py_text(tree, node), walk->name) &&
        py_kind(tree, parent) == PYK_ATTRIBUTE && tree->nodes[node].field == PY_F_OBJECT &&
        str_starts_with(py_tree_member_name(tree, parent), STR("pop")))
      return true;
  }
  return false;
}

/// The statement after which the name has its dict: that which assigns it, or none of the function that has it as its
/// `**options`. False if the name has other values, too.
static bool first_statement(const PyModel *model, const PyBinding *binding, PyRef *ret_next)
{
  PyRef block;
  if (!binding || binding->next != PY_ABSENT)
    return false;
  if (binding->kind == PY_BIND_PARAM && binding->scope != PY_ABSENT) {
    *ret_next = py_first_child(&model->tree, model->functions.items[binding->scope].body);
    return model->params.items[binding->index].kind == PY_PARAM_KWARGS;
  }
  PyRef first = binding->value ? py_tree_statement(&model->tree, binding->node, &block) : 0;
  *ret_next = first ? py_next_sibling(&model->tree, first) : 0;
  return first != 0;
}

/// The loop of whose body the statement is one, if that loop is no part of another statement of those gone through.
static PyRef loop_of(const KeysWalk *walk, PyRef statement)
{
  const PyTree *tree = &walk->model->tree;
  PyRef block, loop = tree->nodes[tree->nodes[statement].parent].parent, end_block;
  py_tree_statement(tree, walk->end, &end_block);
  bool is_loop = py_kind(tree, loop) == PYK_FOR_STATEMENT && !py_child(tree, loop, PY_F_ALTERNATIVE);
  return is_loop && py_tree_statement(tree, loop, &block) == loop && block == end_block ? loop : 0;
}

bool keys_set_each(const PyModel *model, PyRef name, PyRef end, void (*visit)(const KeySet *, void *), void *context)
{
  const PyBinding *binding = py_model_binding_at(model, name);
  PyRef next, block;
  if (!first_statement(model, binding, &next))
    return false;
  KeysWalk walk = { .model = model, .name = binding->name, .is_all = true };
  walk.end = py_tree_statement(&model->tree, end, &block);
  if (!walk_to_end(&walk, next) || changes_at_end(&walk))
    return false;
  walk.visit = visit;
  walk.context = context;
  for (int i = 0; i < walk.count; i++) {
    walk.is_maybe_now = walk.is_maybe[i];
    walk.loop_now = walk.is_maybe[i] ? loop_of(&walk, walk.setting[i]) : 0;
    visit_statement(&walk, walk.setting[i]);
  }
  return walk.is_all;
}

bool key_set_text(const PyModel *model, const KeySet *set, Arena *arena, Str *ret_text)
{
  *ret_text = set->keyword;
  return set->keyword.len > 0 || (set->key && py_model_string(model, set->key, arena, ret_text));
}

// --- What a call may get ---

typedef struct KeySearch {
  const PyModel *model;
  Str keyword;
  PyRef dicts[PY_KEYWORD_LIMIT];  ///< Which are to be looked into.
  int count;
  bool is_found;  ///< Or something is not known.
  Arena arena;
} KeySearch;

static void look_into(KeySearch *search, PyRef dict)
{
  if (dict && search->count < PY_KEYWORD_LIMIT)
    search->dicts[search->count++] = dict;
  else
    search->is_found = true;
}

static void look_at_key(const KeySet *set, void *context)
{
  KeySearch *search = context;
  Str text;
  if (!set->key && set->keyword.len == 0)
    look_into(search, set->value);
  else
    search->is_found |= !key_set_text(search->model, set, &search->arena, &text) || str_equal(text, search->keyword);
}

/// `dict(others, opset=13)`
static void look_at_call(KeySearch *search, const PyCall *call)
{
  search->is_found |= !call || !str_equal(call->qualified, STR("dict")) || call->has_splat;
  for (uint32_t i = 0; !search->is_found && i < call->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(search->model, call)[i];
    look_at_key(&(KeySet){ .value = argument->value, .keyword = argument->keyword }, search);
  }
}

/// All that a name is given, if only this scope gives it anything.
static void look_at_name(KeySearch *search, PyRef name)
{
  const PyModel *model = search->model;
  const PyBinding *binding = py_model_binding_at(model, name);
  bool is_one = py_binding_is_only(binding, PY_BIND_ASSIGN);
  search->is_found |= !binding || binding->kind != PY_BIND_ASSIGN;
  bool is_far = binding && binding->scope != py_model_scope_of(model, name);
  if (is_one && (binding->is_changed || !is_far) && !keys_set_each(model, name, name, look_at_key, search))
    search->is_found = true;
  for (; !search->is_found && binding;
       binding = binding->next == PY_ABSENT ? NULL : &model->bindings.items[binding->next]) {
    search->is_found = binding->kind != PY_BIND_ASSIGN || (!is_one && binding->is_changed);
    look_into(search, binding->value);
  }
}

static void look_at(KeySearch *search, PyRef dict)
{
  const PyTree *tree = &search->model->tree;
  switch (py_kind(tree, dict)) {
  case PYK_IDENTIFIER:
    look_at_name(search, dict);
    return;
  case PYK_DICTIONARY:
    visit_pairs(&(KeysWalk){ .model = search->model, .visit = look_at_key, .context = search }, dict);
    return;
  case PYK_CONDITIONAL_EXPRESSION: {
    PyChoice choice = py_tree_choice(tree, dict);
    look_into(search, choice.yes);
    look_into(search, choice.no);
    return;
  }
  case PYK_BINARY_OPERATOR:
  case PYK_BOOLEAN_OPERATOR:
    look_into(search, py_child(tree, dict, PY_F_LEFT));
    look_into(search, py_child(tree, dict, PY_F_RIGHT));
    return;
  default:
    look_at_call(search, py_model_call(search->model, dict));
  }
}

bool keys_may_give(const PyModel *model, const PyCall *call, const char *keyword)
{
  KeySearch search = { .model = model, .keyword = str_from(keyword) };
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->is_dictionary_splat)
      look_into(&search, argument->value);
  }
  for (int i = 0; i < search.count && !search.is_found; i++)
    look_at(&search, py_tree_strip(&model->tree, search.dicts[i]));
  arena_done(&search.arena);
  return search.is_found;
}
