// The Python table: every list sorted by name, the words joined with what was read out of the packages.

#include "records_internal.h"

typedef struct PythonPacker {
  Records *records;
  Symbolics__Facts *facts;
  Symbolics__PythonTable *table;
} PythonPacker;

static int compare_records(const void *a, const void *b)
{
  return str_compare(((const PythonRecord *)a)->name, ((const PythonRecord *)b)->name);
}

static void sort_records(Records *records, PythonRecords *list)
{
  vec_sort(list, compare_records);
  for (size_t i = 1; i < list->count; i++) {
    const PythonRecord *record = &list->items[i];
    if (str_equal(record->name, list->items[i - 1].name))
      records_error(records, record->where, "'%.*s' occurs twice", STR_ARG(record->name));
  }
}

/// NULL if there is none of that name. The list is sorted.
static const PythonRecord *find_record(const PythonRecords *list, Str name)
{
  PythonRecord key = { .name = name };
  return list->count > 0 ? bsearch(&key, list->items, list->count, sizeof(key), compare_records) : NULL;
}

/// One (name, versions) line of any kind that begins with a TorchRecord.
typedef struct Item {
  const TorchRecord *head;
  uint32_t mask;
} Item;

typedef struct Items {
  Item *items;
  size_t count;
} Items;

static int compare_items(const void *a, const void *b)
{
  const Item *x = a;
  const Item *y = b;
  int order = str_compare(x->head->name, y->head->name);
  uint32_t low_x = x->mask & (0 - x->mask), low_y = y->mask & (0 - y->mask);
  return order != 0 ? order : (low_x > low_y) - (low_x < low_y);
}

/// Sorts `count` records of `size` bytes by name and oldest version, and refuses two for one version.
static Items collect(PythonPacker *packer, const void *from, size_t count, size_t size)
{
  Items items = { ARENA_ARRAY(&packer->records->arena, Item, count), count };
  for (size_t i = 0; i < count; i++) {
    const TorchRecord *head = (const TorchRecord *)((const char *)from + i * size);
    items.items[i] = (Item){ head, pack_version_mask(packer->records, head, packer->facts) };
  }
  vec_sort(&items, compare_items);
  uint32_t seen = 0;
  for (size_t i = 0; i < count; i++) {
    const Item *item = &items.items[i];
    bool is_same = i > 0 && str_equal(item->head->name, items.items[i - 1].head->name);
    seen = is_same ? seen : 0;
    if (seen & item->mask)
      records_error(packer->records, item->head->where, "'%.*s' occurs twice for the same torch version",
                    STR_ARG(item->head->name));
    seen |= item->mask;
  }
  return items;
}

#define COLLECT(packer, list) collect((packer), (list).items, (list).count, sizeof(*(list).items))

/// How many items at the front have the name of the first one.
static size_t count_same(Items items)
{
  size_t count = 0;
  while (count < items.count && str_equal(items.items[count].head->name, items.items[0].head->name))
    count++;
  return count;
}

static Symbolics__PyHelper *pack_helper(PythonPacker *packer, Items same)
{
  Records *records = packer->records;
  Symbolics__PyHelper *helper = ARENA_NEW(&records->arena, Symbolics__PyHelper);
  symbolics__py_helper__init(helper);
  helper->name = pack_text(records, same.items[0].head->name);
  helper->signatures = ARENA_ARRAY(&records->arena, Symbolics__PySignature *, same.count);
  for (size_t i = 0; i < same.count; i++) {
    Symbolics__PySignature *signature = ARENA_NEW(&records->arena, Symbolics__PySignature);
    symbolics__py_signature__init(signature);
    signature->torch_versions = same.items[i].mask;
    signature->text = pack_text(records, ((const HelperRecord *)same.items[i].head)->signature);
    helper->signatures[helper->n_signatures++] = signature;
  }
  const PythonRecord *words = find_record(&records->helper_words, same.items[0].head->name);
  if (words) {
    helper->result = words->kinds;
    helper->deprecated = words->deprecated;
    helper->replacement = pack_text(records, words->use);
    helper->summary = pack_text(records, words->text);
  }
  return helper;
}

