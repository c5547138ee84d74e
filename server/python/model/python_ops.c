// Operators that are made by g.op(), g.at() and op.X(), and calls of torch.onnx.export().

#include "base/ascii.h"
#include "base/limits.h"
#include "python/model/python_model_private.h"
#include "python/model/python_schema.h"

static bool is_graph_name(Str name)
{
  return str_equal(name, STR("g")) || str_equal(name, STR("graph")) || str_equal(name, STR("graph_context")) ||
         str_equal(name, STR("context"));
}

static bool is_graph_annotation(Str text)
{
  return str_ends_with(text, STR("GraphContext")) || str_ends_with(text, STR("Graph"));
}

/// The class of a graph that is none of TorchScript's: `fx.Graph`, `"networkx.Graph"`.
static bool is_other_graph(PyModel *model, PyRef annotation)
{
  PyRef type = py_first_child(&model->tree, annotation);
  Str text = py_text(&model->tree, type);
  Str name = py_kind(&model->tree, type) == PYK_STRING ? py_schema_qualified(model, py_schema_bare(text), &model->arena)
                                                       : py_model_qualified(model, type, &model->arena);
  bool is_graph = str_ends_with(name, STR("Graph")) || str_ends_with(name, STR("GraphModule"));
  return is_graph && str_find_char(name, '.', 0) != STR_NOT_FOUND && !str_starts_with(name, STR("torch._C.")) &&
         !str_equal(name, STR("torch.Graph"));
}

/// Is the parameter the graph of a symbolic function?
static bool is_graph_param(PyModel *model, const PyBinding *binding)
{
  const PyFunction *function = &model->functions.items[binding->scope];
  const PyParam *param = &model->params.items[binding->index];
  if (binding->index == function->first_param && (function->roles & (PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD)) != 0)
    return true;
  if (param->annotation && is_other_graph(model, param->annotation))
    return false;
  return (is_graph_name(param->name) && param->kind == PY_PARAM_PLAIN) ||
         (param->annotation && is_graph_annotation(py_schema_bare(py_text(&model->tree, param->annotation))));
}

/// Does the name come from `_, (then_context, else_context), _ = jit_utils.add_op_with_blocks(...)`?
static bool is_block_context(const PyModel *model, const PyBinding *binding)
{
  const PyCall *call = binding->value ? py_model_call(model, py_tree_strip(&model->tree, binding->value)) : NULL;
  return call && str_ends_with(call->qualified, STR("jit_utils.add_op_with_blocks"));
}

/// `g.op("Elu", ...)`: nothing but a symbolic function calls an `op` with an operator's name.
static bool names_operator(PyModel *model, const PyCall *call)
{
  const PyArgument *name = py_model_argument(model, call, 0, NULL);
  Str text;
  if (model->has_own_op || !name || py_kind(&model->tree, name->value) != PYK_STRING ||
      !py_model_string(model, name->value, &model->arena, &text))
    return false;
  return text.len > 0 && (ascii_is_upper(text.data[0]) || str_find(text, STR("::"), 0) != STR_NOT_FOUND);
}

/// The graph that `g.op` is called on: a parameter of a function around it, or `self.g`, which another method got.
/// Notes that the function makes nodes.
static bool is_graph(PyModel *model, PyRef object, bool is_sure)
{
  bool is_member = py_kind(&model->tree, object) == PYK_ATTRIBUTE;
  if (is_member)
    object = py_model_resolve(model, object);
  if (py_kind(&model->tree, object) != PYK_IDENTIFIER)
    return false;
  const PyBinding *binding = py_model_binding_at(model, object);
  if (!binding)
    return false;
  if (binding->kind == PY_BIND_OTHER)
    return is_block_context(model, binding);
  if (binding->kind != PY_BIND_PARAM || !is_graph_param(model, binding))
    return false;
  PyFunction *function = &model->functions.items[binding->scope];
  if (!model->is_ours && !is_sure && (function->roles & (PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD)) == 0)
    return false;  // Some other graph: the file has nothing to do with torch.onnx.
  if ((function->roles & (PY_ROLE_REGISTERED | PY_ROLE_AUTOGRAD)) == 0 && !is_member)
    function->roles |= PY_ROLE_HELPER;
  return true;
}

