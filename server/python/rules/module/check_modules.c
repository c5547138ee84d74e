// Modules that fail when they are made or run, with or without an export. Each was run with torch 1.13, 2.6 and 2.14.

#include "base/ascii.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "python/rules/export/exported_code.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/module/module_members.h"
#include "python/rules/public_objects.h"
#include "python/rules/symbolic/value_check.h"

/// A class of the file that derives from torch.nn.Module alone.
typedef struct Checked {
  DiagSink *sink;
  const PyModel *model;
  const ModuleParts *parts;
  PyRef class_node;
  Str name;
  bool has_others;  ///< Members may come in other ways than by an assignment,
  bool has_names;   ///< and names from where they are not seen.
} Checked;

static void say(const Checked *checked, PyRef node, Str message)
{
  if (!py_tree_try_around(&checked->model->tree, node) && sink_wants(checked->sink, RULE_BROKEN_MODULE, OWN))
    py_say(checked->sink, RULE_BROKEN_MODULE, OWN, node, message, NULL);
}

/// The name of a class of torch.nn, "Linear"; empty for other names.
static Str class_of_torch(Str qualified)
{
  Str space = STR("torch.nn.");
  Str name = str_starts_with(qualified, space) ? str_slice(qualified, space.len, qualified.len) : (Str){ 0 };
  return name.len > 0 && ascii_is_upper(name.data[0]) && !str_contains(name, STR(".")) ? name : (Str){ 0 };
}

// --- __init__() ---

/// `super().__init__()`, `nn.Module.__init__(self)`
static bool is_base_init(const PyTree *tree, PyRef node)
{
  PyRef function = py_tree_callee(tree, node);
  return function && str_equal(py_tree_member_name(tree, function), STR("__init__"));
}

/// `self.layer` of `self.layer = nn.Linear(4, 4)`, which is a statement of its own; 0.
static PyRef kept_layer(const PyModel *model, PyRef statement)
{
  const PyTree *tree = &model->tree;
  PyRef assignment = py_kind(tree, statement) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, statement) : 0;
  PyRef left = assignment && py_kind(tree, assignment) == PYK_ASSIGNMENT ? py_child(tree, assignment, PY_F_LEFT) : 0;
  PyRef right = left ? py_child(tree, assignment, PY_F_RIGHT) : 0;
  const PyCall *call = right ? py_model_call(model, right) : NULL;
  return call && py_tree_own_name(tree, left).len > 0 && class_of_torch(call->qualified).len > 0 ? left : 0;
}

static void check_init(const Checked *checked)
{
  const PyModel *model = checked->model;
  const PyTree *tree = &model->tree;
  uint32_t index = export_method_named(model, checked->class_node, STR("__init__"));
  PyRef body = index == PY_ABSENT ? 0 : model->functions.items[index].body;
  for (PyRef statement = body ? py_first_child(tree, body) : 0; statement;
       statement = py_next_sibling(tree, statement)) {
    PyRef layer = kept_layer(model, statement);
    if (layer) {
      say(checked, layer,
          STR("A module can keep layers and parameters only after super().__init__(), which comes first in "
              "__init__()."));
      return;
    }
    for (PyRef node = statement; node < tree->nodes[statement].next; node++) {
      if (is_base_init(tree, node))
        return;
    }
  }
}

static Str without_underscores(Str name)
{
  size_t start = 0, end = name.len;
  while (start < end && name.data[start] == '_')
    start++;
  while (end > start && name.data[end - 1] == '_')
    end--;
  return str_slice(name, start, end);
}

/// The first method of the class whose name is nearly `wanted`; PY_ABSENT. Underscores at its ends don't count.
static uint32_t method_like(const Checked *checked, const char *wanted)
{
  const PyModel *model = checked->model;
  PyRef body = py_child(&model->tree, checked->class_node, PY_F_BODY);
  for (PY_EACH_CHILD(&model->tree, node, body)) {
    PyRef name = py_kind(&model->tree, node) == PYK_FUNCTION_DEFINITION ? py_child(&model->tree, node, PY_F_NAME) : 0;
    Str text = name ? py_text(&model->tree, name) : (Str){ 0 };
    if (text.len > 0 && nearest_word(arena_copy(checked->sink->arena, without_underscores(text)).data, &wanted, 1))
      return export_method_named(model, checked->class_node, text);
  }
  return PY_ABSENT;
}

