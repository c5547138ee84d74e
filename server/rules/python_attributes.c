// Attributes of g.op() and op.X(): their spelling, what the schema wants, and the Python values they are given.

#include "base/nearest.h"
#include "rules/python_op.h"

#define OWN ((Severity)SEVERITY_DEFAULT)

enum { CANDIDATE_LIMIT = 64 };

/// One attribute while it is checked.
typedef struct AttributeCheck {
  OpCheck *op;
  const PyAttribute *attribute;
  PyValue value;
  const OnnxAttribute *newest;  ///< Of that name in some version of the operator, the newest; NULL.
} AttributeCheck;

static bool is_suffix(const OpCheck *check, Str suffix)
{
  const PyFile *file = check->file;
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if ((file->torches >> torch & 1) != 0 && symbolics_is_suffix(file->db, torch, suffix))
      return true;
  }
  return false;
}

/// The attribute of that name in the newest version that has it.
static const OnnxAttribute *find_attribute(const OnnxOperator *onnx, Str name)
{
  for (uint32_t i = onnx ? onnx->version_count : 0; i-- > 0;) {
    const OnnxAttribute *attribute = onnx_schema_attribute(&onnx->versions[i], name);
    if (attribute)
      return attribute;
  }
  return NULL;
}

// --- The suffix ---

/// The suffix that the attribute's value suggests; empty if it suggests none.
static Str suffix_of_value(PyValue value)
{
  uint32_t kinds = py_is_only(value, PY_LIST) ? value.elements : value.kinds;
  if (kinds == PY_FLOAT)
    return STR("f");
  if (kinds != 0 && (kinds & ~(uint32_t)(PY_INT | PY_BOOL)) == 0)
    return STR("i");
  if (kinds == PY_STRING)
    return STR("s");
  return kinds == PY_TENSOR ? STR("t") : (Str){ 0 };
}

/// What should stand there instead: "alpha_f"; empty if that is not known.
static Str right_spelling(const AttributeCheck *check, Str name, bool *ret_sure)
{
  const OnnxAttribute *attribute = find_attribute(check->op->onnx, name);
  Str suffix = attribute ? str_from(onnx_attribute_suffix(attribute->type)) : suffix_of_value(check->value);
  *ret_sure = attribute != NULL;
  if (suffix.len == 0)
    return (Str){ 0 };
  return arena_printf(check->op->sink->arena, "%.*s_%.*s", STR_ARG(name), STR_ARG(suffix));
}

static void report_suffix(AttributeCheck *check, RuleId rule, Str name)
{
  DiagSink *sink = check->op->sink;
  if (!sink_wants(sink, rule, OWN))
    return;
  bool is_sure;
  Str right = right_spelling(check, name, &is_sure);
  Str keyword = check->attribute->keyword;
  Str hint = right.len > 0 ? arena_printf(sink->arena, "write %.*s", STR_ARG(right))
                           : STR("it has to end in one of _f _i _s _t _g _z _ty");
  Diagnostic diagnostic = { 0 };
  if (rule == RULE_MISSING_ATTRIBUTE_SUFFIX)
    diagnostic.message = arena_printf(sink->arena, "Attribute '%.*s' has no type suffix; %.*s.", STR_ARG(keyword),
                                      STR_ARG(hint));
  else
    diagnostic.message =
        arena_printf(sink->arena, "'_%.*s' is no type suffix of an attribute; %.*s.",
                     STR_ARG(check->attribute->suffix), STR_ARG(hint));
  if (right.len > 0) {
    diagnostic.fixes = py_fix(sink, is_sure, arena_printf(sink->arena, "Write %.*s", STR_ARG(right)),
                              py_range(sink, check->attribute->name_node), right);
    diagnostic.fix_count = 1;
  }
  py_report(sink, rule, OWN, check->attribute->name_node, diagnostic);
}

/// Says whether the suffix is good.
static bool check_suffix(AttributeCheck *check)
{
  const PyAttribute *attribute = check->attribute;
  if (attribute->suffix.len > 0 && is_suffix(check->op, attribute->suffix))
    return true;
  bool is_whole_name = find_attribute(check->op->onnx, attribute->keyword) != NULL;
  if (attribute->suffix.len == 0 || attribute->suffix.len > 2 || is_whole_name)
    report_suffix(check, RULE_MISSING_ATTRIBUTE_SUFFIX, attribute->keyword);
  else
    report_suffix(check, RULE_UNKNOWN_ATTRIBUTE_SUFFIX, attribute->name);
  return false;
}

