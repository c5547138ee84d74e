// Functions of torch in forward() whose operator the TorchScript exporter has no symbolic function for.

#include "python/rules/trace/traced_support.h"
#include "base/limits.h"
#include "core/unknown_registration.h"
#include "core/workspace.h"
#include "facts/functions.h"
#include "python/rules/forward/call_outcomes.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/forward/forward_sizes.h"
#include "python/rules/forward/vision_operators.h"

/// Whether each export of the file surely takes the TorchScript exporter, and asks for no other kind of nodes.
static bool are_exports_plain(DiagSink *sink, bool for_others)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    ExportCall export = export_call(sink, i);
    if (export.kind == EXPORT_DYNAMO || (export.kind == EXPORT_EITHER && !for_others) ||
        export_may_have(&export, "operator_export_type") || export_is_in_context(&export, STR("")) ||
        py_file_asks_version(export.file, export.call->node))
      return false;
  }
  return true;
}

/// A file that is checked alone, and a notebook, are in no workspace.
static bool registers(const PyFile *file, Str kind)
{
  return py_file_registers(file, workspace_graph_name(kind));
}

static bool is_refused(const PyFile *file, Str kind)
{
  OpsetRange range;
  // Passes make another operator of some that are written in place, and of all others what is not in place.
  Str plain = str_ends_with(kind, STR("_")) ? str_slice(kind, 0, kind.len - 1) : kind;
  for (PY_EACH_TORCH(file, torch)) {
    // Functions that files of the workspace register count.
    if (symbolics_pass(file->db, torch, kind) || symbolics_pass(file->db, torch, plain) ||
        !symbolics_opset_range(file->db, torch, EXPORTER_TORCHSCRIPT, &range) ||
        workspace_support(file->target->workspace, file->db, torch, kind, range.max).status != SUPPORT_NEVER)
      return false;
  }
  return file->torches != 0;
}

/// Whether an exported model surely calls the function that is looked at, and gives it a tensor.
static bool is_surely_called(const Forward *forward)
{
  const PyFunction *function = &forward->model->functions.items[forward->function];
  for (uint32_t i = 0; i < function->param_count; i++) {
    if (forward_gets_tensor(forward, function->first_param + i) ||
        (forward->size_params && forward->size_params[function->first_param + i] != 0))
      return true;
  }
  return false;
}

static int newest_of(OpsetSet opsets)
{
  int newest = 0;
  for (OPSET_SET_EACH(opset, opsets))
    newest = opset;
  return opset_set_has(opsets, 0) ? 0 : newest;
}

/// Whether the call leaves the opset to the exporter.
static bool names_no_opset(const PyFile *file, const PyCall *call)
{
  return !call->has_splat && !call->has_dictionary_splat &&
         !py_model_argument(file->model, call, PY_ABSENT, "opset_version") &&
         !py_model_mentions(file->model, "export_onnx_opset_version");
}

/// The newest opset that an export of the file, or of others, is for, if that is known of each; 0.
static int newest_opset(const PyFile *file, OpsetSet others)
{
  int newest = newest_of(others);
  if (others != 0 && newest == 0)
    return 0;
  for (size_t i = 0; i < file->model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    const PyCall *call = &file->model->calls.items[file->model->exports.items[i]];
    int opset = export_opset(file, call);
    if (opset == 0 && names_no_opset(file, call))
      opset = py_file_standard_opset(file);
    if (opset == 0)
      return 0;
    newest = opset > newest ? opset : newest;
  }
  return newest;
}

/// From which opset on the exporter has the operator in each of the file's torch versions, if it lacks it at this one;
/// 0 for others.
static int needed_opset(const PyFile *file, Str op, int opset)
{
  int since = 0;
  for (PY_EACH_TORCH(file, torch)) {
    SupportAnswer answer = workspace_support(file->target->workspace, file->db, torch, op, opset);
    if (symbolics_pass(file->db, torch, op) || answer.status != SUPPORT_NEWER)
      return 0;
    since = answer.since > since ? answer.since : since;
  }
  return since;
}

/// The refusal of whatever arguments there are, in each of the file's torch versions; NULL.
static const TorchOutcome *refused_at(const PyFile *file, Str op, int opset)
{
  const TorchOutcome *refused = NULL;
  for (PY_EACH_TORCH(file, torch)) {
    uint32_t count;
    const TorchOutcome *outcomes = symbolics_outcomes(file->db, torch, op, &count);
    refused = NULL;
    for (uint32_t i = 0; i < count && !refused; i++) {
      bool is_it = outcomes[i].kind == OUTCOME_REFUSED && str_equal(outcomes[i].text, STR("always")) &&
                   (outcomes[i].torch_versions >> torch & 1) != 0 && (outcomes[i].opsets >> opset & 1) != 0;
      refused = is_it ? &outcomes[i] : NULL;
    }
    if (!refused)
      return NULL;
  }
  return refused;
}

