// What an export runs beside forward() itself.

#include "python/rules/export/exported_code.h"

#include "base/limits.h"
#include "python/rules/forward/forward_sizes.h"
#include "python/rules/module/module_items.h"

typedef struct Search {
  const Forward *forward;
  bool *tensor_params;
  bool *tensor_results;
  uint8_t *size_params;  ///< By PyModel.params: FORWARD_SIZE_...
  uint32_t *open_axes;   ///< NULL for none.
  ExportedFunctions *functions;
  bool is_changed;  ///< A function or a flag came.
} Search;

void exported_code_add(ExportedFunctions *functions, uint32_t function)
{
  for (size_t i = 0; i < functions->count; i++) {
    if (functions->items[i] == function)
      return;
  }
  if (functions->count < PY_EXPORT_LIMIT)
    vec_push(functions, function);
}

/// `param` gets a tensor there; PY_ABSENT for none.
static void reach(Search *search, uint32_t function, uint32_t param)
{
  size_t before = search->functions->count;
  exported_code_add(search->functions, function);
  search->is_changed |= search->functions->count != before;
  if (param != PY_ABSENT && !search->tensor_params[param])
    search->is_changed = search->tensor_params[param] = true;
}

/// Whether what comes after the module in a Sequential gets one tensor: of a module of the file, if it returns once and
/// nothing that is a tuple or a list.
static bool passes_tensor(const PyModel *model, PyRef part, uint32_t forward)
{
  const PyTree *tree = &model->tree;
  const PyFunction *function = forward == PY_ABSENT ? NULL : &model->functions.items[forward];
  PyRef value =
      function && function->return_count == 1 && function->returned ? py_tree_strip(tree, function->returned) : 0;
  if (!function || module_part_gives_tensor(model, part))
    return module_part_gives_tensor(model, part);
  const PyBinding *binding =
      value && py_kind(tree, value) == PYK_IDENTIFIER ? py_model_binding_of(model, forward, value) : NULL;
  PyRef bound = binding && binding->value ? py_tree_strip(tree, binding->value) : 0;
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_LIST, of_name = bound ? py_kind(tree, bound) : PYK_OTHER;
  bool is_computed = kind == PYK_CALL || kind == PYK_BINARY_OPERATOR || kind == PYK_IDENTIFIER;
  return is_computed && of_name != PYK_LIST && of_name != PYK_TUPLE && of_name != PYK_DICTIONARY &&
         of_name != PYK_LIST_COMPREHENSION;
}

/// `self.net(x)` with `self.net = torch.nn.Sequential(torch.nn.Linear(3, 3), Gate())`: modules of the file in it get a
/// tensor as far as those before give one.
static void follow_sequence(Search *search, Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  PyRef made = forward_own_part(forward, call->function_node);
  const PyCall *maker = py_model_call(model, made);
  if (!maker || !str_equal(maker->qualified, STR("torch.nn.Sequential")) || call->argument_count != 1 ||
      !forward_is_tensor(forward, py_model_arguments(model, call)->value, PY_EXPRESSION_DEPTH))
    return;
  ModuleItems parts;
  module_items(model, made, model->functions.items[forward->function].class_node,
               forward_own_name(forward, call->function_node), &parts);
  for (size_t i = 0; i < parts.count && !parts.has_others; i++) {
    uint32_t callee = export_forward_made(model, parts.items[i].node);
    if (callee != PY_ABSENT && !parts.items[i].is_perhaps && model->functions.items[callee].param_count == 2)
      reach(search, callee, model->functions.items[callee].first_param + 1);
    if (!passes_tensor(model, parts.items[i].node, callee))
      return;
  }
}

static uint32_t param_given(const PyModel *model, const PyFunction *function, const PyArgument *argument,
                            uint32_t position)
{
  for (uint32_t i = 0; i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    bool is_it = argument->keyword.len > 0 ? str_equal(param->name, argument->keyword) : i == position;
    if (is_it && (param->kind == PY_PARAM_PLAIN || param->kind == PY_PARAM_KEYWORD_ONLY))
      return function->first_param + i;
  }
  return PY_ABSENT;
}

/// A size that is given on, and a tensor with open axes.
static void note_sizes(Search *search, Forward *forward, PyRef value, uint32_t callee, uint32_t param)
{
  uint8_t size = (forward_is_traced_size(forward, value) ? FORWARD_SIZE_TRACED : 0) |
                 (forward_is_open_size(forward, value) ? FORWARD_SIZE_OPEN : 0);
  uint32_t axes = search->open_axes ? forward_open_axes(forward, value) : 0;
  if (size != 0 && (search->size_params[param] | size) != search->size_params[param]) {
    search->size_params[param] |= size;
    search->is_changed = true;
    reach(search, callee, PY_ABSENT);
  }
  if (axes != 0 && search->open_axes[param] == 0) {
    search->open_axes[param] = axes;
    search->is_changed = true;
  }
}

