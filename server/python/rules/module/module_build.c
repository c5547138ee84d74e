#include "python/rules/module/module_build.h"

#include <string.h>

#include "base/limits.h"
#include "python/rules/export/export_call.h"
#include "python/rules/module/module_build_private.h"

// --- Lists ---

static MadeName of_number(int64_t number)
{
  return (MadeName){ .number = number, .is_number = true };
}

bool build_add_part(Build *build, PyRef node)
{
  if (build->parts->count == PY_BUILT_PART_LIMIT)
    return false;
  ModuleMaker *maker = ARENA_NEW(build->arena, ModuleMaker);
  MadeName *names = ARENA_ARRAY(build->arena, MadeName, build->name_count + 1);
  memcpy(names, build->names, build->name_count * sizeof(*names));
  *maker = *build->maker;
  maker->names = names;
  maker->name_count = build->name_count;
  maker->has_members = true;
  build->parts->items[build->parts->count++] = (BuiltPart){ node, maker };
  build_run_calls(build, node);
  return true;
}

/// What a loop goes over, `enumerate(list)`, `zip(a, b)`, `zip(a, b, c)` or a list; -1 if it is not known.
static int turns_of(const Build *build, PyRef over, int depth, MadeName *items)
{
  enum { WIDTH = 4 };
  const PyModel *model = build->maker->model;
  ModuleMaker maker = build_maker_now(build);
  const PyCall *call = py_model_call(model, py_tree_strip(&model->tree, over));
  bool is_enumerated = call && str_equal(call->qualified, STR("enumerate")) && call->argument_count == 1;
  bool is_zipped = call && str_equal(call->qualified, STR("zip")) && call->argument_count <= WIDTH;
  if (depth == 0 || (!is_enumerated && !is_zipped) || call->argument_count == 0)
    return module_maker_list(&maker, over, items);
  int width = is_zipped ? (int)call->argument_count : 2, count = PY_MADE_LIST_LIMIT;
  MadeName *tuples = ARENA_ARRAY(build->arena, MadeName, (size_t)(PY_MADE_LIST_LIMIT * width));
  for (int k = 0; k < (int)call->argument_count; k++) {
    int turns = turns_of(build, py_model_arguments(model, call)[k].value, depth - 1, items);
    for (int i = 0; i < turns; i++) {
      tuples[i * width] = is_zipped ? tuples[i * width] : of_number(i);
      tuples[i * width + (is_zipped ? k : 1)] = items[i];
    }
    count = turns < count ? turns : count;
  }
  for (int i = 0; i < count; i++)
    items[i] = (MadeName){ .list = tuples + i * width, .list_count = width };
  return count;
}

/// Runs `turn` for each element of what a loop goes over.
static bool each_turn(Build *build, PyRef target, PyRef over, bool (*turn)(Build *build, PyRef what), PyRef what)
{
  enum { DEPTH = 3 };
  MadeName items[PY_MADE_LIST_LIMIT];
  int count = turns_of(build, over, DEPTH, items);
  for (int i = 0; i < count; i++) {
    if (build->steps-- <= 0 || !build_bind(build, target, &items[i]) || !turn(build, what))
      return false;
  }
  return count >= 0;
}

/// `[Block(4) for i in range(3)]`
static bool add_comprehension(Build *build, PyRef list)
{
  const PyTree *tree = build_tree(build);
  PyRef element = py_first_child(tree, list), clause = element ? py_next_sibling(tree, element) : 0;
  if (!clause || py_kind(tree, clause) != PYK_FOR_IN_CLAUSE || py_next_sibling(tree, clause))
    return false;
  return each_turn(build, py_child(tree, clause, PY_F_LEFT), py_child(tree, clause, PY_F_RIGHT), build_add_part,
                   element);
}

/// `block(64, 128)` of a function that returns a list.
static bool add_built(Build *build, const PyCall *call)
{
  const PyFunction *function = &build->maker->model->functions.items[call->function];
  ModuleMaker *outer = ARENA_NEW(build->arena, ModuleMaker), *maker = ARENA_NEW(build->arena, ModuleMaker);
  MadeName *names = ARENA_ARRAY(build->arena, MadeName, build->name_count + 1);
  memcpy(names, build->names, build->name_count * sizeof(*names));
  *outer = *build->maker;
  outer->names = names;
  outer->name_count = build->name_count;
  *maker =
      (ModuleMaker){ .model = outer->model, .parts = outer->parts, .call = call, .outer = outer, .builder = function };
  return function->return_count == 1 && function->returned && build->depth++ < PY_SHAPE_CALL_DEPTH &&
         module_build_list(maker, function->returned, build->arena, build->parts);
}

