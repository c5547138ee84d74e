// What the value under the cursor is known to be: a constant, a list of constants, an attribute of a module.

#include "base/limits.h"
#include "graph/features/hover_private.h"

// --- Constants ---

/// `%4 : bool = prim::Constant[value=1]()` is True: TorchScript prints bools as numbers.
static Str constant_of_prim(const OperatorContext *job, const LineView *view, Str type)
{
  Str value;
  if (line_view_attribute(view, STR("value"), &value)) {
    if (str_equal(type, STR("bool")) && str_equal(value, STR("1")))
      return STR("True");
    if (str_equal(type, STR("bool")) && str_equal(value, STR("0")))
      return STR("False");
    return value;
  }
  if (line_view_attribute(view, STR("name"), &value))
    return arena_printf(job->arena, "function %.*s", STR_ARG(markup_shorten(value, HOVER_TEXT_LIMIT, job->arena)));
  return STR("None");
}

static bool constant_of_onnx(const LineView *view, Str *ret_text)
{
  static const Str names[] = {
    STR_INIT("value"),        STR_INIT("value_int"),    STR_INIT("value_ints"),    STR_INIT("value_float"),
    STR_INIT("value_floats"), STR_INIT("value_string"), STR_INIT("value_strings"),
  };
  for (size_t i = 0; i < COUNT(names); i++) {
    if (line_view_attribute(view, names[i], ret_text))
      return true;
  }
  return false;
}

/// The value itself if the definition is a constant, not a list.
static bool single_constant(const OperatorContext *job, const LineView *view, Place definition, Str *ret_text)
{
  Str op = hover_operator_of(job, definition);
  if (str_equal(op, STR("prim::Constant"))) {
    if (view->count == 0)
      return false;
    Str type = line_view_type_of(view, dump_place_range(job->snapshot, definition).start);
    *ret_text = constant_of_prim(job, view, type);
    return true;
  }
  Str domain;
  Str name;
  return hover_operator_is_onnx(job, op, definition, &domain, &name) && domain.len == 0 &&
         str_equal(name, STR("Constant")) && constant_of_onnx(view, ret_text);
}

/// One element of a list: its constant, else its name.
static Str element_text(const OperatorContext *job, const LineView *view, size_t node, bool *has_constant)
{
  Str text = line_view_text(view, node);
  NameAt name;
  Place definition;
  if (!name_at(job->snapshot, view->start + view->nodes[node].start, &name) ||
      !name_at_definition(snapshot_dump(job->snapshot), &name, &definition))
    return text;
  LineView line = hover_line_view(job, definition);
  *has_constant = single_constant(job, &line, definition, &text) || *has_constant;
  return markup_shorten(text, 40, job->arena);
}

static bool list_of_constants(const OperatorContext *job, const LineView *view, Place definition, Str *ret_text)
{
  Str op = hover_operator_of(job, definition);
  bool is_tuple = str_equal(op, STR("prim::TupleConstruct"));
  if (!is_tuple && !str_equal(op, STR("prim::ListConstruct")))
    return false;
  size_t nodes[HOVER_LIST_LIMIT];
  size_t count = line_view_arguments(view, HOVER_LIST_LIMIT, nodes);
  bool has_constant = false;
  Buffer out = { 0 };
  buffer_append_char(&out, is_tuple ? '(' : '[');
  for (size_t i = 0; i < count && i < HOVER_LIST_LIMIT; i++) {
    buffer_append(&out, i > 0 ? STR(", ") : STR(""));
    buffer_append(&out, element_text(job, view, nodes[i], &has_constant));
  }
  buffer_append(&out, count > HOVER_LIST_LIMIT ? STR(", \xe2\x80\xa6") : STR(""));
  buffer_append_char(&out, is_tuple ? ')' : ']');
  if (has_constant)
    *ret_text = arena_copy(job->arena, buffer_str(&out));
  buffer_done(&out);
  return has_constant;
}

bool hover_constant_text(const OperatorContext *job, const LineView *view, Place definition, bool *ret_is_single,
                         Str *ret_text)
{
  *ret_is_single = single_constant(job, view, definition, ret_text);
  return *ret_is_single || list_of_constants(job, view, definition, ret_text);
}

void hover_constant(OperatorContext *job, const LineView *view, Place definition)
{
  Str text;
  bool is_single;
  if (!hover_constant_text(job, view, definition, &is_single, &text))
    return;
  markup_item(&job->markup);
  markup_text(&job->markup, is_single ? "Constant " : text.data[0] == '(' ? "Tuple " : "List ");
  markup_code(&job->markup, markup_shorten(text, HOVER_TEXT_LIMIT, job->arena));
}

// --- Attributes of modules ---

/// The value that the line's only argument means.
static bool only_argument(const OperatorContext *job, Place place, NameAt *ret_name, Place *ret_definition)
{
  const DumpIndex *index = snapshot_dump(job->snapshot)->chunks[place.chunk]->index;
  uint32_t first_use = index->items[place.item].first_occurrence + index->items[place.item].def_count;
  if (index->items[place.item + 1].first_occurrence != first_use + 1)
    return false;
  place.occurrence = first_use;
  return name_at(job->snapshot, dump_place_range(job->snapshot, place).start, ret_name) &&
         name_at_definition(snapshot_dump(job->snapshot), ret_name, ret_definition);
}

/// `%conv = prim::GetAttr[name="conv"](%layer)`: the path from the outermost object.
void hover_attribute_path(OperatorContext *job, Place definition)
{
  Str path = { 0 };
  NameAt object = { 0 };
  for (int i = 0; i < ATTRIBUTE_STEP_LIMIT && str_equal(hover_operator_of(job, definition), STR("prim::GetAttr"));
       i++) {
    LineView view = hover_line_view(job, definition);
    Str name;
    if (!line_view_attribute(&view, STR("name"), &name) || name.len < 3 ||
        !only_argument(job, definition, &object, &definition))
      return;
    name = markup_shorten(str_slice(name, 1, name.len - 1), 80, job->arena);
    path = path.len == 0 ? name : arena_printf(job->arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(path));
  }
  if (path.len == 0)
    return;
  markup_item(&job->markup);
  markup_text(&job->markup, "Attribute ");
  markup_code(&job->markup, path);
  markup_text(&job->markup, " of ");
  markup_code(&job->markup, markup_shorten(object.name, 100, job->arena));
}
