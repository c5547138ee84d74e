#include "overlay_json.h"
#include "base/limits.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/// Where the reader is: the records, and the path of the value at hand.
typedef struct Reader {
  Records *records;
  Str file;
  Arena arena;  ///< Paths and lines.
} Reader;

/// What an object may hold; anything else is a mistake (a misspelt key would silently be no fact).
typedef struct Field {
  const char *key;
  json_type type;
  bool required;
} Field;

static const char *type_word(json_type type)
{
  static const char *const words[] = { "an object", "an array", "a string", "an integer", "a number", "true or false" };
  return words[type < JSON_FALSE ? type : JSON_TRUE];
}

static bool has_type(const json_t *value, json_type type)
{
  if (type == JSON_TRUE)
    return json_is_boolean(value);
  return json_typeof(value) == type || (type == JSON_REAL && json_is_integer(value));
}

static const Field *find_field(const Field *fields, const char *key)
{
  for (; fields->key; fields++) {
    if (strcmp(fields->key, key) == 0)
      return fields;
  }
  return NULL;
}

static const Str top = STR_INIT("overlay");

/// The path of a value in an object; what is at the top is named without it.
static Str join(Reader *reader, Str path, const char *key)
{
  if (str_equal(path, top))
    return arena_printf(&reader->arena, "%s", key);
  return arena_printf(&reader->arena, "%.*s.%s", STR_ARG(path), key);
}

static Str at_index(Reader *reader, Str path, size_t index)
{
  return arena_printf(&reader->arena, "%.*s[%zu]", STR_ARG(path), index);
}

/// Whether `value` is an object with these fields. A null counts as absent.
static bool check_object(Reader *reader, Str path, json_t *value, const Field *fields)
{
  if (!json_is_object(value)) {
    records_complain(reader->records, reader->file, path, "expected an object");
    return false;
  }
  bool ok = true;
  const char *key;
  json_t *item;
  json_object_foreach(value, key, item)
  {
    const Field *field = find_field(fields, key);
    if (field && (has_type(item, field->type) || json_is_null(item)))
      continue;
    ok = false;
    if (field)
      records_complain(reader->records, reader->file, join(reader, path, key), "expected %s", type_word(field->type));
    else
      records_complain(reader->records, reader->file, path, "unknown key '%.80s'", key);
  }
  for (; fields->key; fields++) {
    if (!fields->required || json_object_get(value, fields->key))
      continue;
    ok = false;
    records_complain(reader->records, reader->file, path, "'%s' is missing", fields->key);
  }
  return ok;
}

static void fact(Reader *reader, Str path, const char *kind, const Buffer *line)
{
  records_read_fact(reader->records, reader->file, path, str_from(kind), buffer_str(line));
}

static void fact_printf(Reader *reader, Str path, const char *kind, const char *format, ...) PRINTF_LIKE(4, 5);

static void fact_printf(Reader *reader, Str path, const char *kind, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  Str line = arena_vprintf(&reader->arena, format, args);
  va_end(args);
  records_read_fact(reader->records, reader->file, path, str_from(kind), line);
}

/// The string under `key`, or `otherwise`.
static const char *string_of(const json_t *object, const char *key, const char *otherwise)
{
  const char *text = json_string_value(json_object_get(object, key));
  return text ? text : otherwise;
}

// Torch.

/// One line "VERSION TEXT" for every string of the array.
static void read_strings(Reader *reader, Str path, json_t *array, const char *kind, const char *version,
                         const char *word)
{
  size_t i;
  json_t *item;
  json_array_foreach(array, i, item)
  {
    Str place = at_index(reader, path, i);
    if (json_is_string(item))
      fact_printf(reader, place, kind, "%s %s%s", version, word, json_string_value(item));
    else
      records_complain(reader->records, reader->file, place, "expected a string");
  }
}

