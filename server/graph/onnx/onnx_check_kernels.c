// Nodes that the runtime that was named refuses to load: it has no kernel for their types.

#include "base/limits.h"
#include "facts/runtime.h"
#include "graph/onnx/onnx_flow.h"

static const Str absent = STR_INIT("-");

/// "float" of a tensor, "seq(tensor(float))" of others; empty if it isn't known.
static Str word_of(const OnnxType *type, Arena *arena)
{
  if (!type || (type->kind == ONNX_TYPE_TENSOR && type->element == 0))
    return (Str){ 0 };
  return type->kind == ONNX_TYPE_TENSOR ? onnx_element_word(type->element) : onnx_type_word(type, arena);
}

/// The type that a constraint has at a node, `-` if no input of it is given; empty if it isn't known.
static Str bound_word(const OnnxInfer *infer, Str constraint)
{
  const OnnxSchema *schema = infer->schema;
  bool is_input = false;
  for (uint32_t i = 0; i < schema->input_count; i++)
    is_input |= str_equal(schema->inputs[i].type, constraint);
  bool is_given = false;
  for (uint32_t i = 0; i < infer->node->inputs.count; i++) {
    const OnnxParam *param = onnx_param_at(schema->inputs, schema->input_count, i);
    if (!param || !str_equal(param->type, constraint) || !onnx_has_input(infer, i))
      continue;
    is_given = true;
    Str word = word_of(onnx_input(infer, i), infer->arena);
    if (word.len > 0)
      return word;
  }
  for (uint32_t i = 0; i < infer->node->outputs.count; i++) {
    const OnnxParam *param = onnx_param_at(schema->outputs, schema->output_count, i);
    const OnnxName *name = &infer->node->outputs.items[i];
    if (param && str_equal(param->type, constraint) && name->symbol != ONNX_NO_SYMBOL) {
      Str word = word_of(infer->flow->known[name->symbol].type, infer->arena);
      if (word.len > 0)
        return word;
    }
  }
  return is_input && !is_given ? absent : (Str){ 0 };
}

static bool has_word(Str words, Str word)
{
  for (size_t start = 0, end = 0; end != STR_NOT_FOUND; start = end + 1) {
    end = str_find_char(words, ' ', start);
    if (str_equal(str_slice(words, start, end), word))
      return true;
  }
  return false;
}

bool onnx_meets_condition(const OnnxInfer *infer, Str condition, Str *ret_types)
{
  Str rest = condition;
  Str constraint, words;
  Str types = { 0 };
  while (kernel_gap_next_part(&rest, &constraint, &words)) {
    Str word = bound_word(infer, constraint);
    if (word.len == 0 || !has_word(words, word))
      return false;
    if (!str_equal(word, absent))
      types = arena_printf(infer->arena, "%.*s%s%.*s = %.*s", STR_ARG(types), types.len > 0 ? ", " : "",
                           STR_ARG(constraint), STR_ARG(word));
  }
  *ret_types = types;
  return true;
}

/// What is known of the node's operator: records name those of other domains with their domain.
static const KernelGaps *gaps_of(const OnnxInfer *infer)
{
  Str domain = infer->node->domain;
  const Str parts[] = { domain, STR("."), infer->node->op };
  Str name = domain.len > 0 ? arena_join(infer->arena, parts, COUNT(parts)) : infer->node->op;
  return symbolics_kernel_gaps(infer->flow->check->db, name);
}

/// A gap of the node in one of the runtimes; NULL if they have a kernel, or it is not known.
static const KernelGap *find_gap(const OnnxInfer *infer, int64_t opset, uint32_t runtimes, Str *ret_types)
{
  const KernelGaps *gaps = gaps_of(infer);
  for (size_t i = 0; gaps && i < gaps->count; i++) {
    const KernelGap *gap = &gaps->items[i];
    if ((gap->runtimes & runtimes) && kernel_gap_is_at(gap, infer->schema->since, opset) &&
        onnx_meets_condition(infer, gap->condition, ret_types))
      return gap;
  }
  return NULL;
}

