// Completion of ONNX operators in Python: their names, their attributes, and the domains of custom ones.

#include "base/limits.h"
#include "describe/describe.h"
#include "facts/onnx_attribute_values.h"
#include "python/features/python_complete.h"
#include "python/syntax/python_parts.h"

enum { DETAIL_PARAMS = 8 };

/// Groups in the order in which they are shown.
enum { GROUP_CUSTOM = '0', GROUP_NOW = '1', GROUP_NEWER = '2', GROUP_DEPRECATED = '3' };

typedef struct OperatorVisit {
  PyCompletion *at;
  Str domain;
  int opset;
  bool wants_newer;
  bool has_prefix;  ///< Labels are "domain::Name".
} OperatorVisit;

/// The signature without the name: "(X: T) -> (Y: T)".
static Str short_signature(const OnnxOperator *op, const OnnxSchema *schema, Arena *arena)
{
  Str signature = describe_onnx_signature(op, schema, DETAIL_PARAMS, arena);
  return str_slice(signature, str_find_char(signature, '(', 0), signature.len);
}

static bool add_operator(Str name, void *context)
{
  const OperatorVisit *visit = context;
  PyCompletion *at = visit->at;
  const OnnxOperator *op = symbolics_onnx_operator(at->help->file->db, visit->domain, name);
  if (!op)
    return true;
  const OnnxSchema *schema =
      onnx_operator_at(op, visit->domain.len > 0 && visit->has_prefix ? INT64_MAX : visit->opset);
  if (!schema && !visit->wants_newer)
    return true;
  CompletionItem item = {
    .label = visit->has_prefix ? arena_printf(at->arena, "%.*s::%.*s", STR_ARG(visit->domain), STR_ARG(name)) : name,
    .kind = COMPLETION_OPERATOR,
    .is_deprecated = schema && schema->deprecated,
  };
  item.detail = !schema              ? arena_printf(at->arena, "needs opset %u", op->versions[0].since)
                : schema->deprecated ? arena_printf(at->arena, "deprecated since opset %u", schema->since)
                                     : short_signature(op, schema, at->arena);
  markup_prose(&at->markup, op->summary);
  py_complete_document(at, &item);
  py_complete_add(at, item, !schema ? GROUP_NEWER : item.is_deprecated ? GROUP_DEPRECATED : GROUP_NOW);
  return true;
}

// --- Custom operators ---

/// The next `.op("domain::Name"` from `*at` on. The text is searched and not the model, which knows little of what
/// comes after a string that is not closed yet.
static bool next_custom_name(Str text, size_t *at, Str *ret_name)
{
  Str call = STR(".op(");
  for (size_t found = str_find(text, call, *at); found != STR_NOT_FOUND; found = str_find(text, call, *at)) {
    size_t quote = found + call.len;
    *at = quote;
    while (quote < text.len && (text.data[quote] == ' ' || text.data[quote] == '\n' || text.data[quote] == '\r'))
      quote++;
    if (quote >= text.len || (text.data[quote] != '"' && text.data[quote] != '\''))
      continue;
    size_t end = quote + 1;
    while (end < text.len && (py_is_name_char(text.data[end]) || strchr(":.-", text.data[end])) &&
           text.data[end] != '\0')
      end++;
    Str name = str_slice(text, quote + 1, end);
    size_t colons = str_find(name, STR("::"), 0);
    if (end >= text.len || text.data[end] != text.data[quote] || colons == STR_NOT_FOUND || colons == 0 ||
        colons + 2 == name.len)
      continue;
    *ret_name = name;
    return true;
  }
  return false;
}

static bool has_label(const PyCompletion *at, size_t first, Str label)
{
  for (size_t i = first; i < at->job->items.count; i++) {
    if (str_equal(at->job->items.items[i].label, label))
      return true;
  }
  return false;
}

/// Those that the file uses elsewhere; with `without_known` not those that have schemas.
static void add_custom_operators(PyCompletion *at, bool without_known)
{
  Str text = at->help->scan.text;
  size_t first = at->job->items.count;
  size_t from = 0;
  Str name;
  while (at->job->items.count - first < COMPLETION_CUSTOM_LIMIT && next_custom_name(text, &from, &name)) {
    size_t colons = str_find(name, STR("::"), 0);
    bool is_here = (size_t)(name.data - text.data) == at->replaced.start;
    bool is_known = symbolics_onnx_operator(at->help->file->db, str_slice(name, 0, colons),
                                            str_slice(name, colons + 2, name.len)) != NULL;
    CompletionItem item = { .label = name, .kind = COMPLETION_OPERATOR, .detail = STR("used in this file") };
    if (!is_here && !(without_known && is_known) && !has_label(at, first, name))
      py_complete_add(at, item, GROUP_CUSTOM);
  }
}

static bool add_domain_operators(Str domain, void *context)
{
  OperatorVisit *visit = context;
  visit->domain = domain;
  if (domain.len > 0 && !str_equal(domain, STR("ai.onnx")) && str_starts_with(visit->at->typed, domain))
    symbolics_each_onnx_name(visit->at->help->file->db, domain, (Str){ 0 }, add_operator, visit);
  return true;
}

void py_complete_operators(PyCompletion *at)
{
  OperatorVisit visit = { .at = at, .wants_newer = true };
  visit.opset = py_help_shown_opset(at->help->file, py_help_opsets(at->help)).opset;
  bool has_domain = str_find_char(at->typed, ':', 0) != STR_NOT_FOUND;
  add_custom_operators(at, has_domain);
  if (!has_domain) {
    symbolics_each_onnx_name(at->help->file->db, (Str){ 0 }, (Str){ 0 }, add_operator, &visit);
    return;
  }
  visit.has_prefix = true;
  symbolics_each_onnx_domain(at->help->file->db, add_domain_operators, &visit);
}