/// `nn.ModuleList(layers)`, `nn.ModuleList(Block(c) for c in channels)`
static bool add_of_list(Build *build, const PyCall *call)
{
  const PyModel *model = build->maker->model;
  const PyArgument *only = py_model_argument(model, call, 0, "modules");
  for (PY_EACH_CHILD(&model->tree, child, call->node)) {
    if (py_kind(&model->tree, child) == PYK_GENERATOR_EXPRESSION)
      return add_comprehension(build, child);
  }
  return call->argument_count == 0 || (only && !only->is_splat && build_add_list(build, only->value));
}

/// `nn.Sequential(first, *layers)`
static bool add_of_sequence(Build *build, const PyCall *call)
{
  for (PY_EACH_ARGUMENT(build->maker->model, argument, call)) {
    if (argument->keyword.len > 0 || argument->is_dictionary_splat ||
        !(argument->is_splat ? build_add_list(build, argument->value) : build_add_part(build, argument->value)))
      return false;
  }
  return true;
}

bool build_add_list(Build *build, PyRef list)
{
  const PyModel *model = build->maker->model;
  const PyTree *tree = build_tree(build);
  list = py_tree_strip(tree, list);
  PyNodeKind kind = py_kind(tree, list);
  const PyCall *call = py_model_call(model, list);
  if (call && str_equal(call->qualified, STR("torch.nn.ModuleList")))
    return add_of_list(build, call);
  if (call && str_equal(call->qualified, STR("torch.nn.Sequential")))
    return add_of_sequence(build, call);
  if (kind == PYK_LIST_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION)
    return add_comprehension(build, list);
  if (kind == PYK_IDENTIFIER)  // `nn.ModuleList(layers)`: another list of the function.
    return build->depth++ < PY_SHAPE_CALL_DEPTH && module_build_list(build->maker, list, build->arena, build->parts);
  if (call && call->function != PY_ABSENT)
    return add_built(build, call);
  Str own = py_tree_own_name(tree, list);
  if (own.len > 0)  // `nn.Sequential(*self.layers)`
    return build->depth++ < PY_SHAPE_CALL_DEPTH && module_build_own(build->maker, own, build->arena, build->parts);
  if (kind != PYK_LIST && kind != PYK_TUPLE)
    return false;
  for (PY_EACH_ELEMENT(tree, item, list)) {
    if (py_tree_is_splat(tree, item) ? !build_add_list(build, py_first_child(tree, item))
                                     : !build_add_part(build, item))
      return false;
  }
  return true;
}

// --- Statements ---

static bool run_block(Build *build, PyRef block);

static bool is_name(const Build *build, PyRef node)
{
  return node && str_equal(py_text(build_tree(build), node), build->name);
}

/// `self.layers = nn.ModuleList(self.layers)`, `self.layers = nn.Sequential(*self.layers)`
static bool is_list_of_itself(const Build *build, PyRef value)
{
  const PyModel *model = build->maker->model;
  const PyCall *call = py_model_call(model, py_tree_strip(&model->tree, value));
  return !build->is_one && call && call->argument_count == 1 &&
         (str_equal(call->qualified, STR("torch.nn.ModuleList")) ||
          str_equal(call->qualified, STR("torch.nn.Sequential"))) &&
         is_name(build, py_model_arguments(model, call)->value);
}

/// `layers[0] = A()` of a list; false for the one that is built.
static bool lets_write(Build *build, PyRef target)
{
  const PyTree *tree = build_tree(build);
  PyRef object = py_kind(tree, target) == PYK_SUBSCRIPT ? py_child(tree, target, PY_F_VALUE) : 0;
  MadeName *list = build_list_named(build, object);
  if (list)
    *list = (MadeName){ .name = list->name };
  return !is_name(build, object);
}

