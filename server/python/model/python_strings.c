// Strings whose parts are known: literals, f-strings, `"aten::" + name`, `"aten::%s" % name`,
// `"aten::{}".format(name)`, `"::".join(["aten", name])`, `function.__name__`.

#include "base/ascii.h"
#include "base/limits.h"
#include "python/model/python_model_private.h"

// --- Literals ---

/// A line break that no backslash takes back.
static bool has_bare_newline(Str text)
{
  for (size_t at = str_find_char(text, '\n', 0); at != STR_NOT_FOUND; at = str_find_char(text, '\n', at + 1)) {
    size_t before = at > 0 && text.data[at - 1] == '\r' ? at - 1 : at;
    if (before == 0 || text.data[before - 1] != '\\')
      return true;
  }
  return false;
}

/// What stands before the quotes of a literal.
typedef struct StringPrefix {
  bool is_raw, is_format;
} StringPrefix;

/// Takes prefix and quotes off a string literal; false for bytes, and for one that nobody closed, which tree-sitter
/// ends at some later quotation mark.
static bool string_body(Str text, StringPrefix *ret_prefix, Str *ret_body)
{
  size_t i = 0;
  *ret_prefix = (StringPrefix){ 0 };
  for (; i < text.len && text.data[i] != '"' && text.data[i] != '\''; i++) {
    char c = (char)(text.data[i] | 0x20);
    if (c == 'b')
      return false;
    ret_prefix->is_raw |= c == 'r';
    ret_prefix->is_format |= c == 'f';
  }
  Str rest = str_slice(text, i, text.len);
  size_t quote = str_starts_with(rest, STR("\"\"\"")) || str_starts_with(rest, STR("'''")) ? 3 : 1;
  if (rest.len < 2 * quote)
    return false;
  *ret_body = str_slice(rest, quote, rest.len - quote);
  return quote == 3 || !has_bare_newline(*ret_body);
}

/// Names have no escapes, so the simple ones are enough.
static Str without_escapes(Str body, Arena *arena)
{
  char *out = arena_alloc(arena, body.len + 1);
  size_t len = 0;
  for (size_t i = 0; i < body.len; i++) {
    char c = body.data[i];
    if (c == '\\' && i + 1 < body.len) {
      char next = body.data[++i];
      c = next == 'n' ? '\n' : next == 't' ? '\t' : next == 'r' ? '\r' : next;
      i += next == '\r' && i + 1 < body.len && body.data[i + 1] == '\n';
      if (next == '\n' || next == '\r')
        continue;
    }
    out[len++] = c;
  }
  return str_make(out, len);
}

/// `"aten::elu"`, as nearly all are written: in one pair of quotes, without prefix and escapes.
static bool is_plain_literal(const PyTree *tree, PyRef node, Str *ret_body)
{
  Str text = py_kind(tree, node) == PYK_STRING ? py_text(tree, node) : (Str){ 0 };
  char quote = text.len > 2 ? text.data[0] : 0;
  if ((quote != '"' && quote != '\'') || text.data[1] == quote || text.data[text.len - 1] != quote)
    return false;
  *ret_body = str_slice(text, 1, text.len - 1);
  for (size_t i = 0; i < ret_body->len; i++) {
    if (ret_body->data[i] == '\\' || ret_body->data[i] == '\n' || ret_body->data[i] == '\r')
      return false;
  }
  return true;
}

// --- Parts ---

/// A part of a string that is put together: a text, a name in an f-string, or an expression.
typedef struct StringPart {
  PyRef node;        ///< The expression; with `name`, where it stands.
  Str text;          ///< With no node.
  Str name;          ///< Looked up where `node` stands.
  Str member;        ///< Of what the name stands for; empty for the name itself.
  bool is_shown;     ///< In a field, where a number may stand for its digits.
  bool is_function;  ///< The `name` of a function, which is asked for its own.
  int shift;         ///< What is added to the number that the name is: `{i + 1}`.
} StringPart;

typedef struct StringBuilder {
  const PyModel *model;
  const PyRow *row;  ///< Names of a loop; NULL for none.
  Arena *arena;
  PyRow given;                             ///< What a function that is called gets.
  StringPart parts[PY_STRING_PART_LIMIT];  ///< Still to be looked at, the first one last.
  size_t count;
  Str done;
} StringBuilder;

