// The model that an export is of, as far as the file shows how it is made.

#include "base/limits.h"
#include "python/rules/export/export_call.h"
#include "python/rules/forward/forward_tensors.h"

/// Methods that give back what they are called on, for our purposes.
static bool is_passing_method(Str name)
{
  static const char *const names[] = { "eval",  "train",  "to",       "cpu",          "cuda",   "half",
                                       "float", "double", "bfloat16", "contiguous",   "detach", "requires_grad_",
                                       "long",  "int",    "bool",     "share_memory", "type",   "clone" };
  return str_is_one_of(name, names, COUNT(names));
}

/// `x` of `x.eval()`; 0 for other expressions.
static PyRef object_of_passing(const PyTree *tree, PyRef node)
{
  PyRef function = py_tree_callee(tree, node);
  return is_passing_method(py_tree_member_name(tree, function)) ? py_tree_object(tree, function) : 0;
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

/// Whether it is `name.eval().half()` of that name.
static bool is_passing_of(const PyModel *model, PyRef node, Str name)
{
  PyRef object = node ? py_tree_strip(&model->tree, node) : 0;
  int depth = 0;
  for (PyRef next; object && (next = object_of_passing(&model->tree, object)) != 0 && depth < PY_CHAIN_LIMIT; depth++)
    object = next;
  return depth > 0 && object && str_equal(py_text(&model->tree, object), name);
}

/// The only value of a name, but for what its own methods make of it; 0.
static PyRef value_but_for_passing(const PyModel *model, PyRef node)
{
  Str name = py_text(&model->tree, node);
  uint32_t scope = py_model_scope_of(model, node);
  uint32_t at = py_model_lookup(model, scope, name);
  PyRef value = 0;
  for (; at != PY_ABSENT; at = model->bindings.items[at].next) {
    const PyBinding *binding = &model->bindings.items[at];
    bool is_param = binding->kind == PY_BIND_PARAM;
    if (binding->scope != scope || (binding->kind != PY_BIND_ASSIGN && !is_param) || binding->is_changed ||
        binding->node > node)
      return 0;
    if (!is_param && is_passing_of(model, binding->value, name))
      continue;
    if (value)
      return 0;
    value = is_param ? py_model_given(model, node, binding) : binding->value;
    if (!value)
      return 0;
  }
  return value;
}

PyRef export_model_made(const PyModel *model, PyRef node)
{
  PyRef made = after_methods(model, node);
  PyRef value = py_kind(&model->tree, made) == PYK_IDENTIFIER ? value_but_for_passing(model, made) : 0;
  return value ? after_methods(model, value) : made;
}

PyRef export_class_named(const PyModel *model, uint32_t scope, PyRef name)
{
  const PyTree *tree = &model->tree;
  if (py_kind(tree, name) != PYK_IDENTIFIER)
    return 0;
  const PyBinding *binding = py_model_binding_of(model, scope, name);
  if (!py_binding_is_only(binding, PY_BIND_CLASS))
    return 0;
  for (size_t i = 0; i < model->classes.count; i++) {
    PyRef class_node = model->classes.items[i].node;
    if (model->classes.items[i].is_module && py_child(tree, class_node, PY_F_NAME) == binding->node)
      return class_node;
  }
  return 0;
}

PyRef export_class_made(const PyModel *model, const PyCall *call)
{
  PyRef name = call ? call->function_node : 0, found = name ? export_class_named(model, call->scope, name) : 0;
  PyNodeKind kind = name ? py_kind(&model->tree, name) : PYK_OTHER;
  if (found || (kind != PYK_SUBSCRIPT && (kind != PYK_IDENTIFIER || call->function != PY_ABSENT)))
    return found;
  PyRef meant = py_model_resolve(model, name);  // `MODELS["small"](10)`
  return meant != name ? export_class_named(model, py_model_scope_of(model, meant), meant) : 0;
}

uint32_t export_forward_made(const PyModel *model, PyRef made)
{
  PyRef class_node = export_class_made(model, py_model_call(model, made));
  return class_node ? export_method_of(model, class_node, STR("forward")) : PY_ABSENT;
}

uint32_t export_method_named(const PyModel *model, PyRef class_node, Str name)
{
  uint32_t found = py_model_own_method(model, class_node, name);
  const PyFunction *function = found == PY_ABSENT ? NULL : &model->functions.items[found];
  bool is_plain =
      function && (function->outer == function->node || (function->is_static && !function->has_unknown_decorator));
  return is_plain ? found : PY_ABSENT;
}

bool export_is_scripted(const PyModel *model, uint32_t function, Arena *arena)
{
  for (PY_EACH_DECORATOR(model, name, model->functions.items[function].outer)) {
    if (str_equal(py_model_qualified(model, name, arena), STR("torch.jit.script")))
      return true;
  }
  return false;
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
    if (export_class_made(model, call) != class_node)
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
    const PyBinding *binding = py_model_binding_at(model, node);
    PyRef object = py_kind(tree, node) == PYK_CALL ? object_of_passing(tree, node) : 0;
    if (py_binding_is_only(binding, PY_BIND_ASSIGN))
      node = binding->value;
    else if (object)
      node = object;
    else
      return node;
  }
  return elsewhere;
}

static ExportModel find_model(const ExportCall *export, PyRef value)
{
  const PyModel *model = export->model;
  ExportModel found = { .forward = PY_ABSENT };
  if (!value || is_changed_around(export, value))
    return found;
  PyRef node = call_of_foreign(model, value, export_model_made(model, value));
  const PyCall *call = py_model_call(model, node);
  if (!call)
    return py_kind(&model->tree, node) == PYK_IDENTIFIER ? model_of_self(model, node) : found;
  found.node = node;
  found.made = call;
  Str name = found.made->qualified;
  size_t dot = str_rfind_char(name, '.');
  if (str_starts_with(name, STR("torch.nn.")) && dot != STR_NOT_FOUND)
    found.torch_class = str_slice(name, dot + 1, name.len);
  found.class_node = export_class_made(model, found.made);
  if (found.class_node && py_model_member_is_set_elsewhere(model, found.class_node, STR("forward")))
    return (ExportModel){ .forward = PY_ABSENT };
  if (found.class_node)
    found.forward = export_method_of(model, found.class_node, STR("forward"));
  return found;
}

ExportModel export_model(const ExportCall *export)
{
  const PyArgument *argument = export_argument(export, "model");
  ExportModel made = find_model(export, argument ? argument->value : 0);
  find_params(export, &made);
  return made;
}

ExportModel export_model_run(const ExportCall *export, const ExportModel *made)
{
  bool is_script = made->made && str_equal(made->made->qualified, STR("torch.jit.script"));
  bool is_trace = made->made && str_equal(made->made->qualified, STR("torch.jit.trace"));
  const PyArgument *inner =
      is_script || is_trace ? py_model_argument(export->model, made->made, 0, is_script ? "obj" : "func") : NULL;
  ExportModel run = inner && !inner->is_splat ? find_model(export, inner->value) : *made;
  // A trace of a model has the branches that its own example took.
  if (is_trace && run.forward != PY_ABSENT)
    return *made;
  find_params(export, &run);
  return run;
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
