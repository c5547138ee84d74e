// Calls of register_custom_op_symbolic() and its counterpart that raise, or register something that can't be called,
// and @parse_args written in a way that it doesn't take. What is said happens in torch 1.13, 2.6 and 2.14.

#include "base/limits.h"
#include "python/rules/registration/registration.h"
#include "python/rules/symbolic/value_check.h"

static void say(DiagSink *sink, PyRef node, Str message, const Fix *fix)
{
  py_say(sink, RULE_REGISTRATION_CALL, OWN, node, message, fix);
}

// --- Arguments ---

typedef struct CallShape {
  const char *name;
  const char *const *params;
  uint32_t count;
  uint32_t needed;  ///< Of these, the first: the name, the function if there is one, the opset.
} CallShape;

static const char *const register_params[] = { "symbolic_name", "symbolic_fn", "opset_version" };
static const char *const unregister_params[] = { "symbolic_name", "opset_version" };
static const char *const decorator_params[] = { "name", "opset", "decorate", "custom" };
static const CallShape register_shape = { "register_custom_op_symbolic", register_params, 3, 3 };
static const CallShape unregister_shape = { "unregister_custom_op_symbolic", unregister_params, 2, 2 };
static const CallShape decorator_shape = { "onnx_symbolic", decorator_params, 4, 2 };
static const CallShape custom_decorator_shape = { "custom_onnx_symbolic", decorator_params, 3, 2 };

/// NULL for what is no call of one of these, but of an alias of it.
static const CallShape *shape_of(const PyModel *model, const PyRegistration *registration)
{
  switch (registration->kind) {
  case PY_REG_CUSTOM:
    return &register_shape;
  case PY_REG_UNREGISTER:
    return &unregister_shape;
  case PY_REG_BUILTIN: {
    Str name = model->calls.items[registration->call].qualified;
    return str_ends_with(name, STR(".custom_onnx_symbolic")) ? &custom_decorator_shape
           : str_ends_with(name, STR(".onnx_symbolic"))      ? &decorator_shape
                                                             : NULL;
  }
  default:
    return NULL;
  }
}

/// The first argument that the function has no parameter for; NULL for none.
static const PyArgument *strange_argument(const PyModel *model, const PyCall *call, const CallShape *shape)
{
  uint32_t positional = 0;
  for (uint32_t i = 0; i < call->argument_count && i < PY_KEYWORD_LIMIT; i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    bool is_known = argument->keyword.len == 0 ? positional++ < shape->count
                                               : str_is_one_of(argument->keyword, shape->params, shape->count);
    if (!is_known)
      return argument;
  }
  return NULL;
}

static bool is_decorator(const PyTree *tree, PyRef call)
{
  return py_kind(tree, tree->nodes[call].parent) == PYK_DECORATOR;
}

static void say_strange(DiagSink *sink, const PyArgument *argument, const CallShape *shape)
{
  Str keyword = argument->keyword;
  Str message = keyword.len > 0
                    ? arena_printf(sink->arena, "%s() has no argument '%.*s'.", shape->name, STR_ARG(keyword))
                    : arena_printf(sink->arena, "%s() takes %u arguments.", shape->name, shape->count);
  bool is_opset = str_starts_with(keyword, STR("opset")) || str_starts_with(keyword, STR("version"));
  PyRef name = keyword.len > 0 ? py_child(&sink_python(sink)->model->tree, argument->node, PY_F_NAME) : 0;
  const Fix *fix =
      is_opset && name ? py_edit_replace(sink, true, name, str_from(shape->params[shape->needed - 1])) : NULL;
  say(sink, argument->node, message, fix);
}

/// The opset that is meant where none is given: that of the export.
static const Fix *fix_opset(DiagSink *sink, const PyCall *call)
{
  const PyFile *file = sink_python(sink);
  int opset = file->export_opset > 0 ? file->export_opset : file->target->opset;
  Str text = arena_printf(sink->arena, "%d", opset);
  return call->list_node
             ? py_edit_append(sink, false, arena_printf(sink->arena, "Add opset %d", opset), call->list_node, text)
             : NULL;
}