static void read_range(Reader *reader, Str path, const char *version, const char *exporter, json_t *range)
{
  static const Field fields[] = { { "opsets", JSON_ARRAY, true }, { "default", JSON_INTEGER, true }, { 0 } };
  if (!range || json_is_null(range) || !check_object(reader, path, range, fields))
    return;
  const json_t *opsets = json_object_get(range, "opsets");
  const json_t *low = json_array_get(opsets, 0), *high = json_array_get(opsets, 1);
  if (json_array_size(opsets) != 2 || !json_is_integer(low) || !json_is_integer(high)) {
    records_complain(reader->records, reader->file, join(reader, path, "opsets"), "expected [lowest, highest]");
    return;
  }
  fact_printf(reader, path, "torch-versions", "exporter %s %s opsets %lld..%lld default %lld", exporter, version,
              (long long)json_integer_value(low), (long long)json_integer_value(high),
              (long long)json_integer_value(json_object_get(range, "default")));
}

static void read_ranges(Reader *reader, Str path, const char *version, json_t *exporters)
{
  static const Field fields[] = { { "torchscript", JSON_OBJECT, false }, { "dynamo", JSON_OBJECT, false }, { 0 } };
  if (!exporters || json_is_null(exporters) || !check_object(reader, path, exporters, fields))
    return;
  for (const Field *field = fields; field->key; field++)
    read_range(reader, join(reader, path, field->key), version, field->key, json_object_get(exporters, field->key));
}

static void read_suffixes(Reader *reader, Str path, const char *version, json_t *suffixes)
{
  Buffer line = { 0 };
  buffer_printf(&line, "suffixes %s", version);
  size_t i;
  json_t *item;
  json_array_foreach(suffixes, i, item)
      buffer_printf(&line, " %s", json_is_string(item) ? json_string_value(item) : "");
  if (json_array_size(suffixes) > 0)
    fact(reader, path, "torch-versions", &line);
  buffer_done(&line);
}

static bool is_in_array(const json_t *array, json_int_t number)
{
  for (size_t i = 0; i < json_array_size(array); i++) {
    if (json_integer_value(json_array_get(array, i)) == number)
      return true;
  }
  return false;
}

/// [9, 11], or {"registered": [8, 9], "blocked": [8]}.
static void read_support(Reader *reader, Str path, const char *version, const char *name, json_t *entry)
{
  static const Field fields[] = { { "registered", JSON_ARRAY, true }, { "blocked", JSON_ARRAY, false }, { 0 } };
  const json_t *registered = entry, *blocked = NULL;
  if (!json_is_array(entry)) {
    if (!check_object(reader, path, entry, fields))
      return;
    registered = json_object_get(entry, "registered");
    blocked = json_object_get(entry, "blocked");
  }
  Buffer line = { 0 };
  buffer_printf(&line, "%s %s", version, name);
  size_t i;
  json_t *item;
  // More opsets than a set can hold are a mistake that the first of them reports.
  json_array_foreach((json_t *)registered, i, item)
  {
    json_int_t opset = json_integer_value(item);
    if (!json_is_integer(item) || i > FACTS_OPSET_LIMIT)
      records_complain(reader->records, reader->file, path, "expected a list of opsets");
    if (!json_is_integer(item) || i > FACTS_OPSET_LIMIT)
      break;
    buffer_printf(&line, " %s%lld", is_in_array(blocked, opset) ? "!" : "", (long long)opset);
  }
  fact(reader, path, "torchscript-support", &line);
  buffer_done(&line);
}

static void read_dynamo(Reader *reader, Str path, const char *version, json_t *dynamo)
{
  static const Field fields[] = { { "functions", JSON_ARRAY, false }, { "decomposed", JSON_ARRAY, false }, { 0 } };
  static const Field function_fields[] = {
    { "name", JSON_STRING, true }, { "opset", JSON_INTEGER, true }, { "complex", JSON_TRUE, false }, { 0 }
  };
  if (!dynamo || json_is_null(dynamo) || !check_object(reader, path, dynamo, fields))
    return;
  Str functions_path = join(reader, path, "functions");
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(dynamo, "functions"), i, item)
  {
    Str place = at_index(reader, functions_path, i);
    if (check_object(reader, place, item, function_fields))
      fact_printf(reader, place, "dynamo-functions", "%s %s %lld%s", version, string_of(item, "name", ""),
                  (long long)json_integer_value(json_object_get(item, "opset")),
                  json_is_true(json_object_get(item, "complex")) ? " complex" : "");
  }
  read_strings(reader, join(reader, path, "decomposed"), json_object_get(dynamo, "decomposed"), "dynamo-decompositions",
               version, "");
}

