// The values of tensors: `{1, 2}`, or `{}` with a note of what is left out.
#include <stdlib.h>

#include "base/limits.h"
#include "base/sha256.h"
#include "onnx_model/external.h"
#include "onnx_model/numbers.h"
#include "onnx_model/tensor.h"
#include "onnx_model/text_private.h"

static Str number_text(const TensorFacts *facts, uint64_t bits, char *memory)
{
  const ElementInfo *info = facts->info;
  // Not raw, a number is as wide as its field, whatever its type; so a wrong one is seen.
  bool is_narrow = facts->has_raw || info->form == 'f';
  unsigned width = is_narrow ? info->width : 8;
  if (info->form == 'f')
    return width == 4 ? number_float((uint32_t)bits, false, memory) : number_double(bits, false, memory);
  bool is_signed = info->form == 'i' || (!facts->has_raw && info->field == TENSOR_INT32S);
  return is_signed ? number_signed(bits, width, memory) : number_unsigned(bits, width, memory);
}

/// What some of the numbers mean that were written as bits.
typedef struct Explained {
  uint64_t bits[MODEL_VALUES_EXPLAINED];
  size_t count;
} Explained;

static bool is_small_float(const TensorFacts *facts)
{
  uint64_t type = facts->element_type;
  return type == ELEMENT_FLOAT16 || type == ELEMENT_BFLOAT16 || type == ELEMENT_FLOAT8E8M0 ||
         (type >= ELEMENT_FLOAT8E4M3FN && type <= ELEMENT_FLOAT8E5M2FNUZ) || type == ELEMENT_FLOAT4E2M1;
}

static void explain_value(const TensorFacts *facts, uint32_t bits, Buffer *words)
{
  bool is_signed = facts->element_type == ELEMENT_INT4 || facts->element_type == ELEMENT_INT2;
  uint32_t sign = 1U << (facts->info->bits - 1);
  if (words->len > 0)
    buffer_append(words, STR(", "));
  if (is_small_float(facts))
    buffer_printf(words, "%.5g", number_small_float(facts->element_type, bits));
  else
    buffer_printf(words, "%d", is_signed ? (int)(bits ^ sign) - (int)sign : (int)bits);
}

static void note_meaning(Printer *printer, const TensorFacts *facts, const Explained *explained)
{
  unsigned bits = facts->info->bits;
  if (explained->count == 0 || facts->value_count > MODEL_VALUES_EXPLAINED || (bits >= 8 && !is_small_float(facts)))
    return;
  Buffer words = { 0 };
  uint64_t values = 0;
  for (size_t i = 0; i < explained->count; i++) {
    for (unsigned at = 0; at < (bits < 8 ? 8 : bits) && values < facts->value_count; at += bits, values++)
      explain_value(facts, (uint32_t)(explained->bits[i] >> at) & ((1U << bits) - 1), &words);
  }
  out_note(&printer->out, "values: %.*s", STR_ARG(buffer_str(&words)));
  buffer_done(&words);
}

static uint64_t value_limit(const Printer *printer, const TensorFacts *facts)
{
  const ModelTextOptions *options = printer->options;
  bool may_be_sizes = facts->element_type == ELEMENT_INT64 || facts->element_type == ELEMENT_INT32;
  return may_be_sizes && options->max_sizes > options->max_values ? options->max_sizes : options->max_values;
}

/// How many numbers are written at most: as many as the dimensions want. Of sizes all count that are there.
static uint64_t number_limit(const Printer *printer, const TensorFacts *facts)
{
  uint64_t shown = value_limit(printer, facts);
  uint64_t wanted = facts->value_count * facts->info->per_value;  // It is at most max_sizes here.
  if (printer->options->is_full)
    return UINT64_MAX;
  return shown > printer->options->max_values && shown > wanted ? shown : wanted;
}

static void print_numbers(Printer *printer, const TensorFacts *facts)
{
  TensorNumbers numbers = tensor_numbers(&printer->reader, facts);
  Explained explained = { .count = 0 };
  uint64_t limit = number_limit(printer, facts);
  char memory[NUMBER_TEXT];
  uint64_t bits;
  uint64_t i = 0;
  while (tensor_next(&numbers, &bits) && printer_is_good(printer)) {
    if (i == limit) {
      out_note(&printer->out, "more data than the dimensions want is left out");
      break;
    }
    if (i++ > 0) {
      out_put(&printer->out, STR(", "));
      out_wrap_values(&printer->out);
    }
    out_put(&printer->out, number_text(facts, bits, memory));
    if (explained.count < MODEL_VALUES_EXPLAINED)
      explained.bits[explained.count++] = bits;
  }
  note_meaning(printer, facts, &explained);
}

