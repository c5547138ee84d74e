// Functions that are put in the place of torch's own in a module of one opset: `symbolic_opset11.clamp = clamp`.

#include "base/ascii.h"
#include "python/model/python_model_private.h"

/// N of `torch.onnx.symbolic_opset<N>`; 0.
static int opset_of_module(Str qualified)
{
  Str prefix = STR("torch.onnx.symbolic_opset");
  uint64_t opset = 0;
  if (!str_starts_with(qualified, prefix))
    return 0;
  size_t end = prefix.len;
  while (end < qualified.len && ascii_is_digit(qualified.data[end]))
    end++;
  bool is_whole = end == qualified.len && str_to_uint(str_slice(qualified, prefix.len, end), 63, &opset);
  return is_whole ? (int)opset : 0;
}

void py_model_each_patch(const PyModel *model, PyPatchVisit visit, void *context)
{
  const PyTree *tree = &model->tree;
  if (!py_model_mentions(model, "symbolic_opset"))
    return;
  for (PyRef node = 1; node < tree->count; node++) {
    PyRef left = py_kind(tree, node) == PYK_ASSIGNMENT ? py_child(tree, node, PY_F_LEFT) : 0;
    PyRef value = left && py_kind(tree, left) == PYK_ATTRIBUTE ? py_child(tree, node, PY_F_RIGHT) : 0;
    if (value)
      visit(&(PyPatch){ left, py_tree_object(tree, left), 0, py_tree_member_name(tree, left), value }, context);
  }
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    const PyArgument *arguments = call->argument_count == 3 ? py_model_arguments(model, call) : NULL;
    if (arguments && str_equal(py_text(tree, call->function_node), STR("setattr")))
      visit(&(PyPatch){ call->node, arguments[0].value, arguments[1].value, { 0 }, arguments[2].value }, context);
  }
}

static void note_patch(const PyPatch *patch, void *context)
{
  PyModel *model = context;
  Arena arena = { 0 };
  int opset = opset_of_module(py_model_qualified(model, patch->module, &arena));
  uint32_t function = opset > 0 ? py_model_callable(model, patch->value).function : PY_ABSENT;
  arena_done(&arena);
  if (function == PY_ABSENT)
    return;
  int *least = &model->functions.items[function].least_opset;
  *least = *least == 0 || opset < *least ? opset : *least;
}

void python_find_patched(PyModel *model)
{
  py_model_each_patch(model, note_patch, model);
}
