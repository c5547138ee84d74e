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
  case PYK_PARENTHESIZED_EXPRESSION:
  case PYK_EXPRESSION_LIST:
  case PYK_UNARY_OPERATOR:
  case PYK_BINARY_OPERATOR:
  case PYK_NOT_OPERATOR:
    return true;
  default:
    return false;
  }
}

/// A call in it makes an object, and is none of those that are judged where they stand.
static bool is_plain_call(const PyModel *model, PyRef node)
{
  uint32_t index = py_model_call_at(model, node);
  Str qualified = index == PY_ABSENT ? (Str){ 0 } : model->calls.items[index].qualified;
  return index != PY_ABSENT && !str_starts_with(qualified, STR("torch.onnx")) &&
         !str_starts_with(qualified, STR("torch.export")) && !str_starts_with(qualified, STR("torch.library")) &&
         !str_starts_with(qualified, STR("onnx"));
}

static bool is_value(const PyModel *model, PyRef value)
{
  const PyTree *tree = &model->tree;
  if (!value || tree->nodes[value].has_error)
    return false;
  for (PyRef node = value; node < tree->nodes[value].next; node++) {
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
  uint32_t found = py_model_lookup(model, PY_ABSENT, py_text(&model->tree, identifier));
  const PyBinding *binding = found == PY_ABSENT ? NULL : &model->bindings.items[found];
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
    uint32_t found = py_model_lookup(model, PY_ABSENT, py_text(tree, node));
    const PyBinding *binding = found == PY_ABSENT ? NULL : &model->bindings.items[found];
    if (binding && binding->node == node && (binding->next != PY_ABSENT || binding->is_changed))
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

static bool has_method(const PyModel *model, PyRef class_node)
{
  static const char *const names[] = { "__init__",    "__new__",          "__post_init__", "__getattr__",
                                       "__setattr__", "__getattribute__", "__call__",      "__getitem__" };
  for (size_t i = 0; i < COUNT(names); i++) {
    if (py_model_class_function(model, class_node, str_from(names[i])) != PY_ABSENT)
      return true;
  }
  return false;
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
  PyRef at = 0;
  for (PyRef decorator; (decorator = py_model_next_decorator(model, statement, &at)) != 0;) {
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
  default:
    return false;
  }
}

// --- Copies ---

/// A method: what it does is not told.
static bool is_left_out(const PyTree *tree, PyRef statement, PyRef node)
{
  PyNodeKind kind = py_kind(tree, node);
  return kind == PYK_FUNCTION_DEFINITION || (kind == PYK_DECORATED_DEFINITION && node != statement);
}

static void copy_nodes(ConstantBuilder *builder, PyRef statement, PyRef parent)
{
  const PyTree *tree = builder->tree;
  PyRef count = tree->nodes[statement].next - statement;
  PyRef *places = xcalloc(count + 1, sizeof(*places));
  size_t first = builder->nodes.count;
  uint32_t start = tree->nodes[statement].start;
  uint32_t shift = (uint32_t)builder->text.count;
  for (PyRef i = 0; i < count; i++) {
    places[i] = (PyRef)builder->nodes.count;
    if (is_left_out(tree, statement, statement + i)) {
      PyRef next = tree->nodes[statement + i].next - statement;
      while (++i < next)
        places[i] = (PyRef)builder->nodes.count;
      i--;
      continue;
    }
    PyNode node = tree->nodes[statement + i];
    node.parent = i == 0 ? parent : places[node.parent - statement];
    node.next -= statement;  // A place once all of them are known.
    node.start += shift - start;
    node.end += shift - start;
    vec_push(&builder->nodes, node);
  }
  places[count] = (PyRef)builder->nodes.count;
  for (size_t i = first; i < builder->nodes.count; i++)
    builder->nodes.items[i].next = places[builder->nodes.items[i].next];
  free(places);
  Str text = py_text(tree, statement);
  vec_append(&builder->text, text.data, text.len);
  vec_push(&builder->text, '\n');
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

void python_add_constants(const PyModel *model, WorkspaceFile *file)
{
  const PyTree *tree = &model->tree;
  ConstantBuilder builder = { .model = model, .tree = tree };
  begin_module(&builder);
  for (PY_EACH_CHILD(tree, statement, 0)) {
    size_t size = tree->nodes[statement].end - tree->nodes[statement].start;
    if (size <= CONSTANT_SIZE_LIMIT && builder.text.count + size < CONSTANT_TOTAL_LIMIT && is_told(model, statement))
      copy_nodes(&builder, statement, 1);
  }
  end_module(&builder);
  file->constants.text = arena_copy(&file->arena, str_make(builder.text.items, builder.text.count));
  file->constants.nodes = vec_copy(&builder.nodes, &file->arena);
  file->constants.node_count = (uint32_t)builder.nodes.count;
  vec_free(&builder.text);
  vec_free(&builder.nodes);
}