static void print_strings(Printer *printer, const TensorFacts *facts)
{
  Bulk strings = reader_bulk(&printer->reader, facts->message, TENSOR_STRINGS);
  uint64_t limit = number_limit(printer, facts);
  uint64_t i = 0;
  Field field;
  while (bulk_bytes(&strings, &field) && i < limit && printer_is_good(printer)) {
    if (i++ > 0) {
      out_put(&printer->out, STR(", "));
      out_wrap_values(&printer->out);
    }
    out_quoted_bytes(&printer->out, &field);
  }
}

static void hash_raw(Printer *printer, const TensorFacts *facts, Sha256 *sha)
{
  for (uint64_t at = 0; at < facts->raw.value;) {
    uint64_t rest = facts->raw.value - at;
    size_t want = rest < MODEL_WINDOW ? (size_t)rest : MODEL_WINDOW;
    size_t len;
    const char *bytes = source_at(printer->reader.source, facts->raw.start + at, want, &len);
    if (len < want)
      return;
    sha256_add(sha, str_make(bytes, want));
    at += want;
  }
}

static void hash_strings(Printer *printer, const TensorFacts *facts, Sha256 *sha)
{
  Bulk strings = reader_bulk(&printer->reader, facts->message, TENSOR_STRINGS);
  Field field;
  while (bulk_bytes(&strings, &field)) {
    hash_raw(printer, &(TensorFacts){ .raw = field }, sha);
    sha256_add(sha, str_make("", 1));
  }
}

/// Of the values as raw_data has them, however they lie in the file; of strings each with a NUL after it.
static void note_hash(Printer *printer, const TensorFacts *facts)
{
  Sha256 sha;
  char hex[2 * SHA256_BYTES + 1];
  sha256_init(&sha);
  if (facts->has_raw) {
    hash_raw(printer, facts, &sha);
  } else if (facts->info->form == 's') {
    hash_strings(printer, facts, &sha);
  } else {
    TensorNumbers numbers = tensor_numbers(&printer->reader, facts);
    uint64_t bits;
    while (tensor_next(&numbers, &bits)) {
      char bytes[8];
      for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(bits >> (8 * i));
      sha256_add(&sha, str_make(bytes, facts->info->width));
    }
  }
  sha256_hex(&sha, hex);
  out_note(&printer->out, "sha256 %s", hex);
}

/// How many numbers are packed into the field; false if that would take long to find out.
static bool count_typed(Printer *printer, const TensorFacts *facts, uint64_t *ret_count)
{
  TensorNumbers numbers = tensor_numbers(&printer->reader, facts);
  size_t width = facts->info->field == TENSOR_FLOATS ? 4 : facts->info->field == TENSOR_DOUBLES ? 8 : 0;
  uint64_t bits;
  *ret_count = 0;
  if (facts->info->form == 's')
    *ret_count = facts->typed.fields;
  else if (width > 0)
    *ret_count = facts->typed.bytes / width;
  else if (facts->typed.bytes > MODEL_WINDOW)
    return false;
  else
    while (tensor_next(&numbers, &bits))
      ++*ret_count;
  return true;
}

/// Of typed values that are not shown; raw ones are measured with all others.
static void note_count(Printer *printer, const TensorFacts *facts)
{
  uint64_t count;
  uint64_t values = facts->value_count;
  if (facts->has_raw || values == 0 || values > UINT64_MAX / 8 || !count_typed(printer, facts, &count))
    return;
  uint64_t want = facts->info->bits > 0 && facts->info->bits < 8 ? facts->byte_count : values * facts->info->per_value;
  if (count != want)
    out_note(&printer->out, "numbers: %llu, the dimensions want %llu", (unsigned long long)count,
             (unsigned long long)want);
}

static void note_left_out(Printer *printer, const TensorFacts *facts)
{
  uint64_t bytes = facts->has_raw ? facts->raw.value : facts->typed.bytes;
  if (facts->has_negative_dim || facts->overflows)
    out_note(&printer->out, "left out: %llu bytes%s", (unsigned long long)bytes, facts->has_raw ? " of raw_data" : "");
  else
    out_note(&printer->out, "left out: %llu values, %llu bytes", (unsigned long long)facts->value_count,
             (unsigned long long)bytes);
  if (!facts->has_negative_dim && !facts->overflows)
    note_count(printer, facts);
  if (printer->options->wants_hash)
    note_hash(printer, facts);
}

