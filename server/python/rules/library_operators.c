// Operators that a file defines by torch.library, and what gives them a fake.

#include "python/rules/library_operators.h"

#include "base/limits.h"
#include "base/vec.h"

typedef Vec(LibraryOperator) OperatorVec;

static LibraryOperator *find(OperatorVec *operators, Str name)
{
  for (size_t i = 0; i < operators->count; i++) {
    if (str_equal(operators->items[i].name, name))
      return &operators->items[i];
  }
  return NULL;
}

static bool argument_string(const PyModel *model, const PyCall *call, uint32_t position, const char *keyword,
                            Arena *arena, PyRef *ret_node, Str *ret_text)
{
  const PyArgument *argument = py_model_argument(model, call, position, keyword);
  *ret_node = argument ? argument->value : 0;
  return argument && py_model_string(model, argument->value, arena, ret_text);
}

// --- @custom_op ---

/// The function that a call decorates; PY_ABSENT.
static uint32_t decorated_by(const PyModel *model, PyRef call)
{
  const PyTree *tree = &model->tree;
  PyRef decorator = tree->nodes[call].parent;
  if (py_kind(tree, decorator) != PYK_DECORATOR)
    return PY_ABSENT;
  PyRef definition = py_child(tree, tree->nodes[decorator].parent, PY_F_DEFINITION);
  return definition ? py_model_function_at(model, definition) : PY_ABSENT;
}

static Str annotation_type(const PyModel *model, PyRef annotation)
{
  Str text = annotation ? py_text(&model->tree, annotation) : STR("?");
  return str_equal(text, STR("torch.Tensor")) ? STR("Tensor") : text;
}

/// The schema as torch.library.infer_schema() makes it, as far as the number and names of arguments go.
static void infer_schema(const PyModel *model, LibraryOperator *operator, Arena * arena)
{
  const PyFunction *function = &model->functions.items[operator->function];
  TorchArgument *arguments = ARENA_ARRAY(arena, TorchArgument, function->param_count);
  Str text = arena_printf(arena, "%.*s(", STR_ARG(operator->name));
  for (uint32_t i = 0; i < function->param_count; i++) {
    const PyParam *param = &model->params.items[function->first_param + i];
    if (param->kind == PY_PARAM_ARGS || param->kind == PY_PARAM_KWARGS)
      return;
    arguments[i] = (TorchArgument){ .name = param->name,
                                    .type = annotation_type(model, param->annotation),
                                    .has_default = param->default_value != 0,
                                    .is_kwarg_only = param->kind == PY_PARAM_KEYWORD_ONLY };
    text = arena_printf(arena, "%.*s%s%.*s %.*s", STR_ARG(text), i > 0 ? ", " : "", STR_ARG(arguments[i].type),
                        STR_ARG(param->name));
  }
  operator->schema =(TorchOverload){ .schema = arena_printf(arena, "%.*s)", STR_ARG(text)),
                                     .arguments = arguments,
                                     .argument_count = function->param_count };
  operator->has_schema = true;
}

static void add_custom_op(const PyModel *model, OperatorVec *operators, uint32_t index, Arena *arena)
{
  LibraryOperator operator= { .call = index, .fake = PY_ABSENT };
  const PyCall *call = &model->calls.items[index];
  if (!argument_string(model, call, 0, "name", arena, &operator.node, &operator.name))
    return;
  operator.function = decorated_by(model, call->node);
  if (operator.function != PY_ABSENT && !py_model_argument(model, call, PY_ABSENT, "schema"))
    infer_schema(model, &operator, arena);
  vec_push(operators, operator);
}

// --- define() ---

/// `text` is "foo(Tensor x) -> Tensor", with or without a name space and a name.
static void add_defined(OperatorVec *operators, PyRef node, Str name, Str text, Arena *arena)
{
  LibraryOperator operator= { .node = node, .call = PY_ABSENT, .function = PY_ABSENT, .fake = PY_ABSENT };
  operator.name = name;
  operator.schema.schema = text;
  torch_overload_parse(&operator.schema, arena);
  operator.has_schema = str_find_char(text, '(', 0) != STR_NOT_FOUND;
  vec_push(operators, operator);
}

static void add_define_call(const PyModel *model, OperatorVec *operators, const PyCall *call, Arena *arena)
{
  PyRef node;
  PyRef schema_node;
  Str name;
  Str schema;
  if (!argument_string(model, call, 0, "qualname", arena, &node, &name) ||
      !argument_string(model, call, 1, "schema", arena, &schema_node, &schema))
    return;
  add_defined(operators, node, name, arena_printf(arena, "%.*s%.*s", STR_ARG(name), STR_ARG(schema)), arena);
}

