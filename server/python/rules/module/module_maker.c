// The numbers that a module of the file was made with.

#include "python/rules/module/module_maker.h"

#include "base/limits.h"
#include "python/rules/export/export_call.h"
#include "python/rules/module/module_build.h"
#include "python/rules/module/module_maker_private.h"

bool module_maker_runs(const ModuleMaker *maker, const PyFunction *function)
{
  return maker->builder ? maker->builder == function
                        : maker->class_node && function->class_node == maker->class_node &&
                              str_equal(function->name, STR("__init__"));
}

PyRef module_maker_built(const ModuleMaker *maker, const PyCall *call, ModuleMaker *ret_maker)
{
  const PyModel *model = maker->model;
  bool is_method = call->function == PY_ABSENT && call->method != PY_ABSENT;
  const PyFunction *function = is_method                     ? &model->functions.items[call->method]
                               : call->function != PY_ABSENT ? &model->functions.items[call->function]
                                                             : NULL;
  bool is_own = is_method && call->is_bound && py_tree_own_name(&model->tree, call->function_node).len > 0;
  if (!function || (is_method && !is_own && !function->is_static) || function->has_unknown_decorator ||
      (function->outer != function->node && !function->is_static) || function->return_count != 1 || !function->returned)
    return 0;
  *ret_maker =
      (ModuleMaker){ .model = model, .parts = maker->parts, .call = call, .outer = maker, .builder = function };
  return function->returned;
}

PyRef module_maker_given(const ModuleMaker *maker, const PyFunction *function, uint32_t param,
                         const ModuleMaker **ret_maker)
{
  const PyParam *of = &maker->model->params.items[param];
  uint32_t self = maker->builder && (!maker->builder->class_node || maker->builder->is_static) ? 0 : 1;
  if (!maker->call || !module_maker_runs(maker, function) || param < function->first_param + self ||
      of->kind == PY_PARAM_ARGS || of->kind == PY_PARAM_KWARGS)
    return 0;
  bool is_known;
  const ModuleMaker nobody = { .model = maker->model, .parts = maker->parts };
  const ModuleMaker *from = maker->outer ? maker->outer : &nobody;
  PyRef given = module_maker_argument(&from, maker->call, param - function->first_param - self, of->name, &is_known);
  *ret_maker = from == &nobody ? NULL : from;
  if (given || !is_known)
    return given;
  *ret_maker = maker;
  return of->default_value;
}

PyRef module_maker_value(const ModuleMaker *maker, PyRef name, const ModuleMaker **ret_maker)
{
  const PyModel *model = maker->model;
  uint32_t scope = py_model_scope_of(model, name);
  uint32_t at = scope == PY_ABSENT ? PY_ABSENT : py_model_lookup(model, scope, py_text(&model->tree, name));
  const PyBinding *binding = at == PY_ABSENT ? NULL : &model->bindings.items[at];
  const PyFunction *function = scope == PY_ABSENT ? NULL : &model->functions.items[scope];
  return py_binding_is_only(binding, PY_BIND_PARAM) && binding->scope == scope
             ? module_maker_given(maker, function, binding->index, ret_maker)
             : 0;
}

/// Who makes the object that `self` is in what the maker runs: a method is a builder that its constructor calls.
static const ModuleMaker *maker_of_self(const ModuleMaker *maker)
{
  while (maker->builder && maker->builder->class_node && !maker->builder->is_static && maker->outer)
    maker = maker->outer;
  return maker;
}

/// The value of the `x` of `self.x`, in the names of maker_of_self(); 0.
static PyRef own_value(const ModuleMaker *maker, PyRef node)
{
  Str name = py_tree_own_name(&maker->model->tree, node);
  if (name.len == 0)
    return 0;
  maker = maker_of_self(maker);
  return module_parts_changes(maker->parts, maker->class_node, name)
             ? 0
             : module_parts_unchanged(maker->parts, maker->model, maker->class_node, name);
}

static bool find_element(const ModuleMaker *maker, PyRef node, int depth, MadeName *ret_item);

PyRef module_object_given(const ModuleMaker *maker, PyRef node, const ModuleMaker **ret_maker)
{
  const PyTree *tree = &maker->model->tree;
  for (int depth = 0; depth < PY_ALIAS_LIMIT; depth++) {
    const ModuleMaker *from = NULL;
    node = py_tree_strip(tree, node);
    *ret_maker = maker;
    const MadeName *made = module_name_made(maker, node);
    if (made)  // Of a loop over such objects.
      return made->node ? made->node : node;
    PyRef own = own_value(maker, node);
    const PyBinding *binding = py_kind(tree, node) == PYK_IDENTIFIER ? py_model_binding_at(maker->model, node) : NULL;
    PyRef value = binding && !binding->is_changed ? module_maker_value(maker, node, &from) : own;
    if (!value) {
      MadeName item;
      bool is_item = find_element(maker, node, PY_ALIAS_LIMIT - depth - 1, &item) && item.node;
      return is_item ? item.node : node;
    }
    maker = from ? from : own ? maker_of_self(maker) : maker;
    node = value;
  }
  return node;
}

