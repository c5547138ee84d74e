// What is done with the fields of ONNX's messages: lists and messages can't be assigned, a list has no members of its
// elements, and takes nothing but such elements. Run with onnx 1.12, 1.17 and 1.20.

#include "python/rules/public_objects.h"
#include "python/rules/tools/proto_fields.h"

enum {
  NUMBERS = PY_INT | PY_BOOL,
  ALL = PY_NONE | NUMBERS | PY_FLOAT | PY_STRING | PY_LIST | PY_DICT | PY_DTYPE | PY_ARRAY | PY_TENSOR,
};

static void say(DiagSink *sink, PyRef node, Str message)
{
  const PyFile *file = sink_python(sink);
  if (!py_tree_try_around(&file->model->tree, node) && !public_is_onnx_itself(file))
    py_say(sink, RULE_UNSTABLE_API, SEVERITY_ERROR, node, message, NULL);
}

static const PyTree *tree_of(const DiagSink *sink)
{
  return &sink_python(sink)->model->tree;
}

/// The type of a field: "onnx.NodeProto[]" of `graph.node`; empty for anything else.
static Str field_type(DiagSink *sink, PyRef attribute)
{
  const PyTree *tree = tree_of(sink);
  if (py_kind(tree, attribute) != PYK_ATTRIBUTE)
    return (Str){ 0 };
  return proto_field_type(public_class_of(sink, py_tree_object(tree, attribute)), py_tree_member_name(tree, attribute));
}

/// "a NodeProto", "a Python int"
static Str type_text(Str type, Arena *arena)
{
  Str element = proto_is_list(type) ? proto_element(type) : type;
  return str_starts_with(element, STR("onnx.")) ? public_class_text(element, arena)
                                                : arena_printf(arena, "a Python %.*s", STR_ARG(element));
}

/// "NodeProto", "int": of which there is a list.
static Str element_text(Str list)
{
  Str element = proto_element(list);
  return str_starts_with(element, STR("onnx.")) ? str_slice(element, 5, element.len) : str_after_last(element, '.');
}

/// The kinds of values that a field or an element of that type takes.
static uint32_t kinds_of(Str type)
{
  if (str_equal(type, STR("int")))
    return NUMBERS;
  if (str_equal(type, STR("float")))
    return NUMBERS | PY_FLOAT;
  if (str_equal(type, STR("str")))
    return PY_STRING;
  return 0;
}

/// What is wrong with a value where one of `type` is wanted; empty if nothing is.
static Str misfit(DiagSink *sink, PyRef node, Str type)
{
  const PyFile *file = sink_python(sink);
  PyValue value = py_file_value(file, node);
  bool is_message = str_starts_with(type, STR("onnx."));
  // An array may have no axes, and then it is a number.
  uint32_t taken = kinds_of(type) | (is_message ? 0 : PY_ARRAY | PY_TENSOR);
  bool is_bytes = str_equal(type, STR("bytes"));
  if (py_file_is_only(value, is_bytes ? PY_NONE | NUMBERS | PY_FLOAT | PY_LIST | PY_ARRAY | PY_TENSOR : ALL & ~taken))
    return py_file_value_text(value, sink->arena);
  Str class_name = public_class_of(sink, node);
  bool is_other = class_name.len > 0 && !str_equal(class_name, type) && !(is_message && !proto_is_message(type));
  if (is_other)
    return public_class_text(class_name, sink->arena);
  Str plain = is_message ? public_plain_of(sink, node) : (Str){ 0 };
  if (plain.len > 0)
    return type_text(plain, sink->arena);
  Str list = is_message ? public_list_of(sink, node) : (Str){ 0 };
  return list.len > 0 ? STR("a list") : (Str){ 0 };
}

/// `graph.node = nodes`, `graph.name = 3`
static void check_assigned(DiagSink *sink, PyRef assignment)
{
  const PyTree *tree = tree_of(sink);
  PyRef left = py_child(tree, assignment, PY_F_LEFT);
  PyRef right = py_child(tree, assignment, PY_F_RIGHT);
  Str type = left && right ? field_type(sink, left) : (Str){ 0 };
  if (type.len == 0)
    return;
  Str name = py_tree_member_name(tree, left);
  bool is_list = proto_is_list(type);
  bool is_augmented = py_kind(tree, assignment) == PYK_AUGMENTED_ASSIGNMENT;
  if (is_list || str_starts_with(type, STR("onnx."))) {
    say(sink, py_tree_member(tree, left),
        arena_printf(sink->arena, "'%.*s' is a %s of a message, which can't be assigned: %s.", STR_ARG(name),
                     is_list ? "list" : "part",
                     is_list ? is_augmented ? "extend() adds to it" : "delete what is in it, and extend() it"
                             : "CopyFrom() changes it"));
    return;
  }
  Str wrong = is_augmented ? (Str){ 0 } : misfit(sink, right, type);
  if (wrong.len > 0)
    say(sink, right,
        arena_printf(sink->arena, "'%.*s' is %.*s, and this is %.*s.", STR_ARG(name),
                     STR_ARG(type_text(type, sink->arena)), STR_ARG(wrong)));
}

