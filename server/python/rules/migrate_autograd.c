// symbolic() of a torch.autograd.Function: the nodes that it makes become those of torch.onnx.ops.symbolic() in
// forward(), of which the exporter captures what it does. The types and shapes of the results are those that forward()
// computes; of nodes before the last one those are taken that their inputs have.

#include "base/buffer.h"
#include "base/limits.h"
#include "python/rules/migrate.h"

static uint32_t forward_of(const PyModel *model, PyRef class_node)
{
  uint32_t found = PY_ABSENT;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->class_node != class_node)
      continue;
    if (str_equal(function->name, STR("_forward")))
      return PY_ABSENT;
    if (str_equal(function->name, STR("forward")))
      found = i;
  }
  return found;
}

/// The plain g.op() that an expression is; NULL.
static const PyOp *op_at(const PyModel *model, PyRef node)
{
  uint32_t call = node ? py_model_call_at(model, py_tree_strip(&model->tree, node)) : PY_ABSENT;
  uint32_t op = call == PY_ABSENT ? PY_ABSENT : py_model_op_of_call(model, call);
  if (op == PY_ABSENT)
    return NULL;
  const PyOp *at = &model->ops.items[op];
  bool is_plain = at->kind == PY_OP_GRAPH && at->name_known && !at->has_splat_input && !at->has_splat_attribute;
  return is_plain && at->outputs > 0 ? at : NULL;
}

/// `name = g.op(...)` as a statement: the op and the name; NULL for others.
static const PyOp *assigned_op(const PyModel *model, PyRef statement, Str *ret_name)
{
  const PyTree *tree = &model->tree;
  PyRef assignment = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
  PyRef name = assignment && py_kind(tree, assignment) == PYK_ASSIGNMENT ? py_child(tree, assignment, PY_F_LEFT) : 0;
  const PyOp *op =
      name && py_kind(tree, name) == PYK_IDENTIFIER ? op_at(model, py_child(tree, assignment, PY_F_RIGHT)) : NULL;
  if (op)
    *ret_name = py_text(tree, name);
  return op && op->outputs == 1 ? op : NULL;
}

/// `out.setType(...)`, of which torch.onnx.ops.symbolic() needs nothing.
static bool sets_type(const PyModel *model, PyRef statement)
{
  const PyTree *tree = &model->tree;
  PyRef value = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
  PyRef function = value && py_kind(tree, value) == PYK_CALL ? py_child(tree, value, PY_F_FUNCTION) : 0;
  return function && py_kind(tree, function) == PYK_ATTRIBUTE &&
         str_equal(py_text(tree, py_child(tree, function, PY_F_ATTRIBUTE)), STR("setType"));
}

/// The node whose result symbolic() returns, if it makes nodes and does nothing else: `return g.op(...)` at its end, or
/// `y = g.op(...)` and `return y`. `ret_last` is the
/// statement that makes it. NULL if it does something else.
static const PyOp *returned_op(const PyModel *model, const PyFunction *function, PyRef *ret_last)
{
  const PyTree *tree = &model->tree;
  PyRef statement = function->body ? py_first_child(tree, function->body) : 0;
  Str name = { 0 };
  const PyOp *before = NULL;
  *ret_last = 0;
  for (; statement && py_kind(tree, statement) != PYK_RETURN_STATEMENT; statement = py_next_sibling(tree, statement)) {
    if (sets_type(model, statement))
      continue;
    before = assigned_op(model, statement, &name);
    if (!before)
      return NULL;
    *ret_last = statement;
  }
  PyRef value = statement && !py_next_sibling(tree, statement) ? py_first_child(tree, statement) : 0;
  const PyOp *op = op_at(model, value);
  if (op)
    *ret_last = statement;
  return op ? op : value && before && str_equal(py_text(tree, value), name) ? before : NULL;
}

static bool is_literal_or_param(const PyModel *model, const PyFunction *function, PyRef node)
{
  const PyTree *tree = &model->tree;
  for (PyRef at = node; at < tree->nodes[node].next; at++) {
    if (py_kind(tree, at) == PYK_CALL || py_kind(tree, at) == PYK_ATTRIBUTE)
      return false;
    if (py_kind(tree, at) != PYK_IDENTIFIER)
      continue;
    bool is_param = false;
    for (uint32_t i = 1; i < function->param_count; i++)
      is_param |= str_equal(model->params.items[function->first_param + i].name, py_text(tree, at));
    if (!is_param)
      return false;
  }
  return true;
}