/// What `config["hidden"]` is, where `config`, or `self.config`, is what the module was made with; 0.
static PyRef element_given(const ModuleMaker *maker, PyRef node, const ModuleMaker **ret_maker)
{
  const PyModel *model = maker->model;
  PyRef object = py_child(&model->tree, node, PY_F_VALUE);
  PyRef key = py_child(&model->tree, node, PY_F_SUBSCRIPT);
  PyRef given = object && key ? module_object_given(maker, object, ret_maker) : 0;
  return given && given != object
             ? py_model_element(model, py_model_resolve(model, given), py_model_resolve(model, key))
             : 0;
}

/// What `self.patches.count` is, of a module of the file, with the maker whose names that uses; 0.
static PyRef member_of_part(const ModuleMaker *maker, PyRef node, ModuleMaker *ret_maker)
{
  const PyModel *model = maker->model;
  const PyTree *tree = &model->tree;
  PyRef object = py_kind(tree, node) == PYK_ATTRIBUTE ? py_tree_object(tree, node) : 0;
  PyRef part = object && py_kind(tree, object) == PYK_ATTRIBUTE ? own_value(maker, object) : 0;
  const PyCall *call = part ? py_model_call(model, part) : NULL;
  PyRef class_node = call ? export_class_made(model, call) : 0;
  *ret_maker =
      (ModuleMaker){ .model = model, .parts = maker->parts, .call = call, .class_node = class_node, .outer = maker };
  return class_node ? module_parts_unchanged(maker->parts, model, class_node, py_tree_member_name(tree, node)) : 0;
}

/// What `cfg.dim` is, where `cfg` is what the module was made with: a class of the file, an object of one, a
/// types.SimpleNamespace, or what the command line gives by default. `ret_maker` has the names that it uses; 0.
static PyRef member_given(const ModuleMaker *maker, PyRef node, ModuleMaker *ret_maker)
{
  const PyModel *model = maker->model;
  const PyTree *tree = &model->tree;
  const ModuleMaker *from = NULL;
  PyRef object = py_tree_object(tree, node);
  if (!object || str_equal(py_text(tree, object), STR("self")))
    return 0;
  Str name = py_tree_member_name(tree, node);
  PyRef made = export_resolve(model, module_object_given(maker, object, &from));
  PyRef named = py_kind(tree, object) == PYK_IDENTIFIER ? module_maker_written(maker, object) : 0;
  PyRef of_class = named ? py_model_class_named(model, named) : 0;
  const PyCall *call = py_model_call(model, made);
  *ret_maker = (ModuleMaker){ .model = model, .parts = maker->parts };
  if (of_class)  // `block.expansion`
    return module_parts_unchanged(maker->parts, model, of_class, name);
  if (!call || call->has_splat || call->has_dictionary_splat)
    return 0;
  const PyArgument *keyword = py_model_argument_of(model, call, PY_ABSENT, name);
  PyRef class_node = py_model_class_named(model, call->function_node);
  if (str_equal(call->qualified, STR("types.SimpleNamespace")))
    return keyword ? keyword->value : 0;
  if (!class_node)
    return py_model_default_number(model, made, name);
  bool has_init = export_method_of(model, class_node, STR("__init__")) != PY_ABSENT;
  if (!has_init && (keyword || call->argument_count > 0))
    return keyword && call->argument_count > 0 ? keyword->value : 0;
  ret_maker->call = call;
  ret_maker->class_node = class_node;
  return module_parts_unchanged(maker->parts, model, class_node, name);
}

bool module_maker_apply(Str sign, int64_t a, int64_t b, int64_t *ret_value)
{
  if (a < 0 || a > PY_DIM_NUMBER_LIMIT || b < 0 || b > PY_DIM_NUMBER_LIMIT)
    return false;
  if (str_equal(sign, STR("+")))
    *ret_value = a + b;
  else if (str_equal(sign, STR("-")))
    *ret_value = a - b;
  else if (str_equal(sign, STR("*")))
    *ret_value = a * b;
  else if (str_equal(sign, STR("//")) && b > 0)
    *ret_value = a / b;
  else if (str_equal(sign, STR("%")) && b > 0)
    *ret_value = a % b;
  else if (str_equal(sign, STR("**")) && a <= 16 && b <= 16)
    for (*ret_value = 1; b > 0 && *ret_value <= PY_DIM_NUMBER_LIMIT; b--)
      *ret_value *= a;
  else
    return false;
  return true;
}