static bool push(StringBuilder *builder, StringPart part)
{
  if (builder->count == PY_STRING_PART_LIMIT)
    return false;
  builder->parts[builder->count++] = part;
  return true;
}

static void append(StringBuilder *builder, Str text)
{
  Str parts[] = { builder->done, text };
  builder->done = builder->done.len > 0 ? arena_join(builder->arena, parts, 2) : text;
}

static bool push_reversed(StringBuilder *builder, const StringPart *parts, size_t count)
{
  while (count > 0) {
    if (!push(builder, parts[--count]))
      return false;
  }
  return true;
}

static bool is_identifier(Str text)
{
  bool is_one = text.len > 0 && !ascii_is_digit(text.data[0]);
  for (size_t i = 0; i < text.len; i++)
    is_one &= ascii_is_word(text.data[i]);
  return is_one;
}

/// `i + 1` and `i - 1` in a field: what is left of the name, and what is added to it.
static Str without_shift(Str field, int *ret_shift)
{
  size_t sign = str_find_char(field, '+', 0), minus = str_find_char(field, '-', 0);
  bool is_less = sign == STR_NOT_FOUND;
  sign = is_less ? minus : sign;
  uint64_t by;
  *ret_shift = 0;
  if (sign == STR_NOT_FOUND || !str_to_uint(str_trim(str_slice(field, sign + 1, field.len)), 1000, &by))
    return field;
  *ret_shift = is_less ? -(int)by : (int)by;
  return str_trim(str_slice(field, 0, sign));
}

/// The texts and names of an f-string; false for what is more than a name in the
/// braces, its member, or the name of a function.
static bool push_format(StringBuilder *builder, PyRef node, Str body)
{
  StringPart parts[PY_STRING_PART_LIMIT];
  size_t count = 0;
  size_t at = 0;
  while (at < body.len) {
    size_t open = str_find_char(body, '{', at);
    size_t end = open == STR_NOT_FOUND ? body.len : open;
    if (count + 2 > PY_STRING_PART_LIMIT || str_find_char(str_slice(body, at, end), '}', 0) != STR_NOT_FOUND)
      return false;
    if (end > at)
      parts[count++] = (StringPart){ .text = str_slice(body, at, end) };
    if (open == STR_NOT_FOUND)
      break;
    size_t close = str_find_char(body, '}', open);
    if (close == STR_NOT_FOUND)
      return false;
    int shift;
    Str name = without_shift(str_trim(str_slice(body, open + 1, close)), &shift);
    bool is_own = str_ends_with(name, STR(".__name__"));
    name = is_own ? str_slice(name, 0, name.len - STR(".__name__").len) : name;
    size_t dot = str_find_char(name, '.', 0);
    Str member = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(name, dot + 1, name.len);
    name = str_slice(name, 0, dot == STR_NOT_FOUND ? name.len : dot);
    if (!is_identifier(name) || (dot != STR_NOT_FOUND && (is_own || !is_identifier(member))))
      return false;
    if (shift != 0 && (is_own || dot != STR_NOT_FOUND))
      return false;
    parts[count++] = (StringPart){
      .node = node, .name = name, .member = member, .is_shown = true, .is_function = is_own, .shift = shift
    };
    at = close + 1;
  }
  return push_reversed(builder, parts, count);
}

static bool add_literal(StringBuilder *builder, PyRef node)
{
  StringPrefix prefix;
  Str body;
  if (!string_body(py_text(&builder->model->tree, node), &prefix, &body))
    return false;
  if (prefix.is_format)
    return str_find_char(body, '\\', 0) == STR_NOT_FOUND && push_format(builder, node, body);
  append(builder,
         prefix.is_raw || str_find_char(body, '\\', 0) == STR_NOT_FOUND ? body : without_escapes(body, builder->arena));
  return true;
}

/// What fills the fields of a template.
typedef struct TemplateValues {
  const PyArgument *items;  ///< Those with keywords after those without.
  size_t count;
  size_t used;
} TemplateValues;

