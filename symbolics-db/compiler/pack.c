// From records to the packed Facts message. Everything is sorted, so the order of the files does not matter.

#include "records_internal.h"

char *pack_text(Records *records, Str s)
{
  return (char *)arena_copy(&records->arena, s).data;
}

void blobs_add(BlobsWriter *writer, Str s)
{
  buffer_append(&writer->data, s);
  vec_push(&writer->ends, (uint32_t)writer->data.len);
}

uint32_t blobs_share(BlobsWriter *writer, Str s)
{
  if (!writer->ids)
    writer->ids = map_new();
  uintptr_t id = (uintptr_t)map_get(writer->ids, s);
  if (id == 0) {
    blobs_add(writer, s);
    id = writer->ends.count;
    map_put(writer->ids, s, (void *)id);
  }
  return (uint32_t)(id - 1);
}

Str blobs_pack_message(const ProtobufCMessage *message, Arena *arena)
{
  size_t size = protobuf_c_message_get_packed_size(message);
  char *bytes = ARENA_ARRAY(arena, char, size);
  protobuf_c_message_pack(message, (uint8_t *)bytes);
  return str_make(bytes, size);
}

Symbolics__Blobs *blobs_finish(BlobsWriter *writer, Records *records)
{
  Arena *arena = &records->arena;
  Symbolics__Blobs *blobs = ARENA_NEW(arena, Symbolics__Blobs);
  symbolics__blobs__init(blobs);
  blobs->n_ends = writer->ends.count;
  blobs->ends = ARENA_ARRAY(arena, uint32_t, writer->ends.count);
  if (writer->ends.count > 0)
    memcpy(blobs->ends, writer->ends.items, writer->ends.count * sizeof(uint32_t));
  blobs->start = (uint32_t)records->data.len;
  buffer_append(&records->data, buffer_str(&writer->data));
  buffer_done(&writer->data);
  vec_free(&writer->ends);
  map_free(writer->ids);
  return blobs;
}

Symbolics__Blobs *pack_whole(Records *records, const ProtobufCMessage *message)
{
  BlobsWriter writer = { 0 };
  blobs_add(&writer, blobs_pack_message(message, &records->arena));
  return blobs_finish(&writer, records);
}

/// Number of a decimal word; the reader checked that it is one.
static uint64_t number(Str s)
{
  uint64_t value = 0;
  return str_to_uint(s, UINT32_MAX, &value) ? value : 0;
}

static int compare_versions(const void *a, const void *b)
{
  Str x = ((const VersionRecord *)a)->version;
  Str y = ((const VersionRecord *)b)->version;
  size_t dot_x = str_find_char(x, '.', 0), dot_y = str_find_char(y, '.', 0);
  uint64_t key_x = number(str_slice(x, 0, dot_x)) << 32 | number(str_slice(x, dot_x + 1, x.len));
  uint64_t key_y = number(str_slice(y, 0, dot_y)) << 32 | number(str_slice(y, dot_y + 1, y.len));
  return (key_x > key_y) - (key_x < key_y);
}

static Symbolics__ExporterRange *pack_range(Records *records, const RangeRecord *record)
{
  Symbolics__ExporterRange *range = ARENA_NEW(&records->arena, Symbolics__ExporterRange);
  symbolics__exporter_range__init(range);
  range->exporter = (Symbolics__Exporter)record->exporter;
  range->min_opset = record->min;
  range->max_opset = record->max;
  range->default_opset = record->standard;
  return range;
}

static Symbolics__TorchVersion *pack_version(Records *records, const VersionRecord *record)
{
  Arena *arena = &records->arena;
  Symbolics__TorchVersion *version = ARENA_NEW(arena, Symbolics__TorchVersion);
  symbolics__torch_version__init(version);
  version->version = pack_text(records, record->version);
  version->exporters = ARENA_ARRAY(arena, Symbolics__ExporterRange *, record->range_count);
  for (size_t i = 0; i < record->range_count; i++)
    version->exporters[version->n_exporters++] = pack_range(records, &record->ranges[i]);
  version->suffixes = ARENA_ARRAY(arena, char *, record->suffixes.len + 1);
  Str rest = record->suffixes;
  for (Str word = records_word(&rest); word.len > 0; word = records_word(&rest))
    version->suffixes[version->n_suffixes++] = pack_text(records, word);
  return version;
}

void pack_versions(Records *records, Symbolics__Facts *facts)
{
  vec_sort(&records->versions, compare_versions);
  facts->torch_versions = ARENA_ARRAY(&records->arena, Symbolics__TorchVersion *, records->versions.count);
  for (size_t i = 0; i < records->versions.count; i++)
    facts->torch_versions[facts->n_torch_versions++] = pack_version(records, &records->versions.items[i]);
}

uint32_t pack_version_mask(Records *records, const TorchRecord *record, const Symbolics__Facts *facts)
{
  uint32_t mask = 0;
  if (str_equal(record->versions, STR("*")))
    return (uint32_t)(((uint64_t)1 << facts->n_torch_versions) - 1);
  for (size_t start = 0; start <= record->versions.len;) {
    size_t end = str_find_char(record->versions, ',', start);
    Str word = str_slice(record->versions, start, end);
    uint32_t bit = 0;
    for (size_t i = 0; i < facts->n_torch_versions; i++) {
      if (str_equal(word, str_from(facts->torch_versions[i]->version)))
        bit = (uint32_t)1 << i;
    }
    if (bit == 0 || (mask & bit))
      records_error(records, record->where, bit == 0 ? "torch %.*s is not declared" : "torch %.*s occurs twice",
                    STR_ARG(word));
    mask |= bit;
    if (end == STR_NOT_FOUND)
      break;
    start = end + 1;
  }
  return mask;
}

static int compare_sources(const void *a, const void *b)
{
  const SourceRecord *x = a;
  const SourceRecord *y = b;
  int order = str_compare(x->file, y->file);
  return order != 0 ? order : str_compare(x->text, y->text);
}

static void pack_sources(Records *records, Symbolics__Facts *facts)
{
  vec_sort(&records->sources, compare_sources);
  facts->sources = ARENA_ARRAY(&records->arena, Symbolics__Source *, records->sources.count);
  for (size_t i = 0; i < records->sources.count; i++) {
    Symbolics__Source *source = ARENA_NEW(&records->arena, Symbolics__Source);
    symbolics__source__init(source);
    source->file = pack_text(records, records->sources.items[i].file);
    source->text = pack_text(records, records->sources.items[i].text);
    facts->sources[facts->n_sources++] = source;
  }
}

Status records_pack(Records *records, Buffer *ret_facts)
{
  Symbolics__Facts facts = SYMBOLICS__FACTS__INIT;
  facts.format = FACTS_FORMAT;
  pack_versions(records, &facts);
  pack_torch(records, &facts);
  pack_onnx(records, &facts);
  pack_python(records, &facts);
  pack_messages(records, &facts);
  pack_functions(records, &facts);
  pack_sources(records, &facts);
  facts.data = (ProtobufCBinaryData){ records->data.len, (uint8_t *)records->data.data };
  if (records->message_count > 0)
    return ERR_FORMAT;
  size_t size = protobuf_c_message_get_packed_size(&facts.base);
  uint8_t *bytes = xmalloc(size);
  protobuf_c_message_pack(&facts.base, bytes);
  buffer_append(ret_facts, str_make((const char *)bytes, size));
  free(bytes);
  return OK;
}