/// The name space of `lib` in `lib.define(...)`, where lib = torch.library.Library("mylib", "DEF").
static bool library_namespace(const PyModel *model, PyRef object, Arena *arena, Str *ret_namespace)
{
  uint32_t index = py_model_call_at(model, py_model_resolve(model, object));
  PyRef node;
  return index != PY_ABSENT && str_equal(model->calls.items[index].qualified, STR("torch.library.Library")) &&
         argument_string(model, &model->calls.items[index], 0, "ns", arena, &node, ret_namespace);
}

static void add_library_call(const PyModel *model, OperatorVec *operators, const PyCall *call, Arena *arena)
{
  const PyTree *tree = &model->tree;
  PyRef method =
      py_kind(tree, call->function_node) == PYK_ATTRIBUTE ? py_child(tree, call->function_node, PY_F_ATTRIBUTE) : 0;
  PyRef node;
  Str space;
  Str schema;
  if (!method || !str_equal(py_text(tree, method), STR("define")) ||
      !library_namespace(model, py_child(tree, call->function_node, PY_F_OBJECT), arena, &space) ||
      !argument_string(model, call, 0, "schema", arena, &node, &schema))
    return;
  Str name = str_trim(str_slice(schema, 0, str_find_char(schema, '(', 0)));
  add_defined(operators, node, arena_printf(arena, "%.*s::%.*s", STR_ARG(space), STR_ARG(name)),
              arena_printf(arena, "%.*s::%.*s", STR_ARG(space), STR_ARG(schema)), arena);
}

// --- Fakes ---

static void give_fake(LibraryOperator *operator, uint32_t function)
{
  if (!operator)
    return;
  operator->fake = operator->has_fake ? PY_ABSENT : function;
  operator->has_fake = true;
}

/// `@foo.register_fake`, which is no call, and `foo.register_fake(f)`.
static void find_method_fakes(const PyModel *model, OperatorVec *operators)
{
  const PyTree *tree = &model->tree;
  for (PyRef node = 1; node < tree->count; node++) {
    if (py_kind(tree, node) != PYK_ATTRIBUTE)
      continue;
    PyRef name = py_child(tree, node, PY_F_ATTRIBUTE);
    PyRef object = py_child(tree, node, PY_F_OBJECT);
    if (!name || !object || !str_equal(py_text(tree, name), STR("register_fake")))
      continue;
    for (size_t i = 0; i < operators->count; i++) {
      LibraryOperator *operator= & operators->items[i];
      if (operator->function != PY_ABSENT &&
          str_equal(model->functions.items[operator->function].name, py_text(tree, object)))
        give_fake(operator, decorated_by(model, node));
    }
  }
}

static void find_call_fakes(const PyModel *model, OperatorVec *operators, Arena *arena)
{
  static const char *const names[] = { "torch.library.register_fake", "torch.library.impl_abstract" };
  for (uint32_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    PyRef node;
    Str name;
    if (str_is_one_of(call->qualified, names, COUNT(names)) &&
        argument_string(model, call, 0, "op", arena, &node, &name))
      give_fake(find(operators, name), decorated_by(model, call->node));
  }
}

/// A kernel for the key Meta, or for all keys, is a fake, too; which operator it is for is not read.
static bool may_have_kernels(const PyModel *model)
{
  static const char *const words[] = { "Meta", "Composite", "fallthrough" };
  return str_contains_one_of(model->tree.text, words, COUNT(words));
}

const LibraryOperators *library_operators(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  OperatorVec operators = { 0 };
  for (uint32_t i = 0; i < model->calls.count && operators.count < PY_CUSTOM_OP_LIMIT; i++) {
    const PyCall *call = &model->calls.items[i];
    if (str_equal(call->qualified, STR("torch.library.custom_op")) ||
        str_equal(call->qualified, STR("torch.library.triton_op")))
      add_custom_op(model, &operators, i, sink->arena);
    else if (str_equal(call->qualified, STR("torch.library.define")))
      add_define_call(model, &operators, call, sink->arena);
    else
      add_library_call(model, &operators, call, sink->arena);
  }
  if (operators.count > 0) {
    find_method_fakes(model, &operators);
    find_call_fakes(model, &operators, sink->arena);
  }
  for (size_t i = 0; i < operators.count && may_have_kernels(model); i++)
    operators.items[i].has_fake = true;
  LibraryOperators *list = ARENA_NEW(sink->arena, LibraryOperators);
  list->count = operators.count;
  list->items = vec_copy(&operators, sink->arena);
  vec_free(&operators);
  return list;
}

const LibraryOperator *library_operator_named(const LibraryOperators *operators, Str name)
{
  for (size_t i = 0; operators && i < operators->count; i++) {
    if (str_equal(operators->items[i].name, name))
      return &operators->items[i];
  }
  return NULL;
}
