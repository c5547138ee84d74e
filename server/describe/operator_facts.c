#include "describe/operator_facts.h"

#include "core/workspace_operators.h"

bool operator_is_onnx_name(const SymbolicsDb *db, Str name, bool is_printable, Str *ret_domain, Str *ret_name)
{
  size_t colons = str_find(name, STR("::"), 0);
  *ret_domain = str_slice(name, 0, colons == STR_NOT_FOUND ? 0 : colons);
  *ret_name = colons == STR_NOT_FOUND ? name : str_slice(name, colons + 2, name.len);
  if (colons == STR_NOT_FOUND)
    return is_printable && name.len > 0;
  if (str_equal(*ret_domain, STR("onnx")))
    *ret_domain = (Str){ 0 };
  return ret_domain->len == 0 || symbolics_onnx_has_domain(db, *ret_domain);
}

// --- Torch versions ---

/// Of better verdicts the lower ones.
static int rank_of(DynamoVerdict verdict)
{
  static const int ranks[] = {
    [DYNAMO_TRANSLATED] = 0, [DYNAMO_DECOMPOSED] = 1, [DYNAMO_DEPENDS] = 2, [DYNAMO_NOT_KNOWN] = 3, [DYNAMO_REFUSED] = 4
  };
  return ranks[verdict];
}

/// A name without an overload stands for all of them but those that write into an argument.
static DynamoFate best_fate(const SymbolicsDb *db, uint32_t torch, Str name, int opset, Arena *arena)
{
  DynamoQuestion question = { .db = db, .torch = torch, .opset = opset, .name = name };
  const TorchOperator *op = symbolics_torch_operator(db, name);
  DynamoFate best = dynamo_fate(&question, arena);
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    question.overload = overload->overload;
    if (!(overload->torch_versions >> torch & 1) || str_ends_with(overload->overload, STR("out")))
      continue;
    DynamoFate fate = dynamo_fate(&question, arena);
    if (rank_of(fate.verdict) < rank_of(best.verdict) || best.parts == NULL)
      best = fate;
  }
  return best;
}

static ExporterFacts exporter_facts(const SymbolicsDb *db, uint32_t torch, Exporter exporter, Str kind, Arena *arena)
{
  ExporterFacts facts = { 0 };
  facts.exists = symbolics_opset_range(db, torch, exporter, &facts.range);
  // Where an operator is taken apart below the first opset of its function, only the lowest opset shows both.
  SupportAnswer lowest = symbolics_support(db, torch, exporter, kind, facts.range.min);
  facts.is_known = facts.exists && lowest.status != SUPPORT_NO_FACTS;
  if (!facts.is_known)
    return facts;
  SupportMarks marks = symbolics_support_marks(db, torch, exporter, kind);
  facts.converted = marks.supported;
  facts.blocked = marks.blocked;
  facts.registered = marks.registered;
  facts.is_taken_apart = lowest.status == SUPPORT_DECOMPOSED;
  if (facts.is_taken_apart)
    facts.fate = best_fate(db, torch, kind, facts.range.min, arena);
  return facts;
}

OpsetSet exporter_facts_opsets(const ExporterFacts *facts)
{
  return exporter_facts_has_parts(facts) ? opset_set_range(facts->range.min, facts->range.max) : facts->converted;
}

static void add_versions(OperatorFacts *facts, Str kind, Arena *arena)
{
  const SymbolicsDb *db = facts->target.db;
  const Str *names;
  size_t count = symbolics_torch_versions(db, &names);
  OperatorVersion *versions = ARENA_ARRAY(arena, OperatorVersion, count);
  for (uint32_t torch = 0; torch < count; torch++) {
    versions[torch] = (OperatorVersion){ .torch = names[torch], .pass = symbolics_pass(db, torch, kind) };
    for (int exporter = 0; exporter < EXPORTER_COUNT; exporter++)
      versions[torch].exporters[exporter] = exporter_facts(db, torch, (Exporter)exporter, kind, arena);
  }
  facts->versions = versions;
  facts->version_count = count;
  facts->version = facts->target.torch < count ? &versions[facts->target.torch] : NULL;
  facts->torch = facts->version ? facts->version->torch : (Str){ 0 };
}

// --- The workspace ---

typedef struct Registrations {
  const WorkspaceSymbolic **items;  ///< NULL while they are counted.
  size_t count;
  OpsetSet opsets;
} Registrations;

static bool visit_registration(const WorkspaceSymbolic *symbolic, void *context)
{
  Registrations *found = context;
  if (symbolic->is_builtin)
    return true;
  if (found->items)
    found->items[found->count] = symbolic;
  found->count++;
  found->opsets |= symbolic->opsets;
  return true;
}

