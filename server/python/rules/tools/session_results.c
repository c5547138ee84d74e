// What is done with the list that session.run() gives.

#include "python/rules/tools/session_model.h"

/// `session.run(...)`; false for other expressions.
static bool is_run(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, py_model_resolve(model, node));
  PyRef function = call ? call->function_node : 0;
  return function && str_equal(py_tree_member_name(&model->tree, function), STR("run")) &&
         session_made(model, py_tree_object(&model->tree, function));
}

/// `session.run(...)[0]`, or a name for it, and a member that tensors have alone.
static void check_array(DiagSink *sink, PyRef node, PyRef object)
{
  static const char *const members[] = { "cpu", "cuda", "detach", "numpy", "permute", "softmax", "unsqueeze" };
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef name = py_tree_member(tree, node);
  if (!str_is_one_of(py_text(tree, name), members, COUNT(members)))
    return;
  PyRef value = py_model_resolve(model, object);
  PyRef list = py_kind(tree, value) == PYK_SUBSCRIPT ? py_child(tree, value, PY_F_VALUE) : 0;
  PyRef position = list ? py_child(tree, value, PY_F_SUBSCRIPT) : 0;
  if (position && py_kind(tree, position) == PYK_INTEGER && is_run(model, list) &&
      sink_wants(sink, RULE_SESSION_RUN, OWN))
    py_say(
        sink, RULE_SESSION_RUN, OWN, name,
        STR("What a session gives are arrays of numpy, which have no such member: torch.from_numpy() makes a tensor."),
        NULL);
}

static bool is_of_array(Str member)
{
  static const char *const members[] = { "argmax", "astype", "cpu",   "detach",  "dtype", "flatten",   "max",
                                         "mean",   "min",    "numpy", "reshape", "shape", "squeeze",   "sum",
                                         "tolist", "to",     "item",  "size",    "ndim",  "transpose", "T" };
  return str_is_one_of(member, members, COUNT(members));
}

/// `outputs.shape` and `outputs["scores"]` of the list that run() gives.
static void check_result(DiagSink *sink, const WrittenModels *written, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  bool is_member = py_kind(tree, node) == PYK_ATTRIBUTE;
  PyRef object = py_child(tree, node, is_member ? PY_F_OBJECT : PY_F_VALUE);
  PyRef key = is_member ? 0 : py_child(tree, node, PY_F_SUBSCRIPT);
  bool is_wrong = is_member ? is_of_array(py_tree_member_name(tree, node)) : key && py_kind(tree, key) == PYK_STRING;
  PyNodeKind kind = object ? py_kind(tree, object) : PYK_OTHER;
  if (is_member && (kind == PYK_IDENTIFIER || kind == PYK_SUBSCRIPT))
    check_array(sink, node, object);
  if (key && (kind == PYK_IDENTIFIER || kind == PYK_CALL) && py_kind(tree, key) == PYK_INTEGER && is_run(model, object))
    session_check_picked(sink, written, py_model_call(model, py_model_resolve(model, object)), key);
  if (is_wrong && (kind == PYK_IDENTIFIER || kind == PYK_CALL) && is_run(model, object) &&
      sink_wants(sink, RULE_SESSION_RUN, OWN))
    py_say(sink, RULE_SESSION_RUN, OWN, node,
           STR("run() gives a list of arrays in the order of the outputs: take one by its number, `[0]`."), NULL);
}

void session_check_results(DiagSink *sink, const WrittenModels *written)
{
  const PyModel *model = sink_python(sink)->model;
  for (PyRef node = 1; node < model->tree.count; node++) {
    if (py_kind(&model->tree, node) == PYK_ATTRIBUTE || py_kind(&model->tree, node) == PYK_SUBSCRIPT)
      check_result(sink, written, node);
  }
}
