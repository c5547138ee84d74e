#include "onnx_model/tensor.h"

#include "onnx_model/walk.h"

/// a * b, or UINT64_MAX.
static uint64_t multiply(uint64_t a, uint64_t b)
{
  uint64_t product;
  return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static void count_values(Reader *reader, TensorFacts *facts)
{
  Bulk dims = reader_bulk(reader, facts->message, TENSOR_DIMS);
  uint64_t dim;
  bool has_zero = false;
  facts->value_count = facts->counted = 1;
  while (bulk_number(&dims, &dim)) {
    facts->rank++;
    facts->has_negative_dim |= (int64_t)dim < 0;
    has_zero |= dim == 0;
    facts->value_count = multiply(facts->value_count, dim);
    facts->counted *= dim;
  }
  if (has_zero)
    facts->value_count = 0;
  facts->overflows = !facts->has_negative_dim && facts->value_count > INT64_MAX;
  if (facts->has_negative_dim)
    facts->value_count = UINT64_MAX;
}

/// The sizes of all bulk fields in one pass: there may be a field for each value.
static void measure_data(Reader *reader, const Message *message, BulkSize *ret_sizes)
{
  for (uint32_t i = 0; i < message->count; i++) {
    Span span = reader->spans.items[message->first + i];
    Wire wire = wire_over(reader->source, span.start, span.end);
    Field field;
    while (wire_next_field(&wire, &field) == WIRE_FIELD) {
      const FieldInfo *info = field_info(MSG_TENSOR, field.number);
      if (!field_is_bulk(info) || !walk_field_fits(info, field.wire))
        continue;
      ret_sizes[field.number].fields++;
      ret_sizes[field.number].bytes += field.wire == WIRE_BYTES ? field.value : field_size(field.wire);
    }
  }
}

static void find_data(Reader *reader, const FieldList *tensor, TensorFacts *facts)
{
  static const uint32_t typed_fields[] = { TENSOR_FLOATS, TENSOR_INT32S,  TENSOR_STRINGS,
                                           TENSOR_INT64S, TENSOR_DOUBLES, TENSOR_UINT64S };
  BulkSize sizes[FIELD_MAX + 1] = { 0 };
  measure_data(reader, &facts->message, sizes);
  for (size_t i = 0; i < COUNT(typed_fields); i++) {
    // A packed field may hold nothing, and an empty string is a value.
    bool has_values =
        typed_fields[i] == TENSOR_STRINGS ? sizes[TENSOR_STRINGS].fields > 0 : sizes[typed_fields[i]].bytes > 0;
    if (facts->info && typed_fields[i] == facts->info->field)
      facts->typed = sizes[typed_fields[i]];
    else if (has_values)
      facts->wrong_field = typed_fields[i];
  }
  const Field *raw = reader_last(reader, tensor, TENSOR_RAW);
  facts->has_raw = raw != NULL;
  if (raw)
    facts->raw = *raw;
  if (raw && facts->info && facts->info->width == 0) {
    facts->wrong_field = raw->value > 0 ? TENSOR_RAW : facts->wrong_field;  // Strings are never raw.
    facts->has_raw = false;
  }
}

TensorFacts tensor_facts(Reader *reader, const FieldList *tensor)
{
  TensorFacts facts = { .message = tensor->message };
  facts.element_type = reader_number(reader, tensor, TENSOR_DATA_TYPE, 0);
  facts.info = element_info(facts.element_type);
  facts.is_external = reader_number(reader, tensor, TENSOR_LOCATION, 0) == 1;
  count_values(reader, &facts);
  find_data(reader, tensor, &facts);
  if (facts.info) {
    uint64_t bits = multiply(facts.value_count, facts.info->bits);
    facts.byte_count = bits > UINT64_MAX - 7 ? UINT64_MAX : (bits + 7) / 8;
  }
  return facts;
}

TensorNumbers tensor_numbers(Reader *reader, const TensorFacts *facts)
{
  TensorNumbers numbers = { .facts = facts, .reader = reader };
  numbers.bulk = reader_bulk(reader, facts->message, facts->info ? facts->info->field : TENSOR_INT32S);
  return numbers;
}

bool tensor_next(TensorNumbers *numbers, uint64_t *ret_bits)
{
  const TensorFacts *facts = numbers->facts;
  if (!facts->has_raw)
    return bulk_number(&numbers->bulk, ret_bits);
  size_t width = facts->info->width;
  if (facts->raw.value - numbers->raw_at < width || numbers->reader->problem)
    return false;
  Source *source = numbers->reader->source;
  uint64_t bits = 0;
  size_t len;
  const char *bytes = source_at(source, facts->raw.start + numbers->raw_at, width, &len);
  if (len < width) {
    numbers->reader->problem = source->problem;
    return false;
  }
  for (size_t i = 0; i < width; i++)
    bits |= (uint64_t)(uint8_t)bytes[i] << (8 * i);
  numbers->raw_at += width;
  *ret_bits = bits;
  return true;
}
