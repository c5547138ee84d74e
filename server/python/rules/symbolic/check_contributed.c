// Operators of ONNX Runtime's own in g.op(), "com.microsoft::Gelu": torch makes any, and a session refuses what it has
// not.
//
// A session may load a library with more operators of that domain, so of a name that is none only what is nearly one,
// or is an operator of ONNX, is said to be a mistake.

#include "facts/contributed.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/attribute.h"

static void say(const OpCheck *check, RuleId rule, PyRef node, Str message)
{
  py_say(check->sink, rule, SEVERITY_WARNING, node, message, NULL);
}

static void check_unknown(const OpCheck *check)
{
  Arena *arena = check->sink->arena;
  Str name = check->op->name;
  const char *nearest = contributed_nearest(name, arena);
  bool is_of_onnx = symbolics_onnx_operator(check->file->db, STR(""), name) != NULL;
  if (!sink_wants(check->sink, RULE_UNKNOWN_ONNX_OP, SEVERITY_WARNING) || (!nearest && !is_of_onnx))
    return;
  say(check, RULE_UNKNOWN_ONNX_OP, check->op->name_node,
      is_of_onnx
          ? arena_printf(arena, "ONNX Runtime has no operator '%.*s', and ONNX has it: write '%.*s' without a domain.",
                         STR_ARG(check->op->full_name), STR_ARG(name))
          : arena_printf(arena, "ONNX Runtime has no operator '%.*s'; did you mean 'com.microsoft::%s'?",
                         STR_ARG(check->op->full_name), nearest));
}

static Str count_words(uint32_t least, uint32_t most, const char *what, Arena *arena)
{
  const char *plural = least == 1 && most == 1 ? "" : "s";
  if (most == UINT32_MAX)
    return arena_printf(arena, "at least %u %s%s", least, what, least == 1 ? "" : "s");
  return least == most ? arena_printf(arena, "%u %s%s", least, what, plural)
                       : arena_printf(arena, "%u to %u %s%s", least, most, what, plural);
}

static void check_counts(const OpCheck *check, const ContributedOperator *known)
{
  const PyOp *op = check->op;
  Arena *arena = check->sink->arena;
  bool has_bad_inputs =
      !op->has_splat_input && (op->input_count < known->min_input || op->input_count > known->max_input);
  if (has_bad_inputs && sink_wants(check->sink, RULE_INPUT_COUNT, SEVERITY_WARNING))
    say(check, RULE_INPUT_COUNT, op->name_node,
        arena_printf(arena, "In ONNX Runtime '%s' takes %.*s, %u given.", known->name,
                     STR_ARG(count_words(known->min_input, known->max_input, "input", arena)), op->input_count));
  uint32_t outputs = op->outputs < 0 ? known->min_output : (uint32_t)op->outputs;
  if ((outputs < known->min_output || outputs > known->max_output) &&
      sink_wants(check->sink, RULE_OUTPUT_COUNT, SEVERITY_WARNING))
    say(check, RULE_OUTPUT_COUNT, op->outputs_node ? op->outputs_node : op->name_node,
        arena_printf(arena, "In ONNX Runtime '%s' has %.*s, and here %u.", known->name,
                     STR_ARG(count_words(known->min_output, known->max_output, "output", arena)), outputs));
}

/// The type that `alpha_f=value` gets: 'f', or 'F' of a list; '\0' if that is not known.
static char letter_given(const OpCheck *check, const PyAttribute *attribute)
{
  PyValue value = attribute->value ? py_file_value(check->file, attribute->value) : (PyValue){ 0 };
  if (attribute->suffix.len != 1 || value.kinds == 0)
    return '\0';
  char letter = attribute->suffix.data[0];
  bool is_list = py_file_is_only(value, PY_LIST);
  bool is_one = py_file_is_only(value, PY_INT | PY_FLOAT | PY_BOOL | PY_STRING);
  return is_list ? (char)(letter - 'a' + 'A') : is_one ? letter : '\0';
}

static void check_attribute(const OpCheck *check, const ContributedOperator *known, const PyAttribute *attribute)
{
  Arena *arena = check->sink->arena;
  Str marks = contributed_marks(known, attribute->name);
  char letter = letter_given(check, attribute);
  if (marks.len == 0 && attribute->suffix.len > 0 && sink_wants(check->sink, RULE_UNKNOWN_ATTRIBUTE, SEVERITY_WARNING))
    say(check, RULE_UNKNOWN_ATTRIBUTE, attribute->node,
        arena_printf(arena, "In ONNX Runtime '%s' has no attribute '%.*s'.", known->name, STR_ARG(attribute->name)));
  if (marks.len > 0 && letter != '\0' && letter != marks.data[0] &&
      sink_wants(check->sink, RULE_ATTRIBUTE_TYPE, SEVERITY_WARNING))
    say(check, RULE_ATTRIBUTE_TYPE, attribute->node,
        arena_printf(arena, "In ONNX Runtime '%.*s' of '%s' has another type: it is written %.*s_%c%s.",
                     STR_ARG(attribute->name), known->name, STR_ARG(attribute->name), marks.data[0] | 0x20,
                     marks.data[0] < 'a' ? ", with a list" : ""));
}

static bool is_given(const OpCheck *check, Str name)
{
  const PyOp *op = check->op;
  for (uint32_t i = 0; i < op->attribute_count; i++) {
    if (str_equal(check->model->attributes.items[op->first_attribute + i].name, name))
      return true;
  }
  return op->has_splat_attribute || op->has_unknown_attributes;
}

static void check_required(const OpCheck *check, const ContributedOperator *known)
{
  Str rest = str_from(known->attributes);
  Str name, marks;
  while (contributed_next_attribute(&rest, &name, &marks)) {
    if (!str_ends_with(marks, STR("!")) || is_given(check, name) ||
        !sink_wants(check->sink, RULE_MISSING_REQUIRED_ATTRIBUTE, SEVERITY_WARNING))
      continue;
    say(check, RULE_MISSING_REQUIRED_ATTRIBUTE, check->op->name_node,
        arena_printf(check->sink->arena, "In ONNX Runtime '%s' needs the attribute '%.*s': write %.*s_%c=.",
                     known->name, STR_ARG(name), STR_ARG(name), marks.data[0] | 0x20));
  }
}

void op_check_contributed(const OpCheck *check)
{
  const PyOp *op = check->op;
  if (op->kind != PY_OP_GRAPH || check->onnx || !str_equal(op->domain, STR("com.microsoft")) || op->name.len == 0)
    return;
  const ContributedOperator *known = contributed_operator(op->name);
  if (!known) {
    if (!contributed_is_newer(op->name))
      check_unknown(check);
    return;
  }
  check_counts(check, known);
  for (uint32_t i = 0; i < op->attribute_count; i++)
    check_attribute(check, known, &check->model->attributes.items[op->first_attribute + i]);
  check_required(check, known);
}
