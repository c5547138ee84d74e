// Inputs of g.op() whose element type the ONNX operator does not take: a float for `indices`, an int64 for `min` of
// Clip beside floats. The exporter writes such models, and neither the full check of onnx nor ONNX Runtime takes them.
//
// It casts the inputs of some operators to one type (elements_are_repaired(); since torch 2 the last two of Where), and
// folds what is made of constants only. Run with torch 1.13 and 2.6, onnx 1.17 and ONNX Runtime 1.21.

#include "facts/torch_inputs.h"
#include "python/model/python_elements.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/op.h"

/// An input whose element type is known.
typedef struct TypedInput {
  uint32_t position;
  const PyArgument *argument;
  uint32_t elements;
  PyRef maker;  ///< The call that makes the tensor, `torch.zeros(1)`; 0.
  bool is_constant;
} TypedInput;

/// Two inputs that may have to be of one type, or one alone.
typedef struct TypedPair {
  const TypedInput *input;
  const TypedInput *other;  ///< NULL for none.
} TypedPair;

/// The tensor in `g.op("Constant", value_t=tensor)`, or in a Cast of it; or what the node itself is.
static PyRef tensor_of(const OpCheck *check, PyRef node)
{
  PyRef known = py_file_made(check->file, node);
  const PyOp *op = py_model_op_at(check->model, known);
  if (op && str_equal(op->full_name, STR("Cast")) && op->input_count == 1) {
    known = py_file_made(check->file, check->model->arguments.items[op->first_input].value);
    op = py_model_op_at(check->model, known);
  }
  if (!op || !str_equal(op->full_name, STR("Constant")) || op->attribute_count != 1)
    return known;
  return py_model_resolve(check->model, check->model->attributes.items[op->first_attribute].value);
}

static TypedInput typed_input(const OpCheck *check, uint32_t position)
{
  TypedInput input = { position, &check->model->arguments.items[check->op->first_input + position], 0, 0, false };
  if (!input.argument->value)
    return input;
  PyValue value = py_file_value(check->file, input.argument->value);
  PyRef tensor = tensor_of(check, input.argument->value);
  input.elements = py_file_elements(value);
  input.is_constant =
      py_file_is_only(value, PY_TENSOR) || py_file_is_only(py_file_value(check->file, tensor), PY_TENSOR);
  input.maker = input.is_constant && py_model_call(check->model, tensor) ? tensor : 0;
  return input;
}

static bool is_not_taken(const OnnxSchema *schema, const void *context)
{
  const TypedPair *pair = context;
  const OnnxParam *param = elements_param_at(schema, pair->input->position);
  uint32_t taken = param ? elements_of_param(schema, param) : 0;
  return taken != 0 && (taken & pair->input->elements) == 0;
}

static bool are_of_two_types(const OnnxSchema *schema, const void *context)
{
  const TypedPair *pair = context;
  const OnnxParam *a = elements_param_at(schema, pair->input->position);
  const OnnxParam *b = elements_param_at(schema, pair->other->position);
  return a && b && str_equal(a->type, b->type) && onnx_schema_constraint(schema, a->type) && !a->heterogeneous &&
         (pair->input->elements & pair->other->elements) == 0;
}

// --- Fixes ---

/// What the input should be; 0 if there is a choice.
static uint32_t wanted_type(uint32_t taken, uint32_t elements)
{
  if (elements_number(taken) != 0)
    return taken;
  if ((elements & (ELEMENTS_INT64 | ELEMENTS_BOOL)) == 0)
    return taken & ELEMENTS_INT64;
  return taken & ELEMENTS_FLOAT;
}

static const Fix *fix_dtype(const OpCheck *check, PyRef maker, uint32_t wanted)
{
  DiagSink *sink = check->sink;
  const PyCall *call = py_model_call(check->model, maker);
  const PyArgument *dtype = py_model_argument(check->model, call, PY_ABSENT, "dtype");
  Str name = elements_dtype(wanted, sink->arena);
  bool has_dtype = !str_ends_with(call->qualified, STR("Tensor")) &&
                   !str_equal(call->qualified, STR("torch.from_numpy")) && call->list_node && call->argument_count > 0;
  if (!has_dtype || name.len == 0)
    return NULL;
  Str title = arena_printf(sink->arena, "Make it of %.*s", STR_ARG(name));
  if (dtype)
    return py_fix(sink, false, title, py_range(sink, dtype->value), name);
  return py_edit_append(sink, false, title, call->list_node, arena_printf(sink->arena, "dtype=%.*s", STR_ARG(name)));
}