// --- The name ---

static bool lacks_attribute(const OnnxSchema *schema, const void *context)
{
  const Str *name = context;
  return onnx_schema_attribute(schema, *name) == NULL;
}

/// The input that an attribute of that name has become in this schema; NULL if it has not.
static const OnnxParam *input_instead(const OpCheck *check, const OnnxSchema *schema, Str name)
{
  static const struct {
    const char *op, *attribute, *input;
  } renamed[] = {
    { "Pad", "value", "constant_value" },
    { "Tile", "tiles", "repeats" },
    { "TopK", "k", "K" },
  };
  Str input = name;
  for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++) {
    if (str_equal(check->op->name, str_from(renamed[i].op)) && str_equal(name, str_from(renamed[i].attribute)))
      input = str_from(renamed[i].input);
  }
  for (uint32_t i = 0; i < schema->input_count; i++) {
    if (str_equal(schema->inputs[i].name, input))
      return &schema->inputs[i];
  }
  return NULL;
}

/// The first version that has the input and no longer the attribute.
static uint32_t since_input(const OpCheck *check, Str name)
{
  for (uint32_t i = 0; i < check->onnx->version_count; i++) {
    const OnnxSchema *schema = &check->onnx->versions[i];
    if (!onnx_schema_attribute(schema, name) && input_instead(check, schema, name))
      return schema->since;
  }
  return 0;
}

/// Builds the constant and passes it behind the inputs that are there, if that is its place.
static const Fix *input_fix(AttributeCheck *check, const OnnxSchema *schema, const OnnxParam *input)
{
  OpCheck *op = check->op;
  DiagSink *sink = op->sink;
  const PyTree *tree = &op->model->tree;
  const PyCall *call = &op->model->calls.items[op->op->call];
  uint32_t position = (uint32_t)(input - schema->inputs);
  bool fits = py_is_only(check->value, PY_INT | PY_FLOAT | PY_BOOL | PY_LIST) && check->value.length != 0;
  if (position != op->op->input_count || op->op->has_splat_input || op->op->name_node == 0 || !fits)
    return NULL;
  PyRef last = op->op->input_count > 0 ? op->model->arguments.items[op->op->first_input + position - 1].node
                                       : op->op->name_node;
  Range cut = py_range(sink, check->attribute->node);
  // The comma before the attribute goes, too.
  while (cut.start > 0 && tree->text.data[cut.start - 1] != ',' && cut.start > tree->nodes[last].end)
    cut.start--;
  if (cut.start > 0 && tree->text.data[cut.start - 1] == ',')
    cut.start--;
  Str graph = py_text(tree, py_child(tree, call->function_node, PY_F_OBJECT));
  Str value = py_text(tree, check->attribute->value);
  bool is_list = py_is_only(check->value, PY_LIST);
  bool wants_list = onnx_schema_attribute(schema, check->attribute->name) == NULL && check->newest &&
                    (check->newest->type == ONNX_INTS || check->newest->type == ONNX_FLOATS);
  const char *open = wants_list && !is_list ? "[" : "";
  const char *close = wants_list && !is_list ? "]" : "";
  TextEdit *edits = ARENA_ARRAY(sink->arena, TextEdit, 2);
  Range behind = { tree->nodes[last].end, tree->nodes[last].end };
  edits[0] = (TextEdit){ behind, arena_printf(sink->arena, ", %.*s.op(\"Constant\", value_t=torch.tensor(%s%.*s%s))",
                                              STR_ARG(graph), open, STR_ARG(value), close) };
  edits[1] = (TextEdit){ cut, STR("") };
  if (cut.start < behind.end)
    return NULL;
  Fix *fix = ARENA_ARRAY(sink->arena, Fix, 1);
  *fix = (Fix){
    .title = arena_printf(sink->arena, "Pass '%.*s' as an input", STR_ARG(input->name)),
    .edits = edits,
    .edit_count = 2,
    .is_safe = false,
  };
  return fix;
}

