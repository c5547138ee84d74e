#include "graph/onnx/onnx_symbols.h"

enum { FIRST_SIZE = 256 };

/// 64 bits, so that names rarely share a slot, whoever chose them.
static uint64_t hash_of(Str text)
{
  uint64_t hash = 0x9E3779B97F4A7C15u ^ text.len;
  size_t i = 0;
  for (; i + 8 <= text.len; i += 8) {
    uint64_t word;
    memcpy(&word, text.data + i, 8);
    hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  }
  for (; i < text.len; i++)
    hash = (hash ^ (unsigned char)text.data[i]) * 0xC4CEB9FE1A85EC53u;
  return hash ^ (hash >> 29);
}

void onnx_symbols_done(OnnxSymbols *symbols)
{
  vec_free(&symbols->texts);
  free(symbols->slots);
  *symbols = (OnnxSymbols){ 0 };
}

static void grow(OnnxSymbols *symbols)
{
  uint32_t size = symbols->size ? symbols->size * 2 : FIRST_SIZE;
  free(symbols->slots);
  symbols->slots = xcalloc(size, sizeof(*symbols->slots));
  symbols->size = size;
  for (uint32_t i = 0; i < symbols->texts.count; i++) {
    uint32_t at = (uint32_t)hash_of(symbols->texts.items[i]) & (size - 1);
    while (symbols->slots[at] != 0)
      at = (at + 1) & (size - 1);
    symbols->slots[at] = i + 1;
  }
}

uint32_t onnx_symbol_of(OnnxSymbols *symbols, Str text)
{
  if (symbols->texts.count * 2 >= symbols->size)
    grow(symbols);
  uint32_t at = (uint32_t)hash_of(text) & (symbols->size - 1);
  for (; symbols->slots[at] != 0; at = (at + 1) & (symbols->size - 1)) {
    if (str_equal(symbols->texts.items[symbols->slots[at] - 1], text))
      return symbols->slots[at] - 1;
  }
  vec_push(&symbols->texts, text);
  symbols->slots[at] = (uint32_t)symbols->texts.count;
  return symbols->slots[at] - 1;
}
