// Which arguments of a torch.autograd.Function are tensors, so that its symbolic() gets values of the graph for them;
// the others it gets as they are. Only what forward() or symbolic() show counts.

#include "base/limits.h"
#include "python/model/python_file_private.h"

/// The parameter of that function that the name is; PY_ABSENT. Positions count after the graph, or ctx.
static uint32_t position_of(const PyModel *model, uint32_t function, Str name)
{
  const PyFunction *at = &model->functions.items[function];
  for (uint32_t i = 1; i < at->param_count && i < PY_ARGUMENT_LIMIT; i++) {
    if (str_equal(model->params.items[at->first_param + i].name, name))
      return i - 1;
  }
  return PY_ABSENT;
}

/// Members that tensors have, and numbers, strings and lists do not.
static bool is_tensor_member(const PyFile *file, Str name)
{
  static const char *const others[] = { "items",  "keys",   "values",  "get",      "pop",   "update", "append",
                                        "extend", "insert", "clear",   "remove",   "copy",  "sort",   "count",
                                        "index",  "format", "replace", "join",     "split", "strip",  "reverse",
                                        "add",    "real",   "imag",    "conjugate" };
  static const char *const members[] = { "shape", "dtype",      "device", "is_cuda",   "dim",  "size",
                                         "ndim",  "contiguous", "data",   "new_zeros", "numel" };
  if (str_is_one_of(name, members, COUNT(members)))
    return true;
  char text[64];
  if (name.len + 6 > sizeof(text) || str_is_one_of(name, others, COUNT(others)))
    return false;
  memcpy(text, "aten::", 6);
  memcpy(text + 6, name.data, name.len);
  return symbolics_torch_operator(file->db, str_make(text, name.len + 6)) != NULL;
}

static bool is_tensor_annotation(const PyModel *model, PyRef annotation)
{
  Str text = annotation ? py_text(&model->tree, annotation) : (Str){ 0 };
  return str_equal(text, STR("torch.Tensor")) || str_equal(text, STR("Tensor"));
}

/// `x.shape`, `ctx.save_for_backward(x)`
static bool shows_tensor(const PyFile *file, PyRef name)
{
  const PyTree *tree = &file->model->tree;
  PyRef parent = tree->nodes[name].parent;
  if (py_kind(tree, parent) == PYK_ATTRIBUTE && tree->nodes[name].field == PY_F_OBJECT)
    return is_tensor_member(file, py_text(tree, py_child(tree, parent, PY_F_ATTRIBUTE)));
  PyRef call = py_kind(tree, parent) == PYK_ARGUMENT_LIST ? tree->nodes[parent].parent : 0;
  PyRef function = call ? py_child(tree, call, PY_F_FUNCTION) : 0;
  return function && str_ends_with(py_text(tree, function), STR(".save_for_backward"));
}

static void note(PyFile *file, uint32_t symbolic, uint32_t position)
{
  const PyFunction *at = &file->model->functions.items[symbolic];
  if (position != PY_ABSENT && position + 1 < at->param_count)
    file->argument_kinds[at->first_param + 1 + position] = PY_VALUE;
}

static void read_forward(PyFile *file, uint32_t symbolic, uint32_t forward)
{
  const PyModel *model = file->model;
  const PyFunction *at = &model->functions.items[forward];
  for (uint32_t i = 1; i < at->param_count && i < PY_ARGUMENT_LIMIT; i++) {
    if (is_tensor_annotation(model, model->params.items[at->first_param + i].annotation))
      note(file, symbolic, i - 1);
  }
  PyRef end = at->body ? model->tree.nodes[at->body].next : 0;
  uint32_t seen = 0;
  for (PyRef node = at->body; node < end && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    if (py_kind(&model->tree, node) == PYK_IDENTIFIER && shows_tensor(file, node))
      note(file, symbolic, position_of(model, forward, py_text(&model->tree, node)));
  }
}

/// What symbolic() itself passes as an input of a node has to be one.
static void read_inputs(PyFile *file, const PyOp *op)
{
  const PyModel *model = file->model;
  for (uint32_t i = 0; i < op->input_count; i++) {
    PyRef value = model->arguments.items[op->first_input + i].value;
    if (!value || py_kind(&model->tree, value) != PYK_IDENTIFIER)
      continue;
    Str name = py_text(&model->tree, value);
    uint32_t position = position_of(model, op->scope, name);
    uint32_t found = py_model_lookup(model, op->scope, name);
    const PyFunction *at = &model->functions.items[op->scope];
    bool is_plain = found != PY_ABSENT && model->bindings.items[found].next == PY_ABSENT && position != PY_ABSENT &&
                    !model->params.items[at->first_param + 1 + position].default_value;
    if (is_plain)
      note(file, op->scope, position);
  }
}

/// The first argument, by the names that people give to tensors.
static bool is_usual_name(Str name)
{
  static const char *const names[] = { "x", "input", "tensor", "data", "feat", "features", "image", "img", "boxes" };
  return str_is_one_of(name, names, COUNT(names));
}

void python_find_argument_kinds(PyFile *file)
{
  const PyModel *model = file->model;
  file->argument_kinds = xcalloc(model->params.count + 1, sizeof(*file->argument_kinds));
  size_t count = model->autograds.count < PY_METHOD_LIMIT ? model->autograds.count : PY_METHOD_LIMIT;
  for (size_t i = 0; i < count; i++) {
    const PyAutograd *autograd = &model->autograds.items[i];
    const PyFunction *function = &model->functions.items[autograd->symbolic];
    if (function->param_count > 1 && str_equal(model->params.items[function->first_param + 1].name, STR("g")))
      continue;  // `symbolic(ctx, g, x)` is wrong from its first argument on.
    if (autograd->forward != PY_ABSENT)
      read_forward(file, autograd->symbolic, autograd->forward);
    if (function->param_count > 1 && is_usual_name(model->params.items[function->first_param + 1].name))
      note(file, autograd->symbolic, 0);
  }
  for (size_t i = 0; count > 0 && i < model->ops.count; i++) {
    const PyOp *op = &model->ops.items[i];
    if (op->kind == PY_OP_GRAPH && op->scope != PY_ABSENT &&
        (model->functions.items[op->scope].roles & PY_ROLE_AUTOGRAD))
      read_inputs(file, op);
  }
  python_find_applied_kinds(file);
}
