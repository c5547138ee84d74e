#include "words.h"

static bool is_word_byte(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '/';
}

/// The next word of `text` at `*at`, with one blank before it; empty at the end. Bytes between words stand for
/// themselves.
static Str next_word(Str text, size_t *at)
{
  size_t start = *at;
  while (start < text.len && !is_word_byte(text.data[start]))
    start++;
  size_t end = start;
  while (end < text.len && is_word_byte(text.data[end]))
    end++;
  if (start > *at && end > start && text.data[start - 1] == ' ')
    start--;
  *at = end;
  return str_slice(text, start, end);
}

void words_init(WordTable *table, Arena *arena)
{
  *table = (WordTable){ .arena = arena, .by_word = map_new() };
}

void words_done(WordTable *table)
{
  map_free(table->by_word);
  vec_free(&table->words);
}

void words_count(WordTable *table, Str text)
{
  size_t at = 0;
  for (Str word = next_word(text, &at); word.len > 0; word = next_word(text, &at)) {
    WordCount *known = map_get(table->by_word, word);
    if (!known) {
      known = ARENA_NEW(table->arena, WordCount);
      *known = (WordCount){ .word = word, .code = WORDS_LIMIT };
      map_put(table->by_word, word, known);
      vec_push(&table->words, known);
    }
    known->count++;
  }
}

/// What a code of `size` bytes would save; the table itself costs the word and its length.
static int64_t saving(const WordCount *word, int64_t size)
{
  int64_t len = (int64_t)word->word.len;
  return (int64_t)word->count * (len - size) - len - 2;
}

static int compare_savings(const void *a, const void *b)
{
  const WordCount *x = *(WordCount *const *)a;
  const WordCount *y = *(WordCount *const *)b;
  int64_t first = saving(x, 1), second = saving(y, 1);
  return first != second ? (first < second) - (first > second) : str_compare(x->word, y->word);
}

void words_choose(WordTable *table)
{
  vec_sort(&table->words, compare_savings);
  size_t kept = 0;
  for (size_t i = 0; i < table->words.count && kept < WORDS_LIMIT; i++) {
    WordCount *word = table->words.items[i];
    if (saving(word, kept < WORDS_SHORT ? 1 : 2) <= 0)
      continue;
    word->code = (uint32_t)kept;
    table->words.items[kept++] = word;
  }
  table->words.count = kept;
}

static void append_code(Buffer *out, uint32_t code)
{
  if (code < WORDS_SHORT) {
    buffer_append_char(out, (char)(0x80 + code));
  } else {
    buffer_append_char(out, (char)(WORDS_LEAD + (code - WORDS_SHORT) / 256));
    buffer_append_char(out, (char)((code - WORDS_SHORT) % 256));
  }
}

Str words_encode(const WordTable *table, Str text)
{
  Buffer out = { 0 };
  size_t at = 0;
  size_t copied = 0;
  for (Str word = next_word(text, &at); word.len > 0; word = next_word(text, &at)) {
    const WordCount *known = map_get(table->by_word, word);
    if (!known || known->code == WORDS_LIMIT)
      continue;
    buffer_append(&out, str_slice(text, copied, (size_t)(word.data - text.data)));
    append_code(&out, known->code);
    copied = at;
  }
  buffer_append(&out, str_slice(text, copied, text.len));
  Str encoded = arena_copy(table->arena, buffer_str(&out));
  buffer_done(&out);
  return encoded;
}
