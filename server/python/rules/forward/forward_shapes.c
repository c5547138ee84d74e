// The sizes of the example inputs on their way through forward().

#include "python/rules/forward/forward_shapes.h"

#include "base/limits.h"
#include "python/rules/forward/forward_index.h"
#include "python/rules/forward/forward_turns.h"
#include "python/rules/forward/vision_models.h"

/// Of what a statement binds in a way that is not followed, nothing is known.
static void forget_names(const ShapeWalk *walk, ShapeFrame *frame, PyRef statement)
{
  const PyTree *tree = &walk->export->model->tree;
  for (PY_EACH_NODE(tree, node, statement)) {
    NamedValue *named = py_kind(tree, node) == PYK_IDENTIFIER ? forward_named(frame, py_text(tree, node)) : NULL;
    if (named)
      named->value = (Followed){ 0 };
  }
}

static bool has_rest(const PyTree *tree, PyRef target)
{
  for (PY_EACH_CHILD(tree, name, target)) {
    if (py_kind(tree, name) == PYK_LIST_SPLAT_PATTERN)
      return true;
  }
  return false;
}

/// `b, c, h, w = x.shape`; `given` is the value, if it is followed.
static void unpack(ShapeWalk *walk, ShapeFrame *frame, PyRef target, PyRef value, const Followed *given)
{
  const PyTree *tree = &walk->export->model->tree;
  Followed of = *given;
  int count = 0;
  if (has_rest(tree, target)) {
    forget_names(walk, frame, target);
    return;
  }
  for (PY_EACH_CHILD(tree, name, target))
    count += name != 0;
  forward_refuse_none(walk, value, STR("unpacks"), &of, &of);
  if (of.kind == FOLLOWED_TENSOR && of.shape.rank > 0)
    of = forward_taken_apart(walk, value, &of, 0);
  if (of.kind == FOLLOWED_TUPLE && of.number != count && !walk->trial)
    forward_refuse(walk, value,
                   arena_printf(walk->export->sink->arena, "gives %d names a %s of %lld", count,
                                given->kind == FOLLOWED_TENSOR ? "tensor" : "tuple", (long long)of.number));
  forward_bind(walk, frame, target, of);
}

/// `outs[i] = value` of a list that is followed.
static bool replace_item(ShapeWalk *walk, ShapeFrame *frame, PyRef target, Followed value)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef object = py_tree_strip(tree, py_child(tree, target, PY_F_VALUE));
  NamedValue *named = py_kind(tree, object) == PYK_IDENTIFIER ? forward_named(frame, py_text(tree, object)) : NULL;
  int64_t at;
  if (!named || !named->value.is_list ||
      !forward_int(walk, frame, py_child(tree, target, PY_F_SUBSCRIPT), PY_EXPRESSION_DEPTH, &at))
    return false;
  at += at < 0 ? named->value.number : 0;
  Followed none = { .kind = FOLLOWED_TUPLE }, copy = forward_lists_joined(walk, &named->value, &none);
  if (at < 0 || at >= copy.number)
    return false;
  ((Followed *)copy.items)[at] = value;
  named->value = copy;
  return true;
}

/// `y[:, 0] = value`: the tensor keeps its sizes, and takes what can be broadcast to that part of it.
static void write_part(ShapeWalk *walk, ShapeFrame *frame, PyRef target, PyRef value)
{
  const PyTree *tree = &walk->export->model->tree;
  Arena *arena = walk->export->sink->arena;
  Followed given = forward_value(walk, frame, value, PY_EXPRESSION_DEPTH);
  Followed part = forward_value(walk, frame, target, PY_EXPRESSION_DEPTH);
  PyRef object = py_child(tree, target, PY_F_VALUE);
  Shape joined;
  if (replace_item(walk, frame, target, given))
    return;
  forward_forget_list(walk, frame, object);
  if (given.kind != FOLLOWED_TENSOR || part.kind != FOLLOWED_TENSOR || walk->trial)
    return;
  bool fits = shape_broadcast(&part.shape, &given.shape, &joined);
  for (int i = 1; fits && i <= joined.rank; i++) {
    int64_t size = i <= part.shape.rank ? part.shape.sizes[part.shape.rank - i] : 1;
    fits = size < 0 || joined.sizes[joined.rank - i] <= size;
  }
  if (!fits)
    forward_refuse(walk, target,
                   arena_printf(arena, "writes a tensor of shape %.*s into a part of shape %.*s",
                                STR_ARG(shape_text(&given.shape, arena)), STR_ARG(shape_text(&part.shape, arena))));
}

