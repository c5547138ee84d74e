// What the calls `Function.apply(x, 8)` of a file pass to a torch.autograd.Function: symbolic() gets values of the
// graph for tensors, and everything else as it is.

#include "base/limits.h"
#include "python/model/python_file_private.h"

typedef struct Applied {
  PyFile *file;
  const PyModel *model;
  uint32_t *symbolics;  ///< By binding of a class: its symbolic(); PY_ABSENT.
  uint32_t *kinds;      ///< By parameter: what was passed so far; 0 for nothing.
  int steps;            ///< Nodes that may still be looked at for `self.x`.
} Applied;

enum {
  UNSURE = 1 << 30,  ///< Among the kinds: something that is not known.
};

/// `torch.nn.Parameter(...)`, `torch.ones(3)`
static bool makes_tensor(const PyModel *model, PyRef node)
{
  static const char *const names[] = { "torch.nn.Parameter", "torch.nn.parameter.Parameter",
                                       "torch.tensor",       "torch.ones",
                                       "torch.zeros",        "torch.randn",
                                       "torch.full",         "torch.rand" };
  const PyCall *call = py_model_call(model, node);
  return call && str_is_one_of(call->qualified, names, COUNT(names));
}

/// `[3, 2]`: PY_INTS, PY_FLOATS, or a list of something else.
static uint32_t kind_of_list(const PyModel *model, PyRef list)
{
  uint32_t elements = 0;
  int length = 0;
  for (PyRef item = py_tree_first_element(&model->tree, list); item && length < PY_ELEMENT_LIMIT;
       item = py_tree_next_element(&model->tree, item), length++) {
    PyNodeKind kind = py_kind(&model->tree, item);
    elements |= kind == PYK_INTEGER ? PY_INTS : kind == PYK_FLOAT ? PY_FLOATS : PY_LIST;
  }
  return elements == PY_INTS || elements == PY_FLOATS ? elements : PY_LIST;
}

/// `torch.float16`, `torch.device("cpu")`
static uint32_t kind_of_name(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  if (call)
    return str_equal(call->qualified, STR("torch.device")) ? PY_DEVICE : UNSURE;
  Arena arena = { 0 };
  bool is_type =
      py_kind(&model->tree, node) == PYK_ATTRIBUTE && py_model_is_dtype(py_model_qualified(model, node, &arena));
  arena_done(&arena);
  return is_type ? PY_DTYPE : UNSURE;
}

static uint32_t kind_of_literal(const PyModel *model, PyRef node)
{
  switch (py_kind(&model->tree, node)) {
  case PYK_LIST:
  case PYK_TUPLE:
    return kind_of_list(model, node);
  case PYK_NONE:
    return PY_NONE;
  case PYK_INTEGER:
    return PY_INT;
  case PYK_FLOAT:
    return PY_FLOAT;
  case PYK_TRUE:
  case PYK_FALSE:
    return PY_BOOL;
  case PYK_STRING:
    return PY_STRING;
  case PYK_DICTIONARY:
    return PY_DICT;
  case PYK_LAMBDA:
    return PY_FUNCTION;
  default:
    return makes_tensor(model, node) ? PY_VALUE : kind_of_name(model, node);
  }
}

/// `forward` of the class that an export makes its model of; PY_ABSENT.
static uint32_t exported_forward(const PyModel *model, const PyCall *export)
{
  const PyArgument *argument = py_model_argument(model, export, 0, "model");
  const PyCall *made = argument ? py_model_call(model, py_model_resolve(model, argument->value)) : NULL;
  return made ? py_model_method(model, py_model_class_named(model, made->function_node), STR("forward")) : PY_ABSENT;
}

