// What modules give while shapes are followed: layers of torch.nn, sequences of them, and modules of the file.

#include "base/limits.h"
#include "python/rules/forward/forward_children.h"
#include "python/rules/forward/forward_vision.h"
#include "python/rules/forward/vision_models.h"
#include "python/rules/module/module_bases.h"
#include "python/rules/module/module_members.h"
#include "python/rules/public_objects.h"

static const Followed unknown_value;

static Followed value_given(ShapeWalk *walk, ShapeFrame *frame, PyRef node, int depth)
{
  Followed value = forward_value(walk, frame, node, depth);
  int64_t size;
  bool is_size = value.kind == FOLLOWED_UNKNOWN && forward_int(walk, frame, node, depth, &size) && size >= 0 &&
                 size <= PY_DIM_NUMBER_LIMIT;
  return is_size ? (Followed){ .kind = FOLLOWED_INT, .number = size } : value;
}

/// Of a parameter that nothing is given for the default counts; of others, and of `*rest`, nothing is known.
static void give_default(ShapeWalk *walk, ShapeFrame *inner, const PyParam *param)
{
  Followed value =
      param->default_value ? forward_value(walk, inner, param->default_value, PY_EXPRESSION_DEPTH) : unknown_value;
  if (!param->default_value || value.kind != FOLLOWED_UNKNOWN)
    forward_set_name(inner, param->name, value);
}

/// Gives the parameters of a function what a call gives them, and goes through it. The first `skip` are not given.
static Followed through_function(ShapeWalk *walk, ShapeFrame *frame, const ModuleMaker *maker, uint32_t index,
                                 uint32_t skip, const PyCall *call, int depth)
{
  const PyModel *model = walk->export->model;
  const PyFunction *function = &model->functions.items[index];
  if (walk->depth == PY_SHAPE_CALL_DEPTH || call->has_splat || call->has_dictionary_splat)
    return unknown_value;
  ShapeFrame *inner = ARENA_NEW(walk->export->sink->arena, ShapeFrame);
  inner->maker = maker;
  inner->function = index;
  inner->has_all_inputs = true;
  for (uint32_t i = skip; i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    const PyArgument *given = py_model_argument_of(model, call, i - skip, param->name);
    if (given)
      forward_set_name(inner, param->name, value_given(walk, frame, given->value, depth));
    else
      give_default(walk, inner, param);
  }
  walk->depth++;
  Followed result = forward_shapes_run(walk, inner);
  walk->depth--;
  return result;
}

static Followed through_method(ShapeWalk *walk, ShapeFrame *frame, const ModuleMaker *maker, uint32_t method,
                               const PyCall *call, int depth)
{
  const PyFunction *function = &walk->export->model->functions.items[method];
  return function->is_static ? unknown_value : through_function(walk, frame, maker, method, 1, call, depth);
}

Followed forward_of_function(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth)
{
  const PyFunction *function = &walk->export->model->functions.items[call->function];
  ModuleMaker *nobody = ARENA_NEW(walk->export->sink->arena, ModuleMaker);
  *nobody = (ModuleMaker){ .model = frame->maker->model, .parts = frame->maker->parts };
  return function->class_node || function->outer != function->node || function->name.len == 0
             ? unknown_value
             : through_function(walk, frame, nobody, call->function, 0, call, depth);
}

static Followed through_parts(ShapeWalk *walk, const BuiltParts *parts, PyRef where, Followed given, int depth)
{
  for (size_t i = 0; i < parts->count && given.kind == FOLLOWED_TENSOR; i++)
    given = forward_through_part(walk, parts->items[i].maker, parts->items[i].node, where, given, depth - 1);
  return given;
}

/// `nn.Sequential(*layers, nn.Flatten())`, where it is known what `layers` gets.
static Followed through_built(ShapeWalk *walk, const ModuleMaker *maker, const PyCall *sequence, PyRef where,
                              Followed given, int depth)
{
  Arena *arena = walk->export->sink->arena;
  BuiltParts *parts = ARENA_NEW(arena, BuiltParts);
  for (PY_EACH_ARGUMENT(maker->model, argument, sequence)) {
    bool is_first = argument == py_model_arguments(maker->model, sequence);
    if (argument->is_splat && is_first && forward_through_children(walk, argument->value, &given, &given))
      continue;
    if (argument->is_splat && py_model_mentions(maker->model, "children") &&
        forward_own_children(maker, argument->value, arena, parts))
      continue;
    if (argument->is_splat) {
      if (!module_build_list(maker, argument->value, arena, parts))
        return unknown_value;
    } else if (parts->count == PY_BUILT_PART_LIMIT || argument->keyword.len > 0) {
      return unknown_value;
    } else {
      parts->items[parts->count++] = (BuiltPart){ argument->value, maker };
    }
  }
  return through_parts(walk, parts, where, given, depth);
}