static bool run_assignment(Build *build, PyRef node)
{
  const PyTree *tree = build_tree(build);
  PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT);
  if (!left || !right)
    return true;
  PyNodeKind kind = py_kind(tree, left);
  if (!is_name(build, left)) {
    MadeName made = build_value(build, right);
    if (!build_lets_go(build, right) || !lets_write(build, left))
      return false;
    build_run_calls(build, right);
    if (kind == PYK_ATTRIBUTE)
      build_bind_member(build, left, &made);
    bool is_other = kind == PYK_ATTRIBUTE || kind == PYK_SUBSCRIPT || build->is_reached;
    bool goes_on =
        is_other || ((kind == PYK_IDENTIFIER || build_forget(build, left)) && build_bind(build, left, &made));
    if (kind == PYK_IDENTIFIER && goes_on && !build->is_reached)
      build_begin_list(build, left, right);
    return goes_on;
  }
  if (is_list_of_itself(build, right))
    return true;
  build->parts->count = 0;
  return build->is_one ? build_add_part(build, right) : build_add_list(build, right);
}

/// `layers += [...]`, `channels *= 2`
static bool run_sum(Build *build, PyRef node)
{
  const PyTree *tree = build_tree(build);
  PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT);
  PyRef sign = py_child(tree, node, PY_F_OPERATOR);
  if (!left || !right || !sign)
    return true;
  if (is_name(build, left))
    return str_equal(py_text(tree, sign), STR("+=")) && build_add_list(build, right);
  int64_t a, b, made;
  bool is_member = py_tree_own_name(tree, left).len > 0;
  MadeName *list = build_list_named(build, left);
  if (list)
    return build_grow(build, str_equal(py_text(tree, sign), STR("+=")) ? list : NULL, right, true) ||
           build_forget(build, left);
  if (py_kind(tree, left) != PYK_IDENTIFIER && !is_member)
    return true;
  Str text = py_text(tree, sign);
  bool is_known = build_number(build, left, &a) && build_number(build, right, &b) &&
                  module_maker_apply(str_slice(text, 0, text.len - 1), a, b, &made);
  MadeName sum = is_known ? of_number(made) : (MadeName){ .node = 0 };
  if (is_member)
    build_bind_member(build, left, &sum);
  return is_member || build_bind(build, left, &sum);
}

/// `layers.append(A())`
static bool run_call(Build *build, PyRef node)
{
  const PyModel *model = build->maker->model;
  const PyTree *tree = build_tree(build);
  const PyCall *call = py_model_call(model, node);
  PyRef object = call ? py_tree_object(tree, call->function_node) : 0;
  Str method = call ? py_tree_member_name(tree, call->function_node) : (Str){ 0 };
  const PyArgument *given = call && call->argument_count == 1 ? py_model_argument(model, call, 0, NULL) : NULL;
  const PyArgument *module = call && call->argument_count == 2 && str_equal(method, STR("add_module"))
                                 ? py_model_argument(model, call, 1, "module")
                                 : NULL;
  bool is_list = given && str_equal(method, STR("extend"));
  const PyArgument *added = module ? module : is_list || (given && str_equal(method, STR("append"))) ? given : NULL;
  MadeName *list = added ? build_list_named(build, object) : NULL;
  if (list && !is_name(build, object))
    return build_grow(build, list, added->value, is_list) || build_forget(build, node);
  if (!is_name(build, object)) {
    build_run_calls(build, node);
    return build->is_reached || (call && build_forget(build, node));
  }
  return added && (is_list ? build_add_list(build, added->value) : build_add_part(build, added->value));
}

static bool run_if(Build *build, PyRef statement)
{
  const PyTree *tree = build_tree(build);
  for (PyRef part = statement; part;) {
    PyNodeKind kind = py_kind(tree, part);
    PyRef condition = kind == PYK_ELSE_CLAUSE ? 0 : py_child(tree, part, PY_F_CONDITION);
    int answer = condition ? build_truth(build, condition) : kind == PYK_ELSE_CLAUSE ? 1 : -1;
    if (answer < 0)
      return build_forget(build, statement);
    if (answer)
      return run_block(build, py_child(tree, part, kind == PYK_ELSE_CLAUSE ? PY_F_BODY : PY_F_CONSEQUENCE));
    part = part == statement ? py_first_child(tree, statement) : py_next_sibling(tree, part);
    while (part && py_kind(tree, part) != PYK_ELIF_CLAUSE && py_kind(tree, part) != PYK_ELSE_CLAUSE)
      part = py_next_sibling(tree, part);
  }
  return true;
}

