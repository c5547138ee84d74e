// Objects of PyTorch that a file makes: programs, shapes, libraries and operators.

#include "python/rules/public_objects.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/search.h"
#include "core/workspace.h"
#include "core/workspace_constants.h"
#include "python/rules/tools/proto_fields.h"
#include "text/path.h"

// What optimize_model() gives is this, or a class beside it.
#define BERT_MODEL "onnxruntime.transformers.onnx_model_bert.BertOnnxModel"

static const struct {
  Str function, made;
} object_makers[] = {
  { STR_INIT("torch.export.export"), STR_INIT("torch.export.ExportedProgram") },
  { STR_INIT("torch.export.draft_export"), STR_INIT("torch.export.ExportedProgram") },
  { STR_INIT("torch.export.export_for_training"), STR_INIT("torch.export.ExportedProgram") },
  { STR_INIT("torch.export.export_for_inference"), STR_INIT("torch.export.ExportedProgram") },
  { STR_INIT("torch.export.load"), STR_INIT("torch.export.ExportedProgram") },
  { STR_INIT("torch.export.ShapesCollection"), STR_INIT("torch.export.ShapesCollection") },
  { STR_INIT("torch.export.dynamic_shapes.ShapesCollection"), STR_INIT("torch.export.ShapesCollection") },
  { STR_INIT("torch.export.AdditionalInputs"), STR_INIT("torch.export.AdditionalInputs") },
  { STR_INIT("torch.export.dynamic_shapes.AdditionalInputs"), STR_INIT("torch.export.AdditionalInputs") },
  { STR_INIT("torch.library.Library"), STR_INIT("torch.library.Library") },
  { STR_INIT("onnx.load"), STR_INIT("onnx.ModelProto") },
  { STR_INIT("onnx.load_model"), STR_INIT("onnx.ModelProto") },
  { STR_INIT("onnx.load_model_from_string"), STR_INIT("onnx.ModelProto") },
  { STR_INIT("onnx.shape_inference.infer_shapes"), STR_INIT("onnx.ModelProto") },
  { STR_INIT("onnx.version_converter.convert_version"), STR_INIT("onnx.ModelProto") },
  { STR_INIT("onnx.helper.make_model"), STR_INIT("onnx.ModelProto") },
  { STR_INIT("onnx.helper.make_graph"), STR_INIT("onnx.GraphProto") },
  { STR_INIT("onnx.helper.make_node"), STR_INIT("onnx.NodeProto") },
  { STR_INIT("onnx.helper.make_tensor"), STR_INIT("onnx.TensorProto") },
  { STR_INIT("onnx.helper.make_tensor_value_info"), STR_INIT("onnx.ValueInfoProto") },
  { STR_INIT("onnx.numpy_helper.from_array"), STR_INIT("onnx.TensorProto") },
  { STR_INIT("onnx.helper.make_opsetid"), STR_INIT("onnx.OperatorSetIdProto") },
  { STR_INIT("onnx.helper.make_operatorsetid"), STR_INIT("onnx.OperatorSetIdProto") },
  { STR_INIT("onnx.helper.make_attribute"), STR_INIT("onnx.AttributeProto") },
  { STR_INIT("onnx.helper.make_function"), STR_INIT("onnx.FunctionProto") },
  { STR_INIT("onnx.helper.make_tensor_type_proto"), STR_INIT("onnx.TypeProto") },
  { STR_INIT("onnx.compose.merge_models"), STR_INIT("onnx.ModelProto") },
  { STR_INIT("onnx.compose.merge_graphs"), STR_INIT("onnx.GraphProto") },
  { STR_INIT("onnx.parser.parse_model"), STR_INIT("onnx.ModelProto") },
  { STR_INIT("onnx.parser.parse_graph"), STR_INIT("onnx.GraphProto") },
  { STR_INIT("onnx.reference.ReferenceEvaluator"), STR_INIT("onnx.reference.ReferenceEvaluator") },
  { STR_INIT("onnx_ir.load"), STR_INIT("onnx_ir.Model") },
  { STR_INIT("onnxruntime.InferenceSession"), STR_INIT("onnxruntime.InferenceSession") },
  { STR_INIT("onnxruntime.OrtValue.ortvalue_from_numpy"), STR_INIT("onnxruntime.OrtValue") },
  { STR_INIT("torch.onnx.verification.verify_onnx_program"), STR_INIT("torch.onnx.verification.VerificationInfo[]") },
  { STR_INIT("onnxruntime.SessionOptions"), STR_INIT("onnxruntime.SessionOptions") },
  { STR_INIT("onnxruntime.RunOptions"), STR_INIT("onnxruntime.RunOptions") },
  { STR_INIT("onnxruntime.transformers.optimizer.optimize_model"), STR_INIT(BERT_MODEL) },
  { STR_INIT("onnxruntime.transformers.float16.convert_float_to_float16"), STR_INIT("onnx.ModelProto") },
  { STR_INIT("onnxruntime.transformers.fusion_options.FusionOptions"),
    STR_INIT("onnxruntime.transformers.fusion_options.FusionOptions") },
  { STR_INIT("onnxscript.rewriter.pattern.RewriteRule"), STR_INIT("onnxscript.rewriter.pattern.RewriteRule") },
  { STR_INIT("onnxscript.rewriter.RewriteRule"), STR_INIT("onnxscript.rewriter.pattern.RewriteRule") },
  { STR_INIT("io.BytesIO"), STR_INIT("io.BytesIO") },
};

