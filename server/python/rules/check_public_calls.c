// Calls of public functions of torch.export, torch.library, torch.onnx, onnx and onnxruntime.quantization, and what is
// asked of the objects that they give: whether there is such a member, and whether it takes what it gets. Which
// arguments torch.onnx.export() takes is said in check_export_arguments.c.

#include "base/limits.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "python/rules/public_objects.h"
#include "python/rules/signature_fit.h"
#include "python/rules/tools/proto_fields.h"

static Str last_name(Str qualified)
{
  return str_after_last(qualified, '.');
}

static RuleId rule_of(Str name, const SignatureFit *fit)
{
  if (str_starts_with(name, STR("torch.library.")))
    return RULE_CUSTOM_OP;
  if (str_starts_with(name, STR("torch.onnx.errors.")))
    return RULE_HELPER_CALL;
  if (str_starts_with(name, STR("torch.onnx.ops.symbolic")))
    return RULE_SYMBOLIC_CALL;
  if (str_ends_with(name, STR(".Dim")) || str_ends_with(name, STR(".dims")))
    return RULE_DYNAMIC_SHAPES_DIM;
  bool is_capture = str_starts_with(name, STR("torch.export.")) && str_contains(last_name(name), STR("export"));
  if (is_capture && fit && fit->misfit == LACKS)
    return RULE_MISSING_EXPORT_ARGUMENT;
  if (is_capture && fit && fit->misfit == HAS_STRANGE)
    return RULE_UNKNOWN_EXPORT_ARGUMENT;
  return RULE_UNSTABLE_API;
}

static void say(DiagSink *sink, RuleId rule, PyRef node, Str message, const Fix *fix)
{
  py_say(sink, rule, SEVERITY_ERROR, node, message, fix);
}

/// Which torch versions must take a call for it to be right, one of them. Which release of another package is there is
/// not known.
static bool is_asked(const PyFile *file, Str name, uint32_t torch)
{
  return !public_is_of_torch(name) || (file->torches >> torch & 1) != 0;
}

// --- Arguments ---

/// What is meant by a keyword that the function does not have; NULL.
static const char *parameter_meant(const PySignature *signature, Str keyword, Arena *arena)
{
  Vec(const char *) names = { 0 };
  for (uint32_t i = 0; i < signature->parameter_count; i++) {
    const PyParameter *parameter = &signature->parameters[i];
    if (parameter->stars == 0 && !parameter->is_positional_only)
      vec_push(&names, arena_copy(arena, parameter->name).data);
  }
  const char *near = nearest_word(arena_copy(arena, keyword).data, names.items, names.count);
  vec_free(&names);
  return near;
}

/// `callee` is "save() of an ONNXProgram".
static void say_strange(DiagSink *sink, Str name, Str callee, const SignatureFit *fit, const PySignature *signature)
{
  Str keyword = fit->argument->keyword;
  const char *near = parameter_meant(signature, keyword, sink->arena);
  Str then = near ? arena_printf(sink->arena, ": did you mean '%s'?", near) : STR(".");
  for (uint32_t i = 0; i < signature->parameter_count; i++) {
    if (str_equal(signature->parameters[i].name, keyword))
      then = STR(" by name: it goes by its position.");
  }
  // Another release of another package may have it.
  py_say(sink, rule_of(name, fit), public_is_of_torch(name) ? SEVERITY_ERROR : SEVERITY_WARNING, fit->argument->node,
         arena_printf(sink->arena, "%.*s has no argument '%.*s'%.*s", STR_ARG(callee), STR_ARG(keyword), STR_ARG(then)),
         NULL);
}

/// "torch.onnx.export()", "save() of an ONNXProgram".
static Str callee_text(DiagSink *sink, const PyCall *call, Str class_name)
{
  if (class_name.len == 0)
    return arena_printf(sink->arena, "%.*s()", STR_ARG(call->qualified));
  const PyTree *tree = &sink_python(sink)->model->tree;
  Str method = py_tree_member_name(tree, call->function_node);
  return arena_printf(sink->arena, "%.*s() of %.*s", STR_ARG(method),
                      STR_ARG(public_class_text(class_name, sink->arena)));
}