/// Refuses words about names of which no line says that they exist.
static void refuse_strangers(Records *records, const PythonRecords *words, Items known)
{
  for (size_t i = 0, k = 0; i < words->count; i++) {
    const PythonRecord *record = &words->items[i];
    while (k < known.count && str_compare(known.items[k].head->name, record->name) < 0)
      k++;
    if (k == known.count || !str_equal(known.items[k].head->name, record->name))
      records_error(records, record->where, "no line of kind 'helpers' for '%.*s'", STR_ARG(record->name));
  }
}

static void pack_helpers(PythonPacker *packer)
{
  Symbolics__PythonTable *table = packer->table;
  Items items = COLLECT(packer, packer->records->helpers);
  refuse_strangers(packer->records, &packer->records->helper_words, items);
  table->helpers = ARENA_ARRAY(&packer->records->arena, Symbolics__PyHelper *, items.count);
  while (items.count > 0) {
    size_t same = count_same(items);
    table->helpers[table->n_helpers++] = pack_helper(packer, (Items){ items.items, same });
    items.items += same;
    items.count -= same;
  }
}

static void pack_descriptors(PythonPacker *packer)
{
  Records *records = packer->records;
  Symbolics__PythonTable *table = packer->table;
  table->descriptors = ARENA_ARRAY(&records->arena, Symbolics__PyDescriptor *, records->descriptors.count);
  for (size_t i = 0; i < records->descriptors.count; i++) {
    const PythonRecord *record = &records->descriptors.items[i];
    Symbolics__PyDescriptor *descriptor = ARENA_NEW(&records->arena, Symbolics__PyDescriptor);
    symbolics__py_descriptor__init(descriptor);
    descriptor->letter = pack_text(records, record->name);
    descriptor->gives = record->kinds;
    descriptor->types = pack_text(records, record->takes);
    descriptor->words = pack_text(records, record->text);
    table->descriptors[table->n_descriptors++] = descriptor;
  }
}

static void pack_suffixes(PythonPacker *packer)
{
  Records *records = packer->records;
  Symbolics__PythonTable *table = packer->table;
  table->suffixes = ARENA_ARRAY(&records->arena, Symbolics__PySuffix *, records->suffixes.count);
  for (size_t i = 0; i < records->suffixes.count; i++) {
    const PythonRecord *record = &records->suffixes.items[i];
    Symbolics__PySuffix *suffix = ARENA_NEW(&records->arena, Symbolics__PySuffix);
    symbolics__py_suffix__init(suffix);
    suffix->suffix = pack_text(records, record->name);
    suffix->single = record->single;
    suffix->list = record->list;
    suffix->takes = pack_text(records, record->takes);
    suffix->words = pack_text(records, record->text);
    table->suffixes[table->n_suffixes++] = suffix;
  }
}

static void pack_api(PythonPacker *packer)
{
  Records *records = packer->records;
  Symbolics__PythonTable *table = packer->table;
  table->api = ARENA_ARRAY(&records->arena, Symbolics__PyApi *, records->api.count);
  for (size_t i = 0; i < records->api.count; i++) {
    const PythonRecord *record = &records->api.items[i];
    Symbolics__PyApi *api = ARENA_NEW(&records->arena, Symbolics__PyApi);
    symbolics__py_api__init(api);
    if (record->is_moved && (record->removed == 0 || record->use.len == 0))
      records_error(records, record->where, "'moved' needs 'removed=' and 'use='");
    api->name = pack_text(records, record->name);
    api->added = record->added;
    api->deprecated = record->deprecated;
    api->removed = record->removed;
    api->is_private = record->is_private;
    api->is_moved = record->is_moved;
    api->replacement = pack_text(records, record->use);
    api->words = pack_text(records, record->text);
    table->api[table->n_api++] = api;
  }
}

static void pack_members(PythonPacker *packer)
{
  Records *records = packer->records;
  Symbolics__PythonTable *table = packer->table;
  Items items = COLLECT(packer, records->members);
  table->members = ARENA_ARRAY(&records->arena, Symbolics__PyMember *, items.count);
  for (size_t i = 0; i < items.count; i++) {
    if (i > 0 && str_equal(items.items[i].head->name, items.items[i - 1].head->name)) {
      table->members[table->n_members - 1]->torch_versions |= items.items[i].mask;
      continue;
    }
    Symbolics__PyMember *member = ARENA_NEW(&records->arena, Symbolics__PyMember);
    symbolics__py_member__init(member);
    member->name = pack_text(records, items.items[i].head->name);
    member->torch_versions = items.items[i].mask;
    table->members[table->n_members++] = member;
  }
}

