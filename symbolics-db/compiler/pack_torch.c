// The torch table: sorted names, one entry a name, shared support rows.

#include "base/map.h"
#include "records_internal.h"

/// One (name, torch version) cell of the support table.
typedef struct Cell {
  uint64_t registered, blocked;
  uint32_t flags, pass;
} Cell;

/// A record of any kind with what sorting needs.
typedef struct Item {
  const TorchRecord *head;
  const void *record;  ///< The SchemaRecord, SupportRecord... that `head` is in.
  uint32_t mask;       ///< Its torch versions.
} Item;

typedef struct Items {
  Item *items;
  size_t count;
} Items;

typedef struct TorchPacker {
  Records *records;
  Symbolics__Facts *facts;
  Items schemas, support, dynamo, parts, tags, passes, outcomes;
  Vec(Str) names;
  Vec(Cell) rows;  ///< Distinct rows, `versions` cells each.
  Map *row_ids;    ///< 1 + the number of each distinct row, by its bytes.
  size_t versions;
  Vec(Symbolics__PassNote *) notes;
  Map *note_ids;      ///< 1 + the index of each note, by its words.
  BlobsWriter texts;  ///< What outcomes say.
  Map *summaries;     ///< NamedRecord, by name.
} TorchPacker;

static int compare_items(const void *a, const void *b)
{
  const Item *x = a;
  const Item *y = b;
  int order = str_compare(x->head->name, y->head->name);
  if (order == 0)
    order = str_compare(x->head->overload, y->head->overload);
  // Versions do not overlap within one overload, so the lowest bit decides.
  uint32_t low_x = x->mask & (0 - x->mask), low_y = y->mask & (0 - y->mask);
  if (order == 0)
    order = (low_x > low_y) - (low_x < low_y);
  // Of outcomes there may be any number.
  if (order == 0)
    order = str_compare(x->head->where.file, y->head->where.file);
  uint32_t line_x = x->head->where.line, line_y = y->head->where.line;
  return order != 0 ? order : (line_x > line_y) - (line_x < line_y);
}

/// Sorts `count` records of `size` bytes, each with a TorchRecord in front, and notes their names.
static Items collect(TorchPacker *packer, const void *records, size_t count, size_t size)
{
  Items items = { ARENA_ARRAY(&packer->records->arena, Item, count), count };
  for (size_t i = 0; i < count; i++) {
    const void *record = (const char *)records + i * size;
    items.items[i] = (Item){ record, record, pack_version_mask(packer->records, record, packer->facts) };
    vec_push(&packer->names, ((const TorchRecord *)record)->name);
  }
  vec_sort(&items, compare_items);
  return items;
}

/// Refuses a second fact for the same overload in the same torch version.
static void refuse_overlaps(TorchPacker *packer, Items items, const char *what)
{
  for (size_t i = 1; i < items.count; i++) {
    const Item *item = &items.items[i];
    for (size_t k = i; k-- > 0;) {
      const Item *before = &items.items[k];
      if (!str_equal(item->head->name, before->head->name) || !str_equal(item->head->overload, before->head->overload))
        break;
      if (!(item->mask & before->mask))
        continue;
      records_error(packer->records, item->head->where, "a second %s for %.*s%s%.*s in the same torch version", what,
                    STR_ARG(item->head->name), item->head->overload.len > 0 ? "." : "", STR_ARG(item->head->overload));
      break;
    }
  }
}

static int compare_names(const void *a, const void *b)
{
  return str_compare(*(const Str *)a, *(const Str *)b);
}

static void sort_names(TorchPacker *packer)
{
  if (packer->names.count == 0)
    return;
  vec_sort(&packer->names, compare_names);
  size_t kept = 1;
  for (size_t i = 1; i < packer->names.count; i++) {
    if (!str_equal(packer->names.items[i], packer->names.items[kept - 1]))
      packer->names.items[kept++] = packer->names.items[i];
  }
  packer->names.count = kept;
}

/// The items of `name`, which are in a row because names are visited in order; drops them from the front of `*items`.
static Items take(Items *items, Str name)
{
  Items taken = { items->items, 0 };
  while (taken.count < items->count && str_equal(items->items[taken.count].head->name, name))
    taken.count++;
  items->items += taken.count;
  items->count -= taken.count;
  return taken;
}

static void add_overloads(TorchPacker *packer, Items schemas, Symbolics__TorchOperator *op)
{
  op->overloads = ARENA_ARRAY(&packer->records->arena, Symbolics__TorchOverload *, schemas.count);
  for (size_t i = 0; i < schemas.count; i++) {
    const SchemaRecord *record = schemas.items[i].record;
    Symbolics__TorchOverload *overload = ARENA_NEW(&packer->records->arena, Symbolics__TorchOverload);
    symbolics__torch_overload__init(overload);
    overload->overload = pack_text(packer->records, record->head.overload);
    overload->schema = pack_text(packer->records, record->schema);
    overload->torch_versions = schemas.items[i].mask;
    op->overloads[op->n_overloads++] = overload;
  }
}