/// `def init(self)` that sets up layers, in a class without __init__().
static bool check_misspelt_init(const Checked *checked)
{
  const PyModel *model = checked->model;
  const PyTree *tree = &model->tree;
  bool has_init = py_model_own_method(model, checked->class_node, STR("__init__")) != PY_ABSENT;
  uint32_t index = has_init ? PY_ABSENT : method_like(checked, "init");
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  if (!function || function->first_method_call != PY_ABSENT)
    return false;
  for (PyRef statement = py_first_child(tree, function->body); statement;
       statement = py_next_sibling(tree, statement)) {
    if (!kept_layer(model, statement))
      continue;
    say(checked, function->name_node,
        arena_printf(checked->sink->arena, "Nothing calls '%.*s': what makes the layers is __init__().",
                     STR_ARG(function->name)));
    return true;
  }
  return false;
}

// --- forward() ---

static bool is_of_module(const Checked *checked, Str name)
{
  return name.data[0] == '_' || public_is_of_module(sink_python(checked->sink)->db, name, checked->sink->arena);
}

/// A container that only holds modules or parameters.
static bool is_container(Str qualified)
{
  static const char *const names[] = { "torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.ParameterList",
                                       "torch.nn.ParameterDict" };
  return str_is_one_of(qualified, names, COUNT(names));
}

/// Layers that give their output and what they keep, in a tuple.
static bool gives_two(Str qualified)
{
  static const char *const names[] = { "torch.nn.LSTM", "torch.nn.GRU", "torch.nn.RNN" };
  return str_is_one_of(qualified, names, COUNT(names));
}

/// `self.layers(x)` of a list, and `self.layr` that nothing sets.
static void check_member(const Checked *checked, Forward *forward, PyRef node)
{
  const PyModel *model = checked->model;
  const PyTree *tree = &model->tree;
  Str name = forward_own_name(forward, node);
  if (name.len == 0)
    return;
  PyRef part = module_parts_unchanged(checked->parts, model, checked->class_node, name);
  const PyCall *made = part ? py_model_call(model, part) : NULL;
  PyRef parent = tree->nodes[node].parent;
  bool is_called = py_kind(tree, parent) == PYK_CALL && py_child(tree, parent, PY_F_FUNCTION) == node;
  bool is_list = is_called && made && is_container(made->qualified);
  bool is_missing = !checked->has_others && tree->nodes[node].field != PY_F_LEFT && !is_of_module(checked, name) &&
                    !py_model_names_member(model, checked->class_node, name) &&
                    !module_parts_sets(checked->parts, checked->class_node, name);
  if ((!is_list && !is_missing) || !forward_runs_always(forward, node))
    return;
  if (is_list)
    say(checked, node,
        arena_printf(checked->sink->arena, "A %.*s holds its elements and can't be called: go through them, or use %s.",
                     STR_ARG(made->qualified), "torch.nn.Sequential"));
  else
    say(checked, node,
        arena_printf(checked->sink->arena, "Nothing sets '%.*s' of %.*s.", STR_ARG(name), STR_ARG(checked->name)));
}

/// `fc(x)`, where nothing is called fc.
static void check_name(const Checked *checked, Forward *forward, PyRef name)
{
  Str text = py_text(&checked->model->tree, name);
  if (checked->has_names || !value_is_unbound(checked->model, name) || !forward_runs_always(forward, name))
    return;
  const char *own = py_model_names_member(checked->model, checked->class_node, text) ? "self." : NULL;
  say(checked, name,
      own ? arena_printf(checked->sink->arena, "Nothing is called '%.*s' here: the module has self.%.*s.",
                         STR_ARG(text), STR_ARG(text))
          : arena_printf(checked->sink->arena, "Nothing is called '%.*s' here: this raises a NameError.",
                         STR_ARG(text)));
}

/// `torch.zeros(2, device="cuda")`, `torch.zeros(2).cuda()` and `torch.zeros(2).to("cuda:0")`.
static bool is_made_on_gpu(const Checked *checked, PyRef node)
{
  const PyModel *model = checked->model;
  const PyCall *call = py_model_call(model, node);
  const PyArgument *device = call ? py_model_argument(model, call, PY_ABSENT, "device") : NULL;
  PyRef object = call && !device ? py_tree_object(&model->tree, call->function_node) : 0;
  Str method = object ? py_tree_member_name(&model->tree, call->function_node) : (Str){ 0 };
  Str name = STR("cuda");
  if (object && str_equal(method, STR("to")))
    device = py_model_argument(model, call, 0, "device");
  else if (object && !str_equal(method, STR("cuda")))
    return false;
  return call && export_tensor_call(model, object ? object : node) &&
         (!device || py_model_string(model, device->value, checked->sink->arena, &name)) &&
         str_starts_with(name, STR("cuda"));
}

