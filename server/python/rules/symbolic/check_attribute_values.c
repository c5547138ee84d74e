// The Python values that attributes are given, against their suffix and the type in the schema.

#include "base/ascii.h"
#include "base/limits.h"
#include "facts/onnx_attribute_values.h"
#include "facts/onnx_elements.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/attribute.h"
#include "python/rules/symbolic/function_check.h"
#include "python/rules/symbolic/value_check.h"

// --- The suffix ---

/// Kinds of one value that a suffix can't take, so that torch raises a TypeError.
static uint32_t refused_kinds(Str suffix)
{
  if (str_equal(suffix, STR("f")))
    return PY_STRING | PY_DTYPE | PY_DICT | PY_FUNCTION | PY_DEVICE | PY_OBJECT | PY_GRAPH | PY_TYPE;
  if (str_equal(suffix, STR("i")))
    return PY_FLOAT | PY_STRING | PY_DTYPE | PY_DICT | PY_FUNCTION | PY_DEVICE | PY_OBJECT | PY_GRAPH | PY_TYPE;
  if (str_equal(suffix, STR("s")))
    return PY_INT | PY_FLOAT | PY_BOOL | PY_DTYPE | PY_DICT | PY_FUNCTION | PY_TENSOR | PY_DEVICE | PY_OBJECT |
           PY_GRAPH | PY_TYPE;
  if (str_equal(suffix, STR("t")) || str_equal(suffix, STR("z")))
    return PY_INT | PY_FLOAT | PY_BOOL | PY_STRING | PY_DTYPE | PY_DICT | PY_FUNCTION | PY_DEVICE | PY_ARRAY |
           PY_OBJECT | PY_GRAPH | PY_TYPE;
  return 0;
}

