// What classes and literals hold: members of classes and of their objects, elements of tables that are written out.

#include "base/ascii.h"
#include "base/limits.h"
#include "base/search.h"
#include "base/sort.h"
#include "python/model/python_model_private.h"

// --- Members, while they are found ---

void python_note_assigned_member(PyModel *model, PyRef class_node, Str name, PyRef value)
{
  vec_push(&model->members,
           ((PyMember){ .class_node = class_node, .name = name, .value = value, .function = PY_ABSENT }));
}

static int compare_keys(const PyMember *a, const PyMember *b)
{
  if (a->class_node != b->class_node)
    return a->class_node < b->class_node ? -1 : 1;
  return str_compare(a->name, b->name);
}

static int compare_members(const void *a, const void *b)
{
  return compare_keys(a, b);
}

// --- What is changed in place ---

/// Methods of lists, dicts and sets that change them.
static bool changes_object(Str method)
{
  static const char *const names[] = { "append",  "extend", "insert", "remove",     "pop",     "clear",  "sort",
                                       "reverse", "update", "add",    "setdefault", "popitem", "discard" };
  return str_is_one_of(method, names, COUNT(names));
}

/// The object that the node changes in place or assigns a member of: `x.y.append(...)`, `x.y[0] = ...`; 0 for none.
static PyRef changed_object(const PyTree *tree, PyRef node)
{
  PyNodeKind kind = py_kind(tree, node);
  if (kind != PYK_ATTRIBUTE && kind != PYK_SUBSCRIPT)
    return 0;
  PyRef parent = tree->nodes[node].parent;
  PyNodeKind around = py_kind(tree, parent);
  if (kind == PYK_ATTRIBUTE) {
    PyRef method = around == PYK_CALL ? py_tree_member(tree, node) : 0;
    return method && changes_object(py_text(tree, method)) ? py_tree_object(tree, node) : 0;
  }
  bool is_target = around == PYK_DELETE_STATEMENT || around == PYK_PATTERN_LIST || around == PYK_TUPLE_PATTERN ||
                   ((around == PYK_ASSIGNMENT || around == PYK_AUGMENTED_ASSIGNMENT || around == PYK_FOR_STATEMENT) &&
                    py_child(tree, parent, PY_F_LEFT) == node);
  return is_target ? py_child(tree, node, PY_F_VALUE) : 0;
}

PyRef python_changed_name(const PyTree *tree, PyRef node)
{
  PyRef object = changed_object(tree, node);
  return object && py_kind(tree, object) == PYK_IDENTIFIER ? object : 0;
}

void python_note_changed(PyModel *model, PyRef node)
{
  PyRef object = node < model->tree.count ? changed_object(&model->tree, node) : 0;
  if (object)
    vec_push(&model->changed, object);
}

void python_note_changes(PyModel *model)
{
  for (size_t i = 0; i < model->changed.count; i++) {
    PyRef object = model->changed.items[i];
    const PyBinding *binding = py_model_binding_at(model, object);
    if (binding)
      model->bindings.items[binding - model->bindings.items].is_changed = true;
  }
}

/// `setattr(model, "forward", f)` and `patch.object(model, "forward")`: of which class is not asked.
static void note_named_member(PyModel *model, const PyCall *call)
{
  const PyTree *tree = &model->tree;
  Str called = py_text(tree, call->function_node);
  if (!str_ends_with(called, STR("setattr")) && !str_ends_with(called, STR("patch.object")))
    return;
  PyRef object = py_tree_first_element(tree, call->list_node);
  PyRef name = object ? py_tree_next_element(tree, object) : 0;
  Str text = name && py_kind(tree, name) == PYK_STRING ? py_text(tree, name) : (Str){ 0 };
  if (text.len > 2)
    python_note_assigned_member(model, 0, str_slice(text, 1, text.len - 1), 0);
}