static void split_name(PyOp *op)
{
  size_t colons = str_find(op->full_name, STR("::"), 0);
  bool has_domain = colons != STR_NOT_FOUND;
  op->domain = has_domain ? str_slice(op->full_name, 0, colons) : (Str){ 0 };
  op->name = has_domain ? str_slice(op->full_name, colons + 2, op->full_name.len) : op->full_name;
  if (str_equal(op->domain, STR("onnx")))
    op->domain = (Str){ 0 };
}

/// What a call gives a function that makes symbolic functions, in terms of the loops around that call.
typedef struct Making {
  const PyFunction *maker;
  const PyCall *call;
  const PyRow *row;
} Making;

/// What a call of the maker gives that parameter; NULL.
static const PyArgument *argument_of_maker(const PyModel *model, const PyFunction *maker, const PyCall *call,
                                           uint32_t param)
{
  uint32_t position = param - maker->first_param - (maker->class_node && call->is_bound ? 1 : 0);
  return py_model_argument_of(model, call, position, model->params.items[param].name);
}

/// What the call gives the parameter that a name is; else the name.
static PyRef made_of(const PyModel *model, const Making *making, PyRef name)
{
  const PyBinding *binding = making ? py_model_binding_at(model, name) : NULL;
  bool is_param =
      py_binding_is_only(binding, PY_BIND_PARAM) && &model->functions.items[binding->scope] == making->maker;
  const PyArgument *argument = is_param ? argument_of_maker(model, making->maker, making->call, binding->index) : NULL;
  return argument ? python_row_value(model, making->row, argument->value) : name;
}

/// Inputs, attributes and outputs, from the arguments after the first `skip` positional ones. `making` may be NULL.
static void read_arguments(PyModel *model, PyOp *op, uint32_t skip, const Making *making)
{
  const PyCall *call = &model->calls.items[op->call];
  op->first_input = call->first_argument + skip;
  op->first_attribute = (uint32_t)model->attributes.count;
  op->has_splat_attribute = call->has_dictionary_splat;
  op->outputs = 1;
  for (uint32_t i = 0; i < call->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (argument->keyword.len > 0) {
      python_op_add_keyword(model, op, argument);
    } else if (argument->is_dictionary_splat) {
      python_op_add_spread(model, op, argument->value, made_of(model, making, argument->value),
                           making ? making->call : NULL, making ? making->row : NULL);
    } else if (i >= skip) {
      op->input_count = i + 1 - skip;  // Python has no positional argument after a keyword but `*x`.
      op->has_splat_input |= argument->is_splat;
    }
  }
}

// --- Functions that make symbolic functions: `def unary(name): def symbolic(g, x): return g.op(name, x)` ---

/// The function of which `name` is a parameter that is used just once, so that nothing else depends on it.
static const PyFunction *maker_of(const PyModel *model, PyRef name, const PyParam **ret_param)
{
  const PyTree *tree = &model->tree;
  const PyBinding *binding = py_model_binding_at(model, name);
  if (!py_binding_is_only(binding, PY_BIND_PARAM))
    return NULL;
  const PyFunction *maker = &model->functions.items[binding->scope];
  uint32_t uses = 0;
  for (PyRef at = maker->body; maker->param_count <= PY_MAKER_PARAMS && uses < 2 && at < tree->nodes[maker->body].next;
       at++)
    uses += py_tree_is_looked_up(tree, at) && str_equal(py_text(tree, at), binding->name);
  *ret_param = &model->params.items[binding->index];
  return uses == 1 ? maker : NULL;
}

typedef struct MadeOp {
  PyOp op;
  PyRef name;  ///< What gives it its name, in terms of the loops around that.
  Making making;
} MadeOp;

