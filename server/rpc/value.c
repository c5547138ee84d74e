#include "rpc/value.h"

#include <jansson.h>
#include <stdio.h>

#include "base/memory.h"

// A Value is a json_t whose type the other layers can't see.
static json_t *to_json(const Value *value)
{
  return (json_t *)value;
}

void value_use_memory(void)
{
  json_set_alloc_funcs(xmalloc, free);
}

Status value_parse(Str text, Value **ret_value, ValueError *ret_error)
{
  json_error_t error;
  json_t *json = json_loadb(text.len > 0 ? text.data : "", text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
  if (!json) {
    ret_error->line = error.line;
    ret_error->column = error.column;
    snprintf(ret_error->text, sizeof(ret_error->text), "%s", error.text);
    return ERR_FORMAT;
  }
  *ret_value = (Value *)json;
  return OK;
}

Value *value_retain(const Value *value)
{
  return (Value *)json_incref(to_json(value));
}

void value_release(Value *value)
{
  json_decref(to_json(value));
}

ValueKind value_kind(const Value *value)
{
  if (!value)
    return VALUE_MISSING;
  switch (json_typeof(to_json(value))) {
  case JSON_OBJECT:
    return VALUE_OBJECT;
  case JSON_ARRAY:
    return VALUE_ARRAY;
  case JSON_STRING:
    return VALUE_STRING;
  case JSON_INTEGER:
  case JSON_REAL:
    return VALUE_NUMBER;
  case JSON_TRUE:
  case JSON_FALSE:
    return VALUE_BOOL;
  case JSON_NULL:
    return VALUE_NULL;
  }
  return VALUE_MISSING;
}

const char *value_kind_name(const Value *value)
{
  static const char *const names[] = {
    "nothing", "null", "a boolean", "a number", "a string", "an array", "an object"
  };
  return names[value_kind(value)];
}

const Value *value_get(const Value *object, const char *key)
{
  return (const Value *)json_object_get(to_json(object), key);
}

const Value *value_path(const Value *object, const char *path)
{
  while (object) {
    const char *dot = strchr(path, '.');
    size_t len = dot ? (size_t)(dot - path) : strlen(path);
    object = (const Value *)json_object_getn(to_json(object), path, len);
    if (!dot)
      break;
    path = dot + 1;
  }
  return object;
}

bool value_to_str(const Value *value, Str *ret_str)
{
  if (!json_is_string(to_json(value)))
    return false;
  *ret_str = str_make(json_string_value(to_json(value)), json_string_length(to_json(value)));
  return true;
}

bool value_to_int(const Value *value, int64_t *ret_int)
{
  if (json_is_integer(to_json(value))) {
    *ret_int = json_integer_value(to_json(value));
    return true;
  }
  if (!json_is_real(to_json(value)))
    return false;
  // Some clients write whole numbers as 3.0; beyond 2^53 that is not exact any more.
  double real = json_real_value(to_json(value));
  if (!(real >= -9007199254740992.0 && real <= 9007199254740992.0) || real != (double)(int64_t)real)
    return false;
  *ret_int = (int64_t)real;
  return true;
}

bool value_to_bool(const Value *value, bool *ret_bool)
{
  if (!json_is_boolean(to_json(value)))
    return false;
  *ret_bool = json_is_true(to_json(value));
  return true;
}

bool value_is_true(const Value *value)
{
  return json_is_true(to_json(value));
}

size_t value_count(const Value *array)
{
  return json_array_size(to_json(array));
}

const Value *value_at(const Value *array, size_t index)
{
  return (const Value *)json_array_get(to_json(array), index);
}

void value_each(const Value *object, void (*visit)(Str key, const Value *value, void *context), void *context)
{
  const char *key;
  size_t len;
  json_t *member;
  json_object_keylen_foreach(to_json(object), key, len, member)
  {
    visit(str_make(key, len), (const Value *)member, context);
  }
}

char *value_dump(const Value *value)
{
  // jansson allocates with malloc() unless told otherwise, and nobody tells it otherwise.
  return json_dumps(to_json(value), JSON_COMPACT | JSON_ENCODE_ANY);
}

char *value_dump_lines(const Value *value)
{
  return json_dumps(to_json(value), JSON_INDENT(1) | JSON_ENCODE_ANY);
}
