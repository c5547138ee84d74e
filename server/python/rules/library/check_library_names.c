// Operators by their names: those that are defined twice, and what is registered for one that does not exist. Run with
// torch 2.14.

#include <stdlib.h>

#include "base/limits.h"
#include "base/nearest.h"
#include "base/sort.h"
#include "base/vec.h"
#include "python/rules/python_edit.h"

static void say_as(DiagSink *sink, Severity severity, PyRef node, Str message)
{
  py_say(sink, RULE_CUSTOM_OP, severity, node, message, NULL);
}

static void say(DiagSink *sink, PyRef node, Str message)
{
  say_as(sink, SEVERITY_ERROR, node, message);
}

/// Whether the file runs the expression once and surely: it stands in a statement of the module, or decorates one.
static bool is_surely_run(const PyTree *tree, PyRef node)
{
  for (int depth = 0; depth < PY_EXPRESSION_DEPTH; depth++) {
    node = tree->nodes[node].parent;
    switch (py_kind(tree, node)) {
    case PYK_MODULE:
      return true;
    case PYK_EXPRESSION_STATEMENT:
    case PYK_ASSIGNMENT:
    case PYK_CALL:
    case PYK_ARGUMENT_LIST:
    case PYK_KEYWORD_ARGUMENT:
    case PYK_CONCATENATED_STRING:
    case PYK_DECORATOR:
    case PYK_DECORATED_DEFINITION:
      break;
    default:
      return false;
    }
  }
  return false;
}

/// Libraries that are gone take their operators with them.
static bool may_be_taken_back(const PyModel *model)
{
  static const char *const words[] = { "_destroy", "_scoped_library", "del " };
  return py_model_mentions_one_of(model, words, COUNT(words));
}

static bool is_definition(const PyModel *model, const PyLibraryOperator *op)
{
  return !op->defined.is_kernel && !op->is_cpp && op->defined.name.len > 0 && is_surely_run(&model->tree, op->node);
}

/// Only @custom_op may come again: it takes back what it defined itself.
static void check_twice(DiagSink *sink, const PyLibrary *library)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < library->count; i++) {
    const PyLibraryOperator *op = &library->items[i];
    for (size_t k = 0; k < i && is_definition(model, op); k++) {
      const PyLibraryOperator *first = &library->items[k];
      if ((op->call != PY_ABSENT && first->call != PY_ABSENT) || !is_definition(model, first) ||
          !str_equal(op->defined.name, first->defined.name) ||
          !str_equal(op->defined.overload, first->defined.overload))
        continue;
      if (may_be_taken_back(model))
        return;
      say(sink, op->node,
          arena_printf(sink->arena, "%.*s is defined twice, which torch refuses: the other one is in line %u.",
                       STR_ARG(op->defined.name),
                       document_line_of(snapshot_document(sink->snapshot), py_range(sink, first->node).start) + 1));
      break;
    }
  }
}

/// `Library("mylib", "DEF")` that a name keeps alive; its name space, or empty.
static Str defining_library(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  if (!str_equal(call->qualified, STR("torch.library.Library")))
    return (Str){ 0 };
  const PyArgument *space = py_model_argument(model, call, 0, "ns");
  const PyArgument *kind = py_model_argument(model, call, 1, "kind");
  Str name, text;
  bool is_kept = py_kind(&model->tree, model->tree.nodes[call->node].parent) == PYK_ASSIGNMENT;
  if (!space || !kind || !is_kept || !is_surely_run(&model->tree, call->node) ||
      !py_model_string(model, kind->value, sink->arena, &text) || !str_equal(text, STR("DEF")) ||
      !py_model_string(model, space->value, sink->arena, &name))
    return (Str){ 0 };
  return name;
}

/// One "DEF" a name space.
static void check_libraries(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0, seen = 0; i < model->calls.count && seen < PY_EXPORT_LIMIT; i++) {
    Str name = defining_library(sink, &model->calls.items[i]);
    seen += name.len > 0;
    for (size_t k = 0; k < i && name.len > 0; k++) {
      if (!str_equal(defining_library(sink, &model->calls.items[k]), name))
        continue;
      if (may_be_taken_back(model))
        return;
      say(sink, model->calls.items[i].node,
          arena_printf(sink->arena,
                       "Only one Library is \"DEF\" for the name space '%.*s', and the file makes one already: "
                       "\"FRAGMENT\" adds to it.",
                       STR_ARG(name)));
      break;
    }
  }
}

// --- Registrations ---

