// Hover in a Python file: operators and attributes in g.op() and op.X(), letters of @parse_args, names in
// registrations, functions of symbolic_helper, arguments of torch.onnx.export(), symbolic functions. Elsewhere there is
// none: another server knows Python better.

#include "python/features/hover_python.h"
#include "facts/export_api.h"
#include "facts/functions.h"

/// "aten::elu" of "aten::elu.out"
static Str without_overload(Str name)
{
  return str_slice(name, 0, str_find_char(name, '.', 0) == STR_NOT_FOUND ? name.len : str_find_char(name, '.', 0));
}

/// `@torch_op("aten::elu")`, `@onnx_impl(...)`, also in a list of names.
static bool hover_torchlib_name(PyHover *hover)
{
  const PyTree *tree = hover->tree;
  PyRef list = tree->nodes[hover->node].parent;
  if (py_kind(tree, list) == PYK_TUPLE || py_kind(tree, list) == PYK_LIST)
    list = tree->nodes[list].parent;
  const PyCall *call = py_model_call_of_list(hover->model, list);
  Str name;
  if (!call || !py_model_string(hover->model, hover->node, hover->job.arena, &name))
    return false;
  Str callee = py_text(tree, call->function_node);
  bool is_decorator = str_ends_with(callee, STR("torch_op")) || str_ends_with(callee, STR("onnx_impl"));
  bool is_name = is_decorator && str_find(name, STR("::"), 0) != STR_NOT_FOUND;
  if (is_name)
    hover_python_torch_name(hover, without_overload(name));
  return is_name;
}

static bool hover_string(PyHover *hover)
{
  const PyModel *model = hover->model;
  for (size_t i = 0; i < model->registrations.count; i++) {
    if (model->registrations.items[i].name_node == hover->node && model->registrations.items[i].name_known) {
      hover_python_torch_name(hover, model->registrations.items[i].name);
      return true;
    }
  }
  if (hover_torchlib_name(hover))
    return true;
  PyRef list = hover->tree->nodes[hover->node].parent;
  if (py_kind(hover->tree, list) != PYK_ARGUMENT_LIST)
    return false;
  uint32_t call = py_model_call_at(model, hover->tree->nodes[list].parent);
  const PyOp *op = py_model_op_at(model, hover->tree->nodes[list].parent);
  if (op && op->name_node == hover->node) {
    if (op->kind == PY_OP_GRAPH)
      hover_python_onnx_op(hover, op);
    else if (op->name_known)
      hover_python_torch_name(hover, arena_printf(hover->job.arena, "aten::%.*s", STR_ARG(op->full_name)));
    return true;
  }
  for (uint32_t i = 0; i < model->functions.count && call != PY_ABSENT; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->parse_args != call || !function->descriptors_known)
      continue;
    for (uint32_t k = 0; k < function->descriptor_count; k++) {
      if (model->descriptors.items[function->first_descriptor + k] == hover->node)
        hover_python_letter(hover, i, k);
    }
    return true;
  }
  return call != PY_ABSENT && hover_python_helper_letter(hover, call);
}

/// `torch.ops.aten.elu`, `torch.ops.aten.elu.default`
static bool hover_torch_op(PyHover *hover, Str qualified)
{
  Str module = STR("torch.ops.");
  Str path = str_starts_with(qualified, module) ? str_slice(qualified, module.len, qualified.len) : (Str){ 0 };
  size_t dot = str_find_char(path, '.', 0);
  if (dot == STR_NOT_FOUND)
    return false;
  Str name = without_overload(str_slice(path, dot + 1, path.len));
  hover_python_torch_name(hover, arena_printf(hover->job.arena, "%.*s::%.*s", (int)dot, path.data, STR_ARG(name)));
  return true;
}

/// `torch.special.i0e`, `torch.nn.RMSNorm`: what each call of it becomes, if that is one operator.
static bool hover_function(PyHover *hover, Str qualified)
{
  Str operators = functions_operators(hover->file->db, hover->file->torch, EXPORTER_TORCHSCRIPT, qualified);
  if (operators.len == 0 || str_find_char(operators, ' ', 0) != STR_NOT_FOUND)
    return false;
  hover_python_torch_name(hover, operators);
  return true;
}

/// A function of symbolic_helper, an operator or a function of torch, or a name of torch.onnx of which something is
/// known.
static bool hover_qualified(PyHover *hover, PyRef expression)
{
  Str module = STR("torch.onnx.symbolic_helper.");
  Str name = py_model_qualified(hover->model, expression, hover->job.arena);
  const PyHelper *helper =
      str_starts_with(name, module) ? export_api_helper(hover->file->db, str_slice(name, module.len, name.len)) : NULL;
  const PyApi *api = helper ? NULL : export_api_name(hover->file->db, name);
  if (helper)
    py_words_write_helper(&hover->words, helper);
  else if (api && str_equal(api->name, name))
    py_words_write_api(&hover->words, api);
  else
    return hover_torch_op(hover, name) || hover_function(hover, name);
  return true;
}

static bool hover_identifier(PyHover *hover)
{
  const PyTree *tree = hover->tree;
  PyRef parent = tree->nodes[hover->node].parent;
  PyField field = (PyField)tree->nodes[hover->node].field;
  switch (py_kind(tree, parent)) {
  case PYK_KEYWORD_ARGUMENT:
    return field == PY_F_NAME ? hover_python_attribute(hover, parent) : hover_qualified(hover, hover->node);
  case PYK_FUNCTION_DEFINITION: {
    uint32_t function = field == PY_F_NAME ? py_model_function_at(hover->model, parent) : PY_ABSENT;
    if (function != PY_ABSENT)
      hover_python_function(hover, function);
    return function != PY_ABSENT;
  }
  case PYK_ATTRIBUTE: {
    const PyOp *op = field == PY_F_ATTRIBUTE ? py_model_op_at(hover->model, tree->nodes[parent].parent) : NULL;
    if (op && op->name_node == hover->node) {
      hover_python_onnx_op(hover, op);
      return true;
    }
    return field == PY_F_ATTRIBUTE && hover_qualified(hover, parent);
  }
  default:
    return hover_qualified(hover, hover->node);
  }
}

bool python_hover(const FeatureContext *context, size_t offset, Hover *ret_hover)
{
  const PyFile *file = py_file_of_snapshot(context->snapshot);
  if (!file)
    return false;
  PyHover hover = { .job = operator_context(context), .file = file, .model = file->model, .tree = &file->model->tree };
  hover.words = (PyWords){ file, context->arena, &hover.job.markup };
  hover.job.torch = file->torch;
  hover.job.hides_needs = true;
  hover.node = py_node_at(hover.tree, offset);
  PyNodeKind kind = py_kind(hover.tree, hover.node);
  if (kind == PYK_STRING)
    hover_string(&hover);
  else if (kind == PYK_IDENTIFIER)
    hover_identifier(&hover);
  const PyNode *node = &hover.tree->nodes[hover.node];
  return markup_finish(&hover.job.markup, context->arena, (Range){ node->start, node->end }, ret_hover);
}