/// Whether a function of this file is where the name should be.
static bool lacks_name(const PyModel *model, const PyCall *call)
{
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  PyRef value = first ? py_model_resolve(model, first->value) : 0;
  const PyBinding *binding = py_model_binding_of(model, call->scope, value);
  return binding && binding->kind == PY_BIND_FUNCTION;
}

/// True if one was missing.
static bool check_missing(DiagSink *sink, const PyCall *call, const CallShape *shape)
{
  const PyModel *model = sink_python(sink)->model;
  if (shape == &register_shape && is_decorator(&model->tree, call->node)) {
    say(sink, call->function_node,
        STR("register_custom_op_symbolic() is not a decorator: call it after the function, with its name, the function "
            "and the opset."),
        NULL);
    return true;
  }
  for (uint32_t i = 0; i < shape->needed; i++) {
    if (py_model_argument(model, call, i, shape->params[i]))
      continue;
    bool is_last = i + 1 == shape->needed;
    bool is_opset = is_last && !lacks_name(model, call);
    const char *what = is_opset            ? "the opset, its last argument"
                       : is_last || i == 0 ? "the operator's name, its first argument"
                                           : "the symbolic function";
    say(sink, call->function_node, arena_printf(sink->arena, "%s() needs %s.", shape->name, what),
        is_opset && call->argument_count + 1 == shape->needed ? fix_opset(sink, call) : NULL);
    return true;
  }
  return false;
}

// --- The function ---

/// `f()`, where f of this file wants more than it gets: the call fails before anything is registered.
static bool is_failing_call(const PyModel *model, PyRef node, const PyCall **ret_call)
{
  const PyCall *call = py_model_call(model, node);
  *ret_call = call;
  if (!*ret_call || (*ret_call)->has_splat || (*ret_call)->has_dictionary_splat)
    return false;
  PyCallable callable = py_model_callable(model, (*ret_call)->function_node);
  if (callable.function == PY_ABSENT || callable.partial != PY_ABSENT || callable.class_node ||
      callable.parse_args != PY_ABSENT)
    return false;
  const PyFunction *function = &model->functions.items[callable.function];
  uint32_t required = 0;
  for (uint32_t i = callable.is_bound; i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    required += param->kind == PY_PARAM_PLAIN && !param->default_value;
  }
  return !function->has_unknown_decorator && (*ret_call)->argument_count < required;
}

/// `parse_args("v", "f")` without the function that it is for, or with it in the place of the descriptors.
static bool is_parse_args(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  return call && str_ends_with(call->qualified, STR("symbolic_helper.parse_args"));
}

/// `Class(...)` of a class of this file whose objects can't be called.
static bool is_uncallable_object(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  const PyClass *class = call ? py_model_class_at(model, py_model_class_named(model, call->function_node)) : NULL;
  return class && class->is_plain && py_model_method(model, class->node, STR("__call__")) == PY_ABSENT &&
         py_model_method(model, class->node, STR("__new__")) == PY_ABSENT &&
         py_model_class_function(model, class->node, STR("__call__")) == PY_ABSENT &&
         !py_model_member_is_set_elsewhere(model, class->node, STR("__call__"));
}

static void check_function(DiagSink *sink, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  const PyCall *call;
  PyRef value = py_model_resolve(model, node);
  PyNodeKind kind = py_kind(&model->tree, value);
  if (is_uncallable_object(model, value))
    say(sink, node,
        STR("This is an object of a class without __call__(), which can't be called: give one of its methods, or add "
            "__call__()."),
        NULL);
  if (is_parse_args(model, value))
    say(sink, node,
        STR("parse_args() takes the descriptors, and what it gives back takes the function: write parse_args(\"v\", "
            "...)(function)."),
        NULL);
  if (is_failing_call(model, value, &call)) {
    Str name = py_text(&model->tree, call->function_node);
    say(sink, node,
        arena_printf(sink->arena, "This calls %.*s() now: give the function itself, without the brackets.",
                     STR_ARG(name)),
        py_edit_replace(sink, true, value, name));
  } else if (kind == PYK_NONE || kind == PYK_INTEGER || kind == PYK_FLOAT || kind == PYK_TRUE || kind == PYK_FALSE ||
             kind == PYK_LIST || kind == PYK_TUPLE || kind == PYK_DICTIONARY) {
    say(sink, node,
        arena_printf(sink->arena, "%.*s can't be called: give the symbolic function.",
                     STR_ARG(str_slice(py_text(&model->tree, value), 0, 40))),
        NULL);
  } else {
    registration_check_key(sink, value);
  }
}

