#include "python/rules/forward/call_outcomes.h"

#include <stdlib.h>
#include <string.h>

#include "facts/functions.h"
#include "outcome/dynamo_fate.h"
#include "outcome/outcome.h"

/// One overload with what a call gives it.
typedef struct BoundCall {
  NodeView view;  ///< First, so that the one is the other.
  ArgumentFacts arguments[VIEW_ARGUMENT_LIMIT];
  ArgumentFacts element;  ///< Of the list that was asked for last.
} BoundCall;

static const ArgumentFacts *argument_at(NodeView *view, uint32_t number, uint32_t element)
{
  BoundCall *bound = (BoundCall *)view;
  // A condition may be about an argument that another overload has.
  const ArgumentFacts *whole = number < view->argument_count ? &bound->arguments[number] : &argument_unknown;
  if (element == WHOLE_ARGUMENT)
    return whole;
  bound->element = argument_unknown;
  if (whole->value.kind == VALUE_LIST && element < whole->value.count) {
    bound->element.value = whole->value.items[element];
    bound->element.is_const = TRUTH_YES;
    bound->element.is_none = bound->element.value.kind == VALUE_NONE;
  }
  return &bound->element;
}

// --- What is written ---

static Value number_of(Str text)
{
  char copy[CALL_NUMBER_LIMIT];
  char *end;
  if (text.len == 0 || text.len >= sizeof(copy))
    return (Value){ 0 };
  memcpy(copy, text.data, text.len);
  copy[text.len] = '\0';
  double number = strtod(copy, &end);
  return *end == '\0' ? (Value){ .kind = VALUE_NUMBER, .number = number, .is_float = outcome_is_float(text) }
                      : (Value){ 0 };
}

/// Everything but a list.
static Value single_value(const PyModel *model, PyRef node, Arena *arena)
{
  const PyTree *tree = &model->tree;
  Str text;
  switch (py_kind(tree, node)) {
  case PYK_NONE:
    return (Value){ .kind = VALUE_NONE };
  case PYK_TRUE:
  case PYK_FALSE:
    return (Value){ .kind = VALUE_NUMBER, .number = py_kind(tree, node) == PYK_TRUE };
  case PYK_INTEGER:
  case PYK_FLOAT:
  case PYK_UNARY_OPERATOR:
    return number_of(py_text(tree, node));
  case PYK_STRING:
    return py_model_string(model, node, arena, &text) ? (Value){ .kind = VALUE_TEXT, .text = text } : (Value){ 0 };
  default:
    return (Value){ 0 };
  }
}

static Value list_value(const PyModel *model, PyRef list, Arena *arena)
{
  Value items[CALL_LIST_LIMIT];
  uint32_t count = 0;
  for (PY_EACH_ELEMENT(&model->tree, item, list)) {
    Value value = single_value(model, py_model_resolve(model, item), arena);
    if (count == CALL_LIST_LIMIT || value.kind == VALUE_UNKNOWN)
      return (Value){ 0 };
    items[count++] = value;
  }
  Value *kept = ARENA_ARRAY(arena, Value, count + 1);
  memcpy(kept, items, count * sizeof(*kept));
  return (Value){ .kind = VALUE_LIST, .items = kept, .count = count };
}

static Value written_value(const PyModel *model, PyRef node, Arena *arena)
{
  node = py_model_resolve(model, node);
  PyNodeKind kind = py_kind(&model->tree, node);
  return kind == PYK_LIST || kind == PYK_TUPLE ? list_value(model, node, arena) : single_value(model, node, arena);
}

