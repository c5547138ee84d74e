// The model, its graphs, nodes and functions. Graphs in attributes are frames on a stack, so nesting costs no
// recursion.

#include "graph/onnx/onnx_read.h"

/// A graph whose nodes are being read, and the node with the attribute that it belongs to.
typedef struct Frame {
  OnnxGraph *graph;
  OnnxNode *last;   ///< The graph's last node so far.
  OnnxNode *owner;  ///< The node that waits for the end of this graph; NULL for an outermost one.
  OnnxAttr *owner_attr;
  bool is_after;  ///< The owner's attributes stand after its operands.
} Frame;

typedef struct Reader {
  OnnxScan scan;
  OnnxModel *model;
  OnnxFunction *function;  ///< That is being read.
  Frame frames[ONNX_GRAPH_DEPTH];
  uint32_t depth;         ///< Frames in use.
  bool has_lost_nesting;  ///< Which bracket closes what is not known any more.
} Reader;

/// What is missing where graphs begin and end is told once: what follows comes of it.
static bool nesting_expected(Reader *reader, const char *what)
{
  bool is_first = !reader->has_lost_nesting;
  reader->has_lost_nesting = true;
  return is_first && onnx_expected(&reader->scan, what);
}

/// Whether the next character can only end what is around it.
static bool is_at_end_of_more(Reader *reader)
{
  char c = onnx_peek(&reader->scan);
  return c == '>' || c == ')' || c == '}';
}

static void add_event(Reader *reader, OnnxEventKind kind, OnnxGraph *graph, OnnxNode *node)
{
  vec_push(&reader->model->events,
           (OnnxEvent){ .kind = kind, .graph = graph, .node = node, .function = reader->function });
}

// --- Values ---

/// `float[2] x = {1, 2}`
static bool read_value(OnnxScan *scan, OnnxValue **ret_value)
{
  OnnxValue *value = *ret_value = ARENA_NEW(scan->arena, OnnxValue);
  onnx_skip_space(scan);
  value->type_at.start = scan->at;
  if (onnx_at_type(scan) && !onnx_read_type(scan, &value->type))
    return false;
  value->type_at.end = scan->at;
  if (!onnx_take_name(scan, &value->name))
    return onnx_expected(scan, "a name");
  if (onnx_peek(scan) != '=' || str_starts_with(str_slice(scan->text, scan->at, scan->at + 2), STR("=>")))
    return true;
  scan->at++;
  return onnx_read_data(scan, value->type, &value->data);
}

/// Values up to `end`, with commas between.
static bool read_values(OnnxScan *scan, char end, const char *what, OnnxValue **ret_first)
{
  OnnxValue **tail = ret_first;
  *tail = NULL;
  if (onnx_take(scan, end))
    return true;
  do {
    if (!read_value(scan, tail))
      return false;
    tail = &(*tail)->next;
  } while (onnx_take(scan, ','));
  return onnx_need(scan, end, what);
}

static bool read_inputs(OnnxScan *scan, OnnxGraph *graph)
{
  return !onnx_take(scan, '(') || read_values(scan, ')', "`,` or `)`", &graph->inputs);
}

/// From the inputs to the brace before the nodes.
static bool read_signature(OnnxScan *scan, OnnxGraph *graph)
{
  if (!read_inputs(scan, graph))
    return false;
  if (!onnx_take_arrow(scan))
    return onnx_expected(scan, "`=>`");
  if (!onnx_need(scan, '(', "`(`") || !read_values(scan, ')', "`,` or `)`", &graph->outputs))
    return false;
  if (onnx_take(scan, '<') && !read_values(scan, '>', "`,` or `>`", &graph->infos))
    return false;
  for (const OnnxValue *info = graph->is_function ? graph->infos : NULL; info; info = info->next) {
    if (info->data)
      onnx_scan_mistake(scan, info->data->at.start, info->data->at.end,
                        STR("A function has no initializers; make it a `Constant`."), false);
  }
  return onnx_need(scan, '{', "`{`");
}

// --- Nodes ---

static void store_names(Arena *arena, OnnxNames *names, const OnnxName *items, size_t count)
{
  names->items = ARENA_ARRAY(arena, OnnxName, count);
  names->count = (uint32_t)count;
  if (count > 0)
    memcpy(names->items, items, count * sizeof(*items));
}

