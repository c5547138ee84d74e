#include "host/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/sort.h"
#include "core/language.h"
#include "host/folder.h"
#include "host/requirements.h"
#include "host/say.h"
#include "onnx_model/model.h"

/// What a folder's list says of an entry, which saves asking the system about each.
typedef struct Entry {
  char *path;
  EarlyFile *early;  ///< NULL if it was not read.
  bool is_folder;    ///< Surely; else it may be anything.
  bool is_unpinned;  ///< Nothing is pinned in the folder that it is in.
} Entry;

typedef Vec(Entry) EntryStack;

/// What the system says of a path.
typedef struct Looked {
  bool is_regular;
  size_t size;  ///< SIZE_MAX for what has no size.
  FileStamp stamp;
} Looked;

#define ENVIRONMENT_MARK "pyvenv.cfg"  ///< Python has it in each of its virtual environments.

/// What is said to be a regular file is read as one: never waited for (a link into /proc), and not at all if it is
/// something else by now.
MUST_USE static Status open_file(const FoundFile *file, int *ret_descriptor)
{
  bool is_regular = file->size != SIZE_MAX;
  int descriptor = open(file->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (is_regular ? O_NONBLOCK : 0));
  struct stat info;
  if (descriptor < 0)
    return ERR_IO;
  if (is_regular && (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))) {
    close(descriptor);
    errno = EINVAL;
    return ERR_IO;
  }
  *ret_descriptor = descriptor;
  return OK;
}

/// One look at the text of a file whose name alone says little: most of them have nothing to do with exporting. One
/// that is too large to be checked is looked at, too, so that it is not passed over without a word.
static bool is_relevant(const Language *language, const FoundFile *file)
{
  enum { PIECE = 32 * 1024 * 1024, OVERLAP = 4096 };  // No line that makes a file relevant is cut in two.
  int descriptor;
  if (open_file(file, &descriptor) != OK)
    return true;  // Nobody can tell, so it is said when it can't be read; below, too.
  size_t capacity = OVERLAP + (file->size < PIECE ? file->size + 1 : PIECE);
  char *text = xmalloc(capacity);
  size_t len = 0;
  bool is_relevant = false;
  for (ssize_t got = 1; !is_relevant && got > 0;) {
    while (len < capacity && ((got = read(descriptor, text + len, capacity - len)) > 0 || (got < 0 && errno == EINTR)))
      len += got > 0 ? (size_t)got : 0;
    is_relevant = got < 0 || language_wants(language, str_make(text, len));
    size_t kept = len < OVERLAP ? len : OVERLAP;
    memmove(text, text + len - kept, kept);
    len = kept;
  }
  free(text);
  close(descriptor);
  return is_relevant;
}

/// Whether the beginning of a file whose name says nothing is of a language, or an exception of an export.
static bool has_language(const FoundFile *file, unsigned sets)
{
  int descriptor;
  if (open_file(file, &descriptor) != OK)
    return true;
  char *text = xmalloc(SNIFF_BYTE_LIMIT);
  size_t len = 0;
  ssize_t got;
  while ((got = read(descriptor, text + len, SNIFF_BYTE_LIMIT - len)) > 0 || (got < 0 && errno == EINTR))
    len += got > 0 ? (size_t)got : 0;
  close(descriptor);
  Document *document = NULL;
  const Language *language = NULL;
  if (document_new_taking(text, len, &document) == OK)
    language = language_of(document, (Str){ 0 }, (Str){ 0 });
  document_release(document);
  return got < 0 || (language && ((language->sets & sets) || language->is_last));
}

/// Whether names of it may be imported by a file that is wanted.
static bool may_be_imported(const FileList *list, const char *path, const Looked *looked)
{
  const Language *language = language_searching(str_from(path), list->languages);
  return list->keeps_silent && looked->is_regular && looked->size <= CONSTANT_FILE_LIMIT && language &&
         language->each_import;
}

