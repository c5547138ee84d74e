// The ONNX table: operators sorted by domain and name, each with all its versions; type sets are shared.

#include "records_internal.h"

typedef struct OnnxPacker {
  Records *records;
  BlobsWriter type_sets;
  size_t next_note;  ///< The first note of no operator so far.
} OnnxPacker;

static int compare_onnx(const void *a, const void *b)
{
  const OnnxRecord *x = *(OnnxRecord *const *)a;
  const OnnxRecord *y = *(OnnxRecord *const *)b;
  int order = str_compare(x->domain, y->domain);
  if (order == 0)
    order = str_compare(x->name, y->name);
  return order != 0 ? order : (x->since > y->since) - (x->since < y->since);
}

static Symbolics__OnnxParam **pack_params(OnnxPacker *packer, const OnnxRecord *record, int side, size_t *ret_count)
{
  Arena *arena = &packer->records->arena;
  size_t count = record->params[side].count;
  Symbolics__OnnxParam **params = ARENA_ARRAY(arena, Symbolics__OnnxParam *, count);
  for (size_t i = 0; i < count; i++) {
    const OnnxParamRecord *from = &record->params[side].items[i];
    Symbolics__OnnxParam *param = params[i] = ARENA_NEW(arena, Symbolics__OnnxParam);
    symbolics__onnx_param__init(param);
    param->name = pack_text(packer->records, from->name);
    param->type = pack_text(packer->records, from->type);
    param->option = from->option;
    param->heterogeneous = from->heterogeneous;
    param->min_arity = from->min_arity;
    param->doc = pack_text(packer->records, from->doc);
  }
  *ret_count = count;
  return params;
}

static int compare_attributes(const void *a, const void *b)
{
  return str_compare(((const OnnxAttributeRecord *)a)->name, ((const OnnxAttributeRecord *)b)->name);
}

static void pack_attributes(OnnxPacker *packer, OnnxRecord *record, Symbolics__OnnxSchema *schema)
{
  Arena *arena = &packer->records->arena;
  size_t count = record->attributes.count;
  vec_sort(&record->attributes, compare_attributes);
  schema->attributes = ARENA_ARRAY(arena, Symbolics__OnnxAttribute *, count);
  for (size_t i = 0; i < count; i++) {
    const OnnxAttributeRecord *from = &record->attributes.items[i];
    Symbolics__OnnxAttribute *attribute = ARENA_NEW(arena, Symbolics__OnnxAttribute);
    symbolics__onnx_attribute__init(attribute);
    attribute->name = pack_text(packer->records, from->name);
    attribute->type = from->type;
    attribute->required = from->required;
    attribute->has_default = from->has_default;
    attribute->default_text = pack_text(packer->records, from->default_text);
    attribute->doc = pack_text(packer->records, from->doc);
    schema->attributes[schema->n_attributes++] = attribute;
  }
}

static void pack_constraints(OnnxPacker *packer, const OnnxRecord *record, Symbolics__OnnxSchema *schema)
{
  Arena *arena = &packer->records->arena;
  schema->constraints = ARENA_ARRAY(arena, Symbolics__OnnxConstraint *, record->constraints.count);
  for (size_t i = 0; i < record->constraints.count; i++) {
    Symbolics__OnnxConstraint *constraint = ARENA_NEW(arena, Symbolics__OnnxConstraint);
    symbolics__onnx_constraint__init(constraint);
    constraint->name = pack_text(packer->records, record->constraints.items[i].name);
    constraint->doc = pack_text(packer->records, record->constraints.items[i].doc);
    constraint->type_set = blobs_share(&packer->type_sets, record->constraints.items[i].types);
    schema->constraints[schema->n_constraints++] = constraint;
  }
}

static int compare_notes(const void *a, const void *b)
{
  const NoteRecord *x = a;
  const NoteRecord *y = b;
  int order = str_compare(x->domain, y->domain);
  if (order == 0)
    order = str_compare(x->name, y->name);
  if (order == 0)
    order = (x->since > y->since) - (x->since < y->since);
  return order != 0 ? order : str_compare(x->text, y->text);
}

