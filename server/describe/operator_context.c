// An ONNX operator and its attributes in short: the schema in force at the target's opset.

#include "describe/operator_context.h"
#include "base/limits.h"
#include "describe/describe.h"

enum { ATTRIBUTE_LIMIT = 24, CHANGE_LIMIT = 3, VERSION_LIMIT = 6 };

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

// --- Operators of ONNX ---

/// "new attribute `layout` (int, default 0); takes 4 more types"
static void append_changes(OperatorContext *job, const OnnxSchema *schema)
{
  for (uint32_t i = 0; i < schema->change_count && i < CHANGE_LIMIT; i++) {
    markup_text(&job->markup, i == 0 ? ": " : "; ");
    markup_prose(&job->markup, shorten(schema->changes[i], 120, job->arena));
  }
  if (schema->change_count > CHANGE_LIMIT)
    markup_text(&job->markup, "; and more");
}

/// Since when the schema holds, what is new in it, and what the next one brings.
static void write_versions(OperatorContext *job, const OnnxOperator *op, const OnnxSchema *schema)
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

void operator_write_attribute(OperatorContext *job, const OnnxAttribute *attribute)
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

static void write_attributes(OperatorContext *job, const OnnxSchema *schema)
{
  for (uint32_t i = 0; i < schema->attribute_count && i < ATTRIBUTE_LIMIT; i++) {
    markup_item(&job->markup);
    operator_write_attribute(job, &schema->attributes[i]);
  }
  if (schema->attribute_count > ATTRIBUTE_LIMIT) {
    markup_item(&job->markup);
    markup_text(&job->markup, "and %u more attributes", schema->attribute_count - ATTRIBUTE_LIMIT);
  }
}

static void write_constraints(OperatorContext *job, const OnnxSchema *schema)
{
  for (uint32_t i = 0; i < schema->constraint_count && i < HOVER_LIST_LIMIT; i++) {
    const OnnxConstraint *constraint = &schema->constraints[i];
    Str types = type_set_words(constraint->types, constraint->type_count, job->arena);
    markup_item(&job->markup);
    markup_code(&job->markup, constraint->name);
    markup_text(&job->markup, ": %.*s", STR_ARG(shorten(types, 200, job->arena)));
  }
}

const OnnxSchema *operator_schema(const OperatorContext *job, const OnnxOperator *op)
{
  return onnx_operator_at(op, op->domain.len > 0 ? INT64_MAX : job->opset);
}

void operator_write_onnx(OperatorContext *job, Str domain, Str name)
{
  const OnnxOperator *op = symbolics_onnx_operator(job->db, domain, name);
  if (!op) {
    markup_code(&job->markup, shorten(name, 200, job->arena));
    markup_text(&job->markup, ": ONNX has no operator of this name");
    return;
  }
  const OnnxSchema *schema = operator_schema(job, op);
  const OnnxSchema *shown = schema ? schema : &op->versions[0];
  markup_block(&job->markup, "", onnx_signature(op, shown, HOVER_LIST_LIMIT, job->arena));
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
  Str url = onnx_operator_url(op, job->arena);
  if (url.len > 0) {
    markup_paragraph(&job->markup);
    markup_page(&job->markup, "ONNX reference", url);
  }
}

// --- Operators of torch ---

static Str torchscript_words(const OperatorContext *job, uint32_t torch, Str op)
{
  OpsetRange range;
  if (!symbolics_opset_range(job->db, torch, SYMBOLICS_TORCHSCRIPT, &range))
    return STR("no such exporter");
  uint64_t set = symbolics_support_marks(job->db, torch, SYMBOLICS_TORCHSCRIPT, op).supported;
  if (set == 0)
    return STR("no");
  return arena_printf(job->arena, "opsets %.*s", STR_ARG(opset_set_text(set, job->arena)));
}

/// Operators without a function of their own may still get through: torch.export takes many apart by itself.
static Str dynamo_words(const OperatorContext *job, uint32_t torch, Str op)
{
  OpsetRange range;
  if (!symbolics_opset_range(job->db, torch, SYMBOLICS_DYNAMO, &range))
    return (Str){ 0 };
  SupportAnswer answer = symbolics_support(job->db, torch, SYMBOLICS_DYNAMO, op, range.max);
  switch (answer.status) {
  case SUPPORT_YES:
    return answer.since > range.min ? arena_printf(job->arena, "from opset %d on", answer.since) : STR("yes");
  case SUPPORT_DECOMPOSED:
    return STR("in parts");
  case SUPPORT_NO_FACTS:
    return (Str){ 0 };
  default:
    return STR("no function of its own");
  }
}

void operator_write_versions(OperatorContext *job, Str op)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(job->db, &versions);
  for (size_t i = 0; i < count && i < VERSION_LIMIT; i++) {
    uint32_t torch = (uint32_t)(count - 1 - i);
    Str dynamo = dynamo_words(job, torch, op);
    Str torchscript = torchscript_words(job, torch, op);
    markup_item(&job->markup);
    markup_text(&job->markup, "torch %.*s: TorchScript %.*s", STR_ARG(versions[torch]), STR_ARG(torchscript));
    if (dynamo.len > 0)
      markup_text(&job->markup, "; dynamo %.*s", STR_ARG(dynamo));
  }
}