int module_maker_compare(Str sign, int64_t a, int64_t b)
{
  return str_equal(sign, STR("=="))   ? a == b
         : str_equal(sign, STR("!=")) ? a != b
         : str_equal(sign, STR("<"))  ? a < b
         : str_equal(sign, STR(">"))  ? a > b
         : str_equal(sign, STR("<=")) ? a <= b
         : str_equal(sign, STR(">=")) ? a >= b
                                      : -1;
}

/// The class or function of the file that is called, or something of torch; `named` stands for that.
static bool set_callee(const ModuleMaker *maker, PyRef named, Arena *arena, PyCall *call)
{
  const PyModel *model = maker->model;
  PyCallable callable = py_model_callable(model, named);
  call->function_node = named;
  call->scope = py_model_scope_of(model, named);
  call->qualified = py_model_qualified(model, named, arena);
  call->function = callable.partial == PY_ABSENT && !callable.is_bound ? callable.function : PY_ABSENT;
  call->method = PY_ABSENT;
  return export_class_named(model, call->scope, named) || call->function != PY_ABSENT ||
         str_starts_with(call->qualified, STR("torch."));
}

bool module_maker_is_callee(const ModuleMaker *maker, PyRef name, Arena *arena)
{
  PyCall call;
  return set_callee(maker, name, arena, &call);
}

/// `nn.LayerNorm` of `partial(nn.LayerNorm, eps=1e-6)`: what it gives by name, the exporters do not ask about.
static PyRef without_partial(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, node);
  bool is_partial = call && str_equal(call->qualified, STR("functools.partial")) && !call->has_splat &&
                    py_model_positional_count(model, call) == 1;
  return is_partial ? py_model_arguments(model, call)->value : node;
}

const PyCall *module_maker_call(const ModuleMaker *maker, PyRef node, Arena *arena)
{
  const PyModel *model = maker->model;
  const PyCall *call = py_model_call(model, node);
  PyNodeKind kind = call ? py_kind(&model->tree, call->function_node) : PYK_OTHER;
  bool is_name = kind == PYK_IDENTIFIER || kind == PYK_SUBSCRIPT ||
                 (kind == PYK_ATTRIBUTE && call->method == PY_ABSENT &&
                  py_tree_own_name(&model->tree, call->function_node).len > 0);
  if (!is_name || call->function != PY_ABSENT || str_starts_with(call->qualified, STR("torch.")) ||
      export_class_made(model, call))
    return call;
  PyRef named = module_maker_written(maker, call->function_node);
  named = named ? without_partial(model, named) : 0;
  PyCall *meant = ARENA_NEW(arena, PyCall);
  *meant = *call;
  return named && named != call->function_node && set_callee(maker, named, arena, meant) ? meant : call;
}

const MadeName *module_name_made(const ModuleMaker *maker, PyRef node)
{
  const PyTree *tree = &maker->model->tree;
  bool is_name = py_kind(tree, node) == PYK_IDENTIFIER || py_tree_own_name(tree, node).len > 0;
  for (size_t i = 0; is_name && i < maker->name_count; i++) {
    if (str_equal(maker->names[i].name, py_text(tree, node)))
      return &maker->names[i];
  }
  return NULL;
}

/// `dims[i]` of a list that is known, where i is a number there.
static bool find_element(const ModuleMaker *maker, PyRef node, int depth, MadeName *ret_item)
{
  const PyTree *tree = &maker->model->tree;
  MadeName items[PY_MADE_LIST_LIMIT];
  PyRef object = py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_VALUE) : 0;
  int64_t number;
  int count = object && depth > 0 ? module_list_of(maker, object, depth - 1, items) : -1;
  if (count < 0 || !module_find_int(maker, py_child(tree, node, PY_F_SUBSCRIPT), depth - 1, &number))
    return false;
  number += number < 0 ? count : 0;
  if (number < 0 || number >= count)
    return false;
  *ret_item = items[number];
  module_evaluate(ret_item, depth - 1);
  return true;
}

