// Pages about ONNX operators and attributes: the schema at an opset, and how it came to be.
#include "base/ascii.h"
#include "describe/describe.h"
#include "describe/kernel_words.h"

Str describe_onnx_full_name(const OnnxOperator *op, Arena *arena)
{
  return op->domain.len == 0 ? op->name : arena_printf(arena, "%.*s::%.*s", STR_ARG(op->domain), STR_ARG(op->name));
}

Str describe_onnx_spelling(const OnnxAttribute *attribute, Arena *arena)
{
  const char *suffix = onnx_attribute_suffix(attribute->type);
  return *suffix ? arena_printf(arena, "%.*s_%s", STR_ARG(attribute->name), suffix) : (Str){ 0 };
}

const OnnxSchema *describe_schema(const Page *page, const OnnxOperator *op)
{
  return onnx_operator_at(op, page->opset > 0 ? page->opset : INT64_MAX);
}

const OnnxSchema *describe_schema_in(const Page *page, const OnnxOperator *op)
{
  return op->domain.len == 0 ? describe_schema(page, op) : onnx_operator_at(op, INT64_MAX);
}

const OnnxSchema *describe_onnx_next_version(const OnnxOperator *op, const OnnxSchema *schema)
{
  return schema + 1 < op->versions + op->version_count ? schema + 1 : NULL;
}

/// ONNX numbers the versions of its own domain by opset.
static const char *unit(const OnnxOperator *op)
{
  return op->domain.len == 0 ? "opset" : "version";
}

// --- The signature ---

/// `X: T`, `B: T?`, `inputs: T...`
static void append_params(Buffer *out, const OnnxParam *params, uint32_t count, uint32_t limit)
{
  static const char *const marks[] = { [ONNX_SINGLE] = "", [ONNX_OPTIONAL] = "?", [ONNX_VARIADIC] = "..." };
  for (uint32_t i = 0; i < count && i < limit; i++)
    buffer_printf(out, "%s%.*s: %.*s%s", i > 0 ? ", " : "", STR_ARG(params[i].name), STR_ARG(params[i].type),
                  marks[params[i].option]);
  if (count > limit)
    buffer_append(out, STR(", \xe2\x80\xa6"));
}

Str describe_onnx_signature(const OnnxOperator *op, const OnnxSchema *schema, uint32_t limit, Arena *arena)
{
  Buffer code = { 0 };
  buffer_printf(&code, "%.*s(", STR_ARG(describe_onnx_full_name(op, arena)));
  append_params(&code, schema->inputs, schema->input_count, limit);
  buffer_append(&code, STR(") -> ("));
  append_params(&code, schema->outputs, schema->output_count, limit);
  buffer_append_char(&code, ')');
  Str signature = arena_copy(arena, buffer_str(&code));
  buffer_done(&code);
  return signature;
}

/// A text in one line: upstream's, if the user's own facts brought it, or a phrase of ours.
static void append_doc(Page *page, Str doc)
{
  if (doc.len == 0)
    return;
  Buffer line = { 0 };
  for (size_t i = 0; i < doc.len; i++) {
    if (!ascii_is_space(doc.data[i]))
      buffer_append_char(&line, doc.data[i]);
    else if (line.len > 0 && line.data[line.len - 1] != ' ')
      buffer_append_char(&line, ' ');
  }
  markup_column(&page->markup, ": ");
  markup_prose(&page->markup, str_trim(buffer_str(&line)));
  buffer_done(&line);
}

static void write_params(Page *page, const char *heading, const OnnxParam *params, uint32_t count)
{
  if (count > 0)
    markup_heading(&page->markup, heading);
  for (uint32_t i = 0; i < count; i++) {
    const OnnxParam *param = &params[i];
    markup_item(&page->markup);
    markup_code(&page->markup, param->name);
    markup_column(&page->markup, ": ");
    markup_code(&page->markup, param->type);
    if (param->option == ONNX_OPTIONAL)
      markup_text(&page->markup, ", optional");
    if (param->option == ONNX_VARIADIC)
      markup_text(&page->markup, ", any number, at least %u%s", param->min_arity,
                  param->heterogeneous ? ", types may differ" : "");
    append_doc(page, param->doc);
  }
}

