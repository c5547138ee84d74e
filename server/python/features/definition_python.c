// Definition and references in Python, between names of operators, the functions that are registered for them, and the
// dumps that use them. What Python itself says of names is another server's business.

#include "base/limits.h"
#include "base/sort.h"
#include "base/vec.h"
#include "core/symbolic_places.h"
#include "python/features/python_features.h"

typedef struct Finder {
  const FeatureContext *context;
  const PyFile *file;
  const PyModel *model;
  PyRef node;  ///< Under the cursor.
  Range origin;
  Vec(Location) found;
  PlaceList others;  ///< In other files.
} Finder;

static bool begin(Finder *finder, const FeatureContext *context, size_t offset)
{
  const PyFile *file = py_file_of_snapshot(context->snapshot);
  *finder = (Finder){ .context = context, .file = file };
  if (!file)
    return false;
  finder->model = file->model;
  finder->node = py_node_at(&file->model->tree, offset);
  finder->origin = py_node_range(&file->model->tree, finder->node);
  finder->others = (PlaceList){ .context = context, .origin = finder->origin };
  return true;
}

static void add(Finder *finder, Range target, Range selection)
{
  for (size_t i = 0; i < finder->found.count; i++) {
    if (finder->found.items[i].selection.start == selection.start)
      return;
  }
  if (finder->found.count < REFERENCE_LIMIT)
    vec_push(&finder->found, (Location){ .origin = finder->origin, .target = target, .selection = selection });
}

static void add_function(Finder *finder, uint32_t function)
{
  if (function != PY_ABSENT)
    add(finder, python_function_range(finder->file, function), python_function_selection(finder->file, function));
}

static void add_node(Finder *finder, PyRef node)
{
  add(finder, py_node_range(&finder->model->tree, node), py_node_range(&finder->model->tree, node));
}

static int compare_locations(const void *a, const void *b)
{
  const Location *x = a;
  const Location *y = b;
  return x->selection.start < y->selection.start ? -1 : x->selection.start > y->selection.start;
}

static LocationList finish(Finder *finder)
{
  size_t here = finder->found.count;
  size_t others = finder->others.found.count;
  Location *items = ARENA_ARRAY(finder->context->arena, Location, here + others);
  if (here > 0) {
    memcpy(items, finder->found.items, here * sizeof(*items));
    sort_stable(items, here, sizeof(*items), compare_locations);
  }
  if (others > 0)
    memcpy(items + here, finder->others.found.items, others * sizeof(*items));
  vec_free(&finder->found);
  vec_free(&finder->others.found);
  return (LocationList){ items, here + others };
}

// --- Names of operators ---

/// The registration whose name is under the cursor; NULL if there is none.
static const PyRegistration *registration_at(const Finder *finder)
{
  for (size_t i = 0; i < finder->model->registrations.count; i++) {
    const PyRegistration *registration = &finder->model->registrations.items[i];
    if (registration->name_node == finder->node && finder->node != 0 && registration->name_known)
      return registration;
  }
  return NULL;
}

/// The letter of @parse_args under the cursor, as the parameter that it is for.
static bool add_parameter(Finder *finder)
{
  const PyModel *model = finder->model;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    for (uint32_t k = 0; function->descriptors_known && k < function->descriptor_count; k++) {
      uint32_t count;
      uint32_t first = py_file_input_params(finder->file, i, &count);
      if (model->descriptors.items[function->first_descriptor + k] != finder->node)
        continue;
      if (k < count)
        add_node(finder, model->params.items[first + k].name_node);
      return true;
    }
  }
  return false;
}

/// The function of another file that a registration names at the cursor, after the last dot; empty if there is none.
static Str foreign_function_at(const Finder *finder)
{
  const PyTree *tree = &finder->model->tree;
  if (py_kind(tree, finder->node) != PYK_IDENTIFIER)
    return (Str){ 0 };
  for (size_t i = 0; i < finder->model->registrations.count; i++) {
    const PyRegistration *registration = &finder->model->registrations.items[i];
    PyRef name = registration->function_node;
    if (name && py_kind(tree, name) == PYK_ATTRIBUTE)
      name = py_tree_member(tree, name);
    if (name && name == finder->node && registration->function == PY_ABSENT)
      return registration->function_name;
  }
  return (Str){ 0 };
}