/// Says `words` of a call; only warns where a registration whose name is not known may be for the operator.
static void say(Forward *forward, PyRef node, RuleId rule, Str words)
{
  DiagSink *sink = forward->sink;
  const WorkspaceSymbolic *unknown = forward->support->unknown;
  ForwardReturn returned = forward_returned(forward, node);
  Severity severity = returned != RETURNED_ALWAYS ? SEVERITY_INFO : unknown ? SEVERITY_WARNING : OWN;
  if (returned == RETURNED_NEVER || !sink_wants(sink, rule, severity))
    return;
  const Str parts[] = { words, unknown ? unknown_registration_words(unknown, sink->arena) : (Str){ 0 } };
  py_say(sink, rule, severity, node, arena_join(sink->arena, parts, COUNT(parts)), NULL);
}

/// Says what keeps the exporter from converting the operator that a call becomes.
static bool check_kind(Forward *forward, PyRef node, Str kind)
{
  const PyFile *file = sink_python(forward->sink);
  Arena *arena = forward->sink->arena;
  int opset = forward->support->opset;
  int since = opset > 0 ? needed_opset(file, kind, opset) : 0;
  Str name = workspace_graph_name(kind);  // As a registration has it.
  bool is_never = is_refused(file, kind);
  const TorchOutcome *refused = opset > 0 && since == 0 && !is_never ? refused_at(file, kind, opset) : NULL;
  if ((since == 0 && !is_never && !refused) || registers(file, kind))
    return false;
  if (refused) {
    say(forward, node, RULE_REFUSED_CALL,
        arena_printf(arena, "This becomes '%.*s', which can't be exported to opset %d: %.*s. %.*s", STR_ARG(name),
                     opset, STR_ARG(refused->reason), STR_ARG(refused->way_out)));
    return true;
  }
  if (is_never)
    say(forward, node, RULE_UNSUPPORTED_OP,
        arena_printf(arena,
                     "The TorchScript exporter has no symbolic function for '%.*s' at any opset: rewrite it with "
                     "other operators, or register one.",
                     STR_ARG(name)));
  else
    say(forward, node, RULE_OP_NEEDS_NEWER_OPSET,
        arena_printf(arena,
                     "This becomes '%.*s', which the TorchScript exporter can convert from opset %d on; the export "
                     "is for opset %d.",
                     STR_ARG(name), since, opset));
  return true;
}

/// Says the first thing that keeps the exporter from converting the function.
static bool check_name(Forward *forward, PyRef node, Str name)
{
  const PyFile *file = sink_python(forward->sink);
  Str operators = called_name_operators(file, EXPORTER_TORCHSCRIPT, name);
  Str kind;
  while (functions_next(&operators, &kind)) {
    if (called_name_has(file, EXPORTER_TORCHSCRIPT, name, kind) && check_kind(forward, node, kind))
      return true;
  }
  return false;
}

/// What a resize with these arguments becomes, where its mode tells how many axes there are; empty. Run with torch
/// 1.13, 2.6 and 2.14.
static Str resize_operator(const PyModel *model, const PyCall *call, uint32_t position, Arena *arena)
{
  const PyArgument *mode = py_model_argument(model, call, position, "mode");
  const PyArgument *smoothed = py_model_argument(model, call, PY_ABSENT, "antialias");
  Str word;
  if (!mode || call->has_splat || call->has_dictionary_splat || !py_model_string(model, mode->value, arena, &word))
    return (Str){ 0 };
  PyNodeKind kind = smoothed ? py_kind(&model->tree, py_model_resolve(model, smoothed->value)) : PYK_FALSE;
  if (str_equal(word, STR("nearest-exact")))  // Those of one and of three axes have no function either.
    return STR("aten::_upsample_nearest_exact2d");
  bool is_cubic = str_equal(word, STR("bicubic"));
  if ((!is_cubic && !str_equal(word, STR("bilinear"))) || (kind != PYK_FALSE && kind != PYK_TRUE))
    return (Str){ 0 };
  if (kind == PYK_FALSE)
    return is_cubic ? STR("aten::upsample_bicubic2d") : STR("aten::upsample_bilinear2d");
  return is_cubic ? STR("aten::_upsample_bicubic2d_aa") : STR("aten::_upsample_bilinear2d_aa");
}