/// Whether all that the file imports is torch or cannot define operators, so that no other module may define one.
static bool is_alone(const PyModel *model)
{
  static const char *const harmless[] = { "torch",  "numpy",    "typing",    "math",        "os",          "sys",
                                          "onnx",   "time",     "functools", "collections", "dataclasses", "onnxscript",
                                          "random", "unittest", "pytest",    "__future__",  "onnxruntime", "onnx_ir" };
  static const char *const loaders[] = { "load_library", "load_inline", "cpp_extension", "import_module" };
  if (py_model_mentions_one_of(model, loaders, COUNT(loaders)))
    return false;
  for (uint32_t i = 0; i < model->bindings.count; i++) {
    const PyBinding *binding = &model->bindings.items[i];
    Str package = str_slice(binding->qualified, 0, str_find_char(binding->qualified, '.', 0));
    if (binding->kind == PY_BIND_IMPORT && !str_is_one_of(package, harmless, COUNT(harmless)))
      return false;
  }
  return true;
}

static Str space_of(Str name)
{
  return str_slice(name, 0, str_find(name, STR("::"), 0));
}

/// Whether the file is a script that exports by itself, and so has all of its operators in sight, or does not run. Who
/// writes a symbolic function for one may have it elsewhere.
static bool exports_alone(const PyModel *model)
{
  for (size_t i = 0; i < model->calls.count && model->registrations.count == 0; i++) {
    const PyCall *call = &model->calls.items[i];
    if (call->scope == PY_ABSENT && (str_equal(call->qualified, STR("torch.export.export")) ||
                                     str_equal(call->qualified, STR("torch.onnx.export"))))
      return is_alone(model);
  }
  return false;
}

/// An operator of the same name space that is defined surely, of nearly the same name if `name` may be defined
/// elsewhere; empty if there is none.
static Str neighbour(const PyLibrary *library, const PyModel *model, Str name, Arena *arena)
{
  Vec(const char *) names = { 0 };
  for (size_t i = 0; i < library->count; i++) {
    const PyLibraryOperator *op = &library->items[i];
    if (!op->defined.is_kernel && str_equal(space_of(op->defined.name), space_of(name)))
      vec_push(&names, arena_copy(arena, op->defined.name).data);
  }
  const char *near = nearest_word(arena_copy(arena, name).data, names.items, names.count);
  if (!near && names.count > 0 && is_alone(model))
    near = names.items[0];
  vec_free(&names);
  return near ? str_from(near) : (Str){ 0 };
}

static void say_undefined(DiagSink *sink, PyRef node, Str name, bool is_script)
{
  const PyFile *file = sink_python(sink);
  Str other = neighbour(&file->library, file->model, name, sink->arena);
  if (other.len > 0)
    say(sink, node,
        arena_printf(sink->arena, "Nothing defines %.*s; the file defines %.*s.", STR_ARG(name), STR_ARG(other)));
  else if (is_script)
    say(sink, node, arena_printf(sink->arena, "Nothing defines %.*s.", STR_ARG(name)));
}

/// `register_fake("mylib::fooo")`: asked for at once, unlike kernels.
static void check_registration(DiagSink *sink, const PyCall *call, bool is_script)
{
  static const char *const functions[] = { "torch.library.register_fake", "torch.library.impl_abstract",
                                           "torch.library.register_autograd", "torch.library.register_vmap" };
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  const PyArgument *op =
      str_is_one_of(call->qualified, functions, COUNT(functions)) ? py_model_argument(model, call, 0, "op") : NULL;
  Str name;
  if (!op || !py_model_string(model, op->value, sink->arena, &name) || !str_contains(name, STR("::")) ||
      !is_surely_run(&model->tree, call->node))
    return;
  name = str_slice(name, 0, str_find_char(name, '.', 0));
  const PyLibraryOperator *known = py_library_find(&file->library, name);
  if (known && !known->is_cpp && is_definition(model, known) && known->node > call->node) {
    say(sink, op->value,
        arena_printf(sink->arena, "%.*s is defined further down, and has to be before this.", STR_ARG(name)));
    return;
  }
  if (known || file->library.is_open || py_file_torch_operator(file, name))
    return;
  say_undefined(sink, op->value, name, is_script);
}

/// What the file defines, in order of the names.
typedef struct DefinedNames {
  Str *items;
  size_t count;
} DefinedNames;