/// A value of torch.onnx.ops.symbolic() has the type that Python shows: `1` is no float.
static Str attribute_value(const Migration *migration, const PyAttribute *attribute)
{
  Arena *arena = migration->sink->arena;
  Str text = py_text(&migration->model->tree, attribute->value);
  PyNodeKind kind = py_kind(&migration->model->tree, attribute->value);
  bool is_list = kind == PYK_LIST || kind == PYK_TUPLE;
  char letter = attribute->suffix.data[0];
  if (letter == 's')
    return text;
  const char *type = letter == 'f' ? "float" : "int";
  bool is_exact = (letter == 'f' && kind == PYK_FLOAT) || (letter == 'i' && kind == PYK_INTEGER);
  if (is_exact || (is_list && letter == 'i'))
    return text;
  // A name may hold a list, which the suffix of g.op() leaves open.
  bool may_be_list = is_list || kind == PYK_IDENTIFIER || kind == PYK_SUBSCRIPT;
  if (is_list)
    return arena_printf(arena, "[%s(value) for value in %.*s]", type, STR_ARG(text));
  return may_be_list && letter == 'i' ? text : arena_printf(arena, "%s(%.*s)", type, STR_ARG(text));
}

static Str attributes_text(Migration *migration, const PyFunction *function, const PyOp *op)
{
  const PyModel *model = migration->model;
  Buffer out = { 0 };
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const PyAttribute *attribute = &model->attributes.items[op->first_attribute + i];
    bool is_known = attribute->suffix.len == 1 && strchr("ifs", attribute->suffix.data[0]) &&
                    is_literal_or_param(model, function, attribute->value);
    migration->is_possible &= is_known;
    if (is_known)
      buffer_printf(&out, "%s\"%.*s\": %.*s", i > 0 ? ", " : "", STR_ARG(attribute->name),
                    STR_ARG(attribute_value(migration, attribute)));
  }
  Str text = arena_copy(migration->sink->arena, buffer_str(&out));
  buffer_done(&out);
  return text;
}

/// The nodes before the last one, as statements of the new forward().
typedef struct Emission {
  Migration *migration;
  const PyFunction *function;
  Buffer lines;
  int count;  ///< Of nodes that got a name of their own.
} Emission;

typedef enum NodeType {
  NODE_UNKNOWN,  ///< Whose shape is not known.
  NODE_SAME,     ///< One element of each input makes one, of the type of the first.
  NODE_BOOL,
} NodeType;

static NodeType node_type(const PyOp *op)
{
  static const char *const same[] = { "Abs", "Add",      "Ceil",        "Clip",      "Cos",   "Div",  "Elu",     "Erf",
                                      "Exp", "Floor",    "HardSigmoid", "LeakyRelu", "Log",   "Max",  "Min",     "Mul",
                                      "Neg", "Pow",      "Reciprocal",  "Relu",      "Round", "Selu", "Sigmoid", "Sign",
                                      "Sin", "Softplus", "Softsign",    "Sqrt",      "Sub",   "Tanh" };
  static const char *const compared[] = { "Equal", "Greater", "GreaterOrEqual", "Less", "LessOrEqual" };
  if (op->domain.len > 0 || op->outputs != 1)
    return NODE_UNKNOWN;
  return str_is_one_of(op->name, same, COUNT(same))           ? NODE_SAME
         : str_is_one_of(op->name, compared, COUNT(compared)) ? NODE_BOOL
                                                              : NODE_UNKNOWN;
}

/// The tensor of `g.op("Constant", value_t=torch.tensor(2.0))`; 0.
static PyRef constant_value(const PyModel *model, const PyOp *op)
{
  bool is_one = op->domain.len == 0 && str_equal(op->name, STR("Constant")) && op->attribute_count == 1;
  const PyAttribute *value = is_one ? &model->attributes.items[op->first_attribute] : NULL;
  uint32_t call =
      value && str_equal(value->keyword, STR("value_t")) ? py_model_call_at(model, value->value) : PY_ABSENT;
  bool is_tensor = call != PY_ABSENT && str_equal(model->calls.items[call].qualified, STR("torch.tensor"));
  return is_tensor ? value->value : 0;
}

/// Whether the name is bound in the function by one of its statements `name = g.op(...)`, and by nothing else.
static bool is_node_name(const PyModel *model, const PyFunction *function, PyRef name)
{
  uint32_t at = py_model_lookup(model, py_model_scope_of(model, name), py_text(&model->tree, name));
  const PyBinding *binding = at == PY_ABSENT ? NULL : &model->bindings.items[at];
  return binding && binding->kind == PY_BIND_ASSIGN && binding->next == PY_ABSENT && binding->node > function->body &&
         binding->node < model->tree.nodes[function->body].next;
}