bool public_is_of_torch(Str qualified)
{
  return str_starts_with(qualified, STR("torch."));
}

bool public_is_known_package(Str qualified)
{
  return public_is_of_torch(qualified) || str_starts_with(qualified, STR("onnx"));
}

/// A package `onnx` of the project is taken by what lies around it; others have the one that is installed.
bool public_is_onnx_itself(const PyFile *file)
{
  Str path = file->model->path;
  Arena arena = { 0 };
  Str uri = path.len > 0 ? workspace_uri(path, &arena) : path;
  const WorkspaceFile *helper = workspace_find_constants(file->target->workspace, uri, STR("onnx.helper"));
  Str root = helper ? path_parent(path_parent(helper->uri)) : (Str){ 0 };
  bool is_around = helper && str_starts_with(uri, root) && uri.len > root.len && uri.data[root.len] == '/';
  arena_done(&arena);
  return is_around || str_contains(path, STR("/onnx/onnx/"));
}

bool public_is_of_module(const SymbolicsDb *db, Str member, Arena *arena)
{
  return export_api_member(db, arena_printf(arena, "torch.nn.Module.%.*s", STR_ARG(member))) != NULL;
}

static Str made_by(Str function)
{
  if (proto_is_message(function))  // ModelProto()
    return function;
  bool is_known = public_is_known_package(function) || str_equal(function, STR("io.BytesIO"));
  for (size_t i = 0; is_known && i < COUNT(object_makers); i++) {
    if (str_equal(function, object_makers[i].function))
      return object_makers[i].made;
  }
  return (Str){ 0 };
}

static bool makes_objects(const PyModel *model)
{
  for (size_t i = 0; i < model->functions.count; i++) {
    if (model->functions.items[i].roles & PY_ROLE_ONNXSCRIPT)
      return true;
  }
  for (size_t i = 0; i < model->calls.count; i++) {
    if (made_by(model->calls.items[i].qualified).len > 0)
      return true;
  }
  return false;
}

bool public_objects_are_made(const PyFile *file)
{
  return file->model->exports.count > 0 || file->library.count > 0 || py_model_holds(file->model, makes_objects);
}

/// What torch.onnx.export() gives, if that is surely a program.
static Str program_of(DiagSink *sink, uint32_t call)
{
  const PyFile *file = sink_python(sink);
  for (size_t i = 0; i < file->model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    if (file->model->exports.items[i] != call)
      continue;
    ExportCall export = export_call(sink, i);
    if (export.kind == EXPORT_DYNAMO && (export.says_dynamo || export_torch_is_from(file, 2, 6)))
      return STR("torch.onnx.ONNXProgram");
  }
  return (Str){ 0 };
}

/// The function of the file that a name stands for, below @custom_op.
static bool is_operator(const PyFile *file, PyRef node)
{
  uint32_t function = file->library.count > 0 && py_kind(&file->model->tree, node) == PYK_IDENTIFIER
                          ? py_model_callable(file->model, node).function
                          : PY_ABSENT;
  for (size_t i = 0; function != PY_ABSENT && i < file->library.count; i++) {
    if (file->library.items[i].function == function && file->library.items[i].call != PY_ABSENT)
      return true;
  }
  return false;
}

