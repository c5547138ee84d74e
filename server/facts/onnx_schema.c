// ONNX operators: unpacked on first use, all versions at once.

#include "base/map.h"
#include "base/vec.h"
#include "facts/onnx_elements.h"
#include "facts/symbolics_internal.h"
#include "symbolics.pb-c.h"

static const char *const attribute_type_names[] = {
  "undefined", "float",   "int",    "string",        "tensor",         "graph",      "floats",      "ints",
  "strings",   "tensors", "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos",
};

const char *onnx_attribute_type_name(OnnxAttributeType type)
{
  bool known = (size_t)type < COUNT(attribute_type_names);
  return attribute_type_names[known ? type : ONNX_UNDEFINED];
}

const char *onnx_attribute_suffix(OnnxAttributeType type)
{
  static const char *const suffixes[] = { "", "f", "i", "s", "t", "g", "f", "i", "s", "t", "g", "", "", "ty", "ty" };
  return (size_t)type < COUNT(suffixes) ? suffixes[type] : "";
}

Str onnx_operator_url(const OnnxOperator *op, Arena *arena)
{
  static const struct {
    Str domain, word;
  } pages[] = {
    { STR_INIT(""), STR_INIT("") },
    { STR_INIT("ai.onnx.ml"), STR_INIT("aionnxml") },
    { STR_INIT("ai.onnx.preview"), STR_INIT("aionnxpreview") },
    { STR_INIT("ai.onnx.preview.training"), STR_INIT("aionnxpreviewtraining") },
  };
  for (size_t i = 0; i < COUNT(pages); i++) {
    if (str_equal(op->domain, pages[i].domain))
      return arena_printf(arena, "https://onnx.ai/onnx/operators/onnx_%.*s_%.*s.html", STR_ARG(pages[i].word),
                          STR_ARG(op->name));
  }
  return (Str){ 0 };
}

/// What unpacking one operator needs.
typedef struct Unpacker {
  const Stack *stack;
  Arena *arena;
  const Symbolics__OnnxOperator *from;
} Unpacker;

static const OnnxParam *unpack_params(Unpacker *unpacker, Symbolics__OnnxParam **from, size_t count)
{
  OnnxParam *params = ARENA_ARRAY(unpacker->arena, OnnxParam, count);
  for (size_t i = 0; i < count; i++) {
    bool known = (unsigned)from[i]->option <= ONNX_VARIADIC;
    params[i] = (OnnxParam){ .name = str_from(from[i]->name),
                             .type = str_from(from[i]->type),
                             .option = known ? (OnnxOption)from[i]->option : ONNX_SINGLE,
                             .heterogeneous = from[i]->heterogeneous,
                             .min_arity = from[i]->min_arity,
                             .doc = str_from(from[i]->doc) };
  }
  return params;
}

static Str find_phrase(const Symbolics__OnnxOperator *op, const char *attribute)
{
  for (size_t i = 0; i < op->n_phrases; i++) {
    if (strcmp(op->phrases[i]->attribute, attribute) == 0)
      return str_from(op->phrases[i]->text);
  }
  return (Str){ 0 };
}

static OnnxAttribute *unpack_attributes(Unpacker *unpacker, const Symbolics__OnnxSchema *from)
{
  OnnxAttribute *attributes = ARENA_ARRAY(unpacker->arena, OnnxAttribute, from->n_attributes);
  for (size_t i = 0; i < from->n_attributes; i++) {
    const Symbolics__OnnxAttribute *attribute = from->attributes[i];
    attributes[i] = (OnnxAttribute){ .name = str_from(attribute->name),
                                     .type = attribute->type <= ONNX_TYPE_PROTOS ? (OnnxAttributeType)attribute->type
                                                                                 : ONNX_UNDEFINED,
                                     .required = attribute->required,
                                     .has_default = attribute->has_default,
                                     .default_text = str_from(attribute->default_text),
                                     .phrase = find_phrase(unpacker->from, attribute->name),
                                     .doc = str_from(attribute->doc) };
  }
  return attributes;
}

