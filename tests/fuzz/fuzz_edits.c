// Edits taken from the input, on a document with tiny chunks, against a flat buffer after every one.
//
// Input: one byte for the chunk target and the encoding, then text up to the first 0xFE byte, then changes:
// kind, start line, start column, end line, end column, text length, text. Kind bit 0: full text; bit 1: the next
// change belongs to the same notification. A column of 0xFD is far after any line's end.

#include "../unit/naive_text.h"

enum { MAX_CHANGES = 8, TEXT_LIMIT = 4096, HEAD = 6 };

typedef struct Input {
  const char *at;
  const char *end;
} Input;

static Str take_text(Input *input, size_t len)
{
  if (len > (size_t)(input->end - input->at))
    len = (size_t)(input->end - input->at);
  Str text = str_make(input->at, len);
  input->at += len;
  return text;
}

static Str take_first_text(Input *input)
{
  Str rest = str_make(input->at, (size_t)(input->end - input->at));
  size_t end = str_find_char(rest, (char)0xFE, 0);
  Str text = take_text(input, end < TEXT_LIMIT ? end : TEXT_LIMIT);
  take_text(input, 1);
  return text;
}

static Position position_from(Str bytes)
{
  uint32_t column = (unsigned char)bytes.data[1];
  return (Position){ (unsigned char)bytes.data[0], column == 0xFD ? UINT32_MAX : column };
}

/// Returns whether the next change belongs to the same notification.
static bool take_change(Input *input, TextChange *ret_change)
{
  Str head = take_text(input, HEAD);
  if (head.len < HEAD) {
    *ret_change = (TextChange){ .is_full = true, .text = head };
    return false;
  }
  ret_change->is_full = (head.data[0] & 1) != 0;
  ret_change->start = position_from(str_slice(head, 1, 3));
  ret_change->end = position_from(str_slice(head, 3, 5));
  ret_change->text = take_text(input, (unsigned char)head.data[5]);
  return (head.data[0] & 2) != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (size < 1)
    return 0;
  Input input = { (const char *)data + 1, (const char *)data + size };
  PosEncoding encoding = (PosEncoding)(data[0] % 3);
  uint32_t target = 1 + data[0] / 3u % 32;
  Str text = take_first_text(&input);
  NaiveText naive = naive_new(text);
  Document *document = NULL;
  NAIVE_CHECK(document_new_with_target(text, target, &document) == OK);
  naive_check_text(&naive, document);
  naive_check_lines(&naive, document);

  while (input.at < input.end && naive.len < TEXT_LIMIT) {
    TextChange changes[MAX_CHANGES];
    size_t count = 0;
    bool has_more = true;
    while (has_more && count < MAX_CHANGES && input.at < input.end)
      has_more = take_change(&input, &changes[count++]);
    naive_step(&naive, &document, changes, count, encoding);
    naive_check_offset(&naive, document, naive.len);
    naive_check_offset(&naive, document, naive.len > 0 ? data[size - 1] * 37u % naive.len : 0);
  }
  document_release(document);
  naive_done(&naive);
  return 0;
}
