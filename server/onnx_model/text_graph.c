// Graphs, and graphs in the attributes of their nodes: a stack of frames instead of recursion.
#include "onnx_model/text_private.h"

enum { VALUES_ON_A_LINE = 3 };

static bool has_long_values(Printer *printer, const FieldList *graph, uint32_t number)
{
  bool has_comments = false;
  size_t count = reader_count(&printer->reader, graph, number);
  if (count > VALUES_ON_A_LINE || !text_values_may_have_comments(printer))
    return count > VALUES_ON_A_LINE;
  for (size_t i = 0; i < graph->count && !has_comments; i++) {
    if (reader_field(&printer->reader, graph, i)->number != number)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList value = reader_child(&printer->reader, graph, i);
    has_comments = text_value_has_comments(printer, &value);
    reader_release(&printer->reader, mark);
  }
  return has_comments;
}

/// `left` items come after this one.
static void print_item_end(Printer *printer, size_t left)
{
  if (left > 0)
    out_put(&printer->out, STR(","));
}

static void print_value_lines(Printer *printer, const FieldList *list, uint32_t number)
{
  size_t left = reader_count(&printer->reader, list, number);
  for (size_t i = 0; i < list->count && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, list, i)->number != number)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList value = reader_child(&printer->reader, list, i);
    out_fresh(&printer->out);
    text_print_value_comments(printer, &value);
    text_print_value(printer, &value);
    print_item_end(printer, --left);
    reader_release(&printer->reader, mark);
  }
}

static void print_initializer_lines(Printer *printer, const FieldList *graph, size_t left_after)
{
  size_t left = reader_count(&printer->reader, graph, GRAPH_INITIALIZERS) + left_after;
  for (size_t i = 0; i < graph->count && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, graph, i)->number != GRAPH_INITIALIZERS)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList tensor = reader_child(&printer->reader, graph, i);
    out_fresh(&printer->out);
    text_print_tensor_comments(printer, &tensor);
    text_print_initializer(printer, &tensor);
    print_item_end(printer, --left);
    reader_release(&printer->reader, mark);
  }
}

/// `(float[N] x, float y)`, on lines of their own if there are many or if there is something to say about one.
static void print_values(Printer *printer, const FieldList *graph, uint32_t number)
{
  bool is_long = has_long_values(printer, graph, number);
  size_t left = reader_count(&printer->reader, graph, number);
  out_put(&printer->out, STR("("));
  if (is_long) {
    printer->out.indent += 2;
    out_line(&printer->out);
    print_value_lines(printer, graph, number);
    printer->out.indent--;
    out_line(&printer->out);
    printer->out.indent--;
  }
  for (size_t i = 0; i < graph->count && !is_long && printer_is_good(printer); i++) {
    if (reader_field(&printer->reader, graph, i)->number != number)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList value = reader_child(&printer->reader, graph, i);
    text_print_value(printer, &value);
    out_put(&printer->out, --left > 0 ? STR(", ") : STR(""));
    reader_release(&printer->reader, mark);
  }
  out_put(&printer->out, STR(")"));
}

/// `< ... > {`: initializers and the types of values in between.
static void print_section(Printer *printer, const FieldList *list, uint32_t values)
{
  size_t value_count = reader_count(&printer->reader, list, values);
  bool is_graph = list->message.kind == MSG_GRAPH;
  if (value_count + (is_graph ? reader_count(&printer->reader, list, GRAPH_INITIALIZERS) : 0) == 0)
    return;
  out_line(&printer->out);
  out_put(&printer->out, STR("<"));
  printer->out.indent++;
  out_line(&printer->out);
  if (is_graph)
    print_initializer_lines(printer, list, value_count);
  printer->is_in_infos = printer->out.is_passed = true;
  print_value_lines(printer, list, values);
  printer->is_in_infos = printer->out.is_passed = false;
  printer->out.indent--;
  out_line(&printer->out);
  out_put(&printer->out, STR("> "));
}