static void say_misfit(DiagSink *sink, const PyCall *call, Str name, Str callee, const SignatureFit *fit,
                       const PySignature *signature)
{
  Arena *arena = sink->arena;
  if (fit->misfit == HAS_STRANGE)
    say_strange(sink, name, callee, fit, signature);
  else if (fit->misfit == LACKS)
    say(sink, rule_of(name, fit), call->function_node,
        arena_printf(arena, "'%.*s' is missing, which %.*s needs.", STR_ARG(fit->name), STR_ARG(callee)), NULL);
  else if (fit->misfit == HAS_TWICE)
    say(sink, rule_of(name, fit), fit->argument->node,
        arena_printf(arena, "%.*s gets '%.*s' by position, too.", STR_ARG(callee), STR_ARG(fit->name)), NULL);
  else
    say(sink, rule_of(name, fit), call->function_node,
        arena_printf(arena, "%.*s takes %u argument%s by position, and this gives %u.", STR_ARG(callee), fit->most,
                     fit->most == 1 ? "" : "s", fit->given),
        NULL);
}

/// `name` is that of the facts, `class_name` that of a method's object, or empty. A call is wrong if none of the file's
/// torch versions takes it.
static void check_signature(DiagSink *sink, const PyCall *call, Str name, Str class_name)
{
  const PyFile *file = sink_python(sink);
  const PyHelper *function = export_api_helper(file->db, name);
  const PyApiMember *member = export_api_member(file->db, name);
  const PySignature *wrong = NULL;
  SignatureFit fit = { 0 };
  if (!function)
    return;
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    const PySignature *signature = is_asked(file, name, torch) ? export_api_helper_signature(function, torch) : NULL;
    if (!signature && member && public_is_of_torch(name) && (member->torch_versions & file->torches) >> torch & 1)
      return;  // It goes by the types of what it is called with.
    if (!signature)
      continue;
    fit = signature_fit(file->model, call, signature);
    if (fit.misfit == FITS)
      return;
    wrong = signature;
  }
  // What no operator changes has a sentence of its own.
  bool is_said = fit.misfit == LACKS && str_equal(name, STR("torch.library.custom_op"));
  bool is_own = !public_is_of_torch(name) && public_is_onnx_itself(file);
  if (wrong && !is_said && !is_own && !file->torch_is_before && !py_file_asks_version(file, call->node))
    say_misfit(sink, call, name, callee_text(sink, call, class_name), &fit, wrong);
}

// --- Members ---

static const char *member_meant(DiagSink *sink, Str class_name, Str name)
{
  size_t count, shown = 0;
  if (str_equal(class_name, STR("onnx.ModelProto")) && str_starts_with(name, STR("opset")))
    return "opset_import";
  const char **names = export_api_member_names(sink_python(sink)->db, class_name, sink->arena, &count);
  for (size_t i = 0; i < count; i++) {
    if (names[i][0] != '_')
      names[shown++] = names[i];
  }
  const char *near = nearest_word(arena_copy(sink->arena, name).data, names, shown);
  for (size_t i = 0; i < shown && !near; i++)
    near = str_starts_with(name, str_from(names[i])) ? names[i] : NULL;
  return near;
}

/// Whether the member stands where something is assigned to it, and is a list or a message, to which nothing can be.
static bool is_fixed_field(DiagSink *sink, Str class_name, PyRef name, Str member)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  Str type = proto_field_type(class_name, member);
  return tree->nodes[tree->nodes[name].parent].field == PY_F_LEFT && (proto_is_list(type) || proto_is_message(type));
}

/// No torch version of the file has the member; `known` NULL if none has that the facts know.
static void say_absent(DiagSink *sink, Str class_name, PyRef name, const PyApiMember *known)
{
  const PyFile *file = sink_python(sink);
  Str text = py_text(&file->model->tree, name);
  const char *near = known ? NULL : member_meant(sink, class_name, text);
  bool is_module =
      str_equal(class_name, STR("torch.export.ExportedProgram")) && public_is_of_module(file->db, text, sink->arena);
  TorchRelease release = export_api_torch_release(file->db, file->torch);
  bool is_nodes = str_equal(class_name, STR("onnx_ir.Graph")) && str_equal(text, STR("nodes"));
  if (is_nodes)
    near = NULL;
  Str then = is_nodes    ? STR(": it is a sequence of its nodes.")
             : is_module ? STR(": it is no module, module() gives one.")
             : known     ? arena_printf(sink->arena, " in torch %d.%d.", release.major, release.minor)
             : near      ? arena_printf(sink->arena, ": did you mean '%s'?", near)
                         : STR(".");
  Str object = public_class_text(class_name, sink->arena);
  Str begin =
      arena_printf(sink->arena, "%c%.*s", object.data[0] - 'a' + 'A', STR_ARG(str_slice(object, 1, object.len)));
  say(sink, rule_of(class_name, NULL), name,
      arena_printf(sink->arena, "%.*s has no member '%.*s'%.*s", STR_ARG(begin), STR_ARG(text), STR_ARG(then)),
      near && !is_module && !is_fixed_field(sink, class_name, name, str_from(near))
          ? py_edit_replace(sink, false, name, str_from(near))
          : NULL);
}