/// The call runs that function, whose parameters its arguments are for from `position` on.
static void follow_callee(Search *search, Forward *forward, const PyCall *call, uint32_t callee, uint32_t position)
{
  const PyModel *model = forward->model;
  if (call->has_splat || call->has_dictionary_splat)
    return;
  reach(search, callee, PY_ABSENT);
  for (uint32_t i = 0; i < call->argument_count; i++, position++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    uint32_t param = param_given(model, &model->functions.items[callee], argument, position);
    if (param != PY_ABSENT)
      note_sizes(search, forward, argument->value, callee, param);
    if (param != PY_ABSENT && !search->tensor_params[param] &&
        (forward_is_tensor(forward, argument->value, PY_EXPRESSION_DEPTH) ||
         forward_is_tensor_at_first(forward, argument->value)))
      reach(search, callee, param);
  }
}

/// `layer(x)` in `for layer in self.layers`: each module of the list runs.
static void follow_listed(Search *search, Forward *forward, const PyCall *call)
{
  ModuleItems items;
  if (!forward_looped_items(forward, call->function_node, &items))
    return;
  for (size_t i = 0; i < items.count; i++) {
    uint32_t callee = items.items[i].is_perhaps ? PY_ABSENT : export_forward_made(forward->model, items.items[i].node);
    if (callee != PY_ABSENT)
      follow_callee(search, forward, call, callee, 1);
  }
}

static void follow_call(Search *search, Forward *forward, const PyCall *call)
{
  uint32_t position;
  uint32_t callee = forward_called(forward, call, &position);
  if (callee != PY_ABSENT)
    follow_callee(search, forward, call, callee, position);
  else
    follow_sequence(search, forward, call);
  follow_listed(search, forward, call);
}

/// A function gives a tensor if each of its returns does.
static bool gives_tensor(Forward *forward, PyRef node)
{
  PyRef value = py_first_child(&forward->model->tree, node);
  return value && forward_is_tensor(forward, value, PY_EXPRESSION_DEPTH);
}

bool exported_code_has_symbolic(const Forward *forward, uint32_t function)
{
  const PyModel *model = forward->model;
  for (size_t i = 0; forward->is_traced && i < model->autograds.count && i < PY_METHOD_LIMIT; i++) {
    if (model->autograds.items[i].forward == function)
      return true;
  }
  return false;
}

static void follow_function(Search *search, uint32_t function)
{
  Forward forward = *search->forward;
  const PyModel *model = forward.model;
  forward.function = function;
  forward.tensor_params = search->tensor_params;
  forward.size_params = forward.is_traced ? search->size_params : NULL;
  PyRef body = model->functions.items[function].body;
  uint32_t seen = 0;
  bool has_result = false;
  bool is_tensor = true;
  bool is_replaced = exported_code_has_symbolic(&forward, function);
  for (PyRef node = body; node && node < model->tree.nodes[body].next && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    PyNodeKind kind = py_kind(&model->tree, node);
    if (kind == PYK_RETURN_STATEMENT) {
      has_result = true;
      is_tensor = is_tensor && gives_tensor(&forward, node);
    }
    const PyCall *call = py_model_call(model, node);
    if (py_runs_elsewhere(kind))
      node = model->tree.nodes[node].next - 1;
    else if (call && !is_replaced && !forward_is_conditional(&forward, node))
      follow_call(search, &forward, call);
  }
  if (has_result && is_tensor && !search->tensor_results[function])
    search->is_changed = search->tensor_results[function] = true;
}

/// What runs as a hook: `self.check` of `self.fc.register_forward_hook(self.check)` in a class whose forward() runs,
/// and a function of the file. The third argument is what the layer gives.
static void follow_hook(Search *search, const PyCall *call)
{
  const PyModel *model = search->forward->model;
  const PyTree *tree = &model->tree;
  PyRef function = call->function_node;
  PyRef object = py_tree_object(tree, function);
  if (!object || call->scope == PY_ABSENT || call->argument_count != 1 || call->has_splat ||
      !str_equal(py_tree_member_name(tree, function), STR("register_forward_hook")))
    return;
  Forward maker = *search->forward;
  maker.function = call->scope;
  PyRef class_node = model->functions.items[call->scope].class_node;
  uint32_t run = class_node ? export_method_of(model, class_node, STR("forward")) : PY_ABSENT;
  bool is_run = false;
  for (size_t i = 0; i < search->functions->count; i++)
    is_run |= search->functions->items[i] == run;
  if (!is_run || !module_part_gives_tensor(model, forward_own_part(&maker, object)))
    return;
  PyRef hook = py_model_arguments(model, call)->value;
  Str own = forward_own_name(&maker, hook);
  uint32_t callee = own.len > 0 ? export_method_of(model, class_node, own) : py_model_callable(model, hook).function;
  const PyFunction *found = callee == PY_ABSENT ? NULL : &model->functions.items[callee];
  uint32_t result = own.len > 0 ? 3 : 2;
  if (found && found->outer == found->node && found->param_count == result + 1)
    reach(search, callee, found->first_param + result);
}

static void follow_hooks(Search *search)
{
  const PyModel *model = search->forward->model;
  if (!py_model_mentions(model, "register_forward_hook"))
    return;
  for (size_t i = 0; i < model->calls.count; i++)
    follow_hook(search, &model->calls.items[i]);
}

