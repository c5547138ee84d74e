// The body of a symbolic function in terms of onnxscript: g.op("Elu", x, alpha_f=a) is op.Elu(x, alpha=a), and
// arguments that are not tensors come as Python values. Helpers of the file that get the graph are translated with it.

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "python/rules/migrate/migrate.h"
#include "python/rules/symbolic/op.h"

// --- Operators ---

static bool has_input(const OnnxSchema *schema, Str name)
{
  for (uint32_t i = 0; i < schema->input_count; i++) {
    if (str_equal(schema->inputs[i].name, name))
      return true;
  }
  return false;
}

/// `value_t=torch.tensor(...)` of a Constant.
static void rewrite_tensor(Migration *migration, const PyAttribute *attribute)
{
  Arena *arena = migration->sink->arena;
  Str value = py_text(&migration->model->tree, attribute->value);
  migration_need(migration, str_equal(attribute->name, STR("value")) && str_starts_with(value, STR("torch.tensor(")),
                 attribute->node, "is a tensor that torch.tensor() does not make");
  migration_edit(migration, migration_start(migration, attribute->node), migration_end(migration, attribute->node),
                 arena_printf(arena, "value=ir.tensor(%.*s.numpy())", STR_ARG(value)));
}

/// An enumerator that g.op() takes for a number, and onnxscript does not.
static bool is_onnx_type(Str text)
{
  static const char *const words[] = { "TensorProtoDataType", "cast_pytorch_to_onnx" };
  return str_contains_one_of(text, words, COUNT(words));
}

static void rewrite_attribute(Migration *migration, const OnnxSchema *schema, const PyAttribute *attribute)
{
  const PyTree *tree = &migration->model->tree;
  bool is_input = has_input(schema, attribute->name);
  char letter = attribute->suffix.len == 1 ? attribute->suffix.data[0] : '\0';
  if (letter == 't') {
    rewrite_tensor(migration, attribute);
    return;
  }
  migration_need(migration,
                 letter != '\0' && strchr("ifs", letter) &&
                     (is_input || onnx_schema_attribute(schema, attribute->name)),
                 attribute->node, "is no attribute or input of the operator at opset 18");
  migration_edit(migration, migration_start(migration, attribute->name_node),
                 migration_end(migration, attribute->name_node), attribute->name);
  PyNodeKind kind = py_kind(tree, attribute->value);
  size_t start = migration_start(migration, attribute->value);
  size_t end = migration_end(migration, attribute->value);
  bool is_list_input = is_input && letter == 'i' && (kind == PYK_INTEGER || kind == PYK_UNARY_OPERATOR);
  if (is_list_input) {
    migration_edit(migration, start, start, STR("["));
    migration_edit(migration, end, end, STR("]"));
  } else if (is_input && letter == 'f' && kind == PYK_INTEGER) {
    migration_edit(migration, end, end, STR(".0"));
  } else if (letter == 'i' && is_onnx_type(py_text(tree, attribute->value))) {
    migration_edit(migration, start, start, STR("int("));
    migration_edit(migration, end, end, STR(")"));
  }
}

/// `outputs=2`: onnxscript knows the number from the schema, but for operators of any number.
static void rewrite_outputs(Migration *migration, const OnnxSchema *schema, const PyOp *op)
{
  const PyModel *model = migration->model;
  if (!op->outputs_node) {
    size_t end = migration_end(migration, model->calls.items[op->call].node);
    if (op_gives_several(schema))
      migration_edit(migration, end, end, STR("[0]"));
    return;
  }
  PyRef keyword = model->tree.nodes[op->outputs_node].parent;
  bool is_split = str_equal(op->name, STR("Split"));
  bool is_known = is_split || (schema->min_output == schema->max_output && schema->min_output == (uint32_t)op->outputs);
  migration_need(migration, op->outputs > 0 && py_kind(&model->tree, keyword) == PYK_KEYWORD_ARGUMENT && is_known,
                 keyword, "asks for a number of results that onnxscript does not give");
  if (!migration->is_possible)
    return;
  Str text = py_text(&model->tree, op->outputs_node);
  if (is_split) {
    migration_edit(migration, migration_start(migration, keyword), migration_end(migration, keyword),
                   arena_printf(migration->sink->arena, "num_outputs=%.*s", STR_ARG(text)));
    return;
  }
  size_t start = migration_start(migration, keyword);
  Str before = str_trim(str_slice(model->tree.text, 0, start));
  migration_need(migration, str_ends_with(before, STR(",")), keyword, "can't be taken away");
  migration_edit(migration, before.len - 1, migration_end(migration, keyword), STR(""));
}

