// What is known of an operator, and that hovers, pages, JSON and diagnostics say the same of it.

#include "cli/explain_private.h"
#include "feature_text.h"
#include "rpc/value.h"

enum { FIRST_OPSET = 9, LAST_OPSET = 20 };

/// Sanitizers make it five times slower: there each operator is looked at for a few opsets, everywhere else for all.
#ifdef __SANITIZE_ADDRESS__
enum { STEP = 4 };
#else
enum { STEP = 1 };
#endif

static uint32_t torch_index(const char *version)
{
  TorchChoice choice;
  assert_true(symbolics_resolve_torch(symbolics_embedded(), str_from(version), &choice));
  return choice.torch;
}

static OperatorTarget target_at(const char *torch, Exporter exporter, int opset)
{
  return (
      OperatorTarget){ .db = symbolics_embedded(), .torch = torch_index(torch), .exporter = exporter, .opset = opset };
}

static OperatorFacts torchscript_facts(const char *name, int opset, Arena *arena)
{
  OperatorTarget target = target_at("2.14", EXPORTER_TORCHSCRIPT, opset);
  return operator_facts(&target, str_from(name), false, arena);
}

static void assert_str(Str have, const char *want)
{
  if (!str_equal(have, str_from(want)))
    fail_msg("have '%.*s', want '%s'", STR_ARG(have), want);
}

// --- Kinds of names ---

static void test_custom_namespace(void **state)
{
  Arena arena = { 0 };
  OperatorFacts facts = torchscript_facts("my_ops::twice", 13, &arena);
  assert_int_equal(facts.kind, OPERATOR_CUSTOM);
  assert_int_equal(facts.verdict, VERDICT_CUSTOM);
  assert_int_equal(facts.since, 0);
  assert_null(facts.torch_operator);
  assert_str(operator_verdict_words(&facts, &arena),
             "A custom operator: its export fails unless a symbolic function is registered for it.");
  assert_str(operator_refusal_words(&facts, false, &arena),
             "'my_ops::twice' is a custom operator: its export fails unless a symbolic function is registered for it.");
  arena_done(&arena);
}

static void test_in_place(void **state)
{
  Arena arena = { 0 };
  OperatorFacts plain = torchscript_facts("aten::relu", 13, &arena);
  OperatorFacts facts = torchscript_facts("aten::relu_", 13, &arena);
  assert_int_equal(facts.kind, OPERATOR_ATEN);
  assert_int_equal(facts.verdict, VERDICT_CONVERTED);
  assert_str(facts.torch_operator->name, "aten::relu_");
  assert_true(facts.version->exporters[EXPORTER_TORCHSCRIPT].converted ==
              plain.version->exporters[EXPORTER_TORCHSCRIPT].converted);
  assert_true(facts.version->exporters[EXPORTER_DYNAMO].converted ==
              plain.version->exporters[EXPORTER_DYNAMO].converted);
  arena_done(&arena);
}

static void test_prim(void **state)
{
  Arena arena = { 0 };
  OperatorFacts facts = torchscript_facts("prim::If", 13, &arena);
  assert_int_equal(facts.kind, OPERATOR_PRIM);
  assert_int_equal(facts.verdict, VERDICT_CONVERTED);
  assert_false(facts.version->exporters[EXPORTER_DYNAMO].is_known);
  facts = torchscript_facts("prim::DifferentiableGraph_0", 13, &arena);
  assert_int_equal(facts.verdict, VERDICT_REMOVED);
  facts = torchscript_facts("^MyRelu", 13, &arena);
  assert_int_equal(facts.kind, OPERATOR_PYTHON);
  assert_int_equal(facts.verdict, VERDICT_REMOVED);
  assert_str(facts.name, "^MyRelu");
  arena_done(&arena);
}

