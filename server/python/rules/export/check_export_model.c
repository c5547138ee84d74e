// The first argument of torch.onnx.export(), where it is no module. What is said happens in torch 1.13, 2.6 and 2.14.

#include "base/ascii.h"
#include "base/limits.h"
#include "python/rules/export/example_inputs.h"
#include "python/rules/forward/forward_tensors.h"
#include "python/rules/module/saved_weights.h"
#include "python/rules/trace/traced_weights.h"

/// What is given as the model, and what is known of it.
typedef struct Given {
  const ExportCall *export;
  const PyModel *model;
  PyRef argument;
  PyRef value;         ///< What that stands for...
  const PyCall *call;  ///< ...if it is a call; NULL.
} Given;

static PyNodeKind kind_of(const Given *given)
{
  return py_kind(&given->model->tree, given->value);
}

static bool is_only(const Given *given, uint32_t kinds)
{
  return py_file_is_only(py_file_value(given->export->file, given->argument), kinds);
}

static bool is_call_of(const Given *given, const char *name)
{
  return given->call && str_equal(given->call->qualified, str_from(name));
}

/// What is a method of any module, and so no module itself unless it is called.
static bool is_module_method(Str name)
{
  static const char *const names[] = { "forward", "eval",       "train", "cuda",   "cpu",       "float",
                                       "half",    "state_dict", "to",    "double", "parameters" };
  return str_is_one_of(name, names, COUNT(names));
}

/// `model(x)`, where model is one made by calling its class, be it in a function that returns it.
static bool is_result(const ExportCall *export, PyRef function)
{
  const PyModel *model = export->model;
  bool is_name = function && py_kind(&model->tree, function) == PYK_IDENTIFIER;
  const PyCall *made = is_name ? py_model_call(model, export_model_made(model, function)) : NULL;
  if (!made)
    return false;
  Str name = made->qualified;
  size_t dot = str_rfind_char(name, '.');
  bool is_of_torch = str_starts_with(name, STR("torch.nn.")) && ascii_is_upper(name.data[dot + 1]);
  return is_of_torch || export_is_module_class(export, made->function_node);
}

/// `torch.nn.Linear`
static bool is_class_of_torch(const Given *given)
{
  Str name = py_model_qualified(given->model, given->value, given->export->sink->arena);
  Str last = str_after_last(name, '.');
  return kind_of(given) != PYK_CALL && str_starts_with(name, STR("torch.nn.")) && ascii_is_upper(last.data[0]);
}

/// A function of the file as it is written: a decorator may make a module of it.
static bool is_plain_function(const PyModel *model, PyRef value)
{
  PyCallable callable = py_model_callable(model, value);
  bool is_name = py_kind(&model->tree, callable.named) == PYK_IDENTIFIER && callable.named == value;
  return is_name && callable.function != PY_ABSENT &&
         model->functions.items[callable.function].outer == model->functions.items[callable.function].node;
}

/// `vae.encode` of an object of a class of the file.
static bool is_own_method(const PyModel *model, PyRef value)
{
  PyRef object = py_tree_object(&model->tree, value);
  PyRef class_node = object ? py_model_class_of_object(model, export_module_made(model, object)) : 0;
  return class_node && !py_model_member_is_set_elsewhere(model, class_node, py_tree_member_name(&model->tree, value)) &&
         export_method_of(model, class_node, py_tree_member_name(&model->tree, value)) != PY_ABSENT;
}

/// `torch.nn.Linear(2, 2)` and other layers of torch, but for what wraps a module.
static bool is_plain_layer(const PyModel *model, PyRef object)
{
  const PyCall *made = py_model_call(model, export_module_made(model, object));
  return made && str_starts_with(made->qualified, STR("torch.nn.")) && !str_contains(made->qualified, STR("arallel")) &&
         (str_equal(made->qualified, STR("torch.nn.Sequential")) || traced_weights_is_layer(made));
}

