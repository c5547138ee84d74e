// Hover on a value: type, definition, uses, module, source, and what it is an argument of.

#include "base/limits.h"
#include "describe/type_text.h"
#include "graph/features/hover_private.h"
#include "graph/features/line_tail.h"
#include "graph/features/model_section.h"
#include "graph/features/source_path.h"

// --- Where it is defined ---

/// The statement that a block belongs to: the nearest line above that is indented less.
static bool block_owner(const OperatorContext *job, Place block, Place *ret_owner)
{
  uint32_t graph = dump_place_graph(snapshot_dump(job->snapshot), block);
  uint16_t indent = dump_place_item(snapshot_dump(job->snapshot), block)->indent;
  Place at = block;
  while (dump_place_previous(snapshot_dump(job->snapshot), &at) &&
         dump_place_graph(snapshot_dump(job->snapshot), at) == graph) {
    const Item *item = dump_place_item(snapshot_dump(job->snapshot), at);
    if (item->kind == ITEM_STATEMENT && item->indent < indent) {
      *ret_owner = at;
      return true;
    }
  }
  return false;
}

void hover_block(OperatorContext *job, Place place)
{
  Place owner;
  if (!block_owner(job, place, &owner))
    return;
  LineView view = hover_line_view(job, place);
  size_t name = line_view_find(&view, NODE_BLOCK_NAME, 0);
  Str block = name == NO_NODE ? STR("block") : line_view_text(&view, name);
  Str op = hover_operator_of(job, owner);
  const char *role = "";
  if (str_ends_with(op, STR("::If")) && str_equal(block, STR("block0")))
    role = ": runs when the condition holds";
  else if (str_ends_with(op, STR("::If")))
    role = ": runs when the condition does not hold";
  else if (str_ends_with(op, STR("::Loop")))
    role = ": the loop's body; its first input counts the turns, its first result says whether to go on";
  markup_code(&job->markup, block);
  markup_text(&job->markup, " of ");
  markup_code(&job->markup, markup_shorten(op, 100, job->arena));
  markup_text(&job->markup, " in line %u%s", dump_place_line(job->snapshot, owner) + 1, role);
}

/// In a printable graph the initializers follow a line of their own.
static bool follows_section(const Dump *dump, Place at)
{
  bool is_found = false;
  while (!is_found && dump_place_previous(dump, &at)) {
    const Item *item = dump_place_item(dump, at);
    is_found = item->kind == ITEM_SECTION;
    if (item->kind != ITEM_PARAMETERS)
      break;
  }
  return is_found;
}

/// What a line of a model's header lists, by the lines from the one on where the header begins.
static ModelSection section_of(const OperatorContext *job, Place at)
{
  uint32_t line = dump_place_line(job->snapshot, at);
  bool is_header = dump_place_item(snapshot_dump(job->snapshot), at)->kind == ITEM_GRAPH_HEADER;
  while (!is_header && dump_place_previous(snapshot_dump(job->snapshot), &at))
    is_header = dump_place_item(snapshot_dump(job->snapshot), at)->kind != ITEM_PARAMETERS;
  uint32_t first = dump_place_line(job->snapshot, at);
  ModelSection section = SECTION_INPUTS;
  for (uint32_t i = first; i <= line; i++)
    section = model_section(section, document_line(snapshot_document(job->snapshot), i), i == first);
  return line == first ? SECTION_INPUTS : section;
}

static void write_graph_input(OperatorContext *job, Place definition)
{
  static const char *const words[] = { "Input", "Output", "Initializer" };
  const Dump *dump = snapshot_dump(job->snapshot);
  ModelSection section = SECTION_INPUTS;
  if (snapshot_dialect(job->snapshot)->is_model)
    section = section_of(job, definition);
  else if (dump->graphs[dump_place_graph(dump, definition)].flags & SEGMENT_PRINTABLE &&
           follows_section(dump, definition))
    section = SECTION_MORE;
  markup_text(&job->markup, "%s of the graph, line %u", words[section], dump_place_line(job->snapshot, definition) + 1);
}

