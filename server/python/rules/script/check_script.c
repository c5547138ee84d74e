// @script functions: Python that onnxscript has no translation for, so that the decorator raises. Read off
// onnxscript/_internal/converter.py of 0.7: which statements it knows, and which expressions may be values.

#include "base/limits.h"
#include "python/rules/script/script_calls.h"

void script_say(const ScriptCheck *check, PyRef node, const char *what)
{
  py_say(check->sink, RULE_SCRIPT_PYTHON, OWN, node,
         arena_printf(check->sink->arena, "onnxscript can't translate this: %s.", what), NULL);
}

static PyRef parent_of(const ScriptCheck *check, PyRef node)
{
  return check->tree->nodes[node].parent;
}

static void mark(ScriptCheck *check, PyRef node)
{
  if (node > check->body)
    check->is_value[node - check->body] = true;
}

static bool is_list_of_targets(PyNodeKind kind)
{
  return kind == PYK_PATTERN_LIST || kind == PYK_TUPLE_PATTERN || kind == PYK_TUPLE;
}

static bool is_list_of_values(PyNodeKind kind)
{
  return kind == PYK_EXPRESSION_LIST || kind == PYK_TUPLE;
}

/// `a, b` on the right side of an assignment or after `return`: each of them.
static void mark_each(ScriptCheck *check, PyRef node)
{
  if (!is_list_of_values(script_kind(check, node))) {
    mark(check, node);
    return;
  }
  for (PY_EACH_CHILD(check->tree, item, node))
    mark(check, item);
}

const PyBinding *script_binding(const ScriptCheck *check, PyRef name)
{
  return py_model_binding_of(check->model, check->function, name);
}

bool script_is_local(const ScriptCheck *check, const PyBinding *binding)
{
  return binding && binding->scope == check->function;
}

// --- Statements ---

static const struct {
  PyNodeKind kind;
  const char *what;
} unknown_statements[] = {
  { PYK_AUGMENTED_ASSIGNMENT, "write x = x + y for x += y" },
  { PYK_PASS_STATEMENT, "there is no pass" },
  { PYK_CONTINUE_STATEMENT, "a loop has no continue" },
  { PYK_DELETE_STATEMENT, "a value can't be deleted" },
  { PYK_ASSERT_STATEMENT, "a graph can't assert anything" },
  { PYK_RAISE_STATEMENT, "a graph can't raise anything" },
  { PYK_GLOBAL_STATEMENT, "only names of the function can be assigned to" },
  { PYK_NONLOCAL_STATEMENT, "only names of the function can be assigned to" },
  { PYK_IMPORT_STATEMENT, "import before the function" },
  { PYK_IMPORT_FROM_STATEMENT, "import before the function" },
  { PYK_TRY_STATEMENT, "a graph has no exceptions" },
  { PYK_WITH_STATEMENT, "a graph has no contexts" },
  { PYK_MATCH_STATEMENT, "write if and else for match" },
  { PYK_CLASS_DEFINITION, "a graph has no classes" },
};

/// How many names an assignment gives values to; 0 if that is not plain.
static uint32_t target_count(const ScriptCheck *check, PyRef left)
{
  PyNodeKind kind = script_kind(check, left);
  uint32_t count = kind == PYK_IDENTIFIER ? 1 : 0;
  bool is_pattern = kind == PYK_PATTERN_LIST || kind == PYK_TUPLE_PATTERN;
  for (PyRef name = is_pattern ? py_first_child(check->tree, left) : 0; name;
       name = py_next_sibling(check->tree, name)) {
    if (script_kind(check, name) != PYK_IDENTIFIER)
      return 0;
    count++;
  }
  return count;
}