/// Where an operator is defined that `torch.ops.mylib.foo` or the string "mylib::foo" names.
static LocationList define_operator(const Finder *finder)
{
  const PyModel *model = finder->model;
  const PyTree *tree = &model->tree;
  Arena *arena = finder->context->arena;
  Str name;
  Str overload;
  PyRef parent = tree->nodes[finder->node].parent;
  bool is_last = py_kind(tree, parent) == PYK_ATTRIBUTE && tree->nodes[finder->node].field == PY_F_ATTRIBUTE;
  bool is_name = py_kind(tree, finder->node) == PYK_STRING && py_model_string(model, finder->node, arena, &name);
  if (is_name && !str_contains(name, STR("::")))
    return (LocationList){ 0 };
  if (!is_name && (!is_last || !py_library_overload_name(model, parent, arena, &name, &overload)))
    return (LocationList){ 0 };
  return operator_places(finder->context, str_slice(name, 0, str_find_char(name, '.', 0)), false, finder->origin);
}

LocationList python_definition(const FeatureContext *context, size_t offset)
{
  Finder finder;
  if (!begin(&finder, context, offset))
    return (LocationList){ 0 };
  Str foreign = foreign_function_at(&finder);
  if (foreign.len > 0)
    return symbolic_places_definition(context, foreign, finder.origin);
  LocationList operators = define_operator(&finder);
  if (py_kind(&finder.model->tree, finder.node) != PYK_STRING)
    return operators;
  const PyRegistration *registration = registration_at(&finder);
  if (!registration) {
    add_parameter(&finder);
    LocationList found = finish(&finder);
    return found.count > 0 ? found : operators;
  }
  // Of several functions for one operator the one that is registered here.
  add_function(&finder, registration->function);
  if (registration->function_name.len > 0)
    return symbolic_places_definition(context, registration->function_name, finder.origin);
  for (size_t i = 0; i < finder.model->registrations.count && finder.found.count == 0; i++) {
    if (str_equal(finder.model->registrations.items[i].name, registration->name))
      add_function(&finder, finder.model->registrations.items[i].function);
  }
  return finish(&finder);
}

LocationList python_implementation(const FeatureContext *context, size_t offset)
{
  return python_definition(context, offset);
}

/// All that is registered for an operator, and where.
static void add_registrations(Finder *finder, Str name, bool include_declaration)
{
  for (size_t i = 0; i < finder->model->registrations.count; i++) {
    const PyRegistration *registration = &finder->model->registrations.items[i];
    if (!registration->name_known || !str_equal(registration->name, name))
      continue;
    if (registration->name_node)
      add_node(finder, registration->name_node);
    if (include_declaration && registration->kind != PY_REG_UNREGISTER)
      add_function(finder, registration->function);
  }
  Str looked_up = workspace_lookup_name(name, finder->context->arena);
  symbolic_places_add_registrations(&finder->others, looked_up);
  symbolic_places_add_uses(&finder->others, looked_up);
}

static void add_uses(Str name, void *context)
{
  Finder *finder = context;
  symbolic_places_add_uses(&finder->others, name);
}

/// Where a function is registered, and what uses the operators that it is registered for.
static void add_registrations_of(Finder *finder, uint32_t function, bool include_declaration)
{
  if (function == PY_ABSENT)
    return;
  for (size_t i = 0; i < finder->model->registrations.count; i++) {
    const PyRegistration *registration = &finder->model->registrations.items[i];
    if (registration->function != function || !registration->name_node)
      continue;
    add_node(finder, registration->name_node);
    add_uses(workspace_lookup_name(registration->name, finder->context->arena), finder);
  }
  symbolic_places_add_foreign(&finder->others, finder->model->functions.items[function].name, add_uses, finder);
  if (finder->found.count + finder->others.found.count > 0 && include_declaration)
    add_function(finder, function);
}

LocationList python_references(const FeatureContext *context, size_t offset, bool include_declaration)
{
  Finder finder;
  if (!begin(&finder, context, offset))
    return (LocationList){ 0 };
  finder.others.include_declaration = include_declaration;
  const PyTree *tree = &finder.model->tree;
  const PyRegistration *registration = registration_at(&finder);
  PyRef parent = tree->nodes[finder.node].parent;
  if (registration)
    add_registrations(&finder, registration->name, include_declaration);
  else if (tree->nodes[finder.node].field == PY_F_NAME && py_kind(tree, parent) == PYK_FUNCTION_DEFINITION)
    add_registrations_of(&finder, py_model_function_at(finder.model, parent), include_declaration);
  return finish(&finder);
}