/// The only place of the file that speaks of a GPU: weights and inputs are not there.
static void check_device(const Checked *checked, Forward *forward, PyRef node)
{
  const PyTree *tree = &checked->model->tree;
  Str rest = str_slice(tree->text, str_find(tree->text, STR("cuda"), 0) + 1, tree->text.len);
  static const char *const movers[] = { "set_default", ".to(device", "accelerat", "Trainer(" };
  if (is_made_on_gpu(checked, node) && str_find(rest, STR("cuda"), 0) == STR_NOT_FOUND &&
      !py_model_mentions_one_of(checked->model, movers, COUNT(movers)) && forward_runs_always(forward, node))
    say(checked, node,
        STR("This tensor is made on a GPU, and nothing moves the model or its inputs there: make it where an input is, "
            "`device=x.device`."));
}

static void check_forward(const Checked *checked, uint32_t index)
{
  const PyModel *model = checked->model;
  const PyTree *tree = &model->tree;
  Forward forward = {
    .sink = checked->sink, .model = model, .function = index, .parts = checked->parts, .steps = PY_TRACING_WORK
  };
  PyRef body = model->functions.items[index].body;
  bool has_gpu = body && str_contains(py_text(tree, body), STR("cuda"));
  uint32_t seen = 0;
  for (PyRef node = body; node && node < tree->nodes[body].next && seen < PY_METHOD_NODE_LIMIT; node++, seen++) {
    if (py_runs_elsewhere(py_kind(tree, node)))
      node = tree->nodes[node].next - 1;
    else if (py_kind(tree, node) == PYK_ATTRIBUTE)
      check_member(checked, &forward, node);
    else if (py_kind(tree, node) == PYK_IDENTIFIER)
      check_name(checked, &forward, node);
    else if (has_gpu && py_kind(tree, node) == PYK_CALL)
      check_device(checked, &forward, node);
  }
}

/// Of a class that an export runs.
static void check_missing_forward(const Checked *checked, const ExportCall *export)
{
  static const Str names[] = { STR_INIT("forward"), STR_INIT("__call__"), STR_INIT("__getattr__") };
  for (size_t i = 0; i < COUNT(names); i++) {
    if (py_model_names_member(checked->model, checked->class_node, names[i]))
      return;
  }
  uint32_t index = method_like(checked, "forward");
  PyRef meant = index == PY_ABSENT ? 0 : checked->model->functions.items[index].name_node;
  const PyArgument *argument = export_argument(export, "model");
  if (!checked->has_others && argument)
    say(checked, meant ? meant : argument->value,
        meant ? STR("An export runs forward(), and this class has no method of that name.")
              : arena_printf(checked->sink->arena, "An export runs forward(), and %.*s has no method of that name.",
                             STR_ARG(checked->name)));
}

// --- What is no module ---

/// What an argument of nn.Sequential() is instead of a module; NULL.
static const char *not_a_module(DiagSink *sink, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  PyNodeKind kind = py_kind(&model->tree, node);
  if (kind == PYK_LAMBDA)
    return "a lambda";
  if (kind != PYK_IDENTIFIER && kind != PYK_ATTRIBUTE)
    return NULL;
  Str name = py_model_qualified(model, node, sink->arena);
  Str last = str_after_last(name, '.');
  bool is_of_torch = str_starts_with(name, STR("torch.")) && last.len > 0;
  if (is_of_torch && class_of_torch(name).len > 0)
    return "a class: call it to make a module";
  bool is_plain = str_starts_with(name, STR("torch.nn.functional.")) || name.len == last.len + STR("torch.").len;
  return is_of_torch && is_plain && !ascii_is_upper(last.data[0]) ? "a function: use the layer for it" : NULL;
}

/// `nn.Sequential(nn.LSTM(4, 6), nn.Linear(6, 2))`: what follows gets a tuple.
static bool passes_tuple_on(const PyModel *model, const PyCall *sequence, const PyArgument *argument)
{
  const PyArgument *last = py_model_arguments(model, sequence) + sequence->argument_count - 1;
  const PyCall *made = py_model_call(model, py_tree_strip(&model->tree, argument->value));
  const PyCall *next = argument < last ? py_model_call(model, py_tree_strip(&model->tree, argument[1].value)) : NULL;
  return made && next && gives_two(made->qualified) && class_of_torch(next->qualified).len > 0 &&
         !str_equal(next->qualified, STR("torch.nn.Identity"));
}

/// `torch.nn.ModuleList([nn.Linear(4, 4), lambda x: x * 2])`
static void check_list(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  const PyArgument *first =
      str_equal(call->qualified, STR("torch.nn.ModuleList")) ? py_model_argument(model, call, 0, "modules") : NULL;
  PyRef list = first && !first->is_splat ? py_tree_strip(tree, first->value) : 0;
  if (!list || py_kind(tree, list) != PYK_LIST || py_tree_try_around(tree, call->node))
    return;
  for (PY_EACH_ELEMENT(tree, item, list)) {
    const char *what = not_a_module(sink, py_tree_strip(tree, item));
    if (what && sink_wants(sink, RULE_BROKEN_MODULE, OWN))
      py_say(sink, RULE_BROKEN_MODULE, OWN, item,
             arena_printf(sink->arena, "torch.nn.ModuleList takes modules, and this is %s.", what), NULL);
  }
}