/// `y = op.TopK(x, k)`, `y, z = op.Softmax(x)`: the node gets as many outputs as there are names.
static void check_targets(const ScriptCheck *check, PyRef left, PyRef right)
{
  uint32_t count = target_count(check, left);
  const PyOp *op = count > 0 ? py_model_op_at(check->model, right) : NULL;
  const OnnxOperator *onnx =
      op && op->name_known ? symbolics_onnx_operator(sink_python(check->sink)->db, op->domain, op->name) : NULL;
  const OnnxSchema *schema = onnx && op->opset > 0 ? onnx_operator_at(onnx, op->opset) : NULL;
  bool is_wrong =
      schema && (count < schema->min_output || (schema->max_output != ONNX_NO_LIMIT && count > schema->max_output));
  if (!is_wrong || !sink_wants(check->sink, RULE_OUTPUT_COUNT, SEVERITY_ERROR))
    return;
  uint32_t given = count < schema->min_output ? schema->min_output : schema->max_output;
  py_say(check->sink, RULE_OUTPUT_COUNT, SEVERITY_ERROR, op->name_node,
         arena_printf(check->sink->arena, "'%.*s' gives %u value%s, and here %u %s taken.", STR_ARG(op->name), given,
                      given == 1 ? "" : "s", count, count == 1 ? "is" : "are"),
         NULL);
}

static void check_assignment(ScriptCheck *check, PyRef node)
{
  PyRef left = py_child(check->tree, node, PY_F_LEFT);
  PyRef right = py_child(check->tree, node, PY_F_RIGHT);
  PyNodeKind target = script_kind(check, left);
  if (!right)
    return;
  if (script_kind(check, right) == PYK_ASSIGNMENT)
    script_say(check, node, "one assignment has one target");
  else if (target == PYK_SUBSCRIPT)
    script_say(check, left, "a tensor can't be changed in place; op.ScatterElements and its like make a new one");
  else if (target == PYK_ATTRIBUTE)
    script_say(check, left, "a value has no attributes");
  else if (is_list_of_targets(target) && script_kind(check, right) != PYK_CALL &&
           !is_list_of_values(script_kind(check, right)))
    script_say(check, right, "only the outputs of a call can be unpacked");
  else
    mark_each(check, right);
  check_targets(check, left, right);
}

static bool is_loop(PyNodeKind kind)
{
  return kind == PYK_FOR_STATEMENT || kind == PYK_WHILE_STATEMENT;
}

static bool is_nested(const ScriptCheck *check, PyRef node)
{
  for (PyRef at = parent_of(check, node); at > check->body; at = parent_of(check, at)) {
    if (is_loop(script_kind(check, at)) || script_kind(check, at) == PYK_IF_STATEMENT)
      return true;
  }
  return false;
}

static void check_return(ScriptCheck *check, PyRef node)
{
  PyRef value = py_first_child(check->tree, node);
  if (is_nested(check, node))
    script_say(check, node, "return can't be inside of if or a loop; assign there and return at the end");
  else if (!value)
    script_say(check, node, "return has to give a value");
  else
    mark_each(check, value);
}

/// `for i in range(n):`
static void check_for(ScriptCheck *check, PyRef node)
{
  const PyTree *tree = check->tree;
  PyRef target = py_child(tree, node, PY_F_LEFT);
  PyRef range = py_child(tree, node, PY_F_RIGHT);
  PyRef callee = script_kind(check, range) == PYK_CALL ? py_child(tree, range, PY_F_FUNCTION) : 0;
  PyRef list = callee ? py_child(tree, range, PY_F_ARGUMENTS) : 0;
  PyRef bound = list ? py_first_child(tree, list) : 0;
  bool is_one = bound && !py_next_sibling(tree, bound) && script_kind(check, bound) != PYK_KEYWORD_ARGUMENT;
  if (script_kind(check, target) != PYK_IDENTIFIER)
    script_say(check, target, "a loop has one variable");
  else if (!callee || !str_equal(py_text(tree, callee), STR("range")) || !is_one)
    script_say(check, range, "a loop goes over range(n), with one argument");
  else
    mark(check, bound);
}

static void check_while(const ScriptCheck *check, PyRef node)
{
  PyRef condition = py_child(check->tree, node, PY_F_CONDITION);
  if (script_kind(check, condition) != PYK_IDENTIFIER)
    script_say(check, condition, "the condition of while is a name that the loop assigns");
}

