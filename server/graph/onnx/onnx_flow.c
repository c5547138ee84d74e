// The walk: types come in with inputs, initializers and what is written of values, and go on from node to node.

#include "graph/onnx/onnx_flow.h"

#include "base/limits.h"

void onnx_flow_begin(OnnxFlow *flow, OnnxCheck *check, Arena *arena)
{
  *flow = (OnnxFlow){ .check = check, .arena = arena, .nodes_left = ONNX_CALL_BUDGET };
  flow->known = xcalloc(check->symbols.texts.count + 1, sizeof(*flow->known));
}

void onnx_flow_done(OnnxFlow *flow)
{
  arena_done(&flow->scratch);
  free(flow->known);
  vec_free(&flow->undo);
  vec_free(&flow->open);
  vec_free(&flow->calls);
}

void onnx_flow_set(OnnxFlow *flow, uint32_t symbol, OnnxKnown known)
{
  vec_push(&flow->undo, (OnnxUndo){ symbol, flow->known[symbol] });
  known.depth = (uint32_t)flow->open.count + flow->is_entering;
  flow->known[symbol] = known;
}

void onnx_flow_undo(OnnxFlow *flow, size_t mark)
{
  while (flow->undo.count > mark) {
    OnnxUndo undo = flow->undo.items[--flow->undo.count];
    flow->known[undo.symbol] = undo.before;
  }
}

static void report(OnnxFlow *flow, OnnxSpan at, RuleId rule, const char *format, ...) PRINTF_LIKE(4, 5);

/// A session refuses other types than are written, and warns of other shapes.
static void report(OnnxFlow *flow, OnnxSpan at, RuleId rule, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  Str message = arena_vprintf(flow->check->arena, format, args);
  va_end(args);
  onnx_flow_tell(flow, at, rule, rule == RULE_TYPE_MISMATCH, message);
}

// --- Types that meet ---

/// What is written of a value, against what follows.
typedef struct Meeting {
  OnnxFlow *flow;
  const OnnxName *name;
  OnnxSpan at;
} Meeting;

static bool dims_fit(const Meeting *meeting, const OnnxType *found, const OnnxType *written)
{
  if (found->rank != written->rank) {
    report(meeting->flow, meeting->at, RULE_SHAPE_MISMATCH,
           "`%.*s` is of rank %u here, and of rank %u by what makes it.", STR_ARG(meeting->name->text), written->rank,
           found->rank);
    return false;
  }
  for (uint32_t i = 0; i < found->rank; i++) {
    OnnxDim a = found->dims[i];
    OnnxDim b = written->dims[i];
    if (!onnx_is_size(a) || !onnx_is_size(b) || a.value == b.value)
      continue;
    report(meeting->flow, meeting->at, RULE_SHAPE_MISMATCH,
           "Dimension %u of `%.*s` is %lld here, and %lld by what makes it.", i, STR_ARG(meeting->name->text),
           (long long)b.value, (long long)a.value);
    return false;
  }
  return true;
}

static bool types_fit(const Meeting *meeting, const OnnxType *found, const OnnxType *written)
{
  for (; found && written; found = found->inner, written = written->inner) {
    if (found->kind == ONNX_TYPE_NONE || written->kind == ONNX_TYPE_NONE)
      return true;
    bool is_same = found->kind == written->kind &&
                   (found->element == written->element || found->element == 0 || written->element == 0);
    meeting->flow->check->meets_undefined |= found->element != 0 && written->element == 0;
    if (!is_same) {
      report(meeting->flow, meeting->at, RULE_TYPE_MISMATCH, "`%.*s` is %.*s here, and %.*s by what makes it.",
             STR_ARG(meeting->name->text), STR_ARG(onnx_type_word(written, meeting->flow->check->arena)),
             STR_ARG(onnx_type_word(found, meeting->flow->check->arena)));
      return false;
    }
    if (found->has_shape && written->has_shape && !dims_fit(meeting, found, written))
      return false;
  }
  return true;
}

