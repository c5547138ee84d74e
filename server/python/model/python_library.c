// Operators that a file defines by torch.library, and what gives them a fake.

#include "python/model/python_library.h"

#include "base/limits.h"
#include "base/vec.h"
#include "cpp/cpp_library.h"
#include "python/model/python_schema.h"

typedef Vec(PyLibraryOperator) OperatorVec;

/// `name` is "mylib::foo", or "mylib::foo.out" for an overload.
static PyLibraryOperator *find(PyLibraryOperator *items, size_t count, Str name)
{
  size_t dot = str_find_char(name, '.', 0);
  Str overload = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(name, dot + 1, name.len);
  for (size_t i = 0; i < count; i++) {
    const DefinedOperator *defined = &items[i].defined;
    if (!defined->is_kernel && str_equal(defined->name, str_slice(name, 0, dot)) &&
        str_equal(defined->overload, overload))
      return &items[i];
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

static Range node_range(const PyModel *model, PyRef node)
{
  return (Range){ model->tree.nodes[node].start, model->tree.nodes[node].end };
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

/// The function that custom_op() is given, also where its name stands for the operator afterwards: `f =
/// custom_op("a::f", f)`.
static uint32_t function_given(const PyModel *model, const PyCall *call, PyRef node)
{
  const PyBinding *binding = py_model_binding_at(model, node);
  const PyBinding *then = binding && binding->kind == PY_BIND_FUNCTION && binding->next != PY_ABSENT
                              ? &model->bindings.items[binding->next]
                              : NULL;
  bool is_renamed = then && then->kind == PY_BIND_ASSIGN && then->value == call->node && then->next == PY_ABSENT;
  return is_renamed ? binding->index : py_model_callable(model, node).function;
}

static void add_custom_op(const PyModel *model, OperatorVec *operators, uint32_t index, Arena *arena)
{
  PyLibraryOperator found = { .call = index, .fake = PY_ABSENT };
  const PyCall *call = &model->calls.items[index];
  Str name;
  Str text;
  PyRef node;
  if (!argument_string(model, call, 0, "name", arena, &found.node, &name))
    return;
  const PyArgument *schema = py_model_argument(model, call, PY_ABSENT, "schema");
  const PyArgument *mutates = py_model_argument(model, call, PY_ABSENT, "mutates_args");
  const PyArgument *given = py_model_argument(model, call, 1, "fn");
  found.function = decorated_by(model, call->node);
  found.body = given ? function_given(model, call, given->value) : found.function;
  found.has_fake = str_equal(call->qualified, STR("torch.library.triton_op"));  // Its function, which calls kernels.
  found.is_inferred = !schema && found.body != PY_ABSENT &&
                      py_schema_infer(model, found.body, name, mutates ? mutates->value : 0, arena, &text);
  if (argument_string(model, call, PY_ABSENT, "schema", arena, &node, &text))
    text = arena_printf(arena, "%.*s%.*s", STR_ARG(name), STR_ARG(text));
  else if (!found.is_inferred)
    text = name;
  if (!defined_operator_read((Str){ 0 }, text, arena, &found.defined))
    found.defined.name = name;  // The rules say what is wrong with it.
  found.defined.place = node_range(model, found.node);
  vec_push(operators, found);
}

// --- define() ---

/// `text` is "foo(Tensor x) -> Tensor", with or without a name space. NULL for what can't be read.
static PyLibraryOperator *add_defined(const PyModel *model, OperatorVec *operators, PyRef node, Str space, Str text,
                                      bool is_kernel, Arena *arena)
{
  PyLibraryOperator found = {
    .node = node, .call = PY_ABSENT, .function = PY_ABSENT, .body = PY_ABSENT, .fake = PY_ABSENT
  };
  if (!defined_operator_read(space, text, arena, &found.defined))
    return NULL;
  found.defined.place = node_range(model, node);
  found.defined.is_kernel = is_kernel;
  vec_push(operators, found);
  return &operators->items[operators->count - 1];
}

static void add_define_call(const PyModel *model, OperatorVec *operators, const PyCall *call, Arena *arena)
{
  PyRef node;
  PyRef schema_node;
  Str name;
  Str schema;
  if (argument_string(model, call, 0, "qualname", arena, &node, &name) &&
      argument_string(model, call, 1, "schema", arena, &schema_node, &schema))
    add_defined(model, operators, node, (Str){ 0 }, arena_printf(arena, "%.*s%.*s", STR_ARG(name), STR_ARG(schema)),
                false, arena);
}

/// The name space of `lib` in `lib.define(...)`, where lib = torch.library.Library("mylib", "DEF").
static bool library_namespace(const PyModel *model, PyRef object, Arena *arena, Str *ret_namespace)
{
  const PyCall *call = py_model_call(model, py_model_resolve(model, object));
  PyRef node;
  return call && str_equal(call->qualified, STR("torch.library.Library")) &&
         argument_string(model, call, 0, "ns", arena, &node, ret_namespace);
}

static void add_library_call(const PyModel *model, OperatorVec *operators, const PyCall *call, Arena *arena)
{
  const PyTree *tree = &model->tree;
  Str method = py_tree_member_name(tree, call->function_node);
  PyRef node;
  Str space;
  Str text;
  bool is_impl = str_equal(method, STR("impl"));
  if ((!is_impl && !str_equal(method, STR("define"))) ||
      !library_namespace(model, py_tree_object(tree, call->function_node), arena, &space) ||
      !argument_string(model, call, 0, is_impl ? "op_name" : "schema", arena, &node, &text))
    return;
  PyLibraryOperator *added = add_defined(model, operators, node, space, text, is_impl, arena);
  if (added)
    added->is_composite = is_impl && !py_model_argument(model, call, 2, "dispatch_key");
}

/// `torch.library.impl("mylib::foo", "CPU")` and `torch.library.impl(lib, "foo", "CPU")`.
static void add_impl_call(const PyModel *model, OperatorVec *operators, const PyCall *call, Arena *arena)
{
  PyRef node;
  Str space = { 0 };
  Str text;
  const PyArgument *first = py_model_argument(model, call, 0, "qualname");
  if (!first)
    return;
  bool is_of_library = library_namespace(model, first->value, arena, &space);
  if (is_of_library) {
    if (!argument_string(model, call, 1, "name", arena, &node, &text))
      return;
  } else if (!argument_string(model, call, 0, "qualname", arena, &node, &text)) {
    return;
  }
  PyLibraryOperator *added = add_defined(model, operators, node, space, text, true, arena);
  if (added)
    added->is_composite = is_of_library && !py_model_argument(model, call, 2, "dispatch_key");
}

// --- load_inline() ---

/// Where the text of an operator stands in a literal; its quotation marks if that can't be told.
static Range place_in_literal(const PyModel *model, PyRef literal, Str source, Range place)
{
  Str text = py_text(&model->tree, literal);
  size_t line_end = str_find_char(source, '\n', place.start);
  Str wanted = str_slice(source, place.start, line_end < place.end ? line_end : place.end);
  size_t at = str_find(text, wanted, 0);
  size_t start = model->tree.nodes[literal].start;
  return at == STR_NOT_FOUND ? (Range){ start, start + 1 } : (Range){ start + at, start + at + wanted.len };
}

static void add_source(const PyModel *model, OperatorVec *operators, PyRef value, Arena *arena)
{
  Str source;
  if (!py_model_string(model, value, arena, &source))
    return;
  PyRef literal = py_model_resolve(model, value);
  CppOperators defined = cpp_library_operators(source, arena);
  for (size_t i = 0; i < defined.count; i++) {
    PyLibraryOperator found = {
      .call = PY_ABSENT, .function = PY_ABSENT, .body = PY_ABSENT, .fake = PY_ABSENT, .node = literal, .is_cpp = true
    };
    found.defined = defined.items[i];
    found.defined.place = place_in_literal(model, literal, source, defined.items[i].place);
    vec_push(operators, found);
  }
}

/// `cpp_sources` and `cuda_sources` are a string each, or lists of them.
static void add_inline_sources(const PyModel *model, OperatorVec *operators, const PyCall *call, Arena *arena)
{
  static const char *const keywords[] = { "cpp_sources", "cuda_sources" };
  for (uint32_t i = 0; i < COUNT(keywords); i++) {
    const PyArgument *argument = py_model_argument(model, call, i + 1, keywords[i]);
    PyRef value = argument ? py_model_resolve(model, argument->value) : 0;
    PyNodeKind kind = value ? py_kind(&model->tree, value) : PYK_OTHER;
    if (value && kind != PYK_LIST && kind != PYK_TUPLE)
      add_source(model, operators, argument->value, arena);
    else if (value)
      for (PY_EACH_ELEMENT(&model->tree, item, value))
        add_source(model, operators, item, arena);
  }
}

// --- Fakes ---

static void give_fake(PyLibraryOperator *item, uint32_t function)
{
  if (!item)
    return;
  item->fake = item->has_fake ? PY_ABSENT : function;
  item->has_fake = true;
}

/// `@foo.register_fake`, which is no call, and `foo.register_fake(f)`.
static void find_method_fakes(const PyModel *model, OperatorVec *operators)
{
  const PyTree *tree = &model->tree;
  for (PyRef node = 1; node < tree->count; node++) {
    if (!str_equal(py_tree_member_name(tree, node), STR("register_fake")))
      continue;
    PyRef object = py_tree_object(tree, node);
    for (size_t i = 0; i < operators->count; i++) {
      PyLibraryOperator *item = &operators->items[i];
      if (item->function != PY_ABSENT && str_equal(model->functions.items[item->function].name, py_text(tree, object)))
        give_fake(item, decorated_by(model, node));
    }
  }
}

static PyLibraryOperator *find_named(const PyModel *model, PyLibraryOperator *items, size_t count, PyRef node,
                                     Arena *arena)
{
  Str name;
  if (py_model_string(model, node, arena, &name))
    return find(items, count, name);
  for (size_t i = 0; i < count && py_kind(&model->tree, node) == PYK_IDENTIFIER; i++) {
    uint32_t function = items[i].function;
    if (function != PY_ABSENT && str_equal(model->functions.items[function].name, py_text(&model->tree, node)))
      return &items[i];
  }
  return NULL;
}

static void find_call_fakes(const PyModel *model, OperatorVec *operators, Arena *arena)
{
  static const char *const names[] = { "torch.library.register_fake", "torch.library.impl_abstract" };
  for (uint32_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    const PyArgument *op =
        str_is_one_of(call->qualified, names, COUNT(names)) ? py_model_argument(model, call, 0, "op") : NULL;
    if (op)
      give_fake(find_named(model, operators->items, operators->count, op->value, arena),
                decorated_by(model, call->node));
  }
}

/// An operator is made whose name can't be told, or by the class that @custom_op uses, which nothing here reads.
static bool defines_unknown(const PyModel *model, const PyCall *call, Arena *arena)
{
  static const char *const readable[] = { "torch.library.custom_op", "torch.library.triton_op", "torch.library.define",
                                          "torch.library.Library" };
  Str text;
  PyRef node;
  if (str_is_one_of(call->qualified, readable, COUNT(readable)))
    return call->argument_count > 0 && !py_model_string(model, py_model_arguments(model, call)->value, arena, &text);
  if (str_equal(py_tree_member_name(&model->tree, call->function_node), STR("define"))) {
    bool is_of_library = library_namespace(model, py_tree_object(&model->tree, call->function_node), arena, &text);
    bool is_known = argument_string(model, call, 0, "schema", arena, &node, &text);
    // `lib.define("op(Tensor x) -> Tensor")` of a name that stands for several, or a text that can't be told.
    if (is_of_library ? !is_known : is_known && str_contains(text, STR("->")))
      return true;
  }
  return str_equal(call->qualified, STR("torch.library.CustomOpDef")) ||
         str_equal(call->qualified, STR("torch._library.custom_ops.CustomOpDef"));
}

/// A kernel for the key Meta, or for all keys, is a fake, too; which operator it is for is not read.
static bool may_have_kernels(const PyModel *model)
{
  static const char *const words[] = { "Meta", "Composite", "fallthrough" };
  return py_model_mentions_one_of(model, words, COUNT(words));
}

/// Whether a kernel of the operator is for all keys, so that torch.export sees what that calls.
static bool has_composite_kernel(const PyModel *model, const OperatorVec *operators, Str name)
{
  bool found = py_model_mentions(model, "CompositeImplicit");
  for (size_t i = 0; i < operators->count && !found; i++)
    found = operators->items[i].is_composite && str_equal(operators->items[i].defined.name, name);
  return found;
}

/// Which overload a call takes is not told.
static bool has_faked_overload(const OperatorVec *operators, Str name)
{
  for (size_t i = 0; i < operators->count; i++) {
    if (operators->items[i].has_fake && str_equal(operators->items[i].defined.name, name))
      return true;
  }
  return false;
}

static void add_operators(const PyModel *model, OperatorVec *operators, uint32_t index, Arena *arena)
{
  const PyCall *call = &model->calls.items[index];
  Str name = call->qualified;
  if (str_equal(name, STR("torch.library.custom_op")) || str_equal(name, STR("torch.library.triton_op")))
    add_custom_op(model, operators, index, arena);
  else if (str_equal(name, STR("torch.library.define")))
    add_define_call(model, operators, call, arena);
  else if (str_equal(name, STR("torch.library.impl")))
    add_impl_call(model, operators, call, arena);
  else if (str_equal(name, STR("torch.utils.cpp_extension.load_inline")))
    add_inline_sources(model, operators, call, arena);
  else
    add_library_call(model, operators, call, arena);
}

PyLibrary py_library_operators(const PyModel *model, Arena *arena)
{
  OperatorVec operators = { 0 };
  for (uint32_t i = 0; i < model->calls.count && operators.count < PY_CUSTOM_OP_LIMIT; i++)
    add_operators(model, &operators, i, arena);
  if (operators.count > 0) {
    find_method_fakes(model, &operators);
    find_call_fakes(model, &operators, arena);
  }
  bool may_have_fakes = operators.count > 0 && may_have_kernels(model);
  for (size_t i = 0; i < operators.count; i++) {
    PyLibraryOperator *item = &operators.items[i];
    item->is_composite = item->call == PY_ABSENT && has_composite_kernel(model, &operators, item->defined.name);
    item->has_fake |= may_have_fakes || item->is_composite || has_faked_overload(&operators, item->defined.name);
    item->schema = (TorchOverload){ .overload = item->defined.overload,
                                    .schema = item->defined.schema,
                                    .torch_versions = UINT32_MAX };
    torch_overload_parse(&item->schema, arena);
  }
  PyLibrary library = { vec_copy(&operators, arena), operators.count, operators.count == PY_CUSTOM_OP_LIMIT };
  for (uint32_t i = 0; i < model->calls.count && !library.is_open; i++)
    library.is_open = defines_unknown(model, &model->calls.items[i], arena);
  vec_free(&operators);
  return library;
}

const PyLibraryOperator *py_library_find(const PyLibrary *library, Str name)
{
  for (size_t i = 0; i < library->count; i++) {
    if (!library->items[i].defined.is_kernel && str_equal(library->items[i].defined.name, name))
      return &library->items[i];
  }
  return NULL;
}

const PyLibraryOperator *py_library_named(const PyModel *model, const PyLibrary *library, PyRef node, Arena *arena)
{
  return find_named(model, library->items, library->count, node, arena);
}

bool py_library_overload_name(const PyModel *model, PyRef node, Arena *arena, Str *ret_name, Str *ret_overload)
{
  Str text = py_model_qualified(model, py_model_resolve(model, node), arena);
  Str prefix = STR("torch.ops.");
  if (!str_starts_with(text, prefix))
    return false;
  text = str_slice(text, prefix.len, text.len);
  size_t first = str_find_char(text, '.', 0);
  if (first == STR_NOT_FOUND)
    return false;
  size_t second = str_find_char(text, '.', first + 1);
  Str name = str_slice(text, first + 1, second);
  *ret_overload = second == STR_NOT_FOUND ? (Str){ 0 } : str_slice(text, second + 1, text.len);
  *ret_name = arena_printf(arena, "%.*s::%.*s", (int)first, text.data, STR_ARG(name));
  return str_find_char(*ret_overload, '.', 0) == STR_NOT_FOUND;
}

bool py_library_called(const PyModel *model, const PyLibrary *library, const PyCall *call, Arena *arena, Str *ret_name,
                       Str *ret_overload)
{
  *ret_overload = (Str){ 0 };
  if (str_starts_with(call->qualified, STR("torch.ops.")))
    return py_library_overload_name(model, call->function_node, arena, ret_name, ret_overload);
  const PyBinding *binding = py_model_binding_at(model, call->function_node);
  bool is_other = binding && binding->next != PY_ABSENT;  // The name may be something else by then.
  for (size_t i = 0; call->function != PY_ABSENT && !is_other && i < library->count; i++) {
    if (library->items[i].function == call->function) {
      *ret_name = library->items[i].defined.name;
      return true;
    }
  }
  return false;
}