/// Only `if condition: break` at the end of a loop.
static void check_break(const ScriptCheck *check, PyRef node)
{
  const PyTree *tree = check->tree;
  PyRef block = parent_of(check, node);
  PyRef branch = parent_of(check, block);
  PyRef loop = parent_of(check, parent_of(check, branch));
  bool is_alone =
      script_kind(check, block) == PYK_BLOCK && py_first_child(tree, block) == node && !py_next_sibling(tree, node);
  bool is_last = script_kind(check, branch) == PYK_IF_STATEMENT && !py_next_sibling(tree, branch) &&
                 is_loop(script_kind(check, loop)) &&
                 script_kind(check, py_child(tree, branch, PY_F_CONDITION)) == PYK_IDENTIFIER;
  if (!is_alone || !is_last)
    script_say(check, node, "break can only be in `if condition: break`, which ends the loop's body, and with a name");
}

static bool is_print(const ScriptCheck *check, PyRef node)
{
  PyRef callee = script_kind(check, node) == PYK_CALL ? py_child(check->tree, node, PY_F_FUNCTION) : 0;
  return callee && str_equal(py_text(check->tree, callee), STR("print"));
}

static void check_expression_statement(ScriptCheck *check, PyRef node)
{
  PyRef value = py_first_child(check->tree, node);
  PyNodeKind kind = script_kind(check, value);
  bool is_known = kind == PYK_ASSIGNMENT || kind == PYK_AUGMENTED_ASSIGNMENT || kind == PYK_STRING ||
                  kind == PYK_CONCATENATED_STRING || kind == PYK_OTHER || is_print(check, value);
  if (!is_known)
    script_say(check, value, "a value that no name gets");
}

// --- Expressions ---

static const struct {
  PyNodeKind kind;
  const char *what;
} unknown_values[] = {
  { PYK_LAMBDA, "a lambda is no value" },
  { PYK_LIST_COMPREHENSION, "a comprehension is no value" },
  { PYK_SET_COMPREHENSION, "a comprehension is no value" },
  { PYK_DICTIONARY_COMPREHENSION, "a comprehension is no value" },
  { PYK_GENERATOR_EXPRESSION, "a generator is no value" },
  { PYK_CONDITIONAL_EXPRESSION, "write op.Where(condition, a, b), or if and else" },
  { PYK_BOOLEAN_OPERATOR, "write op.And(a, b) and op.Or(a, b)" },
  { PYK_DICTIONARY, "a dict is no value" },
  { PYK_SET, "a set is no value" },
  { PYK_TUPLE, "a tuple is no value; a constant is a list" },
  { PYK_NAMED_EXPRESSION, "assign in a statement of its own" },
  { PYK_AWAIT, "a graph awaits nothing" },
  { PYK_YIELD, "a graph yields nothing" },
  { PYK_ATTRIBUTE, "a value has no attributes; op.Shape(x), for instance, gives the shape" },
  { PYK_LIST_SPLAT, "the inputs have to be written out" },
};

static void check_sign(const ScriptCheck *check, PyRef node)
{
  static const char *const signs[] = { "//", "<<", ">>", "^", "~", "is", "is not", "in", "not in" };
  uint32_t count = 0;
  for (PY_EACH_CHILD(check->tree, child, node)) {
    if (script_kind(check, child) != PYK_OPERATOR)
      continue;
    Str sign = py_text(check->tree, child);
    if (str_is_one_of(sign, signs, COUNT(signs))) {
      script_say(check, node, arena_printf(check->sink->arena, "there is no operator for `%.*s`", STR_ARG(sign)).data);
      return;
    }
    count++;
  }
  if (count > 1 && script_kind(check, node) == PYK_COMPARISON_OPERATOR)
    script_say(check, node, "one comparison has two sides");
}

static void mark_operands(ScriptCheck *check, PyRef node)
{
  for (PY_EACH_CHILD(check->tree, child, node)) {
    if (script_kind(check, child) != PYK_OPERATOR)
      mark(check, child);
  }
}

/// A function of this file that onnxscript doesn't read: without any decorator.
static bool is_plain_function(const ScriptCheck *check, PyRef callee)
{
  const PyBinding *binding = script_binding(check, callee);
  if (!py_binding_is_only(binding, PY_BIND_FUNCTION))
    return false;
  const PyFunction *function = &check->model->functions.items[binding->index];
  return function->outer == function->node;
}

