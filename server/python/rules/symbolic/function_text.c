#include "python/rules/symbolic/function_text.h"

#include "base/limits.h"
#include "facts/onnx_elements.h"
#include "python/model/python_elements.h"
#include "python/rules/export/example_inputs.h"

typedef struct FunctionText {
  Maker maker;
  const PyFile *file;
  const FunctionPlan *plan;
  int opset;
} FunctionText;

static OpSpan span_of(const PyFile *file, const PyOp *op)
{
  const PyModel *model = file->model;
  if (op->kind != PY_OP_GRAPH || op->scope == PY_ABSENT || !op->name_known || op->domain.len > 0 || op->outputs < 1 ||
      op->name.len == 0 || op->full_name.len != op->name.len)
    return (OpSpan){ 0 };
  PyOpsets opsets = py_file_opsets_of(file, model->calls.items[op->call].node);
  OpSpan span = { .is_known = opsets.is_known };
  for (OPSET_SET_EACH(opset, opsets.set)) {
    span.lowest = span.lowest == 0 ? opset : span.lowest;
    span.highest = opset;
  }
  return span;
}

static bool is_written(const FunctionText *text, uint32_t op)
{
  return text->plan->spans[op].written == text->opset;
}

static Buffer *buffer_of(const FunctionText *text)
{
  return &text->maker.made->text;
}

static void end_place(const FunctionText *text, size_t start, PyRef node, bool is_unknown)
{
  MadeModel *made = text->maker.made;
  vec_push(&made->places, (MadePlace){ (uint32_t)start, (uint32_t)made->text.len, node, is_unknown, false });
}

// --- Tensors ---

/// The list or number that the tensor is made of.
static MadeItem data_of(MadeWork *work, MadeItem tensor)
{
  const PyCall *call = py_model_call(tensor.model, tensor.node);
  const PyArgument *data = py_model_argument(tensor.model, call, 0, "data");
  return data ? made_followed(work, (MadeItem){ tensor.model, data->value, 0 }) : (MadeItem){ 0 };
}

static uint32_t elements_of_number(MadeItem item)
{
  int64_t number;
  if (item.node && py_model_int(item.model, item.node, &number))
    return ELEMENTS_INT64;
  return item.node && py_kind(&item.model->tree, item.node) == PYK_FLOAT ? ELEMENTS_FLOAT : 0;
}

/// The element type of `torch.tensor(values, dtype=torch.int64)` where a call has what `values` is; 0.
static uint32_t elements_in_call(MadeWork *work, MadeItem tensor)
{
  const PyCall *call = py_model_call(tensor.model, tensor.node);
  const PyArgument *dtype = py_model_argument(tensor.model, call, PY_ABSENT, "dtype");
  if (dtype)
    return elements_of_dtype(
        py_model_qualified(tensor.model, py_model_resolve(tensor.model, dtype->value), work->arena));
  if (str_equal(call->qualified, STR("torch.LongTensor")))
    return ELEMENTS_INT64;
  MadeItem data = str_equal(call->qualified, STR("torch.tensor")) ? data_of(work, tensor) : (MadeItem){ 0 };
  PyNodeKind kind = data.node ? py_kind(&data.model->tree, data.node) : PYK_OTHER;
  if (kind != PYK_LIST && kind != PYK_TUPLE)
    return elements_of_number(data);
  MadeItems items = { 0 };
  uint32_t all = made_list(work, data, &items) && items.count > 0 ? elements_of_number(items.items[0]) : 0;
  for (size_t i = 1; i < items.count && all != 0; i++)
    all = elements_of_number(items.items[i]) == all ? all : 0;
  vec_free(&items);
  return all;
}