/// An element of a literal list that the suffix can't take; 0 for none.
static PyRef refused_element(const AttributeCheck *check, uint32_t refused, PyValue *ret_value)
{
  const PyTree *tree = &check->op->model->tree;
  PyRef list = py_model_resolve(check->op->model, check->attribute->value);
  if (py_kind(tree, list) != PYK_LIST && py_kind(tree, list) != PYK_TUPLE)
    return 0;
  for (PY_EACH_ELEMENT(tree, item, list)) {
    *ret_value = py_file_value(check->op->file, item);
    if (py_file_is_only(*ret_value, refused))
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
  bool is_list = py_file_is_only(value, PY_LIST) && value.elements != 0;
  const char *what = at == attribute->value && !is_list ? "this is" : "this list holds";
  if (is_list)
    value = (PyValue){ .kinds = value.elements, .length = -1 };
  Str message = arena_printf(sink->arena, "'%.*s' takes %s, and %s %.*s.", STR_ARG(attribute->keyword), takes, what,
                             STR_ARG(py_file_value_text(value, sink->arena)));
  const Fix *fix = NULL;
  bool is_tensor = str_equal(attribute->suffix, STR("t")) || str_equal(attribute->suffix, STR("z"));
  Str text = py_text(&check->op->model->tree, attribute->value);
  if (is_tensor && py_file_is_only(value, PY_INT | PY_FLOAT | PY_BOOL)) {
    message = arena_printf(sink->arena, "'%.*s' takes a torch.Tensor, and this is %.*s; write torch.tensor(%.*s).",
                           STR_ARG(attribute->keyword), STR_ARG(py_file_value_text(check->value, sink->arena)),
                           STR_ARG(str_slice(text, 0, 40)));
    fix = py_fix(sink, true, STR("Make a tensor of it"), py_range(sink, attribute->value),
                 arena_printf(sink->arena, "torch.tensor(%.*s)", STR_ARG(text)));
  } else if (is_tensor && py_file_is_only(value, PY_ARRAY)) {
    message = arena_printf(sink->arena, "'%.*s' takes a torch.Tensor, and this is a numpy array.",
                           STR_ARG(attribute->keyword));
    fix = py_fix(sink, true, STR("Make a tensor of it"), py_range(sink, attribute->value),
                 arena_printf(sink->arena, "torch.from_numpy(%.*s)", STR_ARG(text)));
  } else if (py_file_is_only(value, PY_DTYPE) && str_equal(attribute->suffix, STR("i"))) {
    message = arena_printf(sink->arena,
                           "'%.*s' takes an int, and this is a torch.dtype; write the ONNX type, such as "
                           "torch.onnx.TensorProtoDataType.FLOAT.",
                           STR_ARG(attribute->keyword));
  }
  py_say(sink, RULE_ATTRIBUTE_VALUE, OWN, at, message, fix);
}

static void report_graph_value(AttributeCheck *check, PyRef at)
{
  DiagSink *sink = check->op->sink;
  if (!sink_wants(sink, RULE_GRAPH_VALUE_AS_ATTRIBUTE, OWN))
    return;
  Str text = str_slice(py_text(&check->op->model->tree, at), 0, 40);
  Str message = arena_printf(sink->arena,
                             "'%.*s' is a graph value, and '%.*s' takes a Python value; %s or read it with "
                             "symbolic_helper._get_const().",
                             STR_ARG(text), STR_ARG(check->attribute->keyword),
                             value_is_in_autograd(check->op->file, at) ? "pass a Python value to apply()"
                                                                       : "add @parse_args to the function");
  const Fix *fix = (*check->op->head_fixes)++ < PY_HEAD_FIX_LIMIT
                       ? function_fix_parse_args(sink, check->op->op->scope, py_text(&check->op->model->tree, at))
                       : NULL;
  py_say(sink, RULE_GRAPH_VALUE_AS_ATTRIBUTE, OWN, at, message, fix);
}

bool attribute_check_dropped(AttributeCheck *check)
{
  OpCheck *op = check->op;
  const PyCall *call = py_model_call(op->model, py_model_resolve(op->model, check->attribute->value));
  if (!call || !str_equal(call->qualified, STR("torch.onnx.symbolic_helper._scalar")))
    return false;
  const PyArgument *argument = py_model_argument(op->model, call, 0, "x");
  PyValue value = argument ? py_file_value(op->file, argument->value) : (PyValue){ 0 };
  if (!py_file_is_only(value, PY_VALUE | PY_INT | PY_FLOAT | PY_BOOL | PY_LIST))
    return false;
  DiagSink *sink = op->sink;
  if (sink_wants(sink, RULE_DROPPED_ATTRIBUTE, OWN)) {
    const char *advice = py_file_is_only(value, PY_VALUE) ? "parse the argument with \"t\" or \"f\" in @parse_args"
                                                          : "use the value itself";
    Str message =
        arena_printf(sink->arena, "_scalar() of %.*s is None, so '%.*s' is left out silently; %s.",
                     STR_ARG(py_file_value_text(value, sink->arena)), STR_ARG(check->attribute->keyword), advice);
    py_report(sink, RULE_DROPPED_ATTRIBUTE, OWN, check->attribute->node, (Diagnostic){ .message = message });
  }
  return true;
}

static bool is_graph_value(const AttributeCheck *check, PyRef *ret_at)
{
  PyValue value = check->value;
  *ret_at = check->attribute->value;
  if (py_file_is_only(value, PY_VALUE))
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
  return torch_release_reached(export_api_torch_release(file->db, file->torch), two);
}

bool attribute_check_empty(AttributeCheck *check)
{
  const PyFile *file = check->op->file;
  DiagSink *sink = check->op->sink;
  Severity severity = file->target->torch_is_default ? SEVERITY_WARNING : OWN;
  if (!py_file_is_only(check->value, PY_LIST) || check->value.length != 0)
    return false;
  if (!check->op->onnx || (takes_empty_lists(file) && !file->target->torch_is_default))
    return false;
  if (!sink_wants(sink, RULE_EMPTY_LIST_ATTRIBUTE, severity))
    return true;
  py_report(sink, RULE_EMPTY_LIST_ATTRIBUTE, severity, check->attribute->node,
            (Diagnostic){ .message = arena_printf(sink->arena,
                                                  "'%.*s' is an empty list, which the checker of torch 1.13 refuses; "
                                                  "leave the attribute out or give it elements.",
                                                  STR_ARG(check->attribute->keyword)) });
  return true;
}

/// What no torch version takes for a list. Source: pybind11's list_caster, which since 3.0 goes through sets,
/// generators, views of dicts, map() and zip(); run with torch 1.13, 2.6 and 2.14.
static bool is_bare_iterator(const PyModel *model, PyRef node)
{
  static const char *const names[] = { "enumerate", "filter", "iter", "reversed" };
  const PyCall *call = py_model_call(model, node);
  return call && str_is_one_of(call->qualified, names, COUNT(names));
}

/// A generator, and a list of which every element is refused, or is a list itself.
static bool is_refused_sequence(const AttributeCheck *check, uint32_t refused)
{
  const PyModel *model = check->op->model;
  PyRef node = py_model_resolve(model, check->attribute->value);
  bool is_iterable =
      py_kind(&model->tree, node) == PYK_GENERATOR_EXPRESSION || py_file_is_only(check->value, PY_ITERABLE);
  if (is_iterable)
    return is_bare_iterator(model, node) || py_file_torch_is_before(check->op->file, BEFORE_ITERABLES);
  return py_file_is_only(check->value, PY_LIST) && check->value.elements != 0 && check->value.length != 0 &&
         (check->value.elements & ~(refused | PY_LIST)) == 0;
}

/// `to_i=float`
static bool report_builtin_type(AttributeCheck *check)
{
  DiagSink *sink = check->op->sink;
  PyRef node = check->attribute->value;
  if (!value_is_builtin_type(check->op->model, node))
    return false;
  py_say(sink, RULE_ATTRIBUTE_VALUE, OWN, node,
         arena_printf(sink->arena, "'%.*s' is a type of Python, and an attribute takes a value.%s",
                      STR_ARG(py_text(&check->op->model->tree, node)),
                      str_equal(check->attribute->name, STR("to")) ? " ONNX has numbers for its element types." : ""),
         NULL);
  return true;
}

bool attribute_check_value(AttributeCheck *check)
{
  Str suffix = check->attribute->suffix;
  PyRef at;
  if (report_builtin_type(check))
    return false;
  if (!str_equal(suffix, STR("g")) && !str_equal(suffix, STR("ty")) && is_graph_value(check, &at)) {
    report_graph_value(check, at);
    return false;
  }
  uint32_t refused = refused_kinds(suffix);
  if (refused != 0 && is_refused_sequence(check, refused)) {
    report_value(check, check->attribute->value, check->value);
    return false;
  }
  bool is_number = str_equal(suffix, STR("i")) || str_equal(suffix, STR("f"));
  bool has_many = is_number && op_tensor_length(check->op->model, check->attribute->value) > 1;
  bool is_refused = py_file_is_only(check->value, refused | PY_NONE) && (check->value.kinds & refused);
  if (has_many || is_refused) {
    report_value(check, check->attribute->value, check->value);
    return false;
  }
  PyValue value;
  PyRef item = refused_element(check, refused | PY_NONE | (refused ? PY_LIST : 0), &value);
  if (item) {
    report_value(check, check->attribute->value, value);
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
  bool is_array = op_array_length(check->op->model, check->attribute->value) > 0;
  if (!is_plural(attribute->type) && (is_array || py_file_is_only(check->value, PY_LIST)))
    return LIST_FOR_ONE;
  const uint32_t single = PY_INT | PY_FLOAT | PY_BOOL | PY_STRING;
  return is_plural(attribute->type) && py_file_is_only(check->value, single) ? ONE_FOR_LIST : MATCHES;
}

static bool has_other_type(const OnnxSchema *schema, const void *context)
{
  const AttributeCheck *check = context;
  const OnnxAttribute *attribute = onnx_schema_attribute(schema, check->attribute->name);
  return attribute && mismatch_of(check, attribute) != MATCHES;
}

/// Lists with a number for each axis: how many these are is not in sight.
static bool is_by_axis(Str name)
{
  static const char *const names[] = { "perm", "kernel_shape", "strides", "dilations", "pads" };
  return str_is_one_of(name, names, COUNT(names));
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
    uint32_t refused = refused_kinds(str_from(onnx_attribute_suffix(attribute->type)));
    if (is_plural(attribute->type))
      refused |= PY_TENSOR;
    if (!py_file_is_only(check->value, refused)) {
      diagnostic.fixes = attribute_fix_name(check, true, right);
      diagnostic.fix_count = diagnostic.fixes != NULL;
    }
    py_report(sink, RULE_ATTRIBUTE_TYPE, OWN, check->attribute->node, diagnostic);
    return;
  }
  case LIST_FOR_ONE:
    diagnostic.message = arena_printf(sink->arena, "'%.*s' of '%.*s' is of type %s, and a list makes %ss of it.",
                                      STR_ARG(name), STR_ARG(op_name), type, type);
    break;
  default:
    diagnostic.message = arena_printf(sink->arena, "'%.*s' of '%.*s' is of type %s, so its value has to be a list.",
                                      STR_ARG(name), STR_ARG(op_name), type);
    Str text = py_text(&op->model->tree, check->attribute->value);
    if (!is_by_axis(name))
      diagnostic.fixes = py_fix(sink, true, STR("Make a list of it"), py_range(sink, check->attribute->value),
                                arena_printf(sink->arena, "[%.*s]", STR_ARG(text)));
    diagnostic.fix_count = diagnostic.fixes != NULL;
    break;
  }
  py_report(sink, RULE_ATTRIBUTE_TYPE, OWN, check->attribute->node, diagnostic);
}