/// `g.op("Elu", x` becomes `op.Elu(x`.
static void rewrite_head(Migration *migration, const PyCall *call, Str head)
{
  const Str text = migration->model->tree.text;
  const PyArgument *name = py_model_argument(migration->model, call, 0, NULL);
  size_t end = migration_end(migration, name->node);
  while (end < text.len && (ascii_is_space(text.data[end]) || text.data[end] == ','))
    end++;
  migration_edit(migration, migration_start(migration, call->node), end, head);
}

// --- Split with sizes ---

/// The numbers of `[1, 2]`, also in torch.tensor() as the value of a Constant; how many, 0 if they are not known.
static uint32_t read_sizes(const Migration *migration, PyRef node, int64_t *sizes)
{
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  node = py_model_resolve(model, node);
  const PyOp *op = py_model_op_at(model, node);
  if (op && op->attribute_count == 1)
    node = model->attributes.items[op->first_attribute].value;
  const PyCall *call = py_model_call(model, node);
  if (call && str_equal(call->qualified, STR("torch.tensor")) && call->argument_count > 0)
    node = py_tree_strip(tree, py_model_arguments(model, call)->value);
  if (py_kind(tree, node) != PYK_LIST && py_kind(tree, node) != PYK_TUPLE)
    return 0;
  uint32_t count = 0;
  for (PY_EACH_ELEMENT(tree, item, node)) {
    if (count == PY_MIGRATION_PART_LIMIT || !py_model_int(model, item, &sizes[count]) || sizes[count] < 0)
      return 0;
    count++;
  }
  return count;
}

/// onnxscript can't say how many parts a Split with sizes has, so the parts become slices.
static void rewrite_split(Migration *migration, const PyOp *op)
{
  const PyModel *model = migration->model;
  const PyAttribute *attributes = &model->attributes.items[op->first_attribute];
  PyRef node = model->calls.items[op->call].node, list = 0;
  PyRef value = op->input_count > 0 ? model->arguments.items[op->first_input].value : 0;
  int64_t sizes[PY_MIGRATION_PART_LIMIT], axis = 0;
  bool is_known = value && py_kind(&model->tree, value) == PYK_IDENTIFIER;
  if (op->input_count == 2)
    list = model->arguments.items[op->first_input + 1].value;
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    if (str_equal(attributes[i].name, STR("split")))
      list = attributes[i].value;
    else
      is_known &= str_equal(attributes[i].name, STR("axis")) && py_model_int(model, attributes[i].value, &axis);
  }
  uint32_t count = list ? read_sizes(migration, list, sizes) : 0;
  migration_need(migration, is_known && count > 1 && (int)count == op->outputs, node,
                 "is a Split whose sizes and axis are not written out, or are over 16");
  Buffer out = { 0 };
  int64_t at = 0;
  for (uint32_t i = 0; i < count; at += sizes[i++])
    buffer_printf(&out, "%sop.Slice(%.*s, [%lld], [%lld], [%lld])", i > 0 ? ", " : "(",
                  STR_ARG(py_text(&model->tree, value)), (long long)at, (long long)(at + sizes[i]), (long long)axis);
  buffer_append(&out, STR(")"));
  if (migration->is_possible)
    migration_edit(migration, migration_start(migration, node), migration_end(migration, node),
                   arena_copy(migration->sink->arena, buffer_str(&out)));
  buffer_done(&out);
}

static bool is_split_by_size(const PyModel *model, const PyOp *op)
{
  bool has_sizes = op->input_count == 2;
  for (uint32_t i = 0; i < op->attribute_count; i++)
    has_sizes |= str_equal(model->attributes.items[op->first_attribute + i].name, STR("split"));
  return has_sizes && op->domain.len == 0 && str_equal(op->name, STR("Split")) && op->outputs_node;
}

// --- Names that are chosen ---

/// Both names of `kind = "Tanh" if flag else "Sigmoid"` are operators of one result.
static bool is_choice_of_operators(const Migration *migration, const PyOp *op)
{
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  PyRef value = op->name_node ? py_tree_strip(tree, op->name_node) : 0;
  if (value && py_kind(tree, value) == PYK_IDENTIFIER) {
    const PyBinding *binding = py_model_binding_of(model, op->scope, value);
    bool is_one = py_binding_is_only(binding, PY_BIND_ASSIGN);
    value = is_one ? py_tree_strip(tree, binding->value) : 0;
  }
  if (!value || py_kind(tree, value) != PYK_CONDITIONAL_EXPRESSION)
    return false;
  int position = 0;
  for (PY_EACH_CHILD(tree, part, value)) {
    Str name;
    if (position++ == 1)
      continue;
    bool is_known = py_model_string(model, part, migration->sink->arena, &name);
    const OnnxSchema *schema = is_known ? migration_schema_named(migration, name) : NULL;
    if (!schema || schema->max_output != 1)
      return false;
  }
  return position == 3;
}

