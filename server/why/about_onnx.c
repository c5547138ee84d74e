// What the facts know of an ONNX operator that a checker, shape inference or a runtime complains about.

#include "base/buffer.h"
#include "why/pick.h"

#define OPSET_ANY INT64_MAX

typedef struct OnnxName {
  Str domain, name;
} OnnxName;

/// "Conv", "com.microsoft:Gelu", "my_ops::Inverse", "com.microsoft.Gelu"
/// Without a domain it is of ai.onnx, or else of ai.onnx.ml: ONNX Runtime leaves both out.
static OnnxName split_name(const Why *why, Str text)
{
  static const Str other = STR_INIT("ai.onnx.ml");

  size_t colons = str_find(text, STR("::"), 0);
  size_t colon = colons != STR_NOT_FOUND ? colons : str_find_char(text, ':', 0);
  if (colon == STR_NOT_FOUND) {
    bool is_other =
        !symbolics_onnx_operator(why->db, (Str){ 0 }, text) && symbolics_onnx_operator(why->db, other, text);
    return (OnnxName){ is_other ? other : (Str){ 0 }, text };
  }
  size_t after = colon + (colons != STR_NOT_FOUND ? 2 : 1);
  OnnxName name = { str_slice(text, 0, colon), str_slice(text, after, text.len) };
  if (str_equal(name.domain, STR("ai.onnx")))
    name.domain = (Str){ 0 };
  return name;
}

typedef struct Spelling {
  Str wanted;
  Str found;
} Spelling;

static bool compare_spelling(Str name, void *context)
{
  Spelling *spelling = context;
  if (str_equal_ignore_case(name, spelling->wanted))
    spelling->found = name;
  return spelling->found.len == 0;
}

static Str right_spelling(const Why *why, Str name)
{
  Spelling spelling = { .wanted = name };
  symbolics_each_onnx_name(why->db, (Str){ 0 }, (Str){ 0 }, compare_spelling, &spelling);
  return spelling.found;
}

static int64_t opset_of(Str text)
{
  uint64_t opset = 0;
  return str_to_uint(text, INT32_MAX, &opset) ? (int64_t)opset : OPSET_ANY;
}

/// `is_missing`: the message says that there is no such operator.
static void add_operator(const Why *why, Str text, Str opset_text, bool is_missing, Additions *to)
{
  OnnxName name = split_name(why, text);
  const OnnxOperator *op = symbolics_onnx_operator(why->db, name.domain, name.name);
  int64_t opset = opset_of(opset_text);
  if (!op && name.domain.len == 0 && name.name.len > 0) {
    Str right = right_spelling(why, name.name);
    buffer_printf(&to->cause, " %.*s is not an operator of ONNX at any opset%s%.*s%s.", STR_ARG(name.name),
                  right.len > 0 ? "; it is spelled " : "", STR_ARG(right), "");
    return;
  }
  if (!op)
    return;
  const OnnxSchema *schema = onnx_operator_at(op, opset);
  if (!schema) {
    buffer_printf(&to->cause, " ONNX has %.*s since opset %u.", STR_ARG(name.name), op->versions[0].since);
    buffer_printf(&to->fix, " Export with opset_version=%u or higher.", op->versions[0].since);
  } else if (schema->deprecated) {
    buffer_printf(&to->cause, " It is deprecated since opset %u.", schema->since);
  } else if (is_missing) {
    buffer_printf(&to->cause, " ONNX has it at that opset, so what reads the model is older.");
    buffer_printf(&to->fix, " Upgrade onnx or ONNX Runtime, or export with a lower opset_version.");
  }
}

/// The input of that name, the first one if it is empty; NULL if the version has none.
static const OnnxParam *input_of(const OnnxSchema *schema, Str name)
{
  for (uint32_t i = 0; i < schema->input_count; i++) {
    if (name.len == 0 || str_equal(schema->inputs[i].name, name))
      return &schema->inputs[i];
  }
  return NULL;
}

