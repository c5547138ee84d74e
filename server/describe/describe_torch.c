// Pages about torch operators and their arguments: schemas, and which exporter converts them at which opset.
#include "base/vec.h"
#include "core/workspace_operators.h"
#include "describe/describe.h"
#include "describe/operator_conditions.h"
#include "describe/operator_ways.h"
#include "text/uri.h"

enum { CONDITIONS_SHOWN = 8 };  ///< Of each kind.

static bool is_asked_for(const TorchOverload *overload, Str name)
{
  Str wanted = str_equal(name, STR("default")) ? (Str){ 0 } : name;
  return name.len == 0 || str_equal(overload->overload, wanted);
}

// --- Schemas ---

static void write_schemas(Page *page, const OperatorFacts *facts, Str overload)
{
  const TorchOperator *op = facts->torch_operator;
  Buffer code = { 0 };
  for (uint32_t i = 0; i < op->overload_count; i++) {
    if (torch_overload_is_in(&op->overloads[i], page->torch) && is_asked_for(&op->overloads[i], overload))
      buffer_printf(&code, "%s%.*s", code.len > 0 ? "\n" : "", STR_ARG(op->overloads[i].schema));
  }
  if (code.len > 0) {
    markup_block(&page->markup, "", buffer_str(&code));
  } else {
    markup_code(&page->markup, op->name);
    markup_text(&page->markup, " is not in torch %.*s.", STR_ARG(facts->torch));
  }
  buffer_done(&code);
}

/// Schemas that only other versions have.
static void write_other_schemas(Page *page, const TorchOperator *op, Str overload)
{
  bool is_first = true;
  for (uint32_t i = 0; i < op->overload_count; i++) {
    const TorchOverload *other = &op->overloads[i];
    if (torch_overload_is_in(other, page->torch) || !is_asked_for(other, overload))
      continue;
    if (is_first)
      markup_heading(&page->markup, "In other versions of torch");
    is_first = false;
    markup_item(&page->markup);
    markup_text(&page->markup, "%.*s", STR_ARG(operator_torch_list(page->db, other->torch_versions, page->arena)));
    markup_column(&page->markup, ": ");
    markup_code(&page->markup, other->schema);
  }
}

// --- Support ---

static void write_support(Page *page, const OperatorFacts *facts)
{
  markup_heading(&page->markup, "Converted to ONNX");
  for (size_t i = facts->version_count; i-- > 0;) {
    const OperatorVersion *version = &facts->versions[i];
    markup_item(&page->markup);
    markup_text(&page->markup, "torch %.*s", STR_ARG(version->torch));
    for (int e = 0; e < EXPORTER_COUNT; e++) {
      const ExporterFacts *exporter = &version->exporters[e];
      markup_column(&page->markup, e == 0 ? ": " : "; ");
      markup_text(&page->markup, "%s %.*s%.*s", exporter_title((Exporter)e),
                  STR_ARG(operator_support_words(exporter, (Exporter)e, page->arena)),
                  STR_ARG(operator_blocked_words(exporter, page->arena)));
    }
  }
}

/// What a pass does to it under conditions; what it always does is the verdict.
static void write_pass(Page *page, const OperatorFacts *facts)
{
  const PassNote *pass = facts->version ? facts->version->pass : NULL;
  if (!pass || facts->verdict == VERDICT_REMOVED)
    return;
  markup_paragraph(&page->markup);
  markup_text(&page->markup, "Before the TorchScript exporter looks for a symbolic function: ");
  markup_prose(&page->markup, pass->reason);
  markup_text(&page->markup, " (%s).", operator_pass_condition(pass->condition));
}

Str describe_path(const Page *page, Str uri)
{
  Str path = uri_to_path(uri, page->arena);
  if (path.len == 0)
    return uri;
  bool is_below = page->folder.len > 0 && str_starts_with(path, page->folder) && path.len > page->folder.len &&
                  path.data[page->folder.len] == '/';
  return is_below ? str_slice(path, page->folder.len + 1, path.len) : path;
}

static bool write_definition(const WorkspaceOperator *op, void *context)
{
  Page *page = context;
  if (!str_equal(op->defined.name, page->defined))
    return op->defined.name.len <= page->defined.len;
  markup_item(&page->markup);
  markup_code(&page->markup,
              arena_printf(page->arena, "%.*s:%u", STR_ARG(describe_path(page, op->uri)), op->place.line + 1));
  markup_column(&page->markup, ": ");
  markup_text(&page->markup, op->defined.is_kernel ? "implemented" : "defined");
  return true;
}

/// Where the workspace has it from.
static void write_definitions(Page *page, const OperatorFacts *facts)
{
  if (workspace_count_definitions(facts->target.workspace, facts->name) == 0)
    return;
  markup_heading(&page->markup, "Defined in this workspace");
  page->defined = facts->name;
  workspace_each_operator(facts->target.workspace, facts->name, write_definition, page);
}