static void rewrite_chosen(Migration *migration, const PyOp *op)
{
  const PyModel *model = migration->model;
  const PyCall *call = &model->calls.items[op->call];
  migration_need(migration,
                 op->attribute_count == 0 && !op->outputs_node && op->kind == PY_OP_GRAPH && call->list_node &&
                     is_choice_of_operators(migration, op),
                 call->node, "makes an operator whose name is not written out");
  if (migration->is_possible)
    rewrite_head(
        migration, call,
        arena_printf(migration->sink->arena, "getattr(op, %.*s)(", STR_ARG(py_text(&model->tree, op->name_node))));
}

static void rewrite_op(Migration *migration, const PyOp *op)
{
  const PyModel *model = migration->model;
  const PyCall *call = &model->calls.items[op->call];
  const OnnxSchema *schema = migration_schema(migration, op);
  const PyArgument *name = py_model_argument(model, call, 0, NULL);
  bool is_chosen = py_op_is_chosen(model, op);
  if (is_chosen && op != model->ops.items && op[-1].call == op->call)
    return;  // Each of those that the condition chooses from is an operator; the call is one.
  if ((!op->name_known || is_chosen) && name) {
    PyOp whole = *op;
    whole.name_node = name->value;
    rewrite_chosen(migration, &whole);
    return;
  }
  migration_need(migration, op->domain.len == 0, call->node, "makes an operator of a domain of its own");
  migration_need(migration, schema != NULL, call->node, "makes what is no operator of ONNX at opset 18");
  migration_need(migration, op->kind == PY_OP_GRAPH && name && !op->has_splat_attribute && call->list_node, call->node,
                 "has attributes that are not written out");
  if (!migration->is_possible)
    return;
  if (is_split_by_size(model, op)) {
    rewrite_split(migration, op);
    return;
  }
  rewrite_head(migration, call, arena_printf(migration->sink->arena, "op.%.*s(", STR_ARG(op->name)));
  for (uint32_t i = 0; i < op->attribute_count && migration->is_possible; i++)
    rewrite_attribute(migration, schema, &model->attributes.items[op->first_attribute + i]);
  if (migration->is_possible)
    rewrite_outputs(migration, schema, op);
}

// --- What else symbolic functions do ---

static bool is_operator_call(const Migration *migration, uint32_t call)
{
  return call != PY_ABSENT && migration->model->calls.items[call].op != PY_ABSENT;
}

/// `symbolic_helper._is_none(x)`, which asks what `x is None` asks of a Python value.
static bool rewrite_none(Migration *migration, const PyCall *call)
{
  if (!str_equal(call->qualified, STR("torch.onnx.symbolic_helper._is_none")) || call->argument_count != 1)
    return false;
  Str value = py_text(&migration->model->tree, py_model_arguments(migration->model, call)->value);
  migration_edit(migration, migration_start(migration, call->node), migration_end(migration, call->node),
                 arena_printf(migration->sink->arena, "(%.*s is None)", STR_ARG(value)));
  return true;
}

/// `out.setType(...)`: the dynamo exporter has the types of its own capture.
static bool remove_set_type(Migration *migration, const PyCall *call)
{
  const PyTree *tree = &migration->model->tree;
  PyRef name = py_tree_member(tree, call->function_node);
  PyRef statement = tree->nodes[call->node].parent;
  if (!name || !str_equal(py_text(tree, name), STR("setType")) || py_kind(tree, statement) != PYK_EXPRESSION_STATEMENT)
    return false;
  migration_remove_line(migration, statement);
  return true;
}

/// Inside what is taken away, or written anew as a whole.
static bool is_inside_edit(const Migration *migration, PyRef node)
{
  for (size_t i = 0; i < migration->edits.count; i++) {
    const TextEdit *edit = &migration->edits.items[i];
    if (edit->range.start <= migration_start(migration, node) && migration_end(migration, node) <= edit->range.end)
      return true;
  }
  return false;
}

/// Functions of Python and torch that do the same with values of a translation.
static bool is_harmless(const Migration *migration, const PyCall *call)
{
  static const char *const names[] = { "int", "float", "bool", "list", "tuple", "range", "len" };
  return str_equal(call->qualified, STR("torch.tensor")) ||
         str_is_one_of(py_text(&migration->model->tree, call->function_node), names, COUNT(names));
}

// --- Helpers of the file ---

/// Takes the first of several away, with the comma after it.
static void remove_first(Migration *migration, PyRef first, PyRef second)
{
  migration_edit(migration, migration_start(migration, first),
                 second ? migration_start(migration, second) : migration_end(migration, first), STR(""));
}

static bool is_translated(const Migration *migration, uint32_t function)
{
  for (uint32_t i = 0; i < migration->function_count; i++) {
    if (migration->functions[i] == function)
      return true;
  }
  return false;
}

