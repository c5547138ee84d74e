// Nodes: `["label"] y = domain.Op <attributes> (x)`.
#include "onnx_model/text_private.h"

#include "base/ascii.h"

static void print_names(Printer *printer, const FieldList *list, uint32_t number)
{
  bool is_first = true;
  for (size_t i = 0; i < list->count && printer_is_good(printer); i++) {
    const Field *field = reader_field(&printer->reader, list, i);
    if (field->number != number)
      continue;
    if (!is_first) {
      out_put(&printer->out, STR(", "));
      out_wrap(&printer->out);
    }
    out_name(&printer->out, field);
    is_first = false;
  }
}

static bool is_dotted_words(Str s)
{
  for (size_t i = 0; i < s.len; i++) {
    char c = s.data[i];
    bool begins = i == 0 || s.data[i - 1] == '.';
    bool is_letter = ascii_is_letter(c) || c == '_';
    if (!is_letter && (begins || (c != '.' && (c < '0' || c > '9'))))
      return false;
  }
  return s.len > 0 && s.data[s.len - 1] != '.';
}

/// A domain is words with points between; anything else is quoted, which the official parser does not read.
static void print_domain(Printer *printer, const Field *domain)
{
  if (!domain || domain->value == 0)
    return;
  size_t len;
  size_t want = domain->value <= MODEL_JUMP_READ ? (size_t)domain->value : 0;
  const char *text = source_at(printer->reader.source, domain->start, want, &len);
  if (len >= want && is_dotted_words(str_make(text, want)))
    out_put(&printer->out, str_make(text, want));
  else
    out_quoted(&printer->out, domain);
  out_put(&printer->out, STR("."));
}

static void print_operator(Printer *printer, const FieldList *node)
{
  Reader *reader = &printer->reader;
  print_domain(printer, reader_last(reader, node, NODE_DOMAIN));
  out_word(&printer->out, reader_last(reader, node, NODE_OP_TYPE));
  const Field *overload = reader_last(reader, node, NODE_OVERLOAD);
  if (overload && overload->value > 0) {
    out_put(&printer->out, STR(":"));
    out_word(&printer->out, overload);
  }
}

static void print_attributes(Printer *printer)
{
  size_t count = 0;
  for (size_t i = 0; i < printer->attributes.count && printer_is_good(printer); i++) {
    const FieldList *attribute = &printer->attributes.items[i];
    if (!text_attribute_is_written(printer, attribute))
      continue;
    out_put(&printer->out, count++ == 0 ? STR(" <") : STR(", "));
    text_print_attribute(printer, attribute);
    out_wrap(&printer->out);
  }
  if (count > 0)
    out_put(&printer->out, STR(">"));
}

bool text_begin_node(Printer *printer, const FieldList *node)
{
  bool has_graphs = false;
  bool may_have = model_has(printer->stats, MSG_ATTRIBUTE, ATTRIBUTE_G) ||
                  model_has(printer->stats, MSG_ATTRIBUTE, ATTRIBUTE_GRAPHS);
  printer->attributes.count = 0;
  for (size_t i = 0; i < node->count && reader_has(node, NODE_ATTRIBUTES) && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, node, i)->number != NODE_ATTRIBUTES)
      continue;
    FieldList attribute = reader_child(&printer->reader, node, i);
    vec_push(&printer->attributes, attribute);
    has_graphs |= may_have && text_attribute_has_graphs(printer, &attribute);
  }
  return has_graphs;
}

void text_print_node(Printer *printer, const FieldList *node, bool has_graphs)
{
  Reader *reader = &printer->reader;
  Out *out = &printer->out;
  const Field *name = reader_last(reader, node, NODE_NAME);
  if (name && name->value > 0) {
    out_put(out, STR("["));
    out_name(out, name);
    out_put(out, STR("] "));
  }
  print_names(printer, node, NODE_OUTPUTS);
  out_put(out, reader_count(reader, node, NODE_OUTPUTS) > 0 ? STR(" = ") : STR("= "));
  print_operator(printer, node);
  if (!has_graphs)
    print_attributes(printer);
  out_put(out, STR(" ("));
  print_names(printer, node, NODE_INPUTS);
  out_put(out, STR(")"));
}

void text_print_node_comments(Printer *printer, const FieldList *node)
{
  text_print_doc(printer, node, NODE_DOC, "doc_string: ");
  text_print_metadata(printer, node, NODE_METADATA);
  text_print_message_comment(printer, node, NODE_DEVICES);
  for (size_t i = 0; i < printer->attributes.count && printer_is_good(printer); i++)
    text_print_attribute_comments(printer, &printer->attributes.items[i]);
}