static const Fix *fix_type(const OpCheck *check, const TypedInput *input, uint32_t wanted)
{
  DiagSink *sink = check->sink;
  const PyTree *tree = &check->model->tree;
  PyRef value = input->argument->value;
  PyRef graph = py_model_graph_of(check->model, check->op);
  if (elements_number(wanted) == 0)
    return NULL;
  if (input->maker && input->maker >= value && input->maker < tree->nodes[value].next)
    return fix_dtype(check, input->maker, wanted);
  if (input->is_constant && py_file_is_only(py_file_value(check->file, value), PY_TENSOR))
    return NULL;
  return py_fix(sink, false, STR("Cast it"), py_range(sink, value),
                arena_printf(sink->arena, "%.*s.op(\"Cast\", %.*s, to_i=%d)", STR_ARG(py_text(tree, graph)),
                             STR_ARG(py_text(tree, value)), elements_number(wanted)));
}

// --- Reports ---

static const char *const outcome = "the export succeeds, and no runtime loads the model";

/// Whether the name is bound once and read once in its function.
static bool is_read_once(const PyModel *model, PyRef name)
{
  const PyTree *tree = &model->tree;
  const PyBinding *binding = py_model_binding_at(model, name);
  if (!py_binding_is_only(binding, PY_BIND_ASSIGN) || binding->scope == PY_ABSENT)
    return false;
  PyRef body = model->functions.items[binding->scope].body;
  int seen = 0;
  for (PyRef node = body; node < tree->nodes[body].next && seen <= 2; node++)
    seen += py_tree_is_looked_up(tree, node) && str_equal(py_text(tree, node), binding->name);
  return seen == 2;
}

/// What gives the input its type, if it is for this input alone: the tensor of a Constant, the `to` of a Cast. Else the
/// input.
static PyRef place_of(const OpCheck *check, const TypedInput *input)
{
  const PyModel *model = check->model;
  PyRef value = input->argument->value;
  const PyOp *op = py_model_op_at(model, py_model_resolve(model, value));
  bool is_made = op && op->attribute_count == 1 &&
                 (str_equal(op->full_name, STR("Cast")) || str_equal(op->full_name, STR("Constant")));
  PyRef made_of = is_made ? model->attributes.items[op->first_attribute].value : 0;
  bool is_named = py_kind(&model->tree, value) == PYK_IDENTIFIER;
  PyRef name = is_named ? value : made_of;  // `g.op("Constant", value_t=tensor)` in the place of the input.
  if (!name || py_kind(&model->tree, name) != PYK_IDENTIFIER || !is_read_once(model, name))
    return value;
  bool is_cast = is_made && str_equal(op->full_name, STR("Cast"));
  PyRef place = is_cast ? (is_named ? made_of : 0) : input->maker;
  return place && place < model->tree.count ? place : value;
}

static bool say(const OpCheck *check, const TypedInput *input, Severity severity, Str message, uint32_t wanted)
{
  PyRef place = place_of(check, input);
  bool is_maker = place == input->maker && place != 0;
  const Fix *fix = !is_maker && place != input->argument->value ? NULL : fix_type(check, input, wanted);
  if (is_maker && elements_number(wanted) != 0)
    fix = fix_dtype(check, place, wanted);
  py_say(check->sink, RULE_TYPE_MISMATCH, severity, place, message, fix);
  return true;
}

