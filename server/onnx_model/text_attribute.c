// Attributes of nodes and the defaults of functions: `alpha: float = 1.0`.
#include "onnx_model/numbers.h"
#include "onnx_model/text_private.h"

enum { UNBROKEN_VALUES = 16 };  ///< So many stay in one line.

static bool is_bulk_attribute(AttributeType type)
{
  return type == ATTR_FLOATS || type == ATTR_INTS || type == ATTR_STRINGS;
}

static bool has_value(Printer *printer, const FieldList *attribute, AttributeType type)
{
  (void)printer;
  return reader_has(attribute, attribute_type_field(type));
}

/// The type that is written there, else the one of the value; models before IR version 2 have none.
AttributeType text_attribute_type(Printer *printer, const FieldList *attribute)
{
  uint64_t type = reader_number(&printer->reader, attribute, ATTRIBUTE_TYPE, ATTR_UNDEFINED);
  if (type > ATTR_UNDEFINED && type < ATTR_COUNT)
    return (AttributeType)type;
  for (AttributeType guess = ATTR_FLOAT; guess < ATTR_COUNT; guess++) {
    if (has_value(printer, attribute, guess))
      return guess;
  }
  return ATTR_UNDEFINED;
}

/// A node of the model's own graph has nothing to refer to: there the value counts, if it has one.
static bool is_reference(Printer *printer, const FieldList *attribute)
{
  const Field *reference = reader_last(&printer->reader, attribute, ATTRIBUTE_REFERENCE);
  bool is_outermost = printer->frames.count == 1 && printer->frames.items[0].list.message.kind == MSG_GRAPH;
  return reference && reference->value > 0 &&
         !(is_outermost && has_value(printer, attribute, text_attribute_type(printer, attribute)));
}

bool text_attribute_has_graphs(Printer *printer, const FieldList *attribute)
{
  AttributeType type = text_attribute_type(printer, attribute);
  return (type == ATTR_GRAPH || type == ATTR_GRAPHS) && !is_reference(printer, attribute) &&
         has_value(printer, attribute, type);
}

bool text_attribute_is_written(Printer *printer, const FieldList *attribute)
{
  AttributeType type = text_attribute_type(printer, attribute);
  if (is_reference(printer, attribute))
    return type != ATTR_UNDEFINED;
  switch (type) {
  case ATTR_UNDEFINED:
  case ATTR_SPARSE_TENSOR:
  case ATTR_SPARSE_TENSORS:
    return false;
  case ATTR_TENSOR:
  case ATTR_GRAPH:
  case ATTR_TYPE_PROTO:
    return has_value(printer, attribute, type);
  default:
    return true;
  }
}

/// A short list, such as pads, is never broken.
static void print_separator(Printer *printer, size_t *count)
{
  if (*count > 0)
    out_put(&printer->out, STR(", "));
  if (*count >= UNBROKEN_VALUES)
    out_wrap_values(&printer->out);
  (*count)++;
}

static void print_numbers(Printer *printer, const FieldList *attribute, AttributeType type)
{
  char memory[NUMBER_TEXT];
  Bulk bulk = reader_bulk(&printer->reader, attribute->message, attribute_type_field(type));
  uint64_t bits;
  size_t count = 0;
  while (!printer->out.is_muted && bulk_number(&bulk, &bits) && printer_is_good(printer)) {
    print_separator(printer, &count);
    out_put(&printer->out,
            type == ATTR_INTS ? number_signed(bits, 8, memory) : number_float((uint32_t)bits, true, memory));
  }
}

/// A string that is not a text for people is left out unless everything is asked for.
static void print_string(Printer *printer, const Field *field)
{
  bool is_shown = !field || field->value <= MODEL_STRING_SHOWN || printer->options->is_full;
  out_quoted_bytes(&printer->out, is_shown ? field : NULL);
  if (!is_shown)
    out_note(&printer->out, "left out: a string of %llu bytes", (unsigned long long)field->value);
}

static void print_strings(Printer *printer, const FieldList *attribute)
{
  Bulk bulk = reader_bulk(&printer->reader, attribute->message, ATTRIBUTE_STRINGS);
  Field field;
  size_t count = 0;
  while (!printer->out.is_muted && bulk_bytes(&bulk, &field) && printer_is_good(printer)) {
    print_separator(printer, &count);
    print_string(printer, &field);
  }
}