static void add_made_op(PyModel *model, const PyRow *row, void *context)
{
  const MadeOp *made = context;
  PyOp op = made->op;
  op.name_node = py_model_resolve(model, python_row_value(model, row, made->name));
  PyNodeKind kind = py_kind(&model->tree, op.name_node);
  op.name_known = (kind == PYK_STRING || kind == PYK_CALL) &&  // `name.capitalize()`
                  python_row_string(model, row, made->name, &model->arena, &op.full_name);
  if (!op.name_known || model->call_rows >= PY_CALL_ROW_LIMIT)
    return;
  Making making = made->making;
  making.row = row;
  model->call_rows++;
  split_name(&op);
  read_arguments(model, &op, 1, making.maker ? &making : NULL);
  vec_push(&model->ops, op);
}

/// `def symbolic(g, x, name=onnx_name)` in a loop: an operator for each name that the loop gives.
static bool add_ops_of_default(PyModel *model, const PyOp *op, const PyFunction *function, const PyParam *param)
{
  size_t before = model->ops.count;
  PyNodeKind kind = param->default_value ? py_kind(&model->tree, param->default_value) : PYK_OTHER;
  if (function->first_call != PY_ABSENT || (kind != PYK_IDENTIFIER && kind != PYK_CALL))
    return false;
  MadeOp made = { .op = *op, .name = param->default_value };
  python_each_row(model, param->default_value, &made.name, 1, add_made_op, &made);
  return model->ops.count > before;
}

/// `options` of a call that gets `**options`; 0.
static PyRef spread_of(const PyModel *model, const PyCall *call)
{
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->is_dictionary_splat)
      return argument->value;
  }
  return 0;
}

/// An operator for each name that the calls of the maker from `at` on give.
static void add_ops_of_calls(PyModel *model, const PyOp *op, const PyFunction *maker, const PyParam *param, uint32_t at)
{
  uint32_t index = (uint32_t)(param - model->params.items);
  for (; at != PY_ABSENT && model->call_rows < PY_CALL_ROW_LIMIT; at = model->calls.items[at].next) {
    const PyCall *call = &model->calls.items[at];
    const PyArgument *argument = argument_of_maker(model, maker, call, index);
    if (!argument || call->has_splat)
      continue;
    MadeOp made = { .op = *op, .name = argument->value, .making = { maker, call, NULL } };
    PyRef read[] = { argument->value, spread_of(model, call) };
    python_each_row(model, call->node, read, read[1] ? 2 : 1, add_made_op, &made);
  }
}

/// The same of all calls. False if there is none.
static bool add_made_ops(PyModel *model, const PyOp *op)
{
  const PyParam *param = NULL;
  const PyFunction *maker = op->name_node ? maker_of(model, op->name_node, &param) : NULL;
  size_t before = model->ops.count;
  if (!maker || add_ops_of_default(model, op, maker, param))
    return maker != NULL;
  add_ops_of_calls(model, op, maker, param, maker->first_call);
  add_ops_of_calls(model, op, maker, param, maker->first_method_call);
  return model->ops.count > before;
}

// --- Operators that a condition chooses ---

/// One of `g.op("A" if condition else "B", ...)`.
static bool add_chosen_op(PyModel *model, PyOp op, PyRef name)
{
  op.name_node = py_model_resolve(model, name);
  op.name_known = py_kind(&model->tree, op.name_node) == PYK_STRING &&
                  py_model_string(model, op.name_node, &model->arena, &op.full_name);
  if (!op.name_known)
    return false;
  split_name(&op);
  read_arguments(model, &op, 1, NULL);
  vec_push(&model->ops, op);
  return true;
}