/// Splits "tensor(double);map(int64, float)" at the semicolons.
static OnnxTypeSet split_types(Str text, Arena *arena)
{
  OnnxTypeSet set = { 0 };
  size_t count = 1;
  for (size_t i = 0; i < text.len; i++)
    count += text.data[i] == ';';
  Str *types = ARENA_ARRAY(arena, Str, count);
  for (size_t start = 0; start < text.len;) {
    size_t end = str_find_char(text, ';', start);
    if (end == STR_NOT_FOUND)
      end = text.len;
    types[set.count] = str_slice(text, start, end);
    set.elements |= onnx_tensor_bit(types[set.count++]);
    start = end + 1;
  }
  set.types = types;
  return set;
}

/// Few sets serve all constraints.
static OnnxTypeSet type_set_at(Unpacker *unpacker, uint32_t at)
{
  const Blobs *texts = &unpacker->stack->layer->type_sets;
  if (at >= texts->count)
    return (OnnxTypeSet){ 0 };
  OnnxTypeSet *set = &unpacker->stack->type_sets[at];
  if (!set->types)
    *set = split_types(blobs_at(texts, at), unpacker->arena);
  return *set;
}

static const OnnxConstraint *unpack_constraints(Unpacker *unpacker, const Symbolics__OnnxSchema *from)
{
  OnnxConstraint *constraints = ARENA_ARRAY(unpacker->arena, OnnxConstraint, from->n_constraints);
  for (size_t i = 0; i < from->n_constraints; i++) {
    constraints[i].name = str_from(from->constraints[i]->name);
    constraints[i].doc = str_from(from->constraints[i]->doc);
    OnnxTypeSet set = type_set_at(unpacker, from->constraints[i]->type_set);
    constraints[i].types = set.types;
    constraints[i].type_count = set.count;
    constraints[i].elements = set.elements;
  }
  return constraints;
}

/// A schema while the operator is being built.
typedef struct Version {
  OnnxSchema schema;
  OnnxAttribute *attributes;  ///< The schema's own, still to be changed.
} Version;

typedef Vec(Version) VersionVec;

static const Str *unpack_notes(Unpacker *unpacker, const Symbolics__OnnxSchema *from)
{
  Str *notes = ARENA_ARRAY(unpacker->arena, Str, from->n_notes);
  for (size_t i = 0; i < from->n_notes; i++)
    notes[i] = str_from(from->notes[i]);
  return notes;
}

static Version unpack_version(Unpacker *unpacker, const Symbolics__OnnxSchema *from)
{
  Version version = { .attributes = unpack_attributes(unpacker, from) };
  version.schema = (OnnxSchema){
    .since = from->since,
    .notes = unpack_notes(unpacker, from),
    .note_count = (uint32_t)from->n_notes,
    .deprecated = from->deprecated,
    .experimental = from->experimental,
    .function = from->function,
    .min_input = from->min_input,
    .max_input = from->max_input,
    .min_output = from->min_output,
    .max_output = from->max_output,
    .inputs = unpack_params(unpacker, from->inputs, from->n_inputs),
    .input_count = (uint32_t)from->n_inputs,
    .outputs = unpack_params(unpacker, from->outputs, from->n_outputs),
    .output_count = (uint32_t)from->n_outputs,
    .attributes = version.attributes,
    .attribute_count = (uint32_t)from->n_attributes,
    .constraints = unpack_constraints(unpacker, from),
    .constraint_count = (uint32_t)from->n_constraints,
    .doc = str_from(from->doc),
  };
  return version;
}

/// Adds a version, in order; one of the same number is displaced, but leaves its notes.
static void add_version(VersionVec *versions, Version version)
{
  size_t at = 0;
  while (at < versions->count && versions->items[at].schema.since < version.schema.since)
    at++;
  if (at == versions->count || versions->items[at].schema.since != version.schema.since) {
    vec_push(versions, version);
    memmove(&versions->items[at + 1], &versions->items[at], (versions->count - 1 - at) * sizeof(version));
  }
  const OnnxSchema *displaced = &versions->items[at].schema;
  if (version.schema.note_count == 0 && displaced->since == version.schema.since) {
    version.schema.notes = displaced->notes;
    version.schema.note_count = displaced->note_count;
  }
  versions->items[at] = version;
}

