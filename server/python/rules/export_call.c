// What the rules about exports ask of a call of torch.onnx.export().

#include "python/rules/export_call.h"

#include "base/limits.h"
#include "python/rules/forward_tensors.h"

ExportCall export_call(DiagSink *sink, size_t i)
{
  const PyFile *file = sink_python(sink);
  ExportCall export = { .sink = sink, .file = file, .model = file->model };
  export.call = &file->model->calls.items[file->model->exports.items[i]];
  PyExporterChoice choice = py_file_exporter(file, export.call);
  export.kind = choice.kind;
  export.says_dynamo = choice.is_said;
  export.is_exported_program = choice.is_exported_program;
  return export;
}

static uint32_t positional_count(const PyModel *model, const PyCall *call)
{
  uint32_t count = 0;
  for (uint32_t i = 0; i < call->argument_count; i++)
    count += model->arguments.items[call->first_argument + i].keyword.len == 0;
  return count;
}

bool export_capture(DiagSink *sink, const PyCall *call, ExportCall *ret_export)
{
  const PyFile *file = sink_python(sink);
  static const char *const names[] = { "torch.export.export", "torch.export.draft_export",
                                       "torch.export.export_for_training" };
  if (!str_starts_with(call->qualified, STR("torch.export.")) || !str_is_one_of(call->qualified, names, COUNT(names)) ||
      positional_count(file->model, call) > 3)
    return false;
  *ret_export = (ExportCall){ .sink = sink, .file = file, .model = file->model, .call = call };
  ret_export->kind = EXPORT_DYNAMO;
  ret_export->says_dynamo = true;
  ret_export->is_capture = true;
  ret_export->is_draft = str_equal(call->qualified, STR("torch.export.draft_export"));
  return true;
}

/// The position of an argument in one of the file's torch versions; PY_ABSENT if it is by keyword only.
static uint32_t position_of(const PyFile *file, const char *name)
{
  const PyExportArgument *argument = export_api_argument(file->db, str_from(name));
  for (uint32_t torch = 0; argument && torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    const PyExportForm *form = file->torches >> torch & 1 ? export_api_form(argument, torch) : NULL;
    if (form && form->position >= 0)
      return (uint32_t)form->position;
  }
  return PY_ABSENT;
}

/// torch.export.export(mod, args, kwargs=None, *, ...)
static const PyArgument *capture_argument(const ExportCall *export, const char *name)
{
  static const char *const names[] = { "model", "args", "kwargs" };
  uint32_t position = 0;
  while (position < COUNT(names) && strcmp(names[position], name) != 0)
    position++;
  return py_model_argument(export->model, export->call, position < COUNT(names) ? position : PY_ABSENT,
                           position == 0 ? "mod" : name);
}

const PyArgument *export_argument(const ExportCall *export, const char *name)
{
  if (export->is_capture)
    return capture_argument(export, name);
  return py_model_argument(export->model, export->call, position_of(export->file, name), name);
}

/// The function or method of the file that a call runs, if nothing else can be meant; PY_ABSENT.
static uint32_t called_function(const PyModel *model, const PyCall *call)
{
  const PyTree *tree = &model->tree;
  if (call->function != PY_ABSENT)
    return call->function;
  PyRef function = call->function_node;
  PyRef object = py_kind(tree, function) == PYK_ATTRIBUTE ? py_child(tree, function, PY_F_OBJECT) : 0;
  PyRef class_node = object ? py_model_class_of_object(model, py_model_resolve(model, object)) : 0;
  return class_node ? export_method_of(model, class_node, py_text(tree, py_child(tree, function, PY_F_ATTRIBUTE)))
                    : PY_ABSENT;
}

/// `make_input()`, `self.dummy()`: what a function of the file returns; the call itself where that is not known.
static PyRef result_of_call(const PyModel *model, PyRef node)
{
  uint32_t index = py_model_call_at(model, node);
  uint32_t at = index == PY_ABSENT ? PY_ABSENT : called_function(model, &model->calls.items[index]);
  const PyFunction *function = at == PY_ABSENT ? NULL : &model->functions.items[at];
  bool is_plain = function && (function->outer == function->node || function->class_node);
  return is_plain && function->return_count == 1 && function->returned ? function->returned : node;
}

