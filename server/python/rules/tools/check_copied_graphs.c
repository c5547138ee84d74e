// `make_graph(model.graph.node, ...)` of a model that is loaded, without its initializers: what the nodes take as
// weights is nowhere then. Run with onnx 1.12, 1.17 and 1.20.

#include "base/limits.h"
#include "python/rules/public_objects.h"
#include "python/rules/tools/session_model.h"
#include "python/rules/written_items.h"

/// `model.graph.node` of `list(model.graph.node)`, `model.graph.node[:-1]` and `[n for n in model.graph.node]`.
static PyRef nodes_copied(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  for (int depth = 0; depth < PY_CHAIN_LIMIT; depth++) {
    node = py_model_resolve(model, node);
    const PyCall *copy = written_copy(model, node, "list");
    PyRef index = py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_SUBSCRIPT) : 0;
    PyRef body = py_kind(tree, node) == PYK_LIST_COMPREHENSION ? py_first_child(tree, node) : 0;
    PyRef clause = body ? py_next_sibling(tree, body) : 0;
    if (copy)
      node = py_model_arguments(model, copy)->value;
    else if (index && py_kind(tree, index) == PYK_SLICE)
      node = py_child(tree, node, PY_F_VALUE);
    else if (clause && py_kind(tree, clause) == PYK_FOR_IN_CLAUSE &&
             str_equal(py_text(tree, body), py_text(tree, py_child(tree, clause, PY_F_LEFT))))
      node = py_child(tree, clause, PY_F_RIGHT);
    else
      break;
  }
  return node;
}

/// The onnx.load() that the nodes come from; NULL.
static const PyCall *loaded(const PyModel *model, PyRef nodes)
{
  const PyTree *tree = &model->tree;
  for (int depth = 0; depth < PY_CHAIN_LIMIT && py_kind(tree, nodes) == PYK_ATTRIBUTE; depth++)
    nodes = export_resolve(model, py_tree_object(tree, nodes));
  const PyCall *call = py_model_call(model, nodes);
  return call && (str_equal(call->qualified, STR("onnx.load")) || str_equal(call->qualified, STR("onnx.load_model")))
             ? call
             : NULL;
}

/// Whether the name that is assigned there stands anywhere else.
static bool is_read(const PyModel *model, PyRef assignment)
{
  const PyTree *tree = &model->tree;
  PyRef left = py_child(tree, assignment, PY_F_LEFT);
  if (py_kind(tree, left) != PYK_IDENTIFIER)
    return true;
  Str name = py_text(tree, left);
  for (PyRef node = 1; node < tree->count; node++) {
    if (node != left && py_kind(tree, node) == PYK_IDENTIFIER && str_equal(py_text(tree, node), name))
      return true;
  }
  return false;
}

/// Whether the file does something with initializers, but for a list of them that nobody reads.
static bool uses_initializers(const PyModel *model)
{
  enum { LISTS = 4 };  // Each is looked for in all of the file.
  const PyTree *tree = &model->tree;
  int lists = 0;
  for (PyRef node = 1; node < tree->count; node++) {
    Str text =
        py_kind(tree, node) == PYK_IDENTIFIER || py_kind(tree, node) == PYK_STRING ? py_text(tree, node) : (Str){ 0 };
    if (!str_contains(text, STR("initializer")))
      continue;
    PyRef at = node;
    for (int depth = 0; at && depth < PY_CHAIN_LIMIT && py_kind(tree, at) != PYK_ASSIGNMENT; depth++)
      at = tree->nodes[at].parent;
    if (!at || py_kind(tree, at) != PYK_ASSIGNMENT || lists++ == LISTS || is_read(model, at))
      return true;
  }
  return false;
}

/// Whether the model that the file exports there surely has weights.
static bool has_weights(DiagSink *sink, const WrittenModels *written, const PyCall *load)
{
  static const char *const layers[] = { "nn.Linear", "nn.Conv", "nn.Embedding", "nn.LSTM", "nn.GRU", "nn.Parameter" };
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *path = py_model_argument(model, load, 0, "f");
  ExportCall export;
  Str text;
  if (!path || !py_model_string(model, path->value, sink->arena, &text) ||
      !written_model(written, text, load->scope, load->node, &export))
    return false;
  return str_contains_one_of(model->tree.text, layers, COUNT(layers));
}

static void check_graph(DiagSink *sink, const WrittenModels *written, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *nodes = py_model_argument(model, call, 0, "nodes");
  if (!nodes || call->has_splat || call->has_dictionary_splat || py_model_argument(model, call, 4, "initializer") ||
      py_tree_try_around(&model->tree, call->node))
    return;
  PyRef copied = nodes_copied(model, nodes->value);
  const PyCall *load = str_equal(py_tree_member_name(&model->tree, copied), STR("node")) ? loaded(model, copied) : NULL;
  if (!load || !str_equal(public_list_of(sink, copied), STR("onnx.NodeProto[]")) || uses_initializers(model))
    return;
  bool is_sure = has_weights(sink, written, load);
  py_say(sink, RULE_EXPORT_ARGUMENT_TYPE, is_sure ? SEVERITY_ERROR : SEVERITY_WARNING, call->node,
         is_sure ? STR("The nodes take weights that are in graph.initializer: give make_graph() "
                       "initializer=model.graph.initializer.")
                 : STR("Weights that the nodes take are in graph.initializer, and this graph gets none: give "
                       "make_graph() initializer=model.graph.initializer."),
         NULL);
}

void check_python_copied_graphs(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  static const char *const words[] = { "make_graph" };
  if (!py_model_mentions_one_of(model, words, COUNT(words)) || !py_model_mentions(model, "load") ||
      public_is_onnx_itself(sink_python(sink)) || !sink_wants(sink, RULE_EXPORT_ARGUMENT_TYPE, SEVERITY_WARNING))
    return;
  WrittenModels written = written_models(sink);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (str_equal(call->qualified, STR("onnx.helper.make_graph")))
      check_graph(sink, &written, call);
  }
}