Str text_tensor_refusal(const TensorFacts *facts, Arena *arena)
{
  if (!facts->info) {
    // Of raw data the checker doesn't ask.
    bool is_raw = facts->element_type != 0 && facts->has_raw && facts->raw.value > 0 && !facts->wrong_field;
    return arena_printf(arena, "data type %lld %sis none", (long long)facts->element_type,
                        is_raw ? "of raw data " : "");
  }
  if (facts->wrong_field)
    return arena_printf(arena, "%s is set, where values of this type do not belong",
                        field_info(MSG_TENSOR, facts->wrong_field)->name);
  if (facts->has_raw && facts->raw.value > 0 && facts->typed.fields > 0)
    return arena_printf(arena, "raw_data and %s are both set", field_info(MSG_TENSOR, facts->info->field)->name);
  if (facts->is_external && ((facts->has_raw && facts->raw.value > 0) || facts->typed.fields > 0))
    return STR("external, and data in the model, too");
  if (facts->counted == 0 && (facts->typed.bytes > 0 || (facts->has_raw && facts->raw.value > 0)))
    return facts->value_count == 0 ? STR("data, and no room for any by the dimensions")
                                   : STR("data, and dimensions whose product is 0 in 64 bits");
  bool has_none = facts->typed.fields == 0 && (!facts->has_raw || facts->raw.value == 0);
  return has_none && !facts->is_external && facts->counted > 0 ? STR("no data") : (Str){ 0 };
}

/// What the tensor says that can't be true.
static void note_contradictions(Printer *printer, const TensorFacts *facts)
{
  Out *out = &printer->out;
  Arena arena = { 0 };
  Str refusal = text_tensor_refusal(facts, &arena);
  if (facts->has_negative_dim)
    out_note(out, "a negative dimension");
  if (facts->overflows)
    out_note(out, "the dimensions multiply to more than 2^63");
  if (refusal.len > 0)
    out_refused(out, "%.*s", STR_ARG(refusal));
  arena_done(&arena);
  bool is_known = facts->info && facts->info->bits > 0 && !facts->overflows && !facts->has_negative_dim;
  if (is_known && facts->has_raw && !facts->is_external && facts->raw.value != facts->byte_count)
    out_note(out, "raw_data has %llu bytes, the dimensions want %llu", (unsigned long long)facts->raw.value,
             (unsigned long long)facts->byte_count);
}

/// False for a string that is longer, or holds a NUL.
static bool copy_string(Reader *reader, const Field *field, char *text, size_t size)
{
  size_t len;
  if (!field || field->value == 0 || field->value >= size)
    return false;
  const char *bytes = source_at(reader->source, field->start, (size_t)field->value, &len);
  if (len < field->value || memchr(bytes, 0, (size_t)field->value))
    return false;
  memcpy(text, bytes, (size_t)field->value);
  text[field->value] = '\0';
  return true;
}

/// Where the values of a tensor lie in another file.
typedef struct External {
  char location[MODEL_LOCATION_LIMIT];
  uint64_t offset;
  uint64_t length;
  uint64_t file_size;  ///< UINT64_MAX if it is unknown.
  bool has_location;
  bool has_length;
  const char *problem;  ///< Of any of the files that are named; the last one is read, and onnx looks for all.
} External;

/// Digits alone, as the entries have them.
static bool read_decimal(const char *text, uint64_t *ret_value)
{
  char *end;
  if (text[0] < '0' || text[0] > '9')
    return false;
  *ret_value = strtoull(text, &end, 10);
  return *end == '\0';
}

static void take_entry(Printer *printer, const FieldList *entry, External *external)
{
  Reader *reader = &printer->reader;
  char key[16];
  char number[24];
  const Field *value = reader_last(reader, entry, ENTRY_VALUE);
  if (!copy_string(reader, reader_last(reader, entry, ENTRY_KEY), key, sizeof(key)))
    return;
  if (strcmp(key, "location") == 0) {
    external->has_location = copy_string(reader, value, external->location, sizeof(external->location));
    const char *problem =
        external->has_location ? external_problem(printer->path, external->location, &external->file_size) : NULL;
    external->problem = external->problem ? external->problem : problem;
  } else if (strcmp(key, "offset") == 0 && copy_string(reader, value, number, sizeof(number)))
    read_decimal(number, &external->offset);
  else if (strcmp(key, "length") == 0 && copy_string(reader, value, number, sizeof(number)))
    external->has_length = read_decimal(number, &external->length);
}