/// Members that hold what is changed in place: `self.axes.append(1)`. Of which class is not asked.
static void note_changed_members(PyModel *model)
{
  const PyTree *tree = &model->tree;
  for (size_t i = 0; i < model->changed.count; i++) {
    PyRef object = model->changed.items[i];
    PyRef name = py_tree_member(tree, object);
    if (name)
      python_note_assigned_member(model, 0, py_text(tree, name), 0);
  }
  for (size_t i = 0; i < model->calls.count; i++)
    note_named_member(model, &model->calls.items[i]);
}

/// `Class.name = value`, which is noted like a member of any class: it is that of the class.
static void find_owner(const PyModel *model, PyMember *member)
{
  const PyTree *tree = &model->tree;
  PyRef left = !member->class_node && member->value ? py_child(tree, tree->nodes[member->value].parent, PY_F_LEFT) : 0;
  if (!left)
    return;
  member->class_node = py_model_class_named(model, py_tree_object(tree, left));
  if (!member->class_node)
    member->value = 0;
}

// --- Members, when they are asked for ---

/// The first class of this file that it derives from; NULL.
static const PyClass *base_of(const PyModel *model, const PyClass *class)
{
  return class->base == PY_ABSENT ? NULL : &model->classes.items[class->base];
}

/// The first of the members with that key, and how many these are.
static const PyMember *members_of(const PyModel *model, PyRef class_node, Str name, size_t *ret_count)
{
  const PyMember key = { .class_node = class_node, .name = name };
  size_t at, end;
  SEARCH_FIRST(at, 0, model->members.count, compare_keys(&model->members.items[at], &key) < 0);
  for (end = at; end < model->members.count && end < at + 2 && compare_keys(&model->members.items[end], &key) == 0;)
    end++;
  *ret_count = end - at;
  return end > at ? &model->members.items[at] : NULL;
}

static void note_overridden(PyModel *model, const PyMember *member)
{
  const PyClass *class = py_model_class_at(model, member->class_node);
  for (int depth = 0; class && depth < PY_ALIAS_LIMIT; depth++) {
    size_t count;
    class = base_of(model, class);
    const PyMember *found = class ? members_of(model, class->node, member->name, &count) : NULL;
    if (found)
      model->members.items[found - model->members.items].is_overridden = true;
  }
}

void python_index_members(PyModel *model)
{
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->class_node)
      vec_push(&model->members,
               ((PyMember){ .class_node = function->class_node, .name = function->name, .function = i }));
  }
  note_changed_members(model);
  for (size_t i = 0; i < model->members.count; i++)
    find_owner(model, &model->members.items[i]);
  python_note_parsed_arguments(model);
  sort_stable(model->members.items, model->members.count, sizeof(PyMember), compare_members);
  for (size_t i = 0; i < model->classes.count; i++)
    python_read_bases(model, &model->classes.items[i]);
  for (size_t i = 0; i < model->members.count; i++)
    note_overridden(model, &model->members.items[i]);
}

bool py_model_member_is_set_elsewhere(const PyModel *model, PyRef class_node, Str name)
{
  size_t count = 0;
  if (members_of(model, 0, name, &count))
    return true;
  members_of(model, class_node, name, &count);
  return count > 1;
}

size_t py_model_member_changes(const PyModel *model, Str name)
{
  size_t count = 0;
  members_of(model, 0, name, &count);
  return count;
}

bool py_model_names_member(const PyModel *model, PyRef class_node, Str name)
{
  size_t count;
  return members_of(model, 0, name, &count) || members_of(model, class_node, name, &count);
}

/// What the class says of a name, or one that it derives from; NULL if it says nothing, or more than one thing.
static const PyMember *only_member(const PyModel *model, PyRef class_node, Str name)
{
  size_t count = 0;
  if (!class_node || members_of(model, 0, name, &count))
    return NULL;
  const PyClass *class = py_model_class_at(model, class_node);
  for (int depth = 0; class && depth < PY_ALIAS_LIMIT; depth++, class = base_of(model, class)) {
    const PyMember *member = members_of(model, class->node, name, &count);
    if (member)
      return count == 1 ? member : NULL;
  }
  return NULL;
}

