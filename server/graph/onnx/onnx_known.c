// What is known of the values of a text that is followed and not checked: for hovers, hints, and what a runtime needs.

#include "graph/onnx/onnx_flow.h"

// --- What is known of one value ---

static bool holds(const OnnxName *name, size_t offset)
{
  return name->symbol != ONNX_NO_SYMBOL && offset >= name->at.start && offset < name->at.end;
}

static const OnnxName *value_at(const OnnxValue *value, size_t offset)
{
  while (value && !holds(&value->name, offset))
    value = value->next;
  return value ? &value->name : NULL;
}

/// The name at the offset, of those that an event brings; NULL for none.
static const OnnxName *name_at(const OnnxEvent *event, size_t offset)
{
  if (event->kind == ONNX_LEAVE_GRAPH)
    return value_at(event->graph->outputs, offset);
  if (event->kind == ONNX_ENTER_GRAPH) {
    const OnnxName *input = value_at(event->graph->inputs, offset);
    return input ? input : value_at(event->graph->infos, offset);
  }
  const OnnxNames *lists[] = { &event->node->outputs, &event->node->inputs };
  for (size_t k = 0; k < COUNT(lists); k++) {
    for (uint32_t i = 0; i < lists[k]->count; i++) {
      if (holds(&lists[k]->items[i], offset))
        return &lists[k]->items[i];
    }
  }
  return NULL;
}

typedef Vec(FoundType) FoundTypeList;

/// A node comes after the graphs in its attributes, and its outputs stand before them.
static int compare_found(const void *left, const void *right)
{
  const FoundType *a = left;
  const FoundType *b = right;
  return (a->offset > b->offset) - (a->offset < b->offset);
}

/// A text that is followed and not checked.
typedef struct Reading {
  Arena tree;
  OnnxModel model;
  OnnxCheck check;
  OnnxFlow flow;
  const OnnxNode **makers;  ///< By symbol, of the model's graphs.
} Reading;

/// False if the text has no graph; end_reading() in any case.
static bool begin_reading(Reading *reading, OnnxReadFunction *read, const OnnxSource *source, const SymbolicsDb *db)
{
  *reading = (Reading){ 0 };
  read(&reading->model, source, &reading->tree);
  reading->check = (OnnxCheck){ .arena = &reading->tree, .db = db, .model = &reading->model };
  if (!reading->model.graph)
    return false;
  onnx_number_symbols(&reading->check);
  onnx_list_functions(&reading->check);
  onnx_flow_begin(&reading->flow, &reading->check, &reading->tree);
  reading->flow.follows = ONNX_FOLLOWS_SIZES;
  reading->makers = ARENA_ARRAY(&reading->tree, const OnnxNode *, reading->check.symbols.texts.count + 1);
  return true;
}

static void end_reading(Reading *reading)
{
  if (reading->model.graph)
    onnx_flow_done(&reading->flow);
  onnx_check_done(&reading->check);
  arena_done(&reading->tree);
}

// --- A name ---

/// What stands at the offset.
typedef struct Found {
  const OnnxName *name;   ///< NULL for none.
  const OnnxNode *maker;  ///< The node that defines it; NULL for none.
  const OnnxType *type;   ///< NULL if it is unknown.
} Found;

/// In the body of a function: what all calls have in common.
static void find_in_body(const Reading *reading, const OnnxFunction *function, Found *found)
{
  for (const OnnxValue *input = function->graph.inputs; input; input = input->next) {
    if (input->name.symbol == found->name->symbol)
      found->type = input->found;
  }
  for (uint32_t i = function->first_event; i < function->end_event; i++) {
    const OnnxNode *node = reading->model.events.items[i].node;
    for (uint32_t k = 0; node && k < node->outputs.count; k++) {
      if (node->outputs.items[k].symbol != found->name->symbol)
        continue;
      found->maker = node;
      found->type = node->found ? node->found[k] : NULL;
    }
  }
}