/// A function below @onnxscript.script().
static bool is_script_function(const PyModel *model, PyRef node)
{
  uint32_t function =
      py_kind(&model->tree, node) == PYK_IDENTIFIER ? py_model_callable(model, node).function : PY_ABSENT;
  return function != PY_ABSENT && (model->functions.items[function].roles & PY_ROLE_ONNXSCRIPT);
}

/// What members of these objects are; of `()` what calling them gives.
static const struct {
  Str of, member, made;
} members[] = {
  { STR_INIT("torch.export.ExportedProgram"), STR_INIT("run_decompositions()"),
    STR_INIT("torch.export.ExportedProgram") },
  { STR_INIT("torch.export.ExportedProgram"), STR_INIT("module()"), STR_INIT("torch.export.module") },
  { STR_INIT("torch.export.ExportedProgram"), STR_INIT("graph_module"), STR_INIT("torch.fx.GraphModule") },
  { STR_INIT("torch.export.ExportedProgram"), STR_INIT("graph"), STR_INIT("torch.fx.Graph") },
  { STR_INIT("torch.export.ExportedProgram"), STR_INIT("graph_signature"),
    STR_INIT("torch.export.ExportGraphSignature") },
  { STR_INIT("torch.onnx.ONNXProgram"), STR_INIT("exported_program"), STR_INIT("torch.export.ExportedProgram") },
  { STR_INIT("torch.onnx.ONNXProgram"), STR_INIT("model"), STR_INIT("onnx_ir.Model") },
  { STR_INIT("torch.onnx.ONNXProgram"), STR_INIT("model_proto"), STR_INIT("onnx.ModelProto") },
  { STR_INIT("onnx_ir.Model"), STR_INIT("graph"), STR_INIT("onnx_ir.Graph") },
  { STR_INIT("onnxruntime.InferenceSession"), STR_INIT("get_inputs()"), STR_INIT("onnxruntime.NodeArg[]") },
  { STR_INIT("onnxruntime.InferenceSession"), STR_INIT("get_outputs()"), STR_INIT("onnxruntime.NodeArg[]") },
  { STR_INIT("onnxruntime.InferenceSession"), STR_INIT("io_binding()"), STR_INIT("onnxruntime.IOBinding") },
  { STR_INIT("onnxruntime.IOBinding"), STR_INIT("get_outputs()"), STR_INIT("onnxruntime.OrtValue[]") },
  { STR_INIT("onnxruntime.InferenceSession"), STR_INIT("run_with_ort_values()"), STR_INIT("onnxruntime.OrtValue[]") },
  { STR_INIT("onnxruntime.InferenceSession"), STR_INIT("get_modelmeta()"), STR_INIT("onnxruntime.ModelMetadata") },
  { STR_INIT("torch.nn.Module"), STR_INIT("parameters()"), STR_INIT("types.GeneratorType") },
  { STR_INIT("torch.nn.Module"), STR_INIT("named_parameters()"), STR_INIT("types.GeneratorType") },
  { STR_INIT("onnxscript.OnnxFunction"), STR_INIT("to_model_proto()"), STR_INIT("onnx.ModelProto") },
  { STR_INIT("onnxscript.OnnxFunction"), STR_INIT("to_function_proto()"), STR_INIT("onnx.FunctionProto") },
};

static Str made_by_member(Str of, Str member, bool is_called)
{
  if (is_called && proto_is_list(of) && str_equal(member, STR("add")))
    return proto_element(of);
  for (size_t i = 0; of.len > 0 && i < COUNT(members); i++) {
    Str name = members[i].member;
    bool calls = str_ends_with(name, STR("()"));
    if (str_equal(members[i].of, of) && calls == is_called &&
        str_equal(str_slice(name, 0, name.len - (calls ? 2 : 0)), member))
      return members[i].made;
  }
  return is_called ? (Str){ 0 } : proto_field_type(of, member);
}

/// `Net()` of a class of the file, `torch.nn.ReLU()`.
static bool is_module(const PyModel *model, const PyCall *call)
{
  Str package = STR("torch.nn.");
  Str name = call->qualified;
  size_t dot = str_rfind_char(name, '.');
  if (str_starts_with(name, package))
    return ascii_is_upper(name.data[dot + 1]) && !str_ends_with(name, STR(".Parameter")) &&
           !str_ends_with(name, STR("Buffer"));
  return export_class_made(model, call) != 0;
}

