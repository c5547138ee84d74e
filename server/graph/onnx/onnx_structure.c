#include "graph/onnx/onnx_structure.h"

#include "graph/model/snapshot_dump.h"

#include "base/ascii.h"
#include "graph/onnx/onnx_content.h"
#include "graph/onnx/onnx_flow.h"
#include "graph/onnx/onnx_source.h"
#include "graph/onnx/onnx_symbols.h"
#include "graph/onnx/onnx_tree.h"

/// What a name meant before a graph inside gave it another meaning.
typedef struct HiddenName {
  uint32_t symbol;
  uint32_t value;
} HiddenName;

typedef struct OpenBlock {
  const OnnxGraph *graph;
  uint32_t block;
  size_t hidden;  ///< How many names were hidden when it began.
} OpenBlock;

typedef struct Builder {
  GraphStructure *structure;
  const Document *document;
  OnnxModel *model;
  OnnxSymbols symbols;
  Vec(uint32_t) values;          ///< By symbol; NO_VALUE for none.
  Vec(const OnnxValue *) infos;  ///< By symbol: where its type is written; NULL for none.
  Vec(HiddenName) hidden;
  Vec(OpenBlock) open;
  Vec(OpenBlock) closed;  ///< Whose owners have not come yet.
  const OnnxFunction *function;
} Builder;

static uint32_t line_of(const Builder *builder, OnnxSpan at)
{
  return document_line_of(builder->document, at.start);
}

static Str slice(const Builder *builder, OnnxSpan at)
{
  return str_slice(builder->model->text, at.start, at.end);
}

static uint32_t symbol_of(Builder *builder, Str name)
{
  uint32_t symbol = onnx_symbol_of(&builder->symbols, name);
  while (builder->values.count <= symbol) {
    vec_push(&builder->values, NO_VALUE);
    vec_push(&builder->infos, NULL);
  }
  return symbol;
}

/// What the name means now.
static uint32_t value_of(Builder *builder, Str name)
{
  uint32_t symbol = symbol_of(builder, name);
  return builder->values.items[symbol];
}

/// Where the type of the value is written, or NULL. The place is valid until the next name.
static const OnnxValue **info_of(Builder *builder, Str name)
{
  uint32_t symbol = symbol_of(builder, name);
  return &builder->infos.items[symbol];
}

static Str type_of(const Builder *builder, const OnnxValue *value)
{
  return value && value->type ? structure_spelling(builder->structure, slice(builder, value->type_at), false)
                              : (Str){ 0 };
}

static void define(Builder *builder, Str name, const OnnxValue *written)
{
  if (name.len == 0) {
    structure_add_value(builder->structure, name, (Str){ 0 });
    return;
  }
  uint32_t symbol = symbol_of(builder, name);
  vec_push(&builder->hidden, (HiddenName){ symbol, builder->values.items[symbol] });
  Str type = type_of(builder, written ? written : builder->infos.items[symbol]);
  builder->values.items[symbol] = structure_add_value(builder->structure, name, type);
}

static Part part_at(const Builder *builder, StructureKind kind, OnnxSpan at)
{
  return (Part){ .kind = kind, .block = vec_last(&builder->open)->block, .line = line_of(builder, at) };
}

/// A name that nothing defines: a value of its own, so that it is one in all its uses.
static uint32_t free_value(Builder *builder, Part part, uint32_t symbol)
{
  part.kind = STRUCTURE_INPUT;
  part.is_free = true;
  part.block = 0;
  structure_add_part(builder->structure, part);
  define(builder, builder->symbols.texts.items[symbol], NULL);
  // It is free everywhere.
  vec_last(&builder->hidden)->value = builder->values.items[symbol];
  return builder->values.items[symbol];
}

/// Makes sure that all names that a part will use are defined: what is free is a part before it.
static void find_uses(Builder *builder, const OnnxNames *names, OnnxSpan at)
{
  for (uint32_t i = 0; i < names->count; i++) {
    if (names->items[i].text.len == 0)
      continue;
    uint32_t symbol = symbol_of(builder, names->items[i].text);
    if (builder->values.items[symbol] == NO_VALUE)
      free_value(builder, part_at(builder, STRUCTURE_INPUT, at), symbol);
  }
}

