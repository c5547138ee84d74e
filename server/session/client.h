/// What we say to the client unasked: notifications, and questions with their answers.
///
/// Ownership: texts are copied into what is sent; an answer is borrowed for the call.
/// Errors:    a client that does not answer is never waited for.
/// Threads:   the loop thread.
/// Sources:   LSP 3.17 "Base Protocol", "Window Features".
#pragma once

#include "rpc/message.h"
#include "rpc/writer.h"
#include "session/session.h"

/// `answer` is NULL when the session ends.
typedef void ClientAnswer(Session *session, const Message *answer, void *context);

/// A question that we asked the client.
typedef struct Outgoing {
  int64_t id;
  ClientAnswer *on_answer;
  void *context;
} Outgoing;

/// LSP's MessageType.
typedef enum ShowType {
  SHOW_ERROR = 1,
  SHOW_WARNING,
  SHOW_INFO,
  SHOW_LOG,
} ShowType;

/// What is said once.
typedef enum SessionLimit {
  LIMIT_REQUESTS = 1 << 0,
  LIMIT_OUTPUT = 1 << 1,
  LIMIT_INDEX = 1 << 2,
  LIMIT_CLOSED = 1 << 3,
  LIMIT_EDITED = 1 << 4,
  LIMIT_PULL = 1 << 5,
  LIMIT_CRASHED = 1 << 6,
} SessionLimit;

/// Begins a notification: what is written next is its params.
Writer client_begin_notification(const char *method, Buffer *body);
void client_end_notification(Session *session, Buffer *body);
/// Asks the client; `params` is JSON, or empty for none.
void client_ask(Session *session, const char *method, Str params, ClientAnswer *on_answer, void *context);
void client_take_answer(Session *session, const Message *answer);
void client_forget_all(Session *session);
/// window/showMessage, which people see.
void client_show(Session *session, ShowType type, const char *format, ...) PRINTF_LIKE(3, 4);
/// window/logMessage, which they find if they look.
void client_log(Session *session, ShowType type, const char *format, ...) PRINTF_LIKE(3, 4);
/// The same, once in a session for each limit.
void client_say_limit(Session *session, SessionLimit limit, const char *text);
/// $/logTrace, if the client wants it; `verbose` only if it wants that, too.
void client_trace(Session *session, Str text, const Value *verbose);