/// `axis_f=dim`, where dim was parsed as an int: the descriptor and the suffix don't agree.
static void hint_int_as_float(AttributeCheck *check, const OnnxAttribute *attribute)
{
  DiagSink *sink = check->op->sink;
  if (!str_equal(check->attribute->suffix, STR("f")) ||
      str_equal(str_from(onnx_attribute_suffix(attribute->type)), STR("f")) || !py_file_is_only(check->value, PY_INT) ||
      !sink_wants(sink, RULE_ATTRIBUTE_VALUE, SEVERITY_HINT))
    return;
  Str text = str_slice(py_text(&check->op->model->tree, check->attribute->value), 0, 40);
  py_report(sink, RULE_ATTRIBUTE_VALUE, SEVERITY_HINT, check->attribute->value,
            (Diagnostic){ .message = arena_printf(sink->arena, "'%.*s' is a Python int, which _f stores as a float.",
                                                  STR_ARG(text)) });
}

void attribute_check_type(AttributeCheck *check)
{
  OpCheck *op = check->op;
  OpsetSet wrong = op_check_wrong(op, has_other_type, check);
  if (!py_file_opsets_wrong(op->opsets, wrong))
    return;
  const OnnxSchema *schema = op->schemas[op_check_first_wrong(op, wrong)];
  const OnnxAttribute *attribute = onnx_schema_attribute(schema, check->attribute->name);
  if (sink_wants(op->sink, RULE_ATTRIBUTE_TYPE, OWN))
    report_type(check, attribute);
  hint_int_as_float(check, attribute);
}

