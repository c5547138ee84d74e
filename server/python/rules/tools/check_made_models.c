// Models that are put together by onnx.helper: what the rules of ONNX text say of them, where that is written.
//
// Only where the file has them checked or loads them: what is made for other programs may be what these want. And only
// what these refuse: a session brings nodes into their order, and the checker follows types if it is asked to. Run with
// onnx 1.17 and 1.20, ONNX Runtime 1.21 and 1.23.

#include "base/limits.h"
#include "python/rules/public_objects.h"
#include "python/rules/tools/made_model.h"

/// What may be done to a model, or a part of one, after it was made, so that it is another one.
static const char *const changes[] = {
  "opset_import[", "opset_import.", ".CopyFrom(", ".MergeFrom(", "\ndel ", "  del "
};
static const char *const lists[] = { "node", "initializer", "input", "output", "attribute", "value_info", "function" };
static const char *const list_changes[] = { "append", "extend", "insert", "remove", "pop", "sort", "reverse" };
static const char *const fields[] = { ".input",     ".output",      ".attribute",   ".op_type",   ".dim",  ".domain",
                                      ".elem_type", ".tensor_type", ".initializer", ".data_type", ".node", ".name" };

static const char *const refusals[] = { "assertRaises", "raises(", "xfail" };

/// Who reads the models of a file.
typedef enum MadeReader {
  READ_BY_CHECKER = 1,    ///< onnx.checker.check_model()
  READ_BY_INFERENCE = 2,  ///< The same in full, and shape inference that is strict.
  READ_BY_SESSION = 4,
  FILLED_BEFORE = 8,  ///< Shapes are inferred before the checker sees the model.
} MadeReader;

typedef struct MadeCheck {
  DiagSink *sink;
  MadeWork work;
  unsigned readers;  ///< MadeReader bits.
  bool *judged;      ///< By node: it is one of a model of which all was said.
} MadeCheck;

const MadePlace *made_place_at(const MadeModel *made, Range range)
{
  const MadePlace *found = NULL;
  for (size_t i = 0; i < made->places.count; i++) {
    const MadePlace *place = &made->places.items[i];
    bool holds = place->start <= range.start && range.start < place->end;
    if (holds && place->is_unknown)
      return NULL;
    if (holds && (!found || place->end - place->start < found->end - found->start))
      found = place;
  }
  return found;
}

/// Does nobody who reads the model refuse that?
static bool is_left_out(const MadeCheck *check, const Diagnostic *diagnostic, const MadePlace *place)
{
  const unsigned readers = check->readers;
  bool is_of_order = diagnostic->rule == RULE_UNDEFINED_VALUE && diagnostic->related_count > 0;
  if (diagnostic->rule == RULE_TENSOR_DATA)  // Newer releases of onnx refuse to make it.
    return diagnostic->severity != SEVERITY_ERROR && diagnostic->severity != SEVERITY_WARNING;
  if (diagnostic->severity != SEVERITY_ERROR)
    return diagnostic->rule == RULE_FROZEN_DIMENSION || diagnostic->severity != SEVERITY_WARNING ||
           !(readers & READ_BY_SESSION);
  if (is_of_order || diagnostic->rule == RULE_MISSING_TYPE)
    return !(readers & READ_BY_CHECKER) || (!is_of_order && (readers & FILLED_BEFORE));
  if (diagnostic->rule == RULE_SHAPE_MISMATCH && place->is_result)
    return !(readers & READ_BY_INFERENCE);
  if (diagnostic->rule == RULE_TYPE_MISMATCH || diagnostic->rule == RULE_SHAPE_MISMATCH)
    return !(readers & (READ_BY_INFERENCE | READ_BY_SESSION));
  return diagnostic->rule == RULE_UNKNOWN_ONNX_OP;  // Names of operators are judged of every node.
}

DiagnosticList made_diagnose(const DiagSink *sink, Str text, Str name)
{
  Document *document;
  DiagnosticList list = { 0 };
  if (document_new(text, &document) != OK)
    return list;
  SnapshotInput input = { .uri = name,
                          .document = document,
                          .target = sink->target,
                          .language = language_of_id(STR("onnx-text")),
                          .needs_no_lines = true };
  Snapshot *snapshot = snapshot_new(&input, NULL);
  list = diagnostics_unless(sink->cancelled, snapshot, sink->arena);
  snapshot_release(snapshot);
  document_release(document);
  return list;
}

