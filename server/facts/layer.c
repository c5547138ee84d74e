// Opening compiled facts: finds the tables, checks every index once, so that look-ups need no checks. A test does that
// for those that are built in: a start needs few of their pages.

#include <protobuf-c/protobuf-c.h>

#include "base/limits.h"
#include "facts/symbolics_internal.h"
#include "records.h"
#include "symbolics.pb-c.h"

static void *arena_allocate(void *arena, size_t size)
{
  return arena_alloc(arena, size);
}

static void arena_free_nothing(void *arena, void *memory)
{
}

void *layer_unpack(const ProtobufCMessageDescriptor *descriptor, Str bytes, Arena *arena)
{
  ProtobufCAllocator allocator = { arena_allocate, arena_free_nothing, arena };
  if (bytes.len > FACTS_ENTRY_LIMIT)
    return NULL;
  return protobuf_c_message_unpack(descriptor, &allocator, bytes.len, (const uint8_t *)bytes.data);
}

void *layer_unpack_operator(const Layer *layer, uint32_t slot, Arena *arena)
{
  Str entry = blobs_at(&layer->torch_entries, wire_u32(layer->places, slot));
  return layer_unpack(&symbolics__torch_operator__descriptor, entry, arena);
}

/// "2.14" to its two numbers.
static bool read_version(Str text, uint32_t *ret_major, uint32_t *ret_minor)
{
  uint64_t major, minor;
  size_t dot = str_find_char(text, '.', 0);
  if (dot == STR_NOT_FOUND || !str_to_uint(str_slice(text, 0, dot), UINT16_MAX, &major) ||
      !str_to_uint(str_slice(text, dot + 1, text.len), UINT16_MAX, &minor))
    return false;
  *ret_major = (uint32_t)major;
  *ret_minor = (uint32_t)minor;
  return true;
}

static bool add_version(Layer *layer, Str message, Arena *arena)
{
  const Symbolics__TorchVersion *from = layer_unpack(&symbolics__torch_version__descriptor, message, arena);
  if (!from || layer->version_count >= SYMBOLICS_TORCH_LIMIT)
    return false;
  TorchVersion *version = &layer->versions[layer->version_count++];
  version->version = str_from(from->version);
  if (!read_version(version->version, &version->major, &version->minor))
    return false;
  for (size_t i = 0; i < from->n_exporters; i++) {
    const Symbolics__ExporterRange *range = from->exporters[i];
    if ((unsigned)range->exporter > EXPORTER_DYNAMO || range->max_opset > OPSET_LIMIT ||
        range->min_opset > range->max_opset || range->default_opset > range->max_opset)
      return false;
    version->ranges[range->exporter] =
        (OpsetRange){ (int)range->min_opset, (int)range->max_opset, (int)range->default_opset };
  }
  size_t room = COUNT(version->suffixes);
  for (size_t i = 0; i < from->n_suffixes && i < room; i++)
    version->suffixes[version->suffix_count++] = str_from(from->suffixes[i]);
  return true;
}

static bool find_condition(Str word, PassCondition *ret_condition)
{
  static const Str words[] = {
    // By PassCondition.
    STR_INIT("always"),       STR_INIT("constant-keys"),    STR_INIT("local-list"),
    STR_INIT("target-fresh"), STR_INIT("target-not-fresh"), STR_INIT("unpacked-at-once"),
  };
  for (size_t i = 0; i < COUNT(words); i++) {
    if (!str_equal(words[i], word))
      continue;
    *ret_condition = (PassCondition)i;
    return true;
  }
  return false;
}

static bool add_pass(Layer *layer, Str message, Arena *arena)
{
  const Symbolics__PassNote *from = layer_unpack(&symbolics__pass_note__descriptor, message, arena);
  PassNote *note = &layer->passes[layer->pass_count++];
  if (!from || !find_condition(str_from(from->condition), &note->condition))
    return false;
  note->reason = str_from(from->reason);
  return true;
}

static bool read_torch_table(Layer *layer, Str message)
{
  Wire wire = { .rest = message };
  WireField field;
  bool ok = true;
  while (wire_next(&wire, &field)) {
    switch (wire_member(&symbolics__torch_table__descriptor, &field)) {
    case offsetof(Symbolics__TorchTable, names):
      ok = ok && blobs_init(&layer->torch_names, field.bytes, layer->data);
      break;
    case offsetof(Symbolics__TorchTable, entries):
      ok = ok && blobs_init(&layer->torch_entries, field.bytes, layer->data);
      break;
    case offsetof(Symbolics__TorchTable, outcomes):
      ok = ok && blobs_init(&layer->torch_outcomes, field.bytes, layer->data);
      break;
    case offsetof(Symbolics__TorchTable, texts):
      ok = ok && blobs_init(&layer->torch_texts, field.bytes, layer->data);
      break;
    case offsetof(Symbolics__TorchTable, places):
      layer->places = field.bytes;
      break;
    case offsetof(Symbolics__TorchTable, rows):
      layer->rows = field.bytes;
      break;
    case offsetof(Symbolics__TorchTable, registered):
      layer->registered = field.bytes;
      break;
    case offsetof(Symbolics__TorchTable, blocked):
      layer->blocked = field.bytes;
      break;
    case offsetof(Symbolics__TorchTable, flags):
      layer->flags = field.bytes;
      break;
    case offsetof(Symbolics__TorchTable, pass):
      layer->pass = field.bytes;
      break;
    }
  }
  return ok && !wire.is_broken;
}