static void print_graph_head(Printer *printer, const FieldList *graph)
{
  const Field *name = reader_last(&printer->reader, graph, GRAPH_NAME);
  // The official parser takes a quoted name only where no graph can be mistaken for a string.
  if (printer->frames.count > 1)
    out_label(&printer->out, name,
              name && name->value > 0 ? "name of the graph:" : OUT_REFUSED "name of the graph:", true);
  else
    out_name(&printer->out, name);
  out_put(&printer->out, STR(" "));
  printer->out.is_passed = printer->frames.count > 1;  // Types count at the outermost graph alone.
  printer->is_at_ends = printer->frames.count == 1;
  print_values(printer, graph, GRAPH_INPUTS);
  out_put(&printer->out, STR(" => "));
  print_values(printer, graph, GRAPH_OUTPUTS);
  printer->is_at_ends = printer->out.is_passed = false;
  out_put(&printer->out, STR(" "));
  print_section(printer, graph, GRAPH_VALUES);
}

/// On the first lines of the body, and an empty line after them, so that they are not those of the first node.
static void print_body_comments(Printer *printer, const FieldList *list)
{
  out_line(&printer->out);
  uint64_t line = printer->out.line;
  if (list->message.kind == MSG_FUNCTION) {
    text_print_metadata(printer, list, FUNCTION_METADATA);
  } else {
    text_print_doc(printer, list, GRAPH_DOC, "doc_string: ");
    text_print_metadata(printer, list, GRAPH_METADATA);
    text_print_message_comment(printer, list, GRAPH_QUANTIZATION);
    text_print_sparse_comments(printer, list, GRAPH_SPARSE);
  }
  if (printer->out.line > line)
    out_line(&printer->out);
}

static bool is_wanted(Printer *printer, const FieldList *list)
{
  uint32_t number = list->message.kind == MSG_GRAPH ? GRAPH_NAME : FUNCTION_NAME;
  const Field *name = reader_last(&printer->reader, list, number);
  Str wanted = printer->options->graph;
  size_t len;
  if (!name || name->value != wanted.len || wanted.len > MODEL_WINDOW)
    return false;
  const char *text = source_at(printer->reader.source, name->start, wanted.len, &len);
  return len >= wanted.len && memcmp(text, wanted.data, wanted.len) == 0;
}

static void open_frame(Printer *printer, FieldList list, ReaderMark mark)
{
  Out *out = &printer->out;
  vec_push(&printer->frames, (Frame){ .list = list, .mark = mark, .was_muted = out->is_muted });
  vec_last(&printer->frames)->old_indent = out->indent;
  if (out->is_muted && is_wanted(printer, &list)) {
    out->is_muted = false;
    out->indent = 0;
    printer->found_graph = true;
  }
  if (out->is_muted)
    return;
  if (list.message.kind == MSG_FUNCTION) {
    text_print_function_head(printer, &list);
    print_section(printer, &list, FUNCTION_VALUES);
  } else {
    print_graph_head(printer, &list);
  }
  out_put(out, STR("{"));
  out->indent++;
  print_body_comments(printer, &list);
}

static void close_frame(Printer *printer)
{
  Frame *frame = vec_last(&printer->frames);
  Out *out = &printer->out;
  bool is_outermost = frame->was_muted || printer->frames.count == 1;
  if (!out->is_muted) {
    out->indent--;
    out_fresh(out);
    out_put(out, STR("}"));
    if (is_outermost)
      out_line(out);
  }
  out->is_muted = frame->was_muted;
  out->indent = frame->old_indent;
  reader_release(&printer->reader, frame->mark);
  printer->frames.count--;
}

/// The graph of the attribute that is being written that comes next, in a frame of its own; false if there is none
/// left.
static bool open_next_graph(Printer *printer)
{
  Frame *frame = vec_last(&printer->frames);
  ReaderMark mark = reader_mark(&printer->reader);
  FieldList attribute = frame->attribute;
  if (text_attribute_type(printer, &attribute) == ATTR_GRAPH) {
    bool found;
    if (frame->next_graph > 1)
      return false;
    frame->next_graph = 2;
    open_frame(printer, reader_only(&printer->reader, &attribute, ATTRIBUTE_G, &found), mark);
    return true;
  }
  bool is_first = frame->next_graph == 1;
  for (size_t i = frame->next_graph - 1; i < attribute.count; i++) {
    if (reader_field(&printer->reader, &attribute, i)->number != ATTRIBUTE_GRAPHS)
      continue;
    frame->next_graph = i + 2;
    out_put(&printer->out, is_first ? STR("") : STR(", "));
    open_frame(printer, reader_child(&printer->reader, &attribute, i), mark);
    return true;
  }
  out_put(&printer->out, STR("]"));
  return false;
}

