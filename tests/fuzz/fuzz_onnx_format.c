// Any bytes as ONNX text, laid out: only white space changes, what is laid out stays, and it is still without mistakes.

#include "../unit/dump_flat.h"
#include "base/ascii.h"
#include "graph/onnx/onnx_format.h"

enum { TEXT_LIMIT = 256 * 1024 };

static size_t next_byte(Str text, size_t at)
{
  while (at < text.len && ascii_is_space(text.data[at]))
    at++;
  return at;
}

static void check_same_but_space(Str a, Str b)
{
  size_t i = next_byte(a, 0);
  size_t k = next_byte(b, 0);
  while (i < a.len && k < b.len) {
    FLAT_CHECK(a.data[i] == b.data[k]);
    i = next_byte(a, i + 1);
    k = next_byte(b, k + 1);
  }
  FLAT_CHECK(i == a.len && k == b.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Arena arena = { 0 };
  Str once;
  Str twice;
  Str text = str_make((const char *)data, size < TEXT_LIMIT ? size : TEXT_LIMIT);
  if (onnx_format(text, &arena, &once)) {
    check_same_but_space(text, once);
    FLAT_CHECK(onnx_format(once, &arena, &twice));
    FLAT_CHECK(str_equal(once, twice));
  }
  arena_done(&arena);
  return 0;
}