static void report_moved(AttributeCheck *check, const OnnxSchema *schema, const OnnxParam *input, uint64_t wrong)
{
  OpCheck *op = check->op;
  DiagSink *sink = op->sink;
  op->has_moved_input = true;
  if (!sink_wants(sink, RULE_ATTRIBUTE_BECAME_INPUT, OWN))
    return;
  uint32_t since = since_input(op, check->attribute->name);
  Str name = op->op->name;
  Str when = op_check_when(op, wrong);
  const Fix *fix = input_fix(check, schema, input);
  Str message = arena_printf(
      sink->arena, "'%.*s' of '%.*s' is an input since opset %u, and this function is used %.*s; pass it as input %u.",
      STR_ARG(check->attribute->name), STR_ARG(name), since, STR_ARG(when), (unsigned)(input - schema->inputs) + 1);
  py_report(sink, RULE_ATTRIBUTE_BECAME_INPUT, OWN, check->attribute->node,
            (Diagnostic){ .message = message, .fixes = fix, .fix_count = fix ? 1 : 0 });
}

static Str nearest_attribute(const OnnxSchema *schema, Str name, Arena *arena)
{
  const char *candidates[CANDIDATE_LIMIT];
  size_t count = 0;
  for (uint32_t i = 0; i < schema->attribute_count && count < CANDIDATE_LIMIT; i++)
    candidates[count++] = arena_copy(arena, schema->attributes[i].name).data;
  return str_from(nearest_word(arena_copy(arena, name).data, candidates, count));
}

static void report_unknown(AttributeCheck *check, const OnnxSchema *schema, uint64_t wrong)
{
  OpCheck *op = check->op;
  DiagSink *sink = op->sink;
  if (!sink_wants(sink, RULE_UNKNOWN_ATTRIBUTE, OWN))
    return;
  Str name = check->attribute->name;
  Str when = op_check_when(op, wrong);
  Diagnostic diagnostic = { 0 };
  uint32_t since = 0;
  for (uint32_t i = op->onnx->version_count; i-- > 0;) {
    if (op->onnx->versions[i].since > schema->since && onnx_schema_attribute(&op->onnx->versions[i], name))
      since = op->onnx->versions[i].since;
  }
  Str nearest = nearest_attribute(schema, name, sink->arena);
  if (since > 0) {
    diagnostic.message =
        arena_printf(sink->arena, "'%.*s' has the attribute '%.*s' since opset %u, and this function is used %.*s.",
                     STR_ARG(op->op->name), STR_ARG(name), since, STR_ARG(when));
  } else if (nearest.len > 0) {
    diagnostic.message = arena_printf(sink->arena, "'%.*s' has no attribute '%.*s' %.*s; did you mean '%.*s'?",
                                      STR_ARG(op->op->name), STR_ARG(name), STR_ARG(when), STR_ARG(nearest));
    const OnnxAttribute *attribute = onnx_schema_attribute(schema, nearest);
    Str right = op->op->kind == PY_OP_ONNXSCRIPT
                    ? nearest
                    : arena_printf(sink->arena, "%.*s_%s", STR_ARG(nearest), onnx_attribute_suffix(attribute->type));
    diagnostic.fixes = py_fix(sink, false, arena_printf(sink->arena, "Write %.*s", STR_ARG(right)),
                              py_range(sink, check->attribute->name_node), right);
    diagnostic.fix_count = 1;
  } else {
    diagnostic.message = arena_printf(sink->arena, "'%.*s' has no attribute '%.*s' %.*s.", STR_ARG(op->op->name),
                                      STR_ARG(name), STR_ARG(when));
  }
  py_report(sink, RULE_UNKNOWN_ATTRIBUTE, OWN, check->attribute->node, diagnostic);
}