/// Begins the attribute; true if graphs of it come next.
static bool begin_attribute(Printer *printer, Frame *frame)
{
  ReaderMark mark = reader_mark(&printer->reader);
  FieldList attribute = reader_child(&printer->reader, &frame->node, frame->next_attribute);
  bool has_graphs = text_attribute_has_graphs(printer, &attribute);
  if (!printer->out.is_muted && text_attribute_is_written(printer, &attribute)) {
    out_put(&printer->out, frame->has_attribute ? STR(", ") : STR(" <"));
    frame->has_attribute = true;
    text_print_attribute(printer, &attribute);
  }
  if (!has_graphs) {
    reader_release(&printer->reader, mark);
    return false;
  }
  frame->attribute = attribute;
  frame->attribute_mark = mark;
  frame->next_graph = 1;
  return true;
}

/// One step with the attributes of a node that holds graphs.
static void step_attributes(Printer *printer)
{
  Frame *frame = vec_last(&printer->frames);
  if (frame->next_graph > 0) {
    if (open_next_graph(printer))
      return;
    reader_release(&printer->reader, frame->attribute_mark);
    frame->next_graph = 0;
    frame->next_attribute++;
  }
  for (; frame->next_attribute < frame->node.count; frame->next_attribute++) {
    if (reader_field(&printer->reader, &frame->node, frame->next_attribute)->number == NODE_ATTRIBUTES &&
        begin_attribute(printer, frame))
      return;
  }
  out_put(&printer->out, frame->has_attribute ? STR(">") : STR(""));
  out_line(&printer->out);
  reader_release(&printer->reader, frame->node_mark);
  frame->is_in_node = false;
}

static void begin_node(Printer *printer, Frame *frame, size_t i)
{
  Out *out = &printer->out;
  NodePlace place = { .offset = reader_field(&printer->reader, &frame->list, i)->start };
  frame->node_mark = reader_mark(&printer->reader);
  frame->node = reader_child(&printer->reader, &frame->list, i);
  frame->is_in_node = text_begin_node(printer, &frame->node);
  frame->has_attribute = false;
  frame->next_attribute = frame->next_graph = 0;
  if (!out->is_muted) {
    place.depth = (uint32_t)printer->frames.count - 1;
    place.first_line = out->line;
    text_print_node_comments(printer, &frame->node);
    place.line = out->line;
    if (printer->options->on_node)
      printer->options->on_node(printer->options->context, &place);
    text_print_node(printer, &frame->node, frame->is_in_node);
  }
  if (!frame->is_in_node) {
    out_line(out);
    reader_release(&printer->reader, frame->node_mark);
  }
}

static void step_nodes(Printer *printer)
{
  Frame *frame = vec_last(&printer->frames);
  uint32_t number = frame->list.message.kind == MSG_GRAPH ? GRAPH_NODES : FUNCTION_NODES;
  while (frame->next_node < frame->list.count && !frame->is_in_node && printer_is_good(printer)) {
    size_t i = frame->next_node++;
    if (reader_field(&printer->reader, &frame->list, i)->number == number)
      begin_node(printer, frame, i);
  }
  if (!frame->is_in_node)
    close_frame(printer);
}

void text_print_graph_tree(Printer *printer, FieldList list, ReaderMark mark)
{
  open_frame(printer, list, mark);
  while (printer->frames.count > 0 && printer_is_good(printer)) {
    if (vec_last(&printer->frames)->is_in_node)
      step_attributes(printer);
    else
      step_nodes(printer);
  }
  printer->frames.count = 0;
}