static void test_onnx_names(void **state)
{
  Arena arena = { 0 };
  OperatorTarget target = target_at("2.14", EXPORTER_TORCHSCRIPT, 13);
  OperatorFacts facts = operator_facts(&target, STR("Conv"), true, &arena);
  assert_int_equal(facts.kind, OPERATOR_ONNX);
  assert_int_equal(facts.verdict, VERDICT_ONNX);
  assert_int_equal(facts.schema->since, 11);
  facts = operator_facts(&target, STR("Conv"), false, &arena);
  assert_int_equal(facts.kind, OPERATOR_CUSTOM);
  assert_null(facts.onnx);
  facts = operator_facts(&target, STR("onnx::Nothing"), false, &arena);
  assert_int_equal(facts.kind, OPERATOR_ONNX);
  assert_null(facts.onnx);
  facts = operator_facts(&target, STR("onnx::GridSample"), false, &arena);
  assert_non_null(facts.onnx);
  assert_null(facts.schema);  // It came with opset 16.
  facts = operator_facts(&target, STR("ai.onnx.ml::Scaler"), false, &arena);
  assert_non_null(facts.schema);  // No graph says the version of another domain.
  facts = operator_facts(&target, (Str){ 0 }, true, &arena);
  assert_int_equal(facts.kind, OPERATOR_CUSTOM);
  arena_done(&arena);
}

// --- Exporters ---

static void assert_verdict(OperatorTarget target, const char *name, Verdict verdict, const char *words)
{
  Arena arena = { 0 };
  OperatorFacts facts = operator_facts(&target, str_from(name), false, &arena);
  assert_int_equal(facts.verdict, verdict);
  assert_str(operator_verdict_words(&facts, &arena), words);
  arena_done(&arena);
}

static void test_unknown_versions(void **state)
{
  OperatorTarget target = target_at("2.14", EXPORTER_TORCHSCRIPT, 13);
  target.torch = SYMBOLICS_TORCH_LIMIT - 1;
  assert_verdict(target, "aten::relu", VERDICT_UNKNOWN, "Nothing is known of this torch version.");
  target.exporter = EXPORTER_DYNAMO;
  assert_verdict(target, "aten::relu", VERDICT_UNKNOWN, "Nothing is known of this torch version.");
  assert_verdict(target_at("1.13", EXPORTER_DYNAMO, 0), "aten::relu", VERDICT_UNKNOWN,
                 "torch 1.13 has no dynamo exporter.");
  assert_verdict(target_at("2.6", EXPORTER_DYNAMO, 0), "aten::relu", VERDICT_UNKNOWN,
                 "Whether the dynamo exporter of torch 2.6 converts it is not known.");
}

static void test_verdicts_of_torchscript(void **state)
{
  assert_verdict(target_at("2.14", EXPORTER_TORCHSCRIPT, 0), "aten::relu", VERDICT_CONVERTED,
                 "The TorchScript exporter of torch 2.14 converts it at opset 20.");
  assert_verdict(target_at("2.14", EXPORTER_TORCHSCRIPT, 13), "aten::scaled_dot_product_attention", VERDICT_NOT_YET,
                 "The TorchScript exporter of torch 2.14 can't convert it at opset 13; it can from opset 14 on.");
  assert_verdict(target_at("2.14", EXPORTER_TORCHSCRIPT, 13), "aten::special_i0e", VERDICT_NEVER,
                 "The TorchScript exporter of torch 2.14 can't convert it at any opset.");
  assert_verdict(target_at("2.14", EXPORTER_TORCHSCRIPT, 13), "aten::Int", VERDICT_REMOVED,
                 "The TorchScript exporter of torch 2.14 never has to convert it: a number conversion is erased, its "
                 "input takes its place.");
}

