/// One JSON-RPC message, checked.
///
/// Ownership: a message owns the body it was parsed from and all that its fields point at.
/// Errors:    a body that is not a message gives MESSAGE_INVALID with the error to reply.
/// Threads:   reading is pure; parse and free belong to one thread at a time.
/// Sources:   JSON-RPC 2.0; LSP 3.17 "Base Protocol" (no batches; an id is an integer or a string).
#pragma once

#include "rpc/value.h"

typedef enum RpcError {
  RPC_PARSE_ERROR = -32700,
  RPC_INVALID_REQUEST = -32600,
  RPC_METHOD_NOT_FOUND = -32601,
  RPC_INVALID_PARAMS = -32602,
  RPC_INTERNAL_ERROR = -32603,
  RPC_NOT_INITIALIZED = -32002,
  RPC_REQUEST_FAILED = -32803,
  RPC_REQUEST_CANCELLED = -32800,
} RpcError;

typedef enum MessageKind {
  MESSAGE_INVALID,
  MESSAGE_REQUEST,
  MESSAGE_NOTIFICATION,
  MESSAGE_RESPONSE,
} MessageKind;

typedef struct Message Message;

/// Takes over `body`, which was made by malloc().
Message *message_parse(char *body, size_t len);
void message_free(Message *message);

MessageKind message_kind(const Message *message);
/// The id as JSON text, to compare and to send back; "null" if there is none.
Str message_id(const Message *message);
/// Empty for a response.
Str message_method(const Message *message);
/// Params of a request or a notification; NULL if it has none.
const Value *message_params(const Message *message);
/// Result of a response; NULL if it failed.
const Value *message_result(const Message *message);
/// What to reply to an invalid message.
RpcError message_error(const Message *message);
const char *message_error_text(const Message *message);

/// The value of a member "text" (see lift.h); false if it is not a string.
bool message_text(const Message *message, const Value *value, Str *ret_text);
/// Hands the body over: the text now starts a block for free(). Every other text of the message is gone then.
char *message_take_text(Message *message, Str text);

/// The id in `value` as JSON text, for free(); NULL if it is none.
char *message_id_of(const Value *value);