static bool check_one(const OpCheck *check, const TypedInput *input)
{
  TypedPair pair = { input, NULL };
  OpsetSet wrong = op_check_wrong(check, is_not_taken, &pair);
  if (!wrong || !py_file_opsets_wrong(check->opsets, wrong))
    return false;
  Arena *arena = check->sink->arena;
  const OnnxSchema *schema = check->schemas[op_check_first_wrong(check, wrong)];
  const OnnxParam *param = elements_param_at(schema, input->position);
  uint32_t taken = elements_of_param(schema, param);
  Str is = elements_text(input->elements, arena);
  Str takes = elements_text(taken, arena);
  enum { MANY = 40 };
  Str words = takes.len > MANY
                  ? arena_printf(arena, "takes no %.*s %.*s", STR_ARG(is), STR_ARG(op_check_when(check, wrong)))
                  : arena_printf(arena, "takes %.*s, and this is %.*s", STR_ARG(takes), STR_ARG(is));
  return say(check, input, OWN,
             arena_printf(arena, "'%.*s' of '%.*s' %.*s: %s.", STR_ARG(param->name), STR_ARG(check->op->name),
                          STR_ARG(words), outcome),
             wanted_type(taken, input->elements));
}

static bool check_two(const OpCheck *check, const TypedInput *first, const TypedInput *second)
{
  bool is_first = first->is_constant && !second->is_constant;
  TypedPair pair = { is_first ? first : second, is_first ? second : first };
  OpsetSet wrong = op_check_wrong(check, are_of_two_types, &pair);
  if (!wrong || !py_file_opsets_wrong(check->opsets, wrong))
    return false;
  Arena *arena = check->sink->arena;
  const OnnxSchema *schema = check->schemas[op_check_first_wrong(check, wrong)];
  return say(check, pair.input, OWN,
             arena_printf(arena, "'%.*s' of '%.*s' has to be of the type of '%.*s', %.*s, and this is %.*s: %s.",
                          STR_ARG(elements_param_at(schema, pair.input->position)->name), STR_ARG(check->op->name),
                          STR_ARG(elements_param_at(schema, pair.other->position)->name),
                          STR_ARG(elements_text(pair.other->elements, arena)),
                          STR_ARG(elements_text(pair.input->elements, arena)), outcome),
             pair.other->elements);
}

/// `torch.tensor(0)` as a bound of Clip, or one of float64: what is clipped is hardly ever that, though nothing here
/// tells.
static bool check_whole(const OpCheck *check, const TypedInput *first, const TypedInput *input)
{
  bool is_bound = str_equal(check->op->name, STR("Clip")) || str_equal(check->op->name, STR("PRelu"));
  TypedInput of_floats = *first;
  of_floats.elements = ELEMENTS_FLOAT;
  TypedPair pair = { input, &of_floats };
  const PyCall *call = py_model_call(check->model, input->maker);
  bool is_whole = first->elements != 0 && (first->elements & ELEMENTS_FLOAT) == 0;
  bool is_double = input->elements == (uint32_t)1 << ELEM_DOUBLE;
  bool is_plain = input->elements == ELEMENTS_INT64 && call && call->argument_count == 1;
  if (!is_bound || is_whole || !call || !(is_double || is_plain) || !str_equal(call->qualified, STR("torch.tensor")))
    return false;
  OpsetSet wrong = op_check_wrong(check, are_of_two_types, &pair);
  if (!wrong || !py_file_opsets_wrong(check->opsets, wrong))
    return false;
  Arena *arena = check->sink->arena;
  const OnnxSchema *schema = check->schemas[op_check_first_wrong(check, wrong)];
  return say(check, input, SEVERITY_WARNING,
             arena_printf(arena, "'%.*s' of '%.*s' has to be of the type of '%.*s', and this is %s: with floats %s.",
                          STR_ARG(elements_param_at(schema, input->position)->name), STR_ARG(check->op->name),
                          STR_ARG(elements_param_at(schema, 0)->name), is_double ? "double" : "int64", outcome),
             ELEMENTS_FLOAT);
}

/// Whether the input is what the operator that the function converts computes with, which takes bools, too, but hardly
/// ever gets any.
static bool is_usually_number(const OpCheck *check, PyRef value)
{
  const PyModel *model = check->model;
  const PyBinding *binding = py_model_binding_at(model, py_model_resolve(model, value));
  uint32_t count;
  if (!py_binding_is_only(binding, PY_BIND_PARAM) || binding->scope == PY_ABSENT ||
      binding->index != py_file_input_params(check->file, binding->scope, &count) ||
      !py_file_is_only(py_file_value(check->file, value), PY_VALUE))
    return false;
  bool is_numeric = model->functions.items[binding->scope].first_registration != PY_ABSENT;
  for (PY_EACH_REGISTRATION(model, registration, binding->scope))
    is_numeric &= torch_input_is_numeric(registration->name);
  return is_numeric;
}

