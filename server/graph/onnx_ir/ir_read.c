#include "graph/onnx_ir/ir_read.h"

#include "base/ascii.h"
#include "facts/onnx_elements.h"
#include "graph/onnx_ir/ir_attr.h"
#include "graph/onnx_ir/ir_scan.h"

/// A graph whose nodes are being read, and the node with the attribute that it belongs to.
typedef struct Frame {
  OnnxGraph *graph;
  OnnxNode *last;
  OnnxNode *owner;        ///< NULL for an outermost one.
  OnnxValue **last_info;  ///< Where the next printed type goes.
} Frame;

typedef struct Reader {
  IrScan scan;
  Arena *arena;
  OnnxModel *model;
  OnnxFunction *function;  ///< That is being read.
  Frame frames[ONNX_GRAPH_DEPTH];
  uint32_t depth;
} Reader;

static void add_event(Reader *reader, OnnxEventKind kind, OnnxGraph *graph, OnnxNode *node)
{
  vec_push(&reader->model->events,
           (OnnxEvent){ .kind = kind, .graph = graph, .node = node, .function = reader->function });
}

static Str text_of(const Reader *reader, OnnxSpan at)
{
  return ir_text(&reader->scan, at);
}

static void skip_line(IrScan *scan)
{
  while (scan->at < scan->end && scan->text.data[scan->at] != '\n')
    scan->at++;
}

/// What is lost by it may have made what seems to be missing later.
static void add_mistake(Reader *reader, OnnxSpan at, Str message)
{
  reader->model->is_damaged = true;
  if (reader->model->mistakes.count < ONNX_MISTAKE_LIMIT)
    vec_push(&reader->model->mistakes, ((OnnxMistake){ .at = at, .message = message }));
  else
    reader->model->mistakes_beyond++;
}

// --- Values ---

static OnnxName name_of(const Reader *reader, OnnxSpan at)
{
  return (OnnxName){ .text = text_of(reader, at), .at = at, .symbol = ONNX_NO_SYMBOL };
}

static OnnxValue *make_value(Reader *reader, const IrValue *from, bool is_initializer)
{
  OnnxValue *value = ARENA_NEW(reader->arena, OnnxValue);
  value->name = name_of(reader, from->name);
  value->type = ir_type(&reader->scan, from, reader->arena);
  value->type_at = from->element;
  if (is_initializer) {
    value->data = ARENA_NEW(reader->arena, OnnxData);
    ir_tensor_data(&reader->scan, from->data, value->data);
  }
  return value;
}

/// Values up to the `)` of a section.
static void read_section(Reader *reader, OnnxValue **tail, bool is_initializer)
{
  IrScan *scan = &reader->scan;
  IrValue value;
  while (ir_take_value(scan, &value)) {
    *tail = make_value(reader, &value, is_initializer);
    tail = &(*tail)->next;
    if (!ir_take(scan, ','))
      break;
  }
  ir_take(scan, ')');
  ir_take(scan, ',');
}

/// `eps: FLOAT = 1e-05` up to the brace.
static void read_function_attributes(Reader *reader)
{
  OnnxAttr **tail = &reader->function->attrs;
  OnnxSpan key;
  while (ir_take_key(&reader->scan, &key)) {
    OnnxAttr *attr = *tail = ARENA_NEW(reader->arena, OnnxAttr);
    attr->name = name_of(reader, key);
    attr->at = key;
    tail = &attr->next;
    reader->scan.at++;
    ir_skip_attribute_value(&reader->scan);
    if (!ir_take(&reader->scan, ','))
      break;
  }
  ir_take(&reader->scan, '}');
}

/// `name=main_graph,`
static void read_name(Reader *reader, OnnxGraph *graph)
{
  IrScan *scan = &reader->scan;
  uint32_t start = scan->at;
  skip_line(scan);
  uint32_t end = scan->at;
  while (end > start && (ascii_is_space(scan->text.data[end - 1]) || scan->text.data[end - 1] == ','))
    end--;
  graph->name = name_of(reader, (OnnxSpan){ start, end });
}