/// What `inputs["ids"]` is, where a function of the file makes `inputs`; 0.
static PyRef element_of_result(const PyModel *model, PyRef node)
{
  PyRef object = py_child(&model->tree, node, PY_F_VALUE);
  PyRef key = py_child(&model->tree, node, PY_F_SUBSCRIPT);
  object = object && key ? py_model_resolve(model, object) : 0;
  PyRef made = object ? result_of_call(model, object) : 0;
  return made && made != object ? py_model_element(model, py_model_resolve(model, made), py_model_resolve(model, key))
                                : 0;
}

PyRef export_resolve(const PyModel *model, PyRef node)
{
  for (int i = 0; i < PY_ALIAS_LIMIT; i++) {
    node = py_model_resolve(model, node);
    PyNodeKind kind = py_kind(&model->tree, node);
    PyRef value = kind == PYK_IDENTIFIER  ? forward_value_in_force(model, node)
                  : kind == PYK_SUBSCRIPT ? element_of_result(model, node)
                                          : result_of_call(model, node);
    if (!value || value == node)
      break;
    node = value;
  }
  return node;
}

PyRef export_value(const ExportCall *export, const char *name)
{
  const PyArgument *argument = export_argument(export, name);
  PyRef value = argument ? export_resolve(export->model, argument->value) : 0;
  return value && py_kind(&export->model->tree, value) != PYK_NONE ? value : 0;
}

PyRef export_default_number(const PyModel *model, PyRef node)
{
  PyRef object = py_kind(&model->tree, node) == PYK_ATTRIBUTE ? py_child(&model->tree, node, PY_F_OBJECT) : 0;
  return object ? py_model_default_number(model, export_resolve(model, object),
                                          py_text(&model->tree, py_child(&model->tree, node, PY_F_ATTRIBUTE)))
                : 0;
}

int export_opset(const PyFile *file, const PyCall *call)
{
  int opset = py_file_opset_named(file, call);
  const PyArgument *argument = py_model_argument(file->model, call, PY_ABSENT, "opset_version");
  PyRef standard =
      opset == 0 && argument ? export_default_number(file->model, export_resolve(file->model, argument->value)) : 0;
  int64_t number;
  bool is_known = standard && py_model_int(file->model, standard, &number) && number > 0 && number <= OPSET_LIMIT;
  return is_known ? (int)number : opset;
}

bool export_torch_is_from(const PyFile *file, uint16_t major, uint16_t minor)
{
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if ((file->torches >> torch & 1) != 0 &&
        !torch_release_reached(export_api_torch_release(file->db, torch), (TorchRelease){ major, minor }))
      return false;
  }
  return true;
}

// --- The model ---

/// Methods that give back what they are called on, for our purposes.
static bool is_passing_method(Str name)
{
  static const char *const names[] = { "eval",  "train",  "to",       "cpu",         "cuda",   "half",
                                       "float", "double", "bfloat16", "contiguous",  "detach", "requires_grad_",
                                       "long",  "int",    "bool",     "share_memory" };
  return str_is_one_of(name, names, COUNT(names));
}

/// `x` of `x.eval()`; 0 for other expressions.
static PyRef object_of_passing(const PyTree *tree, PyRef node)
{
  PyRef function = py_kind(tree, node) == PYK_CALL ? py_child(tree, node, PY_F_FUNCTION) : 0;
  if (!function || py_kind(tree, function) != PYK_ATTRIBUTE)
    return 0;
  PyRef name = py_child(tree, function, PY_F_ATTRIBUTE);
  return name && is_passing_method(py_text(tree, name)) ? py_child(tree, function, PY_F_OBJECT) : 0;
}

/// `x` of `x.eval().to(device)`.
static PyRef after_methods(const PyModel *model, PyRef node)
{
  for (int i = 0; i < PY_CHAIN_LIMIT; i++) {
    node = export_resolve(model, node);
    PyRef object = object_of_passing(&model->tree, node);
    if (!object)
      return node;
    node = object;
  }
  return node;
}