// --- Functions with @script() ---

/// Whether Python's int() or float() may read the text.
static bool may_be_number(Str text)
{
  Str word = str_trim(text);
  bool is_word = word.len == 0 || ascii_is_letter(word.data[0]);
  return !is_word || str_equal_ignore_case(word, STR("inf")) || str_equal_ignore_case(word, STR("nan")) ||
         str_equal_ignore_case(word, STR("infinity"));
}

/// What int(), float() and their like of a list raise on; a number alone makes no list, and no string. Run with
/// onnxscript 0.7, of torch 2.14: a string of digits is a number.
static bool is_inconvertible(const AttributeCheck *check, OnnxAttributeType type)
{
  const uint32_t numbers = PY_INT | PY_FLOAT | PY_BOOL;
  const uint32_t lists = PY_LIST | PY_INTS | PY_FLOATS;
  const uint32_t others = PY_OBJECT | PY_TYPE | PY_DICT | PY_FUNCTION;  // `np.float16`, which is a class.
  bool is_number = type == ONNX_INT || type == ONNX_FLOAT;
  bool is_numbers = type == ONNX_INTS || type == ONNX_FLOATS;
  Str text;
  if ((is_number || is_numbers) && py_file_is_only(check->value, PY_STRING))
    return py_model_string(check->op->model, check->attribute->value, check->op->sink->arena, &text) && text.len > 0 &&
           !may_be_number(text);
  if (is_number)
    return py_file_is_only(check->value, lists | others);
  if (is_numbers || type == ONNX_STRINGS)
    return py_file_is_only(check->value, numbers);
  return type == ONNX_STRING && py_file_is_only(check->value, numbers | lists);
}