/// The value of a field, and where the field ends: `%s` or `%d`; `{}`, `{0}` or `{name}`. 0 if it is another one.
static PyRef field_value(Str body, size_t at, char sign, TemplateValues *values, size_t *ret_end)
{
  *ret_end = at + 2;
  char mark = at + 1 < body.len ? body.data[at + 1] : '\0';
  bool is_next = sign == '{' ? mark == '}' : mark == 's' || mark == 'd';
  if (is_next)
    return values->used < values->count && values->items[values->used].keyword.len == 0
               ? values->items[values->used++].value
               : 0;
  size_t close = sign == '{' ? str_find_char(body, '}', at) : STR_NOT_FOUND;
  Str name = close == STR_NOT_FOUND ? (Str){ 0 } : str_slice(body, at + 1, close);
  *ret_end = close + 1;
  for (size_t i = 0; i < values->count && name.len > 0; i++) {
    Str keyword = values->items[i].keyword;
    bool is_it = keyword.len > 0 ? str_equal(keyword, name) : name.len == 1 && name.data[0] == '0' + (int)i;
    values->used = is_it ? values->count : values->used;
    if (is_it)
      return values->items[i].value;
  }
  return 0;
}

/// `"aten::%s" % name`: the texts around its fields, and the values.
static bool push_template(StringBuilder *builder, PyRef text_node, char sign, TemplateValues values)
{
  const PyTree *tree = &builder->model->tree;
  StringPart parts[PY_STRING_PART_LIMIT];
  StringPrefix prefix;
  Str body;
  size_t count = 0;
  text_node = py_model_resolve(builder->model, text_node);
  if (py_kind(tree, text_node) != PYK_STRING || !string_body(py_text(tree, text_node), &prefix, &body) ||
      prefix.is_format)
    return false;
  for (size_t at = 0, end = 0; at < body.len; at = end) {
    size_t open = str_find_char(body, sign, at);
    bool is_last = open == STR_NOT_FOUND;
    PyRef value = is_last ? 0 : field_value(body, open, sign, &values, &end);
    if (count + 2 > PY_STRING_PART_LIMIT || (!is_last && !value))
      return false;
    parts[count++] = (StringPart){ .text = str_slice(body, at, is_last ? body.len : open) };
    if (is_last)
      break;
    parts[count++] = (StringPart){ .node = value, .is_shown = true };
  }
  return values.used == values.count && push_reversed(builder, parts, count);
}

static bool push_binary(StringBuilder *builder, PyRef node)
{
  const PyTree *tree = &builder->model->tree;
  PyRef sign = py_child(tree, node, PY_F_OPERATOR);
  PyRef left = py_child(tree, node, PY_F_LEFT);
  PyRef right = py_child(tree, node, PY_F_RIGHT);
  if (!sign || !left || !right)
    return false;
  if (str_equal(py_text(tree, sign), STR("+")))
    return push(builder, (StringPart){ .node = right }) && push(builder, (StringPart){ .node = left });
  right = py_tree_strip(tree, right);
  PyArgument values[PY_STRING_PART_LIMIT] = { { .value = right } };
  size_t count = 1;
  if (py_kind(tree, right) == PYK_TUPLE) {
    count = 0;
    for (PyRef value = py_tree_first_element(tree, right); value && count < COUNT(values);
         value = py_tree_next_element(tree, value))
      values[count++] = (PyArgument){ .value = value };
  }
  return str_equal(py_text(tree, sign), STR("%")) &&
         push_template(builder, left, '%', (TemplateValues){ .items = values, .count = count });
}

/// `custom("Relu")`, where `def custom(name)` does nothing but return a string: as the last part, as what its names
/// stand for holds for all that comes.
static bool push_result(StringBuilder *builder, const PyCall *call)
{
  const PyModel *model = builder->model;
  const PyFunction *function = &model->functions.items[call->function];
  bool is_plain =
      !call->has_splat && !call->has_dictionary_splat && function->param_count <= COUNT(builder->given.names);
  bool is_all = function->returned && model->tree.nodes[function->returned].parent == function->body + 1;
  if (builder->count > 0 || builder->row || !is_plain || !is_all || function->outer != function->node)
    return false;
  for (uint32_t i = 0; i < function->param_count; i++) {
    const PyParam *param = &py_model_params(model, function)[i];
    const PyArgument *argument = py_model_argument_of(model, call, i, param->name);
    builder->given.names[i] = param->name;
    builder->given.numbers[i] = (Str){ 0 };
    builder->given.texts[i] = (Str){ 0 };
    builder->given.values[i] = py_model_resolve(model, argument ? argument->value : param->default_value);
    if (!builder->given.values[i] || py_kind(&model->tree, builder->given.values[i]) != PYK_STRING)
      return false;
  }
  builder->given.count = function->param_count;
  builder->row = &builder->given;
  return push(builder, (StringPart){ .node = function->returned });
}

