// The ONNX side of the records: schemas, and sentences about operators and attributes.

#include <stdlib.h>

#include "records_internal.h"

/// AttributeProto.AttributeType, by number. Source: onnx.proto3.
static const char *const attribute_types[] = {
  NULL,      "float",   "int",    "string",        "tensor",         "graph",      "floats",      "ints",
  "strings", "tensors", "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos",
};

enum {
  ATTRIBUTE_TYPE_COUNT = COUNT(attribute_types),
  ATTRIBUTE_LIMIT = 256,  ///< Of one schema.
  TYPE_LIMIT = 512,       ///< Of one constraint.
  VERSION_LIMIT = 10000,
};

uint32_t find_attribute_type(Str word)
{
  for (uint32_t i = 1; i < ATTRIBUTE_TYPE_COUNT; i++) {
    if (str_equal(word, str_from(attribute_types[i])))
      return i;
  }
  return 0;
}

static bool is_quoted(Str s)
{
  if (s.len < 2 || s.data[0] != '"')
    return false;
  size_t i = 1;
  while (i < s.len && s.data[i] != '"')
    i += s.data[i] == '\\' ? 2 : 1;
  return i + 1 == s.len;
}

static bool is_int(Records *records, Str s)
{
  char *end = NULL;
  const char *text = pack_text(records, s);
  strtoll(text, &end, 10);
  return s.len > 0 && *end == '\0';
}

static bool is_float(Records *records, Str s)
{
  char *end = NULL;
  const char *text = pack_text(records, s);
  strtof(text, &end);
  return s.len > 0 && *end == '\0' && !is_int(records, s);
}

/// Whether `text` spells a value of the attribute type `type` (a scalar, or a list in brackets).
static bool is_default(Records *records, Str type, Str text)
{
  if (str_equal(type, STR("float")))
    return is_float(records, text);
  if (str_equal(type, STR("int")))
    return is_int(records, text);
  if (str_equal(type, STR("string")))
    return is_quoted(text);
  Str item_type = str_slice(type, 0, type.len - 1);
  bool is_list = str_equal(type, STR("floats")) || str_equal(type, STR("ints")) || str_equal(type, STR("strings"));
  if (!is_list || text.len < 2 || text.data[0] != '[' || text.data[text.len - 1] != ']')
    return false;
  Str items = str_slice(text, 1, text.len - 1);
  while (items.len > 0) {
    size_t comma = str_find(items, STR(", "), 0);
    if (!is_default(records, item_type, str_slice(items, 0, comma)))
      return false;
    items = comma == STR_NOT_FOUND ? (Str){ 0 } : str_slice(items, comma + 2, items.len);
  }
  return true;
}

/// "  attr alpha float = 0.01", "  attr to int required"
static void read_attribute(Records *records, OnnxRecord *op, Str line)
{
  OnnxAttributeRecord attribute = { .name = records_word(&line) };
  Str type = records_word(&line);
  attribute.type = find_attribute_type(type);
  if (attribute.type == 0) {
    records_error(records, records->where, "'%.*s' is not an attribute type", STR_ARG(type));
    return;
  }
  Str word = records_word(&line);
  if (str_equal(word, STR("required"))) {
    attribute.required = true;
    word = records_word(&line);
  }
  if (str_equal(word, STR("="))) {
    attribute.has_default = true;
    attribute.default_text = str_trim(line);
    if (!is_default(records, type, attribute.default_text))
      records_error(records, records->where, "'%.*s' is not a default of type %.*s", STR_ARG(attribute.default_text),
                    STR_ARG(type));
  } else if (word.len > 0) {
    records_error(records, records->where, "unexpected '%.*s'", STR_ARG(word));
  }
  if (op->attributes.count >= ATTRIBUTE_LIMIT) {
    records_error(records, records->where, "more than %d attributes", ATTRIBUTE_LIMIT);
    return;
  }
  for (size_t i = 0; i < op->attributes.count; i++) {
    if (str_equal(op->attributes.items[i].name, attribute.name))
      records_error(records, records->where, "attribute '%.*s' occurs twice", STR_ARG(attribute.name));
  }
  vec_push(&op->attributes, attribute);
  records->onnx_doc = &vec_last(&op->attributes)->doc;
}

/// Types are written without blanks here and have one after each comma in onnx: map(int64, float).
static Str spell_type(Records *records, Str word)
{
  Buffer text = { 0 };
  for (size_t i = 0; i < word.len; i++) {
    buffer_append_char(&text, word.data[i]);
    if (word.data[i] == ',')
      buffer_append_char(&text, ' ');
  }
  Str type = arena_copy(&records->arena, buffer_str(&text));
  buffer_done(&text);
  return type;
}