/// `Class`: calling it makes an object, and no node.
static void check_class(DiagSink *sink, const PyRegistration *registration)
{
  const PyModel *model = sink_python(sink)->model;
  const PyClass *class = py_model_class_at(model, registration->class_node);
  if (!(class->is_plain || class->is_autograd || class->is_module) ||
      py_model_method(model, class->node, STR("__new__")) != PY_ABSENT)
    return;
  PyRef node = registration->function_node;
  Str text = str_slice(py_text(&model->tree, node), 0, 40);
  uint32_t symbolic = py_model_method(model, class->node, STR("symbolic"));
  Str right = arena_printf(sink->arena, "%.*s.symbolic", STR_ARG(text));
  bool is_known = symbolic != PY_ABSENT && model->functions.items[symbolic].is_static;
  say(sink, node,
      arena_printf(sink->arena, "'%.*s' is a class, and calling it makes an object and no node: give %.*s.",
                   STR_ARG(text), STR_ARG(is_known ? right : STR("a function"))),
      is_known ? py_edit_replace(sink, true, node, right) : NULL);
}

/// `Class.method` that takes `self`, which nobody gives it, or `self.method` that takes none.
static void check_method(DiagSink *sink, const PyRegistration *registration)
{
  const PyModel *model = sink_python(sink)->model;
  const PyFunction *method = &model->functions.items[registration->method];
  const PyParam *first = py_model_params(model, method);
  uint32_t graph = registration->has_object ? 0 : 1;  // Where it is, if it is at a wrong place.
  if (method->param_count <= graph || (graph > 0 && !str_equal(first->name, STR("self"))) ||
      !(str_equal(first[graph].name, STR("g")) || str_equal(first[graph].name, STR("graph"))) ||
      first[graph].kind != PY_PARAM_PLAIN)
    return;
  Str name = str_slice(py_text(&model->tree, registration->function_node), 0, 40);
  Str text = graph > 0 ? arena_printf(sink->arena,
                                      "%.*s is called without an object, so that 'self' gets the graph: make it a "
                                      "@staticmethod without 'self', or register the method of an object.",
                                      STR_ARG(name))
                       : arena_printf(sink->arena,
                                      "%.*s gets its object first, and then the graph: make it a @staticmethod, or add "
                                      "'self'.",
                                      STR_ARG(name));
  say(sink, registration->function_node, text, NULL);
}

// --- The name ---

/// "aten::elu" for torch.ops.aten.elu and torch.ops.aten.elu.default; empty for anything else.
static Str name_of_op(DiagSink *sink, PyRef node)
{
  Str prefix = STR("torch.ops.");
  Str name = py_model_qualified(sink_python(sink)->model, node, sink->arena);
  if (!str_starts_with(name, prefix))
    return (Str){ 0 };
  name = str_slice(name, prefix.len, name.len);
  size_t dot = str_find_char(name, '.', 0);
  if (dot == STR_NOT_FOUND)
    return (Str){ 0 };
  size_t end = str_find_char(name, '.', dot + 1);
  return arena_printf(sink->arena, "%.*s::%.*s", STR_ARG(str_slice(name, 0, dot)),
                      STR_ARG(str_slice(name, dot + 1, end == STR_NOT_FOUND ? name.len : end)));
}