/// Says whether the schema knows the attribute wherever it matters.
static bool check_known(AttributeCheck *check)
{
  OpCheck *op = check->op;
  uint64_t wrong = op_check_wrong(op, lacks_attribute, &check->attribute->name);
  if (!py_opsets_wrong(op->opsets, wrong))
    return wrong == 0 || check->newest != NULL;
  if (check->value.kinds & PY_NONE)
    return false;  // None is left out, perhaps just there.
  const OnnxSchema *schema = op->schemas[op_check_first_wrong(op, wrong)];
  const OnnxParam *input = input_instead(op, schema, check->attribute->name);
  if (op->op->kind == PY_OP_ONNXSCRIPT && input)
    return false;  // An input may be given by its name.
  if (input)
    report_moved(check, schema, input, wrong);
  else
    report_unknown(check, schema, wrong);
  return false;
}

// --- The value ---

/// Kinds of one value that a suffix can't take, so that torch raises a TypeError.
static uint32_t refused_kinds(Str suffix)
{
  if (str_equal(suffix, STR("f")))
    return PY_STRING | PY_DTYPE | PY_DICT | PY_FUNCTION;
  if (str_equal(suffix, STR("i")))
    return PY_FLOAT | PY_STRING | PY_DTYPE | PY_DICT | PY_FUNCTION;
  if (str_equal(suffix, STR("s")))
    return PY_INT | PY_FLOAT | PY_BOOL | PY_DTYPE | PY_DICT | PY_FUNCTION | PY_TENSOR;
  if (str_equal(suffix, STR("t")) || str_equal(suffix, STR("z")))
    return PY_INT | PY_FLOAT | PY_BOOL | PY_STRING | PY_DTYPE | PY_DICT | PY_FUNCTION;
  return 0;
}

/// An element of a literal list that the suffix can't take; 0 for none.
static PyRef refused_element(const AttributeCheck *check, uint32_t refused, PyValue *ret_value)
{
  const PyTree *tree = &check->op->model->tree;
  PyRef list = py_resolve(check->op->model, check->attribute->value);
  if (py_kind(tree, list) != PYK_LIST && py_kind(tree, list) != PYK_TUPLE)
    return 0;
  for (PyRef item = py_first_element(tree, list); item; item = py_next_element(tree, item)) {
    *ret_value = py_value(check->op->file, item);
    if (py_is_only(*ret_value, refused))
      return item;
  }
  return 0;
}

static void report_value(AttributeCheck *check, PyRef at, PyValue value)
{
  DiagSink *sink = check->op->sink;
  if (!sink_wants(sink, RULE_ATTRIBUTE_VALUE, OWN))
    return;
  const PyAttribute *attribute = check->attribute;
  const char *takes = str_equal(attribute->suffix, STR("f"))   ? "a float or a list of them"
                      : str_equal(attribute->suffix, STR("i")) ? "an int or a list of them"
                      : str_equal(attribute->suffix, STR("s")) ? "a str or a list of them"
                                                               : "a torch.Tensor or a list of them";
  const char *what = at == attribute->value ? "this is" : "this list holds";
  Str message = arena_printf(sink->arena, "'%.*s' takes %s, and %s %.*s.", STR_ARG(attribute->keyword), takes, what,
                             STR_ARG(py_value_text(value, sink->arena)));
  const Fix *fix = NULL;
  bool is_tensor = str_equal(attribute->suffix, STR("t")) || str_equal(attribute->suffix, STR("z"));
  Str text = py_text(&check->op->model->tree, attribute->value);
  if (is_tensor && py_is_only(value, PY_INT | PY_FLOAT | PY_BOOL)) {
    message = arena_printf(sink->arena, "'%.*s' takes a torch.Tensor, and this is %.*s; write torch.tensor(%.*s).",
                           STR_ARG(attribute->keyword), STR_ARG(py_value_text(check->value, sink->arena)),
                           STR_ARG(str_slice(text, 0, 40)));
    fix = py_fix(sink, true, STR("Make a tensor of it"), py_range(sink, attribute->value),
                 arena_printf(sink->arena, "torch.tensor(%.*s)", STR_ARG(text)));
  } else if (py_is_only(value, PY_DTYPE) && str_equal(attribute->suffix, STR("i"))) {
    message = arena_printf(sink->arena,
                           "'%.*s' takes an int, and this is a torch.dtype; write the ONNX type, such as "
                           "torch.onnx.TensorProtoDataType.FLOAT.",
                           STR_ARG(attribute->keyword));
  }
  py_report(sink, RULE_ATTRIBUTE_VALUE, OWN, at,
            (Diagnostic){ .message = message, .fixes = fix, .fix_count = fix ? 1 : 0 });
}