/// What `add_module()` gives a Sequential, a name of the constructor or `self.own`, comes after what it is made with.
/// False where nothing of the file adds modules.
static bool through_grown(ShapeWalk *walk, const ModuleMaker *maker, PyRef part, Str own, PyRef where,
                          const Followed *given, int depth, Followed *ret_value)
{
  const PyModel *model = maker->model;
  bool is_name = part && (own.len > 0 || py_kind(&model->tree, part) == PYK_IDENTIFIER);
  const PyCall *made = is_name && depth > 0 && given->kind == FOLLOWED_TENSOR && py_model_mentions(model, "add_module")
                           ? py_model_call(model, own.len > 0 ? part : module_maker_written(maker, part))
                           : NULL;
  if (!made || !str_equal(made->qualified, STR("torch.nn.Sequential")) || walk->steps < PY_SHAPE_NAME_LIMIT)
    return false;
  walk->steps -= PY_SHAPE_NAME_LIMIT;
  Arena *arena = walk->export->sink->arena;
  BuiltParts *parts = ARENA_NEW(arena, BuiltParts);
  bool is_built =
      own.len > 0 ? module_build_own(maker, own, arena, parts) : module_build_list(maker, part, arena, parts);
  *ret_value = is_built ? through_parts(walk, parts, where, *given, depth) : unknown_value;
  return true;
}

/// The layers of nn.Sequential(...), one after the other.
static Followed through_sequence(ShapeWalk *walk, const ModuleMaker *maker, const PyCall *sequence, PyRef where,
                                 Followed given, int depth)
{
  const PyModel *model = walk->export->model;
  PyRef repeated = module_part_repeated(model, sequence);
  BuiltParts known = { .count = 0 };
  bool is_known = repeated && module_build_list(maker, py_model_arguments(model, sequence)->value,
                                                walk->export->sink->arena, &known);
  if (repeated && !is_known) {  // How often is not followed: one that fits once may fit again.
    given = forward_through_part(walk, maker, repeated, where, given, depth - 1);
    return unknown_value;
  }
  if (sequence->has_splat)
    return through_built(walk, maker, sequence, where, given, depth);
  for (uint32_t i = 0; i < sequence->argument_count && given.kind == FOLLOWED_TENSOR; i++)
    given = forward_through_part(walk, maker, py_model_arguments(model, sequence)[i].value, where, given, depth - 1);
  return given;
}

/// The maker of an object of a class of the file, and its forward(); PY_ABSENT for other calls.
static uint32_t own_module(const ModuleMaker *maker, const PyCall *made, ModuleMaker *ret_maker)
{
  PyRef class_node = export_class_made(maker->model, made);
  *ret_maker = (ModuleMaker){
    .model = maker->model, .parts = maker->parts, .call = made, .class_node = class_node, .outer = maker
  };
  return class_node ? export_method_of(maker->model, class_node, STR("forward")) : PY_ABSENT;
}

/// What the layer gives that the class derives from.
static Followed through_base(ShapeWalk *walk, const ModuleMaker *maker, PyRef where, Followed given, int depth)
{
  const ModuleMaker *of;
  const PyCall *layer = module_base_layer(maker, walk->export->sink->arena, &of);
  if (!layer || depth <= 0 || given.kind != FOLLOWED_TENSOR)
    return unknown_value;
  return str_equal(layer->qualified, STR("torch.nn.Sequential"))
             ? through_sequence(walk, of, layer, where, given, depth)
             : forward_through_layer(walk, of, where, layer, &given);
}

bool forward_of_super(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth, Followed *ret_value)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  if (!first || !str_equal(py_tree_member_name(tree, call->function_node), STR("forward")) ||
      !module_is_super(model, py_tree_object(tree, call->function_node)))
    return false;
  Followed given = forward_value(walk, frame, first->value, depth);
  *ret_value = through_base(walk, frame->maker, call->node, given, depth);
  return true;
}