static void check_name(DiagSink *sink, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef value = py_model_resolve(model, node);
  PyNodeKind kind = py_kind(&model->tree, value);
  Str meant = kind == PYK_ATTRIBUTE ? name_of_op(sink, value) : (Str){ 0 };
  bool is_function = str_starts_with(py_model_qualified(model, value, sink->arena), STR("torch.nn.functional."));
  if (meant.len > 0) {
    Str right = arena_printf(sink->arena, "\"%.*s\"", STR_ARG(meant));
    say(sink, node, arena_printf(sink->arena, "The operator's name has to be a string: write %.*s.", STR_ARG(right)),
        py_edit_replace(sink, true, node, right));
  } else if (is_function || kind == PYK_INTEGER || kind == PYK_NONE || kind == PYK_LIST || kind == PYK_TUPLE) {
    say(sink, node, STR("The operator's name has to be a string."), NULL);
  }
}

/// `register(name, function, 13)` of a partial(..., opset_version=12): a position gives what a keyword has given.
static void check_partial(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  uint32_t index = py_model_callable(model, call->function_node).partial;
  if (index == PY_ABSENT || call->has_splat || call->has_dictionary_splat)
    return;
  const PyCall *partial = &model->calls.items[index];
  uint32_t positional = py_model_positional_count(model, partial) - 1;  // The first one is the function.
  for (uint32_t i = 0; i < call->argument_count && positional < COUNT(register_params); i++) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    if (argument->keyword.len > 0)
      continue;
    const char *name = register_params[positional++];
    if (!partial->has_splat && !partial->has_dictionary_splat && py_model_argument(model, partial, PY_ABSENT, name))
      say(sink, argument->node,
          arena_printf(sink->arena, "functools.partial() gives '%s' already, so the call raises a TypeError.", name),
          NULL);
  }
}

/// Whether the function is what each run of the call registers, and not what one of several gives it; said once.
static bool is_for_all_rows(const PyModel *model, const PyRegistration *registration)
{
  if (!registration->is_row)
    return true;
  PyRef call = model->calls.items[registration->call].node;
  bool is_first = registration == model->registrations.items || registration[-1].call != registration->call;
  return is_first && registration->function_node > call && registration->function_node < model->tree.nodes[call].next &&
         py_kind(&model->tree, registration->function_node) == PYK_CALL;
}

/// An argument that is a name which nothing binds, or a definition further down; false if there is none.
static bool check_names(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (py_kind(&model->tree, argument->value) != PYK_IDENTIFIER || value_has_unseen_names(model))
      continue;
    const PyBinding *binding = py_model_binding_at(model, argument->value);
    bool is_later = binding && binding->kind == PY_BIND_FUNCTION && binding->scope == PY_ABSENT &&
                    call->scope == PY_ABSENT && binding->node > call->node &&
                    !str_ends_with(model->path, STR(".ipynb"));
    if (!is_later && !value_is_unbound(model, argument->value))
      continue;
    say(sink, argument->value,
        arena_printf(sink->arena,
                     is_later ? "'%.*s' is defined further down: here this raises a NameError."
                              : "Nothing is called '%.*s' here: this raises a NameError.",
                     STR_ARG(py_text(&model->tree, argument->value))),
        NULL);
    return true;
  }
  return false;
}

/// `register(name, **{"symbolic_fn": elu, "opset": 9})`: keys that the function has no argument for.
static void check_spread_keys(DiagSink *sink, const PyRegistration *registration, const CallShape *shape)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef table = registration->spread;
  PyRef item = py_kind(tree, table) == PYK_DICTIONARY ? py_tree_first_element(tree, table) : 0;
  for (; item; item = py_tree_next_element(tree, item)) {
    PyRef key = py_tree_key(tree, item);
    Str name;
    if (!key || py_kind(tree, key) != PYK_STRING || !py_model_string(model, key, sink->arena, &name) ||
        str_is_one_of(name, shape->params, shape->count))
      continue;
    bool is_opset = str_starts_with(name, STR("opset")) || str_starts_with(name, STR("version"));
    say(sink, key, arena_printf(sink->arena, "%s() has no argument '%.*s'.", shape->name, STR_ARG(name)),
        is_opset ? py_edit_string(sink, true, key, str_from(shape->params[shape->needed - 1])) : NULL);
  }
}

