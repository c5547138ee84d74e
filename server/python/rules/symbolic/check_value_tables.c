// What symbolic functions take parts of: `object[index]`. A table may have no such key, and a value or a node of the
// graph no parts.

#include "base/limits.h"
#include "python/rules/export/export_call.h"
#include "python/rules/symbolic/value_check.h"

// --- Tables of torch ---

/// A table of torch.onnx.symbolic_helper, the same in torch 1.13, 2.6 and 2.14.
typedef struct HelperTable {
  const char *name;
  const char *const *keys;  ///< NULL: it is a list.
  size_t key_count;
  const char *sentence;  ///< What its keys are.
} HelperTable;

static const char *const graph_types[] = { "Byte",          "Char",     "Double",   "Float", "Half",
                                           "Int",           "Long",     "Short",    "Bool",  "ComplexFloat",
                                           "ComplexDouble", "BFloat16", "Undefined" };

static const HelperTable helper_tables[] = {
  { "cast_pytorch_to_onnx", graph_types, COUNT(graph_types),
    "its keys are the names of element types in a graph, such as 'Float', 'Long' and 'Bool'" },
  { "scalar_type_to_onnx", NULL, 0, "it is a list, and its indices are PyTorch's numbers of element types" },
  { "scalar_type_to_pytorch_type", NULL, 0, "it is a list, and its indices are PyTorch's numbers of element types" },
};

static const HelperTable *helper_table(const PyModel *model, PyRef object, Arena *arena)
{
  Str prefix = STR("torch.onnx.symbolic_helper.");
  Str name = py_model_qualified(model, object, arena);
  if (!str_starts_with(name, prefix))
    return NULL;
  name = str_slice(name, prefix.len, name.len);
  for (size_t i = 0; i < COUNT(helper_tables); i++) {
    if (str_equal(name, str_from(helper_tables[i].name)))
      return &helper_tables[i];
  }
  return NULL;
}

/// `symbolic_helper.cast_pytorch_to_onnx["torch.float32"]`
static void check_helper_table(DiagSink *sink, PyRef object, PyRef index)
{
  const PyModel *model = sink_python(sink)->model;
  PyValue value = py_file_value(sink_python(sink), index);
  Str key = py_text(&model->tree, index);
  bool is_text = py_kind(&model->tree, py_model_resolve(model, index)) == PYK_STRING &&
                 py_model_string(model, index, sink->arena, &key);
  if (!is_text && !py_file_is_only(value, PY_DTYPE | PY_STRING))
    return;
  const HelperTable *table = helper_table(model, object, sink->arena);
  bool has_key = table && table->keys && !py_file_is_only(value, PY_DTYPE) &&
                 (!is_text || str_is_one_of(key, table->keys, table->key_count));
  if (!table || has_key || sink_python(sink)->torch_is_before || !sink_wants(sink, RULE_HELPER_CALL, OWN))
    return;
  py_say(
      sink, RULE_HELPER_CALL, OWN, index,
      arena_printf(sink->arena, "%s has no '%.*s': %s.", table->name, STR_ARG(str_slice(key, 0, 40)), table->sentence),
      NULL);
}

// --- Tables that are written out ---

/// Whether what a name stands for is a table that is written out: `{"a": 1}`, `dict(a=1)`.
static bool is_written_table(DiagSink *sink, PyRef table)
{
  const PyModel *model = sink_python(sink)->model;
  const PyCall *call = py_model_call(model, table);
  return py_kind(&model->tree, table) == PYK_DICTIONARY || (call && str_equal(call->qualified, STR("dict")));
}

/// True, 1 and 1.0 are the same key.
static uint32_t kinds_as_keys(uint32_t kinds)
{
  const uint32_t numbers = PY_INT | PY_FLOAT | PY_BOOL;
  return kinds & numbers ? kinds | numbers : kinds;
}

/// The kinds of its keys, as keys; 0 if one is not known, or there are none.
static uint32_t kinds_of_keys(DiagSink *sink, PyRef table)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  const PyCall *made = py_model_call(file->model, table);
  uint32_t kinds = 0;
  int count = 0;
  if (made) {
    const PyArgument *first = py_model_argument(file->model, made, 0, NULL);
    return first || made->has_splat || made->has_dictionary_splat || made->argument_count == 0 ? 0 : PY_STRING;
  }
  for (PY_EACH_ELEMENT(tree, pair, table)) {
    PyRef key = py_tree_key(tree, pair);
    uint32_t of_key = key ? py_file_value(file, key).kinds : 0;
    if (of_key == 0 || ++count > PY_ELEMENT_LIMIT)
      return 0;
    kinds |= kinds_as_keys(of_key);
  }
  return kinds;
}

