#include "host/log.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "host/say.h"

static int file = -1;

Status log_open(const char *path)
{
  int opened = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (opened < 0)
    return ERR_IO;
  file = opened;
  return OK;
}

void log_close(void)
{
  if (file >= 0)
    close(file);
  file = -1;
}

int log_descriptor(void)
{
  return file;
}

static void put(int descriptor, const char *line, size_t len)
{
  // A log that can't be written is no reason to stop.
  ssize_t ignored = write(descriptor, line, len);
  (void)ignored;
}

void log_line(LogLevel level, const char *format, ...)
{
  static const char *const names[] = { "debug", "info", "warning", "error" };
  bool to_stderr = level == LOG_ERROR || (level == LOG_WARNING && file < 0);
  if (file < 0 && !to_stderr)
    return;

  char line[1024];
  struct timespec now;
  struct tm parts;
  clock_gettime(CLOCK_REALTIME, &now);
  localtime_r(&now.tv_sec, &parts);
  size_t len = strftime(line, sizeof(line), "%H:%M:%S", &parts);
  len += (size_t)snprintf(line + len, sizeof(line) - len, ".%03ld %s ", now.tv_nsec / 1000000, names[level]);
  size_t message = len;

  va_list args;
  va_start(args, format);
  int wanted = vsnprintf(line + len, sizeof(line) - len - 1, format, args);
  va_end(args);
  size_t room = sizeof(line) - len - 2;
  len += wanted < 0 ? 0 : (size_t)wanted < room ? (size_t)wanted : room;
  line[len++] = '\n';
  // One write() for a line, so that lines of several threads do not mix.
  if (file >= 0)
    put(file, line, len);
  if (to_stderr)
    say("onnxls: %.*s", (int)(len - 1 - message), line + message);
}