static void report_graph_value(AttributeCheck *check, PyRef at)
{
  DiagSink *sink = check->op->sink;
  if (!sink_wants(sink, RULE_GRAPH_VALUE_AS_ATTRIBUTE, OWN))
    return;
  Str text = str_slice(py_text(&check->op->model->tree, at), 0, 40);
  Str message = arena_printf(sink->arena,
                             "'%.*s' is a graph value, and '%.*s' takes a Python value; add @parse_args to the function "
                             "or read it with symbolic_helper._get_const().",
                             STR_ARG(text), STR_ARG(check->attribute->keyword));
  py_report(sink, RULE_GRAPH_VALUE_AS_ATTRIBUTE, OWN, at, (Diagnostic){ .message = message });
}

/// `alpha_f=symbolic_helper._scalar(alpha)` where alpha is no tensor: None, so alpha is left out silently.
static bool check_dropped(AttributeCheck *check)
{
  OpCheck *op = check->op;
  uint32_t index = py_call_at(op->model, py_resolve(op->model, check->attribute->value));
  if (index == PY_ABSENT ||
      !str_equal(op->model->calls.items[index].qualified, STR("torch.onnx.symbolic_helper._scalar")))
    return false;
  const PyArgument *argument = py_argument(op->model, &op->model->calls.items[index], 0, "x");
  PyValue value = argument ? py_value(op->file, argument->value) : (PyValue){ 0 };
  if (!py_is_only(value, PY_VALUE | PY_INT | PY_FLOAT | PY_BOOL | PY_LIST))
    return false;
  DiagSink *sink = op->sink;
  if (sink_wants(sink, RULE_DROPPED_ATTRIBUTE, OWN)) {
    const char *advice = py_is_only(value, PY_VALUE) ? "parse the argument with \"t\" or \"f\" in @parse_args"
                                                     : "use the value itself";
    Str message = arena_printf(
        sink->arena, "_scalar() of %.*s is None, so '%.*s' is left out silently; %s.",
        STR_ARG(py_value_text(value, sink->arena)), STR_ARG(check->attribute->keyword), advice);
    py_report(sink, RULE_DROPPED_ATTRIBUTE, OWN, check->attribute->node, (Diagnostic){ .message = message });
  }
  return true;
}

static bool is_graph_value(const AttributeCheck *check, PyRef *ret_at)
{
  PyValue value = check->value;
  *ret_at = check->attribute->value;
  if (py_is_only(value, PY_VALUE))
    return true;
  PyValue element;
  PyRef item = refused_element(check, PY_VALUE, &element);
  if (item)
    *ret_at = item;
  return item != 0;
}

/// The checker that torch 1.13 runs refuses an attribute without elements; torch 2 takes it.
static bool takes_empty_lists(const PyFile *file)
{
  const TorchRelease two = { 2, 0 };
  return torch_release_reached(symbolics_torch_release(file->db, file->torch), two);
}

static void report_empty_list(AttributeCheck *check)
{
  const PyFile *file = check->op->file;
  DiagSink *sink = check->op->sink;
  Severity severity = file->target->torch_is_default ? SEVERITY_WARNING : OWN;
  if ((takes_empty_lists(file) && !file->target->torch_is_default) ||
      !sink_wants(sink, RULE_EMPTY_LIST_ATTRIBUTE, severity))
    return;
  py_report(sink, RULE_EMPTY_LIST_ATTRIBUTE, severity, check->attribute->node,
            (Diagnostic){ .message = arena_printf(sink->arena,
                                                  "'%.*s' is an empty list, which the checker of torch 1.13 refuses; "
                                                  "leave the attribute out or give it elements.",
                                                  STR_ARG(check->attribute->keyword)) });
}