static void run_assignment(ShapeWalk *walk, ShapeFrame *frame, PyRef assignment)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef target = py_child(tree, assignment, PY_F_LEFT), value = py_child(tree, assignment, PY_F_RIGHT);
  PyNodeKind kind = target && value && py_kind(tree, value) != PYK_ASSIGNMENT ? py_kind(tree, target) : PYK_OTHER;
  if (kind == PYK_IDENTIFIER || kind == PYK_ATTRIBUTE) {
    Followed given = forward_value(walk, frame, value, PY_EXPRESSION_DEPTH);
    forward_forget_list(walk, frame, value);
    forward_bind(walk, frame, target, given);
  } else if (kind == PYK_SUBSCRIPT) {
    write_part(walk, frame, target, value);
  } else if (kind == PYK_PATTERN_LIST || kind == PYK_TUPLE_PATTERN) {
    Followed given = forward_value(walk, frame, value, PY_EXPRESSION_DEPTH);
    unpack(walk, frame, target, py_tree_strip(tree, value), &given);
  } else {
    forget_names(walk, frame, assignment);
  }
}

static void run_augmented(ShapeWalk *walk, ShapeFrame *frame, PyRef assignment)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef target = py_child(tree, assignment, PY_F_LEFT), value = py_child(tree, assignment, PY_F_RIGHT);
  PyRef sign = py_child(tree, assignment, PY_F_OPERATOR);
  if (!target || !value || !sign || py_kind(tree, target) != PYK_IDENTIFIER) {
    forget_names(walk, frame, assignment);
    return;
  }
  Followed a = forward_value(walk, frame, target, PY_EXPRESSION_DEPTH);
  Followed b = forward_value(walk, frame, value, PY_EXPRESSION_DEPTH);
  forward_check_narrowing(walk, assignment, py_text(tree, sign), &a, &b);
  forward_bind(walk, frame, target, forward_binary(walk, assignment, py_text(tree, sign), &a, &b));
}

/// `torch._check(x.shape[1] > 3)`
static void run_check(ShapeWalk *walk, ShapeFrame *frame, PyRef node)
{
  const PyModel *model = walk->export->model;
  const PyCall *call = py_model_call(model, node);
  const PyArgument *asked =
      call && str_equal(call->qualified, STR("torch._check")) ? py_model_argument(model, call, 0, "cond") : NULL;
  if (asked)
    forward_ask(walk, frame, py_tree_strip(&model->tree, asked->value));
}

/// What `outs.append(x)`, `outs.insert(0, x)`, `outs.extend(xs)` and `outs.reverse()` make of a list.
static Followed list_changed(ShapeWalk *walk, ShapeFrame *frame, const PyCall *call, const Followed *list)
{
  const PyModel *model = walk->export->model;
  Str method = py_tree_member_name(&model->tree, call->function_node);
  bool is_insert = str_equal(method, STR("insert")) && call->argument_count == 2;
  bool is_one = is_insert || (str_equal(method, STR("append")) && call->argument_count == 1);
  bool is_extend = str_equal(method, STR("extend")) && call->argument_count == 1;
  Followed item = { .kind = FOLLOWED_TUPLE, .number = 1, .items = ARENA_NEW(walk->export->sink->arena, Followed) };
  int64_t at = 0;
  if (call->has_splat || (!is_one && !is_extend))
    return (Followed){ 0 };
  Followed given =
      forward_value(walk, frame, py_model_arguments(model, call)[is_insert ? 1 : 0].value, PY_EXPRESSION_DEPTH);
  if (is_extend)
    return forward_lists_joined(walk, list, &given);
  *(Followed *)item.items = given;
  if (!is_insert)
    return forward_lists_joined(walk, list, &item);
  bool is_first = py_model_int(model, py_model_arguments(model, call)->value, &at) && at == 0;
  item.is_list = true;
  return is_first ? forward_lists_joined(walk, &item, list) : (Followed){ 0 };
}