/// `"::".join(["aten", name])`: the elements, and what stands between them.
static bool push_joined(StringBuilder *builder, PyRef text, const PyCall *call)
{
  const PyTree *tree = &builder->model->tree;
  StringPart parts[PY_STRING_PART_LIMIT];
  size_t count = 0;
  const PyArgument *argument = call->argument_count == 1 ? py_model_argument(builder->model, call, 0, NULL) : NULL;
  PyRef list = argument ? py_model_resolve(builder->model, argument->value) : 0;
  if (!list || (py_kind(tree, list) != PYK_LIST && py_kind(tree, list) != PYK_TUPLE))
    return false;
  for (PY_EACH_ELEMENT(tree, item, list)) {
    if (count + 2 > COUNT(parts) || py_tree_is_splat(tree, item))
      return false;
    if (count > 0)
      parts[count++] = (StringPart){ .node = text };
    parts[count++] = (StringPart){ .node = item };
  }
  return push_reversed(builder, parts, count);
}

/// `"{domain}::{op}".format(**NAMES)`, where these are written out.
static bool push_spread(StringBuilder *builder, PyRef text, const PyCall *call)
{
  const PyModel *model = builder->model;
  PyArgument values[PY_STRING_PART_LIMIT];
  size_t count = 0;
  const PyArgument *only = call->argument_count == 1 ? py_model_arguments(model, call) : NULL;
  PyRef table = only ? py_model_resolve(model, only->value) : 0;
  if (!table || py_kind(&model->tree, table) != PYK_DICTIONARY)
    return false;
  for (PY_EACH_ELEMENT(&model->tree, pair, table)) {
    PyRef key = py_tree_key(&model->tree, pair);
    Str name;
    if (count == COUNT(values) || !key || !is_plain_literal(&model->tree, key, &name))
      return false;
    values[count++] = (PyArgument){ .keyword = name, .value = py_child(&model->tree, pair, PY_F_VALUE) };
  }
  return push_template(builder, text, '{', (TemplateValues){ .items = values, .count = count });
}

/// `name.upper()`, `name.capitalize()` of a text that is written out, maybe in a row.
static bool add_cased(StringBuilder *builder, PyRef object, Str method)
{
  static const char *const methods[] = { "upper", "lower", "capitalize", "title" };
  const PyModel *model = builder->model;
  Str text = builder->row ? python_row_text(model, builder->row, object) : (Str){ 0 };
  PyRef value = builder->row ? python_row_value(model, builder->row, object) : object;
  if (!str_is_one_of(method, methods, COUNT(methods)) ||
      (text.len == 0 && !is_plain_literal(&model->tree, py_model_resolve(model, value), &text)))
    return false;
  char *cased = arena_alloc(builder->arena, text.len + 1);
  bool is_first = true;
  for (size_t i = 0; i < text.len; i++) {
    bool is_upper = str_is(method, "upper") || (is_first && !str_is(method, "lower"));
    cased[i] = is_upper ? ascii_to_upper(text.data[i]) : ascii_to_lower(text.data[i]);
    is_first = str_is(method, "title") && !ascii_is_word(text.data[i]);
  }
  if (str_is(method, "title") && str_find_char(text, '_', 0) != STR_NOT_FOUND)
    return false;  // Begins a word, too.
  append(builder, str_make(cased, text.len));
  return true;
}

/// `"aten::{}".format(name)`
static bool push_call(StringBuilder *builder, PyRef node)
{
  const PyTree *tree = &builder->model->tree;
  const PyCall *call = py_model_call(builder->model, node);
  if (call && call->function != PY_ABSENT)
    return push_result(builder, call);
  PyRef method = call ? py_tree_member(tree, call->function_node) : 0;
  if (method && str_equal(py_text(tree, method), STR("join")))
    return push_joined(builder, py_tree_object(tree, call->function_node), call);
  if (method && call->argument_count == 0)
    return add_cased(builder, py_tree_object(tree, call->function_node), py_text(tree, method));
  if (method && str_equal(py_text(tree, method), STR("format")) && call->has_dictionary_splat)
    return push_spread(builder, py_tree_object(tree, call->function_node), call);
  if (!method || !str_equal(py_text(tree, method), STR("format")) || call->has_splat)
    return false;
  return push_template(
      builder, py_tree_object(tree, call->function_node), '{',
      (TemplateValues){ .items = py_model_arguments(builder->model, call), .count = call->argument_count });
}