static bool has_same(const DiagnosticList *list, const MadeModel *made, const Diagnostic *wanted, PyRef node)
{
  for (size_t i = 0; i < list->count && i < PY_ELEMENT_LIMIT; i++) {
    const MadePlace *place = list->items[i].rule == wanted->rule ? made_place_at(made, list->items[i].range) : NULL;
    if (place && place->node == node)
      return true;
  }
  return false;
}

/// `other` is of the same model at another opset, where the file does not say which it is; NULL if it does.
static void report(const MadeCheck *check, const MadeModel *made, const DiagnosticList *list, const MadeModel *other,
                   const DiagnosticList *others)
{
  for (size_t i = 0; i < list->count && i < PY_ELEMENT_LIMIT; i++) {
    const Diagnostic *diagnostic = &list->items[i];
    const MadePlace *place = made_place_at(made, diagnostic->range);
    if (place && !is_left_out(check, diagnostic, place) &&
        (!other || has_same(others, other, diagnostic, place->node)) &&
        sink_wants(check->sink, diagnostic->rule, diagnostic->severity))
      py_report(check->sink, diagnostic->rule, diagnostic->severity, place->node,
                (Diagnostic){ .message = diagnostic->message });
  }
}

/// All of the model's nodes that are known were judged with it.
static void note_judged(const MadeCheck *check, const MadeModel *made)
{
  for (size_t i = 0; i < made->places.count; i++)
    check->judged[made->places.items[i].node] |= !made->places.items[i].is_unknown;
}

static void check_model(MadeCheck *check, const PyCall *call)
{
  enum { OLD_OPSET = 17, NEW_OPSET = 22 };  // What models are made for that don't say, by onnx 1.12 and 1.17.
  const PyModel *model = sink_python(check->sink)->model;
  MadeModel made, other;
  if (made_model_write(&check->work, model, call, NEW_OPSET, &made)) {
    DiagnosticList list = made_diagnose(check->sink, buffer_str(&made.text), STR("made.onnx")), others = { 0 };
    bool is_known = made.opset > 0;
    bool has_other = !is_known && list.count > 0 && made_model_write(&check->work, model, call, OLD_OPSET, &other);
    if (has_other)
      others = made_diagnose(check->sink, buffer_str(&other.text), STR("made.onnx"));
    if (is_known || has_other)
      report(check, &made, &list, has_other ? &other : NULL, &others);
    if (is_known)
      note_judged(check, &made);
    if (has_other)
      made_model_done(&other);
  }
  made_model_done(&made);
}

/// What may name the model of the call: of a file of tests, which has many, one function; 0 for the whole file.
static PyRef code_around(const PyModel *model, PyRef node)
{
  static const char *const tests[] = { "unittest", "pytest", "def test_" };
  uint32_t scope = py_model_scope_of(model, node);
  return scope == PY_ABSENT || !py_model_mentions_one_of(model, tests, COUNT(tests))
             ? 0
             : model->functions.items[scope].node;
}

static unsigned reader_of(const PyModel *model, const PyCall *call)
{
  Str callee = py_text(&model->tree, call->function_node), all = py_text(&model->tree, call->node);
  unsigned in_full = str_contains(all, STR("full_check=True")) ? READ_BY_INFERENCE : 0;
  if (str_ends_with(callee, STR("check_model")) || str_ends_with(callee, STR("check_graph")))
    return READ_BY_CHECKER | in_full;
  if (str_ends_with(callee, STR("InferenceSession")))
    return READ_BY_SESSION;
  return str_contains(callee, STR("infer_shapes")) && str_contains(all, STR("strict_mode=True")) ? READ_BY_INFERENCE
                                                                                                 : 0;
}

/// Who reads models there.
static unsigned readers_in(const PyModel *model, PyRef code)
{
  const PyTree *tree = &model->tree;
  PyRef end = code ? tree->nodes[code].next : tree->count;
  unsigned readers = 0;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    bool is_there = call->node >= code && call->node < end;
    bool infers = is_there && !(readers & READ_BY_CHECKER) &&
                  str_contains(py_text(tree, call->function_node), STR("infer_shapes"));
    readers |= (is_there ? reader_of(model, call) : 0) | (infers ? FILLED_BEFORE : 0);
  }
  return readers;
}

