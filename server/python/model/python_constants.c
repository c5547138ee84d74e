// What a file's module-level names stand for, as far as it is written out: the statements that other files can judge
// as if these were theirs (core/workspace_constants.h).

#include <stdlib.h>

#include "base/limits.h"
#include "python/model/python_model_private.h"

typedef struct ConstantBuilder {
  const PyModel *model;
  const PyTree *tree;
  Vec(char) text;
  Vec(PyNode) nodes;
} ConstantBuilder;

// --- What is told ---

static bool is_written_out(PyNodeKind kind)
{
  switch (kind) {
  case PYK_OPERATOR:
  case PYK_IDENTIFIER:
  case PYK_ATTRIBUTE:
  case PYK_SUBSCRIPT:
  case PYK_CALL:
  case PYK_ARGUMENT_LIST:
  case PYK_KEYWORD_ARGUMENT:
  case PYK_LIST_SPLAT:
  case PYK_DICTIONARY_SPLAT:
  case PYK_STRING:
  case PYK_CONCATENATED_STRING:
  case PYK_INTEGER:
  case PYK_FLOAT:
  case PYK_TRUE:
  case PYK_FALSE:
  case PYK_NONE:
  case PYK_LIST:
  case PYK_TUPLE:
  case PYK_SET:
  case PYK_DICTIONARY:
  case PYK_PAIR:
  case PYK_LIST_COMPREHENSION:
  case PYK_DICTIONARY_COMPREHENSION:
  case PYK_FOR_IN_CLAUSE:
  case PYK_PARENTHESIZED_EXPRESSION:
  case PYK_EXPRESSION_LIST:
  case PYK_UNARY_OPERATOR:
  case PYK_BINARY_OPERATOR:
  case PYK_NOT_OPERATOR:
  case PYK_BOOLEAN_OPERATOR:
  case PYK_COMPARISON_OPERATOR:
  case PYK_CONDITIONAL_EXPRESSION:
  case PYK_GENERATOR_EXPRESSION:
  case PYK_SLICE:
    return true;
  default:
    return false;
  }
}

/// A call in it makes an object, and is none of those that are judged where they stand.
static bool is_plain_call(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  Str qualified = call ? call->qualified : (Str){ 0 };
  return call && !str_starts_with(qualified, STR("torch.onnx")) && !str_starts_with(qualified, STR("torch.export")) &&
         !str_starts_with(qualified, STR("torch.library")) && !str_starts_with(qualified, STR("onnx"));
}

static bool is_value(const PyModel *model, PyRef value)
{
  const PyTree *tree = &model->tree;
  if (!value || tree->nodes[value].has_error)
    return false;
  for (PY_EACH_NODE(tree, node, value)) {
    PyNodeKind kind = py_kind(tree, node);
    bool is_string = kind == PYK_STRING;
    if (!is_written_out(kind) || (kind == PYK_CALL && !is_plain_call(model, node)))
      return false;
    if (is_string)
      node = tree->nodes[node].next - 1;
  }
  return true;
}

/// Whether nothing else gives the module's name another value, or changes it in place.
static bool is_only(const PyModel *model, PyRef identifier)
{
  const PyBinding *binding = py_model_binding_of(model, PY_ABSENT, identifier);
  return binding && binding->node == identifier && binding->next == PY_ABSENT && !binding->is_changed;
}

/// Names on the left side; false if there is anything else.
static bool are_only(const PyModel *model, PyRef left)
{
  const PyTree *tree = &model->tree;
  if (py_kind(tree, left) == PYK_IDENTIFIER)
    return is_only(model, left);
  bool is_pattern = py_kind(tree, left) == PYK_PATTERN_LIST || py_kind(tree, left) == PYK_TUPLE_PATTERN;
  for (PyRef name = is_pattern ? py_first_child(tree, left) : 0; name; name = py_next_sibling(tree, name)) {
    if (py_kind(tree, name) != PYK_IDENTIFIER || !is_only(model, name))
      return false;
  }
  return is_pattern;
}

static PyRef assignment_of(const PyTree *tree, PyRef statement)
{
  PyRef inner = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
  return inner && py_kind(tree, inner) == PYK_ASSIGNMENT ? inner : 0;
}

