// An ONNX operator and its attributes in short: the schema in force at the target's opset.

#include "describe/operator_context.h"
#include "base/limits.h"
#include "core/workspace_operators.h"
#include "describe/describe.h"
#include "describe/kernel_words.h"

enum { ATTRIBUTES_SHOWN = 24, CHANGES_SHOWN = 3, VERSIONS_SHOWN = 6 };

OperatorContext operator_context(const FeatureContext *context)
{
  OperatorContext job = {
    .context = context,
    .arena = context->arena,
    .snapshot = context->snapshot,
    .document = snapshot_document(context->snapshot),
    .target = snapshot_target(context->snapshot),
    .db = target_db(snapshot_target(context->snapshot)),
  };
  job.opset = job.target->opset;
  TorchChoice choice = { 0 };
  if (symbolics_resolve_torch(job.db, job.target->torch, &choice))
    job.torch = choice.torch;
  return job;
}

OperatorTarget operator_target(const OperatorContext *job)
{
  const Workspace *newest = job->context->workspace;
  return (OperatorTarget){
    .db = job->db,
    .torch = job->torch,
    .exporter = job->target->exporter,
    .opset = job->target->opset,
    .workspace = newest ? newest : job->target->workspace,
    .onnxscript = job->target->onnxscript,
  };
}

const TorchOperator *operator_context_torch(const OperatorContext *job, Str name)
{
  return workspace_torch_operator(operator_target(job).workspace, job->db, name);
}

// --- Operators of ONNX ---

/// "new attribute `layout` (int, default 0); takes 4 more types"
static void append_changes(OperatorContext *job, const OnnxChanges *changes)
{
  for (uint32_t i = 0; i < changes->count && i < CHANGES_SHOWN; i++) {
    markup_text(&job->markup, i == 0 ? ": " : "; ");
    markup_prose(&job->markup, markup_shorten(changes->lines[i], 120, job->arena));
  }
  if (changes->count > CHANGES_SHOWN)
    markup_text(&job->markup, "; and more");
}

/// Since when the schema holds, what is new in it, and what the next one brings.
static void write_versions(OperatorContext *job, const OnnxOperator *op, const OnnxSchema *schema)
{
  const char *unit = op->domain.len > 0 ? "version" : "opset";
  markup_paragraph(&job->markup);
  markup_text(&job->markup, schema->deprecated ? "Deprecated since %s %u" : "Since %s %u", unit, schema->since);
  OnnxChanges changes = onnx_schema_changes(schema, job->arena);
  if (changes.step != ONNX_STEP_WORDS)
    append_changes(job, &changes);
  const OnnxSchema *next = schema + 1;
  if (next < op->versions + op->version_count) {
    markup_paragraph(&job->markup);
    markup_text(&job->markup, "Next in %s %u", unit, next->since);
    changes = onnx_schema_changes(next, job->arena);
    append_changes(job, &changes);
  }
}

void operator_context_write_attribute(OperatorContext *job, const OnnxAttribute *attribute)
{
  Str code = arena_printf(job->arena, "%.*s: %s", STR_ARG(attribute->name), onnx_attribute_type_name(attribute->type));
  if (attribute->has_default)
    code = arena_printf(job->arena, "%.*s = %.*s", STR_ARG(code),
                        STR_ARG(markup_shorten(attribute->default_text, 80, job->arena)));
  markup_code(&job->markup, code);
  if (attribute->required)
    markup_text(&job->markup, ", required");
  Str spelling = describe_onnx_spelling(attribute, job->arena);
  if (spelling.len > 0 && !job->hides_suffixes) {
    markup_text(&job->markup, ", ");
    markup_code(&job->markup, spelling);
  }
  if (attribute->phrase.len == 0)
    return;
  markup_text(&job->markup, ": ");
  markup_prose(&job->markup, attribute->phrase);
}

static void write_attributes(OperatorContext *job, const OnnxSchema *schema)
{
  for (uint32_t i = 0; i < schema->attribute_count && i < ATTRIBUTES_SHOWN; i++) {
    markup_item(&job->markup);
    operator_context_write_attribute(job, &schema->attributes[i]);
  }
  if (schema->attribute_count > ATTRIBUTES_SHOWN) {
    markup_item(&job->markup);
    markup_text(&job->markup, "and %u more attributes", schema->attribute_count - ATTRIBUTES_SHOWN);
  }
}

static void write_constraints(OperatorContext *job, const OnnxSchema *schema)
{
  for (uint32_t i = 0; i < schema->constraint_count && i < HOVER_LIST_LIMIT; i++) {
    const OnnxConstraint *constraint = &schema->constraints[i];
    Str types = describe_type_set(constraint->types, constraint->type_count, job->arena);
    markup_item(&job->markup);
    markup_code(&job->markup, constraint->name);
    markup_text(&job->markup, ": %.*s", STR_ARG(markup_shorten(types, 200, job->arena)));
  }
}

static void write_kernels(OperatorContext *job, Str name, const OnnxSchema *schema)
{
  Str words = kernel_types_words(job->db, name, schema->since, job->opset, job->arena);
  if (words.len == 0)
    return;
  markup_paragraph(&job->markup);
  markup_text(&job->markup, "No kernel on the CPU for %.*s.", STR_ARG(markup_shorten(words, 300, job->arena)));
}

void operator_context_write_onnx(OperatorContext *job, Str domain, Str name)
{
  const OnnxOperator *op = symbolics_onnx_operator(job->db, domain, name);
  if (!op) {
    markup_code(&job->markup, markup_shorten(name, 200, job->arena));
    markup_text(&job->markup, ": ONNX has no operator of this name");
    return;
  }
  const OnnxSchema *schema = onnx_operator_in_graph(op, job->opset);
  const OnnxSchema *shown = schema ? schema : &op->versions[0];
  markup_block(&job->markup, "", describe_onnx_signature(op, shown, HOVER_LIST_LIMIT, job->arena));
  if (op->summary.len > 0) {
    markup_paragraph(&job->markup);
    markup_prose(&job->markup, op->summary);
  }
  if (!schema && !job->hides_needs) {
    markup_paragraph(&job->markup);
    markup_text(&job->markup, "Needs opset %u; the target is opset %d.", op->versions[0].since, job->opset);
  }
  if (schema)
    write_versions(job, op, schema);
  write_attributes(job, shown);
  write_constraints(job, shown);
  if (schema && domain.len == 0)
    write_kernels(job, op->name, schema);
  Str url = onnx_operator_url(op, job->arena);
  if (url.len > 0) {
    markup_paragraph(&job->markup);
    markup_page(&job->markup, "ONNX reference", url);
  }
}

// --- Operators of torch ---

/// An exporter that the version does not have, or of which nothing is known, is left out.
void operator_context_write_versions(OperatorContext *job, const OperatorFacts *facts)
{
  for (size_t i = 0; i < facts->version_count && i < VERSIONS_SHOWN; i++) {
    const OperatorVersion *version = &facts->versions[facts->version_count - 1 - i];
    const char *separator = ":";
    markup_item(&job->markup);
    markup_text(&job->markup, "torch %.*s", STR_ARG(version->torch));
    for (int e = 0; e < EXPORTER_COUNT; e++) {
      if (!version->exporters[e].is_known)
        continue;
      Str words = operator_support_words(&version->exporters[e], (Exporter)e, job->arena);
      markup_text(&job->markup, "%s %s %.*s", separator, exporter_title((Exporter)e), STR_ARG(words));
      separator = ";";
    }
  }
}