/// Whether an argument of that type takes the value.
static bool takes(Str type, const Value *value)
{
  bool is_list = str_ends_with(type, STR("]")) || str_ends_with(type, STR("]?"));
  bool is_tensor = str_starts_with(type, STR("Tensor")), is_text = str_starts_with(type, STR("str"));
  bool is_number = str_starts_with(type, STR("int")) || str_starts_with(type, STR("SymInt")) ||
                   str_starts_with(type, STR("float")) || str_starts_with(type, STR("Scalar")) ||
                   str_starts_with(type, STR("bool"));
  switch (value->kind) {
  case VALUE_NONE:
    return str_ends_with(type, STR("?"));
  case VALUE_TEXT:
    return is_text;
  case VALUE_NUMBER:
    return is_number &&
           !(value->is_float && (str_starts_with(type, STR("int")) || str_starts_with(type, STR("SymInt"))));
  case VALUE_LIST:
    return is_list && !is_tensor;
  default:
    return !is_text;
  }
}

// --- Binding ---

static void set_written(const CallQuestion *question, ArgumentFacts *facts, Value value)
{
  *facts = argument_unknown;
  facts->value = value;
  facts->is_none = value.kind == VALUE_NONE;
  // The TorchScript exporter takes None for no constant.
  facts->is_const = value.kind == VALUE_NONE && question->exporter == EXPORTER_TORCHSCRIPT ? TRUTH_NO : TRUTH_YES;
  facts->is_tensor = facts->is_tensor_list = facts->is_packed = TRUTH_NO;
  facts->is_list = facts->has_length = value.kind == VALUE_LIST;
  facts->length = value.count;
  if (value.kind == VALUE_NUMBER)
    facts->rank = 0;
}

static void set_tensor(const CallQuestion *question, ArgumentFacts *facts, const Shape *shape, Arena *arena)
{
  *facts = argument_unknown;
  facts->is_tensor = TRUTH_YES;
  facts->is_none = facts->is_list = facts->is_tensor_list = facts->is_packed = TRUTH_NO;
  if (shape->rank < 0)
    return;
  Value *sizes = ARENA_ARRAY(arena, Value, (size_t)shape->rank + 1);
  for (int i = 0; i < shape->rank; i++) {
    bool is_open = question->open > 0 && shape->sizes[i] >= question->open;
    sizes[i] = is_open                ? (Value){ .kind = VALUE_DYNAMIC }
               : shape->sizes[i] >= 0 ? (Value){ .kind = VALUE_NUMBER, .number = (double)shape->sizes[i] }
                                      : (Value){ 0 };
  }
  facts->rank = shape->rank;
  facts->sizes = (Value){ .kind = VALUE_LIST, .items = sizes, .count = (uint32_t)shape->rank };
}

static Value default_value(Str text)
{
  if (str_equal(text, STR("None")))
    return (Value){ .kind = VALUE_NONE };
  if (str_equal(text, STR("True")) || str_equal(text, STR("False")))
    return (Value){ .kind = VALUE_NUMBER, .number = text.data[0] == 'T' };
  if (str_equal(text, STR("[]")))
    return (Value){ .kind = VALUE_LIST };
  return number_of(text);
}

/// A number for `int[2]` is two of it, one for `int[]` or `int[1]?`: so torch binds it, and so it stands in a trace.
static Value listed_number(Value number, Str type, Arena *arena)
{
  size_t open = str_find(type, STR("["), 0);
  if (number.kind != VALUE_NUMBER || open == STR_NOT_FOUND || open + 1 >= type.len)
    return number;
  char digit = type.data[open + 1];
  uint32_t count = digit >= '1' && digit <= '9' ? (uint32_t)(digit - '0') : 1;
  Value *items = ARENA_ARRAY(arena, Value, count);
  for (uint32_t i = 0; i < count; i++)
    items[i] = number;
  return (Value){ .kind = VALUE_LIST, .items = items, .count = count };
}