static void read_outcomes(Reader *reader, Str path, const char *version, json_t *outcomes)
{
  static const Field fields[] = { { "op", JSON_STRING, true },       { "kind", JSON_STRING, true },
                                  { "opsets", JSON_ARRAY, true },    { "condition", JSON_STRING, true },
                                  { "reason", JSON_STRING, true },   { "way_out", JSON_STRING, false },
                                  { "runtime", JSON_STRING, false }, { 0 } };
  size_t i, k;
  json_t *item, *opset;
  json_array_foreach(outcomes, i, item)
  {
    Str place = at_index(reader, path, i);
    if (!check_object(reader, place, item, fields))
      continue;
    const char *runtime = string_of(item, "runtime", "");
    Buffer line = { 0 };
    buffer_printf(&line, "%s %s%s%s ", version, string_of(item, "kind", ""), runtime[0] ? "@" : "", runtime);
    json_array_foreach(json_object_get(item, "opsets"), k, opset) buffer_printf(
        &line, "%s%lld", k > 0 ? "," : "", (long long)(json_is_integer(opset) ? json_integer_value(opset) : -1));
    buffer_printf(&line, " %s\t%s\t%s\t%s\t", string_of(item, "op", ""), string_of(item, "condition", ""),
                  string_of(item, "reason", ""), string_of(item, "way_out", ""));
    fact(reader, place, "outcomes", &line);
    buffer_done(&line);
  }
}

static void read_torch(Reader *reader, Str path, json_t *torch)
{
  static const Field fields[] = {
    { "version", JSON_STRING, true }, { "exporters", JSON_OBJECT, false }, { "suffixes", JSON_ARRAY, false },
    { "schemas", JSON_ARRAY, false }, { "random", JSON_ARRAY, false },     { "torchscript", JSON_OBJECT, false },
    { "dynamo", JSON_OBJECT, false }, { "outcomes", JSON_ARRAY, false },   { 0 }
  };
  if (!check_object(reader, path, torch, fields))
    return;
  const char *version = string_of(torch, "version", "");
  fact_printf(reader, join(reader, path, "version"), "torch-versions", "torch %s", version);
  read_ranges(reader, join(reader, path, "exporters"), version, json_object_get(torch, "exporters"));
  read_suffixes(reader, join(reader, path, "suffixes"), version, json_object_get(torch, "suffixes"));
  read_strings(reader, join(reader, path, "schemas"), json_object_get(torch, "schemas"), "torch-schemas", version, "");
  read_strings(reader, join(reader, path, "random"), json_object_get(torch, "random"), "torch-tags", version,
               "nondeterministic_seeded ");
  Str support_path = join(reader, path, "torchscript");
  const char *name;
  json_t *entry;
  json_object_foreach(json_object_get(torch, "torchscript"), name, entry)
      read_support(reader, join(reader, support_path, name), version, name, entry);
  read_dynamo(reader, join(reader, path, "dynamo"), version, json_object_get(torch, "dynamo"));
  read_outcomes(reader, join(reader, path, "outcomes"), version, json_object_get(torch, "outcomes"));
}

// ONNX.

/// Appends a type or name without its blanks, as the records write it.
static void append_word(Buffer *line, const char *text)
{
  for (; *text; text++) {
    if (*text != ' ')
      buffer_append_char(line, *text);
  }
}

static void append_quoted(Buffer *line, const char *text)
{
  buffer_append_char(line, '"');
  for (; *text; text++) {
    if (*text == '"' || *text == '\\')
      buffer_append_char(line, '\\');
    buffer_append_char(line, *text);
  }
  buffer_append_char(line, '"');
}