bool py_model_is_overridden(const PyModel *model, PyRef class_node, Str name)
{
  size_t count;
  const PyMember *member = class_node ? members_of(model, class_node, name, &count) : NULL;
  return member && member->is_overridden;
}

uint32_t py_model_own_method(const PyModel *model, PyRef class_node, Str name)
{
  const PyMember key = { .class_node = class_node, .name = name };
  uint32_t found = PY_ABSENT;
  size_t at;
  SEARCH_FIRST(at, 0, model->members.count, compare_keys(&model->members.items[at], &key) < 0);
  for (; at < model->members.count && compare_keys(&model->members.items[at], &key) == 0; at++) {
    uint32_t function = model->members.items[at].function;
    if (function != PY_ABSENT && found != PY_ABSENT)
      return PY_ABSENT;
    found = function != PY_ABSENT ? function : found;
  }
  return found;
}

uint32_t py_model_method(const PyModel *model, PyRef class_node, Str name)
{
  const PyMember *member = only_member(model, class_node, name);
  bool is_known =
      member && member->function != PY_ABSENT && !model->functions.items[member->function].has_unknown_decorator;
  return is_known ? member->function : PY_ABSENT;
}

/// What stands in `staticmethod(...)`; else the node.
static PyRef inside_staticmethod(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  const PyArgument *argument = call ? py_model_argument(model, call, 0, NULL) : NULL;
  return argument && str_equal(py_text(&model->tree, call->function_node), STR("staticmethod")) ? argument->value
                                                                                                : node;
}

uint32_t py_model_class_function(const PyModel *model, PyRef class_node, Str name)
{
  const PyClass *class = py_model_class_at(model, class_node);
  for (int depth = 0; class && depth < PY_ALIAS_LIMIT; depth++, class = base_of(model, class)) {
    size_t count;
    const PyMember *member = members_of(model, class->node, name, &count);
    if (member && count > 1)
      return PY_ABSENT;  // Perhaps in branches.
    if (member && member->function != PY_ABSENT)
      return member->function;
    if (member) {
      PyCallable found = py_model_callable(model, inside_staticmethod(model, member->value));
      return found.partial == PY_ABSENT && found.parse_args == PY_ABSENT ? found.function : PY_ABSENT;
    }
  }
  return PY_ABSENT;
}

/// `Kind.FLOAT.value`: the enumeration of the member before the dot; 0.
static PyRef enum_of_value(const PyModel *model, PyRef object, Str name)
{
  PyRef class_name = str_equal(name, STR("value")) ? py_tree_object(&model->tree, object) : 0;
  PyRef class_node = class_name ? py_model_class_named(model, class_name) : 0;
  const PyClass *class = py_model_class_at(model, class_node);
  return class && class->is_enum ? class_node : 0;
}

/// `@property`
static bool is_property(const PyModel *model, uint32_t function)
{
  PyRef at = 0;
  PyRef decorator = py_model_next_decorator(model, model->functions.items[function].outer, &at);
  return decorator && str_ends_with(py_text(&model->tree, decorator), STR("property"));
}

/// What `Class(...)` gives a field that the body of the class declares, where no __init__() does something else: of a
/// dataclass or a NamedTuple. 0 if it gives nothing.
static PyRef given_field(const PyModel *model, PyRef object, PyRef class_node, Str name)
{
  const PyTree *tree = &model->tree;
  size_t count;
  const PyCall *call = py_model_call(model, object);
  PyRef body = py_child(tree, class_node, PY_F_BODY);
  if (!call || !body || call->argument_count == 0 || call->has_splat ||
      members_of(model, class_node, STR("__init__"), &count))
    return 0;
  uint32_t position = 0;
  for (PY_EACH_CHILD(tree, statement, body)) {
    PyRef field = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
    if (!field || py_kind(tree, field) != PYK_ASSIGNMENT || !py_child(tree, field, PY_F_TYPE))
      continue;
    if (str_equal(py_text(tree, py_child(tree, field, PY_F_LEFT)), name)) {
      const PyArgument *argument = py_model_argument_of(model, call, position, name);
      return argument ? argument->value : 0;
    }
    if (++position > PY_ELEMENT_LIMIT)
      return 0;
  }
  return 0;
}