/// The notes of this version. Both lists are sorted alike, so `next_note` only moves on.
static void pack_notes(OnnxPacker *packer, const OnnxRecord *record, Symbolics__OnnxSchema *schema)
{
  Records *records = packer->records;
  NoteRecord key = { .domain = record->domain, .name = record->name, .since = record->since };
  for (; packer->next_note < records->notes.count; packer->next_note++) {
    const NoteRecord *note = &records->notes.items[packer->next_note];
    if (compare_notes(note, &key) >= 0)
      break;
    records_error(records, note->where, "there is no version %u of '%.*s'", note->since, STR_ARG(note->name));
  }
  size_t first = packer->next_note;
  while (packer->next_note < records->notes.count && records->notes.items[packer->next_note].since == record->since &&
         str_equal(records->notes.items[packer->next_note].name, record->name) &&
         str_equal(records->notes.items[packer->next_note].domain, record->domain))
    packer->next_note++;
  schema->notes = ARENA_ARRAY(&records->arena, char *, packer->next_note - first);
  for (size_t i = first; i < packer->next_note; i++)
    schema->notes[schema->n_notes++] = pack_text(records, records->notes.items[i].text);
}

static Symbolics__OnnxSchema *pack_schema(OnnxPacker *packer, OnnxRecord *record)
{
  onnx_record_finish(record);
  Symbolics__OnnxSchema *schema = ARENA_NEW(&packer->records->arena, Symbolics__OnnxSchema);
  symbolics__onnx_schema__init(schema);
  schema->since = record->since;
  schema->deprecated = record->deprecated;
  schema->experimental = record->experimental;
  schema->function = record->function;
  schema->doc = pack_text(packer->records, record->doc);
  schema->min_input = record->min[0];
  schema->max_input = record->max[0];
  schema->min_output = record->min[1];
  schema->max_output = record->max[1];
  schema->inputs = pack_params(packer, record, 0, &schema->n_inputs);
  schema->outputs = pack_params(packer, record, 1, &schema->n_outputs);
  pack_attributes(packer, record, schema);
  pack_constraints(packer, record, schema);
  pack_notes(packer, record, schema);
  return schema;
}

static int compare_texts(const void *a, const void *b)
{
  const TextRecord *x = a;
  const TextRecord *y = b;
  int order = str_compare(x->domain, y->domain);
  if (order == 0)
    order = str_compare(x->name, y->name);
  return order != 0 ? order : str_compare(x->attribute, y->attribute);
}

/// The sentence for exactly (domain, name, attribute). The texts are sorted.
static const TextRecord *find_text(const Records *records, Str domain, Str name, Str attribute)
{
  TextRecord key = { .domain = domain, .name = name, .attribute = attribute };
  if (records->texts.count == 0)
    return NULL;
  return bsearch(&key, records->texts.items, records->texts.count, sizeof(TextRecord), compare_texts);
}

static void add_phrase(OnnxPacker *packer, const OnnxRecord *record, char *attribute, Symbolics__OnnxOperator *op)
{
  // A phrase for this operator beats one for all.
  const TextRecord *text = find_text(packer->records, record->domain, record->name, str_from(attribute));
  if (!text)
    text = find_text(packer->records, (Str){ 0 }, (Str){ 0 }, str_from(attribute));
  if (!text)
    return;
  Symbolics__AttributePhrase *phrase = ARENA_NEW(&packer->records->arena, Symbolics__AttributePhrase);
  symbolics__attribute_phrase__init(phrase);
  phrase->attribute = attribute;
  phrase->text = pack_text(packer->records, text->text);
  op->phrases[op->n_phrases++] = phrase;
}

static void add_phrases(OnnxPacker *packer, const OnnxRecord *record, Symbolics__OnnxOperator *op)
{
  size_t count = 0;
  for (size_t i = 0; i < op->n_versions; i++)
    count += op->versions[i]->n_attributes;
  op->phrases = ARENA_ARRAY(&packer->records->arena, Symbolics__AttributePhrase *, count);
  Map *seen = map_new();
  // Newest first: the attributes that people use now come first.
  for (size_t i = op->n_versions; i-- > 0;) {
    for (size_t k = 0; k < op->versions[i]->n_attributes; k++) {
      char *attribute = op->versions[i]->attributes[k]->name;
      if (!map_put(seen, str_from(attribute), attribute))
        add_phrase(packer, record, attribute, op);
    }
  }
  map_free(seen);
}