static Str emit_node(Emission *emission, const PyOp *op, Str name, int depth);

static Str emit_input(Emission *emission, PyRef value, int depth)
{
  Migration *migration = emission->migration;
  const PyModel *model = migration->model;
  const PyOp *op = op_at(model, value);
  if (op && op->outputs == 1 && depth > 0)
    return emit_node(emission, op, (Str){ 0 }, depth - 1);
  migration->is_possible &=
      py_kind(&model->tree, value) == PYK_IDENTIFIER &&
      (is_literal_or_param(model, emission->function, value) || is_node_name(model, emission->function, value));
  return py_text(&model->tree, value);
}

/// "x, scale,"; `ret_first` is the first of them, `ret_shape` the shape that they have together.
static Str inputs_text(Emission *emission, const PyOp *op, int depth, Str *ret_first, Str *ret_shape)
{
  Arena *arena = emission->migration->sink->arena;
  const PyModel *model = emission->migration->model;
  Str text = { 0 }, shapes = { 0 };
  *ret_first = (Str){ 0 };
  for (uint32_t i = 0; i < op->input_count; i++) {
    Str input = emit_input(emission, model->arguments.items[op->first_input + i].value, depth);
    text = arena_printf(arena, "%.*s%s%.*s,", STR_ARG(text), i > 0 ? " " : "", STR_ARG(input));
    shapes = arena_printf(arena, "%.*s%s%.*s.shape", STR_ARG(shapes), i > 0 ? ", " : "", STR_ARG(input));
    if (i == 0)
      *ret_first = input;
  }
  *ret_shape = op->input_count > 1 ? arena_printf(arena, "torch.broadcast_shapes(%.*s)", STR_ARG(shapes)) : shapes;
  return text;
}

/// Writes the statement that makes a node; what it is called.
static Str emit_node(Emission *emission, const PyOp *op, Str name, int depth)
{
  Migration *migration = emission->migration;
  Arena *arena = migration->sink->arena;
  PyRef constant = constant_value(migration->model, op);
  Str first, shape;
  Str inputs = inputs_text(emission, op, depth, &first, &shape);
  if (name.len == 0)
    name = arena_printf(arena, "node_%d", ++emission->count);
  if (constant) {
    migration->is_possible &= is_literal_or_param(
        migration->model, emission->function,
        migration->model->arguments
            .items[migration->model->calls.items[py_model_call_at(migration->model, constant)].first_argument]
            .value);
    buffer_printf(&emission->lines, "            %.*s = %.*s\n", STR_ARG(name),
                  STR_ARG(py_text(&migration->model->tree, constant)));
    return name;
  }
  NodeType type = node_type(op);
  migration->is_possible &= type != NODE_UNKNOWN && op->input_count > 0;
  buffer_printf(&emission->lines,
                "            %.*s = torch.onnx.ops.symbolic(\"%.*s\", (%.*s), {%.*s}, dtype=%.*s, shape=%.*s)\n",
                STR_ARG(name), STR_ARG(op->full_name), STR_ARG(inputs),
                STR_ARG(attributes_text(migration, emission->function, op)),
                STR_ARG(type == NODE_BOOL ? STR("torch.bool") : arena_printf(arena, "%.*s.dtype", STR_ARG(first))),
                STR_ARG(shape));
  return name;
}

/// The statements up to `last`, which makes the last node.
static void emit_statements(Emission *emission, PyRef last)
{
  const PyModel *model = emission->migration->model;
  const PyTree *tree = &model->tree;
  for (PyRef statement = py_first_child(tree, emission->function->body); statement && statement != last;
       statement = py_next_sibling(tree, statement)) {
    Str name;
    const PyOp *op = assigned_op(model, statement, &name);
    if (sets_type(model, statement))
      continue;
    // The new forward() has names of its own.
    emission->migration->is_possible &= op && !str_equal(name, STR("out"));
    if (op)
      emit_node(emission, op, name, PY_EXPRESSION_DEPTH);
  }
}

