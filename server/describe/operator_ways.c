#include "describe/operator_ways.h"

#include "describe/dynamo_words.h"
#include "facts/messages.h"

static const char ask_torch[] = "https://github.com/pytorch/pytorch/issues";
static const char ask_onnx[] = "https://github.com/onnx/onnx/blob/main/docs/AddNewOp.md";

typedef struct WayList {
  const OperatorFacts *facts;
  const TorchOutcome *refused;  ///< NULL if no exporter's function is asked at all.
  Arena *arena;
  OperatorWay *items;  ///< Room for one of each kind.
  uint32_t count;
} WayList;

const char *operator_way_name(OperatorWayKind kind)
{
  static const char *const names[WAY_COUNT] = {
    [WAY_OPSET] = "opset",     [WAY_EXPORTER] = "exporter", [WAY_VERSIONS] = "versions",
    [WAY_REWRITE] = "rewrite", [WAY_FUNCTION] = "function", [WAY_UPSTREAM] = "upstream",
  };
  return names[kind];
}

static OperatorWay *add_way(WayList *list, OperatorWayKind kind, Exporter exporter)
{
  OperatorWay *way = &list->items[list->count++];
  *way = (OperatorWay){ .kind = kind, .exporter = exporter };
  return way;
}

static const ExporterFacts *exporter_of(const OperatorFacts *facts, Exporter exporter)
{
  return &facts->version->exporters[exporter];
}

static const OperatorVersion *newest_version(const OperatorFacts *facts)
{
  return &facts->versions[facts->version_count - 1];
}

static Exporter other_exporter(Exporter exporter)
{
  return exporter == EXPORTER_DYNAMO ? EXPORTER_TORCHSCRIPT : EXPORTER_DYNAMO;
}

// --- Opsets ---

/// Opsets at which the target's exporter converts it. A call that is refused at one may be refused at all of them.
static OpsetSet good_opsets(const WayList *list)
{
  const OperatorFacts *facts = list->facts;
  OpsetSet served = facts->target.exporter == EXPORTER_TORCHSCRIPT ? facts->served : 0;
  return list->refused ? 0 : exporter_of(facts, facts->target.exporter)->converted | served;
}

static void add_opset(WayList *list)
{
  OpsetSet good = good_opsets(list);
  int own = list->facts->target.opset, next = 0, last = 0;
  for (int opset = 0; opset <= OPSET_LIMIT; opset++) {
    if (!opset_set_has(good, opset) || opset == own)
      continue;
    last = opset < own ? opset : last;
    next = opset > own && next == 0 ? opset : next;
  }
  if (next == 0 && last == 0)
    return;
  OperatorWay *way = add_way(list, WAY_OPSET, list->facts->target.exporter);
  way->opset = next > 0 ? next : last;
  way->text = arena_printf(list->arena, "Export with `opset_version=%d`%s.", way->opset, next > 0 ? " or higher" : "");
}

// --- The other exporter ---

Str operator_exporter_words(Exporter exporter, OpsetSet opsets, int lowest, Arena *arena)
{
  if (opsets == 0)
    return (Str){ 0 };
  if (exporter == EXPORTER_TORCHSCRIPT)
    return arena_printf(arena, "The TorchScript exporter (dynamo=False) can convert it at %.*s.",
                        STR_ARG(opset_set_phrase(opsets, arena)));
  int first = opset_set_first(opsets);
  if (first <= lowest)
    return STR("The dynamo exporter (dynamo=True) can convert it.");
  return arena_printf(arena, "The dynamo exporter (dynamo=True) can convert it from opset %d on.", first);
}

/// True when the exporter refuses no call of the operator that the facts know of.
static bool takes_all_calls(const OperatorFacts *facts, Exporter exporter)
{
  uint32_t count;
  const TorchOutcome *outcomes = exporter == EXPORTER_DYNAMO
                                     ? symbolics_dynamo_outcomes(facts->target.db, facts->name, &count)
                                     : symbolics_outcomes(facts->target.db, facts->target.torch, facts->name, &count);
  for (uint32_t i = 0; i < count; i++) {
    if (outcomes[i].kind == OUTCOME_REFUSED)
      return false;
  }
  return true;
}

static void add_exporter(WayList *list)
{
  Exporter other = other_exporter(list->facts->target.exporter);
  const ExporterFacts *facts = exporter_of(list->facts, other);
  OpsetSet opsets = exporter_facts_opsets(facts);
  if (!facts->exists || opsets == 0 || (list->refused && !takes_all_calls(list->facts, other)))
    return;
  OperatorWay *way = add_way(list, WAY_EXPORTER, other);
  way->opset = opset_set_has(opsets, list->facts->target.opset) ? 0 : opset_set_first(opsets);
  way->text = operator_exporter_words(other, opsets, facts->range.min, list->arena);
}

// --- Versions ---

