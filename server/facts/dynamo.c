// What the dynamo exporter makes of an overload: functions, and what it is decomposed into.

#include "base/vec.h"
#include "facts/messages.h"
#include "facts/symbolics_internal.h"
#include "symbolics.pb-c.h"

typedef Vec(DynamoParts) PartsVec;

static void add_functions(const Symbolics__TorchOperator *from, const SymbolicsDb *db, const Stack *stack,
                          uint32_t torch, Str overload, DynamoFacts *facts)
{
  for (size_t k = 0; k < from->n_dynamo; k++) {
    const Symbolics__DynamoFunction *function = from->dynamo[k];
    if (!str_equal(str_from(function->overload), overload) ||
        !(layer_map_versions(db, stack, function->torch_versions) >> torch & 1))
      continue;
    int *since = function->complex_inputs ? &facts->complex_since : &facts->since;
    facts->is_decomposed |= function->decomposed;
    if (function->opset > 0 && (*since == 0 || (int)function->opset < *since))
      *since = (int)function->opset;
  }
}

static void split_words(Str text, DynamoParts *parts, Arena *arena)
{
  Vec(Str) words = { 0 };
  for (size_t start = 0; start < text.len;) {
    size_t end = str_find_char(text, ' ', start);
    Str word = str_slice(text, start, end);
    if (word.len > 0)
      vec_push(&words, word);
    start = end == STR_NOT_FOUND ? text.len : end + 1;
  }
  Str *copy = ARENA_ARRAY(arena, Str, words.count);
  if (words.count > 0)
    memcpy(copy, words.items, words.count * sizeof(*copy));
  parts->parts = copy;
  parts->part_count = (uint32_t)words.count;
  vec_free(&words);
}

static void add_parts(const Symbolics__TorchOperator *from, const SymbolicsDb *db, const Stack *stack, uint32_t torch,
                      Str overload, PartsVec *list, Arena *arena)
{
  for (size_t k = 0; k < from->n_parts; k++) {
    const Symbolics__DynamoParts *packed = from->parts[k];
    if (!str_equal(str_from(packed->overload), overload) ||
        !(layer_map_versions(db, stack, packed->torch_versions) >> torch & 1))
      continue;
    DynamoParts parts = { .is_complex = packed->complex_inputs };
    Str message;  // The compiler checked what it packed.
    if (packed->condition[0] != '\0' &&
        !condition_parse(str_from(packed->condition), arena, &parts.condition, &message))
      continue;
    split_words(str_from(packed->parts), &parts, arena);
    vec_push(list, parts);
  }
}

/// The release of onnxscript that the function came with, if that is later than the one in use. A layer of the user's
/// own was read out of what is installed.
static Str missing_release(const SymbolicsDb *db, uint32_t layer, Str onnxscript, Str name, Str overload, Arena *arena)
{
  if (onnxscript.len == 0)
    return (Str){ 0 };
  size_t end;
  Str full = overload.len == 0 ? name : arena_printf(arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(overload));
  Str since = layer_torchlib_since(db, layer, full);
  bool is_later = since.len > 0 && release_compare(release_read(since, &end), release_read(onnxscript, &end)) > 0;
  return is_later ? since : (Str){ 0 };
}

typedef struct LayerOperator {
  const Layer *layer;
  uint32_t slot;
} LayerOperator;

static void *unpack_operator(SymbolicsDb *db, const void *what)
{
  const LayerOperator *of = what;
  return layer_unpack_operator(of->layer, of->slot, &db->arena);
}

DynamoFacts symbolics_dynamo_facts(const SymbolicsDb *db, uint32_t torch, Str onnxscript, Str name, Str overload,
                                   Arena *arena)
{
  DynamoFacts facts = { .is_known = symbolics_knows(db, torch, EXPORTER_DYNAMO) };
  if (!facts.is_known)
    return facts;
  if (str_equal(overload, STR("default")))
    overload = (Str){ 0 };
  PartsVec list = { 0 };
  for (uint32_t i = 0; i < db->layer_count; i++) {
    const Stack *stack = &db->stack[i];
    int64_t slot = layer_find_torch(stack->layer, name);
    if (slot == NO_SLOT)
      continue;
    LayerOperator of = { stack->layer, (uint32_t)slot };
    const Symbolics__TorchOperator *from = slots_get(db, &stack->dynamo, (uint32_t)slot, unpack_operator, &of);
    if (!from)
      continue;
    Str missing = missing_release(db, i, onnxscript, name, overload, arena);
    if (missing.len == 0)
      add_functions(from, db, stack, torch, overload, &facts);
    else
      facts.onnxscript = missing;
    add_parts(from, db, stack, torch, overload, &list, arena);
  }
  DynamoParts *copy = ARENA_ARRAY(arena, DynamoParts, list.count);
  if (list.count > 0)
    memcpy(copy, list.items, list.count * sizeof(*copy));
  facts.parts = copy;
  facts.part_count = (uint32_t)list.count;
  vec_free(&list);
  return facts;
}

DynamoAnswer symbolics_dynamo(const SymbolicsDb *db, uint32_t torch, Str name, Str overload, int opset)
{
  OpsetRange range;
  Arena scratch = { 0 };
  DynamoFacts facts = symbolics_dynamo_facts(db, torch, (Str){ 0 }, name, overload, &scratch);
  DynamoAnswer answer = { .status = SUPPORT_NO_FACTS };
  if (facts.is_known && symbolics_opset_range(db, torch, EXPORTER_DYNAMO, &range))
    answer = layer_dynamo_answer((uint32_t)facts.since, facts.is_decomposed, facts.complex_since > 0, opset, range);
  arena_done(&scratch);
  return answer;
}
