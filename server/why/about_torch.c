// What the facts know of a torch operator that an exporter refuses.

#include "base/buffer.h"
#include "describe/operator_facts.h"
#include "why/pick.h"

/// The opsets at which the TorchScript exporter of `torch` converts `name`.
static uint64_t torchscript_opsets(const Why *why, uint32_t torch, Str name)
{
  return symbolics_support_marks(why->db, torch, EXPORTER_TORCHSCRIPT, name).supported;
}

/// Whether some torch takes the operator away before it looks for a function.
static bool is_removed(const Why *why, Str name, Additions *to)
{
  const Str *versions = NULL;
  size_t count = symbolics_torch_versions(why->db, &versions);
  for (uint32_t i = 0; i < count; i++) {
    const PassNote *pass = symbolics_pass(why->db, i, name);
    if (!pass || pass->condition != PASS_ALWAYS)
      continue;
    buffer_printf(&to->cause, " torch %.*s (and newer) removes it before: %.*s.", STR_ARG(versions[i]),
                  STR_ARG(pass->reason));
    buffer_printf(&to->fix, " Upgrade to torch %.*s or newer.", STR_ARG(versions[i]));
    return true;
  }
  return false;
}

/// "torch 1.13 has no function for it at any opset; torch 2.6 (and newer) converts it from opset 13 on."
static void add_torchscript(const Why *why, Str name, Str opset, Additions *to)
{
  const Str *versions = NULL;
  size_t count = symbolics_torch_versions(why->db, &versions);
  uint32_t first = UINT32_MAX;
  for (uint32_t i = 0; i < count && first == UINT32_MAX; i++)
    first = torchscript_opsets(why, i, name) != 0 ? i : UINT32_MAX;
  if (first == UINT32_MAX && is_removed(why, name, to))
    return;
  if (first == UINT32_MAX) {
    buffer_printf(&to->cause, " No torch up to %.*s has a symbolic function for %.*s, at any opset.",
                  STR_ARG(versions[count - 1]), STR_ARG(name));
    return;
  }
  int since = opset_set_first(torchscript_opsets(why, first, name));
  uint64_t asked = 0;
  if (!str_to_uint(opset, OPSET_LIMIT, &asked))
    return;  // The message is about something else than the opset.
  bool is_reached = since <= (int)asked;
  if (first > 0)
    buffer_printf(&to->cause, " torch %.*s has no function for it at any opset;", STR_ARG(versions[first - 1]));
  buffer_printf(&to->cause, "%s torch %.*s%s converts it from opset %d on.", first > 0 ? "" : " The exporter of",
                STR_ARG(versions[first]), first + 1 < count ? " (and newer)" : "", since);
  if (first > 0)
    buffer_printf(&to->fix, " Upgrade to torch %.*s or newer%s", STR_ARG(versions[first]), is_reached ? "." : "");
  if (first == 0 && is_reached)
    buffer_printf(&to->fix, " Upgrade torch: %.*s and newer convert it at that opset.", STR_ARG(versions[0]));
  if (!is_reached)
    buffer_printf(&to->fix, "%s opset_version=%d or higher.", first > 0 ? " and export with" : " Export with", since);
}

static Str newest_torch(const Why *why)
{
  const Str *versions = NULL;
  size_t count = symbolics_torch_versions(why->db, &versions);
  return versions[count - 1];
}

static DynamoAnswer newest_dynamo(const Why *why, Str name, Str overload)
{
  const Str *versions = NULL;
  uint32_t newest = (uint32_t)symbolics_torch_versions(why->db, &versions) - 1;
  OpsetRange range = { 0 };
  if (!symbolics_opset_range(why->db, newest, EXPORTER_DYNAMO, &range))
    return (DynamoAnswer){ .status = SUPPORT_NO_FACTS };
  return symbolics_dynamo(why->db, newest, name, overload, range.max);
}

/// The best answer of any overload: a TorchScript graph does not say which one it calls.
static DynamoAnswer any_dynamo(const Why *why, Str name)
{
  const TorchOperator *op = symbolics_torch_operator(why->db, name);
  DynamoAnswer best = newest_dynamo(why, name, (Str){ 0 });
  for (uint32_t i = 0; op && i < op->overload_count && best.status != SUPPORT_YES; i++) {
    DynamoAnswer answer = newest_dynamo(why, name, op->overloads[i].overload);
    if (answer.status == SUPPORT_YES || (answer.status == SUPPORT_DECOMPOSED && best.status != SUPPORT_YES))
      best = answer;
  }
  return best;
}

static void add_way(const Why *why, Str name, Str overload, Additions *to)
{
  Str full = overload.len > 0 ? arena_printf(why->arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(overload)) : name;
  Str way = symbolics_operator_way(why->db, full);
  if (way.len == 0)
    way = symbolics_operator_way(why->db, name);
  if (way.len > 0)
    buffer_printf(&to->fix, " About %.*s: %.*s.", STR_ARG(name), STR_ARG(way));
}