/// The first onnxscript with a function for any overload; empty if all that go with the exporter have one.
static Str onnxscript_since(const WayList *list)
{
  return symbolics_torchlib_since(list->facts->target.db, list->facts->name);
}

static void write_versions_way(WayList *list, const OperatorVersion *version, Exporter exporter)
{
  OpsetSet opsets = exporter_facts_opsets(&version->exporters[exporter]);
  OperatorWay *way = add_way(list, WAY_VERSIONS, exporter);
  way->torch = version->torch;
  way->opset = opset_set_has(opsets, list->facts->target.opset) ? 0 : opset_set_first(opsets);
  way->onnxscript = exporter == EXPORTER_DYNAMO ? onnxscript_since(list) : (Str){ 0 };
  Str with = way->onnxscript.len == 0
                 ? (Str){ 0 }
                 : arena_printf(list->arena, " with onnxscript %.*s or newer", STR_ARG(way->onnxscript));
  Str at = way->opset == 0 ? (Str){ 0 } : arena_printf(list->arena, " from opset %d on", way->opset);
  way->text = arena_printf(list->arena, "Upgrade to torch %.*s%.*s, whose %s exporter can convert it%.*s.",
                           STR_ARG(version->torch), STR_ARG(with), exporter_title(exporter), STR_ARG(at));
}

/// Whether the version is an answer where the target's own has none: not if that only needs another opset, too.
static bool is_better(const OperatorFacts *facts, OpsetSet opsets)
{
  OpsetSet own = exporter_facts_opsets(exporter_of(facts, facts->target.exporter));
  return opset_set_has(opsets, facts->target.opset) || (own == 0 && opsets != 0);
}

/// The first newer torch whose exporter of either kind takes it, the same kind first.
static void add_versions(WayList *list)
{
  const OperatorFacts *facts = list->facts;
  const Exporter exporters[] = { facts->target.exporter, other_exporter(facts->target.exporter) };
  for (size_t i = facts->target.torch + 1; i < facts->version_count; i++) {
    for (size_t e = 0; e < COUNT(exporters); e++) {
      if (!is_better(facts, exporter_facts_opsets(&facts->versions[i].exporters[exporters[e]])))
        continue;
      write_versions_way(list, &facts->versions[i], exporters[e]);
      return;
    }
  }
}

// --- Rewriting ---

/// Whether the TorchScript exporter of the target converts every part. Parts of complex values have no type there.
static bool converts_parts(const OperatorFacts *facts, const DynamoFate *fate)
{
  const OperatorTarget *target = &facts->target;
  for (uint32_t i = 0; i < fate->part_count; i++) {
    Str part = fate->parts[i];
    Str name = str_slice(part, 0, str_find_char(part, '.', str_find(part, STR("::"), 0)));
    bool is_complex = part.data[part.len - 1] == '*';
    if (is_complex ||
        symbolics_support(target->db, target->torch, target->exporter, name, target->opset).status != SUPPORT_YES)
      return false;
  }
  return fate->part_count > 0;
}

/// What torch.export makes of it can be written in the model, too. Where that depends on arguments it is left out.
static const DynamoFate *fate_to_copy(const OperatorFacts *facts)
{
  const ExporterFacts *dynamo = &newest_version(facts)->exporters[EXPORTER_DYNAMO];
  bool is_sure = exporter_facts_has_parts(dynamo) && !dynamo->fate.by_arguments;
  return is_sure && facts->target.exporter == EXPORTER_TORCHSCRIPT && converts_parts(facts, &dynamo->fate)
             ? &dynamo->fate
             : NULL;
}

/// What somebody wrote down about the operator, or about the part that is refused.
static Str way_of_facts(const OperatorFacts *facts)
{
  const SymbolicsDb *db = facts->target.db;
  Str way = symbolics_operator_way(db, facts->name);
  if (way.len == 0 && str_ends_with(facts->name, STR("_")))
    way = symbolics_operator_way(db, str_slice(facts->name, 0, facts->name.len - 1));
  if (way.len > 0 || facts->verdict != VERDICT_TAKEN_APART)
    return way;
  return symbolics_operator_way(db, exporter_of(facts, EXPORTER_DYNAMO)->fate.part);
}

/// "nn.Fold; a convolution gives the same": what it comes from, and what to write instead.
static Str words_of_way(Str known, Arena *arena)
{
  size_t end = str_find(known, STR("; "), 0);
  if (end == STR_NOT_FOUND)
    return arena_printf(arena, "In the model: %.*s.", STR_ARG(known));
  Str origin = str_slice(known, 0, end);
  Str way = str_slice(known, end + 2, known.len);
  return arena_printf(arena, "In the model (%.*s): %.*s.", STR_ARG(origin), STR_ARG(way));
}

