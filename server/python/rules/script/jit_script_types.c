// Numbers where torch.jit.script() wants another type: it turns no int into a float, gives attributes the type that
// they begin with, and takes a parameter without annotation for a tensor. Run with torch 1.13, 2.6 and 2.14.

#include "python/rules/script/jit_script_types.h"

#include "base/ascii.h"
#include "base/limits.h"

// --- Types of expressions ---

static JitType type_of_literal(PyNodeKind kind)
{
  switch (kind) {
  case PYK_INTEGER:
    return JIT_INT;
  case PYK_FLOAT:
    return JIT_FLOAT;
  case PYK_TRUE:
  case PYK_FALSE:
    return JIT_BOOL;
  case PYK_STRING:
    return JIT_STRING;
  default:
    return JIT_UNKNOWN;
  }
}

static PyRef first_in_init(const PyModel *model, PyRef class_node, Str name)
{
  uint32_t init = export_method_named(model, class_node, STR("__init__"));
  PyRef body = init == PY_ABSENT ? 0 : model->functions.items[init].body;
  for (PyRef at = body ? py_first_child(&model->tree, body) : 0; at; at = py_next_sibling(&model->tree, at)) {
    PyRef inner = py_kind(&model->tree, at) == PYK_EXPRESSION_STATEMENT ? py_first_child(&model->tree, at) : 0;
    PyRef left = inner && py_kind(&model->tree, inner) == PYK_ASSIGNMENT ? py_child(&model->tree, inner, PY_F_LEFT) : 0;
    if (left && !py_child(&model->tree, inner, PY_F_TYPE) && str_equal(py_tree_own_name(&model->tree, left), name))
      return py_child(&model->tree, inner, PY_F_RIGHT);
    if (str_contains(py_text(&model->tree, at), name) && !(inner && left))
      return 0;
  }
  return 0;
}

/// `net.scale = 0.5`, which may come before.
static bool is_set_outside(const PyModel *model, Str name)
{
  Str text = model->tree.text;
  for (size_t at = str_find(text, name, 0); at != STR_NOT_FOUND; at = str_find(text, name, at + 1)) {
    size_t end = ascii_blanks_end(text, at + name.len);
    bool is_member = at > 0 && text.data[at - 1] == '.' && !ascii_is_word(str_at(text, at + name.len));
    bool is_set = is_member && str_at(text, end) == '=' && str_at(text, end + 1) != '=';
    if (is_set && !str_ends_with(str_slice(text, 0, at), STR("self.")))
      return true;
  }
  return false;
}

/// What `self.name = 2` of the constructor makes an attribute, whatever is assigned later.
static JitType type_of_own(Forward *forward, Str name)
{
  enum { BYTES_A_STEP = 256 };
  const PyModel *model = forward->model;
  PyRef class_node = model->functions.items[forward->function].class_node;
  PyRef value = class_node && name.len > 0 ? first_in_init(model, class_node, name) : 0;
  forward->steps -= value ? (int)(model->tree.text.len / BYTES_A_STEP) + 1 : 0;
  if (!value || forward->steps < 0 || is_set_outside(model, name))
    return JIT_UNKNOWN;
  value = py_tree_strip(&model->tree, value);
  PyNodeKind kind = py_kind(&model->tree, value);
  return kind == PYK_UNARY_OPERATOR
             ? type_of_literal(py_kind(&model->tree, py_child(&model->tree, value, PY_F_ARGUMENT)))
             : type_of_literal(kind);
}

/// What a compiled function takes for a tensor: a parameter without annotation is one.
static bool is_tensor(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  node = py_tree_strip(&model->tree, node);
  const PyBinding *binding = forward_only_binding(forward, node);
  bool is_param = binding && binding->kind == PY_BIND_PARAM && binding->scope == forward->function;
  const PyParam *param = is_param ? &model->params.items[binding->index] : NULL;
  bool is_untyped = param && param->kind == PY_PARAM_PLAIN && !param->annotation && !param->default_value &&
                    !str_equal(param->name, STR("self")) && !py_model_mentions(model, "# type:");
  return is_untyped || forward_is_tensor(forward, node, PY_EXPRESSION_DEPTH);
}