/// `outs.append(x)` of a list that the function made.
static bool run_append(ShapeWalk *walk, ShapeFrame *frame, PyRef node)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  const PyCall *call = py_model_call(model, node);
  PyRef object = call ? py_tree_object(tree, call->function_node) : 0;
  NamedValue *named =
      object && py_kind(tree, object) == PYK_IDENTIFIER ? forward_named(frame, py_text(tree, object)) : NULL;
  if (!named || !named->value.is_list)
    return false;
  Followed changed = list_changed(walk, frame, call, &named->value);
  forward_set_name(frame, py_text(tree, object), changed);
  return true;
}

static void run_simple(ShapeWalk *walk, ShapeFrame *frame, PyRef statement)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef node = py_first_child(tree, statement);
  switch (node ? py_kind(tree, node) : PYK_OTHER) {
  case PYK_ASSIGNMENT:
    run_assignment(walk, frame, node);
    break;
  case PYK_AUGMENTED_ASSIGNMENT:
    run_augmented(walk, frame, node);
    break;
  case PYK_CALL:
    run_check(walk, frame, node);
    if (!run_append(walk, frame, node))
      forward_value(walk, frame, node, PY_EXPRESSION_DEPTH);
    break;
  default:
    break;
  }
}

static void refuse_range(ShapeWalk *walk, PyRef asked)
{
  walk->is_range = true;
  forward_refuse(walk, asked, py_text(&walk->export->model->tree, asked));
}

/// `if x.shape[1] < 8:` where the Dim of that axis allows 5 and 9: torch.export finds that not all of its sizes do the
/// same.
static void check_range(ShapeWalk *walk, PyRef asked, Str sign, const Followed *sides)
{
  static const char *const signs[] = { "<", ">", "<=", ">=" };
  bool is_left = sides[0].number == walk->size * DIM_FACTOR;
  if (walk->size == 0 || !str_is_one_of(sign, signs, COUNT(signs)) ||
      is_left == (sides[1].number == walk->size * DIM_FACTOR))
    return;
  int64_t other = sides[is_left ? 1 : 0].number;
  int64_t sizes[] = { walk->size, walk->low, walk->high };
  bool answers[3];
  for (int i = 0; i < 3; i++)
    answers[i] = is_left ? (module_maker_compare(sign, sizes[i], other) == 1)
                         : (module_maker_compare(sign, other, sizes[i]) == 1);
  if (other >= DIM_FACTOR || (answers[0] == answers[1] && answers[0] == answers[2]))
    return;
  refuse_range(walk, asked);
}