/// What a name is given once, also if that is changed in place: `shapes[x] = ...`, `inputs.add(...)`.
static PyRef made_once(const PyModel *model, PyRef name)
{
  const PyBinding *binding = py_model_binding_at(model, name);
  bool is_once = py_binding_is_only(binding, PY_BIND_ASSIGN) && binding->value;
  return is_once ? binding->value : name;
}

/// `nodes` of `nodes[1:]` and `list(nodes)`, which hold nothing else; the expression itself of others.
static PyRef all_of(const PyModel *model, PyRef node)
{
  static const char *const copies[] = { "list", "tuple", "reversed" };
  const PyTree *tree = &model->tree;
  for (int depth = 0; depth < PY_CHAIN_LIMIT; depth++) {
    const PyCall *call = py_model_call(model, node);
    PyRef index = py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_SUBSCRIPT) : 0;
    if (index && py_kind(tree, index) == PYK_SLICE && !py_next_sibling(tree, index))
      node = py_child(tree, node, PY_F_VALUE);
    else if (py_kind(tree, node) == PYK_BINARY_OPERATOR &&  // `list(graph.input) + list(graph.output)`
             str_starts_with(py_text(tree, py_child(tree, node, PY_F_RIGHT)), STR("list(")))
      node = py_child(tree, node, PY_F_LEFT);
    else if (call && call->argument_count == 1 && str_is_one_of(call->qualified, copies, COUNT(copies)))
      node = py_model_arguments(model, call)->value;
    else
      return node;
  }
  return node;
}

/// What `node` is in `for node in model.graph.node:` and in `for i, node in enumerate(model.graph.node):`; 0.
static PyRef looped_over(const PyModel *model, PyRef name)
{
  const PyTree *tree = &model->tree;
  const PyBinding *binding = py_model_binding_at(model, name);
  PyRef target = py_binding_is_only(binding, PY_BIND_OTHER) ? binding->node : 0;
  PyRef pair = py_kind(tree, tree->nodes[target].parent) == PYK_PATTERN_LIST ? tree->nodes[target].parent : 0;
  bool is_second = pair && py_first_child(tree, pair) != target && !py_next_sibling(tree, target);
  PyRef loop = target ? tree->nodes[pair ? pair : target].parent : 0;
  bool is_loop = py_kind(tree, loop) == PYK_FOR_STATEMENT || py_kind(tree, loop) == PYK_FOR_IN_CLAUSE;
  PyRef over = is_loop && py_child(tree, loop, PY_F_LEFT) == (pair ? pair : target) && (!pair || is_second)
                   ? py_child(tree, loop, PY_F_RIGHT)
                   : 0;
  const PyCall *call = pair ? py_model_call(model, over) : NULL;
  if (pair && (!call || call->argument_count == 0 || !str_equal(py_text(tree, call->function_node), STR("enumerate"))))
    return 0;
  return over ? all_of(model, call ? py_model_arguments(model, call)[0].value : over) : 0;
}

/// `list` of `list[0]`
static PyRef picked_from(const PyTree *tree, PyRef node)
{
  PyRef index = py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_SUBSCRIPT) : 0;
  return index && py_kind(tree, index) != PYK_SLICE && !py_next_sibling(tree, index) ? py_child(tree, node, PY_F_VALUE)
                                                                                     : 0;
}

/// Whether `isinstance(name, ...)` is asked shortly before a use of the name, or after it, as in `a if b else c`.
static bool is_asked_for(const PyModel *model, PyRef name)
{
  enum { CALLS_BEFORE = 64, CALLS_AFTER = 2 };
  Str text = py_text(&model->tree, name);
  size_t at;
  if (!py_model_mentions(model, "isinstance"))
    return false;
  SEARCH_FIRST(at, 0, model->calls.count, model->calls.items[at].node < name);
  size_t end = at + CALLS_AFTER < model->calls.count ? at + CALLS_AFTER : model->calls.count;
  for (size_t i = at > CALLS_BEFORE ? at - CALLS_BEFORE : 0; i < end; i++) {
    const PyCall *call = &model->calls.items[i];
    const PyArgument *asked = call->argument_count == 2 ? py_model_arguments(model, call) : NULL;
    if (asked && str_equal(call->qualified, STR("isinstance")) && str_equal(py_text(&model->tree, asked->value), text))
      return true;
  }
  return false;
}