/// `len(sizes)`, `int(n)`, `round(n)` and `max(a, b)`.
static bool find_of_call(const ModuleMaker *maker, PyRef node, int depth, int64_t *ret_value)
{
  const PyModel *model = maker->model;
  MadeName items[PY_MADE_LIST_LIMIT];
  const PyCall *call = py_model_call(model, node);
  const PyArgument *given = call ? py_model_arguments(model, call) : NULL;
  int64_t other;
  if (!given || call->has_splat)
    return false;
  if (call->argument_count == 2 && (str_equal(call->qualified, STR("max")) || str_equal(call->qualified, STR("min")))) {
    if (!module_find_int(maker, given[0].value, depth, ret_value) ||
        !module_find_int(maker, given[1].value, depth, &other))
      return false;
    bool takes_other = str_equal(call->qualified, STR("max")) ? other > *ret_value : other < *ret_value;
    *ret_value = takes_other ? other : *ret_value;
    return true;
  }
  if (call->argument_count != 1)
    return false;
  if (str_equal(call->qualified, STR("int")) || str_equal(call->qualified, STR("round")))
    return module_find_int(maker, given->value, depth, ret_value);
  if (!str_equal(call->qualified, STR("len")))
    return false;
  *ret_value = module_list_of(maker, given->value, depth, items);
  return *ret_value >= 0;
}

/// What a member is given as by who makes the object, `config.heads` of `Config(heads=None)`.
static PyRef written_there(const ModuleMaker *maker, PyRef member)
{
  const ModuleMaker *from = NULL;
  PyRef given = py_kind(&maker->model->tree, member) == PYK_IDENTIFIER ? module_maker_value(maker, member, &from) : 0;
  return given ? given : member;
}

PyRef module_maker_written(const ModuleMaker *maker, PyRef node)
{
  const PyTree *tree = &maker->model->tree;
  for (int depth = 0; node && depth < PY_ALIAS_LIMIT; depth++) {
    const ModuleMaker *from = NULL;
    node = py_tree_strip(tree, node);
    const MadeName *made = module_name_made(maker, node);
    if (made && made->node == node)
      return 0;
    PyRef value = made                                    ? made->node
                  : py_kind(tree, node) == PYK_IDENTIFIER ? module_maker_value(maker, node, &from)
                                                          : 0;
    if (made && !value)
      return 0;
    PyRef own = value ? 0 : own_value(maker, node);
    ModuleMaker of_member;
    PyRef member = !value && !own && py_kind(tree, node) == PYK_ATTRIBUTE ? member_given(maker, node, &of_member) : 0;
    if (member)
      return py_model_resolve(maker->model, written_there(&of_member, member));
    const ModuleMaker *of_element = NULL;
    PyRef element =
        !value && !own && py_kind(tree, node) == PYK_SUBSCRIPT ? element_given(maker, node, &of_element) : 0;
    if (element)
      return py_model_resolve(maker->model, element);
    if (!value && !own) {
      MadeName item;
      return find_element(maker, node, PY_ALIAS_LIMIT - depth - 1, &item) ? item.node
                                                                          : py_model_resolve(maker->model, node);
    }
    node = value ? value : own;
    maker = from ? from : own ? maker_of_self(maker) : maker;
  }
  return 0;
}

/// `2 if i == 0 else 1`, of what is known there; the expression itself where that is not enough.
static PyRef side_taken(const ModuleMaker *maker, PyRef node)
{
  Arena arena = { 0 };
  PyRef side = module_build_side(maker, node, &arena);
  arena_done(&arena);
  return side;
}

/// `size or 1`
static bool find_default(const ModuleMaker *maker, PyRef node, int depth, int64_t *ret_value)
{
  const PyTree *tree = &maker->model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT);
  PyRef sign = py_child(tree, node, PY_F_OPERATOR);
  const ModuleMaker *from = NULL;
  if (!left || !right || !sign || !str_equal(py_text(tree, sign), STR("or")))
    return false;
  if (module_find_int(maker, left, depth, ret_value) && *ret_value != 0)
    return true;
  PyRef given = py_kind(tree, left) == PYK_IDENTIFIER ? module_maker_value(maker, left, &from) : 0;
  return given && py_kind(tree, given) == PYK_NONE && module_find_int(maker, right, depth, ret_value);
}

/// A name, or an element of something.
static bool find_named(const ModuleMaker *maker, PyRef node, int depth, int64_t *ret_value)
{
  const ModuleMaker nowhere = { .model = maker->model, .parts = maker->parts }, *from = NULL;
  bool is_name = py_kind(&maker->model->tree, node) == PYK_IDENTIFIER;
  PyRef value = is_name ? module_maker_value(maker, node, &from) : element_given(maker, node, &from);
  MadeName item;
  if (!value && find_element(maker, node, depth, &item)) {
    *ret_value = item.number;
    return item.is_number;
  }
  return value && module_find_int(from ? from : &nowhere, value, depth, ret_value);
}

