// Any bytes as results that are put together, parted by NUL: what comes out well, and alone, comes out as it is.
#include "cli/commands.h"
#include "cli/merge_private.h"
#include "fuzz_check.h"
#include "quiet.h"

typedef int Merge(const PartList *parts, Buffer *out);

static int merge_one(Merge *merge, Str text, Buffer *out)
{
  PartList again = { 0 };
  vec_push(&again, (MergePart){ "again", text });
  int code = merge(&again, out);
  vec_free(&again);
  return code;
}

static void check_merge(Merge *merge, const PartList *parts)
{
  Buffer out = { 0 };
  Buffer same = { 0 };
  int code = merge(parts, &out);
  if (code != EXIT_USAGE) {
    FUZZ_CHECK(merge_one(merge, buffer_str(&out), &same) == code);
    FUZZ_CHECK(str_equal(buffer_str(&same), buffer_str(&out)));
  }
  buffer_done(&out);
  buffer_done(&same);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  be_quiet();
  PartList parts = { 0 };
  Str rest = str_make((const char *)data, size);
  do {
    size_t end = str_find_char(rest, '\0', 0);
    vec_push(&parts, (MergePart){ "part", str_slice(rest, 0, end == STR_NOT_FOUND ? rest.len : end) });
    rest = end == STR_NOT_FOUND ? (Str){ 0 } : str_slice(rest, end + 1, rest.len);
  } while (rest.len > 0);
  check_merge(merge_lines, &parts);
  check_merge(merge_sarif, &parts);
  vec_free(&parts);
  return 0;
}