/// `x.shape` and `x.size()` of a tensor.
static bool is_shape(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef callee = py_tree_callee(tree, node);
  Str name = py_tree_member_name(tree, callee ? callee : node);
  return str_equal(name, callee ? STR("size") : STR("shape")) &&
         is_tensor(forward, py_tree_object(tree, callee ? callee : node));
}

static JitType type_of_call(Forward *forward, const PyCall *call)
{
  static const char *const counts[] = { "dim", "numel", "nelement", "size" };
  const PyTree *tree = &forward->model->tree;
  Str name = py_text(tree, call->function_node), member = py_tree_member_name(tree, call->function_node);
  if (str_equal(name, STR("len")) || str_equal(name, STR("int")))
    return JIT_INT;
  if (str_equal(name, STR("float")))
    return JIT_FLOAT;
  bool is_of_tensor =
      member.len > 0 && call->method == PY_ABSENT && is_tensor(forward, py_tree_object(tree, call->function_node));
  if (is_of_tensor && str_equal(member, STR("item")))
    return JIT_NUMBER;
  bool is_list = str_equal(member, STR("size")) && call->argument_count == 0;
  return is_of_tensor && !is_list && str_is_one_of(member, counts, COUNT(counts)) ? JIT_INT : JIT_UNKNOWN;
}

static JitType type_of_sum(Forward *forward, PyRef node, int depth)
{
  static const char *const signs[] = { "+", "-", "*", "//", "%" };
  const PyTree *tree = &forward->model->tree;
  PyRef sign = py_child(tree, node, PY_F_OPERATOR);
  JitType left = jit_script_type(forward, py_child(tree, node, PY_F_LEFT), depth);
  JitType right = jit_script_type(forward, py_child(tree, node, PY_F_RIGHT), depth);
  bool are_numbers = (left == JIT_INT || left == JIT_FLOAT) && (right == JIT_INT || right == JIT_FLOAT);
  if (!sign || !are_numbers)
    return JIT_UNKNOWN;
  if (str_equal(py_text(tree, sign), STR("/")))
    return JIT_FLOAT;
  if (!str_is_one_of(py_text(tree, sign), signs, COUNT(signs)))
    return JIT_UNKNOWN;
  return left == JIT_INT && right == JIT_INT ? JIT_INT : JIT_FLOAT;
}

static JitType type_of_name(Forward *forward, PyRef name, int depth)
{
  const PyModel *model = forward->model;
  const PyCall *loop = py_model_call(model, forward_only_loop(forward, name));
  if (loop && str_equal(loop->qualified, STR("range")))
    return JIT_INT;
  const PyBinding *binding = forward_only_binding(forward, name);
  bool is_assigned =
      binding && binding->kind == PY_BIND_ASSIGN && binding->value && binding->scope == forward->function;
  return is_assigned ? jit_script_type(forward, binding->value, depth) : JIT_UNKNOWN;
}

JitType jit_script_type(Forward *forward, PyRef node, int depth)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  if (!node || depth <= 0)
    return JIT_UNKNOWN;
  node = py_tree_strip(tree, node);
  PyNodeKind kind = py_kind(tree, node);
  const PyCall *call = py_model_call(model, node);
  PyRef index;
  switch (kind) {
  case PYK_NONE:
    return JIT_NONE;
  case PYK_LIST:
  case PYK_TUPLE:
  case PYK_DICTIONARY:
    return JIT_LIST;
  case PYK_UNARY_OPERATOR:
    return jit_script_type(forward, py_child(tree, node, PY_F_ARGUMENT), depth - 1);
  case PYK_BINARY_OPERATOR:
    return type_of_sum(forward, node, depth - 1);
  case PYK_CALL:
    return call ? type_of_call(forward, call) : JIT_UNKNOWN;
  case PYK_SUBSCRIPT:
    index = py_child(tree, node, PY_F_SUBSCRIPT);
    return index && py_kind(tree, index) != PYK_SLICE && is_shape(forward, py_child(tree, node, PY_F_VALUE))
               ? JIT_INT
               : JIT_UNKNOWN;
  case PYK_ATTRIBUTE:
    return type_of_own(forward, py_tree_own_name(tree, node));
  case PYK_IDENTIFIER:
    return type_of_name(forward, node, depth - 1);
  default:
    return type_of_literal(kind);
  }
}