static bool run_for(Build *build, PyRef statement)
{
  const PyTree *tree = build_tree(build);
  PyRef target = py_child(tree, statement, PY_F_LEFT), over = py_child(tree, statement, PY_F_RIGHT);
  PyRef body = py_child(tree, statement, PY_F_BODY);
  bool has_list = false, leaves = false;
  for (PY_EACH_NODE(tree, node, body)) {
    PyNodeKind kind = py_kind(tree, node);
    has_list |= is_name(build, node);
    leaves |= kind == PYK_BREAK_STATEMENT || kind == PYK_CONTINUE_STATEMENT;
  }
  bool is_run = !leaves && target && over && body && each_turn(build, target, over, run_block, body);
  // What it goes over is only read.
  return is_run || (!has_list && (!target || build_forget(build, target)) && (!body || build_forget(build, body)));
}

/// Whether the list is used in a statement that runs as a whole: what comes later does not count.
static bool is_use(const Build *build, PyRef statement)
{
  const PyTree *tree = build_tree(build);
  PyNodeKind kind = py_kind(tree, statement);
  return build->use > statement && build->use < tree->nodes[statement].next &&
         (kind == PYK_EXPRESSION_STATEMENT || kind == PYK_RETURN_STATEMENT);
}

static bool run_statement(Build *build, PyRef statement)
{
  const PyTree *tree = build_tree(build);
  PyRef node = py_first_child(tree, statement);
  if (is_use(build, statement)) {
    build->is_done = build->is_reached = true;
    return true;
  }
  switch (py_kind(tree, statement)) {
  case PYK_EXPRESSION_STATEMENT:
    switch (node ? py_kind(tree, node) : PYK_OTHER) {
    case PYK_ASSIGNMENT:
      return run_assignment(build, node);
    case PYK_AUGMENTED_ASSIGNMENT:
      return run_sum(build, node);
    case PYK_CALL:
      return run_call(build, node);
    default:
      return true;
    }
  case PYK_IF_STATEMENT:
    return run_if(build, statement);
  case PYK_FOR_STATEMENT:
    return run_for(build, statement);
  case PYK_RETURN_STATEMENT:
    build->is_done = true;
    build->returned = node ? py_tree_strip(tree, node) : 0;
    return true;
  case PYK_FUNCTION_DEFINITION:
  case PYK_CLASS_DEFINITION:
    return build_lets_go(build, statement);
  default:
    return build_forget(build, statement);
  }
}

static bool run_block(Build *build, PyRef block)
{
  bool goes_on = block != 0 && build->depth < PY_SHAPE_CALL_DEPTH;
  build->depth++;
  for (PyRef at = goes_on ? py_first_child(build_tree(build), block) : 0; at && goes_on && !build->is_done;
       at = py_next_sibling(build_tree(build), at))
    goes_on = build->steps-- > 0 && run_statement(build, at);
  build->depth--;
  return goes_on;
}

Build build_begin(const ModuleMaker *maker, Str name, Arena *arena, BuiltParts *parts)
{
  return (Build){ .maker = maker, .name = name, .arena = arena, .parts = parts, .steps = PY_BUILD_WORK };
}

Build build_begin_there(const ModuleMaker *maker, Arena *arena, BuiltParts *parts)
{
  Build build = build_begin(maker, (Str){ 0 }, arena, parts);
  build.name_count = maker->name_count;
  if (maker->name_count > 0)
    memcpy(build.names, maker->names, maker->name_count * sizeof(*maker->names));
  return build;
}

/// Parameters that the function assigns, too, are at first what they are given.
bool build_run(Build *build, const PyFunction *function)
{
  const PyModel *model = build->maker->model;
  build_take_members(build, function);
  for (PY_EACH_PARAM(model, param, function)) {
    const PyBinding *binding =
        py_model_binding_named(model, (uint32_t)(function - model->functions.items), param->name);
    const ModuleMaker *from = NULL;
    PyRef value = binding && binding->next != PY_ABSENT
                      ? module_maker_given(build->maker, function, (uint32_t)(param - model->params.items), &from)
                      : 0;
    MadeName *name = value ? build_name(build, param->name) : NULL;
    from = from ? from : build->maker;
    if (!name)
      continue;
    name->is_number = module_maker_int(from, value, &name->number);
    name->node = module_maker_written(from, value);
  }
  return run_block(build, function->body);
}

/// The maker that runs the function: `maker`, or where that has it given, the function's only call.
static bool runner(const ModuleMaker *maker, uint32_t scope, const ModuleMaker *nobody, ModuleMaker *ret_maker)
{
  const PyModel *model = maker->model;
  *ret_maker = *maker;
  if (module_maker_runs(maker, &model->functions.items[scope]))
    return true;
  *ret_maker = (ModuleMaker){ .model = model,
                              .parts = maker->parts,
                              .call = module_maker_only_call(model, scope),
                              .outer = nobody,
                              .builder = &model->functions.items[scope] };
  return ret_maker->call != NULL;
}