/// A function of the module that takes the graph first, and has no decorator.
static bool is_helper(const PyModel *model, uint32_t index)
{
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  return function && function->name_node && function->parent == PY_ABSENT && !function->class_node &&
         function->outer == function->node && function->first_registration == PY_ABSENT && function->param_count > 0 &&
         py_model_params(model, function)->kind == PY_PARAM_PLAIN && !model->tree.nodes[function->node].has_error;
}

/// `gate(g, x)` becomes `gate(x)`, and the helper is translated, too.
static bool rewrite_helper(Migration *migration, const PyCall *call, Str graph)
{
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  if (!is_helper(model, call->function) || call->argument_count == 0 || call->has_splat || call->has_dictionary_splat)
    return false;
  const PyArgument *arguments = py_model_arguments(model, call);
  if (arguments[0].keyword.len > 0 || !str_equal(py_text(tree, arguments[0].value), graph))
    return false;
  remove_first(migration, arguments[0].node, call->argument_count > 1 ? arguments[1].node : 0);
  if (is_translated(migration, call->function))
    return true;
  migration_need(migration, migration->function_count < PY_MIGRATION_FUNCTION_LIMIT, call->node,
                 "calls one helper more than a fix translates");
  if (!migration->is_possible)
    return true;
  const PyFunction *helper = &model->functions.items[call->function];
  const PyParam *params = py_model_params(model, helper);
  remove_first(migration, params[0].node, helper->param_count > 1 ? params[1].node : 0);
  migration->functions[migration->function_count++] = call->function;
  return true;
}

/// A helper changes for all who call it: so nobody else may.
static void check_uses(Migration *migration, uint32_t index)
{
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  const PyFunction *helper = &model->functions.items[index];
  for (PyRef node = 0; node < model->node_count; node++) {
    if (py_kind(tree, node) != PYK_IDENTIFIER || node == helper->name_node ||
        !str_equal(py_text(tree, node), helper->name))
      continue;
    const PyCall *call = py_model_call(model, tree->nodes[node].parent);
    bool is_call = call && call->function_node == node;
    migration_need(migration, is_call && is_translated(migration, call->scope), helper->node,
                   "is used by other code as well");
  }
}

static void rewrite_calls(Migration *migration, PyRef body, Str graph)
{
  const PyModel *model = migration->model;
  for (uint32_t i = 0; i < model->calls.count && migration->is_possible; i++) {
    const PyCall *call = &model->calls.items[i];
    bool is_here = call->node >= body && call->node < model->tree.nodes[body].next;
    if (!is_here || is_operator_call(migration, i) || is_inside_edit(migration, call->node))
      continue;
    migration_need(migration,
                   remove_set_type(migration, call) || rewrite_none(migration, call) || is_harmless(migration, call) ||
                       rewrite_helper(migration, call, graph),
                   call->node, "calls what may want the values of the TorchScript exporter");
  }
  for (size_t i = 0; i < model->ops.count && migration->is_possible; i++) {
    const PyOp *op = &model->ops.items[i];
    PyRef node = model->calls.items[op->call].node;
    if (node >= body && node < model->tree.nodes[body].next && !is_inside_edit(migration, node))
      rewrite_op(migration, op);
  }
}

/// What is left of the graph: `g.opset` is one number here, everything else is in the way.
static void rewrite_graph(Migration *migration, PyRef body, Str graph)
{
  const PyTree *tree = &migration->model->tree;
  for (PyRef node = body; node < tree->nodes[body].next && migration->is_possible; node++) {
    if (py_kind(tree, node) != PYK_IDENTIFIER || !str_equal(py_text(tree, node), graph))
      continue;
    PyRef parent = tree->nodes[node].parent;
    PyRef name = py_kind(tree, parent) == PYK_ATTRIBUTE && tree->nodes[node].field == PY_F_OBJECT
                     ? py_tree_member(tree, parent)
                     : 0;
    if (name && str_equal(py_text(tree, name), STR("opset")))
      migration_edit(migration, migration_start(migration, parent), migration_end(migration, parent),
                     arena_printf(migration->sink->arena, "%d", MIGRATION_OPSET));
    else
      migration_need(migration, is_inside_edit(migration, node), parent,
                     "uses the graph in another way than for g.op()");
  }
}

void migration_translate(Migration *migration, Str graph)
{
  const PyModel *model = migration->model;
  migration->functions[migration->function_count++] = migration->function;
  for (uint32_t i = 0; i < migration->function_count && migration->is_possible; i++) {
    const PyFunction *function = &model->functions.items[migration->functions[i]];
    Str name = i == 0 ? graph : py_model_params(model, function)->name;
    rewrite_calls(migration, function->body, name);
    rewrite_graph(migration, function->body, name);
  }
  for (uint32_t i = 1; i < migration->function_count && migration->is_possible; i++)
    check_uses(migration, migration->functions[i]);
}