/// All of them, if each is written out. False if there is none.
static bool add_chosen_ops(PyModel *model, const PyOp *op)
{
  const PyTree *tree = &model->tree;
  size_t before = model->ops.count;
  PyRef name = op->name_node ? py_model_resolve(model, op->name_node) : 0;
  bool is_known = name && py_kind(tree, name) == PYK_CONDITIONAL_EXPRESSION;
  for (int i = 0; is_known && i < PY_EXPRESSION_DEPTH; i++) {
    PyChoice choice = py_tree_choice(tree, name);
    bool is_last = !choice.no || py_kind(tree, choice.no) != PYK_CONDITIONAL_EXPRESSION;
    is_known = choice.no && add_chosen_op(model, *op, choice.yes) && (!is_last || add_chosen_op(model, *op, choice.no));
    name = choice.no;
    if (is_last)
      break;
  }
  if (!is_known)
    model->ops.count = before;
  return is_known;
}

static void add_graph_op(PyModel *model, uint32_t index, PyOpKind kind)
{
  const PyCall *call = &model->calls.items[index];
  PyOp op = { .kind = kind, .call = index, .scope = call->scope };
  const PyArgument *name = py_model_argument(model, call, 0, "opname");
  if (name) {
    op.name_node = name->value;
    op.name_known = py_model_string(model, name->value, &model->arena, &op.full_name);
    split_name(&op);
    if (!op.name_known && name->keyword.len == 0 && (add_chosen_ops(model, &op) || add_made_ops(model, &op)))
      return;
  }
  read_arguments(model, &op, name && name->keyword.len == 0 ? 1 : 0, NULL);
  vec_push(&model->ops, op);
}

bool py_model_opset_module(Str qualified, Str *ret_domain, int *ret_opset)
{
  if (!str_starts_with(qualified, STR("onnxscript.")))
    return false;
  size_t dot = str_rfind_char(qualified, '.');
  Str last = str_slice(qualified, dot + 1, qualified.len);
  uint64_t opset;
  Str domain = { 0 };
  if (str_starts_with(last, STR("opset_ai_onnx_ml"))) {
    domain = STR("ai.onnx.ml");
    last = str_slice(last, STR("opset_ai_onnx_ml").len, last.len);
  } else if (str_starts_with(last, STR("opset"))) {
    last = str_slice(last, STR("opset").len, last.len);
  }
  if (!str_to_uint(last, 63, &opset))
    return false;
  *ret_domain = domain;
  *ret_opset = (int)opset;
  return true;
}

static bool add_onnxscript_op(PyModel *model, uint32_t index, PyRef object, PyRef name)
{
  PyOp op = { .kind = PY_OP_ONNXSCRIPT, .call = index, .scope = model->calls.items[index].scope };
  if (!py_model_opset_module(py_model_qualified(model, object, &model->arena), &op.domain, &op.opset))
    return false;
  op.name_node = name;
  op.name_known = true;
  op.full_name = op.name = py_text(&model->tree, name);
  read_arguments(model, &op, 0, NULL);
  vec_push(&model->ops, op);
  return true;
}

/// `op.sigmoid(x)`: an operator, too, whose name was meant otherwise. What an opset has itself is in small letters.
static bool is_misspelt_op(const PyModel *model, PyRef object, Str name)
{
  static const char *const members[] = { "add_function_def", "function_protos", "functions" };
  const PyBinding *binding = py_model_binding_at(model, object);
  return binding && binding->kind == PY_BIND_IMPORT && name.data[0] >= 'a' && name.data[0] <= 'z' &&
         !str_is_one_of(name, members, COUNT(members));
}

/// `op = g.op` and then `op("Tanh", x)`: the method that is called, by whatever name. Also `partial(g.op, "Tanh")`,
/// whose arguments the call has got.
static PyRef called_method(const PyModel *model, const PyCall *call)
{
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, call->function_node);
  PyRef called = kind == PYK_IDENTIFIER || kind == PYK_CALL ? py_model_resolve(model, call->function_node) : 0;
  const PyCall *partial = py_model_call(model, called);
  const PyArgument *first = partial ? py_model_arguments(model, call) : NULL;
  if (first && str_equal(partial->qualified, STR("functools.partial")) && first->node > called &&
      first->node < tree->nodes[called].next)
    called = py_model_arguments(model, partial)->value;
  return str_equal(py_tree_member_name(tree, called), STR("op")) ? called : call->function_node;
}

