// What names stand for, and what conditions give, while a constructor runs.

#include <string.h>

#include "base/limits.h"
#include "python/rules/module/module_build_private.h"

const PyTree *build_tree(const Build *build)
{
  return &build->maker->model->tree;
}

// --- Names ---

MadeName *build_name(Build *build, Str name)
{
  for (size_t i = 0; i < build->name_count; i++) {
    if (str_equal(build->names[i].name, name))
      return &build->names[i];
  }
  if (build->name_count == PY_MADE_NAME_LIMIT)
    return NULL;
  build->names[build->name_count] = (MadeName){ .name = name };
  return &build->names[build->name_count++];
}

ModuleMaker build_maker_now(const Build *build)
{
  ModuleMaker maker = *build->maker;
  maker.names = build->names;
  maker.name_count = build->name_count;
  maker.has_members = true;
  return maker;
}

bool build_number(const Build *build, PyRef node, int64_t *ret_number)
{
  ModuleMaker maker = build_maker_now(build);
  return module_maker_int(&maker, node, ret_number);
}

/// What an expression is written as: `'M'` of a name that a loop gives it.
static PyRef written(const Build *build, PyRef node)
{
  ModuleMaker maker = build_maker_now(build);
  return module_maker_written(&maker, node);
}

/// Whether a value is surely true: a module that is made, or a number.
static bool is_true(const Build *build, PyRef value)
{
  int64_t number;
  return py_model_call(build->maker->model, py_tree_strip(build_tree(build), value)) ||
         (build_number(build, value, &number) && number != 0);
}

/// `i == 0 and a or b`, `x or y`: the side that is taken; 0 if that is not known.
static PyRef side_of_boolean(const Build *build, PyRef value)
{
  const PyTree *tree = build_tree(build);
  PyRef left = py_tree_strip(tree, py_child(tree, value, PY_F_LEFT)), right = py_child(tree, value, PY_F_RIGHT);
  bool is_or = str_equal(py_text(tree, py_child(tree, value, PY_F_OPERATOR)), STR("or"));
  bool is_choice = is_or && py_kind(tree, left) == PYK_BOOLEAN_OPERATOR &&
                   str_equal(py_text(tree, py_child(tree, left, PY_F_OPERATOR)), STR("and"));
  PyRef chosen = is_choice ? py_child(tree, left, PY_F_RIGHT) : 0;
  int answer = build_truth(build, is_choice ? py_child(tree, left, PY_F_LEFT) : left);
  if (is_choice)
    return answer == 0 ? right : answer == 1 && is_true(build, chosen) ? chosen : 0;
  return answer < 0 ? 0 : answer == is_or ? left : right;
}

/// `a if i == 0 else b`: the side that is taken, if that is known.
static PyRef side_taken(const Build *build, PyRef value)
{
  const PyTree *tree = build_tree(build);
  for (int depth = 0; value && depth < PY_ALIAS_LIMIT; depth++) {
    PyRef stripped = py_tree_strip(tree, value), side = 0;
    if (py_kind(tree, stripped) == PYK_CONDITIONAL_EXPRESSION) {
      PyChoice choice = py_tree_choice(tree, stripped);
      int answer = choice.condition ? build_truth(build, choice.condition) : -1;
      side = answer < 0 ? 0 : answer ? choice.yes : choice.no;
    } else if (py_kind(tree, stripped) == PYK_BOOLEAN_OPERATOR) {
      side = side_of_boolean(build, stripped);
    }
    if (!side)
      return value;
    value = side;
  }
  return value;
}

PyRef module_build_side(const ModuleMaker *maker, PyRef value, Arena *arena)
{
  PyNodeKind kind = value ? py_kind(&maker->model->tree, value) : PYK_OTHER;
  if (kind != PYK_CONDITIONAL_EXPRESSION && kind != PYK_BOOLEAN_OPERATOR)
    return value;
  Build build = build_begin_there(maker, arena, NULL);
  PyRef side = side_taken(&build, value);
  return side ? py_tree_strip(&maker->model->tree, side) : value;
}

MadeName build_value(const Build *build, PyRef value)
{
  MadeName items[PY_MADE_LIST_LIMIT], made = { .node = 0 };
  ModuleMaker maker = build_maker_now(build);
  value = side_taken(build, value);
  if (!value)
    return made;
  made.node = written(build, value);
  bool is_open = made.node && py_kind(build_tree(build), made.node) == PYK_IDENTIFIER;
  made.node = is_open && !module_maker_is_callee(build->maker, made.node, build->arena) ? 0 : made.node;
  made.is_number = build_number(build, value, &made.number);
  made.list_count = made.is_number ? 0 : module_maker_list(&maker, value, items);
  if (made.list_count <= 0) {
    made.list_count = 0;
    return made;
  }
  MadeName *kept = ARENA_ARRAY(build->arena, MadeName, (size_t)made.list_count);
  memcpy(kept, items, (size_t)made.list_count * sizeof(*kept));
  made.list = kept;
  return made;
}

bool build_bind(Build *build, PyRef target, const MadeName *made)
{
  const PyTree *tree = build_tree(build);
  if (py_kind(tree, target) == PYK_IDENTIFIER) {
    MadeName *name = build_name(build, py_text(tree, target));
    Str text = name ? name->name : (Str){ 0 };
    if (!name)
      return false;
    *name = *made;
    name->name = text;
    return true;
  }
  MadeName items[PY_MADE_LIST_LIMIT], none = { .node = 0 };
  ModuleMaker maker = build_maker_now(build);
  int count = made->list_count;
  if (count > 0)
    memcpy(items, made->list, (size_t)count * sizeof(*items));
  else
    count = made->node ? module_maker_list(&maker, made->node, items) : -1;
  int i = 0;
  for (PY_EACH_CHILD(tree, part, target)) {
    if (!build_bind(build, part, i < count ? &items[i] : &none))
      return false;
    i++;
  }
  return true;
}