/// Says whether the value can be stored with the suffix at all.
static bool check_value(AttributeCheck *check)
{
  Str suffix = check->attribute->suffix;
  PyRef at;
  if (!str_equal(suffix, STR("g")) && !str_equal(suffix, STR("ty")) && is_graph_value(check, &at)) {
    report_graph_value(check, at);
    return false;
  }
  uint32_t refused = refused_kinds(suffix);
  if (py_is_only(check->value, refused)) {
    report_value(check, check->attribute->value, check->value);
    return false;
  }
  PyValue value;
  PyRef item = refused_element(check, refused, &value);
  if (item) {
    report_value(check, check->attribute->value, value);
    return false;
  }
  if (py_is_only(check->value, PY_LIST) && check->value.length == 0) {
    report_empty_list(check);
    return false;
  }
  return true;
}

// --- The type in the schema ---

static bool is_plural(OnnxAttributeType type)
{
  return type == ONNX_FLOATS || type == ONNX_INTS || type == ONNX_STRINGS || type == ONNX_TENSORS ||
         type == ONNX_GRAPHS || type == ONNX_TYPE_PROTOS;
}

typedef enum Mismatch {
  MATCHES,
  WRONG_SUFFIX,
  LIST_FOR_ONE,
  ONE_FOR_LIST,
} Mismatch;

static Mismatch mismatch_of(const AttributeCheck *check, const OnnxAttribute *attribute)
{
  Str wanted = str_from(onnx_attribute_suffix(attribute->type));
  Str suffix = str_equal(check->attribute->suffix, STR("z")) ? STR("t") : check->attribute->suffix;
  if (wanted.len == 0)
    return MATCHES;
  if (!str_equal(wanted, suffix))
    return WRONG_SUFFIX;
  if (!is_plural(attribute->type) && py_is_only(check->value, PY_LIST))
    return LIST_FOR_ONE;
  const uint32_t single = PY_INT | PY_FLOAT | PY_BOOL | PY_STRING;
  return is_plural(attribute->type) && py_is_only(check->value, single) ? ONE_FOR_LIST : MATCHES;
}

static bool has_other_type(const OnnxSchema *schema, const void *context)
{
  const AttributeCheck *check = context;
  const OnnxAttribute *attribute = onnx_schema_attribute(schema, check->attribute->name);
  return attribute && mismatch_of(check, attribute) != MATCHES;
}

static void report_type(AttributeCheck *check, const OnnxAttribute *attribute)
{
  OpCheck *op = check->op;
  DiagSink *sink = op->sink;
  const char *type = onnx_attribute_type_name(attribute->type);
  Str name = attribute->name;
  Str op_name = op->op->name;
  Diagnostic diagnostic = { 0 };
  switch (mismatch_of(check, attribute)) {
  case WRONG_SUFFIX: {
    Str right = arena_printf(sink->arena, "%.*s_%s", STR_ARG(name), onnx_attribute_suffix(attribute->type));
    diagnostic.message = arena_printf(sink->arena, "'%.*s' of '%.*s' is of type %s, so it is written %.*s.",
                                      STR_ARG(name), STR_ARG(op_name), type, STR_ARG(right));
    if (!py_is_only(check->value, refused_kinds(str_from(onnx_attribute_suffix(attribute->type))))) {
      diagnostic.fixes = py_fix(sink, true, arena_printf(sink->arena, "Write %.*s", STR_ARG(right)),
                                py_range(sink, check->attribute->name_node), right);
      diagnostic.fix_count = 1;
    }
    py_report(sink, RULE_ATTRIBUTE_TYPE, OWN, check->attribute->node, diagnostic);
    return;
  }
  case LIST_FOR_ONE:
    diagnostic.message = arena_printf(sink->arena, "'%.*s' of '%.*s' is of type %s, and a list makes %ss of it.",
                                      STR_ARG(name), STR_ARG(op_name), type, type);
    break;
  default:
    diagnostic.message =
        arena_printf(sink->arena, "'%.*s' of '%.*s' is of type %s, so its value has to be a list.", STR_ARG(name),
                     STR_ARG(op_name), type);
    Str text = py_text(&op->model->tree, check->attribute->value);
    diagnostic.fixes = py_fix(sink, true, STR("Make a list of it"), py_range(sink, check->attribute->value),
                              arena_printf(sink->arena, "[%.*s]", STR_ARG(text)));
    diagnostic.fix_count = 1;
    break;
  }
  py_report(sink, RULE_ATTRIBUTE_TYPE, OWN, check->attribute->node, diagnostic);
}