static void add_layer(SymbolicsDb *db, const Stack *stack, uint32_t slot, OnnxOperator *op, VersionVec *versions)
{
  Str entry = blobs_at(&stack->layer->onnx_entries, slot);
  Unpacker unpacker = { stack, &db->arena, layer_unpack(&symbolics__onnx_operator__descriptor, entry, &db->arena) };
  if (!unpacker.from)
    return;
  if (unpacker.from->summary[0] != '\0')
    op->summary = str_from(unpacker.from->summary);
  for (size_t i = 0; i < unpacker.from->n_versions; i++)
    add_version(versions, unpack_version(&unpacker, unpacker.from->versions[i]));
}

/// Our phrases of a lower layer's attributes, given to those of the same name that have none.
static void spread_phrases(VersionVec *versions, Map *phrases)
{
  for (size_t i = 0; i < versions->count; i++) {
    Version *version = &versions->items[i];
    for (uint32_t k = 0; k < version->schema.attribute_count; k++) {
      const Str *phrase = map_get(phrases, version->attributes[k].name);
      if (phrase && version->attributes[k].phrase.len == 0)
        version->attributes[k].phrase = *phrase;
    }
  }
}

static void note_phrases(const VersionVec *versions, Map *phrases)
{
  for (size_t i = 0; i < versions->count; i++) {
    const Version *version = &versions->items[i];
    for (uint32_t k = 0; k < version->schema.attribute_count; k++) {
      if (version->attributes[k].phrase.len > 0)
        map_put(phrases, version->attributes[k].name, &version->attributes[k].phrase);
    }
  }
}

/// An operator of one layer.
typedef struct LayerOperator {
  const Layer *layer;
  Str domain;
  uint32_t slot;
} LayerOperator;

/// Unpacks the operator from every layer. The lock is held.
static void *build_operator(SymbolicsDb *db, const void *what)
{
  const LayerOperator *of = what;
  OnnxOperator *op = ARENA_NEW(&db->arena, OnnxOperator);
  VersionVec versions = { 0 };
  // The layer's own texts, which live as long as the database.
  *op = (OnnxOperator){ .domain = layer_find_domain(of->layer, of->domain)->name,
                        .name = blobs_at(&of->layer->onnx_names, of->slot) };
  Map *phrases = NULL;  // Nearly every operator is in one layer, and has them all.
  for (uint32_t i = 0; i < db->layer_count; i++) {
    int64_t slot = layer_find_onnx(db->stack[i].layer, op->domain, op->name);
    if (slot == NO_SLOT)
      continue;
    if (versions.count > 0)
      note_phrases(&versions, phrases = phrases ? phrases : map_new());
    add_layer(db, &db->stack[i], (uint32_t)slot, op, &versions);
  }
  if (phrases) {
    note_phrases(&versions, phrases);
    spread_phrases(&versions, phrases);
    map_free(phrases);
  }
  OnnxSchema *kept = ARENA_ARRAY(&db->arena, OnnxSchema, versions.count);
  for (size_t i = 0; i < versions.count; i++) {
    kept[i] = versions.items[i].schema;
    kept[i].before = i > 0 ? &kept[i - 1] : NULL;
  }
  op->versions = kept;
  op->version_count = (uint32_t)versions.count;
  vec_free(&versions);
  return op;
}

/// "ai.onnx" is written "".
static Str plain_domain(Str domain)
{
  return str_equal(domain, STR("ai.onnx")) ? (Str){ 0 } : domain;
}

const OnnxOperator *symbolics_onnx_operator(const SymbolicsDb *db, Str domain, Str name)
{
  domain = plain_domain(domain);
  for (uint32_t i = db->layer_count; i-- > 0;) {
    const Stack *stack = &db->stack[i];
    int64_t slot = layer_find_onnx(stack->layer, domain, name);
    if (slot == NO_SLOT)
      continue;
    LayerOperator of = { stack->layer, domain, (uint32_t)slot };
    const OnnxOperator *op = slots_get(db, &stack->onnx, (uint32_t)slot, build_operator, &of);
    return op->version_count > 0 ? op : NULL;
  }
  return NULL;
}