// --- Attributes ---

static Str attribute_type_words(const Page *page, const OnnxAttribute *attribute)
{
  const char *type = onnx_attribute_type_name(attribute->type);
  if (attribute->has_default)
    return arena_printf(page->arena, "%s = %.*s", type, STR_ARG(attribute->default_text));
  return arena_printf(page->arena, "%s%s", type, attribute->required ? ", required" : "");
}

static void write_attribute(Page *page, const OnnxAttribute *attribute)
{
  Str spelling = describe_onnx_spelling(attribute, page->arena);
  markup_item(&page->markup);
  markup_code(&page->markup, attribute->name);
  markup_column(&page->markup, ", ");
  markup_code(&page->markup, spelling.len > 0 ? spelling : STR("-"));
  markup_column(&page->markup, ", ");
  markup_code(&page->markup, attribute_type_words(page, attribute));
  append_doc(page, attribute->doc.len > 0 ? attribute->doc : attribute->phrase);
}

static void write_attributes(Page *page, const OnnxSchema *schema)
{
  if (schema->attribute_count > 0)
    markup_heading(&page->markup, "Attributes: name, name in g.op(), type");
  for (uint32_t i = 0; i < schema->attribute_count; i++)
    write_attribute(page, &schema->attributes[i]);
}

static void write_types(Page *page, const OnnxSchema *schema)
{
  if (schema->constraint_count > 0)
    markup_heading(&page->markup, "Types");
  for (uint32_t i = 0; i < schema->constraint_count; i++) {
    const OnnxConstraint *constraint = &schema->constraints[i];
    markup_item(&page->markup);
    markup_code(&page->markup, constraint->name);
    markup_column(&page->markup, ": ");
    markup_text(&page->markup, "%.*s",
                STR_ARG(describe_type_set(constraint->types, constraint->type_count, page->arena)));
  }
}

// --- Versions ---

static void write_change(Page *page, uint32_t since, Str change)
{
  markup_item(&page->markup);
  markup_text(&page->markup, "%u", since);
  markup_column(&page->markup, ": ");
  markup_prose(&page->markup, change);
}

static void write_changes(Page *page, const OnnxOperator *op)
{
  markup_heading(&page->markup, op->domain.len == 0 ? "Changes, by opset" : "Changes, by version of the domain");
  for (uint32_t i = 0; i < op->version_count; i++) {
    const OnnxSchema *schema = &op->versions[i];
    OnnxChanges changes = onnx_schema_changes(schema, page->arena);
    if (changes.step == ONNX_STEP_FIRST)
      write_change(page, schema->since, STR("new"));
    for (uint32_t k = 0; k < changes.count; k++)
      write_change(page, schema->since, changes.lines[k]);
  }
}

/// What to use instead is among the changes: of this version, or of the next one if that is in use again.
static void write_deprecation(Page *page, const OnnxOperator *op, const OnnxSchema *schema)
{
  const OnnxSchema *next = describe_onnx_next_version(op, schema);
  const OnnxSchema *says = next && !next->deprecated ? next : schema;
  markup_paragraph(&page->markup);
  markup_text(&page->markup, "Deprecated at %s %u", unit(op), schema->since);
  if (says == next)
    markup_text(&page->markup, ", and in use again since %s %u", unit(op), next->since);
  OnnxChanges changes = onnx_schema_changes(says, page->arena);
  Str last = changes.count > 0 ? changes.lines[changes.count - 1] : (Str){ 0 };
  if (last.len > 0 && !str_equal(last, STR("deprecated"))) {
    markup_text(&page->markup, ": ");
    markup_prose(&page->markup, last);
  }
  markup_text(&page->markup, ".");
}

