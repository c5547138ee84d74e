// Which classes of a file its exports can reach: from the model that an export call names, through names, the functions
// and classes that make it, and what callers pass.

#include "base/limits.h"
#include "base/vec.h"
#include "python/rules/export/export_call.h"

/// A piece of code that is still to be looked at.
typedef struct Pending {
  PyRef node;
  bool is_value;  ///< What it gives is exported; else it only helps to make that.
} Pending;

typedef struct Search {
  const PyModel *model;
  bool *classes;         ///< By class: reached. The answer.
  bool *bindings;        ///< By binding: followed.
  bool *functions;       ///< By function: its body was looked at.
  uint32_t *first_call;  ///< By function: the last call of it in this file; PY_ABSENT.
  uint32_t *next_call;   ///< By call: the one before it of the same function.
  Vec(Pending) pending;
  int steps;                  ///< Nodes that may still be looked at.
  bool is_anything_exported;  ///< The model comes from somewhere else.
} Search;

static void add(Search *search, PyRef node, bool is_value)
{
  if (node)
    vec_push(&search->pending, ((Pending){ node, is_value }));
}

static uint32_t class_index(const PyModel *model, PyRef node)
{
  for (uint32_t i = 0; i < model->classes.count; i++) {
    if (model->classes.items[i].node == node)
      return i;
  }
  return PY_ABSENT;
}

/// The class calls its base's forward() if it has none itself, or names super().
static bool uses_base(const PyModel *model, PyRef class_node)
{
  for (size_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->class_node == class_node && str_equal(function->name, STR("forward")))
      return str_find(py_text(&model->tree, function->node), STR("super"), 0) != STR_NOT_FOUND;
  }
  return true;
}

static void reach_class(Search *search, PyRef class_node)
{
  const PyTree *tree = &search->model->tree;
  uint32_t index = class_index(search->model, class_node);
  if (index == PY_ABSENT || search->classes[index])
    return;
  search->classes[index] = true;
  add(search, py_child(tree, class_node, PY_F_BODY), false);
  if (uses_base(search->model, class_node))
    add(search, py_child(tree, class_node, PY_F_SUPERCLASSES), false);
}

static void reach_function(Search *search, uint32_t function)
{
  if (search->functions[function])
    return;
  search->functions[function] = true;
  add(search, search->model->functions.items[function].body, false);
}

/// What the callers of this file pass for a parameter; without any, it may be everything.
static void reach_param(Search *search, const PyBinding *binding, bool is_value)
{
  const PyModel *model = search->model;
  const PyFunction *function = &model->functions.items[binding->scope];
  uint32_t position = binding->index - function->first_param;
  if (function->class_node) {
    reach_class(search, function->class_node);
    search->is_anything_exported |= position > 0 && is_value;
    return;
  }
  Arena arena = { 0 };
  const char *name = arena_copy(&arena, binding->name).data;
  uint32_t call = function->first_call;
  search->is_anything_exported |= call == PY_ABSENT && is_value;
  for (; call != PY_ABSENT; call = model->calls.items[call].next) {
    const PyArgument *argument = py_model_argument(model, &model->calls.items[call], position, name);
    if (argument)
      add(search, argument->value, is_value);
  }
  arena_done(&arena);
}

static void reach_name(Search *search, PyRef node, bool is_value)
{
  const PyModel *model = search->model;
  uint32_t at = py_model_name_at(model, node);
  for (; at != PY_ABSENT && !search->bindings[at]; at = model->bindings.items[at].next) {
    const PyBinding *binding = &model->bindings.items[at];
    search->bindings[at] = true;
    switch (binding->kind) {
    case PY_BIND_ASSIGN:
    case PY_BIND_OTHER:
      add(search, binding->value, is_value);
      break;
    case PY_BIND_CLASS:
      reach_class(search, model->tree.nodes[binding->node].parent);
      break;
    case PY_BIND_FUNCTION:
      reach_function(search, binding->index);
      break;
    case PY_BIND_PARAM:
      reach_param(search, binding, is_value);
      break;
    case PY_BIND_IMPORT:
      break;
    }
  }
}

static void follow(Search *search)
{
  const PyTree *tree = &search->model->tree;
  while (search->pending.count > 0 && search->steps > 0) {
    Pending next = *vec_last(&search->pending);
    search->pending.count--;
    for (PyRef node = next.node; node < tree->nodes[next.node].next && search->steps-- > 0; node++) {
      if (py_tree_is_looked_up(tree, node))
        reach_name(search, node, next.is_value);
    }
  }
  search->is_anything_exported |= search->steps <= 0;
}

/// Which classes are made, and only by functions that export something else: what they make is for later.
static const bool *classes_made_beside(const Search *search, Arena *arena)
{
  const PyModel *model = search->model;
  bool *exporting = ARENA_ARRAY(arena, bool, model->functions.count);
  bool *beside = ARENA_ARRAY(arena, bool, model->classes.count);
  bool *elsewhere = ARENA_ARRAY(arena, bool, model->classes.count);
  for (size_t i = 0; i < model->exports.count; i++) {
    uint32_t scope = model->calls.items[model->exports.items[i]].scope;
    if (scope != PY_ABSENT)
      exporting[scope] = true;
  }
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    const PyClass *class = py_model_class_at(model, py_model_class_named(model, call->function_node));
    if (class)
      (call->scope != PY_ABSENT && exporting[call->scope] ? beside : elsewhere)[class - model->classes.items] = true;
  }
  for (size_t i = 0; i < model->classes.count; i++)
    beside[i] &= !elsewhere[i];
  return beside;
}

