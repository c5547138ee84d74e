// The message table of a layer: unpacked whole on first use.

#include "facts/messages.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "facts/symbolics_internal.h"
#include "symbolics.pb-c.h"
#include "words.h"

typedef struct NamedText {
  Str name, text;
} NamedText;

typedef struct NamedTexts {
  NamedText *items;
  size_t count;
} NamedTexts;

/// What one layer has; `table` is what others see of it.
typedef struct Unpacked {
  MessageTable table;
  NamedTexts ways, torchlib, pairs;
  KernelGaps *kernels;
  size_t kernel_count;
} Unpacked;

typedef struct MessageUnpacker {
  const Symbolics__MessageTable *from;
  Arena *arena;
  Buffer text;  ///< Being decoded.
} MessageUnpacker;

static Str list_at(char *const *items, size_t count, size_t i)
{
  return i < count ? str_from(items[i]) : (Str){ 0 };
}

/// Puts the words back in the place of their codes. A word has FACTS_WORD_LIMIT bytes at most, so no text gets out of
/// hand.
static Str unpack_words(MessageUnpacker *unpacker, ProtobufCBinaryData from)
{
  const Symbolics__MessageTable *table = unpacker->from;
  unpacker->text.len = 0;
  for (size_t i = 0; i < from.len; i++) {
    uint8_t byte = from.data[i];
    size_t code = byte - 0x80;
    if (byte >= WORDS_LEAD && i + 1 < from.len)
      code = WORDS_SHORT + 256 * (size_t)(byte - WORDS_LEAD) + from.data[++i];
    if (byte < 0x80)
      buffer_append_char(&unpacker->text, (char)byte);
    else
      buffer_append(&unpacker->text, str_slice(list_at(table->words, table->n_words, code), 0, FACTS_WORD_LIMIT));
  }
  return arena_copy(unpacker->arena, buffer_str(&unpacker->text));
}

static Message unpack_message(MessageUnpacker *unpacker, const Symbolics__Message *from)
{
  const Symbolics__MessageTable *table = unpacker->from;
  Str *patterns = ARENA_ARRAY(unpacker->arena, Str, from->n_patterns);
  for (size_t i = 0; i < from->n_patterns; i++)
    patterns[i] = unpack_words(unpacker, from->patterns[i]);
  return (Message){ .id = unpack_words(unpacker, from->id),
                    .patterns = patterns,
                    .pattern_count = (uint32_t)from->n_patterns,
                    .stage = list_at(table->stages, table->n_stages, from->stage),
                    .exporter = from->exporter <= 2 ? (int)from->exporter - 1 : -1,
                    .level = from->level <= MESSAGE_NOTE ? (MessageLevel)from->level : MESSAGE_CAUSE,
                    .about = from->about,
                    .versions = str_from(from->versions),
                    .cause = unpack_words(unpacker, from->cause),
                    .fix = unpack_words(unpacker, from->fix),
                    .url = from->url > 0 ? list_at(table->urls, table->n_urls, from->url - 1) : (Str){ 0 },
                    .place = unpack_words(unpacker, from->place),
                    .within = str_from(from->within) };
}

static void unpack_messages(MessageUnpacker *unpacker, Unpacked *to)
{
  const Symbolics__MessageTable *from = unpacker->from;
  Message *messages = ARENA_ARRAY(unpacker->arena, Message, from->n_messages);
  for (size_t i = 0; i < from->n_messages; i++)
    messages[i] = unpack_message(unpacker, from->messages[i]);
  RuntimeFacts *runtimes = ARENA_ARRAY(unpacker->arena, RuntimeFacts, from->n_runtimes);
  for (size_t i = 0; i < from->n_runtimes; i++)
    runtimes[i] = (RuntimeFacts){ .version = str_from(from->runtimes[i]->version),
                                  .opset = (int)from->runtimes[i]->opset,
                                  .ir = (int)from->runtimes[i]->ir,
                                  .has_outcomes = from->runtimes[i]->outcomes,
                                  .bit = i < FACTS_RUNTIME_LIMIT ? (uint32_t)1 << i : 0 };
  to->table = (MessageTable){ messages, from->n_messages, runtimes, from->n_runtimes };
}

static NamedTexts named_texts(MessageUnpacker *unpacker, size_t count)
{
  return (NamedTexts){ ARENA_ARRAY(unpacker->arena, NamedText, count), count };
}

static void unpack_named(MessageUnpacker *unpacker, Unpacked *to)
{
  const Symbolics__MessageTable *from = unpacker->from;
  to->ways = named_texts(unpacker, from->n_ways);
  for (size_t i = 0; i < from->n_ways; i++)
    to->ways.items[i] = (NamedText){ str_from(from->ways[i]->name), unpack_words(unpacker, from->ways[i]->text) };
  to->torchlib = named_texts(unpacker, from->n_torchlib);
  for (size_t i = 0; i < from->n_torchlib; i++)
    to->torchlib.items[i] = (NamedText){ str_from(from->torchlib[i]->name), str_from(from->torchlib[i]->since) };
  to->pairs = named_texts(unpacker, from->n_pairs);
  for (size_t i = 0; i < from->n_pairs; i++)
    to->pairs.items[i] = (NamedText){ str_from(from->pairs[i]->torch), str_from(from->pairs[i]->onnxscript) };
}