/// `x.shape[1] % 2 == 0` and `x.shape[1] % 2`, of an axis whose Dim allows sizes that leave this and that.
static bool check_remainder(ShapeWalk *walk, ShapeFrame *frame, PyRef asked)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  PyRef divided = asked;
  int64_t wanted = 0, by;
  if (py_kind(tree, asked) == PYK_COMPARISON_OPERATOR) {
    PyComparison at = py_tree_comparison(tree, asked);
    Str text = at.sign ? py_text(tree, at.sign) : (Str){ 0 };
    if (!at.right || !forward_int(walk, frame, at.right, PY_EXPRESSION_DEPTH, &wanted) ||
        (!str_equal(text, STR("==")) && !str_equal(text, STR("!="))))
      return false;
    divided = py_tree_strip(tree, at.left);
  }
  if (py_kind(tree, divided) != PYK_BINARY_OPERATOR ||
      !str_equal(py_text(tree, py_child(tree, divided, PY_F_OPERATOR)), STR("%")) ||
      !forward_int(walk, frame, py_child(tree, divided, PY_F_RIGHT), PY_EXPRESSION_DEPTH, &by) || by < 2 ||
      wanted < 0 || wanted >= by)
    return false;
  Followed size = forward_value(walk, frame, py_child(tree, divided, PY_F_LEFT), PY_EXPRESSION_DEPTH);
  bool is_it = size.kind == FOLLOWED_INT && walk->size > 0 && size.number == walk->size * DIM_FACTOR;
  // Of `by` sizes in a row one leaves what is asked for, and the others don't.
  if (is_it && walk->high - walk->low >= by - 1)
    refuse_range(walk, asked);
  return is_it;
}

/// `if x.shape[0] == 4:` and `assert x.size(0) == 4`, where 4 is what the example has: it stays so.
void forward_ask(ShapeWalk *walk, ShapeFrame *frame, PyRef asked)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef sign = asked && py_kind(tree, asked) == PYK_COMPARISON_OPERATOR ? py_child(tree, asked, PY_F_OPERATORS) : 0;
  Str text = sign ? py_text(tree, sign) : (Str){ 0 };
  // A trace keeps the branch that the example takes.
  if (!walk->trial || walk->is_of_trace || !asked || check_remainder(walk, frame, asked) || text.len == 0)
    return;
  Followed sides[2] = { 0 };
  int count = 0;
  for (PY_EACH_CHILD(tree, side, asked)) {
    int64_t number;
    if (py_kind(tree, side) == PYK_OPERATOR || count++ >= 2)
      continue;
    if (forward_int(walk, frame, side, PY_EXPRESSION_DEPTH, &number))
      sides[count - 1] = (Followed){ .kind = FOLLOWED_INT, .number = number };
  }
  if (count != 2 || sides[0].kind != FOLLOWED_INT || sides[1].kind != FOLLOWED_INT)
    return;
  bool is_equality = str_equal(text, STR("==")) || str_equal(text, STR("!="));
  if (is_equality && sides[0].number != 0 &&
      (sides[0].number == sides[1].number * DIM_FACTOR || sides[1].number == sides[0].number * DIM_FACTOR))
    forward_refuse(walk, asked, STR("asks whether a size is a number that it is"));
  else
    check_range(walk, asked, text, sides);
}

static void run_condition(ShapeWalk *walk, ShapeFrame *frame, PyRef statement)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef asked = py_kind(tree, statement) == PYK_IF_STATEMENT ? py_child(tree, statement, PY_F_CONDITION)
                                                             : py_first_child(tree, statement);
  forward_ask(walk, frame, asked ? py_tree_strip(tree, asked) : 0);
}

/// `for i in range(x.shape[1]):` and the same in a comprehension: so many turns are written into the program.
static void check_turns(ShapeWalk *walk, ShapeFrame *frame, PyRef statement)
{
  const PyModel *model = walk->export->model;
  const PyTree *tree = &model->tree;
  PyRef body = py_kind(tree, statement) == PYK_FOR_STATEMENT ? py_child(tree, statement, PY_F_BODY) : 0;
  PyRef end = body ? body : tree->nodes[statement].next;
  for (PyRef node = statement; walk->trial && node < end && walk->steps-- > 0; node++) {
    const PyCall *call = py_model_call(model, node);
    PyNodeKind around = py_kind(tree, tree->nodes[node].parent);
    if (!call || !str_equal(call->qualified, STR("range")) ||
        (around != PYK_FOR_STATEMENT && around != PYK_FOR_IN_CLAUSE))
      continue;
    for (uint32_t i = 0; i < call->argument_count; i++) {
      Followed turns = forward_value(walk, frame, py_model_arguments(model, call)[i].value, PY_EXPRESSION_DEPTH);
      forward_freeze(walk, node, &turns);
      if (turns.kind == FOLLOWED_INT && turns.number >= DIM_FACTOR && turns.number % DIM_FACTOR == 0)
        forward_refuse(walk, node, STR("goes so often around"));
    }
  }
}