const OnnxSchema *onnx_operator_at(const OnnxOperator *op, int64_t opset)
{
  const OnnxSchema *found = NULL;
  for (uint32_t i = 0; i < op->version_count && (int64_t)op->versions[i].since <= opset; i++)
    found = &op->versions[i];
  return found;
}

const OnnxSchema *onnx_operator_in_graph(const OnnxOperator *op, int opset)
{
  return onnx_operator_at(op, op->domain.len > 0 ? INT64_MAX : opset);
}

const OnnxAttribute *onnx_schema_attribute(const OnnxSchema *schema, Str name)
{
  for (uint32_t i = 0; i < schema->attribute_count; i++) {
    if (str_equal(schema->attributes[i].name, name))
      return &schema->attributes[i];
  }
  return NULL;
}

const OnnxSchema *onnx_operator_with_attribute(const OnnxOperator *op, Str name)
{
  for (uint32_t i = op->version_count; i-- > 0;) {
    if (onnx_schema_attribute(&op->versions[i], name))
      return &op->versions[i];
  }
  return NULL;
}

const OnnxConstraint *onnx_schema_constraint(const OnnxSchema *schema, Str name)
{
  for (uint32_t i = 0; i < schema->constraint_count; i++) {
    if (str_equal(schema->constraints[i].name, name))
      return &schema->constraints[i];
  }
  return NULL;
}

bool symbolics_onnx_has_domain(const SymbolicsDb *db, Str domain)
{
  for (uint32_t i = 0; i < db->layer_count; i++) {
    if (layer_find_domain(db->stack[i].layer, plain_domain(domain)))
      return true;
  }
  return false;
}

static bool is_in_newer_layer(const SymbolicsDb *db, uint32_t layer, Str domain, Str name)
{
  for (uint32_t i = layer + 1; i < db->layer_count; i++) {
    if (layer_find_onnx(db->stack[i].layer, domain, name) != NO_SLOT)
      return true;
  }
  return false;
}

void symbolics_each_onnx_name(const SymbolicsDb *db, Str domain, Str prefix, bool (*visit)(Str name, void *context),
                              void *context)
{
  domain = plain_domain(domain);
  for (uint32_t i = 0; i < db->layer_count; i++) {
    const Layer *layer = db->stack[i].layer;
    const OnnxDomainRange *range = layer_find_domain(layer, domain);
    if (!range)
      continue;
    bool found;
    uint32_t end = range->first + range->count;
    for (uint32_t k = blobs_find(&layer->onnx_names, range->first, range->count, prefix, &found); k < end; k++) {
      Str name = blobs_at(&layer->onnx_names, k);
      if (!str_starts_with(name, prefix))
        break;
      if (!is_in_newer_layer(db, i, domain, name) && !visit(name, context))
        return;
    }
  }
}

static bool has_domain_above(const SymbolicsDb *db, uint32_t layer, Str domain)
{
  for (uint32_t i = layer + 1; i < db->layer_count; i++) {
    if (layer_find_domain(db->stack[i].layer, domain))
      return true;
  }
  return false;
}

void symbolics_each_onnx_domain(const SymbolicsDb *db, bool (*visit)(Str domain, void *context), void *context)
{
  for (uint32_t i = 0; i < db->layer_count; i++) {
    const Layer *layer = db->stack[i].layer;
    for (uint32_t k = 0; k < layer->domain_count; k++) {
      Str domain = layer->domains[k].name;
      if (!has_domain_above(db, i, domain) && !visit(domain, context))
        return;
    }
  }
}

bool onnx_operator_was_experiment(Str name)
{
  // Source: onnx/checker.cc, the experimental operators that check_node() lets through.
  static const char *const names[] = { "ATen",
                                       "Affine",
                                       "ConstantFill",
                                       "Crop",
                                       "DynamicSlice",
                                       "GRUUnit",
                                       "GivenTensorFill",
                                       "ImageScaler",
                                       "ParametricSoftplus",
                                       "Scale",
                                       "ScaledTanh" };
  return str_is_one_of(name, names, COUNT(names));
}