/// The same of `dict(symbolic_fn=elu, opset=9)`.
static void check_spread_keywords(DiagSink *sink, const PyRegistration *registration, const CallShape *shape)
{
  const PyCall *table = py_model_call(sink_python(sink)->model, registration->spread);
  if (!table || !str_is(table->qualified, "dict"))
    return;
  for (PY_EACH_ARGUMENT(sink_python(sink)->model, argument, table)) {
    if (argument->keyword.len > 0 && !str_is_one_of(argument->keyword, shape->params, shape->count))
      say(sink, argument->node,
          arena_printf(sink->arena, "%s() has no argument '%.*s'.", shape->name, STR_ARG(argument->keyword)), NULL);
  }
}

void registration_check_call(DiagSink *sink, const PyRegistration *registration)
{
  const PyModel *model = sink_python(sink)->model;
  bool is_register = registration->kind == PY_REG_CUSTOM;
  const CallShape *shape = registration->call == PY_ABSENT ? NULL : shape_of(model, registration);
  if (!shape)
    return;
  const PyCall *call = &model->calls.items[registration->call];
  if (registration->is_from_partial) {
    check_partial(sink, call);
    return;
  }
  if (is_register)
    registration_check_partial(sink, registration);
  if (registration->spread && call->has_dictionary_splat)
    check_spread_keys(sink, registration, shape);
  if (registration->spread && call->has_dictionary_splat)
    check_spread_keywords(sink, registration, shape);
  // Of a row the value itself is looked at, whatever the others have.
  if (is_register && (registration->is_row || registration->spread) &&
      py_kind(&model->tree, registration->function_node) == PYK_INTEGER)
    check_function(sink, registration->function_node);
  if (call->has_splat || call->has_dictionary_splat || call->argument_count == 0 ||
      model->tree.nodes[call->node].has_error)
    return;  // Somebody is typing, or it can't be read.
  const PyArgument *strange = strange_argument(model, call, shape);
  if (strange) {
    say_strange(sink, strange, shape);
    return;
  }
  if (check_missing(sink, call, shape) || (is_register && check_names(sink, call)))
    return;
  if (registration->name_node && py_kind(&model->tree, registration->name_node) != PYK_IDENTIFIER)
    check_name(sink, registration->name_node);
  if (is_register && registration->function_node && is_for_all_rows(model, registration))
    check_function(sink, registration->function_node);
  if (is_register && registration->function_node && !registration->is_row &&
      registration_check_object(sink, registration))
    return;
  if (is_register && registration->class_node)
    check_class(sink, registration);
  if (is_register && registration->method != PY_ABSENT)
    check_method(sink, registration);
}

// --- Decorators ---

/// The letters that the parameters of a function want: of the operator's schema, or "v" for each.
static Str letters_of(DiagSink *sink, uint32_t function)
{
  const PyFile *file = sink_python(sink);
  uint32_t count;
  py_file_input_params(file, function, &count);
  PyNames names = py_file_registered_names(file, function, sink->arena);
  const TorchOperator *op = names.count > 0 ? py_file_torch_operator(file, names.items[0]) : NULL;
  const TorchOverload *overload = op && op->overload_count > 0 ? &op->overloads[0] : NULL;
  for (uint32_t i = 0; op && i < op->overload_count && overload->argument_count != count; i++)
    overload = &op->overloads[i];
  Str text = STR("");
  for (uint32_t i = 0; i < count; i++) {
    Str letter =
        overload && i < overload->argument_count ? export_api_descriptor_for(overload->arguments[i].type) : STR("v");
    text = arena_printf(sink->arena, "%.*s%s\"%.*s\"", STR_ARG(text), i > 0 ? ", " : "",
                        STR_ARG(letter.len > 0 ? letter : STR("v")));
  }
  return text;
}