// Its parts may be refused: aten::special_i0e becomes prims::bessel_i0e, which has no function.
static void test_taken_apart(void **state)
{
  assert_verdict(
      target_at("2.14", EXPORTER_DYNAMO, 18), "aten::special_i0e", VERDICT_TAKEN_APART,
      "torch.export takes it apart into prims.bessel_i0e.default, for which the dynamo exporter of torch 2.14 "
      "has no function.");
  assert_verdict(target_at("2.14", EXPORTER_DYNAMO, 18), "aten::rms_norm", VERDICT_TAKEN_APART,
                 "torch.export takes it apart into aten.pow.Tensor_Scalar, aten.mean.dim, aten.add.Scalar, "
                 "aten.rsqrt.default, aten.mul.Tensor, aten.type_as.default, and the dynamo exporter of torch 2.14 has "
                 "functions for that. From opset 23 on there is a function for it.");
  assert_verdict(target_at("2.14", EXPORTER_DYNAMO, 23), "aten::rms_norm", VERDICT_CONVERTED,
                 "The dynamo exporter of torch 2.14 converts it at opset 23.");
  Arena arena = { 0 };
  OperatorFacts facts = torchscript_facts("aten::rms_norm", 13, &arena);
  const ExporterFacts *dynamo = &facts.version->exporters[EXPORTER_DYNAMO];
  assert_str(operator_support_words(dynamo, EXPORTER_DYNAMO, &arena), "opset 23, taken apart below");
  assert_str(operator_dynamo_words(&facts, &arena), "The dynamo exporter (dynamo=True) can convert it.");
  facts = torchscript_facts("aten::special_i0e", 13, &arena);
  assert_str(operator_dynamo_words(&facts, &arena), "");
  arena_done(&arena);
}

// --- The workspace ---

/// A workspace of one file that registers a function for `name` at `opset`.
static Workspace *workspace_with(const char *name, int opset)
{
  Arena arena = { 0 };
  Target values = { .torch = STR("2.14"), .opset = 17 };
  Target *target = target_new(&values);
  Document *document;
  Str text = arena_printf(&arena,
                          "from torch.onnx import register_custom_op_symbolic\n"
                          "def f(g, self):\n    return g.op(\"Relu\", self)\n"
                          "register_custom_op_symbolic(\"%s\", f, %d)\n",
                          name, opset);
  assert_int_equal(document_new(text, &document), OK);
  SnapshotInput input = { .uri = STR("file:///w/ops.py"), .version = -1, .document = document, .target = target };
  Snapshot *snapshot = snapshot_new(&input, NULL);
  WorkspaceFile *file = workspace_file_new(snapshot);
  Workspace *workspace = workspace_new(&file, 1);
  workspace_file_release(file);
  snapshot_release(snapshot);
  document_release(document);
  target_release(target);
  arena_done(&arena);
  return workspace;
}

static OperatorFacts facts_with(Workspace *workspace, const char *name, int opset, Arena *arena)
{
  OperatorTarget target = target_at("2.14", EXPORTER_TORCHSCRIPT, opset);
  target.workspace = workspace;
  return operator_facts(&target, str_from(name), false, arena);
}

// torch has functions of its own for aten::elu at 9.
static void test_shadowed_registration(void **state)
{
  Arena arena = { 0 };
  Workspace *workspace = workspace_with("aten::elu", 8);
  OperatorFacts facts = facts_with(workspace, "aten::elu", 13, &arena);
  assert_int_equal(facts.registration_count, 1);
  assert_str(facts.registrations[0]->name, "aten::elu");
  assert_true(facts.registered == opset_set_of(8));
  assert_true(facts.served == opset_set_range(7, 8));
  assert_int_equal(facts.shadowing, 9);
  assert_false(facts.since_workspace);
  assert_str(operator_shadowing_words(&facts, &arena),
             "An export to opset 13 takes torch's own function, that of opset 9.");
  workspace_release(workspace);
  arena_done(&arena);
}

