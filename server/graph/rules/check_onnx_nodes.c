// Nodes of ONNX in TorchScript dumps and printable graphs, against the schemas. The text does not say the opset, so
// what is told holds at every version of the operator.

#include "base/ascii.h"
#include "describe/operator_words.h"
#include "graph/features/dump_at.h"
#include "graph/rules/graph_sink.h"

/// What all versions of an operator have in common, for the nodes of a chunk that name it.
typedef struct KnownOperator {
  const OnnxOperator *op;  ///< NULL if it is none of ONNX.
  Str name;
  Severity severity;
  uint32_t min_input, max_input;
  uint32_t max_output;
} KnownOperator;

/// One node, and the text after its operator.
typedef struct OnnxCall {
  DiagSink *sink;
  const KnownOperator *known;
  Range at;  ///< Of the operator, in the chunk.
  Str rest;
} OnnxCall;

static void say(const OnnxCall *call, RuleId rule, Range at, Str message)
{
  if (sink_wants(call->sink, rule, call->known->severity))
    sink_add(call->sink, (uint32_t)at.start, (uint32_t)at.end, call->known->severity,
             (Diagnostic){ .rule = rule, .message = message });
}

// --- What the line says ---

/// After the value of an attribute: where a comma or the bracket stands that ends it; STR_NOT_FOUND.
static size_t end_of_value(Str text, size_t at)
{
  int depth = 0;
  for (char quote = 0; at < text.len; at++) {
    char c = text.data[at];
    if (quote) {
      at += c == '\\';
      quote = c == quote ? 0 : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '(' || c == '{') {
      depth++;
    } else if (depth == 0 && (c == ',' || c == ']')) {
      return at;
    } else if (c == ']' || c == ')' || c == '}') {
      depth--;
    }
  }
  return STR_NOT_FOUND;
}

/// The name before the `=` of an attribute, from `*at` on, which moves to its value; empty if there is none.
static Str next_name(Str text, size_t *at)
{
  size_t start = ascii_blanks_end(text, *at);
  *at = start;
  while (*at < text.len && ascii_is_word(text.data[*at]))
    ++*at;
  Str name = str_slice(text, start, *at);
  *at = ascii_blanks_end(text, *at);
  bool is_named = *at < text.len && text.data[*at] == '=';
  ++*at;
  return is_named ? name : (Str){ 0 };
}

/// How many values the parentheses at `at` hold; UINT32_MAX if they don't end. One that is left out counts.
static uint32_t count_arguments(Str text, size_t at)
{
  uint32_t commas = 0;
  bool is_empty = true;
  for (size_t i = at + 1; i < text.len && text.data[i] != '('; i++) {
    if (text.data[i] == ')')
      return is_empty ? 0 : commas + 1;
    commas += text.data[i] == ',';
    is_empty &= text.data[i] == ' ';
  }
  return UINT32_MAX;
}

// --- Rules ---

static void check_inputs(const OnnxCall *call, size_t at)
{
  const KnownOperator *known = call->known;
  uint32_t count = count_arguments(call->rest, at);
  if (count == UINT32_MAX || (count >= known->min_input && count <= known->max_input))
    return;
  Str range = operator_count_words(known->min_input, known->max_input, "input", call->sink->arena);
  say(call, RULE_INPUT_COUNT, call->at,
      arena_printf(call->sink->arena, "`%.*s` takes %.*s in every version of ONNX; this node has %u.",
                   STR_ARG(known->name), STR_ARG(range), count));
}

/// torch writes the node's name among the attributes.
static void check_attribute(const OnnxCall *call, Str name)
{
  if (onnx_operator_with_attribute(call->known->op, name) || str_equal(name, STR("onnx_name")) ||
      str_starts_with(name, STR("_")))
    return;
  size_t start = call->at.end + (size_t)(name.data - call->rest.data);
  say(call, RULE_UNKNOWN_ATTRIBUTE, (Range){ start, start + name.len },
      arena_printf(call->sink->arena, "`%.*s` has no attribute `%.*s` in any version of ONNX.",
                   STR_ARG(call->known->name), STR_ARG(name)));
}