/// The operator of a function that drops values where it is told to train; empty. Of what is not told
/// traced_arguments.c speaks.
static Str dropout_operator(Str function)
{
  static const Str functions[][2] = {
    { STR_INIT("torch.nn.functional.dropout1d"), STR_INIT("aten::feature_dropout") },
    { STR_INIT("torch.nn.functional.dropout2d"), STR_INIT("aten::feature_dropout") },
    { STR_INIT("torch.nn.functional.dropout3d"), STR_INIT("aten::feature_dropout") },
    { STR_INIT("torch.nn.functional.alpha_dropout"), STR_INIT("aten::alpha_dropout") },
    { STR_INIT("torch.nn.functional.feature_alpha_dropout"), STR_INIT("aten::feature_alpha_dropout") },
  };
  for (size_t i = 0; i < COUNT(functions); i++) {
    if (str_equal(functions[i][0], function))
      return functions[i][1];
  }
  return (Str){ 0 };
}

/// The argument of the operator as the function has it.
static TorchArgument argument_of_function(const CallQuestion *question, const TorchArgument *argument)
{
  TorchArgument wanted = *argument;
  bool is_dropout = dropout_operator(question->function).len > 0;
  if (str_equal(argument->name, STR("self")))
    wanted.name = STR("input");
  if (is_dropout && str_equal(argument->name, STR("train")))
    wanted.name = STR("training");
  if (is_dropout && str_equal(argument->name, STR("p"))) {
    wanted.has_default = true;
    wanted.default_text = STR("0.5");
  }
  return wanted;
}

/// What the call gives for an argument of the overload; false if that can't be.
static bool bind_argument(const CallQuestion *question, const TorchArgument *wanted, PyRef given, ArgumentFacts *facts,
                          Arena *arena)
{
  Shape shape = { .rank = -1 };
  if (!given) {
    if (wanted->has_default)
      set_written(question, facts, listed_number(default_value(wanted->default_text), wanted->type, arena));
    if (wanted->has_default && facts->value.kind == VALUE_UNKNOWN)
      *facts = argument_unknown;
    return wanted->has_default;
  }
  Value value = written_value(question->file->model, given, arena);
  int64_t number;
  if (value.kind == VALUE_UNKNOWN && question->number && question->number(question->context, given, &number))
    value = (Value){ .kind = VALUE_NUMBER, .number = (double)number };
  if (!takes(wanted->type, &value))
    return false;
  value = listed_number(value, wanted->type, arena);
  if (value.kind != VALUE_UNKNOWN) {
    set_written(question, facts, value);
    return true;
  }
  if (!question->tensor(question->context, given, &shape))
    return true;
  set_tensor(question, facts, &shape, arena);
  return str_starts_with(wanted->type, STR("Tensor"));
}

/// The argument of the call that is meant for the i-th of the overload; 0.
static PyRef argument_given(const CallQuestion *question, const TorchArgument *wanted, uint32_t i, uint32_t *taken)
{
  const PyModel *model = question->file->model;
  uint32_t skip = question->object ? 1 : 0;
  if (i < skip)
    return question->object;
  const PyArgument *argument =
      py_model_argument_of(model, question->call, wanted->is_kwarg_only ? PY_ABSENT : i - skip, wanted->name);
  *taken += argument != NULL;
  return argument ? argument->value : 0;
}

static bool bind(const CallQuestion *question, const TorchOverload *overload, BoundCall *bound, Arena *arena)
{
  uint32_t taken = 0;
  bound->view = (NodeView){ .argument_count = overload->argument_count, .argument = argument_at };
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    bound->arguments[i] = argument_unknown;
    TorchArgument wanted = argument_of_function(question, &overload->arguments[i]);
    PyRef given = argument_given(question, &wanted, i, &taken);
    if (!bind_argument(question, &wanted, given, &bound->arguments[i], arena))
      return false;
  }
  return taken == question->call->argument_count;
}

// --- Judging ---

static const TorchOutcome *outcomes_of(const CallQuestion *question, uint32_t torch, Str kind, uint32_t *ret_count)
{
  return question->exporter == EXPORTER_TORCHSCRIPT ? symbolics_outcomes(question->file->db, torch, kind, ret_count)
                                                    : symbolics_dynamo_outcomes(question->file->db, kind, ret_count);
}

