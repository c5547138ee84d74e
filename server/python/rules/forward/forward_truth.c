// What conditions in forward() give that sizes decide, or what the model was made with.

#include "base/limits.h"
#include "python/rules/forward/forward_values.h"

/// What a comparison of two numbers gives that are known, `self.shift > 0`; -1 if that is not sure.
static int compared(ShapeWalk *walk, ShapeFrame *frame, PyRef asked)
{
  const PyTree *tree = &walk->export->model->tree;
  PyComparison at = py_tree_comparison(tree, asked);
  int64_t a, b;
  if (!at.right || !forward_int(walk, frame, at.left, PY_EXPRESSION_DEPTH, &a) ||
      !forward_int(walk, frame, at.right, PY_EXPRESSION_DEPTH, &b) ||
      (walk->trial && (a >= DIM_FACTOR || b >= DIM_FACTOR)))
    return -1;
  return module_maker_compare(py_text(tree, at.sign), a, b);
}

/// What `self.own` is, maybe by an `if` of the constructor; `maker` becomes the one whose names that uses. 0.
static PyRef own_made_as(ShapeWalk *walk, const ModuleMaker **maker, Str own)
{
  const ModuleMaker *of = *maker;
  PyRef node = module_parts_unchanged(of->parts, of->model, of->class_node, own);
  walk->steps -= node ? 0 : PY_SHAPE_NAME_LIMIT;
  return node || walk->steps <= 0 ? node : module_build_part(of, own, walk->export->sink->arena, maker);
}

/// What a name or an attribute was made as: `True` of the `norm` of `Net(norm=True)`; 0. `ret_maker` has the names that
/// it uses; NULL if that is not known.
static PyRef made_as(ShapeWalk *walk, const ShapeFrame *frame, PyRef node, const ModuleMaker **ret_maker)
{
  const ModuleMaker *maker = frame->maker;
  const PyTree *tree = &maker->model->tree;
  for (int depth = 0; node && maker && depth < PY_ALIAS_LIMIT; depth++) {
    const ModuleMaker *from = NULL;
    node = py_tree_strip(tree, node);
    *ret_maker = maker;
    Str own = py_tree_own_name(tree, node);
    if (own.len > 0)
      node = own_made_as(walk, &maker, own);
    else if (py_kind(tree, node) != PYK_IDENTIFIER || depth == 0)
      return depth > 0 ? py_model_resolve(maker->model, module_build_side(maker, node, walk->export->sink->arena)) : 0;
    else {
      PyRef value = module_maker_value(maker, node, &from);
      maker = value && from ? from : maker;
      if (!value) {
        *ret_maker = NULL;
        return module_maker_written(maker, node);
      }
      node = value;
    }
  }
  return 0;
}

PyRef forward_default(const ShapeWalk *walk, ShapeFrame *frame, PyRef name)
{
  const PyModel *model = walk->export->model;
  if (frame->function == PY_ABSENT)
    return 0;
  const PyFunction *function = &model->functions.items[frame->function];
  Str text = py_text(&model->tree, name);
  const NamedValue *named = forward_named(frame, text);
  const PyBinding *binding = py_model_binding_named(model, frame->function, text);
  bool is_param = py_binding_is_only(binding, PY_BIND_PARAM) && binding->scope == frame->function &&
                  binding->index >= function->first_param;
  if (!is_param || named || !frame->has_all_inputs)
    return 0;
  return model->params.items[binding->index].default_value;
}

/// What `node` is for a condition: 1 for what is true, 0 for None, False and 0; -1.
static int truth_of_value(const PyTree *tree, PyRef node)
{
  switch (node ? py_kind(tree, node) : PYK_OTHER) {
  case PYK_TRUE:
    return 1;
  case PYK_FALSE:
  case PYK_NONE:
    return 0;
  case PYK_INTEGER:
    return !str_equal(py_text(tree, node), STR("0"));
  case PYK_FLOAT:
    return !str_equal(py_text(tree, node), STR("0.")) && !str_equal(py_text(tree, node), STR("0.0"));
  default:
    return -1;
  }
}