static void set_flags(Cell *row, size_t versions, uint32_t mask, uint32_t flags)
{
  for (size_t v = 0; v < versions; v++) {
    if (mask >> v & 1)
      row[v].flags |= flags;
  }
}

static void set_dynamo_opset(Cell *row, size_t versions, uint32_t mask, uint32_t opset)
{
  for (size_t v = 0; v < versions; v++) {
    uint32_t known = row[v].flags & FLAG_DYNAMO_OPSET;
    if ((mask >> v & 1) && (known == 0 || opset < known))
      row[v].flags = (row[v].flags & ~(uint32_t)FLAG_DYNAMO_OPSET) | opset;
  }
}

static void add_dynamo(TorchPacker *packer, Items dynamo, Symbolics__TorchOperator *op, Cell *row)
{
  op->dynamo = ARENA_ARRAY(&packer->records->arena, Symbolics__DynamoFunction *, dynamo.count);
  for (size_t i = 0; i < dynamo.count; i++) {
    const DynamoRecord *record = dynamo.items[i].record;
    Symbolics__DynamoFunction *function = ARENA_NEW(&packer->records->arena, Symbolics__DynamoFunction);
    symbolics__dynamo_function__init(function);
    function->overload = pack_text(packer->records, record->head.overload);
    function->opset = record->opset;
    function->complex_inputs = record->complex_inputs;
    function->decomposed = record->decomposed;
    function->torch_versions = dynamo.items[i].mask;
    op->dynamo[op->n_dynamo++] = function;
    if (record->opset > 0 && !record->complex_inputs)
      set_dynamo_opset(row, packer->versions, dynamo.items[i].mask, record->opset);
    set_flags(row, packer->versions, dynamo.items[i].mask,
              (record->decomposed ? FLAG_DYNAMO_DECOMPOSED : 0) | (record->complex_inputs ? FLAG_DYNAMO_COMPLEX : 0));
  }
}

static void add_parts(TorchPacker *packer, Items parts, Symbolics__TorchOperator *op)
{
  op->parts = ARENA_ARRAY(&packer->records->arena, Symbolics__DynamoParts *, parts.count);
  for (size_t i = 0; i < parts.count; i++) {
    const PartsRecord *record = parts.items[i].record;
    Symbolics__DynamoParts *packed = ARENA_NEW(&packer->records->arena, Symbolics__DynamoParts);
    symbolics__dynamo_parts__init(packed);
    packed->overload = pack_text(packer->records, record->head.overload);
    packed->torch_versions = parts.items[i].mask;
    packed->complex_inputs = record->complex_inputs;
    packed->condition = pack_text(packer->records, record->condition);
    packed->parts = pack_text(packer->records, record->parts);
    op->parts[op->n_parts++] = packed;
  }
}

/// What is read whenever a node is judged lies together, before what is only said.
static void order_texts(TorchPacker *packer)
{
  blobs_share(&packer->texts, STR(""));
  for (size_t i = 0; i < packer->outcomes.count; i++) {
    const OutcomeRecord *record = packer->outcomes.items[i].record;
    blobs_share(&packer->texts, record->condition);
    blobs_share(&packer->texts, record->runtime);
    blobs_share(&packer->texts, record->head.overload);
  }
}

static void add_outcomes(TorchPacker *packer, Items outcomes, BlobsWriter *writer, Cell *row)
{
  Symbolics__TorchOutcomes packed = SYMBOLICS__TORCH_OUTCOMES__INIT;
  packed.outcomes = ARENA_ARRAY(&packer->records->arena, Symbolics__Outcome *, outcomes.count);
  for (size_t i = 0; i < outcomes.count; i++) {
    const OutcomeRecord *record = outcomes.items[i].record;
    Symbolics__Outcome *outcome = ARENA_NEW(&packer->records->arena, Symbolics__Outcome);
    symbolics__outcome__init(outcome);
    outcome->kind = record->kind;
    outcome->torch_versions = outcomes.items[i].mask;
    outcome->opsets = record->opsets;
    outcome->condition = blobs_share(&packer->texts, record->condition);
    outcome->reason = blobs_share(&packer->texts, record->reason);
    outcome->way_out = blobs_share(&packer->texts, record->way_out);
    outcome->place = blobs_share(&packer->texts, record->place);
    outcome->runtime = blobs_share(&packer->texts, record->runtime);
    outcome->dynamo = record->is_dynamo;
    outcome->overload = blobs_share(&packer->texts, record->head.overload);
    packed.outcomes[packed.n_outcomes++] = outcome;
    if (!record->is_dynamo)
      set_flags(row, packer->versions, outcomes.items[i].mask, FLAG_OUTCOMES);
  }
  blobs_add(writer, blobs_pack_message(&packed.base, &packer->records->arena));
}