static bool is_constant(const PyModel *model, PyRef statement)
{
  PyRef assignment = assignment_of(&model->tree, statement);
  PyRef left = assignment ? py_child(&model->tree, assignment, PY_F_LEFT) : 0;
  return left && are_only(model, left) && is_value(model, py_child(&model->tree, assignment, PY_F_RIGHT));
}

/// All names of an import are the module's for good.
static bool is_lasting_import(const PyModel *model, PyRef statement)
{
  const PyTree *tree = &model->tree;
  if (tree->nodes[statement].has_error)
    return false;
  for (PyRef node = statement + 1; node < tree->nodes[statement].next; node++) {
    if (py_kind(tree, node) != PYK_IDENTIFIER)
      continue;
    const PyBinding *binding = py_model_binding_of(model, PY_ABSENT, node);
    if (binding && binding->node == node && (binding->next != PY_ABSENT || binding->is_changed))
      return false;
  }
  return true;
}

// --- Flags ---

/// `HAS_IT = True`, where nothing outside of `statement` gives the name another value.
static bool is_flag(const PyModel *model, PyRef statement, PyRef assignment)
{
  const PyTree *tree = &model->tree;
  PyRef left = assignment ? py_child(tree, assignment, PY_F_LEFT) : 0;
  PyRef right = assignment ? py_child(tree, assignment, PY_F_RIGHT) : 0;
  const PyBinding *binding = left ? py_model_binding_of(model, PY_ABSENT, left) : NULL;
  if (!binding || !right || (py_kind(tree, right) != PYK_TRUE && py_kind(tree, right) != PYK_FALSE))
    return false;
  enum { MOST = 4 };
  for (int i = 0; binding && i < MOST; i++) {
    if (binding->node < statement || binding->node >= tree->nodes[statement].next)
      return false;
    binding = binding->next == PY_ABSENT ? NULL : &model->bindings.items[binding->next];
  }
  return !binding;
}

/// Whether a block does nothing but import and set flags; `part` is one, or a clause that has one.
static bool only_sets_flags(const PyModel *model, PyRef statement, PyRef part)
{
  const PyTree *tree = &model->tree;
  PyRef block = py_kind(tree, part) == PYK_BLOCK ? part : py_first_child(tree, part);
  while (block && py_kind(tree, block) != PYK_BLOCK)
    block = py_next_sibling(tree, block);
  for (PyRef inner = block ? py_first_child(tree, block) : 0; inner; inner = py_next_sibling(tree, inner)) {
    PyNodeKind kind = py_kind(tree, inner);
    if (kind != PYK_IMPORT_STATEMENT && kind != PYK_IMPORT_FROM_STATEMENT && kind != PYK_PASS_STATEMENT &&
        !is_flag(model, statement, assignment_of(tree, inner)))
      return false;
  }
  return true;
}

/// `try: ... HAS_IT = True / except ImportError: HAS_IT = False`, and the same with an `if`.
static bool sets_flags(const PyModel *model, PyRef statement)
{
  const PyTree *tree = &model->tree;
  bool is_if = py_kind(tree, statement) == PYK_IF_STATEMENT;
  if (tree->nodes[statement].has_error || (is_if && !is_value(model, py_child(tree, statement, PY_F_CONDITION))))
    return false;
  for (PY_EACH_CHILD(tree, part, statement)) {
    PyNodeKind kind = py_kind(tree, part);
    bool is_part = kind == PYK_BLOCK || kind == PYK_EXCEPT_CLAUSE || kind == PYK_ELSE_CLAUSE;
    if ((is_part && !only_sets_flags(model, statement, part)) || kind == PYK_ELIF_CLAUSE || kind == PYK_FINALLY_CLAUSE)
      return false;
  }
  return true;
}

// --- Classes ---

/// What a class may be made of without its objects being something else than their fields.
static bool is_plain_base(const PyModel *model, PyRef base)
{
  static const char *const names[] = { "object",
                                       "str",
                                       "int",
                                       "enum.Enum",
                                       "enum.IntEnum",
                                       "typing.NamedTuple",
                                       "enum.StrEnum",
                                       "pydantic.BaseModel",
                                       "typing.Protocol" };
  Arena arena = { 0 };
  const PyClass *own = py_model_class_at(model, py_model_class_named(model, base));
  Str name = py_model_qualified(model, base, &arena);
  bool is_one = (own && own->is_plain) || str_is_one_of(name, names, COUNT(names)) ||
                str_is_one_of(py_text(&model->tree, base), names, 3);
  arena_done(&arena);
  return is_one;
}