static bool at_name(OnnxScan *scan, bool is_operand)
{
  char c = onnx_peek(scan);
  return c != '\0' && c != ',' && c != ')' && c != '=' && c != '}' && c != '{' && c != '(' && c != '<' && c != '>' &&
         !(is_operand && (c == ']' || c == '['));
}

/// Names with commas between; nothing between two commas is an operand that is left out, nothing after the last one is
/// none.
static bool read_names(OnnxScan *scan, OnnxNames *names)
{
  Vec(OnnxName) items = { 0 };
  bool is_good = true;
  for (;;) {
    OnnxName name = { .symbol = ONNX_NO_SYMBOL };
    bool has_name = at_name(scan, true);
    if (has_name)
      is_good = onnx_take_name(scan, &name);
    else
      name.at = (OnnxSpan){ scan->at, scan->at };
    bool has_comma = is_good && onnx_take(scan, ',');
    if (has_name || has_comma)
      vec_push(&items, name);
    if (!has_comma)
      break;
  }
  store_names(scan->arena, names, items.items, items.count);
  vec_free(&items);
  return is_good;
}

/// `my.domain.Op:overload`; the parser takes a point before all of it, too.
static bool read_operator(OnnxScan *scan, OnnxNode *node)
{
  onnx_skip_space(scan);
  node->op_at.start = scan->at;
  onnx_take(scan, '.');
  onnx_skip_space(scan);
  uint32_t first = scan->at;
  for (;;) {
    onnx_skip_space(scan);
    bool is_quoted = onnx_peek(scan) == '"';
    if (!onnx_take_printed_word(scan, &node->op))
      return onnx_expected(scan, "an operator");
    node->op_at.end = scan->at;
    if (!onnx_take(scan, '.'))
      break;
    node->domain = is_quoted ? node->op : str_slice(scan->text, first, node->op_at.end);
  }
  scan->at = node->op_at.end;
  return !onnx_take(scan, ':') || onnx_take_printed_word(scan, &node->overload) || onnx_expected(scan, "an overload");
}

/// The header of the graph that is the value of `attr`; its nodes are read in a frame of their own.
static bool open_graph(Reader *reader, OnnxNode *owner, OnnxAttr *attr, bool is_after)
{
  OnnxScan *scan = &reader->scan;
  OnnxGraph *graph = ARENA_NEW(scan->arena, OnnxGraph);
  if (reader->depth == ONNX_GRAPH_DEPTH)
    return nesting_expected(reader, "a graph that is nested less deep: protobuf reads no more than 100 levels, which");
  onnx_skip_space(scan);
  graph->at.start = scan->at;
  graph->owner = owner;
  graph->owner_attr = attr;
  graph->parent = owner->graph;
  if (!onnx_take_name(scan, &graph->name))
    return onnx_expected(scan, "a value");
  if (onnx_peek(scan) != '(' && onnx_peek(scan) != '=') {
    scan->at = graph->at.start;
    return onnx_expected(scan, "a value");
  }
  if (!read_signature(scan, graph))
    return false;
  attr->graph = graph;
  reader->frames[reader->depth++] = (Frame){ graph, NULL, owner, attr, is_after };
  add_event(reader, ONNX_ENTER_GRAPH, graph, NULL);
  return true;
}

typedef enum Step {
  STEP_BAD,
  STEP_DONE,
  STEP_GRAPH,  ///< A graph was opened; the node goes on after it.
} Step;

/// Attributes up to the `>`, or up to a graph.
static Step read_attrs(Reader *reader, OnnxNode *node, bool is_after)
{
  OnnxScan *scan = &reader->scan;
  do {
    OnnxAttr *attr;
    OnnxAttrResult result = onnx_read_attr(scan, true, &attr);
    if (result != ONNX_ATTR_BAD)
      onnx_node_add_attr(node, attr);
    if (result == ONNX_ATTR_GRAPH)
      return open_graph(reader, node, attr, is_after) ? STEP_GRAPH : STEP_BAD;
    if (result == ONNX_ATTR_BAD)
      return STEP_BAD;
  } while (onnx_take(scan, ','));
  return onnx_need(scan, '>', "`,` or `>`") ? STEP_DONE : STEP_BAD;
}

