// Operators that ONNX Runtime has beside those of ONNX, in its domain com.microsoft: which there are, and what they
// take.

#include "facts/contributed.h"
#include "graph/onnx/onnx_flow.h"

/// If a release is asked that has it.
static const ContributedOperator *find_operator(const OnnxCheck *check, Str name)
{
  const ContributedOperator *op = contributed_operator(name);
  return op && check->runtime.limits->opset >= op->first_opset ? op : NULL;
}

static bool is_newer(const OnnxCheck *check)
{
  enum { OPSET_OF_NEWER = 23 };
  return check->runtime.limits->opset >= OPSET_OF_NEWER;
}

/// The marks of an attribute; empty if the operator has none of that name in the release that is asked.
static Str marks_of(const OnnxCheck *check, const ContributedOperator *op, Str name)
{
  Str marks = contributed_marks(op, name);
  return str_ends_with(marks, STR("+")) && !is_newer(check) ? (Str){ 0 } : marks;
}

static bool has_bad_attribute(OnnxCheck *check, const OnnxNode *node, const ContributedOperator *op)
{
  for (const OnnxAttr *attr = node->attrs; attr; attr = attr->next) {
    Str marks = marks_of(check, op, attr->name.text);
    bool is_known = marks.len > 0 || str_starts_with(attr->name.text, STR("__"));
    bool is_typed =
        attr->type == ONNX_UNDEFINED || marks.len == 0 || marks.data[0] == contributed_type_letter(attr->type);
    if (is_known && is_typed)
      continue;
    onnx_report(check, attr->name.at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                is_known ? "In %.*s `%.*s` has another type of `%.*s`." : "In %.*s `%.*s` has no attribute `%.*s`.",
                STR_ARG(onnx_runtime_words(check)), STR_ARG(node->op), STR_ARG(attr->name.text));
    return true;
  }
  return false;
}

static bool lacks_attribute(OnnxCheck *check, const OnnxNode *node, const ContributedOperator *op)
{
  Str rest = str_from(op->attributes);
  Str name, marks;
  while (!node->lacks_attrs && contributed_next_attribute(&rest, &name, &marks)) {
    bool is_needed = str_ends_with(marks, STR("!")) || (str_ends_with(marks, STR("!-")) && !is_newer(check));
    if (!is_needed || onnx_node_attr(node, name))
      continue;
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "In %.*s `%.*s` needs the attribute `%.*s`.", STR_ARG(onnx_runtime_words(check)), STR_ARG(node->op),
                STR_ARG(name));
    return true;
  }
  return false;
}

static bool has_bad_counts(const OnnxNode *node, const ContributedOperator *op)
{
  uint32_t inputs = node->inputs.count;
  uint32_t outputs = node->outputs.count;
  for (uint32_t i = 0; i < inputs && i < 32; i++) {
    if ((op->needed >> i & 1) && node->inputs.items[i].text.len == 0)
      return true;
  }
  return inputs < op->min_input || inputs > op->max_input || outputs < op->min_output || outputs > op->max_output;
}

/// Whether a session comes by the node, and that of a release that was asked.
static bool is_looked_at(const OnnxCheck *check, const OnnxNode *node)
{
  enum { FIRST_OPSET = 22, LAST_OPSET = 23 };
  const RuntimeFacts *limits = check->runtime.limits;
  return str_equal(node->domain, STR("com.microsoft")) && onnx_session_sees(check) && limits->opset >= FIRST_OPSET &&
         limits->opset <= LAST_OPSET && !str_equal(node->op, STR("Constant"));
}

const char *onnx_contributed_types(const OnnxCheck *check, const OnnxNode *node)
{
  const ContributedOperator *op = is_looked_at(check, node) ? find_operator(check, node->op) : NULL;
  return op && op->first_opset != CONTRIBUTED_WITHOUT_KERNEL ? op->types : NULL;
}

void onnx_check_contributed(OnnxCheck *check, const OnnxNode *node)
{
  if (!is_looked_at(check, node))
    return;
  const ContributedOperator *op = find_operator(check, node->op);
  const OnnxImport *import = onnx_import_of(onnx_imports(check), node->domain);
  if (!op)
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s has no operator `%.*s` in the domain `com.microsoft`.", STR_ARG(onnx_runtime_words(check)),
                STR_ARG(node->op));
  else if (op->first_opset == CONTRIBUTED_WITHOUT_KERNEL)
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s has no kernel for `%.*s` of `com.microsoft`.", STR_ARG(onnx_runtime_words(check)),
                STR_ARG(node->op));
  else if (import && import->version < 1)
    onnx_report(check, import->at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s has no version %lld of `com.microsoft`.", STR_ARG(onnx_runtime_words(check)),
                (long long)import->version);
  else if (has_bad_counts(node, op))
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "In %.*s `%.*s` has other inputs and outputs.", STR_ARG(onnx_runtime_words(check)), STR_ARG(node->op));
  else if (!has_bad_attribute(check, node, op))
    lacks_attribute(check, node, op);
}