static bool add_domain(Layer *layer, Str message, Arena *arena)
{
  const Symbolics__OnnxDomain *from = layer_unpack(&symbolics__onnx_domain__descriptor, message, arena);
  if (!from)
    return false;
  layer->domains[layer->domain_count++] = (OnnxDomainRange){ str_from(from->name), from->first, from->count };
  return true;
}

/// How many fields there are that protobuf-c would keep in one member of the message's struct.
static uint32_t count_fields(const ProtobufCMessageDescriptor *descriptor, Str message, size_t member)
{
  Wire wire = { .rest = message };
  WireField field;
  uint32_t count = 0;
  while (wire_next(&wire, &field))
    count += wire_member(descriptor, &field) == member;
  return count;
}

static bool read_onnx_table(Layer *layer, Str message, Arena *arena)
{
  Wire wire = { .rest = message };
  WireField field;
  bool ok = true;
  layer->domain_count = 0;
  uint32_t domains = count_fields(&symbolics__onnx_table__descriptor, message, offsetof(Symbolics__OnnxTable, domains));
  layer->domains = ARENA_ARRAY(arena, OnnxDomainRange, domains);
  while (ok && wire_next(&wire, &field)) {
    switch (wire_member(&symbolics__onnx_table__descriptor, &field)) {
    case offsetof(Symbolics__OnnxTable, domains):
      ok = add_domain(layer, field.bytes, arena);
      break;
    case offsetof(Symbolics__OnnxTable, names):
      ok = blobs_init(&layer->onnx_names, field.bytes, layer->data);
      break;
    case offsetof(Symbolics__OnnxTable, entries):
      ok = blobs_init(&layer->onnx_entries, field.bytes, layer->data);
      break;
    case offsetof(Symbolics__OnnxTable, type_sets):
      ok = blobs_init(&layer->type_sets, field.bytes, layer->data);
      break;
    }
  }
  return ok && !wire.is_broken;
}

static bool read_function_table(Layer *layer, Str message)
{
  Wire wire = { .rest = message };
  WireField field;
  bool ok = true;
  while (ok && wire_next(&wire, &field)) {
    switch (wire_member(&symbolics__function_table__descriptor, &field)) {
    case offsetof(Symbolics__FunctionTable, names):
      ok = blobs_init(&layer->function_names, field.bytes, layer->data);
      break;
    case offsetof(Symbolics__FunctionTable, operators):
      ok = blobs_init(&layer->function_operators, field.bytes, layer->data);
      break;
    case offsetof(Symbolics__FunctionTable, versions):
      layer->function_versions = field.bytes;
      break;
    }
  }
  size_t count = layer->function_names.count;
  return ok && !wire.is_broken && layer->function_operators.count == count &&
         layer->function_versions.len == count * sizeof(uint64_t);
}

/// Where the strings are, which the tables before them point into.
static Str find_data(Str facts)
{
  Wire wire = { .rest = facts };
  WireField field;
  Str data = { 0 };
  while (wire_next(&wire, &field)) {
    if (wire_member(&symbolics__facts__descriptor, &field) == offsetof(Symbolics__Facts, data))
      data = field.bytes;
  }
  return data;
}

/// The first string of a list, which is a table.
static bool read_whole(Str message, Str data, Str *ret_table)
{
  Blobs blobs;
  bool ok = blobs_init(&blobs, message, data);
  *ret_table = ok && blobs.count > 0 ? blobs_at(&blobs, 0) : (Str){ 0 };
  return ok;
}