static void remember_makers(Reading *reading, const OnnxNode *node)
{
  for (uint32_t i = 0; i < node->outputs.count; i++) {
    uint32_t symbol = node->outputs.items[i].symbol;
    if (symbol != ONNX_NO_SYMBOL)
      reading->makers[symbol] = node;
  }
}

/// Follows all up to the name. What a graph gives is known until it is left, what it takes from when it is entered.
static Found find_name(Reading *reading, size_t offset)
{
  Found found = { 0 };
  const OnnxFunction *body = NULL;
  for (size_t i = 0; i < reading->model.events.count; i++) {
    const OnnxEvent *event = &reading->model.events.items[i];
    const OnnxName *name = name_at(event, offset);
    reading->check.function = event->function;
    bool is_left = name && event->kind == ONNX_LEAVE_GRAPH && !event->function;
    if (!is_left)
      onnx_flow_event(&reading->flow, event);
    if (event->kind == ONNX_AT_NODE && !event->function)
      remember_makers(reading, event->node);
    if (!name)
      continue;
    found.name = name;
    body = event->function;
    break;
  }
  if (body) {
    find_in_body(reading, body, &found);
  } else if (found.name) {
    found.type = reading->flow.known[found.name->symbol].type;
    found.maker = reading->makers[found.name->symbol];
  }
  return found;
}

Str onnx_flow_type_at(OnnxReadFunction *read, const OnnxSource *source, const SymbolicsDb *db, size_t offset,
                      Arena *arena)
{
  Reading reading;
  Str type = { 0 };
  if (begin_reading(&reading, read, source, db)) {
    Found found = find_name(&reading, offset);
    type = onnx_type_text(found.type, arena);
  }
  end_reading(&reading);
  return type;
}

// --- Where a type comes from ---

static uint32_t line_of(Str text, uint32_t offset)
{
  uint32_t line = 1;
  for (uint32_t i = 0; i < offset && i < text.len; i++)
    line += text.data[i] == '\n';
  return line;
}

static Str size_text(OnnxDim size, Arena *arena)
{
  if (onnx_is_size(size))
    return arena_printf(arena, "%lld", (long long)size.value);
  return size.param.len > 0 ? size.param : STR("?");
}

/// "[0, -1, 12, 64]", "[batch, ?, 64]"
static Str values_text(const OnnxKnown *known, Arena *arena)
{
  uint32_t count = known->numbers ? known->numbers->count : known->sizes->count;
  Str text = STR("[");
  for (uint32_t i = 0; i < count; i++) {
    OnnxDim item = known->numbers ? onnx_size(known->numbers->items[i]) : known->sizes->items[i];
    text = arena_printf(arena, "%.*s%s%.*s", STR_ARG(text), i > 0 ? ", " : "", STR_ARG(size_text(item, arena)));
  }
  return arena_printf(arena, "%.*s]", STR_ARG(text));
}

/// What a node computes with: "`float[B,6,8]` and `[0, -1]`".
static Str operands_text(const Reading *reading, const OnnxNode *node, Arena *arena)
{
  enum { SHOWN = 4 };
  Str text = { 0 };
  uint32_t shown = 0;
  for (uint32_t i = 0; i < node->inputs.count && shown < SHOWN; i++) {
    uint32_t symbol = node->inputs.items[i].symbol;
    const OnnxKnown *known = symbol == ONNX_NO_SYMBOL ? NULL : &reading->flow.known[symbol];
    Str one = !known                           ? (Str){ 0 }
              : known->numbers || known->sizes ? values_text(known, arena)
                                               : onnx_type_text(known->type, arena);
    if (one.len == 0)
      continue;
    const char *between = shown == 0 ? "" : i + 1 == node->inputs.count || shown + 1 == SHOWN ? " and " : ", ";
    text = arena_printf(arena, "%.*s%s`%.*s`", STR_ARG(text), between, STR_ARG(one));
    shown++;
  }
  return text;
}

