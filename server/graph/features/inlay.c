// textDocument/inlayHint in dumps: what arguments are called in the operator's schema, and what constants are where
// they are used.

#include "base/limits.h"
#include "base/search.h"
#include "base/vec.h"
#include "graph/features/graph_features.h"
#include "graph/features/hover_private.h"

enum {
  VALUE_BYTES = 30,    ///< Of a constant; the hover has all of it.
  CACHE_SLOTS = 1024,  ///< A power of two.
  CANCEL_ITEMS = 64,
};

/// What a definition was found to be, for the many uses of one constant.
typedef struct KnownValue {
  bool is_taken;
  Place definition;
  Str text;  ///< Empty if it is not a constant.
} KnownValue;

typedef struct InlayJob {
  OperatorContext base;
  Vec(InlayHint) hints;
  KnownValue known[CACHE_SLOTS];
  FoundTypes types;
  size_t next_type;  ///< The first of them that is not in a line before.
} InlayJob;

// --- Values of constants ---

static bool may_be_constant(Str op)
{
  return str_ends_with(op, STR("::Constant")) || str_equal(op, STR("prim::ListConstruct")) ||
         str_equal(op, STR("prim::TupleConstruct"));
}

static Str read_value(const OperatorContext *job, Place definition)
{
  Str text;
  bool is_single;
  if (!may_be_constant(hover_operator_of(job, definition)))
    return (Str){ 0 };
  LineView view = hover_line_view(job, definition);
  if (!hover_constant_text(job, &view, definition, &is_single, &text) || str_equal(text, STR("<Tensor>")))
    return (Str){ 0 };
  return markup_shorten(text, VALUE_BYTES, job->arena);
}

static Str value_of(InlayJob *job, Place definition)
{
  uint32_t slot = (definition.chunk * 31 + definition.item) * 2654435761u / (UINT32_MAX / CACHE_SLOTS + 1);
  KnownValue *known = &job->known[slot];
  bool is_same =
      known->is_taken && known->definition.chunk == definition.chunk && known->definition.item == definition.item;
  if (!is_same)
    *known = (KnownValue){ true, definition, read_value(&job->base, definition) };
  return known->text;
}

static bool find_definition(const OperatorContext *job, Place use, uint32_t graph, Place *ret_definition)
{
  if (dump_definition_of(snapshot_dump(job->snapshot), graph, use, ret_definition))
    return true;
  if (!snapshot_dump(job->snapshot)->graphs[graph].follows_printable)
    return false;
  NameAt name;
  return name_at(job->snapshot, dump_place_range(job->snapshot, use).start, &name) &&
         name_at_definition(snapshot_dump(job->snapshot), &name, ret_definition);
}

// --- Names of arguments ---

/// What a line calls, if its arguments have names.
typedef struct Callee {
  LineView view;
  const TorchOverload *overload;
  const OnnxSchema *schema;
} Callee;

static Callee find_callee(const OperatorContext *job, Place place)
{
  Str op = hover_operator_of(job, place);
  Str domain;
  Str name;
  if (op.len == 0 || dump_place_item(snapshot_dump(job->snapshot), place)->kind != ITEM_STATEMENT)
    return (Callee){ 0 };
  if (hover_operator_is_onnx(job, op, place, &domain, &name)) {
    const OnnxOperator *onnx = domain.len == 0 ? symbolics_onnx_operator(job->db, domain, name) : NULL;
    if (!onnx)
      return (Callee){ 0 };
    return (Callee){ .view = hover_line_view(job, place), .schema = onnx_operator_at(onnx, job->opset) };
  }
  if (!symbolics_torch_operator(job->db, op))
    return (Callee){ 0 };
  Callee callee = { .view = hover_line_view(job, place) };
  callee.overload = hover_overload_that_fits(job, &callee.view, place);
  return callee;
}