/// `self.norm is None`, `mask is not None`.
static int is_none(ShapeWalk *walk, ShapeFrame *frame, PyRef asked)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  PyComparison at = py_tree_comparison(tree, asked);
  Str text = at.sign ? py_text(tree, at.sign) : (Str){ 0 };
  if (!at.right || py_kind(tree, at.right) != PYK_NONE ||
      (!str_equal(text, STR("is")) && !str_equal(text, STR("is not"))))
    return -1;
  bool wants_none = text.len == 2;
  const NamedValue *named =
      py_kind(tree, at.left) == PYK_IDENTIFIER ? forward_named(frame, py_text(tree, at.left)) : NULL;
  if (named && named->value.kind == FOLLOWED_NONE)
    return wants_none;
  if (named)
    return named->value.kind == FOLLOWED_TENSOR || named->value.kind == FOLLOWED_TUPLE ? !wants_none : -1;
  const ModuleMaker *maker;
  PyRef made = py_kind(tree, at.left) == PYK_IDENTIFIER ? forward_default(walk, frame, at.left)
                                                        : made_as(walk, frame, at.left, &maker);
  PyNodeKind kind = made ? py_kind(tree, made) : PYK_OTHER;
  const PyCall *call = py_model_call(model, made);
  if (kind == PYK_NONE)
    return wants_none;
  bool is_module = call && str_starts_with(call->qualified, STR("torch.nn."));
  return is_module || truth_of_value(tree, made) >= 0 ? !wants_none : -1;
}

/// `stride == 1` of numbers that the module was made with; -1.
static int truth_of_numbers(const ModuleMaker *maker, PyRef node)
{
  const PyTree *tree = &maker->model->tree;
  node = py_tree_strip(tree, node);
  PyComparison at =
      py_kind(tree, node) == PYK_COMPARISON_OPERATOR ? py_tree_comparison(tree, node) : (PyComparison){ 0 };
  int64_t a, b;
  return at.right && module_maker_int(maker, at.left, &a) && module_maker_int(maker, at.right, &b)
             ? module_maker_compare(py_text(tree, at.sign), a, b)
             : truth_of_value(tree, node);
}

/// The same, and `stride == 1 and i == o`.
static int truth_of_two(const ModuleMaker *maker, PyRef node)
{
  const PyTree *tree = &maker->model->tree;
  if (py_kind(tree, node) != PYK_BOOLEAN_OPERATOR)
    return truth_of_numbers(maker, node);
  int is_or = str_equal(py_text(tree, py_child(tree, node, PY_F_OPERATOR)), STR("or"));
  int a = truth_of_numbers(maker, py_child(tree, node, PY_F_LEFT));
  int b = truth_of_numbers(maker, py_child(tree, node, PY_F_RIGHT));
  return a == is_or || b == is_or ? is_or : a < 0 || b < 0 ? -1 : !is_or;
}

/// The literal that a side of a comparison is written or made as: `"bilinear"` of `self.mode`; 0.
static PyRef literal_of(ShapeWalk *walk, ShapeFrame *frame, PyRef node)
{
  const ModuleMaker *maker;
  const PyTree *tree = &walk->export->model->tree;
  node = node ? py_tree_strip(tree, node) : 0;
  PyNodeKind kind = node ? py_kind(tree, node) : PYK_OTHER;
  return kind == PYK_ATTRIBUTE    ? made_as(walk, frame, node, &maker)
         : kind == PYK_IDENTIFIER ? forward_default(walk, frame, node)
                                  : node;
}

/// `self.droprate > 0` of 0.2, or of 0.0; -1 for other comparisons.
static int compared_to_zero(ShapeWalk *walk, ShapeFrame *frame, PyRef asked)
{
  const PyTree *tree = &walk->export->model->tree;
  PyComparison at = py_tree_comparison(tree, asked);
  bool is_zero =
      at.right && (str_equal(py_text(tree, at.right), STR("0")) || str_equal(py_text(tree, at.right), STR("0.0")) ||
                   str_equal(py_text(tree, at.right), STR("0.")));
  PyRef left = is_zero ? literal_of(walk, frame, at.left) : 0;
  // A literal has no sign.
  return left && py_kind(tree, left) == PYK_FLOAT
             ? module_maker_compare(py_text(tree, at.sign), truth_of_value(tree, left), 0)
             : -1;
}

/// `self.mode == "bilinear"`; -1 for other comparisons.
static int compared_texts(ShapeWalk *walk, ShapeFrame *frame, PyRef asked)
{
  const PyModel *model = walk->export->model;
  PyComparison at = py_tree_comparison(&model->tree, asked);
  Arena *arena = walk->export->sink->arena;
  Str sign = at.right ? py_text(&model->tree, at.sign) : (Str){ 0 }, a, b;
  bool is_equal = str_equal(sign, STR("=="));
  if (!is_equal && !str_equal(sign, STR("!=")))
    return -1;
  PyRef left = literal_of(walk, frame, at.left), right = literal_of(walk, frame, at.right);
  return left && right && py_model_string(model, left, arena, &a) && py_model_string(model, right, arena, &b)
             ? str_equal(a, b) == is_equal
             : -1;
}