static void write_definition(OperatorContext *job, Place definition)
{
  const Item *item = dump_place_item(snapshot_dump(job->snapshot), definition);
  uint32_t line = dump_place_line(job->snapshot, definition) + 1;
  Place owner;
  switch ((ItemKind)item->kind) {
  case ITEM_GRAPH_HEADER:
  case ITEM_PRINTABLE_HEADER:
  case ITEM_PARAMETERS:
    write_graph_input(job, definition);
    break;
  case ITEM_BLOCK_HEADER:
    markup_text(&job->markup, "Input of the block in line %u", line);
    if (block_owner(job, definition, &owner)) {
      markup_text(&job->markup, ", of ");
      markup_code(&job->markup, markup_shorten(hover_operator_of(job, owner), 100, job->arena));
    }
    break;
  default:
    markup_text(&job->markup, "Defined in line %u", line);
    if (item->op != NO_OP) {
      markup_text(&job->markup, " by ");
      markup_code(&job->markup, markup_shorten(hover_operator_of(job, definition), 100, job->arena));
    }
    break;
  }
}

static void write_uses(OperatorContext *job, const NameAt *name)
{
  size_t uses = name_at_count_uses(snapshot_dump(job->snapshot), name);
  if (uses == 0)
    markup_text(&job->markup, "never used");
  else if (uses == 1)
    markup_text(&job->markup, "used once");
  else
    markup_text(&job->markup, "used %.*s times", STR_ARG(markup_group_digits(uses, job->arena)));
}

// --- Module and source ---

static void write_module(OperatorContext *job, Str scope)
{
  ScopePart parts[SCOPE_PART_LIMIT];
  size_t count = line_tail_scope_parts(scope, parts);
  if (count == 0)
    return;
  const ScopePart *last = &parts[count - 1];
  markup_text(&job->markup, "Module ");
  markup_code(&job->markup, markup_shorten(last->path.len > 0 ? last->path : last->type, 200, job->arena));
  if (last->path.len > 0 && last->type.len > 0) {
    markup_text(&job->markup, ", a ");
    markup_code(&job->markup, markup_shorten(last->type, 200, job->arena));
  }
}

static void write_source(OperatorContext *job, const LineTail *tail)
{
  Str path = { 0 };
  source_path_find(job->context, tail->file, &path);
  Str label =
      arena_printf(job->arena, "%.*s:%u", STR_ARG(markup_shorten(tail->file, 300, job->arena)), tail->file_line);
  markup_text(&job->markup, "Source ");
  markup_link(&job->markup, label, path, tail->file_line, job->arena);
}

bool hover_tail(OperatorContext *job, size_t offset, Range *ret_range)
{
  uint32_t line = document_line_of(job->document, offset);
  Str text = document_line(job->document, line);
  size_t start = document_line_start(job->document, line);
  LineTail tail = line_tail(text);
  const Str parts[] = { tail.scope, tail.location };
  for (int i = 0; i < 2; i++) {
    if (parts[i].len == 0)
      continue;
    Range range = { start + (size_t)(parts[i].data - text.data), 0 };
    range.end = range.start + parts[i].len;
    if (offset < range.start || offset > range.end)
      continue;
    *ret_range = range;
    if (i == 0)
      write_module(job, tail.scope);
    else
      write_source(job, &tail);
    return true;
  }
  return false;
}

// --- The argument that it is here ---

static Str onnx_input_name(const OperatorContext *job, Str domain, Str name, size_t position)
{
  const OnnxOperator *op = symbolics_onnx_operator(job->db, domain, name);
  const OnnxSchema *schema = op && domain.len == 0 ? onnx_operator_at(op, job->opset) : NULL;
  if (!schema || schema->input_count == 0)
    return (Str){ 0 };
  if (position < schema->input_count)
    return schema->inputs[position].name;
  const OnnxParam *last = &schema->inputs[schema->input_count - 1];
  return last->option == ONNX_VARIADIC ? last->name : (Str){ 0 };
}

/// The schema's name for the argument, and its type if it is known.
static Str argument_name(const OperatorContext *job, const LineView *view, Place place, size_t position, Str *ret_type)
{
  Str op = hover_operator_of(job, place);
  Str domain;
  Str name;
  *ret_type = (Str){ 0 };
  if (hover_operator_is_onnx(job, op, place, &domain, &name))
    return onnx_input_name(job, domain, name, position);
  const TorchOverload *overload = hover_overload_that_fits(job, view, place);
  if (!overload || position >= overload->argument_count)
    return (Str){ 0 };
  *ret_type = overload->arguments[position].type;
  return overload->arguments[position].name;
}

