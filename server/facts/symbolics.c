// Databases: the embedded one, layers, torch versions, sources.

#include "facts/symbolics.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "embed.h"
#include "facts/export_api.h"
#include "facts/symbolics_internal.h"
#include "records.h"
#include "symbolics.pb-c.h"

void *slot_get(const SymbolicsDb *db, const Slot *slot, SlotBuild *build, const void *what)
{
  void *held = atomic_load_explicit(slot, memory_order_acquire);
  if (held)
    return held;
  SymbolicsDb *owner = (SymbolicsDb *)db;  // The cache is the one thing that changes, under its lock.
  pthread_mutex_lock(&owner->lock);
  held = atomic_load_explicit(slot, memory_order_relaxed);
  if (!held) {
    held = build(owner, what);
    atomic_store_explicit((Slot *)slot, held, memory_order_release);
  }
  pthread_mutex_unlock(&owner->lock);
  return held;
}

static void *make_slots(SymbolicsDb *db, const void *count)
{
  return ARENA_ARRAY(&db->arena, Slot, *(const uint32_t *)count);
}

void *slots_get(const SymbolicsDb *db, const Slots *slots, uint32_t at, SlotBuild *build, const void *what)
{
  const Slot *items = slot_get(db, &slots->items, make_slots, &slots->count);
  return slot_get(db, &items[at], build, what);
}

static int compare_versions(const TorchVersion *a, const TorchVersion *b)
{
  if (a->major != b->major)
    return a->major < b->major ? -1 : 1;
  return a->minor == b->minor ? 0 : a->minor < b->minor ? -1 : 1;
}

/// Merges the sorted versions of one more layer into the database's.
static bool merge_versions(SymbolicsDb *db, const Layer *layer)
{
  for (uint32_t i = 0; i < layer->version_count; i++) {
    const TorchVersion *version = &layer->versions[i];
    uint32_t at = 0;
    while (at < db->version_count && compare_versions(db->versions[at], version) < 0)
      at++;
    bool is_new = at == db->version_count || compare_versions(db->versions[at], version) != 0;
    if (is_new && db->version_count == SYMBOLICS_TORCH_LIMIT)
      return false;
    if (is_new) {
      memmove(&db->versions[at + 1], &db->versions[at], (db->version_count - at) * sizeof(db->versions[0]));
      db->version_count++;
    }
    db->versions[at] = version;
  }
  return true;
}

/// Fills what follows from the merged versions: names, and each layer's own indexes.
static void index_versions(SymbolicsDb *db)
{
  for (uint32_t v = 0; v < db->version_count; v++) {
    db->version_names[v] = db->versions[v]->version;
    for (uint32_t i = 0; i < db->layer_count; i++) {
      Stack *stack = &db->stack[i];
      stack->local_version[v] = -1;
      for (uint32_t k = 0; k < stack->layer->version_count; k++) {
        const TorchVersion *version = &stack->layer->versions[k];
        if (compare_versions(version, db->versions[v]) != 0)
          continue;
        stack->local_version[v] = (int8_t)k;
        db->has_facts[v][0] |= version->has_facts[0];
        db->has_facts[v][1] |= version->has_facts[1];
      }
    }
  }
}

static bool push_layer(SymbolicsDb *db, const Layer *layer)
{
  if (db->layer_count == FACTS_LAYER_LIMIT || !merge_versions(db, layer))
    return false;
  Stack *stack = &db->stack[db->layer_count++];
  stack->layer = layer;
  stack->torch.count = stack->outcomes.count = stack->dynamo.count = layer->torch_names.count;
  stack->onnx.count = layer->onnx_names.count;
  stack->type_sets = xcalloc(layer->type_sets.count, sizeof(OnnxTypeSet));
  return true;
}

static SymbolicsDb *new_database(void)
{
  SymbolicsDb *db = xcalloc(1, sizeof(*db));
  pthread_mutex_init(&db->lock, NULL);
  return db;
}