static Str resize_of_call(const Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyCall *maker = py_model_call(model, forward_own_part(forward, call->function_node));
  if (str_equal(call->qualified, STR("torch.nn.functional.interpolate")))
    return resize_operator(model, call, 3, forward->sink->arena);
  if (maker && str_equal(maker->qualified, STR("torch.nn.Upsample")))
    return resize_operator(model, maker, 2, forward->sink->arena);
  return (Str){ 0 };
}

/// `nn.Conv2d(3, 4, 3, padding="same")`: a padding in words has an operator of its own. Run with torch 1.13, 2.6
/// and 2.14.
static Str worded_convolution(const Forward *forward, const PyCall *call)
{
  static const char *const names[] = { "torch.nn.functional.conv1d",
                                       "torch.nn.functional.conv2d",
                                       "torch.nn.functional.conv3d",
                                       "torch.nn.Conv1d",
                                       "torch.nn.Conv2d",
                                       "torch.nn.Conv3d" };
  const PyModel *model = forward->model;
  const PyCall *maker = py_model_call(model, forward_own_part(forward, call->function_node));
  const PyCall *with = maker ? maker : call;
  const PyArgument *padding = py_model_argument(model, with, 4, "padding");
  const PyArgument *mode = py_model_argument(model, with, PY_ABSENT, "padding_mode");
  bool is_worded = padding && !mode && str_is_one_of(with->qualified, names, COUNT(names)) &&
                   py_kind(&model->tree, py_model_resolve(model, padding->value)) == PYK_STRING;
  return is_worded ? STR("aten::_convolution_mode") : (Str){ 0 };
}

/// Whether the file makes functions known in ways, or by names, that are not counted.
static bool has_open_registration(const PyModel *model)
{
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    if (registration->kind != PY_REG_CUSTOM || !registration->name_known)
      return true;
  }
  return false;
}

bool traced_support_is_plain(DiagSink *sink, bool for_others)
{
  return !has_open_registration(sink_python(sink)->model) && are_exports_plain(sink, for_others);
}

TracedSupport traced_support(DiagSink *sink, const ExportedReach *reach)
{
  const PyFile *file = sink_python(sink);
  bool is_traced_elsewhere = (reach->runs & MODEL_TRACED) != 0;
  if (!traced_support_is_plain(sink, false) || (reach->runs & MODEL_IS_OPEN) != 0 ||
      (file->model->exports.count == 0 && !is_traced_elsewhere))
    return (TracedSupport){ 0 };
  int opset = newest_opset(file, reach->opsets);
  // Where the export is elsewhere, functions may be registered near it.
  Str uri = is_traced_elsewhere ? (Str){ 0 } : snapshot_uri(sink->snapshot);
  return (TracedSupport){ .is_judged = true,
                          .opset = opset,
                          .has_linear = py_model_mentions(file->model, ".linear("),
                          .has_compiled = py_model_mentions(file->model, "compile"),
                          .has_padding = py_model_mentions(file->model, "pad_packed_sequence("),
                          .has_crops = py_model_mentions(file->model, "rop("),
                          .unknown = unknown_registration_near(file->target->workspace, uri, 0, opset > 0 ? opset : 1,
                                                               opset > 0 ? opset : OPSET_LIMIT) };
}

/// A spectrum of complex numbers: symbolic_opset17.stft refuses it, whatever the opset. Run with torch 2.6.
static void check_complex(Forward *forward, const PyCall *call, Str name)
{
  const PyModel *model = forward->model;
  const PyArgument *complex = py_model_argument(model, call, PY_ABSENT, "return_complex");
  bool is_stft = str_equal(name, STR("torch.stft")) || str_equal(name, STR("Tensor.stft"));
  if (is_stft && complex && py_kind(&model->tree, py_model_resolve(model, complex->value)) == PYK_TRUE &&
      !registers(sink_python(forward->sink), STR("aten::stft")))
    say(forward, call->function_node, RULE_REFUSED_CALL,
        STR("The TorchScript exporter refuses stft() with return_complex=True, as ONNX has no complex numbers: take the "
            "real and the imaginary part with return_complex=False."));
}

/// The operator of the workspace that a call runs, `torch.ops.mylib.foo(x)` or the function below @custom_op; empty.
static Str own_operator(const PyFile *file, const PyCall *call, Arena *arena)
{
  Str name, overload;
  for (size_t i = 0; call->function != PY_ABSENT && i < file->library.count; i++) {
    if (file->library.items[i].function == call->function)
      return file->library.items[i].defined.name;
  }
  bool is_own = str_starts_with(call->qualified, STR("torch.ops.")) &&
                py_library_overload_name(file->model, call->function_node, arena, &name, &overload) &&
                !symbolics_torch_operator(file->db, name) &&
                (py_library_find(&file->library, name) || py_file_torch_operator(file, name));
  return is_own ? name : (Str){ 0 };
}

