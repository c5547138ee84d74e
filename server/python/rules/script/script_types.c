// Element types in @script functions that become models: what the annotations say of the inputs goes from operator to
// operator, and where it does not fit no runtime loads the model. Run with onnxscript 0.7 and ONNX Runtime 1.23.

#include "base/ascii.h"
#include "base/limits.h"
#include "python/model/python_elements.h"
#include "python/rules/script/script.h"

typedef struct TypeWalk {
  const ScriptCheck *check;
  const PyFile *file;
  int steps;  ///< Expressions that may still be looked at.
  bool has_said;
} TypeWalk;

static uint32_t type_of(TypeWalk *walk, PyRef node, int depth);

/// Of `FLOAT["N"]`, `FLOAT` and `onnxscript.FLOAT[...]`; 0.
static uint32_t type_annotated(const TypeWalk *walk, PyRef annotation)
{
  const ScriptCheck *check = walk->check;
  PyRef name = annotation;
  for (int depth = 0; name && depth < PY_CHAIN_LIMIT; depth++) {
    PyNodeKind kind = script_kind(check, name);
    if (kind == PYK_IDENTIFIER || kind == PYK_ATTRIBUTE)
      break;
    name = kind == PYK_SUBSCRIPT ? py_child(check->tree, name, PY_F_VALUE) : py_first_child(check->tree, name);
  }
  Arena *arena = check->sink->arena;
  Str whole = name ? py_model_qualified(check->model, name, arena) : (Str){ 0 };
  if (!str_starts_with(whole, STR("onnxscript.")))
    return 0;
  Str last = str_after_last(whole, '.');
  char *lower = ARENA_ARRAY(arena, char, last.len + 1);
  for (size_t i = 0; i < last.len; i++)
    lower[i] = ascii_to_lower(last.data[i]);
  uint32_t element = onnx_element_of(str_make(lower, last.len));
  return element > 0 ? UINT32_C(1) << element : 0;
}

static uint32_t type_of_name(TypeWalk *walk, PyRef name, int depth)
{
  const ScriptCheck *check = walk->check;
  const PyBinding *binding = script_binding(check, name);
  if (!script_is_local(check, binding) || binding->next != PY_ABSENT)
    return 0;
  if (binding->kind == PY_BIND_PARAM)
    return type_annotated(walk, check->model->params.items[binding->index].annotation);
  return binding->kind == PY_BIND_ASSIGN && binding->value ? type_of(walk, binding->value, depth - 1) : 0;
}

/// The operator of the default domain at the opset that it is called of; NULL.
static const OnnxSchema *schema_of(const TypeWalk *walk, const PyOp *op)
{
  bool is_known = op && op->kind == PY_OP_ONNXSCRIPT && op->name_known && op->domain.len == 0 && op->opset > 0;
  const OnnxOperator *onnx = is_known ? symbolics_onnx_operator(walk->file->db, op->domain, op->name) : NULL;
  return onnx ? onnx_operator_at(onnx, op->opset) : NULL;
}

/// The type that `op.Cast(x, to=7)` names.
static uint32_t type_cast_to(const TypeWalk *walk, const PyCall *call)
{
  const PyArgument *to = py_model_argument(walk->check->model, call, PY_ABSENT, "to");
  int64_t number;
  bool is_known = to && py_model_int(walk->check->model, to->value, &number) && number > 0 && number < ELEM_COUNT;
  return is_known ? UINT32_C(1) << number : 0;
}

/// What the first output is: one type, or that of an input of the same letter.
static uint32_t type_of_output(TypeWalk *walk, const PyOp *op, const OnnxSchema *schema, int depth)
{
  const PyModel *model = walk->check->model;
  uint32_t made = schema->output_count > 0 ? elements_of_param(schema, &schema->outputs[0]) : 0;
  if (made == 0 || elements_number(made) != 0)
    return made;
  for (uint32_t i = 0; i < op->input_count && !op->has_splat_input; i++) {
    const OnnxParam *param = elements_param_at(schema, i);
    uint32_t type = param && str_equal(param->type, schema->outputs[0].type)
                        ? type_of(walk, model->arguments.items[op->first_input + i].value, depth - 1)
                        : 0;
    if (type != 0)
      return type;
  }
  return 0;
}

static uint32_t type_of_call(TypeWalk *walk, PyRef node, int depth)
{
  const PyModel *model = walk->check->model;
  const PyOp *op = py_model_op_at(model, node);
  const OnnxSchema *schema = schema_of(walk, op);
  const PyCall *call = py_model_call(model, node);
  if (!schema || !call)
    return 0;
  if (str_equal(op->name, STR("Cast")))
    return type_cast_to(walk, call);
  if (str_equal(op->name, STR("CastLike")) && op->input_count == 2)
    return type_of(walk, model->arguments.items[op->first_input + 1].value, depth - 1);
  return str_equal(op->name, STR("Constant")) ? 0 : type_of_output(walk, op, schema, depth);
}

/// Whether both sides of an operator of Python have to be of one type: all but `**` and those of bools.
static bool mixes_no_types(const ScriptCheck *check, PyRef node)
{
  PyRef sign = py_child(check->tree, node, PY_F_OPERATOR);
  Str text = sign ? py_text(check->tree, sign) : (Str){ 0 };
  return text.len == 1 && str_find_char(STR("+-*/@%"), text.data[0], 0) != STR_NOT_FOUND;
}

