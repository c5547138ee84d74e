#include "onnx_model/reader.h"

#include "onnx_model/walk.h"

enum { FIRST_FIELDS = 40 };  ///< On the way to a value of a small model.

_Static_assert(FIELD_MAX < 32, "FieldList.seen has a bit for each number");

void reader_done(Reader *reader)
{
  vec_free(&reader->fields);
  vec_free(&reader->spans);
}

/// The walk found no fault here, so what is wrong now was not then.
static void fail(Reader *reader, const Wire *wire)
{
  if (reader->problem)
    return;
  reader->problem = reader->source->problem ? reader->source->problem : wire->problem;
  reader->problem_at = wire->problem_at;
}

static Message add_span(Reader *reader, MessageKind kind, uint64_t start, uint64_t end)
{
  vec_push(&reader->spans, (Span){ start, end });
  return (Message){ kind, 1, reader->spans.count - 1 };
}

Message reader_root(Reader *reader, MessageKind kind)
{
  return add_span(reader, kind, 0, reader->source->size);
}

/// The message of one field of a list.
static Message message_of(Reader *reader, const FieldList *list, size_t i)
{
  const Field *field = reader_field(reader, list, i);
  MessageKind kind = field_info(list->message.kind, field->number)->child;
  return add_span(reader, kind, field->start, field->start + field->value);
}

/// Returns the bits of the numbers seen.
static uint32_t collect(Reader *reader, Span span, MessageKind kind)
{
  Wire wire = wire_over(reader->source, span.start, span.end);
  uint32_t seen = 0;
  if (reader->fields.capacity == 0)
    vec_reserve(&reader->fields, FIRST_FIELDS);
  for (;;) {
    vec_reserve(&reader->fields, reader->fields.count + 1);
    Field *field = &reader->fields.items[reader->fields.count];  // Where it stays if it is kept.
    WireResult result = wire_next_field(&wire, field);
    if (result == WIRE_BAD)
      fail(reader, &wire);
    if (result != WIRE_FIELD)
      return seen;
    const FieldInfo *info = field_info(kind, field->number);
    if (!walk_field_fits(info, field->wire))
      continue;
    seen |= UINT32_C(1) << field->number;
    reader->fields.count += !field_is_bulk(info);
  }
}

FieldList reader_fields(Reader *reader, Message message)
{
  FieldList list = { .message = message, .first = reader->fields.count };
  for (uint32_t i = 0; i < message.count && !reader->problem; i++)
    list.seen |= collect(reader, reader->spans.items[message.first + i], message.kind);
  list.count = reader->fields.count - list.first;
  return list;
}

FieldList reader_child(Reader *reader, const FieldList *list, size_t i)
{
  return reader_fields(reader, message_of(reader, list, i));
}

bool reader_lone(Reader *reader, const FieldList *list, size_t i, Field *ret_field)
{
  const Field *field = reader_field(reader, list, i);
  const FieldInfo *info = field_info(list->message.kind, field->number);
  Wire wire = wire_over(reader->source, field->start, field->start + field->value);
  if (wire_next_field(&wire, ret_field) != WIRE_FIELD || wire.at < wire.end)
    return false;
  return walk_field_fits(field_info(info->child, ret_field->number), ret_field->wire);
}

/// Of the alternatives of a type or of a dimension, the last one counts: what was set before another one is gone.
static bool is_alternative(MessageKind kind, uint32_t a, uint32_t b)
{
  if (a == b)
    return false;
  if (kind == MSG_TYPE)
    return a != TYPE_DENOTATION && b != TYPE_DENOTATION;
  return (kind == MSG_DIM || kind == MSG_SIMPLE_SHARD) && a <= DIM_PARAM && b <= DIM_PARAM;
}

FieldList reader_only(Reader *reader, const FieldList *list, uint32_t number, bool *ret_found)
{
  MessageKind kind = list->message.kind;
  Message message = { field_info(kind, number)->child, 0, reader->spans.count };
  *ret_found = false;
  if (!reader_has(list, number))
    return (FieldList){ .message = message, .first = reader->fields.count };
  for (size_t i = 0; i < list->count; i++) {
    const Field *field = reader_field(reader, list, i);
    if (is_alternative(kind, number, field->number)) {
      reader->spans.count = message.first;
      message.count = 0;
    } else if (field->number == number) {
      vec_push(&reader->spans, (Span){ field->start, field->start + field->value });
      message.count++;
    }
  }
  *ret_found = message.count > 0;
  return reader_fields(reader, message);
}

const Field *reader_last(const Reader *reader, const FieldList *list, uint32_t number)
{
  for (size_t i = reader_has(list, number) ? list->count : 0; i-- > 0;) {
    const Field *field = reader_field(reader, list, i);
    if (field->number == number)
      return field;
    if (is_alternative(list->message.kind, number, field->number))
      return NULL;
  }
  return NULL;
}

uint64_t reader_number(const Reader *reader, const FieldList *list, uint32_t number, uint64_t otherwise)
{
  const Field *field = reader_last(reader, list, number);
  return field ? field->value : otherwise;
}

size_t reader_count(const Reader *reader, const FieldList *list, uint32_t number)
{
  size_t count = 0;
  for (size_t i = 0; i < list->count && reader_has(list, number); i++)
    count += reader_field(reader, list, i)->number == number;
  return count;
}

Bulk reader_bulk(Reader *reader, Message message, uint32_t number)
{
  return (Bulk){ .reader = reader,
                 .message = message,
                 .number = number,
                 .type = field_info(message.kind, number)->type,
                 .wire = wire_over(reader->source, 0, 0),
                 .packed = wire_over(reader->source, 0, 0) };
}

/// The next field of the number, in any piece.
bool bulk_bytes(Bulk *bulk, Field *ret_field)
{
  Reader *reader = bulk->reader;
  const FieldInfo *info = field_info(bulk->message.kind, bulk->number);
  while (!reader->problem) {
    switch (wire_next_field(&bulk->wire, ret_field)) {
    case WIRE_FIELD:
      if (ret_field->number == bulk->number && walk_field_fits(info, ret_field->wire))
        return true;
      break;
    case WIRE_END:
      if (bulk->piece == bulk->message.count)
        return false;
      Span span = reader->spans.items[bulk->message.first + bulk->piece++];
      bulk->wire = wire_over(reader->source, span.start, span.end);
      break;
    case WIRE_BAD:
      fail(reader, &bulk->wire);
      break;
    }
  }
  return false;
}

static bool read_packed(Bulk *bulk, uint64_t *ret_value)
{
  bool is_good = bulk->type == FIELD_MANY_INTS
                     ? wire_varint(&bulk->packed, ret_value)
                     : wire_fixed(&bulk->packed, bulk->type == FIELD_MANY_FLOATS ? 4 : 8, ret_value);
  if (!is_good)
    fail(bulk->reader, &bulk->packed);
  return is_good;
}

bool bulk_number(Bulk *bulk, uint64_t *ret_value)
{
  Field field;
  while (bulk->packed.at >= bulk->packed.end) {
    if (!bulk_bytes(bulk, &field))
      return false;
    if (field.wire != WIRE_BYTES) {
      *ret_value = field.value;
      return true;
    }
    bulk->packed = wire_over(bulk->reader->source, field.start, field.start + field.value);
  }
  return !bulk->reader->problem && read_packed(bulk, ret_value);
}