/// The shortest spelling that is the same 32-bit float, with a point or an exponent, so that 1 becomes 1.0.
static void append_float(Buffer *line, float value)
{
  char text[40];
  for (int digits = 1; digits <= 9; digits++) {
    snprintf(text, sizeof(text), "%.*g", digits, (double)value);
    if (strtof(text, NULL) == value)
      break;
  }
  buffer_printf(line, "%s%s", text, strpbrk(text, ".en") ? "" : ".0");
}

static void append_number(Buffer *line, const json_t *value, bool is_float)
{
  double number = json_number_value(value);
  if (is_float)
    append_float(line, (float)number);
  else if (json_is_integer(value))
    buffer_printf(line, "%lld", (long long)json_integer_value(value));
  else
    buffer_printf(line, "%g", number);  // No integer: refused as a default by the records.
}

static void append_value(Buffer *line, const json_t *value, bool is_float)
{
  if (json_is_string(value))
    append_quoted(line, json_string_value(value));
  else if (json_is_number(value))
    append_number(line, value, is_float);
  else
    buffer_append(line, STR("?"));  // Refused as a default by the records.
}

static void append_default(Buffer *line, const json_t *value, const char *type)
{
  bool is_float = strncmp(type, "float", 5) == 0;
  if (!json_is_array(value)) {
    append_value(line, value, is_float);
    return;
  }
  buffer_append_char(line, '[');
  size_t i;
  json_t *item;
  json_array_foreach((json_t *)value, i, item)
  {
    if (i > 0)
      buffer_append(line, STR(", "));
    append_value(line, item, is_float);
  }
  buffer_append_char(line, ']');
}

/// A `doc` line for what was read last.
static void read_doc(Reader *reader, Str path, const json_t *object)
{
  const char *text = string_of(object, "doc", "");
  Buffer line = { 0 };
  buffer_append(&line, STR("doc "));
  for (; *text; text++) {
    if (*text == '\n')
      buffer_append(&line, STR("\\n"));
    else if (*text == '\\')
      buffer_append(&line, STR("\\\\"));
    else if ((unsigned char)*text >= ' ' || *text == '\t')
      buffer_append_char(&line, *text);
  }
  if (line.len > 4)
    fact(reader, join(reader, path, "doc"), "onnx-schemas", &line);
  buffer_done(&line);
}

static void read_param(Reader *reader, Str path, const char *word, json_t *param)
{
  static const Field fields[] = { { "name", JSON_STRING, true },
                                  { "type", JSON_STRING, true },
                                  { "option", JSON_STRING, false },
                                  { "homogeneous", JSON_TRUE, false },
                                  { "min_arity", JSON_INTEGER, false },
                                  { "doc", JSON_STRING, false },
                                  { 0 } };
  if (!check_object(reader, path, param, fields))
    return;
  Buffer line = { 0 };
  buffer_printf(&line, "%s ", word);
  append_word(&line, string_of(param, "name", ""));
  buffer_append_char(&line, ' ');
  append_word(&line, string_of(param, "type", ""));
  const char *option = string_of(param, "option", "single");
  if (strcmp(option, "single") != 0)
    buffer_printf(&line, " %s", option);
  if (json_is_false(json_object_get(param, "homogeneous")))
    buffer_append(&line, STR(" heterogeneous"));
  const json_t *arity = json_object_get(param, "min_arity");
  if (json_is_integer(arity))
    buffer_printf(&line, " min=%lld", (long long)json_integer_value(arity));
  fact(reader, path, "onnx-schemas", &line);
  buffer_done(&line);
  read_doc(reader, path, param);
}

static void read_attribute(Reader *reader, Str path, json_t *attribute)
{
  const char *type = string_of(attribute, "type", "");
  Buffer line = { 0 };
  buffer_append(&line, STR("attr "));
  append_word(&line, string_of(attribute, "name", ""));
  buffer_append_char(&line, ' ');
  append_word(&line, type);
  if (json_is_true(json_object_get(attribute, "required")))
    buffer_append(&line, STR(" required"));
  const json_t *value = json_object_get(attribute, "default");
  if (value && !json_is_null(value)) {
    buffer_append(&line, STR(" = "));
    append_default(&line, value, type);
  }
  fact(reader, path, "onnx-schemas", &line);
  buffer_done(&line);
  read_doc(reader, path, attribute);
}