bool attribute_check_scripted(AttributeCheck *check)
{
  DiagSink *sink = check->op->sink;
  if (!check->newest || !is_inconvertible(check, check->newest->type))
    return false;
  if (sink_wants(sink, RULE_ATTRIBUTE_TYPE, OWN))
    py_say(sink, RULE_ATTRIBUTE_TYPE, OWN, check->attribute->value,
           arena_printf(sink->arena, "'%.*s' of '%.*s' is of type %s, which onnxscript can't make of this.",
                        STR_ARG(check->attribute->name), STR_ARG(check->op->op->name),
                        onnx_attribute_type_name(check->newest->type)),
           NULL);
  return true;
}

// --- Strings of which only some are allowed ---

typedef struct ListedValue {
  Str op, attribute, text;
} ListedValue;

static bool is_not_listed(const OnnxSchema *schema, const void *context)
{
  const ListedValue *value = context;
  OnnxAttributeWords words = onnx_attribute_values(value->op, value->attribute, schema->since);
  return words.values.len > 0 && !onnx_attribute_has_value(words, value->text);
}

/// What becomes of a word that is not listed.
static Str runtime_words(OnnxAttributeWords words, Arena *arena)
{
  return words.taken_as.len > 0
             ? arena_printf(arena, "ONNX Runtime computes '%.*s' without a word", STR_ARG(words.taken_as))
             : STR("no runtime knows it");
}

/// `to_i=99` of Cast: no element type has that number.
static void check_element_number(AttributeCheck *check)
{
  OpCheck *op = check->op;
  int64_t number;
  bool is_type = str_equal(op->op->name, STR("Cast")) && str_equal(check->attribute->name, STR("to"));
  if (!is_type || !py_model_int(op->model, check->attribute->value, &number) || (number > 0 && number < ELEM_COUNT) ||
      !sink_wants(op->sink, RULE_ATTRIBUTE_VALUE, OWN))
    return;
  py_say(op->sink, RULE_ATTRIBUTE_VALUE, OWN, check->attribute->value,
         arena_printf(op->sink->arena, "No element type of ONNX has the number %lld.", (long long)number), NULL);
}

void attribute_check_listed(AttributeCheck *check)
{
  OpCheck *op = check->op;
  DiagSink *sink = op->sink;
  if (op->op->domain.len == 0)
    check_element_number(check);
  ListedValue value = { .op = op->op->name, .attribute = check->attribute->name };
  if (op->op->domain.len > 0 || !py_file_is_only(check->value, PY_STRING) ||
      !py_model_string(op->model, check->attribute->value, sink->arena, &value.text) || value.text.len == 0)
    return;
  OpsetSet wrong = op_check_wrong(op, is_not_listed, &value);
  if (!py_file_opsets_wrong(op->opsets, wrong) || !sink_wants(sink, RULE_ATTRIBUTE_VALUE, SEVERITY_WARNING))
    return;
  const OnnxSchema *schema = op->schemas[op_check_first_wrong(op, wrong)];
  OnnxAttributeWords words = onnx_attribute_values(value.op, value.attribute, schema->since);
  py_report(sink, RULE_ATTRIBUTE_VALUE, SEVERITY_WARNING, check->attribute->value,
            (Diagnostic){ .message = arena_printf(sink->arena,
                                                  "'%.*s' of '%.*s' is %.*s %.*s; the export succeeds with '%.*s', and "
                                                  "%.*s.",
                                                  STR_ARG(value.attribute), STR_ARG(value.op),
                                                  STR_ARG(onnx_attribute_list(words, sink->arena)),
                                                  STR_ARG(op_check_when(op, wrong)), STR_ARG(value.text),
                                                  STR_ARG(runtime_words(words, sink->arena))) });
}