static void add_registrations(OperatorFacts *facts, Str kind, Arena *arena)
{
  Registrations found = { 0 };
  workspace_each_symbolic(facts->target.workspace, kind, visit_registration, &found);
  if (found.count == 0)
    return;
  found.items = ARENA_ARRAY(arena, const WorkspaceSymbolic *, found.count);
  found.count = 0;
  workspace_each_symbolic(facts->target.workspace, kind, visit_registration, &found);
  facts->registrations = found.items;
  facts->registration_count = found.count;
  facts->registered = found.opsets;
  if (!facts->version)
    return;
  const ExporterFacts *exporter = &facts->version->exporters[EXPORTER_TORCHSCRIPT];
  int chosen = opset_set_dispatch(found.opsets | exporter->registered, facts->target.opset);
  if (exporter->exists)
    facts->served = opset_set_served(found.opsets, exporter->registered, exporter->range.min, exporter->range.max);
  facts->shadowing = opset_set_has(found.opsets, chosen) ? 0 : chosen;
}

// --- The answer ---

static Verdict verdict_of(SupportAnswer answer, int opset)
{
  if (answer.pass && answer.pass->condition == PASS_ALWAYS)
    return VERDICT_REMOVED;
  switch (answer.status) {
  case SUPPORT_YES:
    return VERDICT_CONVERTED;
  case SUPPORT_NEWER:
    return answer.since > opset ? VERDICT_NOT_YET : VERDICT_NEVER;
  case SUPPORT_BLOCKED:
    return VERDICT_BLOCKED;
  case SUPPORT_NEVER:
    return VERDICT_NEVER;
  case SUPPORT_UNKNOWN_NAMESPACE:
    return VERDICT_CUSTOM;
  case SUPPORT_DECOMPOSED:
    return VERDICT_TAKEN_APART;
  case SUPPORT_ONNX:
    return VERDICT_ONNX;
  case SUPPORT_NO_FACTS:
    break;
  }
  return VERDICT_UNKNOWN;
}

static void add_verdict(OperatorFacts *facts, Str kind)
{
  const OperatorTarget *target = &facts->target;
  SupportAnswer own = symbolics_support(target->db, target->torch, target->exporter, kind, target->opset);
  SupportAnswer answer = target->exporter == EXPORTER_TORCHSCRIPT
                             ? workspace_support(target->workspace, target->db, target->torch, kind, target->opset)
                             : own;
  facts->verdict = facts->version ? verdict_of(answer, target->opset) : VERDICT_UNKNOWN;
  facts->since = answer.since;
  facts->since_workspace = answer.since != 0 && answer.since != own.since;
}

static void add_onnx(OperatorFacts *facts, Str domain, Str name)
{
  facts->kind = OPERATOR_ONNX;
  facts->verdict = VERDICT_ONNX;
  facts->onnx = symbolics_onnx_operator(facts->target.db, domain, name);
  facts->schema = facts->onnx ? onnx_operator_in_graph(facts->onnx, facts->target.opset) : NULL;
}

static OperatorKind kind_of(Str name)
{
  if (name.len > 0 && name.data[0] == '^')
    return OPERATOR_PYTHON;
  if (str_starts_with(name, STR("aten::")))
    return OPERATOR_ATEN;
  return str_starts_with(name, STR("prim::")) ? OPERATOR_PRIM : OPERATOR_CUSTOM;
}

static int default_opset(const OperatorTarget *target)
{
  OpsetRange range = { 0 };
  symbolics_opset_range(target->db, target->torch, target->exporter, &range);
  return range.standard;
}

OperatorFacts operator_facts(const OperatorTarget *target, Str name, bool is_printable, Arena *arena)
{
  OperatorFacts facts = { .name = name, .target = *target, .kind = kind_of(name) };
  if (target->opset <= 0)
    facts.target.opset = default_opset(target);
  // Functions for all Python functions are looked up under one name.
  Str kind = facts.kind == OPERATOR_PYTHON ? STR("prim::PythonOp") : name;
  facts.torch_operator = workspace_torch_operator(target->workspace, target->db, name);
  add_versions(&facts, kind, arena);
  Str domain, short_name;
  if (operator_is_onnx_name(target->db, name, is_printable, &domain, &short_name)) {
    add_onnx(&facts, domain, short_name);
    return facts;
  }
  add_registrations(&facts, kind, arena);
  add_verdict(&facts, kind);
  return facts;
}