/// What forward() of an exported model gets for its parameters: the example inputs.
static void read_export(Applied *applied, const PyCall *export)
{
  const PyModel *model = applied->model;
  uint32_t forward = exported_forward(model, export);
  const PyArgument *argument = py_model_argument(model, export, 1, "args");
  if (forward == PY_ABSENT || !argument)
    return;
  const PyFunction *function = &model->functions.items[forward];
  PyRef inputs = py_model_resolve(model, argument->value);
  bool is_tuple = py_kind(&model->tree, inputs) == PYK_TUPLE;
  PyRef input = is_tuple ? py_tree_first_element(&model->tree, inputs) : inputs;
  for (uint32_t i = 1; i < function->plain_count && input; i++) {
    uint32_t kinds = kind_of_literal(model, py_model_resolve(model, input));
    applied->kinds[function->first_param + i] |= kinds == PY_VALUE ? PY_VALUE | PY_TRACED : kinds;
    input = is_tuple ? py_tree_next_element(&model->tree, input) : 0;
  }
}

static uint32_t kind_of_parameter(const Applied *applied, PyRef name);

/// What calls of a class of the file give the parameters of its __init__().
static void read_made_object(Applied *applied, const PyCall *call)
{
  const PyModel *model = applied->model;
  uint32_t init = py_model_method(model, py_model_class_named(model, call->function_node), STR("__init__"));
  const PyFunction *function = init == PY_ABSENT ? NULL : &model->functions.items[init];
  for (uint32_t i = 1; function && i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    const PyArgument *argument = py_model_argument_of(model, call, i - 1, param->name);
    PyRef value = argument ? argument->value : param->default_value;
    bool is_known = value && !call->has_splat && !call->has_dictionary_splat;
    applied->kinds[function->first_param + i] |=
        is_known ? kind_of_literal(model, py_model_resolve(model, value)) : UNSURE;
  }
}

/// Whether it is a function of the module, by which a model may call apply().
static bool is_helper(const PyFunction *function)
{
  return !function->class_node && !function->has_unknown_decorator && function->outer == function->node;
}

static uint32_t kind_of_argument(Applied *applied, const PyCall *call, PyRef value);

/// What calls of a function of the file, also by another name (`self.quant = quantize`), give its parameters.
static void read_helper_call(Applied *applied, const PyCall *call)
{
  const PyModel *model = applied->model;
  uint32_t index = call->function;
  if (index == PY_ABSENT && call->qualified.len == 0) {
    PyCallable callable = py_model_callable(model, call->function_node);
    index = callable.partial == PY_ABSENT ? callable.function : PY_ABSENT;
  }
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  for (uint32_t i = 0; function && is_helper(function) && i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    const PyArgument *argument = py_model_argument_of(model, call, i, param->name);
    PyRef value = argument ? argument->value : param->default_value;
    bool is_known = value && !call->has_splat && !call->has_dictionary_splat;
    applied->kinds[function->first_param + i] |= is_known ? kind_of_argument(applied, call, value) : UNSURE;
  }
}

static bool is_weight(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  return call && str_ends_with(call->qualified, STR(".Parameter"));
}

/// `self.register_buffer("name", torch.tensor(...))`: a trace has buffers as it has weights.
static bool is_buffer(const PyModel *model, PyRef node, Str name)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, node);
  const PyArgument *named = call && str_equal(py_text(tree, call->function_node), STR("self.register_buffer"))
                                ? py_model_argument(model, call, 0, "name")
                                : NULL;
  const PyArgument *tensor = named ? py_model_argument(model, call, 1, "tensor") : NULL;
  Str text = named && py_kind(tree, named->value) == PYK_STRING ? py_text(tree, named->value) : (Str){ 0 };
  return tensor && text.len > 2 && str_equal(str_slice(text, 1, text.len - 1), name) &&
         makes_tensor(model, py_model_resolve(model, tensor->value));
}