/// Packs the operator that starts at `first`; returns how many records it took.
static size_t pack_operator(OnnxPacker *packer, OnnxRecord **first, size_t left, BlobsWriter *entries)
{
  Records *records = packer->records;
  const OnnxRecord *record = first[0];
  size_t count = 1;
  while (count < left && str_equal(first[count]->domain, record->domain) && str_equal(first[count]->name, record->name))
    count++;
  Symbolics__OnnxOperator op = SYMBOLICS__ONNX_OPERATOR__INIT;
  op.versions = ARENA_ARRAY(&records->arena, Symbolics__OnnxSchema *, count);
  for (size_t i = 0; i < count; i++) {
    if (i > 0 && first[i]->since == first[i - 1]->since)
      records_error(records, first[i]->where, "a second schema of %.*s since version %u", STR_ARG(record->name),
                    record->since);
    op.versions[op.n_versions++] = pack_schema(packer, first[i]);
  }
  const TextRecord *summary = find_text(records, record->domain, record->name, (Str){ 0 });
  if (summary)
    op.summary = pack_text(records, summary->text);
  add_phrases(packer, record, &op);
  blobs_add(entries, blobs_pack_message(&op.base, &packer->records->arena));
  return count;
}

/// The table's last domain if it is `name`, else a new one.
static Symbolics__OnnxDomain *enter_domain(Records *records, Symbolics__OnnxTable *table, Str name, size_t first)
{
  if (table->n_domains > 0 && str_equal(str_from(table->domains[table->n_domains - 1]->name), name))
    return table->domains[table->n_domains - 1];
  Symbolics__OnnxDomain *domain = ARENA_NEW(&records->arena, Symbolics__OnnxDomain);
  symbolics__onnx_domain__init(domain);
  domain->name = pack_text(records, name);
  domain->first = (uint32_t)first;
  table->domains[table->n_domains++] = domain;
  return domain;
}

/// Both lists are sorted by domain and name, so one walk finds texts without an operator; neighbours are duplicates.
static void check_texts(Records *records)
{
  size_t op = 0;
  for (size_t i = 0; i < records->texts.count; i++) {
    const TextRecord *text = &records->texts.items[i];
    OnnxRecord key = { .domain = text->domain, .name = text->name, .since = 0 };
    const OnnxRecord *wanted = &key;
    while (op < records->onnx.count && compare_onnx(&records->onnx.items[op], &wanted) < 0)
      op++;
    bool exists = op < records->onnx.count && str_equal(records->onnx.items[op]->name, text->name) &&
                  str_equal(records->onnx.items[op]->domain, text->domain);
    if (text->name.len > 0 && !exists)
      records_error(records, text->where, "there is no operator '%.*s' in this domain", STR_ARG(text->name));
    if (i > 0 && compare_texts(text - 1, text) == 0)
      records_error(records, text->where, "a second text; the other is at %.*s:%u", STR_ARG(text[-1].where.file),
                    text[-1].where.line);
  }
}

void pack_onnx(Records *records, Symbolics__Facts *facts)
{
  OnnxPacker packer = { .records = records };
  size_t count = records->onnx.count;
  vec_sort(&records->onnx, compare_onnx);
  vec_sort(&records->texts, compare_texts);
  vec_sort(&records->notes, compare_notes);
  check_texts(records);

  Symbolics__OnnxTable *table = facts->onnx = ARENA_NEW(&records->arena, Symbolics__OnnxTable);
  symbolics__onnx_table__init(table);
  table->domains = ARENA_ARRAY(&records->arena, Symbolics__OnnxDomain *, count);
  BlobsWriter names = { 0 }, entries = { 0 };
  for (size_t i = 0; i < count;) {
    OnnxRecord *op = records->onnx.items[i];
    enter_domain(records, table, op->domain, names.ends.count)->count++;
    blobs_add(&names, op->name);
    i += pack_operator(&packer, &records->onnx.items[i], count - i, &entries);
  }
  for (size_t i = packer.next_note; i < records->notes.count; i++)
    records_error(records, records->notes.items[i].where, "there is no version %u of '%.*s'",
                  records->notes.items[i].since, STR_ARG(records->notes.items[i].name));
  table->names = blobs_finish(&names, records);
  table->entries = blobs_finish(&entries, records);
  table->type_sets = blobs_finish(&packer.type_sets, records);
}