static Followed through_own_module(ShapeWalk *walk, const ModuleMaker *maker, const PyCall *made, PyRef where,
                                   const Followed *given, int depth)
{
  const PyModel *model = walk->export->model;
  ModuleMaker inner;
  uint32_t forward = own_module(maker, made, &inner);
  if (forward == PY_ABSENT)
    return through_base(walk, &inner, where, *given, depth);
  const PyFunction *function = &model->functions.items[forward];
  if (walk->depth == PY_SHAPE_CALL_DEPTH || function->param_count < 2)
    return unknown_value;
  ShapeFrame *frame = ARENA_NEW(walk->export->sink->arena, ShapeFrame);
  frame->maker = &inner;
  frame->function = forward;
  frame->has_all_inputs = true;
  forward_set_name(frame, py_model_params(model, function)[1].name, *given);
  for (uint32_t i = 2; i < function->param_count; i++)
    give_default(walk, frame, &py_model_params(model, function)[i]);
  walk->depth++;
  Followed result = forward_shapes_run(walk, frame);
  walk->depth--;
  return result;
}

/// What makes the module that a parameter of __init__() is given, with the maker whose names that uses.
static PyRef part_given(const ShapeWalk *walk, const ModuleMaker **maker, PyRef part)
{
  const PyTree *tree = &(*maker)->model->tree;
  for (int depth = 0; part && depth < PY_ALIAS_LIMIT; depth++) {
    const ModuleMaker *from = NULL;
    part = module_build_side(*maker, part, walk->export->sink->arena);
    if (py_kind(tree, part) != PYK_IDENTIFIER)
      return part;
    PyRef value = module_maker_value(*maker, part, &from);
    if (!value)
      return module_build_side(*maker, module_maker_written(*maker, part), walk->export->sink->arena);
    *maker = from ? from : *maker;
    part = py_tree_strip(tree, value);
  }
  return part;
}

/// Whether it is a layer of torch.nn, or a Sequential that begins with one, which takes one tensor.
static bool wants_tensor(const PyModel *model, const PyCall *made)
{
  static const char *const layers[] = { "Linear",    "Conv1d",    "Conv2d",    "Conv3d",      "ConvTranspose2d",
                                        "ReLU",      "GELU",      "SiLU",      "Sigmoid",     "Tanh",
                                        "Softmax",   "Dropout",   "Flatten",   "BatchNorm1d", "BatchNorm2d",
                                        "MaxPool2d", "LayerNorm", "GroupNorm", "AvgPool2d",   "Embedding" };
  if (str_equal(made->qualified, STR("torch.nn.Sequential")) && made->argument_count > 0 && !made->has_splat)
    made = py_model_call(model, py_model_resolve(model, py_model_arguments(model, made)->value));
  return made && str_is_one_of(layer_name(made), layers, COUNT(layers));
}

Followed forward_through_part(ShapeWalk *walk, const ModuleMaker *maker, PyRef part, PyRef where, Followed given,
                              int depth)
{
  const PyModel *model = walk->export->model;
  Followed grown;
  if (through_grown(walk, maker, part, (Str){ 0 }, where, &given, depth, &grown))
    return grown;
  part = part_given(walk, &maker, part);
  part = part ? py_model_resolve(model, part) : 0;
  const PyCall *made = depth > 0 ? module_maker_call(maker, part, walk->export->sink->arena) : NULL;
  if (made && given.kind == FOLLOWED_TUPLE && !walk->trial && wants_tensor(model, made))
    forward_refuse(walk, where,
                   arena_printf(walk->export->sink->arena, "gives %.*s a %s, and it takes one tensor",
                                STR_ARG(made->qualified), given.is_list ? "list" : "tuple"));
  if (made && wants_tensor(model, made))
    forward_refuse_none(walk, where, arena_printf(walk->export->sink->arena, "gives %.*s", STR_ARG(made->qualified)),
                        &given, &given);
  if (!made || given.kind != FOLLOWED_TENSOR)
    return unknown_value;
  if (str_equal(made->qualified, STR("torch.nn.Sequential")))
    return through_sequence(walk, maker, made, where, given, depth);
  ModuleMaker builder;
  Followed seen;
  if (forward_through_vision(walk, maker, made, where, &given, &seen))
    return seen;
  PyRef built = module_maker_built(maker, made, &builder);
  if (built)
    return forward_through_part(walk, &builder, built, where, given, depth - 1);
  return str_starts_with(made->qualified, STR("torch.nn."))
             ? forward_through_layer(walk, maker, where, made, &given)
             : through_own_module(walk, maker, made, where, &given, depth);
}

