// Any bytes as C++: operators lie in the text in order, their names are names, and their schemas can be read.

#include <stdint.h>

#include "cpp/cpp_library.h"
#include "cpp/cpp_scan.h"
#include "fuzz_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tokens(Str text)
{
  CppScan scan = { .text = text };
  size_t before = 0;
  for (CppToken token = cpp_scan_next(&scan); token.kind != CPP_END; token = cpp_scan_next(&scan)) {
    FUZZ_CHECK(scan.at > before && scan.at <= text.len && token.text.len > 0);
    FUZZ_CHECK(token.kind != CPP_STRING || (token.content.start <= token.content.end && token.content.end <= text.len));
    before = scan.at;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Str text = str_make((const char *)data, size);
  Arena arena = { 0 };
  check_tokens(text);
  CppOperators found = cpp_library_operators(text, &arena);
  const DefinedOperator **defined = ARENA_ARRAY(&arena, const DefinedOperator *, found.count);
  for (size_t i = 0; i < found.count; i++) {
    const DefinedOperator *op = &found.items[i];
    FUZZ_CHECK(str_contains(op->name, STR("::")) && op->place.start <= op->place.end && op->place.end <= size);
    FUZZ_CHECK(i == 0 || found.items[i - 1].place.end <= op->place.start);
    defined[i] = op;
  }
  OperatorTable table = operator_table_make(defined, found.count, &arena);
  for (size_t i = 0; i < table.count; i++)
    FUZZ_CHECK(operator_table_find(&table, table.items[i].name) == &table.items[i]);
  arena_done(&arena);
  return 0;
}