/// `net.module` of a class of the file that derives from torch.nn.Module alone, and has no such member.
static bool lacks_module(const ExportCall *export, PyRef value)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  PyRef object = str_equal(py_tree_member_name(&model->tree, value), STR("module")) ? py_tree_object(tree, value) : 0;
  if (object && is_plain_layer(model, object))
    return true;
  PyRef class_node = object ? py_model_class_of_object(model, export_module_made(model, object)) : 0;
  PyRef bases = class_node ? py_child(tree, class_node, PY_F_SUPERCLASSES) : 0;
  PyRef base = bases ? py_first_child(tree, bases) : 0;
  bool is_alone = base && !py_next_sibling(tree, base) &&
                  str_equal(py_model_qualified(model, base, export->sink->arena), STR("torch.nn.Module"));
  return is_alone && !py_model_names_member(model, class_node, STR("module")) &&
         !py_model_names_member(model, class_node, STR("__getattr__")) &&
         !str_contains(py_text(tree, class_node), STR("add_module("));
}

// --- Weights, and what torch.load() reads ---

/// `checkpoint["state_dict"]`
static bool is_under_its_key(const Given *given)
{
  PyRef key = kind_of(given) == PYK_SUBSCRIPT ? py_child(&given->model->tree, given->value, PY_F_SUBSCRIPT) : 0;
  Str name;
  return key && py_model_string(given->model, key, given->export->sink->arena, &name) &&
         str_ends_with(name, STR("state_dict"));
}

/// `torch.load("c.pt")["model"]`, where the file saves `{"model": net.state_dict()}`.
static bool is_part_of_loaded(const Given *given)
{
  const PyModel *model = given->model;
  PyRef key = kind_of(given) == PYK_SUBSCRIPT ? py_child(&model->tree, given->value, PY_F_SUBSCRIPT) : 0;
  PyRef whole = key ? py_model_resolve(model, py_child(&model->tree, given->value, PY_F_VALUE)) : 0;
  PyRef saved = whole ? saved_and_loaded(model, py_model_call(model, whole), given->export->sink->arena) : 0;
  bool is_dict = saved && py_kind(&model->tree, saved) == PYK_DICTIONARY;
  PyRef part = is_dict ? py_model_element(model, saved, key) : 0;
  const PyCall *made = part ? py_model_call(model, py_model_resolve(model, part)) : NULL;
  return made && str_equal(py_tree_member_name(&model->tree, made->function_node), STR("state_dict"));
}

/// torch.load() of a file that got no module, but a dict.
static bool is_loaded_weights(const Given *given)
{
  const PyModel *model = given->model;
  PyRef saved = saved_and_loaded(model, given->call, given->export->sink->arena);
  const PyCall *call = py_model_call(model, saved);
  return saved && (py_kind(&model->tree, saved) == PYK_DICTIONARY ||
                   (call && str_equal(py_tree_member_name(&model->tree, call->function_node), STR("state_dict"))));
}

/// Since torch 2.6 torch.load() reads tensors, and what holds them, unless it is told to trust the file.
static bool is_refused_by_load(const Given *given)
{
  static const char *const trust[] = { "safe_globals", "weights_only", "FORCE_NO_WEIGHTS" };
  return is_call_of(given, "torch.load") && export_torch_is_from(given->export->file, 2, 6) &&
         !given->call->has_dictionary_splat && !py_model_mentions_one_of(given->model, trust, COUNT(trust));
}

// --- What functions of the file return ---

/// `build()` and `net.prepare()`, which have no `return` with a value.
static bool is_of_procedure(const Given *given)
{
  const PyModel *model = given->model;
  PyCallable callable =
      given->call ? py_model_callable(model, given->call->function_node) : (PyCallable){ .function = PY_ABSENT };
  const PyFunction *function = callable.function == PY_ABSENT ? NULL : &model->functions.items[callable.function];
  return function && !callable.class_node && callable.partial == PY_ABSENT && function->return_count == 0 &&
         function->outer == function->node && function->body &&
         !str_contains(py_text(&model->tree, function->body), STR("yield")) &&
         py_file_ending(given->export->file, callable.function) == PY_FALLS_THROUGH;
}

