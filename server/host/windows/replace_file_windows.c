// host/replace_file.h for Windows: ReplaceFile() keeps the access list, the attributes and the other streams of what it
// replaces, and what was there can be looked at afterwards.
#include <windows.h>

#include "base/memory.h"
#include "host/read_file.h"
#include "host/replace_file.h"
#include "wide.h"

typedef struct Replacement {
  const char *path;
  const Str *expected;
  wchar_t *name;
  wchar_t *draft;   ///< The new text, beside the file.
  wchar_t *backup;  ///< What was replaced.
} Replacement;

/// Is this still what was read?
static bool is_as_read(const Replacement *replacement, const char *path)
{
  Buffer text = { 0 };
  if (!replacement->expected)
    return true;
  bool is_same = read_whole_file(path, replacement->expected->len, &text) == OK &&
                 str_equal(buffer_str(&text), *replacement->expected);
  buffer_done(&text);
  return is_same;
}

/// A name beside the file that nobody can foresee.
static wchar_t *name_beside(const char *path, const char *kind)
{
  Arena arena = { 0 };
  unsigned number[2] = { 0 };
  rand_s(&number[0]);
  rand_s(&number[1]);
  wchar_t *wide = wide_from_path(arena_printf(&arena, "%s.onnxls-%s%08x%08x", path, kind, number[0], number[1]).data);
  arena_done(&arena);
  return wide;
}

MUST_USE static Status write_draft(const Replacement *replacement, Str text)
{
  HANDLE file = CreateFileW(replacement->draft, GENERIC_WRITE, 0, NULL, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, NULL);
  if (file == INVALID_HANDLE_VALUE)
    return ERR_IO;
  bool is_good = true;
  for (size_t done = 0; is_good && done < text.len;) {
    DWORD written = 0;
    DWORD piece = text.len - done > INT32_MAX ? INT32_MAX : (DWORD)(text.len - done);
    is_good = WriteFile(file, text.data + done, piece, &written, NULL);
    done += written;
  }
  is_good = is_good && FlushFileBuffers(file);
  is_good = CloseHandle(file) && is_good;
  return is_good ? OK : ERR_IO;
}

/// The draft takes the place of the file; if somebody was faster by a moment, theirs goes back.
MUST_USE static Status put_in_place(const Replacement *replacement)
{
  if (!is_as_read(replacement, replacement->path))
    return ERR_CHANGED;
  if (!ReplaceFileW(replacement->name, replacement->draft, replacement->backup, 0, NULL, NULL))
    return ERR_IO;
  char *backup = wide_to_path(replacement->backup);
  bool is_same = is_as_read(replacement, backup);
  free(backup);
  if (is_same)
    return OK;
  return ReplaceFileW(replacement->name, replacement->backup, NULL, 0, NULL, NULL) ? ERR_CHANGED : ERR_IO;
}

static Status replace(const Replacement *replacement, Str text)
{
  DWORD attributes = GetFileAttributesW(replacement->name);
  bool is_new = attributes == INVALID_FILE_ATTRIBUTES;
  if (is_new && replacement->expected)
    return ERR_CHANGED;
  if (!is_new && (attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_READONLY))) {
    SetLastError(ERROR_ACCESS_DENIED);
    return ERR_IO;
  }
  if (write_draft(replacement, text) != OK)
    return ERR_IO;
  if (is_new)
    return MoveFileExW(replacement->draft, replacement->name, MOVEFILE_WRITE_THROUGH) ? OK : ERR_IO;
  return put_in_place(replacement);
}

Status replace_file(const char *path, const Str *expected, Str text)
{
  char *real = realpath(path, NULL);
  Replacement replacement = { .path = real ? real : path, .expected = expected };
  replacement.name = wide_from_path(replacement.path);
  replacement.draft = name_beside(replacement.path, "");
  replacement.backup = name_beside(replacement.path, "old-");
  Status status = replace(&replacement, text);
  if (status == ERR_IO)
    wide_fail();
  int error = errno;
  DeleteFileW(replacement.draft);
  if (status != ERR_IO)  // After a failure in the middle it may be all that is left of the file.
    DeleteFileW(replacement.backup);
  free(replacement.name);
  free(replacement.draft);
  free(replacement.backup);
  free(real);
  errno = error;
  return status;
}