/// The digits of a number in a field.
static bool add_number(StringBuilder *builder, Str number)
{
  uint64_t value;
  if (!str_to_uint(number, UINT64_MAX, &value))
    return false;
  append(builder, number);
  return true;
}

/// `{i + 1}`, if the number is known and the sum is none below zero.
static bool add_shifted(StringBuilder *builder, Str number, int shift)
{
  uint64_t value;
  if (!str_to_uint(number, 1000000, &value) || (int64_t)value + shift < 0)
    return false;
  append(builder, arena_printf(builder->arena, "%lld", (long long)((int64_t)value + shift)));
  return true;
}

/// What `def relu(g, x)` calls itself; decorators other than @parse_args may give it another name.
static bool add_function(StringBuilder *builder, PyRef node)
{
  PyCallable callable = python_callable(builder->model, builder->row, node);
  if (callable.function == PY_ABSENT || callable.partial != PY_ABSENT)
    return false;
  append(builder, builder->model->functions.items[callable.function].name);
  return builder->model->functions.items[callable.function].name.len > 0;
}

/// What a member of an enumeration that derives from nothing else is shown as: "Kind.ELU".
static bool add_enum_member(StringBuilder *builder, Str class_name, PyRef class_node, Str member)
{
  const PyModel *model = builder->model;
  const PyClass *class = py_model_class_at(model, class_node);
  PyRef bases = class && class->is_enum ? py_child(&model->tree, class->node, PY_F_SUPERCLASSES) : 0;
  PyRef base = bases ? py_first_child(&model->tree, bases) : 0;
  bool is_plain = base && !py_next_sibling(&model->tree, base) &&
                  str_equal(py_model_qualified(model, base, builder->arena), STR("enum.Enum")) &&
                  py_model_own_method(model, class_node, STR("__str__")) == PY_ABSENT &&
                  py_model_own_method(model, class_node, STR("__format__")) == PY_ABSENT;
  if (!is_plain || !py_model_names_member(model, class_node, member))
    return false;
  Str parts[] = { class_name, STR("."), member };
  append(builder, arena_join(builder->arena, parts, COUNT(parts)));
  return true;
}

/// `function.__name__`
static bool add_own_name(StringBuilder *builder, PyRef node)
{
  const PyTree *tree = &builder->model->tree;
  return str_equal(py_tree_member_name(tree, node), STR("__name__")) &&
         add_function(builder, py_tree_object(tree, node));
}

static bool add_expression(StringBuilder *builder, PyRef node, bool is_shown)
{
  const PyTree *tree = &builder->model->tree;
  Str number = builder->row ? python_row_number(builder->model, builder->row, node) : (Str){ 0 };
  if (number.len > 0)
    return is_shown && add_number(builder, number);
  Str text = builder->row ? python_row_text(builder->model, builder->row, node) : (Str){ 0 };
  if (text.len > 0) {
    append(builder, text);
    return true;
  }
  node = builder->row ? python_row_value(builder->model, builder->row, node) : node;
  node = py_model_resolve(builder->model, node);
  switch (py_kind(tree, node)) {
  case PYK_INTEGER:
    return is_shown && add_number(builder, py_text(tree, node));
  case PYK_STRING:
    return add_literal(builder, node);
  case PYK_BINARY_OPERATOR:
    return push_binary(builder, node);
  case PYK_CALL:
    return push_call(builder, node);
  case PYK_ATTRIBUTE: {
    PyRef object = py_tree_object(tree, node), class_node = is_shown ? py_model_class_named(builder->model, object) : 0;
    return add_own_name(builder, node) ||
           (class_node && add_enum_member(builder, py_model_class_at(builder->model, class_node)->name, class_node,
                                          py_tree_member_name(tree, node)));
  }
  case PYK_CONCATENATED_STRING: {
    StringPart parts[PY_STRING_PART_LIMIT];
    size_t count = 0;
    for (PY_EACH_CHILD(tree, child, node)) {
      if (count == PY_STRING_PART_LIMIT)
        return false;
      parts[count++] = (StringPart){ .node = child };
    }
    return push_reversed(builder, parts, count);
  }
  default:
    return false;
  }
}