/// Whether the exporter has functions for what torch.export makes of the operator.
static void add_parts(const Why *why, Str name, Additions *to)
{
  const Str *versions = NULL;
  OperatorTarget newest = { .db = why->db, .torch = (uint32_t)symbolics_torch_versions(why->db, &versions) - 1 };
  OperatorFacts facts = operator_facts(&newest, name, false, why->arena);
  DynamoVerdict verdict = facts.version ? facts.version->exporters[EXPORTER_DYNAMO].fate.verdict : DYNAMO_NOT_KNOWN;
  if (verdict == DYNAMO_DECOMPOSED || verdict == DYNAMO_TRANSLATED)
    buffer_append(&to->fix, STR(" The dynamo exporter (dynamo=True) takes it apart and exports its parts."));
  else if (verdict == DYNAMO_DEPENDS)
    buffer_append(&to->fix, STR(" The dynamo exporter (dynamo=True) takes it apart; with some arguments it exports all"
                                " of the parts."));
  else if (verdict == DYNAMO_REFUSED)
    buffer_printf(&to->cause, " The dynamo exporter of torch %.*s takes it apart and has no function for a part of it.",
                  STR_ARG(newest_torch(why)));
}

void why_about_torch_operator(const Why *why, Str operator_, Str opset, Additions *to)
{
  Str name, overload;
  if (!why_torch_name(operator_, why->arena, &name, &overload))
    return;
  const TorchOperator *op = symbolics_torch_operator(why->db, name);
  if (op) {
    add_torchscript(why, name, opset, to);
    DynamoAnswer dynamo = any_dynamo(why, name);
    if (dynamo.status == SUPPORT_YES && !dynamo.complex_only)
      buffer_append(&to->fix, STR(" The dynamo exporter (dynamo=True) translates it."));
    else if (dynamo.status == SUPPORT_DECOMPOSED)
      add_parts(why, name, to);
  }
  add_way(why, name, overload, to);
}

static bool is_torch_namespace(Str name)
{
  static const Str spaces[] = { STR_INIT("aten::"),      STR_INIT("prim::"),        STR_INIT("prims::"),
                                STR_INIT("quantized::"), STR_INIT("torchvision::"), STR_INIT("quantized_decomposed::"),
                                STR_INIT("_operator::"), STR_INIT("math::") };
  for (size_t i = 0; i < COUNT(spaces); i++) {
    if (str_starts_with(name, spaces[i]))
      return true;
  }
  return false;
}

static void add_dynamo(const Why *why, Str name, Str overload, Additions *to)
{
  bool is_default = overload.len == 0 || str_equal(overload, STR("default"));
  Str full = is_default ? name : arena_printf(why->arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(overload));
  Str since = symbolics_torchlib_since(why->db, full);
  DynamoAnswer answer = newest_dynamo(why, name, overload);
  if (since.len > 0) {
    buffer_printf(&to->cause, " onnxscript's torchlib has a function for %.*s only since %.*s.", STR_ARG(full),
                  STR_ARG(since));
    buffer_printf(&to->fix, " Upgrade onnxscript to %.*s or newer.", STR_ARG(since));
  } else if (answer.status == SUPPORT_YES && !answer.complex_only) {
    buffer_printf(&to->cause, " The exporter of torch %.*s with the onnxscript of its time translates it.",
                  STR_ARG(newest_torch(why)));
  } else if (answer.status == SUPPORT_NEVER || answer.status == SUPPORT_UNKNOWN_NAMESPACE) {
    buffer_printf(&to->cause, " Neither torch %.*s nor the onnxscript of its time has a function for %.*s.",
                  STR_ARG(newest_torch(why)), STR_ARG(full));
  }
  if (!is_torch_namespace(name))
    buffer_printf(&to->fix,
                  " %.*s is a custom operator: only a function of your own in custom_translation_table translates it"
                  " (register_custom_op_symbolic and symbolic() are not asked by the dynamo exporter).",
                  STR_ARG(name));
}

void why_about_dynamo_operator(const Why *why, Str operator_, Additions *to)
{
  Str name, overload;
  if (!why_torch_name(operator_, why->arena, &name, &overload))
    return;
  add_dynamo(why, name, overload, to);
  const Str *versions = NULL;
  uint32_t newest = (uint32_t)symbolics_torch_versions(why->db, &versions) - 1;
  uint64_t opsets = torchscript_opsets(why, newest, name);
  if (opsets != 0)
    buffer_printf(&to->fix, " The TorchScript exporter (dynamo=False) converts %.*s from opset %d on.", STR_ARG(name),
                  opset_set_first(opsets));
  add_way(why, name, overload, to);
}
