// Operators that ONNX Runtime has beside those of ONNX, in its domain com.microsoft: which there are, and what they
// take.

#include "base/search.h"
#include "graph/onnx/onnx_flow.h"

#define MANY      UINT32_MAX
#define NO_KERNEL (-1)

typedef struct Contributed {
  const char *name;
  int first_opset;  ///< Of the first release that has it; 0 if all have. NO_KERNEL: its schema alone.
  uint32_t min_input, max_input;
  uint32_t min_output, max_output;
  uint32_t needed;         ///< Bits of the inputs that have to be given.
  const char *attributes;  ///< As the list says.
} Contributed;

/// Sorted by name.
static const Contributed operators[] = {
#define OP(name, first_opset, min_input, max_input, min_output, max_output, needed, attributes)                        \
  { #name, first_opset, min_input, max_input, min_output, max_output, needed, attributes },
#include "graph/onnx/runtime_operators.def"
#undef OP
#undef MANY
};

static const Contributed *find_operator(const OnnxCheck *check, Str name)
{
  size_t i;
  SEARCH_FIRST(i, 0, COUNT(operators), str_compare_word(operators[i].name, name) < 0);
  bool is_known = i < COUNT(operators) && str_equal(name, str_from(operators[i].name)) &&
                  check->runtime.limits->opset >= operators[i].first_opset;
  return is_known ? &operators[i] : NULL;
}

static char type_letter(OnnxAttributeType type)
{
  static const char letters[] = {
    [ONNX_FLOAT] = 'f',  [ONNX_INT] = 'i',  [ONNX_STRING] = 's',  [ONNX_TENSOR] = 't', [ONNX_GRAPH] = 'g',
    [ONNX_FLOATS] = 'F', [ONNX_INTS] = 'I', [ONNX_STRINGS] = 'S', [ONNX_TENSORS] = 'T'
  };
  return (size_t)type < COUNT(letters) ? letters[type] : '\0';
}

/// The next of the list, without its name; false at the end.
static bool next_attribute(Str *rest, Str *ret_name, Str *ret_marks)
{
  if (rest->len == 0)
    return false;
  size_t end = str_find_char(*rest, ' ', 0);
  Str word = str_slice(*rest, 0, end);
  size_t colon = str_find_char(word, ':', 0);
  *rest = end == STR_NOT_FOUND ? (Str){ 0 } : str_slice(*rest, end + 1, rest->len);
  *ret_name = str_slice(word, 0, colon);
  *ret_marks = str_slice(word, colon + 1, word.len);
  return true;
}

/// The marks of an attribute; empty if the operator has none of that name.
static Str marks_of(const OnnxCheck *check, const Contributed *op, Str name)
{
  enum { OPSET_WITH_MORE = 23 };
  Str rest = str_from(op->attributes);
  Str known, marks;
  while (next_attribute(&rest, &known, &marks)) {
    bool is_newer = str_ends_with(marks, STR("+")) && check->runtime.limits->opset < OPSET_WITH_MORE;
    if (str_equal(known, name) && !is_newer)
      return marks;
  }
  return (Str){ 0 };
}

static bool has_bad_attribute(OnnxCheck *check, const OnnxNode *node, const Contributed *op)
{
  for (const OnnxAttr *attr = node->attrs; attr; attr = attr->next) {
    Str marks = marks_of(check, op, attr->name.text);
    bool is_known = marks.len > 0 || str_starts_with(attr->name.text, STR("__"));
    bool is_typed = attr->type == ONNX_UNDEFINED || marks.len == 0 || marks.data[0] == type_letter(attr->type);
    if (is_known && is_typed)
      continue;
    onnx_report(check, attr->name.at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                is_known ? "In %.*s `%.*s` has another type of `%.*s`." : "In %.*s `%.*s` has no attribute `%.*s`.",
                STR_ARG(onnx_runtime_words(check)), STR_ARG(node->op), STR_ARG(attr->name.text));
    return true;
  }
  return false;
}

static bool lacks_attribute(OnnxCheck *check, const OnnxNode *node, const Contributed *op)
{
  Str rest = str_from(op->attributes);
  Str name, marks;
  while (!node->lacks_attrs && next_attribute(&rest, &name, &marks)) {
    if (str_find_char(marks, '!', 0) == STR_NOT_FOUND || onnx_node_attr(node, name))
      continue;
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "In %.*s `%.*s` needs the attribute `%.*s`.", STR_ARG(onnx_runtime_words(check)), STR_ARG(node->op),
                STR_ARG(name));
    return true;
  }
  return false;
}

static bool has_bad_counts(const OnnxNode *node, const Contributed *op)
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

/// False after a report.
static bool check_tensors(OnnxFlow *flow, const OnnxNode *node, const OnnxNames *names, const char *what)
{
  for (uint32_t i = 0; i < names->count; i++) {
    uint32_t symbol = names->items[i].symbol;
    const OnnxType *type = symbol == ONNX_NO_SYMBOL ? NULL : flow->known[symbol].type;
    if (!type || type->kind == ONNX_TYPE_TENSOR || type->kind == ONNX_TYPE_NONE)
      continue;
    onnx_report(flow->check, names->items[i].at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "In %.*s `%.*s` %s tensors alone, and this is %.*s.", STR_ARG(onnx_runtime_words(flow->check)),
                STR_ARG(node->op), what, STR_ARG(onnx_type_word(type, flow->check->arena)));
    return false;
  }
  return true;
}

// Source: the schemas of onnxruntime 1.21 and 1.23 (get_all_operator_schema()), of which one takes something else.
void onnx_check_contributed_types(OnnxFlow *flow, const OnnxNode *node)
{
  OnnxCheck *check = flow->check;
  bool is_one = !flow->later && is_looked_at(check, node) && find_operator(check, node->op) &&
                !str_equal(node->op, STR("SparseToDenseMatMul"));
  if (is_one && check_tensors(flow, node, &node->inputs, "takes"))
    check_tensors(flow, node, &node->outputs, "gives");
}

void onnx_check_contributed(OnnxCheck *check, const OnnxNode *node)
{
  if (!is_looked_at(check, node))
    return;
  const Contributed *op = find_operator(check, node->op);
  const OnnxImport *import = onnx_import_of(onnx_imports(check), node->domain);
  if (!op)
    onnx_report(check, node->op_at, RULE_RUNTIME_REFUSES_MODEL, (Severity)SEVERITY_DEFAULT,
                "%.*s has no operator `%.*s` in the domain `com.microsoft`.", STR_ARG(onnx_runtime_words(check)),
                STR_ARG(node->op));
  else if (op->first_opset == NO_KERNEL)
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