/// A size counts, then a name that is written.
static OnnxDim merge_dim(OnnxDim found, OnnxDim written)
{
  bool is_better = onnx_is_size(found) || written.kind != ONNX_DIM_PARAM;
  return !onnx_is_size(written) && is_better ? found : written;
}

static const OnnxType *merge_tensor(Arena *arena, const OnnxType *found, const OnnxType *written)
{
  const OnnxType *shaped = written->has_shape ? written : found;
  uint32_t element = written->element ? written->element : found->element;
  bool is_merged = written->has_shape && found->has_shape;
  bool adds = element != written->element || shaped != written;
  for (uint32_t i = 0; is_merged && !adds && i < written->rank; i++)
    adds = !onnx_equal_dim(merge_dim(found->dims[i], written->dims[i]), written->dims[i]);
  if (!adds)
    return written;
  OnnxType *type = ARENA_NEW(arena, OnnxType);
  *type = *written;
  type->element = element;
  type->has_shape = shaped->has_shape;
  type->rank = shaped->rank;
  OnnxDim *dims = is_merged ? ARENA_ARRAY(arena, OnnxDim, type->rank) : NULL;
  for (uint32_t i = 0; dims && i < type->rank; i++)
    dims[i] = merge_dim(found->dims[i], written->dims[i]);
  type->dims = dims ? dims : shaped->dims;
  return type;
}

/// Both are known to fit. What is written counts where it says as much.
static const OnnxType *merge(Arena *arena, const OnnxType *found, const OnnxType *written)
{
  if (!found || found->kind == ONNX_TYPE_NONE || !written)
    return written ? written : found;
  bool is_tensor = found->kind == ONNX_TYPE_TENSOR || found->kind == ONNX_TYPE_SPARSE;
  return is_tensor ? merge_tensor(arena, found, written) : found;
}

// --- Graphs ---

/// Whether there are values that the text does not have, and as many as the shape says.
static bool is_kept_back(const OnnxModel *model, const OnnxData *data)
{
  return data->is_left_out && !onnx_is_noted(model, data, STR(ONNX_COUNT_NOTE)) &&
         !onnx_is_noted(model, data, STR(ONNX_MORE_NOTE));
}

static bool misfits(const OnnxModel *model, const OnnxType *type, const OnnxData *data)
{
  int64_t room = 1;
  if (is_kept_back(model, data))
    return false;
  for (uint32_t i = 0; i < type->rank; i++) {
    if (__builtin_mul_overflow(room, type->dims[i].value, &room))
      return false;
  }
  // Of raw values nobody asks how many they are.
  bool is_wrong = (uint64_t)room != data->count || onnx_is_noted(model, data, STR(ONNX_MORE_NOTE));
  return is_wrong && type->rank > 0 && !onnx_is_noted(model, data, STR(ONNX_RAW_NOTE));
}

static bool has_negative(const OnnxType *type)
{
  for (uint32_t i = 0; i < type->rank; i++) {
    if (onnx_is_size(type->dims[i]) && type->dims[i].value < 0)
      return true;
  }
  return false;
}

/// Typed values of no number of elements: onnx refuses to read them.
static bool are_unreal(const OnnxModel *model, const OnnxType *type, const OnnxData *data)
{
  return data->is_left_out && model->is_printed && has_negative(type) &&
         !onnx_is_noted(model, data, STR(ONNX_RAW_BYTES_NOTE));
}