/// What a function makes for itself is exported only where it is reached.
static void reach_module_classes(Search *search, Arena *arena)
{
  const PyModel *model = search->model;
  const bool *beside = classes_made_beside(search, arena);
  for (size_t i = 0; i < model->classes.count; i++)
    search->classes[i] |= !beside[i] && py_model_scope_of(model, model->classes.items[i].node) == PY_ABSENT;
}

const bool *export_reached_classes(DiagSink *sink, ExportKind without)
{
  const PyModel *model = sink_python(sink)->model;
  Arena *arena = sink->arena;
  Search search = {
    .model = model,
    .classes = ARENA_ARRAY(arena, bool, model->classes.count),
    .bindings = ARENA_ARRAY(arena, bool, model->bindings.count),
    .functions = ARENA_ARRAY(arena, bool, model->functions.count),
    .steps = PY_TRACING_WORK,
  };
  for (size_t i = 0; i < model->exports.count && i < PY_EXPORT_LIMIT; i++) {
    ExportCall export = export_call(sink, i);
    const PyArgument *argument = export.kind == without ? NULL : export_argument(&export, "model");
    if (argument)
      add(&search, argument->value, true);
    else
      search.is_anything_exported |= export.kind != without;
  }
  follow(&search);
  if (search.is_anything_exported)
    reach_module_classes(&search, arena);
  vec_free(&search.pending);
  return search.classes;
}

/// Whether nothing that the class derives from makes it known: `class Batch(object)`, `class Encoding(UserDict)`.
static bool has_plain_bases(const PyModel *model, PyRef class_node)
{
  static const char *const plain[] = { "abc.ABC", "collections.UserDict", "collections.UserList" };
  const PyTree *tree = &model->tree;
  PyRef bases = py_child(tree, class_node, PY_F_SUPERCLASSES);
  bool is_plain = true;
  Arena arena = { 0 };
  for (PyRef base = bases ? py_first_child(tree, bases) : 0; base && is_plain; base = py_next_sibling(tree, base))
    is_plain = str_equal(py_text(tree, base), STR("object")) ||
               str_is_one_of(py_model_qualified(model, base, &arena), plain, COUNT(plain));
  arena_done(&arena);
  return is_plain;
}

/// Whether nothing in the file tells torch what an object of a class holds.
static bool is_unregistered(const PyModel *model)
{
  static const char *const registered[] = { "register_dataclass", "register_pytree_node", "register_constant",
                                            "__new__" };
  return !py_model_mentions_one_of(model, registered, COUNT(registered));
}

bool export_is_unknown_container(const PyModel *model, PyRef class_node)
{
  static const char *const containers[] = { "dict", "list", "tuple", "set", "OrderedDict" };
  const PyTree *tree = &model->tree;
  PyRef bases = py_child(tree, class_node, PY_F_SUPERCLASSES);
  PyRef base = bases ? py_first_child(tree, bases) : 0;
  return base && !py_next_sibling(tree, base) && is_unregistered(model) &&
         str_is_one_of(str_after_last(py_text(tree, base), '.'), containers, COUNT(containers));
}

bool export_is_unknown_class(const PyModel *model, PyRef class_node)
{
  return is_unregistered(model) && has_plain_bases(model, class_node);
}

/// Whether nothing decorates the class, or only @dataclass.
static bool is_plain_class(const PyModel *model, PyRef class_node, Arena *arena)
{
  const PyTree *tree = &model->tree;
  PyRef around = tree->nodes[class_node].parent;
  if (py_kind(tree, around) != PYK_DECORATED_DEFINITION)
    return true;
  for (PY_EACH_DECORATOR(model, decorator, around)) {
    bool is_call = py_kind(tree, decorator) == PYK_CALL;
    PyRef name = is_call ? py_child(tree, decorator, PY_F_FUNCTION) : decorator;
    if (!str_equal(py_model_qualified(model, name, arena), STR("dataclasses.dataclass")))
      return false;
  }
  return true;
}

bool export_is_unknown_object(const PyModel *model, PyRef node, Arena *arena)
{
  const PyCall *call = py_model_call(model, node);
  PyRef name = call ? call->function_node : 0;
  PyRef class_node = name && py_kind(&model->tree, name) == PYK_IDENTIFIER ? py_model_class_named(model, name) : 0;
  return class_node && export_is_unknown_class(model, class_node) && is_plain_class(model, class_node, arena);
}

bool export_is_uncaptured_object(const PyModel *model, PyRef node)
{
  static const char *const makers[] = { "range", "set", "types.SimpleNamespace", "torch.device" };
  const PyCall *call = py_model_call(model, node);
  PyRef name = call ? call->function_node : 0;
  PyRef class_node = name && py_kind(&model->tree, name) == PYK_IDENTIFIER ? py_model_class_named(model, name) : 0;
  return py_kind(&model->tree, node) == PYK_SET ||
         (call && str_is_one_of(call->qualified, makers, COUNT(makers)) && is_unregistered(model)) ||
         (class_node && export_is_unknown_container(model, class_node));
}
