// What members of a module are while its constructor runs: `self.inplanes` of a ResNet, which each `self._make_layer()`
// changes. Members are followed by name as `self.inplanes`.

#include <string.h>

#include "base/limits.h"
#include "python/rules/export/export_call.h"
#include "python/rules/module/module_build_private.h"

static bool is_member(Str name)
{
  return str_starts_with(name, STR("self."));
}

static void copy_members(const MadeName *names, size_t count, Build *to)
{
  for (size_t i = 0; i < count; i++) {
    MadeName *member = is_member(names[i].name) ? build_name(to, names[i].name) : NULL;
    if (member)
      *member = names[i];
  }
}

static void forget_members(Build *build)
{
  for (size_t i = 0; i < build->name_count; i++) {
    if (is_member(build->names[i].name))
      build->names[i] = (MadeName){ .name = build->names[i].name };
  }
}

void build_bind_member(Build *build, PyRef target, const MadeName *made)
{
  const PyTree *tree = build_tree(build);
  Str text = py_text(tree, target);
  bool is_known = made->is_number || made->list_count > 0 || made->node;
  bool was_known = false;
  for (size_t i = 0; i < build->name_count; i++)
    was_known |= str_equal(build->names[i].name, text);
  MadeName *member = py_tree_own_name(tree, target).len > 0 && (is_known || was_known) ? build_name(build, text) : NULL;
  if (!member)
    return;
  *member = *made;
  member->name = text;
}

/// The target of an assignment that is a member, `self.x`; 0.
static PyRef member_assigned(const PyTree *tree, PyRef node)
{
  PyNodeKind kind = py_kind(tree, node);
  PyRef left = kind == PYK_ASSIGNMENT || kind == PYK_AUGMENTED_ASSIGNMENT ? py_child(tree, node, PY_F_LEFT) : 0;
  return left && py_tree_own_name(tree, left).len > 0 ? left : 0;
}

/// The method of the object that a call runs, which is one of the file; NULL.
static const PyFunction *method_called(const PyModel *model, const PyCall *call)
{
  bool is_own = call && call->method != PY_ABSENT && call->is_bound &&
                py_tree_own_name(&model->tree, call->function_node).len > 0;
  return is_own ? &model->functions.items[call->method] : NULL;
}

/// Whether a function, or a method that it calls itself, may assign members.
static bool assigns_members(const Build *build, const PyFunction *function)
{
  const PyModel *model = build->maker->model;
  for (PY_EACH_NODE(&model->tree, node, function->body)) {
    if (member_assigned(&model->tree, node) || method_called(model, py_model_call(model, node)))
      return true;
  }
  return false;
}

static void run_method(Build *build, const PyCall *call, const PyFunction *method)
{
  if (!assigns_members(build, method))
    return;
  ModuleMaker outer = build_maker_now(build);
  ModuleMaker maker = { .model = outer.model, .parts = outer.parts, .call = call, .outer = &outer, .builder = method };
  Build inner = build_begin(&maker, (Str){ 0 }, build->arena, NULL);
  inner.depth = build->depth + 1;
  inner.steps = build->steps;
  bool is_run = method->outer == method->node && inner.depth < PY_SHAPE_CALL_DEPTH && build_run(&inner, method);
  build->steps = inner.steps;
  if (is_run)
    copy_members(inner.names, inner.name_count, build);
  else
    forget_members(build);
}

void build_run_calls(Build *build, PyRef node)
{
  const PyModel *model = build->maker->model;
  for (PY_EACH_NODE(&model->tree, at, node)) {
    if (at == build->until) {
      build->is_reached = build->is_done = true;
      return;
    }
    const PyCall *call = py_model_call(model, at);
    const PyFunction *method = method_called(model, call);
    if (method)
      run_method(build, call, method);
  }
}

/// Whether a function asks for members that are assigned more than once.
static bool asks_changed_members(const ModuleMaker *maker, const PyFunction *function)
{
  const PyTree *tree = &maker->model->tree;
  for (PY_EACH_NODE(tree, node, function->body)) {
    Str own = py_kind(tree, node) == PYK_ATTRIBUTE ? py_tree_own_name(tree, node) : (Str){ 0 };
    if (own.len > 0 && module_parts_changes(maker->parts, function->class_node, own))
      return true;
  }
  return false;
}

bool build_is_in_loop(const PyTree *tree, PyRef node, PyRef body)
{
  for (PyRef at = node; at && at != body; at = tree->nodes[at].parent) {
    PyNodeKind kind = py_kind(tree, at);
    if (kind == PYK_FOR_STATEMENT || kind == PYK_WHILE_STATEMENT || kind == PYK_LIST_COMPREHENSION ||
        kind == PYK_GENERATOR_EXPRESSION || kind == PYK_LAMBDA)
      return true;
  }
  return false;
}

void build_take_members(Build *build, const PyFunction *function)
{
  const ModuleMaker *maker = build->maker, *outer = maker->outer;
  bool is_method = maker->builder == function && function->class_node && !function->is_static && maker->call && outer;
  if (!is_method || !asks_changed_members(maker, function))
    return;
  if (outer->has_members) {
    copy_members(outer->names, outer->name_count, build);
    return;
  }
  const PyFunction *caller =
      maker->call->scope == PY_ABSENT ? NULL : &maker->model->functions.items[maker->call->scope];
  if (!caller || !module_maker_runs(outer, caller) || build->depth >= PY_SHAPE_CALL_DEPTH ||
      build_is_in_loop(&maker->model->tree, maker->call->node, caller->body))
    return;
  Build run = build_begin(outer, (Str){ 0 }, build->arena, NULL);
  run.until = maker->call->node;
  run.depth = build->depth;
  run.steps = build->steps;
  bool is_run = build_run(&run, caller) && run.is_reached;
  build->steps = run.steps;
  if (is_run)
    copy_members(run.names, run.name_count, build);
}
