#include "host/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { READ_LEAST = 4096 };

/// More at a time as the text grows.
static ssize_t read_more(int file, Buffer *text)
{
  char *room = buffer_room(text, READ_LEAST);
  ssize_t count = read(file, room, text->capacity - text->len);
  text->len += count > 0 ? (size_t)count : 0;
  return count;
}

Status read_whole_file(const char *path, size_t limit, Buffer *text)
{
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0)
    return errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_IO;
  ssize_t count = 1;
  while (text->len <= limit && count > 0)
    count = read_more(file, text);
  int error = errno;
  close(file);
  errno = error;
  return count < 0 ? ERR_IO : text->len > limit ? ERR_LIMIT : OK;
}

bool write_whole_file(int file, Str text)
{
  for (size_t done = 0; done < text.len;) {
    ssize_t written = write(file, text.data + done, text.len - done);
    if (written < 0 && errno != EINTR)
      return false;
    done += written > 0 ? (size_t)written : 0;
  }
  return true;
}