/// The refusal of that overload; NULL.
static const TorchOutcome *refusal_of(const CallQuestion *question, uint32_t torch, Str kind,
                                      const TorchOverload *overload, BoundCall *bound)
{
  OpsetRange range;
  uint32_t count = 0;
  if (!symbolics_opset_range(question->file->db, torch, question->exporter, &range))
    return NULL;
  int opset = question->opset > 0 ? question->opset : range.standard;
  const TorchOutcome *outcomes = outcomes_of(question, torch, kind, &count);
  Str name = overload->overload.len > 0 ? overload->overload : STR("default");
  for (uint32_t i = 0; i < count; i++) {
    const TorchOutcome *outcome = &outcomes[i];
    bool is_other = outcome->overload.len > 0 && !str_equal(outcome->overload, name);
    if (outcome->kind == OUTCOME_REFUSED && !is_other && outcome_applies(outcome, torch, opset, (Str){ 0 }) &&
        outcome_is_certain(outcome) && outcome_condition_holds(&outcome->condition, &bound->view) == TRUTH_YES)
      return outcome;
  }
  return NULL;
}

static const Str write_otherwise =
    STR_INIT("Rewrite it with other operators, or give it a function in custom_translation_table.");

/// Why the dynamo exporter, which takes the overload apart, can't do it for these arguments; empty. Of what it can't do
/// for any, capture_support.c speaks.
static Str part_refused(const CallQuestion *question, uint32_t torch, Str kind, const TorchOverload *overload,
                        BoundCall *bound, Arena *arena)
{
  DynamoQuestion asked = { .db = question->file->db,
                           .torch = torch,
                           .onnxscript = question->file->target->onnxscript,
                           .opset = question->opset > 0 ? question->opset : question->file->target->dynamo_opset,
                           .name = kind,
                           .overload = overload->overload };
  if (question->exporter != EXPORTER_DYNAMO || dynamo_fate(&asked, arena).verdict != DYNAMO_DEPENDS)
    return (Str){ 0 };
  asked.view = &bound->view;
  DynamoFate fate = dynamo_fate(&asked, arena);
  bool is_refused = fate.verdict == DYNAMO_REFUSED && fate.parts && !fate.is_complex && fate.since == 0;
  return is_refused ? arena_printf(arena, "of these arguments the exporter makes %.*s, for which it has no function",
                                   STR_ARG(dynamo_overload_words(fate.part, arena)))
                    : (Str){ 0 };
}

/// What all overloads that take the call are refused for; empty if one isn't.
static Str refusal_in(const CallQuestion *question, uint32_t torch, Str kind, Arena *arena)
{
  const TorchOperator *op = symbolics_torch_operator(question->file->db, kind);
  Str why = { 0 };
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    BoundCall bound;
    if ((overload->torch_versions >> torch & 1) == 0 || torch_overload_has_out(overload) || overload->has_varargs ||
        overload->argument_count > VIEW_ARGUMENT_LIMIT || !bind(question, overload, &bound, arena))
      continue;
    const TorchOutcome *outcome = refusal_of(question, torch, kind, overload, &bound);
    Str reason = outcome ? outcome_reason(outcome, &bound.view, arena)
                         : part_refused(question, torch, kind, overload, &bound, arena);
    if (reason.len == 0)
      return (Str){ 0 };
    why = arena_printf(arena, "this becomes '%.*s', which can't be exported: %.*s. %.*s", STR_ARG(kind),
                       STR_ARG(reason), STR_ARG(outcome ? outcome->way_out : write_otherwise));
  }
  return why;
}

/// Functions of torch.nn.functional whose arguments are those of the operator.
static bool is_plain_function(Str name)
{
  static const char *const names[] = { "avg_pool1d",       "avg_pool2d",       "avg_pool3d",
                                       "conv1d",           "conv2d",           "conv3d",
                                       "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
                                       "pixel_shuffle",    "pixel_unshuffle",  "scaled_dot_product_attention",
                                       "threshold" };
  return str_is_one_of(name, names, COUNT(names));
}

