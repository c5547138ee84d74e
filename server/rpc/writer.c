#include "rpc/writer.h"

#include "text/utf.h"

static void separate(Writer *writer)
{
  if (writer->needs_comma)
    buffer_append_char(writer->out, ',');
  writer->needs_comma = true;
}

void writer_open(Writer *writer, char bracket)
{
  separate(writer);
  buffer_append_char(writer->out, bracket);
  writer->needs_comma = false;
}

void writer_close(Writer *writer, char bracket)
{
  buffer_append_char(writer->out, bracket);
  writer->needs_comma = true;
}

void writer_key(Writer *writer, const char *key)
{
  separate(writer);
  buffer_append_char(writer->out, '"');
  buffer_append(writer->out, str_from(key));
  buffer_append(writer->out, STR("\":"));
  writer->needs_comma = false;
}

static void append_escape(Buffer *out, unsigned char c)
{
  static const char hex[] = "0123456789abcdef";
  switch (c) {
  case '"':
    buffer_append(out, STR("\\\""));
    return;
  case '\\':
    buffer_append(out, STR("\\\\"));
    return;
  case '\n':
    buffer_append(out, STR("\\n"));
    return;
  case '\r':
    buffer_append(out, STR("\\r"));
    return;
  case '\t':
    buffer_append(out, STR("\\t"));
    return;
  default:
    buffer_append(out, STR("\\u00"));
    buffer_append_char(out, hex[c >> 4]);
    buffer_append_char(out, hex[c & 15]);
    return;
  }
}

void writer_str(Writer *writer, Str text)
{
  separate(writer);
  Buffer *out = writer->out;
  buffer_append_char(out, '"');
  size_t run = 0;
  for (size_t i = 0; i < text.len;) {
    unsigned char c = (unsigned char)text.data[i];
    size_t len = 1;
    bool is_bad = c >= 0x80 && utf_decode(text, i, &len) == UTF_REPLACEMENT && len == 1;
    if (c >= 0x20 && c != '"' && c != '\\' && !is_bad) {
      i += len;
      continue;
    }
    buffer_append(out, str_slice(text, run, i));
    if (is_bad)
      buffer_append(out, STR("\xef\xbf\xbd"));
    else
      append_escape(out, c);
    run = ++i;
  }
  buffer_append(out, str_slice(text, run, text.len));
  buffer_append_char(out, '"');
}

void writer_key_str(Writer *writer, Str key)
{
  writer_str(writer, key);
  buffer_append_char(writer->out, ':');
  writer->needs_comma = false;
}

void writer_int(Writer *writer, int64_t number)
{
  separate(writer);
  char room[STR_INT_ROOM];
  buffer_append(writer->out, str_from_int(number, room));
}

void writer_bool(Writer *writer, bool is_true)
{
  writer_raw(writer, is_true ? STR("true") : STR("false"));
}

void writer_null(Writer *writer)
{
  writer_raw(writer, STR("null"));
}

void writer_raw(Writer *writer, Str json)
{
  separate(writer);
  buffer_append(writer->out, json);
}

void writer_member_str(Writer *writer, const char *key, Str text)
{
  writer_key(writer, key);
  writer_str(writer, text);
}

void writer_member_int(Writer *writer, const char *key, int64_t number)
{
  writer_key(writer, key);
  writer_int(writer, number);
}

void writer_member_bool(Writer *writer, const char *key, bool is_true)
{
  writer_key(writer, key);
  writer_bool(writer, is_true);
}

void writer_member_known_str(Writer *writer, const char *key, Str text)
{
  writer_key(writer, key);
  if (text.len > 0)
    writer_str(writer, text);
  else
    writer_null(writer);
}

void writer_member_known_int(Writer *writer, const char *key, int64_t number)
{
  writer_key(writer, key);
  if (number > 0)
    writer_int(writer, number);
  else
    writer_null(writer);
}
