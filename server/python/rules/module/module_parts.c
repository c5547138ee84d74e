// What `self.x` is in the methods of a module.

#include "python/rules/module/module_parts.h"

#include "base/limits.h"
#include "base/sort.h"
#include "base/vec.h"
#include "python/rules/export/export_call.h"
#include "python/rules/module/module_maker.h"

typedef Vec(ModulePart) Parts;

static int by_class_and_name(const void *a, const void *b)
{
  const ModulePart *first = a;
  const ModulePart *second = b;
  if (first->class_node != second->class_node)
    return first->class_node < second->class_node ? -1 : 1;
  return str_compare(first->name, second->name);
}

/// The class whose method it is that the node stands in; 0.
static PyRef class_around(const PyModel *model, PyRef node)
{
  uint32_t scope = py_model_scope_of(model, node);
  return scope == PY_ABSENT ? 0 : model->functions.items[scope].class_node;
}

/// `self.x` in a method; the class gets 0 for other expressions.
static ModulePart part_named(const PyModel *model, PyRef target)
{
  const PyTree *tree = &model->tree;
  ModulePart part = { 0 };
  Str name = py_tree_own_name(tree, target);
  if (name.len > 0)
    part = (ModulePart){ .class_node = class_around(model, target), .name = name };
  return part;
}

/// `x = value` directly in the body of a class.
static PyRef class_of_statement(const PyTree *tree, PyRef assignment)
{
  PyRef body = tree->nodes[tree->nodes[assignment].parent].parent;
  PyRef around = tree->nodes[body].parent;
  return py_kind(tree, tree->nodes[assignment].parent) == PYK_EXPRESSION_STATEMENT &&
                 py_kind(tree, around) == PYK_CLASS_DEFINITION
             ? around
             : 0;
}

/// `weight_norm(nn.Conv1d(8, 8, 3))` stands for the layer in it.
static PyRef unwrapped(const PyModel *model, PyRef node)
{
  static const char *const wrappers[] = { "torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm",
                                          "torch.nn.utils.parametrizations.weight_norm",
                                          "torch.nn.utils.parametrizations.spectral_norm" };
  const PyCall *call = py_model_call(model, node);
  const PyArgument *first = call && str_is_one_of(call->qualified, wrappers, COUNT(wrappers))
                                ? py_model_argument(model, call, 0, "module")
                                : NULL;
  return first ? py_tree_strip(&model->tree, first->value) : node;
}

static void add_target(const PyModel *model, PyRef node, PyRef target, PyRef value, Parts *parts);

/// `self.a, self.b = x, y`; of what is not written out so nothing is known.
static void add_targets(const PyModel *model, PyRef node, PyRef pattern, PyRef value, Parts *parts)
{
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, value);
  bool is_written = kind == PYK_TUPLE || kind == PYK_EXPRESSION_LIST || kind == PYK_LIST;
  PyRef item = is_written ? py_tree_first_element(tree, value) : 0;
  for (PY_EACH_CHILD(tree, target, pattern)) {
    bool is_splat = item && py_tree_is_splat(tree, item);
    ModulePart part = part_named(model, target);
    if (part.class_node && (!item || is_splat))
      vec_push(parts, part);
    else if (part.class_node)
      add_target(model, node, target, item, parts);
    item = item && !is_splat ? py_tree_next_element(tree, item) : 0;
  }
}

/// Not those of `self.steps += 1`, which makes nothing of another kind.
static void add_assignment(const PyModel *model, PyRef node, Parts *parts)
{
  const PyTree *tree = &model->tree;
  PyRef target = py_child(tree, node, PY_F_LEFT);
  PyRef value = py_child(tree, node, PY_F_RIGHT);
  PyNodeKind kind = target ? py_kind(tree, target) : PYK_OTHER;
  if (target && value && (kind == PYK_PATTERN_LIST || kind == PYK_TUPLE_PATTERN))
    add_targets(model, node, target, py_tree_strip(tree, value), parts);
  else if (target && value)
    add_target(model, node, target, value, parts);
}