/// Makes the layer `own` of the empty `db`, which is freed on failure, the newest one over those of `base`.
static Status put_on(SymbolicsDb *db, Str name, Status status, const SymbolicsDb *base, SymbolicsDb **ret_db)
{
  db->own.name = arena_copy(&db->arena, name);
  for (uint32_t i = 0; status == OK && base && i < base->layer_count; i++) {
    if (!push_layer(db, base->stack[i].layer))
      status = ERR_LIMIT;
  }
  if (status == OK && !push_layer(db, &db->own))
    status = ERR_LIMIT;
  if (status != OK) {
    symbolics_free(db);
    return status;
  }
  index_versions(db);
  *ret_db = db;
  return OK;
}

Status symbolics_open(Str name, Str bytes, const SymbolicsDb *base, SymbolicsDb **ret_db)
{
  SymbolicsDb *db = new_database();
  return put_on(db, name, layer_init(&db->own, bytes, false, &db->arena), base, ret_db);
}

Status symbolics_open_records(Str name, Records *records, const SymbolicsDb *base, SymbolicsDb **ret_db)
{
  Buffer facts = { 0 };
  Status status = records_pack(records, &facts);
  if (status == OK) {
    SymbolicsDb *db = new_database();
    status = layer_init(&db->own, arena_copy(&db->arena, buffer_str(&facts)), false, &db->arena);
    status = put_on(db, name, status, base, ret_db);
  }
  buffer_done(&facts);
  return status;
}

static SymbolicsDb *embedded;
static pthread_once_t embedded_once = PTHREAD_ONCE_INIT;

static void open_embedded(void)
{
  size_t size;
  const char *bytes = symbolics_facts_bytes(&size);
  // The build made these bytes with the same format; a failure is our own bug.
  SymbolicsDb *db = new_database();
  if (put_on(db, STR("built in"), layer_init(&db->own, str_make(bytes, size), true, &db->arena), NULL, &embedded) != OK)
    abort();
}

const SymbolicsDb *symbolics_embedded(void)
{
  pthread_once(&embedded_once, open_embedded);
  return embedded;
}

void symbolics_free(SymbolicsDb *db)
{
  if (!db)
    return;
  for (uint32_t i = 0; i < db->layer_count; i++)
    free(db->stack[i].type_sets);
  arena_done(&db->arena);
  pthread_mutex_destroy(&db->lock);
  free(db);
}

uint32_t layer_map_versions(const SymbolicsDb *db, const Stack *stack, uint32_t local_mask)
{
  uint32_t mask = 0;
  for (uint32_t v = 0; v < db->version_count; v++) {
    int local = stack->local_version[v];
    if (local >= 0 && (local_mask >> local & 1))
      mask |= (uint32_t)1 << v;
  }
  return mask;
}

size_t symbolics_torch_versions(const SymbolicsDb *db, const Str **ret_versions)
{
  *ret_versions = db->version_names;
  return db->version_count;
}

/// The number in front of `*text`, which it drops together with one dot after it.
static bool take_number(Str *text, uint32_t *ret_value)
{
  size_t len = ascii_digits_end(*text, 0);
  uint64_t value;
  if (!str_to_uint(str_slice(*text, 0, len), UINT16_MAX, &value))
    return false;
  if (len < text->len && text->data[len] == '.')
    len++;
  *text = str_slice(*text, len, text->len);
  *ret_value = (uint32_t)value;
  return true;
}

/// Whether torch.onnx.export() takes the dynamo exporter by itself.
static bool takes_dynamo(const SymbolicsDb *db, const TorchVersion *version)
{
  return export_api_is_dynamo(db, (TorchRelease){ (uint16_t)version->major, (uint16_t)version->minor });
}