static void say_letters(DiagSink *sink, PyRef node, Str message, const Fix *fix)
{
  py_say(sink, RULE_PARSE_ARGS_UNKNOWN, OWN, node, message, fix);
}

/// "f" for float, the type; empty for anything else.
static const char *letter_of_type(Str name)
{
  return str_equal(name, STR("float"))          ? "f"
         : str_equal(name, STR("int"))          ? "i"
         : str_equal(name, STR("bool"))         ? "b"
         : str_equal(name, STR("str"))          ? "s"
         : str_equal(name, STR("torch.Tensor")) ? "v"
                                                : NULL;
}

static void check_letter(DiagSink *sink, const PyArgument *argument)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef value = py_tree_strip(tree, argument->value);
  PyNodeKind kind = py_kind(tree, value);
  Str text = py_text(tree, value);
  PyNodeKind named = kind == PYK_IDENTIFIER ? py_kind(tree, py_model_resolve(model, value)) : kind;
  if (!argument->is_splat && (named == PYK_LIST || (named == PYK_TUPLE && (named != kind || text.len > 2)))) {
    Str inner = str_trim(str_slice(text, 1, text.len - 1));
    if (str_ends_with(inner, STR(",")))
      inner = str_slice(inner, 0, inner.len - 1);
    if (named != kind)
      inner = arena_printf(sink->arena, "*%.*s", STR_ARG(text));
    say_letters(sink, value, STR("@parse_args takes each descriptor as an argument of its own, not a list of them."),
                argument->keyword.len == 0 ? py_edit_replace(sink, true, argument->value, inner) : NULL);
    return;
  }
  const char *letter = kind == PYK_IDENTIFIER || kind == PYK_ATTRIBUTE
                           ? letter_of_type(py_model_qualified(model, value, sink->arena))
                           : NULL;
  if (argument->keyword.len > 0 && !argument->is_dictionary_splat)
    say_letters(sink, argument->node, STR("@parse_args takes the descriptors by position, without names."), NULL);
  else if (letter)
    say_letters(sink, value, arena_printf(sink->arena, "A descriptor is a string: write \"%s\".", letter),
                py_edit_replace(sink, true, value, arena_printf(sink->arena, "\"%s\"", letter)));
  else if (kind == PYK_INTEGER || kind == PYK_FLOAT || kind == PYK_NONE || kind == PYK_TRUE || kind == PYK_FALSE)
    say_letters(sink, value, STR("A descriptor is a string, such as \"v\" or \"i\"."), NULL);
}

static void check_decorator(DiagSink *sink, uint32_t function, PyRef expression)
{
  const PyModel *model = sink_python(sink)->model;
  uint32_t call = py_model_call_at(model, expression);
  PyRef named = call == PY_ABSENT ? expression : model->calls.items[call].function_node;
  Str name = py_model_qualified(model, named, sink->arena);
  if (call == PY_ABSENT && str_equal(name, STR("torch.onnx.register_custom_op_symbolic")))
    say(sink, expression,
        STR("register_custom_op_symbolic() is not a decorator: call it after the function, with its name, the function "
            "and the opset."),
        NULL);
  if (call == PY_ABSENT && str_ends_with(name, STR("symbolic_helper.quantized_args")))
    say(sink, expression,
        STR("@quantized_args needs a flag for each argument, such as @quantized_args(True, False): without them the "
            "function itself is taken for one."),
        NULL);
  if (!str_ends_with(name, STR("symbolic_helper.parse_args")))
    return;
  if (call == PY_ABSENT) {
    Str letters = letters_of(sink, function);
    say_letters(sink, expression,
                STR("@parse_args needs a descriptor for each argument, such as @parse_args(\"v\", \"i\"): without "
                    "them the function itself is taken for one."),
                py_edit_after(sink, true, STR("Add the descriptors"), expression,
                              arena_printf(sink->arena, "(%.*s)", STR_ARG(letters))));
    return;
  }
  const PyCall *at = &model->calls.items[call];
  for (uint32_t i = 0; i < at->argument_count && i < PY_KEYWORD_LIMIT; i++)
    check_letter(sink, &py_model_arguments(model, at)[i]);
}

