#include "host/replace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/memory.h"
#include "host/read_file.h"

typedef struct Replacement {
  const char *path;  ///< No link any more.
  const Str *expected;
  Str text;
  bool is_new;
  struct stat before;  ///< Unless it is new.
  Str draft;           ///< Beside the file.
  int file;            ///< The draft's.
  bool is_half;        ///< The file itself was written into, and may hold part of the text.
} Replacement;

/// Closes, and leaves errno alone.
static void close_quietly(int file)
{
  int error = errno;
  close(file);
  errno = error;
}

/// From where the file is to its end: exactly this?
static bool holds(int file, Str text)
{
  char piece[64 * 1024];
  size_t at = 0;
  for (;;) {
    ssize_t got = read(file, piece, sizeof(piece));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return got == 0 && at == text.len;
    if ((size_t)got > text.len - at || memcmp(piece, text.data + at, (size_t)got) != 0)
      return false;
    at += (size_t)got;
  }
}

/// Is this still what was read? What took its place is not followed.
static bool is_as_read(const Replacement *replacement, const char *path)
{
  if (!replacement->expected)
    return true;
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  bool is_same = file >= 0 && holds(file, *replacement->expected);
  if (file >= 0)
    close(file);
  return is_same;
}

// --- The draft ---

/// Under a name that nobody can foresee, so that nothing lies in wait there.
static int open_draft(Replacement *replacement, Arena *arena)
{
  enum { TRIES = 16 };
  mode_t mode = replacement->is_new ? 0666 : 0600;  // The old file's mode follows when the owner is right.
  for (int i = 0; i < TRIES; i++) {
    uint64_t number;
    if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
      return -1;
    replacement->draft = arena_printf(arena, "%s.onnxls-%016llx", replacement->path, (unsigned long long)number);
    int file = open(replacement->draft.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
    if (file >= 0 || errno != EEXIST)
      return file;
  }
  return -1;
}

/// Makes the draft look like the old file; false if it can't.
static bool take_owner_and_mode(const Replacement *replacement)
{
  const struct stat *before = &replacement->before;
  struct stat made;
  if (replacement->is_new)
    return true;
  if (fstat(replacement->file, &made) != 0)
    return false;
  bool is_other = made.st_uid != before->st_uid || made.st_gid != before->st_gid;
  // A change of owner takes set-user-ID away, so it comes first.
  return (!is_other || fchown(replacement->file, before->st_uid, before->st_gid) == 0) &&
         fchmod(replacement->file, before->st_mode & 07777) == 0;
}

/// Attributes and access lists that only this file has. SELinux gives every file one, which the folder decides.
static bool has_attributes(const char *path)
{
  char names[4096];
  ssize_t len = listxattr(path, names, sizeof(names));
  for (ssize_t at = 0; at < len; at += (ssize_t)strlen(names + at) + 1) {
    if (strcmp(names + at, "security.selinux") != 0)
      return true;
  }
  return len < 0 && errno == ERANGE;
}

static bool is_the_draft(const Replacement *replacement)
{
  struct stat at_name, mine;
  return lstat(replacement->draft.data, &at_name) == 0 && fstat(replacement->file, &mine) == 0 &&
         at_name.st_ino == mine.st_ino && at_name.st_dev == mine.st_dev;
}

// --- Its way into the file's place ---

/// The draft and the file change places, so that what was replaced can be looked at afterwards.
static Status exchange(const Replacement *replacement)
{
  const char *draft = replacement->draft.data;
  if (!is_as_read(replacement, replacement->path))
    return ERR_CHANGED;
  if (renameat2(AT_FDCWD, draft, AT_FDCWD, replacement->path, RENAME_EXCHANGE) != 0) {
    // Not every file system can do that.
    bool is_unknown = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
    return is_unknown && rename(draft, replacement->path) == 0 ? OK : ERR_IO;
  }
  if (is_as_read(replacement, draft))
    return OK;
  // Somebody was faster by a moment: theirs stays.
  return renameat2(AT_FDCWD, draft, AT_FDCWD, replacement->path, RENAME_EXCHANGE) == 0 ? ERR_CHANGED : ERR_IO;
}

/// So that the name outlives a crash, too. Some systems can't; the text is safe all the same.
static void sync_folder(const char *path, Arena *arena)
{
  size_t slash = str_rfind_char(str_from(path), '/');
  const char *folder = slash == STR_NOT_FOUND ? "." : arena_printf(arena, "%.*s", (int)slash + 1, path).data;
  int opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0)
    return;
  (void)fsync(opened);
  close(opened);
}

/// Over what the file holds.
static Status write_into(Replacement *replacement)
{
  int file = open(replacement->path, (replacement->expected ? O_RDWR : O_WRONLY) | O_CLOEXEC | O_NOCTTY);
  if (file < 0)
    return ERR_IO;
  Status status = replacement->expected && !holds(file, *replacement->expected) ? ERR_CHANGED : OK;
  bool is_regular = S_ISREG(replacement->before.st_mode);
  replacement->is_half = status == OK;
  if (status == OK && ((is_regular && lseek(file, 0, SEEK_SET) != 0) || !write_whole_file(file, replacement->text) ||
                       (is_regular && (ftruncate(file, (off_t)replacement->text.len) != 0 || fsync(file) != 0))))
    status = ERR_IO;
  replacement->is_half &= status != OK;
  close_quietly(file);
  return status;
}

static Status put_in_place(Replacement *replacement, Arena *arena)
{
  bool can_move = take_owner_and_mode(replacement);
  if (!write_whole_file(replacement->file, replacement->text) || fsync(replacement->file) != 0) {
    unlink(replacement->draft.data);
    return ERR_IO;
  }
  bool is_shared = !replacement->is_new && (replacement->before.st_nlink > 1 || has_attributes(replacement->path));
  Status status;
  if (!can_move || is_shared)
    status = write_into(replacement);
  else if (replacement->is_new || !replacement->expected)
    status = rename(replacement->draft.data, replacement->path) == 0 ? OK : ERR_IO;
  else
    status = exchange(replacement);
  // After a failure in the middle of the file, the draft is all that is whole; and what somebody else put there stays.
  int error = errno;
  bool holds_other = status != OK && !is_the_draft(replacement);
  if (!replacement->is_half && !holds_other)
    unlink(replacement->draft.data);
  sync_folder(replacement->path, arena);
  errno = error;
  return status;
}

static Status replace(Replacement *replacement, Arena *arena)
{
  bool is_there = stat(replacement->path, &replacement->before) == 0;
  if (!is_there && (errno != ENOENT || replacement->expected))
    return errno == ENOENT ? ERR_CHANGED : ERR_IO;
  if (is_there && !S_ISREG(replacement->before.st_mode))
    return write_into(replacement);
  replacement->is_new = !is_there;
  replacement->file = open_draft(replacement, arena);
  if (replacement->file < 0)
    return ERR_IO;
  Status status = put_in_place(replacement, arena);
  close_quietly(replacement->file);
  return status;
}

Status replace_file(const char *path, const Str *expected, Str text)
{
  Arena arena = { 0 };
  char *real = memory_taken(realpath(path, NULL));
  Replacement replacement = { .path = real ? real : path, .expected = expected, .text = text };
  Status status = replace(&replacement, &arena);
  int error = errno;
  free(real);
  arena_done(&arena);
  errno = error;
  return status;
}