static void add_forms(PythonPacker *packer, Items same, Symbolics__PyExportArgument *argument)
{
  Records *records = packer->records;
  argument->forms = ARENA_ARRAY(&records->arena, Symbolics__PyExportForm *, same.count);
  for (size_t i = 0; i < same.count; i++) {
    const ExportRecord *record = (const ExportRecord *)same.items[i].head;
    Symbolics__PyExportForm *form = ARENA_NEW(&records->arena, Symbolics__PyExportForm);
    symbolics__py_export_form__init(form);
    form->torch_versions = same.items[i].mask;
    form->position = record->position;
    form->has_default = record->has_default;
    form->default_text = pack_text(records, record->default_text);
    argument->forms[argument->n_forms++] = form;
  }
}

static void add_defaults(PythonPacker *packer, const PythonRecord *record, Symbolics__PyExportArgument *argument)
{
  Records *records = packer->records;
  argument->defaults = ARENA_ARRAY(&records->arena, Symbolics__PyExportDefault *, record->default_count);
  for (size_t i = 0; i < record->default_count; i++) {
    Symbolics__PyExportDefault *change = ARENA_NEW(&records->arena, Symbolics__PyExportDefault);
    symbolics__py_export_default__init(change);
    change->since = record->defaults[i].since;
    change->text = pack_text(records, record->defaults[i].text);
    argument->defaults[argument->n_defaults++] = change;
  }
}

static Symbolics__PyExportArgument *pack_argument(PythonPacker *packer, Str name, const PythonRecord *words)
{
  Records *records = packer->records;
  Symbolics__PyExportArgument *argument = ARENA_NEW(&records->arena, Symbolics__PyExportArgument);
  symbolics__py_export_argument__init(argument);
  argument->name = pack_text(records, name);
  if (words) {
    argument->added = words->added;
    argument->deprecated = words->deprecated;
    argument->removed = words->removed;
    argument->for_torchscript = words->for_torchscript;
    argument->for_dynamo = words->for_dynamo;
    argument->replacement = pack_text(records, words->use);
    argument->words = pack_text(records, words->text);
    add_defaults(packer, words, argument);
  }
  return argument;
}

/// Both lists are sorted; an argument that was removed long ago is in the words alone.
static void pack_export_arguments(PythonPacker *packer)
{
  Records *records = packer->records;
  Symbolics__PythonTable *table = packer->table;
  Items items = COLLECT(packer, records->export_arguments);
  const PythonRecords *words = &records->export_words;
  table->export_arguments = ARENA_ARRAY(&records->arena, Symbolics__PyExportArgument *, items.count + words->count);
  for (size_t w = 0; items.count > 0 || w < words->count;) {
    const PythonRecord *record = w < words->count ? &words->items[w] : NULL;
    int order = !record ? -1 : items.count == 0 ? 1 : str_compare(items.items[0].head->name, record->name);
    Str name = order <= 0 ? items.items[0].head->name : record->name;
    Symbolics__PyExportArgument *argument = pack_argument(packer, name, order >= 0 ? record : NULL);
    if (order <= 0) {
      size_t same = count_same(items);
      add_forms(packer, (Items){ items.items, same }, argument);
      items.items += same;
      items.count -= same;
    }
    w += order >= 0;
    table->export_arguments[table->n_export_arguments++] = argument;
  }
}

#undef COLLECT

void pack_python(Records *records, Symbolics__Facts *facts)
{
  PythonPacker packer = { records, facts, ARENA_NEW(&records->arena, Symbolics__PythonTable) };
  symbolics__python_table__init(packer.table);
  sort_records(records, &records->helper_words);
  sort_records(records, &records->descriptors);
  sort_records(records, &records->suffixes);
  sort_records(records, &records->api);
  sort_records(records, &records->export_words);
  pack_helpers(&packer);
  pack_descriptors(&packer);
  pack_suffixes(&packer);
  pack_api(&packer);
  pack_members(&packer);
  pack_export_arguments(&packer);
  facts->python = pack_whole(records, &packer.table->base);
}