/// `self.name = value` in an __init__(): the name, if it gets no other value and none of a parameter; 0.
static PyRef field_of_init(const PyModel *model, PyRef class_node, PyRef statement)
{
  const PyTree *tree = &model->tree;
  PyRef assignment = assignment_of(tree, statement);
  PyRef left = assignment ? py_child(tree, assignment, PY_F_LEFT) : 0;
  Str name = py_tree_own_name(tree, left);
  PyRef value = name.len > 0 ? py_child(tree, assignment, PY_F_RIGHT) : 0;
  if (!value || !is_value(model, value) || py_model_member_is_set_elsewhere(model, class_node, name))
    return 0;
  for (PY_EACH_NODE(tree, node, value)) {
    const PyBinding *binding = py_model_binding_at(model, node);
    if (binding && binding->scope != PY_ABSENT)
      return 0;
  }
  return py_tree_member(tree, left);
}

/// The __init__() of the class itself; 0.
static PyRef init_of(const PyModel *model, PyRef class_node)
{
  uint32_t function = py_model_method(model, class_node, STR("__init__"));
  bool is_own = function != PY_ABSENT && model->functions.items[function].class_node == class_node &&
                model->functions.items[function].outer == model->functions.items[function].node;
  return is_own ? model->functions.items[function].node : 0;
}

/// Whether an __init__() does nothing but assign members, whatever they get.
static bool only_assigns(const PyModel *model, PyRef init)
{
  const PyTree *tree = &model->tree;
  PyRef body = py_child(tree, init, PY_F_BODY);
  for (PyRef statement = body ? py_first_child(tree, body) : 0; statement;
       statement = py_next_sibling(tree, statement)) {
    PyRef assignment = assignment_of(tree, statement);
    PyRef inner = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
    bool is_harmless = py_kind(tree, statement) == PYK_PASS_STATEMENT || (inner && py_kind(tree, inner) == PYK_STRING);
    PyRef left = assignment ? py_child(tree, assignment, PY_F_LEFT) : 0;
    if (!is_harmless && !(left && py_kind(tree, left) == PYK_ATTRIBUTE))
      return false;
  }
  return body != 0;
}

static bool has_method(const PyModel *model, PyRef class_node)
{
  PyRef init = init_of(model, class_node);
  static const char *const names[] = { "__new__",          "__post_init__", "__getattr__", "__setattr__",
                                       "__getattribute__", "__call__",      "__getitem__" };
  for (size_t i = 0; i < COUNT(names); i++) {
    if (py_model_class_function(model, class_node, str_from(names[i])) != PY_ABSENT)
      return true;
  }
  return init ? !only_assigns(model, init) : py_model_class_function(model, class_node, STR("__init__")) != PY_ABSENT;
}

/// Fields, and what doesn't change them.
static bool has_plain_body(const PyModel *model, PyRef class_node, PyRef body)
{
  const PyTree *tree = &model->tree;
  for (PY_EACH_CHILD(tree, statement, body)) {
    PyNodeKind kind = py_kind(tree, statement);
    PyRef inner = kind == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
    PyRef left = inner && py_kind(tree, inner) == PYK_ASSIGNMENT ? py_child(tree, inner, PY_F_LEFT) : 0;
    PyRef right = left ? py_child(tree, inner, PY_F_RIGHT) : 0;
    if (left) {
      if (py_kind(tree, left) != PYK_IDENTIFIER || (right && !is_value(model, right)) ||
          py_model_member_is_set_elsewhere(model, class_node, py_text(tree, left)))
        return false;
    } else if (kind != PYK_FUNCTION_DEFINITION && kind != PYK_DECORATED_DEFINITION && kind != PYK_PASS_STATEMENT &&
               !(inner && py_kind(tree, inner) == PYK_STRING)) {
      return false;
    }
  }
  return true;
}