/// A name in the braces of an f-string, which has no node.
static bool add_name(StringBuilder *builder, const StringPart *part)
{
  const PyModel *model = builder->model;
  if (part->member.len > 0) {
    PyRef value = python_member_by_names(model, part->node, part->name, part->member);
    PyRef class_node =
        value ? 0
              : py_model_class_bound(model, py_model_lookup(model, py_model_scope_of(model, part->node), part->name));
    if (class_node)
      return add_enum_member(builder, part->name, class_node, part->member);
    return value && push(builder, (StringPart){ .node = value, .is_shown = true });
  }
  for (size_t i = 0; builder->row && i < builder->row->count; i++) {
    if (!str_equal(builder->row->names[i], part->name))
      continue;
    if (part->shift != 0)
      return add_shifted(builder, builder->row->numbers[i], part->shift);
    if (builder->row->texts[i].len > 0) {
      append(builder, builder->row->texts[i]);
      return !part->is_function;
    }
    if (part->is_function)
      return builder->row->values[i] && add_function(builder, builder->row->values[i]);
    return builder->row->values[i] ? push(builder, (StringPart){ .node = builder->row->values[i], .is_shown = true })
                                   : add_number(builder, builder->row->numbers[i]);
  }
  uint32_t scope = py_model_scope_of(model, part->node);
  uint32_t found = py_model_lookup(model, scope, part->name);
  uint32_t foreign = py_model_foreign_name(model, scope, found, part->name);
  found = foreign == PY_ABSENT ? found : foreign;
  const PyBinding *binding = found == PY_ABSENT ? NULL : &model->bindings.items[found];
  if (binding && part->is_function)
    return binding->kind == PY_BIND_FUNCTION && binding->next == PY_ABSENT && add_function(builder, binding->node);
  bool is_assigned = py_binding_is_only(binding, PY_BIND_ASSIGN) && !binding->is_changed && binding->value;
  if (is_assigned && part->shift != 0)
    return add_shifted(builder, py_text(&model->tree, py_model_resolve(model, binding->value)), part->shift);
  return is_assigned && push(builder, (StringPart){ .node = binding->value, .is_shown = true });
}

bool python_row_string(const PyModel *model, const PyRow *row, PyRef node, Arena *arena, Str *ret_value)
{
  if (!node)
    return false;
  if (is_plain_literal(&model->tree, node, ret_value))
    return true;
  StringBuilder builder;
  builder.model = model;
  builder.given.count = 0;
  builder.row = row;
  builder.arena = arena;
  builder.done = STR("");
  builder.parts[0] = (StringPart){ .node = node };
  builder.count = 1;
  // A name may stand for an expression with the same name in it, so steps are counted.
  for (int steps = 0; builder.count > 0; steps++) {
    StringPart part = builder.parts[--builder.count];
    bool is_known = steps < 4 * PY_STRING_PART_LIMIT;
    if (is_known && part.name.len > 0)
      is_known = add_name(&builder, &part);
    else if (is_known && part.node)
      is_known = add_expression(&builder, part.node, part.is_shown);
    else
      append(&builder, part.text);
    if (!is_known)
      return false;
  }
  *ret_value = builder.done;
  return true;
}

/// The names of the model's row that loops bind, if the node is where they have their values; false if there are none.
static bool turns_at(const PyModel *model, PyRef node, PyRow *ret_row)
{
  const PyRow *row = model->row;
  bool is_in = row && model->row_turn && model->row_turn < node && node < model->tree.nodes[model->row_turn].next;
  ret_row->count = 0;
  for (size_t i = 0; is_in && i < row->count; i++) {
    if (!row->is_turn[i])
      continue;
    ret_row->names[ret_row->count] = row->names[i];
    ret_row->values[ret_row->count] = row->values[i];
    ret_row->numbers[ret_row->count] = row->numbers[i];
    ret_row->texts[ret_row->count++] = row->texts[i];
  }
  return ret_row->count > 0;
}

bool py_model_string(const PyModel *model, PyRef node, Arena *arena, Str *ret_value)
{
  PyRow turns;
  return python_row_string(model, turns_at(model, node, &turns) ? &turns : NULL, node, arena, ret_value);
}