/// `node.input[0] = "x"`, `graph.node.append(extra)`
static bool is_change(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, node);
  PyRef left = py_kind(tree, node) == PYK_ASSIGNMENT ? py_child(tree, node, PY_F_LEFT) : 0;
  PyNodeKind kind = left ? py_kind(tree, left) : PYK_OTHER;
  if (kind == PYK_ATTRIBUTE || kind == PYK_SUBSCRIPT)
    return str_contains_one_of(py_text(tree, left), fields, COUNT(fields));
  PyRef list = call && str_is_one_of(py_tree_member_name(tree, call->function_node), list_changes, COUNT(list_changes))
                   ? py_tree_object(tree, call->function_node)
                   : 0;
  return list && str_is_one_of(py_tree_member_name(tree, list), lists, COUNT(lists));
}

bool made_models_are_changed(const PyModel *model)
{
  if (py_model_mentions_one_of(model, changes, COUNT(changes)))
    return true;
  for (PyRef node = 1; node < model->tree.count; node++) {
    if (is_change(model, node))
      return true;
  }
  return false;
}

/// `onnx.parser.parse_model("""<ir_version: 8, ...""")`: what is wrong stands in the string itself.
static void check_text(MadeCheck *check, const PyCall *call)
{
  DiagSink *sink = check->sink;
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *argument = py_model_argument(model, call, 0, "model_text");
  PyRef node = argument ? py_model_resolve(model, argument->value) : 0;
  Str text;
  if (!node || py_kind(&model->tree, node) != PYK_STRING || !py_model_string(model, node, sink->arena, &text))
    return;
  size_t start = str_find(py_text(&model->tree, node), text, 0);
  MadePlace place = { .node = node };
  DiagnosticList list =
      start == STR_NOT_FOUND ? (DiagnosticList){ 0 } : made_diagnose(check->sink, text, STR("made.onnxtxt"));
  start += model->tree.nodes[node].start;
  for (size_t i = 0; i < list.count && i < PY_ELEMENT_LIMIT; i++) {
    const Diagnostic *found = &list.items[i];
    bool is_told = found->rule == RULE_UNKNOWN_ONNX_OP || !is_left_out(check, found, &place);
    Range range = { start + found->range.start, start + found->range.end };
    if (is_told && range.end <= model->tree.text.len && sink_wants(sink, found->rule, found->severity))
      sink_add_at(sink, range, found->severity, (Diagnostic){ .rule = found->rule, .message = found->message });
  }
}

void made_models_check(DiagSink *sink, bool *judged)
{
  const PyModel *model = sink_python(sink)->model;
  Str text = model->tree.text;
  MadeCheck check = { .sink = sink, .work = { .arena = sink->arena }, .judged = judged };
  bool has_makers = str_contains(text, STR("make_model"));
  Str maker = has_makers ? STR("onnx.helper.make_model") : STR("onnx.checker.check_graph");
  bool has_graphs = !has_makers && str_contains(text, STR("check_graph"));
  if ((!has_makers && !has_graphs && !str_contains(text, STR("parse_model"))) || made_models_are_changed(model))
    return;
  const unsigned readers = readers_in(model, 0);
  int count = 0;
  for (size_t i = 0; i < model->calls.count && count < PY_MADE_MODEL_LIMIT; i++) {
    const PyCall *call = &model->calls.items[i];
    bool is_text = str_equal(call->qualified, STR("onnx.parser.parse_model"));
    if (!is_text && !str_equal(call->qualified, maker))
      continue;
    PyRef around = code_around(model, call->node);
    check.readers = around ? readers_in(model, around) : readers;
    count++;
    if (check.readers &&
        !str_contains_one_of(around ? py_text(&model->tree, around) : text, refusals, COUNT(refusals)) &&
        !py_tree_try_around(&model->tree, call->node) && !py_model_expects_failure(model, call->node))
      (is_text ? check_text : check_model)(&check, call);
  }
}