/// `n = len(x)` of which nothing more is said: the node goes away before anybody looks at it.
static bool is_dropped(const ScriptCheck *check, PyRef call)
{
  const PyTree *tree = check->tree;
  PyRef assignment = parent_of(check, call);
  PyRef target = script_kind(check, assignment) == PYK_ASSIGNMENT ? py_child(tree, assignment, PY_F_LEFT) : 0;
  if (!target || script_kind(check, target) != PYK_IDENTIFIER)
    return false;
  if (tree->nodes[check->body].next - check->body > PY_HEAD_FIX_NODES)
    return true;
  for (PY_EACH_NODE(tree, node, check->body)) {
    if (node != target && script_kind(check, node) == PYK_IDENTIFIER &&
        str_equal(py_text(tree, node), py_text(tree, target)))
      return false;
  }
  return true;
}

/// `len(x)`: onnxscript makes an operator of that name, which ONNX does not have. Run with onnxscript 0.7.
static bool is_builtin(const ScriptCheck *check, PyRef call, PyRef callee)
{
  static const char *const names[] = { "abs",        "all", "any",  "bool",  "enumerate", "float", "int",
                                       "isinstance", "len", "list", "max",   "min",       "pow",   "round",
                                       "sorted",     "str", "sum",  "tuple", "zip" };
  return !script_binding(check, callee) && str_is_one_of(py_text(check->tree, callee), names, COUNT(names)) &&
         !is_dropped(check, call);
}

/// What is called has to be an operator of an opset, `op.Exp`, or a @script function; NULL if it is.
static const char *callee_fault(const ScriptCheck *check, PyRef node, PyRef callee)
{
  static const char *const modules[] = { "torch.", "numpy.", "math." };
  if (script_kind(check, callee) == PYK_IDENTIFIER && is_builtin(check, node, callee))
    return "a function of Python is no operator; operators are called as op.Name(...)";
  if (script_kind(check, callee) == PYK_IDENTIFIER)
    return is_plain_function(check, callee) ? "only operators and other @script functions can be called" : NULL;
  PyRef object = callee ? py_tree_object(check->tree, callee) : 0;
  if (!object)
    return script_kind(check, callee) == PYK_CALL || script_kind(check, callee) == PYK_SUBSCRIPT
               ? "what is called has to be written out; operators are called as op.Name(...)"
               : NULL;
  if (script_kind(check, object) == PYK_ATTRIBUTE)
    return "the opset has to be one name: from onnxscript import opset18 as op, for instance";
  if (script_kind(check, object) != PYK_IDENTIFIER || script_is_local(check, script_binding(check, object)))
    return "a value has no methods; operators are called as op.Name(...)";
  const PyCall *call = py_model_call(check->model, node);
  for (size_t i = 0; i < COUNT(modules) && call; i++) {
    if (str_starts_with(call->qualified, str_from(modules[i])))
      return "a function of Python is no operator; operators are called as op.Name(...)";
  }
  return NULL;
}

/// `op.Concat([a, b], axis=0)`: only a list of numbers that are written out is a constant, not one with names.
static bool lists_values(const ScriptCheck *check, PyRef argument)
{
  for (PyRef item = script_kind(check, argument) == PYK_LIST ? py_tree_first_element(check->tree, argument) : 0; item;
       item = py_tree_next_element(check->tree, item)) {
    if (script_kind(check, item) == PYK_IDENTIFIER)
      return true;
  }
  return false;
}

static void check_call(ScriptCheck *check, PyRef node)
{
  const PyTree *tree = check->tree;
  PyRef callee = py_child(tree, node, PY_F_FUNCTION);
  const char *fault = callee_fault(check, node, callee);
  if (fault) {
    script_say(check, callee, fault);
    return;
  }
  script_check_inner_call(check, callee, node);
  PyRef list = py_child(tree, node, PY_F_ARGUMENTS);
  if (script_kind(check, list) != PYK_ARGUMENT_LIST)
    return;
  script_check_attributes(check, node);
  for (PY_EACH_CHILD(tree, argument, list)) {
    // A dictionary or a tuple may be the value of an attribute that is given by position.
    PyNodeKind kind = script_kind(check, argument);
    if (lists_values(check, argument)) {
      script_say(check, argument, "a list with names in it is no constant; an operator takes values one by one");
      return;
    }
    if (kind != PYK_KEYWORD_ARGUMENT && kind != PYK_TUPLE && kind != PYK_DICTIONARY_SPLAT)
      mark(check, argument);
  }
}