void py_complete_members(PyCompletion *at, Str domain, int opset)
{
  OperatorVisit visit = { .at = at, .domain = domain, .opset = opset };
  symbolics_each_onnx_name(at->help->file->db, domain, (Str){ 0 }, add_operator, &visit);
}

// --- Attributes ---

static void add_keyword(PyCompletion *at, CompletionItem item, Str name, char group)
{
  if (py_complete_is_given(at->help, name))
    return;
  item.label = name;
  item.kind = COMPLETION_PROPERTY;
  item.text = at->has_equals ? name : arena_printf(at->arena, "%.*s=", STR_ARG(name));
  py_complete_add(at, item, group);
}

static void add_attribute(PyCompletion *at, const OnnxAttribute *attribute, bool is_graph_op)
{
  if (is_graph_op && describe_onnx_spelling(attribute, at->arena).len == 0)
    return;
  CompletionItem item = { .detail = py_words_attribute_type(attribute, at->arena),
                          .is_preselected = attribute->required };
  py_words_write_attribute(&at->words, attribute, is_graph_op);
  py_complete_document(at, &item);
  add_keyword(at, item, py_words_attribute_name(attribute, is_graph_op, at->arena), attribute->required ? '0' : '1');
}

void py_complete_attributes(PyCompletion *at, bool is_graph_op)
{
  const PyHelp *help = at->help;
  const OnnxOperator *op;
  int opset = py_help_shown_opset(help->file, py_help_opsets(help)).opset;
  const OnnxSchema *found = py_help_onnx_schema(help->file, help->op_name, opset, &op);
  const OnnxSchema *schema = !found && op ? &op->versions[0] : found;
  for (uint32_t i = 0; schema && i < schema->attribute_count; i++)
    add_attribute(at, &schema->attributes[i], is_graph_op);
  if (is_graph_op && (!schema || schema->max_output > 1)) {
    CompletionItem outputs = { .detail = STR("int = 1"),
                               .documentation = STR("How many outputs the node has."),
                               .documentation_plain = STR("How many outputs the node has.") };
    add_keyword(at, outputs, STR("outputs"), '2');
  }
}

// --- Values of attributes ---

static void add_element_types(PyCompletion *at)
{
  static const char *const types[] = { "FLOAT",  "UINT8",     "INT8",       "UINT16",  "INT16",  "INT32",
                                       "INT64",  "STRING",    "BOOL",       "FLOAT16", "DOUBLE", "UINT32",
                                       "UINT64", "COMPLEX64", "COMPLEX128", "BFLOAT16" };
  Str module = STR("torch.onnx.TensorProtoDataType");
  const PyModel *model = at->help->file->model;
  bool has_torch = py_model_lookup(model, PY_ABSENT, STR("torch")) != PY_ABSENT;
  for (size_t i = 0; i < COUNT(types); i++) {
    CompletionItem item = { .label = str_from(types[i]), .kind = COMPLETION_VALUE };
    item.detail = arena_printf(at->arena, "%d", (int)i + 1);
    item.text = has_torch ? arena_printf(at->arena, "%.*s.%s", STR_ARG(module), types[i]) : item.detail;
    py_complete_add(at, item, (char)('a' + i));
  }
}

static const OnnxAttribute *attribute_at(const PyHelp *help, Str keyword, const OnnxOperator **ret_op, int *ret_opset)
{
  *ret_opset = py_help_shown_opset(help->file, py_help_opsets(help)).opset;
  const OnnxSchema *schema = py_help_onnx_schema(help->file, help->op_name, *ret_opset, ret_op);
  size_t end = help->kind == PY_HELP_OP ? str_rfind_char(keyword, '_') : keyword.len;
  return schema && end != STR_NOT_FOUND ? onnx_schema_attribute(schema, str_slice(keyword, 0, end)) : NULL;
}

void py_complete_attribute_value(PyCompletion *at, Str keyword)
{
  const OnnxOperator *op;
  int opset;
  const OnnxAttribute *attribute = attribute_at(at->help, keyword, &op, &opset);
  if (!attribute)
    return;
  bool is_type = str_equal(attribute->name, STR("to")) || str_equal(attribute->name, STR("dtype"));
  if (attribute->type == ONNX_INT && is_type && !at->help->scan.in_string && !at->is_quoted)
    add_element_types(at);
  if (attribute->type != ONNX_STRING || (!at->help->scan.in_string && !at->is_quoted))
    return;
  Str values = onnx_attribute_values(at->help->op_name, attribute->name, (uint32_t)opset).values;
  char group = 'a';
  for (Str one; onnx_attribute_next_value(&values, &one);)
    py_complete_add(at, (CompletionItem){ .label = one, .kind = COMPLETION_VALUE }, group++);
}

// --- Domains ---

void py_complete_domains(PyCompletion *at)
{
  Str text = at->help->scan.text;
  size_t first = at->job->items.count;
  size_t from = 0;
  Str name;
  while (at->job->items.count - first < COMPLETION_CUSTOM_LIMIT && next_custom_name(text, &from, &name)) {
    Str domain = str_slice(name, 0, str_find(name, STR("::"), 0));
    CompletionItem item = { .label = domain,
                            .kind = COMPLETION_VALUE,
                            .detail = STR("domain of operators in this file") };
    if (!has_label(at, first, domain))
      py_complete_add(at, item, '0');
  }
}
