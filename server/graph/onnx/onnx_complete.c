#include "graph/onnx/onnx_complete.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "describe/describe.h"
#include "facts/onnx_elements.h"
#include "graph/features/dump_at.h"
#include "graph/onnx/onnx_text.h"

enum { DETAIL_PARAMS = 8, BRACKETS_READ = 16 };

/// A bracket that is open before the cursor.
typedef struct OpenBracket {
  char sign;
  Str before;  ///< The word before it.
} OpenBracket;

/// What comes before the cursor on its line.
typedef struct Before {
  OpenBracket open[BRACKETS_READ];
  size_t depth;
  bool has_equals;  ///< Outside of brackets: what comes now belongs to a node.
  char last;        ///< The last character that is no space, before the word at the cursor.
  Str line;
} Before;

static void read_sign(Before *before, char c, Str word)
{
  before->last = c;
  if (c == '=' && before->depth == 0)
    before->has_equals = true;
  if (strchr("(<[{", c) && before->depth < BRACKETS_READ)
    before->open[before->depth++] = (OpenBracket){ c, word };
  else if (strchr(")>]}", c) && before->depth > 0)
    before->depth--;
}

/// Reads the line up to the word at its end; false inside of a string or a comment.
static bool read_before(Str line, Before *before)
{
  Str word = { 0 };
  *before = (Before){ .line = line };
  for (size_t i = 0; i < line.len;) {
    size_t end = i + 1;
    char c = line.data[i];
    if (c == '#')
      return false;
    if (c == '"') {
      end = str_find_char(line, '"', i + 1);
      if (end == STR_NOT_FOUND)
        return false;
      end++;
      before->last = c;
    } else if (ascii_is_dotted(c)) {
      while (end < line.len && ascii_is_dotted(line.data[end]))
        end++;
      word = str_slice(line, i, end);
      before->last = 'a';
    } else if (c == '=' && end < line.len && line.data[end] == '>') {
      before->last = '>';
      word = (Str){ 0 };
      end++;
    } else if (!ascii_is_space(c)) {
      read_sign(before, c, word);
      word = c == ':' ? word : (Str){ 0 };
    }
    i = end;
  }
  return true;
}

typedef struct Completer {
  CompletionJob *job;
  Range replaced;
  const SymbolicsDb *db;
  int opset;
  const OnnxSchema *schema;  ///< Of the operator whose brackets are open; NULL if it is unknown.
} Completer;

static void add(Completer *at, CompletionItem item, char group)
{
  item.replaced = at->replaced;
  if (item.text.len == 0)
    item.text = item.label;
  item.sort_text = arena_printf(at->job->arena, "%c%.*s", group, STR_ARG(item.label));
  vec_push(&at->job->items, item);
}

// --- Operators ---

static bool add_operator(Str name, void *context)
{
  Completer *at = context;
  const OnnxOperator *op = symbolics_onnx_operator(at->db, (Str){ 0 }, name);
  const OnnxSchema *schema = op ? onnx_operator_at(op, at->opset) : NULL;
  if (!op)
    return true;
  CompletionItem item = { .label = name, .kind = COMPLETION_OPERATOR, .is_deprecated = schema && schema->deprecated };
  Str signature = schema ? describe_onnx_signature(op, schema, DETAIL_PARAMS, at->job->arena) : (Str){ 0 };
  item.detail = schema ? str_slice(signature, str_find_char(signature, '(', 0), signature.len)
                       : arena_printf(at->job->arena, "needs opset %u", op->versions[0].since);
  item.documentation = item.documentation_plain = op->summary;
  add(at, item, !schema ? '1' : item.is_deprecated ? '2' : '0');
  return true;
}

// --- Attributes ---

static const char *type_word(OnnxAttributeType type)
{
  static const struct {
    OnnxAttributeType type;
    const char *word;
  } words[] = { { ONNX_FLOAT, "float" },   { ONNX_INT, "int" },         { ONNX_STRING, "string" },
                { ONNX_TENSOR, "tensor" }, { ONNX_GRAPH, "graph" },     { ONNX_FLOATS, "floats" },
                { ONNX_INTS, "ints" },     { ONNX_STRINGS, "strings" }, { ONNX_TYPE_PROTO, "type_proto" } };
  for (size_t i = 0; i < COUNT(words); i++) {
    if (words[i].type == type)
      return words[i].word;
  }
  return NULL;
}

/// Whether the line gives the attribute already.
static bool is_given(const Before *before, Str name)
{
  for (size_t at = str_find(before->line, name, 0); at != STR_NOT_FOUND; at = str_find(before->line, name, at + 1)) {
    Str rest = str_trim(str_slice(before->line, at + name.len, before->line.len));
    bool begins = at == 0 || !ascii_is_dotted(before->line.data[at - 1]);
    if (begins && rest.len > 0 && (rest.data[0] == ':' || rest.data[0] == '='))
      return true;
  }
  return false;
}