static void write_registrations(Page *page, const OperatorFacts *facts)
{
  if (facts->registration_count > 0)
    markup_heading(&page->markup, "Registered in this workspace");
  for (size_t i = 0; i < facts->registration_count; i++) {
    const WorkspaceSymbolic *symbolic = facts->registrations[i];
    Str path = describe_path(page, symbolic->uri);
    markup_item(&page->markup);
    markup_code(&page->markup, arena_printf(page->arena, "%.*s:%u", STR_ARG(path), symbolic->registration.line + 1));
    markup_column(&page->markup, ": ");
    markup_text(&page->markup, "%.*s", STR_ARG(opset_set_phrase(symbolic->opsets, page->arena)));
  }
  if (facts->shadowing == 0 || facts->target.exporter != EXPORTER_TORCHSCRIPT)
    return;
  markup_paragraph(&page->markup);
  markup_prose(&page->markup, operator_shadowing_words(facts, page->arena));
}

OperatorTarget page_target(const Page *page)
{
  return (OperatorTarget){
    .db = page->db,
    .torch = page->torch,
    .exporter = page->exporter,
    .opset = (int)page->opset,
    .workspace = page->workspace,
  };
}

void describe_torch_summary(Markup *markup, const TorchOperator *op, Arena *arena)
{
  if (!op || op->summary.len == 0)
    return;
  markup_paragraph(markup);
  markup_code(markup, op->python_name);
  markup_text(markup, ": %.*s ", STR_ARG(op->summary));
  if (!str_starts_with(op->python_name, STR("torch.")))
    return;  // What only syntax has, such as `x[a:b]`, has no page.
  markup_page(
      markup, "Documentation",
      arena_printf(arena, "https://docs.pytorch.org/docs/stable/generated/%.*s.html", STR_ARG(op->python_name)));
}

/// The same of the exporter that is not asked about.
static OperatorFacts facts_of_other(Page *page, const OperatorFacts *facts)
{
  OperatorTarget target = page_target(page);
  target.exporter = target.exporter == EXPORTER_DYNAMO ? EXPORTER_TORCHSCRIPT : EXPORTER_DYNAMO;
  return operator_facts(&target, facts->name, false, page->arena);
}

/// If nobody named an exporter, that of a call without `dynamo`, and then what the other one does.
static void write_verdict(Page *page, const OperatorFacts *facts)
{
  Str verdict = operator_verdict_words(facts, page->arena);
  if (verdict.len == 0)
    return;
  markup_paragraph(&page->markup);
  markup_prose(&page->markup, verdict);
  if (!page->exporter_is_default || facts->target.exporter != EXPORTER_DYNAMO)
    return;
  OperatorFacts other = facts_of_other(page, facts);
  markup_paragraph(&page->markup);
  markup_text(&page->markup, "With dynamo=False, the default before torch 2.9: ");
  markup_prose(&page->markup, operator_verdict_words(&other, page->arena));
}

/// Those of the exporter that is asked about first, then those of the other one.
static void write_conditions(Page *page, const OperatorFacts *facts, Str overload)
{
  OperatorFacts own = *facts;
  own.overload = overload;
  operator_conditions_write(&page->markup, &own, CONDITIONS_SHOWN, page->arena);
  OperatorFacts other = facts_of_other(page, facts);
  other.overload = overload;
  operator_conditions_write(&page->markup, &other, CONDITIONS_SHOWN, page->arena);
}

void describe_torch_operator(Page *page, const OperatorFacts *facts, Str overload)
{
  if (facts->torch_operator)
    write_schemas(page, facts, overload);
  else
    markup_code(&page->markup, facts->name);
  Str words = describe_prim(facts->name);
  if (words.len > 0) {
    markup_paragraph(&page->markup);
    markup_prose(&page->markup, words);
  }
  describe_torch_summary(&page->markup, facts->torch_operator, page->arena);
  write_verdict(page, facts);
  write_pass(page, facts);
  operator_ways_write(&page->markup, facts, NULL, page->arena);
  write_conditions(page, facts, overload);
  write_support(page, facts);
  write_definitions(page, facts);
  write_registrations(page, facts);
  if (facts->torch_operator)
    write_other_schemas(page, facts->torch_operator, overload);
}

bool describe_is_of_kind(Str name)
{
  return describe_prim(name).len > 0;
}

// --- Arguments ---

static void append_argument(Buffer *code, const TorchArgument *argument)
{
  buffer_printf(code, "%.*s %.*s", STR_ARG(argument->type), STR_ARG(argument->name));
  if (argument->has_default)
    buffer_printf(code, "=%.*s", STR_ARG(argument->default_text));
}

static const TorchArgument *find_argument(const TorchOverload *overload, Str name)
{
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    if (str_equal(overload->arguments[i].name, name))
      return &overload->arguments[i];
  }
  return NULL;
}

bool describe_torch_argument(Page *page, const TorchOperator *op, Str name)
{
  bool found = false;
  for (uint32_t i = 0; i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    const TorchArgument *argument = find_argument(overload, name);
    if (!argument)
      continue;
    if (!found) {
      markup_text(&page->markup, "An argument of ");
      markup_code(&page->markup, op->name);
      markup_heading(&page->markup, "By overload and version of torch");
    }
    found = true;
    Buffer code = { 0 };
    append_argument(&code, argument);
    markup_item(&page->markup);
    markup_code(&page->markup, buffer_str(&code));
    buffer_done(&code);
    markup_column(&page->markup, ", ");
    markup_text(&page->markup, "%.*s", STR_ARG(overload->overload.len > 0 ? overload->overload : STR("default")));
    markup_column(&page->markup, ", ");
    markup_text(&page->markup, "torch %.*s",
                STR_ARG(operator_torch_list(page->db, overload->torch_versions, page->arena)));
  }
  return found;
}