static void print_messages(Printer *printer, const FieldList *attribute, uint32_t number,
                           void (*print)(Printer *printer, const FieldList *message))
{
  size_t count = 0;
  for (size_t i = 0; i < attribute->count && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, attribute, i)->number != number)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    print_separator(printer, &count);
    FieldList message = reader_child(&printer->reader, attribute, i);
    print(printer, &message);
    reader_release(&printer->reader, mark);
  }
}

static void print_only(Printer *printer, const FieldList *attribute, uint32_t number,
                       void (*print)(Printer *printer, const FieldList *message))
{
  bool found;
  ReaderMark mark = reader_mark(&printer->reader);
  FieldList message = reader_only(&printer->reader, attribute, number, &found);
  print(printer, &message);
  reader_release(&printer->reader, mark);
}

static void print_single(Printer *printer, const FieldList *attribute, AttributeType type)
{
  char memory[NUMBER_TEXT];
  Reader *reader = &printer->reader;
  Out *out = &printer->out;
  switch (type) {
  case ATTR_FLOAT:
    out_put(out, number_float((uint32_t)reader_number(reader, attribute, ATTRIBUTE_F, 0), true, memory));
    break;
  case ATTR_INT:
    out_put(out, number_signed(reader_number(reader, attribute, ATTRIBUTE_I, 0), 8, memory));
    break;
  case ATTR_STRING:
    print_string(printer, reader_last(reader, attribute, ATTRIBUTE_S));
    break;
  case ATTR_TENSOR:
    print_only(printer, attribute, ATTRIBUTE_T, text_print_tensor);
    break;
  case ATTR_TYPE_PROTO:
    print_only(printer, attribute, ATTRIBUTE_TP, text_print_type);
    break;
  default:
    break;
  }
}

static void print_list(Printer *printer, const FieldList *attribute, AttributeType type)
{
  if (type == ATTR_FLOATS || type == ATTR_INTS)
    print_numbers(printer, attribute, type);
  else if (type == ATTR_STRINGS)
    print_strings(printer, attribute);
  else if (type == ATTR_TENSORS)
    print_messages(printer, attribute, ATTRIBUTE_TENSORS, text_print_tensor);
  else if (type == ATTR_TYPE_PROTOS)
    print_messages(printer, attribute, ATTRIBUTE_TYPES, text_print_type);
}

static bool is_list(AttributeType type)
{
  return is_bulk_attribute(type) || type == ATTR_TENSORS || type == ATTR_GRAPHS || type == ATTR_TYPE_PROTOS;
}

/// Values beside the one that the type names.
static void note_others(Printer *printer, const FieldList *attribute, AttributeType type)
{
  for (AttributeType other = ATTR_FLOAT; other < ATTR_COUNT; other++) {
    if (other != type && has_value(printer, attribute, other))
      out_refused(&printer->out, "%s is set, too", field_info(MSG_ATTRIBUTE, attribute_type_field(other))->name);
  }
}

/// Some readers take it for what the text shows, 0 or "", others for the default of the operator.
static bool lacks_value(Printer *printer, const FieldList *attribute, AttributeType type)
{
  bool is_single = type == ATTR_FLOAT || type == ATTR_INT || type == ATTR_STRING;
  return is_single && !has_value(printer, attribute, type) && !is_reference(printer, attribute);
}

/// A Constant has one attribute, `value_int` or the like; what other operators lack is what their schemas say.
static bool is_constant_without_value(Printer *printer, const FieldList *attribute, AttributeType type)
{
  static const Str prefix = STR_INIT("value_");
  const Field *name = reader_last(&printer->reader, attribute, ATTRIBUTE_NAME);
  size_t len = 0;
  if (!lacks_value(printer, attribute, type) || !name)
    return false;
  const char *bytes = source_at(printer->reader.source, name->start, prefix.len, &len);
  return name->value > prefix.len && len >= prefix.len && str_equal(str_make(bytes, prefix.len), prefix);
}

