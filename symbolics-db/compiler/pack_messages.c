// The table of messages: in the order of the files, everything that is looked up by name sorted.

#include "base/sort.h"
#include "records_internal.h"
#include "words.h"

typedef Vec(Str) StrList;

typedef struct MessagePacker {
  Records *records;
  Symbolics__MessageTable *table;
  WordTable words;
  StrList urls, stages;
} MessagePacker;

static int compare_messages(const void *a, const void *b)
{
  return str_compare(((const MessageRecord *)a)->id, ((const MessageRecord *)b)->id);
}

static int compare_named(const void *a, const void *b)
{
  return str_compare(((const NamedRecord *)a)->name, ((const NamedRecord *)b)->name);
}

static void sort_named(Records *records, NamedRecords *list)
{
  vec_sort(list, compare_named);
  for (size_t i = 1; i < list->count; i++) {
    if (str_equal(list->items[i].name, list->items[i - 1].name))
      records_error(records, list->items[i].where, "'%.*s' occurs twice", STR_ARG(list->items[i].name));
  }
}

/// Whether a pattern has the hole {name}, {name.} or {name*}.
static bool has_hole(Str pattern, Str name)
{
  for (size_t open = str_find_char(pattern, '{', 0); open != STR_NOT_FOUND;
       open = str_find_char(pattern, '{', open + 1)) {
    Str inside = str_slice(pattern, open + 1, str_find_char(pattern, '}', open));
    if (str_starts_with(inside, name) && inside.len <= name.len + 1)
      return true;
  }
  return false;
}

static bool is_hole_name(Str s)
{
  for (size_t i = 0; i < s.len; i++) {
    if ((s.data[i] < 'a' || s.data[i] > 'z') && s.data[i] != '_')
      return false;
  }
  return s.len > 0;
}

/// A hole in a cause or fix that has no words for when it is empty is in every pattern.
static void check_template(Records *records, const MessageRecord *record, Str text)
{
  for (size_t open = str_find_char(text, '{', 0); open != STR_NOT_FOUND; open = str_find_char(text, '{', open + 1)) {
    Str name = str_slice(text, open + 1, str_find_char(text, '}', open));
    for (size_t i = 0; i < record->pattern_count && is_hole_name(name); i++) {
      if (!has_hole(record->patterns[i], name))
        records_error(records, record->where, "'%.*s' may not know {%.*s}: write {%.*s|other words}",
                      STR_ARG(record->id), STR_ARG(name), STR_ARG(name));
    }
  }
}

static bool is_ascii(Str text)
{
  for (size_t i = 0; i < text.len; i++) {
    if ((unsigned char)text.data[i] >= 0x80)
      return false;
  }
  return true;
}

/// Only what gives context needs no cause.
static void check_message(Records *records, const MessageRecord *record)
{
  enum { LEVEL_CONTEXT = 2 };
  if (record->pattern_count == 0)
    records_error(records, record->where, "'%.*s' says nothing", STR_ARG(record->id));
  if (record->stage.len == 0)
    records_error(records, record->where, "'%.*s' has no stage", STR_ARG(record->id));
  if ((record->cause.len == 0 || record->fix.len == 0) && record->level != LEVEL_CONTEXT)
    records_error(records, record->where, "'%.*s' needs a cause and a fix", STR_ARG(record->id));
  if (!is_ascii(record->cause) || !is_ascii(record->fix) || !is_ascii(record->place))
    records_error(records, record->where, "'%.*s' is not all ASCII", STR_ARG(record->id));
  for (size_t i = 0; i < record->pattern_count; i++) {
    if (!is_ascii(record->patterns[i]))
      records_error(records, record->where, "a text of '%.*s' is not all ASCII", STR_ARG(record->id));
  }
  check_template(records, record, record->cause);
  check_template(records, record, record->fix);
}

/// The index of `text` among `list`, to which it is added if it is new.
static uint32_t index_of(StrList *list, Str text)
{
  for (size_t i = 0; i < list->count; i++) {
    if (str_equal(list->items[i], text))
      return (uint32_t)i;
  }
  vec_push(list, text);
  return (uint32_t)(list->count - 1);
}

static ProtobufCBinaryData pack_words(MessagePacker *packer, Str text)
{
  Str encoded = words_encode(&packer->words, text);
  return (ProtobufCBinaryData){ encoded.len, (uint8_t *)encoded.data };
}

static Symbolics__Message *pack_message(MessagePacker *packer, const MessageRecord *record)
{
  Arena *arena = &packer->records->arena;
  Symbolics__Message *message = ARENA_NEW(arena, Symbolics__Message);
  symbolics__message__init(message);
  message->id = pack_words(packer, record->id);
  message->patterns = ARENA_ARRAY(arena, ProtobufCBinaryData, record->pattern_count);
  for (size_t i = 0; i < record->pattern_count; i++)
    message->patterns[message->n_patterns++] = pack_words(packer, record->patterns[i]);
  message->stage = index_of(&packer->stages, record->stage);
  message->exporter = record->exporter;
  message->level = record->level;
  message->about = record->about;
  message->versions = pack_text(packer->records, record->versions);
  message->cause = pack_words(packer, record->cause);
  message->fix = pack_words(packer, record->fix);
  message->url = record->url.len > 0 ? index_of(&packer->urls, record->url) + 1 : 0;
  message->place = pack_words(packer, record->place);
  message->within = pack_text(packer->records, record->within);
  return message;
}