/// The block of an `if` that runs, 0 for none of them; false if that is not sure.
static bool taken_block(ShapeWalk *walk, ShapeFrame *frame, PyRef statement, PyRef *ret_block)
{
  const PyTree *tree = &walk->export->model->tree;
  *ret_block = 0;
  for (PyRef part = statement; part;) {
    PyNodeKind kind = py_kind(tree, part);
    PyRef condition = kind == PYK_ELSE_CLAUSE ? 0 : py_child(tree, part, PY_F_CONDITION);
    int answer = condition ? forward_truth(walk, frame, condition) : kind == PYK_ELSE_CLAUSE ? 1 : -1;
    if (answer < 0)
      return false;
    if (answer) {
      *ret_block = py_child(tree, part, kind == PYK_ELSE_CLAUSE ? PY_F_BODY : PY_F_CONSEQUENCE);
      return true;
    }
    part = part == statement ? py_first_child(tree, statement) : py_next_sibling(tree, part);
    while (part && py_kind(tree, part) != PYK_ELIF_CLAUSE && py_kind(tree, part) != PYK_ELSE_CLAUSE)
      part = py_next_sibling(tree, part);
  }
  return true;
}

static bool run_block(ShapeWalk *walk, ShapeFrame *frame, PyRef block, Followed *ret_value);

/// Whether a turn may end before its last statement.
static bool may_break(const PyTree *tree, PyRef block)
{
  for (PyRef node = block; node < tree->nodes[block].next; node++) {
    if (py_kind(tree, node) == PYK_BREAK_STATEMENT || py_kind(tree, node) == PYK_CONTINUE_STATEMENT)
      return true;
  }
  return false;
}

/// `for layer in self.layers: x = layer(x)`: each turn that is known; false if there are others, or parts that are not
/// followed.
static bool run_loop(ShapeWalk *walk, ShapeFrame *frame, PyRef statement)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef target = py_child(tree, statement, PY_F_LEFT), over = py_child(tree, statement, PY_F_RIGHT);
  PyRef block = py_child(tree, statement, PY_F_BODY);
  ForwardTurns turns;
  Followed value;
  if (!target || !over || !block || py_child(tree, statement, PY_F_ALTERNATIVE) || may_break(tree, block) ||
      !forward_turns(walk, frame, over, PY_EXPRESSION_DEPTH, &turns))
    return false;
  bool goes_on = true;
  for (int i = 0; i < turns.count && goes_on && walk->steps > 0; i++) {
    forward_bind(walk, frame, target, turns.items[i]);
    goes_on = run_block(walk, frame, block, &value);
  }
  return goes_on && !turns.has_more;
}

/// `assert ...` and `if ...: raise ...`: a run that goes on after it is the one that matters.
static bool is_guard(const PyTree *tree, PyRef statement)
{
  PyNodeKind kind = py_kind(tree, statement);
  PyRef block = kind == PYK_IF_STATEMENT ? py_child(tree, statement, PY_F_CONSEQUENCE) : 0;
  PyRef only = block && !py_child(tree, statement, PY_F_ALTERNATIVE) ? py_first_child(tree, block) : 0;
  return kind == PYK_ASSERT_STATEMENT ||
         (only && !py_next_sibling(tree, only) && py_kind(tree, only) == PYK_RAISE_STATEMENT);
}

