#include "rpc/message.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "rpc/lift.h"

struct Message {
  MessageKind kind;
  char *body;
  Lifted lifted;
  Value *root;
  char *id;  ///< NULL for "null".
  Str method;
  RpcError error;
  char error_text[256];
};

static void refuse(Message *message, RpcError error, const char *text)
{
  message->kind = MESSAGE_INVALID;
  message->error = error;
  snprintf(message->error_text, sizeof(message->error_text), "%s", text);
}

static bool parse_json(Message *message, size_t len)
{
  switch (lift_texts(message->body, len, &message->lifted)) {
  case LIFT_OK:
    break;
  case LIFT_TOO_DEEP:
    refuse(message, RPC_PARSE_ERROR, "the message is nested too deeply");
    return false;
  case LIFT_TOO_MANY:
    refuse(message, RPC_INVALID_REQUEST, "the message has too many values");
    return false;
  case LIFT_BAD_STRING:
    refuse(message, RPC_PARSE_ERROR, "the message is not JSON: bad string in \"text\"");
    return false;
  }
  Str json = message->lifted.texts.count > 0 ? buffer_str(&message->lifted.json) : str_make(message->body, len);
  ValueError error = { 0 };
  if (value_parse(json, &message->root, &error) == OK)
    return true;
  refuse(message, RPC_PARSE_ERROR, "");
  snprintf(message->error_text, sizeof(message->error_text), "the message is not JSON: %s", error.text);
  return false;
}

static void classify_response(Message *message)
{
  if (value_get(message->root, "result") || value_get(message->root, "error"))
    message->kind = MESSAGE_RESPONSE;
  else
    refuse(message, RPC_INVALID_REQUEST, "the message has neither a method nor a result");
}

static void classify_call(Message *message, const Value *method)
{
  const Value *id = value_get(message->root, "id");
  ValueKind params = value_kind(value_get(message->root, "params"));
  if (!value_to_str(method, &message->method) || memchr(message->method.data, '\0', message->method.len))
    refuse(message, RPC_INVALID_REQUEST, "\"method\" must be a string");
  else if (id && !message->id)
    refuse(message, RPC_INVALID_REQUEST, "\"id\" must be an integer or a string");
  else if (params != VALUE_MISSING && params != VALUE_NULL && params != VALUE_OBJECT && params != VALUE_ARRAY)
    refuse(message, RPC_INVALID_PARAMS, "\"params\" must be an object");
  else
    message->kind = id ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
}

static void classify(Message *message)
{
  if (value_kind(message->root) == VALUE_ARRAY) {
    refuse(message, RPC_INVALID_REQUEST, "batches are not part of LSP");
    return;
  }
  if (value_kind(message->root) != VALUE_OBJECT) {
    refuse(message, RPC_INVALID_REQUEST, "a message must be an object");
    return;
  }
  const Value *method = value_get(message->root, "method");
  message->id = message_id_of(value_get(message->root, "id"));
  Str version = { 0 };
  if (!value_to_str(value_get(message->root, "jsonrpc"), &version) || !str_equal(version, STR("2.0")))
    refuse(message, RPC_INVALID_REQUEST, "\"jsonrpc\" must be \"2.0\"");
  else if (method)
    classify_call(message, method);
  else
    classify_response(message);
}

Message *message_parse(char *body, size_t len)
{
  Message *message = xcalloc(1, sizeof(*message));
  message->body = body;
  if (parse_json(message, len))
    classify(message);
  return message;
}

void message_free(Message *message)
{
  if (!message)
    return;
  value_release(message->root);
  lifted_done(&message->lifted);
  free(message->id);
  free(message->body);
  free(message);
}

MessageKind message_kind(const Message *message)
{
  return message->kind;
}

Str message_id(const Message *message)
{
  return message->id ? str_from(message->id) : STR("null");
}

Str message_method(const Message *message)
{
  return message->method;
}

const Value *message_params(const Message *message)
{
  return value_get(message->root, "params");
}

const Value *message_result(const Message *message)
{
  return value_get(message->root, "error") ? NULL : value_get(message->root, "result");
}

RpcError message_error(const Message *message)
{
  return message->error;
}

const char *message_error_text(const Message *message)
{
  return message->error_text;
}

bool message_text(const Message *message, const Value *value, Str *ret_text)
{
  Str string;
  if (!value_to_str(value, &string))
    return false;
  if (!lifted_find(&message->lifted, string, ret_text))
    *ret_text = string;
  return true;
}

char *message_take_text(Message *message, Str text)
{
  char *body = message->body;
  memmove(body, text.data, text.len);
  message->body = NULL;
  return body;
}

char *message_id_of(const Value *value)
{
  int64_t number;
  ValueKind kind = value_kind(value);
  if (kind != VALUE_STRING && !(kind == VALUE_NUMBER && value_to_int(value, &number)))
    return NULL;
  return value_dump(value);
}