/// Names that tell a reader nothing: `self` is what every operator works on, `a` and `b` are those of numbers.
static bool is_only_a_place(Str name)
{
  return str_equal(name, STR("self")) || str_equal(name, STR("a")) || str_equal(name, STR("b"));
}

/// Empty if there is nothing to say.
static Str argument_name(const Callee *callee, size_t i)
{
  if (callee->overload && i < callee->overload->argument_count)
    return is_only_a_place(callee->overload->arguments[i].name) ? (Str){ 0 } : callee->overload->arguments[i].name;
  if (callee->schema && i < callee->schema->input_count)
    return callee->schema->inputs[i].name;
  return (Str){ 0 };
}

/// "int dim=-1"
static Str argument_tooltip(const OperatorContext *job, const Callee *callee, size_t i)
{
  if (!callee->overload)
    return (Str){ 0 };
  const TorchArgument *argument = &callee->overload->arguments[i];
  return arena_printf(job->arena, "%.*s %.*s%s%.*s", STR_ARG(argument->type), STR_ARG(argument->name),
                      argument->has_default ? "=" : "", STR_ARG(argument->default_text));
}

/// `%input`, `%input.1`, `input_1`: the value is called what the argument is.
static bool says_the_same(Str value, Str argument)
{
  Str base = str_slice(value, value.len > 0 && value.data[0] == '%' ? 1 : 0, value.len);
  if (!str_starts_with(base, argument))
    return false;
  Str rest = str_slice(base, argument.len, base.len);
  uint64_t number;
  bool is_numbered = rest.len > 1 && (rest.data[0] == '.' || rest.data[0] == '_');
  return rest.len == 0 || (is_numbered && str_to_uint(str_slice(rest, 1, rest.len), UINT64_MAX, &number));
}

// --- Lines ---

static void add_name(InlayJob *job, const Callee *callee, size_t argument, size_t node)
{
  Str name = argument_name(callee, argument);
  if (name.len == 0 || says_the_same(line_view_text(&callee->view, node), name))
    return;
  InlayHint hint = { .offset = line_view_range(&callee->view, node).start, .kind = INLAY_PARAMETER };
  hint.label = arena_printf(job->base.arena, "%.*s:", STR_ARG(name));
  hint.tooltip = argument_tooltip(&job->base, callee, argument);
  vec_push(&job->hints, hint);
}

static void add_names(InlayJob *job, Place place, Range range)
{
  Callee callee = find_callee(&job->base, place);
  size_t nodes[LINE_ARGUMENT_LIMIT];
  size_t count = line_view_arguments(&callee.view, LINE_ARGUMENT_LIMIT, nodes);
  for (size_t i = 0; i < count && i < LINE_ARGUMENT_LIMIT; i++) {
    size_t start = line_view_range(&callee.view, nodes[i]).start;
    if (start >= range.start && start <= range.end)
      add_name(job, &callee, i, nodes[i]);
  }
}

static void add_value(InlayJob *job, Place use, uint32_t graph, size_t offset)
{
  Place definition;
  if (!find_definition(&job->base, use, graph, &definition))
    return;
  Str value = value_of(job, definition);
  if (value.len == 0)
    return;
  InlayHint hint = { .offset = offset, .kind = INLAY_VALUE };
  hint.label = arena_printf(job->base.arena, "= %.*s", STR_ARG(value));
  vec_push(&job->hints, hint);
}

static void add_values(InlayJob *job, Place place, uint32_t first, uint32_t count, Range range)
{
  uint32_t graph = dump_place_graph(snapshot_dump(job->base.snapshot), place);
  for (uint32_t i = 0; i < count && i < LINE_ARGUMENT_LIMIT; i++) {
    Place use = { place.chunk, place.item, first + i };
    Range at = dump_place_range(job->base.snapshot, use);
    if (at.start >= range.start && at.start <= range.end)
      add_value(job, use, graph, at.end);
  }
}