/// Whatever its kernels are, a trace has the operator itself. Run with torch 1.13, 2.6 and 2.14.
static bool check_own_operator(Forward *forward, const PyCall *call)
{
  const PyFile *file = sink_python(forward->sink);
  Str refused = vision_operator_refused(forward, call, EXPORTER_TORCHSCRIPT);
  Str name = refused.len > 0 ? refused : own_operator(file, call, forward->sink->arena);
  if (name.len == 0 || registers(file, name) || !forward_has_traced_argument(forward, call))
    return false;
  for (PY_EACH_TORCH(file, torch)) {
    if (refused.len == 0 && workspace_support(file->target->workspace, file->db, torch, name, OPSET_LIMIT).status !=
                                SUPPORT_UNKNOWN_NAMESPACE)
      return false;
  }
  if (is_surely_called(forward))
    say(forward, call->function_node, RULE_UNSUPPORTED_OP,
        arena_printf(forward->sink->arena,
                     "The TorchScript exporter has no symbolic function for '%.*s': register one with "
                     "register_custom_op_symbolic().",
                     STR_ARG(name)));
  return true;
}

/// What the operator's function asks of its arguments, where it shows without sizes.
static bool check_arguments(Forward *forward, const PyCall *call, Str name)
{
  Str why = call_refusal_by_words(forward, call, name, EXPORTER_TORCHSCRIPT, forward->support->opset);
  if (why.len > 0)
    say(forward, call->function_node, RULE_REFUSED_CALL, why);
  return why.len > 0;
}

/// `torch.onnx.ops.symbolic()` makes a node of any name for the dynamo exporter; a trace can't write down its list of
/// inputs, whatever is registered. Run with torch 2.14.
static bool check_made_node(Forward *forward, const PyCall *call)
{
  bool is_made = str_starts_with(call->qualified, STR("torch.onnx.ops.symbolic"));
  if (is_made && is_surely_called(forward))
    say(forward, call->function_node, RULE_REFUSED_CALL,
        arena_printf(forward->sink->arena,
                     "%.*s() is for the dynamo exporter: the TorchScript exporter can't trace it. Export with "
                     "dynamo=True, or give a torch.autograd.Function symbolic().",
                     STR_ARG(call->qualified)));
  return is_made;
}

void traced_support_check(Forward *forward, const PyCall *call)
{
  if (!forward->support->is_judged || check_own_operator(forward, call) || check_made_node(forward, call))
    return;
  CalledNames names = called_names(forward, call, EXPORTER_TORCHSCRIPT);
  if (names.count == 0 || !is_surely_called(forward))
    return;
  Str resize = resize_of_call(forward, call);
  Str worded = worded_convolution(forward, call);
  if (resize.len > 0)
    check_kind(forward, call->function_node, resize);
  if (worded.len > 0 && check_kind(forward, call->function_node, worded))
    return;
  for (size_t i = 0; i < names.count; i++) {
    if (check_name(forward, call->function_node, names.items[i]))
      return;
    if (check_arguments(forward, call, names.items[i]))
      return;
    check_complex(forward, call, names.items[i]);
  }
}

/// Whatever the index, a write becomes aten::index_put, which symbolic_opset9.py refuses and symbolic_opset11.py
/// converts. Run with torch 1.13 and 2.6.
void traced_support_check_write(Forward *forward, PyRef subscript)
{
  enum { WRITES_SINCE = 11 };
  const PyTree *tree = &forward->model->tree;
  PyRef statement = tree->nodes[subscript].parent;
  PyNodeKind kind = py_kind(tree, statement);
  PyRef object = py_child(tree, subscript, PY_F_VALUE);
  if (!forward->support->is_judged || forward->support->opset < 1 || forward->support->opset >= WRITES_SINCE ||
      (kind != PYK_ASSIGNMENT && kind != PYK_AUGMENTED_ASSIGNMENT) || tree->nodes[subscript].field != PY_F_LEFT ||
      !object || py_kind(tree, object) != PYK_IDENTIFIER || !forward_is_own_tensor(forward, object) ||
      !is_surely_called(forward) || registers(sink_python(forward->sink), STR("aten::index_put")))
    return;
  say(forward, subscript, RULE_OP_NEEDS_NEWER_OPSET,
      arena_printf(
          forward->sink->arena,
          "A write into a tensor becomes 'aten::index_put', which the TorchScript exporter can convert from opset "
          "%d on; the export is for opset %d.",
          WRITES_SINCE, forward->support->opset));
}