/// The node that made a number of a size that callers choose, on the way to this one; NULL if none did.
static const OnnxNode *find_freezer(Reading *reading, const OnnxNode *node, Str *ret_param, uint64_t *ret_size)
{
  for (uint32_t steps = 0; node && steps < ONNX_ORIGIN_STEPS; steps++) {
    if (onnx_freezes(&reading->flow, node, ret_param, ret_size))
      return node;
    uint32_t symbol = node->inputs.count > 0 ? node->inputs.items[0].symbol : ONNX_NO_SYMBOL;
    node = symbol == ONNX_NO_SYMBOL ? NULL : reading->makers[symbol];
  }
  return NULL;
}

static Str origin_text(Reading *reading, const OnnxNode *node, Arena *arena)
{
  Str param;
  uint64_t size;
  Str operands = operands_text(reading, node, arena);
  Str text = operands.len > 0 ? arena_printf(arena, "Shape from `%.*s` of %.*s", STR_ARG(node->op), STR_ARG(operands))
                              : arena_printf(arena, "Shape from `%.*s`", STR_ARG(node->op));
  const OnnxNode *freezer = find_freezer(reading, node, &param, &size);
  if (!freezer)
    return text;
  return arena_printf(arena, "%.*s; `%.*s` became %llu in line %u, by `%.*s`", STR_ARG(text), STR_ARG(param),
                      (unsigned long long)size, line_of(reading->model.text, freezer->op_at.start),
                      STR_ARG(freezer->op));
}

Str onnx_flow_origin_at(OnnxReadFunction *read, const OnnxSource *source, const SymbolicsDb *db, size_t offset,
                        Arena *arena)
{
  Reading reading;
  Str origin = { 0 };
  if (begin_reading(&reading, read, source, db)) {
    Found found = find_name(&reading, offset);
    if (found.maker && found.type && found.type->has_shape)
      origin = origin_text(&reading, found.maker, arena);
  }
  end_reading(&reading);
  return origin;
}

// --- All types of a range ---

static void list_type(const Reading *reading, const OnnxName *name, const OnnxType *of, Arena *arena,
                      FoundTypeList *found)
{
  Str type = onnx_type_text(of, arena);
  bool is_quoted = name->at.end < reading->model.text.len && reading->model.text.data[name->at.end] == '"';
  if (type.len > 0)
    vec_push(found, ((FoundType){ name->at.end + is_quoted, type }));
}

/// Follows a node, and lists the types of what it defines that nobody has written.
static void follow_and_list(Reading *reading, const OnnxEvent *event, Arena *arena, FoundTypeList *found)
{
  OnnxFlow *flow = &reading->flow;
  const OnnxNames *outputs = &event->node->outputs;
  bool *is_written = ARENA_ARRAY(&reading->tree, bool, outputs->count);
  for (uint32_t i = 0; i < outputs->count; i++)
    is_written[i] = outputs->items[i].symbol == ONNX_NO_SYMBOL || flow->known[outputs->items[i].symbol].type;
  onnx_flow_event(flow, event);
  for (uint32_t i = 0; i < outputs->count; i++) {
    if (!is_written[i])
      list_type(reading, &outputs->items[i], flow->known[outputs->items[i].symbol].type, arena, found);
  }
}

static bool is_in(const OnnxNode *node, Range range)
{
  return node->at.start <= range.end && node->at.end >= range.start;
}

/// Of a node in the body of a function, where nothing is written.
static void list_found(const Reading *reading, const OnnxNode *node, const OnnxType **types, Arena *arena,
                       FoundTypeList *found)
{
  for (uint32_t i = 0; i < node->outputs.count; i++)
    list_type(reading, &node->outputs.items[i], types[i], arena, found);
}