/// What the file's text says, unless that is known of it already, `known` being what an earlier look found out.
static bool is_wanted_inside(const FileList *list, const Language *language, const FoundFile *file)
{
  KnownFile *known = file->known;
  int at = 0;
  while (known && at < 2 && known->asked[at] != 0 && known->asked[at] != list->languages)
    at++;
  if (known && at < 2 && known->asked[at] != 0)
    return known->is_wanted[at];
  bool is_wanted = language->is_relevant ? is_relevant(language, file) : has_language(file, list->languages);
  if (known && at < 2) {
    known->asked[at] = list->languages;
    known->is_wanted[at] = is_wanted;
    known_files_note(list->known);
  }
  return is_wanted;
}

static bool is_wanted(const FileList *list, const FoundFile *file, const Looked *looked)
{
  if (!looked->is_regular)
    return false;
  Str path = str_from(file->path);
  const Language *language = language_searching(path, list->languages);
  if (!language)
    return list->takes_models && model_is_named(path);
  return (!language->is_relevant && language_is_named(language, path)) || is_wanted_inside(list, language, file);
}

/// Other people's code, and what Python made of it.
static bool is_named_as_foreign(const char *path)
{
  return str_ends_with(str_from(path), STR("/__pycache__")) || str_ends_with(str_from(path), STR("/node_modules"));
}

static bool is_foreign_folder(const char *path)
{
  static const char mark[] = "/" ENVIRONMENT_MARK;
  if (is_named_as_foreign(path))
    return true;
  char *config = xmalloc(strlen(path) + sizeof(mark));
  strcpy(config, path);
  strcat(config, mark);
  bool is_environment = access(config, F_OK) == 0;
  free(config);
  return is_environment;
}