static void test_registration_in_use(void **state)
{
  Arena arena = { 0 };
  Workspace *workspace = workspace_with("my_ops::twice", 15);
  OperatorFacts facts = facts_with(workspace, "my_ops::twice", 16, &arena);
  assert_int_equal(facts.verdict, VERDICT_CONVERTED);
  assert_str(operator_verdict_words(&facts, &arena),
             "The TorchScript exporter of torch 2.14 converts it at opset 16 with a symbolic function of the "
             "workspace.");
  assert_int_equal(facts.shadowing, 0);
  assert_true(facts.served == opset_set_range(15, 20));
  facts = facts_with(workspace, "my_ops::twice", 13, &arena);
  assert_int_equal(facts.verdict, VERDICT_NOT_YET);
  assert_int_equal(facts.since, 15);
  assert_str(operator_refusal_words(&facts, false, &arena),
             "'my_ops::twice' can't be exported to opset 13; a symbolic function of the workspace can convert it from "
             "opset 15 on.");
  assert_str(operator_verdict_words(&facts, &arena),
             "The TorchScript exporter of torch 2.14 can't convert it at opset 13; a symbolic function of the "
             "workspace can from opset 15 on.");
  workspace_release(workspace);
  arena_done(&arena);
}

// --- The same everywhere ---

/// Of operators of torch; it has schemas of some of ONNX, too, which no exporter converts.
typedef struct Names {
  Vec(Str) items;
} Names;

static bool add_name(Str name, void *context)
{
  Names *names = context;
  Str domain, short_name;
  if (!operator_is_onnx_name(symbolics_embedded(), name, false, &domain, &short_name))
    vec_push(&names->items, name);
  return true;
}

/// A graph for each operator, so that each result is needed.
static Str one_graph_each(const Names *names, Arena *arena)
{
  Buffer text = { 0 };
  for (size_t i = 0; i < names->items.count; i++)
    buffer_printf(&text, "graph(%%x : Tensor):\n  %%y : Tensor = %.*s(%%x)\n  return (%%y)\n",
                  STR_ARG(names->items.items[i]));
  Str copy = arena_copy(arena, buffer_str(&text));
  buffer_done(&text);
  return copy;
}

/// The paragraph that says whether the operator is converted; empty if there is none.
static Str verdict_in(Str text)
{
  static const char *const marks[] = { "exporter of torch ", "A custom operator: " };
  for (size_t i = 0; i < COUNT(marks); i++) {
    size_t at = str_find(text, str_from(marks[i]), 0);
    if (at == STR_NOT_FOUND)
      continue;
    size_t start = str_rfind_char(str_slice(text, 0, at), '\n');
    size_t end = str_find_char(text, '\n', at);
    return str_slice(text, start == STR_NOT_FOUND ? 0 : start + 1, end == STR_NOT_FOUND ? text.len : end);
  }
  return (Str){ 0 };
}

static Str page_verdict(const OperatorTarget *target, const OperatorFacts *facts, Arena *arena)
{
  Page page = { .db = target->db, .arena = arena, .torch = target->torch, .exporter = target->exporter };
  page.opset = target->opset;
  describe_torch_operator(&page, facts, (Str){ 0 });
  Hover texts = { .plain = { 0 } };
  assert_true(markup_finish(&page.markup, arena, (Range){ 0, 0 }, &texts));
  return verdict_in(texts.plain);
}

/// What the JSON of `explain` says of one torch version; it is the same for all opsets.
typedef struct JsonFacts {
  OpsetSet torchscript;
  int64_t dynamo_since;  ///< 0 for none.
  bool is_taken_apart;
} JsonFacts;

static JsonFacts read_json(const OperatorFacts *facts, Arena *arena)
{
  Buffer out = { 0 };
  Page page = { .db = facts->target.db, .arena = arena };
  Value *value = NULL;
  ValueError error;
  explain_json_torch(&out, &page, facts, (Str){ 0 });
  assert_int_equal(value_parse(buffer_str(&out), &value, &error), OK);
  const Value *version = value_get(value_get(value, "support"), arena_copy(arena, facts->torch).data);
  const Value *opsets = value_get(version, "torchscript");
  JsonFacts json = { .is_taken_apart = value_is_true(value_get(version, "dynamo_decomposes")) };
  value_to_int(value_get(version, "dynamo_since"), &json.dynamo_since);
  for (size_t i = 0; i < value_count(opsets); i++) {
    int64_t opset;
    assert_true(value_to_int(value_at(opsets, i), &opset));
    json.torchscript |= opset_set_of((int)opset);
  }
  value_release(value);
  buffer_done(&out);
  return json;
}