/// Which version holds, from when to when.
static void write_version(Page *page, const OnnxOperator *op, const OnnxSchema *schema)
{
  const OnnxSchema *next = describe_onnx_next_version(op, schema);
  markup_paragraph(&page->markup);
  if (page->opset > 0)
    markup_text(&page->markup, "At %s %lld: ", unit(op), (long long)page->opset);
  if (!next)
    markup_text(&page->markup, "%s since %s %u", page->opset > 0 ? "in this form" : "In this form", unit(op),
                schema->since);
  else
    markup_text(&page->markup, "in the form of %s %u, which holds up to %s %u", unit(op), schema->since, unit(op),
                next->since - 1);
  markup_text(&page->markup, ".%s", schema->experimental ? " It is experimental." : "");
  if (schema->deprecated)
    write_deprecation(page, op, schema);
}

static void write_links(Page *page, const OnnxOperator *op, const OnnxSchema *schema)
{
  if (schema->doc.len > 0) {
    markup_heading(&page->markup, "ONNX says");
    markup_paragraph(&page->markup);
    markup_prose(&page->markup, schema->doc);
  }
  Str url = onnx_operator_url(op, page->arena);
  if (url.len > 0) {
    markup_paragraph(&page->markup);
    markup_page(&page->markup, "ONNX reference", url);
  }
}

void describe_onnx_operator(Page *page, const OnnxOperator *op)
{
  const OnnxSchema *found = describe_schema(page, op);
  const OnnxSchema *schema = found ? found : &op->versions[0];
  markup_block(&page->markup, "", describe_onnx_signature(op, schema, UINT32_MAX, page->arena));
  if (op->summary.len > 0) {
    markup_paragraph(&page->markup);
    markup_prose(&page->markup, op->summary);
  }
  if (found) {
    write_version(page, op, schema);
  } else {
    markup_paragraph(&page->markup);
    markup_text(&page->markup, "There is no such operator at %s %lld; it came with %s %u, and is shown as it was then.",
                unit(op), (long long)page->opset, unit(op), schema->since);
  }
  write_params(page, "Inputs", schema->inputs, schema->input_count);
  write_params(page, "Outputs", schema->outputs, schema->output_count);
  write_attributes(page, schema);
  write_types(page, schema);
  if (op->domain.len == 0)
    kernel_write_gaps(&page->markup, page->db, op->name, schema->since, found ? page->opset : 0, page->arena);
  write_changes(page, op);
  write_links(page, op, schema);
}

// --- Attributes on their own ---

/// The versions in which the attribute is as in `first`: "opset 1 to 10", "opset 11 on".
static void write_attribute_span(Page *page, const OnnxOperator *op, uint32_t first, uint32_t after)
{
  markup_item(&page->markup);
  if (after < op->version_count && op->versions[after].since - 1 > op->versions[first].since)
    markup_text(&page->markup, "%ss %u to %u", unit(op), op->versions[first].since, op->versions[after].since - 1);
  else
    markup_text(&page->markup, "%s %u%s", unit(op), op->versions[first].since, after < op->version_count ? "" : " on");
  markup_column(&page->markup, ": ");
}

static bool same_attribute(const OnnxAttribute *a, const OnnxAttribute *b)
{
  if (!a || !b)
    return a == b;
  return a->type == b->type && a->required == b->required && a->has_default == b->has_default &&
         str_equal(a->default_text, b->default_text);
}

/// The attribute at the page's opset, or else as it was last.
static const OnnxAttribute *find_attribute(const OnnxOperator *op, const OnnxSchema *schema, Str name)
{
  const OnnxAttribute *found = schema ? onnx_schema_attribute(schema, name) : NULL;
  for (uint32_t i = op->version_count; i-- > 0 && !found;)
    found = onnx_schema_attribute(&op->versions[i], name);
  return found;
}