PyRef export_module_made(const PyModel *model, PyRef node)
{
  return after_methods(model, node);
}

PyRef export_class_named(const PyModel *model, uint32_t scope, PyRef name)
{
  const PyTree *tree = &model->tree;
  if (py_kind(tree, name) != PYK_IDENTIFIER)
    return 0;
  uint32_t found = py_model_lookup(model, scope, py_text(tree, name));
  if (found == PY_ABSENT || model->bindings.items[found].kind != PY_BIND_CLASS ||
      model->bindings.items[found].next != PY_ABSENT)
    return 0;
  for (size_t i = 0; i < model->classes.count; i++) {
    PyRef class_node = model->classes.items[i].node;
    if (model->classes.items[i].is_module && py_child(tree, class_node, PY_F_NAME) == model->bindings.items[found].node)
      return class_node;
  }
  return 0;
}

uint32_t export_method_named(const PyModel *model, PyRef class_node, Str name)
{
  uint32_t found = PY_ABSENT;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->class_node != class_node || !str_equal(function->name, name))
      continue;
    bool is_plain = function->outer == function->node || (function->is_static && !function->has_unknown_decorator);
    if (found != PY_ABSENT || !is_plain)
      return PY_ABSENT;
    found = i;
  }
  return found;
}

PyRef export_base_of(const PyModel *model, PyRef class_node)
{
  const PyTree *tree = &model->tree;
  const PyClass *class = class_node ? py_model_class_at(model, class_node) : NULL;
  PyRef bases = class ? py_child(tree, class_node, PY_F_SUPERCLASSES) : 0;
  PyRef first = bases ? py_tree_first_element(tree, bases) : 0;
  bool is_alone = first && !py_tree_next_element(tree, first);
  return is_alone && class->base != PY_ABSENT ? model->classes.items[class->base].node : 0;
}

uint32_t export_method_of(const PyModel *model, PyRef class_node, Str name)
{
  uint32_t found = PY_ABSENT;
  for (int depth = 0; class_node && found == PY_ABSENT && depth < PY_CHAIN_LIMIT; depth++) {
    found = export_method_named(model, class_node, name);
    class_node = export_base_of(model, class_node);
  }
  return found;
}

/// The only call in the file that makes an object of the class; NULL.
static const PyCall *only_maker(const PyModel *model, PyRef class_node)
{
  const PyCall *found = NULL;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (export_class_named(model, call->scope, call->function_node) != class_node)
      continue;
    if (found)
      return NULL;
    found = call;
  }
  return found;
}

/// `torch.onnx.export(self, ...)` in a method of the module.
static ExportModel model_of_self(const PyModel *model, PyRef self)
{
  ExportModel found = { .forward = PY_ABSENT };
  PyRef class_node = py_model_class_of_object(model, self);
  const PyClass *class = py_model_class_at(model, class_node);
  if (!class || !class->is_module || export_base_of(model, class_node))
    return found;
  found.made = only_maker(model, class_node);
  if (!found.made)
    return found;
  found.node = found.made->node;
  found.class_node = class_node;
  found.forward = export_method_of(model, class_node, STR("forward"));
  return found;
}

const WorkspaceParam *export_params(const PyModel *model, uint32_t method, Arena *arena, size_t *ret_count)
{
  const PyFunction *function = &model->functions.items[method];
  uint32_t count = function->param_count > 0 ? function->param_count - 1 : 0;
  WorkspaceParam *params = ARENA_ARRAY(arena, WorkspaceParam, count);
  for (uint32_t i = 0; i < count; i++) {
    const PyParam *param = &model->params.items[function->first_param + 1 + i];
    params[i] = (WorkspaceParam){ param->name, (uint8_t)param->kind, param->default_value != 0 };
  }
  *ret_count = count;
  return params;
}