FoundTypes onnx_flow_types_in(OnnxReadFunction *read, const OnnxSource *source, const SymbolicsDb *db, Range range,
                              Arena *arena)
{
  Reading reading;
  FoundTypeList found = { 0 };
  bool has_graph = begin_reading(&reading, read, source, db);
  for (size_t i = 0; has_graph && i < reading.model.events.count; i++) {
    const OnnxEvent *event = &reading.model.events.items[i];
    reading.check.function = event->function;
    bool is_shown = event->kind == ONNX_AT_NODE && !event->function && is_in(event->node, range);
    if (is_shown)
      follow_and_list(&reading, event, arena, &found);
    else
      onnx_flow_event(&reading.flow, event);
  }
  for (size_t i = 0; has_graph && i < reading.model.events.count; i++) {
    const OnnxEvent *event = &reading.model.events.items[i];
    if (event->node && event->node->found && is_in(event->node, range))
      list_found(&reading, event->node, event->node->found, arena, &found);
  }
  end_reading(&reading);
  vec_sort(&found, compare_found);
  FoundTypes types = { vec_copy(&found, arena), found.count };
  vec_free(&found);
  return types;
}

typedef Vec(UsedAttribute) UsedAttributes;

/// What is counted, by operator and name.
typedef struct Uses {
  OnnxSymbols keys;
  UsedAttributes list;
  Arena arena;
} Uses;

static void count_use(Uses *uses, Str op, Str name)
{
  Str key = arena_printf(&uses->arena, "%.*s %.*s", STR_ARG(op), STR_ARG(name));
  uint32_t symbol = onnx_symbol_of(&uses->keys, key);
  if (symbol == uses->list.count)
    vec_push(&uses->list, (UsedAttribute){ op, name, 0 });
  uses->list.items[symbol].nodes++;
}

static void count_uses(Uses *uses, const OnnxCheck *check, const OnnxNode *node)
{
  const OnnxSchema *schema = onnx_schema_of(check, node, NULL);
  count_use(uses, node->op, (Str){ 0 });
  for (const OnnxAttr *attr = node->attrs; attr; attr = attr->next)
    count_use(uses, node->op, attr->name.text);
  for (uint32_t i = 0; schema && i < node->inputs.count && i < schema->input_count; i++) {
    if (node->inputs.items[i].text.len > 0)
      count_use(uses, node->op, schema->inputs[i].name);
  }
}

/// Which attributes and inputs the nodes of ai.onnx have.
static void list_used(Reading *reading, Arena *arena, ModelNeeds *needs)
{
  Uses uses = { 0 };
  for (size_t i = 0; i < reading->model.events.count; i++) {
    const OnnxEvent *event = &reading->model.events.items[i];
    reading->check.function = event->function;
    if (event->kind == ONNX_AT_NODE && event->node->domain.len == 0)
      count_uses(&uses, &reading->check, event->node);
  }
  UsedAttribute *copy = vec_copy(&uses.list, arena);
  for (size_t i = 0; i < uses.list.count; i++) {
    copy[i].op = arena_copy(arena, copy[i].op);
    copy[i].attribute = arena_copy(arena, copy[i].attribute);
  }
  needs->used = copy;
  needs->used_count = uses.list.count;
  vec_free(&uses.list);
  onnx_symbols_done(&uses.keys);
  arena_done(&uses.arena);
}

ModelNeeds onnx_flow_needs(OnnxReadFunction *read, const OnnxSource *source, const SymbolicsDb *db, Arena *arena)
{
  Reading reading;
  ModelNeeds needs = { 0 };
  MissingKernels missing = { 0 };
  if (begin_reading(&reading, read, source, db)) {
    reading.check.missing = &missing;
    for (size_t i = 0; i < reading.model.events.count; i++) {
      const OnnxEvent *event = &reading.model.events.items[i];
      reading.check.function = event->function;
      onnx_flow_event(&reading.flow, event);
    }
    const OnnxImport *import = onnx_import_of(&reading.model.imports, (Str){ 0 });
    needs.ir_version = reading.model.has_ir_version ? reading.model.ir_version : 0;
    needs.opset = import ? import->version : 0;
    list_used(&reading, arena, &needs);
  }
  needs.missing_count = missing.count;
  MissingKernel *copy = vec_copy(&missing, arena);
  for (size_t i = 0; i < missing.count; i++) {
    copy[i].op = arena_copy(arena, copy[i].op);
    copy[i].types = arena_copy(arena, copy[i].types);
  }
  needs.missing = copy;
  vec_free(&missing);
  end_reading(&reading);
  return needs;
}