/// `assert h == 1` of a height that is 2, and `if h != 1: raise ...`.
static void check_guard(ShapeWalk *walk, ShapeFrame *frame, PyRef statement)
{
  const PyTree *tree = &walk->export->model->tree;
  bool is_assert = py_kind(tree, statement) == PYK_ASSERT_STATEMENT;
  PyRef asked = is_assert ? py_first_child(tree, statement) : py_child(tree, statement, PY_F_CONDITION);
  if (!asked || walk->trial || forward_truth(walk, frame, asked) != !is_assert)
    return;
  forward_refuse(walk, asked,
                 arena_printf(walk->export->sink->arena, "%s `%.*s`, which is %s",
                              is_assert ? "asserts" : "raises an exception on", STR_ARG(py_text(tree, asked)),
                              is_assert ? "false" : "true"));
}

/// False if the function is left there, or may be left; then `*ret_value` is what it gives.
static bool run_statement(ShapeWalk *walk, ShapeFrame *frame, PyRef statement, Followed *ret_value);

static bool run_block(ShapeWalk *walk, ShapeFrame *frame, PyRef block, Followed *ret_value)
{
  const PyTree *tree = &walk->export->model->tree;
  if (walk->blocks == PY_SHAPE_CALL_DEPTH)
    return false;
  walk->blocks++;
  bool goes_on = true;
  for (PyRef statement = py_first_child(tree, block); statement && goes_on && walk->why.len == 0;
       statement = py_next_sibling(tree, statement))
    goes_on = run_statement(walk, frame, statement, ret_value);
  walk->blocks--;
  return goes_on;
}

static bool run_statement(ShapeWalk *walk, ShapeFrame *frame, PyRef statement, Followed *ret_value)
{
  const PyTree *tree = &walk->export->model->tree;
  PyNodeKind kind = py_kind(tree, statement);
  PyRef block;
  if (kind == PYK_RETURN_STATEMENT) {
    check_turns(walk, frame, statement);
    PyRef returned = py_first_child(tree, statement);
    *ret_value =
        returned ? forward_value(walk, frame, returned, PY_EXPRESSION_DEPTH) : (Followed){ .kind = FOLLOWED_NONE };
    return false;
  }
  if (kind == PYK_IF_STATEMENT || kind == PYK_ASSERT_STATEMENT)
    run_condition(walk, frame, statement);
  if (is_guard(tree, statement)) {
    check_guard(walk, frame, statement);
    return true;
  }
  if (kind == PYK_IF_STATEMENT && taken_block(walk, frame, statement, &block))
    return !block || run_block(walk, frame, block, ret_value);
  if (kind == PYK_FOR_STATEMENT || kind == PYK_EXPRESSION_STATEMENT)
    check_turns(walk, frame, statement);
  if (py_tree_may_leave(tree, statement))
    return false;
  if (kind == PYK_EXPRESSION_STATEMENT)
    run_simple(walk, frame, statement);
  else if (kind != PYK_FUNCTION_DEFINITION && !(kind == PYK_FOR_STATEMENT && run_loop(walk, frame, statement)))
    forget_names(walk, frame, statement);
  return true;
}

Followed forward_shapes_run(ShapeWalk *walk, ShapeFrame *frame)
{
  const PyTree *tree = &walk->export->model->tree;
  PyRef body = walk->export->model->functions.items[frame->function].body;
  int blocks = walk->blocks;
  Followed value = { 0 };
  walk->blocks = 0;
  bool goes_on = !body || run_block(walk, frame, body, &value);
  walk->blocks = blocks;
  bool is_ended = goes_on && body && walk->steps > 0 && !str_contains(py_text(tree, body), STR("yield"));
  return is_ended ? (Followed){ .kind = FOLLOWED_NONE } : goes_on ? (Followed){ 0 } : value;
}

// --- The export ---