/// The versions at which the operator has the attribute: the first one, and the one that ended it (0: none did).
static bool attribute_span(const OnnxOperator *op, Str attribute, uint32_t *ret_first, uint32_t *ret_ended)
{
  bool is_found = false;
  *ret_ended = 0;
  for (uint32_t i = 0; i < op->version_count; i++) {
    bool has = onnx_schema_attribute(&op->versions[i], attribute) != NULL;
    if (has && !is_found)
      *ret_first = op->versions[i].since;
    if (!has && is_found && *ret_ended == 0)
      *ret_ended = op->versions[i].since;
    is_found |= has;
  }
  return is_found;
}

static void add_attribute(const Why *why, Str text, Str attribute, Additions *to)
{
  OnnxName name = split_name(why, text);
  const OnnxOperator *op = symbolics_onnx_operator(why->db, name.domain, name.name);
  uint32_t first = 0, ended = 0;
  if (!op)
    return;
  if (!attribute_span(op, attribute, &first, &ended)) {
    buffer_printf(&to->cause, " %.*s has no attribute %.*s at any opset.", STR_ARG(name.name), STR_ARG(attribute));
    return;
  }
  if (ended == 0) {
    buffer_printf(&to->cause, " %.*s has the attribute %.*s since opset %u.", STR_ARG(name.name), STR_ARG(attribute),
                  first);
    buffer_printf(&to->fix, " Export with opset_version=%u or higher.", first);
    return;
  }
  bool is_input = input_of(onnx_operator_at(op, ended), attribute) != NULL;
  buffer_printf(
      &to->cause,
      " %.*s has %.*s as an attribute up to opset %u; from opset %u on it is %s. The model is of opset %u or higher"
      " and still writes the attribute.",
      STR_ARG(name.name), STR_ARG(attribute), ended - 1, ended, is_input ? "an input" : "gone", ended);
  buffer_printf(&to->fix, " Export with opset_version=%u, upgrade torch, or use dynamo=True.", ended - 1);
}

static bool takes_type(const OnnxSchema *schema, Str input, Str type)
{
  const OnnxParam *param = input_of(schema, input);
  const OnnxConstraint *constraint = param ? onnx_schema_constraint(schema, param->type) : NULL;
  bool takes = param && str_equal(param->type, type);
  for (uint32_t i = 0; constraint && i < constraint->type_count; i++)
    takes |= str_equal(constraint->types[i], type);
  return takes;
}

/// What ONNX has no operator for: onnxscript names its functions after torch's operators.
static void add_type_of_other(Str name, Additions *to)
{
  static const char *const words[] = { "aten_", "prims_" };
  if (str_contains_one_of(name, words, COUNT(words))) {
    buffer_printf(&to->cause,
                  " It is no operator of ONNX, but a function in the model, which onnxscript wrote for one of "
                  "torch.");
    buffer_printf(&to->fix, " Newer releases of torch and onnxscript write that operator in another way.");
    return;
  }
  buffer_printf(&to->cause, " ONNX has no operator of that name: the runtime has it of its own, or the model has a "
                            "function of it.");
  buffer_printf(&to->fix, " Newer releases of ONNX Runtime take more types for their own operators.");
}

static Str name_if_input(const OnnxOperator *op, Str name)
{
  for (uint32_t i = 0; name.len > 0 && i < op->version_count; i++) {
    if (input_of(&op->versions[i], name))
      return name;
  }
  return (Str){ 0 };
}

/// The input that a message means: by its name, or by that of a value, which often ends so: "Resize_2/scales",
/// "Resize_scales". Empty if that doesn't tell.
static Str input_name(const OnnxOperator *op, Str name, Str value)
{
  size_t start = value.len;
  while (start > 0 && value.data[start - 1] != '/' && value.data[start - 1] != '_' && value.data[start - 1] != ':')
    start--;
  Str input = name_if_input(op, name);
  return input.len > 0 ? input : name_if_input(op, str_slice(value, start, value.len));
}

static bool ever_takes_type(const OnnxOperator *op, Str input, Str type)
{
  for (uint32_t i = 0; i < op->version_count; i++) {
    if (takes_type(&op->versions[i], input, type))
      return true;
  }
  return false;
}