/// `default` may be of any type, which the attribute's own type then decides on.
static bool check_attribute(Reader *reader, Str path, json_t *attribute)
{
  static const Field fields[] = { { "name", JSON_STRING, true },
                                  { "type", JSON_STRING, true },
                                  { "required", JSON_TRUE, false },
                                  { "doc", JSON_STRING, false },
                                  { 0 } };
  json_t *rest = json_is_object(attribute) ? json_copy(attribute) : json_incref(attribute);
  json_object_del(rest, "default");
  json_object_del(rest, "spelling");
  json_object_del(rest, "phrase");
  bool ok = check_object(reader, path, rest, fields);
  json_decref(rest);
  return ok;
}

static void read_constraint(Reader *reader, Str path, json_t *constraint)
{
  static const Field fields[] = {
    { "name", JSON_STRING, true }, { "types", JSON_ARRAY, true }, { "doc", JSON_STRING, false }, { 0 }
  };
  if (!check_object(reader, path, constraint, fields))
    return;
  Buffer line = { 0 };
  buffer_append(&line, STR("type "));
  append_word(&line, string_of(constraint, "name", ""));
  size_t i;
  json_t *type;
  json_array_foreach(json_object_get(constraint, "types"), i, type)
  {
    buffer_append_char(&line, ' ');
    append_word(&line, json_is_string(type) ? json_string_value(type) : "");
  }
  fact(reader, path, "onnx-schemas", &line);
  buffer_done(&line);
  read_doc(reader, path, constraint);
}

static void read_count(Reader *reader, Str path, const json_t *schema, const char *word, const char *min_key,
                       const char *max_key)
{
  const json_t *min = json_object_get(schema, min_key), *max = json_object_get(schema, max_key);
  if (!json_is_integer(min))
    return;
  if (json_is_integer(max))
    fact_printf(reader, path, "onnx-schemas", "%s %lld..%lld", word, (long long)json_integer_value(min),
                (long long)json_integer_value(max));
  else
    fact_printf(reader, path, "onnx-schemas", "%s %lld..", word, (long long)json_integer_value(min));
}

static void read_schema_parts(Reader *reader, Str path, json_t *schema)
{
  static const char *const words[2] = { "in", "out" };
  static const char *const keys[2] = { "inputs", "outputs" };
  size_t i;
  json_t *item;
  for (int side = 0; side < 2; side++) {
    Str list = join(reader, path, keys[side]);
    json_array_foreach(json_object_get(schema, keys[side]), i, item)
        read_param(reader, at_index(reader, list, i), words[side], item);
  }
  Str attributes = join(reader, path, "attributes");
  json_array_foreach(json_object_get(schema, "attributes"), i, item)
  {
    Str place = at_index(reader, attributes, i);
    if (check_attribute(reader, place, item))
      read_attribute(reader, place, item);
  }
  Str constraints = join(reader, path, "type_constraints");
  json_array_foreach(json_object_get(schema, "type_constraints"), i, item)
      read_constraint(reader, at_index(reader, constraints, i), item);
  read_count(reader, path, schema, "in-count", "min_input", "max_input");
  read_count(reader, path, schema, "out-count", "min_output", "max_output");
}