/// "; 1.22 has one" of the first newer runtime that takes the node.
static Str newer_words(const OnnxInfer *infer, int64_t opset, const RuntimeFacts *refusing)
{
  const MessageTable *table = symbolics_messages(infer->flow->check->db, 0);
  for (size_t i = 0; i < table->runtime_count; i++) {
    const RuntimeFacts *runtime = &table->runtimes[i];
    Str types;
    bool takes_opset = infer->node->domain.len > 0 || runtime->opset >= opset;
    if (runtime->bit > refusing->bit && takes_opset && !find_gap(infer, opset, runtime->bit, &types))
      return arena_printf(infer->arena, "; %.*s has one", STR_ARG(runtime->version));
  }
  return (Str){ 0 };
}

static bool is_output(const OnnxNode *node, uint32_t symbol)
{
  for (const OnnxValue *value = node->graph->outputs; value; value = value->next) {
    if (value->name.symbol == symbol)
      return true;
  }
  return false;
}

static bool has_sizes(const OnnxType *type)
{
  for (uint32_t i = 0; type && i < type->rank; i++) {
    if (!onnx_is_size(type->dims[i]))
      return false;
  }
  return type && type->kind == ONNX_TYPE_TENSOR && type->has_shape;
}

/// Before kernels are looked for, a Dropout or an Identity that hands its input on is taken out of the graph, but not
/// at its end, a Constant becomes an initializer, and the shape of what is known becomes a constant.
static bool is_taken_out(const OnnxInfer *infer)
{
  const OnnxNode *node = infer->node;
  if (node->domain.len > 0 || node->outputs.count == 0)
    return false;
  if (node->is_joined)
    return true;
  if (str_equal(node->op, STR("Constant")))
    return true;
  if (str_equal(node->op, STR("Shape")))
    return has_sizes(onnx_input(infer, 0));
  if (!str_equal(node->op, STR("Dropout")) && !str_equal(node->op, STR("Identity")))
    return false;
  return !is_output(node, node->outputs.items[0].symbol);
}

/// Whether only `Shape` takes the value in the model. A look at all nodes, for those without a kernel alone.
static bool is_only_measured(OnnxCheck *check, uint32_t symbol)
{
  bool is_measured = false;
  for (size_t i = 0; i < check->model->events.count; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    if (event->kind != ONNX_AT_NODE || check->nodes_tried >= ONNX_LATER_BUDGET)
      continue;
    check->nodes_tried++;
    for (uint32_t k = 0; k < event->node->inputs.count; k++) {
      if (event->node->inputs.items[k].symbol != symbol)
        continue;
      if (!str_equal(event->node->op, STR("Shape")))
        return false;
      is_measured = true;
    }
  }
  return is_measured && check->nodes_tried < ONNX_LATER_BUDGET;
}

/// The shape of what is known becomes a constant, and who made it is taken out with it.
static bool is_measured_away(const OnnxInfer *infer)
{
  const OnnxNames *outputs = &infer->node->outputs;
  if (outputs->count != 1 || outputs->items[0].symbol == ONNX_NO_SYMBOL)
    return false;
  uint32_t symbol = outputs->items[0].symbol;
  return has_sizes(infer->flow->known[symbol].type) && !is_output(infer->node, symbol) &&
         is_only_measured(infer->flow->check, symbol);
}

/// All runtimes that lack a kernel for the node.
static void list_gaps(const OnnxInfer *infer, int64_t opset)
{
  MissingKernel missing = { .op = infer->node->op, .offset = infer->node->op_at.start };
  const KernelGaps *gaps = gaps_of(infer);
  for (size_t i = 0; gaps && i < gaps->count; i++) {
    Str types;
    if (kernel_gap_is_at(&gaps->items[i], infer->schema->since, opset) &&
        onnx_meets_condition(infer, gaps->items[i].condition, &types)) {
      missing.runtimes |= gaps->items[i].runtimes;
      missing.types = types;
    }
  }
  if (missing.runtimes != 0)
    vec_push(infer->flow->check->missing, missing);
}

