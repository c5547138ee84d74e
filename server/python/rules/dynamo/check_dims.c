// Dim("batch", min=1, max=8) of torch.export by itself.

#include "base/ascii.h"
#include "python/rules/dynamo/dimension.h"
#include "python/rules/python_edit.h"

static bool is_identifier(Str name)
{
  for (size_t i = 0; i < name.len; i++) {
    char c = name.data[i];
    bool is_letter = (ascii_is_word(c) && !ascii_is_digit(c)) || (unsigned char)c >= 0x80;
    if (!is_letter && !(i > 0 && ascii_is_digit(c)))
      return false;
  }
  return name.len > 0;
}

/// `batch_size` for "batch-size"; empty if that is no name either.
static Str name_meant(Str name, Arena *arena)
{
  char *text = ARENA_ARRAY(arena, char, name.len + 1);
  for (size_t i = 0; i < name.len; i++)
    text[i] = is_identifier(str_slice(name, i, i + 1)) || ascii_is_digit(name.data[i]) ? name.data[i] : '_';
  Str meant = str_make(text, name.len);
  return is_identifier(meant) ? meant : (Str){ 0 };
}

static void say(DiagSink *sink, PyRef node, Str message, const Fix *fix)
{
  py_say(sink, RULE_DYNAMIC_SHAPES_DIM, OWN, node, message, fix);
}

/// `Dim.FIXED`: an enumeration without such a member.
static void check_hint(DiagSink *sink, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef name = py_tree_member(&model->tree, node);
  Str text = name ? py_text(&model->tree, name) : (Str){ 0 };
  bool is_meant = str_equal_ignore_case(text, STR("auto")) || str_equal_ignore_case(text, STR("dynamic")) ||
                  str_equal_ignore_case(text, STR("static"));
  if (text.len == 0 || (!ascii_is_upper(text.data[0]) && !is_meant) || dimension_is_hint(text))
    return;
  Str whole = py_model_qualified(model, node, sink->arena);
  if (str_starts_with(whole, STR("torch.export.Dim.")) ||
      str_starts_with(whole, STR("torch.export.dynamic_shapes.Dim.")))
    say(sink, name,
        arena_printf(sink->arena, "Dim has no '%.*s': there are Dim.AUTO, Dim.DYNAMIC and Dim.STATIC.", STR_ARG(text)),
        NULL);
}

/// `Dim.AUTO("batch")`: a hint takes a range at most, and before torch 2.7 it could not be called. Run with 2.6
/// and 2.14.
static void check_hint_call(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  uint32_t positional = 0;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    Str keyword = argument->keyword;
    PyNodeKind kind = py_kind(&model->tree, py_model_resolve(model, argument->value));
    positional += keyword.len == 0;
    bool is_known = keyword.len == 0 || str_equal(keyword, STR("min")) || str_equal(keyword, STR("max"));
    if (argument->is_splat || argument->is_dictionary_splat ||
        (is_known && kind != PYK_STRING && (keyword.len > 0 || positional <= 2)))
      continue;
    say(sink, argument->node,
        STR("A hint has no name, and takes a range at most: Dim.DYNAMIC(min=2, max=64). Names are for Dim(\"batch\")."),
        NULL);
    return;
  }
}

static bool is_hint(Str whole)
{
  bool is_member = str_starts_with(whole, STR("torch.export.Dim.")) ||
                   str_starts_with(whole, STR("torch.export.dynamic_shapes.Dim."));
  return is_member && dimension_is_hint(str_after_last(whole, '.'));
}

static bool is_dim(const PyModel *model, PyRef node, Arena *arena)
{
  return node && dimension_read(model, node, arena).kind == DIM_NAMED;
}

/// `Dim.AUTO + 1`
static bool check_hint_operand(DiagSink *sink, PyRef node, PyRef operand)
{
  bool is_wrong = operand && py_kind(&sink_python(sink)->model->tree, operand) == PYK_ATTRIBUTE &&
                  is_hint(py_model_qualified(sink_python(sink)->model, operand, sink->arena));
  if (is_wrong)
    say(sink, node, STR("A hint is no number to count with: only a Dim with a name is scaled and moved."), NULL);
  return is_wrong;
}

/// `h / 2`, `a + b`: a Dim is scaled by an int above 0 and moved by an int, and nothing else. Run with torch 2.6 and
/// 2.14.
static void check_arithmetic(DiagSink *sink, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT);
  PyRef right = py_child(tree, node, PY_F_RIGHT);
  if (check_hint_operand(sink, node, left) || check_hint_operand(sink, node, right))
    return;
  PyRef operator= py_child(tree, node, PY_F_OPERATOR);
  bool is_left = is_dim(model, left, sink->arena);
  bool is_right = is_dim(model, right, sink->arena);
  Str sign = operator? py_text(tree, operator) : (Str){ 0 };
  bool is_scaled = str_equal(sign, STR("*"));
  bool is_moved = str_equal(sign, STR("+")) || str_equal(sign, STR("-"));
  if ((!is_left && !is_right) || sign.len == 0 || py_tree_try_around(tree, node))
    return;
  PyRef other = py_model_resolve(model, is_left ? right : left);
  int64_t number;
  bool is_zero = is_scaled && py_model_int(model, other, &number) && number < 1;
  bool is_float = py_kind(tree, other) == PYK_FLOAT;
  bool is_taken_from = !is_left && str_equal(sign, STR("-"));
  if ((is_left && is_right) || (!is_scaled && !is_moved) || is_zero || is_float || is_taken_from)
    say(sink, node, STR("A Dim takes no such arithmetic: 2 * dim, dim + 1 and dim - 1 by ints are all there is."),
        NULL);
}