static void use(Builder *builder, Str name)
{
  uint32_t value = name.len > 0 ? value_of(builder, name) : NO_VALUE;
  structure_add_use(builder->structure, value);
}

// --- Graphs ---

static void set_content(Builder *builder, Part *part, const OnnxType *type, const OnnxData *data)
{
  Arena *arena = &builder->structure->arena;
  part->is_unknown = !onnx_content_word(builder->structure, builder->model, type, data, &part->constant);
  part->constant_type = (uint32_t)onnx_type_text(type, arena).len;
}

/// The initializer that gives an input its default; NULL for none.
static const OnnxValue *initializer_of(Builder *builder, const OnnxValue *input)
{
  const OnnxValue *info = *info_of(builder, input->name.text);
  return info && info->data ? info : NULL;
}

static void add_inputs(Builder *builder, const OnnxGraph *graph)
{
  uint32_t number = 0;
  for (const OnnxValue *input = graph->inputs; input; input = input->next) {
    Part part = part_at(builder, STRUCTURE_INPUT, input->name.at);
    part.number = part.argument = number++;
    const OnnxValue *initializer = initializer_of(builder, input);
    if (initializer)
      set_content(builder, &part, initializer->type, initializer->data);
    structure_add_part(builder->structure, part);
    define(builder, input->name.text, input);
  }
}

/// Whether a value is an input of the graph that is being read.
static bool is_input_here(const Builder *builder, uint32_t value)
{
  if (value == NO_VALUE)
    return false;
  const Part *part = &builder->structure->parts.items[builder->structure->values.items[value].part];
  return part->kind == STRUCTURE_INPUT && !part->is_free && part->block == vec_last(&builder->open)->block;
}

static void add_initializers(Builder *builder, const OnnxGraph *graph)
{
  for (const OnnxValue *info = graph->infos; info; info = info->next) {
    if (!info->data || is_input_here(builder, value_of(builder, info->name.text)))
      continue;
    Part part = part_at(builder, STRUCTURE_CONSTANT, info->name.at);
    set_content(builder, &part, info->type, info->data);
    structure_add_part(builder->structure, part);
    define(builder, info->name.text, info);
  }
}

static void keep_types(Builder *builder, const OnnxGraph *graph)
{
  for (const OnnxValue *info = graph->infos; info; info = info->next) {
    const OnnxValue **slot = info_of(builder, info->name.text);
    // Values win over a type that the same name has a second time.
    if (!(*slot && (*slot)->data && !info->data))
      *slot = info;
  }
}

static void forget_types(Builder *builder, const OnnxValue *value)
{
  for (; value; value = value->next)
    *info_of(builder, value->name.text) = NULL;
}

static Str function_word(const OnnxFunction *function, Arena *arena)
{
  return arena_printf(arena, "%.*s::%.*s%s%.*s", STR_ARG(function->domain), STR_ARG(function->graph.name.text),
                      function->overload.len > 0 ? ":" : "", STR_ARG(function->overload));
}

static void enter_graph(Builder *builder, const OnnxEvent *event)
{
  Str name = { 0 };
  if (event->graph->owner_attr)
    name = event->graph->owner_attr->name.text;
  else if (event->function)
    name = function_word(event->function, &builder->structure->arena);
  uint32_t block = structure_add_block(builder->structure, NO_PART, name);
  vec_push(&builder->open, (OpenBlock){ event->graph, block, builder->hidden.count });
  keep_types(builder, event->graph);
  add_inputs(builder, event->graph);
  add_initializers(builder, event->graph);
}

static void leave_graph(Builder *builder, const OnnxGraph *graph)
{
  uint32_t number = 0;
  for (const OnnxValue *output = graph->outputs; output; output = output->next) {
    OnnxNames names = { (OnnxName *)&output->name, 1 };
    find_uses(builder, &names, output->name.at);
    Part part = part_at(builder, STRUCTURE_OUTPUT, output->name.at);
    part.number = part.argument = number++;
    part.label = output->name.text;
    structure_add_part(builder->structure, part);
    use(builder, output->name.text);
    Str type = type_of(builder, output);
    if (type.len > 0)
      structure_add_attribute(builder->structure, STR("type"), type);
  }
  forget_types(builder, graph->infos);
  OpenBlock block = *vec_last(&builder->open);
  builder->open.count--;
  while (builder->hidden.count > block.hidden) {
    HiddenName *hidden = vec_last(&builder->hidden);
    builder->values.items[hidden->symbol] = hidden->value;
    builder->hidden.count--;
  }
  vec_push(&builder->closed, block);
}