/// From the `(` of `graph(` to the brace before the nodes; false if there is none.
static bool read_signature(Reader *reader, OnnxGraph *graph)
{
  IrScan *scan = &reader->scan;
  OnnxValue **infos = &graph->infos;
  for (;;) {
    if (ir_take_word(scan, STR("name=")))
      read_name(reader, graph);
    else if (ir_take_word(scan, STR("inputs=(")))
      read_section(reader, &graph->inputs, false);
    else if (ir_take_word(scan, STR("outputs=(")))
      read_section(reader, &graph->outputs, false);
    else if (ir_take_word(scan, STR("initializers=(")))
      read_section(reader, infos, true);
    else if (reader->function && ir_take_word(scan, STR("attributes={")))
      read_function_attributes(reader);
    else
      break;
  }
  return ir_take(scan, ')') && ir_take(scan, '{');
}

static void open_graph(Reader *reader, OnnxGraph *graph, OnnxNode *owner)
{
  OnnxValue **last_info = &graph->infos;
  while (*last_info)
    last_info = &(*last_info)->next;
  reader->frames[reader->depth++] = (Frame){ .graph = graph, .owner = owner, .last_info = last_info };
  add_event(reader, ONNX_ENTER_GRAPH, graph, NULL);
}

// --- Nodes ---

/// The type that is printed of what a node makes.
static void keep_type(Reader *reader, const IrValue *value)
{
  Frame *frame = &reader->frames[reader->depth - 1];
  OnnxValue *info = make_value(reader, value, false);
  if (!info->type || value->name.end == value->name.start)
    return;
  *frame->last_info = info;
  frame->last_info = &info->next;
}

static void read_names(Reader *reader, OnnxNames *names, bool are_outputs)
{
  IrScan *scan = &reader->scan;
  Vec(OnnxName) items = { 0 };
  IrValue value;
  do {
    if (ir_take_value(scan, &value)) {
      vec_push(&items, name_of(reader, value.name));
      if (are_outputs)
        keep_type(reader, &value);
    } else if (!are_outputs && ir_take_word(scan, STR("None"))) {
      vec_push(&items, ((OnnxName){ .at = { scan->at - 4, scan->at }, .symbol = ONNX_NO_SYMBOL }));
    } else {
      break;
    }
  } while (ir_take(scan, ','));
  *names = (OnnxNames){ vec_copy(&items, reader->arena), (uint32_t)items.count };
  vec_free(&items);
}

/// The header of the graph that is an attribute's value; false if it can't be read.
static bool open_inner_graph(Reader *reader, OnnxNode *owner, OnnxAttr *attr)
{
  OnnxGraph *graph = ARENA_NEW(reader->arena, OnnxGraph);
  graph->at.start = reader->scan.at;
  graph->owner = owner;
  graph->owner_attr = attr;
  graph->parent = owner->graph;
  if (reader->depth == ONNX_GRAPH_DEPTH || !read_signature(reader, graph))
    return false;
  attr->type = ONNX_GRAPH;
  attr->graph = graph;
  open_graph(reader, graph, owner);
  return true;
}

typedef enum Step {
  STEP_BAD,
  STEP_DONE,
  STEP_GRAPH,  ///< A graph was opened; the node goes on after it.
} Step;

/// `axis=1, …}` up to the brace, or up to a graph.
static Step read_attributes(Reader *reader, OnnxNode *node)
{
  IrScan *scan = &reader->scan;
  OnnxSpan key;
  while (ir_take_key(scan, &key)) {
    OnnxAttr *attr = ARENA_NEW(reader->arena, OnnxAttr);
    attr->name = name_of(reader, key);
    attr->at = key;
    onnx_node_add_attr(node, attr);
    if (!ir_take(scan, '='))
      return STEP_BAD;
    if (ir_take_word(scan, STR("graph(")))
      return open_inner_graph(reader, node, attr) ? STEP_GRAPH : STEP_BAD;
    ir_read_attribute(scan, attr, reader->arena);
    if (!ir_take(scan, ','))
      break;
  }
  return ir_take(scan, '}') ? STEP_DONE : STEP_BAD;
}

static void end_node(Reader *reader, OnnxNode *node)
{
  Frame *frame = &reader->frames[reader->depth - 1];
  node->at.end = reader->scan.at;
  *(frame->last ? &frame->last->next : &frame->graph->nodes) = node;
  frame->last = node;
  add_event(reader, ONNX_AT_NODE, frame->graph, node);
}