/// Where it happens, as a traceback would tell; who exports gives the sizes.
static void say(const ShapeWalk *walk)
{
  const ExportCall *export = walk->export;
  DiagSink *sink = export->sink;
  const PyArgument *args = export_argument(export, "args");
  RuleId rule = walk->is_of_exporter ? forward_rule_of_exporter(walk) : RULE_EXPORT_ARGS_COUNT;
  bool has_own = walk->is_of_exporter && py_model_mentions(export->model, "aten::adaptive_");
  if (!sink_wants(sink, rule, OWN) || has_own)
    return;
  RelatedLocation *related = ARENA_NEW(sink->arena, RelatedLocation);
  *related = (RelatedLocation){ py_range(sink, args ? args->value : export->call->function_node),
                                STR("The example inputs are given here.") };
  Str message = forward_words_of_exporter(walk, "the example inputs", sink->arena);
  py_report(sink, rule, OWN, walk->where, (Diagnostic){ .message = message, .related = related, .related_count = 1 });
}

/// A module of torch.nn, such as nn.Sequential(...), with its one input, or the first of a layer.
static void run_torch_module(ShapeWalk *walk, const ExportModel *made, const ModuleMaker *outer)
{
  const ExportCall *export = walk->export;
  walk->made = made;
  PyRef args = export_value(export, "args");
  bool is_tuple = args && py_kind(&export->model->tree, args) == PYK_TUPLE;
  PyRef first = is_tuple ? py_tree_first_element(&export->model->tree, args) : args;
  bool takes_others = layer_takes_others(layer_name(made->made));
  if (first && (takes_others || !is_tuple || !py_tree_next_element(&export->model->tree, first)))
    forward_through_part(walk, outer, made->node, export->call->function_node, forward_example(walk, first),
                         PY_EXPRESSION_DEPTH);
}

/// What a function or a chain of calls makes, `mask(10)`, `torch.rand(3).half()`, or a number, which exporters keep.
static Followed example_made(ShapeWalk *walk, PyRef node)
{
  const ExportCall *export = walk->export;
  Followed value = forward_example(walk, node);
  PyRef made = py_model_resolve(export->model, node);
  bool is_known = value.shape.rank >= 0 && value.element.len > 0;
  for (int i = 0; i < value.shape.rank; i++)
    is_known &= value.shape.sizes[i] >= 0;
  bool is_number = py_kind(&export->model->tree, made) == PYK_INTEGER;
  bool may_run = is_number || py_model_call(export->model, made);
  if (is_known || !may_run || walk->steps < PY_SHAPE_NAME_LIMIT)
    return value;
  ModuleMaker *nobody = ARENA_NEW(export->sink->arena, ModuleMaker);
  ShapeFrame *frame = ARENA_NEW(export->sink->arena, ShapeFrame);
  *nobody = (ModuleMaker){ .model = export->model, .parts = export->parts };
  frame->maker = nobody;
  frame->function = PY_ABSENT;
  ShapeWalk inner = *walk;  // What fails there is no matter of forward().
  inner.trial = NULL;
  inner.is_of_trace = inner.is_open = false;
  Followed run = forward_value(&inner, frame, made, PY_EXPRESSION_DEPTH);
  walk->steps = inner.steps - PY_SHAPE_NAME_LIMIT;
  if (is_number && run.kind == FOLLOWED_INT)
    return run;
  if (inner.why.len > 0 || run.kind != FOLLOWED_TENSOR || run.shape.rank < 0)
    return value;
  run.element = value.element.len > 0 ? value.element : run.element;
  return run;
}

/// What is given as the i-th input, with the sizes that are tried.
static Followed input_value(ShapeWalk *walk, size_t i)
{
  Followed value = example_made(walk, walk->export->inputs->items[i].node);
  value.is_of_input = true;
  for (int axis = 0; walk->trial && i < PY_SHAPE_INPUT_LIMIT && axis < value.shape.rank; axis++) {
    int64_t *size = &value.shape.sizes[axis];
    if (walk->trial->is_scaled[i][axis] && walk->trial->added != 0)
      *size += *size > 0 ? walk->trial->added : 0;
    else if (walk->trial->is_scaled[i][axis])
      *size = *size > 0 && *size < PY_DIM_NUMBER_LIMIT / DIM_FACTOR ? *size * DIM_FACTOR : -1;
  }
  return value;
}