static const char *word_of(JitType type)
{
  static const char *const words[] = {
    [JIT_INT] = "an int",      [JIT_FLOAT] = "a float", [JIT_BOOL] = "a bool",
    [JIT_STRING] = "a string", [JIT_NONE] = "None",     [JIT_LIST] = "a list, tuple or dict",
    [JIT_NUMBER] = "a number"
  };
  return words[type];
}

// --- Arguments of torch ---

/// Parameters that are floats, by position.
static const struct {
  const char *function;
  struct {
    uint8_t position;
    const char *name;
  } floats[4];
} float_rows[] = {
  { "torch.nn.functional.normalize", { { 1, "p" }, { 3, "eps" } } },
  { "torch.nn.functional.dropout", { { 1, "p" } } },
  { "torch.nn.functional.dropout1d", { { 1, "p" } } },
  { "torch.nn.functional.dropout2d", { { 1, "p" } } },
  { "torch.nn.functional.dropout3d", { { 1, "p" } } },
  { "torch.nn.functional.alpha_dropout", { { 1, "p" } } },
  { "torch.nn.functional.leaky_relu", { { 1, "negative_slope" } } },
  { "torch.nn.functional.elu", { { 1, "alpha" } } },
  { "torch.nn.functional.celu", { { 1, "alpha" } } },
  { "torch.nn.functional.hardtanh", { { 1, "min_val" }, { 2, "max_val" } } },
  { "torch.nn.functional.threshold", { { 1, "threshold" }, { 2, "value" } } },
  { "torch.nn.functional.rrelu", { { 1, "lower" }, { 2, "upper" } } },
  { "torch.nn.functional.gumbel_softmax", { { 1, "tau" }, { 3, "eps" } } },
  { "torch.nn.functional.local_response_norm", { { 2, "alpha" }, { 3, "beta" }, { 4, "k" } } },
  { "torch.nn.functional.cosine_similarity", { { 3, "eps" } } },
  { "torch.nn.functional.pairwise_distance", { { 2, "p" }, { 3, "eps" } } },
  { "torch.nn.functional.layer_norm", { { 4, "eps" } } },
  { "torch.nn.functional.group_norm", { { 4, "eps" } } },
  { "torch.nn.functional.pad", { { 3, "value" } } },
  { "torch.nn.functional.smooth_l1_loss", { { 5, "beta" } } },
  { "torch.nn.functional.interpolate", { { 2, "scale_factor" } } },
  { "torch.cdist", { { 2, "p" } } },
};

/// `[2, 2]`
static bool is_list_of_ints(const Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  node = py_tree_strip(tree, node);
  bool is_list = py_kind(tree, node) == PYK_LIST || py_kind(tree, node) == PYK_TUPLE;
  PyRef first = is_list ? py_tree_first_element(tree, node) : 0;
  return first && py_kind(tree, first) == PYK_INTEGER;
}

static void check_float_arguments(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  for (size_t i = 0; i < COUNT(float_rows); i++) {
    if (!str_equal(call->qualified, str_from(float_rows[i].function)))
      continue;
    for (size_t k = 0; k < COUNT(float_rows[i].floats) && float_rows[i].floats[k].name; k++) {
      const PyArgument *given =
          py_model_argument(model, call, float_rows[i].floats[k].position, float_rows[i].floats[k].name);
      if (given && (jit_script_type(forward, given->value, PY_EXPRESSION_DEPTH) == JIT_INT ||
                    is_list_of_ints(forward, given->value))) {
        jit_script_say(forward, given->value, "this takes a float, and an int is none: write 2.0 for 2");
        return;
      }
    }
    return;
  }
}