void exported_code_follow(Forward *forward, bool *tensor_params, uint32_t *open_axes, ExportedFunctions *functions)
{
  bool *results = ARENA_ARRAY(forward->sink->arena, bool, forward->model->functions.count);
  uint8_t *sizes = ARENA_ARRAY(forward->sink->arena, uint8_t, forward->model->params.count + 1);
  forward->tensor_results = results;
  forward->size_params = forward->is_traced ? sizes : NULL;
  Search search = { .forward = forward,
                    .tensor_params = tensor_params,
                    .tensor_results = results,
                    .size_params = sizes,
                    .open_axes = open_axes,
                    .functions = functions,
                    .is_changed = true };
  for (int round = 0; search.is_changed && round < PY_EXPRESSION_DEPTH; round++) {
    search.is_changed = false;
    for (size_t i = 0; i < functions->count; i++)
      follow_function(&search, functions->items[i]);
    follow_hooks(&search);
  }
}

bool exported_code_may_be_replaced(const PyModel *model)
{
  static const char *const words[] = { ".forward = ", "ewrite" };
  return py_model_mentions_one_of(model, words, COUNT(words));
}

void exported_code_add_sequence(const ExportCall *export, bool *tensor_params, ExportedFunctions *functions)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  ExportModel made = export_model(export);
  PyRef args = export_value(export, "args");
  if (!made.made || !args || made.made->has_splat || !str_equal(made.torch_class, STR("Sequential")))
    return;
  bool is_tensor = export_is_tensor(model, py_kind(tree, args) == PYK_TUPLE ? py_tree_first_element(tree, args) : args);
  for (uint32_t i = 0; is_tensor && i < made.made->argument_count; i++) {
    PyRef part = export_model_made(model, py_model_arguments(model, made.made)[i].value);
    uint32_t callee = export_forward_made(model, part);
    if (callee != PY_ABSENT && model->functions.items[callee].param_count == 2) {
      tensor_params[model->functions.items[callee].first_param + 1] = true;
      exported_code_add(functions, callee);
    }
    is_tensor = passes_tensor(model, part, callee);
  }
}

// --- Exports of other files ---

/// How it is run, with the torch that this file is checked for.
static unsigned runs_here(const PyFile *file, const WorkspaceReach *found)
{
  ExportKind kind = (found->runs & MODEL_BY_DEFAULT) != 0 ? py_file_default_exporter(file) : EXPORT_EITHER;
  return found->runs | (kind == EXPORT_TRACES ? MODEL_TRACED : kind == EXPORT_DYNAMO ? MODEL_CAPTURED : 0);
}

/// The first `skip` parameters are given by no argument.
static void add_reached(const PyFile *file, uint32_t index, uint32_t skip, const WorkspaceReach *found,
                        bool *tensor_params, ExportedFunctions *functions, ExportedReach *reach)
{
  const PyModel *model = file->model;
  const PyFunction *function = &model->functions.items[index];
  for (uint32_t i = skip; i < function->param_count && i - skip < 32; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    tensor_params[function->first_param + i] |=
        param->kind == PY_PARAM_PLAIN && (found->tensors >> (i - skip) & 1) != 0;
  }
  exported_code_add(functions, index);
  reach->runs |= runs_here(file, found);
  reach->opsets |= found->opsets;
}

/// Functions that exports of other files call on their way.
static void add_reached_functions(const DiagSink *sink, ModelRun run, bool *tensor_params, ExportedFunctions *functions,
                                  ExportedReach *reach)
{
  const PyModel *model = sink_python(sink)->model;
  Str uri = snapshot_uri(sink->snapshot);
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    bool is_free = function->name.len > 0 && !function->class_node && function->parent == PY_ABSENT &&
                   function->outer == function->node && function->param_count > 0;
    const WorkspaceReach *found = is_free ? workspace_reach(sink->target->workspace, uri, function->name) : NULL;
    if (found && found->module->is_function && (runs_here(sink_python(sink), found) & run) != 0)
      add_reached(sink_python(sink), i, 0, found, tensor_params, functions, reach);
  }
}

void exported_code_reach(const DiagSink *sink, ModelRun run, bool *tensor_params, ExportedFunctions *functions,
                         ExportedReach *reach)
{
  const PyModel *model = sink_python(sink)->model;
  Str uri = snapshot_uri(sink->snapshot);
  for (int is_part = 0; is_part <= 1; is_part++) {
    for (size_t i = 0; i < model->classes.count; i++) {
      const PyClass *class = &model->classes.items[i];
      const WorkspaceReach *found =
          class->is_module ? workspace_reach(sink->target->workspace, uri, class->name) : NULL;
      uint32_t method = found ? export_method_of(model, class->node, STR("forward")) : PY_ABSENT;
      if (method == PY_ABSENT || (runs_here(sink_python(sink), found) & run) == 0 ||
          ((found->runs & MODEL_IS_WHOLE) == 0) != is_part)
        continue;
      add_reached(sink_python(sink), method, 1, found, tensor_params, functions, reach);
    }
    if (!is_part)
      reach->whole = functions->count;
  }
  add_reached_functions(sink, run, tensor_params, functions, reach);
}