bool symbolics_resolve_torch(const SymbolicsDb *db, Str setting, TorchChoice *ret_choice)
{
  if (db->version_count == 0)
    return false;
  uint32_t newest = db->version_count - 1;
  setting = str_trim(setting);
  if (setting.len == 0 || str_equal(setting, STR("auto"))) {
    *ret_choice = (TorchChoice){ newest, newest, true };
    return true;
  }
  TorchVersion wanted = { 0 };
  if (!take_number(&setting, &wanted.major) || !take_number(&setting, &wanted.minor))
    return false;
  uint32_t older = 0;
  for (uint32_t i = 0; i < db->version_count; i++) {
    if (compare_versions(db->versions[i], &wanted) <= 0)
      older = i;
  }
  int order = compare_versions(db->versions[older], &wanted);
  uint32_t newer = order < 0 && older < newest ? older + 1 : older;
  bool takes_newer = newer > older && takes_dynamo(db, &wanted) && !takes_dynamo(db, db->versions[older]);
  *ret_choice = takes_newer ? (TorchChoice){ newer, older, order == 0 } : (TorchChoice){ older, newer, order == 0 };
  return true;
}

/// The newest layer's entry of a version that satisfies `has`; NULL if none does.
static const TorchVersion *find_version(const SymbolicsDb *db, uint32_t torch,
                                        bool (*has)(const TorchVersion *version, int number), int number)
{
  for (uint32_t i = db->layer_count; i-- > 0 && torch < db->version_count;) {
    int local = db->stack[i].local_version[torch];
    const TorchVersion *version = local < 0 ? NULL : &db->stack[i].layer->versions[local];
    if (version && has(version, number))
      return version;
  }
  return NULL;
}

static bool has_range(const TorchVersion *version, int exporter)
{
  return version->ranges[exporter].max > 0;
}

static bool has_suffixes(const TorchVersion *version, int unused)
{
  return version->suffix_count > 0;
}

bool symbolics_opset_range(const SymbolicsDb *db, uint32_t torch, Exporter exporter, OpsetRange *ret_range)
{
  const TorchVersion *version = find_version(db, torch, has_range, exporter);
  if (version)
    *ret_range = version->ranges[exporter];
  return version != NULL;
}

bool symbolics_is_suffix(const SymbolicsDb *db, uint32_t torch, Str suffix)
{
  const TorchVersion *version = find_version(db, torch, has_suffixes, 0);
  for (uint32_t i = 0; version && i < version->suffix_count; i++) {
    if (str_equal(version->suffixes[i], suffix))
      return true;
  }
  return false;
}

size_t symbolics_layer_count(const SymbolicsDb *db)
{
  return db->layer_count;
}

LayerInfo symbolics_layer(const SymbolicsDb *db, size_t i)
{
  const Layer *layer = db->stack[i].layer;
  return (LayerInfo){ .name = layer->name,
                      .torch_names = layer->torch_names.count,
                      .onnx_names = layer->onnx_names.count,
                      .torch_versions = layer->version_count,
                      .size = layer->bytes.len };
}

static void read_source(Str message, Str *ret_file, Str *ret_text)
{
  Wire wire = { .rest = message };
  WireField field;
  *ret_file = *ret_text = (Str){ 0 };
  while (wire_next(&wire, &field)) {
    switch (wire_member(&symbolics__source__descriptor, &field)) {
    case offsetof(Symbolics__Source, file):
      *ret_file = field.bytes;
      break;
    case offsetof(Symbolics__Source, text):
      *ret_text = field.bytes;
      break;
    }
  }
}

void symbolics_each_source(const SymbolicsDb *db, bool (*visit)(Str file, Str source, void *context), void *context)
{
  for (uint32_t i = 0; i < db->layer_count; i++) {
    Wire wire = { .rest = db->stack[i].layer->bytes };
    WireField field;
    while (wire_next(&wire, &field)) {
      Str file, text;
      if (wire_member(&symbolics__facts__descriptor, &field) != offsetof(Symbolics__Facts, sources))
        continue;
      read_source(field.bytes, &file, &text);
      if (!visit(file, text, context))
        return;
    }
  }
}
