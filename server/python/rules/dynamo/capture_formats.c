// Texts that forward() makes of tensors and of numbers that come out of them. Run with torch 2.14: what stands for an
// unknown number has no format but the plain one, and `%` asks for its value.

#include "base/ascii.h"
#include "base/limits.h"
#include "python/rules/dynamo/capture_calls.h"
#include "python/rules/forward/forward_data.h"
#include "python/rules/forward/forward_result.h"

/// An assert makes its text only when it fails, and what is raised ends the capture by itself.
static bool is_of_failure(const PyTree *tree, PyRef node)
{
  for (int depth = 0; node != 0 && depth < PY_NESTING_LIMIT; node = tree->nodes[node].parent, depth++) {
    if (py_kind(tree, node) == PYK_ASSERT_STATEMENT || py_kind(tree, node) == PYK_RAISE_STATEMENT)
      return true;
  }
  return false;
}

static void say(Forward *forward, PyRef node, const char *way)
{
  if (sink_wants(forward->sink, RULE_DATA_DEPENDENT, OWN) && forward_runs_always(forward, node) &&
      !is_of_failure(&forward->model->tree, node))
    py_say(forward->sink, RULE_DATA_DEPENDENT, OWN, node,
           arena_printf(forward->sink->arena, "This text needs the value of a tensor, and torch.export knows none: %s.",
                        way),
           NULL);
}

static const char leave_out[] = "leave the format out, or the text";

/// `{x:.3f}`, `{x.mean():.2f}`, `{x.mean().item():.2f}`
static bool formats_data(Forward *forward, const PyFormatField *field)
{
  static const char *const numbers[] = { "item", "mean", "sum", "norm", "std", "var", "abs", "sqrt" };
  const PyModel *model = forward->model;
  const PyBinding *binding = py_model_binding_named(model, forward->function, field->name);
  if (!binding || binding->scope != forward->function || binding->next != PY_ABSENT)
    return false;
  bool is_tensor = (binding->kind == PY_BIND_PARAM && forward_gets_tensor(forward, binding->index)) ||
                   (binding->kind == PY_BIND_ASSIGN && forward_is_tensor(forward, binding->value, PY_EXPRESSION_DEPTH));
  if (field->member.len > 0)
    return is_tensor && field->member_format.len > 0 && str_is_one_of(field->last_called, numbers, COUNT(numbers));
  return field->specification.len > 0 &&
         (is_tensor || (binding->kind == PY_BIND_ASSIGN && forward_is_data_dependent(forward, binding->value)));
}

static void check_literal(Forward *forward, PyRef node)
{
  PyFormatField field;
  size_t at = 0;
  for (int i = 0; i < PY_EXAMPLE_LIMIT && py_format_field_next(py_text(&forward->model->tree, node), &at, &field);
       i++) {
    if (formats_data(forward, &field)) {
      say(forward, node, leave_out);
      return;
    }
  }
}

/// The conversion of the `index`-th value in "%d of %.2f"; '\0' if there is none, or something that is not looked
/// through.
static char conversion_at(Str text, uint32_t index)
{
  for (size_t at = 0; at < text.len; at++) {
    if (text.data[at] != '%')
      continue;
    at++;
    if (at < text.len && text.data[at] == '%')
      continue;
    while (at < text.len && (ascii_is_digit(text.data[at]) || text.data[at] == '.' || text.data[at] == '-'))
      at++;
    if (at == text.len || text.data[at] == '(' || text.data[at] == '*')
      return '\0';
    if (index-- == 0)
      return text.data[at];
  }
  return '\0';
}

/// `"mean %.2f" % x.mean()`
static void check_percent(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT);
  Str text;
  if (!left || !right || py_kind(tree, left) != PYK_STRING ||
      !str_equal(py_text(tree, py_child(tree, node, PY_F_OPERATOR)), STR("%")) ||
      !py_model_string(forward->model, left, forward->sink->arena, &text))
    return;
  right = py_tree_strip(tree, right);
  bool is_tuple = py_kind(tree, right) == PYK_TUPLE;
  PyRef item = is_tuple ? py_tree_first_element(tree, right) : right;
  for (uint32_t i = 0; item && i < PY_EXAMPLE_LIMIT; i++) {
    char conversion = conversion_at(text, i);
    if (conversion && str_find_char(STR("dieEfFgGxXo"), conversion, 0) != STR_NOT_FOUND &&
        forward_is_tensor_or_data(forward, item)) {
      say(forward, item, "leave it out");
      return;
    }
    item = is_tuple ? py_tree_next_element(tree, item) : 0;
  }
}

/// Whether the `index`-th field of "a {:.2f} b {}" has a format; false if the fields are named or numbered.
static bool has_format_at(Str text, uint32_t index)
{
  for (size_t at = 0; at < text.len; at++) {
    if (text.data[at] != '{')
      continue;
    at++;
    if (at < text.len && text.data[at] == '{')
      continue;
    if (at == text.len || (text.data[at] != '}' && text.data[at] != ':'))
      return false;
    if (index-- == 0)
      return text.data[at] == ':' && at + 1 < text.len && text.data[at + 1] != '}';
  }
  return false;
}

/// `"mean {:.2f}".format(x.mean())`, format(x.mean(), ".2f")
void capture_check_format_call(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  const PyArgument *arguments = py_model_arguments(model, call);
  PyRef function = call->function_node;
  PyRef object = py_tree_object(tree, function);
  Str text;
  if (call->has_splat || !capture_is_by_running(forward))
    return;
  if (str_equal(call->qualified, STR("format")) && call->argument_count == 2 &&
      forward_is_tensor_or_data(forward, arguments[0].value))
    say(forward, call->node, leave_out);
  if (!object || py_kind(tree, object) != PYK_STRING ||
      !str_equal(py_tree_member_name(tree, function), STR("format")) ||
      !py_model_string(model, object, forward->sink->arena, &text))
    return;
  for (uint32_t i = 0; i < call->argument_count && i < PY_EXAMPLE_LIMIT && arguments[i].keyword.len == 0; i++) {
    if (has_format_at(text, i) && forward_is_tensor_or_data(forward, arguments[i].value)) {
      say(forward, arguments[i].value, leave_out);
      return;
    }
  }
}

void capture_check_format(Forward *forward, PyRef node)
{
  if (py_kind(&forward->model->tree, node) == PYK_BINARY_OPERATOR)
    check_percent(forward, node);
  else if (capture_is_by_running(forward))
    check_literal(forward, node);
}