/// `return net, 4` of the function that is called.
static bool is_of_several(const Given *given)
{
  PyNodeKind kind = py_kind(&given->model->tree, py_model_resolve(given->model, given->argument));
  return kind == PYK_CALL && (kind_of(given) == PYK_TUPLE || kind_of(given) == PYK_EXPRESSION_LIST);
}

// --- Objects of classes that are no modules ---

/// Whether the file makes objects of that class itself, and not of classes that derive from it.
static bool is_made(const PyModel *model, PyRef class_node)
{
  for (size_t i = 0; i < model->calls.count; i++) {
    PyRef function = model->calls.items[i].function_node;
    if (py_kind(&model->tree, function) == PYK_IDENTIFIER && py_model_class_named(model, function) == class_node)
      return true;
  }
  return false;
}

/// `Trainer(net)` and `self` in it, of a class of the file that derives from nothing.
static bool is_plain_object(const Given *given)
{
  const PyModel *model = given->model;
  const PyTree *tree = &model->tree;
  PyRef class_node = py_model_class_of_object(model, given->value);
  PyRef bases = class_node ? py_child(tree, class_node, PY_F_SUPERCLASSES) : 0;
  bool has_base = bases && py_first_child(tree, bases) && !str_equal(py_text(tree, bases), STR("(object)"));
  bool is_self = str_equal(py_text(tree, given->value), STR("self"));
  return class_node && !has_base && py_kind(tree, tree->nodes[class_node].parent) != PYK_DECORATED_DEFINITION &&
         !py_model_names_member(model, class_node, STR("modules")) &&
         !py_model_names_member(model, class_node, STR("__getattr__")) &&
         !py_model_names_member(model, class_node, STR("__new__")) &&
         (!is_self || (model->exports.count <= PY_IDLE_LIMIT && is_made(model, class_node)));
}

// --- What it is instead ---

#define WEIGHTS "its weights"
#define LOADED  "what load_state_dict() says of the names; it changes the model in place"

static const char *what_of_call(const Given *given)
{
  PyRef function = given->call->function_node;
  Str name = given->call->qualified;
  Str member = py_tree_member_name(&given->model->tree, function);
  if (str_equal(member, STR("state_dict")) || is_loaded_weights(given))
    return WEIGHTS;
  if (str_equal(member, STR("load_state_dict")))
    return LOADED;
  if (str_equal(member, STR("parameters")) || str_equal(member, STR("named_parameters")))
    return "its parameters";
  if (str_starts_with(name, STR("torch.optim.")))
    return "what trains it";
  if (str_equal(name, STR("functools.partial")))
    return "a functools.partial(); give the other arguments in args, or make a torch.nn.Module that calls it";
  if (is_result(given->export, function))
    return "what it returned";
  return is_of_procedure(given) ? "None: the function that is called returns nothing" : NULL;
}