static void add_target(const PyModel *model, PyRef node, PyRef target, PyRef value, Parts *parts)
{
  const PyTree *tree = &model->tree;
  ModulePart part = part_named(model, target);
  if (py_kind(tree, target) == PYK_IDENTIFIER)
    part = (ModulePart){ .class_node = class_of_statement(tree, node), .name = py_text(tree, target) };
  part.value = unwrapped(model, py_tree_strip(tree, value));
  if (part.class_node)
    vec_push(parts, part);
}

/// `self.register_buffer("mean", torch.zeros(3))`
static void add_buffer(const PyModel *model, const PyCall *call, Parts *parts, Arena *arena)
{
  ModulePart method = part_named(model, call->function_node);
  Str name;
  const PyArgument *first = py_model_argument(model, call, 0, "name");
  const PyArgument *value = py_model_argument(model, call, 1, "tensor");
  if (method.class_node && str_equal(method.name, STR("register_buffer")) && first && value &&
      py_model_string(model, first->value, arena, &name))
    vec_push(parts, ((ModulePart){ method.class_node, name, py_tree_strip(&model->tree, value->value), true, false }));
}

/// What `self.body = torch.compile(self.body)`, `self.layers = nn.ModuleList(self.layers)` and
/// `self.conv = weight_norm(self.conv)` make of what was there, by a statement of the same block; 0 for other
/// assignments.
static PyRef wrapped_again(const PyModel *model, const ModulePart *before, const ModulePart *part)
{
  const PyTree *tree = &model->tree;
  PyRef old = before->value, new = part->value;
  if (!old || !new || py_model_scope_of(model, old) != py_model_scope_of(model, new))
    return 0;
  PyRef block, other;
  if (old > new || !py_tree_statement(tree, old, &block) || !py_tree_statement(tree, new, &other) || block != other)
    return 0;
  const PyCall *call = py_model_call(model, new);
  bool is_wrapper =
      call && call->argument_count > 0 &&
      (str_equal(call->qualified, STR("torch.compile")) || str_equal(call->qualified, STR("torch.nn.ModuleList")));
  bool is_wrapped = is_wrapper && str_equal(py_tree_own_name(tree, py_model_arguments(model, call)->value), part->name);
  return is_wrapped ? new : str_equal(py_tree_own_name(tree, new), part->name) ? old : 0;
}

/// What is bound more than once is unknown.
static size_t merge(const PyModel *model, Parts *parts)
{
  size_t count = 0;
  for (size_t i = 0; i < parts->count; i++) {
    if (count > 0 && by_class_and_name(&parts->items[count - 1], &parts->items[i]) == 0)
      parts->items[count - 1].value = wrapped_again(model, &parts->items[count - 1], &parts->items[i]);
    else
      parts->items[count++] = parts->items[i];
  }
  return count;
}

const PyCall *const *module_makers(const PyModel *model, Arena *arena)
{
  const PyCall **makers = ARENA_ARRAY(arena, const PyCall *, model->classes.count);
  bool *has_one = ARENA_ARRAY(arena, bool, model->classes.count);
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    PyRef class_node = export_class_made(model, call);
    for (size_t k = 0; class_node && k < model->classes.count; k++) {
      if (model->classes.items[k].node != class_node)
        continue;
      makers[k] = has_one[k] ? NULL : call;
      has_one[k] = true;
    }
  }
  return makers;
}

/// `self.net = net`, where the only `Wrapper(Net())` of the file says what that is.
static void fill_given(const PyModel *model, Parts *parts, Arena *arena)
{
  const PyCall *const *makers = module_makers(model, arena);
  ModuleParts none = { 0 };
  for (size_t i = 0; i < parts->count; i++) {
    ModulePart *part = &parts->items[i];
    if (!part->value || py_kind(&model->tree, part->value) != PYK_IDENTIFIER)
      continue;
    const ModuleMaker *from = NULL;
    ModuleMaker maker = { .model = model, .parts = &none, .class_node = part->class_node };
    const PyClass *class = py_model_class_at(model, part->class_node);
    maker.call = class ? makers[class - model->classes.items] : NULL;
    PyRef given = maker.call ? module_maker_value(&maker, part->value, &from) : 0;
    PyRef made = given ? export_module_made(model, given) : 0;
    if (py_model_call(model, made))
      part->value = made;
  }
}

