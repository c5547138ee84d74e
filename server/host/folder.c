#include "host/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <unistd.h>

#ifdef __linux__

#include <sys/syscall.h>

/// As the system writes it.
typedef struct SystemEntry {
  uint64_t inode;
  int64_t offset;  ///< Where the next one is.
  uint16_t size;   ///< Of this entry, to the next one.
  uint8_t type;
  char name[];
} SystemEntry;

static void visit_one(int folder, const SystemEntry *entry, FolderVisitor *visit, void *context)
{
  if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
    visit(context, &(FolderEntry){ str_from(entry->name), entry->type == DT_REG, entry->type == DT_DIR, folder });
}

/// Visits the entries of one answer; true if no other one can come: ext4 and btrfs end a folder at the highest offset.
static bool visit_answer(int folder, const char *answer, long len, FolderVisitor *visit, void *context)
{
  int64_t next = 0;
  for (long at = 0; at < len; at += ((const SystemEntry *)(answer + at))->size) {
    const SystemEntry *entry = (const SystemEntry *)(answer + at);
    visit_one(folder, entry, visit, context);
    next = entry->offset;
  }
  return next == INT64_MAX;
}

int folder_open(const char *path)
{
  return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

bool folder_each_below(int folder, const char *path, FolderVisitor *visit, void *context)
{
  enum { ROOM = 32 * 1024 };
  alignas(SystemEntry) char room[ROOM];
  int descriptor = openat(folder < 0 ? AT_FDCWD : folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return false;
  long got;
  bool is_end = false;
  while (!is_end && (got = syscall(SYS_getdents64, descriptor, room, sizeof(room))) > 0)
    is_end = visit_answer(descriptor, room, got, visit, context);
  int error = errno;
  close(descriptor);
  errno = error;
  return is_end || got == 0;
}

#else

#ifdef _DIRENT_HAVE_D_TYPE
static FolderEntry entry_of(const struct dirent *entry)
{
  return (FolderEntry){ str_from(entry->d_name), entry->d_type == DT_REG, entry->d_type == DT_DIR, -1 };
}
#else
static FolderEntry entry_of(const struct dirent *entry)
{
  return (FolderEntry){ .name = str_from(entry->d_name), .folder = -1 };
}
#endif

int folder_open(const char *path)
{
  (void)path;
  return -1;
}

bool folder_each_below(int folder, const char *path, FolderVisitor *visit, void *context)
{
  (void)folder;
  DIR *dir = opendir(path);
  if (!dir)
    return false;
  struct dirent *entry;
  while (errno = 0, (entry = readdir(dir))) {
    FolderEntry found = entry_of(entry);
    if (!str_equal(found.name, STR(".")) && !str_equal(found.name, STR("..")))
      visit(context, &found);
  }
  int error = errno;
  closedir(dir);
  errno = error;
  return error == 0;
}

#endif

bool folder_each(const char *path, FolderVisitor *visit, void *context)
{
  return folder_each_below(-1, path, visit, context);
}
