/// The methods of the protocol, and the way of a message to the one it names.
///
/// Methods that change the session are rows of methods.c; features are rows of lsp/ and of this folder
/// (lsp/feature_method.h).
///
/// Ownership: rows are constants; method_dispatch() takes over what it is given.
/// Threads:   the loop thread.
/// Sources:   LSP 3.17.
#pragma once

#include "session/request.h"

typedef struct Method {
  const char *name;
  enum { IS_REQUEST, IS_NOTIFICATION } shape;
  /// On the loop, in the order of messages; `request` is NULL for a notification.
  void (*handle)(Session *session, Message *message, Request *request);
} Method;

/// A message that was read and not yet looked at.
typedef struct Incoming {
  Message *message;  ///< NULL if it is a request: that has it.
  Request *request;
} Incoming;

/// A feature of that name; NULL if there is none.
const FeatureMethod *method_find_feature(Str name);
/// Looks at one message; consumes both.
void method_dispatch(Session *session, Incoming incoming);