static void add_attributes(Completer *at, const Before *before)
{
  for (uint32_t i = 0; at->schema && i < at->schema->attribute_count; i++) {
    const OnnxAttribute *attribute = &at->schema->attributes[i];
    const char *type = type_word(attribute->type);
    if (!type || is_given(before, attribute->name))
      continue;
    CompletionItem item = { .label = attribute->name, .kind = COMPLETION_PROPERTY };
    item.text = arena_printf(at->job->arena, "%.*s: %s = ", STR_ARG(attribute->name), type);
    item.detail = attribute->required ? arena_printf(at->job->arena, "%s, required", type)
                  : attribute->has_default
                      ? arena_printf(at->job->arena, "%s, default %.*s", type, STR_ARG(attribute->default_text))
                      : str_from(type);
    item.documentation = item.documentation_plain = attribute->phrase;
    add(at, item, attribute->required ? '0' : '1');
  }
}

/// The type of the attribute before the `:` at the end; all of them for one that is unknown.
static void add_attribute_types(Completer *at, const Before *before)
{
  static const char *const words[] = { "float",  "floats",  "graph",  "int",       "ints",
                                       "string", "strings", "tensor", "type_proto" };
  Str rest = str_trim(str_slice(before->line, 0, str_rfind_char(before->line, ':')));
  size_t start = rest.len;
  while (start > 0 && ascii_is_dotted(rest.data[start - 1]))
    start--;
  Str name = str_slice(rest, start, rest.len);
  const OnnxAttribute *known = at->schema ? onnx_schema_attribute(at->schema, name) : NULL;
  for (size_t i = 0; i < COUNT(words); i++) {
    const char *type = known ? type_word(known->type) : NULL;
    if (!type || strcmp(type, words[i]) == 0)
      add(at, (CompletionItem){ .label = str_from(words[i]), .kind = COMPLETION_KEYWORD }, '0');
  }
}

// --- Values and types ---

static bool is_bare(Str name)
{
  for (size_t i = 0; i < name.len; i++) {
    if (!ascii_is_word(name.data[i]))
      return false;
  }
  return name.len > 0 && !ascii_is_digit(name.data[0]);
}

static Str value_name(const Dump *dump, Place place, uint32_t i)
{
  GraphWalk walk = { .dump = dump };
  return walk_name(&walk, walk_definition(&walk, place, i));
}

/// What lines before the cursor define, the nearest first.
static void add_values(Completer *at)
{
  const Dump *dump = snapshot_dump(at->job->snapshot);
  Place place;
  size_t line_start = document_line_start(at->job->document, document_line_of(at->job->document, at->job->offset));
  if (line_start == 0 || !dump_place_at(at->job->snapshot, at->job->offset, &place))
    return;
  uint32_t graph = dump_place_graph(dump, place);
  size_t first = at->job->items.count;
  while (dump_place_previous(dump, &place) && dump_place_graph(dump, place) == graph) {
    const Item *item = dump_place_item(dump, place);
    for (uint32_t i = 0; i < item->def_count; i++) {
      Str name = value_name(dump, place, i);
      CompletionItem value = { .label = name, .kind = COMPLETION_VALUE };
      value.text = is_bare(name) ? name : arena_printf(at->job->arena, "\"%.*s\"", STR_ARG(name));
      add(at, value, '0');
      vec_last(&at->job->items)->sort_text = arena_printf(at->job->arena, "%05zu", at->job->items.count - first);
    }
    if (at->job->items.count - first >= COMPLETION_LIMIT) {
      at->job->is_incomplete = true;
      return;
    }
  }
}

static void add_element_types(Completer *at)
{
  for (uint32_t element = 1; element < ELEM_COUNT; element++)
    add(at, (CompletionItem){ .label = onnx_element_word(element), .kind = COMPLETION_KEYWORD }, '0');
}

// --- What is wanted ---

static void complete_in_bracket(Completer *at, const Before *before)
{
  const OpenBracket *open = &before->open[before->depth - 1];
  const OnnxOperator *op = symbolics_onnx_operator(at->db, (Str){ 0 }, open->before);
  at->schema = op && before->has_equals ? onnx_operator_at(op, at->opset) : NULL;
  bool begins_item = before->last == open->sign || before->last == ',';
  if (open->sign == '(' && begins_item && before->has_equals)
    add_values(at);
  else if (open->sign == '(' && begins_item)
    add_element_types(at);
  else if (open->sign == '<' && begins_item && before->has_equals)
    add_attributes(at, before);
  else if (open->sign == '<' && before->last == ':' && before->has_equals)
    add_attribute_types(at, before);
  else if (open->sign == '<' && begins_item)
    add_element_types(at);
}

void onnx_complete(CompletionJob *job)
{
  uint32_t line = document_line_of(job->document, job->offset);
  size_t line_start = document_line_start(job->document, line);
  Str text = str_slice(document_line(job->document, line), 0, job->offset - line_start);
  if (text.len > ONNX_COMPLETION_LINE)
    return;
  size_t start = text.len;
  while (start > 0 && ascii_is_word(text.data[start - 1]))
    start--;
  Before before;
  if (!read_before(str_slice(text, 0, start), &before))
    return;
  Completer at = { .job = job, .db = target_db(snapshot_target(job->snapshot)) };
  int opset = onnx_text_opset(job->document);
  at.opset = opset > 0 ? opset : INT32_MAX;
  at.replaced = (Range){ line_start + start, job->offset };
  if (before.depth > 0)
    complete_in_bracket(&at, &before);
  else if (before.has_equals && before.last == '=')
    symbolics_each_onnx_name(at.db, (Str){ 0 }, (Str){ 0 }, add_operator, &at);
}