static void add_rewrite(WayList *list)
{
  Str known = list->refused ? list->refused->way_out : way_of_facts(list->facts);
  const DynamoFate *fate = list->refused ? NULL : fate_to_copy(list->facts);
  if (known.len == 0 && !fate)
    return;
  OperatorWay *way = add_way(list, WAY_REWRITE, list->facts->target.exporter);
  if (fate) {
    way->operators = fate->parts;
    way->operator_count = fate->part_count;
  }
  if (list->refused)
    way->text = known;
  else if (known.len > 0)
    way->text = words_of_way(known, list->arena);
  else
    way->text = arena_printf(
        list->arena,
        "In the model: write it with others. Of calls that were tried, torch.export makes %.*s, all of which are converted.",
        STR_ARG(dynamo_part_list(fate, list->arena)));
}

// --- A function, and asking ---

static void add_function(WayList *list)
{
  const OperatorFacts *facts = list->facts;
  size_t colons = str_find(facts->name, STR("::"), 0);
  if (colons == STR_NOT_FOUND)
    return;
  OperatorWay *way = add_way(list, WAY_FUNCTION, facts->target.exporter);
  bool is_any = facts->overload.len == 0;
  Str space = str_slice(facts->name, 0, colons), name = str_slice(facts->name, colons + 2, facts->name.len);
  if (facts->target.exporter == EXPORTER_DYNAMO)
    way->text = arena_printf(list->arena,
                             "Give `torch.onnx.export` a function of your own: "
                             "`custom_translation_table={torch.ops.%.*s.%.*s.%.*s: my_function}`%s.",
                             STR_ARG(space), STR_ARG(name), STR_ARG(is_any ? STR("default") : facts->overload),
                             is_any ? ", with the overload that the graph calls" : "");
  else
    way->text = arena_printf(list->arena,
                             "Register a symbolic function of your own: `torch.onnx.register_custom_op_symbolic("
                             "\"%.*s\", my_function, %d)`.",
                             STR_ARG(facts->name), facts->target.opset);
}

static bool is_of_torch(const OperatorFacts *facts)
{
  return facts->torch_operator != NULL || str_starts_with(facts->name, STR("prims::"));
}

/// New functions go to the dynamo exporter alone, so there is nothing to ask for where its newest has one. Of a custom
/// operator its author is the one to ask, of a refused call the message says whose limit it is.
static void add_upstream(WayList *list)
{
  const ExporterFacts *newest = &newest_version(list->facts)->exporters[EXPORTER_DYNAMO];
  if (list->refused || !is_of_torch(list->facts) || exporter_facts_opsets(newest) != 0)
    return;
  OperatorWay *way = add_way(list, WAY_UPSTREAM, EXPORTER_DYNAMO);
  way->url = str_from(ask_torch);
  way->text =
      arena_printf(list->arena,
                   "Ask PyTorch for a function of the dynamo exporter (%s). What operators of ONNX can't express "
                   "needs a proposal there (%s): a function made of others where that will do, else a "
                   "standard operator, and for one model alone a domain of its own.",
                   ask_torch, ask_onnx);
}

// --- All of them ---

static bool needs_ways(const OperatorFacts *facts)
{
  if (facts->kind == OPERATOR_ATEN && !facts->torch_operator && facts->registration_count == 0)
    return false;  // No torch has it: there is a mistake in the name.
  switch (facts->verdict) {
  case VERDICT_NOT_YET:
  case VERDICT_BLOCKED:
  case VERDICT_NEVER:
  case VERDICT_CUSTOM:
    return true;
  case VERDICT_TAKEN_APART: {
    DynamoVerdict verdict = exporter_of(facts, EXPORTER_DYNAMO)->fate.verdict;
    return verdict == DYNAMO_REFUSED || verdict == DYNAMO_DEPENDS;
  }
  default:
    return false;
  }
}

const OperatorWay *operator_ways(const OperatorFacts *facts, const TorchOutcome *refused, Arena *arena,
                                 uint32_t *ret_count)
{
  bool is_asked = facts->version && facts->kind != OPERATOR_PYTHON && facts->kind != OPERATOR_ONNX &&
                  (refused || needs_ways(facts));
  WayList list = { facts, refused, arena, ARENA_ARRAY(arena, OperatorWay, WAY_COUNT), 0 };
  if (is_asked) {
    add_opset(&list);
    add_exporter(&list);
    if (!refused)
      add_versions(&list);
    add_rewrite(&list);
    add_function(&list);
    add_upstream(&list);
  }
  *ret_count = list.count;
  return list.items;
}

void operator_ways_write(Markup *markup, const OperatorFacts *facts, const TorchOutcome *refused, Arena *arena)
{
  uint32_t count;
  const OperatorWay *ways = operator_ways(facts, refused, arena, &count);
  if (count > 0)
    markup_heading(markup, "Ways out, in the order to try them");
  for (uint32_t i = 0; i < count; i++) {
    markup_item(markup);
    markup_prose(markup, ways[i].text);
  }
}