/// NULL if nothing tells that it is no module.
static const char *what_it_is(const Given *given)
{
  const PyModel *model = given->model;
  PyNodeKind kind = kind_of(given);
  const char *what = given->call ? what_of_call(given) : NULL;
  if (what)
    return what;
  if (kind == PYK_STRING || kind == PYK_CONCATENATED_STRING)
    return "a string; load it first";
  if (is_of_several(given))
    return "all that the function returns: take it apart";
  if (kind == PYK_TUPLE || export_is_tensor(model, given->value))
    return "the example inputs, which come after it";
  if (is_under_its_key(given) || is_part_of_loaded(given))
    return WEIGHTS;
  if (lacks_module(given->export, given->value))
    return "a member that it has not: torch.nn.DataParallel alone has `module`";
  if (is_module_method(py_tree_member_name(&model->tree, given->value)) || is_own_method(model, given->value))
    return "its method";
  if (export_is_module_class(given->export, given->value) || is_class_of_torch(given))
    return "its class; make one of it";
  if (is_plain_object(given))
    return "an object of a class that does not derive from torch.nn.Module";
  if (is_only(given, PY_TENSOR))
    return "a tensor";
  if (is_only(given, PY_LIST | PY_DICT | PY_NONE | PY_INT | PY_FLOAT | PY_ARRAY))
    return "no torch.nn.Module";
  return is_plain_function(model, given->value) || kind == PYK_LAMBDA ? "a function; make a torch.nn.Module of it"
                                                                      : NULL;
}

/// `model.compile()` before the export.
static bool is_compiled_in_place(const Given *given)
{
  const PyModel *model = given->model;
  const PyTree *tree = &model->tree;
  const PyCall *export = given->export->call;
  for (size_t i = 0; i < model->calls.count && model->calls.items[i].node < export->node; i++) {
    const PyCall *call = &model->calls.items[i];
    PyRef object =
        str_equal(py_tree_member_name(&model->tree, call->function_node), STR("compile")) && call->argument_count == 0
            ? py_tree_object(tree, call->function_node)
            : 0;
    if (object && call->scope == export->scope && str_equal(py_text(tree, object), py_text(tree, given->argument)))
      return true;
  }
  return false;
}

/// `torch.compile(...)` that compiles something.
static bool is_compiling(const PyModel *model, const PyCall *call)
{
  return str_equal(call->qualified, STR("torch.compile")) && call->argument_count > 0 && !call->has_dictionary_splat &&
         !py_model_argument(model, call, PY_ABSENT, "disable");
}

/// `model` of `model.encoder[0].forward`.
static PyRef root_of(const PyTree *tree, PyRef node)
{
  PyNodeKind kind;
  while ((kind = py_kind(tree, node)) == PYK_ATTRIBUTE || kind == PYK_SUBSCRIPT)
    node = py_child(tree, node, kind == PYK_ATTRIBUTE ? PY_F_OBJECT : PY_F_VALUE);
  return node;
}

/// `model.forward = torch.compile(model.forward)` and `model[0] = torch.compile(model[0])` right before the export:
/// what is assigned there; 0.
static PyRef compiled_part(const Given *given)
{
  const PyModel *model = given->model;
  const PyTree *tree = &model->tree;
  PyRef block = 0;
  PyRef end =
      py_kind(tree, given->argument) == PYK_IDENTIFIER ? py_tree_statement(tree, given->export->call->node, &block) : 0;
  for (PyRef at = end ? py_first_child(tree, block) : 0; at && at < end; at = py_next_sibling(tree, at)) {
    PyRef assignment = py_kind(tree, at) == PYK_EXPRESSION_STATEMENT ? py_first_child(tree, at) : 0;
    PyRef left = assignment && py_kind(tree, assignment) == PYK_ASSIGNMENT ? py_child(tree, assignment, PY_F_LEFT) : 0;
    PyRef right = left ? py_child(tree, assignment, PY_F_RIGHT) : 0;
    const PyCall *call = py_model_call(model, right);
    if (call && is_compiling(model, call) && py_kind(tree, left) != PYK_IDENTIFIER &&
        str_equal(py_text(tree, root_of(tree, left)), py_text(tree, given->argument)))
      return right;
  }
  return 0;
}

/// What the dynamo exporter takes, and a trace does not.
static bool is_compiled(const Given *given)
{
  if (!is_call_of(given, "torch.compile"))
    return is_compiled_in_place(given);
  return is_compiling(given->model, given->call);
}