static void add_support(Items support, Cell *row, size_t versions)
{
  for (size_t i = 0; i < support.count; i++) {
    const SupportRecord *record = support.items[i].record;
    for (size_t v = 0; v < versions; v++) {
      if (!(support.items[i].mask >> v & 1))
        continue;
      row[v].registered = record->registered;
      row[v].blocked = record->blocked;
    }
  }
}

/// 1 + the index of the note, which is shared by all records with the same words.
static uint32_t add_note(TorchPacker *packer, const PassRecord *record)
{
  Arena *arena = &packer->records->arena;
  Str key = arena_printf(arena, "%.*s %.*s", STR_ARG(record->condition), STR_ARG(record->reason));
  uintptr_t id = (uintptr_t)map_get(packer->note_ids, key);
  if (id > 0)
    return (uint32_t)id;
  Symbolics__PassNote *note = ARENA_NEW(arena, Symbolics__PassNote);
  symbolics__pass_note__init(note);
  note->condition = pack_text(packer->records, record->condition);
  note->reason = pack_text(packer->records, record->reason);
  vec_push(&packer->notes, note);
  map_put(packer->note_ids, key, (void *)(uintptr_t)packer->notes.count);
  return (uint32_t)packer->notes.count;
}

static void add_passes(TorchPacker *packer, Items passes, Cell *row)
{
  for (size_t i = 0; i < passes.count; i++) {
    uint32_t note = add_note(packer, passes.items[i].record);
    for (size_t v = 0; v < packer->versions; v++) {
      if (passes.items[i].mask >> v & 1)
        row[v].pass = note;
    }
  }
}

/// The number of `row` among the distinct rows.
static uint32_t share_row(TorchPacker *packer, const Cell *row)
{
  size_t width = packer->versions;
  if (width == 0)
    return 0;
  Str key = str_make((const char *)row, width * sizeof(Cell));
  uintptr_t id = (uintptr_t)map_get(packer->row_ids, key);
  if (id == 0) {
    vec_append(&packer->rows, row, width);
    id = packer->rows.count / width;
    map_put(packer->row_ids, key, (void *)id);
  }
  return (uint32_t)(id - 1);
}

static void note_summaries(TorchPacker *packer)
{
  Records *records = packer->records;
  for (size_t i = 0; i < records->torch_summaries.count; i++) {
    NamedRecord *record = &records->torch_summaries.items[i];
    if (str_find_char(record->text, '\t', 0) == STR_NOT_FOUND)
      records_error(records, record->where, "expected a name, a tab, the name in Python, a tab, and a sentence");
    if (map_put(packer->summaries, record->name, record))
      records_error(records, record->where, "a second summary for %.*s", STR_ARG(record->name));
  }
}

/// Each is used once, so that one of a name that no version has is found.
static void add_summary(TorchPacker *packer, Str name, Symbolics__TorchOperator *op)
{
  const NamedRecord *record = op->n_overloads > 0 ? map_remove(packer->summaries, name) : NULL;
  size_t tab = record ? str_find_char(record->text, '\t', 0) : STR_NOT_FOUND;
  if (tab == STR_NOT_FOUND)
    return;
  op->python_name = pack_text(packer->records, str_trim(str_slice(record->text, 0, tab)));
  op->summary = pack_text(packer->records, str_trim(str_slice(record->text, tab, record->text.len)));
}

static void refuse_unused_summary(Str name, void *value, void *context)
{
  const NamedRecord *record = value;
  records_error(context, record->where, "no torch version has an operator %.*s", STR_ARG(name));
}

/// What is known of a name, packed.
typedef struct Entry {
  Str bytes;
  bool is_met;  ///< People meet it in graphs: it has a summary.
} Entry;

/// Those that people meet first: what stands between them by name are variants for training and with results given.
static void place_entries(TorchPacker *packer, const Entry *entries, Symbolics__TorchTable *table)
{
  BlobsWriter writer = { 0 };
  size_t count = packer->names.count;
  table->places = ARENA_ARRAY(&packer->records->arena, uint32_t, count);
  table->n_places = count;
  for (int is_rest = 0; is_rest < 2; is_rest++) {
    for (size_t i = 0; i < count; i++) {
      if (entries[i].is_met == (bool)is_rest)
        continue;
      table->places[i] = (uint32_t)writer.ends.count;
      blobs_add(&writer, entries[i].bytes);
    }
  }
  table->entries = blobs_finish(&writer, packer->records);
}