static bool is_link_to_folder(const char *path)
{
  struct stat info;
  return lstat(path, &info) == 0 && S_ISLNK(info.st_mode) && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static Looked looked_at(const struct stat *info)
{
  bool is_regular = S_ISREG(info->st_mode);
  return (Looked){ is_regular, is_regular ? (size_t)info->st_size : SIZE_MAX, file_stamp_of(info) };
}

bool files_is_walked(const char *folder, const char *path, unsigned sets, bool silent)
{
  size_t len = strlen(folder);
  while (len > 0 && folder[len - 1] == '/')
    len--;
  if (strncmp(path, folder, len) != 0 || path[len] != '/')
    return false;
  bool is_walked = true;
  char *part = xstrdup_str(str_from(path));
  for (size_t at = len; is_walked && path[at] == '/';) {
    is_walked = path[at + 1] != '.';
    at += 1 + strcspn(path + at + 1, "/");
    part[at] = '\0';
    is_walked &= !is_foreign_folder(part) && !is_link_to_folder(part);
    part[at] = path[at];
  }
  free(part);
  const FileList list = { .languages = sets, .keeps_silent = silent };
  struct stat info;
  if (!is_walked || stat(path, &info) != 0)
    return is_walked;
  const Looked looked = looked_at(&info);
  const FoundFile file = { .path = (char *)path, .size = looked.size };
  return S_ISDIR(info.st_mode) || may_be_imported(&list, path, &looked) || is_wanted(&list, &file, &looked);
}

static void complain(FileList *list, const char *path, const char *what)
{
  if (!list->is_quiet)
    say("onnxls: %s: %s", path, what);
  list->problems++;
}

/// A link that leads nowhere under the name of a dump was meant to be one. Others are not looked for by their names.
static void complain_about_file(FileList *list, const char *path)
{
  int error = errno;
  bool leads_nowhere = error == ENOENT || error == ELOOP;
  const Language *language = language_searching(str_from(path), list->languages);
  if (language && (!leads_nowhere || ((language->sets & IN_GRAPHS) && language_is_named(language, str_from(path)))))
    complain(list, path, strerror(error));
}

/// By bytes, last first: the stack gives them back in order.
static int compare_backwards(const void *a, const void *b)
{
  return strcmp(((const Entry *)b)->path, ((const Entry *)a)->path);
}

/// False for what is surely a file, and not one of the wanted ones.
static bool may_be_wanted(const FileList *list, const FolderEntry *entry)
{
  return !entry->is_file || (list->takes_models && model_is_named(entry->name)) ||
         language_searching(entry->name, list->languages);
}

/// A folder that is being read.
typedef struct Opened {
  FileList *list;
  EntryStack *stack;
  Str path;  ///< With the slash after it.
  bool is_foreign;
  bool may_pin;
} Opened;

/// A model that may be read while its folder is open.
static EarlyFile *read_early(FileList *list, const FolderEntry *entry)
{
  if (!list->reads_early || !entry->is_file || entry->folder < 0 || list->early >= EARLY_TOTAL_LIMIT ||
      !model_is_named(entry->name))
    return NULL;
  EarlyFile *early = early_file_read(entry->folder, entry->name.data, list->known != NULL);
  list->early += early ? early->len : 0;
  return early;
}

static void push_entry(void *context, const FolderEntry *entry)
{
  Opened *opened = context;
  opened->may_pin = opened->may_pin || requirements_may_be_in(entry->name);
  if (entry->name.data[0] == '.')
    return;
  opened->is_foreign |= str_equal(entry->name, STR(ENVIRONMENT_MARK));
  if (!may_be_wanted(opened->list, entry)) {
    opened->list->seen++;
    return;
  }
  char *path = xmalloc(opened->path.len + entry->name.len + 1);
  memcpy(path, opened->path.data, opened->path.len);
  memcpy(path + opened->path.len, entry->name.data, entry->name.len + 1);
  vec_push(opened->stack,
           (Entry){ .path = path, .early = read_early(opened->list, entry), .is_folder = entry->is_folder });
}

static void free_entry(Entry entry)
{
  free(entry.path);
  free(entry.early);
}

static void pop_entries(EntryStack *stack, size_t left)
{
  while (stack->count > left)
    free_entry(stack->items[--stack->count]);
}

/// The path with one slash after it.
static Str with_slash(const char *folder, Arena *arena)
{
  Str base = str_from(folder);
  while (base.len > 0 && base.data[base.len - 1] == '/')
    base.len--;
  const Str parts[] = { base, STR("/") };
  return arena_join(arena, parts, COUNT(parts));
}

/// Pushes what is in the folder and may be looked at: nothing of other people's code, unless it was `is_named`.
static void push_entries(FileList *list, EntryStack *stack, const char *folder, bool is_named)
{
  Arena arena = { 0 };
  Opened opened = { .list = list, .stack = stack, .path = with_slash(folder, &arena) };
  size_t first = stack->count;
  size_t seen = list->seen;
  // One that went away since the folder around it was read is nobody's fault.
  const char *below = is_named || list->root < 0 ? folder : folder + list->root_len;
  bool is_read = folder_each_below(is_named ? -1 : list->root, below, push_entry, &opened);
  if (!is_read && (is_named || errno != ENOENT))
    complain(list, folder, strerror(errno));
  arena_done(&arena);
  if (opened.is_foreign && !is_named) {
    pop_entries(stack, first);
    list->seen = seen;
  }
  for (size_t i = first; i < stack->count; i++)
    stack->items[i].is_unpinned = !opened.may_pin;
  if (stack->count > first)
    sort_stable(stack->items + first, stack->count - first, sizeof(*stack->items), compare_backwards);
}

static void visit_folder(FileList *list, EntryStack *stack, const char *path)
{
  if (!is_named_as_foreign(path))
    push_entries(list, stack, path, false);
}

/// Takes over a file that is wanted, or may be; false for others.
static bool take_file(FileList *list, const Entry *entry, const Looked *looked)
{
  FoundFile file = {
    .path = entry->path,
    .early = entry->early,
    .is_unpinned = entry->is_unpinned,
    .size = looked->size,
    .known = looked->is_regular ? known_files_at(list->known, entry->path, &looked->stamp) : NULL,
  };
  if (is_wanted(list, &file, looked))
    vec_push(&list->files, file);
  else if (may_be_imported(list, entry->path, looked))
    vec_push(&list->silent, file);
  else
    return false;
  return true;
}

/// One path from a folder: a folder opens, a file that is wanted is taken.
static void visit(FileList *list, EntryStack *stack, Entry entry)
{
  const char *path = entry.path;
  struct stat info;
  bool is_taken = false;
  if (entry.is_folder) {
    visit_folder(list, stack, path);
  } else if (entry.early) {
    is_taken = take_file(list, &entry, &(Looked){ true, (size_t)entry.early->stamp.size, entry.early->stamp });
  } else if (lstat(path, &info) == 0) {
    if (S_ISDIR(info.st_mode)) {
      visit_folder(list, stack, path);
    } else if (S_ISLNK(info.st_mode) && stat(path, &info) != 0) {
      complain_about_file(list, path);
    } else {
      const Looked looked = looked_at(&info);
      is_taken = take_file(list, &entry, &looked);
    }
  } else if (errno != ENOENT) {
    complain(list, path, strerror(errno));
  }
  if (!is_taken)
    free_entry(entry);
}

static bool is_over(FileList *list)
{
  bool is_cancelled = list->cancelled && atomic_load(list->cancelled);
  return is_cancelled || (list->limit > 0 && list->seen++ >= list->limit);
}

static void walk(FileList *list, const char *folder)
{
  EntryStack stack = { 0 };
  Arena arena = { 0 };
  list->root = folder_open(folder);
  list->root_len = with_slash(folder, &arena).len;
  arena_done(&arena);
  push_entries(list, &stack, folder, true);
  while (stack.count > 0 && !is_over(list))
    visit(list, &stack, stack.items[--stack.count]);
  pop_entries(&stack, 0);
  vec_free(&stack);
  if (list->root >= 0)
    close(list->root);
}

void files_find(FileList *list, const char *operand)
{
  struct stat info;
  if (strcmp(operand, "-") == 0) {
    vec_push(&list->files,
             (FoundFile){ .path = xstrdup_str(STR("-")), .is_stdin = true, .is_named = true, .size = SIZE_MAX });
  } else if (stat(operand, &info) != 0 && list->keeps_missing) {
    vec_push(&list->files, (FoundFile){ .path = xstrdup_str(str_from(operand)), .is_named = true });
  } else if (stat(operand, &info) != 0) {
    complain(list, operand, strerror(errno));
  } else if (S_ISDIR(info.st_mode)) {
    size_t before = list->files.count;
    walk(list, operand);
    if (list->files.count == before && !list->is_quiet)
      say("onnxls: %s: no file in there has the name or the beginning of a dump%s; name the files to check them",
          operand, list->languages & IN_CODE ? ", and no Python file or notebook speaks of an export" : "");
  } else {
    vec_push(&list->files,
             (FoundFile){ .path = xstrdup_str(str_from(operand)), .is_named = true, .size = looked_at(&info).size });
  }
}

bool files_is_model(const char *path)
{
  return model_is_named(str_from(path));
}

void files_done(FileList *list)
{
  for (size_t i = 0; i < list->files.count; i++) {
    snapshot_release(list->files.items[i].before);
    free(list->files.items[i].path);
    free(list->files.items[i].early);
  }
  vec_free(&list->files);
  for (size_t i = 0; i < list->silent.count; i++) {
    free(list->silent.items[i].path);
    free(list->silent.items[i].early);
  }
  vec_free(&list->silent);
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

Status files_read(const FoundFile *file, size_t limit, char **ret_text, size_t *ret_len)
{
  int descriptor = STDIN_FILENO;
  if (file->size != SIZE_MAX && file->size > limit)
    return ERR_LIMIT;
  if (!file->is_stdin && open_file(file, &descriptor) != OK)
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