static ModulePart *part_of(const ModuleParts *parts, PyRef class_node, Str name)
{
  ModulePart wanted = { .class_node = class_node, .name = name };
  return parts->count > 0 && class_node
             ? bsearch(&wanted, parts->items, parts->count, sizeof(ModulePart), by_class_and_name)
             : NULL;
}

/// `self.width *= 2`
static void note_sums(const PyModel *model, const ModuleParts *parts)
{
  for (PyRef node = 1; node < model->tree.count; node++) {
    bool is_sum = py_kind(&model->tree, node) == PYK_AUGMENTED_ASSIGNMENT;
    PyRef target = is_sum ? py_child(&model->tree, node, PY_F_LEFT) : 0;
    ModulePart named = target ? part_named(model, target) : (ModulePart){ 0 };
    ModulePart *part = part_of(parts, named.class_node, named.name);
    if (part)
      part->is_summed = true;
  }
}

typedef Vec(ModuleOuterPart) OuterParts;

static void add_outer(const PyModel *model, PyRef node, OuterParts *outer)
{
  const PyTree *tree = &model->tree;
  PyRef target = py_child(tree, node, PY_F_LEFT), value = py_child(tree, node, PY_F_RIGHT);
  PyRef object = target && py_kind(tree, target) == PYK_ATTRIBUTE ? py_tree_object(tree, target) : 0;
  bool is_name = object && value && py_kind(tree, object) == PYK_IDENTIFIER;
  if (is_name && py_tree_own_name(tree, target).len == 0 && outer->count < PY_BUILT_PART_LIMIT)
    vec_push(outer, ((ModuleOuterPart){ object, py_tree_member_name(tree, target), py_tree_strip(tree, value) }));
}

ModuleParts module_parts(const PyModel *model, Arena *arena)
{
  Parts parts = { 0 };
  OuterParts outer = { 0 };
  if (model->classes.count == 0)
    return (ModuleParts){ 0 };
  for (PyRef node = 1; node < model->tree.count; node++) {
    PyNodeKind kind = py_kind(&model->tree, node);
    if (kind == PYK_ASSIGNMENT) {
      add_assignment(model, node, &parts);
      add_outer(model, node, &outer);
    }
  }
  for (size_t i = 0; i < model->calls.count; i++)
    add_buffer(model, &model->calls.items[i], &parts, arena);
  sort_stable(parts.items, parts.count, sizeof(ModulePart), by_class_and_name);
  size_t count = parts.count = merge(model, &parts);
  fill_given(model, &parts, arena);
  ModuleParts found = { vec_copy(&parts, arena), count, vec_copy(&outer, arena), outer.count };
  vec_free(&parts);
  vec_free(&outer);
  note_sums(model, &found);
  return found;
}

bool module_parts_sets(const ModuleParts *parts, PyRef class_node, Str name)
{
  return part_of(parts, class_node, name) != NULL;
}

bool module_parts_changes(const ModuleParts *parts, PyRef class_node, Str name)
{
  const ModulePart *found = part_of(parts, class_node, name);
  return found && (!found->value || found->is_summed);
}

PyRef module_parts_value(const ModuleParts *parts, PyRef class_node, Str name)
{
  const ModulePart *found = part_of(parts, class_node, name);
  return found ? found->value : 0;
}

PyRef module_parts_unchanged(const ModuleParts *parts, const PyModel *model, PyRef class_node, Str name)
{
  PyRef value = module_parts_value(parts, class_node, name);
  return value && !py_model_member_is_set_elsewhere(model, class_node, name) ? value : 0;
}