// --- Own functions ---

/// Whether `@staticmethod` is all that stands above it: others may take it out of what is compiled.
static bool is_plain(const PyModel *model, const PyFunction *function)
{
  PyRef around = model->tree.nodes[function->node].parent;
  return !function->has_unknown_decorator &&
         (py_kind(&model->tree, around) != PYK_DECORATED_DEFINITION || function->is_static);
}

/// `self.cut(x, 4)` of `def cut(self, x, size)`.
static void check_own_arguments(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  uint32_t skip, index = forward_called(forward, call, &skip);
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  if (!function || call->has_splat || call->has_dictionary_splat || !is_plain(model, function) ||
      export_is_scripted(model, index, forward->sink->arena) || py_model_mentions(model, "# type:"))
    return;
  for (uint32_t i = skip; i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    const PyArgument *given = py_model_argument_of(model, call, i - skip, param->name);
    JitType type = given && !param->annotation && param->kind == PY_PARAM_PLAIN && !param->default_value
                       ? jit_script_type(forward, given->value, PY_EXPRESSION_DEPTH)
                       : JIT_UNKNOWN;
    if (type == JIT_UNKNOWN)
      continue;
    jit_script_say(forward, given->value,
                   arena_printf(forward->sink->arena,
                                "'%.*s' of %.*s() has no annotation, so it is a tensor, and this is %s: say its type",
                                STR_ARG(param->name), STR_ARG(function->name), word_of(type))
                       .data);
    return;
  }
}

// --- Attributes ---

/// The type of `self.x *= value`.
static JitType type_of_changed(Forward *forward, JitType own, PyRef assignment)
{
  const PyTree *tree = &forward->model->tree;
  PyRef right = py_child(tree, assignment, PY_F_RIGHT);
  Str sign = str_slice(tree->text, tree->nodes[assignment].start, tree->nodes[right].start);
  JitType by = jit_script_type(forward, right, PY_EXPRESSION_DEPTH);
  if (own != JIT_INT || (by != JIT_INT && by != JIT_FLOAT))
    return JIT_UNKNOWN;
  return by == JIT_FLOAT || str_contains(sign, STR(" /=")) ? JIT_FLOAT : JIT_INT;
}

/// `self.scale = 1` in the constructor and `self.scale *= 0.9` in what is compiled.
static void check_own_assigned(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT);
  JitType own = left && right ? type_of_own(forward, py_tree_own_name(tree, left)) : JIT_UNKNOWN;
  if (own != JIT_INT && own != JIT_FLOAT && own != JIT_BOOL)
    return;
  bool is_changed = py_kind(tree, node) == PYK_AUGMENTED_ASSIGNMENT;
  bool is_of_tensor = !is_changed && is_tensor(forward, right);
  JitType given =
      is_changed ? type_of_changed(forward, own, node) : jit_script_type(forward, right, PY_EXPRESSION_DEPTH);
  bool is_other = given == JIT_INT || given == JIT_FLOAT || given == JIT_BOOL || given == JIT_STRING;
  if (is_of_tensor || (is_other && given != own))
    jit_script_say(forward, node,
                   arena_printf(forward->sink->arena, "__init__() makes this attribute %s, and %s is none",
                                word_of(own), is_of_tensor ? "a tensor" : word_of(given))
                       .data);
}

// --- Other Python ---

/// `first, *rest = x.shape`: how many there are is not known.
static void check_starred(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT);
  if (!left || !right || py_kind(tree, left) != PYK_PATTERN_LIST)
    return;
  if (py_kind(tree, right) == PYK_IDENTIFIER && is_tensor(forward, right)) {
    jit_script_say(forward, right, "this is a tensor, and no tuple: say its type, or take the parts one by one");
    return;
  }
  if (!is_shape(forward, py_tree_strip(tree, right)))
    return;
  for (PY_EACH_CHILD(tree, target, left)) {
    if (py_kind(tree, target) == PYK_LIST_SPLAT_PATTERN)
      jit_script_say(forward, target, "how many sizes are left is not known; take them by number");
  }
}