static const OnnxNumbers *read_numbers(OnnxFlow *flow, const OnnxType *type, const OnnxData *data)
{
  int64_t items[ONNX_VALUES_LIMIT];
  size_t count;
  bool is_whole = type->element == ELEM_INT64 || type->element == ELEM_INT32;
  static const OnnxNumbers unreal = { .misfits = true };
  if (is_whole && are_unreal(flow->check->model, type, data))
    return &unreal;
  if (!is_whole || is_kept_back(flow->check->model, data) ||
      !onnx_data_numbers(flow->check->model, data, items, ONNX_VALUES_LIMIT, &count))
    return NULL;
  OnnxNumbers *numbers = ARENA_NEW(flow->arena, OnnxNumbers);
  int64_t *copy = ARENA_ARRAY(flow->arena, int64_t, count);
  memcpy(copy, items, count * sizeof(*copy));
  *numbers = (OnnxNumbers){ .items = copy, .count = (uint32_t)count, .rank = type->rank };
  numbers->misfits = misfits(flow->check->model, type, data);
  if (!numbers->misfits && onnx_is_noted(flow->check->model, data, STR(ONNX_MORE_NOTE)))
    return NULL;
  return numbers;
}

static bool lacks_element(const OnnxType *type)
{
  return type->kind == ONNX_TYPE_TENSOR && type->element == 0;
}

/// To a session a negative size says no more than that there is a dimension. Tried with onnxruntime 1.21 and 1.23.
static const OnnxType *read_written(OnnxFlow *flow, const OnnxType *type)
{
  if (flow->follows != ONNX_FOLLOWS_CONSTANT_SIZES || !type->has_shape || !has_negative(type))
    return type;
  OnnxDim *dims = ARENA_ARRAY(flow->arena, OnnxDim, type->rank);
  for (uint32_t i = 0; i < type->rank; i++)
    dims[i] = onnx_is_size(type->dims[i]) && type->dims[i].value < 0 ? (OnnxDim){ 0 } : type->dims[i];
  OnnxType *copy = ARENA_NEW(flow->arena, OnnxType);
  *copy = *type;
  copy->dims = dims;
  return copy;
}

static void enter_value(OnnxFlow *flow, const OnnxValue *value, bool is_input)
{
  if (!value->type || value->name.symbol == ONNX_NO_SYMBOL)
    return;
  OnnxKnown known = { .type = read_written(flow, value->type), .missing_at = value->type_at };
  known.is_missing = lacks_element(value->type);
  known.is_input = is_input;
  onnx_flow_set(flow, value->name.symbol, known);
}

static void keep_values(const OnnxFlow *flow, OnnxKnown *known, const OnnxType *type, const OnnxData *data)
{
  known->floats = type && type->element == ELEM_FLOAT ? data : NULL;
  known->misfits = known->floats && !data->is_external && misfits(flow->check->model, type, data);
  known->texts = type && type->element == ELEM_STRING ? data : NULL;
}

/// An input that is an initializer, too, has to be of its type.
static void enter_initializer(OnnxFlow *flow, const OnnxValue *value)
{
  if (!value->data || !value->type || value->name.symbol == ONNX_NO_SYMBOL)
    return;
  const OnnxKnown before = flow->known[value->name.symbol];
  const OnnxType *written = before.type;
  Meeting meeting = { flow, &value->name, value->name.at };
  bool is_again = before.is_constant && before.depth == flow->open.count + flow->is_entering;  // That was told.
  bool is_known = written && written != value->type && !is_again;
  if (is_known && !types_fit(&meeting, value->type, written))
    return;
  OnnxKnown known = { .type = is_known ? written : value->type, .is_constant = true };
  known.is_missing = lacks_element(known.type);  // The type of its values doesn't help.
  known.missing_at = value->type_at;
  known.numbers = read_numbers(flow, value->type, value->data);
  keep_values(flow, &known, value->type, value->data);
  known.is_external = value->data->is_external;
  known.is_folded = !before.is_input || !onnx_has_defaults(flow->check->model);
  onnx_flow_set(flow, value->name.symbol, known);
}