static void end_node(Reader *reader, OnnxNode *node)
{
  Frame *frame = &reader->frames[reader->depth - 1];
  node->at.end = reader->scan.at;
  *(frame->last ? &frame->last->next : &frame->graph->nodes) = node;
  frame->last = node;
  add_event(reader, ONNX_AT_NODE, frame->graph, node);
}

/// Operands, and attributes after them if there were none before.
static Step read_operands(Reader *reader, OnnxNode *node)
{
  OnnxScan *scan = &reader->scan;
  if (!onnx_need(scan, '(', "`(`") || !read_names(scan, &node->inputs) || !onnx_need(scan, ')', "`,` or `)`"))
    return STEP_BAD;
  return !node->attrs && onnx_take(scan, '<') ? read_attrs(reader, node, true) : STEP_DONE;
}

static Step read_node_start(Reader *reader, OnnxNode *node)
{
  OnnxScan *scan = &reader->scan;
  if (is_at_end_of_more(reader)) {
    nesting_expected(reader, "`=`");
    return STEP_BAD;
  }
  if (onnx_take(scan, '[')) {
    if (onnx_peek(scan) != ']' && !onnx_take_name(scan, &node->label))
      return onnx_expected(scan, "the node's name") ? STEP_DONE : STEP_BAD;
    if (!onnx_need(scan, ']', "`]`"))
      return STEP_BAD;
  }
  if (!read_names(scan, &node->outputs) || !onnx_need(scan, '=', "`=`") || !read_operator(scan, node))
    return STEP_BAD;
  if (onnx_take(scan, '<')) {
    Step step = read_attrs(reader, node, false);
    if (step != STEP_DONE)
      return step;
  }
  return read_operands(reader, node);
}

/// Goes on after the graph that was the value of an attribute.
static Step resume_node(Reader *reader, const Frame *frame)
{
  OnnxScan *scan = &reader->scan;
  frame->owner_attr->at.end = frame->owner_attr->value_at.end = scan->at;
  bool goes_on = onnx_take(scan, ',');
  if (!goes_on && !onnx_take(scan, '>')) {
    nesting_expected(reader, "`,` or `>`");
    return STEP_BAD;
  }
  Step step = goes_on ? read_attrs(reader, frame->owner, frame->is_after) : STEP_DONE;
  return step == STEP_DONE && !frame->is_after ? read_operands(reader, frame->owner) : step;
}

/// The names that a damaged statement would have defined are kept: they are surely meant.
static void recover_node(Reader *reader, OnnxNode *node)
{
  onnx_skip_damage(&reader->scan, node->at.start);
  node->op = node->inputs.count > 0 || node->attrs ? node->op : (Str){ 0 };
}

static void finish_step(Reader *reader, OnnxNode *node, Step step)
{
  if (step == STEP_GRAPH)
    return;
  if (step == STEP_BAD)
    recover_node(reader, node);
  else
    end_node(reader, node);
}

/// The end of the innermost graph.
static void close_graph(Reader *reader)
{
  Frame frame = reader->frames[--reader->depth];
  frame.graph->at.end = reader->scan.at;
  add_event(reader, ONNX_LEAVE_GRAPH, frame.graph, NULL);
  if (frame.owner)
    finish_step(reader, frame.owner, resume_node(reader, &frame));
}

/// A sparse tensor, of which the printer of a binary model made a comment with its type.
static void read_unwritten(Reader *reader, OnnxNode *node)
{
  OnnxScan scan = reader->scan;
  scan.text = str_slice(scan.text, 0, scan.unwritten.end);
  scan.at = scan.unwritten.start;
  OnnxAttr *attr = ARENA_NEW(scan.arena, OnnxAttr);
  attr->type = ONNX_SPARSE_TENSOR;
  attr->name.symbol = ONNX_NO_SYMBOL;
  attr->at = attr->name.at = attr->value_at = scan.unwritten;
  bool is_sparse = str_equal(onnx_peek_word(&scan), STR("sparse_tensor")) && onnx_at_type(&scan) &&
                   onnx_read_type(&scan, &attr->value_type) && onnx_take(&scan, ':');
  if (!is_sparse || !onnx_take_printed_word(&scan, &attr->name.text))
    return;
  OnnxType *dense = ARENA_NEW(scan.arena, OnnxType);  // A node that makes it makes a tensor like others.
  *dense = *attr->value_type;
  dense->kind = ONNX_TYPE_TENSOR;
  attr->value_type = dense;
  attr->data = ARENA_NEW(scan.arena, OnnxData);
  attr->data->at = scan.unwritten;
  attr->data->is_left_out = true;
  onnx_node_add_attr(node, attr);
  node->lacks_attrs = false;
}

