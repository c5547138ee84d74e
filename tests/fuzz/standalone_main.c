// Runs a fuzz target on the files and folders given, where there is no libFuzzer. Folders are not searched deeper.

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buffer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file_count;

static bool run_file(const char *path)
{
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    return false;
  }
  Buffer content = { 0 };
  char block[4096];
  size_t got;
  while ((got = fread(block, 1, sizeof(block), file)) > 0)
    buffer_append(&content, str_make(block, got));
  bool is_read = !ferror(file);
  fclose(file);

  // An allocation of exactly this size, so that a read past its end is seen.
  uint8_t *bytes = malloc(content.len > 0 ? content.len : 1);
  if (bytes && content.len > 0)
    memcpy(bytes, content.data, content.len);
  if (is_read && bytes)
    LLVMFuzzerTestOneInput(bytes, content.len);
  file_count++;
  is_read = is_read && bytes;
  free(bytes);
  buffer_done(&content);
  return is_read;
}

static bool run_folder(const char *path)
{
  DIR *folder = opendir(path);
  if (!folder) {
    perror(path);
    return false;
  }
  bool all_read = true;
  for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
    Buffer name = { 0 };
    buffer_printf(&name, "%s/%s", path, entry->d_name);
    buffer_append_char(&name, '\0');
    struct stat info;
    if (stat(name.data, &info) == 0 && S_ISREG(info.st_mode))
      all_read = run_file(name.data) && all_read;
    buffer_done(&name);
  }
  closedir(folder);
  return all_read;
}

int main(int argc, char **argv)
{
  bool all_read = true;
  for (int i = 1; i < argc; i++) {
    struct stat info;
    bool is_folder = stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode);
    all_read = (is_folder ? run_folder(argv[i]) : run_file(argv[i])) && all_read;
  }
  printf("%d inputs\n", file_count);
  // A folder that lost its seeds must not look like a success.
  return all_read && file_count > 0 ? 0 : 1;
}