/// What `SimpleNamespace(name=value)` gives a member that nothing else is assigned to; 0.
static PyRef value_in_namespace(const PyModel *model, PyRef object, Str name)
{
  size_t count;
  const PyCall *call = py_model_call(model, object);
  if (!call || members_of(model, 0, name, &count) || call->has_dictionary_splat)
    return 0;
  Arena arena = { 0 };
  Str made = py_model_qualified(model, call->function_node, &arena);
  bool is_one = str_equal(made, STR("types.SimpleNamespace")) || str_equal(made, STR("argparse.Namespace"));
  arena_done(&arena);
  const PyArgument *argument = is_one ? py_model_argument_of(model, call, PY_ABSENT, name) : NULL;
  return argument ? argument->value : 0;
}

/// Where a field stands in "name function opset", or "name, function"; PY_ABSENT.
static uint32_t position_in_text(Str fields, Str name)
{
  uint32_t position = 0;
  for (size_t start = 0, end; start < fields.len; start = end + 1) {
    for (end = start; end < fields.len && (ascii_is_word(fields.data[end])); end++)
      continue;
    if (str_equal(str_slice(fields, start, end), name))
      return position;
    position += end > start;
  }
  return PY_ABSENT;
}

/// The call `namedtuple("Spec", "name function")` that a name is assigned once; NULL. Only what stands there is looked
/// at, as this is a part of finding out what names stand for.
static const PyCall *namedtuple_named(const PyModel *model, PyRef name)
{
  const PyBinding *binding = py_model_binding_at(model, name);
  const PyCall *maker = py_binding_is_only(binding, PY_BIND_ASSIGN) ? py_model_call(model, binding->value) : NULL;
  bool is_one = maker && maker->argument_count == 2 && str_equal(maker->qualified, STR("collections.namedtuple"));
  return is_one ? maker : NULL;
}

/// What `Spec("aten::elu", elu)` of `Spec = namedtuple("Spec", "name function")` gives a field; 0.
static PyRef value_in_namedtuple(const PyModel *model, PyRef object, Str name)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, object);
  const PyCall *maker =
      call && !call->has_splat && !call->has_dictionary_splat ? namedtuple_named(model, call->function_node) : NULL;
  const PyArgument *fields = maker ? py_model_argument(model, maker, 1, "field_names") : NULL;
  PyNodeKind kind = fields ? py_kind(tree, fields->value) : PYK_OTHER;
  uint32_t position = kind == PYK_STRING ? position_in_text(py_text(tree, fields->value), name) : PY_ABSENT, at = 0;
  bool is_list = kind == PYK_LIST || kind == PYK_TUPLE;
  for (PyRef item = is_list ? py_tree_first_element(tree, fields->value) : 0; item && at < PY_ELEMENT_LIMIT;
       item = py_tree_next_element(tree, item), at++) {
    if (py_kind(tree, item) == PYK_STRING && position_in_text(py_text(tree, item), name) == 0)
      position = at;
  }
  const PyArgument *argument = position == PY_ABSENT ? NULL : py_model_argument_of(model, call, position, name);
  return argument ? argument->value : 0;
}

/// `args.opset`, see python_argparse.c.
static PyRef value_of_parsed(const PyModel *model, PyRef parser, Str name)
{
  size_t count;
  const PyMember *member =
      parser && !members_of(model, 0, name, &count) ? members_of(model, parser, name, &count) : NULL;
  return member && count == 1 && !member->is_default ? member->value : 0;
}

PyRef py_model_default_number(const PyModel *model, PyRef object, Str name)
{
  size_t count;
  PyRef parser = python_parser_of(model, object);
  const PyMember *member =
      parser && !members_of(model, 0, name, &count) ? members_of(model, parser, name, &count) : NULL;
  return member && count == 1 && member->is_default ? member->value : 0;
}