/// The names of forward()'s parameters, as symbolic() has them after the graph; false if they are not the same.
static bool same_params(const PyModel *model, const PyFunction *symbolic, const PyFunction *forward, Buffer *names)
{
  if (symbolic->param_count != forward->param_count || forward->param_count == 0)
    return false;
  for (uint32_t i = 0; i < forward->param_count; i++) {
    const PyParam *param = &model->params.items[forward->first_param + i];
    bool is_same = i == 0 || str_equal(param->name, model->params.items[symbolic->first_param + i].name);
    if (!is_same || param->kind != PY_PARAM_PLAIN)
      return false;
    buffer_printf(names, "%s%.*s", i > 0 ? ", " : "", STR_ARG(param->name));
  }
  return true;
}

/// `return torch.onnx.ops.symbolic(...)` of the last node.
static void emit_result(Emission *emission, const PyOp *op)
{
  Str first, shape;
  Str inputs = inputs_text(emission, op, PY_EXPRESSION_DEPTH, &first, &shape);
  bool is_several = op->outputs > 1;
  buffer_printf(
      &emission->lines,
      "            return %storch.onnx.ops.symbolic%s(\"%.*s\", (%.*s), {%.*s}, dtype%s=%s, shape%s=%s%s)%s\n",
      is_several ? "tuple(" : "", is_several ? "_multi_out" : "", STR_ARG(op->full_name), STR_ARG(inputs),
      STR_ARG(attributes_text(emission->migration, emission->function, op)), is_several ? "s" : "",
      is_several ? "[value.dtype for value in out]" : "out.dtype", is_several ? "s" : "",
      is_several ? "[value.shape for value in out]" : "out.shape", op->domain.len > 0 ? ", version=1" : "",
      is_several ? ")" : "");
}

/// The new forward(), which comes in the place of symbolic().
static Str new_forward(Migration *migration, const PyFunction *symbolic, const PyFunction *forward, const PyOp *op,
                       PyRef last)
{
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  Buffer names = { 0 };
  Buffer out = { 0 };
  Emission emission = { .migration = migration, .function = symbolic };
  migration->is_possible &= same_params(model, symbolic, forward, &names);
  PyRef list = py_child(tree, forward->node, PY_F_PARAMETERS);
  Str class_name = py_text(tree, py_child(tree, symbolic->class_node, PY_F_NAME));
  emit_statements(&emission, last);
  emit_result(&emission, op);
  buffer_printf(&out, "@staticmethod\n    def forward%.*s:\n        out = %.*s._forward(%.*s)\n",
                STR_ARG(py_text(tree, list)), STR_ARG(class_name), STR_ARG(buffer_str(&names)));
  buffer_append(&out, STR("        if torch.onnx.is_in_onnx_export():\n"));
  buffer_append(&out, buffer_str(&emission.lines));
  buffer_append(&out, STR("        return out"));
  Str text = arena_copy(migration->sink->arena, buffer_str(&out));
  buffer_done(&emission.lines);
  buffer_done(&names);
  buffer_done(&out);
  return text;
}

const Fix *migrate_autograd(DiagSink *sink, uint32_t symbolic_index)
{
  Migration migration = migration_begin(sink, symbolic_index);
  const PyModel *model = migration.model;
  const PyTree *tree = &model->tree;
  const PyFunction *symbolic = &model->functions.items[symbolic_index];
  uint32_t forward_index = symbolic->class_node ? forward_of(model, symbolic->class_node) : PY_ABSENT;
  PyRef last;
  const PyOp *op = returned_op(model, symbolic, &last);
  if (!migration_is_wanted(migration.file) || forward_index == PY_ABSENT || !op || !symbolic->is_static ||
      symbolic->parse_args != PY_ABSENT)
    return NULL;
  const PyFunction *forward = &model->functions.items[forward_index];
  uint32_t torch = py_model_lookup(model, PY_ABSENT, STR("torch"));
  migration.is_possible = forward->is_static && torch != PY_ABSENT &&
                          !py_child(tree, forward->node, PY_F_RETURN_TYPE) && !tree->nodes[forward->node].has_error &&
                          !tree->nodes[symbolic->node].has_error;
  // Four columns, as the text that comes in has.
  size_t start = tree->nodes[symbolic->outer].start;
  migration.is_possible &= start >= 4 && str_ends_with(str_slice(tree->text, 0, start), STR("\n    "));
  migration_edit(&migration, start, tree->nodes[symbolic->outer].end,
                 new_forward(&migration, symbolic, forward, op, last));
  migration_edit(&migration, tree->nodes[forward->name_node].start, tree->nodes[forward->name_node].end,
                 STR("_forward"));
  return migration_finish(&migration, STR("Make the node in forward() by torch.onnx.ops.symbolic()"));
}
