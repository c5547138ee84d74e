#include "cli/check_result.h"

enum { TEXTS = 3 };

/// Before the texts.
typedef struct Head {
  ReportCounts counts;
  uint32_t lens[TEXTS];
  uint8_t was_judged;
  uint8_t is_dump;
} Head;

void file_result_done(FileResult *result)
{
  buffer_done(&result->out);
  buffer_done(&result->notes);
  buffer_done(&result->entry);
}

void file_result_pack(const FileResult *result, Buffer *bytes)
{
  const Buffer *texts[TEXTS] = { &result->out, &result->notes, &result->entry };
  Head head;
  memset(&head, 0, sizeof(head));  // Its padding is written, too.
  head.counts = result->counts;
  head.was_judged = result->was_judged;
  head.is_dump = result->is_dump;
  for (size_t i = 0; i < TEXTS; i++)
    head.lens[i] = (uint32_t)texts[i]->len;
  buffer_append(bytes, str_make((const char *)&head, sizeof(head)));
  for (size_t i = 0; i < TEXTS; i++)
    buffer_append(bytes, buffer_str(texts[i]));
}

bool file_result_unpack(Str bytes, FileResult *result)
{
  Buffer *texts[TEXTS] = { &result->out, &result->notes, &result->entry };
  Head head;
  if (bytes.len < sizeof(head))
    return false;
  memcpy(&head, bytes.data, sizeof(head));
  Str rest = str_slice(bytes, sizeof(head), bytes.len);
  if ((uint64_t)head.lens[0] + head.lens[1] + head.lens[2] != rest.len)
    return false;
  result->counts = head.counts;
  result->was_judged = head.was_judged != 0;
  result->is_dump = head.is_dump != 0;
  for (size_t i = 0; i < TEXTS; i++) {
    buffer_append(texts[i], str_slice(rest, 0, head.lens[i]));
    rest = str_slice(rest, head.lens[i], rest.len);
  }
  return true;
}