/// A parameter that may be more than what the only call in sight gives it: `graph: Union[GraphProto, FunctionProto]`,
/// or one whose type is asked for.
static bool is_of_several(const PyModel *model, PyRef name)
{
  const PyBinding *binding = py_model_binding_at(model, name);
  if (!py_binding_is_only(binding, PY_BIND_PARAM))
    return false;
  PyRef annotation = model->params.items[binding->index].annotation;
  Str type = annotation ? py_text(&model->tree, annotation) : (Str){ 0 };
  return str_contains(type, STR("Union[")) || str_find_char(type, '|', 0) != STR_NOT_FOUND || is_asked_for(model, name);
}

/// What an expression is by the call that made it, or by the member that it is of something else.
static Str made_of(DiagSink *sink, PyRef node, int depth);

static Str made_by_attribute(DiagSink *sink, PyRef attribute, bool is_called, int depth)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  PyRef name = py_tree_member(tree, attribute);
  Str of = name ? made_of(sink, py_tree_object(tree, attribute), depth + 1) : (Str){ 0 };
  return made_by_member(of, name ? py_text(tree, name) : (Str){ 0 }, is_called);
}

static Str made_of(DiagSink *sink, PyRef node, int depth)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  if (!node || depth > PY_CHAIN_LIMIT)
    return (Str){ 0 };
  if (is_operator(file, node))
    return STR("torch.library.CustomOpDef");
  if (is_script_function(model, node))
    return STR("onnxscript.OnnxFunction");
  PyRef value = is_of_several(model, node) ? node : export_resolve(model, node);
  if (py_kind(&model->tree, value) == PYK_IDENTIFIER)
    value = made_once(model, value);
  if (py_kind(&model->tree, value) == PYK_ATTRIBUTE)
    return made_by_attribute(sink, value, false, depth);
  PyRef list =
      py_kind(&model->tree, value) == PYK_IDENTIFIER ? looped_over(model, value) : picked_from(&model->tree, value);
  Str listed = list ? made_of(sink, list, depth + 1) : (Str){ 0 };
  if (str_equal(listed, STR("onnx_ir.Graph")))
    return STR("onnx_ir.Node");
  if (list)
    return proto_is_list(listed) ? proto_element(listed) : (Str){ 0 };
  uint32_t index = py_model_call_at(model, value);
  if (index == PY_ABSENT || py_file_asks_version(file, value))
    return (Str){ 0 };
  const PyCall *call = &model->calls.items[index];
  Str made = made_by(call->qualified);
  if (made.len == 0)
    made = program_of(sink, index);
  if (made.len == 0 && py_kind(&model->tree, call->function_node) == PYK_ATTRIBUTE)
    made = made_by_attribute(sink, call->function_node, true, depth);
  if (made.len == 0 && is_module(model, call))
    return STR("torch.nn.Module");
  return made;
}

Str public_class_of(DiagSink *sink, PyRef node)
{
  Str made = made_of(sink, node, 0);
  return proto_is_list(made) || str_find_char(made, '.', 0) == STR_NOT_FOUND ? (Str){ 0 } : made;
}

Str public_plain_of(DiagSink *sink, PyRef node)
{
  Str made = made_of(sink, node, 0);
  return proto_is_list(made) || str_find_char(made, '.', 0) != STR_NOT_FOUND ? (Str){ 0 } : made;
}

Str public_list_of(DiagSink *sink, PyRef node)
{
  Str made = made_of(sink, node, 0);
  return proto_is_list(made) ? made : (Str){ 0 };
}

Str public_class_text(Str class_name, Arena *arena)
{
  Str name = str_after_last(class_name, '.');
  if (str_equal(name, STR("CustomOpDef")))
    return STR("an operator of custom_op()");
  if (str_equal(name, STR("module")))
    return STR("the module of an ExportedProgram");
  if (str_starts_with(class_name, STR("onnx_ir.")) || str_equal(name, STR("Module")))
    name = class_name;
  else if (str_starts_with(class_name, STR("onnx.")) && proto_is_message(class_name))
    name = str_slice(class_name, 5, class_name.len);
  bool is_vowel = name.len > 0 && memchr("AEIOUaeiou", name.data[0], 10);
  return arena_printf(arena, "%s %.*s", is_vowel ? "an" : "a", STR_ARG(name));
}