// --- Conditions ---

/// What two of can be compared as they are written.
static bool is_literal(PyNodeKind kind)
{
  return kind == PYK_STRING || kind == PYK_INTEGER || kind == PYK_NONE || kind == PYK_TRUE || kind == PYK_FALSE;
}

/// `v == 'M'`, `i < count - 1`, `norm is None`; -1 if it is not known.
static int comparison(const Build *build, PyRef asked)
{
  const PyTree *tree = build_tree(build);
  PyComparison at = py_tree_comparison(tree, asked);
  int64_t a, b;
  if (!at.right)
    return -1;
  Str text = py_text(tree, at.sign);
  if (build_number(build, at.left, &a) && build_number(build, at.right, &b))
    return module_maker_compare(text, a, b);
  PyRef first = written(build, at.left), second = written(build, at.right);
  PyNodeKind kind = first ? py_kind(tree, first) : PYK_OTHER, other = second ? py_kind(tree, second) : PYK_OTHER;
  bool is_equal = str_equal(text, STR("==")) || str_equal(text, STR("is"));
  if (!is_equal && !str_equal(text, STR("!=")) && !str_equal(text, STR("is not")))
    return -1;
  Str one, two;
  bool may_be_numbers = kind != PYK_STRING && kind != PYK_NONE && other != PYK_STRING && other != PYK_NONE;
  // True is 1, and of a number that is too large nobody knows more.
  if (!is_literal(kind) || !is_literal(other) || (may_be_numbers && (kind == PYK_INTEGER || other == PYK_INTEGER)))
    return -1;
  if (kind == PYK_STRING && other == PYK_STRING)
    return !py_model_string(build->maker->model, first, build->arena, &one) ||
                   !py_model_string(build->maker->model, second, build->arena, &two)
               ? -1
               : str_equal(one, two) == is_equal;
  return (kind == other) == is_equal;
}

static int truth_within(const Build *build, PyRef asked, int depth);

/// Of what a name was computed as in the function that runs, `self.equal = a == b`, the condition counts.
static int truth_of_value(const Build *build, PyRef asked, int depth)
{
  const PyModel *model = build->maker->model;
  int64_t number;
  if (build_number(build, asked, &number))
    return number != 0;
  PyRef node = written(build, asked);
  PyNodeKind kind = node ? py_kind(&model->tree, node) : PYK_OTHER;
  uint32_t scope = node ? py_model_scope_of(model, node) : PY_ABSENT;
  bool is_condition = kind == PYK_COMPARISON_OPERATOR || kind == PYK_BOOLEAN_OPERATOR || kind == PYK_NOT_OPERATOR;
  if (is_condition && node != asked)
    return scope != PY_ABSENT && module_maker_runs(build->maker, &model->functions.items[scope])
               ? truth_within(build, node, depth)
               : -1;
  return kind == PYK_TRUE ? 1 : kind == PYK_FALSE || kind == PYK_NONE ? 0 : -1;
}

/// `stride != 1 or a != b`
static int truth_of_two(const Build *build, PyRef asked, int depth)
{
  const PyTree *tree = build_tree(build);
  bool is_or = str_equal(py_text(tree, py_child(tree, asked, PY_F_OPERATOR)), STR("or"));
  int first = truth_within(build, py_child(tree, asked, PY_F_LEFT), depth);
  int second = truth_within(build, py_child(tree, asked, PY_F_RIGHT), depth);
  if (first == is_or || second == is_or)
    return is_or;
  return first < 0 || second < 0 ? -1 : !is_or;
}

static int truth_within(const Build *build, PyRef asked, int depth)
{
  const PyTree *tree = build_tree(build);
  bool is_not = false;
  if (depth <= 0 || !asked)
    return -1;
  for (asked = py_tree_strip(tree, asked); py_kind(tree, asked) == PYK_NOT_OPERATOR;
       asked = py_tree_strip(tree, py_first_child(tree, asked)))
    is_not = !is_not;
  PyNodeKind kind = py_kind(tree, asked);
  int answer = kind == PYK_COMPARISON_OPERATOR ? comparison(build, asked)
               : kind == PYK_BOOLEAN_OPERATOR  ? truth_of_two(build, asked, depth - 1)
                                               : truth_of_value(build, asked, depth - 1);
  return answer < 0 || !is_not ? answer : !answer;
}

int build_truth(const Build *build, PyRef asked)
{
  enum { DEPTH = 6 };
  return truth_within(build, asked, DEPTH);
}

// --- Forgetting ---

/// A call changes no numbers.
static bool is_kept(const Build *build, const MadeName *name, bool is_call)
{
  PyNodeKind kind = name->node ? py_kind(build_tree(build), name->node) : PYK_OTHER;
  return is_call && !name->parts && (name->is_number || is_literal(kind));
}

bool build_forget(Build *build, PyRef statement)
{
  const PyTree *tree = build_tree(build);
  bool is_call = py_kind(tree, statement) == PYK_CALL;
  for (PY_EACH_NODE(tree, node, statement)) {
    PyNodeKind kind = py_kind(tree, node);
    if (kind == PYK_RETURN_STATEMENT || (build->name.len > 0 && str_equal(py_text(tree, node), build->name)))
      return false;
    for (size_t i = 0; (kind == PYK_IDENTIFIER || kind == PYK_ATTRIBUTE) && i < build->name_count; i++) {
      if (str_equal(build->names[i].name, py_text(tree, node)) && !is_kept(build, &build->names[i], is_call))
        build->names[i] = (MadeName){ .name = build->names[i].name };
    }
  }
  return true;
}