/// Whether a decorator, an expression, registers the function below it.
static bool is_registering(const PyModel *model, uint32_t function, PyRef decorator)
{
  const PyCall *call = py_model_call(model, decorator);
  PyRef name = call ? call->function_node : decorator;
  const PyBinding *binding = py_model_binding_at(model, name);
  uint32_t own = binding && binding->kind == PY_BIND_FUNCTION ? binding->index : PY_ABSENT;
  for (PY_EACH_REGISTRATION(model, registration, function)) {
    uint32_t scope = registration->call == PY_ABSENT
                         ? PY_ABSENT
                         : py_model_scope_of(model, model->calls.items[registration->call].node);
    bool is_inside =
        own != PY_ABSENT && scope != PY_ABSENT && (scope == own || model->functions.items[scope].parent == own);
    if (is_inside || (registration->kind == PY_REG_BUILTIN && registration->node == decorator))
      return true;
  }
  return false;
}

/// Whether @parse_args makes something else than a value of the graph of one of the arguments.
static bool reads_arguments(const PyModel *model, const PyFunction *function)
{
  for (uint32_t i = 0; i < function->descriptor_count; i++) {
    Str letter = py_text(&model->tree, model->descriptors.items[function->first_descriptor + i]);
    if (!str_contains(letter, STR("v")) && !str_contains(letter, STR("none")))
      return true;
  }
  return false;
}

/// `@parse_args(...)` above `@register(...)`: what was registered is the function without it.
static void check_decorator_order(DiagSink *sink, uint32_t function)
{
  const PyModel *model = sink_python(sink)->model;
  const PyFunction *at = &model->functions.items[function];
  if (at->parse_args == PY_ABSENT || at->first_registration == PY_ABSENT || py_is_torch_itself(model) ||
      !reads_arguments(model, at))
    return;
  PyRef parse_args = model->calls.items[at->parse_args].node;
  for (PY_EACH_DECORATOR(model, expression, at->outer)) {
    if (expression <= parse_args || !is_registering(model, function, expression))
      continue;
    Str name = str_slice(py_text(&model->tree, expression), 0, 40);
    say(sink, parse_args,
        arena_printf(sink->arena,
                     "@parse_args has to be below @%.*s, which registers the function as it is there: the exporter "
                     "calls it with values of the graph.",
                     STR_ARG(name)),
        NULL);
    return;
  }
}

/// `register_custom_symbolic("aten::elu", elu, 9)`, which nothing brings: a NameError.
static void check_lost_call(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  Str name = py_text(&model->tree, call->function_node);
  bool is_meant = py_kind(&model->tree, call->function_node) == PYK_IDENTIFIER && call->argument_count > 1 &&
                  (str_starts_with(name, STR("register_")) || str_starts_with(name, STR("unregister_"))) &&
                  str_contains(name, STR("symbolic"));
  if (!is_meant || py_model_lookup(model, call->scope, name) != PY_ABSENT || value_has_unseen_names(model) ||
      py_is_torch_itself(model))
    return;
  const char *right = name.data[0] == 'u' ? "unregister_custom_op_symbolic" : "register_custom_op_symbolic";
  bool is_import = str_equal(name, str_from(right));
  say(sink, call->function_node,
      is_import
          ? arena_printf(sink->arena, "Nothing is called '%.*s' here: import it from torch.onnx.", STR_ARG(name))
          : arena_printf(sink->arena, "Nothing is called '%.*s' here; torch.onnx has '%s'.", STR_ARG(name), right),
      NULL);
}

void registration_check_decorators(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    for (PY_EACH_DECORATOR(model, expression, model->functions.items[i].outer))
      check_decorator(sink, i, expression);
    check_decorator_order(sink, i);
  }
}

void registration_check_lost_calls(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < model->calls.count; i++)
    check_lost_call(sink, &model->calls.items[i]);
}
