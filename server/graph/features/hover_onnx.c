// Hover on an ONNX operator or one of its attributes: the schema in force at the target's opset, in short.

#include "describe/describe.h"
#include "graph/features/hover_private.h"

enum { ATTRIBUTE_LIMIT = 24, CHANGE_LIMIT = 3 };

/// "new attribute `layout` (int, default 0); takes 4 more types"
static void append_changes(HoverJob *job, const OnnxSchema *schema)
{
  for (uint32_t i = 0; i < schema->change_count && i < CHANGE_LIMIT; i++) {
    markup_text(&job->markup, i == 0 ? ": " : "; ");
    markup_prose(&job->markup, shorten(schema->changes[i], 120, job->arena));
  }
  if (schema->change_count > CHANGE_LIMIT)
    markup_text(&job->markup, "; and more");
}

/// Since when the schema holds, what is new in it, and what the next one brings.
static void write_versions(HoverJob *job, const OnnxOperator *op, const OnnxSchema *schema)
{
  const char *unit = op->domain.len > 0 ? "version" : "opset";
  markup_paragraph(&job->markup);
  markup_text(&job->markup, schema->deprecated ? "Deprecated since %s %u" : "Since %s %u", unit, schema->since);
  if (schema->step != ONNX_STEP_WORDS)
    append_changes(job, schema);
  const OnnxSchema *next = schema + 1;
  if (next < op->versions + op->version_count) {
    markup_paragraph(&job->markup);
    markup_text(&job->markup, "Next in %s %u", unit, next->since);
    append_changes(job, next);
  }
}

static void append_attribute(HoverJob *job, const OnnxAttribute *attribute)
{
  Str code = arena_printf(job->arena, "%.*s: %s", STR_ARG(attribute->name), onnx_attribute_type_name(attribute->type));
  if (attribute->has_default)
    code = arena_printf(job->arena, "%.*s = %.*s", STR_ARG(code),
                        STR_ARG(shorten(attribute->default_text, 80, job->arena)));
  markup_code(&job->markup, code);
  if (attribute->required)
    markup_text(&job->markup, ", required");
  Str spelling = onnx_attribute_spelling(attribute, job->arena);
  if (spelling.len > 0 && !job->hides_suffixes) {
    markup_text(&job->markup, ", ");
    markup_code(&job->markup, spelling);
  }
  if (attribute->phrase.len == 0)
    return;
  markup_text(&job->markup, ": ");
  markup_prose(&job->markup, attribute->phrase);
}

static void write_attributes(HoverJob *job, const OnnxSchema *schema)
{
  for (uint32_t i = 0; i < schema->attribute_count && i < ATTRIBUTE_LIMIT; i++) {
    markup_item(&job->markup);
    append_attribute(job, &schema->attributes[i]);
  }
  if (schema->attribute_count > ATTRIBUTE_LIMIT) {
    markup_item(&job->markup);
    markup_text(&job->markup, "and %u more attributes", schema->attribute_count - ATTRIBUTE_LIMIT);
  }
}

static void write_constraints(HoverJob *job, const OnnxSchema *schema)
{
  for (uint32_t i = 0; i < schema->constraint_count && i < HOVER_LIST_LIMIT; i++) {
    const OnnxConstraint *constraint = &schema->constraints[i];
    Str types = type_set_words(constraint->types, constraint->type_count, job->arena);
    markup_item(&job->markup);
    markup_code(&job->markup, constraint->name);
    markup_text(&job->markup, ": %.*s", STR_ARG(shorten(types, 200, job->arena)));
  }
}

/// The schema in force; of a custom domain the newest, because no dump says its version.
static const OnnxSchema *schema_of(const HoverJob *job, const OnnxOperator *op)
{
  return onnx_operator_at(op, op->domain.len > 0 ? INT64_MAX : job->opset);
}

void hover_onnx_operator(HoverJob *job, Str domain, Str name)
{
  const OnnxOperator *op = symbolics_onnx_operator(job->db, domain, name);
  if (!op) {
    markup_code(&job->markup, shorten(name, 200, job->arena));
    markup_text(&job->markup, ": ONNX has no operator of this name");
    return;
  }
  const OnnxSchema *schema = schema_of(job, op);
  const OnnxSchema *shown = schema ? schema : &op->versions[0];
  markup_block(&job->markup, "", onnx_signature(op, shown, HOVER_LIST_LIMIT, job->arena));
  if (op->summary.len > 0) {
    markup_paragraph(&job->markup);
    markup_prose(&job->markup, op->summary);
  }
  // In Python the target says little: whoever asks says at which opsets the code runs.
  if (!schema && job->dump) {
    markup_paragraph(&job->markup);
    markup_text(&job->markup, "Needs opset %u; the target is opset %d.", op->versions[0].since, job->opset);
  }
  if (schema)
    write_versions(job, op, schema);
  write_attributes(job, shown);
  write_constraints(job, shown);
  Str url = onnx_operator_url(op, job->arena);
  if (url.len > 0) {
    markup_paragraph(&job->markup);
    markup_page(&job->markup, "ONNX reference", url);
  }
}

/// Attributes of old dumps: `aten::add[alpha={1}](%4, %4)` passes an argument so.
static void hover_torch_attribute(HoverJob *job, Str op, Str name)
{
  const TorchOperator *torch = symbolics_torch_operator(job->db, op);
  for (uint32_t i = 0; torch && i < torch->overload_count; i++) {
    const TorchOverload *overload = &torch->overloads[i];
    for (uint32_t k = 0; k < overload->argument_count; k++) {
      const TorchArgument *argument = &overload->arguments[k];
      if (!str_equal(argument->name, name))
        continue;
      markup_text(&job->markup, "Argument ");
      markup_code(&job->markup, arena_printf(job->arena, "%.*s %.*s%s%.*s", STR_ARG(argument->type), STR_ARG(name),
                                             argument->has_default ? "=" : "", STR_ARG(argument->default_text)));
      markup_text(&job->markup, " of ");
      markup_code(&job->markup, op);
      return;
    }
  }
}

void hover_attribute(HoverJob *job, const LineView *view, size_t node, Place place)
{
  Str attribute_name = str_trim(line_view_text(view, node));
  Str op_name = line_view_operator(view);
  Str domain;
  Str name;
  if (str_equal(attribute_name, STR("onnx_name"))) {
    markup_text(&job->markup, "The name of the node in the exported model");
    return;
  }
  if (!operator_is_onnx(job, op_name, place, &domain, &name)) {
    hover_torch_attribute(job, op_name, attribute_name);
    return;
  }
  const OnnxOperator *op = symbolics_onnx_operator(job->db, domain, name);
  const OnnxSchema *schema = op ? schema_of(job, op) : NULL;
  if (!schema)
    return;
  const OnnxAttribute *attribute = onnx_schema_attribute(schema, attribute_name);
  if (attribute) {
    append_attribute(job, attribute);
    return;
  }
  markup_code(&job->markup, name);
  markup_text(&job->markup, " has no attribute ");
  markup_code(&job->markup, shorten(attribute_name, 100, job->arena));
  markup_text(&job->markup, op->domain.len > 0 ? " in version %u" : " in opset %u",
              op->domain.len > 0 ? schema->since : (uint32_t)job->opset);
}