/// What a sentence says must be what the JSON says.
static void compare_json(const OperatorFacts *facts, Str sentence, const JsonFacts *json, Arena *arena)
{
  if (facts->verdict == VERDICT_REMOVED || facts->verdict == VERDICT_UNKNOWN)
    return;
  int opset = facts->target.opset;
  bool is_dynamo = facts->target.exporter == EXPORTER_DYNAMO;
  OpsetSet all = !is_dynamo               ? json->torchscript
                 : json->dynamo_since > 0 ? opset_set_range((int)json->dynamo_since, OPSET_LIMIT)
                                          : 0;
  OpsetSet later = opset_set_has(all, opset) ? 0 : all & opset_set_range(opset, OPSET_LIMIT);
  Str since = arena_printf(arena, "rom opset %d on", opset_set_first(later));
  bool says_yes = str_find(sentence, STR(" converts it at opset "), 0) != STR_NOT_FOUND;
  bool says_parts = str_starts_with(sentence, STR("torch.export takes it apart"));
  bool says_later = str_find(sentence, STR("rom opset "), 0) != STR_NOT_FOUND;
  if (says_yes != opset_set_has(all, opset) || says_parts != (is_dynamo && json->is_taken_apart && !says_yes) ||
      says_later != (later != 0) || (says_later && str_find(sentence, since, 0) == STR_NOT_FOUND))
    fail_msg("%.*s at opset %d: '%.*s' is not what the JSON says", STR_ARG(facts->name), opset, STR_ARG(sentence));
}