/// `torch.jit.trace(Net(), x)` of a model of the file that returns a dict: with strict=False the trace is made, and the
/// exporter fails on it.
static bool is_trace_of_dict(const Given *given)
{
  const PyModel *model = given->model;
  const PyArgument *func =
      is_call_of(given, "torch.jit.trace") ? py_model_argument(model, given->call, 0, "func") : NULL;
  const PyCall *made =
      func && given->export->kind == EXPORT_TRACES ? py_model_call(model, export_model_made(model, func->value)) : NULL;
  PyRef class_node = export_class_made(model, made);
  bool is_own = class_node && !py_model_member_is_set_elsewhere(model, class_node, STR("forward"));
  uint32_t method = is_own ? export_method_of(model, class_node, STR("forward")) : PY_ABSENT;
  const PyFunction *forward = method == PY_ABSENT ? NULL : &model->functions.items[method];
  return forward && forward->return_count == 1 && forward->returned &&
         py_kind(&model->tree, py_model_resolve(model, forward->returned)) == PYK_DICTIONARY;
}

/// `weights.eval()` before the export, of what has no such method: it fails there. The call; NULL if there is none.
static const PyCall *used_as_module(const Given *given, Str what)
{
  static const char *const methods[] = {
    "eval", "to", "cuda", "cpu", "half", "float", "train", "double", "parameters"
  };
  const PyModel *model = given->model;
  const PyTree *tree = &model->tree;
  bool is_weights = py_kind(tree, given->argument) == PYK_IDENTIFIER &&
                    (str_equal(what, STR(WEIGHTS)) || str_equal(what, STR(LOADED)));
  for (size_t i = 0; is_weights && i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    PyRef object =
        call->node > given->value && call->node < given->export->call->node && call->scope == given->export->call->scope
            ? py_tree_object(tree, call->function_node)
            : 0;
    if (object && str_equal(py_text(tree, object), py_text(tree, given->argument)) &&
        str_is_one_of(py_tree_member_name(tree, call->function_node), methods, COUNT(methods)))
      return call;
  }
  return NULL;
}

void export_check_model(const ExportCall *export)
{
  const PyArgument *argument = export_argument(export, "model");
  PyRef value = argument ? export_resolve(export->model, argument->value) : 0;
  if (!value || !sink_wants(export->sink, RULE_EXPORT_ARGUMENT_TYPE, OWN))
    return;
  PyRef in_force = forward_value_in_force(export->model, argument->value);
  const PyCall *call = py_model_call(export->model, in_force ? in_force : value);
  Given given = { export, export->model, argument->value, in_force ? in_force : value, call };
  const char *what = what_it_is(&given);
  Str message = { 0 };
  PyRef place = argument->value;
  bool may_compile = export->kind == EXPORT_TRACES && py_model_mentions(export->model, "compile(");
  PyRef compiled = may_compile ? is_compiled(&given) ? place : compiled_part(&given) : 0;
  const PyCall *used = what ? used_as_module(&given, str_from(what)) : NULL;
  if (used) {
    Str method = py_tree_member_name(&export->model->tree, used->function_node);
    message = arena_printf(export->sink->arena, "This has no %.*s(): it is no module, but %s.", STR_ARG(method), what);
    place = used->function_node;
  } else if (what)
    message = arena_printf(export->sink->arena, "The first argument has to be the model itself, and this is %s.", what);
  else if (compiled)
    message = STR("The TorchScript exporter can't trace what torch.compile() makes: export the module itself.");
  else if (is_trace_of_dict(&given))
    message = STR("A trace of a model that returns a dict can't be made, or not be exported: return a tuple.");
  else if (is_refused_by_load(&given)) {
    place = given.call->node;
    message = STR("Since torch 2.6 torch.load() reads weights alone, and no module: give it weights_only=False if you "
                  "trust the file, or load the weights into a model that you make.");
  }
  if (message.len > 0)
    py_say(export->sink, RULE_EXPORT_ARGUMENT_TYPE, OWN, what || !compiled ? place : compiled, message, NULL);
}