void onnx_flow_enter(OnnxFlow *flow, const OnnxGraph *graph)
{
  vec_push(&flow->open, (OnnxOpen){ .mark = flow->undo.count });
  for (const OnnxValue *value = graph->infos; value; value = value->next) {
    if (!value->data)
      enter_value(flow, value, false);
  }
  for (const OnnxValue *value = graph->inputs; value; value = value->next)
    enter_value(flow, value, true);
  for (const OnnxValue *value = graph->outputs; value; value = value->next)
    enter_value(flow, value, false);
  for (const OnnxValue *value = graph->inputs; value; value = value->next)
    enter_initializer(flow, value);
  for (const OnnxValue *value = graph->infos; value; value = value->next)
    enter_initializer(flow, value);
  Str owner = graph->owner && graph->owner->domain.len == 0 ? graph->owner->op : (Str){ 0 };
  if (str_equal(owner, STR("Loop")))
    onnx_flow_loop_inputs(flow, graph);
  else if (str_equal(owner, STR("Scan")))
    onnx_flow_scan_inputs(flow, graph);
  else if (str_equal(owner, STR("SequenceMap")))
    onnx_flow_map_inputs(flow, graph);
}

/// The types of a sub-graph's outputs stay with it for the node that it belongs to.
static void keep_outputs(OnnxFlow *flow, const OnnxGraph *graph)
{
  for (OnnxValue *value = graph->outputs; value; value = value->next) {
    if (value->name.symbol == ONNX_NO_SYMBOL)
      continue;
    const OnnxKnown *known = &flow->known[value->name.symbol];
    value->found = known->type;
    value->lacks_type = known->is_missing && !known->type;
  }
}

void onnx_flow_leave(OnnxFlow *flow, const OnnxGraph *graph)
{
  keep_outputs(flow, graph);
  OnnxOpen open = flow->open.items[--flow->open.count];
  flow->unsure -= open.is_unsure;
  onnx_flow_undo(flow, open.mark);
}

// --- Nodes ---

static const OnnxNumbers *constant_numbers(OnnxFlow *flow, const OnnxNode *node)
{
  const OnnxAttr *attr = node->attrs;
  if (!str_equal(node->op, STR("Constant")) || node->domain.len > 0 || !attr || attr->next || attr->is_reference)
    return NULL;
  if (attr->type == ONNX_TENSOR && attr->data && attr->value_type)
    return read_numbers(flow, attr->value_type, attr->data);
  bool is_list = attr->type == ONNX_INTS && attr->count <= ONNX_VALUES_LIMIT;
  if (!is_list && attr->type != ONNX_INT)
    return NULL;
  OnnxNumbers *numbers = ARENA_NEW(flow->arena, OnnxNumbers);
  *numbers = (OnnxNumbers){ .items = is_list ? attr->numbers : &attr->number,
                            .count = is_list ? (uint32_t)attr->count : 1,
                            .rank = is_list };
  return numbers;
}

/// "Unsure" is the whole graph from there on, and so is what comes of the node itself.
static OnnxKnown without_type(const OnnxNode *node)
{
  return (OnnxKnown){ .is_missing = true, .missing_at = node->op_at };
}

void onnx_flow_take_output(OnnxFlow *flow, const OnnxName *name, OnnxKnown found)
{
  if (name->symbol == ONNX_NO_SYMBOL)
    return;
  const OnnxType *written = flow->known[name->symbol].type;
  Meeting meeting = { flow, name, name->at };
  if (found.type && written && !types_fit(&meeting, found.type, written))
    found = (OnnxKnown){ 0 };  // What was told here is not told once more of what is made of it.
  else
    found.type = merge(flow->arena, found.type, written);
  found.is_missing = found.is_missing && !found.type;
  found.is_unsure = flow->unsure > 0;
  onnx_flow_set(flow, name->symbol, found);
}

const OnnxType *onnx_flow_meet(OnnxInfer *infer, const OnnxName *name, const OnnxType *found, const OnnxType *other)
{
  Meeting meeting = { infer->flow, name, name->at };
  if (found && other && !types_fit(&meeting, found, other)) {
    infer->has_failed = true;
    return NULL;
  }
  return merge(infer->arena, found, other);
}