/// A call of a module that `part` makes, and that `self.own` is, if it is one.
static Followed of_part(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, PyRef part, Str own,
                        const ModuleMaker *maker, int depth)
{
  const PyModel *model = walk->export->model;
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  const ModuleMaker *of = maker;
  ModuleMaker inner;
  const PyCall *made = module_maker_call(of, part_given(walk, &of, part), walk->export->sink->arena);
  uint32_t forward = made ? own_module(of, made, &inner) : PY_ABSENT;
  if (forward != PY_ABSENT)
    return through_method(walk, frame, &inner, forward, call, depth);
  if (!first || first->is_splat)
    return unknown_value;
  Followed given = forward_value(walk, frame, first->value, depth), grown;
  if (own.len > 0 && through_grown(walk, maker, part, own, call->node, &given, depth, &grown))
    return grown;
  if (made) {
    forward_check_layer_call(walk, frame, of, made, call, &given, depth);
    forward_check_attention(walk, frame, made, call, &given, depth);
  }
  return forward_through_part(walk, maker, part, call->node, given, depth);
}

/// Whether what makes a member uses names, or members, that the constructor binds again: `nn.Linear(channels, 10)`
/// after a loop.
/// Each name is a step, as a long Sequential may be called often.
static bool uses_rebound(ShapeWalk *walk, const ShapeFrame *frame, PyRef part)
{
  const PyModel *model = walk->export->model;
  for (PY_EACH_NODE(&model->tree, node, part)) {
    bool is_name = py_kind(&model->tree, node) == PYK_IDENTIFIER;
    if (is_name && walk->steps-- <= 0)
      return false;
    const PyBinding *binding = is_name ? py_model_binding_at(model, node) : NULL;
    Str own = py_tree_own_name(&model->tree, node);
    if ((binding && binding->next != PY_ABSENT && binding->scope != PY_ABSENT) ||
        (own.len > 0 && module_parts_changes(frame->maker->parts, frame->maker->class_node, own)))
      return true;
  }
  return false;
}

/// What `self.name` is made as, and by `ret_maker`, if that depends on where the constructor makes it; else `part`.
static PyRef part_built(ShapeWalk *walk, const ShapeFrame *frame, Str name, PyRef part, const ModuleMaker **ret_maker)
{
  if (part && !uses_rebound(walk, frame, part))
    return part;
  walk->steps -= PY_SHAPE_NAME_LIMIT;
  PyRef built = walk->steps > 0 ? module_build_part(frame->maker, name, walk->export->sink->arena, ret_maker) : 0;
  return built ? built : part;
}

/// Whether members of modules may come unseen.
static bool may_have_members(ShapeWalk *walk)
{
  if (!walk->knows_members)
    walk->may_have_members = module_members_may_come(walk->export->model, walk->export->sink->arena);
  walk->knows_members = true;
  return walk->may_have_members;
}

/// `self.shortcut(x)` of a member that only other sizes have.
static void check_member(ShapeWalk *walk, const ShapeFrame *frame, const PyCall *call, Str name, PyRef part)
{
  const PyModel *model = walk->export->model;
  Arena *arena = walk->export->sink->arena;
  const PyClass *class = py_model_class_at(model, frame->maker->class_node);
  if (walk->trial || !class || may_have_members(walk) || walk->steps < PY_SHAPE_NAME_LIMIT ||
      !module_members_lack(frame->maker, part, name, arena))
    return;
  walk->steps -= PY_SHAPE_NAME_LIMIT;
  forward_refuse(
      walk, call->function_node,
      arena_printf(arena, "asks for '%.*s' of a %.*s that was made without it", STR_ARG(name), STR_ARG(class->name)));
}

/// What a member of the model gives that is replaced after the model was made; false where that is not known.
static bool of_replaced(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, int depth,
                        Followed *ret_value)
{
  const PyModel *model = walk->export->model;
  bool is_model = walk->made && frame->maker->call && frame->maker->call == walk->made->made;
  PyRef value = is_model ? module_parts_replaced(frame->maker->parts, model, walk->made->made, name) : 0;
  if (!value)
    return false;
  ModuleMaker *outside = ARENA_NEW(walk->export->sink->arena, ModuleMaker);
  *outside = (ModuleMaker){ .model = model, .parts = frame->maker->parts };
  const PyArgument *first = py_model_argument(model, call, 0, NULL);
  Followed given = first ? forward_value(walk, frame, first->value, depth) : unknown_value;
  *ret_value = forward_through_part(walk, outside, value, value, given, depth);  // It is what is wrong.
  return true;
}

