#include "host/say.h"

#include <stdarg.h>

#include "text/printable.h"

static void put(FILE *stream, const Buffer *text)
{
  if (text->len > 0)
    fwrite(text->data, 1, text->len, stream);
}

static Buffer formatted(const char *format, va_list args)
{
  Buffer text = { 0 };
  buffer_vprintf(&text, format, args);
  return text;
}

/// Takes the text.
static void append_line(Buffer *lines, Buffer text)
{
  printable_append_line(lines, buffer_str(&text));
  buffer_append_char(lines, '\n');
  buffer_done(&text);
}

void say_append(Buffer *lines, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  append_line(lines, formatted(format, args));
  va_end(args);
}

void say(const char *format, ...)
{
  Buffer line = { 0 };
  va_list args;
  va_start(args, format);
  append_line(&line, formatted(format, args));
  va_end(args);
  put(stderr, &line);
  buffer_done(&line);
}

void say_lines(FILE *stream, Str text)
{
  Buffer lines = { 0 };
  printable_append_lines(&lines, text);
  put(stream, &lines);
  buffer_done(&lines);
}

void say_out(const char *format, ...)
{
  va_list args;
  va_start(args, format);
  Buffer text = formatted(format, args);
  va_end(args);
  say_lines(stdout, buffer_str(&text));
  buffer_done(&text);
}