/// What can't be read is passed over, and nothing that it may have made is missed.
static void finish_step(Reader *reader, OnnxNode *node, Step step)
{
  if (step == STEP_DONE)
    end_node(reader, node);
  if (step != STEP_BAD)
    return;
  skip_line(&reader->scan);
  IrScan first = { reader->scan.text, node->at.start, reader->scan.end };
  skip_line(&first);
  add_mistake(reader, (OnnxSpan){ node->at.start, first.at }, STR("This node can't be read."));
}

static Step read_node(Reader *reader, OnnxNode *node)
{
  IrScan *scan = &reader->scan;
  IrOperator op;
  read_names(reader, &node->outputs, true);
  if (!ir_take_arrow(scan) || !ir_take_operator(scan, &op))
    return STEP_BAD;
  node->domain = text_of(reader, op.domain);
  node->op = text_of(reader, op.op);
  node->overload = text_of(reader, op.overload);
  node->op_at = (OnnxSpan){ op.domain.end > op.domain.start ? op.domain.start : op.op.start, op.op.end };
  if (!ir_take(scan, '('))
    return STEP_BAD;
  read_names(reader, &node->inputs, false);
  if (!ir_take(scan, ')'))
    return STEP_BAD;
  return ir_take(scan, '{') ? read_attributes(reader, node) : STEP_DONE;
}

static void close_graph(Reader *reader)
{
  Frame frame = reader->frames[--reader->depth];
  frame.graph->at.end = reader->scan.at;
  add_event(reader, ONNX_LEAVE_GRAPH, frame.graph, NULL);
  if (!frame.owner)
    return;
  bool goes_on = ir_take(&reader->scan, ',');
  Step step = goes_on ? read_attributes(reader, frame.owner) : ir_take(&reader->scan, '}') ? STEP_DONE : STEP_BAD;
  finish_step(reader, frame.owner, step);
}

/// `12 |  # name`; the name is the node's.
static bool skip_number(IrScan *scan)
{
  ir_skip_space(scan);
  uint32_t at = scan->at;
  while (at < scan->end && ascii_is_digit(scan->text.data[at]))
    at++;
  bool is_number = at > scan->at;
  while (at < scan->end && scan->text.data[at] == ' ')
    at++;
  if (!is_number || at >= scan->end || scan->text.data[at] != '|')
    return false;
  scan->at = at;
  skip_line(scan);
  return true;
}

static void read_nodes(Reader *reader)
{
  IrScan *scan = &reader->scan;
  while (reader->depth > 0 && ir_peek(scan) != '\0') {
    if (skip_number(scan))
      continue;
    if (ir_take_word(scan, STR("return"))) {
      OnnxNames unused;
      read_names(reader, &unused, false);
    } else if (ir_take(scan, '}')) {
      close_graph(reader);
    } else {
      OnnxNode *node = ARENA_NEW(reader->arena, OnnxNode);
      node->graph = reader->frames[reader->depth - 1].graph;
      node->label.symbol = ONNX_NO_SYMBOL;
      node->at.start = scan->at;
      finish_step(reader, node, read_node(reader, node));
    }
  }
  Str text = str_trim(scan->text);
  uint32_t last = (uint32_t)(text.data + text.len - scan->text.data);
  if (reader->depth > 0)
    add_mistake(reader, (OnnxSpan){ last > 0 ? last - 1 : 0, last }, STR("The text ends before the graph does."));
  while (reader->depth > 0)
    add_event(reader, ONNX_LEAVE_GRAPH, reader->frames[--reader->depth].graph, NULL);
}

// --- The model ---

/// `{'': 20, 'my': 1}`
static void read_imports(Reader *reader, OnnxImports *imports)
{
  IrScan *scan = &reader->scan;
  Vec(OnnxImport) items = { 0 };
  imports->at.start = scan->at;
  ir_take(scan, '{');
  while (ir_peek(scan) == '\'') {
    OnnxImport import = { .at = { scan->at, 0 } };
    size_t quote = str_find_char(str_slice(scan->text, 0, scan->end), '\'', scan->at + 1);
    if (quote == STR_NOT_FOUND)
      break;
    import.domain = str_slice(scan->text, scan->at + 1, quote);
    scan->at = (uint32_t)quote + 1;
    ir_take(scan, ':');
    ir_skip_space(scan);
    uint32_t start = scan->at;
    scan->at = (uint32_t)ascii_digits_end(str_slice(scan->text, 0, scan->end), start);
    uint64_t version = 0;
    if (!str_to_uint(str_slice(scan->text, start, scan->at), INT64_MAX, &version))
      break;
    import.version = (int64_t)version;
    import.at.end = scan->at;
    vec_push(&items, import);
    if (!ir_take(scan, ','))
      break;
  }
  imports->items = vec_copy(&items, reader->arena);
  imports->count = (uint32_t)items.count;
  imports->at.end = scan->at;
  vec_free(&items);
}