/// An operator that onnx does not know, and a session perhaps does.
static void pass_by(OnnxFlow *flow, const OnnxNode *node)
{
  OnnxOpen *open = vec_last(&flow->open);
  const char *types = onnx_contributed_types(flow->check, node);
  flow->check->keeps_nodes = true;
  flow->check->has_contributed |= types != NULL;
  if (types && flow->follows == ONNX_FOLLOWS_CONSTANT_SIZES) {
    onnx_follow_contributed(flow, node, types);
    return;
  }
  flow->unsure += !open->is_unsure;
  open->is_unsure = true;
  for (uint32_t i = 0; i < node->outputs.count; i++)
    onnx_flow_take_output(flow, &node->outputs.items[i], without_type(node));
}

/// Nothing is in it, so it is no longer asked for.
static bool is_empty_optional(const OnnxNode *node)
{
  return node->domain.len == 0 && node->inputs.count == 0 && str_equal(node->op, STR("OptionalHasElement"));
}

/// A session takes an Identity out, so whoever takes what it gives takes what it took.
static bool hands_on_external(const OnnxInfer *infer)
{
  bool is_handed_on =
      onnx_is_external(infer, 0) && infer->node->domain.len == 0 && str_equal(infer->node->op, STR("Identity"));
  infer->flow->check->computes_constants |= is_handed_on;
  return is_handed_on && infer->flow->follows == ONNX_FOLLOWS_CONSTANT_SIZES;
}

static void follow_schema(OnnxFlow *flow, const OnnxNode *node, const OnnxSchema *schema)
{
  OnnxInfer infer = { .flow = flow, .arena = flow->arena, .node = node, .schema = schema };
  arena_done(&flow->scratch);
  infer.out = ARENA_ARRAY(&flow->scratch, const OnnxType *, node->outputs.count);
  OnnxInferFunction *function = onnx_infer_find(node->domain, node->op, schema->since);
  onnx_flow_schema_types(&infer);
  if (function)
    onnx_flow_check_missing(&infer);
  if (function && !infer.has_failed && onnx_infer_long(&infer))
    function(&infer);
  onnx_flow_check_types(&infer);
  OnnxKnown computed = { .numbers = constant_numbers(flow, node) };
  if (!computed.numbers && flow->follows != ONNX_FOLLOWS_NO_SIZES)
    onnx_flow_sizes(&infer, &computed);
  bool is_folded = onnx_is_folded(&infer);
  flow->check->keeps_nodes |= !is_folded && !is_empty_optional(node);
  if (is_folded) {
    const OnnxType *result = node->inputs.count > 0 && node->outputs.count > 0 ? infer.out[0] : NULL;
    flow->check->computes_constants |= result && (result->element == ELEM_INT64 || result->element == ELEM_INT32);
    onnx_check_folded(&infer);
  }
  for (uint32_t i = 0; i < node->outputs.count; i++) {
    OnnxKnown found = i == 0 ? computed : (OnnxKnown){ 0 };
    found.type = infer.has_failed ? NULL : infer.out[i];
    found.is_folded = is_folded && found.type && found.type->kind == ONNX_TYPE_TENSOR;
    found.is_constant = node->domain.len == 0 && str_equal(node->op, STR("Constant"));
    if (found.is_constant && node->attrs && !node->attrs->is_reference)
      keep_values(flow, &found, node->attrs->value_type, node->attrs->data);
    found.is_external = (found.is_constant && node->attrs && node->attrs->data && node->attrs->data->is_external) ||
                        hands_on_external(&infer);
    found.missing_at = infer.missing_at;
    found.is_missing = infer.missing_at.end > 0 && flow->unsure > 0;  // Else it was reported, which is enough.
    onnx_flow_take_output(flow, &node->outputs.items[i], found);
  }
  onnx_check_kernels(&infer);
}