static bool has_plain_decorators(const PyModel *model, PyRef statement)
{
  for (PY_EACH_DECORATOR(model, decorator, statement)) {
    Str text = py_text(&model->tree, decorator);
    if (!str_contains(text, STR("dataclass")) && !str_starts_with(text, STR("attr")) &&
        !str_starts_with(text, STR("unique")) && !str_starts_with(text, STR("enum.unique")))
      return false;
  }
  return true;
}

static bool is_plain_class(const PyModel *model, PyRef statement)
{
  const PyTree *tree = &model->tree;
  PyRef class_node =
      py_kind(tree, statement) == PYK_DECORATED_DEFINITION ? py_child(tree, statement, PY_F_DEFINITION) : statement;
  PyRef name =
      class_node && py_kind(tree, class_node) == PYK_CLASS_DEFINITION ? py_child(tree, class_node, PY_F_NAME) : 0;
  PyRef body = name ? py_child(tree, class_node, PY_F_BODY) : 0;
  PyRef bases = name ? py_child(tree, class_node, PY_F_SUPERCLASSES) : 0;
  if (!body || tree->nodes[statement].has_error || !is_only(model, name) || has_method(model, class_node) ||
      !has_plain_decorators(model, statement))
    return false;
  for (PyRef base = bases ? py_first_child(tree, bases) : 0; base; base = py_next_sibling(tree, base)) {
    if (!is_plain_base(model, base))
      return false;
  }
  return has_plain_body(model, class_node, body);
}

// --- Functions ---

/// What `def name(): return value` gives back, if it takes nothing and does nothing else; 0.
static PyRef result_of(const PyModel *model, PyRef statement)
{
  const PyTree *tree = &model->tree;
  uint32_t index =
      py_kind(tree, statement) == PYK_FUNCTION_DEFINITION ? py_model_function_at(model, statement) : PY_ABSENT;
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  if (!function || function->return_count != 1 || !function->returned || !is_only(model, function->name_node))
    return 0;
  Str after_name = str_slice(tree->text, tree->nodes[function->name_node].end, tree->nodes[statement].end);
  bool is_plain = str_starts_with(py_text(tree, statement), STR("def ")) && str_starts_with(after_name, STR("()"));
  PyRef first = py_first_child(tree, py_child(tree, statement, PY_F_BODY));
  bool is_doc = py_kind(tree, first) == PYK_EXPRESSION_STATEMENT && py_kind(tree, first + 1) == PYK_STRING;
  PyRef only = is_doc ? py_next_sibling(tree, first) : first;
  bool is_all = only == tree->nodes[function->returned].parent && !py_next_sibling(tree, only);
  return is_plain && is_all && is_value(model, function->returned) ? function->returned : 0;
}

static bool is_told(const PyModel *model, PyRef statement)
{
  switch (py_kind(&model->tree, statement)) {
  case PYK_EXPRESSION_STATEMENT:
    return is_constant(model, statement);
  case PYK_IMPORT_STATEMENT:
  case PYK_IMPORT_FROM_STATEMENT:
    return is_lasting_import(model, statement);
  case PYK_CLASS_DEFINITION:
  case PYK_DECORATED_DEFINITION:
    return is_plain_class(model, statement);
  case PYK_FUNCTION_DEFINITION:
    return result_of(model, statement) != 0;
  case PYK_TRY_STATEMENT:
  case PYK_IF_STATEMENT:
    return sets_flags(model, statement);
  default:
    return false;
  }
}

// --- Copies ---

typedef enum Copied {
  COPY_NODE,
  COPY_CHILDREN,  ///< As children of the node around.
  COPY_NOTHING,
} Copied;

/// What an __init__() assigns becomes a member of the class.
static Copied copied_of_init(const PyModel *model, PyRef init, PyRef node)
{
  const PyTree *tree = &model->tree;
  PyRef body = py_child(tree, init, PY_F_BODY);
  PyRef parent = tree->nodes[node].parent;
  if (node == init || node == body)
    return COPY_CHILDREN;
  if (parent == init)
    return COPY_NOTHING;
  PyRef class_node = model->functions.items[py_model_function_at(model, init)].class_node;
  if (parent == body)
    return field_of_init(model, class_node, node) ? COPY_NODE : COPY_NOTHING;
  PyRef statement = tree->nodes[parent].parent;
  bool is_target = tree->nodes[node].field == PY_F_LEFT && tree->nodes[statement].parent == body;
  if (is_target)
    return COPY_CHILDREN;
  bool is_in_target =
      tree->nodes[parent].field == PY_F_LEFT && tree->nodes[tree->nodes[statement].parent].parent == body;
  return is_in_target && tree->nodes[node].field == PY_F_OBJECT ? COPY_NOTHING : COPY_NODE;
}