static void check_elements(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  if (!str_equal(call->qualified, STR("torch.nn.Sequential")) || py_tree_try_around(&model->tree, call->node))
    return;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    const char *what = argument->is_splat || argument->is_dictionary_splat ? NULL : not_a_module(sink, argument->value);
    if (what && sink_wants(sink, RULE_BROKEN_MODULE, OWN))
      py_say(sink, RULE_BROKEN_MODULE, OWN, argument->value,
             arena_printf(sink->arena, "torch.nn.Sequential takes modules, and this is %s.", what), NULL);
    else if (passes_tuple_on(model, call, argument) && sink_wants(sink, RULE_BROKEN_MODULE, OWN))
      py_say(sink, RULE_BROKEN_MODULE, OWN, argument->value,
             STR("This layer gives its output and its states in a tuple, which the next one can't take: call it in a "
                 "forward() of your own."),
             NULL);
  }
}

// --- Copies ---

/// `copy.deepcopy(net)` of what torch.nn.utils.weight_norm() made: the weight is computed, which no copy can be of.
static void check_copy(DiagSink *sink, const PyCall *call)
{
  static const char *const others[] = { "remove_weight_norm", "no_grad", "requires_grad", "inference_mode" };
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  const PyArgument *what = py_model_argument(model, call, 0, "x");
  if (!str_equal(call->qualified, STR("copy.deepcopy")) || !what ||
      py_model_mentions_one_of(model, others, COUNT(others)) || py_tree_try_around(tree, call->node))
    return;
  PyRef made = export_module_made(model, what->value);
  const PyCall *maker = py_model_call(model, made);
  PyRef class_node = maker ? export_class_named(model, maker->scope, maker->function_node) : 0;
  PyRef within = class_node ? class_node : made;
  for (PyRef node = within; maker && node < tree->nodes[within].next; node++) {
    const PyCall *part = py_model_call(model, node);
    if (!part || !str_equal(part->qualified, STR("torch.nn.utils.weight_norm")))
      continue;
    if (sink_wants(sink, RULE_BROKEN_MODULE, OWN))
      py_say(sink, RULE_BROKEN_MODULE, OWN, call->node,
             STR("A module with torch.nn.utils.weight_norm() can't be copied: take the norm off first with "
                 "remove_weight_norm(), or use torch.nn.utils.parametrizations.weight_norm()."),
             NULL);
    return;
  }
}

// --- The file ---

/// Whether a class of the file derives from it, which may set what it lacks.
static bool has_heirs(const PyModel *model, PyRef class_node)
{
  const PyClass *class = py_model_class_at(model, class_node);
  for (size_t i = 0; i < model->classes.count; i++) {
    if (model->classes.items[i].base != PY_ABSENT && &model->classes.items[model->classes.items[i].base] == class)
      return true;
  }
  return false;
}

static void check_class(Checked *checked)
{
  const PyModel *model = checked->model;
  uint32_t forward = export_method_named(model, checked->class_node, STR("forward"));
  check_init(checked);
  if (!check_misspelt_init(checked) && forward != PY_ABSENT && !has_heirs(model, checked->class_node) &&
      !py_model_member_is_set_elsewhere(model, checked->class_node, STR("forward")))
    check_forward(checked, forward);
}

void check_python_modules(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  if (export_call_count(model) == 0 || model->is_builtin)
    return;
  ModuleParts parts = module_parts(model, sink->arena);
  Checked checked = { .sink = sink,
                      .model = model,
                      .parts = &parts,
                      .has_others = module_members_may_come(model, sink->arena),
                      .has_names = value_has_unseen_names(model) };
  for (size_t i = 0; i < model->classes.count; i++) {
    checked.class_node = model->classes.items[i].node;
    checked.name = model->classes.items[i].name;
    if (module_members_are_plain(model, checked.class_node, sink->arena))
      check_class(&checked);
  }
  for (size_t i = 0; i < export_call_count(model); i++) {
    ExportCall export = export_call(sink, i);
    ExportModel made = export_model(&export);
    const PyClass *class = made.class_node ? py_model_class_at(model, made.class_node) : NULL;
    checked.class_node = made.class_node;
    checked.name = class ? class->name : (Str){ 0 };
    if (class && module_members_are_plain(model, made.class_node, sink->arena))
      check_missing_forward(&checked, &export);
  }
  for (size_t i = 0; i < model->calls.count; i++) {
    check_elements(sink, &model->calls.items[i]);
    check_list(sink, &model->calls.items[i]);
    check_copy(sink, &model->calls.items[i]);
  }
}