/// What the class of the method sets `self.name` to, if that is one kind.
static uint32_t kind_of_member(Applied *applied, uint32_t scope, Str name)
{
  const PyModel *model = applied->model;
  const PyTree *tree = &model->tree;
  PyRef class_node = scope == PY_ABSENT ? 0 : model->functions.items[scope].class_node;
  uint32_t kinds = 0;
  for (PY_EACH_NODE(tree, node, class_node)) {
    if (applied->steps-- <= 0)
      return UNSURE;
    kinds |= is_buffer(model, node, name) ? PY_VALUE | PY_TRACED : 0;
    PyRef left = py_kind(tree, node) == PYK_ASSIGNMENT ? py_child(tree, node, PY_F_LEFT) : 0;
    PyRef right = left ? py_child(tree, node, PY_F_RIGHT) : 0;
    if (!right || !str_equal(py_tree_own_name(tree, left), name))
      continue;
    right = py_model_resolve(model, right);
    kinds |= is_weight(model, right) ? PY_TRACED : 0;
    kinds |= py_kind(tree, right) == PYK_IDENTIFIER ? kind_of_parameter(applied, right) : kind_of_literal(model, right);
  }
  return kinds ? kinds : UNSURE;
}

static uint32_t kind_of_parameter(const Applied *applied, PyRef name)
{
  const PyModel *model = applied->model;
  const PyBinding *binding = py_model_binding_at(model, name);
  uint32_t kinds = py_binding_is_only(binding, PY_BIND_PARAM) ? applied->kinds[binding->index] : 0;
  return kinds ? kinds : UNSURE;
}

/// `x.shape` and `x.size()` of what a module's forward() gets.
static bool is_shape_of_input(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, node);
  PyRef attribute = call ? call->function_node : node;
  PyRef object = py_tree_object(tree, attribute);
  if (!object || py_kind(tree, object) != PYK_IDENTIFIER ||
      !str_equal(py_tree_member_name(tree, attribute), call ? STR("size") : STR("shape")))
    return false;
  uint32_t scope = py_model_scope_of(model, node);
  const PyFunction *function = scope == PY_ABSENT ? NULL : &model->functions.items[scope];
  const PyClass *class = function ? py_model_class_at(model, function->class_node) : NULL;
  const PyBinding *binding = py_model_binding_of(model, scope, object);
  return class && class->is_module && str_equal(function->name, STR("forward")) && binding &&
         binding->kind == PY_BIND_PARAM && binding->scope == scope && binding->index != function->first_param;
}

/// One size of an input, which is a tensor while forward() is traced, and a plain number else.
static bool is_size(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, node);
  if (call)
    return call->argument_count == 1 && is_shape_of_input(model, node);
  if (py_kind(tree, node) == PYK_SUBSCRIPT) {
    PyRef index = py_child(tree, node, PY_F_SUBSCRIPT);
    PyRef shape = py_child(tree, node, PY_F_VALUE);
    return index && py_kind(tree, index) != PYK_SLICE && shape && is_shape_of_input(model, shape);
  }
  const PyBinding *binding = py_model_binding_at(model, node);
  return py_binding_is_only(binding, PY_BIND_OTHER) && binding->unpack != PY_ABSENT && binding->value &&
         is_shape_of_input(model, binding->value);
}

/// `x.shape[1] // 4`: what is computed of a size by whole numbers is a tensor, too.
static bool is_traced_size(const PyModel *model, PyRef node)
{
  const PyTree *tree = &model->tree;
  for (int depth = 0; depth < PY_EXPRESSION_DEPTH && py_kind(tree, node) == PYK_BINARY_OPERATOR; depth++) {
    PyRef left = py_child(tree, node, PY_F_LEFT);
    PyRef right = py_child(tree, node, PY_F_RIGHT);
    if (!left || !right)
      return false;
    right = py_model_resolve(model, right);
    bool is_number = py_kind(tree, right) == PYK_INTEGER;
    node = py_model_resolve(model, is_number ? left : right);
    if (!is_number && py_kind(tree, py_model_resolve(model, left)) != PYK_INTEGER)
      return false;
  }
  return is_size(model, node);
}