Followed forward_of_own(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, Str name, int depth)
{
  const PyModel *model = walk->export->model;
  PyRef part = module_parts_value(frame->maker->parts, frame->maker->class_node, name);
  const ModuleMaker *maker = frame->maker;
  if (!part) {
    uint32_t method = export_method_of(model, frame->maker->class_node, name);
    if (method != PY_ABSENT)
      return through_method(walk, frame, frame->maker, method, call, depth);
  }
  if (part)
    check_member(walk, frame, call, name, part);
  part = part_built(walk, frame, name, part, &maker);
  if (!part)
    return unknown_value;
  Followed replaced;
  bool is_sure = maker != frame->maker || !py_model_member_is_set_elsewhere(model, frame->maker->class_node, name);
  if (!is_sure && of_replaced(walk, frame, call, name, depth, &replaced))
    return replaced;
  is_sure |= vision_model_made(model, py_model_call(model, part), walk->export->sink->arena) != NULL;
  return is_sure ? of_part(walk, frame, call, part, maker == frame->maker ? name : (Str){ 0 }, maker, depth)
                 : unknown_value;
}

// --- Lists of modules ---

PyRef forward_module_list(const ShapeWalk *walk, const ShapeFrame *frame, PyRef node)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  node = py_tree_strip(tree, node);
  Str name = py_tree_own_name(tree, node);
  if (name.len == 0)
    return 0;
  const PyCall *call =
      py_model_call(model, module_parts_unchanged(frame->maker->parts, model, frame->maker->class_node, name));
  const PyArgument *only = call && str_equal(call->qualified, STR("torch.nn.ModuleList")) && call->argument_count == 1
                               ? py_model_argument(model, call, 0, "modules")
                               : NULL;
  if (!only || only->is_splat)
    return 0;
  PyRef list = py_tree_strip(tree, only->value);
  PyNodeKind kind = py_kind(tree, list);
  return kind == PYK_LIST || kind == PYK_LIST_COMPREHENSION ? list : 0;
}

/// The layers of `self`, of a class that derives from torch.nn.Sequential.
static bool built_of_self(const ShapeWalk *walk, const ShapeFrame *frame, BuiltParts *parts)
{
  const ModuleMaker *of;
  Arena *arena = walk->export->sink->arena;
  const PyCall *layer = module_base_layer(frame->maker, arena, &of);
  bool is_sequence = layer && str_equal(layer->qualified, STR("torch.nn.Sequential"));
  for (uint32_t i = 0; is_sequence && i < layer->argument_count; i++) {
    const PyArgument *argument = &py_model_arguments(of->model, layer)[i];
    if (argument->is_splat)
      is_sequence = module_build_list(of, argument->value, arena, parts);
    else if (argument->keyword.len > 0 || parts->count == PY_BUILT_PART_LIMIT)
      return false;
    else
      parts->items[parts->count++] = (BuiltPart){ argument->value, of };
  }
  return is_sequence;
}

bool forward_built_list(const ShapeWalk *walk, const ShapeFrame *frame, PyRef node, BuiltParts *parts)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  node = py_tree_strip(tree, node);
  Str name = py_tree_own_name(tree, node);
  if (py_kind(tree, node) == PYK_IDENTIFIER && str_equal(py_text(tree, node), STR("self")))
    return built_of_self(walk, frame, parts);
  PyRef value = name.len > 0 ? module_parts_value(frame->maker->parts, frame->maker->class_node, name) : 0;
  const PyCall *made = py_model_call(model, value);
  PyNodeKind kind = value ? py_kind(tree, value) : PYK_OTHER;
  PyRef element = kind == PYK_LIST                 ? py_tree_first_element(tree, value)
                  : kind == PYK_LIST_COMPREHENSION ? py_first_child(tree, value)
                                                   : 0;
  bool is_list =
      element && py_kind(tree, element) == PYK_CALL && export_class_made(model, py_model_call(model, element));
  bool is_container = made && (str_equal(made->qualified, STR("torch.nn.ModuleList")) ||
                               str_equal(made->qualified, STR("torch.nn.Sequential")));
  return (is_list || is_container) && module_build_own(frame->maker, name, walk->export->sink->arena, parts);
}