/// Classes that take no members beside their own: those of protobuf and of pybind11.
static bool is_closed(Str class_name)
{
  return proto_is_message(class_name) || str_equal(class_name, STR("onnxruntime.SessionOptions")) ||
         str_equal(class_name, STR("onnxruntime.RunOptions"));
}

/// Whether all that some torch version's method takes may be left out.
static bool needs_nothing(const PyFile *file, Str method)
{
  const PyHelper *function = export_api_helper(file->db, method);
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    const PySignature *signature = is_asked(file, method, torch) ? export_api_helper_signature(function, torch) : NULL;
    uint32_t optional = 0;
    while (signature && optional < signature->parameter_count &&
           (signature->parameters[optional].has_default || signature->parameters[optional].stars > 0))
      optional++;
    if (signature && optional == signature->parameter_count)
      return true;
  }
  return false;
}

/// `session.get_inputs[0]`: a method that is not called.
static void check_method_not_called(DiagSink *sink, Str class_name, Str method, PyRef attribute, PyRef name)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyRef parent = tree->nodes[attribute].parent;
  PyNodeKind kind = py_kind(tree, parent);
  bool is_picked = kind == PYK_SUBSCRIPT && py_child(tree, parent, PY_F_VALUE) == attribute;
  bool is_looped =
      (kind == PYK_FOR_STATEMENT || kind == PYK_FOR_IN_CLAUSE) && py_child(tree, parent, PY_F_RIGHT) == attribute;
  if (is_picked || is_looped)
    say(sink, rule_of(class_name, NULL), name,
        arena_printf(sink->arena, "'%.*s' is a method of %.*s, which is not called here.", STR_ARG(py_text(tree, name)),
                     STR_ARG(public_class_text(class_name, sink->arena))),
        needs_nothing(sink_python(sink), method) ? py_edit_after(sink, false, STR("Call it"), attribute, STR("()"))
                                                 : NULL);
}

/// `program.model_proto()`. A graph_module may be called, with all that was lifted out of it, too.
static void check_value_called(DiagSink *sink, Str class_name, PyRef attribute, PyRef name, PyRef call)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  Str text = py_text(tree, name);
  PyRef list = py_child(tree, call, PY_F_ARGUMENTS);
  bool is_empty = list && !py_first_child(tree, list);
  bool is_callable = str_equal(text, STR("verifier")) || (str_equal(text, STR("graph_module")) && !is_empty);
  if (is_callable)
    return;
  Str then = str_equal(text, STR("graph_module")) ? STR(": module() gives the module") : STR("");
  say(sink, rule_of(class_name, NULL), name,
      arena_printf(sink->arena, "'%.*s' is a value of %.*s, no method%.*s.", STR_ARG(text),
                   STR_ARG(public_class_text(class_name, sink->arena)), STR_ARG(then)),
      is_empty ? py_edit_replace(sink, true, call, py_text(tree, attribute)) : NULL);
}

/// `ep.module().eval()`: both are refused, as what was captured is what it is. Run with torch 2.6 and 2.14.
static void check_mode(DiagSink *sink, PyRef name, PyRef call)
{
  Str text = py_text(&sink_python(sink)->model->tree, name);
  bool is_allowed = py_model_mentions(sink_python(sink)->model, "allow_exported_model_train_eval");
  if (call && !is_allowed && (str_equal(text, STR("eval")) || str_equal(text, STR("train"))))
    say(sink, RULE_UNSTABLE_API, name,
        arena_printf(sink->arena,
                     "The module of an ExportedProgram refuses %.*s(): call it of the model before the export.",
                     STR_ARG(text)),
        NULL);
}