/// How long the first list is that is given; 0 if none is.
static uint64_t length_of(const OnnxInfer *infer, const char *const *names, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    const OnnxAttr *attr = onnx_attr(infer, names[i]);
    if (attr && attr->count > 0)
      return attr->count;
  }
  return 0;
}

/// A Cast to what its input is already is taken out.
static bool saturates_in_vain(const OnnxInfer *infer)
{
  bool is_cast = str_equal(infer->node->op, STR("Cast")) || str_equal(infer->node->op, STR("CastLike"));
  const OnnxType *to = is_cast ? infer->out[0] : NULL;
  int64_t saturate;
  if (!to || !onnx_attr(infer, "saturate") || !onnx_attr_int(infer, "saturate", 1, &saturate) || saturate != 0)
    return false;
  bool is_short = to->element >= ELEM_FLOAT8E4M3FN && to->element <= ELEM_FLOAT8E5M2FNUZ;
  return to->element != 0 && !is_short && onnx_element(infer, 0) != 0 && onnx_element(infer, 0) != to->element;
}

/// Constant scales of an image that is to become larger, or of another size.
static bool has_bad_scales(OnnxInfer *infer)
{
  bool grows = str_equal(infer->node->op, STR("Upsample"));
  float scales[ONNX_SPATIAL_LIMIT];
  size_t count;
  if ((!grows && !str_equal(infer->node->op, STR("Resize"))) ||
      !onnx_constant_floats(infer, infer->schema->since >= 11 ? 2 : 1, scales, COUNT(scales), &count))
    return false;
  for (size_t i = 0; i < count; i++) {
    if (grows ? scales[i] < 1 : scales[i] <= 0)
      return true;
  }
  return false;
}

/// Part of each head is turned, so it has to be known how many there are.
static bool lacks_heads(const OnnxInfer *infer)
{
  int64_t part;
  int64_t heads;
  return str_equal(infer->node->op, STR("RotaryEmbedding")) && onnx_attr_int(infer, "rotary_embedding_dim", 0, &part) &&
         part > 0 && onnx_attr_int(infer, "num_heads", 0, &heads) && heads <= 0;
}

/// What a kernel refuses to be made of, whatever the release; empty if nothing.
static const char *wrong_labels(OnnxInfer *infer)
{
  static const char *const keys[] = { "keys_strings", "keys_int64s", "keys_floats" };
  static const char *const values[] = { "values_strings", "values_int64s", "values_floats" };
  static const char *const labels[] = { "classlabels_strings", "classlabels_int64s" };
  if (infer->node->domain.len == 0 && saturates_in_vain(infer))
    return "takes `saturate = 0` only where floats of 8 bits are made,";
  if (infer->node->domain.len == 0 && has_bad_scales(infer))
    return "wants larger scales";
  if (infer->node->domain.len == 0 && lacks_heads(infer))
    return "wants `num_heads` beside `rotary_embedding_dim`";
  const char *wrong = infer->node->domain.len == 0 ? onnx_wrong_when_inlined(infer) : "";
  if (wrong[0] != '\0')
    return wrong;
  if (!str_equal(infer->node->domain, STR("ai.onnx.ml")))
    return "";
  if (str_equal(infer->node->op, STR("ZipMap")) &&
      (length_of(infer, &labels[0], 1) > 0) == (length_of(infer, &labels[1], 1) > 0))
    return "wants labels in one of its two lists";
  bool is_table = str_equal(infer->node->op, STR("LabelEncoder")) && infer->schema->since == 2;
  if (is_table && length_of(infer, keys, COUNT(keys)) != length_of(infer, values, COUNT(values)))
    return "wants as many values as keys";
  return "";
}

