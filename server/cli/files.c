#include "cli/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

typedef Vec(char *) PathStack;

static const char *const dump_endings[] = {
  ".torchir", ".tsir", ".graph.txt", ".log", ".fx", ".onnxtxt", ".onnxtext", ".onnxir",
};

static bool has_dump_name(Str name)
{
  for (size_t i = 0; i < sizeof(dump_endings) / sizeof(*dump_endings); i++) {
    if (str_ends_with(name, str_from(dump_endings[i])))
      return true;
  }
  return false;
}

static void complain(FileList *list, const char *path, const char *what)
{
  fprintf(stderr, "onnxls: %s: %s\n", path, what);
  list->problems++;
}

static void add_file(FileList *list, char *path, bool is_named, const struct stat *info)
{
  size_t size = S_ISREG(info->st_mode) ? (size_t)info->st_size : SIZE_MAX;
  vec_push(&list->files, (FoundFile){ .path = path, .is_named = is_named, .size = size });
}

/// By bytes, last first: the stack gives them back in order.
static int compare_backwards(const void *a, const void *b)
{
  return strcmp(*(char *const *)b, *(char *const *)a);
}

/// Pushes what is in the folder and may be looked at.
static void push_entries(FileList *list, PathStack *stack, const char *folder)
{
  DIR *dir = opendir(folder);
  if (!dir) {
    complain(list, folder, strerror(errno));
    return;
  }
  size_t first = stack->count;
  Str base = str_from(folder);
  while (base.len > 1 && base.data[base.len - 1] == '/')
    base.len--;
  const char *slash = str_ends_with(base, STR("/")) ? "" : "/";
  struct dirent *entry;
  while ((entry = readdir(dir))) {
    if (entry->d_name[0] == '.' || strcmp(entry->d_name, "node_modules") == 0)
      continue;
    size_t size = base.len + strlen(entry->d_name) + 2;
    char *path = xmalloc(size);
    snprintf(path, size, "%.*s%s%s", STR_ARG(base), slash, entry->d_name);
    vec_push(stack, path);
  }
  closedir(dir);
  if (stack->count > first)
    qsort(stack->items + first, stack->count - first, sizeof(*stack->items), compare_backwards);
}

/// One path from a folder: a folder opens, a file with a dump's name is taken.
static void visit(FileList *list, PathStack *stack, char *path)
{
  struct stat info;
  if (lstat(path, &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      push_entries(list, stack, path);
    } else if (has_dump_name(str_from(path)) && stat(path, &info) == 0 && S_ISREG(info.st_mode)) {
      add_file(list, path, false, &info);
      return;
    }
  }
  free(path);
}

static void walk(FileList *list, const char *folder)
{
  PathStack stack = { 0 };
  push_entries(list, &stack, folder);
  while (stack.count > 0)
    visit(list, &stack, stack.items[--stack.count]);
  vec_free(&stack);
}

void files_find(FileList *list, const char *operand)
{
  struct stat info;
  if (strcmp(operand, "-") == 0) {
    vec_push(&list->files,
             (FoundFile){ .path = xstrdup_str(STR("-")), .is_stdin = true, .is_named = true, .size = SIZE_MAX });
  } else if (stat(operand, &info) != 0) {
    complain(list, operand, strerror(errno));
  } else if (S_ISDIR(info.st_mode)) {
    size_t before = list->files.count;
    walk(list, operand);
    if (list->files.count == before)
      fprintf(stderr, "onnxls: %s: no file in there has the name of a dump; name the files to check them\n", operand);
  } else {
    add_file(list, xstrdup_str(str_from(operand)), true, &info);
  }
}

void files_done(FileList *list)
{
  for (size_t i = 0; i < list->files.count; i++)
    free(list->files.items[i].path);
  vec_free(&list->files);
}

MUST_USE static Status read_all(int descriptor, size_t limit, size_t expected, char **ret_text, size_t *ret_len)
{
  Status status = OK;
  size_t len = 0;
  size_t capacity = expected + 1;  // One more, so that the end is seen without growing.
  char *text = xmalloc(capacity);
  for (;;) {
    ssize_t got = read(descriptor, text + len, capacity - len);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      status = ERR_IO;
    if (got <= 0)
      break;
    len += (size_t)got;
    if (len > limit) {
      status = ERR_LIMIT;
      break;
    }
    if (len == capacity) {
      capacity += capacity / 2 + 64 * 1024;
      text = xrealloc(text, capacity);
    }
  }
  if (status != OK) {
    free(text);
    return status;
  }
  *ret_text = text;
  *ret_len = len;
  return OK;
}

Status file_read(const FoundFile *file, size_t limit, char **ret_text, size_t *ret_len)
{
  if (file->size != SIZE_MAX && file->size > limit)
    return ERR_LIMIT;
  int descriptor = file->is_stdin ? STDIN_FILENO : open(file->path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return ERR_IO;
  size_t expected = file->size == SIZE_MAX ? 0 : file->size;
  Status status = read_all(descriptor, limit, expected, ret_text, ret_len);
  if (!file->is_stdin) {
    int read_errno = errno;
    close(descriptor);
    errno = read_errno;
  }
  return status;
}
