// symbolics-compile OUTPUT ROOT FILE...: the record files (relative to ROOT) become the binary OUTPUT.

#include <stdio.h>

#include "records.h"

static bool read_file(const char *path, Buffer *ret_text)
{
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  char block[65536];
  size_t n;
  while ((n = fread(block, 1, sizeof(block), file)) > 0)
    buffer_append(ret_text, str_make(block, n));
  bool ok = !ferror(file);
  fclose(file);
  return ok;
}

static bool write_file(const char *path, const Buffer *bytes)
{
  FILE *file = fopen(path, "wb");
  if (!file)
    return false;
  bool ok = fwrite(bytes->data, 1, bytes->len, file) == bytes->len;
  return fclose(file) == 0 && ok;
}

int main(int argc, char **argv)
{
  if (argc < 3) {
    fprintf(stderr, "usage: symbolics-compile OUTPUT ROOT FILE...\n");
    return 2;
  }
  int result = 2;
  Arena paths = { 0 };
  Buffer facts = { 0 };
  Records *records = records_new();
  for (int i = 3; i < argc; i++) {
    Buffer text = { 0 };
    Str path = arena_printf(&paths, "%s/%s", argv[2], argv[i]);
    if (!read_file(path.data, &text)) {
      perror(path.data);
      goto done;
    }
    records_read(records, str_from(argv[i]), buffer_str(&text));
    buffer_done(&text);
  }
  result = 1;
  if (records_pack(records, &facts) != OK) {
    Str messages = records_messages(records);
    fprintf(stderr, "%.*s", STR_ARG(messages));
  } else if (!write_file(argv[1], &facts)) {
    perror(argv[1]);
  } else {
    result = 0;
  }

done:
  buffer_done(&facts);
  records_free(records);
  arena_done(&paths);
  return result;
}