bool module_build_list(const ModuleMaker *maker, PyRef list, Arena *arena, BuiltParts *parts)
{
  const PyModel *model = maker->model;
  list = py_tree_strip(&model->tree, list);
  if (py_kind(&model->tree, list) != PYK_IDENTIFIER) {
    Build build = build_begin_there(maker, arena, parts);
    return build_add_list(&build, list);
  }
  if (maker->has_members)
    return build_take_list(maker, list, parts);
  uint32_t scope = py_model_scope_of(model, list);
  BuiltParts own = { .count = 0 };
  ModuleMaker *nobody = ARENA_NEW(arena, ModuleMaker), *of_function = ARENA_NEW(arena, ModuleMaker);
  *nobody = (ModuleMaker){ .model = model, .parts = maker->parts };
  if (scope == PY_ABSENT || !runner(maker, scope, nobody, of_function))
    return false;
  Build build = build_begin(of_function, py_text(&model->tree, list), arena, &own);
  build.use = list;
  if (build_is_in_loop(&model->tree, list, model->functions.items[scope].body) ||
      !build_run(&build, &model->functions.items[scope]) || own.count + parts->count > PY_BUILT_PART_LIMIT)
    return false;
  memcpy(parts->items + parts->count, own.items, own.count * sizeof(*own.items));
  parts->count += own.count;
  return true;
}

/// Begins with `self.NAME` in the constructor, `ret_init`; false if that is not known.
static bool begin_own(const ModuleMaker *maker, Str own, Arena *arena, BuiltParts *parts, Build *ret_build,
                      const PyFunction **ret_init)
{
  const PyModel *model = maker->model;
  uint32_t init = maker->class_node ? export_method_named(model, maker->class_node, STR("__init__")) : PY_ABSENT;
  *ret_init = init == PY_ABSENT ? NULL : &model->functions.items[init];
  if (!*ret_init || (*ret_init)->param_count == 0)
    return false;
  Str self = py_model_params(model, *ret_init)->name;
  *ret_build = build_begin(maker, arena_printf(arena, "%.*s.%.*s", STR_ARG(self), STR_ARG(own)), arena, parts);
  return true;
}

/// Runs the constructor for `self.own`, a list, or anything that it assigns last, and no `model.head = ...` elsewhere.
static bool run_own(const ModuleMaker *maker, Str own, Arena *arena, BuiltParts *parts, bool is_one)
{
  Build build;
  const PyFunction *init;
  if ((is_one && py_model_names_member(maker->model, 0, own)) || !begin_own(maker, own, arena, parts, &build, &init) ||
      (is_one && module_parts_assigned_later(maker->model, maker->class_node, init, own)))
    return false;
  build.is_one = is_one;
  return build_run(&build, init);
}

bool module_build_own(const ModuleMaker *maker, Str own, Arena *arena, BuiltParts *parts)
{
  return run_own(maker, own, arena, parts, false);
}

PyRef module_build_part(const ModuleMaker *maker, Str own, Arena *arena, const ModuleMaker **ret_maker)
{
  BuiltParts *parts = ARENA_NEW(arena, BuiltParts);
  if (!run_own(maker, own, arena, parts, true) || parts->count != 1)
    return 0;
  *ret_maker = parts->items[0].maker;
  return parts->items[0].node;
}

bool module_build_lacks(const ModuleMaker *maker, Str own, Arena *arena)
{
  BuiltParts *parts = ARENA_NEW(arena, BuiltParts);
  return run_own(maker, own, arena, parts, true) && parts->count == 0;
}

PyRef module_build_returned(const PyModel *model, const PyCall *call, const PyFunction *function)
{
  Arena arena = { 0 };
  const ModuleParts none = { 0 };
  const ModuleMaker nobody = { .model = model, .parts = &none };
  ModuleMaker maker = { .model = model, .parts = &none, .call = call, .outer = &nobody, .builder = function };
  Build build = build_begin(&maker, (Str){ 0 }, &arena, NULL);
  build.steps = PY_BUILD_WORK / 10;  // It may be asked for often.
  bool is_run = !call->has_splat && !call->has_dictionary_splat && build_run(&build, function);
  arena_done(&arena);
  return is_run ? build.returned : 0;
}