static bool read_facts(Layer *layer, Arena *arena)
{
  Wire wire = { .rest = layer->bytes };
  WireField field;
  layer->data = find_data(layer->bytes);
  uint64_t format = 0;
  bool ok = true;
  layer->versions = ARENA_ARRAY(arena, TorchVersion, SYMBOLICS_TORCH_LIMIT);
  uint32_t passes = count_fields(&symbolics__facts__descriptor, layer->bytes, offsetof(Symbolics__Facts, passes));
  layer->passes = ARENA_ARRAY(arena, PassNote, passes);
  while (ok && wire_next(&wire, &field)) {
    switch (wire_member(&symbolics__facts__descriptor, &field)) {
    case offsetof(Symbolics__Facts, format):
      format = field.value;
      break;
    case offsetof(Symbolics__Facts, torch_versions):
      ok = add_version(layer, field.bytes, arena);
      break;
    case offsetof(Symbolics__Facts, torch):
      ok = read_torch_table(layer, field.bytes);
      break;
    case offsetof(Symbolics__Facts, onnx):
      ok = read_onnx_table(layer, field.bytes, arena);
      break;
    case offsetof(Symbolics__Facts, passes):
      ok = add_pass(layer, field.bytes, arena);
      break;
    case offsetof(Symbolics__Facts, python):
      ok = read_whole(field.bytes, layer->data, &layer->python);
      break;
    case offsetof(Symbolics__Facts, messages):
      ok = read_whole(field.bytes, layer->data, &layer->messages);
      break;
    case offsetof(Symbolics__Facts, functions):
      ok = read_function_table(layer, field.bytes);
      break;
    }
  }
  return ok && !wire.is_broken && format == FACTS_FORMAT;
}

static bool check_torch(const Layer *layer)
{
  uint32_t names = layer->torch_names.count;
  size_t cells = layer->pass.len / 4;
  if (layer->torch_entries.count != names || layer->torch_outcomes.count != names ||
      layer->rows.len != (size_t)names * 4 || layer->places.len != layer->rows.len || layer->pass.len % 4 != 0 ||
      layer->flags.len != cells * 4 || layer->registered.len != cells * 8 || layer->blocked.len != cells * 8)
    return false;
  for (uint32_t i = 0; i < names; i++) {
    if (wire_u32(layer->places, i) >= names)
      return false;
  }
  for (uint32_t i = 0; i < names && layer->version_count > 0; i++) {
    if (((size_t)wire_u32(layer->rows, i) + 1) * layer->version_count > cells)
      return false;
  }
  for (size_t i = 0; i < cells; i++) {
    if (wire_u32(layer->pass, i) > layer->pass_count)
      return false;
  }
  return blobs_is_sorted(&layer->torch_names, 0, names);
}

static bool check_onnx(const Layer *layer)
{
  uint32_t names = layer->onnx_names.count;
  if (layer->onnx_entries.count != names)
    return false;
  for (uint32_t i = 0; i < layer->domain_count; i++) {
    const OnnxDomainRange *domain = &layer->domains[i];
    if (domain->first > names || domain->count > names - domain->first ||
        !blobs_is_sorted(&layer->onnx_names, domain->first, domain->count))
      return false;
  }
  return true;
}

static bool check_versions(const Layer *layer)
{
  for (uint32_t i = 1; i < layer->version_count; i++) {
    const TorchVersion *a = &layer->versions[i - 1];
    const TorchVersion *b = &layer->versions[i];
    if (a->major > b->major || (a->major == b->major && a->minor >= b->minor))
      return false;
  }
  return true;
}

/// Which versions have support facts at all.
static void note_facts(Layer *layer)
{
  size_t cells = layer->version_count > 0 ? layer->pass.len / 4 : 0;
  for (size_t i = 0; i < cells; i++) {
    TorchVersion *version = &layer->versions[i % layer->version_count];
    if (wire_u64(layer->registered, i) != 0)
      version->has_facts[EXPORTER_TORCHSCRIPT] = true;
    if (wire_u32(layer->flags, i) & FLAG_DYNAMO_OPSET)
      version->has_facts[EXPORTER_DYNAMO] = true;
  }
}

static bool check_indexes(const Layer *layer)
{
  return check_versions(layer) && check_torch(layer) && check_onnx(layer);
}

Status layer_init(Layer *layer, Str bytes, bool is_built_in, Arena *arena)
{
  *layer = (Layer){ .bytes = bytes };
  if (!read_facts(layer, arena) || !(is_built_in || check_indexes(layer)))
    return ERR_FORMAT;
  note_facts(layer);
  return OK;
}

int64_t layer_find_torch(const Layer *layer, Str name)
{
  bool found;
  uint32_t slot = blobs_find(&layer->torch_names, 0, layer->torch_names.count, name, &found);
  return found ? (int64_t)slot : NO_SLOT;
}

const OnnxDomainRange *layer_find_domain(const Layer *layer, Str domain)
{
  for (uint32_t i = 0; i < layer->domain_count; i++) {
    if (str_equal(layer->domains[i].name, domain))
      return &layer->domains[i];
  }
  return NULL;
}

int64_t layer_find_onnx(const Layer *layer, Str domain, Str name)
{
  const OnnxDomainRange *range = layer_find_domain(layer, domain);
  if (!range)
    return NO_SLOT;
  bool found;
  uint32_t slot = blobs_find(&layer->onnx_names, range->first, range->count, name, &found);
  return found ? (int64_t)slot : NO_SLOT;
}