// --- Nodes ---

/// The line above, trimmed; false at the beginning of the text.
static bool line_above(Str text, size_t *start, Str *ret_line)
{
  if (*start == 0)
    return false;
  size_t end = *start - 1;
  size_t begin = end;
  while (begin > 0 && text.data[begin - 1] != '\n')
    begin--;
  *ret_line = str_trim(str_slice(text, begin, end));
  *start = begin;
  return true;
}

/// The comment above a node that says in which module it is: `: M/layer1: Sequential/layer1.0: Conv2d/conv:
/// aten.conv2d`.
static Str namespace_above(const Builder *builder, const OnnxNode *node)
{
  static const Str key = STR_INIT("# namespace:");
  Str text = builder->model->text;
  Str line;
  size_t start = str_line_start(text, node->label.text.len > 0 ? node->label.at.start : node->op_at.start);
  while (line_above(text, &start, &line) && str_starts_with(line, STR("#"))) {
    if (str_starts_with(line, key))
      return str_trim(str_slice(line, key.len, line.len));
  }
  return (Str){ 0 };
}

/// The path of a module, put together out of its parents' names, each of which may be whole or the last part alone.
static Str module_path(Str names, Arena *arena)
{
  Str path = { 0 };
  for (size_t start = 0; start < names.len;) {
    size_t end = str_find_char(names, '/', start);
    Str part = str_slice(names, start, end);
    part = str_trim(str_slice(part, 0, str_find_char(part, ':', 0)));
    bool is_whole = path.len == 0 || (part.len > path.len && str_starts_with(part, path) && part.data[path.len] == '.');
    if (part.len > 0)
      path = is_whole ? part : arena_join(arena, (Str[]){ path, STR("."), part }, 3);
    start = end == STR_NOT_FOUND ? names.len : end + 1;
  }
  return path;
}

/// The last name is the node's own.
static Str without_last(Str path)
{
  size_t slash = str_rfind_char(path, '/');
  return slash == STR_NOT_FOUND ? (Str){ 0 } : str_slice(path, 0, slash);
}

/// What the comments above a node say of its module; else what its name does, as `/layer1/conv/Conv`.
static Str scope_of(const Builder *builder, const OnnxNode *node)
{
  Str names = namespace_above(builder, node);
  if (names.len == 0 && str_starts_with(node->label.text, STR("/")))
    names = node->label.text;
  return module_path(without_last(names), &builder->structure->arena);
}

static Str operator_of(const OnnxNode *node, Arena *arena)
{
  bool has_overload = node->overload.len > 0;
  Str parts[] = { node->domain.len > 0 ? node->domain : STR("onnx"), STR("::"), node->op,
                  has_overload ? STR(":") : STR(""), node->overload };
  return arena_join(arena, parts, COUNT(parts));
}

static Str attribute_value(const Builder *builder, const OnnxAttr *attr)
{
  GraphStructure *structure = builder->structure;
  Str word;
  if (attr->data && onnx_content_word(structure, builder->model, attr->value_type, attr->data, &word))
    return word;
  bool are_floats = attr->is_contradictory || attr->type == ONNX_FLOAT || attr->type == ONNX_FLOATS;
  return structure_spelling(structure, slice(builder, attr->value_at), are_floats);
}

/// The tensor of a `Constant` node, so that it and an initializer with the same values are known for the same.
static void set_node_content(Builder *builder, Part *part, const OnnxNode *node)
{
  const OnnxAttr *value = onnx_node_attr(node, STR("value"));
  bool is_constant = str_equal(part->op, STR("onnx::Constant")) && value && value->data;
  if (is_constant)
    set_content(builder, part, value->value_type, value->data);
}