/// `self.model = None`: something else will be assigned, maybe from another file, or it would not be there.
static bool is_placeholder(const PyTree *tree, PyRef value)
{
  return value && py_kind(tree, value) == PYK_NONE;
}

static PyRef value_of_attribute(const PyModel *model, PyRef node, int *steps)
{
  const PyTree *tree = &model->tree;
  PyRef object = py_tree_object(tree, node);
  PyRef member = py_tree_member(tree, node);
  if (!object || !member)
    return 0;
  object = py_tree_strip(tree, object);
  Str name = py_text(tree, member);
  size_t count;
  uint32_t foreign = members_of(model, 0, name, &count) ? PY_ABSENT : py_model_foreign_member(model, node);
  if (foreign != PY_ABSENT)
    return python_foreign_value(model, foreign);
  PyRef class_node = enum_of_value(model, object, name);
  if (class_node) {
    name = py_tree_member_name(tree, object);
  } else {
    object = python_resolve(model, object, steps);
    class_node = py_model_class_named(model, object);
    if (!class_node)
      class_node = py_model_class_of_object(model, object);
    const PyClass *class = py_model_class_at(model, class_node);
    PyRef parsed = class ? 0 : value_of_parsed(model, python_parser_of(model, object), name);
    if (!class && !parsed)
      parsed = value_in_namespace(model, object, name);
    if (!class)
      return parsed ? parsed : value_in_namedtuple(model, object, name);
    if (class->is_enum)
      return 0;
    PyRef given = given_field(model, object, class_node, name);
    if (given)
      return given;
  }
  bool is_own = str_equal(py_text(tree, object), STR("self")) || str_equal(py_text(tree, object), STR("cls"));
  if (is_own && py_model_is_overridden(model, class_node, name))
    return 0;
  const PyMember *found = only_member(model, class_node, name);
  if (found && found->function != PY_ABSENT && is_property(model, found->function))
    return model->functions.items[found->function].returned;
  return found && !is_placeholder(tree, found->value) ? found->value : 0;
}

PyRef python_written_result(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  uint32_t own = call ? call->function : PY_ABSENT;
  const PyFunction *function = own == PY_ABSENT ? NULL : &model->functions.items[own];
  bool is_all = function && function->returned && function->outer == function->node &&
                model->tree.nodes[function->returned].parent == function->body + 1;
  return is_all ? py_model_resolve(model, function->returned) : node;
}

PyRef python_member_of(const PyModel *model, PyRef object, Str member)
{
  object = py_model_resolve(model, object);
  PyRef class_node = py_model_class_of_object(model, object);
  PyRef given =
      class_node ? given_field(model, object, class_node, member) : value_in_namedtuple(model, object, member);
  const PyMember *only = given || class_node ? only_member(model, class_node, member) : NULL;
  return given ? given : only ? only->value : 0;
}

PyRef python_member_by_names(const PyModel *model, PyRef place, Str object, Str member)
{
  uint32_t scope = py_model_scope_of(model, place);
  const PyFunction *around = scope == PY_ABSENT ? NULL : &model->functions.items[scope];
  bool is_self = around && str_equal(object, STR("self"));
  bool is_own = is_self || (around && around->is_class_method && str_equal(object, STR("cls")));
  uint32_t found = is_own ? PY_ABSENT : py_model_lookup(model, scope, object);
  const PyBinding *binding = found == PY_ABSENT ? NULL : &model->bindings.items[found];
  bool is_made = py_binding_is_only(binding, PY_BIND_ASSIGN) && binding->value;
  PyRef class_node = is_own    ? around->class_node
                     : is_made ? py_model_class_of_object(model, binding->value)
                               : py_model_class_bound(model, found);
  const PyClass *class = py_model_class_at(model, class_node);
  if (!class || class->is_enum || (is_own && py_model_is_overridden(model, class_node, member)))
    return 0;
  PyRef given = is_made ? given_field(model, binding->value, class_node, member) : 0;
  const PyMember *only = given ? NULL : only_member(model, class_node, member);
  return given ? given : only ? only->value : 0;
}