PyRef module_parts_replaced(const ModuleParts *parts, const PyModel *model, const PyCall *made, Str name)
{
  const ModuleOuterPart *found = NULL;
  PyRef block, other;
  for (size_t i = 0; i < parts->outer_count; i++) {
    if (!str_equal(parts->outer[i].name, name))
      continue;
    if (found)
      return 0;
    found = &parts->outer[i];
  }
  bool is_it = found && made && parts->outer_count < PY_BUILT_PART_LIMIT && found->object > made->node &&
               py_model_member_changes(model, name) == 1 && export_model_made(model, found->object) == made->node;
  return is_it && py_tree_statement(&model->tree, found->object, &block) &&
                 py_tree_statement(&model->tree, made->node, &other) && block == other
             ? found->value
             : 0;
}

bool module_parts_is_state(const ModuleParts *parts, const PyModel *model, PyRef class_node, Str name)
{
  const ModulePart *found = part_of(parts, class_node, name);
  const PyCall *call = found && found->value ? py_model_call(model, found->value) : NULL;
  Str maker = call ? call->qualified : (Str){ 0 };
  return found && found->value &&
         (found->is_buffer || str_equal(maker, STR("torch.nn.Parameter")) ||
          str_equal(maker, STR("torch.nn.parameter.Parameter")));
}

/// The layer that gives what a call of the module gives: the last one of a Sequential.
static const PyCall *last_layer(const PyModel *model, const PyCall *call)
{
  for (int depth = 0; call && depth < PY_CHAIN_LIMIT; depth++) {
    if (!str_equal(call->qualified, STR("torch.nn.Sequential")) || call->argument_count == 0 || call->has_splat)
      break;
    PyRef last = model->arguments.items[call->first_argument + call->argument_count - 1].value;
    call = py_model_call(model, py_tree_strip(&model->tree, last));
  }
  return call;
}

bool module_part_gives_tensor(const PyModel *model, PyRef value)
{
  static const char *const names[] = {
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BatchNorm1d",
    "BatchNorm2d",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "Dropout",
    "ELU",
    "Embedding",
    "Flatten",
    "GELU",
    "GRUCell",
    "GroupNorm",
    "Hardswish",
    "InstanceNorm2d",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "Mish",
    "PReLU",
    "RMSNorm",
    "RNNCell",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
    "Upsample",
  };
  const PyCall *layer = last_layer(model, py_model_call(model, value));
  Str name = layer ? layer->qualified : (Str){ 0 };
  return str_starts_with(name, STR("torch.nn.")) &&
         str_is_one_of(str_slice(name, STR("torch.nn.").len, name.len), names, COUNT(names));
}

bool module_part_is_tensor(const PyModel *model, PyRef value)
{
  const PyCall *call = py_model_call(model, value);
  Str name = call ? call->qualified : (Str){ 0 };
  return str_equal(name, STR("torch.nn.Parameter")) || str_equal(name, STR("torch.nn.parameter.Parameter")) ||
         (value && export_is_tensor(model, value));
}

PyRef module_part_repeated(const PyModel *model, const PyCall *sequence)
{
  const PyArgument *only = sequence->argument_count == 1 ? py_model_arguments(model, sequence) : NULL;
  if (!only || !only->is_splat || !str_equal(sequence->qualified, STR("torch.nn.Sequential")))
    return 0;
  PyRef list = py_tree_strip(&model->tree, only->value);
  PyNodeKind kind = py_kind(&model->tree, list);
  return kind == PYK_LIST_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION ? py_first_child(&model->tree, list) : 0;
}

bool module_parts_assigned_later(const PyModel *model, PyRef class_node, const PyFunction *init, Str own)
{
  const PyTree *tree = &model->tree;
  PyRef end = tree->nodes[class_node].next, init_end = tree->nodes[init->node].next;
  for (PyRef node = class_node; node < end; node++) {
    if (node == init->node)
      node = init_end;
    PyRef up = node < end ? tree->nodes[node].parent : 0;
    bool is_target = up && (py_kind(tree, up) == PYK_ASSIGNMENT || py_kind(tree, up) == PYK_PATTERN_LIST) &&
                     py_kind(tree, node) == PYK_ATTRIBUTE;
    if (is_target && str_equal(py_tree_own_name(tree, node), own))
      return true;
  }
  return false;
}