/// The only argument that calls of the class give that parameter of its __init__(), or its default; 0.
static PyRef only_argument(Applied *applied, PyRef name)
{
  const PyModel *model = applied->model;
  const PyBinding *binding = py_model_binding_at(model, name);
  const PyFunction *function =
      py_binding_is_only(binding, PY_BIND_PARAM) ? &model->functions.items[binding->scope] : NULL;
  if (!function || !function->class_node || !str_equal(function->name, STR("__init__")))
    return 0;
  uint32_t position = binding->index - function->first_param;
  PyRef found = 0;
  // One that derives from it hands on what it likes.
  for (size_t i = 0; i < model->classes.count; i++) {
    uint32_t base = model->classes.items[i].base;
    if (base != PY_ABSENT && model->classes.items[base].node == function->class_node)
      return 0;
  }
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (applied->steps-- <= 0)
      return 0;
    if (py_model_class_named(model, call->function_node) != function->class_node)
      continue;
    const PyArgument *argument = py_model_argument_of(model, call, position - 1, binding->name);
    if (found || call->has_splat || call->has_dictionary_splat)
      return 0;
    found = argument ? argument->value : py_model_params(model, function)[position].default_value;
  }
  return found;
}

/// What the class of the method sets `self.name` to, if it does so once; 0.
static PyRef only_member(Applied *applied, PyRef attribute)
{
  const PyModel *model = applied->model;
  const PyTree *tree = &model->tree;
  Str name = py_tree_own_name(tree, attribute);
  uint32_t scope = py_model_scope_of(model, attribute);
  PyRef class_node = scope == PY_ABSENT || name.len == 0 ? 0 : model->functions.items[scope].class_node;
  PyRef found = 0;
  for (PY_EACH_NODE(tree, node, class_node)) {
    if (applied->steps-- <= 0)
      return 0;
    PyRef left = py_kind(tree, node) == PYK_ASSIGNMENT ? py_child(tree, node, PY_F_LEFT) : 0;
    if (!left || !str_equal(py_tree_own_name(tree, left), name))
      continue;
    if (found)
      return 0;
    found = py_child(tree, node, PY_F_RIGHT);
  }
  return found;
}

/// What `self.stride`, `cfg["stride"]` and `self.cfg["stride"]` are where the only call that makes the object has it
/// written out; 0.
static PyRef configured(Applied *applied, PyRef node)
{
  const PyModel *model = applied->model;
  const PyTree *tree = &model->tree;
  PyRef keys[4];
  size_t count = 0;
  for (int depth = 0; node && depth < PY_CHAIN_LIMIT; depth++) {
    node = py_model_resolve(model, node);
    PyNodeKind kind = py_kind(tree, node);
    if (kind == PYK_DICTIONARY ||
        (count == 0 && kind != PYK_SUBSCRIPT && kind != PYK_ATTRIBUTE && kind != PYK_IDENTIFIER))
      break;
    if (kind == PYK_SUBSCRIPT && count < COUNT(keys))
      keys[count++] = py_child(tree, node, PY_F_SUBSCRIPT);
    node = kind == PYK_SUBSCRIPT    ? py_child(tree, node, PY_F_VALUE)
           : kind == PYK_ATTRIBUTE  ? only_member(applied, node)
           : kind == PYK_IDENTIFIER ? only_argument(applied, node)
                                    : 0;
  }
  while (node && count > 0)
    node = keys[--count] ? py_model_element(model, node, py_model_resolve(model, keys[count])) : 0;
  return node;
}

static uint32_t kind_of_argument(Applied *applied, const PyCall *call, PyRef value)
{
  const PyTree *tree = &applied->model->tree;
  PyRef known = py_model_resolve(applied->model, value);
  if (is_traced_size(applied->model, known))
    return PY_VALUE;
  if (py_tree_own_name(tree, value).len > 0 && is_weight(applied->model, known))
    return PY_VALUE | PY_TRACED;
  Str own = py_tree_own_name(tree, known);
  uint32_t kinds = py_kind(tree, known) == PYK_IDENTIFIER ? kind_of_parameter(applied, known)
                   : own.len > 0                          ? kind_of_member(applied, call->scope, own)
                                                          : kind_of_literal(applied->model, known);
  PyRef found = kinds & UNSURE ? configured(applied, known) : 0;
  return found ? kind_of_literal(applied->model, found) : kinds;
}

