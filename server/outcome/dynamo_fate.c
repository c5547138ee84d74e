#include "outcome/dynamo_fate.h"

#include "outcome/outcome.h"

/// Where a function is found or not.
typedef struct Registry {
  const DynamoQuestion *question;
  int opset;
  Arena *arena;
} Registry;

static void split_overload(Str full, Str *ret_name, Str *ret_overload)
{
  size_t colons = str_find(full, STR("::"), 0);
  size_t dot = colons == STR_NOT_FOUND ? STR_NOT_FOUND : str_find_char(full, '.', colons);
  *ret_name = str_slice(full, 0, dot);
  *ret_overload = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(full, dot + 1, full.len);
}

static bool has_function(const Registry *registry, const DynamoFacts *facts, bool is_complex)
{
  int since = is_complex ? facts->complex_since : facts->since;
  return since > 0 && since <= registry->opset;
}

static DynamoFacts facts_of(const Registry *registry, Str name, Str overload)
{
  const DynamoQuestion *question = registry->question;
  return symbolics_dynamo_facts(question->db, question->torch, question->onnxscript, name, overload, registry->arena);
}

// --- Parts ---

/// The first part without a function; the empty one if each of them has one.
static Str missing_part(const Registry *registry, const DynamoParts *parts, bool *ret_is_complex, Str *ret_onnxscript)
{
  for (uint32_t i = 0; i < parts->part_count; i++) {
    Str part = parts->parts[i], name, overload;
    bool is_complex = part.data[part.len - 1] == '*';
    split_overload(str_slice(part, 0, part.len - is_complex), &name, &overload);
    DynamoFacts facts = facts_of(registry, name, overload);
    if (has_function(registry, &facts, is_complex))
      continue;
    *ret_is_complex = is_complex;
    *ret_onnxscript = facts.onnxscript;
    return str_slice(part, 0, part.len - is_complex);
  }
  return (Str){ 0 };
}

static Truth applies(const Registry *registry, const DynamoParts *parts, bool is_complex)
{
  if (parts->is_complex != is_complex)
    return TRUTH_NO;
  if (parts->condition.count == 0)
    return TRUTH_YES;
  NodeView *view = registry->question->view;
  return view ? outcome_condition_holds(&parts->condition, view) : TRUTH_UNKNOWN;
}

/// Which ways of taking it apart are possible decides; the first one that is certain ends the list.
static void judge_parts(const Registry *registry, const DynamoFacts *facts, bool is_complex, DynamoFate *fate)
{
  uint32_t fine = 0, refused = 0;
  for (uint32_t i = 0; i < facts->part_count; i++) {
    const DynamoParts *parts = &facts->parts[i];
    Truth truth = applies(registry, parts, is_complex);
    fate->by_arguments |= truth == TRUTH_UNKNOWN;
    if (truth == TRUTH_NO)
      continue;
    bool part_is_complex = false;
    Str onnxscript = { 0 };
    Str missing = missing_part(registry, parts, &part_is_complex, &onnxscript);
    bool tells_more = missing.len == 0 && refused == 0 && parts->part_count > fate->part_count;
    if ((missing.len > 0 && refused == 0) || fine + refused == 0 || tells_more) {
      fate->part = missing;
      fate->is_complex = part_is_complex;
      fate->onnxscript = onnxscript;
      fate->parts = parts->parts;
      fate->part_count = parts->part_count;
    }
    fine += missing.len == 0;
    refused += missing.len > 0;
    if (truth == TRUTH_YES && parts->condition.count > 0)
      break;
  }
  fate->verdict = fine + refused == 0 ? DYNAMO_NOT_KNOWN
                  : refused == 0      ? DYNAMO_DECOMPOSED
                  : fine == 0         ? DYNAMO_REFUSED
                                      : DYNAMO_DEPENDS;
}

// --- One overload ---

static Str full_name(Str name, Str overload, Arena *arena)
{
  bool is_default = overload.len == 0 || str_equal(overload, STR("default"));
  const Str words[] = { name, STR("."), overload };
  return is_default ? name : arena_join(arena, words, COUNT(words));
}

static DynamoFate judge(const Registry *registry, Str name, Str overload, bool is_complex)
{
  DynamoFacts facts = facts_of(registry, name, overload);
  DynamoFate fate = { .verdict = DYNAMO_NOT_KNOWN, .since = facts.since };
  if (!facts.is_known)
    return fate;
  if (has_function(registry, &facts, is_complex)) {
    fate.verdict = DYNAMO_TRANSLATED;
    return fate;
  }
  judge_parts(registry, &facts, is_complex, &fate);
  // What has a function of either kind stays whole.
  if (fate.verdict != DYNAMO_NOT_KNOWN || (facts.is_decomposed && !has_function(registry, &facts, !is_complex)))
    return fate;
  fate.verdict = DYNAMO_REFUSED;
  fate.part = full_name(name, overload, registry->arena);
  fate.onnxscript = facts.onnxscript;
  fate.is_complex = is_complex;
  return fate;
}

/// torch.export makes what works in place functional before anything is looked up.
static DynamoFate judge_functional(const Registry *registry, Str name, Str overload, bool is_complex)
{
  DynamoFate fate = judge(registry, name, overload, is_complex);
  bool is_in_place = name.len > 1 && name.data[name.len - 1] == '_' && name.data[name.len - 2] != '_';
  if (!is_in_place || fate.verdict == DYNAMO_TRANSLATED || fate.parts)
    return fate;
  return judge(registry, str_slice(name, 0, name.len - 1), overload, is_complex);
}

static bool is_refusal(DynamoVerdict verdict)
{
  return verdict == DYNAMO_REFUSED || verdict == DYNAMO_DEPENDS;
}

DynamoFate dynamo_fate(const DynamoQuestion *question, Arena *arena)
{
  OpsetRange range = { 0 };
  symbolics_opset_range(question->db, question->torch, EXPORTER_DYNAMO, &range);
  int opset = question->opset > 0 ? question->opset : range.standard;
  // A model below the lowest opset is made at that one and converted; above the highest one functions are the newest.
  Registry registry = { question, opset < range.min ? range.min : opset > range.max ? range.max : opset, arena };
  DynamoFate fate = judge_functional(&registry, question->name, question->overload, question->is_complex == TRUTH_YES);
  if (question->is_complex != TRUTH_UNKNOWN || !is_refusal(fate.verdict))
    return fate;
  DynamoFate other = judge_functional(&registry, question->name, question->overload, true);
  return other.verdict == DYNAMO_TRANSLATED || other.verdict == DYNAMO_DECOMPOSED ? other : fate;
}

Str dynamo_overload_words(Str name, Arena *arena)
{
  Str base, overload;
  split_overload(name, &base, &overload);
  size_t colons = str_find(base, STR("::"), 0);
  if (colons == STR_NOT_FOUND)
    return name;
  if (overload.len == 0)
    overload = STR("default");
  // Higher-order operators and those of Python have no overloads.
  bool has_overloads = !str_starts_with(base, STR("higher_order::")) && !str_starts_with(base, STR("_operator::"));
  const Str words[] = { str_slice(base, 0, colons), STR("."), str_slice(base, colons + 2, base.len), STR("."),
                        overload };
  return arena_join(arena, words, has_overloads ? 5 : 3);
}