static void find_params(const ExportCall *export, ExportModel *made)
{
  const Workspace *workspace = export->sink->target->workspace;
  if (made->forward != PY_ABSENT) {
    made->params = export_params(export->model, made->forward, export->sink->arena, &made->param_count);
    made->has_params = true;
  } else if (made->made && !made->class_node && made->torch_class.len == 0) {
    const WorkspaceModule *module =
        workspace_find_module(workspace, snapshot_uri(export->sink->snapshot), made->made->qualified);
    made->params = module ? module->params : NULL;
    made->param_count = module ? module->param_count : 0;
    made->has_params = module != NULL;
  }
}

/// `with patch_forward(model, model.reset): export(model, ...)`: what a call of it runs can't be told.
static bool is_changed_around(const ExportCall *export, PyRef value)
{
  const PyTree *tree = &export->model->tree;
  return py_kind(tree, value) == PYK_IDENTIFIER && export_is_in_context(export, py_text(tree, value));
}

/// The call in this file that `node` stands for, where that of another file, which is what it returns, is `elsewhere`:
/// `build_model()` of `model = build_model().eval()`.
static PyRef call_of_foreign(const PyModel *model, PyRef node, PyRef elsewhere)
{
  const PyTree *tree = &model->tree;
  for (int i = 0; elsewhere >= tree->count && i < PY_CHAIN_LIMIT; i++) {
    node = py_tree_strip(tree, node);
    const PyBinding *binding =
        py_kind(tree, node) == PYK_IDENTIFIER ? py_model_binding_of(model, py_model_scope_of(model, node), node) : NULL;
    PyRef object = py_kind(tree, node) == PYK_CALL ? object_of_passing(tree, node) : 0;
    if (binding && binding->kind == PY_BIND_ASSIGN && binding->next == PY_ABSENT)
      node = binding->value;
    else if (object)
      node = object;
    else
      return node;
  }
  return elsewhere;
}

static ExportModel find_model(const ExportCall *export)
{
  const PyModel *model = export->model;
  ExportModel found = { .forward = PY_ABSENT };
  const PyArgument *argument = export_argument(export, "model");
  if (!argument || is_changed_around(export, argument->value))
    return found;
  PyRef node = call_of_foreign(model, argument->value, after_methods(model, argument->value));
  uint32_t index = py_model_call_at(model, node);
  if (index == PY_ABSENT)
    return py_kind(&model->tree, node) == PYK_IDENTIFIER ? model_of_self(model, node) : found;
  found.node = node;
  found.made = &model->calls.items[index];
  Str name = found.made->qualified;
  size_t dot = str_rfind_char(name, '.');
  if (str_starts_with(name, STR("torch.nn.")) && dot != STR_NOT_FOUND)
    found.torch_class = str_slice(name, dot + 1, name.len);
  found.class_node = export_class_named(model, found.made->scope, found.made->function_node);
  if (found.class_node && py_model_member_is_set_elsewhere(model, found.class_node, STR("forward")))
    return (ExportModel){ .forward = PY_ABSENT };
  if (found.class_node)
    found.forward = export_method_of(model, found.class_node, STR("forward"));
  return found;
}

ExportModel export_model(const ExportCall *export)
{
  ExportModel made = find_model(export);
  find_params(export, &made);
  return made;
}

bool export_is_module_class(const ExportCall *export, PyRef node)
{
  return export_class_named(export->model, export->call->scope, node) != 0;
}

uint32_t export_required_inputs(const ExportModel *made)
{
  uint32_t required = 0;
  for (size_t i = 0; i < made->param_count; i++)
    required += made->params[i].kind == PY_PARAM_PLAIN && !made->params[i].has_default;
  return required;
}

// --- Modules of PyTorch ---