/// All nodes of the outermost frame.
static void read_nodes(Reader *reader)
{
  OnnxScan *scan = &reader->scan;
  while (reader->depth > 0) {
    if (onnx_take(scan, '}')) {
      close_graph(reader);
      continue;
    }
    if (onnx_peek(scan) == '\0' && scan->at >= scan->text.len) {
      nesting_expected(reader, "`}`");
      while (reader->depth > 0)
        add_event(reader, ONNX_LEAVE_GRAPH, reader->frames[--reader->depth].graph, NULL);
      return;
    }
    OnnxNode *node = ARENA_NEW(scan->arena, OnnxNode);
    node->graph = reader->frames[reader->depth - 1].graph;
    node->label.symbol = ONNX_NO_SYMBOL;
    node->at.start = scan->at;
    node->lacks_attrs = scan->lacks_attrs && scan->model->is_printed;
    if (node->lacks_attrs && scan->unwritten.end > 0)
      read_unwritten(reader, node);
    scan->lacks_attrs = false;
    scan->unwritten = (OnnxSpan){ 0 };
    finish_step(reader, node, read_node_start(reader, node));
    if (scan->at == node->at.start)  // Nothing of it could be read: go on all the same.
      scan->at++;
  }
}

static bool read_body(Reader *reader, OnnxGraph *graph)
{
  if (!read_signature(&reader->scan, graph))
    return false;
  reader->depth = 1;
  reader->frames[0] = (Frame){ .graph = graph };
  add_event(reader, ONNX_ENTER_GRAPH, graph, NULL);
  read_nodes(reader);
  return true;
}

// --- Models ---

static void read_model_header(Reader *reader)
{
  OnnxScan *scan = &reader->scan;
  OnnxModel *model = reader->model;
  onnx_skip_space(scan);
  model->header_at.start = scan->at;
  if (onnx_take(scan, '<')) {
    model->has_header = true;
    onnx_read_header(scan, NULL);
  }
  model->header_at.end = scan->at;
}

static bool read_main_graph(Reader *reader)
{
  OnnxScan *scan = &reader->scan;
  OnnxGraph *graph = ARENA_NEW(scan->arena, OnnxGraph);
  onnx_skip_space(scan);
  graph->at.start = scan->at;
  if (!onnx_take_name(scan, &graph->name))
    return onnx_expected(scan, "the graph's name");
  reader->model->graph = graph;
  return read_body(reader, graph);
}

// --- Functions ---

/// `<alpha, beta = 1.0>`
static bool read_function_attrs(OnnxScan *scan, OnnxFunction *function)
{
  OnnxAttr **tail = &function->attrs;
  do {
    OnnxAttr *attr;
    OnnxAttrResult result = onnx_read_attr(scan, false, &attr);
    if (result == ONNX_ATTR_BAD)
      return false;
    if (result == ONNX_ATTR_GRAPH)
      return onnx_expected(scan, "a default that is no graph");
    *tail = attr;
    tail = &attr->next;
  } while (onnx_take(scan, ','));
  return onnx_need(scan, '>', "`,` or `>`");
}

static bool read_function(Reader *reader)
{
  OnnxScan *scan = &reader->scan;
  if (is_at_end_of_more(reader))
    return nesting_expected(reader, "the function's name");
  OnnxFunction *function = reader->function = ARENA_NEW(scan->arena, OnnxFunction);
  OnnxModel *model = reader->model;
  function->number = model->last_function ? model->last_function->number + 1 : 0;
  *(model->last_function ? &model->last_function->next : &model->functions) = function;
  model->last_function = function;
  function->graph.is_function = true;
  onnx_skip_space(scan);
  function->graph.at.start = scan->at;
  if (onnx_take(scan, '<'))
    onnx_read_header(scan, function);
  if (!onnx_take_name(scan, &function->graph.name))
    return onnx_expected(scan, "the function's name");
  if (onnx_take(scan, '<') && !read_function_attrs(scan, function))
    return false;
  return read_body(reader, &function->graph);
}

