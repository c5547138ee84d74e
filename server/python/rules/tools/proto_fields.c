#include "python/rules/tools/proto_fields.h"

static const struct {
  Str message, name, type;
} fields[] = {
#define FIELD(message, name, type) { STR_INIT(message), STR_INIT(name), STR_INIT(type) },
#include "python/rules/tools/proto_fields.def"
#undef FIELD
};

Str proto_field_type(Str message, Str name)
{
  for (size_t i = 0; str_starts_with(message, STR("onnx.")) && i < COUNT(fields); i++) {
    if (str_equal(fields[i].name, name) && str_equal(fields[i].message, message))
      return fields[i].type;
  }
  return (Str){ 0 };
}

bool proto_is_message(Str class_name)
{
  for (size_t i = 0; str_starts_with(class_name, STR("onnx.")) && i < COUNT(fields); i++) {
    if (str_equal(fields[i].message, class_name))
      return true;
  }
  return false;
}