bool module_find_int(const ModuleMaker *maker, PyRef node, int depth, int64_t *ret_value)
{
  const PyModel *model = maker->model;
  if (!node || depth <= 0)
    return false;
  const MadeName *made = maker->name_count > 0 ? module_name_made(maker, py_tree_strip(&model->tree, node)) : NULL;
  if (made) {
    *ret_value = made->number;
    return made->is_number;
  }
  if (py_model_int(model, node, ret_value))
    return true;
  ModuleMaker of_part;
  node = py_tree_strip(&model->tree, node);
  PyRef member = member_of_part(maker, node, &of_part), mine = own_value(maker, node);
  if (mine || member)
    return module_find_int(mine ? maker_of_self(maker) : &of_part, mine ? mine : member, depth - 1, ret_value);
  const ModuleMaker *giver = NULL;
  PyRef given = py_kind(&model->tree, node) == PYK_IDENTIFIER ? module_maker_value(maker, node, &giver) : 0;
  if (given && giver)
    return module_find_int(giver, given, depth - 1, ret_value);
  node = py_model_resolve(model, node);
  PyNodeKind kind = py_kind(&model->tree, node);
  if (kind == PYK_IDENTIFIER || kind == PYK_SUBSCRIPT)
    return find_named(maker, node, depth - 1, ret_value);
  if (kind == PYK_ATTRIBUTE) {
    ModuleMaker from;
    PyRef own = own_value(maker, node), member_of = own ? 0 : member_given(maker, node, &from);
    const ModuleMaker *of = member_of ? &from : maker_of_self(maker);
    return (member_of || own) && module_find_int(of, member_of ? member_of : own, depth - 1, ret_value);
  }
  if (kind == PYK_CONDITIONAL_EXPRESSION || kind == PYK_BOOLEAN_OPERATOR) {
    PyRef side = side_taken(maker, node);
    return side != node ? module_find_int(maker, side, depth - 1, ret_value)
                        : kind == PYK_BOOLEAN_OPERATOR && find_default(maker, node, depth - 1, ret_value);
  }
  if (kind == PYK_CALL)
    return find_of_call(maker, node, depth - 1, ret_value);
  PyRef sign = kind == PYK_BINARY_OPERATOR ? py_child(&model->tree, node, PY_F_OPERATOR) : 0;
  int64_t a, b;
  return sign && module_find_int(maker, py_child(&model->tree, node, PY_F_LEFT), depth - 1, &a) &&
         module_find_int(maker, py_child(&model->tree, node, PY_F_RIGHT), depth - 1, &b) &&
         module_maker_apply(py_text(&model->tree, sign), a, b, ret_value);
}

bool module_maker_is_float(const ModuleMaker *maker, PyRef node)
{
  const PyModel *model = maker->model;
  const PyTree *tree = &model->tree;
  PyRef written = node ? module_maker_written(maker, node) : 0;
  PyNodeKind kind = written ? py_kind(tree, written) : PYK_OTHER;
  const PyCall *call = py_model_call(model, written);
  if (kind == PYK_FLOAT || (call && str_starts_with(call->qualified, STR("math."))))
    return true;
  PyRef sign = kind == PYK_BINARY_OPERATOR ? py_child(tree, written, PY_F_OPERATOR) : 0;
  PyRef right = sign ? py_tree_strip(tree, py_child(tree, written, PY_F_RIGHT)) : 0;
  int64_t number;
  // `dim ** -0.5`, `1 / dim` of numbers.
  bool is_power = right && str_equal(py_text(tree, sign), STR("**")) &&
                  (py_kind(tree, right) == PYK_FLOAT || py_kind(tree, right) == PYK_UNARY_OPERATOR);
  bool is_quotient = right && str_equal(py_text(tree, sign), STR("/"));
  return (is_power || is_quotient) &&
         (module_find_int(maker, py_child(tree, written, PY_F_LEFT), PY_ALIAS_LIMIT, &number) ||
          py_kind(tree, py_tree_strip(tree, py_child(tree, written, PY_F_LEFT))) == PYK_FLOAT);
}

bool module_maker_int(const ModuleMaker *maker, PyRef node, int64_t *ret_value)
{
  return module_find_int(maker, node, PY_ALIAS_LIMIT, ret_value);
}

const PyCall *module_maker_only_call(const PyModel *model, uint32_t function)
{
  const PyCall *found = NULL;
  for (size_t i = 0; !model->functions.items[function].class_node && i < model->calls.count; i++) {
    if (model->calls.items[i].function != function)
      continue;
    if (found)
      return NULL;
    found = &model->calls.items[i];
  }
  return found;
}
