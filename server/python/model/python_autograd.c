// Which arguments of a torch.autograd.Function are tensors, so that its symbolic() gets values of the graph for them;
// the others it gets as they are. Only what forward() or symbolic() show counts.

#include "base/limits.h"
#include "python/model/python_file_private.h"

/// The parameter of that function that the name is; PY_ABSENT. Positions count after the graph, or ctx.
static uint32_t position_of(const PyModel *model, uint32_t function, Str name)
{
  const PyFunction *at = &model->functions.items[function];
  for (uint32_t i = 1; i < at->param_count && i < PY_ARGUMENT_LIMIT; i++) {
    if (str_equal(py_model_params(model, at)[i].name, name))
      return i - 1;
  }
  return PY_ABSENT;
}

/// Who has a member of that name.
typedef enum Member {
  MEMBER_OF_OTHERS,   ///< No tensor.
  MEMBER_OF_ANY,      ///< Tensors, and numbers, strings or lists, too.
  MEMBER_OF_TENSORS,  ///< Which numbers, strings and lists do not have.
} Member;

/// Also of objects that people write, which have attributes of all names, but no method of these.
static Member method_named(const PyFile *file, Str name)
{
  static const char *const any[] = { "items",  "keys",   "values",  "get",      "pop",   "update", "append",
                                     "extend", "insert", "clear",   "remove",   "copy",  "sort",   "count",
                                     "index",  "format", "replace", "join",     "split", "strip",  "reverse",
                                     "add",    "real",   "imag",    "conjugate" };
  static const char *const methods[] = { "dim", "size", "contiguous", "new_zeros", "numel" };
  static const char *const converting[] = { "cpu",   "cuda", "item", "numpy", "tolist", "float",    "half",    "double",
                                            "int",   "long", "bool", "short", "byte",   "char",     "type",    "grad",
                                            "names", "T",    "H",    "mT",    "layout", "backward", "data_ptr" };
  if (str_is_one_of(name, methods, COUNT(methods)))
    return MEMBER_OF_TENSORS;
  char text[64];
  bool is_special = name.len + 6 > sizeof(text) || str_starts_with(name, STR("_")) ||
                    str_starts_with(name, STR("is_")) || str_starts_with(name, STR("new_")) ||
                    str_starts_with(name, STR("requires_grad"));
  if (is_special || str_is_one_of(name, any, COUNT(any)) || str_is_one_of(name, converting, COUNT(converting)))
    return MEMBER_OF_ANY;
  memcpy(text, "aten::", 6);
  memcpy(text + 6, name.data, name.len);
  return symbolics_torch_operator(file->db, str_make(text, name.len + 6)) ? MEMBER_OF_TENSORS : MEMBER_OF_OTHERS;
}

static Member member_of(const PyFile *file, PyRef attribute)
{
  static const char *const properties[] = { "shape", "dtype", "device", "is_cuda", "ndim", "data" };
  const PyTree *tree = &file->model->tree;
  Str name = py_tree_member_name(tree, attribute);
  if (str_is_one_of(name, properties, COUNT(properties)))
    return MEMBER_OF_TENSORS;
  Member method = method_named(file, name);
  bool is_called = tree->nodes[attribute].field == PY_F_FUNCTION;
  return method == MEMBER_OF_TENSORS && !is_called ? MEMBER_OF_ANY : method;
}

static bool is_tensor_annotation(const PyModel *model, PyRef annotation)
{
  Str text = annotation ? py_text(&model->tree, annotation) : (Str){ 0 };
  return str_equal(text, STR("torch.Tensor")) || str_equal(text, STR("Tensor"));
}

/// What the place shows of the name: `x.shape`, `ctx.save_for_backward(x)`, `options.min_size`
static Member shown_by(const PyFile *file, PyRef name)
{
  const PyTree *tree = &file->model->tree;
  PyRef parent = tree->nodes[name].parent;
  if (py_kind(tree, parent) == PYK_ATTRIBUTE && tree->nodes[name].field == PY_F_OBJECT)
    return member_of(file, parent);
  PyRef call = py_kind(tree, parent) == PYK_ARGUMENT_LIST ? tree->nodes[parent].parent : 0;
  PyRef function = call ? py_child(tree, call, PY_F_FUNCTION) : 0;
  bool is_saved = function && str_ends_with(py_text(tree, function), STR(".save_for_backward"));
  return is_saved ? MEMBER_OF_TENSORS : MEMBER_OF_ANY;
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
    if (is_tensor_annotation(model, py_model_params(model, at)[i].annotation))
      note(file, symbolic, i - 1);
  }
  PyRef end = at->body ? model->tree.nodes[at->body].next : 0;
  uint32_t seen = 0;
  uint64_t objects = 0;  // Bits of the first 64.
  for (PyRef node = at->body; node < end && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    Member shown = py_kind(&model->tree, node) == PYK_IDENTIFIER ? shown_by(file, node) : MEMBER_OF_ANY;
    uint32_t position = shown == MEMBER_OF_ANY ? PY_ABSENT : position_of(model, forward, py_text(&model->tree, node));
    if (shown == MEMBER_OF_TENSORS)
      note(file, symbolic, position);
    else if (position < 64)
      objects |= 1ull << position;
  }
  const PyFunction *given = &model->functions.items[symbolic];
  for (uint32_t i = 0; i + 1 < given->param_count && i < 64; i++) {
    if (objects >> i & 1)
      file->argument_kinds[given->first_param + 1 + i] = 0;
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
    const PyBinding *binding = py_model_binding_named(model, op->scope, name);
    const PyFunction *at = &model->functions.items[op->scope];
    bool is_plain = binding && binding->next == PY_ABSENT && position != PY_ABSENT &&
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
    if (function->param_count > 1 && str_equal(py_model_params(model, function)[1].name, STR("g")))
      continue;  // `symbolic(ctx, g, x)` is wrong from its first argument on.
    if (autograd->forward != PY_ABSENT)
      read_forward(file, autograd->symbolic, autograd->forward);
    if (function->param_count > 1 && is_usual_name(py_model_params(model, function)[1].name))
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