// --- Elements ---

static bool same_key(const PyModel *model, PyRef a, PyRef b)
{
  const PyTree *tree = &model->tree;
  if (py_kind(tree, a) != py_kind(tree, b) || (py_kind(tree, a) != PYK_STRING && py_kind(tree, a) != PYK_INTEGER))
    return false;
  Arena arena = { 0 };
  Str first, second;
  bool same = py_kind(tree, a) == PYK_INTEGER
                  ? str_equal(py_text(tree, a), py_text(tree, b))
                  : py_model_string(model, a, &arena, &first) && py_model_string(model, b, &arena, &second) &&
                        str_equal(first, second);
  arena_done(&arena);
  return same;
}

/// The value of a key in a dictionary that is written out; 0 if that is not sure.
static PyRef value_of_key(const PyModel *model, PyRef dictionary, PyRef key)
{
  const PyTree *tree = &model->tree;
  PyRef value = 0;
  int seen = 0;
  for (PY_EACH_ELEMENT(tree, pair, dictionary)) {
    PyRef name = py_tree_key(tree, pair);
    if (!name || ++seen > PY_ELEMENT_LIMIT)
      return 0;
    if (same_key(model, py_tree_strip(tree, name), key))
      value = py_child(tree, pair, PY_F_VALUE);
  }
  return value;
}

static PyRef element_at(const PyTree *tree, PyRef list, int64_t position)
{
  PyRef item = position >= 0 && position < PY_ELEMENT_LIMIT ? py_tree_first_element(tree, list) : 0;
  for (; item && !py_tree_is_splat(tree, item); item = py_tree_next_element(tree, item)) {
    if (position-- == 0)
      return item;
  }
  return 0;
}

/// The value of a key of `dict(key=value)`; 0 if the node is no such call, or what it gives is not sure.
static PyRef value_of_keyword(const PyModel *model, PyRef node, PyRef key)
{
  const PyCall *call = py_kind(&model->tree, key) == PYK_STRING ? py_model_call(model, node) : NULL;
  if (!call || !str_equal(py_text(&model->tree, call->function_node), STR("dict")) ||
      py_model_lookup(model, call->scope, STR("dict")) != PY_ABSENT || call->has_dictionary_splat || call->has_splat ||
      py_model_argument_of(model, call, 0, (Str){ 0 }))
    return 0;
  Arena arena = { 0 };
  Str name;
  const PyArgument *argument =
      py_model_string(model, key, &arena, &name) ? py_model_argument_of(model, call, PY_ABSENT, name) : NULL;
  arena_done(&arena);
  return argument ? argument->value : 0;
}

PyRef py_model_element(const PyModel *model, PyRef container, PyRef key)
{
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, container);
  int64_t position;
  if (kind == PYK_DICTIONARY)
    return value_of_key(model, container, key);
  if (kind == PYK_CALL)
    return value_of_keyword(model, container, key);
  bool is_list = kind == PYK_LIST || kind == PYK_TUPLE;
  return is_list && py_model_int(model, key, &position) ? element_at(tree, container, position) : 0;
}

static PyRef value_of_subscript(const PyModel *model, PyRef node, int *steps)
{
  const PyTree *tree = &model->tree;
  PyRef key = py_child(tree, node, PY_F_SUBSCRIPT);
  PyRef object = py_child(tree, node, PY_F_VALUE);
  if (!key || !object)
    return 0;
  object = python_resolve(model, object, steps);
  return py_model_element(model, object, python_resolve(model, key, steps));
}

PyRef python_resolve_member(const PyModel *model, PyRef node, int *steps)
{
  return py_kind(&model->tree, node) == PYK_ATTRIBUTE ? value_of_attribute(model, node, steps)
                                                      : value_of_subscript(model, node, steps);
}