static void pack_names(TorchPacker *packer, Symbolics__TorchTable *table)
{
  Arena *arena = &packer->records->arena;
  BlobsWriter names = { 0 }, outcomes = { 0 };
  Entry *entries = ARENA_ARRAY(arena, Entry, packer->names.count);
  table->rows = ARENA_ARRAY(arena, uint32_t, packer->names.count);
  Cell *row = ARENA_ARRAY(arena, Cell, packer->versions);
  for (size_t i = 0; i < packer->names.count; i++) {
    Str name = packer->names.items[i];
    Symbolics__TorchOperator op = SYMBOLICS__TORCH_OPERATOR__INIT;
    memset(row, 0, packer->versions * sizeof(Cell));  // Cells have no padding, so bytes may be compared.
    add_overloads(packer, take(&packer->schemas, name), &op);
    add_summary(packer, name, &op);
    add_dynamo(packer, take(&packer->dynamo, name), &op, row);
    add_parts(packer, take(&packer->parts, name), &op);
    add_support(take(&packer->support, name), row, packer->versions);
    Items tags = take(&packer->tags, name);
    for (size_t k = 0; k < tags.count; k++)
      set_flags(row, packer->versions, tags.items[k].mask, ((const TagRecord *)tags.items[k].record)->flag);
    add_passes(packer, take(&packer->passes, name), row);
    add_outcomes(packer, take(&packer->outcomes, name), &outcomes, row);
    blobs_add(&names, name);
    entries[i] = (Entry){ blobs_pack_message(&op.base, arena), op.summary[0] != 0 };
    table->rows[table->n_rows++] = share_row(packer, row);
  }
  table->names = blobs_finish(&names, packer->records);
  table->texts = blobs_finish(&packer->texts, packer->records);
  table->outcomes = blobs_finish(&outcomes, packer->records);
  place_entries(packer, entries, table);
}

static void pack_columns(TorchPacker *packer, Symbolics__TorchTable *table)
{
  Arena *arena = &packer->records->arena;
  size_t count = packer->rows.count;
  table->n_registered = table->n_blocked = table->n_flags = table->n_pass = count;
  table->registered = ARENA_ARRAY(arena, uint64_t, count);
  table->blocked = ARENA_ARRAY(arena, uint64_t, count);
  table->flags = ARENA_ARRAY(arena, uint32_t, count);
  table->pass = ARENA_ARRAY(arena, uint32_t, count);
  for (size_t i = 0; i < count; i++) {
    const Cell *cell = &packer->rows.items[i];
    table->registered[i] = cell->registered;
    table->blocked[i] = cell->blocked;
    table->flags[i] = cell->flags;
    table->pass[i] = cell->pass;
  }
}

#define COLLECT(packer, list) collect((packer), (list).items, (list).count, sizeof(*(list).items))

void pack_torch(Records *records, Symbolics__Facts *facts)
{
  TorchPacker packer = { .records = records,
                         .facts = facts,
                         .versions = facts->n_torch_versions,
                         .row_ids = map_new(),
                         .note_ids = map_new(),
                         .summaries = map_new() };
  packer.schemas = COLLECT(&packer, records->schemas);
  packer.support = COLLECT(&packer, records->support);
  packer.dynamo = COLLECT(&packer, records->dynamo);
  packer.parts = COLLECT(&packer, records->parts);
  packer.tags = COLLECT(&packer, records->tags);
  packer.passes = COLLECT(&packer, records->passes);
  packer.outcomes = COLLECT(&packer, records->outcomes);
  sort_names(&packer);
  refuse_overlaps(&packer, packer.schemas, "schema");
  refuse_overlaps(&packer, packer.support, "line of support");
  refuse_overlaps(&packer, packer.passes, "pass");

  facts->torch = ARENA_NEW(&records->arena, Symbolics__TorchTable);
  symbolics__torch_table__init(facts->torch);
  note_summaries(&packer);
  order_texts(&packer);
  pack_names(&packer, facts->torch);
  map_each(packer.summaries, refuse_unused_summary, records);
  pack_columns(&packer, facts->torch);
  facts->n_passes = packer.notes.count;
  facts->passes = ARENA_ARRAY(&records->arena, Symbolics__PassNote *, packer.notes.count);
  if (packer.notes.count > 0)
    memcpy(facts->passes, packer.notes.items, packer.notes.count * sizeof(*packer.notes.items));
  vec_free(&packer.names);
  vec_free(&packer.rows);
  vec_free(&packer.notes);
  map_free(packer.row_ids);
  map_free(packer.note_ids);
  map_free(packer.summaries);
}

#undef COLLECT