/// True if nothing below it has to be looked at.
static bool check_value(ScriptCheck *check, PyRef node)
{
  PyNodeKind kind = script_kind(check, node);
  bool is_text = kind == PYK_STRING && str_find_char(str_slice(py_text(check->tree, node), 0, 2), 'f', 0) < 2;
  if (is_text)
    script_say(check, node, "a text with values in it is no constant");
  for (size_t i = 0; i < COUNT(unknown_values); i++) {
    if (kind != unknown_values[i].kind)
      continue;
    script_say(check, node, unknown_values[i].what);
    return true;
  }
  bool is_operator = kind == PYK_BINARY_OPERATOR || kind == PYK_COMPARISON_OPERATOR || kind == PYK_SUBSCRIPT;
  PyRef operand = kind == PYK_UNARY_OPERATOR ? py_child(check->tree, node, PY_F_ARGUMENT) : 0;
  is_operator |= script_kind(check, operand) == PYK_IDENTIFIER;
  check->needs_opset = is_operator && !check->needs_opset ? node : check->needs_opset;
  if (kind == PYK_CALL)
    check_call(check, node);
  else if (kind == PYK_SUBSCRIPT)
    mark(check, py_child(check->tree, node, PY_F_VALUE));
  else if (kind == PYK_PARENTHESIZED_EXPRESSION || kind == PYK_NOT_OPERATOR)
    mark_operands(check, node);
  else if (kind == PYK_BINARY_OPERATOR || kind == PYK_UNARY_OPERATOR || kind == PYK_COMPARISON_OPERATOR) {
    check_sign(check, node);
    mark_operands(check, node);
  }
  return false;
}

// --- The function ---

bool script_is_decided_outside(const ScriptCheck *check, PyRef node)
{
  PyRef condition = py_child(check->tree, node, PY_F_CONDITION);
  return script_kind(check, condition) == PYK_IDENTIFIER && !script_is_local(check, script_binding(check, condition));
}

/// True if nothing below it has to be looked at. Of branches that are decided outside onnxscript wants only that it
/// knows the statements.
static bool check_statement(ScriptCheck *check, PyRef node)
{
  PyNodeKind kind = script_kind(check, node);
  for (size_t i = 0; i < COUNT(unknown_statements); i++) {
    if (kind != unknown_statements[i].kind)
      continue;
    script_say(check, node, unknown_statements[i].what);
    return true;
  }
  if (node < check->decided_end)
    return kind == PYK_FUNCTION_DEFINITION;
  if (kind == PYK_EXPRESSION_STATEMENT)
    check_expression_statement(check, node);
  else if (kind == PYK_ASSIGNMENT && script_kind(check, parent_of(check, node)) == PYK_EXPRESSION_STATEMENT)
    check_assignment(check, node);
  else if (kind == PYK_RETURN_STATEMENT)
    check_return(check, node);
  else if (kind == PYK_FOR_STATEMENT)
    check_for(check, node);
  else if (kind == PYK_WHILE_STATEMENT)
    check_while(check, node);
  else if (kind == PYK_BREAK_STATEMENT)
    check_break(check, node);
  else if (kind == PYK_IF_STATEMENT && !script_is_decided_outside(check, node))
    mark(check, py_child(check->tree, node, PY_F_CONDITION));
  else if (kind == PYK_IF_STATEMENT)
    check->decided_end = check->tree->nodes[node].next;
  return kind == PYK_FUNCTION_DEFINITION || kind == PYK_DECORATED_DEFINITION;
}