/// `axis_f=dim`, where dim was parsed as an int: the descriptor and the suffix don't agree.
static void hint_int_as_float(AttributeCheck *check, const OnnxAttribute *attribute)
{
  DiagSink *sink = check->op->sink;
  if (!str_equal(check->attribute->suffix, STR("f")) || str_equal(str_from(onnx_attribute_suffix(attribute->type)), STR("f")) ||
      !py_is_only(check->value, PY_INT) || !sink_wants(sink, RULE_ATTRIBUTE_VALUE, SEVERITY_HINT))
    return;
  Str text = str_slice(py_text(&check->op->model->tree, check->attribute->value), 0, 40);
  py_report(sink, RULE_ATTRIBUTE_VALUE, SEVERITY_HINT, check->attribute->value,
            (Diagnostic){ .message = arena_printf(sink->arena, "'%.*s' is a Python int, which _f stores as a float.",
                                                  STR_ARG(text)) });
}

static void check_type(AttributeCheck *check)
{
  OpCheck *op = check->op;
  uint64_t wrong = op_check_wrong(op, has_other_type, check);
  if (!py_opsets_wrong(op->opsets, wrong))
    return;
  const OnnxSchema *schema = op->schemas[op_check_first_wrong(op, wrong)];
  const OnnxAttribute *attribute = onnx_schema_attribute(schema, check->attribute->name);
  if (sink_wants(op->sink, RULE_ATTRIBUTE_TYPE, OWN))
    report_type(check, attribute);
  hint_int_as_float(check, attribute);
}

// --- Constant ---

static bool is_value_attribute(Str name)
{
  return str_equal(name, STR("value")) || str_starts_with(name, STR("value_")) || str_equal(name, STR("sparse_value"));
}

/// The exporter itself reads `value` of a Constant, and only as a tensor.
static void check_constant(OpCheck *check)
{
  DiagSink *sink = check->sink;
  const PyOp *op = check->op;
  bool has_value = op->has_splat_attribute || op->input_count > 0;
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    const PyAttribute *attribute = &check->model->attributes.items[op->first_attribute + i];
    if (!is_value_attribute(attribute->name))
      continue;
    has_value = true;
    bool is_wrong = !str_equal(attribute->name, STR("value")) || str_equal(attribute->suffix, STR("f")) ||
                    str_equal(attribute->suffix, STR("i"));
    if (!is_wrong || !sink_wants(sink, RULE_CONSTANT_VALUE, OWN))
      continue;
    Str value = py_text(&check->model->tree, attribute->value);
    Str right = arena_printf(sink->arena, "value_t=torch.tensor(%.*s)", STR_ARG(value));
    py_report(sink, RULE_CONSTANT_VALUE, OWN, attribute->node,
              (Diagnostic){
                  .message = arena_printf(sink->arena, "The value of a Constant has to be a tensor; write %.*s.",
                                          STR_ARG(str_slice(right, 0, 80))),
                  .fixes = py_fix(sink, true, STR("Make a tensor of it"), py_range(sink, attribute->node), right),
                  .fix_count = 1,
              });
  }
  if (!has_value && sink_wants(sink, RULE_CONSTANT_VALUE, OWN))
    py_report(sink, RULE_CONSTANT_VALUE, OWN, op->name_node,
              (Diagnostic){ .message = STR("A Constant needs its value; write value_t=torch.tensor(...).") });
}

// --- What is missing ---

/// The schema says what is required, with two exceptions: bodies of If, Loop and Scan are blocks of the node, which are
/// added afterwards; and the exporter itself reads `perm` when the shape is known.
static bool is_required(const PyOp *op, const OnnxAttribute *attribute)
{
  bool is_perm = str_equal(op->name, STR("Transpose")) && str_equal(attribute->name, STR("perm"));
  return (attribute->required && attribute->type != ONNX_GRAPH) || (is_perm && op->domain.len == 0);
}