/// Types that follow, of what a line defines.
static void add_types(InlayJob *job, size_t line_start, size_t line_end)
{
  for (; job->next_type < job->types.count && job->types.items[job->next_type].offset <= line_end; job->next_type++) {
    const FoundType *found = &job->types.items[job->next_type];
    if (found->offset >= line_start)
      vec_push(&job->hints, ((InlayHint){ .offset = found->offset,
                                          .kind = INLAY_VALUE,
                                          .label = arena_printf(job->base.arena, ": %.*s", STR_ARG(found->type)) }));
  }
}

/// Puts the hints of a line, of which there are few, into the order of the text. A statement before it that is not
/// closed may have hints that come after them.
static void sort_line(InlayJob *job, size_t from)
{
  for (size_t i = from; i < job->hints.count; i++) {
    for (size_t k = i; k > 0 && job->hints.items[k - 1].offset > job->hints.items[k].offset; k--) {
      InlayHint hint = job->hints.items[k];
      job->hints.items[k] = job->hints.items[k - 1];
      job->hints.items[k - 1] = hint;
    }
  }
}

static void add_line(InlayJob *job, Place place, Range range)
{
  const OperatorContext *base = &job->base;
  const DumpIndex *index = snapshot_dump(base->snapshot)->chunks[place.chunk]->index;
  const Item *item = &index->items[place.item];
  uint32_t first = item->first_occurrence + item->def_count;
  uint32_t count = index->items[place.item + 1].first_occurrence - first;
  size_t hints = job->hints.count;
  const TextChunk *text = base->document->chunks[place.chunk];
  size_t start = base->document->chunk_offsets[place.chunk];
  bool is_last = item->line + 1 >= text->line_count;
  add_types(job, start + text->starts[item->line], start + (is_last ? text->len : text->starts[item->line + 1] - 1));
  if (!base->target->hides_argument_names)
    add_names(job, place, range);
  if (!base->target->hides_constant_values)
    add_values(job, place, first, count, range);
  sort_line(job, hints);
}

/// The first item of a chunk that is on a line or after it.
static uint32_t first_item_from(const DumpIndex *index, uint32_t line)
{
  uint32_t at;
  SEARCH_FIRST(at, 0, index->item_count, index->items[at].line < line);
  return at;
}

static void add_chunk(InlayJob *job, uint32_t c, Range range)
{
  const OperatorContext *base = &job->base;
  const DumpIndex *index = snapshot_dump(base->snapshot)->chunks[c]->index;
  size_t start = base->document->chunk_offsets[c];
  uint32_t from =
      range.start > start ? text_chunk_line_of(base->document->chunks[c], (uint32_t)(range.start - start)) : 0;
  for (uint32_t i = first_item_from(index, from); i < index->item_count && job->hints.count < HINT_LIMIT; i++) {
    if (start + base->document->chunks[c]->starts[index->items[i].line] > range.end)
      return;
    if (i % CANCEL_ITEMS == 0 && feature_is_cancelled(base->context))
      return;
    add_line(job, (Place){ c, i, 0 }, range);
  }
}

InlayHintList graph_inlay_hints(const FeatureContext *context, Range range)
{
  InlayJob *job = xcalloc(1, sizeof(*job));
  job->base = operator_context(context);
  job->base.opset = dialect_opset(snapshot_dialect(context->snapshot), job->base.document, job->base.target);
  const GraphDialect *dialect = snapshot_dialect(context->snapshot);
  if (dialect->types_in && !job->base.target->hides_constant_values)
    job->types = dialect->types_in(context->snapshot, range, context->arena);
  uint32_t first = document_locate(job->base.document, range.start).chunk;
  uint32_t last = document_locate(job->base.document, range.end).chunk;
  for (uint32_t c = first; c <= last && job->hints.count < HINT_LIMIT && !feature_is_cancelled(context); c++)
    add_chunk(job, c, range);
  InlayHint *items = vec_copy(&job->hints, context->arena);
  InlayHintList list = { items, job->hints.count };
  vec_free(&job->hints);
  free(job);
  return list;
}