/// Where the attributes end; STR_NOT_FOUND if that can't be read.
static size_t check_attributes(const OnnxCall *call)
{
  Str text = call->rest;
  size_t at = 0;
  if (text.len == 0 || text.data[0] != '[')
    return 0;
  do {
    at++;
    Str name = next_name(text, &at);
    if (name.len == 0)
      return STR_NOT_FOUND;
    at = end_of_value(text, at);
    if (at == STR_NOT_FOUND)
      return STR_NOT_FOUND;
    check_attribute(call, name);
  } while (text.data[at] == ',');
  return at + 1;
}

static void check_node(DiagSink *sink, const KnownOperator *known, const Item *item, Str written)
{
  const ChunkState *chunk = sink_chunk(sink);
  OnnxCall call = { .sink = sink, .known = known, .at = graph_op_range(chunk, item, written) };
  uint32_t start = chunk->text->starts[item->line];
  Str line = text_chunk_line(chunk->text, item->line);
  if (call.at.end - call.at.start != written.len)
    return;
  call.rest = str_slice(line, call.at.end - start, line.len);
  size_t at = check_attributes(&call);
  if (at < call.rest.len && call.rest.data[at] == '(')
    check_inputs(&call, at);
  if (item->def_count > known->max_output)
    say(&call, RULE_OUTPUT_COUNT, call.at,
        arena_printf(sink->arena, "`%.*s` has at most %u output%s in every version of ONNX; this node has %u.",
                     STR_ARG(known->name), known->max_output, known->max_output == 1 ? "" : "s", item->def_count));
}

// --- The operators of a chunk ---

static KnownOperator known_operator(const SymbolicsDb *db, Str written)
{
  KnownOperator known = { .min_input = UINT32_MAX };
  Str domain;
  if (!operator_is_onnx_name(db, written, true, &domain, &known.name) || domain.len > 0)
    return known;
  known.op = symbolics_onnx_operator(db, domain, known.name);
  // A printable graph does not say the domain: that of a model's own operator may be another one.
  known.severity = known.name.len < written.len ? (Severity)SEVERITY_DEFAULT : SEVERITY_WARNING;
  for (uint32_t i = 0; known.op && i < known.op->version_count; i++) {
    const OnnxSchema *schema = &known.op->versions[i];
    known.min_input = schema->min_input < known.min_input ? schema->min_input : known.min_input;
    known.max_input = schema->max_input > known.max_input ? schema->max_input : known.max_input;
    known.max_output = schema->max_output > known.max_output ? schema->max_output : known.max_output;
  }
  return known;
}

static bool is_printable(const DiagSink *sink, const Item *item)
{
  const GraphCheck *check = sink_graph(sink);
  Place place = { check->chunk, (uint32_t)(item - sink_chunk(sink)->index->items), item->first_occurrence };
  return (check->dump->graphs[dump_place_graph(check->dump, place)].flags & SEGMENT_PRINTABLE) != 0;
}

void check_onnx_nodes(DiagSink *sink)
{
  const ChunkState *chunk = sink_chunk(sink);
  const SymbolicsDb *db = target_db(sink->target);
  KnownOperator *known = ARENA_ARRAY(sink->arena, KnownOperator, chunk->index->op_count);
  bool has_some = false;
  for (uint32_t i = 0; i < chunk->index->op_count; i++) {
    known[i] = known_operator(db, dump_op_name(chunk->index, chunk_text(chunk), i));
    has_some |= known[i].op != NULL;
  }
  for (uint32_t i = 0; i < chunk->index->item_count && has_some; i++) {
    const Item *item = &chunk->index->items[i];
    if (item->op == NO_OP || !known[item->op].op ||
        (known[item->op].severity == SEVERITY_WARNING && !is_printable(sink, item)))
      continue;
    check_node(sink, &known[item->op], item, dump_op_name(chunk->index, chunk_text(chunk), item->op));
  }
}