static void unpack_kernels(MessageUnpacker *unpacker, Unpacked *to)
{
  const Symbolics__MessageTable *from = unpacker->from;
  to->kernels = ARENA_ARRAY(unpacker->arena, KernelGaps, from->n_kernels);
  to->kernel_count = from->n_kernels;
  for (size_t i = 0; i < from->n_kernels; i++) {
    const Symbolics__Kernels *kernels = from->kernels[i];
    KernelGap *gaps = ARENA_ARRAY(unpacker->arena, KernelGap, kernels->n_gaps);
    for (size_t k = 0; k < kernels->n_gaps; k++) {
      const Symbolics__KernelGap *gap = kernels->gaps[k];
      gaps[k] = (KernelGap){ gap->since, gap->first_opset, gap->last_opset, gap->runtimes,
                             list_at(from->kernel_conditions, from->n_kernel_conditions, gap->condition) };
    }
    to->kernels[i] = (KernelGaps){ str_from(kernels->operator_), gaps, kernels->n_gaps };
  }
}

static void *build(SymbolicsDb *db, const void *what)
{
  const Stack *stack = what;
  Unpacked *unpacked = ARENA_NEW(&db->arena, Unpacked);
  MessageUnpacker unpacker = { .arena = &db->arena };
  if (stack->layer->messages.len > 0)
    unpacker.from = layer_unpack(&symbolics__message_table__descriptor, stack->layer->messages, &db->arena);
  if (unpacker.from) {
    unpack_messages(&unpacker, unpacked);
    unpack_named(&unpacker, unpacked);
    unpack_kernels(&unpacker, unpacked);
  }
  buffer_done(&unpacker.text);
  return unpacked;
}

static const Unpacked *unpacked_table(const SymbolicsDb *db, uint32_t i)
{
  return slot_get(db, &db->stack[i].messages, build, &db->stack[i]);
}

const MessageTable *symbolics_messages(const SymbolicsDb *db, uint32_t i)
{
  return &unpacked_table(db, i)->table;
}

static int compare_names(const void *key, const void *item)
{
  return str_compare(*(const Str *)key, ((const NamedText *)item)->name);
}

static Str find_text(NamedTexts list, Str name)
{
  const NamedText *found = NULL;
  if (list.count > 0)
    found = bsearch(&name, list.items, list.count, sizeof(NamedText), compare_names);
  return found ? found->text : (Str){ 0 };
}

Str symbolics_operator_way(const SymbolicsDb *db, Str name)
{
  Str found = { 0 };
  for (uint32_t i = db->layer_count; i-- > 0 && found.len == 0;)
    found = find_text(unpacked_table(db, i)->ways, name);
  return found;
}

Str layer_torchlib_since(const SymbolicsDb *db, uint32_t layer, Str name)
{
  return find_text(unpacked_table(db, layer)->torchlib, name);
}

Str symbolics_torchlib_since(const SymbolicsDb *db, Str name)
{
  Str found = { 0 };
  for (uint32_t i = db->layer_count; i-- > 0 && found.len == 0;)
    found = layer_torchlib_since(db, i, name);
  return found;
}

Str symbolics_onnxscript_for(const SymbolicsDb *db, Release torch)
{
  size_t end;
  Str found = { 0 };
  Release best = { 0 };
  for (uint32_t i = 0; i < db->layer_count && torch.count > 0; i++) {
    NamedTexts pairs = unpacked_table(db, i)->pairs;
    for (size_t k = 0; k < pairs.count; k++) {
      Release since = release_read(pairs.items[k].name, &end);
      if (release_compare(since, torch) > 0 || release_compare(since, best) < 0)
        continue;
      best = since;
      found = pairs.items[k].text;
    }
  }
  return found;
}

// --- Kernels ---

static int compare_gaps(const void *key, const void *item)
{
  return str_compare(*(const Str *)key, ((const KernelGaps *)item)->op);
}

const KernelGaps *symbolics_kernel_gaps(const SymbolicsDb *db, Str name)
{
  const KernelGaps *found = NULL;
  for (uint32_t i = db->layer_count; i-- > 0 && !found;) {
    const Unpacked *unpacked = unpacked_table(db, i);
    if (unpacked->kernel_count > 0)
      found = bsearch(&name, unpacked->kernels, unpacked->kernel_count, sizeof(KernelGaps), compare_gaps);
  }
  return found;
}

bool kernel_gap_is_at(const KernelGap *gap, uint32_t since, int64_t opset)
{
  return gap->since == since && (gap->first_opset == 0 || (opset >= gap->first_opset && opset <= gap->last_opset));
}

bool kernel_gap_next_part(Str *condition, Str *ret_constraint, Str *ret_types)
{
  if (condition->len == 0)
    return false;
  size_t end = str_find(*condition, STR(" & "), 0);
  Str part = str_slice(*condition, 0, end);
  *condition = end == STR_NOT_FOUND ? (Str){ 0 } : str_slice(*condition, end + 3, condition->len);
  size_t blank = str_find_char(part, ' ', 0);
  *ret_constraint = str_slice(part, 0, blank);
  *ret_types = blank == STR_NOT_FOUND ? (Str){ 0 } : str_slice(part, blank + 1, part.len);
  return true;
}