static void write_argument(OperatorContext *job, const NameAt *name)
{
  if (dump_place_item(snapshot_dump(job->snapshot), name->place)->kind != ITEM_STATEMENT)
    return;
  LineView view = hover_line_view(job, name->place);
  size_t nodes[HOVER_LIST_LIMIT * 4];
  size_t count = line_view_arguments(&view, HOVER_LIST_LIMIT * 4, nodes);
  for (size_t i = 0; i < count && i < HOVER_LIST_LIMIT * 4; i++) {
    Range argument_range = line_view_range(&view, nodes[i]);
    if (name->range.start < argument_range.start || name->range.start >= argument_range.end)
      continue;
    Str type;
    Str argument = argument_name(job, &view, name->place, i, &type);
    if (argument.len == 0)
      return;
    markup_item(&job->markup);
    markup_text(&job->markup, "Here argument ");
    markup_code(&job->markup,
                type.len > 0 ? arena_printf(job->arena, "%.*s %.*s", STR_ARG(type), STR_ARG(argument)) : argument);
    markup_text(&job->markup, " of ");
    markup_code(&job->markup, markup_shorten(hover_operator_of(job, name->place), 100, job->arena));
    return;
  }
}

// --- All of it ---

static Str explain_type(const OperatorContext *job, Str type)
{
  bool is_model = snapshot_dialect(job->snapshot)->is_model;
  return is_model ? type_explain_onnx(type, job->arena) : type_explain(type, job->arena);
}

void hover_type(OperatorContext *job, Str type)
{
  Str words = explain_type(job, type);
  if (words.len > 0)
    markup_text(&job->markup, "%.*s", STR_ARG(words));
}

static void write_head(OperatorContext *job, const NameAt *name, Str type)
{
  Buffer head = { 0 };
  buffer_append(&head, markup_shorten(name->name, 200, job->arena));
  if (type.len > 0) {
    buffer_append(&head, STR(" : "));
    buffer_append(&head, markup_shorten(type, HOVER_TEXT_LIMIT, job->arena));
  }
  markup_block(&job->markup, snapshot_language(job->snapshot)->name, buffer_str(&head));
  buffer_done(&head);
  Str words = explain_type(job, type);
  if (words.len == 0)
    return;
  markup_paragraph(&job->markup);
  markup_text(&job->markup, "%.*s", STR_ARG(words));
}

static void write_place(OperatorContext *job, const LineView *view)
{
  LineTail tail = line_origin(job->snapshot, view->line);
  if (tail.scope.len > 0) {
    markup_item(&job->markup);
    write_module(job, tail.scope);
  }
  if (tail.location.len > 0) {
    markup_item(&job->markup);
    write_source(job, &tail);
  }
}

/// Of a shape that nobody has written.
static void write_origin(OperatorContext *job, const LineView *view, Place definition)
{
  const GraphDialect *dialect = snapshot_dialect(job->snapshot);
  size_t offset = dump_place_range(job->snapshot, definition).start;
  bool is_written = line_view_type_of(view, offset).len > 0;
  Str origin = is_written || !dialect->origin_at ? (Str){ 0 } : dialect->origin_at(job->snapshot, offset, job->arena);
  if (origin.len == 0)
    return;
  markup_item(&job->markup);
  markup_prose(&job->markup, markup_shorten(origin, HOVER_TEXT_LIMIT, job->arena));
}

void hover_value(OperatorContext *job, const NameAt *name)
{
  Place definition;
  LineView view = { 0 };
  bool is_defined = name_at_definition(snapshot_dump(job->snapshot), name, &definition);
  if (is_defined)
    view = hover_line_view(job, definition);
  write_head(job, name, is_defined ? hover_definition_type(job, definition) : (Str){ 0 });
  if (is_defined) {
    hover_constant(job, &view, definition);
    hover_attribute_path(job, definition);
  }
  markup_item(&job->markup);
  if (is_defined)
    write_definition(job, definition);
  else
    markup_text(&job->markup, "Not defined in this graph");
  markup_text(&job->markup, ", ");
  write_uses(job, name);
  if (is_defined)
    write_origin(job, &view, definition);
  if (!name->is_definition)
    write_argument(job, name);
  if (is_defined)
    write_place(job, &view);
}
