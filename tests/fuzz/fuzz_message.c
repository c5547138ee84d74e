// Any bytes as a message. Where the JSON library alone can read them, lifting texts out must not change what they say.
#include <stdlib.h>

#include "base/memory.h"
#include "lsp/document_params.h"
#include "rpc/message.h"

static void check(bool is_true)
{
  if (!is_true)
    abort();
}

static void compare_text(const Message *message, const Value *lifted, const Value *plain)
{
  Str text;
  Str expected;
  if (value_kind(plain) != VALUE_STRING)
    return;
  check(value_to_str(plain, &expected));
  check(message_text(message, lifted, &text));
  check(str_equal(text, expected));
}

static void compare(const Message *message, const Value *plain)
{
  const Value *params = message_params(message);
  const Value *expected = value_get(plain, "params");
  check(value_kind(params) == value_kind(expected));
  compare_text(message, value_get(params, "text"), value_get(expected, "text"));
  compare_text(message, value_path(params, "textDocument.text"), value_path(expected, "textDocument.text"));
  const Value *changes = value_get(params, "contentChanges");
  for (size_t i = 0; i < value_count(changes); i++)
    compare_text(message, value_get(value_at(changes, i), "text"),
                 value_get(value_at(value_get(expected, "contentChanges"), i), "text"));
}

static void read_all(const Message *message)
{
  Arena arena = { 0 };
  DidOpen open;
  DidChange change;
  if (document_params_read_open(message, &open))
    check(open.version >= INT64_MIN);
  if (document_params_read_change(message, &arena, &change))
    check(change.count == 0 || change.changes);
  arena_done(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Str body = str_make((const char *)data, size);
  Value *plain = NULL;
  ValueError error;
  bool is_json = value_parse(body, &plain, &error) == OK;
  Message *message = message_parse(xstrdup_str(body), size);
  if (message_kind(message) == MESSAGE_INVALID)
    check(message_error_text(message)[0] != '\0');
  else if (is_json)
    compare(message, plain);
  if (message_kind(message) == MESSAGE_NOTIFICATION)
    read_all(message);
  message_free(message);
  value_release(plain);
  return 0;
}
