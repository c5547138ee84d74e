// Words that the text of a file has, and other yes and no about all of it. Rules ask for the same few again and again,
// so each is searched for once; what an older version of the text did not have, only where the two differ.

#include "python/model/python_model_private.h"

enum {
  SLOTS = 256,  ///< A power of two, several times what is asked for.
  TRIES = 8,
  HAS_NOT = 1,
  HAS = 2,
  IS_WORD = 4,
  STATE_BITS = 3,
};

static uint32_t slot_of(uintptr_t key, uint32_t attempt)
{
  return ((uint32_t)(((uint64_t)key * 0x9E3779B97F4A7C15u) >> 32) + attempt) & (SLOTS - 1);
}

/// The answer that is known, or 0 and the slot that takes it; NULL if there is none.
static uintptr_t known_answer(const PyModel *model, uintptr_t key, atomic_uintptr_t **ret_slot)
{
  *ret_slot = NULL;
  for (uint32_t i = 0; i < TRIES && !*ret_slot; i++) {
    atomic_uintptr_t *at = &model->mentions[slot_of(key, i)];
    uintptr_t held = atomic_load_explicit(at, memory_order_relaxed);
    if (held >> STATE_BITS == key >> STATE_BITS && held != 0)
      return held & (HAS | HAS_NOT);
    *ret_slot = held == 0 ? at : NULL;
  }
  return 0;
}

static bool take_answer(atomic_uintptr_t *slot, uintptr_t key, bool has)
{
  if (slot)
    atomic_store_explicit(slot, key | (has ? HAS : HAS_NOT), memory_order_relaxed);
  return has;
}

static uintptr_t key_of_word(const char *word)
{
  return (uintptr_t)word << STATE_BITS | IS_WORD;
}

/// What of `text` a word that is not in the text before would have to touch.
static Str changed_around(Str text, size_t prefix, size_t suffix, size_t length)
{
  size_t reach = length - 1;
  return str_slice(text, prefix > reach ? prefix - reach : 0, text.len - (suffix > reach ? suffix - reach : 0));
}

void python_start_mentions(PyModel *model, const PyModel *before)
{
  model->mentions = xcalloc(SLOTS, sizeof(atomic_uintptr_t));
  if (!before)
    return;
  Str text = model->tree.text, old = before->tree.text;
  size_t prefix = str_common_prefix(text, old);
  size_t suffix = str_common_suffix(str_slice(text, prefix, text.len), str_slice(old, prefix, old.len));
  for (uint32_t i = 0; i < SLOTS; i++) {
    uintptr_t held = atomic_load_explicit(&before->mentions[i], memory_order_relaxed);
    Str word = str_from(held & IS_WORD ? (const char *)(held >> STATE_BITS) : "");
    if (!(held & HAS_NOT) || word.len == 0 || str_contains(changed_around(text, prefix, suffix, word.len), word))
      continue;
    atomic_uintptr_t *slot;
    uintptr_t key = key_of_word(word.data);
    if (!known_answer(model, key, &slot))
      take_answer(slot, key, false);
  }
}

/// Two threads may search for one word, or take one slot for two: then one of them is searched for again.
bool py_model_mentions(const PyModel *model, const char *word)
{
  uintptr_t key = key_of_word(word);
  atomic_uintptr_t *slot;
  uintptr_t known = known_answer(model, key, &slot);
  return known ? known == HAS : take_answer(slot, key, str_contains(model->tree.text, str_from(word)));
}

bool py_model_holds(const PyModel *model, bool (*find)(const PyModel *model))
{
  uintptr_t key = (uintptr_t)find << STATE_BITS;
  atomic_uintptr_t *slot;
  uintptr_t known = known_answer(model, key, &slot);
  return known ? known == HAS : take_answer(slot, key, find(model));
}

bool py_model_mentions_one_of(const PyModel *model, const char *const *words, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    if (py_model_mentions(model, words[i]))
      return true;
  }
  return false;
}