static void finish_bare_names(OnnxScan *scan)
{
  if (scan->bare_names == 0 || scan->bare_mistake >= scan->model->mistakes.count)
    return;
  OnnxMistake *mistake = &scan->model->mistakes.items[scan->bare_mistake];
  Str name = str_slice(scan->text, mistake->at.start, mistake->at.end);
  Str others = scan->bare_names == 1   ? (Str){ 0 }
               : scan->bare_names == 2 ? STR(" So does another place.")
                                       : arena_printf(scan->arena, " So do %u other places.", scan->bare_names - 1);
  mistake->message =
      arena_printf(scan->arena, "This name needs quotes: `\"%.*s\"`.%.*s", STR_ARG(name), STR_ARG(others));
  mistake->wants_quotes = true;
}

/// What was written in the place of a model whose file is damaged; says false for any other text.
static bool read_damage(Reader *reader)
{
  static const Str word = STR_INIT("# damaged: ");
  Str text = reader->scan.text;
  if (!str_starts_with(text, word))
    return false;
  size_t end = str_find_char(text, '\n', 0);
  end = end == STR_NOT_FOUND ? text.len : end;
  Str message =
      arena_printf(reader->scan.arena, "The model can't be read: %.*s.", STR_ARG(str_slice(text, word.len, end)));
  onnx_scan_mistake(&reader->scan, 0, (uint32_t)end, message, true);
  return true;
}

/// `<domain:`
static bool at_header(const OnnxScan *scan)
{
  OnnxScan ahead = *scan;
  Str key;
  return onnx_take(&ahead, '<') && onnx_take_word(&ahead, &key) && onnx_take(&ahead, ':');
}

/// False after a report: a model begins where a function may.
static bool is_one_model(OnnxScan *scan)
{
  OnnxScan ahead = *scan;
  Str key;
  if (!onnx_take(&ahead, '<') || !onnx_take_word(&ahead, &key) || !str_equal(key, STR("ir_version")))
    return true;
  onnx_skip_space(scan);
  onnx_scan_mistake(scan, scan->at, ahead.at, STR("A second model begins here, and a text holds one."), true);
  return false;
}

/// Goes on to the next function, over what else a log has; false if there is none.
static bool skip_log(OnnxScan *scan)
{
  while (onnx_peek(scan) != '\0' || scan->at < scan->text.len) {
    if (at_header(scan))
      return true;
    size_t end = str_find_char(scan->text, '\n', scan->at);
    scan->at = end == STR_NOT_FOUND ? (uint32_t)scan->text.len : (uint32_t)end + 1;
  }
  return false;
}

void onnx_tree_read(OnnxModel *model, const OnnxSource *source, Arena *arena)
{
  Reader reader;  // A frame is written when its graph begins: most models need one.
  Str text = source->text;
  *model = (OnnxModel){ .text = text, .is_printed = source->is_printed, .is_bare = source->is_bare };
  reader.model = model;
  reader.function = NULL;
  reader.depth = 0;
  reader.has_lost_nesting = false;
  reader.scan = (OnnxScan){ .model = model, .arena = arena, .text = text, .at = source->start };
  Str other = onnx_other_format(text);
  if (other.len > 0) {
    size_t end = str_find_char(text, '\n', 0);
    onnx_scan_mistake(&reader.scan, 0, (uint32_t)(end == STR_NOT_FOUND ? text.len : end), other, true);
  } else if (!read_damage(&reader)) {
    read_model_header(&reader);
    bool is_good = read_main_graph(&reader);
    while (is_good && (source->is_in_log ? skip_log(&reader.scan) : onnx_peek(&reader.scan) != '\0'))
      is_good = is_one_model(&reader.scan) && read_function(&reader);
  }
  finish_bare_names(&reader.scan);
}

void onnx_tree_done(OnnxModel *model)
{
  vec_free(&model->events);
  vec_free(&model->mistakes);
  vec_free(&model->bare_names);
  vec_free(&model->refusals);
  vec_free(&model->settings);
}

const OnnxAttr *onnx_node_attr(const OnnxNode *node, Str name)
{
  const OnnxAttr *attr = node->attrs;
  while (attr && !str_equal(attr->name.text, name))
    attr = attr->next;
  return attr;
}