/// `self.layers[i]` of a list that is built, with an index that is known.
static Followed built_part(ShapeWalk *walk, ShapeFrame *frame, PyRef node)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef list = py_child(tree, node, PY_F_VALUE), index = py_child(tree, node, PY_F_SUBSCRIPT);
  int64_t at;
  if (!list || py_tree_own_name(tree, list).len == 0 || walk->steps < PY_SHAPE_NAME_LIMIT || !index ||
      !forward_int(walk, frame, index, PY_EXPRESSION_DEPTH, &at))
    return unknown_value;
  walk->steps -= PY_SHAPE_NAME_LIMIT;
  BuiltParts *parts = ARENA_NEW(walk->export->sink->arena, BuiltParts);
  if (!forward_built_list(walk, frame, list, parts))
    return unknown_value;
  at += at < 0 ? (int64_t)parts->count : 0;
  return at >= 0 && at < (int64_t)parts->count
             ? (Followed){ .kind = FOLLOWED_MODULE, .part = parts->items[at].node, .maker = parts->items[at].maker }
             : unknown_value;
}

/// What `layer` of a loop over modules, and `self.layers[0]`, is; unknown for others.
static Followed listed_part(ShapeWalk *walk, ShapeFrame *frame, PyRef node)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  const NamedValue *named = py_kind(tree, node) == PYK_IDENTIFIER ? forward_named(frame, py_text(tree, node)) : NULL;
  if (named)
    return named->value;
  Followed built = py_kind(tree, node) == PYK_SUBSCRIPT ? built_part(walk, frame, node) : unknown_value;
  if (built.kind == FOLLOWED_MODULE)
    return built;
  PyRef list =
      py_kind(tree, node) == PYK_SUBSCRIPT ? forward_module_list(walk, frame, py_child(tree, node, PY_F_VALUE)) : 0;
  bool is_repeated = list && py_kind(tree, list) == PYK_LIST_COMPREHENSION;
  PyRef part = is_repeated ? py_first_child(tree, list)
               : list      ? py_model_element(model, list, py_child(tree, node, PY_F_SUBSCRIPT))
                           : 0;
  return part ? (Followed){ .kind = FOLLOWED_MODULE, .part = part, .maker = frame->maker } : unknown_value;
}

bool forward_of_listed(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, int depth, Followed *ret_value)
{
  Followed module = listed_part(walk, frame, call->function_node);
  if (module.kind == FOLLOWED_MODULE)
    *ret_value = of_part(walk, frame, call, module.part, (Str){ 0 }, module.maker, depth);
  return module.kind == FOLLOWED_MODULE;
}

/// The module that an expression is: `self.cell`, `layer` of a loop; unknown for others.
static Followed part_named(ShapeWalk *walk, ShapeFrame *frame, PyRef node)
{
  const PyModel *model = walk->export->model;
  Str own = py_tree_own_name(&model->tree, node);
  if (own.len == 0)
    return listed_part(walk, frame, node);
  PyRef part = module_parts_value(frame->maker->parts, frame->maker->class_node, own);
  return part && !py_model_member_is_set_elsewhere(model, frame->maker->class_node, own)
             ? (Followed){ .kind = FOLLOWED_MODULE, .part = part, .maker = frame->maker }
             : unknown_value;
}

/// `self.backbone.features(x)` of a part that has nothing of that name.
static void check_method(ShapeWalk *walk, const PyCall *call, PyRef class_node, Str name)
{
  const PyModel *model = walk->export->model;
  Arena *arena = walk->export->sink->arena;
  const PyClass *class = py_model_class_at(model, class_node);
  if (walk->trial || !class || name.len == 0 || may_have_members(walk) ||
      !module_members_are_plain(model, class_node, arena) || py_model_names_member(model, class_node, name) ||
      module_parts_sets(walk->export->parts, class_node, name) ||
      public_is_of_module(walk->export->file->db, name, arena))
    return;
  forward_refuse(walk, call->function_node,
                 arena_printf(arena, "calls %.*s() of a %.*s, which has nothing of that name", STR_ARG(name),
                              STR_ARG(class->name)));
}

Followed forward_of_part_method(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, PyRef object, int depth)
{
  const PyModel *model = walk->export->model;
  Followed module = part_named(walk, frame, object);
  ModuleMaker inner;
  const ModuleMaker *maker = module.maker;
  const PyCall *made =
      module.kind == FOLLOWED_MODULE ? py_model_call(model, part_given(walk, &maker, module.part)) : NULL;
  if (!made || own_module(maker, made, &inner) == PY_ABSENT)
    return unknown_value;
  Str name = py_tree_member_name(&model->tree, call->function_node);
  uint32_t method = export_method_of(model, inner.class_node, name);
  if (method == PY_ABSENT)
    check_method(walk, call, inner.class_node, name);
  return method == PY_ABSENT ? unknown_value : through_method(walk, frame, &inner, method, call, depth);
}