/// Classes without methods.
static bool has_values_alone(Str class_name)
{
  return str_equal(class_name, STR("onnxruntime.NodeArg")) || str_equal(class_name, STR("onnxruntime.ModelMetadata"));
}

/// `program.save_model`
static void check_member(DiagSink *sink, PyRef attribute)
{
  const PyFile *file = sink_python(sink);
  const PyTree *tree = &file->model->tree;
  PyRef name = py_tree_member(tree, attribute);
  Str text = name ? py_text(tree, name) : (Str){ 0 };
  if (text.len == 0 || text.data[0] == '_')
    return;
  Str class_name = public_class_of(sink, py_tree_object(tree, attribute));
  if (tree->nodes[attribute].field == PY_F_LEFT && !is_closed(class_name))
    return;
  PyRef call = tree->nodes[attribute].field == PY_F_FUNCTION ? tree->nodes[attribute].parent : 0;
  if (str_equal(class_name, STR("torch.export.module")))
    check_mode(sink, name, call);
  const PyApiMember *of = class_name.len > 0 ? export_api_member(file->db, class_name) : NULL;
  // What only some of is known of is left alone: every module has more members than those of torch.nn.Module.
  bool is_known = of || str_starts_with(class_name, STR("onnx")) || str_equal(class_name, STR("torch.fx.Graph"));
  bool is_listed = is_known && class_name.len > 0 && export_api_each_member(file->db, class_name, NULL, NULL);
  if ((!of && !is_listed) || file->torch_is_before || py_file_asks_version(file, attribute))
    return;
  Str full = arena_printf(sink->arena, "%.*s.%.*s", STR_ARG(class_name), STR_ARG(text));
  const PyApiMember *member = export_api_member(file->db, full);
  const PyCall *method = py_model_call(file->model, call);
  if (is_listed && (!member || (member->torch_versions & file->torches) == 0)) {
    if (!of || (of->torch_versions & file->torches) != 0)
      say_absent(sink, class_name, name, member);
  } else if (tree->nodes[attribute].field == PY_F_LEFT) {
    PyRef value = py_child(tree, tree->nodes[attribute].parent, PY_F_RIGHT);
    if (value && py_kind(tree, tree->nodes[attribute].parent) == PYK_ASSIGNMENT)
      public_check_assigned(sink, full, value);
  } else if (!method && export_api_helper(file->db, full)) {
    check_method_not_called(sink, class_name, full, attribute, name);
  } else if (method && !export_api_helper(file->db, full) &&
             ((of && public_is_of_torch(full)) || has_values_alone(class_name) ||
              proto_field_type(class_name, text).len > 0)) {
    check_value_called(sink, class_name, attribute, name, call);
  } else if (method) {
    if (!str_equal(full, STR("onnxruntime.InferenceSession.run")))  // See check_sessions.c.
      check_signature(sink, method, full, class_name);
    public_check_arguments(sink, method, full);
  }
}

/// `program(x)` of an ExportedProgram.
static void check_program_called(DiagSink *sink, const PyCall *call)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyRef node = call->function_node;
  bool is_member = py_kind(tree, node) == PYK_ATTRIBUTE && public_class_of(sink, py_tree_object(tree, node)).len > 0;
  if (is_member || !str_equal(public_class_of(sink, node), STR("torch.export.ExportedProgram")) ||
      py_file_asks_version(sink_python(sink), call->node))
    return;
  say(sink, RULE_UNSTABLE_API, node, STR("An ExportedProgram can't be called: call what its module() gives."),
      py_edit_after(sink, true, STR("Add .module()"), node, STR(".module()")));
}

/// How many elements a list or tuple that is written out has; -1.
static int64_t written_length(const PyModel *model, PyRef node)
{
  PyNodeKind kind = node ? py_kind(&model->tree, node) : PYK_OTHER;
  int64_t count = 0;
  if (kind != PYK_LIST && kind != PYK_TUPLE && kind != PYK_PATTERN_LIST && kind != PYK_TUPLE_PATTERN)
    return -1;
  for (PY_EACH_CHILD(&model->tree, item, node)) {
    if (py_tree_is_splat(&model->tree, item) || py_kind(&model->tree, item) == PYK_LIST_SPLAT_PATTERN)
      return -1;
    count++;
  }
  return count;
}