/// `hasattr(self, "shortcut")`; -1 for other calls.
static int has_member(ShapeWalk *walk, ShapeFrame *frame, PyRef asked)
{
  const PyModel *model = walk->export->model;
  const ModuleMaker *maker = frame->maker, *from;
  const PyCall *call = py_model_call(model, asked);
  const PyArgument *object = call ? py_model_argument(model, call, 0, NULL) : NULL;
  const PyArgument *member = call ? py_model_argument(model, call, 1, NULL) : NULL;
  Arena *arena = walk->export->sink->arena;
  Str name;
  if (!object || !member || !str_equal(py_text(&model->tree, call->function_node), STR("hasattr")) ||
      walk->steps < PY_SHAPE_NAME_LIMIT || !str_equal(py_text(&model->tree, object->value), STR("self")) ||
      !py_model_string(model, member->value, arena, &name) || !module_parts_sets(maker->parts, maker->class_node, name))
    return -1;
  walk->steps -= PY_SHAPE_NAME_LIMIT;
  return module_build_part(maker, name, arena, &from) ? 1 : module_build_lacks(maker, name, arena) ? 0 : -1;
}

/// What a name stands for: nothing, a number, a list.
static int truth_of_name(ShapeWalk *walk, ShapeFrame *frame, PyRef name)
{
  const PyTree *tree = &walk->export->model->tree;
  const NamedValue *named = forward_named(frame, py_text(tree, name));
  switch (named ? named->value.kind : FOLLOWED_UNKNOWN) {
  case FOLLOWED_NONE:
    return 0;
  case FOLLOWED_TUPLE:
    return named->value.number > 0;
  default:
    return truth_of_value(tree, forward_default(walk, frame, name));
  }
}

static int truth_of_attribute(ShapeWalk *walk, ShapeFrame *frame, PyRef asked)
{
  const PyTree *tree = &walk->export->model->tree;
  const ModuleMaker *maker = frame->maker;
  if (str_equal(py_tree_own_name(tree, asked), STR("training")))
    return forward_trains(walk);
  PyRef made = made_as(walk, frame, asked, &maker);
  int answer = truth_of_value(tree, made);
  return answer < 0 && made && maker ? truth_of_two(maker, made) : answer;
}

static int truth_within(ShapeWalk *walk, ShapeFrame *frame, PyRef asked, int depth);

/// `self.deep and x.shape[1] > 3`
static int truth_of_sides(ShapeWalk *walk, ShapeFrame *frame, PyRef asked, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  int is_or = str_equal(py_text(tree, py_child(tree, asked, PY_F_OPERATOR)), STR("or"));
  int first = truth_within(walk, frame, py_child(tree, asked, PY_F_LEFT), depth);
  // The second may never be asked.
  return first < 0 || first == is_or ? first : truth_within(walk, frame, py_child(tree, asked, PY_F_RIGHT), depth);
}

static int truth_within(ShapeWalk *walk, ShapeFrame *frame, PyRef asked, int depth)
{
  const PyTree *tree = &walk->export->model->tree;
  asked = asked ? py_tree_strip(tree, asked) : 0;
  if (!asked || depth <= 0)
    return -1;
  bool is_not = py_kind(tree, asked) == PYK_NOT_OPERATOR;
  PyRef inner = is_not ? py_tree_strip(tree, py_first_child(tree, asked)) : asked;
  int answer = -1;
  switch (inner ? py_kind(tree, inner) : PYK_OTHER) {
  case PYK_COMPARISON_OPERATOR:
    answer = is_none(walk, frame, inner);
    answer = answer < 0 ? compared_texts(walk, frame, inner) : answer;
    answer = answer < 0 ? compared_to_zero(walk, frame, inner) : answer;
    answer = answer < 0 ? compared(walk, frame, inner) : answer;
    break;
  case PYK_BOOLEAN_OPERATOR:
    answer = truth_of_sides(walk, frame, inner, depth - 1);
    break;
  case PYK_CALL:
    answer = has_member(walk, frame, inner);
    break;
  case PYK_IDENTIFIER:
    answer = truth_of_name(walk, frame, inner);
    break;
  case PYK_ATTRIBUTE:
    answer = truth_of_attribute(walk, frame, inner);
    break;
  default:
    break;
  }
  return answer < 0 || !is_not ? answer : !answer;
}

int forward_truth(ShapeWalk *walk, ShapeFrame *frame, PyRef asked)
{
  enum { DEPTH = 4 };
  return truth_within(walk, frame, asked, DEPTH);
}