static void check_name(DiagSink *sink, PyRef node, Str name, const char *function)
{
  Str meant = name_meant(name, sink->arena);
  if (!is_identifier(name))
    say(sink, node,
        arena_printf(sink->arena, "'%.*s' is no Python name, and %s() takes no other.", STR_ARG(name), function),
        meant.len > 0 ? py_edit_string(sink, true, node, meant) : NULL);
}

/// `f"{name}-size"`: whatever is put in, the text around it is in the name.
static void check_format(DiagSink *sink, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  node = py_model_resolve(model, node);
  Str text = py_text(&model->tree, node);
  bool is_plain = py_kind(&model->tree, node) == PYK_STRING && text.len > 3 && (text.data[0] | 0x20) == 'f' &&
                  text.data[1] != text.data[2] && (text.data[1] == '"' || text.data[1] == '\'');
  for (size_t i = 2; is_plain && i + 1 < text.len; i++) {
    char c = text.data[i];
    size_t close = c == '{' ? str_find_char(text, '}', i) : i;
    if (c == '\\' || (c == '{' && text.data[i + 1] == '{') || close == STR_NOT_FOUND)
      return;
    if (c != '{' && !ascii_is_word(c) && (unsigned char)c < 0x80) {
      say(sink, node, arena_printf(sink->arena, "A name with '%c' is no Python name, and Dim() takes no other.", c),
          NULL);
      return;
    }
    i = close;
  }
}

static void check_bounds(DiagSink *sink, PyRef node, int64_t min, int64_t max, const char *function)
{
  if (min > max)
    say(sink, node,
        arena_printf(sink->arena, "The smallest size, %lld, is above the largest, %lld: %s() raises.", (long long)min,
                     (long long)max, function),
        NULL);
}

/// `h, w = dims("h", "w", min=2, max=64)`: each name makes a Dim.
static void check_several(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *least = py_model_argument(model, call, PY_ABSENT, "min");
  const PyArgument *most = py_model_argument(model, call, PY_ABSENT, "max");
  int64_t min, max;
  Str name;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    if (argument->keyword.len == 0 && py_model_string(model, argument->value, sink->arena, &name))
      check_name(sink, argument->value, name, "dims");
  }
  if (least && most && py_model_int(model, least->value, &min) && py_model_int(model, most->value, &max))
    check_bounds(sink, call->node, min, max, "dims");
}

/// `torch.randn(batch, 3)` of `batch = Dim("batch")`: what stands for sizes is none.
static void check_size(DiagSink *sink, const PyCall *call)
{
  static const char *const makers[] = { "torch.randn", "torch.rand", "torch.zeros",  "torch.ones",
                                        "torch.empty", "torch.full", "torch.randint" };
  const PyModel *model = sink_python(sink)->model;
  if (!str_is_one_of(call->qualified, makers, COUNT(makers)))
    return;
  for (PY_EACH_ARGUMENT(model, argument, call)) {
    PyRef list = py_tree_strip(&model->tree, argument->value);
    PyRef item = py_kind(&model->tree, list) == PYK_TUPLE || py_kind(&model->tree, list) == PYK_LIST
                     ? py_tree_first_element(&model->tree, list)
                     : list;
    for (; item; item = item == list ? 0 : py_tree_next_element(&model->tree, item)) {
      if (!is_dim(model, item, sink->arena))
        continue;
      say(sink, item, STR("A Dim stands for sizes and is no number: give the example a size."), NULL);
      return;
    }
  }
}

void check_python_dims(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  bool has_dims = py_model_mentions(model, "Dim(");
  if (!has_dims && !py_model_mentions(model, "Dim") && !py_model_mentions(model, "dims("))
    return;
  for (PyRef node = 1; node < model->tree.count; node++) {
    if (py_kind(&model->tree, node) == PYK_ATTRIBUTE)
      check_hint(sink, node);
    else if (py_kind(&model->tree, node) == PYK_BINARY_OPERATOR && has_dims)
      check_arithmetic(sink, node);
  }
  for (size_t i = 0; i < model->calls.count; i++) {
    if (has_dims)
      check_size(sink, &model->calls.items[i]);
    if (is_hint(model->calls.items[i].qualified))
      check_hint_call(sink, &model->calls.items[i]);
    if (str_equal(model->calls.items[i].qualified, STR("torch.export.dims")) ||
        str_equal(model->calls.items[i].qualified, STR("torch.export.dynamic_shapes.dims")))
      check_several(sink, &model->calls.items[i]);
    if (!str_ends_with(model->calls.items[i].qualified, STR(".Dim")))
      continue;
    PyRef node = model->calls.items[i].node;
    Dimension dimension = dimension_read(model, node, sink->arena);
    if (dimension.kind != DIM_NAMED)
      continue;
    if (dimension.has_bounds)
      check_bounds(sink, node, dimension.min, dimension.max, "Dim");
    const PyArgument *name = py_model_argument(model, &model->calls.items[i], 0, "name");
    if (dimension.name_node)
      check_name(sink, dimension.name_node, dimension.name, "Dim");
    else if (name)
      check_format(sink, name->value);
  }
}