/// `: tensor = int64[2] {1, 2}`
static bool write_tensor(FunctionText *text, MadeItem tensor)
{
  static const char *const of_data[] = { "torch.tensor", "torch.as_tensor", "torch.LongTensor", "torch.FloatTensor",
                                         "torch.IntTensor" };
  const PyModel *model = text->file->model;
  const PyCall *call = py_model_call(tensor.model, tensor.node);
  uint32_t elements = !call                   ? 0
                      : tensor.model != model ? elements_in_call(text->maker.work, tensor)
                                              : py_file_elements(py_file_value(text->file, tensor.node));
  ExampleShape shape = call ? example_shape(tensor.model, tensor.node) : (ExampleShape){ .rank = -1 };
  int64_t sizes[PY_EXAMPLE_LIMIT], count = 1;
  Str note = { 0 };
  if (elements_number(elements) == 0 || shape.rank < 0 || shape.rank > PY_SHAPE_RANK_LIMIT)
    return false;
  for (int i = 0; i < shape.rank; i++) {
    sizes[i] = shape.sizes[i];
    if (sizes[i] < 0 || sizes[i] > PY_DIM_NUMBER_LIMIT || count > PY_DIM_NUMBER_LIMIT)
      return false;
    count *= sizes[i];
  }
  Str word = onnx_element_word((uint32_t)elements_number(elements));
  bool is_of_data = shape.rank < 2 && str_is_one_of(call->qualified, of_data, COUNT(of_data));
  buffer_append(buffer_of(text), STR(": tensor = "));
  made_type(&text->maker, word, sizes, shape.rank, (Str){ 0 });
  made_data(&text->maker, is_of_data ? data_of(text->maker.work, tensor) : (MadeItem){ 0 }, word, count, &note);
  buffer_printf(buffer_of(text), "%.*s\n", STR_ARG(note));
  return true;
}

// --- Inputs ---

/// The operator whose result that is, and which of its results: by name, `top[0]`, `values, indices = top`. PY_ABSENT.
static uint32_t op_of_value(const PyFile *file, PyRef value, uint32_t *ret_result)
{
  const PyModel *model = file->model;
  const PyTree *tree = &model->tree;
  PyRef node = py_file_made(file, value);
  int64_t index = 0;
  *ret_result = 0;
  if (py_kind(tree, node) == PYK_SUBSCRIPT && py_model_int(model, py_child(tree, node, PY_F_SUBSCRIPT), &index) &&
      index >= 0) {
    node = py_file_made(file, py_child(tree, node, PY_F_VALUE));
  } else {
    const PyBinding *binding = py_model_binding_at(model, node);
    bool is_part = py_binding_is_only(binding, PY_BIND_OTHER) && binding->unpack != PY_ABSENT && binding->value;
    index = is_part ? binding->unpack : 0;
    node = is_part ? py_file_made(file, binding->value) : node;
  }
  const PyOp *op = py_model_op_at(model, node);
  if (!op || index >= op->outputs)
    return PY_ABSENT;
  *ret_result = (uint32_t)index;
  return (uint32_t)(op - model->ops.items);
}

/// `const(g, [1, 2])`, a function of the file that makes a Constant of what it is given: the node, as the call sees it.
static MadeItem constant_of_call(MadeWork *work, const PyFile *file, PyRef value)
{
  const PyModel *model = file->model;
  PyRef node = py_file_made(file, value);
  if (!py_model_call(model, node) || py_model_op_at(model, node))
    return (MadeItem){ 0 };
  MadeItem made = made_followed(work, (MadeItem){ model, node, 0 });
  const PyOp *op = made.node && made.model != model ? py_model_op_at(made.model, made.node) : NULL;
  return op && str_equal(op->full_name, STR("Constant")) && op->attribute_count == 1 ? made : (MadeItem){ 0 };
}

bool function_text_is_constant(MadeWork *work, const PyFile *file, PyRef value)
{
  const PyOp *op = py_model_op_at(file->model, py_file_made(file, value));
  return (op && str_equal(op->full_name, STR("Constant"))) || constant_of_call(work, file, value).node != 0;
}

static void write_input(FunctionText *text, const PyArgument *input)
{
  uint32_t result;
  size_t start = buffer_of(text)->len;
  uint32_t op = op_of_value(text->file, input->value, &result);
  uint32_t elements = py_file_elements(py_file_value(text->file, input->value));
  if (op != PY_ABSENT && is_written(text, op))
    buffer_printf(buffer_of(text), "\"v%u_%u\"", op, result);
  else if (constant_of_call(text->maker.work, text->file, input->value).node)
    buffer_printf(buffer_of(text), "\"c%u\"", input->value);
  else if (op == PY_ABSENT && elements_number(elements) != 0 &&
           py_file_is_only(py_file_value(text->file, input->value), PY_VALUE))
    buffer_printf(buffer_of(text), "\"e%d\"", elements_number(elements));
  else
    buffer_append(buffer_of(text), STR("\"u\""));
  end_place(text, start, input->value, false);
}

static void write_inputs(FunctionText *text, const PyOp *op)
{
  buffer_append(buffer_of(text), STR(" ("));
  for (uint32_t i = 0; i < op->input_count && !op->has_splat_input; i++) {
    const PyArgument *input = &text->file->model->arguments.items[op->first_input + i];
    if (i > 0)
      buffer_append(buffer_of(text), STR(", "));
    write_input(text, input);
  }
  buffer_append_char(buffer_of(text), ')');
}