static DefinedNames defined_names(const PyLibrary *library, Arena *arena)
{
  DefinedNames names = { ARENA_ARRAY(arena, Str, library->count), 0 };
  for (size_t i = 0; i < library->count; i++) {
    if (!library->items[i].defined.is_kernel)
      names.items[names.count++] = library->items[i].defined.name;
  }
  sort_stable(names.items, names.count, sizeof(*names.items), str_compare_items);
  return names;
}

/// Whether something in sight defines the operator, or may.
static bool may_be_defined(const PyFile *file, const DefinedNames *names, Str name)
{
  return file->library.is_open ||
         (names->count > 0 && bsearch(&name, names->items, names->count, sizeof(name), str_compare_items)) ||
         py_file_torch_operator(file, name);
}

/// `torch.ops.mylib.fooo` of a name space whose operators are all in sight.
static void check_asked(DiagSink *sink, const DefinedNames *names, PyRef node, bool is_script, int *left)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  Str name, overload;
  if (*left > 0 && py_library_overload_name(model, node, sink->arena, &name, &overload) &&
      !may_be_defined(file, names, name) && !py_tree_try_around(&model->tree, node) &&
      !py_model_mentions(model, "hasattr(") && is_alone(model)) {
    (*left)--;
    say_undefined(sink, node, name, is_script);
  }
}

/// Those that are named and not called, as a key of custom_translation_table is. Of other name spaces
/// check_translation_table.c speaks.
static void check_named(DiagSink *sink, const DefinedNames *names, int *left)
{
  const PyTree *tree = &sink_python(sink)->model->tree;
  uint32_t count = py_model_mentions(sink_python(sink)->model, "torch.ops.") ? tree->count : 0;
  for (PyRef node = 1; node < count; node++) {
    PyNodeKind around = py_kind(tree, tree->nodes[node].parent);
    bool is_called = around == PYK_CALL && tree->nodes[node].field == PY_F_FUNCTION;
    if (py_kind(tree, node) == PYK_ATTRIBUTE && around != PYK_ATTRIBUTE && !is_called &&
        str_starts_with(py_text(tree, node), STR("torch.ops.")))
      check_asked(sink, names, node, false, left);
  }
}

static bool has_kernel(const PyLibrary *library, Str name)
{
  for (size_t i = 0; i < library->count; i++) {
    if (library->items[i].defined.is_kernel && str_equal(library->items[i].defined.name, name))
      return true;
  }
  return false;
}

static bool is_called(DiagSink *sink, Str name)
{
  const PyModel *model = sink_python(sink)->model;
  Str space = space_of(name);
  Str dotted = arena_printf(sink->arena, "torch.ops.%.*s.%.*s(", STR_ARG(space),
                            STR_ARG(str_slice(name, space.len + 2, name.len)));
  return str_contains(model->tree.text, dotted);
}

/// `@impl(lib, "twise", "CPU")` where `twice` is called and has no kernel: torch says nothing, and never runs this one.
static void check_kernels(DiagSink *sink, const DefinedNames *names)
{
  const PyFile *file = sink_python(sink);
  int left = PY_GUESS_LIMIT;
  for (size_t i = 0; i < file->library.count && left > 0; i++) {
    const PyLibraryOperator *op = &file->library.items[i];
    if (!op->defined.is_kernel || op->is_cpp || !is_surely_run(&file->model->tree, op->node) ||
        may_be_defined(file, names, op->defined.name))
      continue;
    left--;
    Str other = neighbour(&file->library, file->model, op->defined.name, sink->arena);
    if (other.len > 0 && !has_kernel(&file->library, other) && is_called(sink, other))
      say_as(sink, SEVERITY_WARNING, op->node,
             arena_printf(sink->arena, "Nothing defines %.*s, and %.*s has no kernel: did you mean that?",
                          STR_ARG(op->defined.name), STR_ARG(other)));
  }
}

void check_python_library_names(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  if (py_is_torch_itself(file->model))
    return;
  check_twice(sink, &file->library);
  check_libraries(sink);
  DefinedNames names = defined_names(&file->library, sink->arena);
  int left = PY_GUESS_LIMIT;
  check_kernels(sink, &names);
  bool is_script = exports_alone(file->model);
  for (size_t i = 0; i < file->model->calls.count && (file->library.count > 0 || is_script); i++) {
    const PyCall *call = &file->model->calls.items[i];
    check_registration(sink, call, is_script);
    if (str_starts_with(call->qualified, STR("torch.ops.")))
      check_asked(sink, &names, call->function_node, is_script, &left);
  }
  if (file->library.count > 0)
    check_named(sink, &names, &left);
}