/// Whether what is compiled may be decided before: the branch is part of what is around it then.
static bool may_be_static(const PyTree *tree, PyRef statement)
{
  static const char *const words[] = { "None", "isinstance", "hasattr", "is_scripting", "is_tracing", "self." };
  PyRef asked = py_kind(tree, statement) == PYK_IF_STATEMENT ? py_first_child(tree, statement) : 0;
  return asked && str_contains_one_of(py_text(tree, asked), words, COUNT(words));
}

/// Whether a loop or a branch is around the assignment, and not around the other one before it.
static bool is_deeper(const Forward *forward, PyRef assignment, PyRef before)
{
  const PyTree *tree = &forward->model->tree;
  bool is_it = false;
  for (PyRef at = tree->nodes[assignment].parent; at && !(at <= before && before < tree->nodes[at].next);
       at = tree->nodes[at].parent) {
    PyNodeKind kind = py_kind(tree, at);
    // A loop over modules is written out.
    bool is_unrolled =
        kind == PYK_FOR_STATEMENT && str_contains(py_text(tree, py_child(tree, at, PY_F_RIGHT)), STR("self."));
    if (is_unrolled || kind == PYK_ELSE_CLAUSE || kind == PYK_ELIF_CLAUSE || may_be_static(tree, at))
      return false;
    is_it |= kind == PYK_FOR_STATEMENT || kind == PYK_WHILE_STATEMENT || kind == PYK_IF_STATEMENT;
  }
  return is_it;
}

/// `total = None` and in a loop `total = x`: a block gives a name no other type.
static void check_none(const Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT);
  if (!left || !right || py_kind(tree, left) != PYK_IDENTIFIER || py_kind(tree, right) == PYK_NONE)
    return;
  uint32_t at = py_model_lookup(model, forward->function, py_text(tree, left));
  const PyBinding *first = at == PY_ABSENT ? NULL : &model->bindings.items[at];
  const PyBinding *second = first && first->next != PY_ABSENT ? &model->bindings.items[first->next] : NULL;
  bool is_none = second && first->scope == forward->function && first->kind == PY_BIND_ASSIGN && first->value &&
                 py_kind(tree, first->value) == PYK_NONE &&
                 !py_child(tree, tree->nodes[first->value].parent, PY_F_TYPE);
  if (is_none && second->node == left && is_deeper(forward, node, first->node))
    jit_script_say(forward, node,
                   arena_printf(forward->sink->arena,
                                "'%.*s' is None before, and a block can't give it another type: say "
                                "`%.*s: Optional[torch.Tensor] = None`",
                                STR_ARG(first->name), STR_ARG(first->name))
                       .data);
}

/// `f"{x:.2f}"` and `f"{x!r}"`
void jit_script_check_format(const Forward *forward, PyRef string)
{
  Str text = py_text(&forward->model->tree, string);
  size_t quote = 0;
  bool is_format = false;
  for (; quote < text.len && text.data[quote] != '"' && text.data[quote] != '\''; quote++)
    is_format |= (text.data[quote] | 0x20) == 'f';
  int brackets = 0, braces = 0;
  for (size_t i = quote; is_format && i < text.len; i++) {
    char c = text.data[i], next = str_at(text, i + 1);
    if (braces == 0 && c == '{' && next == '{')
      i++;
    else if (c == '{')
      braces++;
    else if (c == '}')
      braces -= braces > 0;
    else if (braces == 1 && (c == '(' || c == '['))
      brackets++;
    else if (braces == 1 && (c == ')' || c == ']'))
      brackets -= brackets > 0;
    else if (braces == 1 && brackets == 0 && (c == ':' || (c == '!' && next != '='))) {
      jit_script_say(forward, string, "its f-strings have no format such as `:.2f` or `!r`");
      return;
    }
  }
}