// --- Attributes ---

static bool write_attributes(FunctionText *text, const PyOp *op)
{
  const PyModel *model = text->file->model;
  uint32_t count = 0;
  if (op->has_splat_attribute || op->has_unknown_attributes)
    return false;
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const PyAttribute *attribute = &model->attributes.items[op->first_attribute + i];
    MadeItem value = { model, attribute->value ? py_file_made(text->file, attribute->value) : 0, 0 };
    value = value.node ? made_followed(text->maker.work, value) : value;
    size_t start = buffer_of(text)->len;
    if (!value.node)
      return false;
    if (py_kind(&value.model->tree, value.node) == PYK_NONE)
      continue;
    buffer_printf(buffer_of(text), count++ == 0 ? " <%.*s" : ", %.*s", STR_ARG(attribute->name));
    if (!(str_is(attribute->suffix, "t") ? write_tensor(text, value)
                                         : made_suffixed(&text->maker, value, attribute->suffix)))
      return false;
    end_place(text, start, attribute->node, false);
  }
  if (count > 0)
    buffer_append_char(buffer_of(text), '>');
  return true;
}

// --- Operators ---

/// Whether the exporter casts inputs of the operator, which are of different types, so that its type is not the one
/// that would be followed.
static bool is_cast(const FunctionText *text, const PyOp *op)
{
  const PyFile *file = text->file;
  uint32_t first = str_equal(op->name, STR("Where")), all = 0;
  if (!function_text_is_repaired(op))
    return false;
  for (uint32_t i = first; i < op->input_count && !op->has_splat_input; i++) {
    const PyArgument *input = &file->model->arguments.items[op->first_input + i];
    uint32_t elements = input->value ? py_file_elements(py_file_value(file, input->value)) : 0;
    if (elements != 0 && all != 0 && elements != all)
      return true;
    all = elements != 0 ? elements : all;
  }
  return op->has_splat_input;
}

bool function_text_is_repaired(const PyOp *op)
{
  return str_equal(op->name, STR("Where")) || elements_are_repaired(op->name, false);
}

/// The constants that calls in the place of inputs make.
static void write_constants(FunctionText *text, const PyOp *op)
{
  for (uint32_t i = 0; i < op->input_count && !op->has_splat_input; i++) {
    PyRef input = text->file->model->arguments.items[op->first_input + i].value;
    MadeItem made = input ? constant_of_call(text->maker.work, text->file, input) : (MadeItem){ 0 };
    const PyOp *constant = made.node ? py_model_op_at(made.model, made.node) : NULL;
    const PyAttribute *attribute = constant ? &made.model->attributes.items[constant->first_attribute] : NULL;
    MadeItem value =
        attribute ? made_followed(text->maker.work, (MadeItem){ made.model, attribute->value, 0 }) : (MadeItem){ 0 };
    if (!attribute)
      continue;
    size_t start = buffer_of(text)->len;
    buffer_printf(buffer_of(text), "\"c%u\" = Constant <value", input);
    if (value.node && str_is(attribute->keyword, "value_t") && write_tensor(text, value)) {
      buffer_append(buffer_of(text), STR("> ()\n"));
      continue;
    }
    buffer_of(text)->len = start;
    buffer_printf(buffer_of(text), "\"c%u\" = " MADE_UNKNOWN ".Node ()\n", input);
  }
}

static void write_op(FunctionText *text, uint32_t index)
{
  const PyOp *op = &text->file->model->ops.items[index];
  MadeModel *made = text->maker.made;
  write_constants(text, op);
  size_t start = made->text.len;
  for (int i = 0; i < op->outputs && i < PY_ELEMENT_LIMIT; i++)
    buffer_printf(&made->text, "%s\"v%u_%d\"", i > 0 ? ", " : "", index, i);
  buffer_append(&made->text, STR(" = "));
  size_t before = made->text.len, places = made->places.count;
  buffer_append(&made->text, op->name);
  bool is_known = !op->has_splat_input && !is_cast(text, op) && write_attributes(text, op);
  if (!is_known) {
    made->text.len = before;
    made->places.count = places;
    buffer_append(&made->text, STR(MADE_UNKNOWN ".Node"));
  }
  write_inputs(text, op);
  end_place(text, start, op->name_node, !is_known);
  buffer_append_char(&made->text, '\n');
}

// --- What is written ---