/// How many values a call gives that is unpacked; -1 if that is not known.
static int64_t values_given(const PyModel *model, const PyCall *call)
{
  const PyArgument *list = NULL;
  int64_t size;
  if (str_equal(call->qualified, STR("torch.export.dims")))
    return call->has_splat ? -1 : (int64_t)py_model_positional_count(model, call);
  if (str_equal(call->qualified, STR("torch.onnx.ops.symbolic_multi_out")))
    list = py_model_argument(model, call, PY_ABSENT, "dtypes");
  if (list)
    return written_length(model, py_model_resolve(model, list->value));
  // One tensor, which is taken apart along its first axis.
  if (str_equal(call->qualified, STR("torch.onnx.ops.symbolic")))
    list = py_model_argument(model, call, PY_ABSENT, "shape");
  PyRef shape = list ? py_model_resolve(model, list->value) : 0;
  PyRef first = written_length(model, shape) > 0 ? py_tree_first_element(&model->tree, shape) : 0;
  return first && py_model_int(model, first, &size) ? size : -1;
}

/// `a, b = symbolic(...)`
static void check_unpacked(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef assignment = model->tree.nodes[call->node].parent;
  PyRef left = py_kind(&model->tree, assignment) == PYK_ASSIGNMENT ? py_child(&model->tree, assignment, PY_F_LEFT) : 0;
  int64_t wanted = left ? written_length(model, left) : -1;
  bool is_program = wanted > 1 && str_ends_with(public_class_of(sink, call->node), STR("Program"));
  if (is_program && !py_file_asks_version(sink_python(sink), call->node))
    say(sink, RULE_UNSTABLE_API, left, STR("This gives one object, a program, which can't be taken apart."), NULL);
  int64_t given = wanted > 0 ? values_given(model, call) : -1;
  bool is_one = str_equal(call->qualified, STR("torch.onnx.ops.symbolic"));
  if (wanted > 0 && given >= 0 && given != wanted)
    say(sink, rule_of(call->qualified, NULL), left,
        arena_printf(sink->arena, "%.*s() gives %lld value%s here, and this takes %lld%s.", STR_ARG(call->qualified),
                     is_one ? 1LL : (long long)given, is_one || given == 1 ? "" : "s", (long long)wanted,
                     is_one ? ": symbolic_multi_out() gives several" : ""),
        NULL);
}

/// The name of the facts for what is called: functions go by the package, and not by its module that has them.
static Str public_name(const PyFile *file, Str qualified, Arena *arena)
{
  static const Str packages[] = { STR_INIT("torch.export."), STR_INIT("onnxruntime.quantization.") };
  for (size_t i = 0; i < COUNT(packages); i++) {
    const Str parts[] = { packages[i], last_name(qualified) };
    Str name = str_starts_with(qualified, packages[i]) ? arena_join(arena, parts, COUNT(parts)) : (Str){ 0 };
    if (name.len > 0 && export_api_helper(file->db, name))
      return name;
  }
  return qualified;
}

static bool is_checked(Str name)
{
  static const Str packages[] = {
    STR_INIT("torch.export."),
    STR_INIT("torch.library."),
    STR_INIT("torch.onnx."),
    STR_INIT("onnx."),
    STR_INIT("onnxruntime.quantization."),
    STR_INIT("onnxruntime.transformers."),
    STR_INIT("onnx_ir."),
    STR_INIT("onnxscript.optimizer."),
    STR_INIT("onnxscript.rewriter."),
    STR_INIT("onnxscript.version_converter."),
  };
  if (!public_is_known_package(name))
    return false;
  for (size_t i = 0; i < COUNT(packages); i++) {
    if (str_starts_with(name, packages[i]))
      return true;
  }
  return false;
}

void check_python_public_calls(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  if (py_is_torch_itself(model))
    return;
  bool has_objects = public_objects_are_made(file);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    Str name = is_checked(call->qualified) ? public_name(file, call->qualified, sink->arena) : call->qualified;
    if (is_checked(name))
      check_signature(sink, call, name, STR(""));
    check_unpacked(sink, call);
    if (public_is_known_package(name))
      public_check_arguments(sink, call, name);
    else if (has_objects)
      check_program_called(sink, call);
  }
  for (PyRef node = 1; has_objects && node < model->tree.count; node++) {
    if (py_kind(&model->tree, node) == PYK_ATTRIBUTE)
      check_member(sink, node);
  }
}
