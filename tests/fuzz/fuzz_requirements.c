// Any bytes as a file that pins versions, and as the name of a folder of metadata: what is found is a version.
#include "base/ascii.h"
#include "fuzz_check.h"
#include "host/requirements.h"

static void check_version(Str version)
{
  size_t point = str_find_char(version, '.', 0);
  FUZZ_CHECK(point != STR_NOT_FOUND && point > 0 && point + 1 < version.len && version.len <= 11);
  for (size_t i = 0; i < version.len; i++)
    FUZZ_CHECK(i == point || ascii_is_digit(version.data[i]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const char *const packages[] = { "torch", "onnxruntime" };
  Str text = str_make((const char *)data, size);
  for (size_t i = 0; i < COUNT(packages); i++) {
    Arena arena = { 0 };
    Str version;
    if (requirements_pinned(text, str_from(packages[i]), &arena, &version))
      check_version(version);
    if (requirements_metadata(text, str_from(packages[i]), &arena, &version))
      check_version(version);
    arena_done(&arena);
  }
  return 0;
}