/// "; its input shape takes only tensor(int64)": the value may be any of them. Says whether there is one.
static bool add_inputs_without_type(const OnnxOperator *op, Str type, Additions *to)
{
  const OnnxSchema *newest = &op->versions[op->version_count - 1];
  bool any = false;
  for (uint32_t i = 1; i < newest->input_count; i++) {
    const OnnxParam *param = &newest->inputs[i];
    const OnnxConstraint *constraint = onnx_schema_constraint(newest, param->type);
    uint32_t count = constraint ? constraint->type_count : 1;
    if (ever_takes_type(op, param->name, type) || count > 4)
      continue;
    any = true;
    buffer_printf(&to->cause, "; its input %.*s takes only ", STR_ARG(param->name));
    for (uint32_t k = 0; k < count; k++)
      buffer_printf(&to->cause, "%s%.*s",
                    k == 0           ? ""
                    : k + 1 == count ? " or "
                                     : ", ",
                    STR_ARG(constraint ? constraint->types[k] : param->type));
  }
  return any;
}

/// `input`: the name of an input; `value`: of what the node has there.
static void add_type(const Why *why, Str text, Str input, Str value, Str type, Additions *to)
{
  OnnxName name = split_name(why, text);
  const OnnxOperator *op = symbolics_onnx_operator(why->db, name.domain, name.name);
  if (!str_starts_with(type, STR("tensor(")))
    return;
  if (!op) {
    add_type_of_other(name.name, to);
    return;
  }
  input = input_name(op, input, value);
  Str what = input.len > 0 ? arena_join(why->arena, (Str[]){ STR("input "), input }, 2) : STR("first input");
  if (!ever_takes_type(op, input, type)) {
    buffer_printf(&to->cause, " Its %.*s takes %.*s at no opset.", STR_ARG(what), STR_ARG(type));
    return;
  }
  uint32_t first = 0;
  while (!takes_type(&op->versions[first], input, type))
    first++;
  uint32_t since = op->versions[first].since;
  buffer_printf(&to->cause, " Its %.*s takes %.*s from opset %u on", STR_ARG(what), STR_ARG(type), since);
  bool is_other = input.len == 0 && add_inputs_without_type(op, type, to);
  buffer_append(&to->cause, STR("."));
  if (first > 0 && !is_other)
    buffer_printf(&to->fix, " Opset %u or higher allows it, if the runtime has a kernel.", since);
}

static void add_versions(const Why *why, Str text, Additions *to)
{
  OnnxName name = split_name(why, text);
  const OnnxOperator *op = symbolics_onnx_operator(why->db, name.domain, name.name);
  if (!op || op->version_count < 2)
    return;
  buffer_printf(&to->cause, " %.*s came with opset %u", STR_ARG(name.name), op->versions[0].since);
  for (uint32_t i = 1; i < op->version_count; i++) {
    const OnnxSchema *schema = &op->versions[i];
    OnnxChanges changes = onnx_schema_changes(schema, why->arena);
    buffer_printf(&to->cause, "; opset %u", schema->since);
    for (uint32_t k = 0; changes.step == ONNX_STEP_SIGNATURE && k < changes.count && k < 3; k++)
      buffer_printf(&to->cause, "%s %.*s", k == 0 ? ":" : ",", STR_ARG(changes.lines[k]));
  }
  buffer_append(&to->cause, STR("."));
}

void why_about_onnx(const Why *why, const Hit *hit, uint32_t about, Additions *to)
{
  Str operator_ = why_operator(why, hit);
  if (about & ABOUT_ONNX_OPERATOR)
    add_operator(why, operator_, why_hole(why, hit, STR("opset")), about & ABOUT_ONNX_MISSING, to);
  if (about & ABOUT_ONNX_ATTRIBUTE)
    add_attribute(why, operator_, why_hole(why, hit, STR("attribute")), to);
  if (about & ABOUT_ONNX_TYPE)
    add_type(why, operator_, why_hole(why, hit, STR("argument")), why_hole(why, hit, STR("value")),
             why_hole(why, hit, STR("type")), to);
  if (about & ABOUT_ONNX_VERSIONS)
    add_versions(why, operator_, to);
}
