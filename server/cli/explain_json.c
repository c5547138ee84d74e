// What `explain --format json` prints; docs/explain.schema.json is its contract.
#include "cli/explain_private.h"
#include "cli/report.h"
#include "cli/support_json.h"
#include "describe/operator_ways.h"
#include "outcome/dynamo_fate.h"

// --- ONNX ---

static void write_limit(Writer *writer, const char *key, uint32_t limit)
{
  writer_key(writer, key);
  if (limit == ONNX_NO_LIMIT)
    writer_null(writer);
  else
    writer_int(writer, limit);
}

static void write_doc(Writer *writer, Str doc)
{
  if (doc.len > 0)
    writer_member_str(writer, "doc", doc);
}

static void write_params(Writer *writer, const char *key, const OnnxParam *params, uint32_t count)
{
  static const char *const options[] = { "single", "optional", "variadic" };
  writer_key(writer, key);
  writer_open(writer, '[');
  for (uint32_t i = 0; i < count; i++) {
    writer_open(writer, '{');
    writer_member_str(writer, "name", params[i].name);
    writer_member_str(writer, "type", params[i].type);
    writer_member_str(writer, "option", str_from(options[params[i].option]));
    writer_member_bool(writer, "homogeneous", !params[i].heterogeneous);
    writer_member_int(writer, "min_arity", params[i].min_arity);
    write_doc(writer, params[i].doc);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

/// The default as JSON, if it is: a number, a string, a list.
static void write_default(Writer *writer, const OnnxAttribute *attribute)
{
  Value *value = NULL;
  ValueError error;
  writer_key(writer, "default");
  if (!attribute->has_default)
    writer_null(writer);
  else if (value_parse(attribute->default_text, &value, &error) == OK)
    writer_raw(writer, attribute->default_text);
  else
    writer_str(writer, attribute->default_text);
  value_release(value);
}

static void write_attribute(Writer *writer, const OnnxAttribute *attribute, Arena *arena)
{
  writer_open(writer, '{');
  writer_member_str(writer, "name", attribute->name);
  writer_member_str(writer, "spelling", describe_onnx_spelling(attribute, arena));
  writer_member_str(writer, "type", str_from(onnx_attribute_type_name(attribute->type)));
  writer_member_bool(writer, "required", attribute->required);
  write_default(writer, attribute);
  writer_member_str(writer, "summary", attribute->phrase);
  write_doc(writer, attribute->doc);
  writer_close(writer, '}');
}

static void write_constraints(Writer *writer, const OnnxSchema *schema)
{
  writer_key(writer, "type_constraints");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < schema->constraint_count; i++) {
    const OnnxConstraint *constraint = &schema->constraints[i];
    writer_open(writer, '{');
    writer_member_str(writer, "name", constraint->name);
    writer_key(writer, "types");
    writer_open(writer, '[');
    for (uint32_t k = 0; k < constraint->type_count; k++)
      writer_str(writer, constraint->types[k]);
    writer_close(writer, ']');
    write_doc(writer, constraint->doc);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void write_changes(Writer *writer, const OnnxOperator *op, Arena *arena)
{
  writer_key(writer, "changes");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < op->version_count; i++) {
    const OnnxSchema *schema = &op->versions[i];
    OnnxChanges changes = onnx_schema_changes(schema, arena);
    writer_open(writer, '{');
    writer_member_int(writer, "since", schema->since);
    writer_member_bool(writer, "deprecated", schema->deprecated);
    writer_key(writer, "changes");
    writer_open(writer, '[');
    for (uint32_t k = 0; k < changes.count; k++)
      writer_str(writer, changes.lines[k]);
    writer_close(writer, ']');
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

void explain_json_onnx(Buffer *out, const Page *page, const OnnxOperator *op)
{
  Writer whole = { .out = out };
  Writer *writer = &whole;
  const OnnxSchema *found = describe_schema(page, op);
  const OnnxSchema *schema = found ? found : &op->versions[0];
  const OnnxSchema *next = describe_onnx_next_version(op, schema);
  writer_open(writer, '{');
  writer_member_str(writer, "domain", op->domain);
  writer_member_str(writer, "op", op->name);
  writer_member_known_int(writer, "opset", page->opset);
  writer_member_bool(writer, "available", found != NULL);
  writer_member_int(writer, "since", schema->since);
  write_limit(writer, "until", next ? next->since - 1 : ONNX_NO_LIMIT);
  writer_member_bool(writer, "deprecated", schema->deprecated);
  writer_member_bool(writer, "experimental", schema->experimental);
  writer_member_bool(writer, "function", schema->function);
  writer_member_int(writer, "min_input", schema->min_input);
  write_limit(writer, "max_input", schema->max_input);
  writer_member_int(writer, "min_output", schema->min_output);
  write_limit(writer, "max_output", schema->max_output);
  write_params(writer, "inputs", schema->inputs, schema->input_count);
  write_params(writer, "outputs", schema->outputs, schema->output_count);
  writer_key(writer, "attributes");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < schema->attribute_count; i++)
    write_attribute(writer, &schema->attributes[i], page->arena);
  writer_close(writer, ']');
  write_constraints(writer, schema);
  write_changes(writer, op, page->arena);
  writer_member_str(writer, "summary", op->summary);
  write_doc(writer, schema->doc);
  writer_member_str(writer, "url", onnx_operator_url(op, page->arena));
  writer_close(writer, '}');
}

// --- Torch ---

static void write_overloads(Writer *writer, const Page *page, const TorchOperator *op, Str name)
{
  Str wanted = str_equal(name, STR("default")) ? (Str){ 0 } : name;
  writer_key(writer, "overloads");
  writer_open(writer, '[');
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    if (name.len > 0 && !str_equal(overload->overload, wanted))
      continue;
    writer_open(writer, '{');
    writer_member_str(writer, "overload", overload->overload);
    writer_member_str(writer, "schema", overload->schema);
    writer_key(writer, "torch");
    support_json_torch_list(writer, page->db, overload->torch_versions);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void write_support(Writer *writer, const OperatorFacts *facts, Arena *arena)
{
  writer_key(writer, "support");
  writer_open(writer, '{');
  for (size_t i = 0; i < facts->version_count; i++) {
    writer_key(writer, arena_copy(arena, facts->versions[i].torch).data);
    support_json_version(writer, &facts->versions[i], arena);
  }
  writer_close(writer, '}');
}

static void write_conditions(Writer *writer, const OperatorFacts *facts, Arena *arena)
{
  uint32_t count;
  const OperatorCondition *conditions = operator_conditions(facts, arena, &count);
  writer_key(writer, "conditions");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < count; i++) {
    const OperatorCondition *condition = &conditions[i];
    writer_open(writer, '{');
    support_json_condition(writer, condition);
    writer_key(writer, "torch");
    support_json_torch_list(writer, facts->target.db, condition->torch_versions);
    writer_member_str(writer, "exporter", str_from(exporter_name(condition->exporter)));
    writer_member_known_str(writer, "overload", condition->outcome->overload);
    writer_key(writer, "opsets");
    support_json_opsets(writer, condition->outcome->opsets);
    writer_member_str(writer, "source", condition->outcome->place);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void write_way(Writer *writer, const OperatorWay *way, Arena *arena)
{
  writer_open(writer, '{');
  writer_member_str(writer, "kind", str_from(operator_way_name(way->kind)));
  writer_member_str(writer, "exporter", str_from(exporter_name(way->exporter)));
  writer_member_known_int(writer, "opset", way->opset);
  writer_member_known_str(writer, "torch", way->torch);
  writer_member_known_str(writer, "onnxscript", way->onnxscript);
  writer_key(writer, "operators");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < way->operator_count; i++)
    writer_str(writer, dynamo_overload_words(way->operators[i], arena));
  writer_close(writer, ']');
  writer_member_str(writer, "text", way->text);
  writer_member_known_str(writer, "url", way->url);
  writer_close(writer, '}');
}

static void write_ways(Writer *writer, const OperatorFacts *facts, Arena *arena)
{
  uint32_t count;
  const OperatorWay *ways = operator_ways(facts, NULL, arena, &count);
  writer_key(writer, "ways");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < count; i++)
    write_way(writer, &ways[i], arena);
  writer_close(writer, ']');
}

static void write_registrations(Writer *writer, const Page *page, const OperatorFacts *facts)
{
  writer_key(writer, "workspace");
  writer_open(writer, '[');
  for (size_t i = 0; i < facts->registration_count; i++) {
    const WorkspaceSymbolic *symbolic = facts->registrations[i];
    writer_open(writer, '{');
    writer_member_str(writer, "name", symbolic->name);
    writer_key(writer, "opsets");
    support_json_opsets(writer, symbolic->opsets);
    writer_member_str(writer, "function", symbolic->function.len > 0 ? symbolic->function : symbolic->elsewhere);
    writer_member_str(writer, "file", describe_path(page, symbolic->uri));
    writer_member_int(writer, "line", symbolic->registration.line + 1);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

void explain_json_torch(Buffer *out, const Page *page, const OperatorFacts *facts, Str overload)
{
  Writer writer = { .out = out };
  writer_open(&writer, '{');
  writer_member_str(&writer, "op", facts->name);
  write_overloads(&writer, page, facts->torch_operator, overload);
  write_support(&writer, facts, page->arena);
  write_ways(&writer, facts, page->arena);
  write_conditions(&writer, facts, page->arena);
  write_registrations(&writer, page, facts);
  writer_close(&writer, '}');
}

// --- Attributes and arguments ---

static void write_attribute_version(Writer *writer, const OnnxSchema *schema, Str name, Arena *arena)
{
  const OnnxAttribute *attribute = onnx_schema_attribute(schema, name);
  writer_open(writer, '{');
  writer_member_int(writer, "since", schema->since);
  writer_key(writer, "attribute");
  if (attribute)
    write_attribute(writer, attribute, arena);
  else
    writer_null(writer);
  writer_close(writer, '}');
}

static void write_onnx_attribute(Writer *writer, const Page *page, const OnnxOperator *op, Str name)
{
  writer_open(writer, '{');
  writer_member_str(writer, "domain", op->domain);
  writer_member_str(writer, "op", op->name);
  writer_member_str(writer, "attribute", name);
  writer_key(writer, "versions");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < op->version_count; i++)
    write_attribute_version(writer, &op->versions[i], name, page->arena);
  writer_close(writer, ']');
  writer_member_str(writer, "url", onnx_operator_url(op, page->arena));
  writer_close(writer, '}');
}

static void write_argument(Writer *writer, const Page *page, const TorchOverload *overload, Str name)
{
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    const TorchArgument *argument = &overload->arguments[i];
    if (!str_equal(argument->name, name))
      continue;
    writer_open(writer, '{');
    writer_member_str(writer, "overload", overload->overload);
    writer_member_str(writer, "type", argument->type);
    writer_key(writer, "default");
    if (argument->has_default)
      writer_str(writer, argument->default_text);
    else
      writer_null(writer);
    writer_key(writer, "torch");
    support_json_torch_list(writer, page->db, overload->torch_versions);
    writer_close(writer, '}');
  }
}

void explain_json_member(Buffer *out, const Page *page, const FoundOperator *found, Str member)
{
  Writer writer = { .out = out };
  if (found->onnx) {
    write_onnx_attribute(&writer, page, found->onnx, member);
    return;
  }
  writer_open(&writer, '{');
  writer_member_str(&writer, "op", found->torch->name);
  writer_member_str(&writer, "argument", member);
  writer_key(&writer, "overloads");
  writer_open(&writer, '[');
  for (uint32_t i = 0; i < found->torch->overload_count; i++)
    write_argument(&writer, page, &found->torch->overloads[i], member);
  writer_close(&writer, ']');
  writer_close(&writer, '}');
}

/// All operators that have an attribute.
typedef struct OwnerList {
  Writer writer;
  const Page *page;
  Str domain;
  Str name;
} OwnerList;

static bool visit_operator(Str name, void *context)
{
  OwnerList *list = context;
  const OnnxOperator *op = symbolics_onnx_operator(list->page->db, list->domain, name);
  const OnnxSchema *schema = op ? describe_schema_in(list->page, op) : NULL;
  const OnnxAttribute *attribute = schema ? onnx_schema_attribute(schema, list->name) : NULL;
  if (!attribute)
    return true;
  writer_open(&list->writer, '{');
  writer_member_str(&list->writer, "domain", op->domain);
  writer_member_str(&list->writer, "op", op->name);
  writer_key(&list->writer, "attribute");
  write_attribute(&list->writer, attribute, list->page->arena);
  writer_close(&list->writer, '}');
  return true;
}

static bool visit_domain(Str domain, void *context)
{
  OwnerList *list = context;
  list->domain = domain;
  symbolics_each_onnx_name(list->page->db, domain, (Str){ 0 }, visit_operator, list);
  return true;
}

void explain_json_attribute(Buffer *out, const Page *page, Str name)
{
  OwnerList list = { .writer = { .out = out }, .page = page, .name = name };
  writer_open(&list.writer, '{');
  writer_member_str(&list.writer, "attribute", name);
  writer_key(&list.writer, "operators");
  writer_open(&list.writer, '[');
  symbolics_each_onnx_domain(page->db, visit_domain, &list);
  writer_close(&list.writer, ']');
  writer_close(&list.writer, '}');
}

// --- Rules ---

void explain_json_rule(Buffer *out, RuleId rule, Arena *arena)
{
  Writer writer = { .out = out };
  const RuleInfo *info = rule_info(rule);
  writer_open(&writer, '{');
  writer_member_str(&writer, "rule", str_from(info->name));
  writer_member_str(&writer, "severity", str_from(severity_name(info->severity)));
  writer_member_str(&writer, "summary", str_from(info->summary));
  writer_member_str(&writer, "page", explain_rule_markdown(rule));
  writer_member_str(&writer, "url", rule_url(rule, arena));
  writer_close(&writer, '}');
}