Followed forward_shapes_run_model(ShapeWalk *walk, const ExportModel *made)
{
  const ExportCall *export = walk->export;
  ModuleMaker outer = { .model = export->model, .parts = export->parts };
  ModuleMaker maker = {
    .model = export->model, .parts = export->parts, .call = made->made, .class_node = made->class_node, .outer = &outer
  };
  walk->made = made;
  ShapeFrame *frame = ARENA_NEW(export->sink->arena, ShapeFrame);
  frame->maker = &maker;
  frame->function = made->forward;
  for (size_t i = 0; i < export->inputs->count; i++) {
    const ExampleInput *input = &export->inputs->items[i];
    if (input->value && !input->is_rest)
      forward_set_name(frame, input->name, input_value(walk, i));
  }
  frame->has_all_inputs = export->inputs->is_known;
  return forward_shapes_run(walk, frame);
}

/// A forward() without `return`: onnxruntime loads no model without outputs. Run with torch 1.13, 2.6 and 2.14. Where
/// outputs are named, check_exports.c says it.
static void say_empty(const ExportCall *export, const ExportModel *made)
{
  const PyFunction *forward = &export->model->functions.items[made->forward];
  ExportNames *names = ARENA_ARRAY(export->sink->arena, ExportNames, 1);
  export_read_names(export, "output_names", names);
  if (names->count > 0 && export_output_count(export, made) == 0)
    return;
  if (sink_wants(export->sink, RULE_EXPORT_STRUCTURE, SEVERITY_WARNING))
    py_say(export->sink, RULE_EXPORT_STRUCTURE, SEVERITY_WARNING, forward->name_node,
           STR("With the inputs of the export, forward() returns nothing, so the model has no outputs."), NULL);
}

/// Where only following forward() tells how many outputs there are: `tuple(head(x) for head in self.heads)`.
static void check_outputs(const ExportCall *export, const ExportModel *made, const Followed *result)
{
  int count = result->kind == FOLLOWED_TENSOR ? 1 : result->kind == FOLLOWED_TUPLE ? (int)result->number : -1;
  for (int i = 0; result->kind == FOLLOWED_TUPLE && i < count; i++) {
    if (result->items[i].kind != FOLLOWED_TENSOR)
      return;
  }
  ExportNames *names = ARENA_ARRAY(export->sink->arena, ExportNames, 1);
  export_read_names(export, "output_names", names);
  if (count > 0 && names->node && names->is_known && export_output_count(export, made) < 0)
    export_check_output_count(export, made, names, count);
}

bool forward_shapes_check(const ExportCall *export, const ExportModel *made)
{
  ShapeWalk walk = { .export = export, .steps = PY_TRACING_WORK };
  ModuleMaker outer = { .model = export->model, .parts = export->parts };
  // Where torch is patched, sizes may fit that don't elsewhere.
  if (export->is_exported_program || export_is_in_context(export, STR("patch")))
    return true;
  Followed result = { 0 };
  if (made->forward != PY_ABSENT && export->inputs->is_known)
    result = forward_shapes_run_model(&walk, made);
  else if (made->forward == PY_ABSENT && made->made &&
           (made->torch_class.len > 0 || vision_model_made(export->model, made->made, export->sink->arena)))
    run_torch_module(&walk, made, &outer);
  if (walk.why.len > 0)
    say(&walk);
  else if (result.kind == FOLLOWED_NONE)
    say_empty(export, made);
  else if (!export->is_capture)
    check_outputs(export, made, &result);
  return walk.why.len > 0;
}