/// The lines between `<` and `>`, whose values are one a line.
static void read_header(Reader *reader, OnnxImports *imports)
{
  IrScan *scan = &reader->scan;
  OnnxModel *model = reader->model;
  while (ir_peek(scan) != '\0' && !ir_take(scan, '>')) {
    if (ir_take_word(scan, STR("opset_imports="))) {
      read_imports(reader, imports);
    } else if (!reader->function && ir_take_word(scan, STR("ir_version="))) {
      uint32_t start = scan->at;
      scan->at = (uint32_t)ascii_digits_end(str_slice(scan->text, 0, scan->end), start);
      uint64_t version = 0;
      model->has_ir_version = str_to_uint(str_slice(scan->text, start, scan->at), INT64_MAX, &version);
      model->ir_version = (int64_t)version;
      model->ir_at = (OnnxSpan){ start, scan->at };
    }
    skip_line(scan);
  }
}

static void read_body(Reader *reader, OnnxGraph *graph)
{
  if (!read_signature(reader, graph)) {
    uint32_t start = reader->scan.at;
    skip_line(&reader->scan);
    add_mistake(reader, (OnnxSpan){ start, reader->scan.at }, STR("The graph's header can't be read."));
    return;
  }
  open_graph(reader, graph, NULL);
  read_nodes(reader);
}

/// `def pkg.domain::name:overload(`
static void read_function_name(Reader *reader, OnnxFunction *function)
{
  IrOperator op;
  function->graph.at.start = reader->scan.at;
  if (!ir_take_operator(&reader->scan, &op)) {
    reader->model->is_damaged = true;
    return;
  }
  function->has_domain = true;
  function->domain = text_of(reader, op.domain);
  function->overload = text_of(reader, op.overload);
  function->graph.name = name_of(reader, op.op);
  ir_take(&reader->scan, '(');
}

static void read_function(Reader *reader, OnnxImports imports)
{
  OnnxModel *model = reader->model;
  OnnxFunction *function = reader->function;
  function->imports = imports;
  function->graph.is_function = true;
  function->number = model->last_function ? model->last_function->number + 1 : 0;
  *(model->last_function ? &model->last_function->next : &model->functions) = function;
  model->last_function = function;
  read_function_name(reader, function);
  read_body(reader, &function->graph);
}

static void read_graph(Reader *reader)
{
  OnnxGraph *graph = ARENA_NEW(reader->arena, OnnxGraph);
  graph->at.start = reader->scan.at;
  graph->name.symbol = ONNX_NO_SYMBOL;
  reader->model->graph = graph;
  read_body(reader, graph);
}

/// The model, then functions, each after a header of its own. What stands around them is passed over.
static void read_all(Reader *reader)
{
  IrScan *scan = &reader->scan;
  OnnxModel *model = reader->model;
  OnnxImports imports = { 0 };
  bool has_model = false;
  while (ir_peek(scan) != '\0') {
    uint32_t start = scan->at;
    if (ir_take(scan, '<')) {
      has_model = true;
      reader->function = model->graph ? ARENA_NEW(reader->arena, OnnxFunction) : NULL;
      imports = (OnnxImports){ 0 };
      read_header(reader, &imports);
    } else if (!model->graph && ir_take_word(scan, STR("graph("))) {
      model->has_header = true;
      model->is_bare = !has_model;
      model->header_at = (OnnxSpan){ start, scan->at };
      model->imports = imports;
      read_graph(reader);
    } else if (reader->function && ir_take_word(scan, STR("def "))) {
      read_function(reader, imports);
      reader->function = NULL;
    } else {
      skip_line(scan);
    }
  }
}

void onnx_ir_read(OnnxModel *model, const OnnxSource *source, Arena *arena)
{
  Reader *reader = xcalloc(1, sizeof(*reader));
  *model = (OnnxModel){ .text = source->text, .is_printed = true, .may_lack_types = true };
  reader->model = model;
  reader->arena = arena;
  reader->scan = (IrScan){ .text = source->text, .at = source->start, .end = (uint32_t)source->text.len };
  read_all(reader);
  free(reader);
}
