// symbolic() of a torch.autograd.Function: the nodes that it makes become those of torch.onnx.ops.symbolic() in
// forward(), of which the exporter captures what it does. The types and shapes of the results are those that forward()
// computes; of nodes before the last one those are taken that their inputs have.

#include "base/buffer.h"
#include "base/limits.h"
#include "python/rules/migrate/migrate.h"
#include "python/rules/symbolic/op.h"

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
  const PyOp *at = node ? py_model_op_at(model, py_tree_strip(&model->tree, node)) : NULL;
  if (!at)
    return NULL;
  bool is_plain = at->kind == PY_OP_GRAPH && at->name_known && !py_op_is_chosen(model, at) && !at->has_splat_input &&
                  !at->has_splat_attribute;
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
  PyRef function = py_tree_callee(tree, value);
  return function && str_equal(py_tree_member_name(tree, function), STR("setType"));
}

static bool is_literal_or_param(const PyModel *model, const PyFunction *function, PyRef node)
{
  const PyTree *tree = &model->tree;
  for (PY_EACH_NODE(tree, at, node)) {
    if (py_kind(tree, at) == PYK_CALL || py_kind(tree, at) == PYK_ATTRIBUTE)
      return false;
    if (py_kind(tree, at) != PYK_IDENTIFIER)
      continue;
    bool is_param = false;
    for (uint32_t i = 1; i < function->param_count; i++)
      is_param |= str_equal(py_model_params(model, function)[i].name, py_text(tree, at));
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
  const OnnxSchema *schema = migration_schema(migration, op);
  Buffer out = { 0 };
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const PyAttribute *attribute = &model->attributes.items[op->first_attribute + i];
    bool is_known = attribute->suffix.len == 1 && strchr("ifs", attribute->suffix.data[0]) &&
                    is_literal_or_param(model, function, attribute->value);
    migration_need(migration, is_known, attribute->node, "is an attribute whose value is not written out");
    migration_need(migration, op->domain.len > 0 || (schema && onnx_schema_attribute(schema, attribute->name)),
                   attribute->node, "is no attribute of the operator at opset 18");
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
  int count;           ///< Of nodes that got a name of their own.
  const char *blanks;  ///< Before each line.
  const char *result;  ///< What the new forward() calls the result of the old one.
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
  const PyCall *call = value && str_equal(value->keyword, STR("value_t")) ? py_model_call(model, value->value) : NULL;
  bool is_tensor = call && str_equal(call->qualified, STR("torch.tensor"));
  return is_tensor ? value->value : 0;
}

/// Whether the name is bound in the function by one of its statements `name = g.op(...)`, and by nothing else.
static bool is_node_name(const PyModel *model, const PyFunction *function, PyRef name)
{
  const PyBinding *binding = py_model_binding_at(model, name);
  return py_binding_is_only(binding, PY_BIND_ASSIGN) && binding->node > function->body &&
         binding->node < model->tree.nodes[function->body].next;
}

static Str emit_node(Emission *emission, const PyOp *op, Str name, Str like, int depth);

static Str emit_input(Emission *emission, PyRef value, int depth)
{
  Migration *migration = emission->migration;
  const PyModel *model = migration->model;
  const PyOp *op = op_at(model, value);
  if (op && op->outputs == 1 && depth > 0)
    return emit_node(emission, op, (Str){ 0 }, (Str){ 0 }, depth - 1);
  migration_need(
      migration,
      py_kind(&model->tree, value) == PYK_IDENTIFIER &&
          (is_literal_or_param(model, emission->function, value) || is_node_name(model, emission->function, value)),
      value, "is no parameter of forward(), and no node");
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

/// Writes the statement that makes a node; what it is called. It has the type of `like`, or if that is empty, of its
/// inputs.
static Str emit_node(Emission *emission, const PyOp *op, Str name, Str like, int depth)
{
  Migration *migration = emission->migration;
  const PyModel *model = migration->model;
  Arena *arena = migration->sink->arena;
  PyRef constant = constant_value(model, op), node = model->calls.items[op->call].node;
  Str first, shape;
  Str inputs = inputs_text(emission, op, depth, &first, &shape);
  if (name.len == 0)
    name = arena_printf(arena, "node_%d", ++emission->count);
  if (constant) {
    const PyCall *tensor = py_model_call(model, constant);
    migration_need(migration,
                   tensor->argument_count > 0 &&
                       is_literal_or_param(model, emission->function, py_model_arguments(model, tensor)->value),
                   node, "is a constant whose value is not written out");
    buffer_printf(&emission->lines, "%s%.*s = %.*s\n", emission->blanks, STR_ARG(name),
                  STR_ARG(py_text(&model->tree, constant)));
    return name;
  }
  NodeType type = node_type(op);
  Str dtype = type == NODE_BOOL ? STR("torch.bool") : arena_printf(arena, "%.*s.dtype", STR_ARG(first));
  migration_need(migration, op->input_count > 0 && (like.len > 0 || type != NODE_UNKNOWN), node,
                 "makes a node whose type and shape only the exporter would know");
  if (like.len > 0) {
    dtype = arena_printf(arena, "%.*s.dtype", STR_ARG(like));
    shape = arena_printf(arena, "%.*s.shape", STR_ARG(like));
  }
  buffer_printf(&emission->lines,
                "%s%.*s = torch.onnx.ops.symbolic(\"%.*s\", (%.*s), {%.*s}, dtype=%.*s, shape=%.*s%s)\n",
                emission->blanks, STR_ARG(name), STR_ARG(op->full_name), STR_ARG(inputs),
                STR_ARG(attributes_text(migration, emission->function, op)), STR_ARG(dtype), STR_ARG(shape),
                op->domain.len > 0 ? ", version=1" : "");
  return name;
}

/// `out.dtype`, or the same of each result.
static const char *type_in_result(const Emission *emission, const char *what, bool is_several)
{
  Arena *arena = emission->migration->sink->arena;
  return is_several ? arena_printf(arena, "[value.%s for value in %s]", what, emission->result).data
                    : arena_printf(arena, "%s.%s", emission->result, what).data;
}

/// `return torch.onnx.ops.symbolic(...)` of the node that symbolic() returns, with the types of what forward() gives.
static void emit_result(Emission *emission, const PyOp *op)
{
  Str first, shape;
  Str inputs = inputs_text(emission, op, PY_EXPRESSION_DEPTH, &first, &shape);
  bool is_several = op->outputs > 1;
  buffer_printf(
      &emission->lines, "%sreturn %storch.onnx.ops.symbolic%s(\"%.*s\", (%.*s), {%.*s}, dtype%s=%s, shape%s=%s%s)%s\n",
      emission->blanks, is_several ? "tuple(" : "", is_several ? "_multi_out" : "", STR_ARG(op->full_name),
      STR_ARG(inputs), STR_ARG(attributes_text(emission->migration, emission->function, op)), is_several ? "s" : "",
      type_in_result(emission, "dtype", is_several), is_several ? "s" : "",
      type_in_result(emission, "shape", is_several), op->domain.len > 0 ? ", version=1" : "", is_several ? ")" : "");
}

/// The value of the `return` that ends the block of a statement; 0.
static PyRef result_of_block(const PyTree *tree, PyRef statement)
{
  PyRef last = statement;
  for (PyRef next = statement; next; next = py_next_sibling(tree, next))
    last = next;
  return py_kind(tree, last) == PYK_RETURN_STATEMENT ? py_first_child(tree, last) : 0;
}

/// What of forward()'s result the value that the statement names becomes: "out" of `return y`, "out[1]" of
/// `return x, y`; empty if it is returned otherwise, or not at all.
static Str place_in_result(const Emission *emission, PyRef statement, Str name)
{
  const PyTree *tree = &emission->migration->model->tree;
  PyRef value = result_of_block(tree, statement);
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
  if (kind == PYK_IDENTIFIER && str_equal(py_text(tree, value), name))
    return str_from(emission->result);
  int position = 0;
  PyRef item = kind == PYK_TUPLE || kind == PYK_EXPRESSION_LIST ? py_tree_first_element(tree, value) : 0;
  for (; item; item = py_tree_next_element(tree, item), position++) {
    if (str_equal(py_text(tree, item), name))
      return arena_printf(emission->migration->sink->arena, "%s[%d]", emission->result, position);
  }
  return (Str){ 0 };
}

/// `return a, g.op(...)`
static void emit_results(Emission *emission, PyRef list)
{
  Migration *migration = emission->migration;
  const PyTree *tree = &migration->model->tree;
  Arena *arena = migration->sink->arena;
  Str names = { 0 };
  int position = 0;
  for (PyRef item = py_tree_first_element(tree, list); item; item = py_tree_next_element(tree, item), position++) {
    const PyOp *op = op_at(migration->model, item);
    Str name = op && op->outputs == 1
                   ? emit_node(emission, op, (Str){ 0 }, arena_printf(arena, "%s[%d]", emission->result, position),
                               PY_EXPRESSION_DEPTH)
                   : emit_input(emission, item, 0);
    names = arena_printf(arena, "%.*s%s%.*s", STR_ARG(names), position > 0 ? ", " : "", STR_ARG(name));
  }
  buffer_printf(&emission->lines, "%sreturn %.*s%s\n", emission->blanks, STR_ARG(names), position == 1 ? "," : "");
}

static void emit_return(Emission *emission, PyRef statement)
{
  const PyTree *tree = &emission->migration->model->tree;
  PyRef value = py_first_child(tree, statement);
  const PyOp *op = op_at(emission->migration->model, value);
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
  if (op)
    emit_result(emission, op);
  else if (kind == PYK_TUPLE || kind == PYK_EXPRESSION_LIST)
    emit_results(emission, value);
  else if (value)
    buffer_printf(&emission->lines, "%sreturn %.*s\n", emission->blanks, STR_ARG(emit_input(emission, value, 0)));
  migration_need(emission->migration, value != 0, statement, "returns nothing");
}

/// Whether the condition asks parameters that are no tensors, so that forward() decides alike: one that a node takes is
/// asked for None alone.
static bool is_plain_condition(const Emission *emission, PyRef condition)
{
  const PyModel *model = emission->migration->model;
  const PyTree *tree = &model->tree;
  if (!is_literal_or_param(model, emission->function, condition))
    return false;
  bool is_none = py_kind(tree, condition) == PYK_COMPARISON_OPERATOR &&
                 str_contains(py_text(tree, condition), STR(" is ")) &&
                 str_contains(py_text(tree, condition), STR("None"));
  for (size_t i = 0; i < model->ops.count && !is_none; i++) {
    const PyOp *op = &model->ops.items[i];
    PyRef node = model->calls.items[op->call].node;
    bool is_here = node > emission->function->body && node < tree->nodes[emission->function->body].next;
    for (uint32_t k = 0; k < op->input_count && is_here; k++) {
      Str input = py_text(tree, model->arguments.items[op->first_input + k].value);
      for (PY_EACH_NODE(tree, at, condition)) {
        if (py_kind(tree, at) == PYK_IDENTIFIER && str_equal(py_text(tree, at), input))
          return false;
      }
    }
  }
  return true;
}

static void emit_block(Emission *emission, PyRef block, int depth);

/// A block in a branch, further in.
static void emit_inner(Emission *emission, PyRef block, int depth)
{
  const char *before = emission->blanks;
  emission->blanks = arena_printf(emission->migration->sink->arena, "%s    ", before).data;
  emit_block(emission, block, depth - 1);
  emission->blanks = before;
}

static void emit_if(Emission *emission, PyRef statement, int depth)
{
  Migration *migration = emission->migration;
  const PyTree *tree = &migration->model->tree;
  for (PyRef clause = statement; clause && migration->is_possible;) {
    PyRef condition = py_child(tree, clause, PY_F_CONDITION);
    PyRef body = py_child(tree, clause, condition ? PY_F_CONSEQUENCE : PY_F_BODY);
    const char *word = clause == statement ? "if" : condition ? "elif" : "else";
    migration_need(migration, depth > 0 && body && (!condition || is_plain_condition(emission, condition)), clause,
                   "decides by more than parameters that are no tensors");
    if (!migration->is_possible)
      return;
    Str asked = condition ? py_text(tree, condition) : (Str){ 0 };
    buffer_printf(&emission->lines, "%s%s%s%.*s:\n", emission->blanks, word, condition ? " " : "", STR_ARG(asked));
    emit_inner(emission, body, depth);
    PyRef next = clause == statement ? py_first_child(tree, statement) : py_next_sibling(tree, clause);
    while (next && py_kind(tree, next) != PYK_ELIF_CLAUSE && py_kind(tree, next) != PYK_ELSE_CLAUSE)
      next = py_next_sibling(tree, next);
    clause = next;
  }
}

/// The statements of symbolic(), or of a branch of it.
static void emit_block(Emission *emission, PyRef block, int depth)
{
  Migration *migration = emission->migration;
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  for (PyRef statement = py_first_child(tree, block); statement && migration->is_possible;
       statement = py_next_sibling(tree, statement)) {
    Str name;
    const PyOp *op = assigned_op(model, statement, &name);
    PyNodeKind kind = py_kind(tree, statement);
    if (sets_type(model, statement))
      continue;
    if (op) {
      emit_node(emission, op, name, place_in_result(emission, statement, name), PY_EXPRESSION_DEPTH);
    } else if (kind == PYK_RETURN_STATEMENT) {
      emit_return(emission, statement);
    } else {
      migration_need(migration, kind == PYK_IF_STATEMENT, statement, "does more than make nodes");
      if (migration->is_possible)
        emit_if(emission, statement, depth);
    }
  }
}

/// The names of forward()'s parameters, as symbolic() has them after the graph; false if they are not the same.
static bool same_params(const PyModel *model, const PyFunction *symbolic, const PyFunction *forward, Buffer *names)
{
  if (symbolic->param_count != forward->param_count || forward->param_count == 0)
    return false;
  for (uint32_t i = 0; i < forward->param_count; i++) {
    const PyParam *param = &py_model_params(model, forward)[i];
    bool is_same = i == 0 || str_equal(param->name, py_model_params(model, symbolic)[i].name);
    if (!is_same || param->kind != PY_PARAM_PLAIN)
      return false;
    buffer_printf(names, "%s%.*s", i > 0 ? ", " : "", STR_ARG(param->name));
  }
  return true;
}

static bool binds_name(const PyModel *model, const PyFunction *function, Str name)
{
  for (PY_EACH_NODE(&model->tree, node, function->node)) {
    if (py_kind(&model->tree, node) == PYK_IDENTIFIER && str_equal(py_text(&model->tree, node), name))
      return true;
  }
  return false;
}

/// The new forward(), which comes in the place of symbolic().
static Str new_forward(Migration *migration, const PyFunction *symbolic, const PyFunction *forward)
{
  const PyModel *model = migration->model;
  const PyTree *tree = &model->tree;
  Buffer names = { 0 };
  Buffer out = { 0 };
  Emission emission = { .migration = migration, .function = symbolic, .blanks = "            ", .result = "out" };
  if (binds_name(model, symbolic, STR("out")))
    emission.result = "result";
  migration_need(migration, !binds_name(model, symbolic, str_from(emission.result)), symbolic->node,
                 "takes the names `out` and `result`");
  migration_need(migration, same_params(model, symbolic, forward, &names), symbolic->node,
                 "has other parameters than forward()");
  PyRef list = py_child(tree, forward->node, PY_F_PARAMETERS);
  Str class_name = py_text(tree, py_child(tree, symbolic->class_node, PY_F_NAME));
  emit_block(&emission, symbolic->body, PY_SHAPE_CALL_DEPTH);
  buffer_printf(&out, "@staticmethod\n    def forward%.*s:\n        %s = %.*s._forward(%.*s)\n",
                STR_ARG(py_text(tree, list)), emission.result, STR_ARG(class_name), STR_ARG(buffer_str(&names)));
  buffer_append(&out, STR("        if torch.onnx.is_in_onnx_export():\n"));
  buffer_append(&out, buffer_str(&emission.lines));
  buffer_printf(&out, "        return %s", emission.result);
  Str text = arena_copy(migration->sink->arena, buffer_str(&out));
  buffer_done(&emission.lines);
  buffer_done(&names);
  buffer_done(&out);
  return text;
}

/// Whether both functions are written as they are usually.
static void check_functions(Migration *migration, const PyFunction *symbolic, const PyFunction *forward)
{
  const PyTree *tree = &migration->model->tree;
  size_t start = tree->nodes[symbolic->outer].start;
  migration_need(migration, symbolic->is_static && symbolic->parse_args == PY_ABSENT, symbolic->node,
                 "is no plain @staticmethod");
  migration_need(migration, forward->is_static && !py_child(tree, forward->node, PY_F_RETURN_TYPE), forward->node,
                 "is no plain @staticmethod without a return type");
  migration_need(migration, py_model_lookup(migration->model, PY_ABSENT, STR("torch")) != PY_ABSENT, symbolic->node,
                 "would need the name `torch`");
  migration_need(migration, !tree->nodes[forward->node].has_error && !tree->nodes[symbolic->node].has_error,
                 symbolic->node, "can't be read");
  // Four columns, as the text that comes in has.
  migration_need(migration, start >= 4 && str_ends_with(str_slice(tree->text, 0, start), STR("\n    ")), symbolic->node,
                 "is not indented by four columns");
}

const Fix *migrate_autograd(DiagSink *sink, uint32_t symbolic_index, MigrationStop *ret_stop)
{
  Migration migration = migration_begin(sink, symbolic_index);
  const PyModel *model = migration.model;
  const PyTree *tree = &model->tree;
  const PyFunction *symbolic = &model->functions.items[symbolic_index];
  uint32_t forward_index = symbolic->class_node ? forward_of(model, symbolic->class_node) : PY_ABSENT;
  if (!migration_is_wanted(migration.file) || forward_index == PY_ABSENT || !symbolic->body)
    return NULL;
  const PyFunction *forward = &model->functions.items[forward_index];
  check_functions(&migration, symbolic, forward);
  if (migration.is_possible) {
    migration_edit(&migration, tree->nodes[symbolic->outer].start, tree->nodes[symbolic->outer].end,
                   new_forward(&migration, symbolic, forward));
    migration_edit(&migration, tree->nodes[forward->name_node].start, tree->nodes[forward->name_node].end,
                   STR("_forward"));
  }
  *ret_stop = migration.stop;
  return migration_finish(&migration, STR("Make the node in forward() by torch.onnx.ops.symbolic()"));
}