/// Operators by the ends of their calls.
static uint32_t *ordered(const PyModel *model, Arena *arena)
{
  uint32_t *order = ARENA_ARRAY(arena, uint32_t, model->ops.count);
  uint32_t *open = ARENA_ARRAY(arena, uint32_t, model->ops.count);
  uint32_t depth = 0, done = 0;
  for (uint32_t i = 0; i <= model->ops.count; i++) {
    PyRef start = i < model->ops.count ? model->calls.items[model->ops.items[i].call].node : model->tree.count;
    while (depth > 0 &&
           model->tree.nodes[model->calls.items[model->ops.items[open[depth - 1]].call].node].next <= start)
      order[done++] = open[--depth];
    open[depth++] = i;
  }
  return order;
}

static bool is_known_input(MadeWork *work, const PyFile *file, const OpSpan *spans, PyRef value)
{
  uint32_t result, op = value ? op_of_value(file, value, &result) : PY_ABSENT;
  return value && ((op != PY_ABSENT && spans[op].written > 0) || function_text_is_constant(work, file, value));
}

/// Whether shapes or types of the inputs may be wrong, and something of the result is known. One that is known says
/// nothing of an operator that takes any two that fit together.
static bool may_tell(const PyOp *op, uint32_t known)
{
  static const char *const pairs[] = { "Add", "And",  "Div",         "Equal", "Greater", "GreaterOrEqual",
                                       "Max", "Less", "LessOrEqual", "Min",   "Mod",     "Mul",
                                       "Or",  "Pow",  "PRelu",       "Sub",   "Where",   "Xor" };
  return known > 1 || (known == 1 && !str_is_one_of(op->name, pairs, COUNT(pairs)));
}

/// What goes into an operator that may tell something is needed, too: the last ones first.
static void drop_unneeded(const PyFile *file, const FunctionPlan *plan, bool *is_needed)
{
  const PyModel *model = file->model;
  for (uint32_t i = (uint32_t)model->ops.count; i-- > 0;) {
    uint32_t index = plan->order[i], result;
    const PyOp *op = &model->ops.items[index];
    if (!is_needed[index])
      plan->spans[index].written = 0;
    for (uint32_t k = 0; is_needed[index] && k < op->input_count; k++) {
      PyRef value = model->arguments.items[op->first_input + k].value;
      uint32_t maker = value ? op_of_value(file, value, &result) : PY_ABSENT;
      if (maker != PY_ABSENT)
        is_needed[maker] = true;
    }
  }
}

FunctionPlan function_text_plan(MadeWork *work, const PyFile *file)
{
  const PyModel *model = file->model;
  FunctionPlan plan = { ARENA_ARRAY(work->arena, OpSpan, model->ops.count), ordered(model, work->arena) };
  bool *is_needed = ARENA_ARRAY(work->arena, bool, model->ops.count);
  for (size_t i = 0; i < model->ops.count; i++) {
    uint32_t index = plan.order[i], known = 0;
    const PyOp *op = &model->ops.items[index];
    for (uint32_t k = 0; k < op->input_count; k++)
      known += is_known_input(work, file, plan.spans, model->arguments.items[op->first_input + k].value);
    is_needed[index] = may_tell(op, known);
    if (!is_needed[index] && !str_equal(op->full_name, STR("Constant")))
      continue;
    plan.spans[index] = span_of(file, op);
    plan.spans[index].written = plan.spans[index].highest;
  }
  drop_unneeded(file, &plan, is_needed);
  return plan;
}

void function_text_write(MadeWork *work, const PyFile *file, const FunctionPlan *plan, int opset, MadeModel *ret_made)
{
  *ret_made = (MadeModel){ .opset = opset };
  FunctionText text = { .maker = { .work = work, .made = ret_made }, .file = file, .plan = plan, .opset = opset };
  Buffer *buffer = &ret_made->text;
  buffer_printf(buffer, "<\nir_version: 8, opset_import: [\"\" : %d, \"" MADE_UNKNOWN "\" : 1]\n>\ngraph (", opset);
  for (uint32_t i = 1; i < ELEM_COUNT; i++) {
    Str word = onnx_element_word(i);
    if (word.len > 0)
      buffer_printf(buffer, "%s%.*s[] \"e%u\"", i > 1 ? ", " : "", STR_ARG(word), i);
  }
  buffer_append(buffer, STR(") => ()\n<\n>\n{\n\"u\" = " MADE_UNKNOWN ".Value ()\n"));
  for (uint32_t i = 0; i < file->model->ops.count && work->nodes < PY_MADE_WORK; i++) {
    if (is_written(&text, plan->order[i]))
      write_op(&text, plan->order[i]);
  }
  buffer_append(buffer, STR("}\n"));
}
