// What the syntax has no words for, as comments.
#include <stdio.h>

#include "onnx_model/text_private.h"

void print_metadata(Printer *printer, const FieldList *list, uint32_t number)
{
  for (size_t i = 0; i < list->count && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, list, i)->number != number)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList entry = reader_child(&printer->reader, list, i);
    out_comment_entry(&printer->out, reader_last(&printer->reader, &entry, ENTRY_KEY),
                      reader_last(&printer->reader, &entry, ENTRY_VALUE));
    reader_release(&printer->reader, mark);
  }
}

void print_doc(Printer *printer, const FieldList *list, uint32_t number, const char *label)
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

static void print_plain(Dump *dump, const char *label, const FieldInfo *info, const Field *field)
{
  Out *out = &dump->printer->out;
  char memory[64];
  if (field->wire == WIRE_VARINT)
    snprintf(memory, sizeof(memory), ": %lld", (long long)field->value);
  else if (field->wire != WIRE_BYTES)
    snprintf(memory, sizeof(memory), ": 0x%llx", (unsigned long long)field->value);
  else
    snprintf(memory, sizeof(memory), ": (%llu bytes)", (unsigned long long)field->value);
  Arena arena = { 0 };
  bool is_text = field->wire == WIRE_BYTES && field->value <= MODEL_COMMENT_VALUE &&
                 (info->type == FIELD_STRING || info->type == FIELD_STRINGS);
  Str line = arena_printf(&arena, "%s%s", label, is_text ? ": " : memory);
  out_comment(out, line.data, is_text ? field : NULL);
  arena_done(&arena);
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
    print_plain(dump, label.data, info, field);
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

void print_message_comment(Printer *printer, const FieldList *list, uint32_t number)
{
  for (size_t i = 0; i < list->count && printer_is_good(printer) && !printer->out.is_muted; i++) {
    Field field = *reader_field(&printer->reader, list, i);
    if (field.number == number)
      dump_message(printer, list->message.kind, &field);
  }
}