/// "  in X T optional", "  out values V variadic heterogeneous min=0"
static void read_param(Records *records, OnnxRecord *op, int side, Str line)
{
  OnnxParamRecord param = { .name = records_word(&line), .min_arity = 1 };
  param.type = spell_type(records, records_word(&line));
  for (Str word = records_word(&line); word.len > 0; word = records_word(&line)) {
    if (str_equal(word, STR("optional")))
      param.option = SYMBOLICS__PARAM_OPTION__OPTIONAL;
    else if (str_equal(word, STR("variadic")))
      param.option = SYMBOLICS__PARAM_OPTION__VARIADIC;
    else if (str_equal(word, STR("heterogeneous")))
      param.heterogeneous = true;
    else if (str_starts_with(word, STR("min=")))
      records_number(records, str_slice(word, 4, word.len), 1000, "number of values", &param.min_arity);
    else
      records_error(records, records->where, "unexpected '%.*s'", STR_ARG(word));
  }
  if (param.type.len == 0)
    records_error(records, records->where, "expected a name and a type");
  size_t count = op->params[side].count;
  if (count > 0 && vec_last(&op->params[side])->option == SYMBOLICS__PARAM_OPTION__VARIADIC)
    records_error(records, records->where, "'%.*s' comes after a variadic one", STR_ARG(param.name));
  vec_push(&op->params[side], param);
  records->onnx_doc = &vec_last(&op->params[side])->doc;
}

/// "  in-count 2.."
static void read_count(Records *records, OnnxRecord *op, int side, Str line)
{
  Str word = records_word(&line);
  size_t dots = str_find(word, STR(".."), 0);
  Str high = dots == STR_NOT_FOUND ? (Str){ 0 } : str_slice(word, dots + 2, word.len);
  op->max[side] = (uint32_t)FACTS_NO_LIMIT;
  op->has_count[side] = true;
  records->onnx_doc = NULL;
  if (!records_number(records, str_slice(word, 0, dots), 1000, "count", &op->min[side]))
    return;
  if (high.len > 0)
    records_number(records, high, 1000, "count", &op->max[side]);
}

/// Whether `type` is one of those that `types` holds, joined by semicolons.
static bool has_type(Str types, Str type)
{
  for (size_t start = 0; start < types.len;) {
    size_t end = str_find_char(types, ';', start);
    if (str_equal(str_slice(types, start, end), type))
      return true;
    start = end == STR_NOT_FOUND ? types.len : end + 1;
  }
  return false;
}

/// "  type T float double seq(tensor(int64))": a bare word is a tensor's element type. A repeated one counts once.
static void read_constraint(Records *records, OnnxRecord *op, Str line)
{
  OnnxConstraintRecord constraint = { .name = records_word(&line) };
  Buffer types = { 0 };
  size_t count = 0;
  for (Str word = records_word(&line); word.len > 0 && count < TYPE_LIMIT; word = records_word(&line)) {
    bool is_element = str_find_char(word, '(', 0) == STR_NOT_FOUND;
    Str type = spell_type(records, word);
    if (is_element)
      type = arena_printf(&records->arena, "tensor(%.*s)", STR_ARG(type));
    if (has_type(buffer_str(&types), type))
      continue;
    buffer_printf(&types, "%s%.*s", count++ > 0 ? ";" : "", STR_ARG(type));
  }
  if (types.len == 0)
    records_error(records, records->where, "expected a name and types");
  else if (count == TYPE_LIMIT)
    records_error(records, records->where, "more than %d types", TYPE_LIMIT - 1);
  constraint.types = arena_copy(&records->arena, buffer_str(&types));
  buffer_done(&types);
  vec_push(&op->constraints, constraint);
  records->onnx_doc = &vec_last(&op->constraints)->doc;
}

/// "op Conv 11 deprecated"
static void read_op(Records *records, Str line)
{
  OnnxRecord *op = ARENA_NEW(&records->arena, OnnxRecord);
  op->where = records->where;
  op->domain = records->domain;
  op->name = records_word(&line);
  records_number(records, records_word(&line), VERSION_LIMIT, "version", &op->since);
  for (Str word = records_word(&line); word.len > 0; word = records_word(&line)) {
    if (str_equal(word, STR("deprecated")))
      op->deprecated = true;
    else if (str_equal(word, STR("experimental")))
      op->experimental = true;
    else if (str_equal(word, STR("function")))
      op->function = true;
    else
      records_error(records, records->where, "unexpected '%.*s'", STR_ARG(word));
  }
  if (!records->has_domain)
    records_error(records, records->where, "an operator before the line 'domain ...'");
  records->onnx_op = op;
  records->onnx_doc = &op->doc;
  vec_push(&records->onnx, op);
}

/// "    doc Text of\\nseveral lines": `\\n` is a line end, `\\\\` a backslash.
static void read_doc(Records *records, Str line)
{
  Str text = str_trim(line);
  Buffer plain = { 0 };
  for (size_t i = 0; i < text.len; i++) {
    bool is_escape = text.data[i] == '\\' && i + 1 < text.len;
    i += is_escape;
    buffer_append_char(&plain, is_escape && text.data[i] == 'n' ? '\n' : text.data[i]);
  }
  if (!records->onnx_doc || records->onnx_doc->len > 0)
    records_error(records, records->where, "the line above takes no 'doc'");
  else
    *records->onnx_doc = arena_copy(&records->arena, buffer_str(&plain));
  buffer_done(&plain);
}