/// The symbolic() of the class of `Class.apply`; PY_ABSENT.
static uint32_t symbolic_of(const Applied *applied, const PyCall *call)
{
  const PyModel *model = applied->model;
  PyRef function = py_model_resolve(model, call->function_node);
  if (!str_equal(py_tree_member_name(&model->tree, function), STR("apply")))
    return PY_ABSENT;
  PyRef object = py_tree_object(&model->tree, function);
  uint32_t binding = object && py_kind(&model->tree, object) == PYK_IDENTIFIER
                         ? py_model_lookup(model, call->scope, py_text(&model->tree, object))
                         : PY_ABSENT;
  return binding == PY_ABSENT ? PY_ABSENT : applied->symbolics[binding];
}

static void read_call(Applied *applied, const PyCall *call)
{
  const PyModel *model = applied->model;
  uint32_t symbolic = symbolic_of(applied, call);
  if (symbolic == PY_ABSENT)
    return;
  const PyFunction *function = &model->functions.items[symbolic];
  uint32_t given = function->is_class_method ? 2 : 1;  // The class and the graph.
  for (uint32_t i = 0; i + given < function->param_count; i++) {
    const PyArgument *argument = i < call->argument_count ? &py_model_arguments(model, call)[i] : NULL;
    PyRef standard = py_model_params(model, function)[given + i].default_value;
    bool is_plain =
        (argument ? argument->keyword.len == 0 : standard != 0) && !call->has_splat && !call->has_dictionary_splat;
    applied->kinds[function->first_param + given + i] |=
        is_plain ? kind_of_argument(applied, call, argument ? argument->value : standard) : UNSURE;
  }
}

static void find_symbolics(Applied *applied)
{
  const PyModel *model = applied->model;
  for (size_t i = 0; i < model->bindings.count; i++)
    applied->symbolics[i] = PY_ABSENT;
  for (size_t i = 0; i < model->autograds.count; i++) {
    const PyAutograd *autograd = &model->autograds.items[i];
    PyRef name = py_child(&model->tree, autograd->class_node, PY_F_NAME);
    uint32_t scope = py_model_scope_of(model, autograd->class_node);
    uint32_t binding = name ? py_model_lookup(model, scope, py_text(&model->tree, name)) : PY_ABSENT;
    if (binding != PY_ABSENT && model->bindings.items[binding].kind == PY_BIND_CLASS &&
        model->bindings.items[binding].next == PY_ABSENT)
      applied->symbolics[binding] = autograd->symbolic;
  }
}

/// A function of the module may be called by others, too.
static void keep_kinds(const Applied *applied, const PyFunction *function)
{
  for (uint32_t i = function->first_param; i < function->first_param + function->param_count; i++) {
    if (!is_helper(function) && applied->kinds[i] != 0 && (applied->kinds[i] & UNSURE) == 0)
      applied->file->argument_kinds[i] = applied->kinds[i];
    else if (!is_helper(function))
      applied->file->argument_kinds[i] |= applied->kinds[i] & PY_TRACED;
  }
}

void python_find_applied_kinds(PyFile *file)
{
  const PyModel *model = file->model;
  if (model->autograds.count == 0)
    return;
  Applied applied = { .file = file, .model = model, .steps = PY_TRACING_WORK };
  applied.symbolics = xcalloc(model->bindings.count + 1, sizeof(*applied.symbolics));
  applied.kinds = xcalloc(model->params.count + 1, sizeof(*applied.kinds));
  find_symbolics(&applied);
  for (size_t i = 0; i < model->exports.count; i++)
    read_export(&applied, &model->calls.items[model->exports.items[i]]);
  for (size_t i = 0; i < model->calls.count && model->classes.count > 0; i++)
    read_made_object(&applied, &model->calls.items[i]);
  for (size_t i = 0; i < model->calls.count; i++)
    read_helper_call(&applied, &model->calls.items[i]);
  for (size_t i = 0; i < model->calls.count; i++)
    read_call(&applied, &model->calls.items[i]);
  for (size_t i = 0; i < model->functions.count; i++)
    keep_kinds(&applied, &model->functions.items[i]);
  free(applied.symbolics);
  free(applied.kinds);
}
