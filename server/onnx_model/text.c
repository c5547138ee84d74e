// The whole text: the model's header, its graph, its functions, and what only comments can say.
#include "onnx_model/text.h"

#include "onnx_model/text_private.h"

enum { MOST_ROOM = 4096 };  ///< To begin with: the text of a small model is about twice as long as its bytes.

/// A string that holds no character, but is set, is written, too.
static void print_strings(Printer *printer, const FieldList *model, bool *is_first)
{
  static const struct {
    const char *key;
    uint32_t number;
  } rows[] = {
    { "producer_name", MODEL_PRODUCER_NAME },
    { "producer_version", MODEL_PRODUCER_VERSION },
    { "domain", MODEL_DOMAIN },
  };
  for (size_t i = 0; i < COUNT(rows); i++)
    text_print_string_key(printer, rows[i].key, reader_last(&printer->reader, model, rows[i].number), is_first);
  const Field *version = reader_last(&printer->reader, model, MODEL_VERSION);
  if (version) {
    text_print_key(printer, "model_version", is_first);
    out_number(&printer->out, (int64_t)version->value);
  }
  text_print_string_key(printer, "doc_string", reader_last(&printer->reader, model, MODEL_DOC), is_first);
}

static void print_model_metadata(Printer *printer, const FieldList *model, bool *is_first)
{
  size_t left = reader_count(&printer->reader, model, MODEL_METADATA);
  if (left == 0)
    return;
  text_print_key(printer, "metadata_props", is_first);
  out_put(&printer->out, STR("["));
  for (size_t i = 0; i < model->count && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, model, i)->number != MODEL_METADATA)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList entry = reader_child(&printer->reader, model, i);
    out_quoted(&printer->out, reader_last(&printer->reader, &entry, ENTRY_KEY));
    out_put(&printer->out, STR(": "));
    out_quoted(&printer->out, reader_last(&printer->reader, &entry, ENTRY_VALUE));
    out_put(&printer->out, --left > 0 ? STR(", ") : STR(""));
    out_wrap(&printer->out);
    reader_release(&printer->reader, mark);
  }
  out_put(&printer->out, STR("]"));
}

static void print_header(Printer *printer, const FieldList *model)
{
  bool is_first = true;
  const Field *ir = reader_last(&printer->reader, model, MODEL_IR_VERSION);
  out_put(&printer->out, STR("<"));
  printer->out.indent++;
  if (ir) {
    text_print_key(printer, "ir_version", &is_first);
    out_number(&printer->out, (int64_t)ir->value);
  }
  text_print_key(printer, "opset_import", &is_first);
  text_print_opsets(printer, model, MODEL_OPSETS);
  print_strings(printer, model, &is_first);
  print_model_metadata(printer, model, &is_first);
  printer->out.indent--;
  out_line(&printer->out);
  out_put(&printer->out, STR(">"));
  out_line(&printer->out);
}

/// What is to be said about the file as a whole.
static void print_file_comments(Printer *printer)
{
  const ModelStats *stats = printer->stats;
  Arena arena = { 0 };
  if (printer->reader.source->size > MODEL_PROTOBUF_BYTES)
    out_comment(&printer->out,
                "larger than 2 GB, so nothing that uses protobuf can load it: keep weights as external data", NULL);
  for (size_t i = 0; i < stats->unknown_count; i++) {
    const UnknownField *row = &stats->unknown[i];
    out_comment(&printer->out,
                arena_printf(&arena, "not shown: field %u of %s, which is not known (%llu times)", row->number,
                             message_kind_name(row->message), (unsigned long long)row->count)
                    .data,
                NULL);
  }
  if (stats->unknown_beyond > 0)
    out_comment(
        &printer->out,
        arena_printf(&arena, "not shown: %llu more unknown fields", (unsigned long long)stats->unknown_beyond).data,
        NULL);
  arena_done(&arena);
}

static void print_graph(Printer *printer, const FieldList *model)
{
  ReaderMark mark = reader_mark(&printer->reader);
  bool found;
  FieldList graph = reader_only(&printer->reader, model, MODEL_GRAPH, &found);
  if (!found)
    out_comment(&printer->out, "the model has no graph", NULL);
  text_print_graph_tree(printer, graph, mark);
}

static void print_functions(Printer *printer, const FieldList *model)
{
  for (size_t i = 0; i < model->count && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, model, i)->number != MODEL_FUNCTIONS)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    out_line(&printer->out);
    text_print_graph_tree(printer, reader_child(&printer->reader, model, i), mark);
  }
}

static void print_model(Printer *printer)
{
  FieldList model = reader_fields(&printer->reader, reader_root(&printer->reader, MSG_MODEL));
  print_file_comments(printer);
  print_header(printer, &model);
  text_print_message_comment(printer, &model, MODEL_DEVICES);
  text_print_message_comment(printer, &model, MODEL_TRAINING);
  print_graph(printer, &model);
  print_functions(printer, &model);
}

/// What only shows while values are read: a packed list that is damaged, or a file that changes.
static Status check_end(Printer *printer, Buffer *message)
{
  Reader *reader = &printer->reader;
  if (printer->out.status != OK)
    return printer->out.status;
  source_check_unchanged(reader->source);
  if (reader->source->problem) {
    buffer_append(message, str_from(reader->source->problem));
    return ERR_IO;
  }
  if (reader->problem) {
    buffer_printf(message, "damaged: %s at byte %llu, in a list of values", reader->problem,
                  (unsigned long long)reader->problem_at);
    return ERR_FORMAT;
  }
  if (printer->options->graph.len > 0 && !printer->found_graph) {
    buffer_append(message, STR("no graph or function of the name '"));
    buffer_append(message, printer->options->graph);
    buffer_append(message, STR("' is in there"));
    return ERR_NOT_FOUND;
  }
  return OK;
}

Status model_text(Model *model, const ModelTextOptions *options, Buffer *ret_text, Buffer *message)
{
  Printer printer = {
    .reader = { .source = &model->source }, .options = options, .stats = &model->stats, .path = model->path
  };
  printer.out = (Out){ .text = ret_text,
                       .source = &model->source,
                       .is_muted = options->graph.len > 0,
                       .context = options->context,
                       .drain = options->drain };
  buffer_grow(ret_text, model->source.size < MOST_ROOM / 2 ? (size_t)model->source.size * 2 : MOST_ROOM);
  print_model(&printer);
  Status status = check_end(&printer, message);
  if (printer.out.drain && printer.out.status == OK && ret_text->len > 0)
    printer.out.status = printer.out.drain(options->context, ret_text);
  reader_done(&printer.reader);
  out_done(&printer.out);
  vec_free(&printer.frames);
  vec_free(&printer.attributes);
  return status == OK ? printer.out.status : status;
}