/// `graph.input[0] = value`
static void check_element_assigned(DiagSink *sink, PyRef subscript)
{
  const PyTree *tree = tree_of(sink);
  Str list = public_list_of(sink, py_child(tree, subscript, PY_F_VALUE));
  if (str_starts_with(list, STR("onnx.")))
    say(sink, subscript,
        STR("An element of this list is a message, which can't be assigned: CopyFrom() changes it, or delete it and "
            "insert() another."));
}

/// `graph.initializer["w"]`
static void check_key(DiagSink *sink, PyRef subscript)
{
  const PyTree *tree = tree_of(sink);
  PyRef key = py_child(tree, subscript, PY_F_SUBSCRIPT);
  PyRef object = py_child(tree, subscript, PY_F_VALUE);
  Str list = key && py_kind(tree, key) == PYK_STRING ? public_list_of(sink, object) : (Str){ 0 };
  if (list.len > 0)
    say(sink, key,
        arena_printf(sink->arena, "This is a list of %.*s, which goes by numbers and not by names.",
                     STR_ARG(element_text(list))));
}

/// `graph.input.name`, where it is a list
static void check_list_member(DiagSink *sink, PyRef attribute, Str list)
{
  // What one of the releases of protobuf has.
  static const char *const members[] = { "MergeFrom", "add",    "append", "clear",  "count",   "extend",
                                         "index",     "insert", "pop",    "remove", "reverse", "sort" };
  const PyTree *tree = tree_of(sink);
  Str name = py_tree_member_name(tree, attribute);
  Str element = proto_element(list);
  if (str_is_one_of(name, members, COUNT(members)) || str_starts_with(name, STR("_")))
    return;
  bool has_it = proto_field_type(element, name).len > 0 || !str_starts_with(element, STR("onnx."));
  say(sink, py_tree_member(tree, attribute),
      arena_printf(sink->arena, "This is a list of %.*s, which has no member '%.*s'%s.", STR_ARG(element_text(list)),
                   STR_ARG(name), has_it ? ": each of its elements has" : ""));
}

/// `graph.output.append("y")`, `graph.node.extend(node)`
static void check_added(DiagSink *sink, const PyCall *call, Str method, Str list)
{
  const PyModel *model = sink_python(sink)->model;
  Str element = proto_element(list);
  bool is_extend = str_equal(method, STR("extend"));
  bool is_insert = str_equal(method, STR("insert"));
  const PyArgument *given =
      is_extend || is_insert || str_equal(method, STR("append")) || str_equal(method, STR("remove"))
          ? py_model_argument(model, call, is_insert ? 1 : 0, NULL)
          : NULL;
  PyRef values = given ? py_model_resolve(model, given->value) : 0;
  Str class_name = given && is_extend ? public_class_of(sink, given->value) : (Str){ 0 };
  if (class_name.len > 0 && proto_is_message(class_name))
    say(sink, given->value,
        arena_printf(sink->arena, "extend() takes a list, and this is %.*s: append() takes it.",
                     STR_ARG(public_class_text(class_name, sink->arena))));
  bool is_written =
      is_extend && values && (py_kind(&model->tree, values) == PYK_LIST || py_kind(&model->tree, values) == PYK_TUPLE);
  for (PyRef item = is_written ? py_tree_first_element(&model->tree, values) : 0; item || (given && !is_extend);
       item = py_tree_next_element(&model->tree, item)) {
    PyRef node = item ? item : given->value;
    Str wrong = py_tree_is_splat(&model->tree, node) ? (Str){ 0 } : misfit(sink, node, element);
    if (wrong.len > 0)
      say(sink, node,
          arena_printf(sink->arena, "What is in this list is %.*s, and this is %.*s.",
                       STR_ARG(type_text(list, sink->arena)), STR_ARG(wrong)));
    if (!item || wrong.len > 0)
      return;
  }
}

static void check_attribute(DiagSink *sink, PyRef attribute)
{
  const PyTree *tree = tree_of(sink);
  Str list = public_list_of(sink, py_tree_object(tree, attribute));
  if (list.len == 0)
    return;
  check_list_member(sink, attribute, list);
  PyRef parent = tree->nodes[attribute].parent;
  const PyCall *call =
      tree->nodes[attribute].field == PY_F_FUNCTION ? py_model_call(sink_python(sink)->model, parent) : NULL;
  if (call && !call->has_splat)
    check_added(sink, call, py_tree_member_name(tree, attribute), list);
}

void check_python_messages(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  if (!str_contains(tree->text, STR("onnx")) || py_is_torch_itself(file->model) || !public_objects_are_made(file))
    return;
  for (PyRef node = 1; node < tree->count; node++) {
    PyNodeKind kind = py_kind(tree, node);
    if (kind == PYK_ASSIGNMENT || kind == PYK_AUGMENTED_ASSIGNMENT)
      check_assigned(sink, node);
    else if (kind == PYK_SUBSCRIPT && tree->nodes[node].field == PY_F_LEFT)
      check_element_assigned(sink, node);
    else if (kind == PYK_SUBSCRIPT)
      check_key(sink, node);
    else if (kind == PYK_ATTRIBUTE)
      check_attribute(sink, node);
  }
}