/// `x.type(torch.FloatTensor)`
static void check_tensor_class(Forward *forward, PyRef attribute)
{
  static const char *const names[] = { "torch.FloatTensor", "torch.DoubleTensor", "torch.HalfTensor",
                                       "torch.LongTensor",  "torch.IntTensor",    "torch.ShortTensor",
                                       "torch.ByteTensor",  "torch.CharTensor",   "torch.BoolTensor" };
  const PyTree *tree = &forward->model->tree;
  Str text = py_text(tree, attribute);
  PyNodeKind around = py_kind(tree, tree->nodes[attribute].parent);
  if (around == PYK_ARGUMENT_LIST && str_is_one_of(text, names, COUNT(names)))
    jit_script_say(forward, attribute, "this class is no value there: write a dtype, or torch.tensor()");
}

/// A list that is written out, and one of modules.
static bool is_list(const Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  PyRef class_node = model->functions.items[forward->function].class_node;
  Str own = forward_own_name(forward, node);
  const PyCall *made = own.len > 0 ? py_model_call(model, module_parts_value(forward->parts, class_node, own)) : NULL;
  return py_kind(&model->tree, node) == PYK_LIST || (made && str_equal(made->qualified, STR("torch.nn.ModuleList")));
}

/// `[head(x) for head in self.heads]`, `[a, b]` of tensors.
static bool holds_tensors(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyNodeKind kind = py_kind(tree, node);
  bool is_turns = kind == PYK_LIST_COMPREHENSION || kind == PYK_GENERATOR_EXPRESSION;
  PyRef item = is_turns ? py_first_child(tree, node) : kind == PYK_LIST ? py_tree_first_element(tree, node) : 0;
  PyRef clause = is_turns && item ? py_next_sibling(tree, item) : 0;
  const PyCall *call = is_turns ? py_model_call(forward->model, item) : NULL;
  bool is_of_modules = call && clause && py_kind(tree, clause) == PYK_FOR_IN_CLAUSE &&
                       is_list(forward, py_child(tree, clause, PY_F_RIGHT)) &&
                       str_equal(py_text(tree, call->function_node), py_text(tree, py_child(tree, clause, PY_F_LEFT)));
  return item && (is_of_modules || is_tensor(forward, item));
}

static void check_call(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyArgument *first = call->argument_count > 0 ? py_model_arguments(model, call) : NULL;
  const PyCall *inner = first ? py_model_call(model, first->value) : NULL;
  check_float_arguments(forward, call);
  check_own_arguments(forward, call);
  if (str_equal(call->qualified, STR("reversed")) && inner && str_equal(inner->qualified, STR("range")))
    jit_script_say(forward, call->node, "it can't turn a range() round; write range(n - 1, -1, -1)");
  else if (str_equal(call->qualified, STR("reversed")) && first && is_list(forward, first->value))
    jit_script_say(forward, call->node, "reversed() is that of a tensor there; go through it by number, or slice it");
  else if (str_equal(py_text(&model->tree, call->function_node), STR("sum")) && first &&
           holds_tensors(forward, first->value))
    jit_script_say(forward, call->node, "sum() adds numbers, and no tensors of a list; add them in a loop");
}

void jit_script_check_types(Forward *forward, PyRef node)
{
  const PyCall *call = py_model_call(forward->model, node);
  switch (py_kind(&forward->model->tree, node)) {
  case PYK_CALL:
    if (call)
      check_call(forward, call);
    break;
  case PYK_ASSIGNMENT:
    check_starred(forward, node);
    check_none(forward, node);
    check_own_assigned(forward, node);
    break;
  case PYK_AUGMENTED_ASSIGNMENT:
    check_own_assigned(forward, node);
    break;
  case PYK_ATTRIBUTE:
    check_tensor_class(forward, node);
    break;
  default:
    break;
  }
}
