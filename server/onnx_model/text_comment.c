// What the syntax has no words for, as comments.
#include "onnx_model/numbers.h"
#include "onnx_model/text_private.h"

void text_print_metadata(Printer *printer, const FieldList *list, uint32_t number)
{
  for (size_t i = 0; i < list->count && reader_has(list, number) && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, list, i)->number != number)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList entry = reader_child(&printer->reader, list, i);
    out_comment_entry(&printer->out, reader_last(&printer->reader, &entry, ENTRY_KEY),
                      reader_last(&printer->reader, &entry, ENTRY_VALUE));
    reader_release(&printer->reader, mark);
  }
}

void text_print_doc(Printer *printer, const FieldList *list, uint32_t number, const char *label)
{
  const Field *doc = reader_last(&printer->reader, list, number);
  if (doc && doc->value > 0)
    out_comment(&printer->out, label, doc);
}

/// A message that is open in a comment.
typedef struct Open {
  Wire wire;
  MessageKind kind;
} Open;

typedef struct Dump {
  Printer *printer;
  size_t depth;
  size_t lines;
  Open open[MODEL_DEPTH];
} Dump;

static Arena begin_line(const Dump *dump, const FieldInfo *info, Str *ret_label)
{
  Arena arena = { 0 };
  *ret_label = arena_printf(&arena, "%*s%s", (int)(2 * (dump->depth - 1)), "", info->name);
  return arena;
}

static void append_number(Buffer *line, FieldType type, uint64_t bits)
{
  char memory[NUMBER_TEXT];
  bool is_float = type == FIELD_FLOAT || type == FIELD_MANY_FLOATS;
  Str text = is_float                     ? number_float((uint32_t)bits, true, memory)
             : type == FIELD_MANY_DOUBLES ? number_double(bits, true, memory)
                                          : number_signed(bits, 8, memory);
  buffer_append_char(line, ' ');
  buffer_append(line, text);
}

static void append_packed(const Dump *dump, Buffer *line, FieldType type, const Field *field)
{
  Wire wire = wire_over(dump->printer->reader.source, field->start, field->start + field->value);
  uint64_t bits;
  while (wire.at < wire.end && (type == FIELD_MANY_INTS ? wire_varint(&wire, &bits)
                                                        : wire_fixed(&wire, type == FIELD_MANY_FLOATS ? 4 : 8, &bits)))
    append_number(line, type, bits);
}

/// A field without fields of its own. What is long is only counted.
static void print_plain(const Dump *dump, Str label, const FieldInfo *info, const Field *field)
{
  Buffer line = { 0 };
  bool is_short = field->value <= MODEL_COMMENT_VALUE;
  bool is_packed = field->wire == WIRE_BYTES && info->type >= FIELD_MANY_INTS && info->type <= FIELD_MANY_DOUBLES;
  bool is_text = field->wire == WIRE_BYTES && (info->type == FIELD_STRING || info->type == FIELD_STRINGS) && is_short;
  buffer_append(&line, label);
  buffer_append_char(&line, ':');
  if (is_text)
    buffer_append_char(&line, ' ');
  else if (is_packed && is_short)
    append_packed(dump, &line, info->type, field);
  else if (field->wire != WIRE_BYTES)
    append_number(&line, info->type, field->value);
  else
    buffer_printf(&line, " (%llu bytes)", (unsigned long long)field->value);
  buffer_append_char(&line, '\0');
  out_comment(&dump->printer->out, line.data, is_text ? field : NULL);
  buffer_done(&line);
}

static void dump_field(Dump *dump, const Field *field)
{
  const FieldInfo *info = field_info(dump->open[dump->depth - 1].kind, field->number);
  if (info->type == FIELD_UNKNOWN)
    return;
  Str label;
  Arena arena = begin_line(dump, info, &label);
  bool is_message = info->child != MSG_NONE && field->wire == WIRE_BYTES && dump->depth < MODEL_DEPTH;
  if (is_message) {
    out_comment(&dump->printer->out, arena_printf(&arena, "%s {", label.data).data, NULL);
    dump->open[dump->depth++] = (Open){ .kind = info->child };
    dump->open[dump->depth - 1].wire =
        wire_over(dump->printer->reader.source, field->start, field->start + field->value);
  } else {
    print_plain(dump, label, info, field);
  }
  dump->lines++;
  arena_done(&arena);
}

/// Closes the innermost message.
static void close_message(Dump *dump)
{
  dump->depth--;
  if (dump->depth == 0)
    return;
  Arena arena = { 0 };
  out_comment(&dump->printer->out, arena_printf(&arena, "%*s}", (int)(2 * (dump->depth - 1)), "").data, NULL);
  arena_done(&arena);
}

static void dump_message(Printer *printer, MessageKind parent, const Field *field)
{
  Dump *dump = xcalloc(1, sizeof(*dump));
  dump->printer = printer;
  dump->depth = 1;
  // A message of its own kind around it, so that its name is printed, too.
  dump->open[0] = (Open){ .kind = parent, .wire = wire_over(printer->reader.source, 0, 0) };
  dump_field(dump, field);
  while (dump->depth > 1 && printer_is_good(printer)) {
    Field inner;
    if (dump->lines > MODEL_COMMENT_LINES) {
      out_comment(&printer->out, "... more lines are left out", NULL);
      break;
    }
    if (wire_next_field(&dump->open[dump->depth - 1].wire, &inner) == WIRE_FIELD)
      dump_field(dump, &inner);
    else
      close_message(dump);
  }
  free(dump);
}

void text_print_message_comment(Printer *printer, const FieldList *list, uint32_t number)
{
  bool has_any = reader_has(list, number) && !printer->out.is_muted;
  for (size_t i = 0; i < list->count && has_any && printer_is_good(printer); i++) {
    Field field = *reader_field(&printer->reader, list, i);
    if (field.number == number)
      dump_message(printer, list->message.kind, &field);
  }
}
