/// Texts in fewer bytes: words that come again and again become one or two bytes above 0x7f.
///
/// Ownership: the table borrows the texts that were counted; what it gives lives in the arena.
/// Units:     bytes. Texts are ASCII, so a byte of 0x80 and more is a code: 0x80 + i is word i < WORDS_SHORT, and
///            WORDS_LEAD + k followed by b is word WORDS_SHORT + 256 * k + b.
/// Threads:   one thread at a time.
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "base/vec.h"

enum {
  WORDS_SHORT = 120,
  WORDS_LEAD = 0x80 + WORDS_SHORT,
  WORDS_LIMIT = WORDS_SHORT + 256 * (0x100 - WORDS_LEAD),
};

typedef struct WordCount {
  Str word;
  size_t count;
  uint32_t code;  ///< WORDS_LIMIT if it has none.
} WordCount;

typedef struct WordTable {
  Arena *arena;
  Map *by_word;
  Vec(WordCount *) words;  ///< Before words_choose() all; after it those with a code, in its order.
} WordTable;

void words_init(WordTable *table, Arena *arena);
void words_done(WordTable *table);
void words_count(WordTable *table, Str text);
/// Gives codes to the words that save most.
void words_choose(WordTable *table);
Str words_encode(const WordTable *table, Str text);
