#include "onnx_model/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"

static Status refuse(Source *source, const char *problem, int error_number)
{
  if (!source->problem) {
    source->problem = problem;
    source->error_number = error_number;
  }
  source->window_start = source->window_end = 0;
  return ERR_IO;
}

static void keep_times(const struct stat *info, int64_t *ret_modified)
{
  ret_modified[0] = info->st_mtim.tv_sec;
  ret_modified[1] = info->st_mtim.tv_nsec;
}

Status source_open_file(Source *source, const char *path)
{
  struct stat info;
  *source = (Source){ .fd = -1 };
  // Not blocking: opening a pipe that nobody writes to would wait for ever.
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return refuse(source, strerror(errno), errno);
  source->fd = fd;
  if (fstat(fd, &info) != 0)
    return refuse(source, strerror(errno), errno);
  if (S_ISDIR(info.st_mode))
    return refuse(source, "a folder; name a file in it", EISDIR);
  if (!S_ISREG(info.st_mode))
    return refuse(source, "no regular file; a model is read at many places, so save it first", ESPIPE);
  source->size = (uint64_t)info.st_size;
  source->read_size = MODEL_JUMP_READ;
  source->block = xmalloc(source->size < MODEL_WINDOW ? (size_t)source->size : MODEL_WINDOW);
  source->window = source->block;
  keep_times(&info, source->modified);
  return OK;
}

void source_open_bytes(Source *source, Str bytes)
{
  *source = (Source){ .fd = -1, .size = bytes.len, .window = bytes.data, .window_end = bytes.len };
}

void source_close(Source *source)
{
  if (source->fd >= 0)
    close(source->fd);
  free(source->block);
  *source = (Source){ .fd = -1 };
}

/// How much to read at `offset`: little after a jump, more and more where one read follows another.
static size_t choose_read(Source *source, uint64_t offset, size_t want)
{
  bool follows = offset >= source->window_start && offset <= source->window_end + MODEL_JUMP_READ;
  source->read_size = follows ? source->read_size * 2 : MODEL_JUMP_READ;
  if (source->read_size > MODEL_WINDOW)
    source->read_size = MODEL_WINDOW;
  size_t size = source->read_size > want ? source->read_size : want;
  uint64_t rest = source->size - offset;
  return size < rest ? size : (size_t)rest;
}

static void fill_window(Source *source, uint64_t offset, size_t want)
{
  size_t size = choose_read(source, offset, want);
  size_t filled = 0;
  while (filled < size) {
    ssize_t got = pread(source->fd, source->block + filled, size - filled, (off_t)(offset + filled));
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0) {
      (void)refuse(source, got < 0 ? strerror(errno) : "the file was cut while it was read", got < 0 ? errno : 0);
      return;
    }
    filled += (size_t)got;
  }
  source->window_start = offset;
  source->window_end = offset + filled;
}

const char *source_at(Source *source, uint64_t offset, size_t want, size_t *ret_len)
{
  *ret_len = 0;
  if (source->problem || offset >= source->size)
    return "";
  if (want > source->size - offset)
    want = (size_t)(source->size - offset);
  bool is_inside = offset >= source->window_start && offset <= source->window_end;
  if (!is_inside || source->window_end - offset < want)
    fill_window(source, offset, want);
  if (source->problem)
    return "";
  *ret_len = (size_t)(source->window_end - offset);
  return source->window + (offset - source->window_start);
}

void source_check_unchanged(Source *source)
{
  struct stat info;
  int64_t modified[2];
  bool was_one_read = source->window_start == 0 && source->window_end == source->size;
  if (source->fd < 0 || source->problem || was_one_read)
    return;
  if (fstat(source->fd, &info) != 0) {
    (void)refuse(source, strerror(errno), errno);
    return;
  }
  keep_times(&info, modified);
  if ((uint64_t)info.st_size != source->size || memcmp(modified, source->modified, sizeof(modified)) != 0)
    (void)refuse(source, "the file was changed while it was read", 0);
}