static const ExportModuleFact modules[] = {
  { "Linear", 1, 2 },
  { "Conv1d", 1, 7 },
  { "Conv2d", 1, 7 },
  { "Conv3d", 1, 7 },
  { "ConvTranspose1d", 1, 7 },
  { "ConvTranspose2d", 1, 7 },
  { "ConvTranspose3d", 1, 7 },
  { "ReLU", 0, 0 },
  { "ReLU6", 0, 0 },
  { "Sigmoid", 0, 0 },
  { "Tanh", 0, 0 },
  { "Softmax", 0, 0 },
  { "LogSoftmax", 0, 0 },
  { "ELU", 0, 0 },
  { "SELU", 0, 0 },
  { "CELU", 0, 0 },
  { "GELU", 0, 0 },
  { "LeakyReLU", 0, 0 },
  { "Hardtanh", 0, 0 },
  { "Hardswish", 0, 0 },
  { "Hardsigmoid", 0, 0 },
  { "SiLU", 0, 0 },
  { "Mish", 0, 0 },
  { "Softplus", 0, 0 },
  { "Softsign", 0, 0 },
  { "Identity", 0, 0 },
  { "Flatten", 0, 0 },
  { "Dropout", 0, 0 },
};

const ExportModuleFact *export_module_fact(const ExportModel *made)
{
  for (size_t i = 0; i < COUNT(modules); i++) {
    if (str_equal(made->torch_class, str_from(modules[i].name)))
      return &modules[i];
  }
  return NULL;
}

// --- Inputs ---

static bool is_maker(Str name)
{
  static const char *const names[] = { "randn",     "rand",         "zeros",      "ones",       "empty",
                                       "full",      "randint",      "tensor",     "arange",     "linspace",
                                       "eye",       "randn_like",   "rand_like",  "zeros_like", "ones_like",
                                       "full_like", "randint_like", "empty_like", "from_numpy" };
  if (!str_starts_with(name, STR("torch.")))
    return false;
  name = str_slice(name, STR("torch.").len, name.len);
  return str_is_one_of(name, names, COUNT(names));
}

uint32_t export_tensor_call(const PyModel *model, PyRef node)
{
  uint32_t call = py_model_call_at(model, after_methods(model, node));
  return call != PY_ABSENT && is_maker(model->calls.items[call].qualified) ? call : PY_ABSENT;
}

/// Methods that only tensors have, and that give one.
static bool is_tensor_method(Str name)
{
  static const char *const names[] = { "unsqueeze", "squeeze", "reshape", "view", "permute", "transpose", "expand" };
  return str_is_one_of(name, names, COUNT(names));
}

/// Methods of tensors, and not only of them, that give a tensor.
static bool keeps_tensor(Str name)
{
  static const char *const names[] = { "abs",   "clamp", "clone", "exp",     "mul",  "add",     "pow", "random_",
                                       "round", "sqrt",  "sub",   "softmax", "tanh", "sigmoid", "div", "normal_" };
  return str_is_one_of(name, names, COUNT(names));
}

bool export_is_tensor(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  for (int i = 0; node && i < PY_CHAIN_LIMIT; i++) {
    node = after_methods(model, node);
    if (export_tensor_call(model, node) != PY_ABSENT)
      return true;
    PyNodeKind kind = py_kind(tree, node);
    PyRef function = kind == PYK_CALL ? py_child(tree, node, PY_F_FUNCTION) : 0;
    PyRef method = function && py_kind(tree, function) == PYK_ATTRIBUTE ? py_child(tree, function, PY_F_ATTRIBUTE) : 0;
    if (method && is_tensor_method(py_text(tree, method)))
      return true;
    if (method && !keeps_tensor(py_text(tree, method)))
      return false;
    bool is_comparison = kind == PYK_COMPARISON_OPERATOR && py_tree_compares(tree, node);
    if (!method && kind != PYK_BINARY_OPERATOR && !is_comparison)
      return false;
    PyRef left = is_comparison ? py_first_child(tree, node) : py_child(tree, node, PY_F_LEFT);
    PyNodeKind first = left ? py_kind(tree, left) : PYK_OTHER;
    bool is_number = first == PYK_INTEGER || first == PYK_FLOAT;
    node = method ? py_child(tree, function, PY_F_OBJECT) : is_number ? py_child(tree, node, PY_F_RIGHT) : left;
  }
  return false;
}

int export_input_count(const ExportCall *export)
{
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  if (!args || export_argument(export, "kwargs"))
    return -1;
  if (py_kind(tree, args) != PYK_TUPLE)
    return export_is_tensor(export->model, args) ? 1 : -1;
  int count = 0;
  for (PyRef item = py_tree_first_element(tree, args); item; item = py_tree_next_element(tree, item), count++) {
    if (!export_is_tensor(export->model, item))
      return -1;
  }
  return count;
}