void text_print_attribute(Printer *printer, const FieldList *attribute)
{
  Reader *reader = &printer->reader;
  Out *out = &printer->out;
  AttributeType type = text_attribute_type(printer, attribute);
  out_word(out, reader_last(reader, attribute, ATTRIBUTE_NAME));
  // Without a type in the model none is written: the value says it, and a reader that insists on one sees that it is
  // missing.
  bool has_type = reader_number(reader, attribute, ATTRIBUTE_TYPE, 0) == (uint64_t)type;
  if (has_type || is_list(type)) {
    out_put(out, STR(": "));
    out_put(out, str_from(attribute_type_name(type)));
  }
  if (!has_type)
    out_refused(out, "no attribute type");
  out_put(out, STR(" = "));
  note_others(printer, attribute, type);
  if (is_constant_without_value(printer, attribute, type))
    out_refused(out, "a constant without a value");
  else if (lacks_value(printer, attribute, type))
    out_note_string(out, "no value:", reader_last(reader, attribute, ATTRIBUTE_NAME));
  if (reader_last(reader, attribute, ATTRIBUTE_REFERENCE) && printer->frames.count > 1 &&
      has_value(printer, attribute, type))
    out_refused(out, "a reference, and a value, too");
  if (is_reference(printer, attribute)) {
    out_put(out, STR("@"));
    out_name(out, reader_last(reader, attribute, ATTRIBUTE_REFERENCE));
  } else if (is_list(type)) {
    out_put(out, STR("["));
    print_list(printer, attribute, type);
    out_put(out, text_attribute_has_graphs(printer, attribute) ? STR("") : STR("]"));
  } else {
    print_single(printer, attribute, type);
  }
}

static bool has_others(Printer *printer, const FieldList *attribute, AttributeType type)
{
  bool has_any = false;
  for (AttributeType other = ATTR_FLOAT; other < ATTR_COUNT; other++)
    has_any |= other != type && has_value(printer, attribute, other);
  return has_any;
}

/// What has no syntax.
static void print_unwritten(Printer *printer, const FieldList *attribute)
{
  AttributeType type = text_attribute_type(printer, attribute);
  const Field *found = reader_last(&printer->reader, attribute, ATTRIBUTE_NAME);
  Field name = found ? *found : (Field){ 0 };  // A sparse tensor is read below, and may move the fields.
  bool is_sparse = type == ATTR_SPARSE_TENSOR || type == ATTR_SPARSE_TENSORS;
  bool is_sound = is_sparse && has_value(printer, attribute, type) && !has_others(printer, attribute, type) &&
                  name.value > 0 && reader_number(&printer->reader, attribute, ATTRIBUTE_TYPE, 0) == (uint64_t)type;
  bool is_named_only = name.value > 0 && !has_value(printer, attribute, type) &&
                       !has_others(printer, attribute, type) &&
                       reader_last(&printer->reader, attribute, ATTRIBUTE_TYPE);
  Arena arena = { 0 };
  Str word = is_sound && type == ATTR_SPARSE_TENSOR ? text_sparse_type(printer, attribute, ATTRIBUTE_SPARSE, &arena)
                                                    : str_from(attribute_type_name(type));
  Str label = arena_printf(&arena, "%sattribute without %s, %.*s: ", is_sound ? "" : OUT_REFUSED,
                           is_named_only ? "its value" : "a value that ONNX text has", STR_ARG(word));
  out_comment(&printer->out, label.data, found ? &name : NULL);
  arena_done(&arena);
  text_print_sparse_comments(printer, attribute, ATTRIBUTE_SPARSE);
  text_print_sparse_comments(printer, attribute, ATTRIBUTE_SPARSES);
}

void text_print_attribute_comments(Printer *printer, const FieldList *attribute)
{
  if (!text_attribute_is_written(printer, attribute))
    print_unwritten(printer, attribute);
  const Field *doc = reader_last(&printer->reader, attribute, ATTRIBUTE_DOC);
  if (doc && doc->value > 0) {
    out_comment(&printer->out, "attribute: ", reader_last(&printer->reader, attribute, ATTRIBUTE_NAME));
    out_comment(&printer->out, "  doc_string: ", doc);
  }
  if (text_attribute_type(printer, attribute) != ATTR_TENSOR)
    return;
  bool found;
  ReaderMark mark = reader_mark(&printer->reader);
  FieldList tensor = reader_only(&printer->reader, attribute, ATTRIBUTE_T, &found);
  text_print_tensor_comments(printer, &tensor);
  reader_release(&printer->reader, mark);
}