/// Of a range of a file, as note_hash() has it of values in the model; false if not all of it was read.
MUST_USE static bool note_external_hash(Printer *printer, const External *external, uint64_t length)
{
  Arena arena = { 0 };
  Source source;
  Sha256 sha;
  char hex[2 * SHA256_BYTES + 1];
  if (length > ((uint64_t)MODEL_HASHED_GB << 30) - printer->hashed)
    return false;
  printer->hashed += length;
  Status status = source_open_file(&source, external_path(printer->path, external->location, &arena).data);
  sha256_init(&sha);
  for (uint64_t at = 0; status == OK && at < length;) {
    size_t want = length - at < MODEL_WINDOW ? (size_t)(length - at) : MODEL_WINDOW;
    size_t len;
    const char *bytes = source_at(&source, external->offset + at, want, &len);
    status = len < want ? ERR_IO : OK;
    if (status == OK)
      sha256_add(&sha, str_make(bytes, want));
    at += want;
  }
  sha256_hex(&sha, hex);
  if (status == OK)
    out_note(&printer->out, "sha256 %s", hex);
  source_close(&source);
  arena_done(&arena);
  return status == OK;
}

/// Looks for the file with the values beside the model, as whoever loads it will.
static void note_file(Printer *printer, const FieldList *tensor, const TensorFacts *facts)
{
  External external = { .offset = 0 };
  for (size_t i = 0; printer->path && i < tensor->count && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, tensor, i)->number != TENSOR_EXTERNAL)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList entry = reader_child(&printer->reader, tensor, i);
    take_entry(printer, &entry, &external);
    reader_release(&printer->reader, mark);
  }
  if (!external.has_location)
    return;
  uint64_t size = external.file_size;
  uint64_t want = external.has_length ? external.length : facts->byte_count;
  bool is_measured = facts->info && facts->info->bits > 0 && facts->byte_count != UINT64_MAX;
  if (external.has_length && external.length > 0 && is_measured && external.length != facts->byte_count)
    out_note(&printer->out, "length is %llu bytes, the dimensions want %llu", (unsigned long long)external.length,
             (unsigned long long)facts->byte_count);
  if (external.problem)
    out_refused(&printer->out, "the file of its values %s", external.problem);
  else if (size != UINT64_MAX && want != UINT64_MAX && (external.offset > size || want > size - external.offset))
    out_note(&printer->out, "the file of its values ends at byte %llu, before they do", (unsigned long long)size);
  else if (printer->options->wants_hash &&
           (size == UINT64_MAX || want == UINT64_MAX || !note_external_hash(printer, &external, want)))
    out_note(&printer->out, "no hash: its values are outside of the folder, can't be read, or are beyond %d GB",
             MODEL_HASHED_GB);
}

/// `["location": "weights.bin", "offset": "0"]`
static void print_external(Printer *printer, const FieldList *tensor, const TensorFacts *facts)
{
  size_t count = 0;
  for (size_t i = 0; i < tensor->count && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, tensor, i)->number != TENSOR_EXTERNAL)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList entry = reader_child(&printer->reader, tensor, i);
    out_put(&printer->out, count++ == 0 ? STR("[") : STR(", "));
    out_quoted(&printer->out, reader_last(&printer->reader, &entry, ENTRY_KEY));
    out_put(&printer->out, STR(": "));
    out_quoted(&printer->out, reader_last(&printer->reader, &entry, ENTRY_VALUE));
    reader_release(&printer->reader, mark);
  }
  if (count == 0)
    out_refused(&printer->out, "external data without a place");
  else
    note_file(printer, tensor, facts);
  out_put(&printer->out, count == 0 ? STR("{}") : STR("]"));
}

void text_print_tensor_data(Printer *printer, const FieldList *tensor)
{
  if (printer->out.is_muted)
    return;
  TensorFacts facts = tensor_facts(&printer->reader, tensor);
  if (facts.is_external) {
    note_contradictions(printer, &facts);
    print_external(printer, tensor, &facts);
    return;
  }
  bool has_data = facts.info && (facts.has_raw || facts.typed.fields > 0);
  bool is_shown = printer->options->is_full || facts.value_count <= value_limit(printer, &facts);
  out_put(&printer->out, STR("{"));
  bool is_written = has_data && is_shown;
  if (!is_written)
    note_contradictions(printer, &facts);
  if (has_data && !is_shown)
    note_left_out(printer, &facts);
  else if (has_data && facts.info->form == 's')
    print_strings(printer, &facts);
  else if (has_data)
    print_numbers(printer, &facts);
  if (is_written)
    note_contradictions(printer, &facts);  // On the line on which the values end.
  out_put(&printer->out, STR("}"));
}
