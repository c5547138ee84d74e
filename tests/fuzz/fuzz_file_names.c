// Any bytes as a list of names: none is empty or holds what ends one, and each is in one of the shards.
#include "cli/file_names.h"
#include "fuzz_check.h"

static void take(Str name, void *context)
{
  FileList *list = context;
  FUZZ_CHECK(name.len > 0 && str_find_char(name, '\0', 0) == STR_NOT_FOUND);
  vec_push(&list->files, (FoundFile){ .path = xstrdup_str(name) });
}

static size_t count_in_shard(Str text, uint32_t shard, uint32_t count)
{
  FileList list = { 0 };
  file_names_each(text, take, &list);
  file_names_keep_shard(&list, shard, count);
  size_t kept = list.files.count;
  files_done(&list);
  return kept;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Str text = str_make((const char *)data, size);
  uint32_t count = size > 0 ? 1 + data[0] % 5 : 1;
  size_t kept = 0;
  for (uint32_t shard = 1; shard <= count; shard++)
    kept += count_in_shard(text, shard, count);
  FUZZ_CHECK(kept == count_in_shard(text, 1, 1));
  return 0;
}