/// Blocks of the attributes of a node were closed before it comes.
static void own_blocks(Builder *builder, const OnnxNode *node, uint32_t part)
{
  while (builder->closed.count > 0 && vec_last(&builder->closed)->graph->owner == node) {
    builder->structure->blocks.items[vec_last(&builder->closed)->block].owner = part;
    builder->closed.count--;
  }
}

static void add_node(Builder *builder, const OnnxNode *node)
{
  Arena *arena = &builder->structure->arena;
  find_uses(builder, &node->inputs, node->op_at);
  Part part = part_at(builder, STRUCTURE_NODE, node->op_at);
  part.op = operator_of(node, arena);
  part.label = node->label.text;
  part.scope = scope_of(builder, node);
  set_node_content(builder, &part, node);
  uint32_t number = structure_add_part(builder->structure, part);
  for (uint32_t i = 0; i < node->inputs.count; i++)
    use(builder, node->inputs.items[i].text);
  for (uint32_t i = 0; i < node->outputs.count; i++)
    define(builder, node->outputs.items[i].text, NULL);
  for (const OnnxAttr *attr = node->attrs; attr; attr = attr->next) {
    if (!attr->graph)
      structure_add_attribute(builder->structure, attr->name.text, attribute_value(builder, attr));
  }
  own_blocks(builder, node, number);
}

// --- Beside the graphs ---

static void add_imports(Builder *builder, const OnnxImports *imports, Str of)
{
  Arena *arena = &builder->structure->arena;
  for (uint32_t i = 0; i < imports->count; i++) {
    const OnnxImport *import = &imports->items[i];
    Str domain = import->domain.len > 0 ? import->domain : STR("ai.onnx");
    structure_add_fact(builder->structure, arena_printf(arena, "%.*sopset of %.*s", STR_ARG(of), STR_ARG(domain)),
                       arena_printf(arena, "%lld", (long long)import->version), line_of(builder, import->at));
  }
}

static void add_facts(Builder *builder)
{
  OnnxModel *model = builder->model;
  Arena *arena = &builder->structure->arena;
  for (size_t i = 0; i < model->settings.count; i++) {
    const OnnxPair *setting = &model->settings.items[i];
    structure_add_fact(builder->structure, setting->key, setting->value, line_of(builder, setting->at));
  }
  for (uint32_t i = 0; i < model->metadata_count; i++) {
    const OnnxPair *pair = &model->metadata[i];
    structure_add_fact(builder->structure, arena_printf(arena, "metadata %.*s", STR_ARG(pair->key)),
                       arena_copy(arena, pair->value), line_of(builder, pair->at));
  }
  add_imports(builder, &model->imports, (Str){ 0 });
  for (const OnnxFunction *f = model->functions; f; f = f->next)
    add_imports(builder, &f->imports, arena_printf(arena, "%.*s, ", STR_ARG(function_word(f, arena))));
}

static void add_events(Builder *builder)
{
  for (size_t i = 0; i < builder->model->events.count; i++) {
    const OnnxEvent *event = &builder->model->events.items[i];
    builder->function = event->function;
    if (event->kind == ONNX_ENTER_GRAPH)
      enter_graph(builder, event);
    else if (event->kind == ONNX_LEAVE_GRAPH)
      leave_graph(builder, event->graph);
    else
      add_node(builder, event->node);
  }
}

void onnx_structure(const Snapshot *snapshot, GraphStructure *structure)
{
  OnnxModel model;
  const Document *document = snapshot_document(snapshot);
  Str text = document_slice(document, (Range){ 0, document_length(document) }, &structure->arena);
  OnnxSource source = onnx_source_first(snapshot, text);
  source.is_printed = true;
  snapshot_dialect(snapshot)->read_model(&model, &source, &structure->arena);
  Builder builder = { .structure = structure, .document = document, .model = &model };
  if (model.graph) {
    add_facts(&builder);
    add_events(&builder);
  }
  onnx_symbols_done(&builder.symbols);
  vec_free(&builder.values);
  vec_free(&builder.infos);
  vec_free(&builder.hidden);
  vec_free(&builder.open);
  vec_free(&builder.closed);
  onnx_tree_done(&model);
}