/// The first input that has to be there, and that the call of the function leaves out; UINT32_MAX if there is none.
static uint32_t find_absent(const OnnxInfer *infer)
{
  for (uint32_t i = 0; i < infer->node->inputs.count && i < infer->schema->input_count; i++) {
    uint32_t symbol = infer->node->inputs.items[i].symbol;
    if (infer->schema->inputs[i].option == ONNX_SINGLE && symbol != ONNX_NO_SYMBOL &&
        infer->flow->known[symbol].is_absent)
      return i;
  }
  return UINT32_MAX;
}

/// The first attribute that the call gives as another type than the operator has; NULL if there is none.
static const OnnxAttr *find_misfit(const OnnxInfer *infer)
{
  for (const OnnxAttr *attr = infer->node->attrs; attr; attr = attr->next) {
    const OnnxAttribute *known = onnx_schema_attribute(infer->schema, attr->name.text);
    if (known && attr->type != ONNX_UNDEFINED && attr->type != known->type)
      return attr;
  }
  return NULL;
}

/// A session puts the body in the place of the call, and looks at the nodes again.
static void check_put_in(const OnnxInfer *infer)
{
  OnnxCheck *check = infer->flow->check;
  uint32_t missing = find_absent(infer);
  const OnnxAttr *misfit = find_misfit(infer);
  if (missing != UINT32_MAX)
    onnx_report(check, infer->node->inputs.items[missing].at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s puts the body in the place of the call, which gives no `%.*s`, and `%.*s` needs it.",
                STR_ARG(onnx_runtime_words(check)), STR_ARG(infer->node->inputs.items[missing].text),
                STR_ARG(infer->node->op));
  else if (misfit)
    onnx_report(check, misfit->value_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s puts the body in the place of the call, which gives `%.*s` as another type than `%.*s` has.",
                STR_ARG(onnx_runtime_words(check)), STR_ARG(misfit->name.text), STR_ARG(infer->node->op));
}

static void check_kernels(OnnxInfer *infer);

/// What only the walk of a session finds is told there.
void onnx_check_kernels(OnnxInfer *infer)
{
  OnnxFlow *flow = infer->flow;
  DiagSink *sink = flow->check->sink;
  size_t reports = flow->check->reports;
  if (flow->later && flow->follows == ONNX_FOLLOWS_CONSTANT_SIZES)
    flow->check->sink = flow->later;
  if (flow->check->is_in_call && flow->check->runtime.limits)
    check_put_in(infer);
  check_kernels(infer);
  flow->told += flow->later && flow->check->reports > reports;
  flow->check->sink = sink;
}

static void check_kernels(OnnxInfer *infer)
{
  OnnxCheck *check = infer->flow->check;
  const RuntimeChoice *runtime = &check->runtime;
  const OnnxImport *import = onnx_import_of(onnx_imports(check), infer->node->domain);
  if (infer->has_failed || !import || is_taken_out(infer))
    return;
  if (check->missing)
    list_gaps(infer, import->version);
  Str types;
  const char *wrong = runtime->limits ? wrong_labels(infer) : "";
  if (wrong[0] != '\0')
    onnx_report(check, infer->node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s %s for `%.*s`.", STR_ARG(onnx_runtime_words(check)), wrong, STR_ARG(infer->node->op));
  bool takes_opset = runtime->limits && (infer->node->domain.len > 0 || import->version <= runtime->limits->opset);
  if (!takes_opset || !find_gap(infer, import->version, runtime->limits->bit, &types) || is_measured_away(infer))
    return;
  onnx_report(check, infer->node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
              "%.*s has no kernel for `%.*s` of version %u%s%.*s%.*s.", STR_ARG(onnx_runtime_words(check)),
              STR_ARG(infer->node->op), infer->schema->since, types.len > 0 ? " with " : "", STR_ARG(types),
              STR_ARG(newer_words(infer, import->version, runtime->limits)));
}