/// Whether the code at the node is of a symbolic function.
static bool is_in_symbolic(const PyModel *model, PyRef node)
{
  uint32_t scope = py_model_scope_of(model, node);
  const uint32_t symbolic = PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD | PY_ROLE_HELPER;
  return scope != PY_ABSENT && (model->functions.items[scope].roles & symbolic);
}

/// Whether the index is a literal, and so are all keys, and it is none of them. The index is resolved.
static bool is_written_nowhere(const PyModel *model, PyRef table, PyRef index)
{
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, index);
  if ((kind != PYK_STRING && kind != PYK_INTEGER) || py_kind(tree, table) != PYK_DICTIONARY ||
      py_model_element(model, table, index))
    return false;
  int count = 0;
  for (PY_EACH_ELEMENT(tree, pair, table)) {
    PyRef key = py_tree_key(tree, pair);
    PyNodeKind of_key = key ? py_kind(tree, key) : PYK_OTHER;
    bool is_plain = of_key == PYK_INTEGER || (of_key == PYK_STRING && strchr("\"'", py_text(tree, key).data[0]));
    if (!is_plain || ++count > PY_ELEMENT_LIMIT)
      return false;
  }
  return count > 0;
}

/// `MODES[mode]`, where mode is a number and all keys are strings. A name that is asked about is not known any more.
static void check_keys(DiagSink *sink, PyRef table, PyRef index)
{
  const PyFile *file = sink_python(sink);
  const uint32_t simple = PY_INT | PY_FLOAT | PY_BOOL | PY_STRING | PY_DTYPE | PY_NONE;
  PyValue value = py_file_value(file, index);
  if (!py_file_is_only(value, simple) || !is_in_symbolic(file->model, index))
    return;
  uint32_t keys = kinds_of_keys(sink, table);
  bool is_other_kind = keys != 0 && (keys & kinds_as_keys(value.kinds)) == 0;
  bool is_missing = !is_other_kind && is_written_nowhere(file->model, table, py_model_resolve(file->model, index));
  if ((!is_other_kind && !is_missing) || py_tree_try_around(&file->model->tree, index) ||
      !sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    return;
  const PyTree *tree = &file->model->tree;
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(sink, table), STR("The table is here.") };
  bool is_own = table < tree->count;
  py_report(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, index,
            (Diagnostic){ .message = is_missing
                                         ? STR("The table has no such key.")
                                         : arena_printf(sink->arena, "'%.*s' is %.*s, and no key of the table is one.",
                                                        STR_ARG(str_slice(py_text(tree, index), 0, 40)),
                                                        STR_ARG(py_file_value_text(value, sink->arena))),
                          .related = is_own ? related : NULL,
                          .related_count = is_own });
}

// --- All ---

/// `x.node()["value"]`, which torch 2.0 took away.
static bool check_node_key(DiagSink *sink, PyRef node, PyRef object)
{
  const PyFile *file = sink_python(sink);
  if (!value_is_node(sink, py_model_resolve(file->model, object)))
    return false;
  if (export_torch_is_from(file, 2, 0) && !py_is_torch_itself(file->model) &&
      sink_wants(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN))
    py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, node,
           STR("Since torch 2.0 a node of the graph has no parts; symbolic_helper._node_get() reads its attributes."),
           NULL);
  return true;
}

/// `x.type()[0]`
static void say_type_index(DiagSink *sink, PyRef node)
{
  py_say(sink, RULE_PYTHON_OPERATION_ON_VALUE, OWN, node,
         STR("This is the type of a graph value, which has no elements: its sizes are in sizes()."), NULL);
}

static void check_written(DiagSink *sink, PyRef object, PyRef index)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef table = py_model_resolve(model, object);
  bool is_table = is_written_table(sink, table);
  if (!value_is_of_graph(sink, index)) {
    if (is_table)
      check_keys(sink, table, index);
    else
      check_helper_table(sink, object, index);
    return;
  }
  if (is_table)
    value_say(sink, index, index, OWN, "find it in a table");
  else if (py_file_is_only(py_file_value(sink_python(sink), object), PY_LIST))
    value_say(sink, index, index, OWN, "count with it");
}

void value_check_index(DiagSink *sink, PyRef node)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  PyRef object = py_child(tree, node, PY_F_VALUE);
  PyRef index = py_child(tree, node, PY_F_SUBSCRIPT);
  if (!object)
    return;
  value_check_number(sink, object);
  if (value_is_of_graph(sink, object))
    value_say(sink, node, object, OWN, "take a part of it");
  else if (py_file_is_only(py_file_value(file, object), PY_TYPE))
    say_type_index(sink, node);
  else if (!value_check_node_values(sink, node, object, "elements") && !check_node_key(sink, node, object) && index)
    check_written(sink, object, index);
  int64_t position;
  int count = value_graph_values(sink, object);
  if (count >= 0 && index && py_model_int(file->model, index, &position) && (position >= count || position < -count))
    value_say_count(sink, node, object, count);
}