PyRef py_model_graph_of(const PyModel *model, const PyOp *op)
{
  return py_tree_object(&model->tree, called_method(model, &model->calls.items[op->call]));
}

static void visit_call(PyModel *model, uint32_t index)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = &model->calls.items[index];
  if (str_equal(call->qualified, STR("torch.onnx.export"))) {
    vec_push(&model->exports, index);
    return;
  }
  PyRef called = called_method(model, call);
  PyRef object = py_tree_object(tree, called);
  PyRef name = py_tree_member(tree, called);
  if (!object || !name)
    return;
  Str text = py_text(tree, name);
  if (str_equal(text, STR("op"))) {
    if (is_graph(model, object, names_operator(model, call)))
      add_graph_op(model, index, PY_OP_GRAPH);
  } else if (str_equal(text, STR("at")) || str_equal(text, STR("aten_op"))) {
    if (is_graph(model, object, false))
      add_graph_op(model, index, PY_OP_ATEN);
  } else if (text.len > 0 && ascii_is_upper(text.data[0])) {
    add_onnxscript_op(model, index, object, name);
  } else if (text.len == 0 || !is_misspelt_op(model, object, text) || !add_onnxscript_op(model, index, object, name)) {
    is_graph(model, object, false);  // g.onnxscript_op() and others: the function makes nodes.
  }
}

static bool is_our_module(Str qualified)
{
  return str_starts_with(qualified, STR("torch.onnx")) || str_starts_with(qualified, STR("onnxscript")) ||
         str_starts_with(qualified, STR("torch._C._onnx"));
}

static bool is_ours(const PyModel *model)
{
  bool yes = model->registrations.count > 0;
  for (size_t i = 0; i < model->bindings.count && !yes; i++)
    yes = model->bindings.items[i].kind == PY_BIND_IMPORT && is_our_module(model->bindings.items[i].qualified);
  for (size_t i = 0; i < model->calls.count && !yes; i++)
    yes = is_our_module(model->calls.items[i].qualified);
  for (size_t i = 0; i < model->star_imports.count && !yes; i++)
    yes = is_our_module(model->star_imports.items[i]);
  return yes;
}

static void add_export_row(PyModel *model, const PyRow *row, void *context)
{
  uint32_t *export = context;
  if (row->count == 0 || model->export_rows.count == PY_EXPORT_ROW_LIMIT)
    return;
  PyRow *kept = ARENA_NEW(&model->arena, PyRow);
  *kept = *row;
  vec_push(&model->export_rows, ((PyExportRow){ *export, kept }));
}

/// `for name, model in TABLE: torch.onnx.export(model, ...)`, and an export in a function that several calls run.
static void find_export_rows(PyModel *model)
{
  vec_clear(&model->export_rows);
  for (uint32_t i = 0; i < model->exports.count && model->export_rows.count < PY_EXPORT_ROW_LIMIT; i++) {
    const PyCall *call = &model->calls.items[model->exports.items[i]];
    PyRef used[PY_KEYWORD_LIMIT];
    size_t count = 0;
    for (uint32_t k = 0; k < call->argument_count && count < COUNT(used); k++)
      used[count++] = py_model_arguments(model, call)[k].value;
    python_each_row(model, call->node, used, count, add_export_row, &i);
  }
}

void python_find_ops(PyModel *model)
{
  python_spread_exports(model);
  model->is_ours = is_ours(model);
  for (size_t i = 0; i < model->functions.count; i++)
    model->has_own_op |= model->functions.items[i].class_node && str_equal(model->functions.items[i].name, STR("op"));
  for (uint32_t i = 0; i < model->calls.count; i++) {
    uint32_t first = (uint32_t)model->ops.count;
    visit_call(model, i);
    model->calls.items[i].op = model->ops.count > first ? first : PY_ABSENT;
  }
  find_export_rows(model);
}