// --- Arguments ---

/// The names in a list that is written out; false if one of them is not known.
static bool add_names(const ExportCall *export, PyRef list, ExportNames *names)
{
  const PyTree *tree = &export->model->tree;
  PyNodeKind kind = py_kind(tree, list);
  if (kind != PYK_LIST && kind != PYK_TUPLE)
    return false;
  for (PyRef item = py_tree_first_element(tree, list); item; item = py_tree_next_element(tree, item)) {
    Str name;
    if (names->count == PY_EXPORT_NAME_LIMIT || !py_model_string(export->model, item, export->sink->arena, &name))
      return false;
    names->items[names->count] = name;
    names->nodes[names->count++] = item;
  }
  return true;
}

static bool is_sum(const PyTree *tree, PyRef node)
{
  PyRef sign = py_kind(tree, node) == PYK_BINARY_OPERATOR ? py_child(tree, node, PY_F_OPERATOR) : 0;
  return sign && str_equal(py_text(tree, sign), STR("+"));
}

void export_read_names(const ExportCall *export, const char *argument, ExportNames *ret_names)
{
  const PyTree *tree = &export->model->tree;
  ret_names->node = export_value(export, argument);
  ret_names->count = 0;
  ret_names->is_known = !export->call->has_dictionary_splat || export_argument(export, argument) != NULL;
  if (!ret_names->node)
    return;
  // `a + b + c` is `(a + b) + c`: what is left to be read is on the right of each.
  PyRef parts[PY_EXPRESSION_DEPTH];
  size_t count = 0;
  parts[count++] = ret_names->node;
  while (ret_names->is_known && count > 0) {
    PyRef part = export_resolve(export->model, parts[--count]);
    if (!is_sum(tree, part)) {
      ret_names->is_known = add_names(export, part, ret_names);
    } else if (count + 2 <= COUNT(parts)) {
      parts[count++] = py_child(tree, part, PY_F_RIGHT);
      parts[count++] = py_child(tree, part, PY_F_LEFT);
    } else {
      ret_names->is_known = false;
    }
  }
}

bool export_has_name(const ExportNames *list, size_t count, Str name)
{
  for (size_t i = 0; i < count; i++) {
    if (str_equal(list->items[i], name))
      return true;
  }
  return false;
}

ExportAcceptance export_acceptance(const PyFile *file, const PyExportArgument *argument)
{
  ExportAcceptance acceptance = { 0 };
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if ((file->torches >> torch & 1) == 0)
      continue;
    bool is_taken = argument && export_api_form(argument, torch);
    bool is_swallowed = !is_taken && export_api_ignores_unknown(file->db, torch);
    acceptance.is_taken |= is_taken;
    acceptance.is_swallowed |= is_swallowed;
    acceptance.is_refused |= !is_taken && !is_swallowed;
  }
  return acceptance;
}

bool export_is_in_context(const ExportCall *export, Str word)
{
  const PyTree *tree = &export->model->tree;
  for (PyRef node = export->call->node; node; node = tree->nodes[node].parent) {
    if (py_kind(tree, node) != PYK_WITH_STATEMENT)
      continue;
    for (PY_EACH_CHILD(tree, item, py_first_child(tree, node))) {
      Str text = py_text(tree, item);
      if (py_kind(tree, item) == PYK_WITH_ITEM && !str_starts_with(text, STR("torch.")) &&
          str_find(text, word, 0) != STR_NOT_FOUND)
        return true;
    }
  }
  return false;
}

Str export_int_meant(const ExportCall *export, PyRef node)
{
  Str text = py_text(&export->model->tree, node);
  if (text.len > 2 && (text.data[0] == '"' || text.data[0] == '\''))
    text = str_slice(text, 1, text.len - 1);
  else if (str_ends_with(text, STR(".0")))
    text = str_slice(text, 0, text.len - 2);
  uint64_t value;
  return str_to_uint(text, 1000, &value) ? text : (Str){ 0 };
}