/// Its name, what it is for, its type, and how g.op() spells it.
static void write_attribute_head(Page *page, const OnnxOperator *op, const OnnxAttribute *attribute)
{
  Str full_name = describe_onnx_full_name(op, page->arena);
  markup_paragraph(&page->markup);
  markup_code(&page->markup, arena_printf(page->arena, "%.*s.%.*s", STR_ARG(full_name), STR_ARG(attribute->name)));
  if (attribute->phrase.len > 0) {
    markup_text(&page->markup, ": ");
    markup_prose(&page->markup, attribute->phrase);
  }
  Str spelling = describe_onnx_spelling(attribute, page->arena);
  markup_paragraph(&page->markup);
  markup_code(&page->markup, attribute_type_words(page, attribute));
  if (spelling.len > 0) {
    markup_text(&page->markup, ". In g.op() it is ");
    markup_code(&page->markup, spelling);
  }
  markup_text(&page->markup, ".");
}

static void write_attribute_versions(Page *page, const OnnxOperator *op, Str name)
{
  markup_heading(&page->markup, "By version");
  for (uint32_t i = 0; i < op->version_count;) {
    const OnnxAttribute *attribute = onnx_schema_attribute(&op->versions[i], name);
    uint32_t end = i + 1;
    while (end < op->version_count && same_attribute(attribute, onnx_schema_attribute(&op->versions[end], name)))
      end++;
    write_attribute_span(page, op, i, end);
    if (attribute)
      markup_code(&page->markup, attribute_type_words(page, attribute));
    else
      markup_text(&page->markup, "no such attribute");
    i = end;
  }
}

bool describe_onnx_attribute(Page *page, const OnnxOperator *op, Str name)
{
  const OnnxSchema *schema = describe_schema(page, op);
  const OnnxAttribute *attribute = find_attribute(op, schema, name);
  if (!attribute)
    return false;
  write_attribute_head(page, op, attribute);
  if (page->opset > 0 && !(schema && onnx_schema_attribute(schema, name)))
    markup_text(&page->markup, " At %s %lld there is no such attribute.", unit(op), (long long)page->opset);
  write_attribute_versions(page, op, name);
  Str url = onnx_operator_url(op, page->arena);
  if (url.len > 0) {
    markup_paragraph(&page->markup);
    markup_page(&page->markup, "ONNX reference", url);
  }
  return true;
}

/// Looking through all operators for an attribute.
typedef struct AttributeSearch {
  Page *page;
  Str domain;
  Str name;
  bool found;
} AttributeSearch;

static void write_owner(AttributeSearch *search, const OnnxOperator *op, const OnnxAttribute *attribute)
{
  Page *page = search->page;
  if (!search->found) {
    Str spelling = describe_onnx_spelling(attribute, page->arena);
    markup_paragraph(&page->markup);
    markup_code(&page->markup, search->name);
    markup_text(&page->markup, ": an attribute of ONNX operators");
    if (spelling.len > 0) {
      markup_text(&page->markup, "; in g.op() it is ");
      markup_code(&page->markup, spelling);
    }
    markup_heading(&page->markup, "Operators that have it");
  }
  search->found = true;
  markup_item(&page->markup);
  markup_code(&page->markup, describe_onnx_full_name(op, page->arena));
  markup_column(&page->markup, ", ");
  markup_code(&page->markup, attribute_type_words(page, attribute));
  append_doc(page, attribute->phrase);
}

static bool visit_operator(Str name, void *context)
{
  AttributeSearch *search = context;
  const OnnxOperator *op = symbolics_onnx_operator(search->page->db, search->domain, name);
  const OnnxSchema *schema = op ? describe_schema_in(search->page, op) : NULL;
  const OnnxAttribute *attribute = schema ? onnx_schema_attribute(schema, search->name) : NULL;
  if (attribute)
    write_owner(search, op, attribute);
  return true;
}

static bool visit_domain(Str domain, void *context)
{
  AttributeSearch *search = context;
  search->domain = domain;
  symbolics_each_onnx_name(search->page->db, domain, (Str){ 0 }, visit_operator, search);
  return true;
}

bool describe_attribute_name(Page *page, Str name)
{
  AttributeSearch search = { .page = page, .name = name };
  symbolics_each_onnx_domain(page->db, visit_domain, &search);
  return search.found;
}