/// What the methods of a class do is not told, but for its `init`.
static Copied copied(const PyModel *model, PyRef statement, PyRef init, PyRef node)
{
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, node);
  if (init && node >= init && node < tree->nodes[init].next)
    return copied_of_init(model, init, node);
  bool is_method = kind == PYK_FUNCTION_DEFINITION || (kind == PYK_DECORATED_DEFINITION && node != statement);
  return is_method ? COPY_NOTHING : COPY_NODE;
}

/// A statement while it is copied, by the nodes from it on.
typedef struct StatementCopy {
  PyRef statement;
  PyRef init;     ///< Of its class; 0.
  PyRef *places;  ///< Where a node is, or what comes after it.
  bool *kept;
} StatementCopy;

/// The copy of a node; `next` is still the old one, from the statement on.
static PyNode copy_of(const ConstantBuilder *builder, const StatementCopy *copying, PyRef node, PyRef parent)
{
  const PyTree *tree = builder->tree;
  PyRef statement = copying->statement;
  uint32_t shift = (uint32_t)builder->text.count - tree->nodes[statement].start;
  PyNode copy = tree->nodes[node];
  PyRef up = copy.parent;
  if (node != statement && !copying->kept[up - statement] && copy.field == PY_F_ATTRIBUTE)
    copy.field = PY_F_LEFT;
  while (node != statement && !copying->kept[up - statement])
    up = tree->nodes[up].parent;
  copy.parent = node == statement ? parent : copying->places[up - statement];
  copy.next -= statement;
  copy.start += shift;
  copy.end += shift;
  return copy;
}

static PyRef init_of_statement(const PyModel *model, PyRef statement)
{
  const PyTree *tree = &model->tree;
  PyRef class_node =
      py_kind(tree, statement) == PYK_DECORATED_DEFINITION ? py_child(tree, statement, PY_F_DEFINITION) : statement;
  return py_kind(tree, class_node) == PYK_CLASS_DEFINITION ? init_of(model, class_node) : 0;
}

static void add_text(ConstantBuilder *builder, PyRef statement)
{
  Str text = py_text(builder->tree, statement);
  vec_append(&builder->text, text.data, text.len);
  vec_push(&builder->text, '\n');
}

/// A function that only returns becomes `name() = value`: no name of a module is called so, and the rules and features
/// that go through functions don't meet one that is not of their file.
static void copy_function(ConstantBuilder *builder, PyRef statement, PyRef parent)
{
  const PyTree *tree = builder->tree;
  PyRef result = result_of(builder->model, statement);
  PyRef base = (PyRef)builder->nodes.count;
  PyRef count = tree->nodes[result].next - result;
  uint32_t shift = (uint32_t)builder->text.count - tree->nodes[statement].start;
  uint32_t start = tree->nodes[statement].start + shift;
  uint32_t end = tree->nodes[statement].end + shift;
  PyNode name = tree->nodes[py_child(tree, statement, PY_F_NAME)];
  PyRef after = base + 3 + count;
  vec_push(&builder->nodes,
           ((PyNode){ .kind = PYK_EXPRESSION_STATEMENT, .parent = parent, .next = after, .start = start, .end = end }));
  vec_push(&builder->nodes,
           ((PyNode){ .kind = PYK_ASSIGNMENT, .parent = base, .next = after, .start = start, .end = end }));
  vec_push(&builder->nodes, ((PyNode){ .kind = PYK_IDENTIFIER,
                                       .field = PY_F_LEFT,
                                       .parent = base + 1,
                                       .next = base + 3,
                                       .start = name.start + shift,
                                       .end = name.end + 2 + shift }));
  for (PyRef i = 0; i < count; i++) {
    PyNode copy = tree->nodes[result + i];
    copy.parent = i == 0 ? base + 1 : copy.parent - result + base + 3;
    copy.next = copy.next - result + base + 3;
    copy.start += shift;
    copy.end += shift;
    if (i == 0)
      copy.field = PY_F_RIGHT;
    vec_push(&builder->nodes, copy);
  }
  add_text(builder, statement);
}