/// `@script()` without an argument.
static bool names_no_default(const ScriptCheck *check, PyRef outer)
{
  const PyModel *model = check->model;
  PyRef decorator = py_first_child(check->tree, outer);
  const PyCall *made = script_kind(check, decorator) == PYK_DECORATOR
                           ? py_model_call(model, py_first_child(check->tree, decorator))
                           : NULL;
  return made && made->argument_count <= 1 && !made->has_splat && !made->has_dictionary_splat &&
         !py_model_argument(model, made, PY_ABSENT, "default_opset");
}

/// `custom` of `custom = onnxscript.values.Opset("my.domain", 1)`
static bool is_own_opset(const ScriptCheck *check, PyRef object)
{
  const PyModel *model = check->model;
  const PyCall *made = object ? py_model_call(model, py_model_resolve(model, object)) : NULL;
  const PyArgument *domain = made ? py_model_argument(model, made, 0, "domain") : NULL;
  Str text;
  return domain && str_ends_with(made->qualified, STR("values.Opset")) &&
         py_model_string(model, domain->value, check->sink->arena, &text) && text.len > 0;
}

/// `X + Y` is an operator of the opset of the other calls, of which there are none.
static void check_opset(const ScriptCheck *check, const PyFunction *function)
{
  for (PY_EACH_NODE(check->tree, node, check->body)) {
    PyRef callee = script_kind(check, node) == PYK_CALL ? py_child(check->tree, node, PY_F_FUNCTION) : 0;
    if (callee && script_kind(check, callee) == PYK_ATTRIBUTE &&
        !is_own_opset(check, py_tree_object(check->tree, callee)))
      return;
  }
  if (check->needs_opset && names_no_default(check, function->outer))
    script_say(check, check->needs_opset,
               "nothing in the function says of which opset the operator is; name it in @script(default_opset=op)");
}

/// `@script` without brackets takes the function for the opset, and raises a TypeError.
static void check_brackets(const ScriptCheck *check, const PyFunction *function)
{
  for (PY_EACH_DECORATOR(check->model, expression, function->outer)) {
    if (script_kind(check, expression) == PYK_CALL ||
        !str_ends_with(py_model_qualified(check->model, expression, check->sink->arena), STR("onnxscript.script")) ||
        !sink_wants(check->sink, RULE_SCRIPT_PYTHON, OWN))
      continue;
    Str text = arena_printf(check->sink->arena, "%.*s()", STR_ARG(py_text(check->tree, expression)));
    py_say(check->sink, RULE_SCRIPT_PYTHON, OWN, expression,
           arena_printf(check->sink->arena,
                        "@script takes the function for an opset, and raises an error: write @%.*s.", STR_ARG(text)),
           py_edit_replace(check->sink, true, expression, text));
  }
}

static void check_function(DiagSink *sink, uint32_t index, struct ScriptName *names)
{
  const PyModel *model = sink_python(sink)->model;
  const PyFunction *function = &model->functions.items[index];
  ScriptCheck check = {
    .sink = sink, .model = model, .tree = &model->tree, .function = index, .body = function->body, .names = names
  };
  const PyNode *body = &model->tree.nodes[check.body];
  if (body->has_error || script_kind(&check, check.body) != PYK_BLOCK)
    return;
  check.is_value = ARENA_ARRAY(sink->arena, bool, body->next - check.body);
  memset(check.is_value, 0, body->next - check.body);
  for (PyRef node = check.body + 1; node < body->next;) {
    bool is_done = check.is_value[node - check.body] ? check_value(&check, node) : check_statement(&check, node);
    node = is_done ? model->tree.nodes[node].next : node + 1;
  }
  check_opset(&check, function);
  check_brackets(&check, function);
  script_check_names(&check);
  script_check_types(&check);
}

void check_python_script(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  struct ScriptName *names = NULL;
  for (uint32_t i = 0; i < model->functions.count; i++) {
    const PyFunction *function = &model->functions.items[i];
    // With a further decorator it may be another function that onnxscript sees.
    if (!(function->roles & PY_ROLE_ONNXSCRIPT) || function->has_unknown_decorator)
      continue;
    names = names ? names : script_names_new(model, sink->arena);
    check_function(sink, i, names);
  }
}
