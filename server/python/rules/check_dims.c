// Dim("batch", min=1, max=8) of torch.export by itself.

#include "base/ascii.h"
#include "python/rules/dimension.h"
#include "python/rules/python_edit.h"

#define OWN ((Severity)SEVERITY_DEFAULT)

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
  if (sink_wants(sink, RULE_DYNAMIC_SHAPES_DIM, OWN))
    py_say(sink, RULE_DYNAMIC_SHAPES_DIM, OWN, node, message, fix);
}

/// `Dim.FIXED`: an enumeration without such a member.
static void check_hint(DiagSink *sink, PyRef node)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef name = py_child(&model->tree, node, PY_F_ATTRIBUTE);
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

void check_python_dims(DiagSink *sink)
{
  const PyModel *model = sink_python(sink)->model;
  for (PyRef node = 1; node < model->tree.count; node++) {
    if (py_kind(&model->tree, node) == PYK_ATTRIBUTE)
      check_hint(sink, node);
  }
  for (size_t i = 0; i < model->calls.count; i++) {
    if (!str_ends_with(model->calls.items[i].qualified, STR(".Dim")))
      continue;
    PyRef node = model->calls.items[i].node;
    Dimension dimension = dimension_read(model, node, sink->arena);
    if (dimension.kind != DIM_NAMED)
      continue;
    if (dimension.has_bounds && dimension.min > dimension.max)
      say(sink, node,
          arena_printf(sink->arena, "The smallest size, %lld, is above the largest, %lld: Dim() raises.",
                       (long long)dimension.min, (long long)dimension.max),
          NULL);
    if (dimension.name_node && !is_identifier(dimension.name)) {
      Str meant = name_meant(dimension.name, sink->arena);
      say(sink, dimension.name_node,
          arena_printf(sink->arena, "'%.*s' is no Python name, and Dim() takes no other.", STR_ARG(dimension.name)),
          meant.len > 0 ? py_edit_string(sink, true, dimension.name_node, meant) : NULL);
    }
  }
}