static void copy_nodes(ConstantBuilder *builder, PyRef statement, PyRef parent)
{
  const PyTree *tree = builder->tree;
  PyRef count = tree->nodes[statement].next - statement;
  size_t first = builder->nodes.count;
  StatementCopy copying = { .statement = statement, .init = init_of_statement(builder->model, statement) };
  copying.places = xcalloc(count + 1, sizeof(*copying.places));
  copying.kept = xcalloc(count + 1, sizeof(*copying.kept));
  for (PyRef i = 0; i < count; i++) {
    copying.places[i] = (PyRef)builder->nodes.count;
    Copied what = copied(builder->model, statement, copying.init, statement + i);
    copying.kept[i] = what == COPY_NODE;
    if (what == COPY_NODE)
      vec_push(&builder->nodes, copy_of(builder, &copying, statement + i, parent));
    PyRef next = tree->nodes[statement + i].next - statement;
    while (what == COPY_NOTHING && i + 1 < next)
      copying.places[++i] = (PyRef)builder->nodes.count;
  }
  copying.places[count] = (PyRef)builder->nodes.count;
  for (size_t i = first; i < builder->nodes.count; i++)
    builder->nodes.items[i].next = copying.places[builder->nodes.items[i].next];
  free(copying.places);
  free(copying.kept);
  add_text(builder, statement);
}

/// As the body of a function without a name: its names are a scope of their own.
static void begin_module(ConstantBuilder *builder)
{
  vec_push(&builder->nodes, ((PyNode){ .kind = PYK_FUNCTION_DEFINITION }));
  vec_push(&builder->nodes, ((PyNode){ .kind = PYK_BLOCK, .field = PY_F_BODY }));
}

static void end_module(ConstantBuilder *builder)
{
  for (size_t i = 0; i < 2; i++) {
    builder->nodes.items[i].next = (PyRef)builder->nodes.count;
    builder->nodes.items[i].end = (uint32_t)builder->text.count;
  }
}

/// `from module import *`
static bool brings_all(const PyTree *tree, PyRef statement)
{
  PyRef last = tree->nodes[statement].next - 1;
  return py_kind(tree, statement) == PYK_IMPORT_FROM_STATEMENT && py_kind(tree, last) == PYK_WILDCARD_IMPORT;
}

/// What stands before this may be given other values by names that are not written out: those of `import *`, or any.
static PyRef overridden_before(const PyModel *model)
{
  const PyTree *tree = &model->tree;
  static const char *const words[] = { "globals()", "exec(", "sys.modules[" };
  if (py_model_mentions_one_of(model, words, COUNT(words)))
    return tree->count;
  PyRef last = 0;
  for (PyRef node = 1; model->star_imports.count > 0 && node < tree->count; node++)
    last = py_kind(tree, node) == PYK_WILDCARD_IMPORT ? node : last;
  return last;
}

void python_add_constants(const PyModel *model, WorkspaceFile *file)
{
  const PyTree *tree = &model->tree;
  PyRef overridden = overridden_before(model);
  ConstantBuilder builder = { .model = model, .tree = tree };
  begin_module(&builder);
  for (PY_EACH_CHILD(tree, statement, 0)) {
    size_t size = tree->nodes[statement].end - tree->nodes[statement].start;
    bool may_last = tree->nodes[statement].next > overridden || brings_all(tree, statement);
    if (may_last && size <= CONSTANT_SIZE_LIMIT && builder.text.count + size < CONSTANT_TOTAL_LIMIT &&
        is_told(model, statement))
      (py_kind(tree, statement) == PYK_FUNCTION_DEFINITION ? copy_function : copy_nodes)(&builder, statement, 1);
  }
  end_module(&builder);
  file->constants.text = arena_copy(&file->arena, str_make(builder.text.items, builder.text.count));
  file->constants.nodes = vec_copy(&builder.nodes, &file->arena);
  file->constants.node_count = (uint32_t)builder.nodes.count;
  vec_free(&builder.text);
  vec_free(&builder.nodes);
}
