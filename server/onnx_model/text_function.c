// Functions of the model, and lists of opsets.
#include "onnx_model/text_private.h"

void text_print_opsets(Printer *printer, const FieldList *list, uint32_t number)
{
  size_t count = 0;
  out_put(&printer->out, STR("["));
  for (size_t i = 0; i < list->count && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, list, i)->number != number)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList opset = reader_child(&printer->reader, list, i);
    out_put(&printer->out, count++ > 0 ? STR(", ") : STR(""));
    out_quoted(&printer->out, reader_last(&printer->reader, &opset, OPSET_DOMAIN));
    out_put(&printer->out, STR(" : "));
    out_number(&printer->out, (int64_t)reader_number(&printer->reader, &opset, OPSET_VERSION, 0));
    reader_release(&printer->reader, mark);
  }
  out_put(&printer->out, STR("]"));
}

/// The next `key: ` of a header.
void text_print_key(Printer *printer, const char *key, bool *is_first)
{
  out_put(&printer->out, *is_first ? STR("") : STR(","));
  out_line(&printer->out);
  out_put(&printer->out, str_from(key));
  out_put(&printer->out, STR(": "));
  *is_first = false;
}

void text_print_string_key(Printer *printer, const char *key, const Field *value, bool *is_first)
{
  if (!value)
    return;
  text_print_key(printer, key, is_first);
  out_quoted(&printer->out, value);
}

static void print_header(Printer *printer, const FieldList *function)
{
  Reader *reader = &printer->reader;
  bool is_first = true;
  out_put(&printer->out, STR("<"));
  printer->out.indent++;
  text_print_key(printer, "domain", &is_first);
  const Field *domain = reader_last(reader, function, FUNCTION_DOMAIN);
  out_quoted(&printer->out, domain);
  if (!domain)
    out_refused(&printer->out, "no domain");
  text_print_string_key(printer, "overload", reader_last(reader, function, FUNCTION_OVERLOAD), &is_first);
  text_print_key(printer, "opset_import", &is_first);
  text_print_opsets(printer, function, FUNCTION_OPSETS);
  text_print_string_key(printer, "doc_string", reader_last(reader, function, FUNCTION_DOC), &is_first);
  printer->out.indent--;
  out_line(&printer->out);
  out_put(&printer->out, STR(">"));
  out_line(&printer->out);
}

/// `<alpha, beta: float = 1.0>`
static void print_attributes(Printer *printer, const FieldList *function)
{
  size_t count = 0;
  printer->out.is_passed = true;
  for (size_t i = 0; i < function->count && printer_is_good(printer); i++) {
    const Field *field = reader_field(&printer->reader, function, i);
    if (field->number != FUNCTION_ATTRIBUTES)
      continue;
    out_put(&printer->out, count++ == 0 ? STR("<") : STR(", "));
    out_word(&printer->out, field);
  }
  for (size_t i = 0; i < function->count && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, function, i)->number != FUNCTION_DEFAULTS)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList attribute = reader_child(&printer->reader, function, i);
    if (text_attribute_is_written(printer, &attribute) && !text_attribute_has_graphs(printer, &attribute)) {
      out_put(&printer->out, count++ == 0 ? STR("<") : STR(", "));
      text_print_attribute(printer, &attribute);
    } else {
      out_note_string(&printer->out, "a default that ONNX text can't have:",
                      reader_last(&printer->reader, &attribute, ATTRIBUTE_NAME));
    }
    reader_release(&printer->reader, mark);
  }
  out_put(&printer->out, count > 0 ? STR("> ") : STR(""));
  printer->out.is_passed = false;
}

static void print_names(Printer *printer, const FieldList *function, uint32_t number)
{
  size_t count = 0;
  out_put(&printer->out, STR("("));
  for (size_t i = 0; i < function->count && printer_is_good(printer); i++) {
    const Field *field = reader_field(&printer->reader, function, i);
    if (field->number != number)
      continue;
    out_put(&printer->out, count++ == 0 ? STR("") : STR(", "));
    out_name(&printer->out, field);
    out_wrap(&printer->out);
  }
  out_put(&printer->out, STR(")"));
}

void text_print_function_head(Printer *printer, const FieldList *function)
{
  print_header(printer, function);
  out_name(&printer->out, reader_last(&printer->reader, function, FUNCTION_NAME));
  out_put(&printer->out, STR(" "));
  print_attributes(printer, function);
  print_names(printer, function, FUNCTION_INPUTS);
  out_put(&printer->out, STR(" => "));
  print_names(printer, function, FUNCTION_OUTPUTS);
  out_put(&printer->out, STR(" "));
}