static const Diagnostic *diagnostic_at(const DiagnosticList *list, size_t offset)
{
  for (size_t low = 0, high = list->count; low < high;) {
    size_t middle = low + (high - low) / 2;
    const Diagnostic *diagnostic = &list->items[middle];
    if (offset >= diagnostic->range.start && offset < diagnostic->range.end)
      return diagnostic->support.op.len > 0 ? diagnostic : NULL;
    if (diagnostic->range.start < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

/// A finding must be there for what is refused, and say from which opset on it is not. Passes may take nodes away.
static void compare_diagnostic(const OperatorFacts *facts, Str sentence, const Diagnostic *found, Arena *arena)
{
  bool is_refused = facts->verdict == VERDICT_NOT_YET || facts->verdict == VERDICT_BLOCKED ||
                    facts->verdict == VERDICT_NEVER || facts->verdict == VERDICT_CUSTOM;
  bool is_later = str_find(sentence, STR("from opset "), 0) != STR_NOT_FOUND;
  bool may_be_removed = facts->version->pass != NULL;
  bool is_right = found ? is_refused && is_later == (found->rule == RULE_OP_NEEDS_NEWER_OPSET) &&
                              (!is_later || found->support.since == facts->since)
                        : !is_refused || may_be_removed;
  if (found)
    is_right &= str_starts_with(found->message, operator_refusal_words(facts, found->severity == SEVERITY_INFO, arena));
  if (!is_right)
    fail_msg("%.*s at opset %d: '%.*s', but the diagnostic is '%.*s'", STR_ARG(facts->name), facts->target.opset,
             STR_ARG(sentence), STR_ARG(found ? found->message : STR("none")));
}

/// All that is said of one operator for one target.
static void compare_operator(FeatureText *text, const OperatorTarget *target, Str name, size_t offset,
                             const JsonFacts *json, const DiagnosticList *list)
{
  Arena arena = { 0 };
  FeatureContext context = text->context;
  Hover hover = { .plain = { 0 } };
  context.arena = &arena;
  OperatorFacts facts = operator_facts(target, name, false, &arena);
  Str sentence = page_verdict(target, &facts, &arena);
  assert_true(feature_hover(&context, offset, &hover));
  Str hovered = verdict_in(hover.plain);
  bool is_silent =
      facts.kind == OPERATOR_PRIM && (facts.verdict == VERDICT_CONVERTED || facts.verdict == VERDICT_UNKNOWN);
  // A hover goes on about the node itself: a pass may remove it.
  if (is_silent ? hovered.len != 0 : sentence.len == 0 || !str_starts_with(hovered, sentence))
    fail_msg("%.*s at opset %d: the hover says '%.*s', the page '%.*s'", STR_ARG(name), target->opset, STR_ARG(hovered),
             STR_ARG(sentence));
  compare_json(&facts, sentence, json, &arena);
  if (target->exporter == EXPORTER_TORCHSCRIPT)
    compare_diagnostic(&facts, sentence, diagnostic_at(list, offset), &arena);
  arena_done(&arena);
}

static void compare_all(Str dump, const Names *names, const JsonFacts *jsons, const char *torch, Exporter exporter,
                        int opset)
{
  FeatureText text;
  Target values = { .torch = str_from(torch), .exporter = exporter, .opset = opset };
  memset(values.severities, SEVERITY_DEFAULT, sizeof(values.severities));
  open_feature_text(&text, dump, CHUNK_TARGET, &values);
  DiagnosticList list = diagnostics_of(text.snapshot, &text.arena);
  OperatorTarget target = target_at(torch, exporter, opset);
  size_t at = 0;
  for (size_t i = 0; i < names->items.count; i++) {
    at = str_find(dump, STR(" = "), at) + STR(" = ").len;
    if ((i + (size_t)opset) % STEP == 0)
      compare_operator(&text, &target, names->items.items[i], at, &jsons[i], &list);
  }
  close_feature_text(&text);
}

static JsonFacts *read_jsons(const Names *names, const char *torch, Arena *arena)
{
  JsonFacts *jsons = ARENA_ARRAY(arena, JsonFacts, names->items.count);
  OperatorTarget target = target_at(torch, EXPORTER_TORCHSCRIPT, 0);
  for (size_t i = 0; i < names->items.count; i++) {
    Arena scratch = { 0 };
    OperatorFacts facts = operator_facts(&target, names->items.items[i], false, &scratch);
    jsons[i] = read_json(&facts, &scratch);
    arena_done(&scratch);
  }
  return jsons;
}

static void compare_range(const char *torch, Exporter exporter)
{
  Arena arena = { 0 };
  Names names = { 0 };
  OpsetRange range;
  symbolics_each_torch_name(symbolics_embedded(), (Str){ 0 }, add_name, &names);
  assert_true(names.items.count > 2000);
  Str dump = one_graph_each(&names, &arena);
  JsonFacts *jsons = read_jsons(&names, torch, &arena);
  assert_true(symbolics_opset_range(symbolics_embedded(), torch_index(torch), exporter, &range));
  for (int opset = FIRST_OPSET; opset <= LAST_OPSET || opset <= range.max; opset++) {
    if (opset >= range.min && opset <= range.max)
      compare_all(dump, &names, jsons, torch, exporter, opset);
  }
  vec_free(&names.items);
  arena_done(&arena);
}

static void test_torchscript_is_the_same_everywhere(void **state)
{
  compare_range("2.14", EXPORTER_TORCHSCRIPT);
}

static void test_dynamo_is_the_same_everywhere(void **state)
{
  compare_range("2.14", EXPORTER_DYNAMO);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_custom_namespace),
    cmocka_unit_test(test_in_place),
    cmocka_unit_test(test_prim),
    cmocka_unit_test(test_onnx_names),
    cmocka_unit_test(test_unknown_versions),
    cmocka_unit_test(test_verdicts_of_torchscript),
    cmocka_unit_test(test_taken_apart),
    cmocka_unit_test(test_shadowed_registration),
    cmocka_unit_test(test_registration_in_use),
    cmocka_unit_test(test_torchscript_is_the_same_everywhere),
    cmocka_unit_test(test_dynamo_is_the_same_everywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