static uint32_t type_of(TypeWalk *walk, PyRef node, int depth)
{
  const ScriptCheck *check = walk->check;
  node = node ? py_tree_strip(check->tree, node) : 0;
  if (!node || depth <= 0 || walk->steps-- <= 0)
    return 0;
  PyNodeKind kind = script_kind(check, node);
  if (kind == PYK_IDENTIFIER)
    return type_of_name(walk, node, depth);
  if (kind == PYK_CALL)
    return type_of_call(walk, node, depth);
  if (kind == PYK_COMPARISON_OPERATOR)
    return ELEMENTS_BOOL;
  if (kind != PYK_BINARY_OPERATOR || !mixes_no_types(check, node))
    return 0;
  uint32_t left = type_of(walk, py_child(check->tree, node, PY_F_LEFT), depth - 1);
  return left ? left : type_of(walk, py_child(check->tree, node, PY_F_RIGHT), depth - 1);
}

// --- Findings ---

static void say(TypeWalk *walk, PyRef node, Str what)
{
  walk->has_said = true;
  DiagSink *sink = walk->check->sink;
  py_say(sink, RULE_TYPE_MISMATCH, SEVERITY_ERROR, node,
         arena_printf(sink->arena, "%.*s: the function compiles, and no runtime loads its model.", STR_ARG(what)),
         NULL);
}

static void check_operator(TypeWalk *walk, PyRef node)
{
  const PyTree *tree = walk->check->tree;
  Arena *arena = walk->check->sink->arena;
  uint32_t left = type_of(walk, py_child(tree, node, PY_F_LEFT), PY_EXPRESSION_DEPTH);
  uint32_t right = left ? type_of(walk, py_child(tree, node, PY_F_RIGHT), PY_EXPRESSION_DEPTH) : 0;
  if (right && mixes_no_types(walk->check, node) && (left & right) == 0)
    say(walk, node,
        arena_printf(arena, "Both sides have to be of one type, and these are %.*s and %.*s",
                     STR_ARG(elements_text(left, arena)), STR_ARG(elements_text(right, arena))));
}

/// The first input of the same letter before `position` that is surely of another type; PY_ABSENT.
static uint32_t input_that_differs(const OnnxSchema *schema, const uint32_t *types, uint32_t position)
{
  const OnnxParam *param = elements_param_at(schema, position);
  for (uint32_t i = 0; param && !param->heterogeneous && onnx_schema_constraint(schema, param->type) && i < position;
       i++) {
    const OnnxParam *other = elements_param_at(schema, i);
    if (other && str_equal(other->type, param->type) && types[i] && (types[i] & types[position]) == 0)
      return i;
  }
  return PY_ABSENT;
}

static void check_inputs(TypeWalk *walk, const PyOp *op)
{
  enum { FIRST_INPUTS = 8 };
  const OnnxSchema *schema = schema_of(walk, op);
  Arena *arena = walk->check->sink->arena;
  uint32_t types[FIRST_INPUTS] = { 0 };
  for (uint32_t i = 0; schema && !op->has_splat_input && i < op->input_count && i < FIRST_INPUTS; i++) {
    PyRef value = walk->check->model->arguments.items[op->first_input + i].value;
    const OnnxParam *param = elements_param_at(schema, i);
    types[i] = param ? type_of(walk, value, PY_EXPRESSION_DEPTH) : 0;
    uint32_t taken = types[i] ? elements_of_param(schema, param) : 0;
    if (taken == 0)
      continue;
    Str is = elements_text(types[i], arena);
    uint32_t other = input_that_differs(schema, types, i);
    if ((taken & types[i]) == 0)
      say(walk, value,
          arena_printf(arena, "'%.*s' of '%.*s' takes no %.*s", STR_ARG(param->name), STR_ARG(op->name), STR_ARG(is)));
    else if (other != PY_ABSENT)
      say(walk, value,
          arena_printf(arena, "Inputs %u and %u of '%.*s' have to be of one type, and these are %.*s and %.*s",
                       other + 1, i + 1, STR_ARG(op->name), STR_ARG(elements_text(types[other], arena)), STR_ARG(is)));
    else
      continue;
    return;
  }
}

/// `-> FLOAT["N"]` of what is returned.
static void check_result(TypeWalk *walk, const PyFunction *function)
{
  Arena *arena = walk->check->sink->arena;
  PyRef annotation = py_child(walk->check->tree, function->node, PY_F_RETURN_TYPE);
  uint32_t wanted = annotation && function->returned ? type_annotated(walk, annotation) : 0;
  uint32_t given = wanted ? type_of(walk, function->returned, PY_EXPRESSION_DEPTH) : 0;
  if (given && (given & wanted) == 0)
    say(walk, function->returned,
        arena_printf(arena, "The function says that it returns %.*s, and this is %.*s",
                     STR_ARG(elements_text(wanted, arena)), STR_ARG(elements_text(given, arena))));
}

void script_check_types(const ScriptCheck *check)
{
  enum { WORK_PER_NODE = 16 };
  const PyFunction *function = &check->model->functions.items[check->function];
  PyRef end = check->tree->nodes[check->body].next;
  // What is only called by others is given their types.
  if (!py_model_mentions(check->model, "to_model_proto") || end - check->body > PY_METHOD_NODE_LIMIT)
    return;
  TypeWalk walk = { check, sink_python(check->sink), (int)(end - check->body) * WORK_PER_NODE, false };
  for (PyRef node = check->body; node < end; node++) {
    PyNodeKind kind = script_kind(check, node);
    const PyOp *op = kind == PYK_CALL ? py_model_op_at(check->model, node) : NULL;
    if (op)
      check_inputs(&walk, op);
    else if (kind == PYK_BINARY_OPERATOR)
      check_operator(&walk, node);
  }
  if (!walk.has_said)
    check_result(&walk, function);
}