/// Functions that Python code of torch stands before, with arguments of its own.
static bool is_wrapped(Str name)
{
  static const char *const names[] = { "einsum",     "norm",      "stft",
                                       "istft",      "meshgrid",  "tensordot",
                                       "split",      "unique",    "unique_consecutive",
                                       "block_diag", "atleast_1d" };
  return str_is_one_of(name, names, COUNT(names));
}

/// Whether the operator is called so, and torch binds it as it is: torch.linalg.norm() is aten::linalg_norm.
static bool is_bound(Str function, Str kind)
{
  Str dropout = dropout_operator(function);
  if (dropout.len > 0)
    return str_equal(dropout, kind);
  static const struct {
    Str prefix, operator;
  } spaces[] = {
    { STR_INIT("torch.nn.functional."), STR_INIT("aten::") },
    { STR_INIT("torch.linalg."), STR_INIT("aten::linalg_") },
    { STR_INIT("torch.special."), STR_INIT("aten::special_") },
    { STR_INIT("torch.fft."), STR_INIT("aten::fft_") },
    { STR_INIT("torch."), STR_INIT("aten::") },
    { STR_INIT("Tensor."), STR_INIT("aten::") },
  };
  for (size_t i = 0; i < COUNT(spaces); i++) {
    if (!str_starts_with(function, spaces[i].prefix))
      continue;
    Str name = str_slice(function, spaces[i].prefix.len, function.len);
    return str_starts_with(kind, spaces[i].operator) &&
           str_equal(str_slice(kind, spaces[i].operator.len, kind.len), name) && !is_wrapped(name) &&
           (i > 0 || is_plain_function(name));
  }
  return false;
}

/// "aten::scatter_reduce", where each call of the function is one of that and of nothing else; empty.
static Str operator_of(const CallQuestion *question)
{
  Str kind, operators = called_name_operators(question->file, question->exporter, question->function);
  bool is_one = functions_next(&operators, &kind) && operators.len == 0 && is_bound(question->function, kind);
  return is_one && called_name_has(question->file, question->exporter, question->function, kind) ? kind : (Str){ 0 };
}

Str call_refusal(const CallQuestion *question, Arena *arena)
{
  const PyFile *file = question->file;
  Str kind = question->call->has_splat || question->call->has_dictionary_splat ? (Str){ 0 } : operator_of(question);
  bool is_own = question->exporter == EXPORTER_DYNAMO && py_model_mentions(file->model, "custom_translation_table");
  Str why = { 0 };
  if (kind.len == 0 || is_own)
    return why;
  for (PY_EACH_TORCH_OF(file, question->exporter, torch)) {
    why = refusal_in(question, torch, kind, arena);
    if (why.len == 0)
      return why;
  }
  return !py_file_registers(file, kind) ? why : (Str){ 0 };
}

static bool is_tensor_in(void *context, PyRef node, Shape *ret_shape)
{
  Forward *forward = context;
  *ret_shape = shape_unknown();
  return forward_is_tensor(forward, node, PY_EXPRESSION_DEPTH);
}

Str call_refusal_by_words(Forward *forward, const PyCall *call, Str function, Exporter exporter, int opset)
{
  const PyTree *tree = &forward->model->tree;
  bool is_method = str_starts_with(function, STR("Tensor."));
  CallQuestion question = { .file = sink_python(forward->sink),
                            .call = call,
                            .function = function,
                            .object = is_method ? py_tree_object(tree, call->function_node) : 0,
                            .exporter = exporter,
                            .opset = opset,
                            .tensor = is_tensor_in,
                            .context = forward };
  Str why = call_refusal(&question, forward->sink->arena);
  return why.len > 0 ? arena_printf(forward->sink->arena, "T%.*s", STR_ARG(str_slice(why, 1, why.len))) : why;
}
