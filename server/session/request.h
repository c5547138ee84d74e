/// Requests of the client: each gets exactly one reply, whichever way it goes.
///
/// A request has one holder at any time: the inbox, a document's list of those that wait for its analysis, the queue of
/// jobs, or the pool. request_reply(), request_end_reply() and request_fail() send its one reply; a second one is
/// refused, logged and counted. A holder frees a request that was answered meanwhile (cancelled) when it comes across
/// it; one that is freed without an answer gets an error.
///
/// Ownership: request_new() to request_free(); a request owns its message and what its fields say.
/// Units:     nanoseconds of uv_hrtime() for `received_ns`.
/// Threads:   the loop thread; what the pool may touch is said at each field.
/// Sources:   JSON-RPC 2.0; docs/architecture.md, "A request's way".
#pragma once

#include <uv.h>

#include "lsp/feature_method.h"
#include "rpc/message.h"
#include "session/session.h"

typedef struct ActionTexts ActionTexts;  // session/code_actions.h

struct Request {
  Session *session;
  Message *message;
  const FeatureMethod *feature;  ///< NULL until it is dispatched, and for requests that change the session.
  uint64_t received_ns;
  bool is_answered;
  Arena arena;  ///< The pool thread's while it runs, as the params.
  FeatureParams params;
  // While it waits for the analysis of what the client had when it asked:
  Document *text;  ///< Retained.
  CellMap *cells;  ///< Of the text, retained; NULL if it is no notebook.
  int64_t version;
  uint64_t text_stamp;  ///< OpenDocument.stamp of that text.
  // While it runs:
  uv_work_t work;
  Snapshot *snapshot;        ///< Retained; the pool makes it for a file that is not open.
  Str closed_path;           ///< Of such a file; empty for documents.
  Target *closed_target;     ///< Retained; what that file is checked against.
  Workspace *workspace;      ///< Retained; may be NULL.
  ActionTexts *texts;        ///< What editors have, for methods that want the world; NULL for others.
  atomic_bool cancelled;     ///< Set by the loop thread, polled by the pool thread.
  FeatureResult result;      ///< Written by the pool thread; in the arena.
  Buffer reply;              ///< The same.
  TargetChoices *choices;    ///< For methods that want them; NULL for others.
  TokenData *tokens_before;  ///< Retained; what a delta is made against, or NULL.
  TokenData *tokens_after;   ///< Made by the answer.
  bool is_too_large;         ///< The file that is not open is over CLOSED_FILE_LIMIT.
};

/// Takes over the message.
Request *request_new(Session *session, Message *message);
/// NULL is fine.
void request_free(Request *request);
/// Begins the reply: what is written next is the result.
Writer request_begin_reply(Request *request);
void request_end_reply(Request *request);
/// Sends a result that is JSON already.
void request_reply(Request *request, Str result);
void request_fail(Request *request, RpcError error, const char *text);
/// Answers the open requests with this id as cancelled.
void request_cancel(Session *session, Str id);
/// The same of those whose progress has this `token`, as JSON.
void request_cancel_by_token(Session *session, Str token);
/// A reply to a message that is not a request, or has no id that could be read.
void request_refuse(Session *session, const Message *message);