void read_onnx_schemas(Records *records, Str line)
{
  Str word = records_word(&line);
  if (str_equal(word, STR("op"))) {
    read_op(records, line);
    return;
  }
  OnnxRecord *op = records->onnx_op;
  if (!op)
    records_error(records, records->where, "'%.*s' before the first line 'op ...'", STR_ARG(word));
  else if (str_equal(word, STR("in")))
    read_param(records, op, 0, line);
  else if (str_equal(word, STR("out")))
    read_param(records, op, 1, line);
  else if (str_equal(word, STR("in-count")))
    read_count(records, op, 0, line);
  else if (str_equal(word, STR("out-count")))
    read_count(records, op, 1, line);
  else if (str_equal(word, STR("attr")))
    read_attribute(records, op, line);
  else if (str_equal(word, STR("type")))
    read_constraint(records, op, line);
  else if (str_equal(word, STR("doc")))
    read_doc(records, line);
  else
    records_error(records, records->where, "'%.*s' is not op, in, out, attr, type or doc", STR_ARG(word));
}

void onnx_record_finish(OnnxRecord *op)
{
  for (int side = 0; side < 2; side++) {
    if (op->has_count[side])
      continue;
    op->min[side] = op->max[side] = 0;
    for (uint32_t i = 0; i < op->params[side].count; i++) {
      const OnnxParamRecord *param = &op->params[side].items[i];
      bool is_variadic = param->option == SYMBOLICS__PARAM_OPTION__VARIADIC;
      op->max[side] = is_variadic ? (uint32_t)FACTS_NO_LIMIT : i + 1;
      if (param->option == SYMBOLICS__PARAM_OPTION__SINGLE)
        op->min[side] = i + 1;
      else if (is_variadic && param->min_arity > 0)
        op->min[side] = i + param->min_arity;
    }
  }
}

/// "Softmax 13 what changed, in words"
void read_onnx_notes(Records *records, Str line)
{
  NoteRecord record = { .where = records->where, .domain = records->domain, .name = records_word(&line) };
  if (!records_number(records, records_word(&line), VERSION_LIMIT, "version", &record.since))
    return;
  record.text = str_trim(line);
  if (!records->has_domain)
    records_error(records, records->where, "a note before the line 'domain ...'");
  else if (record.text.len == 0)
    records_error(records, records->where, "no text");
  else
    vec_push(&records->notes, record);
}

static bool split_tab(Records *records, Str line, Str *ret_key, Str *ret_text)
{
  size_t tab = str_find_char(line, '\t', 0);
  *ret_key = str_trim(str_slice(line, 0, tab));
  *ret_text = tab == STR_NOT_FOUND ? (Str){ 0 } : str_trim(str_slice(line, tab, line.len));
  if (ret_key->len > 0 && ret_text->len > 0)
    return true;
  records_error(records, records->where, "expected a name, a tab and a text");
  return false;
}

/// Takes "ai.onnx.ml::" off the front of `*key`; an empty domain if there is none.
static Str take_domain(Str *key)
{
  size_t colons = str_find(*key, STR("::"), 0);
  if (colons == STR_NOT_FOUND)
    return (Str){ 0 };
  Str domain = str_slice(*key, 0, colons);
  *key = str_slice(*key, colons + 2, key->len);
  return str_equal(domain, STR("ai.onnx")) ? (Str){ 0 } : domain;
}

/// "Relu<TAB>Sentence." in the file's domain, or "my.domain::Fancy<TAB>Sentence."
void read_summaries(Records *records, Str line)
{
  TextRecord record = { .where = records->where };
  if (!split_tab(records, line, &record.name, &record.text))
    return;
  bool has_domain = str_find(record.name, STR("::"), 0) != STR_NOT_FOUND;
  record.domain = has_domain ? take_domain(&record.name) : records->domain;
  if (has_domain || records->has_domain)
    vec_push(&records->texts, record);
  else
    records_error(records, records->where, "a summary before the line 'domain ...'");
}

/// "axis<TAB>phrase" for every operator, "Concat.axis<TAB>phrase" for one; "ai.onnx.ml::Scaler.scale" with its domain.
void read_attribute_phrases(Records *records, Str line)
{
  TextRecord record = { .where = records->where };
  Str key;
  if (!split_tab(records, line, &key, &record.text))
    return;
  record.domain = take_domain(&key);
  size_t dot = str_find_char(key, '.', 0);
  record.name = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(key, 0, dot);
  record.attribute = dot == STR_NOT_FOUND ? key : str_slice(key, dot + 1, key.len);
  vec_push(&records->texts, record);
}