/// The first required attribute that is not given; NULL for none.
static const OnnxAttribute *missing_attribute(const OpCheck *check, const OnnxSchema *schema)
{
  const PyOp *op = check->op;
  for (uint32_t i = 0; i < schema->attribute_count; i++) {
    const OnnxAttribute *attribute = &schema->attributes[i];
    bool is_given = !is_required(op, attribute);
    for (uint32_t k = 0; k < op->attribute_count && !is_given; k++) {
      const PyAttribute *given = &check->model->attributes.items[op->first_attribute + k];
      bool has_name = str_equal(given->name, attribute->name) || str_equal(given->keyword, attribute->name);
      is_given = has_name && !py_is_only(py_value(check->file, given->value), PY_NONE);
    }
    if (!is_given)
      return attribute;
  }
  return NULL;
}

static bool lacks_required(const OnnxSchema *schema, const void *context)
{
  return missing_attribute(context, schema) != NULL;
}

static void check_required(OpCheck *check)
{
  DiagSink *sink = check->sink;
  const PyOp *op = check->op;
  if (op->has_splat_attribute)
    return;
  if (op->kind == PY_OP_ONNXSCRIPT)
    return;  // Attributes may be given by position there.
  uint64_t wrong = op_check_wrong(check, lacks_required, check);
  if (!py_opsets_wrong(check->opsets, wrong) || !sink_wants(sink, RULE_MISSING_REQUIRED_ATTRIBUTE, OWN))
    return;
  const OnnxAttribute *attribute = missing_attribute(check, check->schemas[op_check_first_wrong(check, wrong)]);
  Str message = arena_printf(sink->arena, "'%.*s' needs the attribute '%.*s' %.*s; write %.*s_%s=...",
                             STR_ARG(op->name), STR_ARG(attribute->name), STR_ARG(op_check_when(check, wrong)),
                             STR_ARG(attribute->name), onnx_attribute_suffix(attribute->type));
  py_report(sink, RULE_MISSING_REQUIRED_ATTRIBUTE, OWN, op->name_node, (Diagnostic){ .message = message });
}

// --- All of them ---

static bool is_ignored(Str keyword)
{
  return str_equal(keyword, STR("inplace")) || str_equal(keyword, STR("aten"));
}

static void report_ignored(OpCheck *check, const PyAttribute *attribute)
{
  DiagSink *sink = check->sink;
  if (sink_wants(sink, RULE_IGNORED_ATTRIBUTE, OWN))
    py_report(sink, RULE_IGNORED_ATTRIBUTE, OWN, attribute->node,
              (Diagnostic){ .message = arena_printf(sink->arena, "g.op() ignores '%.*s'.", STR_ARG(attribute->keyword)),
                            .is_unnecessary = true });
}

static void check_attribute(OpCheck *op, const PyAttribute *attribute)
{
  AttributeCheck check = { .op = op, .attribute = attribute };
  bool is_graph_op = op->op->kind != PY_OP_ONNXSCRIPT;
  if (!attribute->value || (op->op->kind == PY_OP_ATEN && str_equal(attribute->keyword, STR("overload_name"))))
    return;
  if (is_graph_op && is_ignored(attribute->keyword)) {
    report_ignored(op, attribute);
    return;
  }
  check.value = py_value(op->file, attribute->value);
  if (py_is_only(check.value, PY_NONE)) {
    check_dropped(&check);
    return;  // Left out.
  }
  if (is_graph_op && !check_suffix(&check))
    return;
  check.newest = find_attribute(op->onnx, attribute->name);
  bool has_schema = op->onnx && op->opsets.set != 0 && !(op->is_constant && is_value_attribute(attribute->name));
  bool is_known = has_schema && check_known(&check);
  if (!is_graph_op)
    return;
  if (op->is_constant && (str_equal(attribute->suffix, STR("f")) || str_equal(attribute->suffix, STR("i"))))
    return;  // check_constant() has said it.
  if (check_dropped(&check))
    return;
  if (check_value(&check) && is_known)
    check_type(&check);
}

void op_check_attributes(OpCheck *check)
{
  for (uint32_t i = 0; i < check->op->attribute_count; i++)
    check_attribute(check, &check->model->attributes.items[check->op->first_attribute + i]);
  if (!check->onnx || check->opsets.set == 0)
    return;
  if (check->is_constant && check->op->kind == PY_OP_GRAPH)
    check_constant(check);
  else
    check_required(check);
}