static void read_schema(Reader *reader, Str path, json_t *schema)
{
  static const Field fields[] = {
    { "domain", JSON_STRING, true },
    { "op", JSON_STRING, true },
    { "since", JSON_INTEGER, true },
    { "deprecated", JSON_TRUE, false },
    { "experimental", JSON_TRUE, false },
    { "function", JSON_TRUE, false },
    { "min_input", JSON_INTEGER, false },
    { "max_input", JSON_INTEGER, false },
    { "min_output", JSON_INTEGER, false },
    { "max_output", JSON_INTEGER, false },
    { "inputs", JSON_ARRAY, false },
    { "outputs", JSON_ARRAY, false },
    { "attributes", JSON_ARRAY, false },
    { "type_constraints", JSON_ARRAY, false },
    { "doc", JSON_STRING, false },
    { "summary", JSON_STRING, false },
    { "changes", JSON_ARRAY, false },
    { "url", JSON_STRING, false },
    { 0 },
  };
  static const char *const flags[] = { "deprecated", "experimental", "function" };
  if (!check_object(reader, path, schema, fields))
    return;
  const char *domain = string_of(schema, "domain", "");
  fact_printf(reader, join(reader, path, "domain"), "onnx-schemas", "domain %s", *domain ? domain : "ai.onnx");
  Buffer line = { 0 };
  buffer_append(&line, STR("op "));
  append_word(&line, string_of(schema, "op", ""));
  buffer_printf(&line, " %lld", (long long)json_integer_value(json_object_get(schema, "since")));
  for (size_t i = 0; i < 3; i++) {
    if (json_is_true(json_object_get(schema, flags[i])))
      buffer_printf(&line, " %s", flags[i]);
  }
  fact(reader, path, "onnx-schemas", &line);
  buffer_done(&line);
  read_doc(reader, path, schema);
  read_schema_parts(reader, path, schema);
}

// The file.

static void read_texts(Reader *reader, const char *kind, const char *key, json_t *texts)
{
  const char *name;
  json_t *text;
  json_object_foreach(texts, name, text)
  {
    Str place = join(reader, str_from(key), name);
    if (json_is_string(text))
      fact_printf(reader, place, kind, "%s\t%s", name, json_string_value(text));
    else
      records_complain(reader->records, reader->file, place, "expected a string");
  }
}

static void read_overlay(Reader *reader, json_t *overlay)
{
  static const Field fields[] = { { "$schema", JSON_STRING, false }, { "version", JSON_INTEGER, true },
                                  { "sources", JSON_ARRAY, false },  { "torch", JSON_ARRAY, false },
                                  { "onnx", JSON_ARRAY, false },     { "summaries", JSON_OBJECT, false },
                                  { "phrases", JSON_OBJECT, false }, { 0 } };
  if (!check_object(reader, top, overlay, fields))
    return;
  if (json_integer_value(json_object_get(overlay, "version")) != 1) {
    records_complain(reader->records, reader->file, STR("version"), "this onnxls reads version 1");
    return;
  }
  size_t i;
  json_t *item;
  json_array_foreach(json_object_get(overlay, "sources"), i, item)
  {
    if (json_is_string(item))
      fact_printf(reader, at_index(reader, STR("sources"), i), "torch-versions", "source %s", json_string_value(item));
  }
  json_array_foreach(json_object_get(overlay, "torch"), i, item)
      read_torch(reader, at_index(reader, STR("torch"), i), item);
  json_array_foreach(json_object_get(overlay, "onnx"), i, item)
      read_schema(reader, at_index(reader, STR("onnx"), i), item);
  read_texts(reader, "summaries", "summaries", json_object_get(overlay, "summaries"));
  read_texts(reader, "attribute-phrases", "phrases", json_object_get(overlay, "phrases"));
}

void overlay_read_json(Records *records, Str file, Str text)
{
  Reader reader = { .records = records, .file = file };
  json_error_t error;
  if (text.len > FACTS_BYTE_LIMIT) {
    records_complain(records, file, STR("1"), "more than %d MB of facts", FACTS_BYTE_LIMIT / (1024 * 1024));
    return;
  }
  json_t *overlay = json_loadb(text.len > 0 ? text.data : "", text.len, JSON_REJECT_DUPLICATES, &error);
  if (overlay)
    read_overlay(&reader, overlay);
  else
    records_complain(records, file, arena_printf(&reader.arena, "%d:%d", error.line, error.column), "%s", error.text);
  json_decref(overlay);
  arena_done(&reader.arena);
}