void onnx_flow_keep(OnnxFlow *flow, OnnxNode *node)
{
  bool is_first = !node->found;
  if (is_first)
    node->found = ARENA_ARRAY(flow->arena, const OnnxType *, node->outputs.count);
  for (uint32_t i = 0; i < node->outputs.count; i++) {
    uint32_t symbol = node->outputs.items[i].symbol;
    const OnnxType *type = symbol == ONNX_NO_SYMBOL ? NULL : flow->known[symbol].type;
    node->found[i] = is_first ? type : onnx_type_common(flow->arena, node->found[i], type);
  }
}

/// The checker looks for it, but in a model so old that it doesn't look at functions, and following a call fails.
static bool lacks_import(OnnxFlow *flow, const OnnxNode *node)
{
  OnnxCheck *check = flow->check;
  if (!check->is_in_call || !onnx_functions_are_passed(check) || onnx_import_of(onnx_imports(check), node->domain))
    return false;
  flow->failures++;
  onnx_report(check, node->op_at, RULE_MISSING_OPSET_IMPORT, flow->unsure > 0 ? SEVERITY_WARNING : SEVERITY_ERROR,
              "This function imports no opset of the domain `%.*s`.", STR_ARG(onnx_domain_word(node->domain)));
  return true;
}

/// The same of how many inputs and outputs there are, even where onnx keeps silent about all else.
static bool has_bad_counts(OnnxFlow *flow, const OnnxNode *node, const OnnxSchema *schema)
{
  bool is_bad = node->inputs.count < schema->min_input || node->inputs.count > schema->max_input ||
                node->outputs.count < schema->min_output || node->outputs.count > schema->max_output;
  if (!flow->check->is_in_call || !onnx_functions_are_passed(flow->check) || !is_bad)
    return false;
  flow->failures++;
  onnx_report(flow->check, node->op_at, RULE_INPUT_COUNT, SEVERITY_ERROR,
              "`%.*s` has not as many inputs and outputs as this node.", STR_ARG(node->op));
  return true;
}

/// A session does not ask for the overload.
static const OnnxFunction *called_function(const OnnxFlow *flow, const OnnxNode *node)
{
  const OnnxFunction *function = onnx_called_function(flow->check, node);
  if (!function && flow->follows == ONNX_FOLLOWS_CONSTANT_SIZES)
    return onnx_any_overload(flow->check, node);
  return function;
}

void onnx_flow_node(OnnxFlow *flow, OnnxNode *node)
{
  if (lacks_import(flow, node))
    return;
  const OnnxNode *bound = onnx_flow_bind(flow, node);
  const OnnxSchema *schema = onnx_schema_of(flow->check, node, NULL);
  // Where the checker doesn't look, nobody minds that it is deprecated.
  bool is_passed = flow->check->is_in_call && onnx_functions_are_passed(flow->check);
  bool is_known = schema && (!schema->deprecated || is_passed);
  if (is_known && has_bad_counts(flow, node, schema))
    return;
  const OnnxFunction *function = called_function(flow, node);
  flow->check->keeps_nodes |= function != NULL;
  if (is_known)
    follow_schema(flow, bound, schema);
  else if (function)
    onnx_flow_call(flow, node, bound, function);
  else
    pass_by(flow, bound);
  if (flow->calls.count > 0 && !function)
    onnx_flow_keep(flow, node);
}

/// Bodies of functions have no types of their own; they are followed where they are called.
void onnx_flow_event(OnnxFlow *flow, const OnnxEvent *event)
{
  if (event->function)
    return;
  if (event->kind == ONNX_ENTER_GRAPH)
    onnx_flow_enter(flow, event->graph);
  else if (event->kind == ONNX_LEAVE_GRAPH)
    onnx_flow_leave(flow, event->graph);
  else
    onnx_flow_node(flow, event->node);
}
