// Runs the fuzz target by whose name it is called on the files and folders given, where there is no libFuzzer. Folders
// are not searched deeper.

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/buffer.h"

typedef int FuzzTarget(const uint8_t *data, size_t size);

#define TARGET(name) FuzzTarget input_of_##name;
#include "targets.def"
#undef TARGET

#define TARGET(name) { #name, input_of_##name },

static const struct {
  const char *name;
  FuzzTarget *run;
} targets[] = {
#include "targets.def"
};

static int file_count;

static bool run_file(FuzzTarget *run, const char *path)
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
    run(bytes, content.len);
  file_count++;
  is_read = is_read && bytes;
  free(bytes);
  buffer_done(&content);
  return is_read;
}

static bool run_folder(FuzzTarget *run, const char *path)
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
      all_read = run_file(run, name.data) && all_read;
    buffer_done(&name);
  }
  closedir(folder);
  return all_read;
}

static FuzzTarget *target_called(const char *program)
{
  const char *slash = strrchr(program, '/');
  const char *name = slash ? slash + 1 : program;
  for (size_t i = 0; i < COUNT(targets); i++) {
    if (strcmp(name, targets[i].name) == 0)
      return targets[i].run;
  }
  return NULL;
}

int main(int argc, char **argv)
{
  FuzzTarget *run = target_called(argv[0]);
  if (!run) {
    fprintf(stderr, "there is no fuzz target '%s'\n", argv[0]);
    return 2;
  }
  bool all_read = true;
  for (int i = 1; i < argc; i++) {
    struct stat info;
    bool is_folder = stat(argv[i], &info) == 0 && S_ISDIR(info.st_mode);
    all_read = (is_folder ? run_folder(run, argv[i]) : run_file(run, argv[i])) && all_read;
  }
  printf("%d inputs\n", file_count);
  // A folder that lost its seeds must not look like a success.
  return all_read && file_count > 0 ? 0 : 1;
}