static void pack_error_messages(MessagePacker *packer)
{
  Records *records = packer->records;
  Symbolics__MessageTable *table = packer->table;
  size_t count = records->error_messages.count;
  MessageRecord *items = records->error_messages.items;
  sort_stable(items, count, sizeof(*items), compare_messages);
  table->messages = ARENA_ARRAY(&records->arena, Symbolics__Message *, count);
  for (size_t i = 0; i < count; i++) {
    check_message(records, &items[i]);
    if (i > 0 && str_equal(items[i].id, items[i - 1].id))
      records_error(records, items[i].where, "'%.*s' occurs twice", STR_ARG(items[i].id));
    table->messages[table->n_messages++] = pack_message(packer, &items[i]);
  }
}

static void pack_ways(MessagePacker *packer)
{
  Records *records = packer->records;
  Symbolics__MessageTable *table = packer->table;
  table->ways = ARENA_ARRAY(&records->arena, Symbolics__OperatorWay *, records->ways.count);
  for (size_t i = 0; i < records->ways.count; i++) {
    Symbolics__OperatorWay *way = ARENA_NEW(&records->arena, Symbolics__OperatorWay);
    symbolics__operator_way__init(way);
    way->name = pack_text(records, records->ways.items[i].name);
    way->text = pack_words(packer, records->ways.items[i].text);
    table->ways[table->n_ways++] = way;
  }
}

static void pack_torchlib(Records *records, Symbolics__MessageTable *table)
{
  table->torchlib = ARENA_ARRAY(&records->arena, Symbolics__TorchlibName *, records->torchlib.count);
  for (size_t i = 0; i < records->torchlib.count; i++) {
    Symbolics__TorchlibName *name = ARENA_NEW(&records->arena, Symbolics__TorchlibName);
    symbolics__torchlib_name__init(name);
    name->name = pack_text(records, records->torchlib.items[i].name);
    name->since = pack_text(records, records->torchlib.items[i].text);
    table->torchlib[table->n_torchlib++] = name;
  }
}

static void pack_pairs(Records *records, Symbolics__MessageTable *table)
{
  table->pairs = ARENA_ARRAY(&records->arena, Symbolics__ReleasePair *, records->pairs.count);
  for (size_t i = 0; i < records->pairs.count; i++) {
    Symbolics__ReleasePair *pair = ARENA_NEW(&records->arena, Symbolics__ReleasePair);
    symbolics__release_pair__init(pair);
    pair->torch = pack_text(records, records->pairs.items[i].name);
    pair->onnxscript = pack_text(records, records->pairs.items[i].text);
    table->pairs[table->n_pairs++] = pair;
  }
}

static void pack_runtimes(Records *records, Symbolics__MessageTable *table)
{
  table->runtimes = ARENA_ARRAY(&records->arena, Symbolics__Runtime *, records->runtimes.count);
  for (size_t i = 0; i < records->runtimes.count; i++) {
    const RuntimeRecord *record = &records->runtimes.items[i];
    Symbolics__Runtime *runtime = ARENA_NEW(&records->arena, Symbolics__Runtime);
    symbolics__runtime__init(runtime);
    runtime->version = pack_text(records, record->version);
    runtime->opset = record->opset;
    runtime->ir = record->ir;
    runtime->outcomes = record->outcomes;
    table->runtimes[table->n_runtimes++] = runtime;
    if (i > 0 && record[-1].opset > record->opset)
      records_error(records, record->where, "runtimes come oldest first");
  }
}

static void count_words(WordTable *words, const Records *records)
{
  for (size_t i = 0; i < records->error_messages.count; i++) {
    const MessageRecord *record = &records->error_messages.items[i];
    words_count(words, record->id);
    words_count(words, record->cause);
    words_count(words, record->fix);
    words_count(words, record->place);
    for (size_t k = 0; k < record->pattern_count; k++)
      words_count(words, record->patterns[k]);
  }
  for (size_t i = 0; i < records->ways.count; i++)
    words_count(words, records->ways.items[i].text);
}

static char **pack_list(Records *records, const Str *items, size_t count)
{
  char **list = ARENA_ARRAY(&records->arena, char *, count);
  for (size_t i = 0; i < count; i++)
    list[i] = pack_text(records, items[i]);
  return list;
}

static void pack_lists(MessagePacker *packer)
{
  Records *records = packer->records;
  Symbolics__MessageTable *table = packer->table;
  table->n_words = packer->words.words.count;
  table->words = ARENA_ARRAY(&records->arena, char *, table->n_words);
  for (size_t i = 0; i < table->n_words; i++)
    table->words[i] = pack_text(records, packer->words.words.items[i]->word);
  table->n_urls = packer->urls.count;
  table->urls = pack_list(records, packer->urls.items, packer->urls.count);
  table->n_stages = packer->stages.count;
  table->stages = pack_list(records, packer->stages.items, packer->stages.count);
}

void pack_messages(Records *records, Symbolics__Facts *facts)
{
  MessagePacker packer = { .records = records, .table = ARENA_NEW(&records->arena, Symbolics__MessageTable) };
  symbolics__message_table__init(packer.table);
  words_init(&packer.words, &records->arena);
  count_words(&packer.words, records);
  words_choose(&packer.words);
  sort_named(records, &records->ways);
  sort_named(records, &records->torchlib);
  sort_named(records, &records->pairs);
  pack_error_messages(&packer);
  pack_ways(&packer);
  pack_torchlib(records, packer.table);
  pack_pairs(records, packer.table);
  pack_runtimes(records, packer.table);
  pack_kernels(records, packer.table);
  pack_lists(&packer);
  const Symbolics__MessageTable *table = packer.table;
  bool is_empty =
      table->n_messages + table->n_ways + table->n_kernels + table->n_torchlib + table->n_pairs + table->n_runtimes ==
      0;
  facts->messages = is_empty ? NULL : pack_whole(records, &packer.table->base);
  words_done(&packer.words);
  vec_free(&packer.urls);
  vec_free(&packer.stages);
}