/// `g.op("Not", x)` where x is what aten::tanh gets.
static void check_usual(const OpCheck *check, const TypedInput *input)
{
  TypedInput of_floats = *input;
  of_floats.elements = ELEMENTS_NUMBERS;
  TypedPair pair = { &of_floats, NULL };
  OpsetSet wrong = is_usually_number(check, input->argument->value) ? op_check_wrong(check, is_not_taken, &pair) : 0;
  if (!wrong || !py_file_opsets_wrong(check->opsets, wrong))
    return;
  Arena *arena = check->sink->arena;
  const OnnxSchema *schema = check->schemas[op_check_first_wrong(check, wrong)];
  const OnnxParam *param = elements_param_at(schema, input->position);
  py_say(check->sink, RULE_TYPE_MISMATCH, SEVERITY_WARNING, input->argument->value,
         arena_printf(arena, "'%.*s' of '%.*s' takes %.*s: with numbers %s.", STR_ARG(param->name),
                      STR_ARG(check->op->name), STR_ARG(elements_text(elements_of_param(schema, param), arena)),
                      outcome),
         NULL);
}

enum { INPUTS_LOOKED_AT = 16 };

/// The first finding of an input, as what comes after it is measured by it.
static void check_input(const OpCheck *check, const TypedInput *inputs, uint32_t index)
{
  if (inputs[index].elements == 0 && inputs[index].argument->value)
    check_usual(check, &inputs[index]);
  if (inputs[index].elements == 0 || check_one(check, &inputs[index]))
    return;
  for (uint32_t k = 0; k < index; k++) {
    if (inputs[k].elements != 0 && check_two(check, &inputs[k], &inputs[index]))
      return;
  }
  if (index > 0)
    check_whole(check, &inputs[0], &inputs[index]);
}

/// Mod computes with floats only with fmod=1. Run with ONNX Runtime 1.21.
static void check_mod(const OpCheck *check, const TypedInput *inputs)
{
  const PyOp *op = check->op;
  uint32_t known = op->input_count == 2 ? inputs[0].elements | inputs[1].elements : 0;
  bool is_whole = (known & ~(uint32_t)ELEMENTS_FLOATS) != 0;
  bool has_fmod = op->has_unknown_attributes;
  for (uint32_t i = 0; i < op->attribute_count; i++)
    has_fmod |= str_equal(check->model->attributes.items[op->first_attribute + i].name, STR("fmod"));
  if (known == 0 || is_whole || has_fmod)
    return;
  py_say(check->sink, RULE_TYPE_MISMATCH, OWN, op->name_node,
         STR("'Mod' computes with floats only with fmod_i=1: the export succeeds, and no runtime runs the model."),
         NULL);
}

void op_check_element_types(OpCheck *check)
{
  const PyOp *op = check->op;
  TypedInput inputs[INPUTS_LOOKED_AT];
  bool is_folded = true;
  bool are_bools = true;
  bool is_before_two = py_file_torch_is_before(check->file, BEFORE_TWO);
  bool is_where = str_equal(op->name, STR("Where")) && op->input_count > 0 && !is_before_two;
  uint32_t count = is_where ? 1 : op->input_count;
  if (op->kind != PY_OP_GRAPH || op->has_splat_input || op->input_count > INPUTS_LOOKED_AT)
    return;
  for (uint32_t i = 0; i < op->input_count; i++) {
    inputs[i] = typed_input(check, i);
    is_folded &= inputs[i].is_constant;
    are_bools &= inputs[i].elements == ELEMENTS_BOOL;
  }
  if (str_equal(op->name, STR("Mod")) && !is_folded)
    check_mod(check, inputs);
  if (elements_are_repaired(op->name, is_before_two))
    count = are_bools && count > 0;  // Else they are cast to what is no bool.
  for (uint32_t i = 0; i < count && !is_folded; i++)
    check_input(check, inputs, i);
}
